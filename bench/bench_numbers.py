"""What the walk reaches: every number is measured on the file that was written, none is taken from the plan.

usage: python bench/bench_numbers.py [-o FILE]     prints markdown and writes docs/numbers.md, or FILE

GAMBOL_DATA names the folder of reference data (default ../shared/data); without it nothing is written.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import normative  # noqa: E402
import number_rules as rules  # noqa: E402
import scenes_measured as scenes  # noqa: E402
from number_rules import ANGLES, PAPER_PEAKS  # noqa: E402
from scenes_measured import NAMES, RATES, SPEEDS, STAIRS, STEADY, TILTED  # noqa: E402

from gambol.measure import compare, halving  # noqa: E402

DATA = Path(os.environ.get("GAMBOL_DATA", ROOT.parent / "shared" / "data"))
HEAD = """# Numbers

Written by `bench/bench_numbers.py`. Each walk is generated, saved, read back from its file and measured there, with
the code of `gambol measure` and the rules in `tests/number_rules.py`. What the plan says is used only where a number
is held against it. Body 1.75 m, 70 kg, preset `natural`, 1.2 m/s, 60 frames a second and engine `numpy` unless said.
`tests/test_numbers.py` asks the same of every change.
"""
SCENE_HEAD = (
    "scene", "slide mm", "planted: below / above mm", "swing below mm", "speed m/s", "steps/min", "off the path cm",
    "stance / plan", "least knee deg",
)  # fmt: skip


class Row(NamedTuple):
    """One line of the summary; ``met`` is None where nothing is asked."""

    what: str
    asked: str
    measured: str
    met: bool | None = None


def worst(values: dict[str, float]) -> tuple[float, str]:
    """The largest value and whose it is."""
    name = max(values, key=lambda n: values[n])
    return values[name], name


def row(what: str, values: dict[str, float], limit: float, unit: str, digits: int = 2) -> Row:
    """The largest of several values against a limit."""
    value, name = worst(values)
    said = f"{value:.{digits}f} {unit}".strip() + (f" ({name})" if value > 0 else "")
    return Row(what, f"at most {limit:g} {unit}".strip(), said, value <= limit)


def feet() -> list[Row]:
    seen = {n: scenes.scene(n).report.feet for n in NAMES}
    glb = {n: scenes.scene(n, suffix=".glb").report.feet.slide_mm for n in NAMES}
    return [
        row("slide of planted sole points, .npz", {n: f.slide_mm for n, f in seen.items()}, 1, "mm"),
        row("the same read from the .glb", glb, 1, "mm"),
        row("slide on contacts found without the record", {n: f.slide_found_mm for n, f in seen.items()}, 1, "mm"),
        row("frames without a contact", {n: 100 * f.no_contact_share for n, f in seen.items()}, 0, "%", 1),
        row("sole points slow and low, not marked (count)", {n: f.unmarked for n, f in seen.items()}, 0, "", 0),
        row(
            "planted sole point above or below the ground",
            {n: max(f.sinking_mm, f.floating_mm) for n, f in seen.items()},
            3,
            "mm",
        ),
        row("any sole point below the ground in swing", {n: f.swing_sinking_mm for n, f in seen.items()}, 2, "mm"),
        row(
            "sole against the ground in flat stance, slopes",
            {n: rules.flat_foot_tilt(*scenes.scene(n)[:2]) for n in TILTED},
            3,
            "degrees",
        ),
    ]


def shares() -> list[Row]:
    walks = {label: scenes.level(v).report.walk for label, v in SPEEDS.items()}
    off = {n: 100 * abs(w.stance_share - w.planned_stance_share) for n, w in walks.items()}
    quick = {n: v for n, v in off.items() if normative.CLASSES[n] >= 0.39}
    slow = {n: v for n, v in off.items() if n not in quick}
    return [
        row("stance share against the plan, v/sqrt(g leg) from 0.39", quick, 2, "% of the stride", 1),
        row("the same below 0.39", slow, 5, "% of the stride", 1),
    ]


def speeds() -> list[Row]:
    off = {}
    for name in STEADY:
        motion, _, _, report = scenes.scene(name)
        along = report.walk.path_speed_m_s if name.startswith("curve") else rules.ground_speed(motion)
        off[name] = 100 * abs(along / motion.info["speed_m_s"] - 1)
    for label, v in SPEEDS.items():
        off[label] = 100 * abs(rules.ground_speed(scenes.level(v).motion) / v - 1)
    steps = {}
    for name in STAIRS:
        motion = scenes.scene(name).motion
        steps[name] = 100 * abs(rules.tread_cadence(motion) / motion.info["cadence_steps_min"] - 1)
    track = {n: scenes.scene(n).report.path_error_mm / 10 for n in NAMES}
    return [
        row("speed: advance of the mass centre over whole strides (level, slope, curve)", off, 2, "%", 1),
        row("cadence on stairs", steps, 2, "%", 1),
        row("pelvis against the rounded path", track, 8, "cm", 1),
    ]


def halvings() -> dict[str, tuple[float, float]]:
    """Scene or speed -> worst ratio of pelvis and of joints: 1 where a change halves exactly."""
    out = {}
    for name in NAMES:
        found = halving([scenes.scene(name, fps).motion for fps in RATES])
        out[name] = max(found.pelvis_ratios), max(found.joints_ratios)
    for label, v in SPEEDS.items():
        found = halving([scenes.level(v, fps).motion for fps in RATES])
        out[label] = max(found.pelvis_ratios), max(found.joints_ratios)
    return out


def smooth() -> list[Row]:
    ratios = {n: max(r) for n, r in halvings().items()}
    fast = {n: r for n, r in ratios.items() if SPEEDS.get(n, 0) > 1.7}
    borders = {n: rules.border_ratios(scenes.scene(n, 120.0).motion) for n in NAMES}
    borders |= {n: rules.border_ratios(scenes.level(v, 120.0).motion) for n, v in SPEEDS.items()}
    return [
        row(
            "largest change of velocity, twice the rate over half of it (120, 240, 480 fps)",
            {n: r for n, r in ratios.items() if n not in fast},
            1.2,
            "",
        ),
        row("the same above 1.7 m/s", fast, 1.35, ""),
        row("at step borders over the 99th percentile inside, pelvis", {n: b[0] for n, b in borders.items()}, 1, ""),
        row("the same, joints", {n: b[1] for n, b in borders.items()}, 1, ""),
    ]


def joints(data: Path) -> tuple[list[Row], list[list[str]]]:
    fits: dict[str, dict[str, tuple[float, float, float]]] = {joint: {} for joint in ANGLES}
    for label, v in SPEEDS.items():
        curves = rules.angle_curves(scenes.level(v).motion)
        for joint, (mean, sd) in normative.angles(data, label).items():
            fits[joint][label] = compare(curves[joint], mean, sd, free_offset=joint != "knee")[:3]
    out = []
    for joint, (least, most) in ANGLES.items():
        r, low = min((f[0], label) for label, f in fits[joint].items())
        rmse, high = max((f[1], label) for label, f in fits[joint].items())
        said = f"r {r:.3f} ({low}), {rmse:.1f} degrees ({high})"
        out.append(
            Row(f"{joint} angle at five speeds", f"r {least}, {most} degrees RMSE", said, r >= least and rmse <= most)
        )
    table = [
        [label, f"{v:.2f}", *(f"{r:.3f} / {e:.1f} / {o:+.1f}" for r, e, o in (fits[j][label] for j in ANGLES))]
        for label, v in SPEEDS.items()
    ]
    return out, table


def forces(data: Path) -> tuple[list[Row], list[list[str]]]:
    printed = rules.force_marks(scenes.paper().motion)
    off = {w: abs(a - b) for w, a, b in zip(("first peak", "valley", "second peak"), printed, PAPER_PEAKS)}
    marks, rises, means, table = {}, {}, {}, []
    for label, v in SPEEDS.items():
        motion, _, _, report = scenes.level(v)
        measured, _sd = normative.vertical_force(data, label)
        got, want = rules.force_marks(motion), rules.peaks(measured)
        rise = rules.integrated_rise(measured, 120.0 / motion.info["cadence_steps_min"])
        marks[label] = max(abs(a - b) for a, b in zip(got, want))
        rises[label] = abs(report.walk.com_rise_mm - rise)
        means[label] = 100 * abs(report.forces.mean_vertical_bw - 1)
        said = (f"{a:.2f} / {b:.2f}" for a, b in zip(got, want))
        table.append([label, f"{v:.2f}", *said, f"{report.walk.com_rise_mm:.0f} / {rise:.0f}"])
    return [
        row("vertical force, preset `paper`, against the printed coefficients", off, 0.05, "BW"),
        row("vertical force at five speeds: both peaks and valley", marks, 0.08, "BW"),
        row("mean vertical force over strides against the weight", means, 1, "%"),
        row("rise of the mass centre against the integrated force data", rises, 8, "mm", 1),
    ], table


def dynamics() -> list[Row]:
    seen = {n: scenes.scene(n, 120.0).report.forces for n in NAMES}
    seen |= {label: scenes.level(v, 120.0).report.forces for label, v in SPEEDS.items()}
    legs = {n: abs(100 * (s / scenes.adult_step() - 1)) for n, s in scenes.steps_over_leg().items()}
    return [
        row("mass centre of the posed body against the plan", {n: f.com_error_mm for n, f in seen.items()}, 1, "mm"),
        row(
            "M (C'' + g) against the forces, 120 fps, 20 Hz: RMS",
            {n: f.consistency_rms_bw for n, f in seen.items()},
            0.02,
            "BW",
            3,
        ),
        row("the same, largest", {n: f.consistency_max_bw for n, f in seen.items()}, 0.08, "BW", 3),
        row("step over leg at dynamically equal speeds: 1.1 and 3 m tall against 1.78 m", legs, 5, "%", 1),
    ]


def scene_table() -> list[list[str]]:
    out = []
    for name in NAMES:
        motion, _, _, report = scenes.scene(name)
        f, w = report.feet, report.walk
        cadence = rules.tread_cadence(motion) if name in STAIRS else w.cadence_steps_min
        out.append(
            [
                name,
                f"{f.slide_mm:.2f}",
                f"{f.sinking_mm:.1f} / {f.floating_mm:.1f}",
                f"{f.swing_sinking_mm:.1f}",
                f"{w.path_speed_m_s:.2f}",
                f"{cadence:.0f}",
                f"{report.path_error_mm / 10:.1f}",
                f"{w.stance_share:.1%} / {w.planned_stance_share:.1%}",
                f"{report.joints.knee_least_deg:.0f}",
            ]
        )
    return out


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def page() -> str:
    data = DATA / "gait" / "schwartz2008"
    rows = [*feet(), *shares(), *speeds(), *smooth(), *dynamics()]
    tables = [
        (
            "By scene",
            (
                "scene",
                "slide mm",
                "planted: below / above mm",
                "swing below mm",
                "speed m/s",
                "steps/min",
                "off the path cm",
                "stance / plan",
                "least knee",
            ),
            scene_table(),
        )
    ]
    if data.is_dir():
        found, curves = joints(DATA)
        rows += found
        tables.append(("Joint angles: r / RMSE / offset, degrees", ("class", "m/s", *ANGLES), curves))
        found, table = forces(DATA)
        rows += found
        head = ("class", "m/s", "first peak BW", "valley BW", "second peak BW", "rise mm")
        tables.append(("Vertical force and rise: here / measured", head, table))
    said = {True: "yes", False: "**no**", None: ""}
    parts = [HEAD, markdown(("what", "asked", "measured, worst", "met"), ([*r[:3], said[r.met]] for r in rows))]
    for title, head, table in tables:
        parts += [f"## {title}\n", markdown(head, table)]
    return "\n".join([*parts, NOTES])


NOTES = """## How they are taken

