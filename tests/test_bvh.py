import json
from dataclasses import replace

import numpy as np
import pytest
from files import same_turns, still, wander
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gambol import quat
from gambol.cleaning import resampled
from gambol.errors import GambolError
from gambol.io import Source, load
from gambol.io import read as read_file
from gambol.io.bvh import decode
from gambol.io.bvh_write import METRE, encode
from gambol.io.digits import quick_numbers
from gambol.io.euler import ORDERS, from_axes, largest_step, to_euler
from gambol.io.upright import without_rest_pose
from gambol.motion import Motion
from gambol.retouch import planted
from gambol.roles import roles_of

ONE = """HIERARCHY
ROOT a
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT b
  {
    OFFSET 0 90 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 10 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.04
0 1 2 3 4 5 6 7 8
1 1 2 3 4 5 6 7 8
"""


def read(text):
    return decode(text if isinstance(text, bytes) else text.encode(), Source("one.bvh"))


def columns(data: bytes) -> np.ndarray:
    text = data.decode().split("Frame Time", 1)[1]
    return np.array([[float(x) for x in line.split()] for line in text.splitlines()[1:]])


# angles


@pytest.mark.parametrize("order", ORDERS)
@given(q=arrays(float, (9, 2, 4), elements=st.floats(-1, 1)))
def test_angles_of_any_order_give_the_rotation_back(order, q):
    q = quat.normalize(np.where(np.abs(q).max(-1, keepdims=True) < 0.1, quat.IDENTITY, q))
    assert same_turns(from_axes(order, to_euler(q, order)), q) < 1e-7


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("side", [1, -1])
def test_angles_run_smoothly_through_the_pole(order, side):
    middle = side * np.radians(np.arange(55.0, 126.0))  # one frame is on the pole itself
    angles = np.stack([np.linspace(0, 0.5, 71), middle, np.linspace(0.2, -0.3, 71)], -1)
    q = from_axes(order, angles)
    found = to_euler(q, order)
    np.testing.assert_allclose(found, angles, atol=1e-9)
    assert same_turns(from_axes(order, found), q) < 1e-7


def test_full_turns_are_counted_on():
    spin = np.linspace(0, 20 * np.pi, 500)
    found = to_euler(quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), spin), "ZXY")
    np.testing.assert_allclose(found[:, 2], spin, atol=1e-9)


# writing


def test_curves_have_no_step_of_a_quarter_turn_while_the_turn_is_small():
    for seed in range(3):
        motion = wander(600, seed=seed, step=0.03)
        data = encode(motion)
        steps = np.abs(np.diff(columns(data), axis=0)[:, 3:])
        assert steps.max() < 90
        assert same_turns(decode(data, Source("a.bvh")).rotations, motion.rotations) < 2e-7


def test_the_text_is_what_other_tools_expect():
    text = encode(still(2)).decode()
    start = "HIERARCHY\nROOT hips\n{\n\tOFFSET 0.0 0.0 0.0\n\tCHANNELS 6 Xposition Yposition Zposition Z"
    assert text.startswith(start)
    assert "Frames: 2\nFrame Time: 0.04\n" in text and text.endswith("\n") and "-0.000000" not in text
    assert text.count("{") == text.count("}") and text.count("End Site") == 7
    assert float(text.splitlines()[-1].split()[1]) == pytest.approx(96.25)  # centimetres
    assert text.count("JOINT left_heel") == 1


def test_metres_on_request():
    data = encode(still(2), power=METRE)
    assert columns(data)[0, 1] == pytest.approx(0.9625)
    assert np.abs(decode(data, Source("a", unit=1.0)).positions() - still(2).positions()).max() < 1e-6


def test_no_frames_are_a_file_too():
    assert len(read(encode(still(2)[:0]))) == 0


def test_a_file_read_and_written_again_is_the_same_skeleton(cases):
    for name in ("U007_colon_dot_names", "U034_zero_length", "U001_walk_planted"):
        motion = load(cases / f"{name}.bvh")
        again = read(encode(motion))
        assert again.skeleton == motion.skeleton
        assert np.abs(again.positions() - motion.positions()).max() < 1e-6


