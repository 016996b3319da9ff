"""A measured walk from a recording: what it finds, its file, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from walks import level_walk, slides, sole_tracks, straight

from gambol.body import Body
from gambol.errors import GambolError
from gambol.gait_events import find_events
from gambol.io import load, load_motion
from gambol.methods.measured_walk import MeasuredWalk
from gambol.motion import Motion, Trial
from gambol.personal import body_of
from gambol.recorded_walk import build_walk
from gambol.synthesis import Stream, Task, generate
from gambol.tracks import tracks_of
from gambol.walk_data import basis, decode_walk, encode_walk, load_walk, save_walk, series
from gambol.whole_force import compare_plates, estimate_forces


@pytest.fixture(scope="module")
def walked() -> Motion:
    return level_walk("force", 1.2, 100.0, length=18.0)


def test_finds_the_walk_it_was_made_from(walked):
    """Step, cadence, speed, legs and feet of a walk whose truth is known."""
    walk = build_walk(walked)
    plan = [s["w"] for s in walked.info["plan"]]
    assert walk.step_length == pytest.approx(np.median(plan), rel=0.02)
    assert 60 / walk.duration == pytest.approx(walked.info["cadence_steps_min"], rel=0.02)
    assert walk.speed == pytest.approx(1.2, rel=0.03)
    assert walk.subject.thigh == pytest.approx(0.245 * 1.75, abs=1e-3)
    assert walk.subject.shank == pytest.approx(0.246 * 1.75, abs=1e-3)
    assert walk.subject.ankle == pytest.approx(0.039 * 1.75, abs=3e-3)
    assert walk.info["asymmetry"]["step_time"] < 0.03


def test_turned_and_shifted_recordings_are_the_same_walk(walked):
    """A walk towards any side of the room, on a floor at any height, is the same walk."""
    from gambol import quat

    turn = quat.from_axis_angle([0.0, 1.0, 0.0], 2.2)
    rotations = walked.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    other = Motion(walked.skeleton, quat.rotate(turn, walked.root) + [3.0, 0.7, -2.0], rotations, walked.fps)
    a, b = build_walk(walked), build_walk(other)
    assert b.step_length == pytest.approx(a.step_length, rel=1e-3)
    for key in ("f1", "f2", "f3", "hip_y", "ankle_y"):
        assert np.abs(getattr(a.left, key).v - getattr(b.left, key).v).max() < 5e-3


def test_a_tilted_floor_is_levelled(walked):
    """CMU's floors slope by up to 2 %: nothing is right before that is taken out."""
    from gambol import quat

    turn = quat.from_axis_angle([1.0, 0.0, 0.0], -0.019)
    rotations = walked.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    tilted = build_walk(Motion(walked.skeleton, quat.rotate(turn, walked.root), rotations, walked.fps))
    plain = build_walk(walked)
    assert any("sloped by" in note for note in tilted.info["notes"])
    assert np.abs(tilted.left.hip_y.v - plain.left.hip_y.v).max() < 4e-3


def test_another_unit_is_found(walked):
    """Legs of 0.15 m are those of a file whose unit was taken for centimetres."""
    skeleton = replace(walked.skeleton, offsets=walked.skeleton.offsets / 5.644)
    small = Motion(skeleton, walked.root / 5.644, walked.rotations, walked.fps)
    assert build_walk(small).step_length == pytest.approx(build_walk(walked).step_length, rel=1e-3)
    assert build_walk(small, leg=1.0).subject.leg == pytest.approx(1.0, rel=1e-3)


def test_symmetric_is_symmetric(walked):
    walk = build_walk(walked, symmetric=True)
    for key in ("f1", "f2", "f3", "meta", "ankle_x", "ankle_y"):
        assert np.abs(getattr(walk.left, key).v - getattr(walk.right, key).v).max() < 1e-9
    x = walk.channels @ basis(np.array([0.1, 0.6])).T
    assert x[2, 0] == pytest.approx(-x[2, 1], abs=1e-9)  # sway
    assert x[1, 0] == pytest.approx(x[1, 1], abs=1e-9)  # height


