"""Strides of a clip: speed, cadence, step lengths, stance and double support."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.feet import foot_contacts, sole_columns, sole_points, steadied, strikes_and_offs
from gambol.measure.track import Track, advances
from gambol.motion import Motion

__all__ = ["Stride", "Walk", "find_strides", "measure_walk", "steady", "wandering"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
SHORTEST = 0.1  # s; shorter stances and gaps are flicker, no steps
TRIM = 2.0  # s at either end, where a walk starts and stops


class Stride(NamedTuple):
    """From one strike of a foot (a column of the feet) to its next: frames ``first <= i < end``."""

    foot: int
    first: int
    end: int


@dataclass(frozen=True)
class Walk:
    """Steps and what they come to.

    Means are over the steady strides (:func:`steady`), None where there is none.

    Attributes:
        strikes_s: foot -> times of its first planted frames, flicker below 0.1 s left out.
        offs_s: foot -> times of its last planted frames.
        steps: strikes of all feet.
        steady_strides: how many the means are over.
        cadence_steps_min: of two feet.
        speed_m_s: horizontal advance of the centre of mass; where a stride turns, its chord is taken for an
            arc.
        path_speed_m_s: the same advance measured along the path, where the path is known.
        asked_speed_m_s: what the clip says it was made for.
        stride_speeds_m_s: of every steady stride.
        step_length_m: along the way of the feet.
        step_lengths_m: of every step.
        step_width_m: between the lines of the two feet.
        stance_share: part of the stride a foot is down.
        planned_stance_share: the same by the events that travel with the clip.
        double_support_share: part of the stride two feet are down.
        flight_share: part of the stride none is.
        com_rise_mm: of the centre of mass within a stride, its steady climb taken away.
    """

    strikes_s: dict[str, tuple[float, ...]]
    offs_s: dict[str, tuple[float, ...]]
    steps: int
    steady_strides: int = 0
    cadence_steps_min: float | None = None
    speed_m_s: float | None = None
    path_speed_m_s: float | None = None
    asked_speed_m_s: float | None = None
    stride_speeds_m_s: tuple[float, ...] = ()
    step_length_m: float | None = None
    step_lengths_m: tuple[float, ...] = ()
    step_width_m: float | None = None
    stance_share: float | None = None
    planned_stance_share: float | None = None
    double_support_share: float | None = None
    flight_share: float | None = None
    com_rise_mm: float | None = None


def find_strides(motion: Motion, contacts: Bools) -> list[Stride]:
    """Every whole stride of every foot, in order of time."""
    on = _down(motion, contacts)
    out = []
    for foot in range(on.shape[1]):
        starts = np.flatnonzero(np.diff(on[:, foot].astype(np.int8)) > 0) + 1
        out += [Stride(foot, int(a), int(b)) for a, b in pairwise(starts)]
    return sorted(out, key=lambda s: (s.first, s.foot))


def steady(strides: Sequence[Stride], motion: Motion) -> list[Stride]:
    """The strides that are not part of starting or stopping.

    Those at least 2 s from both ends; where there is none, all but the first and last of each foot; else all.
    """
    margin, frames = TRIM * motion.fps, len(motion)
    inner = [s for s in strides if s.first >= margin and s.end <= frames - margin]
    if inner or not strides:
        return inner
    middle = []
    for foot in {s.foot for s in strides}:
        middle += [s for s in strides if s.foot == foot][1:-1]
    return sorted(middle, key=lambda s: (s.first, s.foot)) or list(strides)


def measure_walk(motion: Motion, contacts: Bools, com: Array, track: Track | None) -> Walk:
    """Steps and strides of a clip.

    Args:
        motion: F frames.
        contacts: ``(F, S)`` recorded or found.
        com: ``(F, 3)`` m, whatever carries the speed of the figure.
        track: the path, if known.
    """
    on, feet = _down(motion, contacts), sole_columns(motion.skeleton)
    events = strikes_and_offs(on, motion.fps, {name: [i] for i, name in enumerate(feet)})
    strikes = {name: tuple(map(float, e[0])) for name, e in events.items()}
    offs = {name: tuple(map(float, e[1])) for name, e in events.items()}
    strides = steady(find_strides(motion, contacts), motion)
    asked = motion.info.get("speed_m_s")
    seen: dict[str, Any] = {"asked_speed_m_s": float(asked) if isinstance(asked, int | float) else None}
    if strides:
        seen |= _speeds(motion, com, strides, track) | _shares(on, strides)
        seen |= {"com_rise_mm": _rise(com, strides), "planned_stance_share": _planned(motion, strides, feet)}
    if len(feet) == 2:
        seen |= _steps(motion, _strikes(on), strides)
    return Walk(strikes, offs, sum(map(len, strikes.values())), len(strides), **seen)


def wandering(ends: Array, velocities: Array) -> Array:
    """Length (m) of strides from the ends ``(K, 2, 2)`` m of their chords and the velocities there.

    A stride that turns by an angle a is an arc: its chord times (a / 2) / sin(a / 2). The angle is between
    the horizontal velocities at both ends, where a walker sways alike.
    """
    chords = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=-1)
    v, w = velocities[:, 0], velocities[:, 1]
    turn = np.abs(np.arctan2(v[:, 0] * w[:, 1] - v[:, 1] * w[:, 0], np.sum(v * w, -1)))
    return chords / np.sinc(turn / (2 * np.pi))


def _down(motion: Motion, contacts: Bools) -> Bools:
    down = foot_contacts(contacts, sole_columns(motion.skeleton))
    return steadied(down, int(np.ceil(SHORTEST * motion.fps - 1e-9)))


def _strikes(on: Bools) -> list[tuple[int, int]]:
    """(frame, foot) of every strike, in order of time."""
    frames, feet = np.nonzero(np.diff(on.astype(np.int8), axis=0) > 0)
    return [(int(f) + 1, int(foot)) for f, foot in zip(frames, feet)]


def _speeds(motion: Motion, com: Array, strides: Sequence[Stride], track: Track | None) -> dict[str, Any]:
    flat = com[:, [0, 2]]
    frames = np.array([(s.first, s.end) for s in strides])
    seconds = (frames[:, 1] - frames[:, 0]) / motion.fps
    lengths = wandering(flat[frames], np.gradient(flat, axis=0)[frames])
    out: dict[str, Any] = {
        "speed_m_s": float(lengths.sum() / seconds.sum()),
        "stride_speeds_m_s": tuple(map(float, lengths / seconds)),
    }
    if track is not None:
        out["path_speed_m_s"] = float(advances(track, flat[frames]).sum() / seconds.sum())
    return out


def _shares(on: Bools, strides: Sequence[Stride]) -> dict[str, float]:
    total = sum(s.end - s.first for s in strides)
    stance = sum(int(on[s.first : s.end, s.foot].sum()) for s in strides)
    down = on.sum(1)
    both, none = (sum(int(x[s.first : s.end].sum()) for s in strides) for x in (down >= 2, down == 0))
    shares = {"stance_share": stance, "double_support_share": both, "flight_share": none}
    return {name: frames / total for name, frames in shares.items()}


def _planned(motion: Motion, strides: Sequence[Stride], feet: dict[str, list[int]]) -> float | None:
    """Stance share of the same strides by the events in ``motion.info``."""
    shares = []
    for name, strike, after in _event_strides(motion, list(feet)):
        offs = [t for t in motion.info["events"].get(name + "_off", []) if strike < t < after]
        middle = 0.5 * (strike + after) * motion.fps
        if offs and any(s.first <= middle < s.end and list(feet)[s.foot] == name for s in strides):
            shares.append((offs[0] - strike) / (after - strike))
    return float(np.mean(shares)) if shares else None


def _event_strides(motion: Motion, names: Sequence[str]) -> Iterator[tuple[str, float, float]]:
    events = motion.info.get("events")
    for name in names:
        times = events.get(name + "_strike", []) if isinstance(events, dict) else []
        yield from ((name, a, b) for a, b in pairwise(times))


def _rise(com: Array, strides: Sequence[Stride]) -> float:
    """mm, mean over strides of the vertical range within them, their climb taken away."""
    rises = []
    for s in strides:
        y = com[s.first : s.end + 1, 1]
        y = y - np.linspace(y[0], y[-1], len(y))
        rises.append(y.max() - y.min())
    return float(1e3 * np.mean(rises))


def _steps(motion: Motion, strikes: Sequence[tuple[int, int]], strides: Sequence[Stride]) -> dict[str, Any]:
    """Cadence, step lengths and width of two feet, from where each comes down."""
    columns = list(sole_columns(motion.skeleton).values())
    points = sole_points(motion)[..., [0, 2]]
    places = np.array([points[frame, columns[foot][0]] for frame, foot in strikes]).reshape(-1, 2)
    lengths, widths, frames = [], [], []
    for k in range(1, len(strikes)):
        way = _way(places, k)
        if strikes[k][1] != strikes[k - 1][1] and way is not None:
            step = places[k] - places[k - 1]
            lengths.append(float(step @ way))
            widths.append(abs(float(step[0] * way[1] - step[1] * way[0])))
            frames.append(strikes[k][0])
    first = min((s.first for s in strides), default=0)
    end = max((s.end for s in strides), default=len(motion))
    calm = [first <= f <= end for f in frames]
    inside = [f for f, _ in strikes if first <= f <= end]
    out: dict[str, Any] = {"step_lengths_m": tuple(lengths)}
    if len(inside) > 1 and inside[-1] > inside[0]:
        out["cadence_steps_min"] = 60 * motion.fps * (len(inside) - 1) / (inside[-1] - inside[0])
    if any(calm):
        out["step_length_m"] = float(np.mean(np.array(lengths)[calm]))
        out["step_width_m"] = float(np.mean(np.array(widths)[calm]))
    return out


def _way(places: Array, k: int) -> Array | None:
    """Unit direction of travel at step k: along the strides of both feet there, which know no width."""
    way = np.zeros(2)
    if k >= 2:
        way += places[k] - places[k - 2]
    if k + 1 < len(places):
        way += places[k + 1] - places[k - 1]
    size = np.linalg.norm(way)
    return way / size if size > 1e-6 else None
