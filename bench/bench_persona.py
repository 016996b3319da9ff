"""Loops, stands, styles, measured deltas and turning: what they reach.

usage: python bench/bench_persona.py [-o FILE]     prints markdown and writes docs/numbers_persona.md, or FILE

GAMBOL_DATA names the folder of reference data (default ../shared/data); without it nothing is written.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gambol import quat
from gambol.balance import balanced
from gambol.body import Body
from gambol.clips import clip_set, idle
from gambol.dynamics import low_pass
from gambol.gait import Gait, dimensionless
from gambol.io import load, load_motion, save
from gambol.loop import loop, rounds, unrolled
from gambol.measure import measure
from gambol.methods.force_walk import ForceWalk
from gambol.motion import Motion
from gambol.path import Path as Way
from gambol.style import parse_styles, styled, styles
from gambol.style_fit import DELTAS, Fit, canonical, fit_style
from gambol.synthesis import Task, generate
from gambol.terrain import Flat, Slope, Stairs, Terrain
from gambol.walk_table import row_at

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("GAMBOL_DATA", ROOT.parent / "shared" / "data"))
GROUNDS: dict[str, tuple[Terrain, float | None]] = {
    "level, 0.6 m/s": (Flat(), 0.6), "level, 1.2 m/s": (Flat(), 1.2), "level, 1.9 m/s": (Flat(), 1.9),
    "up stairs": (Stairs(0.17, 0.29, 8), None), "down stairs": (Stairs(-0.17, 0.29, 8), None),
    "slope 0.1 rad": (Slope(0.1), 1.0),
}  # fmt: skip
HEAD = """# Numbers: loops, stands, styles, turning

Written by `bench/bench_persona.py` from the files that were written (`.npz`, 60 frames a second unless said), body
1.75 m, 70 kg. `tests/test_loop.py`, `test_idle.py`, `test_clips.py`, `test_style.py` and `test_balance.py` ask the
same.
"""
TAIL = """
## What falls short, and why

- The plates of `c3d/bmc_gait.c3d` (two single steps, a deep valley) are met within 0.061 weights over the stance, not
  0.06: three sines give no more. Over the whole stride, as measured curves are usually given, it is below 0.05.
- `delta_y1` and `delta_z1` are not told apart from the other two of their axis, because only ratios move the body
  (s_y follows from the weight, s_z from the sway). They come back as 0, and the others make up for them exactly.
- Down stairs a steady walk has a_y2 / a_y1 = 0.10, as printed (f_v = 0.25); in the measured record it is 0.15. The
  fore-aft force is that of the record (0.075 weights). Up stairs, forces forward and inward are those of the level: no
  record of climbing is at hand.
- The momentum of the whole body is 0.009 of mass x height x speed in the usual walk, within the 0.02 of people; with
  `--balance` it is lower still, at the price of arms that swing wider than most people's do.
- Loops end in a `.glb` with the first pose again as the last key, because glTF has times and no frames; `.npz`, `.bvh`
  and `gambol` itself have each frame once.
