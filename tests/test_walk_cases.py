"""What people asked for elsewhere and did not get: slopes, stairs, corners, closed paths, other bodies.

Each test is named by its number in the list of cases; the inputs are in tests/cases. All is measured on the
finished motion.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path as FilePath

import numpy as np
import pytest
from walks import half_way, posed_com, slides, sole_tracks, straight

from gambol.body import Body
from gambol.gait import Gait
from gambol.methods import ForceWalk
from gambol.motion import Motion, join
from gambol.path import Path, load_path, walkable
from gambol.synthesis import Stream, Task, generate
from gambol.terrain import Mesh, Stairs, Terrain, load_terrain

CASES = FilePath(__file__).parent / "cases"
NOSINGS = np.array([[1.00, 0.15], [1.28, 0.34], [1.58, 0.46], [1.84, 0.63], [2.18, 0.79]])  # z, height of U011's edges
FEET = ("left", "right")


def back(path: Path) -> Path:
    return Path(path.points[::-1])


@cache
def ground(name: str) -> Mesh:
    return load_terrain(CASES / name)


@cache
def walk(case: str, way: str = "there", speed: float | None = None, height: float = 1.75) -> Motion:
    """A walk over the ground of a case along its path, or back."""
    names = {
        "U010": ("U010_slope_18deg_down.obj", "U010_path_down_slope.csv"),
        "U011": ("U011_stairs_irregular.obj", "U011_path_up_stairs.csv"),
    }
    terrain, path = ground(names[case][0]), load_path(CASES / names[case][1])
    task = Task(body=Body(height), path=path if way == "there" else back(path), terrain=terrain, gait=Gait(speed))
    return generate(ForceWalk(), task)


def soles(motion: Motion, side: str) -> np.ndarray:
    """(F, 3, 3) m: heel, ball and toe tip."""
    p, s = motion.positions(), motion.skeleton
    return p[:, s.indices([f"{side}_heel", f"{side}_toes", f"{side}_toe_tip"])] - ball_height(motion)


def ball_height(motion: Motion) -> np.ndarray:
    """(3, 3): where the ball's joint lies above the sole in the rest pose (heel and tip lie on it)."""
    s, rest = motion.skeleton, motion.skeleton.rest_positions()
    up = rest[s.indices(["left_heel", "left_toes", "left_toe_tip"]), 1] - rest[s.index("left_heel"), 1]
    return np.array([[0.0, h, 0.0] for h in up])


def sampled(motion: Motion, side: str, n: int = 12) -> np.ndarray:
    """(F, 2n, 3) m: points along the sole, heel to ball to tip."""
    heel, ball, tip = soles(motion, side).transpose(1, 0, 2)[:, :, None]
    u = np.linspace(0, 1, n)[:, None]
    return np.concatenate([heel + u * (ball - heel), ball + u * (tip - ball)], 1)


def above(points: np.ndarray, terrain: Terrain) -> np.ndarray:
    """(...) m over the ground that is there."""
    return points[..., 1] - terrain.height(points[..., [0, 2]], points[..., 1] + 0.05)


def flat_frames(motion: Motion, side: str) -> np.ndarray:
    """(F,) where heel and tip of a foot are both planted."""
    k = 2 * FEET.index(side)
    return motion.contacts[:, k] & motion.contacts[:, k + 1]


def runs(on: np.ndarray) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.r_[0, on.astype(int), 0]))
    return list(zip(edges[::2], edges[1::2], strict=True))


def planted(motion: Motion, terrain: Terrain) -> None:
    """Feet stay where they land, on the ground, and never go into it."""
    assert slides(motion).max() < 1e-3
    assert motion.contacts.any(1).all()
    tracks = sole_tracks(motion)
    assert np.abs(above(tracks, terrain)[motion.contacts]).max() < 5e-3


def trunk_tilt(motion: Motion) -> np.ndarray:
    """(F,) degrees from vertical of the line from hips to neck."""
    d = motion.at("neck") - motion.at("hips")
    return np.degrees(np.arccos(d[:, 1] / np.linalg.norm(d, axis=1)))


