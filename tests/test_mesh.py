"""Ground of triangles: what must not change its heights, and the worst of triangles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambol.errors import GambolError
from gambol.mesh import STEP_UP, Mesh
from gambol.terrain import Stairs

SEEDS = st.integers(0, 10**6)


def hills(seed=0, n=12):
    """Vertices and faces of rough ground 6 m wide, and of a level floor 3 m above half of it."""
    rng = np.random.default_rng(seed)
    x, z = np.meshgrid(np.linspace(-3, 3, n), np.linspace(-3, 3, n))
    v = np.stack([x, rng.uniform(0, 0.4, (n, n)), z], -1).reshape(-1, 3)
    a = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    f = np.concatenate([np.stack([a, a + n, a + n + 1], -1), np.stack([a, a + n + 1, a + 1], -1)])
    roof = np.array([[-3, 3, -3], [-3, 3, 3], [0, 3, 3], [0, 3, -3]], float)
    return np.concatenate([v, roof]), np.concatenate([f, np.array([[0, 1, 2], [0, 2, 3]]) + len(v)])


def looked_at(mesh, seed=0):
    xz = np.random.default_rng(seed).uniform(-3.3, 3.3, (300, 2))
    return np.stack([mesh.height(xz), mesh.height(xz, 0.2), mesh.height(xz, 3.0), *mesh.normal(xz, 0.2).T])


@given(SEEDS)
def test_the_order_of_vertices_faces_and_corners_does_not_matter(seed):
    v, f = hills(seed)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(v))
    shuffled = np.argsort(order)[f][rng.permutation(len(f))]
    shuffled = np.array([np.roll(t, rng.integers(3))[:: rng.choice([-1, 1])] for t in shuffled])
    assert np.allclose(looked_at(Mesh(v[order], shuffled)), looked_at(Mesh(v, f)), atol=1e-12, equal_nan=True)


@given(SEEDS, st.integers(0, 5))
def test_cutting_triangles_does_not_matter(seed, number):
    """A triangle and its four quarters are the same ground."""
    v, f = hills(seed)
    middles = [(v[f[:, i]] + v[f[:, (i + 1) % 3]]) / 2 for i in range(3)]
    n, t = len(v), np.arange(len(f))
    m = [n + i * len(f) + t for i in range(3)]
    parts = [(f[:, 0], m[0], m[2]), (m[0], f[:, 1], m[1]), (m[2], m[1], f[:, 2]), (m[0], m[1], m[2])]
    fine = Mesh(np.concatenate([v, *middles]), np.concatenate([np.stack(p, -1) for p in parts]))
    xz = np.random.default_rng(number).uniform(-2.99, 2.99, (300, 2))
    assert np.allclose(fine.height(xz, 0.2), Mesh(v, f).height(xz, 0.2), atol=1e-9)


@given(SEEDS)
def test_triangles_without_area_are_not_there(seed):
    """Points, lines, upright faces and slivers among the rest change nothing."""
    v, f = hills(seed)
    rng = np.random.default_rng(seed)
    point = rng.integers(0, len(v), (9, 1)).repeat(3, 1)
    line = rng.integers(0, len(v), (9, 2))[:, [0, 1, 1]]
    wall = len(v) + np.arange(9).reshape(3, 3)
    at = rng.uniform(-2, 2, (3, 1, 3))
    walls = (at + [[[0, -5, 0], [1, 5, 0], [0.5, 0, 0]]]).reshape(-1, 3)
    thin = len(v) + 9 + np.arange(9).reshape(3, 3)
    slivers = (at + [[[0, 9, 0], [2, 9, 0], [1, 9, 5e-7]]]).reshape(-1, 3)
    more = Mesh(np.concatenate([v, walls, slivers]), np.concatenate([point, f, line, wall, thin]))
    assert np.allclose(looked_at(more), looked_at(Mesh(v, f)), atol=1e-12, equal_nan=True)


@given(st.floats(-1e-6, 1e-6), st.floats(-np.pi, np.pi), st.sampled_from([0.0, 1e3, 1e5]))
def test_risers_that_lean_a_hair_are_risers(lean, yaw, far):
    """As in files of single precision, or turned: the height is that of a tread, at the edge of the higher."""
    stairs = Stairs(0.17, 0.29, 6)
    v, f = stairs.surface([-1.0, -1.0], [1.0, 4.0])
    v = v + np.stack([0 * v[:, 1], 0 * v[:, 1], lean * v[:, 1] / 0.17], -1)
    c, s = np.cos(yaw), np.sin(yaw)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    mesh = Mesh(v @ turn.T + [far, 0, -far], f)
    z = np.linspace(0, 3, 400)
    edges = 1.0 + 0.29 * np.arange(6)
    z = z[np.abs(z[:, None] - edges).min(1) > 2e-5]
    points = np.stack([0.3 + 0 * z, 0 * z, z], -1) @ turn.T + [far, 0, -far]
    expected = stairs.height(np.stack([0 * z, z], -1))
    assert np.allclose(mesh.height(points[:, [0, 2]]), expected, atol=1e-6)
    if lean == 0:
        points = np.stack([0.3 + 0 * edges, 0 * edges, edges], -1) @ turn.T + [far, 0, -far]
        assert np.allclose(mesh.height(points[:, [0, 2]]), 0.17 * np.arange(1, 7), atol=1e-6)


@given(st.floats(-2, 8), st.floats(-2.9, -0.1), st.floats(-2.9, 2.9))
def test_the_floor_is_the_highest_within_a_step(near, x, z):
    mesh = Mesh(*hills())
    low, high = mesh.height([x, z], 0.4), mesh.height([x, z])
    floors = [y for y in (low, high) if y <= near + STEP_UP]
    found = mesh.height([x, z], near)
    assert high == pytest.approx(3.0) and low < 0.41
    assert found == pytest.approx(max(floors)) if floors else np.isnan(found)


def test_a_few_points_are_as_many_points():
    mesh = Mesh(*hills())
    xz = np.random.default_rng(1).uniform(-3.3, 3.3, (50, 2))
    many = mesh.height(xz, 0.2)
    assert np.array_equal(many, [mesh.height(p, 0.2) for p in xz], equal_nan=True)
    assert np.array_equal(mesh.height(xz.reshape(5, 10, 2), 0.2), many.reshape(5, 10), equal_nan=True)
    assert mesh.height(np.zeros((0, 2))).shape == (0,) and mesh.normal(np.zeros((0, 2))).shape == (0, 3)


def test_many_long_planks_over_much_detail_stay_small():
    """Large triangles over a fine grid do not fill memory."""
    v, f = hills(0, 60)
    planks = np.array([[[-3, 5, z], [3, 5, z], [0, 5, z + 5.0]] for z in np.linspace(-3, 0, 300)]).reshape(-1, 3)
    mesh = Mesh(np.concatenate([v, planks]), np.concatenate([f, len(v) + np.arange(900).reshape(-1, 3)]))
    assert len(mesh._bins.members) < 20 * len(mesh.faces)
    xz = np.random.default_rng(1).uniform(-3, 3, (300, 2))
    assert np.allclose(mesh.height(xz, 0.2), Mesh(v, f).height(xz, 0.2))


@pytest.mark.parametrize(
    ("vertices", "faces", "message"),
    [
        (np.zeros((0, 3)), np.zeros((0, 3), int), "empty"),
        (np.zeros((3, 3)), np.zeros((0, 3), int), "empty"),
        (np.zeros((3, 2)), [[0, 1, 2]], "empty"),
        (np.eye(3), [[0, 1, 3]], "face 1 names a vertex"),
        (np.eye(3), [[0, 1, 2], [0, 1, -1]], "face 2 names a vertex"),
        (np.eye(3) * np.nan, [[0, 1, 2]], "face 1 has a vertex that is not finite"),
        ([[0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 1, 2]], "no triangle one could stand on.*up axis"),
    ],
)
def test_what_is_no_ground_says_why(vertices, faces, message):
    with pytest.raises(GambolError, match=f"hill: .*{message}"):
        Mesh(vertices, faces, "hill")


def test_unused_vertices_may_be_anything():
    v, f = hills()
    mesh = Mesh(np.concatenate([v, [[np.nan, 0, 0], [1e9, 0, 0]]]), f)
    assert np.allclose(looked_at(mesh), looked_at(Mesh(v, f)), equal_nan=True)
