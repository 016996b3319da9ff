import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from gambol import quat
from gambol.body import Body
from gambol.errors import GambolError
from gambol.skeleton import BLOCK, Skeleton, forward_kinematics, readonly


@st.composite
def trees(draw):
    """Random skeletons of 1 to 12 joints."""
    size = draw(st.integers(1, 12))
    parents = [-1] + [draw(st.integers(0, j - 1)) for j in range(1, size)]
    seed = draw(st.integers(0, 2**16))
    offsets = np.random.default_rng(seed).normal(size=(size, 3))
    return Skeleton(tuple(f"j{i}" for i in range(size)), np.array(parents), offsets)


def pose(skeleton, shape=(), seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(*shape, 3)), quat.normalize(rng.normal(size=(*shape, len(skeleton), 4)))


def matrix_chain(skeleton, root, rotations):
    """Forward kinematics the plain way: 4 x 4 matrices down each chain."""
    world = []
    for j, parent in enumerate(skeleton.parents):
        local = np.eye(4)
        local[:3, :3] = quat.to_matrix(rotations[j])
        local[:3, 3] = root if parent < 0 else skeleton.offsets[j]
        world.append(local if parent < 0 else world[parent] @ local)
    return np.array(world)


@given(trees(), st.integers(0, 2**16))
def test_fk_is_the_matrix_chain(skeleton, seed):
    root, rotations = pose(skeleton, (), seed)
    positions, world = forward_kinematics(skeleton, root, rotations)
    expected = matrix_chain(skeleton, root, rotations)
    assert_allclose(positions, expected[:, :3, 3], atol=1e-11)
    assert_allclose(quat.to_matrix(world), expected[:, :3, :3], atol=1e-11)


@given(trees(), st.integers(0, 2**16))
def test_moving_the_root_moves_the_figure_rigidly(skeleton, seed):
    root, rotations = pose(skeleton, (), seed)
    (shift, _), turn = pose(skeleton, (), seed + 1), pose(skeleton, (), seed + 2)[1][0]
    before, before_q = forward_kinematics(skeleton, root, rotations)
    turned = rotations.copy()
    turned[0] = quat.multiply(turn, turned[0])
    after, after_q = forward_kinematics(skeleton, quat.rotate(turn, root) + shift, turned)
    assert_allclose(after, quat.rotate(turn, before) + shift, atol=1e-11)
    assert_allclose(after_q, quat.multiply(turn, before_q), atol=1e-11)


@given(trees(), st.integers(0, 2**16))
def test_bones_keep_their_length_and_a_joint_moves_only_what_hangs_on_it(skeleton, seed):
    root, rotations = pose(skeleton, (), seed)
    positions, _ = forward_kinematics(skeleton, root, rotations)
    child, parent = np.arange(1, len(skeleton)), skeleton.parents[1:]
    lengths = np.linalg.norm(positions[child] - positions[parent], axis=-1)
    assert_allclose(lengths, np.linalg.norm(skeleton.offsets[1:], axis=-1), atol=1e-11)
    bent = rotations.copy()
    bent[-1] = quat.multiply(bent[-1], quat.exp([0.3, 0.2, 0.1]))
    assert np.array_equal(forward_kinematics(skeleton, root, bent)[0], positions)  # the last joint is a leaf


@pytest.mark.parametrize("shape", [(), (1,), (0,), (7,), (2, 3), (BLOCK + 3,)])
def test_a_batch_is_its_members(shape):
    skeleton = Body().skeleton
    root, rotations = pose(skeleton, shape)
    positions, world = forward_kinematics(skeleton, root, rotations)
    assert positions.shape == (*shape, len(skeleton), 3) and world.shape == (*shape, len(skeleton), 4)
    for i in list(np.ndindex(*shape))[:: max(1, int(np.prod(shape)) // 7)]:
        p, q = forward_kinematics(skeleton, root[i], rotations[i])
        assert_allclose(positions[i], p, atol=1e-13)
        assert_allclose(world[i], q, atol=1e-13)


def test_one_root_serves_many_poses():
    skeleton = Body().skeleton
    root, rotations = pose(skeleton, (5,))
    assert np.array_equal(
        forward_kinematics(skeleton, root[0], rotations)[0],
        forward_kinematics(skeleton, np.tile(root[0], (5, 1)), rotations)[0],
    )


@given(trees())
def test_rest_positions_are_fk_of_the_rest_pose(skeleton):
    rest = np.tile(quat.IDENTITY, (len(skeleton), 1))
    assert_allclose(
        skeleton.rest_positions(), forward_kinematics(skeleton, skeleton.offsets[0], rest)[0], atol=1e-12
    )


def test_arrays_cannot_be_written_and_are_the_skeletons_own():
    offsets = np.zeros((2, 3))
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), offsets)
    offsets[1] = 9.0
    assert not skeleton.offsets.any()
    for array in (skeleton.offsets, skeleton.parents, readonly([1.0, 2.0])):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        skeleton.names = ("c", "d")


def test_equality_is_of_values():
    make = lambda *names: Skeleton(names, np.arange(len(names)) - 1, np.ones((len(names), 3)))  # noqa: E731
    assert make("a", "b") == make("a", "b") and hash(make("a", "b")) == hash(make("a", "b"))
    assert make("a", "b") != make("a", "c") and make("a", "b") != "a"
    assert Body(1.7).skeleton != Body(1.8).skeleton


def test_joints_are_found_by_name():
    skeleton = Body().skeleton
    assert [skeleton.names[i] for i in skeleton.indices(["head", "hips"])] == ["head", "hips"]
    assert "head" in skeleton and "tail" not in skeleton
    with pytest.raises(GambolError, match=r"'tail'.*hips.*head"):
        skeleton.index("tail")


@pytest.mark.parametrize(
    ("names", "parents", "offsets", "message"),
    [
        ((), [], np.zeros((0, 3)), "at least one"),
        (("a", "a"), [-1, 0], np.zeros((2, 3)), "unique"),
        (("a", "b"), [-1], np.zeros((2, 3)), "disagree"),
        (("a", "b"), [-1, 0], np.zeros((2, 2)), "disagree"),
        (("a", "b"), [0, 0], np.zeros((2, 3)), "one root"),
        (("a", "b"), [-1, -1], np.zeros((2, 3)), "one root"),
        (("a", "b"), [-1, 1], np.zeros((2, 3)), "before its children"),
        (("a", "b", "c"), [-1, 2, 0], np.zeros((3, 3)), "before its children"),
        (("a",), [-1], np.full((1, 3), np.nan), "not finite"),
    ],
)
def test_what_is_no_skeleton_is_refused(names, parents, offsets, message):
    with pytest.raises(GambolError, match=message):
        Skeleton(names, np.array(parents, int), offsets)
