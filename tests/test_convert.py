"""One file into another: found, changed and lost are said; sources stay as they are."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from files import wander

from gambol import quat
from gambol.cli import main
from gambol.convert import Wanted, convert, in_place, pairs
from gambol.errors import GambolError
from gambol.io import load_motion, save
from gambol.io.axes import AXES, axis, quarter_turn, scaled, turned
from gambol.methods.force_walk import ForceWalk
from gambol.path import parse_path
from gambol.synthesis import Task, generate


@pytest.fixture(scope="module")
def walk():
    return generate(ForceWalk(), Task(path=parse_path("0,0 0,4"), fps=50.0))


# axes


@pytest.mark.parametrize("name", AXES)
def test_a_quarter_turn_brings_any_axis_onto_any_other(name):
    for other in AXES:
        turn = quarter_turn(axis(name), axis(other))
        np.testing.assert_allclose(quat.rotate(turn, axis(name)), axis(other), atol=1e-12)
        assert np.linalg.norm(turn) == pytest.approx(1)


def test_a_turned_motion_is_the_same_motion_in_other_axes():
    motion = wander(20)
    turn = quat.exp(np.array([0.3, -1.1, 0.7]))
    out = turned(motion, turn)
    np.testing.assert_allclose(out.positions(), quat.rotate(turn, motion.positions()), atol=1e-12)
    np.testing.assert_allclose(out.skeleton.rest_positions(), quat.rotate(turn, motion.skeleton.rest_positions()))
    np.testing.assert_allclose(out.forces, quat.rotate(turn, motion.forces))
    back = turned(out, quat.conjugate(turn))
    np.testing.assert_allclose(back.root, motion.root, atol=1e-12)
    assert np.abs(np.abs((back.rotations * motion.rotations).sum(-1)) - 1).max() < 1e-12


def test_the_rest_pose_can_be_turned_alone():
    motion, turn = wander(20), quat.exp(np.array([1.5, 0.2, 0]))
    out = turned(motion, quat.IDENTITY, turn)
    np.testing.assert_allclose(out.positions(), motion.positions(), atol=1e-12)
    np.testing.assert_allclose(out.skeleton.rest_positions(), quat.rotate(turn, motion.skeleton.rest_positions()))


def test_scaling_scales_all_lengths():
    motion = wander(5)
    out = scaled(motion, 2.5)
    np.testing.assert_allclose(out.positions(), 2.5 * motion.positions(), atol=1e-12)
    np.testing.assert_allclose(out.com, 2.5 * motion.com)
    np.testing.assert_array_equal(out.forces, motion.forces)


# travel


def test_travel_is_the_way_of_the_root_and_in_place_has_none(walk, tmp_path):
    """With travel, the root goes as far as the path is long, in every format; without, it sways on the spot."""
    for suffix in (".glb", ".bvh", ".npz"):
        for still in (False, True):
            source, target = tmp_path / "walk.npz", tmp_path / f"out{suffix}"
            save(walk, source)
            convert(source, target, Wanted(in_place=still))
            root = load_motion(target).root
            went = np.linalg.norm((root[-1] - root[0])[[0, 2]])
            assert went == pytest.approx(0.0 if still else 4.0, abs=0.02)
            if still:
                assert np.abs(root[:, [0, 2]] - root[0, [0, 2]]).max() < 0.25
            np.testing.assert_allclose(root[:, 1], walk.root[:, 1], atol=1e-6)


def test_in_place_leaves_what_stays_and_takes_all_fields_along():
    motion = wander(30)
    out = in_place(motion)
    shift = out.root - motion.root
    np.testing.assert_allclose(out.com - motion.com, shift, atol=1e-12)
    assert np.abs(shift[:, 1]).max() == 0 and np.abs(shift[0]).max() < 1e-12
    np.testing.assert_array_equal(out.rotations, motion.rotations)
    assert len(in_place(motion[:1])) == 1
    loop = replace(motion, cyclic=True)
    line = in_place(loop).root - loop.root
    np.testing.assert_allclose(np.diff(line, n=2, axis=0), 0, atol=1e-12)


# the command


def run(*words):
    return main([str(w) for w in words])


def test_one_line_says_what_was_found_changed_and_lost(tmp_path, cases, capsys):
    assert run("convert", cases / "U057_nan_rows.bvh", "-o", tmp_path / "a.glb") == 0
    line = capsys.readouterr().out
    assert line.count("\n") == 1 and "30 frames at 30 a second" in line and "in cm" in line
    assert "changed: 'Hips' is not a number in frames 20: filled" in line
    assert np.isfinite(load_motion(tmp_path / "a.glb").positions()).all()
    save(wander(5), tmp_path / "full.npz")
    assert run("convert", tmp_path / "full.npz", "-o", tmp_path / "b.bvh") == 0
    assert "lost: contacts, ground reaction forces, centre of pressure, centre of mass" in capsys.readouterr().out


def test_a_folder_is_converted_with_all_below_it_and_one_bad_file_stops_nothing(tmp_path, cases, capsys):
    tree = tmp_path / "in" / "deep"
    tree.mkdir(parents=True)
    for name, place in (("U004_declared_20_has_21.bvh", tree), ("U097_single_frame.bvh", tmp_path / "in")):
        (place / name).write_bytes((cases / name).read_bytes())
    (tree / "notes.txt").write_text("no motion")
    (tree / "torn.bvh").write_text("HIERARCHY")
    before = {f: f.read_bytes() for f in (tmp_path / "in").rglob("*") if f.is_file()}
    assert run("convert", tmp_path / "in", "-o", tmp_path / "out", "--to", "npz", "--json") == 2
    report = json.loads(capsys.readouterr().out)
    assert report["failed"] == 1 and len(report["files"]) == 3
    assert [bool(f.get("error")) for f in report["files"]] == [False, False, True]
    assert "no ROOT" in report["files"][2]["error"] and report["files"][1]["found"]["frames"] == 21
    written = sorted(f.relative_to(tmp_path / "out") for f in (tmp_path / "out").rglob("*") if f.is_file())
    assert [str(f) for f in written] == ["U097_single_frame.npz", "deep/U004_declared_20_has_21.npz"]
    assert {f: f.read_bytes() for f in before} == before


def test_what_is_found_can_be_overruled(tmp_path, cases):
    source = cases / "U001_walk_planted.bvh"
    plain = load_motion(source)
    assert run("convert", source, "-o", tmp_path / "a.npz", "--unit", "in", "--fps", "60", "--up=-z") == 0
    odd = load_motion(tmp_path / "a.npz")
    assert odd.fps == 60
    np.testing.assert_allclose(odd.positions()[..., 1], -2.54 * plain.positions()[..., 2], atol=1e-9)


@pytest.mark.parametrize(("words", "message"), [
    ((), "no file is given"),
    (("a.npz", "b.npz"), "several files go into a folder"),
    (("a.npz", "--unit", "ell"), "'ell' is no unit"),
    (("a.npz", "--up", "w"), "'w' is no axis"),
    (("a.npz", "--front", "y"), "is up or down"),
    (("a.npz", "--fps", "0"), "0 frames a second"),
    (("a.npz", "--to", "npz"), "would be replaced"),
])
def test_what_cannot_be_asked_is_refused_in_a_line(tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    save(wander(3), "a.npz")
    save(wander(3), "b.npz")
    before = sorted(f.name for f in tmp_path.iterdir())
    output = "." if "--to" in words or "b.npz" in words else "c.npz"
    assert run("convert", *words, "-o", output) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert sorted(f.name for f in tmp_path.iterdir()) == before


def test_two_files_that_would_get_one_name_are_refused(tmp_path):
    for name in ("a.npz", "a.bvh"):
        save(wander(3), tmp_path / name)
    with pytest.raises(GambolError, match="would both be"):
        pairs([tmp_path], tmp_path / "out", "glb")


def test_a_bar_is_drawn_for_long_work_that_somebody_watches(monkeypatch):
    from gambol.progress import watched

    class Terminal(io.StringIO):
        def __init__(self, watched_by_somebody):
            super().__init__()
            self.isatty = lambda: watched_by_somebody

    for somebody, count in ((True, 5), (True, 2), (False, 5)):
        shown = Terminal(somebody)
        monkeypatch.setattr("sys.stderr", shown)
        assert list(watched(range(count), "files")) == list(range(count))
        assert ("4 of 5 files" in shown.getvalue()) == (somebody and count > 3)
        assert shown.getvalue().endswith("\r\033[K") or not shown.getvalue()
