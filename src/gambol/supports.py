"""Which foot carries, in motion that says nothing about it: found from the speed of the feet alone.

The floor of a capture leans and every sole point has a zero of its own, so heights tell little; a foot that carries is
slow. Unlike the footfalls of sole points (:func:`gambol.feet.footfalls`) this asks for the foot as a whole, whose
ball still carries when a runner's heel and toe tip already move.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.body import G
from gambol.cleaning import smoothed
from gambol.feet import hysteresis, steadied

__all__ = ["foot_speed", "supports"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
DOWN, UP = 0.19, 0.30  # of sqrt(g leg): 0.55 and 0.85 m/s for an adult
SHORTEST = 0.065  # s; nobody steps or lifts a foot for less


def foot_speed(points: ArrayLike, fps: float) -> Array:
    """``(F,)`` m/s, horizontal speed of the slowest of the points ``(F, P, 3)`` m of one foot.

    Positions pass a three-frame median first and the speed a Gaussian of one frame (both at 120 Hz).
    """
    p = np.asarray(points, float)[..., [0, 2]]
    if len(p) < 3:
        return np.zeros(len(p))
    if fps >= 90:
        p = np.concatenate([p[:1], np.median(np.stack([p[:-2], p[1:-1], p[2:]]), axis=0), p[-1:]])
    speed = np.linalg.norm(np.gradient(p, axis=0), axis=-1).min(1) * fps
    return smoothed(speed, fps / 120.0)


def supports(positions: ArrayLike, feet: Sequence[Sequence[int]], leg: float, fps: float) -> Bools:
    """Which feet carry.

    Args:
        positions: ``(F, J, 3)`` m of all joints, on any floor.
        feet: the joints (heel, ball, toe tip) of each foot.
        leg: m, hip to ground.
        fps: frames a second.

    Returns:
        ``(F, feet)`` bool, without runs (of either kind) shorter than 65 ms, except at the ends of the clip.
    """
    p, unit = np.asarray(positions, float), float(np.sqrt(G * leg))
    on = [hysteresis(foot_speed(p[:, list(joints)], fps), DOWN * unit, UP * unit) for joints in feet]
    return steadied(np.stack(on, 1), max(1, round(SHORTEST * fps)))
