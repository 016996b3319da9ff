import json
import math
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from gambol.cli import check_targets, main
from gambol.errors import GambolError
from gambol.facts import contact_record, facts, jsonable, sentences
from gambol.forms import PaceForm, WalkForm, dial_values, read_ground, read_scene
from gambol.methods.force_walk import ForceWalk
from gambol.motion import Motion
from gambol.skeleton import Skeleton
from gambol.synthesis import dials

HEAVY = {"numpy", "numba", "trimesh", "PIL", "av", "matplotlib", "scipy"}
SLOPE = Path(__file__).parent / "cases" / "U010_slope_18deg_down.obj"
SHORT = ["walk", "--path", "0,0 0,3", "--fps", "60"]


def run(capsys, *words):
    """Exit code, standard output and standard error of one command."""
    code = main([str(w) for w in words])
    out = capsys.readouterr()
    return code, out.out, out.err


def refused(capsys, *words):
    """The message of a request that cannot be used: one on standard error, code 2, nothing else."""
    code, out, err = run(capsys, *words)
    assert code == 2 and out == "" and err.startswith("gambol: ") and "Traceback" not in err
    return err


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """Files of one short walk, and what --json said."""
    folder = tmp_path_factory.mktemp("walk")
    files = [folder / f"walk{s}" for s in (".npz", ".bvh", ".glb")]
    words = [*SHORT, "--json", "--seed", "3", *(w for f in files for w in ("-o", str(f)))]
    program = [sys.executable, "-m", "gambol", *words]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    return files, json.loads(done.stdout)


# starting


