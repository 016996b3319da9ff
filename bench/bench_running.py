# ruff: noqa: E501
"""The numbers of running, measured on finished clips; prints markdown.

usage: python bench/bench_running.py [--write]     --write puts it in docs/numbers_running.md
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import gaits  # noqa: E402
import runs  # noqa: E402
from number_rules import border_ratios  # noqa: E402

from gambol.body import Body, G  # noqa: E402
from gambol.errors import MissingExtra  # noqa: E402
from gambol.gait import Gait  # noqa: E402
from gambol.measure import halving, measure  # noqa: E402
from gambol.methods.running import Running  # noqa: E402
from gambol.motion import Motion  # noqa: E402
from gambol.path import Path as RunPath  # noqa: E402
from gambol.run_form import parse_speed  # noqa: E402
from gambol.run_laws import Asked, couple, largest_speed  # noqa: E402
from gambol.synthesis import Stream, Task, generate  # noqa: E402
from gambol.terrain import parse_terrain  # noqa: E402

SPEEDS = (2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
HEAD = """# Numbers of running

Measured on finished clips by `python bench/bench_running.py --write`; the tests (`tests/test_running.py`) hold them.
Level ground, a body of 1.80 m (joint angles: 1.75 m), 240 frames a second unless said.
"""


def steady(length: float) -> RunPath:
    return RunPath(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, length]]))


def by_speed() -> list[str]:
    lines = [
        "## At every speed", "",
        "COM: farthest from a parabola with g in flight (asked: 0.5 mm). Speed of the COM over whole steps (2 %). Force: mean of "
        "the vertical over whole steps, its peak on one foot (weights). Feet: as walking (slide 1 mm, sinking 3 mm, swing 2 mm).", "",
        "| m/s | COM mm | speed | mean | peak | slide mm | sinking mm | swing in the ground mm |", "|---|---|---|---|---|---|---|---|",
    ]
    for v in SPEEDS:
        m = runs.run(v, 1.8)
        steps = runs.steady_times(m, v)
        a, b = steps[0][0], steps[-1 - (len(steps) + 1) % 2][2]
        t = np.linspace(a, b, 4000)
        y = np.interp(t, m.times, m.forces[..., 1].sum(1)) / (m.mass * G)
        f = measure(m).feet
        lines.append(
            f"| {v:g} | {1e3 * runs.parabola_error(m, v):.4f} | {100 * runs.speed_of(m, v) / v - 100:+.2f} % | {y.mean():.4f} "
            f"| {y.max():.2f} | {f.slide_mm:.2f} | {f.sinking_mm:.2f} | {f.swing_sinking_mm:.2f} |"
        )
    most = largest_speed(Asked(), Body(1.8))
    return [*lines, "", f"Largest speed of a body of 1.80 m: {most:.2f} m/s (contact 0.08 s); with the paper's laws "
            f"{largest_speed(Asked(laws='paper'), Body(1.8)):.2f} m/s.", ""]


def by_rate() -> list[str]:
    lines = [
        "## Between the frames", "",
        "A player shows a motion half-way between frames too, where limbs that turn fast leave the ground a little. The slide and "
        "sinking of planted soles there shrink with the square of the frame time: take 120 frames a second or more from 5 m/s on "
        "(`gambol run` does).", "", "| m/s | 60 | 120 | 240 frames a second: slide, sinking mm |", "|---|---|---|---|",
    ]
    for v in (3.0, 8.5):
        cells = []
        for fps in (60.0, 120.0, 240.0):
            f = measure(runs.run(v, 1.75, fps)).feet
            cells.append(f"{f.slide_mm:.2f}, {f.sinking_mm:.2f}")
        lines.append(f"| {v:g} | {' | '.join(cells)} |")
    clips = [generate(Running(), Task(path=steady(6.0), gait=Gait(speed=3.0), fps=f)) for f in (120.0, 240.0, 480.0)]
    h = halving(clips)
    ratios = [", ".join(f"{r:.2f}" for r in x) for x in (h.pelvis_ratios, h.joints_ratios)]
    return [*lines, "", f"Largest change of velocity from frame to frame at 120, 240, 480 frames a second, times the rate, against the "
            f"rate before (1: halves exactly): pelvis {ratios[0]}; joints {ratios[1]}.", ""]


def laws() -> list[str]:
    lines = [
        "## Laws against measured runners", "",
        "| runners | m/s | step length | contact ms | flight ms |", "|---|---|---|---|---|",
    ]
    for name, (v, length, contact, flight) in runs.RUNNERS.items():
        p = couple(Asked(speed=v), Body())
        times = ("-", "-") if contact is None else (f"{1e3 * (p.contact - contact):+.0f}", f"{1e3 * (p.flight - flight):+.0f}")
        lines.append(f"| {name} | {v:g} | {100 * (p.step_length / length - 1):+.1f} % | {times[0]} | {times[1]} |")
    pooled = ", ".join(f"{v:g}: {100 * (couple(Asked(speed=v), Body()).step_length / s - 1):+.1f} %" for v, s in runs.POOLED.items())
    return [*lines, "", f"Step length against the pooled table (asked: 8 %): {pooled}. People at a full sprint step shorter and faster "
            "than at the same speed held.", ""]


def angle_rows(clip: Callable[[str, float], Motion]) -> list[str]:
    """Rows of r and RMSE of every runner's joints against those of a clip, given a name and a speed."""
    rows = []
    for name, (v, curves) in runs.ANGLES.items():
        mine = runs.stride_angles(clip(name, v), v)
        cells = ["{:.3f}, {:.1f}".format(*runs.fit(mine[j], curves[j])) if j in curves else "-" for j in ("thigh", "knee", "ankle")]
        rows.append(f"| {name} | {v:g} | {' | '.join(cells)} |")
    return rows


