"""What figures are posed from: proportions, rotations as numbers, a leg of two bones, soles on the ground.

All functions are kernels: their arguments are numbers of one frame, or arrays of many (last axis). The *heading
frame* has x left, y up, z forward and turns with the body.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import Body
from gambol.kernels import kernel
from gambol.roll import Foot, ball_heel_tip

__all__ = [
    "COM", "JOINTS", "PLANE", "ROTATIONS", "Figure", "bent_leg", "figure_of", "foot_in_heading", "foot_moment", "mul",
    "mul_x", "mul_y", "rotated", "sole_axes", "sole_rows", "store", "store_leg", "yaw_list_pitch",
]

Array = NDArray[np.float64]
JOINTS = 26
ROTATIONS = 3  # rows of the output: root 0..2, rotations 3.., then what each figure adds, first its mass centre
COM = ROTATIONS + 4 * JOINTS
PLANE = 0.4  # psi1 : psi2 = 2 : 3 (section 1.6 of the force walk's paper): share of a turn taken about the stance ankle


class Figure(NamedTuple):
    """Proportions of a person for the kernels: m, and shares of the body mass."""

    offsets: Array  # (26, 3) of the skeleton
    thigh: float
    shank: float
    hip: Array  # (3,) left hip from the hips joint; the right one is its mirror
    foot: Foot
    shares: Array  # (26,)
    centres: Array  # (26, 3)
    levers: Array  # (26, 3) m: first moment of what a joint carries, in its frame, but for what turns against it


@lru_cache(maxsize=64)
def figure_of(body: Body) -> Figure:
    """Proportions of a built-in person."""
    s, m = body.skeleton, body.masses
    toes, tip, heel = (s.offsets[s.index("left_" + n)] for n in ("toes", "toe_tip", "heel"))
    return Figure(
        offsets=s.offsets,
        thigh=-float(s.offsets[s.index("left_lower_leg"), 1]),
        shank=-float(s.offsets[s.index("left_foot"), 1]),
        hip=s.offsets[s.index("left_upper_leg")],
        foot=Foot(-float(heel[1]), -float(heel[2]), float(toes[2]), float(toes[2] + tip[2])),
        shares=m.shares,
        centres=m.centres,
        levers=_levers(s.parents.tolist(), s.offsets, m.shares, m.centres),
    )


def _levers(parents: Sequence[int], offsets: Array, shares: Array, centres: Array) -> Array:
    """Turned by every joint's rotation and added up, they are the first moment of the body about its root."""
    carried, out = np.array(shares), shares[:, None] * centres
    for j in range(len(parents) - 1, 0, -1):
        carried[parents[j]] += carried[j]
        out[parents[j]] += carried[j] * offsets[j]
    return np.asarray(out)


@kernel
def mul(aw, ax, ay, az, bw, bx, by, bz):  # type: ignore[no-untyped-def]
    """Product of two quaternions."""
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@kernel
def mul_x(w, x, y, z, c, s):  # type: ignore[no-untyped-def]
    """A quaternion times that of a turn about x: (c, s, 0, 0)."""
    return w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s


@kernel
def mul_y(w, x, y, z, c, s):  # type: ignore[no-untyped-def]
    """A quaternion times that of a turn about y: (c, 0, s, 0)."""
    return w * c - y * s, x * c - z * s, y * c + w * s, z * c + x * s


@kernel
def rotated(w, x, y, z, vx, vy, vz):  # type: ignore[no-untyped-def]
    """A vector turned by a quaternion."""
    tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
    return vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx


@kernel
def yaw_list_pitch(yaw, tip, pitch):  # type: ignore[no-untyped-def]
    """Quaternion Ry(yaw) Rz(tip) Rx(pitch)."""
    cy, sy, cz, sz, cx, sx = (
        np.cos(yaw / 2),
        np.sin(yaw / 2),
        np.cos(tip / 2),
        np.sin(tip / 2),
        np.cos(pitch / 2),
        np.sin(pitch / 2),
    )
    w, x, y, z = cy * cz, sy * sz, sy * cz, cy * sz
    return mul_x(w, x, y, z, cx, sx)


@kernel
def store(out, joint, w, x, y, z):  # type: ignore[no-untyped-def]
    """Write the local rotation of a joint."""
    k = ROTATIONS + 4 * joint
    out[k], out[k + 1], out[k + 2], out[k + 3] = w, x, y, z


@kernel
def sole_axes(yaw, pitch, roll):  # type: ignore[no-untyped-def]
    """Forward and up of the sole: columns z and y of Ry(yaw) Rx(-pitch) Rz(roll)."""
    c, s, cb, sb, cr, sr = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch), np.cos(roll), np.sin(roll)
    return s * cb, sb, c * cb, -sr * c - cr * sb * s, cr * cb, sr * s - cr * sb * c


