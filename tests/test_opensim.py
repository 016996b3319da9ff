"""TRC, MOT and STO: written and read again, and recordings against a parser of the tests' own."""

import re

import numpy as np
import pytest
from files import wander
from hypothesis import given
from hypothesis import strategies as st

from gambol.errors import GambolError
from gambol.io import FORMATS, Source, load, save
from gambol.io.sound import decoded
from gambol.motion import Plate, Trial

TABLES = [".mot", ".sto"]


def trial(frames=40, seed=0):
    rng = np.random.default_rng(seed)
    points = rng.normal(0, 1, (frames, 3, 3))
    points[5:9, 1] = np.nan
    points[:, 2][-3:] = np.nan  # to the end of the line
    return Trial(("LHEE", "R.Toe.Tip", "head top"), points, 59.94, start_s=1.5, name="walk")


def there_and_back(content, suffix):
    return FORMATS[suffix].decode(FORMATS[suffix].encode_trial(content), Source("a" + suffix))


def test_markers_come_back_with_their_gaps():
    want = trial()
    back = there_and_back(want, ".trc")
    assert back.markers == want.markers and back.fps == want.fps and back.start_s == want.start_s
    np.testing.assert_allclose(back.points, want.points, atol=1e-8)
    np.testing.assert_array_equal(np.isnan(back.points), np.isnan(want.points))


def test_a_motion_is_written_with_its_joints_as_markers(tmp_path):
    motion = wander(20)
    save(motion, tmp_path / "a.trc")
    back = load(tmp_path / "a.trc")
    assert back.markers == motion.skeleton.names and back.fps == motion.fps
    np.testing.assert_allclose(back.points, motion.positions(), atol=1e-8)


@pytest.mark.parametrize("suffix", TABLES)
def test_the_ground_reaction_of_a_motion_is_written_as_external_loads(suffix, tmp_path):
    """U144: force per foot is exported; unloaded points are 0 in the file and absent again when it is read."""
    motion = wander(30)
    force = np.abs(motion.forces) + [0, 50.0, 0]
    force[:10, 0] = 0.0
    from dataclasses import replace

    motion = replace(motion, forces=force, pressure=np.where(force[..., 1:2] > 0, motion.pressure, np.nan))
    save(motion, tmp_path / f"a{suffix}")
    text = (tmp_path / f"a{suffix}").read_text()
    assert "nRows=30\n" in text and "nColumns=19\n" in text and "nan" not in text
    back = load(tmp_path / f"a{suffix}")
    assert back.analog_fps == pytest.approx(motion.fps, rel=1e-9) and [p.name for p in back.plates] == [
        "left_ground_force", "right_ground_force"]
    for k, plate in enumerate(back.plates):
        np.testing.assert_allclose(plate.force, force[:, k], rtol=1e-8)
        shown = ~np.isnan(plate.pressure[:, 0])
        np.testing.assert_allclose(plate.pressure[shown], np.nan_to_num(motion.pressure[shown, k]), rtol=1e-8)
    assert np.isnan(back.plates[0].pressure[:10]).all()


def test_a_motion_without_forces_is_refused():
    from dataclasses import replace

    with pytest.raises(GambolError, match="without forces"):
        FORMATS[".mot"].encode(replace(wander(3), forces=None), None)
    with pytest.raises(GambolError, match="no markers"):
        FORMATS[".trc"].encode_trial(Trial((), np.zeros((3, 0, 3)), 10.0))
    with pytest.raises(GambolError, match="no force plates"):
        FORMATS[".mot"].encode_trial(trial())


@pytest.mark.parametrize("suffix", TABLES)
def test_force_plates_become_a_table_and_come_back(suffix):
    rng = np.random.default_rng(2)
    force = np.abs(rng.normal(0, 300, (50, 3))) + [0, 60.0, 0]
    force[20:30] = 0.0
    point = np.where(force[:, 1:2] > 0, rng.normal(0, 1, (50, 3)), np.nan)
    plate = Plate(np.full((4, 3), 0.0), force, point, np.where(force[:, 1] > 0, 1.25, np.nan), 2, "plate 1")
    want = Trial(("A",), np.zeros((10, 1, 3)), 20.0, (plate,), analog_fps=100.0, start_s=0.25)
    back = there_and_back(want, suffix)
    assert back.analog_fps == 100.0 and back.start_s == 0.25
    np.testing.assert_allclose(back.plates[0].force, force, rtol=1e-8)
    np.testing.assert_allclose(back.plates[0].pressure, point, rtol=1e-7)
    np.testing.assert_allclose(back.plates[0].moment, plate.moment, rtol=1e-7)


@pytest.mark.parametrize("suffix", TABLES)
def test_a_table_comes_back_with_its_columns(suffix):
    angles = np.random.default_rng(0).normal(0, 60, (30, 3))
    want = Trial((), np.zeros((30, 0, 3)), 100.0, channels=("hip_flexion_r", "knee_angle_r", "pelvis_tx"),
                 analog=angles, analog_fps=100.0, units=("deg", "deg", "m"), start_s=0.4)
    back = there_and_back(there_and_back(want, suffix), suffix)
    assert back.channels == want.channels and back.units == want.units and back.start_s == 0.4
    np.testing.assert_allclose(back.analog, angles, rtol=1e-8)