@pytest.mark.parametrize("way", ["there", "back"])
@pytest.mark.parametrize("speed", [0.8, 1.1])
def test_u010_the_sole_lies_on_the_slope(way, speed):
    """Down (and up) 18 degrees: flat soles within 3 degrees of the plane, heel and tip within 1 cm, trunk upright."""
    motion, terrain = walk("U010", way, speed), ground("U010_slope_18deg_down.obj")
    planted(motion, terrain)
    on_slope = 0
    for side in FEET:
        flat = flat_frames(motion, side)
        assert flat.any()
        heel, _, tip = soles(motion, side)[flat].transpose(1, 0, 2)
        slope = (terrain.height(tip[:, [0, 2]]) - terrain.height(heel[:, [0, 2]])) / np.hypot(
            *(tip - heel)[:, [0, 2]].T
        )
        sole = (tip - heel)[:, 1] / np.hypot(*(tip - heel)[:, [0, 2]].T)
        assert np.degrees(np.abs(np.arctan(sole) - np.arctan(slope))).max() < 3.0
        gaps = above(np.stack([heel, tip]), terrain)
        assert np.abs(gaps).max() < 0.01
        on_slope += int((np.abs(slope) > 0.3).sum())
    assert on_slope > 60  # frames
    assert trunk_tilt(motion).max() < 12.0
    # and nothing is deeper than 1 cm, but for the feet that stand across the crest at z = 0
    inside = np.concatenate([sampled(motion, s)[np.abs(motion.at(f"{s}_foot")[:, 2]) > 0.35] for s in FEET])
    assert above(inside, terrain).min() > -0.01


@pytest.mark.parametrize("way", ["there", "back"])
@pytest.mark.parametrize("height", [1.5, 1.6, 1.75, 1.9])
def test_u011_every_foothold_is_on_a_tread(way, height):
    """Unequal treads and risers, up and down: 60 % of each sole on the tread it stands on, no tread left out."""
    motion, terrain = walk("U011", way, None, height), ground("U011_stairs_irregular.obj")
    planted(motion, terrain)
    seen = set()
    for k, side in enumerate(FEET):
        points = sampled(motion, side)
        rise = np.abs(points[:, 0, 1] - points[:, -1, 1])
        for first, end in runs(motion.contacts[:, 2 * k : 2 * k + 2].any(1)):
            flat = points[first + int(np.argmin(rise[first:end]))]
            level = float(np.median(flat[:, 1]))
            assert np.ptp(flat[:, 1]) < 1e-3
            share = np.mean(np.abs(terrain.height(flat[:, [0, 2]], flat[:, 1] + 0.02) - level) < 0.005)
            assert share >= 0.6, (side, level)
            seen.add(abs(round(level, 2)))
    assert seen == {0.0, 0.15, 0.34, 0.46, 0.63, 0.79}


@pytest.mark.parametrize("way", ["there", "back"])
def test_u011_the_swing_foot_clears_each_nosing(way):
    """By 1 cm or more, sole and toes, wherever a foot in mid-swing passes over an edge that it did not stand on."""
    walked = walk("U011", way)
    motion, contacts = half_way(walked), np.repeat(walked.contacts, 2, axis=0)[:-1]
    passed = 0
    for k, side in enumerate(FEET):
        points = soles(motion, side)
        for first, end in runs(~contacts[:, 2 * k : 2 * k + 2].any(1)):
            before, after = points[max(first - 1, 0)], points[min(end, len(points) - 1)]
            margin = round(0.2 * (end - first))  # the foot leaves and lands close to an edge, as it must
            for z, y in NOSINGS:
                if any(p[:, 2].min() < z < p[:, 2].max() for p in (before, after)):
                    continue
                clear = edge_clearance(points[first + margin : end - margin], z) - y
                passed += len(clear) > 0
                assert (clear >= 0.010).all(), (side, z)
    assert passed >= 6  # of ten: each foot passes every edge; some lie under a sole that stands


def edge_clearance(points: np.ndarray, z: float) -> np.ndarray:
    """Heights m at which the soles (N, 3, 3) cross the edge at ``z``."""
    a, b = points[:, :2].reshape(-1, 3), points[:, 1:].reshape(-1, 3)
    over = (a[:, 2] - z) * (b[:, 2] - z) < 0
    a, b = a[over], b[over]
    return a[:, 1] + (b[:, 1] - a[:, 1]) * (z - a[:, 2]) / (b[:, 2] - a[:, 2])


@pytest.mark.parametrize("way", ["there", "back"])
@pytest.mark.parametrize("height", [1.1, 1.5, 1.6, 1.75])
def test_u011_nothing_goes_into_the_stairs(way, height):
    """No point of either sole deeper than 5 mm, at the frames and half-way between."""
    motion, terrain = half_way(walk("U011", way, None, height)), ground("U011_stairs_irregular.obj")
    for side in FEET:
        points = sampled(motion, side)
        top = terrain.height(points[..., [0, 2]], None)
        assert np.nanmin(points[..., 1] - top) > -0.005


