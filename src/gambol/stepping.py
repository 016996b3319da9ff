"""One step planned: where C goes, what the feet do, how trunk and arms follow.

The plan of a step needs the feet on the ground (how they stand and roll is settled), the next three footholds,
and the border at its end. Borders follow the *secant rule*: C lies at the mean of the places that the steps
before and after would have it in steady walking, and moves with their mean velocities weighted by the other
step's time, plus the steady ripple. Position and velocity are met exactly (reaction.solve_lead).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.arm import Arm, drive, pendulum
from gambol.body import G
from gambol.figure import STYLE, Step, StepPlan
from gambol.footsteps import Footstep
from gambol.kernels import clamp
from gambol.reaction import (
    Border,
    Known,
    Shape,
    Steady,
    StepTime,
    calm_row,
    heights,
    solve_lead,
    steady,
    track,
    usual_row,
)
from gambol.roll import Foot, Roll, shifted
from gambol.swinging import HIP_BELOW, swing_path
from gambol.walk_table import MODES
from gambol.walker import Ahead, Look, Scene, Walker

__all__ = [
    "RELEASE",
    "arm_goal",
    "border_at",
    "plan_step",
    "rising_time",
    "stand_border",
    "step_times",
    "style_of",
]

Array = NDArray[np.float64]

LOOSE = 1.15  # step length over the default beyond which cadence no longer follows it
RELEASE = 0.55  # s, from standing until the first foot lifts, for a leg of 0.93 m
SETTLE = 1.35  # step times to come to rest
STAND_FADES = (
    0.95,
    0.8,
    0.65,
    0.5,
    0.35,
)  # of the release or the last step, over which standing weight fades
STRETCH = 2.0  # how much worse it is to rise (straight legs stretch no further) than to sink
CLOSE_SHORT = (0.13, 0.07)  # steps that C lags when the last but one and the last foot land
STAND_AHEAD = 0.020  # of body height: C ahead of the ankles when standing
STAND_UP = 0.562  # of body height: C above the ground when standing straight (lowered by reach)
LEAVING = 0.6  # m/s2 with which a heel leaves the ground, at least: 2 mm high at 5 cm/s
FOLD = 1.3  # rad/m that the trunk leans forward to go low
STRAIGHT = 0.03  # rad, of the straightest elbow
SLOPE_SHIFT = 0.02 * 180 / np.pi  # steps per rad of slope that C moves towards the lower foot (at most 0.12)
STRIKE_SLOPE = 0.6  # share of an uphill slope that the heel strike angle loses
STAIR_REACH = 0.985  # of the straight leg, at the heel strike on a stair
REAR_HEEL = (0.40, 0.15)  # of the ball's distance: how far the rear ankle is up and forward by then


def gap(a: Footstep, b: Footstep) -> float:
    """Horizontal step length m between the points of the path beside two footholds."""
    d = b.centre - a.centre
    return math.hypot(d[0], d[2])


def step_times(front: Footstep, one: Footstep | None, scene: Scene) -> float:
    """Length of the step s from ``front``'s strike until ``one`` lands (or until all stands still)."""
    w0, t0 = scene.pace.step_length, scene.pace.step_time
    if one is None:
        return SETTLE * t0
    if one.kind == "turn" and front.kind != "stand":
        return 1.1 * t0
    if front.kind == "stand":
        return RELEASE * (scene.body.leg_length / 0.93) ** 0.5 + 0.75 * t0
    if one.kind == "close" or one.stair or front.kind != "walk":
        return t0
    ratio = gap(front, one) / w0
    near = clamp(ratio, 1 / LOOSE, LOOSE)
    return t0 * near * (max(ratio, 0.2) / near) ** 0.5


def _walking(w: float | None, scene: Scene) -> float:
    """0 standing .. 1 walking at full step length."""
    return 0.0 if w is None else min(max(w / scene.pace.step_length, 0.0), 1.0)


def _shape(rise: float, look: Look, stair: bool) -> Shape:
    return look.level if not stair else look.up if rise > 0 else look.down


def _place(a: Footstep, b: Footstep, fraction: float) -> Array:
    return a.centre + fraction * (b.centre - a.centre)


