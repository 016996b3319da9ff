"""The path of the centre of mass C through a step of a run: pushed in support, a parabola in flight.

Bruderlin and Calvert 1996, the second of their three kinds of knowledge. In flight C is a parabola with g, exactly.
In support, u = time on the ground / contact time, one foot pushes

    C'' + g = J / tc f(u) (1 + 2 e (c - u)) - B g sin(2 pi u) + F0 (1 - S(t / d0)) + F1 S((t - T) / d1 + 1)

J is the impulse (m/s) that turns the landing velocity into that of take-off, f a unit shape with centroid c, the tilt
e moves that centroid, B brakes and speeds up again, S(s) = 3 s^2 - 2 s^3. F0 fades from what carried before (standing
weight, or the rear foot of a walk), F1 rises to what carries after. Everything integrates in closed form: support
meets flight in position and velocity, whatever is asked of it.

The shape, all polynomials, none below zero,

    f = [6 u (1-u)^2 + 30 k u^2 (1-u)^2 + (1/2 - k) 6 u (1-u) + h (1 - x^2)^4] / (1 + h W 256/315)
    x = (u - 0.12) / W

peaks at 43 % and has its centroid at 45 % of contact, as runners' forces from 2.7 to 9.5 m/s have (peak over mean
1.72 to 1.82 at 2.7 m/s, 1.62 at 7 m/s); h is the impact of a heel.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import G
from gambol.kernels import clamp, kernel

__all__ = [
    "LATE_PUSH", "NO_CARRY", "Bounce", "Carry", "Ends", "Push", "acceleration", "bounce_at", "carried_force",
    "foot_force", "push_shape", "solve_bounce",
]

Array = NDArray[np.float64]
KEEN = (0.5, 0.2)  # k at 3 m/s and slower, at 7 m/s and faster (for a leg of 0.93 m)
IMPACT_AT, IMPACT_WIDE = 0.12, 0.08  # of contact
_BUMP = np.array([1.0, 0, -4, 0, 6, 0, -4, 0, 1])  # (1 - x^2)^4, rising powers


class Push(NamedTuple):
    """A unit force over contact: polynomials in u (base) and in x (impact), rising powers; centroid and variance."""

    base: Array
    impact: Array
    centroid: float
    variance: float


class Bounce(NamedTuple):
    """C over one step, from landing to landing. Times s from the landing; per kg."""

    step: float
    contact: float
    c0: Array  # (3,) m
    v0: Array  # (3,) m/s
    base: Array  # (3, 9) second integral of each axis' push in u, m
    impact: Array  # (3, 13) and in x, m
    after: Array  # (3, 2): m and m/s that an impact which is over has given
    brake: Array  # (3,) B
    fade: Array  # (3,) F0, m/s2
    fade_time: float  # d0
    rise: Array  # (3,) F1, m/s2
    rise_time: float  # d1


@lru_cache(maxsize=256)
def push_shape(keen: float, impact: float) -> Push:
    """The force shape; ``keen``: k, ``impact``: h."""
    u, v2 = np.array([0.0, 1.0]), np.array([1.0, -2.0, 1.0])
    base = 6 * _times(u, v2)
    base = _plus(base, 30 * keen * _times(_times(u, u), v2))
    base = _plus(base, 6 * (0.5 - keen) * _times(u, np.array([1.0, -1.0])))
    area = IMPACT_WIDE * 256 / 315
    scale = 1 + impact * area
    # moments of the impact about u: its own variance W^2 / 11
    weights = np.array([1.0, impact * area]) / scale
    k = np.arange(len(base))
    first = np.array([base @ (1 / (k + 2)), IMPACT_AT])
    second = np.array([base @ (1 / (k + 3)), IMPACT_AT**2 + IMPACT_WIDE**2 / 11])
    centroid = float(weights @ first)
    return Push(base / scale, _BUMP * impact / scale, centroid, float(weights @ second) - centroid**2)


LATE_PUSH = Push(np.array([0.0, 0.0, 12.0, -12.0]), np.zeros(9), 0.6, 0.04)  # 12 u^2 (1 - u): from a stand


def _times(a: Array, b: Array) -> Array:
    return np.convolve(a, b)


def _plus(a: Array, b: Array) -> Array:
    out = np.zeros(max(len(a), len(b)))
    out[: len(a)] += a
    out[: len(b)] += b
    return out


def _twice(coefficients: Array) -> Array:
    """The second integral from 0 of a polynomial, rising powers."""
    k = np.arange(len(coefficients))
    return np.concatenate([[0.0, 0.0], coefficients / ((k + 1) * (k + 2))])


class Ends(NamedTuple):
    """What a step starts from and what is wanted of it. World frame, m and s."""

    c0: Array
    v0: Array
    c1: Array  # only its height is met, unless ``exact``
    v1: Array  # its horizontal part is met; its height's as far as the tilt allows
    brake: Array  # (3,) usual B
    tilt: float = 0.4  # the most
    exact: bool = False  # meet horizontal place and velocity by the braking


class Carry(NamedTuple):
    """Weight that fades out at the start of a step and in at its end: m/s2 and s."""

    fade: Array
    fade_time: float
    rise: Array
    rise_time: float


NO_CARRY = Carry(np.zeros(3), 0.0, np.zeros(3), 0.0)


def solve_bounce(ends: Ends, times: tuple[float, float], push: Push, carry: Carry = NO_CARRY) -> tuple[Bounce, float]:
    """The bounce that leads from one landing to the next, and its tilt.

    Height is always met. The vertical velocity at the end is the wanted one where a tilt within the most
    gives it, else what that tilt gives.

    Args:
        ends: of the step.
        times: of the step and of contact, s.
        push: shape of the force.
        carry: what else carries.
    """
    step, contact = times
    flight = step - contact
    moment = 1 - push.centroid  # m1: second integral of f over contact
    given_v, given_x = _carried(carry, step)
    given_v, given_x = given_v - G * step * _UP, given_x - G * step**2 / 2 * _UP
    lever = contact * moment + flight  # m per m/s of impulse
    impulse = ends.v1 - ends.v0 - given_v
    brake = ends.brake.copy()
    reach = G * contact**2 / (2 * np.pi)
    if ends.exact:
        short = ends.c1 - ends.c0 - ends.v0 * step - given_x - impulse * lever
        brake = -short / reach
        brake[1] = 0.0
    # height: J (tc (m1 + 2 e var) + tf) = what is missing, J + given = velocity change
    missing = float(ends.c1[1] - ends.c0[1] - ends.v0[1] * step - given_x[1])
    tilt = (missing / max(float(impulse[1]), 1e-6) - lever) / (2 * contact * push.variance)
    tilt = clamp(tilt, -ends.tilt, ends.tilt)
    impulse[1] = missing / (lever + 2 * contact * tilt * push.variance)
    base, impact, after = np.zeros((3, 9)), np.zeros((3, 13)), np.zeros((3, 2))
    for axis in range(3):
        e = tilt if axis == 1 else 0.0
        scale = float(impulse[axis])
        line = np.array([1 + 2 * e * push.centroid, -2 * e])
        curve = _twice(_times(push.base, line)) * scale * contact
        base[axis, : len(curve)] = curve
        # in x: u = 0.12 + W x, and the integrals are over du = W dx from x = -1
        line = np.array([1 + 2 * e * (push.centroid - IMPACT_AT), -2 * e * IMPACT_WIDE])
        curve = _twice(_times(push.impact, line)) * scale * contact * IMPACT_WIDE**2
        k = np.arange(len(curve))
        value, slope = curve @ (-1.0) ** k, (k[1:] * curve[1:]) @ (-1.0) ** (k[1:] - 1)
        curve[0] -= value - slope * -1.0
        curve[1] -= slope  # so that value and slope at x = -1 are zero
        impact[axis, : len(curve)] = curve
        after[axis] = curve.sum(), (k * curve).sum() / (IMPACT_WIDE * contact)
    return Bounce(step, contact, ends.c0, ends.v0, base, impact, after, brake, *carry), tilt


_UP = np.array([0.0, 1.0, 0.0])


def _carried(carry: Carry, step: float) -> tuple[Array, Array]:
    """Velocity and way at the end of a step that fading and rising weight give."""
    v = carry.fade * carry.fade_time / 2 + carry.rise * carry.rise_time / 2
    x = carry.fade * (0.35 * carry.fade_time**2 + carry.fade_time / 2 * (step - carry.fade_time))
    return v, x + carry.rise * carry.rise_time**2 * 0.15


@kernel
def bounce_at(t, b):  # type: ignore[no-untyped-def]
    """C (x, y, z) m at ``t`` s from landing."""
    u = np.minimum(np.maximum(t / b.contact, 0.0), 1.0)
    off = np.maximum(t - b.contact, 0.0)
    x = np.minimum(np.maximum((u - IMPACT_AT) / IMPACT_WIDE, -1.0), 1.0)
    late = np.maximum(t - (IMPACT_AT + IMPACT_WIDE) * b.contact, 0.0)
    bx, by, bz = 0.0 * t, 0.0 * t, 0.0 * t
    for k in range(8, -1, -1):
        bx, by, bz = bx * u + b.base[0, k], by * u + b.base[1, k], bz * u + b.base[2, k]
    # the velocity that the push has given by take-off carries on
    sx, sy, sz = 0.0, 0.0, 0.0
    for k in range(1, 9):
        sx, sy, sz = sx + k * b.base[0, k], sy + k * b.base[1, k], sz + k * b.base[2, k]
    ix, iy, iz = 0.0 * t, 0.0 * t, 0.0 * t
    for k in range(12, -1, -1):
        ix, iy, iz = ix * x + b.impact[0, k], iy * x + b.impact[1, k], iz * x + b.impact[2, k]
    wave = 2 * np.pi * u
    swing = G * b.contact * b.contact / (4 * np.pi * np.pi) * (wave - np.sin(wave))
    s = np.minimum(np.maximum(t / max(b.fade_time, 1e-9), 0.0), 1.0)
    fade = b.fade_time * b.fade_time * s * s * (0.5 - s * s * (0.25 - 0.1 * s))
    fade = fade + 0.5 * b.fade_time * np.maximum(t - b.fade_time, 0.0)
    r = np.maximum((t - b.step) / max(b.rise_time, 1e-9) + 1.0, 0.0)
    rise = b.rise_time * b.rise_time * r * r * r * r * (0.25 - 0.1 * r)
    out_x = b.c0[0] + b.v0[0] * t + bx + off * sx / b.contact + ix + late * b.after[0, 1]
    out_y = b.c0[1] + b.v0[1] * t + by + off * sy / b.contact + iy + late * b.after[1, 1] - 0.5 * G * t * t
    out_z = b.c0[2] + b.v0[2] * t + bz + off * sz / b.contact + iz + late * b.after[2, 1]
    return (
        out_x - b.brake[0] * swing + b.fade[0] * fade + b.rise[0] * rise,
        out_y + b.fade[1] * fade + b.rise[1] * rise,
        out_z - b.brake[2] * swing + b.fade[2] * fade + b.rise[2] * rise,
    )


def _second(coefficients: Array, at: Array) -> Array:
    """(3, N) second derivative of polynomials (3, K), rising powers."""
    k = np.arange(2, coefficients.shape[1])
    return np.asarray((coefficients[:, 2:] * k * (k - 1)) @ at ** (k[:, None] - 2))


def foot_force(t: Array, b: Bounce) -> Array:
    """(3, N) m/s2: force per kg of the foot that landed at 0, without what fades and rises."""
    on = (t >= 0) & (t < b.contact)
    u = np.clip(t / b.contact, 0.0, 1.0)
    x = (u - IMPACT_AT) / IMPACT_WIDE
    force = _second(b.base, u) / b.contact**2
    force += np.where(np.abs(x) < 1, _second(b.impact, np.clip(x, -1, 1)), 0.0) / (IMPACT_WIDE * b.contact) ** 2
    force -= b.brake[:, None] * G * np.sin(2 * np.pi * u)
    return force * on


def carried_force(t: Array, b: Bounce) -> tuple[Array, Array]:
    """(3, N) m/s2: what fades out, and what rises."""
    s = np.clip(t / max(b.fade_time, 1e-9), 0.0, 1.0)
    r = np.clip((t - b.step) / max(b.rise_time, 1e-9) + 1.0, 0.0, 1.0)
    fade = np.outer(b.fade, 1 - s * s * (3 - 2 * s)) if b.fade_time > 0 else np.zeros((3, len(t)))
    rise = np.outer(b.rise, r * r * (3 - 2 * r)) if b.rise_time > 0 else np.zeros((3, len(t)))
    return fade, rise


def acceleration(t: Array, b: Bounce) -> Array:
    """(3, N) m/s2: C''."""
    fade, rise = carried_force(t, b)
    return foot_force(t, b) + fade + rise - G * _UP[:, None]
