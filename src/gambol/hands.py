"""Hands of long arms that would hang into the ground: elbows bend, alike in all clips of a ground, which fit on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.character import Character
from gambol.motion import Motion
from gambol.skeleton import forward_kinematics

if TYPE_CHECKING:
    from gambol.terrain import Terrain

__all__ = ["SPARE", "hands_clear"]

Array = NDArray[np.float64]
SPARE = 0.2  # of the hand's length, that its joints stay above the ground: the last one has a finger tip yet
MOST, ROUNDS = 2.0, 24  # rad, and halvings of it


class _Arm(NamedTuple):
    """One arm of one clip: ``(F, 3)`` elbow m and hinge, ``(F, N, 3)`` m the joints of the hand."""

    elbow: Array
    hinge: Array
    hand: Array
    ground: Terrain
    spare: float


def hands_clear(motions: Sequence[Motion], character: Character, grounds: Mapping[str, Terrain]) -> list[Motion]:
    """The clips of a rig with elbows bent, by one angle on each ground, until no hand is in it.

    Args:
        motions: clips of the rig, each of all its joints; their ``info["ground"]`` names their ground.
        character: the rig; one without arms keeps its clips.
        grounds: by name.
    """
    out = list(motions)
    for name, ground in grounds.items():
        those = [k for k, m in enumerate(motions) if m.info.get("ground") == name]
        for k, motion in zip(those, _cleared([motions[k] for k in those], character, ground)):
            out[k] = motion
    return out


def _cleared(motions: list[Motion], character: Character, ground: Terrain) -> list[Motion]:
    joints, skeleton = character.roles.joints, character.skeleton
    sides = [s for s in ("left", "right") if all(f"{s}_{n}" in joints for n in ("upper_arm", "lower_arm", "hand"))]
    if len(sides) < 2:
        return motions
    lower = {s: joints[f"{s}_lower_arm"] for s in sides}
    hands = {s: _below(skeleton.parents, joints[f"{s}_hand"]) for s in sides}
    arms, worlds = [], []
    for motion in motions:
        places, turns = forward_kinematics(skeleton, motion.root, motion.rotations)
        worlds.append(turns)
        left = places[:, joints["left_upper_arm"]] - places[:, joints["right_upper_arm"]]
        hinge = left / np.linalg.norm(left, axis=-1, keepdims=True)
        for side in sides:
            hand = places[:, hands[side]]
            spare = SPARE * float(np.linalg.norm(hand[0] - hand[0, :1], axis=-1).max())
            arms.append(_Arm(places[:, lower[side]], hinge, hand, ground, spare))
    low, high = 0.0, MOST
    if _clear(arms, low) or not _clear(arms, high):
        return motions
    for _ in range(ROUNDS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _clear(arms, middle) else (middle, high)
    out = []
    for k, motion in enumerate(motions):
        rotations = motion.rotations.copy()
        turn = quat.exp(-high * arms[len(sides) * k].hinge)
        for side in sides:
            j = lower[side]
            parent = worlds[k][:, skeleton.parents[j]]
            rotations[:, j] = quat.multiply(quat.conjugate(parent), quat.multiply(turn, worlds[k][:, j]))
        out.append(replace(motion, rotations=rotations))
    return out


def _clear(arms: list[_Arm], angle: float) -> bool:
    """Whether all joints of all hands are above the ground with elbows bent by ``angle`` rad."""
    for arm in arms:
        turn = quat.exp(-angle * arm.hinge)[:, None]
        hand = arm.elbow[:, None] + quat.rotate(turn, arm.hand - arm.elbow[:, None])
        ground = arm.ground.height(hand[..., [0, 2]], hand[..., 1] + arm.spare)
        if np.any(hand[..., 1] < ground + arm.spare):
            return False
    return True


def _below(parents: NDArray[np.int64], joint: int) -> list[int]:
    """A joint and all that hang from it."""
    found = [joint]
    for j in range(joint + 1, len(parents)):
        if parents[j] in found:
            found.append(j)
    return found
