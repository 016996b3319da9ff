"""A swing over risers: the calmest path through one via point that clears every edge.

Of a grid of via points (when, how far along, how high, which pitch) the best are looked at closely, and then the
neighbours of the best one. Paths of one via time are linear in the via point, so that all of them are tabulated by
five curves, and what a path costs at least, the unevenness of its motion, is known before its clearance is.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.kernels import kernel
from gambol.profile import Profile, height_at
from gambol.roll import Foot, ball_heel_tip
from gambol.swing import evaluate_all, through

__all__ = ["Hurdle", "Looks", "Samples", "Toes", "clearance", "looks", "over", "sole_from", "sole_turns"]

Array = NDArray[np.float64]
CLEAR = 0.012  # m, wanted between shoe and ground in mid-swing (people: 10 to 15 mm)
NEAR_END = -0.0002  # m, allowed at the very ends, where the toe leaves and the heel arrives
GRID = np.array(  # via time, share of the way, height in legs over the flat ankle on the higher level, pitch rad
    list(
        product(
            (0.2, 0.32, 0.44, 0.58),
            (0.15, 0.35, 0.55, 0.75, 0.92),
            (0.0, 0.03, 0.06, 0.10, 0.15),
            (-0.9, -0.6, -0.35, -0.1),
        )
    )
)
FINALISTS = 8  # candidates that are looked at closely
MOST_TIMES = 4  # different via times among candidates
SCATTER = 0.382  # of the swing between two samples that are looked at one after the other
NEIGHBOURS = 0.8 * np.array([0.05, 0.08, 0.02, 0.12]) * np.array(list(product((-1.0, 0.0, 1.0), repeat=4)))
LEAST = np.array([0.12, 0.0, -0.02, -1.2])  # of a neighbour
ANKLE = (-0.6, 0.35)  # rad, plantar- and dorsiflexion that a swing over a riser keeps within
KNEE_LONG, KNEE_SHORT = np.cos(np.radians(18.0)), np.cos(np.radians(92.0))  # flexion that it keeps within
SHORT, BEYOND = 80.0, 10.0  # cost of 1 m of missing clearance, and of a hip 1 m out of the leg's range
UNEVEN, TURNING = 3e-5, 0.02  # of the mean squared acceleration, and of the pitch's in it


class Toes(NamedTuple):
    """How the swing foot turns from its stance to the next one, and how its toes straighten (rad)."""

    yaw: float
    pitch: float
    turn: float
    tip: float
    bend: float
    bend_rate: float
    straight: float


class Samples(NamedTuple):
    """Where a swing is looked at: ``s`` (N,), clearance wanted there (N,) m, and what a bump of 1 m lifts (N,) m."""

    s: Array
    target: Array
    bump: Array


class Looks(NamedTuple):
    """A foot passes an edge within a few thousandths of the swing; on even ground a rough look is enough."""

    rough: Samples
    close: Samples


class Hurdle(NamedTuple):
    """A swing over risers."""

    ends: Array  # (4, 6)
    aside: tuple[float, float]  # m, x and z that the foot goes out of the other shoe's way
    base: float  # m, height of the flat ankle on the higher level
    hip: Array  # (3, 95) m, the hip's way at the samples of a close look
    toes: Toes
    foot: Foot
    ground: Profile
    legs: tuple[float, float, float]  # m: whole leg, thigh, shank
    looks: Looks


def looks(lift: float) -> Looks:
    """Even samples between the ends, for a foot that is to be ``lift`` m higher than usual."""

    def samples(pieces: int, steep: float) -> Samples:
        """``steep``: how soon the whole clearance is asked for."""
        s = np.linspace(0.0, 1.0, pieces + 1)[1:-1]
        ramp = np.minimum(1.0, steep * s**2 * (1 - s) ** 2)
        return Samples(s, NEAR_END + (CLEAR + lift - NEAR_END) * ramp, 64 * s**3 * (1 - s) ** 3)

    return Looks(samples(32, 16.8), samples(96, 45.0))


@kernel
def sole_turns(s, toes: Toes, ground: Profile):  # type: ignore[no-untyped-def]
    """At ``s`` of the swing: slope under the sole (rad), bend of the toes (rad), share of its length along the line."""
    turn = s * s * s * (10 + s * (6 * s - 15))
    r = np.minimum(s / toes.straight, 1.0)
    bend = (1 - r) ** 3 * (toes.bend * (1 + 3 * r) + toes.straight * toes.bend_rate * r)
    yaw = toes.yaw + toes.turn * turn
    facing = np.sin(yaw) * ground.along[0] + np.cos(yaw) * ground.along[1]
    return toes.pitch + toes.tip * turn, bend, facing


@kernel
def clearance(ankle, turned, facing, ground: Profile):  # type: ignore[no-untyped-def]
    """Least height m of heel, ball and tip over the ground: ankle (x, y, z); from it to them, :func:`sole_from`."""
    x, y, z = ankle
    hx, hy, bx, by, tx, ty = turned
    at = (x - ground.origin[0]) * ground.along[0] + (z - ground.origin[1]) * ground.along[1]
    heel = y + hy - height_at(at + hx * facing, ground)
    ball = y + by - height_at(at + bx * facing, ground)
    return np.minimum(np.minimum(heel, ball), y + ty - height_at(at + tx * facing, ground))


@kernel
def sole_from(theta, slope, bend, foot: Foot):  # type: ignore[no-untyped-def]
    """Heel, ball and tip (forward, up) m from the ankle of a foot of pitch ``theta``, over ground of a ``slope``."""
    return ball_heel_tip(0.0, 0.0, theta + slope, bend, foot)


@kernel
def _leg(ankle, hip, h: Hurdle):  # type: ignore[no-untyped-def]
    """By how much (m) the hip is farther and nearer than the leg's range, and the pitch (rad) of the shank."""
    x, y, z = ankle
    _, a, b = h.legs
    dx, down, dz = x - hip[0], hip[1] - y, z - hip[2]
    distance = np.sqrt(dx * dx + down * down + dz * dz)
    long, short = np.sqrt(a * a + b * b + 2 * a * b * KNEE_LONG), np.sqrt(a * a + b * b + 2 * a * b * KNEE_SHORT)
    # the shank of a two-bone leg in the plane of the walk, whose knee flexes by k
    ahead = dx * h.ground.along[0] + dz * h.ground.along[1]
    squared = np.minimum(ahead * ahead + down * down, ((a + b) * 0.9999) ** 2)
    cos_k = np.minimum(np.maximum((squared - a * a - b * b) / (2 * a * b), -1.0), 1.0)
    sin_k = np.sqrt(1 - cos_k * cos_k)
    # leg + atan2(b sin k, a + b cos k) - k, the three turns multiplied as complex numbers
    re, im = a * cos_k + b, -a * sin_k
    shank = np.arctan2(ahead * re + down * im, down * re - ahead * im)
    return np.maximum(distance - long, 0.0), np.maximum(short - distance, 0.0), shank