# the wild


def test_orders_and_positions_per_joint(cases):
    motion = load(cases / "U006_mixed_orders.bvh")
    truth = json.loads((cases / "U006_mixed_orders.expect.json").read_text())["positions"]
    for frame, joints in truth.items():
        for name, at in joints.items():
            np.testing.assert_allclose(motion.at(name)[int(frame)] * 100, at, atol=0.01)


def test_names_hold_colons_dots_and_blanks(cases):
    names = load(cases / "U007_colon_dot_names.bvh").skeleton.names
    assert {"rig:Hips", "rig:Spine.001"} <= set(names)
    assert read(ONE.replace("JOINT b", "JOINT  左 arm.L ")).skeleton.names[1] == "左 arm.L"


def test_odd_names_and_bones_of_no_length_are_mapped_to_a_body(cases):
    """U007 and U034: every limb is found."""
    plain = roles_of(load(cases / "U001_walk_planted.bvh").skeleton)
    for name in ("U007_colon_dot_names", "U034_zero_length"):
        motion = load(cases / f"{name}.bvh")
        found = roles_of(motion.skeleton)
        limbs = {r for r in plain.joints if r.rpartition("_")[2] in ("leg", "foot", "arm", "hand")}
        assert found.kind == "human" and limbs <= found.joints.keys()
        assert np.isfinite(found.facing) and abs(found.facing) < 1e-6
        out, _ = planted(motion)
        assert np.isfinite(out.rotations).all()


def test_the_pole_is_passed_at_another_rate_too(cases):
    """U019: sampled at 240 Hz and rewritten, poses and columns run on without a jump."""
    motion = load(cases / "U019_euler_pole.bvh")
    fine = resampled(motion, 240.0)
    data = encode(fine)
    assert np.abs(np.diff(columns(data), axis=0)[:, 3:]).max() < 90
    back = decode(data, Source("a"))
    assert np.degrees(same_turns(back.rotations[1:], back.rotations[:-1])) < 4 * motion.fps / 240 * 1.5


def test_a_wrong_count_of_rows_is_noted(cases):
    motion = load(cases / "U004_declared_20_has_21.bvh")
    assert len(motion) == 21 and len(motion.info["notes"]) == 1


@pytest.mark.parametrize(("name", "frames"), [
    ("U030_no_final_newline", 9), ("U097_single_frame", 1), ("U098_bom_crlf_tabs", 12),
    ("U034_zero_length", 12),
])
def test_dialects(cases, name, frames):
    motion = load(cases / f"{name}.bvh")
    assert len(motion) == frames and np.isfinite(motion.positions()).all()


def test_bom_crlf_and_tabs_are_the_plain_file(cases):
    odd, plain = load(cases / "U098_bom_crlf_tabs.bvh"), load(cases / "U001_walk_planted.bvh")
    np.testing.assert_allclose(odd.positions(), plain.positions()[:12], atol=1e-9)


def test_numbers_as_c_spells_them(cases):
    odd, plain = load(cases / "U031_scientific_numbers.bvh"), load(cases / "U001_walk_planted.bvh")
    assert np.degrees(same_turns(odd.rotations, plain.rotations[:8])) < 0.001


def test_root_offset_and_positions_are_not_added_twice(cases):
    motion = load(cases / "U032_root_absolute.bvh")
    assert abs(motion.positions()[..., 1].min()) < 0.01 and "not added" in motion.info["notes"][0]
    relative = ONE.replace("OFFSET 0 0 0", "OFFSET 0 50 0").replace("OFFSET 0 90 0", "OFFSET 0 -51 0")
    relative = relative.replace("OFFSET 0 10 0", "OFFSET 0 0 0").replace("3 4 5", "0 0 0")
    motion = read(relative)
    assert abs(motion.positions()[..., 1].min()) < 0.01 and "is added" in motion.info["notes"][0]


