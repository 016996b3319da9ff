"""The reaction force of one foot, and the motion of the centre of mass it drives.

Tsutsuguchi et al. 2000, equations 5 to 9. With u = time since heel strike / stance time, a foot pushes

    forward   -s_x SUM a_xk sin(2 k pi u) + b_x sin(pi u)         (6a)
    up         s_y (SUM a_yk sin(k pi u))                         (6b)
    inward     s_z SUM a_zk sin(k pi u) + b_z sin(2 pi u)         (6c)

so every force of a foot is a 3 x 6 matrix of sine coefficients (rows: world x, y, z; columns: sin(m pi u),
m = 1..6), here per kilogram. The printed bodies of 6a-6c are lost; these forms are the ones the printed
coefficients force (docs/force_walk.md). The terms b_x, b_z and the k = 2 term of y are the second unknown
of each axis: position alone, as the paper meets it, lets the velocity error grow 1.4 times a step.

Double integrals are closed (no iteration): for sin(w t + p) over 0..t
    velocity (cos p - cos(w t + p)) / w,   position t cos p / w - (sin(w t + p) - sin p) / w^2.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import G
from gambol.kernels import dot, kernel, solve

__all__ = [
    "ORDERS",
    "Shape",
    "Steady",
    "StepTime",
    "body_motion",
    "calm_row",
    "foot_motion",
    "heights",
    "solve_lead",
    "steady",
    "track",
    "usual_rows",
]

Array = NDArray[np.float64]
HALF_G = G / 2
TAIL = 2e-4  # weight of the trailing foot's force against its usual curve
CALM = 1e-6  # weight of the force's unevenness (m2 s4/m2) against C's departure from its wanted height
ORDERS = np.arange(1, 7)
ORDERS.setflags(write=False)


class Shape(NamedTuple):
    """Coefficients of the force curves: a_xk, a_yk, a_zk relative to a_x1 = a_y1 = 1; s_x per weight.

    ``sway`` is the side to side motion of C wanted (m peak to peak), from which s_z follows; None keeps s_z at one
    body weight, as printed (the sway then grows with the square of the step time).
    """

    ax: tuple[float, float, float]
    ay: tuple[float, float, float]
    az: tuple[float, float, float]
    sx: float
    sway: float | None


class StepTime(NamedTuple):
    """Times of one step, s: its length, the stance of its foot, and how long the trailing foot still pushes."""

    step: float
    stance: float
    double: float


class Steady(NamedTuple):
    """The periodic walk of one shape: velocity at heel strike about the mean (forward, up), and the rest."""

    forward: float  # m/s at heel strike, less step length / step time
    up: float  # m/s at heel strike, less rise of the step / step time
    rise: float  # m, mean height over the step less the height at heel strike
    side: float  # m, towards the new stance foot, at heel strike
    side_velocity: float  # m/s, towards the new stance foot


@kernel
def _moments(t, stance, shift, length):  # type: ignore[no-untyped-def]
    """(J, D): first and second integral over 0..t of sin(m pi (tau + shift) / stance), acting for ``length`` s."""
    w = ORDERS * (np.pi / stance)
    p = w * shift
    velocity = (np.cos(p) - np.cos(p + w * length)) / w
    position = length * np.cos(p) / w - (np.sin(p + w * length) - np.sin(p)) / w**2
    return velocity, position + (t - length) * velocity


@lru_cache(maxsize=512)
def steady(shape: Shape, step: float, double: float) -> Steady:
    """Periodic solution of equation 5 for equal steps: closed form, no iteration."""
    stance = step + double
    lead_j, lead_d = _moments(step, stance, 0.0, step)
    trail_j, trail_d = _moments(step, stance, step, double)
    x = G * _row_x(shape)
    y = G * _row_y(shape, step, stance)
    z = _row_z(shape)
    both_d = lead_d + trail_d
    up = -(y @ both_d - G * step**2 / 2) / step
    # Lateral: each step is the mirror of the last, z(T) = -z(0), z'(T) = -z'(0). Forces point inward,
    # away from the stance foot, so with "side" measured towards the new stance foot they are negative.
    az_j, az_d = z @ (lead_j - trail_j), z @ (lead_d - trail_d)
    unit_v, unit_z = az_j / 2, (az_d - az_j / 2 * step) / 2
    t = np.linspace(0.0, step, 33)
    lead, trail = _track(t, stance, 0.0, step), _track(t, stance, step, double)
    side = unit_z + unit_v * t - z @ (lead - trail)
    height = up * t + y @ (lead + trail) - G * t**2 / 2
    # over a stride C goes as far to the one side as to the other
    scale = G if shape.sway is None else shape.sway / max(2 * float(np.abs(side).max()), 1e-12)
    return Steady(
        forward=float(-(x @ both_d) / step),
        up=float(up),
        rise=float((np.diff(t) * (height[1:] + height[:-1]) / 2.0).sum() / step),  # trapezoids; numpy 1 too
        side=float(unit_z * scale),
        side_velocity=float(unit_v * scale),
    )


@kernel
def _unit_track(t, w, shift, length):  # type: ignore[no-untyped-def]
    """Position at ``t`` under sin(w (tau + shift)) acting for ``length`` s, started at rest."""
    p, active = w * shift, np.minimum(t, length)
    velocity = (np.cos(p) - np.cos(p + w * active)) / w
    return active * np.cos(p) / w - (np.sin(p + w * active) - np.sin(p)) / w**2 + (t - active) * velocity


def _track_one_by_one(t, stance, shift, length):  # type: ignore[no-untyped-def]
    out = np.empty((6, len(t)))
    for m in range(6):
        for i in range(len(t)):
            out[m, i] = _unit_track(t[i], (m + 1) * (np.pi / stance), shift, length)
    return out


@kernel(loop=_track_one_by_one)
def _track(t, stance, shift, length):  # type: ignore[no-untyped-def]
    """(6, N) positions under each unit sine, started at rest."""
    return _unit_track(t, (ORDERS * (np.pi / stance))[:, None], shift, length)


@kernel
def _row_x(shape: Shape):  # type: ignore[no-untyped-def]
    a1, a2, a3 = shape.ax
    return -shape.sx * np.array([0.0, a1, 0.0, a2, 0.0, a3])


@kernel
def _row_y(shape: Shape, step, stance):  # type: ignore[no-untyped-def]
    """Equation 6b with s_y such that a steady step carries one body weight: s_y = T pi / (2 Ts (a1 + a3/3))."""
    a1, a2, a3 = shape.ay
    sy = step * np.pi / (2 * stance * (a1 + a3 / 3))
    return sy * np.array([a1, a2, a3, 0.0, 0.0, 0.0])


@kernel
def _row_z(shape: Shape):  # type: ignore[no-untyped-def]
    a1, a2, a3 = shape.az
    return np.array([a1, a2, a3, 0.0, 0.0, 0.0])


class Known(NamedTuple):
    """What acts during a step besides its own foot."""

    trail: Array  # (3, 6) coefficients of the trailing foot
    trail_stance: float  # s, its stance time
    trail_shift: float  # s, its age at the start of this step
    rise: float  # s, standing weight fades out over this time at the start (0: none)
    settle: float  # s, standing weight fades in over this time at the end (0: none)


class Border(NamedTuple):
    """Centre of mass at a heel strike: position (3,) m and velocity (3,) m/s in the world."""

    position: Array
    velocity: Array


@kernel
def solve_lead(shape: Shape, times: StepTime, known: Known, ends: tuple[Border, Border], axes, side):  # type: ignore[no-untyped-def]
    """(3, 6) coefficients of the stance foot that bring C from one border to the next in position and velocity.

    Args:
        shape: coefficient ratios of the curves.
        times: of this step.
        known: the other forces.
        ends: the borders at time 0 and ``times.step``.
        axes: ``(3, 3)`` rows forward, up, left of this step.
        side: +1 for a left stance foot, -1 for a right one.
    """
    t = times.step
    j, d = _moments(t, times.stance, 0.0, t)
    tj, td = _moments(t, known.trail_stance, known.trail_shift, times.double)
    sj, sd = standing_moments(t, known.rise, known.settle)
    gravity = np.array([0.0, -G, 0.0])
    velocity = ends[1].velocity - ends[0].velocity - dot(known.trail, tj) - gravity * (t - sj / G)
    position = (
        ends[1].position
        - ends[0].position
        - ends[0].velocity * t
        - dot(known.trail, td)
        - gravity * (t * t / 2 - sd / G)
    )
    first, second = np.zeros((3, 6)), np.zeros((3, 6))
    first[0], first[2] = _row_x(shape), -side * _row_z(shape)
    first[1, 0], first[1, 2] = shape.ay[0], shape.ay[2]
    second[0, 0] = second[1, 1] = second[2, 1] = 1.0
    # 2x2 system of each axis: [a b; c e] (s, t) = need
    a, b, c, e = dot(first, d), dot(second, d), dot(first, j), dot(second, j)
    need_d, need_j = dot(axes, position), dot(axes, velocity)
    det = a * e - b * c
    s, q = (need_d * e - b * need_j) / det, (a * need_j - c * need_d) / det
    rows = s.reshape(3, 1) * first + q.reshape(3, 1) * second
    out = np.empty((3, 6))
    for i in range(3):
        out[i] = axes[0, i] * rows[0] + axes[1, i] * rows[1] + axes[2, i] * rows[2]
    return out


@kernel
def standing_moments(t, rise, settle):  # type: ignore[no-untyped-def]
    """First and second integral over 0..t of the standing weight (m/s, m): see :func:`standing_track`."""
    j = 0.5 * G * (rise + settle)
    d = 0.5 * G * (t * rise - rise**2 / 2 + 2 * rise**2 / np.pi**2 + settle**2 / 2 - 2 * settle**2 / np.pi**2)
    return j, d


@kernel
def foot_motion(t, rows, stance, shift, length):  # type: ignore[no-untyped-def]
    """What one foot does to C: (x, y, z) m from rest, and its force per kg (x, y, z), at ``t`` s into the step.

    The foot is ``shift`` s old at the start of the step and pushes for ``length`` s. Eqs 5 and 6a to 6c; the sines
    of the multiples follow from the first by the addition theorem.
    """
    active = np.minimum(t, length)
    w = np.pi / stance
    s1, c1 = np.sin(w * (shift + active)), np.cos(w * (shift + active))
    p1, q1 = np.sin(w * shift), np.cos(w * shift)
    s, c, p, q = s1, c1, p1, q1
    rest = t - active
    x, y, z, fx, fy, fz = 0.0 * t, 0.0 * t, 0.0 * t, 0.0 * t, 0.0 * t, 0.0 * t
    for m in range(6):
        k = 1.0 / ((m + 1) * w)
        place = active * (q * k) - (s - p) * (k * k) + rest * (q - c) * k
        x, y, z = x + rows[0, m] * place, y + rows[1, m] * place, z + rows[2, m] * place
        fx, fy, fz = fx + rows[0, m] * s, fy + rows[1, m] * s, fz + rows[2, m] * s
        s, c = s * c1 + c * s1, c * c1 - s * s1
        p, q = p * q1 + q * p1, q * q1 - p * p1
    return x, y, z, fx, fy, fz


@kernel
def standing_track(t, step, rise, settle):  # type: ignore[no-untyped-def]
    """Height (m) gained by ``t`` from the standing weight: g (1 + cos)/2 fading out, then (1 - cos)/2 fading in."""
    out = 0.0 * t
    if rise > 0.0:
        a = np.minimum(t, rise)
        k = np.pi / rise
        out = (
            out
            + HALF_G * (a * a / 2 + (1 - np.cos(k * a)) / (k * k))
            + HALF_G * (t - a) * (a + np.sin(k * a) / k)
        )
    if settle > 0.0:
        b = np.maximum(t - (step - settle), 0.0)
        k = np.pi / settle
        out = out + HALF_G * (b * b / 2 - (1 - np.cos(k * b)) / (k * k))
    return out


@kernel
def standing_force(t, step, rise, settle):  # type: ignore[no-untyped-def]
    """Vertical force per kg that two still feet carry together at ``t``."""
    out = 0.0 * t
    if rise > 0.0:
        out = out + HALF_G * (1 + np.cos(np.pi / rise * np.minimum(t, rise)))
    if settle > 0.0:
        out = out + HALF_G * (1 - np.cos(np.pi / settle * np.maximum(t - (step - settle), 0.0)))
    return out


@kernel
def heights(t, times: StepTime, known: Known, start: Border):  # type: ignore[no-untyped-def]
    """Height of C (N,) m without the stance foot's push, and (6, N) what each of its vertical sines adds."""
    y = dot(_track(t, known.trail_stance, known.trail_shift, times.double).T, known.trail[1])
    for i in range(len(t)):
        free = start.position[1] + start.velocity[1] * t[i] - HALF_G * t[i] * t[i]
        y[i] += free + standing_track(t[i], times.step, known.rise, known.settle)
    return y, _track(t, times.stance, 0.0, times.step)


