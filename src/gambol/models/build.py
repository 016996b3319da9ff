"""What models are made with: joints added by name and place, and surfaces of tubes, blobs and blades along them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.loft import Shell, between_rows, closed_rings, egg, merge, normals_of, smooth_step
from gambol.model import Model
from gambol.skeleton import Skeleton, readonly
from gambol.skin import Palette, Skin, strongest

__all__ = ["Figure", "Maker", "Shape"]

Array = NDArray[np.float64]
PER_LINK = 5  # rings of a tube for each of its links


class Figure(NamedTuple):
    """A model and its surface."""

    model: Model
    skin: Skin


class Shape(NamedTuple):
    """The look of a tube.

    Attributes:
        rows: (share of the way, half width, half thickness) in m, in order.
        material: its index.
        up: (3,) the direction of its thickness, as near as it can be.
        sides: vertices around.
        square: 2 round, more boxier.
        caps: height of the ends as a part of their half width.
        link: True where the tube ends in a joint that turns nothing of it.
    """

    rows: ArrayLike
    material: int = 0
    up: ArrayLike = (0.0, 0.0, 1.0)
    sides: int = 10
    square: float = 2.0
    caps: tuple[float, float] = (0.6, 0.6)


@dataclass
class Maker:
    """A model in the making."""

    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    places: list[Array] = field(default_factory=list)
    radii: list[float] = field(default_factory=list)
    blades: list[float] = field(default_factory=list)
    soles: list[int] = field(default_factory=list)
    parts: list[tuple[Shell, Array, int]] = field(default_factory=list)

    def joint(self, name: str, parent: str | None, place: ArrayLike, radius: float = 0.01, blade: float = 0.0) -> str:
        """Add a joint: place in m in the world, half thickness of the link to it, half width of what catches wind."""
        self.names.append(name)
        self.parents.append(-1 if parent is None else self.names.index(parent))
        self.places.append(np.asarray(place, float))
        self.radii.append(radius)
        self.blades.append(max(radius, blade))
        return name

    def at(self, name: str) -> Array:
        """(3,) m, where a joint is."""
        return self.places[self.names.index(name)]

    def tube(self, chain: Sequence[str], shape: Shape) -> None:
        """A surface along a chain of joints; each joint but the last turns the link after it."""
        points = np.array([self.at(n) for n in chain])
        links = len(chain) - 1
        t = np.linspace(0, links, links * PER_LINK + 1)
        middle = np.stack([_rounded(points[:, k], t) for k in range(3)], -1)
        along = np.gradient(middle, axis=0)
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        up = np.asarray(shape.up, float)
        across = _square(np.cross(up, along), along)
        thick = np.cross(along, across)
        rows = np.asarray(shape.rows, float)
        half = between_rows(rows, t / links) if len(rows) > 2 else np.stack(
            [np.interp(t / links, rows[:, 0], rows[:, k]) for k in (1, 2)], -1
        )
        u, v = egg(np.linspace(0, 2 * np.pi, shape.sides, endpoint=False), shape.square)
        wide, deep = (half[:, :1] * u)[..., None], (half[:, 1:] * v)[..., None]
        shell = closed_rings(middle[:, None] + wide * across[:, None] + deep * thick[:, None], t, shape.caps)
        self.parts.append((shell, self._along(chain, shell.at), shape.material))

    def blob(self, joint: str, centre: ArrayLike, axes: ArrayLike, material: int, rings: int = 12) -> None:
        """An ellipsoid carried by one joint: centre (3,) m, half axes (3,) m."""
        angle = np.linspace(0.12, np.pi - 0.12, rings)
        around = np.linspace(0, 2 * np.pi, rings + 2, endpoint=False)
        x, y, z = np.asarray(axes, float)
        ring = np.stack([np.sin(angle)[:, None] * np.cos(around) * x, np.sin(angle)[:, None] * np.sin(around) * y,
                         np.repeat(-np.cos(angle)[:, None] * z, len(around), 1)], -1)
        shell = closed_rings(np.asarray(centre, float) + ring, angle, (0.1, 0.1))
        weights = np.zeros((len(shell.vertices), len(self.names)))
        weights[:, self.names.index(joint)] = 1.0
        self.parts.append((shell, weights, material))

    def figure(self, name: str, kind: str, palette: Palette, **more: object) -> Figure:
        """The finished model and skin; ``more`` goes to :class:`gambol.model.Model`."""
        places = np.array(self.places)
        parents = np.array(self.parents)
        offsets = places - np.where(parents[:, None] >= 0, places[np.maximum(parents, 0)], 0.0)
        skeleton = Skeleton(tuple(self.names), parents, offsets, tuple(self.soles))
        model = Model(name, skeleton, kind, np.array(self.radii), blades=np.array(self.blades), **more)  # type: ignore[arg-type]
        vertices, faces = merge([p[0] for p in self.parts])
        weights = np.concatenate([np.pad(w, ((0, 0), (0, len(self.names) - w.shape[1]))) for _, w, _ in self.parts])
        joints, kept = strongest(weights)
        materials = np.concatenate([np.full(len(shell.faces), m) for shell, _, m in self.parts])
        skin = Skin(readonly(vertices), readonly(normals_of(vertices, faces)), readonly(faces, int), joints, kept,
                    readonly(materials, int), palette)
        return Figure(model, skin)

    def _along(self, chain: Sequence[str], at: Array) -> Array:
        """(V, J): link k is turned by joint k; around a joint two links share."""
        out = np.zeros((len(at), len(self.names)))
        rest = np.ones(len(at))
        for k in range(len(chain) - 1):
            share = smooth_step((at - (k + 1) + 0.3) / 0.6) if k + 2 < len(chain) else np.zeros(len(at))
            out[:, self.names.index(chain[k])] += rest * (1 - share)
            rest = rest * share
        return out


def _rounded(values: Array, t: Array) -> Array:
    """Values at whole t, joined by a smooth curve (straight for two)."""
    k = np.arange(len(values), dtype=float)
    if len(values) < 3:
        return np.interp(t, k, values)
    return between_rows(np.stack([k, values], -1), t)[:, 0]


def _square(v: Array, along: Array) -> Array:
    """Unit vectors square to ``along``; where ``v`` is none, some."""
    v = v - np.sum(v * along, -1, keepdims=True) * along
    size = np.linalg.norm(v, axis=-1, keepdims=True)
    other = np.cross(along, np.where(np.abs(along[:, :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
    v = np.where(size > 1e-6, v, other)
    out: Array = v / np.linalg.norm(v, axis=-1, keepdims=True)
    return out
