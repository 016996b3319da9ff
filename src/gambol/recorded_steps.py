"""The whole steps of a recorded walk: floor levelled, each step in its own ground frame, the clean ones averaged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import G
from gambol.errors import GambolError
from gambol.gait_events import Events, sole_pitch
from gambol.generalise import Subject
from gambol.tracks import SIDES, Tracks
from gambol.walk_data import CHANNELS

__all__ = [
    "ADULT_LEG", "BALL", "KS", "PHASES", "TOE", "StepPath", "arms_by_legs", "clean", "leg_of", "levelled",
    "mean_step", "meant", "settled", "sized", "whole_steps",
]

Array = NDArray[np.float64]
FLAT = (0.25, 0.45)  # of the stance: the sole lies flat
ENOUGH = 2  # steps of a foot
ALIKE = 0.15  # steps whose length or duration is further from the median are left out
LEVEL = 0.025  # m, departures of the flat feet from a plane, beyond which the ground is no plane
STEEPEST = 0.04  # slope of a floor that is only the room's
ADULT_LEG, BALL, TOE = 0.84, 0.13, 0.07  # m: foot lengths in doubt lean towards these
LEGS = (0.25, 1.5)  # m, thigh + shank of people
CMU_UNIT = 0.0254 / 0.45 / 0.01  # m of the CMU library over m of its unit read as centimetres
UNITS = (CMU_UNIT, 100.0, 0.01, 0.001, 1000.0, 0.0254, 0.3048)
SMALL_ANGLE, SURE_ANGLE = np.radians(0.5), np.radians(2.0)  # sole angles below are noise, above are meant
PHASES = 64  # samples of the stride
KS = 81  # samples of a stance and of a swing


class StepPath(NamedTuple):
    """One step in the ground's frame, origin below the stance ankle: times in steps; see :func:`_cut`."""

    step: float
    previous: float
    duration: float
    toe_off: float
    lift: float
    hip: Array  # (PHASES / 2 + 1, 3) forward, up, towards the left, over [0, 1]
    stance: Array  # (KS, 3) ankle forward, ankle up, sole pitch, over [0, lift]
    swing: Array  # (KS, 3) the same of the other foot, over [toe_off, 1]
    width: float
    joints: Array  # (2, 2) landing hip joint from the middle of both, forward and up, at both ends
    upper: Array  # (PHASES / 2 + 1, channels after sway)


def sized(tracks: Tracks, known: float | None = None) -> Tracks:
    """Tracks in metres, where the clip's unit is not one that legs can have, or legs ``known`` m long are others."""
    leg = np.mean([
        np.nanmedian(
            np.linalg.norm(tracks[f"{s}_hip"] - tracks[f"{s}_knee"], axis=-1)
            + np.linalg.norm(tracks[f"{s}_knee"] - tracks[f"{s}_ankle"], axis=-1)
        ) for s in SIDES
    ])
    if not np.isfinite(leg) or leg <= 0:
        raise GambolError("the legs have no length", where=tracks.name or "clip")
    if known is not None and not LEGS[0] <= known <= LEGS[1]:
        raise GambolError(f"a leg of {known:g} m", where="--from-leg", allowed=f"{LEGS[0]} to {LEGS[1]} m")
    if known is None and LEGS[0] <= leg <= LEGS[1]:
        return tracks
    unit = next((k for k in UNITS if LEGS[0] <= leg * k <= LEGS[1]), ADULT_LEG / leg)
    scale = unit if known is None else known / leg
    note = f"legs of {leg:.3g} m: all lengths taken {scale:.4g} times"
    return replace(tracks, points={k: v * scale for k, v in tracks.points.items()}, notes=(*tracks.notes, note))


# the ground and the leg


def _flat_span(events: Events, side: str, strike: float) -> tuple[float, float, float]:
    """Times (s) between which the foot that struck then lies flat, and its lift (typical where not seen)."""
    later = events.offs[side][events.offs[side] > strike + 0.1]
    strikes = np.sort(np.concatenate([events.strikes[s] for s in SIDES]))
    typical = 1.22 * float(np.median(np.diff(strikes))) if len(strikes) > 1 else 0.7
    lift = float(later[0]) if len(later) and later[0] - strike < 2 * typical else strike + typical
    return strike + FLAT[0] * (lift - strike), strike + FLAT[1] * (lift - strike), lift


