"""The motion graph steered: what every stretch keeps to, and what the command line does."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from walks import largest_changes, slides, sole_tracks

from gambol.body import Body
from gambol.cli import main
from gambol.commands import Commands
from gambol.gait import Gait
from gambol.gather import gather
from gambol.graph import build_graph
from gambol.graph_file import built_in, load_graph
from gambol.io import load_motion
from gambol.methods.motion_graph import MotionGraphWalk
from gambol.motion import join
from gambol.path import Path, parse_path
from gambol.synthesis import Stream, Task, dials, generate

ROWS = [(0.0, 0.0), (0.5, 1.2), (3.0, 1.2, 0.5), (5.0, 0.8), (7.0, 0.0), (8.5, 0.0)]


def steered(rows=ROWS, fps=60.0, height=1.75, **dial):
    return generate(MotionGraphWalk(**dial), Task(body=Body(height), commands=Commands.of(rows), fps=fps))


@pytest.fixture(scope="module")
def walked():
    return steered()


def test_advance_is_pure():
    method, task = MotionGraphWalk(), Task(body=Body(1.75), commands=Commands.of(ROWS))
    states, parts = [method.start(task)], []
    while (step := method.advance(states[-1], task))[1] is not None:
        states.append(step[0])
        parts.append(step[1])
    for k in (0, 3, len(parts) - 1):
        again = method.advance(states[k], task)[1]
        assert np.array_equal(again.rotations, parts[k].rotations) and np.array_equal(again.root, parts[k].root)


@pytest.mark.parametrize("fps", [24, 29.97, 120])
def test_stretches_tile(fps):
    task = Task(body=Body(1.75), commands=Commands.of(ROWS), fps=fps)
    stream, parts = Stream(MotionGraphWalk(), task), []
    while (part := stream.read(7)) is not None:
        parts.append(part)
    whole = generate(MotionGraphWalk(), task)
    assert np.array_equal(join(parts).rotations, whole.rotations)
    assert np.array_equal(join(parts).contacts, whole.contacts)


def test_planted_feet_stay(walked):
    assert slides(walked).max() < 1e-3
    tracks = sole_tracks(walked)[..., 1]
    assert tracks.min() > -2e-3
    assert np.abs(tracks[walked.contacts]).max() < 3e-3
    assert walked.contacts.any(1).all()


def test_it_begins_and_ends_standing(walked):
    for k in (0, -1):
        assert walked.contacts[k].all()
    velocity = np.diff(walked.root, axis=0) * walked.fps
    assert np.linalg.norm(velocity[[0, -1]], axis=-1).max() < 0.02


@pytest.mark.parametrize(("speed", "turn"), [(0.7, 0.0), (1.2, 0.0), (1.5, 0.0), (1.0, 25.0), (0.8, -40.0)])
def test_speed_and_turn_are_kept(speed, turn):
    """Over whole strides within 3 % and 3 degrees a second: chords of the arc, each divided by sin(x) / x."""
    steady = speed, np.radians(turn)
    motion = steered([(0.0, min(speed, 0.8)), (1.0, *steady), (10.0, *steady)], fps=120.0)
    cuts = np.array([s["t"] for s in motion.info["segments"]])
    cuts = cuts[cuts > 5.0][::2]
    w, x, y, z = np.moveaxis(motion.rotations[:, 0], -1, 0)
    yaw = np.interp(cuts, motion.times, np.unwrap(np.arctan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y))))
    omega = (yaw[-1] - yaw[0]) / (cuts[-1] - cuts[0])
    at = np.stack([np.interp(cuts, motion.times, motion.root[:, i]) for i in (0, 2)], 1)
    chords = np.linalg.norm(np.diff(at, axis=0), axis=1)
    v = (chords / np.sinc(0.5 * omega * np.diff(cuts) / np.pi)).sum() / (cuts[-1] - cuts[0])
    assert v == pytest.approx(speed, rel=0.03)
    assert np.degrees(omega) == pytest.approx(turn, abs=3.0)


def test_a_command_is_obeyed_by_the_next_segment():
    stream = Stream(MotionGraphWalk(), Task(body=Body(1.75), commands=Commands.of([(0, 1.2), (1e4, 1.2)])))
    for _ in range(8):
        stream.stretch()
    now = stream.state.time
    stream.task = dataclasses.replace(stream.task, commands=Commands.of([(now, 1.5), (1e4, 1.5)]))
    stream.stretch()
    assert stream.state.time - now < 0.6
    assert stream.state.speed == pytest.approx(1.5, rel=1e-3)


def test_no_jump_where_the_command_changes():
    calm = max(largest_changes(steered([(0, 0), (0.5, v), (7, v)], fps=120.0))[0] for v in (0.9, 1.4))
    changed = steered([(0, 0), (0.5, 0.9), (3, 1.4, 0.4), (5, 0.9, -0.4), (7, 0.9)], fps=120.0)
    assert largest_changes(changed)[0] < 1.5 * calm


def test_random_commands_find_no_dead_end_and_stay_on_the_ground():
    rng = np.random.default_rng(3)
    stream = Stream(MotionGraphWalk(), Task(body=Body(1.75), fps=24.0, commands=Commands.of([(0, 1.0)])))
    while stream.state.time < 120.0:
        v = 0.0 if rng.random() < 0.15 else rng.uniform(0.4, 2.2)
        row = (stream.state.time, v, rng.uniform(-1, 1))
        stream.task = dataclasses.replace(stream.task, commands=Commands.of([row, (1e5, *row[1:])]))
        for _ in range(int(rng.integers(1, 6))):
            part = stream.stretch()
            assert np.isfinite(part.root).all()
            if len(part):
                assert part.root[:, 1].min() > 0.75 and part.root[:, 1].max() < 1.1


def test_same_commands_same_bytes(tmp_path):
    from gambol.io import save

    for name in ("a.glb", "b.glb"):
        save(steered(ROWS[:3]), tmp_path / name)
    assert (tmp_path / "a.glb").read_bytes() == (tmp_path / "b.glb").read_bytes()


def test_turned_figures_do_the_same():
    """A path turned and moved gives the motion turned and moved."""
    a = generate(MotionGraphWalk(), Task(path=parse_path("0,0 0,4")))
    b = generate(MotionGraphWalk(), Task(path=parse_path("1,2 5,2")))
    back = np.stack([-(b.root[:, 2] - 2.0), b.root[:, 1], b.root[:, 0] - 1.0], 1)
    assert np.abs(back - a.root).max() < 1e-6
    assert np.abs(b.rotations[:, 1:] - a.rotations[:, 1:]).max() < 1e-6


def test_a_path_is_followed():
    task = Task(path=Path(np.array([[0.0, 0, 0], [0, 0, 4], [2, 0, 7], [5, 0, 8]])), gait=Gait(speed=1.0))
    motion = generate(MotionGraphWalk(), task)
    from gambol.measure.track import off_track, track_of

    assert off_track(track_of(task.path.points), motion.root[:, [0, 2]]).max() < 0.35
    assert np.linalg.norm(motion.root[-1, [0, 2]] - [5.0, 8.0]) < 0.4


@pytest.mark.parametrize("height", [1.1, 2.1])
def test_other_bodies_walk_with_planted_feet(height):
    motion = steered([(0, 0), (0.3, 1.0), (4, 0), (6, 0)], height=height)
    assert slides(motion).max() < 1e-3
    assert np.abs(sole_tracks(motion)[..., 1][motion.contacts]).max() < 3e-3


def test_dials_move_something():
    rows = [(0.0, 0.0), (0.3, 1.8), (3.0, 1.8)]
    plain = steered(rows, fps=30.0)
    for d in dials(MotionGraphWalk):
        if d.name == "lookahead":  # of paths
            continue
        turned = steered(rows, fps=30.0, **{d.name: d.low if d.default > (d.low + d.high) / 2 else d.high})
        n = min(len(plain), len(turned))
        assert np.abs(turned.rotations[:n] - plain.rotations[:n]).max() > 1e-5, d.name


def test_captured_people_walk_and_run(data):
    """From clips: a stand, a walk, a run, a walk, a stand; nobody's feet slide, no seam is seen."""
    folder = data / "mocap" / "cmu"
    names = ["02_03", "16_08", "16_11", "16_15", "16_17", "16_21", "16_31", "16_34", "16_36", "16_45", "16_47", "16_55"]
    graph = build_graph(gather([folder / f"{n}.amc" for n in names]).clips)
    rows = [(0, 0), (0.4, 1.2), (3, 2.8), (6, 2.8), (6.1, 1.2), (9, 0), (11, 0)]
    motion = generate(MotionGraphWalk(graph), Task(body=Body(graph.height), commands=Commands.of(rows), fps=120.0))
    strings = [s["string"] for s in motion.info["segments"]]
    assert "FRF" in strings and "RDL" in strings and strings[-1] == "S"
    assert slides(motion).max() < 1e-3
    assert sole_tracks(motion)[..., 1].min() > -3e-3
    step = np.linalg.norm(np.diff(motion.root, axis=0), axis=-1) * motion.fps
    assert np.abs(np.diff(step)).max() < 0.35