"""


class Seam(NamedTuple):
    """Largest change at the seam over the largest inside."""

    pose: float
    velocity: float
    turning: float


def written(motion: Motion) -> Motion:
    """The motion as it comes back from its file."""
    with tempfile.TemporaryDirectory() as folder:
        save(motion, Path(folder) / "clip.npz")
        return load_motion(Path(folder) / "clip.npz")


def seam(clip: Motion) -> Seam:
    """How the seam of a loop compares with its inside, travelling."""
    n, twice = len(clip), rounds(clip, 3)
    turns = quat.log(quat.multiply(quat.conjugate(twice.rotations[:-1]), twice.rotations[1:]))
    steps = np.diff(twice.root, axis=0)

    def ratio(x: np.ndarray, near: tuple[int, ...]) -> float:
        size = np.linalg.norm(x, axis=-1).reshape(len(x), -1).max(1)
        at = np.isin((np.arange(len(size)) + 1) % n, [k % n for k in near])
        return float(size[at].max() / size[~at].max())

    pose = max(ratio(steps, (0,)), ratio(turns, (0,)))
    return Seam(pose, ratio(np.diff(steps, axis=0), (0, -1)), ratio(np.diff(turns, axis=0), (0, -1)))


def drift(clip: Motion) -> float:
    """mm that the hundredth round in place differs from the first."""
    hundred, n = rounds(clip, 100), len(clip)
    return 1e3 * float(np.abs(hundred.root[-n:] - hundred.root[:n]).max())


def loops() -> Iterator[str]:
    yield "## Loops\n"
    yield "Seam: largest change at the seam over the largest inside (at most 1). Drift: 100 rounds in place.\n"
    yield "| loop | frames | speed m/s | seam: pose | velocity | joints' velocity | drift mm | slide mm |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, (ground, speed) in GROUNDS.items():
        task = Task(terrain=ground, gait=Gait(speed=speed))
        clip, still = (written(loop(ForceWalk(), task, on)) for on in (False, True))
        s = seam(clip)
        velocity = np.hypot(*np.array(clip.info["loop"]["velocity_m_s"])[[0, 2]])
        report = measure(unrolled(clip), ground if isinstance(ground, Flat | Slope) else _long(ground))
        yield (
            f"| {name} | {len(clip)} | {velocity:.4f} | {s.pose:.2f} | {s.velocity:.2f} | {s.turning:.2f} | "
            f"{drift(still):.1e} | {report.feet.slide_mm:.2f} |"
        )


def _long(ground: Terrain) -> Terrain:
    assert isinstance(ground, Stairs)
    return Stairs(ground.rise, ground.tread, 18)


def stand_and_set() -> Iterator[str]:
    yield "\n## A living stand, and the set of clips\n"
    clip = written(idle(ForceWalk(), Task(gait=Gait(speed=0))))
    report = measure(clip, Flat())
    share = clip.forces[:, 0, 1] / clip.forces[..., 1].sum(1)
    yield (
        f"The stand: feet move {report.feet.slide_mm:.4f} mm; forces and motion differ by "
        f"{report.forces.consistency_rms_bw:.5f} weights (RMS); the left leg carries {share.min():.0%} to "
        f"{share.max():.0%}.\n"
    )
    yield "| clip | s | slide mm | ends meet (largest difference of a rotation) |"
    yield "|---|---|---|---|"
    clips = {m.name: written(m) for m in clip_set(ForceWalk(), Task())}
    meets = {"start": ("idle", "walk_normal"), "stop": ("walk_normal", "idle"), "turn_left": ("idle", ""),
             "turn_right": ("idle", "")}  # fmt: skip
    for name, m in clips.items():
        first, last = meets.get(name, ("", ""))
        gaps = [np.abs(m.rotations[0] - clips[first].rotations[0]).max()] if first else []
        gaps += [np.abs(m.rotations[-1] - clips[last].rotations[0]).max()] if last else []
        slide = measure(unrolled(m), None if not name.startswith("stairs") else _named(m)).feet.slide_mm
        yield f"| {name} | {m.duration:.2f} | {slide:.2f} | {f'{max(gaps):.0e}' if gaps else ''} |"


def _named(m: Motion) -> Terrain:
    rise, tread, count = m.info["ground"].removeprefix("stairs:").split(",")
    return Stairs(float(rise), float(tread), int(count))


def personalities() -> Iterator[str]:
    yield "\n## Styles\n"
    yield "| style | m/s | steps/min | slide mm | sinking / floating mm | swing below mm | peak force, weights |"
    yield "|---|---|---|---|---|---|---|"
    for name in ("plain", *styles()):
        clip = written(loop(*styled(ForceWalk(), Task(), parse_styles(name))))
        report = measure(unrolled(clip), Flat())
        f = report.feet
        yield (
            f"| {name} | {clip.info['loop']['velocity_m_s'][2]:.2f} | {120 / clip.info['loop']['period_s']:.0f} | "
            f"{f.slide_mm:.2f} | {f.sinking_mm:.2f} / {f.floating_mm:.2f} | {f.swing_sinking_mm:.2f} | "
            f"{report.forces.peak_vertical_bw:.2f} |"
        )


def known_deltas() -> Iterator[str]:
    yield "\n## Deltas from forces\n"
    worst = []
    for seed, speed in enumerate((0.6, 0.9, 1.2, 1.5, 1.8, 2.0)):
        rng, body = np.random.default_rng(seed), Body()
        made = {k: float(rng.uniform(-1, 1) * {"x": 0.2, "y": 0.1, "z": 0.02}[k[6]]) for k in DELTAS}
        path = Way(np.array([[0.0, 0, 0], [0, 0, 26 * max(speed, 1.0)]]))
        motion = written(generate(ForceWalk(**made), Task(body=body, path=path, gait=Gait(speed=speed), fps=100)))
        found = fit_style(motion.forces, motion.fps, body, speed)
        known = canonical(made, row_at(float(dimensionless(speed, body))))
        worst.append(max(abs(found.deltas[k] - known[k]) for k in DELTAS))
    yield f"Known deltas, six walks of 0.6 to 2.0 m/s with random ones: found within {max(worst):.1e} (asked 1e-3).\n"
    yield "Force plates, through the usual 20 Hz low pass; RMS over the stance, and over the stride:\n"
    yield "| record | stances | m/s | kg | up, stance | up, stride | forward | inward | asked 0.06 up |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, found in records():
        x, y, z = found.rms
        whole = y * (found.stance_time / (2 * found.step_time)) ** 0.5
        met = "met" if y <= 0.06 else "**0.06 over the stride only**"
        yield (
            f"| {name} | {found.stances} | {found.speed:.2f} | {found.mass:.1f} | {y:.3f} | {whole:.3f} | {x:.3f} | "
            f"{z:.3f} | {met} |"
        )


def records() -> Iterator[tuple[str, Fit]]:
    def plates(file: str) -> tuple[np.ndarray, float]:
        trial: Any = load(DATA / "c3d" / file)
        return np.stack([p.force for p in trial.plates], 1), float(trial.analog_fps)

    for step in ("05", "07"):
        rows = np.loadtxt(DATA / f"gait/fukuchi2018/WBDS04walkT{step}grf.txt", skiprows=1)
        yield f"Fukuchi 2018, subject 4, speed {step}", _fit(np.stack([rows[:, 1:4], rows[:, 8:11]], 1), 300.0)
    rows = np.loadtxt(DATA / "gait/opensim_subject01/walk1_grf.mot", skiprows=7)
    yield "OpenSim subject 01", _fit(np.stack([rows[:, 1:4], rows[:, 7:10]], 1), 600.0)
    yield "BMC gait.c3d", _fit(*plates("bmc_gait.c3d"))
    yield "down stairs, pyCGM", _fit(*plates("stair_descent_4plates.c3d"), mode="down")


def _fit(forces: np.ndarray, rate: float, mode: str = "level") -> Fit:
    return fit_style(low_pass(forces, rate), rate, mode=mode)


def turning() -> Iterator[str]:
    yield "\n## Turning about the vertical\n"
    yield "Range over a stride of the angular momentum through the mass centre, over mass x height x speed; people have"
    yield "up to 0.02.\n"
    yield "| m/s | arms and chest held | usual | `--balance` | left over after a stride | arm_swing, twist |"
    yield "|---|---|---|---|---|---|"
    for speed in (0.85, 1.2, 1.55):
        task = Task(gait=Gait(speed=speed))
        method, found = balanced(ForceWalk(), task)
        report = measure(rounds(written(loop(method, task)), 6), Flat())
        dials = ", ".join(f"{v:.2f}" for v in found.dials.values())
        yield (
            f"| {speed} | {found.still:.4f} | {found.before:.4f} | {found.after:.4f} | "
            f"{report.turning.net_change:.1%} of the peak (asked 2 %) | {dials} |"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", type=Path, default=ROOT / "docs" / "numbers_persona.md")
    target = parser.parse_args().o
    if not DATA.is_dir():
        print(f"no reference data in {DATA}; set GAMBOL_DATA", file=sys.stderr)
        return 1
    parts = (loops, stand_and_set, personalities, known_deltas, turning)
    text = "\n".join([HEAD, *(line for part in parts for line in part()), TAIL])
    print(text)
    target.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
