"""Task, Method, generate and Stream: how any method is asked for motion.

The unit is a *stretch*: what a method decides at one time (a step, a graph edge, a whole clip).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from gambol.body import Body
from gambol.errors import GambolError
from gambol.gait import Gait
from gambol.motion import Motion, Pose, join
from gambol.path import Path
from gambol.terrain import Flat, Terrain

__all__ = ["Dial", "Handover", "Method", "Stream", "Task", "dial", "dials", "generate"]


@dataclass(frozen=True)
class Task:
    """Everything a method may need.

    Attributes:
        body: who walks.
        path: where to; by default 6 m straight ahead.
        terrain: the ground.
        gait: how fast; what is missing follows by published laws.
        laps: times round a closed path.
        fps: frames a second, any positive real; frames are at i / fps.
        duration: s, or None for as long as it takes. A shorter one cuts, a longer one ends standing.
        seed: of everything random.
        hand_load: kg carried in the (left, right) hand.
    """

    body: Body = field(default_factory=Body)
    path: Path = field(default_factory=lambda: Path(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 6.0]])))
    terrain: Terrain = field(default_factory=Flat)
    gait: Gait = field(default_factory=Gait)
    laps: int = 1
    fps: float = 60.0
    duration: float | None = None
    seed: int = 0
    hand_load: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.fps) and 1 <= self.fps <= 10_000):
            raise GambolError(f"fps is {self.fps:g}", where="task", allowed="1 to 10000")
        if self.duration is not None and not (np.isfinite(self.duration) and self.duration >= 0):
            raise GambolError(f"duration is {self.duration:g} s", where="task", allowed="0 or more")
        if self.laps < 1:
            raise GambolError(f"laps is {self.laps}", where="task", allowed="1 or more")
        if any(not (np.isfinite(m) and 0 <= m <= 60) for m in self.hand_load):
            raise GambolError(
                f"hand load is {self.hand_load}", where="task", allowed="0 to 60 kg in each hand"
            )


class Handover(NamedTuple):
    """How one method leaves the figure for the next: time s, pose, velocities, planted soles, and the next side."""

    time: float
    pose: Pose
    velocity: np.ndarray  # (3,) m/s of the centre of mass
    planted: dict[str, np.ndarray]  # sole joint -> (3,) m in the world
    next_side: int


class Method(Protocol):
    """What every way of moving offers. Pure: ``advance`` depends on its arguments alone."""

    def start(self, task: Task, after: Handover | None = None) -> Any:
        """The state at the first frame."""

    def advance(self, state: Any, task: Task) -> tuple[Any, Motion | None]:
        """The next stretch; None when the motion is over."""

    def handover(self, state: Any) -> Handover:
        """Where the figure is at the end of the last stretch."""


class Dial(NamedTuple):
    """One adjustable number of a method, for the command line, sliders and tests."""

    name: str
    default: float
    low: float
    high: float
    unit: str
    meaning: str
    source: str


def dial(default: float, low: float, high: float, unit: str, meaning: str, source: str = "") -> Any:
    """A dataclass field that is a dial."""
    meta = {"dial": (default, low, high, unit, meaning, source)}
    return field(default=default, metadata=meta)


def dials(method: Any) -> list[Dial]:
    """The dials of a method (class or value)."""
    return [Dial(f.name, *f.metadata["dial"]) for f in dataclasses.fields(method) if "dial" in f.metadata]


class Stream:
    """A motion read in pieces while path, gait and dials may change: set ``task`` or ``method`` between reads."""

    def __init__(self, method: Method, task: Task, after: Handover | None = None) -> None:
        self.method, self.task = method, task
        self.state = method.start(task, after)
        self._waiting: list[Motion] = []
        self.over = False

    def stretch(self) -> Motion | None:
        """The next stretch, or None when the motion is over."""
        if self.over:
            return None
        self.state, motion = self.method.advance(self.state, self.task)
        self.over = motion is None
        return motion

    def read(self, frames: int) -> Motion | None:
        """The next ``frames`` frames (fewer at the end); None when there are no more."""
        while sum(map(len, self._waiting)) < frames:
            part = self.stretch()
            if part is None:
                break
            self._waiting.append(part)
        if not any(map(len, self._waiting)):
            return None
        whole = join(self._waiting)
        self._waiting = [whole[frames:]]
        return whole[:frames]


def generate(method: Method, task: Task, after: Handover | None = None) -> Motion:
    """The whole motion of a task: the stretches of a :class:`Stream`, joined."""
    stream = Stream(method, task, after)
    parts = list(_drain(stream))
    motion = join(parts)
    if task.duration is not None:
        motion = _last(motion, int(np.floor(task.duration * task.fps + 1e-9)) + 1)
    finish = getattr(method, "finish", None)
    return motion if finish is None else finish(stream.state, task, motion)


def _drain(stream: Stream) -> Iterable[Motion]:
    frames = 0
    limit = np.inf if stream.task.duration is None else stream.task.duration * stream.task.fps + 1
    while frames < limit and (part := stream.stretch()) is not None:
        frames += len(part)
        yield part


def _last(motion: Motion, frames: int) -> Motion:
    """Cut to ``frames``, or hold the last frame until then."""
    if len(motion) >= frames:
        return motion[:frames]
    keys = ("root", "rotations", "contacts", "forces", "pressure", "com")
    held: dict[str, Any] = {
        k: np.concatenate([v, np.repeat(v[-1:], frames - len(motion), 0)])
        for k in keys
        if (v := getattr(motion, k)) is not None
    }
    return dataclasses.replace(motion, **held)
