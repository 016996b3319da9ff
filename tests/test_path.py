"""Paths: arc length, headings, rounding, dropping, files."""

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gambol.body import Body
from gambol.errors import GambolError
from gambol.footsteps import survey
from gambol.path import Path, drop, load_path, parse_path, walkable
from gambol.terrain import Flat, HeightField, Mesh, Slope, Stairs

SIDE = st.floats(-5, 5).map(lambda v: round(v, 3))
POINT = st.tuples(SIDE, st.floats(-1, 1), SIDE)
FAR = st.sampled_from([0.0, 1e3, 1e5])
ANGLES = st.floats(-math.pi, math.pi)


@st.composite
def lines(draw, least=2, most=8):
    """Points with doubled ones, uneven spacing, collinear runs, U-turns and right angles among them."""
    points = [draw(POINT)]
    for _ in range(draw(st.integers(least - 1, most - 1))):
        x, y, z = points[-1]
        kind = draw(st.sampled_from(["free", "double", "back", "right", "on", "near"]))
        if kind == "free" or len(points) < 2:
            points.append(draw(POINT))
            continue
        dx, dz = x - points[-2][0], z - points[-2][2]
        steps = {"double": (0, 0), "back": (-dx, -dz), "right": (dz, -dx), "on": (dx / 3, dz / 3), "near": (1e-3, 0)}
        points.append((x + steps[kind][0], y, z + steps[kind][1]))
    out = np.array(points, float)
    assume(np.ptp(out[:, 0]) + np.ptp(out[:, 2]) > 0.3)
    return out


def square(side=3.0):
    return np.array([[0, 0, 0], [0, 0, side], [side, 0, side], [side, 0, 0]], float)


def ring(n, radius):
    a = 2 * np.pi * np.arange(n) / n
    return np.stack([radius * np.cos(a), 0 * a, radius * np.sin(a)], -1)


def turned(points, yaw):
    c, s = np.cos(yaw), np.sin(yaw)
    x, y, z = np.moveaxis(np.asarray(points), -1, 0)
    return np.stack([c * x + s * z, y, c * z - s * x], -1)


def off_line(points, drawn):
    """Largest horizontal distance of points (N, 3) from a polyline (M, 3)."""
    p, a = points[:, None, [0, 2]], drawn[:-1, [0, 2]]
    d = np.diff(drawn[:, [0, 2]], axis=0)
    t = np.clip(np.sum((p - a) * d, -1) / np.maximum(np.sum(d * d, -1), 1e-12), 0, 1)
    return float(np.linalg.norm(p - a - t[..., None] * d, axis=-1).min(1).max())


# by arc length


@given(lines(), FAR, st.booleans())
def test_arc_length_is_the_length_of_the_line_and_adds_up(points, far, closed):
    points = points + far
    path = Path(points, closed)
    whole = np.concatenate([points, points[:1]]) if closed else points
    assert path.length == pytest.approx(np.hypot(*np.diff(whole[:, [0, 2]], axis=0).T).sum(), abs=1e-4)
    assert (np.diff(path.s) > 0).all()
    d = np.diff(path.point(path.s[:-1] if closed else path.s), axis=0)
    assert np.allclose(np.hypot(d[:, 0], d[:, 2]), np.diff(path.s[:-1] if closed else path.s), atol=1e-9)


@given(lines(), FAR, st.booleans(), st.lists(st.floats(-3, 40), min_size=1, max_size=6))
def test_one_number_is_as_many_numbers(points, far, closed, where):
    """The quick way for a single arc length agrees with the arrays, in value and in shape."""
    path = walkable(points + far, closed)
    s = np.array(where)
    for name in ("point", "heading", "tangent", "curvature"):
        many = getattr(path, name)(s)
        one = np.array([getattr(path, name)(float(v)) for v in s])
        assert many.shape == one.shape and np.allclose(many, one, atol=1e-9)
    assert np.allclose(path.place(s, 0.1, 0.2), [path.place(float(v), 0.1, 0.2) for v in s], atol=1e-9)
    assert path.place(s[:, None], np.zeros((1, 3)), 0.0).shape == (len(s), 3, 3)


