"""Feet of a stretch of motion held to the ground while they carry, without looking beyond the stretch.

A carrying foot follows a clean roll: its heading stays, its pitch is that of the motion with a dead zone about flat; it turns
about the heel while the toes are up and about the tip of the toes, which bend, while the heel is up, so that what is planted
cannot slide. What this changes is a correction of the ankle that is exact in support and passes over a swing as one cubic; a swing that the
stretch does not see the end of lets it fade, and hands on what is left. Kwon and Shin's foot-skate cleanup
(after Kovar et al. 2002), made causal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat

__all__ = ["Foot", "Footing", "Leg", "Locked", "hermite", "lock", "two_bone"]

Array = NDArray[np.float64]
FLAT, ROUND = np.radians(3.0), np.radians(5.0)  # pitch that counts as flat; over which it begins to count
BEND = np.radians(40.0)  # the toes bend up to this, then lift with the foot
SPARE = 0.02  # m a leg behind may lack before its foot is let go
GIVE = 20.0  # m/s2, how fast the stretching of a leg is slowed down once its foot is let go
LEAD = 0.3  # s before it lands in which a foot can be led elsewhere
MOST_BEND = np.radians(65.0)  # of the toes in swing, to keep out of the ground
TRIED = np.array(sorted((0.01 * k for k in range(-18, 19)), key=abs))  # m, along the foot, for a level foothold
EDGE = 0.02  # m between points of a sole that is an edge
STAIR, EARLY, LATE = 0.03, (0.0, 0.7), (0.35, 1.0)  # m; shares of a swing in which the height of the ground is gained
OFF, OFF_TIME = 0.008, 0.05  # m, s: so high the tip of the toes is so soon after it is let go
CLEAR, TAPER = 0.004, 0.08  # m over the ground; s over which a swinging foot is raised
FADE = 0.18  # s in which the correction of a foot in the air fades while its landing is not known
UP = np.array([0.0, 1.0, 0.0])
SIDE = np.array([1.0, 0.0, 0.0])
FORWARD = np.array([0.0, 0.0, 1.0])


class Leg(NamedTuple):
    """Where a foot hangs: hip ``(N, 3)`` m, and how far (m) the ankle may be from it."""

    hip: Array
    reach: float
    stands: bool = False  # the figure stands: its feet come to lie flat
    until: float = -np.inf  # s; the foot is not let go before


class Footing(NamedTuple):
    """What one foot carries over from stretch to stretch."""

    down: bool
    ball: Array  # (3,) m, where the ball of the foot is planted
    yaw: float  # rad
    up: Array  # (3,) normal of the ground there
    shift: Array  # (2, 3) m and m/s, correction of the ankle
    twist: Array  # (2, 3) rad and rad/s, correction of the foot's rotation
    toe: Array  # (2,) rad and rad/s, bend of the toes
    lift: Array  # (2,) m and m/s, how much a swinging foot is raised over the ground
    rest: float  # 0 to 1, how far it has been laid flat for standing


class Foot(NamedTuple):
    """Geometry, m: ball and heel in the foot joint's frame, the toe tip from the ball; all lie on the sole."""

    ball: Array
    heel: Array
    tip: Array


