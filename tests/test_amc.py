"""ASF and AMC against a reader of a few lines that multiplies matrices, and what is wrong said with its line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gambol.errors import GambolError
from gambol.io import Source, load, load_motion
from gambol.io.amc import decode, decode_skeleton

ASF = """# a leg
:version 1.10
:name leg
:units
  mass 1.0
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name thigh
    direction 0.34202 -0.939693 0
    length 7
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
    id 2
    name shank
    direction 0 -2 0
    length 7.5
    axis 10 20 30 ZYX
    dof rx
    limits (0 90)
  end
:hierarchy
  begin
    root thigh
    thigh shank
  end
"""
AMC = """#!OML
:FULLY-SPECIFIED
:DEGREES
1
root 1 16 2 0 0 0
thigh 10 20 30
shank 40
2
root 1 16.5 2.5 5 6 7
thigh 11 21 31
shank 41
"""


def turn(axis: str, degrees: float) -> np.ndarray:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    out = np.eye(3)
    out[i, i] = out[j, j] = c
    out[i, j], out[j, i] = -s, s
    return out


def positions(asf: str, amc: str, frames: list[int]) -> list[dict[str, np.ndarray]]:
    """m, the end of every bone: the Acclaim recipe done with matrices and dictionaries."""
    unit = 0.0254 / float(asf.split("length", 1)[1].split()[0])
    bones: dict[str, dict] = {}
    for entry in asf.split(":bonedata", 1)[1].split(":hierarchy")[0].split("begin")[1:]:
        rows = [line.split() for line in entry.splitlines() if line.split()]
        row = {words[0]: words[1:] for words in rows}
        c = np.eye(3)
        for axis, angle in zip(row["axis"][3].lower(), row["axis"][:3]):
            c = turn(axis, float(angle)) @ c
        direction = np.array(row["direction"], float)
        direction /= np.linalg.norm(direction)
        bones[row["name"][0]] = {"c": c, "v": direction * float(row["length"][0]), "dof": row.get("dof", [])}
    pairs = [line.split() for line in asf.split(":hierarchy", 1)[1].splitlines()]
    pairs = [w for w in pairs if w and w[0] not in ("begin", "end")]
    out = []
    texts = amc.replace("\r", "").split("\n")
    starts = [i for i, line in enumerate(texts) if line.strip().isdigit()] + [len(texts)]
    for f in frames:
        rows = {w[0]: np.array(w[1:], float) for w in map(str.split, texts[starts[f] + 1 : starts[f + 1]]) if w}
        x, y, z = rows["root"][3:]
        world = {"root": (rows["root"][:3], turn("z", z) @ turn("y", y) @ turn("x", x))}
        for parent, *children in pairs:
            at, r = world[parent]
            for name in children:
                bone, m = bones[name], np.eye(3)
                for axis, angle in zip(bone["dof"], rows.get(name, [])):
                    m = turn(axis[1], angle) @ m
                q = r @ bone["c"] @ m @ np.linalg.inv(bone["c"])
                world[name] = (at + q @ bone["v"], q)
        out.append({name: at * unit for name, (at, _) in world.items()})
    return out


def check(motion, asf: str, amc: str, frames: list[int]) -> float:
    """m, the largest distance to the reader above, over the ends of all bones."""
    at, names, parents = motion.positions(), motion.skeleton.names, motion.skeleton.parents
    ends = {names[p]: j for j, p in enumerate(parents) if p >= 0}  # a bone ends where a child begins
    worst = 0.0
    for f, truth in zip(frames, positions(asf, amc, frames)):
        for name, point in truth.items():
            if name == "root":
                worst = max(worst, np.abs(at[f, 0] - point).max())
            elif name in ends:
                worst = max(worst, np.abs(at[f, ends[name]] - point).max())
    return worst


def put(folder, amc=AMC, asf=ASF, name="01"):
    (folder / f"{name}.asf").write_text(asf)
    (folder / "01_02.amc").write_text(amc)
    return folder / "01_02.amc"


def test_a_leg_by_hand(tmp_path):
    motion = load_motion(put(tmp_path))
    assert motion.skeleton.names == ("root", "thigh", "shank", "shank_end") and len(motion) == 2
    assert motion.fps == 120 and motion.name == "01_02"
    np.testing.assert_allclose(motion.root, np.array([[1, 16, 2], [1, 16.5, 2.5]]) * 0.0254 / 0.45)
    np.testing.assert_allclose(motion.skeleton.offsets[3], [0, -7.5 * 0.0254 / 0.45, 0])
    assert check(motion, ASF, AMC, [0, 1]) < 1e-12
    assert motion.skeleton.rest_positions()[:, 1].min() == pytest.approx(0)


def test_every_recording_of_the_library_to_a_tenth_of_a_millimetre(data):
    """03_03 alone, half a minute long, is left to the bench."""
    for file in sorted((data / "mocap" / "cmu").glob("*.amc")):
        if file.name == "03_03.amc":
            continue
        motion = load_motion(file)
        asf = file.with_name(file.stem.partition("_")[0] + ".asf").read_text("latin-1")
        frames = [0, len(motion) // 2, len(motion) - 1]
        assert check(motion, asf, file.read_text("latin-1"), frames) < 1e-4, file
        assert 0.75 < motion.skeleton.rest_positions()[0, 1] < 1.1


def test_a_skeleton_alone_is_its_rest_pose(tmp_path):
    put(tmp_path)
    rest = load_motion(tmp_path / "01.asf")
    assert len(rest) == 1 and np.abs(rest.positions()[0, 1:] - rest.skeleton.rest_positions()[1:]).max() < 2


def test_dialects(tmp_path):
    plain = load_motion(put(tmp_path)).positions()
    radians = AMC.replace(":DEGREES", ":RADIANS")
    for row in ("0 0 0", "10 20 30", "40", "5 6 7", "11 21 31", "41"):
        turned = " ".join(repr(float(np.radians(float(x)))) for x in row.split())
        radians = radians.replace(f" {row}\n", f" {turned}\n")
    for odd in (AMC.replace("\n", "\r\n"), AMC.replace(" ", "\t"), "\ufeff" + AMC, AMC[:-1], AMC + "\n\n", radians,
                AMC.replace("16.5", "1.65E+001"), AMC.replace("\n2\n", "\n7\n")):
        np.testing.assert_allclose(load_motion(put(tmp_path, odd)).positions(), plain, atol=1e-12)
    centimetres = ASF.replace("length 0.45", "length 2.54")
    assert load_motion(put(tmp_path, asf=centimetres)).root[0, 1] == pytest.approx(0.16)


@pytest.mark.parametrize("names", [("01_02.asf",), ("01.ASF", "02.asf"), ("any.asf",)])
def test_the_skeleton_is_the_one_of_the_same_name_or_subject_or_the_only_one(tmp_path, names):
    for name in names:
        (tmp_path / name).write_text(ASF if name != "02.asf" else "nonsense")
    (tmp_path / "01_02.amc").write_text(AMC)
    motion = load_motion(tmp_path / "01_02.amc")
    assert len(motion) == 2 and names[0] in " ".join(motion.info["notes"])


def test_no_skeleton_or_several_are_said(tmp_path):
    (tmp_path / "01_02.amc").write_text(AMC)
    with pytest.raises(GambolError, match=r"there is none.*01\.asf"):
        load(tmp_path / "01_02.amc")
    for name in ("a.asf", "b.asf"):
        (tmp_path / name).write_text(ASF)
    with pytest.raises(GambolError, match=r"a\.asf, b\.asf"):
        load(tmp_path / "01_02.amc")


def test_a_torn_end_is_left_out_and_a_rate_can_be_given(tmp_path):
    file = put(tmp_path, AMC[:-4])
    motion = load_motion(file)
    assert len(motion) == 1 and "torn" in " ".join(motion.info["notes"])
    again = decode(AMC.encode(), Source("01_02.amc", unit=0.01, fps=60.0, folder=tmp_path))
    assert again.fps == 60 and again.root[0, 1] == pytest.approx(0.16)


@pytest.mark.parametrize(("change", "message"), [
    (("shank 40\n", "shank 40 41\n"), "01_02.amc, line 7: 'shank' has 2 numbers, not 1"),
    (("shank 40\n", "shank x\n"), "line 7: 'shank' has not the 1 numbers"),
    (("shank 40\n", "shank nan\n"), "line 7"),
    (("shank 40\n", "shin 40\n"), "line 7: the skeleton has no bone 'shin'"),
    (("shank 41\n", "3\nroot 1 2 3 4 5 6\nthigh 1 2 3\nshank 4\n"), "line 8: a frame of 2 bones, the first has 3"),
    (("1\nroot 1", "root 1"), "line 4: 'root' before the first frame"),
    ((AMC, "#\n"), "no frames"),
])
def test_what_is_wrong_in_the_rows_is_said_with_its_line(tmp_path, change, message):
    with pytest.raises(GambolError, match=message):
        load(put(tmp_path, AMC.replace(*change)))


@pytest.mark.parametrize(("change", "message"), [
    (("    thigh shank\n", ""), "'shank' hangs on no bone"),
    (("thigh shank", "thigh shank thigh"), "'thigh' hangs on two bones, or on itself"),
    (("root thigh", "root hip"), "line 36: a bone of 'root hip'"),
    (("length 0.45", "length 0"), "line 6: length 0"),
    (("axis 0 0 20 XYZ", "axis 0 0 20 XY"), "axis order is 'XY'"),
    (("dof rx ry rz", "dof rx rx"), "dof RX RX"),
    (("name shank", "name thigh"), "a second bone called 'thigh'"),
    (("direction 0 -2 0", "direction 0 x 0"), "0 x 0"),
    ((ASF, "hello\n"), "no :bonedata"),
])
def test_what_is_wrong_in_the_skeleton_is_said(change, message):
    with pytest.raises(GambolError, match=message):
        decode_skeleton(ASF.replace(*change).encode(), Source("01.asf"))


def test_ten_thousand_bones_in_a_row(tmp_path):
    bones = "".join(f"begin\nname b{k}\ndirection 0 1 0\nlength 1\naxis 0 0 0 XYZ\nend\n" for k in range(10_000))
    rows = "".join(f"b{k} b{k + 1}\n" for k in reversed(range(9_999)))
    asf = f":units\nlength 1\n:root\n:bonedata\n{bones}:hierarchy\nbegin\n{rows}root b0\nend\n"
    motion = decode_skeleton(asf.encode(), Source("deep.asf"))
    assert motion.positions()[0, -1, 1] == pytest.approx(10_000 * 0.0254)


@given(st.data())
def test_torn_and_changed_rows_are_an_error_or_a_motion(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp()
    (folder / "01.asf").write_text(ASF)
    for decoder, text in ((decode, AMC), (decode_skeleton, ASF)):
        torn = bytearray(text.encode()[: data.draw(st.integers(0, len(text)))])
        for _ in range(data.draw(st.integers(0, 3)) if torn else 0):
            torn[data.draw(st.integers(0, len(torn) - 1))] = data.draw(st.integers(0, 255))
        try:
            motion = decoder(bytes(torn), Source("01_02.amc", folder=folder))
        except GambolError as error:
            assert "01" in str(error)
        else:
            assert np.isfinite(motion.positions()).all()