def from_line(points: np.ndarray, line: np.ndarray) -> np.ndarray:
    """(F,) m, horizontal distance of points (F, 3) from a polyline (N, 3)."""
    p, a, b = points[:, None, [0, 2]], line[None, :-1, [0, 2]], line[None, 1:, [0, 2]]
    d = b - a
    u = np.clip(((p - a) * d).sum(-1) / np.maximum((d**2).sum(-1), 1e-12), 0, 1)
    return np.linalg.norm(p - a - u[..., None] * d, axis=-1).min(1)


def test_u022_a_right_angle_is_walked_round():
    """At 1.2 m/s: the heading changes over at least two steps, the pelvis stays within 0.5 m, feet planted."""
    drawn = np.array([[0.0, 0, 0], [0, 0, 5], [5, 0, 5]])
    motion = generate(ForceWalk(), Task(path=load_path(CASES / "U022_path_right_angle.csv"), gait=Gait(1.2)))
    assert slides(motion).max() < 1e-3
    assert motion.contacts.any(1).all()
    assert from_line(motion.root, drawn).max() < 0.5
    assert np.hypot(*(motion.root[-1] - drawn[-1])[[0, 2]]) < 0.1
    turns = np.array([abs(s["alpha_deg"]) for s in motion.info["plan"]])
    assert (turns > 5).sum() >= 2 and turns.max() < 60
    assert sum(s["alpha_deg"] for s in motion.info["plan"]) == pytest.approx(90, abs=2)
    # no pivoting: a foot that stands does not turn, and the body goes on
    near = np.linalg.norm(motion.com - [0.0, motion.com[0, 1], 5.0], axis=1) < 2.0
    speed = np.linalg.norm(np.diff(motion.com[near], axis=0), axis=1) * motion.fps
    assert speed.min() > 0.8
    forward = motion.at("left_toe_tip") - motion.at("left_heel")
    yaw = np.unwrap(np.arctan2(forward[:, 0], forward[:, 2]))
    for first, end in runs(flat_frames(motion, "left")):
        assert np.degrees(np.ptp(yaw[first:end])) < 0.2


@pytest.mark.parametrize("moved", [(2, (1.5, 0.0, 3.5)), (1, (-1.0, 0.0, 2.0)), (3, (2.0, 0.0, 7.0))])
def test_u074_an_edited_path_is_walked_anew(moved):
    """A control point is dragged and the walk solved again: feet plant, and the new path is followed to its end."""
    points = np.array([[0.0, 0, 0], [0, 0, 2.5], [1.0, 0, 4.5], [1.0, 0, 7.0]])
    k, place = moved
    before = generate(ForceWalk(), Task(path=walkable(points)))
    points[k] = place
    edited = walkable(points)
    after = generate(ForceWalk(), Task(path=edited))
    for motion in (before, after):
        assert slides(motion).max() < 1e-3
    assert from_line(after.root, edited.points).max() < 0.08
    assert np.hypot(*(after.root[-1] - points[-1])[[0, 2]]) < 0.1
    assert from_line(before.root, edited.points).max() > 0.2  # it was another walk


@pytest.mark.parametrize("step", [2, 4, 6])
def test_u074_a_path_edited_under_way(step):
    """Dragged while walking: no jump at the change, no slip, and the rest of the way is the new one."""
    points = np.array([[0.0, 0, 0], [0, 0, 4.0], [0.0, 0, 8.0]])
    task = Task(path=walkable(points))
    points[1:] += [[0.3, 0, 0], [0.9, 0, 0]]
    edited = replace(task, path=walkable(points))
    stream, parts = Stream(ForceWalk(), task), []
    while (part := stream.stretch()) is not None:
        parts.append(part)
        if len(parts) == step:
            stream.task = edited
    motion = join(parts)
    assert slides(motion).max() < 1e-3
    assert np.hypot(*(motion.root[-1] - points[-1])[[0, 2]]) < 0.1
    jump = np.linalg.norm(np.diff(motion.root, 2, axis=0), axis=1) * motion.fps
    assert jump.max() < 1.6 * (np.linalg.norm(np.diff(generate(ForceWalk(), task).root, 2, axis=0), axis=1) * 60).max()


