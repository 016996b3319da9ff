"""Ground of triangles: heights under many points at once, by a grid over the triangles seen from above."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.errors import GambolError
from gambol.skeleton import readonly

__all__ = ["STEP_UP", "Mesh"]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
STEP_UP = 0.35  # m above near_y that still counts as the same floor
CRACK = 1e-6  # m beside a triangle that still is on it, so that no seam is open
TIE = 1e-9  # m between surfaces of which none is the higher
PER_TRIANGLE = 2.0  # cells
CROWDED = 12  # entries per triangle, and more cells are not worth it


class Bins(NamedTuple):
    """Triangles by cell: those of cell i are ``members[starts[i] : starts[i + 1]]``."""

    low: Array  # (2,) m, corner of the grid
    size: Array  # (2,) m, of a cell
    shape: tuple[int, int]  # cells along x and z
    starts: Ints
    members: Ints


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles: ``vertices`` (V, 3) m and ``faces`` (T, 3). Upright faces (risers, walls) are not ground.

    Raises:
        GambolError: for a mesh that is empty, broken, or has no face to stand on.
    """

    vertices: Array
    faces: Ints
    name: str = ""
    _bins: Bins = field(init=False, repr=False)
    _planes: Array = field(init=False, repr=False)  # (T', 4, 3) distances from the edges, and height, over (x, z, 1)
    _top: Array = field(init=False, repr=False)  # (T',) m, highest corner
    _normals: Array = field(init=False, repr=False)  # (T', 3), upward

    def __post_init__(self) -> None:
        where = self.name or "terrain"
        object.__setattr__(self, "vertices", readonly(self.vertices))
        object.__setattr__(self, "faces", readonly(self.faces, int))
        v, f = self.vertices, self.faces
        if v.ndim != 2 or v.shape[1:] != (3,) or f.ndim != 2 or f.shape[1:] != (3,) or not len(f):
            raise GambolError("the mesh is empty", where=where, allowed="at least one triangle")
        if f.min() < 0 or f.max() >= len(v):
            k = int(np.argmax((f < 0).any(1) | (f >= len(v)).any(1)))
            what = f"face {k + 1} names a vertex that is not there"
            raise GambolError(what, where=where, allowed=f"the {len(v)} vertices of the mesh", do="export it again")
        corners = v[f]
        if not np.isfinite(corners).all():
            k = int(np.argmin(np.isfinite(corners).all((1, 2))))
            raise GambolError(f"face {k + 1} has a vertex that is not finite", where=where, do="export it again")
        corners = corners[_lying(corners)]
        if not len(corners):
            raise GambolError("the mesh has no triangle one could stand on", where=where, do="is its up axis y?")
        object.__setattr__(self, "_bins", _binned(corners))
        local = corners - np.array([self._bins.low[0], 0.0, self._bins.low[1]])
        object.__setattr__(self, "_planes", readonly(_planes(local)))
        object.__setattr__(self, "_top", readonly(corners[:, :, 1].max(1)))
        object.__setattr__(self, "_normals", readonly(_normals(corners)))

    def height(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(...)`` m of the highest surface at most :data:`STEP_UP` above ``near_y`` (...); NaN without one."""
        xz = np.asarray(xz, float)
        return self._under(xz.reshape(-1, 2), _flat(near_y, xz))[0].reshape(xz.shape[:-1])

    def normal(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(..., 3)`` unit normal, upward, of the face that gives the height; on an edge the mean of its faces."""
        xz = np.asarray(xz, float)
        y, who, face, ys = self._under(xz.reshape(-1, 2), _flat(near_y, xz))
        best = ys >= y[who] - TIE
        out = np.zeros((len(y), 3))
        np.add.at(out, who[best], self._normals[face[best]])
        with np.errstate(invalid="ignore"):
            out /= np.linalg.norm(out, axis=-1, keepdims=True)
        return out.reshape(*xz.shape[:-1], 3)

    def surface(self, low: ArrayLike, high: ArrayLike) -> tuple[Array, Ints]:
        """The whole mesh."""
        return self.vertices, self.faces

    def _under(self, xz: Array, near: Array | None) -> tuple[Array, Ints, Ints, Array]:
        """Height (n,) at points (n, 2); and every hit: point, triangle, height."""
        low, size, (nx, nz), starts, members = self._bins
        local = xz - low
        cell = local / size
        valid = np.asarray(((cell >= 0.0) & (cell < (nx, nz))).all(1))
        if not valid.all():
            cell = np.where(valid[:, None], cell, 0.0)
        at = cell.astype(int)
        index = at[:, 1] * nx + at[:, 0]
        first, end = starts[index], starts[index + 1]
        count = (end - first) * valid
        who = np.arange(len(xz)).repeat(count)
        face = members[np.arange(len(who)) + (first + count - count.cumsum()).repeat(count)]
        planes, p = self._planes[face], local[who]
        values = planes[:, :, 0] * p[:, :1] + planes[:, :, 1] * p[:, 1:] + planes[:, :, 2]
        ys = np.minimum(values[:, 3], self._top[face])
        hit = values[:, :3].min(1) >= -CRACK
        if near is not None:
            hit &= ys <= near[who] + STEP_UP
        who, face, ys = who[hit], face[hit], ys[hit]
        y = np.full(len(xz), -np.inf)
        np.maximum.at(y, who, ys)
        y[y == -np.inf] = np.nan
        return y, who, face, ys


def _flat(near_y: ArrayLike | None, xz: Array) -> Array | None:
    if near_y is None:
        return None
    near = np.asarray(near_y, float)
    return (near if near.shape == xz.shape[:-1] else np.broadcast_to(near, xz.shape[:-1])).reshape(-1)


def _lying(corners: Array) -> NDArray[np.bool_]:
    """Which of triangles ``(T, 3, 3)`` cover any ground: seen from above, wider than the cracks that are closed."""
    sides = (np.roll(corners, -1, 1) - corners)[:, :, [0, 2]]
    double = np.abs(sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0])
    longest = np.hypot(sides[..., 0], sides[..., 1]).max(1)
    return np.asarray(double > 1.5 * CRACK * longest)


