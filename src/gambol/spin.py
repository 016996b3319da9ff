"""Turning about the vertical: the angular momentum of the posed body, and the moment that the feet must give.

In walking the momentum of the legs about the vertical is cancelled by arms and trunk to a fifth of it (Herr and
Popovic 2008, *Angular momentum in human walking*, J Exp Biol 211, 467-481); what is left over changes by the moment
of the ground about the mass centre, part of which the foot gives as a free moment about its centre of pressure.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.body import mass_model
from gambol.dynamics import centre_of_mass, point_masses
from gambol.errors import GambolError
from gambol.motion import Motion
from gambol.skeleton import Skeleton, forward_kinematics

__all__ = ["GROUPS", "figure_height", "free_moment", "vertical_momentum"]

Array = NDArray[np.float64]
GROUPS = ("legs", "arms", "trunk")
# Half axes (m, side and depth, for a body of 1.75 m) of the elliptic pillars that trunk and head are (section 1.6 of
# Tsutsuguchi et al. 2000: 0.20 and 0.12): moment of inertia about their axis m (a^2 + b^2) / 4. Limbs are thin.
PILLARS = {"hips": (0.17, 0.11), "spine": (0.16, 0.11), "upper_chest": (0.20, 0.12), "head": (0.075, 0.095)}
THIN = 0.05  # m, half axis of thigh and shank
HEAD_JOINT = 0.870  # of body height (body.TRUNK)


def vertical_momentum(motion: Motion) -> dict[str, Array]:
    """(F,) m2/s of legs, arms and trunk: angular momentum about +y through the mass centre, per kg of the body.

    Point masses, and what trunk, head, thighs and shanks add by turning about their own axes.

    Raises:
        GambolError: where a joint that carries a segment is missing.
    """
    skeleton = motion.skeleton
    shares, places = point_masses(motion)
    heavy = np.flatnonzero(mass_model(skeleton).shares)
    arms = places - np.einsum("n,fnk->fk", shares, places)[:, None]
    velocity = _rate(arms, motion.fps)
    each = shares * (arms[..., 2] * velocity[..., 0] - arms[..., 0] * velocity[..., 2])
    each = each + shares * np.array([_own(skeleton, int(j)) for j in heavy]) * _turning(motion)[:, heavy]
    out = {}
    for group in GROUPS:
        own = np.array([_group(skeleton.names[j]) == group for j in heavy])
        out[group] = each[:, own].sum(1)
    return out


def free_moment(motion: Motion) -> Array:
    """(F,) N m about +y that the feet must give beside their forces, so that the body turns as it does.

    Raises:
        GambolError: where mass, forces or pressure are not known.
    """
    if motion.mass is None or motion.forces is None or motion.pressure is None:
        raise GambolError("mass, forces and pressure are needed", where="free moment", do="use a clip that has them")
    h = motion.mass * np.sum(list(vertical_momentum(motion).values()), axis=0)
    arm = motion.pressure - centre_of_mass(motion)[:, None]
    force = motion.forces
    turn = np.nansum(arm[..., 2] * force[..., 0] - arm[..., 0] * force[..., 2], axis=1)
    out: Array = _rate(h, motion.fps) - turn
    return out


def figure_height(motion: Motion) -> float:
    """m, of the body: as the clip says, or by the height of its head joint."""
    said = motion.info.get("height_m")
    if isinstance(said, int | float) and said > 0:
        return float(said)
    rest = motion.skeleton.rest_positions()
    return float(rest[motion.skeleton.index("head"), 1] - rest[:, 1].min()) / HEAD_JOINT


def _group(name: str) -> str:
    limb = name.removeprefix("left_").removeprefix("right_")
    return "arms" if limb in ("upper_arm", "lower_arm", "hand") else "trunk" if limb == name else "legs"


def _own(skeleton: Skeleton, joint: int) -> float:
    """m2, moment of inertia about the segment's own axis per kg of it."""
    name = skeleton.names[joint]
    size = float(np.ptp(skeleton.rest_positions()[:, 1])) / 1.523  # head joint to sole of a body of 1.75 m
    limb = name.removeprefix("left_").removeprefix("right_")
    a, b = PILLARS.get(name, (THIN, THIN) if limb in ("upper_leg", "lower_leg") else (0.0, 0.0))
    return (a * a + b * b) / 4 * size**2


def _turning(motion: Motion) -> Array:
    """(F, J) rad/s of every joint about +y."""
    _, world = forward_kinematics(motion.skeleton, motion.root, motion.rotations)
    if len(world) < 2:
        return np.zeros(world.shape[:2])
    step = quat.log(quat.multiply(world[1:], quat.conjugate(world[:-1])))[..., 1] * motion.fps
    out = np.empty(world.shape[:2])
    out[1:-1] = (step[1:] + step[:-1]) / 2
    out[0], out[-1] = step[0], step[-1]
    return out


def _rate(x: Array, fps: float) -> Array:
    return np.gradient(x, axis=0) * fps if len(x) > 1 else np.zeros_like(x)
