"""From a run into a walk in one step: the foot that lands out of flight stays until the other one strikes its heel.

People change gait within one step (Segers et al. 2007). C comes down as in running, is carried over the foot, and is at
the next heel strike where the walk wants it; the limbs are those of a run until then, the foot rolls off as in walking,
and joint angles above the legs arrive at the walk's with their rates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.borders import next_border, step_times
from gambol.figure import ROWS as WALK_ROWS
from gambol.figure import StepPlan, pose_frames
from gambol.figure_parts import ROTATIONS
from gambol.flight import Bounce, Carry, Ends, push_shape, solve_bounce
from gambol.footsteps import NONE, WALK, Course, Footstep, _foothold, next_step, shortened
from gambol.kernels import clamp
from gambol.lowering import FIRST, Sketch, Way, excess, lowered
from gambol.profile import profile
from gambol.reaction import Border, StepTime, foot_motion, usual_rows
from gambol.run_figure import UPPER, Limb, RunPlan
from gambol.run_fit import cleared, fitted, posed_run
from gambol.run_habits import brake_of
from gambol.run_place import leg_of
from gambol.run_step import NO_OFFSET, OTHER, cubic, landing_velocity, stand_of
from gambol.runner import Runner, RunScene
from gambol.stepping import arm_goal, landing_roll, push_off, style_of
from gambol.swinging import unchosen
from gambol.walker import NO_STEP, Ahead, Scene, Walker

__all__ = ["Onto", "plan_walk"]

Array = NDArray[np.float64]
CAUGHT, TAKEN = 0.8, 0.55  # of the step: the landing is caught within; the foot comes to push as a walk's within
LONG = (0.4, 1.0)  # of the leg, that the first step is
SHARE = 0.6  # of a change of that step's length, by which C moves further
ROUNDS, SPARE = 6, 1e-4  # of lowering C until the legs reach; m
STEEPER = 1.25  # than a walk's heel strike: what comes down out of a run's swing would scrape with its heel
EPS = 1e-4  # s


class Onto(NamedTuple):
    """The walk that a run goes over into."""

    scene: Scene  # as fast as at its first heel strike
    then: Scene  # of the step that follows
    later: Scene  # and of the one after that
    course: Course


def plan_walk(w: Runner, scene: RunScene, onto: Onto) -> tuple[RunPlan, Walker]:
    """The plan of the step between the last landing of a run and the first heel strike of a walk, and the walker then.

    Raises:
        GambolError: where the path leaves the ground.
    """
    behind = _behind(w, onto)
    ahead = _footholds(w, behind, onto)
    low = 0.0
    for _ in range(ROUNDS):
        plan, after, over = _planned(w, behind, ahead, low, scene, onto)
        if over <= 0:
            break
        low += 1.05 * over + SPARE
    plan, _ = cleared(plan, scene)
    return plan, after


def _behind(w: Runner, onto: Onto) -> Footstep:
    """Where the rear foot of a walk would have stood."""
    s = max(w.front.s - onto.scene.pace.step_length, 0.0)
    return _foothold(onto.course, -w.front.side, s, WALK, False)


def _footholds(w: Runner, behind: Footstep, onto: Onto) -> Ahead:
    """The first heel strike's foothold, so that the walk's C is where slowing down evenly brings it, and the next."""
    walk, t = onto.scene, w.pace.step_time
    forward = np.array([np.sin(w.yaw), 0.0, np.cos(w.yaw)])
    goal = t * 0.5 * (float(w.v @ forward) + onto.scene.pace.speed)
    low, high = (share * walk.leg for share in LONG)
    front = w.front._replace(kind=WALK)
    before = _as_walker(w, behind, front, walk)
    length = clamp(walk.pace.step_length, low, high)
    for _ in range(ROUNDS):
        one = next_step(onto.course, behind, front, shortened(length, front))
        ahead = _ahead(front, NO_STEP if one is None else one, onto)
        if ahead.one.kind != WALK:
            break
        end = next_border(before, ahead, (t, step_times(ahead.one, ahead.two, onto.then)), 0.0, walk)
        missing = goal - float((end.border.position - w.c) @ forward)
        length = clamp(length + missing / SHARE, low, high)
    return ahead


def _ahead(front: Footstep, one: Footstep, onto: Onto) -> Ahead:
    """The footholds after it, as the walk will choose them."""
    found, rear = [one], front
    while len(found) < 4:
        here = found[-1]
        length = shortened((onto.then if len(found) == 1 else onto.later).pace.step_length, here)
        step = None if here.kind == NONE else next_step(onto.course, rear, here, length)
        rear = here
        found.append(NO_STEP if step is None else step)
    return Ahead(*found)


def _planned(
    w: Runner, behind: Footstep, ahead: Ahead, low: float, scene: RunScene, onto: Onto
) -> tuple[RunPlan, Walker, float]:
    """The plan with C lowered by ``low`` m at its end, and by how much (m) a leg is too short for it, or the next."""
    walk, t, one = onto.scene, w.pace.step_time, ahead.one
    standing = w.front._replace(kind=WALK)
    usual = walk.pace.step_time
    t1 = step_times(one, ahead.two, onto.then)
    t2 = t1 if ahead.two.kind == NONE else step_times(ahead.two, ahead.three, onto.later)
    double = walk.look.row.double * t1
    trail = _trail(w, one, StepTime(usual, usual + double, double), walk)
    before = _as_walker(w, behind, standing, walk)
    end = next_border(before, ahead, (t, t1), low, walk)
    force = np.array(foot_motion(0.0, trail, usual + double, usual, double)[3:6])
    forward = np.array([np.sin(w.yaw), 0.0, np.cos(w.yaw)])
    bounce, _ = solve_bounce(
        Ends(w.c, w.v, end.border.position, end.border.velocity, brake_of(w.pace, scene) * forward, 3.0, True),
        (t, CAUGHT * t), push_shape(0.5, 0.0), Carry(np.zeros(3), 0.0, force, TAKEN * t),
    )
    c, v = landing_velocity(bounce)
    row = walk.look.row
    front_roll = w.front_roll._replace(b=row.b, p=row.p, e=row.e)
    front_roll = push_off(front_roll, standing, ahead, w.time + t + double, usual + t1, walk)
    landing = landing_roll(standing, one, w.time + t, t1 + t2, walk)
    landing = landing._replace(strike=STEEPER * landing.strike)
    after = before._replace(
        time=w.time + t, rear=standing, front=one, rear_roll=front_roll, front_roll=landing,
        border=Border(c, v), yaw=end.yaw, yaw_rate=end.yaw_rate, trail=trail, trail_stance=usual + double,
        trail_shift=usual, double=double, phase_rate=2 / (t + t1), style=style_of(walk, end.walking, 0.0, 0.0),
        arms=(arm_goal(1, one.side, walk, end.walking), arm_goal(-1, one.side, walk, end.walking)), low=low,
    )
    following, over = _following(after, ahead, onto)
    plan = _run_plan(w, after, bounce, scene)
    plan = plan._replace(arrive=_arrival(plan, following, scene), arrive_time=t)
    plan, _, reach = fitted(plan, scene)
    return plan, after, max(over, reach - leg_of(walk.look.knee, scene))


def _trail(w: Runner, one: Footstep, times: StepTime, walk: Scene) -> Array:
    """(3, 6) force coefficients of the foot as if it had walked until then."""
    heading = 0.5 * (w.front.heading + one.heading)
    x, z = np.sin(heading), np.cos(heading)
    forward, up = usual_rows(walk.look.level.shape, times)
    return np.outer([x, 0.0, z], forward) + np.outer([0.0, 1.0, 0.0], up)


def _as_walker(w: Runner, behind: Footstep, front: Footstep, walk: Scene) -> Walker:
    """The runner at his last landing as if he walked."""
    return Walker(
        time=w.time, rear=behind, front=front, rear_roll=w.rear.roll, front_roll=w.front_roll,
        border=Border(w.c, w.v), yaw=w.yaw, yaw_rate=w.yaw_rate, trail=np.zeros((3, 6)), trail_stance=1.0,
        trail_shift=0.0, double=0.0, standing=False, phase_rate=w.phase_rate, style=style_of(walk, 1.0, 0.0, 0.0),
        arms=(0.0, 0.0), low=0.0, speed=walk.pace.speed,
    )  # fmt: skip


def _following(w: Walker, ahead: Ahead, onto: Onto) -> tuple[StepPlan, float]:
    """The first step of the walk itself, and by how much (m) a leg is too short where it begins."""
    one, two = ahead.one, ahead.two
    foot, terrain = onto.scene.figure.foot, onto.course.terrain
    grounds = profile(w.rear, two, foot, terrain), profile(one, ahead.three, foot, terrain)
    later = Ahead(two, ahead.three, ahead.four, ahead.four)
    nothing = Sketch(np.nan, unchosen(grounds[0]).swing, np.full(33, np.nan), 0.0)
    plan, _, _ = lowered(Way(w, later, grounds), nothing, True, w.low, (onto.then, onto.later))
    return plan, float(excess(plan, onto.then, FIRST, False))


def _run_plan(w: Runner, after: Walker, bounce: Bounce, scene: RunScene) -> RunPlan:
    """The legs of a run between two feet that stay, trunk and arms still those of the run."""
    t, r, one, zero = bounce.step, w.rear, after.front, np.zeros((3, 5))
    stays = stand_of(after.rear, after.rear_roll, w.time)
    lands = stand_of(one, after.front_roll, w.time)
    x = (w.time - r.lift) / (r.land - r.lift)
    return RunPlan(
        step=t, bounce=bounce, side=w.front.side,
        front=Limb(
            stays, t + after.double, 9 * t, r.keys, zero, zero, np.zeros(4),
            np.array([w.front.yaw, w.front.pitch, w.front.roll]), stays,
        ),
        rear=Limb(
            stand_of(r.foot, r.roll, w.time), r.lift - w.time, t, r.keys, r.start, w.end * OTHER,
            np.array([r.clear[0], 0.0, clamp(x, 0.0, 0.5), r.clear[1]]), np.array([one.yaw, one.pitch, one.roll]),
            lands,
        ),
        yaw=cubic(w.yaw, w.yaw_rate, after.yaw, after.yaw_rate, t),
        rates=np.array([w.phase_rate * t, after.phase_rate * t]), style0=w.style, style1=w.style,
        leave=w.leave, leave_time=w.leave_time, arrive=NO_OFFSET, arrive_time=0.0,
    )  # fmt: skip


def _arrival(plan: RunPlan, following: StepPlan, scene: RunScene) -> Array:
    """(14, 6) turn of the joints above the legs from the run's to the walk's at its first heel strike, and its rate."""
    out = np.zeros((WALK_ROWS, 2))
    pose_frames(np.array([0.0, EPS]), following, scene.figure, True, out)
    rows = slice(ROTATIONS, ROTATIONS + 4 * UPPER)
    walk = out[rows].reshape(UPPER, 4, 2).transpose(2, 0, 1)
    run = posed_run(plan, scene, plan.step + np.array([0.0, EPS]))[rows].reshape(UPPER, 4, 2).transpose(2, 0, 1)
    turn = quat.log(quat.multiply(quat.conjugate(run), walk))
    return np.concatenate([turn[0], (turn[1] - turn[0]) / EPS], 1)
