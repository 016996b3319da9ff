"""The swing foot: polynomials in s = 0..1 from toe-off to heel strike that leave and arrive with the stance's motion.

Tsutsuguchi et al. 2000: the ankle follows two joined cubics over obstacles. Here the same with one order more
(quintics of least jerk joined through a via point, so that acceleration is continuous too), and on open ground
one quintic plus the bump W (c0 + c1 q + c2 q^2), W = 64 s^3 (1 - s)^3, q = 2 s - 1, whose coefficients carry the
measured knee and ankle curves.

A path is an array ``(2, D, 9)``: two pieces, D coordinates, coefficients of r^0..r^8 with r = 0..1 inside the piece.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol.kernels import either, kernel

__all__ = ["BUMP", "bumped", "evaluate", "evaluate_all", "hermite", "quintic", "through"]

Array = NDArray[np.float64]


def _bump() -> Array:
    w = 64 * np.array([0, 0, 0, 1, -3, 3, -1, 0, 0.0])  # s^3 (1-s)^3
    q = np.array([-1.0, 2.0])
    first = np.convolve(w, q)[:9]
    return np.stack([w, first, np.convolve(first, q)[:9]])


BUMP = _bump()  # (3, 9): W, W q, W q^2
BUMP.setflags(write=False)

@kernel
def hermite(start, end):  # type: ignore[no-untyped-def]
    """Coefficients of r^3, r^4, r^5 of the quintic with position, velocity and acceleration at r = 0 and r = 1."""
    (p0, v0, a0), (p1, v1, a1) = start, end
    d = p1 - p0
    return (
        10 * d - 6 * v0 - 1.5 * a0 - 4 * v1 + 0.5 * a1,
        -15 * d + 8 * v0 + 1.5 * a0 + 7 * v1 - a1,
        6 * d - 3 * v0 - 0.5 * a0 - 3 * v1 + 0.5 * a1,
    )


@kernel
def _fill(out, start, end):  # type: ignore[no-untyped-def]
    """The first six of the coefficients ``out`` (9, ...) of a piece, and zeros."""
    p0, v0, a0 = start
    out[0], out[1], out[2] = p0, v0, a0 / 2
    out[3], out[4], out[5] = hermite(start, end)
    out[6], out[7], out[8] = 0.0 * p0, 0.0 * p0, 0.0 * p0


_UNIT = np.eye(6)
_QUINTIC = np.stack([*(_UNIT[:2]), _UNIT[2] / 2, *hermite(tuple(_UNIT[:3]), tuple(_UNIT[3:]))], -1)


def quintic(ends: Array, span: float = 1.0) -> Array:
    """Coefficients ``(..., 6)`` in r = s / span of the quintic with (p0, v0, a0, p1, v1, a1) ``(..., 6)`` per s."""
    scale = np.array([1.0, span, span * span, 1.0, span, span * span])
    return np.asarray(ends @ (scale[:, None] * _QUINTIC))


@kernel
def bumped(ends, bumps):  # type: ignore[no-untyped-def]
    """Path ``(2, D, 9)`` of one quintic with ``ends`` (D, 6) plus ``bumps`` (D, 3) times W, W q, W q^2."""
    out = np.empty((2, len(ends), 9))
    for d in range(len(ends)):
        e = ends[d]
        _fill(out[0, d], (e[0], e[1], e[2]), (e[3], e[4], e[5]))
        for j in range(9):
            out[0, d, j] += bumps[d, 0] * BUMP[0, j] + bumps[d, 1] * BUMP[1, j] + bumps[d, 2] * BUMP[2, j]
            out[1, d, j] = out[0, d, j]
    return out


@kernel
def through(ends, via, at):  # type: ignore[no-untyped-def]
    """Path ``(2, D, 9)`` of least jerk through ``via`` (D,) at s = ``at``, with ``ends`` (D, 6).

    Third and fourth derivative are continuous at the via point. Their jumps are linear in its velocity v and
    acceleration a: those of (v, a) = (0, 0), and the responses to one of each, give a 2 x 2 system.
    """
    p, q = at, 1.0 - at
    tv, ta = 36 / q**2 - 36 / p**2, 9 / p + 9 / q
    fv, fa = -192 / p**3 - 192 / q**3, 36 / p**2 - 36 / q**2
    det = tv * fa - ta * fv
    out = np.empty((2, len(ends), 9))
    for d in range(len(ends)):
        e, x = ends[d], via[d]
        a3, a4, a5 = hermite((e[0], e[1] * p, e[2] * p * p), (x, 0.0, 0.0))
        b3, b4, _ = hermite((x, 0.0, 0.0), (e[3], e[4] * q, e[5] * q * q))
        third = (6 * a3 + 24 * a4 + 60 * a5) / p**3 - 6 * b3 / q**3
        fourth = (24 * a4 + 120 * a5) / p**4 - 24 * b4 / q**4
        v, a = (ta * fourth - fa * third) / det, (fv * third - tv * fourth) / det
        _fill(out[0, d], (e[0], e[1] * p, e[2] * p * p), (x, v * p, a * p * p))
        _fill(out[1, d], (x, v * q, a * q * q), (e[3], e[4] * q, e[5] * q * q))
    return out


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


def _evaluate_one_by_one(s, at, path, d, out):  # type: ignore[no-untyped-def]
    for i in range(len(s)):
        out[i] = evaluate(s[i], at, path, d)


@kernel(loop=_evaluate_one_by_one)
def evaluate_all(s, at, path, d, out):  # type: ignore[no-untyped-def]
    """:func:`evaluate` for ``s`` (N,)."""
    out[:] = evaluate(s, at, path, d)
