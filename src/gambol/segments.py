"""Captured locomotion cut into half cycles and labelled by its footsteps (Kwon & Shin 2005, sections 3 and 4).

The centre of mass is highest in the middle of single support when walking and of flight when running; so one rule,
a cut at every peak, cuts both gaits where they are simplest. The peak says *that* there is a cut; its place is the
middle of the support or flight that holds it, which scatters half as much. A segment is named by its supports: S
standing, D double, L and R single support, F flight. Walking is ``RDL`` and ``LDR``, running ``FRF`` and ``FLF``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.cleaning import cleaned, resampled, smoothed
from gambol.dynamics import centre_of_mass
from gambol.feet import SIDES, footfalls
from gambol.floors import floor_of, levelled
from gambol.motion import Motion
from gambol.skeleton import forward_kinematics
from gambol.supports import supports

__all__ = ["RATE", "Segment", "Take", "cut", "peaks", "take_of", "upright"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
RATE = 120.0  # frames a second of everything analysed
FLICKER = 0.025  # s; a support shorter than this is no letter
STANDING, STANDING_TIME = 0.1, 0.1  # m/s of the centre of mass; s
SINGLE, FLIGHT = 0.1, 0.025  # s; single supports and flights shorter than this are not cut
TREND, CALM, PROMINENCE = 0.3, 0.03, 0.004  # s, s, m: COM height minus its own slow trend, smoothed; its peaks
YAW = 0.2  # s, low pass of the heading
GOING, ASKEW = (0.3, 0.7), np.radians(40.0)  # m/s between which a direction counts; more askew is sidestepping
STRIDE, UNSURE = 0.4, 0.2  # s over which the sway averages out; below this share of it the pelvis counts
STOOD = 0.25  # s of standing kept at the end that joins a start or a stop
GAP = 0.085  # s; a double support this short between the feet of a run (in tight turns) is a flight of no length
LOW_HIPS, TILT = 0.75, np.radians(50.0)  # of the leg; of the trunk: lower or more tilted is no locomotion
LONGEST, LETTERS = 1.5, 5  # s and letters of a segment that does not stand


class Take(NamedTuple):
    """A clip analysed: F frames at 120 Hz on a person's skeleton."""

    motion: Motion
    com: Array  # (F, 3) m
    carries: Bools  # (F, 2) left, right
    heading: Array  # (F,) rad, pelvis yaw without its sway
    letters: str  # F characters of SDLRF
    ground: Array  # (F,) m, level of the ground on which the figure moves


class Segment(NamedTuple):
    """Part of a take, from cut to cut."""

    take: int
    string: str
    keys: tuple[int, ...]  # frames where the letter changes, with both ends: len(string) + 1
    peak: bool  # a peak of the centre of mass confirms the cut at its beginning
    verdict: str  # "" for locomotion, else why it is left out


def take_of(motion: Motion) -> Take:
    """Analyse a clip on a person's skeleton (:func:`gambol.person.as_person`)."""
    motion = cleaned(resampled(motion, RATE))
    feet = [motion.skeleton.indices([f"{s}_{j}" for j in ("heel", "toes", "toe_tip")]) for s in SIDES]
    legs = motion.skeleton.rest_positions()[motion.skeleton.index("left_upper_leg"), 1]
    carries = supports(motion.positions(), feet, float(legs), RATE)
    floor = floor_of(motion, footfalls(motion))
    motion = levelled(motion, floor) if floor.places is None else _lowered(motion)
    levels = [] if floor.places is None else _levels(motion, carries)
    com = centre_of_mass(motion)
    w, x, y, z = np.moveaxis(motion.rotations[:, 0], -1, 0)
    yaw = np.unwrap(np.arctan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y)))
    letters = _letters(carries, com)
    heading = _along(smoothed(yaw, YAW * RATE), com)
    return Take(motion, com, carries, heading, letters, _ground(levels, len(motion)))


