"""A pose whose joints come nearest to given points, inside the ranges of its joints, with bones of exact length.

Damped least squares (Levenberg 1944) on the rotation of every joint and the place of the root, one step at a time
from the pose before, so that a dragged figure never jumps to another solution. A joint at the end of its range
leaves the step when the step would push it on (an active set), then ranges are cut to.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.limits import Limits
from gambol.motion import Pose
from gambol.skeleton import Skeleton, readonly

__all__ = ["Aim", "fit", "points_of"]

Array = NDArray[np.float64]
DAMPING = 0.05  # of the normal equations, in what a point of weight one adds to their diagonal
BEND = 0.01  # pull of a straight elbow or knee towards its bend, by the same measure
ROUNDS = 5  # in which joints are found that stop at an end of their range
STEP = 0.35  # rad, the largest turn of a joint in one step


class Aim(NamedTuple):
    """Where joints should be: ``points`` (J, 3) m and how much each counts, ``weights`` (J,): 1 for a wish."""

    points: Array
    weights: Array


class _Axes(NamedTuple):
    """Free turns of a skeleton: joint and axis of each (D,), whether it moves each joint (D, J), levels of the tree."""

    joint: NDArray[np.int64]
    axis: NDArray[np.int64]
    moves: NDArray[np.bool_]
    levels: tuple[NDArray[np.int64], ...]


def points_of(skeleton: Skeleton, pose: Pose) -> Array:
    """``(J, 3)`` m of one pose."""
    return _placed(skeleton, np.asarray(pose.root), _matrices(np.asarray(pose.rotations)))[0]


def fit(skeleton: Skeleton, limits: Limits, pose: Pose, aim: Aim, steps: int) -> Pose:
    """The pose after some steps towards the points of ``aim``.

    Args:
        skeleton: J joints.
        limits: ranges of its joints; the root turns freely.
        pose: to begin from, inside the ranges.
        aim: points and weights; a joint that counts 0 goes where the others take it.
        steps: at most so many; fewer where nothing moves any more.
    """
    root, turns = np.array(pose.root, float), quat.log(pose.rotations)
    locals_ = _matrices(np.asarray(pose.rotations))
    axes = _axes(skeleton, _Mask((limits.high > limits.low).tobytes()))
    low, high = limits.low[axes.joint, axes.axis], limits.high[axes.joint, axes.axis]
    bend = limits.bend[axes.joint, axes.axis]
    free_root = axes.joint == 0
    scale = _scale(skeleton)
    for _ in range(steps):
        points, world = _placed(skeleton, root, locals_)
        rows, error = _rows(skeleton, axes, points, world), aim.points - points
        weighted = rows * aim.weights[:, None]
        normal = weighted.reshape(len(rows), -1) @ rows.reshape(len(rows), -1).T
        gradient = np.einsum("djk,jk->d", weighted, error)
        now = turns[axes.joint, axes.axis]
        gradient[3:] += np.where(np.abs(now) < np.abs(bend), BEND * scale * (bend - now), 0.0)
        normal[np.diag_indices_from(normal)] += DAMPING * scale
        room = (np.where(free_root, -np.inf, low - now), np.where(free_root, np.inf, high - now))
        change = _bounded_step(normal, gradient, room)
        largest = float(np.abs(change[3:]).max(initial=0.0))
        change *= min(1.0, STEP / largest) if largest > 0 else 1.0
        root += change[:3]
        vectors = np.zeros_like(turns)
        vectors[axes.joint, axes.axis] = change[3:]
        turned = quat.log(quat.multiply(quat.exp(vectors), quat.exp(turns)))
        turns[1:] = np.clip(turned[1:], limits.low[1:], limits.high[1:])
        turns[0] = turned[0]
        locals_ = _matrices(quat.exp(turns))
        if float(np.abs(change).max()) < 1e-12:
            break
    return Pose(readonly(root), readonly(quat.exp(turns)))


def _matrices(q: Array) -> Array:
    """(J, 3, 3) of (J, 4): :func:`quat.to_matrix` in a third of its time, for few joints at a time."""
    w, x, y, z = q.T
    out = np.empty((len(q), 3, 3))
    out[:, 0, 0], out[:, 0, 1], out[:, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[:, 1, 0], out[:, 1, 1], out[:, 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[:, 2, 0], out[:, 2, 1], out[:, 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    return out


@lru_cache(maxsize=64)
def _scale(skeleton: Skeleton) -> float:
    """m2, what a point of weight one adds to the normal equations, by a lever of a fifth of the body."""
    lever = 0.2 * float(np.ptp(skeleton.rest_positions(), axis=0).max(initial=0.0))
    return max(lever * lever, 1e-12)


class _Mask(bytes):
    """Which components turn, as a key of the cache."""


def _bounded_step(normal: Array, gradient: Array, room: tuple[Array, Array]) -> Array:
    """The step of least error with its turns inside ``room`` (D,) each: those that would leave stop at their end."""
    low, high = (np.concatenate([np.full(3, side), r]) for side, r in zip((-np.inf, np.inf), room))
    held, change = np.zeros(len(gradient), bool), np.zeros(len(gradient))
    for _ in range(ROUNDS):
        free = ~held
        known = gradient[free] - normal[np.ix_(free, held)] @ change[held]
        change[free] = np.linalg.solve(normal[np.ix_(free, free)], known)
        beyond = free & ((change < low) | (change > high))
        if not beyond.any():
            break
        held |= beyond
        change = np.clip(change, low, high)
    return change


@lru_cache(maxsize=32)
def _axes(skeleton: Skeleton, mask: bytes) -> _Axes:
    free = np.frombuffer(mask, bool).reshape(-1, 3).copy()
    free[0] = True
    below: NDArray[np.bool_] = np.eye(len(skeleton), dtype=bool)  # below[j, i]: i is j or hangs on it
    depth = np.zeros(len(skeleton), int)
    for i in range(1, len(skeleton)):
        below[:, i] |= below[:, skeleton.parents[i]]
        depth[i] = depth[skeleton.parents[i]] + 1
    strict: NDArray[np.bool_] = np.asarray(below & ~np.eye(len(skeleton), dtype=bool))
    free &= np.asarray(strict.any(1))[:, None]  # a leaf turns nothing
    joint, axis = np.nonzero(free)
    levels = tuple(np.flatnonzero(depth == d) for d in range(1, depth.max(initial=0) + 1))
    return _Axes(joint, axis, strict[joint], levels)


def _placed(skeleton: Skeleton, root: Array, locals_: Array) -> tuple[Array, Array]:
    """Points (J, 3) m and world rotations (J, 3, 3) of local ones, level by level of the tree."""
    points, world = np.empty((len(skeleton), 3)), np.empty((len(skeleton), 3, 3))
    points[0], world[0] = root, locals_[0]
    for level in _levels(skeleton):
        up = world[skeleton.parents[level]]
        points[level] = points[skeleton.parents[level]] + (up @ skeleton.offsets[level][..., None])[..., 0]
        world[level] = up @ locals_[level]
    return points, world


@lru_cache(maxsize=64)
def _levels(skeleton: Skeleton) -> tuple[NDArray[np.int64], ...]:
    depth = np.zeros(len(skeleton), int)
    for i in range(1, len(skeleton)):
        depth[i] = depth[skeleton.parents[i]] + 1
    return tuple(np.flatnonzero(depth == d) for d in range(1, depth.max(initial=0) + 1))


def _rows(skeleton: Skeleton, axes: _Axes, points: Array, world: Array) -> Array:
    """(3 + D, J, 3): how every joint moves with the root's place and with each free turn."""
    parents = skeleton.parents[axes.joint]
    frames = np.where((parents >= 0)[:, None, None], world[np.maximum(parents, 0)], np.eye(3))
    about = frames[np.arange(len(axes.axis)), :, axes.axis]
    away = points[None] - points[axes.joint][:, None]
    out = np.empty((3 + len(about), len(points), 3))
    out[:3] = np.eye(3)[:, None]
    x, y, z = about[:, None, 0], about[:, None, 1], about[:, None, 2]
    turning = out[3:]
    turning[..., 0] = y * away[..., 2] - z * away[..., 1]
    turning[..., 1] = z * away[..., 0] - x * away[..., 2]
    turning[..., 2] = x * away[..., 1] - y * away[..., 0]
    turning *= axes.moves[..., None]
    return out
