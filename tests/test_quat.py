import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from gambol import quat

SHAPES = [(), (1,), (5,), (0,), (3, 4), (2, 1, 3)]
TIGHT = {"atol": 1e-12, "rtol": 0}


def units(size: int, shape=(), seed=0):
    v = np.random.default_rng(seed).normal(size=(*shape, size))
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def directions(size: int):
    raw = arrays(float, size, elements=st.floats(-1, 1, width=32))
    return raw.filter(lambda v: np.linalg.norm(v) > 1e-3).map(lambda v: v / np.linalg.norm(v))


rotations, vectors = directions(4), directions(3)
rotation_vectors = arrays(float, 3, elements=st.floats(-1.8, 1.8)).filter(lambda r: np.linalg.norm(r) < 3.1)


def same_rotation(a, b, atol=1e-12):
    """a and b turn everything alike: q and -q are one rotation."""
    assert_allclose(np.abs(np.sum(np.asarray(a) * b, -1)), 1.0, atol=atol)
    assert_allclose(quat.to_matrix(a), quat.to_matrix(b), atol=max(atol, 1e-9))


@pytest.mark.parametrize("shape", SHAPES)
def test_group_axioms_over_batch_shapes(shape):
    a, b, c = (units(4, shape, seed) for seed in range(3))
    product = quat.multiply(a, b)
    assert product.shape == (*shape, 4)
    assert_allclose(np.linalg.norm(product, axis=-1), 1.0, **TIGHT)  # closed
    assert_allclose(quat.multiply(product, c), quat.multiply(a, quat.multiply(b, c)), **TIGHT)  # associative
    assert_allclose(quat.multiply(quat.IDENTITY, a), a, **TIGHT)
    assert_allclose(quat.multiply(a, quat.IDENTITY), a, **TIGHT)
    identity = np.broadcast_to(quat.IDENTITY, (*shape, 4))
    assert_allclose(quat.multiply(a, quat.conjugate(a)), identity, **TIGHT)
    assert_allclose(quat.multiply(quat.conjugate(a), a), identity, **TIGHT)


@pytest.mark.parametrize(("left", "right"), list(itertools.product([(), (3,), (4, 1)], repeat=2)))
def test_a_batch_is_its_members(left, right):
    a, b, v = units(4, left, 1), units(4, right, 2), units(3, right, 3)
    shape = np.broadcast_shapes(left, right)
    many, turned = quat.multiply(a, b), quat.rotate(a, v)
    full_a, full_b, full_v = (np.broadcast_to(x, (*shape, x.shape[-1])) for x in (a, b, v))
    for i in np.ndindex(*shape):
        assert np.array_equal(many[i], quat.multiply(full_a[i], full_b[i]))
        assert np.array_equal(turned[i], quat.rotate(full_a[i], full_v[i]))


def test_units_of_hamilton():
    one, i, j, k = np.eye(4)
    for x in (i, j, k):
        assert np.array_equal(quat.multiply(x, x), -one)
    assert np.array_equal(quat.multiply(quat.multiply(i, j), k), -one)
    assert np.array_equal(quat.multiply(i, j), k) and np.array_equal(quat.multiply(j, i), -k)


@given(rotations, rotations, vectors)
def test_rotate_is_the_matrix_and_composes(a, b, v):
    m = quat.to_matrix(a)
    assert_allclose(quat.rotate(a, v), m @ v, atol=1e-12)
    assert_allclose(m @ m.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(m) == pytest.approx(1.0, abs=1e-12)
    assert_allclose(quat.rotate(quat.multiply(a, b), v), quat.rotate(a, quat.rotate(b, v)), atol=1e-12)
    assert_allclose(quat.rotate(-a, v), quat.rotate(a, v), atol=0)
    sandwich = quat.multiply(quat.multiply(a, np.concatenate([[0.0], v])), quat.conjugate(a))
    assert_allclose(sandwich, np.concatenate([[0.0], quat.rotate(a, v)]), atol=1e-12)


@given(rotations, vectors, vectors)
def test_rotation_keeps_dot_and_cross(q, u, v):
    ru, rv = quat.rotate(q, u), quat.rotate(q, v)
    assert ru @ rv == pytest.approx(u @ v, abs=1e-12)
    assert_allclose(np.cross(ru, rv), quat.rotate(q, np.cross(u, v)), atol=1e-12)


@given(rotations)
def test_matrix_round_trip(q):
    back = quat.from_matrix(quat.to_matrix(q))
    same_rotation(back, q)
    assert back[0] >= 0
    same_rotation(quat.from_basis(*quat.to_matrix(q).T), q)


@pytest.mark.parametrize("axis", [*np.eye(3), *units(3, (4,), 8)])
def test_matrix_of_half_turns(axis):
    q = quat.from_axis_angle(axis, np.pi)
    same_rotation(quat.from_matrix(quat.to_matrix(q)), q)


@pytest.mark.parametrize("shape", SHAPES)
def test_matrices_over_batch_shapes(shape):
    q = units(4, shape)
    assert quat.to_matrix(q).shape == (*shape, 3, 3)
    same_rotation(quat.from_matrix(quat.to_matrix(q)), q)
    assert quat.log(q).shape == (*shape, 3) and quat.exp(quat.log(q)).shape == (*shape, 4)


@given(rotation_vectors)
def test_log_undoes_exp(r):
    q = quat.exp(r)
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-12)
    assert_allclose(quat.log(q), r, atol=1e-9)
    assert_allclose(quat.log(-q), r, atol=1e-9)  # the same rotation


