"""The ground: heights, normals, floors, files."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambol.errors import GambolError
from gambol.mesh import STEP_UP
from gambol.scenes import demo
from gambol.terrain import Flat, HeightField, Mesh, Slope, Stairs, Terrain, load_terrain, parse_terrain

Y_UP = np.array([0.0, 1.0, 0.0])


def bumpy(seed: int = 0, n: int = 9) -> HeightField:
    rng = np.random.default_rng(seed)
    return HeightField(np.linspace(-4, 4, n), np.cumsum(rng.uniform(0.4, 1.5, n)) - 5, rng.uniform(-0.3, 0.3, (n, n)))


def meshed(ground: Terrain) -> Mesh:
    return Mesh(*ground.surface([-4.0, -4.0], [4.0, 4.0]))


def soup(seed: int = 1, count: int = 300) -> Mesh:
    """Triangles of all sizes every way up."""
    rng = np.random.default_rng(seed)
    size = 10 ** rng.uniform(-1, 0.7, (count, 1, 1))
    corners = rng.uniform(-4, 4, (count, 1, 3)) + size * rng.normal(size=(count, 3, 3))
    return Mesh(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))


GROUNDS = {
    "flat": Flat(0.7),
    "slope": Slope(0.3, 1.0),
    "stairs up": Stairs(0.16, 0.3, 5),
    "stairs down": Stairs(-0.17, 0.28, 4, width=2.0, start=-0.5),
    "field": bumpy(),
    "mesh": meshed(bumpy()),
    "soup": soup(),
    "demo": demo()[1],
}
every = pytest.mark.parametrize("ground", GROUNDS.values(), ids=GROUNDS)


def scattered(count: int = 400, seed: int = 2) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-4, 4, (count, 2))


# --- what holds of every ground


@every
def test_any_leading_axes_and_one_by_one(ground):
    assert isinstance(ground, Terrain)
    xz, near = scattered(24), np.linspace(-1, 1, 24)
    for extra in ((), (near,)):
        y, n = ground.height(xz, *extra), ground.normal(xz, *extra)
        assert y.shape == (24,) and n.shape == (24, 3)
        shaped = [e.reshape(2, 3, 4) for e in extra]
        np.testing.assert_array_equal(ground.height(xz.reshape(2, 3, 4, 2), *shaped).ravel(), y)
        np.testing.assert_array_equal(ground.normal(xz.reshape(2, 3, 4, 2), *shaped).reshape(-1, 3), n)
        for k in range(24):
            one = [e[k] for e in extra]
            np.testing.assert_array_equal(ground.height(xz[k], *one), y[k])
    assert ground.height(np.zeros((0, 2))).shape == (0,) and ground.normal(np.zeros((0, 2))).shape == (0, 3)


@every
def test_normals_are_unit_and_upward(ground):
    xz = scattered()
    n = ground.normal(xz)
    on = np.isfinite(ground.height(xz))
    np.testing.assert_allclose(np.linalg.norm(n[on], axis=-1), 1.0, atol=1e-12)
    assert (n[on, 1] > 0).all()


@every
def test_normals_are_those_of_the_heights(ground):
    """Finite differences, wherever the ground is smooth for a millimetre around."""
    xz, h = scattered(), 1e-4
    dx, dz = np.array([h, 0]), np.array([0, h])
    around = np.stack([ground.height(xz + np.array(k) * h * 10) for k in itertools.product((-1, 0, 1), repeat=2)])
    near = ground.height(xz)
    slope = np.stack([ground.height(xz + d) - ground.height(xz - d) for d in (dx, dz)], -1) / (2 * h)
    bend = np.stack([ground.height(xz + d) + ground.height(xz - d) - 2 * near for d in (10 * dx, 10 * dz)], -1)
    smooth = np.isfinite(around).all(0) & (np.abs(bend).max(-1) < 1e-10) & (np.abs(slope).max(-1) < 5)
    assert smooth.sum() > 50
    n = ground.normal(xz)[smooth]
    np.testing.assert_allclose(-n[:, [0, 2]] / n[:, 1:2], slope[smooth], atol=1e-6)


@every
def test_the_surface_is_the_ground(ground):
    """What is drawn lies at the height that is walked on (of a bilinear field, at its knots)."""
    vertices, faces = ground.surface([-3.0, -3.0], [3.0, 3.0])
    assert vertices.shape[1:] == faces.shape[1:] == (3,) and faces.max() < len(vertices)
    if isinstance(ground, Mesh):
        assert (ground.height(vertices[faces].mean(1)[:, [0, 2]]) >= vertices[faces].mean(1)[:, 1] - 1e-9).all()
        return
    drawn = Mesh(vertices, faces)
    xz = vertices[:, [0, 2]] if isinstance(ground, HeightField) else scattered() * 0.7
    if isinstance(ground, Stairs) and ground.width:
        xz = xz[np.abs(xz[:, 0]) < ground.width / 2 - 0.01]
    np.testing.assert_allclose(drawn.height(xz), ground.height(xz), atol=1e-9)


@every
def test_numbers_that_are_none_have_no_ground(ground):
    xz = np.array([[np.nan, 0.0], [0.0, np.nan], [np.inf, 0.0], [0.1, 0.1]])
    y = ground.height(xz)
    assert y.shape == (4,)
    if isinstance(ground, Mesh | HeightField):
        assert np.isnan(y[:3]).all()


# --- planes and stairs


@given(st.floats(-0.7, 0.7), st.floats(-7, 7), st.floats(-50, 50), st.floats(-50, 50))
def test_a_slope_rises_towards_its_heading(angle, heading, x, z):
    slope = Slope(angle, heading)
    uphill = np.array([np.sin(heading), np.cos(heading)])
    at = np.array([x, z])
    assert slope.height(at + uphill) - slope.height(at) == pytest.approx(np.tan(angle), abs=1e-9)
    across = np.array([uphill[1], -uphill[0]])
    assert slope.height(at + across) == pytest.approx(slope.height(at), abs=1e-9)
    assert slope.normal(at)[1] == pytest.approx(np.cos(angle))


@given(st.floats(0.05, 0.3), st.floats(0.2, 0.5), st.integers(1, 9), st.floats(-3, 3), st.sampled_from([1, -1]))
def test_stairs_have_their_treads_and_the_higher_owns_the_edge(rise, tread, count, start, way):
    stairs = Stairs(way * rise, tread, count, start=start)
    z = start + tread * (np.arange(-1, count + 1) + 0.5)
    steps = np.clip(np.arange(count + 2), 0, count)
    np.testing.assert_allclose(stairs.height(np.stack([0 * z, z], -1)), way * rise * steps)
    edges = start + tread * np.arange(count)
    beside = [stairs.height(np.stack([0 * edges, edges + d], -1)) for d in (-0.01, 0.0, 0.01)]
    np.testing.assert_allclose(beside[1], np.maximum(beside[0], beside[2]))
    np.testing.assert_allclose(meshed(stairs).height(np.stack([0 * edges, edges], -1)), beside[1])


def test_stairs_of_finite_width_end_at_their_sides():
    y = Stairs(0.16, 0.3, 5, width=2.0).height([[0.99, 1.1], [1.01, 1.1], [-1.01, 5.0]])
    np.testing.assert_array_equal(np.isnan(y), [False, True, True])


@pytest.mark.parametrize(
    "make",
    [
        lambda: Slope(np.radians(50)),
        lambda: Slope(np.nan),
        lambda: Stairs(0.1, 0.0, 3),
        lambda: Stairs(np.nan, 0.3, 3),
        lambda: Stairs(0.1, 0.3, 0),
        lambda: HeightField([0, 1], [0, 1], np.zeros((3, 2))),
        lambda: HeightField([0, 0], [0, 1], np.zeros((2, 2))),
        lambda: HeightField([0, np.nan], [0, 1], np.zeros((2, 2))),
        lambda: HeightField([0], [0, 1], np.zeros((2, 1))),
        lambda: Mesh(np.zeros((0, 3)), np.zeros((0, 3), int)),
        lambda: Mesh(np.zeros((3, 3)), [[0, 1, 2]]),
        lambda: Mesh(np.eye(3), [[0, 1, 3]]),
        lambda: Mesh(np.eye(3), [[0, 1, -1]]),
        lambda: Mesh(np.eye(3) * np.nan, [[0, 1, 2]]),
        lambda: Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]),
    ],
)
def test_what_is_no_ground(make):
    with pytest.raises(GambolError):
        make()


# --- height fields


@given(st.integers(0, 50))
def test_a_field_is_bilinear(seed):
    field = bumpy(seed)
    gx, gz = np.meshgrid(field.x, field.z)
    np.testing.assert_allclose(field.height(np.stack([gx, gz], -1)), field.y, atol=1e-12)
    x, z = (field.x[2] + field.x[3]) / 2, (field.z[4] + field.z[5]) / 2
    assert field.height([x, z]) == pytest.approx(field.y[4:6, 2:4].mean())
    plane = HeightField(field.x, field.z, 0.2 * gx - 0.3 * gz + 1)
    xz = np.random.default_rng(seed).uniform(-4, 4, (40, 2)) * [1, 0.2] + [0, field.z.mean()]
    np.testing.assert_allclose(plane.height(xz), 0.2 * xz[:, 0] - 0.3 * xz[:, 1] + 1, atol=1e-9)


def test_a_field_ends_at_its_rim():
    field = HeightField([0, 1], [0, 2], np.ones((2, 2)))
    y = field.height([[0, 0], [1, 2], [1.01, 1], [0.5, -0.01], [0.5, 2.01]])
    np.testing.assert_array_equal(y, [1, 1, np.nan, np.nan, np.nan])


# --- meshes


def every_triangle(mesh: Mesh, xz: np.ndarray) -> np.ndarray:
    """(n, T) heights by solving for each triangle, NaN beside it."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    m = np.stack([b - a, c - a], -1)[:, [0, 2]]
    with np.errstate(all="ignore"):
        inverse = np.stack([np.stack([m[:, 1, 1], -m[:, 0, 1]], -1), np.stack([-m[:, 1, 0], m[:, 0, 0]], -1)], 1)
        inverse /= (m[:, 0, 0] * m[:, 1, 1] - m[:, 0, 1] * m[:, 1, 0])[:, None, None]
        uv = np.einsum("tij,ntj->nti", inverse, xz[:, None] - a[:, [0, 2]])
        y = a[:, 1] + uv[..., 0] * (b - a)[:, 1] + uv[..., 1] * (c - a)[:, 1]
        return np.where((uv >= 0).all(-1) & (uv.sum(-1) <= 1), y, np.nan)


