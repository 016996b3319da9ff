"""A thousand walkers: how long they take, how much room, and whether they are as good as one.

usage: python bench/bench_crowd.py [--count 1000] [--write]     prints markdown; --write: into docs/numbers_crowd.md

Half of them on level ground along curved paths, half on stairs up and down; every one with its own body, pace and
number of steps; 10 s at 30 frames a second, contacts, forces, pressure and mass centre filled.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from bench_time import machine, markdown

from gambol.body import Body
from gambol.gait import Gait
from gambol.many import generate_many, quickest
from gambol.measure import measure
from gambol.methods import ForceWalk
from gambol.motion import Motion
from gambol.path import walkable
from gambol.synthesis import Task, generate
from gambol.task_json import task_to_json
from gambol.terrain import Flat, Stairs

ROOT = Path(__file__).resolve().parents[1]
SECONDS, FPS, LOOKED_AT, JOBS = 10.0, 30.0, 50, 2
MET = {True: "yes", False: "**no**"}
FIELDS = ("root", "rotations", "com", "forces", "pressure")


def task(number: int) -> Task:
    """One of a crowd: even numbers walk on the level, odd ones on stairs."""
    rng = np.random.default_rng(number)
    body = Body(float(rng.uniform(1.5, 1.95)), float(rng.uniform(50, 100)))
    x = np.concatenate([[0.0], rng.uniform(-1.5, 1.5, 3)]) if number % 2 == 0 else np.zeros(4)
    z = np.array([0.0, 5.0, 10.0, 16.0]) + rng.uniform(0, 0.7)  # so that no two are at the same step
    z[0] = 0.0
    path = walkable(np.stack([x, 0 * x, z], -1))
    up = 1 if rng.random() < 0.5 else -1
    rise, tread, count = up * float(rng.uniform(0.14, 0.18)), float(rng.uniform(0.28, 0.33)), int(rng.integers(4, 12))
    ground = Flat() if number % 2 == 0 else Stairs(rise, tread, count, start=float(rng.uniform(1.2, 2.2)))
    speed = Gait(float(rng.uniform(0.9, 1.4)))
    return Task(body=body, path=path, terrain=ground, gait=speed, fps=FPS, duration=SECONDS, seed=number)


def room() -> float:
    """GB that the process has taken at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def difference(a: Motion, b: Motion) -> float:
    """Largest difference of two motions; forces in weights."""
    scale = {"forces": float(a.mass or 1.0) * 9.81}
    parts = [np.nan_to_num(getattr(a, k) - getattr(b, k)) / scale.get(k, 1.0) for k in FIELDS]
    return max(float(np.abs(p).max()) for p in parts)


def crowd(count: int) -> list[list[str]]:
    """All at once on one core, warm."""
    tasks = [task(k) for k in range(count)]
    generate_many(ForceWalk(), tasks[:4])
    before, start, used = room(), time.perf_counter(), time.process_time()
    motions = generate_many(ForceWalk(), tasks)
    took, used = time.perf_counter() - start, time.process_time() - used
    whole = all(getattr(m, k) is not None for m in motions for k in (*FIELDS, "contacts"))
    chosen = np.random.default_rng(0).choice(count, min(LOOKED_AT, count), replace=False)
    failed = [int(k) for k in chosen if not measure(motions[k], tasks[k].terrain).passed]
    alone = max(difference(motions[k], generate(ForceWalk(), tasks[k])) for k in chosen)
    limit, name = 0.01 * count, f"{count} walks of {SECONDS:g} s, {FPS:g} fps, half on stairs, one core, warm"
    return [
        [name, f"{limit:g} s", f"{took:.1f} s ({used:.1f} s of the processor)", MET[took <= limit and whole]],
        ["room for them", "2 GB", f"{room():.2f} GB in all, {before:.2f} before", MET[room() <= 2]],
        [f"a random {len(chosen)} pass `measure`", "all", f"{len(chosen) - len(failed)}", MET[not failed]],
        ["difference from `generate` by numpy", "1e-9", f"{alone:.1e}", MET[alone <= 1e-9]],
    ]


def make(count: int) -> list[list[str]]:
    """gambol make, whole, and killed half way."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        file = folder / "tasks.jsonl"
        file.write_text("".join(json.dumps(task_to_json(task(k))) + "\n" for k in range(count)), encoding="utf-8")

        def words(name: str) -> list[str]:
            return [sys.executable, "-m", "gambol", "make", str(file), "-o", str(folder / name), "--jobs", str(JOBS)]

        start = time.perf_counter()
        subprocess.run(words("whole"), check=True, stdout=subprocess.DEVNULL)
        took = time.perf_counter() - start
        cut = subprocess.Popen(words("cut"), stdout=subprocess.DEVNULL)
        while len(list((folder / "cut").glob("*.label.json"))) < count // 3:
            time.sleep(0.01)
        cut.kill()
        cut.wait()
        time.sleep(1.0)  # its workers end of themselves
        subprocess.run(words("cut"), check=True, stdout=subprocess.DEVNULL)
        same = all((folder / "cut" / f.name).read_bytes() == f.read_bytes() for f in (folder / "whole").iterdir())
        number = len(list((folder / "whole").iterdir()))
    limit = 0.06 * count
    return [
        [f"`gambol make` of {count} such tasks, {JOBS} jobs", f"{limit:g} s", f"{took:.1f} s", MET[took <= limit]],
        ["killed (-9) after a third and taken up again", "same bytes", f"{number} files alike" if same else "differ",
         MET[same and number == 2 * count]],
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    before = os.getloadavg()[0]
    assert quickest(ForceWalk()).engine == "compiled", "these numbers are of the compiled engine"
    table = markdown(("what", "asked", "measured", "met"), crowd(asked.count) + make(asked.count))
    text = f"{table}\n\n{machine(before)}"
    print(text)
    if asked.write:
        head = "# Numbers: many walkers\n\nWritten by `bench/bench_crowd.py --write`.\n\n"
        (ROOT / "docs" / "numbers_crowd.md").write_text(f"{head}{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
