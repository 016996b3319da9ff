"""One step planned: where C goes, what the feet do, how trunk and arms follow.

The plan of a step needs the feet on the ground (how they stand and roll is settled), the next three footholds,
and the border at its end (borders.py). Position and velocity are met exactly (reaction.solve_lead).
All of it are kernels: a step is planned by one call of numpy's or the compiled :func:`plan_step`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gambol.arm import Arm, drive, pendulum
from gambol.body import G
from gambol.borders import LOOSE, Next, gap, mode_of, next_border, step_times, walking_share
from gambol.figure import STYLE, Step, StepPlan
from gambol.footsteps import NONE, WALK, Footstep
from gambol.kernels import clamp, dot, kernel
from gambol.profile import Profile
from gambol.reaction import Border, Known, StepTime, calm_row, heights, solve_lead, usual_row
from gambol.roll import Foot, Roll, shifted
from gambol.swinging import Carry, Swing, Under, swing_path
from gambol.walker import Ahead, Mode, Scene, Walker

__all__ = ["Next", "arm_goal", "plan_step", "rising_time", "same_swing", "style_of", "turn_pulses"]

Array = NDArray[np.float64]

STAND_FADES = (0.95, 0.8, 0.65, 0.5, 0.35)  # of the release or the last step, over which standing weight fades
STRETCH = 2.0  # how much worse it is to rise (straight legs stretch no further) than to sink
LEAVING = 0.6  # m/s2 with which a heel leaves the ground, at least: 2 mm high at 5 cm/s
FOLD = 1.3  # rad/m that the trunk leans forward to go low
STRAIGHT = 0.03  # rad, of the straightest elbow
STRIKE_SLOPE = 0.6  # share of an uphill slope that the heel strike angle loses


@kernel
def landing_roll(front: Footstep, foot: Footstep, land, stride, scene: Scene):  # type: ignore[no-untyped-def]
    """How ``foot`` will touch down; its push-off is filled in when its own step begins."""
    row = scene.look.row
    strike = 0.0
    if not foot.stair and foot.kind == WALK:
        strike = row.strike * scene.roll * walking_share(gap(front, foot), scene)
        strike = max(strike - STRIKE_SLOPE * max(foot.pitch, 0.0), 0.0)
    flat, far = land + row.flat * stride, land + 10 * stride
    return Roll(land, flat, far, far + stride, far + 2 * stride, strike, row.soft, 0.0, row.b, row.p, row.e, 0.0)


@kernel
def rising_time(wanted, push, foot: Foot):  # type: ignore[no-untyped-def]
    """Time s from heel-off to toe-off: as wanted, but short enough that the heel leaves the ground briskly.

    A heel that leaves more gently is low and nearly still for so long that it counts as planted; ``push`` is the
    sole's angle rad that grows with the square of time.
    """
    return min(wanted, math.sqrt(2 * push * (foot.heel + foot.ball) / LEAVING))


@kernel
def push_off(r: Roll, front: Footstep, ahead: Ahead, lift, stride, scene: Scene):  # type: ignore[no-untyped-def]
    """The roll of the stance foot with its push-off, timed back from its toe-off; none if the foot will stay."""
    one = ahead.one
    if one.kind == NONE or ahead.two.kind == NONE:
        return r
    row = scene.look.row
    toe_off = (1 + row.double) / 2
    mode = mode_of(one.centre[1] - front.centre[1], scene.look, one.stair)
    push, toes = mode.push, mode.toes
    if not one.stair:
        k = walking_share(gap(front, one), scene)
        if ahead.two.kind != WALK:  # the last foot is only drawn up
            k = 0.3 * k
        push, toes = push * (0.3 + 0.7 * k), toes * k
    push, toes = push * scene.roll, toes * scene.roll
    leave = lift - rising_time((toe_off - mode.heel_off) * stride, r.b * push, scene.figure.foot)
    toes_off = max(lift - (toe_off - row.toes_off) * stride, leave)
    return Roll(r.land, r.flat, max(leave, r.flat), toes_off, lift, r.strike, r.soft, push, r.b, r.p, r.e, toes)


@kernel
def style_of(scene: Scene, walking, bank, climb):  # type: ignore[no-untyped-def]
    """Trunk, head and arm row (figure.py) of a border."""
    row, look = scene.look.row, scene.look
    v, k = look.v_hat, walking
    out = np.zeros(STYLE)
    pelvis = look.pelvis * k
    lean = FOLD * look.crouch + 0.3 * clamp(climb, 0.0, 0.6)  # the body folds to go low, and leans into a climb
    at = 0
    for size, phase in ((row.yaw, row.yaw_phase), (row.list, row.list_phase), (row.list3, row.list3_phase)):
        out[at] = pelvis * size * np.cos(2 * np.pi * phase)
        out[at + 1] = pelvis * size * np.sin(2 * np.pi * phase)
        at += 2
    out[6], out[7], out[8], out[9] = 0.02, 0.02 + 0.05 * v * k + look.lean + lean, bank * k, look.twist
    swing = 0.10 + 0.5 * v
    out[10] = max(0.22 + (0.06 + 0.25 * v) * k + look.elbow, STRAIGHT)
    out[11] = (0.05 + 0.2 * v) / swing
    if look.elbow != 0.0:  # no elbow bends backward
        farthest = swing * look.arm_swing * k + abs(look.arms) + 0.1
        out[11] = min(out[11], (out[10] - STRAIGHT) / farthest)
    out[12], out[13], out[14] = look.armpit, look.head, look.hunch
    return out


@kernel
def arm_goal(side, landing, scene: Scene, walking):  # type: ignore[no-untyped-def]
    """Upper arm angle when the foot of side ``landing`` strikes: the other arm is in front."""
    look = scene.look
    swing = (0.10 + 0.5 * look.v_hat) * look.arm_swing * walking
    bowed = look.lean + look.hunch + FOLD * look.crouch  # arms hang down also from a chest that is bent forward
    mean = 0.03 - 0.12 * walking + look.arms + bowed
    return mean + (swing if side != landing else -swing)


@kernel
def arm_rows(w: Walker, goals, times: StepTime, scene: Scene):  # type: ignore[no-untyped-def]
    """(2, 9) driven pendulums of the two arms over the step."""
    offsets, mass = scene.figure.offsets, scene.mass
    upper, fore = abs(offsets[8, 0]), abs(offsets[9, 0])
    half = abs(offsets[6, 0] + offsets[7, 0])
    yaw = math.hypot(w.style[0], w.style[1])
    switch = clamp(times.stance / 2, 0.3 * times.step, 0.8 * times.step)
    out = np.empty((2, 9))
    for k in range(2):
        side = 1 - 2 * k
        arm = Arm(upper, fore, 0.028 * mass, 0.016 * mass, 0.006 * mass + scene.load[k], w.style[10])
        shoulder = -side * w.front.side * half * yaw
        out[k] = drive(pendulum(arm), w.arms[k], goals[k], shoulder, (times.step, switch))
    return out


@kernel
def turn_pulses(w: Walker, end: Next, times: StepTime):  # type: ignore[no-untyped-def]
    """Two pulses on [double, T0], [T0, T] that reach the wanted angle and rate (section 1.6), and T0 = stance / 2."""
    t, single = times.step, times.step - times.double
    zero = clamp(times.stance / 2, times.double + 0.15 * single, times.step - 0.15 * single)
    t1, t2 = zero - times.double, t - zero
    alpha, rate = end.yaw - w.yaw - w.yaw_rate * t, end.yaw_rate - w.yaw_rate
    det = (t1 * t1 / 2 + t1 * t2) * t2 - t2 * t2 / 2 * t1
    a1 = (alpha * t2 - t2 * t2 / 2 * rate) / det
    a2 = ((t1 * t1 / 2 + t1 * t2) * rate - t1 * alpha) / det
    return a1, a2, zero


@kernel
def plan_step(w: Walker, ahead: Ahead, low, under: Under, scenes: tuple[Scene, Scene]):  # type: ignore[no-untyped-def]
    """The plan of the step that begins at ``w``, and the walker at its end.

    C is lowered by ``low`` m at its end and one step on; ``under`` is what the swing foot passes over; ``scenes`` are
    those of this step and of the next.
    """
    scene, then = scenes
    one = ahead.one
    settling = one.kind == NONE
    t0 = step_times(w.front, one, scene)
    t1 = t0 if settling else step_times(one, ahead.two, then)
    t2 = t1 if settling or ahead.two.kind == NONE else step_times(ahead.two, ahead.three, then)
    double_next = 0.0 if settling else scene.look.row.double * min(t1, then.pace.step_time * LOOSE)
    times = StepTime(t0, t0 + double_next, w.double)
    end = next_border(w, ahead, (t0, t1), low, scene)
    yaw_mid = 0.5 * (w.yaw + end.yaw)
    x, z = np.sin(yaw_mid), np.cos(yaw_mid)
    axes = np.array([[x, 0.0, z], [0.0, 1.0, 0.0], [z, 0.0, -x]])
    rise = 0.0 if settling else one.centre[1] - w.front.centre[1]
    mode = mode_of(rise, scene.look, one.stair)
    ends = (w.border, end.border)
    if w.standing or settling:
        known, lead = _from_or_to_stand(mode, times, w, settling, (ends, axes))
    else:
        known = Known(w.trail, w.trail_stance, w.trail_shift, 0.0, 0.0)
        lead = solve_lead(mode.shape, times, known, ends, axes, w.front.side)
        if one.kind != WALK:  # drawing up a foot or turning, one does not bounce
            lead[1] = _calmest(mode, times, known, ends)

    front_roll = push_off(w.front_roll, w.front, ahead, w.time + t0 + double_next, t0 + t1, scene)
    pulse1, pulse2, zero = turn_pulses(w, end, times)
    bank = -0.6 * math.atan(scene.pace.speed * end.yaw_rate / G)
    climb = 0.0 if settling else rise / max(gap(w.front, one), 0.25)
    style = style_of(scene, end.walking, bank, climb)
    goals = (arm_goal(1, one.side, scene, end.walking), arm_goal(-1, one.side, scene, end.walking))
    landing = w.rear_roll if settling else landing_roll(w.front, one, w.time + t0, t1 + t2, scene)
    rear_roll = shifted(w.rear_roll, -w.time)
    carry = Carry(lead, times, known, w.border)
    swing = swing_path((w.rear, w.front, one), (rear_roll, shifted(landing, -w.time)), carry, under, scene)
    rate_next = 2 / (t0 + t1)
    leave = t0 + 1e6 if settling else w.double  # never, where both feet stay
    front = w.rear if settling else one
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
        lift=leave,
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
        front=front,
        rear_roll=front_roll,
        front_roll=landing,
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
        low=low,
        speed=scene.pace.speed,
    )
    return plan, after


@kernel
def same_swing(ground: Profile, p: StepPlan):  # type: ignore[no-untyped-def]
    """The swing of a planned step, to be kept where only C's height is planned anew."""
    return Under(ground, Swing(p.path, p.via, p.goal, p.bend, p.bend_rate, p.straight), True)


