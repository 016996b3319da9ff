"""Who walks where: the values that planning a step needs and leaves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import Body
from gambol.figure import Figure
from gambol.footsteps import Footstep
from gambol.gait import Pace
from gambol.reaction import Border, Shape
from gambol.roll import Roll
from gambol.terrain import Terrain

__all__ = ["NOWHERE", "Ahead", "Look", "Scene", "Walker"]

Array = NDArray[np.float64]


class Look(NamedTuple):
    """How this walk looks at one speed: the row of the table, force shape per mode, and the method's dials."""

    row: dict[str, float]
    level: Shape
    up: Shape
    down: Shape
    arm_swing: float
    pelvis: float
    lean: float
    lift: float  # m
    crouch: float  # m
    armpit: float
    v_hat: float
    elbow: float = 0.0
    arms: float = 0.0
    head: float = 0.0
    hunch: float = 0.0
    knee: float = 0.0698132
    twist: float = 1.0


class Scene(NamedTuple):
    """What stays the same during a plan."""

    body: Body
    figure: Figure
    terrain: Terrain
    look: Look
    pace: Pace
    load: tuple[float, float]


class Walker(NamedTuple):
    """The figure at a heel strike. Times s on the clip's clock."""

    time: float
    rear: Footstep
    front: Footstep
    rear_roll: Roll
    front_roll: Roll  # its push is settled when its step begins
    border: Border
    yaw: float
    yaw_rate: float
    trail: Array  # (3, 6) force coefficients of the rear foot, per kg
    trail_stance: float
    trail_shift: float
    double: float  # s that the rear foot still stands
    standing: bool  # both feet carry the weight at this moment
    phase_rate: float  # 1/s
    style: Array
    arms: tuple[float, float]  # rad, left and right
    low: float  # m that C was lowered by at this heel strike
    speed: float  # m/s of the step before (0 from a stand)


class Ahead(NamedTuple):
    """The next footholds; None from where the walk is over."""

    one: Footstep | None
    two: Footstep | None
    three: Footstep | None
    four: Footstep | None

    def next(self, beyond: Footstep | None) -> Ahead:
        """The footholds as seen one step later."""
        return Ahead(self.two, self.three, self.four, beyond)


NOWHERE = Ahead(None, None, None, None)
