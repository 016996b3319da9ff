"""Who runs where: the values that planning a step of a run needs and leaves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import Body
from gambol.figure_parts import Figure
from gambol.flight import Carry
from gambol.footsteps import Course, Footstep
from gambol.roll import Roll
from gambol.run_laws import RunPace

__all__ = ["Manner", "RunScene", "Runner", "Swinging"]

Array = NDArray[np.float64]


class Manner(NamedTuple):
    """How this run looks: the attributes, independent of the parameters (angles rad)."""

    strike: float  # -1 toe .. 1 heel
    knee_land: float
    knee_off: float
    lift: float
    kick: float
    width: float  # m
    toe_out: float
    lean: float
    rotation: float
    list_: float
    chest: float
    arm: float
    arm_mean: float
    elbow: float
    arms_out: float
    nod: float
    impact: float  # body weights


class RunScene(NamedTuple):
    """What stays the same during a plan."""

    body: Body
    figure: Figure
    course: Course
    manner: Manner
    engine: str

    @property
    def size(self) -> float:
        """Leg length over that of the runners measured."""
        return self.body.leg_length / 0.93

    def relative(self, speed: float) -> float:
        """m/s of a leg of 0.93 m that is dynamically alike."""
        return speed / float(np.sqrt(self.size))


class Swinging(NamedTuple):
    """A foot in the air, or about to leave: where it stood, times on the clip's clock, its swing so far."""

    foot: Footstep
    roll: Roll
    lift: float
    land: float
    keys: Array
    start: Array  # (3, 5)
    clear: Array  # (2,) rad it is lifted by, in mid-swing and before landing


class Runner(NamedTuple):
    """The figure at a landing. Times s on the clip's clock."""

    time: float
    front: Footstep  # has just landed
    front_roll: Roll
    rear: Swinging
    c: Array  # (3,) m
    v: Array  # (3,) m/s
    pace: RunPace  # of the step that begins
    s: float  # m along the path
    yaw: float
    yaw_rate: float
    phase_rate: float  # 1/s
    style: Array
    hips: Array  # (2, 3) hip of the stance leg from C at landing and toe-off, outward positive
    kind: str  # stand, run, stop, still, over; change: out of a walk; walk: into one
    carry: Carry
    end: Array  # (3, 5) what the last swing added at its landing: where the next search begins
    start: Array  # (3, 5) and at its toe-off
    steps: int
    lifted: Array  # (2,) rad that the last swing had to be lifted by
    leave: Array  # (14, 6)
    leave_time: float
