# ruff: noqa: E501
"""The numbers of the measured walk, measured; writes docs/numbers_measured.md.

Run: python bench/bench_measured.py            (needs the recorded data; GAMBOL_DATA is its folder)
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
DATA = Path(os.environ.get("GAMBOL_DATA", ROOT.parent / "shared" / "data"))

from measured import compared, synthetic  # noqa: E402
from test_generalise import apart  # noqa: E402
from test_whole_force import trial_of  # noqa: E402
from walks import slides, sole_tracks, straight  # noqa: E402

from gambol.body import Body  # noqa: E402
from gambol.figure_parts import figure_of  # noqa: E402
from gambol.gait import Gait  # noqa: E402
from gambol.gait_events import find_events  # noqa: E402
from gambol.generalise import NATURAL, Condition, Subject, generalised, phi, psi  # noqa: E402
from gambol.measure.curves import compare, cycle_means  # noqa: E402
from gambol.measured_figure import pose_measured  # noqa: E402
from gambol.measured_step import made, plan_measured  # noqa: E402
from gambol.methods.measured_walk import MeasuredWalk  # noqa: E402
from gambol.motion import join  # noqa: E402
from gambol.path import Path as Way  # noqa: E402
from gambol.path import parse_path  # noqa: E402
from gambol.plates import plate_contacts, plate_events  # noqa: E402
from gambol.prototypes import NORMAL_SPEEDS, neutral, normal_angles  # noqa: E402
from gambol.synthesis import Stream, Task, generate  # noqa: E402
from gambol.terrain import parse_terrain  # noqa: E402
from gambol.tracks import tracks_of  # noqa: E402
from gambol.whole_force import compare_plates, estimate_forces  # noqa: E402

LINES: list[str] = []
PAIRS = (("16_15", "16_21"), ("16_21", "16_15"), ("16_16", "16_21"), ("16_21", "16_16"), ("02_01", "02_02"), ("02_02", "02_01"))


def say(line: str = "") -> None:
    print(line, flush=True)
    LINES.append(line)


def table(head: str) -> None:
    say(head)
    say("|" + "---|" * (head.count("|") - 1))


def subject(rng: np.random.Generator) -> Subject:
    size = rng.uniform(0.9, 2.2) * rng.uniform(0.85, 1.15, 6)
    return Subject(*(float(x) for x in np.array([0.245, 0.246, 0.045, 0.03, 0.075, 0.04]) * size))


def theorems() -> None:
    rng, w, worst = np.random.default_rng(3), synthetic(), np.zeros(6)
    for _ in range(200):
        a, b, c = (subject(rng) for _ in range(3))
        p, q = rng.uniform(0.6, 1.5, 2)
        at = [Condition(s, k * s.leg, 0.95 * k * s.leg, 0.55) for s, k in zip((a, b, c), rng.uniform(0.3, 1.1, 3))]
        first = psi(w, a)
        one = generalised(w, at[0])
        worst = np.maximum(worst, [
            apart(phi(phi(w, q), p), phi(w, p * q)), apart(phi(phi(w, q), 1 / q), w), apart(psi(psi(first, b), c), psi(first, c)),
            apart(phi(psi(first, b), p), psi(phi(first, p), b)),
            apart(generalised(generalised(one, at[1]), at[2]), generalised(one, at[2])),
            apart(generalised(generalised(one, at[1]), at[0]), one),
        ])
    say("## Transitivity")
    say()
    say("Largest differences (m, rad, steps) over 200 random chains of bodies of 0.9 to 2.2 m and steps of 0.3 to 1.1 legs.")
    say()
    table("| theorem 1: phi phi | 2: there and back | 3: psi psi | 4: phi psi = psi phi | 5: combined | combined and back |")
    say("| " + " | ".join(f"{x:.0e}" for x in worst) + " |")
    say()


def people() -> None:
    say("## The person's own step, and another speed of the same person")
    say()
    say("Degrees rms of hip, knee, ankle over the cycle, mean of both sides, without any offset taken away; in the program's")
    say("exported motion, on a body with the person's legs and feet. Time-warping: the source's own curves stretched in time.")
    say("Feet: the path of the ankle of the stance and of the swing foot over the mean step, mm rms (asked: 5 and 9).")
    say("Two clips of six miss that one by one: their planted feet slide by 12 mm while they lie flat, which ours may not.")
    say()
    table("| from | to | hip | knee | ankle | mean | r hip | r knee | r ankle | stance, swing foot | time-warping: mean |")
    own = []
    for source, target in (*((c, c) for c in ("16_15", "16_16", "16_21", "02_01", "02_02", "05_01")), *PAIRS):
        f = compared(DATA, source, target)
        warp = "" if source == target else f"{f.warped.mean():.2f}"
        own += [f.feet] if source == target else []
        feet = f"{f.feet[0]:.1f}, {f.feet[1]:.1f} mm" if source == target else ""
        cells = [*(f"{x:.1f}" for x in f.rmse), f"{f.rmse.mean():.2f}", *(f"{x:.3f}" for x in f.r), feet, warp]
        say(f"| {source} | {target} | " + " | ".join(cells) + " |")
    f = compared(DATA, "16_15", "16_21", preset="paper")
    say("| 16_15 | 16_21, the paper's own phi | " + " | ".join([*(f"{x:.1f}" for x in f.rmse), f"{f.rmse.mean():.2f}", *(f"{x:.3f}" for x in f.r)]) + " | | |")
    say()
    say("Feet in the mean of the six clips: stance {:.1f} mm, swing {:.1f} mm.".format(*np.mean(own, axis=0)))
    say()


def norm() -> None:
    say("## Built-in walks against the norm (Schwartz et al. 2008)")
    say()
    table("| speed | joint | inside 1 SD | rmse, degrees | r |")
    for name, walk in zip(NORMAL_SPEEDS, neutral()):
        gait = Gait(speed=round(walk.speed, 6), step_length=round(walk.step_length, 6))
        stream = Stream(MeasuredWalk(), Task(path=straight(30), gait=gait, fps=100))
        motion = join([stream.stretch() for _ in range(9)])
        curves = cycle_means(motion[int(3 * walk.duration * 100) :])
        for joint, n in normal_angles(NORMAL_SPEEDS[name]).items():
            fit = compare(curves[joint], n.mean, n.sd)
            say(f"| {name} | {joint} | {fit.inside:.0%} | {fit.rmse:.1f} | {fit.r:.3f} |")
    say()


def feet() -> None:
    say("## Feet on the ground, and other bodies")
    say()
    table("| scene | slide, mm | sinking of planted soles, mm |")
    down = Way(np.array([[0.0, 0, 6], [0, 0, 0]]))
    scenes = {
        "level": Task(path=straight(8)), "curve": Task(path=parse_path("0,0 0,3 3,5 3,8")),
        "slope of 10 degrees": Task(path=straight(6), terrain=parse_terrain("slope:10")),
        "stairs up": Task(path=straight(6), terrain=parse_terrain("stairs:0.17,0.28,8")),
        "stairs down": Task(path=down, terrain=parse_terrain("stairs:0.17,0.28,8")),
        "child of 1.1 m": Task(body=Body(1.1), path=straight(5)), "giant of 3 m": Task(body=Body(3.0), path=straight(12)),
    }
    for name, task in scenes.items():
        motion = generate(MeasuredWalk(), task)
        soles = sole_tracks(motion)
        height = soles[..., 1] - task.terrain.height(soles[..., [0, 2]], soles[..., 1] + 0.02)
        say(f"| {name} | {slides(motion).max() * 1000:.2f} | {max(-height[motion.contacts].min() * 1000, 0):.2f} |")
    shares = []
    for height, speed in ((1.78, 1.3), (1.1, 0.977), (3.0, 1.714)):
        motion = generate(MeasuredWalk(), Task(body=Body(height), path=straight(8 * height), gait=Gait(speed=speed)))
        shares.append(float(np.median([s["w"] for s in motion.info["plan"]][3:-5]) / Body(height).leg_length))
    say()
    say(f"Step over leg of adult, child and giant at dynamically equal speeds: {', '.join(f'{x:.3f}' for x in shares)}.")
    say()


def plates() -> None:
    say("## Events and forces against plates")
    say()
    table("| record | events compared | worst, ms | foot | vertical rmse, BW | r |")
    for name in ("bmc_gait", "stair_descent_4plates", "opensim"):
        trial, roles = trial_of(DATA, name)
        found, off = find_events(tracks_of(trial, roles)).record(), []
        for key, times in plate_events(plate_contacts(trial)).items():
            for t in times:
                near = [abs(x - t) for x in found[key] if abs(x - t) < 0.3]
                off += [min(near)] if near else []
        for side, e in compare_plates(estimate_forces(trial, table=roles), trial).items():
            say(f"| {name} | {len(off)} | {max(off) * 1000:.0f} | {side} | {e['vertical_rmse_bw']:.3f} | {e['vertical_r']:.3f} |")
    say()


def best(run, times: int) -> float:
    out = np.inf
    for _ in range(times):
        start = time.process_time()
        run()
        out = min(out, time.process_time() - start)
    return out


def speed() -> None:
    say("## Time")
    say()
    method = MeasuredWalk()
    task = Task(path=straight(30))
    stream = Stream(method, task)
    for _ in range(4):
        stream.stretch()
    state = stream.state
    setting = method._setting(task, state.walker.time, state.walker.speed)
    figure = figure_of(task.body)
    table("| what | time |")
    for engine in ("numpy", "compiled"):
        plan, _ = plan_measured(state.walker, state.ahead, (0.0, 0.0), setting)
        to = Condition(setting.subject, setting.pace.step_length, setting.pace.step_length, setting.pace.step_time)

        def alone() -> None:
            made.cache_clear()
            made(((1.0, setting.mixed[-1][1]),), 1, to, setting.laws)
            pose_measured(np.arange(30) / 60, plan, figure, engine)

        def one() -> None:
            made.cache_clear()  # every step as if it were the first of its kind
            plan, _ = plan_measured(state.walker, state.ahead, (0.0, 0.0), setting)
            pose_measured(np.arange(30) / 60, plan, figure, engine)

        one()

        def again() -> None:
            plan, _ = plan_measured(state.walker, state.ahead, (0.0, 0.0), setting)
            pose_measured(np.arange(30) / 60, plan, figure, engine)

        say(f"| one step generalised and posed, 30 frames, {engine} | {best(alone, 300) * 1000:.2f} ms |")
        say(f"| generalised, planned over its footholds and posed, two prototypes mixed, {engine} | {best(one, 300) * 1000:.2f} ms |")
        say(f"| the same where the step is like the one before, {engine} | {best(again, 300) * 1000:.2f} ms |")
    rng = np.random.default_rng(0)
    scale = rng.uniform(0.5, 1.3, (10_000, 1))
    s = Subject(0.43 * scale, 0.42 * scale, 0.085 * scale, 0.05 * scale, 0.13 * scale, 0.06 * scale)
    step = rng.uniform(0.3, 1.1, (10_000, 1)) * s.leg
    to = Condition(s, step, step, 0.55 + 0 * step)
    say(f"| 10,000 (body, step length) pairs in one call | {best(lambda: generalised(synthetic(), to, NATURAL), 3):.2f} s |")
    say()


def main() -> None:
    say("# Numbers of the measured walk")
    say()
    say("Written by `python bench/bench_measured.py`.")
    say()
    for part in (theorems, people, norm, feet, plates, speed):
        part()
    (ROOT / "docs" / "numbers_measured.md").write_text("\n".join(LINES).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
