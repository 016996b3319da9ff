"""Path: where the walk goes, by arc length; corners rounded, and laid on the ground.

Arc length is horizontal (the papers' step length w is a horizontal distance). A heading is the yaw psi with
forward = (sin psi, 0, cos psi); positive curvature turns left.
"""

from __future__ import annotations

import csv
import json
import math
import os
from dataclasses import dataclass, field
from pathlib import Path as FilePath

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.corners import GRID, RADIUS, SAME, arc_lengths, rounded
from gambol.errors import GambolError
from gambol.skeleton import readonly
from gambol.terrain import STEP_UP, Terrain

__all__ = ["Path", "drop", "load_path", "parse_path", "walkable"]

Array = NDArray[np.float64]
EVEN = 0.35  # rad between two short segments that still are one curve, not a corner
OVER = 0.05  # m, half of the length that curvature is taken over
NEAR = 1e-3  # m between ways past the drawn start that are equally near
MAX_STEP = 0.42  # m
HEADROOM = 1.0  # m above a floor in which there may be no other one
FARTHEST = 1e6  # m from the origin


@dataclass(frozen=True, eq=False)
class Path:
    """A polyline on or above the ground.

    Attributes:
        points: ``(N, 3)`` m; doubled points are dropped.
        closed: the last point leads back to the first.
        pivots: arc lengths m at which the heading jumps and the walker turns on the spot; of one lap where the
            path is closed, and 0 is then its first point.

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
        if self.closed and np.hypot(*(points[-1] - points[0])[[0, 2]]) > SAME:
            points = np.concatenate([points, points[:1]])
        points = _higher(points, self.closed)
        d = np.diff(points, axis=0)
        object.__setattr__(self, "points", readonly(points))
        object.__setattr__(self, "s", readonly(arc_lengths(points)))
        object.__setattr__(self, "_yaw", readonly(np.unwrap(np.arctan2(d[:, 0], d[:, 2]))))
        object.__setattr__(self, "_fine", readonly(np.diff(self.s) < 3 * GRID, bool))
        object.__setattr__(self, "_turned", self._lap_turn())
        object.__setattr__(self, "pivots", tuple(float(p) for p in self.pivots))

    @property
    def length(self) -> float:
        """m, horizontal; of one lap where the path is closed."""
        return float(self.s[-1])

    def stops(self, laps: int = 1) -> tuple[float, ...]:
        """Arc lengths m at which a walk of ``laps`` halts: every turn on the spot, and the end."""
        end = self.length * (laps if self.closed else 1)
        turns = [p + lap * self.length for lap in range(laps if self.closed else 1) for p in self.pivots]
        return (*sorted(p for p in turns if SAME < p < end - SAME), end)

    def until(self, s: float) -> Path:
        """The open path of its first ``s`` m; of a closed one as many laps as that takes."""
        laps = int(s // self.length) if self.closed else 0
        k = int(np.searchsorted(self.s, s - laps * self.length))
        whole = [self.points[:-1]] * laps
        pivots = tuple(p for p in self.stops(laps + 1)[:-1] if p < s)
        return Path(np.concatenate([*whole, self.points[:k], self.point(s)[None]]), pivots=pivots)

    def _at(self, s: ArrayLike) -> tuple[NDArray[np.int64], Array, Array]:
        """Segment, share of it, and laps, of each arc length."""
        s = np.asarray(s, float)
        laps = np.floor(s / self.length) if self.closed else np.zeros_like(s)
        s = s - laps * self.length
        k = np.minimum(np.maximum(np.searchsorted(self.s, s, side="right") - 1, 0), len(self.s) - 2)
        return k, (s - self.s[k]) / (self.s[k + 1] - self.s[k]), laps

    def _at_one(self, s: float) -> tuple[int, float, float]:
        """The same for one number, several times quicker."""
        laps = math.floor(s / self.length) if self.closed else 0
        s -= laps * self.length
        k = min(max(int(self.s.searchsorted(s, "right")) - 1, 0), len(self.s) - 2)
        start = float(self.s[k])
        return k, (s - start) / (float(self.s[k + 1]) - start), laps

    def point(self, s: ArrayLike) -> Array:
        """``(..., 3)`` m at arc length ``s`` (...); an open path goes on straight beyond its ends."""
        if isinstance(s, float | int):
            i, share, _ = self._at_one(s)
            return np.asarray(self.points[i] + share * (self.points[i + 1] - self.points[i]))
        k, u, _ = self._at(s)
        return np.asarray(self.points[k] + u[..., None] * (self.points[k + 1] - self.points[k]))

    def heading(self, s: ArrayLike) -> Array:
        """``(...)`` rad, unwrapped, also from lap to lap.

        Along a drawn curve it goes evenly from the middle of one segment to the middle of the next.
        """
        if isinstance(s, float | int):
            return np.float64(self._heading_one(s))
        k, u, laps = self._at(s)
        late = u >= 0.5
        first, second = np.where(late, k, k - 1), np.where(late, k + 1, k)
        (a, fine), (b, fine_too) = self._segment(first), self._segment(second)
        even = fine & fine_too & (np.abs(b - a) < EVEN)
        return np.where(even, a + np.where(late, u - 0.5, u + 0.5) * (b - a), self._yaw[k]) + laps * self._turned

    def _segment(self, k: NDArray[np.int64]) -> tuple[Array, NDArray[np.bool_]]:
        """Heading of segments ``k`` from -1 to their number, one lap round or as the last one; whether of a curve."""
        n = len(self._yaw)
        at = k % n if self.closed else np.minimum(np.maximum(k, 0), n - 1)
        return self._yaw[at] + (k // n * self._turned if self.closed else 0.0), self._fine[at]

    def _heading_one(self, s: float) -> float:
        k, u, laps = self._at_one(s)
        yaw, fine, n = self._yaw, self._fine, len(self._yaw)
        here, other = float(yaw[k]), k + 1 if u >= 0.5 else k - 1
        turned = 0.0
        if not 0 <= other < n:
            if not self.closed:
                return here
            turned, other = self._turned * (1 if other == n else -1), other % n
        there = float(yaw[other]) + turned
        if fine[k] and fine[other] and abs(there - here) < EVEN:
            here += abs(u - 0.5) * (there - here)
        return here + laps * self._turned

    def _lap_turn(self) -> float:
        """How far the heading turns in a whole lap (a multiple of a full turn)."""
        if not self.closed:
            return 0.0
        corner = (self._yaw[0] - self._yaw[-1] + np.pi) % (2 * np.pi) - np.pi
        return float(self._yaw[-1] - self._yaw[0] + corner)

    def tangent(self, s: ArrayLike) -> Array:
        """``(..., 3)`` horizontal unit vector."""
        if isinstance(s, float | int):
            one = self._heading_one(s)
            return np.array([math.sin(one), 0.0, math.cos(one)])
        psi = self.heading(s)
        return np.stack([np.sin(psi), np.zeros_like(psi), np.cos(psi)], -1)

    def left(self, s: ArrayLike) -> Array:
        """``(..., 3)`` horizontal unit vector to the left."""
        psi = self.heading(s)
        return np.stack([np.cos(psi), np.zeros_like(psi), -np.sin(psi)], -1)

    def curvature(self, s: ArrayLike) -> Array:
        """``(...)`` 1/m, left turns positive, over 10 cm."""
        if isinstance(s, float | int):
            turn = self._heading_one(s + OVER) - self._heading_one(s - OVER)
            return np.float64(turn / (2 * OVER))
        s = np.asarray(s, float)
        return (self.heading(s + OVER) - self.heading(s - OVER)) / (2 * OVER)

    def place(self, s: ArrayLike, left: ArrayLike, up: ArrayLike) -> Array:
        """The paper's frame (forward by arc length, up, sideways) lifted into the world: ``(..., 3)`` m."""
        if isinstance(s, float | int) and isinstance(left, float | int) and isinstance(up, float | int):
            one = self._heading_one(s)
            return self.point(s) + np.array([left * math.cos(one), up, -left * math.sin(one)])
        up_axis = np.array([0.0, 1.0, 0.0])
        sideways, up = np.asarray(left, float)[..., None] * self.left(s), np.asarray(up, float)[..., None]
        return self.point(s) + sideways + up * up_axis

    def nearest(self, position: ArrayLike, from_s: float = 0.0, reach: float = np.inf) -> float:
        """Arc length of the point nearest to ``position`` (3,) from ``from_s`` to ``from_s + reach``, same floor first.

        On a closed path at most one lap ahead is looked at.
        """
        position = np.asarray(position, float)
        end = from_s + min(reach, self.length) if self.closed else min(from_s + reach, self.length)
        if end <= from_s:
            return float(end)
        lap = math.floor(from_s / self.length) * self.length if self.closed else 0.0
        knots = np.concatenate([self.s + lap, self.s[1:] + lap + self.length]) if self.closed else self.s
        a = knots[max(int(knots.searchsorted(from_s, "right")) - 1, 0) : int(knots.searchsorted(end)) + 1]
        a = np.unique(np.clip(a, from_s, end))
        a = a if len(a) > 1 else np.array([from_s, end])
        p = self.point(a)
        d, out = np.diff(p, axis=0), position - p[:-1]
        share = (out[:, 0] * d[:, 0] + out[:, 2] * d[:, 2]) / np.maximum(d[:, 0] ** 2 + d[:, 2] ** 2, SAME**2)
        share = np.clip(share, 0.0, 1.0)
        off = out - share[:, None] * d
        far = np.hypot(off[:, 0], off[:, 2]) + 2.0 * np.maximum(np.abs(off[:, 1]) - 0.5, 0.0)
        k = int(np.argmin(far))
        return float(a[k] + share[k] * (a[k + 1] - a[k]))