@given(lines(), FAR, st.booleans())
def test_the_tangent_is_a_unit_vector_along_the_way(points, far, closed):
    path = walkable(points + far, closed)
    s = np.linspace(-1, path.length + 1, 400)
    t = path.tangent(s)
    assert np.allclose(np.linalg.norm(t, axis=-1), 1) and (t[:, 1] == 0).all()
    assert np.allclose(np.arctan2(t[:, 0], t[:, 2]), np.angle(np.exp(1j * path.heading(s))), atol=1e-9)
    turns = np.array([0.0, *path.pivots, path.length])
    middle = s[np.abs(s[:, None] - turns).min(1) > 0.05]
    step = path.point(middle + 1e-3) - path.point(middle - 1e-3)
    assert np.allclose(step[:, [0, 2]] / 2e-3, path.tangent(middle)[:, [0, 2]], atol=0.12)


@given(lines(), ANGLES, POINT)
def test_moving_the_drawing_moves_the_path(points, yaw, shift):
    """Rigid motions commute with rounding, points, places and headings; curvature does not change."""
    there = walkable(turned(points, yaw) + shift)
    here = walkable(points)
    assume(len(here.pivots) == len(there.pivots))  # a corner at the very limit may fall either way
    assert there.length == pytest.approx(here.length, abs=1e-6)
    assert there.pivots == pytest.approx(here.pivots, abs=1e-5)
    s = np.linspace(0.0, here.length, 60)
    s = s[np.abs(s[:, None] - np.array([-1.0, *here.pivots, here.length])).min(1) > 1e-3]
    assert np.allclose(there.point(s), turned(here.point(s), yaw) + shift, atol=1e-5)
    assert np.allclose(there.place(s, 0.1, 0.2), turned(here.place(s, 0.1, 0.2), yaw) + shift, atol=1e-4)
    change = there.heading(s) - here.heading(s) - yaw
    assert np.allclose(np.exp(1j * change), 1, atol=1e-4)


@given(lines(3), ANGLES, POINT)
def test_moving_the_drawing_moves_the_ring(points, yaw, shift):
    """The same, to a hair: which of several equal corners a ring is made from is open."""
    there = walkable(turned(points, yaw) + shift, closed=True)
    here = walkable(points, closed=True)
    assume(len(here.pivots) == len(there.pivots))
    assert there.length == pytest.approx(here.length, abs=0.01)
    assert off_line(there.points, turned(here.points, yaw) + shift) < 0.01


@given(lines(3), st.booleans())
def test_walking_back_is_the_same_line(points, closed):
    there, back = walkable(points, closed), walkable(points[::-1], closed)
    assert back.length == pytest.approx(there.length, abs=0.05 * (2 + len(points)))


@given(lines(3), FAR)
def test_a_closed_path_goes_on_lap_after_lap(points, far):
    path = walkable(points + far, closed=True)
    s = np.linspace(0.01, path.length - 0.01, 50)
    turn = path.heading(s + path.length) - path.heading(s)
    assert np.allclose(turn, turn[0]) and turn[0] / (2 * np.pi) == pytest.approx(round(turn[0] / (2 * np.pi)))
    for laps in (-2, 1, 3):
        assert np.allclose(path.point(s + laps * path.length), path.point(s), atol=1e-6)
        assert np.allclose(path.heading(s + laps * path.length), path.heading(s) + laps * turn[0])
    assert np.allclose(path.point(path.length), path.point(0.0))


@pytest.mark.parametrize(("points", "turns"), [(ring(12, 2.0), -1), (ring(12, 2.0)[::-1], 1), (square(), 1)])
def test_headings_unwrap_over_laps(points, turns):
    """Once round is one whole turn, left positive, lap after lap, without a jump."""
    path = walkable(points, closed=True)
    s = np.linspace(0.0, 3 * path.length, 3000)
    psi = path.heading(s)
    assert psi[-1] - psi[0] == pytest.approx(turns * 6 * np.pi)
    assert np.abs(np.diff(psi)).max() < 0.05


def test_an_eight_does_not_turn_in_all():
    a = 2 * np.pi * np.arange(40) / 40
    path = walkable(np.stack([3 * np.sin(a), 0 * a, 3 * np.sin(2 * a)], -1), closed=True)
    assert path.heading(path.length + 1.0) == pytest.approx(path.heading(1.0))


