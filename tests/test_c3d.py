"""C3D: every way to store a trial, against numbers that were put in, hand-made physics, and ezc3d."""

import json
import re

import numpy as np
import pytest
from c3d_bytes import ENCODINGS, C3dFile
from hypothesis import given
from hypothesis import strategies as st

from gambol.cli import main
from gambol.errors import GambolError
from gambol.io import Source, load
from gambol.io.c3d import decode
from gambol.plates import LOADED_N, foot_forces, plate_contacts, with_feet

G = 9.81


def read(file):
    return decode(bytes(file), Source("trial.c3d"))


def in_world(points_mm):
    """Z up and mm in the file, +y up and m here."""
    x, y, z = np.moveaxis(np.asarray(points_mm, float) * 1e-3, -1, 0)
    return np.stack([x, z, -y], -1)


def some_points(frames=12, markers=3, seed=0):
    return np.random.default_rng(seed).normal(0, 800, (frames, markers, 3)).round(1)


# the container


@pytest.mark.parametrize("machine, real", ENCODINGS)
def test_every_encoding_gives_the_numbers_that_were_put_in(machine, real):
    points = some_points()
    analog = np.random.default_rng(1).integers(-2000, 2000, (12 * 4, 5)).astype(float)
    scale, offset = np.array([0.5, 1.0, -0.25, 2.0, 1.0], np.float32), np.array([0, 7, -3, 0, 100], np.int16)
    file = C3dFile(points, analog=analog, samples=4, machine=machine, real=real,
                   parameters={"ANALOG:SCALE": scale, "ANALOG:OFFSET": offset})
    trial = read(file)
    np.testing.assert_allclose(trial.points, in_world(points), atol=1e-7)
    np.testing.assert_allclose(trial.analog, (analog - offset) * scale, rtol=1e-6)
    assert trial.fps == 100.0 and trial.analog_fps == 400.0 and len(trial) == 12
    assert trial.markers == ("M0", "M1", "M2") and trial.channels == ("A0", "A1", "A2", "A3", "A4")


def test_unsigned_samples_of_sixteen_bits():
    analog = np.array([[0, 32768], [40000, 65535]], float)
    file = C3dFile(some_points(2), analog=analog, real=False,
                   parameters={"ANALOG:FORMAT": "UNSIGNED", "ANALOG:OFFSET": np.array([32768, 32768])})
    np.testing.assert_array_equal(read(file).analog, analog - 32768)


@pytest.mark.parametrize("real", [True, False])
def test_gaps_are_nan_however_they_are_stored(real):
    points, marks = some_points(6), np.zeros((6, 3))
    points[1, 0], marks[3, 2] = 0.0, -1
    if real:
        points[2, 1] = np.nan
    trial = read(C3dFile(points, marks, real=real))
    gaps = {(1, 0), (3, 2)} | ({(2, 1)} if real else set())
    assert set(zip(*np.nonzero(np.isnan(trial.points).all(-1)))) == gaps
    assert np.isnan(trial.points).sum() == 3 * len(gaps)


def test_samples_are_in_the_order_of_time_in_every_channel():
    """U134: the sub-frames of a frame lie one behind the other, each with all channels."""
    ramp = np.arange(40.0)[:, None] * [1.0, 100.0] + [0.0, 7.0]
    trial = read(C3dFile(some_points(10), analog=ramp, samples=4))
    np.testing.assert_array_equal(trial.analog, ramp)


@pytest.mark.parametrize("tell", ["trial", "long", "nothing"])
def test_more_than_65535_frames(tell):
    frames = 70_003
    points = np.zeros((frames, 1, 3))
    points[:, 0] = np.arange(1, frames + 1)[:, None] * [0.01, 0.0, 0.0] + [0.0, 1.0, 2.0]
    words = np.array([frames & 0xFFFF, frames >> 16])
    said = {
        "trial": {"TRIAL:ACTUAL_START_FIELD": np.array([1, 0]), "TRIAL:ACTUAL_END_FIELD": words},
        "long": {"POINT:LONG_FRAMES": np.float32(frames)}, "nothing": {},
    }[tell]
    trial = read(C3dFile(points, parameters=said))
    assert len(trial) == frames
    np.testing.assert_allclose(trial.points[-1, 0], [frames * 1e-5, 0.002, -0.001], rtol=1e-6)


