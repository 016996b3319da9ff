"""Corners rounded: the radius asked for, however the line was drawn."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.path import Path, walkable


def right_angle(spacing: float, leg: float = 5.0) -> np.ndarray:
    a = np.arange(0, leg + 1e-9, spacing)
    return np.array([[0, 0, z] for z in a] + [[x, 0, leg] for x in a[1:]])


def ring(count: int, radius: float) -> np.ndarray:
    a = np.arange(count) * 2 * np.pi / count
    return radius * np.stack([np.cos(a), 0 * a, np.sin(a)], -1)


def off_the_line(points: np.ndarray, line: np.ndarray) -> np.ndarray:
    """(N,) m, horizontal distance of each point from a polyline."""
    p, a, d = points[:, None, [0, 2]], line[:-1, [0, 2]], np.diff(line[:, [0, 2]], axis=0)
    share = np.clip(np.sum((p - a) * d, -1) / np.sum(d * d, -1), 0, 1)
    return np.linalg.norm(p - a - share[..., None] * d, axis=-1).min(1)


def evenly(path: Path) -> np.ndarray:
    return np.linspace(0.0, path.length, 4001)


@pytest.mark.parametrize("radius", [0.8, 1.2])
@pytest.mark.parametrize("degrees", [45, 60, 90, 110, 120])
def test_a_corner_with_room_gets_the_radius_asked_for(degrees, radius):
    a, leg = np.radians(degrees), 5.0
    path = walkable([[0, 0, 0], [0, 0, leg], [leg * np.sin(a), 0, leg + leg * np.cos(a)]], radius=radius)
    k = path.curvature(evenly(path))
    assert path.pivots == () and k.max() == pytest.approx(1 / radius, rel=0.08) and k.min() > -0.01
    assert np.abs(np.gradient(k, evenly(path))).max() < 5.0  # 1/m2: the radius is reached over 25 cm and more


@pytest.mark.parametrize("spacing", [2.5, 1.0, 0.5, 0.2, 0.1, 0.05, 0.04, 0.02, 0.01])
def test_however_densely_a_corner_is_drawn_it_is_the_same(spacing):
    path, plain = walkable(right_angle(spacing)), walkable(right_angle(5.0))
    assert path.pivots == () and path.length == pytest.approx(plain.length, abs=0.01)
    assert np.abs(path.point(evenly(plain)) - plain.point(evenly(plain))).max() < 0.02
    assert path.curvature(evenly(path)).max() < 1 / 0.75


@pytest.mark.parametrize("tremble", [0.002, 0.005, 0.01])
@pytest.mark.parametrize("spacing", [0.02, 0.05, 0.1, 0.2])
def test_a_trembling_hand_makes_no_corners(spacing, tremble):
    rng = np.random.default_rng(3)
    for points in (right_angle(spacing), ring(int(19 / spacing), 3.0)[:-2]):
        path = walkable(points + rng.normal(0, tremble, points.shape) * [1, 0, 1])
        assert path.pivots == ()
        assert off_the_line(path.points, points).max() < 0.3


@pytest.mark.parametrize(("count", "radius"), [(12, 3.0), (12, 1.5), (8, 2.0), (24, 2.0), (97, 3.0), (200, 2.0)])
def test_a_circle_of_points_is_a_curve(count, radius):
    """Nowhere more than 8 cm within what was drawn."""
    drawn = ring(count, radius)
    path = walkable(drawn, closed=True)
    assert path.closed and path.pivots == ()
    assert max(np.linalg.norm((path.points - p)[:, [0, 2]], axis=1).min() for p in drawn) <= 0.08
    k = np.abs(path.curvature(evenly(path)))
    assert k.max() < 1.1 / (radius - 0.03) if count >= 24 else k.max() < 1 / 0.8


def test_there_and_back_is_turned_on_the_spot():
    path = walkable([[0, 0, 0], [0, 0, 5], [0, 0, 0]])
    assert path.pivots == pytest.approx([5.0]) and path.length == pytest.approx(10.0)
