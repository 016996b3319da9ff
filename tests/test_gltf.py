import json
import shutil
import struct
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from files import Plane, same_turns, still, wander

from gambol import __version__, quat
from gambol.body import Body
from gambol.errors import GambolError
from gambol.io import Source, clips, load, save
from gambol.io.glb import Buffer, pack, read_accessor, unpack
from gambol.io.gltf import decode, encode
from gambol.io.source import Extra
from gambol.skeleton import Skeleton, forward_kinematics

ROOT = Path(__file__).resolve().parents[1]
FULL = Extra(mesh=True, terrain=Plane())


def opened(motion, extra=FULL):
    return unpack(encode(motion, extra), "a.glb")


def numbers(document, binary, index):
    return read_accessor(document, binary, index)


def skinned(document, binary, world):
    """(V, 3) of the figure by the file's own matrices, with ``world`` (J, 4, 4) of its joints."""
    skin, mesh = document["skins"][0], document["meshes"][0]
    attributes = mesh["primitives"][0]["attributes"]
    inverse = numbers(document, binary, skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    points = numbers(document, binary, attributes["POSITION"])
    joints = numbers(document, binary, attributes["JOINTS_0"]).astype(int)
    weights = numbers(document, binary, attributes["WEIGHTS_0"])
    matrices = np.einsum("vk,vkij->vij", weights, (world @ inverse)[joints])
    homogeneous = np.concatenate([points, np.ones((len(points), 1))], 1)
    return np.einsum("vij,vj->vi", matrices, homogeneous)[:, :3], points


def matrices(positions, rotations):
    out = np.tile(np.eye(4), (len(positions), 1, 1))
    out[:, :3, :3], out[:, :3, 3] = quat.to_matrix(rotations), positions
    return out


# the file


def test_bytes_are_a_container_of_aligned_arrays():
    data = encode(wander(7), FULL)
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data)) and len(data) % 4 == 0
    document, binary = unpack(data, "a.glb")
    assert document["buffers"] == [{"byteLength": len(binary)}]
    assert document["asset"] == {"version": "2.0", "generator": f"gambol {__version__}"}
    for view in document["bufferViews"]:
        assert view["byteOffset"] % 4 == 0 and view["byteOffset"] + view["byteLength"] <= len(binary)


def test_the_clip_starts_at_zero_and_shares_its_times():
    motion = wander(31)
    document, binary = opened(motion)
    animation = document["animations"][0]
    assert animation["name"] == motion.name
    inputs = {s["input"] for s in animation["samplers"]}
    assert len(inputs) == 1 and {s["interpolation"] for s in animation["samplers"]} == {"LINEAR"}
    accessor = document["accessors"][inputs.pop()]
    assert accessor["min"] == [0.0] and accessor["max"][0] == pytest.approx(30 / 29.97)
    assert len(animation["channels"]) == 1 + len(motion.skeleton)


def test_neighbouring_keys_agree_in_sign():
    document, binary = opened(wander(200, step=0.3))
    for channel in document["animations"][0]["channels"]:
        if channel["target"]["path"] == "rotation":
            sampler = document["animations"][0]["samplers"][channel["sampler"]]
            q = numbers(document, binary, sampler["output"])
            np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1, atol=1e-6)
            assert (np.sum(q[1:] * q[:-1], -1) > 0).all()


def test_tracks_that_do_not_move_get_one_key():
    motion = wander(50)
    rotations = np.array(motion.rotations)
    rotations[:, 3:] = rotations[0, 3:]
    document, _ = opened(replace(motion, rotations=rotations))
    counts = [document["accessors"][s["output"]]["count"] for s in document["animations"][0]["samplers"]]
    assert counts == [50, 50, 50, 50] + [1] * (len(motion.skeleton) - 3)


def test_extras_carry_facts_and_contacts_in_seconds():
    planted = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0] * 4])
    motion = replace(still(5), contacts=planted, info={"events": {"left_strike": np.array([0.04])}})
    document, _ = opened(motion)
    extras = document["animations"][0]["extras"]
    assert extras["events"] == {"left_strike": [0.04]}
    assert extras["gambol"]["contacts_s"] == {
        "left_heel": [[0.0, 0.04], [0.12, 0.12]], "left_toe_tip": [[0.04, 0.08]],
        "right_heel": [], "right_toe_tip": [],
    }


def test_animation_only_has_no_mesh_and_other_skeletons_get_no_skin():
    small, large = encode(wander(5), Extra(mesh=False)), encode(wander(5), Extra(mesh=True))
    assert len(small) < len(large) / 5
    assert "meshes" not in unpack(small, "a")[0] and "materials" not in unpack(small, "a")[0]
    stick = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 1.0, 0]]), (1,))
    document, _ = opened(wander(5, skeleton=stick), Extra(mesh=True))
    assert "meshes" not in document


def test_a_motion_without_frames_is_refused():
    with pytest.raises(GambolError, match="without frames"):
        encode(still(3)[:0])