def test_columns_of_several_components_and_steps_that_are_not_even():
    text = "quaternions\nDataType=Quaternion\nversion=3\nendheader\ntime\tpelvis\n"
    rows = "".join(f"{t}\t1,{t},0,0\n" for t in (0.0, 0.01, 0.02, 0.035, 0.04))
    back = FORMATS[".sto"].decode((text + rows).encode(), Source("a.sto"))
    assert back.channels == ("pelvis_1", "pelvis_2", "pelvis_3", "pelvis_4") and back.analog_fps == 100.0
    np.testing.assert_allclose(back.analog[:, 1], np.arange(5) / 100, atol=1e-12)
    assert "not evenly spaced" in back.info["notes"][0]


# recordings


def plain_rows(path, first):
    """Numbers of a table from line ``first`` on, empty fields as NaN: the tests' own way."""
    lines = [line.rstrip("\n").rstrip("\r") for line in path.read_text().split("\n")[first:]]
    split = [re.split(r"\t", line) if "\t" in line else line.split() for line in lines if line.strip()]
    return np.array([[float(x) if x.strip() else np.nan for x in row[: len(split[0])]] for row in split])


@pytest.mark.parametrize("name, markers, frames, rate", [
    ("opensim_subject01/walk1.trc", 41, 151, 60.0), ("opensim_run/motion_capture_run.trc", 78, 123, 150.0)])
def test_recorded_markers(data, name, markers, frames, rate):
    path = data / "gait" / name
    got, rows = load(path), plain_rows(path, 6 if "walk1" in name else 5)
    assert got.points.shape == (frames, markers, 3) and got.fps == rate and got.info["notes"] == []
    want = rows[-frames:, 2 : 2 + 3 * markers].reshape(frames, markers, 3) / 1000
    np.testing.assert_allclose(got.points, want, atol=1e-12)


@pytest.mark.parametrize("name, rows, columns, rate", [
    ("opensim_run/grf_run.mot", 246, 18, 300.0), ("opensim_run/ik_output_run.mot", 122, 39, 150.0),
    ("opensim_subject01/walk1_grf.mot", 1501, 18, 600.0), ("opensim_subject01/walk1_ik.mot", 73, 23, 60.0)])
def test_recorded_tables(data, name, rows, columns, rate):
    path = data / "gait" / name
    got = load(path)
    assert got.analog.shape == (rows, columns) and got.analog_fps == rate and got.info["notes"] == []
    text = path.read_text().split("\n")
    start = next(k for k, line in enumerate(text) if line.strip() == "endheader") + 1
    numbers = [list(map(float, line.split())) for line in text[start:] if line.strip() and line.split()[0] != "time"]
    np.testing.assert_array_equal(got.analog, np.array(numbers)[:, 1:])
    if "grf" in name:
        heaviest = max(got.plates, key=lambda p: p.force[:, 1].max())
        assert 700 < heaviest.force[:, 1].max() < 2500
        assert all(np.isnan(p.pressure[p.force[:, 1] < 20]).all() for p in got.plates)
    if name == "opensim_run/grf_run.mot":
        assert [row["foot"] for row in got.info["plates"]] == ["right", "left"]
        assert got.events["right_strike"][0] < got.events["left_strike"][0]


# files from anywhere


@pytest.mark.parametrize("suffix", [".trc", *TABLES])
@given(data=st.data())
def test_torn_and_changed_files_are_trials_or_one_line(suffix, data):
    content = trial(6) if suffix == ".trc" else Trial(
        (), np.zeros((6, 0, 3)), 50.0, channels=("a", "b"), analog=np.ones((6, 2)), analog_fps=50.0)
    whole = FORMATS[suffix].encode_trial(content)
    torn = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for _ in range(data.draw(st.integers(0, 4)) if torn else 0):
        torn[data.draw(st.integers(0, len(torn) - 1))] = data.draw(st.integers(0, 255))
    try:
        got = decoded(FORMATS[suffix].decode, bytes(torn), Source("torn" + suffix))
    except GambolError as error:
        assert "torn" in str(error) and "\n" not in str(error)
    else:
        assert isinstance(got, Trial)


HOSTILE = {
    "names without end": b"PathFileType\t4\nDataRate\tUnits\n100\tmm\nFrame#\tTime\t" + b"a\t" * 400_000
                         + b"\n\t\tX1\n" + b"1\t0.0\n" * 2000,
    "frames by the billion": b"PathFileType\t4\nDataRate\tNumFrames\tUnits\n100\t1000000000000\tmm\nFrame#\tTime\tA\n"
                             b"\t\tX1\tY1\tZ1\n1\t0.0\t1\t2\t3\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_marker_files_are_refused_or_small(name):
    try:
        got = decoded(FORMATS[".trc"].decode, HOSTILE[name], Source("hostile.trc"))
    except GambolError as error:
        assert "hostile.trc" in str(error)
    else:
        assert got.points.nbytes < 1e4 and "holds 1" in got.info["notes"][0]


@pytest.mark.parametrize("text", [
    b"", b"x\nendheader\n", b"x\nendheader\ntime a\n", b"x\nendheader\ntime\ta\n0\t1\n0\t2\n",
    b"x\nendheader\ntime\ta\n0\tone\n", b"x\nendheader\ntime\ta\n1\t1\n0\t2\n", b"x\nendheader\ntime\ta\n0\t1\t2\n"])
def test_tables_that_are_none_are_refused(text):
    with pytest.raises(GambolError, match=r"bad\.mot|table"):
        decoded(FORMATS[".mot"].decode, text, Source("bad.mot"))
