"""A swing raised over the ground that lies under it: as little as clears it, over risers as calmly as can be."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import Body
from gambol.footsteps import Footstep
from gambol.personal import BUMPS, DEGREE
from gambol.roll import Foot, ball_heel_tip
from gambol.swing import hermite, quintic
from gambol.terrain import Flat, Terrain

__all__ = ["Over", "swing_over"]

Array = NDArray[np.float64]
CLEAR = 0.010  # m between shoe and ground in mid-swing
NEAR_END = -0.0012  # m, allowed at the very ends, where the toe leaves and the heel arrives
DILATE = 0.006  # m, the ground counts as high as its highest point this far fore and aft
NEAR = 0.22  # of the swing, at either end, where the foot is raised sharply
LITTLE = 0.03  # m, that a swing is raised by over rough ground; more, and it goes round by a via point
SPACING = 0.003  # m, of the ground profile
EVEN = 0.008  # m, departure from the straight line between two footholds that is no obstacle
SHOES = 0.053  # of body height between the lines of two feet that pass each other
# shares of the swing within which the toes straighten: no slower than toes that would scrape ask for
STRAIGHT = np.array([[0.6], [0.8], [1.0]])
SCRAPE = 0.001  # m, that the swing may be raised by for the sake of toes that straighten quickly
# candidates over risers, which two quintics join: when, how far along, how high above the flat ankle on the higher
# level (of leg length), at which pitch of the sole; and finer steps about the best of them
CANDIDATES = np.array(
    list(product((0.3, 0.45, 0.6), (0.25, 0.5, 0.75, 0.92), (0.0, 0.04, 0.09, 0.15), (-0.7, -0.4, -0.1)))
)
FINER = np.array(list(product((-0.07, 0.0, 0.07), (-0.08, 0.0, 0.08), (-0.02, 0.0, 0.02), (-0.12, 0.0, 0.12))))
SOFT_REACH = 0.985  # of the straight leg
EFFORT, SCRAPED = 3e-4, 80.0  # per (m per swing^2)^2, and per m into the ground, against a m beyond that reach


class _Samples(NamedTuple):
    s: Array
    powers: Array  # (N, DEGREE)
    ramp: Array  # share of the clearance asked for
    lifting: Array  # what a metre of bump lifts each sample by


def _samples(count: int, steep: float) -> _Samples:
    s = np.linspace(0.0, 1.0, count + 1)[1:-1]
    powers = s[:, None] ** np.arange(DEGREE)
    return _Samples(s, powers, np.minimum(1.0, steep * s**2 * (1 - s) ** 2), np.maximum(powers @ BUMPS[0], 0.15))


EVEN_GROUND, EDGES = _samples(40, 16.8), _samples(96, 45.0)


class Over(NamedTuple):
    """The ground, whose foot it is, extra lift m, and the middle of the hips (2, 3) at toe-off and landing."""

    terrain: Terrain
    body: Body
    foot: Foot
    lift: float
    hips: Array


def swing_over(
    feet: tuple[Footstep, Footstep, Footstep], ends: Array, bumps: Array, toes: tuple[float, float, Array],
    where: Over,
) -> tuple[Array, float, float]:
    """Path ``(2, 4, DEGREE)`` of the ankle and the sole's pitch, where its pieces meet, when toes are straight.

    Both are shares of the swing.

    Args:
        feet: rear foot, stance foot, next foothold.
        ends: ``(4, 6)`` position, velocity, acceleration per swing at both ends.
        bumps: ``(3, 7)`` of :data:`gambol.personal.BUMPS` along the way, up, and of the pitch.
        toes: bend of the toes at toe-off and its rate, and yaw, pitch, roll of the next foothold.
        where: over what.
    """
    rear, front, one = feet
    way = (one.place - rear.place)[[0, 2]]
    length = float(np.hypot(*way))
    along = way / length if length > 0.05 else np.array([np.sin(rear.yaw), np.cos(rear.yaw)])
    path = np.zeros((4, DEGREE))
    path[:, :6] = quintic(ends)
    path[0] += along[0] * (bumps[0] @ BUMPS)
    path[2] += along[1] * (bumps[0] @ BUMPS)
    path[1] += bumps[1] @ BUMPS
    path[3] += bumps[2] @ BUMPS
    aside = _aside(rear, front, along, length, where.body)
    path[0] += aside[0] * BUMPS[0]
    path[2] += aside[1] * BUMPS[0]
    path[1] += where.lift * BUMPS[0]
    ground = _Profile.below(rear, one, where.foot, where.terrain)
    look = EVEN_GROUND if ground.rough < EVEN else EDGES
    lacking = _missing(path @ look.powers.T, look, ground, rear, (*toes, STRAIGHT), where.foot)
    raises = np.maximum((lacking / look.lifting).max(-1), SCRAPE)
    k = int(np.argmin(raises))
    short, raised, straight = lacking[k], float(raises[k]), float(STRAIGHT[k, 0])
    problem = (ground, rear, (*toes, straight), where.foot)
    if ground.rough >= EVEN and raised > LITTLE:
        path, via = _over(ends, (along, length, aside), one, where, problem)
        return path, via, straight
    # toes that straighten must not dig in, nor the heel before it lands; then what is left in between
    for part, bump in ((look.s < NEAR, BUMPS[-2]), (look.s > 1 - NEAR, -BUMPS[-1])):
        more = max(float((short / np.maximum(look.powers @ bump, 1e-3))[part].max()), 0.0)
        if more > 0:
            path[1] += more * bump
            short = short - more * (look.powers @ bump)
    path[1] += max(float((short / look.lifting).max()), 0.0) * BUMPS[0]
    return np.stack([path, path]), 1.0, straight


def _over(
    ends: Array, line: tuple[Array, float, Array], one: Footstep, where: Over,
    problem: tuple[_Profile, Footstep, tuple[float, float, Array, Any], Foot],
) -> tuple[Array, float]:
    """The calmest of the ways over risers, looked at once more about the best one."""
    along, length, aside = line
    rear = problem[1]
    base = max(float(rear.place[1]), float(one.place[1])) + where.foot.ankle
    leg = where.body.leg_length
    hips = where.hips[0][:, None] + (where.hips[1] - where.hips[0])[:, None] * EDGES.s
    best = (np.inf, np.zeros((2, 4, 6)), 0.5, CANDIDATES[0])
    tries = CANDIDATES
    for _ in range(2):
        for at in np.unique(tries[:, 0]):
            some = tries[tries[:, 0] == at]
            forward = rear.place[[0, 2]] + (some[:, 1] * length)[:, None] * along + aside
            via = np.stack([forward[:, 0], base + leg * some[:, 2] + where.lift, forward[:, 1], some[:, 3]], -1)
            pieces = _through(ends, via, float(at))
            samples = _sampled(pieces, float(at))
            short = np.maximum(_missing(samples, EDGES, *problem), 0.0).max(1)
            second = np.diff(samples, 2, axis=-1) * (samples.shape[-1] + 1) ** 2
            effort = EFFORT * ((second[:, :3] ** 2).mean(-1).sum(-1) + 0.02 * (second[:, 3] ** 2).mean(-1))
            far = np.linalg.norm(samples[:, :3] - hips, axis=1).max(1) - SOFT_REACH * (leg - where.foot.ankle)
            cost = effort + SCRAPED * short + np.maximum(far, 0.0)
            k = int(np.argmin(cost))
            if cost[k] < best[0]:
                best = float(cost[k]), pieces[k], float(at), some[k]
        tries = np.maximum(best[3] + FINER, [0.15, 0.0, -0.02, -1.2])
        tries[:, 0] = np.minimum(tries[:, 0], 0.85)
    out = np.zeros((2, 4, DEGREE))
    out[:, :, : best[1].shape[-1]] = best[1]
    return out, best[2]


def _through(ends: Array, via: Array, at: float) -> Array:
    """Paths ``(K, 2, 4, 6)`` of least jerk through many points ``via`` (K, 4), as :func:`gambol.swing.through`."""
    p, q = at, 1.0 - at
    e = [np.broadcast_to(ends[:, k], via.shape) for k in range(6)]
    zero = 0.0 * via

    def pieces(v: Array, a: Array) -> tuple[Array, Array]:
        start, mid = (e[0], e[1] * p, e[2] * p * p), (via, v * p, a * p * p)
        onward, end = (via, v * q, a * q * q), (e[3], e[4] * q, e[5] * q * q)
        first = np.stack([start[0], start[1], start[2] / 2, *hermite(start, mid)], -1)
        return first, np.stack([onward[0], onward[1], onward[2] / 2, *hermite(onward, end)], -1)

    def jumps(v: Array, a: Array) -> Array:
        f, g = pieces(v, a)
        third = (6 * f[..., 3] + 24 * f[..., 4] + 60 * f[..., 5]) / p**3 - 6 * g[..., 3] / q**3
        fourth = (24 * f[..., 4] + 120 * f[..., 5]) / p**4 - 24 * g[..., 4] / q**4
        return np.stack([third, fourth], -1)

    base = jumps(zero, zero)  # linear in velocity and acceleration: two unit responses give the 2 x 2 system
    response = np.stack([(jumps(zero + 1, zero) - base)[0, 0], (jumps(zero, zero + 1) - base)[0, 0]], -1)
    free = -np.einsum("ij,...j->...i", np.linalg.inv(response), base)
    return np.stack(pieces(free[..., 0], free[..., 1]), 1)


def _sampled(pieces: Array, at: float) -> Array:
    """``(K, 4, N)`` of paths ``(K, 2, 4, C)`` at the samples of :data:`EDGES`."""
    first = at >= EDGES.s
    powers = np.arange(pieces.shape[-1])
    a = pieces[:, 0] @ ((EDGES.s[first] / at)[:, None] ** powers).T
    b = pieces[:, 1] @ (((EDGES.s[~first] - at) / (1 - at))[:, None] ** powers).T
    return np.concatenate([a, b], -1)


def _missing(
    samples: Array, look: _Samples, ground: _Profile, rear: Footstep, toes: tuple[float, float, Array, Any],
    foot: Foot,
) -> Array:
    """``(..., N)`` m that each of the samples ``(..., 4, N)`` lacks to clear the ground."""
    s, (bend0, rate, goal, straight) = look.s, toes
    turn = s**3 * (10 + s * (6 * s - 15))
    r = np.minimum(s / straight, 1.0)
    bend = (1 - r) ** 3 * (bend0 * (1 + 3 * r) + straight * rate * r)
    yaw = rear.yaw + (goal[0] - rear.yaw) * turn
    slope = rear.pitch + (goal[1] - rear.pitch) * turn
    px, py, pz, pitch = (samples[..., d, :] for d in range(4))
    x = (px - ground.origin[0]) * ground.along[0] + (pz - ground.origin[1]) * ground.along[1]
    facing = np.sin(yaw) * ground.along[0] + np.cos(yaw) * ground.along[1]
    hx, hy, bx, by, tx, ty = ball_heel_tip(0.0, 0.0, pitch + slope, bend, foot)
    clear = np.minimum(py + hy - ground.at(x + hx * facing), py + by - ground.at(x + bx * facing))
    clear = np.minimum(clear, py + ty - ground.at(x + tx * facing))
    return np.asarray(NEAR_END + (CLEAR - NEAR_END) * look.ramp - clear)


def _aside(rear: Footstep, front: Footstep, along: Array, length: float, body: Body) -> Array:
    """How far (x, z) the swing bows out so that the two shoes pass each other."""
    out = rear.side * np.array([along[1], -along[0]])
    to = (front.place - rear.place)[[0, 2]]
    need = SHOES * body.height + float(to @ out)
    if need <= 0 or not 0.0 < float(to @ along) < max(length, 0.05):
        return np.zeros(2)
    return np.asarray(min(need, 0.12) * out)


class _Profile(NamedTuple):
    """Heights along the straight line between two footholds."""

    origin: Array  # (2,) xz
    along: Array
    start: float
    spacing: float
    heights: Array
    rough: float  # m, largest departure from the straight line between the two

    @staticmethod
    def below(rear: Footstep, one: Footstep, foot: Foot, terrain: Terrain) -> _Profile:
        a, b = rear.place, one.place
        d = (b - a)[[0, 2]]
        length = float(np.hypot(*d))
        along = d / length if length > 0.05 else np.array([np.sin(rear.yaw), np.cos(rear.yaw)])
        if isinstance(terrain, Flat):
            return _Profile(a[[0, 2]], along, 0.0, 1.0, np.full(2, float(terrain.y)), 0.0)
        start, stop = -foot.heel - 0.25, length + foot.tip + 0.35
        n = int((stop - start) / SPACING) + 2
        x = np.linspace(start, stop, n)
        line = a[1] + (b[1] - a[1]) * x / max(length, 0.3)
        y = terrain.height(a[[0, 2]] + x[:, None] * along, line + 0.1)
        y = np.where(np.isfinite(y), y, np.fmin(a[1], b[1]))
        inside = (x > -foot.heel) & (x < length + foot.tip)
        rough = float(np.abs(y - line)[inside].max())
        k = int(np.ceil(DILATE / (x[1] - x[0])))
        padded = np.pad(y, k, mode="edge")
        wide = np.max([padded[i : i + n] for i in range(2 * k + 1)], axis=0)
        return _Profile(a[[0, 2]], along, start, float(x[1] - x[0]), wide, rough)

    def at(self, x: Array) -> Any:
        """Ground height at distance ``x`` along the line."""
        if len(self.heights) == 2:  # flat
            return self.heights[0]
        at = np.clip((x - self.start) / self.spacing, 0.0, len(self.heights) - 1.001)
        k = at.astype(int)
        return self.heights[k] + (at - k) * (self.heights[k + 1] - self.heights[k])
