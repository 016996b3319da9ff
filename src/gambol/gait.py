"""Gait: how fast, how long, how often; and the published laws that fill in what is not said.

Speeds are compared between bodies by the dimensionless speed ``v / sqrt(g leg)`` (``v_hat`` below).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gambol.body import Body, G
from gambol.errors import GambolError

__all__ = [
    "MAX_SPEED", "MIN_SPEED", "Gait", "Pace", "coming", "dimensionless", "eased", "pace", "quickest", "span_of",
]

# Fit to 26 adults at six overground speeds each (Fukuchi, Fukuchi & Duarte 2018, spatiotemporal table):
# step rate = 0.910 v_hat^0.490 sqrt(g/leg), step length = v / rate; scatter 7.5 %, v_hat 0.12..0.62.
RATE, RATE_POWER = 0.910, 0.490
DEFAULT_SPEED = 0.398  # v_hat of the "free" class of Schwartz, Rozumalski & Trost (2008): 1.2 m/s for 1.75 m
MIN_SPEED, MAX_SPEED = 0.095, 0.72  # v_hat; above it people run (Froude number 0.5)
MIN_STEP, MAX_STEP = 0.07, 1.05  # step length over leg length that the hips still reach
MIN_RATE, MAX_RATE = 0.24, 1.15  # steps a second over sqrt(g/leg): slower, every step is a stand
MAX_RATIO = 2.5  # step length over rate, in legs and sqrt(g/leg): twice the usual 1.2; beyond, the body falls
MAX_WIDTH = 0.7  # distance between the lines of the two feet over leg length
QUICKEST = 1.2  # speed of a step over that of the one before
FASTER, SLOWER = 1.2, 2.0  # m/s2, the most with which a walk follows a list of speeds
LED = 0.65  # of a step: how far ahead a list of speeds is looked at
FIRST_STEP = 1.0  # s from a stand until the first heel strike, for a leg of 0.93 m
WIDTH = 0.58  # distance between the lines of the two feet over that of the hip joints: 0.058 of body height


class Pace(NamedTuple):
    """One steady way of walking: speed m/s, step length m, step time s."""

    speed: float
    step_length: float
    step_time: float


@dataclass(frozen=True)
class Gait:
    """What is asked of the walk; whatever is None follows from the rest by :func:`pace`.

    Attributes:
        speed: m/s along the path, or a ``(K, 2)`` schedule of (time s, speed m/s); 0 is a stand (clips.idle).
        step_length: m, from one foot's strike to the other's.
        cadence: steps a minute.
        width: m between the lines of the two feet.
    """

    speed: float | tuple[tuple[float, float], ...] | None = None
    step_length: float | None = None
    cadence: float | None = None
    width: float | None = None

    def __post_init__(self) -> None:
        if self.speed is not None and np.ndim(self.speed) > 0:
            rows = np.asarray(self.speed, float)
            if (
                rows.ndim != 2
                or rows.shape[1] != 2
                or not np.isfinite(rows).all()
                or np.any(np.diff(rows[:, 0]) <= 0)
            ):
                raise GambolError(
                    "the speed schedule is not rows of (time s, speed m/s) with rising times",
                    where="gait",
                    allowed="((0, 1.2), (4, 1.5), ...)",
                    do="sort the rows by time, one row for each",
                )
            object.__setattr__(self, "speed", tuple((float(t), float(v)) for t, v in rows))
        for key in ("speed", "step_length", "cadence", "width"):
            value = getattr(self, key)
            stands = key == "speed" and np.ndim(value) == 0 and value == 0
            if value is not None and not stands and np.ndim(value) == 0 and not (np.isfinite(value) and value > 0):
                do = "leave it out, and it follows from the rest"
                raise GambolError(f"{key} is {value:g}", where="gait", allowed="a positive number", do=do)
        if self.speed is not None and self.step_length is not None and self.cadence is not None:
            raise GambolError(
                "speed, step length and cadence are all given",
                where="gait",
                allowed="any two of them",
                do="leave one out: it follows from the other two",
            )

    def at(self, time: float) -> Gait:
        """This gait with the speed of its schedule at ``time`` s (linear between rows, held outside)."""
        if not isinstance(self.speed, tuple):
            return self
        times, speeds = np.array(self.speed).T
        return replace(self, speed=float(np.interp(time, times, speeds)))

    def half_width(self, body: Body) -> float:
        """m, distance of each foot's line from the path."""
        return (WIDTH * body.hip_width if self.width is None else self.width) / 2


