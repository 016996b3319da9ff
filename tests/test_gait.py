"""Laws of speed, step length and step rate, and what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambol.body import Body, G
from gambol.errors import GambolError
from gambol.gait import (
    MAX_RATE,
    MAX_RATIO,
    MAX_SPEED,
    MIN_RATE,
    MIN_SPEED,
    QUICKEST,
    Gait,
    Pace,
    dimensionless,
    eased,
    pace,
)
from gambol.measure import measure
from gambol.methods.force_walk import ForceWalk
from gambol.path import parse_path
from gambol.synthesis import Task, generate
from gambol.terrain import Flat

BODY = Body(1.75)
LEG = BODY.leg_length
bodies = st.builds(Body, st.floats(0.9, 2.2))
walking = st.floats(0.1, 0.7)  # v / sqrt(g leg)


@pytest.mark.parametrize("speed, cadence", [(0.5, 73.5), (0.85, 95.3), (1.2, 112.9), (1.55, 127.9), (2.1, 148.5)])
def test_the_rate_law_at_five_speeds(speed, cadence):
    """Steps a minute with a leg of 0.929 m, fitted to 26 adults."""
    assert pytest.approx(0.929, abs=2e-3) == LEG
    assert 60 / pace(Gait(speed=speed), BODY).step_time == pytest.approx(cadence, rel=0.01)


@given(bodies, walking)
def test_the_laws_as_published(body, v_hat):
    """rate = 0.910 v^0.490 sqrt(g / leg), length = 1.099 v^0.510 leg."""
    leg = body.leg_length
    p = pace(Gait(speed=v_hat * (G * leg) ** 0.5), body)
    assert 1 / p.step_time == pytest.approx(0.910 * v_hat**0.490 * (G / leg) ** 0.5, rel=1e-9)
    assert p.step_length == pytest.approx(1.099 * v_hat**0.510 * leg, rel=1e-3)


@given(bodies, walking)
def test_one_number_gives_the_other_two(body, v_hat):
    """From speed, step length or cadence alone: the same walk."""
    p = pace(Gait(speed=float(v_hat * (G * body.leg_length) ** 0.5)), body)
    assert p.speed == pytest.approx(p.step_length / p.step_time)
    for gait in (Gait(step_length=p.step_length), Gait(cadence=60 / p.step_time)):
        assert pace(gait, body) == pytest.approx(p, rel=1e-9)


@given(bodies, walking, st.floats(0.85, 1.15))
def test_two_numbers_are_kept_as_asked(body, v_hat, off):
    p = pace(Gait(speed=float(v_hat * (G * body.leg_length) ** 0.5)), body)
    length = p.step_length * off
    if length > 1.0 * body.leg_length:
        return
    for gait in (
        Gait(p.speed, length),
        Gait(p.speed, None, 60 * p.speed / length),
        Gait(None, length, 60 * p.speed / length),
    ):
        assert pace(gait, body) == pytest.approx((p.speed, length, length / p.speed), rel=1e-9)


@given(bodies, bodies, walking)
def test_dynamically_equal_speeds_are_geometrically_equal(a, b, v_hat):
    """Step over leg and step time over sqrt(leg / g) depend on v / sqrt(g leg) alone."""
    out = []
    for body in (a, b):
        leg = body.leg_length
        p = pace(Gait(speed=float(v_hat * (G * leg) ** 0.5)), body)
        assert dimensionless(p.speed, body) == pytest.approx(v_hat)
        out.append((p.step_length / leg, p.step_time * (G / leg) ** 0.5))
    assert out[0] == pytest.approx(out[1], rel=1e-9)


def test_nothing_said_is_a_free_walk():
    p = pace(Gait(), BODY)
    assert (p.speed, 60 / p.step_time) == pytest.approx((1.2, 112.9), rel=0.01)


@given(st.floats(0.1, 0.69), st.floats(1.001, 1.2))
def test_faster_is_longer_and_quicker(v_hat, more):
    unit = float((G * LEG) ** 0.5)
    slow, fast = (pace(Gait(speed=v), BODY) for v in (v_hat * unit, min(v_hat * more, 0.7) * unit))
    assert fast.step_length > slow.step_length and fast.step_time < slow.step_time


def test_a_schedule_is_linear_between_its_rows_and_held_outside():
    gait = Gait(((0.0, 1.0), (4.0, 1.4), (6.0, 0.8)))
    times = [-1.0, 0.0, 1.0, 4.0, 5.0, 6.0, 99.0]
    assert [gait.at(t).speed for t in times] == pytest.approx([1.0, 1.0, 1.1, 1.4, 1.1, 0.8, 0.8])
    assert pace(gait, BODY, 5.0) == pace(Gait(speed=float(gait.at(5.0).speed)), BODY)
    assert Gait(speed=1.1).at(7.0) == Gait(speed=1.1)
    assert Gait(np.array([[0.0, 1.0], [2.0, 1.5]])) == Gait(((0.0, 1.0), (2.0, 1.5)))  # a value, whatever it came from


@pytest.mark.parametrize(
    "rows", [((0.0, 1.0), (0.0, 1.2)), ((1.0, 1.0), (0.0, 1.2)), ((0.0, 1.0, 2.0),), ((0.0, np.nan),)]
)
def test_schedules_that_are_none(rows):
    with pytest.raises(GambolError, match="schedule"):
        Gait(rows)


@given(st.floats(0.1, 0.7), st.floats(0.1, 0.7))
def test_eased_changes_by_a_fifth_at_most(asked, before):
    unit = float((G * LEG) ** 0.5)
    p = pace(Gait(speed=asked * unit), BODY)
    out = eased(p, before * unit)
    assert before * unit / QUICKEST * (1 - 1e-12) <= out.speed <= before * unit * QUICKEST * (1 + 1e-12)
    assert out.speed == pytest.approx(out.step_length / out.step_time)
    law = pace(Gait(speed=out.speed), BODY)
    assert out == pytest.approx(law, rel=1e-9)  # a step on the way is a step of the law
    if 1 / QUICKEST <= asked / before <= QUICKEST:
        assert out == pytest.approx(p, rel=1e-12)


def test_eased_from_a_stand_is_what_was_asked():
    p = Pace(1.9, 0.8, 0.8 / 1.9)
    assert eased(p, 0.0) is p


def test_eased_reaches_any_speed_in_a_few_steps():
    p, speed = pace(Gait(speed=2.0), BODY), 0.5
    for _ in range(8):
        speed = eased(p, speed).speed
    assert speed == p.speed


@given(bodies)
def test_the_bounds_are_named_and_exact(body):
    """What is refused names the bound for this body, and the bound itself is walked."""
    unit = float((G * body.leg_length) ** 0.5)
    for v_hat, beyond in ((MIN_SPEED, 0.99), (MAX_SPEED, 1.01)):
        pace(Gait(speed=v_hat * unit * (1 + 1e-9 if beyond < 1 else 1)), body)
        with pytest.raises(GambolError) as error:
            pace(Gait(speed=v_hat * unit * beyond), body)
        low, high = map(float, error.value.allowed.removesuffix(" m/s").split(" to "))  # rounded inward
        assert MIN_SPEED * unit <= low * (1 + 1e-9) and low < MIN_SPEED * unit + 0.0101
        assert high <= MAX_SPEED * unit * (1 + 1e-9) and high > MAX_SPEED * unit - 0.0101
        assert f"{body.height:g} m" in str(error.value)


def test_a_step_no_leg_takes_names_the_longest():
    with pytest.raises(GambolError, match=rf"1\.2 m is longer .*at most {1.05 * LEG:.2f} m .*1\.75 m"):
        pace(Gait(speed=1.4, step_length=1.2), BODY)


def test_a_cadence_no_legs_follow():
    unit = float(60 * (G / LEG) ** 0.5)
    bounds = f"{MIN_RATE * unit:.0f} to {MAX_RATE * unit:.0f} steps a minute"
    for speed, cadence in ((1.0, 300.0), (0.3, 24.0), (1.0, 1e308), (0.3, 1e-308)):
        with pytest.raises(GambolError, match=f"{cadence:.3g} steps a minute.*{bounds}".replace("+", "[+]")):
            pace(Gait(speed=speed, cadence=cadence), BODY)


@given(bodies, st.floats(0.15, 1.0), st.floats(0.25, 1.1))
def test_long_slow_steps_are_refused_with_both_ways_out(body, length, rate):
    """What is refused names a length at that rate and a rate of that length, and both are walked."""
    leg, unit = body.leg_length, float((G / body.leg_length) ** 0.5)
    asked = Gait(step_length=length * leg, cadence=60 * rate * unit)
    if not MIN_SPEED * 1.01 < length * rate < MAX_SPEED * 0.99:
        return
    if length / rate <= MAX_RATIO:
        assert pace(asked, body).step_length == pytest.approx(length * leg)
        return
    with pytest.raises(GambolError, match="too long for") as error:
        pace(asked, body)
    longest, least = (float(x) for x in re.findall(r"at (?:most|least) ([0-9.]+)", str(error.value)))
    assert longest == pytest.approx(MAX_RATIO * leg * rate, abs=0.006)
    assert least == pytest.approx(60 * unit * length / MAX_RATIO, abs=0.6)


@pytest.mark.parametrize("gait", [Gait(cadence=10), Gait(cadence=190), Gait(step_length=0.1), Gait(step_length=0.95)])
def test_one_number_that_alone_is_no_walk_says_so(gait):
    """The bounds are those of the number that was given, and a second number makes a walk of it, where one can."""
    with pytest.raises(GambolError) as error:
        pace(gait, BODY)
    assert "steps a minute" in str(error.value) if gait.cadence else " m" in str(error.value)
    assert error.value.allowed and error.value.do
    assert pace(Gait(cadence=190, step_length=0.5), BODY).speed == pytest.approx(190 * 0.5 / 60)
    assert pace(Gait(step_length=0.95, cadence=120), BODY).step_time == pytest.approx(0.5)


def test_feet_too_far_apart():
    with pytest.raises(GambolError, match=f"at most {0.7 * LEG:.2f} m"):
        pace(Gait(width=1.5), BODY)


@pytest.mark.parametrize("huge", [1e-300, 1e-12, 1e12, 1e300])
@pytest.mark.parametrize("key", ["speed", "step_length", "cadence"])
def test_absurd_numbers_are_refused_without_arithmetic_errors(key, huge):
    with pytest.raises(GambolError):
        pace(Gait(**{key: huge}), BODY)


@pytest.mark.parametrize("key", ["speed", "step_length", "cadence", "width"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_numbers_that_are_no_gait(key, value):
    if key == "speed" and value == 0:  # a stand: a gait, but no pace
        with pytest.raises(GambolError, match=r"a walk at 0 m/s .* to stand, .*clips\.idle"):
            pace(Gait(speed=0.0), Body())
        return
    with pytest.raises(GambolError, match=f"{key} is"):
        Gait(**{key: value})


def test_three_numbers_are_one_too_many():
    with pytest.raises(GambolError, match="any two"):
        Gait(1.2, 0.7, 100.0)


def test_the_feet_s_lines():
    assert Gait().half_width(BODY) == pytest.approx(0.05, abs=0.002)  # of the prototype
    assert Gait(width=0.2).half_width(BODY) == 0.1
    assert Gait().half_width(Body(1.0)) / 1.0 == pytest.approx(Gait().half_width(Body(2.0)) / 2.0)


@pytest.mark.parametrize("height", [1.1, 1.75])
def test_the_speed_that_is_asked_for_is_given_or_refused_with_the_bound(height):
    """U145: nothing is capped without a word."""
    body = Body(height)
    highest = MAX_SPEED * (G * body.leg_length) ** 0.5
    with pytest.raises(GambolError, match=f"{highest:.2f} m/s") as refused:
        pace(Gait(speed=1.01 * highest), body)
    assert "gambol run" in str(refused.value)
    for share in (0.3, 0.6, 0.99):
        task = Task(body=body, gait=Gait(speed=share * highest), path=parse_path("0,0 0,9"), fps=60.0)
        walk = measure(generate(ForceWalk(), task), Flat()).walk
        assert walk.speed_m_s == pytest.approx(share * highest, rel=0.02)
