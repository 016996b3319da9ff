"""Colour and light: figures on a soft-edged ground, as a picture of 8-bit sRGB.

Pixels are drawn twice as fine as the picture and averaged. Colours are linear up to the last line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.raster import Camera, Hits, rasterise, rays, weights
from gambol.shapes import Solid, joined
from gambol.terrain import Terrain

__all__ = ["FINE", "Ground", "Stage", "ground_near", "picture"]

Array = NDArray[np.float64]
Picture = NDArray[np.float32]
FINE = 2  # samples a pixel has along each side
ROWS = 48  # of the picture shaded at once, so that they stay in the cache
SKY_TOP, SKY_LOW = np.array([0.72, 0.76, 0.82]), np.array([0.86, 0.87, 0.89])
SOIL = np.array([0.66, 0.66, 0.645])
TILE, CHECKER = 0.5, 0.08  # m, contrast of the pattern on the ground
KEY, SKYLIGHT, FILL = 0.80, 0.34, 0.12  # strength of the key light, of the sky's and of the light from behind
KEY_FROM = np.array([-0.52, 0.62, 0.59])  # in the camera's axes: the viewer's upper left
CREASE = 0.5  # how dark an edge of the ground is
HIDDEN = 0.42  # how much of an arrow shows through what is before it
SHADOW, CELL = 0.62, 0.025  # strength; m, of the shadow's map


class Ground(NamedTuple):
    """Triangles of the ground: vertices (V, 3) m, faces (T, 3), and the terrain they are of."""

    vertices: Array
    faces: NDArray[np.int64]
    terrain: Terrain

    def within(self, low: Array, high: Array) -> Ground:
        """The triangles whose boxes meet the one from ``low`` to ``high`` (x, z)."""
        corner = self.vertices[:, [0, 2]][self.faces]
        kept = (corner.max(1) >= low).all(-1) & (corner.min(1) <= high).all(-1)
        return self._replace(faces=self.faces[kept])


class Stage(NamedTuple):
    """What one picture shows.

    Attributes:
        ground: what the figures stand on.
        figures: they throw a shadow.
        marks: flat colours on the ground.
        notes: arrows and lines that are seen through everything, fainter where hidden.
        middle: ``(2, 2)`` m, corners (x, z) of the place that is shown; around it the ground fades.
        fade: m from there, where fading begins and ends.
    """

    ground: Ground
    figures: Sequence[Solid]
    marks: Sequence[Solid]
    notes: Sequence[Solid]
    middle: Array
    fade: tuple[float, float]


def ground_near(terrain: Terrain, low: Array, high: Array) -> Ground:
    """The ground between two corners (x, z) m."""
    vertices, faces = terrain.surface(low, high)
    ground = Ground(np.asarray(vertices, float), np.asarray(faces, int), terrain)
    return ground.within(np.asarray(low, float), np.asarray(high, float))


def picture(camera: Camera, stage: Stage) -> NDArray[np.uint8]:
    """``(H, W, 3)`` sRGB; ``camera.size`` is :data:`FINE` times the picture's."""
    reach = stage.fade[1]
    near = stage.ground.within(stage.middle[0] - reach, stage.middle[1] + reach)
    base = rasterise(camera, near.vertices, near.faces)
    solid, notes = joined([*stage.figures, *_faded(stage)]), joined(stage.notes)
    hits = rasterise(camera, solid.points, solid.faces, behind=base, closed=True)
    at, colours = _lit(camera, solid, hits)
    through = np.ones(hits.face.size, np.float32)  # share of each sample that notes leave
    layers = [(at, colours)]
    if len(notes.faces):
        over = rasterise(camera, notes.points, notes.faces, closed=True)
        noted, note_colours = _lit(camera, notes, over)
        share = np.where(over.inverse.reshape(-1)[noted] >= hits.inverse.reshape(-1)[noted], 1.0, HIDDEN)
        through[noted] = 1 - share
        layers = [(at, colours * through[at, None]), (noted, note_colours * share[:, None])]
    free = through.copy()
    free[at] = 0.0
    out = _ground_colours(camera, _Base(stage, near, base), free.reshape(hits.face.shape))
    for samples, paint in layers:
        _add(out, samples, paint)
    return _srgb(out)


def _faded(stage: Stage) -> list[Solid]:
    """The marks, as pale as the ground they lie on."""
    out = []
    for mark in stage.marks:
        x, z = mark.points.mean(0)[[0, 2]]
        cover = float(_cover(stage, x, z))
        if cover > 0.02:
            out.append(mark._replace(colours=SKY_LOW + cover * (mark.colours - SKY_LOW)))
    return out


def _add(out: Picture, samples: NDArray[np.int64], colours: Array) -> None:
    """Add colours (N, 3) of samples, counted along the fine picture, to the pixels they lie in."""
    height, width = out.shape[:2]
    row, column = np.divmod(samples, width * FINE)
    pixel = row // FINE * width + column // FINE
    for c in range(3):
        total = np.bincount(pixel, colours[:, c], height * width).reshape(height, width)
        out[..., c] += (total / FINE**2).astype(np.float32)


