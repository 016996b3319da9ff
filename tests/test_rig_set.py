"""Every clip of a set on every rig, measured by `gambol measure` on the file that was written."""

import json
from pathlib import Path

import pytest
from test_rig_walk import GAP, SLIDE, THEIRS

from gambol.cli import main
from gambol.clips import CLIPS
from gambol.io import clips

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


@pytest.mark.parametrize("file", THEIRS)
def test_the_set_on_characters_of_others(data, file, tmp_path, capsys):
    judged(data / "characters" / file, tmp_path, capsys)
