"""Walks on rigs of one's own: made for their bodies, planted on their own soles, added to their own files."""

import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from gambol import quat
from gambol.body import Body
from gambol.cli import main
from gambol.clips import CLIPS
from gambol.dressing import dressed
from gambol.errors import GambolError
from gambol.io import clips, load_character, load_motion
from gambol.loop import loop, rounds
from gambol.measure import measure
from gambol.methods.force_walk import ForceWalk
from gambol.path import parse_path
from gambol.rig_body import body_of
from gambol.synthesis import Task, generate
from gambol.terrain import Flat, Stairs

CASES = Path(__file__).parent / "cases"
OURS = [
    "U001_short_legs.glb", "U002_apose.glb", "U003_armature_001.glb", "U065_matrix_nodes.glb",
    "U070_underscore_prefix.glb", "U025_vrm0_faces_minus_z.vrm",
]  # fmt: skip
THEIRS = ["robot_expressive.glb", "cryptovoxels.vrm", "cesium_man.gltf"]
SLIDE, GAP = 1.0, 3.0  # mm


@lru_cache
def character(file):
    return load_character(file)


def stairs_for(body):
    """Four risers that suit the body: as high for its leg as a house's for a person's, and as deep as its foot."""
    unit = body.leg_length / 0.93
    return Stairs(0.16 * unit, max(0.29 * unit, 1.1 * body.foot_length), 4, start=1.5 * body.leg_length)


def walked(file, stairs):
    rig = character(file)
    body = body_of(rig.skeleton, rig.roles)
    ground = stairs_for(body) if stairs else Flat()
    far = ground.start + 4 * ground.tread + 1.5 * body.leg_length if stairs else 3.5 * body.leg_length
    made = generate(ForceWalk(), Task(body=body, path=parse_path(f"0,0 0,{far}"), terrain=ground, fps=60.0))
    return rig, body, ground, made, dressed(made, rig, ground)


def judged(file, stairs):
    rig, body, ground, made, motion = walked(file, stairs)
    feet = measure(motion, ground).feet
    assert feet.slide_mm < SLIDE and feet.floating_mm < GAP and feet.sinking_mm < GAP
    assert feet.swing_sinking_mm < GAP
    assert motion.contacts.sum() > 0.97 * made.contacts.sum()
    ahead = motion.positions()[:, list(rig.skeleton.soles)]
    toes = (ahead[:, 1] - ahead[:, 0]).mean(0)
    assert toes[2] > 0.5 * np.linalg.norm(toes)  # its toes lead: nobody walks backwards
    assert motion.root[-1, 2] - motion.root[0, 2] > 0.9 * (made.root[-1, 2] - made.root[0, 2])
    travel = np.abs((motion.root - motion.root[0])[:, [0, 2]] - (made.root - made.root[0])[:, [0, 2]])
    assert travel.max() < 0.02 * body.leg_length  # made for this body: the hips go as they were meant to


@pytest.mark.parametrize("stairs", [False, True])
@pytest.mark.parametrize("file", OURS)
def test_case_rigs_walk_on_flat_ground_and_stairs(file, stairs):
    if stairs and file not in OURS[:2]:
        pytest.skip("the same body")
    judged(CASES / file, stairs)


@pytest.mark.parametrize("stairs", [False, True])
@pytest.mark.parametrize("file", THEIRS)
def test_characters_of_others_walk_on_flat_ground_and_stairs(data, file, stairs):
    judged(data / "characters" / file, stairs)


@pytest.mark.parametrize("file", THEIRS)
def test_every_clip_of_the_set_is_planted_in_the_file(data, file, tmp_path, capsys):
    out = tmp_path / Path(file).with_suffix(".vrm" if file.endswith("vrm") else ".glb").name
    assert main(["walk", "--set", "--character", str(data / "characters" / file), "-o", str(out)]) == 0
    for name in CLIPS:
        capsys.readouterr()
        assert main(["measure", str(out), "--clip", name, "--json"]) == 0, name
        feet = json.loads(capsys.readouterr().out)["feet"]
        assert feet["slide_mm"] < SLIDE and feet["floating_mm"] < GAP and feet["sinking_mm"] < GAP, name