def border_at(rear: Footstep, front: Footstep, one: Footstep | None, scene: Scene) -> tuple[Array, float]:
    """Place of C at the heel strike of ``front`` (before any lowering), and how much it is a walk (0..1)."""
    look, body = scene.look, scene.body
    ahead = look.row["com_ahead"]
    w_in, w_out = gap(rear, front), None if one is None else gap(front, one)
    k = (_walking(w_in, scene) + _walking(w_out, scene)) / 2

    def share(a: Footstep, b: Footstep) -> float:
        w = max(gap(a, b), 1e-6)
        slope = 0.0 if a.stair or b.stair else clamp(SLOPE_SHIFT * (b.centre[1] - a.centre[1]) / w, -0.12, 0.12)
        return ahead - slope if w > 0.05 else 0.0

    c = _place(rear, front, 0.5 + share(rear, front))
    if one is not None:
        # from a stand C stays over the feet until the first step carries it on
        weight = 0.0 if w_in < 0.05 else (w_out or 0.0) / (w_in + (w_out or 0.0))
        c = c + weight * (_place(front, one, share(front, one) - 0.5) - c)
    heading = 0.5 * (rear.heading + front.heading)
    forward = np.array([np.sin(heading), 0.0, np.cos(heading)])
    left = np.array([forward[2], 0.0, -forward[0]])
    c = c + (1 - k) * STAND_AHEAD * body.height * forward
    if (front.kind == "close" and one is None) or (one is not None and one.kind == "close"):
        # slowing down, C stays a little behind, and comes to rest without swinging back
        c = c - CLOSE_SHORT[front.kind == "close"] * scene.pace.step_length * forward
    # into a curve the body leans: the ground's push must pass near C while the path bends
    turn = 0.0 if one is None else _wrap(one.heading - rear.heading) / max(w_in + (w_out or 0.0), 0.3)
    inward = 0.5 * scene.pace.speed**2 * turn / G * body.leg_length * k
    still = steady(look.level, scene.pace.step_time, look.row["double"] * scene.pace.step_time)
    c = c + (front.side * still.side * k + clamp(inward, -0.06, 0.06)) * left
    walk_up = look.row["com_up"] * body.leg_length - still.rise
    c[1] += k * walk_up + (1 - k) * STAND_UP * body.height + body.lift - look.crouch
    if front.stair or (one is not None and one.stair):
        c[1] = min(c[1], _stair_height(c, rear, front, scene) - look.crouch)
    return c, k


def _stair_height(c: Array, rear: Footstep, front: Footstep, scene: Scene) -> float:
    """Highest C that both legs reach with a soft knee at the heel strike on a stair; the rear heel is already up."""
    leg, foot = STAIR_REACH * (scene.figure.thigh + scene.figure.shank), scene.figure.foot
    heights = []
    for step, rise, ahead in ((front, 0.0, 0.0), (rear, REAR_HEEL[0] * foot.ball, REAR_HEEL[1] * foot.ball)):
        across = math.hypot(*(c - step.place)[[0, 2]]) - ahead
        heights.append(step.place[1] + foot.ankle + rise + math.sqrt(max(leg**2 - max(across, 0.0) ** 2, 0.1 * leg**2)))
    return min(heights) + HIP_BELOW * scene.body.height + scene.body.lift


def _wrap(angle: float) -> float:
    return float((angle + np.pi) % (2 * np.pi) - np.pi)


def stand_border(rear: Footstep, front: Footstep, scene: Scene) -> Border:
    """C at rest over both feet."""
    heading = 0.5 * (rear.heading + front.heading)
    c = 0.5 * (rear.place + front.place)
    c = c + STAND_AHEAD * scene.body.height * np.array([np.sin(heading), 0.0, np.cos(heading)])
    c[1] += STAND_UP * scene.body.height + scene.body.lift - scene.look.crouch
    return Border(c, np.zeros(3))


class Next(NamedTuple):
    """A border and what it is made of."""

    border: Border
    yaw: float
    yaw_rate: float
    walking: float


def next_border(w: Walker, ahead: Ahead, times: tuple[float, float], low: tuple[float, float], scene: Scene) -> Next:
    """Border at the end of the step from ``w`` by the secant rule, lowered by ``low`` (here and one step on)."""
    one = ahead.one
    if one is None:
        still = stand_border(w.rear, w.front, scene)
        still.position[1] -= low[0]
        return Next(still, 0.5 * (w.rear.heading + w.front.heading), 0.0, 0.0)
    here, k = border_at(w.front, one, ahead.two, scene)
    here[1] -= low[0]
    if ahead.two is None:
        after = stand_border(w.front, one, scene).position
    else:
        after, _ = border_at(one, ahead.two, ahead.three, scene)
    after = after.copy()
    after[1] -= low[1]
    t0, t1 = times
    m0, m1 = (here - w.border.position) / t0, (after - here) / t1
    velocity = (t1 * m0 + t0 * m1) / (t0 + t1)
    heading = 0.5 * (w.front.heading + one.heading)
    forward = np.array([np.sin(heading), 0.0, np.cos(heading)])
    velocity = velocity + _braking(float(m0 @ forward), float(m1 @ forward), times) * forward
    velocity = velocity + k * _ripple(w.front, one, heading, scene)
    if one.kind == "turn" and ahead.two is not None and ahead.two.kind != "walk":
        velocity = 0.5 * velocity
    yaw_after = one.heading if ahead.two is None else 0.5 * (one.heading + ahead.two.heading)
    rate = (t1 * (heading - w.yaw) / t0 + t0 * (yaw_after - heading) / t1) / (t0 + t1)
    return Next(Border(here, velocity), heading, rate, k)


