"""The reaction force and the motion of C: the paper's own numbers, equation 5, and both ends met."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from walks import straight

from gambol.body import G
from gambol.gait import Gait
from gambol.methods import ForceWalk
from gambol.reaction import (
    ORDERS,
    Border,
    Known,
    Shape,
    StepTime,
    body_motion,
    foot_motion,
    heights,
    solve_lead,
    standing_force,
    standing_moments,
    standing_track,
    steady,
    track,
)
from gambol.synthesis import Task, generate
from gambol.walk_table import PAPER, SPEEDS, row_at

FORWARD_UP_LEFT = np.array([[0.0, 0, 1], [0, 1, 0], [1, 0, 0]])
# f_v: first peak (BW at share of the stance), valley, second peak of one foot in a steady level walk
CURVES = {
    0.1: ((1.14, 0.256), (0.78, 0.53), (0.97, 0.743)),
    0.0: ((1.06, None), (0.79, None), (1.06, None)),
    0.25: ((1.27, None), (0.74, None), (0.84, None)),
}
T, W = 0.60, 0.70  # s, m: 100 steps a minute, as printed
TIMES = StepTime(T, 1.25 * T, 0.25 * T)


def paper_shape(fv: float = 0.1, sway: float | None = None) -> Shape:
    """The printed coefficients (eqs 7 to 9) over their first one."""
    return Shape((1.0, 0.5, 0.25), (1.0, fv / 1.3, 0.4 / 1.3), (0.07, -0.03, -0.03), 0.144, sway)


def printed(fv: float, side: float, sz: float = 1.0) -> np.ndarray:
    """(3, 6) sine coefficients per kg of equations 6a to 6c in the world of a walk along +z."""
    sy = T * np.pi / (2 * 1.25 * T * (1.3 + 0.4 / 3))
    rows = np.zeros((3, 6))
    rows[2, [1, 3, 5]] = -0.144 * np.array([1.0, 0.5, 0.25])
    rows[1, :3] = sy * np.array([1.3, fv, 0.4])
    rows[0, :3] = -side * sz * np.array([0.07, -0.03, -0.03])
    return G * rows


def periodic(shape: Shape, side: float, rise: float = 0.0) -> tuple[Border, Border]:
    """Borders of a steady walk of :data:`W` m a step along +z, the stance foot on ``side``."""
    s = steady(shape, T, 0.25 * T)
    ends = []
    for k, foot in enumerate((side, -side)):
        place = np.array([foot * s.side, 0.95 + k * rise, k * W])
        ends.append(Border(place, np.array([foot * s.side_velocity, s.up + rise / T, W / T + s.forward])))
    return ends[0], ends[1]


def own_velocity(t: float, known: Known, lead: np.ndarray, times: StepTime, start: Border) -> np.ndarray:
    """v0 + the integral of force less gravity: Gauss-Legendre on each smooth piece."""
    x, w = np.polynomial.legendre.leggauss(60)
    cuts = sorted({0.0, t, *(c for c in (times.double, known.rise, times.step - known.settle) if 0 < c < t)})
    total = start.velocity.copy()
    for a, b in itertools.pairwise(cuts):
        tau, weight = a + (b - a) * (x + 1) / 2, w * (b - a) / 2
        total += own_acceleration(tau, known, lead, times) @ weight
    return total


def own_acceleration(t: np.ndarray, known: Known, lead: np.ndarray, times: StepTime) -> np.ndarray:
    """(3, N) m/s2: equation 5 with the sines written out."""
    out = lead @ np.sin(ORDERS[:, None] * np.pi * t / times.stance)
    late = np.sin(ORDERS[:, None] * np.pi * (t + known.trail_shift) / known.trail_stance)
    out = out + (known.trail @ late) * (t < times.double)
    fade = np.zeros_like(t)
    if known.rise:
        fade += (1 + np.cos(np.pi * np.minimum(t / known.rise, 1))) / 2
    if known.settle:
        fade += (1 - np.cos(np.pi * np.maximum(t - times.step + known.settle, 0) / known.settle)) / 2
    out[1] += G * (fade - 1)
    return out


def peaks(curve: np.ndarray) -> tuple[list[int], list[int]]:
    d = np.sign(np.diff(curve))
    turn = np.flatnonzero(d[1:] != d[:-1]) + 1
    return [k for k in turn if d[k - 1] > 0], [k for k in turn if d[k - 1] < 0]


@st.composite
def problems(draw, standing: bool = True):
    """A step between two random borders with a random trailing foot."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    step = draw(st.floats(0.3, 1.2))
    double, after = step * draw(st.floats(0.08, 0.45)), step * draw(st.floats(0.08, 0.45))
    stance = draw(st.floats(0.4, 1.6)) + double
    fades = (
        (draw(st.sampled_from([0.0, 0.6])) * step, draw(st.sampled_from([0.0, 0.7])) * step) if standing else (0.0, 0.0)
    )
    known = Known(rng.normal(0, 3, (3, 6)), stance, stance - double, *fades)
    yaw = rng.uniform(-np.pi, np.pi)
    forward = np.array([np.sin(yaw), 0, np.cos(yaw)])
    axes = np.array([forward, [0, 1, 0], [forward[2], 0, -forward[0]]])
    ends = tuple(Border(rng.normal(0, 1, 3), rng.normal(0, 1, 3)) for _ in range(2))
    ratios = Shape((1.0, *rng.uniform(0, 0.6, 2)), (1.0, 0.0, rng.uniform(0, 0.5)), (0.07, -0.03, -0.03), 0.14, None)
    return ratios, StepTime(step, step + after, double), known, ends, axes, draw(st.sampled_from([-1.0, 1.0]))