def test_u120_two_laps_of_a_closed_path():
    """A stadium of straights and half circles, walked twice: finite, and the second lap on the line of the first."""
    path = load_path(CASES / "U120_path_closed_with_straights.csv")
    assert path.closed and np.isfinite(path.heading(np.linspace(0, 2 * path.length, 999))).all()
    task = Task(path=path, laps=2)
    motion = generate(ForceWalk(), task)
    for key in ("root", "rotations", "com", "forces"):
        assert np.isfinite(getattr(motion, key)).all()
    assert slides(motion).max() < 1e-3
    assert np.hypot(*(motion.root[-1] - motion.root[0])[[0, 2]]) < 0.1
    centre = np.array([1.5, 0, 2.0])
    angle = np.unwrap(np.arctan2(*(motion.root - centre)[:, [0, 2]].T))
    assert abs(angle[-1] - angle[0]) == pytest.approx(4 * np.pi, abs=0.15)
    half = task.gait.half_width(task.body)
    for side in FEET:
        feet = {0: [], 1: []}
        for first, end in runs(flat_frames(motion, side)):
            mid = (first + end) // 2
            heel, _, tip = soles(motion, side)[mid]
            lap = int(abs(angle[mid] - angle[0]) > 2 * np.pi)
            feet[lap].append(heel + 0.2 * (tip - heel))
        for lap in (0, 1):
            off = from_line(np.array(feet[lap]), path.points)
            assert np.abs(off - half).max() < 0.01, (side, lap)
    turned = np.abs(angle - angle[0])
    first, second = turned < 2 * np.pi, (turned > 2 * np.pi + 0.8) & (turned < 4 * np.pi - 0.8)
    stride = round(motion.fps * np.diff(motion.info["events"]["left_strike"])[3])  # without the sway
    track = np.stack([np.convolve(c, np.ones(stride) / stride, "same") for c in motion.com.T], -1)
    assert from_line(track[second], track[first]).max() < 0.015


@pytest.mark.parametrize("speed", [0.5, 1.0, 1.5])
@pytest.mark.parametrize("rise, tread", [(0.12, 0.36), (0.16, 0.30), (0.18, 0.28)])
def test_u125_going_down_a_foot_is_always_on_the_ground(speed, rise, tread):
    terrain = Stairs(-rise, tread, 6, start=1.5)
    motion = generate(ForceWalk(), Task(path=straight(1.5 + 6 * tread + 2), terrain=terrain, gait=Gait(speed)))
    planted(motion, terrain)
    total = motion.forces[:, :, 1].sum(1) / (motion.mass * 9.81)
    assert total.min() > 0.2  # and it carries the body


def test_u125_on_irregular_stairs():
    motion = walk("U011", "back")
    assert motion.contacts.any(1).all()
    assert motion.forces[:, :, 1].sum(1).min() > 0.2 * motion.mass * 9.81


def test_u143_dynamically_equal_speeds_give_equal_steps_over_leg():
    """Adult, child and giant at one v / sqrt(g leg): step over leg within 5 % of each other, feet planted."""
    asked = json.loads((CASES / "U143_one_walk_three_bodies.json").read_text())
    relative = []
    for person in asked["bodies"]:
        body = Body(person["height_m"], person["mass_kg"])
        v_hat = person["speed_m_s"] / np.sqrt(asked["g"] * person["leg_m"])
        speed = v_hat * np.sqrt(asked["g"] * body.leg_length)
        motion = generate(ForceWalk(), Task(body=body, path=straight(14 * body.leg_length), gait=Gait(float(speed))))
        assert slides(motion).max() < 1e-3
        places = []
        for side in FEET:
            z = soles(motion, side)[:, 0, 2]
            places += [z[(a + b) // 2] for a, b in runs(flat_frames(motion, side))]
        steps = np.diff(np.sort(places))[3:-4]
        assert np.ptp(steps) < 0.02 * body.leg_length
        relative.append(np.mean(steps) / body.leg_length)
    assert np.ptp(relative) / np.mean(relative) < asked["expect"]["step_over_leg_equal_within"]


@pytest.mark.parametrize(
    ("height", "rise", "tread", "start", "speed"),
    [(1.75, 0.152, 0.290, 2.48, 0.51), (1.6, -0.189, 0.367, 2.16, 0.55), (1.9, 0.165, 0.278, 1.01, 0.68)],
)
def test_a_riser_ahead_of_the_toe_does_not_throw_the_foot_up(height, rise, tread, start, speed):
    """A foot that lands just before a riser swings as on level ground, and C is where it was planned."""
    terrain = Stairs(rise, tread, 5, start=start)
    task = Task(body=Body(height), path=straight(start + 5 * tread + 2), terrain=terrain, gait=Gait(speed))
    motion = generate(ForceWalk(), task)
    assert np.abs(posed_com(motion) - motion.com).max() < 1e-3
    for side in ("left", "right"):
        ankle = motion.at(f"{side}_foot")
        level = (ankle[:, 2] < start - 0.5) | (ankle[:, 2] > start + 5 * tread + 0.6)
        above = (ankle[:, 1] - terrain.height(ankle[:, [0, 2]]))[level]
        assert above.max() < 0.35 * motion.skeleton.rest_positions()[0, 1]