def _along(heading: Array, com: Array) -> Array:
    """The way the figure goes, where it goes: the pelvis may be held askew to it, and is in turns."""
    velocity = smoothed(np.gradient(com[:, [0, 2]], axis=0) * RATE, YAW * RATE)
    speed = np.linalg.norm(velocity, axis=-1)
    off = np.angle(np.exp(1j * (np.arctan2(velocity[:, 0], velocity[:, 1]) - heading)))
    sure = np.clip((speed - GOING[0]) / (GOING[1] - GOING[0]), 0.0, 1.0) * (np.abs(off) < ASKEW)
    return heading + smoothed(sure * off, STRIDE * RATE) / np.maximum(smoothed(sure, STRIDE * RATE), UNSURE)


def cut(take: Take, index: int, leg: float) -> list[Segment]:
    """All segments of a take between its cuts, and the parts before and after them that begin or end standing.

    A double support of at most 85 ms, or none, between opposite feet of a run is cut as a flight of no length.
    """
    runs = _runs(take.letters)
    places = [_cut_of(runs, k) for k in range(len(runs))]
    cuts = sorted({p for p in places if p is not None} | _ends(runs, len(take.letters)))
    high = peaks(take.com[:, 1] - take.ground, RATE)
    out = []
    for a, b in pairwise(cuts):
        keys = [a, *(r[1] for r in runs if a < r[1] < b), b]
        string = "".join(take.letters[k] for k in keys[:-1])
        for s, k in _split_runs(string, tuple(keys)):
            confirmed = bool(np.any(np.abs(high - a) < 0.2 * RATE))
            out.append(Segment(index, s, k, confirmed, _verdict(take, s, k, leg)))
    return out


def peaks(height: Array, fps: float) -> NDArray[np.int64]:
    """Frames of the peaks of the centre of mass's height, its trend over 0.3 s taken away, of 4 mm or more."""
    band = smoothed(height - smoothed(height, TREND * fps), CALM * fps)
    tops = np.flatnonzero((band[1:-1] > band[:-2]) & (band[1:-1] >= band[2:])) + 1
    reach = round(0.45 * fps)
    keep = [
        i for i in tops
        if band[i] - max(band[max(0, i - reach) : i + 1].min(), band[i : i + reach].min()) >= PROMINENCE
    ]
    return np.array(keep, int)


def _letters(carries: Bools, com: Array) -> str:
    """One letter a frame; flicker is given to the letter before."""
    speed = smoothed(np.linalg.norm(np.gradient(com[:, [0, 2]], axis=0), axis=-1) * RATE, 0.05 * RATE)
    codes = np.array(list("FLRD"))[carries[:, 0] + 2 * carries[:, 1]]
    slow = (codes == "D") & (speed < STANDING)
    for a, b in _true_runs(slow):
        if b - a >= STANDING_TIME * RATE:
            codes[a:b] = "S"
    text = "".join(codes)
    out: list[str] = []
    for letter, a, b in _runs(text):
        short = b - a < FLICKER * RATE and out and letter != "F" and b < len(text)
        out.extend((out[-1] if short else letter) * (b - a))
    return "".join(out)


def _true_runs(on: Bools) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.r_[0, on.astype(np.int8), 0]))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2])]


def _runs(text: str) -> list[tuple[str, int, int]]:
    """(letter, first frame, frame after the last) of every run."""
    starts = [0] + [i for i in range(1, len(text)) if text[i] != text[i - 1]]
    return [(text[a], a, b) for a, b in zip(starts, [*starts[1:], len(text)])] if text else []


def _cut_of(runs: Sequence[tuple[str, int, int]], k: int) -> int | None:
    """The frame of the cut in run ``k``: the middle of a flight, or of a single support between double ones."""
    letter, a, b = runs[k]
    inside = 0 < k < len(runs) - 1
    if letter == "F" and inside and b - a >= FLIGHT * RATE:
        return (a + b) // 2
    if letter in "LR" and inside and b - a >= SINGLE * RATE and runs[k - 1][0] in "DS" and runs[k + 1][0] in "DS":
        return (a + b) // 2
    return None