@pytest.mark.parametrize("mesh", [soup(1), soup(5, 40), meshed(bumpy(3)), demo()[1]])
def test_a_mesh_s_heights_are_those_of_its_triangles(mesh):
    xz = scattered(3000)
    truth = every_triangle(mesh, xz)
    np.testing.assert_allclose(mesh.height(xz), np.fmax.reduce(truth, axis=1), atol=1e-7)
    near = np.random.default_rng(4).uniform(-4, 4, len(xz))
    below = np.where(truth <= near[:, None] + STEP_UP, truth, np.nan)
    np.testing.assert_allclose(mesh.height(xz, near), np.fmax.reduce(below, axis=1), atol=1e-7)


def test_a_mesh_s_heights_are_those_of_rays():
    pytest.importorskip("embreex")
    trimesh = pytest.importorskip("trimesh")
    for mesh in (soup(7), demo()[1]):
        xz = scattered(2000)
        rays = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False).ray
        assert "embree" in type(rays).__module__
        start = np.stack([xz[:, 0], np.full(len(xz), 100.0), xz[:, 1]], -1)
        points, ray, _ = rays.intersects_location(start, np.broadcast_to(-Y_UP, start.shape), multiple_hits=False)
        y = np.full(len(xz), np.nan)
        y[ray] = points[:, 1]
        mine = mesh.height(xz)
        differs = ~np.isclose(mine, y, atol=1e-4, equal_nan=True)
        assert differs.mean() < 0.003  # single precision, at the rims of triangles


