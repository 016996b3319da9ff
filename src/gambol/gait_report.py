"""A recorded walk at a first look: events, step length, cadence, speed, symmetry, joint angles against the norm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.body import G
from gambol.errors import GambolError
from gambol.gait_events import Events, find_events, forward_of, is_run, sole_pitch, stance_share
from gambol.measure.curves import compare
from gambol.motion import Motion, Trial
from gambol.prototypes import Norm, normal_angles
from gambol.recorded_steps import sized
from gambol.tracks import SIDES, Tracks, tracks_of

__all__ = ["GaitReport", "analyse"]

Array = NDArray[np.float64]
CYCLE = 51
JOINTS = ("hip", "knee", "ankle")
RUNNING = ("this is a run: the norm is of walking, and strikes and offs are found by the rules of walks",)


@dataclass(frozen=True)
class GaitReport:
    """What a walk comes to; None where the record is too short to tell.

    Attributes:
        name: of the clip.
        events: strikes and offs.
        speed_m_s: of the hips over whole strides.
        step_length_m: mean, along the way.
        cadence_steps_min: of both feet.
        stance_share: part of the stride a foot is down.
        asymmetry: left against right over their mean: step length, step time.
        curves: side -> joint -> (51,) degrees over the cycle, thigh against the vertical, knee, sole against shank.
        norm: joint -> normative mean and spread at this speed.
        fits: joint -> (share inside one standard deviation, rmse degrees, r), offset free, both sides averaged.
        notes: what was odd.
    """

    name: str
    events: Events
    speed_m_s: float | None
    step_length_m: float | None
    cadence_steps_min: float | None
    stance_share: float | None
    asymmetry: dict[str, float]
    curves: dict[str, dict[str, Array]]
    norm: dict[str, Norm]
    fits: dict[str, tuple[float, float, float]]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "name": self.name, "speed_m_s": self.speed_m_s, "step_length_m": self.step_length_m,
            "cadence_steps_min": self.cadence_steps_min, "stance_share": self.stance_share,
            "events": self.events.record(), "events_by_plate": self.events.by_plate, "asymmetry": self.asymmetry,
            "angles_deg": {s: {j: c.tolist() for j, c in joints.items()} for s, joints in self.curves.items()},
            "norm": {j: {"inside": f[0], "rmse_deg": f[1], "r": f[2]} for j, f in self.fits.items()},
            "notes": list(self.notes),
        }

    def lines(self) -> list[str]:
        """For a person."""
        def say(value: float | None, unit: str, digits: int = 2) -> str:
            return "not known" if value is None else f"{value:.{digits}f} {unit}"

        out = [
            f"speed {say(self.speed_m_s, 'm/s')}, steps of {say(self.step_length_m, 'm')}, "
            f"{say(self.cadence_steps_min, 'a minute', 0)}",
        ]
        for key, times in self.events.record().items():
            out.append(f"{key.replace('_', ' '):13} {'  '.join(f'{t:.3f}' for t in times) or '-'} s")
        if self.stance_share is not None:
            out.append(f"a foot is down {self.stance_share:.0%} of its stride")
        for key, value in self.asymmetry.items():
            out.append(f"left and right {key.replace('_', ' ')} differ by {value:.0%}")
        for joint, (inside, rmse, r) in self.fits.items():
            out.append(f"{joint:6} {inside:4.0%} of the cycle within one SD of the norm, {rmse:.1f} deg off, r {r:.3f}")
        return [*out, *self.notes]


def analyse(clip: Motion | Trial, table: Mapping[str, list[str]] | None = None) -> GaitReport:
    """The report of a clip or a trial.

    Raises:
        GambolError: no foot ever strikes the ground, or joints that are missing.
    """
    tracks = sized(tracks_of(clip, table))
    events = find_events(tracks, clip if isinstance(clip, Trial) else None)
    if not sum(len(t) for t in events.strikes.values()):
        what = "no foot ever strikes the ground"
        raise GambolError(what, where=tracks.name or "clip", allowed="a walk", do="give a clip of walking")
    marks = sorted((float(t), s) for s in SIDES for t in events.strikes[s])
    steps = [(b[0] - a[0], a[1], b[1]) for a, b in pairwise(marks) if a[1] != b[1]]
    times = {s: [d for d, _, to in steps if to == s] for s in SIDES}
    lengths = {s: _lengths(tracks, marks, s) for s in SIDES}
    every = [x for s in SIDES for x in lengths[s]]
    cadence = 60 / float(np.mean([d for d, *_ in steps])) if steps else None
    speed = _speed(tracks, marks)
    curves = _curves(tracks, events)
    leg = float(np.nanmedian(np.linalg.norm(tracks["left_hip"] - tracks["left_ankle"], axis=-1)))
    norm = normal_angles((speed or 1.2) / np.sqrt(G * leg * 1.08))
    fits = {}
    running = is_run(events)
    for joint in () if running else JOINTS:
        both = [c[joint] for c in curves.values() if joint in c]
        if both:
            fit = compare(np.mean(both, axis=0), norm[joint].mean, norm[joint].sd)
            fits[joint] = (fit.inside, fit.rmse, fit.r)
    asymmetry = {}
    for name, values in (("step_length", lengths), ("step_time", times)):
        if values["left"] and values["right"]:
            a, b = (float(np.mean(values[s])) for s in SIDES)
            asymmetry[name] = abs(a - b) / ((a + b) / 2)
    return GaitReport(
        tracks.name, events, speed, float(np.mean(every)) if every else None, cadence, stance_share(events), asymmetry,
        curves, norm, fits, (*tracks.notes, *RUNNING[: int(running)]),
    )


def _speed(tracks: Tracks, marks: list[tuple[float, str]]) -> float | None:
    """Of the hips between the first and the last strike of one foot, so that whole strides are counted."""
    best: tuple[float, float] | None = None
    for side in SIDES:
        own = [t for t, s in marks if s == side]
        if len(own) > 1 and (best is None or own[-1] - own[0] > best[1] - best[0]):
            best = own[0], own[-1]
    if best is None and len(marks) > 1:
        best = marks[0][0], marks[-1][0]
    if best is None:
        return None
    hips = (tracks["left_hip"] + tracks["right_hip"]) / 2
    a, b = (min(max(round(t * tracks.fps), 0), len(hips) - 1) for t in best)
    way = (hips[b] - hips[a])[[0, 2]]
    return float(np.hypot(*way) / (best[1] - best[0])) if np.isfinite(way).all() else None


def _lengths(tracks: Tracks, marks: list[tuple[float, str]], side: str) -> list[float]:
    """m, of the steps that end with a side's strike: from where the other foot struck before, along the way."""
    forward = forward_of(tracks)
    out = []
    for (before, other), (t, s) in pairwise(marks):
        a, b = round(before * tracks.fps), round(t * tracks.fps)
        if s != side or other == s or not (0 <= a < len(forward) and 0 <= b < len(forward)):
            continue
        apart = float((tracks[f"{side}_ankle"][b] - tracks[f"{other}_ankle"][a]) @ forward[b])
        if np.isfinite(apart):
            out.append(apart)
    return out


def _curves(tracks: Tracks, events: Events) -> dict[str, dict[str, Array]]:
    forward = forward_of(tracks)
    out: dict[str, dict[str, Array]] = {}
    for side in SIDES:
        hip, knee, ankle = (tracks[f"{side}_{r}"] for r in JOINTS)
        thigh, shank = (
            np.degrees(np.arctan2(np.sum(v * forward, -1), -v[:, 1])) for v in (knee - hip, ankle - knee)
        )
        sole = np.degrees(sole_pitch(tracks, side, forward))
        angles = np.stack([thigh, thigh - shank, sole - shank], -1)
        rows = []
        strikes = events.strikes[side]
        for a, b in pairwise(strikes.tolist()):
            at = np.linspace(a, b, CYCLE) * tracks.fps
            if at[0] < 0 or at[-1] > len(angles) - 1:
                continue
            row = np.stack([np.interp(at, np.arange(len(angles)), angles[:, k]) for k in range(3)])
            if np.isfinite(row).all():
                rows.append(row)
        if rows:
            out[side] = dict(zip(JOINTS, np.mean(rows, axis=0)))
    return out