def test_left_turns_are_positive():
    """Facing +z, left is +x."""
    left = walkable(np.array([[0, 0, 0], [0, 0, 5], [5, 0, 5]], float))
    assert left.curvature(np.linspace(0, left.length, 200)).min() > -1e-9
    assert left.heading(left.length) - left.heading(0.0) == pytest.approx(np.pi / 2)
    assert np.allclose(left.place(1.0, 0.3, 0.2), [0.3, 0.2, 1.0])


@given(lines(), st.booleans(), st.floats(0, 1), st.floats(0, 2))
def test_the_nearest_point_is_the_nearest(points, closed, share, reach):
    path = walkable(points, closed)
    start = share * path.length
    target = path.point(start) + [0.2, 0.1, -0.1]
    s = path.nearest(target, start, reach)
    end = start + min(reach, path.length) if closed else min(start + reach, path.length)
    assert start - 1e-9 <= s <= end + 1e-9

    def far(at):
        return np.hypot(*(path.point(at) - target)[..., [0, 2]].T)

    assert far(s) <= far(np.linspace(start, end, 500)).min() + 1e-6


@given(lines(), st.booleans(), st.floats(0.02, 0.98), st.integers(0, 3))
def test_a_point_of_the_path_is_nearest_to_itself(points, closed, share, lap):
    path = walkable(points, closed)
    s = share * path.length + (lap * path.length if closed else 0.0)
    found = path.nearest(path.point(s), s - 0.01, 0.02)
    assert np.allclose(path.point(found), path.point(s), atol=1e-6)


def test_the_nearest_point_is_on_the_same_floor():
    """A ramp over its own foot: the branch at the height of the figure is taken."""
    path = Path(np.array([[0, 0, 0], [4, 0, 0], [4, 3, 4], [2, 3, 4], [2, 3, -2]], float))
    assert path.point(path.nearest([2.0, 0.1, 0.0]))[1] == pytest.approx(0.0)
    assert path.point(path.nearest([2.0, 3.1, 0.0]))[1] == pytest.approx(3.0)


def test_an_open_path_goes_on_straight():
    path = Path(np.array([[0, 0, 0], [0, 1, 2]], float))
    assert np.allclose(path.point([-1, 3]), [[0, -0.5, -1], [0, 1.5, 3]])


# what is a path


def test_of_points_at_one_place_the_higher_is_kept():
    for heights in ([0.0, 0.16], [0.16, 0.0]):
        rows = [[0, 0, 0], [0, heights[0], 1], [0, heights[1], 1], [0, 0.16, 2]]
        path = Path(np.array(rows, float))
        assert len(path.points) == 3 and path.point(1.0)[1] == pytest.approx(0.16)
    ring_ = Path(np.array([[0, 0, 0], [0, 0, 1], [1, 0, 1], [0, 0.5, 0]], float), closed=True)
    assert ring_.points[0, 1] == ring_.points[-1, 1] == 0.5


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([], "shape"),
        ([[0, 0, 0]], "one|1 point"),
        ([[0, 0], [1, 1]], "shape"),
        ([[1, 0, 1], [1, 5, 1]], "no length"),
        ([[0, 0, 0], [np.nan, 0, 1]], "point 2"),
        ([[0, 0, 0], [0, 0, 1], [0, np.inf, 1]], "point 3"),
        ([[0, 0, 0], [0, 0, 1e7]], "1000 km"),
        ([["a", 0, 0], [0, 0, 1]], "not numbers"),
    ],
)
def test_what_is_no_path_is_refused(points, message):
    for make in (Path, walkable):
        with pytest.raises(GambolError, match=message):
            make(points)


# rounding


