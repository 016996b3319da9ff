"""The clips a game asks for, each on its own: stand, start, loops, turns on the spot, stop, stairs.

They fit end to end: *start* begins in the first pose of *idle* and ends in the first pose of the walk's loop, *stop*
begins there and ends standing, a turn begins and ends standing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.gait import Gait, dimensionless, pace
from gambol.idle import USUAL, Manner, living_stand
from gambol.loop import MOVING, Steady, closed_stride, loop, steady_walk
from gambol.motion import Motion, Pose
from gambol.path import Path
from gambol.synthesis import Handover, Method, Task, generate
from gambol.terrain import Flat, Stairs

__all__ = ["CLIPS", "SPEEDS", "clip_set", "idle", "standing", "start_and_stop", "turn"]

Array = NDArray[np.float64]
CLIPS = (
    "idle", "start", "walk_slow", "walk_normal", "walk_fast", "turn_left", "turn_right", "stop", "stairs_up",
    "stairs_down",
)
SPEEDS = {"walk_slow": 0.60, "walk_normal": 1.0, "walk_fast": 1.45}  # of the speed asked for
FASTEST = 0.66  # v / sqrt(g leg) of the fast walk at most, and of the slow one at least:
SLOWEST = 0.12
STAIR = (0.095, 0.165)  # rise and tread over body height: 0.166 m and 0.289 m for 1.75 m
STAIR_START = 2.0  # m, where stairs begin that are named in a text
STAIR_SPEED = 0.33  # v / sqrt(g leg): 95 steps a minute
ALIKE = 1e-3  # rad and m: poses that may be joined
EASE = 0.3  # s over which the rest of a difference is taken in
RISEN = (1.0, 0.6, 0.3, 0.0)  # shares of a crouch that are tried on stairs
GO = 0.02  # m of path after a turn: nowhere


def standing(method: Method, task: Task) -> Motion:
    """One frame: how the figure stands where its path begins."""
    state = method.start(task)
    while True:
        state, part = method.advance(state, task)
        if part is None:
            raise GambolError("this way of moving has no stand to begin from", where="standing")
        if len(part):
            return replace(part[:1], info={})


def idle(method: Method, task: Task, manner: Manner = USUAL) -> Motion:
    """A living stand where the path begins, for the task's duration; without one, a loop.

    A speed of 0 in the task is understood.
    """
    still = standing(method, replace(task, gait=replace(task.gait, speed=None)) if task.gait.speed == 0 else task)
    motion = living_stand(still, task.duration, manner, task.seed)
    return replace(motion, info={"height_m": task.body.height, "mass_kg": task.body.mass, **motion.info})


def start_and_stop(walk: Steady) -> tuple[Motion, Motion]:
    """From a stand into the loop's first pose, and from there to a stand; the pose they share is in both."""
    fits = [f for f in walk.strikes if walk.apart(f) < ALIKE]
    target = closed_stride(walk)
    begin = _eased(walk.motion[: fits[0] + 1], target, at_end=True)
    end = _eased(walk.motion[fits[-1] :], target, at_end=False)
    moved = {k: v + (target.root[0] - end.root[0]) for k in MOVING if (v := getattr(end, k)) is not None}
    return _clip(begin, "start", 0), _clip(replace(end, **moved), "stop", fits[-1])


def turn(method: Method, task: Task, degrees: float) -> Motion:
    """On the spot from a stand to a stand, to the left where ``degrees`` is positive.

    Raises:
        GambolError: less than 30 or more than 180 degrees.
    """
    if not 30 < abs(degrees) <= 180:
        raise GambolError(f"a turn of {degrees:g} degrees", where="turn", allowed="more than 30, at most 180")
    yaw = np.radians(degrees)
    flat = replace(task, terrain=Flat(), laps=1, duration=None, path=_straight(0.0, 1.0))
    still = standing(method, flat)
    places = still.positions()[0]
    soles = {still.skeleton.names[j]: places[j] for j in still.skeleton.soles}
    stood = Handover(0.0, Pose(still.root[0], still.rotations[0]), np.zeros(3), soles, 1 if degrees > 0 else -1)
    motion = generate(method, replace(flat, path=_straight(yaw, GO)), stood)
    return _clip(motion, "turn_left" if degrees > 0 else "turn_right", 0)


