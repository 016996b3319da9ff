"""A small software rasteriser: triangles to pixels with a depth buffer, in numpy.

All triangles are handled at once: every pixel of every triangle's bounding box is one row of a table, rows inside
their triangle compete for the pixel by depth. No GPU and no window.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Camera", "Hits", "look_at", "project", "rasterise"]

Array = NDArray[np.float64]
CHUNK = 4_000_000  # table rows worked on at once
NEAR = 0.05  # m


class Camera(NamedTuple):
    """A perspective camera: where it is, its axes (rows right, up, back), focal length in pixels, and picture size."""

    eye: Array
    axes: Array
    focal: float
    size: tuple[int, int]  # width, height


class Hits(NamedTuple):
    """What each pixel shows: face index (-1 nothing), its barycentric weights of corners 1 and 2, and depth m."""

    face: NDArray[np.int64]  # (H, W)
    u: Array
    v: Array
    depth: Array


def look_at(eye: ArrayLike, target: ArrayLike, view: float, size: tuple[int, int]) -> Camera:
    """A camera at ``eye`` looking at ``target`` with a vertical view of ``view`` rad."""
    eye, target = np.asarray(eye, float), np.asarray(target, float)
    back = eye - target
    back = back / np.linalg.norm(back)
    helper = np.array([0.0, 1.0, 0.0]) if abs(back[1]) < 0.999 else np.array([0.0, 0.0, 1.0])
    right = np.cross(helper, back)
    right /= np.linalg.norm(right)
    return Camera(eye, np.stack([right, np.cross(back, right), back]), size[1] / (2 * np.tan(view / 2)), size)


def project(camera: Camera, points: Array) -> tuple[Array, Array]:
    """Pixels (V, 2) and depths (V,) m of points (V, 3)."""
    local = (points - camera.eye) @ camera.axes.T
    depth = -local[:, 2]
    safe = np.maximum(depth, NEAR)
    width, height = camera.size
    pixels = np.stack(
        [width / 2 + camera.focal * local[:, 0] / safe, height / 2 - camera.focal * local[:, 1] / safe], -1
    )
    return pixels, depth


def rasterise(camera: Camera, points: Array, faces: NDArray[np.int64]) -> Hits:
    """The nearest face behind every pixel. Faces with a corner behind the camera are left out."""
    width, height = camera.size
    pixels, depth = project(camera, points)
    corner, far = pixels[faces], depth[faces]
    low = np.maximum(np.ceil(corner.min(1) - 0.5), 0).astype(int)
    high = np.minimum(np.floor(corner.max(1) - 0.5), [width - 1, height - 1]).astype(int)
    span = np.maximum(high - low + 1, 0)
    count = np.where((far > NEAR).all(1), span[:, 0] * span[:, 1], 0)
    best = np.full(width * height, np.inf)
    face = np.full(width * height, -1)
    u, v = np.zeros(width * height), np.zeros(width * height)
    for chunk in _chunks(count):
        found = _covered(corner, 1.0 / np.maximum(far, NEAR), (low, span, count), chunk, width)
        _compete((best, face, u, v), found)
    shape = (height, width)
    return Hits(face.reshape(shape), u.reshape(shape), v.reshape(shape), best.reshape(shape))


def _chunks(count: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    drawn = np.flatnonzero(count)
    part = np.cumsum(count[drawn]) // CHUNK
    return [drawn[part == k] for k in np.unique(part)]


def _covered(
    corner: Array, near: Array, boxes: tuple[Array, Array, Array], which: Array, width: int
) -> tuple[Array, ...]:
    """Rows (pixel index, face, u, v, depth) of the pixels inside the triangles ``which``."""
    low, span, count = boxes
    tri = np.repeat(which, count[which])
    start = np.cumsum(count[which]) - count[which]
    offset = np.arange(len(tri)) - np.repeat(start, count[which])
    column = low[tri, 0] + offset % span[tri, 0]
    row = low[tri, 1] + offset // span[tri, 0]
    a, b, c = corner[:, 0], corner[:, 1], corner[:, 2]
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1])
    scale = 1.0 / np.where(np.abs(area) > 1e-12, area, np.inf)
    x, y = column + 0.5 - a[tri, 0], row + 0.5 - a[tri, 1]
    s = (x * (c[tri, 1] - a[tri, 1]) - y * (c[tri, 0] - a[tri, 0])) * scale[tri]
    t = (y * (b[tri, 0] - a[tri, 0]) - x * (b[tri, 1] - a[tri, 1])) * scale[tri]
    inside = (s >= 0) & (t >= 0) & (s + t <= 1) & (scale[tri] != 0)
    tri, s, t = tri[inside], s[inside], t[inside]
    # what varies evenly over the picture is 1 / depth
    inverse = near[tri, 0] * (1 - s - t) + near[tri, 1] * s + near[tri, 2] * t
    pixel = row[inside] * width + column[inside]
    return pixel, tri, s * near[tri, 1] / inverse, t * near[tri, 2] / inverse, 1.0 / inverse


def _compete(buffers: tuple[Array, ...], rows: tuple[Array, ...]) -> None:
    """Keep the nearest row of each pixel (of equals, the first face)."""
    best, face, u, v = buffers
    pixel, tri, s, t, depth = rows
    order = np.lexsort((tri, depth, pixel))
    pixel = pixel[order]
    first = np.r_[True, pixel[1:] != pixel[:-1]] if len(pixel) else np.zeros(0, bool)
    chosen, pixel = order[first], pixel[first]
    nearer = depth[chosen] < best[pixel]
    chosen, pixel = chosen[nearer], pixel[nearer]
    best[pixel], face[pixel], u[pixel], v[pixel] = depth[chosen], tri[chosen], s[chosen], t[chosen]
