"""Planted feet half-way between two frames, where a player turns every joint by the shortest way.

At the frames a planted foot is at its place. In between hip and knee turn each at its own steady rate, and the foot
leaves its place by about an eighth of the square of what they turn: nothing at 120 frames a second, 2 mm in a fast
step at 24. No pose at the frames makes this vanish, but frames that lean by half of it to the other side halve it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.feet import ground_normals
from gambol.legs import Foot, aim_leg
from gambol.motion import Motion
from gambol.skeleton import forward_kinematics

if TYPE_CHECKING:
    from gambol.terrain import Terrain

__all__ = ["halved", "held_midway"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
SMALL, LARGE = 4e-4, 8e-4  # m: off by less, frames stay where they are; by more, they lean by half
MOST = 1e-3  # m that a frame leans


def halved(x: Array) -> Array:
    """``(2 F - 1, ...)``: frames ``(F, ...)`` with the mean of their neighbours between them."""
    out = np.empty((2 * len(x) - 1, *x.shape[1:]))
    out[::2] = x
    out[1::2] = 0.5 * (x[1:] + x[:-1])
    return out


def held_midway(
    motion: Motion, feet: Sequence[Foot], contacts: Bools, ground: tuple[Terrain | None, float]
) -> Motion:
    """The motion with planted feet nearer to their places between frames.

    Args:
        motion: F frames, feet at their places at the frames.
        feet: the legs.
        contacts: ``(F, S)`` what is planted.
        ground: the terrain, level at 0 if None; and the facing of the rest pose, rad.

    Returns:
        The motion; where a foot would be off by more than 0.4 mm between frames, it is off at these frames as well,
        by up to half of that and at most 1 mm, along the ground.
    """
    terrain, facing = ground
    q = quat.normalize(halved(motion.rotations))
    positions, world = forward_kinematics(motion.skeleton, halved(motion.root), q)
    rotations, moved = np.array(motion.rotations), False
    for foot in feet:
        lean = np.zeros((len(motion), 3))
        for joint, column in ((foot.heel, foot.columns[0]), (foot.tip, foot.columns[1])):
            off = _off(positions[:, joint], contacts[:, column], terrain)
            lean = np.where(_size(off) > _size(lean), off, lean)
        if not lean.any():
            continue
        moved = True
        toes = np.broadcast_to(quat.IDENTITY, (len(motion), 4))
        if foot.toes >= 0:
            toes = quat.multiply(quat.conjugate(world[::2, foot.ankle]), world[::2, foot.toes])
        lean = lean * np.minimum(0.5, MOST / np.maximum(_size(lean), MOST))
        target = positions[::2, foot.ankle] - lean, world[::2, foot.ankle], np.asarray(toes)
        aim_leg(rotations, foot, target, (motion.skeleton, positions[::2], world[::2]), facing)
    return replace(motion, rotations=rotations) if moved else motion


def _off(track: Array, on: Bools, terrain: Terrain | None) -> Array:
    """``(F, 3)`` m, how far a sole point is off its place on the side of each frame where it is farther off.

    Args:
        track: ``(2 F - 1, 3)`` m, at frames and half-way between.
        on: ``(F,)`` it is planted.
        terrain: along which it may move.
    """
    off = track[1::2] - 0.5 * (track[:-2:2] + track[2::2])
    normal = ground_normals(track[1::2], terrain)
    off = off - (off * normal).sum(1, keepdims=True) * normal
    size = _size(off)
    off = off * np.clip((size - SMALL) / (LARGE - SMALL), 0.0, 1.0) * (on[1:] & on[:-1])[:, None]
    before, after = np.concatenate([0 * off[:1], off]), np.concatenate([off, 0 * off[:1]])
    return np.where(_size(after) > _size(before), after, before)


def _size(x: Array) -> Array:
    return np.asarray(np.linalg.norm(x, axis=-1, keepdims=True))