@pytest.mark.parametrize("words", [["--help"], ["walk", "--help"], ["--version"], ["measure", "--help"], []])
def test_help_loads_nothing_heavy(words):
    code = f"""
import sys
from gambol.cli import main
try:
    code = main({words!r})
except SystemExit as end:
    code = end.code
print(sorted(set(sys.modules) & {HEAVY!r}), code, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() in ("[] 0", "[] None")
    assert done.stdout.strip()


def test_version(capsys):
    import gambol

    assert run(capsys, "--version") == (0, gambol.__version__ + "\n", "")


def test_the_module_runs_as_a_program():
    program = [sys.executable, "-m", "gambol", "walk", "--fps", "0"]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith("gambol: ")
    assert done.stderr.count("\n") == 1


# walking


def test_walk_writes_every_file_and_prints_the_facts(walked):
    from gambol.io import load

    files, said = walked
    assert said["files"] == [str(f) for f in files] and all(f.is_file() for f in files)
    assert said["fps"] == 60 and said["duration_s"] == pytest.approx((said["frames"] - 1) / 60)
    strikes = sorted(said["foot_strikes_s"]["left"] + said["foot_strikes_s"]["right"])
    assert said["steps"] == len(strikes) >= 3
    assert all(0 <= t <= said["duration_s"] for t in strikes)
    assert set(said["contacts_s"]) == {"left_heel", "left_toe_tip", "right_heel", "right_toe_tip"}
    motion = load(files[0])
    assert len(motion) == said["frames"] and motion.fps == 60
    assert contact_record(motion) == said["contacts_s"]
    assert sorted(p.name for p in files[0].parent.iterdir()) == sorted(f.name for f in files)  # no leftovers


def test_the_same_request_gives_the_same_bytes(walked, tmp_path, capsys):
    files, said = walked
    again = [tmp_path / f.name for f in files]
    code, out, _ = run(capsys, *SHORT, "--json", "--seed", 3, *(w for f in again for w in ("-o", f)))
    assert code == 0
    assert {**json.loads(out), "files": said["files"]} == said
    for a, b in zip(files, again):
        assert a.read_bytes() == b.read_bytes(), a.suffix


def test_walk_without_a_file_says_how_to_get_one(capsys):
    code, out, err = run(capsys, *SHORT, "--plan")
    assert code == 0 and err == ""
    assert "-o walk.glb" in out and "steps" in out
    assert "w_prev" in out and ("level, straight" in out)


def test_plan_in_json_is_the_step_objects(capsys):
    code, out, _ = run(capsys, *SHORT, "--plan", "--json")
    plan = json.loads(out)["plan"]
    assert code == 0 and len(plan) >= 3
    assert all({"M", "T", "w_prev", "h_prev", "w", "h", "alpha_deg", "mode"} <= set(step) for step in plan)
    sides = [step["M"] for step in plan]
    assert all(a != b for a, b in pairwise(sides))


LONG = " ".join(f"0,{z / 100:.2f}" for z in range(200))  # longer than the name of a file may be


@pytest.mark.parametrize("path", ["-1,-2 0,1", "0,0 0,2", LONG])
def test_points_may_be_negative_and_many(capsys, path):
    assert run(capsys, "walk", "--path", path, "--fps", 10, "--json")[0] == 0


def test_no_mesh_is_animation_only(tmp_path, capsys):
    small, large = tmp_path / "a.glb", tmp_path / "b.glb"
    assert run(capsys, *SHORT, "-o", small, "--no-mesh")[0] == 0
    assert run(capsys, *SHORT, "-o", large)[0] == 0
    assert small.stat().st_size < large.stat().st_size


# measuring and drawing


def test_measure_passes_a_walk_and_speaks_json(walked, capsys):
    files, _ = walked
    code, out, err = run(capsys, "measure", files[0])
    assert code == 0 and err == "" and len(out.splitlines()) > 3
    code, out, _ = run(capsys, "measure", files[0], "--json")
    assert code == 0 and json.loads(out)["ground"] == "flat"


def test_measure_fails_feet_that_slide(walked, tmp_path, capsys):
    from dataclasses import replace

    from gambol.io import load, save

    motion = load(walked[0][0])
    skating = replace(motion, root=motion.root + [0.0, 0.0, 0.3] * motion.times[:, None])
    save(skating, tmp_path / "skate.npz")
    assert run(capsys, "measure", tmp_path / "skate.npz")[0] == 1


def test_render_draws_a_picture(walked, tmp_path, capsys):
    from PIL import Image

    target = tmp_path / "sheet.png"
    code, out, _ = run(capsys, "render", walked[0][0], "-o", target, "--strip", "--view", "side")
    assert code == 0 and str(target) in out
    with Image.open(target) as picture:
        assert np.asarray(picture.convert("L")).std() > 1
    assert "did you mean 'side'" in refused(capsys, "render", walked[0][0], "-o", target, "--view", "sid")


def test_dials_lists_every_dial(capsys):
    code, out, _ = run(capsys, "dials")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == [d.name for d in dials(ForceWalk)]
    assert "did you mean 'force'" in refused(capsys, "dials", "forse")


# what cannot be used


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["wlk"], 'Did you mean "walk"'),
        (["walk", "--sped", "1"], "--speed"),
        (["walk", "--fps", "fast"], "--fps"),
        (["walk", "--dial", "arm_swng=2"], "did you mean 'arm_swing'"),
        (["walk", "--dial", "arm_swing=99"], "0 to 2.5"),
        (["walk", "--dial", "arm_swing=nan"], "0 to 2.5"),
        (["walk", "--dial", "arm_swing"], "NAME=VALUE"),
        (["walk", "--dial", "arm_swing=big"], "'big' is not a number"),
        (["walk", "--preset", "papr"], "natural or paper"),
        (["walk", "--engine", "gpu"], "numpy or compiled"),
        (["walk", "--speed", "9"], "to .* m/s"),
        (["walk", "--speed", "nan"], "speed is nan"),
        (["walk", "--step-length", "1.2", "--speed", "1.5"], "at most"),
        (["walk", "--speed", "1", "--step-length", "0.6", "--cadence", "100"], "any two"),
        (["walk", "--height", "170"], "0.9 to 3.1 m"),
        (["walk", "--mass", "-1"], "positive"),
        (["walk", "--fps", "0"], "1 to 10000"),
        (["walk", "--fps", "nan"], "1 to 10000"),
        (["walk", "--laps", "0"], "1 or more"),
        (["walk", "--duration", "-1"], "0 or more"),
        (["walk", "--path", "0,0"], "at least two"),
        (["walk", "--path", "0,0 nan,2"], "point 2"),
        (["walk", "--path", "no_such_track.csv"], "no_such_track.csv"),
        (["walk", "--terrain", "no_such_hill.obj"], "no_such_hill.obj"),
        (["walk", "--terrain", "stiars:1,2,3"], "did you mean 'stairs'"),
        (["walk", "--terrain", "slope:80"], "-45 to 45"),
        (["walk", "--terrain", "stairs:0.7,0.3,4"], "a rise of 0.70 m"),
        (["walk", "--terrain-scale", "0.3"], "--terrain FILE"),
        (["walk", "--terrain-up", "z"], "--terrain FILE"),
        (["walk", "--terrain", "flat", "--terrain-scale", "0.3"], "neither scale"),
        (["walk", "--terrain", str(SLOPE), "--terrain-scale", "0"], "above 0"),
        (["walk", "--terrain", str(SLOPE), "--terrain-scale", "nan"], "above 0"),
        (["walk", "--terrain", str(SLOPE), "--terrain-scale", "big"], "--terrain-scale"),
        (["walk", "--terrain", str(SLOPE), "--terrain-up", "x"], "y or z"),
        (["walk", "--terrain", str(SLOPE.parent)], "a folder"),
        (["walk", "--path", str(SLOPE.parent)], "a folder"),
        (["measure", "no_such_walk.npz"], "no_such_walk.npz"),
        (["render", "no_such_walk.npz"], "no_such_walk"),
    ],
)
def test_a_bad_request_is_one_clear_message(capsys, words, message):
    import re

    assert re.search(message, refused(capsys, *words))


@pytest.mark.parametrize("bad", ["walk.gld", "walk", "missing/walk.glb"])
def test_no_file_is_written_where_one_of_them_cannot_be(tmp_path, capsys, bad):
    refused(capsys, *SHORT, "-o", tmp_path / "good.npz", "-o", tmp_path / bad)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_motion_is_refused(tmp_path, capsys):
    for name in ("a.npz", "a.bvh", "a.glb", "a.xyz"):
        (tmp_path / name).write_bytes(b"not a motion")
        assert name in refused(capsys, "measure", tmp_path / name)


def test_a_mesh_in_units_of_its_own_is_measured_and_drawn_as_it_was_walked(tmp_path, capsys):
    """The file holds scale and upward axis of its ground, in every format that can be measured."""
    from gambol.terrain import load_terrain

    ground, scale = tmp_path / "hill in feet.obj", 0.3048
    hill = load_terrain(SLOPE)
    lines = [f"v {z / scale!r} {x / scale!r} {y / scale!r}" for x, y, z in hill.vertices.tolist()]
    ground.write_text("\n".join([*lines, *("f " + " ".join(map(str, f + 1)) for f in hill.faces)]))
    words = ["--terrain", ground, "--terrain-scale", scale, "--terrain-up", "z"]
    targets = [tmp_path / f"walk{suffix}" for suffix in (".npz", ".glb")]
    outputs = [w for t in targets for w in ("-o", t)]
    assert run(capsys, "walk", "--path", "0,-1 0,1", *words, "--json", *outputs)[0] == 0
    for target in targets:
        code, out, _ = run(capsys, "measure", target, "--json")
        assert code == 0 and json.loads(out)["ground"] == f"{ground} scale=0.3048 up=z"
    assert run(capsys, "measure", targets[0], *words)[0] == 0
    assert run(capsys, "render", targets[0], "-o", tmp_path / "sheet.png")[0] == 0


# the parts


def test_a_near_suffix_is_named():
    with pytest.raises(GambolError, match=r"did you mean '\.glb'"):
        check_targets([Path("walk.gld")], (".npz", ".bvh", ".glb"))


def test_an_empty_form_is_the_default_task():
    from gambol.synthesis import Task

    task, default = WalkForm().task(read_scene(None, None), PaceForm()), Task()
    for key in ("body", "gait", "laps", "fps", "duration", "seed", "hand_load"):
        assert getattr(task, key) == getattr(default, key)
    assert WalkForm().method() == ForceWalk()


def test_dials_may_be_written_with_dashes():
    assert dial_values(ForceWalk, ["arm-swing=2", "lean = 0.1"]) == {"arm_swing": 2.0, "lean": 0.1}


def test_the_built_in_scene_by_name():
    path, ground = read_scene("demo", None)
    assert path is not None and path.length > 5
    assert type(read_ground("demo")) is type(ground)
    assert read_scene(None, "demo")[0] is not None


def test_contacts_are_unbroken_runs():
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.zeros((2, 3)), soles=(0, 1))
    planted = np.array([[1, 0], [1, 0], [0, 0], [1, 0], [1, 0]], bool)
    still = np.tile([1.0, 0, 0, 0], (5, 2, 1))
    motion = Motion(skeleton, np.zeros((5, 3)), still, 2.0, contacts=planted)
    assert contact_record(motion) == {"a": [[0.0, 0.5], [1.5, 2.0]], "b": []}
    bare = Motion(skeleton, np.zeros((0, 3)), np.zeros((0, 2, 4)), 2.0)
    assert contact_record(bare) == {} and facts(bare)["steps"] == 0 and sentences(bare)


def test_json_is_plain():
    from typing import NamedTuple

    class Pair(NamedTuple):
        a: float
        b: object

    pair = Pair(1.0, np.bool_(True))
    given = {1: np.float64(2), "n": math.nan, "v": (np.arange(2), [math.inf]), "p": pair}
    assert jsonable(given) == {"1": 2.0, "n": None, "v": [[0, 1], [None]], "p": {"a": 1.0, "b": True}}


def test_public_names_are_what_they_say_whatever_was_imported_before():
    """In one process, in any order: no name becomes the module that it comes from."""
    code = "from gambol import *; import gambol, types; " \
        "bad = [n for n in gambol.__all__ if isinstance(getattr(gambol, n), types.ModuleType)]; assert not bad, bad"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
