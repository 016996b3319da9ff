import numpy as np
import pytest
from numpy.testing import assert_allclose

from gambol import quat
from gambol.body import Body
from gambol.errors import GambolError
from gambol.loft import Loft, between_rows, loft, normals_of
from gambol.mannequin import PALETTE, deform, is_person, mannequin
from gambol.skeleton import Skeleton, forward_kinematics

HEIGHTS = (0.95, 1.2, 1.75, 2.2)


def turned(skeleton, **degrees):
    """World positions and rotations with joints turned about axes: left_lower_leg=("x", 60)."""
    rotations = np.tile(quat.IDENTITY, (len(skeleton), 1))
    for name, (letter, angle) in degrees.items():
        axis = np.eye(3)["xyz".index(letter)]
        rotations[skeleton.index(name)] = quat.from_axis_angle(axis, np.radians(angle))
    return forward_kinematics(skeleton, skeleton.offsets[0], rotations)


def of_joint(skin, skeleton, name, share=0.999):
    return np.any((skin.joints == skeleton.index(name)) & (skin.weights >= share), axis=1)


def volume(vertices, faces):
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6


@pytest.mark.parametrize("height", HEIGHTS)
def test_it_stands_on_the_ground_and_is_as_tall_as_the_body(height):
    skin = mannequin(Body(height).skeleton)
    assert_allclose(skin.vertices[:, 1].min(), 0, atol=1e-9)
    assert_allclose(skin.vertices[:, 1].max(), height, rtol=2e-3)


@pytest.mark.parametrize("height", HEIGHTS)
def test_the_sole_is_flat_from_heel_to_toe_tip(height):
    skeleton = Body(height).skeleton
    skin, rest = mannequin(skeleton), skeleton.rest_positions()
    for side in ("left", "right"):
        heel, tip = (rest[skeleton.index(f"{side}_{n}")] for n in ("heel", "toe_tip"))
        own = skin.vertices[skin.vertices[:, 0] * heel[0] > 0]
        flat = own[np.abs(own[:, 1]) < 1e-9]
        assert_allclose([flat[:, 2].min(), flat[:, 2].max()], [heel[2], tip[2]], atol=1e-6)


def test_numbers_are_as_a_file_needs_them():
    skeleton = Body(1.75).skeleton
    skin = mannequin(skeleton)
    count = len(skin.vertices)
    assert 3000 < count < 6500 and skin.faces.min() == 0 and skin.faces.max() == count - 1
    assert_allclose(skin.weights.sum(1), 1, atol=1e-12)
    assert (skin.weights >= 0).all() and not skin.joints[skin.weights == 0].any()
    assert_allclose(np.linalg.norm(skin.normals, axis=1), 1, atol=1e-9)
    assert set(np.unique(skin.materials)) == set(range(len(PALETTE)))
    assert len(skin.materials) == len(skin.faces)
    assert mannequin(skeleton) is skin and not skin.vertices.flags.writeable


def test_every_piece_is_closed_and_right_side_out():
    skin = mannequin(Body(1.75).skeleton)
    edges = np.concatenate([skin.faces[:, [0, 1]], skin.faces[:, [1, 2]], skin.faces[:, [2, 0]]])
    forward = {tuple(e) for e in edges.tolist()}
    assert len(forward) == len(edges) and all((b, a) in forward for a, b in forward)
    # People are about as dense as water; shells that overlap are counted twice, so that it is a little more.
    assert 0.055 < volume(skin.vertices, skin.faces) < 0.100
    corners = skin.vertices[skin.faces]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    assert area.min() > 1e-9


def test_left_and_right_are_mirror_images_but_for_the_accent():
    skin = mannequin(Body(1.75).skeleton)
    other = skin.vertices * [-1.0, 1.0, 1.0]
    nearest = [np.linalg.norm(skin.vertices - v, axis=1).min() for v in other[::7]]
    assert max(nearest) < 2e-3  # rings start at the same side of both arms, hence not exactly
    accent = list(PALETTE).index("accent")
    middles = skin.vertices[skin.faces[skin.materials == accent]].mean(1)
    assert (middles[middles[:, 1] < 1.0][:, 0] > 0).all()


def test_shape_scales_with_the_body():
    small, large = mannequin(Body(1.0).skeleton), mannequin(Body(2.0).skeleton)
    assert_allclose(large.vertices, 2 * small.vertices, atol=1e-9)
    assert np.array_equal(small.faces, large.faces) and np.array_equal(small.joints, large.joints)


