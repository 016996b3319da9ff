"""The end of a run: the foot that has landed stays, C comes to rest over it, the other foot closes up."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gambol.body import G
from gambol.figure import Step
from gambol.flight import NO_CARRY, Bounce, Carry, Ends, push_shape, solve_bounce
from gambol.footsteps import STAND, Footstep, _set_down
from gambol.roll import Roll, shifted
from gambol.run_figure import Limb, RunPlan
from gambol.run_fit import cleared
from gambol.run_habits import stand_style, staying_roll
from gambol.run_step import NO_OFFSET, OTHER, cubic, landing_velocity, stand_of
from gambol.runner import Runner, RunScene, Swinging

__all__ = ["STAND_AHEAD", "STAND_UP", "plan_still", "plan_stop"]

Array = NDArray[np.float64]
STILL = 0.4  # s, until both feet carry the same
STAND_UP, STAND_AHEAD = 0.555, 0.02  # of body height: C when standing


def plan_stop(w: Runner, scene: RunScene) -> tuple[RunPlan, Runner]:
    """The last step: the foot that has landed stays, C comes to rest over it, and the other foot closes up."""
    t, course, side = w.pace.step_time, scene.course, -w.front.side
    s, heading = w.front.s, w.front.heading
    place = course.path.place(s, side * max(scene.manner.width / 2, 0.03 * scene.body.height), 0.0)
    foot = Footstep(side, place, place, heading, heading + side * scene.manner.toe_out, 0.0, 0.0, s, STAND, False)
    foot = _set_down(course, foot)
    c = 0.5 * (w.front.place + foot.place)
    c = c + STAND_AHEAD * scene.body.height * np.array([np.sin(heading), 0.0, np.cos(heading)])
    c[1] = min(w.front.place[1], foot.place[1]) + STAND_UP * scene.body.height
    up = np.array([0.0, G, 0.0])
    bounce, _ = solve_bounce(
        Ends(w.c, w.v, c, np.zeros(3), np.zeros(3), 3.0, True), (t, w.pace.contact), push_shape(0.5, 0.0),
        w.carry._replace(rise=up, rise_time=0.75 * t),
    )
    still = staying_roll(t, w.pace)._replace(land=t - 1.0, flat=t - 0.9, strike=0.0)
    return _last(w, scene, bounce, (foot, still), np.array([w.phase_rate * t, 0.0]))


def plan_still(w: Runner, scene: RunScene) -> tuple[RunPlan, Runner]:
    """Standing, while the weight comes onto both feet."""
    t = STILL * math.sqrt(scene.size)
    zero, carry = np.zeros(3), Carry(np.array([0.0, G, 0.0]), 1e6, np.zeros(3), 0.0)  # the weight, for ever
    bounce = Bounce(t, t, w.c, zero, np.zeros((3, 9)), np.zeros((3, 13)), np.zeros((3, 2)), zero, *carry)
    return _last(w._replace(pace=w.pace._replace(step_time=t)), scene, bounce, (w.rear.foot, w.rear.roll), np.zeros(2))


def _last(
    w: Runner, scene: RunScene, bounce: Bounce, landing: tuple[Footstep, Roll], rates: Array
) -> tuple[RunPlan, Runner]:
    """A step to a stand, or standing: the front foot stays, the other one swings to ``landing`` or stands there."""
    t, (foot, roll), r = bounce.step, landing, w.rear
    goal = np.array([foot.yaw, foot.pitch, foot.roll])
    stays = stand_of(w.front, w.front_roll, w.time)
    zero = np.zeros((3, 5))
    style = stand_style(scene)
    after_roll = roll if w.kind == "still" else shifted(roll, w.time)
    standing = w.kind == "still"
    plan = RunPlan(
        step=t, bounce=bounce, side=w.front.side,
        front=Limb(
            stays, 1e6, 2e6, r.keys, zero, zero, np.zeros(4),
            np.array([w.front.yaw, w.front.pitch, w.front.roll]), stays,
        ),
        rear=Limb(
            stand_of(r.foot, r.roll, w.time), 1e6 if standing else r.lift - w.time, 2e6 if standing else t, r.keys,
            r.start, w.end * OTHER,
            np.array([r.clear[0], 0.0, 0.0 if standing else (w.time - r.lift) / (r.land - r.lift), r.clear[1]]),
            goal, Step(foot.place, foot.yaw, foot.pitch, foot.roll, shifted(after_roll, -w.time)),
        ),
        yaw=cubic(w.yaw, w.yaw_rate, foot.heading, 0.0, t), rates=rates, style0=w.style, style1=style,
        leave=w.leave, leave_time=w.leave_time, arrive=NO_OFFSET, arrive_time=0.0,
    )
    if not standing:
        plan, _ = cleared(plan, scene)
    after = w._replace(
        time=w.time + t, rear=Swinging(foot, after_roll, 1e9, 2e9, r.keys, zero, np.zeros(2)),
        c=landing_velocity(bounce)[0], v=np.zeros(3), s=w.front.s, yaw=foot.heading, yaw_rate=0.0, style=style,
        kind="over" if standing else "still", carry=NO_CARRY, steps=w.steps + 1, leave=NO_OFFSET, leave_time=0.0,
    )
    return plan, after
