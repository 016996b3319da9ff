"""Fit the rows of gambol.walk_table to published joint angle and force curves, with this program's own figure.

usage: python bench/fit_table.py JOINT_ANGLES.csv FORCES.csv [row ...]     (needs scipy)
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.optimize import least_squares

import gambol.methods.force_walk as force_walk
from gambol import figure, lowering
from gambol.body import Body, G
from gambol.figure import ROWS, pose_frames
from gambol.figure_parts import figure_of
from gambol.gait import Gait
from gambol.motion import Motion
from gambol.path import Path
from gambol.synthesis import Task, generate
from gambol.walk_table import PAPER, SPEEDS, TABLE

CLASSES = ("slowest", "very_slow", "slow", "free", "fast", "very_fast")
# what is fitted, and the step that counts as "one unit" of each
UNITS = {
    "ay2": 0.02,
    "ay3": 0.03,
    "strike": 0.05,
    "flat": 0.02,
    "soft": 0.5,
    "heel_off": 0.04,
    "push": 0.1,
    "p": 0.5,
    "e": 0.5,
    "b": 0.1,
    "toes_off": 0.03,
    "toes": 0.1,
    "x0": 0.02,
    "x1": 0.03,
    "y0": 0.01,
    "y1": 0.01,
    "y2": 0.03,
    "t0": 0.15,
    "t1": 0.2,
    "t2": 0.15,
    "com_ahead": 0.02,
    "com_up": 0.005,
    "double": 0.01,
}
BOUNDS = {
    "strike": (0.1, 0.36),
    "flat": (0.05, 0.13),
    "soft": (0.6, 2.8),
    "heel_off": (0.12, 0.44),
    "push": (0.4, 1.35),
    "p": (2.5, 6.0),
    "e": (-1.0, 1.5),
    "b": (0.4, 0.85),
    "toes_off": (0.44, 0.60),
    "toes": (0.02, 0.9),
    "com_ahead": (0.0, 0.2),
    "com_up": (1.0, 1.10),
    "double": (0.13, 0.33),
    "ay3": (0.1, 0.6),
    "ay2": (-0.1, 0.15),
}
DOUBLE = 800.0  # weight per step time
PEAK = 200.0  # weight per body weight
KNEE = 4.5  # deg, neither knee is ever straighter
REACH = 40.0  # weight per mm that a leg is too short for that
STEP = 9  # a steady one
KNEE_AT_STRIKE = 0.6  # weight of the knee at heel strike beyond its share of the curve


def read(path: str, key: str, column: str) -> np.ndarray:
    rows = [r for r in csv.reader(open(path)) if r[0].startswith(key)]
    head = next(csv.reader(open(path)))
    return np.array([float(r[head.index(column + "_mean")]) for r in rows])


@contextmanager
def rows(values: dict[str, float]) -> Iterator[list[np.ndarray]]:
    """The walk with these values; yields the hip to ankle distances (2, n) m, step by step, as wanted."""
    saved = force_walk.row_at, lowering.excess, lowering.ROUNDS
    lowering.ROUNDS = 1  # no lowering: it would make the cost step
    distances: list[np.ndarray] = []

    def noted(plan: Any, scene: Any, shares: np.ndarray, stair: bool) -> float:
        out = np.zeros((ROWS, len(shares)))
        pose_frames(shares * plan.step, plan, scene.figure, False, out)
        distances.append(out[figure.REACH : figure.REACH + 2])
        return saved[1](plan, scene, shares, stair)

    force_walk._scene.cache_clear()
    force_walk.row_at, lowering.excess = lambda v: values, noted  # type: ignore[assignment]
    try:
        yield distances
    finally:
        force_walk.row_at, lowering.excess, lowering.ROUNDS = saved
        force_walk._scene.cache_clear()


def first_rotation(q: np.ndarray) -> np.ndarray:
    """Angle about x of R = Rx Rz Ry (deg)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    return np.degrees(np.arctan2(2 * (y * z + w * x), 1 - 2 * (x * x + z * z)))


def stride(motion: Motion) -> dict[str, np.ndarray]:
    """One steady stride of the left leg, 51 points from heel strike to heel strike, and its force (BW)."""
    strikes = motion.info["events"]["left_strike"]
    a, b = strikes[3], strikes[4]
    t = np.linspace(a, b, 51)
    names = motion.skeleton.index
    out = {}
    for key, joint, sign in (
        ("hip", "left_upper_leg", -1),
        ("knee", "left_lower_leg", 1),
        ("ankle", "left_foot", -1),
    ):
        curve = sign * first_rotation(motion.rotations[:, names(joint)])
        out[key] = np.interp(t, motion.times, curve)
    out["force"] = np.interp(t, motion.times, motion.forces[:, 0, 1]) / (motion.mass * G)
    knees = [first_rotation(motion.rotations[:, names(f"{s}_lower_leg")]) for s in ("left", "right")]
    out["both"] = np.concatenate([k[int(a * motion.fps) : int(b * motion.fps)] for k in knees])
    k = slice(int(a * motion.fps), int(b * motion.fps))
    out["rise"] = np.ptp(motion.com[k, 1])
    return out


def longest(knee: float) -> float:
    """m from hip to ankle with the knee bent by ``knee`` degrees."""
    proportions = figure_of(Body(1.75))
    a, b = proportions.thigh, proportions.shank
    return float(np.sqrt(a * a + b * b + 2 * a * b * np.cos(np.radians(knee))))