- *Slide*: farthest distance along the ground of a planted sole point from its place at the first frame of that
  contact, at frames and half-way between them as a player shows it (linear, slerp). Planted: in the clip's record.
- *Not marked*: within 5 mm of the ground and slower than 5 cm/s, and not in the record.
- *Speed*: on straight ground the advance along the ground, so on a slope along the slope; on the curve along the
  path. In the table by scene it is seen from above, starts and stops left out: steep slopes are walked with shorter
  steps. On stairs the cadence is held and speed follows from the treads; cadence is that between treads.
- *Off the path*: the pelvis sways by design.
- *Halving*: the largest change between neighbouring frames of pelvis velocity, or of any joint's angular velocity,
  times two after each doubling of the rate. 1 is exact halving, 1.2 is 20 % more.
- *Step borders*: within a frame of the planned heel strikes, 2 s at start and stop left out, 120 fps.
- *Joint angles* and *forces*: Schwartz, Rozumalski and Trost (2008), five speed classes matched by v/sqrt(g leg).
  First rotation of the joint coordinate system, strike to strike, left and right averaged. Constant offsets of hip
  and ankle are taken away and shown (markers place their zero differently); that of the knee is not taken away.
- *Rise*: vertical range of the mass centre within a stride; the data's by integrating their vertical force twice.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs" / "numbers.md")
    target = parser.parse_args().output
    text = page()
    print(text)
    if DATA.is_dir():
        target.write_text(text, encoding="utf-8")
    else:
        print(f"no reference data in {DATA}: joint angles and forces are missing, {target.name} is not written")


if __name__ == "__main__":
    main()
