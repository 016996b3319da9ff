"""Which way a head looks, and a head brought level that hangs or is thrown back through a whole clip.

The rest pose of captured skeletons says little about the head: in the CMU library, whose ASF files come from one
recorded posture of every subject, walking people look 6 degrees up (subject 02) to 50 degrees down (05, 14) with a
head that is turned as the files say. People who stand or walk keep it within a few degrees of level (Pozzo,
Berthoz and Lefort 1990), so that what the whole clip is off by belongs to the rest pose. How the head moves stays.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.motion import Motion
from gambol.roles import Roles
from gambol.skeleton import forward_kinematics

__all__ = ["levelled_head"]

Array = NDArray[np.float64]
LEVEL = np.radians(5.0)  # up or down: nothing to mend
UPRIGHT = np.radians(35.0)  # a trunk that stands
SHORTEST = 0.5  # s of standing that tell how a head is carried


def levelled_head(motion: Motion, roles: Roles) -> tuple[Motion, float]:
    """The motion with a head that looks ahead while the trunk stands.

    Args:
        motion: F frames of a human's skeleton.
        roles: which of its joints is what.

    Returns:
        The motion, and by how many degrees its head is raised (below 0: lowered). A head whose median pitch over
        frames with an upright trunk is within 5 degrees of level is left alone, as are clips that stand for less than
        half a second; others are brought to 5.
    """
    head = roles.get("head")
    top = next((j for r in ("neck", "upper_chest", "chest") if (j := roles.get(r)) is not None), None)
    if head is None or top is None or not len(motion):
        return motion, 0.0
    ahead = np.array([np.sin(roles.facing), 0.0, np.cos(roles.facing)])
    hips = [roles.joints[f"{s}_upper_leg"] for s in ("left", "right")]
    positions, world = forward_kinematics(motion.skeleton, motion.root, motion.rotations, [head, top, *hips])
    trunk = positions[:, top] - positions[:, hips].mean(1)
    stands = trunk[:, 1] > np.cos(UPRIGHT) * np.linalg.norm(trunk, axis=1)
    if stands.sum() < SHORTEST * motion.fps:
        return motion, 0.0
    pitch = np.arcsin(np.clip(quat.rotate(world[stands, head], ahead)[:, 1], -1.0, 1.0))
    middle = float(np.median(pitch))
    by = float(np.clip(middle, -LEVEL, LEVEL)) - middle
    if by == 0.0:
        return motion, 0.0
    right = np.array([-ahead[2], 0.0, ahead[0]])  # turning about it lifts what looks ahead
    rotations = np.array(motion.rotations)
    rotations[:, head] = quat.multiply(rotations[:, head], quat.from_axis_angle(right, by))
    return replace(motion, rotations=rotations), float(np.degrees(by))
