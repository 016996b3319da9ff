"""Shared by the walking tests: arithmetic of its own on finished motions (not the package's measuring code)."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from gambol import quat
from gambol.body import Body, G, mass_model
from gambol.figure import StepPlan
from gambol.gait import Gait
from gambol.lowering import Way, lowered
from gambol.methods import METHODS, ForceWalk
from gambol.motion import Motion
from gambol.path import Path
from gambol.profile import profile
from gambol.skeleton import forward_kinematics
from gambol.synthesis import Stream, Task, generate


class Usual(NamedTuple):
    """What a method is asked for in the conformance suite."""

    speed: float  # m/s
    speeds: tuple[float, ...]  # that it keeps
    change: tuple[float, float]  # from one to another while it goes
    length: float  # m that show several steady strides
    alike: float  # v / sqrt(g leg) at which bodies of all sizes look the same
    step: float  # and their step over leg length there
    impossible: tuple[tuple[dict[str, float], str], ...]  # gaits and a word of why not
    newton: float  # frames a second whose second differences are C''
    walks: bool = True  # never leaves the ground, may turn on the spot


class Usuals(dict[str, Usual]):
    """What is not listed is asked to walk as the force walk."""

    def __missing__(self, name: str) -> Usual:
        return self["force"]


USUAL = Usuals({
    "force": Usual(
        1.2, (0.6, 1.2, 1.9), (1.0, 1.5), 8.0, 0.43, 1.099 * 0.43**0.51,
        (({"speed": 9.0}, "m/s"), ({"speed": 1.0, "step_length": 1.6}, "at most"), ({"cadence": 400}, "a minute")),
        120.0,
    ),
    "running": Usual(
        3.0, (2.2, 4.0, 6.0), (2.6, 3.4), 22.0, 1.0, 2.95 * (1 - np.exp(-1.0 / 1.9)),
        (({"speed": 14.0}, "m/s"), ({"speed": 3.0, "step_length": 3.6}, "at most"), ({"cadence": 400}, "a minute")),
        480.0, walks=False,
    ),
})


def straight(length: float = 8.0) -> Path:
    return Path(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, length]]))


@cache
def level_walk(
    method: str = "force",
    speed: float | None = None,
    fps: float = 60.0,
    height: float = 1.75,
    length: float | None = None,
) -> Motion:
    usual = USUAL[method]
    speed, length = speed or usual.speed, length or usual.length
    task = Task(body=Body(height), path=straight(length), gait=Gait(speed=speed), fps=fps)
    return generate(METHODS[method](), task)


def sole_tracks(motion: Motion) -> np.ndarray:
    """(F, S, 3) m."""
    return motion.positions()[:, list(motion.skeleton.soles)]


def half_way(motion: Motion) -> Motion:
    """Twice the frames: root halved linearly, rotations by slerp, as a player shows them."""
    frames = np.arange(2 * len(motion) - 1)
    a, b = frames // 2, np.minimum(frames // 2 + 1, len(motion) - 1)
    t = (frames % 2) / 2.0
    root = motion.root[a] * (1 - t)[:, None] + motion.root[b] * t[:, None]
    rotations = quat.slerp(motion.rotations[a], motion.rotations[b], t[:, None])
    return Motion(motion.skeleton, root, rotations, 2 * motion.fps)


def slides(motion: Motion) -> np.ndarray:
    """m, for every unbroken contact: farthest horizontal distance from its place at its first planted frame."""
    tracks = sole_tracks(half_way(motion))
    out = []
    for sole in range(tracks.shape[1]):
        on = motion.contacts[:, sole].astype(int)
        edges = np.flatnonzero(np.diff(np.r_[0, on, 0]))
        for first, end in zip(edges[::2], edges[1::2]):
            seen = tracks[2 * first : 2 * (end - 1) + 1, sole][:, [0, 2]]
            out.append(np.linalg.norm(seen - seen[0], axis=-1).max())
    return np.array(out)


def posed_com(motion: Motion) -> np.ndarray:
    """(F, 3) m, from the exported rotations and the segment table."""
    model = mass_model(motion.skeleton)
    p, q = forward_kinematics(motion.skeleton, motion.root, motion.rotations)
    return np.sum(model.shares[:, None] * (p + quat.rotate(q, model.centres)), axis=1)


def angular_velocity(motion: Motion) -> np.ndarray:
    """(F-1, J, 3) rad/s of every joint in its parent's frame."""
    return quat.log(quat.multiply(quat.conjugate(motion.rotations[:-1]), motion.rotations[1:])) * motion.fps


def largest_changes(motion: Motion) -> tuple[float, float]:
    """Largest frame-to-frame change of pelvis velocity (m/s) and of any joint's angular velocity (rad/s)."""
    velocity = np.diff(motion.root, axis=0) * motion.fps
    return (
        float(np.linalg.norm(np.diff(velocity, axis=0), axis=-1).max()),
        float(np.linalg.norm(np.diff(angular_velocity(motion), axis=0), axis=-1).max()),
    )


def weight(motion: Motion) -> float:
    return motion.mass * G


def step_plans(task: Task) -> list[StepPlan]:
    """The plan of every step of a force walk."""
    stream, found = Stream(ForceWalk(), task), []
    while not stream.state.over:
        state = stream.state
        ground = profile(state.walker.front, state.ahead.two, state.scene.figure.foot, task.terrain)
        way = Way(state.walker, state.ahead, (state.ground, ground))
        found.append(lowered(way, state.sketch, False, state.rest, (state.scene, state.scene))[0])
        stream.stretch()
    return found
