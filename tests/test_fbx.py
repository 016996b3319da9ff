"""FBX: transforms against matrices multiplied by hand, in bytes and in text; hostile files."""

import numpy as np
import pytest
from fbx_bytes import binary, scene, text
from hypothesis import given
from hypothesis import strategies as st

from gambol.errors import GambolError
from gambol.io import Source, clips, load
from gambol.io.fbx import decode
from gambol.io.sound import decoded

FORMS = {
    "binary": binary, "wide": lambda t: binary(t, 7500), "plain": lambda t: binary(t, packed=False), "text": text,
}
TIMES = np.arange(5) / 30


def read(trees, **ask):
    return decode(binary(trees), Source("a.fbx", **ask))


def turn(degrees, order="XYZ"):
    """(3, 3) of turns about fixed axes, the first one first."""
    out = np.eye(3)
    for letter in order:
        a = np.radians(degrees["XYZ".index(letter)])
        c, s = np.cos(a), np.sin(a)
        one = {"X": [[1, 0, 0], [0, c, -s], [0, s, c]], "Y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
               "Z": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}[letter]
        out = np.array(one) @ out
    return out


def place(rotation=None, shift=(0, 0, 0)):
    out = np.eye(4)
    out[:3, :3] = np.eye(3) if rotation is None else rotation
    out[:3, 3] = shift
    return out


CHAIN = [("mixamorig:Hips", "LimbNode", None, {"Lcl Translation": [0, 100, 0]}),
         ("mixamorig:Spine", "LimbNode", 0, {"Lcl Translation": [0, 10, 0]}),
         ("mixamorig:Head", "LimbNode", 1, {"Lcl Translation": [0, 50, 5]})]
WALK = ("mixamo.com", 4 / 30, {
    (0, "T"): (TIMES, np.array([[0, 100, 3.0 * k] for k in range(5)])),
    (1, "R"): (TIMES, np.array([[10.0 * k, -5 * k, 7 * k] for k in range(5)])),
})


@pytest.mark.parametrize("form", FORMS)
def test_a_clip_is_where_its_curves_put_it_in_every_container(form):
    data = FORMS[form](scene(CHAIN, [WALK], {"UnitScaleFactor": 1.0, "TimeMode": 6}))
    motion = decode(data, Source("a.fbx"))
    assert motion.skeleton.names == tuple(n for n, *_ in CHAIN) and motion.fps == 30 and len(motion) == 5
    assert motion.name == "mixamo.com" and clip_names(data) == ["mixamo.com"]
    for k, frame in enumerate(motion.positions()):
        spine = np.array([0, 1.1, 0.03 * k])
        want = [[0, 1.0, 0.03 * k], spine, spine + turn([10 * k, -5 * k, 7 * k]) @ [0, 0.5, 0.05]]
        np.testing.assert_allclose(frame, want, atol=1e-6)


def clip_names(data):
    from gambol.io.fbx import clips as names

    return names(data, Source("a.fbx"))


@pytest.mark.parametrize("order", range(6))
def test_pre_and_post_rotations_orders_pivots_and_offsets(order):
    """The SDK's product of matrices, written out."""
    letters = ("XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX")[order]
    t, r, s = [3.0, 100, -2], [20.0, -40, 70], [1.5, 1.5, 1.5]
    pre, post, rp, ro, sp, so = [90.0, 10, 0], [5.0, 6, 7], [1.0, 2, 3], [4.0, 5, 6], [-1.0, 0, 2], [0.5, 0, 1]
    table = {"RotationActive": 1, "RotationOrder": order, "PreRotation": pre, "PostRotation": post,
             "RotationPivot": rp, "RotationOffset": ro, "ScalingPivot": sp, "ScalingOffset": so,
             "Lcl Translation": t, "Lcl Rotation": r, "Lcl Scaling": s}
    nodes = [("a", "LimbNode", None, table), ("b", "LimbNode", 0, {"Lcl Translation": [0, 10, 0]})]
    matrix = (place(shift=t) @ place(shift=ro) @ place(shift=rp) @ place(turn(pre)) @ place(turn(r, letters))
              @ place(turn(post).T) @ place(shift=-np.array(rp)) @ place(shift=so) @ place(shift=sp)
              @ place(np.diag(s)) @ place(shift=-np.array(sp)))
    motion = read(scene(nodes))
    np.testing.assert_allclose(motion.positions()[0, 0], matrix[:3, 3] / 100, atol=1e-9)
    np.testing.assert_allclose(motion.positions()[0, 1], (matrix @ [0, 10, 0, 1])[:3] / 100, atol=1e-9)


