"""The judge on motions whose numbers are known: made by hand, turned, mirrored, resampled."""

from __future__ import annotations

import json
from dataclasses import replace

import normative
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from walks import level_walk, slides

from gambol import quat
from gambol.body import Body, G
from gambol.errors import GambolError
from gambol.feet import sole_points
from gambol.measure import (
    Stride,
    compare,
    cycle_means,
    cycles,
    find_strides,
    force_cycle,
    halving,
    leg_reach,
    measure,
    sagittal_angles,
    steady,
)
from gambol.measure.strides import wandering
from gambol.measure.track import off_track, track_of
from gambol.motion import Motion
from gambol.path import Path
from gambol.skeleton import Skeleton
from gambol.terrain import Slope, Stairs

BODY = Body(1.75, 70.0)
SKELETON = BODY.skeleton
FPS = 60.0
X, Y, Z = np.eye(3)


def statue(root: np.ndarray, turn: np.ndarray | None = None, fps: float = FPS, **fields) -> Motion:
    """The T-pose carried along; ``turn`` (F, 4) rotates it about the root."""
    rotations = np.tile(quat.IDENTITY, (len(root), len(SKELETON), 1))
    if turn is not None:
        rotations[:, 0] = turn
    return Motion(SKELETON, np.asarray(root, float), rotations, fps, **fields)


def planted(frames: int) -> np.ndarray:
    return np.ones((frames, 4), bool)