def test_the_preset_holds_the_printed_coefficients():
    shape = paper_shape()
    assert PAPER["double"] == 0.25
    assert (PAPER["ay2"], PAPER["ay3"]) == pytest.approx(shape.ay[1:])
    assert (PAPER["ax2"], PAPER["ax3"], PAPER["sx"]) == (0.5, 0.25, 0.144)


@pytest.mark.parametrize("fv", CURVES)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_steady_walk_solves_to_the_printed_force(fv, side):
    """The periodic borders give back eqs 6a to 6c: s_y in closed form, no b terms, two peaks and a valley."""
    shape = paper_shape(fv)
    known = Known(printed(fv, -side), TIMES.stance, T, 0.0, 0.0)
    lead = solve_lead(shape, TIMES, known, periodic(shape, side), FORWARD_UP_LEFT, side)
    np.testing.assert_allclose(lead, printed(fv, side), atol=1e-9)
    u = np.linspace(0, 1, 4001)
    force = foot_motion(u * TIMES.stance, lead, TIMES.stance, 0.0, TIMES.stance)[4] / G
    up, down = peaks(force)
    assert len(up) == 2 and len(down) == 1
    for k, (size, at) in zip((up[0], down[0], up[1]), CURVES[fv]):
        assert force[k] == pytest.approx(size, abs=0.006)
        assert at is None or u[k] == pytest.approx(at, abs=0.003)


def test_forward_and_lateral_force_as_printed():
    """x: brake then push, antisymmetric, no net impulse, 0.20 BW; z: outward dip, then inward."""
    u = np.linspace(0, 1, 4001)
    curves = np.array(foot_motion(u * TIMES.stance, printed(0.1, 1.0), TIMES.stance, 0.0, TIMES.stance)[3:]) / G
    inward, forward = -curves[0], curves[2]
    assert abs(np.trapezoid(forward, u)) < 1e-9
    np.testing.assert_allclose(forward, -forward[::-1], atol=1e-9)
    assert (forward.max(), u[forward.argmax()]) == pytest.approx((0.20, 0.868), abs=1e-3)
    assert u[forward.argmin()] == pytest.approx(0.132, abs=1e-3)
    assert (inward.min(), u[inward.argmin()]) == pytest.approx((-0.022, 0.14), abs=6e-3)
    assert (inward.max(), u[inward.argmax()]) == pytest.approx((0.105, 0.55), abs=6e-3)
    assert np.trapezoid(inward, u) == pytest.approx(0.038, abs=1e-3)


