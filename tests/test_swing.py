"""The swing path: ends met to the second derivative, smooth at the via point, and of least jerk."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import polynomial as poly

from gambol.swing import BUMP, bumped, evaluate, quintic, through

seeds = st.integers(0, 2**32 - 1)
places = st.floats(0.15, 0.85)


def derivative(coefficients: np.ndarray, r: float, order: int, span: float) -> float:
    """d^order / ds^order at r = s / span."""
    return float(poly.polyval(r, poly.polyder(coefficients, order))) / span**order


def jerk(path: np.ndarray, at: float) -> float:
    """Integral of the squared third derivative over s, of both pieces of one coordinate (2, 9)."""
    x, w = np.polynomial.legendre.leggauss(12)
    total = 0.0
    for piece, span in zip(path, (at, 1 - at)):
        third = poly.polyval((x + 1) / 2, poly.polyder(piece, 3)) / span**3
        total += span / 2 * float(w @ third**2)
    return total


def problem(seed: int, n: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(0, 1, (n, 6)) * [1, 2, 5, 1, 2, 5], rng.normal(0, 1, n)


@given(seeds, st.floats(0.1, 2.0))
def test_a_quintic_has_the_ends_it_was_given(seed, span):
    ends, _ = problem(seed)
    for e, c in zip(ends, quintic(ends, span)):
        seen = [derivative(c, r, order, span) for r in (0.0, 1.0) for order in (0, 1, 2)]
        np.testing.assert_allclose(seen, e, atol=1e-9 * max(1, 1 / span**2))


def test_the_quintic_of_rest_to_rest_is_the_minimum_jerk_curve():
    """Flash and Hogan (1985): 10 r^3 - 15 r^4 + 6 r^5."""
    np.testing.assert_allclose(quintic(np.array([0, 0, 0, 1.0, 0, 0])), [0, 0, 0, 10, -15, 6], atol=1e-15)


@given(seeds)
def test_many_quintics_are_each_of_them(seed):
    ends = np.random.default_rng(seed).normal(size=(2, 3, 6))
    whole = quintic(ends, 0.7)
    assert whole.shape == (2, 3, 6)
    for i in np.ndindex(2, 3):
        np.testing.assert_allclose(whole[i], quintic(ends[i], 0.7), atol=1e-13)


def test_bumps_are_one_in_the_middle_and_still_at_both_ends():
    for k, bump in enumerate(BUMP):
        assert poly.polyval(0.5, bump) == pytest.approx(1.0 if k == 0 else 0.0, abs=1e-12)
        assert [derivative(bump, r, n, 1.0) for r in (0.0, 1.0) for n in (0, 1, 2)] == pytest.approx([0] * 6, abs=1e-9)
    s = np.linspace(0, 1, 21)
    w, q = 64 * s**3 * (1 - s) ** 3, 2 * s - 1
    np.testing.assert_allclose([poly.polyval(s, b) for b in BUMP], [w, w * q, w * q * q], atol=1e-12)


@given(seeds)
def test_a_bumped_path_keeps_its_ends(seed):
    ends, _ = problem(seed, 4)
    path = bumped(ends, np.random.default_rng(seed).normal(size=(4, 3)))
    assert path.shape == (2, 4, 9)
    for d in range(4):
        seen = [derivative(path[0, d], r, n, 1.0) for r in (0.0, 1.0) for n in (0, 1, 2)]
        np.testing.assert_allclose(seen, ends[d], atol=1e-8)


@given(seeds, places)
def test_through_meets_ends_and_via_and_is_smooth_to_the_fourth_derivative(seed, at):
    ends, via = problem(seed)
    path = through(ends, via, at)
    assert path.shape == (2, 3, 9) and not path[..., 6:].any()
    size = 1e-8 * np.abs(path).max()
    for d in range(3):
        first, second = path[0, d], path[1, d]
        left = [derivative(first, 0.0, n, at) for n in (0, 1, 2)]
        right = [derivative(second, 1.0, n, 1 - at) for n in (0, 1, 2)]
        np.testing.assert_allclose(left + right, ends[d], atol=size / min(at, 1 - at) ** 2)
        assert (poly.polyval(1.0, first), poly.polyval(0.0, second)) == pytest.approx((via[d], via[d]), abs=size)
        for n in range(1, 5):
            a, b = derivative(first, 1.0, n, at), derivative(second, 0.0, n, 1 - at)
            assert a == pytest.approx(b, abs=size / min(at, 1 - at) ** n), n


@given(seeds, places, st.floats(-1, 1), st.floats(-1, 1))
def test_other_rates_at_the_via_point_cost_more_jerk(seed, at, velocity, acceleration):
    """Of all pairs of quintics with these ends and this via point, the least jerk."""
    ends, via = problem(seed, 1)
    best = through(ends, via, at)[:, 0]
    middle = np.array([via[0], derivative(best[1], 0.0, 1, 1 - at), derivative(best[1], 0.0, 2, 1 - at)])
    other = middle + [0.0, velocity, 10 * acceleration]
    rival = np.zeros((2, 9))
    rival[0, :6] = quintic(np.r_[ends[0, :3], other], at)
    rival[1, :6] = quintic(np.r_[other, ends[0, 3:]], 1 - at)
    least, cost = jerk(best, at), jerk(rival, at)
    assert cost >= least * (1 - 1e-9)
    if abs(velocity) + abs(acceleration) > 1e-2:
        assert cost > least


@given(seeds, places)
def test_any_curve_with_these_ends_and_this_via_point_costs_more_jerk(seed, at):
    """Add what vanishes at the via point and with two derivatives at both ends: Pythagoras in the jerk."""
    rng = np.random.default_rng(seed)
    ends, via = problem(seed, 1)
    best = through(ends, via, at)[:, 0]
    whole = np.convolve(BUMP[0], [-at, 1.0])  # s^3 (1-s)^3 (s - at)
    whole = np.convolve(whole, rng.normal(size=3))
    pieces = []
    for base, start, span in zip(best, (0.0, at), (at, 1 - at)):
        shape = np.zeros(1)
        for c in whole[::-1]:  # s = start + span r
            shape = poly.polyadd(np.convolve(shape, [start, span]), [c])
        pieces.append((poly.polyadd(base, shape), shape))
    cost = jerk([p[0] for p in pieces], at)
    assert cost == pytest.approx(jerk(best, at) + jerk([p[1] for p in pieces], at), rel=1e-6)
    assert cost > jerk(best, at)


@given(seeds, places)
def test_a_via_point_that_lies_on_the_quintic_changes_nothing(seed, at):
    ends, _ = problem(seed, 2)
    plain = bumped(ends, np.zeros((2, 3)))
    path = through(ends, np.array([poly.polyval(at, plain[0, d]) for d in range(2)]), at)
    s = np.linspace(0, 1, 23)
    for d in range(2):
        np.testing.assert_allclose(
            evaluate(s, at, path, d), evaluate(s, 1.0, plain, d), atol=1e-8 * np.abs(plain).max()
        )


@given(seeds, places)
def test_paths_are_linear_in_their_via_point(seed, at):
    rng = np.random.default_rng(seed)
    ends, via = rng.normal(size=(3, 6)), rng.normal(size=(5, 3))
    zero, unit = through(ends, np.zeros(3), at), through(np.zeros((3, 6)), np.ones(3), at)
    for v in via:
        path = through(ends, v, at)
        np.testing.assert_allclose(path, zero + v[:, None] * unit, atol=1e-9 * np.abs(path).max())


@given(seeds, places)
def test_evaluate_reads_the_right_piece(seed, at):
    path = np.random.default_rng(seed).normal(size=(2, 3, 9))
    for s in (0.0, 0.5 * at, at, at + 0.5 * (1 - at), 1.0):
        piece, r = (path[0], s / at) if s <= at else (path[1], (s - at) / (1 - at))
        for d in range(3):
            assert evaluate(s, at, path, d) == pytest.approx(poly.polyval(r, piece[d]), abs=1e-9)
            assert evaluate(np.array([s]), at, path, d)[0] == pytest.approx(evaluate(s, at, path, d), abs=1e-12)
