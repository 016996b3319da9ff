"""Rigs as others make them: helpers, matrices, scales, mirrors, several skins, splines, and files that are broken."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from files import wander
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol import quat
from gambol.body import Body
from gambol.errors import GambolError
from gambol.io import Source, load_character, load_motion, save
from gambol.io.glb import Buffer, pack, read_accessor, unpack
from gambol.io.gltf import decode, encode
from gambol.io.gltf_nodes import matrix_of, nodes_of, split
from gambol.io.gltf_person import character_of
from gambol.io.gltf_tracks import Track, sampled
from gambol.io.source import Extra
from gambol.roles import ROLES

CASES = Path(__file__).parent / "cases"
PERSON = Body(1.75).skeleton


def opened(motion=None):
    document, binary = unpack(encode(wander(12) if motion is None else motion, Extra(mesh=True)), "a.glb")
    del document["animations"][0]["extras"]  # as from elsewhere
    return document, binary


def repacked(document, binary, buffer=None):
    buffer = buffer or Buffer([binary], document["bufferViews"], document["accessors"], len(binary))
    return pack({k: v for k, v in document.items() if k != "buffers"}, buffer)


def same(document, binary, motion, atol=1e-5):
    back = decode(repacked(document, binary), Source("a.glb"))
    ours = {n: j for j, n in enumerate(motion.skeleton.names)}
    assert set(ours) <= set(back.skeleton.names)
    order = [back.skeleton.index(n) for n in motion.skeleton.names]
    np.testing.assert_allclose(back.positions()[:, order], motion.positions(), atol=atol)
    return back


# The same motion told otherwise


def test_helper_nodes_between_joints_are_joints():
    motion = wander(12)
    document, binary = opened(motion)
    nodes = document["nodes"]
    knee = PERSON.index("left_lower_leg")
    helper = len(nodes)
    above = nodes[PERSON.parents[knee]]
    above["children"] = [helper if c == knee else c for c in above["children"]]
    half = (0.5 * PERSON.offsets[knee]).tolist()
    nodes.append({"name": "helper", "translation": half, "children": [knee]})
    nodes[knee]["translation"] = half
    for channel in document["animations"][0]["channels"]:
        assert channel["target"] != {"node": knee, "path": "translation"}
    same(document, binary, motion)


@pytest.mark.parametrize("scale, turn", [(0.01, [0, 0, 0]), (0.01, [-np.pi / 2, 0, 0]), (100.0, [0.3, 1.0, -2.0])])
def test_scale_and_turn_above_the_skeleton(scale, turn):
    """U003: as Blender exports a rig made elsewhere."""
    motion = wander(12)
    document, binary = opened(motion)
    q = quat.exp(turn)
    nodes = document["nodes"]
    nodes.append({"name": "Armature", "scale": [scale] * 3, "rotation": np.roll(q, -1).tolist(), "children": [0]})
    document["scenes"][0]["nodes"] = [len(nodes) - 1, *[n for n in document["scenes"][0]["nodes"] if n]]
    buffer = Buffer([binary], document["bufferViews"], document["accessors"], len(binary))
    for node in nodes[: len(PERSON)]:
        node["translation"] = (np.array(node["translation"]) / scale).tolist()
    back = quat.conjugate(q)
    nodes[0]["translation"] = quat.rotate(back, nodes[0]["translation"]).tolist()
    nodes[0]["rotation"] = np.roll(back, -1).tolist()
    samplers = document["animations"][0]["samplers"]
    for channel in document["animations"][0]["channels"]:
        sampler, path = samplers[channel["sampler"]], channel["target"]["path"]
        values = read_accessor(document, binary, sampler["output"])
        if path == "translation":
            values = quat.rotate(back, values) / scale
        elif channel["target"]["node"] == 0:
            values = np.roll(quat.multiply(back, np.roll(values, 1, -1)), -1, -1)
        sampler["output"] = buffer.add(values.astype(np.float32))
    data = repacked(document, binary, buffer)
    read = decode(data, Source("a.glb"))
    np.testing.assert_allclose(read.positions(), motion.positions(), atol=3e-5)
    np.testing.assert_allclose(read.skeleton.offsets, PERSON.offsets, atol=1e-9)


def test_a_mirrored_limb():
    """A limb made by a negative scale has its rotations mirrored, and is where it is all the same."""
    motion = wander(12)
    document, binary = opened(motion)
    shoulder = PERSON.index("right_shoulder")
    limb = [j for j in range(len(PERSON)) if j == shoulder or _below(shoulder, j)]
    flip = np.array([-1.0, 1.0, 1.0])
    nodes = document["nodes"]
    nodes[shoulder]["scale"] = flip.tolist()
    buffer = Buffer([binary], document["bufferViews"], document["accessors"], len(binary))
    for j in limb[1:]:
        nodes[j]["translation"] = (np.array(nodes[j]["translation"]) * flip).tolist()
    samplers = document["animations"][0]["samplers"]
    for channel in document["animations"][0]["channels"]:
        if channel["target"]["node"] in limb[1:] and channel["target"]["path"] == "rotation":
            sampler = samplers[channel["sampler"]]
            values = read_accessor(document, binary, sampler["output"]) * [1, -1, -1, 1]  # M q M of a mirror in x
            sampler["output"] = buffer.add(values.astype(np.float32))
    read = decode(repacked(document, binary, buffer), Source("a.glb"))
    np.testing.assert_allclose(read.positions(), motion.positions(), atol=1e-5)


def _below(upper, j):
    while j >= 0:
        j = int(PERSON.parents[j])
        if j == upper:
            return True
    return False


def test_joints_without_names_and_with_the_same_name():
    document, binary = opened()
    for node in document["nodes"][:8]:
        node.pop("name")
    for node in document["nodes"][8:12]:
        node["name"] = "bone"
    names = decode(repacked(document, binary), Source("a.glb")).skeleton.names
    assert len(set(names)) == len(names) and names[0] == "joint_0" and "bone" in names


def test_several_skins_of_one_skeleton():
    document, binary = opened()
    skin = document["skins"][0]
    document["skins"] = [{**skin, "joints": skin["joints"][k::2]} for k in (0, 1)]
    for s in document["skins"]:
        s.pop("inverseBindMatrices")
        s.pop("skeleton", None)
    back = decode(repacked(document, binary), Source("a.glb"))
    assert set(PERSON.names) <= set(back.skeleton.names)


def test_two_skeletons_in_one_file_are_told():
    document, binary = opened()
    count = len(document["nodes"])
    nodes = json.loads(json.dumps(document["nodes"]))
    for node in nodes:
        if "children" in node:
            node["children"] = [c + count for c in node["children"]]
        node.pop("mesh", None)
        node.pop("skin", None)
    document["nodes"] += nodes
    skin = document["skins"][0]
    document["skins"].append({**skin, "skeleton": count, "joints": [j + count for j in skin["joints"]]})
    data = repacked(document, binary)
    with pytest.raises(GambolError, match="2 skeletons in one file: below 'hips', 'hips'"):
        character_of(data, Source("two.glb"))
    assert len(decode(data, Source("a.glb")).skeleton) == len(PERSON)  # the clip says which


def test_splines_and_steps():
    """Cubic splines through samples of a cubic are that cubic; steps hold."""
    keys = np.array([0.0, 0.5, 0.7, 2.0])
    c = np.array([[1.0, -2.0, 0.5, 0.3], [0.0, 1.0, -1.0, 2.0], [2.0, 0.0, 0.0, -0.4]])
    value = lambda t: np.stack([np.polyval(row[::-1], t) for row in c], -1)  # noqa: E731
    slope = lambda t: np.stack([np.polyval(np.polyder(row[::-1]), t) for row in c], -1)  # noqa: E731
    t = np.linspace(0, 2, 57)
    spline = Track(keys, np.stack([slope(keys), value(keys), slope(keys)], 1), "CUBICSPLINE")
    np.testing.assert_allclose(sampled(spline, t), value(t), atol=1e-9)
    step = sampled(Track(keys, value(keys), "STEP"), t)
    assert all(any(np.array_equal(row, k) for k in value(keys)) for row in step)
    outside = sampled(spline, np.array([-1.0, 5.0]))
    np.testing.assert_allclose(outside, value(np.array([0.0, 2.0])), atol=1e-12)


def test_a_spline_of_turns_is_unit_and_meets_its_keys():
    rng = np.random.default_rng(0)
    keys, q = np.arange(4) / 2, np.roll(quat.continuous(quat.normalize(rng.normal(size=(4, 4)))), -1, -1)
    track = Track(keys, np.stack([0.1 * q, q, -0.1 * q], 1), "CUBICSPLINE")
    values = sampled(track, np.linspace(0, 1.5, 31), turn=True)
    np.testing.assert_allclose(np.linalg.norm(values, axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(values[::10], q, atol=1e-12)


def test_a_sparse_array_and_buffers_in_and_beside_the_file(tmp_path):
    base, extra = np.arange(12, dtype=np.float32).reshape(4, 3), np.array([[7, 7, 7]], np.float32)
    at = np.array([2], np.uint16)
    (tmp_path / "some data.bin").write_bytes(base.tobytes())
    inside = base64.b64encode(extra.tobytes() + at.tobytes()).decode()
    document = {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": "some%20data.bin", "byteLength": 48},
                    {"uri": f"data:application/gltf-buffer;base64,{inside}", "byteLength": 14}],
        "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 1, "byteLength": 12},
                        {"buffer": 1, "byteOffset": 12, "byteLength": 2}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "sparse": {
            "count": 1, "indices": {"bufferView": 2, "componentType": 5123}, "values": {"bufferView": 1}}}],
    }  # fmt: skip
    read, binary = unpack(json.dumps(document).encode(), "a.gltf", Source("a.gltf", folder=tmp_path))
    wanted = base.copy()
    wanted[2] = 7
    np.testing.assert_array_equal(read_accessor(read, binary, 0), wanted)


def test_vrm_1_roles_are_taken_from_the_file():
    document, binary = opened()
    for k, node in enumerate(document["nodes"]):
        node["name"] = f"n{k}"
    bones = {}
    for name in PERSON.names:
        if name in ROLES:
            first, *rest = name.split("_")
            bones[first + "".join(w.capitalize() for w in rest)] = {"node": PERSON.index(name)}
    document["extensions"] = {"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": bones}}}
    rig = character_of(repacked(document, binary), Source("a.vrm"))
    assert rig.roles.facing == 0.0 and min(rig.roles.sure.values()) == 1.0
    assert {r: rig.skeleton.names[j] for r, j in rig.roles.joints.items()} == {
        r: f"n{PERSON.index(r)}" for r in PERSON.names if r in ROLES
    }


# What the skin says


def test_soles_lie_on_the_mesh(data):
    for file in ("robot_expressive.glb", "cryptovoxels.vrm", "cesium_man.gltf"):
        rig = load_character(data / "characters" / file)
        rest = rig.skeleton.rest_positions()
        soles = rest[list(rig.skeleton.soles)]
        size = np.ptp(rig.skin.vertices[:, 1])
        low = rig.skin.vertices[:, 1].min()
        assert np.abs(soles[:, 1] - low).max() < 0.005 * size  # the figure stands on its soles
        for heel, tip in ((0, 1), (2, 3)):
            assert 0.08 * size < np.linalg.norm(soles[tip] - soles[heel]) < 0.3 * size


def test_the_skin_at_rest_is_the_mesh_as_it_is_shown():
    """The case rigs are bound in their rest pose: skinning gives the vertices back."""
    rig = load_character(CASES / "U001_short_legs.glb")
    document, binary = unpack((CASES / "U001_short_legs.glb").read_bytes(), "a")
    points = read_accessor(document, binary, document["meshes"][0]["primitives"][0]["attributes"]["POSITION"])
    np.testing.assert_allclose(rig.skin.vertices, points, atol=1e-6)
    np.testing.assert_allclose(rig.skin.weights.sum(1), 1, atol=1e-12)
    scaled = load_character(CASES / "U003_armature_001.glb")
    assert 1.60 < scaled.skin.vertices[:, 1].max() < 1.75 and abs(scaled.skin.vertices[:, 1].min()) < 0.02


def test_scale_in_the_armature_gives_metres(cases):
    """U003: the clip travels 1.30 m in 1.30 s."""
    motion = load_motion(CASES / "U003_armature_001.glb")
    assert motion.duration == pytest.approx(1.3, abs=0.02)
    assert np.linalg.norm(motion.root[-1] - motion.root[0]) == pytest.approx(1.3, abs=0.02)


def test_a_rig_without_a_mesh_gets_its_soles_from_the_joints(tmp_path):
    save(wander(3), tmp_path / "bare.glb", mesh=False)
    rig = load_character(tmp_path / "bare.glb")
    assert rig.skin is None and rig.roles.kind == "human" and len(rig.skeleton.soles) == 4


# Broken and hostile files


@pytest.mark.parametrize("change, says", [
    (lambda d: d["nodes"][3].update(children=[1]), "hangs from two nodes"),
    (lambda d: d["nodes"][25].update(children=[20]), "hangs from two|below itself"),
    (lambda d: d["skins"][0].update(joints=[999]), "no node"),
    (lambda d: d.pop("skins"), "no skin"),
    (lambda d: d["nodes"][2].update(translation=[float("nan")] * 3), "no numbers"),
    (lambda d: d["nodes"][2].update(rotation=[0, 0, 0, 0]), "no numbers"),
    (lambda d: d["nodes"][2].update(matrix=[0] * 16), "flattens"),
    (lambda d: d["bufferViews"][0].update(byteOffset=1 << 40), "outside of the buffer"),
    (lambda d: d["accessors"][0].update(count=1 << 50), "outside of the buffer"),
])  # fmt: skip
def test_broken_rigs_are_refused_in_one_line(change, says, tmp_path):
    document, binary = opened()
    change(document)
    text = {k: v for k, v in document.items() if k != "buffers"}
    text["buffers"] = [{"uri": "data:;base64," + base64.b64encode(binary).decode(), "byteLength": len(binary)}]
    (tmp_path / "a.gltf").write_text(json.dumps(text))
    with pytest.raises(GambolError, match=says):
        rig = load_character(tmp_path / "a.gltf")
        assert rig.skin is not None, "; ".join(rig.notes)  # a mesh that cannot be read is a note


def test_a_deep_tree_and_a_ring_end(tmp_path):
    deep = 20_000
    nodes = [{"children": [k + 1]} for k in range(deep)] + [{}]
    document = {"asset": {"version": "2.0"}, "nodes": nodes, "scenes": [{"nodes": [0]}]}
    with pytest.raises(GambolError, match="20000 deep"):
        nodes_of(document)
    assert len(nodes_of({**document, "nodes": [*nodes[:900], {}]}).order) == 901
    nodes[-1]["children"] = [5]
    with pytest.raises(GambolError, match="two nodes"):
        nodes_of(document)
    nodes[-1] = {"children": [0]}
    with pytest.raises(GambolError, match="below itself"):
        nodes_of(document)
    skinned = {**document, "nodes": nodes[:-1] + [{}], "skins": [{"joints": list(range(deep + 1))}]}
    (tmp_path / "a.gltf").write_text(json.dumps(skinned))
    with pytest.raises(GambolError, match=r"a\.gltf.*20000 deep"):
        load_character(tmp_path / "a.gltf")
    leaves = [{"translation": [k % 7, k % 5, k % 3]} for k in range(3000)]
    wide = {"nodes": [{"children": list(range(1, 3001))}, *leaves]}
    (tmp_path / "a.gltf").write_text(json.dumps({**document, **wide, "skins": [{"joints": list(range(3001))}]}))
    assert load_character(tmp_path / "a.gltf").roles.kind == "other"


@pytest.mark.parametrize(
    "uri", ["../secret.bin", "/etc/hostname", "..%2f..%2fsecret.bin", "https://x.y/z.bin", "none.bin"]
)
def test_buffers_that_leave_the_folder_are_refused(uri, tmp_path):
    (tmp_path / "secret.bin").write_bytes(bytes(100))
    inside = tmp_path / "in"
    inside.mkdir()
    document = {"asset": {"version": "2.0"}, "buffers": [{"uri": uri, "byteLength": 4}], "nodes": [{}],
                "skins": [{"joints": [0]}]}  # fmt: skip
    (inside / "a.gltf").write_text(json.dumps(document))
    with pytest.raises(GambolError, match=r"outside of the folder|no such file|cannot be read"):
        load_character(inside / "a.gltf")


@given(st.data())
@settings(max_examples=40)
def test_mutated_rigs_are_characters_or_one_error(data):
    whole = (CASES / data.draw(st.sampled_from(["U002_apose.glb", "U025_vrm0_faces_minus_z.vrm"]))).read_bytes()
    torn = bytearray(whole[: data.draw(st.integers(len(whole) // 2, len(whole)))])
    for _ in range(data.draw(st.integers(0, 6))):
        torn[data.draw(st.integers(0, len(torn) - 1))] = data.draw(st.integers(0, 255))
    from gambol.io.sound import decoded

    try:
        rig = decoded(character_of, bytes(torn), Source("torn"))
    except GambolError as error:
        assert "torn" in str(error)
    else:
        assert np.isfinite(rig.skeleton.offsets).all()


@given(st.lists(st.floats(-3, 3), min_size=3, max_size=3), st.lists(st.floats(0.01, 50), min_size=3, max_size=3),
       st.booleans())  # fmt: skip
def test_matrices_split_into_what_they_are_made_of(turn, scale, mirrored):
    q, scale = np.roll(quat.exp(turn), -1), np.array(scale) * ([-1, 1, 1] if mirrored else [1, 1, 1])
    m = matrix_of([1.0, 2.0, 3.0], q, scale)
    np.testing.assert_allclose(matrix_of(*split(m)), m, atol=1e-9 * np.abs(m).max())
