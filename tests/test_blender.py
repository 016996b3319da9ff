"""Files opened in Blender by its own importers. Run by ``make test-blender``: bpy lives in a process of its own."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from files import Plane, wander

from gambol import Body, ForceWalk, Task, generate
from gambol.io import load, save
from gambol.skeleton import Skeleton

pytestmark = pytest.mark.blender
HERE = Path(__file__).parent
MILLIMETRE = 1e-3


def blender(script, *words):
    """Run a script of tests/blender, or an example, in the Python that has bpy; what it prints."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment["PYTHONPATH"] = str(HERE.parent / "src")
    command = [os.environ["GAMBOL_BLENDER"], str(script), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def read_back(file, rate, tmp_path):
    """Rest positions (J, 3), positions (F, J, 3) and facts, as Blender has them."""
    blender(HERE / "blender" / "read_back.py", file, rate, tmp_path / "out.npz")
    out = np.load(tmp_path / "out.npz")
    return out["rest"], out["positions"], json.loads(str(out["facts"]))


def agrees(motion, rest, positions, facts, root_rest=True):
    """Within 1 mm, and half a frame. End sites of a BVH are no bones of Blender's."""
    bones = [j for j, n in enumerate(motion.skeleton.names) if n in facts["names"]]
    assert all(motion.skeleton.names[j].endswith("_end") for j in set(range(len(motion.skeleton))) - set(bones))
    order = [facts["names"].index(motion.skeleton.names[j]) for j in bones]
    assert abs(facts["duration"] - motion.duration) < 0.5 / motion.fps
    assert len(positions) == len(motion)
    assert np.abs(positions[:, order] - motion.positions()[:, bones]).max() < MILLIMETRE
    want, found = motion.skeleton.rest_positions()[bones], rest[order]
    assert np.abs((found - want) - (0 if root_rest else found[0] - want[0])).max() < MILLIMETRE


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".usdc", ".usda"])
def test_blender_opens_what_is_written(suffix, tmp_path):
    """Joints within 1 mm, length within half a frame, the rest pose as it was, the skin on the figure."""
    motion = wander(40, step=0.02)
    file = tmp_path / f"walk{suffix}"
    save(motion, file, terrain=Plane())
    rest, positions, facts = read_back(file, motion.fps, tmp_path)
    agrees(motion, rest, positions, facts, root_rest=suffix != ".bvh")  # a BVH's root rests at its OFFSET, which is 0
    if suffix != ".bvh":
        from gambol.mannequin import deform, mannequin
        from gambol.skeleton import forward_kinematics

        skin = deform(
            mannequin(motion.skeleton), motion.skeleton,
            *forward_kinematics(motion.skeleton, motion.root[0], motion.rotations[0]),
        )
        np.testing.assert_allclose(facts["skin"], [skin.min(0), skin.max(0)], atol=MILLIMETRE)


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".usdc"])
def test_the_rate_of_a_recording_is_kept(suffix, cases, tmp_path):
    """U037: 60 frames, 2.04 s, at 29.476 frames a second."""
    motion = load(cases / "U037_rate_29_476.bvh")
    save(motion, tmp_path / f"a{suffix}", mesh=False)
    rest, positions, facts = read_back(tmp_path / f"a{suffix}", motion.fps, tmp_path)
    assert facts["duration"] + 1 / motion.fps == pytest.approx(2.04, abs=0.5 / 29.476)  # the last frame's time too
    agrees(motion, rest, positions, facts, root_rest=False)


def test_names_that_usd_cannot_have_do_not_lose_joints(tmp_path):
    skeleton = Skeleton(("rig:Hips", "Spine.001", "9 lives"), np.array([-1, 0, 1]), np.eye(3), ())
    motion = wander(5, skeleton=skeleton)
    save(motion, tmp_path / "a.usda")
    _, positions, facts = read_back(tmp_path / "a.usda", motion.fps, tmp_path)
    assert facts["names"] == ["rig_Hips", "Spine_001", "_9_lives"]
    assert np.abs(positions - motion.positions()).max() < MILLIMETRE


def test_fbx_of_blender_is_read(tmp_path):
    """A walk that went through Blender's FBX exporter: scaled and turned armature, bones along their own y axis."""
    motion = wander(20, fps=30.0, step=0.02)
    save(motion, tmp_path / "a.glb")
    blender(HERE / "blender" / "write_fbx.py", tmp_path / "a.glb", 30, 20, tmp_path / "a.fbx")
    back = load(tmp_path / "a.fbx")
    order = [back.skeleton.index(n) for n in motion.skeleton.names]
    assert back.fps == 30 and len(back) == len(motion)
    assert np.abs(back.positions()[:, order] - motion.positions()).max() < MILLIMETRE
    assert np.abs(back.skeleton.rest_positions()[order] - motion.skeleton.rest_positions()).max() < MILLIMETRE


def test_a_character_walks_along_a_curve_over_a_mesh(tmp_path):
    """U017, U037, U089: one new action on the user's rig; other actions, the rate and the selection as they were."""
    ready = generate(ForceWalk(), Task(body=Body(1.6), fps=30, duration=1.0))
    save(ready, tmp_path / "rig.glb")
    example = HERE.parent / "examples" / "blender_walk.py"
    blender(HERE / "blender" / "run_walk.py", example, tmp_path / "rig.glb", tmp_path / "out.npz")
    out = np.load(tmp_path / "out.npz")
    facts = json.loads(str(out["facts"]))
    assert facts["new"] == [facts["active"]] == ["gambol walk"] and facts["grown"] == {"actions": 1}
    assert facts["others"] == [facts["was"]] and facts["others_same"] and facts["kept"]
    assert facts["rate_same"] and facts["first"] == 5 and "UNDO" in facts["undo"]
    assert facts["selected"] == ["figure", "ground", "way"] and len(facts["modes"]) == 4
    assert "0 curves are selected" in facts["refused"] and facts["actions_after"] == 2
    # The bones are where the motion has its joints, planted soles stay, and the sole lies on the slope.
    order = [facts["names"].index(n) for n in facts["joints"]]
    seen, contacts = out["positions"][:, order], out["contacts"]
    assert np.abs(seen - out["motion"]).max() < MILLIMETRE
    soles = [facts["joints"].index(n) for n in facts["soles"]]
    for column, sole in enumerate(soles):
        edges = np.flatnonzero(np.diff(np.pad(contacts[:, column].astype(np.int8), 1))).reshape(-1, 2)
        for first, end in edges:
            stay = seen[first:end, sole]
            assert np.linalg.norm(stay - stay[0], axis=1).max() < MILLIMETRE
            assert np.abs(stay[:, 1] - facts["rise"] * stay[:, 0]).max() < 3 * MILLIMETRE
    hips = seen[:, facts["joints"].index("hips")]
    np.testing.assert_allclose(hips[-1, [0, 2]], [4.0, -1.5], atol=0.1)  # the end of the curve


def test_the_example_is_ready_without_gambol(tmp_path):
    """U089: registering never fails, and what is missing is said in one line."""
    program = f"""
import runpy, sys, bpy
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name == "gambol":
            raise ImportError("no gambol")
sys.meta_path.insert(0, Gone())
bpy.ops.wm.read_factory_settings(use_empty=True)
runpy.run_path({str(HERE.parent / "examples" / "blender_walk.py")!r}, run_name="__main__")
try:
    bpy.ops.object.gambol_walk()
except RuntimeError as error:
    print("said:", str(error).strip())
"""
    (tmp_path / "gone.py").write_text(program)
    assert "said: Error: gambol is not installed in Blender's Python: no gambol" in blender(tmp_path / "gone.py")
