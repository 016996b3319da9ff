"""Running by knowledge (Bruderlin & Calvert 1996): along any path, at any pace, in many styles.

One stretch is one step, landing to landing. The parameters (speed, step length and rate, flight height) follow from
what is asked by laws (run_laws.py); C flies on a parabola and is caught by the foot (flight.py); the limbs meet what
landing and toe-off ask of them (run_step.py, run_figure.py). The dials are the paper's attributes: none of them changes
a parameter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gambol.body import G
from gambol.dynamics import centre_of_mass
from gambol.errors import GambolError
from gambol.figure_parts import ROTATIONS, figure_of
from gambol.flight import Carry
from gambol.footsteps import SIDES, Course, Footstep, first_feet, step_object, survey
from gambol.handing import taken_over
from gambol.kernels import check_engine
from gambol.motion import Motion, Pose
from gambol.roll import Roll, shifted
from gambol.run_bends import bend_speed, check_bends
from gambol.run_figure import COM, RunPlan
from gambol.run_fit import posed_run
from gambol.run_from_walk import LEFT_IN, later_in, offsets, runner_of
from gambol.run_habits import flight_speed, stand_style, stopping_pace, walking_pace
from gambol.run_laws import LAWS, Asked, RunPace, check_hill, couple, slowest_speed, steady_pace
from gambol.run_place import Aim, advance_of, towards_edges
from gambol.run_step import NO_OFFSET, plan_run
from gambol.run_stop import STAND_AHEAD, STAND_UP, plan_still, plan_stop
from gambol.run_stride import run_motion
from gambol.run_table import first_swing
from gambol.runner import Manner, Runner, RunScene, Swinging
from gambol.stride import frames, standing_soles
from gambol.synthesis import Handover, Task, dial
from gambol.walk_facts import no_events, request_of
from gambol.walk_from_run import Onto, plan_walk

__all__ = ["Running", "State"]

PUSH_OFF = (0.56, 0.04, 0.26)  # s: contact and flight of the first step from a stand, and until the rear foot leaves
FIRST_SPEED = 1.3  # m/s after it
HIPS = np.array([[0.057, -0.043, -0.002], [0.052, -0.051, -0.012]])  # of body height: before the first landing
FASTER, SLOWER, EASY = 2.6, 3.5, 1.8  # m/s2, the most and where a stop begins
SLOW_STEP = 0.405  # s
LAST_SPEED, LEAD = 1.5, 0.16  # m/s of the landing that stops, and within how many s of it C stops
SOURCE = "section 3.3"


class State(NamedTuple):
    """Between two steps."""

    runner: Runner
    task: Task | None
    course: Course
    over: bool
    done: RunPlan | None
    scene: RunScene
    walks: bool = False  # the next landing is to lead into a walk


@dataclass(frozen=True)
class Running:
    """The run by laws, physics and limb coordination.

    Attributes:
        laws: "runners" (fitted to measured runners) or "paper" (the printed ones).
        engine: "numpy" or "compiled"; both give the same motion to 1e-9.
        flight_height: m that C rises after toe-off, or None: by law.
    """

    laws: str = "runners"
    engine: str = "numpy"
    flight_height: float | None = None
    level: float = dial(0.0, -1.0, 1.0, "1", "expertise: the better take longer steps", "eq. 3")
    step: float = dial(1.0, 0.8, 1.2, "1", "times the step length of the law")
    flight: float = dial(1.0, 0.4, 1.7, "1", "times the flight time of the law")
    strike: float = dial(0.0, -1.0, 1.0, "1", "on the toes (-1) or the heel (1) more than is usual at the speed")
    knee_landing: float = dial(28.0, 20.0, 45.0, "deg", "knee at landing", SOURCE)
    knee_off: float = dial(18.0, 14.0, 35.0, "deg", "knee at toe-off", SOURCE)
    knee_lift: float = dial(0.0, -10.0, 30.0, "deg", "thigh higher in late swing", SOURCE)
    heel_kick: float = dial(0.0, -15.0, 25.0, "deg", "knee bent more in mid-swing", SOURCE)
    width: float = dial(0.06, 0.0, 0.2, "m", "between the lines of the two feet", SOURCE)
    foot_out: float = dial(5.0, -5.0, 20.0, "deg", "feet turned out", SOURCE)
    lean: float = dial(0.0, -10.0, 15.0, "deg", "trunk forward beyond the usual lean", SOURCE)
    pelvic_rotation: float = dial(0.0, -8.0, 8.0, "deg", "hip of the landing side forward, beyond the usual", SOURCE)
    pelvic_list: float = dial(7.5, 0.0, 12.0, "deg", "stance hip up at landing", SOURCE)
    chest_turn: float = dial(12.0, 0.0, 25.0, "deg", "chest turning with the arms", SOURCE)
    arm_swing: float = dial(1.0, 0.0, 1.8, "1", "times the usual swing of the upper arms", SOURCE)
    elbow: float = dial(92.0, 30.0, 130.0, "deg", "elbows bent", SOURCE)
    arms_out: float = dial(12.0, 5.0, 45.0, "deg", "elbows away from the trunk", SOURCE)
    head: float = dial(0.0, -20.0, 30.0, "deg", "looking down", SOURCE)
    impact: float = dial(0.5, 0.0, 1.0, "BW", "blow of a heel that strikes")

    def __post_init__(self) -> None:
        check_engine(self.engine)
        if self.laws not in LAWS:
            raise GambolError(f"laws are {self.laws!r}", where="running", allowed=" or ".join(LAWS))
        if self.flight_height is not None and self.flight != 1.0:
            raise GambolError(
                "flight height and flight are both given", where="running", allowed="one of the two",
                do="leave one out: they say the same",
            )

    def start(self, task: Task, after: Handover | None = None) -> State:
        """Standing with both feet together at the beginning of the path, or where ``after`` left them."""
        self._pace(task, 0.0)
        course = _course(task)
        _no_turns(course)
        if after is None:
            check_bends(course.path, slowest_speed(task.body))
        self._hills(task, course)
        scene = self._scene(task, course)
        if after is not None and after.walker is not None:
            return State(self._moving(task, scene, after), None, course, False, None, scene)
        rear, front = first_feet(course, -1)
        if after is not None:
            rear, front = taken_over(after, (rear, front), scene.figure.foot, "running")
        runner = self._standing(task, scene, rear, front)
        if after is not None:
            runner = _later(runner, after, task)
        return State(runner, None, course, False, None, scene)

    def advance(self, state: State, task: Task) -> tuple[State, Motion | None]:
        """One step; at the end the stop; then None."""
        w = state.runner
        if state.over:
            return state, None
        course = state.course
        if state.task is not None and (state.task.path is not task.path or state.task.terrain is not task.terrain):
            course = _course(task)
        scene = self._scene(task, course)
        plan, after = self._step(w, scene, task, state.walks)
        last = after.kind == "over"
        grid = frames(w.time, after.time, task.fps, last) / task.fps - w.time
        info = {**self._facts(w, plan, after), **(self._request(scene, task) if w.kind == "stand" else {})}
        motion = run_motion(plan, scene, (grid, task.fps), _shared(w, plan, grid), info)
        return State(after, task, course, last, plan, scene), motion

    def into_walk(self, state: State, task: Task, onto: Onto) -> tuple[Handover, Motion]:
        """The step from the landing that leads into a walk to its first heel strike; ``state.walks`` was set before."""
        w, scene = state.runner, self._scene(task, state.course)
        plan, after = plan_walk(w, scene, onto)
        t = frames(w.time, after.time, task.fps, False) / task.fps - w.time
        events = no_events()
        events[f"{SIDES[after.front.side]}_strike"].append(after.time)
        info = {"events": events, "plan": [step_object(w.rear.foot, w.front, after.front, plan.step)]}
        motion = run_motion(plan, scene, (t, task.fps), np.ones(len(t)), info)
        out = posed_run(plan, scene, np.array([plan.step]))
        pose = Pose(out[:3, 0], out[ROTATIONS:COM, 0].reshape(-1, 4))
        planted = standing_soles((after.rear, after.front), scene.figure.foot)
        return Handover(after.time, pose, after.border.velocity, planted, after.rear.side, after), motion

    def _hills(self, task: Task, course: Course) -> None:
        """Refuse what is too steep, anywhere on the way; of treads, which are level, 1.2 m count."""
        path = course.path
        s = np.linspace(0.0, path.length, max(int(path.length / 0.25), 2))
        places, heading = path.point(s), path.heading(s)
        normals = course.terrain.normal(places[:, [0, 2]], places[:, 1] + 0.05)
        rise = -(normals[:, 0] * np.sin(heading) + normals[:, 2] * np.cos(heading)) / np.maximum(normals[:, 1], 1e-3)
        ends = np.clip([s - 0.6, s + 0.6], 0.0, path.length)
        mean = (path.point(ends[1]) - path.point(ends[0]))[:, 1] / np.maximum(ends[1] - ends[0], 1.2)
        speed = float(task.gait.speed) if isinstance(task.gait.speed, int | float) else 0.0
        for v, gradients in ((speed, rise), (0.0, mean)):  # a short flight takes more power than can be kept up
            for gradient in (float(gradients.max()), float(gradients.min())):
                check_hill(v, gradient, self.asked(task, 0.0), task.body)

    def _moving(self, task: Task, scene: RunScene, after: Handover) -> Runner:
        """A runner out of a walk."""
        speed = float(np.linalg.norm(after.velocity[[0, 2]]))
        pace = steady_pace(self.asked(task, after.time)._replace(speed=speed), task.body)
        pace = pace._replace(step_time=pace.contact + 0.7 * pace.flight, flight=0.7 * pace.flight)
        runner = runner_of(after, pace, scene)
        plan, _ = plan_run(runner, self._aim(runner, scene, task), scene)
        runner = later_in(runner, plan)
        return runner._replace(leave=offsets(plan, scene, after), leave_time=min(LEFT_IN, 0.8 * pace.step_time))

    def _step(self, w: Runner, scene: RunScene, task: Task, walks: bool) -> tuple[RunPlan, Runner]:
        if w.kind == "stop":
            return plan_stop(w, scene)
        if w.kind == "still":
            return plan_still(w, scene)
        aim = self._aim(w, scene, task)
        if walks and aim.last is None:
            aim = aim._replace(pace=walking_pace(aim.pace, scene), walks=True)
        return plan_run(w, aim, scene)

    def handover(self, state: State) -> Handover:
        """The figure at the end of the last stretch."""
        w, plan, scene = state.runner, state.done, state.scene
        if plan is None:
            raise GambolError("nothing has been run yet", where="handover", do="advance first")
        out = posed_run(plan, scene, np.array([plan.step]))
        pose = Pose(out[:3, 0], out[ROTATIONS:COM, 0].reshape(-1, 4))
        feet = (w.front, w.rear.foot) if w.kind in ("still", "over") else (w.front,)
        planted = standing_soles(feet, scene.figure.foot)
        return Handover(w.time, pose, w.v, planted, -w.front.side)

    def asked(self, task: Task, time: float) -> Asked:
        """What is locked at a time, and what scales the laws."""
        gait = task.gait.at(time)
        speed = None if gait.speed is None else float(gait.speed)  # type: ignore[arg-type]  # of one time
        locks = (speed, gait.step_length, gait.cadence, self.flight_height)
        return Asked(*locks, self.level, self.step, self.flight, self.laws)

    def _pace(self, task: Task, time: float) -> RunPace:
        return couple(self.asked(task, time), task.body)

    def _slower(self, task: Task, time: float, speed: float) -> RunPace:
        """The pace at another speed than the asked one: locked steps are longer or shorter by the same share there."""
        asked, body = self.asked(task, time), task.body
        goal = couple(asked, body).speed
        free = asked._replace(step_length=None, cadence=None)
        usual, there = (steady_pace(free._replace(speed=v), body).step_length for v in (goal, speed))
        length = None if asked.step_length is None else asked.step_length * there / usual
        rate = None if asked.cadence is None or length is not None else asked.cadence * speed / goal * usual / there
        return steady_pace(asked._replace(speed=speed, step_length=length, cadence=rate), body)

    def _aim(self, w: Runner, scene: RunScene, task: Task) -> Aim:
        """What the coming step is to lead to: the asked speed, as far as one step can change it."""
        t, size = w.pace.step_time, float(np.sqrt(scene.size))
        flown = w.time + t - w.pace.flight / 2  # when C flies at the speed that is chosen here
        there = w.s + w.pace.speed * t
        pace = self._reached(task, (flown, there), w.pace, scene)
        if w.kind == "stand":
            first = min(pace.speed, FIRST_SPEED * size)
            pace = self._slower(task, w.time, first)
        stop = self._braked(w, scene, task, flight_speed(pace, scene))
        if stop is not None:
            speed, left = stop
            pace = self._slower(task, w.time, max(speed, 1.2 * size))
            if left == 1:
                return Aim(stopping_pace(scene), speed, last=_end(scene, task))
            return Aim(pace, speed, max((LAST_SPEED * size - speed) / (left - 1), -SLOWER * pace.step_time), -0.1)
        then = self._reached(task, (flown + pace.step_time, there + pace.step_length), pace, scene)
        speed = flight_speed(pace, scene) + towards_edges(w, pace, scene)
        gained = 0.0 if w.kind == "stand" else (pace.speed - w.pace.speed) / t
        return Aim(pace, speed, flight_speed(then, scene) - speed, lean=0.55 * float(np.arctan(gained / G)))

    def _braked(self, w: Runner, scene: RunScene, task: Task, speed: float) -> tuple[float, int] | None:
        """Speed of the next flight and steps left until the foot that stays, where it is time to stop."""
        size = float(np.sqrt(scene.size))
        slowest, t = LAST_SPEED * size, w.pace.step_time
        left = _end(scene, task) - w.s
        beyond = left - LEAD * size * slowest - advance_of(w, speed, scene)
        if speed**2 - slowest**2 < 2 * EASY * beyond and beyond > speed * t:
            return None
        forward = np.array([np.sin(w.yaw), 0.0, np.cos(w.yaw)])
        v0 = float(w.v @ forward)
        at0, at1 = advance_of(w, 0.0, scene), advance_of(w, 1.0, scene)
        best: tuple[float, float, int] | None = None
        for n in range(1, 40):
            v = _last_speed(left, n, v0, (at0, at1), (SLOW_STEP * size, LEAD * size))
            cost = abs(v - slowest) + max(v0 - v - n * SLOWER * t, 0.0) * 3 + max(v - v0 - n * FASTER * t, 0.0) * 3
            if best is None or cost < best[0]:
                best = (cost, v, n)
        assert best is not None
        _, v, n = best
        return v0 + (max(v, 0.5 * slowest) - v0) / n, n

    def _reached(self, task: Task, where: tuple[float, float], before: RunPace, scene: RunScene) -> RunPace:
        """The pace that is asked for at a time, and that the way bears there, as far as one step can change it."""
        time, s = where
        wanted = self._pace(task, time)
        low = before.speed - SLOWER * before.step_time
        least = min(slowest_speed(task.body), wanted.speed)
        borne = max(bend_speed(scene.course.path, s, wanted.speed), least)
        speed = min(max(borne, low), before.speed + FASTER * before.step_time)
        if speed == wanted.speed:
            return wanted
        return self._slower(task, time, speed)

    def _scene(self, task: Task, course: Course) -> RunScene:
        r = np.radians
        manner = Manner(
            self.strike, r(self.knee_landing), r(self.knee_off), r(self.knee_lift), r(self.heel_kick),
            self.width * task.body.height / 1.75, r(self.foot_out), r(self.lean), r(self.pelvic_rotation),
            r(self.pelvic_list), r(self.chest_turn), self.arm_swing, r(-20.0), r(self.elbow), r(self.arms_out),
            r(self.head), self.impact,
        )
        return RunScene(task.body, figure_of(task.body), course, manner, self.engine)

    def _standing(self, task: Task, scene: RunScene, rear: Footstep, front: Footstep) -> Runner:
        size = float(np.sqrt(scene.size))
        contact, flight, leave = (x * size for x in PUSH_OFF)
        still = Roll(-2e3, -1e3, 1e3, 2e3, 3e3, 0.0, 1.0, 0.0, 0.0, 1.7, 0.0, 0.0)
        rear_roll = still._replace(heel_off=0.05 * size, toes_off=0.75 * leave, lift=leave, push=0.5, toes=0.2)
        front_roll = still._replace(heel_off=0.45 * contact, toes_off=0.8 * contact, lift=contact, push=0.9, toes=0.45)
        t = contact + flight
        c = 0.5 * (rear.place + front.place)
        heading = rear.heading
        c = c + STAND_AHEAD * scene.body.height * np.array([np.sin(heading), 0.0, np.cos(heading)])
        c[1] += STAND_UP * scene.body.height
        pace = RunPace(FIRST_SPEED / 2, FIRST_SPEED / 2 * t, t, flight, contact, 0.0)
        return Runner(
            0.0, front, front_roll,
            Swinging(rear, rear_roll, leave, t, first_swing(), np.zeros((3, 5)), np.zeros(2)), c, np.zeros(3), pace,
            0.0, heading, 0.0, 1 / t, stand_style(scene), HIPS * scene.body.height, "stand",
            Carry(np.array([0.0, G, 0.0]), leave, np.zeros(3), 0.0), np.zeros((3, 5)), np.zeros((3, 5)), 0, np.zeros(2),
            NO_OFFSET, 0.0,
        )

    def _request(self, scene: RunScene, task: Task) -> dict[str, Any]:
        """What was asked for, with the values that the laws filled in; travels with the clip."""
        pace = self._pace(task, 0.0)
        flown = {"flight_s": pace.flight, "contact_s": pace.contact, "flight_height_m": pace.flight_height}
        return request_of(task, scene.course.path, pace, method="running", laws=self.laws, **flown)

    def _facts(self, w: Runner, plan: RunPlan, after: Runner) -> dict[str, Any]:
        """Events (s) and the step object of this step."""
        events = no_events()
        for foot, limb in ((w.front, plan.front), (w.rear.foot, plan.rear)):
            if 0 <= limb.lift < plan.step:
                events[f"{SIDES[foot.side]}_off"].append(w.time + limb.lift)
        if w.kind == "still":
            return {"events": events, "plan": []}
        landed = after.rear.foot if w.kind == "stop" else after.front
        events[f"{SIDES[landed.side]}_strike"].append(after.time)
        step = step_object(w.rear.foot, w.front, landed, plan.step)
        return {"events": events, "plan": [step]}


def _no_turns(course: Course) -> None:
    """A run does not turn on the spot."""
    if len(course.stops) > 1:
        x, _, z = course.path.point(course.stops[0])
        raise GambolError(
            f"the path turns on the spot {course.stops[0]:.2f} m along it, near x {x:.2f}, z {z:.2f}", where="running",
            allowed="curves", do="round that corner, or walk",
        )


def _later(runner: Runner, after: Handover, task: Task) -> Runner:
    """A standing runner where and when the motion before has left it."""
    still = Motion(task.body.skeleton, after.pose.root[None], after.pose.rotations[None], task.fps)
    by, r = after.time, runner.rear
    rear = r._replace(roll=shifted(r.roll, by), lift=r.lift + by, land=r.land + by)
    return runner._replace(time=by, c=centre_of_mass(still)[0], front_roll=shifted(runner.front_roll, by), rear=rear)


def _last_speed(left: float, n: int, v0: float, first: tuple[float, float], times: tuple[float, float]) -> float:
    """m/s reached after ``n`` steps in which speed changes evenly and C moves ``left`` m, less what it stops in.

    A step from v to u moves C by a + b v + k u with k + b = t; ``first`` is the way of the first step for u = 0 and 1,
    the others take ``times[0]`` s as slow runners do; C stops within ``times[1]`` s times the speed.
    """
    t, lead = times
    k0 = first[1] - first[0]
    a, k = -0.015, 0.64 * t
    # sum over i from 1 of a + b v_i + k v_{i+1}, v_i = v0 + (v - v0) i / n
    fixed = first[0] + k0 * v0 + (n - 1) * (a + t * v0)
    rise = (k0 + (t - k) * n * (n - 1) / 2 + k * (n * (n + 1) / 2 - 1)) / n
    return (v0 + (left - fixed) / rise) / (1 + lead / rise)


def _end(scene: RunScene, task: Task) -> float:
    """m along the path where the run ends."""
    path = scene.course.path
    return path.length * (task.laps if path.closed else 1)


def _shared(w: Runner, plan: RunPlan, t: np.ndarray) -> np.ndarray:
    """Share of what fades out, or of all when standing, that the rear foot carries."""
    if w.kind == "still":
        s = np.clip(t / plan.step, 0.0, 1.0)
        return np.asarray(0.5 * s * s * (3 - 2 * s))
    return np.full(len(t), 0.5 if w.kind == "stand" else 1.0)


def _course(task: Task) -> Course:
    return survey(task.path, task.terrain, task.body, task.gait.half_width(task.body), task.laps)
