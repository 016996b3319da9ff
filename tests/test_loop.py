"""Loops: one closed stride, round after round in place, in files as in memory."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from walks import angular_velocity, slides

from gambol import quat
from gambol.body import Body
from gambol.errors import GambolError
from gambol.gait import Gait
from gambol.io import load_motion, save, save_clips
from gambol.io.glb import read_accessor, unpack
from gambol.loop import loop, rounds, travelling
from gambol.methods.force_walk import ForceWalk
from gambol.synthesis import Task
from gambol.terrain import HeightField, Slope, Stairs

GROUNDS = {"flat": None, "up": Stairs(0.17, 0.29, 8), "down": Stairs(-0.17, 0.29, 8), "slope": Slope(0.1)}
CASES = [("flat", 0.6), ("flat", 1.2), ("flat", 1.9), ("up", None), ("down", None), ("slope", 1.0)]


@cache
def made(ground: str = "flat", speed: float | None = 1.2, fps: float = 30.0, in_place: bool = False):
    task = Task(gait=Gait(speed=speed), fps=fps)
    task = task if GROUNDS[ground] is None else replace(task, terrain=GROUNDS[ground])
    return loop(ForceWalk(), task, in_place)


def worst(changes: np.ndarray, n: int) -> tuple[float, float]:
    """Largest change inside of the clip, and at the seams of its rounds."""
    at = np.arange(len(changes)) + 1
    size = np.linalg.norm(changes, axis=-1)
    size = size.max(tuple(range(1, size.ndim))) if size.ndim > 1 else size
    seam = (at % n == 0) | (at % n == n - 1)
    return float(size[~seam].max()), float(size[seam].max())


@pytest.mark.parametrize(("ground", "speed"), CASES)
@pytest.mark.parametrize("in_place", [False, True])
def test_the_seam_is_no_larger_than_any_other_frame(ground, speed, in_place):
    clip = made(ground, speed, in_place=in_place)
    n, twice = len(clip), rounds(clip, 3)
    steps = np.diff(twice.root, axis=0)
    inside, seam = np.linalg.norm(steps, axis=1), np.linalg.norm(steps[n - 1 :: n], axis=1)
    assert seam.max() <= inside.max()
    velocity_inside, velocity_seam = worst(np.diff(steps, axis=0), n)
    assert velocity_seam <= velocity_inside
    turns_inside, turns_seam = worst(np.diff(angular_velocity(twice), axis=0), n)
    assert turns_seam <= turns_inside


@pytest.mark.parametrize(("ground", "speed"), CASES)
def test_a_hundred_rounds_in_place_stay_within_a_millimetre(ground, speed):
    clip = made(ground, speed, in_place=True)
    hundred = rounds(clip, 100)
    n = len(clip)
    drift = hundred.root[-n:] - hundred.root[:n]
    assert np.abs(drift).max() < 1e-3
    # and the travelling one, whose player adds up what a stride travels, leaves the same footholds on the ground
    walked = rounds(made(ground, speed), 100)
    on = 99 * np.array(clip.info["loop"]["travel_m"])
    assert np.abs(walked.positions()[-n:] - walked.positions()[:n] - on).max() < 1e-3
    assert slides(walked[: 4 * n]).max() < 1e-3


@pytest.mark.parametrize("fps", [24.0, 30.0, 59.94, 120.0])
def test_one_stride_at_the_speed_asked_for_and_no_frame_twice(fps):
    clip = made(fps=fps)
    facts = clip.info["loop"]
    assert clip.cyclic and facts["period_s"] == pytest.approx(len(clip) / fps, abs=1e-12)
    assert facts["travel_m"][2] / facts["period_s"] == pytest.approx(1.2, abs=1e-9)
    assert [len(clip.info["events"][k]) for k in ("left_strike", "left_off", "right_strike", "right_off")] == [1] * 4
    assert len(clip.info["plan"]) == 2
    gone = np.abs(quat.log(quat.multiply(quat.conjugate(clip.rotations[0]), clip.rotations[-1]))).max()
    assert gone > 0.01
    mean = clip.forces.sum(1).mean(0) / (clip.mass * 9.81)
    assert mean == pytest.approx([0, 1, 0], abs=2e-3)  # a closed stride: no momentum is gained


def test_on_the_belt_and_back():
    walked, still = made(), made(in_place=True)
    back = travelling(still)
    for key in ("root", "com", "pressure"):
        assert np.allclose(getattr(back, key), getattr(walked, key), atol=1e-12, equal_nan=True)
    assert travelling(walked) is walked
    assert np.ptp(still.root[:, 2]) < 0.05  # what is left is the body's own ebb and flow
    assert np.ptp(walked.root[:, 2]) > 1.0


def test_every_body_has_a_loop():
    for height in (0.9, 2.2):
        clip = loop(ForceWalk(), Task(body=Body(height), fps=30))
        assert slides(rounds(clip, 2)).max() < 1e-3


@pytest.mark.parametrize("suffix", [".npz", ".glb", ".bvh"])
@pytest.mark.parametrize("in_place", [False, True])
def test_files_hold_each_frame_once(tmp_path, suffix, in_place):
    clip = made(in_place=in_place)
    save(clip, tmp_path / f"loop{suffix}")
    back = load_motion(tmp_path / f"loop{suffix}")
    assert len(back) == len(clip)
    assert np.abs(back.positions() - clip.positions()).max() < 2e-5
    if suffix != ".bvh":
        assert back.cyclic and back.info["loop"] == clip.info["loop"]


def test_a_glb_player_that_wraps_from_the_last_key_skips_nothing(tmp_path):
    """glTF knows times, no frames: the last key, one frame after the last frame, is the first pose further on."""
    clip = made()
    save(clip, tmp_path / "loop.glb")
    document, binary = unpack((tmp_path / "loop.glb").read_bytes(), "loop.glb")
    animation = document["animations"][0]
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        times, values = (read_accessor(document, binary, sampler[k]) for k in ("input", "output"))
        if len(times) == 1:
            continue
        assert times[-1] == pytest.approx(clip.info["loop"]["period_s"], abs=1e-6)
        on = clip.info["loop"]["travel_m"] if channel["target"]["path"] == "translation" else np.zeros(4)
        assert np.allclose(values[-1], values[0] + on, atol=1e-6)


def test_several_clips_in_one_file(tmp_path):
    clips = [replace(made(), name="walk"), replace(made("flat", 1.9), name="fast")]
    save_clips(clips, tmp_path / "set.glb")
    for clip in clips:
        back = load_motion(tmp_path / "set.glb", clip=clip.name)
        assert len(back) == len(clip) and np.abs(back.positions() - clip.positions()).max() < 1e-5
    with pytest.raises(GambolError, match="two clips are called 'walk'"):
        save_clips([clips[0], clips[0]], tmp_path / "twice.glb")
    with pytest.raises(GambolError, match="no writer of several clips"):
        save_clips(clips, tmp_path / "set.bvh")
    assert not (tmp_path / "twice.glb").exists()


def test_what_is_no_loop_is_refused():
    ground = HeightField(np.arange(9.0), np.arange(9.0), np.zeros((9, 9)))
    with pytest.raises(GambolError, match="not the same from stride to stride"):
        loop(ForceWalk(), Task(terrain=ground))
    with pytest.raises(GambolError, match="too few"):
        loop(ForceWalk(), Task(fps=3))
    with pytest.raises(GambolError, match="not a loop"):
        rounds(replace(made(), cyclic=False), 2)
