"""The built-in walks: a person of published normative joint angles at five speeds (Schwartz et al. 2008).

Published are the angles of pelvis, hip, knee and ankle, their spread, and the foot events, of 83 children and youths
of 4 to 17 years (``data/schwartz2008.csv``, with its licence beside it). Derived here: the sole is what the chain
pelvis, hip, knee, ankle makes of it; the foot rolls over heel, ball and tip by that angle; the hips are where the
stance leg holds them, and the step is as long as the two legs of a double support are apart. Step times follow from
the speed class; side sway, trunk and arms are not published and follow laws named below.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import Body, G
from gambol.errors import GambolError
from gambol.generalise import Subject, ankle_from_ball, ankle_from_heel, own
from gambol.personal import subject_of
from gambol.recorded_steps import KS, PHASES, StepPath, arms_by_legs, meant
from gambol.recorded_walk import walk_from_steps
from gambol.walk_data import ARMS, CHANNELS, WalkData

__all__ = ["NORMAL_SPEEDS", "STYLES", "Norm", "builtin", "neutral", "normal_angles"]

Array = NDArray[np.float64]
NORMAL_SPEEDS = {"very_slow": 0.166, "slow": 0.282, "free": 0.398, "fast": 0.513, "very_fast": 0.696}  # v / sqrt(g leg)
# shares of the cycle in which the mean of the sole is taken as flat, and of the front leg in where the hips are at its
# heel strike (the two legs of the published means are 10 mm apart there), chosen for the posed walk to keep the curves
FLAT = (0.2, 0.4)
FRONT = {"very_slow": 0.4, "slow": 0.6, "free": 0.65, "fast": 0.75, "very_fast": 1.05}
# opposite foot off, foot off: shares of the cycle (their table of events)
EVENTS = {
    "very_slow": (0.18, 0.68), "slow": (0.12, 0.62), "free": (0.10, 0.59), "fast": (0.08, 0.58),
    "very_fast": (0.07, 0.56),
}
TOES_FROM, TOES_SHARE = np.radians(25.0), 0.8  # the toes turn by this share of the sole's angle beyond that one
LATE = 0.7  # of a step, from which the hips give way to the leg about to land
INWARD = 0.9965  # of a leg as seen from the side: it leans 3 degrees inwards, from the hip to its foot's line
NOISE = np.radians((0.3, 1.5))  # of the flat sole
SWAY = (0.070, 0.0344, 0.7)  # m from side to side: 0.070 - 0.0344 (v - 0.7), for 1.75 m (Orendurff et al. 2004)


class Norm(NamedTuple):
    """Mean and standard deviation ``(51,)`` degrees, 0 to 100 % of the cycle."""

    mean: Array
    sd: Array


@lru_cache(maxsize=1)
def _table() -> dict[str, dict[str, Array]]:
    text = files("gambol").joinpath("data/schwartz2008.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    keys = [k for k in rows[0] if k not in ("speed", "percent")]
    return {s: {k: np.array([float(r[k]) for r in rows if r["speed"] == s]) for k in keys} for s in NORMAL_SPEEDS}


def normal_angles(v_hat: float) -> dict[str, Norm]:
    """hip, knee, ankle -> normative curve at a dimensionless speed, linear between the five classes."""
    names, speeds = list(NORMAL_SPEEDS), np.array(list(NORMAL_SPEEDS.values()))
    at = float(np.interp(v_hat, speeds, np.arange(len(speeds))))
    k = min(int(at), len(speeds) - 2)
    a, b, part = _table()[names[k]], _table()[names[k + 1]], at - k
    return {
        joint: Norm(
            (1 - part) * a[f"{joint}_deg"] + part * b[f"{joint}_deg"],
            (1 - part) * a[f"{joint}_sd"] + part * b[f"{joint}_sd"],
        )
        for joint in ("hip", "knee", "ankle")
    }


def _periodic(values: Array, at: Array) -> Array:
    """Of 51 samples of a cycle at phases ``at``, by its Fourier series (12 harmonics)."""
    v = values[:-1]
    spectrum = np.fft.rfft(v) / len(v)
    n = np.arange(1, 13)
    angle = 2 * np.pi * n * np.asarray(at)[..., None]
    waves = np.cos(angle) @ spectrum[1:13].real - np.sin(angle) @ spectrum[1:13].imag
    return np.asarray(spectrum[0].real + 2 * waves)


class _Chain(NamedTuple):
    """Angles (rad) of one limb over its cycle, by phase."""

    speed: str
    zero: float  # of the sole

    def at(self, phase: Array) -> tuple[Array, Array, Array]:
        """Thigh and shank against the vertical (forward positive), sole against the ground (toe up positive)."""
        t = _table()[self.speed]
        tilt, hip, knee, ankle = (
            np.radians(_periodic(t[k], phase)) for k in ("pelvis_tilt_deg", "hip_deg", "knee_deg", "ankle_deg")
        )
        thigh = hip - tilt
        shank = thigh - knee
        return thigh, shank, shank + ankle - self.zero

    def legs(self, phase: Array, s: Subject) -> Array:
        """``(..., 2)`` m, ankle from hip, forward and up."""
        thigh, shank, _ = self.at(phase)
        forward = s.thigh * np.sin(thigh) + s.shank * np.sin(shank)
        up = -s.thigh * np.cos(thigh) - s.shank * np.cos(shank)
        return INWARD * np.stack([forward, up], -1)


def _stance(chain: _Chain, phase: Array, s: Subject) -> Array:
    """``(N, 3)`` ankle forward, ankle up, sole pitch of a foot on the ground at phases up to its foot off."""
    grid = np.linspace(0, 1, 501)
    sole = chain.at(grid)[2]
    early = np.flatnonzero((grid < 0.3) & (sole > np.radians(1.0)))
    flat = grid[early[-1]] + 0.01 if len(early) else 0.06
    theta = chain.at(phase)[2]
    theta = np.where(phase < flat, np.maximum(theta, 0.0), np.where(phase > 0.2, np.minimum(theta, 0.0), 0.0))
    theta = meant(theta, *NOISE)
    meta = TOES_SHARE * np.maximum(0.0, -theta - TOES_FROM)
    x0, y0 = ankle_from_heel(s, np.maximum(theta, 0))
    x1, y1 = ankle_from_ball(s, np.minimum(theta, 0), meta)
    return np.stack([np.where(theta > 0, x0, x1), np.where(theta > 0, y0, y1), theta], -1)


def _step(speed: str, body: Body) -> tuple[StepPath, Subject]:
    """One step of the norm, on the left foot."""
    s = subject_of(body)
    raw = _Chain(speed, 0.0)
    middle = np.linspace(*FLAT, 41)
    chain = raw._replace(zero=float(raw.at(middle)[2].mean()))
    toe_off = EVENTS[speed][0] + EVENTS[speed][1] - 0.5  # both feet alike: the mean of what the two events say
    lift = 1 + toe_off
    t = np.linspace(0, 1, PHASES // 2 + 1)
    # the middle of the hips, from the joint of either leg
    front = _stance(chain, t / 2, s)[:, :2] - chain.legs(t / 2, s) - _joint(speed, t / 2, body)
    rear = _stance(chain, np.minimum(0.5 + t / 2, lift / 2), s)[:, :2] - chain.legs(0.5 + t / 2, s)
    rear += _joint(speed, t / 2, body)
    both = t <= toe_off
    length = float(np.mean((rear - front)[both, 0]))
    # at heel strike the two legs are 10 mm apart about the hips: each has its share, eased to its own
    early, late = (_eased(u)[:, None] for u in (t / toe_off, (t - LATE) / (1 - LATE)))
    share = FRONT[speed] + (1 - FRONT[speed]) * early
    hip = np.where(t[:, None] <= toe_off, front * share + (rear - [length, 0.0]) * (1 - share), front)
    hip = hip + FRONT[speed] * late * (front - rear + [length, 0.0])[0]
    v = NORMAL_SPEEDS[speed] * np.sqrt(G * body.leg_length)
    duration = length / v
    tau = np.linspace(toe_off, 1, KS)
    swing_hip = np.stack([np.interp(tau, t, hip[:, k]) for k in range(2)], -1)
    swing = swing_hip - _joint(speed, tau / 2, body) + chain.legs(0.5 + tau / 2, s)
    # the swing leaves and lands where the soles do
    leave, land = _stance(chain, np.array([lift / 2, 0.0]), s)[:, :2] + [[-length, 0.0], [length, 0.0]]
    q = ((tau - toe_off) / (1 - toe_off))[:, None]
    swing = swing + (1 - q) * (leave - swing[0]) + q * (land - swing[-1])
    air = np.concatenate([swing, chain.at(0.5 + tau / 2)[2][:, None]], 1)
    size = body.height / 1.75
    sway = np.clip(SWAY[0] - SWAY[1] * (v / np.sqrt(size) - SWAY[2]), 0.030, 0.075) * size / 2
    wide = np.stack([hip[:, 0], hip[:, 1], sway * np.sin(np.pi * t)], -1)
    upper = _upper(speed, chain, t)
    joints = _joint(speed, np.array([0.0, 0.5]), body) * [[1.0], [-1.0]]
    path = StepPath(
        length, length, float(duration), toe_off, lift, wide, _stance(chain, np.linspace(0, lift / 2, KS), s), air,
        0.058 * body.height, joints, upper,
    )
    return path, s


def _joint(speed: str, phase: Array, body: Body) -> Array:
    """``(..., 2)`` m, a leg's hip joint from the middle of both, forward and up, as the pelvis turns and lists."""
    table = _table()[speed]
    half = -float(body.skeleton.offsets[body.skeleton.index("right_upper_leg"), 0])
    angles = (np.radians(_periodic(table[k], phase)) for k in ("pelvis_turn_deg", "pelvis_list_deg"))
    return half * np.stack([np.sin(a) for a in angles], -1)


