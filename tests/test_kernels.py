"""One source, two engines: numpy and compiled agree, and a compiled kernel knows when it is out of date."""

from __future__ import annotations

import importlib
import linecache
import pkgutil
import subprocess
import sys
import textwrap
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from walks import step_plans, straight

import gambol
from gambol import quat
from gambol.body import Body
from gambol.errors import GambolError, MissingExtra
from gambol.figure import ROWS
from gambol.figure_parts import figure_of
from gambol.gait import Gait
from gambol.kernels import ENGINES, Kernel, check_engine, dot, either, kernel, solve
from gambol.methods import ForceWalk
from gambol.path import Path, parse_path
from gambol.roll import Roll
from gambol.skeleton import joint_positions
from gambol.synthesis import Task, generate
from gambol.terrain import Slope, Stairs

N = 24
BODY = Body(1.75)
FIGURE = figure_of(BODY)
ROLL = Roll(0.0, 0.1, 0.4, 0.55, 0.7, 0.2, 0.8, 0.9, 0.5, 3.0, -0.6, 0.3)


@cache
def kernels() -> dict[str, Kernel]:
    """Every kernel of the package by module and name."""
    found = {}
    for info in pkgutil.walk_packages(gambol.__path__, "gambol."):
        if info.name.endswith("__main__"):
            continue
        for value in vars(importlib.import_module(info.name)).values():
            if isinstance(value, Kernel):
                found[f"{value.__module__.removeprefix('gambol.')}.{value.__name__}"] = value
    return found


@cache
def plans() -> tuple:
    """Steps of real walks: from a stand, on the level, up a stair."""
    found = []
    for terrain in (Stairs(0.16, 0.3, 3, start=1.6), Stairs(-0.16, 0.3, 3, start=1.6)):
        found += step_plans(Task(body=BODY, path=straight(4), terrain=terrain))
    return (found[0], found[1], found[4], found[-3], found[-1])


def plan(rng: np.random.Generator):
    return plans()[rng.integers(len(plans()))]


def numbers(rng: np.random.Generator, *bounds: tuple[float, float]) -> tuple[np.ndarray, ...]:
    return tuple(rng.uniform(a, b, N) for a, b in bounds)


