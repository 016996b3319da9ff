"""The visible surface of a skeleton in a glTF document, at rest in the world."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.character import Surface
from gambol.errors import GambolError
from gambol.io.glb import read_accessor
from gambol.io.gltf_rig import Rig

__all__ = ["surface_of"]

Array = NDArray[np.float64]
TRIANGLES, STRIP, FAN = 4, 5, 6
MOST_VERTICES = 2_000_000
GREY = (0.6, 0.6, 0.6)


def surface_of(document: Mapping[str, Any], binary: bytes, rig: Rig) -> tuple[Surface | None, list[str]]:
    """What moves with a skeleton: meshes with a skin of its joints, and meshes that hang from its joints.

    Returns:
        The surface, whose joints are those of the rig, or None; and what could not be read, in sentences.
    """
    at = {n: j for j, n in enumerate(rig.joints)}
    parts: list[Surface] = []
    notes: list[str] = []
    looks = _Looks(document, binary)
    for number, node in enumerate(document.get("nodes", [])):
        if "mesh" not in node:
            continue
        carrier = _carrier(document, binary, number, rig, at)
        if carrier is None:
            continue
        mesh = document["meshes"][node["mesh"]]
        for primitive in mesh["primitives"]:
            try:
                part = _part(document, binary, primitive, carrier, looks)
            except GambolError as error:
                notes.append(f"a part of the mesh {mesh.get('name', node['mesh'])!r} is not read: {error}")
                continue
            if part is not None:
                parts.append(part)
    if sum(len(p.vertices) for p in parts) > MOST_VERTICES:
        return None, [*notes, f"the mesh has more than {MOST_VERTICES} vertices and is not looked at"]
    return _joined(parts), notes


def _carrier(
    document: Mapping[str, Any], binary: bytes, number: int, rig: Rig, at: Mapping[int, int]
) -> tuple[Array, NDArray[np.int64]] | None:
    """Matrices (M, 4, 4) from the mesh to the world at rest, and the joint (M,) of the rig that each goes with."""
    node = document["nodes"][number]
    if "skin" in node:
        skin = document["skins"][node["skin"]]
        if not all(n in at for n in skin["joints"]):
            return None
        joints = np.array([at[n] for n in skin["joints"]])
        inverse = np.tile(np.eye(4), (len(joints), 1, 1))
        if "inverseBindMatrices" in skin:
            inverse = read_accessor(dict(document), binary, skin["inverseBindMatrices"]).reshape(-1, 4, 4)
            inverse = inverse.transpose(0, 2, 1)[: len(joints)]
        return rig.rest[joints] @ inverse, joints
    carrying = next((n for n in (number, *rig.nodes.above(number)) if n in at), None)
    if carrying is None:
        return None
    return rig.nodes.worlds([number])[number][None], np.array([at[carrying]])


def _part(
    document: Mapping[str, Any], binary: bytes, primitive: Mapping[str, Any],
    carrier: tuple[Array, NDArray[np.int64]], looks: _Looks,
) -> Surface | None:  # fmt: skip
    if "KHR_draco_mesh_compression" in primitive.get("extensions", {}):
        raise GambolError("it is packed by Draco", do="export it without compression")
    matrices, joints = carrier
    document, attributes = dict(document), primitive["attributes"]
    points = read_accessor(document, binary, attributes["POSITION"])
    order = np.arange(len(points))
    if "indices" in primitive:
        order = read_accessor(document, binary, primitive["indices"]).astype(int)
    faces = _faces(order, primitive.get("mode", TRIANGLES))
    if not len(faces):
        return None
    if len(points) > MOST_VERTICES or (faces < 0).any() or (faces >= len(points)).any():
        raise GambolError("its triangles have corners that are not there")
    if "JOINTS_0" in attributes and len(matrices) > 0 and "WEIGHTS_0" in attributes:
        sets = [k for k in range(4) if f"JOINTS_{k}" in attributes and f"WEIGHTS_{k}" in attributes]
        local, weights = (
            np.concatenate([read_accessor(document, binary, attributes[f"{what}_{k}"]) for k in sets], 1)
            for what in ("JOINTS", "WEIGHTS")
        )
        local = local.astype(int)
        weights = np.where(weights > 0, weights, 0.0)
    else:
        local, weights = np.zeros((len(points), 1), int), np.ones((len(points), 1))
    if (local < 0).any() or (local >= len(matrices)).any():
        raise GambolError("its vertices go with joints that are not there")
    total = weights.sum(1, keepdims=True)
    weights = np.where(total > 1e-6, weights / np.maximum(total, 1e-6), np.eye(1, weights.shape[1]))
    blend = np.einsum("vk,vkab->vab", weights, matrices[local])
    world = np.einsum("vab,vb->va", blend[:, :3, :3], points) + blend[:, :3, 3]
    if not np.isfinite(world).all():
        raise GambolError("its vertices are no numbers")
    if np.linalg.det(blend[:, :3, :3]).mean() < 0:  # mirrored: keep the outside outside
        faces = faces[:, ::-1]
    return Surface(world, _normals(world, faces), faces, joints[local], weights, looks.of(primitive, faces))


def _faces(order: NDArray[np.int64], mode: int) -> NDArray[np.int64]:
    if mode == TRIANGLES:
        return order[: len(order) // 3 * 3].reshape(-1, 3)
    if mode == STRIP and len(order) > 2:
        faces = np.stack([order[:-2], order[1:-1], order[2:]], 1)
        faces[1::2] = faces[1::2, ::-1]
        return faces
    if mode == FAN and len(order) > 2:
        return np.stack([np.full(len(order) - 2, order[0]), order[1:-1], order[2:]], 1)
    return np.zeros((0, 3), int)


def _normals(points: Array, faces: NDArray[np.int64]) -> Array:
    """(V, 3) unit normals; vertices at one place share theirs, so that seams of textures are not seen."""
    _, at = np.unique(np.round(points, 6), axis=0, return_inverse=True)
    at = at.reshape(-1)
    a, b, c = (points[faces[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    sums = np.zeros((int(at.max(initial=-1)) + 1, 3))
    for k in range(3):
        np.add.at(sums, at[faces[:, k]], across)
    out = sums[at]
    size = np.linalg.norm(out, axis=1, keepdims=True)
    return np.asarray(np.where(size > 1e-12, out / np.maximum(size, 1e-12), [0.0, 1.0, 0.0]))


def _joined(parts: Sequence[Surface]) -> Surface | None:
    if not parts:
        return None
    wide = max(p.joints.shape[1] for p in parts)
    starts = np.cumsum([0, *(len(p.vertices) for p in parts[:-1])])

    def padded(x: NDArray[Any]) -> NDArray[Any]:
        return np.pad(x, ((0, 0), (0, wide - x.shape[1])))

    return Surface(
        np.concatenate([p.vertices for p in parts]), np.concatenate([p.normals for p in parts]),
        np.concatenate([p.faces + s for p, s in zip(parts, starts)]),
        np.concatenate([padded(p.joints) for p in parts]), np.concatenate([padded(p.weights) for p in parts]),
        np.concatenate([p.colours for p in parts]),
    )  # fmt: skip


class _Looks:
    """Colours of triangles: the material's, times the texture at their middle, times that of their corners."""

    def __init__(self, document: Mapping[str, Any], binary: bytes) -> None:
        self.document, self.binary = dict(document), binary
        self._pictures: dict[int, Array | None] = {}

    def of(self, primitive: Mapping[str, Any], faces: NDArray[np.int64]) -> Array:
        """``(T, 3)`` linear."""
        out = np.tile(np.array(GREY), (len(faces), 1))
        attributes = primitive["attributes"]
        if "material" in primitive:
            material = self.document["materials"][primitive["material"]]
            surface = material.get("pbrMetallicRoughness", {})
            out[:] = surface.get("baseColorFactor", [1.0, 1.0, 1.0])[:3]
            texture = surface.get("baseColorTexture")
            if texture is not None and f"TEXCOORD_{texture.get('texCoord', 0)}" in attributes:
                uv = read_accessor(self.document, self.binary, attributes[f"TEXCOORD_{texture.get('texCoord', 0)}"])
                out *= self._sampled(texture["index"], uv[faces].mean(1))
        if "COLOR_0" in attributes:
            corner = read_accessor(self.document, self.binary, attributes["COLOR_0"])
            out *= corner[faces].mean(1)[:, :3]
        return np.clip(np.nan_to_num(out), 0.0, 1.0)

    def _sampled(self, index: int, uv: Array) -> Array:
        picture = self._picture(index)
        if picture is None:
            return np.ones((len(uv), 3)) * GREY
        rows, columns = picture.shape[:2]
        x = np.nan_to_num(uv[:, 0] % 1.0 * columns).astype(int) % columns
        y = np.nan_to_num(uv[:, 1] % 1.0 * rows).astype(int) % rows
        return np.asarray(picture[y, x])

    def _picture(self, index: int) -> Array | None:
        if index not in self._pictures:
            self._pictures[index] = next(self._read(index), None)
        return self._pictures[index]

    def _read(self, index: int) -> Iterator[Array]:
        """The texture, linear (H, W, 3), at most 256 pixels wide; nothing where it cannot be read."""
        try:
            import base64

            from PIL import Image

            image = self.document["images"][self.document["textures"][index]["source"]]
            if "bufferView" in image:
                view = self.document["bufferViews"][image["bufferView"]]
                start = int(view.get("byteOffset", 0))
                data = self.binary[start : start + int(view["byteLength"])]
            else:
                data = base64.b64decode(image["uri"].partition(",")[2])
            with Image.open(io.BytesIO(data)) as picture:
                picture.draft("RGB", (256, 256))
                small = picture.convert("RGB")
                small.thumbnail((256, 256))
            values = np.asarray(small, float) / 255.0
        except Exception:  # a texture that cannot be read costs its colour and nothing else
            return
        yield np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
