"""A measured step posed at any time: hips on their way, feet rolling and swinging, pelvis, trunk and arms by series.

As in :mod:`gambol.figure` everything is worked out in the *heading frame* (x left, y up, z forward, turning with the
body), here with the middle of the hips as origin, by kernels that take one frame or many (last axis).

A sole rolls by three closed forms whose coefficients are fitted to F1, F2 and M of the step:

    heel    theta = strike (1 - u)^3 (1 + f1_0 u + f1_1 u^2 + f1_2 u^3)      u: heel strike .. flat
    push    theta = push v^2 (1 + sum f2_k (v^(k+1) - 1))                    v: heel-off .. toe-off
    toes    tau   = -meta q^2 (1 + sum m_k (q^(k+1) - 1))                    q: toes begin to turn .. toe-off
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.figure_parts import (
    COM,
    PLANE,
    ROTATIONS,
    Figure,
    bent_leg,
    foot_in_heading,
    foot_moment,
    mul,
    mul_y,
    rotated,
    sole_axes,
    sole_rows,
    store,
    store_leg,
    yaw_list_pitch,
)
from gambol.kernels import either, kernel
from gambol.roll import Foot, sole_ankle
from gambol.walk_data import CHANNELS, HARMONICS

__all__ = ["MeasuredPlan", "Stand", "Turnover", "pose_measured", "soles_measured", "turnover"]

Array = NDArray[np.float64]
REACH = COM + 3  # rows of the output after the mass centre: of the stance leg, of the other
HIP_X, HIP_Y, SWAY, YAW, LIST, LEAN, BANK, TURN, ARMS_AT = range(9)
TILT = 0.02  # rad, of the pelvis; what leans beyond it, the trunk does
ELBOW_AXIS = 0.05  # weight of the sideways axis for elbows that are nearly straight
WIDE = 2 * HARMONICS + 1


class Turnover(NamedTuple):
    """How a foot on the ground rolls; times s."""

    land: float
    flat: float
    heel_off: float
    toes_off: float
    lift: float
    strike: float
    push: float  # rad, negative
    meta: float
    f1: Array  # (3,)
    f2: Array  # (4,)
    m: Array  # (3,)


class Stand(NamedTuple):
    """Where a foot stands flat, and how it rolls there (times from the start of the step)."""

    place: Array  # (3,) m, below the ankle
    yaw: float
    pitch: float
    roll: float
    rolling: Turnover


class MeasuredPlan(NamedTuple):
    """Everything the posed figure depends on during one step. Times s from its heel strike."""

    step: float
    side: int  # +1: the left foot is the stance foot
    way: Array  # (5, 6) coefficients in t / step: middle of the hips without its ripple (world), yaw, stride's phase
    dip: Array  # (5,) m that the hips go down at both ends and in the middle; shares of the step of the two ends
    channels0: Array  # (C, WIDE) series at both ends; they blend
    channels1: Array
    front: Stand
    rear: Stand
    goal: Array  # (3,) yaw, pitch, roll of the next foothold
    path: Array  # (2, 4, DEGREE) ankle x, y, z in the world and sole pitch of the swing, in two pieces
    via: float  # share of the swing where the pieces meet; 1: there is only the first
    lift: float  # s, toe-off of the rear foot; beyond `step` when it stays
    bend: float  # toe bend at toe-off and its rate per swing
    bend_rate: float
    straight: float  # share of the swing within which the toes straighten


@kernel
def turnover(t, r):  # type: ignore[no-untyped-def]
    """Pitch of sole and of toes (rad, toe up positive) of a foot on the ground at ``t``."""
    u = np.minimum(np.maximum((t - r.land) / (r.flat - r.land), 0.0), 1.0)
    v = np.minimum(np.maximum((t - r.heel_off) / (r.lift - r.heel_off), 0.0), 1.0)
    q = np.minimum(np.maximum((t - r.toes_off) / (r.lift - r.toes_off), 0.0), 1.0)
    heel = r.strike * (1 - u) ** 3 * (1 + u * (r.f1[0] + u * (r.f1[1] + u * r.f1[2])))
    c, m = r.f2, r.m
    push = v * v * (1 - c[0] - c[1] - c[2] - c[3] + v * (c[0] + v * (c[1] + v * (c[2] + v * c[3]))))
    toes = q * q * (1 - m[0] - m[1] - m[2] + q * (m[0] + q * (m[1] + q * m[2])))
    return heel + r.push * push, heel - r.meta * toes


def _polynomials_loop(u, rows):  # type: ignore[no-untyped-def]
    out = np.zeros(rows.shape[0])
    for d in range(rows.shape[0]):
        for k in range(rows.shape[1] - 1, -1, -1):
            out[d] = out[d] * u + rows[d, k]
    return out


@kernel(loop=_polynomials_loop)
def _polynomials(u, rows):  # type: ignore[no-untyped-def]
    """Values ``(D, ...)`` at ``u`` of polynomials with the coefficients ``rows`` (D, K)."""
    powers = np.empty((rows.shape[1], len(u)))
    powers[0] = 1.0
    for k in range(1, len(powers)):
        np.multiply(powers[k - 1], u, out=powers[k])
    return rows @ powers


@kernel
def _dip(u, d):  # type: ignore[no-untyped-def]
    """m that the hips are lowered: at both ends of a step, fading inwards, and in its middle."""
    a = np.minimum(u / d[3], 1.0)
    b = np.minimum((1 - u) / d[4], 1.0)
    fall, rise = 1 - a * a * a * (10 + a * (6 * a - 15)), 1 - b * b * b * (10 + b * (6 * b - 15))
    return d[0] * fall + d[1] * rise + d[2] * 64 * u**3 * (1 - u) ** 3


@kernel
def _standing(t, stand, foot):  # type: ignore[no-untyped-def]
    """Ankle in the world, sole pitch and toe bend of a planted foot."""
    theta, tau = turnover(t, stand.rolling)
    fx, fy = sole_ankle(theta, tau, foot)
    zx, zy, zz, yx, yy, yz = sole_axes(stand.yaw, stand.pitch, stand.roll)
    p = stand.place
    return p[0] + zx * fx + yx * fy, p[1] + zy * fx + yy * fy, p[2] + zz * fx + yz * fy, theta, theta - tau


@kernel
def _swinging(t, p):  # type: ignore[no-untyped-def]
    """Ankle, sole pitch, toe bend and the sole frame's angles of the swing foot."""
    s = np.minimum(np.maximum((t - p.lift) / (p.step - p.lift), 0.0), 1.0)
    turn = s * s * s * (10 + s * (6 * s - 15))
    r = np.minimum(s / p.straight, 1.0)
    bend = (1 - r) ** 3 * (p.bend * (1 + 3 * r) + p.straight * p.bend_rate * r)
    yaw = p.rear.yaw + (p.goal[0] - p.rear.yaw) * turn
    pitch = p.rear.pitch + (p.goal[1] - p.rear.pitch) * turn
    roll = p.rear.roll + (p.goal[2] - p.rear.roll) * turn
    way = _pieces(s, p)
    return way[0], way[1], way[2], way[3], bend, yaw, pitch, roll


