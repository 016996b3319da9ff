"""New clips in somebody's own file: everything else stays byte for byte as it was."""

import base64
import json
import shutil
import subprocess
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from files import same_turns
from hypothesis import given
from hypothesis import strategies as st

from gambol import quat
from gambol.errors import GambolError
from gambol.io import attach, clips, load_character, load_motion
from gambol.io.glb import BINARY_CHUNK, JSON_CHUNK, chunks_of, parsed, read_accessor, unpack
from gambol.io.gltf_nodes import nodes_of
from gambol.io.json_edit import Span, appended, applied, elements, members, with_member, without_member
from gambol.motion import Motion

CASES = Path(__file__).parent / "cases"
ROOT = Path(__file__).resolve().parents[1]
RIGS = [
    "U001_short_legs.glb", "U002_apose.glb", "U003_armature_001.glb", "U065_matrix_nodes.glb", "U018_sign_flips.gltf",
    "U025_vrm0_faces_minus_z.vrm", "U069_clip_starts_late.glb",
]  # fmt: skip
THEIRS = ["robot_expressive.glb", "cryptovoxels.vrm", "cesium_man.gltf"]


@lru_cache
def character(file):
    return load_character(file)


def swaying(rig, frames=30, seed=0, move=1.0):
    """Joints of a rig that turn to and fro by a few degrees; fingers and what has no role rest."""
    rng = np.random.default_rng(seed)
    t = np.arange(frames) / 30
    turns = np.zeros((frames, len(rig.skeleton), 3))
    for j in rig.roles.joints.values():
        turns[:, j] = 0.2 * move * np.sin(t[:, None] * rng.uniform(2, 6, 3)) * rng.normal(size=3)
    root = rig.skeleton.offsets[0] + move * np.stack([0.1 * np.sin(3 * t), 0.02 * np.cos(5 * t), t], -1)
    on = rng.integers(0, 9, (frames, len(rig.skeleton.soles))) > 0
    return Motion(rig.skeleton, root, quat.exp(turns), 30.0, contacts=on, name="sway", info={"note": "ünï"})


def everything_else(before: bytes, after: bytes):
    """Asserts that the new file is the old one with text and numbers put in, and gives both documents."""
    old, new = (dict(reversed(chunks_of(d))) if d[:4] == b"glTF" else {JSON_CHUNK: d} for d in (before, after))
    texts = [c[JSON_CHUNK].decode() for c in (old, new)]
    a, b = (json.loads(t) for t in texts)
    if BINARY_CHUNK in old:
        assert new[BINARY_CHUNK].startswith(old[BINARY_CHUNK])
    for key, value in a.items():
        if key in ("accessors", "bufferViews", "animations", "buffers", "nodes"):
            spans = [[t[s.start : s.end] for s in elements(t, members(t)[key][1].start)] for t in texts]
            if key == "nodes":
                assert len(spans[0]) == len(spans[1])
                assert all(x == y for x, y, n in zip(*spans, value) if "matrix" not in n)
            elif key == "buffers":
                same = [json.loads(x) for x in spans[1][: len(spans[0])]]
                assert [{**x, "byteLength": 0} for x in same] == [{**x, "byteLength": 0} for x in a[key]]
                assert spans[1][1:] == spans[0][1:] or len(spans[1]) > len(spans[0])
            else:
                assert spans[1][: len(spans[0])] == spans[0]
        else:
            start, end = members(texts[0])[key][1]
            first, last = members(texts[1])[key][1]
            assert texts[0][start:end] == texts[1][first:last]
    assert list(b)[: len(a)] == list(a)
    return a, b


def all_rigs(data):
    return [*(CASES / f for f in RIGS), *(data / "characters" / f for f in THEIRS)]


@pytest.mark.parametrize("file", RIGS)
def test_all_else_stays_byte_for_byte(file, tmp_path):
    check(CASES / file, tmp_path)


@pytest.mark.parametrize("file", THEIRS)
def test_all_else_in_files_of_others_stays_byte_for_byte(data, file, tmp_path):
    check(data / "characters" / file, tmp_path)


def check(file, tmp_path):
    rig, before = character(file), file.read_bytes()
    motion = swaying(rig)
    out = tmp_path / f"out{file.suffix}"
    made = attach(rig, [motion], out)
    assert file.read_bytes() == before and out.read_bytes() == made.data
    everything_else(before, made.data)
    assert "sway" in clips(out)
    back = load_motion(out, "sway")
    size = np.ptp(rig.skeleton.rest_positions(), axis=0).max()
    assert back.skeleton.names == motion.skeleton.names and back.skeleton.soles == motion.skeleton.soles
    assert np.abs(back.positions() - motion.positions()).max() < 2e-6 * size
    assert same_turns(back.rotations, motion.rotations) < 2e-6
    assert (back.contacts == motion.contacts).all() and back.info["note"] == "ünï" and back.fps == motion.fps
    for name in clips(file):  # other clips are what they were
        assert np.array_equal(load_motion(out, name).rotations, load_motion(file, name).rotations)