def _braking(before: float, after: float, times: tuple[float, float]) -> float:
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


def _ripple(front: Footstep, one: Footstep, heading: float, scene: Scene) -> Array:
    """Steady velocity at heel strike less the mean velocity of a step, world frame."""
    rise = one.centre[1] - front.centre[1]
    t = scene.pace.step_time
    s: Steady = steady(_shape(rise, scene.look, one.stair), t, scene.look.row["double"] * t)
    forward = np.array([np.sin(heading), 0.0, np.cos(heading)])
    left = np.array([forward[2], 0.0, -forward[0]])
    return s.forward * forward + np.array([0.0, s.up, 0.0]) + one.side * s.side_velocity * left


def landing_roll(front: Footstep, foot: Footstep, land: float, stride: float, scene: Scene) -> Roll:
    """How ``foot`` will touch down; its push-off is filled in when its own step begins."""
    row = scene.look.row
    w = gap(front, foot)
    slope = foot.pitch
    if foot.stair or foot.kind != "walk":
        strike = 0.0
    else:
        strike = row["strike"] * scene.body.roll * _walking(w, scene) - STRIKE_SLOPE * max(slope, 0.0)
    far = land + 10 * stride
    return Roll(
        land=land,
        flat=land + row["flat"] * stride,
        heel_off=far,
        toes_off=far + stride,
        lift=far + 2 * stride,
        strike=max(strike, 0.0),
        soft=row["soft"],
        push=0.0,
        b=row["b"],
        p=row["p"],
        e=row["e"],
        toes=0.0,
    )


def rising_time(wanted: float, push: float, foot: Foot) -> float:
    """Time s from heel-off to toe-off: as wanted, but short enough that the heel leaves the ground briskly.

    A heel that leaves more gently is low and nearly still for so long that it counts as planted; ``push`` is the
    sole's angle rad that grows with the square of time.
    """
    return min(wanted, math.sqrt(2 * push * (foot.heel + foot.ball) / LEAVING))


def push_off(roll: Roll, front: Footstep, ahead: Ahead, lift: float, stride: float, scene: Scene) -> Roll:
    """The roll of the stance foot with its push-off, timed back from its toe-off; none if the foot will stay."""
    if ahead.one is None or ahead.two is None:
        return roll
    row = scene.look.row
    toe_off = (1 + row["double"]) / 2
    one = ahead.one
    push, toes, heel_off = row["push"], row["toes"], row["heel_off"]
    if one.stair:
        mode = MODES["up" if one.centre[1] > front.centre[1] else "down"]
        push, toes, heel_off = mode["push"], mode["toes"], mode["heel_off"]
    else:
        k = _walking(gap(front, one), scene)
        if ahead.two.kind != "walk":  # the last foot is only drawn up
            k = 0.3 * k
        push, toes = push * (0.3 + 0.7 * k), toes * k
    push, toes = push * scene.body.roll, toes * scene.body.roll
    leave = lift - rising_time((toe_off - heel_off) * stride, roll.b * push, scene.figure.foot)
    return roll._replace(
        heel_off=max(leave, roll.flat),
        lift=lift,
        toes_off=max(lift - (toe_off - row["toes_off"]) * stride, leave),
        push=push,
        toes=toes,
    )