def dimensionless(speed: ArrayLike, body: Body) -> np.ndarray:
    """``v / sqrt(g leg)``."""
    return np.asarray(speed, float) / np.sqrt(G * body.leg_length)


def quickest(gait: Gait, body: Body) -> float:
    """m/s, the highest speed that is asked for, walked or run; the usual walk where nothing is said."""
    if isinstance(gait.speed, tuple):
        return max(max(v for _, v in gait.speed), MIN_SPEED * float((G * body.leg_length) ** 0.5))
    if gait.speed is not None:
        return gait.speed
    if gait.step_length is not None and gait.cadence is not None:
        return gait.step_length * gait.cadence / 60
    return DEFAULT_SPEED * float((G * body.leg_length) ** 0.5)


def pace(gait: Gait, body: Body, time: float = 0.0) -> Pace:
    """Speed, step length and step time of a gait at a time, the missing ones by the rate law.

    Raises:
        GambolError: outside what a walk can do, with the bound for this body.
    """
    gait, leg = gait.at(time), body.leg_length
    rate_law = RATE * (G / leg) ** 0.5  # steps/s at v_hat = 1
    unit = (G * leg) ** 0.5
    w, n = gait.step_length, None if gait.cadence is None else gait.cadence / 60.0
    v = gait.speed if gait.speed is None or isinstance(gait.speed, int | float) else gait.speed[0][1]
    _check_asked(gait, body)
    if v is None and w is not None and n is not None:
        v = w * n
    elif v is None and w is not None:
        v = unit * (w * rate_law / unit) ** (1 / (1 - RATE_POWER))
    elif v is None and n is not None:
        v = unit * (n / rate_law) ** (1 / RATE_POWER)
    elif v is None:
        v = DEFAULT_SPEED * unit
    _check_speed(v, gait, body)
    if n is None:
        n = v / w if w is not None else rate_law * (v / unit) ** RATE_POWER
    _check(out := Pace(float(v), float(v / n), float(1 / n)), body)
    return out


def eased(p: Pace, before: float) -> Pace:
    """``p``, but at most :data:`QUICKEST` faster or slower than the step before at ``before`` m/s (0: from a stand)."""
    if before <= 0:
        return p
    return _at_speed(p, min(max(p.speed, before / QUICKEST), before * QUICKEST))


def coming(gait: Gait, body: Body, time: float, before: float) -> Pace:
    """The pace of the step that begins at ``time`` s after one at ``before`` m/s (0: from a stand).

    Of a list of speeds it is the one towards the end of the step, so that the body's mean speed over it is the asked
    one: C moves by half of the step before and half of this one, and quicker steps take less time.
    """
    here = pace(gait, body, time)
    if not isinstance(gait.speed, tuple):
        return eased(here, before)
    span = span_of(here, before, body)
    there = pace(gait, body, time + LED * span)
    if before <= 0:
        return there
    return _at_speed(there, min(max(there.speed, before - SLOWER * span), before + FASTER * span))


def span_of(p: Pace, before: float, body: Body) -> float:
    """s until the heel strike that ends a step of a pace after one at ``before`` m/s (0: from a stand)."""
    return p.step_time if before > 0 else FIRST_STEP * float(np.sqrt(body.leg_length / 0.93))


def _at_speed(p: Pace, speed: float) -> Pace:
    """A pace at another speed, by the rate law."""
    length = p.step_length * (speed / p.speed) ** (1 - RATE_POWER)
    return p if speed == p.speed else Pace(speed, length, length / speed)


