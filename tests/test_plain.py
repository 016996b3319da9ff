"""The plain file in its three spellings: every field comes back bit for bit, and any bytes are a motion or an error."""

import csv
import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from files import still, wander
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol.errors import GambolError
from gambol.io import FORMATS, Source, load_motion, save
from gambol.motion import Motion
from gambol.skeleton import Skeleton

PLAIN = (".npz", ".json", ".csv")
FIELDS = ("root", "rotations", "contacts", "forces", "pressure", "com", "translations")


def coded(suffix, motion):
    return FORMATS[suffix].encode(motion, None)


def read(suffix, data):
    return FORMATS[suffix].decode(data, Source(f"plain{suffix}"))


def everything(frames=7):
    motion = wander(frames)
    moves = np.random.default_rng(1).normal(size=(frames, len(motion.skeleton), 3))
    return replace(motion, translations=moves)


@pytest.mark.parametrize("suffix", PLAIN)
def test_every_field_comes_back_bit_for_bit(suffix, tmp_path):
    motion = everything()
    save(motion, tmp_path / f"a{suffix}")
    back = load_motion(tmp_path / f"a{suffix}")
    assert back.skeleton == motion.skeleton
    for key in FIELDS:
        np.testing.assert_array_equal(getattr(back, key), getattr(motion, key), err_msg=key)
        assert getattr(back, key).dtype == getattr(motion, key).dtype
    for key in ("fps", "mass", "cyclic", "name", "info"):
        assert getattr(back, key) == getattr(motion, key), key


@pytest.mark.parametrize("suffix", PLAIN)
def test_what_is_not_known_stays_unknown(suffix):
    back = read(suffix, coded(suffix, still(3)))
    assert all(getattr(back, key) is None for key in FIELDS[2:]) and back.mass is None and not back.cyclic
    assert len(read(suffix, coded(suffix, still(2)[:0]))) == 0


@pytest.mark.parametrize("suffix", PLAIN)
@given(names=st.lists(st.text(min_size=1, max_size=8).filter(str.isprintable), min_size=1, max_size=4, unique=True))
@settings(max_examples=20)
def test_names_of_any_alphabet_come_back(suffix, names):
    skeleton = Skeleton(tuple(names), np.arange(len(names)) - 1, np.eye(len(names), 3), (0,))
    motion = Motion(skeleton, np.zeros((2, 3)), np.tile([1.0, 0, 0, 0], (2, len(names), 1)), 30.0, name=names[0])
    back = read(suffix, coded(suffix, motion))
    assert back.skeleton == skeleton and back.name == names[0]


def test_the_table_opens_in_anything_that_reads_csv():
    text = coded(".csv", everything(3)).decode()
    rows = list(csv.reader(line for line in io.StringIO(text) if not line.startswith("#")))
    assert rows[0][:5] == ["time", "position.x", "position.y", "position.z", "rotation.hips.w"]
    assert len(rows) == 4 and {len(r) for r in rows} == {len(rows[0])}
    assert float(rows[2][0]) == pytest.approx(1 / 29.97)


def test_the_json_is_json_with_the_names_of_the_conventions():
    table = json.loads(coded(".json", everything(3)))
    assert {"kind", "names", "parents", "offsets", "root", "rotations", "fps", "soles", "contacts"} <= table.keys()
    assert table["info"]["ground"] == "flat"


@pytest.mark.parametrize(("suffix", "data", "message"), [
    (".json", b"{", "not JSON"), (".json", b"[1]", "not a motion"), (".json", b'{"kind": "path"}', "not a motion"),
    (".json", b'{"kind": "gambol motion"}', "no entry names"),
    (".json", b"[" * 100_000, "not JSON"),
    (".csv", b"x,y,z\n1,2,3\n", "not a motion"), (".csv", b"# gambol motion\n", "no row of column names"),
    (".csv", b"# gambol motion\n# joint,a\n", "line 2: 'joint,a'"),
    (".csv", b"# gambol motion\n# fps,30\n# joint,a,-1,0,0,0\ntime,position.x\n0,x\n", "line 5: '0,x' is no row"),
    (".csv", b"# gambol motion\n# fps,30\n# joint,a,-1,0,0,0\ntime,position.x\n0\n", "line 5: 1 values for 2"),
    (".npz", b"PK", "not a plain motion file"),
])
def test_what_is_wrong_is_said(suffix, data, message):
    with pytest.raises(GambolError, match=message):
        read(suffix, data)


def test_a_head_that_claims_more_than_there_is_takes_no_memory():
    for shape in ("(1000000000000, 3)", "(10000000000, 3)"):
        head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
        array = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + b"\0" * 24
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(coded(".npz", still(2)))) as old, zipfile.ZipFile(out, "w") as new:
            for name in old.namelist():
                new.writestr(name, array if name == "root.npy" else old.read(name))
        with pytest.raises(GambolError, match="claims"):
            read(".npz", out.getvalue())


@pytest.mark.parametrize("suffix", [".json", ".csv"])
@given(data=st.data())
@settings(max_examples=60)
def test_words_put_in_anywhere_are_an_error_or_a_motion(suffix, data):
    text = coded(suffix, everything(2)).decode()
    for _ in range(data.draw(st.integers(1, 3))):
        a = data.draw(st.integers(0, len(text)))
        b = min(a + data.draw(st.integers(0, 5)), len(text))
        word = data.draw(st.sampled_from(["1e999", "-", "null", "nan", "[", "]", ",", "\n", '"', "9" * 30, "#", ""]))
        text = text[:a] + word + text[b:]
    try:
        motion = read(suffix, text.encode())
    except GambolError as error:
        assert "plain" in str(error)
    else:
        assert np.isfinite(motion.rotations).all()