@kernel
def _pieces(s, p):  # type: ignore[no-untyped-def]
    """The coordinates of the swing at ``s``."""
    if p.via >= 1.0:
        return _polynomials(s, p.path[0])
    second = 1.0 * (s > p.via)
    first = _polynomials(np.minimum(s / p.via, 1.0), p.path[0])
    return either(second, _polynomials(np.maximum((s - p.via) / (1.0 - p.via), 0.0), p.path[1]), first)


@kernel
def _other_foot(t, p, foot):  # type: ignore[no-untyped-def]
    """Ankle, pitch, bend, and sole frame angles of the foot that is not the stance foot: down, or in the air."""
    gx, gy, gz, gtheta, gbend = _standing(t, p.rear, foot)
    wx, wy, wz, wtheta, wbend, wyaw, wpitch, wroll = _swinging(t, p)
    air = 1.0 * (t > p.lift)
    return (
        either(air, wx, gx), either(air, wy, gy), either(air, wz, gz), either(air, wtheta, gtheta),
        either(air, wbend, gbend), either(air, wyaw, p.rear.yaw), either(air, wpitch, p.rear.pitch),
        either(air, wroll, p.rear.roll),
    )


@kernel
def _arm_quaternion(mirror, ux, uy, uz, fx, fy, fz):  # type: ignore[no-untyped-def]
    """Upper arm from the T-pose along ``u``, its elbow's axis across the plane of ``u`` and ``f``; and the flexion."""
    nx, ny, nz = uy * fz - uz * fy - ELBOW_AXIS, uz * fx - ux * fz, ux * fy - uy * fx
    along = nx * ux + ny * uy + nz * uz
    nx, ny, nz = nx - along * ux, ny - along * uy, nz - along * uz
    size = np.sqrt(nx * nx + ny * ny + nz * nz)
    nx, ny, nz = nx / size, ny / size, nz / size
    sine = nx * (uy * fz - uz * fy) + ny * (uz * fx - ux * fz) + nz * (ux * fy - uy * fx)
    flexion = np.maximum(np.arctan2(sine, ux * fx + uy * fy + uz * fz), 0.0)
    # columns: the images of x, y, z
    ax, ay, az = mirror * ux, mirror * uy, mirror * uz
    bx, by, bz = -mirror * nx, -mirror * ny, -mirror * nz
    cx, cy, cz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    w = 0.5 * np.sqrt(np.maximum(1 + ax + by + cz, 1e-9))
    return w, (bz - cy) / (4 * w), (cx - az) / (4 * w), (ay - bx) / (4 * w), flexion