@given(lines(), st.booleans(), FAR)
def test_any_drawing_can_be_walked(points, closed, far):
    """Finite, on the drawing's ends, and away from turns on the spot never tighter than the least radius allows."""
    path = walkable(points + far, closed)
    assert np.isfinite(path.points).all() and path.closed == closed
    assert all(0 <= p < path.length for p in path.pivots) and list(path.pivots) == sorted(path.pivots)
    if not closed:
        assert np.allclose(path.points[[0, -1]][:, [0, 2]], (points + far)[[0, -1]][:, [0, 2]])
        assert all(0 < p < path.length for p in path.pivots)
    # at a turn on the spot the heading jumps, nowhere else
    s = np.linspace(0.0, path.length, max(int(path.length / 0.01), 2))
    jumps = s[:-1][np.abs(np.diff(path.heading(s))) > 0.4]
    turns = np.array([*path.pivots, path.length if closed else -1.0])
    assert all(np.abs(turns - j).min() < 0.03 for j in jumps)
    assert all(abs(path.heading(p + 0.011) - path.heading(p - 0.011)) > 0.35 for p in path.pivots if p > 0.02)


@given(st.floats(0.5, 9), ANGLES, FAR, st.integers(2, 30))
def test_a_straight_line_is_unchanged(length, yaw, far, n):
    share = np.sort(np.random.default_rng(n).uniform(0, 1, n))
    ends = np.array([[0, 0, 0], [0, 0, length]], float)
    points = turned(ends[0] + np.r_[0, share, 1][:, None] * (ends[1] - ends[0]), yaw) + far
    path = walkable(points)
    assert path.length == pytest.approx(length, abs=1e-6) and path.pivots == ()
    s = np.linspace(0, length, 50)
    assert np.allclose(path.point(s), turned(np.stack([0 * s, 0 * s, s], -1), yaw) + far, atol=1e-6)
    assert np.abs(path.curvature(s)).max() < 1e-4


@given(st.floats(0.35, 2.0), st.floats(0.3, 2.5), st.sampled_from([-1, 1]), ANGLES)
def test_a_corner_with_room_has_the_radius_asked_for(radius, turn, way, yaw):
    room = 1.1 * radius * np.tan(turn / 2) + 1.5
    out = room * np.array([np.sin(way * turn), 0, np.cos(way * turn)])
    points = turned(np.array([[0, 0, -room], [0, 0, 0], out]), yaw)
    path = walkable(points, radius=radius)
    s = np.linspace(0, path.length, 2000)
    assert path.pivots == () and np.abs(path.curvature(s)).max() <= 1.01 / radius
    assert path.heading(path.length) - path.heading(0.0) == pytest.approx(way * turn, abs=1e-6)
    # as near to the corner as such an arc comes, the easing adds little
    deepest = max(radius * (1 / np.cos(turn / 2) - 1), 0.07) + 0.04 / radius
    assert np.hypot(*path.points[:, [0, 2]].T).min() <= deepest


@given(st.floats(0.4, 1.5), st.floats(0.3, 2.4), FAR)
def test_curvature_is_continuous(radius, turn, far):
    """It changes no faster than from nothing to the full bend over the 30 cm of the easing; halving the step
    halves the change."""
    out = np.array([np.sin(turn), 0, np.cos(turn)])
    path = walkable(np.array([[0, 0, -6], [0, 0, 0], 6 * out]) + far, radius=radius)
    changes = []
    for h in (0.08, 0.04, 0.02):
        s = np.arange(0.0, path.length, h)
        changes.append(np.abs(np.diff(path.curvature(s))).max())
        assert changes[-1] <= 1.15 * h / (radius * 0.3) + 1e-4
    assert changes[1] < 0.75 * changes[0] and changes[2] < 0.75 * changes[1]
    assert abs(path.curvature(0.0)) < 1e-6 and abs(path.curvature(path.length)) < 1e-6


def test_a_right_angle_stays_near_the_drawn_line(cases):
    """Case U022."""
    path = load_path(cases / "U022_path_right_angle.csv")
    drawn = np.array([[0, 0, 0], [0, 0, 5], [5, 0, 5]], float)
    assert path.pivots == () and off_line(path.points, drawn) < 0.35
    assert np.abs(path.curvature(np.linspace(0, path.length, 3000))).max() < 1.01 / 0.8
    assert np.allclose(path.points[[0, -1]], drawn[[0, -1]])


