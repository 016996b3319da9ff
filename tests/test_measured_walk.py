"""The measured walk: whose walk it stays, on whom, where; the built-in walks; the command line."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
from measured import Compared, compared, walk_like
from walks import slides, sole_tracks, straight

from gambol.body import Body
from gambol.cli import main
from gambol.errors import GambolError
from gambol.gait import Gait
from gambol.io import load_motion
from gambol.measure.curves import compare, cycle_means
from gambol.methods.measured_walk import MeasuredWalk
from gambol.motion import join
from gambol.path import Path
from gambol.personal import mix
from gambol.prototypes import NORMAL_SPEEDS, builtin, neutral, normal_angles
from gambol.recorded_walk import build_walk
from gambol.synthesis import Stream, Task, generate
from gambol.terrain import parse_terrain


@pytest.mark.parametrize("name", list(NORMAL_SPEEDS))
def test_built_in_walks_are_within_the_norm(name):
    """Inside one SD for 90 % of the cycle, at most 4 degrees off, r at least 0.95, at each of the five speeds."""
    walk = neutral()[list(NORMAL_SPEEDS).index(name)]
    gait = Gait(speed=round(walk.speed, 6), step_length=round(walk.step_length, 6))
    task = Task(path=straight(30), gait=gait, fps=100)
    stream = Stream(MeasuredWalk(), task)
    motion = join([stream.stretch() for _ in range(9)])
    curves = cycle_means(motion[int(3 * walk.duration * 100):])
    for joint, norm in normal_angles(NORMAL_SPEEDS[name]).items():
        fit = compare(curves[joint], norm.mean, norm.sd)
        assert fit.inside >= 0.9, joint
        assert fit.rmse <= 4.0, joint
        assert fit.r >= 0.95, joint


@pytest.mark.parametrize("clip", ["16_15", "02_02"])
def test_own_step_is_reproduced(data, clip):
    """Same body, same length: hip and ankle within 2 degrees, knee within 3."""
    found = compared(data, clip, clip)
    assert found.rmse[0] <= 2.0 and found.rmse[2] <= 2.0 and found.rmse[1] <= 3.0


OWN = ("16_15", "16_16", "16_21", "02_01", "02_02", "05_01")


def test_own_feet_go_where_they_went(data):
    """Stance foot 5 mm rms, swing foot 9 mm rms, in the mean of six clips of three people."""
    assert (np.mean([compared(data, clip, clip).feet for clip in OWN], axis=0) <= [5.0, 9.0]).all()


@pytest.mark.xfail(strict=True, reason="two of six: planted feet slide by 12 mm in these recordings, see docs/numbers")
@pytest.mark.parametrize("clip", ["16_16", "16_21"])
def test_own_feet_go_where_they_went_in_every_clip(data, clip):
    """The same, clip by clip."""
    assert (compared(data, clip, clip).feet <= [5.0, 9.0]).all()


PAIRS = [("16_15", "16_21"), ("16_21", "16_15"), ("02_01", "02_02"), ("02_02", "02_01")]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_another_speed_of_the_same_person_is_predicted(data, source, target):
    """Better than plain time-warping, and within 3, 5 and 5 degrees."""
    found: Compared = compared(data, source, target)
    assert (found.rmse <= [3.0, 5.0, 5.0]).all()
    assert (found.r >= [0.98, 0.96, 0.93]).all()
    assert found.rmse.mean() <= 3.5
    assert found.rmse.mean() < found.warped.mean()


def test_the_papers_own_phi_is_worse(data):
    """Why the repaired laws are the default."""
    assert compared(data, "16_15", "16_21", preset="paper").rmse.mean() > compared(data, "16_15", "16_21").warped.mean()


@cache
def on(height: float, speed: float):
    return generate(MeasuredWalk(), Task(body=Body(height), path=straight(7 * height), gait=Gait(speed=speed)))


def test_u143_child_and_giant():
    """Equal speed over sqrt(g leg): equal step over leg within 5 %, feet planted."""
    shares = []
    for height, speed in ((1.78, 1.3), (1.1, 1.3 * (1.1 / 1.78) ** 0.5), (3.0, 1.3 * (3.0 / 1.78) ** 0.5)):
        motion = on(height, round(speed, 6))
        steps = [s["w"] for s in motion.info["plan"]][3:-5]
        shares.append(np.median(steps) / Body(height).leg_length)
        assert slides(motion).max() < 1e-3
        assert sole_tracks(motion)[..., 1][motion.contacts].min() > -3e-3
    assert np.ptp(shares) / np.mean(shares) < 0.05


@pytest.mark.parametrize("ground", ["stairs:0.17,0.28,6", "slope:8"])
def test_other_grounds(ground):
    terrain = parse_terrain(ground)
    for points in ([[0, 0, 0], [0, 0, 5]], [[0, 0, 5], [0, 0, 0]]):
        motion = generate(MeasuredWalk(), Task(path=Path(np.array(points, float)), terrain=terrain))
        assert slides(motion).max() < 1e-3
        soles = sole_tracks(motion)
        height = soles[..., 1] - terrain.height(soles[..., [0, 2]], soles[..., 1] + 0.02)
        assert height[motion.contacts].min() > -3e-3


def test_a_foot_that_comes_down_stairs_never_swings_back():
    """Not even in the last step, which is the longest: within 10 cm behind where it stood, heel and all."""
    down = Task(path=Path(np.array([[0, 0, 4.0], [0, 0, 0]])), terrain=parse_terrain("stairs:0.17,0.28,6"))
    motion = generate(MeasuredWalk(), down)
    for side in ("left", "right"):
        ankle, events = -motion.at(f"{side}_foot")[:, 2], motion.info["events"]
        for off in events[f"{side}_off"]:
            k, end = int(off * motion.fps), min(t for t in events[f"{side}_strike"] if t > off)
            assert ankle[k : int(end * motion.fps)].min() > ankle[k] - 0.10


def test_the_first_foot_is_not_lifted_high():
    """It starts beside the other one, below the hips: its knee stays below 75 degrees."""
    motion = generate(MeasuredWalk(), Task(path=straight(3)))
    first = motion.info["events"]["right_off"][0]
    hip, knee, ankle = (motion.at(f"right_{j}") for j in ("upper_leg", "lower_leg", "foot"))
    a, b = knee - hip, ankle - knee
    bend = np.degrees(np.arccos(np.sum(a * b, -1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)))
    assert bend[int(first * motion.fps) : int((first + 0.4) * motion.fps)].max() < 75


def test_styles_change_over_time():
    """Bent forward in the end, as tired people are; neutral before."""
    method = MeasuredWalk(styles=((0.0, builtin("neutral")), (5.0, builtin("tired"))))
    motion = generate(method, Task(path=straight(10)))
    plain = generate(MeasuredWalk(), Task(path=straight(10)))

    def lean(m, k):
        top, low = m.at("neck")[k], m.at("hips")[k]
        return float(np.arctan2(top[2] - low[2], top[1] - low[1]))

    assert lean(motion, 60) == pytest.approx(lean(plain, 60), abs=0.05)
    assert lean(motion, 420) > lean(plain, 420) + 0.08
    assert slides(motion).max() < 1e-3


def test_a_style_is_mixed_by_speed():
    style = neutral()
    for walk in style:
        chosen = mix(style, walk.speed, float(walk.subject.leg))
        assert sum(w for w, _ in chosen) == pytest.approx(1.0)
        assert max(chosen, key=lambda c: c[0])[1] is walk
    between = mix(style, (style[1].speed + style[2].speed) / 2, float(style[1].subject.leg))
    assert {w.name for _, w in between} == {style[1].name, style[2].name}
    assert mix(style, 9.0, 0.9)[0][1] is style[-1]


def test_far_steps_say_so():
    """A step a third of the measured one is preserved in the mathematics, not in the looks: with the number."""
    free = (neutral()[2],)
    task = Task(path=straight(3), gait=Gait(speed=0.4, step_length=0.3))
    motion = generate(MeasuredWalk(styles=((0.0, free),)), task)
    assert "0.42 times" in motion.info["notes"][0]
    assert slides(motion).max() < 1e-3
    assert not generate(MeasuredWalk(), Task(path=straight(3))).info["notes"]


def test_styles_must_be_rows_of_rising_times():
    for bad in (((0.0, ()),), ((2.0, neutral()), (1.0, neutral()))):
        with pytest.raises(GambolError, match="rising times"):
            MeasuredWalk(styles=bad)
    with pytest.raises(GambolError, match="no prototype is called"):
        builtin("sad")


def test_a_bodys_own_walk_stays_on_its_feet(data):
    motion, curves = walk_like(build_walk(load_motion(data / "mocap" / "cmu" / "05_01.amc")))
    assert slides(motion).max() < 1e-3
    assert curves[:, 1].min() > 0.0 and 50 < curves[:, 1].max() < 80  # knees bend as a person's do


def test_command_line(tmp_path, capsys):
    out = tmp_path / "a.npz"
    assert main(["walk", "--method", "measured", "--path", "0,0 0,6", "-o", str(out)]) == 0
    walked = load_motion(out)
    assert walked.info["method"] == "measured"
    capsys.readouterr()
    assert main(["analyse", str(out), "--json", "-o", str(tmp_path / "me.walk")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"speed_m_s", "step_length_m", "cadence_steps_min", "events"} <= found.keys()
    assert set(found["events"]) == {"left_strike", "left_off", "right_strike", "right_off"}
    told = walked.info["events"]
    for key, times in found["events"].items():
        for t in times:
            if 1.5 < t < walked.duration - 2.0:  # not while it starts and stops
                assert min(abs(t - x) for x in told[key]) < 0.05
    assert main(["walk", "--like", str(tmp_path / "me.walk"), "--path", "0,0 0,5", "-o", str(tmp_path / "b.npz")]) == 0
    assert main(["force", str(out), "-o", str(tmp_path / "f.csv"), "-o", str(tmp_path / "f.npz")]) == 0
    assert load_motion(tmp_path / "f.npz").forces is not None
    head = (tmp_path / "f.csv").read_text().splitlines()
    assert head[0].startswith("time_s,left_fx_N") and len(head) == len(walked) + 1


def test_a_first_look_at_a_short_record(cases, tmp_path, capsys):
    """What is done about what it lacks is said, in text and in JSON; what is refused leaves nothing behind."""
    pytest.importorskip("matplotlib")
    clip, walk, picture = str(cases / "U131_markers_only.c3d"), tmp_path / "a.walk", tmp_path / "a.png"
    assert main(["analyse", clip, "--symmetric", "--json", "-o", str(walk), "-o", str(picture)]) == 0
    assert any("mirrored" in note for note in json.loads(capsys.readouterr().out)["notes"])
    assert walk.exists() and picture.exists()
    standing, other = str(cases / "U012_graph_c_lying.bvh"), tmp_path / "b.png"
    assert main(["analyse", standing, "-o", str(other), "-o", str(tmp_path / "b.walk")]) == 2
    assert not other.exists()


@pytest.mark.parametrize(
    "words",
    [
        ["walk", "--method", "stroll"], ["walk", "--from-leg", "0.9"], ["walk", "--prototype", "0:sad"],
        ["walk", "--prototype", "x:neutral"], ["walk", "--like", "none.bvh"], ["analyse", "none.bvh"],
        ["force", "none.bvh", "-o", "a.txt"], ["walk", "--prototype", "4:neutral,1:tired"],
    ],
)
def test_words_that_cannot_be_used(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
