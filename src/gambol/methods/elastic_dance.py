"""Dancing between postures by elastic joints (Chen, Li and Hu 2004, section 4).

One stretch is what happens between two keys, or while one holds. Every joint is a spring in its parent's frame,
stepped in closed form; planted feet, jumps and balance are put on the posed frames, each computed from its time alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.dance_feet import Feet, Passage, feet_at, feet_of, planted_pose
from gambol.elastic import MODES, TINY, Goal, Segment, State, at, closed, segments, solve
from gambol.errors import GambolError
from gambol.keys import Key, channels_of, check_keys, pose_of
from gambol.model import Model, mass_centre, person_model
from gambol.motion import Motion, Pose
from gambol.skeleton import forward_kinematics
from gambol.spring import Spring, bounded, check_spring, unbounded
from gambol.synthesis import Handover, Task, dial

__all__ = ["DanceState", "ElasticDance"]

Array = NDArray[np.float64]
FREQUENCY, RATIO = 9.0, 0.55  # rad/s and 1 of a middling joint: brisk, with a little swing
BODY = (11.0, 0.9)  # rad/s and 1 of the root's place and heading, whatever the joints are: feet must reach it
SOFT = 0.12  # rad before a joint's limit from which it goes slower
LEAD = 0.8  # s to the first key for a figure that is taken over from another method
MOMENT = 1e-3  # s over which the velocity of the mass centre is taken


class DanceState(NamedTuple):
    """Between two stretches.

    Attributes:
        time: s.
        state: channels of the elastic joints, before their ranges are kept.
        feet: where they stand.
        late: s by which all keys come later, for a figure that was taken over.
        led: the first key is still to be reached from elsewhere.
        flown: the last stretch was a flight.
        keys: those of the last advance, which have been checked.
        over: nothing comes any more.
        end: pose, velocity of the mass centre and planted soles, for a handover.
    """

    time: float
    state: State
    feet: Feet
    late: float
    led: bool
    flown: bool
    keys: tuple[Key, ...]
    over: bool
    end: Handover | None


@dataclass(frozen=True)
class ElasticDance:
    """A dance through the keys of a task.

    Attributes:
        mode: "hit" (every key is reached at its time) or "pull" (each key is where the joints are drawn to).
        limited: keep joints inside their ranges; keys beyond are brought just inside.
        joints: (name, inertia, damping, stiffness) of single joints, times those of the whole body.
    """

    takes: ClassVar[tuple[str, ...]] = ("keys",)
    gives: ClassVar[tuple[str, ...]] = ("contacts",)

    mode: str = "hit"
    limited: bool = True
    joints: tuple[tuple[str, float, float, float], ...] = ()
    inertia: float = dial(1.0, 0.2, 5.0, "1", "more is clumsy, less is brisk", "section 4.1, M")
    damping: float = dial(1.0, 0.05, 4.0, "1", "more is calm, less is wild", "section 4.1, C")
    stiffness: float = dial(1.0, 0.1, 6.0, "1", "more is rigid, less is soft", "section 4.1, K")
    lag: float = dial(0.06, 0.0, 0.25, "1", "how much softer each joint is than the one it hangs on")
    balance: float = dial(0.0, 0.0, 1.0, "1", "how far the mass centre is kept over the feet that carry it")

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise GambolError(f"mode is {self.mode!r}", where="elastic dance", allowed=" or ".join(MODES))
        check_spring(Spring(self.inertia, self.damping, self.stiffness), "elastic dance")
        for name, *numbers in self.joints:
            check_spring(Spring(*numbers), f"elastic dance, joint {name}")

    def lasts(self, task: Task) -> float:
        """s of the motion, by its keys."""
        if not task.keys:
            return 0.0
        if task.period is not None:
            return task.keys[0].time + task.period if task.duration is None else task.duration
        return task.keys[-1].time + task.keys[-1].hold + LEAD

    def start(self, task: Task, after: Handover | None = None) -> DanceState:
        """In the first key, or where ``after`` left the figure, which is then led to the first key."""
        model, keys = _model(task), task.keys
        check_keys(keys, model.skeleton, task.period)
        if after is not None:
            x = self._free(channels_of(after.pose), model)
            v = np.zeros_like(x)
            v[-4:-1] = after.velocity
            feet = feet_of(model, after.pose, set(after.planted))
            late = after.time + max(LEAD - keys[0].time, 0.0)
            return DanceState(after.time, State(x, v), feet, late, True, False, keys, False, after)
        feet = feet_at(model, keys[0], (), task.terrain)
        x = self._free(channels_of(keys[0].pose), model)
        state, begin = State(x, np.zeros_like(x)), 0.0
        if task.period is not None:
            begin = keys[0].time
            state, feet = self._round(task, state, feet)
        return DanceState(begin, state, feet, 0.0, False, False, keys, False, None)

    def advance(self, state: DanceState, task: Task) -> tuple[DanceState, Motion | None]:
        """To the next key, or through its hold; None when the last one is over."""
        if state.over:
            return state, None
        model, keys = _model(task), task.keys
        if keys is not state.keys:
            check_keys(keys, model.skeleton, task.period)
        local = state.time - state.late
        todo = segments(keys, task.period, local, state.led)
        if not todo:  # a single key without a hold: one frame
            todo = [Segment(local, local, len(keys) - 1, hold=True)]
        segment = todo[0]
        course = solve(segment, state.state, self._goal(task, todo, state.state), self._spring(model), self.mode)
        after = state.feet if segment.hold else feet_at(model, keys[segment.goal], state.feet, task.terrain)
        landed = state.flown and not segment.flight
        passage = Passage(state.feet, after, segment.start, segment.end, segment.flight, landed, segment.leap)
        end = segment.end + state.late
        last = len(todo) == 1 and (task.period is None or task.duration is None or end >= task.duration)
        times = _grid((state.time, end), task.fps, last and task.period is None)
        when = np.concatenate([times - state.late, [segment.start, segment.end - MOMENT, segment.end]])
        shown = self._shown(at(course, state.state, when).x, model)
        pose, contacts = planted_pose(model, pose_of(shown), passage, when, (self.balance, task.terrain))
        motion = self._motion(task, Pose(pose.root[:-3], pose.rotations[:-3]), contacts[:-3])
        handover = _handover(model, Pose(pose.root[-2:], pose.rotations[-2:]), contacts[-1], end)
        now = at(course, state.state, np.array(segment.end))
        led = state.led and segment.goal == 0 and segment.end < keys[0].time - TINY
        flown = segment.flight or (state.flown and segment.end <= segment.start)
        return DanceState(end, now, after, state.late, led, flown, keys, last, handover), motion

    def handover(self, state: DanceState) -> Handover:
        """The figure at the end of the last stretch."""
        if state.end is None:
            raise GambolError("nothing has been danced yet", where="handover", do="advance first")
        return state.end

    def _goal(self, task: Task, todo: Sequence[Segment], state: State) -> Goal:
        """Where a segment leads, on the branch nearest to where the joints are."""
        model, segment = _model(task), todo[0]
        near = self._shown(state.x, model)
        first = channels_of(task.keys[segment.goal].pose, near)
        goal = Goal(self._free(first, model), self._free(first, model))
        if not segment.leap:
            return goal
        flight = next((s for s in todo[1:] if s.flight), None)
        if flight is None:  # over the end of a round
            flight = next(s for s in segments(task.keys, task.period, task.keys[0].time, False) if s.flight)
        after = channels_of(task.keys[flight.goal].pose, first)
        return goal._replace(after=self._free(after, model), flight=flight.end - flight.start)

    def _round(self, task: Task, state: State, feet: Feet) -> tuple[State, Feet]:
        """State and feet at the first key from which one round leads back to them."""
        model, keys = _model(task), task.keys
        todo = segments(keys, task.period, keys[0].time, False)
        goals, now = [], state
        for k, segment in enumerate(todo):
            goals.append(self._goal(task, todo[k:], now))
            now = State(goals[-1].key, state.v)
            if not segment.hold:
                feet = feet_at(model, keys[segment.goal], feet, task.terrain)
        turned = goals[-1].key - state.x
        return closed(list(zip(todo, goals)), turned, self._spring(model), self.mode), feet

    def _spring(self, model: Model) -> Spring:
        """(C,) each."""
        depth = _depth(model)
        w = FREQUENCY * (1 - self.lag) ** depth
        factors = np.ones((len(depth), 3))
        for name, *numbers in self.joints:
            factors[model.skeleton.index(name)] = numbers
        w, f = np.repeat(w, 3), np.repeat(factors, 3, axis=0)
        turns = self.inertia * f[:, 0], self.damping * f[:, 1] * 2 * RATIO * w, self.stiffness * f[:, 2] * w * w
        body = Spring.tuned(np.full(4, BODY[0]), BODY[1])
        return Spring(*(np.concatenate([a, np.broadcast_to(b, 4)]) for a, b in zip(turns, body)))

    def _free(self, channels: Array, model: Model) -> Array:
        """The elastic state that is shown as these channels."""
        low, high = _ranges(model) if self.limited else (-np.inf, np.inf)
        return unbounded(channels, low, high, SOFT)

    def _shown(self, x: Array, model: Model) -> Array:
        """Channels with joints inside their ranges."""
        low, high = _ranges(model) if self.limited else (-np.inf, np.inf)
        return bounded(x, low, high, SOFT)

    def _motion(self, task: Task, pose: Pose, contacts: NDArray[np.bool_]) -> Motion:
        model, keys = _model(task), task.keys
        info: dict[str, object] = {"method": "dance", "key_times_s": [[float(k.time), float(k.hold)] for k in keys]}
        if model.name:
            info["model"] = model.name
        if task.period is not None:
            still = [0.0, 0.0, 0.0]
            info["loop"] = {"period_s": task.period, "travel_m": still, "velocity_m_s": still, "in_place": True,
                            "start_m": still}
        return Motion(
            model.skeleton, pose.root, pose.rotations, task.fps, contacts=contacts,
            mass=float(task.body.mass or 0) if model.kind == "person" else None, cyclic=task.period is not None,
            name="dance", info=info,
        )


def _model(task: Task) -> Model:
    return person_model(task.body) if task.model is None else task.model


def _grid(span: tuple[float, float], fps: float, last: bool) -> Array:
    """s, the frames of a stretch: t0 <= i / fps < t1, the last one with its end."""
    first = int(np.ceil(span[0] * fps - 1e-6))
    end = int(np.floor(span[1] * fps + 1e-6)) + 1 if last else int(np.ceil(span[1] * fps - 1e-6))
    out: Array = np.arange(first, max(end, first)) / fps
    return out


@lru_cache(maxsize=64)
def _depth(model: Model) -> Array:
    """(J,) joints between each joint and the root."""
    out = np.zeros(len(model.skeleton))
    for j in range(1, len(out)):
        out[j] = out[model.skeleton.parents[j]] + 1
    return out


@lru_cache(maxsize=64)
def _ranges(model: Model) -> tuple[Array, Array]:
    """(C,) least and most of each channel; joints that turn freely have none."""
    out = []
    for side, values in ((-np.inf, model.limits.low), (np.inf, model.limits.high)):
        turns = np.where(np.abs(values) >= np.pi, side, values)
        turns[0] = side
        out.append(np.concatenate([turns.ravel(), np.full(4, side)]))
    return out[0], out[1]


def _handover(model: Model, pose: Pose, contacts: NDArray[np.bool_], time: float) -> Handover:
    points, world = forward_kinematics(model.skeleton, pose.root, pose.rotations)
    centre = mass_centre(model, points, world)
    planted = {model.skeleton.names[s]: points[-1, s] for s, on in zip(model.skeleton.soles, contacts) if on}
    return Handover(
        time, Pose(pose.root[-1], pose.rotations[-1]), (centre[1] - centre[0]) / MOMENT, planted, 1
    )