@given(st.floats(0.8, 2.0), st.booleans(), st.integers(12, 300))
def test_a_drawn_circle_is_walked_as_a_circle(radius, way, n):
    path = walkable(ring(n, radius)[:: 1 if way else -1], closed=True)
    assert np.abs(np.hypot(path.points[:, 0], path.points[:, 2]) - radius).max() < 0.08
    k = np.abs(path.curvature(np.linspace(0, path.length, 1000)))
    assert path.pivots == () and k.max() < 1.2 / radius and k.min() > 0.5 / radius


@given(st.floats(0.8, 1.0))
def test_any_rounding_of_a_drawing_by_hand_stays_near_it(amount):
    """A wavy line of 400 points with a hand's tremor: walked without a turn on the spot, within 5 cm."""
    rng = np.random.default_rng(int(1e6 * amount))
    z = np.linspace(0, 12, 400)
    drawn = np.stack([amount * np.sin(z), 0 * z, z], -1)
    path = walkable(drawn + rng.normal(0, 0.004, drawn.shape) * [1, 0, 1])
    assert path.pivots == () and off_line(path.points, drawn) < 0.05
    assert np.abs(path.curvature(np.linspace(0, path.length, 2000))).max() < 2.5


def test_a_line_of_pixels_is_walked_along():
    """Steps of 1 cm right and ahead are a diagonal, not 600 right angles."""
    path = walkable(np.cumsum(np.array([[0.01, 0, 0], [0, 0, 0.01]] * 300), 0))
    assert path.pivots == () and path.length == pytest.approx(3 * 2**0.5, abs=0.05)


@pytest.mark.parametrize("closed", [False, True])
def test_rounding_twice_is_rounding_once(closed):
    once = walkable(square(), closed)
    twice = walkable(once.points, closed)
    assert twice.length == pytest.approx(once.length, rel=0.02)
    assert off_line(twice.points, once.points) < 0.05


@pytest.mark.parametrize(
    ("points", "at"),
    [
        ([[0, 0, 0], [0, 0, 3], [0, 0, 1]], [3.0]),  # back the way one came
        ([[0, 0, 0], [0, 0, 3], [0.3, 0, 3], [0.3, 0, 0]], [3.0, 3.3]),  # no room between two corners
        ([[0, 0, 0], [0, 0, 0.2], [3, 0, 0.2]], [0.2]),  # no room before the corner
        ([[0, 0, 0], [0, 0, 3], [1, 0, 0.5]], [3.0]),  # sharper than 150 degrees
    ],
)
def test_corners_without_room_are_turned_on_the_spot(points, at):
    path = walkable(np.array(points, float))
    assert path.pivots == pytest.approx(at, abs=1e-6)
    assert np.allclose(path.point(list(path.pivots)), np.array(points[1 : 1 + len(at)], float), atol=1e-9)


@pytest.mark.parametrize("side", [0.3, 0.5])
def test_a_closed_path_with_tight_corners_stays_closed(side):
    path = walkable(square(side), closed=True)
    assert path.closed and path.length == pytest.approx(4 * side)
    assert path.pivots == pytest.approx([k * side for k in range(4)], abs=1e-6)
    assert path.stops(2) == pytest.approx([k * side for k in range(1, 9)])
    assert np.allclose(path.points[0], 0)
    assert path.heading(path.length + 0.1) - path.heading(0.1) == pytest.approx(2 * np.pi)


def test_a_closed_path_begins_where_it_was_drawn():
    """Also when the only tight corner is elsewhere, wherever the drawing begins."""
    drop_ = np.array([[0, 0, 0], [1.2, 0, 0.15], [3, 0, 0.5], [4, 0, 0], [3, 0, -0.5], [1.2, 0, -0.15]])
    for k in range(len(drop_)):
        path = walkable(np.roll(drop_, -k, 0), closed=True)
        assert path.closed and np.hypot(*(path.points[0] - drop_[k])[[0, 2]]) < 0.4
        assert any(np.allclose(path.point(p), 0, atol=1e-6) for p in path.pivots)
        assert len(path.pivots) == len(walkable(drop_, closed=True).pivots)
        assert path.length == pytest.approx(walkable(drop_, closed=True).length, abs=1e-6)


def test_there_and_back_is_a_closed_path_of_two_points():
    path = walkable(np.array([[0, 0, 0], [0, 0, 3]], float), closed=True)
    assert path.pivots == pytest.approx([0.0, 3.0]) and path.stops(2) == pytest.approx([3, 6, 9, 12])


