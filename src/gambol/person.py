"""Any humanoid's motion on gambol's own person: what captures of different skeletons have in common.

Bones point where the source's point, feet lie flat where the source's stood, the legs set the scale.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.body import SHANK, THIGH, Body
from gambol.errors import GambolError
from gambol.motion import Motion
from gambol.skeleton import Skeleton, forward_kinematics

__all__ = ["as_person", "leg_of"]

Array = NDArray[np.float64]
SIDES = ("left", "right")
LIMBS = ("upper_arm", "lower_arm", "upper_leg", "lower_leg")
NEXT = {"upper_arm": "lower_arm", "lower_arm": "hand", "upper_leg": "lower_leg", "lower_leg": "foot"}
NEEDED = tuple(f"{s}_{j}" for s in SIDES for j in ("upper_leg", "lower_leg", "foot")) + ("hips",)
STILL = 0.1  # share of the frames, those of the slowest foot, that show how it lies on the ground
UPRIGHT, ASKEW = np.radians(25.0), np.radians(20.0)  # a trunk that stands; the most that markers sit askew
TRUNK = ("hips", "spine", "chest", "upper_chest", "neck", "head")


def leg_of(skeleton: Skeleton, roles: Mapping[str, int]) -> float:
    """m, thigh and shank, mean of both sides."""
    rest = skeleton.rest_positions()
    bones = [
        np.linalg.norm(rest[roles[f"{s}_{NEXT[j]}"]] - rest[roles[f"{s}_{j}"]])
        for s in SIDES for j in ("upper_leg", "lower_leg")
    ]
    return float(np.sum(bones) / 2)


def as_person(motion: Motion, roles: Mapping[str, int], height: float) -> Motion:
    """The motion of a humanoid, on a person of ``height`` m.

    Args:
        motion: F frames of any skeleton.
        roles: VRM humanoid names in snake case -> joint of the skeleton; legs and hips are needed.
        height: m, of the person.

    Returns:
        F frames at the rate of the source; contacts and forces are left out.

    Raises:
        GambolError: where a leg or the hips are missing.
    """
    missing = [r for r in NEEDED if r not in roles]
    if missing:
        raise GambolError(
            f"no joint is known to be {', '.join(missing)}", where=motion.name or "motion",
            allowed="a person with two legs", do="give a table of roles",
        )
    person = Body(height).skeleton
    facing = _facing(motion.skeleton, roles)
    positions, world = forward_kinematics(motion.skeleton, motion.root, motion.rotations)
    turned: dict[str, Array] = {}
    upright = "hips"
    for name in TRUNK:
        upright = name if name in roles else upright
        turned[name] = quat.multiply(world[:, roles[upright]], facing)
    turned["hips"] = _level_pelvis(turned["hips"], turned["upper_chest"])
    for side in SIDES:
        shoulder = f"{side}_shoulder"
        turned[shoulder] = (
            quat.multiply(world[:, roles[shoulder]], facing) if shoulder in roles else turned["upper_chest"]
        )
        for joint in LIMBS:
            turned[f"{side}_{joint}"] = _limb(motion, roles, world, facing, (side, joint), turned)
        hand = f"{side}_hand"
        turned[hand] = turned[f"{side}_lower_arm"]
        if hand in roles and f"{side}_lower_arm" in roles:
            rest = _rest_turn(motion, roles, person, (side, "lower_arm"), facing)
            turned[hand] = quat.multiply(world[:, roles[hand]], rest)
        turned[f"{side}_foot"] = _foot(motion, roles, positions, world, side)
        turned[f"{side}_toes"] = turned[f"{side}_foot"]
    rotations = np.empty((len(motion), len(person), 4))
    for j, name in enumerate(person.names):
        k = person.parents[j]
        mine = turned.get(name, turned[person.names[k]] if k >= 0 else None)
        assert mine is not None
        turned[name] = mine
        rotations[:, j] = mine if k < 0 else quat.multiply(quat.conjugate(turned[person.names[k]]), mine)
    legs = np.array([person.rest_positions()[person.index(f"{s}_upper_leg")] for s in SIDES]).mean(0)
    scale = (THIGH + SHANK) * height / leg_of(motion.skeleton, roles)
    middle = positions[:, [roles["left_upper_leg"], roles["right_upper_leg"]]].mean(1) * scale
    root = middle - quat.rotate(turned["hips"], legs - person.offsets[0])
    return Motion(person, root, rotations, motion.fps, name=motion.name, info=motion.info)


def _facing(skeleton: Skeleton, roles: Mapping[str, int]) -> Array:
    """The turn about the vertical from a person's rest (left is +x) to the source's."""
    rest = skeleton.rest_positions()
    across = (rest[roles["left_upper_leg"]] - rest[roles["right_upper_leg"]]) * [1.0, 0.0, 1.0]
    if np.linalg.norm(across) < 1e-9:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return quat.from_axis_angle([0.0, 1.0, 0.0], np.arctan2(-across[2], across[0]))


def _level_pelvis(pelvis: Array, chest: Array) -> Array:
    """The pelvis without its mean pitch while the trunk is upright: where markers sat on it, not how it was held."""
    up, front = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
    upright = quat.rotate(chest, up)[:, 1] > np.cos(UPRIGHT)
    if not upright.any():
        return pelvis
    pitch = float(np.median(-np.arcsin(np.clip(quat.rotate(pelvis[upright], front)[:, 1], -1, 1))))
    if abs(pitch) > ASKEW:
        return pelvis
    return quat.multiply(pelvis, quat.from_axis_angle([1.0, 0.0, 0.0], -pitch))


def _rest_turn(
    motion: Motion, roles: Mapping[str, int], person: Skeleton, limb: tuple[str, str], facing: Array
) -> Array:
    """The rotation from the person's rest frame to the source's for a limb: bones then lie along each other."""
    side, joint = limb
    a, b = roles[f"{side}_{joint}"], roles[f"{side}_{NEXT[joint]}"]
    rest = motion.skeleton.rest_positions()
    bone, own = rest[b] - rest[a], person.offsets[person.index(f"{side}_{NEXT[joint]}")]
    length = np.linalg.norm(bone)
    if length < 1e-9:
        return facing
    ahead = quat.rotate(facing, own / np.linalg.norm(own))
    return quat.multiply(quat.between(ahead, bone / length), facing)


def _limb(
    motion: Motion, roles: Mapping[str, int], world: Array, facing: Array, limb: tuple[str, str],
    turned: Mapping[str, Array],
) -> Array:
    side, joint = limb
    name, after = f"{side}_{joint}", f"{side}_{NEXT[joint]}"
    if name not in roles or after not in roles:
        hanging = quat.from_axis_angle([0.0, 0.0, 1.0], -1.4 if side == "left" else 1.4)
        return quat.multiply(turned["upper_chest"], hanging)  # arms nobody captured hang
    person = Body().skeleton
    return quat.multiply(world[:, roles[name]], _rest_turn(motion, roles, person, limb, facing))


def _foot(motion: Motion, roles: Mapping[str, int], positions: Array, world: Array, side: str) -> Array:
    """World rotations of a foot that is flat where the source's lies still, and points where its toes point."""
    foot = roles[f"{side}_foot"]
    toes = roles.get(f"{side}_toes", _child(motion.skeleton, foot))
    turns = world[:, foot]
    speed = np.linalg.norm(np.gradient(positions[:, foot], axis=0), axis=-1) if len(motion) > 1 else np.zeros(1)
    still = np.argsort(speed, kind="stable")[: max(1, int(STILL * len(motion)))]
    up = np.median(quat.rotate(quat.conjugate(turns[still]), np.array([0.0, 1.0, 0.0])), axis=0)
    up /= np.linalg.norm(up)
    rest = motion.skeleton.rest_positions()
    ahead = rest[toes] - rest[foot] if toes is not None else np.array([0.0, 0.0, 1.0])
    ahead = ahead - (ahead @ up) * up
    ahead /= np.linalg.norm(ahead)
    return quat.multiply(turns, quat.from_basis(np.cross(up, ahead), up, ahead))


def _child(skeleton: Skeleton, joint: int) -> int | None:
    """A joint that hangs on this one, some way off."""
    for k in np.flatnonzero(skeleton.parents == joint):
        if np.linalg.norm(skeleton.offsets[k]) > 1e-6:
            return int(k)
    return None
