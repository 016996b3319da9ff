"""Keys: postures at their times, and the numbers that elastic joints move between them.

A posture becomes C = 3 J + 4 *channels*: the rotation vector of every joint in its parent (of the root: its tilt
about the heading), the place of the root, and the heading. Angles take the branch nearest to the key before, so that
nothing turns the long way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.motion import Pose
from gambol.skeleton import Skeleton, forward_kinematics

__all__ = ["Key", "channels_of", "check_keys", "heading_of", "key_channels", "pose_of", "stands"]

Array = NDArray[np.float64]
UP = np.array([0.0, 1.0, 0.0])
NEAR_GROUND = 0.03  # m; soles nearer to the lowest one are planted where a key does not say


class Key(NamedTuple):
    """A posture that shall be there at a time.

    Attributes:
        time: s.
        pose: of one figure.
        hold: s for which it stays.
        planted: names of the soles on the ground; None: those that are near the ground in the pose.
        jump: the figure is in the air from here (after the hold) until the next key.
    """

    time: float
    pose: Pose
    hold: float = 0.0
    planted: tuple[str, ...] | None = None
    jump: bool = False


def check_keys(keys: Sequence[Key], skeleton: Skeleton, period: float | None) -> None:
    """Refuse keys that no dance can go through.

    Raises:
        GambolError: no keys, two at one time, keys that overlap, out of order, not finite, or of another skeleton.
    """
    if not keys:
        raise GambolError("there are no keys", where="dance", allowed="at least one posture")
    end = -np.inf
    for k, key in enumerate(keys):
        where = f"key {k + 1}"
        if not (np.isfinite([key.time, key.hold]).all() and key.time >= 0 and key.hold >= 0):
            raise GambolError(f"time {key.time}, hold {key.hold} s", where=where, allowed="0 or more")
        if key.time <= end:
            what = f"it is at {key.time:g} s, and the key before ends at {end:g} s"
            raise GambolError(what, where=where, allowed="keys in order, each after the hold of the one before")
        shape = np.shape(key.pose.rotations)
        if shape != (len(skeleton), 4) or np.shape(key.pose.root) != (3,):
            what = f"its pose has rotations {shape}"
            raise GambolError(what, where=where, allowed=f"({len(skeleton)}, 4): the skeleton of the model")
        if not (np.isfinite(key.pose.rotations).all() and np.isfinite(key.pose.root).all()):
            raise GambolError("its pose holds numbers that are not finite", where=where)
        for name in key.planted or ():
            skeleton.index(name)
        end = key.time + key.hold
    if period is not None and not (np.isfinite(period) and period > end):
        what = f"the period is {period:g} s, and the last key ends at {end:g} s"
        raise GambolError(what, where="dance", allowed="more than the last key's end")


def heading_of(rotation: ArrayLike) -> float:
    """rad about +y, the way the root looks; of one that looks straight up or down, by its own up."""
    ahead = quat.rotate(rotation, [0.0, 0.0, 1.0])
    if np.hypot(ahead[0], ahead[2]) < 1e-6:
        ahead = quat.rotate(rotation, [0.0, -np.sign(ahead[1]), 0.0])
    return float(np.arctan2(ahead[0], ahead[2]))


def channels_of(pose: Pose, near: Array | None = None) -> Array:
    """``(C,)`` of one pose; with ``near``, on the branches nearest to those channels."""
    yaw = heading_of(pose.rotations[0])
    if near is not None:
        yaw += 2 * np.pi * round((near[-1] - yaw) / (2 * np.pi))
    local = np.array(pose.rotations, float)
    local[0] = quat.multiply(quat.exp(-yaw * UP), local[0])
    turns = quat.log(local)
    if near is not None:
        angle = np.linalg.norm(turns, axis=1, keepdims=True)
        other = turns * np.where(angle > 1e-9, 1 - 2 * np.pi / np.maximum(angle, 1e-9), 1.0)
        before = near[: turns.size].reshape(-1, 3)
        closer = np.linalg.norm(other - before, axis=1) < np.linalg.norm(turns - before, axis=1) - 1e-9
        turns = np.where(closer[:, None], other, turns)
    return np.concatenate([turns.ravel(), pose.root, [yaw]])


def key_channels(keys: Sequence[Key], near: Array | None = None) -> Array:
    """``(K, C)``, each key on the branches nearest to the one before."""
    out = []
    for key in keys:
        near = channels_of(key.pose, near)
        out.append(near)
    return np.array(out)


def pose_of(channels: Array) -> Pose:
    """Pose (or many, time first) of channels ``(..., C)``."""
    turns = channels[..., :-4].reshape(*channels.shape[:-1], -1, 3)
    rotations = quat.exp(turns)
    rotations[..., 0, :] = quat.multiply(quat.exp(channels[..., -1:] * UP), rotations[..., 0, :])
    return Pose(channels[..., -4:-1], rotations)


def stands(key: Key, skeleton: Skeleton) -> tuple[int, ...]:
    """The soles that a key has on the ground: as it says, else those within 3 cm of its lowest one."""
    if key.planted is not None:
        return tuple(skeleton.indices(key.planted))
    if not skeleton.soles:
        return ()
    height = forward_kinematics(skeleton, key.pose.root, key.pose.rotations)[0][list(skeleton.soles), 1]
    return tuple(s for s, y in zip(skeleton.soles, height) if y < height.min() + NEAR_GROUND)
