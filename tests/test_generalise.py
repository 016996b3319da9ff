"""Theorems 1 to 5 of Ko and Badler (1993) as properties, and what a generalised step must keep to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measured import synthetic

from gambol.errors import GambolError
from gambol.generalise import (
    NATURAL,
    PAPER,
    Condition,
    Step,
    Subject,
    ankle_from_ball,
    ankle_from_heel,
    check_condition,
    generalised,
    own,
    phi,
    psi,
    step_time,
    targets,
)

SEQUENCES = ("hip_x", "hip_y", "f1", "f2", "f3", "meta", "ankle_x", "ankle_y")
TIGHT = 1e-9  # m, rad and steps
LAWS = pytest.mark.parametrize("laws", [NATURAL, PAPER], ids=["natural", "paper"])
ratios = st.floats(0.5, 1.6)


def apart(a: Step, b: Step) -> float:
    """Largest difference of times and values of all sequences."""
    return max(
        float(np.abs(np.asarray(getattr(getattr(a, k), part)) - getattr(getattr(b, k), part)).max())
        for k in SEQUENCES for part in ("t", "v")
    )


@st.composite
def subjects(draw) -> Subject:
    """Bodies of 0.9 to 2.2 m with proportions of their own."""
    height = draw(st.floats(0.9, 2.2))
    scale = [height * draw(st.floats(0.85, 1.15)) for _ in range(6)]
    return Subject(*(k * s for k, s in zip((0.245, 0.246, 0.045, 0.03, 0.075, 0.04), scale)))


def at(draw_subject: Subject, share: float) -> Condition:
    """A step of ``share`` leg lengths, the one before a little shorter."""
    step = share * draw_subject.leg
    return Condition(draw_subject, step, 0.94 * step, 0.6 * (draw_subject.leg / 0.85) ** 0.5)


@LAWS
@settings(max_examples=60, deadline=None)
@given(p1=ratios, p2=ratios, p3=ratios)
def test_theorem_1_and_corollaries(laws, p1, p2, p3):
    """phi_p1 phi_p2 = phi_(p1 p2); phi commutes; phi is associative."""
    w = synthetic()
    assert apart(phi(phi(w, p2, laws), p1, laws), phi(own(w, laws), p1 * p2, laws)) < TIGHT
    assert apart(phi(phi(w, p2, laws), p1, laws), phi(phi(w, p1, laws), p2, laws)) < TIGHT
    three = phi(phi(phi(w, p3, laws), p2, laws), p1, laws)
    assert apart(three, phi(phi(w, p3, laws), p2 * p1, laws)) < TIGHT


@LAWS
@settings(max_examples=60, deadline=None)
@given(steps=st.tuples(*[st.floats(0.3, 1.1)] * 3))
def test_theorem_2(laws, steps):
    """phi is transitive over step lengths, and there and back is where it began."""
    first = phi(synthetic(), steps[0] / 0.7, laws)
    through = phi(phi(first, steps[1] / steps[0], laws), steps[2] / steps[1], laws)
    assert apart(through, phi(first, steps[2] / steps[0], laws)) < TIGHT
    assert apart(phi(phi(first, 1.3, laws), 1 / 1.3, laws), first) < TIGHT


@LAWS
@settings(max_examples=60, deadline=None)
@given(s1=subjects(), s2=subjects(), s3=subjects())
def test_theorem_3(laws, s1, s2, s3):
    """psi is transitive over bodies."""
    first = psi(synthetic(), s1, laws)
    assert apart(psi(psi(first, s2, laws), s3, laws), psi(first, s3, laws)) < TIGHT
    assert apart(psi(psi(first, s2, laws), s1, laws), first) < TIGHT


@LAWS
@settings(max_examples=60, deadline=None)
@given(s1=subjects(), s2=subjects(), p=ratios)
def test_theorem_4(laws, s1, s2, p):
    """The order of phi and psi does not matter: the first repair, and the cadence taken at the prototype's size."""
    first = psi(synthetic(), s1, laws)
    assert apart(phi(psi(first, s2, laws), p, laws), psi(phi(first, p, laws), s2, laws)) < TIGHT


