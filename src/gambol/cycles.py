"""A cycle in a take: found, straightened, closed. What comes out is a loop as :mod:`gambol.loop` makes them.

A cycle begins where the pose comes back after a while, in the course of the motion and not only in one frame, and
the figure has moved in between. Closing it spreads the difference of both ends, in value and in velocity, over the
clip, so that it goes round with neither a jump nor a kink, and the first frame is not there twice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.motion import Motion
from gambol.roles import Roles

__all__ = ["Cycle", "close_cycle", "find_cycle"]

Array = NDArray[np.float64]
SHORTEST, LONGEST = 0.3, 8.0  # s
SEAM = 0.1  # s to both sides in which the poses are compared
PARTS = 12  # of the motion, by size (singular values), that are compared
ALIKE = 0.25  # seam distance over the size of the movement; what is less alike is no cycle
GOOD, AS_GOOD = 0.15, 2.0  # the shortest cycle so alike, or at most so much less than the best, is taken
BLEND = 0.5  # s at most, from each end, over which the difference is spread
STILL = 1e-3  # m; what moves less is no movement
TURNS = np.radians(60.0)  # in a cycle; what turns more does not go straight on
WALKS = 0.3  # m of travel in a cycle; what travels less stays where it looks
UP = np.array([0.0, 1.0, 0.0])


class Cycle(NamedTuple):
    """Frames ``first <= i < first + frames``; ``apart`` is how unlike both ends are (0 the same, 1 unrelated)."""

    first: int
    frames: int
    apart: float


def find_cycle(motion: Motion, roles: Roles) -> Cycle:
    """The shortest good cycle of a take.

    Raises:
        GambolError: nothing in it comes back.
    """
    features = _features(motion, roles)
    frames, fps = len(motion), motion.fps
    around = max(round(SEAM * fps), 1)
    shortest, longest = max(round(SHORTEST * fps), 4), min(round(LONGEST * fps), frames - 1)
    if longest < shortest:
        raise GambolError(
            f"{motion.duration:.2f} s are too short for a cycle", where=motion.name or "motion",
            allowed=f"more than {SHORTEST:g} s", do="give a longer take",
        )
    look = np.unwrap(_heading(motion.rotations[:, 0], roles.facing))
    total, squares = (_summed(x) for x in (features, (features**2).sum(1, keepdims=True)))
    best = np.full((longest + 1, 2), np.inf)
    for lag in range(shortest, longest + 1):
        apart = ((features[lag:] - features[:-lag]) ** 2).sum(1)
        seam = _mean_around(apart, around)
        mean = (total[lag:-1] - total[: -lag - 1]) / lag
        moved = (squares[lag:-1] - squares[: -lag - 1])[:, 0] / lag - (mean**2).sum(1)
        ratio = np.sqrt(seam / np.maximum(2 * moved, 1e-12))
        ratio[moved < max(0.25 * moved.max(), STILL**2)] = np.inf  # standing still comes back too
        ratio[np.abs(look[lag:] - look[:-lag]) > TURNS] = np.inf
        best[lag] = ratio.min(), ratio.argmin()
    score = best[:, 0]
    beside = np.pad(score, 1, constant_values=np.inf)
    low = np.flatnonzero((score <= beside[:-2]) & (score <= beside[2:]))
    low = low[score[low] <= min(max(AS_GOOD * score.min(), GOOD), ALIKE)]
    if not len(low):
        raise GambolError(
            f"no cycle is found: the poses nearest to each other differ by {100 * score.min():.0f} % of the movement",
            where=motion.name or "motion", allowed=f"at most {100 * ALIKE:.0f} %",
            do="give a take in which the movement comes back, at least 1.2 cycles long",
        )
    return Cycle(int(best[low[0], 1]), int(low[0]), float(score[low[0]]))


def close_cycle(motion: Motion, cycle: Cycle, keep_heading: bool = False) -> Motion:
    """The cycle as a closed loop that walks along +z from the origin, without contacts.

    Args:
        motion: the take.
        cycle: a part of it.
        keep_heading: walk the way the take walks instead of along +z.

    Returns:
        ``cycle.frames`` frames; ``info["loop"]`` holds period_s, travel_m, velocity_m_s, in_place, start_m, and
        the angle turned_rad that was taken out so that it goes straight on.
    """
    first, n = cycle.first, cycle.frames
    low, high = max(first - 1, 0), min(first + n + 1, len(motion) - 1)  # a frame more on both sides tells the slopes
    around, at = motion[low : high + 1], first - low
    frames = np.arange(low - first, high - first + 1.0)
    share = frames / n
    root, facing, bend = _straight(around, share, (at, at + n))
    travel = (root[at + n] - root[at]) * [1.0, 0.0, 1.0]
    ahead = quat.IDENTITY
    if np.hypot(travel[0], travel[2]) > WALKS and not keep_heading:
        ahead = quat.from_axis_angle(UP, np.asarray(-np.arctan2(travel[0], travel[2])))
    travel, root, facing = quat.rotate(ahead, travel), quat.rotate(ahead, root), quat.multiply(ahead, facing)
    still = root - share[:, None] * travel
    start = still[at : at + n].mean(0) * [1.0, 0.0, 1.0]
    width = max(min(n // 2, round(BLEND * motion.fps)), 1)
    inside = slice(at, at + n)
    still = still - start
    still += _spread(still[at + n] - still[at], _kink(np.diff(still, axis=0), at, n), width, frames, n)
    rotations = np.array(around.rotations)
    rotations[:, 0] = facing
    turn = quat.log(quat.multiply(quat.conjugate(rotations[at]), rotations[at + n]))
    rates = quat.log(quat.multiply(quat.conjugate(rotations[:-1]), rotations[1:]))
    rotations = quat.multiply(rotations, quat.exp(_spread(turn, _kink(rates, at, n), width, frames, n)))
    period = n / motion.fps
    facts: dict[str, Any] = {
        "period_s": period, "travel_m": travel.tolist(), "velocity_m_s": (travel / period).tolist(), "in_place": False,
        "start_m": start.tolist(), "turned_rad": bend,
    }
    root, moves = still + share[:, None] * travel, None
    if around.translations is not None:
        moves = np.array(around.translations)
        moves += _spread(moves[at + n] - moves[at], _kink(np.diff(moves, axis=0), at, n), width, frames, n)
        moves[:, 0] = root
        moves = moves[inside]
    info = {k: v for k, v in motion.info.items() if k in ("notes",)}
    return Motion(
        motion.skeleton, root[inside], quat.normalize(rotations[inside]), motion.fps,
        cyclic=True, translations=moves, name=motion.name, mass=motion.mass, info={**info, "loop": facts},
    )  # fmt: skip


def _features(motion: Motion, roles: Roles) -> Array:
    """``(F, PARTS)`` what a pose is: joints about the root, seen along the heading, and the root's height, in m."""
    points = motion.positions()
    middle = points[:, :1]
    back = quat.from_axis_angle(UP, roles.facing - _heading(motion.rotations[:, 0], roles.facing))
    around = quat.rotate(back[:, None], points - middle)
    around[:, 0] = 0.0
    around[:, 0, 1] = middle[:, 0, 1]
    flat = around.reshape(len(points), -1)
    padded = np.concatenate([flat[:1], flat, flat[-1:]])
    flat = np.median(np.stack([padded[:-2], padded[1:-1], padded[2:]]), axis=0)  # spikes
    flat = (flat - flat.mean(0)) / np.sqrt(points.shape[1])
    _, _, axes = np.linalg.svd(flat[:: len(flat) // 2000 + 1], full_matrices=False)
    out: Array = flat @ axes[:PARTS].T
    return out


def _heading(rotations: Array, facing: float) -> Array:
    """``(F,)`` rad, where the figure looks: 0 is +z, pi / 2 is +x."""
    ahead = quat.rotate(rotations, [np.sin(facing), 0.0, np.cos(facing)])
    out: Array = np.arctan2(ahead[:, 0], ahead[:, 2])
    return out


def _straight(part: Motion, share: Array, ends: tuple[int, int]) -> tuple[Array, Array, float]:
    """Root (F, 3) and its rotations with the turn about +y between two frames taken out evenly, and that turn (rad)."""
    q = part.rotations[:, 0]
    whole = quat.multiply(q[ends[1]], quat.conjugate(q[ends[0]]))
    bend = float(2 * np.arctan2(whole[2], whole[0]))
    bend = (bend + np.pi) % (2 * np.pi) - np.pi
    back = quat.from_axis_angle(UP, -bend * share)
    middle = quat.from_axis_angle(UP, -bend * 0.5 * (share[1:] + share[:-1]))
    steps = np.concatenate([np.zeros((1, 3)), quat.rotate(middle, np.diff(part.root, axis=0))])
    way = np.cumsum(steps, axis=0)
    return part.root[ends[0]] + way - way[ends[0]], quat.multiply(back, q), bend


def _kink(steps: Array, at: int, n: int) -> Array:
    """How much faster the track is at the end than at the beginning, a frame: between frames of the same phase.

    Args:
        steps: from each frame to the next.
        at: the first frame of the cycle.
        n: frames of the cycle.
    """
    pairs = [(at + n, at)] * (at + n < len(steps)) + [(at + n - 1, at - 1)] * (at > 0)
    if not pairs:  # the whole take is the cycle: both slopes run on to the seam
        out: Array = (1.5 * steps[-1] - 0.5 * steps[-2]) - (1.5 * steps[0] - 0.5 * steps[1])
        return out
    return np.mean([steps[i] - steps[j] for i, j in pairs], axis=0)


def _spread(gap: Array, kink: Array, width: int, frames: Array, n: int) -> Array:
    """What closes a track: half of the gap, and of the kink, from each end, gone after ``width`` frames.

    Cubic Hermite curves: value and slope are given at the ends of the cycle and 0 inside it.

    Args:
        gap: ``(...)`` end less beginning.
        kink: ``(...)`` slope at the end less that at the beginning, a frame.
        width: frames.
        frames: ``(F,)`` from the beginning of the cycle; those outside of it get the values of its ends.
        n: frames of the cycle.
    """

    def curve(away: Array, value: Array, slope: Array) -> Array:
        u = np.clip(away / width, 0.0, 1.0).reshape(-1, *[1] * gap.ndim)
        out: Array = value * (2 * u**3 - 3 * u**2 + 1) + slope * width * (u**3 - 2 * u**2 + u)
        return out

    out: Array = curve(frames, gap / 2, kink / 2) - curve(n - frames, gap / 2, -kink / 2)
    return out


def _summed(x: Array) -> Array:
    """``(F + 1, D)`` sums of all rows before each."""
    return np.concatenate([np.zeros((1, x.shape[1])), np.cumsum(x, axis=0)])


def _mean_around(x: Array, reach: int) -> Array:
    """Means over ``2 reach + 1`` values, or those that are there."""
    total = np.concatenate([[0.0], np.cumsum(x)])
    at = np.arange(len(x))
    low, high = np.maximum(at - reach, 0), np.minimum(at + reach + 1, len(x))
    out: Array = (total[high] - total[low]) / (high - low)
    return out