# the figure and the ground


def test_skinning_the_rest_pose_gives_the_vertices_back():
    skeleton = Body(1.62).skeleton
    document, binary = opened(wander(3, skeleton=skeleton))
    world = matrices(skeleton.rest_positions(), np.tile(quat.IDENTITY, (len(skeleton), 1)))
    posed, points = skinned(document, binary, world)
    np.testing.assert_allclose(posed, points, atol=1e-6)


def test_the_head_follows_the_head():
    motion = wander(3)
    document, binary = opened(motion)
    positions, rotations = forward_kinematics(motion.skeleton, motion.root[2], motion.rotations[2])
    posed, points = skinned(document, binary, matrices(positions, rotations))
    head = motion.skeleton.index("head")
    top = int(np.argmax(points[:, 1]))
    local = points[top] - motion.skeleton.rest_positions()[head]
    np.testing.assert_allclose(posed[top], positions[head] + quat.rotate(rotations[head], local), atol=1e-5)


def test_weights_are_normal_and_normals_are_unit():
    document, binary = opened(wander(3))
    for mesh in document["meshes"]:
        for primitive in mesh["primitives"]:
            attributes = primitive["attributes"]
            normals = numbers(document, binary, attributes["NORMAL"])
            np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-5)
            if "WEIGHTS_0" in attributes:
                weights = numbers(document, binary, attributes["WEIGHTS_0"])
                np.testing.assert_allclose(weights.sum(1), 1, atol=1e-6)
                joints = numbers(document, binary, attributes["JOINTS_0"])
                assert joints.max() < len(document["skins"][0]["joints"]) and not joints[weights == 0].any()


def test_the_ground_lies_under_the_way_and_looks_up():
    motion = wander(30)
    document, binary = opened(motion)
    ground = document["meshes"][1]["primitives"][0]
    points = numbers(document, binary, ground["attributes"]["POSITION"])
    normals = numbers(document, binary, ground["attributes"]["NORMAL"])
    np.testing.assert_allclose(normals, np.broadcast_to([0.0, 1.0, 0.0], normals.shape))
    way, flat = motion.root[:, [0, 2]], points[:, [0, 2]]
    assert (flat.min(0) < way.min(0) - 1).all() and (flat.max(0) > way.max(0) + 1).all()
    assert document["nodes"][document["scenes"][0]["nodes"][2]]["name"] == "ground"


def test_trimesh_and_pygltflib_open_it(tmp_path):
    trimesh, pygltflib = pytest.importorskip("trimesh"), pytest.importorskip("pygltflib")
    save(wander(4), tmp_path / "a.glb", terrain=Plane())
    scene = trimesh.load(tmp_path / "a.glb")
    height = scene.bounds[1, 1] - min(0.0, scene.bounds[0, 1])
    assert height == pytest.approx(1.75, abs=0.01)
    model = pygltflib.GLTF2().load(str(tmp_path / "a.glb"))
    assert len(model.animations) == 1 and len(model.skins[0].joints) == 26


# reading


def test_what_extras_say_is_not_needed(tmp_path):
    """A tool that drops extras leaves a clip that still has its rate, its poses and its soles."""
    motion = wander(40)
    document, binary = opened(motion, Extra(mesh=False))
    del document["animations"][0]["extras"]
    back = decode(repack(document, binary), Source("a.glb"))
    assert back.fps == pytest.approx(29.97, abs=1e-3) and len(back) == 40 and back.skeleton == motion.skeleton
    assert np.abs(back.positions() - motion.positions()).max() < 1e-5 and back.contacts is None


def repack(document, binary):
    buffer = Buffer([binary], document["bufferViews"], document["accessors"], len(binary))
    return pack({k: v for k, v in document.items() if k != "buffers"}, buffer)


def test_rest_rotations_are_taken_out():
    """The same clip told in other joint frames is the same motion."""
    motion = wander(12)
    document, binary = opened(motion, Extra(mesh=False))
    rng = np.random.default_rng(3)
    turn = quat.normalize(rng.normal(size=(len(motion.skeleton), 4)))  # new rest rotations in the world
    parents = motion.skeleton.parents
    above = np.array([quat.IDENTITY if p < 0 else turn[p] for p in parents])
    local = quat.multiply(quat.conjugate(above), turn)
    buffer = Buffer([binary], document["bufferViews"], document["accessors"], len(binary))
    for j, node in enumerate(document["nodes"][: len(parents)]):
        node["rotation"] = np.roll(local[j], -1).tolist()
        node["translation"] = quat.rotate(quat.conjugate(above[j]), motion.skeleton.offsets[j]).tolist()
    for channel in document["animations"][0]["channels"]:
        j = channel["target"]["node"]
        if channel["target"]["path"] == "rotation":
            q = quat.multiply(quat.multiply(quat.conjugate(above[j]), motion.rotations[:, j]), turn[j])
            sampler = document["animations"][0]["samplers"][channel["sampler"]]
            sampler["output"] = buffer.add(np.roll(q, -1, -1).astype(np.float32))
    data = pack({k: v for k, v in document.items() if k != "buffers"}, buffer)
    back = decode(data, Source("a.glb"))
    np.testing.assert_allclose(back.skeleton.offsets, motion.skeleton.offsets, atol=1e-9)
    np.testing.assert_allclose(back.positions(), motion.positions(), atol=1e-5)


