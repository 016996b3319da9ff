import io
import json

import numpy as np
import pytest
from files import wander

from gambol.errors import GambolError
from gambol.io import Source, load, save
from gambol.io.npz import decode, encode


def test_every_field_comes_back_bit_for_bit(tmp_path):
    motion = wander(30)
    save(motion, tmp_path / "a.npz")
    back = load(tmp_path / "a.npz")
    assert back.skeleton == motion.skeleton
    for key in ("root", "rotations", "contacts", "forces", "pressure", "com"):
        np.testing.assert_array_equal(getattr(back, key), getattr(motion, key))
    for key in ("fps", "mass", "cyclic", "name", "info"):
        assert getattr(back, key) == getattr(motion, key)


def test_the_file_is_plain_numpy():
    with np.load(io.BytesIO(encode(wander(4))), allow_pickle=False) as entries:
        assert entries["names"].dtype.kind == "U" and entries["parents"][0] == -1
        assert entries["rotations"].shape == (4, len(entries["names"]), 4)
        assert entries["contacts"].dtype == bool and float(entries["fps"]) == 29.97
        assert json.loads(str(entries["info"]))["ground"] == "flat"


def test_no_frames_are_a_clip_too():
    assert len(decode(encode(wander(4)[:0]), Source("a.npz"))) == 0


def test_files_of_other_tools_need_six_entries_only():
    out = io.BytesIO()
    np.savez(out, names=["root"], parents=[-1], offsets=np.zeros((1, 3)), root=np.zeros((2, 3)),
             rotations=[[[1.0, 0, 0, 0]]] * 2, fps=30)
    motion = decode(out.getvalue(), Source("a.npz"))
    assert motion.fps == 30 and motion.contacts is None and motion.skeleton.soles == ()


@pytest.mark.parametrize(("change", "message"), [
    ({"fps": None}, "no entry fps"),
    ({"rotations": np.zeros((4, 3, 4))}, "rotations has shape"),
    ({"root": np.full((4, 3), np.nan)}, "not finite"),
    ({"parents": np.array([0] * 26)}, "root"),
    ({"soles": np.array([99])}, "sole"),
    ({"fps": np.array("fast")}, "does not hold"),
    ({"info": np.array("{")}, "does not hold"),
])
def test_what_is_wrong_is_said_with_the_file(change, message):
    with np.load(io.BytesIO(encode(wander(4)))) as entries:
        table = {k: v for k, v in {**entries, **change}.items() if v is not None}
    out = io.BytesIO()
    np.savez(out, **table)
    with pytest.raises(GambolError, match=message) as error:
        decode(out.getvalue(), Source("walk.npz"))
    assert "walk.npz" in str(error.value)


def test_a_file_that_would_run_code_is_refused():
    out = io.BytesIO()
    np.savez(out, names=np.array([{"a": 1}], dtype=object))
    with pytest.raises(GambolError, match="not a plain motion"):
        decode(out.getvalue(), Source("a.npz"))
