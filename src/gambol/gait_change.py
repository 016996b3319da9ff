"""Walking and running along one path: the gait changes with the speed that is asked for.

By the Froude number v^2 / (g l): above 0.50 people run (2.1 m/s for 1.75 m), below 0.42 they walk (1.95 m/s), found
near 2.0 to 2.1 m/s and 140 steps a minute. The change is decided at a landing, at least two steps after the last one;
a run goes over into a walk at the landing after the next, as the foot in the air has its time already.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from gambol.body import G
from gambol.gait import MAX_SPEED
from gambol.motion import Motion
from gambol.path import Path
from gambol.run_laws import slowest_speed
from gambol.synthesis import Handover, Task

__all__ = ["GaitChange"]

RUN, WALK = 0.50, 0.42  # Froude number v^2 / (g l) above which people run, below which they walk
AHEAD = 0.3, 0.58  # s, that a change is looked for ahead: into a run; into a walk, the middle of the step after next
STEPS = 2  # in a gait, at least
CAUGHT = 1.5  # of the speed at which people begin to run: faster, a walk does not catch a run
GRID = 0.1  # s
SOON = 2.2  # s before it ends that the place of a stop is chosen
SHORT = 0.25  # of the leg: no last step is shorter, the feet come together where the front one stands
SLOWEST_WALK, LAST_STEPS = 0.17, 0.35  # v_hat: of a walk; the most of the last steps before a stop, short but quick
QUICK = 2.7  # sqrt(l / g): the last steps are as fast as the body is that long before it stands


class State(NamedTuple):
    """Which gait it is in, that gait's own state, and how many steps it has lasted."""

    runs: bool
    inner: Any
    steps: int
    stop: Path | None  # the path to where the walk ends, once that is known
    entered: Handover | None = None  # as the gait took over, until its first step


@dataclass(frozen=True)
class GaitChange:
    """A walk that becomes a run, and a run that becomes a walk, as the speed of the task asks."""

    walk: Any
    run: Any

    def start(self, task: Task, after: Handover | None = None) -> State:
        """In the gait that the speed half a second on asks for."""
        runs = self._asked(task, 0.5) > self._limit(task, RUN)
        method = self.run if runs else self.walk
        return State(runs, method.start(self._task(task, runs, None), after), 0, None)

    def advance(self, state: State, task: Task) -> tuple[State, Motion | None]:
        """One step of the gait, and the change where it is time."""
        if state.runs and state.inner.runner.kind == "walk":
            return self._into_walk(state, task)
        method = self.run if state.runs else self.walk
        inner, motion = method.advance(state.inner, self._task(task, state.runs, state.stop))
        if motion is None:
            return state._replace(inner=inner), None
        if "speeds" in motion.info:  # as asked, not as one gait can
            motion = replace(motion, info={**motion.info, "speeds": task.gait.speed})
        steps = state.steps + 1
        now = method.handover(inner)
        asked = self._asked(task, now.time + AHEAD[state.runs])
        if state.runs:
            slow = inner.runner.pace.speed < CAUGHT * self._limit(task, RUN)
            walks = steps >= STEPS and slow and asked < self._limit(task, WALK) and isinstance(task.gait.speed, tuple)
            return State(True, inner._replace(walks=walks), steps, None), motion
        if steps > STEPS and now.walker is not None and asked > self._limit(task, RUN):
            return State(True, self.run.start(self._task(task, True, None), now), 0, None, now), motion
        return State(False, inner, steps, state.stop or self._stop(task, now)), motion

    def _into_walk(self, state: State, task: Task) -> tuple[State, Motion | None]:
        """The step after the last landing of a run."""
        w = state.inner.runner
        onto = self.walk.onto(self._task(task, False, None), w.time + w.pace.step_time)
        now, motion = self.run.into_walk(state.inner, self._task(task, True, None), onto)
        stop = self._stop(task, now)
        return State(False, self.walk.start(self._task(task, False, stop), now), 0, stop, now), motion

    def _stop(self, task: Task, now: Handover) -> Path | None:
        """The path to where C comes to rest, if the list of speeds ends at rest within the next :data:`SOON` s."""
        w, rows = now.walker, task.gait.speed
        if w is None or not isinstance(rows, tuple) or rows[-1][1] > 0 or rows[-1][0] - now.time > SOON:
            return None
        times = np.linspace(now.time, max(rows[-1][0], now.time), 50)
        here = task.path.nearest(w.border.position, max(w.rear.s - 1.0, 0.0), 3.0)
        way = float(np.trapezoid([self._asked(task, t) for t in times], times))
        end = task.path.length * (task.laps if task.path.closed else 1)
        beyond = here + way - w.front.s
        least = SHORT * task.body.leg_length
        whole = beyond if beyond > least else 0.0
        return task.path.until(min(w.front.s + whole, end))

    def handover(self, state: State) -> Handover:
        """Of the gait it is in."""
        if state.entered is not None:
            return state.entered
        return (self.run if state.runs else self.walk).handover(state.inner)

    def _asked(self, task: Task, time: float) -> float:
        speed = task.gait.at(time).speed
        return 0.0 if speed is None else float(speed)  # type: ignore[arg-type]  # of one time

    def _limit(self, task: Task, froude: float) -> float:
        return float(np.sqrt(froude * G * task.body.leg_length))

    def _task(self, task: Task, runs: bool, stop: Path | None) -> Task:
        """The task within what a gait can do, and on a path that ends where the figure is to stop."""
        low, high = slowest_speed(task.body), 1e9
        if not runs:
            unit = float(np.sqrt(G * task.body.leg_length))
            low, high = SLOWEST_WALK * unit, MAX_SPEED * unit * 0.99
            if stop is not None and isinstance(task.gait.speed, tuple):
                low = max(low, min(QUICK * _braking(task.gait.speed) * unit / G, LAST_STEPS * unit))
        gait = task.gait
        if isinstance(gait.speed, tuple):
            times, speeds = np.array(gait.speed).T
            grid = np.unique(np.concatenate([times, np.arange(times[0], times[-1], GRID)]))
            kept = np.clip(np.interp(grid, times, speeds), low, high)
            gait = replace(gait, speed=tuple(zip(grid.tolist(), kept.tolist())))
        return replace(task, gait=gait) if stop is None else replace(task, gait=gait, path=stop, laps=1)


def _braking(rows: tuple[tuple[float, float], ...]) -> float:
    """m/s2 with which a list of speeds comes to rest."""
    (t0, v0), (t1, v1) = rows[-2:]
    return (v0 - v1) / (t1 - t0)