def _checked(points: ArrayLike) -> Array:
    try:
        points = np.asarray(points, float)
    except (TypeError, ValueError):
        raise GambolError("the points are not numbers", where="path", allowed="rows of x, y, z in metres") from None
    if points.ndim != 2 or points.shape[-1] != 3:
        raise GambolError(f"points have shape {points.shape}", where="path", allowed="(N, 3)")
    if len(points) < 2:
        what = f"the path has {len(points) or 'no'} point"
        raise GambolError(what, where="path", allowed="at least two")
    bad = np.flatnonzero(~np.isfinite(points).all(1))
    if len(bad):
        raise GambolError(f"point {bad[0] + 1} is not a finite number", where="path", do="mend or remove it")
    if np.abs(points).max() > FARTHEST:
        raise GambolError("points are farther than 1000 km from the origin", where="path", do="are they metres?")
    return points


def _higher(points: Array, closed: bool) -> Array:
    """Of points at one horizontal position the highest is kept (section 1.8 of the walking paper)."""
    keep = np.concatenate([[True], np.diff(arc_lengths(points)) > SAME])
    if keep.sum() < 2:
        raise GambolError("the path has no length", where="path", allowed="at least two distinct points")
    out = points[keep].copy()
    np.maximum.at(out[:, 1], np.cumsum(keep) - 1, points[:, 1])
    if closed:
        out[[0, -1], 1] = out[[0, -1], 1].max()
    return out


