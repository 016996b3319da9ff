"""The arm as a driven pendulum: its constants, its ends at rest, and the full equation 14."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambol.arm import Arm, arm_angle, drive, pendulum
from gambol.body import Body, G
from gambol.figure_parts import figure_of
from gambol.walk_table import row_at

PAPER_ARM = Arm(0.30, 0.26, 2.1, 1.2, 0.4, np.radians(25))
arms = st.builds(
    Arm,
    st.floats(0.15, 0.42),
    st.floats(0.12, 0.36),
    st.floats(0.4, 3.5),
    st.floats(0.2, 2.0),
    st.floats(0.1, 12.0),
    st.floats(0.0, 1.6),
)
step_times = st.floats(0.35, 1.1)
angles = st.floats(np.radians(-40), np.radians(40))


def sampled(arm: Arm, n: int = 4000) -> tuple[float, float, float, float]:
    """Angle and distance of the mass centre, mass and moment of inertia of the arm cut into small pieces."""
    s = (np.arange(n) + 0.5) / n
    fore = np.array([np.cos(arm.elbow), np.sin(arm.elbow)])
    elbow = np.array([arm.upper, 0.0])
    places = np.concatenate([s[:, None] * elbow, elbow + s[:, None] * arm.fore * fore, (elbow + arm.fore * fore)[None]])
    masses = np.r_[np.full(n, arm.upper_mass / n), np.full(n, arm.fore_mass / n), arm.hand_mass]
    centre = masses @ places / masses.sum()
    return np.arctan2(centre[1], centre[0]), np.hypot(*centre), masses.sum(), masses @ (places**2).sum(1)


def full(arm: Arm, row: np.ndarray, shoulder: float, step: float, n: int = 400) -> np.ndarray:
    """(n + 1,) phi_1 by Runge-Kutta of equation 14 as printed, with the torques of ``row``."""
    p = pendulum(arm)
    f1, f2, switch = row[2:5]
    nu, h = np.pi / step, step / n

    def right(t: float, y: np.ndarray, torque: float) -> np.ndarray:
        pushed = -shoulder * nu**2 * np.cos(nu * t) * np.cos(y[0]) + G * np.sin(y[0])
        return np.array([y[1], torque - p.mass * p.radius / p.inertia * pushed])

    y = np.array([row[0] - row[7] + p.gamma, 0.0])
    out = [y[0]]
    for k in range(n):
        t = k * h
        torque = f1 if t + h / 2 <= switch else f2
        k1 = right(t, y, torque)
        k2 = right(t + h / 2, y + h / 2 * k1, torque)
        k3 = right(t + h / 2, y + h / 2 * k2, torque)
        k4 = right(t + h, y + h * k3, torque)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        out.append(y[0])
    return np.array(out) - p.gamma


@given(arms)
def test_equations_13_15_16_against_a_sampled_arm(arm):
    gamma, radius, mass, inertia = sampled(arm)
    p = pendulum(arm)
    assert (p.gamma, p.radius, p.mass, p.inertia) == pytest.approx((gamma, radius, mass, inertia), rel=1e-6, abs=1e-6)


@given(arms)
def test_a_pendulum_obeys_the_parallel_axis_theorem(arm):
    """No turning body has less inertia than its mass at its mass centre; a straight one hangs straight."""
    p = pendulum(arm)
    assert p.inertia > p.mass * p.radius**2
    assert pendulum(arm._replace(elbow=0.0)).gamma == 0.0


@given(arms, st.floats(0.5, 20.0))
def test_a_load_in_the_hand_changes_the_arm(arm, load):
    """It hangs lower, is harder to turn, and swings more slowly when longer than its own mass centre."""
    plain, loaded = pendulum(arm), pendulum(arm._replace(hand_mass=arm.hand_mass + load))
    assert loaded.inertia > plain.inertia and loaded.mass == pytest.approx(plain.mass + load)
    assert loaded.radius > plain.radius if arm.elbow < 0.5 else True
    rate = [drive(p, -0.1, 0.5, 0.0, (0.3, 0.2))[1] for p in (plain, loaded)]
    if arm.elbow < 0.5:
        assert rate[1] < rate[0]


@given(arms, angles, angles, st.floats(-0.05, 0.05), step_times, st.floats(0.3, 0.8))
def test_both_ends_are_met_at_rest(arm, start, end, shoulder, step, share):
    """Equations 19 and 20: the angle at both heel strikes, and no angular velocity there."""
    row = drive(pendulum(arm), start, end, shoulder, (step, share * step))
    assert arm_angle(np.array([0.0, step]), row) == pytest.approx([start, end], abs=1e-9)
    rates = []
    for h in (1e-3, 5e-4):
        a = arm_angle(np.array([0.0, h, 2 * h, step - 2 * h, step - h, step]), row)
        rates.append([(-3 * a[0] + 4 * a[1] - a[2]) / (2 * h), (3 * a[5] - 4 * a[4] + a[3]) / (2 * h)])
    size = np.abs(row[[2, 3, 5]]).max() + row[1] ** 2 + 1
    assert np.abs(rates[1]).max() < 1e-4 * size
    assert np.abs(rates[1]).max() < 0.35 * np.abs(rates[0]).max() + 1e-7 * size  # the error is of second order


@given(arms, angles, angles, st.floats(-0.05, 0.05), step_times, st.floats(0.3, 0.8))
def test_the_angle_solves_the_linear_equation(arm, start, end, shoulder, step, share):
    """Theta'' + omega^2 Theta = torque + K cos(nu t), one torque on each side of T0, continuous across it."""
    switch = share * step
    row = drive(pendulum(arm), start, end, shoulder, (step, switch))
    omega, f1, f2, k, nu, gamma = row[1], row[2], row[3], row[5], row[6], row[7]
    h = 1e-3 * step
    t = np.linspace(0.02, 0.98, 49) * step
    t = t[np.abs(t - switch) > 2 * h]
    a = [arm_angle(t + i * h, row) for i in (-1, 0, 1)]
    seen = (a[0] - 2 * a[1] + a[2]) / h**2 + omega**2 * (a[1] + gamma)
    told = np.where(t < switch, f1, f2) + k * np.cos(nu * t)
    assert np.abs(seen - told).max() < 1e-4 * (np.abs(told).max() + omega**2)
    near = arm_angle(switch + np.array([-1e-9, 1e-9]), row)
    assert near[0] == pytest.approx(near[1], abs=1e-6)


@pytest.mark.parametrize(
    "v_hat, step, most",
    [(0.166, 0.816, 0.4), (0.282, 0.630, 0.4), (0.398, 0.531, 0.4), (0.513, 0.469, 0.4), (0.696, 0.404, 1.2)],
)
@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("with_body", [1, -1])
def test_the_full_equation_14(v_hat, step, most, forward, with_body):
    """The swings of the five speeds: the closed form against Runge-Kutta within so many degrees all the way."""
    body, row = Body(), row_at(v_hat)
    o, m = figure_of(body).offsets, body.mass
    arm = Arm(abs(o[8, 0]), abs(o[9, 0]), 0.028 * m, 0.016 * m, 0.006 * m, 0.28 + 0.25 * v_hat)
    swing = (0.10 + 0.5 * v_hat) * (1 if forward else -1)
    shoulder = with_body * abs(o[6, 0] + o[7, 0]) * row["yaw"]
    times = (step, (1 + row["double"]) * step / 2)
    driven = drive(pendulum(arm), 0.08 - swing, 0.08 + swing, shoulder, times)
    error = full(arm, driven, shoulder, step) - arm_angle(np.linspace(0, step, 401), driven)
    assert np.degrees(np.abs(error).max()) < most


@pytest.mark.parametrize("step", [0.4, 0.5, 0.6])
def test_small_swings_of_a_straight_arm_are_exact(step):
    """Where sin Theta is Theta, the closed form is equation 14: the error is cubic in the swing."""
    arm, errors = PAPER_ARM._replace(elbow=0.0), []
    for end in (0.1, 0.05, 0.025):
        row = drive(pendulum(arm), -end, end, 0.0, (step, 0.6 * step))
        errors.append(np.abs(full(arm, row, 0.0, step) - arm_angle(np.linspace(0, step, 401), row)).max())
    assert errors[0] < 5e-3 * 0.1
    assert errors[1] / errors[0] == pytest.approx(1 / 8, rel=0.1) and errors[2] / errors[1] == pytest.approx(
        1 / 8, rel=0.1
    )


def test_a_typical_arm_needs_two_to_four_newton_metres():
    """The shared page's figure for a 3.7 kg arm at 100 steps a minute."""
    p = pendulum(PAPER_ARM)
    row = drive(p, np.radians(-9), np.radians(30), 0.028, (0.6, 0.375))
    assert 1.0 < np.abs(row[2:4]).max() * p.inertia < 5.0


