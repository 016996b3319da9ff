"""A swing raised over the ground that lies under it: as little as clears it, over risers as calmly as can be."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import Body
from gambol.footsteps import Footstep
from gambol.personal import BUMPS, DEGREE
from gambol.roll import Foot, ball_heel_tip
from gambol.swing import quintic
from gambol.terrain import Flat, Terrain

__all__ = ["swing_over"]

Array = NDArray[np.float64]
CLEAR = 0.010  # m between shoe and ground in mid-swing
NEAR_END = -0.0012  # m, allowed at the very ends, where the toe leaves and the heel arrives
DILATE = 0.006  # m, the ground counts as high as its highest point this far fore and aft
NEAR = 0.22  # of the swing, at either end, where the foot is raised sharply
SPACING = 0.003  # m, of the ground profile
EVEN = 0.008  # m, departure from the straight line between two footholds that is no obstacle
SHOES = 0.053  # of body height between the lines of two feet that pass each other
STRAIGHT = 0.6  # share of the swing within which the toes straighten
# candidates over risers: how the lift leans towards one end, m per m of way that the foot hangs back, pitch rad
LEANS = (-1.2, -0.6, 0.0, 0.6, 1.2)
BACK = (-0.24, -0.12, 0.0, 0.12, 0.24)
PITCH = (-0.5, -0.25, 0.0, 0.2)
CANDIDATES = np.array(list(product(LEANS, BACK, PITCH)))


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


def swing_over(
    feet: tuple[Footstep, Footstep, Footstep], ends: Array, bumps: Array, toes: tuple[float, float, Array],
    foot: Foot, where: tuple[Terrain, Body, float],
) -> Array:
    """Path ``(4, DEGREE)`` of the ankle and the sole's pitch.

    Args:
        feet: rear foot, stance foot, next foothold.
        ends: ``(4, 6)`` position, velocity, acceleration per swing at both ends.
        bumps: ``(3, 7)`` of :data:`gambol.personal.BUMPS` along the way, up, and of the pitch.
        toes: bend of the toes at toe-off and its rate, and yaw, pitch, roll of the next foothold.
        foot: its lengths.
        where: ground, body, and extra lift m.
    """
    rear, front, one = feet
    terrain, body, lift = where
    way = (one.place - rear.place)[[0, 2]]
    length = float(np.hypot(*way))
    along = way / length if length > 0.05 else np.array([np.sin(rear.yaw), np.cos(rear.yaw)])
    path = np.zeros((4, DEGREE))
    path[:, :6] = quintic(ends)
    path[0] += along[0] * (bumps[0] @ BUMPS)
    path[2] += along[1] * (bumps[0] @ BUMPS)
    path[1] += bumps[1] @ BUMPS
    path[3] += bumps[2] @ BUMPS
    aside = _aside(rear, front, along, length, body)
    path[0] += aside[0] * BUMPS[0]
    path[2] += aside[1] * BUMPS[0]
    path[1] += lift * BUMPS[0]
    ground = _Profile.below(rear, one, foot, terrain)
    look = EVEN_GROUND if ground.rough < EVEN else EDGES
    if ground.rough < EVEN:  # toes that straighten must not dig in, nor the heel before it lands
        for part, bump in ((look.s < NEAR, BUMPS[-2]), (look.s > 1 - NEAR, -BUMPS[-1])):
            short = _missing(path[None], ground, (rear, one), toes, foot, look)[0]
            lifting = look.powers @ bump
            path[1] += max(float((short / np.maximum(lifting, 1e-3))[part].max()), 0.0) * bump
    need = _needed(path[None], ground, (rear, one), toes, foot, look)[0]
    if ground.rough < EVEN or need < 0.02:
        path[1] += max(need, 0.0) * BUMPS[0]
        return path
    return _best(path, along, length, (ground, (rear, one), toes, foot, look))


def _best(path: Array, along: Array, length: float, problem: tuple) -> Array:
    """The calmest of the candidates, each raised as much as it needs."""
    many = np.repeat(path[None], len(CANDIDATES), 0)
    lean, back, pitch = CANDIDATES.T
    many[:, 0] += (along[0] * length * back)[:, None] * BUMPS[0]
    many[:, 2] += (along[1] * length * back)[:, None] * BUMPS[0]
    many[:, 3] += pitch[:, None] * BUMPS[0]
    leaning = BUMPS[0] + lean[:, None] * 0.8 * BUMPS[1]
    look: _Samples = problem[-1]
    lifted = np.maximum(leaning @ look.powers.T, 0.1)
    short = _missing(many, *problem)
    need = np.maximum((short / lifted).max(1), 0.0)
    many[:, 1] += need[:, None] * leaning
    peak = (many[:, 1] @ look.powers.T).max(1)
    jerk = np.abs(np.diff(many[:, 1] @ look.powers.T, 2, axis=1)).max(1) * len(look.s) ** 2
    cost = peak + 0.004 * jerk + 0.25 * length * np.abs(back) + 0.06 * np.abs(pitch)
    return np.asarray(many[int(np.argmin(cost))])


def _needed(paths: Array, ground: _Profile, feet: tuple[Footstep, Footstep], toes: tuple[float, float, Array],
            foot: Foot, look: _Samples) -> Array:
    return np.asarray((_missing(paths, ground, feet, toes, foot, look) / look.lifting).max(1))


def _missing(
    paths: Array, ground: _Profile, feet: tuple[Footstep, Footstep], toes: tuple[float, float, Array], foot: Foot,
    look: _Samples,
) -> Array:
    """``(K, N)`` m that each sample lacks to clear the ground."""
    s, (rear, _one), (bend0, rate, goal) = look.s, feet, toes
    samples = paths @ look.powers.T
    turn = s**3 * (10 + s * (6 * s - 15))
    r = np.minimum(s / STRAIGHT, 1.0)
    bend = (1 - r) ** 3 * (bend0 * (1 + 3 * r) + STRAIGHT * rate * r)
    yaw = rear.yaw + (goal[0] - rear.yaw) * turn
    slope = rear.pitch + (goal[1] - rear.pitch) * turn
    x = (samples[:, 0] - ground.origin[0]) * ground.along[0] + (samples[:, 2] - ground.origin[1]) * ground.along[1]
    facing = np.sin(yaw) * ground.along[0] + np.cos(yaw) * ground.along[1]
    hx, hy, bx, by, tx, ty = ball_heel_tip(0.0, 0.0, samples[:, 3] + slope, bend, foot)
    clear = np.minimum(
        np.minimum(samples[:, 1] + hy - ground.at(x + hx * facing), samples[:, 1] + by - ground.at(x + bx * facing)),
        samples[:, 1] + ty - ground.at(x + tx * facing),
    )
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

    def at(self, x: Array) -> Array:
        """Ground height at distance ``x`` along the line."""
        at = np.clip((x - self.start) / self.spacing, 0.0, len(self.heights) - 1.001)
        k = at.astype(int)
        return np.asarray(self.heights[k] + (at - k) * (self.heights[k + 1] - self.heights[k]))