def _stances(events: Events, side: str) -> list[float]:
    """Strikes of a side, with the one before the first off where the clip begins within a stance."""
    out = [float(t) for t in events.strikes[side]]
    offs = events.offs[side]
    if len(offs) and (not out or offs[0] < out[0]):
        strikes = np.sort(np.concatenate([events.strikes[s] for s in SIDES]))
        if len(strikes) > 1:
            out.insert(0, float(offs[0]) - 1.22 * float(np.median(np.diff(strikes))))
    return out


def _during(x: Array, fps: float, a: float, b: float) -> Array | None:
    """Frames of ``x`` between two times; None where the record lacks them."""
    i, j = int(np.ceil(a * fps)), int(np.floor(b * fps)) + 1
    if i < 0 or j > len(x) or j - i < 1 or not np.isfinite(x[i:j]).all():
        return None
    return x[i:j]


def levelled(tracks: Tracks, events: Events, notes: list[str], where: str) -> Tracks:
    """Turned so that the walk goes along +z on level ground at y = 0, +x to its left."""
    fps = tracks.fps
    times = np.sort(np.concatenate([events.strikes[s] for s in SIDES]))
    a, b = int(max(times[0] - 0.3, 0) * fps), min(int((times[-1] + 0.3) * fps), len(tracks["pelvis"]) - 1)
    way = np.nanmedian(np.diff(tracks["pelvis"][a : b + 1], axis=0), axis=0)
    if np.hypot(way[0], way[2]) * fps < 0.05:  # a treadmill
        across = np.nanmean(tracks["left_hip"] - tracks["right_hip"], axis=0)
        way = np.array([-across[2], 0.0, across[0]])
    forward = np.array([way[0], 0.0, way[2]]) / np.hypot(way[0], way[2])
    turn = np.array([[forward[2], 0, -forward[0]], [0, 1, 0], forward])  # rows: left, up, forward
    points = {k: v @ turn.T for k, v in tracks.points.items()}
    places: dict[str, list[Array]] = {side: [] for side in SIDES}
    for side in SIDES:
        for strike in _stances(events, side):
            start, end, _ = _flat_span(events, side, strike)
            part = _during(points[f"{side}_ankle"], fps, start, end)
            if part is not None:
                places[side].append(part.mean(0))
    if not all(places.values()):
        raise GambolError("no flat foot is seen on both sides", where=where, do="take a longer part of the recording")
    z = np.concatenate([np.array(places[s])[:, 2] for s in SIDES])
    y = np.concatenate([np.array(places[s])[:, 1] for s in SIDES])
    group = np.repeat([0, 1], [len(places[s]) for s in SIDES])
    slope = 0.0
    if np.ptp(z) > 0.5 and len(z) > 3:
        design = np.stack([z, group == 0, group == 1], -1).astype(float)
        fit, *_ = np.linalg.lstsq(design, y, rcond=None)
        off = y - design @ fit
        if np.abs(off).max() > LEVEL or abs(fit[0]) > STEEPEST:
            what = f"flat feet are {np.abs(off).max() * 1000:.0f} mm off a plane sloping {fit[0]:.1%}"
            raise GambolError(
                f"the ground is not level: {what}", where=where,
                allowed=f"a plane within {LEVEL * 1000:.0f} mm, sloping at most {STEEPEST:.0%}",
                do="give a clip of level walking",
            )
        slope = float(fit[0])
    if abs(slope) > 0.001:
        notes.append(f"the floor sloped by {slope:+.2%} along the walk and was levelled")
    c, s = 1 / np.hypot(1, slope), slope / np.hypot(1, slope)
    tilt = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    points = {k: v @ tilt.T for k, v in points.items()}
    return replace(tracks, points=points)


