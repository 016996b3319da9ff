"""Scenes whose numbers are shown: what is walked, saved, loaded and then measured."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path as FilePath
from typing import NamedTuple

import normative
import numpy as np

from gambol.body import Body, G
from gambol.gait import Gait
from gambol.io import load, save
from gambol.measure import Report, measure
from gambol.methods.force_walk import ForceWalk
from gambol.motion import Motion
from gambol.path import Path, load_path, walkable
from gambol.scenes import demo
from gambol.synthesis import Task, generate
from gambol.terrain import Slope, Stairs, Terrain, load_terrain

CASES = FilePath(__file__).parent / "cases"
RATES = (120.0, 240.0, 480.0)


class Exported(NamedTuple):
    """A walk as it was read back from its file, its ground and path, and the report of the judge."""

    motion: Motion
    terrain: Terrain
    path: Path
    report: Report


def straight(length: float) -> Path:
    return Path(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, length]]))


def circle() -> Path:
    turn = np.linspace(0.0, 2 * np.pi, 97)[:-1]
    return Path(np.stack([3 - 3 * np.cos(turn), 0 * turn, 3 * np.sin(turn)], -1), closed=True)


def case(ground: str, path: str, *, back: bool = False) -> Task:
    points = load_path(CASES / path).points
    return Task(path=walkable(points[::-1] if back else points), terrain=load_terrain(CASES / ground))


def built_in() -> Task:
    path, ground = demo()
    return Task(path=path, terrain=ground)


SCENES: dict[str, Callable[[], Task]] = {
    "flat": lambda: Task(path=straight(12)),
    "stairs up 0.16 / 0.30": lambda: Task(path=straight(8), terrain=Stairs(0.16, 0.30, 12, start=1.5)),
    "stairs down 0.16 / 0.30": lambda: Task(path=straight(8), terrain=Stairs(-0.16, 0.30, 12, start=1.5)),
    "slope 10 degrees up": lambda: Task(path=straight(9), terrain=Slope(np.radians(10))),
    "slope 10 degrees down": lambda: Task(path=straight(9), terrain=Slope(np.radians(-10))),
    "slope 10 degrees across": lambda: Task(path=straight(9), terrain=Slope(np.radians(10), np.pi / 2)),
    "slope 18 degrees down (mesh)": lambda: case("U010_slope_18deg_down.obj", "U010_path_down_slope.csv"),
    "curve, radius 3 m": lambda: Task(path=circle()),
    "right angle": lambda: Task(path=load_path(CASES / "U022_path_right_angle.csv")),
    "built-in scene (mesh)": built_in,
    "irregular stairs up (mesh)": lambda: case("U011_stairs_irregular.obj", "U011_path_up_stairs.csv"),
    "irregular stairs down (mesh)": lambda: case("U011_stairs_irregular.obj", "U011_path_up_stairs.csv", back=True),
}

NAMES = tuple(SCENES)
STAIRS = tuple(n for n in NAMES if "stairs" in n)
TILTED = tuple(n for n in NAMES if n.startswith("slope"))
STEADY = ("flat", "curve, radius 3 m", *TILTED)
# class of the published curves -> m/s, by the dimensionless speed
SPEEDS = {c: round(float(v * np.sqrt(G * Body(1.75).leg_length)), 3) for c, v in normative.CLASSES.items()}


def exported(task: Task, method: ForceWalk | None = None, suffix: str = ".npz") -> Exported:
    """Walk, write, read back and measure."""
    motion = generate(method or ForceWalk(), task)
    with tempfile.TemporaryDirectory() as folder:
        file = FilePath(folder) / f"walk{suffix}"
        save(motion, file)
        motion = load(file)
    return Exported(motion, task.terrain, task.path, measure(motion, task.terrain, task.path))


@cache
def scene(name: str, fps: float = 60.0, suffix: str = ".npz") -> Exported:
    return exported(replace(SCENES[name](), fps=fps), suffix=suffix)


@cache
def level(speed: float, fps: float = 60.0) -> Exported:
    """A straight level walk long enough for ten steady strides."""
    return exported(Task(path=straight(10 * max(speed, 0.8) + 4), gait=Gait(speed=speed), fps=fps))


@cache
def paper(fps: float = 60.0) -> Exported:
    """The preset ``paper`` at the pace the paper shows: 100 steps a minute, 0.70 m."""
    task = Task(path=straight(14), gait=Gait(cadence=100.0, step_length=0.70), fps=fps)
    return exported(task, ForceWalk(preset="paper"))


@cache
def steps_over_leg() -> dict[str, float]:
    """Name of a body of case U143 -> median step length over leg length, at the speed the case gives it."""
    asked = json.loads((CASES / "U143_one_walk_three_bodies.json").read_text(encoding="utf-8"))
    out = {}
    for row in asked["bodies"]:
        body = Body(row["height_m"], mass=row["mass_kg"])
        walk = exported(Task(body=body, path=straight(12 * body.leg_length), gait=Gait(speed=row["speed_m_s"])))
        lengths = walk.report.walk.step_lengths_m
        out[row["name"]] = float(np.median(lengths[3:-3])) / body.leg_length
    return out


def adult_step() -> float:
    """Step length over leg length of the adult among them."""
    return steps_over_leg()["adult"]
