"""On-line locomotion from unlabelled clips (Kwon & Shin 2005).

One stretch is one segment of a :class:`gambol.graph.MotionGraph`: from the middle of a single support (or of a
flight) to the next. Each advance reads the command that holds now (or steers along the path), takes the coarse
graph's next node towards the gait that is asked, blends the node's segments so that they do what is asked, stitches
pose and velocity to where the last segment ended, and holds the feet to the ground.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.blending import Aim, Blend, blend
from gambol.clearance import Foot, hermite, spread
from gambol.commands import Command
from gambol.errors import GambolError
from gambol.feet import CONTACT_GAP, CONTACT_SPEED, SIDES
from gambol.footlock import FREE, Footing, Leg, Locked, lock, two_bone
from gambol.graph import STEPS, MotionGraph, gait_of
from gambol.motion import Motion, Pose
from gambol.steering import Steer, steer
from gambol.synthesis import Handover, Task, dial

__all__ = ["MotionGraphWalk"]

Array = NDArray[np.float64]
GRID = 1 / 120.0  # s, of what is computed; frames are read from it
STANDING = 0.25  # s, a stretch of standing
REST = 0.5  # s of standing at the end
STAND_BELOW, RUN_ABOVE, WALK_BELOW = 0.15, 2.1, 1.8  # m/s for the adult of the data: gait by speed, with hysteresis
UNEVEN = 0.002  # m
FARTHEST_RISE, HALF_CYCLE = 0.35, 0.57  # m, s: how much and how far ahead the ground's rise is asked for
JOINS = 0.3  # m/s; a transition is entered from a speed this near its own
AMPLE = 0.6  # share of what the reach leaves of the leg, that a foot let go may use
LATE = 0.008  # m by which the pelvis may come late: legs reach farther than they are asked to
SINKING = 0.06  # s to both sides over which the pelvis sinks for a leg
SOFT = 0.02  # of the leg: over which the reach of a leg is approached
LEG = ("upper_leg", "lower_leg", "foot", "toes", "heel", "toe_tip")
UP, SIDE = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])
FIRST_SPEED, FIRST_TURN = 0.8, np.radians(20.0)  # m/s and rad/s, the most in the first step after a start
TURN_ON = np.radians(90.0)  # rad/s, the most that is asked to reach a heading


class State(NamedTuple):
    """Where the figure is at a cut. World metres; the motion as blended and stitched, before the feet are held."""

    time: float
    place: Array  # (2,) x, z
    heading: float
    string: str
    rotations: Array  # (J, 4), joint 0 relative to the heading
    spin: Array  # (J, 3) rad/s
    height: Array  # (2,) m above the ground, m/s
    velocity: Array  # (2,) m/s in the heading frame
    turning: float  # rad/s
    level: float  # m, the ground it moves on
    feet: tuple[Footing, Footing]
    stretch: float  # factor on the steps
    drop: Array  # (2,) m and m/s, pelvis lowered for the legs to reach; NaN at first
    speed: float  # m/s of the last segment
    steer: Steer | None
    rested: float  # s stood still with nothing more to do
    pose: Pose  # of the last sample, feet held
    over: bool


@dataclass(frozen=True)
class MotionGraphWalk:
    """Stands, walks, runs and turns as the people in the clips did.

    Follows ``task.commands`` where there are any, else steers along ``task.path``.

    Attributes:
        graph: of the clips; by default the built-in one, made by gambol's own walk and run.
    """

    takes: ClassVar[tuple[str, ...]] = ("commands",)
    graph: MotionGraph | None = None
    neighbours: float = dial(8, 2, 24, "1", "segments that are blended", "Kwon & Shin 2005; Park et al. 2004")
    stitch: float = dial(0.25, 0.1, 0.4, "s", "time over which a seam's offset in pose and velocity fades")
    reach: float = dial(0.985, 0.96, 0.999, "1", "share of the leg that may be stretched before the pelvis sinks")
    eagerness: float = dial(0.5, 0.1, 1.5, "m/s", "largest change of speed from segment to segment")
    lookahead: float = dial(0.9, 0.4, 2.0, "m", "how far ahead on the path is steered to, at 1.2 m/s")

    def start(self, task: Task, after: Handover | None = None) -> State:
        """Standing at the beginning of the path (or in mid-step where no clip starts from a stand)."""
        graph = self._graph()
        scale = task.body.height / graph.height
        begin, heading = task.path.points[0], _direction(task)
        first = next((s for s in graph.groups if s[0] == "S"), next(iter(graph.groups)))
        group = graph.groups[first]
        joints = len(task.body.skeleton)
        place = begin[[0, 2]] if after is None else after.pose.root[[0, 2]]
        level = float(task.terrain.height(place, begin[1] if after is None else after.pose.root[1] - 1.0))
        if not np.isfinite(level):
            raise GambolError("there is no ground where the path begins", where="task: path", do="lay it over ground")
        rotations = np.array(group.rotations[0, 0])
        return State(
            0.0 if after is None else after.time, place, heading, "S" if first[0] == "S" else first[0], rotations,
            np.zeros((joints, 3)), np.array([group.heights[0, 0] * scale, 0.0]), np.zeros(2), 0.0, level, (FREE, FREE),
            1.0, np.full(2, np.nan), 0.0, None, 0.0, Pose(np.zeros(3), rotations), False,
        )

    def advance(self, state: State, task: Task) -> tuple[State, Motion | None]:
        """One segment."""
        if state.over:
            return state, None
        graph = self._graph()
        scale = task.body.height / graph.height
        pace = np.sqrt(scale)  # dynamic similarity: lengths by the scale, times by its root
        command, steering, done = self._command(state, task)
        aim, string = self._choose(graph, state, command, pace)
        ahead = HALF_CYCLE * aim.speed * scale * np.array([np.sin(state.heading), np.cos(state.heading)])
        rise = _level(task, state.place + ahead, state.level) - state.level
        aim = aim._replace(rise=float(np.clip(rise / scale, -FARTHEST_RISE, FARTHEST_RISE)))
        part = _stood(state, scale) if string == "S" else blend(graph.groups[string], aim, int(self.neighbours))
        track, held = self._walked(state, part, string, task, (scale, pace))
        rested = state.rested + track.t[-1] if string == "S" and done else 0.0
        over = done and string == "S" and rested >= REST
        if task.commands is not None and done and (command.speed > 0 or command.gait in ("walk", "run")):
            over = True
        motion, pose = _frames(task, state, track, held, over)
        info = _facts(state, track, string, part, command)
        motion = replace(motion, info=info)
        after = State(
            state.time + track.t[-1], track.place[-1], float(track.heading[-1]), string, track.rotations[-1],
            _rates(track.rotations, track.t), _pair(track.height, track.t),
            _turned(_rate(track.place, track.t), -float(track.heading[-1])), float(_rate(track.heading, track.t)),
            float(track.level[-1]), held.feet, part.stretch, held.drop,
            _speed(part, scale, pace), steering, rested, pose, over,
        )
        return after, motion

    def handover(self, state: State) -> Handover:
        """Where the figure is at the cut."""
        planted = {f"{s}_toes": f.ball for s, f in zip(SIDES, state.feet) if f.down}
        velocity = _turned(state.velocity, state.heading)
        return Handover(
            state.time, state.pose, np.array([velocity[0], state.height[1], velocity[1]]), planted,
            1 if state.string[-1] == "L" else -1,
        )

    def _graph(self) -> MotionGraph:
        if self.graph is None:
            from gambol.graph_file import built_in

            return built_in()
        return self.graph

    def _walked(
        self, state: State, part: Blend, string: str, task: Task, size: tuple[float, float]
    ) -> tuple[_Track, _Held]:
        """The segment in the world with its feet held, on the level of the ground where the next foot stands."""
        level = _level(task, state.place + part.moves.sum(0)[1] * size[0] * np.array(
            [np.sin(state.heading), np.cos(state.heading)]
        ), state.level)
        for _ in range(2):
            track = _track(state, part, size, (self.stitch, level, string))
            held = self._held(state, track, string, task)
            feet = [f for f, letters in zip(held.feet, ("LDS", "RDS")) if f.down and string[-1] in letters]
            found = float(np.mean([f.ball[1] for f in feet])) if feet else _level(task, track.place[-1], level)
            if abs(found - level) < UNEVEN:
                break
            level = found
        return track, held

    def _command(self, state: State, task: Task) -> tuple[Command, Steer | None, bool]:
        """What is asked now, and whether it is all done once the figure stands."""
        if task.commands is not None:
            command = task.commands.at(state.time)
            end = task.commands.end if task.duration is None else task.duration
            if np.isfinite(command.heading):
                off = (command.heading - state.heading + np.pi) % (2 * np.pi) - np.pi
                command = command._replace(turn=float(np.clip(off / 0.6, -TURN_ON, TURN_ON)))
            return command, None, state.time >= end - 1e-9
        graph = self._graph()
        scale = task.body.height / graph.height
        stops = [float(g.travel.mean()) for s, g in graph.groups.items() if s[-1] == "S"]
        halt = scale * float(np.mean(stops)) if stops else 0.0, float(np.sqrt(scale)) * HALF_CYCLE
        now = state.place, state.heading, state.speed, state.time
        ahead = steer(state.steer, task, now, self.lookahead, halt)
        return ahead.command, ahead.steer, ahead.arrived

    def _choose(self, graph: MotionGraph, state: State, command: Command, pace: float) -> tuple[Aim, str]:
        """The next string, and what its blend shall do (in the graph's own size)."""
        now, asked = state.speed / pace, command.speed / pace
        kind = gait_of(state.string)
        gait = command.gait or _gait(asked, kind)
        if gait not in graph.gaits():
            gait = next((g for g in ("walk", "run") if g in graph.gaits()), "stand") if gait != "stand" else "walk"
            asked = max(asked, 0.4) if gait == "walk" else asked
        string = _next(graph, state.string, gait)
        if string == "S":
            return Aim(0.0), "S"
        turn = command.turn * pace
        if gait_of(string) == string and gait_of(state.string) in ("walk", "run"):  # a transition, from motion
            own = float(graph.groups[string].speed[:, 0].mean())
            if abs(own - now) > JOINS:
                asked, string = own, _cyclic(graph, state.string)
        if gait_of(string) == string:
            return Aim(now, turn, style=command.style, entered=True), string
        if state.string != "S" and gait_of(state.string) in ("walk", "run"):
            asked = float(np.clip(asked, now - self.eagerness, now + self.eagerness))
        elif state.string[0] == "S":  # the first step after a start
            asked, turn = min(asked, FIRST_SPEED), float(np.clip(turn, -FIRST_TURN, FIRST_TURN))
        return Aim(asked, turn, style=command.style), string

    def _held(self, state: State, track: _Track, string: str, task: Task) -> _Held:
        """Feet locked, the pelvis lowered where a leg would not reach, knees bent to suit."""
        offsets = task.body.skeleton.offsets
        joints = np.array([task.body.skeleton.indices([f"{s}_{j}" for j in LEG]) for s in SIDES]).T  # (6, 2)
        upper, lower, foot, toes, heel, tip = joints
        lengths = tuple(float(np.linalg.norm(offsets[j[0]])) for j in (lower, foot))
        reach = self.reach * sum(lengths)
        hips = quat.multiply(quat.from_axis_angle(UP, track.heading), track.rotations[:, 0])
        root = np.stack([track.place[:, 0], track.height + track.level, track.place[:, 1]], -1)
        own = track.rotations[:, joints[:3]].transpose(1, 2, 0, 3)  # (3, 2, N, 4)
        # both legs at once, (2, N, ...)
        hip = root + quat.rotate(hips, offsets[upper][:, None])
        thigh = quat.multiply(hips, own[0])
        shank = quat.multiply(thigh, own[1])
        to_ankle = quat.rotate(thigh, offsets[lower][:, None]) + quat.rotate(shank, offsets[foot][:, None])
        ankle = hip + to_ankle + (track.stretch - 1)[:, None] * _along(to_ankle, track.heading)
        rotation = quat.multiply(shank, own[2])
        shapes = [Foot(*(offsets[j[k]] for j in (toes, heel, tip))) for k in range(2)]
        until = _until(string, track.keys)
        locked = [
            lock(
                track.t, (ankle[k], rotation[k]), _support(string, track.keys, k), state.feet[k],
                (shapes[k], Leg(hip[k], reach, string == "S", until), task.terrain),
            )
            for k in range(2)
        ]
        down = np.stack([f.down for f in locked])
        ankle = np.stack([f.ankle for f in locked])
        drop = _smooth_drop(track.t, np.where(down, _need(hip, ankle, reach), 0.0).max(0), state.drop)
        hip = hip - drop[:, None] * UP
        ankle = np.where(down[..., None], ankle, _within(hip, ankle, reach, sum(lengths)))
        thigh, bent = two_bone(hip, ankle, quat.rotate(shank, SIDE), (lengths[0], lengths[1]))
        turned = np.stack([f.rotation for f in locked])
        parts = (
            quat.multiply(quat.conjugate(hips), thigh), quat.multiply(quat.conjugate(thigh), bent),
            quat.multiply(quat.conjugate(bent), turned),
            quat.from_axis_angle(SIDE, np.stack([f.toe for f in locked])),
        )
        rotations = np.array(track.rotations)
        rotations[:, 0] = hips
        for j, q in zip(joints, parts):
            rotations[:, j] = q.transpose(1, 0, 2)
        contacts = [c for k in range(2) for c in _contacts(ankle[k], locked[k], shapes[k], track.t, task.terrain)]
        feet = locked[0].footing, locked[1].footing
        return _Held(root - drop[:, None] * UP, rotations, np.stack(contacts, 1), feet, _pair(drop, track.t))


class _Track(NamedTuple):
    """A segment on the grid, stitched, feet not held yet: N samples."""

    t: Array  # (N,) s from the cut
    keys: Array  # (K + 1,) s
    place: Array  # (N, 2)
    heading: Array  # (N,)
    height: Array  # (N,) above the level
    level: Array  # (N,)
    rotations: Array  # (N, J, 4), joint 0 relative to the heading
    stretch: Array  # (N,)


class _Held(NamedTuple):
    root: Array
    rotations: Array
    contacts: NDArray[np.bool_]
    feet: tuple[Footing, Footing]
    drop: Array


def _level(task: Task, place: Array, near: float) -> float:
    """m, of the ground at (x, z) on the floor near a height; that height where there is none."""
    y = float(task.terrain.height(place, near))
    return y if np.isfinite(y) else near


def _gait(speed: float, kind: str) -> str:
    """The gait for a speed, from the one that is: changes up later than down."""
    if speed < STAND_BELOW:
        return "stand"
    return "run" if speed > (WALK_BELOW if kind == "run" else RUN_ABOVE) else "walk"


def _next(graph: MotionGraph, string: str, gait: str) -> str:
    """The first string on the shortest way through the fine graph to a gait."""
    if string == "S" or string[-1] == "S":
        if gait == "stand":
            return "S"
        starts: tuple[str, ...] = tuple(s for s in graph.groups if s[0] == "S")
    elif len(string) == 1:
        starts = tuple(s for s in graph.groups if s[0] == string)
    else:
        starts = graph.edges[string]
    seen, layer = set(), [(s, s) for s in sorted(starts)]
    cyclic = None
    while layer:
        for first, s in layer:
            if gait_of(s) == gait or (gait == "stand" and s[-1] == "S"):
                return first
            if cyclic is None and gait_of(s) in ("walk", "run"):
                cyclic = first
            seen.add(s)
        layer = [(first, b) for first, s in layer for b in sorted(graph.edges[s]) if b not in seen]
    return cyclic or sorted(starts)[0]


def _cyclic(graph: MotionGraph, string: str) -> str:
    return next(s for s in graph.edges[string] if gait_of(s) == gait_of(string))


def _stood(state: State, scale: float) -> Blend:
    """A stretch of standing as the figure stands."""
    phases = 1 + STEPS
    return Blend(
        np.array([0.0, STANDING]), np.repeat(state.rotations[None], phases, 0), np.zeros((phases - 1, 2)),
        np.zeros(phases), np.full(phases, state.height[0] / scale), 1.0, (0.0, 0.0),
    )


def _track(
    state: State, part: Blend, size: tuple[float, float], how: tuple[float, float, str]
) -> _Track:
    """The blend in the world on the grid, its start stitched to the state in value and rate."""
    (scale, pace), (stitch, ground, string) = size, how
    keys = part.times * pace
    n = max(2, round(keys[-1] / GRID))
    t = np.linspace(0.0, keys[-1], n + 1)
    phase = np.interp(t, *_rising(keys, STEPS * np.arange(len(keys), dtype=np.float64)))
    low = np.minimum(phase.astype(int), len(part.turns) - 2)
    share = phase - low
    local = np.concatenate([np.zeros(1), part.turns[1:]])
    turns = local[low] * (1 - share) + local[low + 1] * share
    fade = min(stitch, float(t[-1])) if gait_of(string) != string or string == "S" else float(t[-1])
    rate = (turns[1] - turns[0]) / t[1]
    heading = state.heading + turns + _nudge(t, fade, state.turning - rate)
    steps = part.moves * scale
    mid = state.heading + 0.5 * (local[1:] + local[:-1])
    world = _turned(steps.T, mid).T
    along = np.concatenate([np.zeros((1, 2)), np.cumsum(world, 0)])
    place = along[low] * (1 - share[:, None]) + along[low + 1] * share[:, None]
    off = _turned(state.velocity, state.heading) - place[1] / t[1]
    place = state.place + place + _nudge(t, fade, off)
    height = (part.heights[low] * (1 - share) + part.heights[low + 1] * share) * scale
    zero = np.zeros(())
    lift = hermite(
        t, (0.0, state.height[0] - height[0], state.height[1] - (height[1] - height[0]) / t[1]), (fade, zero, zero)
    )
    q = part.rotations[low] * (1 - share)[:, None, None] + part.rotations[low + 1] * share[:, None, None]
    q /= np.sqrt((q * q).sum(-1, keepdims=True))
    apart = quat.log(quat.multiply(state.rotations, quat.conjugate(q[0])))
    spin = quat.log(quat.multiply(q[1], quat.conjugate(q[0]))) / t[1]
    still = np.zeros_like(apart)
    n = int(np.searchsorted(t, fade))
    q[:n] = quat.multiply(quat.exp(hermite(t[:n], (0.0, apart, state.spin - spin), (fade, still, still))), q[:n])
    u = t / t[-1]
    level = state.level + (ground - state.level) * u * u * (3 - 2 * u)
    eased = np.minimum(2 * u, 1.0)
    stretch = state.stretch + (part.stretch - state.stretch) * eased * eased * (3 - 2 * eased)
    return _Track(t, keys, place, heading, height + lift, level, q, stretch)


def _nudge(t: Array, fade: float, rate: Any) -> Array:
    """A displacement that begins with ``rate`` and is over, at rest where it began, after ``fade`` s."""
    u = np.clip(t / fade, 0.0, 1.0)
    bump = (u**3 - 2 * u**2 + u) * fade
    return bump[:, None] * rate if np.ndim(rate) else bump * rate


def _rising(keys: Array, phases: Array) -> tuple[Array, Array]:
    """Keytimes without those that coincide (a support of no length)."""
    keep = np.r_[True, np.diff(keys) > 1e-9]
    return keys[keep], phases[keep]


def _support(string: str, keys: Array, side: int) -> tuple[float, float] | None:
    """s, when a foot carries; reaching beyond the segment where it carries at its ends."""
    on = [letter in ("LDS" if side == 0 else "RDS") for letter in string]
    if not any(on):
        return None
    a, b = on.index(True), len(on) - on[::-1].index(True)
    return (-np.inf if a == 0 else float(keys[a])), (np.inf if b == len(on) else float(keys[b]))


def _until(string: str, keys: Array) -> float:
    """s, before which no foot is let go: until the other has landed; coming to stand, for good."""
    if string[-1] == "S":
        return np.inf
    return float(keys[string.index("D")]) + GRID if "D" in string else -np.inf


def _need(hip: Array, ankle: Array, reach: float) -> Array:
    """m, how much lower the hip must be to reach the ankle; begins softly before the leg is stretched."""
    flat = ((hip - ankle)[..., [0, 2]] ** 2).sum(-1)
    over = hip[..., 1] - ankle[..., 1] - np.sqrt(np.maximum(reach**2 - flat, 1e-6))
    soft = SOFT * reach
    return np.where(over > soft, over, np.where(over > -soft, (over + soft) ** 2 / (4 * soft), 0.0))


def _contacts(ankle: Array, held: Locked, foot: Foot, t: Array, ground: Any) -> list[NDArray[np.bool_]]:
    """Heel and toe tip (N,): planted where the foot carries on them, and wherever they lie still on the ground."""
    ball = ankle + quat.rotate(held.rotation, foot.ball)
    toes = quat.multiply(held.rotation, quat.from_axis_angle(SIDE, held.toe))
    points = (ankle + quat.rotate(held.rotation, foot.heel), ball + quat.rotate(toes, foot.tip))
    out = []
    for p, down in zip(points, (held.heel_down, held.toe_down)):
        speed = np.linalg.norm(np.gradient(p, t, axis=0), axis=-1)
        level = np.asarray(ground.height(p[:, [0, 2]], p[:, 1]), float)
        out.append(down | ((np.abs(p[:, 1] - level) < CONTACT_GAP) & (speed < CONTACT_SPEED)))
    return out


def _within(hip: Array, ankle: Array, reach: float, length: float) -> Array:
    """The ankle (..., 3) drawn towards the hip where it is farther than a leg is long, softly beyond the reach."""
    out = ankle - hip
    far = np.linalg.norm(out, axis=-1, keepdims=True)
    low, room = reach, AMPLE * (length - reach)
    return hip + out * np.where(far > low, (low + room * np.tanh((far - low) / room)) / far, 1.0)


def _smooth_drop(t: Array, need: Array, before: Array) -> Array:
    """At least what is needed, without a jump from the stretch before."""
    step = t[1] - t[0]
    calm = spread(need, SINKING / step)
    if not np.isfinite(before).all():  # the very first stretch
        return calm
    zero = np.zeros(())
    rate = (calm[1] - calm[0]) / step
    soon = np.flatnonzero(need > before[0] + LATE)
    fade = min(0.2, float(t[-1]), max(0.1, float(t[soon[0]]) if len(soon) else 1.0))
    return calm + hermite(t, (0.0, before[0] - calm[0], before[1] - rate), (fade, zero, zero))


def _along(v: Array, heading: Array) -> Array:
    """The part of world vectors (..., N, 3) along headings (N,)."""
    ahead = np.stack([np.sin(heading), np.zeros_like(heading), np.cos(heading)], -1)
    return (v * ahead).sum(-1, keepdims=True) * ahead


def _frames(task: Task, state: State, track: _Track, held: _Held, last: bool) -> tuple[Motion, Pose]:
    """The output frames in [t0, t1), read from the grid."""
    a = int(np.ceil(state.time * task.fps - 1e-6))
    b = int(np.ceil((state.time + track.t[-1]) * task.fps - 1e-6)) + last
    at = np.clip((np.arange(a, b) / task.fps - state.time) / track.t[1], 0, len(track.t) - 1)
    low = np.minimum(at.astype(int), len(track.t) - 2)
    share = (at - low)[:, None]
    root = held.root[low] * (1 - share) + held.root[low + 1] * share
    first, second = held.rotations[low], held.rotations[low + 1]
    second = np.where((first * second).sum(-1, keepdims=True) < 0, -second, second)
    q = first * (1 - share[..., None]) + second * share[..., None]
    q = q / np.sqrt((q * q).sum(-1, keepdims=True))
    contacts = held.contacts[low] & (held.contacts[low + 1] | (share < 1e-9))
    motion = Motion(task.body.skeleton, root, q, task.fps, contacts=contacts, mass=task.body.mass)
    return motion, Pose(held.root[-1], held.rotations[-1])


def _facts(state: State, track: _Track, string: str, part: Blend, command: Command) -> dict[str, Any]:
    events: dict[str, list[float]] = {f"{s}_{e}": [] for s in SIDES for e in ("strike", "off")}
    for k, side in enumerate(SIDES):
        support = _support(string, track.keys, k)
        if support is not None:
            for edge, name in zip(support, ("strike", "off")):
                if np.isfinite(edge):
                    events[f"{side}_{name}"].append(float(state.time + edge))
    row = {"t": float(state.time), "string": string, "speed": command.speed, "turn": float(command.turn)}
    if max(abs(part.missed[0]), abs(part.missed[1])) > 0.02 and gait_of(string) in ("walk", "run"):
        row["beyond_reach"] = [round(float(x), 4) for x in part.missed]
    return {"events": events, "segments": [row]}


def _speed(part: Blend, scale: float, pace: float) -> float:
    return float(part.moves[:, 1].sum() / part.duration * scale / pace)


def _direction(task: Task) -> float:
    """rad, the way the path begins."""
    if task.commands is not None:
        return 0.0
    tangent = task.path.tangent(0.0)
    return float(np.arctan2(tangent[0], tangent[2]))


def _turned(v: Array, angle: Any) -> Array:
    """(x, z) (2, ...) turned to the left by ``angle`` (...): from the heading frame into the world."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([v[0] * c + v[1] * s, v[1] * c - v[0] * s])


def _rate(x: Array, t: Array) -> Any:
    return (x[-1] - x[-2]) / (t[-1] - t[-2])


def _pair(x: Array, t: Array) -> Array:
    return np.array([x[-1], _rate(x, t)])


def _rates(q: Array, t: Array) -> Array:
    return quat.log(quat.multiply(q[-1], quat.conjugate(q[-2]))) / (t[-1] - t[-2])