class Locked(NamedTuple):
    """One foot over N samples."""

    ankle: Array  # (N, 3) m
    rotation: Array  # (N, 4) world
    toe: Array  # (N,) rad
    down: NDArray[np.bool_]  # (N,) it carries
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
    leg: Leg, ground: object,
) -> Locked:
    """Hold one foot.

    Args:
        t: ``(N,)`` s, rising.
        ankle: ``(N, 3)`` m as the motion would have it.
        rotation: ``(N, 4)`` of the foot in the world.
        support: s, from when to when it carries; one that began before or goes on after reaches beyond ``t``.
        before: what the stretch before handed on.
        foot: its geometry.
        leg: where it hangs; a foot behind is let go where the leg would be stretched by more than a little.
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
        u = (t[part] - t[0]) / (t[-1] - t[0])
        rest = before.rest if begun else 0.0
        rest = rest + (float(leg.stands) - rest) * u * u * (3 - 2 * u)
        pitch = flattened(np.arcsin(np.clip(ahead[part] @ up, -1, 1))) * (1 - rest)
        model = quat.multiply(flat, quat.from_axis_angle(SIDE, -pitch))
        bend = -BEND * np.tanh(np.maximum(-pitch, 0.0) / BEND)
        toes = quat.multiply(flat, quat.from_axis_angle(SIDE, -(np.minimum(pitch, 0.0) - bend)))
        on_heel = quat.rotate(flat, foot.heel - foot.ball) - quat.rotate(model, foot.heel)
        on_tip = quat.rotate(flat, foot.tip) - quat.rotate(toes, foot.tip) - quat.rotate(model, foot.ball)
        from_ball = np.where((pitch >= 0)[:, None], on_heel, on_tip)
        if begun:
            ball = before.ball
        else:
            # where the motion would have it on the whole; where it lands at once, there
            where = ankle[part] - from_ball
            ball = where[0] + min(1.0, float(t[first] - t[0]) / LEAD) * (where.mean(0) - where[0])
            ball = _foothold(ball, flat, foot, ground)
        far = np.linalg.norm(ball + from_ball - leg.hip[part], axis=-1)
        pull = np.maximum(np.gradient(far, t[1] - t[0]), 0.0) if len(far) > 1 else np.zeros(1)
        soon = far + pull * pull / (2 * GIVE)
        stretched = (pitch < 0) & (t[part] >= leg.until) & (soon > leg.reach + SPARE)
        if stretched.any() and (k := int(np.argmax(stretched))) > 1:
            last = first + k - 1
            part, keep = slice(first, last + 1), slice(0, k)
            model, pitch, bend, from_ball, rest = model[keep], pitch[keep], bend[keep], from_ball[keep], rest[keep]
        carries[last + 1 :] = False
        shift[part] = ball + from_ball - ankle[part]
        twist[part] = quat.log(quat.multiply(model, quat.conjugate(rotation[part])))
        toe[part] = bend
        heel_down[part], toe_down[part] = pitch >= 0, pitch <= 0
        if first > 0:  # the swing before it
            lead = t[:first]
            for value, kept in ((shift, before.shift), (twist, before.twist), (toe, before.toe)):
                value[:first] = hermite(
                    lead, (t[0], kept[0], kept[1]), (t[first], value[first], _rate(value, t, first, 1))
                )
            rise = float(shift[first, 1] - before.shift[0, 1])
            if abs(rise) > STAIR:  # up a stair early, down a stair late
                way = EARLY if rise > 0 else LATE
                span = float(t[first] - t[0])
                shift[:first, 1] = hermite(
                    lead, (way[0] * span, before.shift[0, 1], before.shift[1, 1] * (way[0] == 0)),
                    (way[1] * span, shift[first, 1], np.zeros(())),
                )
        state = (t[last], *(np.stack([x[last], _rate(x, t, last, -1)]) for x in (shift, twist, toe)))
        after = Footing(last == len(t) - 1, ball, yaw, up, *state[1:], before.lift, float(rest[-1]))
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
    held, turned = ankle + shift, quat.multiply(quat.exp(twist), rotation)
    lift = _clear(t, held, turned, carries, before.lift, foot, ground)
    held = held + lift[:, None] * UP
    toe = np.where(carries, toe, _toes_up(held, turned, toe, foot, (_apart(t, carries), ground)))
    n = len(t) - 1
    after = after._replace(lift=np.array([lift[n], _rate(lift, t, n, -1)]))
    return Locked(held, turned, toe, carries, heel_down, toe_down, after)


def _clear(  # noqa: PLR0913
    t: Array, ankle: Array, rotation: Array, carries: NDArray[np.bool_], before: Array, foot: Foot, ground: object
) -> Array:
    """(N,) m, how much higher a swinging foot must be for heel and ball to pass over the ground."""
    heel, ball, tip = (ankle + quat.rotate(rotation, p) for p in (foot.heel, foot.ball, foot.ball + foot.tip))
    under = [_heights(ground, p) for p in (heel, ball, tip)]
    low = np.fmin(heel[:, 1] - under[0], ball[:, 1] - under[1])
    low = np.where(under[2] > under[1] + EDGE, np.fmin(low, tip[:, 1] - under[2]), low)  # the toes bend, but not up a riser
    need = np.where(carries, 0.0, np.maximum(CLEAR - low, 0.0))
    if not need.any() and not before.any():
        return np.zeros(len(t))
    step = t[1] - t[0]
    edge = np.flatnonzero(carries)
    high = need.max() > STAIR
    share = np.minimum(_apart(t, carries) / (0.4 * TAPER if high else TAPER), 1.0)
    share = share * share * (3 - 2 * share)
    half = max(1, round((0.08 if high else 0.04) / step))
    top = np.max(np.lib.stride_tricks.sliding_window_view(np.pad(need, half, mode="edge"), 2 * half + 1), axis=1)
    bell = np.hanning(2 * half + 3)[1:-1]
    calm = np.convolve(np.pad(top, half, mode="edge"), bell / bell.sum(), "valid") * share
    if carries[0]:
        return calm
    free = t[edge[0]] if len(edge) else t[-1]
    zero = np.zeros(())
    return calm + hermite(
        t, (0.0, before[0] - calm[0], before[1] - (calm[1] - calm[0]) / step), (min(TAPER * 2, float(free)), zero, zero)
    )


def _foothold(ball: Array, flat: Array, foot: Foot, ground: object) -> Array:
    """The place nearest to where the ball of the foot would be, forwards or backwards, where the sole lies on one level."""
    ahead = quat.rotate(flat, FORWARD)
    steps = ball + TRIED[:, None] * ahead
    rows = steps[:, None] + quat.rotate(flat, np.stack([foot.heel - foot.ball, np.zeros(3), foot.tip]))
    y = _heights(ground, rows.reshape(-1, 3)).reshape(len(steps), 3)
    level = np.isfinite(y).all(1) & (np.abs(y - y[:, 1:2] - (rows[..., 1] - steps[:, 1:2])).max(1) < EDGE)
    k = int(np.argmax(level)) if level.any() else 0
    return np.array([steps[k, 0], _height(ground, steps[k]), steps[k, 2]])


def _apart(t: Array, carries: NDArray[np.bool_]) -> Array:
    """(N,) s to the nearest sample at which the foot carries; infinite where there is none."""
    edge = np.flatnonzero(carries)
    if not len(edge):
        return np.full(len(t), np.inf)
    after = np.minimum(np.searchsorted(edge, np.arange(len(t))), len(edge) - 1)
    return np.minimum(np.abs(t - t[edge[after]]), np.abs(t - t[edge[np.maximum(after - 1, 0)]]))


def _toes_up(ankle: Array, rotation: Array, toe: Array, foot: Foot, around: tuple[Array, object]) -> Array:
    """(N,) rad, the bend of the toes that keeps their tip out of the ground, and lifts it off at once."""
    apart, ground = around
    ball = ankle + quat.rotate(rotation, foot.ball)
    u = np.minimum(apart / OFF_TIME, 1.0)
    free = ball[:, 1] - _heights(ground, ball) - OFF * u * u * (3 - 2 * u)
    high = np.clip(free / np.linalg.norm(foot.tip), -0.2, 1.0)
    pitch = np.arcsin(np.clip(quat.rotate(rotation, FORWARD)[:, 1], -1, 1))
    least = np.clip(-np.arcsin(high) - pitch, 0.0, MOST_BEND)
    soft = np.radians(4.0)
    over = least + toe  # how much more than the toes are bent already
    more = np.where(over > soft, over, np.where(over > -soft, (over + soft) ** 2 / (4 * soft), 0.0))
    return np.asarray(toe - np.where(least > 0, more, 0.0) * np.minimum(least / soft, 1.0))


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


def _heights(ground: object, points: Array) -> Array:
    """(N,) m; where there is no ground, far below."""
    y = np.asarray(ground.height(points[:, [0, 2]], points[:, 1]), float)  # type: ignore[attr-defined]
    return np.where(np.isfinite(y), y, -np.inf)


def _normal(ground: object, place: Array) -> Array:
    return np.asarray(ground.normal(place[[0, 2]], place[1]), float)  # type: ignore[attr-defined]