def _ends(runs: Sequence[tuple[str, int, int]], frames: int) -> set[int]:
    """Cuts in standing: a quarter of a second after it begins and before it ends, or in the middle of a short one."""
    kept = round(STOOD * RATE)
    out = set()
    for k, (letter, a, b) in enumerate(runs):
        if letter != "S":
            continue
        if k == 0:
            out.add(max(a, b - kept))
        elif k == len(runs) - 1:
            out.add(min(a + kept, frames - 1))
        else:
            out |= {a + kept, b - kept} if b - a > 2 * kept else {(a + b) // 2}
    return out


def _split_runs(string: str, keys: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]]:
    """FRDLF and FRLF, where the double support is short, are FRF and FLF with a flight of no length between."""
    if string[0] == "F" and string[-1] == "F" and len(string) in (4, 5) and {string[1], string[-2]} == {"L", "R"}:
        first, last = keys[2], keys[-3]
        if last - first <= GAP * RATE:
            middle = (first + last) // 2
            return [
                (f"F{string[1]}F", (keys[0], keys[1], middle, middle)),
                (f"F{string[-2]}F", (middle, middle, keys[-2], keys[-1])),
            ]
    return [(string, keys)]


def _verdict(take: Take, string: str, keys: tuple[int, ...], leg: float) -> str:
    """Why a segment is no locomotion, or nothing."""
    a, b = keys[0], max(keys[-1], keys[0] + 1)
    low = upright(take, a, b, leg)
    if low:
        return low
    if "S" not in string and ((b - a) / RATE > LONGEST or len(string) > LETTERS):
        return f"{(b - a) / RATE:.1f} s without a step that can be cut ({string})"
    if string == "S":
        return "standing only"
    return ""


def upright(take: Take, first: int, end: int, leg: float) -> str:
    """Why frames ``first`` to ``end`` are not those of somebody upright, or nothing."""
    part = take.motion[first:end]
    positions, _ = forward_kinematics(part.skeleton, part.root, part.rotations)
    hips = positions[:, part.skeleton.indices([f"{s}_upper_leg" for s in SIDES]), 1].mean(1)
    high = (hips - positions[:, list(part.skeleton.soles), 1].min(1)).min(initial=np.inf) / leg
    trunk = positions[:, part.skeleton.index("neck")] - positions[:, 0]
    tilt = np.arccos(np.clip(trunk[:, 1] / np.linalg.norm(trunk, axis=-1), -1, 1)).max(initial=0.0)
    if high < LOW_HIPS:
        return f"the hips are {high:.2f} of the leg above the feet: squatting or lying"
    if tilt > TILT:
        return f"the trunk leans by {np.degrees(tilt):.0f} degrees"
    return ""


def _levels(motion: Motion, carries: Bools) -> list[tuple[int, int, float]]:
    """(first, end, level m) of every support: the median height of the ball over it."""
    positions, out = motion.positions(), []
    for k, side in enumerate(SIDES):
        ball = positions[:, motion.skeleton.index(f"{side}_toes"), 1]
        out += [(a, b, float(np.median(ball[a:b]))) for a, b in _true_runs(carries[:, k])]
    return sorted(out)


def _lowered(motion: Motion) -> Motion:
    """The clip with the lowest of its soles' slow heights at 0."""
    lift = np.array([0.0, np.percentile(motion.positions()[:, list(motion.skeleton.soles), 1].min(1), 10), 0.0])
    return Motion(motion.skeleton, motion.root - lift, motion.rotations, motion.fps, name=motion.name)


def _ground(levels: Sequence[tuple[int, int, float]], frames: int) -> Array:
    """(F,) m: from the middle of each support to that of the next, as a smooth step."""
    if not levels:
        return np.zeros(frames)
    middle = np.array([(a + b) / 2 for a, b, _ in levels])
    order = np.argsort(middle, kind="stable")
    at, y = middle[order], np.array([levels[k][2] for k in order])
    t = np.clip(np.arange(frames), at[0], at[-1])
    k = np.clip(np.searchsorted(at, t, "right") - 1, 0, max(len(at) - 2, 0))
    if len(at) == 1:
        return np.full(frames, y[0])
    u = np.clip((t - at[k]) / np.maximum(at[k + 1] - at[k], 1), 0, 1)
    return y[k] + (y[k + 1] - y[k]) * u * u * (3 - 2 * u)
