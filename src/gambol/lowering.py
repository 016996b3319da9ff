"""How low C is carried, so that both legs reach through the step and the next one.

A leg longer than straight cannot be. The step is planned, its hip to ankle distances are looked at, and C is lowered
at the borders by what is missing, until nothing is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.borders import stand_border
from gambol.figure import REACH, ROWS, StepPlan, pose_frames
from gambol.footsteps import NONE
from gambol.kernels import kernel
from gambol.profile import Profile
from gambol.stepping import plan_step, same_swing
from gambol.swinging import Swing, Under, unchosen
from gambol.walker import Ahead, Scene, Walker

__all__ = ["Sketch", "Way", "excess", "lowered", "lowered_stand"]

Array = NDArray[np.float64]
KNEE_ON_STAIRS = np.radians(8.0)  # where the leg is straight for a moment only, between the samples looked at
ROUNDS = 8  # of lowering C until both legs reach
SPARE = 1e-4  # m
ALIKE = 2e-4  # largest difference (m, s, rad) of two steps that need looking at once only
SLACK = 5e-4  # m of unused reach that is left alone
# shares of a step at which reach is looked at: denser at both ends, where a leg comes near its full length
WHOLE = np.array(
    [0, 0.03, 0.07, 0.12, 0.18, 0.22, 0.26, 0.3, 0.36, 0.46, 0.56, 0.66]
    + [0.74, 0.8, 0.84, 0.87, 0.9, 0.93, 0.96, 0.98, 1]
)
FIRST, REST = WHOLE[:10].copy(), WHOLE[8:].copy()  # of a step whose end is settled, of one whose beginning is


class Sketch(NamedTuple):
    """What is kept of a step that was planned ahead, with C lowered by ``low`` m at both its borders."""

    low: float
    swing: Swing
    outline: Array  # see _outline
    spare: float  # m by which the longest leg is too short (negative: to spare)


class Way(NamedTuple):
    """The walker, the next footholds, and the ground under the swing of this step and of the next."""

    walker: Walker
    ahead: Ahead
    grounds: tuple[Profile, Profile]


@kernel
def excess(plan: StepPlan, scene: Scene, shares, stair):  # type: ignore[no-untyped-def]
    """m by which the longest leg is beyond what a slightly bent knee reaches, at some ``shares`` of the step."""
    out = np.zeros((ROWS, len(shares)))
    pose_frames(shares * plan.step, plan, scene.figure, False, out)
    a, b = scene.figure.thigh, scene.figure.shank
    knee = max(KNEE_ON_STAIRS, scene.look.knee) if stair else scene.look.knee
    return out[REACH : REACH + 2].max() - np.sqrt(a * a + b * b + 2 * a * b * np.cos(knee))


@kernel
def lowered_stand(w: Walker, ahead: Ahead, ground: Profile, scenes: tuple[Scene, Scene]):  # type: ignore[no-untyped-def]
    """C of the standing figure lowered until both legs reach, also while the weight shifts for the first step.

    Returns the walker, and a sketch that says nothing about its first step.
    """
    scene, low, under = scenes[0], w.low, unchosen(ground)
    for _ in range(ROUNDS):
        w = _standing_at(w, low, scene)
        plan, _ = plan_step(w, ahead, low, under, scenes)
        under = same_swing(ground, plan)
        over = excess(plan, scene, FIRST, False)
        if over <= 0:
            break
        low += 1.05 * over + SPARE
    return w, Sketch(np.nan, under.swing, np.full(33, np.nan), 0.0)


@kernel
def _standing_at(w: Walker, low, scene: Scene):  # type: ignore[no-untyped-def]
    """The standing walker with its C lowered by ``low`` m."""
    return Walker(
        w.time, w.rear, w.front, w.rear_roll, w.front_roll, stand_border(w.rear, w.front, low, scene), w.yaw,
        w.yaw_rate, w.trail, w.trail_stance, w.trail_shift, w.double, w.standing, w.phase_rate, w.style, w.arms,
        low, w.speed,
    )  # fmt: skip


@kernel
def lowered(way: Way, sketch: Sketch, fresh, rest, scenes: tuple[Scene, Scene]):  # type: ignore[no-untyped-def]
    """The step planned with its end border low enough for both legs to reach in this step and the next.

    Args:
        way: from where to where.
        sketch: this step as planned one step ago.
        fresh: whether the sketch does not hold any more.
        rest: m that C is lowered by when standing.
        scenes: what stays the same in this step, and in the next.

    Returns:
        plan, walker at its end, and the sketch of the next step.
    """
    w, ahead, grounds = way
    scene, then = scenes
    one, two = ahead.one, ahead.two
    if one.kind == NONE:
        low = rest
        for _ in range(ROUNDS):
            plan, after = plan_step(w, ahead, low, unchosen(grounds[0]), scenes)
            over = excess(plan, scene, REST, False)
            if over <= 0:
                break
            low += 1.05 * over + SPARE
        return plan, after, sketch
    later = Ahead(two, ahead.three, ahead.four, ahead.four)  # whose fourth nobody asks for
    low = w.low if one.stair == w.front.stair else 0.3 * w.low
    under = unchosen(grounds[0]) if fresh else Under(grounds[0], sketch.swing, True)
    under_next = unchosen(grounds[1])
    for _ in range(ROUNDS):
        plan, after = plan_step(w, ahead, low, under, scenes)
        under = same_swing(grounds[0], plan)
        # as it was sketched, and looked at then
        over = -1.0 if not fresh and sketch.low == low else excess(plan, scene, REST, one.stair)
        beyond, _ = plan_step(after, later, low, under_next, (then, then))
        under_next = same_swing(grounds[1], beyond)
        outline = _outline(after, later, beyond)
        if np.abs(outline - sketch.outline).max() < ALIKE:
            spare = sketch.spare  # the step before was planned just so: no need to look again
        else:
            spare = excess(beyond, then, WHOLE, two.stair)
        if max(over, spare) <= 0:
            break
        low += 1.05 * max(over, spare) + SPARE
    if spare < -SLACK:  # lower than needed: rise again by the next border
        after = _kept_low(after, max(0.0, low + 0.6 * spare))
    return plan, after, Sketch(low, under_next.swing, outline, spare)


@kernel
def _kept_low(w: Walker, low):  # type: ignore[no-untyped-def]
    """The walker as it is, but said to be lowered by ``low`` m."""
    return Walker(
        w.time, w.rear, w.front, w.rear_roll, w.front_roll, w.border, w.yaw, w.yaw_rate, w.trail, w.trail_stance,
        w.trail_shift, w.double, w.standing, w.phase_rate, w.style, w.arms, low, w.speed,
    )  # fmt: skip


@kernel
def _outline(w: Walker, ahead: Ahead, plan: StepPlan):  # type: ignore[no-untyped-def]
    """(33,) a planned step seen from its stance foot, left and right made equal: equal steps have equal outlines."""
    front, out = w.front, np.zeros(33)
    c, s = np.cos(front.yaw), np.sin(front.yaw)
    out[0], out[1], out[2] = plan.step, plan.double, plan.stance
    out[3], out[4], out[5] = plan.front.rolling.strike, plan.front.rolling.push, plan.rear.rolling.push
    out[6], out[7] = front.pitch, w.yaw_rate
    k = 8
    for foot in (w.rear, ahead.one, ahead.two):
        if foot.kind != NONE:
            _seen_from(out, k, foot.place - front.place, c, s, front.side)
            out[k + 3] = front.side * (foot.yaw - front.yaw)
            k += 4
    _seen_from(out, 20, w.border.position - front.place, c, s, front.side)
    _seen_from(out, 23, w.border.velocity, c, s, front.side)
    out[31], out[32] = k, 1.0 * ahead.one.stair
    return out


@kernel
def _seen_from(out, at, v, c, s, side):  # type: ignore[no-untyped-def]
    """A vector of the world in the frame of the stance foot, outward for either side."""
    out[at], out[at + 1], out[at + 2] = side * (v[0] * c - v[2] * s), v[1], v[0] * s + v[2] * c
