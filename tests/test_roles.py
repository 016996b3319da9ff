"""Which joint is what: every naming convention, no names at all, and figures that are no humans."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol.body import Body
from gambol.errors import GambolError
from gambol.joint_names import read_name
from gambol.roles import ROLES, find_roles, humanoid, roles_from_json, roles_of

BODY = Body(1.75).skeleton
CORE = [n for n in BODY.names if not n.endswith(("heel", "toe_tip"))]
TRUNK = ("hips", "spine", "chest", "upper_chest", "neck", "head")
PARTS = ("shoulder", "upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot", "toes")


def sided(pattern: str, words: str, left: str, right: str) -> list[str]:
    """Names of the limbs, left then right: ``pattern`` with {s} the side and {w} each of the eight words."""
    return [pattern.format(s=s, w=w) for s in (left, right) for w in words.split()]


# Names of hips, spine, chest, upper chest, neck, head, and of the eight joints of a left and a right side.
CONVENTIONS = {
    "mixamo": ["mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2", "mixamorig:Neck",
               "mixamorig:Head",
               *sided("mixamorig:{s}{w}", "Shoulder Arm ForeArm Hand UpLeg Leg Foot ToeBase", "Left", "Right")],
    "mixamo with a number": ["mixamorig7:Hips", "mixamorig7:Spine", "mixamorig7:Spine1", "mixamorig7:Spine2",
                             "mixamorig7:Neck", "mixamorig7:Head",
                             *sided("mixamorig7:{s}{w}", "Shoulder Arm ForeArm Hand UpLeg Leg Foot ToeBase",
                                    "Left", "Right")],
    "mixamo without a colon": ["mixamorigHips", "mixamorigSpine", "mixamorigSpine1", "mixamorigSpine2",
                               "mixamorigNeck", "mixamorigHead",
                               *sided("mixamorig{s}{w}", "Shoulder Arm ForeArm Hand UpLeg Leg Foot ToeBase",
                                      "Left", "Right")],
    "unreal": ["pelvis", "spine_01", "spine_02", "spine_03", "neck_01", "head",
               *sided("{w}_{s}", "clavicle upperarm lowerarm hand thigh calf foot ball", "l", "r")],
    "rigify": ["DEF-spine", "DEF-spine.001", "DEF-spine.002", "DEF-spine.003", "DEF-spine.004", "DEF-spine.006",
               *sided("DEF-{w}.{s}", "shoulder upper_arm forearm hand thigh shin foot toe", "L", "R")],
    "vroid": ["J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_UpperChest", "J_Bip_C_Neck", "J_Bip_C_Head",
              *sided("J_Bip_{s}_{w}", "Shoulder UpperArm LowerArm Hand UpperLeg LowerLeg Foot ToeBase", "L", "R")],
    "cmu asf": ["root", "lowerback", "upperback", "thorax", "lowerneck", "head",
                *sided("{s}{w}", "clavicle humerus radius wrist femur tibia foot toes", "l", "r")],
    "3ds max friendly": ["Hips", "lowerback", "Chest", "Chest2", "Neck", "Head",
                         *sided("{s}{w}", "Collar Shoulder Elbow Wrist Hip Knee Ankle Toe", "Left", "Right")],
    "lafan": ["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head",
              *sided("{s}{w}", "Shoulder Arm ForeArm Hand UpLeg Leg Foot Toe", "Left", "Right")],
    "xsens": ["Pelvis", "L5", "L3", "T8", "Neck", "Head",
              *sided("{s}{w}", "Shoulder UpperArm ForeArm Hand UpperLeg LowerLeg Foot Toe", "Left", "Right")],
    "perception neuron": ["Robot_Hips", "Robot_Spine", "Robot_Spine1", "Robot_Spine2", "Robot_Neck", "Robot_Head",
                          *sided("Robot_{s}{w}", "Shoulder Arm ForeArm Hand UpLeg Leg Foot ToeBase", "Left", "Right")],
    "daz": ["hip", "abdomenLower", "chestLower", "chestUpper", "neckLower", "head",
            *sided("{s}{w}", "Collar ShldrBend ForearmBend Hand ThighBend Shin Foot Toe", "l", "r")],
    "3ds max biped": ["Bip01 Pelvis", "Bip01 Spine", "Bip01 Spine1", "Bip01 Spine2", "Bip01 Neck", "Bip01 Head",
                      *sided("Bip01 {s} {w}", "Clavicle UpperArm Forearm Hand Thigh Calf Foot Toe0", "L", "R")],
    "source": ["ValveBiped.Bip01_Pelvis", "ValveBiped.Bip01_Spine", "ValveBiped.Bip01_Spine1",
               "ValveBiped.Bip01_Spine2", "ValveBiped.Bip01_Neck1", "ValveBiped.Bip01_Head1",
               *sided("ValveBiped.Bip01_{s}_{w}", "Clavicle UpperArm Forearm Hand Thigh Calf Foot Toe0", "L", "R")],
    "smpl": ["Pelvis", "Spine1", "Spine2", "Spine3", "Neck", "Head",
             *sided("{s}_{w}", "Collar Shoulder Elbow Wrist Hip Knee Ankle Foot", "L", "R")],
    "unity": ["Hips", "Spine", "Chest", "UpperChest", "Neck", "Head",
              *sided("{s}{w}", "Shoulder UpperArm LowerArm Hand UpperLeg LowerLeg Foot Toes", "Left", "Right")],
    "mmd": ["センター", "上半身", "上半身2", "上半身3", "首", "頭",
            *sided("{s}{w}", "肩 腕 ひじ 手首 足 ひざ 足首 つま先", "左", "右")],
    "words and blanks": ["Hips", "Spine", "Chest", "Upper Chest", "Neck", "Head",
                         *sided("{s} {w}", "shoulder arm elbow wrist leg knee ankle toe", "Left", "Right")],
    "sketchfab numbers": ["b_Hips_01", "b_Spine1_02", "b_Spine2_03", "b_Spine3_04", "b_Neck_05", "b_Head_06",
                          *sided("b_{s}{w}_07", "Shoulder UpperArm ForeArm Hand Thigh Shin Foot Toe", "Left", "Right")],
    "none": [f"joint_{i}" for i in range(22)],
}  # fmt: skip


def dressed(words: list[str]):
    """Names, parents and rest positions of the built-in person with other names, without sole joints."""
    keep = [j for j, n in enumerate(BODY.names) if n in CORE]
    order = [*TRUNK, *(f"{s}_{p}" for s in ("left", "right") for p in PARTS)]
    called = dict(zip(order, words))
    names = [called[BODY.names[j]] for j in keep]
    parents = [-1 if BODY.parents[j] < 0 else keep.index(int(BODY.parents[j])) for j in keep]
    return names, np.array(parents), BODY.rest_positions()[keep]


def expected():
    return {n: i for i, n in enumerate(CORE)}


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_convention_is_mapped_whole(convention):
    names, parents, rest = dressed(CONVENTIONS[convention])
    roles = find_roles(names, parents, rest)
    assert roles.kind == "human"
    assert roles.joints == expected()
    least = 0.4 if convention == "none" else 0.75 if convention in ("xsens", "perception neuron") else 0.85
    core = [v for r, v in roles.sure.items() if r not in TRUNK and not r.endswith("toes")]
    assert min(core) > least
    assert all(0 <= v <= 1 for v in roles.sure.values())


@given(st.floats(0.001, 1000), st.tuples(*[st.floats(-50, 50)] * 3), st.integers(0, 3), st.integers(0, 10**6))
def test_unit_place_and_quarter_turns_of_the_rest_pose_change_nothing(unit, shift, quarters, seed):
    names, parents, rest = dressed(CONVENTIONS["none"])
    yaw = quarters * np.pi / 2
    turn = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    jitter = np.random.default_rng(seed).normal(0, 0.003, rest.shape)
    roles = find_roles(names, parents, ((rest + jitter) @ turn.T) * unit + np.array(shift) * unit)
    assert roles.joints == expected()
    assert abs(np.angle(np.exp(1j * (roles.facing - yaw)))) < 1e-9


@given(st.permutations(range(22)))
@settings(max_examples=20)
def test_the_order_of_the_joints_in_the_file_changes_nothing(order):
    names, parents, rest = dressed(CONVENTIONS["unreal"])
    done: list[int] = []
    waiting = list(order)
    while waiting:  # parents first, otherwise in the order drawn
        j = next(k for k in waiting if parents[k] < 0 or parents[k] in done)
        waiting.remove(j)
        done.append(j)
    moved = [-1 if parents[j] < 0 else done.index(int(parents[j])) for j in done]
    roles = find_roles([names[j] for j in done], moved, rest[done])
    assert {r: done[j] for r, j in roles.joints.items()} == expected()


def test_twist_control_and_end_joints_carry_no_role():
    names, parents, rest = dressed(CONVENTIONS["unreal"])
    names, parents, rest = list(names), list(parents), list(rest)
    for side in "lr":
        for upper, lower in (("upperarm", "lowerarm"), ("thigh", "calf")):
            a, b = names.index(f"{upper}_{side}"), names.index(f"{lower}_{side}")
            names.append(f"{upper}_twist_01_{side}")
            parents.append(a)
            rest.append((rest[a] + rest[b]) / 2)
        for word, parent in (("ik_foot", 0), ("ik_hand", 0), ("hand_end", names.index(f"hand_{side}"))):
            names.append(f"{word}_{side}")
            parents.append(parent)
            rest.append(rest[parent] + [0, 0.01, 0.01])
    roles = find_roles(names, parents, np.array(rest))
    assert roles.joints == expected()


def test_a_twist_joint_inside_the_chain_is_passed_over():
    names, parents, rest = dressed(CONVENTIONS["mixamo"])
    names, parents, rest = list(names), [int(p) for p in parents], list(rest)
    knee, ankle = (names.index(f"mixamorig:Left{w}") for w in ("Leg", "Foot"))
    order = [*range(ankle), len(names), *range(ankle, len(names))]
    names.append("mixamorig:LeftLegTwist")
    parents.append(knee)
    rest.append((rest[knee] + rest[ankle]) / 2)
    parents[ankle] = len(names) - 1
    at = {j: i for i, j in enumerate(order)}
    roles = find_roles(
        [names[j] for j in order], [-1 if parents[j] < 0 else at[parents[j]] for j in order], np.array(rest)[order]
    )
    assert {r: order[j] for r, j in roles.joints.items()} == expected()


def test_feet_that_hang_from_the_root_are_found_by_name():
    names, parents, rest = dressed(CONVENTIONS["rigify"])
    names, parents = list(names), list(parents)
    for side in "LR":
        parents[names.index(f"DEF-foot.{side}")] = 0
    roles = find_roles(names, parents, rest)
    assert roles.kind == "human" and roles.joints["left_foot"] == names.index("DEF-foot.L")
    assert roles.joints["right_toes"] == names.index("DEF-toe.R")


def test_fingers_are_found_by_name(data):
    from gambol.io import load

    roles = roles_of(load(data / "mocap/bvh_quirks/mixamo_names_fingers.bvh").skeleton)
    named = {r: roles.names[j] for r, j in roles.joints.items()}
    assert named["left_thumb_metacarpal"] == "mixamorig:LeftHandThumb1"
    assert named["right_little_distal"] == "mixamorig:RightHandPinky3"
    assert sum("proximal" in r for r in named) == 10


@pytest.mark.parametrize(
    "name, part, side",
    [
        ("Bip001 R Finger0", "thumb", -1), ("Bip001 L Finger21", "middle", 1), ("lIndex1", "index", 1),
        ("LeftHandRing2", "ring", 1), ("index_01_r", "index", -1), ("左人指１", "index", 1), ("右親指２", "thumb", -1),
        ("finger_index.02.L", "index", 1), ("J_Bip_R_Little1", "little", -1),
    ],
)  # fmt: skip
def test_finger_names_of_many_rigs(name, part, side):
    reading = read_name(name)
    assert reading.parts.get(part) == 1.0 and reading.side == side


@given(st.text(max_size=40))
def test_any_text_can_be_a_name(text):
    reading = read_name(text)
    assert reading.side in (-1, 0, 1) and all(0 <= v <= 1 for v in reading.parts.values())


# What is no human


def animal(legs: int, level: bool = True):
    """A trunk along z with pairs of legs of two segments and a foot below it, a neck and a head."""
    names, parents, rest = ["root"], [-1], [np.array([0.0, 0.6, -0.5])]

    def add(parent, at):
        names.append(f"joint_{len(names)}")
        parents.append(parent)
        rest.append(np.array(at, float))
        return len(names) - 1

    spine, z = 0, -0.5
    for k in range(legs // 2):
        for side in (1, -1):
            hip = add(spine, [0.12 * side, 0.58, z])
            knee = add(hip, [0.13 * side, 0.32, z + 0.02])
            foot = add(knee, [0.13 * side, 0.06, z])
            add(foot, [0.13 * side, 0.0, z + 0.08])
        if k < legs // 2 - 1:
            z += 0.5
            spine = add(spine, [0.0, 0.62, z])
    add(add(spine, [0, 0.75, z + 0.15]), [0, 0.85, z + 0.3])
    return names, parents, np.array(rest)


@pytest.mark.parametrize("legs", [4, 6, 8])
def test_more_than_two_legs_are_no_human(legs):
    roles = find_roles(*animal(legs))
    assert roles.kind in ("quadruped", "other") and "legs" in roles.reason
    with pytest.raises(GambolError, match="legs"):
        humanoid(roles)


def test_the_fox_is_a_quadruped_and_a_cylinder_has_no_legs(data):
    names = {}
    for file in ("fox.glb", "rigged_simple.gltf"):
        names[file] = find_roles(*rig(data / "characters" / file))
    assert names["fox.glb"].kind == "quadruped"
    assert names["rigged_simple.gltf"].kind == "other" and "legs" in names["rigged_simple.gltf"].reason


@pytest.mark.parametrize("file", ["robot_expressive.glb", "cryptovoxels.vrm", "cesium_man.gltf"])
def test_real_characters_are_mapped_with_no_hand_work(data, file):
    roles = humanoid(find_roles(*rig(data / "characters" / file)))
    assert {f"{s}_{p}" for s in ("left", "right") for p in PARTS if p not in ("shoulder", "toes")} <= set(roles.joints)
    assert {"hips", "spine", "chest", "head"} <= set(roles.joints)
    if file == "robot_expressive.glb":
        assert roles.names[roles.joints["left_foot"]] == "Foot.L"
        assert roles.names[roles.joints["hips"]] == "Body"
    if file == "cesium_man.gltf":  # no names; it looks along +x
        assert roles.facing == pytest.approx(np.pi / 2)
        assert roles.names[roles.joints["left_hand"]] == "joint_9"
    if file == "cryptovoxels.vrm":
        assert roles.names[roles.joints["left_hand"]] == "Left wrist" and abs(roles.facing) == pytest.approx(np.pi)


def rig(file):
    """Names, parents and rest positions of the nodes without a mesh, read here so that no reader is trusted."""
    import struct

    raw = file.read_bytes()
    text = raw[20 : 20 + struct.unpack_from("<I", raw, 12)[0]] if raw[:4] == b"glTF" else raw
    nodes = json.loads(text)["nodes"]
    parent = {c: i for i, n in enumerate(nodes) for c in n.get("children", [])}
    order: list[int] = []

    def visit(i):
        if "mesh" not in nodes[i]:
            order.append(i)
        for c in nodes[i].get("children", []):
            visit(c)

    def world(i):
        n = nodes[i]
        if "matrix" in n:
            m = np.array(n["matrix"]).reshape(4, 4).T
        else:
            x, y, z, w = n.get("rotation", [0, 0, 0, 1])
            m = np.eye(4)
            m[:3, :3] = np.array([
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]) * np.array(n.get("scale", [1, 1, 1]))  # fmt: skip
            m[:3, 3] = n.get("translation", [0, 0, 0])
        return world(parent[i]) @ m if i in parent else m

    for i in range(len(nodes)):
        if i not in parent:
            visit(i)
    names = [nodes[i].get("name") or f"joint_{k}" for k, i in enumerate(order)]
    parents = [order.index(parent[i]) if parent.get(i) in order else -1 for i in order]
    return names, parents, np.array([world(i)[:3, 3] for i in order])


# Given by hand


def test_a_mapping_is_saved_edited_and_given_back():
    names, parents, rest = dressed(CONVENTIONS["unity"])
    table = roles_from_json(find_roles(names, parents, rest).to_json())
    table["upper_chest"] = ""
    table["chest"] = "UpperChest"
    roles = find_roles(names, parents, rest, table)
    assert "upper_chest" not in roles and roles.joints["chest"] == names.index("UpperChest")
    assert roles.sure["chest"] == 1.0 and len(roles.lines()) == len(roles.joints)
    assert set(roles.joints) <= set(ROLES)


@pytest.mark.parametrize(
    "table, says",
    [
        ({"hip": "Hips"}, "no role is called"), ({"hips": "Hip"}, "no joint is called"),
        ({"hips": "Spine", "spine": "Spine"}, "two roles"),
    ],
)  # fmt: skip
def test_wrong_mappings_are_refused(table, says):
    names, parents, rest = dressed(CONVENTIONS["unity"])
    with pytest.raises(GambolError, match=says):
        find_roles(names, parents, rest, table)


@pytest.mark.parametrize("text", ["[]", "{", '{"hips": 3}', '{"nose": "x"}'])
def test_texts_that_are_no_mapping_are_refused(text):
    with pytest.raises(GambolError):
        roles_from_json(text)


@given(st.integers(1, 12), st.integers(0, 10**6))
def test_any_tree_gets_an_answer(joints, seed):
    rng = np.random.default_rng(seed)
    parents = [-1, *(int(rng.integers(-1, j)) for j in range(1, joints))]
    names = [str(rng.choice(["hips", "Leg.L", "x", "", "foot_r", "thigh_l", "calf_l", "Head"])) for _ in parents]
    roles = find_roles(names, parents, rng.normal(size=(joints, 3)) * rng.choice([0.0, 1.0, 1e6]))
    assert roles.kind in ("human", "quadruped", "other")
    assert len(set(roles.joints.values())) == len(roles.joints)
