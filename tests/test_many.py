"""Lists of tasks: a batch is its members, JSON gives the same walk back, and what was made is never made again."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from dances import person, steps
from hypothesis import given, settings
from hypothesis import strategies as st
from test_cli import refused, run
from walks import straight

from gambol.body import Body
from gambol.commands import Commands
from gambol.errors import GambolError
from gambol.gait import Gait, pace
from gambol.io import load_motion
from gambol.many import generate_many
from gambol.measure import measure
from gambol.methods import ElasticDance, ForceWalk
from gambol.path import Path as WalkPath
from gambol.path import parse_path
from gambol.skeleton import Skeleton
from gambol.synthesis import Task, generate
from gambol.task_json import task_from_json, task_to_json
from gambol.terrain import Flat, HeightField, Mesh, Slope, Stairs
from gambol.wind import Wind

SHORT = {"path": "0,0 0,1.5", "fps": 30}
CORNERS = np.array([[-9, 0, -9], [-9, 0, 9], [9, 0.5, 9], [9, 0.5, -9]], float)
GROUNDS = (
    Flat(0.3), Slope(0.1, 0.7), Stairs(0.16, 0.3, 4, width=3.0), Mesh(CORNERS, np.array([[0, 1, 2], [0, 2, 3]])),
    HeightField(np.linspace(-9, 9, 7), np.linspace(-9, 9, 5), np.zeros((5, 7))),
)  # fmt: skip
TASKS = (
    Task(body=Body(1.62, 58), path=straight(2), fps=30, seed=3, hand_load=(2, 0)),
    Task(path=straight(3), terrain=Stairs(0.16, 0.3, 2), fps=30, gait=Gait(1.0)),
    Task(path=parse_path("0,0 0,2 1,3"), fps=30, gait=Gait(speed=((0, 0.9), (2, 1.3))), duration=4),
)


def lines(tmp_path: Path, *tasks: object) -> Path:
    file = tmp_path / "tasks.jsonl"
    file.write_text("".join((t if isinstance(t, str) else json.dumps(t)) + "\n" for t in tasks), encoding="utf-8")
    return file


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {f.name: f.read_bytes() for f in sorted(folder.iterdir())}


def test_a_batch_is_its_members():
    for task, motion in zip(TASKS, generate_many(ForceWalk(), TASKS), strict=True):
        alone = generate(ForceWalk(), task)
        for key in ("root", "rotations", "com"):
            np.testing.assert_allclose(getattr(motion, key), getattr(alone, key), atol=1e-9)
        np.testing.assert_allclose(motion.forces / motion.mass, alone.forces / alone.mass, atol=1e-9)
        np.testing.assert_array_equal(motion.contacts, alone.contacts)
        assert measure(motion, task.terrain).passed


def test_the_task_of_a_batch_that_cannot_be_is_named():
    with pytest.raises(GambolError, match=r"^task 2: gait: a walk at 9 m/s"):
        generate_many(ForceWalk(), [TASKS[0], Task(gait=Gait(9.0))])


paths = st.builds(
    lambda points, closed: WalkPath(np.array(points), closed),
    st.lists(
        st.tuples(*[st.floats(-50, 50)] * 3), min_size=4, max_size=9, unique_by=lambda p: (round(p[0]), round(p[2]))
    ),
    st.booleans(),
)
gaits = st.one_of(
    st.builds(Gait, st.floats(0.3, 2.0)), st.builds(Gait, step_length=st.floats(0.3, 0.8), cadence=st.floats(60, 120)),
    st.just(Gait(speed=((0.0, 1.0), (2.5, 1.25)), width=0.1)),
)  # fmt: skip


@given(
    paths, gaits, st.sampled_from(GROUNDS), st.floats(0.9, 3.1), st.floats(1, 240), st.none() | st.floats(0, 99),
    st.floats(-0.7, 0.7),
)  # fmt: skip
@settings(max_examples=40)
def test_json_gives_the_same_task_back(path, gait, ground, height, fps, duration, angle):
    """To the last bit, also through text."""
    ground = Slope(angle, 2 * angle) if isinstance(ground, Slope) else ground
    task = Task(Body(height), path, ground, gait, fps=fps, duration=duration, seed=2**40, hand_load=(1.5, 0))
    again = task_from_json(json.loads(json.dumps(task_to_json(task))))
    for key in ("body", "gait", "laps", "fps", "duration", "seed", "hand_load"):
        assert getattr(again, key) == getattr(task, key), key
    for mine, theirs in ((again.path, path), (again.terrain, ground)):
        assert type(mine) is type(theirs)
        for name, value in vars(theirs).items():
            if not name.startswith("_"):
                np.testing.assert_array_equal(getattr(mine, name), value)


def test_a_body_with_a_shape_and_a_dance_come_back_to_the_last_bit(capsys, tmp_path):
    plain = Body(1.7).skeleton
    offsets = np.array(plain.offsets)
    offsets[plain.indices(["left_lower_leg", "right_lower_leg"])] *= 0.9
    shape = Skeleton(plain.names, plain.parents, offsets, plain.soles)
    shaped = Task(body=Body(mass=61.0, shape=shape), path=straight(2))
    dance = Task(model=person(), keys=steps(), period=4.5, duration=5.0, fps=30.0)
    for task in (shaped, dance):
        data = json.loads(json.dumps(task_to_json(task)))
        again = task_from_json(data)
        assert again.body == task.body and again.period == task.period and task_to_json(again) == data
        assert (again.model is None) == (task.model is None) and len(again.keys) == len(task.keys)
        for mine, theirs in zip(again.keys, task.keys, strict=True):
            assert mine[:1] + mine[2:] == theirs[:1] + theirs[2:]
            np.testing.assert_array_equal(mine.pose.root, theirs.pose.root)
            np.testing.assert_array_equal(mine.pose.rotations, theirs.pose.rotations)
    file = lines(tmp_path, {**task_to_json(dance), "method": "dance", "name": "dance"})
    assert run(capsys, "make", file, "-o", tmp_path / "out")[0] == 0
    made, direct = load_motion(tmp_path / "out" / "dance.npz"), generate(ElasticDance(), dance)
    np.testing.assert_array_equal(made.rotations, direct.rotations)
    label = json.loads((tmp_path / "out" / "dance.label.json").read_text())
    assert label["body"] == {"model": "person:1.75"} and label["path"] is None
    for odd in (Task(commands=Commands.__new__(Commands)), Task(wind=Wind())):
        with pytest.raises(GambolError, match="has no JSON"):
            task_to_json(odd)


def test_the_speed_asked_for_is_the_speed_given(capsys, tmp_path):
    """Over whole strides of steady walking; where it cannot be, the limit is said (case U145)."""
    asked = (0.5, 0.9, 1.3, 1.7, 2.0)
    file = lines(tmp_path, *({"gait": {"speed": v}, "path": [[0, 0], [0, 14 * v]], "fps": 60} for v in asked))
    assert run(capsys, "make", file, "-o", tmp_path / "out", "--jobs", 1)[0] == 0
    for n, speed in enumerate(asked, 1):
        clip = load_motion(tmp_path / "out" / f"{n:05}.npz")
        strikes = clip.info["events"]["left_strike"][2:-2]
        z = np.interp(strikes, clip.times, clip.root[:, 2])
        assert (z[-1] - z[0]) / (strikes[-1] - strikes[0]) == pytest.approx(speed, rel=0.01)
        assert json.loads((tmp_path / "out" / f"{n:05}.label.json").read_text())["speed"]["asked_m_s"] == speed
    told = refused(capsys, "walk", "--speed", 3)
    most = float(told.split(" to ")[1].split()[0])
    assert f"walk at {most:.2f} m/s at most, or run: gambol run" in told and 2.0 < most < 3.0
    for height in (1.0, 1.31, 1.75, 2.2):  # the largest and smallest that are named are some that can be
        with pytest.raises(GambolError) as error:
            pace(Gait(9.0), Body(height))
        for bound in error.value.allowed.removesuffix(" m/s").split(" to "):
            assert pace(Gait(float(bound)), Body(height)).speed == float(bound)


def test_a_task_with_nothing_said_is_the_default():
    assert task_to_json(task_from_json({})) == task_to_json(Task())
    drawn = task_from_json({"path": [[0, 0], [0, 3], [2, 5]], "terrain": "slope:8"})
    assert drawn.terrain == Slope(np.radians(8))
    np.testing.assert_array_equal(drawn.path.points, parse_path("0,0 0,3 2,5").points)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(
        ["body", "path", "terrain", "gait", "laps", "fps", "duration", "seed", "hand_load", "height", "speed", "kind",
         "points", "closed", "pivots", "x"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(json_values)
@settings(max_examples=150)
def test_any_json_is_a_task_or_says_why_not(value):
    try:
        assert isinstance(task_from_json(value, "here"), Task)
    except GambolError as error:
        assert error.where.startswith("here")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("not json", "it is no JSON"),
        ("[1, 2]", "is no table"),
        ({"gait": {"sped": 1}}, "gait: there is no 'sped'; speed, step_length, cadence, width; did you mean 'speed'"),
        ({"pth": "0,0 0,2"}, "there is no 'pth'"),
        ({"gait": {"speed": 9}}, "a walk at 9 m/s is out of reach"),
        ({"method": "fly"}, "method: no method is called 'fly'"),
        ({"dials": {"lean": 4}}, "dials: lean: it is 4; -0.4 to 0.4 rad"),
        ({"style": "prod"}, "prod"),
        ({"terrain": {"kind": "moon"}}, "terrain: 'moon' is no kind of ground"),
        ({"terrain": {"kind": "stairs", "rise": 0.1}}, "tread is missing"),
        ({"path": [[0, 0], [0, "x"]]}, "path: points: these are not rows of numbers"),
        ({"path": "0,0 0,30", "terrain": "stairs:0.6,0.3,4"}, "rise of 0.60 m"),
        ({"name": "../out"}, "is no name of a file"),
        ({"seed": 1.5}, "seed: '1.5' is not a whole number"),
    ],
)
def test_a_line_that_fails_is_named_and_the_others_go_on(capsys, tmp_path, line, said):
    file = lines(tmp_path, SHORT, line, {**SHORT, "seed": 2})
    code, out, err = run(capsys, "make", file, "-o", tmp_path / "out", "--jobs", 1)
    assert code == 1 and out.startswith("2 made, 0 kept, 1 failed")
    assert f"{file}, line 2: " in err and said in err and err.count("\n") == 1 and "Traceback" not in err
    made = {f"0000{k}{suffix}" for k in (1, 3) for suffix in (".npz", ".label.json")}
    assert {f.name for f in (tmp_path / "out").iterdir()} == made


def test_a_label_says_what_the_clip_is(capsys, tmp_path):
    line = {**SHORT, "body": {"height": 1.6, "mass": 61}, "seed": 7, "name": "one", "style": "proud"}
    assert run(capsys, "make", lines(tmp_path, line), "-o", tmp_path)[0] == 0
    label, motion = json.loads((tmp_path / "one.label.json").read_text()), load_motion(tmp_path / "one.npz")
    assert label["sha256"] == hashlib.sha256((tmp_path / "one.npz").read_bytes()).hexdigest()
    assert (label["seed"], label["style"], label["frames"]) == (7, "proud", len(motion))
    assert (label["body"]["height_m"], label["body"]["mass_kg"]) == (1.6, 61)
    assert label["forces"]["mean_vertical_bw"] == pytest.approx(motion.forces[..., 1].sum(1).mean() / (61 * 9.81))
    assert label["contacts_s"]["left_heel"] and label["version"]
    travel = np.hypot(*np.diff(motion.root[:, [0, 2]], axis=0).T).sum()
    assert label["speed"]["mean_m_s"] == pytest.approx(travel / motion.duration)


def test_the_same_bytes_again_and_only_what_changed_is_made(capsys, tmp_path):
    """U157: the same seed is the same result, byte for byte."""
    a, b = tmp_path / "a", tmp_path / "b"
    file = lines(tmp_path, *({**SHORT, "seed": k, "gait": {"speed": 1 + 0.1 * k}} for k in range(3)))
    for folder in (a, b):
        assert run(capsys, "make", file, "-o", folder, "--jobs", 1)[1].startswith("3 made, 0 kept")
    assert bytes_of(a) == bytes_of(b)
    assert run(capsys, "make", file, "-o", a)[1].startswith("0 made, 3 kept")
    (a / "00002.npz").write_bytes((a / "00002.npz").read_bytes()[:-1])  # damaged
    (a / "00003.label.json").unlink()
    (a / ".gambol-half").write_bytes(b"written by halves")
    assert run(capsys, "make", file, "-o", a, "--jobs", 1)[1].startswith("2 made, 1 kept")
    assert bytes_of(a) == bytes_of(b)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
def test_killed_in_the_middle_and_taken_up_again(capsys, tmp_path):
    file = lines(tmp_path, *({**SHORT, "seed": k, "body": {"height": 1.5 + 0.01 * k}} for k in range(24)))
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert run(capsys, "make", file, "-o", whole, "--jobs", 1)[0] == 0
    words = [sys.executable, "-m", "gambol", "make", str(file), "-o", str(cut), "--jobs", "2"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and len(list(cut.glob("*.label.json"))) < 4:
            time.sleep(0.002)
        process.kill()  # its workers end of themselves
    assert 4 <= len(list(cut.glob("*.label.json"))) < 24
    code, out, _ = run(capsys, "make", file, "-o", cut, "--jobs", 2)
    assert code == 0 and int(out.split(" made, ")[1].split()[0]) >= 4
    assert bytes_of(cut) == bytes_of(whole)


def test_what_stops_everything_is_said_in_one_line(capsys, tmp_path):
    file = lines(tmp_path, SHORT)
    (tmp_path / "taken").write_text("a file")
    assert "a file has this name" in refused(capsys, "make", file, "-o", tmp_path / "taken")
    assert "no such file" in refused(capsys, "make", tmp_path / "none.jsonl", "-o", tmp_path).lower()
    assert "it holds no line" in refused(capsys, "make", lines(tmp_path, ""), "-o", tmp_path)
    twice = lines(tmp_path, {"name": "a"}, {"name": "A"})
    assert "is also that of line 1" in refused(capsys, "make", twice, "-o", tmp_path / "out")
    file = lines(tmp_path, SHORT)
    assert "no clips are made as '.mp3'" in refused(capsys, "make", file, "-o", tmp_path, "--clips", "mp3")
    assert "0 jobs" in refused(capsys, "make", file, "-o", tmp_path, "--jobs", 0)


def test_what_stands_in_the_way_of_one_clip_stops_that_one_alone(capsys, tmp_path):
    out = tmp_path / "out"
    (out / "a.npz").mkdir(parents=True)
    code, said, err = run(capsys, "make", lines(tmp_path, {**SHORT, "name": "a"}, {**SHORT, "name": "b"}), "-o", out)
    assert code == 1 and "1 made" in said and "1 failed" in said and "a.npz: it is there already and a folder" in err
    assert sorted(f.name for f in out.iterdir()) == ["a.npz", "b.label.json", "b.npz"]


def test_a_file_that_is_locked_stops_its_own_clip_alone(capsys, tmp_path, monkeypatch):
    """As where another program holds it open: what was there stays as it was, and nothing is half written."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.npz").write_bytes(b"held")
    real = os.replace

    def replace(source, target):
        if Path(target).name == "a.npz":
            raise PermissionError(13, "Permission denied", str(target))
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    file = lines(tmp_path, {**SHORT, "name": "a"}, {**SHORT, "name": "b"})
    code, said, err = run(capsys, "make", file, "-o", out, "--jobs", 1)
    assert code == 1 and "1 made" in said and "1 failed" in said and "a.npz" in err and "Traceback" not in err
    assert sorted(f.name for f in out.iterdir()) == ["a.npz", "b.label.json", "b.npz"]
    assert (out / "a.npz").read_bytes() == b"held"
    monkeypatch.undo()
    code, said, _ = run(capsys, "make", file, "-o", out, "--jobs", 1)
    assert code == 0 and "1 made, 1 kept" in said


def test_one_run_at_a_time_in_a_folder(capsys, tmp_path):
    fcntl = pytest.importorskip("fcntl")
    with open(tmp_path / ".gambol-lock", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "another run" in refused(capsys, "make", lines(tmp_path, SHORT), "-o", tmp_path)
    assert run(capsys, "make", lines(tmp_path, SHORT), "-o", tmp_path)[0] == 0
