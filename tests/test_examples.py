"""The examples run as they stand, each in a folder of its own, and write the files they name."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

# Those with a number; blender_walk.py runs inside Blender, in test_blender.py.
EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("[0-9]*.py"))
WRITTEN = re.compile(r"\w+\.(?:glb|bvh|npz|csv|obj)")
LONGEST = 60  # lines


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda f: f.stem)
def test_example(file, tmp_path):
    done = subprocess.run([sys.executable, "-W", "error", str(file)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() and not done.stderr
    named = set(WRITTEN.findall(file.read_text(encoding="utf-8").split('"""', 2)[2]))
    assert named <= {f.name for f in tmp_path.iterdir()}
    assert all(f.stat().st_size > 0 for f in tmp_path.iterdir())


def test_examples_are_numbered_and_short():
    assert [int(f.stem[:2]) for f in EXAMPLES] == list(range(1, len(EXAMPLES) + 1))
    for file in EXAMPLES:
        text = file.read_text(encoding="utf-8")
        assert text.startswith('"""') and text.count("\n") <= LONGEST, file.name