def test_centre_of_mass_at_a_hundred_steps_a_minute():
    """37 mm up and down, lowest at 0.18 T, highest at 0.69 T; 56 mm aside in a step; 0.21 m/s of ripple."""
    shape, t = paper_shape(), np.linspace(0, T, 6001)
    known = Known(printed(0.1, -1.0), TIMES.stance, T, 0.0, 0.0)
    start = periodic(shape, 1.0)[0]
    c = track(t, printed(0.1, 1.0), TIMES, known, start)
    assert np.ptp(c[1]) == pytest.approx(0.037, abs=5e-4)
    assert t[c[1].argmin()] / T == pytest.approx(0.18, abs=0.01)
    assert t[c[1].argmax()] / T == pytest.approx(0.69, abs=0.01)
    assert np.ptp(c[0]) == pytest.approx(0.056, abs=6e-4)
    assert np.ptp(np.gradient(c[2], t)) == pytest.approx(0.21, abs=0.006)
    assert steady(shape, T, 0.25 * T).rise == pytest.approx(np.trapezoid(c[1], t) / T - c[1, 0], abs=1e-4)


@pytest.mark.parametrize("sway", [0.03, 0.05, 0.075])
def test_the_sway_scales_the_side_force_alone(sway):
    """Twice the sway is twice the side to side motion; forward and up do not know of it."""
    plain, asked = (steady(paper_shape(sway=s), T, 0.25 * T) for s in (0.01, sway))
    assert (asked.side, asked.side_velocity) == pytest.approx(
        (100 * sway * plain.side, 100 * sway * plain.side_velocity)
    )
    assert (asked.forward, asked.up, asked.rise) == (plain.forward, plain.up, plain.rise)


@pytest.mark.parametrize("sway", [0.03, 0.05, 0.075])
def test_the_sway_asked_for_is_the_sway_of_a_stride(sway):
    shape, t, stride = paper_shape(sway=sway), np.linspace(0, T, 2001), []
    scale = steady(shape, T, 0.25 * T).side_velocity / steady(paper_shape(), T, 0.25 * T).side_velocity
    for side in (1.0, -1.0):
        known = Known(printed(0.1, -side, scale), TIMES.stance, T, 0.0, 0.0)
        stride.append(track(t, printed(0.1, side, scale), TIMES, known, periodic(shape, side)[0])[0])
    assert np.ptp(stride) == pytest.approx(sway, rel=5e-3)


def test_the_stride_is_closed_and_each_step_the_mirror_of_the_last():
    t, stride = np.linspace(0, T, 2001), []
    for side in (1.0, -1.0):
        known = Known(printed(0.1, -side), TIMES.stance, T, 0.0, 0.0)
        stride.append(track(t, printed(0.1, side), TIMES, known, periodic(paper_shape(), side)[0]))
    np.testing.assert_allclose(stride[0][0], -stride[1][0], atol=1e-12)
    np.testing.assert_allclose(stride[0][1:], stride[1][1:], atol=1e-12)
    assert stride[0][0, -1] == pytest.approx(stride[1][0, 0], abs=1e-12)


@pytest.mark.parametrize("v_hat", SPEEDS)
def test_a_disturbed_walk_finds_its_force_again(v_hat):
    """Meeting position and velocity, errors of the trailing force die out (by position alone they grow)."""
    row = row_at(v_hat)
    shape = Shape((1.0, row["ax2"], row["ax3"]), (1.0, row["ay2"], row["ay3"]), (0.07, -0.03, -0.03), row["sx"], 0.05)
    double = row["double"] * T
    s = steady(shape, T, double)
    times = StepTime(T, T + double, double)
    trail, side, seen = np.zeros((3, 6)), 1.0, []
    for _ in range(60):
        ends = []
        for k, foot in enumerate((side, -side)):
            ends.append(
                Border(
                    np.array([foot * s.side, 0.95, k * W]),
                    np.array([foot * s.side_velocity, s.up, W / T + s.forward]),
                )
            )
        trail = solve_lead(
            shape, times, Known(trail, times.stance, T, 0.0, 0.0), (ends[0], ends[1]), FORWARD_UP_LEFT, side
        )
        seen.append(trail * np.array([[side], [1.0], [1.0]]))
        side = -side
    assert np.abs(seen[-1] - seen[-2]).max() < 1e-6
    assert abs(seen[-1][2, 0]) < 1e-6  # no net push in the steady walk
    assert seen[-1][1, 1] / seen[-1][1, 0] == pytest.approx(row["ay2"], abs=1e-6)
    assert seen[-1][2, 1] == pytest.approx(-row["sx"] * G, abs=1e-6)


