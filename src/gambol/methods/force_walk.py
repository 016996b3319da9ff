"""Walking along any path by foot reaction force (Tsutsuguchi et al. 2000).

One stretch is one step, heel strike to heel strike. Each advance looks where the next feet land, sets where C
shall be and how fast at the coming heel strike, low enough for both legs to reach, solves the stance foot's force
for it (eqs 5 to 9), rolls and swings the feet, turns the body (10 to 12) and swings the arms (13 to 20), and
poses the figure so that its centre of mass is C.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gambol.dynamics import centre_of_mass
from gambol.errors import GambolError
from gambol.figure import COM, ROTATIONS, Figure, StepPlan, figure_of
from gambol.footsteps import Course, Footstep, first_feet, next_step, step_object, survey
from gambol.gait import dimensionless, eased, pace
from gambol.handing import SIDES, taken_over
from gambol.kernels import check_engine, clamp
from gambol.motion import Motion, Pose
from gambol.reaction import Shape
from gambol.roll import Roll, shifted
from gambol.stepping import RELEASE, arm_goal, plan_step, rising_time, stand_border, style_of
from gambol.stride import Stage, frames, posed, reach, standing_sole, step_motion
from gambol.synthesis import Handover, Task, dial
from gambol.walk_table import MODES, PAPER, PAPER_Z, row_at
from gambol.walker import NOWHERE, Ahead, Look, Scene, Walker

__all__ = ["PRESETS", "ForceWalk", "State"]

PRESETS = ("natural", "paper")
KNEE_LEAST = 0.0698132  # rad, 4 degrees: straighter, 0.1 mm of hip height is more than a degree of knee
KNEE_ON_STAIRS = np.radians(8.0)  # where the leg is straight for a moment only, between the samples of reach()
ROUNDS = 8  # of lowering C until both legs reach
SPARE = 1e-4  # m
ALIKE = 2e-4  # largest difference (m, s, rad) of two steps that need looking at once only
SLACK = 5e-4  # m of unused reach that is left alone


class Sketch(NamedTuple):
    """A step planned ahead, with C lowered by ``low`` m at both its borders."""

    low: float
    plan: StepPlan
    after: Walker
    outline: np.ndarray  # see _outline
    spare: float  # m by which the longest leg is too short (negative: to spare)


class State(NamedTuple):
    """Between two steps."""

    walker: Walker
    ahead: Ahead | None  # the next footholds, as chosen for `task`
    task: Task | None
    course: Course
    over: bool
    sketch: Sketch | None  # the coming step as planned by the last advance
    done: StepPlan | None  # the step of the last advance
    figure: Figure
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
        """Standing with both feet together at the beginning of the path, or where ``after`` left them.

        Raises:
            GambolError: for a handover in full motion: a walk begins from a stand.
        """
        course = _course(task)
        turn = float(course.path.curvature(min(0.5, course.path.length / 2)))
        rear, front = first_feet(course, 1 if turn > 0.02 else -1)
        scene = self._scene(task, 0.0)
        if after is not None:
            rear, front = taken_over(after, (rear, front), scene.figure.foot, "force walk")
        walker = self._standing(task, rear, front)
        if after is not None:
            rolls = shifted(walker.rear_roll, after.time), shifted(walker.front_roll, after.time)
            walker = walker._replace(time=after.time, rear_roll=rolls[0], front_roll=rolls[1])
        ahead = _ahead(course, walker, scene)
        low = 0.0 if after is None else max(0.0, float(walker.border.position[1] - _mass_centre(after, task)[1]))
        walker = self._down(walker, ahead, scene, low)
        return State(walker, ahead, task, course, False, None, None, scene.figure, walker.low)

    def advance(self, state: State, task: Task) -> tuple[State, Motion | None]:
        """One step; at the end the settling on both feet; then None."""
        if state.over:
            return state, None
        w, course = state.walker, state.course
        if state.task is not None and (state.task.path is not task.path or state.task.terrain is not task.terrain):
            course = _course(task)
        scene = self._scene(task, w.time, w.speed)
        fresh = state.ahead is None or state.task is not task or scene.pace.speed != w.speed > 0
        ahead = _ahead(course, w, scene) if state.ahead is None or fresh else state.ahead
        plan, after, sketch = self._lowered(state, ahead, scene, fresh)
        last = ahead.one is None
        grid = frames(w.time, after.time, task.fps, last) / task.fps - w.time
        stage = Stage(task.body.skeleton, task.terrain, float(task.body.mass or 0), self.engine)
        asked = self._request(scene, course, task) if w.standing else {}
        motion = step_motion(plan, scene.figure, (grid, task.fps), stage, {**asked, **_facts(w, after, ahead)})
        rest = NOWHERE if last else ahead.next(_beyond(course, ahead, scene))
        return State(after, rest, task, course, last, sketch, plan, scene.figure, state.rest), motion

    def handover(self, state: State) -> Handover:
        """The figure at the end of the last stretch, and the sole points that are on the ground."""
        w, plan, figure = state.walker, state.done, state.figure
        if plan is None:
            raise GambolError("nothing has been walked yet", where="handover", do="advance first")
        out = posed(plan, figure, np.array([plan.step]), self.engine)
        pose = Pose(out[:3, 0], out[ROTATIONS:COM, 0].reshape(-1, 4))
        planted: dict[str, np.ndarray] = {}
        for foot in (w.rear, w.front):
            heel, tip = standing_sole(foot, figure.foot)
            planted |= {f"{SIDES[foot.side]}_heel": heel, f"{SIDES[foot.side]}_toe_tip": tip}
        return Handover(w.time, pose, w.border.velocity, planted, w.rear.side)

    def _request(self, scene: Scene, course: Course, task: Task) -> dict[str, Any]:
        """What was asked for, with the values that the laws filled in; travels with the clip."""
        path, pace_ = course.path, scene.pace
        s = np.linspace(0.0, path.length, min(max(int(path.length / 0.1), 1), 2000) + 1)
        return {
            "method": "force",
            "preset": self.preset,
            "seed": task.seed,
            "height_m": task.body.height,
            "mass_kg": task.body.mass,
            "speed_m_s": pace_.speed,
            "step_length_m": pace_.step_length,
            "cadence_steps_min": 60 / pace_.step_time,
            "path": np.round(path.point(s), 4).tolist(),
        }

    def _scene(self, task: Task, time: float, before: float = 0.0) -> Scene:
        steady_pace = eased(pace(task.gait, task.body, time), before)
        v_hat = float(dimensionless(steady_pace.speed, task.body))
        row = dict(PAPER) if self.preset == "paper" else dict(row_at(v_hat))
        row["strike"] *= self.strike
        row["push"], row["toes"] = row["push"] * self.push, row["toes"] * self.push
        size = task.body.height / 1.75
        sway = clamp(0.070 - 0.0344 * (steady_pace.speed / size**0.5 - 0.7), 0.030, 0.075) * size * self.sway
        ax = (1.0 + self.delta_x1, row["ax2"] + self.delta_x2, row["ax3"] + self.delta_x3)

        def shape(mode: str) -> Shape:
            ay2 = row["ay2"] + (MODES[mode]["f_v"] - MODES["level"]["f_v"] + self.delta_y2) / 1.3
            ay = (1.0 + self.delta_y1 / 1.3, ay2, row["ay3"] + self.delta_y3 / 1.3)
            printed = self.preset == "paper"
            usual = PAPER_Z if printed else (PAPER_Z[0], MODES[mode]["az2"], MODES[mode]["az3"])
            az = (usual[0] + self.delta_z1, usual[1] + self.delta_z2, usual[2] + self.delta_z3)
            return Shape(
                ax,
                ay,
                az,
                row["sx"] * (1.0 if printed else MODES[mode]["sx"]),
                None if self.preset == "paper" and self.sway == 1.0 else max(sway, 1e-4),
            )

        look = Look(
            row,
            shape("level"),
            shape("up"),
            shape("down"),
            self.arm_swing,
            self.pelvis,
            self.lean,
            self.foot_lift,
            self.crouch * size,
            self.armpit,
            v_hat,
            self.elbow,
            self.arms,
            self.head,
            self.hunch,
            self.knee,
            self.twist,
        )
        return Scene(task.body, figure_of(task.body), task.terrain, look, steady_pace, task.hand_load)

    def _standing(self, task: Task, rear: Footstep, front: Footstep) -> Walker:
        scene = self._scene(task, 0.0)
        border = stand_border(rear, front, scene)
        rise = RELEASE * (task.body.leg_length / 0.93) ** 0.5
        t0 = scene.pace.step_time
        row = scene.look.row
        span = (1 + row["double"]) * t0
        still = Roll(-2e3, -1e3, 1e3, 2e3, 3e3, 0.0, 1.0, 0.0, max(row["b"], 0.85), row["p"], row["e"], 0.0)
        rear_roll = still._replace(  # the first foot leaves as in walking, only more gently
            heel_off=max(rise - rising_time(0.4 * span, 0.55 * row["push"] * still.b, scene.figure.foot), 0.05),
            toes_off=rise - 0.12 * span,
            lift=rise,
            push=0.55 * row["push"],
            toes=0.6 * row["toes"],
        )
        arms = (arm_goal(1, 0, scene, 0.0), arm_goal(-1, 0, scene, 0.0))
        return Walker(
            time=0.0,
            rear=rear,
            front=front,
            rear_roll=rear_roll,
            front_roll=still,
            border=border,
            yaw=0.5 * (rear.heading + front.heading),
            yaw_rate=0.0,
            trail=np.zeros((3, 6)),
            trail_stance=rise,
            trail_shift=0.0,
            double=rise,
            standing=True,
            phase_rate=0.5 / t0,
            style=style_of(scene, 0.0, 0.0),
            arms=arms,
            low=0.0,
            speed=0.0,
        )

    def _down(self, walker: Walker, ahead: Ahead, scene: Scene, low: float) -> Walker:
        """C of the standing figure lowered until both legs reach, also while the weight shifts for the first step."""
        for _ in range(ROUNDS):
            border = stand_border(walker.rear, walker.front, scene)
            border.position[1] -= low
            walker = walker._replace(border=border, low=low)
            plan, _after = plan_step(walker, ahead, (low, low), scene)
            over = _excess(reach(plan, scene.figure, self.engine, slice(0, 10)), scene, False)
            if over <= 0:
                break
            low += 1.05 * over + SPARE
        return walker

    def _lowered(self, state: State, ahead: Ahead, scene: Scene, fresh: bool) -> tuple[StepPlan, Walker, Sketch | None]:
        """The step planned with its end border low enough for both legs to reach in this step and the next.

        Also returns the sketch of the next step, which is its plan if nothing changes by then.
        """
        w, sketch = state.walker, state.sketch
        low = state.rest if ahead.one is None else w.low if ahead.one.stair == w.front.stair else 0.3 * w.low
        stair = ahead.one is not None and ahead.one.stair
        for _ in range(ROUNDS):
            if not fresh and sketch is not None and sketch.low == low:
                plan, after, over = sketch.plan, sketch.after, -1.0
            else:
                plan, after = plan_step(w, ahead, (low, low), scene)
                over = _excess(reach(plan, scene.figure, self.engine, slice(8, None)), scene, stair)
            if ahead.one is None and over <= 0:
                return plan, after, None
            if ahead.one is None:
                low += 1.05 * over + SPARE
                continue
            beyond, then = plan_step(after, ahead.next(None), (low, low), scene)
            now = _outline(after, ahead.next(None), beyond)
            if sketch is not None and np.abs(now - sketch.outline).max() < ALIKE:
                spare = sketch.spare  # the step before was planned just so: no need to look again
            else:
                spare = _excess(reach(beyond, scene.figure, self.engine, slice(None)), scene, stair)
            if max(over, spare) <= 0:
                break
            low += 1.05 * max(over, spare) + SPARE
        if ahead.one is None:
            return plan, after, None
        if spare < -SLACK:  # lower than needed: rise again by the next border
            after = after._replace(low=max(0.0, low + 0.6 * spare))
        return plan, after, Sketch(low, beyond, then, now, spare)


def _outline(w: Walker, ahead: Ahead, plan: StepPlan) -> np.ndarray:
    """A planned step seen from its stance foot, left and right made equal: equal steps have equal outlines."""
    steps = [f for f in (w.rear, ahead.one, ahead.two) if f is not None]
    c, s = np.cos(w.front.yaw), np.sin(w.front.yaw)
    points = [*(f.place - w.front.place for f in steps), w.border.position - w.front.place, w.border.velocity]
    local = [(w.front.side * (x * c - z * s), y, x * s + z * c) for x, y, z in points]
    turns = [w.front.side * (f.yaw - w.front.yaw) for f in steps]
    rolls = (
        plan.front.rolling.strike,
        plan.front.rolling.push,
        plan.rear.rolling.push,
        w.front.pitch,
        w.yaw_rate,
    )
    out = np.zeros(32)
    flat = [plan.step, plan.double, plan.stance, *rolls, *turns, *np.ravel(local)]
    out[: len(flat)] = flat
    out[-1] = len(steps)
    return out


def _excess(distances: np.ndarray, scene: Scene, stair: bool) -> float:
    """m by which the longest leg is beyond what a slightly bent knee reaches."""
    a, b = scene.figure.thigh, scene.figure.shank
    knee = max(KNEE_ON_STAIRS, scene.look.knee) if stair else scene.look.knee
    limit = np.sqrt(a * a + b * b + 2 * a * b * np.cos(knee))
    return float(distances.max() - limit)


def _mass_centre(after: Handover, task: Task) -> np.ndarray:
    """(3,) m of the pose that is taken over."""
    still = Motion(task.body.skeleton, after.pose.root[None], after.pose.rotations[None], task.fps)
    return centre_of_mass(still)[0]


def _course(task: Task) -> Course:
    return survey(task.path, task.terrain, task.body, task.gait.half_width(task.body), task.laps)


def _ahead(course: Course, w: Walker, scene: Scene) -> Ahead:
    found: list[Footstep | None] = []
    rear, front = w.rear, w.front
    length = scene.pace.step_length
    for _ in range(4):
        step = None if found and found[-1] is None else next_step(course, rear, front, _shorter(length, front))
        found.append(step)
        if step is not None:
            rear, front = front, step
    return Ahead(*found)


def _beyond(course: Course, ahead: Ahead, scene: Scene) -> Footstep | None:
    if ahead.four is None or ahead.three is None:
        return None
    return next_step(course, ahead.three, ahead.four, _shorter(scene.pace.step_length, ahead.four))


def _shorter(length: float, front: Footstep) -> float:
    """Steps shorten on slopes: 6 % less for each tenth of a radian."""
    return length * clamp(1 - 0.6 * abs(front.pitch), 0.6, 1.0)


def _facts(w: Walker, after: Walker, ahead: Ahead) -> dict[str, Any]:
    """Events (s) and the paper's step object of this step."""
    events: dict[str, list[float]] = {f"{n}_{e}": [] for n in SIDES.values() for e in ("strike", "off")}
    if ahead.one is None:
        return {"events": events, "plan": []}
    events[f"{SIDES[w.rear.side]}_off"].append(w.time + w.double)
    events[f"{SIDES[ahead.one.side]}_strike"].append(after.time)
    step = step_object(w.rear, w.front, ahead.one, after.time - w.time)
    return {"events": events, "plan": [step]}
