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

__all__ = ["MAX_SPEED", "MIN_SPEED", "Gait", "Pace", "dimensionless", "eased", "pace"]

# Fit to 26 adults at six overground speeds each (Fukuchi, Fukuchi & Duarte 2018, spatiotemporal table):
# step rate = 0.910 v_hat^0.490 sqrt(g/leg), step length = v / rate; scatter 7.5 %, v_hat 0.12..0.62.
RATE, RATE_POWER = 0.910, 0.490
DEFAULT_SPEED = 0.398  # v_hat of the "free" class of Schwartz, Rozumalski & Trost (2008): 1.2 m/s for 1.75 m
MIN_SPEED, MAX_SPEED = 0.08, 0.72  # v_hat; above it people run (Froude number 0.5)
MAX_STEP = 1.05  # step length over leg length that the hips still reach
QUICKEST = 1.2  # speed of a step over that of the one before
WIDTH = 0.058  # distance between the lines of the two feet over body height


class Pace(NamedTuple):
    """One steady way of walking: speed m/s, step length m, step time s."""

    speed: float
    step_length: float
    step_time: float


@dataclass(frozen=True)
class Gait:
    """What is asked of the walk; whatever is None follows from the rest by :func:`pace`.

    Attributes:
        speed: m/s along the path, or a ``(K, 2)`` schedule of (time s, speed m/s).
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
                    "the speed schedule is not rows of (time s, speed m/s) with rising times", where="gait"
                )
            object.__setattr__(self, "speed", tuple((float(t), float(v)) for t, v in rows))
        for key in ("speed", "step_length", "cadence", "width"):
            value = getattr(self, key)
            if value is not None and np.ndim(value) == 0 and not (np.isfinite(value) and value > 0):
                raise GambolError(f"{key} is {value:g}", where="gait", allowed="a positive number")
        if self.speed is not None and self.step_length is not None and self.cadence is not None:
            raise GambolError(
                "speed, step length and cadence are all given", where="gait", allowed="any two of them"
            )

    def at(self, time: float) -> Gait:
        """This gait with the speed of its schedule at ``time`` s (linear between rows, held outside)."""
        if not isinstance(self.speed, tuple):
            return self
        times, speeds = np.array(self.speed).T
        return replace(self, speed=float(np.interp(time, times, speeds)))

    def half_width(self, body: Body) -> float:
        """m, distance of each foot's line from the path."""
        return (WIDTH * body.height if self.width is None else self.width) / 2


def dimensionless(speed: ArrayLike, body: Body) -> np.ndarray:
    """``v / sqrt(g leg)``."""
    return np.asarray(speed, float) / np.sqrt(G * body.leg_length)


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
    if v is None and w is not None and n is not None:
        v = w * n
    elif v is None and w is not None:
        v = unit * (w * rate_law / unit) ** (1 / (1 - RATE_POWER))
    elif v is None and n is not None:
        v = unit * (n / rate_law) ** (1 / RATE_POWER)
    elif v is None:
        v = DEFAULT_SPEED * unit
    if n is None:
        n = v / w if w is not None else rate_law * (v / unit) ** RATE_POWER
    out = Pace(float(v), float(v / n), float(1 / n))
    _check(out, body)
    return out


def eased(p: Pace, before: float) -> Pace:
    """``p``, but at most :data:`QUICKEST` faster or slower than the step before at ``before`` m/s (0: from a stand)."""
    if before <= 0:
        return p
    speed = min(max(p.speed, before / QUICKEST), before * QUICKEST)
    length = p.step_length * (speed / p.speed) ** (1 - RATE_POWER)
    return p if speed == p.speed else Pace(speed, length, length / speed)


def _check(p: Pace, body: Body) -> None:
    unit, leg = (G * body.leg_length) ** 0.5, body.leg_length
    if not MIN_SPEED * unit <= p.speed <= MAX_SPEED * unit * (1 + 1e-9):
        raise GambolError(
            f"a walk at {p.speed:.3g} m/s is out of reach of a body of {body.height:g} m",
            where="gait",
            allowed=f"{MIN_SPEED * unit:.2f} to {MAX_SPEED * unit:.2f} m/s",
            do="above that people run",
        )
    if p.step_length > MAX_STEP * leg:
        raise GambolError(
            f"a step of {p.step_length:.3g} m is longer than the leg allows",
            where="gait",
            allowed=f"at most {MAX_STEP * leg:.2f} m for a body of {body.height:g} m",
            do="take more steps a minute or walk slower",
        )
    if not 0.25 <= p.step_time <= 2.0:
        raise GambolError(
            f"{60 / p.step_time:.3g} steps a minute", where="gait", allowed="30 to 240 steps a minute"
        )
