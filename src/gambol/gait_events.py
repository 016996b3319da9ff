"""Heel strikes and toe-offs of a recorded walk: from force plates where a foot is on one, else from the motion.

Rules from the motion, by error against plates at 20 N on level walks and down stairs: the heel's largest upward
acceleration (the toe's where the toe lands first) near the foot's farthest reach, and the toe's largest forward
acceleration near its farthest trail. Both come late by a constant, which is taken off. Running is left out.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.dynamics import low_pass
from gambol.errors import GambolError
from gambol.motion import Trial
from gambol.plates import plate_contacts, plate_events
from gambol.tracks import SIDES, VIRTUAL_HEEL, Tracks

__all__ = ["Events", "check_walk", "find_events", "forward_of", "heel_of", "is_run", "sole_pitch", "stance_share"]

Array = NDArray[np.float64]
SMOOTH = 12.0  # Hz on the joint paths; between 10 and 20 Hz the events move by 2 to 5 ms
HEEL_LATE, TOE_STRIKE_LATE, OFF_LATE = 0.009, 0.002, 0.020  # s, mean lateness of each rule
STRIKE_WINDOW = (-0.030, 0.130)  # s about the farthest reach: the swing has a larger peak 0.13 s before contact
STAIR_WINDOW = (-0.020, 0.200)  # s, where the toe lands first
OFF_WINDOW = (-0.040, 0.100)  # s about the farthest trail
STILL = 0.25  # m/s of the ball of a flat foot
LEAST_REACH = 0.12  # of leg length, that the feet go fore and aft in a walk
RUN = 0.52  # of the stride that a foot is down: less, and it is a run, within what events are sure of
PROMISED = 0.020  # s, of the rules from the motion
SAME = 0.15  # s between an event by a plate and by the motion, at most





class Events(NamedTuple):
    """Times s from the first frame; ``by_plate`` of them were taken from force."""

    strikes: dict[str, Array]
    offs: dict[str, Array]
    by_plate: int = 0

    def record(self) -> dict[str, list[float]]:
        """``{left_strike, left_off, right_strike, right_off}`` in seconds."""
        out = {}
        for side in SIDES:
            out[f"{side}_strike"] = [float(t) for t in self.strikes[side]]
            out[f"{side}_off"] = [float(t) for t in self.offs[side]]
        return out


def forward_of(tracks: Tracks) -> Array:
    """``(F, 3)`` unit, level: where the figure faces, by its hip line over the whole stride."""
    across = tracks["left_hip"] - tracks["right_hip"]
    ahead = np.stack([-across[:, 2], 0 * across[:, 0], across[:, 0]], -1)
    ahead = low_pass(_bridged(ahead), tracks.fps, 0.4)
    return ahead / np.linalg.norm(ahead, axis=-1, keepdims=True)


def _bridged(x: Array) -> Array:
    """Open gaps by straight lines: for filters only."""
    out = np.array(x)
    for k in range(out.shape[1]):
        known = np.isfinite(out[:, k])
        if known.any() and not known.all():
            out[:, k] = np.interp(np.arange(len(out)), np.flatnonzero(known), out[known, k])
    return out


def stance_share(events: Events) -> float | None:
    """Part of the stride that a foot is down, mean of both; None without a whole stride."""
    shares = []
    for side in SIDES:
        for a, b in pairwise(events.strikes[side].tolist()):
            offs = events.offs[side][(events.offs[side] > a) & (events.offs[side] < b)]
            if len(offs):
                shares.append((float(offs[0]) - a) / (b - a))
    return float(np.mean(shares)) if shares else None


def is_run(events: Events) -> bool:
    """Whether both feet are in the air between two steps."""
    share = stance_share(events)
    return share is not None and share < RUN


def check_walk(events: Events, where: str, allowed: str) -> None:
    """Refuse a run.

    Raises:
        GambolError: where a foot is down for less than half of its stride.
    """
    if is_run(events):
        what = f"this is a run: a foot is down {stance_share(events):.0%} of its stride"
        raise GambolError(what, where=where, allowed=allowed, do="give a clip of walking")


def sole_pitch(tracks: Tracks, side: str, forward: Array) -> Array:
    """``(F,)`` rad, toe up positive, of the line from ankle (or heel marker) to ball; zero where the foot lies flat."""
    back = tracks.points.get(f"{side}_heel", tracks[f"{side}_ankle"])
    line = tracks[f"{side}_ball"] - back
    pitch = np.arctan2(line[:, 1], np.sum(line * forward, -1))
    speed = np.linalg.norm(np.gradient(_bridged(tracks[f"{side}_ball"]), axis=0), axis=-1) * tracks.fps
    slow = np.isfinite(pitch) & (speed < max(STILL, float(np.nanpercentile(speed, 15))))
    flat = float(np.median(pitch[slow])) if slow.any() else float(np.nanmedian(pitch))
    return (pitch - flat + np.pi) % (2 * np.pi) - np.pi


def heel_of(tracks: Tracks, side: str, forward: Array) -> Array:
    """``(F, 3)`` m: the heel, or where it would be on a foot that has none marked."""
    if f"{side}_heel" in tracks.points:
        return tracks[f"{side}_heel"]
    leg = _leg(tracks, side) / 0.84
    pitch, (back, below) = sole_pitch(tracks, side, forward), VIRTUAL_HEEL
    c, s = np.cos(pitch), np.sin(pitch)
    along, up = leg * (-back * c + below * s), leg * (-back * s - below * c)
    return tracks[f"{side}_ankle"] + along[:, None] * forward + up[:, None] * np.array([0.0, 1.0, 0.0])


def _leg(tracks: Tracks, side: str) -> float:
    hip, knee, ankle = (tracks[f"{side}_{r}"] for r in ("hip", "knee", "ankle"))
    lengths = np.linalg.norm(knee - hip, axis=-1) + np.linalg.norm(ankle - knee, axis=-1)
    return float(np.nanmedian(lengths))


def find_events(tracks: Tracks, trial: Trial | None = None) -> Events:
    """Strikes and offs of both feet, in order of time; those of a foot on a plate are the plate's."""
    forward = forward_of(tracks)
    strikes: dict[str, Array] = {}
    offs: dict[str, Array] = {}
    period = _period(tracks, forward)
    for side in SIDES:
        strikes[side], offs[side] = _of_side(tracks, side, forward, period)
    used = 0
    if trial is not None and trial.plates:
        known = plate_events(plate_contacts(trial))
        for kind, found in (("strike", strikes), ("off", offs)):
            told = [(key.split("_")[0], at) for key, times in known.items() if key.endswith(kind) for at in times]
            used += len(told)
            late = [at - found[side][np.abs(found[side] - at).argmin()] for side, at in told if len(found[side])]
            near = [x for x in late if abs(x) < SAME]
            for side in SIDES:
                # where the motion's rule is off by more than it promises, that holds for the steps beside the plates
                own = [at for foot, at in told if foot == side]
                off = float(np.median(near)) if near else 0.0
                moved = found[side] + (off if abs(off) > PROMISED else 0.0)
                alone = [t for t in moved if all(abs(t - at) > 0.25 * (period or 1.0) for at in own)]
                found[side] = np.sort(np.array(alone + own))
    return Events(strikes, offs, used)


