"""The path of the swing foot over the ground that is there (Tsutsuguchi et al. 2000, section 1.5).

On open ground the measured bumps, raised until heel, ball and tip clear; over risers a via point, chosen from a
small set of candidates as the calmest path that clears every edge.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.figure import _sole_axes
from gambol.footsteps import Footstep
from gambol.kernels import clamp
from gambol.roll import Foot, Roll, ankle_rates, ball_heel_tip
from gambol.swing import BUMP, bumped, through
from gambol.terrain import Flat, Terrain
from gambol.walker import Scene

__all__ = ["Swing", "swing_path"]

Array = NDArray[np.float64]
CLEAR = 0.012  # m, wanted between shoe and ground in mid-swing (people: 10 to 15 mm)
NEAR_END = -0.0002  # m, allowed at the very ends, where the toe leaves and the heel arrives
DILATE = 0.005  # m, the ground counts as high as its highest point this far fore and aft
SPACING = 0.003  # m, of the ground profile under a swing
STRAIGHT = (0.8, 1.0)  # slower ways for the toes to straighten, tried in turn
SCRAPE = -0.0009  # m, least clearance of a toe that leaves
EVEN = 0.008  # m, departure from the straight line between two footholds that is no obstacle
OBSTACLE = 0.06  # of leg length: if the measured swing must be raised by more to clear, a via point is used
VIA_AT = (0.2, 0.32, 0.44, 0.58)
VIA_FORWARD = (0.15, 0.35, 0.55, 0.75, 0.92)  # of the way
VIA_UP = (0.0, 0.03, 0.06, 0.10, 0.15)  # of leg length, above the ankle of a flat foot on the higher level
VIA_PITCH = (-0.9, -0.6, -0.35, -0.1)  # rad
FINALISTS = 24  # candidates that are looked at closely
NEIGHBOURS = np.array(  # of the best one: steps in via time, share of the way, height, pitch
    list(product((-0.05, 0.0, 0.05), (-0.08, 0.0, 0.08), (-0.02, 0.0, 0.02), (-0.12, 0.0, 0.12)))
)
ANKLE = (-0.6, 0.35)  # rad, plantar- and dorsiflexion that a swing over a riser keeps within
SHOES = 0.053  # of body height between the lines of two feet that pass each other
HIP_BELOW = 0.034  # of body height: hip joints below C
KNEE_SWING = (np.radians(18.0), np.radians(92.0))  # flexion that a swing over a riser keeps within
Carried = Callable[[NDArray[np.float64]], NDArray[np.float64]]


class Sampling(NamedTuple):
    """Where a swing is looked at: ``s`` (N,), its powers (N, 9), share of the clearance asked for, and bump there."""

    s: Array
    powers: Array
    ramp: Array
    lifting: Array  # what one metre of bump lifts each sample by; little at both ends

    @staticmethod
    def of(pieces: int, steep: float) -> Sampling:
        """Even samples between the ends; ``steep``: how soon the whole clearance is asked for."""
        s = np.linspace(0.0, 1.0, pieces + 1)[1:-1]
        powers = s[:, None] ** np.arange(9)
        return Sampling(s, powers, np.minimum(1.0, steep * s**2 * (1 - s) ** 2), np.maximum(powers @ BUMP[0], 0.2))


EVEN_GROUND, EDGES = (
    Sampling.of(32, 16.8),
    Sampling.of(96, 45.0),
)  # a foot passes an edge within a few thousandths of the swing


class Swing(NamedTuple):
    """Path of ankle and sole pitch, where its pieces meet, goal angles, and the toes' bend at toe-off."""

    path: Array
    via: float
    goal: Array
    bend: float
    bend_rate: float
    straight: float = 0.6  # share of the swing within which the toes straighten
    aside: tuple[float, float] = (0.0, 0.0)  # m, x and z that the foot goes out of the other shoe's way


