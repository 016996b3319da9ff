"""Built-in models: sound skeletons and skins, the same every time, and files that carry them."""

import json
import struct

import numpy as np
import pytest

from gambol import quat
from gambol.errors import GambolError
from gambol.io import load, save
from gambol.mannequin import deform
from gambol.models import FIGURES, MODELS, figure, model
from gambol.motion import Motion
from gambol.skeleton import forward_kinematics
from gambol.wardrobe import skin_of


def still(name: str, frames: int = 2) -> Motion:
    body = model(name)
    rotations = np.tile(quat.IDENTITY, (frames, len(body.skeleton), 1))
    root = np.repeat(body.skeleton.offsets[:1], frames, 0)
    return Motion(body.skeleton, root, rotations, 30.0, info={"model": body.name})


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_a_skin_is_whole(name):
    """Weights are shares of 1, faces are closed and face outwards, and every vertex is carried."""
    made = figure(name)
    skin, skeleton = made.skin, made.model.skeleton
    assert skin.weights.sum(1) == pytest.approx(1.0)
    assert skin.joints.max() < len(skeleton) and skin.materials.max() < len(skin.palette)
    assert np.isfinite(skin.vertices).all() and np.linalg.norm(skin.normals, axis=1) == pytest.approx(1.0, abs=1e-9)
    edges = np.sort(np.concatenate([skin.faces[:, [0, 1]], skin.faces[:, [1, 2]], skin.faces[:, [2, 0]]]), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()
    a, b, c = (skin.vertices[skin.faces[:, k]] for k in range(3))
    assert np.sum(a * np.cross(b, c)) > 0
    assert skin.vertices[:, 1].min() > -0.1  # trunks go into the ground


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_a_skin_moves_rigidly_with_its_root(name):
    made = figure(name)
    turns = np.tile(quat.IDENTITY, (len(made.model.skeleton), 1))
    turns[0] = quat.exp([0.3, 1.0, -0.2])
    root = made.model.skeleton.offsets[0] + [1.0, 2.0, 3.0]
    points, world = forward_kinematics(made.model.skeleton, root, turns)
    moved = deform(made.skin, made.model.skeleton, points, world)
    rest = made.skin.vertices - made.model.skeleton.offsets[0]
    assert np.abs(moved - root - quat.rotate(turns[0], rest)).max() < 1e-12


@pytest.mark.parametrize("name", ["person", "dog", "rose"])
def test_a_file_carries_the_skin(name, tmp_path):
    motion = still(name)
    save(motion, tmp_path / "a.glb")
    data = (tmp_path / "a.glb").read_bytes()
    document = json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])
    assert document["nodes"][document["scenes"][0]["nodes"][-1]]["skin"] == 0
    back = load(tmp_path / "a.glb")
    assert skin_of(back) is not None and len(back.skeleton) == len(motion.skeleton)


def test_a_strange_skeleton_wears_nothing():
    motion = still("rose")
    strange = Motion(model("lily").skeleton, motion.root, still("lily").rotations, 30.0, info={"model": "rose"})
    assert skin_of(strange) is None
    assert skin_of(Motion(strange.skeleton, strange.root, strange.rotations, 30.0, info={"model": "bush"})) is None


def test_the_paper_counts_its_joints():
    assert len(model("person").skeleton) == 39
    assert len(model("lily").skeleton) == 29


def test_a_tree_grows_from_its_seed():
    assert model("tree:3").skeleton == model("tree:3").skeleton != model("tree:4").skeleton


def test_legs_are_found():
    assert [len(model(n).legs) for n in ("person", "dog", "spider", "centipede", "rose")] == [2, 4, 8, 20, 0]


@pytest.mark.parametrize("name", ["cat", "dog:3", "person:99", "tree:x", "tree:-1", "person:nan", ""])
def test_models_that_are_not_there_are_said(name):
    with pytest.raises(GambolError):
        model(name)


def test_every_model_has_a_name():
    assert set(MODELS) == {"person", *FIGURES}
