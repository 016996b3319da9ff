"""Path: where the walk goes, by arc length; corners rounded, and laid on the ground.

Arc length is horizontal (the papers' step length w is a horizontal distance). A heading is the yaw psi with
forward = (sin psi, 0, cos psi); positive curvature turns left.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, field
from pathlib import Path as FilePath

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.errors import GambolError
from gambol.skeleton import readonly
from gambol.terrain import Terrain

__all__ = ["Path", "drop", "load_path", "parse_path", "walkable"]

Array = NDArray[np.float64]
SAME = 1e-6  # m, points closer than this are one
GRID = 0.02  # m, spacing of a rounded path
RADIUS = 0.8  # m, that a walk takes without slowing
LEAST = 0.30  # m, radius below which a corner is taken by turning on the spot
SHARPEST = np.radians(150)  # a corner that turns more is a turn on the spot
EASE = 0.3  # m, half width of the smoothing along rounded paths
MAX_STEP = 0.42  # m


@dataclass(frozen=True, eq=False)
class Path:
    """A polyline on or above the ground.

    Attributes:
        points: ``(N, 3)`` m; doubled points are dropped.
        closed: the last point leads back to the first.
        pivots: arc lengths m at which the heading jumps and the walker turns on the spot.

    Raises:
        GambolError: for numbers that are not finite, or fewer than two distinct points.
    """

    points: Array
    closed: bool = False
    pivots: tuple[float, ...] = ()
    s: Array = field(init=False, repr=False)  # (N,) arc length of each point
    _yaw: Array = field(init=False, repr=False)  # (N - 1,) heading of each segment, unwrapped
    _fine: NDArray[np.bool_] = field(init=False, repr=False)  # (N - 1,) segments of a drawn curve
    _turned: float = field(init=False, repr=False)  # rad, of a whole lap

    def __post_init__(self) -> None:
        points = _checked(self.points)
        if self.closed and np.linalg.norm((points[-1] - points[0])[[0, 2]]) > SAME:
            points = np.concatenate([points, points[:1]])
        step = np.hypot(*np.diff(points[:, [0, 2]], axis=0).T)
        keep = np.r_[True, step > SAME]
        if keep.sum() < 2:
            raise GambolError("the path has no length", where="path", allowed="at least two distinct points")
        points = _higher(points, keep)
        d = np.diff(points, axis=0)
        object.__setattr__(self, "points", readonly(points))
        object.__setattr__(self, "s", readonly(np.r_[0.0, np.cumsum(np.hypot(d[:, 0], d[:, 2]))]))
        object.__setattr__(self, "_yaw", readonly(np.unwrap(np.arctan2(d[:, 0], d[:, 2]))))
        object.__setattr__(self, "_fine", readonly(np.diff(self.s) < 3 * GRID, bool))
        object.__setattr__(self, "_turned", self._lap_turn())
        object.__setattr__(self, "pivots", tuple(float(p) for p in self.pivots))

    @property
    def length(self) -> float:
        """m, horizontal; of one lap where the path is closed."""
        return float(self.s[-1])

    def _at(self, s: ArrayLike) -> tuple[NDArray[np.int64], Array, Array]:
        """Segment, share of it, and laps, of each arc length."""
        s = np.asarray(s, float)
        laps = np.floor(s / self.length) if self.closed else np.zeros_like(s)
        s = s - laps * self.length
        k = np.minimum(np.maximum(np.searchsorted(self.s, s, side="right") - 1, 0), len(self.s) - 2)
        return k, (s - self.s[k]) / (self.s[k + 1] - self.s[k]), laps

    def point(self, s: ArrayLike) -> Array:
        """``(..., 3)`` m at arc length ``s`` (...); an open path goes on straight beyond its ends."""
        k, u, _ = self._at(s)
        return self.points[k] + u[..., None] * (self.points[k + 1] - self.points[k])

    def heading(self, s: ArrayLike) -> Array:
        """``(...)`` rad, unwrapped, also from lap to lap."""
        k, u, laps = self._at(s)
        yaw, last, turn = self._yaw, len(self._yaw) - 1, self._turned
        # between the middles of two short segments the heading goes evenly from one to the other
        late = u >= 0.5
        before, after = np.where(late, k, k - 1), np.where(late, k + 1, k)
        a = yaw[np.maximum(before, 0)] if not self.closed else np.where(before < 0, yaw[last] - turn, yaw[before])
        b = yaw[np.minimum(after, last)]
        if self.closed:
            b = np.where(after > last, yaw[0] + turn, b)
        even = self._fine[np.maximum(before, 0)] & self._fine[np.minimum(after, last)] & (np.abs(b - a) < 0.35)
        return np.where(even, a + np.where(late, u - 0.5, u + 0.5) * (b - a), yaw[k]) + laps * turn

    def _lap_turn(self) -> float:
        """How far the heading turns in a whole lap (a multiple of a full turn)."""
        if not self.closed:
            return 0.0
        corner = (self._yaw[0] - self._yaw[-1] + np.pi) % (2 * np.pi) - np.pi
        return float(self._yaw[-1] - self._yaw[0] + corner)

    def tangent(self, s: ArrayLike) -> Array:
        """``(..., 3)`` horizontal unit vector."""
        psi = self.heading(s)
        return np.stack([np.sin(psi), np.zeros_like(psi), np.cos(psi)], -1)

    def curvature(self, s: ArrayLike) -> Array:
        """``(...)`` 1/m, left turns positive, over 10 cm."""
        s = np.asarray(s, float)
        return (self.heading(s + 0.05) - self.heading(s - 0.05)) / 0.1

    def place(self, s: ArrayLike, left: ArrayLike, up: ArrayLike) -> Array:
        """The paper's frame (forward by arc length, up, sideways) lifted into the world: ``(..., 3)`` m."""
        psi = self.heading(s)
        side = np.stack([np.cos(psi), np.zeros_like(psi), -np.sin(psi)], -1)
        return self.point(s) + np.asarray(left, float)[..., None] * side + np.asarray(up, float)[..., None] * [0, 1, 0]

    def nearest(self, position: ArrayLike, from_s: float = 0.0, reach: float = np.inf) -> float:
        """Arc length of the point nearest to ``position`` (3,) between ``from_s`` and ``from_s + reach``, same floor first."""
        position = np.asarray(position, float)
        end = min(from_s + reach, from_s + self.length) if self.closed else min(from_s + reach, self.length)
        s = np.linspace(min(from_s, end), end, max(int((end - from_s) / GRID), 1) + 1)
        d = self.point(s) - position
        return float(s[np.argmin(np.hypot(d[:, 0], d[:, 2]) + 2.0 * np.maximum(np.abs(d[:, 1]) - 0.5, 0.0))])


