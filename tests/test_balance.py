"""Turning about the vertical: measured from the posed body, and taken by arms and trunk."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from walks import level_walk, straight

from gambol import quat
from gambol.balance import balanced, stride_momentum
from gambol.dynamics import angular_momentum
from gambol.errors import GambolError
from gambol.gait import Gait
from gambol.loop import loop, rounds
from gambol.measure import measure
from gambol.methods.force_walk import ForceWalk
from gambol.motion import Motion
from gambol.spin import free_moment, vertical_momentum
from gambol.synthesis import Task
from gambol.terrain import Flat

PUBLISHED = 0.02  # range over mass, height and speed, of people


@cache
def pair(speed: float):
    return balanced(ForceWalk(), Task(gait=Gait(speed=speed)))


def test_a_rigid_body_has_its_moment_of_inertia():
    """Turned as one piece at rate w, H = I w, with I from the places of the masses and the pillars' own."""
    still = level_walk()[:1]
    angle, n, rate, fps = np.linspace(0.0, 0.2, 41), 41, 0.2 * 50 / 40, 50.0
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), angle)
    rotations = np.repeat(still.rotations, n, axis=0)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    moved = Motion(still.skeleton, np.repeat(still.root, n, axis=0), rotations, fps)
    h = np.sum(list(vertical_momentum(moved).values()), axis=0)[1:-1]
    points = angular_momentum(replace(moved, mass=1.0))[1:-1, 1]
    own = (h - points) / rate
    assert np.ptp(h) < 1e-6 * h.mean()
    pillars = 0.142 * (0.17**2 + 0.11**2) + 0.139 * (0.16**2 + 0.11**2) + 0.216 * (0.20**2 + 0.12**2)
    pillars += 0.081 * (0.075**2 + 0.095**2) + 2 * (0.100 + 0.0465) * 2 * 0.05**2
    assert own.mean() == pytest.approx(pillars / 4, rel=2e-3)  # m2: trunk, head and legs about their own axes
    assert 0.012 < h.mean() / rate < 0.018  # m2: arms hanging, some 1 kg m2 for 70 kg


def test_mirrored_it_turns_the_other_way_and_moved_on_it_is_the_same():
    clip = rounds(loop(ForceWalk(), Task(fps=60)), 2)
    h = np.sum(list(vertical_momentum(clip).values()), axis=0)
    n = len(clip) // 2
    half = n // 2
    assert np.abs(h[1:n] + np.interp(np.arange(1, n) + n / 2, np.arange(2 * n), h)).max() < 0.05 * np.abs(h).max()
    shifted = replace(clip, root=clip.root + [3.0, 1.0, -2.0] + np.arange(2 * n)[:, None] * [0.01, 0.0, 0.02])
    assert np.abs(np.sum(list(vertical_momentum(shifted).values()), axis=0) - h).max() < 1e-9
    assert half > 10


@pytest.mark.parametrize("speed", [0.85, 1.4])
def test_balanced_against_unbalanced(speed):
    method, found = pair(speed)
    assert found.after <= found.before < PUBLISHED < found.still
    assert found.after < 0.35 * found.still  # people take four fifths of it (Herr and Popovic 2008)
    report = measure(rounds(loop(method, Task(gait=Gait(speed=speed), fps=100)), 5), Flat())
    assert report.passed
    assert report.turning.momentum_range == pytest.approx(found.after, rel=0.1)
    assert report.turning.net_change < 0.02
    assert report.turning.legs_range > PUBLISHED


def test_arms_that_are_held_are_found_out():
    task = Task(gait=Gait(speed=1.2))
    assert np.ptp(stride_momentum(ForceWalk(arm_swing=0.0, twist=0.0), task)) > PUBLISHED
    assert np.ptp(stride_momentum(ForceWalk(), task)) < PUBLISHED / 2


def test_the_free_moment_closes_the_balance():
    """What turns the body is the moment of the forces about the mass centre and the free moment."""
    clip = level_walk(fps=120)
    h = clip.mass * np.sum(list(vertical_momentum(clip).values()), axis=0)
    arm = np.nan_to_num(clip.pressure - clip.com[:, None])
    turn = np.sum(np.cross(arm, clip.forces)[..., 1], axis=1) + free_moment(clip)
    gained = np.cumsum((turn[1:] + turn[:-1]) / 2) / clip.fps
    assert np.abs(gained - (h[1:] - h[0])).max() < 0.05 * np.ptp(h)
    with pytest.raises(GambolError, match="forces and pressure"):
        free_moment(replace(clip, forces=None))


def test_what_has_no_arms_to_swing_is_refused():
    class Other:
        pass

    with pytest.raises((GambolError, TypeError)):
        balanced(Other(), Task(path=straight(3)))