@kernel
def _strained(flexed):  # type: ignore[no-untyped-def]
    """By how much (rad) an ankle is out of its range."""
    return np.maximum(np.maximum(flexed - ANKLE[1], ANKLE[0] - flexed), 0.0)


@kernel
def _family(h: Hurdle, at, s, out):  # type: ignore[no-untyped-def]
    """Fills (5, N): ankle x, y, z, pitch of the path through a via of zeros at s = ``at``; what a 1 there adds."""
    path = through(h.ends, np.zeros(4), at)
    unit = through(np.zeros((1, 6)), np.ones(1), at)
    for d in range(4):
        evaluate_all(s, at, path, d, out[d])
    evaluate_all(s, at, unit, 0, out[4])


@kernel
def _via(candidate, h: Hurdle):  # type: ignore[no-untyped-def]
    """(4,) ankle x, y, z m and pitch rad at the via point."""
    _, share, up, pitch = candidate
    x = h.ends[0, 0] + (h.ends[0, 3] - h.ends[0, 0]) * share + h.aside[0]
    z = h.ends[2, 0] + (h.ends[2, 3] - h.ends[2, 0]) * share + h.aside[1]
    return x, h.base + h.legs[0] * up, z, pitch


@kernel
def _unevenness(family, out):  # type: ignore[no-untyped-def]
    """Fills (4, 3): mean squared acceleration per swing of each coordinate, quadratic in its via, in units of cost."""
    n = family.shape[1]
    for d in range(4):
        weight = (UNEVEN if d < 3 else UNEVEN * TURNING) * (n + 1) ** 4 / (n - 2)
        plain, both, unit = 0.0, 0.0, 0.0
        for j in range(n - 2):
            a = family[d, j] - 2 * family[d, j + 1] + family[d, j + 2]
            b = family[4, j] - 2 * family[4, j + 1] + family[4, j + 2]
            plain, both, unit = plain + a * a, both + 2 * a * b, unit + b * b
        out[d, 0], out[d, 1], out[d, 2] = weight * plain, weight * both, weight * unit