@kernel
def _unit(x, y, z):  # type: ignore[no-untyped-def]
    size = np.sqrt(x * x + y * y + z * z)
    return x / size, y / size, z / size


@kernel
def _upper_body(ch, hips, fig, out):  # type: ignore[no-untyped-def]
    """Rotations of trunk, head and arms; their first moment about the hips joint in the heading frame."""
    w, x, y, z, yaw, tip = hips
    turned, lean, bank = ch[TURN], ch[LEAN], ch[BANK]
    dyaw, dtip, dpitch = (turned - yaw) / 3, -bank - tip, (lean - TILT) / 3
    first = yaw_list_pitch(dyaw, dtip, dpitch)
    rest = yaw_list_pitch(dyaw, 0.0 * dtip, dpitch)
    v = fig.levers
    own, share = fig.centres[0], fig.shares[0]
    carried = fig.offsets[1] * (1.0 - share - 2 * (fig.shares[14] + fig.shares[15] + fig.shares[16]))
    sx, sy, sz = rotated(
        w, x, y, z, own[0] * share + carried[0], own[1] * share + carried[1], own[2] * share + carried[2]
    )
    for j in range(1, 4):
        rw, rx, ry, rz = first if j == 1 else rest
        store(out, j, rw, rx, ry, rz)
        w, x, y, z = mul(w, x, y, z, rw, rx, ry, rz)
        lever = v[3] + v[6] + v[10] if j == 3 else v[j]  # the shoulder girdles go with the chest
        cx, cy, cz = rotated(w, x, y, z, lever[0], lever[1], lever[2])
        sx, sy, sz = sx + cx, sy + cy, sz + cz
    # the head looks ahead and stays level: neck and head take back half each
    hw, hx, hy, hz = yaw_list_pitch(-0.5 * turned, 0.5 * bank, -0.5 * lean)
    kw, kx, ky, kz = w, x, y, z
    for j in range(4, 6):
        store(out, j, hw, hx, hy, hz)
        kw, kx, ky, kz = mul(kw, kx, ky, kz, hw, hx, hy, hz)
        cx, cy, cz = rotated(kw, kx, ky, kz, v[j, 0], v[j, 1], v[j, 2])
        sx, sy, sz = sx + cx, sy + cy, sz + cz
    # into the frame of the shoulders' line, which the arms' series are in, and back
    ct, st = np.cos(turned / 2), np.sin(turned / 2)
    lw, lx, ly, lz = mul_y(w, -x, -y, -z, ct, st)
    for k in range(2):
        mirror = 1.0 - 2.0 * k
        j, at = 6 + 4 * k, ARMS_AT + 6 * k
        ux, uy, uz = _unit(ch[at], ch[at + 1], ch[at + 2])
        fx, fy, fz = _unit(ch[at + 3], ch[at + 4], ch[at + 5])
        qw, qx, qy, qz, flexion = _arm_quaternion(mirror, ux, uy, uz, fx, fy, fz)
        aw, ax, ay, az = mul(lw, lx, ly, lz, qw, qx, qy, qz)
        store(out, j + 1, aw, ax, ay, az)
        qw, qx, qy, qz = mul(w, x, y, z, aw, ax, ay, az)
        cx, cy, cz = rotated(qw, qx, qy, qz, v[j + 1, 0], v[j + 1, 1], v[j + 1, 2])
        sx, sy, sz = sx + cx, sy + cy, sz + cz
        fold = -0.5 * mirror * flexion
        cf, sf = np.cos(fold), np.sin(fold)
        k0 = ROTATIONS + 4 * (j + 2)
        out[k0], out[k0 + 2] = cf, sf
        qw, qx, qy, qz = mul_y(qw, qx, qy, qz, cf, sf)
        lever = v[j + 2] + v[j + 3]
        cx, cy, cz = rotated(qw, qx, qy, qz, lever[0], lever[1], lever[2])
        sx, sy, sz = sx + cx, sy + cy, sz + cz
    return sx, sy, sz


