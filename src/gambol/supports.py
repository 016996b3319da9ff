"""Which foot carries, in motion that says nothing about it: found from the speed of the feet alone.

The floor of a capture is tilted and every sole point has its own zero, so heights tell little; a foot that carries
is slow. A foot counts as down from the moment its slowest point (heel, ball or toe tip) falls below 0.19 sqrt(g leg)
until that point exceeds 0.30 sqrt(g leg) (0.55 and 0.85 m/s for an adult).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.body import G
from gambol.cleaning import smoothed

__all__ = ["SHORTEST", "foot_speed", "schmitt", "supports"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
DOWN, UP = 0.19, 0.30  # of sqrt(g leg)
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


def schmitt(signal: ArrayLike, low: float, high: float) -> Bools:
    """``(F,)`` on from where the signal falls below ``low`` until it exceeds ``high``; between, as it was."""
    x = np.asarray(signal, float)
    known = np.where(x < low, 1, np.where(x > high, 0, -1))
    last = np.maximum.accumulate(np.where(known >= 0, np.arange(len(x)), -1))
    first = known[known >= 0][:1]
    start = int(first[0]) if len(first) else 0
    return np.where(last >= 0, known[np.maximum(last, 0)], start).astype(bool)


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
    p = np.asarray(positions, float)
    scale = float(np.sqrt(G * leg))
    on = [schmitt(foot_speed(p[:, list(joints)], fps), DOWN * scale, UP * scale) for joints in feet]
    return np.stack([_steady(c, max(1, round(SHORTEST * fps))) for c in on], 1)


def _steady(on: Bools, shortest: int) -> Bools:
    """Runs shorter than ``shortest`` frames taken out, the shortest first; those cut by the ends stay."""
    out = np.array(on)
    while True:
        edges = np.flatnonzero(np.diff(out.astype(np.int8))) + 1
        lengths = np.diff(edges)
        if not len(lengths) or lengths.min() >= shortest:
            return out
        k = int(np.argmin(lengths))
        out[edges[k] : edges[k + 1]] = ~out[edges[k]]