def drifting(way: np.ndarray, metres: float, frames: int = 40) -> Motion:
    """Standing on marked feet while the whole figure moves ``metres`` along ``way`` and half of that back."""
    there = np.interp(np.arange(frames), [0, frames // 2, frames - 1], [0, metres, metres / 2])
    return statue(SKELETON.offsets[0] + there[:, None] * way, contacts=planted(frames))


# slide, sinking, floating


@given(st.floats(0, 2 * np.pi), st.floats(0, 0.05))
def test_a_slide_is_the_farthest_way_along_the_ground(yaw, metres):
    report = measure(drifting(np.sin(yaw) * X + np.cos(yaw) * Z, metres))
    assert [row.slide_mm for row in report.feet.stances] == pytest.approx([1e3 * metres] * 4, abs=1e-6)
    assert report.passed == (report.feet.slide_mm <= 1.0)


def test_three_millimetres_fail_and_say_so():
    report = measure(drifting(Z, 0.003))
    assert report.feet.slide_mm == pytest.approx(3.0)
    assert report.failures == ("a planted foot slides 3.0 mm, more than 1 mm",)
    assert any("FAILED" in line for line in report.lines())


@given(st.floats(-0.02, 0.02))
def test_up_and_down_is_no_slide(metres):
    feet = measure(drifting(Y, metres)).feet
    assert feet.slide_mm == pytest.approx(0.0, abs=1e-9)
    assert feet.floating_mm == pytest.approx(max(1e3 * metres, 0), abs=1e-6)
    assert feet.sinking_mm == pytest.approx(max(-1e3 * metres, 0), abs=1e-6)


@pytest.mark.parametrize("degrees", [-15, 0, 8, 30])
def test_along_the_ground_means_in_its_plane(degrees):
    """Down a slope 3 mm are 3 mm, though they are fewer from above; away from it they are no slide."""
    angle = np.radians(degrees)
    along, away = np.array([[0, np.sin(angle), np.cos(angle)], [0, np.cos(angle), -np.sin(angle)]])
    slope = Slope(angle)
    for way, expected in ((along, 3.0), (away, 0.0)):
        assert measure(drifting(way, 0.003), slope).feet.slide_mm == pytest.approx(expected, abs=1e-6)


def test_a_riser_beside_the_foot_does_not_tilt_the_ground():
    z = sole_points(statue(SKELETON.offsets[:1]))[0, 0, 2]  # the heels
    stairs = Stairs(rise=0.16, tread=0.3, count=1, start=float(z) + 0.004)
    moved = drifting(-Z, 0.003)
    only_heels = replace(moved, contacts=planted(40) & [True, False, True, False])
    assert measure(only_heels, stairs).feet.slide_mm == pytest.approx(3.0)


def test_half_way_between_frames_counts():
    """Two poses with one toe at one place: the player's straight way between the roots moves it meanwhile."""
    angle = 0.2
    toe = sole_points(statue(SKELETON.offsets[:1]))[0, 1]
    arm = (SKELETON.offsets[0] - toe) * [1, 0, 1]
    turns = quat.from_axis_angle(Y, np.array([0.0, angle]))
    root = toe + SKELETON.offsets[0] * Y + quat.rotate(turns, arm)
    motion = statue(root, turns, contacts=planted(2) & [False, True, False, False])
    expected = np.linalg.norm(arm) * (1 - np.cos(angle / 2))
    np.testing.assert_allclose(sole_points(motion)[1, 1], sole_points(motion)[0, 1], atol=1e-12)
    assert measure(motion).feet.slide_mm == pytest.approx(1e3 * expected, rel=1e-9)


def test_the_record_is_stance_by_stance():
    contacts = planted(40)
    contacts[10:20, 0] = False
    contacts[30:, 3] = False
    rows = measure(replace(drifting(Z, 0.004), contacts=contacts)).feet.stances
    assert [(r.sole, r.foot) for r in rows].count(("left_heel", "left")) == 2
    heel = [r for r in rows if r.sole == "left_heel"]
    assert [(r.start_s, r.end_s) for r in heel] == [(0.0, 9 / FPS), (20 / FPS, 39 / FPS)]
    tip = next(r for r in rows if r.sole == "right_toe_tip")
    assert tip.end_s == 29 / FPS and tip.reach == pytest.approx(1.0)
    assert heel[1].slide_mm == pytest.approx(0.5 * 4.0)


def test_a_swinging_foot_must_not_sink():
    report = measure(replace(drifting(-Y, 0.01), contacts=planted(40) & [True, True, False, False]))
    assert report.feet.swing_sinking_mm == pytest.approx(10.0)
    assert len(report.failures) == 3  # sinking, swing, and the right foot is still down but not marked


def test_an_empty_record_is_not_honest():
    still = statue(np.tile(SKELETON.offsets[0], (30, 1)), contacts=~planted(30))
    report = measure(still)
    assert report.feet.unmarked == 4 * 28 and not report.passed
    assert measure(replace(still, contacts=None)).passed


def test_skating_without_a_record_does_not_pass():
    skating = statue(SKELETON.offsets[0] + 0.3 * np.arange(60)[:, None] / FPS * Z)
    report = measure(skating)
    assert report.feet.no_contact_share == 1.0 and not report.passed
    assert any("no contact record" in note for note in report.notes)


# steps


def marching(root: np.ndarray, period: int = 60, fps: float = FPS, **fields) -> Motion:
    """Feet that are marked in turn, 60 % of each stride, while the figure glides: all times are known."""
    frame = (np.arange(len(root))[:, None] + [0, period // 2]) % period
    down = 5 * frame < 3 * period
    return statue(root, fps=fps, contacts=np.repeat(down, 2, axis=1), **fields)


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_a_straight_march(fps):
    speed, period = 1.3, int(fps)
    frames = np.arange(int(9 * fps))[:, None]
    report = measure(marching(SKELETON.offsets[0] + speed * frames / fps * Z, period, fps)).walk
    assert report.speed_m_s == pytest.approx(speed)
    assert report.cadence_steps_min == pytest.approx(120.0)
    assert report.step_length_m == pytest.approx(speed / 2, rel=1e-6)
    assert report.step_width_m == pytest.approx(0.1 * BODY.height)
    assert report.stance_share == pytest.approx(0.6)
    assert report.double_support_share == pytest.approx(0.2) and report.flight_share == 0.0
    assert report.steps == 8 + 9
    assert report.strikes_s["left"] == pytest.approx(np.arange(1, 9))
    assert report.offs_s["right"][0] == pytest.approx(0.1 - 1 / fps)


@pytest.mark.parametrize("radius", [0.7, 2.0, -3.0])
def test_a_turning_stride_is_an_arc(radius):
    speed, t = 1.1, np.arange(600) / FPS
    yaw = speed * t / radius
    root = SKELETON.offsets[0] + radius * np.stack([1 - np.cos(yaw), 0 * t, np.sin(yaw)], 1)
    turn = quat.from_axis_angle(Y, yaw)
    a = np.sign(radius) * np.linspace(0, 2 * np.pi, 721)[:, None]
    ring = Path(radius * ((1 - np.cos(a)) * X + np.sin(a) * Z), closed=True)
    motion = marching(root)
    rotations = motion.rotations.copy()
    rotations[:, 0] = turn
    report = measure(replace(motion, rotations=rotations), path=ring)
    assert report.walk.speed_m_s == pytest.approx(speed, rel=1e-3)
    assert report.walk.path_speed_m_s == pytest.approx(speed, rel=1e-3)
    assert report.path_error_mm < 1.0


@given(st.floats(0.1, 10), st.floats(-3.0, 3.0))
def test_arc_lengths(radius, turn):
    angle = np.array([0.0, turn])
    ends = radius * np.stack([1 - np.cos(angle), np.sin(angle)], 1)
    velocities = np.stack([np.sin(angle), np.cos(angle)], 1)
    length = wandering(ends[None], velocities[None])[0]
    assert length == pytest.approx(abs(turn) * radius, rel=1e-9, abs=1e-12)


def test_only_steady_strides_count():
    """Standing, a walk, standing: the mean is over the strides inside."""
    speed = np.interp(np.arange(720), [0, 60, 119, 600, 660], [0, 0, 1.2, 1.2, 0])
    root = SKELETON.offsets[0] + np.cumsum(speed)[:, None] / FPS * Z
    motion = marching(root)
    found = find_strides(motion, motion.contacts)
    assert len(found) == 10 + 11
    assert all(s.first >= 120 and s.end <= 600 for s in steady(found, motion))
    assert measure(motion).walk.speed_m_s == pytest.approx(1.2)
    assert steady([Stride(0, 5, 60)], motion) == [Stride(0, 5, 60)]


def test_planned_stance_share_comes_from_the_events():
    motion = level_walk("force")
    walk = measure(motion).walk
    assert walk.planned_stance_share == pytest.approx(walk.stance_share, abs=0.02)
    assert measure(replace(motion, info={})).walk.planned_stance_share is None


# path


def test_distance_from_a_path():
    path = Path(np.array([[0.0, 0, 0], [0, 0, 4.0], [3.0, 0, 4.0]]))
    track = track_of(path)
    places = np.array([[0.2, 1.0], [-0.1, 3.0], [1.5, 3.7], [3.4, 4.3], [0.0, 0.0]])
    np.testing.assert_allclose(off_track(track, places), [0.2, 0.1, 0.3, 0.5, 0.0], atol=1e-9)
    far = np.array([1e5, 0, -1e5])
    moved = track_of(Path(path.points + far))
    np.testing.assert_allclose(off_track(moved, places + far[[0, 2]]), [0.2, 0.1, 0.3, 0.5, 0.0], atol=1e-6)


@given(st.integers(0, 10**6))
def test_distance_from_any_track_is_that_of_its_nearest_point(seed):
    rng = np.random.default_rng(seed)
    track = track_of(np.cumsum(rng.normal(size=(12, 3)), axis=0))
    places = np.cumsum(rng.normal(size=(450, 2)) * 0.1, axis=0) + rng.normal(size=2) * 3
    nearest = np.linalg.norm(places[:, None] - track.points, axis=-1).min(1)
    off = off_track(track, places)
    assert (off <= nearest + 1e-9).all() and (off >= nearest - track.along[1] / 2 - 1e-9).all()


def test_the_path_may_travel_with_the_clip():
    motion = statue(SKELETON.offsets[0] + 0.05 * X + np.arange(60)[:, None] / FPS * Z)
    assert measure(motion).path_error_mm is None
    told = replace(motion, info={"path": [[0.0, 0.0, -1.0], [0.0, 0.0, 3.0]]})
    assert measure(told).path_error_mm == pytest.approx(50.0)
    with pytest.raises(GambolError, match="path"):
        measure(motion, path=np.zeros((4, 2)))


def test_speed_along_a_path_that_crosses_itself():
    a = np.linspace(0, 2 * np.pi, 2000)
    eight = np.stack([1.5 * np.sin(2 * a), 0 * a, 3.0 * np.sin(a)], 1)
    path = Path(eight, closed=True)
    speed = 1.2
    s = speed * np.arange(900) / FPS
    report = measure(marching(SKELETON.offsets[0] + path.point(s)), path=path)
    assert report.walk.path_speed_m_s == pytest.approx(speed, rel=0.005)


# smoothness


def swaying(fps: float, kink: float = 0.0) -> Motion:
    t = np.arange(int(4 * fps) + 1) / fps
    root = SKELETON.offsets[0] + np.sin(2 * t)[:, None] * X + np.maximum(t - 2.0, 0)[:, None] * kink * Z
    rotations = np.tile(quat.IDENTITY, (len(t), len(SKELETON), 1))
    rotations[:, 5] = quat.from_axis_angle(X, np.sin(3 * t))
    return Motion(SKELETON, root, rotations, fps)


def test_smooth_changes_halve_and_jumps_do_not():
    rates = (120.0, 240.0, 480.0)
    calm = halving([swaying(fps) for fps in rates])
    assert calm.smooth(0.01)
    assert calm.pelvis_m_s == pytest.approx([4 / fps for fps in rates], rel=1e-3)
    assert calm.joints_rad_s == pytest.approx([9 / fps for fps in rates], rel=1e-3)
    jump = halving([swaying(fps, 0.5) for fps in rates])
    assert not jump.smooth() and jump.pelvis_ratios == pytest.approx([2, 2], rel=0.05)
    assert halving([]).fps == () and halving([swaying(60.0)]).smooth()


def test_a_jump_at_a_step_border_shows():
    told = {"events": {"left_strike": [2.0], "left_off": []}}
    rough = measure(replace(swaying(120.0, 0.5), info=told)).smooth
    assert rough.pelvis_border > 10 and rough.joints_border < 1
    calm = measure(replace(swaying(120.0), info=told)).smooth
    assert calm.pelvis_border < 1 and calm.joint == SKELETON.names[5]


# joints


@given(st.floats(-170, 170), st.floats(-80, 80), st.floats(-80, 80), st.sampled_from(["left", "right"]))
def test_flexion_is_the_first_rotation(flexion, abduction, turn, side):
    """Bent, spread and turned: the first angle comes back, with the signs of the laboratory."""
    for joint, name, sign in (("upper_leg", "hip", -1), ("lower_leg", "knee", 1), ("foot", "ankle", -1)):
        parts = ((X, sign * flexion), (Z, abduction), (Y, turn))
        q = quat.IDENTITY
        for axis, degrees in parts:
            q = quat.multiply(q, quat.from_axis_angle(axis, np.array(np.radians(degrees))))
        rotations = np.tile(quat.IDENTITY, (1, len(SKELETON), 1))
        rotations[0, SKELETON.index(f"{side}_{joint}")] = q
        angles = sagittal_angles(Motion(SKELETON, np.zeros((1, 3)), rotations, FPS))[side]
        assert angles.pop(name)[0] == pytest.approx(flexion, abs=1e-6)
        assert all(abs(v[0]) < 1e-9 for v in angles.values())


def posed(**degrees: float) -> Motion:
    """One pose: joint -> degrees about the sideways axis."""
    rotations = np.tile(quat.IDENTITY, (1, len(SKELETON), 1))
    for joint, angle in degrees.items():
        rotations[0, SKELETON.index(joint)] = quat.from_axis_angle(X, np.array(np.radians(angle)))
    return Motion(SKELETON, np.zeros((1, 3)), rotations, FPS)


def test_signs_are_those_of_walking():
    """A thigh that swings forward, a knee that folds back, toes that rise are all positive."""
    motion = posed(left_upper_leg=-30, right_lower_leg=60, left_foot=-10)
    forward = dict(zip(SKELETON.names, motion.positions()[0, :, 2]))
    assert forward["left_lower_leg"] > forward["left_upper_leg"]
    assert forward["right_foot"] < forward["right_lower_leg"]
    angles = sagittal_angles(motion)
    assert angles["left"]["hip"][0] == pytest.approx(30) and angles["left"]["ankle"][0] == pytest.approx(10)
    assert angles["right"]["knee"][0] == pytest.approx(60)


@given(st.floats(0, 175))
def test_reach_is_the_cosine_of_half_the_knee(knee):
    thigh, shank = 0.245, 0.246
    expected = np.sqrt(thigh**2 + shank**2 + 2 * thigh * shank * np.cos(np.radians(knee))) / (thigh + shank)
    motion = posed(left_lower_leg=knee)
    assert leg_reach(motion)["left"][0] == pytest.approx(expected, abs=1e-9)
    joints = measure(posed(left_lower_leg=knee, right_lower_leg=knee)).joints
    assert joints.knee_least_deg == pytest.approx(knee, abs=1e-6)
    assert joints.reach == pytest.approx(expected, abs=1e-9)


def test_joints_beyond_their_limits_are_told():
    ranges = measure(posed(left_lower_leg=-12, right_upper_leg=-125)).joints.ranges
    beyond = {"hip_flexion": 5, "hip_abduction": 0, "knee_flexion": 12, "elbow_flexion": 0}
    assert {r.joint: r.beyond_deg for r in ranges} == pytest.approx(beyond)
    spread = np.tile(quat.IDENTITY, (1, len(SKELETON), 1))
    for side, sign in (("left", 1), ("right", -1)):  # both legs out, both elbows bent forward
        leg, elbow = SKELETON.indices([f"{side}_upper_leg", f"{side}_lower_arm"])
        spread[0, leg] = quat.from_axis_angle(Z, np.radians(sign * 50.0))
        spread[0, elbow] = quat.from_axis_angle(Y, np.radians(-sign * 160.0))
    ranges = {r.joint: r for r in measure(Motion(SKELETON, np.zeros((1, 3)), spread, FPS)).joints.ranges}
    assert ranges["hip_abduction"].least_deg == pytest.approx(50)
    assert ranges["hip_abduction"].beyond_deg == pytest.approx(5)
    assert ranges["elbow_flexion"].beyond_deg == pytest.approx(10)


# forces


def test_forces_that_move_the_body_agree_and_others_do_not():
    t = np.arange(480) / 120.0
    root = SKELETON.offsets[0] + 0.03 * np.sin(2 * np.pi * 2 * t)[:, None] * Y
    acceleration = -0.03 * (4 * np.pi) ** 2 * np.sin(4 * np.pi * t)
    forces = np.zeros((480, 2, 3))
    forces[..., 1] = (BODY.mass * (acceleration + G) / 2)[:, None]
    motion = marching(root, 60, 120.0, forces=forces, mass=BODY.mass)
    good = measure(motion).forces
    assert good.consistency_rms_bw < 0.005 and good.consistency_max_bw < 0.01
    assert good.mean_vertical_bw == pytest.approx(1.0, abs=1e-3)
    wrong = measure(replace(motion, forces=forces + [0, 0, 0.05 * BODY.mass * G])).forces
    assert wrong.consistency_rms_bw == pytest.approx(0.1, rel=0.05)
    assert measure(replace(motion, forces=None)).forces.consistency_rms_bw is None


def test_the_planned_mass_centre_is_held_against_the_posed_one():
    from gambol.dynamics import centre_of_mass

    motion = drifting(Z, 0.0)
    off = replace(motion, com=centre_of_mass(motion) + [0.0, 0.002, 0.0])
    assert measure(off).forces.com_error_mm == pytest.approx(2.0)


def test_force_cycles_begin_with_the_strike():
    frames = np.arange(600)
    ramp = (frames[:, None] / 60.0 + [0.0, 0.5]) % 1.0
    forces = np.zeros((600, 2, 3))
    forces[..., 1] = BODY.mass * G * ramp
    motion = marching(np.tile(SKELETON.offsets[0], (600, 1)), forces=forces, mass=BODY.mass)
    np.testing.assert_allclose(force_cycle(motion)[:50, 1], np.linspace(0, 0.98, 50), atol=1e-9)
    with pytest.raises(GambolError, match="no forces"):
        force_cycle(replace(motion, forces=None))
    with pytest.raises(GambolError, match="no whole stride"):
        force_cycle(motion[:30])


# curves


@given(st.floats(-20, 20), st.floats(0.1, 3))
def test_comparison_of_curves(offset, scale):
    mean, sd = np.sin(np.linspace(0, 2 * np.pi, 51)), np.full(51, 0.5)
    fit = compare(scale * mean + offset, mean, sd)
    assert fit.r == pytest.approx(1.0) and fit.offset == pytest.approx(offset, abs=1e-9)
    assert fit.rmse == pytest.approx(abs(scale - 1) * np.sqrt((mean**2).mean()), abs=1e-9)
    fixed = compare(mean + offset, mean, sd, free_offset=False)
    assert fixed.rmse == pytest.approx(abs(offset), abs=1e-9)
    assert fixed.inside == (1.0 if abs(offset) <= 0.5 else 0.0) or abs(abs(offset) - 0.5) < 1e-9
    assert compare(-mean, mean, sd).r == pytest.approx(-1.0)


def test_curves_of_other_lengths_are_an_error():
    with pytest.raises(GambolError, match="disagree"):
        compare(np.zeros(51), np.zeros(50), np.zeros(50))
    assert compare(np.ones(5), np.arange(5.0), np.ones(5)).r == 0.0


def test_cycles_are_straight_between_frames():
    values = np.stack([np.arange(100.0), -np.arange(100.0)], 1)
    rows = cycles(values, [Stride(0, 10, 40), Stride(0, 40, 99)], 31)
    np.testing.assert_allclose(rows[0, :, 0], np.arange(10, 41))
    np.testing.assert_allclose(rows[1, [0, -1]], [[40, -40], [99, -99]])
    assert cycles(values, []).shape == (0, 51, 2)


def test_a_walk_bends_its_joints_as_people_do(data):
    curves = cycle_means(level_walk("force", length=14.0))
    for joint, (mean, sd) in normative.angles(data, "free").items():
        assert mean.shape == (51,)
        assert compare(mean, mean, sd)[:2] == pytest.approx((1.0, 0.0))
        assert compare(curves[joint], mean, sd).r > 0.9


# any clip


@pytest.mark.parametrize("frames", [0, 1, 2, 3])
def test_few_frames(frames):
    motion = statue(np.tile(SKELETON.offsets[0], (frames, 1)), mass=70.0, forces=np.zeros((frames, 2, 3)))
    for clip in (motion, replace(motion, contacts=planted(frames), com=np.zeros((frames, 3)))):
        report = measure(clip, path=np.array([[0.0, 0, 0], [0, 0, 1.0]]))
        assert report.passed and report.lines()
        json.dumps(report.to_json(), allow_nan=False)


def test_figures_without_soles_or_legs():
    plant = Skeleton(("root", "stem"), np.array([-1, 0]), np.array([[0.0, 0, 0], [0, 1, 0]]))
    for frames in (0, 1, 5):
        motion = Motion(plant, np.zeros((frames, 3)), np.tile(quat.IDENTITY, (frames, 2, 1)), FPS)
        report = measure(motion)
        assert report.passed and report.feet.slide_mm is None and report.joints.ranges == ()
        assert "no soles" in report.notes[0]
        json.dumps(report.to_json(), allow_nan=False)


def mirrored(motion: Motion) -> Motion:
    names = motion.skeleton.names
    swap = {"left": "right", "right": "left"}
    other = [names.index("_".join(swap.get(part, part) for part in n.split("_"))) for n in names]
    flip = np.array([-1.0, 1, 1])
    return replace(
        motion, root=motion.root * flip, rotations=motion.rotations[:, other] * [1.0, 1, -1, -1],
        com=motion.com * flip, contacts=motion.contacts[:, [2, 3, 0, 1]],
        forces=motion.forces[:, ::-1] * flip,
    )


def turned(motion: Motion, yaw: float) -> Motion:
    turn = quat.from_axis_angle(Y, np.array(yaw))
    rotations = motion.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    root, com, forces = (quat.rotate(turn, x) for x in (motion.root, motion.com, motion.forces))
    shift = np.array([20.0, 0.0, -7.0])
    return replace(motion, root=root + shift, com=com + shift, forces=forces, rotations=rotations)


def numbers(table: dict) -> dict[str, float]:
    """Every number of a report, by its place in it."""
    out = {}
    for key, value in table.items():
        if isinstance(value, dict):
            out |= {f"{key}.{k}": v for k, v in numbers(value).items()}
        elif isinstance(value, int | float):
            out[key] = value
    return out


@pytest.mark.parametrize("change", [mirrored, lambda m: turned(m, 2.0)], ids=["mirrored", "turned"])
def test_turning_or_mirroring_the_world_changes_no_number(change):
    motion = replace(level_walk("force"), info={}, pressure=None)
    before, after = measure(motion), measure(change(motion))
    assert numbers(after.to_json()) == pytest.approx(numbers(before.to_json()), rel=1e-6, abs=1e-6)
    if change is mirrored:
        assert after.walk.strikes_s["left"] == before.walk.strikes_s["right"]


def test_a_walk_is_measured_the_same_with_and_without_its_record():
    motion = level_walk("force")
    told, found = measure(motion), measure(replace(motion, contacts=None))
    assert told.passed and found.passed
    assert told.feet.recorded and not found.feet.recorded
    assert found.walk.speed_m_s == pytest.approx(told.walk.speed_m_s, rel=2e-3)
    assert told.feet.slide_found_mm == pytest.approx(found.feet.slide_mm)
    assert 1e3 * slides(motion).max() == pytest.approx(told.feet.slide_mm, abs=1e-9)


def test_the_rate_of_a_walk_hardly_matters():
    slow, fast = (measure(level_walk("force", fps=fps)) for fps in (60.0, 120.0))
    assert fast.walk.speed_m_s == pytest.approx(slow.walk.speed_m_s, rel=5e-3)
    assert fast.walk.cadence_steps_min == pytest.approx(slow.walk.cadence_steps_min, rel=0.02)
    assert fast.walk.com_rise_mm == pytest.approx(slow.walk.com_rise_mm, abs=0.5)
    assert fast.joints.knee_least_deg == pytest.approx(slow.joints.knee_least_deg, abs=0.5)


def test_the_json_is_plain():
    table = measure(level_walk("force")).to_json()
    again = json.loads(json.dumps(table, allow_nan=False))
    assert again == table and again["passed"] is True and again["tolerances"]["slide_mm"] == 1.0
    assert {"slide_mm", "sinking_mm", "floating_mm", "reach"} <= set(again["feet"]["stances"][0])