def walkable(points: ArrayLike, closed: bool = False, radius: float = RADIUS) -> Path:
    """A path with its corners rounded to ``radius`` m where there is room, turned on the spot where there is none.

    Curvature is continuous between the turns on the spot. Gentle corners become rounder than asked for.
    """
    raw = Path(_checked(points), closed)
    if len(raw.points) < 3:
        return raw
    pieces = rounded(raw.points, closed, radius)
    line = np.concatenate([pieces[0], *(p[1:] for p in pieces[1:])])
    ends = np.cumsum([arc_lengths(p)[-1] for p in pieces])
    if not closed:
        return Path(line, False, tuple(ends[:-1]))
    ring, s = line[:-1], arc_lengths(line)[:-1]
    start = _start(ring, raw.points)
    turns = ends if len(pieces) > 1 or _kinked(line) else ends[:0]
    pivots = np.sort((turns - s[start] + SAME) % ends[-1] - SAME)
    return Path(np.roll(ring, -start, 0), True, tuple(np.where(pivots < SAME, 0.0, pivots)))


def _start(ring: Array, drawn: Array) -> int:
    """Which point of a ring is nearest to the first one drawn, and led on to the second where it passes twice."""
    off = np.hypot(*(ring - drawn[0])[:, [0, 2]].T)
    near = np.flatnonzero(off < off.min() + NEAR)
    way = (np.roll(ring, -1, 0) - ring)[near][:, [0, 2]] @ (drawn[1] - drawn[0])[[0, 2]]
    return int(near[np.argmax(way)])


