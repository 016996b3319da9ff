"""Springs: the closed form is the differential equation, composes, is stable, and hits its keys."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambol.errors import GambolError
from gambol.spring import Spring, advance, bounded, check_spring, propagator, rest_that_hits, unbounded

ratios = st.floats(0, 4) | st.sampled_from([0.0, 1.0, 1 - 1e-9, 1 + 1e-9, 1e-4, 300.0])
frequencies = st.floats(0.05, 200)
times = st.floats(0, 20)


@given(frequencies, ratios, times)
def test_one_step_is_ten_steps(w, z, h):
    spring = Spring.tuned(w, z, 0.7)
    whole, tenth = propagator(spring, h), propagator(spring, h / 10)
    x, v = 0.3, -1.1
    for _ in range(10):
        x, v = advance(x, v, 0.2, tenth)
    once = advance(0.3, -1.1, 0.2, whole)
    assert x == pytest.approx(float(once[0]), abs=1e-12)
    assert v == pytest.approx(float(once[1]), abs=1e-12 * max(1.0, w))


@given(frequencies, ratios, st.floats(1e-4, 0.05))
def test_it_solves_the_equation_of_motion(w, z, h):
    """M x'' + C x' + K (x - rest) = 0 by central differences of the closed form."""
    h = min(h, 0.01 / w / max(1.0, z * 2))
    x, v = zip(*(advance(0.4, 0.9, -0.1, propagator(Spring.tuned(w, z), t)) for t in (0.0, h, 2 * h)))
    assert (x[2] - x[0]) / (2 * h) == pytest.approx(v[1], rel=2e-3, abs=2e-3 * w)
    acceleration = (v[2] - v[0]) / (2 * h)
    assert acceleration == pytest.approx(-2 * z * w * v[1] - w * w * (x[1] + 0.1), rel=2e-3, abs=4e-3 * w * w)


@given(frequencies, ratios, st.floats(0, 1e6))
def test_no_step_is_too_long(w, z, h):
    """U053: energy never grows, whatever the step."""
    x, v = advance(1.0, 0.5 * w, 0.0, propagator(Spring.tuned(w, z), h))
    assert np.isfinite([x, v]).all()
    assert w * w * x * x + v * v <= w * w * 1.25 * (1 + 1e-9)


@pytest.mark.parametrize("z", [0.2, 0.4, 0.7])
def test_overshoot_and_settling_are_those_of_the_closed_form(z):
    t = np.linspace(0, 20, 40001)
    x, _ = advance(-1.0, 0.0, 0.0, propagator(Spring.tuned(1.0, z), t))
    assert x.max() == pytest.approx(np.exp(-np.pi * z / np.sqrt(1 - z * z)), rel=1e-3)
    assert t[x.argmax()] == pytest.approx(np.pi / np.sqrt(1 - z * z), rel=1e-3)
    settled = {0.2: 19.58, 0.4: 8.40, 0.7: 5.98}[z]  # w0 t until it stays within 2 %
    assert t[np.flatnonzero(np.abs(x) > 0.02)[-1]] == pytest.approx(settled, rel=0.01)


@given(frequencies, st.floats(0.05, 3), st.floats(0.05, 2), st.floats(-2, 2), st.floats(-9, 9), st.floats(-2, 2))
def test_a_chosen_rest_hits_the_key(w, z, h, x, v, key):
    over = propagator(Spring.tuned(max(w, 3 / h), z), h)
    assert advance(x, v, rest_that_hits(x, v, key, over), over)[0] == pytest.approx(key, abs=1e-11)


def test_arrays_broadcast_as_single_springs_do():
    w, z = np.array([[2.0], [9.0]]), np.array([0.3, 1.0, 2.0])
    many = propagator(Spring.tuned(w, z), 0.3)
    for i in range(2):
        for j in range(3):
            one = propagator(Spring.tuned(w[i, 0], z[j]), 0.3)
            assert [float(m[i, j]) for m in many] == [float(o) for o in one]


@given(st.floats(-50, 50), st.floats(-2, 0), st.floats(0, 2), st.floats(1e-3, 0.5))
def test_a_bounded_joint_never_passes_its_limit(x, low, high, soft):
    assert low <= bounded(x, low, high, soft) <= high


@given(st.floats(-1, 1), st.floats(-1, -0.2), st.floats(0.2, 1))
def test_bounded_and_unbounded_are_inverse(share, low, high):
    shown = np.clip(share, low + 1e-3, high - 1e-3)
    assert bounded(unbounded(shown, low, high, 0.1), low, high, 0.1) == pytest.approx(shown, abs=1e-9)
    assert unbounded((low + high) / 2, low, high, 0.05) == pytest.approx((low + high) / 2, abs=1e-12)


def test_the_way_into_a_limit_is_smooth():
    """Velocity is continuous where a joint meets its limit: second differences shrink with the square of the step."""
    for n in (1000, 2000):
        x = bounded(np.linspace(0, 3, n), -1, 1, 0.2)
        assert np.abs(np.diff(x, 2)).max() * (n / 3) ** 2 < 0.8 / 0.2


@pytest.mark.parametrize(
    ("spring", "word"),
    [(Spring(0, 1, 1), "mass"), (Spring(-1, 1, 1), "mass"), (Spring(1, -0.1, 1), "damping"),
     (Spring(1, 1, -2), "stiffness"), (Spring(1, np.nan, 1), "damping"), (Spring([1, 0], 1, 1), "mass")],
)
def test_springs_that_would_run_away_are_refused_with_the_reason(spring, word):
    with pytest.raises(GambolError, match=f"{word} is .*(without|negative|bound|pushes)"):
        check_spring(spring)