def test_holes_are_named_and_filled(cases):
    motion = load(cases / "U057_nan_rows.bvh")
    notes = " ".join(motion.info["notes"])
    assert "10-12" in notes and "20" in notes and "LeftLeg" in notes and "Hips" in notes
    step = np.abs(quat.log(quat.multiply(quat.conjugate(motion.rotations[:-1]), motion.rotations[1:])))
    assert step[8:13].max() <= step[14:].max() and np.abs(np.diff(motion.root, axis=0)).max() < 0.05


def test_holes_are_bridged_by_the_shortest_turn():
    """Not by angles, which would go the long way round from 179 to -179."""
    head = ONE.split("0 1 2 3")[0].replace("Frames: 2", "Frames: 3")
    motion = read(head + "0 0 0 179 0 0 0 0 0\n0 0 0 nan 0 0 0 0 0\n0 0 0 -179 0 0 0 0 0\n")
    np.testing.assert_allclose(np.abs(motion.rotations[1, 0]), [0, 0, 0, 1], atol=1e-12)
    held = read(head + "0 0 0 nan 0 0 0 0 0\n0 0 0 nan 0 0 0 0 0\n0 0 0 9 0 0 0 0 0\n")
    np.testing.assert_allclose(held.rotations[:2, 0], held.rotations[2:, 0].repeat(2, 0))
    rows = "0 0 0 nan 0 0 0 0 0\n" * 20
    long = read(head + "0 0 0 1 0 0 0 0 0\n" + rows + "0 0 0 9 0 0 0 0 0\n")
    assert any("a guess over the 0.8 s" in note for note in long.info["notes"])


def test_the_rate_is_the_recording_rate(cases):
    motion = load(cases / "U037_rate_29_476.bvh")
    assert motion.fps == pytest.approx(29.476, abs=0.001)
    assert len(motion) / motion.fps == pytest.approx(2.04, abs=0.005)
    assert f"Frame Time: {0.033926!r}\n".encode() in encode(motion)


def test_the_pole_is_passed_without_a_jump(cases):
    motion = load(cases / "U019_euler_pole.bvh")
    turn = 2 * np.arccos(np.clip(np.abs(np.sum(motion.rotations[1:] * motion.rotations[:-1], -1)), 0, 1))
    assert np.degrees(turn.max()) < 4
    assert np.abs(np.diff(columns(encode(motion)), axis=0)[:, 3:]).max() < 90


def test_every_case_and_capture_is_read(cases, data):
    for file in [*cases.glob("*.bvh"), *(data / "mocap").rglob("*.bvh")]:
        assert np.isfinite(load(file).positions()).all(), file


def test_end_sites_become_joints_where_they_lie_away():
    motion = read(ONE)
    assert motion.skeleton.names == ("a", "b", "b_end")
    np.testing.assert_allclose(motion.skeleton.offsets[2], [0, 0.1, 0])
    assert b"End Site" in encode(motion) and b"b_end" not in encode(motion)
    assert read(ONE.replace("OFFSET 0 10 0", "OFFSET 0 0 0")).skeleton.names == ("a", "b")
    assert read(ONE.replace("End Site\n    {\n      OFFSET 0 10 0\n    }\n", "")).skeleton.names == ("a", "b")


def test_positions_on_any_joint_are_read_either_way():
    """Some write where the joint is, some how far from its offset."""
    head = ONE.replace("CHANNELS 3 Z", "CHANNELS 6 Xposition Yposition Zposition Z").split("0 1 2")[0]
    for y in ("91", "1"):
        motion = read(head + f"0 1 2 0 0 0 0 {y} 0 0 0 0\n0 1 2 0 0 0 0 {y} 0 0 0 0\n")
        np.testing.assert_allclose(motion.translations[:, 1], [[0, 0.91, 0]] * 2)


def test_size_tells_the_unit():
    metres = ONE.replace("0 90 0", "0 0.9 0").replace("0 10 0", "0 0.1 0")
    assert read(ONE).skeleton.offsets[1, 1] == read(metres).skeleton.offsets[1, 1] == 0.9
    assert "metres" in read(metres).info["notes"][0]


