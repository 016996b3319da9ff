"""Clips of any rig planted and looped; floors, spikes and cycles found."""

import json
from dataclasses import replace

import numpy as np
import pytest

from gambol import quat
from gambol.cli import main
from gambol.convert import in_place
from gambol.cycles import close_cycle, find_cycle
from gambol.errors import GambolError
from gambol.feet import footfalls, stances
from gambol.floors import floor_of, levelled
from gambol.io import clips, load_motion
from gambol.io.axes import turned
from gambol.loop import rounds, travelling
from gambol.measure.contact import slides
from gambol.motion import Motion
from gambol.retouch import How, belt_of, loop_of, planted
from gambol.roles import roles_of
from gambol.skeleton import Skeleton
from gambol.soles import soled
from gambol.spikes import despiked

CMU = ("16_15", "16_36", "02_01")


@pytest.fixture(scope="module")
def noisy():
    from conftest import ROOT

    return load_motion(ROOT / "tests" / "cases" / "U056_two_strides_noisy.bvh")


@pytest.fixture(scope="module")
def take(noisy):
    return soled(noisy, roles_of(noisy.skeleton))


# floors


@pytest.mark.parametrize(("slope", "level"), [((0.0, 0.0), 0.0), ((0.004, 0.016), 0.05), ((-0.02, 0.01), -0.1)])
def test_a_floor_that_leans_is_found_and_levelled(take, slope, level):
    """Shearing a level take by a plane and levelling it again gives it back."""
    on = footfalls(take)
    flat = levelled(take, floor_of(take, on))
    tilt = flat.root[:, [0, 2]] @ slope + level
    leaning = replace(flat, root=flat.root + tilt[:, None] * [0, 1, 0])
    found = floor_of(leaning, on)
    # Points beside the root are lifted as the root is, so that only the slope along the way is seen exactly.
    assert found.slope[1] == pytest.approx(slope[1], abs=2e-3) and found.places is None
    back = levelled(leaning, found)
    assert np.abs(back.root[:, 1] - flat.root[:, 1]).max() < 6e-3
    assert "levelled" in found.said() or level == 0.0


def test_stairs_are_no_floor_and_every_foot_keeps_its_height(data):
    motion = load_motion(data / "mocap" / "cmu" / "14_21.amc")
    out, account = planted(motion)
    assert "are kept" in " ".join(account.changed)
    assert account.slide_before_mm > 7 and account.slide_after_mm <= 1.0
    assert np.abs(out.root[:, 1] - motion.root[:, 1]).max() < 0.06  # up 0.6 m of stairs and down again


# spikes


def test_a_spike_is_taken_out_and_nothing_else(noisy):
    fast = Motion(noisy.skeleton, noisy.root, noisy.rotations, 120.0)
    smooth, _ = despiked(replace(fast, rotations=np.repeat(noisy.rotations[:50], 3, 0), root=np.zeros((150, 3))))
    spiked = np.array(smooth.rotations)
    spiked[60, 7] = quat.multiply(spiked[60, 7], quat.exp(np.array([0.0, 1.2, 0.0])))
    out, changed = despiked(replace(smooth, rotations=spiked))
    assert changed[60, 7]
    assert np.abs((out.rotations[60, 7] * smooth.rotations[60, 7]).sum()) > np.cos(np.radians(1.5))
    still = np.ones(len(out), bool)
    still[59:62] = False
    np.testing.assert_array_equal(out.rotations[still], smooth.rotations[still])


# planting


def slide_mm(motion, on):
    """Largest way of a planted point from where it was first, by arithmetic of its own."""
    points = motion.positions()[:, list(motion.skeleton.soles)][..., [0, 2]]
    return max(1e3 * np.linalg.norm(points[s.first : s.end, s.sole] - points[s.first, s.sole], axis=1).max()
               for s in stances(on))


