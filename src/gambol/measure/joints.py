"""Joint angles of a clip, the reach of its legs, and the limits of human joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.motion import Motion

__all__ = ["LIMITS", "JointRange", "Joints", "leg_reach", "measure_joints", "sagittal_angles"]

Array = NDArray[np.float64]
SIDES = ("left", "right")

# Degrees, least and most. Hip and elbow: American Academy of Orthopaedic Surgeons, Joint Motion: Method of
# Measuring and Recording (1965); knee: American Medical Association, Guides to the Evaluation of Permanent
# Impairment, which counts 150 as full flexion.
LIMITS = {
    "hip_flexion": (-30.0, 120.0),
    "hip_abduction": (-30.0, 45.0),
    "knee_flexion": (0.0, 150.0),
    "elbow_flexion": (0.0, 150.0),
}


@dataclass(frozen=True)
class JointRange:
    """How far a joint went, both sides together, and by how much beyond its limits (0 if inside)."""

    joint: str
    least_deg: float
    most_deg: float
    beyond_deg: float


@dataclass(frozen=True)
class Joints:
    """Legs and joint limits; None where the skeleton has no such joints.

    Attributes:
        knee_least_deg: smallest flexion of a knee.
        reach: longest distance from hip to ankle over thigh + shank.
        ranges: of the joints in :data:`LIMITS`.
    """

    knee_least_deg: float | None
    reach: float | None
    ranges: tuple[JointRange, ...]


def sagittal_angles(motion: Motion) -> dict[str, dict[str, Array]]:
    """Hip, knee and ankle in the sagittal plane, as gait laboratories report them.

    The first rotation of the joint coordinate system (Grood and Suntay 1983; Wu et al. 2002, ISB): about the
    sideways axis of the upper segment, then abduction about the floating axis, then turning about the long
    axis of the lower one. Hip: thigh against pelvis; knee: shank against thigh; ankle: foot against shank.
    Flexion and dorsiflexion are positive, the rest pose is zero.

    Returns:
        side -> joint (hip, knee, ankle) -> ``(F,)`` degrees, of the legs the skeleton has.
    """
    # Legs hang along -y and +x points left, so that a thigh swung forward has turned by a negative angle.
    signs = {"hip": ("upper_leg", -1.0), "knee": ("lower_leg", 1.0), "ankle": ("foot", -1.0)}
    out = {}
    for side in SIDES:
        if all(f"{side}_{joint}" in motion.skeleton for joint, _ in signs.values()):
            out[side] = {
                name: sign * np.degrees(_flexion(_rotation(motion, f"{side}_{joint}")))
                for name, (joint, sign) in signs.items()
            }
    return out


def leg_reach(motion: Motion) -> dict[str, Array]:
    """``(F,)``, side -> distance from hip to ankle over thigh + shank, of the legs the skeleton has."""
    out = {}
    for side in SIDES:
        names = [f"{side}_lower_leg", f"{side}_foot"]
        if all(n in motion.skeleton for n in names):
            thigh, shank = motion.skeleton.offsets[motion.skeleton.indices(names)]
            ankle = thigh + quat.rotate(_rotation(motion, names[0]), shank)
            full = np.linalg.norm(thigh) + np.linalg.norm(shank)
            if full > 0:
                out[side] = np.linalg.norm(ankle, axis=-1) / full
    return out


def measure_joints(motion: Motion) -> Joints:
    """Knee, reach and joint limits of a clip."""
    angles = _limited(motion) if len(motion) else {}
    ranges = []
    for joint, values in angles.items():
        low, high = LIMITS[joint]
        least, most = float(values.min()), float(values.max())
        ranges.append(JointRange(joint, least, most, max(low - least, most - high, 0.0)))
    reach = [float(r.max()) for r in leg_reach(motion).values() if len(r)]
    knee = angles.get("knee_flexion")
    return Joints(None if knee is None else float(knee.min()), max(reach, default=None), tuple(ranges))


def _limited(motion: Motion) -> dict[str, Array]:
    """Joint of LIMITS -> degrees of both sides, ``(n F,)``."""
    found: dict[str, list[Array]] = {joint: [] for joint in LIMITS}
    for side, angles in sagittal_angles(motion).items():
        found["hip_flexion"].append(angles["hip"])
        found["knee_flexion"].append(angles["knee"])
        out = 1.0 if side == "left" else -1.0
        found["hip_abduction"].append(out * np.degrees(_abduction(_rotation(motion, f"{side}_upper_leg"))))
    for side in SIDES:
        names = [f"{side}_lower_arm", f"{side}_hand"]
        if all(n in motion.skeleton for n in names):
            upper, lower = motion.skeleton.offsets[motion.skeleton.indices(names)]
            lower = quat.rotate(_rotation(motion, names[0]), lower)
            found["elbow_flexion"].append(np.degrees(_angle(upper, lower)))
    return {joint: np.concatenate(values) for joint, values in found.items() if values}


def _rotation(motion: Motion, name: str) -> Array:
    return motion.rotations[:, motion.skeleton.index(name)]


# R = Rx(a) Rz(b) Ry(c) turns the long axis y into (-sin b, cos b cos a, cos b sin a).
def _flexion(q: Array) -> Array:
    w, x, y, z = np.moveaxis(q, -1, 0)
    return np.arctan2(2 * (y * z + w * x), 1 - 2 * (x * x + z * z))


def _abduction(q: Array) -> Array:
    w, x, y, z = np.moveaxis(q, -1, 0)
    return np.arcsin(np.clip(2 * (w * z - x * y), -1, 1))


def _angle(u: Array, v: Array) -> Array:
    """Between vectors, rad, well conditioned near 0."""
    return np.arctan2(np.linalg.norm(np.cross(u, v), axis=-1), np.sum(u * v, -1))