@pytest.mark.parametrize("file", ["U003_armature_001.glb", "U065_matrix_nodes.glb", "U025_vrm0_faces_minus_z.vrm"])
def test_nodes_of_the_new_clip_are_where_the_motion_is(file, tmp_path):
    """World matrices worked out from the file alone, as a player does."""
    rig = character(CASES / file)
    motion = swaying(rig)
    attach(rig, [motion], tmp_path / "out.glb")
    document, binary = unpack((tmp_path / "out.glb").read_bytes(), "out")
    nodes = nodes_of(document)
    tracks = {}
    for channel in document["animations"][-1]["channels"]:
        sampler = document["animations"][-1]["samplers"][channel["sampler"]]
        values = read_accessor(document, binary, sampler["output"])
        target = channel["target"]
        assert "matrix" not in document["nodes"][target["node"]]
        tracks[target["node"], target["path"]] = np.broadcast_to(values[-1:], (30, values.shape[1])) if len(
            values) == 1 else values  # fmt: skip
    worlds = nodes.worlds([int(n) for n in rig.nodes if n >= 0], tracks)
    places = motion.positions()
    for j, n in enumerate(rig.nodes):
        if n >= 0:
            assert np.abs(worlds[int(n)][..., :3, 3] - places[:, j]).max() < 1e-5


def test_matrix_nodes_rest_where_they_did(tmp_path):
    """U065: what is animated has no matrix any more, and rests in the same place."""
    rig = character(CASES / "U065_matrix_nodes.glb")
    attach(rig, [swaying(rig)], tmp_path / "out.glb")
    before, after = (nodes_of(unpack(p.read_bytes(), "x")[0]) for p in
                     (CASES / "U065_matrix_nodes.glb", tmp_path / "out.glb"))  # fmt: skip
    assert before.matrices and not after.matrices & {int(n) for n in rig.nodes}
    worlds = [n.worlds(range(len(n.parent))) for n in (before, after)]
    assert max(np.abs(worlds[0][n] - worlds[1][n]).max() for n in worlds[0]) < 1e-12


def test_unmoving_tracks_get_one_key_and_times_begin_at_zero(tmp_path):
    """U119 and U069."""
    rig = character(CASES / "U069_clip_starts_late.glb")
    made = attach(rig, [swaying(rig)], tmp_path / "out.glb")
    document, binary = unpack(made.data, "x")
    clip = document["animations"][-1]
    counts = [document["accessors"][s["output"]]["count"] for s in clip["samplers"]]
    assert sorted(set(counts)) == [1, 30] or set(counts) == {30}
    assert counts.count(30) == made.moving and counts.count(1) == made.still
    for sampler in clip["samplers"]:
        times = read_accessor(document, binary, sampler["input"])
        assert times[0] == 0.0 and document["accessors"][sampler["input"]]["min"] == [0.0]
        values = read_accessor(document, binary, sampler["output"])
        if values.shape[1] == 4:
            assert (np.sum(values[1:] * values[:-1], -1) > 0).all()


def test_a_clip_in_which_nothing_moves_keeps_its_length(tmp_path):
    rig = character(CASES / "U002_apose.glb")
    attach(rig, [swaying(rig, move=0.0)], tmp_path / "out.glb")
    assert load_motion(tmp_path / "out.glb", "sway").duration == pytest.approx(29 / 30)


def test_names_that_are_taken_get_a_number(tmp_path):
    rig = character(CASES / "U003_armature_001.glb")
    walk = replace(swaying(rig), name="Walk")
    made = attach(rig, [walk, walk, swaying(rig)], tmp_path / "out.glb")
    assert made.names == ("Walk.001", "Walk.002", "sway")
    assert clips(tmp_path / "out.glb") == ["Walk", "Walk.001", "Walk.002", "sway"]


def test_the_travel_goes_onto_a_root_joint_where_it_is_asked_to(tmp_path):
    rig = character(CASES / "U003_armature_001.glb")
    motion = swaying(rig)
    attach(rig, [motion], tmp_path / "out.glb", root_joint="Armature")
    document, binary = unpack((tmp_path / "out.glb").read_bytes(), "x")
    clip = document["animations"][-1]
    outputs = [clip["samplers"][c["sampler"]]["output"] for c in clip["channels"]]
    moved = {
        (c["target"]["node"], c["target"]["path"]): read_accessor(document, binary, o)
        for c, o in zip(clip["channels"], outputs)
    }
    armature, hips = moved[0, "translation"], moved[1, "translation"]
    travel = armature[-1] - armature[0]
    assert travel[2] == pytest.approx(motion.root[-1, 2] - motion.root[0, 2], abs=1e-5) and np.ptp(armature[:, 1]) == 0
    assert np.ptp(hips[:, [0, 2]], axis=0).max() < 1e-3  # in centimetres: the hips stay over it
    back = load_motion(tmp_path / "out.glb", "sway")
    assert np.abs(back.positions() - motion.positions()).max() < 1e-5
    with pytest.raises(GambolError, match="Armature"):
        attach(rig, [motion], tmp_path / "b.glb", root_joint="Hips")
    assert not (tmp_path / "b.glb").exists()


