"""Footholds: on the tread that is there, one riser at a time, no step longer than asked for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from walks import straight

from gambol.body import Body
from gambol.errors import GambolError
from gambol.footsteps import (
    CLOSE,
    STAND,
    TURN,
    WALK,
    Course,
    Footstep,
    first_feet,
    next_step,
    step_object,
    survey,
)
from gambol.path import Path, drop, load_path, walkable
from gambol.terrain import Flat, HeightField, Mesh, Slope, Stairs, load_terrain

BODY = Body(1.75)
HALF = 0.05  # m
SOLE = np.linspace(-0.2, 0.8, 41)  # of the foot's length, from below the ankle


def plan(path: Path, terrain=None, length: float = 0.64, body: Body = BODY, laps: int = 1) -> list[Footstep]:
    """All footholds of a walk, the two of the stand first."""
    course = survey(path, terrain or Flat(), body, HALF * body.height / 1.75, laps)
    return steps_of(course, length)


def steps_of(course: Course, length: float, first: int = -1) -> list[Footstep]:
    feet = list(first_feet(course, first))
    while (step := next_step(course, feet[-2], feet[-1], length)) is not None:
        feet.append(step)
        assert len(feet) < 40 + 6 * course.path.length / length, "the walk does not end"
    return feet


def sole(foot: Footstep, body: Body = BODY) -> np.ndarray:
    """(41, 2) xz under the flat foot, heel to toe tip."""
    c = np.cos(foot.pitch)
    return foot.place[[0, 2]] + SOLE[:, None] * body.foot_length * c * np.array([np.sin(foot.yaw), np.cos(foot.yaw)])


def share_on_tread(foot: Footstep, terrain, body: Body = BODY) -> float:
    """Share of the sole that has ground within 5 mm under it."""
    y = terrain.height(sole(foot, body), np.full(len(SOLE), foot.place[1] + 0.05))
    return float(np.mean(np.abs(y - foot.place[1]) < 0.005))


def alternates(feet: list[Footstep]) -> None:
    sides = [f.side for f in feet]
    assert all(a == -b for a, b in itertools.pairwise(sides))


def ends_side_by_side(feet: list[Footstep], path: Path, laps: int = 1) -> None:
    a, b = feet[-2:]
    assert a.s == b.s == pytest.approx(path.length * laps, abs=1e-6)
    assert a.heading == pytest.approx(b.heading, abs=1e-6)
    assert np.linalg.norm((a.place - b.place)[[0, 2]]) == pytest.approx(2 * HALF, abs=1e-6)


@given(st.floats(1.0, 20.0), st.floats(0.3, 0.95), st.sampled_from([-1, 1]))
def test_straight_on_the_flat(distance, length, first):
    """Steps are equal, about as long as asked, and the end is reached exactly, side by side."""
    path = straight(distance)
    feet = steps_of(survey(path, Flat(), BODY, HALF), length, first)
    alternates(feet)
    ends_side_by_side(feet, path)
    assert feet[0].side == first and {f.kind for f in feet[:2]} == {STAND}
    s = np.array([f.s for f in feet])
    gaps = np.diff(s)
    assert gaps.min() >= 0 and gaps.max() <= 1.15 * length
    assert all(f.kind == WALK for f in feet[2:-1]) and feet[-1].kind == CLOSE
    for f in feet:
        assert f.place == pytest.approx([f.side * HALF, 0.0, f.s], abs=1e-9)
        assert f.yaw - f.heading == pytest.approx(f.side * 0.1) and f.pitch == f.roll == 0.0 and not f.stair
    if distance > 12 * length:
        assert gaps[3:8] == pytest.approx(length)


# rounded corners, and some so sharp that they are turned on the spot
turns = st.floats(-3.1, 3.1)
polylines = st.lists(st.tuples(st.floats(2.5, 5.0), turns), min_size=1, max_size=5)


def polyline(legs: list[tuple[float, float]]) -> Path:
    turns = np.cumsum([t if i else 0.0 for i, (_, t) in enumerate(legs)])
    ahead = np.stack([np.sin(turns), 0 * turns, np.cos(turns)], -1) * np.array([d for d, _ in legs])[:, None]
    return walkable(np.concatenate([np.zeros((1, 3)), np.cumsum(ahead, 0)]))


@given(polylines, st.floats(0.35, 0.85))
def test_any_walkable_polyline(legs, length):
    """Feet alternate, no step is longer than 1.15 of what was asked, turns on the spot are small, feet stay apart."""
    path = polyline(legs)
    feet = plan(path, length=length)
    alternates(feet)
    ends_side_by_side(feet, path)
    for a, b in itertools.pairwise(feet):
        assert b.s >= a.s - 1e-9 and b.s - a.s <= 1.15 * length
        turned = abs((b.heading - a.heading + np.pi) % (2 * np.pi) - np.pi)
        assert turned <= np.radians(50) + 1e-6 if b.kind == TURN else turned < np.radians(75)
    for f in feet:
        at = path.point(f.s)
        assert np.hypot(*(f.place - at)[[0, 2]]) == pytest.approx(HALF, abs=1e-9)
    for p in path.pivots:  # where the heading jumps the walk halts
        assert any(abs(f.s - p) < 1e-6 for f in feet)


@given(polylines, st.floats(-np.pi, np.pi))
def test_turning_the_path_turns_the_footsteps(legs, angle):
    path = polyline(legs)
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    turned = Path(path.points @ turn.T + [7.0, 0, -3.0], path.closed, path.pivots)
    for a, b in zip(plan(path), plan(turned), strict=True):
        assert (a.side, a.kind) == (b.side, b.kind)
        np.testing.assert_allclose(b.place, turn @ a.place + [7.0, 0, -3.0], atol=1e-6)


def stair_feet(rise: float, tread: float, count: int, start: float, length: float, body: Body = BODY):
    terrain = Stairs(rise, tread, count, start=start)
    path = straight(start + count * tread + 2.5)
    return plan(path, terrain, length, body), terrain, path


@settings(max_examples=100)
@given(
    st.floats(0.08, 0.20), st.floats(0.26, 0.40), st.integers(1, 8), st.floats(0.8, 3.0), st.floats(0.4, 0.8),
    st.sampled_from([1, -1]),
)  # fmt: skip
def test_stairs_up_and_down(rise, tread, count, start, length, way):
    """Each foot wholly on the ground it stands on (60 % at least), at its height, one riser a step at most."""
    feet, terrain, path = stair_feet(way * rise, tread, count, start, length)
    alternates(feet)
    ends_side_by_side(feet, path)
    for f in feet:
        assert f.place[1] == pytest.approx(rise * way * round(f.place[1] / (rise * way)), abs=1e-9)
        assert share_on_tread(f, terrain) >= 0.6
        assert f.pitch == f.roll == 0.0
    climbs = [round((b.place[1] - a.place[1]) / (way * rise)) for a, b in itertools.pairwise(feet)]
    assert set(climbs) <= {0, 1}
    assert [f.stair for f in feet[1:]] == [c == 1 for c in climbs]
    assert sum(climbs) == count
    if way > 0:  # the whole sole rests going up on treads longer than the foot
        assert all(share_on_tread(f, terrain) > 0.9 for f in feet) or tread < BODY.foot_length + 0.05
    gaps = np.diff([f.s for f in feet])
    assert gaps.min() > -1e-9 and gaps.max() <= max(1.15 * length, tread + 0.35)


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("height", [1.1, 1.5, 2.0])
def test_people_of_other_heights_take_the_same_stairs(way, height):
    body = Body(height)
    feet, terrain, _ = stair_feet(way * 0.15, 0.32, 5, 1.5, 0.38 * height, body)
    assert all(share_on_tread(f, terrain, body) >= 0.6 for f in feet)
    assert max(abs(b.place[1] - a.place[1]) for a, b in itertools.pairwise(feet)) <= 0.15 + 1e-9


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("angle", [10.0, 20.0, 30.0])
def test_diagonal_ascents(way, angle):
    """A path that crosses the stairs at a slant: still every foot on one tread, one riser a step."""
    terrain = Stairs(way * 0.14, 0.34, 4, start=1.5)
    far = 4.5
    path = Path(np.array([[0.0, 0, 0], [far * np.tan(np.radians(angle)), 0, far]]))
    feet = plan(path, terrain)
    alternates(feet)
    levels = [f.place[1] / (way * 0.14) for f in feet]
    assert levels == pytest.approx([round(v) for v in levels], abs=1e-9)
    assert set(np.diff(np.round(levels))) <= {0.0, 1.0}
    assert min(share_on_tread(f, terrain) for f in feet) >= 0.6


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("angle", [60.0, 80.0])
def test_stairs_taken_far_askew_come_to_their_end(way, angle):
    """More risers may lie under one sole than are left ahead."""
    a = np.radians(angle)
    path = Path(np.array([[0.0, 0, 0], [6 * np.sin(a), 0, 6 * np.cos(a)]]))
    feet = plan(path, Stairs(way * 0.16, 0.3, 6, start=1.0))
    alternates(feet)
    assert feet[-1].s == pytest.approx(path.length, abs=1e-6)


def test_irregular_stairs_of_the_case(cases):
    """U011: treads of 0.26 to 0.34 m and risers of 0.12 to 0.19 m, up and back down."""
    terrain = load_terrain(cases / "U011_stairs_irregular.obj")
    up = drop(load_path(cases / "U011_path_up_stairs.csv"), terrain)
    for path in (up, Path(up.points[::-1])):
        feet = plan(path, terrain)
        heights = {0.0, 0.15, 0.34, 0.46, 0.63, 0.79}
        seen = [round(float(f.place[1]), 6) for f in feet]
        assert set(seen) == heights  # no tread is left out
        assert all(share_on_tread(f, terrain) >= 0.6 for f in feet)
        order = sorted(heights)
        steps = [order.index(b) - order.index(a) for a, b in itertools.pairwise(seen)]
        assert set(map(abs, steps)) <= {0, 1}


@given(st.floats(-18, 18), st.floats(-np.pi, np.pi))
def test_on_a_slope_the_sole_lies_on_it(degrees, heading):
    """Uphill, downhill and across: heel, ankle point and tip touch the plane; roll is its tilt across the foot."""
    terrain = Slope(np.radians(degrees), heading)
    for f in plan(straight(5.0), terrain):
        forward = np.array([np.sin(f.yaw) * np.cos(f.pitch), np.sin(f.pitch), np.cos(f.yaw) * np.cos(f.pitch)])
        points = f.place + np.array([-0.2, 0.0, 0.8])[:, None] * BODY.foot_length * forward
        np.testing.assert_allclose(points[:, 1], terrain.height(points[:, [0, 2]]), atol=1e-3)
        across = np.tan(terrain.angle) * np.array([np.sin(heading), np.cos(heading)]) @ [np.cos(f.yaw), -np.sin(f.yaw)]
        assert f.roll == pytest.approx(np.arctan(across), abs=1e-6)


def test_a_small_bump_is_no_riser():
    z = np.linspace(-1, 6, 701)
    y = np.where((z > 2.0) & (z < 2.3), 0.02, 0.0)
    terrain = HeightField(np.array([-2.0, 2.0]), z, np.stack([y, y], 1))
    feet = plan(straight(5.0), terrain)
    assert not any(f.stair for f in feet)


def test_of_two_floors_the_path_s_own_is_walked():
    """A bridge over the path, and the path on the bridge."""

    def plate(y: float) -> np.ndarray:
        return np.array([[-2.0, y, -1.0], [-2, y, 9], [2, y, 9], [2, y, -1]])

    faces = np.array([[0, 1, 2], [0, 2, 3]])
    both = Mesh(np.concatenate([plate(0.0), plate(3.0)]), np.concatenate([faces, faces + 4]))
    for y in (0.0, 3.0):
        path = Path(np.array([[0.0, y, 0.0], [0.0, y, 6.0]]))
        assert {float(f.place[1]) for f in plan(path, both)} == {y}


def test_laps():
    """Twice round a closed path: twice as many steps within one, the end on the start."""
    angles = np.linspace(0, 2 * np.pi, 241)[:-1]
    ring = Path(2.0 * np.stack([1 - np.cos(angles), 0 * angles, np.sin(angles)], -1), closed=True)
    once, twice = plan(ring), plan(ring, laps=2)
    ends_side_by_side(twice, ring, 2)
    assert abs(len(twice) - 2 * len(once)) <= 6
    np.testing.assert_allclose(twice[-1].centre, ring.point(0.0), atol=1e-6)


def test_the_path_off_the_terrain_is_named():
    """Where the ground ends, along the path and in the world."""
    plate = Mesh(np.array([[-1.0, 0, -1], [-1, 0, 4], [1, 0, 4], [1, 0, -1]]), np.array([[0, 1, 2], [0, 2, 3]]))
    with pytest.raises(GambolError, match=r"4\.0\d m along .*x 0\.00, z 4\.0\d") as error:
        survey(straight(8.0), plate, BODY, HALF)
    assert "leaves the terrain" in str(error.value)
    narrow = Stairs(0.15, 0.3, 3, width=0.08)
    with pytest.raises(GambolError, match=r"leaves the terrain 0\.00 m along"):
        survey(straight(3.0), narrow, BODY, HALF)


@pytest.mark.parametrize("way, word", [(1, "rise"), (-1, "drop")])
def test_a_riser_no_leg_can_climb_is_named(way, word):
    """0.6 m, 2 m along the path: what, how high, where, and the most this leg takes."""
    most = 0.42 * BODY.leg_length
    with pytest.raises(GambolError) as error:
        survey(straight(5.0), Stairs(way * 0.6, 0.4, 1, start=2.0), BODY, HALF)
    text = str(error.value)
    assert f"a {word} of 0.60 m" in text and f"at most {most:.2f} m" in text
    assert any(f"{s} m along the path" in text for s in ("1.98", "1.99", "2.00", "2.01", "2.02"))
    survey(straight(5.0), Stairs(way * 0.38, 0.4, 1, start=2.0), BODY, HALF)


def test_a_child_s_riser_is_lower():
    with pytest.raises(GambolError, match=r"rise of 0\.30 m.*at most 0\.22 m"):
        survey(straight(5.0), Stairs(0.3, 0.4, 1, start=2.0), Body(1.0), HALF)


def test_the_paper_s_step_object():
    """[M, T, w_prev, h_prev, w, h, alpha] and its mode, figures 17 and 18."""
    feet, _, _ = stair_feet(0.16, 0.30, 3, 1.6, 0.64)
    k = next(i for i, f in enumerate(feet) if f.stair)
    before, here, after = feet[k - 2 : k + 1]
    told = step_object(before, here, after, 0.55)
    assert list(told) == ["M", "T", "w_prev", "h_prev", "w", "h", "alpha_deg", "mode"]
    assert told["M"] == ("left" if here.side > 0 else "right") and told["T"] == 0.55
    assert (told["w_prev"], told["w"]) == pytest.approx((here.s - before.s, after.s - here.s))
    assert (told["h_prev"], told["h"], told["alpha_deg"]) == pytest.approx((0.0, 0.16, 0.0), abs=1e-9)
    assert told["mode"] == "up, straight"
    down, _, _ = stair_feet(-0.16, 0.30, 3, 1.6, 0.64)
    k = next(i for i, f in enumerate(down) if f.stair)
    assert step_object(*down[k - 2 : k + 1], 0.55)["mode"] == "down, straight"


@pytest.mark.parametrize("side, word", [(1, "left"), (-1, "right")])
def test_the_step_object_knows_turns(side, word):
    angles = np.linspace(0, 1.5, 61)
    arc = 3.0 * np.stack([side * (1 - np.cos(angles)), 0 * angles, np.sin(angles)], -1)
    feet = plan(Path(arc))
    told = [step_object(*feet[k : k + 3], 0.5) for k in range(2, len(feet) - 4)]
    assert {t["mode"] for t in told} == {f"level, {word}"}
    assert all(t["alpha_deg"] * side > 0 for t in told)
    total = sum(t["alpha_deg"] for t in told)
    assert side * total == pytest.approx(np.degrees(sum(t["w"] for t in told) / 3.0), rel=0.05)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "x,z\n" + "1" * 200_000 + ",2\n"),
        ("a.json", "[" * 100_000),
        ("a.json", '{"points": [[0, 0, 0], [1' + "0" * 400 + ", 0, 0]]}"),
    ],
)
def test_a_path_file_no_program_wrote_is_refused_in_one_line(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(GambolError) as refused:
        load_path(tmp_path / name)
    assert name in str(refused.value) and "\n" not in str(refused.value)
