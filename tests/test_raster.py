"""The rasteriser: known silhouettes, depth, and perspective."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.raster import look_at, project, rasterise

SQUARE = np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
FACES = np.array([[0, 1, 2], [0, 2, 3]])


def camera(distance: float = 10.0, size: tuple[int, int] = (200, 200)):
    return look_at([0, 0, distance], [0, 0, 0], 2 * np.arctan(0.2), size)


def test_a_square_covers_its_pixels():
    """2 m seen from 10 m through a field of 4 m: half of each side."""
    face = rasterise(camera(), SQUARE, FACES).face
    rows, columns = np.nonzero(face >= 0)
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (50, 149, 50, 149)
    assert (face >= 0).sum() == 100 * 100


def test_every_pixel_of_a_closed_surface_is_covered_once():
    """Neighbouring triangles leave no gap along the edge they share."""
    rng = np.random.default_rng(3)
    inner = rng.uniform(-1, 1, 2)
    points = np.concatenate([SQUARE, [[*inner, 0.0]]])
    fan = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    assert (rasterise(camera(), points, fan).face >= 0).sum() == 100 * 100


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_the_nearer_hides_the_farther(order):
    near = SQUARE * 0.5 + [0, 0, 2.0]
    points = np.concatenate([[SQUARE, near][k] for k in order])
    hits = rasterise(camera(), points, np.concatenate([FACES, FACES + 4]))
    owner = hits.face[100, 100] // 2
    assert order[owner] == 1
    assert hits.depth[100, 100] == pytest.approx(8.0)


def test_corner_weights_are_perspective_correct():
    """The weights of a slanted triangle give back the point that the pixel's ray meets."""
    points = np.array([[-1.0, -1, 0], [1, -1, 3.0], [0, 1.2, -2.0]])
    view = camera()
    hits = rasterise(view, points, np.array([[0, 1, 2]]))
    rows, columns = np.nonzero(hits.face == 0)
    u, v = hits.u[rows, columns], hits.v[rows, columns]
    at = points[0] * (1 - u - v)[:, None] + points[1] * u[:, None] + points[2] * v[:, None]
    pixels, depth = project(view, at)
    assert np.abs(pixels - np.stack([columns + 0.5, rows + 0.5], -1)).max() < 1e-6
    assert np.abs(depth - hits.depth[rows, columns]).max() < 1e-9


def test_behind_the_camera_nothing_is_drawn():
    assert (rasterise(camera(), SQUARE + [0, 0, 20.0], FACES).face == -1).all()
