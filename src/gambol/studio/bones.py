"""Bones to look at, for skeletons without a skin: one slim double pyramid from each joint to its child."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol.loft import normals_of
from gambol.skeleton import Skeleton, readonly
from gambol.skin import PALETTE, Skin

__all__ = ["bones"]

Array = NDArray[np.float64]
WIDTH, WAIST, LEAST = 0.09, 0.18, 1e-4  # half width of a bone and where it is widest, of its length; m
FACES = np.array([[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [5, 1, 2], [5, 2, 3], [5, 3, 4], [5, 4, 1]])


def bones(skeleton: Skeleton) -> Skin:
    """The skin: every bone turns with the joint it begins at. Of a skeleton without bones, a small one at the root."""
    rest = skeleton.rest_positions()
    pairs = [(int(p), rest[j]) for j, p in enumerate(skeleton.parents) if p >= 0]
    pairs = [(p, end) for p, end in pairs if np.linalg.norm(end - rest[p]) > LEAST]
    pairs = pairs or [(0, rest[0] + [0.0, 0.1, 0.0])]
    points = np.concatenate([_bone(rest[p], end) for p, end in pairs])
    faces = np.concatenate([FACES + 6 * k for k in range(len(pairs))])
    corners, order = points[faces].reshape(-1, 3), np.arange(faces.size).reshape(-1, 3)  # flat shaded
    joints = np.zeros((len(corners), 4), int)
    joints[:, 0] = np.repeat([p for p, _ in pairs], FACES.size)
    weights = np.tile([1.0, 0.0, 0.0, 0.0], (len(corners), 1))
    left = np.repeat([skeleton.names[p].startswith(("left", "Left", "L_", "l_")) for p, _ in pairs], len(FACES))
    names = list(PALETTE)
    return Skin(
        readonly(corners), readonly(normals_of(corners, order)), readonly(order, int), readonly(joints, int),
        readonly(weights), readonly(np.where(left, names.index("accent"), names.index("body")), int),
    )


def _bone(start: Array, end: Array) -> Array:
    """(6, 3) m: its start, four corners around its waist, its end."""
    way = end - start
    length = float(np.linalg.norm(way))
    along = way / length
    across = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    across /= np.linalg.norm(across)
    other = np.cross(along, across)
    waist = start + WAIST * way
    around = [waist + WIDTH * length * side for side in (across, other, -across, -other)]
    return np.array([start, *around, end])