@pytest.mark.parametrize("name", CMU)
def test_captured_feet_are_held_to_a_millimetre(data, name):
    """Raw CMU stances slide 7 to 16 mm and more; skeleton, rate and length stay."""
    motion = load_motion(data / "mocap" / "cmu" / f"{name}.amc")
    out, account = planted(motion)
    assert out.skeleton == motion.skeleton and len(out) == len(motion) and out.fps == motion.fps
    assert account.slide_before_mm > 7 and account.slide_after_mm <= 1.0
    roles = roles_of(motion.skeleton)
    legs = {roles.joints[f"{s}_{p}"] for s in ("left", "right") for p in ("upper_leg", "lower_leg", "foot", "toes")}
    others = [j for j in range(len(out.skeleton)) if j not in legs]
    np.testing.assert_allclose(out.rotations[:, others], motion.rotations[:, others], atol=1e-12)


QUIRKS = ("mixamo_names_fingers", "mixed_orders_zup", "mocapbank_crlf", "root_offset_perf8walk", "walk01_24fps")
JUMPS = {"03_02", "16_17"}  # frozen frames, turns of 30 degrees in one frame and back


@pytest.mark.parametrize("name", [*(f"cmu/{n}.amc" for n in ("03_01", "03_02", "05_01", "05_14", "16_11", "16_17")),
                                  *(f"bvh_quirks/{n}.bvh" for n in QUIRKS)])
def test_recordings_with_jumps_and_few_frames_are_held_as_well(data, name):
    """At frames and half-way between; where the recording jumps, the spikes are taken out and that is said."""
    motion = load_motion(data / "mocap" / name)
    out, account = planted(motion)
    assert account.slide_after_mm <= 1.0 and len(out) == len(motion)
    said = any("where the recording jumps" in c for c in account.changed)
    assert said == (name[4:9] in JUMPS)
    assert not any("mm of slide are left" in d for d in account.doubts())


def test_a_foot_that_steps_and_is_never_planted_is_said(data):
    """A toon's walk on the spot, of which one foot goes back too unevenly."""
    _, account = planted(load_motion(data / "characters" / "robot_expressive.glb", "Robot_Walking"))
    assert len(account.unplanted) == 1
    assert f"the {account.unplanted[0]} foot is never planted" in "\n".join(account.lines())


def test_what_planting_cannot_mend_is_said(data, take):
    """A toon's run on the spot, whose feet never stay: the frame to look at is named."""
    odd = load_motion(data / "characters" / "robot_expressive.glb", "Robot_Running")
    _, account = planted(odd)
    assert account.turn_deg > 60 and f"look at frame {account.turn_frame}" in "\n".join(account.lines())
    _, account = planted(take)
    assert not account.doubts()


def test_a_planted_take_keeps_its_contacts_on_the_spot(take):
    out, account = planted(take)
    assert out.contacts is not None and slide_mm(out, out.contacts) < 0.3
    heights = out.positions()[:, list(out.skeleton.soles), 1][out.contacts]
    assert np.abs(heights).max() < 5e-4


def test_what_has_no_two_legs_is_refused_with_the_reason():
    arm = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.eye(3))
    motion = Motion(arm, np.zeros((9, 3)), np.tile([1.0, 0, 0, 0], (9, 3, 1)), 30.0, name="arm")
    for work in (planted, loop_of):
        with pytest.raises(GambolError, match="not a human rig: no two"):
            work(motion)


# cycles


def test_u056_a_cycle_of_one_stride_is_found_closed_and_planted(noisy):
    """62 to 64 frames at 60 Hz, travel 1.20 m along the heading, which was 3 degrees off."""
    out, account = loop_of(noisy)
    assert 62 <= len(out) <= 64 and out.cyclic and out.skeleton == noisy.skeleton
    travel = np.array(out.info["loop"]["travel_m"])
    assert travel[2] == pytest.approx(1.20, abs=0.01) and np.abs(travel[:2]).max() < 1e-9
    assert account.slide_before_mm > 10 and account.slide_after_mm < 1.0
    assert account.cycle["seam_after_deg"] < account.cycle["seam_before_deg"] < 3
    kept, _ = loop_of(noisy, How(keep_heading=True))
    way = np.array(kept.info["loop"]["travel_m"])
    assert np.degrees(np.arctan2(way[0], way[2])) == pytest.approx(3.0, abs=0.5)


