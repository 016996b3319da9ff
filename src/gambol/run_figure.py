"""A step of a run posed at any time: stance by the ground, swing by angles, pelvis, trunk and arms by waves.

Bruderlin and Calvert 1996, the third of their three kinds of knowledge: states (landing, mid-support, toe-off,
landing) and the phases between them. A foot on the ground rolls as :mod:`gambol.roll` says and the leg follows it; a
foot in the air follows the measured thigh, knee and sole angles, which leave and arrive with the values and rates of
the standing leg. The hips are where the posed body's centre of mass is C, found by a fixed point, as in walking.

All functions are kernels: their arguments are numbers of one frame, or arrays of many (last axis).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.figure import Step, ground_foot
from gambol.figure_parts import (
    JOINTS,
    PLANE,
    ROTATIONS,
    bent_leg,
    foot_in_heading,
    foot_moment,
    mul,
    rotated,
    sole_rows,
    store,
    store_leg,
    yaw_list_pitch,
)
from gambol.flight import Bounce, bounce_at
from gambol.kernels import either, kernel

__all__ = [
    "COM", "HIPS", "LEGS", "PASSES", "REACH", "ROWS", "SOLES", "STYLE", "Limb", "RunPlan", "legs_frames", "legs_run",
    "trunk_frames", "trunk_run", "whole_frames", "whole_run",
]

Array = NDArray[np.float64]

COM = ROTATIONS + 4 * JOINTS
UPPER = 14  # joints from the hips to the hands
PARENTS = np.array([-1, 0, 1, 2, 3, 4, 3, 6, 7, 8, 3, 10, 11, 12])  # of those
REACH, LEGS, HIPS, SOLES, SCRATCH = COM + 3, COM + 5, COM + 11, COM + 17, COM + 29
LEG, LEG_ROWS = SCRATCH + 7 * UPPER, 19
PSI, MOMENT, FROM = LEG + 2 * LEG_ROWS, LEG + 2 * LEG_ROWS + 3, LEG + 2 * LEG_ROWS + 6
ROWS = FROM + 3
PASSES = 6
RELAX = 0.078  # for each leg that stands: its mass does not all move with the hips
NEAR = 0.4  # of the swing before landing, in which a foot that comes in low is lifted
STRAIGHT, SOFTNESS = float(np.radians(3.0)), float(np.radians(6.0))  # of a swinging knee
# of the swing, within which its angles, their rates and accelerations leave those of the standing leg
VALUE, RATE, CURVE = 0.4, 0.18, 0.25

# Style row at a landing (rad): see the waves in _waves.
LIST, YAW, TILT, TILT_WAVE, LEAN, LEAN_WAVE, BANK, CHEST, ARM, SWING, ELBOW, ELBOW_WAVE, ABDUCT, TWIST, NOD = range(15)
STYLE = 15


class Limb(NamedTuple):
    """A foot that stands until ``lift`` and swings until ``land`` (s from the start of the step)."""

    stand: Step
    lift: float
    land: float
    keys: Array  # (3, 10) thigh, knee, sole over the swing
    start: Array  # (3, 5) what the ends add: value, rate, acceleration; of thigh, knee, abduction, sole, toe bend
    end: Array  # (3, 5)
    clear: Array  # (4,) rad that lift the foot: all the swing, from a later place on, that place, before landing
    goal: Array  # (3,) yaw, pitch, roll of the next foothold
    next: Step  # where it stands after landing


class RunPlan(NamedTuple):
    """Everything the posed figure depends on from one landing to the next. Times s from the first."""

    step: float
    bounce: Bounce
    side: int  # +1: the left foot is the stance foot
    front: Limb  # lands at 0
    rear: Limb  # lands at ``step``
    yaw: Array  # (4,) heading: rising powers of t
    rates: Array  # (2,) phase rate times step at both ends
    style0: Array
    style1: Array
    leave: Array  # (14, 6) turn of each upper joint, and its rate, from which the step comes
    leave_time: float  # s, 0: none
    arrive: Array  # (14, 6) into which it goes
    arrive_time: float


@kernel
def _decay(s):  # type: ignore[no-untyped-def]
    """1 with no slope, to 0."""
    return 1 - s * s * s * (10 - s * (15 - 6 * s))


@kernel
def _slope(s):  # type: ignore[no-untyped-def]
    """0 with slope 1, to 0."""
    return s - s * s * s * (6 - s * (8 - 3 * s))


@kernel
def _curve(s):  # type: ignore[no-untyped-def]
    """0 with no slope and curvature 1, to 0."""
    return 0.5 * s * s * (1 - s) ** 3


@kernel
def _power(x, rows, c):  # type: ignore[no-untyped-def]
    out = rows[c, 9]
    for k in range(8, -1, -1):
        out = out * x + rows[c, k]
    return out


@kernel
def _soft(knee):  # type: ignore[no-untyped-def]
    """A knee that does not come straighter than STRAIGHT: a smooth maximum."""
    off = knee - STRAIGHT
    return STRAIGHT + 0.5 * (off + np.sqrt(off * off + SOFTNESS * SOFTNESS))


@kernel
def _swung(t, limb, bank):  # type: ignore[no-untyped-def]
    """Thigh, knee, abduction, sole, toe bend, and sole frame angles of a swinging leg."""
    x = np.minimum(np.maximum((t - limb.lift) / (limb.land - limb.lift), 0.0), 1.0)
    near = np.minimum((1 - x) / NEAR, 1.0)
    up, near = limb.clear[0] * (x * (1 - x)) ** 2, 16 * limb.clear[3] * (near * (1 - near)) ** 2
    if limb.clear[1] > 0.0:
        late = np.maximum((x - limb.clear[2]) / (1 - limb.clear[2]), 0.0)
        up = up + limb.clear[1] * (late * (1 - late)) ** 2
    up = 16 * up + near
    # what the ends of the swing add to the keys
    a, b = _decay(np.minimum(x / VALUE, 1.0)), _decay(np.minimum((1 - x) / VALUE, 1.0))
    r, q = RATE * _slope(np.minimum(x / RATE, 1.0)), -RATE * _slope(np.minimum((1 - x) / RATE, 1.0))
    v, w = CURVE * CURVE * _curve(np.minimum(x / CURVE, 1.0)), CURVE * CURVE * _curve(np.minimum((1 - x) / CURVE, 1.0))
    f, g = limb.start, limb.end
    thigh = _power(x, limb.keys, 0) + up
    thigh = thigh + f[0, 0] * a + f[1, 0] * r + f[2, 0] * v + g[0, 0] * b + g[1, 0] * q + g[2, 0] * w
    knee = _power(x, limb.keys, 1) + 2 * up
    knee = _soft(knee + f[0, 1] * a + f[1, 1] * r + f[2, 1] * v + g[0, 1] * b + g[1, 1] * q + g[2, 1] * w)
    abduct = bank + f[0, 2] * a + f[1, 2] * r + f[2, 2] * v + g[0, 2] * b + g[1, 2] * q + g[2, 2] * w
    # before landing it is the heel that must be kept up, or the toes of who lands on them
    sole = _power(x, limb.keys, 2) + up + near * either(1.0 * (limb.next.rolling.strike < 0), 0.5, -1.0)
    sole = sole + f[0, 3] * a + f[1, 3] * r + f[2, 3] * v + g[0, 3] * b + g[1, 3] * q + g[2, 3] * w
    bend = f[0, 4] * a + f[1, 4] * r + f[2, 4] * v + g[0, 4] * b + g[1, 4] * q + g[2, 4] * w
    turn = x * x * x * (10 + x * (6 * x - 15))
    yaw = limb.stand.yaw + (limb.goal[0] - limb.stand.yaw) * turn
    pitch = limb.stand.pitch + (limb.goal[1] - limb.stand.pitch) * turn
    roll = limb.stand.roll + (limb.goal[2] - limb.stand.roll) * turn
    return thigh, knee, abduct, sole, bend, yaw, pitch, roll


@kernel
def _leg_vector(thigh, knee, abduct, fig):  # type: ignore[no-untyped-def]
    """From hip to ankle in the heading frame."""
    across, along = fig.shank * np.sin(knee), fig.thigh + fig.shank * np.cos(knee)
    length = np.sqrt(across * across + along * along)
    angle = thigh - np.arctan2(across, along)
    down = length * np.cos(angle)
    return down * np.sin(abduct), -down * np.cos(abduct), length * np.sin(angle)


@kernel
def _leg_angles(leg):  # type: ignore[no-untyped-def]
    """Thigh, knee and abduction of a leg that was found from its ends: the inverse of :func:`_leg_vector`."""
    ex, ey, ez, along, out, length = leg[6], leg[7], leg[8], leg[12], leg[13], leg[14]
    alpha = np.arctan2(out, along)
    thigh = np.arctan2(ez, np.sqrt(ex * ex + ey * ey)) + alpha
    return thigh, alpha + np.arctan2(out, length - along), np.arctan2(ex, -ey)


@kernel
def _offset(t, p, joint, w, x, y, z):  # type: ignore[no-untyped-def]
    """A rotation turned by what the step comes from, and goes into."""
    if p.leave_time > 0.0:
        s = np.minimum(t / p.leave_time, 1.0)
        a, b = _decay(s), p.leave_time * _slope(s)
        m = p.leave
        w, x, y, z = _turned(
            w, x, y, z, m[joint, 0] * a + m[joint, 3] * b, m[joint, 1] * a + m[joint, 4] * b,
            m[joint, 2] * a + m[joint, 5] * b,
        )
    if p.arrive_time > 0.0:
        s = np.minimum(np.maximum((p.step - t) / p.arrive_time, 0.0), 1.0)
        a, b = _decay(s), -p.arrive_time * _slope(s)
        m = p.arrive
        w, x, y, z = _turned(
            w, x, y, z, m[joint, 0] * a + m[joint, 3] * b, m[joint, 1] * a + m[joint, 4] * b,
            m[joint, 2] * a + m[joint, 5] * b,
        )
    return w, x, y, z


@kernel
def _turned(w, x, y, z, a, b, c):  # type: ignore[no-untyped-def]
    angle = np.sqrt(a * a + b * b + c * c)
    k = np.sin(angle / 2) / np.maximum(angle, 1e-12)
    return mul(w, x, y, z, np.cos(angle / 2), a * k, b * k, c * k)


@kernel
def _chain(t, p, fig, out):  # type: ignore[no-untyped-def]
    """World rotation, place and first moment of the joints above the hips, from their local rotations in ``out``.

    Returns the moment about the hips joint in the heading frame; row SCRATCH holds the hips.
    """
    o, c = fig.offsets, fig.centres
    ux, uy, uz = 0.0 * t, 0.0 * t, 0.0 * t
    for joint in range(1, UPPER):
        k, here, up = ROTATIONS + 4 * joint, SCRATCH + 7 * joint, SCRATCH + 7 * PARENTS[joint]
        w, x, y, z = out[up], out[up + 1], out[up + 2], out[up + 3]
        vx, vy, vz = rotated(w, x, y, z, o[joint, 0], o[joint, 1], o[joint, 2])
        px, py, pz = out[up + 4] + vx, out[up + 5] + vy, out[up + 6] + vz
        a, b, d, e = _offset(t, p, joint, out[k], out[k + 1], out[k + 2], out[k + 3])
        out[k], out[k + 1], out[k + 2], out[k + 3] = a, b, d, e
        w, x, y, z = mul(w, x, y, z, a, b, d, e)
        out[here], out[here + 1], out[here + 2], out[here + 3] = w, x, y, z
        out[here + 4], out[here + 5], out[here + 6] = px, py, pz
        m = fig.shares[joint]
        cx, cy, cz = rotated(w, x, y, z, c[joint, 0], c[joint, 1], c[joint, 2])
        ux, uy, uz = ux + m * (px + cx), uy + m * (py + cy), uz + m * (pz + cz)
    return ux, uy, uz


@kernel
def _between(p, k, blend):  # type: ignore[no-untyped-def]
    return p.style0[k] + (p.style1[k] - p.style0[k]) * blend


@kernel
def _upper(t, u, blend, hips, tip, yaw, p, fig, out):  # type: ignore[no-untyped-def]
    """Trunk, head and arms; returns their first moment about the hips joint in the heading frame."""
    side = 1.0 * p.side
    lean = _between(p, 4, blend) + _between(p, 5, blend) * np.cos(2 * np.pi * (u - 0.33))
    tilt = _between(p, 2, blend) + _between(p, 3, blend) * np.cos(2 * np.pi * (u - 0.84))
    bank, nod = _between(p, 6, blend), _between(p, 14, blend)
    wave = np.cos(np.pi * (u + 0.24))  # of the arm opposite to the stance leg: forward before landing
    chest = side * _between(p, 7, blend) * np.cos(np.pi * (u + 0.14))
    dyaw, dpitch = (chest - yaw) / 3, (lean - tilt) / 3
    # the lowest joint takes the pelvis' list out, so that the chest rides level and the head does not wag
    first = yaw_list_pitch(dyaw, 0.95 * (bank - tip), dpitch)
    rest = yaw_list_pitch(dyaw, 0.0 * dyaw, dpitch)
    store(out, 1, first[0], first[1], first[2], first[3])
    store(out, 2, rest[0], rest[1], rest[2], rest[3])
    store(out, 3, rest[0], rest[1], rest[2], rest[3])
    # the head stays level and looks ahead: half of the chest's turn is taken back in the neck, half in the head
    head = yaw_list_pitch(-0.5 * chest, -0.25 * bank, 0.5 * (nod - lean))
    store(out, 4, head[0], head[1], head[2], head[3])
    store(out, 5, head[0], head[1], head[2], head[3])
    mean, swing = _between(p, 8, blend), _between(p, 9, blend)
    elbow, elbow_wave = _between(p, 10, blend), _between(p, 11, blend)
    abduct, twist = _between(p, 12, blend), _between(p, 13, blend)
    zero = 0.0 * t
    for k in range(2):
        mirror = 1.0 - 2.0 * k
        j = 6 + 4 * k
        # the arm opposite to the stance leg swings with the wave, the other against it
        phase = -mirror * side * wave
        girdle = 0.25 * swing * phase  # the shoulder goes with the arm
        store(out, j, np.cos(girdle / 2), zero, -mirror * np.sin(girdle / 2), zero)
        angle = mean + swing * phase + lean
        down = -mirror * (0.5 * np.pi - abduct)
        cs, ss, cd, sd = np.cos(angle / 2), -np.sin(angle / 2), np.cos(down / 2), np.sin(down / 2)
        # forward, the forearm comes in across the chest; back, the elbow goes straight behind
        inward = twist * (1 + 0.5 * phase)
        a, b, d, e = mul(cs * cd, ss * cd, -ss * sd, cs * sd, np.cos(inward / 2), np.sin(inward / 2), 0.0, 0.0)
        store(out, j + 1, a, b, d, e)
        fold = -mirror * (elbow + elbow_wave * phase)
        store(out, j + 2, np.cos(fold / 2), zero, np.sin(fold / 2), zero)
        store(out, j + 3, 1.0 + zero, zero, zero, zero)
    out[SCRATCH], out[SCRATCH + 1], out[SCRATCH + 2], out[SCRATCH + 3] = hips
    out[SCRATCH + 4], out[SCRATCH + 5], out[SCRATCH + 6] = zero, zero, zero
    return _chain(t, p, fig, out)


@kernel
def _heading(t, p):  # type: ignore[no-untyped-def]
    y = p.yaw
    return y[0] + t * (y[1] + t * (y[2] + t * y[3]))


@kernel
def trunk_run(t, p, fig, out):  # type: ignore[no-untyped-def]
    """C, heading, pelvis, trunk and arms at ``t`` s into step ``p``: what does not depend on the legs.

    Args:
        t: number, or (N,) times; up to a little after the end of the step.
        p: RunPlan.
        fig: Figure.
        out: (ROWS,) or (ROWS, N), written.
    """
    out[COM], out[COM + 1], out[COM + 2] = bounce_at(t, p.bounce)
    u = t / p.step
    r0, r1 = p.rates[0], p.rates[1]
    u = u * (r0 + u * (3 - 2 * r0 - r1 + u * (r0 + r1 - 2)))
    blend = np.minimum(t / p.step, 1.0)
    blend = blend * blend * blend * (10 + blend * (6 * blend - 15))
    bank = _between(p, 6, blend)
    side = 1.0 * p.side
    yaw = -side * _between(p, 1, blend) * np.cos(np.pi * (u + 0.08))
    tip = side * _between(p, 0, blend) * np.cos(np.pi * (u - 0.18)) + bank
    tilt = _between(p, 2, blend) + _between(p, 3, blend) * np.cos(2 * np.pi * (u - 0.84))
    hw, hx, hy, hz = yaw_list_pitch(yaw, tip, tilt)
    hw, hx, hy, hz = _offset(t, p, 0, hw, hx, hy, hz)
    ux, uy, uz = _upper(t, u, blend, (hw, hx, hy, hz), tip, yaw, p, fig, out)
    qx, qy, qz = rotated(hw, hx, hy, hz, fig.centres[0, 0], fig.centres[0, 1], fig.centres[0, 2])
    m = fig.shares[0]  # the hips' own mass
    out[MOMENT], out[MOMENT + 1], out[MOMENT + 2] = ux + m * qx, uy + m * qy, uz + m * qz
    turned = np.arctan2(2 * (hw * hy - hx * hz), 1 - 2 * (hy * hy + hz * hz))  # of the pelvis as it is
    out[PSI], out[PSI + 1], out[PSI + 2] = _heading(t, p), turned, bank
    for k in range(2):
        x, y, z = rotated(hw, hx, hy, hz, (1 - 2 * k) * side * fig.hip[0], fig.hip[1], fig.hip[2])
        at = LEG + LEG_ROWS * k
        out[at], out[at + 1], out[at + 2] = x, y, z
    out[FROM], out[FROM + 2] = 0.0 - out[MOMENT], 0.0 - out[MOMENT + 2]
    out[FROM + 1] = -fig.hip[1] - 0.03 * fig.thigh - out[MOMENT + 1]


@kernel
def _limb(t, limb, k, fig, out):  # type: ignore[no-untyped-def]
    """One leg's foot, on the ground or in the air: rows LEG of ``out``."""
    psi, yaw, bank = out[PSI], out[PSI + 1], out[PSI + 2]
    later = 1.0 * (t >= limb.land)
    stands = np.maximum(1.0 * (t < limb.lift), later)
    fx, fy, fz, theta, bend = ground_foot(t, limb.stand, fig.foot)
    gx, gy, gz, gtheta, gbend = ground_foot(t, limb.next, fig.foot)
    fx, fy, fz = either(later, gx, fx), either(later, gy, fy), either(later, gz, fz)
    theta, bend = either(later, gtheta, theta), either(later, gbend, bend)
    thigh, knee, abduct, sole, toes, turn, pitch, roll = _swung(t, limb, bank)
    vx, vy, vz = _leg_vector(thigh, knee, abduct, fig)
    theta, bend = either(stands, theta, sole), either(stands, bend, toes)
    fx, fy, fz = foot_in_heading(fx, fy, fz, np.cos(psi), np.sin(psi), out[COM], out[COM + 1], out[COM + 2])
    mx, my, mz = foot_moment(theta, turn - psi, pitch, roll, fig)
    at = LEG + LEG_ROWS * k
    out[at + 3], out[at + 4], out[at + 5] = fx, fy, fz
    out[at + 6], out[at + 7], out[at + 8] = vx, vy, vz
    out[at + 9], out[at + 10], out[at + 11] = mx, my, mz
    out[at + 12], out[at + 13] = theta, bend
    out[at + 14], out[at + 15], out[at + 16] = turn, pitch, roll
    out[at + 17], out[at + 18] = (1 - PLANE) * (turn - psi) + PLANE * yaw, stands


