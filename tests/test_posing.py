"""Posing: bones exact, feet that stay, elbows that bend the right way, and no number that depends on event rates."""

import json
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol import quat
from gambol.errors import GambolError
from gambol.fitting import points_of
from gambol.limits import joint_limits
from gambol.models import model
from gambol.motion import Pose
from gambol.posing import Puppet, drag, grab, mirror_name, pull, release, softened
from gambol.skeleton import Skeleton, forward_kinematics
from gambol.tension import Fixed, Limit, springs, stretch, within

CASES = Path(__file__).parent / "cases"
FEET = ("left_foot", "right_foot")


def rest(skeleton: Skeleton) -> Pose:
    return Pose(skeleton.offsets[0], np.tile(quat.IDENTITY, (len(skeleton), 1)))


@cache
def person() -> Puppet:
    body = model("person")
    return Puppet(body.skeleton, body.limits, engine="compiled" if find_spec("numba") else "numpy")


def at(pose: Pose, name: str) -> np.ndarray:
    skeleton = person().skeleton
    return points_of(skeleton, pose)[skeleton.index(name)]


def chain(n: int = 13) -> Skeleton:
    wave = np.stack([np.arange(n) * 0.1, 0.02 * np.sin(np.arange(n)), np.zeros(n)], 1)
    return Skeleton(tuple(f"j{i}" for i in range(n)), np.arange(n) - 1, np.diff(wave, axis=0, prepend=0.0))


def inside(pose: Pose) -> float:
    """rad beyond the ranges."""
    limits = joint_limits(person().skeleton, "person")
    turns = quat.log(pose.rotations)[1:]
    return float(np.maximum(limits.low[1:] - turns, turns - limits.high[1:]).max())


def test_a_person_has_39_joints():
    assert len(model("person").skeleton) == 39


def test_a_hand_is_dragged_and_pinned_feet_stay():
    """U155."""
    before = rest(person().skeleton)
    pose = drag(person(), before, {"right_hand": [-0.3, 1.2, 0.4]}, FEET)
    assert at(pose, "right_hand") == pytest.approx([-0.3, 1.2, 0.4], abs=1e-3)
    for name in ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip"):
        assert at(pose, name) == pytest.approx(at(before, name), abs=1e-5)
    skeleton = person().skeleton
    positions, _ = forward_kinematics(skeleton, pose.root, pose.rotations)
    bones = np.linalg.norm(positions[1:] - positions[skeleton.parents[1:]], axis=1)
    assert bones == pytest.approx(np.linalg.norm(skeleton.offsets[1:], axis=1), abs=1e-9)
    assert inside(pose) < 1e-9


def test_out_of_reach_stretches_toward_the_goal_and_comes_back():
    """U083: limits hold, no NaN, no stretched bone, and the arm is straight towards the goal."""
    case = json.loads((CASES / "U083_hand_out_of_reach.json").read_text())
    near, far, back = np.array(case["drag"]["to_m"])
    before = rest(person().skeleton)
    away = pull(person(), pull(person(), grab(person(), before, ["right_hand"], FEET), [near]), [far])
    reached = release(person(), away)
    returned = release(person(), pull(person(), away, [back]))
    for pose in (reached, returned):
        assert np.isfinite(pose.rotations).all() and inside(pose) < 1e-9
        for foot in FEET:
            assert at(pose, foot) == pytest.approx(at(before, foot), abs=1e-4)
    shoulder, elbow, hand = (at(reached, f"right_{j}") for j in ("upper_arm", "lower_arm", "hand"))
    assert (hand - shoulder) @ (far - shoulder) > 0.9 * np.linalg.norm(hand - shoulder) * np.linalg.norm(far - shoulder)
    assert np.linalg.norm(hand - shoulder) > 0.97 * (np.linalg.norm(hand - elbow) + np.linalg.norm(elbow - shoulder))
    assert at(returned, "right_hand") == pytest.approx(back, abs=5e-3)


