"""The conformance suite: what every method must hold to, over ``METHODS``."""

from __future__ import annotations

import dataclasses

import dances
import numpy as np
import pytest
from walks import USUAL, half_way, largest_changes, level_walk, posed_com, slides, sole_tracks, straight

from gambol.body import Body
from gambol.errors import GambolError
from gambol.gait import Gait
from gambol.methods import METHODS
from gambol.models import model
from gambol.motion import join
from gambol.path import Path, parse_path, walkable
from gambol.synthesis import Stream, Task, dials, generate
from gambol.wind import Wind

EVERY = ("pure", "tiled", "deterministic", "dials", "dial")  # tests of every method begin so; others of walks alone
WALKS = [name for name, method in METHODS.items() if "path" in getattr(method, "takes", ("path",))]
WALKING = [name for name in WALKS if USUAL[name].walks]
FIELDS = ("root", "rotations", "contacts", "forces", "pressure", "com")


def pytest_generate_tests(metafunc) -> None:
    words = metafunc.function.__name__.split("_")
    every = any(word in EVERY for word in words)
    metafunc.parametrize("name", list(METHODS) if every else WALKS)


def small_task(name: str, length: float = 4.0, **changes) -> Task:
    """What a method takes, in a small size."""
    takes = getattr(METHODS[name], "takes", ("path",))
    if "keys" in takes:
        changes |= {"keys": dances.steps(), "model": dances.person()}
    if "wind" in takes:
        changes |= {"wind": Wind(5.0), "model": model("lily"), "duration": 1.7}
    if "commands" in takes:
        bent = np.array([[0.0, 0, 0], [0, 0, length / 2], [length / 3, 0, length]])
        changes |= {"path": Path(bent), "gait": Gait(1.6)}
    return Task(**{"path": straight(length), **changes})


def same(a, b) -> None:
    for key in FIELDS:
        if getattr(a, key) is None:
            assert getattr(b, key) is None, key
            continue
        assert np.array_equal(getattr(a, key), getattr(b, key), equal_nan=True), key


def test_pure(name):
    """advance depends on its arguments alone: a forked state replays to the byte, and its past is untouched."""
    method, task = METHODS[name](), small_task(name, 5)
    states, parts = [method.start(task)], []
    while True:
        state, part = method.advance(states[-1], task)
        if part is None:
            break
        states.append(state)
        parts.append(part)
    for k in (0, 2, len(parts) - 1):
        again, part = method.advance(states[k], task)
        same(part, parts[k])


@pytest.mark.parametrize("fps", [24, 29.97, 60])
def test_tiled(name, fps):
    """Stretches own disjoint runs of one grid: joined in any pieces they are the whole."""
    method, task = METHODS[name](), small_task(name, fps=fps)
    whole = generate(method, task)
    stream, parts = Stream(method, task), []
    while (part := stream.read(7)) is not None:
        parts.append(part)
    assert all(len(p) == 7 for p in parts[:-1])
    same(join(parts), whole)
    assert whole.fps == fps


