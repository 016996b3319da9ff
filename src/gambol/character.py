"""Character: somebody's rig, with its skin and the file it came in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.roles import Roles
from gambol.skeleton import Skeleton

__all__ = ["Character", "Surface", "posed"]

Array = NDArray[np.float64]


class Surface(NamedTuple):
    """A skin, as it is at rest.

    Attributes:
        vertices: ``(V, 3)`` m in the rest pose.
        normals: ``(V, 3)`` unit.
        faces: ``(T, 3)`` counterclockwise seen from outside.
        joints: ``(V, K)`` joints that carry each vertex.
        weights: ``(V, K)`` their shares, which sum to 1.
        colours: ``(T, 3)`` linear, 0 to 1.
    """

    vertices: Array
    normals: Array
    faces: NDArray[np.int64]
    joints: NDArray[np.int64]
    weights: Array
    colours: Array


@dataclass(frozen=True, eq=False)
class Character:
    """A rig.

    Attributes:
        name: of the file.
        skeleton: J joints in the rest pose of the file, in the world (metres, +y up); where it has feet, with sole
            points as leaf joints at the end. Feet that hang from the root in the file (as rigs made for inverse
            kinematics have them) hang from their shanks here.
        roles: which joint is what.
        skin: the visible surface, or None.
        source: the bytes of the file, kept whole.
        nodes: ``(J,)`` the node of each joint in the file, -1 for sole points.
        notes: what was found and changed, in sentences.
    """

    name: str
    skeleton: Skeleton
    roles: Roles
    skin: Surface | None
    source: bytes = field(repr=False)
    nodes: NDArray[np.int64]
    notes: tuple[str, ...] = ()


def posed(skeleton: Skeleton, skin: Surface, pose: tuple[Array, Array]) -> tuple[Array, Array]:
    """Vertices and normals ``(V, 3)`` of a skin in a pose: positions ``(J, 3)`` m and world rotations ``(J, 4)``.

    Linear blend skinning: joint frames are parallel to the world at rest, so that a joint's matrix is its world
    rotation and the shift from its rest position.
    """
    positions, world = pose
    turn = quat.to_matrix(world)
    shift = positions - np.einsum("jab,jb->ja", turn, skeleton.rest_positions())
    points, normals = np.zeros_like(skin.vertices), np.zeros_like(skin.normals)
    for k in range(skin.joints.shape[1]):
        j, w = skin.joints[:, k], skin.weights[:, k, None]
        points += w * (np.einsum("vab,vb->va", turn[j], skin.vertices) + shift[j])
        normals += w * np.einsum("vab,vb->va", turn[j], skin.normals)
    size = np.linalg.norm(normals, axis=1, keepdims=True)
    return points, np.where(size > 1e-9, normals / np.maximum(size, 1e-9), 0.0)
