"""Hostile and clumsy input: a clear error, exit code 2, nothing written, sources as they were; or a sound result."""

from __future__ import annotations

import io
import json
import os
import random
import re
import struct
from dataclasses import replace
from pathlib import Path as FilePath

import numpy as np
import pytest

from gambol.body import Body
from gambol.cli import main
from gambol.errors import GambolError
from gambol.gait import Gait
from gambol.io import FORMATS, load, save, save_all
from gambol.measure import measure
from gambol.methods.force_walk import ForceWalk
from gambol.motion import Motion
from gambol.path import Path
from gambol.synthesis import MOST_FRAMES, Task, dials, generate

WALK = ("walk", "--path", "0,0 0,1.5", "--fps", "20")
NUMBERS = ("speed", "cadence", "step-length", "height", "mass", "fps", "duration", "laps", "seed")
NO_NUMBERS = ("nan", "inf", "-inf", "-1", "1e400", "text", "", " ", "1,5", "0x", "½", "--", "\x00")
TORN = (b"nan", b"1e999", b"-1", b"0", b"1e300", b"999999999999", b"null", b"{}", b'"x"', b"[]")
ODD = [None, -1, 0, 3, 1e9, 10**18, 0.5, 1e300, "x", [], {}, [[0]], True, "VEC4", 5126, [0, 0, 0, 0], [1e300] * 3]
HUGE = ("1e300", "-1e300", "1e-300", "9" * 40)


def run(capsys, *words):
    code = main([str(w) for w in words])
    out = capsys.readouterr()
    return code, out.out, out.err


def refused(capsys, *words) -> str:
    """One line on standard error that says what is wrong and what to do; code 2; nothing on standard output."""
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, ""), (words, code, err)
    assert re.fullmatch(r"gambol: [^\n]+; [^\n]+\n", err) and "Traceback" not in err and err[:-1].isprintable(), err
    return err


@pytest.fixture(scope="module")
def short() -> Motion:
    """A short walk of few frames."""
    return generate(ForceWalk(), Task(path=straight(1.2), fps=12))


@pytest.fixture(scope="module")
def samples(short) -> dict[str, bytes]:
    """The bytes of a file of each format."""
    return {suffix: row.encode(short, io_plain()) for suffix, row in FORMATS.items() if row.encode is not None}


def io_plain():
    from gambol.io import Extra

    return Extra(mesh=False)


def straight(length: float) -> Path:
    return Path(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, length]]))


# words


@pytest.mark.parametrize("flag", NUMBERS)
def test_no_number_is_refused_at_every_flag(capsys, flag):
    words = [w for w in WALK if flag != "fps" or w not in ("--fps", "20")]
    for value in NO_NUMBERS:
        refused(capsys, *words, f"--{flag}={value}")
    for value in HUGE:
        code, _, err = run(capsys, *words, f"--{flag}={value}")
        fine = flag in ("duration", "seed") and float(value) >= 0  # a moment is a duration, many digits are a seed
        assert code == 2 or (fine and code == 0 and err == ""), (flag, value, err)


@pytest.mark.parametrize("flag", [*NUMBERS, "terrain", "preset", "engine", "json", "plan", "mesh"])
def test_no_flag_is_given_twice(capsys, flag):
    once = [f"--{flag}"] if flag in ("json", "plan", "mesh") else [f"--{flag}", "1"]
    assert "more than once" in refused(capsys, "walk", *once, *once)