def _check_asked(gait: Gait, body: Body) -> None:
    """Refuse a step or a cadence that no speed could go with."""
    if gait.step_length is not None:
        _check_step(gait.step_length, body)
    if gait.cadence is not None:
        _check_rate(gait.cadence, body)
    if gait.width is not None and gait.width > MAX_WIDTH * body.leg_length:
        raise GambolError(
            f"feet {gait.width:.3g} m apart are too far", where="gait",
            allowed=f"at most {MAX_WIDTH * body.leg_length:.2f} m for a body of {body.height:g} m", do="give less",
        )


def _check_speed(speed: float, gait: Gait, body: Body) -> None:
    """Refuse a speed that is no walk, in the words of what was asked for."""
    unit, size = (G * body.leg_length) ** 0.5, f"a body of {body.height:g} m"
    if MIN_SPEED * unit <= speed <= MAX_SPEED * unit * (1 + 1e-9):
        return
    # rounded inward: what is said to be allowed is
    slowest, fastest = np.ceil(100 * MIN_SPEED * unit) / 100, np.floor(100 * MAX_SPEED * unit) / 100
    allowed = f"{slowest:.2f} to {fastest:.2f} m/s"
    do = f"walk at {fastest:.2f} m/s at most, or run: gambol run" if speed > unit * MIN_SPEED else "walk faster"
    what = f"a walk at {speed:.3g} m/s is out of reach of {size}"
    low, high = (RATE * v**RATE_POWER for v in (MIN_SPEED, MAX_SPEED))
    if gait.speed is None and gait.step_length is None and gait.cadence is not None:
        rate = 60 * (G / body.leg_length) ** 0.5
        what = f"{gait.cadence:.3g} steps a minute and nothing else is {what}"
        allowed = f"{low * rate:.0f} to {high * rate:.0f} steps a minute, {allowed}"
        do = "give a speed or a step length with it"
    elif gait.speed is None and gait.step_length is not None and gait.cadence is None:
        short, long = (v / r * body.leg_length for v, r in ((MIN_SPEED, low), (MAX_SPEED, high)))
        what = f"steps of {gait.step_length:.3g} m and nothing else are {what}"
        allowed = f"{short:.2f} to {long:.2f} m, {allowed}"
        do = "give a speed or a cadence with it"
    if speed == 0:
        do = "to stand, ask for a clip of standing: gambol.clips.idle"
    raise GambolError(what, where="gait", allowed=allowed, do=do)


def _check_step(length: float, body: Body) -> None:
    low, high = MIN_STEP * body.leg_length, MAX_STEP * body.leg_length
    if not low <= length <= high:
        longer = length > high
        bound = f"at most {high:.2f} m" if longer else f"at least {low:.2f} m"
        raise GambolError(
            f"a step of {length:.3g} m is {'longer than the leg allows' if longer else 'no step'}",
            where="gait",
            allowed=f"{bound} for a body of {body.height:g} m",
            do="take more steps a minute or walk slower" if longer else "take fewer steps a minute or walk faster",
        )


def _check_rate(cadence: float, body: Body) -> None:
    unit = 60 * (G / body.leg_length) ** 0.5
    if not MIN_RATE * unit <= cadence <= MAX_RATE * unit * (1 + 1e-9):
        longer = cadence < MIN_RATE * unit
        raise GambolError(
            f"{cadence:.3g} steps a minute",
            where="gait",
            allowed=f"{MIN_RATE * unit:.0f} to {MAX_RATE * unit:.0f} steps a minute for a body of {body.height:g} m",
            do="take shorter steps or walk faster" if longer else "take longer steps or walk slower",
        )


def _check(p: Pace, body: Body) -> None:
    """Refuse what no body of this size does: steps too long, too short, too many, too few, too long for their rate."""
    _check_step(p.step_length, body)
    _check_rate(60 / p.step_time, body)
    leg, unit = body.leg_length, (G / body.leg_length) ** 0.5
    if p.step_length / leg * p.step_time * unit > MAX_RATIO * (1 + 1e-9):
        raise GambolError(
            f"steps of {p.step_length:.3g} m are too long for {60 / p.step_time:.3g} a minute",
            where="gait",
            allowed=f"at most {MAX_RATIO * leg / (p.step_time * unit):.2f} m at that rate, "
            f"or at least {60 * p.step_length / leg / MAX_RATIO * unit:.0f} a minute of that length",
            do="take shorter or more steps",
        )
