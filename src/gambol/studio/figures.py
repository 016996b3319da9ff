"""What the page shows: the figure at rest as a skinned .glb, and the ground as triangles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.io import gltf
from gambol.io.source import Extra
from gambol.motion import Motion
from gambol.skeleton import Skeleton
from gambol.skin import Skin, strongest
from gambol.studio.bones import bones
from gambol.studio.project import Figure, Ground, View
from gambol.studio.workshop import Workshop
from gambol.terrain import HeightField, Mesh, Stairs, Terrain
from gambol.wardrobe import skin_of

__all__ = ["figure_bytes", "ground_arrays"]

Array = NDArray[np.float64]
RIGS = (".glb", ".gltf", ".vrm")
AROUND = 30.0  # m of ground shown to each side of the origin, where it has no end of its own


def figure_bytes(shop: Workshop, figure: Figure) -> bytes:
    """The figure at rest: a character's own file as it is, else a .glb whose nodes have the names of the joints."""
    wearer = shop.figure(figure)
    if wearer.character is not None:
        return wearer.character.source
    still = _at_rest(wearer.skeleton, figure.model)
    if figure.kind == "clip":
        still = replace(still, info=dict(shop.clip(View(figure.file, figure.clip)).info))
    skin = skin_of(still) or _own_skin(shop, figure, wearer.skeleton) or bones(wearer.skeleton)
    return gltf.encode(still, Extra(skin=skin))


def _own_skin(shop: Workshop, figure: Figure, skeleton: Skeleton) -> Skin | None:
    """The skin of a file whose clip is looked at, bound to the skeleton of that clip; None where there is none."""
    if figure.kind != "clip" or shop.folder.file(figure.file).suffix.lower() not in RIGS:
        return None
    try:
        character = shop.figure(Figure("character", file=figure.file)).character
    except GambolError:  # animation only
        return None
    if character is None or character.skin is None or character.skeleton.names != skeleton.names:
        return None
    surface = character.skin
    rows = np.zeros((len(surface.vertices), len(skeleton)))
    np.add.at(rows, (np.arange(len(rows))[:, None], surface.joints), surface.weights)
    joints, weights = strongest(rows)
    moved = skeleton.rest_positions() - character.skeleton.rest_positions()  # a clip may have other lengths
    colours, materials = np.unique(np.round(surface.colours, 2), axis=0, return_inverse=True)
    palette = {f"colour_{k}": (tuple(map(float, c)), 0.7) for k, c in enumerate(colours)}
    size = np.linalg.norm(surface.normals, axis=1, keepdims=True)
    normals = np.where(size > 1e-6, surface.normals / np.maximum(size, 1e-6), [0.0, 1.0, 0.0])
    return Skin(
        surface.vertices + np.einsum("vk,vkx->vx", weights, moved[joints]), normals, surface.faces, joints, weights,
        materials.reshape(-1), palette,  # type: ignore[arg-type]
    )


def _at_rest(skeleton: Skeleton, model: str) -> Motion:
    turns = np.tile(quat.IDENTITY, (1, len(skeleton), 1))
    return Motion(skeleton, skeleton.offsets[:1], turns, 30.0, name="rest", info={"model": model} if model else {})


def ground_arrays(shop: Workshop, ground: Ground) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header and arrays of a ground: ``positions`` (V, 3) m and ``faces`` (T, 3)."""
    terrain = shop.ground(ground)
    points, faces = _surface(terrain)
    low, high = (points.min(0), points.max(0)) if len(points) else (np.zeros(3), np.zeros(3))
    name = ground.file.partition("-")[2] if ground.file else ground.text
    header = {"name": name, "bounds": [low.tolist(), high.tolist()]}
    return header, {"positions": points, "faces": faces}


def _surface(terrain: Terrain) -> tuple[Array, NDArray[np.int64]]:
    """All of a mesh or a field, and what lies around of a ground without an end."""
    if isinstance(terrain, Mesh):
        return terrain.vertices, terrain.faces
    if isinstance(terrain, HeightField):
        low, high = np.array([terrain.x[0], terrain.z[0]]), np.array([terrain.x[-1], terrain.z[-1]])
        return terrain.surface(low, high)
    if isinstance(terrain, Stairs):
        end = terrain.start + terrain.count * terrain.tread + 12.0
        return terrain.surface(np.array([-AROUND, -AROUND]), np.array([AROUND, max(end, AROUND)]))
    return terrain.surface(np.array([-AROUND, -AROUND]), np.array([AROUND, AROUND]))