def _kinked(ring: Array) -> bool:
    """Whether a ring of one piece has its one corner where it begins."""
    a, b = (ring[1] - ring[0])[[0, 2]], (ring[-1] - ring[-2])[[0, 2]]
    return bool(a @ b < np.cos(EVEN) * np.hypot(*a) * np.hypot(*b))


def drop(path: Path, terrain: Terrain, max_step: float = MAX_STEP) -> Path:
    """The path laid on the ground, each riser kept: heights every 2 cm.

    Where floors lie over each other it is the one the path is drawn on or above, else the next above it. A path
    whose height was not drawn (it leads through floors) keeps to the floor it is on.

    Raises:
        GambolError: where the path leaves the ground, or a single rise or drop is more than ``max_step`` m.
    """
    parts = np.maximum(np.ceil(np.diff(path.s) / GRID).astype(int), 1)
    start, share = np.repeat(path.s[:-1], parts), np.repeat(np.diff(path.s) / parts, parts)
    s = np.append(start + share * (np.arange(len(start)) - np.repeat(np.cumsum(parts) - parts, parts)), path.length)
    points = path.point(s)
    if path.closed:
        points[-1] = points[0]
    drawn = _floor(terrain, points)
    if np.isnan(drawn).any():
        k = int(np.argmax(np.isnan(drawn)))
        raise GambolError(
            f"the path leaves the terrain {_where(s[k], points[k], 'it')}", where="path",
            do="move the path or enlarge the ground",
        )
    y = drawn
    if np.abs(np.diff(y)).max() > max_step:
        kept = _followed(terrain, points, drawn)
        # who draws a path up to another floor means that floor, and the way to it is what is wrong
        if np.isfinite(kept).all() and (kept > drawn - max_step).all():
            y = kept
    jump = np.abs(np.diff(y))
    if jump.max() > max_step:
        k = int(np.argmax(jump > max_step))
        word = "rise" if y[k + 1] > y[k] else "drop"
        raise GambolError(
            f"a {word} of {jump[k]:.2f} m, {_where(s[k], points[k])}", where="path",
            allowed=f"at most {max_step:.2f} m", do="lead the path round it",
        )
    return Path(np.stack([points[:, 0], y, points[:, 2]], -1), path.closed, path.pivots)


def _where(s: float, point: Array, what: str = "the path") -> str:
    return f"{s:.2f} m along {what} (x {point[0]:.2f}, z {point[2]:.2f})"


def _floor(terrain: Terrain, points: Array) -> Array:
    """Height (N,) of the floor below each point, else of the next one above it; NaN where there is none."""
    xz, near = points[:, [0, 2]], points[:, 1]
    y = terrain.height(xz, near)
    lost = np.flatnonzero(np.isnan(y))
    if len(lost):
        top = terrain.height(xz[lost], None)
        y[lost] = top
        low, high = near[lost], top
        for _ in range(24):  # halving the height in which the lowest floor above lies
            middle = (low + high) / 2
            found = terrain.height(xz[lost], middle)
            y[lost] = np.where(np.isnan(found), y[lost], found)
            low, high = np.where(np.isnan(found), middle, low), np.where(np.isnan(found), high, middle)
    return _clear(terrain, xz, y)


def _clear(terrain: Terrain, xz: Array, y: Array) -> Array:
    """Heights ``y`` (N,), raised where another surface lies so close above that one cannot stand between."""
    for _ in range(8):
        above = terrain.height(xz, y + (HEADROOM - STEP_UP))
        if not (above > y + SAME).any():
            break
        y = np.fmax(above, y)
    return y


def _followed(terrain: Terrain, points: Array, y: Array) -> Array:
    """Heights (N,) that keep to the floor walked on from the first point, whatever heights were drawn.

    Where the floor under each point is that of ``y``, no point need be looked at by itself.
    """
    xz, y = points[:, [0, 2]], y.copy()
    k = 0
    while True:
        on = _clear(terrain, xz[k + 1 :], terrain.height(xz[k + 1 :], y[k:-1]))
        odd = np.flatnonzero(~(np.abs(on - y[k + 1 :]) < SAME))
        if not len(odd):
            return y
        k += int(odd[0])
        while k + 1 < len(y):  # one by one until they agree again
            here = _clear(terrain, xz[k + 1 : k + 2], terrain.height(xz[k + 1 : k + 2], y[k : k + 1]))[0]
            same, y[k + 1] = abs(here - y[k + 1]) < SAME, here
            k += 1
            if same or np.isnan(here):
                break
        if k + 1 >= len(y) or np.isnan(y[k]):
            return y