def swing_path(
    feet: tuple[Footstep, Footstep, Footstep | None],
    rolls: tuple[Roll, Roll],
    times: tuple[float, float],
    carried: Carried,
    scene: Scene,
) -> Swing:
    """The swing of the rear foot past the stance foot to the next foothold: ``feet`` in this order.

    It leaves at ``times[0]`` s and lands at ``times[1]`` s. ``carried`` gives C (3, N) m at times (N,) s: the leg must
    reach from the hip, which goes with it.
    """
    rear, front, one = feet
    if one is None:
        still = np.array([rear.yaw, rear.pitch, rear.roll])
        return Swing(np.zeros((2, 4, 9)), 1.0, still, 0.0, 0.0)
    foot = scene.figure.foot
    span = times[1] - times[0]
    ends = np.zeros((4, 6))
    _fill(ends, 0, rear, ankle_rates(rolls[0], foot, lift=True), span)
    _fill(ends, 3, one, ankle_rates(rolls[1], foot, lift=False), span)
    ends[:, 5] = 0.0  # the foot arrives with the stance's velocity; its acceleration is the landing's own
    toes = rolls[0].toes
    bend = -(rolls[0].push - toes)
    bend_rate = float(ends[3, 1]) + 2 * toes / max(rolls[0].lift - rolls[0].toes_off, 1e-6) * span
    goal = np.array([rear.yaw + _wrap(one.yaw - rear.yaw), one.pitch, one.roll])
    ground = _Ground.between(rear, one, foot, scene.terrain)
    swing = Swing(np.zeros(0), 1.0, goal, bend, bend_rate, aside=_aside(rear, front, ground, scene))
    plain, raised, lowest = _open(ends, swing, ground, rear, scene)
    for straight in STRAIGHT:  # toes that straighten slowly do not scrape, but look hooked: no slower than needed
        if lowest > SCRAPE:
            break
        plain, raised, lowest = _open(ends, swing._replace(straight=straight), ground, rear, scene)
    if ground.rough < EVEN or (raised <= OBSTACLE * scene.body.leg_length and lowest > SCRAPE):
        return plain
    hip = carried(times[0] + EDGES.s * span)
    hip[1] -= HIP_BELOW * scene.body.height + scene.body.lift
    return _over(_Problem(ends, swing, ground, rear, hip, scene))


def _wrap(angle: float) -> float:
    return float((angle + np.pi) % (2 * np.pi) - np.pi)


def _fill(
    ends: Array,
    at: int,
    foot: Footstep,
    rates: tuple[complex, complex, complex, tuple[float, float, float]],
    span: float,
) -> None:
    """World position, velocity and acceleration of the ankle, and of the pitch, per unit of s."""
    zx, zy, zz, yx, yy, yz = _sole_axes(foot.yaw, foot.pitch, foot.roll)
    for k, value in enumerate(rates[:3]):
        scale = span**k
        ends[0, at + k] = (zx * value.real + yx * value.imag) * scale
        ends[1, at + k] = (zy * value.real + yy * value.imag) * scale
        ends[2, at + k] = (zz * value.real + yz * value.imag) * scale
        ends[3, at + k] = rates[3][k] * scale
    ends[:3, at] += foot.place


class _Ground(NamedTuple):
    """Heights along the straight line between two footholds, and the foot's own frame on it."""

    origin: Array  # (2,) xz
    along: Array  # (2,) unit
    length: float
    start: float
    spacing: float
    heights: Array
    rough: float  # m, largest departure from the straight line between the two
    goal_y: float  # m, height of the next foothold

    @staticmethod
    def between(rear: Footstep, one: Footstep, foot: Foot, terrain: Terrain) -> _Ground:
        a, b = rear.place, one.place
        d = (b - a)[[0, 2]]
        length = float(np.hypot(*d))
        along = d / length if length > 0.05 else np.array([np.sin(rear.yaw), np.cos(rear.yaw)])
        if isinstance(terrain, Flat):
            return _Ground(a[[0, 2]], along, length, 0.0, 1.0, np.full(2, terrain.y), 0.0, terrain.y)
        start, stop = -foot.heel - 0.2, length + foot.tip + 0.35  # a swing may go beyond its ends
        n = int((stop - start) / SPACING) + 2
        x = np.linspace(start, stop, n)
        xz = a[[0, 2]] + x[:, None] * along
        line = a[1] + (b[1] - a[1]) * x / max(length, 0.3)
        y = terrain.height(xz, line + 0.1)
        y = np.where(np.isfinite(y), y, np.fmin(a[1], b[1]))
        inside = (x > -foot.heel) & (x < length + foot.tip)
        rough = float(np.abs(y - line)[inside].max())
        k = int(np.ceil(DILATE / (x[1] - x[0])))
        padded = np.pad(y, k, mode="edge")
        wide = np.max([padded[i : i + n] for i in range(2 * k + 1)], axis=0)
        return _Ground(a[[0, 2]], along, length, start, float(x[1] - x[0]), wide, max(rough, 1e-9), float(b[1]))

    def height(self, x: Array) -> Array | float:
        """Dilated ground height at distance ``x`` along the line."""
        if self.rough == 0.0:
            return self.goal_y
        at = np.minimum(np.maximum((x - self.start) / self.spacing, 0.0), len(self.heights) - 1.001)
        k = at.astype(int)
        return self.heights[k] + (at - k) * (self.heights[k + 1] - self.heights[k])