def test_turns_before_and_after_count_only_where_they_are_switched_on():
    nodes = [("a", "LimbNode", None, {"PreRotation": [90.0, 0, 0]}),
             ("b", "LimbNode", 0, {"Lcl Translation": [0, 10, 0]})]
    np.testing.assert_allclose(read(scene(nodes)).positions()[0, 1], [0, 0.1, 0], atol=1e-12)


@pytest.mark.parametrize("settings, want", [
    ({"UnitScaleFactor": 1.0}, [0.1, 0.2, 0.3]), ({"UnitScaleFactor": 100.0}, [10, 20, 30]),
    ({"UnitScaleFactor": 2.54}, [0.254, 0.508, 0.762]), ({}, [0.1, 0.2, 0.3]),
    ({"UpAxis": 2, "UpAxisSign": 1, "FrontAxis": 1, "FrontAxisSign": -1, "CoordAxis": 0, "CoordAxisSign": 1},
     [0.1, 0.3, -0.2]),  # 3ds Max: z up
])
def test_units_and_axes(settings, want):
    nodes = [("a", "LimbNode", None, {}), ("b", "LimbNode", 0, {"Lcl Translation": [10, 20, 30]})]
    np.testing.assert_allclose(read(scene(nodes, settings=settings)).positions()[0, 1], want, atol=1e-12)


def test_an_armature_that_is_scaled_and_turned_above_the_bones():
    """What Blender writes: a node of scale 100, lying on its side, with bones in metres below it."""
    nodes = [("Armature", "Null", None, {"Lcl Rotation": [-90.0, 0, 0], "Lcl Scaling": [100, 100, 100]}),
             ("hips", "LimbNode", 0, {"Lcl Translation": [0, 0, 1.0]}),
             ("head", "LimbNode", 1, {"Lcl Translation": [0, 0, 0.7]})]
    motion = read(scene(nodes, settings={"UnitScaleFactor": 1.0}))
    assert motion.skeleton.names == ("hips", "head")
    np.testing.assert_allclose(motion.positions()[0], [[0, 1, 0], [0, 1.7, 0]], atol=1e-12)


def test_the_rest_pose_is_the_one_the_skin_was_bound_in():
    bound = {0: place(turn([0, 90.0, 0]), [0, 100, 0]), 1: place(turn([0, 90.0, 0]), [0, 110, 0]),
             2: place(turn([0, 90.0, 0]), [5, 160, 0])}
    motion = read(scene(CHAIN, [WALK], bound=bound))
    np.testing.assert_allclose(motion.skeleton.rest_positions(), [[0, 1, 0], [0, 1.1, 0], [0.05, 1.6, 0]], atol=1e-12)
    # Frame 0 stands unturned in the file: seen from the bound pose that is a quarter turn back.
    np.testing.assert_allclose(motion.positions()[0, 2], [0, 1.6, 0.05], atol=1e-6)