@pytest.mark.parametrize("file", ["fox.glb", "rigged_simple.gltf"])
def test_what_is_no_human_is_refused_with_the_reason(data, file, tmp_path, capsys):
    out = tmp_path / "out.glb"
    assert main(["walk", "--character", str(data / "characters" / file), "-o", str(out)]) == 2
    said = capsys.readouterr().err
    assert "not a human rig" in said and "legs" in said and not out.exists()


def test_the_body_has_the_proportions_of_the_rig():
    rig = character(CASES / "U001_short_legs.glb")
    body = body_of(rig.skeleton, rig.roles)
    shape = body.skeleton
    lengths = {n: -float(shape.offsets[shape.index(n), 1]) for n in ("left_lower_leg", "left_foot", "left_heel")}
    assert lengths == pytest.approx({"left_lower_leg": 0.27, "left_foot": 0.25, "left_heel": 0.09})
    assert body.leg_length == pytest.approx(0.61) and body.hip_width == pytest.approx(0.18)
    assert shape.offsets[shape.index("left_lower_arm")] == pytest.approx([0.336, 0, 0], abs=1e-6)
    person = Body(1.75)
    assert (person.lift, person.roll) == (0.0, 1.0) and person.hip_width == pytest.approx(0.175)


def test_a_person_measured_as_a_rig_is_that_person():
    from gambol.roles import roles_of

    person = Body(1.62)
    body = body_of(person.skeleton, roles_of(person.skeleton), mass=person.mass)
    assert np.abs(body.skeleton.offsets - person.skeleton.offsets).max() < 1e-9
    assert body.height == pytest.approx(1.62) and body.lift == pytest.approx(0.0, abs=1e-12)
    path = parse_path("0,0 0,2")
    a, b = (generate(ForceWalk(), Task(body=x, path=path, fps=30.0)) for x in (person, body))
    assert np.abs(a.positions() - b.positions()).max() < 1e-6


def test_facing_of_the_file_does_not_matter():
    """A rig that looks along -z walks as its twin that looks along +z, told to walk along +z (U025, U002)."""
    plain, turned = (walked(CASES / f, False)[4] for f in ("U070_underscore_prefix.glb", "U025_vrm0_faces_minus_z.vrm"))
    assert np.abs(plain.positions() - turned.positions()).max() < 1e-3


def test_a_loop_stays_closed_on_the_rig():
    rig = character(CASES / "U001_short_legs.glb")
    body = body_of(rig.skeleton, rig.roles)
    for in_place in (False, True):
        clip = dressed(loop(ForceWalk(), Task(body=body, fps=60.0), in_place), rig)
        assert clip.cyclic
        again = rounds(clip, 2)
        n = len(clip)
        turn = quat.log(quat.multiply(quat.conjugate(again.rotations[:-1]), again.rotations[1:]))
        steps = np.linalg.norm(turn, axis=-1).max(1)
        moves = np.linalg.norm(np.diff(again.root, axis=0), axis=1)
        assert steps[n - 1] <= np.delete(steps, n - 1).max() and moves[n - 1] <= 1.001 * np.delete(moves, n - 1).max()
        if in_place:
            assert np.abs(rounds(clip, 100).root[-n:] - clip.root).max() < 1e-3


def test_the_command_writes_measures_and_draws(tmp_path, capsys):
    out = tmp_path / "out.glb"
    words = ["walk", "--character", str(CASES / "U003_armature_001.glb"), "--path", "0,0 0,2", "-o", str(out)]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "legs 0.93 m" in said and "21 roles found" in said and "clip walk" in said
    assert main(["measure", str(out)]) == 0
    assert main(["render", str(out), "-o", str(tmp_path / "a.png")]) == 0
    assert load_motion(out).name == "walk" and load_motion(out, "Walk").name == "Walk"


