"""Smooth surfaces through rings: what limbs, trunks, heads and shoes are made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Loft", "Shell", "between_rows", "closed_rings", "egg", "loft", "merge", "normals_of", "smooth_step",
]

Array = NDArray[np.float64]
CAP_RINGS = 3


class Shell(NamedTuple):
    """A closed surface.

    Attributes:
        vertices: ``(V, 3)`` m.
        faces: ``(T, 3)`` counterclockwise seen from outside.
        at: ``(V,)`` the parameter along the loft.
        patches: ``(T, 2)`` for each face the parameter along and the angle around (rad) of the middle of
            its patch, which is a quadrangle; both triangles of it have the same.
    """

    vertices: Array
    faces: NDArray[np.int64]
    at: Array
    patches: Array


class Loft(NamedTuple):
    """Half-axes of the rings of a loft.

    Attributes:
        table: rows ``(t, side, front, back, shift side, shift front)`` in order of t; front and back are the
            half-axes to both sides of the middle, so that a calf can bulge backwards only.
        rings: number of rings the table is drawn with.
        sides: number of vertices in a ring.
        caps: height of the rounded ends at the first and last ring, as a part of its smaller half-axis.
        square: exponent of the superellipse; 2 is an ellipse, more is boxier.
        crown: the ends are parabolas, which go on where a narrowing surface left off, not quarter ellipses.
    """

    table: ArrayLike
    rings: int
    sides: int
    caps: tuple[float, float] = (1.0, 1.0)
    square: float = 2.0
    crown: bool = False


def smooth_step(x: ArrayLike) -> Array:
    """0 below 0, 1 above 1, and a cubic with level ends between."""
    t = np.clip(np.asarray(x, float), 0.0, 1.0)
    return t * t * (3 - 2 * t)


def between_rows(table: ArrayLike, at: ArrayLike) -> Array:
    """Columns of ``table`` ``(K, 1 + P)`` at the parameters ``at`` ``(N,)``, ``(N, P)``.

    Monotone cubics (Fritsch and Butland 1984): smooth, and no bulge that the table does not have.
    """
    table, at = np.asarray(table, float), np.asarray(at, float)
    x, y = table[:, 0], table[:, 1:]
    h = np.diff(x)[:, None]
    slope = np.diff(y, axis=0) / h
    a, b = slope[:-1], slope[1:]
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        inner = np.where(a * b > 0, (w1 + w2) / (w1 / a + w2 / b), 0.0)
    d = np.concatenate([slope[:1], inner, slope[-1:]])
    k = np.clip(np.searchsorted(x, at) - 1, 0, len(x) - 2)
    t = ((at - x[k]) / h[k, 0])[:, None]
    hk = h[k]
    cubic = (1 + 2 * t) * (1 - t) ** 2 * y[k] + t**2 * (3 - 2 * t) * y[k + 1]
    out: Array = cubic + hk * (t * (1 - t) ** 2 * d[k] - t**2 * (1 - t) * d[k + 1])
    return out


def egg(angle: Array, square: float) -> tuple[Array, Array]:
    """The unit superellipse at ``angle`` rad."""
    c, s = np.cos(angle), np.sin(angle)
    return np.sign(c) * np.abs(c) ** (2 / square), np.sign(s) * np.abs(s) ** (2 / square)


def loft(shape: Loft, spine: Array, side: ArrayLike, front: ArrayLike) -> Shell:
    """The surface of a loft.

    Args:
        shape: rings, with half-axes in metres.
        spine: ``(K, 4)`` rows (t, x, y, z): where the middle of the ring at t is, straight between rows.
        side: ``(3,)`` unit, the direction of the side half-axis.
        front: ``(3,)`` unit, the direction of the front half-axis.
    """
    side, front = np.asarray(side, float), np.asarray(front, float)
    table = np.asarray(shape.table, float)
    t = np.linspace(table[0, 0], table[-1, 0], shape.rings)
    angle = np.linspace(0, 2 * np.pi, shape.sides, endpoint=False)
    rows = between_rows(table, t)
    u, v = egg(angle, shape.square)
    x = rows[:, :1] * u
    y = np.where(v > 0, rows[:, 1:2], rows[:, 2:3]) * v
    middle = np.stack([np.interp(t, spine[:, 0], spine[:, k]) for k in (1, 2, 3)], -1)
    middle = middle + rows[:, 3:4] * side + rows[:, 4:5] * front
    rings = middle[:, None] + x[..., None] * side + y[..., None] * front
    return closed_rings(rings, t, shape.caps, shape.crown)


def closed_rings(rings: Array, t: Array, caps: tuple[float, float], crown: bool = False) -> Shell:
    """Rings ``(R, S, 3)`` at parameters ``(R,)`` closed by caps into a shell.

    A cap is a few rings that shrink, then a pole; ``caps`` are its heights as a part of the smallest
    radius of the end ring.
    """
    angle = np.linspace(0, np.pi / 2, CAP_RINGS + 1)[1:]
    shrink, rise = np.cos(angle), np.sin(angle)
    if crown:
        shrink = np.linspace(1, 0, CAP_RINGS + 1)[1:]
        rise = 1 - shrink**2
    for end, height in zip((0, -1), caps):
        ring, inner = rings[end], rings[1 if end == 0 else -2]
        centre = ring.mean(0)
        out = centre - inner.mean(0)
        out = out / np.linalg.norm(out)
        tall = height * np.linalg.norm(ring - centre, axis=1).min()
        more = centre + shrink[:, None, None] * (ring - centre) + (tall * rise)[:, None, None] * out
        same = np.full(CAP_RINGS, t[end])
        rings = np.concatenate([more[::-1], rings]) if end == 0 else np.concatenate([rings, more])
        t = np.concatenate([same, t]) if end == 0 else np.concatenate([t, same])
    return _stitched(rings, t)


def _stitched(rings: Array, t: Array) -> Shell:
    """The first and last ring of ``(R, S, 3)`` are points."""
    count, sides = rings.shape[:2]
    vertices = np.concatenate([rings[0, :1], rings[1:-1].reshape(-1, 3), rings[-1, :1]])
    k = np.arange(sides)
    following, top = (k + 1) % sides, len(vertices) - 1
    middle = 2 * np.pi * (k + 0.5) / sides
    faces = [np.stack([np.zeros_like(k), 1 + following, 1 + k], -1)]
    patches = [np.stack([np.full(sides, (t[0] + t[1]) / 2), middle], -1)]
    for r in range(count - 3):
        a, b = 1 + r * sides + k, 1 + r * sides + following
        faces += [np.stack([a, b, b + sides], -1), np.stack([a, b + sides, a + sides], -1)]
        patches += [np.stack([np.full(sides, (t[r + 1] + t[r + 2]) / 2), middle], -1)] * 2
    last = 1 + (count - 3) * sides
    faces.append(np.stack([np.full_like(k, top), last + k, last + following], -1))
    patches.append(np.stack([np.full(sides, (t[-2] + t[-1]) / 2), middle], -1))
    joined = np.concatenate(faces)
    a, b, c = (vertices[joined[:, i]] for i in range(3))
    if np.sum(a * np.cross(b, c)) < 0:  # the volume is negative: inside out
        joined = joined[:, ::-1]
    at = np.concatenate([t[:1], np.repeat(t[1:-1], sides), t[-1:]])
    return Shell(vertices, joined, at, np.concatenate(patches))


def normals_of(vertices: Array, faces: NDArray[np.int64]) -> Array:
    """``(V, 3)`` unit: the mean of the faces around each vertex, weighted by their angle at it."""
    out = np.zeros_like(vertices)
    corners = vertices[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    across = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-30)
    for k in range(3):
        a = corners[:, (k + 1) % 3] - corners[:, k]
        b = corners[:, (k + 2) % 3] - corners[:, k]
        cosine = np.sum(a * b, 1) / np.maximum(np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1), 1e-30)
        np.add.at(out, faces[:, k], across * np.arccos(np.clip(cosine, -1, 1))[:, None])
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-30)


def merge(shells: list[Shell]) -> tuple[Array, NDArray[np.int64]]:
    """Vertices and faces of several shells in one list."""
    starts = np.cumsum([0] + [len(s.vertices) for s in shells[:-1]])
    return (
        np.concatenate([s.vertices for s in shells]),
        np.concatenate([s.faces + start for s, start in zip(shells, starts)]),
    )
