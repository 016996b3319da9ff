"""VRMA: read back as glTF; the same limbs in the same places, from a T-pose."""

import json
from dataclasses import replace

import numpy as np
import pytest
from files import wander

from gambol import quat
from gambol.errors import GambolError
from gambol.io import save
from gambol.io.glb import unpack
from gambol.io.gltf import decode
from gambol.io.source import Source
from gambol.io.vrma import encode, in_t_pose
from gambol.motion import Motion
from gambol.roles import roles_of
from gambol.skeleton import Skeleton

REQUIRED = {"hips", "spine", "head", *(f"{s}{p}" for s in ("left", "right") for p in (
    "UpperLeg", "LowerLeg", "Foot", "UpperArm", "LowerArm", "Hand"))}


def document(motion):
    return unpack(encode(motion), "a.vrma")[0]


def test_the_extension_names_every_bone_and_nothing_else_moves():
    doc = document(wander(10))
    humans = doc["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"]
    assert doc["extensions"]["VRMC_vrm_animation"]["specVersion"] == "1.0"
    assert doc["extensionsUsed"] == ["VRMC_vrm_animation"] and set(humans) >= REQUIRED
    assert not {"leftEye", "rightEye"} & set(humans)
    assert sorted(h["node"] for h in humans.values()) == list(range(len(doc["nodes"])))
    paths = [(c["target"]["path"], c["target"]["node"]) for c in doc["animations"][0]["channels"]]
    assert [n for p, n in paths if p == "translation"] == [humans["hips"]["node"]]
    assert all("rotation" not in node and "scale" not in node for node in doc["nodes"])
    json.dumps(doc)


def test_bones_are_where_the_joints_are():
    motion = wander(15)
    back = decode(encode(motion), Source("a.vrma"))
    want = motion.positions()
    for k, name in enumerate(back.skeleton.names):
        assert np.abs(back.positions()[:, k] - want[:, motion.skeleton.index(name)]).max() < 1e-6
    assert back.duration == pytest.approx(motion.duration, abs=1e-6)


def a_posed(motion, degrees=40.0):
    """The same movement of a figure that rests with its arms lowered."""
    skeleton = motion.skeleton
    rest = np.tile(quat.IDENTITY, (len(skeleton), 1))  # of each joint in the world
    for side, sign in (("left", -1), ("right", 1)):
        lowered = quat.from_axis_angle(np.array([0, 0, 1.0]), np.radians(sign * degrees))
        for part in ("upper_arm", "lower_arm", "hand"):
            rest[skeleton.index(f"{side}_{part}")] = lowered
    offsets, rotations = np.array(skeleton.offsets), np.array(motion.rotations)
    for j in range(len(skeleton)):
        p = skeleton.parents[j]
        above = rest[p] if p >= 0 else quat.IDENTITY
        offsets[j] = quat.rotate(above, skeleton.offsets[j])
        rotations[:, j] = quat.multiply(quat.multiply(above, motion.rotations[:, j]), quat.conjugate(rest[j]))
    return replace(motion, skeleton=Skeleton(skeleton.names, skeleton.parents, offsets, skeleton.soles),
                   rotations=rotations)


def test_another_rest_pose_gives_the_same_file():
    """U002: arms that rest lowered are turned into the T, not bent through the body."""
    motion = wander(6)
    lowered = a_posed(motion)
    assert np.abs(lowered.positions() - motion.positions()).max() < 1e-9
    a, b = (in_t_pose(m, roles_of(m.skeleton)) for m in (motion, lowered))
    np.testing.assert_allclose(a.skeleton.offsets, b.skeleton.offsets, atol=1e-9)
    assert np.abs(a.positions() - b.positions()).max() < 1e-9
    arm = b.skeleton.rest_positions()
    for side, x in (("left", 1), ("right", -1)):
        way = arm[b.skeleton.index(f"{side}_hand")] - arm[b.skeleton.index(f"{side}_upper_arm")]
        np.testing.assert_allclose(way / np.linalg.norm(way), [x, 0, 0], atol=1e-9)


def test_a_figure_that_faces_elsewhere_faces_ahead():
    motion = wander(4)
    aside = quat.from_axis_angle(np.array([0, 1.0, 0]), np.pi / 2)
    skeleton = Skeleton(motion.skeleton.names, motion.skeleton.parents,
                        quat.rotate(aside, motion.skeleton.offsets), motion.skeleton.soles)
    turned = quat.multiply(quat.multiply(aside, motion.rotations), quat.conjugate(aside))
    other = replace(motion, skeleton=skeleton, root=quat.rotate(aside, motion.root), rotations=turned)
    a, b = (in_t_pose(m, roles_of(m.skeleton)) for m in (motion, other))
    assert np.abs(a.positions() - b.positions()).max() < 1e-6


def test_what_is_no_human_is_refused(tmp_path):
    stick = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 1.0, 0]]))
    with pytest.raises(GambolError, match="human"):
        save(wander(3, skeleton=stick), tmp_path / "a.vrma")
    with pytest.raises(GambolError, match="without frames"):
        encode(wander(3)[:0])
    assert not list(tmp_path.iterdir()) and isinstance(wander(1), Motion)
