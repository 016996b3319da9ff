from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from gambol import quat
from gambol.body import Body
from gambol.errors import GambolError
from gambol.motion import Motion, join
from gambol.skeleton import Skeleton

SKELETON = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.eye(3), soles=(1, 2))
FIELDS = ("root", "rotations", "contacts", "forces", "pressure", "com", "translations")


def clip(frames, seed=0, **fields):
    rng = np.random.default_rng(seed)
    full = {
        "contacts": rng.random((frames, 2)) > 0.5, "forces": rng.normal(size=(frames, 2, 3)),
        "pressure": rng.normal(size=(frames, 2, 3)), "com": rng.normal(size=(frames, 3)),
        "translations": rng.normal(size=(frames, 3, 3)), "mass": 70.0, "name": "clip", "fps": 30.0,
    }
    rotations = quat.normalize(rng.normal(size=(frames, 3, 4)))
    return Motion(SKELETON, rng.normal(size=(frames, 3)), rotations, **{**full, **fields})


def assert_same(a, b):
    """Equal in every field, rotations as rotations."""
    for key in FIELDS:
        x, y = getattr(a, key), getattr(b, key)
        assert (x is None) == (y is None), key
        if key == "rotations":
            assert np.all((x == y).all(-1) | (x == -y).all(-1))
        elif x is not None:
            assert np.array_equal(x, y), key
    assert (a.fps, a.mass, a.cyclic, a.name, a.skeleton) == (b.fps, b.mass, b.cyclic, b.name, b.skeleton)


frames = st.integers(0, 9)


@given(frames, frames, frames)
def test_join_is_associative_and_has_length(n, m, k):
    a, b, c = clip(n, 1), clip(m, 2), clip(k, 3)
    assert len(join([a, b, c])) == n + m + k
    assert_same(join([join([a, b]), c]), join([a, join([b, c])]))
    assert_same(join([a, b, c]), join([join([a, b]), c]))


@given(frames)
def test_the_empty_clip_is_neutral(n):
    a, empty = clip(n), clip(0)
    assert_same(join([a, empty]), a)
    assert_same(join([empty, a]), a)
    assert_same(join([a]), a)


@given(st.integers(0, 12), st.lists(st.integers(0, 12), max_size=4))
def test_cutting_and_joining_gives_the_clip_back(n, cuts):
    whole = clip(n)
    edges = [0, *sorted(min(c, n) for c in cuts), n]
    assert_same(join([whole[a:b] for a, b in pairwise(edges)]), whole)


@given(st.integers(0, 9), st.slices(9))
def test_slices_are_those_of_the_arrays(n, cut):
    whole = clip(n)
    part = whole[cut]
    assert len(part) == len(whole.root[cut])
    for key in FIELDS:
        if key != "rotations":
            assert np.array_equal(getattr(part, key), getattr(whole, key)[cut])
    assert_allclose(part.positions(), whole.positions()[cut], atol=1e-12)


@given(frames, frames, st.sampled_from(FIELDS[2:]))
def test_a_field_that_one_part_lacks_is_dropped(n, m, key):
    whole = join([clip(n + 1), replace(clip(m + 1), **{key: None})])
    assert getattr(whole, key) is None
    # a part without frames has nothing to say
    assert getattr(join([clip(n + 1), replace(clip(0), **{key: None})]), key) is not None


def test_facts_are_gathered():
    a = clip(2, info={"events": {"left_strike": [0.1], "left_off": []}, "plan": [1], "seed": 4})
    b = clip(2, info={"events": {"left_strike": [0.9], "left_off": [0.5]}, "plan": [2, 3], "late": True})
    assert join([a, b]).info == {
        "events": {"left_strike": [0.1, 0.9], "left_off": [0.5]}, "plan": [1, 2, 3], "seed": 4, "late": True,
    }
    assert a.info["plan"] == [1]  # nothing was changed in place


@pytest.mark.parametrize("parts", [[], [clip(2), replace(clip(2), fps=31.0)], [clip(1), None]])
def test_what_cannot_be_joined(parts):
    other = Motion(Body().skeleton, np.zeros((1, 3)), np.tile(quat.IDENTITY, (1, 26, 1)), 30.0)
    with pytest.raises(GambolError, match="join"):
        join([other if p is None else p for p in parts])


@given(frames, st.floats(0.5, 1000))
def test_time_is_of_samples(n, fps):
    motion = clip(n, fps=fps)
    assert len(motion.times) == n
    assert motion.duration == pytest.approx(motion.times[-1] if n else 0.0)
    assert_allclose(np.diff(motion.times), 1 / fps)


@given(st.integers(1, 9), st.integers(0, 99))
def test_signs_are_continuous_and_rotations_kept(n, seed):
    rng = np.random.default_rng(seed)
    raw = quat.normalize(rng.normal(size=(n, 3, 4)))
    made = replace(clip(n), rotations=raw).rotations
    assert np.all(np.sum(made[1:] * made[:-1], -1) >= 0)
    assert np.all((made == raw).all(-1) | (made == -raw).all(-1))


def test_arrays_cannot_be_written_and_are_the_motions_own():
    root = np.zeros((2, 3))
    motion = replace(clip(2), root=root)
    root[:] = 9.0
    assert not motion.root.any()
    for key in FIELDS:
        with pytest.raises(ValueError, match="read-only"):
            getattr(motion, key)[...] = 0
    with pytest.raises(AttributeError):
        motion.fps = 24.0


def test_a_joints_track_is_its_column():
    motion = clip(5)
    assert np.array_equal(motion.at("c"), motion.positions()[:, 2])
    with pytest.raises(GambolError, match="'tail'"):
        motion.at("tail")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"root": np.zeros((4, 3))}, "shape"),
        ({"rotations": np.zeros((5, 2, 4))}, "shape"),
        ({"contacts": np.zeros((5, 3), bool)}, "contacts has shape"),
        ({"forces": np.zeros((5, 2))}, "forces has shape"),
        ({"com": np.zeros((5, 2))}, "com has shape"),
        ({"fps": 0.0}, "fps is 0"), ({"fps": -24.0}, "fps"),
        ({"fps": np.nan}, "fps"), ({"fps": np.inf}, "fps"),
        ({"root": np.full((5, 3), np.nan)}, "not finite"),
        ({"rotations": np.full((5, 3, 4), np.inf)}, "not finite"),
    ],
)
def test_what_is_no_motion_is_refused(fields, message):
    with pytest.raises(GambolError, match=message):
        replace(clip(5), **fields)


def test_pressure_of_an_unloaded_foot_may_be_absent():
    pressure = np.full((5, 2, 3), np.nan)
    assert np.isnan(replace(clip(5), pressure=pressure).pressure).all()


def test_a_table_that_every_stretch_says_alike_is_said_once():
    loop = {"period_s": 2.0, "travel_m": [0.0, 0.0, 0.0]}
    parts = [replace(clip(2), info={"loop": dict(loop), "events": {"left_strike": [float(k)]}}) for k in range(3)]
    assert join(parts).info == {"loop": loop, "events": {"left_strike": [0.0, 1.0, 2.0]}}
