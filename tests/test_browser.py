"""Files opened in headless Chromium by three.js. Run by ``make test-browser``."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from files import Plane, still, wander

from gambol.io import load, save
from gambol.io.vrma import in_t_pose
from gambol.roles import roles_of

pytestmark = pytest.mark.browser
FOLDER = Path(__file__).parent / "browser"
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), "")


def read_back(rate, *files):
    """What GLTFLoader makes of each file."""
    if not CHROMIUM:
        pytest.skip("needs chromium: apt install chromium, or CHROMIUM=/path/to/it")
    if not (FOLDER / "node_modules" / "three").is_dir():
        pytest.skip("needs node, and: npm install in tests/browser")
    done = subprocess.run(
        ["node", str(FOLDER / "read_back.mjs"), str(rate), *map(str, files)], cwd=FOLDER, capture_output=True,
        text=True, timeout=300, env={**os.environ, "CHROMIUM": CHROMIUM},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_three_js_opens_what_is_written(tmp_path, cases):
    """Joints within 1 mm, length within half a frame, the rest pose as it was; U037 keeps its rate."""
    motions = {
        "skinned": wander(40, fps=29.476, step=0.02), "still": still(5), "one": wander(1, fps=29.476),
        "recorded": load(cases / "U037_rate_29_476.bvh"),
    }
    for name, motion in motions.items():
        save(motion, tmp_path / f"{name}.glb", mesh=name == "skinned", terrain=Plane() if name == "skinned" else None)
    for name, motion in motions.items():
        (seen,) = read_back(motion.fps, tmp_path / f"{name}.glb")
        names = motion.skeleton.names
        assert abs(seen["duration"] - motion.duration) < 0.5 / motion.fps, name
        assert len(seen["frames"]) == len(motion)
        positions = np.array([[frame[n] for n in names] for frame in seen["frames"]])
        assert np.abs(positions - motion.positions()).max() < 1e-3, name
        rest = np.array([seen["rest"][n] for n in names])
        assert np.abs(rest - motion.skeleton.rest_positions()).max() < 1e-3, name
        assert (seen["skinned"] > 0) == (name == "skinned")


def test_a_vrm_player_takes_the_clip(tmp_path):
    """three-vrm's own loader: every bone, its turns against the T-pose, and the way of the hips."""
    motion = wander(20, fps=30.0, step=0.02)
    save(motion, tmp_path / "a.vrma")
    (seen,) = read_back(30, tmp_path / "a.vrma")
    want = in_t_pose(motion, roles_of(motion.skeleton))
    vrm = seen["vrm"]
    assert abs(vrm["duration"] - motion.duration) < 0.5 / motion.fps and len(vrm["turns"]) == len(want.skeleton)
    np.testing.assert_allclose(vrm["hips"], want.skeleton.offsets[0], atol=1e-6)
    np.testing.assert_allclose(np.reshape(vrm["travel"], (-1, 3)), want.root, atol=1e-6)
    for j, name in enumerate(want.skeleton.names):
        first, *rest = name.split("_")
        turns = np.reshape(vrm["turns"][first + "".join(w.capitalize() for w in rest)], (-1, 4))[:, [3, 0, 1, 2]]
        assert np.abs(np.abs((turns * want.rotations[:, j]).sum(-1)) - 1).max() < 1e-6
