"""What the page shows: the figure at rest as a skinned .glb, and the ground as triangles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.io import gltf
from gambol.io.source import Extra
from gambol.motion import Motion
from gambol.skeleton import Skeleton
from gambol.studio.bones import bones
from gambol.studio.project import Figure, Ground, View
from gambol.studio.workshop import Workshop
from gambol.terrain import HeightField, Mesh, Stairs, Terrain
from gambol.wardrobe import skin_of

__all__ = ["figure_bytes", "ground_arrays"]

Array = NDArray[np.float64]
AROUND = 30.0  # m of ground shown to each side of the origin, where it has no end of its own


def figure_bytes(shop: Workshop, figure: Figure) -> bytes:
    """The figure at rest: a character's own file as it is, else a .glb whose nodes have the names of the joints."""
    wearer = shop.figure(figure)
    if wearer.character is not None:
        return wearer.character.source
    still = _at_rest(wearer.skeleton, figure.model)
    if figure.kind == "clip":
        still = replace(still, info=dict(shop.clip(View(figure.file, figure.clip)).info))
    return gltf.encode(still, Extra(skin=skin_of(still) or bones(wearer.skeleton)))


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