def parse_path(text: str) -> Path:
    """A path from ``"x,z x,z ..."`` or ``"x,y,z ..."`` in metres; ending where it began means closed.

    Raises:
        GambolError: naming the point that is none, or why they are no path.
    """
    rows = []
    for number, word in enumerate(text.replace(";", " ").split(), 1):
        try:
            values = [float(v) for v in word.split(",")]
        except ValueError:
            values = []
        if len(values) not in (2, 3):
            raise GambolError(f"{word!r} is no point", where=f"path, point {number}", allowed="x,z or x,y,z in metres")
        rows.append([values[0], values[1] if len(values) == 3 else 0.0, values[-1]])
    return _from_rows(rows, None)


def _from_rows(rows: list[list[float]], closed: bool | None) -> Path:
    points = _checked(np.array(rows, float).reshape(-1, 3))
    ring = len(points) > 3 and bool(np.linalg.norm(points[0] - points[-1]) < 1e-4)
    return walkable(points, ring if closed is None else closed)


def load_path(file: str | FilePath) -> Path:
    """A path from a CSV file with a header ``x,y,z`` (y may be missing) or a JSON file.

    Raises:
        GambolError: naming the file, and the line where there is one.
    """
    file = FilePath(file)
    if os.path.isdir(file):
        raise GambolError("it is a folder", where=str(file), allowed="a .csv or .json file")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise GambolError("there is no such file", where=str(file)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise GambolError(f"it cannot be read ({error.__class__.__name__})", where=str(file)) from None
    try:
        rows, closed = _json_rows(text, file) if file.suffix.lower() == ".json" else (_csv_rows(text, file), None)
    except (csv.Error, RecursionError, OverflowError) as error:  # one endless field, thousands of nested lists
        raise GambolError(f"it cannot be read ({error})", where=str(file), do="export it anew") from None
    try:
        return _from_rows(rows, closed)
    except GambolError as error:
        raise GambolError(error.what, where=str(file), allowed=error.allowed, do=error.do) from None


def _csv_rows(text: str, file: FilePath) -> list[list[float]]:
    reader = csv.reader(text.splitlines())
    lines = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    head = [cell.strip().lower() for cell in lines[0][1]] if lines else []
    if "x" not in head or "z" not in head:
        raise GambolError("no header with x and z", where=f"{file}, line 1", allowed="a first line x,y,z or x,z")
    columns = [head.index(name) if name in head else -1 for name in "xyz"]
    rows = []
    for number, row in lines[1:]:
        try:
            values = [0.0 if c < 0 else float(row[c]) for c in columns]
        except (ValueError, IndexError):
            what = f"{','.join(row)[:60]!r} is no row of {len(head)} numbers"
            raise GambolError(what, where=f"{file}, line {number}") from None
        if not np.isfinite(values).all():
            raise GambolError("a number is not finite", where=f"{file}, line {number}", do="mend or remove the line")
        rows.append(values)
    return rows


def _json_rows(text: str, file: FilePath) -> tuple[list[list[float]], bool | None]:
    allowed = '{"points": [[x, y, z], ...], "closed": false}'
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        what = f"it is no JSON ({error.msg})"
        raise GambolError(what, where=f"{file}, line {error.lineno}", allowed=allowed) from None
    closed = data.get("closed") if isinstance(data, dict) else None
    points = data.get("points") if isinstance(data, dict) else data
    if not isinstance(points, list) or not isinstance(closed, bool | None):
        raise GambolError("it is no path", where=str(file), allowed=allowed)
    rows = []
    for number, point in enumerate(points, 1):
        numbers = isinstance(point, list) and len(point) in (2, 3)
        if not numbers or any(isinstance(v, bool) or not isinstance(v, float | int) for v in point):
            what, where = f"{json.dumps(point)[:60]} is no point", f"{file}, point {number}"
            raise GambolError(what, where=where, allowed="[x, y, z] or [x, z] in metres")
        if not np.isfinite(np.array(point, float)).all():
            raise GambolError("a number is not finite", where=f"{file}, point {number}", do="mend or remove it")
        rows.append([point[0], point[1] if len(point) == 3 else 0.0, point[-1]])
    return rows, closed
