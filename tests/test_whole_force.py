"""Events and forces of recordings against force plates, and forces of motions whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from walks import level_walk, straight

from gambol.body import G
from gambol.errors import GambolError
from gambol.foot_forces import handed_over, split
from gambol.gait import Gait
from gambol.gait_events import find_events
from gambol.gait_report import analyse
from gambol.io import load
from gambol.methods.running import Running
from gambol.plates import plate_contacts, plate_events, with_feet
from gambol.recorded_walk import build_walk
from gambol.synthesis import Task, generate
from gambol.tracks import SIDES, tracks_of
from gambol.whole_force import compare_plates, estimate_forces, mass_centre

OPENSIM = {  # the trial has clusters on thigh and shank, and no marker on the knee
    f"{side}_{role}": [f"{side[0].upper()}.{m}" for m in markers]
    for side in SIDES
    for role, markers in {
        "knee": ("Thigh.Rear", "Shank.Upper"), "ankle": ("Heel", "Midfoot.Lat"), "ball": ("Toe.Lat", "Toe.Med"),
    }.items()
}


def trial_of(data, name):
    """A trial with its plates, and the table it needs."""
    if name != "opensim":
        return load(data / "c3d" / f"{name}.c3d"), None
    folder = data / "gait" / "opensim_subject01"
    markers, forces = load(folder / "walk1.trc"), load(folder / "walk1_grf.mot")
    return with_feet(replace(markers, plates=forces.plates, analog_fps=forces.analog_fps)), OPENSIM


TRIALS = pytest.mark.parametrize("name", ["bmc_gait", "stair_descent_4plates", "opensim"])


@TRIALS
def test_events_from_motion_are_within_20_ms_of_the_plates(data, name):
    trial, table = trial_of(data, name)
    tracks = tracks_of(trial, table)
    found = find_events(tracks).record()
    compared = 0
    for key, times in plate_events(plate_contacts(trial)).items():
        for t in times:
            near = [x for x in found[key] if abs(x - t) < 0.3]
            inside = 0.1 < t < (len(tracks) - 1) / tracks.fps - 0.15
            if inside and np.isfinite(tracks["pelvis"][int(t * tracks.fps)]).all():
                assert near, (key, t)
            if near:
                compared += 1
                assert min(abs(x - t) for x in near) < 0.020, (key, t)
    assert compared >= 4


def test_u141_events_are_the_plates_where_there_are_plates(data):
    trial, _ = trial_of(data, "bmc_gait")
    found = find_events(tracks_of(trial), trial)
    assert found.by_plate == 4
    for key, times in plate_events(plate_contacts(trial)).items():
        assert all(min(abs(x - t) for x in found.record()[key]) < 1e-9 for t in times)


@TRIALS
def test_estimated_forces_against_plates(data, name):
    """Vertical: r at least 0.97 and at most 0.08 body weights off, for each foot."""
    trial, table = trial_of(data, name)
    found = estimate_forces(trial, table=table)
    against = compare_plates(found, trial)
    assert set(against) == set(SIDES)
    for errors in against.values():
        assert errors["vertical_r"] >= 0.97
        assert errors["vertical_rmse_bw"] <= 0.08


def test_a_record_that_starts_in_a_double_support_says_nothing_there(data):
    trial, table = trial_of(data, "opensim")
    assert np.isnan(estimate_forces(trial, 72.9, table=table).forces[:6]).all()


def test_u144_mean_vertical_is_weight():
    """Force per foot of a motion that has none; over whole strides its mean is the weight within 3 %."""
    motion = level_walk("force", 1.2, 100.0, length=18.0)
    bare = replace(motion, forces=None, pressure=None, com=None)
    found = estimate_forces(bare)
    a, b = (motion.info["events"]["left_strike"][k] for k in (3, 7))
    total = found.forces[int(a * 100) : int(b * 100), :, 1].sum(1)
    assert np.isfinite(total).all()
    assert total.mean() / (motion.mass * G) == pytest.approx(1.0, abs=0.03)
    planned = motion.forces[int(a * 100) : int(b * 100), :, 1] / (motion.mass * G)
    mine = found.forces[int(a * 100) : int(b * 100), :, 1] / (motion.mass * G)
    assert np.sqrt(np.mean((mine - planned) ** 2)) < 0.08
    unloaded = found.forces[..., 1] < 1e-6
    assert np.isnan(found.pressure[unloaded & np.isfinite(found.forces[..., 1])]).all()


def test_hand_over_is_a_share():
    u = np.linspace(0, 1, 101)
    share = handed_over(u)
    assert share[0] == 1 and share[-1] == 0 and (np.diff(share) < 0).all()
    assert share + handed_over(1 - u) == pytest.approx(1.0)
    measured = [0.96, 0.89, 0.80, 0.72, 0.62, 0.50, 0.375, 0.25, 0.155, 0.08, 0.02]  # mean of seven double supports
    assert np.sqrt(np.mean((handed_over(np.linspace(0, 1, 11)) - measured) ** 2)) < 0.025


def test_split_adds_up_and_aims():
    rng = np.random.default_rng(1)
    total = rng.normal(0, 80, (20, 3)) + [0, 700, 0]
    shares = rng.uniform(0, 1, (20, 1))
    com = rng.normal(0, 0.1, (20, 3)) + [0, 1.0, 0]
    pressure = rng.normal(0, 0.2, (20, 2, 3)) * [1, 0, 1]
    forces = split(total, np.concatenate([shares, 1 - shares], 1), com, pressure)
    assert np.abs(forces.sum(1) - total).max() < 1e-9
    alone = split(total, np.repeat([[1.0, 0.0]], 20, 0), com, pressure)
    assert np.abs(alone[:, 0] - total).max() < 1e-9 and not alone[:, 1].any()


def test_mass_centre_of_joints_is_that_of_the_segments():
    motion = level_walk("force", 1.2, 100.0, length=18.0)
    tracks = tracks_of(motion)
    off = mass_centre(tracks) - motion.com
    assert np.abs(off - off.mean(0)).max() < 0.02  # another trunk: the same way within 2 cm


@pytest.mark.parametrize("speed", [2.5, 4.0])
def test_a_run_whose_strikes_and_offs_are_known(speed):
    """Nothing in the flights, all on one foot between them: within 0.08 body weights of the run's own forces."""
    run = generate(Running(), Task(path=straight(25), gait=Gait(speed=speed)))
    found = estimate_forces(replace(run, forces=None, pressure=None))
    known = np.isfinite(found.forces[:, 0, 1])
    mine, true = (f[known, :, 1] / (found.mass * G) for f in (found.forces, run.forces))
    assert known.mean() > 0.75
    assert np.sqrt(np.mean((mine - true) ** 2)) < 0.08
    assert np.corrcoef(mine.ravel(), true.ravel())[0, 1] > 0.97


@pytest.mark.parametrize("clip", ["16_36", "02_03", "16_45"])
def test_recorded_runs_are_told_apart_from_walks(data, clip):
    """No force, no measured walk, and a first look that does not hold them against walks."""
    motion = load(data / "mocap" / "cmu" / f"{clip}.amc")
    for refused in (estimate_forces, build_walk):
        with pytest.raises(GambolError, match="this is a run: a foot is down"):
            refused(motion)
    report = analyse(motion)
    assert not report.fits and any("this is a run" in line for line in report.lines())


def test_who_never_walks_gets_no_force(cases):
    """A figure that lies: no table of blanks is written."""
    with pytest.raises(GambolError, match="no foot ever strikes"):
        estimate_forces(load(cases / "U012_graph_c_lying.bvh"))


@pytest.mark.parametrize("clip", ["16_15", "16_21", "02_02"])
def test_recorded_walks_are_no_runs(data, clip):
    assert analyse(load(data / "mocap" / "cmu" / f"{clip}.amc")).fits
