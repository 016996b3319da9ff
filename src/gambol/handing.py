"""Feet taken over from the motion before: where a handover has them planted."""

from __future__ import annotations

import numpy as np

from gambol.errors import GambolError
from gambol.footsteps import SIDES, TOE_OUT, Footstep
from gambol.roll import Foot
from gambol.synthesis import Handover

__all__ = ["taken_over"]

AT_REST = 0.25  # m/s


def taken_over(after: Handover, feet: tuple[Footstep, Footstep], shape: Foot, who: str) -> tuple[Footstep, Footstep]:
    """The two feet where the handover has them planted, the one to swing first in front of the list.

    Raises:
        GambolError: for a figure that still moves, or a foot that is not planted.
    """
    if float(np.linalg.norm(after.velocity)) > AT_REST:
        raise GambolError(
            f"the figure still moves at {np.linalg.norm(after.velocity):.2f} m/s",
            where=who,
            allowed="a handover from a stand",
            do="let the motion before come to rest",
        )
    out = []
    for foot in sorted(feet, key=lambda f: f.side != after.next_side):
        heel, tip = (
            after.planted.get(f"{SIDES[foot.side]}_heel"),
            after.planted.get(f"{SIDES[foot.side]}_toe_tip"),
        )
        if heel is None or tip is None:
            raise GambolError(f"the {SIDES[foot.side]} foot is not planted", where=who, allowed="both feet down")
        along = (tip - heel) / np.linalg.norm(tip - heel)
        place = heel + along * shape.heel
        yaw = foot.yaw + float((np.arctan2(along[0], along[2]) - foot.yaw + np.pi) % (2 * np.pi) - np.pi)
        centre = np.array([foot.centre[0], place[1], foot.centre[2]])
        heading = yaw - foot.side * TOE_OUT
        out.append(
            foot._replace(place=place, heading=heading, yaw=yaw, pitch=float(np.arcsin(along[1])), centre=centre)
        )
    return out[0], out[1]
