"""Postures, scores and made-up dances; walks between dances in one clip."""

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from walks import slides

from gambol import quat
from gambol.choreography import dance_to, load_score
from gambol.cli import main
from gambol.errors import GambolError
from gambol.fitting import points_of
from gambol.io import load_motion
from gambol.models import model
from gambol.music import metronome
from gambol.performance import perform
from gambol.postures import (
    base_of,
    load_base,
    mirrored,
    other_side,
    pose_with,
    posture,
    posture_of,
    save_base,
    sum_of,
)
from gambol.synthesis import Task

SCORE = """
model = "person"
bpm = 100
balance = 0.7

[[key]]
at = 0

[[key]]
at = 2
posture = "lean_left*0.8 + raise_left_arm"
hold = 1

[[key]]
at = 4
posture = "dip"
turn = 45
move = [0.3, 0.0]
"""


def test_postures_add_up_and_scale():
    base = base_of("person")
    half, whole = posture("lean_left*0.5", base), posture("lean_left", base)
    for name, turn in whole.turns.items():
        assert half.turns[name] == pytest.approx(turn / 2)
    both = posture("lean_left + nod*0.5", base)
    assert both.turns["head"] == pytest.approx(whole.turns["head"] + 0.5 * base["nod"].turns["head"])


@pytest.mark.parametrize("kind", ["person", "dog", "spider", "centipede"])
def test_a_mirrored_posture_is_a_mirror_image(kind):
    body, base = model(kind), base_of(kind)
    twins = [body.skeleton.index(other_side(n)) for n in body.skeleton.names]
    for made in base.values():
        a = points_of(body.skeleton, pose_with(body, made)[0])
        b = points_of(body.skeleton, pose_with(body, mirrored(made))[0])
        assert np.abs(b[twins] * [-1, 1, 1] - a).max() < 1e-9
        assert mirrored(mirrored(made)).lift == made.lift


def test_every_posture_fits_every_model_of_its_kind():
    for name in ("person", "dog", "spider", "centipede", "rose", "lily", "willow", "grass", "tree"):
        body = model(name)
        for made in base_of(body.kind).values():
            pose, _ = pose_with(body, made)
            turns = quat.log(pose.rotations)[1:]
            assert (turns >= body.limits.low[1:] - 1e-9).all() and (turns <= body.limits.high[1:] + 1e-9).all()


def test_own_bases_move_between_skeletons(tmp_path):
    """A posture kept from one person is the same on another."""
    tall, small = model("person:1.9"), model("person:1.2")
    pose, _ = pose_with(tall, posture("raise_left_arm + dip", base_of("person")))
    save_base({"mine": posture_of(tall, pose)}, "person", tmp_path / "mine.json")
    base = load_base(tmp_path / "mine.json")
    there, _ = pose_with(small, base["mine"])
    made, _ = pose_with(small, posture("raise_left_arm + dip", base_of("person")))
    assert np.abs(there.rotations - made.rotations).max() < 1e-6
    assert "lean_left" in base
    with pytest.raises(GambolError, match="no joint 'neck'"):
        pose_with(model("spider"), posture("nod", base_of("person")))


def test_a_score_is_danced(tmp_path):
    (tmp_path / "score.toml").write_text(SCORE)
    score = load_score(tmp_path / "score.toml")
    assert [k.time for k in score.parts[0].keys] == pytest.approx([0.0, 1.2, 2.4])
    assert score.parts[0].keys[1].hold == pytest.approx(0.6)
    motion = perform(score, Task(fps=60))
    assert slides(motion).max() < 1e-3
    assert main(["dance", str(tmp_path / "score.toml"), "-o", str(tmp_path / "out.glb")]) == 0
    assert len(load_motion(tmp_path / "out.glb")) == len(motion)


def test_a_walk_between_two_dances_is_one_clip_with_planted_seams(tmp_path):
    """No foot slides and nothing jumps where the walk takes over, nor where the dance does."""
    text = SCORE.replace("[[key]]", "[[part.key]]").replace("balance = 0.7", "[[part]]").replace("turn = 45", "")
    text += "\n[[part]]\nwalk = \"0.3,0 0.3,2\"\nspeed = 1.2\n\n[[part]]\nkey = [{at = 1, posture = \"nod\"}]\n"
    (tmp_path / "score.toml").write_text(text)
    motion = perform(load_score(tmp_path / "score.toml"), Task(fps=120))
    assert slides(motion).max() < 1.5e-3
    assert motion.root[-1, [0, 2]] == pytest.approx([0.3, 2.0], abs=0.15)
    assert np.abs(np.diff(motion.positions(), axis=0)).max() * 120 < 9.0