@LAWS
@settings(max_examples=200, deadline=None)
@given(s1=subjects(), s2=subjects(), s3=subjects(), shares=st.tuples(*[st.floats(0.3, 1.1)] * 3))
def test_theorem_5(laws, s1, s2, s3, shares):
    """The combined generalisation is transitive: through any body and step length, and back."""
    w = synthetic()
    a, b, c = (at(s, k) for s, k in zip((s1, s2, s3), shares))
    first = generalised(w, a, laws)
    through = generalised(generalised(first, b, laws), c, laws)
    assert apart(through, generalised(w, c, laws)) < TIGHT
    assert apart(generalised(through, a, laws), first) < TIGHT


@settings(max_examples=60, deadline=None)
@given(s=subjects(), p=ratios)
def test_similar_bodies_have_equal_angles(s, p):
    """mu(S2, a sl) = mu(S1, sl): the similarity assumption of appendix A."""
    w = synthetic()
    o = w.origin
    here = targets(o, Condition(o.subject, p * o.step, p * o.previous, step_time(o, o.subject, p * o.step)), NATURAL)
    r = s.leg / o.subject.leg
    there = targets(o, Condition(s, r * p * o.step, r * p * o.previous, step_time(o, s, r * p * o.step)), NATURAL)
    for key in ("knee", "strike", "push", "meta", "toe_off", "lift"):
        assert np.allclose(getattr(here, key), getattr(there, key), atol=1e-12, rtol=0), key


@settings(max_examples=60, deadline=None)
@given(s=subjects(), share=st.floats(0.3, 1.1))
def test_ends_meet(s, share):
    """No skid and no jump: the swing ankle leaves where the push-off ends and lands where the next stance begins."""
    to = at(s, share)
    w = generalised(synthetic(), to)
    goal = targets(w.origin, to, NATURAL)
    leave, land = ankle_from_ball(s, goal.push[1], goal.meta[1]), ankle_from_heel(s, goal.strike[1])
    assert w.ankle_x.v[0] == pytest.approx(leave[0] - to.previous, abs=1e-12)
    assert w.ankle_y.v[0] == pytest.approx(leave[1], abs=1e-12)
    assert w.ankle_x.v[-1] == pytest.approx(land[0] + to.step, abs=1e-12)
    assert w.ankle_y.v[-1] == pytest.approx(land[1], abs=1e-12)
    assert w.f1.v[-1] == w.f2.v[0] == w.meta.v[0] == 0.0
    assert w.f3.v[0] == pytest.approx(goal.push[1]) and w.f3.v[-1] == pytest.approx(goal.strike[1])
    assert w.f3.t[0] == pytest.approx(goal.toe_off) and w.f2.t[-1] == pytest.approx(goal.lift)


def test_its_own_condition_is_itself():
    w = synthetic()
    assert apart(generalised(w, w.condition), w) < 1e-12


def test_a_batch_is_its_members():
    """10,000 pairs in one call are what each pair is alone."""
    rng = np.random.default_rng(2)
    scale = rng.uniform(0.5, 1.3, (50, 1))
    s = Subject(0.43 * scale, 0.42 * scale * 1.1, 0.085 * scale, 0.05 * scale, 0.13 * scale, 0.06 * scale)
    step = rng.uniform(0.3, 1.1, (50, 1)) * s.leg
    many = generalised(synthetic(), Condition(s, step, 0.95 * step, 0.55 + 0 * step))
    for k in (0, 17, 49):
        one = Condition(Subject(*(float(x[k, 0]) for x in s)), float(step[k, 0]), 0.95 * float(step[k, 0]), 0.55)
        alone = generalised(synthetic(), one)
        for key in SEQUENCES:
            seq = getattr(many, key)
            t = np.broadcast_to(seq.t, (50, seq.t.shape[-1]))
            v = np.broadcast_to(seq.v, (50, seq.v.shape[-1]))
            assert np.abs(t[k] - getattr(alone, key).t).max() < TIGHT
            assert np.abs(v[k] - getattr(alone, key).v).max() < TIGHT


def test_no_step_at_all_is_refused():
    s = synthetic().origin.subject
    for bad in (0.0, -1.0, np.nan):
        with pytest.raises(GambolError, match="step length"):
            check_condition(Condition(s, bad, 0.5, 0.5))