def _checked(points: ArrayLike) -> Array:
    try:
        points = np.asarray(points, float)
    except (TypeError, ValueError):
        raise GambolError("the points are not numbers", where="path", allowed="rows of x, y, z in metres") from None
    if points.ndim != 2 or points.shape[-1] != 3:
        raise GambolError(f"points have shape {points.shape}", where="path", allowed="(N, 3)")
    if len(points) < 2:
        raise GambolError(f"the path has {len(points)} point", where="path", allowed="at least two")
    bad = np.flatnonzero(~np.isfinite(points).all(1))
    if len(bad):
        raise GambolError(f"point {bad[0] + 1} is not a finite number", where="path", do="mend or remove it")
    if np.abs(points).max() > 1e6:
        raise GambolError("points are farther than 1000 km from the origin", where="path", do="are they metres?")
    return points


def _higher(points: Array, keep: NDArray[np.bool_]) -> Array:
    """Of points at one horizontal position the highest is kept (section 1.8 of the walking paper)."""
    group = np.cumsum(keep) - 1
    out = points[keep].copy()
    np.maximum.at(out[:, 1], group, points[:, 1])
    return out


def walkable(points: ArrayLike, closed: bool = False, radius: float = RADIUS) -> Path:
    """A path with its corners rounded to ``radius`` m where there is room, turned on the spot where there is none.

    A corner becomes the convolution of its two sides with a triangle: curvature is continuous and zero at both ends.
    """
    raw = Path(np.asarray(points, float), closed)
    p, closed = raw.points, raw.closed
    if closed:
        p = p[:-1]
    n = len(p)
    if n < 3:
        return raw
    before, after = np.roll(p, 1, 0), np.roll(p, -1, 0)
    d0, d1 = p - before, after - p
    l0, l1 = np.hypot(d0[:, 0], d0[:, 2]), np.hypot(d1[:, 0], d1[:, 2])
    yaw0, yaw1 = np.arctan2(d0[:, 0], d0[:, 2]), np.arctan2(d1[:, 0], d1[:, 2])
    turn = (yaw1 - yaw0 + np.pi) % (2 * np.pi) - np.pi
    corner = np.abs(turn) > 1e-9
    if not closed:
        corner[[0, -1]] = False
    wish = np.abs(turn) * radius
    neighbour_before, neighbour_after = np.roll(corner, 1), np.roll(corner, -1)
    room = np.minimum(np.where(neighbour_before, l0 / 2, 0.95 * l0), np.where(neighbour_after, l1 / 2, 0.95 * l1))
    half = np.where(corner, np.minimum(wish, room), 0.0)
    tight = corner & ((half < LEAST * np.abs(turn)) & (np.abs(turn) > np.radians(40)) | (np.abs(turn) > SHARPEST))
    half = np.where(tight, 0.0, half)
    pieces: list[list[Array]] = [[]]
    for i in range(n):
        pieces[-1].append(_corner(p[i], d0[i] / max(l0[i], SAME), d1[i] / max(l1[i], SAME), half[i]))
        if tight[i]:
            pieces.append([p[i : i + 1]])
    if closed and not tight.any():
        return _smooth(np.concatenate(pieces[0]), True)
    if closed:
        pieces[-1].append(pieces[0][0][:1])
    return _chain([_smooth(np.concatenate(piece), False) for piece in pieces])