def leg_of(tracks: Tracks, events: Events) -> Subject:
    """Thigh and shank, and the height of the flat ankle; the foot's lengths are fitted later."""
    length: list[Array] = []
    for side in SIDES:
        hip, knee, ankle = (tracks[f"{side}_{r}"] for r in ("hip", "knee", "ankle"))
        length.append(np.array([np.nanmedian(np.linalg.norm(a - b, axis=-1)) for a, b in ((hip, knee), (knee, ankle))]))
    thigh, shank = (float(x) for x in np.mean(length, axis=0))
    leg = thigh + shank
    heights = []
    for side in SIDES:
        for strike in _stances(events, side):
            start, end, _ = _flat_span(events, side, strike)
            part = _during(tracks[f"{side}_ankle"], tracks.fps, start, end)
            if part is not None:
                heights.append(float(part[:, 1].mean()))
    height = float(np.mean(heights))
    if not 0.055 * leg <= height <= 0.15 * leg:  # the recording's floor is not at 0
        height = 0.079 * leg  # 0.039 of 0.491 of body height (Drillis and Contini 1966)
    return Subject(thigh, shank, height, 0.0, BALL * leg / ADULT_LEG, TOE * leg / ADULT_LEG)


def _sample(x: Array, at: Array) -> Array | None:
    """Rows of ``x`` at fractional frames, by cubics through four samples; None outside or in a gap."""
    if at[0] < 0 or at[-1] > len(x) - 1:
        return None
    i = np.clip(np.floor(at).astype(int), 0, len(x) - 2)
    u = (at - i)[:, None] if x.ndim > 1 else at - i
    p0, p1, p2, p3 = (x[np.clip(i + k, 0, len(x) - 1)] for k in (-1, 0, 1, 2))
    out = p1 + 0.5 * u * (p2 - p0 + u * (2 * p0 - 5 * p1 + 4 * p2 - p3 + u * (3 * (p1 - p2) + p3 - p0)))
    return out if np.isfinite(out).all() else None


def whole_steps(tracks: Tracks, events: Events, side: str, subject: Subject) -> list[StepPath]:
    """Every whole step on a foot; one whose rear foot was down when the record began only for want of ENOUGH others.

    Such a foot may have stood there: then the step is the first of a walk.
    """
    other = SIDES[1 - SIDES.index(side)]
    seen: list[StepPath] = []
    for landings in (events.strikes[other].tolist(), _stances(events, other)):
        found = []
        for strike in events.strikes[side]:
            later = events.strikes[other][events.strikes[other] > strike + 0.05]
            if len(later):
                span = (float(strike), float(later[0]))
                found.append(_cut(tracks, events, (side, other), (span, landings), subject))
        seen = [path for path in found if path is not None]
        if len(seen) >= ENOUGH:
            break
    return seen


def _placed(tracks: Tracks, events: Events, side: str, strike: float) -> Array | None:
    """Mean ankle of the flat foot that struck then."""
    start, end, _ = _flat_span(events, side, strike)
    part = _during(tracks[f"{side}_ankle"], tracks.fps, start, end)
    return None if part is None else part.mean(0)


