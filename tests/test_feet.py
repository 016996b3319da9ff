"""Contacts found from motion, and the stances, strikes and offs that follow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gambol import quat
from gambol.body import Body
from gambol.feet import (
    Stance,
    contacts_from_motion,
    foot_contacts,
    sole_columns,
    sole_heights,
    sole_points,
    stances,
    steadied,
    strikes_and_offs,
)
from gambol.motion import Motion
from gambol.skeleton import Skeleton
from gambol.terrain import Flat, Slope, Stairs

SKELETON = Body(1.75).skeleton
FPS = 60.0
FEET = {"left": [0, 1], "right": [2, 3]}
RECORDS = arrays(bool, st.tuples(st.integers(0, 60), st.just(4)))


def standing(frames: int = 30, velocity: tuple = (0.0, 0.0, 0.0), lift: float = 0.0) -> Motion:
    """The T-pose on level ground, carried along with ``velocity`` m/s."""
    root = SKELETON.offsets[0] + [0, lift, 0] + np.arange(frames)[:, None] / FPS * np.array(velocity)
    return Motion(SKELETON, root, np.tile(quat.IDENTITY, (frames, len(SKELETON), 1)), FPS)


def test_standing_feet_are_planted():
    assert contacts_from_motion(standing()).all()
    np.testing.assert_allclose(sole_heights(standing()), 0.0, atol=1e-12)
    np.testing.assert_allclose(sole_heights(standing(), Flat(-0.2)), 0.2, atol=1e-12)
    assert not contacts_from_motion(standing(), Flat(-0.2)).any()


@pytest.mark.parametrize("lift, planted", [(0.0049, True), (0.0051, False), (-0.02, True)])
def test_within_five_millimetres_or_below(lift, planted):
    assert (contacts_from_motion(standing(lift=lift)) == planted).all()
    assert contacts_from_motion(standing(lift=lift), gap=0.006).all()


@pytest.mark.parametrize("speed, planted", [(0.049, True), (0.051, False)])
@pytest.mark.parametrize("fps", [24.0, 60.0, 480.0])
def test_slower_than_five_centimetres_a_second(speed, planted, fps):
    motion = replace(standing(velocity=(speed * FPS / fps, 0.0, 0.0)), fps=fps)
    assert (contacts_from_motion(motion) == planted).all()
    assert contacts_from_motion(motion, speed=0.06).all()


def test_the_ground_under_each_sole_counts():
    """On a slope only what touches it; across a stair each foot has its own tread."""
    slope = Slope(np.radians(10))
    heights = sole_heights(standing(), slope)
    expected = -np.tan(np.radians(10)) * sole_points(standing())[..., 2]
    np.testing.assert_allclose(heights, expected, atol=1e-12)
    z = sole_points(standing(1))[0, :, 2]
    stairs = Stairs(rise=0.16, tread=0.3, count=1, start=float(z.mean()))
    expected = np.where(z > z.mean(), -0.16, 0.0)
    np.testing.assert_allclose(sole_heights(standing(1), stairs)[0], expected, atol=1e-9)


@given(RECORDS)
def test_stances_are_the_contacts(on):
    again = np.zeros_like(on)
    for sole, first, end in stances(on):
        assert 0 <= first < end <= len(on) and not again[first:end, sole].any()
        assert first == 0 or not on[first - 1, sole]
        assert end == len(on) or not on[end, sole]
        again[first:end, sole] = True
    assert np.array_equal(again, on)


@given(RECORDS, st.integers(1, 8))
def test_flicker_is_dropped_and_nothing_else(on, shortest):
    calm = steadied(on, shortest)
    for value in (False, True):
        runs = [r for r in stances(calm == value) if r.first > 0 and r.end < len(on)]
        assert all(r.end - r.first >= shortest for r in runs)
    assert np.array_equal(steadied(on, 1), on)
    assert np.array_equal(steadied(calm, shortest), calm)


@given(RECORDS)
def test_strikes_and_offs_take_turns(on):
    for column, (strikes, offs) in enumerate(strikes_and_offs(on, FPS, FEET).values()):
        down = foot_contacts(on, FEET)[:, column]
        assert all(down[round(t * FPS)] and not down[round(t * FPS) - 1] for t in strikes)
        assert all(down[round(t * FPS)] and not down[round(t * FPS) + 1] for t in offs)
        assert len(strikes) - len(offs) == (int(down[-1]) - int(down[0]) if len(down) else 0)


def test_a_known_step():
    on = np.zeros((10, 4), bool)
    on[:4, :2] = True  # left from the start to frame 3
    on[2:7, 2] = on[5:9, 3] = True  # right heel, then tip
    events = strikes_and_offs(on, 10.0, FEET)
    assert events["left"][0].tolist() == [] and events["left"][1].tolist() == [0.3]
    assert events["right"][0].tolist() == [0.2] and events["right"][1].tolist() == [0.8]
    assert stances(on)[2:] == [Stance(2, 2, 7), Stance(3, 5, 9)]


def test_feet_of_skeletons():
    assert sole_columns(SKELETON) == FEET
    plant = Skeleton(("root",), np.array([-1]), np.zeros((1, 3)))
    assert sole_columns(plant) == {}
    names = ("root", *(f"left_leg_{i}" for i in range(3)), *(f"right_leg_{i}" for i in range(3)))
    beetle = Skeleton(names, np.array([-1] + [0] * 6), np.zeros((7, 3)), tuple(range(1, 7)))
    assert sole_columns(beetle) == {name: [i] for i, name in enumerate(names[1:])}


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_few_frames(frames):
    motion = standing(frames)
    on = contacts_from_motion(motion)
    assert on.shape == (frames, 4) and on.all()
    assert len(stances(on)) == (4 if frames else 0)
    assert all(len(t) == 0 for pair in strikes_and_offs(on, FPS, FEET).values() for t in pair)


@given(st.floats(-np.pi, np.pi), st.floats(-50, 50), st.floats(0, 0.1))
def test_turning_the_world_changes_nothing(yaw, shift, speed):
    motion = standing(8, (0.0, 0.0, speed))
    turn = quat.from_axis_angle(np.array([0.0, 1, 0]), np.array(yaw))
    rotations = motion.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    moved = replace(motion, root=quat.rotate(turn, motion.root) + [shift, 0, -shift], rotations=rotations)
    np.testing.assert_allclose(sole_heights(moved), sole_heights(motion), atol=1e-9)
    if abs(speed - 0.05) > 1e-6:
        assert np.array_equal(contacts_from_motion(moved), contacts_from_motion(motion))
