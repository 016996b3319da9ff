"""Spikes of a recording: rotations that leave their neighbours for a frame and come back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.motion import Motion

__all__ = ["despiked"]

# From the rotation half-way between the two neighbours, at 120 frames a second; raw optical capture has 2 to 470 a
# clip. What a joint turns of itself between frames grows with the square of their distance.
SPIKE, AT, MOST = np.radians(3.0), 120.0, np.radians(45.0)
PASSES = 3


def despiked(motion: Motion) -> tuple[Motion, NDArray[np.bool_]]:
    """The motion without spikes, and ``(F, J)`` which rotations were replaced by the middle of their neighbours'."""
    rotations = np.array(motion.rotations)
    changed = np.zeros(rotations.shape[:2], bool)
    limit = min(SPIKE * max(AT / motion.fps, 1.0) ** 2, MOST)
    for _ in range(PASSES if len(rotations) > 2 else 0):
        between = quat.normalize(rotations[:-2] + rotations[2:])
        away = 2 * np.arccos(np.clip(np.abs((between * rotations[1:-1]).sum(-1)), 0.0, 1.0))
        # Of neighbours that are all away, as beside a spike, the one that is farthest is the spike.
        padded = np.pad(away, ((1, 1), (0, 0)))
        spike = (away > limit) & (away >= padded[:-2]) & (away >= padded[2:])
        rotations[1:-1][spike] = between[spike]
        changed[1:-1] |= spike
    return (replace(motion, rotations=rotations) if changed.any() else motion), changed