@kernel
def bent_leg(hx, hy, hz, ax, ay, az, plane, thigh, shank):  # type: ignore[no-untyped-def]
    """Two-bone leg in the heading frame: knee, plane axes and angles. ``plane``: yaw of the knee's forward side."""
    dx, dy, dz = ax - hx, ay - hy, az - hz
    reach = np.sqrt(dx * dx + dy * dy + dz * dz)
    length = np.minimum(reach, (thigh + shank) * 0.99996)
    ex, ey, ez = dx / reach, dy / reach, dz / reach
    px, pz = np.sin(plane), np.cos(plane)
    lx, ly, lz = -pz * ey, pz * ex - px * ez, px * ey  # forward x down: the leg's left
    norm = np.sqrt(lx * lx + ly * ly + lz * lz)
    lx, ly, lz = lx / norm, ly / norm, lz / norm
    gx, gy, gz = ly * -ez - lz * -ey, lz * -ex - lx * -ez, lx * -ey - ly * -ex  # left x up = forward
    along = (thigh * thigh - shank * shank + length * length) / (2 * length)
    out = np.sqrt(np.maximum(thigh * thigh - along * along, 0.0))
    kx, ky, kz = hx + ex * along + gx * out, hy + ey * along + gy * out, hz + ez * along + gz * out
    return kx, ky, kz, lx, ly, lz, ex, ey, ez, gx, gy, gz, along, out, length, reach


@kernel
def _leg_quaternion(lx, ly, lz, ex, ey, ez, gx, gy, gz, alpha):  # type: ignore[no-untyped-def]
    """Thigh in the heading frame: columns (left, -down, forward) turned about the left axis by -alpha."""
    w = 0.5 * np.sqrt(np.maximum(1 + lx - ey + gz, 1e-12))
    x, y, z = (-ez - gy) / (4 * w), (gx - lz) / (4 * w), (ly + ex) / (4 * w)
    c, s = np.cos(alpha / 2), -np.sin(alpha / 2)
    return mul_x(w, x, y, z, c, s)


@kernel
def store_leg(out, joint, hips, leg, foot, fig):  # type: ignore[no-untyped-def]
    """Local rotations of thigh, shank, foot and toes; returns knee flexion."""
    kx, ky, kz, lx, ly, lz, ex, ey, ez, gx, gy, gz, along, h, length, reach = leg
    theta, bend, yaw, pitch, roll = foot
    alpha = np.arctan2(h, along)
    flexion = alpha + np.arctan2(h, length - along)
    tw, tx, ty, tz = _leg_quaternion(lx, ly, lz, ex, ey, ez, gx, gy, gz, alpha)
    w, x, y, z = hips[0], hips[1], hips[2], hips[3]
    a, b, c, d = mul(w, -x, -y, -z, tw, tx, ty, tz)
    store(out, joint, a, b, c, d)
    cf, sf = np.cos(flexion / 2), np.sin(flexion / 2)
    store(out, joint + 1, cf, sf, 0.0, 0.0)
    sw, sx, sy, sz = mul_x(tw, tx, ty, tz, cf, sf)
    # sole: Ry(yaw) Rx(-pitch) Rz(roll) Rx(-theta)
    cy, ny, cp, np_ = np.cos(yaw / 2), np.sin(yaw / 2), np.cos(pitch / 2), -np.sin(pitch / 2)
    cr, sr, ct, st = np.cos(roll / 2), np.sin(roll / 2), np.cos(theta / 2), -np.sin(theta / 2)
    a, b, c, d = mul(cy * cp, cy * np_, ny * cp, -ny * np_, cr * ct, cr * st, sr * st, sr * ct)
    a, b, c, d = mul(sw, -sx, -sy, -sz, a, b, c, d)
    store(out, joint + 2, a, b, c, d)
    cb, sb = np.cos(bend / 2), np.sin(bend / 2)
    store(out, joint + 3, cb, sb, 0.0, 0.0)
    store(out, joint + 4, 1.0, 0.0, 0.0, 0.0)
    store(out, joint + 5, 1.0, 0.0, 0.0, 0.0)
    return flexion


@kernel
def foot_in_heading(fx, fy, fz, c, s, cx, cy, cz):  # type: ignore[no-untyped-def]
    """An ankle in the heading frame with its origin at (cx, cy, cz) and cosine and sine of its yaw c, s."""
    dx, dz = fx - cx, fz - cz
    return dx * c - dz * s, fy - cy, dx * s + dz * c


@kernel
def foot_moment(theta, yaw, pitch, roll, fig):  # type: ignore[no-untyped-def]
    """Mass centre of the foot from its ankle, heading frame."""
    zx, zy, zz, yx, yy, yz = sole_axes(yaw, pitch, roll)
    c, s = np.cos(theta), np.sin(theta)
    ahead, above = fig.centres[16, 2], fig.centres[16, 1]
    a, b = ahead * c - above * s, ahead * s + above * c
    return zx * a + yx * b, zy * a + yy * b, zz * a + yz * b


@kernel
def sole_rows(x, y, z, theta, bend, angles, foot, out, row):  # type: ignore[no-untyped-def]
    """Write heel and toe tip (m) of a sole below the ankle (x, y, z), from ``row`` on."""
    zx, zy, zz, yx, yy, yz = sole_axes(angles[0], angles[1], angles[2])
    hx, hy, bx, by, tx, ty = ball_heel_tip(0.0, 0.0, theta, bend, foot)
    out[row], out[row + 1], out[row + 2] = x + zx * hx + yx * hy, y + zy * hx + yy * hy, z + zz * hx + yz * hy
    out[row + 3], out[row + 4], out[row + 5] = (
        x + zx * tx + yx * ty,
        y + zy * tx + yy * ty,
        z + zz * tx + yz * ty,
    )