def test_glued_numbers_and_a_torn_last_row():
    assert read(ONE.replace("1 1 2 3", "1.5-1.25 2 3")).root[1, 1] == -0.0125
    torn = read(ONE[:-6])
    assert len(torn) == 1 and any("torn" in n for n in torn.info["notes"])


@pytest.mark.parametrize(("change", "message"), [
    (("HIERARCHY", "HIRARCHY"), "line 1: it starts with"),
    (("OFFSET 0 90 0", "OFFSET 0 90"), "line 8: OFFSET"),
    (("OFFSET 0 90 0", "OFFSET 0 nan 0"), "line 8: OFFSET"),
    (("CHANNELS 3", "CHANNELS 4"), "line 9: CHANNELS says 4"),
    (("CHANNELS 3 Zrotation", "KANALS 3 Zrotation"), "line 9: 'KANALS"),
    (("0 1 2 3 4 5 6 7 8\n1", "0 1 2 3 4 5 6 7\n1"), "line 19: 8 values, the hierarchy needs 9"),
    (("0 1 2 3 4 5 6 7 8\n1", "0 1 2 x 4 5 6 7 8\n1"), "line 19: 'x' is not a number"),
    (("Frame Time: 0.04", "Frame Time: 0"), "frame time"),
    (("Frame Time: 0.04\n", ""), "after MOTION"),
    (("MOTION", "MOTIO"), "MOTION|not understood"),
    (("  JOINT b\n", "  ROOT b\n"), "second ROOT"),
])
def test_what_is_wrong_is_said_with_its_line(change, message):
    with pytest.raises(GambolError, match=message) as error:
        read(ONE.replace(*change))
    assert "one.bvh" in str(error.value)


def test_hostile_files_are_cheap():
    assert len(read(ONE.replace("Frames: 2", "Frames: 1000000000000"))) == 2
    deep = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
    for k in range(10_000):
        deep += f"JOINT j{k}\n{{\nOFFSET 0 1 0\nCHANNELS 0\n"
    assert len(read(deep + "}" * 10_001 + "\nMOTION\nFrames: 1\nFrame Time: 1\n5\n").skeleton) == 10_001


WORDS = ["JOINT", "End Site", "{", "}", "OFFSET", "CHANNELS 3", "MOTION", "Frames: 9", "nan", "1e999", "-", "9" * 40,
         "Frame Time: 1e-9", "\x00", "Xrotation", "\n", " ", "é"]


@given(st.data())
def test_words_put_in_anywhere_are_an_error_or_a_motion(data):
    text = ONE
    for _ in range(data.draw(st.integers(1, 4))):
        a = data.draw(st.integers(0, len(text)))
        text = text[:a] + data.draw(st.sampled_from(WORDS)) + text[min(a + data.draw(st.integers(0, 9)), len(text)) :]
    try:
        with np.errstate(all="ignore"):
            motion = read(text)
    except GambolError as error:
        assert "one.bvh" in str(error) or "motion" in str(error) or "skeleton" in str(error)
    else:
        assert np.isfinite(motion.rotations).all() and np.isfinite(motion.root).all()


# numbers


NUMBERS_1 = st.floats(-99999, 99999)


@given(st.lists(st.tuples(NUMBERS_1, st.integers(0, 8)), min_size=1, max_size=40), st.sampled_from([" ", "\t", "  "]))
def test_quick_numbers_are_the_c_library_s(numbers, blank):
    text = blank.join(f"{x:.{places}f}" for x, places in numbers)
    quick = quick_numbers(np.frombuffer(text.encode(), np.uint8), len(numbers))
    np.testing.assert_array_equal(quick, [[float(x) for x in text.split()]])


@given(st.lists(st.tuples(st.integers(-99_999_999, 99_999_999), st.integers(0, 7)), min_size=1, max_size=40))
def test_quick_numbers_of_eight_digits_are_the_c_library_s(numbers):
    """Those that fit into one word, with the point anywhere."""
    words = [f"{n / 10**k:.{k}f}" for n, k in numbers]
    quick = quick_numbers(np.frombuffer((" ".join(words) + "\n").encode(), np.uint8), len(words))
    np.testing.assert_array_equal(quick, [[float(w) for w in words]])


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=9))
def test_quick_numbers_of_any_size_are_the_c_library_s(numbers):
    text = " ".join(map(repr, numbers))
    np.testing.assert_array_equal(quick_numbers(np.frombuffer(text.encode(), np.uint8), len(numbers)), [numbers])


