"""The foot on the ground and through the air: heel strike, roll over heel, ball and tip, swing.

Tsutsuguchi et al. 2000, figure 10 and section 3: the sole turns about the fixed heel until it lies flat,
then about the ball, then about the toe tip. Here the three are one closed form each of the sole's and the
toes' pitch, so that angular velocity is continuous and heel, ball or tip stay exactly where they are:

    heel    theta =  strike (1 - u)^3 (1 + soft u)                     u: heel strike .. flat
    roll    theta = -push [ b u^2 + (1 - b) u^p (1 + e (1 - u)) ]      u: heel-off .. toe-off
    toes    tau   = -toes u^2                                          u: toes leave the ground .. toe-off

In the sole's own plane (forward, up), theta > 0 is toe up. The ankle is heel + R(theta) (ankle - heel) while
theta > 0, else tip + R(tau) (ball - tip) + R(theta) (ankle - ball).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gambol.kernels import either, kernel

__all__ = ["Foot", "Roll", "ankle_rates", "ball_heel_tip", "roll_pitch", "shifted", "sole_ankle"]


class Foot(NamedTuple):
    """Distances m in the sole's plane, from the point below the ankle: ankle height, heel back, ball and tip ahead."""

    ankle: float
    heel: float
    ball: float
    tip: float


class Roll(NamedTuple):
    """One foot's time on the ground. Times s on the clip's clock; angles rad (see the module's text)."""

    land: float
    flat: float  # time at which the sole lies flat
    heel_off: float
    toes_off: float  # time at which the toes begin to turn about the tip
    lift: float
    strike: float
    soft: float
    push: float
    b: float
    p: float
    e: float
    toes: float


@kernel
def roll_pitch(t, roll):  # type: ignore[no-untyped-def]
    """Pitch of sole and of toes (rad, toe up positive) of a foot on the ground at ``t``."""
    u = np.minimum(np.maximum((t - roll.land) / (roll.flat - roll.land), 0.0), 1.0)
    r = np.minimum(np.maximum((t - roll.heel_off) / (roll.lift - roll.heel_off), 0.0), 1.0)
    q = np.minimum(np.maximum((t - roll.toes_off) / (roll.lift - roll.toes_off), 0.0), 1.0)
    heel = roll.strike * (1 - u) ** 3 * (1 + roll.soft * u)
    push = roll.push * (roll.b * r * r + (1 - roll.b) * r**roll.p * (1 + roll.e * (1 - r)))
    # until the sole is flat the toes go with it; a foot that lands on its ball (strike < 0) has them flat
    return heel - push, np.maximum(heel, 0.0) - roll.toes * q * q


@kernel
def sole_ankle(theta, tau, foot):  # type: ignore[no-untyped-def]
    """Ankle (forward, up) m in the sole's plane from where it stands when flat; heel or tip is the fixed point."""
    c, s = np.cos(theta), np.sin(theta)
    heel_x = -foot.heel + foot.heel * c - foot.ankle * s
    heel_y = foot.heel * s + foot.ankle * c
    back = foot.ball - foot.tip
    ball_x = foot.tip + back * np.cos(tau) - foot.ball * c - foot.ankle * s
    ball_y = back * np.sin(tau) - foot.ball * s + foot.ankle * c
    up = 1.0 * (theta > 0)
    return either(up, heel_x, ball_x), either(up, heel_y, ball_y)


@kernel
def ankle_rates(roll: Roll, foot: Foot, lift):  # type: ignore[no-untyped-def]
    """Ankle (forward + i up) and two time derivatives at lift or at landing; pitch, rate, acceleration."""
    if lift:
        span, toe_span = roll.lift - roll.heel_off, roll.lift - roll.toes_off
        b, p, e = roll.b, roll.p, roll.e
        theta = -roll.push
        rate = -roll.push * (2 * b + (1 - b) * (p - e)) / span
        acc = -roll.push * (2 * b + (1 - b) * (p * (p - 1) - 2 * p * e)) / span**2
        tau, tau_rate, tau_acc = -roll.toes, -2 * roll.toes / toe_span, -2 * roll.toes / toe_span**2
        arm, base = complex(-foot.ball, foot.ankle), complex(foot.tip, 0.0)
        toe = complex(foot.ball - foot.tip, 0.0)
    else:
        span = roll.flat - roll.land
        theta, rate = roll.strike, roll.strike * (roll.soft - 3) / span
        acc = roll.strike * (6 - 6 * roll.soft) / span**2
        tau, tau_rate, tau_acc = 0.0, 0.0, 0.0
        arm, base, toe = complex(foot.heel, foot.ankle), complex(-foot.heel, 0.0), complex(0.0, 0.0)
    turned, toes = np.exp(1j * theta) * arm, np.exp(1j * tau) * toe
    place = base + turned + toes
    velocity = 1j * rate * turned + 1j * tau_rate * toes
    acceleration = (1j * acc - rate**2) * turned + (1j * tau_acc - tau_rate**2) * toes
    return place, velocity, acceleration, (theta, rate, acc)


@kernel
def ball_heel_tip(x, y, theta, bend, foot):  # type: ignore[no-untyped-def]
    """Heel, ball and tip (forward, up) m in the sole's plane from ankle, sole pitch and toe bend (theta - tau)."""
    c, s = np.cos(theta), np.sin(theta)
    heel_x, heel_y = x - foot.heel * c + foot.ankle * s, y - foot.heel * s - foot.ankle * c
    ball_x, ball_y = x + foot.ball * c + foot.ankle * s, y + foot.ball * s - foot.ankle * c
    tau = theta - bend
    length = foot.tip - foot.ball
    return heel_x, heel_y, ball_x, ball_y, ball_x + length * np.cos(tau), ball_y + length * np.sin(tau)


@kernel
def shifted(roll: Roll, by):  # type: ignore[no-untyped-def]
    """The same roll on another clock."""
    r = roll
    at = (r.land + by, r.flat + by, r.heel_off + by, r.toes_off + by, r.lift + by)
    return Roll(at[0], at[1], at[2], at[3], at[4], r.strike, r.soft, r.push, r.b, r.p, r.e, r.toes)
