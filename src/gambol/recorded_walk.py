"""A measured walk from a recorded one: where the feet were, how each sole rolled, where the hips went.

From joint centres alone (:mod:`gambol.tracks`): the floor is levelled, clean steps are averaged side by side, the
foot's rockers (heel, ball, tip) are fitted to the ankle's path, and what a planted foot cannot follow goes to the hip,
so that a planted foot is planted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.gait_events import Events, check_walk, find_events
from gambol.generalise import Condition, Origin, Seq, Step, Subject, ankle_from_ball, ankle_from_heel, own
from gambol.motion import Motion, Trial
from gambol.recorded_steps import (
    ADULT_LEG,
    BALL,
    KS,
    PHASES,
    TOE,
    StepPath,
    clean,
    leg_of,
    levelled,
    mean_step,
    settled,
    sized,
    whole_steps,
)
from gambol.tracks import SIDES, tracks_of
from gambol.walk_data import CHANNELS, LIMPING, WalkData, series

__all__ = ["build_walk", "walk_from_steps"]

Array = NDArray[np.float64]
KNOTS = 41  # of each sequence
FLAT_BY = np.radians(2.0)
RAISED = np.radians(5.0)
SMOOTH = 0.030  # s, Gaussian on what the hip takes over


def build_walk(
    clip: Motion | Trial, *, table: Mapping[str, list[str]] | None = None, symmetric: bool = False,
    events: Events | None = None, leg: float | None = None,
) -> WalkData:
    """The measured walk of a clip.

    Args:
        clip: a walk on level ground, a motion on any skeleton or markers, with at least one whole step; where
            none on the other foot is whole, that one is mirrored.
        table: role -> joints or markers, where the names are not known.
        symmetric: make both steps the mean of the two.
        events: strikes and offs, where they are known better than from the clip.
        leg: m, thigh and shank of the person, where the clip's unit is in doubt.

    Raises:
        GambolError: no whole step, one foot that never strikes, feet that never touch down, ground that is not level.
    """
    tracks = sized(tracks_of(clip, table), leg)
    where = tracks.name or "clip"
    events = events or find_events(tracks, None if isinstance(clip, Motion) else clip)
    _enough(events, where)
    notes = list(tracks.notes)
    flat = levelled(tracks, events, notes, where)
    subject = leg_of(flat, events)
    paths = {side: whole_steps(flat, events, side, subject) for side in SIDES}
    if not any(paths.values()):
        raise GambolError(
            "there is no whole step", where=where, allowed="at least one step, with the one before and the one after",
            do="take a longer part of the recording",
        )
    mean = {side: settled(mean_step(clean(paths[side]))) for side in SIDES if paths[side]}
    for side, other in (SIDES, SIDES[::-1]):
        if side not in mean:
            mean[side] = _mirror(mean[other])
            notes.append(f"no step on the {side} foot is whole: those on the {other} one are mirrored")
    subject = _fitted(subject, mean)
    arms = all(f"{side}_{r}" in flat.points for side in SIDES for r in ("shoulder", "elbow", "wrist"))
    walk = walk_from_steps(subject, _mirrored(mean) if symmetric else mean, arms=arms)
    counts = {side: len(clean(paths[side])) if paths[side] else 0 for side in SIDES}
    apart = dict(zip(("step_length", "step_time"), walk.asymmetry))
    if max(apart.values()) > LIMPING:
        notes.append(f"the two sides differ: {max(apart.values()):.0%}; both are kept")
    info = {
        "speed_m_s": walk.speed, "step_length_m": walk.step_length, "cadence_steps_min": 60 / walk.duration,
        "steps": counts, "notes": notes, "asymmetry": apart,
    }
    return WalkData(walk.left, walk.right, walk.channels, walk.width, walk.arms, where, info)


def _enough(events: Events, where: str) -> None:
    found = {side: len(events.strikes[side]) for side in SIDES}
    if not any(found.values()):
        raise GambolError(
            "no foot ever strikes the ground", where=where, allowed="a walk with at least one whole step",
            do="give a clip of level walking",
        )
    check_walk(events, where, "a walk")
    lacking = [side for side in SIDES if not found[side]]
    if lacking:
        raise GambolError(f"the {lacking[0]} foot never strikes the ground", where=where, allowed="a walk on two feet")


# foot and sequences


class _Roll(NamedTuple):
    """How a mean stance rolls: sole angle and toe angle at the times of its samples, and when it is flat."""

    t: Array
    pitch: Array
    meta: Array
    flat: float
    meta_off: float


def _rolled(path: StepPath, s: Subject) -> _Roll:
    t = np.linspace(0, path.lift, KS)
    pitch = path.stance[:, 2]
    middle = 0.35 * path.lift
    early = np.flatnonzero((t < middle) & (pitch > FLAT_BY))
    flat = float(t[early[-1]]) + 0.02 if len(early) else 0.12
    flat = min(max(flat, 0.08), 0.33)
    heel = pitch[0] if pitch[0] > np.radians(3) else np.radians(3)
    falling = np.where(t <= flat, pitch - np.interp(flat, t, pitch) * np.clip(t / flat, 0, 1), 0.0)
    falling = np.maximum(falling, 0.0) if pitch[0] > np.radians(3) else heel * np.clip(1 - t / flat, 0, 1) ** 2
    push = np.where(t > middle, np.minimum(pitch, 0.0), 0.0)
    ball_y = path.stance[:, 1] + s.ball * np.sin(push) - s.ankle * np.cos(push)
    meta = np.arcsin(np.clip(ball_y / s.toe, 0.0, 0.98))
    started = np.flatnonzero((t < 0.75) | (meta < np.radians(3)) | (push > -RAISED))
    off = float(t[min(started[-1], KS - 8)]) if len(started) else 0.9
    meta = np.where(t > off, meta * np.clip((t - off) / max(0.3 * (path.lift - off), 1e-6), 0, 1), 0.0)
    meta = meta * np.clip(-push / RAISED, 0, 1)  # under a sole that stays flat no toe turns
    return _Roll(t, falling + push, meta, flat, off)


def _rolled_ankle(roll: _Roll, s: Subject) -> tuple[Array, Array]:
    """Ankle forward and up m at the samples of a roll."""
    x0, y0 = ankle_from_heel(s, np.maximum(roll.pitch, 0))
    x1, y1 = ankle_from_ball(s, np.minimum(roll.pitch, 0), roll.meta)
    heel = roll.pitch > 0
    return np.asarray(np.where(heel, x0, x1), float), np.asarray(np.where(heel, y0, y1), float)


def _fitted(subject: Subject, mean: dict[str, StepPath]) -> Subject:
    """Heel, ball and toe that let the measured ankles roll over fixed points; a prior breaks the tie."""
    size = subject.leg / ADULT_LEG
    best = (np.inf, subject)
    for ball in size * np.arange(0.09, 0.1701, 0.01):
        for toe in size * np.arange(0.035, 0.1001, 0.0065):
            s = subject._replace(ball=float(ball), toe=float(toe))
            cost = ((ball / size - BALL) / 0.05) ** 2 * 4e-6 + ((toe / size - TOE) / 0.03) ** 2 * 4e-6
            for path in mean.values():
                roll = _rolled(path, s)
                late = roll.t > 0.5 * path.lift
                x, y = _rolled_ankle(roll, s)
                off = np.stack([x - path.stance[:, 0], y - path.stance[:, 1]], -1)[late]
                cost += float((off**2).sum(-1).mean())
            best = min(best, (cost, s), key=lambda b: b[0])
    subject = best[1]
    heels = size * np.arange(0.0, 0.0601, 0.003)
    costs = []
    for heel in heels:
        cost = 0.0
        for path in mean.values():
            s = subject._replace(heel=float(heel))
            roll = _rolled(path, s)
            early = roll.t < roll.flat
            x, y = _rolled_ankle(roll, s)
            cost += float(((x - path.stance[:, 0]) ** 2 + (y - path.stance[:, 1]) ** 2)[early].mean())
        costs.append(cost)
    return subject._replace(heel=float(heels[int(np.argmin(costs))]))


def walk_from_steps(subject: Subject, mean: dict[str, StepPath], *, arms: bool = False, name: str = "") -> WalkData:
    """A measured walk from one step of each foot.

    Args:
        subject: legs and feet, fitted.
        mean: left and right -> its step.
        arms: whether the arms were measured.
        name: of the walk.
    """
    rolls = {side: _rolled(mean[side], subject) for side in SIDES}
    shift = _residual(mean, rolls, subject)
    steps = {}
    for side in SIDES:
        other = SIDES[1 - SIDES.index(side)]
        steps[side] = _sequences(subject, mean[side], (rolls[side], rolls[other]), shift[side])
    width = max(float(np.mean([mean[side].width for side in SIDES])), 0.02 * float(subject.leg))
    return WalkData(steps["left"], steps["right"], _channels(mean, steps), width, arms, name)


def _mirror(path: StepPath) -> StepPath:
    """A step as it would be on the other foot."""
    turned = np.ones(len(CHANNELS) - 3)
    turned[[0, 1, 3, 4]] = -1.0
    turned[[5, 8, 11, 14]] = -1.0
    swap = np.r_[0:5, 11:17, 5:11]
    return path._replace(hip=path.hip * [1.0, 1.0, -1.0], upper=(path.upper * turned)[:, swap])


def _mirrored(mean: dict[str, StepPath]) -> dict[str, StepPath]:
    """Both steps the mean of left and mirrored right."""
    left = mean_step([mean["left"], _mirror(mean["right"])])
    return {"left": left, "right": _mirror(left)}


def _residual(mean: dict[str, StepPath], rolls: dict[str, _Roll], s: Subject) -> dict[str, Array]:
    """``(PHASES / 2 + 1, 2)`` m forward and up that the hip takes over, for the rolling foot to be the measured one."""
    half = PHASES // 2
    t = np.linspace(0, 1, half + 1)
    away: dict[str, Array] = {}
    for side in SIDES:
        x, y = _rolled_ankle(rolls[side], s)
        off = np.stack([x - mean[side].stance[:, 0], y - mean[side].stance[:, 1]], -1)
        away[side] = np.stack([np.interp(t, rolls[side].t, off[:, k]) for k in range(2)], -1)
    late = np.clip((t - 0.8) / 0.2, 0, 1)[:, None]
    for side, other in (SIDES, SIDES[::-1]):
        away[side] = away[side] * (1 - late) + away[other][:1] * late
    whole = np.concatenate([away["left"][:-1], away["right"][:-1]])
    stride = mean["left"].duration + mean["right"].duration
    frequency = np.fft.rfftfreq(PHASES) * PHASES
    gain = np.exp(-0.5 * (2 * np.pi * frequency * SMOOTH / stride) ** 2)[:, None]
    smooth = np.fft.irfft(np.fft.rfft(whole, axis=0) * gain, PHASES, axis=0)
    return {"left": smooth[: half + 1], "right": np.concatenate([smooth[half:], smooth[:1]])}


def _sequences(s: Subject, path: StepPath, rolls: tuple[_Roll, _Roll], shift: Array) -> Step:
    """The six sequences of a step; ``rolls``: of the stance foot, and of the other foot's own stance."""
    roll, rear_roll = rolls
    q = np.linspace(0, 1, KNOTS)
    t_hip = np.linspace(0, 1, PHASES // 2 + 1)
    hip = path.hip[:, :2] + shift
    late = roll.flat + (path.lift - roll.flat) * q
    toes = roll.meta_off + (path.lift - roll.meta_off) * q
    air = path.toe_off + (1 - path.toe_off) * q
    swing = np.stack([np.interp(air, np.linspace(path.toe_off, 1, KS), path.swing[:, k]) for k in range(3)], -1)
    moved = np.stack([np.interp(air, t_hip, shift[:, k]) for k in range(2)], -1)
    strike = (float(max(roll.pitch[0], 0.02)), float(max(rear_roll.pitch[0], 0.02)))
    push = (float(min(roll.pitch[-1], -0.06)), float(min(rear_roll.pitch[-1], -0.06)))
    bend = (float(max(roll.meta[-1], 0.04)), float(max(rear_roll.meta[-1], 0.04)))
    f1 = Seq(roll.flat * q, _ending(np.interp(roll.flat * q, roll.t, np.maximum(roll.pitch, 0))[::-1], strike[0])[::-1])
    f2 = Seq(late, _ending(np.interp(late, roll.t, np.minimum(roll.pitch, 0)), push[0]))
    meta = Seq(toes, _ending(np.interp(toes, roll.t, roll.meta), bend[0]))
    lead = (float(hip[0, 0] + path.previous / 2), float(hip[-1, 0] - path.step / 2))
    fore, rise = (tuple(float(v) for v in path.joints[:, k]) for k in range(2))
    knee = tuple(
        _knee(s, w, strike[k], lead[k] + fore[k], float(hip[-k, 1]) + rise[k])
        for k, w in enumerate((path.previous, path.step))
    )
    origin = Origin(
        s, float(path.step), float(path.previous), float(path.duration), knee, strike, push, bend, lead, fore, rise,  # type: ignore[arg-type]
        float(path.toe_off), float(path.lift), _heel_off(f2),
    )
    step = Step(
        Seq(t_hip, hip[:, 0]), Seq(t_hip, hip[:, 1]), f1, f2, Seq(air, swing[:, 2]), meta,
        Seq(air, swing[:, 0] + moved[:, 0]), Seq(air, swing[:, 1] + moved[:, 1]),
        Condition(s, origin.step, origin.previous, origin.duration), origin,
    )
    return own(step)


def _heel_off(f2: Seq) -> float:
    """Time (steps) of the last knot before the heel is up by more than 0.7 degrees."""
    up = np.flatnonzero(np.abs(f2.v) > np.radians(0.7))
    return float(f2.t[min(max(int(up[0]) - 1, 1), len(f2.t) - 5)]) if len(up) else float(f2.t[len(f2.t) // 2])


def _ending(v: Array, last: float) -> Array:
    """``v`` from 0 to ``last``: what is missing rises with the square of time."""
    u = np.linspace(0, 1, len(v))
    return (v - v[0] * (1 - u)) + (last - v[-1]) * u * u


def _knee(s: Subject, step: float, strike: float, lead: float, hip: float) -> float:
    """Flexion (rad) of the landing leg below a hip of that height."""
    x, y = ankle_from_heel(s, strike)
    reach2 = (step / 2 + x - lead) ** 2 + (hip - y) ** 2
    cosine = (reach2 - s.thigh**2 - s.shank**2) / (2 * s.thigh * s.shank)
    return float(np.arccos(np.clip(cosine, -1, 1)))


def _channels(mean: dict[str, StepPath], steps: dict[str, Step]) -> Array:
    """Series of the stride: hip as it leaves the straight way between heel strikes, sway, pelvis, trunk, arms."""
    half = PHASES // 2
    values = np.zeros((len(CHANNELS), PHASES))
    phase = np.linspace(0, 1, half + 1)
    for k, side in enumerate(SIDES):
        part, path = slice(k * half, (k + 1) * half), mean[side]
        step = steps[side]
        for row, seq in ((0, step.hip_x), (1, step.hip_y)):
            line = seq.v[0] + (seq.v[-1] - seq.v[0]) * phase
            values[row, part] = (seq.v - line)[:-1]
        values[2, part] = path.hip[:-1, 2]
        values[3:, part] = path.upper[:-1].T
    values[2] -= values[2].mean()
    values[[3, 4, 6, 7]] -= values[[3, 4, 6, 7]].mean(1, keepdims=True)
    out = series(values)
    # the hip's departures are none at both strikes: base and lead carry the rest
    for row in (0, 1):
        n = (out.shape[1] - 1) // 2
        even, odd = out[row, 2 : n + 1 : 2].sum() + out[row, 0], out[row, 1 : n + 1 : 2].sum()
        out[row, 0] -= even
        out[row, 1] -= odd
    return out
