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