def test_curves_hold_go_straight_or_bend_between_keys():
    times, values = [0.0, 2 / 30], np.array([[0, 100, 0], [0, 100, 30.0]])
    tracks = {(0, "T"): (times, values)}
    straight = read(scene(CHAIN, [("a", 2 / 30, tracks)]))
    np.testing.assert_allclose(straight.root[:, 2], [0, 0.15, 0.3], atol=1e-7)
    trees = scene(CHAIN, [("a", 2 / 30, tracks)])
    for record in trees[1][2]:
        if record[0] == "AnimationCurve":
            record[2][2][1][0][:] = 0x2  # constant
    np.testing.assert_allclose(read(trees).root[:, 2], [0, 0, 0.3], atol=1e-7)
    for record in trees[1][2]:
        if record[0] == "AnimationCurve":
            record[2][2][1][0][:] = 0x8  # cubic, flat at both keys
    np.testing.assert_allclose(read(trees).root[:, 2], [0, 0.15, 0.3], atol=1e-7)
    s = 1 / 8
    assert read(trees, fps=120.0).root[1, 2] == pytest.approx(0.3 * (3 * s**2 - 2 * s**3), abs=1e-7)


def test_clips_are_chosen_by_name_and_a_file_without_is_its_pose(tmp_path):
    other = ("run", 1 / 30, {(0, "T"): ([0, 1 / 30], np.array([[0, 50, 0], [0, 60.0, 0]]))})
    (tmp_path / "two.fbx").write_bytes(binary(scene(CHAIN, [WALK, other])))
    assert clips(tmp_path / "two.fbx") == ["mixamo.com", "run"]
    assert load(tmp_path / "two.fbx", "run").root[1, 1] == pytest.approx(0.6) and len(load(tmp_path / "two.fbx")) == 5
    with pytest.raises(GambolError, match=r"mixamo\.com, run"):
        load(tmp_path / "two.fbx", "jump")
    pose = read(scene(CHAIN))
    assert len(pose) == 1 and "no clip" in pose.info["notes"][0]


def test_what_is_no_skeleton_is_said():
    with pytest.raises(GambolError, match="no skeleton"):
        read(scene([("cube", "Mesh", None, {})]))
    with pytest.raises(GambolError, match="version 6100"):
        decode(binary(scene(CHAIN), 6100), Source("old.fbx"))
    with pytest.raises(GambolError, match="not an FBX file"):
        decode(b"solid cube", Source("a.fbx"))


WHOLE = binary(scene(CHAIN, [WALK], {"UnitScaleFactor": 1.0}, {0: np.eye(4)}), packed=True)


@pytest.mark.parametrize("form", ["binary", "text"])
@given(data=st.data())
def test_torn_and_changed_files_are_motions_or_one_line(form, data):
    whole = WHOLE if form == "binary" else text(scene(CHAIN, [WALK]))
    torn = bytearray(whole[: data.draw(st.one_of(st.just(len(whole)), st.integers(0, len(whole))))])
    for _ in range(data.draw(st.integers(1, 5)) if torn else 0):
        torn[data.draw(st.integers(0, len(torn) - 1))] = data.draw(st.integers(0, 255))
    try:
        motion = decoded(decode, bytes(torn), Source("torn.fbx"))
    except GambolError as error:
        assert "torn.fbx" in str(error) and "\n" not in str(error)
    else:
        assert np.isfinite(motion.rotations).all()


def test_hostile_files_are_refused():
    def deep(levels):
        tree = ("Objects", [], [])
        for _ in range(levels):
            tree = ("Objects", [], [tree])
        return [tree]

    loop = scene(CHAIN)
    loop[2][2][0] = ("C", ["OO", 1_000_000, 1_000_002], [])
    bomb = bytearray(binary([("Objects", [], [("a", [np.zeros(1000)], [])])]))
    at = bomb.index(b"d" + (1000).to_bytes(4, "little"))
    bomb[at + 1 : at + 5] = (0xFFFFFFFF).to_bytes(4, "little")
    long = scene([(f"n{k}", "LimbNode", k - 1 if k else None, {}) for k in range(1000)])
    for data, match in (
        (binary(deep(100)), "nested too deep"), (text(deep(100)), "nested too deep"), (binary(loop), "below itself"),
        (bytes(bomb), "larger than the file can hold"), (binary(long), "512"),
        (binary(scene(CHAIN, [("a", 1e8, WALK[2])])), "cut the clip"),
    ):
        with pytest.raises(GambolError, match=match):
            decoded(decode, data, Source("hostile.fbx"))
