"""Motions on other skeletons: limbs point where they pointed, feet stand where they stood."""

import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol import quat
from gambol.body import Body
from gambol.cli import main
from gambol.errors import GambolError
from gambol.feet import ground_heights, sole_points
from gambol.io import attach, clips, load_character, load_motion
from gambol.io.glb import unpack
from gambol.measure import measure
from gambol.methods.force_walk import ForceWalk
from gambol.path import parse_path
from gambol.retarget import Rigged, retarget
from gambol.roles import roles_of
from gambol.skeleton import Skeleton, forward_kinematics
from gambol.synthesis import Task, generate
from gambol.terrain import Slope, Stairs

CASES = Path(__file__).parent / "cases"
CMU = ("16_15", "16_36", "14_21")
THEIRS = ("robot_expressive.glb", "cryptovoxels.vrm", "cesium_man.gltf")
PERSON = Body(1.75).skeleton
ARMS = [(f"{s}_{a}", f"{s}_{b}") for s in ("left", "right") for a, b in
        (("upper_arm", "lower_arm"), ("lower_arm", "hand"))]  # fmt: skip
LEGS = [(f"{s}_{a}", f"{s}_{b}") for s in ("left", "right") for a, b in
        (("upper_leg", "lower_leg"), ("lower_leg", "foot"))]  # fmt: skip


@lru_cache
def character(file):
    return load_character(file)


def onto(file):
    rig = character(file)
    return Rigged(rig.skeleton, rig.roles)


@pytest.fixture(scope="module")
def walk():
    return generate(ForceWalk(), Task(path=parse_path("0,0 0,3"), fps=60.0))


def directions(motion, roles, bones):
    """(F, B, 3) unit vectors of bones given by roles."""
    p = motion.positions()
    d = np.stack([p[:, roles.joints[b]] - p[:, roles.joints[a]] for a, b in bones], 1)
    return d / np.linalg.norm(d, axis=-1, keepdims=True)


def apart(a, b):
    """degrees, largest angle between unit vectors."""
    return float(np.degrees(2 * np.arcsin(np.clip(np.linalg.norm(a - b, axis=-1).max() / 2, 0, 1))))


def drift(motion):
    return measure(motion).feet.slide_mm


# The cases


def test_a_t_pose_on_a_rig_that_rests_in_an_a_pose_has_level_arms(cases):
    """U002: elbows within 2 degrees of the height of the shoulders, hands far from the body."""
    source = load_motion(cases / "U002_tpose_hold.bvh")
    target = onto(CASES / "U002_apose.glb")
    out = retarget(source, roles_of(source.skeleton), target)
    arms = directions(out, target.roles, ARMS)
    assert np.degrees(np.arcsin(np.abs(arms[..., 1]))).max() < 2.0
    hands = out.positions()[:, [target.roles.joints[f"{s}_hand"] for s in ("left", "right")]]
    assert np.abs(hands[..., 0]).min() > 0.6 and (hands[:, 0, 0] > 0).all() and (hands[:, 1, 0] < 0).all()


def test_planted_feet_stay_planted_on_short_legs(cases):
    """U001 and U114: 1 mm, soles on y = 0, and the bones of the target bit for bit."""
    source = load_motion(cases / "U001_walk_planted.bvh")
    for file in ("U001_short_legs.glb", "U002_apose.glb", "U003_armature_001.glb"):
        target = onto(CASES / file)
        out = retarget(source, roles_of(source.skeleton), target)
        feet = measure(out).feet
        assert feet.slide_mm < 1.0 and feet.floating_mm < 1.0 and feet.swing_sinking_mm < 1e-3
        assert sole_points(out)[..., 1].min() > -1e-6
        assert out.skeleton is target.skeleton and out.translations is None
        assert out.contacts.any(1).mean() > 0.95
    ratio = 0.52 / 0.84  # of the legs: the short ones take short steps
    short = retarget(source, roles_of(source.skeleton), onto(CASES / "U001_short_legs.glb"))
    travel = np.diff(source.root[[0, -1], 2])[0]
    assert np.diff(short.root[[0, -1], 2])[0] == pytest.approx(ratio * travel, rel=0.02)


