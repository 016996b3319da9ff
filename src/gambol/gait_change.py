"""Walking and running along one path: the gait changes with the speed that is asked for.

By the Froude number v^2 / (g l): above 0.50 people run (2.1 m/s for 1.75 m), found near 2.0 to 2.1 m/s and 140 steps a
minute. The change is decided at a landing, at least two steps after the last one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from gambol.body import G
from gambol.gait import MAX_SPEED, MIN_SPEED
from gambol.motion import Motion
from gambol.path import Path
from gambol.run_laws import slowest_speed
from gambol.synthesis import Handover, Task

__all__ = ["GaitChange"]

RUN = 0.50  # Froude number v^2 / (g l) above which people run
EASY = 2.6  # m/s2 of a stop
AHEAD = 0.3  # s, that a change is looked for ahead
GRID = 0.1  # s


class State(NamedTuple):
    """Which gait it is in, that gait's own state, and how many steps it has lasted."""

    runs: bool
    inner: Any
    steps: int
    stop: float | None  # m along the path
    entered: Handover | None = None  # as the gait took over, until its first step


@dataclass(frozen=True)
class GaitChange:
    """A walk that becomes a run, and a run that stops, as the speed of the task asks."""

    walk: Any
    run: Any

    def start(self, task: Task, after: Handover | None = None) -> State:
        """In the gait that the speed half a second on asks for."""
        runs = self._asked(task, 0.5) > self._limit(task)
        method = self.run if runs else self.walk
        return State(runs, method.start(self._task(task, runs, None), after), 0, None)

    def advance(self, state: State, task: Task) -> tuple[State, Motion | None]:
        """One step of the gait, and the change where it is time."""
        method = self.run if state.runs else self.walk
        inner, motion = method.advance(state.inner, self._task(task, state.runs, state.stop))
        if motion is None:
            return state._replace(inner=inner), None
        steps, stop = state.steps + 1, state.stop
        now = method.handover(inner)
        asked = self._asked(task, now.time + AHEAD)
        if not state.runs and steps > 2 and now.walker is not None and asked > self._limit(task):
            run_task = self._task(task, True, None)
            return State(True, self.run.start(run_task, now), 0, None, now), motion
        if state.runs and stop is None and asked < slowest_speed(task.body) and isinstance(task.gait.speed, tuple):
            speed = float(np.linalg.norm(now.velocity))
            here = task.path.nearest(now.pose.root)
            stop = min(here + speed**2 / (2 * EASY) + 0.6, task.path.length)
        return State(state.runs, inner, steps, stop), motion

    def handover(self, state: State) -> Handover:
        """Of the gait it is in."""
        if state.entered is not None:
            return state.entered
        return (self.run if state.runs else self.walk).handover(state.inner)

    def _asked(self, task: Task, time: float) -> float:
        speed = task.gait.at(time).speed
        return 0.0 if speed is None else float(speed)  # type: ignore[arg-type]  # of one time

    def _limit(self, task: Task) -> float:
        return float(np.sqrt(RUN * G * task.body.leg_length))

    def _task(self, task: Task, runs: bool, stop: float | None) -> Task:
        """The task within what a gait can do, and on a path that ends where the figure is to stop."""
        low, high = slowest_speed(task.body), 1e9
        if not runs:
            unit = float(np.sqrt(G * task.body.leg_length))
            low, high = max(MIN_SPEED * unit * 1.01, 0.7), MAX_SPEED * unit * 0.99
        gait = task.gait
        if isinstance(gait.speed, tuple):
            times, speeds = np.array(gait.speed).T
            grid = np.unique(np.concatenate([times, np.arange(times[0], times[-1], GRID)]))
            kept = np.clip(np.interp(grid, times, speeds), low, high)
            gait = replace(gait, speed=tuple(zip(grid.tolist(), kept.tolist())))
        path = task.path
        if stop is not None and stop < path.length - 0.05:
            k = int(np.searchsorted(path.s, stop))
            path = Path(np.concatenate([path.points[:k], path.point(stop)[None]]))
        return replace(task, gait=gait, path=path)
