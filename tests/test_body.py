import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from gambol import quat
from gambol.body import SEGMENTS, Body, mass_model
from gambol.errors import GambolError
from gambol.skeleton import Skeleton, forward_kinematics

heights = st.floats(0.9, 2.2)
HUMANOID = [
    "hips", "spine", "chest", "upper_chest", "neck", "head",
    "left_shoulder", "left_upper_arm", "left_lower_arm", "left_hand",
    "left_upper_leg", "left_lower_leg", "left_foot", "left_toes", "left_heel", "left_toe_tip",
]


def lengths(body):
    s = body.skeleton
    return {name: float(np.linalg.norm(offset)) for name, offset in zip(s.names, s.offsets)}


def arms_down(body):
    """Joint positions and world rotations of the standing figure, arms at the sides."""
    s = body.skeleton
    rotations = np.tile(quat.IDENTITY, (len(s), 1))
    for side, sign in (("left", -1.0), ("right", 1.0)):
        rotations[s.index(f"{side}_upper_arm")] = quat.from_axis_angle([0.0, 0.0, 1.0], sign * np.pi / 2)
    return forward_kinematics(s, s.offsets[0], rotations)


def centre_of_mass(body, positions, world):
    model = body.masses
    return model.shares @ (positions + quat.rotate(world, model.centres))


@given(heights)
def test_segment_lengths_are_the_published_fractions_of_height(height):
    # Drillis & Contini (1966), fractions of body height
    published = {
        "left_lower_leg": 0.530 - 0.285, "left_foot": 0.285 - 0.039,
        "left_lower_arm": 0.186, "left_hand": 0.146,
    }
    measured = lengths(Body(height))
    for joint, fraction in published.items():
        assert measured[joint] == pytest.approx(fraction * height, rel=1e-9), joint
    rest = Body(height).skeleton.rest_positions()
    s = Body(height).skeleton
    heel, tip = rest[s.indices(["left_heel", "left_toe_tip"])]
    assert rest[s.index("left_foot"), 1] == pytest.approx(0.039 * height)
    assert rest[s.index("left_upper_leg"), 1] == pytest.approx(0.530 * height)
    assert tip[2] - heel[2] == pytest.approx(0.152 * height)
    assert rest[s.index("left_upper_arm"), 1] == pytest.approx(0.818 * height, abs=0.015 * height)
    assert Body(height).leg_length == pytest.approx(0.530 * height)
    assert Body(height).foot_length == pytest.approx(0.152 * height)


@given(heights)
def test_the_soles_stand_on_the_ground_and_the_rest_pose_is_a_t(height):
    s = Body(height).skeleton
    rest = s.rest_positions()
    assert_allclose(rest[list(s.soles), 1], 0.0, atol=1e-12)
    assert [s.names[i] for i in s.soles] == ["left_heel", "left_toe_tip", "right_heel", "right_toe_tip"]
    assert np.all(rest[list(s.soles), 1] <= rest[:, 1].min() + 1e-12)
    arm = rest[s.indices(["left_upper_arm", "left_lower_arm", "left_hand"])]
    assert_allclose(arm[:, 1:], np.tile(arm[0, 1:], (3, 1)), atol=1e-12)  # level
    assert np.all(np.diff(arm[:, 0]) > 0)  # left is +x
    assert rest[s.index("left_toe_tip"), 2] > rest[s.index("left_heel"), 2]  # faces +z


@given(heights)
def test_left_mirrors_right(height):
    s, model = Body(height).skeleton, Body(height).masses
    rest, mirror = s.rest_positions(), np.array([-1.0, 1.0, 1.0])
    for i, name in enumerate(s.names):
        side, _, part = name.partition("_")
        j = s.index({"left": f"right_{part}", "right": f"left_{part}"}.get(side, name))
        assert_allclose(rest[j], rest[i] * mirror, atol=1e-12)
        assert_allclose(model.centres[j], model.centres[i] * mirror, atol=1e-12)
        assert model.shares[j] == model.shares[i]