def test_straight_knees_stay_straight(cases):
    """U111: within 5 degrees."""
    source = load_motion(cases / "U002_tpose_hold.bvh")
    for file in ("U001_short_legs.glb", "U002_apose.glb", "U070_underscore_prefix.glb"):
        target = onto(CASES / file)
        legs = directions(retarget(source, roles_of(source.skeleton), target), target.roles, LEGS)
        assert apart(legs[:, [0, 2]], legs[:, [1, 3]]) < 5.0


def test_zero_length_bones_are_no_trouble(cases):
    """U034."""
    source = load_motion(cases / "U034_zero_length.bvh")
    out = retarget(source, roles_of(source.skeleton), onto(CASES / "U001_short_legs.glb"))
    assert np.isfinite(out.positions()).all() and np.isfinite(out.rotations).all()


def test_the_floor_stays_where_it_is_over_many_rounds(cases, tmp_path):
    """U110: a clip made of a clip made of a clip stands as high as the first."""
    source = load_motion(cases / "U001_walk_planted.bvh")
    file = CASES / "U070_underscore_prefix.glb"
    rig = character(file)
    motion = retarget(source, roles_of(source.skeleton), onto(file))
    first = motion
    for k in range(5):
        out = tmp_path / f"{k}.glb"
        attach(rig, [motion], out)
        again = load_character(out)
        back = load_motion(out, motion.name)
        motion = retarget(back, again.roles, Rigged(again.skeleton, again.roles))
    assert np.abs(motion.root[:, 1] - first.root[:, 1]).max() < 1e-3
    assert np.abs(sole_points(motion)[first.contacts][:, 1]).max() < 1e-3


@pytest.mark.parametrize("file", sorted((CASES).glob("*.bvh")), ids=lambda f: f.stem[:4])
def test_every_bvh_of_a_person_goes_onto_a_rig(file):
    """U090: any named humanoid skeleton works."""
    source = load_motion(file)
    out = retarget(source, roles_of(source.skeleton), onto(CASES / "U003_armature_001.glb"))
    assert len(out) == len(source) and np.isfinite(out.rotations).all()
    lying = "lying" in file.name  # legs that lie stretched out do not reach higher places by sinking
    assert sole_points(out)[..., 1].min() > (-3e-3 if lying else -1e-6)


# Captured clips on the rigs of others


@pytest.mark.parametrize("rig", THEIRS)
@pytest.mark.parametrize("clip", CMU)
def test_captured_stances_slide_at_most_a_millimetre(data, clip, rig):
    source = load_motion(data / f"mocap/cmu/{clip}.amc")
    target = onto(data / "characters" / rig)
    out = retarget(source, roles_of(source.skeleton), target)
    feet = measure(out).feet
    assert feet.slide_mm < 1.0 and feet.swing_sinking_mm < 1e-3
    assert sole_points(out)[..., 1].min() > -1e-6
    assert out.contacts.any(1).mean() > (0.35 if clip == "16_36" else 0.9)
    bones = [b for b in ARMS if b[0] in target.roles and b[1] in target.roles]
    arms = [directions(m, r, bones) for m, r in ((source, roles_of(source.skeleton)), (out, target.roles))]
    assert apart(*arms) < 2.0


@pytest.mark.parametrize("file", ["cmu_12_01_walk.bvh", "cmu_131_01_start_walk_stop.bvh"])
def test_both_conversions_of_the_same_archive_work(data, file):
    source = load_motion(data / "mocap/bvh" / file)
    out = retarget(source, roles_of(source.skeleton), onto(CASES / "U003_armature_001.glb"))
    assert drift(out) < 1.0


# Laws


