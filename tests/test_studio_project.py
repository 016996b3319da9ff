"""A project is one value: as JSON and back, refused where it is wrong, and the same clip with and without the page."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from studio_desk import WALK, Desk

from gambol.cli import main
from gambol.errors import GambolError
from gambol.studio.folder import Folder
from gambol.studio.project import Project, parsed, read_project, to_json
from gambol.studio.workshop import Kept

FILE = st.from_regex(r"[0-9a-f]{16}-[a-z]{1,9}\.glb", fullmatch=True)
WORD = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=9)
SMALL = st.floats(-100, 100)
DIALS = st.dictionaries(WORD, SMALL, max_size=3)
UNIT = st.sampled_from([[1.0, 0.0, 0.0, 0.0], [0.6, 0.8, 0.0, 0.0], [0.0, 0.0, -0.6, 0.8]])
PLACE = st.lists(SMALL, min_size=3, max_size=3)
POSE = st.fixed_dictionaries({"root": PLACE, "rotations": st.dictionaries(WORD, UNIT)})
MASS = st.none() | st.floats(2, 900)
FIGURE = st.one_of(
    st.fixed_dictionaries({"kind": st.just("person"), "height": st.floats(0.9, 3.1), "mass": MASS}),
    st.fixed_dictionaries({"kind": st.just("character"), "file": FILE}),
    st.fixed_dictionaries({"kind": st.just("model"), "model": st.sampled_from(["rose", "dog", "tree:7"])}),
    st.fixed_dictionaries({"kind": st.just("clip"), "file": FILE, "clip": st.none() | WORD}),
)
PROJECT = st.fixed_dictionaries({}, optional={
    "title": st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=20),
    "mode": st.sampled_from(["go", "drive", "dance", "view"]), "figure": FIGURE,
    "ground": st.one_of(
        st.builds(lambda t: {"text": t}, st.sampled_from(["flat", "slope:5", "demo"])),
        st.fixed_dictionaries({"file": FILE, "scale": st.floats(0.01, 10), "up": st.sampled_from("yz")})),
    "fps": st.floats(1, 1000), "seed": st.integers(0, 2**53), "camera": st.none() | DIALS,
    "go": st.fixed_dictionaries({}, optional={
        "points": st.lists(PLACE, max_size=4), "closed": st.booleans(),
        "speed": st.one_of(st.none(), st.floats(0, 9), st.lists(st.tuples(SMALL, SMALL).map(list), max_size=3)),
        "dials": st.dictionaries(WORD, DIALS, max_size=2), "style": st.none() | WORD, "clip": st.none() | FILE}),
    "drive": st.fixed_dictionaries({"commands": st.lists(
        st.tuples(SMALL, SMALL, SMALL, st.sampled_from(["walk", "run", "stand"])).map(list), max_size=3)}),
    "dance": st.fixed_dictionaries({}, optional={
        "keys": st.lists(st.fixed_dictionaries({"time": st.floats(0, 60), "pose": POSE, "jump": st.booleans(),
                                               "planted": st.none() | st.lists(WORD, max_size=2)}), max_size=3),
        "dials": DIALS, "music": st.none() | st.fixed_dictionaries({"file": FILE, "offset": SMALL}),
        "wind": st.none() | st.fixed_dictionaries({"speed": st.floats(0, 70)}),
        "postures": st.lists(st.fixed_dictionaries({"name": WORD, "pose": POSE}), max_size=2)}),
    "view": st.fixed_dictionaries({"file": FILE, "clip": st.none() | WORD}),
})  # fmt: skip


@given(PROJECT)
@settings(max_examples=80, deadline=None)
def test_a_project_comes_back_from_json_as_it_was(data):
    project = read_project(data)
    table = json.loads(json.dumps(to_json(project), allow_nan=False))
    assert read_project(table) == project and to_json(read_project(table)) == table


def test_what_is_missing_has_its_default():
    assert read_project({}) == Project() and read_project({"gambol": "project", "version": 1}) == Project()


@pytest.mark.parametrize(
    ("data", "where", "said"),
    [
        ([], "project", "no table"), ({"goo": 1}, "project", "did you mean 'go'?"),
        ({"version": 2}, "project", "update"),
        ({"go": {"pionts": []}}, "go", "did you mean 'points'?"), ({"fps": 0}, "fps", "from 1 to 1000"),
        ({"fps": True}, "fps", "number"), ({"go": {"points": [[0, 0]]}}, "go: points 1", "3 numbers"),
        ({"go": {"points": [[0, 0, float("nan")]]}}, "go: points 1", "nan"),
        ({"figure": {"kind": "character"}}, "figure", "no file"),
        ({"figure": {"kind": "character", "file": "/etc/passwd"}}, "figure: file", "no file of the studio"),
        ({"ground": {"text": "/etc/passwd"}}, "ground: text", "drop the file"),
        ({"ground": {"text": "x.obj"}}, "ground: text", "drop the file"), ({"seed": -1}, "seed", "whole"),
        ({"dance": {"keys": [{"pose": {"rotations": {"head": [0, 0, 0, 0]}}}]}}, "dance: keys 1: pose: head", "of len"),
        ({"drive": {"commands": [[0, 1, 0, "hop"]]}}, "drive: commands 1", "stand, walk, run"),
        ({"camera": "x" * 300_000}, "camera", "too large"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_its_entry(data, where, said):
    with pytest.raises(GambolError) as error:
        read_project(data)
    assert error.value.where == where and said in str(error.value)


@pytest.mark.parametrize("text", ["", "{", "NaN", "[Infinity]", "[" * 200_000, b"\xff"])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(GambolError, match="JSON"):
        parsed(text)


@pytest.mark.parametrize("suffix", [".glb", ".bvh", ".npz", ".json"])
def test_the_page_and_the_command_write_the_same_bytes(tmp_path, suffix, capsys):
    desk = Desk(tmp_path / "studio")
    desk.shop.warm.add("force")  # drafts alone may use it
    project = {"title": "A walk!", "seed": 3, "figure": {"height": 1.6}, "ground": {"text": "slope:4"}, **WALK}
    project["go"] = {**WALK["go"], "dials": {"force": {"sway": 1.5}}, "style": "proud"}
    with desk.client, desk.tab() as tab:
        desk.client.put("/api/projects/a walk", content=json.dumps(project).encode())
        made = tab.ask("export", project=project, suffix=suffix)["ok"]
        theirs = desk.client.get(made["url"]).content
        assert desk.client.get(made["url"]).status_code == 404  # once
    assert len(theirs) == made["bytes"]
    file = tmp_path / "studio" / "a walk.gambol.json"
    assert main(["make", str(file), "-o", str(tmp_path / "out"), "--clips", suffix[1:]]) == 0
    assert (tmp_path / "out" / made["name"]).read_bytes() == theirs
    assert made["name"] in capsys.readouterr().out


def test_a_wrong_project_is_refused_by_the_command_and_nothing_is_written(tmp_path, capsys):
    file = tmp_path / "p.json"
    file.write_text('{"gambol": "project", "go": {"points": [[0, 0, 0], [0, 0, 3]], "dials": {"force": {"swya": 1}}}}')
    assert main(["make", str(file), "-o", str(tmp_path / "out")]) == 2
    assert "did you mean 'sway'?" in capsys.readouterr().err and not list((tmp_path / "out").iterdir())


def test_kept_values_are_few_and_the_newest():
    made = []
    kept = Kept(lambda k: made.append(k) or k, most=3)
    for key in (1, 2, 3, 1, 4, 1, 2):
        assert kept(key) == key
    assert made == [1, 2, 3, 4, 2] and len(kept) == 3


def test_old_exports_that_nobody_fetched_are_removed(tmp_path):
    folder = Folder(tmp_path)
    for k in range(20):
        _, target = folder.export(f"{k}.bvh")
        target.write_text("x")
    assert len(list((tmp_path / "exports").iterdir())) == 16