@kernel
def _pose(t, way, ch, p, fig, whole, out):  # type: ignore[no-untyped-def]
    """The figure at ``t`` s into step ``p`` on its ``way`` with channels ``ch``: rotations, mass centre and reach."""
    u = t / p.step
    psi = way[3]
    c, s = np.cos(psi), np.sin(psi)
    hx, hy, hz = way[0], way[1] - _dip(u, p.dip), way[2]
    hx, hy, hz = hx + c * ch[SWAY] + s * ch[HIP_X], hy + ch[HIP_Y], hz - s * ch[SWAY] + c * ch[HIP_X]
    yaw, tip = ch[YAW], ch[LIST]
    qw, qx, qy, qz = yaw_list_pitch(yaw, tip, TILT + 0.0 * yaw)
    fx, fy, fz, theta1, bend1 = _standing(t, p.front, fig.foot)
    bx, by, bz, theta2, bend2, yaw2, pitch2, roll2 = _other_foot(t, p, fig.foot)
    yaw1, yaw2 = p.front.yaw - psi, yaw2 - psi
    pitch1, roll1 = p.front.pitch + 0.0 * t, p.front.roll + 0.0 * t
    f1x, f1y, f1z = foot_in_heading(fx, fy, fz, c, s, hx, hy, hz)
    f2x, f2y, f2z = foot_in_heading(bx, by, bz, c, s, hx, hy, hz)
    plane1, plane2 = (1 - PLANE) * yaw1 + PLANE * yaw, (1 - PLANE) * yaw2 + PLANE * yaw
    side = 1.0 * p.side
    o1x, o1y, o1z = rotated(qw, qx, qy, qz, side * fig.hip[0], 0.0, 0.0)
    leg1 = bent_leg(o1x, o1y, o1z, f1x, f1y, f1z, plane1, fig.thigh, fig.shank)
    leg2 = bent_leg(-o1x, -o1y, -o1z, f2x, f2y, f2z, plane2, fig.thigh, fig.shank)
    out[REACH], out[REACH + 1] = leg1[15], leg2[15]
    if not whole:
        return
    rx, ry, rz = rotated(qw, qx, qy, qz, 0.0, -fig.hip[1], -fig.hip[2])  # hips joint from the middle of the hips
    sx, sy, sz = _upper_body(ch, (qw, qx, qy, qz, yaw, tip), fig, out)
    thigh, shank, foot = fig.shares[14], fig.shares[15], fig.shares[16]
    ct, cs = -fig.centres[14, 1] / fig.thigh, -fig.centres[15, 1] / fig.shank
    upper = 1.0 - 2 * (thigh + shank + foot)
    knee_w, ankle_w = thigh * ct + shank * (1 - cs), shank * cs + foot
    m1x, m1y, m1z = foot_moment(theta1, yaw1, pitch1, roll1, fig)
    m2x, m2y, m2z = foot_moment(theta2, yaw2, pitch2, roll2, fig)
    gx = upper * rx + sx + knee_w * (leg1[0] + leg2[0]) + ankle_w * (f1x + f2x) + foot * (m1x + m2x)
    gy = upper * ry + sy + knee_w * (leg1[1] + leg2[1]) + ankle_w * (f1y + f2y) + foot * (m1y + m2y)
    gz = upper * rz + sz + knee_w * (leg1[2] + leg2[2]) + ankle_w * (f1z + f2z) + foot * (m1z + m2z)
    base1 = 14 if p.side > 0 else 20
    store_leg(out, base1, (qw, qx, qy, qz), leg1, (theta1, bend1, yaw1, pitch1, roll1), fig)
    store_leg(out, 34 - base1, (qw, qx, qy, qz), leg2, (theta2, bend2, yaw2, pitch2, roll2), fig)
    out[0], out[1], out[2] = hx + rx * c + rz * s, hy + ry, hz - rx * s + rz * c
    ch_, sh = np.cos(psi / 2), np.sin(psi / 2)
    a, b, d, e = mul(ch_, 0.0 * sh, sh, 0.0 * sh, qw, qx, qy, qz)
    store(out, 0, a, b, d, e)
    out[COM], out[COM + 1], out[COM + 2] = hx + gx * c + gz * s, hy + gy, hz - gx * s + gz * c


