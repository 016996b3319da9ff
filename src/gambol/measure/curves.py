"""Mean curves over the gait cycle, and how they compare with measured ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.body import G
from gambol.errors import GambolError
from gambol.feet import contacts_from_motion, sole_columns
from gambol.measure.joints import sagittal_angles
from gambol.measure.strides import Stride, find_strides, steady
from gambol.motion import Motion

__all__ = ["CYCLE", "Fit", "compare", "cycle_means", "cycle_sides", "cycles", "force_cycle", "force_sides"]

Array = NDArray[np.float64]
CYCLE = 51  # samples of a gait cycle, 0 to 100 % in steps of 2 %, strike to strike of one foot


class Fit(NamedTuple):
    """A curve against a measured mean.

    Attributes:
        r: correlation.
        rmse: root of the mean square difference, the offset taken away if it was free.
        offset: mean of the curve less mean of the measured one.
        inside: share of the samples within one standard deviation, the offset taken away if it was free.
    """

    r: float
    rmse: float
    offset: float
    inside: float


def cycles(values: ArrayLike, strides: Sequence[Stride], samples: int = CYCLE) -> Array:
    """``(K, samples, ...)`` of ``(F, ...)``: each of K strides at 0..100 %, linear between frames."""
    x = np.asarray(values, float)
    frames = [np.linspace(s.first, s.end, samples) for s in strides]
    at = np.array(frames).reshape(len(strides), samples)
    low = np.clip(np.floor(at).astype(int), 0, max(len(x) - 2, 0))
    part = (at - low).reshape(*at.shape, *[1] * (x.ndim - 1))
    return x[low] * (1 - part) + x[low + 1] * part if len(strides) else np.zeros((0, samples, *x.shape[1:]))


def cycle_means(motion: Motion, contacts: ArrayLike | None = None) -> dict[str, Array]:
    """Mean sagittal curves of a walk, from strike to strike, left and right averaged.

    Args:
        motion: a walk of at least one whole stride.
        contacts: ``(F, S)``; by default the clip's own, else found on level ground.

    Returns:
        hip, knee, ankle -> ``(51,)`` degrees; empty where there is no whole stride.
    """
    rows: dict[str, list[Array]] = {"hip": [], "knee": [], "ankle": []}
    for curves in cycle_sides(motion, contacts).values():
        for joint, values in curves.items():
            rows[joint].append(values.mean(0))
    return {joint: np.mean(curves, axis=0) for joint, curves in rows.items() if curves}


def cycle_sides(
    motion: Motion, contacts: ArrayLike | None = None, samples: int = CYCLE
) -> dict[str, dict[str, Array]]:
    """Side -> hip, knee, ankle -> ``(K, samples)`` degrees of its K steady strides, from strike to strike."""
    angles = sagittal_angles(motion)
    return {
        side: {joint: cycles(values, strides, samples) for joint, values in angles.get(side, {}).items()}
        for side, strides in _sides(motion, contacts).items()
    }


def force_sides(motion: Motion, contacts: ArrayLike | None = None, samples: int = CYCLE) -> dict[str, Array]:
    """Side -> ``(K, samples, 3)`` body weights on that foot in its K steady strides: right, up, forward.

    Forward is the way the hips travel in the stride; nothing where the clip has no forces or no mass.
    """
    if motion.forces is None or not motion.mass or motion.forces.shape[1] != 2:
        return {}
    out = {}
    for column, side in enumerate(("left", "right")):
        strides = _sides(motion, contacts).get(side, [])
        rows = cycles(motion.forces[:, column] / (motion.mass * G), strides, samples)
        for row, stride in zip(rows, strides):
            way = (motion.root[min(stride.end, len(motion) - 1)] - motion.root[stride.first]) * [1.0, 0.0, 1.0]
            way /= max(float(np.linalg.norm(way)), 1e-9)
            row[:] = np.stack([row @ [-way[2], 0.0, way[0]], row[:, 1], row @ way], -1)
        if len(rows):
            out[side] = rows
    return out


def force_cycle(motion: Motion, contacts: ArrayLike | None = None) -> Array:
    """``(51, 3)`` body weights, mean force on a foot from its strike to its next, left and right averaged.

    In the world frame: vertical is column 1.

    Raises:
        GambolError: where the clip has no forces, no mass, or no whole stride.
    """
    if motion.forces is None or not motion.mass:
        raise GambolError("the clip carries no forces", where="force cycle", allowed="forces and a mass")
    columns = {"left": 0, "right": 1}
    sides = _sides(motion, contacts)
    curves = [cycles(motion.forces[:, columns[side]], strides).mean(0) for side, strides in sides.items()]
    if not curves:
        raise GambolError("the clip has no whole stride", where="force cycle", do="walk farther")
    return np.mean(curves, axis=0) / (motion.mass * G)


def compare(curve: ArrayLike, mean: ArrayLike, sd: ArrayLike, *, free_offset: bool = True) -> Fit:
    """A curve against the mean and standard deviation of measured ones, sample by sample.

    Args:
        curve: ``(N,)``.
        mean: ``(N,)``.
        sd: ``(N,)``.
        free_offset: a constant difference does not count; marker sets place the zero of hip and ankle
            differently.

    Raises:
        GambolError: for shapes that disagree.
    """
    x, mu, spread = (np.asarray(a, float) for a in (curve, mean, sd))
    if x.ndim != 1 or not x.shape == mu.shape == spread.shape or len(x) < 2:
        raise GambolError(
            f"curve {x.shape}, mean {mu.shape}, sd {spread.shape} disagree", where="compare",
            allowed="(N,) each",
        )
    offset = float(x.mean() - mu.mean())
    off = x - mu - (offset if free_offset else 0.0)
    a, b = x - x.mean(), mu - mu.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    r = float(a @ b) / size if size > 0 else 0.0
    return Fit(r, float(np.sqrt((off**2).mean())), offset, float((np.abs(off) <= spread).mean()))


def _sides(motion: Motion, contacts: ArrayLike | None) -> dict[str, list[Stride]]:
    """Side -> its steady strides, of the sides that have any."""
    if contacts is None:
        contacts = contacts_from_motion(motion) if motion.contacts is None else motion.contacts
    names = list(sole_columns(motion.skeleton))
    strides = steady(find_strides(motion, np.asarray(contacts, bool)), motion)
    by_side = {side: [s for s in strides if names[s.foot] == side] for side in ("left", "right")}
    return {side: found for side, found in by_side.items() if found}