# The command line


def test_build_show_follow(tmp_path, cases, capsys):
    folder = tmp_path / "clips"
    (folder / "sad").mkdir(parents=True)
    for name in ("a_walk", "b_walk_then_squat", "c_lying"):
        text = (cases / f"U012_graph_{name}.bvh").read_bytes()
        (folder / ("sad" if name == "a_walk" else "") / f"{name}.bvh").write_bytes(text)
    (folder / "broken.bvh").write_bytes(b"HIERARCHY\nROOT x {\n")
    file = tmp_path / "walker.graph"
    assert main(["graph", "build", str(folder), "-o", str(file), "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert [s[0].endswith("broken.bvh") for s in table["skipped"]] == [True]
    assert "sad" in table["styles"] and {"RDL", "LDR"} <= {g["string"] for g in table["groups"]}
    commands = tmp_path / "c.csv"
    commands.write_text("t,speed,turn\n0,1,0\n60,1,0\n")
    out = tmp_path / "o.npz"
    assert main(["follow", str(file), "--commands", str(commands), "-o", str(out), "--fps", "30"]) == 0
    assert load_motion(out).duration >= 59.9  # U012: a request of any length is met
    assert load_graph(file).edges == {"LDR": ("RDL",), "RDL": ("LDR",)}


def test_with_no_graph_it_says_whose_motion_it_is(tmp_path, capsys):
    assert main(["follow", "--path", "0,0 0,2", "-o", str(tmp_path / "a.glb"), "--fps", "30"]) == 0
    assert "no captured people" in capsys.readouterr().out
    assert built_in().gaits()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["graph", "build", "none", "-o", "x.graph"], "no such folder"),
        (["graph", "show", "none.graph"], "cannot be read"),
        (["follow", "none.graph"], "cannot be read"), (["follow", "--commands", "none.csv"], "cannot be read"),
        (["follow", "--commands", "a.csv", "--path", "0,0 0,2"], "one of them"),
        (["follow", "-o", "a.txt"], "no writer"),
        (["follow", "--dial", "reach=3"], "out of range"),
    ],
)
def test_bad_words_are_refused(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
