"""Two-bone chains: axioms over random chains and targets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambol import quat
from gambol.ik import frame_along, two_bone

SEEDS = st.integers(0, 2**32 - 1)


def solved(chain, target, hinge):
    root, middle, end = chain
    first, second = two_bone(chain, target, hinge)
    knee = root + quat.rotate(first, middle - root)
    return knee, knee + quat.rotate(second, end - middle)


def random_chains(seed, n=40):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, 3))
    a, b = rng.uniform(0.1, 1, (2, n, 1))
    d1, d2 = (quat.rotate(quat.exp(rng.normal(size=(n, 3)) * 3), [0, 0, 1.0]) for _ in range(2))
    return (root, root + a * d1, root + a * d1 + b * d2), a, b, rng


@given(SEEDS)
def test_a_target_within_reach_is_met_and_lengths_are_kept(seed):
    chain, a, b, rng = random_chains(seed)
    away = rng.uniform(np.abs(a - b) * 1.001, (a + b) * 0.999)
    aim = quat.rotate(quat.exp(rng.normal(size=(len(a), 3)) * 3), [0, 0, 1.0])
    target = chain[0] + away * aim
    knee, foot = solved(chain, target, rng.normal(size=(len(a), 3)))
    assert np.abs(foot - target).max() < 1e-9
    assert np.allclose(np.linalg.norm(knee - chain[0], axis=1, keepdims=True), a, atol=1e-12)


@given(SEEDS, st.floats(1.0, 1e6))
def test_a_target_out_of_reach_is_pointed_at_with_the_chain_straight(seed, beyond):
    chain, a, b, rng = random_chains(seed)
    aim = quat.rotate(quat.exp(rng.normal(size=(len(a), 3)) * 3), [0, 0, 1.0])
    knee, foot = solved(chain, chain[0] + beyond * (a + b) * aim, rng.normal(size=(len(a), 3)))
    assert np.abs(foot - (chain[0] + (a + b) * aim)).max() < 1e-6
    assert np.isfinite(knee).all()


@given(SEEDS)
def test_a_chain_that_is_where_it_should_be_does_not_turn(seed):
    chain, _, _, _ = random_chains(seed)
    hinge = np.cross(chain[1] - chain[0], chain[2] - chain[1])
    for q in two_bone(chain, chain[2], hinge):
        assert np.abs(quat.log(q)).max() < 1e-6


@given(SEEDS)
def test_turning_everything_turns_the_answer(seed):
    chain, a, _, rng = random_chains(seed)
    target, hinge = rng.normal(size=(2, len(a), 3))
    turn = quat.exp(rng.normal(size=3))
    knee, foot = solved(chain, target, hinge)
    turned = solved(tuple(quat.rotate(turn, p) for p in chain), quat.rotate(turn, target), quat.rotate(turn, hinge))
    assert np.abs(turned[0] - quat.rotate(turn, knee)).max() < 1e-6
    assert np.abs(turned[1] - quat.rotate(turn, foot)).max() < 1e-6


def test_a_knee_bends_forward_with_the_left_as_hinge():
    chain = np.array([[0, 1.0, 0], [0, 0.5, 0], [0, 0, 0]])
    knee, foot = solved(tuple(chain), np.array([0, 0.2, 0]), np.array([1.0, 0, 0]))
    assert foot == pytest.approx([0, 0.2, 0], abs=1e-12) and knee[2] > 0.2 and abs(knee[0]) < 1e-12


def test_a_target_at_the_root_is_finite():
    chain = np.array([[0, 1.0, 0], [0, 0.5, 0.1], [0, 0, 0]])
    knee, foot = solved(tuple(chain), chain[0], np.array([1.0, 0, 0]))
    assert np.isfinite(knee).all() and np.isfinite(foot).all()


@given(SEEDS)
def test_the_bend_moves_smoothly_through_the_straight_chain(seed):
    rng = np.random.default_rng(seed)
    length = 1 - np.abs(np.linspace(-0.02, 0.02, 201))
    target = np.stack([0 * length, 1 - length, 0 * length], -1)
    chain = (np.array([0, 1.0, 0]), np.array([0, 0.5, 0.02]), np.array([0, 0.0, 0.0]))
    hinge = np.array([1.0, 0, 0]) + 0.1 * rng.normal(size=3)
    knee, _ = solved(tuple(np.broadcast_to(p, (201, 3)) for p in chain), target, hinge)
    assert np.abs(np.diff(knee, axis=0)).max() < 0.03


def test_a_frame_looks_along_its_direction():
    q = frame_along([0, 0, 2.0], [1, 0, 5.0])
    assert quat.rotate(q, [0, 0, 1]) == pytest.approx([0, 0, 1])
    assert quat.rotate(q, [1, 0, 0]) == pytest.approx([1, 0, 0])
