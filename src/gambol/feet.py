"""Feet on the ground: how high soles are, when they are planted, and the stances and strikes that follow.

The honest rule of contact reads the motion alone: a sole point is planted while it is within 5 mm of the
ground (or below it) and slower than 5 cm/s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.motion import Motion
from gambol.skeleton import Skeleton

if TYPE_CHECKING:
    from gambol.terrain import Terrain

__all__ = [
    "CONTACT_GAP", "CONTACT_SPEED", "Stance", "contacts_from_motion", "foot_contacts", "footfalls", "hysteresis",
    "ground_heights", "ground_normals", "sole_columns", "sole_heights", "sole_points", "stances",
    "steadied", "strikes_and_offs",
]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
CONTACT_GAP = 0.005  # m
CONTACT_SPEED = 0.05  # m/s
# Over sqrt(g leg): 0.55 and 0.85 m/s of an adult, the pair that finds every support of labelled walks and runs in
# captured clips; and of a single point of a foot that is down.
FALL_SPEED = (0.19, 0.30)
POINT_SPEED = (0.14, 0.24)
SHORTEST_FALL, SHORTEST_POINT, IDLE = 0.06, 0.03, 0.1  # s
SIDES = ("left", "right")


class Stance(NamedTuple):
    """An unbroken contact of column ``sole`` of the contacts: planted in frames ``first <= i < end``."""

    sole: int
    first: int
    end: int


def sole_points(motion: Motion) -> Array:
    """``(F, S, 3)`` m, the sole points in the world."""
    return motion.positions()[:, list(motion.skeleton.soles)]


def ground_heights(points: ArrayLike, terrain: Terrain | None) -> Array:
    """Height (m) of the ground below points ``(..., 3)`` m, on their floor; 0 without a terrain."""
    p = np.asarray(points, float)
    if terrain is None or p.size == 0:
        return np.zeros(p.shape[:-1])
    return np.asarray(terrain.height(p[..., [0, 2]], p[..., 1]), float)


def ground_normals(points: ArrayLike, terrain: Terrain | None) -> Array:
    """Unit normals ``(..., 3)`` of the ground below points ``(..., 3)`` m; straight up without a terrain."""
    p = np.asarray(points, float)
    if terrain is None or p.size == 0:
        return np.broadcast_to([0.0, 1.0, 0.0], p.shape)
    return np.asarray(terrain.normal(p[..., [0, 2]], p[..., 1]), float)


def sole_heights(motion: Motion, terrain: Terrain | None = None) -> Array:
    """``(F, S)`` m, of the sole points over the ground below them; negative is below the ground."""
    points = sole_points(motion)
    return points[..., 1] - ground_heights(points, terrain)


def contacts_from_motion(
    motion: Motion, terrain: Terrain | None = None, *, gap: float = CONTACT_GAP, speed: float = CONTACT_SPEED
) -> Bools:
    """Which sole points are planted, found without any record.

    Args:
        motion: F frames, S soles.
        terrain: the ground; level at height 0 if None.
        gap: m; nearer to the ground than this, or below it, and
        speed: m/s; slower than this (central differences, one-sided in the first and last frame).

    Returns:
        ``(F, S)`` bool.
    """
    points = sole_points(motion)
    if len(points) > 1:
        moving = np.linalg.norm(np.gradient(points, axis=0), axis=-1) * motion.fps
    else:
        moving = np.zeros(points.shape[:-1])
    return (points[..., 1] - ground_heights(points, terrain) < gap) & (moving < speed)


def footfalls(motion: Motion) -> Bools:
    """Which sole points are planted in a clip whose feet slide and whose ground is not where it should be.

    A foot is down while its slowest sole point is slow, with hysteresis; the heights of the points say nothing in
    captured motion, where the ground leans and every sole has a zero of its own. While a foot is down, those of its
    points that are slow are planted; where none is for a moment, the slower.

    Args:
        motion: F frames, with sole points.

    Returns:
        ``(F, S)`` bool.
    """
    points = sole_points(motion)
    if len(points) < 2:
        return np.ones(points.shape[:-1], bool)
    feet = sole_columns(motion.skeleton)
    speed = np.linalg.norm(np.gradient(_median(points), axis=0), axis=-1) * motion.fps
    unit = np.sqrt(9.81 * _leg(motion))
    out = np.zeros(points.shape[:-1], bool)
    for columns in feet.values():
        slowest = speed[:, columns].min(1)
        down = hysteresis(slowest, FALL_SPEED[0] * unit, FALL_SPEED[1] * unit)
        down = steadied(down[:, None], max(round(SHORTEST_FALL * motion.fps), 1))[:, 0]
        own = np.stack([hysteresis(speed[:, c], POINT_SPEED[0] * unit, POINT_SPEED[1] * unit) for c in columns], 1)
        own = steadied(own, max(round(SHORTEST_POINT * motion.fps), 1))
        for _, first, end in stances(down[:, None]):
            still = first + np.flatnonzero(own[first:end].any(1))
            if not len(still):
                continue
            idle = ~np.any(own[still[0] : still[-1] + 1], axis=1, keepdims=True)
            for _, a, b in stances(idle):  # too short for a step: the slower point stays planted
                part = slice(still[0] + a, still[0] + b)
                if b - a <= IDLE * motion.fps:
                    own[part, speed[part][:, columns].mean(0).argmin()] = True
        out[:, columns] = down[:, None] & own
    return out


def hysteresis(speed: Array, low: float, high: float) -> Bools:
    """On once below ``low``, until above ``high`` (a Schmitt trigger)."""
    marks = np.where(speed < low, 1, np.where(speed > high, 0, -1))
    last = np.maximum.accumulate(np.where(marks >= 0, np.arange(len(marks)), -1))
    return np.where(last >= 0, marks[np.maximum(last, 0)] == 1, speed < high)


def _median(points: Array) -> Array:
    """The middle one of each value and its two neighbours in time."""
    padded = np.concatenate([points[:1], points, points[-1:]])
    return np.median(np.stack([padded[:-2], padded[1:-1], padded[2:]]), axis=0)


def _leg(motion: Motion) -> float:
    """m, a leg's length: what a sole is from the joint two above its foot, at rest, along the joints."""
    skeleton, out = motion.skeleton, 0.0
    for j in skeleton.soles:
        k, length = j, 0.0
        while (p := int(skeleton.parents[k])) > 0:
            length += float(np.linalg.norm(skeleton.offsets[k]))
            k = p
        out = max(out, length)
    return max(out, 1e-3)


