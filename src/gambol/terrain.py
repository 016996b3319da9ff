"""The ground: how high it is, which way it leans, and what it looks like.

``height(xz, near_y)`` takes any leading axes. ``near_y`` picks the floor where floors lie over each other: the
highest surface at most :data:`STEP_UP` above it. NaN means there is no ground. At a riser the higher tread wins.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.errors import GambolError, MissingExtra
from gambol.mesh import STEP_UP, Mesh
from gambol.skeleton import readonly

__all__ = [
    "STEP_UP", "Flat", "HeightField", "Mesh", "Slope", "Stairs", "Terrain", "load_terrain", "parse_terrain",
]

Array = NDArray[np.float64]
EDGE = 1e-9
MESH_FILES = (".obj", ".glb", ".gltf", ".ply", ".stl")
SCALED = re.compile(r"(.*?)(?:\s+scale=(\S*))?(?:\s+up=(\S*))?", re.DOTALL)


@runtime_checkable
class Terrain(Protocol):
    """What walking asks of a ground."""

    def height(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(...)`` m at ``xz`` (..., 2)."""

    def normal(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(..., 3)`` unit normal, upward."""

    def surface(self, low: ArrayLike, high: ArrayLike) -> tuple[Array, NDArray[np.int64]]:
        """Vertices (V, 3) m and triangles (T, 3) to draw between two corners (x, z)."""


def _upright(slope_x: Array, slope_z: Array) -> Array:
    """``(..., 3)`` unit normal of a surface that rises so much along x and z."""
    n = np.stack([-slope_x, np.ones_like(slope_x), -slope_z], -1)
    return np.asarray(n / np.linalg.norm(n, axis=-1, keepdims=True))


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
        rise = np.full(np.shape(xz)[:-1], np.tan(self.angle))
        return _upright(rise * np.sin(self.heading), rise * np.cos(self.heading))

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
            what = f"heights have shape {self.y.shape}"
            raise GambolError(what, where="terrain", allowed="(len(z), len(x)), 2 or more")
        if not (np.all(np.diff(self.x) > 0) and np.all(np.diff(self.z) > 0)):
            raise GambolError("x or z of the grid does not rise", where="terrain", allowed="rising numbers")
        if not np.isfinite(self.x[[0, -1]]).all() or not np.isfinite(self.z[[0, -1]]).all():
            raise GambolError("x or z of the grid is not finite", where="terrain", allowed="rising numbers")

    def _cell(self, xz: ArrayLike) -> tuple[Array, Array, Array, Array]:
        """Shares u, v (...) of each point's cell, its corner heights (2, 2, ...), and its size (2, ...) m."""
        xz = np.asarray(xz, float)
        x, z = xz[..., 0], xz[..., 1]
        i = np.clip(np.searchsorted(self.x, x, side="right") - 1, 0, len(self.x) - 2)
        j = np.clip(np.searchsorted(self.z, z, side="right") - 1, 0, len(self.z) - 2)
        wide, deep = self.x[i + 1] - self.x[i], self.z[j + 1] - self.z[j]
        u, v = (x - self.x[i]) / wide, (z - self.z[j]) / deep
        inside = (u >= -EDGE) & (u <= 1 + EDGE) & (v >= -EDGE) & (v <= 1 + EDGE)
        y = np.array([[self.y[j, i], self.y[j, i + 1]], [self.y[j + 1, i], self.y[j + 1, i + 1]]])
        return np.where(inside, u, np.nan), v, y, np.array([wide, deep])

    def height(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(...)`` m; NaN outside the grid."""
        u, v, y, _ = self._cell(xz)
        return np.asarray((y[0, 0] * (1 - u) + y[0, 1] * u) * (1 - v) + (y[1, 0] * (1 - u) + y[1, 1] * u) * v)

    def normal(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(..., 3)``."""
        u, v, y, (wide, deep) = self._cell(xz)
        across = (y[0, 1] - y[0, 0]) * (1 - v) + (y[1, 1] - y[1, 0]) * v + 0 * u
        along = (y[1, 0] - y[0, 0]) * (1 - u) + (y[1, 1] - y[0, 1]) * u
        return _upright(across / wide, along / deep)

    def surface(self, low: ArrayLike, high: ArrayLike) -> tuple[Array, NDArray[np.int64]]:
        """The whole grid."""
        gx, gz = np.meshgrid(self.x, self.z)
        n = len(self.x)
        a = (np.arange(len(self.z) - 1)[:, None] * n + np.arange(n - 1)).ravel()
        f = np.concatenate([np.stack([a, a + n, a + n + 1], -1), np.stack([a, a + n + 1, a + 1], -1)])
        return np.stack([gx, self.y, gz], -1).reshape(-1, 3), f


def load_terrain(file: str | FilePath, up: str = "y", scale: float = 1.0) -> Mesh:
    """A ground from an OBJ, GLB, glTF, PLY or STL file.

    Args:
        file: to read.
        up: its upward axis. With z up, its x becomes forward (z) and its y left (x).
        scale: metres of one unit of the file.

    Raises:
        GambolError: for a file that is missing, unreadable, empty, or of another kind.
    """
    file = FilePath(file)
    kind = file.suffix.lower()
    if os.path.isdir(file):
        raise GambolError("it is a folder", where=str(file), allowed=f"a file {', '.join(MESH_FILES)}")
    if kind not in MESH_FILES:
        what = f"{file.suffix or 'no suffix'!r} is no ground file"
        raise GambolError(what, where=str(file), allowed=", ".join(MESH_FILES), do="export the ground as one of these")
    if not os.path.isfile(file):
        raise GambolError("there is no such file", where=str(file))
    if up not in ("y", "z"):
        raise GambolError(f"up is {up!r}", where=str(file), allowed="y or z")
    if not (np.isfinite(scale) and scale > 0):
        raise GambolError(f"the scale is {scale:g}", where=str(file), allowed="metres of one unit, above 0")
    vertices, faces = _read_obj(file) if kind == ".obj" else _read_mesh(file)
    if not len(faces):
        what = "the mesh is empty" if not len(vertices) else f"{len(vertices)} points and no face"
        raise GambolError(what, where=str(file), allowed="at least one triangle", do="export it with its faces")
    vertices = vertices * scale
    if up == "z":
        vertices = vertices[:, [1, 2, 0]]
    return Mesh(vertices, faces, str(file))


def _read_obj(file: FilePath) -> tuple[Array, NDArray[np.int64]]:
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise GambolError(f"it cannot be read ({error.strerror})", where=str(file)) from None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        try:
            if words[:1] == ["v"]:
                x, y, z = words[1:4]
                vertices.append([float(x), float(y), float(z)])
            elif words[:1] == ["f"]:
                ring = [int(w.split("/")[0]) for w in words[1:]]
                ring = [i - 1 if i > 0 else len(vertices) + i for i in ring]
                faces += [(ring[0], ring[k], ring[k + 1]) for k in range(1, len(ring) - 1)]
        except ValueError:
            what = f"{line.strip()[:40]!r} is no {'vertex' if words[0] == 'v' else 'face'}"
            raise GambolError(what, where=f"{file}, line {number}", do="export it again") from None
    return np.array(vertices, float).reshape(-1, 3), np.array(faces, int).reshape(-1, 3)


def _read_mesh(file: FilePath) -> tuple[Array, NDArray[np.int64]]:
    try:
        import trimesh
    except ImportError:
        raise MissingExtra("trimesh", "all", f"a {file.suffix} ground") from None
    try:
        mesh = trimesh.load(file, force="mesh")
    except Exception as error:  # any of a dozen readers
        what = f"it cannot be read as a mesh ({str(error)[:80] or error.__class__.__name__})"
        raise GambolError(what, where=str(file), do="does it open in a viewer? export it again") from None
    vertices, faces = getattr(mesh, "vertices", []), getattr(mesh, "faces", [])
    return np.asarray(vertices, float).reshape(-1, 3), np.asarray(faces, int).reshape(-1, 3)


def parse_terrain(text: str) -> Terrain:
    """The ground a short text names: ``flat``, ``slope:DEG``, ``stairs:RISE,TREAD,COUNT`` or a mesh file.

    A file may be followed by ``scale=METRES`` of one of its units and ``up=z``: ``stairs.glb scale=0.34 up=z``.

    Raises:
        GambolError: where the text is none of these.
    """
    kind, _, rest = text.partition(":")
    try:
        if text == "flat":
            return Flat()
        if kind == "slope":
            return Slope(float(np.radians(float(rest))))
        if kind == "stairs":
            rise, tread, count = rest.split(",")
            return Stairs(float(rise), float(tread), int(count), start=2.0)
        file, scale, up = SCALED.fullmatch(text).groups()  # type: ignore[union-attr]
        return load_terrain(file, up or "y", float(scale or 1.0))
    except ValueError as error:
        if isinstance(error, GambolError):
            raise
        allowed = "flat, slope:DEGREES, stairs:RISE,TREAD,COUNT or a mesh file"
        raise GambolError(f"{text!r} does not say a ground", where="terrain", allowed=allowed) from None