def test_the_rest_pose_is_the_mesh_itself():
    skeleton = Body(1.75).skeleton
    skin = mannequin(skeleton)
    assert_allclose(deform(skin, skeleton, *turned(skeleton)), skin.vertices, atol=1e-12)


def test_a_turn_of_the_whole_body_turns_the_mesh():
    skeleton = Body(1.75).skeleton
    skin = mannequin(skeleton)
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), 1.0)
    rotations = np.tile(quat.IDENTITY, (len(skeleton), 1))
    rotations[0] = turn
    posed = deform(skin, skeleton, *forward_kinematics(skeleton, skeleton.offsets[0], rotations))
    hips = skeleton.offsets[0]
    assert_allclose(posed, hips + quat.rotate(turn, skin.vertices - hips), atol=1e-12)


@pytest.mark.parametrize(("joint", "axis", "angle", "keep"), [
    ("left_lower_leg", "x", 70, 0.75), ("left_lower_arm", "y", -90, 0.6), ("left_foot", "x", 30, 0.9),
    ("left_upper_leg", "x", -70, 0.85), ("left_upper_arm", "z", -78, 0.75), ("left_toes", "x", -40, 0.9),
])
def test_bending_a_joint_does_not_collapse_the_figure(joint, axis, angle, keep):
    """The volume around a bent joint stays, and no vertex is carried off."""
    skeleton = Body(1.75).skeleton
    skin = mannequin(skeleton)
    posed = deform(skin, skeleton, *turned(skeleton, **{joint: (axis, angle)}))
    j = skeleton.index(joint)
    near = np.linalg.norm(skin.vertices - skeleton.rest_positions()[j], axis=1) < 0.12
    faces = skin.faces[near[skin.faces].all(1)]
    centre = skeleton.rest_positions()[j]
    assert volume(posed - centre, skin.faces) > 0.97 * volume(skin.vertices - centre, skin.faces)
    before, after = (np.ptp(v[faces], axis=1).sum() for v in (skin.vertices, posed))
    assert after > keep * before


def test_toes_bend_on_the_sole_and_leave_the_heel():
    skeleton = Body(1.75).skeleton
    skin = mannequin(skeleton)
    posed = deform(skin, skeleton, *turned(skeleton, left_toes=("x", -30)))
    heel = of_joint(skin, skeleton, "left_foot")
    tip = of_joint(skin, skeleton, "left_toes")
    assert heel.any() and tip.any()
    assert_allclose(posed[heel], skin.vertices[heel], atol=1e-9)
    assert posed[tip, 1].mean() > skin.vertices[tip, 1].mean() + 0.005
    assert posed[:, 1].min() > -0.004  # the ball stays above the ground


def test_a_skeleton_that_is_no_person_is_refused_by_name():
    stick = Skeleton(("hips", "tail"), np.array([-1, 0]), np.array([[0, 1.0, 0], [0, 0, -0.3]]))
    assert not is_person(stick) and is_person(Body(1.75).skeleton)
    with pytest.raises(GambolError, match="no joint is called"):
        mannequin(stick)


# lofts


def test_rows_are_met_and_never_overshot():
    table = np.array([(0.0, 1.0), (0.3, 2.0), (0.4, 2.0), (1.0, 0.5)])
    assert_allclose(between_rows(table, table[:, 0])[:, 0], table[:, 1], atol=1e-12)
    dense = between_rows(table, np.linspace(0, 1, 500))[:, 0]
    assert dense.min() >= 0.5 - 1e-12 and dense.max() <= 2 + 1e-12


def test_a_loft_with_round_ends_is_a_capsule():
    rows = [(t, 0.1, 0.1, 0.1, 0, 0) for t in (0.0, 0.5, 1.0)]
    shell = loft(Loft(rows, 20, 64), np.array([(0, 0, 0, 0), (1, 0, 1.0, 0)]), (1, 0, 0), (0, 0, 1))
    exact = np.pi * 0.1**2 + 4 / 3 * np.pi * 0.1**3
    assert volume(shell.vertices, shell.faces) == pytest.approx(exact, rel=0.02)
    normals = normals_of(shell.vertices, shell.faces)
    side = (shell.vertices[:, 1] > 0.2) & (shell.vertices[:, 1] < 0.8)
    assert_allclose(normals[side], shell.vertices[side] * [10, 0, 10], atol=1e-6)