def _lit(camera: Camera, solid: Solid, hits: Hits) -> tuple[NDArray[np.int64], Array]:
    """The samples that were hit (N,) and their colours (N, 3): light at the corners, blended between them."""
    at = np.flatnonzero(hits.face >= 0)
    face = hits.face.reshape(-1)[at]
    corners = solid.faces[face]
    share = weights(camera, solid.points, corners, np.divmod(at, hits.face.shape[1]))
    light = _light(camera, solid)[corners]
    return at, solid.colours[face] * (share * light).sum(-1, keepdims=True)


def _light(camera: Camera, solid: Solid) -> Array:
    """(V,) light at vertices: a soft key, the sky from above, a little from behind; 1 where nothing is lit."""
    key = KEY_FROM / np.linalg.norm(KEY_FROM) @ camera.axes
    toward = camera.eye - solid.points
    toward /= np.linalg.norm(toward, axis=-1, keepdims=True)
    facing = (solid.normals * toward).sum(-1)
    wrapped = np.clip((solid.normals @ key + 0.25) / 1.25, 0, None)
    rim = np.clip(1 - np.abs(facing), 0, 1) ** 4
    light = KEY * wrapped + SKYLIGHT * (0.62 + 0.38 * solid.normals[:, 1]) + FILL * rim
    return np.where(np.abs(solid.normals).sum(-1) > 0, light, 1.0)


class _Base(NamedTuple):
    """The ground as it was hit."""

    stage: Stage
    ground: Ground
    hits: Hits


def _ground_colours(camera: Camera, base: _Base, free: Picture) -> Picture:
    """(H, W, 3) ground before sky, at the size of the picture, each sample as far as it is ``free``.

    Colour is linear in two numbers, how much ground there is and how bright it is: they are averaged first.
    """
    height, width = (n // FINE for n in free.shape)
    bright, cover = np.empty((2, height, width), np.float32)
    light, level = _ground_light(camera, base.ground)
    shadow = _Shadow.under(base.stage)
    for start in range(0, height, ROWS):
        rows = slice(start * FINE, (start + ROWS) * FINE)
        tone, seen = _tones(camera, base, rows, (light, level, shadow))
        seen *= free[rows]
        tone *= seen
        bright[start : start + ROWS], cover[start : start + ROWS] = _averaged(tone), _averaged(seen)
    sky = SKY_LOW + (SKY_TOP - SKY_LOW) * np.linspace(1, 0, height)[:, None] ** 1.5
    back = (_averaged(free) - cover)[..., None]
    return back * sky[:, None].astype(np.float32) + bright[..., None] * SOIL.astype(np.float32)


def _tones(
    camera: Camera, base: _Base, rows: slice, lights: tuple[Picture, Picture, _Shadow]
) -> tuple[Picture, Picture]:
    """Brightness of the ground in some rows of samples, and how much of it is seen."""
    across, down = (r.astype(np.float32) for r in rays(camera))
    inverse, face = base.hits.inverse[rows], base.hits.face[rows]
    depth = 1 / np.maximum(inverse, np.float32(1e-4))
    x, z = (depth * (across[:, k] + down[rows, None, k]) + np.float32(camera.eye[k]) for k in (0, 2))
    # far from 0, so that cutting off the fraction is rounding down
    odd = (x * (1 / TILE) + np.float32(4096.001)).astype(np.int32)
    odd ^= (z * (1 / TILE) + np.float32(4096.001)).astype(np.int32)
    tone = lights[0][2 * face + (odd & 1)]
    if len(base.ground.faces) > 2:
        tone *= 1 - _creases(camera, base.hits.inverse, rows)
    lights[2].darken(tone, (x, z), lights[1], face)
    return tone, _cover(base.stage, x, z) * (face >= 0)


def _ground_light(camera: Camera, ground: Ground) -> tuple[Picture, Picture]:
    """Light of every face on even and on odd tiles (2 (T + 1),), how level it is (T + 1,); the last is of none."""
    corner = ground.vertices[ground.faces]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-12)
    normal *= np.where(((camera.eye - corner[:, 0]) * normal).sum(-1, keepdims=True) < 0, -1.0, 1.0)
    # treads are bright, risers darker, and those that look to the right of the picture a little more
    light = 0.50 + 0.50 * np.clip(normal[:, 1], 0, 1) ** 1.5
    light += (0.08 * (normal @ camera.axes[2]) - 0.12 * (normal @ camera.axes[0])) * (1 - normal[:, 1])
    odd = light * (1 - CHECKER * (normal[:, 1] > 0.5))
    both = np.append(np.stack([light, odd], -1).reshape(-1), [1.0, 1.0])
    return both.astype(np.float32), np.append(np.clip(normal[:, 1], 0, 1), 0.0).astype(np.float32)