def _corner(at: Array, into: Array, out: Array, half: float) -> Array:
    """``at`` rounded over ``half`` m on both sides: (M, 3)."""
    if half < 1e-3:
        return at[None]
    s = np.linspace(-half, half, max(int(2 * half / GRID), 4) + 1)
    ramp = np.where(s < 0, (s + half) ** 3, 0) / (6 * half**2)
    ramp = np.where(s >= 0, s + np.maximum(half - s, 0) ** 3 / (6 * half**2), ramp)
    return at - into * (ramp - s)[:, None] + out * ramp[:, None]


def _smooth(points: Array, closed: bool) -> Path:
    """Evenly resampled and eased over 30 cm: on a straight line nothing changes."""
    raw = Path(points, closed)
    n = max(int(np.ceil(raw.length / GRID)), 2)
    s = np.linspace(0.0, raw.length, n + 1)
    dense = raw.point(s)
    k = int(min(EASE, raw.length / 4) / (raw.length / n))
    if k < 1:
        return Path(dense, closed)
    weights = np.concatenate([np.arange(1, k + 1), np.arange(k - 1, 0, -1)]) / k**2
    if closed:
        padded = np.concatenate([dense[-k:-1], dense[:-1], dense[: k - 1]])
    else:
        head = 2 * dense[0] - dense[k - 1 : 0 : -1]
        tail = 2 * dense[-1] - dense[-2 : -k - 1 : -1]
        padded = np.concatenate([head, dense, tail])
    out = np.stack([np.convolve(padded[:, i], weights, "valid") for i in range(3)], -1)
    return Path(out, closed)


def _chain(pieces: list[Path]) -> Path:
    """Open pieces one after the other; their joints are pivots."""
    pieces = [p for p in pieces if p.length > SAME]
    points = np.concatenate([p.points[(1 if i else 0) :] for i, p in enumerate(pieces)])
    pivots = np.cumsum([p.length for p in pieces])[:-1]
    return Path(points, False, tuple(pivots))