def test_a_loop_goes_round_without_a_doubled_frame_a_jump_or_a_kink(take):
    loop, _ = loop_of(take)
    played = rounds(loop, 3)
    n = len(loop)
    steps = 2 * np.arccos(np.clip(np.abs((played.rotations[1:] * played.rotations[:-1]).sum(-1)), 0, 1))
    inside = np.delete(steps, [n - 1, 2 * n - 1], axis=0)
    more = np.degrees(steps[n - 1] - inside.max(0)).max()
    assert more < 0.5, "the seam turns no joint more than a frame inside, but for the noise of the take"
    assert steps[n - 1].max() > 0.01, "the first frame is not there twice"
    speed = np.linalg.norm(np.diff(played.root, axis=0), axis=1)
    assert speed[n - 1] == pytest.approx(speed[n - 4 : n + 3].mean(), rel=0.1)
    on = played.contacts
    assert slide_mm(played, on) < 0.5, "planted through the seam"
    left = on[:, [played.skeleton.soles.index(played.skeleton.index(f"left_{p}")) for p in ("heel", "toe_tip")]].any(1)
    assert left[n] and not left[n - 1], "it begins with a left foot strike"


def test_in_place_and_travelling_are_one_loop(take):
    spot, there = loop_of(take, How(in_place=True))[0], loop_of(take)[0]
    assert spot.info["loop"]["in_place"] and np.abs(spot.root[:, 2] - spot.root[0, 2]).max() < 0.1
    np.testing.assert_allclose(travelling(spot).root, there.root, atol=1e-12)


def test_a_steady_walk_comes_back_exactly(cases):
    """A periodic take, on any heading, is cut to its period and not changed."""
    walk = load_motion(cases / "U001_walk_planted.bvh")
    for yaw in (0.0, 2.0):
        turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.asarray(yaw))
        motion = turned(walk, turn, quat.IDENTITY)
        cycle = find_cycle(motion, roles_of(motion.skeleton))
        assert cycle.frames == 33 and cycle.apart < 1e-6
        loop = close_cycle(motion, cycle)
        part = walk[cycle.first : cycle.first + 33]
        assert np.abs(np.abs((loop.rotations * part.rotations).sum(-1)) - 1).max() < 1e-9
        np.testing.assert_allclose(loop.root[:, 1], part.root[:, 1], atol=1e-9)
        np.testing.assert_allclose(loop.info["loop"]["travel_m"], [0, 0, 1.1], atol=1e-6)


def test_a_walk_on_a_curve_is_straightened(take):
    """Bent by 20 degrees a stride, it still gives the straight stride."""
    straight = loop_of(take)[0]
    angle = np.radians(20) * np.arange(len(take)) / 63
    bend = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), angle)
    steps = quat.rotate(bend[:-1], np.diff(take.root, axis=0))
    rotations = np.array(take.rotations)
    rotations[:, 0] = quat.multiply(bend, rotations[:, 0])
    root = np.concatenate([take.root[:1], take.root[0] + np.cumsum(steps, axis=0)])
    loop, account = loop_of(replace(take, root=root, rotations=rotations))
    assert 62 <= len(loop) <= 64 and any("a turn of 20" in c or "a turn of 19" in c for c in account.changed)
    assert loop.info["loop"]["travel_m"][2] == pytest.approx(straight.info["loop"]["travel_m"][2], abs=0.01)


@pytest.mark.parametrize("name", CMU)
def test_captured_walks_and_runs_are_looped(data, name):
    motion = load_motion(data / "mocap" / "cmu" / f"{name}.amc")
    out, account = loop_of(motion)
    assert 0.7 < account.cycle["period_s"] < 1.3 and account.slide_after_mm <= 1.0
    speed = out.info["loop"]["velocity_m_s"][2]
    first, last = (motion.root[account.cycle["first"] + k, [0, 2]] for k in (0, account.cycle["frames"]))
    assert speed * account.cycle["period_s"] == pytest.approx(np.linalg.norm(last - first), rel=1e-3)


def test_what_does_not_come_back_is_no_cycle(cases):
    for name in ("U002_tpose_hold", "U039_tpose_then_walk_120hz", "U012_graph_c_lying"):
        with pytest.raises(GambolError, match=r"no cycle is found|too short for a cycle"):
            loop_of(load_motion(cases / f"{name}.bvh"))