def test_signs_of_keys_do_not_matter(cases):
    motion = load(cases / "U018_sign_flips.gltf")
    turn = 2 * np.arccos(np.clip(np.sum(motion.rotations[1:] * motion.rotations[:-1], -1), -1, 1))
    assert np.degrees(turn.max()) < 45
    document, binary = opened(motion, Extra(mesh=False))
    for sampler in document["animations"][0]["samplers"]:
        values = numbers(document, binary, sampler["output"])
        if values.shape[1] == 4:
            assert (np.sum(values[1:] * values[:-1], -1) > 0).all()


def test_a_clip_that_starts_late_starts_at_its_first_key(cases):
    motion = load(cases / "U069_clip_starts_late.glb")
    assert motion.duration == pytest.approx(1.10, abs=0.02)
    document, _ = opened(motion, Extra(mesh=False))
    assert document["accessors"][document["animations"][0]["samplers"][0]["input"]]["min"] == [0.0]


def test_clips_are_listed_and_asked_for_by_name(tmp_path):
    save(wander(3), tmp_path / "a.glb")
    assert clips(tmp_path / "a.glb") == ["wander über"]
    assert load(tmp_path / "a.glb", "wander über").name == "wander über"
    with pytest.raises(GambolError, match="no clip is called 'run'"):
        load(tmp_path / "a.glb", "run")


@pytest.mark.parametrize(("change", "message"), [
    (lambda d: d["animations"].clear(), "no animation"),
    (lambda d: d["asset"].update(version="1.0"), "not glTF 2"),
    (lambda d: d["accessors"][-1].update(count=1 << 40), "outside of the buffer"),
    (lambda d: d["bufferViews"][-1].update(byteOffset=1 << 20), "outside of the buffer"),
    (lambda d: d["nodes"][1].update(children=[0]), "below itself"),
    (lambda d: d["nodes"][1].update(children=[5]), "hangs from two nodes"),
    (lambda d: d["nodes"][1].update(children=[999]), "not there"),
    (lambda d: d["nodes"][1].update(scale=[0, 0, 0]), "flattened"),
    (lambda d: d["animations"][0]["samplers"][1].update(output=999), "do not fit together"),
    (lambda d: d["animations"][0]["samplers"][1].update(interpolation="CUBICSPLINE"), "do not fit its times"),
])
def test_what_is_wrong_is_said_with_the_file(change, message):
    document, binary = opened(wander(3), Extra(mesh=False))
    change(document)
    with pytest.raises(GambolError, match=message) as error:
        decode(repack(document, binary), Source("walk.glb"))
    assert "walk.glb" in str(error.value)


def test_a_buffer_elsewhere_is_refused():
    document = {"asset": {"version": "2.0"}, "buffers": [{"uri": "../../secret.bin", "byteLength": 4}]}
    with pytest.raises(GambolError, match="another file"):
        decode(json.dumps(document).encode(), Source("a.gltf"))


# the Khronos validator


@pytest.mark.browser
def test_the_khronos_validator_finds_nothing(tmp_path):
    folder = ROOT / "tests" / "browser"
    if not shutil.which("node") or not (folder / "node_modules" / "gltf-validator").is_dir():
        pytest.skip("needs node, and: npm install in tests/browser")
    stick = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 1.0, 0]]), (1,))
    moves = np.broadcast_to(wander(9).skeleton.offsets, (9, 26, 3)) + np.linspace(0, 0.1, 9)[:, None, None]
    motions = {
        "full": wander(50), "tall": wander(5, skeleton=Body(2.2).skeleton),
        "still": still(5), "one": still(1),
        "stick": wander(5, skeleton=stick), "moves": replace(wander(9), translations=moves),
    }
    files = []
    for name, motion in motions.items():
        for mesh in (True, False):
            files.append(tmp_path / f"{name}_{mesh}.glb")
            save(motion, files[-1], mesh=mesh, terrain=Plane() if mesh else None)
    files.append(tmp_path / "full.vrma")
    save(motions["full"], files[-1])
    program = ["node", str(ROOT / "tests" / "gltf_validate.mjs"), *map(str, files)]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=True)
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(reports) == len(files)
    for file, report in zip(files, reports):
        issues = report["issues"]
        assert issues["numErrors"] == issues["numWarnings"] == 0, (file.name, issues["messages"])


def test_turns_come_back_to_seven_digits():
    motion = wander(100)
    assert same_turns(decode(encode(motion), Source("a")).rotations, motion.rotations) < 3e-7
