"""Segments of one footstep string blended so that the blend does exactly what is asked.

All members of a group have the same supports, so that keytimes, root moves, turns and poses are plain weighted sums.
Duration, distance and turn are then linear in the weights, and a speed v and turning rate omega ask for
sum w (d - v T) = 0 and sum w (theta - omega T) = 0: a small non-negative least squares finds weights near to those of
the neighbours that meet both, wherever a convex combination can. What is left, a few parts in a hundred, is made good
by stretching steps and turns, so that the aim is met exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.graph import Group

__all__ = ["Aim", "Blend", "blend", "nnls", "weights"]

Array = NDArray[np.float64]
SPEED, TURN, GAIN, RISE = 0.25, np.radians(25.0), 0.4, 0.08  # m/s, rad/s, m/s2, m: one unit of distance
NEAR = 0.05  # of these units; nearer examples weigh no more
FIRM = 2.0  # times the pull to the neighbours' weights: how firmly the aim is held
WHOLE = 1e3  # and that the weights are a whole
MET = 0.15  # units; an aim missed by less is met by stretching
STEP_SHARE = 0.6  # of a stretched speed's exponent goes to the step length, the rest to cadence
SHORTEST, FARTHEST = 0.7, 1.12  # times the step length of the examples; beyond, knees fold or legs are too short
TURN_FREE = np.radians(20.0)  # rad/s that any segment may be turned
TURN_MORE = 1.3  # times the largest turning rate in reach


class Aim(NamedTuple):
    """What a segment shall do: m/s, rad/s (left positive), m/s2, m, and the style ("" for any).

    One that is ``entered`` is a transition: it begins at that speed and goes on as its examples do.
    """

    speed: float
    turn: float = 0.0
    gain: float = 0.0
    rise: float = 0.0
    style: str = ""
    entered: bool = False


class Blend(NamedTuple):
    """A blended segment; phases as in :class:`gambol.graph.Group`, without its first axis."""

    times: Array  # (K + 1,) s
    rotations: Array  # (P, J, 4)
    moves: Array  # (P - 1, 2) m
    turns: Array  # (P,) rad
    heights: Array  # (P,) m
    stretch: float  # factor on the steps
    missed: tuple[float, float]  # m/s and rad/s that the aim lies beyond reach

    @property
    def duration(self) -> float:
        """s."""
        return float(self.times[-1])


def weights(group: Group, aim: Aim, neighbours: int) -> tuple[NDArray[np.int64], Array, bool]:
    """Which examples, how much of each, and whether the aim lies within their hull."""
    span, d, theta = group.duration, group.travel, group.turn
    pace = group.speed[:, 0] if aim.entered else d / span
    away = np.sqrt(
        ((pace - aim.speed) / SPEED) ** 2 + ((theta / span - aim.turn) / TURN) ** 2
        + (((group.speed[:, 1] - group.speed[:, 0]) / span - aim.gain) / GAIN) ** 2 * (not aim.entered)
        + ((group.rise - aim.rise) / RISE) ** 2
    )
    if aim.style:
        styled = np.array([s == aim.style for s in group.style])
        away = np.where(styled | ~styled.any(), away, np.inf)
    order = np.argsort(away, kind="stable")[: int(np.isfinite(away).sum())]
    if aim.entered:
        wish = 1 / np.maximum(away[order[:2]], NEAR) ** 2
        return order[:2], wish / wish.sum(), True
    best: tuple[NDArray[np.int64], Array, float] = (order[:1], np.ones(1), np.inf)
    for k in dict.fromkeys((min(neighbours, len(order)), min(3 * neighbours, len(order)))):
        near = order[:k]
        beyond = away[order[k]] if k < len(order) else 2 * away[near[-1]] + 1.0
        wish = np.maximum(1 / np.maximum(away[near], NEAR) - 1 / max(beyond, NEAR), 0.0) + 1e-9
        wish /= wish.sum()
        rows = [
            (d[near] - aim.speed * span[near]) / (SPEED * span.mean()),
            (theta[near] - aim.turn * span[near]) / (TURN * span.mean()),
        ]
        if np.ptp(group.rise) > RISE:
            rows.append((group.rise[near] - aim.rise) / (4 * RISE))
        firm = np.vstack([*rows, np.ones(k)])
        hold = np.r_[np.full(len(rows), FIRM), WHOLE]
        w = nnls(np.vstack([hold[:, None] * firm, np.eye(k)]), np.r_[np.zeros(len(rows)), WHOLE, wish])
        w /= w.sum()
        missed = float(np.abs(firm[:2] @ w).max())
        if missed < best[2] - 1e-6:
            best = near, w, missed
        if missed < MET:
            break
    near, w, missed = best
    some = w > 1e-4
    return near[some], w[some] / w[some].sum(), missed < MET


def blend(group: Group, aim: Aim, neighbours: int = 8) -> Blend:
    """The segment that does what is asked, stretched where it lies beyond the examples, within limits."""
    near, w, met = weights(group, aim, neighbours)
    span, d, theta = (float(w @ x[near]) for x in (group.duration, group.travel, group.turn))
    rotations = np.tensordot(w, group.rotations[near], 1)
    rotations /= np.sqrt((rotations**2).sum(-1, keepdims=True))
    turns, times = w @ group.turns[near], w @ group.times[near]
    moves, heights = np.tensordot(w, group.moves[near], 1), w @ group.heights[near]
    if aim.entered:
        return Blend(times, rotations, moves, turns, heights, 1.0, (0.0, 0.0))
    least, most = SHORTEST ** (1 / STEP_SHARE), FARTHEST ** (1 / STEP_SHARE)
    s = float(np.clip(aim.speed * span / d, least, most)) if d > 0.05 and aim.speed > 0 else 1.0
    step, pace = s**STEP_SHARE, s ** (STEP_SHARE - 1)
    reach = max(TURN_MORE * float(np.abs(group.turn / group.duration).max()), TURN_FREE)
    turn = float(np.clip(aim.turn, -reach, reach))
    more = turn * span * pace - theta
    missed = (0.0, 0.0) if met else (aim.speed - d * step / (span * pace), aim.turn - turn)
    return Blend(
        pace * times, rotations, step * moves, turns + more * np.linspace(0, 1, len(turns)), heights, step, missed
    )


def nnls(a: Array, b: Array) -> Array:
    """``x >= 0`` with the least ``|a x - b|`` (Lawson and Hanson 1974, chapter 23)."""
    n = a.shape[1]
    gram, aim = a.T @ a, a.T @ b
    x, free = np.zeros(n), np.zeros(n, bool)
    for _ in range(4 * n):
        gradient = aim - gram @ x
        gradient[free] = -np.inf
        k = int(np.argmax(gradient))
        if gradient[k] <= 1e-12 * max(1.0, float(np.abs(aim).max())):
            break
        free[k] = True
        while True:
            some = np.flatnonzero(free)
            y = np.linalg.lstsq(a[:, some], b, rcond=None)[0]
            if (y > 0).all():
                x[:] = 0.0
                x[some] = y
                break
            back = x[some] / np.where(y <= 0, x[some] - y, np.inf)
            share = float(np.min(np.where(y <= 0, back, np.inf)))
            x[some] += share * (y - x[some])
            free[some[(x[some] <= 1e-12) & (y <= 0)]] = False
            x[~free] = 0.0
            if not free.any():
                break
    return x
