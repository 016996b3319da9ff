"""The numbers of posing, springs, dances, wind and music, measured by the program.

usage: python bench/bench_dance.py [--write]     prints markdown; --write puts it in docs/numbers_dance.md
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from dances import person, posed, steps  # noqa: E402
from walks import slides  # noqa: E402

from gambol import quat  # noqa: E402
from gambol.choreography import dance_to  # noqa: E402
from gambol.fitting import points_of  # noqa: E402
from gambol.io import load_motion, save  # noqa: E402
from gambol.keys import Key  # noqa: E402
from gambol.methods.elastic_dance import ElasticDance  # noqa: E402
from gambol.methods.sway import Sway  # noqa: E402
from gambol.models import model  # noqa: E402
from gambol.motion import Pose  # noqa: E402
from gambol.music import beats_of, metronome  # noqa: E402
from gambol.performance import perform  # noqa: E402
from gambol.posing import Puppet, drag, grab, pull  # noqa: E402
from gambol.spring import Spring, advance, propagator  # noqa: E402
from gambol.synthesis import Task, generate  # noqa: E402
from gambol.tension import Fixed, Limit, springs, stretch, within  # noqa: E402
from gambol.wind import Wind, elastic_of, field_at, flow, rod_middles, torques  # noqa: E402

MUSIC = Path(os.environ.get("GAMBOL_DATA", ROOT.parents[0] / "shared" / "data")) / "music"
FEET = ("left_foot", "right_foot")
ROWS: list[tuple[str, str, str, bool]] = []


def row(what: str, asked: str, value: float, unit: str, met: bool) -> None:
    ROWS.append((what, asked, f"{value:.3g} {unit}".strip(), met))


def best(work, repeat: int = 5) -> float:
    """ms, the fastest of some runs, by the time of this process."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times) * 1e3


def rest(skeleton) -> Pose:
    return Pose(skeleton.offsets[0], np.tile(quat.IDENTITY, (len(skeleton), 1)))


