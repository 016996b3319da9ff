"""Euler angles of any order, continuous in time. Only text formats need them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol import quat

__all__ = ["ORDERS", "from_axes", "largest_step", "to_euler"]

Array = NDArray[np.float64]
ORDERS = ("ZXY", "ZYX", "XYZ", "XZY", "YXZ", "YZX")
POLE = 1e-6  # rad from the pole of the middle axis inside which the outer angles are noise


def from_axes(order: str, angles: Array) -> Array:
    """Rotations ``(..., 4)`` of turns about axes, the first outermost.

    Args:
        order: letters X, Y, Z; repetitions and fewer than three are legal.
        angles: ``(..., len(order))`` rad.
    """
    if len(set(order)) == 3:
        return _three(order, angles)
    out = np.zeros((*angles.shape[:-1], 4))
    out[..., 0] = 1.0
    for k, axis in enumerate(order):
        half = 0.5 * angles[..., k]
        turn = np.zeros_like(out)
        turn[..., 0], turn[..., 1 + "XYZ".index(axis)] = np.cos(half), np.sin(half)
        out = turn if k == 0 else quat.multiply(out, turn)
    return out


def _three(order: str, angles: Array) -> Array:
    """The product of turns about three different axes, multiplied out."""
    i, j, k = ("XYZ".index(axis) for axis in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0  # i j = k in a cyclic order, -k in the others
    t = np.tan(np.moveaxis(0.25 * angles, -1, 0).copy())  # one function, for cosine and sine of the half angle
    over = 1.0 / (1.0 + t * t)
    (a, b, c), (p, q, r) = 2.0 * over - 1.0, 2.0 * t * over
    ab, pq, pb, aq = a * b, sign * (p * q), p * b, a * q
    out = np.empty((*angles.shape[:-1], 4))
    out[..., 0] = ab * c - pq * r
    out[..., 1 + i] = pb * c + sign * (aq * r)
    out[..., 1 + j] = aq * c - sign * (pb * r)
    out[..., 1 + k] = ab * r + pq * c
    return out


def to_euler(rotations: Array, order: str) -> Array:
    """Angles ``(F, ..., 3)`` rad of rotations ``(F, ..., 4)``, in the order of three different axes.

    Of the two triples that give each rotation, and of their full turns, those are taken that stay
    nearest to the frame before. Within :data:`POLE` of the pole only the sum (or difference) of the
    outer angles is known; there the first follows its neighbours.
    """
    angles, sign = _principal(rotations, order)
    if len(angles) < 2:
        return angles
    # The other triple is (a + pi, pi - b, c + pi). Whether to change triple between two frames does not
    # depend on which triple the first one uses, so that all choices are made at once and added up.
    other = np.stack([angles[..., 0] + np.pi, np.pi - angles[..., 1], angles[..., 2] + np.pi], -1)
    known = np.cos(angles[..., 1]) > POLE
    anchored = _hold(angles, known)
    stay = np.abs(_wrap(angles[1:] - anchored[:-1])).sum(-1)
    swap = np.abs(_wrap(other[1:] - anchored[:-1])).sum(-1)
    flips = np.concatenate([np.zeros_like(known[:1]), (swap < stay) & known[1:]])
    out = np.where((np.cumsum(flips, axis=0) % 2 == 1)[..., None], other, angles)
    return _through_poles(out, known, sign)


def largest_step(angles: Array) -> Array:
    """``(...)`` rad, the largest change of any angle between two frames of ``(F, ..., 3)``."""
    if len(angles) < 2:
        return np.zeros(angles.shape[1:-1])
    out: Array = np.abs(np.diff(angles, axis=0)).max(axis=(0, -1))
    return out


def _principal(q: Array, order: str) -> tuple[Array, float]:
    """The triple with the middle angle within a quarter turn, and +1 for a cyclic order, -1 otherwise."""
    i, j, k = ("XYZ".index(axis) for axis in order)
    # Seen in a mirror an anticyclic order is a cyclic one with all turns reversed.
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    w, x, y, z = q[..., 0], sign * q[..., 1 + i], sign * q[..., 1 + j], sign * q[..., 1 + k]
    # For q = Rx(a) Ry(b) Rz(c): w + y and x + z are (cos b/2 + sin b/2) times cosine and sine of (a + c) / 2;
    # w - y and x - z are (cos b/2 - sin b/2) times cosine and sine of (a - c) / 2.
    middle = 2 * np.arctan2(np.hypot(w + y, x + z), np.hypot(w - y, x - z)) - np.pi / 2
    p, m = np.arctan2(x + z, w + y), np.arctan2(x - z, w - y)
    return sign * np.stack([_wrap(p + m), middle, _wrap(p - m)], -1), sign


def _wrap(angles: Array) -> Array:
    """Angles brought into -pi .. pi."""
    out: Array = angles - 2 * np.pi * np.round(angles / (2 * np.pi))
    return out


def _hold(angles: Array, known: NDArray[np.bool_]) -> Array:
    """Angles with frames on the pole replaced by the last frame off it."""
    if known.all():
        return angles
    frames = np.arange(len(angles)).reshape((-1,) + (1,) * (known.ndim - 1))
    last = np.maximum.accumulate(np.where(known, frames, 0), axis=0)
    out: Array = np.take_along_axis(angles, np.broadcast_to(last[..., None], angles.shape), 0)
    return out


def _through_poles(angles: Array, known: NDArray[np.bool_], sign: float) -> Array:
    """Full turns taken out, and the outer angles on poles laid between their neighbours."""
    out: Array = np.unwrap(angles, axis=0)
    for index in np.argwhere((~known).any(0)):
        series, good = out[(slice(None), *index)], known[(slice(None), *index)]
        if not good.any():
            continue
        # Off the pole the unwrapping starts anew, so that noise on it does not add full turns.
        series[good] = np.unwrap(angles[(good, *index)], axis=0)
        bad = ~good
        first = np.interp(np.flatnonzero(bad), np.flatnonzero(good), series[good, 0])
        # On the pole a + s c is known, with s = +1 or -1 by the order and the side of the pole.
        s = sign * np.sign(np.sin(series[bad, 1]))
        third = series[bad, 2] + s * (series[bad, 0] - first)
        near = np.interp(np.flatnonzero(bad), np.flatnonzero(good), series[good, 2])
        series[bad, 0], series[bad, 2] = first, near + _wrap(third - near)
        series[:, 1] = np.unwrap(series[:, 1])
    return out
