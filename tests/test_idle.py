"""The living stand: alive, planted, balanced, and without a seam."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from walks import posed_com, slides

from gambol.body import Body, G
from gambol.clips import idle, standing
from gambol.errors import GambolError
from gambol.gait import Gait
from gambol.idle import CYCLE, Manner, living_stand
from gambol.methods.force_walk import ForceWalk
from gambol.path import Path
from gambol.synthesis import Task
from gambol.terrain import Slope


@cache
def stood(seconds: float | None = None, height: float = 1.75, seed: int = 0, fps: float = 30.0):
    return idle(ForceWalk(), Task(body=Body(height), gait=Gait(speed=0), fps=fps, duration=seconds, seed=seed))


@pytest.mark.parametrize("height", [0.9, 1.75, 2.2])
def test_feet_stay_to_the_micron_and_the_posed_mass_centre_is_the_planned_one(height):
    clip = stood(height=height)
    soles = clip.positions()[:, list(clip.skeleton.soles)]
    assert np.abs(soles - soles[0]).max() < 1e-9
    assert slides(clip).max() < 1e-6 and clip.contacts.all()
    assert np.abs(posed_com(clip) - clip.com).max() < 1e-6


def test_the_force_drives_the_mass_centre():
    clip = stood(fps=120)
    wanted = clip.mass * (np.diff(clip.com, 2, axis=0) * 120**2 + [0, G, 0])
    assert np.abs(clip.forces.sum(1)[1:-1] - wanted).max() < 1e-3 * clip.mass * G


def test_pressure_balances_the_moving_mass_centre():
    """About the common centre of pressure the force has no moment: it passes through the mass centre."""
    clip = stood()
    total = clip.forces.sum(1)
    vertical = clip.forces[..., 1:2] / total[:, None, 1:2]
    point = np.nansum(vertical * clip.pressure, axis=1)
    arm = clip.com - point
    assert np.abs(np.cross(arm, total)).max() / (clip.mass * G) < 2e-3  # m
    height = float(clip.com[0, 1])
    assert np.abs(np.diff(point, axis=0)).max() < 0.01 * height


def test_it_lives():
    clip = stood()
    weight = clip.forces[:, 0, 1] / clip.forces[..., 1].sum(1)
    assert weight.min() < 0.35 and weight.max() > 0.65  # the weight goes to either leg
    head = clip.rotations[:, clip.skeleton.index("head")]
    assert np.degrees(np.arccos(np.abs(head @ head[0]).clip(max=1))).max() > 1.5
    chest = np.unwrap(2 * np.arcsin(clip.rotations[:, clip.skeleton.index("left_shoulder"), 3]))
    assert (np.diff(np.sign(chest - chest.mean())) > 0).sum() == round(15 * CYCLE / 60)  # 15 breaths a minute
    hands = clip.positions()[:, clip.skeleton.indices(["left_hand", "right_hand"])] - clip.root[:, None]
    assert np.ptp(hands, axis=0).max(-1).min() > 0.01


def test_the_loop_has_no_seam_and_begins_in_the_still_stand():
    clip = stood()
    still = standing(ForceWalk(), Task(fps=30))
    assert np.abs(clip.rotations[0] - still.rotations[0]).max() < 1e-9
    assert np.abs(clip.root[0] - still.root[0]).max() < 1e-9
    around = np.concatenate([clip.root, clip.root[:2]])
    change = np.linalg.norm(np.diff(around, 2, axis=0), axis=1)
    assert change[-2:].max() <= change[:-2].max()
    assert clip.cyclic and len(clip) == round(CYCLE * 30)


def test_long_stands_do_not_repeat_and_join_without_a_jump():
    clip = stood(3 * CYCLE)
    n = round(CYCLE * 30)
    assert not clip.cyclic and len(clip) == 3 * n + 1
    assert np.abs(clip.root[:n] - clip.root[n : 2 * n]).max() > 2e-3
    change = np.linalg.norm(np.diff(clip.root, 2, axis=0), axis=1)
    assert change[n - 2 : n + 1].max() <= change.max() * 0.9
    assert np.abs(clip.root - stood(3 * CYCLE, seed=1).root).max() > 2e-3
    assert np.array_equal(clip.root, idle(ForceWalk(), Task(fps=30, duration=3 * CYCLE)).root)


def test_anywhere_and_any_way_round():
    path = Path(np.array([[1.0, 0, 2.0], [1.0 + 3 * np.sin(2.0), 0, 2.0 + 3 * np.cos(2.0)]]))
    turned = idle(ForceWalk(), Task(path=path, fps=30))
    c, s = np.cos(2.0), np.sin(2.0)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    assert np.abs(turned.positions() - (stood().positions() @ turn.T + [1.0, 0, 2.0])).max() < 1e-6
    uphill = idle(ForceWalk(), Task(terrain=Slope(0.15), fps=30))
    soles = uphill.positions()[:, list(uphill.skeleton.soles)]
    assert np.abs(soles - soles[0]).max() < 1e-9


def test_manner_and_what_cannot_stand():
    still = standing(ForceWalk(), Task(fps=30))
    statue = living_stand(still, manner=Manner(0, 0, 0))
    assert np.ptp(statue.root[:, 0]) < 1e-9
    with pytest.raises(GambolError, match="stands on two legs"):
        living_stand(still[:0])
    with pytest.raises(GambolError, match="0 to 604800 s"):
        living_stand(still, -1.0)
    with pytest.raises(GambolError, match=r"clips\.idle"):
        ForceWalk().start(Task(gait=Gait(speed=0)))
