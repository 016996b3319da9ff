"""The clips a game asks for fit end to end."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from walks import angular_velocity, slides

from gambol.cli import main
from gambol.clips import CLIPS, clip_set, turn
from gambol.errors import GambolError
from gambol.io import clips as clip_names
from gambol.io import load_motion
from gambol.methods.force_walk import ForceWalk
from gambol.motion import join
from gambol.synthesis import Task


@cache
def made() -> dict:
    return {m.name: m for m in clip_set(ForceWalk(), Task(fps=30))}


def gap(a, b) -> float:
    """Largest difference of two poses, the way travelled left aside."""
    return max(float(np.abs(a.rotations - b.rotations).max()), float(np.abs(a.root - b.root)[..., :2].max()))


def test_every_clip_has_planted_feet_and_its_name():
    assert tuple(made()) == CLIPS
    for name, clip in made().items():
        assert slides(clip).max() < 1e-3, name
        assert clip.cyclic == (name in ("idle", "walk_slow", "walk_normal", "walk_fast", "stairs_up", "stairs_down"))


def test_they_fit_end_to_end():
    clips = made()
    stand, walk = clips["idle"][:1], clips["walk_normal"][:1]
    for first, second in (
        (clips["start"][:1], stand), (clips["start"][-1:], walk), (clips["stop"][:1], walk),
    ):
        assert gap(first, second) < 1e-9
    assert np.abs(clips["stop"].rotations[-1] - stand.rotations[0]).max() < 1e-6
    for side in ("left", "right"):
        assert gap(clips[f"turn_{side}"][:1], stand) < 1e-6


def test_start_walk_stop_is_one_walk_without_a_jump():
    clips = made()
    start, walk, stop = clips["start"], clips["walk_normal"], clips["stop"]
    travel = np.array(walk.info["loop"]["travel_m"])
    to = start.root[-1] - walk.root[0]
    bare = [replace(m, com=None, forces=None, pressure=None, contacts=None, cyclic=False) for m in (start, walk, stop)]
    whole = join([
        bare[0][:-1], replace(bare[1], root=walk.root + to), replace(bare[2], root=stop.root + to + travel),
    ])  # fmt: skip
    seams = [len(start) - 1, len(start) - 1 + len(walk)]
    change = np.linalg.norm(np.diff(angular_velocity(whole), axis=0), axis=-1).max(1)
    inside = np.delete(change, [s + k for s in seams for k in (-2, -1, 0)]).max()
    assert max(change[s + k] for s in seams for k in (-2, -1, 0)) <= inside
    speed = np.diff(whole.root, axis=0) * 30
    jump = np.linalg.norm(np.diff(speed, axis=0), axis=1)
    assert max(jump[s + k] for s in seams for k in (-2, -1, 0)) <= jump.max()


@pytest.mark.parametrize("degrees", [90, -90, 45, 180])
def test_a_turn_turns_on_the_spot(degrees):
    clip = turn(ForceWalk(), Task(fps=30), degrees)
    left = clip.at("left_upper_leg") - clip.at("right_upper_leg")
    yaw = np.degrees(np.unwrap(np.arctan2(-left[:, 2], left[:, 0])))
    assert abs(yaw[-1] - yaw[0]) == pytest.approx(abs(degrees), abs=0.5)
    if abs(degrees) < 180:
        assert yaw[-1] - yaw[0] == pytest.approx(degrees, abs=0.5)
    assert np.linalg.norm((clip.root[-1] - clip.root[0])[[0, 2]]) < 0.06
    assert slides(clip).max() < 1e-3
    with pytest.raises(GambolError, match="more than 30"):
        turn(ForceWalk(), Task(fps=30), 20)


def test_left_and_right_are_mirror_images():
    left, right = made()["turn_left"], made()["turn_right"]
    assert len(left) == len(right)
    assert np.abs(left.root * [-1, 1, 1] - right.root).max() < 1e-6


def test_the_set_is_one_file(tmp_path, capsys):
    file = tmp_path / "set.glb"
    assert main(["walk", "--set", "--fps", "30", "-o", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [c["name"] for c in told["clips"]] == list(CLIPS) == clip_names(file)
    for name, clip in made().items():
        back = load_motion(file, clip=name)
        assert len(back) == len(clip) and np.abs(back.positions() - clip.positions()).max() < 1e-4
    with pytest.raises(GambolError, match="no clip is called 'dance'"):
        clip_set(ForceWalk(), Task(), names=["dance"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--in-place"], "add --loop or --set"),
        (["--loop", "--set"], "leave --loop out"),
        (["--loop", "--path", "0,0 0,3"], "leave --path out"),
        (["--set", "--duration", "3"], "leave --duration out"),
        (["--set", "-o", "set.bvh"], "no writer"),
        (["--loop", "--terrain", "demo"], "not the same from stride to stride"),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_line(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["walk", *words]) == 2
    told = capsys.readouterr()
    assert said in told.err and told.err.count("\n") == 1 and not told.out
    assert not list(tmp_path.iterdir())


def test_a_loop_from_the_command_line_is_measured_as_it_was_walked(tmp_path, capsys):
    for words in (["--terrain", "stairs:0.165,0.285,9", "--in-place"], ["--speed", "0"]):
        file = tmp_path / "loop.npz"
        assert main(["walk", "--loop", "--fps", "30", *words, "-o", str(file)]) == 0
        assert main(["measure", str(file)]) == 0
        capsys.readouterr()


def test_the_stairs_of_the_set_lie_where_their_name_says():
    """A clip's ground is known by its text alone: measured on that, no foot floats or sinks."""
    from gambol.forms import read_ground
    from gambol.loop import unrolled
    from gambol.measure import measure

    for clip in clip_set(ForceWalk(), Task(fps=60.0), names=("stairs_up", "stairs_down")):
        feet = measure(unrolled(clip), read_ground(clip.info["ground"])).feet
        assert feet.slide_mm < 1.0 and feet.floating_mm < 3.0 and feet.sinking_mm < 3.0