def test_event_rate_does_not_matter():
    """The same straight drag at 15, 60 and 240 events a second ends within 1 mm."""
    begin, end = np.array([-0.86, 1.414, 0.0]), np.array([-0.35, 1.3, 0.35])
    ends = []
    for rate in (15, 60, 240):
        way = np.linspace(begin, end, rate // 2)
        ends.append(points_of(person().skeleton, drag(person(), rest(person().skeleton), {"right_hand": way}, FEET)))
    assert np.abs(np.array(ends) - ends[0]).max() < 1e-3


def test_uneven_frame_times_change_nothing():
    """U053: a frame of 2.5 s, then many short ones: the pointer's way counts, not when it was looked at."""
    times = np.cumsum(json.loads((CASES / "U053_uneven_steps.json").read_text())["frame_times_s"])
    way = np.array([-0.86, 1.414, 0.0]) + np.outer(times / times[-1], [0.4, -0.3, 0.3])
    even = np.array([-0.86, 1.414, 0.0]) + np.outer(np.linspace(0, 1, 9), [0.4, -0.3, 0.3])
    a, b = (drag(person(), rest(person().skeleton), {"right_hand": w}, FEET) for w in (way, even))
    assert np.abs(points_of(person().skeleton, a) - points_of(person().skeleton, b)).max() < 1e-3


def test_elbows_and_knees_bend_the_right_way():
    """From a straight limb pushed along itself."""
    pose = drag(person(), rest(person().skeleton), {"left_hand": [0.45, 1.41, 0.02]}, ("left_upper_arm", *FEET))
    assert quat.log(pose.rotations)[person().skeleton.index("left_lower_arm")][1] < -0.5
    pose = drag(person(), rest(person().skeleton), {"hips": [0.0, 0.75, 0.0]}, FEET)
    for side in ("left", "right"):
        assert quat.log(pose.rotations)[person().skeleton.index(f"{side}_lower_leg")][0] > 0.5


def test_while_dragging_bones_are_at_most_five_percent_longer():
    skeleton = person().skeleton
    grip = grab(person(), rest(skeleton), ["left_hand"], FEET)
    for goal in ([0.7, 1.6, 0.3], [0.2, 1.9, 0.5], [1.5, 2.5, 1.0]):
        grip = pull(person(), grip, [goal])
        bones = np.linalg.norm(grip.points[1:] - grip.points[skeleton.parents[1:]], axis=1)
        assert (bones <= 1.05 * np.linalg.norm(skeleton.offsets[1:], axis=1) + 1e-9).all()


def test_undo_is_the_value_before():
    grip = grab(person(), rest(person().skeleton), ["left_hand"], FEET)
    once = pull(person(), grip, [[0.6, 1.3, 0.3]])
    kept = once.pose.rotations.copy()
    pull(person(), once, [[0.1, 1.0, 0.4]])
    assert np.array_equal(once.pose.rotations, kept)
    assert np.array_equal(pull(person(), grip, [[0.6, 1.3, 0.3]]).pose.rotations, kept)


def test_symmetric_posing_is_symmetric():
    skeleton = person().skeleton
    pose = drag(person(), rest(skeleton), {"left_hand": [0.35, 1.2, 0.35]}, FEET, symmetric=True)
    points = points_of(skeleton, pose)
    twins = [skeleton.index(mirror_name(n)) for n in skeleton.names]
    assert np.abs(points[twins] * [-1, 1, 1] - points).max() < 2e-3


def test_engines_agree():
    pytest.importorskip("numba")
    ways = {"right_hand": [-0.3, 1.2, 0.4]}
    a, b = (drag(replace(person(), engine=e), rest(person().skeleton), ways, FEET) for e in ("numpy", "compiled"))
    assert np.abs(points_of(person().skeleton, a) - points_of(person().skeleton, b)).max() < 1e-9


def test_more_springs_make_a_stiffer_skeleton():
    """Figure 5: the sharpest bend of a chain pulled aside shrinks with 2, 4 and 6 neighbours, and with stiffness."""
    skeleton = Skeleton(tuple(f"j{i}" for i in range(13)), np.arange(13) - 1, np.eye(3)[[0] * 13] * 0.1)
    held = np.zeros(13, bool)
    held[[0, 6]] = True

    def sharpest(net) -> float:
        points = skeleton.rest_positions()
        points[6] += [-0.05, 0.25, 0.0]
        points = stretch(points, net, held, (0.5, 300), "numpy")
        u = np.diff(points, axis=0)
        u /= np.linalg.norm(u, axis=1)[:, None]
        return float(np.degrees(np.arccos(np.clip((u[:-1] * u[1:]).sum(1), -1, 1))).max())

    floppy, four, six = (sharpest(springs(skeleton, reach)) for reach in (1, 2, 3))
    assert six < four < floppy
    soft = sharpest(springs(skeleton, 2, np.where(np.arange(13) == 6, 0.05, 1.0)))
    assert soft > four


def test_a_jump_of_the_tip_is_within_five_percent_after_one_directed_pass():
    skeleton = chain()
    net, held = springs(skeleton), np.arange(13) == 12
    points = skeleton.rest_positions()
    points[12] += [0.2, 0.22, 0.0]
    out = within(points, net, Fixed(held, (12,)), Limit(passes=1), "numpy")
    assert np.linalg.norm(np.diff(out, axis=0), axis=1).max() <= 1.05 * net.rest[:12].max() * (1 + 1e-6)
    ticks = iter(np.arange(0, 100, 0.06))
    timed = within(points, net, Fixed(held, (12,)), Limit(seconds=0.1, clock=lambda: next(ticks)), "numpy")
    assert np.abs(timed - out).max() < 1e-12


def test_relaxed_springs_lose_energy_at_h_one_half():
    """The averaged step is stable where the summed one vibrates: six neighbours, h = 0.5."""
    skeleton = chain(30)
    net, rng = springs(skeleton, 3), np.random.default_rng(3)
    points = skeleton.rest_positions() + 0.02 * rng.normal(size=(30, 3))

    def energy(p) -> float:
        return float(((np.linalg.norm(p[net.pairs[:, 1]] - p[net.pairs[:, 0]], axis=1) - net.rest) ** 2).sum())

    values = []
    for _ in range(12):
        values.append(energy(points))
        points = stretch(points, net, np.zeros(30, bool), (0.5, 1), "numpy")
    assert all(b < a for a, b in pairwise(values))


def test_small_skeletons_and_zero_lengths_are_fine():
    one = Skeleton(("root",), [-1], [[0, 1, 0]])
    assert drag(Puppet(one), rest(one), {"root": [1, 2, 3]}).root == pytest.approx([1, 2, 3], abs=1e-6)
    odd = Skeleton(tuple("abcd"), [-1, 0, 1, 2], [[0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0]])
    pose = drag(Puppet(odd), rest(odd), {"d": [0.3, 0.7, 0.2]}, ("a",))
    assert np.isfinite(pose.rotations).all()


@pytest.mark.parametrize(
    ("work", "word"),
    [
        (lambda p, r: drag(p, r, {"left_wing": [0, 1, 0]}), "left_wing"),
        (lambda p, r: drag(p, r, {"left_hand": [0, 1, np.nan]}), "goals"),
        (lambda p, r: drag(p, r, {"left_foot": [0, 1, 0]}, FEET), "both dragged and fixed"),
        (lambda p, r: drag(p, r, {"head": [0, 1, 0]}, {"left_foot": [0, 0, 0], "right_foot": [9, 0, 0]}), "apart"),
        (lambda p, r: drag(p, r, {"head": [0, 1, 0]}, {"left_foot": [0, np.inf, 0]}), "three numbers"),
        (lambda p, r: replace(p, reach=7), "reach is 7"),
        (lambda p, r: replace(p, h=0.0), "h is 0"),
        (lambda p, r: softened(p, {"head": -1.0}), "stiffness"),
        (lambda p, r: Skeleton(("a", "b"), [-1, -1], np.zeros((2, 3))), "one root"),
    ],
)
def test_what_cannot_be_posed_is_said(work, word):
    with pytest.raises(GambolError, match=word):
        work(person(), rest(person().skeleton))


@settings(max_examples=5, deadline=None)
@given(st.tuples(*[st.floats(-4, 4)] * 3), st.sampled_from(["head", "left_lower_leg", "spine"]))
def test_any_drag_gives_a_sound_pose(goal, joint):
    grip = grab(person(), rest(person().skeleton), [joint], ("left_foot",))
    for share in (0.1, 0.2, 0.3):
        grip = pull(person(), grip, grip.at + share * (np.array([goal]) - grip.at))
    pose = release(person(), grip)
    assert np.isfinite(pose.rotations).all() and np.isfinite(pose.root).all()
    assert inside(pose) < 1e-9
    assert at(pose, "left_foot") == pytest.approx(at(rest(person().skeleton), "left_foot"), abs=1e-3)