@pytest.mark.parametrize("name", [d.name for d in dials(ForceWalk)])
def test_dials_stay_in_their_range_and_are_given_once(capsys, name):
    d = next(d for d in dials(ForceWalk) if d.name == name)
    for value in ("nan", "inf", "-inf", "", "x", f"{d.low - 1}", f"{d.high + 1}"):
        assert f"{d.low:g} to {d.high:g}" in refused(capsys, *WALK, "--dial", f"{name}={value}")
    good = f"{name}={d.default}"
    assert "more than once" in refused(capsys, *WALK, "--dial", good, "--dial", good)
    assert f"--dial {name}=VALUE" in refused(capsys, *WALK, f"--{name.replace('_', '-')}", d.default)
    assert f"did you mean '{name}'" in refused(capsys, *WALK, "--dial", f"{name.upper()}=1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["walk", "--speed", "1", "--cadence", "99", "--step-length", "0.6"], "leave one out"),
        (["walk", "--laps", "3"], "open path"),
        (["walk", "--laps", "1000000000", "--path", "0,0 0,3 3,3 0,0"], "at most"),
        (["walk", "--laps", "9999", "--path", "0,0 0,30 30,30 0,0"], "frames"),
        (["walk", "--path", "0,0 0,900000"], "frames"),
        (["walk", "--duration", "1e9"], f"{MOST_FRAMES} frames"),
        (["walk", "--seed", "-1"], "0 or more"),
        (["walk", "--mass", "1e-3"], "kg"),
        (["walk", "--mass", "1e5"], "kg"),
        (["walk", "--fps", "2"], "10 or more"),
        (["walk", "--preset", "papr"], "did you mean 'paper'"),
        (["walk", "--engine", "compile"], "did you mean 'compiled'"),
        (["walk", "--path", "dem"], "did you mean 'demo'"),
        (["walk", "--path", "trck.txt"], "neither a file nor points"),
        (["walk", "--path", ""], "point"),
        (["walk", "--terrain", ""], "no ground"),
        (["walk", "--terrain", "Flat"], "did you mean 'flat'"),
        (["walk", "--terrain", "flat:3"], "takes no numbers"),
        (["walk", "--terrain", "hill"], "stairs:RISE,TREAD,COUNT"),
        (["walk", "-o"], "no value follows"),
        (["walk", "-o", "a.npz", "b.npz"], "'b.npz' belongs to no option"),
        (["walk", "0,0 0,2"], "belongs to no option"),
        (["walk", "--hight", "1.8"], "did you mean --height"),
        (["measure"], "no file is given"),
        (["measure", ""], "suffix"),
        (["render", ""], "suffix"),
        (["render", "."], "suffix"),
        (["dials", "forse"], "did you mean 'force'"),
        (["nothing"], "walk, measure, render, demo, dials"),
    ],
)
def test_clumsy_words_are_answered(capsys, words, said):
    assert said in refused(capsys, *words)


