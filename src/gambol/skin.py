"""A surface bound to a skeleton."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.skeleton import readonly

__all__ = ["PALETTE", "Palette", "Skin", "strongest"]

Array = NDArray[np.float64]
Palette = dict[str, tuple[tuple[float, float, float], float]]  # name -> linear base colour, roughness
PALETTE: Palette = {  # of the built-in person
    "body": ((0.62, 0.585, 0.54), 0.55),
    "dark": ((0.055, 0.06, 0.072), 0.6),
    "accent": ((0.80, 0.19, 0.035), 0.5),
}


class Skin(NamedTuple):
    """A surface bound to a skeleton, in its rest pose.

    Attributes:
        vertices: ``(V, 3)`` m.
        normals: ``(V, 3)`` unit, outwards.
        faces: ``(T, 3)`` counterclockwise seen from outside.
        joints: ``(V, 4)`` indices of the joints that carry a vertex; those without weight are 0.
        weights: ``(V, 4)`` of each of them, 1 in sum.
        materials: ``(T,)`` index into the palette.
        palette: name, linear base colour and roughness of each material.
    """

    vertices: Array
    normals: Array
    faces: NDArray[np.int64]
    joints: NDArray[np.int64]
    weights: Array
    materials: NDArray[np.int64]
    palette: Palette = PALETTE


def strongest(weights: Array) -> tuple[NDArray[np.int64], Array]:
    """The four largest weights of each vertex ``(V, J)``, 1 in sum, and whose they are."""
    joints = np.argsort(-weights, axis=1, kind="stable")[:, :4]
    kept = np.take_along_axis(weights, joints, 1)
    kept = np.where(kept < 1e-4, 0.0, kept)
    kept /= kept.sum(1, keepdims=True)
    short = 4 - kept.shape[1]  # a skeleton of fewer than four joints
    joints, kept = np.pad(joints, ((0, 0), (0, short))), np.pad(kept, ((0, 0), (0, short)))
    return readonly(np.where(kept > 0, joints, 0), int), readonly(kept)
