"""BVH against a reader of a few lines that multiplies matrices, and against pybvh."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from files import wander

from gambol import quat
from gambol.io import Source, read
from gambol.io.bvh import decode
from gambol.io.bvh_write import encode
from gambol.skeleton import forward_kinematics

TENTH_MM = 1e-4
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\S+")


def turn(axis: str, degrees: float) -> np.ndarray:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    i, j = {"X": (1, 2), "Y": (2, 0), "Z": (0, 1)}[axis]
    out = np.eye(3)
    out[i, i] = out[j, j] = c
    out[i, j], out[j, i] = -s, s
    return out


def plain_read(data: bytes):
    """Joints [(parent, offset, channels)] in the order of the file, end sites too, and the rows (F, C)."""
    text = data.decode("utf-8-sig", "replace")
    head, _, tail = re.split(r"(?im)^\s*(MOTION)\s*$", text, maxsplit=1)
    joints, path = [], []
    for line in head.splitlines():
        words = line.split()
        key = words[0].upper() if words else ""
        if key in ("ROOT", "JOINT", "END"):
            joints.append([path[-1] if path else -1, np.zeros(3), []])
            opening = len(joints) - 1
        elif key == "{":
            path.append(opening)
        elif key == "}":
            path.pop()
        elif key == "OFFSET":
            joints[path[-1]][1] = np.array(words[1:4], float)
        elif key == "CHANNELS":
            joints[path[-1]][2] = [w.upper() for w in words[2:]]
    rows = []
    for line in tail.splitlines()[1:]:
        if re.match(r"(?i)\s*frame", line) or not line.strip():
            continue
        rows.append([float(w) if re.match(r"[-+.\d]+(e[-+]?\d+)?$", w, re.I) else np.nan for w in line.split()])
    width = sum(len(j[2]) for j in joints)
    return joints, np.array([r for r in rows if len(r) == width])


def places(joints, row) -> np.ndarray:
    """Positions of all joints, in units of the file."""
    at, world, column = [], [], 0
    for parent, offset, channels in joints:
        local, rotation = offset.copy(), np.eye(3)
        moves = {c[0]: row[column + k] for k, c in enumerate(channels) if c.endswith("POSITION")}
        for axis, value in moves.items():
            local["XYZ".index(axis)] = value
        for k, c in enumerate(channels):
            if c.endswith("ROTATION"):
                rotation = rotation @ turn(c[0], row[column + k])
        column += len(channels)
        at.append(local if parent < 0 else at[parent] + world[parent] @ local)
        world.append(rotation if parent < 0 else world[parent] @ rotation)
    return np.array(at)


def worst(data: bytes) -> float:
    """m, the largest distance between both readers over some frames and all joints with a place of their own."""
    joints, rows = plain_read(data)
    motion = decode(data, Source("a.bvh"))
    unit, mine = motion.info["unit_m"], moved(motion)
    assert len(rows) in (len(motion), len(motion) - 1)
    ours = [k for k, (_, offset, channels) in enumerate(joints) if channels or np.abs(offset).max() > 0]
    away = 0.0
    for f in {0, len(rows) // 3, len(rows) // 2, len(rows) - 1}:
        if np.isfinite(rows[f]).all():
            truth = places(joints, rows[f])[ours] * unit
            away = max(away, float(np.abs(truth - mine[f]).max()))
    return away


def moved(motion) -> np.ndarray:
    """(F, J, 3) m, with joints that leave their offset where they are."""
    if motion.translations is None:
        return motion.positions()
    _, world = forward_kinematics(motion.skeleton, motion.root, motion.rotations)
    at = np.array(motion.translations)
    for j, parent in enumerate(motion.skeleton.parents[1:], 1):
        at[:, j] = at[:, parent] + quat.rotate(world[:, parent], motion.translations[:, j])
    return at


def test_every_case_is_posed_as_by_matrices(cases):
    files = sorted(cases.glob("*.bvh"))
    assert len(files) >= 18
    for file in files:
        assert worst(file.read_bytes()) < TENTH_MM, file.name


def test_every_recording_is_posed_as_by_matrices(data):
    files = sorted((data / "mocap").rglob("*.bvh"))
    assert len(files) >= 8
    for file in files:
        assert worst(file.read_bytes()) < TENTH_MM, file.name


@pytest.mark.parametrize("seed", range(3))
def test_what_is_written_is_posed_as_by_matrices(seed):
    motion = wander(20, seed=seed)
    joints, rows = plain_read(encode(motion))
    for f in (0, 9, 19):
        truth = places(joints, rows[f]) / 100
        for p in motion.positions()[f]:
            assert np.abs(truth - p).max(1).min() < 1e-6


# the second reader


def peer(file: Path):
    pybvh = pytest.importorskip("pybvh")
    return pybvh.read_bvh_file(file, warn_on_world_up_disagreement=False)


def test_pybvh_reads_what_is_written(tmp_path, cases):
    """Joint positions within 1 mm, duration within half a frame, rest pose right."""
    walk = read(cases / "U056_two_strides_noisy.bvh", Source("a")).content
    for motion in (wander(40), walk, replace(walk, fps=29.97)):
        (tmp_path / "a.bvh").write_bytes(encode(motion))
        other = peer(tmp_path / "a.bvh")
        theirs = other.joint_positions() / 100
        assert len(theirs) == len(motion)
        assert abs(other.frame_time * (other.frame_count - 1) - motion.duration) < 0.5 / motion.fps
        names = list(other.joint_names)
        mine = motion.positions()[:, motion.skeleton.indices(names)]
        assert np.abs(theirs - mine).max() < 1e-3
        rest = {n: np.array(node.offset) for n, node in zip(names, (x for x in other.nodes if x.name in names))}
        for name in names[1:]:
            offset = motion.skeleton.offsets[motion.skeleton.index(name)]
            np.testing.assert_allclose(rest[name] / 100, offset, atol=1e-6)


def test_pybvh_and_gambol_read_recordings_alike(data):
    for name in ("bvh/cmu_12_01_walk", "bvh_quirks/mixamo_names_fingers", "bvh_quirks/rotation_first_root"):
        file = data / "mocap" / f"{name}.bvh"
        other, motion = peer(file), decode(file.read_bytes(), Source("a"))
        mine = motion.positions()[:, motion.skeleton.indices(other.joint_names)] / motion.info["unit_m"]
        assert np.abs(other.joint_positions() - mine).max() * motion.info["unit_m"] < TENTH_MM
