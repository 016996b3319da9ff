"""Where C is, and how it moves, at the heel strikes.

Borders follow the *secant rule*: C lies at the mean of the places that the steps before and after would have it in
steady walking, and moves with their mean velocities weighted by the other step's time, plus the steady ripple.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import G
from gambol.footsteps import CLOSE, NONE, STAND, TURN, WALK, Footstep
from gambol.kernels import clamp, kernel
from gambol.reaction import Border
from gambol.swinging import HIP_BELOW
from gambol.walker import Ahead, Look, Scene, Walker

__all__ = ["LOOSE", "RELEASE", "Next", "gap", "mode_of", "next_border", "stand_border", "step_times", "walking_share"]

Array = NDArray[np.float64]
LOOSE = 1.15  # step length over the default beyond which cadence no longer follows it
RELEASE = 0.55  # s, from standing until the first foot lifts, for a leg of 0.93 m
SETTLE = 1.35  # step times to come to rest
CLOSE_SHORT = (0.13, 0.07)  # steps that C lags when the last but one and the last foot land
STAND_AHEAD = 0.020  # of body height: C ahead of the ankles when standing
STAND_UP = 0.562  # of body height: C above the ground when standing straight (lowered by reach)
SLOPE_SHIFT = 0.02 * 180 / np.pi  # steps per rad of slope that C moves towards the lower foot (at most 0.12)
STAIR_REACH = 0.985  # of the straight leg, at the heel strike on a stair
REAR_HEEL = (0.40, 0.15)  # of the ball's distance: how far the rear ankle is up and forward by then


class Next(NamedTuple):
    """A border and what it is made of."""

    border: Border
    yaw: float
    yaw_rate: float
    walking: float  # 0 standing .. 1 walking at full step length


@kernel
def gap(a: Footstep, b: Footstep):  # type: ignore[no-untyped-def]
    """Horizontal step length m between the points of the path beside two footholds."""
    return math.hypot(b.centre[0] - a.centre[0], b.centre[2] - a.centre[2])


@kernel
def step_times(front: Footstep, one: Footstep, scene: Scene):  # type: ignore[no-untyped-def]
    """Length of the step s from ``front``'s strike until ``one`` lands (or until all stands still)."""
    w0, t0 = scene.pace.step_length, scene.pace.step_time
    if one.kind == NONE:
        return SETTLE * t0
    if one.kind == TURN and front.kind != STAND:
        return 1.1 * t0
    if front.kind == STAND:
        return RELEASE * (scene.leg / 0.93) ** 0.5 + 0.75 * t0
    if one.kind == CLOSE or one.stair or front.kind != WALK:
        return t0
    ratio = gap(front, one) / w0
    near = clamp(ratio, 1 / LOOSE, LOOSE)
    return t0 * near * (max(ratio, 0.2) / near) ** 0.5


@kernel
def walking_share(w, scene: Scene):  # type: ignore[no-untyped-def]
    """0 standing .. 1 walking at full step length, for a step of ``w`` m."""
    return clamp(w / scene.pace.step_length, 0.0, 1.0)


@kernel
def mode_of(rise, look: Look, stair):  # type: ignore[no-untyped-def]
    """The vertical walking mode of a step that rises so much (m)."""
    if not stair:
        return look.level
    return look.up if rise > 0 else look.down


@kernel
def _ahead_of_middle(a: Footstep, b: Footstep, scene: Scene):  # type: ignore[no-untyped-def]
    """How far C is ahead of the middle between two footholds, in steps."""
    w = max(gap(a, b), 1e-6)
    if w <= 0.05:
        return 0.0
    slope = 0.0 if a.stair or b.stair else clamp(SLOPE_SHIFT * (b.centre[1] - a.centre[1]) / w, -0.12, 0.12)
    return scene.look.row.com_ahead - slope


@kernel
def border_at(rear: Footstep, front: Footstep, one: Footstep, scene: Scene):  # type: ignore[no-untyped-def]
    """Place of C at the heel strike of ``front`` (before any lowering), and how much it is a walk (0..1)."""
    look, over = scene.look, one.kind == NONE
    w_in = gap(rear, front)
    w_out = 0.0 if over else gap(front, one)
    k = (walking_share(w_in, scene) + walking_share(w_out, scene)) / 2
    c = rear.centre + (0.5 + _ahead_of_middle(rear, front, scene)) * (front.centre - rear.centre)
    if not over:
        # from a stand C stays over the feet until the first step carries it on
        weight = 0.0 if w_in < 0.05 else w_out / (w_in + w_out)
        there = front.centre + (_ahead_of_middle(front, one, scene) - 0.5) * (one.centre - front.centre)
        c = c + weight * (there - c)
    heading = 0.5 * (rear.heading + front.heading)
    x, z = np.sin(heading), np.cos(heading)
    forward = (1 - k) * STAND_AHEAD * scene.height
    if (front.kind == CLOSE and over) or one.kind == CLOSE:
        # slowing down, C stays a little behind, and comes to rest without swinging back
        forward -= (CLOSE_SHORT[1] if front.kind == CLOSE else CLOSE_SHORT[0]) * w_in
    # into a curve the body leans: the ground's push must pass near C while the path bends
    turn = 0.0 if over else _wrap(one.heading - rear.heading) / max(w_in + w_out, 0.3)
    inward = 0.5 * scene.pace.speed**2 * turn / G * scene.leg * k
    still = look.level.steady
    left = front.side * still.side * k + clamp(inward, -0.06, 0.06)
    walk_up = look.row.com_up * scene.leg - still.rise
    up = k * walk_up + (1 - k) * STAND_UP * scene.height + scene.lift - look.crouch
    c = c + np.array([forward * x + left * z, up, forward * z - left * x])
    if front.stair or one.stair:
        c[1] = min(c[1], _stair_height(c, rear, front, scene) - look.crouch)
    return c, k