def style_of(scene: Scene, walking: float, bank: float, climb: float = 0.0) -> Array:
    """Trunk, head and arm row (figure.py) of a border."""
    row, look = scene.look.row, scene.look
    v, k = look.v_hat, walking
    out = np.zeros(STYLE)
    pelvis = look.pelvis * k
    lean = FOLD * look.crouch + 0.3 * clamp(climb, 0.0, 0.6)  # the body folds to go low, and leans into a climb
    for at, size, phase in (
        (0, row["yaw"], row["yaw_phase"]),
        (2, row["list"], row["list_phase"]),
        (4, row["list3"], row["list3_phase"]),
    ):
        out[at], out[at + 1] = (
            pelvis * size * np.cos(2 * np.pi * phase),
            pelvis * size * np.sin(2 * np.pi * phase),
        )
    out[6], out[7], out[8], out[9] = 0.02, 0.02 + 0.05 * v * k + look.lean + lean, bank * k, look.twist
    swing = 0.10 + 0.5 * v
    out[10] = max(0.22 + (0.06 + 0.25 * v) * k + look.elbow, STRAIGHT)
    # no elbow bends backward
    farthest = swing * look.arm_swing * k + abs(look.arms) + 0.1
    out[11] = min((0.05 + 0.2 * v) / swing, (out[10] - STRAIGHT) / farthest) if look.elbow else (0.05 + 0.2 * v) / swing
    out[12], out[13], out[14] = look.armpit, look.head, look.hunch
    return out


def arm_goal(side: int, landing: int, scene: Scene, walking: float) -> float:
    """Upper arm angle when the foot of side ``landing`` strikes: the other arm is in front."""
    swing = (0.10 + 0.5 * scene.look.v_hat) * scene.look.arm_swing * walking
    look = scene.look
    bowed = look.lean + look.hunch + FOLD * look.crouch  # arms hang down also from a chest that is bent forward
    mean = 0.03 - 0.12 * walking + look.arms + bowed
    return mean + (swing if side != landing else -swing)


def arm_rows(w: Walker, goals: tuple[float, float], times: StepTime, scene: Scene) -> Array:
    """(2, 9) driven pendulums of the two arms over the step."""
    body, offsets = scene.body, scene.figure.offsets
    upper, fore = abs(offsets[8, 0]), abs(offsets[9, 0])
    half = abs(offsets[6, 0] + offsets[7, 0])
    yaw = float(np.hypot(w.style[0], w.style[1]))
    mass = float(body.mass or 1.0)
    switch = clamp(times.stance / 2, 0.3 * times.step, 0.8 * times.step)
    rows = []
    for k, side in enumerate((1, -1)):
        arm = Arm(upper, fore, 0.028 * mass, 0.016 * mass, 0.006 * mass + scene.load[k], float(w.style[10]))
        shoulder = -side * w.front.side * half * yaw
        rows.append(drive(pendulum(arm), w.arms[k], goals[k], shoulder, (times.step, switch)))
    return np.array(rows)


def turn_pulses(w: Walker, end: Next, times: StepTime) -> tuple[float, float, float]:
    """Two pulses on [double, T0], [T0, T] that reach the wanted angle and rate (section 1.6), and T0 = stance / 2."""
    t, single = times.step, times.step - times.double
    zero = clamp(times.stance / 2, times.double + 0.15 * single, times.step - 0.15 * single)
    t1, t2 = zero - times.double, t - zero
    alpha, rate = end.yaw - w.yaw - w.yaw_rate * t, end.yaw_rate - w.yaw_rate
    det = (t1 * t1 / 2 + t1 * t2) * t2 - t2 * t2 / 2 * t1
    a1 = (alpha * t2 - t2 * t2 / 2 * rate) / det
    a2 = ((t1 * t1 / 2 + t1 * t2) * rate - t1 * alpha) / det
    return a1, a2, zero