def angles() -> list[str]:
    lines = [
        "## Joint angles", "", "Each runner at the own speed, default laws, constant offset removed: r, RMSE in degrees "
        "(asked: thigh and knee 0.95, ankle 0.85, 8.5 degrees).", "", "| runner | m/s | thigh | knee | ankle |", "|---|---|---|---|---|",
    ]
    lines += angle_rows(lambda name, v: runs.run(v))
    lines += ["", "Given the own step length and, where it was measured, flight (0.97, ankle 0.85; 8, 8, 6 degrees):", "", *lines[4:6]]
    lines += angle_rows(lambda name, v: runs.run_as(name))
    return [*lines, "", "The knee of 02_03 falls short: that runner's knee is 13 degrees more bent on the mean than that of the BMC "
            "run at nearly the same speed; no one default is near both.", ""]


def rings() -> list[str]:
    lines = [
        "## In bends", "", "One lap round a circle, 120 frames a second: slide, deepest swing foot in the ground, mm (1, 2).", "",
        "| radius m, drawn with chords | m/s | slide | swing |", "|---|---|---|---|",
    ]
    for radius, chords, v in ((1, 20, 2.0), (2, 20, 3.0), (5, 20, 4.0), (10, 20, 4.0), (10, 20, 6.0), (20, 120, 6.0), (20, 120, 8.0), (40, 120, 8.0)):
        f = measure(generate(Running(), Task(path=runs.ring(radius, chords), gait=Gait(speed=v), fps=120))).feet
        lines.append(f"| {radius}, {chords} | {v:g} | {f.slide_mm:.2f} | {f.swing_sinking_mm:.1f} |")
    return [*lines, ""]


def papers() -> list[str]:
    lines = [
        "## The paper's path", "",
        "Preset `paper`, 1.80 m: COM in flight against a parabola; in support against the paper's cubics through landing, mid-support and toe-off "
        "(section 3.4), which ask for jumps of the force that C here is spared.", "", "| m/s | flight mm | support mm |", "|---|---|---|",
    ]
    for v in (2.5, 4.0, 6.0):
        m = runs.run(v, 1.8, laws="paper")
        lines.append(f"| {v:g} | {1e3 * runs.parabola_error(m, v):.4f} | {1e3 * runs.off_the_papers_spline(m, v):.1f} |")
    return [*lines, ""]


