"""A person's walk at one condition: prototypes mixed by speed and by time, generalised, as smooth curves.

A *style* is one or more measured walks of one person, sorted by speed; between two of them the walk is a mixture of
both, each generalised to the wanted condition, rather than one of them stretched.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import SHANK, THIGH, Body, G
from gambol.generalise import Condition, Laws, Step, Subject, generalised
from gambol.skeleton import Skeleton
from gambol.swing import quintic
from gambol.walk_data import ARMS, HARMONICS, WalkData

__all__ = [
    "BUMPS", "DEGREE", "Curves", "MeasuredBody", "Mix", "body_of", "channels_at", "curves_of", "mix", "personal",
    "subject_of", "swing_bumps",
]

Array = NDArray[np.float64]
Mix = tuple[tuple[float, WalkData], ...]  # weights that add up to 1
SOFT = (0.6, 1.6)  # of the sole's landing: one number, or the knee would feel every millimetre of the recording
DEGREE, SHARP = 16, 3
ROUNDED, LIGHT = 0.8, 0.01  # share of the swing from which its knots have less weight, and that weight
TOES = (-1.0, 0.9)  # how late the toes turn about their tip, in the same way
HEEL_OFF = np.radians(0.7)  # the sole turns more than this: the heel has left
_U = np.linspace(0, 1, 41)


def _fit(basis: Array) -> Array:
    return np.asarray(np.linalg.pinv(basis), float)


# least squares of the closed forms of measured_figure.py on the knots of a sequence, as matrices
_SOFT = (1 - _U) ** 3 * _U
_ROLL4 = _fit(_U[:, None] ** 2 * (_U[:, None] ** np.arange(1, 5) - 1))
_TOES = _U**2 * (_U - 1)
def _bumps() -> Array:
    """(7, 16) coefficients: 64 s^3 (1 - s)^3 (2 s - 1)^k, and two that let the velocity turn sharply at either end.

    The last two have neither value nor slope at the ends: a quintic's slope there, taken back within a SHARP-th of
    the swing.
    """
    w = 64 * np.array([0, 0, 0, 1, -3, 3, -1.0])
    rows = []
    for _ in range(5):
        rows.append(np.pad(w, (0, DEGREE - len(w))))
        w = np.convolve(w, [-1.0, 2.0])
    near = np.array([1.0])
    for _ in range(SHARP):
        near = np.convolve(near, [1.0, -1.0])
    start, end = quintic(np.eye(6)[[1, 4]])
    sharp = np.zeros((2, DEGREE))
    sharp[0, :6] = start
    sharp[0, 1 : SHARP + 2] -= near
    sharp[1, :6] = end
    sharp[1, SHARP : SHARP + 2] += [1.0, -1.0]
    return np.concatenate([np.array(rows), sharp])


BUMPS = _bumps()
BUMPS.setflags(write=False)
# a planted foot stops at once, a recorded one within 25 ms: the last knots say little about how
_WEIGHT = np.where(_U > ROUNDED, LIGHT, 1.0)[:, None]
_SWING = _fit(_WEIGHT * (_U[:, None] ** np.arange(DEGREE) @ BUMPS.T)) * _WEIGHT.T


ADULT = Subject(0.43, 0.43, 0.07, 0.05, 0.14, 0.07)


@dataclass(frozen=True)
class MeasuredBody(Body):
    """A built-in person with the legs and feet of a measured one.

    Attributes:
        legs: thigh, shank, ankle height, and heel, ball and toe lengths of the soles, m.
    """

    legs: Subject = ADULT

    @property
    def leg_length(self) -> float:
        """m, standing hip height."""
        return float(self.legs.leg + self.legs.ankle)

    @property
    def foot_length(self) -> float:
        """m, heel to toe tip; the planner of footsteps wants a foot to stand on."""
        return super().foot_length

    @property
    def skeleton(self) -> Skeleton:
        """The joints of a person of this height on the measured legs."""
        return _with_legs(super().skeleton, self.legs)


@lru_cache(maxsize=16)
def _with_legs(skeleton: Skeleton, legs: Subject) -> Skeleton:
    offsets = np.array(skeleton.offsets)
    for side in ("left", "right"):
        for name, offset in (
            ("lower_leg", (0.0, -legs.thigh, 0.0)), ("foot", (0.0, -legs.shank, 0.0)),
            ("toes", (0.0, -legs.ankle, legs.ball)), ("heel", (0.0, -legs.ankle, -legs.heel)),
            ("toe_tip", (0.0, 0.0, legs.toe)),
        ):
            offsets[skeleton.index(f"{side}_{name}")] = offset
    hip = offsets[skeleton.index("left_upper_leg"), 1]
    offsets[0, 1] = legs.thigh + legs.shank + legs.ankle - hip
    return Skeleton(skeleton.names, skeleton.parents, offsets, skeleton.soles)


def body_of(walk: WalkData) -> MeasuredBody:
    """The measured person: a figure with just these legs and feet."""
    height = float(walk.subject.leg) / (THIGH + SHANK)
    return MeasuredBody(height=height, legs=Subject(*(float(x) for x in walk.subject)))


class Curves(NamedTuple):
    """The smooth forms of a step, as in :class:`gambol.measured_figure.Turnover`."""

    flat: float  # steps
    toe_off: float  # steps, of the rear foot
    strike: float
    push: float
    meta: float
    f1: Array
    f2: Array
    m: Array
    heel_off: float  # share of [flat, lift]
    toes_off: float  # share of [flat, lift]
    hip: tuple[float, float]  # m, (lead ahead of the middle of the feet, height) at HSM-


def subject_of(body: Body) -> Subject:
    """The legs and feet of a body."""
    s = body.skeleton
    toes, tip, heel = (s.offsets[s.index("left_" + n)] for n in ("toes", "toe_tip", "heel"))
    return Subject(
        -float(s.offsets[s.index("left_lower_leg"), 1]), -float(s.offsets[s.index("left_foot"), 1]), -float(heel[1]),
        -float(heel[2]), float(toes[2]), float(tip[2]),
    )


def mix(style: tuple[WalkData, ...], speed: float, leg: float) -> Mix:
    """The walks of a style to use at ``speed`` m/s on legs of ``leg`` m, by dimensionless speed."""
    own = [w.speed / np.sqrt(G * w.subject.leg) for w in style]
    order = np.argsort(own)
    sorted_ = [own[k] for k in order]
    v = speed / np.sqrt(G * leg)
    k = int(np.searchsorted(sorted_, v))
    if k in (0, len(style)):
        return ((1.0, style[order[min(k, len(style) - 1)]]),)
    share = (v - sorted_[k - 1]) / (sorted_[k] - sorted_[k - 1])
    return ((1 - share, style[order[k - 1]]), (share, style[order[k]]))


def personal(mixed: Mix, side: int, to: Condition, laws: Laws) -> Step:
    """The step of a mixture on the foot of ``side`` (+1 left) at a condition."""
    steps = [(w, generalised(walk.step(side), to, laws)) for w, walk in mixed if w > 0]
    return steps[0][1] if len(steps) == 1 else _mean(steps)


def _mean(steps: list[tuple[float, Any]]) -> Any:
    """Weighted mean of every number of alike tuples."""
    first = steps[0][1]
    if isinstance(first, tuple):
        parts = [_mean([(w, s[k]) for w, s in steps]) for k in range(len(first))]
        return type(first)._make(parts) if hasattr(first, "_make") else tuple(parts)
    return sum(w * s for w, s in steps)


def curves_of(w: Step) -> Curves:
    """Smooth forms of a step's sequences."""
    strike, push, meta = float(w.f1.v[0]), float(w.f2.v[-1]), float(w.meta.v[-1])
    soft = float(_SOFT @ (w.f1.v / strike - (1 - _U) ** 3) / (_SOFT @ _SOFT))
    f1 = np.array([min(max(soft, SOFT[0]), SOFT[1]), 0.0, 0.0])
    off = int(np.argmax(np.abs(w.f2.v) > min(HEEL_OFF, 0.02 * abs(push))))
    shares = (w.f2.t - w.f2.t[0]) / (w.f2.t[-1] - w.f2.t[0])
    heel_off = float(shares[min(max(off - 1, 0), 36)])
    late = np.interp(np.linspace(heel_off, 1, 41), shares, w.f2.v) / push
    f2 = _ROLL4 @ (late - _U**2)
    late_toes = float(_TOES @ (w.meta.v / meta - _U**2) / (_TOES @ _TOES))
    m = np.array([min(max(late_toes, TOES[0]), TOES[1]), 0.0, 0.0])
    toes = (w.meta.t[0] - w.f2.t[0]) / (w.f2.t[-1] - w.f2.t[0])
    return Curves(
        float(w.f1.t[-1]), float(w.f3.t[0]), strike, push, meta, f1, f2, m, heel_off, float(toes),
        (float(w.hip_x.v[0] + w.condition.previous / 2), float(w.hip_y.v[0])),
    )