def plan_step(w: Walker, ahead: Ahead, low: tuple[float, float], scene: Scene) -> tuple[StepPlan, Walker]:
    """The plan of the step that begins at ``w`` and the walker at its end."""
    one = ahead.one
    t0 = step_times(w.front, one, scene)
    t1 = t0 if one is None else step_times(one, ahead.two, scene)
    t2 = t1 if one is None or ahead.two is None else step_times(ahead.two, ahead.three, scene)
    share = scene.look.row["double"]
    double_next = 0.0 if one is None else share * min(t1, scene.pace.step_time * LOOSE)
    times = StepTime(t0, t0 + double_next, w.double)
    end = next_border(w, ahead, (t0, t1), low, scene)
    yaw_mid = 0.5 * (w.yaw + end.yaw)
    forward = np.array([np.sin(yaw_mid), 0.0, np.cos(yaw_mid)])
    axes = np.array([forward, [0.0, 1.0, 0.0], [forward[2], 0.0, -forward[0]]])
    rise = 0.0 if one is None else float(one.centre[1] - w.front.centre[1])
    shape = _shape(rise, scene.look, one is not None and one.stair)
    ends = (w.border, end.border)
    if w.standing or one is None:
        known, lead = _from_or_to_stand(shape, times, w, one is None, (ends, axes))
    else:
        known = Known(w.trail, w.trail_stance, w.trail_shift, 0.0, 0.0)
        lead = solve_lead(shape, times, known, ends, axes, float(w.front.side))
        if one.kind != "walk":  # drawing up a foot or turning, one does not bounce
            t = np.linspace(0.0, t0, 17)
            wanted = ends[0].position[1] + (ends[1].position[1] - ends[0].position[1]) * t / t0
            lead[1] = calm_row(t, wanted, times, known, ends, usual_row(shape, times))

    front_roll = push_off(w.front_roll, w.front, ahead, w.time + t0 + double_next, t0 + t1, scene)
    pulse1, pulse2, zero = turn_pulses(w, end, times)
    bank = -0.6 * float(np.arctan(scene.pace.speed * end.yaw_rate / G))
    style = style_of(scene, end.walking, bank, 0.0 if one is None else rise / max(gap(w.front, one), 0.25))
    if one is None:
        landing, goals = w.front_roll, (arm_goal(1, 0, scene, 0.0), arm_goal(-1, 0, scene, 0.0))
    else:
        landing = landing_roll(w.front, one, w.time + t0, t1 + t2, scene)
        goals = (arm_goal(1, one.side, scene, end.walking), arm_goal(-1, one.side, scene, end.walking))
    rear_roll = shifted(w.rear_roll, -w.time)

    def carried(t: Array) -> Array:
        return track(t, lead, times, known, w.border)

    swing = swing_path((w.rear, w.front, one), (rear_roll, shifted(landing, -w.time)), (w.double, t0), carried, scene)
    rate_next = 2 / (t0 + t1)
    plan = StepPlan(
        step=t0,
        stance=times.stance,
        double=w.double,
        trail_stance=w.trail_stance,
        trail_shift=w.trail_shift,
        rise=known.rise,
        settle=known.settle,
        c0=w.border.position,
        v0=w.border.velocity,
        lead=lead,
        trail=w.trail,
        yaw0=w.yaw,
        rate0=w.yaw_rate,
        pulse1=pulse1,
        pulse2=pulse2,
        zero=zero,
        side=w.front.side,
        front=_stand(w.front, shifted(front_roll, -w.time)),
        rear=_stand(w.rear, rear_roll),
        goal=swing.goal,
        path=swing.path,
        via=swing.via,
        lift=w.double if one is not None else t0 + 1e6,
        bend=swing.bend,
        bend_rate=swing.bend_rate,
        straight=swing.straight,
        rates=np.array([clamp(w.phase_rate * t0, 0.0, 3.0), clamp(rate_next * t0, 0.0, 3.0)]),
        style0=w.style,
        style1=style,
        arms=arm_rows(w, goals, times, scene),
    )
    after = Walker(
        time=w.time + t0,
        rear=w.front,
        front=one if one is not None else w.rear,
        rear_roll=front_roll,
        front_roll=landing if one is not None else w.rear_roll,
        border=end.border,
        yaw=end.yaw,
        yaw_rate=end.yaw_rate,
        trail=lead,
        trail_stance=times.stance,
        trail_shift=t0,
        double=double_next,
        standing=False,
        phase_rate=rate_next,
        style=style,
        arms=goals,
        low=low[0],
        speed=scene.pace.speed,
    )
    return plan, after


def _from_or_to_stand(
    shape: Shape, times: StepTime, w: Walker, settling: bool, problem: tuple[tuple[Border, Border], Array]
) -> tuple[Known, Array]:
    """The first or last step: the standing weight fades, and the foot pushes, so that C's height is the calmest."""
    ends, axes = problem
    best: tuple[float, Known, Array] | None = None
    t = np.linspace(0.0, 1.0, 17) * times.step
    wanted = ends[0].position[1] + (ends[1].position[1] - ends[0].position[1]) * t / times.step
    for fade in STAND_FADES:
        span = fade * (times.step if settling else times.double)
        known = Known(w.trail, w.trail_stance, w.trail_shift, 0.0 if settling else span, span if settling else 0.0)
        lead = solve_lead(shape, times, known, ends, axes, float(w.front.side))
        lead[1] = calm_row(t, wanted, times, known, ends, usual_row(shape, times))
        carried, pushed = heights(t, times, known, ends[0])
        off = carried + lead[1] @ pushed - wanted
        wander = float(np.abs(off).max() + STRETCH * off.max())
        if best is None or wander < best[0]:
            best = (wander, known, lead)
    assert best is not None
    return best[1], best[2]


def _stand(foot: Footstep, roll: Roll) -> Step:
    return Step(foot.place, foot.yaw, foot.pitch, foot.roll, roll)