def test_a_run_between_two_dances_is_one_clip_too(tmp_path):
    text = SCORE.replace("[[key]]", "[[part.key]]").replace("balance = 0.7", "[[part]]").replace("turn = 45", "")
    text += "\n[[part]]\nrun = \"0.3,0 0.3,9\"\nspeed = 3.2\n\n[[part]]\nkey = [{at = 1, posture = \"nod\"}]\n"
    (tmp_path / "score.toml").write_text(text)
    motion = perform(load_score(tmp_path / "score.toml"), Task(fps=120))
    assert slides(motion).max() < 1.5e-3
    assert motion.root[-1, [0, 2]] == pytest.approx([0.3, 9.0], abs=0.15)
    assert motion.contacts is not None and (~motion.contacts.any(1)).mean() > 0.03  # it flies
    assert np.linalg.norm(np.diff(motion.root, axis=0), axis=1).max() * 120 < 5.0


@pytest.mark.parametrize("name", ["dog", "spider", "rose"])
def test_anything_dances_to_a_beat(name, tmp_path):
    assert main(["dance", "--bpm", "120", "--seconds", "6", "--model", name, "-o", str(tmp_path / "a.npz")]) == 0
    motion = load_motion(tmp_path / "a.npz")
    assert motion.duration >= 5.5
    assert motion.positions()[..., 1].min() > -0.02
    if motion.contacts is not None and motion.contacts.any():
        assert slides(motion).max() < 1e-3


def test_a_made_up_dance_keeps_its_feet_planted():
    motion = perform(dance_to(metronome(116, 10), model("person"), 4), Task(fps=120))
    assert slides(motion).max() < 1e-3
    assert np.abs(motion.positions()[:, list(motion.skeleton.soles), 1][motion.contacts]).max() < 1e-6


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("model = 'cat'", "cat"), ("[[key]]\nposture = 'fly'", "fly"), ("[[key]]\nposture = 'nod*x'", "extent"),
        ("[[kye]]", "did you mean 'key'"), ("model = 3", "a text"), ("[[key]]\nat = 'x'", "at is 'x'"),
        ("x = [", "no score"), ("", "neither keys nor a walk"), ("bpm = 0\n[[key]]", "bpm is 0"),
        ("[[key]]\nat = 1\n[[key]]\nat = 0", "order"),
        ("[[key]]\nmove = 'left'", "move"), ("model = 'dog'\n[[part]]\nwalk = '0,0 0,1'", "does not walk"),
        ("mode = 'push'\n[[key]]", "push"), ("song = 'none.mid'\n[[key]]", "none.mid"),
    ],
)
def test_scores_that_cannot_be_danced_are_one_line(tmp_path, capsys, text, word):
    (tmp_path / "score.toml").write_text(text)
    assert main(["dance", str(tmp_path / "score.toml"), "-o", str(tmp_path / "out.npz")]) == 2
    error = capsys.readouterr().err
    assert word in error and error.count("\n") == 1
    assert not (tmp_path / "out.npz").exists()


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=60) | st.text("[]{}key=\"'1.\n part", max_size=80))
def test_any_text_is_a_score_or_one_clear_error(tmp_path_factory, text):
    file = tmp_path_factory.mktemp("score") / "s.toml"
    file.write_text(text, encoding="utf-8", errors="replace")
    with contextlib.suppress(GambolError):
        load_score(file)


def test_the_other_commands(tmp_path, capsys):
    out = tmp_path / "pose.npz"
    words = ["pose", "--model", "person", "--fix", "left_foot,right_foot", "--drag", "right_hand:-0.7,1.4,0.2"]
    assert main([*words, "-o", str(out)]) == 0
    motion = load_motion(out)
    assert motion.at("right_hand")[0] == pytest.approx([-0.7, 1.4, 0.2], abs=1e-3)
    words = ["sway", "--model", "willow", "--wind", "6", "--seconds", "4", "--loop"]
    assert main([*words, "-o", str(tmp_path / "s.npz")]) == 0
    assert load_motion(tmp_path / "s.npz").cyclic
    assert main(["sway", "--model", "cat", "-o", str(out)]) == 2
    assert main(["pose", "--drag", "right_hand:1,2", "-o", str(out)]) == 2
    assert main(["dance"]) == 2
    assert "--bpm" in capsys.readouterr().err


def test_sum_of_lifts_what_either_lifts():
    base = base_of("person")
    assert sum_of(base["raise_left_leg"], base["nod"]).lift == ("left",)
    assert sum_of(base["nod"], base["raise_left_leg"], 0.1).lift == ()
