"""One measured step made into steps of any length on any body (Ko and Badler 1993), without losing whose walk it is.

A walk W(S, sl) of subject S at step length sl is six timed sequences (section 2 of the paper): H hip, F1 F2 F3 sole
angle up to flat ground, to toe-off, through the air, M toe angle, A swing ankle. Times are in steps. Everything new is
a function of the prototype's own condition (:class:`Origin`) and of the wanted one, so that going through any walk
in between gives the same result: theorems 1 to 5.

Beyond the paper, whose phi alone is further from real walks than plain time-warping: toe-off follows the cadence, F2
and M stretch with it as one sequence each, the hip leads the feet more in longer steps, and its bob grows with them.
The laws ``PAPER`` leave all that out.

All numbers may be arrays ``(N, 1)``: then N walks are made in one call.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError

__all__ = [
    "NATURAL", "PAPER", "Condition", "Laws", "Origin", "Seq", "Step", "Subject", "Targets", "ankle_from_ball",
    "ankle_from_heel", "check_condition", "generalised", "leg_reach", "own", "phi", "psi", "step_time", "targets",
]

Array = NDArray[np.float64]
Num = Any  # float, or an array (N, 1)
TOE_OFF_RANGE = (0.05, 0.40)  # of a step
HEEL_OFF_FROM, HEEL_OFF_LAST = 0.40, 0.15  # steps: heel-off is not earlier, nor nearer to the foot's own toe-off
SINGLE = (29.08, 0.16)  # % of the stride that a double support lasts at cadence c steps/min: 29.08 - 0.16 c
SHORTENING = -0.7  # step time over step length ratio, where no duration is asked for (measured -0.55 and -0.83)
MOST_META = np.radians(78.0)


class Laws(NamedTuple):
    """The mu functions (appendix A) and what goes beyond them; angles per m of prototype-equivalent step length."""

    knee: float  # a1 rad/m (eq. 21): knee at heel strike
    strike: float  # a2 rad/m (eq. 22): sole at heel strike
    push: float  # a3 rad/m (eq. 23): sole at toe-off
    meta: float  # a4 rad/m (eq. 24): toes at toe-off
    lead: float  # a5 m/m: hip ahead of the middle of the feet at heel strike
    bob: float  # power of the step ratio by which the hip rises and falls
    toe_off: float  # share of the cadence law that toe-off follows
    turn: float  # power of the step ratio by which the pelvis turns
    heel_off: float  # steps/m: how much earlier the heel leaves in longer steps (negative is earlier)
    knee_most: float  # rad, largest knee angle at heel strike that the laws may ask for


NATURAL = Laws(-0.15, 0.5, -1.2, 1.1, 0.18, 1.25, 1.0, 1.0, -0.15, 0.6)
PAPER = Laws(0.3, 0.45, -0.8, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3)


class Subject(NamedTuple):
    """Anthropometry of a leg, m: lengths, and distances in the sole's plane from the point below the ankle."""

    thigh: Num
    shank: Num
    ankle: Num  # height of the flat foot's ankle
    heel: Num  # behind
    ball: Num  # ahead
    toe: Num  # from the ball to the tip

    @property
    def leg(self) -> Num:
        """ll(S): thigh + shank."""
        return self.thigh + self.shank


class Seq(NamedTuple):
    """A timed sequence: times ``(..., K)`` in steps, values ``(..., K)``."""

    t: Array
    v: Array

    def at(self, t: Array) -> Array:
        """Linear between neighbours (eq. 2), held outside; for one walk."""
        return np.interp(t, self.t, self.v)


