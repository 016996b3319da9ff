"""The path a figure was to follow, seen from above: how far off it is, and how far along."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.errors import GambolError
from gambol.path import Path

__all__ = ["Track", "advances", "off_track", "track_of"]

Array = NDArray[np.float64]
SPACING = 0.02  # m between points
BRANCH = 0.2  # m by which another branch of the track may be farther and still be the one walked on
ROWS = 200  # frames looked at together, against the part of the track they can be nearest to


class Track(NamedTuple):
    """A path from above: points (N, 2) m (x, z) at arc lengths (N,) m; a closed one ends where it began."""

    points: Array
    along: Array
    closed: bool


def track_of(path: Path | ArrayLike) -> Track | None:
    """A track from a Path or from points ``(N, 3)`` m; None where there are fewer than two different points.

    Raises:
        GambolError: for points of another shape, or not finite.
    """
    points = path.points if isinstance(path, Path) else path
    p = np.asarray(points, float)
    if p.ndim != 2 or p.shape[1] != 3 or not np.isfinite(p).all():
        what = f"the path has shape {p.shape}, or numbers that are not finite"
        raise GambolError(what, where="measure", allowed="(N, 3) numbers in m")
    p = p[:, [0, 2]]
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=1))])
    keep = np.concatenate([[True], np.diff(along) > 0])
    if keep.sum() < 2:
        return None
    p, along = p[keep], along[keep]
    s = np.linspace(0.0, along[-1], int(np.ceil(along[-1] / SPACING)) + 1)
    dense = np.stack([np.interp(s, along, p[:, i]) for i in (0, 1)], 1)
    closed = path.closed if isinstance(path, Path) else bool(np.linalg.norm(p[-1] - p[0]) < SPACING)
    return Track(dense, s, closed)


def off_track(track: Track, places: ArrayLike) -> Array:
    """Horizontal distance (m) of places ``(F, 2)`` m (x, z) from a track: ``(F,)``."""
    x = np.asarray(places, float)
    out, last = np.empty(len(x)), len(track.points) - 1
    for a in range(0, len(x), ROWS):
        part = x[a : a + ROWS]
        # No place can be farther from the track than the first one and the extent of them all together.
        low, high = part.min(0), part.max(0)
        far = np.sqrt(_squares(part[:1], track.points).min()) + np.linalg.norm(high - low) + SPACING
        inside = (track.points >= low - far) & (track.points <= high + far)
        likely = np.flatnonzero(inside.all(1))
        nearest = likely[np.argmin(_squares(part, track.points[likely]), axis=1)]
        before, here, after = (track.points[np.clip(nearest + i, 0, last)] for i in (-1, 0, 1))
        out[a : a + ROWS] = np.minimum(_to_segment(part, before, here), _to_segment(part, here, after))
    return out


def advances(track: Track, ends: Array) -> Array:
    """How far (m) along the track each of K moves leads: ``ends`` (K, 2, 2) m, start and end -> ``(K,)``.

    Where a track crosses itself, the start and the end are taken on one branch: the pair of track points
    nearest to both whose distance along is no more than twice the move's length (and half a metre).
    """
    step, n = track.along[1], len(track.points)
    around = n - 1 if track.closed else n  # the last point of a closed track is its first
    way = np.gradient(track.points, axis=0) / step
    out = np.zeros(len(ends))
    for k, (start, end) in enumerate(ends):
        here, there = (_squares(x[None], track.points)[0] for x in (start, end))
        window = int(min(np.ceil((2 * np.linalg.norm(end - start) + 0.5) / step), n))
        # Only points about as near as the nearest can be the start.
        likely = np.flatnonzero(np.sqrt(here) <= np.sqrt(here.min()) + BRANCH)
        targets = likely[:, None] + np.arange(-window, window + 1)
        legal = track.closed | ((targets >= 0) & (targets < n))
        cost = here[likely][:, None] + np.where(legal, there[targets % around], np.inf)
        i, j = np.unravel_index(np.argmin(cost), cost.shape)
        a, b = likely[i], targets[i, j] % around
        rest = (end - track.points[b]) @ way[b] - (start - track.points[a]) @ way[a]  # between the points
        out[k] = (j - window) * step + rest
    return out


def _squares(x: Array, points: Array) -> Array:
    """Squared distances ``(F, N)``, taken near the origin so that far from it no digits are lost."""
    x, p = x - points[0], points - points[0]
    return np.maximum((x**2).sum(1)[:, None] + (p**2).sum(1) - 2 * x @ p.T, 0.0)


def _to_segment(x: Array, a: Array, b: Array) -> Array:
    """Distance (m) of points ``(F, 2)`` from segments a to b ``(F, 2)``."""
    d = b - a
    size = np.maximum(np.sum(d * d, -1), 1e-18)
    t = np.clip(np.sum((x - a) * d, -1) / size, 0.0, 1.0)
    return np.linalg.norm(x - a - t[:, None] * d, axis=-1)
