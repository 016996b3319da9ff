"""Whose walk is it: the deltas of equations 7 to 9 found from measured foot forces.

The force of one foot over its stance (u = 0..1) is, in body weights, equations 6a to 6c of Tsutsuguchi et al. 2000,

    forward  -s_x (a_x1 sin 2 pi u + a_x2 sin 4 pi u + a_x3 sin 6 pi u)
    up        s_y (a_y1 sin pi u + a_y2 sin 2 pi u + a_y3 sin 3 pi u)
    inward    s_z (a_z1 sin pi u + a_z2 sin 2 pi u + a_z3 sin 3 pi u)

so for a known stance the sine coefficients follow from linear least squares. When a stance begins and ends is found
with them (variable projection: Golub and Pereyra 1973), because 5 ms of a threshold are 1 % of a stance.

Of the upward curve only ratios count, s_y follows from the weight; of the inward curve too, s_z follows from the sway.
So delta_y1 and delta_z1 are left at 0 and the other two of their axis make up for them: the walk is the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.body import Body, G
from gambol.errors import GambolError
from gambol.gait import MAX_SPEED, MIN_SPEED, Gait, dimensionless, pace
from gambol.style import Style
from gambol.walk_table import MODES, row_at

__all__ = ["DELTAS", "Fit", "canonical", "curves", "fit_style"]

Array = NDArray[np.float64]
DELTAS = tuple(f"delta_{axis}{k}" for axis in "xyz" for k in (1, 2, 3))
LIMITS = {"x": 0.5, "y1": 0.5, "y2": 0.4, "y3": 0.3, "z": 0.1}  # the ranges of the dials
THRESHOLD, LEAST_N = 0.05, 20.0  # of the largest force, and N: a foot is down
SHORTEST, LONGEST = 0.25, 2.5  # s of a stance
ALIKE = 0.12  # stances whose time is farther from the median are no steady steps
SPREAD = 0.08  # of the stance: how far its ends may be moved
FEW, STRAY = 6, 3.0  # of more stances than FEW, those farther off than STRAY times the median are left out
ROUNDS, NUDGE = 12, 1e-5
AX, AY, AZ = 1.0, 1.3, 0.07  # a_x1, a_y1, a_z1 of eqs 7 to 9


class Fit(NamedTuple):
    """What was found.

    Attributes:
        deltas: of equations 7 to 9 by their dials' names.
        rms: (3,) body weights, forward, up and inward: the walk's own curve with these deltas against the mean
            measured one.
        measured: (3, 101) body weights, the mean curves over the stance.
        fitted: (3, 101) the same of the walk.
        stances: how many were used.
        step_time: s.
        stance_time: s.
        speed: m/s.
        mass: kg.
        clipped: dials that lie beyond their range and are held at its end.
    """

    deltas: dict[str, float]
    rms: tuple[float, float, float]
    measured: Array
    fitted: Array
    stances: int
    step_time: float
    stance_time: float
    speed: float
    mass: float
    clipped: tuple[str, ...]

    def style(self, name: str = "measured", meaning: str = "found from measured forces") -> Style:
        """The deltas as a style."""
        return Style(name, meaning, dials=tuple(sorted((k, v) for k, v in self.deltas.items() if v)))

    def lines(self) -> list[str]:
        """In words."""
        x, y, z = self.rms
        out = [
            f"{self.stances} stances of {self.stance_time:.3f} s, a step every {self.step_time:.3f} s, "
            f"{self.speed:.2f} m/s, {self.mass:.1f} kg",
            f"the walk's force against the measured one: up {y:.3f}, forward {x:.3f}, inward {z:.3f} weights (RMS)",
        ]
        out += [f"{k:8} {v:+.4f}" for k, v in self.deltas.items()]
        return out + [f"{k} lies beyond its range and is held at its end" for k in self.clipped]


class _Stance(NamedTuple):
    start: float  # s
    length: float  # s
    times: Array  # (n,) s of the samples
    force: Array  # (n, 3) N


def fit_style(
    forces: ArrayLike, rate: float, body: Body | None = None, speed: float | None = None, mode: str = "level"
) -> Fit:
    """The deltas from the forces of feet or plates. Raw plates are smoothed first (dynamics.low_pass, 20 Hz).

    Args:
        forces: (F, K, 3) N in the world, +y up, of the ground on the foot, one column for each foot or plate.
        rate: samples a second.
        body: who walks; its mass is found from the forces where ``body`` is None and both feet are recorded.
        speed: m/s; None finds it from the step rate by the published law.
        mode: level, up or down (stairs): the reference of delta_y2.

    Raises:
        GambolError: forces of another shape, or without whole steady stances.
    """
    f = np.asarray(forces, float)
    if f.ndim != 3 or f.shape[2] != 3 or not np.isfinite(f).all() or not rate > 0:
        raise GambolError(f"forces of shape {f.shape}", where="fit style", allowed="(F, feet or plates, 3) finite N")
    if mode not in MODES:
        raise GambolError(f"no mode is called {mode!r}", where="fit style", allowed=", ".join(MODES))
    stances = _steady(_stances(f, rate))
    step = _step_time(stances)
    fits = [_refined(s) for s in stances]
    begun = [s for s, _ in fits]
    length = float(np.median([s.length for s in begun]))
    mass = _mass(begun, step, length) if body is None else float(body.mass or 0.0)
    body = body or Body(mass=mass)
    speed = _speed(step, body) if speed is None else speed
    forward = _forward(begun)
    rows = np.array([_coefficients(s, forward) for s in begun]) / (mass * G)  # (n, 3 axes, 3)
    kept = _alike(rows)
    begun = [s for s, keep in zip(begun, kept) if keep]
    forward = _forward(begun)
    x, y, z = np.median([_coefficients(s, forward) for s in begun], axis=0) / (mass * G)
    row = dict(row_at(float(np.clip(dimensionless(speed, body), MIN_SPEED, MAX_SPEED))))
    ground = MODES[mode]
    f_v = ground["f_v"] - MODES["level"]["f_v"]
    raw = {
        "delta_x1": -x[0] / row["sx"] - AX, "delta_x2": -x[1] / row["sx"] - row["ax2"],
        "delta_x3": -x[2] / row["sx"] - row["ax3"],
        "delta_y1": 0.0, "delta_y2": AY * (y[1] / y[0] - row["ay2"]) - f_v, "delta_y3": AY * (y[2] / y[0] - row["ay3"]),
        "delta_z1": 0.0, "delta_z2": AZ * z[1] / z[0] - ground["az2"], "delta_z3": AZ * z[2] / z[0] - ground["az3"],
    }
    deltas = {k: float(np.clip(v, -_limit(k), _limit(k))) for k, v in raw.items()}
    u = np.linspace(0.0, 1.0, 101)
    measured = np.mean([_resampled(s, u, forward) for s in begun], axis=0) / (mass * G)
    fitted = curves(deltas, row, u, (step, length), mode)
    fitted[2] *= z[0] / AZ  # how far the body sways is another dial
    rms = np.sqrt(((fitted - measured) ** 2).mean(1))
    clipped = tuple(k for k, v in raw.items() if abs(v) > _limit(k))
    return Fit(
        deltas, (float(rms[0]), float(rms[1]), float(rms[2])), measured, fitted, len(begun), step, length, speed,
        mass, clipped,
    )


def curves(deltas: dict[str, float], row: dict[str, float], u: Array, times: tuple[float, float], mode: str) -> Array:
    """(3, N) body weights of one foot in steady walking, equations 6a to 6c; inward for s_z = 1.

    Args:
        deltas: by dial name.
        row: of the walk table.
        u: (N,) share of the stance.
        times: of a step and a stance, s.
        mode: level, up or down.
    """
    ground = MODES[mode]
    f_v = ground["f_v"] - MODES["level"]["f_v"]
    ax = np.array([AX, row["ax2"], row["ax3"]]) + [deltas[f"delta_x{k}"] for k in (1, 2, 3)]
    ay = np.array([AY, AY * row["ay2"] + f_v, AY * row["ay3"]]) + [deltas[f"delta_y{k}"] for k in (1, 2, 3)]
    az = np.array([AZ, ground["az2"], ground["az3"]]) + [deltas[f"delta_z{k}"] for k in (1, 2, 3)]
    s, s2 = _sines(u), np.sin(2 * np.pi * np.outer([1, 2, 3], u))
    step, stance = times
    sy = step * np.pi / (2 * stance * (ay[0] + ay[2] / 3))  # a steady step carries one weight
    return np.array([-row["sx"] * ax @ s2, sy * ay @ s, az @ s])


def canonical(deltas: dict[str, float], row: dict[str, float], mode: str = "level") -> dict[str, float]:
    """The deltas of the same walk with delta_y1 = delta_z1 = 0 (see the text of this module)."""
    d = {k: float(deltas.get(k, 0.0)) for k in DELTAS}
    size = 1 + d["delta_y1"] / AY
    out = {**d, "delta_y1": 0.0, "delta_z1": 0.0}
    for k in (2, 3):
        usual = AY * row[f"ay{k}"] + (MODES[mode]["f_v"] - MODES["level"]["f_v"] if k == 2 else 0.0)
        side = MODES[mode][f"az{k}"]
        out[f"delta_y{k}"] = (usual + d[f"delta_y{k}"]) / size - usual
        out[f"delta_z{k}"] = AZ * (side + d[f"delta_z{k}"]) / (AZ + d["delta_z1"]) - side
    return out


def _limit(name: str) -> float:
    return LIMITS.get(name[6:], LIMITS.get(name[6], 0.0))


def _sines(u: Array) -> Array:
    """(3, N) sin k pi u."""
    out: Array = np.sin(np.pi * np.outer([1, 2, 3], u))
    return out


def _stances(f: Array, rate: float) -> list[_Stance]:
    """Whole stances of every column."""
    out = []
    for k in range(f.shape[1]):
        up = f[:, k, 1]
        limit = max(THRESHOLD * float(up.max(initial=0.0)), LEAST_N)
        edges = np.flatnonzero(np.diff(np.r_[False, up > limit, False].astype(int)))
        for a, b in zip(edges[::2], edges[1::2]):
            if a < 2 or b > len(up) - 2 or not SHORTEST <= (b - a) / rate <= LONGEST:
                continue
            # straight on from the first and last samples to no force
            before = up[a] / max(up[a + 1] - up[a], 1e-9) if up[a + 1] > up[a] else 0.0
            after = up[b - 1] / max(up[b - 2] - up[b - 1], 1e-9) if up[b - 2] > up[b - 1] else 0.0
            start, end = (a - min(before, 2.0)) / rate, (b - 1 + min(after, 2.0)) / rate
            out.append(_Stance(start, end - start, np.arange(a, b) / rate, f[a:b, k]))
    return sorted(out, key=lambda s: s.start)


def _steady(stances: list[_Stance]) -> list[_Stance]:
    if stances:
        usual = float(np.median([s.length for s in stances]))
        stances = [s for s in stances if abs(s.length / usual - 1) < ALIKE]
    if len(stances) < 2:
        raise GambolError(
            f"{len(stances)} whole stances", where="fit style", allowed="two or more, each foot on a plate of its own",
            do="give a longer record",
        )
    return stances


def _step_time(stances: list[_Stance]) -> float:
    """s between strikes; steps that were missed are left aside."""
    gaps = np.diff([s.start for s in stances])
    longest = float(np.median([s.length for s in stances]))
    steps = gaps[(gaps > 0.3 * longest) & (gaps < longest)]  # walking, the other foot lands during the stance
    if not len(steps):
        raise GambolError("no two stances follow each other", where="fit style", allowed="steps of both feet")
    return float(np.median(steps))


def _refined(s: _Stance) -> tuple[_Stance, float]:
    """Start and length of a stance such that equation 6b fits best, and the root mean square left (N)."""
    y, best = s.force[:, 1], np.array([s.start, s.length])

    def left(p: Array) -> Array:
        basis = _sines(np.clip((s.times - p[0]) / p[1], 0.0, 1.0)).T
        return y - basis @ np.linalg.lstsq(basis, y, rcond=None)[0]

    low = np.array([s.start, s.length]) - SPREAD * s.length
    high = low + 2 * SPREAD * s.length
    r = left(best)
    for _ in range(ROUNDS):
        j = np.stack([(left(best + NUDGE * e) - r) / NUDGE for e in np.eye(2)], 1)
        step = np.linalg.lstsq(j, -r, rcond=None)[0]
        for size in (1.0, 0.5, 0.25, 0.1):
            p = np.clip(best + size * step, low, high)
            if (new := left(p)) @ new < r @ r:
                break
        else:
            break
        done = np.abs(p - best).max() < 1e-10
        best, r = p, new
        if done:
            break
    return s._replace(start=float(best[0]), length=float(best[1])), float(np.sqrt((r @ r) / len(r)))


def _mass(stances: list[_Stance], step: float, length: float) -> float:
    """kg: in steady walking each stance gives what a weight does in a step."""
    push = [np.linalg.lstsq(_sines((s.times - s.start) / s.length).T, s.force[:, 1], rcond=None)[0] for s in stances]
    y = np.median(push, axis=0)
    return float(2 * length / np.pi * (y[0] + y[2] / 3) / step / G)


def _speed(step: float, body: Body) -> float:
    unit = float(1 / dimensionless(1.0, body))
    try:
        return pace(Gait(cadence=60 / step), body).speed
    except GambolError:
        return (MIN_SPEED if step > 0.6 else MAX_SPEED) * unit


def _alike(rows: Array) -> NDArray[np.bool_]:
    """(n,) stances that are like most: not those of starting, stopping or stumbling."""
    if len(rows) < FEW:
        return np.ones(len(rows), bool)
    off = np.linalg.norm((rows - np.median(rows, axis=0))[:, :2], axis=(1, 2))
    return np.asarray(off <= max(STRAY * float(np.median(off)), 1e-4))


def _forward(stances: list[_Stance]) -> Array:
    """(3,) unit: a foot brakes first and pushes then; the two feet push to either side."""
    sets = [[-np.sin(2 * np.pi * (s.times - s.start) / s.length) @ s.force for s in stances[k::2]] for k in (0, 1)]
    middle = [np.median(np.array(rows) * [1.0, 0.0, 1.0], axis=0) for rows in sets if rows]
    # walkers may go to and fro: then the median of a foot is not the way, but its largest push is
    largest = max((v for rows in sets for v in rows), key=lambda v: float(np.linalg.norm(v[[0, 2]])))
    way = np.sum([m if m @ largest >= 0 else -m for m in middle], axis=0)
    if np.linalg.norm(way) < 0.5 * np.linalg.norm(largest[[0, 2]]):
        way = largest * [1.0, 0.0, 1.0]
    if not np.linalg.norm(way) > 0:
        raise GambolError("no force along the way", where="fit style", allowed="feet that brake and push")
    out: Array = way / np.linalg.norm(way)
    return out


def _axes(s: _Stance, forward: Array) -> Array:
    """(3, 3) rows forward, up, inward of one stance: it pushes forward in its second half, and inward on the whole."""
    u = (s.times - s.start) / s.length
    sense = 1.0 if -np.sin(2 * np.pi * u) @ s.force @ forward >= 0 else -1.0
    side = np.array([forward[2], 0.0, -forward[0]])
    inward = side * (1.0 if (np.sin(np.pi * u) @ s.force) @ side >= 0 else -1.0)
    return np.array([sense * forward, [0.0, 1.0, 0.0], inward])


def _coefficients(s: _Stance, forward: Array) -> Array:
    """(3, 3) N: of sin 2 k pi u forward, sin k pi u up and inward."""
    u, axes = (s.times - s.start) / s.length, _axes(s, forward)
    x, y, z = axes @ s.force.T
    even, all_ = np.sin(2 * np.pi * np.outer([1, 2, 3], u)).T, _sines(u).T
    return np.array([np.linalg.lstsq(b, v, rcond=None)[0] for b, v in ((even, x), (all_, y), (all_, z))])


def _resampled(s: _Stance, u: Array, forward: Array) -> Array:
    """(3, N) N at shares of the stance."""
    at = (s.times - s.start) / s.length
    local = _axes(s, forward) @ s.force.T
    ends = np.r_[0.0, at, 1.0]
    return np.array([np.interp(u, ends, np.r_[0.0, v, 0.0]) for v in local])