def edges() -> list[str]:
    lines = [
        "## Over edges", "",
        "A run takes single steps in its stride: the feet before it come down so that the step is met, and are lifted over it. Deepest swing "
        "foot in the ground, mm (asked: 2), and slide where it is more than 1 mm.", "",
        "| step m, tread m, how many | 2 | 3 | 4.5 m/s |", "|---|---|---|---|",
    ]
    for ground in ("0.1,1.5,4", "-0.1,1.5,4", "0.2,2,3", "-0.2,2,3", "0.25,3,2", "-0.25,3,2", "0.35,3,1", "-0.35,3,1"):
        terrain, cells = parse_terrain(f"stairs:{ground}"), []
        for v in (2.0, 3.0, 4.5):
            f = measure(generate(Running(), Task(path=steady(14.0), terrain=terrain, gait=Gait(speed=v), fps=120)), terrain).feet
            cells.append(f"{f.swing_sinking_mm:.1f}" + (f", slides {f.slide_mm:.1f}" if f.slide_mm > 1 else ""))
        lines.append(f"| {ground} | {' | '.join(cells)} |")
    return [*lines, ""]


def changes() -> list[str]:
    lines = [
        "## Changes of gait", "",
        "Lists of speeds (s:m/s; for other heights both times the root of the height over 1.75 m), level, 120 frames a second. Speed: of the "
        "COM over every stride, the one farthest from what was asked (5 % or 0.05 m/s). Feet as walking; border: largest velocity changes at "
        "steps over the 99th percentile inside (1), pelvis and joints. Halving: 120 to 240 and 240 to 480 frames a second (1.35, as for "
        "walks above 1.7 m/s).", "",
        "| list | m | strides | farthest: m/s, asked | slide, sinking, swing mm | border | halving: pelvis; joints |", "|---|---|---|---|---|---|---|",
    ]
    for text in gaits.LISTS:
        for height in (1.2, 1.75, 1.95):
            m = gaits.changing(text, height)
            size = float(np.sqrt(height / 1.75))
            strides = runs.stride_speeds(m, [(t * size, v * size) for t, v in parse_speed(text)])
            v, asked = max(strides, key=lambda r: abs(r[0] - r[1]) / max(0.05 * r[1], 0.05))
            f, (pelvis, joints) = measure(m).feet, border_ratios(m)
            row = f"| {text} | {height:g} | {len(strides)} | {v:.2f}, {asked:.2f} ({100 * (v / asked - 1):+.0f} %) | {f.slide_mm:.2f}, "
            row += f"{f.sinking_mm:.2f}, {f.swing_sinking_mm:.2f} | {pelvis:.2f}, {joints:.2f} | "
            if height == 1.75:
                h = halving([gaits.changing(text, fps=r) for r in (120.0, 240.0, 480.0)])
                row += "; ".join(", ".join(f"{r:.2f}" for r in x) for x in (h.pelvis_ratios, h.joints_ratios))
            lines.append(row + " |")
    return [*lines, ""]


def timings() -> list[str]:
    lines = ["## Time of one step", "", "Process time, best of five, 60 frames a second, a steady step at 3 m/s.", ""]
    for engine, asked in (("compiled", 0.5), ("numpy", 10.0)):
        try:
            best = np.inf
            for _ in range(5):
                stream = Stream(Running(engine=engine), Task(path=steady(40.0), gait=Gait(speed=3.0)))
                for _ in range(6):
                    stream.stretch()
                start = time.process_time()
                for _ in range(10):
                    stream.stretch()
                best = min(best, (time.process_time() - start) / 10)
            lines.append(f"- {engine}: {1e3 * best:.2f} ms (asked: {asked:g})")
        except MissingExtra:
            lines.append(f"- {engine}: not installed")
    return [*lines, ""]


def main() -> None:
    text = "\n".join([HEAD, *by_speed(), *by_rate(), *laws(), *angles(), *rings(), *papers(), *edges(), *changes(), *timings()])
    print(text)
    if "--write" in sys.argv[1:]:
        (ROOT / "docs" / "numbers_running.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