def test_where_the_arm_s_own_rate_is_the_step_s():
    """omega = nu is no singularity: the angle is continuous in the step time through resonance."""
    p = pendulum(PAPER_ARM)
    omega = drive(p, -0.15, 0.5, 0.02, (0.6, 0.37))[1]
    step = np.pi / omega
    t = np.linspace(0, 1, 21)
    here, before, after = (
        arm_angle(t * s, drive(p, -0.15, 0.5, 0.02, (s, 0.6 * s))) for s in (step, step * (1 - 1e-6), step * (1 + 1e-6))
    )
    assert np.isfinite(here).all()
    np.testing.assert_allclose(before, here, atol=1e-5)
    np.testing.assert_allclose(after, here, atol=1e-5)


@given(arms, angles, st.floats(0.02, 0.5), step_times)
def test_forward_and_backward_swings_mirror(arm, start, size, step):
    """With a straight elbow the arm knows no forward: opposite ends and shoulder give the opposite swing."""
    p = pendulum(arm._replace(elbow=0.0))
    t = np.linspace(0, step, 21)
    a, b = (arm_angle(t, drive(p, s * start, s * (start + size), s * 0.02, (step, 0.6 * step))) for s in (1, -1))
    np.testing.assert_allclose(a, -b, atol=1e-9)
