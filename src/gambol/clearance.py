"""A foot in the air kept out of the ground, and the places on the ground where it can stand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.terrain import Terrain

__all__ = ["EDGE", "STAIR", "Foot", "apart", "foothold", "hermite", "rate", "raised", "toes_up"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
FORWARD = np.array([0.0, 0.0, 1.0])
CLEAR, TAPER = 0.004, 0.08  # m over the ground; s after and before contact over which a foot is raised
QUICK = 0.4  # of that time where it has to get over a riser
REACH, FAR_REACH = 0.04, 0.08  # s to both sides over which the raising is spread; over a riser
STAIR = 0.03  # m that is a riser
EDGE = 0.02  # m between points of a sole that is an edge
OFF, OFF_TIME = 0.008, 0.05  # m, s: so high the tip of the toes is so soon after it is let go
MOST_BEND, SOFT = np.radians(65.0), np.radians(4.0)  # of the toes in swing; over which their bend begins
TRIED = np.array(sorted((0.01 * k for k in range(-18, 19)), key=abs))  # m along the foot, for a level foothold


class Foot(NamedTuple):
    """Geometry, m: ball and heel in the foot joint's frame, the toe tip from the ball; all lie on the sole."""

    ball: Array
    heel: Array
    tip: Array


def hermite(t: Array, begin: tuple[float, Array, Array], end: tuple[float, Array, Array]) -> Array:
    """Cubic through (time, value, rate) at both ends; constant values beyond. ``(N, ...)``."""
    (a, x, vx), (b, y, vy) = begin, end
    span = max(b - a, 1e-9)
    u = np.clip((t - a) / span, 0.0, 1.0).reshape(-1, *[1] * np.ndim(x))
    u2, u3 = u * u, u * u * u
    return np.asarray(
        (2 * u3 - 3 * u2 + 1) * x + (u3 - 2 * u2 + u) * span * vx + (3 * u2 - 2 * u3) * y + (u3 - u2) * span * vy
    )


def rate(x: Array, t: Array, k: int, way: int) -> Array:
    """Rate of ``x`` (N, ...) at sample ``k``, from the next one on the ``way`` (1 or -1); 0 where there is none."""
    other = k + way
    if not 0 <= other < len(t) or t[other] == t[k]:
        return np.zeros_like(x[k])
    return np.asarray((x[other] - x[k]) / (t[other] - t[k]))


def foothold(ball: Array, flat: Array, foot: Foot, ground: Terrain) -> Array:
    """The place nearest to ``ball`` (3,), forwards or backwards, where a flat sole lies on one level: no edge under it.

    Args:
        ball: m, where the ball of the foot would be.
        flat: ``(4,)`` the foot as it stands.
        foot: its geometry.
        ground: where it stands.
    """
    steps = ball + TRIED[:, None] * quat.rotate(flat, FORWARD)
    sole = quat.rotate(flat, np.stack([foot.heel - foot.ball, np.zeros(3), foot.tip]))
    y = heights(ground, (steps[:, None] + sole).reshape(-1, 3)).reshape(-1, 3) - sole[:, 1]
    level = np.isfinite(y).all(1) & (np.ptp(np.where(np.isfinite(y), y, 0.0), axis=1) < EDGE)
    k = int(np.argmax(level)) if level.any() else 0
    height = float(ground.height(steps[k, [0, 2]], steps[k, 1]))
    return np.array([steps[k, 0], height if np.isfinite(height) else ball[1], steps[k, 2]])


def heights(ground: Terrain, points: Array) -> Array:
    """``(N,)`` m of the ground at points (N, 3); where there is none, endlessly deep."""
    y = np.asarray(ground.height(points[:, [0, 2]], points[:, 1]), dtype=np.float64)
    return np.where(np.isfinite(y), y, -np.inf)