@given(st.integers(0, 20), st.floats(-3, 3), st.floats(-1e4, 1e4), st.floats(-50, 50))
def test_moving_turning_and_lifting_a_mesh(seed, angle, far, up):
    mesh, xz = soup(seed, 40), scattered(60)
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    moved = Mesh(mesh.vertices @ turn.T + [far, up, -far], mesh.faces)
    at = np.stack([xz[:, 0], 0 * xz[:, 0], xz[:, 1]], -1) @ turn.T + [far, 0, -far]
    y = mesh.height(xz)
    inside = np.isclose(mesh.height(xz + 1e-4), y, atol=0.01) & np.isclose(mesh.height(xz - 1e-4), y, atol=0.01)
    np.testing.assert_allclose(moved.height(at[:, [0, 2]])[inside], y[inside] + up, atol=1e-5)


def test_no_seam_is_open():
    """On the very edges and corners of a mesh in single precision there is ground."""
    rng = np.random.default_rng(0)
    mesh = meshed(bumpy(2, 30))
    angle = 0.7
    c, s = np.cos(angle), np.sin(angle)
    v = (mesh.vertices @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]).T).astype(np.float32).astype(float)
    mesh = Mesh(v, mesh.faces)
    a, b = (v[mesh.faces[:, k]] for k in (0, 1))
    share = rng.uniform(0, 1, (len(a), 1))
    for points in (v, a * share + b * (1 - share)):
        np.testing.assert_allclose(mesh.height(points[:, [0, 2]]), points[:, 1], atol=1e-5)