class Origin(NamedTuple):
    """The prototype's own condition and angles; everything is generalised from here."""

    subject: Subject
    step: float  # m, sl*
    previous: float  # m, slb*
    duration: float  # s
    knee: tuple[float, float]  # rad, of the landing leg at HSM- and at HSM+
    strike: tuple[float, float]  # rad, sole at HSM- (this foot) and at HSM+ (the other)
    push: tuple[float, float]  # rad, sole at toe-off: of this foot, of the rear foot
    meta: tuple[float, float]  # rad, toes at toe-off: of this foot, of the rear foot
    lead: tuple[float, float]  # m, hip ahead of the middle of the feet at HSM- and at HSM+
    fore: tuple[float, float]  # m, landing hip joint ahead of the middle of both hips (the pelvis turns)
    rise: tuple[float, float]  # m, landing hip joint above the middle of both hips (the pelvis lists)
    toe_off: float  # steps: TOM, of the rear foot
    lift: float  # steps: of this foot, in its next step
    heel_off: float  # steps: of this foot; one of the knots of F2


class Condition(NamedTuple):
    """Who walks, and how: m and s."""

    subject: Subject
    step: Num
    previous: Num
    duration: Num


class Step(NamedTuple):
    """W(S, sl): one step. Forward m from the point below the stance ankle, up m from the ground, angles rad toe up."""

    hip_x: Seq
    hip_y: Seq
    f1: Seq
    f2: Seq
    f3: Seq
    meta: Seq
    ankle_x: Seq
    ankle_y: Seq
    condition: Condition
    origin: Origin


class Targets(NamedTuple):
    """What the laws ask of a condition; pairs as in :class:`Origin`."""

    knee: tuple[Num, Num]
    strike: tuple[Num, Num]
    push: tuple[Num, Num]
    meta: tuple[Num, Num]
    lead: tuple[Num, Num]
    toe_off: Num
    lift: Num
    heel_off: Num
    hip: tuple[Num, Num]  # m, height at HSM- and HSM+


def step_time(origin: Origin, subject: Subject, step: Num) -> Num:
    """s of a step where nothing is asked: longer steps are quicker, and long legs slower, as pendulums."""
    r = subject.leg / origin.subject.leg
    return origin.duration * r**0.5 * (step / (r * origin.step)) ** SHORTENING


def targets(origin: Origin, to: Condition, laws: Laws) -> Targets:
    """The mu functions, toe-off, hip lead and hip heights of a condition (eqs 21 to 24, and the additions)."""
    s = to.subject
    r = s.leg / origin.subject.leg
    change = to.step / r - origin.step  # d: the prototype-equivalent difference of step lengths
    before = to.previous / r - origin.previous
    toe_off, lift, heel_off = _leaving(origin, to, laws)
    knee = tuple(
        _held(k - laws.knee * d, 0.0, max(k, laws.knee_most)) for k, d in zip(origin.knee, (before, change))
    )
    strike = tuple(_held(k + laws.strike * d, 0.02, 1.0) for k, d in zip(origin.strike, (before, change)))
    push = tuple(_held(k + laws.push * d, -1.6, -0.05) for k, d in zip(origin.push, (change, before)))
    meta = tuple(_held(k + laws.meta * d, 0.03, MOST_META) for k, d in zip(origin.meta, (change, before)))
    lead = tuple(r * (k + laws.lead * d) for k, d in zip(origin.lead, (before, change)))
    ratio = (to.previous + to.step) / (r * (origin.previous + origin.step))
    turned = tuple(r * ratio**laws.turn * k for k in origin.fore)
    # A recorded foot rolls over a soft heel nearly below the ankle: a body with a hard heel farther back lands on a
    # higher ankle, and the knee takes that up, not the hip, or the rear leg would not reach.
    heeled = s._replace(heel=r * origin.subject.heel)
    hip = tuple(
        _hip_height(heeled, w, knee[k], strike[k], lead[k] + turned[k]) - r * origin.rise[k]
        for k, w in enumerate((to.previous, to.step))
    )
    return Targets(knee, strike, push, meta, lead, toe_off, lift, heel_off, hip)


