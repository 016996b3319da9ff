"""Inverse kinematics in closed form, on arrays of frames."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol import quat

__all__ = ["frame_along", "two_bone"]

Array = NDArray[np.float64]
BENT = (0.02, 0.12)  # sine of the bend: below, the given hinge counts; above, the axis of the bend itself


def frame_along(along: ArrayLike, axis: ArrayLike) -> Array:
    """The rotation whose z axis is along ``along`` (..., 3) and whose x axis is as near to ``axis`` as it can be."""
    z = _unit(np.asarray(along, float))
    x = _square(np.asarray(axis, float), z)
    return quat.from_basis(x, np.cross(z, x), z)


def two_bone(chain: tuple[ArrayLike, ArrayLike, ArrayLike], target: ArrayLike, hinge: ArrayLike) -> tuple[Array, Array]:
    """Turns that bring the end of a chain of two bones to a target, with the bend kept in its plane.

    Args:
        chain: root, middle and end ``(..., 3)`` m, where the joints are now.
        target: ``(..., 3)`` m. One out of reach is pointed at with the chain straight, one nearer than the bones
            allow with the chain folded: no length ever changes.
        hinge: ``(..., 3)`` the axis of the bend, positive as the chain bends (for a knee the left, for an elbow of
            a T-pose the one that brings the hand forward). It decides while the chain is nearly straight, and which
            way the chain bends at all.

    Returns:
        World rotations ``(..., 4)`` to put before those of the root joint and of the middle joint.
    """
    root, middle, end = (np.asarray(p, float) for p in chain)
    upper, lower = middle - root, end - middle
    a, b = (np.linalg.norm(v, axis=-1, keepdims=True) for v in (upper, lower))
    axis = _bend_axis(upper / a, lower / b, np.asarray(hinge, float))
    to, line = np.asarray(target, float) - root, _unit(end - root)
    far = np.linalg.norm(to, axis=-1, keepdims=True)
    aim = np.where(far > 1e-9, to / np.maximum(far, 1e-9), line)
    length = np.clip(far, np.abs(a - b) + 1e-9, a + b)
    along = (a * a - b * b + length * length) / (2 * length)  # law of cosines
    out = np.sqrt(np.maximum(a * a - along * along, 0.0))
    # The plane of the bend goes along with the line from root to end, by its shortest turn.
    new_axis = _square(quat.rotate(quat.between(line, aim), axis), aim)
    new_upper = along * aim + out * np.cross(aim, new_axis)
    new_lower = length * aim - new_upper
    first = quat.multiply(frame_along(new_upper, new_axis), quat.conjugate(frame_along(upper, axis)))
    second = quat.multiply(frame_along(new_lower, new_axis), quat.conjugate(frame_along(lower, axis)))
    return first, second


def _bend_axis(upper: Array, lower: Array, hinge: Array) -> Array:
    """Unit axis square to both bones; of nearly straight ones the part of the hinge that is."""
    across = np.cross(upper, lower)
    sine = np.linalg.norm(across, axis=-1, keepdims=True)
    line = _unit(upper + lower + 1e-9 * upper)
    given = _square(hinge, line)
    own = across / np.maximum(sine, 1e-12)
    own = own * np.where(np.sum(own * given, -1, keepdims=True) < 0, -1.0, 1.0)
    share = np.clip((sine - BENT[0]) / (BENT[1] - BENT[0]), 0.0, 1.0)
    return _square(share * own + (1 - share) * given, line)


def _square(v: Array, z: Array) -> Array:
    """The unit part of ``v`` square to unit ``z``; any such vector where ``v`` lies along ``z``."""
    x = v - np.sum(v * z, -1, keepdims=True) * z
    size = np.linalg.norm(x, axis=-1, keepdims=True)
    helper = np.where(np.abs(z[..., :1]) < 0.9, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    return np.asarray(np.where(size > 1e-9, x / np.maximum(size, 1e-9), _unit(np.cross(helper, z))))


def _unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-300))
