"""The built-in scene is what the demonstration promises."""

import numpy as np
import pytest

from gambol.body import Body
from gambol.footsteps import survey
from gambol.path import drop
from gambol.scenes import RADIUS, RISE, SLOPE, STEPS, TREAD, demo

PATH, GROUND = demo()
LOW = drop(PATH, GROUND)


def test_it_is_the_same_every_time():
    path, ground = demo()
    assert np.array_equal(path.points, PATH.points) and np.array_equal(ground.vertices, GROUND.vertices)


def test_stairs_up_and_down_of_the_paper():
    """Five rises of 16 cm and five drops, 30 cm apart: the staircase measured in the paper."""
    rises = np.diff(LOW.points[:, 1])
    at = LOW.s[1:]
    up, down = at[rises > 0.1], at[rises < -0.1]
    assert len(up) == len(down) == STEPS == 5
    assert np.allclose(rises[np.abs(rises) > 0.1], np.repeat([RISE, -RISE], 5), atol=1e-6)
    assert np.allclose(np.diff(up), TREAD, atol=0.02) and np.allclose(np.diff(down), TREAD, atol=0.02)
    assert (RISE, TREAD) == (0.16, 0.30)


def test_a_curve_and_a_slope_down():
    s = np.linspace(0, PATH.length, 4000)
    assert PATH.pivots == () and not PATH.closed
    assert np.abs(PATH.curvature(s)).max() < 1.25 / RADIUS
    assert PATH.heading(PATH.length) - PATH.heading(0.0) == pytest.approx(np.radians(150), abs=1e-6)
    y = LOW.point(s)[:, 1]
    steep = np.diff(y)[-1000:] / np.diff(s)[-1000:]
    assert steep.min() == pytest.approx(-np.tan(SLOPE), rel=1e-3) and y[-1] < -0.5


def test_flat_at_both_ends_and_room_for_both_feet():
    """A metre to stand and start on, and ground on both sides all along the way."""
    for ends in ((0.0, 1.0), (PATH.length - 1.0, PATH.length)):
        assert np.ptp(LOW.point(np.linspace(*ends, 50))[:, 1]) < 1e-6
    s = np.linspace(0, LOW.length, 2000)
    for side in (-0.4, 0.4):
        beside = LOW.place(s, side, 0.0)
        assert np.isfinite(GROUND.height(beside[:, [0, 2]], beside[:, 1])).all()
    course = survey(PATH, GROUND, Body(), 0.06)
    assert [len(edges) for edges in course.edges] == [10, 10] and len(course.stops) == 1


def test_the_ground_is_drawn_and_faces_up():
    v, f = GROUND.surface((0, 0), (0, 0))
    n = np.cross(v[f[:, 1]] - v[f[:, 0]], v[f[:, 2]] - v[f[:, 0]])
    assert (np.linalg.norm(n, axis=1) > 1e-9).all()
    flat = np.abs(n[:, 1]) > 0.5 * np.linalg.norm(n, axis=1)
    assert (n[flat, 1] > 0).all()