def _cut(
    tracks: Tracks, events: Events, sides: tuple[str, str], span: tuple[tuple[float, float], list[float]],
    subject: Subject,
) -> StepPath | None:
    """The step of ``sides[0]`` from its strike to the other's; None where something of it is not in the record.

    ``span``: both strikes, and when the rear foot landed, one of these.
    """
    side, other = sides
    (start, end), landings = span
    duration, fps = end - start, tracks.fps
    before = [s for s in landings if start - 1.6 * duration < s < start - 0.3 * duration]
    offs = events.offs[other][(events.offs[other] > start - 0.02) & (events.offs[other] < end)]
    lifts = events.offs[side][(events.offs[side] > start + 0.6 * duration) & (events.offs[side] < end + duration)]
    if not before or not len(offs) or not len(lifts) or not 0.2 < duration < 2.0:
        return None
    here, rear, goal = (_placed(tracks, events, s, t) for s, t in ((side, start), (other, before[-1]), (other, end)))
    if here is None or rear is None or goal is None:
        return None
    toe_off, lift = (float(offs[0]) - start) / duration, (float(lifts[0]) - start) / duration
    forward = np.zeros((len(tracks["pelvis"]), 3)) + [0.0, 0.0, 1.0]
    pitches = {s: _zeroed(sole_pitch(tracks, s, forward), tracks, events, s) for s in sides}
    frames = {
        "hip": (start + duration * np.linspace(0, 1, PHASES // 2 + 1)) * fps,
        "stance": (start + duration * np.linspace(0, lift, KS)) * fps,
        "swing": (start + duration * np.linspace(toe_off, 1, KS)) * fps,
    }
    hips = (tracks["left_hip"] + tracks["right_hip"]) / 2
    hip = _sample(hips, frames["hip"])
    upper = _sample(_upper(tracks, hips), frames["hip"])
    rows: list[Array] = []
    for s, key, flat in ((side, "stance", here[1]), (other, "swing", goal[1])):
        ankle = _sample(tracks[f"{s}_ankle"], frames[key])
        pitch = _sample(pitches[s], frames[key])
        if ankle is None or pitch is None:
            return None
        rows.append(np.stack([ankle[:, 2] - here[2], ankle[:, 1] - flat + subject.ankle, pitch], -1))
    if hip is None or upper is None:
        return None
    floor = (here[1] + goal[1]) / 2 - subject.ankle
    line = (here[0] + goal[0]) / 2
    centred = np.stack([hip[:, 2] - here[2], hip[:, 1] - floor, hip[:, 0] - line], -1)
    across = (here[0] - goal[0]) * (1 if side == "left" else -1)
    return StepPath(
        float(goal[2] - here[2]), float(here[2] - rear[2]), duration, toe_off, lift, centred, rows[0], rows[1],
        float(across), _landing_joints(tracks, sides, frames["hip"]), upper,
    )


def _landing_joints(tracks: Tracks, sides: tuple[str, str], frames: Array) -> Array:
    hips = (tracks["left_hip"] + tracks["right_hip"]) / 2
    out = []
    for side, at in zip(sides, frames[[0, -1]]):
        k = round(float(at))
        out.append((tracks[f"{side}_hip"] - hips)[k, [2, 1]])
    return np.array(out)


def _zeroed(pitch: Array, tracks: Tracks, events: Events, side: str) -> Array:
    """Sole pitch with its zero at the mean of the flat foot."""
    flat = []
    for strike in _stances(events, side):
        start, end, _ = _flat_span(events, side, strike)
        part = _during(pitch, tracks.fps, start, end)
        if part is not None:
            flat.append(part.mean())
    return pitch - (np.mean(flat) if flat else 0.0)


def _upper(tracks: Tracks, hips: Array) -> Array:
    """``(F, C - 3)`` the channels after sway, NaN where the clip has no such joint."""
    out = np.full((len(hips), len(CHANNELS) - 3), np.nan)
    across = tracks["left_hip"] - tracks["right_hip"]
    out[:, 0] = np.arctan2(-across[:, 2], across[:, 0])
    out[:, 1] = np.arctan2(across[:, 1], np.hypot(across[:, 0], across[:, 2]))
    points = tracks.points
    shoulders = all(f"{s}_shoulder" in points for s in SIDES)
    if shoulders or "neck" in points:
        top = (points["left_shoulder"] + points["right_shoulder"]) / 2 if shoulders else points["neck"]
        trunk = top - hips
        out[:, 2] = np.arctan2(trunk[:, 2], trunk[:, 1])
        out[:, 3] = np.arctan2(trunk[:, 0], trunk[:, 1])
    turn = np.zeros(len(hips))
    if shoulders:
        line = points["left_shoulder"] - points["right_shoulder"]
        turn = np.arctan2(-line[:, 2], line[:, 0])
        out[:, 4] = turn
    c, s = np.cos(turn), np.sin(turn)
    if not all(f"{side}_{r}" in points for side in SIDES for r in ("shoulder", "elbow", "wrist")):
        thighs = []
        for side in SIDES:
            v = points[f"{side}_knee"] - points[f"{side}_hip"]
            thighs.append(np.arctan2(v[:, 2], -v[:, 1]))
        leg = float(np.nanmedian(np.linalg.norm(points["left_hip"] - points["left_ankle"], axis=-1)))
        v_hat = abs(float(np.nanmedian(np.diff(hips[:, 2])))) * tracks.fps / np.sqrt(G * leg)
        out[:, 5:] = arms_by_legs(thighs[0], thighs[1], v_hat)
        return _known(out)
    for k, side in enumerate(SIDES):
        for m, (a, b) in enumerate((("shoulder", "elbow"), ("elbow", "wrist"))):
            v = points[f"{side}_{b}"] - points[f"{side}_{a}"]
            v = v / np.linalg.norm(v, axis=-1, keepdims=True)
            local = np.stack([v[:, 0] * c - v[:, 2] * s, v[:, 1], v[:, 0] * s + v[:, 2] * c], -1)
            out[:, 5 + 6 * k + 3 * m : 8 + 6 * k + 3 * m] = local
    return _known(out)


def arms_by_legs(left: Array, right: Array, v_hat: float) -> Array:
    """``(N, 12)`` arm channels that follow the legs (the paper's, where arms are not measured).

    The upper arm goes with the opposite thigh, by 0.50 of it at a slow walk and 0.65 at a fast one, from 10 degrees
    behind: arcs of 20 to 30 degrees, as published (25, Vicon, 10 men; 30, Perry 1992) and as two recorded people's
    (0.3 to 0.7). The elbow is 34 degrees bent and gives way by 0.8 to 1.5 of the upper arm's swing (the same two).

    Args:
        left: ``(N,)`` rad, left thigh against the vertical, forward positive.
        right: the right one.
        v_hat: dimensionless speed.
    """
    k, bend = np.interp(v_hat, (0.35, 0.6), (0.50, 0.65)), np.interp(v_hat, (0.35, 0.6), (0.8, 1.5))
    out = []
    for thigh, side in ((right, 1.0), (left, -1.0)):
        upper = k * thigh - np.radians(10.0)
        fore = upper + np.maximum(np.radians(24.0) + bend * upper, np.radians(10.0))
        for angle, apart in ((upper, 0.13), (fore, 0.05)):
            out += [side * np.sin(apart) + 0 * angle, -np.cos(angle) * np.cos(apart), np.sin(angle) * np.cos(apart)]
    return np.stack(out, -1)


def _known(out: Array) -> Array:
    """Channels that the clip lacks altogether become 0."""
    lacking = ~np.isfinite(out).any(0)
    out = np.array(out)
    out[:, lacking] = 0.0
    return out


def clean(paths: list[StepPath]) -> list[StepPath]:
    """Those near the median in length and duration."""
    def near(values: list[float]) -> NDArray[np.bool_]:
        v = np.array(values)
        return np.asarray(np.abs(v - np.median(v)) <= ALIKE * abs(np.median(v)))

    good = near([p.step for p in paths]) & near([p.previous for p in paths]) & near([p.duration for p in paths])
    return [p for p, g in zip(paths, good) if g] or paths[len(paths) // 2 : len(paths) // 2 + 1]


def mean_step(paths: list[StepPath]) -> StepPath:
    """The mean of several, sample by sample."""
    columns: list[list[Any]] = [list(column) for column in zip(*paths)]
    return StepPath(*(np.mean(column, axis=0) for column in columns))


def settled(path: StepPath) -> StepPath:
    """A recorded step whose stance foot is flat where it all but is."""
    stance = np.array(path.stance)
    stance[:, 2] = meant(stance[:, 2])
    return path._replace(stance=stance)


def meant(pitch: Array, noise: float = SMALL_ANGLE, sure: float = SURE_ANGLE) -> Array:
    """Toe-down sole angles (rad) without what is smaller than ``noise``; from ``sure`` on they are as they were."""
    part = np.clip((-pitch - noise) / (sure - noise), 0, 1)
    return np.asarray(np.where(pitch < 0, pitch * part * part * (3 - 2 * part), pitch))
