"""Wind: loops that close, stable at any step, calm air, sound plants, and modes that are modes."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol import quat
from gambol.errors import GambolError
from gambol.methods.sway import MODES, Sway
from gambol.model import Model
from gambol.models import model
from gambol.skeleton import Skeleton
from gambol.synthesis import Stream, Task, generate
from gambol.wind import Wind, elastic_of, field_at, flow, mode_shapes, torques

CASES = Path(__file__).parent / "cases"


def small_plant() -> tuple[Model, dict]:
    case = json.loads((CASES / "U082_small_plant.json").read_text())
    names = [n["name"] for n in case["nodes"]]
    places = np.array([n["pos"] for n in case["nodes"]], float)
    parents = np.array([-1 if n["parent"] is None else names.index(n["parent"]) for n in case["nodes"]])
    offsets = places - np.where(parents[:, None] >= 0, places[np.maximum(parents, 0)], 0)
    radii = np.array([n["radius"] for n in case["nodes"]])
    return Model("", Skeleton(tuple(names), parents, offsets), "plant", radii), case


@pytest.mark.parametrize("mode", MODES)
def test_a_small_plant_loops(mode):
    """U082: the loop closes, the tip moves more than the middle, no bone is longer, and no wind is calm."""
    body, case = small_plant()
    wind = Wind(case["wind"]["speed_m_s"], tuple(case["wind"]["direction"]), case["wind"]["gust"])
    task = Task(model=body, wind=wind, period=float(case["seconds"]), fps=float(case["fps"]))
    motion = generate(Sway(mode=mode), task)
    assert len(motion) == 120 and motion.cyclic
    points = motion.positions()
    step = np.abs(np.diff(points, axis=0)).max()
    assert np.abs(points[0] - points[-1]).max() < 1.1 * step  # the first comes again after the last
    moved = np.ptp(points, axis=0).max(-1)
    assert moved[body.skeleton.index("stem6")] > 1.5 * moved[body.skeleton.index("stem3")] > 0
    bones = np.linalg.norm(points[:, 1:] - points[:, body.skeleton.parents[1:]], axis=-1)
    assert np.abs(bones / np.linalg.norm(body.skeleton.offsets[1:], axis=1) - 1).max() < 1e-9
    calm = generate(Sway(mode=mode), replace(task, wind=Wind(0.0)))
    assert np.abs(calm.positions() - body.skeleton.rest_positions()).max() < 1e-12


@pytest.mark.parametrize("mode", ["drag", "displacement", "modes"])
def test_a_loop_closes_exactly(mode):
    """State at the end of a round is the state at its beginning: two rounds are the same to 1e-6."""
    body, _ = small_plant()
    task = Task(model=body, wind=Wind(8.0), period=3.0, fps=30)
    method = Sway(mode=mode)
    state = method.start(task)
    end = method._round(state, task, 3.0 / state.ticks)
    assert np.abs(end.x - state.x).max() < (1e-5 if mode == "displacement" else 1e-9)
    assert np.abs(end.v - state.v).max() < (1e-3 if mode == "displacement" else 1e-8)


def test_frame_rates_and_long_frames_change_nothing():
    """U053: 15, 60 and 240 frames a second, and frames of 2.5 s, give the same plant at the same time."""
    task = Task(model=model("lily"), wind=Wind(9.0), duration=3.0)
    shots = {fps: generate(Sway(), replace(task, fps=float(fps))) for fps in (15, 60, 240)}
    for fps in (15, 60):
        same = shots[240].rotations[:: 240 // fps]
        assert np.abs(np.abs(np.sum(same * shots[fps].rotations, -1)) - 1).max() < 1e-12
    slow = generate(Sway(), replace(task, duration=10.0, fps=1.0))
    quick = generate(Sway(), replace(task, duration=10.0, fps=60.0))
    assert np.abs(np.abs(np.sum(quick.rotations[::60] * slow.rotations, -1)) - 1).max() < 1e-12


def test_motion_is_smooth():
    changes = []
    for fps in (240.0, 480.0):
        points = generate(Sway(), Task(model=model("lily"), wind=Wind(12.0), duration=2.0, fps=fps)).positions()
        changes.append(np.abs(np.diff(points, 2, axis=0)).max() * fps)
    assert changes[1] < 0.65 * changes[0]


def test_the_lean_is_what_the_dial_says():
    """A steady breeze of 6 m/s holds the tip that leans most at `bend` rad."""
    body = model("lily")
    elastic = elastic_of(body, 0.3, 1.0)
    turns = torques(body, np.broadcast_to([6.0, 0, 0], (len(body.skeleton), 3))) / elastic.stiffness[:, None]
    turns = np.where(elastic.turns[:, None], turns, 0.0)
    lean = np.zeros(len(turns))
    for j in range(len(turns)):
        lean[j] = np.linalg.norm(turns[j]) + (lean[body.skeleton.parents[j]] if j else 0.0)
    assert 0.2 < lean.max() <= 0.3 + 1e-9
    assert turns[1:, 2].min() < 0  # wind along +x turns what stands up about -z


def test_modes_are_modes():
    """M-orthogonal shapes in order of their rates; the lowest one bends the whole stem one way."""
    modes = mode_shapes(model("lily"), 0.4, 1.0)
    assert (np.diff(modes.rate) >= 0).all() and modes.rate[0] > 0
    stem = model("lily").skeleton.indices([f"stem_{n}" for n in range(1, 6)])
    lowest = modes.shapes[0][stem]
    main = lowest[0] / np.linalg.norm(lowest[0])
    assert (lowest @ main > 0).all()


def test_a_period_brings_the_wind_back():
    field = flow(Wind(7.0), 3, 4.0)
    points = np.random.default_rng(0).normal(size=(9, 3))
    assert field_at(field, points, 1.3) == pytest.approx(field_at(field, points, 5.3), abs=1e-9)
    mean = np.mean([field_at(field, points, t) for t in np.arange(0, 4, 0.01)], axis=0)
    assert mean == pytest.approx(np.tile([7.0, 0, 0], (9, 1)), abs=1e-6)


def test_gusts_travel_with_the_wind():
    field = flow(Wind(5.0, gust=0.5, turbulence=0.0), 0)
    later = field_at(field, np.array([[10.0, 0, 0]]), 2.0)
    assert later == pytest.approx(field_at(field, np.zeros((1, 3)), 0.0), abs=0.2)


def test_only_the_hair_sways():
    body = model("dog")
    motion = generate(Sway(only=("tail_*", "*_ear")), Task(model=body, wind=Wind(10.0), duration=2.0))
    moved = np.abs(quat.log(motion.rotations)).max((0, 2)) > 1e-6
    hair = {"tail_1", "tail_2", "tail_3", "left_ear", "right_ear"}
    assert {n for n, m in zip(body.skeleton.names, moved) if m} <= hair
    assert moved.any()


def test_the_wind_may_change_while_it_blows():
    task = Task(model=model("rose"), wind=Wind(3.0), duration=3.0, fps=240)
    stream, parts = Stream(Sway(), task), []
    while (part := stream.stretch()) is not None:
        parts.append(part.positions())
        if len(parts) == 3:
            stream.task = replace(task, wind=Wind(14.0))
    points = np.concatenate(parts)
    assert np.abs(np.diff(points, axis=0)).max() * 240 < 8.0
    assert np.abs(points[-1] - points[0]).max() > 0.1


@pytest.mark.parametrize(
    ("change", "word"),
    [({"speed": -1.0}, "speed"), ({"speed": np.nan}, "speed"), ({"gust": 2.0}, "gust"),
     ({"direction": (0, 0, 0)}, "not all 0"), ({"direction": (0, np.inf, 0)}, "direction")],
)
def test_winds_that_do_not_blow_are_said(change, word):
    with pytest.raises(GambolError, match=word):
        Wind(**change)


@settings(max_examples=15, deadline=None)
@given(st.floats(0, 70), st.floats(0, 1), st.floats(0.02, 1.5), st.floats(0.02, 2), st.sampled_from(["drag", "modes"]))
def test_any_wind_gives_a_sound_plant(speed, gust, bend, damping, mode):
    body, _ = small_plant()
    task = Task(model=body, wind=Wind(speed, gust=gust), duration=0.5)
    motion = generate(Sway(mode=mode, bend=bend, damping=damping), task)
    assert np.isfinite(motion.rotations).all()
    assert np.linalg.norm(quat.log(motion.rotations), axis=-1).max() < np.pi


def test_one_joint_and_no_length_are_calm():
    one = Model("", Skeleton(("root",), [-1], [[0, 0, 0]]))
    assert len(generate(Sway(), Task(model=one, wind=Wind(9.0), duration=0.2))) == 13
    flat = Model("", Skeleton(("a", "b", "c"), [-1, 0, 1], [[0, 0, 0], [0, 0, 0], [0, 1.0, 0]]))
    assert np.isfinite(generate(Sway(), Task(model=flat, wind=Wind(9.0), duration=0.2)).rotations).all()
