"""Feet of a stretch of motion held to the ground while they carry, without looking beyond the stretch.

A carrying foot follows a clean roll: its heading stays, its pitch is that of the motion with a dead zone about flat; it turns
about the heel while the toes are up and about the ball while the heel is up, so that what is planted cannot slide. What this
changes is a correction of the ankle that is exact in support and passes over a swing as one cubic; a swing that the
stretch does not see the end of lets it fade, and hands on what is left. Kwon and Shin's foot-skate cleanup
(after Kovar et al. 2002), made causal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat

__all__ = ["Foot", "Footing", "Locked", "hermite", "lock", "two_bone"]

Array = NDArray[np.float64]
FLAT, ROUND = np.radians(3.0), np.radians(5.0)  # pitch that counts as flat; over which it begins to count
FADE = 0.3  # s in which the correction of a foot in the air fades while its landing is not known
UP = np.array([0.0, 1.0, 0.0])
FORWARD = np.array([0.0, 0.0, 1.0])


class Footing(NamedTuple):
    """What one foot carries over from stretch to stretch."""

    down: bool
    ball: Array  # (3,) m, where the ball of the foot is planted
    yaw: float  # rad
    up: Array  # (3,) normal of the ground there
    shift: Array  # (2, 3) m and m/s, correction of the ankle
    twist: Array  # (2, 3) rad and rad/s, correction of the foot's rotation
    toe: Array  # (2,) rad and rad/s, bend of the toes


class Foot(NamedTuple):
    """Geometry in the foot joint's frame, m: ball and heel lie on the sole."""

    ball: Array
    heel: Array


class Locked(NamedTuple):
    """One foot over N samples."""

    ankle: Array  # (N, 3) m
    rotation: Array  # (N, 4) world
    toe: Array  # (N,) rad
    heel_down: NDArray[np.bool_]  # (N,)
    toe_down: NDArray[np.bool_]
    footing: Footing  # at the last sample


def hermite(t: Array, begin: tuple[float, Array, Array], end: tuple[float, Array, Array]) -> Array:
    """Cubic through (time, value, rate) at both ends; constant values beyond. ``(N, ...)``."""
    (a, x, vx), (b, y, vy) = begin, end
    span = max(b - a, 1e-9)
    u = np.clip((t - a) / span, 0.0, 1.0).reshape(-1, *[1] * np.ndim(x))
    u2, u3 = u * u, u * u * u
    return (
        (2 * u3 - 3 * u2 + 1) * x + (u3 - 2 * u2 + u) * span * vx + (3 * u2 - 2 * u3) * y + (u3 - u2) * span * vy
    )


def flattened(pitch: Array) -> Array:
    """The pitch with a dead zone about 0, continuous with its rate."""
    x = np.maximum(np.abs(pitch) - FLAT, 0.0)
    return np.sign(pitch) * np.where(x < ROUND, x * x / (2 * ROUND), x - ROUND / 2)