@given(st.text("0123456789.+- \n", max_size=40), st.integers(1, 3))
def test_quick_numbers_refuse_what_they_cannot_read(text, width):
    quick = quick_numbers(np.frombuffer(text.encode(), np.uint8), width)
    if quick is not None:
        rows = [[float(x) for x in line.split()] for line in text.splitlines() if line.split()]
        np.testing.assert_array_equal(quick, np.array(rows).reshape(-1, width))


# units, axes, poses that are not the clip's


LYING = """HIERARCHY
ROOT Hips
{
 OFFSET 0 0 0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
%s
}
MOTION
Frames: 2
Frame Time: 0.04
%s
%s
"""


def person(up: str, rows: str, size: float = 1.0) -> bytes:
    """A person of few joints whose rest pose stands along an axis, in cm times ``size``."""

    def chain(*joints):
        text = "}" * len(joints)
        for name, x, y, z in reversed(joints):
            a, b, c = (v * size for v in ((x, y, z) if up == "y" else (-x, z, y)))  # looks along +y where z is up
            text = f"JOINT {name} {{ OFFSET {a} {b} {c}\nCHANNELS 3 Zrotation Xrotation Yrotation\n{text}"
        return text

    parts = [
        chain(("Spine", 0, 20, 0), ("Neck", 0, 30, 0), ("Head", 0, 12, 0), ("HeadTop", 0, 18, 0)),
        *(chain((f"{s}UpLeg", k * 10, -5, 0), (f"{s}Leg", 0, -42, 0), (f"{s}Foot", 0, -42, 0), (f"{s}Toe", 0, -5, 14))
          for s, k in (("Left", 1), ("Right", -1))),
        *(chain((f"{s}Arm", k * 18, 45, 0), (f"{s}ForeArm", k * 28, 0, 0), (f"{s}Hand", k * 25, 0, 0))
          for s, k in (("Left", 1), ("Right", -1))),
    ]
    zeros = " ".join(["0"] * 3 * 18)
    row = f"{rows} {zeros}"
    return (LYING % ("\n".join(parts), row, row)).encode()


def opened(data: bytes, tmp_path, **asked):
    (tmp_path / "a.bvh").write_bytes(data)
    return read_file(tmp_path / "a.bvh", Source("a.bvh", **asked))


def test_a_figure_that_stands_along_z_is_turned_and_looks_ahead(tmp_path):
    plain = opened(person("y", "0 94 0 0 0 0"), tmp_path)
    odd = opened(person("z", "0 0 94 0 0 0"), tmp_path)
    assert (plain.up, odd.up) == ("y", "z") and "z was up" in odd.content.info["notes"][-1]
    np.testing.assert_allclose(odd.content.positions(), plain.content.positions(), atol=1e-9)
    np.testing.assert_allclose(odd.content.skeleton.offsets[1:], plain.content.skeleton.offsets[1:], atol=1e-9)


def test_a_rest_pose_that_lies_while_the_clip_stands_is_turned_alone(tmp_path):
    plain = opened(person("y", "0 94 0 0 0 0"), tmp_path).content
    odd = opened(person("z", "0 94 0 0 -90 0"), tmp_path)
    assert odd.up == "y" and "the rest pose is turned" in odd.content.info["notes"][-1]
    np.testing.assert_allclose(odd.content.positions(), plain.positions() * [-1, 1, -1], atol=1e-9)
    np.testing.assert_allclose(odd.content.skeleton.offsets[1:], plain.skeleton.offsets[1:], atol=1e-9)


def test_somebody_who_lies_on_an_upright_rest_pose_stays_so(cases):
    file = cases / "U012_graph_c_lying.bvh"
    motion = load(file)
    assert np.ptp(motion.positions()[0], axis=0)[1] < 0.2 and "notes" not in motion.info
    np.testing.assert_array_equal(motion.positions(), decode(file.read_bytes(), Source("a")).positions())