# commands


def run(*words):
    return main([str(w) for w in words])


def test_plant_and_loop_write_beside_the_source_and_say_what_they_did(tmp_path, cases, capsys):
    source = tmp_path / "take.bvh"
    source.write_bytes((cases / "U056_two_strides_noisy.bvh").read_bytes())
    before = source.read_bytes()
    assert run("plant", source) == 0
    said = capsys.readouterr().out
    assert "mm before" in said and "mm after" in said and "largest change: " in said and "take_planted.bvh" in said
    assert run("loop", source, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["cycle"]["frames"] == 63 and report["slide_after_mm"] < 1 and report["turn_joint"]
    assert source.read_bytes() == before
    loop = load_motion(tmp_path / "take_loop.bvh")
    assert len(loop) == 63 and loop.fps == load_motion(source).fps
    assert len(load_motion(tmp_path / "take_planted.bvh")) == 150


def test_a_clip_of_a_rig_goes_back_into_its_own_file(tmp_path, data, capsys):
    """One clip more; all that was there, meshes and other clips, is there as it was."""
    source = data / "characters" / "cesium_man.gltf"
    assert run("loop", source, "-o", tmp_path / "a.gltf") == 0
    said = capsys.readouterr().out
    assert "on the spot" in said and "with one more clip" in said
    names = clips(tmp_path / "a.gltf")
    assert names == [*clips(source), "clip_0_loop"]
    old, new = json.loads(source.read_text()), json.loads((tmp_path / "a.gltf").read_text())
    for key in ("meshes", "materials", "skins", "scenes"):
        assert new[key] == old[key]
    before, after = (load_motion(f, "clip_0") for f in (source, tmp_path / "a.gltf"))
    np.testing.assert_array_equal(before.positions(), after.positions())
    loop = load_motion(tmp_path / "a.gltf", "clip_0_loop")
    assert np.abs((loop.root - loop.root[0])[:, [0, 2]]).max() < 0.15


def test_a_walk_on_the_spot_is_planted_as_on_a_belt(noisy):
    """Without its travel the take is planted as with it, and stays where it is."""
    spot = in_place(noisy)
    there, account = planted(noisy)
    out, on_belt = planted(spot)
    assert any("as on a belt at 1.1" in c for c in on_belt.changed) and on_belt.slide_after_mm < 1
    assert np.ptp(out.root[:, [0, 2]], axis=0).max() < 0.1
    turns = np.abs((out.rotations * there.rotations).sum(-1))
    assert np.degrees(2 * np.arccos(np.clip(turns, 0, 1))).mean() < 0.3
    assert not belt_of(soled(noisy, roles_of(noisy.skeleton))).any()


def test_plant_on_a_given_ground(tmp_path, cases):
    source = cases / "U056_two_strides_noisy.bvh"
    assert run("plant", source, "-o", tmp_path / "a.npz", "--terrain", "slope:5") == 0
    out = load_motion(tmp_path / "a.npz")
    rise = (out.root[-1] - out.root[0])[1] / (out.root[-1] - out.root[0])[2]
    assert rise == pytest.approx(np.tan(np.radians(5)), abs=0.01)


@pytest.mark.parametrize(("words", "message"), [
    (("loop", "U097_single_frame.bvh"), "a clip of two or more"),
    (("loop", "U039_tpose_then_walk_120hz.bvh"), "no cycle is found"),
    (("plant", "U001_walk_planted.bvh", "--roles", "nowhere.json"), "there is no such file"),
])
def test_what_cannot_be_retouched_is_said_in_a_line(tmp_path, cases, capsys, words, message):
    command, name, *rest = words
    assert run(command, cases / name, "-o", tmp_path / "a.bvh", *rest) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1 and not list(tmp_path.iterdir())


def test_slides_are_those_of_the_judge(take):
    on = footfalls(take)
    shown = np.repeat(take.positions()[:, list(take.skeleton.soles)], 2, 0)[:-1]
    assert 1e3 * slides(shown, stances(on), None).max() == pytest.approx(slide_mm(take, on), rel=1e-6)
