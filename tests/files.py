"""Shared by the tests of files: motions that have everything a format may carry."""

from __future__ import annotations

import numpy as np

from gambol import quat
from gambol.body import Body
from gambol.motion import Motion
from gambol.skeleton import Skeleton


class Plane:
    """Ground at y = 0."""

    def surface(self, low_xz, high_xz):
        (a, b), (c, d) = low_xz, high_xz
        corners = np.array([[a, 0, b], [c, 0, b], [c, 0, d], [a, 0, d]], float)
        return corners, np.array([[0, 2, 1], [0, 3, 2]])


def wander(
    frames: int = 50, fps: float = 29.97, skeleton: Skeleton | None = None, seed: int = 0, step: float = 0.06
) -> Motion:
    """Joints that turn at random by a few degrees a frame, as far as they like; every field filled."""
    rng = np.random.default_rng(seed)
    skeleton = Body(1.75).skeleton if skeleton is None else skeleton
    q = quat.exp(rng.normal(0, 0.8, (len(skeleton), 3)))
    rotations = np.empty((frames, len(skeleton), 4))
    for f in range(frames):
        rotations[f] = q
        q = quat.normalize(quat.multiply(q, quat.exp(rng.normal(0, step, (len(skeleton), 3)))))
    pressure = rng.normal(size=(frames, 2, 3))
    pressure[::3, 0] = np.nan
    return Motion(
        skeleton, np.cumsum(rng.normal(0, 0.02, (frames, 3)), 0) + [0.0, 1.0, 0.0], rotations, fps,
        contacts=np.cumsum(rng.integers(0, 5, (frames, len(skeleton.soles))) == 0, 0) % 2 == 1,
        forces=rng.normal(0, 300, (frames, 2, 3)), pressure=pressure, com=rng.normal(size=(frames, 3)),
        mass=70.5, cyclic=True, name="wander über",
        info={"events": {"left_strike": [0.1, 0.7]}, "ground": "flat", "note": "a \"quoted\" wörd"},
    )


def still(frames: int = 5) -> Motion:
    skeleton = Body(1.75).skeleton
    rotations = np.zeros((frames, len(skeleton), 4))
    rotations[..., 0] = 1.0
    return Motion(skeleton, np.tile(skeleton.offsets[0], (frames, 1)), rotations, 25.0, name="still")


def same_turns(a: np.ndarray, b: np.ndarray) -> float:
    """rad, the largest angle between rotations, whatever their sign."""
    return float(np.abs(quat.log(quat.multiply(quat.conjugate(a), b))).max(initial=0.0))
