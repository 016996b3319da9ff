"""Arms: a compound pendulum that hangs from the moving shoulder, driven by two constant torques a step.

Tsutsuguchi et al. 2000, equations 13 to 20. Equation 14, I Theta'' + Ma R (X'' cos Theta + g sin Theta) = F_a,
is solved in closed form: sin Theta is replaced by its mean and its first harmonic over the swing (the describing
function, J0 and J1 of the amplitude) and cos Theta by its mean. Ends and rest at both ends are met exactly; in
between the full equation differs by 0.1 to 0.4 degrees at walking speeds and by 1.2 at 2.1 m/s (tested).
"""

from __future__ import annotations

from math import atan2, cos, hypot, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import G
from gambol.kernels import kernel

__all__ = ["Arm", "Pendulum", "arm_angle", "drive", "pendulum"]

Array = NDArray[np.float64]
LED = 1.3  # own frequency over that of the steps, at most


class Arm(NamedTuple):
    """Lengths m and masses kg of upper arm and forearm, point mass kg at the hand (its own and a load), elbow rad."""

    upper: float
    fore: float
    upper_mass: float
    fore_mass: float
    hand_mass: float
    elbow: float


class Pendulum(NamedTuple):
    """Eqs 13, 15, 16: angle of the mass centre rad, its distance m, mass kg, moment of inertia kg m2."""

    gamma: float
    radius: float
    mass: float
    inertia: float


@kernel
def pendulum(arm: Arm):  # type: ignore[no-untyped-def]
    """Equations 13, 15 and 16: uniform rods and a point hand, elbow held."""
    l1, l2, m1, m2, m, bc = arm
    c, s = cos(bc), sin(bc)
    total = m1 + m2 + m
    gx = (m1 * l1 / 2 + m2 * (l1 + l2 / 2 * c) + m * (l1 + l2 * c)) / total
    gy = (m2 / 2 + m) * l2 * s / total
    inertia = (
        m1 * l1**2 / 3
        + m2 * (l2**2 / 12 + l1**2 + l2**2 / 4 + l1 * l2 * c)
        + m * (l1**2 + l2**2 + 2 * l1 * l2 * c)
    )
    return Pendulum(atan2(gy, gx), hypot(gx, gy), total, inertia)


@kernel
def drive(p: Pendulum, start, end, shoulder, times):  # type: ignore[no-untyped-def]
    """Torques of equation 18 that bring the arm from rest at ``start`` to rest at ``end`` (eqs 19, 20).

    Args:
        p: the arm.
        start, end: upper arm angle phi_1 at the two heel strikes, rad, forward positive.
        shoulder: amplitude m of the shoulder's motion X = shoulder cos(pi t / T).
        times: step time T and switch time T0, s.

    Returns:
        ``(9,)`` row for :func:`arm_angle`: start, omega, f1, f2, T0, K, nu, gamma, T (torques per inertia).
    """
    step, switch = times
    nu = pi / step
    amplitude = max(abs(end - start) / 2, 1e-3)
    mean = (start + end) / 2 + p.gamma
    # sin(mean + A sin) = J0(A) sin(mean) + (2 J1(A) / A) cos(mean) A sin + higher harmonics
    slope = (1 - amplitude**2 / 8 + amplitude**4 / 192) * cos(mean)
    bias = (1 - amplitude**2 / 4 + amplitude**4 / 64) * sin(mean)
    gamma = p.gamma - mean + bias / slope  # so that the equation has no constant term
    omega = sqrt(p.mass * p.radius * G * slope / p.inertia)
    # in a step longer than the arm's own swing the arm is led: hanging free it would swing there and back again
    omega = min(omega, LED * nu)
    k = p.mass * p.radius * shoulder * nu**2 * cos(mean) / p.inertia  # -Ma R X'' cos(mean) / I = k cos(nu t)
    a = omega * step
    b = omega * (step - switch)
    forced, forced_rate = _forced(step, omega, nu, k)
    need = end + gamma - (start + gamma) * cos(a) - forced
    need_rate = (start + gamma) * omega * sin(a) - forced_rate
    # angle: f1 (cos b - cos a) + f2 (1 - cos b) over omega^2; rate: f1 (sin a - sin b) + f2 sin b over omega
    m11, m12, m21, m22 = cos(b) - cos(a), 1 - cos(b), sin(a) - sin(b), sin(b)
    need, need_rate = need * omega**2, need_rate * omega
    det = m11 * m22 - m12 * m21
    f1, f2 = (need * m22 - m12 * need_rate) / det, (m11 * need_rate - need * m21) / det
    return np.array([start + gamma, omega, f1, f2, switch, k, nu, gamma, step])


@kernel
def _forced(t, omega, nu, k):  # type: ignore[no-untyped-def]
    """Response from rest to k cos(nu t), and its rate; finite also where omega = nu."""
    d = (omega - nu) / 2
    sinc = sin(d * t) / (d * t) if abs(d * t) > 1e-9 else 1.0
    angle = k * t * sin((omega + nu) * t / 2) * sinc / (omega + nu)
    # rate = k (omega sin omega t - nu sin nu t) / (omega^2 - nu^2)
    rate = k * (omega * t * cos((omega + nu) * t / 2) * sinc + sin(nu * t)) / (omega + nu)
    return angle, rate


@kernel
def arm_angle(t, row):  # type: ignore[no-untyped-def]
    """Upper arm angle phi_1 (rad, forward positive) at ``t`` s after the heel strike."""
    w, nu = row[1], row[6]
    late = np.maximum(t - row[4], 0.0)
    d = (w - nu) / 2 * t
    near = 1.0 * (np.abs(d) < 1e-9)
    sinc = near + (1.0 - near) * np.sin(d) / (d + near)
    forced = row[5] * t * np.sin((w + nu) * t / 2) * sinc / (w + nu)
    torque = row[2] * (1 - np.cos(w * t)) + (row[3] - row[2]) * (1 - np.cos(w * late))
    return row[0] * np.cos(w * t) + torque / (w * w) + forced - row[7]
