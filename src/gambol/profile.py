"""What lies under the way of a swing foot: heights along the straight line between two footholds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.footsteps import NONE, Footstep
from gambol.kernels import kernel
from gambol.roll import Foot
from gambol.terrain import Flat, Terrain

__all__ = ["Profile", "height_at", "profile"]

Array = NDArray[np.float64]
DILATE = 0.005  # m, the ground counts as high as its highest point this far fore and aft
SPACING = 0.003  # m between two heights
BEHIND, BEYOND = 0.2, 0.35  # m that a swing may go beyond its ends
LEVEL = 1e-9  # m, heights that differ by less are one
ON_THE_SPOT = 0.05  # m, a shorter swing goes where the foot points


class Profile(NamedTuple):
    """Heights along the line from one foothold to the next, and the line."""

    origin: Array  # (2,) xz
    along: Array  # (2,) unit
    length: float
    start: float
    spacing: float
    heights: Array
    rough: float  # m, largest departure from the straight line between the two; 0 on a plane
    goal_y: float  # m, height of the next foothold


def profile(rear: Footstep, one: Footstep, foot: Foot, terrain: Terrain) -> Profile:
    """The ground from foothold ``rear`` to foothold ``one``; a plane where there is no further one."""
    if one.kind == NONE:
        terrain, one = Flat(float(rear.place[1])), rear
    a, b = rear.place, one.place
    way = np.array([b[0] - a[0], b[2] - a[2]])
    length = float(np.hypot(way[0], way[1]))
    origin = np.array([a[0], a[2]])
    along = way / length if length > ON_THE_SPOT else np.array([np.sin(rear.yaw), np.cos(rear.yaw)])
    if isinstance(terrain, Flat):
        return _plane(origin, along, length, float(terrain.y))
    start, stop = -foot.heel - BEHIND, length + foot.tip + BEYOND
    x = np.linspace(start, stop, int((stop - start) / SPACING) + 2)
    line = a[1] + (b[1] - a[1]) * x / max(length, 0.3)
    y = terrain.height(origin + x[:, None] * along, line + 0.1)
    y = np.where(np.isfinite(y), y, np.fmin(a[1], b[1]))
    if y.max() - y.min() < LEVEL and a[1] == b[1]:  # a tread, or the floor before it
        return _plane(origin, along, length, float(b[1]))
    inside = (x > -foot.heel) & (x < length + foot.tip)
    rough = max(float(np.abs(y - line)[inside].max()), 1e-9)
    spacing = float(x[1] - x[0])
    y = _dilated(y, int(np.ceil(DILATE / spacing)))
    return Profile(origin, along, length, start, spacing, y, rough, float(b[1]))


def _plane(origin: Array, along: Array, length: float, y: float) -> Profile:
    return Profile(origin, along, length, 0.0, 1.0, np.full(2, y), 0.0, y)


def _dilated(y: Array, reach: int) -> Array:
    """The highest of each sample and ``reach`` neighbours on either side."""
    out = y.copy()
    for k in range(1, reach + 1):
        np.maximum(out[k:], y[:-k], out=out[k:])
        np.maximum(out[:-k], y[k:], out=out[:-k])
    return out


@kernel
def height_at(x, p: Profile):  # type: ignore[no-untyped-def]
    """Dilated ground height at distance ``x`` along the line."""
    if p.rough == 0.0:
        return p.goal_y + 0.0 * x
    at = np.minimum(np.maximum((x - p.start) / p.spacing, 0.0), len(p.heights) - 1.001)
    k = np.int64(at)
    return p.heights[k] + (at - k) * (p.heights[k + 1] - p.heights[k])
