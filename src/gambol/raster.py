"""A small software rasteriser: triangles to pixels with a depth buffer, in numpy. No GPU and no window.

A triangle is cut into spans, one a row of pixels. Large triangles fill their rows slice by slice; small ones are
drawn together, as one table of pixels that compete by depth. What is linear on the screen is not the depth but its
inverse, so the buffer holds 1 / depth and the largest wins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Camera", "Hits", "look_at", "project", "rasterise", "rays", "weights"]

Array = NDArray[np.float64]
NEAR = 0.05  # m; what is nearer than this is cut away
LARGE = 3000  # pixels of a triangle's box from which on it is filled slice by slice
SLICE = 32  # rows of it at a time
TOUCH = 1e-6  # pixels by which neighbours overlap, so that rounding leaves no crack


class Camera(NamedTuple):
    """A perspective camera.

    Attributes:
        eye: ``(3,)`` m, where it is.
        axes: ``(3, 3)``, rows right, up and back.
        focal: pixels.
        size: width and height, pixels.
    """

    eye: Array
    axes: Array
    focal: float
    size: tuple[int, int]


class Hits(NamedTuple):
    """What each pixel shows.

    Attributes:
        face: ``(H, W)`` index of the nearest face, -1 where there is none.
        inverse: ``(H, W)`` 1/m, inverse of the depth along the view; 0 where there is nothing.
    """

    face: NDArray[np.int32]
    inverse: NDArray[np.float32]


class _Flat(NamedTuple):
    """Triangles on the screen: edges (T, 3, 3) and 1/depth (T, 3) as a x + b y + c, row range, whose they are."""

    edges: Array
    plane: Array
    low: NDArray[np.int64]  # (T, 2) first column and row
    high: NDArray[np.int64]  # (T, 2) last column and row
    face: NDArray[np.int64]


def look_at(eye: ArrayLike, target: ArrayLike, field: float, size: tuple[int, int]) -> Camera:
    """A camera at ``eye`` that looks at ``target`` (m), with a vertical field of ``field`` rad."""
    eye, target = np.asarray(eye, float), np.asarray(target, float)
    back = (eye - target) / np.linalg.norm(eye - target)
    helper = np.array([0.0, 1.0, 0.0]) if abs(back[1]) < 0.9999 else np.array([0.0, 0.0, 1.0])
    right = np.cross(helper, back)
    right /= np.linalg.norm(right)
    return Camera(eye, np.stack([right, np.cross(back, right), back]), size[1] / (2 * np.tan(field / 2)), size)


def project(camera: Camera, points: Array) -> tuple[Array, Array]:
    """Pixels ``(..., 2)`` (x right, y down) and depths ``(...)`` m of points ``(..., 3)`` before the camera."""
    seen = _seen(camera, points)
    return _pixels(camera, seen), seen[..., 2]


def rays(camera: Camera) -> tuple[Array, Array]:
    """``(W, 3)`` and ``(H, 3)``: a pixel at depth d shows ``eye + d (columns[x] + rows[y])``."""
    width, height = camera.size
    right, up, back = camera.axes
    across = (np.arange(width) + 0.5 - width / 2) / camera.focal
    down = (np.arange(height) + 0.5 - height / 2) / camera.focal
    return across[:, None] * right, -down[:, None] * up - back


def rasterise(
    camera: Camera, points: Array, faces: NDArray[np.int64], *, behind: Hits | None = None, closed: bool = False
) -> Hits:
    """The nearest face of every pixel.

    Args:
        camera: where it is seen from.
        points: ``(V, 3)`` m.
        faces: ``(T, 3)``.
        behind: what was drawn before: a face shows only where it is nearer.
        closed: leave out faces that are clockwise from here, as those at the back of a closed surface are.
    """
    width, height = camera.size
    inverse = np.zeros((height, width), np.float32) if behind is None else behind.inverse.copy()
    hits = Hits(np.full((height, width), -1, np.int32), inverse)
    corners, face = _clipped(_seen(camera, points)[np.asarray(faces, int).reshape(-1, 3)])
    flat = _flattened(camera, corners, face, closed)
    box = np.prod(flat.high - flat.low + 1, -1)
    for t in np.flatnonzero(box > LARGE):
        _fill(hits, flat, int(t))
    _scatter(hits, flat, np.flatnonzero(box <= LARGE))
    return hits


def weights(camera: Camera, points: Array, corners: NDArray[np.int64], at: tuple[NDArray, NDArray]) -> Array:
    """Shares of the corners of triangles in what pixels show of them, by perspective.

    Args:
        camera: where it is seen from.
        points: ``(V, 3)`` m.
        corners: ``(N, 3)`` indices of the corners of the triangle at each pixel.
        at: row and column ``(N,)`` of the pixels.

    Returns:
        ``(N, 3)``, 1 in sum.
    """
    pixels, depth = project(camera, points)
    a, b, c = (pixels[corners[:, k]] for k in range(3))
    edge, other = b - a, c - a
    x, y = at[1] + 0.5 - a[:, 0], at[0] + 0.5 - a[:, 1]
    area = edge[:, 0] * other[:, 1] - edge[:, 1] * other[:, 0]
    s = np.clip((x * other[:, 1] - y * other[:, 0]) / area, 0, 1)
    t = np.clip((edge[:, 0] * y - edge[:, 1] * x) / area, 0, 1)
    shares = np.stack([1 - s - t, s, t], -1) / depth[corners]
    return shares / shares.sum(-1, keepdims=True)


def _seen(camera: Camera, points: Array) -> Array:
    """Right, up, depth of points."""
    return (np.asarray(points, float) - camera.eye) @ (camera.axes * [[1.0], [1.0], [-1.0]]).T


def _pixels(camera: Camera, seen: Array) -> Array:
    scale = camera.focal / np.maximum(seen[..., 2:], NEAR)
    return seen[..., :2] * scale * [1.0, -1.0] + np.array(camera.size) / 2


def _clipped(corners: Array) -> tuple[Array, NDArray[np.int64]]:
    """Triangles (T, 3, 3) cut at the near plane, and the index of the face each comes from."""
    front = corners[..., 2] > NEAR
    count, face = front.sum(1), np.arange(len(corners))
    parts = [(corners[count == 3], face[count == 3])]
    for n in (1, 2):
        some = np.flatnonzero(count == n)
        if not len(some):
            continue
        odd = (front[some] if n == 1 else ~front[some]).argmax(1)  # the corner that is alone on its side
        a, b, c = (corners[some, (odd + k) % 3] for k in range(3))
        ab, ac = _cut(a, b), _cut(a, c)
        made = [(a, ab, ac)] if n == 1 else [(ab, b, c), (ab, c, ac)]
        parts += [(np.stack(m, 1), some) for m in made]
    return np.concatenate([p for p, _ in parts]), np.concatenate([f for _, f in parts])


def _cut(a: Array, b: Array) -> Array:
    """Where the edges a to b cross the near plane, a little before it."""
    share = (NEAR * 1.001 - a[:, 2]) / (b[:, 2] - a[:, 2])
    return a + share[:, None] * (b - a)


def _flattened(camera: Camera, corners: Array, face: NDArray[np.int64], closed: bool) -> _Flat:
    """Edges, positive inside, and the plane of 1/depth of the triangles that can be seen."""
    p = _pixels(camera, corners)
    nxt = np.roll(p, -1, 1)
    edges = np.stack([nxt[..., 1] - p[..., 1], p[..., 0] - nxt[..., 0]], -1)  # (T, 3, 2), across each edge
    edges = np.concatenate([edges, -(edges * p).sum(-1, keepdims=True)], -1)
    area = (edges[:, 0] * np.concatenate([p[:, 2], np.ones((len(p), 1))], 1)).sum(-1)
    low = np.maximum(np.ceil(p.min(1) - 0.5 - TOUCH), 0)
    high = np.minimum(np.floor(p.max(1) - 0.5 + TOUCH), np.array(camera.size) - 1)
    # on the screen y runs down, so what is counterclockwise in space has a positive area here
    kept = (high >= low).all(1) & ((area > 1e-9) if closed else (np.abs(area) > 1e-9))
    edges, area = edges[kept], area[kept, None, None]
    shares = np.roll(edges, -1, 1) / area  # row k is 1 at corner k and 0 on the edge opposite to it
    plane = (shares / corners[kept, :, 2, None]).sum(1)
    return _Flat(edges * np.sign(area), plane, low[kept].astype(int), high[kept].astype(int), face[kept])


def _spans(edges: Array, y: NDArray, low: NDArray, high: NDArray) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last column of rows at ``y`` (N,) inside edges (..., 3, 3); last < first where empty."""
    slope, value = edges[..., 0], edges[..., 1] * y[:, None] + edges[..., 2]
    steep = np.abs(slope) > 1e-12
    at = -value / np.where(steep, slope, 1.0)
    first = np.where(steep & (slope > 0), at, -np.inf).max(-1)
    last = np.where(steep & (slope < 0), at, np.inf).min(-1)
    last = np.where((~steep & (value < -TOUCH)).any(-1), -np.inf, last)
    first = np.maximum(np.ceil(np.maximum(first, -1.0) - 0.5 - TOUCH), low)
    return first.astype(int), np.minimum(np.floor(np.maximum(last, -2.0) - 0.5 + TOUCH), high).astype(int)