def _period(tracks: Tracks, forward: Array) -> float | None:
    """s of a stride: where the fore and aft motion of the feet against each other repeats itself; None at rest."""
    apart = np.sum((tracks["left_ankle"] - tracks["right_ankle"]) * forward, -1)
    known = np.flatnonzero(np.isfinite(apart))
    if len(known) < 8:
        return None
    x = apart[known[0] : known[-1] + 1]
    x = np.interp(np.arange(len(x)), known - known[0], x[known - known[0]])
    if np.ptp(x) < 2 * LEAST_REACH * _leg(tracks, "left"):
        return None
    x = x - x.mean()
    best, at = 0.0, None
    for lag in range(max(int(0.5 * tracks.fps), 2), min(int(2.6 * tracks.fps), len(x) - 3)):
        a, b = x[:-lag], x[lag:]
        r = float(a @ b / np.sqrt((a @ a) * (b @ b) + 1e-12)) - 0.05 * lag / tracks.fps
        if r > best and lag < 0.8 * len(x):
            best, at = r, lag
    if at is not None and best > 0.4:
        return at / tracks.fps
    turns = np.flatnonzero(np.diff(np.sign(x)))  # too short to repeat: twice the time between crossings
    return 2 * float(np.mean(np.diff(turns))) / tracks.fps if len(turns) > 1 else len(x) / tracks.fps