def test_a_motion_put_on_its_own_skeleton_is_itself(walk):
    roles = roles_of(PERSON)
    out = retarget(walk, roles, Rigged(PERSON, roles))
    assert np.abs(out.positions() - walk.positions()).max() < 5e-3
    assert (out.contacts == walk.contacts).mean() > 0.97


def reposed(turns):
    """The person's skeleton with another rest pose: that in which its joints are turned by ``turns`` (J, 4)."""
    rest, _ = forward_kinematics(PERSON, PERSON.offsets[0], turns)
    parents = PERSON.parents
    offsets = np.array([rest[j] if p < 0 else rest[j] - rest[p] for j, p in enumerate(parents)])
    return Skeleton(PERSON.names, parents, offsets, PERSON.soles)


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_limbs_point_where_they_pointed_whatever_the_rest_pose(seed):
    """Arms at any angle, a crouch: the rest pose of the target makes no difference to where bones point."""
    rng = np.random.default_rng(seed)
    turns = np.tile(quat.IDENTITY, (len(PERSON), 1))
    for side, s in (("left", 1.0), ("right", -1.0)):
        down = -s * rng.uniform(-0.3, 1.5)
        turns[PERSON.index(f"{side}_upper_arm")] = quat.exp([*(0.3 * rng.normal(size=2)), down])
        turns[PERSON.index(f"{side}_lower_arm")] = quat.exp([0, -s * rng.uniform(0, 1.2), 0])
        bend = rng.uniform(0, 0.9)
        turns[PERSON.index(f"{side}_upper_leg")] = quat.exp([-bend, 0, 0])
        turns[PERSON.index(f"{side}_lower_leg")] = quat.exp([2 * bend, 0, 0])
        turns[PERSON.index(f"{side}_foot")] = quat.exp([-bend, 0, 0])
    target = reposed(turns)
    source = wave(12, seed)
    given_roles = {n: n for n in PERSON.names if n not in {PERSON.names[s] for s in PERSON.soles}}
    roles = roles_of(PERSON)
    out = retarget(source, roles, Rigged(target, roles_of(target, given_roles)))
    assert apart(directions(out, roles, ARMS), directions(source, roles, ARMS)) < 0.01


def wave(frames, seed=0):
    """A person who stands and waves both arms."""
    rng = np.random.default_rng(seed)
    t = np.arange(frames) / 30
    turns = np.zeros((frames, len(PERSON), 3))
    for n in ("left_upper_arm", "right_upper_arm", "left_lower_arm", "right_lower_arm", "chest", "neck"):
        turns[:, PERSON.index(n)] = 0.8 * np.sin(3 * t[:, None] + rng.uniform(0, 6, 3)) * rng.normal(size=3)
    from gambol.motion import Motion

    return Motion(PERSON, np.tile(PERSON.offsets[0], (frames, 1)), quat.exp(turns), 30.0)


def rebuilt(changes):
    """The person's skeleton with joints put in or left out.

    Args:
        changes: name -> list of shares at which joints are put into the bone above it, or None to leave it out.
    """
    names, parents, offsets = [], [], []
    at = {}
    for j, name in enumerate(PERSON.names):
        parent = int(PERSON.parents[j])
        offset = np.array(PERSON.offsets[j])
        while parent >= 0 and changes.get(PERSON.names[parent], []) is None:
            offset = offset + PERSON.offsets[parent]
            parent = int(PERSON.parents[parent])
        if changes.get(name, []) is None:
            continue
        above = at[PERSON.names[parent]] if parent >= 0 else -1
        done = 0.0
        for k, share in enumerate(changes.get(name) or []):
            names.append(f"{name}_extra_{k}")
            parents.append(above)
            offsets.append(offset * (share - done))
            above, done = len(names) - 1, share
        names.append(name)
        parents.append(above)
        offsets.append(offset * (1 - done))
        at[name] = len(names) - 1
    soles = [at[PERSON.names[s]] for s in PERSON.soles]
    skeleton = Skeleton(tuple(names), np.array(parents), np.array(offsets), tuple(soles))
    given_roles = {n: n for n in names if n in PERSON.names and n not in {PERSON.names[s] for s in PERSON.soles}}
    return Rigged(skeleton, roles_of(skeleton, given_roles))


