"""Centre of mass, momentum and ground reaction of motions whose answers are known in closed form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambol import quat
from gambol.body import Body, G
from gambol.dynamics import (
    angular_momentum,
    centre_of_mass,
    ground_reaction,
    low_pass,
    momentum,
    point_masses,
)
from gambol.errors import GambolError
from gambol.motion import Motion
from gambol.skeleton import Skeleton

BODY = Body(1.75, 70.0)
SKELETON = BODY.skeleton
FPS = 120.0


def rigid(root: np.ndarray, turn: np.ndarray | None = None, fps: float = FPS) -> Motion:
    """The T-pose carried along; ``turn`` (F, 4) rotates it about the root."""
    rotations = np.tile(quat.IDENTITY, (len(root), len(SKELETON), 1))
    if turn is not None:
        rotations[:, 0] = turn
    return Motion(SKELETON, root, rotations, fps, mass=BODY.mass)


def wriggling(seed: int, frames: int = 5) -> Motion:
    rng = np.random.default_rng(seed)
    rotations = quat.exp(rng.normal(size=(frames, len(SKELETON), 3)) * 0.5)
    return Motion(SKELETON, rng.normal(size=(frames, 3)), rotations, FPS, mass=BODY.mass)


@given(st.integers(0, 10**6))
def test_the_centre_of_mass_moves_with_the_world(seed):
    motion, rng = wriggling(seed), np.random.default_rng(seed + 1)
    turn, shift = quat.exp(rng.normal(size=3)), rng.normal(size=3)
    rotations = motion.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    moved = replace(motion, root=quat.rotate(turn, motion.root) + shift, rotations=rotations)
    expected = quat.rotate(turn, centre_of_mass(motion)) + shift
    np.testing.assert_allclose(centre_of_mass(moved), expected, atol=1e-12)
    expected = quat.rotate(turn, angular_momentum(motion))
    np.testing.assert_allclose(angular_momentum(moved), expected, atol=1e-9)


def test_the_resting_centre_of_mass_is_in_the_pelvis():
    com = centre_of_mass(rigid(SKELETON.offsets[:1]))[0]
    assert abs(com[0]) < 1e-12
    assert 0.53 < com[1] / BODY.height < 0.62  # arms spread: a little above the hanging 0.55..0.57
    shares, places = point_masses(rigid(SKELETON.offsets[:1]))
    assert shares.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.allclose(shares @ places[0], com)


def test_standing_carries_the_weight_in_every_frame():
    motion = rigid(np.tile(SKELETON.offsets[0], (90, 1)))
    expected = np.tile([0.0, BODY.mass * G, 0.0], (90, 1))
    for cutoff in (None, 5.0, 20.0, 60.0):
        np.testing.assert_allclose(ground_reaction(motion, cutoff), expected, atol=1e-6)


def test_a_flight_asks_nothing_of_the_ground():
    t = np.arange(60)[:, None] / FPS
    up = np.array([0.0, 1.0, 0.0])
    motion = rigid(up + np.array([0.3, 2.0, 1.5]) * t - 0.5 * G * t**2 * up)
    np.testing.assert_allclose(ground_reaction(motion, None), 0.0, atol=1e-5)
    np.testing.assert_allclose(ground_reaction(motion), 0.0, atol=1e-5)
    expected = BODY.mass * (np.array([0.3, 2.0, 1.5]) - G * t * up)
    np.testing.assert_allclose(momentum(motion)[1:-1], expected[1:-1], atol=1e-8)
    np.testing.assert_allclose(angular_momentum(motion), 0.0, atol=1e-8)


@pytest.mark.parametrize("fps", [120.0, 240.0])
def test_a_pendulum(fps):
    """A stiff body that swings about its hips like a pendulum: force and spin in closed form, at any rate."""
    t = np.arange(int(2 * fps)) / fps
    amplitude, omega = 0.4, 3.0
    angle, rate = amplitude * np.sin(omega * t), amplitude * omega * np.cos(omega * t)
    motion = rigid(np.zeros((len(t), 3)), quat.from_axis_angle(np.array([1.0, 0, 0]), angle), fps)
    shares, places = point_masses(rigid(np.zeros((1, 3))))
    arm = shares @ places[0]
    c, s = np.cos(angle), np.sin(angle)
    down = np.stack([0 * t, c * arm[1] - s * arm[2], s * arm[1] + c * arm[2]], 1)
    across = np.stack([0 * t, -down[:, 2], down[:, 1]], 1)  # along the motion of the mass centre
    acceleration = -(rate**2)[:, None] * down - (omega**2 * angle)[:, None] * across
    expected = BODY.mass * (acceleration + [0.0, G, 0.0])
    np.testing.assert_allclose(ground_reaction(motion, None)[1:-1], expected[1:-1], atol=2e-3 * BODY.mass)
    inertia = BODY.mass * shares @ ((places[0] - arm)[:, 1:] ** 2).sum(1)
    spin = angular_momentum(motion)[1:-1]
    np.testing.assert_allclose(spin[:, 0], inertia * rate[1:-1], atol=2e-3 * inertia)


@given(st.floats(-5, 5), st.floats(-5, 5), st.integers(0, 400), st.floats(0.5, 59))
def test_constants_and_trends_pass_the_filter(level, slope, frames, cutoff):
    x = level + slope * np.arange(frames) / FPS
    np.testing.assert_allclose(low_pass(x, FPS, cutoff), x, atol=1e-9)


def test_the_filter_has_no_delay_and_half_the_power_at_its_cutoff():
    t = np.arange(1200) / FPS
    middle = slice(300, 900)
    for frequency in (2.0, 10.0, 20.0, 30.0):
        gain = 1 / (1 + (np.sqrt(2) - 1) * (frequency / 20.0) ** 4)
        wave = np.sin(2 * np.pi * frequency * t)
        np.testing.assert_allclose(low_pass(wave, FPS)[middle], gain * wave[middle], atol=5e-3)
    assert 1 / (1 + (np.sqrt(2) - 1)) == pytest.approx(np.sqrt(0.5))


@given(st.integers(0, 10**6), st.integers(2, 300))
def test_the_filter_is_linear_and_the_same_backwards(seed, frames):
    a, b = np.random.default_rng(seed).normal(size=(2, frames, 3))
    np.testing.assert_allclose(low_pass(a + 2 * b, FPS), low_pass(a, FPS) + 2 * low_pass(b, FPS), atol=1e-10)
    np.testing.assert_allclose(low_pass(a[::-1], FPS), low_pass(a, FPS)[::-1], atol=1e-10)


def test_the_filter_agrees_with_a_recursive_one():
    signal = pytest.importorskip("scipy.signal")
    x = np.random.default_rng(3).normal(size=4000).cumsum()
    fps, cutoff = 1000.0, 10.0  # far below half the rate, where sampling does not bend the recursive one
    numerator, denominator = signal.butter(2, cutoff / (np.sqrt(2) - 1) ** 0.25 / (fps / 2))
    expected = signal.filtfilt(numerator, denominator, x)
    assert np.abs(low_pass(x, fps, cutoff) - expected)[500:-500].max() < 0.01 * x.std()


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_few_frames_are_rest(frames):
    motion = rigid(np.random.default_rng(0).normal(size=(frames, 3)))
    assert np.allclose(ground_reaction(motion), [0.0, BODY.mass * G, 0.0])
    for quantity in (centre_of_mass, momentum, angular_momentum):
        assert quantity(motion).shape == (frames, 3)


def test_what_is_not_known_is_an_error():
    with pytest.raises(GambolError, match="heavy"):
        ground_reaction(replace(rigid(np.zeros((3, 3))), mass=None))
    stick = Skeleton(("root", "tip"), np.array([-1, 0]), np.array([[0.0, 1, 0], [0, 1, 0]]))
    with pytest.raises(GambolError, match="no joint"):
        centre_of_mass(Motion(stick, np.zeros((2, 3)), np.tile(quat.IDENTITY, (2, 2, 1)), 60.0))
    with pytest.raises(GambolError, match="cutoff"):
        low_pass(np.zeros(9), 60.0, 0.0)