def _planes(corners: Array) -> Array:
    """(T, 4, 3): distance m inward from each edge, and the height m, as planes over (x, z, 1)."""
    p = corners[:, :, [0, 2]]
    side = np.roll(p, -1, 1) - p
    inward = np.stack([-side[..., 1], side[..., 0]], -1) / np.linalg.norm(side, axis=-1, keepdims=True)
    opposite = np.roll(p, -2, 1) - p
    inward *= np.sign(np.sum(inward * opposite, -1, keepdims=True))
    out = np.empty((len(p), 4, 3))
    out[:, :3, :2] = inward
    out[:, :3, 2] = -np.sum(inward * p, -1)
    n = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    slope = -n[:, [0, 2]] / n[:, 1:2]
    out[:, 3, :2] = slope
    out[:, 3, 2] = corners[:, 0, 1] - np.sum(slope * p[:, 0], -1)
    return out


def _normals(corners: Array) -> Array:
    n = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    n *= np.sign(n[:, 1:2])
    return np.asarray(n / np.linalg.norm(n, axis=-1, keepdims=True))


def _binned(corners: Array) -> Bins:
    """A grid over x and z with about two cells a triangle, fewer where large triangles lie over many."""
    t = corners[:, :, [0, 2]]
    first, last = t.min(1) - 2 * CRACK, t.max(1) + 2 * CRACK
    low, extent = first.min(0), last.max(0) - first.min(0)
    wanted = PER_TRIANGLE * len(t)
    while True:
        side = np.sqrt(extent[0] * extent[1] / wanted)
        nx, nz = (int(np.clip(np.ceil(e / side), 1, max(wanted, 1))) for e in extent)
        size = extent / [nx, nz] * (1 + 1e-12)
        a, b = ((e - low) // size for e in (first, last))
        span = (b - a + 1).astype(int)
        count = span[:, 0] * span[:, 1]
        if count.sum() <= CROWDED * len(t) + 64 or nx * nz == 1:
            break
        wanted /= 2
    which = np.arange(len(t)).repeat(count)
    inside = np.arange(len(which)) - (count.cumsum() - count).repeat(count)
    ix = a[which, 0].astype(int) + inside % span[which, 0]
    iz = a[which, 1].astype(int) + inside // span[which, 0]
    cell = iz * nx + ix
    order = np.argsort(cell, kind="stable")
    starts = np.searchsorted(cell[order], np.arange(nx * nz + 1))
    return Bins(low, size, (nx, nz), starts, which[order])