@pytest.mark.parametrize(
    "changes",
    [
        {"left_lower_arm": [0.5], "right_lower_arm": [0.3, 0.6], "left_hand": [0.5]},  # twist joints inside the arms
        {"left_lower_leg": [0.5], "right_lower_leg": [0.5], "left_foot": [0.4]},  # and inside the legs
        {"chest": [0.5], "upper_chest": [0.25, 0.5, 0.75], "head": [0.5]},  # a long spine, a long neck
        {"left_shoulder": None, "right_shoulder": None}, {"chest": None}, {"chest": None, "upper_chest": None},
        {"neck": None},
    ],
)  # fmt: skip
def test_joints_more_or_less_change_nothing_that_is_seen(walk, changes):
    roles, target = roles_of(PERSON), rebuilt(changes)
    out = retarget(walk, roles, target)
    assert drift(out) < 1.0
    assert apart(directions(out, target.roles, ARMS), directions(walk, roles, ARMS)) < 0.01
    assert apart(directions(out, target.roles, LEGS), directions(walk, roles, LEGS)) < 3.0
    _, theirs = forward_kinematics(PERSON, walk.root, walk.rotations)
    _, ours = forward_kinematics(target.skeleton, out.root, out.rotations)
    for role, end in (("head", "head"), ("hips", "hips")):
        turn = quat.multiply(quat.conjugate(theirs[:, roles.joints[end]]), ours[:, target.roles.joints[role]])
        assert np.degrees(np.abs(quat.log(turn)).max()) < 0.01


def test_without_toes_feet_still_stand(walk):
    target = rebuilt({"left_toes": None, "right_toes": None})
    out = retarget(walk, roles_of(PERSON), target)
    assert drift(out) < 1.0 and sole_points(out)[..., 1].min() > -1e-6


@pytest.mark.parametrize("terrain", [Slope(np.radians(5)), Stairs(0.12, 0.35, 4, 0.8)])
def test_a_flat_walk_is_laid_over_slopes_and_stairs(walk, terrain):
    target = onto(CASES / "U003_armature_001.glb")
    out = retarget(walk, roles_of(PERSON), target, terrain)
    feet = measure(out, terrain).feet
    assert feet.slide_mm < 1.0 and feet.floating_mm < 3.0
    soles = sole_points(out)
    gap = soles[..., 1] - ground_heights(soles + [0, 0.01, 0], terrain)
    assert np.abs(gap[out.contacts]).max() < 5e-3
    assert out.contacts.any(1).mean() > 0.9
    rise = terrain.height(out.root[-1][[0, 2]]) - terrain.height(out.root[0][[0, 2]])
    assert out.root[-1, 1] - out.root[0, 1] == pytest.approx(float(rise), abs=0.03)


def test_what_is_no_human_is_refused(data, walk):
    fox = load_character(data / "characters" / "fox.glb")
    with pytest.raises(GambolError, match="four legs"):
        retarget(walk, roles_of(PERSON), Rigged(fox.skeleton, fox.roles))
    run = load_motion(data / "characters" / "fox.glb", "Run")
    with pytest.raises(GambolError, match="the motion: not a human rig"):
        retarget(run, roles_of(run.skeleton), Rigged(PERSON, roles_of(PERSON)))


# The command


def test_the_command_writes_into_the_rig_and_other_files(cases, tmp_path, capsys):
    source, rig = cases / "U001_walk_planted.bvh", CASES / "U003_armature_001.glb"
    before = rig.read_bytes()
    targets = [tmp_path / n for n in ("a.glb", "a.bvh", "a.npz")]
    words = [w for t in targets for w in ("-o", str(t))]
    assert main(["retarget", str(source), "--onto", str(rig), *words]) == 0
    said = capsys.readouterr().out
    assert "21 roles found" in said and "planted: slide 0." in said
    assert rig.read_bytes() == before
    assert clips(targets[0])[0] == "Walk" and len(clips(targets[0])) == 2
    assert drift(load_motion(targets[0], clips(targets[0])[1])) < 1.0
    assert len(load_motion(targets[1])) == len(load_motion(targets[2])) == len(load_motion(source))


