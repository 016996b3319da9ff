"""How long things take on this machine: median of five, warm or cold stated.

usage: python bench/bench_time.py [--write]     prints markdown; --write puts it, with the peers, in docs/timings.md
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gambol import quat
from gambol.errors import MissingExtra
from gambol.gait import Gait
from gambol.methods.force_walk import ForceWalk
from gambol.path import Path as WalkPath
from gambol.skeleton import Skeleton, joint_positions
from gambol.synthesis import Stream, Task, generate

ROOT = Path(__file__).resolve().parents[1]
RUNS = 5
JOINTS = 31
ENGINES = ("compiled", "numpy")
MET = {True: "yes", False: "**no**"}
# engine -> asked ms of a step, s of a walk, million frames a second of forward kinematics
ASKED = {"compiled": (0.3, 0.1, 2.5), "numpy": (5.0, 0.5, 0.25)}


class Timed(NamedTuple):
    """s of five runs: the middle one, and the fastest, which other work on the machine disturbs least."""

    median: float
    fastest: float


def timed(work: Callable[[], object], repeat: int = 1) -> Timed:
    """Five runs of ``repeat`` calls each, after one call that is not counted."""
    work()
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        for _ in range(repeat):
            work()
        times.append((time.perf_counter() - start) / repeat)
    return Timed(statistics.median(times), min(times))


def figure(joints: int = JOINTS) -> Skeleton:
    """A tree of joints: five chains from one root, as arms, legs and a spine are."""
    parents = np.array([-1, *(0 if j % 6 == 1 else j - 1 for j in range(1, joints))])
    offsets = np.random.default_rng(1).normal(0, 0.1, (joints, 3))
    return Skeleton(tuple(f"joint{j}" for j in range(joints)), parents, offsets)


def turns(frames: int, joints: int = JOINTS) -> tuple[np.ndarray, np.ndarray]:
    """Root (F, 3) and rotations (F, J, 4) that change slowly."""
    rng = np.random.default_rng(2)
    t = np.linspace(0, 10, frames)[:, None, None]
    angles = rng.uniform(-1, 1, (joints, 3)) * np.sin(t * rng.uniform(0.5, 2, (joints, 3)))
    return np.cumsum(rng.normal(0, 0.01, (frames, 3)), 0), quat.exp(angles)


def straight(length: float) -> WalkPath:
    return WalkPath(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, length]]))


def step_time(engine: str) -> Timed:
    """One step: the median of the steps in the middle of a long walk, of five walks."""
    task = Task(path=straight(90.0), gait=Gait(speed=1.2))
    medians = []
    for _ in range(RUNS + 1):  # the first warms up
        stream, times = Stream(ForceWalk(engine=engine), task), []
        for _ in range(110):
            start = time.perf_counter()
            stream.stretch()
            times.append(time.perf_counter() - start)
        medians.append(statistics.median(times[8:]))
    return Timed(statistics.median(medians[1:]), min(medians[1:]))


def walk_time(engine: str) -> Timed:
    """A walk of 60 s at 60 frames a second."""
    task = Task(path=straight(80.0), gait=Gait(speed=1.2), duration=60.0)
    return timed(lambda: generate(ForceWalk(engine=engine), task))


def frames_time(engine: str, frames: int) -> Timed:
    """Forward kinematics: (F, J, 4) in, (F, J, 3) out."""
    skeleton, (root, rotations) = figure(), turns(frames)
    return timed(lambda: joint_positions(skeleton, root, rotations, engine), 3)


def pose_time() -> Timed:
    """One compiled pose, the call from Python included."""
    skeleton, (root, rotations) = figure(), turns(1)
    return timed(lambda: joint_positions(skeleton, root[0], rotations[0], "compiled"), 2000)


def process_time(*words: str) -> Timed:
    """A whole new process."""
    with tempfile.TemporaryDirectory() as folder:
        line = [sys.executable, "-m", "gambol", *(w.format(folder=folder) for w in words)]
        return timed(lambda: subprocess.run(line, check=True, stdout=subprocess.DEVNULL, cwd=folder))


def row(what: str, state: str, asked: tuple[float, str], took: Timed) -> list[str]:
    """A line; ``asked`` is in s, ms or us."""
    limit, unit = asked
    scale = {"s": 1.0, "ms": 1e3, "us": 1e6}[unit]
    median, fastest = (scale * t for t in took)
    return [what, state, f"{limit:g} {unit}", f"{median:.3g} {unit}", f"{fastest:.3g} {unit}", MET[median <= limit]]


def rate_row(what: str, state: str, limit: float, took: Timed, frames: int) -> list[str]:
    """A line; ``limit`` is in million frames a second."""
    median, fastest = (1e-6 * frames / t for t in took)
    unit = "million/s"
    return [what, state, f"{limit:g} {unit}", f"{median:.3g} {unit}", f"{fastest:.3g} {unit}", MET[median >= limit]]


def engine_rows(engine: str) -> Iterable[list[str]]:
    step, walk, rate = ASKED[engine]
    state = f"warm, {engine}"
    try:
        yield row("one step planned and posed, 60 fps", state, (step, "ms"), step_time(engine))
    except MissingExtra as missing:
        yield [f"engine {engine}", "", "", str(missing), "", ""]
        return
    yield row("a walk of 60 s, 60 fps", state, (walk, "s"), walk_time(engine))
    for frames in (2752, 10_000):
        what = f"forward kinematics, {JOINTS} joints, {frames} frames"
        yield rate_row(what, state, rate, frames_time(engine, frames), frames)
    if engine == "compiled":
        yield row(f"one pose, {JOINTS} joints", state, (5.0, "us"), pose_time())


def process_rows() -> Iterable[list[str]]:
    for words, asked in (("walk -o {folder}/walk.glb", 2.0), ("--help", 0.5)):
        said = "gambol " + words.replace("{folder}/", "")
        yield row(f"`{said}`, whole process", "cold: a new process", (asked, "s"), process_time(*words.split()))


def machine(before: float) -> str:
    """The processor, the versions, and how busy the machine was."""
    name = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            name = next((x.split(":", 1)[1].strip() for x in lines if x.startswith("model name")), name)
    parts = [f"{name}, {os.cpu_count()} cores", f"Python {platform.python_version()}"]
    for package in ("numpy", "numba"):
        try:
            parts.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            parts.append(f"no {package}")
    if hasattr(os, "getloadavg"):
        busy = "shared with other work" if before > 0.5 else "otherwise idle"
        parts.append(f"load {before:.1f} before and {os.getloadavg()[0]:.1f} after: {busy}")
    return "; ".join(parts) + "."


def load() -> float:
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows))


def page() -> str:
    """The table of timings and the machine they were taken on."""
    before = load()
    rows = [row for engine in ENGINES for row in engine_rows(engine)] + list(process_rows())
    table = markdown(("what", "state", "asked", "median of 5", "fastest", "met"), rows)
    return f"{table}\n\n{machine(before)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    text = page()
    print(text)
    if write:
        import bench_peers

        head = "# Timings\n\nWritten by `bench/bench_time.py --write`. One core each.\n\n"
        target = ROOT / "docs" / "timings.md"
        target.write_text(f"{head}{text}\n\n## Beside others\n\n{bench_peers.page()}\n", encoding="utf-8")
        print(f"written: {target.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