def test_of_several_floors_the_nearest_below_a_step():
    v, f = Flat().surface([-1, -1], [1, 1])
    house = Mesh(np.concatenate([v + y * Y_UP for y in (0, 0.3, 3.0)]), np.concatenate([f + 4 * k for k in range(3)]))
    floors = {-0.36: np.nan, -0.34: 0.0, -0.06: 0.0, -0.04: 0.3, 2.6: 0.3, 2.7: 3.0, 99: 3.0, None: 3.0}
    for near, floor in floors.items():
        np.testing.assert_allclose(house.height([0.2, 0.1], near), floor)
    np.testing.assert_allclose(house.height([[0.2, 0.1], [0.2, 0.1]], [0.0, 3.0]), [0.3, 3.0])


def test_a_huge_plain_with_a_fine_detail():
    plain, detail = Flat().surface([-1e4, -1e4], [1e4, 1e4]), meshed(bumpy(1, 40))
    mesh = Mesh(np.concatenate([plain[0] - Y_UP, detail.vertices]), np.concatenate([plain[1], detail.faces + 4]))
    xz = scattered(500) * 0.9
    np.testing.assert_allclose(mesh.height(xz), np.where(np.isnan(detail.height(xz)), -1, detail.height(xz)), atol=1e-7)
    assert mesh.height([5000.0, -777.0]) == -1.0


def test_a_mesh_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        soup().vertices[0] = 0


# --- files


def cube_obj(face: str) -> str:
    """A square of 2 m at height 1, drawn as one polygon."""
    corners = "v -1 1 -1\nv -1 1 1 0.5 0.5 0.5\nv 1 1 1\nv 1 1 -1\nvt 0 0\nvn 0 1 0\n"
    return f"# a\nmtllib x\no plate\n{corners}usemtl m\ns off\n{face}\n"


SPELLINGS = [
    "f 1 2 3 4", "f 1/1 2/1 3/1 4/1", "f 1//1 2//1 3//1 4//1", "f 1/1/1 2/1/1 3/1/1 4/1/1", "f -4 -3 -2 -1",
    "f 1 2 3\nf 1 3 4",
]  # fmt: skip


@pytest.mark.parametrize("face", SPELLINGS)
def test_obj_faces_in_all_their_spellings(tmp_path, face):
    file = tmp_path / "plate.OBJ"
    file.write_text(cube_obj(face))
    ground = load_terrain(file)
    np.testing.assert_array_equal(ground.height([[0, 0], [0.9, -0.9], [-0.9, 0.9], [1.1, 0]]), [1, 1, 1, np.nan])
    np.testing.assert_array_equal(ground.normal([0.3, 0.1]), Y_UP)


def test_units_and_the_upward_axis(tmp_path):
    file = tmp_path / "wedge.obj"
    file.write_text("v 0 0 0\nv 100 0 0\nv 100 200 50\nf 1 2 3\n")
    mesh = load_terrain(file, up="z", scale=0.01)
    assert mesh.vertices[:, 1] == pytest.approx([0, 0, 0.5])
    sides = mesh.vertices[1:] - mesh.vertices[0]
    assert np.linalg.det([*sides, Y_UP]) == pytest.approx(2.0)  # as drawn, not mirrored
    assert load_terrain(file, scale=0.01).vertices[:, 2] == pytest.approx([0, 0, 0.5])
    for wrong in ({"up": "x"}, {"scale": 0.0}, {"scale": np.nan}):
        with pytest.raises(GambolError):
            load_terrain(file, **wrong)


@pytest.mark.parametrize("suffix", [".obj", ".ply", ".stl", ".glb"])
def test_formats_agree(tmp_path, suffix):
    trimesh = pytest.importorskip("trimesh")
    mesh = meshed(bumpy(4))
    body = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    body.export(tmp_path / f"a{suffix}")
    xz = scattered(200) * 0.9
    np.testing.assert_allclose(load_terrain(tmp_path / f"a{suffix}").height(xz), mesh.height(xz), atol=1e-5)


