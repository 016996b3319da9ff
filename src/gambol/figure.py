"""From the plan of one step to the posed figure: feet, pelvis that carries C, legs, trunk, arms.

Everything is worked out in the *heading frame* (x left, y up, z forward, turning with the body, origin at C),
where legs never come near the singular half turn of a quaternion. The pelvis is placed by a fixed point: the
centre of mass of the posed body must be the planned C, so the plotted force is the force that moves this body.

All functions are kernels: their arguments are numbers of one frame, or arrays of many (last axis).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.arm import arm_angle
from gambol.figure_parts import (
    COM,
    PLANE,
    Figure,
    bent_leg,
    foot_in_heading,
    foot_moment,
    mul,
    rotated,
    sole_axes,
    sole_rows,
    store,
    store_leg,
    yaw_list_pitch,
)
from gambol.kernels import either, kernel
from gambol.reaction import body_motion, standing_force
from gambol.roll import Foot, Roll, roll_pitch, sole_ankle
from gambol.swing import evaluate

__all__ = [
    "ROWS",
    "Step",
    "StepPlan",
    "ground_foot",
    "pose_frames",
    "pose_step",
    "sole_frames",
    "sole_points",
]

Array = NDArray[np.float64]

# rows of the output after the rotations:
LEAD, TRAIL, STANDING, REACH, YAW, ROWS = COM + 3, COM + 6, COM + 9, COM + 10, COM + 12, COM + 13
PASSES = (
    8  # of the fixed point: each leaves 5 to 20 % of the error (more where both knees are nearly straight)
)
ROUGH = 4  # passes where only the reach of the legs is asked for (0.1 mm)
RELAX = 1.12  # the pelvis carries 80 to 90 % of the mass that moves with it

# Style row at a step border: how trunk, head and arms go with the legs (rad). cos/sin of the stance limb's phase.
YAW_C, YAW_S, LIST_C, LIST_S, LIST3_C, LIST3_S, TILT, LEAN, BANK, COUNTER, ELBOW, ELBOW_SWING, ABDUCT, NOD, HUNCH = (
    range(15)
)
STYLE = 15


class Step(NamedTuple):
    """A foot on the ground: where it stands flat and how it rolls (times from the start of the step)."""

    place: Array  # (3,) m, below the ankle
    yaw: float
    pitch: float  # of the ground along the foot, up positive
    roll: float
    rolling: Roll


class StepPlan(NamedTuple):
    """Everything the posed figure depends on during one step. Times s from its heel strike."""

    # the motion of C (reaction.py)
    step: float
    stance: float
    double: float
    trail_stance: float
    trail_shift: float
    rise: float
    settle: float
    c0: Array
    v0: Array
    lead: Array
    trail: Array
    # the turn of the body: yaw at 0, rate at 0, two pulses (rad/s2) on [double, zero] and [zero, step]
    yaw0: float
    rate0: float
    pulse1: float
    pulse2: float
    zero: float
    # the feet
    side: int  # +1: the left foot is the stance foot
    front: Step
    rear: Step
    goal: Array  # (3,): yaw, pitch, roll of the next foothold
    path: Array  # (2, 4, 9): ankle x, y, z in the world and sole pitch
    via: float
    lift: float  # s, toe-off of the rear foot; beyond `step` when it stays
    bend: float  # toe bend at toe-off (rad, negative) and its rate per swing
    bend_rate: float
    straight: float  # share of the swing within which the toes straighten
    # harmonics of pelvis and trunk
    rates: Array  # (2,): phase rate times step time at both ends
    style0: Array  # (STYLE,)
    style1: Array
    arms: Array  # (2, 9): left, right (arm.py)


@kernel
def ground_foot(t, step, foot):  # type: ignore[no-untyped-def]
    """Ankle in the world (x, y, z), sole pitch and toe bend of a planted foot."""
    theta, tau = roll_pitch(t, step.rolling)
    fx, fy = sole_ankle(theta, tau, foot)
    zx, zy, zz, yx, yy, yz = sole_axes(step.yaw, step.pitch, step.roll)
    p = step.place
    return p[0] + zx * fx + yx * fy, p[1] + zy * fx + yy * fy, p[2] + zz * fx + yz * fy, theta, theta - tau


@kernel
def _swing_foot(t, p):  # type: ignore[no-untyped-def]
    """Ankle, sole pitch, toe bend and sole frame angles of the swing foot, s = 0..1 from toe-off to heel strike."""
    s = np.minimum(np.maximum((t - p.lift) / (p.step - p.lift), 0.0), 1.0)
    turn = s * s * s * (10 + s * (6 * s - 15))
    r = np.minimum(s / p.straight, 1.0)
    # the toes straighten early in the swing, else they look hooked
    bend = (1 - r) ** 3 * (p.bend * (1 + 3 * r) + p.straight * p.bend_rate * r)
    yaw = p.rear.yaw + (p.goal[0] - p.rear.yaw) * turn
    pitch = p.rear.pitch + (p.goal[1] - p.rear.pitch) * turn
    roll = p.rear.roll + (p.goal[2] - p.rear.roll) * turn
    x, y, z = evaluate(s, p.via, p.path, 0), evaluate(s, p.via, p.path, 1), evaluate(s, p.via, p.path, 2)
    return x, y, z, evaluate(s, p.via, p.path, 3), bend, yaw, pitch, roll


@kernel
def _body_yaw(t, p):  # type: ignore[no-untyped-def]
    """Psi(t): eq. 10 to 12 with two pulses, so that angle and rate at the end are the wanted ones."""
    a, b = np.minimum(np.maximum(t - p.double, 0.0), p.zero - p.double), np.maximum(t - p.zero, 0.0)
    return p.yaw0 + p.rate0 * t + p.pulse1 * (a * a / 2 + a * b) + p.pulse2 * b * b / 2


@kernel
def _trunk_and_arms(t, phase, blend, hips, p, fig, out):  # type: ignore[no-untyped-def]
    """Rotations of trunk, head and arms; returns their first moment about the hips joint in the heading frame."""
    w, x, y, z, yaw, tip = hips
    s0, s1 = p.style0, p.style1
    lean, bank = s0[7] + (s1[7] - s0[7]) * blend, s0[8] + (s1[8] - s0[8]) * blend
    counter = s0[9] + (s1[9] - s0[9]) * blend
    tilt = s0[6] + (s1[6] - s0[6]) * blend
    dyaw, dtip, dpitch = (-counter * yaw - yaw) / 3, bank - 0.95 * tip, (lean - tilt) / 3
    # the lowest joint takes the pelvis' list out, so that the chest rides level and the head does not wag
    first = yaw_list_pitch(dyaw, dtip, dpitch)
    # the upper two round the back or throw the chest out
    hunch = s0[14] + (s1[14] - s0[14]) * blend
    rest = yaw_list_pitch(dyaw, 0.0 * dtip, dpitch + 0.5 * hunch)
    o, m, c = fig.offsets, fig.shares, fig.centres
    px, py, pz = 0.0 * t, 0.0 * t, 0.0 * t
    cx, cy, cz = rotated(w, x, y, z, c[0, 0], c[0, 1], c[0, 2])
    ux, uy, uz = m[0] * cx, m[0] * cy, m[0] * cz
    for j in range(1, 4):
        rw, rx, ry, rz = first if j == 1 else rest
        store(out, j, rw, rx, ry, rz)
        vx, vy, vz = rotated(w, x, y, z, o[j, 0], o[j, 1], o[j, 2])
        px, py, pz = px + vx, py + vy, pz + vz
        w, x, y, z = mul(w, x, y, z, rw, rx, ry, rz)
        cx, cy, cz = rotated(w, x, y, z, c[j, 0], c[j, 1], c[j, 2])
        ux, uy, uz = ux + m[j] * (px + cx), uy + m[j] * (py + cy), uz + m[j] * (pz + cz)
    # the head stays level and looks ahead: half of the chest's turn is taken back in the neck, half in the head
    nod = s0[13] + (s1[13] - s0[13]) * blend
    hw, hx, hy, hz = yaw_list_pitch(0.5 * counter * yaw, -0.5 * (bank + 0.05 * tip), 0.5 * (nod - lean - hunch))
    vx, vy, vz = rotated(w, x, y, z, o[4, 0], o[4, 1], o[4, 2])
    nx, ny, nz = px + vx, py + vy, pz + vz
    store(out, 4, hw, hx, hy, hz)
    store(out, 5, hw, hx, hy, hz)
    kw, kx, ky, kz = mul(w, x, y, z, hw, hx, hy, hz)
    vx, vy, vz = rotated(kw, kx, ky, kz, o[5, 0], o[5, 1], o[5, 2])
    kw, kx, ky, kz = mul(kw, kx, ky, kz, hw, hx, hy, hz)
    cx, cy, cz = rotated(kw, kx, ky, kz, c[5, 0], c[5, 1], c[5, 2])
    ux, uy, uz = ux + m[5] * (nx + vx + cx), uy + m[5] * (ny + vy + cy), uz + m[5] * (nz + vz + cz)
    elbow, elbow_swing = s0[10] + (s1[10] - s0[10]) * blend, s0[11] + (s1[11] - s0[11]) * blend
    abduct = s0[12] + (s1[12] - s0[12]) * blend
    for k in range(2):
        mirror = 1.0 - 2.0 * k
        j = 6 + 4 * k
        store(out, j, 1.0 + 0.0 * t, 0.0 * t, 0.0 * t, 0.0 * t)
        vx, vy, vz = rotated(w, x, y, z, o[j, 0] + o[j + 1, 0], o[j, 1] + o[j + 1, 1], o[j, 2] + o[j + 1, 2])
        ax, ay, az = px + vx, py + vy, pz + vz
        swing = arm_angle(t, p.arms[k])
        # Rx(-swing) Rz(-+(90 deg - abduction)): from the T-pose down to the side, then forward
        down = -mirror * (0.5 * np.pi - abduct)
        cs, ss, cd, sd = np.cos(swing / 2), -np.sin(swing / 2), np.cos(down / 2), np.sin(down / 2)
        store(out, j + 1, cs * cd, ss * cd, -ss * sd, cs * sd)
        aw, a1, a2, a3 = mul(w, x, y, z, cs * cd, ss * cd, -ss * sd, cs * sd)
        cx, cy, cz = rotated(aw, a1, a2, a3, c[j + 1, 0], c[j + 1, 1], c[j + 1, 2])
        ux, uy, uz = ux + m[j + 1] * (ax + cx), uy + m[j + 1] * (ay + cy), uz + m[j + 1] * (az + cz)
        vx, vy, vz = rotated(aw, a1, a2, a3, o[j + 2, 0], o[j + 2, 1], o[j + 2, 2])
        ax, ay, az = ax + vx, ay + vy, az + vz
        fold = -mirror * (elbow + elbow_swing * swing)
        cf, sf = np.cos(fold / 2), np.sin(fold / 2)
        store(out, j + 2, cf, 0.0 * t, sf, 0.0 * t)
        aw, a1, a2, a3 = mul(aw, a1, a2, a3, cf, 0.0, sf, 0.0)
        cx, cy, cz = rotated(aw, a1, a2, a3, c[j + 2, 0], c[j + 2, 1], c[j + 2, 2])
        ux, uy, uz = ux + m[j + 2] * (ax + cx), uy + m[j + 2] * (ay + cy), uz + m[j + 2] * (az + cz)
        vx, vy, vz = rotated(
            aw, a1, a2, a3, o[j + 3, 0] + c[j + 3, 0], o[j + 3, 1] + c[j + 3, 1], o[j + 3, 2] + c[j + 3, 2]
        )
        ux, uy, uz = ux + m[j + 3] * (ax + vx), uy + m[j + 3] * (ay + vy), uz + m[j + 3] * (az + vz)
        store(out, j + 3, 1.0 + 0.0 * t, 0.0 * t, 0.0 * t, 0.0 * t)
    return ux, uy, uz


@kernel
def pose_step(t, p, fig, whole, out):  # type: ignore[no-untyped-def]
    """The figure at ``t`` s into step ``p``: fills the rows of ``out`` (see the constants of this module).

    Args:
        t: number, or (N,) times.
        p: StepPlan.
        fig: Figure.
        whole: False fills the reach of the legs alone.
        out: (ROWS,) or (ROWS, N), written.
    """
    cx, cy, cz, lead_x, lead_y, lead_z, trail_x, trail_y, trail_z = body_motion(t, p)
    psi = _body_yaw(t, p)
    c, s = np.cos(psi), np.sin(psi)
    # phase of the step: cubic with the border rates, so that cadence may change without a jump
    u = t / p.step
    r0, r1 = p.rates[0], p.rates[1]
    phase = u * (r0 + u * (3 - 2 * r0 - r1 + u * (r0 + r1 - 2)))
    blend = u * u * u * (10 + u * (6 * u - 15))
    s0, s1 = p.style0, p.style1
    a1, a3 = np.pi * phase, 3 * np.pi * phase
    yaw = -p.side * (
        (s0[0] + (s1[0] - s0[0]) * blend) * np.cos(a1) + (s0[1] + (s1[1] - s0[1]) * blend) * np.sin(a1)
    )
    tip = p.side * (
        (s0[2] + (s1[2] - s0[2]) * blend) * np.cos(a1)
        + (s0[3] + (s1[3] - s0[3]) * blend) * np.sin(a1)
        + (s0[4] + (s1[4] - s0[4]) * blend) * np.cos(a3)
        + (s0[5] + (s1[5] - s0[5]) * blend) * np.sin(a3)
    )
    hw, hx, hy, hz = yaw_list_pitch(yaw, tip, s0[6] + (s1[6] - s0[6]) * blend)
    ux, uy, uz = _trunk_and_arms(t, phase, blend, (hw, hx, hy, hz, yaw, tip), p, fig, out)

    # feet: stance foot, and the other one on the ground or in the air
    fx, fy, fz, theta1, bend1 = ground_foot(t, p.front, fig.foot)
    gx, gy, gz, gtheta, gbend = ground_foot(t, p.rear, fig.foot)
    wx, wy, wz, wtheta, wbend, wyaw, wpitch, wroll = _swing_foot(t, p)
    air = 1.0 * (t > p.lift)
    bx, by, bz = either(air, wx, gx), either(air, wy, gy), either(air, wz, gz)
    theta2, bend2 = either(air, wtheta, gtheta), either(air, wbend, gbend)
    yaw1, yaw2 = p.front.yaw - psi, either(air, wyaw, p.rear.yaw) - psi
    pitch1, roll1 = p.front.pitch, p.front.roll
    pitch2, roll2 = either(air, wpitch, p.rear.pitch), either(air, wroll, p.rear.roll)
    f1x, f1y, f1z = foot_in_heading(fx, fy, fz, c, s, cx, cy, cz)
    f2x, f2y, f2z = foot_in_heading(bx, by, bz, c, s, cx, cy, cz)
    m1x, m1y, m1z = foot_moment(theta1, yaw1, pitch1, roll1, fig)
    m2x, m2y, m2z = foot_moment(theta2, yaw2, pitch2, roll2, fig)
    plane1, plane2 = (1 - PLANE) * yaw1 + PLANE * yaw, (1 - PLANE) * yaw2 + PLANE * yaw

    # hips from the hips joint
    side = 1.0 * p.side
    o1x, o1y, o1z = rotated(hw, hx, hy, hz, side * fig.hip[0], fig.hip[1], fig.hip[2])
    o2x, o2y, o2z = rotated(hw, hx, hy, hz, -side * fig.hip[0], fig.hip[1], fig.hip[2])
    thigh, shank, foot = fig.shares[14], fig.shares[15], fig.shares[16]
    ct, cs = -fig.centres[14, 1] / fig.thigh, -fig.centres[15, 1] / fig.shank
    upper = 1.0 - 2 * (thigh + shank + foot)
    hip_w, knee_w, ankle_w = thigh * (1 - ct), thigh * ct + shank * (1 - cs), shank * cs + foot
    rx, ry, rz = 0.0 * t - ux, 0.0 * t - fig.hip[1] - 0.03 * fig.thigh - uy, 0.0 * t - uz
    for _ in range(PASSES if whole else ROUGH):
        leg1 = bent_leg(rx + o1x, ry + o1y, rz + o1z, f1x, f1y, f1z, plane1, fig.thigh, fig.shank)
        leg2 = bent_leg(rx + o2x, ry + o2y, rz + o2z, f2x, f2y, f2z, plane2, fig.thigh, fig.shank)
        mx = (
            (upper + 2 * hip_w) * rx
            + ux
            + hip_w * (o1x + o2x)
            + knee_w * (leg1[0] + leg2[0])
            + ankle_w * (f1x + f2x)
            + foot * (m1x + m2x)
        )
        my = (
            (upper + 2 * hip_w) * ry
            + uy
            + hip_w * (o1y + o2y)
            + knee_w * (leg1[1] + leg2[1])
            + ankle_w * (f1y + f2y)
            + foot * (m1y + m2y)
        )
        mz = (
            (upper + 2 * hip_w) * rz
            + uz
            + hip_w * (o1z + o2z)
            + knee_w * (leg1[2] + leg2[2])
            + ankle_w * (f1z + f2z)
            + foot * (m1z + m2z)
        )
        rx, ry, rz = rx - RELAX * mx, ry - RELAX * my, rz - RELAX * mz
    leg1 = bent_leg(rx + o1x, ry + o1y, rz + o1z, f1x, f1y, f1z, plane1, fig.thigh, fig.shank)
    leg2 = bent_leg(rx + o2x, ry + o2y, rz + o2z, f2x, f2y, f2z, plane2, fig.thigh, fig.shank)

    out[REACH], out[REACH + 1] = leg1[15], leg2[15]
    if not whole:
        return
    base1 = 14 if p.side > 0 else 20
    base2 = 34 - base1
    store_leg(
        out, base1, (hw, hx, hy, hz), leg1, (theta1, bend1, yaw1, pitch1 + 0.0 * t, roll1 + 0.0 * t), fig
    )
    store_leg(out, base2, (hw, hx, hy, hz), leg2, (theta2, bend2, yaw2, pitch2, roll2), fig)
    out[0], out[1], out[2] = cx + rx * c + rz * s, cy + ry, cz - rx * s + rz * c
    ch, sh = np.cos(psi / 2), np.sin(psi / 2)
    a, b, d, e = mul(ch, 0.0, sh, 0.0, hw, hx, hy, hz)
    store(out, 0, a, b, d, e)
    out[COM], out[COM + 1], out[COM + 2] = cx, cy, cz
    out[LEAD], out[LEAD + 1], out[LEAD + 2] = lead_x, lead_y, lead_z
    out[TRAIL], out[TRAIL + 1], out[TRAIL + 2] = trail_x, trail_y, trail_z
    out[STANDING] = standing_force(t, p.step, p.rise, p.settle)
    out[YAW] = psi


def _pose_one_by_one(t, p: StepPlan, fig: Figure, whole, out):  # type: ignore[no-untyped-def]
    for i in range(t.shape[0]):
        pose_step(t[i], p, fig, whole, out[:, i])


@kernel(loop=_pose_one_by_one)
def pose_frames(t, p: StepPlan, fig: Figure, whole, out):  # type: ignore[no-untyped-def]
    """:func:`pose_step` for ``t`` (N,)."""
    pose_step(t, p, fig, whole, out)


@kernel
def sole_points(t, p, foot, out):  # type: ignore[no-untyped-def]
    """Heel and toe tip (world, m) of the stance foot (rows 0..5) and of the other foot (rows 6..11) at ``t``."""
    fx, fy, fz, theta, bend = ground_foot(t, p.front, foot)
    sole_rows(fx, fy, fz, theta, bend, (p.front.yaw, p.front.pitch, p.front.roll), foot, out, 0)
    gx, gy, gz, gtheta, gbend = ground_foot(t, p.rear, foot)
    wx, wy, wz, wtheta, wbend, wyaw, wpitch, wroll = _swing_foot(t, p)
    air = 1.0 * (t > p.lift)
    angles = (
        either(air, wyaw, p.rear.yaw),
        either(air, wpitch, p.rear.pitch),
        either(air, wroll, p.rear.roll),
    )
    theta, bend = either(air, wtheta, gtheta), either(air, wbend, gbend)
    sole_rows(
        either(air, wx, gx), either(air, wy, gy), either(air, wz, gz), theta, bend, angles, foot, out, 6
    )


def _sole_one_by_one(t, p: StepPlan, foot: Foot, out):  # type: ignore[no-untyped-def]
    for i in range(t.shape[0]):
        sole_points(t[i], p, foot, out[:, i])


@kernel(loop=_sole_one_by_one)
def sole_frames(t, p: StepPlan, foot: Foot, out):  # type: ignore[no-untyped-def]
    """:func:`sole_points` for ``t`` (N,)."""
    sole_points(t, p, foot, out)