def _creases(camera: Camera, inverse: Picture, rows: slice) -> Picture:
    """Darkness of the edges of the ground in some rows.

    1 / depth is linear over a plane, so its second difference tells where one ends, however steeply it is seen.
    """
    low, high = max(rows.start - 1, 0), min(rows.stop + 1, len(inverse))
    a = inverse[low:high]
    bend = np.zeros_like(a)
    np.abs(a[2:] - 2 * a[1:-1] + a[:-2], out=bend[1:-1])
    np.maximum(bend[:, 1:-1], np.abs(a[:, 2:] - 2 * a[:, 1:-1] + a[:, :-2]), out=bend[:, 1:-1])
    bend *= np.float32(0.55 * camera.focal)
    bend /= a + np.float32(1e-6)
    bend -= np.float32(0.10)
    return np.clip(bend, 0, CREASE)[rows.start - low : rows.stop - low]


def _cover(stage: Stage, x: Picture, z: Picture) -> Picture:
    """How much of the ground is seen at x, z: 1 near the middle, 0 far away."""
    (x0, z0), (x1, z1) = stage.middle.astype(np.float32)
    start, end = (np.float32(r * r) for r in stage.fade)
    dx = np.abs(x - (x0 + x1) / 2) - (x1 - x0) / 2
    dz = np.abs(z - (z0 + z1) / 2) - (z1 - z0) / 2
    away = np.maximum(dx, 0) ** 2 + np.maximum(dz, 0) ** 2
    t = np.clip((end - away) / (end - start), 0, 1)
    return t * t * (3 - 2 * t)


class _Shadow(NamedTuple):
    """A soft shadow as a map over the ground: lower corner (x, z) m, cell m, darkness (N, M)."""

    low: Array
    cell: float
    dark: Picture

    @classmethod
    def under(cls, stage: Stage) -> _Shadow:
        """The shadow of the figures: every part a blur, the wider and fainter the higher it is above the ground."""
        if not stage.figures:
            return cls(np.zeros(2), CELL, np.zeros((1, 1), np.float32))
        points = np.concatenate([f.points[:: max(len(f.points) // 400, 1)] for f in stage.figures])
        share = 400 * len(stage.figures) / len(points)
        floor = stage.ground.terrain.height(points[:, [0, 2]], points[:, 1])
        above = np.maximum(np.nan_to_num(points[:, 1] - floor), 0.0)
        wide = 0.045 + 0.30 * above
        at = points[:, [0, 2]]
        low, high = at.min(0) - 0.9, at.max(0) + 0.9
        cell = max(CELL, float((high - low).max()) / 600)
        size = np.ceil((high - low) / cell).astype(int) + 2
        falls = [np.exp(-0.5 * ((low[k] + cell * np.arange(size[k])[:, None] - at[:, k]) / wide) ** 2) for k in (0, 1)]
        # exp is a product over the axes, so the sum over all parts is one matrix product
        dark = (falls[0] * (share * 5.0e-4 / wide**2)) @ falls[1].T
        return cls(low, cell, (SHADOW * (1 - np.exp(-dark * 0.9))).astype(np.float32))

    def darken(self, tone: Picture, place: tuple[Picture, Picture], level: Picture, face: NDArray[np.int32]) -> None:
        """Multiply ``tone`` by the light that is left at a place (x, z); walls have none of the shadow."""
        i, j = ((at - np.float32(low)) / np.float32(self.cell) for at, low in zip(place, self.low))
        inside = (i >= 0) & (i < self.dark.shape[0] - 1) & (j >= 0) & (j < self.dark.shape[1] - 1)
        at = np.flatnonzero(inside)
        i, j = i.reshape(-1)[at], j.reshape(-1)[at]
        a, b = i.astype(np.int32), j.astype(np.int32)
        u, v = i - a, j - b
        d, k = self.dark.reshape(-1), a * self.dark.shape[1] + b
        right = k + self.dark.shape[1]
        dark = (1 - u) * ((1 - v) * d[k] + v * d[k + 1]) + u * ((1 - v) * d[right] + v * d[right + 1])
        tone.reshape(-1)[at] *= 1 - dark * level[face.reshape(-1)[at]]


def _averaged(fine: Picture) -> Picture:
    """The mean of every FINE x FINE samples of (H, W)."""
    rows = fine.reshape(-1, FINE, fine.shape[1]).sum(1)
    out: Picture = sum(rows[:, k::FINE] for k in range(FINE)) / np.float32(FINE**2)
    return out


def _srgb(linear: Picture) -> NDArray[np.uint8]:
    """8-bit sRGB of linear colours, by a table."""
    steps = np.linspace(0, 1, 4096)
    table = np.where(steps <= 0.0031308, 12.92 * steps, 1.055 * steps ** (1 / 2.4) - 0.055) * 255 + 0.5
    out: NDArray[np.uint8] = table.astype(np.uint8)[(np.clip(linear, 0, 1) * 4095 + 0.5).astype(np.int16)]
    return out