@kernel
def _effort(q, via):  # type: ignore[no-untyped-def]
    """What a path costs at least; ``q`` from :func:`_unevenness`."""
    out = 0.0
    for d in range(4):
        out = out + q[d, 0] + via[d] * (q[d, 1] + via[d] * q[d, 2])
    return out


@kernel
def _place_of(key, seen, known):  # type: ignore[no-untyped-def]
    """Where ``key`` (3,) is among the first ``known`` rows of ``seen``; behind them, and written there, if new."""
    k = 0
    while k < known and (seen[k, 0] != key[0] or seen[k, 1] != key[1] or seen[k, 2] != key[2]):
        k += 1
    if k == known:
        seen[k, 0], seen[k, 1], seen[k, 2] = key
    return k


def _costs_one_by_one(candidates, h: Hurdle, look: Samples, keep):  # type: ignore[no-untyped-def]
    """The ``keep`` cheapest exactly: the others are left as soon as they cost more.

    What many candidates share is worked out once: the curves of a via time, the sole of a pitch, the leg of a place.
    Samples are looked at here and there along the swing, so that what is wrong shows early.
    """
    n, count = len(candidates), len(look.s)
    every, sole = (h.hip.shape[1] + 1) // (count + 1), np.empty((3, count))
    for j in range(count):
        sole[0, j], sole[1, j], sole[2, j] = sole_turns(look.s[j], h.toes, h.ground)
    seen, known, which = np.empty((3, n, 3)), np.zeros(3, np.int64), np.empty((n, 3), np.int64)
    least, cost, best = np.empty(n), np.full(n, np.inf), np.full(keep, np.inf)
    families, uneven = np.empty((MOST_TIMES, 5, count)), np.empty((MOST_TIMES, 4, 3))
    for i in range(n):
        time, share, up, pitch = candidates[i]
        for part, key in enumerate(((time, 0.0, 0.0), (time, pitch, 0.0), (time, share, up))):
            k = _place_of(key, seen[part], known[part])
            if k == known[part]:
                known[part] += 1
                if part == 0:
                    _family(h, time, look.s, families[k])
                    _unevenness(families[k], uneven[k])
            which[i, part] = k
        least[i] = _effort(uneven[which[i, 0]], _via(candidates[i], h))
    turned, legs = np.full((known[1], count, 7), np.nan), np.full((known[2], count, 6), np.nan)
    scatter = max(int(SCATTER * count), 1)
    for q in range(n):
        i = (n // 2 + q) % n
        v, total = _via(candidates[i], h), least[i]
        short, long, close, bent = 0.0, 0.0, 0.0, 0.0
        f, p, a = which[i, 0], which[i, 1], which[i, 2]  # a view of a row would be counted in and out every time
        for r in range(count):
            if total >= best[-1]:
                break
            j = scatter * r % count
            if np.isnan(turned[p, j, 6]):
                theta = families[f, 3, j] + v[3] * families[f, 4, j]
                hx, hy, bx, by, tx, ty = sole_from(theta, sole[0, j], sole[1, j], h.foot)
                turned[p, j, 0], turned[p, j, 1], turned[p, j, 2], turned[p, j, 3] = hx, hy, bx, by
                turned[p, j, 4], turned[p, j, 5], turned[p, j, 6] = tx, ty, theta
            else:
                hx, hy, bx, by = turned[p, j, 0], turned[p, j, 1], turned[p, j, 2], turned[p, j, 3]
                tx, ty, theta = turned[p, j, 4], turned[p, j, 5], turned[p, j, 6]
            if np.isnan(legs[a, j, 0]):
                k, unit = every * (j + 1) - 1, families[f, 4, j]
                x, y = families[f, 0, j] + v[0] * unit, families[f, 1, j] + v[1] * unit
                z = families[f, 2, j] + v[2] * unit
                far, near, shank = _leg((x, y, z), (h.hip[0, k], h.hip[1, k], h.hip[2, k]), h)
                legs[a, j, 0], legs[a, j, 1], legs[a, j, 2] = x, y, z
                legs[a, j, 3], legs[a, j, 4], legs[a, j, 5] = far, near, shank
            else:
                x, y, z = legs[a, j, 0], legs[a, j, 1], legs[a, j, 2]
                far, near, shank = legs[a, j, 3], legs[a, j, 4], legs[a, j, 5]
            clear = clearance((x, y, z), (hx, hy, bx, by, tx, ty), sole[2, j], h.ground)
            short, bent = max(short, look.target[j] - clear), bent + _strained(theta - shank)
            long, close = max(long, far), max(close, near)
            total = least[i] + SHORT * short + BEYOND * (long + close) + bent / count
        if total < best[-1]:
            cost[i], k = total, keep - 1
            while k > 0 and best[k - 1] > total:
                best[k] = best[k - 1]
                k -= 1
            best[k] = total
    return cost


@kernel(loop=_costs_one_by_one)
def _costs(candidates, h: Hurdle, look: Samples, keep):  # type: ignore[no-untyped-def]
    """(K,) cost of candidates (K, 4); of all but the ``keep`` cheapest it may be given as infinite."""
    cost = np.empty(len(candidates))
    sole = sole_turns(look.s, h.toes, h.ground)
    every = (h.hip.shape[1] + 1) // (len(look.s) + 1)
    family, uneven = np.empty((5, len(look.s))), np.empty((4, 3))
    for at in np.unique(candidates[:, 0]):
        some = np.flatnonzero(candidates[:, 0] == at)
        _family(h, at, look.s, family)
        _unevenness(family, uneven)
        via = _via(candidates[some].T, h)
        x, y, z, theta = (family[d] + np.reshape(via[d], (-1, 1)) * family[4] for d in range(4))
        turned = sole_from(theta, sole[0], sole[1], h.foot)
        short = np.maximum(look.target - clearance((x, y, z), turned, sole[2], h.ground), 0.0).max(-1)
        far, near, shank = _leg((x, y, z), h.hip[:, every - 1 :: every], h)
        cost[some] = _effort(uneven, via) + SHORT * short + BEYOND * (far.max(-1) + near.max(-1))
        cost[some] += _strained(theta - shank).mean(-1)
    return cost


@kernel
def over(h: Hurdle):  # type: ignore[no-untyped-def]
    """Path (2, 4, 9) and via time of the calmest swing that clears every edge, knee and ankle within their range."""
    grid, chosen, around = GRID.copy(), np.empty((FINALISTS, 4)), NEIGHBOURS.copy()
    cost = _costs(grid, h, h.looks.rough, FINALISTS)
    for k in range(FINALISTS):
        at = np.argmin(cost)
        chosen[k], cost[at] = grid[at], np.inf
    best = chosen[np.argmin(_costs(chosen, h, h.looks.close, 1))]
    for k in range(len(around)):
        for d in range(4):
            around[k, d] = max(best[d] + around[k, d], LEAST[d])
    best = around[np.argmin(_costs(around, h, h.looks.close, 1))]
    via = np.empty(4)
    via[0], via[1], via[2], via[3] = _via(best, h)
    return through(h.ends, via, best[0]), best[0]
