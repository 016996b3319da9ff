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
        ratio[moved < 0.25 * moved.max()] = np.inf  # standing still comes back too
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
    part = motion[first : first + n + 1]
    share = np.arange(n + 1) / n
    root, facing, bend = _straight(part)
    travel = (root[-1] - root[0]) * [1.0, 0.0, 1.0]
    ahead = quat.IDENTITY
    if np.hypot(travel[0], travel[2]) > WALKS and not keep_heading:
        ahead = quat.from_axis_angle(UP, np.asarray(-np.arctan2(travel[0], travel[2])))
    travel, root, facing = quat.rotate(ahead, travel), quat.rotate(ahead, root), quat.multiply(ahead, facing)
    start = np.array([*(root - share[:, None] * travel)[:-1, [0, 2]].mean(0), 0.0])[[0, 2, 1]]
    still = root - share[:, None] * travel - start
    width = max(min(n // 2, round(BLEND * motion.fps)), 1)
    still = still + _spread(still[-1] - still[0], *_ends(still), width, n)
    rotations = np.array(part.rotations)
    rotations[:, 0] = facing
    turn = quat.log(quat.multiply(quat.conjugate(rotations[0]), rotations[-1]))
    rates = quat.log(quat.multiply(quat.conjugate(rotations[:-1]), rotations[1:]))
    rotations = quat.multiply(rotations, quat.exp(_spread(turn, rates[0], rates[-1], width, n)))
    period = n / motion.fps
    facts: dict[str, Any] = {
        "period_s": period, "travel_m": travel.tolist(), "velocity_m_s": (travel / period).tolist(), "in_place": False,
        "start_m": start.tolist(), "turned_rad": bend,
    }
    moves = None
    if motion.translations is not None:
        moves = np.array(part.translations)
        moves = moves + _spread(moves[-1] - moves[0], *_ends(moves), width, n)
        moves[:, 0] = still + share[:, None] * travel
        moves = moves[:-1]
    info = {k: v for k, v in motion.info.items() if k in ("notes",)}
    return Motion(
        motion.skeleton, (still + share[:, None] * travel)[:-1], quat.normalize(rotations[:-1]), motion.fps,
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


def _straight(part: Motion) -> tuple[Array, Array, float]:
    """Root (n + 1, 3) and its rotations with the turn about +y from the first to the last frame taken out evenly."""
    q = part.rotations[:, 0]
    whole = quat.multiply(q[-1], quat.conjugate(q[0]))
    bend = float(2 * np.arctan2(whole[2], whole[0]))
    bend = (bend + np.pi) % (2 * np.pi) - np.pi
    share = np.linspace(0.0, 1.0, len(q))
    back = quat.from_axis_angle(UP, -bend * share)
    middle = quat.from_axis_angle(UP, -bend * 0.5 * (share[1:] + share[:-1]))
    steps = quat.rotate(middle, np.diff(part.root, axis=0))
    root = np.concatenate([part.root[:1], part.root[0] + np.cumsum(steps, axis=0)])
    return root, quat.multiply(back, q), bend


def _ends(track: Array) -> tuple[Array, Array]:
    """Change in one frame at the first and at the last frame."""
    return track[1] - track[0], track[-1] - track[-2]


def _spread(gap: Array, first: Array, last: Array, width: int, n: int) -> Array:
    """What closes a track of n + 1 frames: half of the gap, and of the kink, from each end, gone after ``width``.

    Cubic Hermite curves: value and slope are given at the end of the track and 0 inside it.
    """
    t = np.arange(n + 1.0).reshape(-1, *[1] * gap.ndim)

    def curve(frames: Array, value: Array, slope: Array) -> Array:
        u = np.minimum(frames / width, 1.0)
        out: Array = value * (2 * u**3 - 3 * u**2 + 1) + slope * width * (u**3 - 2 * u**2 + u)
        return out

    kink = last - first
    out: Array = curve(t, gap / 2, kink / 2) - curve(n - t, gap / 2, -kink / 2)
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
