"""Model: a body that is posed, dances and sways: its skeleton, how thick its limbs are, and what kind it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.body import Body, mass_model
from gambol.errors import GambolError
from gambol.limits import Limits, joint_limits
from gambol.skeleton import Skeleton, readonly

__all__ = ["Leg", "Links", "Model", "legs_of", "links", "mass_centre", "person_model"]

Array = NDArray[np.float64]
THICK = 0.06  # half thickness of a limb, of its length, where nothing is known


class Leg(NamedTuple):
    """A limb that can stand: joints where it hangs, bends and ends, and the soles at or below the end."""

    hip: int
    knee: int
    end: int
    soles: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Model:
    """A body.

    Attributes:
        name: of the model, by which a file knows its skin; "" for one that has none.
        skeleton: J joints.
        kind: person, dog, spider, centipede, plant ...: which postures and joint limits fit.
        radii: ``(J,)`` m, half thickness of the link from each joint's parent to it; by default 6 % of its length.
        density: kg/m3 of the links.
        blades: ``(J,)`` half width m of what catches the wind along each link (leaves, petals); by default the radii.
        stiffness: ``(J,)`` of each joint by itself, times what its thickness gives; by default 1.
    """

    name: str
    skeleton: Skeleton
    kind: str = "plant"
    radii: Array | None = None
    density: float = 1000.0
    blades: Array | None = None
    stiffness: Array | None = None

    def __post_init__(self) -> None:
        length = np.linalg.norm(self.skeleton.offsets, axis=1)
        length[0] = 0.0
        radii = THICK * length if self.radii is None else self.radii
        stiffness = np.ones(len(length)) if self.stiffness is None else self.stiffness
        for name, values in (
            ("radii", radii), ("blades", radii if self.blades is None else self.blades), ("stiffness", stiffness)
        ):
            array = readonly(values)
            if array.shape != (len(self.skeleton),) or not (np.isfinite(array).all() and (array >= 0).all()):
                raise GambolError(f"{name} {array.shape}", where=f"model {self.name}", allowed="(J,), 0 or more")
            object.__setattr__(self, name, array)

    @property
    def limits(self) -> Limits:
        """Ranges of the joints."""
        return joint_limits(self.skeleton, self.kind)

    @cached_property
    def legs(self) -> tuple[Leg, ...]:
        """The limbs it stands on."""
        return legs_of(self.skeleton)


class Links(NamedTuple):
    """The rods of a skeleton: from the parent of each joint to it; ``(J,)`` each, the root's is nothing.

    Attributes:
        joint: the joint that turns each rod.
        length: m.
        mass: kg.
        inertia: kg m2 about the turning joint, m l^2 / 3 (section 4.1).
    """

    joint: NDArray[np.int64]
    length: Array
    mass: Array
    inertia: Array


def links(model: Model) -> Links:
    """The rods of a model as solid cylinders."""
    length = np.linalg.norm(model.skeleton.offsets, axis=1)
    length[0] = 0.0
    radii = np.asarray(model.radii)
    mass = model.density * np.pi * radii**2 * length
    return Links(np.maximum(model.skeleton.parents, 0), length, mass, mass * length**2 / 3)


def mass_centre(model: Model, points: Array, world: Array) -> Array:
    """``(F, 3)`` m of posed figures: of a person by the segment table, of others by their rods.

    Args:
        model: whose masses.
        points: ``(F, J, 3)`` m.
        world: ``(F, J, 4)``.
    """
    if model.kind == "person":
        masses = mass_model(model.skeleton)
        places = points + quat.rotate(world, masses.centres)
        out: Array = np.einsum("j,fjk->fk", masses.shares, places) / masses.shares.sum()
        return out
    rods = links(model)
    middles = (points + points[:, rods.joint]) / 2
    return np.asarray(np.einsum("j,fjk->fk", rods.mass, middles) / max(float(rods.mass.sum()), 1e-12))


@lru_cache(maxsize=64)
def person_model(body: Body) -> Model:
    """The model of a body: its 26 joints."""
    return Model("", body.skeleton, "person")


def legs_of(skeleton: Skeleton) -> tuple[Leg, ...]:
    """The limbs that end in soles.

    Soles that hang on one joint within two bones (a heel and a toe tip) share a foot, whose joint is the end. The
    hip is the last joint before the way up meets that of another foot; the knee halves the limb best.
    """
    groups: dict[int, list[int]] = {}
    for s in skeleton.soles:
        groups.setdefault(_foot(skeleton, s), []).append(s)
    ways = {end: _way_up(skeleton, end) for end in groups}
    out = []
    for end, soles in groups.items():
        others = {j for e, way in ways.items() if e != end for j in way}
        own = [j for j in ways[end] if j not in others]  # from the end up
        if len(own) < 3:
            own = ways[end][:3]
        if len(own) < 3:
            continue  # a foot on the root itself cannot bend
        lengths = np.array([np.linalg.norm(skeleton.offsets[j]) for j in own[:-1]])
        below = np.cumsum(lengths)
        knee = own[1 + int(np.argmin(np.abs(below[:-1] - below[-1] / 2)))]
        out.append(Leg(own[-1], knee, end, tuple(soles)))
    return tuple(out)


def _foot(skeleton: Skeleton, sole: int) -> int:
    """The joint on which this and another sole hang within two bones; else the sole itself."""
    up = int(skeleton.parents[sole])
    above: dict[int, set[int]] = {}
    for s in skeleton.soles:
        j = int(s)
        for _ in range(2):
            j = int(skeleton.parents[j])
            above.setdefault(j, set()).add(s)
    for _ in range(2):
        if up > 0 and len(above.get(up, ())) > 1:
            return up
        up = int(skeleton.parents[up]) if up > 0 else -1
    return int(sole)


def _way_up(skeleton: Skeleton, joint: int) -> list[int]:
    out = [joint]
    while skeleton.parents[out[-1]] > 0:
        out.append(int(skeleton.parents[out[-1]]))
    return out
