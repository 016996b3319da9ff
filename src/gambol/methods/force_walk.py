"""Walking along any path by foot reaction force (Tsutsuguchi et al. 2000).

One stretch is one step, heel strike to heel strike. Each advance looks where the next feet land, sets where C
shall be and how fast at the coming heel strike, low enough for both legs to reach, solves the stance foot's force
for it (eqs 5 to 9), rolls and swings the feet, turns the body (10 to 12) and swings the arms (13 to 20), and
poses the figure so that its centre of mass is C.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from gambol import quat
from gambol.body import Body
from gambol.borders import RELEASE, stand_border
from gambol.dynamics import centre_of_mass
from gambol.errors import GambolError
from gambol.figure_parts import COM, ROTATIONS, figure_of
from gambol.footsteps import NONE, WALK, Course, Footstep, first_feet, first_side, next_step, shortened, survey
from gambol.gait import Pace, coming, dimensionless, pace, span_of
from gambol.handing import taken_over
from gambol.hurdle import looks
from gambol.kernels import check_engine, clamp
from gambol.lowering import Sketch, Way, lowered_stand
from gambol.motion import Motion, Pose
from gambol.profile import Profile, profile
from gambol.reaction import Shape, steady
from gambol.roll import Roll, shifted
from gambol.stepping import arm_goal, rising_time, style_of
from gambol.stride import TURN, Stage, Stretch, standing_soles, stride, strides_motion
from gambol.swinging import unchosen
from gambol.synthesis import Handover, Task, dial
from gambol.walk_facts import request_of, step_facts
from gambol.walk_from_run import Onto
from gambol.walk_table import MODES, PAPER, PAPER_Z, Row, row_at
from gambol.walker import NO_STEP, NOWHERE, Ahead, Look, Mode, Scene, Walker, seen_next

__all__ = ["PRESETS", "ForceWalk", "State"]

PRESETS = ("natural", "paper")
KNEE_LEAST = 0.0698132  # rad, 4 degrees: straighter, 0.1 mm of hip height is more than a degree of knee


class State(NamedTuple):
    """Between two steps."""

    walker: Walker
    ahead: Ahead  # the next footholds, as chosen for `task`
    task: Task
    course: Course
    over: bool
    sketch: Sketch  # the coming step as planned by the last advance
    ground: Profile  # under the swing of the coming step
    done: np.ndarray | None  # (2, WIDE) the end of the last step and a moment before (stride.py)
    scene: Scene
    rest: float  # m that C is lowered by when standing


@dataclass(frozen=True)
class ForceWalk:
    """The walk driven by foot reaction force.

    Attributes:
        preset: "natural" (force curves follow speed by laws fitted to published data) or "paper" (the printed
            coefficients, T_ds = T/4).
        engine: "numpy" or "compiled"; both give the same motion to 1e-9.
    """

    preset: str = "natural"
    engine: str = "numpy"
    delta_x1: float = dial(0.0, -0.5, 0.5, "1", "added to a_x1: braking and push-off", "eq. 7")
    delta_x2: float = dial(0.0, -0.5, 0.5, "1", "added to a_x2: how early the foot brakes", "eq. 7")
    delta_x3: float = dial(0.0, -0.5, 0.5, "1", "added to a_x3: sharpness of braking", "eq. 7")
    delta_y1: float = dial(0.0, -0.5, 0.5, "1", "added to a_y1: the arch of the vertical force", "eq. 8")
    delta_y2: float = dial(0.0, -0.4, 0.4, "1", "added to a_y2: first peak against second", "eq. 8")
    delta_y3: float = dial(0.0, -0.3, 0.3, "1", "added to a_y3: depth of the valley, bounce", "eq. 8")
    delta_z1: float = dial(0.0, -0.1, 0.1, "1", "added to a_z1: push towards the other foot", "eq. 9")
    delta_z2: float = dial(0.0, -0.1, 0.1, "1", "added to a_z2: early against late side push", "eq. 9")
    delta_z3: float = dial(0.0, -0.1, 0.1, "1", "added to a_z3: side push at landing and lift", "eq. 9")
    sway: float = dial(1.0, 0.0, 2.0, "1", "times the usual side to side motion of the body")
    arm_swing: float = dial(1.0, 0.0, 2.5, "1", "times the usual arm swing")
    pelvis: float = dial(1.0, 0.0, 2.5, "1", "times the usual turn and list of the pelvis")
    twist: float = dial(1.0, -1.0, 3.0, "1", "turn of the chest against the pelvis, times that of the pelvis")
    lean: float = dial(0.0, -0.4, 0.4, "rad", "trunk forward beyond the usual lean")
    foot_lift: float = dial(0.0, 0.0, 0.15, "m", "extra height of the swing foot")
    crouch: float = dial(0.0, 0.0, 0.25, "m", "how much lower the body is carried, for 1.75 m of height")
    armpit: float = dial(0.13, 0.0, 0.8, "rad", "how far the arms are held from the body")
    knee: float = dial(KNEE_LEAST, 0.06, 0.6, "rad", "how bent the knees stay at least")
    elbow: float = dial(0.0, -0.3, 1.6, "rad", "elbows bent beyond the usual")
    arms: float = dial(0.0, -0.4, 0.8, "rad", "arms held forward of the usual")
    head: float = dial(0.0, -0.5, 0.7, "rad", "head bowed (less than 0: raised)")
    hunch: float = dial(0.0, -0.3, 0.6, "rad", "upper back rounded (less than 0: chest thrown out)")
    strike: float = dial(1.0, 0.0, 1.5, "1", "times the usual angle at which the heel strikes; 0 lands flat")
    push: float = dial(1.0, 0.3, 1.3, "1", "times the usual rise of the heel at push-off")

    def __post_init__(self) -> None:
        check_engine(self.engine)
        if self.preset not in PRESETS:
            raise GambolError(f"preset is {self.preset!r}", where="force walk", allowed=" or ".join(PRESETS))

    def start(self, task: Task, after: Handover | None = None) -> State:
        """Standing with both feet together at the beginning of the path, or as ``after`` left them.

        Raises:
            GambolError: for a handover in full motion that is not at a heel strike of a walk.
        """
        course = _course(task)
        if after is not None and after.walker is not None:
            return self._going(task, course, after.walker)
        rear, front = first_feet(course, first_side(course))
        scene, then = self._scenes(task, 0.0)
        if after is not None:
            rear, front = taken_over(after, (rear, front), scene.figure.foot, "force walk")
        low = 0.0 if after is None else max(0.0, _above(after, task, rear, front, scene))
        walker = self._standing(scene, rear, front, low)
        if after is not None:
            rolls = shifted(walker.rear_roll, after.time), shifted(walker.front_roll, after.time)
            walker = walker._replace(time=after.time, rear_roll=rolls[0], front_roll=rolls[1])
        ahead = _ahead(course, walker, (scene, then))
        ground = profile(rear, ahead.one, scene.figure.foot, task.terrain)
        walker, sketch = lowered_stand.by(self.engine)(walker, ahead, ground, (scene, then))
        return State(walker, ahead, task, course, False, sketch, ground, None, scene, walker.low)

    def advance(self, state: State, task: Task) -> tuple[State, Motion | None]:
        """One step; at the end the settling on both feet; then None."""
        state, step = self.advance_step(state, task)
        return state, None if step is None else self.joined([step], task)

    def joined(self, steps: list[Stretch], task: Task) -> Motion:
        """Steps that follow each other as one motion."""
        return strides_motion(steps, Stage(task.body.skeleton, task.terrain, float(task.body.mass or 0.0), task.fps))

    def advance_step(self, state: State, task: Task) -> tuple[State, Stretch | None]:
        """What :meth:`advance` makes a motion of."""
        if state.over:
            return state, None
        w, course, ahead, ground = state.walker, state.course, state.ahead, state.ground
        if state.task.path is not task.path or state.task.terrain is not task.terrain:
            course = _course(task)
        scene, then = self._scenes(task, w.time, w.speed)
        fresh = state.task is not task or scene.pace.speed != w.speed > 0
        foot = scene.figure.foot
        if fresh:
            ahead = _ahead(course, w, (scene, then))
            ground = profile(w.rear, ahead.one, foot, task.terrain)
        ground_next = profile(w.front, ahead.two, foot, task.terrain)
        way, before = Way(w, ahead, (ground, ground_next)), (state.sketch, fresh, state.rest)
        after, sketch, rows, end = stride.by(self.engine)(way, before, float(task.fps), (scene, then))
        last = ahead.one.kind == NONE
        asked = self._request(scene, course, task) if w.standing else {}
        landed = None if last else ahead.one
        facts = step_facts((w.rear, w.front, landed), (w.time, w.time + w.double, after.time))
        rest = NOWHERE if last else seen_next(ahead, _beyond(course, ahead, then))
        state = State(after, rest, task, course, last, sketch, ground_next, end, scene, state.rest)
        return state, Stretch(rows, {**asked, **facts})

    def handover(self, state: State) -> Handover:
        """The figure at the end of the last stretch, and the sole points that are on the ground."""
        w, end, figure = state.walker, state.done, state.scene.figure
        if end is None:
            raise GambolError("nothing has been walked yet", where="handover", do="advance first")
        pose = Pose(end[0, :3], end[0, ROTATIONS:COM].reshape(-1, 4))
        planted = standing_soles((w.rear, w.front), figure.foot)
        before = end[1, ROTATIONS:COM].reshape(-1, 4)
        spin = quat.log(quat.multiply(quat.conjugate(before), pose.rotations)) / TURN
        walking = w.front.kind == WALK and not state.over
        return Handover(w.time, pose, w.border.velocity, planted, w.rear.side, w if walking else None, spin)

    def onto(self, task: Task, time: float) -> Onto:
        """This walk as what comes into it at a time (s) sees it."""
        here = pace(task.gait, task.body, time)
        now = _scene(self, task.body, task.hand_load, here)
        return Onto(now, *self._scenes(task, time, here.speed), _course(task))

    def _going(self, task: Task, course: Course, w: Walker) -> State:
        """At a heel strike of another walk, or of what has become one."""
        scene, then = self._scenes(task, w.time, w.speed)
        ahead = _ahead(course, w, (scene, then))
        ground = profile(w.rear, ahead.one, scene.figure.foot, task.terrain)
        unknown = Sketch(np.nan, unchosen(ground).swing, np.full(33, np.nan), 0.0)
        before = replace(task)  # no task that will be asked: the step is planned anew
        return State(w, ahead, before, course, False, unknown, ground, None, scene, self.start(task).rest)

    def _request(self, scene: Scene, course: Course, task: Task) -> dict[str, Any]:
        """What was asked for, with the values that the laws filled in; travels with the clip."""
        return request_of(task, course.path, scene.pace, method="force", preset=self.preset)

    def _scenes(self, task: Task, time: float, before: float = 0.0) -> tuple[Scene, Scene]:
        """Of the step that begins at a time, after one at ``before`` m/s, and of the next."""
        here = coming(task.gait, task.body, time, before)
        there = coming(task.gait, task.body, time + span_of(here, before, task.body), here.speed)
        return _scene(self, task.body, task.hand_load, here), _scene(self, task.body, task.hand_load, there)

    def _standing(self, scene: Scene, rear: Footstep, front: Footstep, low: float) -> Walker:
        rise = RELEASE * (scene.leg / 0.93) ** 0.5
        t0 = scene.pace.step_time
        row = scene.look.row
        span = (1 + row.double) * t0
        still = Roll(-2e3, -1e3, 1e3, 2e3, 3e3, 0.0, 1.0, 0.0, max(row.b, 0.85), row.p, row.e, 0.0)
        rear_roll = still._replace(  # the first foot leaves as in walking, only more gently
            heel_off=max(rise - rising_time(0.4 * span, 0.55 * row.push * still.b, scene.figure.foot), 0.05),
            toes_off=rise - 0.12 * span,
            lift=rise,
            push=0.55 * row.push,
            toes=0.6 * row.toes,
        )
        arms = (arm_goal(1, 0, scene, 0.0), arm_goal(-1, 0, scene, 0.0))
        return Walker(
            time=0.0,
            rear=rear,
            front=front,
            rear_roll=rear_roll,
            front_roll=still,
            border=stand_border(rear, front, low, scene),
            yaw=0.5 * (rear.heading + front.heading),
            yaw_rate=0.0,
            trail=np.zeros((3, 6)),
            trail_stance=rise,
            trail_shift=0.0,
            double=rise,
            standing=True,
            phase_rate=0.5 / t0,
            style=style_of(scene, 0.0, 0.0, 0.0),
            arms=arms,
            low=low,
            speed=0.0,
        )


@lru_cache(maxsize=128)
def _scene(method: ForceWalk, body: Body, load: tuple[float, float], going: Pace) -> Scene:
    """What stays the same as long as the same body walks at the same pace."""
    v_hat = float(dimensionless(going.speed, body))
    paper = method.preset == "paper"
    row = Row(**(PAPER if paper else row_at(v_hat)))
    push = {"push": row.push * method.push, "toes": row.toes * method.push}
    row = row._replace(strike=row.strike * method.strike, **push)
    size = body.height / 1.75
    sway = clamp(0.070 - 0.0344 * (going.speed / size**0.5 - 0.7), 0.030, 0.075) * size * method.sway
    wanted = None if paper and method.sway == 1.0 else max(sway, 1e-4)
    ax = (1.0 + method.delta_x1, row.ax2 + method.delta_x2, row.ax3 + method.delta_x3)
    times = going.step_time, row.double * going.step_time

    def mode(name: str) -> Mode:
        ay2 = row.ay2 + (MODES[name]["f_v"] - MODES["level"]["f_v"] + method.delta_y2) / 1.3
        ay = (1.0 + method.delta_y1 / 1.3, ay2, row.ay3 + method.delta_y3 / 1.3)
        a1, a2, a3 = PAPER_Z if paper else (PAPER_Z[0], MODES[name]["az2"], MODES[name]["az3"])
        az = (a1 + method.delta_z1, a2 + method.delta_z2, a3 + method.delta_z3)
        shape = Shape(ax, ay, az, row.sx * (1.0 if paper else MODES[name]["sx"]), wanted)
        feet = MODES[name] if "push" in MODES[name] else row._asdict()
        even = steady(shape, *times)  # the sway is in it: a kernel asks no more for it
        return Mode(shape._replace(sway=0.0), even, feet["push"], feet["toes"], feet["heel_off"])

    m, figure = method, figure_of(body)
    looks_so = (m.arm_swing, m.pelvis, m.lean, m.crouch * size, m.armpit, v_hat)
    holds_so = (m.elbow, m.arms, m.head, m.hunch, m.knee, m.twist)
    modes = (mode("level"), mode("up"), mode("down"))
    look = Look(row, *modes, looks(float(m.foot_lift)), *map(float, looks_so + holds_so))
    return Scene(
        figure, float(body.height), float(body.leg_length), float(body.mass or 0.0), float(body.lift),
        float(body.roll), look, going, (float(load[0]), float(load[1])),
    )  # fmt: skip


def _above(after: Handover, task: Task, rear: Footstep, front: Footstep, scene: Scene) -> float:
    """m by which C stands higher over these feet than in the pose that is taken over."""
    return float(stand_border(rear, front, 0.0, scene).position[1] - _mass_centre(after, task)[1])


def _mass_centre(after: Handover, task: Task) -> np.ndarray:
    """(3,) m of the pose that is taken over."""
    still = Motion(task.body.skeleton, after.pose.root[None], after.pose.rotations[None], task.fps)
    return centre_of_mass(still)[0]


def _course(task: Task) -> Course:
    return survey(task.path, task.terrain, task.body, task.gait.half_width(task.body), task.laps)


def _ahead(course: Course, w: Walker, scenes: tuple[Scene, Scene]) -> Ahead:
    found: list[Footstep] = []
    rear, front = w.rear, w.front
    for k in range(4):
        found.append(_step(course, rear, front, scenes[min(k, 1)]))
        rear, front = front, found[-1]
    return Ahead(*found)


def _beyond(course: Course, ahead: Ahead, scene: Scene) -> Footstep:
    return _step(course, ahead.three, ahead.four, scene)


def _step(course: Course, rear: Footstep, front: Footstep, scene: Scene) -> Footstep:
    """The foothold after ``front``; of the kind NONE where the walk is over."""
    if front.kind == NONE:
        return NO_STEP
    step = next_step(course, rear, front, shortened(scene.pace.step_length, front))
    return NO_STEP if step is None else step
