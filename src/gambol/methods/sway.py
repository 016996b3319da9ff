"""Plants, hair and tails in the wind (Chen, Li and Hu 2004, section 5).

Four ways. *drag*: the air's forces turn elastic joints. *displacement*, the paper's own: the wind moves joints, the
massless springs spread it over the skeleton, and elastic joints pull back, both at work. *modes*: the same forces on
the lowest mode shapes. *static*: the bend that the force of the moment would hold. Joints are stepped exactly between
fixed ticks of an absolute clock, so that no rate of frames and no long frame changes anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.model import Model, person_model
from gambol.motion import Motion, Pose
from gambol.skeleton import forward_kinematics
from gambol.spring import Propagator, Spring, advance, bounded, propagator
from gambol.synthesis import Handover, Task, dial
from gambol.tension import Springs, springs, stretch
from gambol.wind import (
    FRESH,
    Elastic,
    Field,
    Modes,
    Wind,
    elastic_of,
    field_at,
    flow,
    mode_shapes,
    rod_middles,
    torques,
)

__all__ = ["MODES", "Sway", "SwayState"]

Array = NDArray[np.float64]
MODES = ("drag", "displacement", "modes", "static")
TICK = 1 / 60  # s between two looks at the wind
STRETCH = 30  # ticks
SECONDS = 4.0  # where a task says nothing
MOST, SOFT = 1.25, 0.5  # rad that a joint turns at most, and before that from where it goes slower
CALM_ROUNDS, SETTLED = 8, 1e-6  # of a loop by displacement, until it repeats itself to so many rad
LOWEST = 6  # modes


class SwayState(NamedTuple):
    """At a tick: its number, and turns and their velocities ``(J, 3)`` (of modes ``(N,)``)."""

    tick: int
    x: Array
    v: Array
    over: bool
    ticks: int


@dataclass(frozen=True)
class Sway:
    """Moving in the wind of a task.

    Attributes:
        mode: one of :data:`MODES`.
        only: patterns of the joints that sway, such as ``hair_*``; others rest.
    """

    takes: ClassVar[tuple[str, ...]] = ("wind",)
    gives: ClassVar[tuple[str, ...]] = ()

    mode: str = "drag"
    only: tuple[str, ...] = ("*",)
    bend: float = dial(0.45, 0.02, 1.5, "rad", "lean of the tip in a steady breeze of 6 m/s")
    frequency: float = dial(1.0, 0.2, 5.0, "1", "times the usual rate of swinging, 0.9 / sqrt(height in m) Hz")
    damping: float = dial(0.22, 0.02, 2.0, "1", "damping ratio: how soon swinging dies", "section 4.1, C")

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise GambolError(f"mode is {self.mode!r}", where="sway", allowed=", ".join(MODES))

    def lasts(self, task: Task) -> float:
        """s of the motion."""
        return _seconds(task)

    def start(self, task: Task, after: Handover | None = None) -> SwayState:
        """At rest; for a loop, in the state that one round leads back to."""
        model = _model(task)
        ticks = max(round(_seconds(task) / TICK), 1) if task.period is not None else 0
        zero = np.zeros(LOWEST if self.mode == "modes" else (len(model.skeleton), 3))
        if self.mode == "modes":
            zero = zero[: len(self._modes(model).rate)]
        begin = SwayState(0, zero, zero, False, ticks)
        if task.period is None or self.mode == "static":
            return begin
        return self._closed(begin, task)

    def advance(self, state: SwayState, task: Task) -> tuple[SwayState, Motion | None]:
        """Half a second; None when the time is over."""
        if state.over:
            return state, None
        model, end = _model(task), _seconds(task)
        length = self._tick(task, state)
        last_tick = int(np.ceil(end / length - 1e-9))
        stop = min(state.tick + STRETCH, last_tick)
        over = stop >= last_tick
        span = (state.tick * length, end if over else stop * length)
        times = _grid(span, task.fps, over and task.period is None)
        shown = np.zeros((len(times), len(model.skeleton), 3))
        which = np.minimum((times / length + 1e-9).astype(int), max(stop - 1, state.tick))
        now = state
        for tick in range(state.tick, stop):
            rest, x, v = self._pushed(now, task, (tick + 0.5) * length)
            here = np.flatnonzero(which == tick)
            if len(here):
                shown[here] = self._turned(model, rest, (x, v), times[here] - tick * length)
            x, v = advance(x, v, rest, self._over(model, length))
            now = now._replace(tick=tick + 1, x=x, v=v)
        motion = _motion(task, model, shown)
        return now._replace(over=over), motion

    def handover(self, state: SwayState) -> Handover:
        """A plant does not hand over.

        Raises:
            GambolError: always.
        """
        raise GambolError("what sways is not taken over", where="sway", do="put the clips one after the other")

    def _pushed(self, state: SwayState, task: Task, time: float) -> tuple[Array, Array, Array]:
        """For the tick around ``time``: where joints are at rest, and their state after what the wind does at once."""
        model, field = _model(task), _field(task)
        places = rod_middles(model)
        if self.mode == "displacement":
            return np.zeros_like(state.x), self._displaced(state.x, model, field_at(field, places, time)), state.v
        turning = torques(model, field_at(field, places, time))
        if self.mode == "modes":
            modes = self._modes(model)
            rest = np.einsum("njk,jk->n", modes.shapes, turning) / modes.rate**2 * self._scale(model)
            return rest, state.x, state.v
        elastic = self._elastic(model)
        return np.where(elastic.turns[:, None], turning / elastic.stiffness[:, None], 0.0), state.x, state.v

    def _turned(self, model: Model, rest: Array, state: tuple[Array, Array], after: Array) -> Array:
        """(F, J, 3) rad, so many s after a tick."""
        if self.mode == "static":
            x = np.broadcast_to(rest, (len(after), *rest.shape))
        else:
            spread = after.reshape(-1, *[1] * state[0].ndim)
            x, _ = advance(*state, rest, propagator(self._spring(model), spread))
        if self.mode == "modes":
            x = np.einsum("fn,njk->fjk", x, self._modes(model).shapes)
        return bounded(np.asarray(x), -MOST, MOST, SOFT)

    def _displaced(self, x: Array, model: Model, air: Array) -> Array:
        """Turns after the wind has moved the joints, the springs have spread it, and the swings are read."""
        skeleton, elastic = model.skeleton, self._elastic(model)
        give, net = _give(model, self.bend, self.frequency, self.damping)
        points, world = forward_kinematics(skeleton, skeleton.offsets[0], quat.exp(bounded(x, -MOST, MOST, SOFT)))
        moved = points + TICK * give[:, None] * air
        held = np.arange(len(skeleton)) == 0
        moved = stretch(moved, net, held, (0.5, 4), "numpy")
        return x + np.where(elastic.turns[:, None], _swings(model, (points, world), moved), 0.0)

    def _closed(self, begin: SwayState, task: Task) -> SwayState:
        """The state from which one round leads back to itself."""
        model, length = _model(task), self._tick(task, begin)
        if self.mode == "displacement":  # not linear; but it forgets where it began
            now = begin
            for _ in range(CALM_ROUNDS):
                before = now
                now = self._round(now, task, length)
                if np.abs(now.x - before.x).max(initial=0.0) < SETTLED:
                    break
            return begin._replace(x=now.x, v=now.v)
        end = self._round(begin, task, length)
        p = propagator(self._spring(model), begin.ticks * length)
        system = np.moveaxis(np.array([[1 - p.xx, -p.xv], [-p.vx, 1 - p.vv]]), (0, 1), (-2, -1))
        fixed = np.linalg.solve(system, np.stack([end.x, end.v], -1)[..., None])[..., 0]
        return begin._replace(x=np.asarray(fixed[..., 0]), v=np.asarray(fixed[..., 1]))

    def _round(self, state: SwayState, task: Task, length: float) -> SwayState:
        over = self._over(_model(task), length)
        for tick in range(state.ticks):
            rest, x, v = self._pushed(state, task, (tick + 0.5) * length)
            x, v = advance(x, v, rest, over)
            state = state._replace(x=x, v=v)
        return state

    def _tick(self, task: Task, state: SwayState) -> float:
        """s; a loop has a whole number of them."""
        return _seconds(task) / state.ticks if state.ticks else TICK

    def _over(self, model: Model, length: float) -> Propagator:
        return propagator(self._spring(model), length)

    def _spring(self, model: Model) -> Spring:
        """Of the joints (J, 1), or of the modes (N,)."""
        if self.mode == "modes":
            return Spring.tuned(self._modes(model).rate, self.damping)
        elastic = self._elastic(model)
        rate = np.sqrt(elastic.stiffness / elastic.mass)[:, None]
        return Spring.tuned(rate, self.damping)

    def _elastic(self, model: Model) -> Elastic:
        elastic = elastic_of(model, self.bend, self.frequency)
        if self.only == ("*",):
            return elastic
        chosen = np.array([any(fnmatchcase(n, p) for p in self.only) for n in model.skeleton.names])
        return elastic._replace(turns=elastic.turns & chosen)

    def _modes(self, model: Model) -> Modes:
        return mode_shapes(model, self.bend, self.frequency, LOWEST)

    def _scale(self, model: Model) -> float:
        """Makes the modes lean as far as the joints would in a steady breeze."""
        return _mode_scale(model, self.bend, self.frequency)


@lru_cache(maxsize=32)
def _mode_scale(model: Model, bend: float, frequency: float) -> float:
    modes = mode_shapes(model, bend, frequency, LOWEST)
    if not len(modes.rate):
        return 1.0
    turning = torques(model, np.broadcast_to([FRESH, 0.0, 0.0], (len(model.skeleton), 3)))
    turns = np.einsum("n,njk->jk", np.einsum("njk,jk->n", modes.shapes, turning) / modes.rate**2, modes.shapes)
    total = np.zeros_like(turns)
    for j in range(len(turns)):
        total[j] = turns[j] + (total[model.skeleton.parents[j]] if j else 0.0)
    return bend / max(float(np.linalg.norm(total, axis=1).max()), 1e-9)


@lru_cache(maxsize=32)
def _give(model: Model, bend: float, frequency: float, damping: float) -> tuple[Array, Springs]:
    """s (J,) of dp = dt s (W - v), and the springs that spread it.

    A joint is moved so much that a steady breeze of 6 m/s holds it about where its drag would.
    """
    elastic = elastic_of(model, bend, frequency)
    turning = torques(model, np.broadcast_to([FRESH, 0.0, 0.0], (len(model.skeleton), 3)))
    turns = np.where(elastic.turns[:, None], turning / elastic.stiffness[:, None], 0.0)
    place = model.skeleton.offsets[0]
    bent = forward_kinematics(model.skeleton, place, quat.exp(turns))[0] - model.skeleton.rest_positions()
    rate = float(np.sqrt((elastic.stiffness / elastic.mass)[elastic.turns].min())) if elastic.turns.any() else 1.0
    return np.linalg.norm(bent, axis=1) * rate / (2 * damping * FRESH), springs(model.skeleton, 2)


def _swings(model: Model, posed: tuple[Array, Array], moved: Array) -> Array:
    """(J, 3) rad in each joint's parent frame: the turn that carries its bones to where their ends have moved."""
    skeleton, (points, world) = model.skeleton, posed
    parents = skeleton.parents[1:]
    was, now = points[1:] - points[parents], moved[1:] - moved[parents]
    long = np.linalg.norm(was, axis=1)
    fine = (long > 1e-9) & (np.linalg.norm(now, axis=1) > 1e-9)
    turn = np.zeros_like(was)
    u = was[fine] / long[fine, None]
    v = now[fine] / np.linalg.norm(now[fine], axis=1, keepdims=True)
    turn[fine] = quat.log(quat.between(u, v)) * long[fine, None]
    out, weight = np.zeros((len(skeleton), 3)), np.zeros(len(skeleton))
    np.add.at(out, parents, turn)
    np.add.at(weight, parents, np.where(fine, long, 0.0))
    out /= np.maximum(weight, 1e-12)[:, None]
    # what the parent's own turn has carried along is not this joint's
    own = out.copy()
    own[1:] -= out[parents]
    above = np.where(skeleton.parents[:, None] >= 0, world[np.maximum(skeleton.parents, 0)], quat.IDENTITY)
    return quat.rotate(quat.conjugate(above), own)