def clip_set(method: Method, task: Task, in_place: bool = False, names: Iterable[str] = CLIPS) -> list[Motion]:
    """The named clips of one figure, in the order asked for; loops in place where asked.

    Args:
        method: a way of walking.
        task: who, and how fast ``walk_normal`` is; path, ground and duration are left aside.
        in_place: loops without their travel.
        names: of :data:`CLIPS`.

    Raises:
        GambolError: a name that is not known.
    """
    flat = replace(task, terrain=Flat(), path=_straight(0.0, 6.0), laps=1, duration=None)
    steady = pace(flat.gait, flat.body)
    normal = steady.speed
    # steps longer or shorter than usual are so at every speed
    longer = steady.step_length / pace(Gait(speed=normal), flat.body).step_length
    unit = normal / float(dimensionless(normal, flat.body))
    walks: dict[str, Steady] = {}

    def paced(speed: float) -> Gait:
        usual = replace(flat.gait, speed=speed, step_length=None, cadence=None)
        length = longer * pace(usual, flat.body).step_length
        try:
            pace(own := replace(usual, step_length=length), flat.body)
        except GambolError:
            return usual
        return own

    def walk(name: str) -> Steady:
        if name not in walks:
            gait = flat.gait
            if name != "walk_normal":
                gait = paced(float(np.clip(normal * SPEEDS[name], SLOWEST * unit, FASTEST * unit)))
            walks[name] = steady_walk(method, replace(flat, gait=gait))
        return walks[name]

    def made(name: str) -> Motion:
        if name == "idle":
            return idle(method, flat)
        if name in SPEEDS:
            return closed_stride(walk(name), in_place)
        if name in ("start", "stop"):
            return start_and_stop(walk("walk_normal"))[name == "stop"]
        if name.startswith("turn_"):
            return turn(method, flat, 90.0 if name == "turn_left" else -90.0)
        rise, tread = (x * flat.body.height for x in STAIR)
        tread = max(tread, 1.1 * flat.body.foot_length)  # of rigs with long feet
        stairs = Stairs(rise if name == "stairs_up" else -rise, tread, 8, start=STAIR_START)
        gait = replace(flat.gait, speed=STAIR_SPEED * unit, step_length=None, cadence=None)
        return _on_stairs(method, replace(flat, terrain=stairs, gait=gait), in_place)

    names = list(names)
    for name in names:
        if name not in CLIPS:
            raise GambolError(f"no clip is called {name!r}", where="clip set", allowed=", ".join(CLIPS))
    return [replace(_named(made, name), name=name) for name in names]


def _named(made: Callable[[str], Motion], name: str) -> Motion:
    """A clip made; what is in the way names it."""
    try:
        return made(name)
    except GambolError as error:
        where = f"clip {name}: {error.where}"
        raise GambolError(error.what, where=where, allowed=error.allowed, do=error.do) from error


def _on_stairs(method: Any, task: Task, in_place: bool) -> Motion:
    """A loop up or down stairs; whoever goes crouched rises as far as the treads ask for."""
    crouch = getattr(method, "crouch", 0.0)
    for share in RISEN if crouch > 0 else (1.0,):
        try:
            return loop(method if share == 1.0 else replace(method, crouch=share * crouch), task, in_place)
        except GambolError as error:
            refused = error
    raise refused


def _straight(yaw: float, length: float) -> Path:
    return Path(np.array([[0.0, 0.0, 0.0], [length * np.sin(yaw), 0.0, length * np.cos(yaw)]]))


def _eased(part: Motion, target: Motion, at_end: bool) -> Motion:
    """``part`` with its first or last pose exactly the first of ``target``; what differs is taken in over EASE s."""
    k = -1 if at_end else 0
    age = np.arange(len(part))[::-1] if at_end else np.arange(len(part))
    u = np.clip(1 - age / (EASE * part.fps), 0.0, 1.0)
    share = u * u * (3 - 2 * u)
    turn_ = quat.log(quat.multiply(quat.conjugate(part.rotations[k]), target.rotations[0]))
    rotations = quat.multiply(part.rotations, quat.exp(share[:, None, None] * turn_))
    off = (target.root[0] - part.root[k]) * [1.0, 1.0, 0.0]
    return replace(part, root=part.root + share[:, None] * off, rotations=rotations)


def _clip(motion: Motion, name: str, first: int) -> Motion:
    """Facts on the clip's own clock; events outside of it are left out."""
    t0, t1 = first / motion.fps, motion.duration
    known: dict[str, Any] = motion.info.get("events", {})
    events = {k: [t - t0 for t in at if -1e-9 <= t - t0 <= t1 + 1e-9] for k, at in known.items()}
    info = {k: v for k, v in motion.info.items() if k not in ("path", "plan")}
    return replace(motion, name=name, info={**info, "events": events})