def _of_side(tracks: Tracks, side: str, forward: Array, period: float | None) -> tuple[Array, Array]:
    if period is None:
        return np.zeros(0), np.zeros(0)
    fps = tracks.fps
    heel = low_pass(_bridged(heel_of(tracks, side, forward)), fps, SMOOTH)
    toe = low_pass(_bridged(tracks[f"{side}_ball"]), fps, SMOOTH)
    seen = np.isfinite(tracks[f"{side}_ball"][:, 0]) & np.isfinite(tracks["pelvis"][:, 0])
    pelvis = _bridged(tracks["pelvis"])
    reach = np.sum((heel - pelvis) * forward, -1)
    trail = np.sum((toe - pelvis) * forward, -1)
    heel_up = np.gradient(np.gradient(heel[:, 1])) * fps**2
    toe_up = np.gradient(np.gradient(toe[:, 1])) * fps**2
    toe_ahead = np.sum(np.gradient(np.gradient(toe, axis=0), axis=0) * forward, -1) * fps**2
    strikes = []
    for k in _extremes(reach, period * fps):
        toe_first = toe[k, 1] - _low(toe[:, 1]) < heel[k, 1] - _low(heel[:, 1]) - 0.01 and _descends(pelvis, k, fps)
        if toe_first:
            at = _peak(toe_up, k, STAIR_WINDOW, fps)
            late = TOE_STRIKE_LATE
        else:
            at = _peak(heel_up, k, STRIKE_WINDOW, fps)
            late = HEEL_LATE
        if at is not None and seen[round(at)]:
            strikes.append(at / fps - late)
    offs = []
    for k in _extremes(-trail, period * fps):
        at = _peak(toe_ahead, k, OFF_WINDOW, fps)
        if at is not None and seen[round(at)]:
            offs.append(at / fps - OFF_LATE)
    return np.array(strikes), np.array(offs)


def _low(x: Array) -> float:
    return float(np.percentile(x, 5))


def _descends(pelvis: Array, k: int, fps: float) -> bool:
    """Whether the figure goes down by more than a few centimetres about frame ``k``."""
    half = int(0.5 * fps)
    a, b = max(k - half, 0), min(k + half, len(pelvis) - 1)
    return bool(pelvis[a, 1] - pelvis[b, 1] > 0.08)


def _extremes(x: Array, period: float) -> list[int]:
    """Frames where ``x`` is highest within a third of a stride on either side, and well above its middle."""
    half = max(int(0.33 * period), 2)
    out: list[int] = []
    level = float(np.median(x)) + 0.35 * (float(np.max(x)) - float(np.median(x)))
    for k in range(2, len(x) - 2):
        a, b = max(k - half, 0), min(k + half + 1, len(x))
        if x[k] >= level and x[k] == x[a:b].max() and (not out or k - out[-1] > half):
            out.append(k)
    return out


def _peak(x: Array, k: int, window: tuple[float, float], fps: float) -> float | None:
    """Frame (with fraction, by a parabola) of the highest value in a window about ``k``; None at the clip's ends."""
    a, b = k + round(window[0] * fps), k + round(window[1] * fps) + 1
    if a < 2 or b > len(x) - 2:
        return None
    inside = np.arange(a, b)
    tops = inside[(x[inside] >= x[inside - 1]) & (x[inside] > x[inside + 1])]  # not the flank of a peak beyond
    i = int(tops[np.argmax(x[tops])]) if len(tops) else a + int(np.argmax(x[a:b]))
    left, mid, right = x[i - 1], x[i], x[i + 1]
    bend = left - 2 * mid + right
    return i + (0.0 if bend >= 0 else float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5)))
