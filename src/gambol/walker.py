"""Who walks where: the values that planning a step needs and leaves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.figure_parts import Figure
from gambol.footsteps import NONE, Footstep
from gambol.gait import Pace
from gambol.hurdle import Looks
from gambol.kernels import kernel
from gambol.reaction import Border, Shape, Steady
from gambol.roll import Roll
from gambol.walk_table import Row

__all__ = ["NOWHERE", "NO_STEP", "Ahead", "Look", "Mode", "Scene", "Walker", "seen_next"]

Array = NDArray[np.float64]


class Mode(NamedTuple):
    """A vertical walking mode (section 1.8): its force curves, their steady walk, and how its feet push off."""

    shape: Shape
    steady: Steady
    push: float  # rad
    toes: float  # rad
    heel_off: float  # share of the stride


class Look(NamedTuple):
    """How this walk looks at one speed: the row of the table, the three modes, and the method's dials."""

    row: Row
    level: Mode
    up: Mode
    down: Mode
    swing: Looks  # where the clearance of the swing foot is looked at, and how high it is to be
    arm_swing: float
    pelvis: float
    lean: float
    crouch: float  # m
    armpit: float
    v_hat: float
    elbow: float
    arms: float
    head: float
    hunch: float
    knee: float
    twist: float


class Scene(NamedTuple):
    """What stays the same during a plan."""

    figure: Figure
    height: float  # m
    leg: float  # m
    mass: float  # kg
    lift: float  # m, how much higher C is above the hips than in a built-in person
    roll: float  # 0..1, how much of a person's roll over heel and toes the feet make
    look: Look
    pace: Pace
    load: tuple[float, float]  # kg in the left and right hand


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
    """The next footholds; of the kind NONE from where the walk is over."""

    one: Footstep
    two: Footstep
    three: Footstep
    four: Footstep


NO_STEP = Footstep(0, np.zeros(3), np.zeros(3), 0.0, 0.0, 0.0, 0.0, 0.0, NONE, False)
NOWHERE = Ahead(NO_STEP, NO_STEP, NO_STEP, NO_STEP)


@kernel
def seen_next(ahead: Ahead, beyond: Footstep):  # type: ignore[no-untyped-def]
    """The footholds as seen one step later."""
    return Ahead(ahead.two, ahead.three, ahead.four, beyond)