@pytest.mark.parametrize("name", ["stairs.obj", "flat.obj", "my slope.obj"])
def test_a_ground_file_may_be_called_like_a_ground(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    FilePath(name).write_text("v -9 0 -9\nv -9 0 9\nv 9 0 9\nv 9 0 -9\nf 1 2 3 4\n")
    assert run(capsys, *WALK, "--terrain", name)[0] == 0


def test_a_fault_of_the_program_is_no_traceback(monkeypatch, capsys):
    import gambol.forms

    monkeypatch.setattr(gambol.forms, "dial_values", lambda *_: 1 / 0)
    code, out, err = run(capsys, *WALK)
    assert code == 3 and out == "" and "ZeroDivisionError" in err and "report" in err and "Traceback" not in err
    monkeypatch.setenv("GAMBOL_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        main(list(WALK))


# targets


def test_a_target_that_cannot_be_is_refused_before_any_work(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gambol.synthesis.generate", lambda *_: pytest.fail("worked first"))
    FilePath("folder.npz").mkdir()
    FilePath("file").write_text("")
    FilePath("dangling.npz").symlink_to("nowhere/x.npz")
    os.mkfifo("pipe.npz")
    names = ["folder.npz", "file/a.npz", "dangling.npz", "pipe.npz", "a.txt", "a", "", ".", "no/a.npz", "a\x00.npz"]
    for name in names:
        refused(capsys, *WALK, "-o", "good.npz", "-o", name)
    for again in ("good.npz", "./good.npz"):
        assert "named twice" in refused(capsys, *WALK, "-o", "good.npz", "-o", again)
    assert sorted(os.listdir()) == ["dangling.npz", "file", "folder.npz", "pipe.npz"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_read_only_folder(tmp_path, capsys):
    tmp_path.chmod(0o555)
    assert "may not be written to" in refused(capsys, *WALK, "-o", tmp_path / "a.npz")


def test_sources_are_never_replaced(tmp_path, monkeypatch, capsys, short):
    monkeypatch.chdir(tmp_path)
    save(short, "ground.glb")
    FilePath("link.glb").symlink_to("ground.glb")
    before = FilePath("ground.glb").read_bytes()
    for words in (["--terrain", "ground.glb"], ["--terrain", "ground.glb", "--terrain-scale", "2"]):
        for target in ("ground.glb", "./ground.glb", "link.glb"):
            assert "is read" in refused(capsys, *WALK, *words, "-o", target)
    assert FilePath("ground.glb").read_bytes() == before


def test_a_link_stays_a_link(tmp_path, short):
    (tmp_path / "real").mkdir()
    (tmp_path / "a.npz").symlink_to("real/b.npz")
    save(short, tmp_path / "a.npz")
    assert (tmp_path / "a.npz").is_symlink() and len(load(tmp_path / "real" / "b.npz")) == len(short)


def test_all_files_or_none(tmp_path, monkeypatch, short):
    """One format that cannot hold the motion, or one disk that is full: the other files stay as they were."""
    good = tmp_path / "a.npz"
    good.write_bytes(b"before")
    with pytest.raises(GambolError, match="without frames"):
        save_all(short[:0], [good, tmp_path / "b.glb"])
    with monkeypatch.context() as patch:
        patch.setattr("os.chmod", lambda path, mode: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(GambolError, match="No space left"):
            save_all(short, [good, tmp_path / "b.bvh"])
    with pytest.raises(GambolError, match="too long"):
        save_all(short, [good, tmp_path / ("b" * 300 + ".bvh")])
    assert good.read_bytes() == b"before" and os.listdir(tmp_path) == ["a.npz"]
    save_all(short, [good, tmp_path / "b.bvh"])
    assert sorted(os.listdir(tmp_path)) == ["a.npz", "b.bvh"]


# files


def mutated(data: bytes, dice: random.Random) -> bytes:
    """A few cuts, flips, insertions, doublings and torn numbers."""
    out = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 4))):
        at, kind = dice.randrange(len(out) or 1), dice.randrange(6)
        if kind == 0:
            out = out[:at]
        elif kind == 1 and out:
            out[at % len(out)] = dice.randrange(256)
        elif kind == 2:
            out = out[:at] + out[at + dice.choice((1, 4, 60)) :]
        elif kind == 3:
            out = out[:at] + bytes(dice.randrange(256) for _ in range(dice.choice((1, 8)))) + out[at:]
        elif kind == 4:
            out = out[:at] + out[at // 2 : at] + out[at:]
        elif numbers := list(re.finditer(rb"-?\d+\.?\d*", bytes(out[:20000]))):
            m = dice.choice(numbers)
            out = out[: m.start()] + dice.choice(TORN) + out[m.end() :]
    return bytes(out)


def with_another_part(data: bytes, dice: random.Random) -> bytes:
    """A .glb with one value of its JSON replaced or taken out."""
    size = struct.unpack("<I", data[12:16])[0]
    document, rest = json.loads(data[20 : 20 + size]), data[20 + size :]
    places: list[tuple[object, object]] = []

    def walk(part: object) -> None:
        for key, value in part.items() if isinstance(part, dict) else enumerate(part):  # type: ignore[arg-type]
            places.append((part, key))
            if isinstance(value, dict | list):
                walk(value)

    walk(document)
    part, key = dice.choice(places)
    if isinstance(part, dict) and dice.random() < 0.2:
        del part[key]
    else:
        part[key] = dice.choice(ODD)  # type: ignore[index]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    total = 20 + len(text) + len(rest)
    return struct.pack("<4sIII4s", b"glTF", 2, total, len(text), b"JSON") + text + rest


def with_another_array(data: bytes, dice: random.Random) -> bytes:
    """A plain file with one array cut, scaled, of another kind, or missing."""
    with np.load(io.BytesIO(data)) as archive:
        table = dict(archive)
    key = dice.choice(sorted(table))
    value = table.pop(key)
    numbers = value.dtype.kind in "biuf"
    odd = [
        value[:-1] if value.ndim else value[None], np.array([]), value[None], np.array("x"), np.array(1e300),
        np.array(np.nan), np.array(-1), value.astype("U8"),
    ]
    if numbers:
        odd += [value * np.nan, value * 1e300, value * 0, -value.astype(float), value.astype(complex) * 1j]
    if (choice := dice.randrange(len(odd) + 1)) < len(odd):
        with np.errstate(all="ignore"):
            table[key] = odd[choice]
    out = io.BytesIO()
    np.savez(out, **table)
    return out.getvalue()


def sound_or_refused(path: FilePath) -> bool:
    """Reading gives a sound motion that can be measured and written, or one clear error."""
    try:
        motion = load(path)
    except GambolError as error:
        assert path.name in str(error) and error.do, str(error)
        return False
    assert np.isfinite(motion.positions()).all() and motion.fps > 0
    json.dumps(measure(motion).to_json())
    for suffix in (".npz", ".bvh", ".glb") if len(motion) else (".npz", ".bvh"):
        again = path.with_name(f"again{suffix}")
        save(motion, again, mesh=False)
        load(again)
    return True


@pytest.mark.parametrize("suffix", [".npz", ".bvh", ".glb"])
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_any_bytes_give_a_sound_motion_or_one_clear_error(tmp_path, samples, suffix):
    dice, file = random.Random(7), tmp_path / f"torn{suffix}"
    data = samples[suffix]
    others = {".glb": with_another_part, ".npz": with_another_array}
    read = 0
    for k in range(240):
        other = others.get(suffix, mutated) if k % 2 else mutated
        file.write_bytes(other(data, dice))
        read += sound_or_refused(file)
    for share in np.linspace(0.0, 0.999, 25):
        file.write_bytes(data[: int(share * len(data))])
        read += sound_or_refused(file)
    for other_suffix, other_data in samples.items():
        file.write_bytes(other_data)
        same = other_suffix == suffix or (suffix, other_suffix) == (".glb", ".vrma")  # a VRMA is a GLB
        assert sound_or_refused(file) == same
    assert read  # some of the changes are harmless


@pytest.mark.parametrize(
    "facts",
    [
        {"path": "x"}, {"path": [[0, 0, 0], [0, 0, float("1e300")]]}, {"path": [[0, 0], [1, 1]]}, {"path": {}},
        {"path": [[0, 0, 0], [0, 0, 1e6]]}, {"events": []}, {"events": {"left_strike": "x"}},
        {"events": {"left_strike": [None]}}, {"speed_m_s": "quick"}, {"speed_m_s": [1]}, {"ground": 3}, {"plan": 5},
        {"plan": [{"M": "left"}]}, {"notes": 3},
    ],
)  # fmt: skip
@pytest.mark.parametrize("suffix", [".npz", ".glb"])
def test_facts_of_a_strange_form_are_left_out_and_noted(tmp_path, short, suffix, facts):
    save(replace(short, info={**short.info, **facts}), tmp_path / f"a{suffix}", mesh=False)
    motion = load(tmp_path / f"a{suffix}")
    (key,) = facts
    assert key == "notes" or key not in motion.info
    assert any(key in note for note in motion.info["notes"])
    measure(motion).lines()
    assert main(["measure", str(tmp_path / f"a{suffix}"), "--json"]) in (0, 1)


def test_names_that_would_break_a_file(tmp_path, short):
    skeleton = short.skeleton
    names = tuple(f"{n}\n{{}} JOINT x" if n.startswith("left") else n for n in skeleton.names)
    odd = replace(short, skeleton=type(skeleton)(names, skeleton.parents, skeleton.offsets, skeleton.soles))
    for suffix in (".npz", ".bvh", ".glb"):
        save(odd, tmp_path / f"a{suffix}", mesh=False)
        again = load(tmp_path / f"a{suffix}")
        np.testing.assert_allclose(np.sort(again.positions(), 1), np.sort(odd.positions(), 1), atol=2e-5)


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_few_frames_are_measured_and_drawn(tmp_path, capsys, short, frames):
    for suffix in (".npz", ".bvh", ".glb") if frames else (".npz", ".bvh"):
        file = tmp_path / f"a{suffix}"
        save(short[:frames], file)
        assert run(capsys, "measure", file)[0] == 0
        if frames:
            assert run(capsys, "render", file, "-o", tmp_path / "a.png")[0] == 0
        else:
            assert "no frames" in refused(capsys, "render", file, "-o", tmp_path / "a.png")
            assert not (tmp_path / "a.png").exists()


# tasks


@pytest.mark.parametrize(
    "wrong",
    [
        {"fps": 0.5}, {"fps": np.nan}, {"fps": 2e4}, {"duration": -1e-9}, {"duration": np.inf}, {"laps": 0},
        {"laps": 2}, {"seed": -1}, {"hand_load": (0.0, 61.0)}, {"hand_load": (np.nan, 0.0)},
        {"body": Body(1.75, 1e-6)}, {"body": Body(1.75, 1e9)}, {"duration": 1e6},
    ],
)  # fmt: skip
def test_a_task_that_cannot_be_is_refused_in_four_parts(wrong):
    with pytest.raises(GambolError) as error:
        Task(**wrong)
    assert all((error.value.what, error.value.where, error.value.allowed, error.value.do))


class Standing:
    """A method that stands for ever, or that leaps."""

    def __init__(self, leap: float = 0.0, push: float = 1.0) -> None:
        self.leap, self.push = leap, push

    def start(self, task, after=None):
        return 0

    def advance(self, state, task):
        frames, skeleton = 60, task.body.skeleton
        still = np.zeros((frames, len(skeleton), 4))
        still[..., 0] = 1.0
        root = np.tile(skeleton.offsets[0], (frames, 1))
        root[30:] += [0.0, 0.0, self.leap]
        forces = np.zeros((frames, 2, 3))
        forces[..., 1] = 0.5 * self.push * task.body.mass * 9.81
        over = bool(self.leap or self.push != 1.0) and state > 0
        return state + 1, None if over else Motion(skeleton, root, still, task.fps, forces=forces)

    def handover(self, state):
        raise NotImplementedError


def test_a_method_that_does_not_end_is_stopped():
    with pytest.raises(GambolError, match="takes more than"):
        generate(Standing(), Task(path=straight(1.0)))
    assert generate(Standing(), Task(path=straight(1.0), duration=2.0)).duration == 2.0


@pytest.mark.parametrize("method", [Standing(leap=3.0), Standing(push=30.0), Standing(push=np.nan)])
def test_a_wild_motion_is_not_handed_out(method):
    with pytest.raises(GambolError, match="no walk is found"):
        generate(method, Task(path=straight(1.0)))


@pytest.mark.parametrize("fps", [1.0, 2.0, 3.0, 4.5, 10.0, 24.0, 29.97, 1000.0])
def test_no_contact_of_the_record_spans_two_footholds(fps):
    try:
        motion = generate(ForceWalk(), Task(path=straight(4.0), fps=fps))
    except GambolError:
        assert fps < 10
        return
    soles = motion.positions()[:, list(motion.skeleton.soles)]
    planted = motion.contacts[1:] & motion.contacts[:-1]
    assert np.linalg.norm(np.diff(soles, axis=0), axis=-1)[planted].max() < 0.02
    assert motion.contacts.any(1).all()


# walks that are not refused


@pytest.mark.parametrize("height", [0.9, 1.3, 1.75, 2.2])
@pytest.mark.parametrize(
    ("length", "rate"),
    [(0.3, 0.6), (0.3, 0.9), (0.5, 0.4), (0.5, 0.5), (0.5, 0.9), (0.7, 0.38), (0.7, 0.6), (0.7, 0.9), (0.9, 0.5)],
)
def test_any_pair_of_step_and_cadence_that_is_taken_is_walked(height, length, rate):
    """Lengths in legs, rates in sqrt(g/leg): feet planted, level, in contact; no leg straight, no force that pulls."""
    leg = Body(height).leg_length
    gait = Gait(step_length=length * leg, cadence=60 * rate * float((9.81 / leg) ** 0.5))
    motion = generate(ForceWalk(), Task(body=Body(height), gait=gait, path=straight(6 * leg)))
    report = measure(motion)
    assert report.failures == () and report.feet.no_contact_share == 0
    assert np.isfinite(motion.forces).all() and motion.forces[..., 1].min() > -0.01 * motion.mass * 9.81
    assert report.joints.knee_least_deg > 0.5


@pytest.mark.parametrize("length", [0.001, 0.3, 0.9])
@pytest.mark.parametrize("speed", [0.4, 1.2, 2.0])
def test_short_paths_are_walked(length, speed):
    motion = generate(ForceWalk(), Task(path=straight(length), gait=Gait(speed=speed)))
    assert measure(motion).failures == () and motion.contacts.any(1).all()
    assert np.hypot(*(motion.root[-1] - motion.root[0])[[0, 2]]) == pytest.approx(length, abs=0.05)
