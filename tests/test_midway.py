"""Planted feet between frames: as far off as they must be, and half of that."""

from dataclasses import replace

import numpy as np
import pytest

from gambol import quat
from gambol.feet import stances
from gambol.legs import feet_of
from gambol.measure.contact import slides
from gambol.methods.force_walk import ForceWalk
from gambol.midway import halved, held_midway
from gambol.path import parse_path
from gambol.roles import roles_of
from gambol.skeleton import forward_kinematics
from gambol.synthesis import Task, generate


@pytest.fixture(scope="module")
def walk():
    return generate(ForceWalk(), Task(path=parse_path("0,0 0,4"), fps=60.0))


def slide_mm(motion):
    """(slide at frames, slide at frames and half-way), mm."""
    p, _ = forward_kinematics(motion.skeleton, halved(motion.root), quat.normalize(halved(motion.rotations)))
    tracks = p[:, list(motion.skeleton.soles)]
    found = stances(motion.contacts)
    return [1e3 * slides(t, found, None).max() for t in (np.repeat(tracks[::2], 2, axis=0)[:-1], tracks)]


def held(motion):
    roles = roles_of(motion.skeleton)
    return held_midway(motion, feet_of(motion.skeleton, roles), motion.contacts, (None, roles.facing))


def test_halved_keeps_frames_and_puts_means_between():
    x = np.random.default_rng(0).normal(size=(5, 3))
    out = halved(x)
    np.testing.assert_array_equal(out[::2], x)
    np.testing.assert_allclose(out[1::2], (x[1:] + x[:-1]) / 2, rtol=1e-12)


def test_what_is_held_is_left_alone_bit_for_bit(walk):
    assert slide_mm(walk)[1] < 0.4
    assert held(walk) is walk


def away_mm(motion, still):
    """Farthest (mm, along the ground) of a planted point from the place it has in ``still``, between frames as well."""
    p, _ = forward_kinematics(motion.skeleton, halved(motion.root), quat.normalize(halved(motion.rotations)))
    places, worst = still.positions()[:, list(still.skeleton.soles)], 0.0
    for s in stances(motion.contacts):
        track = p[2 * s.first : 2 * s.end - 1, motion.skeleton.soles[s.sole]]
        place = np.median(places[s.first : s.end, s.sole], axis=0)
        worst = max(worst, np.linalg.norm((track - place)[:, [0, 2]], axis=1).max())
    return 1e3 * worst


@pytest.mark.parametrize("every", [4, 6])  # 15 and 10 frames a second
def test_at_few_frames_what_feet_slide_between_them_is_halved(walk, every):
    few = replace(walk[::every], fps=walk.fps / every)
    between, after = away_mm(few, few), away_mm(held(few), few)
    assert between > 0.8 and slide_mm(few)[0] < 0.1
    assert after < max(0.55 * between, between - 0.95)
    out = held(few)
    np.testing.assert_array_equal(out.root, few.root)
    lows = [m.positions()[:, list(m.skeleton.soles), 1].min() for m in (few, out)]
    assert lows[0] == pytest.approx(lows[1], abs=1e-5), "it leans along the ground"