def test_live_gait(name):
    """A change of speed is obeyed by the coming steps without a jump in position or velocity."""
    method = METHODS[name]()
    before, now = USUAL[name].change
    slow = Task(path=straight(14 * before), gait=Gait(speed=before), fps=120)
    fast = dataclasses.replace(slow, gait=Gait(speed=now))
    stream, parts = Stream(method, slow), []
    for k in range(40):
        if k == 5:
            stream.task = fast
        if (part := stream.stretch()) is None:
            break
        parts.append(part)
    motion = join(parts)
    calm = max(largest_changes(generate(method, slow))[0], largest_changes(generate(method, fast))[0])
    assert largest_changes(motion)[0] < 1.6 * calm
    assert slides(motion).max() < 1e-3
    late = motion.com[len(motion) // 2 : -240]
    assert np.linalg.norm(late[-1] - late[0]) / ((len(late) - 1) / 120) == pytest.approx(now, rel=0.04)


def test_live_path(name):
    """A path point that is dragged while walking leads the feet to the new path, planted all the way."""
    method = METHODS[name]()
    far = 9.0 if USUAL[name].walks else 18.0
    task = Task(path=straight(far), fps=60)
    bent = dataclasses.replace(task, path=walkable([[0.0, 0, 0], [0, 0, far / 2], [0.8, 0, far]]))
    stream, parts = Stream(method, task), []
    for k in range(60):
        if k == 3:
            stream.task = bent
        if (part := stream.stretch()) is None:
            break
        parts.append(part)
    motion = join(parts)
    assert slides(motion).max() < 1e-3
    assert np.hypot(motion.root[-1, 0] - 0.8, motion.root[-1, 2] - far) < 0.12


def test_deterministic_bytes(name, tmp_path):
    from gambol.io import save

    task = small_task(name, 3)
    for file in ("a.npz", "b.npz", "a.glb", "b.glb", "a.bvh", "b.bvh"):
        save(generate(METHODS[name](), task), tmp_path / file)
    for suffix in ("npz", "glb", "bvh"):
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()


def test_engines_agree(name):
    pytest.importorskip("numba")
    task = Task(path=straight(4))
    a, b = (generate(METHODS[name](engine=e), task) for e in ("numpy", "compiled"))
    for key in ("root", "rotations", "forces", "com"):
        assert np.abs(getattr(a, key) - getattr(b, key)).max() < 1e-9 * (1000 if key == "forces" else 1)
    assert np.array_equal(a.contacts, b.contacts)


def test_dials_complete(name):
    for d in dials(METHODS[name]):
        assert d.low <= d.default <= d.high and d.low < d.high
        assert d.unit and d.meaning and d.meaning[0].islower()


def test_every_dial_moves_something(name):
    """A dial that changes nothing is not a dial; none of them breaks the planted feet."""
    task = small_task(name)
    plain = generate(METHODS[name](), task)
    for d in dials(METHODS[name]):
        value = d.default + 0.5 * ((d.high if d.high - d.default >= d.default - d.low else d.low) - d.default)
        turned = generate(METHODS[name](**{d.name: value}), task)
        n = min(len(plain), len(turned))
        assert np.abs(turned.rotations[:n] - plain.rotations[:n]).max() > 1e-5, d.name
        assert turned.contacts is None or slides(turned).max() < 1e-3, d.name


def test_feet_stay_planted(name):
    motion = level_walk(name)
    assert slides(motion).max() < 1e-3
    tracks = sole_tracks(half_way(motion))
    assert motion.contacts.any(1).all() or not USUAL[name].walks
    assert np.abs(sole_tracks(motion)[..., 1][motion.contacts]).max() < 3e-3
    assert tracks[..., 1].min() > -2e-3


def test_slow_low_soles_are_marked(name):
    """Contacts are honest: what is within 5 mm of the ground and slower than 5 cm/s is marked."""
    motion = level_walk(name)
    tracks = sole_tracks(motion)
    speed = np.linalg.norm(tracks[2:] - tracks[:-2], axis=-1) * motion.fps / 2
    still = (np.abs(tracks[1:-1, :, 1]) < 0.005) & (speed < 0.05)
    assert not (still & ~motion.contacts[1:-1]).any()


@pytest.mark.parametrize("which", range(3))
def test_speed_is_kept(name, which):
    speed = USUAL[name].speeds[which]
    motion = level_walk(name, speed, length=14.0 if USUAL[name].walks else 5 * speed + 3 * speed**2 / 3)
    strikes = np.array(motion.info["events"]["left_strike"][2:-2])
    if not USUAL[name].walks:  # from a stand to full speed at 2.6 m/s2, and back
        strikes = strikes[(strikes > 1 + speed / 2) & (strikes < motion.duration - 1 - speed / 1.5)]
    z = np.interp(strikes, motion.times, motion.com[:, 2])
    assert len(strikes) > 2
    assert (z[-1] - z[0]) / (strikes[-1] - strikes[0]) == pytest.approx(speed, rel=0.02)


def test_com_and_forces_agree(name):
    """Newton, on the exported frames: the posed body's centre of mass is the planned one and obeys the forces."""
    motion = level_walk(name, fps=USUAL[name].newton)
    com = posed_com(motion)
    assert np.abs(com - motion.com).max() < 1e-3
    acceleration = np.diff(com, 2, axis=0) * motion.fps**2
    force = motion.forces.sum(1)[1:-1] / motion.mass - [0, 9.81, 0]
    error = np.linalg.norm(acceleration - force, axis=-1) / 9.81
    assert np.sqrt(np.mean(error**2)) < 0.02
    assert error.max() < 0.08


def test_mean_force_is_weight(name):
    motion = level_walk(name)
    strikes = motion.info["events"]["left_strike"]
    a, b = strikes[2 if USUAL[name].walks else 4], strikes[6]
    t = np.linspace(a, b, 2000)
    total = np.interp(t, motion.times, motion.forces[:, :, 1].sum(1))
    assert np.trapezoid(total, t) / (b - a) / (motion.mass * 9.81) == pytest.approx(1.0, abs=0.01)


def test_smooth(name):
    """Velocities are continuous: the largest frame-to-frame change halves with the frame time."""
    changes = np.array([largest_changes(level_walk(name, fps=f, length=5.0)) for f in (120.0, 240.0, 480.0)])
    assert (changes[1:] < 0.6 * changes[:-1]).all()


def test_turning_the_path_turns_the_motion(name):
    task = Task(path=straight(4))
    angle = 0.7
    c, s = np.cos(angle), np.sin(angle)
    turned = Path(straight(4).points @ np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]]) + [3.0, 0, -2.0])
    a = generate(METHODS[name](), task)
    b = generate(METHODS[name](), dataclasses.replace(task, path=turned))
    back = (b.root - [3.0, 0, -2.0]) @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    assert np.abs(back - a.root).max() < 1e-9
    assert np.abs(b.rotations[:, 1:] - a.rotations[:, 1:]).max() < 1e-9