@given(problems())
def test_both_ends_are_met_in_position_and_velocity(problem):
    shape, times, known, ends, axes, side = problem
    lead = solve_lead(shape, times, known, ends, axes, side)
    c = track(np.array([0.0, times.step]), lead, times, known, ends[0])
    scale = max(1.0, np.abs(lead).max())
    np.testing.assert_allclose(c[:, 0], ends[0].position, atol=1e-10 * scale)
    np.testing.assert_allclose(c[:, 1], ends[1].position, atol=1e-10 * scale)
    np.testing.assert_allclose(
        own_velocity(times.step, known, lead, times, ends[0]), ends[1].velocity, atol=1e-10 * scale
    )


@given(problems())
def test_equation_5_by_finite_differences(problem):
    """The second difference of C is the force on it, with an error that quarters when the step halves."""
    shape, times, known, ends, axes, side = problem
    lead = solve_lead(shape, times, known, ends, axes, side)
    bends = np.array([times.double, known.rise, times.step - known.settle])
    t = np.linspace(0.02, 0.98, 97) * times.step
    t = t[np.abs(t[:, None] - bends).min(1) > 3e-3]
    force = own_acceleration(t, known, lead, times)
    errors = []
    for h in (2e-3, 1e-3):
        c = [track(t + k * h, lead, times, known, ends[0]) for k in (-1, 0, 1)]
        errors.append(np.abs((c[0] - 2 * c[1] + c[2]) / h**2 - force).max())
    assert errors[1] < 0.3 * errors[0] + 1e-6 * np.abs(force).max()
    assert errors[1] < 3e-4 * np.abs(force).max()


@given(problems())
def test_the_kernel_of_the_figure_agrees_with_the_plan(problem):
    """body_motion gives the track, and forces whose sum is what equation 5 needs."""
    shape, times, known, ends, axes, side = problem
    lead = solve_lead(shape, times, known, ends, axes, side)
    plan = SimpleNamespace(
        step=times.step,
        stance=times.stance,
        double=times.double,
        trail_stance=known.trail_stance,
        trail_shift=known.trail_shift,
        rise=known.rise,
        settle=known.settle,
        c0=ends[0].position,
        v0=ends[0].velocity,
        lead=lead,
        trail=known.trail,
    )
    t = np.linspace(0, times.step, 41)
    out = np.array(body_motion(t, plan))
    scale = max(1.0, np.abs(lead).max())
    np.testing.assert_allclose(out[:3], track(t, lead, times, known, ends[0]), atol=1e-11 * scale)
    total = out[3:6] + out[6:9]
    total[1] += standing_force(t, times.step, known.rise, known.settle) - G
    np.testing.assert_allclose(total, own_acceleration(t, known, lead, times), atol=1e-11 * scale)
    carried, pushed = heights(t, times, known, ends[0])
    np.testing.assert_allclose(carried + lead[1] @ pushed, out[1], atol=1e-11 * scale)