def _eased(u: Array) -> Array:
    u = np.clip(u, 0.0, 1.0)
    return u * u * (3 - 2 * u)


def _upper(speed: str, chain: _Chain, t: Array) -> Array:
    """Pelvis as published; trunk against it, leaning a little more at speed; arms by the legs."""
    table, v_hat = _table()[speed], NORMAL_SPEEDS[speed]
    out = np.zeros((len(t), len(CHANNELS) - 3))
    turn, tip = (np.radians(_periodic(table[k], t / 2)) for k in ("pelvis_turn_deg", "pelvis_list_deg"))
    out[:, 0], out[:, 1] = -turn, tip  # that side forward turns the pelvis the other way about +y
    out[:, 2] = 0.02 + 0.05 * v_hat
    out[:, 4] = turn
    left, right = chain.at(t / 2)[0], chain.at(0.5 + t / 2)[0]
    out[:, 5:] = arms_by_legs(left, right, v_hat)
    return out


def _mirrored(left: StepPath) -> StepPath:
    sides = np.ones(len(CHANNELS) - 3)
    sides[[0, 1, 3, 4, 5, 8, 11, 14]] = -1.0
    swap = np.r_[0:5, 11:17, 5:11]
    return left._replace(hip=left.hip * [1.0, 1.0, -1.0], upper=(left.upper * sides)[:, swap])