def swing_bumps(w: Step, ends: Array) -> Array:
    """``(3, 7)`` of :data:`BUMPS`: what ankle (along, up) and sole do beyond quintics of coefficients ``ends``."""
    own = np.stack([w.ankle_x.v, w.ankle_y.v, w.f3.v])
    powers = _U[:, None] ** np.arange(6)
    return np.asarray((own - ends @ powers.T) @ _SWING.T)


def channels_at(mixed: Mix, ratios: tuple[float, float], leg: float, laws: Laws, looks: dict[str, float]) -> Array:
    """Series of the whole body at a heel strike.

    Args:
        mixed: prototypes.
        ratios: lengths m of the steps before and after; 0 beside a stand.
        leg: m, thigh + shank of the body.
        laws: constants.
        looks: dials: arm_swing, sway, pelvis, lean.
    """
    out: Array | None = None
    for weight, walk in mixed:
        r = leg / walk.subject.leg
        p = sum(ratios) / (r * 2 * walk.step_length)
        k, p = min(p, 1.0), min(p, 1.6)
        rows = np.array(walk.channels)
        rows[0] *= r * p
        rows[1] *= r * p ** (laws.bob if p > 0 else 1.0) * (k > 0)
        rows[2] *= r * k * looks["sway"]
        turn = p**laws.turn * (k if laws.turn == 0 else 1.0) if p > 0 else 0.0
        rows[3] *= turn * looks["pelvis"]
        rows[4] *= k * looks["pelvis"]
        rows[5:7, 1:] *= k
        rows[5, 0] += looks["lean"]
        rows[7] *= turn
        rows[ARMS:, 1:] *= min(p, 1.3) * looks["arm_swing"]
        out = weight * rows if out is None else out + weight * rows
    assert out is not None and out.shape[1] == 2 * HARMONICS + 1
    return out