def _aside(rear: Footstep, front: Footstep, ground: _Ground, scene: Scene) -> tuple[float, float]:
    """How far (x, z) the swing must bow out so that the two shoes pass each other."""
    out = rear.side * np.array([ground.along[1], -ground.along[0]])  # towards the swing foot's side
    to = (front.place - rear.place)[[0, 2]]
    passed = float(to @ ground.along)
    need = SHOES * scene.body.height + float(to @ out)
    if need <= 0 or not 0.0 < passed < max(ground.length, 0.05):
        return 0.0, 0.0
    bow = min(need, 0.12) * out
    return float(bow[0]), float(bow[1])


def _dorsiflexion(samples: Array, hip: Array, along: Array, scene: Scene) -> Array:
    """(K, N) angle (rad) between sole and shank that the two-bone leg will have, toes up positive."""
    a, b = scene.figure.thigh, scene.figure.shank
    d = samples[:, :3] - hip
    ahead, down = d[:, 0] * along[0] + d[:, 2] * along[1], -d[:, 1]
    distance = np.clip(np.hypot(ahead, down), 1e-6, (a + b) * 0.9999)
    cosine = np.clip((distance**2 - a * a - b * b) / (2 * a * b), -1.0, 1.0)
    knee = np.arccos(cosine)
    shank = np.arctan2(ahead, down) + np.arctan2(b * np.sin(knee), a + b * cosine) - knee
    return samples[:, 3] - shank


def _clearance(s: Array, samples: Array, swing: Swing, ground: _Ground, rear: Footstep, foot: Foot) -> Array:
    """(..., N) least height m of heel, ball, tip above ground; ``samples`` (..., 4, N): ankle and pitch at ``s``."""
    turn = s**3 * (10 + s * (6 * s - 15))
    r = np.minimum(s / swing.straight, 1.0)
    bend = (1 - r) ** 3 * (swing.bend * (1 + 3 * r) + swing.straight * swing.bend_rate * r)
    yaw = rear.yaw + (swing.goal[0] - rear.yaw) * turn
    slope = rear.pitch + (swing.goal[1] - rear.pitch) * turn
    x = (samples[..., 0, :] - ground.origin[0]) * ground.along[0] + (
        samples[..., 2, :] - ground.origin[1]
    ) * ground.along[1]
    facing = np.sin(yaw) * ground.along[0] + np.cos(yaw) * ground.along[1]
    hx, hy, bx, by, tx, ty = ball_heel_tip(0.0, 0.0, samples[..., 3, :] + slope, bend, foot)
    y = samples[..., 1, :]
    return np.minimum(
        np.minimum(y + hy - ground.height(x + hx * facing), y + by - ground.height(x + bx * facing)),
        y + ty - ground.height(x + tx * facing),
    )


def _target(scene: Scene, at: Sampling) -> Array:
    return NEAR_END + (CLEAR + scene.look.lift - NEAR_END) * at.ramp


def _open(ends: Array, swing: Swing, ground: _Ground, rear: Footstep, scene: Scene) -> tuple[Swing, float, float]:
    """The measured swing raised by the missing clearance, how much (m) that was, and its least clearance m."""
    row, leg = scene.look.row, scene.body.leg_length
    part = clamp(ground.length / (2 * scene.pace.step_length), 0.0, 1.2)
    bumps = np.zeros((4, 3))
    travel = ground.along * ground.length
    bumps[0, :2] = travel[0] * np.array([row["x0"], row["x1"]])
    bumps[2, :2] = travel[1] * np.array([row["x0"], row["x1"]])
    lift = part if part < 1 else 1.0
    bumps[0, 0] += swing.aside[0]
    bumps[2, 0] += swing.aside[1]
    bumps[1] = leg * lift * np.array([row["y0"], row["y1"], row["y2"]])
    bumps[3] = lift * np.array([row["t0"], row["t1"], row["t2"]])
    look = EVEN_GROUND if ground.rough == 0.0 else EDGES
    target = _target(scene, look)
    for _ in range(6):
        path = bumped(ends, bumps)
        samples = path[0] @ look.powers.T
        clearance = _clearance(look.s, samples, swing, ground, rear, scene.figure.foot)
        missing = target - clearance
        need = float((missing / look.lifting).max())
        if need <= 1e-6:
            break
        bumps[1, 0] += need + 1e-6
        if ground.rough == 0.0:  # on a plane the clearance grows just as the bump: once is enough
            path, clearance = bumped(ends, bumps), clearance + need * (look.powers @ BUMP[0])
            break
    return swing._replace(path=path), float(bumps[1, 0]) - leg * lift * row["y0"], float(clearance.min())


