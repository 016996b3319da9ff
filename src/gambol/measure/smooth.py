"""Smoothness: how much velocities change from frame to frame, at step borders and inside steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol import quat
from gambol.motion import Motion

__all__ = ["Halving", "Smooth", "angular_velocities", "halving", "measure_smooth"]

Array = NDArray[np.float64]
INSIDE = 99.0  # percentile of the changes inside steps that those at borders are held against


@dataclass(frozen=True)
class Smooth:
    """Largest changes between neighbouring frames.

    The border ratios are the largest within a frame of a strike or off, over the 99th percentile of the
    others. None where there are too few frames.

    Attributes:
        pelvis_m_s: of the velocity of the root.
        joints_rad_s: of the angular velocity of any joint in its parent's frame.
        joint: the one that changes most.
        at_s: when.
        pelvis_border: ratio, of the root.
        joints_border: ratio, of the joints.
    """

    pelvis_m_s: float | None = None
    joints_rad_s: float | None = None
    joint: str | None = None
    at_s: float | None = None
    pelvis_border: float | None = None
    joints_border: float | None = None


class Halving(NamedTuple):
    """Clips of one walk at rising rates.

    The ratios compare a clip with the next slower one, times the ratio of their rates: 1 where a change
    shrinks exactly with the time between frames, 1.2 where it is 20 % larger than that.
    """

    fps: tuple[float, ...]
    pelvis_m_s: tuple[float, ...]
    joints_rad_s: tuple[float, ...]
    pelvis_ratios: tuple[float, ...]
    joints_ratios: tuple[float, ...]

    def smooth(self, within: float = 0.2) -> bool:
        """All ratios are at most 1 + ``within``."""
        return all(r <= 1 + within for r in self.pelvis_ratios + self.joints_ratios)


def angular_velocities(motion: Motion) -> Array:
    """``(F - 1, J, 3)`` rad/s of every joint in its parent's frame, from each frame to the next."""
    turns = quat.multiply(quat.conjugate(motion.rotations[:-1]), motion.rotations[1:])
    return quat.log(turns) * motion.fps


def measure_smooth(motion: Motion, events: ArrayLike = ()) -> Smooth:
    """Measure the smoothness of a clip.

    Args:
        motion: three frames at least, else nothing is known.
        events: times (s) of strikes and offs, where steps border on each other.
    """
    if len(motion) < 3:
        return Smooth()
    root, joints = _changes(motion)
    worst = np.unravel_index(np.argmax(joints), joints.shape)
    middle = np.arange(1, len(motion) - 1)  # frame between the two velocities
    times = np.asarray(events, float).reshape(-1)
    border = np.zeros(len(middle), bool)
    for event in times * motion.fps:
        border |= np.abs(middle - event) <= 1 + 1e-6
    return Smooth(
        float(root.max()), float(joints.max()), motion.skeleton.names[int(worst[1])],
        float((worst[0] + 1) / motion.fps), _ratio(root, border), _ratio(joints.max(1), border),
    )


def halving(motions: Sequence[Motion]) -> Halving:
    """Compare clips of one walk at rising rates, such as 120, 240 and 480 fps."""
    rows = [(m.fps, *(float(c.max(initial=0.0)) for c in _changes(m))) for m in motions]
    ratios: list[list[float]] = [[], []]
    for (slow, *before), (fast, *after) in pairwise(rows):
        for out, a, b in zip(ratios, before, after):
            out.append(b / a * fast / slow if a > 0 else float(b > 0) * np.inf)
    fps, root, joints = zip(*rows) if rows else ((), (), ())
    return Halving(fps, root, joints, tuple(ratios[0]), tuple(ratios[1]))


def _changes(motion: Motion) -> tuple[Array, Array]:
    """``(F - 2,)`` m/s of the root and ``(F - 2, J)`` rad/s of the joints."""
    root = np.linalg.norm(np.diff(motion.root, n=2, axis=0), axis=-1) * motion.fps
    return root, np.linalg.norm(np.diff(angular_velocities(motion), axis=0), axis=-1)


def _ratio(changes: Array, border: NDArray[np.bool_]) -> float | None:
    """Largest change at borders over the 99th percentile inside; None without borders, or at rest inside."""
    if not border.any() or border.all():
        return None
    inside = float(np.percentile(changes[~border], INSIDE))
    return float(changes[border].max()) / inside if inside > 1e-12 else None