def test_a_limp_is_kept():
    """Left steps that take longer than right ones stay so."""
    from gambol.gait_events import Events

    motion = level_walk("force", 1.2, 100.0, length=18.0)
    events = motion.info["events"]
    late = Events(
        {s: np.array(events[f"{s}_strike"]) + (0.06 if s == "left" else 0.0) for s in ("left", "right")},
        {s: np.array(events[f"{s}_off"]) for s in ("left", "right")},
    )
    walk = build_walk(motion, events=late)
    assert walk.left.origin.duration < walk.right.origin.duration - 0.08
    assert any("differ" in note for note in walk.info["notes"])
    stream = Stream(MeasuredWalk(styles=((0.0, (walk,)),)), Task(path=straight(12)))
    steps = [p for m in (stream.stretch() for _ in range(9)) for p in m.info["plan"]][3:]
    for foot in ("left", "right"):
        origin, mine = getattr(walk, foot).origin, [p for p in steps if p["M"] == foot]
        assert np.mean([p["T"] for p in mine]) / np.mean([p["T"] for p in steps]) == pytest.approx(
            origin.duration / walk.duration, rel=0.03
        )


def test_file_round_trip(walked, tmp_path):
    walk = build_walk(walked)
    save_walk(walk, tmp_path / "me.walk")
    again = load_walk(tmp_path / "me.walk")
    assert encode_walk(again) == encode_walk(walk)
    assert again.left.origin == walk.left.origin
    with pytest.raises(GambolError, match=r"\.walk"):
        save_walk(walk, tmp_path / "me.npz")
    with pytest.raises(GambolError, match="cannot be read"):
        load_walk(tmp_path / "none.walk")


@cache
def encoded() -> bytes:
    return encode_walk(build_walk(level_walk("force", 1.2, 100.0, length=18.0)))


@settings(max_examples=25, deadline=None)
@given(cut=st.integers(0, 4000), data=st.binary(max_size=40))
def test_torn_files_are_refused(cut, data):
    walk = encoded()
    torn = walk[: cut % len(walk)] + data
    with pytest.raises(GambolError, match="not a walk file"):
        decode_walk(torn, "me.walk")


@given(st.lists(st.floats(-1, 1), min_size=17, max_size=17))
def test_series_come_back(coefficients):
    c = np.array(coefficients)
    values = basis(np.arange(64) / 64) @ c
    assert np.abs(series(values) - c).max() < 1e-12


def test_a_body_of_the_person(walked):
    body = body_of(build_walk(walked))
    rest = body.skeleton.rest_positions()
    assert rest[body.skeleton.index("left_heel"), 1] == pytest.approx(0.0, abs=1e-12)
    assert body.leg_length == pytest.approx(rest[body.skeleton.index("left_upper_leg"), 1])


# bad input


def still(motion: Motion) -> Motion:
    return Motion(motion.skeleton, motion.root[:1].repeat(200, 0), motion.rotations[:1].repeat(200, 0), 60.0)


def test_nobody_walks(walked):
    with pytest.raises(GambolError, match="no foot ever strikes"):
        build_walk(still(walked))


def test_no_whole_step(walked):
    """Half a step, and a step without the one after it."""
    first = walked.info["events"]["left_strike"][2]
    with pytest.raises(GambolError, match=r"whole step|strikes the ground|flat foot"):
        build_walk(walked[int(first * 100) - 10 : int(first * 100) + 50])


def test_one_leg_only(walked):
    names = [n for n in walked.skeleton.names if not n.startswith("right_")]
    columns = walked.skeleton.indices(names)
    points = walked.positions()[:, columns]
    trial = Trial(tuple(names), points, walked.fps, name="hop")
    joints = {"hip": "upper_leg", "knee": "lower_leg", "ankle": "foot", "ball": "toes"}
    table = {f"left_{role}": [f"left_{joint}"] for role, joint in joints.items()}
    with pytest.raises(GambolError, match="right_hip"):
        build_walk(trial, table=table)


def test_stairs_are_not_levelled():
    from gambol.methods import METHODS
    from gambol.path import Path
    from gambol.synthesis import Task, generate
    from gambol.terrain import parse_terrain

    path = Path(np.array([[0.0, 0, 0], [0, 0, 5.0]]))
    motion = generate(METHODS["force"](), Task(path=path, terrain=parse_terrain("stairs:0.17,0.28,8")))
    with pytest.raises(GambolError, match="not level"):
        build_walk(motion)


