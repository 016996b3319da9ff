"""Captured motion made fit for use: spikes taken out, jitter smoothed, tilted floors levelled.

Raw captures jump by up to 176 degrees in one frame and stand on floors that rise by centimetres a metre; what is
measured on them before this says little.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol import quat
from gambol.motion import Motion

__all__ = ["despiked", "levelled", "resampled", "smoothed"]

Array = NDArray[np.float64]
SPIKE = np.radians(3.0)  # a rotation this far from the middle of its neighbours is not a movement, at 120 Hz
PASSES = 3
JITTER = 0.0125  # s, standard deviation of the last smoothing of the rotations
SLOW = 0.25  # m/s; a sole point slower than this lies on the ground or close to it
NEAR = 0.008  # m, residual of a sole point that counts half
ROUNDS, STIFF = 6, 0.02  # of the robust fit; how much a short straight path holds the slopes to zero


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


def despiked(motion: Motion) -> Motion:
    """The clip without single-frame jumps, its rotations smoothed by 12.5 ms.

    A rotation more than 3 degrees (at 120 Hz; in proportion to the frame time elsewhere) from the middle of its two
    neighbours, and farther than they are from theirs, is replaced by that middle, three times over.
    """
    if len(motion) < 3:
        return motion
    limit = SPIKE * 120.0 / motion.fps
    q = np.array(motion.rotations)
    root = np.array(motion.root)
    for _ in range(PASSES):
        middle = quat.normalize(q[:-2] + q[2:])
        off = 2 * np.arccos(np.clip(np.abs((middle * q[1:-1]).sum(-1)), 0, 1))
        beside = np.pad(off, ((1, 1), (0, 0)))
        worst = (off > limit) & (off >= beside[:-2]) & (off >= beside[2:])  # the spike, not those beside it
        q[1:-1] = np.where(worst[..., None], middle, q[1:-1])
        between = 0.5 * (root[:-2] + root[2:])
        far = np.linalg.norm(between - root[1:-1], axis=-1) > 0.02 * 120.0 / motion.fps
        root[1:-1] = np.where(far[:, None], between, root[1:-1])
    q = quat.normalize(smoothed(quat.continuous(q), JITTER * motion.fps))
    return dataclasses.replace(motion, root=smoothed(root, JITTER * motion.fps), rotations=q)


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


def levelled(motion: Motion) -> Motion:
    """The clip turned and lowered so that the ground its soles stood on is level at 0.

    A plane a x + b z plus one height a sole point is fitted to the soles while slow, residuals weighed
    1 / (1 + (r / 8 mm)^2); the plane and the mean height are taken from the root, so that joints keep their turns.
    """
    points = motion.positions()[:, list(motion.skeleton.soles)]
    frames, soles = points.shape[:2]
    if frames < 3 or not soles:
        return motion
    slow = np.linalg.norm(np.gradient(points[..., [0, 2]], axis=0), axis=-1) * motion.fps < SLOW
    frame, sole = np.nonzero(slow)
    if len(frame) < 8:
        return motion
    p = points[frame, sole]
    centre = p[:, [0, 2]].mean(0)
    rows = np.concatenate([p[:, [0, 2]] - centre, np.eye(soles)[sole]], 1)
    ridge = np.diag(np.r_[STIFF * len(p), STIFF * len(p), np.full(soles, 1e-9)])
    weight = np.ones(len(p))
    for _ in range(ROUNDS):
        system = rows.T @ (rows * weight[:, None]) + ridge
        fit = np.linalg.solve(system, rows.T @ (weight * p[:, 1]))
        weight = 1 / (1 + ((p[:, 1] - rows @ fit) / NEAR) ** 2)
    # a sole that was never slow says nothing about the height
    heard = np.bincount(sole, minlength=soles) > 0
    plane = (motion.root[:, [0, 2]] - centre) @ fit[:2] + fit[2:][heard].mean()
    return dataclasses.replace(motion, root=motion.root - plane[:, None] * [0.0, 1.0, 0.0])
