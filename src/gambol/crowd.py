"""A crowd: walkers that differ, each on its own line beside the others, out of step.

Along one path they go in rows, abreast as far as their shoulders need; each keeps its place, so that nobody is
overtaken by much. Everything random comes from the seed of the task.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gambol.body import Body
from gambol.errors import GambolError
from gambol.gait import pace
from gambol.many import quickest
from gambol.motion import Motion
from gambol.path import Path
from gambol.style import PLAIN, find, styled, styles
from gambol.synthesis import Task, generate

__all__ = ["VARIED", "abreast", "crowd", "delayed"]

VARIED = ("height", "cadence", "phase", "style")
ABREAST, BEHIND = 0.9, 1.6  # m between neighbours, and between rows
SHORTEST = 1.0  # m that is left to walk when the rows are cut off
SCATTER = {"height": 0.07, "cadence": 0.05}  # standard deviation, of the usual
FARTHEST = 2.0  # standard deviations
EASED = (1.0, 0.5, 0.0)  # of how far a cadence goes from the usual, where a body cannot follow it
STEP = 0.25  # m between the points of a line beside a path


def crowd(method: Any, tasks: list[Task], count: int, vary: tuple[str, ...]) -> list[Motion]:
    """The motions of ``count`` walkers, named walker_01 and so on.

    Args:
        method: of all of them.
        tasks: a task for each path; the walkers are dealt out to them in turn.
        count: walkers.
        vary: what differs between them, of :data:`VARIED`.

    Raises:
        GambolError: where a path is too short for its rows, or nobody walks there.
    """
    rng = np.random.default_rng(tasks[0].seed)
    method, out = quickest(method), []
    digits = max(len(str(count)), 2)
    for k in range(count):
        task, place = tasks[k % len(tasks)], k // len(tasks)
        there = -(-(count - k % len(tasks)) // len(tasks))  # walkers on this path
        walker, asked, wait = _one(method, replace(task, path=abreast(task.path, place, there)), vary, rng)
        motion = delayed(generate(walker, asked), wait)
        out.append(replace(motion, name=f"walker_{k + 1:0{digits}}"))
    return out


def abreast(path: Path, place: int, count: int) -> Path:
    """The line of one of ``count`` walkers along a path: beside it, and as much shorter as the rows take.

    Raises:
        GambolError: for a path that is too short for so many.
    """
    if count == 1:
        return path
    files = int(np.ceil(np.sqrt(count)))
    rows = -(-count // files)
    row, file = divmod(place, files)
    in_row = min(files, count - row * files)
    left = ABREAST * ((in_row - 1) / 2 - file)
    way = path.length - BEHIND * (rows - 1)
    if way < SHORTEST:
        raise GambolError(
            f"{path.length:.1f} m are too short for {count} walkers in {rows} rows", where="path",
            allowed=f"{SHORTEST + BEHIND * (rows - 1):.1f} m or more", do="give a longer path, or fewer walkers",
        )
    s = BEHIND * (rows - 1 - row) + np.linspace(0.0, way, max(int(way / STEP), 1) + 1)
    return Path(path.place(s, left, 0.0))


def _one(method: Any, task: Task, vary: tuple[str, ...], rng: np.random.Generator) -> tuple[Any, Task, float]:
    """Method, task and the s that one walker waits; every number is drawn, whether it is used or not."""
    tall, quick = np.clip(rng.standard_normal(2), -FARTHEST, FARTHEST).tolist()
    late = float(rng.uniform(0, 2))
    known = [PLAIN.name, *sorted(styles())]
    style = known[int(rng.integers(len(known)))]
    if "height" in vary:
        tallness = 1 + SCATTER["height"] * tall
        task = replace(task, body=Body(task.body.height * tallness, float(task.body.mass or 0) * tallness**2))
    usual = pace(task.gait, task.body)
    if "cadence" in vary:
        task = _quicker(task, SCATTER["cadence"] * quick)
    if "style" in vary and style != PLAIN.name:
        method, task = styled(method, task, ((0.0, find(style)),))
    return method, task, late * usual.step_time if "phase" in vary else 0.0


def _quicker(task: Task, share: float) -> Task:
    """The task at the same speed with a share more steps a minute, as far as the body follows."""
    usual = pace(task.gait, task.body)
    for ease in EASED:
        gait = replace(
            task.gait, speed=usual.speed, step_length=None, cadence=60 / usual.step_time * (1 + ease * share)
        )
        try:
            pace(gait, task.body)
        except GambolError:
            continue
        return replace(task, gait=gait)
    return task


def delayed(motion: Motion, wait: float) -> Motion:
    """The motion, begun ``wait`` s later (to a frame): until then the figure stands as it does at first."""
    n = round(wait * motion.fps)
    if n == 0:
        return motion
    keys = ("root", "rotations", "contacts", "forces", "pressure", "com")
    held: dict[str, Any] = {
        k: np.concatenate([np.repeat(v[:1], n, 0), v]) for k in keys if (v := getattr(motion, k)) is not None
    }
    events = {k: [t + n / motion.fps for t in v] for k, v in motion.info.get("events", {}).items()}
    return replace(motion, **held, info={**motion.info, "events": events, "waits_s": n / motion.fps})