@given(heights, st.floats(1.0, 2.4))
def test_everything_scales_with_height(height, factor):
    small, large = Body(height), Body(min(height * factor, 3.1))
    ratio = large.height / small.height
    assert_allclose(large.skeleton.offsets, small.skeleton.offsets * ratio, rtol=1e-9, atol=1e-12)
    assert_allclose(large.masses.centres, small.masses.centres * ratio, rtol=1e-9, atol=1e-12)
    assert_allclose(large.masses.shares, small.masses.shares, rtol=1e-12)
    assert large.mass == pytest.approx(small.mass * ratio**2)  # the same body mass index
    assert large.leg_length == pytest.approx(small.leg_length * ratio)


@given(heights)
def test_segment_masses_make_one_body(height):
    model = Body(height).masses
    assert model.shares.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.all(model.shares >= 0)
    assert not model.centres[model.shares == 0].any()


@given(heights, st.floats(20, 150))
def test_the_centre_of_mass_of_a_standing_person(height, mass):
    body = Body(height, mass)
    com = centre_of_mass(body, *arms_down(body))
    assert 0.55 < com[1] / height < 0.58
    assert com[0] == pytest.approx(0.0, abs=1e-12)
    heel, tip = body.skeleton.rest_positions()[body.skeleton.indices(["left_heel", "left_toe_tip"])]
    assert heel[2] < com[2] < tip[2]  # over the feet


def test_raising_the_arms_raises_the_centre_of_mass_by_their_moment():
    body = Body(1.75)
    s, model = body.skeleton, body.masses
    rest = np.tile(quat.IDENTITY, (len(s), 1))
    out = centre_of_mass(body, *forward_kinematics(s, s.offsets[0], rest))
    down = centre_of_mass(body, *arms_down(body))
    arm = {n: model.shares[s.index(f"left_{n}")] for n in ("upper_arm", "lower_arm", "hand")}
    from_shoulder = {
        "upper_arm": 0.436 * 0.186, "lower_arm": 0.186 + 0.430 * 0.146, "hand": 0.332 + 0.506 * 0.108,
    }
    moment = 2 * sum(arm[n] * from_shoulder[n] for n in arm) * body.height
    assert out[1] - down[1] == pytest.approx(moment, rel=1e-9)


def test_the_mass_table_is_the_published_one(data):
    table = data / "anthropometry" / "BSP_DempsterWinter.txt"
    if not table.is_file():
        pytest.skip("no segment table")
    rows = [line.split("\t") for line in table.read_text().splitlines()[1:]]
    published = {r[0].lower(): (float(r[2]), float(r[3])) for r in rows}
    ours = {"shank": "leg", "head": "head neck"}
    for name, (share, _, _, _, from_proximal) in SEGMENTS.items():
        mass, centre = published[ours.get(name, name.replace("_", " "))]
        assert share == mass, name
        if name in ("upper_arm", "forearm", "hand", "thigh", "shank", "foot", "abdomen"):
            assert from_proximal == centre, name  # head, thorax and pelvis have other end points here


def test_joints_are_named_as_vrm_names_them():
    names = Body().skeleton.names
    right = [n.replace("left_", "right_") for n in HUMANOID if n.startswith("left_")]
    assert set(names) == {*HUMANOID, *right} and len(names) == 26 and names[0] == "hips"


def test_a_body_is_a_value():
    assert Body(1.7) == Body(1.7, 22.9 * 1.7**2) and hash(Body(1.7)) == hash(Body(1.7))
    assert Body(1.7).skeleton is Body(1.7, 99.0).skeleton  # mass does not change lengths
    with pytest.raises(ValueError, match="read-only"):
        Body().masses.shares[0] = 1.0


@pytest.mark.parametrize("height", [0.0, 0.5, 0.899, 3.2, 175.0, -1.7, np.nan, np.inf])
def test_heights_outside_the_tables_are_refused(height):
    with pytest.raises(GambolError, match=r"height is .*0\.9 to 3\.1 m"):
        Body(height)


@pytest.mark.parametrize("mass", [0.0, -70.0, np.nan, np.inf])
def test_masses_that_are_none_are_refused(mass):
    with pytest.raises(GambolError, match="mass is"):
        Body(1.75, mass)


def test_a_skeleton_without_a_segment_is_refused():
    with pytest.raises(GambolError, match="no joint is called"):
        mass_model(Skeleton(("hips",), np.array([-1]), np.zeros((1, 3))))
