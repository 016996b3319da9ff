"""The foot on the ground: what stays fixed stays, and nothing jerks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambol.body import Body
from gambol.figure_parts import figure_of
from gambol.roll import Foot, Roll, ankle_rates, ball_heel_tip, roll_pitch, shifted, sole_ankle
from gambol.walk_table import PAPER, SPEEDS, row_at

LANDED = 5.0  # s


@st.composite
def rolls(draw) -> Roll:
    """A foot's time on the ground: the phases in order, angles and shapes around the table's."""
    shares = np.cumsum([0.0, *(draw(st.floats(0.05, 0.4)) for _ in range(4))])
    times = LANDED + draw(st.floats(0.4, 1.5)) * shares / shares[-1]
    angles = [
        draw(st.floats(*r))
        for r in ((0.0, 0.4), (0.0, 2.5), (0.1, 1.4), (0.3, 0.8), (2.2, 5.0), (-0.9, 1.1), (0.0, 0.9))
    ]
    return Roll(*map(float, times), *angles)


@st.composite
def feet(draw) -> Foot:
    return figure_of(Body(draw(st.floats(0.9, 2.2)))).foot


def points(t: np.ndarray, roll: Roll, foot: Foot) -> np.ndarray:
    """(3, 2, N) heel, ball and tip in the sole's plane."""
    theta, tau = roll_pitch(t, roll)
    x, y = sole_ankle(theta, tau, foot)
    return np.array(ball_heel_tip(x, y, theta, theta - tau, foot)).reshape(3, 2, -1)


def inside(a: float, b: float) -> np.ndarray:
    return np.linspace(a, b, 61)[1:-1]


@given(rolls(), feet())
def test_heel_then_ball_then_tip_is_the_fixed_point(roll, foot):
    """To 1e-12: the heel until the sole is flat, then all, the ball until the toes leave, then the tip."""
    heel, ball, tip = 0, 1, 2
    rest = np.array([[-foot.heel, 0.0], [foot.ball, 0.0], [foot.tip, 0.0]])[:, :, None]
    phases = [
        (roll.land, roll.flat, [heel]),
        (roll.flat, roll.heel_off, [heel, ball, tip]),
        (roll.heel_off, roll.toes_off, [ball, tip]),
        (roll.toes_off, roll.lift, [tip]),
    ]
    for a, b, fixed in phases:
        at = points(inside(a, b), roll, foot)
        assert np.abs(at - rest)[fixed].max() < 1e-12


@given(rolls(), feet())
def test_no_part_goes_into_the_ground(roll, foot):
    if roll.e > 0 or roll.toes > roll.push:  # there the formula may turn back: see the next test for the table's own
        roll = roll._replace(e=-0.5, toes=0.5 * roll.push)
    at = points(np.linspace(roll.land, roll.lift, 400), roll, foot)
    assert at[:2, 1].min() > -1e-12  # heel and ball; the tip is fixed or above by the test before


@pytest.mark.parametrize("row", [*(row_at(v) for v in np.linspace(SPEEDS[0], SPEEDS[-1], 25)), dict(PAPER)])
def test_the_table_rolls_forward_only(row):
    """At every speed pitch falls from heel strike on, never back; the toes lag; all phases are in order."""
    toe_off = (1 + row["double"]) / 2
    assert 0 < row["flat"] < row["heel_off"] < row["toes_off"] < toe_off
    keys = ("strike", "soft", "push", "b", "p", "e", "toes")
    roll = Roll(0.0, row["flat"], row["heel_off"], row["toes_off"], toe_off, *(row[k] for k in keys))
    theta, tau = roll_pitch(np.linspace(0, toe_off, 2001), roll)
    assert (np.diff(theta) < 1e-12).all() and (np.diff(tau) < 1e-12).all()
    assert (theta <= tau + 1e-12).all()
    assert (theta[0], theta[-1], tau[-1]) == pytest.approx((row["strike"], -row["push"], -row["toes"]))


