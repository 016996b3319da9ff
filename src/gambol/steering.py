"""Following a path by commands: how fast and which way now, so that the figure stays on it with its own sway.

A pelvis sways about the way it goes; a law that pulled it onto the line would take the sway out. So nothing is
corrected but the heading, towards a point ahead on the path (pure pursuit): the sway, which no turn causes, is left
alone (compare the same authors' steering model, Kwon & Shin 2007).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.commands import Command
from gambol.synthesis import Task

__all__ = ["Steer", "Steered", "steer"]

Array = NDArray[np.float64]
WALKS, RUNS = 1.2, 2.6  # m/s, where nothing is asked
BRAKE = 0.7  # m/s2, how the last steps slow down
LAST = 3.5  # segments before the stop whose length is fitted to the way that is left
QUICKEST = np.radians(110.0)  # rad/s
BEND = np.radians(45.0)  # rad/s a walk takes without slowing
SLOW = 0.75  # m/s, the slowest the last steps and the tightest turns are taken
AHEAD = 1.5  # m, how far ahead of the last place the nearest point of the path is looked for


class Steer(NamedTuple):
    """How far along the path the figure is, m."""

    s: float


class Steered(NamedTuple):
    """What to do now."""

    command: Command
    steer: Steer
    arrived: bool


def steer(
    before: Steer | None, task: Task, now: tuple[Array, float, float, float], lookahead: float,
    halt: tuple[float, float],
) -> Steered:
    """The command that follows the task's path.

    Args:
        before: where it was last; None at the beginning.
        task: path, gait (its speed, or a schedule), laps.
        now: place (2,) m, heading rad, speed m/s and time s.
        lookahead: m, at 1.2 m/s; in proportion to the speed above it.
        halt: m that a stop goes on for, and s of one segment: the last segments are made so long that it ends at the
        end.
    """
    place, heading, speed, time = now
    path = task.path
    whole = path.length * task.laps
    last = 0.0 if before is None else before.s
    here = np.array([place[0], float(path.point(last)[1]), place[1]])
    s = path.nearest(here, max(last - 0.3, 0.0), AHEAD)
    s = max(s, last)
    left = whole - s
    wanted = task.gait.at(time).speed
    cruise = float(wanted) if isinstance(wanted, float | int) else WALKS
    room = left - halt[0]
    if room < 0.5 * SLOW * halt[1]:
        return Steered(Command(0.0, gait="stand"), Steer(s), True)
    ahead = lookahead * max(1.0, cruise / 1.2)
    target = path.point(min(s + ahead, whole) if not path.closed else s + ahead)[[0, 2]] - place
    if s + ahead > whole and not path.closed or task.laps * path.length - s < ahead:
        end = path.point(whole)
        target = end[[0, 2]] + (s + ahead - whole) * path.tangent(whole)[[0, 2]] - place
    far = float(np.hypot(*target))
    off = (np.arctan2(target[0], target[1]) - heading + np.pi) % (2 * np.pi) - np.pi
    v = min(cruise, float(np.sqrt(SLOW**2 + 2 * BRAKE * max(room, 0.0))))
    if room < LAST * v * halt[1]:
        v = room / (max(1, round(room / (v * halt[1]))) * halt[1])
    turn = 2 * np.sin(np.clip(off, -np.pi / 2, np.pi / 2)) / max(far, 0.2) * max(min(v, max(speed, SLOW)), 0.3)
    turn = float(np.clip(turn, -QUICKEST, QUICKEST))
    if abs(turn) > BEND and cruise < 2.0 and room >= LAST * v * halt[1]:
        v = max(min(v, SLOW), v * BEND / abs(turn))
    return Steered(Command(v, turn), Steer(s), False)