@kernel
def _pose_one_by_one(t, p, fig, whole, out):  # type: ignore[no-untyped-def]
    """The loop that is compiled: series and pose frame by frame."""
    count = p.channels0.shape[0]
    ch = np.empty(count)
    for i in range(t.shape[0]):
        u = t[i] / p.step
        blend = u * u * u * (10 + u * (6 * u - 15))
        way = _polynomials(u, p.way)
        phase = 2 * np.pi * way[4]
        for k in range(count):
            ch[k] = p.channels0[k, 0] + (p.channels1[k, 0] - p.channels0[k, 0]) * blend
        for h in range(1, HARMONICS + 1):
            cosine, sine = np.cos(h * phase), np.sin(h * phase)
            g = h + HARMONICS
            for k in range(count):
                a = p.channels0[k, h] + (p.channels1[k, h] - p.channels0[k, h]) * blend
                b = p.channels0[k, g] + (p.channels1[k, g] - p.channels0[k, g]) * blend
                ch[k] += a * cosine + b * sine
        _pose(t[i], way, ch, p, fig, whole, out[:, i])


def _pose_together(t: Array, p: MeasuredPlan, fig: Figure, whole: bool, out: Array) -> None:
    u = t / p.step
    blend = u * u * u * (10 + u * (6 * u - 15))
    way = _polynomials(u, p.way)
    phase = 2 * np.pi * way[4]
    n = np.arange(1, HARMONICS + 1)[:, None] * phase
    waves = np.concatenate([np.ones((1, len(t))), np.cos(n), np.sin(n)])
    start, end = p.channels0 @ waves, p.channels1 @ waves
    _pose(t, way, start + (end - start) * blend, p, fig, whole, out)


def pose_measured(t: Array, p: MeasuredPlan, fig: Figure, engine: str, whole: bool = True) -> Array:
    """The figure at times ``t`` (N,) s into step ``p``.

    Returns:
        ``(REACH + 2, N)``: root, rotations, centre of mass, reach of both legs; with ``whole`` False the reach alone.
    """
    out = np.zeros((REACH + 2, len(t)))
    out[ROTATIONS:COM:4] = 1.0  # joints that do not turn
    (_pose_one_by_one.compiled if engine == "compiled" else _pose_together)(t, p, fig, whole, out)
    return out


@kernel
def _soles(t, p, foot, out):  # type: ignore[no-untyped-def]
    fx, fy, fz, theta, bend = _standing(t, p.front, foot)
    sole_rows(fx, fy, fz, theta, bend, (p.front.yaw, p.front.pitch, p.front.roll), foot, out, 0)
    gx, gy, gz, theta, bend, yaw, pitch, roll = _other_foot(t, p, foot)
    sole_rows(gx, gy, gz, theta, bend, (yaw, pitch, roll), foot, out, 6)


@kernel
def _soles_one_by_one(t, p, foot, out):  # type: ignore[no-untyped-def]
    for i in range(t.shape[0]):
        _soles(t[i], p, foot, out[:, i])


def soles_measured(t: Array, p: MeasuredPlan, foot: Foot, engine: str) -> Array:
    """``(4, 3, N)`` m in the world: heel and toe tip of the stance foot, heel and toe tip of the other."""
    out = np.empty((12, len(t)))
    (_soles_one_by_one.compiled if engine == "compiled" else _soles)(t, p, foot, out)
    return out.reshape(4, 3, len(t))


assert len(CHANNELS) == ARMS_AT + 12 and ROTATIONS == 3
