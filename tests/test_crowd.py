"""A crowd: everybody walks as well as alone, keeps to a line, differs as told, and has joints of its own."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from test_cli import refused, run
from walks import slides, straight

from gambol.crowd import VARIED, abreast, crowd, delayed
from gambol.errors import GambolError
from gambol.gait import Gait
from gambol.io import save_crowd
from gambol.measure import measure
from gambol.methods import ForceWalk
from gambol.path import Path as WalkPath
from gambol.synthesis import Task, generate
from gambol.terrain import Stairs

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def walkers():
    return crowd(ForceWalk(), [Task(path=straight(6), fps=30, gait=Gait(1.2), seed=5)], 6, VARIED)


def document(file: Path) -> dict:
    data = file.read_bytes()
    return json.loads(data[20 : 20 + struct.unpack("<I", data[12:16])[0]])


def test_everybody_walks_on_planted_feet(walkers):
    for motion in walkers:
        assert measure(motion).passed and slides(motion).max() < 1e-3
    assert len({m.skeleton.offsets.tobytes() for m in walkers}) == 6  # heights
    assert len({m.info["waits_s"] for m in walkers if "waits_s" in m.info}) >= 4  # phases


def test_the_same_seed_is_the_same_crowd(walkers):
    again = crowd(ForceWalk(), [Task(path=straight(6), fps=30, gait=Gait(1.2), seed=5)], 6, VARIED)
    assert all(np.array_equal(a.rotations, b.rotations) and a.name == b.name for a, b in zip(walkers, again))
    other = crowd(ForceWalk(), [Task(path=straight(6), fps=30, gait=Gait(1.2), seed=6)], 2, ("height",))
    assert not np.array_equal(other[0].skeleton.offsets, walkers[0].skeleton.offsets)


def test_where_nothing_varies_all_are_alike():
    a, b = crowd(ForceWalk(), [Task(path=straight(3), fps=30)], 2, ())
    np.testing.assert_allclose(a.root - a.root[0], b.root - b.root[0], atol=1e-9)
    np.testing.assert_allclose(a.rotations, b.rotations, atol=1e-9)
    assert np.linalg.norm((a.root - b.root)[:, [0, 2]], axis=1) == pytest.approx(np.full(len(a), 0.9))


@pytest.mark.parametrize("count", [1, 2, 5, 16, 30])
def test_lines_are_apart_and_equally_long(count):
    path = WalkPath(np.array([[0, 0, 0], [0, 0, 20.0]]))
    lines = [abreast(path, k, count) for k in range(count)]
    assert [p.length for p in lines] == pytest.approx([lines[0].length] * count)
    for share in (0.0, 0.5, 1.0):
        places = np.array([p.point(share * p.length) for p in lines])
        apart = np.linalg.norm(places[:, None] - places[None], axis=-1) + 9 * np.eye(count)
        assert apart.min() > 0.85
        assert abs(places[:, 0].mean()) < 0.5


def test_a_path_that_is_too_short_for_the_rows():
    with pytest.raises(GambolError, match=r"4\.0 m are too short for 30 walkers in 5 rows"):
        abreast(straight(4), 0, 30)


def test_who_waits_stands_and_all_times_move_along():
    motion = generate(ForceWalk(), Task(path=straight(2), fps=30))
    late = delayed(motion, 0.5)
    assert len(late) == len(motion) + 15
    np.testing.assert_array_equal(late.root[15:], motion.root)
    np.testing.assert_array_equal(late.root[:15], np.broadcast_to(motion.root[0], (15, 3)))
    assert late.contacts[:15].all()
    strikes = [np.array(m.info["events"]["left_strike"]) for m in (motion, late)]
    np.testing.assert_allclose(strikes[1] - strikes[0], 0.5)


def test_a_file_of_many_figures(walkers, tmp_path):
    save_crowd(walkers, tmp_path / "crowd.glb", terrain=Stairs(0.1, 0.3, 3))
    made = document(tmp_path / "crowd.glb")
    names = [n["name"] for n in made["nodes"]]
    assert len(names) == len(set(names)) == 6 * 27 + 1
    assert [s["name"] for s in made["skins"]] == [f"walker_{k:02}" for k in range(1, 7)]
    assert len(made["animations"]) == 1 and len(made["skins"]) == len(made["meshes"]) - 1 == 6
    moved = {c["target"]["node"] for c in made["animations"][0]["channels"]}
    for skin in made["skins"]:
        assert set(skin["joints"]) <= moved and skin["joints"][0] == skin["skeleton"]
    tops = set(made["scenes"][0]["nodes"])
    children = [c for n in made["nodes"] for c in n.get("children", [])]
    assert len(children) == len(set(children)) and tops | set(children) == set(range(len(names)))
    with pytest.raises(GambolError, match="same name"):
        save_crowd([walkers[0], walkers[0]], tmp_path / "twice.glb")
    with pytest.raises(GambolError, match=r"\.glb"):
        save_crowd(walkers, tmp_path / "crowd.bvh")


def test_on_the_command_line(capsys, tmp_path):
    """U086: many seen together, in one sheet."""
    words = ["walk", "--path", "0,0 0,2", "--path", "1,0 1,2", "--count", "3", "--fps", "10", "--json"]
    code, out, _ = run(capsys, *words, "-o", tmp_path / "c.glb", "-o", tmp_path / "c.png")
    told = json.loads(out)
    assert code == 0 and [w["name"] for w in told["walkers"]] == ["walker_01", "walker_02", "walker_03"]
    assert (tmp_path / "c.png").stat().st_size > 10_000 and len(document(tmp_path / "c.glb")["skins"]) == 3
    before = sorted(tmp_path.iterdir())
    for more, said in (
        (["--loop"], "--loop: it is of one walker"), (["--vary", "heigt"], "did you mean 'height'"),
        (["--count", "1"], "1 walkers on 2 paths"), (["-o", tmp_path / "c.bvh"], "no writer for the suffix '.bvh'"),
    ):  # fmt: skip
        assert said in refused(capsys, *words[:5], *(more if "--count" in more else ["--count", "3", *more]))
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.browser
def test_the_khronos_validator_finds_nothing(walkers, tmp_path):
    folder = ROOT / "tests" / "browser"
    if not shutil.which("node") or not (folder / "node_modules" / "gltf-validator").is_dir():
        pytest.skip("needs node, and: npm install in tests/browser")
    save_crowd(walkers, tmp_path / "crowd.glb")
    program = ["node", str(ROOT / "tests" / "gltf_validate.mjs"), str(tmp_path / "crowd.glb")]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=True)
    issues = json.loads(done.stdout)["issues"]
    assert issues["numErrors"] == issues["numWarnings"] == 0, issues["messages"]