def test_stops_of_an_open_path_are_its_turns_and_its_end():
    path = walkable(np.array([[0, 0, 0], [0, 0, 3], [0, 0, 1]], float))
    assert path.stops() == path.stops(5) == pytest.approx((3.0, 5.0))


def test_straights_of_a_closed_path_are_fine(cases):
    """Case U120: nothing is NaN, and the second lap lies on the first."""
    path = load_path(cases / "U120_path_closed_with_straights.csv")
    s = np.linspace(0, path.length, 1000)
    assert path.closed and path.pivots == ()
    for f in (path.point, path.tangent, path.curvature):
        assert np.isfinite(f(s)).all() and np.allclose(f(s), f(s + path.length), atol=1e-7)
    assert np.abs(path.curvature(s)).max() < 1.15 / 1.5


# laid on the ground


@given(lines(), st.floats(-0.5, 0.5), ANGLES)
def test_dropping_puts_every_point_on_the_ground(points, angle, heading):
    slope = Slope(angle, heading)
    path = walkable(points)
    low = drop(path, slope)
    assert np.allclose(low.points[:, 1], slope.height(low.points[:, [0, 2]]), atol=1e-9)
    assert low.length == pytest.approx(path.length, abs=1e-4) and low.pivots == path.pivots
    s = np.linspace(0, path.length, 100)
    assert np.allclose(low.point(s)[:, [0, 2]], path.point(s)[:, [0, 2]], atol=1e-4)
    assert np.allclose(drop(low, slope).points[:, 1], slope.height(drop(low, slope).points[:, [0, 2]]), atol=1e-9)


def test_dropping_keeps_each_riser():
    low = drop(Path(np.array([[0, 0, 0], [0, 1.6, 6]], float)), Stairs(0.16, 0.3, 10, start=1.0))
    rises = np.diff(low.points[:, 1])
    assert np.allclose(rises[rises > 1e-9], 0.16) and (rises > 1e-9).sum() == 10


def test_dropping_a_closed_path_keeps_it_closed():
    low = drop(walkable(square(0.5), closed=True), Slope(0.1))
    assert low.closed and len(low.pivots) == 4 and np.allclose(low.points[0], low.points[-1])


def slab(x, z, y, thick=0.0):
    """A rectangle at height y, or a block of that thickness below y."""
    (x0, x1), (z0, z1) = x, z
    top = np.array([[x0, y, z0], [x0, y, z1], [x1, y, z1], [x1, y, z0]], float)
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    if not thick:
        return top, faces
    sides = [[i, 4 + i, (i + 1) % 4] for i in range(4)] + [[(i + 1) % 4, 4 + i, 4 + (i + 1) % 4] for i in range(4)]
    return np.concatenate([top, top - [0, thick, 0]]), np.concatenate([faces, faces[:, ::-1] + 4, sides])


def ground(*parts):
    """A mesh of several (vertices, faces)."""
    starts = np.cumsum([0, *(len(v) for v, _ in parts)])
    return Mesh(np.concatenate([v for v, _ in parts]), np.concatenate([f + s for (_, f), s in zip(parts, starts)]))


WIDE = slab((-9, 9), (-9, 9), 0.0)
RAMP = np.array([[-1, 0, -8], [1, 0, -8], [1, 3, -2], [-1, 3, -2]], float), np.array([[0, 2, 1], [0, 3, 2]])
RAMP_DOWN = RAMP[0] * [1, 1, -1], RAMP[1]
BRIDGE = ground(WIDE, RAMP, RAMP_DOWN, slab((-1, 1), (-2, 2), 3.0, 0.3))


@pytest.mark.parametrize("above", [-1.0, -0.3, 0.0, 0.3, 1.0, 5.0])
def test_a_path_drawn_above_or_below_the_ground_is_dropped(above):
    field = HeightField(np.array([-9.0, 9]), np.array([-9.0, 9]), np.array([[0.0, 0], [1, 1]]))
    hill = Mesh(*field.surface((0, 0), (0, 0)))
    points = np.array([[0, 0, -4], [0, 0, 4]], float)
    points[:, 1] = hill.height(points[:, [0, 2]]) + above
    low = drop(Path(points), hill)
    assert np.allclose(low.points[:, 1], hill.height(low.points[:, [0, 2]]))