def test_travel_and_in_place(cases, tmp_path):
    """U009: with travel the last root is the path's length from the first, in place it is where it began."""
    source = cases / "U001_walk_planted.bvh"
    ends = []
    for words in ([], ["--in-place"]):
        out = tmp_path / "a.glb"
        rig = str(CASES / "U003_armature_001.glb")
        assert main(["retarget", str(source), "--onto", rig, "-o", str(out), *words]) == 0
        motion = load_motion(out, clips(out)[1])
        ends.append(float(np.linalg.norm((motion.root[-1] - motion.root[0])[[0, 2]])))
    motion = load_motion(source)
    assert ends[0] == pytest.approx(np.linalg.norm((motion.root[-1] - motion.root[0])[[0, 2]]), rel=0.02)
    assert ends[1] < 0.05


def test_only_joints_below_one_root_are_written(data, tmp_path):
    """U071: control nodes (pole targets) get no tracks, and no node is added."""
    rig = character(data / "characters" / "robot_expressive.glb")
    source = load_motion(CASES / "U001_walk_planted.bvh")
    attach(rig, [retarget(source, roles_of(source.skeleton), Rigged(rig.skeleton, rig.roles))], tmp_path / "a.glb")
    old, new = (unpack(p, "x")[0] for p in (rig.source, (tmp_path / "a.glb").read_bytes()))
    assert len(old["nodes"]) == len(new["nodes"])
    moved = {new["nodes"][c["target"]["node"]]["name"] for c in new["animations"][-1]["channels"]}
    assert not any("Pole" in n or n == "Bone" for n in moved) and {"Body", "Foot.L", "Foot.R"} <= moved


def test_roles_are_said_saved_edited_and_given_back(tmp_path, capsys):
    rig, file = CASES / "U070_underscore_prefix.glb", tmp_path / "roles.json"
    assert main(["roles", str(rig), "-o", str(file)]) == 0
    said = capsys.readouterr().out
    assert "human, looks along +z" in said and "mixamorig_LeftUpLeg" in said and "%" in said
    table = json.loads(file.read_text())
    table["spine"], table["chest"] = "mixamorig_Spine1", ""
    file.write_text(json.dumps(table))
    assert main(["roles", str(rig), "--known", str(file), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["roles"]["spine"] == ["mixamorig_Spine1", 1.0] and "chest" not in again["roles"]
    source = CASES / "U001_walk_planted.bvh"
    out = tmp_path / "a.glb"
    assert main(["retarget", str(source), "--onto", str(rig), "--roles", str(file), "-o", str(out)]) == 0


@pytest.mark.parametrize("words, says", [
    (["--onto", "nothing.glb"], "no such file"), (["--onto", "RIG", "--roles", "none.json"], "no such file"),
    (["--onto", "RIG", "-o", "a.fbx"], "no writer"), (["--onto", "RIG", "-o", "RIG"], "replaced"),
    (["--onto", "RIG", "--clip", "x"], "clip"),
    (["--onto", "RIG", "--root-joint", "x", "-o", "a.glb"], "no node above"),
])  # fmt: skip
def test_requests_that_cannot_be_met(words, says, cases, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rig = tmp_path / "rig.glb"
    rig.write_bytes((CASES / "U003_armature_001.glb").read_bytes())
    words = [str(rig) if w == "RIG" else w for w in words]
    source = str(rig) if "--clip" in words else str(cases / "U001_walk_planted.bvh")
    assert main(["retarget", source, *words]) == 2
    assert says in capsys.readouterr().err and [p.name for p in tmp_path.iterdir()] == ["rig.glb"]