@given(rolls(), feet())
def test_angular_velocity_and_the_ankle_s_velocity_are_continuous(roll, foot):
    """The largest change of a rate from sample to sample halves with the spacing."""
    largest = []
    for n in (2000, 4000):
        t = np.linspace(roll.land, roll.lift, n + 1)
        theta, tau = roll_pitch(t, roll)
        rates = np.diff(np.array([theta, tau, *sole_ankle(theta, tau, foot)])) / (t[1] - t[0])
        largest.append(np.abs(np.diff(rates)).max(1))
    assert (largest[1] < 0.55 * largest[0] + 1e-9).all()


@given(rolls(), feet())
def test_ankle_rates_by_finite_differences(roll, foot):
    """Value, velocity and acceleration of ankle and pitch where the foot lands and where it leaves."""
    for lift in (True, False):
        h = (-1 if lift else 1) * 2e-3 * (roll.lift - roll.heel_off if lift else roll.flat - roll.land)
        t = (roll.lift if lift else roll.land) + h * np.arange(7)
        theta, tau = roll_pitch(t, roll)
        x, y = sole_ankle(theta, tau, foot)
        # the polynomial through seven one-sided samples has the derivatives to h^6 and h^5
        fit = [np.polynomial.polynomial.polyfit(np.arange(7), v, 6) for v in (x, y, theta)]
        seen = np.array([[c[0], c[1] / h, 2 * c[2] / h**2] for c in fit])
        *ankle, pitch = ankle_rates(roll, foot, lift)
        told = np.array([[z.real for z in ankle], [z.imag for z in ankle], pitch])
        rate = 1 / (roll.lift - roll.toes_off if lift else roll.flat - roll.land)
        assert (np.abs(seen - told).max(0) < 1e-6 * np.array([1.0, 10 * rate, 100 * rate**2])).all()


@given(feet(), st.floats(-1.2, 0.5), st.floats(-1.2, 0.0), st.floats(-1, 1), st.floats(-1, 1))
def test_the_foot_is_rigid(foot, theta, bend, x, y):
    """Whatever its pitch: ankle, heel and ball, and ball and tip, are as far apart as on the foot."""
    at = np.array(ball_heel_tip(x, y, theta, bend, foot)).reshape(3, 2)
    ankle = np.array([x, y])
    lengths = [
        np.linalg.norm(at[0] - ankle),
        np.linalg.norm(at[1] - ankle),
        np.linalg.norm(at[1] - at[0]),
        np.linalg.norm(at[2] - at[1]),
    ]
    own = [
        np.hypot(foot.heel, foot.ankle),
        np.hypot(foot.ball, foot.ankle),
        foot.heel + foot.ball,
        foot.tip - foot.ball,
    ]
    assert lengths == pytest.approx(own, abs=1e-12)
    toe = np.arctan2(*(at[2] - at[1])[::-1])
    assert toe == pytest.approx(theta - bend, abs=1e-9)


@given(feet())
def test_flat_is_where_both_formulas_meet(foot):
    """At pitch 0 heel and tip turning give the same ankle: straight above the reference point."""
    assert sole_ankle(0.0, 0.0, foot) == pytest.approx((0.0, foot.ankle), abs=1e-15)
    assert sole_ankle(1e-12, 0.0, foot) == pytest.approx(sole_ankle(-1e-12, 0.0, foot), abs=1e-11)


@given(rolls(), st.floats(-10, 10))
def test_shifted_is_the_same_roll_on_another_clock(roll, by):
    t = np.linspace(roll.land - 0.1, roll.lift + 0.1, 50)
    np.testing.assert_allclose(roll_pitch(t, roll), roll_pitch(t + by, shifted(roll, by)), atol=1e-9)


@given(rolls())
def test_before_and_after_the_pitch_is_held(roll):
    theta, tau = roll_pitch(np.array([roll.land - 1, roll.land, roll.lift, roll.lift + 1]), roll)
    assert (theta[0], tau[0], theta[3], tau[3]) == (theta[1], tau[1], theta[2], tau[2])
    assert (theta[0], theta[3], tau[3]) == pytest.approx((roll.strike, -roll.push, -roll.toes))