def walk(v_hat: float | None) -> Motion:
    body = Body(1.75)
    if v_hat is None:  # the paper's own pace
        path = Path(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 15.4]]))
        gait = Gait(cadence=100.0, step_length=0.70)
        return generate(
            force_walk.ForceWalk(engine="numpy"), Task(body=body, path=path, gait=gait, fps=100)
        )
    speed = v_hat * (G * body.leg_length) ** 0.5
    path = Path(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 22 * 1.1 * v_hat**0.51 * body.leg_length]]))
    return generate(
        force_walk.ForceWalk(engine="numpy"), Task(body=body, path=path, gait=Gait(speed=speed), fps=100)
    )


def targets(angles: str, forces: str, column: str) -> dict[str, np.ndarray]:
    out = {
        "hip": read(angles, "Hip Flex", column),
        "knee": read(angles, "Knee Flex", column),
        "ankle": read(angles, "Ankle Dorsi", column),
    }
    out["force"] = read(forces, "Vertical", column)
    return out


def residual(
    values: dict[str, float], v_hat: float | None, target: dict[str, np.ndarray], rise: float
) -> np.ndarray:
    with rows(values) as distances:
        got = stride(walk(v_hat))
    parts = []
    for key, weight in (("hip", 1.0), ("knee", 1.0), ("ankle", 1.3)):
        d = got[key] - target[key]
        parts.append(weight * (d - d.mean() if key != "knee" else d))
    parts.append([KNEE_AT_STRIKE * 5 * (got["knee"][0] - target["knee"][0])])
    parts.append(55 * (got["force"] - target["force"]))
    for part in (slice(0, 20), slice(20, 40)):  # the two peaks
        parts.append([PEAK * (got["force"][part].max() - target["force"][part].max())])
    parts.append([PEAK * (got["force"][10:22].min() - target["force"][10:22].min())])
    parts.append(6 * np.maximum(KNEE - got["both"].min(keepdims=True), 0.0))
    parts.append(REACH * 1e3 * np.maximum(distances[STEP][:, -12:] - longest(KNEE), 0.0))
    if v_hat is not None:  # the force curves alone leave double support loose: hold it to its own law
        parts.append([DOUBLE * (values["double"] - (0.434 * v_hat**2 - 0.643 * v_hat + 0.399))])
    parts.append([4.0 * (1e3 * got["rise"] - rise)])
    return np.concatenate([np.ravel(p) for p in parts]) / np.sqrt(51)


def report(values: dict[str, float], v_hat: float | None, target: dict[str, np.ndarray]) -> str:
    with rows(values):
        got = stride(walk(v_hat))
    words = []
    for key in ("hip", "knee", "ankle"):
        d = got[key] - target[key]
        off = 0.0 if key == "knee" else d.mean()
        r, rmse = np.corrcoef(got[key], target[key])[0, 1], np.sqrt(((d - off) ** 2).mean())
        words.append(f"{key} r {r:.3f} rmse {rmse:.1f} off {d.mean():+.1f}")
    for name, curve, parts in (
        ("force", "force", ((0, 20, "max"), (10, 22, "min"), (20, 51, "max"))),
        ("knee at strike, loading, least", "knee", ((0, 1, "max"), (0, 12, "max"), (0, 28, "min"))),
    ):
        a, b = got[curve], target[curve]
        pairs = [f"{getattr(a[x:y], f)():.2f}/{getattr(b[x:y], f)():.2f}" for x, y, f in parts]
        words.append(f"{name} {' '.join(pairs)}")
    words.append(f"rise {1e3 * got['rise']:.0f}")
    return " | ".join(words)


def main() -> None:
    angles, forces = sys.argv[1:3]
    if sys.argv[3:] == ["paper"]:
        fixed = ("ay2", "ay3", "double")
        improve("paper", None, dict(PAPER), targets(angles, forces, "free"), (37, fixed))
    for k in [int(a) for a in sys.argv[3:] if a != "paper"]:
        values = {name: row[k] for name, row in TABLE.items()}
        improve(
            CLASSES[k], SPEEDS[k], values, targets(angles, forces, CLASSES[k]), ((8, 12, 19, 28, 33, 28)[k], ())
        )


def improve(
    label: str,
    v_hat: float | None,
    values: dict[str, float],
    target: dict[str, np.ndarray],
    aim: tuple[float, tuple[str, ...]],
) -> None:
    """Print a row before and after the fit; ``aim`` is the rise (mm) wanted and the names that are not fitted."""
    rise, fixed = aim
    print(label, "before", report(values, v_hat, target), flush=True)
    names = [n for n in UNITS if n not in fixed]
    start = np.array([values[n] / UNITS[n] for n in names])
    low = np.array([BOUNDS.get(n, (-9, 9))[0] / UNITS[n] for n in names])
    high = np.array([BOUNDS.get(n, (-9, 9))[1] / UNITS[n] for n in names])
    start = np.clip(start, low + 1e-3, high - 1e-3)

    def cost(x: np.ndarray) -> np.ndarray:
        trial = {**values, **{n: float(v * UNITS[n]) for n, v in zip(names, x)}}
        return np.concatenate([residual(trial, v_hat, target, rise), 0.003 * (x - start)])

    fit = least_squares(cost, start, bounds=(low, high), jac="2-point", diff_step=1e-3, max_nfev=30)
    values = {**values, **{n: float(v * UNITS[n]) for n, v in zip(names, fit.x)}}
    print(label, "after ", report(values, v_hat, target))
    print({n: round(values[n], 4) for n in TABLE}, flush=True)


if __name__ == "__main__":
    main()