def test_a_trial_may_begin_late():
    trial = read(C3dFile(some_points(), first=695, rate=120.0))
    assert len(trial) == 12 and trial.start_s == pytest.approx(694 / 120) and trial.info["first_frame"] == 695


def test_frames_that_are_missing_at_the_end_are_said():
    whole = bytes(C3dFile(some_points(200)))
    trial = decode(whole[:-4000], Source("cut.c3d"))
    assert 100 < len(trial) < 200 and re.search(r"says 200 frames and holds \d+", " ".join(trial.info["notes"]))
    np.testing.assert_allclose(trial.points, in_world(some_points(200))[: len(trial)], atol=1e-6)


@pytest.mark.parametrize("unit, metre", [("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254)])
def test_units_are_those_of_the_file_unless_overruled(unit, metre):
    points = some_points()
    data = bytes(C3dFile(points, parameters={"POINT:UNITS": unit}))
    np.testing.assert_allclose(decode(data, Source("a")).points, in_world(points) * 1000 * metre, rtol=1e-6)
    asked = decode(data, Source("a", unit=0.5))
    np.testing.assert_allclose(asked.points, in_world(points) * 500, rtol=1e-6)


@pytest.mark.parametrize("axis", ["+X", "-X", "+Y", "-Y", "+Z", "-Z"])
def test_the_axis_that_is_up_comes_out_as_y_and_nothing_is_mirrored(axis):
    file_axes = np.broadcast_to(np.eye(3) * 1000, (2, 3, 3))
    turned = read(C3dFile(file_axes, parameters={"POINT:Y_SCREEN": axis})).points[0]
    up = turned["XYZ".index(axis[1])] * (1 if axis[0] == "+" else -1)
    np.testing.assert_allclose(up, [0, 1, 0], atol=1e-7)
    assert np.linalg.det(turned) == pytest.approx(1.0)


def test_labels_that_come_twice_stay_apart():
    labels, spoken = ["KNE", "KNE", "TOE", "TOE"], ["Knee", "Knee.Medial", "", ""]
    file = C3dFile(some_points(3, 5), parameters={"POINT:LABELS": labels, "POINT:DESCRIPTIONS": spoken})
    assert read(file).markers == ("Knee", "Knee.Medial", "TOE", "TOE_2", "point_5")


def test_more_than_255_labels_go_on_in_a_second_list():
    names = [f"P{i}" for i in range(300)]
    file = C3dFile(some_points(2, 300), parameters={"POINT:LABELS": names[:255], "POINT:LABELS2": names[255:]})
    assert read(file).markers == tuple(names)


def test_angles_and_moments_of_a_model_are_no_markers():
    file = C3dFile(some_points(3, 4), parameters={"POINT:ANGLES": ["M1"], "POINT:POWERS": ["M3"]})
    trial = read(file)
    assert trial.markers == ("M0", "M2")
    np.testing.assert_allclose(trial.points, in_world(some_points(3, 4))[:, [0, 2]], atol=1e-6)
    assert "2 results of a model" in " ".join(trial.info["notes"])


def test_events_of_the_file_count_from_its_first_frame():
    parameters = {
        "EVENT:USED": np.int16(3), "EVENT:TIMES": np.array([[0.0, 0.0, 1.0], [6.0, 6.05, 0.0]], np.float32),
        "EVENT:LABELS": ["Foot Strike", "Foot Off", "General"], "EVENT:CONTEXTS": ["Left", "Right", "General"],
    }
    trial = read(C3dFile(some_points(200), first=501, rate=100.0, parameters=parameters))
    assert trial.events == {"left_strike": [1.0], "right_off": [pytest.approx(1.05)]}  # a minute is long past the end


# force plates


def rotation(seed):
    q = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return q * np.sign(np.linalg.det(q))


def channels_of(kind, force, point, free, origin):
    """Channels of a plate that a force acts on, all in the plate's axes, by the definition of a moment.

    The transducer is the origin of coordinates; ``point`` (F, 3) is where the force acts, seen from there.
    """
    moment = np.cross(point, force) + free[:, None] * [0, 0, 1]
    if kind == 1:
        return np.concatenate([force, point[:, :2] - origin[:2], free[:, None]], 1)
    if kind in (2, 4):
        return np.concatenate([force, moment], 1)
    a, b = np.abs(origin[:2])
    at = np.array([[a, b], [-a, b], [-a, -b], [a, -b]])  # sensors 1 to 4
    upright = np.stack([np.ones(4), at[:, 1], -at[:, 0]])  # sum of forces, of y f, of -x f
    f = np.linalg.pinv(upright) @ np.stack([force[:, 2], moment[:, 0], moment[:, 1]])
    x12 = force[:, 0] / 2 - (moment[:, 2] / 2) / (2 * b)
    y14 = force[:, 1] / 2 + (moment[:, 2] / 2) / (2 * a)
    return np.stack([x12, force[:, 0] - x12, y14, force[:, 1] - y14, *f], 1)


def plate_file(kind, *, sign=1, flip_origin=False, yaw=0.4, unit="Nmm", frames=30, **more):
    """A file with one plate under known load; gives it with force on the foot, point and free moment in the world.

    ``sign`` 1: the channels hold the force on the plate; -1: that on the foot. The plate's z points down.
    """
    rng = np.random.default_rng(kind)
    x = np.array([np.cos(yaw), np.sin(yaw), 0.0])
    axes = np.stack([x, np.cross([0, 0, -1.0], x), [0, 0, -1.0]], 1)  # file from plate, lengths mm
    centre, half = np.array([700.0, -300.0, 120.0]), (300.0, 200.0)
    corners = [centre + axes @ [sx * half[0], sy * half[1], 0] for sx, sy in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    # from the transducer, or the middle of the sensors, to the middle of the surface
    r = np.array([5.0, -3.0, -41.0]) if kind in (2, 4) else np.array([0, 0, -30.0])
    origin = {1: np.zeros(3), 3: np.array([120.0, 200.0, -30.0])}.get(kind, r)
    load = np.concatenate([np.zeros(5), rng.uniform(300, 900, frames - 10), np.zeros(5)])
    force = np.stack([0.1 * load, -0.2 * load, load], 1)  # on the plate, z down
    spot = np.concatenate([rng.uniform(-150, 150, (frames, 2)), np.zeros((frames, 1))], 1)  # from the middle, mm
    free = 8000.0 * load / 900  # N mm
    raw = channels_of(kind, force, spot + (r if kind != 1 else 0), free, origin if kind == 3 else np.zeros(3)) * 1.0
    if kind == 1:
        raw[:, [0, 1, 2, 5]] *= sign
    else:
        raw *= sign
    calibration = {}
    if kind == 4:
        matrix = np.eye(6) * [2.0, 3.0, 4.0, 500.0, 600.0, 700.0] + rng.normal(0, 0.05, (6, 6))
        raw = raw @ np.linalg.inv(matrix).T
        calibration = {"FORCE_PLATFORM:CAL_MATRIX": matrix.astype(np.float32)[..., None]}
    if unit == "Nm" and kind == 2:
        raw[:, 3:] /= 1000
    said = ["N"] * 3 + (["mm", "mm", "Nmm"] if kind == 1 else ["N"] * 5 if kind == 3 else [unit] * 3)
    if kind == 4:
        said = ["V"] * 6
    parameters = {
        "ANALOG:UNITS": said, "FORCE_PLATFORM:USED": np.int16(1), "FORCE_PLATFORM:TYPE": np.array([kind]),
        "FORCE_PLATFORM:ZERO": np.array([0, 0]),
        "FORCE_PLATFORM:CORNERS": np.stack(corners, 1).astype(np.float32)[..., None],
        "FORCE_PLATFORM:ORIGIN": (-origin if flip_origin else origin).astype(np.float32)[:, None],
        "FORCE_PLATFORM:CHANNEL": np.arange(1, raw.shape[1] + 1)[:, None], **calibration, **more,
    }
    file = C3dFile(some_points(frames), analog=raw, parameters=parameters)
    on_foot = in_world(-(force @ axes.T)) * 1000
    point = np.where(load[:, None] > 0, in_world(centre + spot @ axes.T), np.nan)
    return file, on_foot, point, np.where(load > 0, free / 1000, np.nan)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("flip_origin", [False, True])
def test_force_centre_of_pressure_and_free_moment_of_each_type(kind, sign, flip_origin):
    """U077: by the definition of a moment, whatever the height of the sensor; either sign of force and of origin."""
    file, force, point, free = plate_file(kind, sign=sign, flip_origin=flip_origin)
    (plate,) = read(file).plates
    np.testing.assert_allclose(plate.force, force, atol=0.01)
    np.testing.assert_allclose(plate.pressure, point, atol=2e-5)
    np.testing.assert_allclose(plate.moment, free, atol=2e-3)
    assert plate.kind == kind and (plate.force[5:-5, 1] > 0).all()


@pytest.mark.parametrize("unit", ["Nmm", "Nm"])
def test_moments_in_newton_metres_too(unit):
    file, _, point, free = plate_file(2, unit=unit)
    (plate,) = read(file).plates
    np.testing.assert_allclose(plate.pressure, point, atol=2e-5)
    np.testing.assert_allclose(plate.moment, free, atol=2e-3)


def test_a_hand_check_of_the_centre_of_pressure():
    """U077 in numbers: 800 N straight down at 100 mm forward and 50 mm to the side, 40 mm above the sensor.

    Seen from the sensor the point is (100, 50, -40) mm in the plate's axes (z down), so that M = p x F is
    (50 * 800, -100 * 800, 0) = (40000, -80000, 0) N mm. A shear of 80 N along x adds (0, -40 * 80, -50 * 80).
    """
    row = [80.0, 0.0, 800.0, 40000.0, -80000.0 - 40 * 80.0, -50 * 80.0]
    corners = np.array([[300, 200, 0], [-300, 200, 0], [-300, -200, 0], [300, -200, 0.0]]) * [1, -1, 1]
    parameters = {
        "ANALOG:UNITS": ["N"] * 3 + ["Nmm"] * 3, "FORCE_PLATFORM:USED": np.int16(1),
        "FORCE_PLATFORM:TYPE": np.array([2]), "FORCE_PLATFORM:ZERO": np.array([0, 0]),
        "FORCE_PLATFORM:CORNERS": corners.T.astype(np.float32)[..., None],
        "FORCE_PLATFORM:ORIGIN": np.array([[0.0], [0.0], [-40.0]], np.float32),
        "FORCE_PLATFORM:CHANNEL": np.arange(1, 7)[:, None],
    }
    (plate,) = read(C3dFile(some_points(4), analog=np.tile(row, (4, 1)), parameters=parameters)).plates
    np.testing.assert_allclose(plate.pressure[0], in_world([100, -50, 0]), atol=1e-7)
    np.testing.assert_allclose(plate.force[0], in_world([-80, 0, 800]) * 1000, atol=1e-4)
    np.testing.assert_allclose(plate.moment[0], 0.0, atol=1e-4)


def test_no_centre_of_pressure_below_the_threshold():
    """U016: a light load divides noise by nearly nothing."""
    file, *_ = plate_file(2)
    noise = np.random.default_rng(3).normal(0, 1.0, file.analog.shape)
    file.analog = file.analog + noise * [1, 1, 1, 500, 500, 500]
    (plate,) = read(file).plates
    empty = plate.force[:, 1] < LOADED_N
    assert empty.sum() == 10 and np.isnan(plate.pressure[empty]).all() and np.isnan(plate.moment[empty]).all()
    assert np.isfinite(plate.pressure[~empty]).all()


def test_the_reading_of_an_empty_plate_is_taken_off():
    file, force, point, _ = plate_file(2, **{"FORCE_PLATFORM:ZERO": np.array([1, 5])})
    file.analog = file.analog + [10.0, -20.0, 30.0, 900.0, -800.0, 700.0]
    (plate,) = read(file).plates
    np.testing.assert_allclose(plate.force, force, atol=0.01)
    np.testing.assert_allclose(plate.pressure, point, atol=2e-5)


def test_a_plate_that_cannot_be_used_is_left_out_and_said():
    file, *_ = plate_file(2, **{"FORCE_PLATFORM:TYPE": np.array([7])})
    assert read(file).plates == () and "type 7 is not read" in " ".join(read(file).info["notes"])
    file, *_ = plate_file(2, **{"FORCE_PLATFORM:CHANNEL": np.arange(50, 56)[:, None]})
    assert read(file).plates == () and "not there" in " ".join(read(file).info["notes"])


# the cases


def expected(cases, name):
    return json.loads((cases / f"{name}.expect.json").read_text())


def test_two_plates_carry_the_weight_and_give_the_events(cases):
    """U016: weight within 3 %, strikes within 20 ms, pressure inside the plate under the foot or absent."""
    trial, want = load(cases / "U016_two_plates_type2.c3d"), expected(cases, "U016_two_plates_type2")
    times = np.arange(len(trial.analog)) / trial.analog_fps
    first, last = want["weight_window_s"]
    total = sum(p.force[:, 1] for p in trial.plates)[(times >= first) & (times < last)]
    assert total.mean() == pytest.approx(want["body_weight_N"], rel=0.03)
    for key in ("left_strike", "left_off", "right_strike", "right_off"):
        assert trial.events[key] == [pytest.approx(want[f"{key}_s"], abs=0.02)]
    for plate, side in zip(trial.plates, ("L", "R")):
        assert plate.force[:, 1].max() == pytest.approx(want["peak_vertical_N"], rel=0.02)
        on = ~np.isnan(plate.pressure[:, 0])
        assert (plate.force[on, 1] > LOADED_N).all() and not on[plate.force[:, 1] < LOADED_N].any()
        low, high = plate.corners.min(0), plate.corners.max(0)
        assert ((plate.pressure[on] >= low - 1e-6) & (plate.pressure[on] <= high + 1e-6)).all()
        frames = np.rint(np.flatnonzero(on) * trial.fps / trial.analog_fps).astype(int)
        foot = [trial.markers.index(side + m) for m in ("HEE", "TOE", "ANK")]
        away = np.linalg.norm((trial.points[frames][:, foot] - plate.pressure[on][:, None])[..., [0, 2]], axis=-1)
        assert away.min(1).max() < 0.12
    assert [row["foot"] for row in trial.info["plates"]] == ["left", "right"]


def test_markers_alone_are_a_trial(cases):
    """U131: no plates, no analog; loads, and says that there are no plates."""
    trial = load(cases / "U131_markers_only.c3d")
    assert trial.points.shape == (160, 19, 3) and not np.isnan(trial.points).any()
    assert trial.plates == () and trial.analog is None and trial.analog_fps is None
    assert "no force plates" in trial.info["notes"] and trial.info["plates"] == []
    pelvis = trial.points[:, trial.markers.index("SACR")]
    speed = np.linalg.norm(pelvis[-1] - pelvis[0]) / trial.duration
    assert speed == pytest.approx(expected(cases, "U131_markers_only")["speed_m_s"], rel=0.03)


def test_gaps_are_where_the_case_says_and_nowhere_at_the_origin(cases):
    """U137: residual -1."""
    trial = load(cases / "U137_gaps_residual_minus1.c3d")
    gaps = {"LKNE": range(60, 68), "RTOE": range(100, 161), "SACR": range(30, 34)}
    for column, name in enumerate(trial.markers):
        missing = np.flatnonzero(np.isnan(trial.points[:, column, 0]))
        np.testing.assert_array_equal(missing, np.array(gaps.get(name, []), int))
    assert np.nanmin(np.linalg.norm(trial.points, axis=-1)) > 0.01


def two_feet(pressure, markers):
    """A trial with one plate that carries 700 N at ``pressure`` from frame 10 to 60 of 100."""
    from gambol.motion import Plate, Trial

    force = np.zeros((100, 3))
    force[10:60, 1] = 700
    where = np.where(force[:, 1:2] > 0, pressure, np.nan)
    corners = np.array([[0.3, 0, 0.3], [-0.3, 0, 0.3], [-0.3, 0, -0.3], [0.3, 0, -0.3]])
    plate = Plate(corners, force, where, where[:, 0] * 0, 2, "plate 1")
    names = tuple(markers)
    points = np.stack([np.broadcast_to(markers[n], (100, 3)) for n in names], 1)
    return Trial(names, points, 100.0, (plate,), analog_fps=100.0)


def test_a_plate_goes_to_the_foot_that_loads_it_not_to_the_one_that_swings_over():
    """U130: the left foot stands at the edge; the right one hovers over the middle while nobody is on the plate."""
    t = np.arange(100)[:, None]
    left = np.broadcast_to([0.25, 0.03, 0.2], (100, 3))
    right = np.where((t < 10) | (t >= 60), [0.0, 0.05, 0.0], [-1.5, 0.05, 0.0])
    trial = two_feet([0.24, 0.0, 0.19], {"LHEE": left, "RHEE": right, "HEAD": [0.24, 1.7, 0.19]})
    (contact,) = plate_contacts(trial)
    assert contact.side == "left" and contact.distance_m < 0.02
    assert (contact.strike_s, contact.off_s) == (0.10, 0.60)
    assert with_feet(trial).info["plates"][0]["foot"] == "left"


def test_the_foot_of_a_plate_can_be_set_by_hand():
    trial = two_feet([0.0, 0.0, 0.0], {"LHEE": [0.0, 0.03, 0.0], "RHEE": [0.1, 0.03, 0.0]})
    assert set(with_feet(trial).events) == {"left_strike", "left_off"}
    by_hand = with_feet(trial, {0: "right"})
    assert set(by_hand.events) == {"right_strike", "right_off"}
    assert by_hand.info["plates"][0]["foot"] == "right" and by_hand.info["plates"][0]["by_hand"]
    for wrong in ({1: "left"}, {0: "both"}):
        with pytest.raises(GambolError, match="plates 1 to 1; left, right"):
            with_feet(trial, wrong)


def test_feet_set_anew_leave_nothing_of_the_old_ones():
    trial = two_feet([0.0, 0.0, 0.0], {"LHEE": [0.0, 0.03, 0.0], "RHEE": [0.1, 0.03, 0.0]})
    assert with_feet(with_feet(trial), {0: "right"}).events == with_feet(trial, {0: "right"}).events


def test_convert_shows_the_foot_of_each_plate_and_takes_it_by_hand(cases, tmp_path, capsys):
    file, out = str(cases / "U016_two_plates_type2.c3d"), str(tmp_path / "a.mot")
    assert main(["convert", file, "-o", out]) == 0
    assert "plate 1: left foot, plate 2: right foot" in capsys.readouterr().out
    assert main(["convert", file, "-o", out, "--plate", "1=right", "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)["files"]
    assert [p["foot"] for p in report["found"]["feet"]] == ["right", "right"] and len(load(out).plates) == 2
    assert "left_strike" not in report["found"]["events"] and report["changed"] == ["plate 1 given to the right foot"]
    for wrong in ("3=left", "1=both", "x"):
        assert main(["convert", file, "-o", out, "--plate", wrong]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_nobody_near_is_no_foot():
    trial = two_feet([0.0, 0.0, 0.0], {"LHEE": [2.0, 0.0, 0.0], "RHEE": [np.nan] * 3})
    assert plate_contacts(trial)[0].side is None and with_feet(trial).events == {}


def test_events_come_from_force_where_a_foot_is_on_a_plate():
    """U141: events of markers stay elsewhere."""
    from dataclasses import replace

    trial = two_feet([0.0, 0.0, 0.0], {"LHEE": [0.0, 0.03, 0.0], "RHEE": [0.9, 0.03, 0.0]})
    trial = replace(trial, events={"left_strike": [0.14, 0.93], "right_strike": [0.5]})
    assert with_feet(trial).events == {"left_off": [0.6], "left_strike": [0.1, 0.93], "right_strike": [0.5]}


def test_forces_of_a_foot_on_two_plates_add_and_their_point_is_between(cases):
    trial = load(cases / "U016_two_plates_type2.c3d")
    contacts = plate_contacts(trial)
    force, pressure = foot_forces(trial, contacts)
    np.testing.assert_array_equal(force[contacts[0].samples[0] : contacts[0].samples[1], 0],
                                  trial.plates[0].force[contacts[0].samples[0] : contacts[0].samples[1]])
    both, point = foot_forces(trial, plate_contacts(trial, {0: "left", 1: "left"}))
    at = int(1.5 * trial.analog_fps)  # double support: both plates are loaded
    weights = np.array([p.force[at, 1] for p in trial.plates])
    assert (weights > LOADED_N).all()
    np.testing.assert_allclose(both[at, 0], trial.plates[0].force[at] + trial.plates[1].force[at])
    np.testing.assert_allclose(point[at, 0], weights @ [p.pressure[at] for p in trial.plates] / weights.sum())
    assert np.isnan(pressure[force[..., 1] == 0]).all()


# the library of the field, and recordings


def same_as_ezc3d(path):
    """Points, gaps and samples bit for bit as ezc3d has them; gives its platforms."""
    ezc3d = pytest.importorskip("ezc3d")
    from gambol.io.c3d_file import read_container

    theirs = ezc3d.c3d(str(path), extract_forceplat_data=True)
    ours = read_container(path.read_bytes(), path.name)
    np.testing.assert_array_equal(ours.points, theirs["data"]["points"][:3].transpose(2, 1, 0))
    if ours.analog.size:
        np.testing.assert_array_equal(ours.analog, theirs["data"]["analogs"][0].T)
    return theirs["data"]["platform"]


@pytest.mark.parametrize("name", ["U016_two_plates_type2", "U131_markers_only", "U137_gaps_residual_minus1"])
def test_the_cases_are_read_as_ezc3d_reads_them(cases, name):
    same_as_ezc3d(cases / f"{name}.c3d")


@pytest.mark.parametrize("machine, real", [e for e in ENCODINGS if e[0] != "sgi"])  # which ezc3d does not read
def test_the_files_of_these_tests_are_read_as_ezc3d_reads_them(machine, real, tmp_path):
    analog = np.random.default_rng(1).integers(-2000, 2000, (12 * 4, 5)).astype(float)
    (tmp_path / "a.c3d").write_bytes(bytes(C3dFile(some_points(), None, analog, samples=4, machine=machine, real=real)))
    same_as_ezc3d(tmp_path / "a.c3d")


@pytest.mark.parametrize("name, plates, feet", [
    ("bmc_gait", [(4, 799), (4, 855)], ["left", "right"]),
    ("stair_descent_4plates", [(2, 1214), (2, 1126), (2, 1106), (2, 1162)], ["left", "right", "left", "right"]),
])
def test_recordings_are_read_as_ezc3d_reads_them(data, name, plates, feet):
    """Numbers of the data's own description; foot over foot; pressure as ezc3d has it, which takes off no baseline."""
    path = data / "c3d" / f"{name}.c3d"
    platforms, trial = same_as_ezc3d(path), load(path)
    assert [(p.kind) for p in trial.plates] == [k for k, _ in plates]
    assert [row["foot"] for row in trial.info["plates"]] == feet
    assert len(trial.events["left_strike"] + trial.events["right_strike"]) == len(plates)
    for plate, (_, peak) in zip(trial.plates, plates):
        assert plate.force[:, 1].max() == pytest.approx(peak, rel=0.02)
    head, _, tail = path.read_bytes().partition(b"ZERO")
    raw = head + b"ZERO" + tail[:5] + bytes(4) + tail[9:]
    for plate, theirs in zip(decode(raw, Source("a")).plates, platforms):
        firm = plate.force[:, 1] > 100
        np.testing.assert_allclose(plate.force[firm], in_world(theirs["force"].T)[firm] * 1000, atol=1e-6)
        pressure = in_world(theirs["center_of_pressure"].T)[firm]
        np.testing.assert_allclose(plate.pressure[firm][:, [0, 2]], pressure[:, [0, 2]], atol=1e-6)


# files from anywhere


WHOLE = bytes(plate_file(2)[0])


@given(data=st.data())
def test_torn_and_changed_files_are_trials_or_one_line(data):
    torn = bytearray(WHOLE[: data.draw(st.one_of(st.just(len(WHOLE)), st.integers(0, len(WHOLE))))])
    reach = min(len(torn), 2048)
    for _ in range(data.draw(st.integers(1, 6)) if reach else 0):
        torn[data.draw(st.integers(0, reach - 1))] = data.draw(st.integers(0, 255))
    from gambol.io.sound import decoded

    try:
        trial = decoded(decode, bytes(torn), Source("torn.c3d"))
    except GambolError as error:
        assert "torn.c3d" in str(error) and "\n" not in str(error)
    else:
        assert trial.points.nbytes <= 16 * len(torn)
        assert not np.isinf(trial.points).any()


@pytest.mark.parametrize("size", [0, 1, 511, 1023, 5000])
def test_noise_is_no_c3d(size):
    with pytest.raises(GambolError, match=r"noise\.c3d"):
        decode(np.random.default_rng(size).bytes(size), Source("noise.c3d"))
