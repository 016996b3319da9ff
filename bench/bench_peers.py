"""Reading BVH and forward kinematics beside other libraries, in one run; what is not installed is skipped.

usage: python bench/bench_peers.py     (pip install pybvh bvhio upc-pymotion for all of them)
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from bench_time import JOINTS, figure, load, machine, markdown, timed, turns

import gambol
from gambol import quat
from gambol.errors import MissingExtra
from gambol.io import save
from gambol.motion import Motion
from gambol.skeleton import forward_kinematics, joint_positions

FRAMES = 2752


class Clip(NamedTuple):
    """One clip in memory and as a file."""

    motion: Motion
    file: Path


class Peer(NamedTuple):
    """A library: how it is called, its distribution, how it reads a file, and how it poses (F, J, 4)."""

    name: str
    distribution: str
    read: Callable[[Clip], Callable[[], object]] | None
    pose: Callable[[Clip], Callable[[], object]] | None


def gambol_read(clip: Clip) -> Callable[[], object]:
    return lambda: gambol.load(clip.file)


def gambol_pose(engine: str) -> Callable[[Clip], Callable[[], object]]:
    def prepare(clip: Clip) -> Callable[[], object]:
        m = clip.motion
        return lambda: joint_positions(m.skeleton, m.root, m.rotations, engine)

    return prepare


def pybvh_read(clip: Clip) -> Callable[[], object]:
    import pybvh

    return lambda: pybvh.read_bvh_file(clip.file)


def pybvh_pose(clip: Clip) -> Callable[[], object]:
    import pybvh

    read = pybvh.read_bvh_file(clip.file)  # its own joint_positions() remembers the answer: the function is called
    joints = [k for k, node in enumerate(read.nodes) if not node.is_end_site()]
    angles, root, topology = read.joint_angles, read.root_pos, read.fk_topology
    return lambda: pybvh.frames_to_node_positions(topology, root, angles)[:, joints]


def bvhio_read(clip: Clip) -> Callable[[], object]:
    import bvhio

    return lambda: bvhio.readAsHierarchy(str(clip.file))


def pymotion_read(clip: Clip) -> Callable[[], object]:
    from pymotion.io.bvh import BVH

    return lambda: BVH().load(str(clip.file))


def pymotion_pose(clip: Clip) -> Callable[[], object]:
    from pymotion.ops.skeleton import fk

    m = clip.motion
    parents = np.maximum(m.skeleton.parents, 0)
    offsets = m.skeleton.offsets
    return lambda: fk(m.rotations, m.root, offsets, parents)


def matrices_pose(clip: Clip) -> Callable[[], object]:
    """What one writes by hand: a loop over joints, 3 x 3 matrices of all frames."""
    m = clip.motion

    def work() -> np.ndarray:
        local = np.stack([quat.rotate(m.rotations, axis) for axis in np.eye(3)], -1)
        world, place = np.empty_like(local), np.empty((len(m), len(m.skeleton), 3))
        world[:, 0], place[:, 0] = local[:, 0], m.root
        for j in range(1, len(m.skeleton)):
            k = m.skeleton.parents[j]
            world[:, j] = world[:, k] @ local[:, j]
            place[:, j] = place[:, k] + world[:, k] @ m.skeleton.offsets[j]
        return place

    return work


PEERS = (
    Peer("gambol, numpy", "gambol", gambol_read, gambol_pose("numpy")),
    Peer("gambol, compiled", "gambol", None, gambol_pose("compiled")),
    Peer("matrices by hand, numpy", "numpy", None, matrices_pose),
    Peer("pybvh", "pybvh", pybvh_read, pybvh_pose),
    Peer("bvhio", "bvhio", bvhio_read, None),
    Peer("pymotion", "upc-pymotion", pymotion_read, pymotion_pose),
)


def make_clip(folder: Path) -> Clip:
    root, rotations = turns(FRAMES)
    clip = Clip(Motion(figure(), root, rotations, 60.0, name="bench"), folder / "bench.bvh")
    save(clip.motion, clip.file)
    return clip


def row(peer: Peer, clip: Clip) -> list[str]:
    try:
        number = gambol.__version__ if peer.distribution == "gambol" else version(peer.distribution)
        cells = [peer.name, number]
        if peer.read is None:
            cells.append("")
        else:
            cells.append(f"{1e3 * timed(peer.read(clip)).median:.0f} ms")
        if peer.pose is None:
            cells.append("")
        else:
            pose = peer.pose(clip)
            _agrees(peer, pose(), clip)
            cells.append(f"{FRAMES / timed(pose).median:,.0f}")
        return cells
    except (PackageNotFoundError, ImportError, MissingExtra):
        return [peer.name, "not installed", "", ""]


def _agrees(peer: Peer, out: object, clip: Clip) -> None:
    """All must compute the same thing, or the comparison is none (files hold six decimals)."""
    m = clip.motion
    want = forward_kinematics(m.skeleton, m.root, m.rotations)[0]
    got = np.asarray(out[0] if isinstance(out, tuple) else out)
    scale = 100.0 if np.abs(got).max() > 20 * np.abs(want).max() else 1.0  # files may be in centimetres
    if got.shape != want.shape or np.abs(got / scale - want).max() > 1e-3:
        raise SystemExit(f"{peer.name} gives something else: {got.shape}")


def page() -> str:
    before = load()
    with tempfile.TemporaryDirectory() as folder:
        clip = make_clip(Path(folder))
        size = clip.file.stat().st_size / 1e6
        rows = [row(peer, clip) for peer in PEERS]
    head = ("library", "version", f"reading {size:.1f} MB of BVH", "forward kinematics, frames/s")
    text = f"{FRAMES} frames, {JOINTS} joints, warm, median of 5.\n\n{markdown(head, rows)}\n\n"
    return text + f"{machine(before)} What a library does beside (conversions, end sites) is counted as it comes."


if __name__ == "__main__":
    print(page())
