"""What travels with the clip of a walk: what was asked for, and the events and the step object of every step."""

from __future__ import annotations

from typing import Any

import numpy as np

from gambol.footsteps import SIDES, Footstep, step_object
from gambol.gait import Pace
from gambol.path import Path
from gambol.run_laws import RunPace
from gambol.synthesis import Task

__all__ = ["no_events", "request_of", "step_facts"]

SPACING, MOST = 0.1, 2000  # m between the points of a path that is written down, and how many there are at most


def request_of(task: Task, path: Path, pace: Pace | RunPace, **own: Any) -> dict[str, Any]:
    """The task with the values that the laws filled in (``pace``), and what is the method's ``own``.

    A list of speeds is told as it is, ``speeds`` ((s, m/s), ...), in place of one speed, step length and cadence.
    """
    along = np.linspace(0.0, path.length, min(max(int(path.length / SPACING), 1), MOST) + 1)
    steady = {
        "speed_m_s": pace.speed, "step_length_m": pace.step_length, "cadence_steps_min": 60 / pace.step_time,
    }
    listed = isinstance(task.gait.speed, tuple)
    return {
        **own, "seed": task.seed, "height_m": task.body.height, "mass_kg": task.body.mass,
        **({"speeds": task.gait.speed} if listed else steady), "path": np.round(path.point(along), 4).tolist(),
    }


def no_events() -> dict[str, list[float]]:
    """Strikes and offs of both feet, none yet."""
    return {f"{name}_{event}": [] for name in SIDES.values() for event in ("strike", "off")}


def step_facts(feet: tuple[Footstep, Footstep, Footstep | None], times: tuple[float, float, float]) -> dict[str, Any]:
    """Events (s) and the step object of one step of a walk.

    Args:
        feet: rear foot, stance foot, and where the rear one lands; None while it stays.
        times: s on the clip's clock: the step begins, the rear foot lifts, it lands.
    """
    (rear, front, one), (start, lift, land) = feet, times
    events = no_events()
    if one is None:
        return {"events": events, "plan": []}
    events[f"{SIDES[rear.side]}_off"].append(lift)
    events[f"{SIDES[one.side]}_strike"].append(land)
    return {"events": events, "plan": [step_object(rear, front, one, land - start)]}