def _leaving(origin: Origin, to: Condition, laws: Laws) -> tuple[Num, Num, Num]:
    """Steps: toe-off of the rear foot, and this foot's in its next step, and its heel-off."""
    r = to.subject.leg / origin.subject.leg
    # cadence of the prototype's size, or the order of phi and psi would matter
    cadence, own_cadence = 60 / to.duration * r**0.5, 60 / origin.duration
    shift = -laws.toe_off * 2 * SINGLE[1] / 100 * (cadence - own_cadence)
    toe_off = _held(origin.toe_off + shift, *TOE_OFF_RANGE)
    lift = 1 + _held(origin.lift - 1 + shift, *TOE_OFF_RANGE)
    change = to.step / r - origin.step
    heel_off = _held(origin.heel_off + laws.heel_off * change, HEEL_OFF_FROM, lift - HEEL_OFF_LAST)
    return toe_off, lift, heel_off


def _held(x: Num, low: Num, high: Num) -> Num:
    """np.clip, which takes five times as long for a number."""
    return np.minimum(np.maximum(x, low), high)


def leg_reach(subject: Subject, knee: Num) -> Num:
    """m from hip to ankle at a knee flexion (rad)."""
    a, b = subject.thigh, subject.shank
    return np.sqrt(a * a + b * b + 2 * a * b * np.cos(knee))


def ankle_from_heel(s: Subject, angle: Num) -> tuple[Num, Num]:
    """Ankle (forward, up) m from the point below the flat ankle, the sole turned toe up about the heel."""
    c, n = np.cos(angle), np.sin(angle)
    return -s.heel + c * s.heel - n * s.ankle, n * s.heel + c * s.ankle


def ankle_from_ball(s: Subject, angle: Num, meta: Num) -> tuple[Num, Num]:
    """The same in push-off: the toes turned by ``meta`` about the tip, the sole by ``angle`` < 0 about the ball."""
    c, n = np.cos(angle), np.sin(angle)
    ball_x, ball_y = s.ball + s.toe * (1 - np.cos(meta)), s.toe * np.sin(meta)
    return ball_x - c * s.ball - n * s.ankle, ball_y - n * s.ball + c * s.ankle


def _hip_height(s: Subject, step: Num, knee: Num, strike: Num, lead: Num) -> Num:
    """Height m of the hip joint over a landing front leg: forward kinematics of this body (repair ii of theorem 4)."""
    x, y = ankle_from_heel(s, strike)
    across = step / 2 + x - lead
    return y + np.sqrt(np.maximum(leg_reach(s, knee) ** 2 - across**2, (0.3 * s.leg) ** 2))


def generalised(walk: Step, to: Condition, laws: Laws = NATURAL) -> Step:
    """The walk of another condition: phi and psi in one (appendices B and C; additions as the module says).

    Args:
        walk: any walk of this prototype, its own or one already generalised by the same ``laws``.
        to: the wanted subject, step length, previous step length and duration.
        laws: constants.
    """
    now, s = walk.condition, to.subject
    goal = targets(walk.origin, to, laws)
    r = s.leg / now.subject.leg
    ratio = (to.previous + to.step) / (r * (now.previous + now.step))  # eq. 28
    x0, x1 = goal.lead[0] - to.previous / 2, goal.lead[1] + to.step / 2
    # eqs 26, 43: what leaves the straight line between the ends grows with the step; eqs 27, 44 end-corrected
    hip_x = _between(walk.hip_x, x0, x1, r * ratio)
    hip_y = _between(walk.hip_y, goal.hip[0], goal.hip[1], r * ratio**laws.bob)
    f1 = Seq(walk.f1.t, _scaled(walk.f1.v, walk.f1.v[..., :1], goal.strike[0]))  # eq. 32
    late = _bent(walk.f2.t, walk.origin, now, laws, goal)
    f2 = Seq(late, _scaled(walk.f2.v, walk.f2.v[..., -1:], goal.push[0]))  # eq. 33
    meta = Seq(
        _stretched(walk.meta.t, walk.f2.t, goal.lift), _scaled(walk.meta.v, walk.meta.v[..., -1:], goal.meta[0])
    )  # eq. 36
    air = _swing_times(walk.f3.t, goal.toe_off)
    f3 = Seq(air, _between(walk.f3, goal.push[1], goal.strike[1], 1.0).v)  # eq. 34
    leave = ankle_from_ball(s, goal.push[1], goal.meta[1])
    land = ankle_from_heel(s, goal.strike[1])
    ankle_x = Seq(air, _affine(walk.ankle_x.v, leave[0] - to.previous, land[0] + to.step))  # eqs 39, 47
    ankle_y = Seq(air, _between(walk.ankle_y, leave[1], land[1], r).v)  # eqs 40, 48
    return Step(hip_x, hip_y, f1, f2, f3, meta, ankle_x, ankle_y, to, walk.origin)


