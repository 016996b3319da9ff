"""Heads that hang through a whole captured clip are brought level; how they move stays."""

from dataclasses import replace

import numpy as np
import pytest

from gambol import quat
from gambol.body import Body
from gambol.cli import main
from gambol.gaze import levelled_head
from gambol.io import clips, load_character, load_motion
from gambol.motion import Motion
from gambol.retarget import Rigged, retarget
from gambol.roles import roles_of
from gambol.skeleton import forward_kinematics

PERSON = Body(1.75).skeleton
ROLES = roles_of(PERSON)
HEAD = PERSON.index("head")
RIGS = ("robot_expressive.glb", "cryptovoxels.vrm", "cesium_man.gltf")


def nodding(down_deg, frames=60, lying=False):
    """A person who stands, or lies, and nods by 10 degrees about a head that hangs by ``down_deg``."""
    q = np.tile(quat.IDENTITY, (frames, len(PERSON), 1))
    nod = np.radians(down_deg + 10 * np.sin(np.arange(frames) / 5))
    q[:, HEAD] = quat.from_axis_angle([1.0, 0.0, 0.0], nod)
    if lying:
        q[:, 0] = quat.from_axis_angle([1.0, 0.0, 0.0], -np.pi / 2)
    return Motion(PERSON, np.tile(PERSON.offsets[0], (frames, 1)), q, 30.0)


def pitch(motion, roles):
    """Degrees that the head looks up, (F,)."""
    _, world = forward_kinematics(motion.skeleton, motion.root, motion.rotations)
    ahead = quat.rotate(world[:, roles.joints["head"]], [np.sin(roles.facing), 0.0, np.cos(roles.facing)])
    return np.degrees(np.arcsin(ahead[:, 1]))


@pytest.mark.parametrize("down", [-60.0, -20.0, 25.0, 50.0])
def test_a_head_that_hangs_is_levelled_and_nods_as_before(down):
    before = nodding(down)
    after, raised = levelled_head(before, ROLES)
    assert np.median(pitch(after, ROLES)) == pytest.approx(-5.0 * np.sign(down), abs=1e-6)
    assert raised == pytest.approx(down - 5 * np.sign(down), abs=2.0)  # the median of a nod is not its middle
    turns = [quat.multiply(quat.conjugate(m.rotations[:1, HEAD]), m.rotations[:, HEAD]) for m in (before, after)]
    assert np.abs(np.abs((turns[0] * turns[1]).sum(-1)) - 1).max() < 1e-9
    others = np.delete(np.arange(len(PERSON)), HEAD)
    np.testing.assert_array_equal(after.rotations[:, others], before.rotations[:, others])
    assert levelled_head(after, ROLES)[1] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("motion", [nodding(2.0), nodding(40.0, frames=10), nodding(40.0, lying=True)])
def test_level_heads_short_clips_and_people_lying_down_are_left_alone(motion):
    after, raised = levelled_head(motion, ROLES)
    assert after is motion and raised == 0.0


def test_a_scene_that_is_turned_gives_the_same():
    turn = quat.from_axis_angle([0.0, 1.0, 0.0], 2.0)
    motion = nodding(30.0)
    q = np.array(motion.rotations)
    q[:, 0] = quat.multiply(turn, q[:, 0])
    one, two = (levelled_head(m, ROLES)[0] for m in (motion, replace(motion, rotations=q)))
    np.testing.assert_allclose(one.rotations[:, HEAD], two.rotations[:, HEAD], atol=1e-12)


@pytest.mark.parametrize("rig", RIGS)
@pytest.mark.parametrize("clip", ["02_01", "05_01", "16_15"])
def test_captured_people_look_ahead_on_other_rigs(data, clip, rig):
    """Raw they look 6 degrees up (02), 44 down (05) and 13 down (16)."""
    source = load_motion(data / f"mocap/cmu/{clip}.amc")
    target = load_character(data / "characters" / rig)
    out = retarget(source, roles_of(source.skeleton), Rigged(target.skeleton, target.roles))
    assert abs(np.median(pitch(out, target.roles))) < 5.5


def test_a_person_of_ours_and_a_clip_of_a_skin_keep_their_heads():
    out = retarget(nodding(40.0), ROLES, Rigged(PERSON, ROLES))
    assert np.median(pitch(out, ROLES)) < -35


def test_the_command_says_it_and_can_be_told_not_to(data, tmp_path, capsys):
    words = ["retarget", str(data / "mocap/cmu/05_01.amc"), "--onto", str(data / "characters" / RIGS[0])]
    looks = []
    for more in ([], ["--keep-head"]):
        out = tmp_path / "a.glb"
        assert main([*words, "-o", str(out), *more]) == 0
        said = capsys.readouterr().out
        assert ("the head, which looks down through the whole clip, is raised by" in said) == (not more)
        roles = load_character(out).roles
        looks.append(np.median(pitch(load_motion(out, clips(out)[-1]), roles)))
    assert abs(looks[0]) < 6 and looks[1] < -35