@lru_cache(maxsize=1)
def neutral() -> tuple[WalkData, ...]:
    """The norm at five speeds, as walks of one person of 1.75 m."""
    body = Body(1.75)
    walks = []
    for speed in NORMAL_SPEEDS:
        path, subject = _step(speed, body)
        walks.append(walk_from_steps(subject, {"left": path, "right": _mirrored(path)}, name=f"neutral, {speed}"))
    return tuple(walks)


@lru_cache(maxsize=1)
def tired() -> tuple[WalkData, ...]:
    """The norm's walk made tired by hand: bent forward, arms hanging, knees soft. No measured person."""
    return tuple(_changed(w, f"tired, {w.name}", (0.14, 0.45, 0.09)) for w in neutral()[:4])


@lru_cache(maxsize=1)
def proud() -> tuple[WalkData, ...]:
    """The norm's walk made proud by hand: upright, arms swinging wide. No measured person."""
    return tuple(_changed(w, f"proud, {w.name}", (-0.06, 1.7, 0.0)) for w in neutral())


def _changed(walk: WalkData, name: str, by: tuple[float, float, float]) -> WalkData:
    """A walk leaning more (rad), with its arm swing times a factor, and knees bent more at heel strike (rad)."""
    lean, arms, knee = by
    rows = np.array(walk.channels)
    rows[CHANNELS.index("lean"), 0] += lean
    rows[ARMS:, 1:] *= arms
    steps = []
    for step in (walk.left, walk.right):
        origin = step.origin._replace(knee=(step.origin.knee[0] + knee, step.origin.knee[1] + knee))
        steps.append(own(step._replace(origin=origin)))
    return replace(walk, left=steps[0], right=steps[1], channels=rows, name=name)


STYLES = {"neutral": neutral, "tired": tired, "proud": proud}


def builtin(name: str) -> tuple[WalkData, ...]:
    """A built-in style by its name.

    Raises:
        GambolError: with the names there are.
    """
    if name not in STYLES:
        raise GambolError(f"no prototype is called {name!r}", where="prototype", allowed=", ".join(STYLES))
    return STYLES[name]()