def _powers(s: Array) -> Array:
    return s[:, None] ** np.arange(9)


class _Problem(NamedTuple):
    """A swing over risers: ends (4, 6), what lies below, and the hip's way (3, 95) at the samples of :data:`EDGES`."""

    ends: Array
    swing: Swing
    ground: _Ground
    rear: Footstep
    hip: Array
    scene: Scene


def _over(p: _Problem) -> Swing:
    """The calmest candidate that clears every edge and keeps knee and ankle within their range.

    All candidates are looked at coarsely, the best of them closely, and once more around the best one.
    """
    grid = np.array(np.meshgrid(VIA_AT, VIA_FORWARD, VIA_UP, VIA_PITCH, indexing="ij")).reshape(4, -1).T
    rough = _costs(grid, p, EVEN_GROUND)[0]
    chosen = grid[np.argsort(rough, kind="stable")[:FINALISTS]]
    for spread in (0.0, 0.8):
        around = chosen if spread == 0 else np.maximum(chosen[:1] + spread * NEIGHBOURS, [0.12, 0.0, -0.02, -1.2])
        cost, paths = _costs(around, p, EDGES)
        order = np.argsort(cost, kind="stable")
        chosen = around[order]
    return p.swing._replace(path=paths[order[0]], via=float(chosen[0, 0]))


def _costs(vias: Array, p: _Problem, look: Sampling) -> tuple[Array, Array]:
    """Cost (K,) and path (K, 2, 4, 9) of candidates (K, 4): via time, share of the way, height in legs, pitch."""
    figure, ends, leg = p.scene.figure, p.ends, p.scene.body.leg_length
    longest, shortest = (
        np.sqrt(figure.thigh**2 + figure.shank**2 + 2 * figure.thigh * figure.shank * np.cos(k)) for k in KNEE_SWING
    )
    base = max(float(p.rear.place[1]), p.ground.goal_y) + figure.foot.ankle  # the flat ankle on the higher level
    hip = p.hip if look is EDGES else p.hip[:, 2::3]
    target = _target(p.scene, look)
    cost, paths = np.empty(len(vias)), np.empty((len(vias), 2, 4, 9))
    for at in np.unique(vias[:, 0]):
        some = np.flatnonzero(vias[:, 0] == at)
        _, share, up, pitch = vias[some].T
        x, z = (ends[c, 0] + (ends[c, 3] - ends[c, 0]) * share + p.swing.aside[c // 2] for c in (0, 2))
        paths[some] = through(ends, np.stack([x, base + leg * up, z, pitch], -1), float(at))
        samples = _sample(paths[some], float(at), look.s)
        clear = _clearance(look.s, samples, p.swing, p.ground, p.rear, figure.foot)
        short = np.maximum(target - clear, 0.0).max(-1)
        distance = np.linalg.norm(samples[:, :3] - hip, axis=1)
        beyond = np.maximum(distance - longest, 0.0).max(-1) + np.maximum(shortest - distance, 0.0).max(-1)
        ankle = _dorsiflexion(samples, hip, p.ground.along, p.scene)
        bent = np.maximum(np.maximum(ankle - ANKLE[1], ANKLE[0] - ankle), 0.0).mean(-1)
        cost[some] = _effort(samples) + 80 * short + 10 * beyond + bent
    return cost, paths


def _effort(samples: Array) -> Array:
    """(K,) mean squared acceleration of ankle and (at a fiftieth) of pitch per swing, in small units."""
    second = np.diff(samples, 2, axis=-1) * (samples.shape[-1] + 1) ** 2
    mean = (second**2).mean(-1)
    return 3e-5 * (mean[:, :3].sum(-1) + 0.02 * mean[:, 3])


def _sample(paths: Array, at: float, s: Array) -> Array:
    """(K, 4, N) values of many paths whose pieces meet at ``at``, at samples ``s`` (N,)."""
    first = s <= at
    a = paths[:, 0] @ _powers(s[first] / at).T
    b = paths[:, 1] @ _powers((s[~first] - at) / (1 - at)).T
    return np.concatenate([a, b], -1)
