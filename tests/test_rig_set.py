"""Every clip of a set on every rig, measured by `gambol measure` on the file that was written."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_rig_walk import GAP, SLIDE, THEIRS

from gambol import quat
from gambol.cli import main
from gambol.clips import CLIPS
from gambol.dressing import dressed
from gambol.gait import Gait
from gambol.hands import hands_clear
from gambol.io import clips, load_character
from gambol.loop import loop
from gambol.methods import ForceWalk
from gambol.rig_body import body_of
from gambol.skeleton import Skeleton
from gambol.synthesis import Task
from gambol.terrain import Flat

CASES = Path(__file__).parent / "cases"


def judged(rig: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / f"set{'.glb' if rig.suffix == '.gltf' else rig.suffix}"
    assert main(["walk", "--set", "--character", str(rig), "-o", str(file)]) == 0
    assert set(CLIPS) <= set(clips(file))
    capsys.readouterr()
    for name in CLIPS:
        assert main(["measure", str(file), "--clip", name, "--json"]) == 0, name
        feet = json.loads(capsys.readouterr().out)["feet"]
        assert feet["recorded"] and feet["slide_mm"] <= SLIDE, name
        assert max(feet[k] for k in ("floating_mm", "sinking_mm", "swing_sinking_mm")) <= GAP, name
        assert feet["no_contact_share"] == 0 and feet["unmarked"] == 0, name


def test_the_set_on_short_legs(tmp_path, capsys):
    judged(CASES / "U001_short_legs.glb", tmp_path, capsys)


def test_hands_that_reach_the_ground_are_kept_off_it():
    """Elbows bend, alike in all clips of a ground, by just enough; nothing else moves."""
    rig = load_character(CASES / "U070_underscore_prefix.glb")
    joints, offsets = rig.roles.joints, np.array(rig.skeleton.offsets)
    body = body_of(rig.skeleton, rig.roles)
    made = [dressed(loop(ForceWalk(), Task(body=body, gait=Gait(v), fps=30.0)), rig) for v in (0.7, 1.3)]
    made = [replace(m, info={**m.info, "ground": "flat"}) for m in made]
    flat = {"flat": Flat()}
    assert all(a is b for a, b in zip(hands_clear(made, rig, flat), made))
    for side in ("left", "right"):
        for name in ("lower_arm", "hand"):
            offsets[joints[f"{side}_{name}"]] *= 3.4
    long = replace(rig, skeleton=Skeleton(rig.skeleton.names, rig.skeleton.parents, offsets, rig.skeleton.soles))
    hung = [replace(m, skeleton=long.skeleton) for m in made]
    hands = [joints["left_hand"], joints["right_hand"]]
    assert min(m.positions()[:, hands, 1].min() for m in hung) < 0
    clear = hands_clear(hung, long, flat)
    lowest = min(m.positions()[:, hands, 1].min() for m in clear)
    assert 0 <= lowest < 1e-3  # bent just so much
    elbows = [joints["left_lower_arm"], joints["right_lower_arm"]]
    rest = np.delete(np.arange(len(rig.skeleton)), elbows)
    bends = []
    for a, b in zip(hung, clear):
        np.testing.assert_array_equal(a.rotations[:, rest], b.rotations[:, rest])
        turned = quat.multiply(quat.conjugate(a.rotations[:, elbows]), b.rotations[:, elbows])
        bends.append(np.linalg.norm(quat.log(quat.normalize(turned)), axis=-1))
    assert np.ptp(np.concatenate(bends)) < 1e-6 and bends[0].min() > 0.1


@pytest.mark.parametrize("file", THEIRS)
def test_the_set_on_characters_of_others(data, file, tmp_path, capsys):
    judged(data / "characters" / file, tmp_path, capsys)