@given(problems(), st.floats(-3, 3))
def test_a_turned_problem_has_the_turned_solution(problem, angle):
    shape, times, known, ends, axes, side = problem
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    lead = solve_lead(shape, times, known, ends, axes, side)
    turned = tuple(Border(turn @ e.position + [4.0, 0, -1], turn @ e.velocity) for e in ends)
    moved = tuple(Border(e.position, e.velocity) for e in turned)
    again = solve_lead(shape, times, known._replace(trail=turn @ known.trail), moved, axes @ turn.T, side)
    np.testing.assert_allclose(again, turn @ lead, atol=1e-9 * max(1.0, np.abs(lead).max()))


@given(problems(standing=False))
def test_mirrored_feet_push_mirrored(problem):
    shape, times, known, ends, axes, side = problem
    mirror = np.diag([-1.0, 1, 1])
    axes = FORWARD_UP_LEFT
    lead = solve_lead(shape, times, known, ends, axes, side)
    flipped = tuple(Border(mirror @ e.position, mirror @ e.velocity) for e in ends)
    again = solve_lead(shape, times, known._replace(trail=mirror @ known.trail), flipped, axes, -side)
    np.testing.assert_allclose(again, mirror @ lead, atol=1e-9 * max(1.0, np.abs(lead).max()))


@given(st.floats(0.3, 1.5), st.floats(0, 1), st.floats(0, 1))
def test_standing_weight(step, a, b):
    """Its force fades from one body weight to none and back; its integrals are the closed ones."""
    rise, settle = (0.0 if v < 0.05 else v * step for v in (a, b))
    t = np.linspace(0, step, 20001)
    force = standing_force(t, step, rise, settle)
    velocity = np.r_[0.0, np.cumsum((force[1:] + force[:-1]) / 2)] * (t[1] - t[0])
    height = np.r_[0.0, np.cumsum((velocity[1:] + velocity[:-1]) / 2)] * (t[1] - t[0])
    j, d = standing_moments(step, rise, settle)
    assert (velocity[-1], height[-1]) == pytest.approx((j, d), abs=1e-6)
    np.testing.assert_allclose(standing_track(t, step, rise, settle), height, atol=1e-6)
    if rise and not settle:
        assert (force[0], force[-1]) == pytest.approx((G, 0.0), abs=1e-9)
    if settle and not rise:
        assert (force[0], force[-1]) == pytest.approx((0.0, G), abs=1e-9)


@given(st.floats(0.2, 1.4), st.floats(0.4, 1.6), st.floats(0, 1), st.floats(0.05, 1))
def test_a_foot_is_silent_before_and_coasts_after(step, stance, shift, share):
    """After its last push a foot leaves C with a constant velocity: the track goes on straight."""
    rows = np.random.default_rng(3).normal(0, 2, (3, 6))
    length = share * step
    t = length + np.array([0.0, 0.1, 0.2, 0.3])
    moved = np.array(foot_motion(t, rows, stance, shift, length)[:3])
    np.testing.assert_allclose(np.diff(moved, 2, axis=1), 0.0, atol=1e-10)
    assert np.abs(np.array(foot_motion(0.0, rows, stance, shift, length)[:3])).max() < 1e-12


def test_the_walk_of_the_preset_shows_the_printed_force():
    """100 steps/min, 0.70 m: the exported forces have the printed peaks within 0.05 BW, and C rises 37 mm."""
    motion = generate(ForceWalk(preset="paper"), Task(path=straight(9), gait=Gait(step_length=W, cadence=100), fps=240))
    strikes = motion.info["events"]["left_strike"]
    first, last = strikes[2], strikes[3]
    age = motion.times - first
    stance = (age >= 0) & (age <= TIMES.stance)
    vertical = motion.forces[stance, 0, 1] / (motion.mass * G)
    up, down = peaks(vertical)
    assert [vertical[k] for k in (up[0], down[0], up[1])] == pytest.approx([1.14, 0.78, 0.97], abs=0.05)
    stride = (motion.times >= first) & (motion.times <= last)
    assert last - first == pytest.approx(2 * T, abs=1e-6)
    assert np.ptp(motion.com[stride, 1]) == pytest.approx(0.037, abs=0.002)
    step = stride & (motion.times <= first + T)
    assert np.ptp(motion.com[step, 0]) == pytest.approx(0.056, abs=0.003)
