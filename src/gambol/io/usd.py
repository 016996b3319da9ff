"""USD: the figure, its skin, the ground and the clip as UsdSkel, that Blender and usdview open.

Metres, +y up, as everywhere in gambol, and said so on the stage. One time code is one frame at the stage's rate. Joints
are paths of legal names; what they were called is kept in ``jointNames``. Needs the library usd-core. Write only.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError, MissingExtra
from gambol.io.source import PLAIN, Extra, Ground, ground_around
from gambol.motion import Motion
from gambol.skeleton import Skeleton
from gambol.skin import Skin
from gambol.wardrobe import skin_of

if TYPE_CHECKING:
    from pxr import Usd

__all__ = ["encode", "encode_text"]

Array = NDArray[np.float64]
ROOM = 1.2  # m beyond the joints that a figure may reach, for the box around it
GROUND = (0.40, 0.44, 0.42)


class _Api(NamedTuple):
    """The parts of the library in use."""

    Gf: Any
    Sdf: Any
    Tf: Any
    Usd: Any
    UsdGeom: Any
    UsdShade: Any
    UsdSkel: Any
    Vt: Any


def encode(motion: Motion, extra: Extra = PLAIN) -> bytes:
    """The bytes of a binary file, .usdc or .usd.

    Raises:
        GambolError: a motion without frames.
        MissingExtra: without usd-core.
    """
    stage = _stage(motion, extra)
    with tempfile.TemporaryDirectory(prefix="gambol-") as folder:  # the library writes this form to a disk only
        file = os.path.join(folder, "motion.usdc")
        stage.GetRootLayer().Export(file)
        return Path(file).read_bytes()


def encode_text(motion: Motion, extra: Extra = PLAIN) -> bytes:
    """The bytes of a text file, .usda; errors as for :func:`encode`."""
    stage = _stage(motion, extra)  # held by name: a layer lives as long as its stage
    text: str = stage.GetRootLayer().ExportToString()
    return text.encode()


def _api() -> _Api:
    try:
        from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdShade, UsdSkel, Vt
    except ImportError as error:
        raise MissingExtra("usd-core", "usd", "writing USD") from error
    return _Api(Gf, Sdf, Tf, Usd, UsdGeom, UsdShade, UsdSkel, Vt)


def _stage(motion: Motion, extra: Extra) -> Usd.Stage:
    """The scene: one component with a SkelRoot, and the ground beside it."""
    if not len(motion):
        raise GambolError("a motion without frames", where="usd", do="save it as .npz or .bvh")
    api = _api()
    stage = api.Usd.Stage.CreateInMemory()
    api.UsdGeom.SetStageUpAxis(stage, api.UsdGeom.Tokens.y)
    api.UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(motion.fps)
    stage.SetFramesPerSecond(motion.fps)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(len(motion) - 1)
    root = api.UsdGeom.Xform.Define(stage, "/motion")
    stage.SetDefaultPrim(root.GetPrim())
    api.Usd.ModelAPI(root).SetKind("component")
    figure = api.UsdSkel.Root.Define(stage, "/motion/figure")
    figure.CreateExtentAttr(_box(motion).astype(np.float32))
    paths = _joint_paths(api, motion.skeleton)
    skeleton = _skeleton(api, stage, motion.skeleton, paths)
    _animation(api, stage, motion, paths)
    binding = api.UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
    binding.CreateAnimationSourceRel().SetTargets([api.Sdf.Path("/motion/figure/skeleton/clip")])
    if extra.mesh and (skin := skin_of(motion)) is not None:
        _skin(api, stage, skin)
    if extra.terrain is not None:
        _ground(api, stage, motion, extra.terrain)
    return stage


def _box(motion: Motion) -> Array:
    """Lowest and highest corner of a box that holds the figure at every time."""
    points = motion.positions().reshape(-1, 3)
    return np.stack([points.min(0) - ROOM, points.max(0) + ROOM])


def _joint_paths(api: _Api, skeleton: Skeleton) -> list[str]:
    """The path of each joint from the root down, in legal names that differ among siblings."""
    paths: list[str] = []
    taken: set[str] = set()
    for j, name in enumerate(skeleton.names):
        parent = f"{paths[skeleton.parents[j]]}/" if j else ""
        word = f"_{name}" if name[:1].isdigit() else name  # no digit comes first
        legal = free = parent + api.Tf.MakeValidIdentifier(word)
        k = 2
        while free in taken:
            free, k = f"{legal}_{k}", k + 1
        taken.add(free)
        paths.append(free)
    return paths


def _skeleton(api: _Api, stage: Usd.Stage, skeleton: Skeleton, paths: list[str]) -> Any:
    """Joints with rest transforms, each in its parent, and bind transforms, in the world; no rest frame is turned."""
    out = api.UsdSkel.Skeleton.Define(stage, "/motion/figure/skeleton")
    out.CreateJointsAttr(paths)
    out.CreateJointNamesAttr(list(skeleton.names))
    shift = np.tile(np.eye(4), (len(skeleton), 1, 1))
    for create, places in (
        (out.CreateRestTransformsAttr, skeleton.offsets), (out.CreateBindTransformsAttr, skeleton.rest_positions()),
    ):
        shift[:, 3, :3] = places  # rows are vectors times matrix: the shift is the last row
        create(api.Vt.Matrix4dArray.FromNumpy(shift))
    return out


def _animation(api: _Api, stage: Usd.Stage, motion: Motion, paths: list[str]) -> None:
    """Translations, rotations and scales of all joints; what does not move has one value."""
    clip = api.UsdSkel.Animation.Define(stage, "/motion/figure/skeleton/clip")
    clip.CreateJointsAttr(paths)
    frames, joints = len(motion), len(motion.skeleton)
    moves = np.broadcast_to(motion.skeleton.offsets, (frames, joints, 3)).astype(np.float32)
    if motion.translations is not None:
        moves[:] = motion.translations
    moves[:, 0] = motion.root
    turns = np.roll(motion.rotations, -1, axis=-1).astype(np.float32)  # arrays of quaternions have w last
    translations, rotations = clip.CreateTranslationsAttr(), clip.CreateRotationsAttr()
    with api.Sdf.ChangeBlock():
        for frame in range(frames):
            translations.Set(api.Vt.Vec3fArray.FromNumpy(moves[frame]), frame)
            rotations.Set(api.Vt.QuatfArray.FromNumpy(turns[frame]), frame)
    # Some readers, Blender among them, take a clip for none without scales (lighttransport/LightUSD#206).
    clip.CreateScalesAttr().Set(api.Vt.Vec3hArray([(1, 1, 1)] * joints), 0)


def _skin(api: _Api, stage: Usd.Stage, skin: Skin) -> None:
    """The surface of the figure, bound to the skeleton, one subset a material."""
    mesh = _mesh(api, stage, "/motion/figure/body", skin.vertices, skin.faces)
    mesh.CreateNormalsAttr(api.Vt.Vec3fArray.FromNumpy(skin.normals.astype(np.float32)))
    mesh.SetNormalsInterpolation(api.UsdGeom.Tokens.vertex)
    binding = api.UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateSkeletonRel().SetTargets([api.Sdf.Path("/motion/figure/skeleton")])
    width = skin.joints.shape[1]
    binding.CreateJointIndicesPrimvar(False, width).Set(
        api.Vt.IntArray.FromNumpy(np.ascontiguousarray(skin.joints.ravel(), np.int32))
    )
    weights = np.ascontiguousarray(skin.weights.ravel(), np.float32)
    binding.CreateJointWeightsPrimvar(False, width).Set(api.Vt.FloatArray.FromNumpy(weights))
    binding.CreateGeomBindTransformAttr(api.Gf.Matrix4d(1.0))
    for number, (name, (colour, roughness)) in enumerate(skin.palette.items()):
        faces = np.flatnonzero(skin.materials == number).astype(np.int32)
        if not len(faces):
            continue
        material = _material(api, stage, name, colour, roughness)
        subset = api.UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).CreateMaterialBindSubset(
            name, api.Vt.IntArray.FromNumpy(faces)
        )
        api.UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(material)
    api.UsdShade.MaterialBindingAPI(mesh.GetPrim()).SetMaterialBindSubsetsFamilyType("nonOverlapping")


def _ground(api: _Api, stage: Usd.Stage, motion: Motion, terrain: Ground) -> None:
    vertices, faces = ground_around(terrain, motion.root)
    mesh = _mesh(api, stage, "/motion/ground", vertices, faces)
    mesh.CreateDoubleSidedAttr(True)
    material = _material(api, stage, "ground", GROUND, 1.0)
    api.UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(material)


def _mesh(api: _Api, stage: Usd.Stage, path: str, vertices: Array, faces: NDArray) -> Any:
    """A mesh of triangles."""
    mesh = api.UsdGeom.Mesh.Define(stage, path)
    points = api.Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(vertices, np.float32))
    mesh.CreatePointsAttr(points)
    mesh.CreateFaceVertexCountsAttr(api.Vt.IntArray.FromNumpy(np.full(len(faces), 3, np.int32)))
    mesh.CreateFaceVertexIndicesAttr(api.Vt.IntArray.FromNumpy(np.ascontiguousarray(faces.ravel(), np.int32)))
    mesh.CreateSubdivisionSchemeAttr(api.UsdGeom.Tokens.none)
    mesh.CreateExtentAttr(api.UsdGeom.PointBased.ComputeExtent(points))
    return mesh


def _material(api: _Api, stage: Usd.Stage, name: str, colour: tuple[float, float, float], roughness: float) -> Any:
    """A plain surface of one linear colour."""
    material = api.UsdShade.Material.Define(stage, f"/motion/materials/{name}")
    shader = api.UsdShade.Shader.Define(stage, f"/motion/materials/{name}/surface")
    shader.CreateIdAttr("UsdPreviewSurface")
    types = api.Sdf.ValueTypeNames
    shader.CreateInput("diffuseColor", types.Color3f).Set(api.Gf.Vec3f(*colour))
    shader.CreateInput("roughness", types.Float).Set(roughness)
    material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
    return material