@kernel
def calm_row(t, wanted, times: StepTime, known: Known, ends: tuple[Border, Border], usual):  # type: ignore[no-untyped-def]
    """(6,) vertical coefficients that meet both borders and keep C nearest to ``wanted`` (N,) m at ``t`` (N,) s.

    Least squares with two linear constraints (position and velocity at the end), for the steps from and to a stand,
    where the curve of equation 6b does not hold. While the foot is the trailing one, its force is drawn to that of
    a usual step, whose coefficients are ``usual`` (6,).
    """
    carried, pushed = heights(t, times, known, ends[0])
    j, d = _moments(times.step, times.stance, 0.0, times.step)
    tj, td = _moments(times.step, known.trail_stance, known.trail_shift, times.double)
    sj, sd = standing_moments(times.step, known.rise, known.settle)
    start, end = ends
    velocity = end.velocity[1] - start.velocity[1] + G * times.step - sj
    position = end.position[1] - start.position[1] - start.velocity[1] * times.step + G * times.step**2 / 2 - sd
    system, goal = np.zeros((8, 8)), np.zeros(8)
    tail = np.zeros((6, 7))  # the foot's force while it is the trailing one
    if times.stance > times.step:
        for i in range(7):
            late = times.step + (times.stance - times.step) * i / 6
            for m in range(6):
                tail[m, i] = np.sin((m + 1) * late * (np.pi / times.stance))
    force = dot(tail.T, usual)
    for m in range(6):
        velocity, position = velocity - known.trail[1, m] * tj[m], position - known.trail[1, m] * td[m]
        system[m, :6] = dot(pushed, pushed[m]) + TAIL * dot(tail, tail[m])
        system[m, m] += CALM * (m + 1) ** 2
        system[6, m], system[m, 6], system[7, m], system[m, 7] = j[m], j[m], d[m], d[m]
        goal[m] = np.sum(pushed[m] * (wanted - carried)) + TAIL * np.sum(tail[m] * force)
    goal[6], goal[7] = velocity, position
    return solve(system, goal)[:6]