@kernel
def _found(k, fig, out):  # type: ignore[no-untyped-def]
    """The leg ``k`` for the hips as they are: what :func:`gambol.figure._leg` gives, and the ankle."""
    at = LEG + LEG_ROWS * k
    hx, hy, hz = out[FROM] + out[at], out[FROM + 1] + out[at + 1], out[FROM + 2] + out[at + 2]
    on = out[at + 18]
    ax, ay, az = (
        either(on, out[at + 3], hx + out[at + 6]),
        either(on, out[at + 4], hy + out[at + 7]),
        either(on, out[at + 5], hz + out[at + 8]),
    )
    return bent_leg(hx, hy, hz, ax, ay, az, out[at + 17], fig.thigh, fig.shank), ax, ay, az


@kernel
def legs_run(t, p, fig, passes, out):  # type: ignore[no-untyped-def]
    """The legs of a step whose trunk is known, and the hips where the mass centre is C.

    Args:
        t: as in :func:`trunk_run`.
        p: RunPlan.
        fig: Figure.
        passes: of the fixed point, from where ``out`` has the hips.
        out: as left by :func:`trunk_run`; reach, angles and hips of the legs are written.
    """
    _limb(t, p.front, 0, fig, out)
    _limb(t, p.rear, 1, fig, out)
    thigh, shank, foot = fig.shares[14], fig.shares[15], fig.shares[16]
    ct, cs = -fig.centres[14, 1] / fig.thigh, -fig.centres[15, 1] / fig.shank
    upper = 1.0 - 2 * (thigh + shank + foot)
    hip_w, knee_w, ankle_w = thigh * (1 - ct), thigh * ct + shank * (1 - cs), shank * cs + foot
    relax = 1.0 + RELAX * (out[LEG + 18] + out[LEG + LEG_ROWS + 18])
    for _ in range(passes):
        mx, my, mz = (
            (upper + 2 * hip_w) * out[FROM] + out[MOMENT],
            (upper + 2 * hip_w) * out[FROM + 1] + out[MOMENT + 1],
            (upper + 2 * hip_w) * out[FROM + 2] + out[MOMENT + 2],
        )
        for k in range(2):
            at = LEG + LEG_ROWS * k
            leg, ax, ay, az = _found(k, fig, out)
            mx = mx + hip_w * out[at] + knee_w * leg[0] + ankle_w * ax + foot * out[at + 9]
            my = my + hip_w * out[at + 1] + knee_w * leg[1] + ankle_w * ay + foot * out[at + 10]
            mz = mz + hip_w * out[at + 2] + knee_w * leg[2] + ankle_w * az + foot * out[at + 11]
        out[FROM], out[FROM + 1], out[FROM + 2] = (
            out[FROM] - relax * mx, out[FROM + 1] - relax * my, out[FROM + 2] - relax * mz
        )
    for k in range(2):
        at = LEG + LEG_ROWS * k
        leg, ax, ay, az = _found(k, fig, out)
        out[REACH + k] = leg[15]
        out[LEGS + 3 * k], out[LEGS + 3 * k + 1], out[LEGS + 3 * k + 2] = _leg_angles(leg)
        for i in range(3):
            out[HIPS + 3 * k + i] = out[FROM + i] + out[at + i]


