"""What holds for every format in the table."""

import os
from dataclasses import replace

import numpy as np
import pytest
from files import Plane, same_turns, still, wander
from hypothesis import given
from hypothesis import strategies as st

from gambol.errors import GambolError
from gambol.io import FORMATS, Source, clips, load, save
from gambol.io.source import Extra

TRIALS = {".trc", ".mot", ".sto"}  # they take what they hold of a motion, and give a trial back
BOTH = [s for s, row in FORMATS.items() if row.encode and row.decode and s not in TRIALS]
READ = [s for s, row in FORMATS.items() if row.decode]
# Largest error of a joint position, m: exact; six decimals of a centimetre and a degree; 32-bit numbers.
PRECISION = {".npz": 0.0, ".json": 0.0, ".csv": 0.0, ".bvh": 1e-6, ".glb": 1e-6}
CONTACTS = {".npz", ".json", ".csv", ".glb"}
BARE = Extra(mesh=False)


def there_and_back(motion, suffix, extra=BARE):
    row = FORMATS[suffix]
    return row.decode(row.encode(motion, extra), Source("clip" + suffix))


@pytest.mark.parametrize("suffix", BOTH)
def test_a_round_trip_keeps_joint_positions_rate_and_soles(suffix):
    motion = wander(120)
    back = there_and_back(motion, suffix)
    assert back.skeleton.names == motion.skeleton.names and back.skeleton.soles == motion.skeleton.soles
    assert np.array_equal(back.skeleton.parents, motion.skeleton.parents)
    np.testing.assert_array_equal(back.skeleton.offsets[1:], motion.skeleton.offsets[1:])
    np.testing.assert_allclose(back.skeleton.offsets[0], motion.skeleton.offsets[0], atol=1e-12)
    assert len(back) == len(motion) and back.fps == motion.fps and back.duration == motion.duration
    assert np.abs(back.positions() - motion.positions()).max() <= PRECISION[suffix]
    assert same_turns(back.rotations, motion.rotations) < 2e-7
    if suffix in CONTACTS:
        np.testing.assert_array_equal(back.contacts, motion.contacts)
        for key in ("info", "mass", "cyclic", "name"):
            assert getattr(back, key) == getattr(motion, key)


@pytest.mark.parametrize("suffix", BOTH)
@given(fps=st.one_of(st.sampled_from([23.976, 29.97, 59.94, 24.0, 60.0, 120.0, 29.47591817]),
                     st.integers(100, 1_000_000).map(lambda n: n / 1000)))
def test_any_rate_comes_back_exactly(suffix, fps):
    motion = replace(still(3), fps=fps)
    back = there_and_back(motion, suffix)
    assert back.fps == fps and back.duration == motion.duration


@pytest.mark.parametrize("suffix", BOTH)
def test_one_frame_and_a_still_clip_are_clips(suffix):
    for motion in (wander(1), still(9), still(1)):
        back = there_and_back(motion, suffix)
        assert len(back) == len(motion)
        assert np.abs(back.positions() - motion.positions()).max() <= PRECISION[suffix]


@pytest.mark.parametrize("suffix", BOTH)
def test_joints_that_leave_their_offset_come_back(suffix):
    motion = wander(20)
    moves = np.broadcast_to(motion.skeleton.offsets, (20, len(motion.skeleton), 3)).copy()
    moves[:, 0] = motion.root
    moves[:, 4] += 0.01 * np.sin(np.arange(20))[:, None]
    back = there_and_back(replace(motion, translations=moves), suffix)
    assert back.translations is not None
    np.testing.assert_allclose(back.translations, moves, atol=1e-6)


@pytest.mark.parametrize("suffix", BOTH)
def test_the_same_motion_gives_the_same_bytes(suffix):
    encode = FORMATS[suffix].encode
    extra = Extra(mesh=True, terrain=Plane())
    assert encode(wander(10), extra) == encode(wander(10), extra)


@pytest.mark.parametrize("suffix", BOTH)
def test_planted_points_stay_planted(suffix):
    """A foot held in place by moving the root stays there in the file."""
    motion = wander(60, step=0.02)
    sole = motion.skeleton.index("left_heel")
    held = replace(motion, root=motion.root - motion.positions()[:, sole] + [100.0, 0.0, -40.0])
    track = there_and_back(held, suffix).positions()[:, sole]
    assert np.abs(track - track[0]).max() < 3e-5  # 32-bit keys a hundred metres from the origin


@pytest.mark.parametrize("suffix", BOTH)
def test_a_file_is_whole_or_not_there(suffix, tmp_path, monkeypatch):
    target = tmp_path / f"walk{suffix}"
    save(wander(5), target, mesh=False)
    before = target.read_bytes()
    assert clips(target) and len(load(target)) == 5
    assert [p.name for p in tmp_path.iterdir()] == [target.name]

    def broken(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(GambolError, match="No space left"):
        save(wander(6), target, mesh=False)
    assert target.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize("suffix", BOTH)
def test_a_missing_folder_is_named_and_not_made(suffix, tmp_path):
    with pytest.raises(GambolError, match="does not exist"):
        save(wander(2), tmp_path / "nowhere" / f"a{suffix}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", READ)
def test_a_missing_file_and_a_missing_clip_are_named(suffix, tmp_path):
    for ask in (load, clips):
        with pytest.raises(GambolError, match="no such file"):
            ask(tmp_path / f"a{suffix}")


@pytest.mark.parametrize("name", ["walk.glbb", "walk", "walk.max", "walk.GLBX"])
def test_an_unknown_suffix_lists_the_known_ones(name, tmp_path):
    with pytest.raises(GambolError, match=r"\.npz, \.bvh, \.glb"):
        save(wander(2), tmp_path / name)
    with pytest.raises(GambolError, match=r"\.npz, \.bvh, \.glb"):
        load(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_close_suffix_is_suggested_and_case_does_not_matter(tmp_path):
    with pytest.raises(GambolError, match=r"did you mean \.glb"):
        save(wander(2), tmp_path / "a.glbb")
    save(wander(2), tmp_path / "a.BVH")
    assert load(tmp_path / "a.BVH").name == "a"


@pytest.mark.parametrize("suffix", READ)
@given(data=st.data())
def test_torn_and_changed_files_are_errors_or_motions_and_nothing_else(suffix, data):
    whole = FORMATS[suffix if suffix in BOTH else ".glb"].encode(wander(3), Extra(mesh=False))
    cut = data.draw(st.integers(0, len(whole)))
    torn = bytearray(whole[:cut])
    for _ in range(data.draw(st.integers(0, 4)) if torn else 0):
        torn[data.draw(st.integers(0, len(torn) - 1))] = data.draw(st.integers(0, 255))
    try:
        motion = FORMATS[suffix].decode(bytes(torn), Source("torn" + suffix))
    except GambolError as error:
        assert "torn" in str(error)
    else:
        assert np.isfinite(motion.rotations).all()


@pytest.mark.parametrize("suffix", READ)
@given(data=st.binary(max_size=200))
def test_noise_is_refused(suffix, data):
    with pytest.raises(GambolError):
        FORMATS[suffix].decode(data, Source("noise"))