@pytest.mark.parametrize("words", [["dance", "--bpm", "100", "--seconds", "4"], ["run", "--path", "0,0 0,6"]])
def test_a_rig_dances_and_runs_as_it_walks(words, tmp_path, capsys):
    """Made for its body, put on it, planted, and one clip more in its own file."""
    source, out = CASES / "U070_underscore_prefix.glb", tmp_path / "out.glb"
    assert main([*words, "--character", str(source), "-o", str(out)]) == 0
    said = capsys.readouterr().out
    assert f"clip {words[0]}" in said and "roles found" in said
    motion = load_motion(out, words[0])
    feet = measure(motion, Flat()).feet
    assert feet.slide_mm < SLIDE and feet.floating_mm < GAP and feet.sinking_mm < GAP
    assert set(clips(source)) < set(clips(out))


def test_a_rig_is_posed_by_its_hand(tmp_path, capsys):
    """The hand of the figure goes where it was dragged, and so the rig's, as far as arms are alike."""
    source, out = CASES / "U002_apose.glb", tmp_path / "out.glb"
    words = ["pose", "--drag", "left_hand:0.35,1.1,0.3", "--fix", "left_foot,right_foot"]
    assert main([*words, "--character", str(source), "-o", str(out)]) == 0
    assert "left_hand is at 0.350, 1.100, 0.300 m" in capsys.readouterr().out
    rig, motion = character(source), load_motion(out, "pose")
    hand = motion.positions()[0, motion.skeleton.index(rig.roles.names[rig.roles.joints["left_hand"]])]
    assert np.abs(hand - [0.35, 1.1, 0.3]).max() < 0.03
    feet = [motion.skeleton.index(rig.roles.names[rig.roles.joints[f"{s}_foot"]]) for s in ("left", "right")]
    moved = motion.positions()[0, feet] - rig.skeleton.rest_positions()[feet]
    assert np.abs(moved[:, 1]).max() < 0.01


def test_a_tail_sways_and_nothing_else(data, tmp_path, capsys):
    source, out = data / "characters" / "fox.glb", tmp_path / "fox.glb"
    words = ["sway", "--character", str(source), "--only", "b_Tail*", "--seconds", "1", "-o", str(out)]
    assert main(words) == 0
    assert "its own skeleton of 24 joints" in capsys.readouterr().out
    motion = load_motion(out, "sway")
    turned = np.abs(motion.rotations - motion.rotations[:1]).max((0, 2))
    swings = [n for n, t in zip(motion.skeleton.names, turned) if t > 1e-3]
    assert swings and all(n.startswith("b_Tail") for n in swings)
    assert main([*words[:4], "scarf*", "-o", str(out)]) == 2
    assert "no joint is called 'scarf*'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, says",
    [
        (["--roles", "a.json"], "--character"), (["--root-joint", "x"], "--character"),
        (["--character", "RIG", "--height", "1.7"], "its own"), (["--character", "nothing.glb"], "no such file"),
        (["--character", "RIG", "-o", "RIG"], "replaced"), (["--character", "RIG", "--root-joint", "x", "-o", "a.glb"],
         "no node above the hips"),
    ],
)  # fmt: skip
def test_words_that_cannot_be_used(words, says, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rig = tmp_path / "rig.glb"
    rig.write_bytes((CASES / "U002_apose.glb").read_bytes())
    words = [str(rig) if w == "RIG" else w for w in words]
    assert main(["walk", "--path", "0,0 0,1", *words]) == 2
    assert says in capsys.readouterr().err
    assert rig.read_bytes() == (CASES / "U002_apose.glb").read_bytes() and not (tmp_path / "a.glb").exists()


def test_a_rig_without_feet_or_skin_is_refused(tmp_path):
    from files import wander

    from gambol.io import save

    save(wander(3), tmp_path / "bare.glb", mesh=False)
    assert load_character(tmp_path / "bare.glb").skin is None  # mesh-less: soles come from the joints
    with pytest.raises(GambolError, match="reader of rigs"):
        load_character(tmp_path / "a.bvh")