def test_a_walk_begins_and_ends_standing(name):
    motion = level_walk(name)
    for k in (0, -1):
        assert motion.contacts[k].all()
        assert motion.forces[k, :, 1] == pytest.approx(
            [motion.mass * 9.81 / 2] * 2, rel=5e-3
        )  # the last frame is up to 1 / fps early
    velocity = np.diff(motion.root, axis=0) * motion.fps
    assert np.linalg.norm(velocity[[0, -1]], axis=-1).max() < 0.02


@pytest.mark.parametrize("height", [0.9, 1.1, 1.75, 2.2, 3.0])
def test_dynamically_equal_speeds_look_the_same(name, height):
    """U143: equal v / sqrt(g leg) gives equal step / leg within 5 %, on a child and on a giant, feet planted."""
    leg, usual = Body(height).leg_length, USUAL[name]
    speed = usual.alike * np.sqrt(9.81 * leg)
    motion = level_walk(name, round(float(speed), 9), height=height, length=(9 if usual.walks else 16) * leg)
    steps = [s["w"] for s in motion.info["plan"]]
    steps = steps[3:-4] if usual.walks else sorted(steps)[-4:]
    assert np.median(steps) / leg == pytest.approx(usual.step, rel=0.05)
    assert slides(motion).max() < 1e-3


def test_impossible_requests_name_the_bound(name):
    for gait, word in USUAL[name].impossible:
        with pytest.raises(GambolError, match=word):
            generate(METHODS[name](), Task(path=straight(4), gait=Gait(**gait)))


def test_a_walk_takes_over_where_another_stopped(name):
    """The feet are planted across the seam, and the clock goes on."""
    method, first = METHODS[name](), Task(path=straight(3))
    stream, parts = Stream(method, first), []
    while (part := stream.stretch()) is not None:
        parts.append(part)
    after = method.handover(stream.state)
    assert np.abs(after.pose.root - join(parts).root[-1]).max() < 5e-3
    there = Task(path=Path(np.array([[0.0, 0, 3.0], [1.0, 0, 6.0]])))
    onward = Stream(method, there, after)
    begun = onward.stretch()
    both = join([*parts, begun])
    assert slides(both).max() < 1e-3
    assert np.abs(begun.root[0] - parts[-1].root[-1]).max() < 0.03
    assert len(both) == pytest.approx(method.handover(onward.state).time * 60, abs=2)


@pytest.mark.parametrize("side", [0.1, -0.1])
def test_turning_back_takes_half_a_turn(name, side):
    """A reversal is turned on the spot the short way, in several steps, feet planted; a run says that it cannot."""
    task = Task(path=parse_path(f"0,0 0,3 {side},0"))
    if name not in WALKING:
        with pytest.raises(GambolError, match="turns on the spot"):
            generate(METHODS[name](), task)
        return
    motion = generate(METHODS[name](), task)
    w, x, y, z = np.moveaxis(motion.rotations[:, 0], -1, 0)
    yaw = np.unwrap(np.arctan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y)))
    assert 160 < abs(np.degrees(yaw[-1] - yaw[0])) < 200
    assert np.degrees(np.ptp(yaw)) < 215
    assert np.degrees(np.abs(np.diff(yaw)).max()) * motion.fps < 250
    assert slides(motion).max() < 1e-3
