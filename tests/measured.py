"""Shared by the tests of measured walks: a synthetic prototype, and recorded clips where they are at hand."""

from __future__ import annotations

import dataclasses
from functools import cache
from itertools import pairwise
from pathlib import Path as FilePath
from typing import NamedTuple

import numpy as np

from gambol.gait import Gait
from gambol.gait_events import Events, find_events, sole_pitch
from gambol.generalise import Condition, Origin, Seq, Step, Subject, own
from gambol.io import load_motion
from gambol.methods.measured_walk import MeasuredWalk
from gambol.motion import Motion, join
from gambol.path import Path
from gambol.personal import body_of
from gambol.recorded_steps import clean, leg_of, levelled, mean_step, sized, whole_steps
from gambol.recorded_walk import build_walk
from gambol.synthesis import Stream, Task
from gambol.tracks import SIDES, tracks_of
from gambol.walk_data import WalkData


@cache
def synthetic() -> Step:
    """A made-up step with all the angles of a walk of 1.3 m/s."""
    s = Subject(0.43, 0.42, 0.085, 0.055, 0.13, 0.065)
    origin = Origin(
        s, 0.70, 0.68, 0.53, (0.2, 0.18), (0.33, 0.31), (-1.05, -1.0), (0.6, 0.55), (0.03, 0.04), (0.02, 0.02),
        (-0.01, -0.01), 0.22, 1.22, float(0.15 + 1.07 * np.linspace(0, 1, 25)[14]),
    )
    t, q = np.linspace(0, 1, 33), np.linspace(0, 1, 25)
    air = 0.22 + 0.78 * q
    late = 0.15 + 1.07 * q
    step = Step(
        Seq(t, -0.3 + 0.7 * t + 0.012 * np.sin(2 * np.pi * t)),
        Seq(t, 0.89 + 0.03 * np.sin(np.pi * t) ** 2 + 0.004 * np.sin(6 * np.pi * t)),
        Seq(0.15 * q, 0.33 * (1 - q) ** 1.5), Seq(late, -1.05 * q**3),
        Seq(air, -1.0 * (1 - q) ** 2 + 0.31 * q**2 + 0.2 * np.sin(2 * np.pi * q)),
        Seq(0.9 + 0.32 * q, 0.6 * q**2),
        Seq(air, -0.5 + 1.2 * (q * q * (3 - 2 * q))), Seq(air, 0.12 + 0.06 * np.sin(np.pi * q) ** 1.3),
        Condition(s, origin.step, origin.previous, origin.duration), origin,
    )
    return own(step)


class Compared(NamedTuple):
    """hip, knee, ankle ``(3,)``: degrees rms and correlation, and degrees of plain time-warping; mm rms of the feet.

    ``feet`` (2,): the path of the stance ankle and of the swing ankle over a step, forward and up.
    """

    rmse: np.ndarray
    r: np.ndarray
    warped: np.ndarray
    feet: np.ndarray


def angles(motion: Motion, events: Events | None = None) -> np.ndarray:
    """(101, 3) degrees, strike to strike: thigh against the vertical, knee, sole against shank; mean of both sides.

    In the plane of +z and +y; the sole's zero is its mean from 16 to 28 % of the cycle, flat in any clip.
    """
    tracks = tracks_of(motion)
    if events is None:
        told = motion.info["events"]
        events = Events(*({s: np.array(told[f"{s}_{e}"]) for s in SIDES} for e in ("strike", "off")))
    else:
        tracks = levelled(tracks, events, [], motion.name)
    forward, both = np.zeros((len(tracks), 3)) + [0.0, 0.0, 1.0], []
    for side in SIDES:
        hip, knee, ankle = (tracks[f"{side}_{j}"] for j in ("hip", "knee", "ankle"))
        thigh, shank = (np.degrees(np.arctan2(v[:, 2], -v[:, 1])) for v in (knee - hip, ankle - knee))
        sole = np.degrees(sole_pitch(tracks, side, forward))
        whole = np.stack([thigh, thigh - shank, sole - shank, sole], -1)
        rows, strikes = [], events.strikes[side]
        for a, b in pairwise(strikes.tolist()):
            at = np.linspace(a, b, 101) * tracks.fps
            if at[0] >= 0 and at[-1] <= len(whole) - 1:
                rows.append(np.stack([np.interp(at, np.arange(len(whole)), whole[:, k]) for k in range(4)], -1))
        mean = np.mean(rows, axis=0)
        mean[:, 2] -= mean[16:29, 3].mean()
        both.append(mean[:, :3])
    return np.mean(both, axis=0)


def ankle_paths(motion: Motion, events: Events | None = None) -> np.ndarray:
    """(2, KS, 2) m forward and up, of the mean clean step: the stance ankle and the swing ankle; mean of both sides."""
    tracks = tracks_of(motion)
    if events is None:
        told = motion.info["events"]
        events = Events(*({s: np.array(told[f"{s}_{e}"]) for s in SIDES} for e in ("strike", "off")))
    flat = levelled(sized(tracks), events, [], motion.name)
    subject = leg_of(flat, events)
    means = [mean_step(clean(whole_steps(flat, events, side, subject))) for side in SIDES]
    return np.mean([[path[:, :2] - [0.0, subject.ankle] for path in (m.stance, m.swing)] for m in means], axis=0)


def walk_like(
    walk: WalkData, step_length: float | None = None, cadence: float | None = None, **dials: object
) -> tuple[Motion, np.ndarray]:
    """Some steady steps of the same person, and their angles."""
    step_length = step_length or walk.step_length
    gait = Gait(step_length=step_length, cadence=cadence or 60 / walk.duration)
    path = Path(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 40 * step_length]]))
    method = MeasuredWalk(styles=((0.0, (walk,)),), **dials)
    stream = Stream(method, Task(body=body_of(walk), path=path, gait=gait, fps=120))
    motion = join([stream.stretch() for _ in range(9)])
    first = {k: v[1:] if k.endswith("strike") else v for k, v in motion.info["events"].items()}
    motion = dataclasses.replace(motion, info={**motion.info, "events": first})
    return motion, angles(motion)


@cache
def recorded_walk(file: FilePath) -> tuple[Motion, WalkData, np.ndarray]:
    """A clip, its measured walk, and its angles."""
    clip = load_motion(file)
    return clip, build_walk(clip), angles(clip, find_events(tracks_of(clip)))


def compared(data: FilePath, source: str, target: str, **dials: object) -> Compared:
    """One clip's person at another clip's step length and cadence, against that clip."""
    _, walk, own_angles = recorded_walk(data / "mocap" / "cmu" / f"{source}.amc")
    clip, goal, wanted = recorded_walk(data / "mocap" / "cmu" / f"{target}.amc")
    motion, made = walk_like(walk, goal.step_length, 60 / goal.duration, **dials)
    off = made - wanted
    apart = ankle_paths(motion) - ankle_paths(clip, find_events(tracks_of(clip)))
    return Compared(
        np.sqrt((off**2).mean(0)), np.array([np.corrcoef(made[:, k], wanted[:, k])[0, 1] for k in range(3)]),
        np.sqrt(((own_angles - wanted) ** 2).mean(0)), 1e3 * np.sqrt((apart**2).sum(-1).mean(-1)),
    )