def _fill(hits: Hits, flat: _Flat, t: int) -> None:
    """Draw one large triangle, some rows at a time, so that the box of a slanted one is not all looked at."""
    rows = np.arange(flat.low[t, 1], flat.high[t, 1] + 1)
    first, last = _spans(flat.edges[t], rows + 0.5, flat.low[t, 0], flat.high[t, 0])
    a, b, c = flat.plane[t]
    base = (b * (rows + 0.5) + c + 0.5 * a).astype(np.float32)[:, None]
    for k in range(0, len(rows), SLICE):
        part = slice(k, k + SLICE)
        filled = last[part] >= first[part]
        if not filled.any():
            continue
        x0, x1 = int(first[part][filled].min()), int(last[part][filled].max()) + 1
        column = np.arange(x0, x1, dtype=np.int32)
        box = (slice(rows[k], rows[k] + len(first[part])), slice(x0, x1))
        depth = base[part] + (a * column).astype(np.float32)
        wins = depth > hits.inverse[box]
        wins &= column >= first[part, None].astype(np.int32)
        wins &= column <= last[part, None].astype(np.int32)
        np.copyto(hits.inverse[box], depth, where=wins)
        np.copyto(hits.face[box], np.int32(flat.face[t]), where=wins)


def _scatter(hits: Hits, flat: _Flat, which: NDArray[np.int64]) -> None:
    """Draw many small triangles."""
    tri, row = _runs(flat.low[which, 1], flat.high[which, 1])
    tri = which[tri]
    first, last = _spans(flat.edges[tri], row + 0.5, flat.low[tri, 0], flat.high[tri, 0])
    span, column = _runs(first, last)
    plane = flat.plane[tri]
    base = plane[:, 1] * (row + 0.5) + plane[:, 2] + 0.5 * plane[:, 0]
    depth = (base[span] + plane[span, 0] * column).astype(np.float32)
    pixel = (row * hits.face.shape[1])[span] + column
    inverse, face = hits.inverse.reshape(-1), hits.face.reshape(-1)
    nearer = np.flatnonzero(depth > inverse[pixel])
    pixel, depth, span = pixel[nearer], depth[nearer], span[nearer]
    np.maximum.at(inverse, pixel, depth)
    wins = depth == inverse[pixel]
    # of equals the last is kept: numpy assigns repeated indices in order
    face[pixel[wins]] = flat.face[tri[span[wins]]]


def _runs(first: NDArray[np.int64], last: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The whole numbers first..last of every pair in one row: whose each is, and what it is."""
    count = np.maximum(last - first + 1, 0)
    whose = np.repeat(np.arange(len(count)), count)
    start = np.cumsum(count) - count
    return whose, np.arange(len(whose)) + (first - start)[whose]