def own(walk: Step, laws: Laws = NATURAL) -> Step:
    """The walk brought to what the laws ask of its own condition (a measured step is there already)."""
    return generalised(walk, walk.condition, laws)


def phi(walk: Step, p: Num, laws: Laws = NATURAL) -> Step:
    """phi_p: W(S, sl) -> W(S, p sl), the previous step scaled alike (appendix B)."""
    now = walk.condition
    step = p * now.step
    duration = step_time(walk.origin, now.subject, step)
    return generalised(walk, Condition(now.subject, step, p * now.previous, duration), laws)


def psi(walk: Step, subject: Subject, laws: Laws = NATURAL) -> Step:
    """psi: W(S, sl) -> W(S', a sl), a = ll(S') / ll(S) (appendix C)."""
    now = walk.condition
    a = subject.leg / now.subject.leg
    return generalised(walk, Condition(subject, a * now.step, a * now.previous, a**0.5 * now.duration), laws)


def _shares(t: Array) -> Any:
    return (t - t[..., :1]) / (t[..., -1:] - t[..., :1])


def _between(seq: Seq, first: Num, last: Num, scale: Num) -> Seq:
    """Scaled, plus the linear correction that brings both ends to ``first`` and ``last``."""
    q, v = _shares(seq.t), seq.v
    out = scale * v + (1 - q) * (first - scale * v[..., :1]) + q * (last - scale * v[..., -1:])
    return Seq(np.broadcast_to(seq.t, out.shape) if out.ndim > seq.t.ndim else seq.t, out)


def _affine(v: Array, first: Num, last: Num) -> Any:
    return first + (v - v[..., :1]) * (last - first) / (v[..., -1:] - v[..., :1])


def _scaled(v: Array, now: Array, wanted: Num) -> Any:
    return v * (wanted / now)


def _bent(t: Array, origin: Origin, now: Condition, laws: Laws, goal: Targets) -> Any:
    """Knots of F2 moved so that flat stays, and heel-off and toe-off come where the goal has them."""
    flat, lift = t[..., :1], t[..., -1:]
    off = _leaving(origin, now, laws)[2]
    early = flat + (t - flat) * (goal.heel_off - flat) / (off - flat)
    late = goal.lift - (lift - t) * (goal.lift - goal.heel_off) / (lift - off)
    return np.where(t <= off, early, late)


def _stretched(t: Array, base: Array, lift: Num) -> Any:
    """Knots moved as [flat, lift] of ``base`` is mapped onto [flat, new lift]."""
    flat, end = base[..., :1], base[..., -1:]
    return flat + (t - flat) * (lift - flat) / (end - flat)


def _swing_times(t: Array, toe_off: Num) -> Any:
    return toe_off + (t - t[..., :1]) * (1 - toe_off) / (t[..., -1:] - t[..., :1])


def check_condition(to: Condition) -> None:
    """Refuse what is no step at all.

    Raises:
        GambolError: for lengths or durations that are not positive.
    """
    for name, value in (("step length", to.step), ("previous step length", to.previous), ("duration", to.duration)):
        if not (np.all(np.isfinite(value)) and np.all(np.asarray(value) > 0)):
            raise GambolError(f"{name} is {value}", where="generalised walk", allowed="a positive number")