@kernel
def usual_row(shape: Shape, times: StepTime):  # type: ignore[no-untyped-def]
    """(6,) vertical coefficients of a foot in steady walking at this step's times (equation 6b)."""
    return G * _row_y(shape, times.step, times.stance)


def usual_rows(shape: Shape, times: StepTime) -> tuple[Array, Array]:
    """(6,) forward and vertical coefficients of a foot in steady walking (equations 6a and 6b)."""
    return G * _row_x(shape), usual_row(shape, times)


def _follow(t, lead, times: StepTime, known: Known, start: Border):  # type: ignore[no-untyped-def]
    out = np.empty((3, len(t)))
    for i in range(len(t)):
        ax, ay, az, _, _, _ = foot_motion(t[i], lead, times.stance, 0.0, times.step)
        bx, by, bz, _, _, _ = foot_motion(t[i], known.trail, known.trail_stance, known.trail_shift, times.double)
        fallen = standing_track(t[i], times.step, known.rise, known.settle) - HALF_G * t[i] * t[i]
        moved = (ax + bx, ay + by + fallen, az + bz)
        for k in range(3):
            out[k, i] = start.position[k] + start.velocity[k] * t[i] + moved[k]
    return out


@kernel(loop=_follow)
def track(t, lead, times: StepTime, known: Known, start: Border):  # type: ignore[no-untyped-def]
    """C (3, N) m at times ``t`` (N,) s for the coefficients ``lead`` (3, 6) of the stance foot."""
    ax, ay, az, _, _, _ = foot_motion(t, lead, times.stance, 0.0, times.step)
    bx, by, bz, _, _, _ = foot_motion(t, known.trail, known.trail_stance, known.trail_shift, times.double)
    fallen = standing_track(t, times.step, known.rise, known.settle) - HALF_G * t * t
    moved = np.array([ax + bx, ay + by + fallen, az + bz])
    return start.position[:, None] + start.velocity[:, None] * t + moved


@kernel
def body_motion(t, p):  # type: ignore[no-untyped-def]
    """C (x, y, z) m, and force per kg of the stance and the trailing foot, at ``t`` s into the step of plan ``p``."""
    ax, ay, az, lx, ly, lz = foot_motion(t, p.lead, p.stance, 0.0, p.step)
    bx, by, bz, tx, ty, tz = foot_motion(t, p.trail, p.trail_stance, p.trail_shift, p.double)
    x = p.c0[0] + p.v0[0] * t + ax + bx
    y = p.c0[1] + p.v0[1] * t + ay + by - HALF_G * t * t + standing_track(t, p.step, p.rise, p.settle)
    z = p.c0[2] + p.v0[2] * t + az + bz
    on = 1.0 * (t < p.double)
    return x, y, z, lx, ly, lz, on * tx, on * ty, on * tz
