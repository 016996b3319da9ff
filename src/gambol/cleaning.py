"""Captured motion made fit for use: spikes taken out, jitter smoothed, one rate.

Raw captures jump by up to 176 degrees in one frame; what is measured on them before this says little.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol import quat
from gambol.motion import Motion
from gambol.spikes import despiked

__all__ = ["cleaned", "resampled", "smoothed"]

Array = NDArray[np.float64]
JITTER = 0.0125  # s, standard deviation of the last smoothing of the rotations


def smoothed(values: ArrayLike, deviation: float) -> Array:
    """``(F, ...)`` values under a Gaussian of ``deviation`` frames; the ends go on by reflection in the end value.

    Odd reflection: a steady rate at the end of a clip, as of a turn, stays.
    """
    x = np.asarray(values, float)
    if len(x) < 2 or deviation <= 0:
        return np.array(x)
    half = max(1, int(np.ceil(3 * deviation)))
    pad = min(half, len(x) - 1)
    rest = [(half - pad, half - pad), *[(0, 0)] * (x.ndim - 1)]
    long = np.concatenate([2 * x[0] - x[pad:0:-1], x, 2 * x[-1] - x[-2 : -pad - 2 : -1]])
    long = np.pad(long, rest, mode="edge")
    bell = np.exp(-0.5 * (np.arange(-half, half + 1) / deviation) ** 2)
    bell /= bell.sum()
    flat = long.reshape(len(long), -1)
    out = np.stack([np.convolve(c, bell, "valid") for c in flat.T], 1)
    return out.reshape(x.shape)


def cleaned(motion: Motion) -> Motion:
    """The clip without single-frame spikes (:func:`gambol.spikes.despiked`), root and rotations smoothed by 12.5 ms."""
    motion, _ = despiked(motion)
    if len(motion) < 2:
        return motion
    deviation = JITTER * motion.fps
    q = quat.normalize(smoothed(quat.continuous(motion.rotations), deviation))
    return dataclasses.replace(motion, root=smoothed(motion.root, deviation), rotations=q)


def resampled(motion: Motion, fps: float) -> Motion:
    """The root and rotations of a clip at another rate; contacts and forces are left out."""
    if motion.fps == fps or len(motion) < 2:
        return dataclasses.replace(motion, fps=fps)
    frames = int(np.floor(motion.duration * fps + 1e-9)) + 1
    at = np.minimum(np.arange(frames) / fps * motion.fps, len(motion) - 1)
    low = np.minimum(at.astype(int), len(motion) - 2)
    part = (at - low)[:, None]
    root = motion.root[low] * (1 - part) + motion.root[low + 1] * part
    every = np.broadcast_to(part, (frames, len(motion.skeleton)))
    rotations = quat.slerp(motion.rotations[low], motion.rotations[low + 1], every)
    return Motion(motion.skeleton, root, rotations, fps, mass=motion.mass, name=motion.name, info=motion.info)
