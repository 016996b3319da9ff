"""Unit quaternions as ``(..., 4)`` arrays, w first, mapping child vectors to the parent frame.

Every function takes any leading axes and broadcasts them. Nothing here normalises silently
except :func:`normalize` and the constructors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "IDENTITY", "between", "conjugate", "continuous", "exp", "flips", "from_axis_angle", "from_basis",
    "from_matrix", "log", "mean", "multiply", "normalize", "rotate", "slerp", "to_matrix",
]

Array = NDArray[np.float64]
IDENTITY: Array = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.setflags(write=False)


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Hamilton product ``a b``: rotate by b, then by a. Shapes ``(..., 4)``."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def conjugate(q: ArrayLike) -> Array:
    """The inverse rotation of unit ``q`` ``(..., 4)``."""
    return np.asarray(q, float) * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Vectors ``v`` ``(..., 3)`` rotated by unit ``q`` ``(..., 4)``."""
    q, v = np.asarray(q, float), np.asarray(v, float)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    vx, vy, vz = v[..., 0], v[..., 1], v[..., 2]
    tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
    out = np.empty((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), 3))
    out[..., 0] = vx + w * tx + y * tz - z * ty
    out[..., 1] = vy + w * ty + z * tx - x * tz
    out[..., 2] = vz + w * tz + x * ty - y * tx
    return out


def normalize(q: ArrayLike) -> Array:
    """``q`` ``(..., 4)`` at unit length."""
    q = np.asarray(q, float)
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Rotation by ``angle`` ``(...)`` rad about unit ``axis`` ``(..., 3)``."""
    return exp(np.asarray(axis, float) * np.asarray(angle, float)[..., None])


def exp(r: ArrayLike) -> Array:
    """Rotation vectors ``(..., 3)`` rad to quaternions."""
    r = np.asarray(r, float)
    half = 0.5 * np.linalg.norm(r, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * r], -1)


def log(q: ArrayLike) -> Array:
    """Quaternions to the shortest rotation vectors ``(..., 3)`` rad."""
    q = np.asarray(q, float)
    q = np.where(q[..., :1] < 0, -q, q)
    s = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(s, q[..., :1])
    factor = np.where(s > 1e-12, angle / np.where(s > 1e-12, s, 1.0), 2.0)
    return q[..., 1:] * factor


def mean(q: ArrayLike) -> Array:
    """``(4,)`` the rotation nearest to all of ``(n, 4)``, n at least 1 (Markley et al. 2007, eq. 12)."""
    q = np.asarray(q, float)
    return np.asarray(np.linalg.eigh(q.T @ q)[1][:, -1])


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """Shortest great-circle interpolation from ``a`` to ``b`` ``(..., 4)`` at ``t`` ``(...)`` in 0..1."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    return multiply(a, exp(log(multiply(conjugate(a), b)) * np.asarray(t, float)[..., None]))


def between(u: ArrayLike, v: ArrayLike) -> Array:
    """The shortest rotation that turns unit ``u`` into unit ``v`` ``(..., 3)``.

    For opposite vectors any perpendicular axis is right; one is chosen by a fixed rule.
    """
    u, v = np.broadcast_arrays(np.asarray(u, float), np.asarray(v, float))
    w = 1.0 + np.sum(u * v, -1)
    xyz = np.cross(u, v)
    helper = np.where(np.abs(u[..., :1]) < 0.9, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    flip = np.cross(u, helper)
    opposite = w < 1e-9
    q = np.concatenate([np.where(opposite, 0.0, w)[..., None], np.where(opposite[..., None], flip, xyz)], -1)
    return normalize(q)


def to_matrix(q: ArrayLike) -> Array:
    """Rotation matrices ``(..., 3, 3)`` of unit ``q``."""
    return np.stack([rotate(q, axis) for axis in np.eye(3)], -1)


def from_matrix(m: ArrayLike) -> Array:
    """Unit quaternions of rotation matrices ``(..., 3, 3)``; w is not negative."""
    m = np.asarray(m, float)
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    # Shepperd's method: the largest of the four candidates is well conditioned.
    diagonal = np.stack([trace, m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]], -1)
    best = np.argmax(diagonal, -1)
    d = [m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]]
    s = [m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]]
    two = [2 * m[..., i, i] - trace for i in range(3)]
    rows = np.stack(
        [
            np.stack([1 + trace, d[0], d[1], d[2]], -1),
            np.stack([d[0], 1 + two[0], s[0], s[1]], -1),
            np.stack([d[1], s[0], 1 + two[1], s[2]], -1),
            np.stack([d[2], s[1], s[2], 1 + two[2]], -1),
        ],
        -2,
    )
    q = normalize(np.take_along_axis(rows, best[..., None, None], -2)[..., 0, :])
    return np.where(q[..., :1] < 0, -q, q)


def from_basis(x: ArrayLike, y: ArrayLike, z: ArrayLike) -> Array:
    """The rotation that turns the unit axes into the orthonormal ``x, y, z`` ``(..., 3)``."""
    return from_matrix(np.stack([x, y, z], -1))


def flips(q: ArrayLike) -> NDArray[np.bool_]:
    """``(F - 1, ...)`` where the next quaternion along the first (time) axis is on the other half sphere."""
    q = np.asarray(q, float)
    return np.asarray(np.einsum("...i,...i->...", q[1:], q[:-1]) < 0)


def continuous(q: ArrayLike) -> Array:
    """Flip signs along the first (time) axis so that neighbours are on the same half sphere."""
    q = np.array(q, float)
    turned = flips(q)
    if turned.any():
        q[1:] *= np.cumprod(np.where(turned, -1.0, 1.0), axis=0)[..., None]
    return q