def apart(t: Array, carries: Bools) -> Array:
    """``(N,)`` s to the nearest sample at which the foot carries; infinite where there is none."""
    edge = np.flatnonzero(carries)
    if not len(edge):
        return np.full(len(t), np.inf)
    after = np.minimum(np.searchsorted(edge, np.arange(len(t))), len(edge) - 1)
    return np.minimum(np.abs(t - t[edge[after]]), np.abs(t - t[edge[np.maximum(after - 1, 0)]]))


def raised(
    t: Array, way: tuple[Array, Array, Bools], before: Array, foot: Foot, ground: Terrain
) -> Array:
    """``(N,)`` m, how much higher a swinging foot must be for heel and ball to pass over the ground.

    Args:
        t: ``(N,)`` s.
        way: ankle ``(N, 3)`` m, rotation ``(N, 4)``, and whether it carries ``(N,)``.
        before: ``(2,)`` m and m/s, what it was raised by where the stretch begins.
        foot: its geometry.
        ground: which it passes over.
    """
    ankle, rotation, carries = way
    heel, ball, tip = (ankle + quat.rotate(rotation, p) for p in (foot.heel, foot.ball, foot.ball + foot.tip))
    under = [heights(ground, p) for p in (heel, ball, tip)]
    low = np.fmin(heel[:, 1] - under[0], ball[:, 1] - under[1])
    up_a_riser = under[2] > under[1] + EDGE  # toes bend out of the way of level ground, not of a riser
    low = np.where(up_a_riser, np.fmin(low, tip[:, 1] - under[2]), low)
    need = np.where(carries, 0.0, np.maximum(CLEAR - low, 0.0))
    if not need.any() and not before.any():
        return np.zeros(len(t))
    step, high = t[1] - t[0], need.max() > STAIR
    share = np.minimum(apart(t, carries) / (TAPER * (QUICK if high else 1.0)), 1.0)
    calm = spread(need, (FAR_REACH if high else REACH) / step) * share * share * (3 - 2 * share)
    if carries[0]:
        return calm
    edge = np.flatnonzero(carries)
    free = float(t[edge[0]]) if len(edge) else float(t[-1])
    zero = np.zeros(())
    begin = 0.0, before[0] - calm[0], before[1] - (calm[1] - calm[0]) / step
    return calm + hermite(t, begin, (min(2 * TAPER, free), zero, zero))


def spread(need: Array, reach: float) -> Array:
    """A smooth curve nowhere below ``need`` (N,), which reaches ``reach`` samples to both sides."""
    half = max(1, round(reach))
    top = np.max(np.lib.stride_tricks.sliding_window_view(np.pad(need, half, mode="edge"), 2 * half + 1), axis=1)
    bell = np.hanning(2 * half + 3)[1:-1]
    return np.convolve(np.pad(top, half, mode="edge"), bell / bell.sum(), "valid")


def toes_up(way: tuple[Array, Array], toe: Array, free: Array, foot: Foot, ground: Terrain) -> Array:
    """``(N,)`` rad (negative: up), the bend of toes that keeps their tip out of the ground, and lifts it off at once.

    Args:
        way: ankle ``(N, 3)`` m and rotation ``(N, 4)``.
        toe: ``(N,)`` rad, how they are bent already.
        free: ``(N,)`` s to the nearest contact of the foot.
        foot: its geometry.
        ground: which it passes over.
    """
    ankle, rotation = way
    ball = ankle + quat.rotate(rotation, foot.ball)
    u = np.minimum(free / OFF_TIME, 1.0)
    room = ball[:, 1] - heights(ground, ball) - OFF * u * u * (3 - 2 * u)
    high = np.clip(room / np.linalg.norm(foot.tip), -0.2, 1.0)
    pitch = np.arcsin(np.clip(quat.rotate(rotation, FORWARD)[:, 1], -1, 1))
    least = np.clip(-np.arcsin(high) - pitch, 0.0, MOST_BEND)
    over = least + toe  # how much more than they are bent already
    more = np.where(over > SOFT, over, np.where(over > -SOFT, (over + SOFT) ** 2 / (4 * SOFT), 0.0))
    return np.asarray(toe - more * np.minimum(least / SOFT, 1.0))