def drop(path: Path, terrain: Terrain, max_step: float = MAX_STEP) -> Path:
    """The path laid on the ground, each riser kept: heights every 2 cm.

    Raises:
        GambolError: where the path leaves the ground, or a single rise or drop is more than ``max_step`` m.
    """
    n = max(int(np.ceil(path.length / GRID)), 2)
    s = np.unique(np.concatenate([np.linspace(0.0, path.length, n + 1), path.s if len(path.s) < 3 * n else []]))
    points = path.point(s)
    y = terrain.height(points[:, [0, 2]], points[:, 1])
    high = np.isnan(y)
    if high.any():  # drawn above or below the ground: the floor it hovers over
        y = np.where(high, terrain.height(points[:, [0, 2]], None), y)
    if np.isnan(y).any():
        k = int(np.argmax(np.isnan(y)))
        raise GambolError(
            f"the path leaves the terrain {s[k]:.2f} m along it (x {points[k, 0]:.2f}, z {points[k, 2]:.2f})",
            where="path", do="move the path or enlarge the ground",
        )
    jump = np.abs(np.diff(y))
    if jump.max() > max_step:
        k = int(np.argmax(jump))
        word = "rise" if y[k + 1] > y[k] else "drop"
        raise GambolError(
            f"a {word} of {jump[k]:.2f} m, {s[k]:.2f} m along the path (x {points[k, 0]:.2f}, z {points[k, 2]:.2f})",
            where="path", allowed=f"at most {max_step:.2f} m", do="lead the path round it",
        )
    return Path(np.stack([points[:, 0], y, points[:, 2]], -1), path.closed, path.pivots)


def parse_path(text: str) -> Path:
    """A path from ``"x,z x,z ..."`` or ``"x,y,z ..."`` in metres; ending where it began means closed."""
    rows = []
    for number, word in enumerate(text.replace(";", " ").split(), 1):
        try:
            values = [float(v) for v in word.split(",")]
        except ValueError:
            values = []
        if len(values) not in (2, 3):
            raise GambolError(f"{word!r} is no point", where=f"path, point {number}", allowed="x,z or x,y,z in metres")
        rows.append([values[0], values[1] if len(values) == 3 else 0.0, values[-1]])
    return _from_rows(np.array(rows).reshape(-1, 3), None)


def _from_rows(rows: Array, closed: bool | None) -> Path:
    rows = _checked(rows)
    ring = len(rows) > 3 and bool(np.linalg.norm(rows[0] - rows[-1]) < 1e-4)
    return walkable(rows, ring if closed is None else closed)


def load_path(file: str | FilePath) -> Path:
    """A path from a CSV file with a header ``x,y,z`` (y may be missing) or a JSON file.

    Raises:
        GambolError: naming the file, and the row where there is one.
    """
    file = FilePath(file)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise GambolError(f"it cannot be read ({error.__class__.__name__})", where=str(file)) from None
    if file.suffix.lower() == ".json":
        return _from_json(text, file)
    rows = list(csv.reader(text.splitlines()))
    rows = [r for r in rows if any(c.strip() for c in r)]
    head = [c.strip().lower() for c in rows[0]] if rows else []
    if "x" not in head or "z" not in head:
        raise GambolError("no header with x and z", where=str(file), allowed="a first line x,y,z or x,z")
    columns = [head.index("x"), head.index("y") if "y" in head else -1, head.index("z")]
    values = []
    for number, row in enumerate(rows[1:], 2):
        try:
            values.append([0.0 if c < 0 else float(row[c]) for c in columns])
        except (ValueError, IndexError):
            raise GambolError(f"row {','.join(row)!r} is not numbers", where=f"{file}, line {number}") from None
    bad = [i for i, v in enumerate(values) if not np.isfinite(v).all()]
    if bad:
        raise GambolError("a number is not finite", where=f"{file}, line {bad[0] + 2}")
    return _from_rows(np.array(values).reshape(-1, 3), None)


def _from_json(text: str, file: FilePath) -> Path:
    try:
        data = json.loads(text)
        points = data["points"] if isinstance(data, dict) else data
        rows = [[p[0], p[1] if len(p) == 3 else 0.0, p[-1]] for p in points]
        closed = data.get("closed") if isinstance(data, dict) else None
        return _from_rows(np.array(rows, float).reshape(-1, 3), closed)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        if isinstance(error, GambolError):
            raise
        raise GambolError("it is no path", where=str(file), allowed='{"points": [[x, y, z], ...], "closed": false}') from None
