"""One step of a run planned: where C flies, where the foot lands, how legs and arms get there.

A step begins at a landing. Its times are settled (the other foot is in the air); chosen are the velocity at the next
landing, where that foot comes down, and the times of the step after (run_place.py).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol.figure import Step
from gambol.flight import LATE_PUSH, NO_CARRY, Bounce, Ends, bounce_at, solve_bounce
from gambol.footsteps import Footstep
from gambol.kernels import clamp
from gambol.roll import Roll, shifted
from gambol.run_figure import BANK, Limb, RunPlan
from gambol.run_fit import MOST_LIFT, cleared, fitted
from gambol.run_habits import brake_of, run_style, shape_of
from gambol.run_place import Aim, hips_of, leg_of, look_ahead
from gambol.run_table import last_swing, swing_polynomials
from gambol.runner import Runner, RunScene, Swinging

__all__ = ["NO_OFFSET", "OTHER", "cubic", "landing_velocity", "plan_run", "stand_of"]

Array = NDArray[np.float64]
LEANS = 0.02  # rad of bank
LOWERED, KNEE_LEAST = 5, np.radians(8.0)  # rounds of lowering C until the knees are no straighter
OTHER = np.array([1.0, 1.0, -1.0, 1.0, 1.0])  # what a swing lacks, seen from the other side: abduction turns round
NO_OFFSET = np.zeros((14, 6))
NO_OFFSET.setflags(write=False)


def plan_run(w: Runner, aim: Aim, scene: RunScene, low: float = 0.0) -> tuple[RunPlan, Runner]:
    """The plan of the step that begins at ``w``, and the runner at the next landing."""
    steady = abs(aim.pace.speed - w.pace.speed) < 0.02 * aim.pace.speed
    for _ in range(LOWERED):
        plan, after, over = _planned(w, aim, scene, low)
        if over <= 0:
            break
        low += 1.2 * over + 1e-4
    plan, hips = cleared(plan, scene, after.hips)
    bank = float(after.style[BANK])
    if abs(bank) > LEANS:  # or they would swing from side to side in bends
        hips = 0.75 * hips + 0.25 * hips_of(w, bank, scene)
    rear = after.rear._replace(start=plan.front.start, clear=plan.front.clear[[0, 3]])
    used = plan.rear.clear
    lifted = np.array([min(used[0] + 0.5 * used[1], MOST_LIFT), used[3]]) if steady else np.zeros(2)
    return plan, after._replace(rear=rear, hips=hips, end=plan.rear.end, start=plan.front.start, lifted=lifted)


def _planned(w: Runner, aim: Aim, scene: RunScene, low: float) -> tuple[RunPlan, Runner, float]:
    """The plan before the swinging feet are lifted, and by how much (m) a leg is too short for it."""
    pace, then = w.pace, aim.pace
    t, tc = pace.step_time, pace.contact
    end = look_ahead(w, aim, scene, low)
    forward = np.array([np.sin(w.yaw), 0.0, np.cos(w.yaw)])
    v1 = end.v.copy()
    v1[1] = end.fall
    bounce, _ = solve_bounce(
        Ends(w.c, w.v, end.c, v1, brake_of(pace, scene) * forward, 0.4 if w.kind == "run" else 0.9), (t, tc),
        LATE_PUSH if w.kind == "stand" else shape_of(pace, scene), w.carry,
    )
    style = run_style(then, scene, end.bank, aim.lean)
    speed = round(scene.relative(then.speed), 3)
    keys = swing_polynomials(speed, scene.manner.lift, scene.manner.kick) if aim.last is None else last_swing()
    rate = 2 / (t + then.step_time)
    lift = w.front_roll.lift - w.time
    nowhere = np.array([end.foot.yaw, end.foot.pitch, end.foot.roll])
    front = Limb(
        stand_of(w.front, w.front_roll, w.time), lift, t + then.step_time, keys, w.start * OTHER, np.zeros((3, 5)),
        np.array([w.lifted[0], 0.0, 0.0, w.lifted[1]]),
        np.array([end.foot.heading - w.front.side * -scene.manner.toe_out, w.front.pitch, w.front.roll]),
        stand_of(w.front, w.front_roll, w.time),
    )
    r = w.rear
    rear = Limb(
        stand_of(r.foot, r.roll, w.time), r.lift - w.time, t, r.keys, r.start, w.end * OTHER,
        np.array([r.clear[0], 0.0, clamp((w.time - r.lift) / (r.land - r.lift), 0.0, 0.5), r.clear[1]]), nowhere,
        stand_of(end.foot, end.roll, 0.0),
    )
    yaw = cubic(w.yaw, w.yaw_rate, end.yaw, end.yaw_rate, t)
    plan = RunPlan(
        step=t, bounce=bounce, side=w.front.side, front=front, rear=rear, yaw=yaw,
        rates=np.array([w.phase_rate * t, rate * t]), style0=w.style, style1=style, leave=w.leave,
        leave_time=w.leave_time, arrive=NO_OFFSET, arrive_time=0.0,
    )
    plan, hips, reach = fitted(plan, scene)
    landed = landing_velocity(bounce)
    after = w._replace(
        time=w.time + t, front=end.foot, front_roll=shifted(end.roll, w.time),
        rear=Swinging(
            w.front, w.front_roll, w.time + lift, w.time + t + then.step_time, keys, plan.front.start,
            plan.front.clear[[0, 3]],
        ),
        c=landed[0], v=landed[1], pace=then, s=end.s, yaw=end.yaw, yaw_rate=end.yaw_rate, phase_rate=rate,
        style=style, hips=hips, kind="walk" if aim.walks else "run" if aim.last is None else "stop", carry=NO_CARRY,
        end=plan.rear.end, start=plan.front.start, steps=w.steps + 1, leave=NO_OFFSET, leave_time=0.0,
    )
    return plan, after, reach - leg_of(KNEE_LEAST, scene)


def stand_of(foot: Footstep, roll: Roll, since: float) -> Step:
    """A foot on the ground for the kernels, on the clock of a step that began at ``since``."""
    return Step(foot.place, foot.yaw, foot.pitch, foot.roll, shifted(roll, -since))


def landing_velocity(bounce: Bounce) -> tuple[Array, Array]:
    """C and its velocity at the end of a bounce."""
    t, e = bounce.step, 1e-3
    x = np.array(bounce_at(np.array([t - 2 * e, t - e, t]), bounce))
    # the end is a parabola, or nearly at rest: the three-point rate is exact there
    return x[:, 2], (3 * x[:, 2] - 4 * x[:, 1] + x[:, 0]) / (2 * e)


def cubic(a: float, va: float, b: float, vb: float, t: float) -> Array:
    """Rising powers of the cubic with two values and two rates."""
    d = (b - a) / t
    return np.array([a, va, (3 * d - 2 * va - vb) / t, (va + vb - 2 * d) / t**2])
