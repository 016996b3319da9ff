"""USD: what is written, read back by the library of the format and judged by its own validators."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from files import Plane, still, wander

from gambol.errors import GambolError, MissingExtra
from gambol.io import FORMATS, load, save
from gambol.io.source import Extra
from gambol.io.usd import encode, encode_text
from gambol.mannequin import deform, mannequin
from gambol.skeleton import Skeleton, forward_kinematics

Usd = pytest.importorskip("pxr.Usd")
FIGURE = "/motion/figure"
BARE = Extra(mesh=False)


def opened(motion, extra=BARE):
    from pxr import Sdf

    layer = Sdf.Layer.CreateAnonymous(".usda")
    assert layer.ImportFromString(encode_text(motion, extra).decode())
    return Usd.Stage.Open(layer)


def joints(stage, frame=None):
    """(J, 4, 4) transforms of the joints in the world, by the library: at rest, bound, or at a frame."""
    from pxr import UsdSkel

    cache = UsdSkel.Cache()
    root = UsdSkel.Root.Get(stage, FIGURE)
    cache.Populate(root, Usd.PrimDefaultPredicate)
    query = cache.GetSkelQuery(UsdSkel.Skeleton.Get(stage, f"{FIGURE}/skeleton"))
    assert query and query.GetAnimQuery()
    out = query.ComputeJointSkelTransforms(Usd.TimeCode(frame or 0), frame is None)
    return np.array(out).reshape(-1, 4, 4)


def test_joints_are_where_the_motion_has_them():
    """Half a frame is half a frame for every joint, and the rest pose is the skeleton's."""
    motion = wander(20)
    stage = opened(motion)
    for frame in (0, 7, 19):
        np.testing.assert_allclose(joints(stage, frame)[:, 3, :3], motion.positions()[frame], atol=1e-6)
    np.testing.assert_allclose(joints(stage)[:, 3, :3], motion.skeleton.rest_positions(), atol=1e-12)


def test_the_stage_says_rate_length_unit_and_up():
    """U037, U101: the rate is the recording's; scales are written, for readers that want all three."""
    from pxr import UsdGeom, UsdSkel

    stage = opened(replace(wander(60), fps=29.476))
    assert stage.GetTimeCodesPerSecond() == stage.GetFramesPerSecond() == 29.476
    length = (stage.GetEndTimeCode() - stage.GetStartTimeCode()) / stage.GetTimeCodesPerSecond()
    assert length == pytest.approx(59 / 29.476, abs=1e-12)
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    clip = UsdSkel.Animation.Get(stage, f"{FIGURE}/skeleton/clip")
    for attribute in (clip.GetTranslationsAttr(), clip.GetRotationsAttr(), clip.GetScalesAttr()):
        assert attribute.GetNumTimeSamples() and len(attribute.Get(0)) == len(wander(1).skeleton)
    assert np.array(clip.GetScalesAttr().Get(30)).min() == np.array(clip.GetScalesAttr().Get(30)).max() == 1


def test_joints_that_leave_their_offset():
    motion = wander(5)
    moves = np.broadcast_to(motion.skeleton.offsets, (5, len(motion.skeleton), 3)).copy()
    moves[:, 0], moves[:, 4, 1] = motion.root, 0.3
    stage = opened(replace(motion, translations=moves))
    from pxr import UsdSkel

    clip = UsdSkel.Animation.Get(stage, f"{FIGURE}/skeleton/clip")
    np.testing.assert_allclose(np.array(clip.GetTranslationsAttr().Get(3)), moves[3], atol=1e-6)


def test_names_become_legal_and_are_kept():
    names = ("rig:Hips", "Spine.001", "Spine 001", "9lives", "über", "Spine_001")
    skeleton = Skeleton(names, np.array([-1, 0, 0, 1, 2, 0]), np.ones((6, 3)), ())
    stage = opened(wander(3, skeleton=skeleton))
    from pxr import Sdf, UsdSkel

    prim = UsdSkel.Skeleton.Get(stage, f"{FIGURE}/skeleton")
    paths = list(prim.GetJointsAttr().Get())
    assert len(set(paths)) == 6 and all(Sdf.Path.IsValidPathString(p) for p in paths)
    assert tuple(prim.GetJointNamesAttr().Get()) == names
    assert UsdSkel.Topology(paths).Validate()
    assert list(UsdSkel.Topology(paths).GetParentIndices()) == skeleton.parents.tolist()


def test_the_skin_follows_the_joints():
    """Skinned by the library, the surface lies where our own skinning has it."""
    from pxr import UsdGeom, UsdSkel

    motion = wander(4)
    stage = opened(motion, Extra(mesh=True))
    mesh = UsdGeom.Mesh.Get(stage, f"{FIGURE}/body")
    cache = UsdSkel.Cache()
    root = UsdSkel.Root.Get(stage, FIGURE)
    cache.Populate(root, Usd.PrimDefaultPredicate)
    skeleton = cache.GetSkelQuery(UsdSkel.Skeleton.Get(stage, f"{FIGURE}/skeleton"))
    skinning = cache.GetSkinningQuery(mesh.GetPrim())
    points = mesh.GetPointsAttr().Get()
    assert skinning.ComputeSkinnedPoints(skeleton.ComputeSkinningTransforms(2), points, 2)
    posed = forward_kinematics(motion.skeleton, motion.root[2], motion.rotations[2])
    want = deform(mannequin(motion.skeleton), motion.skeleton, *posed)
    np.testing.assert_allclose(np.array(points), want, atol=1e-5)


def complaints(stage):
    from pxr import UsdValidation

    registry = UsdValidation.ValidationRegistry()
    validators = registry.GetOrLoadAllValidators()
    assert len(validators) > 20
    return [e.GetMessage() for e in UsdValidation.ValidationContext(validators).Validate(stage)]


@pytest.mark.parametrize("extra", [Extra(mesh=False), Extra(mesh=True), Extra(mesh=True, terrain=Plane())])
def test_the_validators_of_usd_find_nothing(extra):
    for motion in (wander(6), still(1)):
        assert complaints(opened(motion, extra)) == []


def test_the_validators_do_find_what_is_wrong():
    stage = opened(wander(3))
    stage.ClearMetadata("defaultPrim")
    stage.ClearMetadata("metersPerUnit")
    assert len(complaints(stage)) >= 2


@pytest.mark.parametrize("suffix", [".usd", ".usdc", ".usda"])
def test_each_suffix_is_a_file_of_its_kind(suffix, tmp_path):
    motion = wander(7)
    save(motion, tmp_path / f"a{suffix}", terrain=Plane())
    data = (tmp_path / f"a{suffix}").read_bytes()
    assert data.startswith(b"#usda" if suffix == ".usda" else b"PXR-USDC")
    stage = Usd.Stage.Open(str(tmp_path / f"a{suffix}"))
    np.testing.assert_allclose(joints(stage, 6)[:, 3, :3], motion.positions()[6], atol=1e-6)
    assert stage.GetPrimAtPath("/motion/ground") and stage.GetPrimAtPath(f"{FIGURE}/body")
    assert FORMATS[suffix].encode(motion, Extra()) == FORMATS[suffix].encode(motion, Extra())


def test_usd_is_written_and_not_read_and_says_so(tmp_path):
    save(wander(2), tmp_path / "a.usda")
    with pytest.raises(GambolError, match="no reader"):
        load(tmp_path / "a.usda")


def test_a_motion_without_frames_is_refused():
    with pytest.raises(GambolError, match="without frames"):
        encode(wander(2)[:0])


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(MissingExtra, match=r"pip install 'gambol\[usd\]'"):
        encode(wander(2))
