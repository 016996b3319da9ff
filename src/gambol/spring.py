"""Springs with mass and damping, stepped exactly: ``M x'' + C x' + K (x - rest) = 0`` over any time.

The closed form of the elastic joint of Chen, Li and Hu (2004), section 4.1: steps compose, so that a state does
not depend on how often it is looked at, and no step is too long.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError

__all__ = ["Propagator", "Spring", "advance", "bounded", "check_spring", "propagator", "rest_that_hits", "unbounded"]

Array = NDArray[np.float64]
Numbers = float | Array  # that broadcast with each other
NEAREST = 0.995  # of the soft part of a range, which ends at the limit: nearer is not asked for


class Spring(NamedTuple):
    """Inertia M > 0, damping C >= 0 and stiffness K >= 0, numbers or arrays that broadcast with the state."""

    mass: Numbers
    damping: Numbers
    stiffness: Numbers

    @classmethod
    def tuned(cls, frequency: Numbers, ratio: Numbers, mass: Numbers = 1.0) -> Spring:
        """From the natural frequency w0 = sqrt(K / M) rad/s and the damping ratio z = C / (2 sqrt(K M))."""
        m, w, z = np.asarray(mass, float), np.asarray(frequency, float), np.asarray(ratio, float)
        return cls(m, 2 * z * w * m, w * w * m)

    @property
    def frequency(self) -> Array:
        """w0, rad/s."""
        out: Array = np.sqrt(np.asarray(self.stiffness, float) / np.asarray(self.mass, float))
        return out


class Propagator(NamedTuple):
    """What becomes of (x - rest, v) after a time: ``[[xx, xv], [vx, vv]]``, each of the spring's shape."""

    xx: Array
    xv: Array
    vx: Array
    vv: Array


def check_spring(spring: Spring, where: str = "spring") -> Spring:
    """The spring, if motion under it stays finite.

    Raises:
        GambolError: a mass that is not positive (the acceleration would have no bound), or a damping or
            stiffness below zero (the motion would grow without end).
    """
    for name, values, fine, allowed, why in (
        ("mass", spring.mass, lambda a: a > 0, "more than 0", "without inertia the acceleration has no bound"),
        ("damping", spring.damping, lambda a: a >= 0, "0 or more", "negative damping feeds energy in without end"),
        ("stiffness", spring.stiffness, lambda a: a >= 0, "0 or more", "a negative one pushes away from the key"),
    ):
        array = np.asarray(values, float)
        if not (np.isfinite(array).all() and fine(array).all()):
            worst = array.ravel()[int(np.argmax(~(np.isfinite(array) & fine(array))))]
            raise GambolError(f"{name} is {worst:g}", where=where, allowed=f"{allowed}: {why}")
    return spring


def propagator(spring: Spring, time: Numbers) -> Propagator:
    """The exact step over ``time`` s >= 0, for any damping.

    With a = C / 2M and b = K / M (section 4.1)::

        exp(-a h) [[c + a s, s], [-b s, c - a s]],   c = cos wd h,  s = sin(wd h) / wd,  wd = sqrt(b - a^2)

    and c, s hyperbolic where a^2 > b; there exp(-a h) is taken into them, so that nothing overflows.
    """
    m, c0, k = (np.asarray(v, float) for v in spring)
    h = np.asarray(time, float)
    a, b = c0 / (2 * m), k / m
    square = b - a * a
    wd = np.sqrt(np.abs(square))
    under = square >= 0
    phase = wd * h
    decay = np.exp(-a * h)
    slow = np.exp(-(b / np.where(under, 1.0, a + wd)) * h)  # a - wd without cancellation
    fast = np.exp(-2 * phase)
    ratio = np.where(phase > 1e-8, -np.expm1(-2 * phase) / np.where(phase > 1e-8, 2 * phase, 1.0), 1.0 - phase)
    c = np.where(under, decay * np.cos(phase), slow * (1 + fast) / 2)
    s = np.where(under, decay * h * np.sinc(phase / np.pi), slow * h * ratio)
    xx, vv = c + a * s, c - a * s
    return Propagator(xx, s, -b * s, vv)


def advance(x: Numbers, v: Numbers, rest: Numbers, over: Propagator) -> tuple[Array, Array]:
    """Position and velocity after the time of ``over``, with the spring at rest in ``rest``."""
    e = np.asarray(x, float) - rest
    return np.asarray(rest + over.xx * e + over.xv * v), np.asarray(over.vx * e + over.vv * v)


def rest_that_hits(x: Numbers, v: Numbers, key: Numbers, over: Propagator) -> Array:
    """Where the spring must be at rest for x to be ``key`` after the time of ``over``.

    ``th* = (key - P11 th - P12 th') / (1 - P11)``. For w0 h below 2 the way there is wild; 3 and more is calm.
    """
    return np.asarray((np.asarray(key, float) - over.xx * x - over.xv * v) / (1.0 - over.xx))


def bounded(x: Numbers, low: Numbers, high: Numbers, soft: float) -> Array:
    """``x`` held inside low..high: unchanged up to ``soft`` before a limit, then slower and slower (tanh).

    Twice differentiable and strictly inside, so that a joint comes to its limit without a jolt and never passes it.
    Ranges narrower than 2 ``soft`` use half their width; a range without width gives its one value.
    """
    x, least, most, room = _range(x, low, high, soft)
    safe = np.where(room > 0, room, 1.0)
    over, under = np.maximum(x - (most - room), 0.0), np.minimum(x - (least + room), 0.0)
    inner = np.clip(x, least + room, most - room)
    shown = np.where(room > 0, inner + room * (np.tanh(over / safe) + np.tanh(under / safe)), inner)
    return np.asarray(np.clip(shown, least, most))  # of rounding


def unbounded(shown: Numbers, low: Numbers, high: Numbers, soft: float) -> Array:
    """The x that :func:`bounded` shows as ``shown``; what lies on or beyond a limit is first brought just inside."""
    shown, least, most, room = _range(shown, low, high, soft)
    safe = np.where(room > 0, room, 1.0)
    over = np.clip((shown - (most - room)) / safe, 0.0, NEAREST)
    under = np.clip((shown - (least + room)) / safe, -NEAREST, 0.0)
    inner = np.clip(shown, least + room, most - room)
    return np.asarray(np.where(room > 0, inner + room * (np.arctanh(over) + np.arctanh(under)), inner))


def _range(x: Numbers, low: Numbers, high: Numbers, soft: float) -> tuple[Array, Array, Array, Array]:
    """Finite bounds (2^40 for none), and the width of the soft part before each."""
    least = np.maximum(np.asarray(low, float), -(2.0**40))
    most = np.minimum(np.asarray(high, float), 2.0**40)
    return np.asarray(x, float), least, most, np.minimum(soft, (most - least) / 2)
