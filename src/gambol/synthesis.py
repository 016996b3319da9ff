"""Task, Method, generate and Stream: how any method is asked for motion.

The unit is a *stretch*: what a method decides at one time (a step, a graph edge, a whole clip).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sized
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from gambol.body import Body, G
from gambol.commands import Commands
from gambol.errors import GambolError
from gambol.gait import Gait, quickest
from gambol.keys import Key
from gambol.model import Model
from gambol.motion import Motion, Pose, join
from gambol.path import Path
from gambol.terrain import Flat, Terrain
from gambol.walker import Walker
from gambol.wind import Wind

__all__ = ["MOST_FRAMES", "Dial", "Handover", "Method", "Stream", "Task", "dial", "dials", "generate"]

MOST_FPS, MOST_FRAMES, MOST_LAPS = 10_000.0, 1_000_000, 10_000
SURE_RATE = 10.0  # frames a second; the quickest swings take 0.15 s
MASSES = (2.0, 1000.0)  # kg
WILDEST_SPEED, WILDEST_FORCE = 14.0, 8.0  # m/s of the hips, weights: nobody moves so
S = TypeVar("S", bound=Sized)
SLOWEST = 20  # times as long as at full speed along the path


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
        model: another body than a person's: what dances or sways.
        keys: postures at their times, for methods that dance.
        period: s after which the keys, or a sway, begin anew; None: they come once.
        wind: for methods that sway.
        commands: speed, turn and gait over time instead of a path, for methods that take them.
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
    model: Model | None = None
    keys: tuple[Key, ...] = ()
    period: float | None = None
    wind: Wind | None = None
    commands: Commands | None = None

    def __post_init__(self) -> None:
        _check(self)


class Handover(NamedTuple):
    """How one method leaves the figure for the next: time s, pose, velocities, planted soles, and the next side."""

    time: float
    pose: Pose
    velocity: np.ndarray  # (3,) m/s of the centre of mass
    planted: dict[str, np.ndarray]  # sole joint -> (3,) m in the world
    next_side: int
    walker: Walker | None = None  # where it is in mid-walk, at a heel strike
    spin: np.ndarray | None = None  # (J, 3) rad/s of every joint in its own frame


class Method(Protocol):
    """What every way of moving offers. Pure: ``advance`` depends on its arguments alone.

    A method may say what of a task it takes, ``takes`` (by default ``("path",)``; others are ``keys``, ``wind``), and
    how many s it will last, ``lasts(task)``, where that does not follow from the path.
    """

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
        motion: Motion | None = self._next(self.method.advance)
        return motion

    def step(self) -> Any:
        """The next stretch of a method that has steps, before a motion is made of it."""
        return self._next(self.method.advance_step)  # type: ignore[attr-defined]

    def _next(self, advance: Callable[[Any, Task], tuple[Any, Any]]) -> Any:
        if self.over:
            return None
        self.state, part = advance(self.state, self.task)
        self.over = part is None
        return part

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
    """The whole motion of a task: the stretches of a :class:`Stream`, joined.

    Raises:
        GambolError: what the method cannot do, a motion of more than :data:`MOST_FRAMES` frames, or a rate too low
            to tell one foothold from the next.
    """
    stream = Stream(method, task, after)
    if hasattr(method, "advance_step"):
        motion = method.joined(list(_drain(stream, stream.step)), task)  # type: ignore[attr-defined]
    else:
        motion = join(list(_drain(stream, stream.stretch)))
    if task.duration is not None:
        motion = _last(motion, int(np.floor(task.duration * task.fps + 1e-9)) + 1)
    _told_apart(motion)
    if not hasattr(method, "lasts"):  # what is posed by hand may be as quick as it likes
        _sane(motion, task)
    finish = getattr(method, "finish", None)
    return motion if finish is None else finish(stream.state, task, motion)


def _drain(stream: Stream, next_one: Callable[[], S | None]) -> Iterable[S]:
    task, frames = stream.task, 0
    lasts = getattr(stream.method, "lasts", None)  # of methods whose time does not follow from a path
    wanted = np.inf if task.duration is None else task.duration * task.fps + 1
    least = (_least(task) if lasts is None else lasts(task)) * task.fps
    if min(least, wanted) > MOST_FRAMES:
        raise _endless(least, task)
    most = min(MOST_FRAMES, SLOWEST * least + (120.0 + 15.0 * len(task.path.pivots) * task.laps) * task.fps)
    most = MOST_FRAMES if task.commands is not None else most  # commands end when they end
    while frames < wanted and (part := next_one()) is not None:
        frames += len(part)
        if frames > most:  # turns on the spot and small steps are slow, but not endless
            raise _endless(frames, task)
        yield part


def _least(task: Task) -> float:
    """s that the path takes at full speed."""
    return task.path.length * task.laps / quickest(task.gait, task.body)


def _endless(frames: float, task: Task) -> GambolError:
    return GambolError(
        f"the motion takes more than {frames / task.fps:.6g} s, {frames:.6g} frames", where="task",
        allowed=f"at most {MOST_FRAMES} frames, and {SLOWEST} times as long as the path takes at full speed",
        do="give a shorter path, fewer laps, fewer frames a second or a duration",
    )


def _told_apart(motion: Motion) -> None:
    """Refuse a rate at which whole swings fall between two frames: the contact record would run footholds together."""
    if motion.contacts is None or motion.fps >= SURE_RATE or len(motion) < 2:
        return
    soles = motion.positions()[:, list(motion.skeleton.soles)]
    moved = np.linalg.norm(np.diff(soles, axis=0), axis=-1)
    planted = motion.contacts[1:] & motion.contacts[:-1]
    loaded = np.zeros(len(motion), bool) if motion.forces is None else motion.forces[..., 1].sum(1) > 1.0
    if np.any(planted & (moved > 0.05)) or np.any(loaded & ~motion.contacts.any(1)):
        raise GambolError(
            f"at {motion.fps:g} frames a second whole swings and stances fall between two frames", where="task: fps",
            allowed=f"{SURE_RATE:g} or more is enough for any walk", do="take more frames a second",
        )


def _sane(motion: Motion, task: Task) -> None:
    """Refuse to hand out a walk that no body walks, where the ground or the pace was too much for the method."""
    if len(motion) < 2:
        return
    speed = np.linalg.norm(np.diff(motion.root, axis=0), axis=1) * motion.fps
    wild = ~(speed < WILDEST_SPEED)
    if motion.forces is not None:
        total = np.linalg.norm(motion.forces.sum(1), axis=1) / (float(task.body.mass or 1.0) * G)
        wild |= ~(total[1:] < WILDEST_FORCE)
    if wild.any():
        at = int(np.argmax(wild)) + 1
        x, _, z = motion.root[max(at - 1, 0)]
        raise GambolError(
            f"no walk is found {at / motion.fps:.2f} s after the start, near x {x:.2f}, z {z:.2f}", where="task",
            allowed=f"hips slower than {WILDEST_SPEED:g} m/s, forces below {WILDEST_FORCE:g} weights",
            do="lead the path over gentler ground, or change speed or step length",
        )


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


def _check(task: Task) -> None:
    """Refuse what no method can do, before any of them tries."""
    load, frames = task.hand_load, 0.0 if task.duration is None else task.duration * task.fps
    mass, rounds = float(task.body.mass or 0), task.laps
    limits = (
        ("fps", f"{task.fps:g}", 1 <= task.fps <= MOST_FPS, f"1 to {MOST_FPS:g} frames a second"),
        ("duration", f"{task.duration} s", task.duration is None or 0 <= task.duration < np.inf, "0 or more seconds"),
        ("duration", f"{task.duration} s, {frames:.0f} frames", frames <= MOST_FRAMES, f"{MOST_FRAMES} frames"),
        ("laps", f"{rounds}", 1 <= rounds <= MOST_LAPS, f"1 or more, at most {MOST_LAPS}"),
        ("laps", f"{rounds} on an open path", rounds == 1 or task.path.closed, "1, or a path that ends where it began"),
        ("seed", f"{task.seed}", 0 <= task.seed < 2**128, "a whole number, 0 or more"),
        ("hand load", f"{load}", all(0 <= m <= 60 for m in load), "0 to 60 kg in each hand"),
        ("mass", f"{mass:g} kg", MASSES[0] <= mass <= MASSES[1], f"{MASSES[0]:g} to {MASSES[1]:g} kg"),
    )
    for name, value, fine, allowed in limits:
        if not fine:
            raise GambolError(f"{name} is {value}", where="task", allowed=allowed, do=f"give another {name}")
