"""Clips along which the gait changes with a list of speeds."""

from functools import cache

import numpy as np

from gambol.body import Body
from gambol.gait import Gait
from gambol.gait_change import GaitChange
from gambol.methods.force_walk import ForceWalk
from gambol.methods.running import Running
from gambol.motion import Motion
from gambol.path import Path
from gambol.run_form import parse_speed
from gambol.synthesis import Task, generate

WHOLE = "0:0 2:1.3 5:3.5 9:6 12:0"  # stand, walk, run, sprint, run, walk, stand
TO_AND_FRO = "0:0 3:1.2 4:1.2 5.8:3 7.5:3 9:1.3 10.5:1.3 12.3:3 14:3 16:0"
LISTS = (WHOLE, TO_AND_FRO, "0:0 2:1.3 4.5:3.2 7:0")


@cache
def changing(text: str, height: float = 1.75, fps: float = 120.0) -> Motion:
    """A list of speeds walked and run straight ahead, as ``gambol run`` does."""
    size = float(np.sqrt(height / 1.75))
    rows = tuple((t * size, v * size) for t, v in parse_speed(text))
    times, speeds = np.array(rows).T
    far = float(np.trapezoid(speeds, times)) + (20.0 if speeds[-1] == 0 else 4.0 * speeds[-1])
    task = Task(body=Body(height), path=Path(np.array([[0.0, 0, 0], [0, 0, far]])), gait=Gait(speed=rows), fps=fps)
    return generate(GaitChange(ForceWalk(), Running()), task)