@kernel
def _calmest(mode: Mode, times: StepTime, known: Known, ends: tuple[Border, Border]):  # type: ignore[no-untyped-def]
    """(6,) vertical coefficients that take C from one border's height to the other's as evenly as may be."""
    t = np.linspace(0.0, times.step, 17)
    y0, y1 = ends[0].position[1], ends[1].position[1]
    return calm_row(t, y0 + (y1 - y0) * t / times.step, times, known, ends, usual_row(mode.shape, times))


@kernel
def _from_or_to_stand(mode: Mode, times: StepTime, w: Walker, settling, problem: tuple[tuple[Border, Border], Array]):  # type: ignore[no-untyped-def]  # fmt: skip
    """The first or last step: the standing weight fades, and the foot pushes, so that C's height is the calmest."""
    ends, axes = problem
    t = np.linspace(0.0, times.step, 17)
    wanted = ends[0].position[1] + (ends[1].position[1] - ends[0].position[1]) * t / times.step
    least, fade_of_least, row = np.inf, 0.0, np.zeros(6)
    for fade in STAND_FADES:
        known = _fading(w, times, fade, settling)
        pushed_by = _calmest(mode, times, known, ends)
        carried, pushed = heights(t, times, known, ends[0])
        off = carried + dot(pushed.T, pushed_by) - wanted
        wander = np.abs(off).max() + STRETCH * off.max()
        if wander < least:
            least, fade_of_least, row = wander, fade, pushed_by
    known = _fading(w, times, fade_of_least, settling)
    lead = solve_lead(mode.shape, times, known, ends, axes, w.front.side)
    lead[1] = row
    return known, lead


@kernel
def _fading(w: Walker, times: StepTime, fade, settling):  # type: ignore[no-untyped-def]
    """What acts while the standing weight fades in or out over a share of the time there is."""
    rise = 0.0 if settling else fade * times.double
    return Known(w.trail, w.trail_stance, w.trail_shift, rise, fade * times.step if settling else 0.0)


@kernel
def _stand(foot: Footstep, roll: Roll):  # type: ignore[no-untyped-def]
    return Step(foot.place, foot.yaw, foot.pitch, foot.roll, roll)