def lock(  # noqa: PLR0913
    t: Array, ankle: Array, rotation: Array, support: tuple[float, float] | None, before: Footing, foot: Foot,
    ground: object,
) -> Locked:
    """Hold one foot.

    Args:
        t: ``(N,)`` s, rising.
        ankle: ``(N, 3)`` m as the motion would have it.
        rotation: ``(N, 4)`` of the foot in the world.
        support: s, from when to when it carries; one that began before or goes on after reaches beyond ``t``.
        before: what the stretch before handed on.
        foot: its geometry.
        ground: a terrain.

    Returns:
        the foot held.
    """
    ahead = quat.rotate(rotation, FORWARD)
    carries = np.zeros(len(t), bool) if support is None else (t >= support[0] - 1e-9) & (t <= support[1] + 1e-9)
    shift, twist, toe = (np.zeros((len(t), *x.shape[1:])) for x in (before.shift, before.twist, before.toe))
    heel_down, toe_down = np.zeros(len(t), bool), np.zeros(len(t), bool)
    after = before
    state = (t[0], before.shift, before.twist, before.toe)
    if support is not None and carries.any():
        begun = before.down and carries[0]
        first, last = int(np.argmax(carries)), len(t) - 1 - int(np.argmax(carries[::-1]))
        part = slice(first, last + 1)
        up = before.up
        if not begun:
            place = ankle[first] + quat.rotate(rotation[first], foot.ball)
            up = _normal(ground, place)
        yaw = before.yaw if begun else float(np.arctan2(ahead[first, 0], ahead[first, 2]))
        tilt = quat.between(UP, up)
        flat = quat.multiply(tilt, quat.from_axis_angle(UP, yaw))
        pitch = flattened(np.arcsin(np.clip(ahead[part] @ up, -1, 1)))
        model = quat.multiply(flat, quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), -pitch))
        pivot = np.where((pitch >= 0)[:, None], foot.heel, foot.ball)
        from_ball = quat.rotate(flat, pivot - foot.ball) - quat.rotate(model, pivot)
        if begun:
            ball = before.ball
        else:
            ball = (ankle[part] - from_ball).mean(0)
            ball = np.array([ball[0], _height(ground, ball), ball[2]])
        shift[part] = ball + from_ball - ankle[part]
        twist[part] = quat.log(quat.multiply(model, quat.conjugate(rotation[part])))
        toe[part] = np.minimum(pitch, 0.0)
        heel_down[part], toe_down[part] = pitch >= 0, pitch <= 0
        if first > 0:  # the swing before it
            lead = t[:first]
            for value, kept in ((shift, before.shift), (twist, before.twist), (toe, before.toe)):
                value[:first] = hermite(
                    lead, (t[0], kept[0], kept[1]), (t[first], value[first], _rate(value, t, first, 1))
                )
        state = (t[last], *(np.stack([x[last], _rate(x, t, last, -1)]) for x in (shift, twist, toe)))
        after = Footing(last == len(t) - 1, ball, yaw, up, *state[1:])
        rest = slice(last + 1, len(t))
    else:
        rest = slice(0, len(t))
        after = before._replace(down=False)
    if rest.start < len(t):  # a swing whose end is not seen
        for value, kept in ((shift, state[1]), (twist, state[2]), (toe, state[3])):
            value[rest] = hermite(
                t[rest], (state[0], kept[0], kept[1]), (state[0] + FADE, np.zeros_like(kept[0]), np.zeros_like(kept[0]))
            )
        n = len(t) - 1
        ends = [np.stack([x[n], _rate(x, t, n, -1)]) for x in (shift, twist, toe)]
        after = after._replace(down=False, shift=ends[0], twist=ends[1], toe=ends[2])
    return Locked(
        ankle + shift, quat.multiply(quat.exp(twist), rotation), toe, heel_down, toe_down, after,
    )


def two_bone(hip: Array, ankle: Array, hinge: Array, thigh: float, shank: float) -> tuple[Array, Array]:
    """World rotations of thigh and shank that bring the ankle to its place; the knee bends about ``hinge``, forwards.

    Args:
        hip: ``(..., 3)`` m.
        ankle: ``(..., 3)`` m; nearer than reach, or the leg points at it at full stretch.
        hinge: ``(..., 3)`` the knee's axis, to the left.
        thigh: m.
        shank: m.

    Returns:
        two rotations ``(..., 4)``, for bones that rest along -y.
    """
    line = ankle - hip
    far = np.linalg.norm(line, axis=-1, keepdims=True)
    line = line / np.maximum(far, 1e-9)
    reach = np.clip(far, abs(thigh - shank) + 1e-6, (thigh + shank) * (1 - 1e-9))
    axis = hinge - (hinge * line).sum(-1, keepdims=True) * line
    axis = axis / np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-9)
    front = np.cross(line, axis)
    cos_hip = (thigh**2 + reach**2 - shank**2) / (2 * thigh * reach)
    upper = cos_hip * line + np.sqrt(np.maximum(1 - cos_hip**2, 0)) * front
    lower = (reach * line - thigh * upper) / shank
    return tuple(quat.from_basis(axis, -bone, np.cross(axis, -bone)) for bone in (upper, lower))  # type: ignore[return-value]


def _rate(x: Array, t: Array, k: int, way: int) -> Array:
    """Rate of ``x`` at sample ``k`` from the next one on the ``way``."""
    other = k + way
    if not 0 <= other < len(t) or t[other] == t[k]:
        return np.zeros_like(x[k])
    return (x[other] - x[k]) / (t[other] - t[k])


def _height(ground: object, place: Array) -> float:
    return float(ground.height(place[[0, 2]], place[1]))  # type: ignore[attr-defined]


def _normal(ground: object, place: Array) -> Array:
    return np.asarray(ground.normal(place[[0, 2]], place[1]), float)  # type: ignore[attr-defined]
