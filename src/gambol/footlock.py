"""Feet of a stretch of motion held to the ground while they carry, without looking beyond the stretch.

A carrying foot follows a clean roll: its heading stays, its pitch is that of the motion with a dead zone about flat;
it turns about the heel while the toes are up and about the tip of the toes, which bend, while the heel is up, so that
what is planted cannot slide. What this changes is a correction of ankle, foot and toes that is exact in support and
passes over a swing as one cubic; a swing whose end the stretch does not see lets it fade, and hands on what is left.
Kwon and Shin's foot-skate cleanup (after Kovar et al. 2002), made causal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.clearance import STAIR, Foot, apart, foothold, hermite, raised, rate, toes_up
from gambol.terrain import Terrain

__all__ = ["FREE", "Footing", "Leg", "Locked", "lock", "two_bone"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Span = tuple[float, float]
FLAT, ROUND = np.radians(3.0), np.radians(5.0)  # pitch that counts as flat; over which it begins to count
BEND = np.radians(40.0)  # the toes bend up to this, then lift with the foot
SPARE = 0.02  # m a leg behind may lack, made good by the pelvis, before its foot is let go
GIVE = 20.0  # m/s2, how fast the stretching of a leg is slowed down once its foot is let go
LEAD = 0.15  # s before it lands in which a foot can be led elsewhere
EARLY, LATE = (0.0, 0.7), (0.35, 1.0)  # shares of a swing in which the height of a riser is gained or lost
FADE = 0.18  # s in which the correction of a foot in the air fades while its landing is not known
UP, SIDE, FORWARD = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
SHIFT, TWIST, TOE = slice(0, 3), slice(3, 6), 6  # of a correction: m, rad, rad


class Leg(NamedTuple):
    """Where a foot hangs, and when it may be let go."""

    hip: Array  # (N, 3) m
    reach: float  # m, how far the ankle may be from it
    stands: bool = False  # the figure stands: its feet come to lie flat
    until: float = -np.inf  # s; the foot is not let go before


class Footing(NamedTuple):
    """What one foot carries over from stretch to stretch."""

    down: bool
    ball: Array  # (3,) m, where the ball of the foot is planted
    yaw: float  # rad
    up: Array  # (3,) normal of the ground there
    change: Array  # (2, 7) correction of ankle, foot and toes, and its rate
    lift: Array  # (2,) m and m/s, how much a swinging foot is raised over the ground
    rest: float  # 0 to 1, how far it has been laid flat for standing


FREE = Footing(False, np.zeros(3), 0.0, UP, np.zeros((2, 7)), np.zeros(2), 0.0)  # a foot of which nothing is known


class Locked(NamedTuple):
    """One foot over N samples."""

    ankle: Array  # (N, 3) m
    rotation: Array  # (N, 4) world
    toe: Array  # (N,) rad
    down: Bools  # (N,) it carries
    heel_down: Bools  # (N,)
    toe_down: Bools  # (N,)
    footing: Footing  # at the last sample


class _Support(NamedTuple):
    """The samples ``first`` to ``last`` in which a foot carries, and how it then stands."""

    first: int
    last: int
    change: Array  # (last - first + 1, 7)
    pitch: Array
    footing: Footing  # where it stands; its correction is not that of the end


def lock(
    t: Array, way: tuple[Array, Array], support: Span | None, before: Footing, place: tuple[Foot, Leg, Terrain]
) -> Locked:
    """Hold one foot.

    Args:
        t: ``(N,)`` s, evenly rising from 0.
        way: ankle ``(N, 3)`` m and rotation ``(N, 4)`` of the foot in the world, as the motion would have them.
        support: s, from when to when it carries; one that began before or goes on after reaches beyond ``t``.
        before: what the stretch before handed on.
        place: geometry of the foot, where it hangs, and the ground. A foot behind is let go where the leg
            would be stretched by more than a little.

    Returns:
        the foot held.
    """
    ankle, rotation = way
    foot, leg, ground = place
    change = np.zeros((len(t), 7))
    carries = np.zeros(len(t), bool)
    heel, toes = carries.copy(), carries.copy()
    held = _supported(t, way, support, before, place)
    after, left = before._replace(down=False), 0  # left: the sample from which a swing begins
    begin = t[0], before.change[0], before.change[1]
    if held is not None:
        part = slice(held.first, held.last + 1)
        change[part], carries[part] = held.change, True
        heel[part], toes[part] = held.pitch >= 0, held.pitch <= 0
        if held.first > 0:
            change[: held.first] = _led(t, change, held.first, before.change)
        begin = t[held.last], change[held.last], rate(change, t, held.last, -1)
        after, left = held.footing, held.last + 1
    if left < len(t):  # a swing whose end is not seen
        change[left:] = hermite(t[left:], begin, (begin[0] + FADE, np.zeros(7), np.zeros(7)))
    last = len(t) - 1
    led, turned = ankle + change[:, SHIFT], quat.multiply(quat.exp(change[:, TWIST]), rotation)
    lift = raised(t, (led, turned, carries), before.lift, foot, ground)
    led = led + lift[:, None] * UP
    bend = change[:, TOE]
    bend = np.where(carries, bend, toes_up((led, turned), bend, apart(t, carries), foot, ground))
    after = after._replace(
        change=np.stack([change[last], rate(change, t, last, -1)]),
        lift=np.array([lift[last], rate(lift, t, last, -1)]),
    )
    return Locked(led, turned, bend, carries, heel, toes, after)


def _supported(
    t: Array, way: tuple[Array, Array], support: Span | None, before: Footing, place: tuple[Foot, Leg, Terrain]
) -> _Support | None:
    """Where and how the foot stands while it carries; None if it does not."""
    if support is None:
        return None
    on = np.flatnonzero((t >= support[0] - 1e-9) & (t <= support[1] + 1e-9))
    if not len(on):
        return None
    (ankle, rotation), (foot, leg, ground) = way, place
    first = int(on[0])
    ankle, rotation, hip = ankle[on], rotation[on], leg.hip[on]
    ahead = quat.rotate(rotation, FORWARD)
    begun = before.down and first == 0
    stood = before
    if not begun:
        touch = ankle[0] + quat.rotate(rotation[0], foot.ball)
        up = np.asarray(ground.normal(touch[[0, 2]], touch[1]), dtype=np.float64)
        stood = before._replace(yaw=float(np.arctan2(ahead[0, 0], ahead[0, 2])), up=up, rest=0.0)
    flat = quat.multiply(quat.between(UP, stood.up), quat.from_axis_angle(UP, stood.yaw))
    u = (t[on] - t[0]) / (t[-1] - t[0])
    rest = stood.rest + (float(leg.stands) - stood.rest) * u * u * (3 - 2 * u)
    pitch = flattened(np.arcsin(np.clip(ahead @ stood.up, -1, 1))) * (1 - rest)
    model, bend, from_ball = _roll(pitch, flat, foot)
    if not begun:
        where = ankle - from_ball  # where the motion would have it on the whole; one that lands at once, there
        ball = where[0] + min(1.0, float(t[first] - t[0]) / LEAD) * (where.mean(0) - where[0])
        stood = stood._replace(ball=foothold(ball, flat, foot, ground))
    keep = _kept(t[on], np.linalg.norm(stood.ball + from_ball - hip, axis=-1), pitch, leg)
    change = np.concatenate(
        [stood.ball + from_ball - ankle, quat.log(quat.multiply(model, quat.conjugate(rotation))), bend[:, None]], 1
    )
    last = first + keep - 1
    stood = stood._replace(down=last == len(t) - 1, rest=float(rest[keep - 1]))
    return _Support(first, last, change[:keep], pitch[:keep], stood)


def _roll(pitch: Array, flat: Array, foot: Foot) -> tuple[Array, Array, Array]:
    """A foot rolling: its rotation (N, 4), the bend of its toes (N,), and the ankle from the planted ball (N, 3)."""
    model = quat.multiply(flat, quat.from_axis_angle(SIDE, -pitch))
    bend = -BEND * np.tanh(np.maximum(-pitch, 0.0) / BEND)
    toes = quat.multiply(flat, quat.from_axis_angle(SIDE, bend - np.minimum(pitch, 0.0)))
    on_heel = quat.rotate(flat, foot.heel - foot.ball) - quat.rotate(model, foot.heel)
    on_tip = quat.rotate(flat, foot.tip) - quat.rotate(toes, foot.tip) - quat.rotate(model, foot.ball)
    return model, bend, np.where((pitch >= 0)[:, None], on_heel, on_tip)


def flattened(pitch: Array) -> Array:
    """The pitch with a dead zone about 0, continuous with its rate."""
    x = np.maximum(np.abs(pitch) - FLAT, 0.0)
    return np.asarray(np.sign(pitch) * np.where(x < ROUND, x * x / (2 * ROUND), x - ROUND / 2))


def _kept(t: Array, far: Array, pitch: Array, leg: Leg) -> int:
    """How many samples of a support the foot is held: fewer where its leg, behind, is stretched too far too fast."""
    if len(far) < 3:
        return len(far)
    pull = np.maximum(np.gradient(far, t[1] - t[0]), 0.0)
    stretched = (pitch < 0) & (t >= leg.until) & (far + pull * pull / (2 * GIVE) > leg.reach + SPARE)
    k = int(np.argmax(stretched))
    return k if k > 1 else len(far)


def _led(t: Array, change: Array, first: int, before: Array) -> Array:
    """The correction over a swing to a landing at sample ``first``; up a riser early, down one late."""
    lead, landing = t[:first], (t[first], change[first], rate(change, t, first, 1))
    out = hermite(lead, (t[0], before[0], before[1]), landing)
    rise = float(change[first, 1] - before[0, 1])
    if abs(rise) > STAIR:
        a, b = (share * float(t[first]) for share in (EARLY if rise > 0 else LATE))
        out[:, 1] = hermite(lead, (a, before[0, 1], before[1, 1] * (a == 0)), (b, change[first, 1], np.zeros(())))
    return out


def two_bone(hip: Array, ankle: Array, hinge: Array, lengths: tuple[float, float]) -> tuple[Array, Array]:
    """World rotations of thigh and shank that bring the ankle to its place; the knee bends about ``hinge``, forwards.

    For bones that rest along -y, as a person's do: no pose of theirs is needed, unlike in :func:`gambol.ik.two_bone`.

    Args:
        hip: ``(..., 3)`` m.
        ankle: ``(..., 3)`` m; nearer than reach, or the leg points at it at full stretch.
        hinge: ``(..., 3)`` the knee's axis, to the left.
        lengths: m, of thigh and shank.

    Returns:
        two rotations ``(..., 4)``.
    """
    thigh, shank = lengths
    line = ankle - hip
    far = np.linalg.norm(line, axis=-1, keepdims=True)
    line = line / np.maximum(far, 1e-9)
    reach = np.clip(far, abs(thigh - shank) + 1e-6, (thigh + shank) * (1 - 1e-9))
    axis = hinge - (hinge * line).sum(-1, keepdims=True) * line
    axis = axis / np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-9)
    cos_hip = (thigh**2 + reach**2 - shank**2) / (2 * thigh * reach)  # law of cosines
    upper = cos_hip * line + np.sqrt(np.maximum(1 - cos_hip**2, 0)) * np.cross(line, axis)
    cos_knee = (reach[..., 0] ** 2 - thigh**2 - shank**2) / (2 * thigh * shank)
    first = quat.from_basis(axis, -upper, np.cross(axis, -upper))
    bend = np.arccos(np.clip(cos_knee, -1, 1))
    return first, quat.multiply(first, quat.from_axis_angle(SIDE, bend))
