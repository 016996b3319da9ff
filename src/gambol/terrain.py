"""The ground: how high it is, which way it leans, and what it looks like.

``height(xz, near_y)`` takes any leading axes. ``near_y`` picks the floor where floors lie over each other: the
highest surface at most :data:`STEP_UP` above it. NaN means there is no ground. At a riser the higher tread wins.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.errors import GambolError
from gambol.skeleton import readonly

__all__ = ["Flat", "HeightField", "Mesh", "Slope", "Stairs", "Terrain", "load_terrain", "parse_terrain"]

Array = NDArray[np.float64]
STEP_UP = 0.35  # m above near_y that still counts as the same floor
PROBE = 0.01  # m, half distance of the differences that give a normal
CELLS = 64  # per side of the triangle grid, at most
EDGE = 1e-9


@runtime_checkable
class Terrain(Protocol):
    """What walking asks of a ground."""

    def height(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(...)`` m at ``xz`` (..., 2)."""

    def normal(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(..., 3)`` unit normal, upward."""

    def surface(self, low: ArrayLike, high: ArrayLike) -> tuple[Array, NDArray[np.int64]]:
        """Vertices (V, 3) m and triangles (T, 3) to draw between two corners (x, z)."""


def _normal(terrain: Terrain, xz: ArrayLike, near_y: ArrayLike | None) -> Array:
    xz = np.asarray(xz, float)
    dx, dz = np.array([PROBE, 0.0]), np.array([0.0, PROBE])
    slope_x = (terrain.height(xz + dx, near_y) - terrain.height(xz - dx, near_y)) / (2 * PROBE)
    slope_z = (terrain.height(xz + dz, near_y) - terrain.height(xz - dz, near_y)) / (2 * PROBE)
    n = np.stack([-slope_x, np.ones_like(slope_x), -slope_z], -1)
    return n / np.linalg.norm(n, axis=-1, keepdims=True)


def _quad(low: ArrayLike, high: ArrayLike) -> tuple[Array, NDArray[np.int64]]:
    (x0, z0), (x1, z1) = np.asarray(low, float), np.asarray(high, float)
    return np.array([[x0, 0, z0], [x0, 0, z1], [x1, 0, z1], [x1, 0, z0]]), np.array([[0, 1, 2], [0, 2, 3]])


@dataclass(frozen=True)
class Flat:
    """A level plane at ``y`` m."""

    y: float = 0.0

    def height(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(...)`` m."""
        return np.full(np.shape(xz)[:-1], float(self.y))

    def normal(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(..., 3)``."""
        return np.broadcast_to(np.array([0.0, 1.0, 0.0]), (*np.shape(xz)[:-1], 3)).copy()

    def surface(self, low: ArrayLike, high: ArrayLike) -> tuple[Array, NDArray[np.int64]]:
        """One square."""
        v, f = _quad(low, high)
        v[:, 1] = self.y
        return v, f


@dataclass(frozen=True)
class Slope:
    """A plane through the origin that rises by ``angle`` rad towards ``heading`` rad (0 is +z)."""

    angle: float
    heading: float = 0.0

    def __post_init__(self) -> None:
        if not abs(self.angle) <= np.radians(45):
            raise GambolError(f"a slope of {np.degrees(self.angle):.3g} degrees", where="terrain", allowed="-45 to 45")

    def height(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(...)`` m."""
        xz = np.asarray(xz, float)
        return np.tan(self.angle) * (xz[..., 0] * np.sin(self.heading) + xz[..., 1] * np.cos(self.heading))

    def normal(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(..., 3)``."""
        return _normal(self, xz, near_y)

    def surface(self, low: ArrayLike, high: ArrayLike) -> tuple[Array, NDArray[np.int64]]:
        """One parallelogram."""
        v, f = _quad(low, high)
        v[:, 1] = self.height(v[:, [0, 2]])
        return v, f


@dataclass(frozen=True)
class Stairs:
    """``count`` steps along +z from ``z = start``; flat before, a landing after. A negative rise goes down.

    ``width`` m across x, centred; None is endless.
    """

    rise: float
    tread: float
    count: int
    width: float | None = None
    start: float = 1.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.rise) and np.isfinite(self.tread) and self.tread > 0 and self.count >= 1):
            raise GambolError(
                f"stairs of rise {self.rise:g} m, tread {self.tread:g} m, {self.count} steps", where="terrain",
                allowed="a tread above 0 m and at least one step",
            )

    def height(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(...)`` m; NaN beside stairs of finite width."""
        xz = np.asarray(xz, float)
        along = (xz[..., 1] - self.start) / self.tread
        # the higher tread owns the edge
        step = np.floor(along + EDGE) + 1 if self.rise > 0 else np.ceil(along - EDGE)
        y = self.rise * np.clip(step, 0, self.count)
        return y if self.width is None else np.where(np.abs(xz[..., 0]) <= self.width / 2 + EDGE, y, np.nan)

    def normal(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(..., 3)``: treads are level."""
        return Flat().normal(xz)

    def surface(self, low: ArrayLike, high: ArrayLike) -> tuple[Array, NDArray[np.int64]]:
        """Treads and risers."""
        (x0, z0), (x1, z1) = np.asarray(low, float), np.asarray(high, float)
        if self.width is not None:
            x0, x1 = -self.width / 2, self.width / 2
        edges = self.start + self.tread * np.arange(self.count)
        z = np.concatenate([[min(z0, self.start - 1)], np.repeat(edges, 2), [max(z1, edges[-1] + 1)]])
        y = self.rise * np.repeat(np.arange(self.count + 1), 2)
        v = np.concatenate([np.stack([np.full_like(z, x), y, z], -1) for x in (x0, x1)])
        n, a = len(z), np.arange(len(z) - 1)
        return v, np.concatenate([np.stack([a, a + 1, a + n + 1], -1), np.stack([a, a + n + 1, a + n], -1)])


@dataclass(frozen=True, eq=False)
class HeightField:
    """Heights ``y`` (M, N) m over a grid ``x`` (N,), ``z`` (M,), bilinear between."""

    x: Array
    z: Array
    y: Array

    def __post_init__(self) -> None:
        for key in ("x", "z", "y"):
            object.__setattr__(self, key, readonly(getattr(self, key)))
        if self.y.shape != (len(self.z), len(self.x)) or min(self.y.shape) < 2:
            raise GambolError(f"heights have shape {self.y.shape}", where="terrain", allowed="(len(z), len(x)), 2 or more")
        if np.any(np.diff(self.x) <= 0) or np.any(np.diff(self.z) <= 0):
            raise GambolError("the grid's x and z must rise", where="terrain")

    def height(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(...)`` m; NaN outside the grid."""
        xz = np.asarray(xz, float)
        x, z = xz[..., 0], xz[..., 1]
        i = np.clip(np.searchsorted(self.x, x, side="right") - 1, 0, len(self.x) - 2)
        j = np.clip(np.searchsorted(self.z, z, side="right") - 1, 0, len(self.z) - 2)
        u, v = (x - self.x[i]) / (self.x[i + 1] - self.x[i]), (z - self.z[j]) / (self.z[j + 1] - self.z[j])
        y = (self.y[j, i] * (1 - u) + self.y[j, i + 1] * u) * (1 - v)
        y = y + (self.y[j + 1, i] * (1 - u) + self.y[j + 1, i + 1] * u) * v
        return np.where((u >= -EDGE) & (u <= 1 + EDGE) & (v >= -EDGE) & (v <= 1 + EDGE), y, np.nan)

    def normal(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(..., 3)``."""
        return _normal(self, xz, near_y)

    def surface(self, low: ArrayLike, high: ArrayLike) -> tuple[Array, NDArray[np.int64]]:
        """The whole grid."""
        gx, gz = np.meshgrid(self.x, self.z)
        n = len(self.x)
        a = (np.arange(len(self.z) - 1)[:, None] * n + np.arange(n - 1)).ravel()
        f = np.concatenate([np.stack([a, a + n, a + n + 1], -1), np.stack([a, a + n + 1, a + 1], -1)])
        return np.stack([gx, self.y, gz], -1).reshape(-1, 3), f


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles: ``vertices`` (V, 3) m and ``faces`` (T, 3). Risers and ceilings' sides are not ground."""

    vertices: Array
    faces: NDArray[np.int64]
    name: str = ""
    _grid: tuple[Array, Array, NDArray[np.int64], NDArray[np.int64], Array] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", readonly(self.vertices))
        object.__setattr__(self, "faces", readonly(self.faces, int))
        where = self.name or "terrain"
        if self.vertices.ndim != 2 or self.vertices.shape[1:] != (3,) or self.faces.ndim != 2 or not len(self.faces):
            raise GambolError("the mesh is empty", where=where, allowed="at least one triangle")
        if self.faces.min() < 0 or self.faces.max() >= len(self.vertices) or not np.isfinite(self.vertices).all():
            raise GambolError("the mesh has faces without vertices, or vertices that are not finite", where=where)
        object.__setattr__(self, "_grid", self._bins(where))

    def _bins(self, where: str) -> tuple[Array, Array, NDArray[np.int64], NDArray[np.int64], Array]:
        """Cells of a grid over x and z: which triangles lie over each."""
        corners = self.vertices[self.faces]
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        area = (b[:, 0] - a[:, 0]) * (c[:, 2] - a[:, 2]) - (c[:, 0] - a[:, 0]) * (b[:, 2] - a[:, 2])
        walkable = np.flatnonzero(np.abs(area) > 1e-10)
        if not len(walkable):
            raise GambolError("the mesh has no triangle one could stand on", where=where, do="is its up axis y?")
        t = corners[walkable][:, :, [0, 2]]
        low, high = t.min((0, 1)) - 1e-6, t.max((0, 1)) + 1e-6
        cells = int(np.clip(np.sqrt(len(walkable)) * 1.5, 1, CELLS * 8))
        size = (high - low) / cells
        first = np.clip(((t.min(1) - low) / size).astype(int), 0, cells - 1)
        last = np.clip(((t.max(1) - low) / size).astype(int), 0, cells - 1)
        span = last - first + 1
        count = span[:, 0] * span[:, 1]
        which = np.repeat(np.arange(len(walkable)), count)
        inside = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        ix = first[which, 0] + inside % span[which, 0]
        iz = first[which, 1] + inside // span[which, 0]
        cell = iz * cells + ix
        order = np.argsort(cell, kind="stable")
        starts = np.searchsorted(cell[order], np.arange(cells * cells + 1))
        planes = _planes(corners[walkable])
        return low, size, starts, which[order], planes

    def height(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(...)`` m."""
        xz = np.asarray(xz, float)
        points = xz.reshape(-1, 2)
        low, size, starts, members, planes = self._grid
        cells = round(np.sqrt(len(starts) - 1))
        at = np.floor((points - low) / size)
        valid = np.isfinite(at).all(-1) & (at >= 0).all(-1) & (at < cells).all(-1)
        index = np.where(valid, np.nan_to_num(at[:, 1]) * cells + np.nan_to_num(at[:, 0]), 0).astype(int)
        count = np.where(valid, starts[index + 1] - starts[index], 0)
        who = np.repeat(np.arange(len(points)), count)
        offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        p = planes[members[starts[index[who]] + offset]]
        x, z = points[who, 0], points[who, 1]
        u, v = p[:, 0] * x + p[:, 1] * z + p[:, 2], p[:, 3] * x + p[:, 4] * z + p[:, 5]
        y = p[:, 6] * x + p[:, 7] * z + p[:, 8]
        hit = (u >= -1e-7) & (v >= -1e-7) & (u + v <= 1 + 1e-7)
        if near_y is not None:
            hit &= y <= np.broadcast_to(np.asarray(near_y, float), xz.shape[:-1]).reshape(-1)[who] + STEP_UP
        out = np.full(len(points), -np.inf)
        np.maximum.at(out, who[hit], y[hit])
        return np.where(np.isfinite(out), out, np.nan).reshape(xz.shape[:-1])

    def normal(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(..., 3)``."""
        return _normal(self, xz, near_y)

    def surface(self, low: ArrayLike, high: ArrayLike) -> tuple[Array, NDArray[np.int64]]:
        """The whole mesh."""
        return self.vertices, self.faces


def _planes(corners: Array) -> Array:
    """(T, 9): barycentric u, v and height y of each triangle as planes over x, z."""
    a, e, f = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    det = e[:, 0] * f[:, 2] - f[:, 0] * e[:, 2]
    u = np.stack([f[:, 2], -f[:, 0], f[:, 0] * a[:, 2] - f[:, 2] * a[:, 0]], -1) / det[:, None]
    v = np.stack([-e[:, 2], e[:, 0], e[:, 2] * a[:, 0] - e[:, 0] * a[:, 2]], -1) / det[:, None]
    y = u * e[:, 1:2] + v * f[:, 1:2]
    y[:, 2] += a[:, 1]
    return np.concatenate([u, v, y], -1)


def load_terrain(file: str | FilePath, up: str = "y", scale: float = 1.0) -> Mesh:
    """A ground from an OBJ, GLB, glTF, PLY or STL file, in metres after ``scale``; ``up`` is y or z.

    Raises:
        GambolError: for a file that is missing, unreadable, empty, or of another kind.
    """
    file = FilePath(file)
    suffixes = (".obj", ".glb", ".gltf", ".ply", ".stl")
    if file.suffix.lower() not in suffixes:
        raise GambolError(f"{file.suffix or 'no suffix'!r} is no ground file", where=str(file), allowed=", ".join(suffixes))
    if not file.is_file():
        raise GambolError("there is no such file", where=str(file))
    if up not in ("y", "z"):
        raise GambolError(f"up is {up!r}", where=str(file), allowed="y or z")
    vertices, faces = _read_obj(file) if file.suffix.lower() == ".obj" else _read_mesh(file)
    vertices = np.asarray(vertices, float) * scale
    if up == "z":
        vertices = np.stack([vertices[:, 1], vertices[:, 2], vertices[:, 0]], -1)
    return Mesh(vertices, faces, file.name)


def _read_obj(file: FilePath) -> tuple[Array, NDArray[np.int64]]:
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        words = line.split()
        try:
            if words[:1] == ["v"]:
                vertices.append([float(w) for w in words[1:4]])
            elif words[:1] == ["f"]:
                ring = [int(w.split("/")[0]) for w in words[1:]]
                ring = [i - 1 if i > 0 else len(vertices) + i for i in ring]
                faces += [(ring[0], ring[k], ring[k + 1]) for k in range(1, len(ring) - 1)]
        except ValueError:
            raise GambolError(f"not a number in {line.strip()[:40]!r}", where=f"{file}, line {number}") from None
    if any(len(v) != 3 for v in vertices):
        raise GambolError("a vertex has fewer than three numbers", where=str(file))
    return np.array(vertices).reshape(-1, 3), np.array(faces, int).reshape(-1, 3)


def _read_mesh(file: FilePath) -> tuple[Array, NDArray[np.int64]]:
    import trimesh

    try:
        mesh = trimesh.load(file, force="mesh")
    except Exception as error:
        raise GambolError(f"it cannot be read as a mesh ({error})", where=str(file)) from None
    vertices, faces = getattr(mesh, "vertices", None), getattr(mesh, "faces", None)
    if vertices is None or faces is None or not len(faces):
        raise GambolError("the mesh is empty", where=str(file), allowed="at least one triangle")
    return np.asarray(vertices, float), np.asarray(faces, int)


def parse_terrain(text: str) -> Terrain:
    """The ground a short text names: ``flat``, ``slope:DEG``, ``stairs:RISE,TREAD,COUNT`` or a mesh file.

    Raises:
        GambolError: where the text is none of these.
    """
    kind, _, rest = text.partition(":")
    allowed = "flat, slope:DEGREES, stairs:RISE,TREAD,COUNT or a mesh file"
    try:
        if text == "flat":
            return Flat()
        if kind == "slope":
            return Slope(float(np.radians(float(rest))))
        if kind == "stairs":
            rise, tread, count = rest.split(",")
            return Stairs(float(rise), float(tread), int(count), start=2.0)
    except ValueError as error:
        if isinstance(error, GambolError):
            raise
        raise GambolError(f"{text!r} does not say a ground", where="terrain", allowed=allowed) from None
    return load_terrain(text)
