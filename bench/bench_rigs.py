"""What walks and captured clips reach on rigs: measured on the file that was written.

usage: python bench/bench_rigs.py [-o FILE]     prints markdown and writes docs/numbers_rigs.md, or FILE

GAMBOL_DATA names the folder of reference data (default ../shared/data); without it nothing is written.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from gambol.clips import CLIPS as SET
from gambol.dressing import dressed
from gambol.forms import read_ground
from gambol.io import attach, load_character, load_motion
from gambol.measure import measure
from gambol.methods.force_walk import ForceWalk
from gambol.path import parse_path
from gambol.retarget import Rigged, retarget
from gambol.rig_body import body_of
from gambol.roles import roles_of
from gambol.synthesis import Task, generate
from gambol.terrain import Flat, Stairs, Terrain

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("GAMBOL_DATA", ROOT.parent / "shared" / "data"))
CASES = ROOT / "tests" / "cases"
THEIRS = ("robot_expressive.glb", "cryptovoxels.vrm", "cesium_man.gltf")
OURS = ("U001_short_legs.glb", "U002_apose.glb", "U003_armature_001.glb", "U065_matrix_nodes.glb",
        "U070_underscore_prefix.glb", "U025_vrm0_faces_minus_z.vrm")  # fmt: skip
CLIPS = ("16_15", "16_36", "14_21")
HEAD = """# Numbers of rigs

Written by `bench/bench_rigs.py`. Every row: the motion is made for (or put onto) the rig, added to a copy of the rig's
own file, read back from that file and measured there, at frames and half-way between. Asked: slide at most 1 mm, gap
(floating or sinking of a planted point) at most 3 mm.
`tests/test_rig_walk.py` and `tests/test_retarget.py` ask the same.
"""


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table in markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def stairs_for(body) -> Stairs:  # type: ignore[no-untyped-def]
    """Risers as high for the leg as a house's for a person's, treads that hold the foot."""
    unit = body.leg_length / 0.93
    return Stairs(0.16 * unit, max(0.29 * unit, 1.1 * body.foot_length), 4, start=1.5 * body.leg_length)


def row(name: str, what: str, file: Path, clip: str, ground: Terrain) -> tuple[str, ...]:
    """What a written clip measures."""
    motion = load_motion(file, clip)
    feet = measure(motion, ground).feet
    on = float(np.mean(motion.contacts.any(1))) if motion.contacts is not None else 0.0
    numbers = [feet.slide_mm, feet.sinking_mm, feet.floating_mm, feet.swing_sinking_mm]
    return (name, what, *(f"{x or 0.0:.2f}" for x in numbers), f"{100 * on:.0f}")


def walks(folder: Path) -> list[tuple[str, ...]]:
    """Every rig on flat ground and stairs."""
    out = []
    for file in [*(DATA / "characters" / n for n in THEIRS), *(CASES / n for n in OURS)]:
        rig = load_character(file)
        body = body_of(rig.skeleton, rig.roles)
        for name in ("flat", "stairs"):
            ground: Terrain = stairs_for(body) if name == "stairs" else Flat()
            far = 6 * body.leg_length
            if isinstance(ground, Stairs):
                far = ground.start + 4 * ground.tread + 2 * body.leg_length
            path = parse_path(f"0,0 0,{far}")
            made = generate(ForceWalk(), Task(body=body, path=path, terrain=ground, fps=60.0))
            target = folder / "a.glb"
            clip = attach(rig, [dressed(made, rig, ground)], target).names[0]
            out.append(row(file.name, name, target, clip, ground))
            print(out[-1], file=sys.stderr)
    return out


def sets(folder: Path) -> list[tuple[str, ...]]:
    """The ten clips of a set (`gambol walk --set`) on every rig: the worst of them."""
    out = []
    for file in [*(DATA / "characters" / n for n in THEIRS), *(CASES / n for n in OURS)]:
        target = folder / f"set{'.glb' if file.suffix == '.gltf' else file.suffix}"
        words = [sys.executable, "-m", "gambol", "walk", "--set", "--character", str(file), "-o", str(target)]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        rows = []
        for name in SET:
            motion = load_motion(target, name)
            rows.append(row(file.name, name, target, name, read_ground(motion.info.get("ground", "flat"))))
        worst = [max(rows, key=lambda r: float(r[k])) for k in range(2, 6)]
        each = (f"{r[k]} ({r[1]})" for k, r in enumerate(worst, 2))
        out.append((file.name, f"{len(rows)} clips", *each, min((r[-1] for r in rows), key=float)))
        print(out[-1], file=sys.stderr)
    return out


def clips(folder: Path) -> list[tuple[str, ...]]:
    """Captured clips on the characters of others."""
    out = []
    for clip in CLIPS:
        source = load_motion(DATA / f"mocap/cmu/{clip}.amc")
        for name in THEIRS:
            rig = load_character(DATA / "characters" / name)
            motion = retarget(source, roles_of(source.skeleton), Rigged(rig.skeleton, rig.roles))
            made = attach(rig, [motion], folder / "a.glb").names[0]
            out.append(row(name, f"CMU {clip}", folder / "a.glb", made, Flat()))
            print(out[-1], file=sys.stderr)
    return out


def mapped() -> list[tuple[str, ...]]:
    """Which joints were found with no hand work."""
    out = []
    names = (*THEIRS, "fox.glb", "rigged_simple.gltf")
    for file in [*(DATA / "characters" / n for n in names), *(CASES / n for n in OURS)]:
        found = load_character(file).roles
        sure = min(found.sure.values(), default=0.0)
        said = f"{100 * sure:.0f} %" if found.kind == "human" else found.reason
        out.append((file.name, found.kind, str(len(found.joints)), said))
    return out


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", type=Path, default=ROOT / "docs" / "numbers_rigs.md")
    target = parser.parse_args().o
    if not DATA.is_dir():
        sys.exit("no reference data; set GAMBOL_DATA to its folder")
    head = ("rig", "what", "slide mm", "sinking mm", "floating mm", "swing below mm", "frames with contact %")
    with tempfile.TemporaryDirectory() as folder:
        parts = [
            HEAD, "## Walks made for the rig\n", table(head, walks(Path(folder))),
            "\n## The set of a game, the worst of its clips\n", table(head, sets(Path(folder))),
            "\nAt 60 frames a second. At 30 it is the straight line between two keys that slides: up to 1.95 mm where",
            "the robot's long foot leaves from a stand (start, turns); the third character sinks 3.25 mm on stairs.",
            "\n## Captured clips put onto the rig\n", table(head, clips(Path(folder))),
            "\nRaw captured stances slide 7 to 16 mm.\n\n## Joints found with no hand work\n",
            table(("rig", "kind", "roles", "least sure, or why not"), mapped()), "",
        ]  # fmt: skip
    text = "\n".join(parts)
    print(text)
    target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
