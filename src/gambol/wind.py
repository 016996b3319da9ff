"""Wind, and what it does to the joints of a plant (Chen, Li and Hu 2004, section 5; formulas derived).

The field is a mean, a gust and turbulence, all travelling with the mean wind (Taylor's frozen turbulence): sums of
waves, so that any point at any time is a sum, a seed gives the same wind anywhere, and a period makes it loop exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.model import Model, links

__all__ = ["Elastic", "Field", "Modes", "Wind", "elastic_of", "field_at", "flow", "mode_shapes", "torques"]

Array = NDArray[np.float64]
AIR, DRAG = 1.2, 1.0  # kg/m3; drag coefficient of a bluff strip
VOGEL = -0.7  # exponent by which plants that bend evade a stronger wind (de Langre 2008, table 1: trees, flowers)
FRESH = 6.0  # m/s, the wind that `bend` is stated for
GUST_RATE = 0.22  # Hz
RATES = np.geomspace(0.35, 3.5, 9)  # Hz of the turbulence
SIDES = np.array([1.0, 0.75, 0.5])  # of turbulence along, across and up (Panofsky and Dutton 1984, near the ground)
STRONGEST = 70.0  # m/s
SLOWEST = 0.5  # m/s with which waves travel at least


@dataclass(frozen=True)
class Wind:
    """A wind.

    Attributes:
        speed: m/s, the mean.
        direction: ``(3,)``, where it blows to; made a unit.
        gust: 0 to 1, how much it swells and dies down, of the mean.
        turbulence: 0 to 1, its restlessness, of the mean.
    """

    speed: float = 6.0
    direction: tuple[float, float, float] = (1.0, 0.0, 0.0)
    gust: float = 0.35
    turbulence: float = 0.25

    def __post_init__(self) -> None:
        way = np.asarray(self.direction, float)
        if way.shape != (3,) or not (np.isfinite(way).all() and np.linalg.norm(way) > 1e-9):
            raise GambolError(f"direction is {self.direction}", where="wind", allowed="three numbers, not all 0")
        object.__setattr__(self, "direction", tuple((way / np.linalg.norm(way)).tolist()))
        for name, most in (("speed", STRONGEST), ("gust", 1.0), ("turbulence", 1.0)):
            if not 0 <= getattr(self, name) <= most:
                raise GambolError(f"{name} is {getattr(self, name)}", where="wind", allowed=f"0 to {most:g}")


class Field(NamedTuple):
    """Waves of a wind: mean (3,) m/s; for each of W waves rate rad/s, wave vector (W, 3) rad/m, size (W, 3), phase."""

    mean: Array
    rate: Array
    number: Array
    size: Array
    phase: Array


class Elastic(NamedTuple):
    """The elastic joints of a plant, ``(J,)`` each: inertia kg m2 and stiffness N m, and which can turn."""

    mass: Array
    stiffness: Array
    turns: NDArray[np.bool_]


class Modes(NamedTuple):
    """The lowest ways a skeleton swings: rate ``(N,)`` rad/s, shapes ``(N, J, 3)`` rad, mass-normalised."""

    rate: Array
    shapes: Array


def flow(wind: Wind, seed: int, period: float | None = None) -> Field:
    """The waves of a wind; with a period in s, all of them come back after it."""
    rng = np.random.default_rng(seed)
    way = np.array(wind.direction)
    across = np.cross([0.0, 1.0, 0.0], way)
    across = across / np.linalg.norm(across) if np.linalg.norm(across) > 1e-6 else np.array([0.0, 0.0, 1.0])
    frame = np.stack([way, across, np.cross(way, across)])
    rates = np.concatenate([[GUST_RATE], RATES * rng.uniform(0.85, 1.18, len(RATES))])
    if period is not None:
        rates = np.maximum(np.round(rates * period), 1.0) / period
    share = RATES ** (-5 / 6) * np.sqrt(np.gradient(RATES))  # Kolmogorov: energy ~ f^(-5/3)
    share = share / np.linalg.norm(share) * np.sqrt(2.0)
    size = np.zeros((len(rates), 3))
    size[0] = wind.gust * way
    sides = SIDES * rng.normal(0, 1, (len(RATES), 3))
    sides /= np.linalg.norm(sides, axis=1, keepdims=True) / np.sqrt(1.5)
    size[1:] = wind.turbulence * share[:, None] * (sides @ frame)
    rate = 2 * np.pi * rates
    along = rate[:, None] / max(wind.speed, SLOWEST) * way
    number = along + np.linalg.norm(along, axis=1, keepdims=True) * rng.normal(0, 0.35, (len(rates), 1)) * across
    return Field(wind.speed * way, rate, number, wind.speed * size, rng.uniform(0, 2 * np.pi, len(rates)))


def field_at(field: Field, points: Array, time: float) -> Array:
    """``(..., 3)`` m/s at points ``(..., 3)`` m and a time in s."""
    return field.mean + np.sin(field.rate * time + field.phase - points @ field.number.T) @ field.size


def torques(model: Model, velocity: Array) -> Array:
    """``(..., J, 3)`` N m on every joint from the air at the middles of its rods, ``velocity`` ``(..., J, 3)`` m/s.

    The drag ``0.5 rho Cd A |W| W`` of all rods that hang on a joint, times their arms in the rest pose; plants yield,
    so that it grows with the power 2 - 0.7 of the speed and not with its square.
    """
    arms = _arms(model)
    speed = FRESH * (np.sqrt(np.einsum("...k,...k->...", velocity, velocity)) / FRESH) ** (1 + VOGEL)
    force = (0.5 * AIR * DRAG) * (arms.area * speed)[..., None] * velocity
    turned = np.cross(arms.middle, force)
    out: Array = arms.below @ turned - np.cross(arms.place, arms.below @ force)
    return out


@lru_cache(maxsize=64)
def elastic_of(model: Model, bend: float, frequency: float) -> Elastic:
    """The elastic joints of a plant.

    A rod of half thickness r and length l bends like ``r^4 / l``; a joint turns all that hangs on it. Both are scaled
    so that the tip that leans most leans by ``bend`` rad in a steady fresh breeze (6 m/s), and the slowest joint
    swings ``frequency`` times 0.9 / sqrt(height) a second (height in m).
    """
    arms, rods = _arms(model), links(model)
    first = arms.below @ rods.mass
    inertia = np.einsum("ji,ji->j", arms.below * rods.mass, ((arms.middle[None] - arms.place[:, None]) ** 2).sum(-1))
    inertia = np.maximum(inertia + rods.inertia * 0.1, 1e-3 * max(float(inertia.max()), 1e-12))
    thick, long = np.asarray(model.radii), np.maximum(rods.length, 1e-3)
    own = np.zeros(len(thick))
    np.maximum.at(own, rods.joint[1:], (thick**4 / long)[1:])
    turns = (first > 0) & (own > 0)
    own = np.where(turns, own, 1.0) * np.asarray(model.stiffness)
    own = np.maximum(own, 1e-4 * own[turns].max()) if turns.any() else own
    lean = np.zeros(len(own))
    for way in np.eye(3)[[0, 2]]:
        steady = torques(model, np.broadcast_to(FRESH * way, (len(own), 3)))
        alone = np.where(turns, np.linalg.norm(steady, axis=1) / own, 0.0)
        lean = np.maximum(lean, _summed_down(model, alone))
    stiffness = own * max(float(lean.max()), 1e-12) / bend
    height = max(float(np.ptp(model.skeleton.rest_positions(), axis=0).max()), 1e-3)
    slowest = np.sqrt((stiffness / inertia)[turns].min()) if turns.any() else 1.0
    wanted = 2 * np.pi * frequency * 0.9 / np.sqrt(height)
    return Elastic(inertia * (slowest / wanted) ** 2, stiffness, turns)


@lru_cache(maxsize=64)
def mode_shapes(model: Model, bend: float, frequency: float, count: int = 6) -> Modes:
    """The lowest modes of a skeleton, whose joints are springs and whose rods have mass.

    ``K phi = w^2 M phi`` with the mass matrix of all rods, ``M_ij = sum m (dx/dth_i . dx/dth_j)``: the global control
    that the paper leaves as future work. As sliders: ``quat.exp(a1 shapes[0] + a2 shapes[1])``.
    """
    elastic, arms, rods = elastic_of(model, bend, frequency), _arms(model), links(model)
    joints = np.flatnonzero(elastic.turns)
    if not len(joints):
        return Modes(np.zeros(0), np.zeros((0, len(model.skeleton), 3)))
    away = (arms.middle[None] - arms.place[joints][:, None]) * arms.below[joints][..., None]
    moves = np.cross(np.eye(3)[None, :, None], away[:, None]).reshape(3 * len(joints), -1, 3)  # e x (p - pivot)
    mass = np.einsum("aik,i,bik->ab", moves, rods.mass, moves)
    mass[np.diag_indices_from(mass)] += 1e-3 * mass.diagonal().max()
    root = np.linalg.inv(np.linalg.cholesky(mass))
    stiff = root * np.repeat(elastic.stiffness[joints], 3) @ root.T
    values, vectors = np.linalg.eigh((stiff + stiff.T) / 2)
    count = min(count, len(values))
    shapes = np.zeros((count, len(model.skeleton), 3))
    shapes[:, joints] = (root.T @ vectors[:, :count]).T.reshape(count, -1, 3)
    rate = np.sqrt(np.maximum(values[:count], 0))
    height = max(float(np.ptp(model.skeleton.rest_positions(), axis=0).max()), 1e-3)
    scale = 2 * np.pi * frequency * 0.9 / np.sqrt(height) / max(float(rate[0]), 1e-12)
    return Modes(rate * scale, shapes * scale)


class _Arms(NamedTuple):
    """Rods at rest: middle (J, 3) m, area (J,) m2, the turning joint's place (J, 3), who hangs on whom (J, J)."""

    middle: Array
    area: Array
    place: Array
    below: Array


@lru_cache(maxsize=64)
def _arms(model: Model) -> _Arms:
    skeleton, rods = model.skeleton, links(model)
    rest = skeleton.rest_positions()
    below = np.zeros((len(skeleton), len(skeleton)))  # below[j, i]: joint j turns the rod to i
    for i in range(1, len(skeleton)):
        j = int(skeleton.parents[i])
        while j >= 0:
            below[j, i] = 1.0
            j = int(skeleton.parents[j])
    area = 2 * np.asarray(model.blades) * rods.length
    return _Arms((rest + rest[rods.joint]) / 2, area, rest, below)


def rod_middles(model: Model) -> Array:
    """``(J, 3)`` m at rest, where the wind takes hold."""
    return _arms(model).middle


def _summed_down(model: Model, values: Array) -> Array:
    """(J,): each joint's value and those of all above it."""
    out = values.copy()
    for j in range(1, len(out)):
        out[j] += out[model.skeleton.parents[j]]
    return out
