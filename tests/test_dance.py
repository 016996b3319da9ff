"""Elastic dances: keys hit, velocities continuous, planted feet still, loops closed, and no dependence on frames."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from dances import person, posed, steps
from hypothesis import given, settings
from hypothesis import strategies as st
from walks import slides

from gambol import quat
from gambol.errors import GambolError
from gambol.keys import Key, channels_of, key_channels, pose_of
from gambol.methods.elastic_dance import ElasticDance
from gambol.methods.force_walk import ForceWalk
from gambol.model import legs_of
from gambol.motion import Motion, join
from gambol.path import Path as WalkPath
from gambol.synthesis import Stream, Task, generate

CASES = Path(__file__).parent / "cases"
NAMES = {"LeftArm": "left_upper_arm", "RightArm": "right_upper_arm", "Spine": "spine", "LeftLeg": "left_upper_leg"}


def floating(keys) -> tuple[Key, ...]:
    """Without feet on the ground: the elastic joints alone."""
    return tuple(k._replace(planted=()) for k in keys)


def turned(motion: Motion, key: Key) -> float:
    """rad, the largest difference of a joint from a key at its time."""
    frame = round(key.time * motion.fps)
    return float(np.abs(quat.log(quat.multiply(quat.conjugate(key.pose.rotations), motion.rotations[frame]))).max())


def test_every_key_is_hit_at_its_time():
    keys = floating(steps())
    motion = generate(ElasticDance(limited=False), Task(model=person(), keys=keys, fps=120))
    assert max(turned(motion, k) for k in keys) < 1e-9
    assert max(np.abs(motion.root[round(k.time * 120)] - k.pose.root).max() for k in keys) < 1e-9
    assert max(turned(generate(ElasticDance(), Task(model=person(), keys=keys, fps=120)), k) for k in keys) < 1e-3


def test_velocity_is_continuous():
    """The largest change of velocity between frames halves with the frame time; feet that land from a jump do hit."""
    keys, changes = tuple(k._replace(jump=False) for k in steps()), []
    for fps in (240, 480, 960):
        motion = generate(ElasticDance(balance=0.6), Task(model=person(), keys=keys, fps=fps))
        velocity = np.diff(motion.positions(), axis=0) * fps
        changes.append(np.abs(np.diff(velocity, axis=0)).max())
    assert changes[1] < 0.65 * changes[0]
    assert changes[2] < 0.65 * changes[1]


def test_frames_of_any_rate_agree_to_the_byte():
    """24, 30, 60 and 120 frames a second on shared times; a stretch read late is the same as one read early."""
    task = Task(model=person(), keys=steps())
    shots = {f: generate(ElasticDance(balance=0.5), replace(task, fps=f)) for f in (24, 30, 60, 120)}
    for fps in (24, 30, 60):
        apart = 120 // fps
        fine = shots[120][::apart]
        assert np.array_equal(fine.root[: len(shots[fps])], shots[fps].root)
        same = np.array_equal(np.abs(fine.rotations[: len(shots[fps])]), np.abs(shots[fps].rotations))
        assert same


def test_planted_feet_do_not_slide():
    motion = generate(ElasticDance(balance=0.8), Task(model=person(), keys=steps(), fps=120))
    assert slides(motion).max() < 1e-3
    low = motion.positions()[:, list(motion.skeleton.soles), 1]
    assert low.min() > -1e-3
    assert np.abs(low[motion.contacts]).max() < 1e-6


def test_a_jump_is_a_parabola():
    motion = generate(ElasticDance(), Task(model=person(), keys=steps(), fps=240))
    air = motion.root[round(2.5 * 240) + 2 : round(3.0 * 240) - 2]
    assert np.diff(air[:, 1], 2) * 240**2 == pytest.approx(-9.81, abs=1e-6)
    assert not motion.contacts[round(2.5 * 240) + 2 : round(3.0 * 240) - 2].any()


def test_balance_brings_the_mass_centre_over_the_feet():
    from gambol.dynamics import centre_of_mass

    lean = posed(person(), left_upper_arm=(0, 0, 70), right_upper_arm=(0, 0, 70), spine=(0, 0, -14), chest=(0, 0, -12))
    keys = (Key(0.0, lean), Key(1.0, lean))

    def off(balance: float) -> float:
        motion = generate(ElasticDance(balance=balance), Task(model=person(), keys=keys))
        soles = motion.positions()[-1, list(motion.skeleton.soles)].mean(0)
        return float(np.hypot(*(centre_of_mass(motion)[-1] - soles)[[0, 2]]))

    assert off(1.0) < 0.02 < 0.05 < off(0.0)


def test_four_postures_make_a_closed_loop():
    """U156: pose and velocity are equal at both ends, and every posture is there at its time."""
    case = json.loads((CASES / "U156_four_postures_loop.json").read_text())
    keys = []
    for k, time in enumerate(case["times_s"]):
        angles: dict[str, list[float]] = {}
        for name, values in case["degrees"].items():
            joint, axis = name.split(".")
            angles.setdefault(NAMES[joint], [0.0, 0.0, 0.0])["xyz".index(axis)] = values[k]
        keys.append(Key(time, posed(person(), **angles), planted=()))
    task = Task(model=person(), keys=tuple(keys), period=case["period_s"], fps=case["fps"])
    for mode in ("hit", "pull"):
        method = ElasticDance(mode=mode, stiffness=2.0, limited=False)
        one = generate(method, task)
        assert len(one) == 60 and one.cyclic
        more = generate(method, replace(task, duration=4.0))
        assert np.abs(more.rotations[60:120] - more.rotations[:60]).max() < 1e-9
        speed = quat.log(quat.multiply(quat.conjugate(more.rotations[:-1]), more.rotations[1:])) * 30
        assert np.abs(speed[60:119] - speed[:59]).max() < 1e-8
    hit = generate(ElasticDance(limited=False), task)
    assert np.degrees(max(turned(hit, k) for k in keys)) < 1.0


def test_limits_are_never_passed_and_the_way_into_them_is_smooth():
    """A wild dance: knees and elbows stay inside their ranges, with continuous velocity."""
    body = person()
    keys = floating((
        Key(0.0, posed(body)), Key(0.35, posed(body, left_lower_leg=(140, 0, 0), left_lower_arm=(0, -140, 0))),
        Key(0.7, posed(body, left_lower_arm=(0, -5, 0))), Key(1.4, posed(body)),
    ))
    low, high = body.limits.low, body.limits.high
    jumps = []
    for fps in (960, 1920):
        motion = generate(ElasticDance(damping=0.1, stiffness=3), Task(model=body, keys=keys, fps=fps))
        turns = quat.log(motion.rotations)[:, 1:]
        assert (turns >= low[1:] - 1e-9).all() and (turns <= high[1:] + 1e-9).all()
        jumps.append(np.abs(np.diff(turns, 2, axis=0)).max() * fps)
    assert jumps[1] < 0.65 * jumps[0]
    free = generate(ElasticDance(damping=0.1, stiffness=3, limited=False), Task(model=body, keys=keys))
    assert quat.log(free.rotations)[:, body.skeleton.index("left_lower_leg"), 0].min() < -0.05


@pytest.mark.parametrize("z", [0.2, 0.4, 0.7])
def test_pull_overshoots_as_the_closed_form_says(z):
    """Limits off: overshoot exp(-pi z / sqrt(1 - z^2)) and its time, within 1 %, measured on the motion."""
    body = person()
    keys = floating((Key(0.0, posed(body)), Key(0.01, posed(body, spine=(20, 0, 0)), hold=4.0)))
    method = ElasticDance(mode="pull", limited=False, damping=z / 0.55, lag=0.0)
    motion = generate(method, Task(model=body, keys=keys, fps=1000))
    x = np.degrees(quat.log(motion.rotations)[:, body.skeleton.index("spine"), 0]) / 20
    assert x.max() - 1 == pytest.approx(np.exp(-np.pi * z / np.sqrt(1 - z * z)), rel=0.01)
    assert x.argmax() / 1000 == pytest.approx(np.pi / (9.0 * np.sqrt(1 - z * z)), rel=0.01)


def test_dials_and_later_keys_may_change_in_the_middle():
    """Position and velocity go on from where they are, at any rate of frames."""
    changes = []
    for fps in (480, 960):
        method = ElasticDance()
        task = Task(model=person(), keys=tuple(k._replace(jump=False) for k in steps()), fps=fps)
        stream, parts = Stream(method, task), []
        for k in range(40):
            if k == 3:
                stream.method = replace(method, stiffness=1.5, damping=0.8, lag=0.0)
            if k == 5:
                stream.task = replace(task, keys=(*task.keys[:-1], Key(4.2, task.keys[2].pose)))
            if (part := stream.stretch()) is None:
                break
            parts.append(part)
        motion = join(parts)
        assert slides(motion).max() < 1e-3
        changes.append(np.abs(np.diff(motion.positions(), 2, axis=0)).max() * fps)
    assert changes[1] < 0.65 * changes[0]


def test_a_dance_takes_over_where_a_walk_stopped():
    """One clip, planted seam, no jump."""
    walk, task = ForceWalk(), Task(path=WalkPath(np.array([[0.0, 0, 0], [0, 0, 2.0]])))
    stream, parts = Stream(walk, task), []
    while (part := stream.stretch()) is not None:
        parts.append(part)
    after = walk.handover(stream.state)
    walked = join(parts)
    still = Key(0.5, after.pose)
    up = after.pose.rotations.copy()
    up[walked.skeleton.index("left_upper_arm")] = quat.exp([0.0, -0.4, 0.9])
    keys = (still, Key(1.0, after.pose._replace(rotations=up), hold=0.3))
    danced = generate(ElasticDance(), replace(task, keys=keys), after)
    both = join([walked, danced])
    assert slides(both).max() < 1e-3
    assert np.abs(danced.root[0] - walked.root[-1]).max() < 0.02
    assert np.abs(np.diff(both.positions(), axis=0)).max() * 60 < 6.0


def test_channels_and_poses_are_inverse():
    keys = steps()
    for channels, key in zip(key_channels(keys), keys):
        back = pose_of(channels)
        assert np.abs(np.abs(np.sum(back.rotations * key.pose.rotations, -1)) - 1).max() < 1e-12
        assert np.abs(back.root - key.pose.root).max() < 1e-12


def test_a_heading_turns_the_short_way_round():
    poses = [posed(person(), yaw=a) for a in (0, 150, 300, 450)]
    yaws = key_channels([Key(float(i), p) for i, p in enumerate(poses)])[:, -1]
    assert np.degrees(yaws) == pytest.approx([0, 150, 300, 450])
    assert channels_of(poses[0])[-1] == 0


def test_legs_of_a_person():
    legs = legs_of(person().skeleton)
    names = person().skeleton.names
    assert [(names[a.hip], names[a.knee], names[a.end], len(a.soles)) for a in legs] == [
        (f"{s}_upper_leg", f"{s}_lower_leg", f"{s}_foot", 2) for s in ("left", "right")
    ]


@pytest.mark.parametrize(
    ("keys", "word"),
    [
        (lambda k: (), "no keys"),
        (lambda k: (k[1], k[0]), "it is at 0 s, and the key before ends at 0.75 s"),
        (lambda k: (k[0], k[1], k[1]), "order"),
        (lambda k: (k[0]._replace(time=np.nan),), "time nan"),
        (lambda k: (k[0]._replace(hold=-1.0),), "hold -1"),
        (lambda k: (k[0]._replace(pose=k[0].pose._replace(rotations=k[0].pose.rotations[:5])),), "skeleton"),
        (lambda k: (k[0]._replace(planted=("left_wing",)),), "left_wing"),
    ],
)
def test_keys_that_cannot_be_danced_are_said(keys, word):
    with pytest.raises(GambolError, match=word):
        generate(ElasticDance(), Task(model=person(), keys=keys(steps())))


@pytest.mark.parametrize(
    ("change", "word"),
    [({"inertia": 0.0}, "mass is 0"), ({"damping": -0.1}, "damping is -0.1.*without end"), ({"mode": "push"}, "push"),
     ({"joints": (("head", 1.0, 1.0, -2.0),)}, "head.*stiffness")],
)
def test_springs_that_run_away_are_refused(change, word):
    with pytest.raises(GambolError, match=word):
        ElasticDance(**change)


def test_one_key_is_a_still_figure():
    key = steps()[0]
    assert len(generate(ElasticDance(), Task(model=person(), keys=(key,)))) == 1
    assert len(generate(ElasticDance(), Task(model=person(), keys=(key._replace(hold=1.0),)))) == 61
    assert len(generate(ElasticDance(), Task(model=person(), keys=(key._replace(time=0.5, hold=0.5),)))) == 61


@settings(max_examples=6, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0.3, 2.0), st.integers(0, 5)), min_size=1, max_size=5),
    st.sampled_from(["hit", "pull"]),
    st.floats(0.05, 4), st.booleans(),
)
def test_any_keys_in_order_give_a_sound_motion(gaps, mode, damping, loop):
    poses, time, keys = steps(), 0.0, []
    for gap, k in gaps:
        keys.append(Key(time, poses[k].pose))
        time += gap
    task = Task(model=person(), keys=tuple(keys), period=time if loop else None, fps=60)
    motion = generate(ElasticDance(mode=mode, damping=damping, balance=0.5), task)
    assert np.isfinite(motion.rotations).all() and len(motion) >= 1
    assert len(slides(motion)) == 0 or slides(motion).max() < 1e-3