@pytest.mark.parametrize("above", [0.0, 0.2, 1.0])
def test_over_and_under_a_bridge(above):
    """The same cross of ways: the height of the drawing says which floor, also where it hovers above it."""
    over = drop(Path(np.array([[0, above, -8.5], [0, above, -8], [0, 3 + above, -2], [0, 3 + above, 2],
                               [0, above, 8], [0, above, 8.5]])), BRIDGE)
    under = drop(Path(np.array([[-5, above, 0], [5, above, 0]])), BRIDGE)
    assert over.points[:, 1].max() == pytest.approx(3.0) and over.point(8.5)[1] == pytest.approx(3.0)
    assert np.allclose(under.points[:, 1], 0.0)


def test_a_path_drawn_without_heights_stays_on_its_floor():
    """All heights 0: over the bridge by its ramp, for the ramp is what one walks on from the first point on."""
    low = drop(Path(np.array([[0, 0, -8.5], [0, 0, 8.5]])), ground(WIDE, RAMP, RAMP_DOWN, slab((-1, 1), (-2, 2), 3.0)))
    assert low.point(8.5)[1] in (pytest.approx(3.0), pytest.approx(0.0))
    blocks = [slab((-1, 1), (k * 0.3, 4.0), 0.16 * (k + 1), 0.16 * (k + 1)) for k in range(10)]
    stairs = drop(Path(np.array([[0, 0, -2], [0, 0, 3.9]])), ground(WIDE, *blocks))
    assert stairs.points[-1, 1] == pytest.approx(1.6) and np.diff(stairs.points[:, 1]).max() == pytest.approx(0.16)


@pytest.mark.parametrize(("height", "drawn"), [(0.6, 0.6), (0.6, 0.0), (0.9, 0.0), (2.0, 2.0), (3.0, 3.0)])
def test_too_high_a_rise_names_place_and_height(height, drawn):
    block = ground(WIDE, slab((-1, 1), (1.0, 3.0), height, height))
    for a, b, word, at in ((-2, 2, "rise", 3.0), (2, -2, "drop", 1.0)):
        points = np.array([[0, 0, a], [0, 0, 1], [0, 0, 1], [0, 0, b]], float)
        points[1 if a > b else 2, 1] = drawn
        points[0 if a > b else 3, 1] = drawn
        with pytest.raises(GambolError) as error:
            drop(Path(points), block, 0.42)
        text = str(error.value)
        assert f"a {word} of {height:.2f} m" in text and "x 0.00, z " in text and "at most 0.42 m" in text
        where = float(text.split(" m, ")[1].split(" m along")[0])
        assert where == pytest.approx(at, abs=0.03 + (height - drawn) + 1.0 * (drawn > 1))


def test_off_the_terrain_names_the_place():
    small = ground(slab((-2, 2), (-2, 2), 0.0))
    with pytest.raises(GambolError) as error:
        drop(Path(np.array([[0, 0, 0], [0, 0, 5]], float)), small)
    assert "leaves the terrain 2.0" in str(error.value) and "x 0.00, z 2.0" in str(error.value)
    with pytest.raises(GambolError, match=r"leaves the terrain 0\.00 m"):
        drop(Path(np.array([[0, 0, -5], [0, 0, 0]], float)), small)


# files and texts


def write(folder, text, name="track.csv"):
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "text",
    [
        "x,y,z\n0,0,0\n0,0,3\n", "x,z\n0,0\n0,3\n", "id,z,y,x\na,0,0,0\nb,3,0,0",
        "\ufeffX, Y ,Z\r\n\r\n0,0,0\r\n0,0,3\r\n",
    ],
)
def test_csv(tmp_path, text):
    path = load_path(write(tmp_path, text))
    assert np.allclose(path.points[[0, -1]], [[0, 0, 0], [0, 0, 3]]) and not path.closed