def test_unknown_names_ask_for_a_table():
    points = np.random.default_rng(0).normal(size=(100, 3, 3))
    with pytest.raises(GambolError, match=r"left_hip.*JSON table"):
        tracks_of(Trial(("A", "B", "C"), points, 100.0, name="odd"))


# recorded walks


@pytest.mark.parametrize(
    ("clip", "speed", "step"),
    [("16_15", 1.10, 0.645), ("16_21", 1.71, 0.82), ("02_01", 1.20, 0.658), ("02_02", 1.63, 0.80)],
)
def test_recorded_people(data, clip, speed, step):
    walk = build_walk(load_motion(data / "mocap" / "cmu" / f"{clip}.amc"))
    assert walk.speed == pytest.approx(speed, rel=0.03)
    assert walk.step_length == pytest.approx(step, rel=0.03)
    knees = np.degrees([*walk.left.origin.knee, *walk.right.origin.knee])
    assert (knees > 12).all() and (knees < 36).all()  # the CMU fit has a knee offset of about 15 degrees


def planted(walk, height: float = 1.75) -> None:
    """Drift of planted feet of at most 1 mm, soles on the ground, where this walk is generalised to a body."""
    task = Task(body=Body(height), path=straight(3.5 * height))
    motion = generate(MeasuredWalk(styles=((0.0, (walk,)),)), task)
    assert slides(motion).max() < 1e-3
    assert sole_tracks(motion)[..., 1][motion.contacts].min() > -3e-3


def test_u001_stays_planted_on_any_body(cases):
    """Source with planted feet, generalised to bodies with other legs."""
    source = load_motion(cases / "U001_walk_planted.bvh")
    walk = build_walk(source)
    for height in (1.1, 1.95):
        planted(walk, height)
    assert walk.speed == pytest.approx(1.0, rel=0.05)


def test_u016_plates_decide(cases):
    """Events by the plates where a foot is on one; and a walk comes of it whose pace is the trial's."""
    want = json.loads((cases / "U016_two_plates_type2.expect.json").read_text(encoding="utf-8"))
    trial = load(cases / "U016_two_plates_type2.c3d")
    found = find_events(tracks_of(trial), trial).record()
    for key in ("left_strike", "left_off", "right_strike", "right_off"):
        assert min(abs(t - want[f"{key}_s"]) for t in found[key]) < 0.02
    walk = build_walk(trial)
    assert walk.step_length == pytest.approx(want["step_m"], rel=0.02)
    assert walk.speed == pytest.approx(want["speed_m_s"], rel=0.05)
    planted(walk)


def test_u131_markers_only(cases):
    """No plates: the walk can still be generalised, from a record with one whole step; the forces say so."""
    want = json.loads((cases / "U131_markers_only.expect.json").read_text(encoding="utf-8"))
    trial = load(cases / "U131_markers_only.c3d")
    walk = build_walk(trial)
    assert any("left foot is whole" in note and "mirrored" in note for note in walk.info["notes"])
    assert walk.info["steps"] == {"left": 0, "right": 1}
    assert walk.step_length == pytest.approx(want["step_m"], rel=0.03)
    assert walk.speed == pytest.approx(want["speed_m_s"], rel=0.03)
    assert max(walk.asymmetry) < 1e-9
    planted(walk)
    assert compare_plates(estimate_forces(trial), trial) == {}


def test_u137_gaps_are_bridged_or_follow_the_foot(cases):
    trial = load(cases / "U137_gaps_residual_minus1.c3d")
    tracks = tracks_of(trial)
    assert any("LKNE: 8 frames bridged" in n for n in tracks.notes)
    assert any("right toe: 61 frames" in n for n in tracks.notes)
    toe = tracks["right_ball"]
    assert np.isfinite(toe[100:161]).all()
    assert np.linalg.norm(np.diff(toe, axis=0), axis=1).max() * trial.fps < 8.0  # no jump where it is given back
    assert np.abs(toe).max(1).min() > 0.05  # nothing at the origin
    want = json.loads((cases / "U137_gaps_residual_minus1.expect.json").read_text(encoding="utf-8"))
    walk = build_walk(trial)
    assert walk.step_length == pytest.approx(want["step_m"], rel=0.06)
    assert set(tracks.notes) <= set(walk.info["notes"])
    planted(walk)