def test_up_unit_and_root_offset_can_be_said(tmp_path, cases):
    for said, up in (("y", "y"), ("z", "z"), ("-x", "-x")):
        assert opened(person("z", "0 0 94 0 0 0"), tmp_path, up=said).up == up
    assert opened(person("y", "0 94 0 0 0 0"), tmp_path, unit=0.0254).content.root[0, 1] == pytest.approx(94 * 0.0254)
    file = cases / "U032_root_absolute.bvh"
    added, plain = (read_file(file, Source("a", root_added=k)).content for k in (True, False))
    np.testing.assert_allclose(added.root - plain.root, np.tile([0, 0.94, 0], (24, 1)), atol=1e-12)


@pytest.mark.parametrize(("size", "unit"), [
    (1.0, 0.01), (0.01, 1.0), (10.0, 0.001), (1 / 2.54, 0.0254), (1 / 5.644, 0.0254 / 0.45),
])
def test_the_unit_is_that_in_which_it_is_a_person(tmp_path, size, unit):
    assert opened(person("y", "0 94 0 0 0 0", size), tmp_path).unit_m == unit


def test_a_lone_rest_pose_is_left_out_and_can_be_kept(cases, data):
    file = cases / "U039_tpose_then_walk_120hz.bvh"
    whole, clip = read_file(file, Source("a", keep_pose=True)).content, load(file)
    assert (len(whole), len(clip)) == (81, 80) and "frame 0" in clip.info["notes"][0]
    np.testing.assert_array_equal(clip.root, whole.root[1:])
    assert np.degrees(same_turns(clip.rotations[1:], clip.rotations[:-1])) < 10
    assert len(load(data / "mocap" / "bvh" / "cmu_12_01_walk.bvh")) == 523
    back = Motion(whole.skeleton, whole.root[::-1], whole.rotations[::-1], whole.fps)
    turned_round, notes = without_rest_pose(back)
    assert len(turned_round) == 80 and "frame 80" in notes[0] and "after" in notes[0]
    for name in ("U002_tpose_hold", "U001_walk_planted", "U097_single_frame"):
        assert len(load(cases / f"{name}.bvh")) == len(read_file(cases / f"{name}.bvh", Source("a", keep_pose=True))[0])


@pytest.mark.parametrize(("text", "fps"), [("30", 30), ("33.3333", 30.0), ("0,04", 25), ("120.0", 120)])
def test_a_frame_time_that_cannot_be_is_a_rate_or_milliseconds(text, fps):
    motion = read(ONE.replace("Frame Time: 0.04", f"Frame Time: {text}"))
    assert motion.fps == pytest.approx(fps, rel=1e-5)


def test_a_rate_can_be_said_where_the_file_has_none():
    data = ONE.replace("Frame Time: 0.04", "Frame Time: 0").encode()
    assert decode(data, Source("a", fps=50.0)).fps == 50


def test_two_byte_text_is_read():
    plain = read(ONE)
    for coding in ("utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"):
        data = ONE.encode(coding)
        if coding[-2:] in ("le", "be"):
            data = {"le": b"\xff\xfe", "be": b"\xfe\xff"}[coding[-2:]] + data
        np.testing.assert_array_equal(read(data).rotations, plain.rotations)


def test_a_turn_of_order_is_used_where_the_default_passes_its_pole():
    """A joint that swings past its pole aside from it: Z X Y would step, another order does not."""
    swing = np.radians(np.linspace(60, 120, 31))
    q = quat.multiply(quat.from_axis_angle(np.array([1.0, 0, 0]), swing), quat.exp(np.array([0, 0.02, 0.02])))
    assert largest_step(to_euler(q, "ZXY")) > np.pi / 4
    motion = still(31)
    rotations = np.array(motion.rotations)
    rotations[:, 7] = q
    data = encode(replace(motion, rotations=rotations))
    assert np.abs(np.diff(columns(data), axis=0)).max() < 90
    assert same_turns(read(data).rotations[:, 7], q) < 2e-7