def test_nodes_of_a_scene_are_put_in_their_places(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    plate = trimesh.Trimesh(*Flat().surface([-1, -1], [1, 1]), process=False)
    scene = trimesh.Scene()
    for x in (0.0, 5.0):
        scene.add_geometry(plate, transform=trimesh.transformations.translation_matrix([x, x / 10, 0]))
    scene.export(tmp_path / "two.glb")
    ground = load_terrain(tmp_path / "two.glb")
    np.testing.assert_allclose(ground.height([[0, 0.5], [5, 0.5], [2.5, 0.5]]), [0, 0.5, np.nan], atol=1e-6)


def test_slope_and_stairs_cases(cases):
    slope = load_terrain(cases / "U010_slope_18deg_down.obj")
    np.testing.assert_allclose(np.degrees(np.arccos(slope.normal([0.0, 0.5])[1])), 18.0, atol=0.01)
    assert slope.height([0.0, 1.0]) == pytest.approx(-np.tan(np.radians(18)), abs=1e-3)
    stairs = load_terrain(cases / "U011_stairs_irregular.obj")
    edges = np.cumsum([0, 0.28, 0.30, 0.26, 0.34])
    levels = np.cumsum([0, 0.15, 0.19, 0.12, 0.17, 0.16])
    first = next(z for z in np.arange(-1, 3, 0.001) if stairs.height([0.0, z]) > 0.1)
    for k, edge in enumerate(first + edges):
        np.testing.assert_allclose(stairs.height([[0, edge - 0.01], [0, edge + 0.01]]), levels[k : k + 2], atol=1e-6)


def test_real_meshes(data):
    """Sizes as its list says, and ground nearly everywhere within them."""
    folder = data / "terrain"
    rough = load_terrain(folder / "terrain.obj", up="z")
    assert np.ptp(rough.vertices, axis=0) == pytest.approx([29, 0.2, 29], abs=0.01)
    xz = np.random.default_rng(0).uniform(rough.vertices.min(0)[[0, 2]], rough.vertices.max(0)[[0, 2]], (2000, 2))
    assert np.isfinite(rough.height(xz)).all()
    pytest.importorskip("trimesh")
    stairs = load_terrain(folder / "stairs.glb", scale=0.34)
    assert np.ptp(stairs.vertices, axis=0) == pytest.approx(np.array([5, 5.1, 4]) * 0.34, abs=0.01)
    z = np.linspace(*np.quantile(stairs.vertices[:, 2], [0, 1]), 400)
    heights = stairs.height(np.stack([np.full(400, stairs.vertices[:, 0].mean()), z], -1))
    rises = np.abs(np.diff(heights[np.isfinite(heights)]))
    assert np.sum(rises > 0.1) >= 7 and rises.max() < 0.2


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.obj", "", "empty"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\n", "face"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 9\n", "vertex"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 0\n", "vertex|face"),
        ("a.obj", "v 0 0 0\nv 1 x 0\n", "line 2"),
        ("a.obj", "v 0 0\n", "line 1"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 0 nan\nf 1 2 3\n", "finite"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "stand on"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 two\n", "line 4"),
        ("a.glb", "this is no mesh", "cannot be read"),
        ("a.ply", "ply\nformat ascii 1.0\nend_header\n", "empty|cannot be read"),
        ("a.stl", "", "empty|cannot be read"),
        ("a.fbx", "", r"\.obj, \.glb"),
        ("a", "", "no suffix"),
    ],
)
def test_files_that_are_no_ground(tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    with pytest.raises(GambolError, match=words) as error:
        load_terrain(tmp_path / name)
    assert str(tmp_path / name) in str(error.value)


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(GambolError, match="no such file"):
        load_terrain(tmp_path / "a.obj")
    (tmp_path / "b.obj").mkdir()
    with pytest.raises(GambolError, match="folder"):
        load_terrain(tmp_path / "b.obj")


# --- texts


def test_texts(tmp_path):
    assert parse_terrain("flat") == Flat()
    assert parse_terrain("slope:-8").angle == pytest.approx(-np.radians(8))
    stairs = parse_terrain("stairs:0.16,0.3,5")
    assert (stairs.rise, stairs.tread, stairs.count) == (0.16, 0.3, 5)
    file = tmp_path / "a plate.obj"
    file.write_text(cube_obj("f 1 2 3 4"))
    assert parse_terrain(str(file)).height([0.0, 0.0]) == 1.0
    assert np.ptp(parse_terrain(f"{file} scale=2").vertices[:, 0]) == 4.0


NONSENSE = [
    "slope:", "slope:steep", "slope:nan", "slope:80", "stairs:0.1,0.3", "stairs:0.1,0.3,2.5", "stairs:a,b,c",
    "stairs:0.1,-0.3,4", "plain", "none.obj", "",
]  # fmt: skip


@pytest.mark.parametrize("text", NONSENSE)
def test_texts_that_are_no_ground(text):
    with pytest.raises(GambolError):
        parse_terrain(text)