def _model(task: Task) -> Model:
    return person_model(task.body) if task.model is None else task.model


def _seconds(task: Task) -> float:
    if task.period is not None:
        return max(round(task.period * task.fps), 1) / task.fps  # a loop has whole frames
    return SECONDS if task.duration is None else task.duration


def _field(task: Task) -> Field:
    return _flow(task.wind or Wind(0.0), task.seed, None if task.period is None else _seconds(task))


@lru_cache(maxsize=32)
def _flow(wind: Wind, seed: int, period: float | None) -> Field:
    return flow(wind, seed, period)


def _grid(span: tuple[float, float], fps: float, last: bool) -> Array:
    first = int(np.ceil(span[0] * fps - 1e-6))
    end = int(np.floor(span[1] * fps + 1e-6)) + 1 if last else int(np.ceil(span[1] * fps - 1e-6))
    out: Array = np.arange(first, max(end, first)) / fps
    return out


def _motion(task: Task, model: Model, turns: Array) -> Motion:
    pose = Pose(np.repeat(model.skeleton.offsets[:1], len(turns), 0), quat.exp(turns))
    info: dict[str, object] = {"method": "sway"}
    if model.name:
        info["model"] = model.name
    if task.period is not None:
        still = [0.0, 0.0, 0.0]
        info["loop"] = {"period_s": _seconds(task), "travel_m": still, "velocity_m_s": still, "in_place": True,
                        "start_m": still}
    return Motion(model.skeleton, pose.root, pose.rotations, task.fps, cyclic=task.period is not None,
                  name="sway", info=info)