@kernel
def whole_run(t, p, fig, out):  # type: ignore[no-untyped-def]
    """Root, the legs' rotations and the soles, of a step whose legs are known."""
    psi, cx, cy, cz = out[PSI], out[COM], out[COM + 1], out[COM + 2]
    c, s = np.cos(psi), np.sin(psi)
    hips = (out[SCRATCH], out[SCRATCH + 1], out[SCRATCH + 2], out[SCRATCH + 3])
    for k in range(2):
        at = LEG + LEG_ROWS * k
        leg, ax, ay, az = _found(k, fig, out)
        turn, pitch, roll = out[at + 14], out[at + 15], out[at + 16]
        base = 14 if (p.side > 0) == (k == 0) else 20
        store_leg(out, base, hips, leg, (out[at + 12], out[at + 13], turn - psi, pitch, roll), fig)
        x, y, z = cx + ax * c + az * s, cy + ay, cz - ax * s + az * c
        sole_rows(x, y, z, out[at + 12], out[at + 13], (turn, pitch, roll), fig.foot, out, SOLES + 6 * k)
    rx, ry, rz = out[FROM], out[FROM + 1], out[FROM + 2]
    out[0], out[1], out[2] = cx + rx * c + rz * s, cy + ry, cz - rx * s + rz * c
    a, b, d, e = mul(np.cos(psi / 2), 0.0, np.sin(psi / 2), 0.0, hips[0], hips[1], hips[2], hips[3])
    store(out, 0, a, b, d, e)


@kernel
def trunk_frames(t, p, fig, out):  # type: ignore[no-untyped-def]
    """:func:`trunk_run` for ``t`` (N,) frame by frame: the loops that are compiled."""
    for i in range(t.shape[0]):
        trunk_run(t[i], p, fig, out[:, i])


@kernel
def legs_frames(t, p, fig, passes, out):  # type: ignore[no-untyped-def]
    """:func:`legs_run`."""
    for i in range(t.shape[0]):
        legs_run(t[i], p, fig, passes, out[:, i])


@kernel
def whole_frames(t, p, fig, out):  # type: ignore[no-untyped-def]
    """:func:`whole_run`."""
    for i in range(t.shape[0]):
        whole_run(t[i], p, fig, out[:, i])