def posing() -> None:
    body = person()
    skeleton = body.skeleton
    puppet = Puppet(skeleton, body.limits, engine="compiled")
    grip = grab(puppet, rest(skeleton), ["right_hand"], FEET)
    way = np.array([[-0.4, 1.2, 0.4]])
    count = int(np.linalg.norm(way - grip.at) / 0.01)
    pull(puppet, grip, way)
    whole = best(lambda: pull(puppet, grip, way)) / count
    net, held = springs(skeleton, 2), np.isin(np.arange(39), [*grip.held[0], *grip.joints])
    points = points_of(skeleton, grip.pose)
    points[list(grip.joints)] += [0.01, 0.02, 0.01]

    def event() -> None:
        for _ in range(100):
            within(stretch(points, net, held, (0.5, 6), "compiled"), net, Fixed(held, grip.joints), Limit(), "compiled")

    event()
    took = best(event) / 100
    row("39-joint person, one drag event: springs and 10 passes of the limit", "at most 1 ms", took, "ms", took <= 1)
    row("the same with the fit of an exact pose inside joint limits", "at most 1 ms", whole, "ms", whole <= 1)
    pose = drag(puppet, rest(skeleton), {"right_hand": [-0.3, 1.2, 0.4]}, FEET)
    placed = points_of(skeleton, pose)
    lengths = np.linalg.norm(skeleton.offsets[1:], axis=1)
    wrong = np.abs(np.linalg.norm(placed[1:] - placed[skeleton.parents[1:]], axis=1) - lengths).max()
    row("bone lengths after a stored drag", "exact to 1e-9", wrong, "m", wrong < 1e-9)
    longest = 0.0
    for goal in ([-0.7, 1.6, 0.3], [-0.2, 1.9, 0.5], [-1.5, 2.5, 1.0]):
        grip = pull(puppet, grip, [goal])
        bones = np.linalg.norm(grip.points[1:] - grip.points[skeleton.parents[1:]], axis=1)
        longest = max(longest, float((bones / lengths).max()) - 1)
    row("bones while dragging", "at most 5 % longer", 100 * longest, "%", longest <= 0.05 + 1e-9)
    a, b = np.array([-0.86, 1.414, 0.0]), np.array([-0.35, 1.3, 0.35])
    ends = [
        points_of(skeleton, drag(puppet, rest(skeleton), {"right_hand": np.linspace(a, b, rate // 2)}, FEET))
        for rate in (15, 60, 240)
    ]
    apart = 1e3 * max(np.abs(e - ends[0]).max() for e in ends)
    row("the same straight drag at 15, 60, 240 events a second", "within 1 mm", apart, "mm", apart < 1)


def elastic() -> None:
    rng, worst = np.random.default_rng(1), 0.0
    for _ in range(2000):
        spring = Spring.tuned(rng.uniform(0.1, 60), rng.uniform(0, 4))
        h = rng.uniform(0, 5)
        whole, tenth = propagator(spring, h), propagator(spring, h / 10)
        x, v = 0.3, -1.1
        for _ in range(10):
            x, v = advance(x, v, 0.2, tenth)
        once = advance(0.3, -1.1, 0.2, whole)
        worst = max(worst, abs(float(x - once[0])))
    row("one elastic step against ten of a tenth, any h", "within 1e-12", worst, "rad", worst < 1e-12)
    task = Task(model=person(), keys=steps())
    shots = {f: generate(ElasticDance(balance=0.5), replace(task, fps=float(f))) for f in (24, 30, 60, 120)}
    same = all(
        np.array_equal(shots[120].root[:: 120 // f][: len(shots[f])], shots[f].root)
        and np.array_equal(np.abs(shots[120].rotations[:: 120 // f][: len(shots[f])]), np.abs(shots[f].rotations))
        for f in (24, 30, 60)
    )
    ROWS.append(("frames at 24, 30, 60, 120 a second on shared times", "byte-equal", "equal" if same else "not", same))
    keys = tuple(k._replace(planted=()) for k in steps())
    motion = generate(ElasticDance(limited=False), Task(model=person(), keys=keys, fps=120))
    there = [motion.rotations[round(k.time * 120)] for k in keys]
    turns = [quat.log(quat.multiply(quat.conjugate(k.pose.rotations), q)) for k, q in zip(keys, there)]
    off = max(float(np.abs(t).max()) for t in turns)
    row("exact-hit: every key reached", "within 1e-9 rad", off, "rad", off < 1e-9)
    worst = 0.0
    for z in (0.2, 0.4, 0.7):
        ends = (Key(0.0, posed(person()), planted=()), Key(0.01, posed(person(), spine=(20, 0, 0)), 4.0, planted=()))
        method = ElasticDance(mode="pull", limited=False, damping=z / 0.55, lag=0.0)
        x = np.degrees(quat.log(generate(method, Task(model=person(), keys=ends, fps=1000)).rotations)[:, 1, 0]) / 20
        worst = max(worst, abs((x.max() - 1) / np.exp(-np.pi * z / np.sqrt(1 - z * z)) - 1))
    row("limits off: overshoot against the closed form (z 0.2, 0.4, 0.7)", "within 1 %", 100 * worst, "%", worst < 0.01)
    wild = (
        Key(0.0, posed(person()), planted=()), Key(0.35, posed(person(), left_lower_leg=(140, 0, 0)), planted=()),
        Key(1.2, posed(person()), planted=()),
    )
    limits = person().limits
    method = ElasticDance(damping=0.1, stiffness=3)
    turns = quat.log(generate(method, Task(model=person(), keys=wild, fps=240)).rotations)
    beyond = float(np.maximum(limits.low[1:] - turns[:, 1:], turns[:, 1:] - limits.high[1:]).max())
    row("limits on: how far a wild dance passes them", "never", max(beyond, 0.0), "rad", beyond < 1e-9)


def dances() -> None:
    song = metronome(116, 12)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "dance.npz"
        save(perform(dance_to(song, model("person"), 4), Task(fps=120)), file)
        motion = load_motion(file)
    worst = 1e3 * float(slides(motion).max())
    row("planted feet in a made-up dance (120 fps, between frames too)", "slide at most 1 mm", worst, "mm", worst <= 1)
    keys = [k.time for k in dance_to(song, model("person"), 4).parts[0].keys[:-1]]
    off = 1e3 * max(float(np.abs(song.times - t).min()) for t in keys)
    row("postures land on beats", "within one frame", off, "ms", off < 1e3 / 60)


def music() -> None:
    case = ROOT / "tests" / "cases" / "U081_tempo_in_other_track"
    wanted = json.loads(case.with_suffix(".expect.json").read_text())["beat_seconds"]
    off = 1e3 * float(np.abs(beats_of(case.with_suffix(".mid")).times - wanted).max())
    row("MIDI beats, tempo in another track (U081)", "within 1 ms", off, "ms", off < 1)
    if not MUSIC.is_dir():
        return
    reference = np.loadtxt(MUSIC / "groove_funk_138bpm.beats.csv", delimiter=",", skiprows=1)[:, 0]
    found = beats_of(MUSIC / "groove_funk_138bpm.mid").times
    off = 1e3 * float(np.abs(found[: len(reference)] - reference[: len(found)]).max())
    row("MIDI beats of a published groove", "within 1 ms", off, "ms", off < 1)
    found, hits, used = beats_of(MUSIC / "groove_funk_138bpm.ogg").times, 0, set()
    for t in found:
        near = int(np.abs(reference - t).argmin())
        if abs(reference[near] - t) <= 0.07 and near not in used:
            used.add(near)
            hits += 1
    score = 2 * hits / (len(found) + len(reference))
    row("audio beats of the same groove, played", "F-measure at least 0.9 at 70 ms", score, "", score >= 0.9)


def wind() -> None:
    body = model("lily")  # 29 joints
    elastic, field = elastic_of(body, 0.45, 1.0), flow(Wind(6.0), 0)
    places = rod_middles(body) + np.random.default_rng(0).uniform(-20, 20, (1000, 1, 3)) * [1, 0, 1]
    rate = np.sqrt(elastic.stiffness / elastic.mass)[:, None]
    over = propagator(Spring.tuned(rate, 0.22), 1 / 60)
    state = [np.zeros((1000, 29, 3)), np.zeros((1000, 29, 3))]

    def frame() -> None:
        turning = torques(body, field_at(field, places, 1.0))
        x, v = advance(*state, turning / elastic.stiffness[:, None], over)
        quat.exp(x)

    frame()
    took = best(frame)
    row("1,000 plants of 29 joints in wind, a frame, one core", "at most 10 ms", took, "ms", took <= 10)
    task = Task(model=body, wind=Wind(8.0), period=4.0, fps=30)
    method = Sway()
    state0 = method.start(task)
    end = method._round(state0, task, 4.0 / state0.ticks)
    off = float(np.abs(end.x - state0.x).max())
    row("a loop in the wind: state after a round", "closes", off, "rad", off < 1e-9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    for part in (posing, elastic, dances, music, wind):
        part()
    lines = [
        "# Numbers of posing, dances, wind and music", "",
        "Measured by `python bench/bench_dance.py --write`; times are the fastest of five runs on one core.", "",
        "| what | asked | measured | met |", "|---|---|---|---|",
        *(f"| {a} | {b} | {c} | {'yes' if d else '**no**'} |" for a, b, c, d in ROWS),
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    if write:
        (ROOT / "docs" / "numbers_dance.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
