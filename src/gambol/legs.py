"""The legs and feet of a rig, and a leg aimed so that its foot is where it shall be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.ik import two_bone
from gambol.roles import Roles
from gambol.skeleton import Skeleton

__all__ = ["Foot", "aim_leg", "feet_of"]

Array = NDArray[np.float64]
SIDES = ("left", "right")


class Foot(NamedTuple):
    """Joints of one leg, and the sole points: joints and columns of the contacts (-1: there is none)."""

    side: str
    hip: int
    knee: int
    ankle: int
    toes: int
    heel: int
    tip: int
    columns: tuple[int, int]


def feet_of(skeleton: Skeleton, roles: Roles) -> list[Foot]:
    """The feet of a skeleton with sole points.

    Raises:
        GambolError: a leg or a sole point is missing.
    """
    out = []
    for side in SIDES:
        hip, knee, ankle = (roles.get(f"{side}_{p}") for p in ("upper_leg", "lower_leg", "foot"))
        if hip is None or knee is None or ankle is None:
            raise GambolError(f"no {side} leg was found", where="plant", do="name its joints: --roles FILE")
        toes = roles.get(f"{side}_toes")
        points = [f"{side}_heel", f"{side}_toe_tip"]
        if not all(p in skeleton and skeleton.index(p) in skeleton.soles for p in points):
            raise GambolError(f"the {side} foot has no sole points", where="plant", do="add them: soles.soled(motion)")
        heel, tip = (skeleton.index(p) for p in points)
        columns = skeleton.soles.index(heel), skeleton.soles.index(tip)
        out.append(Foot(side, hip, knee, ankle, -1 if toes is None else toes, heel, tip, columns))
    return out


def aim_leg(
    rotations: Array, foot: Foot, target: tuple[Array, Array, Array], pose: tuple[Skeleton, Array, Array], facing: float
) -> None:
    """Write the joint rotations of a leg with its ankle, foot and toes where they shall be.

    Args:
        rotations: ``(F, J, 4)``, changed in place.
        foot: the leg.
        target: ankle (F, 3) m, foot in the world (F, 4), toes in the foot (F, 4).
        pose: the skeleton, and positions (F, J, 3) m and world rotations (F, J, 4) of its joints now.
        facing: rad, yaw of the rest pose: knees bend about the axis from right to left.
    """
    skeleton, positions, world = pose
    parents = skeleton.parents
    left = np.array([np.cos(facing), 0.0, -np.sin(facing)])
    hinge = quat.rotate(world[:, foot.hip], left)
    first, second = two_bone(
        (positions[:, foot.hip], positions[:, foot.knee], positions[:, foot.ankle]), target[0], hinge
    )

    def put(joint: int, above: Array, wanted: Array) -> None:
        rotations[:, joint] = quat.normalize(quat.multiply(quat.conjugate(above), wanted))

    put(foot.hip, world[:, parents[foot.hip]], quat.multiply(first, world[:, foot.hip]))
    put(foot.knee, quat.multiply(first, world[:, parents[foot.knee]]), quat.multiply(second, world[:, foot.knee]))
    put(foot.ankle, quat.multiply(second, world[:, parents[foot.ankle]]), target[1])
    if foot.toes >= 0:
        inside = quat.multiply(quat.conjugate(world[:, foot.ankle]), world[:, parents[foot.toes]])
        put(foot.toes, inside, target[2])