def times(p, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    return numbers(rng, (0.0, p.step))


# kernel: rng -> (numbers of N frames, how they become arguments, rows of the array that is written last)
def _either(rng):
    return (np.round(rng.uniform(0, 1, N)), *numbers(rng, (-9, 9), (-9, 9))), lambda *v: v, 0


def _with_plan(build, rows=0):
    def case(rng):
        p = plan(rng)
        return times(p, rng), lambda t: build(t, p), rows

    return case


def _plain(*bounds):
    return lambda rng: (numbers(rng, *bounds), lambda *v: v, 0)


def _leg_case(rng):
    hips = numbers(rng, *[(-0.1, 0.1)] * 3)
    ankles = (*numbers(rng, (-0.2, 0.2)), rng.uniform(-0.85, -0.5, N), *numbers(rng, (-0.3, 0.3)))
    return (*hips, *ankles, *numbers(rng, (-1, 1))), lambda *v: (*v, FIGURE.thigh, FIGURE.shank), 0


def _trunk_case(rng):
    p = plan(rng)
    values = (*times(p, rng), *numbers(rng, (0, 1), (0, 1), *[(-1, 1)] * 6))
    return values, lambda t, phase, blend, *hips: (t, phase, blend, hips, p, FIGURE), ROWS


def _store_leg_case(rng):
    values = numbers(rng, *[(-1, 1)] * 4, *[(0.1, 0.9)] * 16, *[(-1, 1)] * 5)
    return values, lambda *v: (14, v[:4], v[4:20], v[20:], FIGURE), ROWS


def _foot_motion_case(rng):
    rows = rng.normal(0, 3, (3, 6))
    return numbers(rng, (0, 0.8)), lambda t: (t, rows, 0.75, 0.2, 0.5), 0


def _evaluate_case(rng):
    path = rng.normal(0, 1, (2, 4, 9))
    return numbers(rng, (0, 1)), lambda s: (s, 0.4, path, 2), 0


def _arm_case(rng):
    row = np.r_[rng.uniform(0.1, 1, 4), 0.3, rng.uniform(0.1, 1, 4)]
    row[6] = row[1] if rng.uniform() < 0.3 else row[6]  # at resonance too
    return numbers(rng, (0, 0.6)), lambda t: (t, row), 0


def _sole_rows_case(rng):
    return numbers(rng, *[(-1, 1)] * 8), lambda *v: (*v[:5], v[5:], FIGURE.foot), (12, 6)


SIZE = (-3.0, 3.0)
ANGLE = (-1.4, 1.4)
CASES = {
    "kernels.either": _either,
    "arm.arm_angle": _arm_case,
    "reaction.foot_motion": _foot_motion_case,
    "reaction.standing_track": lambda rng: (numbers(rng, (0, 0.8)), lambda t: (t, 0.8, 0.5, 0.3), 0),
    "reaction.standing_force": lambda rng: (numbers(rng, (0, 0.8)), lambda t: (t, 0.8, 0.5, 0.3), 0),
    "reaction.body_motion": _with_plan(lambda t, p: (t, p)),
    "roll.roll_pitch": lambda rng: (numbers(rng, (-0.1, 0.8)), lambda t: (t, ROLL), 0),
    "roll.sole_ankle": lambda rng: (numbers(rng, ANGLE, ANGLE), lambda *v: (*v, FIGURE.foot), 0),
    "roll.ball_heel_tip": lambda rng: (
        numbers(rng, SIZE, SIZE, ANGLE, ANGLE),
        lambda *v: (*v, FIGURE.foot),
        0,
    ),
    "swing.evaluate": _evaluate_case,
    "figure_parts.mul": _plain(*[SIZE] * 8),
    "figure_parts.mul_x": _plain(*[SIZE] * 6),
    "figure_parts.mul_y": _plain(*[SIZE] * 6),
    "figure_parts.rotated": _plain(*[SIZE] * 7),
    "figure_parts.yaw_list_pitch": _plain(*[ANGLE] * 3),
    "figure.ground_foot": _with_plan(lambda t, p: (t, p.front, FIGURE.foot)),
    "figure_parts.sole_axes": _plain(*[ANGLE] * 3),
    "figure._swing_foot": _with_plan(lambda t, p: (t, p)),
    "figure._body_yaw": _with_plan(lambda t, p: (t, p)),
    "figure_parts.bent_leg": _leg_case,
    "figure_parts._leg_quaternion": _plain(*[(0.05, 0.6)] * 9, ANGLE),
    "figure_parts.store": lambda rng: (numbers(rng, *[SIZE] * 4), lambda *v: (3, *v), ROWS),
    "figure._trunk_and_arms": _trunk_case,
    "figure_parts.foot_in_heading": _plain(*[SIZE] * 8),
    "figure_parts.foot_moment": lambda rng: (numbers(rng, *[ANGLE] * 4), lambda *v: (*v, FIGURE), 0),
    "figure_parts.store_leg": _store_leg_case,
    "figure.pose_step": _with_plan(lambda t, p: (t, p, FIGURE, True), ROWS),
    "figure.sole_points": _with_plan(lambda t, p: (t, p, FIGURE.foot), 12),
    "figure_parts.sole_rows": _sole_rows_case,
}
LOOPS = {"figure.pose_frames", "figure.sole_frames", "skeleton._positions"}
# what plans a step: not of frames; compared by whole walks
PLANNING = ("borders.", "hurdle.", "lowering.", "profile.", "stepping.", "stride.", "swinging.", "walker.")
# other methods' figures: compared by whole motions in test_methods.test_engines_agree, drags in test_posing
WHOLE = ("flight.", "run_figure.", "measured_figure.", "tension.")
PLANNED = {
    "arm._forced", "arm.drive", "arm.pendulum", "kernels.clamp", "kernels.dot", "kernels.solve", "reaction._moments",
    "reaction._row_x", "reaction._row_y", "reaction._row_z", "reaction._track", "reaction._unit_track",
    "reaction.calm_row", "reaction.heights", "reaction.solve_lead", "reaction.standing_moments", "reaction.track",
    "reaction.usual_row", "roll.ankle_rates", "roll.shifted", "swing._fill", "swing.bumped", "swing.evaluate_all",
    "swing.hermite", "swing.through",
}  # fmt: skip
GROUNDS = {
    "level": Task(path=Path(np.array([[0, 0, 0], [0, 0, 2.0], [1.5, 0, 4.5]]))),
    "turn": Task(path=parse_path("0,0 0,2 0.1,0.2"), gait=Gait(speed=1.1)),
    "up": Task(body=Body(1.6), path=straight(4), terrain=Stairs(0.17, 0.28, 4, start=1.5)),
    "down": Task(path=straight(4), terrain=Stairs(-0.15, 0.31, 4, start=1.5), hand_load=(4, 0)),
    "slope": Task(path=straight(3), terrain=Slope(0.1, 0.5), gait=Gait(speed=((0, 0.9), (3, 1.5)))),
}


def call(function, name: str, arguments: tuple, rows, lead: tuple[int, ...]) -> np.ndarray:
    """What a kernel gives back and writes, as one array (values, ...)."""
    size, after = rows if isinstance(rows, tuple) else (rows, None)
    out = np.zeros((size, *lead))
    if not size:
        given = function(*arguments)
    elif name in ("figure_parts.store", "figure_parts.store_leg"):
        given = function(out, *arguments)
    else:
        given = function(*arguments, out, *(() if after is None else (after,)))
    parts = [] if given is None else [np.asarray(v) for v in (given if isinstance(given, tuple) else (given,))]
    return np.concatenate([*(np.broadcast_to(v, lead)[None] for v in parts), out])


def test_every_kernel_has_a_case():
    assert {k for k in kernels() if not k.startswith((*PLANNING, *WHOLE))} == set(CASES) | LOOPS | PLANNED


@pytest.mark.parametrize("ground", GROUNDS)
def test_compiled_walks_agree_with_numpy(ground):
    """Every step planned and posed by the one engine as by the other."""
    pytest.importorskip("numba")
    a, b = (generate(ForceWalk(engine=engine), GROUNDS[ground]) for engine in ENGINES)
    for key in ("root", "rotations", "com", "pressure"):
        np.testing.assert_allclose(getattr(a, key), getattr(b, key), atol=1e-9, err_msg=key)
    np.testing.assert_allclose(a.forces / a.mass, b.forces / b.mass, atol=1e-9)
    np.testing.assert_array_equal(a.contacts, b.contacts)


@given(st.integers(0, 2**32 - 1))
def test_loops_without_numba_do_the_same(seed):
    """What is compiled instead of an array expression, run as it stands."""
    rng = np.random.default_rng(seed)
    rows, v = rng.normal(size=(6, 6)), rng.normal(size=6)
    np.testing.assert_allclose(dot.loop(rows[:4], v), dot(rows[:4], v), atol=1e-12)
    np.testing.assert_allclose(rows @ solve.loop(rows, v), v, atol=1e-8 * np.linalg.cond(rows))
    np.testing.assert_allclose(solve.loop(rows, v), solve(rows, v), rtol=1e-10 * np.linalg.cond(rows))


@pytest.mark.parametrize("name", CASES)
def test_one_frame_at_a_time_is_all_frames_at_once(name):
    """A kernel of numbers gives, number by number, what it gives on arrays."""
    rng = np.random.default_rng(list(CASES).index(name))
    for _ in range(3):
        values, build, rows = CASES[name](rng)
        whole = call(kernels()[name], name, build(*values), rows, (N,))
        for i in range(N):
            one = call(kernels()[name], name, build(*(float(v[i]) for v in values)), rows, ())
            np.testing.assert_allclose(one, whole[:, i], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", CASES)
def test_compiled_agrees_with_numpy(name):
    pytest.importorskip("numba")
    rng = np.random.default_rng(100 + list(CASES).index(name))
    for _ in range(4):
        values, build, rows = CASES[name](rng)
        whole = call(kernels()[name], name, build(*values), rows, (N,))
        for i in range(N):
            one = call(kernels()[name].compiled, name, build(*(float(v[i]) for v in values)), rows, ())
            np.testing.assert_allclose(one, whole[:, i], rtol=1e-9, atol=1e-9)


def test_compiled_loops_agree_with_numpy():
    pytest.importorskip("numba")
    rng = np.random.default_rng(7)
    for p in plans():
        t = np.sort(rng.uniform(0, p.step, N))
        for loop, one, rest, rows in (
            ("figure.pose_frames", "figure.pose_step", (p, FIGURE, True), ROWS),
            ("figure.sole_frames", "figure.sole_points", (p, FIGURE.foot), 12),
        ):
            wanted, got = np.zeros((rows, N)), np.zeros((rows, N))
            kernels()[one](t, *rest, wanted)
            kernels()[loop].compiled(t, *rest, got)
            np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9)
            again = np.zeros((rows, N))
            kernels()[loop].loop(t, *rest, again)  # the same loop without numba
            np.testing.assert_allclose(again, wanted, rtol=1e-9, atol=1e-9)


def test_compiled_joint_positions_agree_with_numpy():
    pytest.importorskip("numba")
    rng = np.random.default_rng(8)
    rotations = quat.normalize(rng.normal(size=(5, 7, 26, 4)))
    root = rng.normal(size=(5, 7, 3))
    a, b = (joint_positions(BODY.skeleton, root, rotations, engine) for engine in ENGINES)
    np.testing.assert_allclose(a, b, atol=1e-12)


def test_a_kernel_is_its_function():
    def f(a, b=2.0):
        """Adds."""
        return a + b

    made = kernel(f)
    assert made(1.0) == 3.0 and made.__wrapped__ is f
    assert (made.__name__, made.__doc__, made.__module__) == ("f", "Adds.", __name__)


def test_either_chooses_without_mixing():
    assert either(1.0, 3.0, 7.0) == 3.0 and either(0.0, 3.0, 7.0) == 7.0
    np.testing.assert_array_equal(either(np.array([1.0, 0.0]), np.array([1.0, 2.0]), 9.0), [1.0, 9.0])


def test_engines_are_named():
    assert [check_engine(e) for e in ENGINES] == list(ENGINES)
    with pytest.raises(GambolError, match=r"engine is 'cuda'.*numpy or compiled"):
        check_engine("cuda")


def test_without_numba_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    fresh = Kernel(either.function)
    with pytest.raises(MissingExtra, match=r"gambol\[fast\]"):
        _ = fresh.compiled
    assert fresh(1.0, 2.0, 3.0) == 2.0  # numpy still does the work


class Modules:
    """Two modules on disk, the outer one calling a kernel and using a constant of its own."""

    INNER = """
        from gambol.kernels import kernel
        {constant}

        @kernel
        def inner(x):
            return {body}
    """
    OUTER = """
        import numpy as np
        from gambol.kernels import kernel
        from {name}_inner import inner
        SCALE = {scale}

        @kernel
        def outer(x):
            return SCALE * inner(x) + np.sin(x)
    """

    def __init__(self, folder, monkeypatch) -> None:
        self.folder, self.count = folder, 0
        monkeypatch.syspath_prepend(str(folder))

    def load(self, name: str, body: str = "x + FAR", constant: str = "FAR = 1.5", scale: str = "2.0") -> Kernel:
        """The outer kernel of the two modules as now written; the same name is the same file."""
        texts = {
            f"{name}_inner": self.INNER.format(constant=constant, body=body),
            name: self.OUTER.format(name=name, scale=scale),
        }
        for module, text in texts.items():
            file = self.folder / f"{module}.py"
            if not file.exists() or file.read_text() != textwrap.dedent(text):
                file.write_text(textwrap.dedent(text))
            sys.modules.pop(module, None)
        importlib.invalidate_caches()
        linecache.clearcache()
        self.count += 1
        return importlib.import_module(name).outer


@pytest.fixture
def modules(tmp_path, monkeypatch) -> Modules:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return Modules(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "change",
    [
        {"body": "x - FAR"},
        {"constant": "FAR = 1.25"},
        {"constant": "FAR = 1.5000000000000002"},
        {"scale": "3.0"},
        {"scale": "(2.0)  # said otherwise", "body": "x + FAR * 1.0"},
    ],
    ids=["callee's source", "callee's constant", "its last digit", "own constant", "callee rewritten"],
)
def test_the_digest_follows_callees_and_constants(modules, change):
    before = modules.load("kernels_under_test").digest
    assert modules.load("kernels_under_test").digest == before
    assert modules.load("kernels_under_test", **change).digest != before
    assert modules.load("kernels_under_test").digest == before


@pytest.mark.parametrize("other", ["np.array([1.5 + 1e-12, 2.0])", "np.array([1.5, 3.0])", "np.array([1.5])"])
def test_the_digest_sees_arrays_to_the_last_digit(modules, other):
    texts = {"body": "x + FAR[0]", "constant": "import numpy as np; FAR = np.array([1.5, 2.0])"}
    before = modules.load("kernels_with_arrays", **texts).digest
    texts["constant"] = f"import numpy as np; FAR = {other}"
    assert modules.load("kernels_with_arrays", **texts).digest != before


def test_compiled_code_is_never_stale(modules):
    """numba's disk cache looks at one file only: a change in the callee's file must still be seen."""
    pytest.importorskip("numba")
    for change in ({}, {"body": "x - FAR"}, {"constant": "FAR = 1.25"}, {}):
        outer = modules.load("kernels_compiled_under_test", **change)
        assert outer.compiled(0.3) == pytest.approx(outer(0.3), abs=1e-12), change


def test_digests_are_stable_and_all_different():
    seen = [k.digest for k in kernels().values()]
    assert len(set(seen)) == len(seen)
    assert all(Kernel(k.function, k.loop).digest == k.digest for k in kernels().values())


def test_digests_are_the_same_in_another_process():
    """Else the cache on disk would never be found again."""
    code = "from gambol.figure import pose_frames, sole_frames; print(pose_frames.digest, sole_frames.digest)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert out == [kernels()["figure.pose_frames"].digest, kernels()["figure.sole_frames"].digest]
