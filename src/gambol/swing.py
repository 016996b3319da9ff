"""The swing foot: polynomials in s = 0..1 from toe-off to heel strike that leave and arrive with the stance's motion.

Tsutsuguchi et al. 2000: the ankle follows two joined cubics over obstacles. Here the same with one order more
(quintics of least jerk joined through a via point, so that acceleration is continuous too), and on open ground
one quintic plus the bump W (c0 + c1 q + c2 q^2), W = 64 s^3 (1 - s)^3, q = 2 s - 1, whose coefficients carry the
measured knee and ankle curves.

A path is an array ``(2, D, 9)``: two pieces, D coordinates, coefficients of r^0..r^8 with r = 0..1 inside the piece.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.kernels import either, kernel

__all__ = ["BUMP", "bumped", "evaluate", "quintic", "through"]

Array = NDArray[np.float64]


def _bump() -> Array:
    w = 64 * np.array([0, 0, 0, 1, -3, 3, -1, 0, 0.0])  # s^3 (1-s)^3
    q = np.array([-1.0, 2.0])
    first = np.convolve(w, q)[:9]
    return np.stack([w, first, np.convolve(first, q)[:9]])


BUMP = _bump()  # (3, 9): W, W q, W q^2
BUMP.setflags(write=False)
_HERMITE = np.array(  # rows r^3, r^4, r^5 of the quintic through p0 v0 a0 p1 v1 a1
    [[-10, -6, -1.5, 10, -4, 0.5], [15, 8, 1.5, -15, 7, -1.0], [-6, -3, -0.5, 6, -3, 0.5]]
)


def quintic(ends: ArrayLike, span: float = 1.0) -> Array:
    """Coefficients ``(..., 6)`` in r = s / span of the quintic with (p0, v0, a0, p1, v1, a1) ``(..., 6)`` per s."""
    scale = np.array([1.0, span, span**2, 1.0, span, span**2])
    e = np.asarray(ends, float) * scale
    return np.concatenate([e[..., :2], e[..., 2:3] / 2, e @ _HERMITE.T], -1)


def bumped(ends: ArrayLike, bumps: ArrayLike) -> Array:
    """Path ``(2, D, 9)`` of one quintic with ``ends`` (D, 6) plus ``bumps`` (D, 3) times W, W q, W q^2."""
    whole = np.zeros((len(np.asarray(ends)), 9))
    whole[:, :6] = quintic(ends)
    whole += np.asarray(bumps, float) @ BUMP
    return np.stack([whole, whole])


def through(ends: ArrayLike, via: ArrayLike, at: float) -> Array:
    """Path ``(..., 2, D, 9)`` of least jerk through ``via`` (..., D) at s = ``at``, with ``ends`` (..., D, 6)."""
    ends, via = np.broadcast_arrays(np.asarray(ends, float), np.asarray(via, float)[..., None])
    via = via[..., 0]
    spans = (at, 1.0 - at)

    def pieces(middle: Array) -> tuple[Array, Array]:
        return (
            quintic(np.concatenate([ends[..., :3], middle], -1), spans[0]),
            quintic(np.concatenate([middle, ends[..., 3:]], -1), spans[1]),
        )

    def breaks(middle: Array) -> Array:
        """Jumps of the third and fourth derivative at the via point."""
        a, b = pieces(middle)
        third = (6 * a[..., 3] + 24 * a[..., 4] + 60 * a[..., 5]) / spans[0] ** 3 - 6 * b[..., 3] / spans[
            1
        ] ** 3
        fourth = (24 * a[..., 4] + 120 * a[..., 5]) / spans[0] ** 4 - 24 * b[..., 4] / spans[1] ** 4
        return np.stack([third, fourth], -1)

    zero = np.zeros_like(via)
    base = breaks(np.stack([via, zero, zero], -1))
    # The jumps are linear in the via point's velocity and acceleration: two unit responses give the 2 x 2 system.
    response = np.stack([_unit_breaks(spans, 1), _unit_breaks(spans, 2)], -1)
    free = -np.einsum("ij,...j->...i", np.linalg.inv(response), base)
    a, b = pieces(np.concatenate([via[..., None], free], -1))
    out = np.zeros((*via.shape[:-1], 2, via.shape[-1], 9))
    out[..., 0, :, :6], out[..., 1, :, :6] = a, b
    return out


def _unit_breaks(spans: tuple[float, float], order: int) -> Array:
    left, right = np.zeros(6), np.zeros(6)
    left[3 + order], right[order] = 1.0, 1.0
    a, b = quintic(left, spans[0]), quintic(right, spans[1])
    third = (6 * a[3] + 24 * a[4] + 60 * a[5]) / spans[0] ** 3 - 6 * b[3] / spans[1] ** 3
    fourth = (24 * a[4] + 120 * a[5]) / spans[0] ** 4 - 24 * b[4] / spans[1] ** 4
    return np.array([third, fourth])


@kernel
def evaluate(s, at, path, d):  # type: ignore[no-untyped-def]
    """Coordinate ``d`` of a path at ``s``; the pieces meet at ``at``."""
    out = 0.0 * s
    if at >= 1.0:
        for k in range(8, -1, -1):
            out = out * s + path[0, d, k]
        return out
    second = 1.0 * (s > at)
    r = either(second, (s - at) / (1.0 - at), s / at)
    for k in range(8, -1, -1):
        out = out * r + either(second, path[1, d, k], path[0, d, k])
    return out
