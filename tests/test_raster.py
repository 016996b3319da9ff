"""The rasteriser: known silhouettes, depth, clipping, and perspective."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambol.raster import look_at, project, rasterise, rays, weights

SQUARE = np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
FACES = np.array([[0, 1, 2], [0, 2, 3]])


def camera(distance: float = 10.0, size: tuple[int, int] = (200, 200)):
    return look_at([0, 0, distance], [0, 0, 0], 2 * np.arctan(0.2), size)


def sphere(rings: int = 48, sides: int = 96):
    """Unit sphere, faces counterclockwise from outside."""
    a, b = np.meshgrid(np.linspace(0, np.pi, rings + 1), np.arange(sides) * 2 * np.pi / sides, indexing="ij")
    points = np.stack([np.sin(a) * np.sin(b), np.cos(a), np.sin(a) * np.cos(b)], -1).reshape(-1, 3)
    i, k = np.meshgrid(np.arange(rings) * sides, np.arange(sides), indexing="ij")
    n = (k + 1) % sides
    faces = np.stack([i + k, i + sides + k, i + sides + n, i + k, i + sides + n, i + n], -1)
    return points, faces.reshape(-1, 3)


@pytest.mark.parametrize("size", [(60, 60), (200, 200), (400, 400)])  # small triangles and large ones
def test_a_square_covers_its_pixels(size):
    """2 m seen from 10 m through a field of 4 m: half of each side."""
    face = rasterise(camera(size=size), SQUARE, FACES).face
    rows, columns = np.nonzero(face >= 0)
    quarter = size[0] // 4
    box = (rows.min(), rows.max(), columns.min(), columns.max())
    assert box == (quarter, 3 * quarter - 1, quarter, 3 * quarter - 1)
    assert (face >= 0).sum() == 4 * quarter**2


@given(st.tuples(*[st.floats(-0.999, 0.999)] * 2), st.sampled_from([60, 200, 400]))
def test_neighbouring_triangles_leave_no_gap(inner, size):
    points = np.concatenate([SQUARE, [[*inner, 0.0]]])
    fan = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    assert (rasterise(camera(size=(size, size)), points, fan).face >= 0).sum() == (size // 2) ** 2


def test_a_sphere_has_the_silhouette_of_its_tangent_cone():
    """Seen from d, a unit sphere is a disc of radius f / sqrt(d2 - 1)."""
    view = camera(5.0, (240, 180))
    face = rasterise(view, *sphere(), closed=True).face
    rows, columns = np.nonzero(face >= 0)
    radius = view.focal / np.sqrt(24)
    away = np.hypot(columns + 0.5 - 120, rows + 0.5 - 90)
    assert away.max() < radius + 0.1
    assert len(rows) == pytest.approx(np.pi * radius**2, rel=0.01)


def test_of_a_closed_surface_the_back_never_shows():
    view = camera(5.0)
    a, b = (rasterise(view, *sphere(), closed=c) for c in (True, False))
    assert np.array_equal(a.face, b.face)
    points, faces = sphere()
    assert (rasterise(view, points, faces[:, ::-1], closed=True).inverse <= a.inverse + 1e-6)[a.face >= 0].all()


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
@pytest.mark.parametrize("size", [40, 200])
def test_the_nearer_hides_the_farther(order, size):
    near = SQUARE * 0.5 + [0, 0, 2.0]
    points = np.concatenate([[SQUARE, near][k] for k in order])
    hits = rasterise(camera(size=(size, size)), points, np.concatenate([FACES, FACES + 4]))
    assert order[hits.face[size // 2, size // 2] // 2] == 1
    assert 1 / hits.inverse[size // 2, size // 2] == pytest.approx(8.0)


def test_what_was_drawn_before_hides_what_lies_behind_it():
    first = rasterise(camera(), SQUARE, FACES)
    behind = rasterise(camera(), SQUARE - [0, 0, 1.0], FACES, behind=first)
    before = rasterise(camera(), SQUARE * 0.5 + [0, 0, 1.0], FACES, behind=first)
    assert (behind.face == -1).all() and np.array_equal(behind.inverse, first.inverse)
    assert (before.face >= 0).any() and first.face[100, 100] >= 0


def test_depth_and_weights_give_back_the_point_that_a_pixel_shows():
    """Three ways to one point of a slanted triangle: along the ray, by corner weights, and by projecting again."""
    points = np.array([[-1.0, -1, 0], [1, -1, 3.0], [0, 1.2, -2.0]])
    view = camera()
    hits = rasterise(view, points, np.array([[0, 1, 2]]))
    rows, columns = np.nonzero(hits.face == 0)
    across, down = rays(view)
    on_ray = view.eye + (across[columns] + down[rows]) / hits.inverse[rows, columns, None]
    share = weights(view, points, np.tile([0, 1, 2], (len(rows), 1)), (rows, columns))
    assert np.abs(share @ points - on_ray).max() < 1e-4
    pixels, depth = project(view, share @ points)
    assert np.abs(pixels - np.stack([columns + 0.5, rows + 0.5], -1)).max() < 1e-6
    assert np.abs(depth * hits.inverse[rows, columns] - 1).max() < 1e-5


def test_a_floor_that_runs_under_the_camera_is_cut_and_fills_the_lower_half():
    floor = np.array([[-1e3, -1, -1e3], [-1e3, -1, 1e3], [1e3, -1, 1e3], [1e3, -1, -1e3]])
    hits = rasterise(camera(), floor, FACES)
    assert (hits.face[102:] >= 0).all() and (hits.face[:100] == -1).all()


def test_behind_the_camera_nothing_is_drawn():
    hits = rasterise(camera(), SQUARE + [0, 0, 20.0], FACES)
    assert (hits.face == -1).all() and (hits.inverse == 0).all()


def test_nothing_to_draw():
    assert (rasterise(camera(), np.zeros((0, 3)), np.zeros((0, 3), int)).face == -1).all()
