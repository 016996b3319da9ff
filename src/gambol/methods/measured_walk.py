"""Walking as a measured person does, on any body, at any step length, along any path (Ko and Badler 1993).

One stretch is one step, heel strike to heel strike, over the footholds of the same planner as every walk's. Each
step is the prototype's, generalised (:mod:`gambol.generalise`) to this body, step length and cadence; the hips are
lowered where a leg would not reach, never a leg stretched.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gambol.errors import GambolError
from gambol.figure_parts import COM, ROTATIONS, Figure, figure_of
from gambol.footsteps import Course, Footstep, first_feet, first_side, next_step, shortened, survey
from gambol.gait import coming
from gambol.generalise import NATURAL, PAPER, Laws
from gambol.handing import taken_over
from gambol.kernels import check_engine
from gambol.measured_figure import MeasuredPlan, Turnover, pose_measured
from gambol.measured_motion import LOOKS, Ground, measured_motion, measured_reach
from gambol.measured_step import (
    RELEASE,
    Next4,
    Pacer,
    Setting,
    plan_measured,
    standing_hips,
    uneven,
)
from gambol.motion import Motion, Pose
from gambol.personal import Mix, channels_at, mix, subject_of
from gambol.prototypes import neutral
from gambol.stride import frames, standing_soles
from gambol.synthesis import Handover, Task, dial
from gambol.walk_data import WalkData
from gambol.walk_facts import request_of, step_facts

__all__ = ["PRESETS", "MeasuredWalk", "State"]

PRESETS = ("natural", "paper")
KNEE_LEAST = np.radians(6.0)  # straighter, a millimetre of hip height is degrees of knee
ROUNDS = 10  # of lowering the hips until both legs reach
ENDS_FIRST = 4  # of them; a dip at the end of the step often cures its middle too
SPARE = 1e-4  # m
NEAR = (0.6, 1.4)  # of the measured step length, within which walks look right
# samples of LOOKS: what a dip at the end must cure, and where one in the middle begins
LATE, EARLY = int(np.searchsorted(LOOKS, 0.74)), int(np.searchsorted(LOOKS, 0.24))
INSIDE = np.maximum(64 * LOOKS**3 * (1 - LOOKS) ** 3, 0.2)  # of a dip in the middle, at the samples
Style = tuple[WalkData, ...]


class State(NamedTuple):
    """Between two steps."""

    walker: Pacer
    ahead: Next4 | None  # the next footholds, as chosen for `task`
    task: Task | None
    course: Course
    over: bool
    done: MeasuredPlan | None  # the step of the last advance
    figure: Figure


@dataclass(frozen=True)
class MeasuredWalk:
    """The walk of a measured person.

    Attributes:
        styles: what to walk like, from which time (s) on: rows of (time, measured walks of one person), mixed over
            time in between; empty for the built-in neutral walk.
        preset: "natural" (the laws fitted to recorded walks) or "paper" (appendix A as printed, nothing beyond it).
        engine: "numpy" or "compiled"; both give the same motion to 1e-9.
    """

    styles: tuple[tuple[float, Style], ...] = ()
    preset: str = "natural"
    engine: str = "numpy"
    knee: float = dial(0.0, -1.0, 1.0, "rad/m", "added to a1: knee at heel strike against step length", "eq. 21")
    strike: float = dial(0.0, -0.45, 1.0, "rad/m", "added to a2: sole at heel strike against step length", "eq. 22")
    push: float = dial(0.0, -1.0, 1.0, "rad/m", "added to a3: sole at toe-off against step length", "eq. 23")
    meta: float = dial(0.0, -1.6, 1.0, "rad/m", "added to a4: toes at toe-off against step length", "eq. 24")
    lead: float = dial(0.0, -0.2, 0.2, "m/m", "added to a5: hip ahead of the feet against step length")
    heel_off: float = dial(0.0, -0.8, 0.8, "steps/m", "added to how much earlier the heel leaves in longer steps")
    bob: float = dial(1.0, 0.0, 2.0, "1", "times the power of the step ratio by which the hips rise and fall")
    toe_off: float = dial(1.0, 0.0, 1.5, "1", "times the law by which toe-off follows the cadence")
    arm_swing: float = dial(1.0, 0.0, 2.5, "1", "times the person's arm swing")
    sway: float = dial(1.0, 0.0, 2.0, "1", "times the person's side to side motion")
    pelvis: float = dial(1.0, 0.0, 2.5, "1", "times the person's turn and list of the pelvis")
    lean: float = dial(0.0, -0.4, 0.4, "rad", "trunk forward beyond the person's own")
    foot_lift: float = dial(0.0, 0.0, 0.15, "m", "extra height of the swing foot")

    def __post_init__(self) -> None:
        check_engine(self.engine)
        if self.preset not in PRESETS:
            raise GambolError(f"preset is {self.preset!r}", where="measured walk", allowed=" or ".join(PRESETS))
        times = [t for t, _ in self.styles]
        if any(b <= a for a, b in pairwise(times)) or any(not style for _, style in self.styles):
            raise GambolError(
                "the styles are not rows of rising times, each with a measured walk", where="measured walk",
                allowed="((0, neutral), (8, tired), ...)",
            )

    def start(self, task: Task, after: Handover | None = None) -> State:
        """Standing with both feet together at the beginning of the path, or where ``after`` left them.

        Raises:
            GambolError: for a handover in full motion: a walk begins from a stand.
        """
        setting = self._setting(task, 0.0)
        course = self._course(task, setting)
        rear, front = first_feet(course, first_side(course))
        low = 0.0
        if after is not None:
            rear, front = taken_over(after, (rear, front), setting.figure.foot, "measured walk")
        walker = self._standing(rear, front, setting, 0.0 if after is None else after.time)
        if after is not None:
            hips = _hips_of(after, task)
            low = max(0.0, float(walker.hips[1] - hips[1]))
            walker = walker._replace(hips=hips, low=low)
        return State(walker, None, None, course, False, None, setting.figure)

    def advance(self, state: State, task: Task) -> tuple[State, Motion | None]:
        """One step; at the end the settling on both feet; then None."""
        if state.over:
            return state, None
        w, course = state.walker, state.course
        setting = self._setting(task, w.time, w.speed)
        if state.task is not None and (state.task.path is not task.path or state.task.terrain is not task.terrain):
            course = self._course(task, setting)
        fresh = state.ahead is None or state.task is not task or setting.pace.speed != w.speed > 0
        ahead = _ahead(course, w, setting) if state.ahead is None or fresh else state.ahead
        plan, after, beyond = self._lowered(w, ahead, setting)
        last = ahead.one is None
        grid = frames(w.time, after.time, task.fps, last) / task.fps - w.time
        ground = Ground(task.body.skeleton, task.terrain, float(task.body.mass or 0), self.engine)
        asked = self._request(setting, course, task) if w.standing else {}
        info = asked | step_facts((w.rear, w.front, ahead.one), (w.time, w.time + w.double, after.time))
        first = 0.5 if w.standing else 1.0  # share of the rear foot, from standing or from walking
        shares = (1.0, 0.5, plan.step) if last else (first, 0.0, max(w.double, 1e-3))
        motion = measured_motion((state.done, plan, beyond), setting.figure, (grid, task.fps), ground, shares, info)
        rest = Next4(None, None, None, None) if last else ahead.next(_beyond(course, ahead, setting))
        return State(after, rest, task, course, last, plan, setting.figure), motion

    def handover(self, state: State) -> Handover:
        """The figure at the end of the last stretch, and the sole points that are on the ground."""
        w, plan, figure = state.walker, state.done, state.figure
        if plan is None:
            raise GambolError("nothing has been walked yet", where="handover", do="advance first")
        out = pose_measured(np.array([plan.step]), plan, figure, self.engine)
        pose = Pose(out[:3, 0], out[ROTATIONS:COM, 0].reshape(-1, 4))
        planted = standing_soles((w.rear, w.front), figure.foot)
        return Handover(w.time, pose, w.velocity, planted, w.rear.side)

    def _laws(self) -> Laws:
        base = PAPER if self.preset == "paper" else NATURAL
        return base._replace(
            knee=base.knee + self.knee, strike=base.strike + self.strike, push=base.push + self.push,
            meta=base.meta + self.meta, lead=base.lead + self.lead, heel_off=base.heel_off + self.heel_off,
            bob=base.bob * self.bob, toe_off=base.toe_off * self.toe_off,
        )

    def _mixed(self, time: float, speed: float, leg: float) -> Mix:
        """The prototypes at a time and speed."""
        rows = self.styles or ((0.0, neutral()),)
        times = [t for t, _ in rows]
        k = int(np.searchsorted(times, time, side="right"))
        if k in (0, len(rows)):
            return mix(rows[min(k, len(rows) - 1)][1] if k == 0 else rows[k - 1][1], speed, leg)
        share = (time - times[k - 1]) / (times[k] - times[k - 1])
        before, after = (mix(rows[i][1], speed, leg) for i in (k - 1, k))
        return tuple(((1 - share) * x, walk) for x, walk in before) + tuple((share * x, walk) for x, walk in after)

    def _setting(self, task: Task, time: float, before: float = 0.0) -> Setting:
        figure, subject = figure_of(task.body), subject_of(task.body)
        steady = coming(task.gait, task.body, time, before)
        looks = {k: getattr(self, k) for k in ("arm_swing", "sway", "pelvis", "lean", "foot_lift")}
        mixed = self._mixed(time, steady.speed, float(subject.leg))
        return Setting(task.body, figure, subject, task.terrain, steady, mixed, self._laws(), looks)

    def _course(self, task: Task, s: Setting) -> Course:
        if task.gait.width is not None:
            half = task.gait.half_width(task.body)
        else:
            half = 0.5 * sum(x * walk.width * s.subject.leg / walk.subject.leg for x, walk in s.mixed)
        return survey(task.path, task.terrain, task.body, half, task.laps)

    def _standing(self, rear: Footstep, front: Footstep, s: Setting, time: float) -> Pacer:
        rise = RELEASE * (s.body.leg_length / 0.93) ** 0.5
        t0 = s.pace.step_time
        first = s.mixed[0][1].step(rear.side).origin
        still = Turnover(
            time - 2e3, time - 1e3, time + 1e3, time + 2e3, time + 3e3, 0.0, 0.0, 0.0, np.zeros(3), np.zeros(4),
            np.zeros(3),
        )
        rear_roll = still._replace(  # the first foot leaves as in walking, only more gently
            heel_off=time + max(rise - 0.45 * t0, 0.05), toes_off=time + rise - 0.12 * t0, lift=time + rise,
            push=0.55 * float(first.push[0]), meta=0.4 * float(first.meta[0]),
        )
        channels = channels_at(s.mixed, (0.0, 0.0), float(s.subject.leg), s.laws, s.looks)
        return Pacer(
            time=time, rear=rear, front=front, rear_roll=rear_roll, front_roll=still,
            hips=standing_hips(rear, front, s), velocity=np.zeros(3), yaw=0.5 * (rear.heading + front.heading),
            yaw_rate=0.0, phase_rate=0.25 / t0, channels=channels, double=rise, standing=True, low=0.0, speed=0.0,
        )

    def _lowered(self, w: Pacer, ahead: Next4, s: Setting) -> tuple[MeasuredPlan, Pacer, MeasuredPlan | None]:
        """The step planned with its end low enough for both legs to reach in this step and in the next."""
        end = middle = 0.0
        for k in range(ROUNDS):
            plan, after = plan_measured(w, ahead, (end, middle), s)
            over, beyond = _excess(measured_reach(plan, s.figure, self.engine), s), None
            late = over[LATE:].max()
            if ahead.one is not None:
                beyond, _then = plan_measured(after, ahead.next(None), (end, 0.0), s)
                late = max(late, _excess(measured_reach(beyond, s.figure, self.engine), s)[: len(over) - LATE].max())
            inside = (over / INSIDE)[EARLY : len(over) - EARLY].max()
            if max(late, inside) <= 0:
                break
            if late > 0:
                end += 1.1 * float(late) + SPARE
            if inside > 0 and (late <= 0 or k >= ENDS_FIRST):
                middle += 1.1 * float(inside) + SPARE
        return plan, after, beyond

    def _request(self, s: Setting, course: Course, task: Task) -> dict[str, Any]:
        """What was asked for, with the values that the laws filled in; travels with the clip."""
        names = [walk.name for _, walk in s.mixed]
        own = {"method": "measured", "preset": self.preset, "prototypes": names, "notes": _far(s)}
        return request_of(task, course.path, s.pace, **own)


def _far(s: Setting) -> list[str]:
    """What to say of a step far from every measured one: preserved in the mathematics, not in the looks (section 6)."""
    ratios = [s.pace.step_length * float(walk.subject.leg / s.subject.leg) / walk.step_length for _, walk in s.mixed]
    near = min(ratios, key=lambda r: abs(np.log(r)))
    if NEAR[0] <= near <= NEAR[1]:
        return []
    return [
        f"steps of {s.pace.step_length:.2f} m are {near:.2f} times the measured ones at this size: the walk is kept in "
        f"the mathematics, but may not look right outside {NEAR[0]:g} to {NEAR[1]:g}; measure one nearer"
    ]


def _excess(distances: np.ndarray, s: Setting) -> np.ndarray:
    """(N,) m by which the longer leg is beyond what a slightly bent knee reaches."""
    a, b = s.figure.thigh, s.figure.shank
    return np.asarray(distances.max(0) - np.sqrt(a * a + b * b + 2 * a * b * np.cos(KNEE_LEAST)))


def _hips_of(after: Handover, task: Task) -> np.ndarray:
    """(3,) m, middle of the hips of the pose that is taken over."""
    still = Motion(task.body.skeleton, after.pose.root[None], after.pose.rotations[None], task.fps)
    return np.asarray((still.at("left_upper_leg")[0] + still.at("right_upper_leg")[0]) / 2)


def _ahead(course: Course, w: Pacer, s: Setting) -> Next4:
    found: list[Footstep | None] = []
    rear, front = w.rear, w.front
    for _ in range(4):
        stop = found and found[-1] is None
        step = None if stop else next_step(course, rear, front, _length(front, s))
        found.append(step)
        if step is not None:
            rear, front = front, step
    return Next4(*found)


def _beyond(course: Course, ahead: Next4, s: Setting) -> Footstep | None:
    if ahead.four is None or ahead.three is None:
        return None
    return next_step(course, ahead.three, ahead.four, _length(ahead.four, s))


def _length(front: Footstep, s: Setting) -> float:
    """m of the step on a foot."""
    return shortened(s.pace.step_length, front) * uneven(int(front.side), s)[0]
