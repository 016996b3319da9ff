"""Files in the readers of others: how far joints, lengths and rest poses are from what was written.

usage: GAMBOL_BLENDER=/path/to/python-with-bpy python bench/bench_readers.py [--write]

Prints markdown; --write puts it in docs/numbers_readers.md. Blender's rows need bpy, three.js's node and chromium (see
`make test-browser`), the others usd-core and pybvh.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from bench_time import MET, markdown

from gambol import Body, ForceWalk, Task, generate
from gambol.io import load_motion, save
from gambol.motion import Motion

ROOT = Path(__file__).resolve().parents[1]
HEAD = ["reader", "file", "joints, mm", "rest pose, mm", "length, frames", "asked", "met"]
MOST = 1.0  # mm, and half a frame
HELP = "Largest distance of a joint from where it was written, at any frame and at rest, and the difference in length."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    motion, whole = (generate(ForceWalk(), Task(body=Body(1.75), fps=fps, duration=2.0)) for fps in (29.476, 30.0))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".bvh", ".glb", ".usdc", ".usda"):
            file = Path(folder) / f"walk{suffix}"
            save(motion, file)
            rows += [row(name, suffix, motion, seen) for name, seen in readings(file, motion, Path(folder))]
        if python := os.environ.get("GAMBOL_BLENDER"):  # its exporter keys whole frames: a whole rate
            rows.append(row("gambol, of Blender's FBX", ".fbx", whole, through_fbx(python, whole, Path(folder))))
    text = "# Files in other readers\n\nWritten by `bench/bench_readers.py --write`.\n" \
           f"A walk of {len(motion)} frames at {motion.fps:g} a second. {HELP}\n\n{markdown(HEAD, rows)}"
    if write:
        (ROOT / "docs" / "numbers_readers.md").write_text(text.rstrip() + "\n", encoding="utf-8")
    print(text)


def row(name: str, suffix: str, motion: Motion, seen: tuple) -> list[str]:
    """(names, rest (J, 3), positions (F, J, 3), seconds) of a reader against the motion."""
    names, rest, positions, seconds = seen
    ours = [j for j, n in enumerate(motion.skeleton.names) if n in names]
    theirs = [names.index(motion.skeleton.names[j]) for j in ours]
    want, found = motion.skeleton.rest_positions()[ours], np.asarray(rest)[theirs]
    if suffix == ".bvh":  # its root rests at an offset of 0
        want, found = want - want[0], found - found[0]
    off = 1e3 * np.abs(np.asarray(positions)[:, theirs] - motion.positions()[:, ours]).max()
    still, frames = 1e3 * np.abs(found - want).max(), abs(seconds - motion.duration) * motion.fps
    met = MET[bool(off <= MOST and still <= MOST and frames <= 0.5 and len(ours) == len(motion.skeleton))]
    return [name, suffix, f"{off:.4f}", f"{still:.4f}", f"{frames:.3f}", "1, 1, 0.5", met]


def readings(file: Path, motion: Motion, folder: Path):
    """(reader, what it sees) for every reader of this kind of file that is there."""
    python = os.environ.get("GAMBOL_BLENDER")
    if python:
        out = folder / "out.npz"
        run([python, ROOT / "tests/blender/read_back.py", file, motion.fps, out])
        seen = np.load(out)
        facts = json.loads(str(seen["facts"]))
        yield "Blender 5.0", (facts["names"], seen["rest"], seen["positions"], facts["duration"])
    if file.suffix == ".glb" and (ROOT / "tests/browser/node_modules/three").is_dir():
        text = run(["node", ROOT / "tests/browser/read_back.mjs", motion.fps, file])
        seen = json.loads(text)
        names = list(seen["rest"])
        frames = [[frame[n] for n in names] for frame in seen["frames"]]
        yield "three.js GLTFLoader", (names, [seen["rest"][n] for n in names], frames, seen["duration"])
    if file.suffix.startswith(".usd"):
        yield "usd-core", by_usd(file)
    if file.suffix == ".bvh":
        yield "pybvh", by_pybvh(file)


def run(words: list) -> str:
    words = [str(w) for w in words]
    return subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT / "tests/browser").stdout


def through_fbx(python: str, motion: Motion, folder: Path) -> tuple:
    """A walk written as FBX by Blender and read by gambol."""
    save(motion, folder / "whole.glb")
    words = [folder / "whole.glb", round(motion.fps), len(motion), folder / "walk.fbx"]
    run([python, ROOT / "tests/blender/write_fbx.py", *words])
    back = load_motion(folder / "walk.fbx")
    return list(back.skeleton.names), back.skeleton.rest_positions(), back.positions(), back.duration


def by_usd(file: Path) -> tuple:
    from pxr import Usd, UsdSkel

    stage = Usd.Stage.Open(str(file))
    cache, root = UsdSkel.Cache(), UsdSkel.Root.Get(stage, "/motion/figure")
    cache.Populate(root, Usd.PrimDefaultPredicate)
    prim = UsdSkel.Skeleton.Get(stage, "/motion/figure/skeleton")
    query = cache.GetSkelQuery(prim)
    first, last = stage.GetStartTimeCode(), stage.GetEndTimeCode()
    places = [query.ComputeJointSkelTransforms(first + k) for k in range(round(last - first) + 1)]
    rest = np.array(query.ComputeJointSkelTransforms(first, True)).reshape(-1, 4, 4)[:, 3, :3]
    positions = np.array([np.array(p).reshape(-1, 4, 4)[:, 3, :3] for p in places])
    return list(prim.GetJointNamesAttr().Get()), rest, positions, (last - first) / stage.GetTimeCodesPerSecond()


def by_pybvh(file: Path) -> tuple:
    from pybvh import read_bvh_file

    bvh = read_bvh_file(str(file))
    places, rest = bvh.node_positions() / 100, bvh.rest_pose_positions() / 100
    return [node.name for node in bvh.nodes], rest, places, (len(places) - 1) * bvh.frame_time


if __name__ == "__main__":
    main()