def test_a_gltf_becomes_a_glb(tmp_path):
    rig = character(CASES / "U018_sign_flips.gltf")
    attach(rig, [swaying(rig)], tmp_path / "out.glb")
    assert load_character(tmp_path / "out.glb").skeleton == rig.skeleton
    assert set(clips(tmp_path / "out.glb")) == {"Walk", "sway"}


def test_a_glb_made_of_a_gltf_has_its_pictures_in_it(tmp_path):
    png = b"\x89PNG" + bytes(range(63))
    (tmp_path / "beside.png").write_bytes(png)
    table = json.loads((CASES / "U018_sign_flips.gltf").read_text())
    inside = {"uri": "data:image/png;base64," + base64.b64encode(png).decode(), "name": "inside"}
    lost = {"uri": "lost.png", "mimeType": "image/png"}
    table["images"] = [inside, {"uri": "beside.png", "mimeType": "image/png"}, lost]
    (tmp_path / "in.gltf").write_text(json.dumps(table))
    rig = load_character(tmp_path / "in.gltf")
    attach(rig, [swaying(rig)], tmp_path / "out.glb")
    document, binary = parsed((tmp_path / "out.glb").read_bytes(), "out.glb")
    assert document["images"][2] == lost
    for image in document["images"][:2]:
        assert "uri" not in image and image["mimeType"] == "image/png"
        view = document["bufferViews"][image["bufferView"]]
        assert binary[view["byteOffset"] :][: view["byteLength"]] == png
    assert document["buffers"][0]["byteLength"] == len(binary)
    assert load_character(tmp_path / "out.glb").skeleton == rig.skeleton


def test_motions_of_others_are_refused(tmp_path):
    rig, other = character(CASES / "U002_apose.glb"), character(CASES / "U001_short_legs.glb")
    for motion in (swaying(other), swaying(rig)[:0]):
        with pytest.raises(GambolError, match="without frames or of another skeleton"):
            attach(rig, [motion], tmp_path / "out.glb")
    assert list(tmp_path.iterdir()) == []


# The text of JSON

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.text(), json_values, max_size=5), st.sampled_from([None, 1, "\t"]), json_values)
def test_edits_of_json_text(table, indent, value):
    text = json.dumps(table, indent=indent, ensure_ascii=False)
    found = members(text)
    assert {k: json.loads(text[s.start : s.end]) for k, (_, s) in found.items()} == table
    whole = Span(0, len(text))
    more = json.loads(applied(text, [with_member(text, whole, "new one", json.dumps(value))]))
    assert more == {**table, "new one": value}
    for key, (_, span) in found.items():
        less = json.loads(applied(text, [without_member(text, whole, key)]))
        assert less == {k: v for k, v in table.items() if k != key}
        if isinstance(table[key], list):
            more = json.loads(applied(text, [appended(text, span, [json.dumps(value), "1"])]))
            assert more[key] == [*table[key], value, 1]


@pytest.mark.browser
def test_the_khronos_validator_says_nothing_new(data, tmp_path):
    folder = ROOT / "tests" / "browser"
    if not shutil.which("node") or not (folder / "node_modules" / "gltf-validator").is_dir():
        pytest.skip("needs node, and: npm install in tests/browser")
    rigs = all_rigs(data)
    files, twins = [], []
    for k, file in enumerate(rigs):
        files.append(tmp_path / f"{k}{file.suffix}")
        attach(character(file), [swaying(character(file))], files[-1])
        if file.suffix == ".gltf":
            attach(character(file), [swaying(character(file))], tmp_path / f"{k}.glb")
            twins.append((file, tmp_path / f"{k}.glb"))
    rigs, files = rigs + [a for a, _ in twins], files + [b for _, b in twins]
    program = ["node", str(ROOT / "tests" / "gltf_validate.mjs"), *map(str, [*rigs, *files])]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=True)
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    for file, before, after in zip(rigs, reports, reports[len(rigs) :]):
        kinds = [{(m["code"], m["severity"]) for m in r["issues"]["messages"]} for r in (before, after)]
        assert kinds[1] <= kinds[0], (file.name, kinds[1] - kinds[0])
