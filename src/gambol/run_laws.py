"""How people run: speed, step length, step rate, flight, contact and flight height, and how one pulls the others.

Bruderlin and Calvert 1996, the first of their three kinds of knowledge. A run has five parameters with two relations

    v = SL / T        T = t_flight + t_contact

and laws for what is not asked for. ``runners`` are fitted to measured runners, ``paper`` are the printed ones:

| law | runners | paper |
|---|---|---|
| step length | 2.95 l (1 - exp(-F / 1.90)) + level | (0.1394 + (0.00465 + level) v') sqrt(height / 1.8), eqs 2, 3 |
| flight | 0.4255 sqrt(l / g) (1 - exp(-(F / 0.68)^1.62)) (T / T_law)^2 | eqs 4, 5 of the step rate, made to join |

l leg length, F = v / sqrt(g l), v' metres a minute (at most 400 in the paper's law). A level of expertise from -1 to
1 is -0.001 to 0.001 of eq. 3. What is asked for is *locked*: the rest follows, and says by which law.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gambol.body import Body, G
from gambol.errors import GambolError

__all__ = [
    "CENTROID_GAIN", "DEFAULT_SPEED", "LAWS", "Asked", "RunPace", "check_hill", "couple", "hill_cost",
    "largest_speed", "paper_flight", "paper_step", "runners_flight", "runners_step", "shortest_contact",
    "slowest_speed", "steady_pace",
]

LAWS = ("runners", "paper")
# Fitted to ten groups of runners from 2.65 to 10 m/s (docs/running.md lists them): length within 5 %, times 20 ms.
STEP, STEP_SPEED = 2.95, 1.90
FLIGHT, FLIGHT_SPEED, FLIGHT_POWER = 0.4255, 0.68, 1.62
LEVEL = 0.001 * 60  # s, of a level of 1: eq. 3 in m/s
PAPER_CAP = 400.0  # m/min, above which the paper's step grows no longer
LEG = 0.93  # m, of the runners measured
SHORTEST_CONTACT = 0.08  # s, of the quickest sprinters, for a leg of 0.93 m
MOST_FORCE = 2.6  # body weights, mean over contact
SLOWEST = 0.5  # v / sqrt(g l) below which nobody runs
DEFAULT_SPEED = 1.0  # v / sqrt(g l): 3.0 m/s for 1.75 m
RATES = (120.0, 320.0)  # steps a minute, for a leg of 0.93 m
LONGEST = 3.2  # step length over leg length
STEEPEST = 0.45  # rise over run, either way: the steepest treadmill that runners were measured on (Minetti et al. 2002)
CENTROID_GAIN = 0.05  # 0.5 - centroid of the force over contact (flight.py): take-off is higher than landing


class RunPace(NamedTuple):
    """One steady run: m/s, m, s, s, s, m; ``flight_height`` is the rise of C above its toe-off height."""

    speed: float
    step_length: float
    step_time: float
    flight: float
    contact: float
    flight_height: float


class Asked(NamedTuple):
    """The parameters asked for (locked; None: by law), and what scales the laws."""

    speed: float | None = None  # m/s
    step_length: float | None = None  # m
    cadence: float | None = None  # steps a minute
    flight_height: float | None = None  # m
    level: float = 0.0
    step_factor: float = 1.0
    flight_factor: float = 1.0
    laws: str = "runners"


def runners_step(speed: float, body: Body, level: float = 0.0) -> float:
    """m."""
    leg = body.leg_length
    return float(STEP * leg * -np.expm1(-speed / np.sqrt(G * leg) / STEP_SPEED) + LEVEL * level * speed)


def runners_flight(speed: float, body: Body) -> float:
    """s, at the usual step rate."""
    leg = body.leg_length
    relative = speed / np.sqrt(G * leg) / FLIGHT_SPEED
    return float(FLIGHT * np.sqrt(leg / G) * -np.expm1(-(relative**FLIGHT_POWER)))


def paper_step(speed: float, body: Body, level: float = 0.0) -> float:
    """m, eqs 2 and 3, for ``speed`` in m/s."""
    v = min(60 * speed, PAPER_CAP)
    return float((0.1394 + (0.00465 + 0.001 * level) * v) * np.sqrt(body.height / 1.8))


def paper_flight(rate: float) -> float:
    """s at ``rate`` steps a minute: eq. 5 to 180, and eq. 4 moved so that it joins in value and slope.

    The printed polynomials do not meet: at 180 they give 0.148 and 0.179 s. Eq. 4 less that gap is within 1.6 ms the
    cubic from (180, 0.1479 s, slope 0.0018) to (230, 0.130 s, slope 0); above 230 it is constant.
    """
    if rate <= 180.0:
        return max(0.0, -0.000675 - 0.00015 * rate + 0.542e-5 * rate * rate)
    u = min((rate - 180.0) / 50.0, 1.0)
    value, slope = 0.147933, 0.0018012 * 50
    return (2 * u**3 - 3 * u**2 + 1) * value + (u**3 - 2 * u**2 + u) * slope + (3 * u**2 - 2 * u**3) * 0.130


def couple(asked: Asked, body: Body, reasons: dict[str, str] | None = None) -> RunPace:
    """The steady run that is asked for; what is not locked follows by the laws.

    Args:
        asked: the locks.
        body: who runs.
        reasons: filled with the law behind each number, where given.

    Raises:
        GambolError: for locks that contradict each other, or what no runner does, with the bound.
    """
    why = {} if reasons is None else reasons
    v, length, rate = asked.speed, asked.step_length, asked.cadence
    if length is not None and rate is not None:
        if v is not None and abs(length * rate / 60 - v) > 1e-9 * v:
            raise GambolError(
                f"speed {v:g} m/s contradicts a step length of {length:g} m at {rate:g} steps a minute",
                where="run", allowed=f"{length * rate / 60:.3g} m/s", do="unlock one of the three",
            )
        v, why["speed"] = length * rate / 60, "step length x step rate (eq. 1)"
    elif v is None:
        v, why["speed"] = DEFAULT_SPEED * float(np.sqrt(G * body.leg_length)), "F = 1, a steady run"
    else:
        why["speed"] = "locked"
    _check_speed(v, asked, body)
    if length is not None:
        _check_step(length, body)
    if rate is not None:
        _check_rate(rate, body)
    pace = _follow(asked._replace(speed=v), body, why)
    _check_contact(pace, asked, body)
    return pace


def steady_pace(asked: Asked, body: Body) -> RunPace:
    """As :func:`couple` for a speed that is given, also between a stand and a run, and unchecked."""
    return _follow(asked, body, {})


def _follow(asked: Asked, body: Body, why: dict[str, str]) -> RunPace:
    v, length, rate = float(asked.speed or 0.0), asked.step_length, asked.cadence
    usual = _step(v, asked, body)
    if length is None:
        if rate is None:
            length, why["step length"] = usual, _step_reason(asked)
        else:
            length, why["step length"] = v * 60 / rate, "v / step rate (eq. 1)"
    else:
        why["step length"] = "locked"
    why["step rate"] = "locked" if rate is not None else "v / step length (eq. 1)"
    t = length / v
    if asked.flight_height is None:
        flight = asked.flight_factor * _flight(v, t, usual / v, asked, body)
        why["flight"] = _flight_reason(asked)
    else:  # v_TO = sqrt(2 g H) = g tf / 2 - g tc (m1 - 1/2), with tc = T - tf
        flight = (float(np.sqrt(2 * asked.flight_height / G)) + CENTROID_GAIN * t) / (0.5 + CENTROID_GAIN)
        why["flight"] = "(sqrt(2 H / g) + 0.05 T) / 0.55: the parabola that rises by the flight height (eq. 6)"
    contact = t - flight
    why["contact"] = "step time - flight"
    rise = max(G * flight / 2 - G * contact * CENTROID_GAIN, 0.0) ** 2 / (2 * G)
    why["flight height"] = "locked" if asked.flight_height is not None else "(g tf / 2 - 0.05 g tc)^2 / 2 g"
    return RunPace(v, length, t, flight, contact, rise)


def _step(speed: float, asked: Asked, body: Body) -> float:
    law = paper_step if asked.laws == "paper" else runners_step
    return asked.step_factor * law(speed, body, asked.level)


def _flight(speed: float, step_time: float, usual: float, asked: Asked, body: Body) -> float:
    if asked.laws == "paper":
        return paper_flight(60 / step_time)
    return runners_flight(speed, body) * (step_time / usual) ** 2


def _step_reason(asked: Asked) -> str:
    law = "(0.1394 + (0.00465 + level) v) sqrt(height / 1.8) (eqs 2, 3)" if asked.laws == "paper" else (
        "2.95 l (1 - exp(-F / 1.90)), fitted to measured runners"
    )
    return law if asked.step_factor == 1 else f"{asked.step_factor:g} x {law}"


def _flight_reason(asked: Asked) -> str:
    law = "eqs 4 and 5 of the step rate, joined" if asked.laws == "paper" else (
        "0.4255 sqrt(l / g) (1 - exp(-(F / 0.68)^1.62)) (T / T_law)^2, fitted to measured runners"
    )
    return law if asked.flight_factor == 1 else f"{asked.flight_factor:g} x {law}"


def shortest_contact(body: Body) -> float:
    """s."""
    return SHORTEST_CONTACT * float(np.sqrt(body.leg_length / LEG))


def slowest_speed(body: Body) -> float:
    """m/s below which nobody runs."""
    return SLOWEST * float(np.sqrt(G * body.leg_length))


def largest_speed(asked: Asked, body: Body) -> float:
    """m/s at which the laws leave the shortest contact a leg of this length can push in."""
    least = shortest_contact(body)

    def contact(v: float) -> float:
        length = _step(v, asked, body) if asked.step_length is None else asked.step_length
        t = length / v if asked.cadence is None else 60 / asked.cadence
        usual = _step(v, asked, body) / v
        flight = asked.flight_factor * _flight(v, t, usual, asked, body)
        return min(t - flight - least, (t - flight) * MOST_FORCE - t)

    low, high = slowest_speed(body), 20.0 * float(np.sqrt(body.leg_length / LEG))
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if contact(middle) > 0 else (low, middle)
    return low


def hill_cost(gradient: float) -> float:
    """J/(kg m) of running on a gradient (rise over run), from -0.45 to 0.45 (Minetti et al. 2002, figure 1)."""
    i = min(max(gradient, -STEEPEST), STEEPEST)
    return ((((155.4 * i - 30.4) * i - 43.3) * i + 46.3) * i + 19.5) * i + 3.6


def check_hill(speed: float, gradient: float, asked: Asked, body: Body) -> None:
    """Refuse a hill that nobody was measured running on, or whose power would beat that of the fastest level run.

    Raises:
        GambolError: with the steepest hill, or the largest speed on this one.
    """
    degrees, steepest = math.degrees(math.atan(gradient)), math.degrees(math.atan(STEEPEST))
    if abs(gradient) > STEEPEST + 1e-9:
        raise GambolError(
            f"the ground leans {degrees:.0f} degrees along the path", where="run",
            allowed=f"{-steepest:.0f} to {steepest:.0f} degrees: as steep as runners were measured",
            do="take an easier path, or walk",
        )
    most = largest_speed(asked._replace(speed=None), body) * min(hill_cost(0.0) / hill_cost(gradient), 1.0)
    if speed > most:
        raise GambolError(
            f"{speed:.3g} m/s up {degrees:.0f} degrees takes more power than the fastest run on the level", where="run",
            allowed=f"at most {most:.2f} m/s there", do="slow down, or take an easier path",
        )


def _check_speed(speed: float, asked: Asked, body: Body) -> None:
    size, slow = f"a body of {body.height:g} m", slowest_speed(body)
    if speed < slow:
        raise GambolError(
            f"{speed:.3g} m/s is too slow for a run of {size}", where="run", allowed=f"at least {slow:.2f} m/s",
            do="run faster, or walk: gambol walk",
        )
    free = asked._replace(step_length=None, cadence=None)
    fast = largest_speed(free, body)
    if speed > fast and asked.flight_height is None:
        raise GambolError(
            f"{speed:.3g} m/s is faster than {size} can run: its feet would have less than "
            f"{1e3 * shortest_contact(body):.0f} ms on the ground", where="run",
            allowed=f"at most {fast:.2f} m/s", do="slow down, or take a longer-legged body",
        )


def _check_step(length: float, body: Body) -> None:
    if length > LONGEST * body.leg_length:
        raise GambolError(
            f"steps of {length:.3g} m are too long for a body of {body.height:g} m", where="run",
            allowed=f"at most {LONGEST * body.leg_length:.2f} m", do="take more steps a minute or run slower",
        )


def _check_rate(rate: float, body: Body) -> None:
    low, high = (r / float(np.sqrt(body.leg_length / LEG)) for r in RATES)
    if not low <= rate <= high:
        raise GambolError(
            f"{rate:.4g} steps a minute are {'too many' if rate > high else 'too few'} for a body of {body.height:g} m",
            where="run", allowed=f"{low:.0f} to {high:.0f} steps a minute", do="take longer steps" if rate > high else
            "take shorter steps, or walk",
        )


def _check_contact(pace: RunPace, asked: Asked, body: Body) -> None:
    least = max(shortest_contact(body), pace.step_time / MOST_FORCE)
    if pace.contact >= least * (1 - 1e-9) and pace.flight > 0.0:
        return
    if asked.flight_height is not None:
        most = pace.step_time - least
        root = max((0.5 + CENTROID_GAIN) * most - CENTROID_GAIN * pace.step_time, 0.0)
        raise GambolError(
            f"a flight height of {1e3 * asked.flight_height:.0f} mm leaves {1e3 * max(pace.contact, 0.0):.0f} ms of "
            f"contact at {60 / pace.step_time:.0f} steps a minute", where="run",
            allowed=f"at most {1e3 * G * root**2 / 2:.0f} mm, which leaves {1e3 * least:.0f} ms",
            do="fly lower, or take longer steps",
        )
    raise GambolError(
        f"{60 / pace.step_time:.0f} steps a minute at {pace.speed:.3g} m/s leave {1e3 * max(pace.contact, 0):.0f} ms "
        "of contact", where="run", allowed=f"at least {1e3 * least:.0f} ms", do="take fewer steps or fly less",
    )