@kernel
def _stair_height(c, rear: Footstep, front: Footstep, scene: Scene):  # type: ignore[no-untyped-def]
    """Highest C that both legs reach with a soft knee at the heel strike on a stair; the rear heel is already up."""
    ball = scene.figure.foot.ball
    return HIP_BELOW * scene.height + scene.lift + min(
        _hip_over(front, c, 0.0, 0.0, scene), _hip_over(rear, c, REAR_HEEL[0] * ball, REAR_HEEL[1] * ball, scene)
    )


@kernel
def _hip_over(foot: Footstep, c, rise, ahead, scene: Scene):  # type: ignore[no-untyped-def]
    """Height m at which the hip is a soft leg away from an ankle that is so much up and forward of its place."""
    leg = STAIR_REACH * (scene.figure.thigh + scene.figure.shank)
    across = max(math.hypot(c[0] - foot.place[0], c[2] - foot.place[2]) - ahead, 0.0)
    return foot.place[1] + scene.figure.foot.ankle + rise + math.sqrt(max(leg**2 - across**2, 0.1 * leg**2))


@kernel
def _wrap(angle):  # type: ignore[no-untyped-def]
    return (angle + np.pi) % (2 * np.pi) - np.pi


@kernel
def stand_border(rear: Footstep, front: Footstep, low, scene: Scene):  # type: ignore[no-untyped-def]
    """C at rest over both feet, lowered by ``low`` m."""
    heading = 0.5 * (rear.heading + front.heading)
    ahead, up = STAND_AHEAD * scene.height, STAND_UP * scene.height + scene.lift - scene.look.crouch - low
    c = 0.5 * (rear.place + front.place) + np.array([ahead * np.sin(heading), up, ahead * np.cos(heading)])
    return Border(c, np.zeros(3))


@kernel
def next_border(w: Walker, ahead: Ahead, times, low, scene: Scene):  # type: ignore[no-untyped-def]
    """Border at the end of the step from ``w`` by the secant rule, C lowered by ``low`` m here and one step on."""
    one = ahead.one
    if one.kind == NONE:
        still = stand_border(w.rear, w.front, low, scene)
        return Next(still, 0.5 * (w.rear.heading + w.front.heading), 0.0, 0.0)
    here, k = border_at(w.front, one, ahead.two, scene)
    here[1] -= low
    if ahead.two.kind == NONE:
        after = stand_border(w.front, one, low, scene).position
    else:
        after, _ = border_at(one, ahead.two, ahead.three, scene)
        after[1] -= low
    t0, t1 = times
    m0, m1 = (here - w.border.position) / t0, (after - here) / t1
    velocity = (t1 * m0 + t0 * m1) / (t0 + t1)
    heading = 0.5 * (w.front.heading + one.heading)
    x, z = np.sin(heading), np.cos(heading)
    before, later = m0[0] * x + m0[2] * z, m1[0] * x + m1[2] * z
    forward, up, left = _ripple(w.front, one, scene)
    forward = _braking(before, later, times) + k * forward
    rise = 1.0 if one.stair and w.front.stair else k  # treads are short, but f_v of eq. 8 is meant for whole steps
    velocity = velocity + np.array([forward * x + k * left * z, rise * up, forward * z - k * left * x])
    if one.kind == TURN and ahead.two.kind != NONE and ahead.two.kind != WALK:
        velocity = 0.5 * velocity
    yaw_after = one.heading if ahead.two.kind == NONE else 0.5 * (one.heading + ahead.two.heading)
    rate = (t1 * (heading - w.yaw) / t0 + t0 * (yaw_after - heading) / t1) / (t0 + t1)
    return Next(Border(here, velocity), heading, rate, k)


@kernel
def _braking(before, after, times):  # type: ignore[no-untyped-def]
    """What is taken from the forward velocity (m/s) at a border where the walk slows down.

    The weighted harmonic mean instead of the weighted mean (Fritsch and Carlson 1980): C does not surge or fall back
    between borders.
    """
    if not before > after:
        return 0.0
    t0, t1 = times
    mean = (t1 * before + t0 * after) / (t0 + t1)
    if after <= 0:
        return -mean
    harmonic = 3 * (t0 + t1) / ((2 * t1 + t0) / before + (t1 + 2 * t0) / after)
    return min(harmonic - mean, 0.0)


@kernel
def _ripple(front: Footstep, one: Footstep, scene: Scene):  # type: ignore[no-untyped-def]
    """Steady velocity at heel strike less the mean velocity of a step: forward, up, left."""
    s = mode_of(one.centre[1] - front.centre[1], scene.look, one.stair).steady
    return s.forward, s.up, one.side * s.side_velocity