@given(lines(), st.booleans())
def test_json_and_text_are_the_points(tmp_path_factory, points, closed):
    assume(np.abs(points[0] - points[-1]).max() > 1e-2)
    file = tmp_path_factory.mktemp("json") / "track.json"
    file.write_text(json.dumps({"points": points.tolist(), "closed": closed}))
    expected = walkable(points, closed)
    assert np.array_equal(load_path(file).points, expected.points) and load_path(file).closed == closed
    if not closed:
        file.write_text(json.dumps(points.tolist()))
        assert np.array_equal(load_path(file).points, expected.points)
        text = " ".join(",".join(map(repr, p)) for p in points.tolist())
        assert np.array_equal(parse_path(text).points, expected.points)


def test_ending_where_it_began_is_closed():
    assert parse_path("0,0 3,0 3,3 0,3 0,0").closed and not parse_path("0,0 3,0 3,3 0,3").closed
    assert not parse_path("0,0 0,3 0,0").closed  # there and back


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1.*no header"),
        ("0,0,0\n0,0,1\n", "line 1.*no header with x and z"),
        ("x,y,z\n0,0,0\n\n\n0,zero,1\n", "line 5.*0,zero,1"),
        ("x,y,z\n0,0,0\n0,0\n", "line 3"),
        ("x,y,z\n0,0,0\n0,0,nan\n", "line 3.*not finite"),
        ("x,y,z\n0,0,0\n", "1 point"),
        ("x,y,z\n", "no point"),
        ("x,y,z\n1,0,1\n1,2,1\n", "no length"),
    ],
)
def test_csv_errors_name_file_and_line(tmp_path, text, message):
    with pytest.raises(GambolError, match=rf"track\.csv.*{message}"):
        load_path(write(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"points": [[0, 0, 0],\n [0, 0 1]]}', "line 2"),
        ('{"points": [[0, 0, 0], [0, "a", 1]]}', 'point 2.*"a"'),
        ('{"points": [[0, 0, 0], [0, 0, 1], 7]}', "point 3"),
        ('{"points": [[0, 0, 0], [0, 0, NaN]]}', "point 2.*not finite"),
        ('{"points": [[0, 0, 0]]}', "1 point"),
        ('{"points": {"x": 1}}', '"points"'),
        ('{"line": []}', '"points"'),
        ('{"points": [[0, 0], [1, 1]], "closed": "yes"}', '"closed"'),
        ("[]", "no point"),
        ("3", "no path"),
    ],
)
def test_json_errors_name_file_and_place(tmp_path, text, message):
    with pytest.raises(GambolError, match=rf"track\.json.*{message}"):
        load_path(write(tmp_path, text, "track.json"))


def test_files_that_are_none(tmp_path):
    (tmp_path / "bytes.csv").write_bytes(bytes(range(128, 256)))
    for name, message in (("none.csv", "no such file"), ("", "a folder"), ("bytes.csv", "cannot be read")):
        with pytest.raises(GambolError, match=message):
            load_path(tmp_path / name)


@pytest.mark.parametrize("text", ["", "0,0", "0,0 1", "0,0 1,2,3,4", "0,0 a,b", "0,0 inf,1"])
def test_texts_that_are_no_path(text):
    with pytest.raises(GambolError):
        parse_path(text)


def test_the_survey_halts_at_each_turn():
    course = survey(walkable(np.array([[0, 0, 0], [0, 0, 3], [0, 0, 1]], float)), Flat(), Body(), 0.06)
    assert course.stops == pytest.approx((3.0, 5.0))


def test_the_first_metres_of_a_path():
    """The same points and headings, also over laps, and the turns on the spot before its end."""
    ring = parse_path("0,0 0,4 4,4 4,0 0,0")
    for path, far in ((parse_path("0,0 0,4 4,8"), 5.0), (ring, 3.0), (ring, 2.4 * ring.length)):
        part = path.until(far)
        s = np.linspace(0.0, far, 60)
        assert not part.closed and part.length == pytest.approx(far, abs=1e-9)
        assert np.abs(part.point(s) - path.point(s)).max() < 1e-9
        assert np.abs(part.heading(s[1:-1]) - path.heading(s[1:-1])).max() < 0.05
    sharp = parse_path("0,0 0,4 0.5,0 0.5,6")
    assert len(sharp.pivots) == 2 and len(sharp.until(sharp.pivots[0] + 1.0).pivots) == 1
