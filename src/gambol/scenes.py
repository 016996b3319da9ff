"""The built-in scene: flat, five steps up and down, a curve, and a slope down."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol.path import Path, walkable
from gambol.terrain import Mesh

__all__ = ["demo"]

Array = NDArray[np.float64]
RISE, TREAD, STEPS = 0.16, 0.30, 5  # the staircase measured in the walking paper
RADIUS = 2.6  # m, of the curve
SLOPE = np.radians(8.0)
WIDTH = 2.0  # m, of stairs and slope


def demo() -> tuple[Path, Mesh]:
    """Path and ground of the built-in scene, about 24 m long."""
    up, top = 3.0, STEPS * RISE
    down = up + STEPS * TREAD + 1.2
    turn = down + STEPS * TREAD + 1.6  # where the curve begins
    angles = np.radians(np.arange(15, 151, 15))
    curve = [[RADIUS * (1 - np.cos(a)), 0.0, turn + RADIUS * np.sin(a)] for a in angles]
    out = np.array([np.sin(angles[-1]), 0.0, np.cos(angles[-1])])
    start = np.array(curve[-1]) + 1.8 * out  # of the slope
    run = 4.5
    foot = start + run * out - np.array([0.0, run * np.tan(SLOPE), 0.0])
    over = [0.0, top, (up + down) / 2 + 0.7]
    points = [[0.0, 0.0, 0.0], over, [0.0, 0.0, turn], *curve, start, foot, foot + 2.2 * out]
    path = walkable(np.array(points))
    return path, _ground(up, down, start, (out, run))


def _ground(up: float, down: float, start: Array, slope: tuple[Array, float]) -> Mesh:
    """Stairs on a plain that breaks off into a ramp and a lower plain."""
    boxes: list[tuple[Array, NDArray[np.int64]]] = []
    half = WIDTH / 2
    top = STEPS * RISE
    for k in range(STEPS):
        y = RISE * (k + 1)
        boxes.append(_box((-half, half), (0.0, y), (up + k * TREAD, up + (k + 1) * TREAD)))
        boxes.append(_box((-half, half), (0.0, y), (down + (STEPS - 1 - k) * TREAD, down + (STEPS - k) * TREAD)))
    boxes.append(_box((-half, half), (0.0, top), (up + STEPS * TREAD, down)))
    out, run = slope
    side = np.array([out[2], 0.0, -out[0]])
    fall = run * np.tan(SLOPE)
    rim = [start - half * side, start + half * side]
    boxes.append(_plain(-4.0, 3.5))
    boxes.append(_cut(_plain(3.5, 10.0), start, out))
    low = [p + run * out - [0, fall, 0] for p in rim]
    boxes.append((np.array([rim[0], low[0], low[1], rim[1]]), np.array([[0, 1, 2], [0, 2, 3]])))
    yard = [low[0] - 2 * side, low[1] + 2 * side]
    far = [p + 3.5 * out for p in yard]
    boxes.append((np.array([yard[0], far[0], far[1], yard[1]]), np.array([[0, 1, 2], [0, 2, 3]])))
    return _merge(boxes)


def _plain(x0: float, x1: float) -> tuple[Array, NDArray[np.int64]]:
    corners = [[x0, 0.0, -3.0], [x0, 0.0, 17.0], [x1, 0.0, 17.0], [x1, 0.0, -3.0]]
    return np.array(corners), np.array([[0, 1, 2], [0, 2, 3]])


def _box(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> tuple[Array, NDArray[np.int64]]:
    v = np.array([[a, b, c] for a in x for b in y for c in z])
    f = [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3], [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5]]
    return v, np.array(f)


def _cut(plain: tuple[Array, NDArray[np.int64]], at: Array, out: Array) -> tuple[Array, NDArray[np.int64]]:
    """The part of a convex plain that lies before the line through ``at`` across ``out``."""
    ring, kept = plain[0], []
    for a, b in zip(ring, np.roll(ring, -1, 0)):
        da, db = float((a - at) @ out), float((b - at) @ out)
        if da <= 0:
            kept.append(a)
        if da * db < 0:
            kept.append(a + (b - a) * da / (da - db))
    n = len(kept)
    return np.array(kept), np.array([[0, i, i + 1] for i in range(1, n - 1)])


def _merge(parts: list[tuple[Array, NDArray[np.int64]]]) -> Mesh:
    offsets = np.cumsum([0] + [len(v) for v, _ in parts[:-1]])
    return Mesh(
        np.concatenate([v for v, _ in parts]), np.concatenate([f + o for (_, f), o in zip(parts, offsets)]), "demo"
    )
