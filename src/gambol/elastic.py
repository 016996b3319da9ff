"""Elastic joints between keys: every channel a spring whose rest is the next key, solved in closed form.

``M th'' + C th' + K th = T`` with T = K th_key (Chen, Li and Hu 2004, section 4.1). In *pull* mode the key is the
rest: the joint swings in and over it. In *hit* mode the rest is chosen so that the key is there at its time. Position
and velocity go on from one segment to the next, and any moment is computed from the last key or change alone, so that
no result depends on a rate of frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import G
from gambol.keys import Key
from gambol.spring import Spring, advance, propagator, rest_that_hits

__all__ = ["MODES", "Course", "Goal", "Segment", "State", "at", "closed", "segments", "solve"]

Array = NDArray[np.float64]
MODES = ("hit", "pull")
TINY = 1e-9  # s
CALM = 3.0  # w0 h; a spring that shall hit a key is at least so quick, or it would be flung there
UPRIGHT = slice(-4, -1)  # the root's place among the channels


class Segment(NamedTuple):
    """A stretch of time with one goal.

    Attributes:
        start, end: s.
        goal: index of the key it leads to, or that it holds.
        hold: whether it holds.
        flight: whether the root flies.
        leap: whether the next segment is a flight, so that this one ends with its velocity.
    """

    start: float
    end: float
    goal: int
    hold: bool = False
    flight: bool = False
    leap: bool = False


class Goal(NamedTuple):
    """Channels ``(C,)`` of the key a segment leads to; for a leap those of the next one, and s in the air."""

    key: Array
    after: Array
    flight: float = 0.0


class Course(NamedTuple):
    """A segment with where its springs are at rest ``(C,)``.

    ``way``: polynomial in the time gone, ``(4, 3)`` from the constant up, of a root that flies or takes its run-up.
    """

    segment: Segment
    rest: Array
    spring: Spring
    way: Array | None


class State(NamedTuple):
    """Channels and their velocities, ``(C,)`` each."""

    x: Array
    v: Array


def segments(keys: Sequence[Key], period: float | None, time: float, led: bool) -> list[Segment]:
    """What is still to come of a dance, or of the round of it that ``time`` is in.

    Args:
        keys: in order.
        period: s of a round; None: once.
        time: s, from when on; the first segment begins there.
        led: whether the figure must be led to the first key; else it waits in it.
    """
    out = [Segment(min(time, keys[0].time), keys[0].time, 0, hold=not led)]
    for k, key in enumerate(keys):
        if k:
            out.append(Segment(keys[k - 1].time + keys[k - 1].hold, key.time, k, flight=keys[k - 1].jump))
        out.append(Segment(key.time, key.time + key.hold, k, hold=True))
    shift = 0.0
    if period is not None:
        last = keys[-1]
        out.append(Segment(last.time + last.hold, keys[0].time + period, 0, flight=last.jump))
        shift = period * max(np.floor((time - keys[0].time) / period + TINY), 0.0)
    following = [*out[1:], out[2] if period is not None and len(out) > 2 else out[-1]]
    marked = [
        s._replace(start=s.start + shift, end=s.end + shift, leap=_leaps(s, n, out)) for s, n in zip(out, following)
    ]
    todo = [s for s in marked if s.end > time + TINY]
    return [todo[0]._replace(start=time), *todo[1:]] if todo else []


def _leaps(segment: Segment, following: Segment, all_: Sequence[Segment]) -> bool:
    """Whether a segment ends in a jump: the next one, or the one after an empty hold, is a flight."""
    if segment.flight or segment.hold:
        return False
    k = all_.index(following)
    if following.hold and following.end <= following.start and k + 1 < len(all_):
        following = all_[k + 1]
    return following.flight


def solve(segment: Segment, state: State, goal: Goal, spring: Spring, mode: str) -> Course:
    """The course of a segment.

    Args:
        segment: from when to when.
        state: at its start.
        goal: where it leads.
        spring: of all channels, as numbers or ``(C,)``.
        mode: hit or pull.
    """
    h = segment.end - segment.start
    rest = goal.key
    if mode == "hit" and not segment.hold:
        spring = quicker(spring, CALM / h)
        rest = rest_that_hits(state.x, state.v, goal.key, propagator(spring, h))
    way = None
    start, end = state.x[UPRIGHT], goal.key[UPRIGHT]
    if segment.flight:
        way = np.stack([start, _throw(start, end, h), [0.0, -G / 2, 0.0], np.zeros(3)])
    elif segment.leap:
        way = _run_up((start, state.v[UPRIGHT]), (end, _throw(end, goal.after[UPRIGHT], goal.flight)), h)
    return Course(segment, rest, spring, way)


def at(course: Course, state: State, time: Array) -> State:
    """Channels ``(..., C)`` at times ``(...)`` s of a course that began in ``state``; exact at any of them."""
    t = np.asarray(time, float)[..., None] - course.segment.start
    x, v = np.broadcast_arrays(*advance(state.x, state.v, course.rest, propagator(course.spring, t)))
    if course.way is not None:
        x, v = np.array(x), np.array(v)
        c0, c1, c2, c3 = course.way
        x[..., UPRIGHT] = c0 + t * (c1 + t * (c2 + t * c3))
        v[..., UPRIGHT] = c1 + t * (2 * c2 + t * 3 * c3)
    return State(np.asarray(x, float), np.asarray(v, float))


def closed(round_: Sequence[tuple[Segment, Goal]], turned: Array, spring: Spring, mode: str) -> State:
    """The state at the first key from which one round leads back to itself, in position and velocity.

    A round is an affine map of every channel's (x, v); three trials give it, and its fixed point is solved for.

    Args:
        round_: segments with their goals.
        turned: ``(C,)`` by how much the channels are farther at the end: whole turns.
        spring: of all channels.
        mode: hit or pull.
    """
    size = len(turned)
    trials = []
    for x0, v0 in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)):
        state = State(np.full(size, x0), np.full(size, v0))
        for segment, goal in round_:
            state = at(solve(segment, state, goal, spring, mode), state, np.array(segment.end))
        trials.append(np.stack(state, -1))  # (C, 2)
    b = trials[0]
    a = np.stack([trials[1] - b, trials[2] - b], -1)  # (C, 2, 2)
    b = b - np.stack([turned, np.zeros(size)], -1)
    fixed: Array = np.asarray(np.linalg.solve(np.eye(2) - a, b[..., None])[..., 0], float)
    return State(fixed[:, 0], fixed[:, 1])


def quicker(spring: Spring, least: float) -> Spring:
    """The spring, stiffened where its w0 is below ``least`` rad/s, with its damping ratio kept."""
    m, c, k = (np.asarray(v, float) for v in spring)
    stiff = np.maximum(k, m * least * least)
    ratio = c / (2 * np.sqrt(np.maximum(k, 1e-300) * m))
    return Spring(m, np.where(stiff > k, np.where(k > 0, 2 * ratio * np.sqrt(stiff * m), c), c), stiff)


def _throw(start: Array, end: Array, h: float) -> Array:
    """(3,) m/s with which a root leaves ``start`` to come down at ``end`` after ``h`` s."""
    out: Array = (end - start) / h + np.array([0.0, G * h / 2, 0.0])
    return out


def _run_up(start: tuple[Array, Array], end: tuple[Array, Array], h: float) -> Array:
    """(4, 3): the crouch and push before a jump, from place and velocity (3,) to place and velocity in ``h`` s.

    A cubic: of all ways between the two it has the least mean square of acceleration.
    """
    (x0, v0), (x1, v1) = start, end
    out: Array = np.stack([
        x0, v0, (3 * (x1 - x0) / h - 2 * v0 - v1) / h, (v0 + v1 - 2 * (x1 - x0) / h) / (h * h),
    ])
    return out