@given(rotations)
def test_exp_undoes_log_and_log_is_the_shortest(q):
    r = quat.log(q)
    assert np.linalg.norm(r) <= np.pi + 1e-12
    same_rotation(quat.exp(r), q)


@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-12, 1e-8, 1e-4])
def test_small_rotations_keep_their_digits(size):
    r = size * np.array([0.6, -0.8, 0.0])
    assert_allclose(quat.log(quat.exp(r)), r, rtol=1e-9, atol=1e-300)


def test_quarter_turns_about_the_axes():
    x, y, z = np.eye(3)
    for axis, start, end in [(x, y, z), (y, z, x), (z, x, y)]:  # right-handed
        assert_allclose(quat.rotate(quat.from_axis_angle(axis, np.pi / 2), start), end, **TIGHT)


@given(rotations, rotations, st.floats(0, 1))
def test_slerp_ends_rate_and_symmetry(a, b, t):
    same_rotation(quat.slerp(a, b, 0.0), a)
    same_rotation(quat.slerp(a, b, 1.0), b, 1e-11)
    angle = np.linalg.norm(quat.log(quat.multiply(quat.conjugate(a), b)))
    gone = np.linalg.norm(quat.log(quat.multiply(quat.conjugate(a), quat.slerp(a, b, t))))
    assert gone == pytest.approx(t * angle, abs=1e-7)  # constant rate, the short way
    if angle < np.pi - 1e-3:  # at half a turn both ways are short
        same_rotation(quat.slerp(a, b, t), quat.slerp(b, a, 1 - t), 1e-9)
        same_rotation(quat.slerp(a, -b, t), quat.slerp(a, b, t), 1e-9)


def test_slerp_takes_many_times_at_once():
    a, b = units(4, (2,), 5)
    t = np.linspace(0, 1, 7)
    many = quat.slerp(a, b, t)
    assert many.shape == (7, 4)
    rate = quat.log(quat.multiply(quat.conjugate(many[:-1]), many[1:]))
    assert_allclose(rate, np.broadcast_to(rate[0], rate.shape), atol=1e-12)


@given(vectors, vectors)
def test_between_turns_one_into_the_other_by_the_shortest_way(u, v):
    q = quat.between(u, v)
    assert_allclose(quat.rotate(q, u), v, atol=1e-7)
    angle = np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v)
    assert np.linalg.norm(quat.log(q)) == pytest.approx(angle, abs=1e-6)


@pytest.mark.parametrize("u", [*np.eye(3), *-np.eye(3), *units(3, (6,), 9)])
def test_between_opposite_and_equal_vectors(u):
    half = quat.between(u, -u)
    assert_allclose(quat.rotate(half, u), -u, atol=1e-12)
    assert np.linalg.norm(half) == pytest.approx(1.0)
    assert_allclose(quat.between(u, u), quat.IDENTITY, atol=1e-12)


@given(arrays(float, (9, 2, 4), elements=st.floats(-1, 1, width=32)))
def test_continuous_keeps_rotations_and_leaves_no_flip(raw):
    norms = np.linalg.norm(raw, axis=-1, keepdims=True)
    q = np.where(norms > 1e-3, raw / np.maximum(norms, 1e-3), quat.IDENTITY)
    out = quat.continuous(q)
    assert np.all(np.sum(out[1:] * out[:-1], -1) >= 0)
    assert np.all((out == q).all(-1) | (out == -q).all(-1))
    assert np.array_equal(quat.continuous(out), out)


def test_continuous_of_nothing_and_of_one():
    assert quat.continuous(np.zeros((0, 3, 4))).shape == (0, 3, 4)
    assert np.array_equal(quat.continuous(-quat.IDENTITY[None]), -quat.IDENTITY[None])


def test_arguments_are_left_alone_and_identity_cannot_be_written():
    q = units(4, (5, 2))
    q[2] *= -1
    before = q.copy()
    for call in (quat.conjugate, quat.log, quat.to_matrix, quat.normalize, quat.continuous):
        call(q)
    assert np.array_equal(q, before)
    with pytest.raises(ValueError, match="read-only"):
        quat.IDENTITY[0] = 2.0