def stances(contacts: ArrayLike) -> list[Stance]:
    """Every unbroken contact of ``(F, S)`` bool, sole by sole, in order of time."""
    on = np.asarray(contacts, bool)
    out = []
    for sole in range(on.shape[1]):
        edges = np.flatnonzero(np.diff(on[:, sole].astype(np.int8), prepend=0, append=0))
        out += [Stance(sole, int(a), int(b)) for a, b in zip(edges[::2], edges[1::2])]
    return out


def sole_columns(skeleton: Skeleton) -> dict[str, list[int]]:
    """Columns of the contacts that belong to each foot: left and right, or every sole a foot of its own name.

    Soles are those of two feet where all their names are ``left_...`` or ``right_...`` and there are at
    most two on a side (heel and toe tip).
    """
    names = [skeleton.names[j] for j in skeleton.soles]
    by_side = {side: [i for i, n in enumerate(names) if n.startswith(side + "_")] for side in SIDES}
    two_feet = sum(map(len, by_side.values())) == len(names) and all(len(c) <= 2 for c in by_side.values())
    if names and two_feet:
        return {side: columns for side, columns in by_side.items() if columns}
    return {n: [i] for i, n in enumerate(names)}


def foot_contacts(contacts: ArrayLike, feet: dict[str, list[int]]) -> Bools:
    """``(F, feet)`` bool: a foot is down while any of its soles is."""
    on = np.asarray(contacts, bool)
    columns = [on[:, c].any(1) for c in feet.values()]
    return np.stack(columns, 1) if columns else np.zeros((len(on), 0), bool)


def steadied(feet: ArrayLike, shortest: int) -> Bools:
    """Contacts ``(F, feet)`` without flicker.

    First gaps, then stances, of fewer than ``shortest`` frames are dropped. What begins with the first
    frame or lasts to the last one may be longer than seen, and stays.
    """
    on = np.array(feet, bool)
    for value in (False, True):
        for column, first, end in stances(on == value):
            if end - first < shortest and first > 0 and end < len(on):
                on[first:end, column] = not value
    return on


def strikes_and_offs(
    contacts: ArrayLike, fps: float, feet: dict[str, list[int]]
) -> dict[str, tuple[Array, Array]]:
    """When each foot comes down and leaves.

    Args:
        contacts: ``(F, S)`` bool.
        fps: of the frames.
        feet: columns of each foot, as by :func:`sole_columns`.

    Returns:
        foot -> times (s) of strikes, the first frames of contact, and of offs, the last ones. A stance that
        is on from the first frame has no strike, one that lasts to the last frame no off.
    """
    down = foot_contacts(contacts, feet)
    out = {}
    for column, name in enumerate(feet):
        turns = np.diff(down[:, column].astype(np.int8))
        out[name] = ((np.flatnonzero(turns > 0) + 1) / fps, np.flatnonzero(turns < 0) / fps)
    return out
