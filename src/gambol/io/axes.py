"""Units and axes of files that leave them open: a motion scaled, and turned as a whole into our axes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.motion import Motion
from gambol.skeleton import Skeleton

__all__ = ["AXES", "axis", "quarter_turn", "scaled", "turned"]

Array = NDArray[np.float64]
AXES = ("x", "y", "z", "-x", "-y", "-z")
PLACES = ("root", "com", "translations", "pressure")  # fields in metres


def axis(name: str, where: str = "axis") -> Array:
    """``(3,)`` unit vector of x, y, z, -x, -y or -z.

    Raises:
        GambolError: for another name.
    """
    plain = name.strip().lower().removeprefix("+")
    if plain not in AXES:
        raise GambolError(f"{name!r} is no axis", where=where, allowed=", ".join(AXES))
    out = np.zeros(3)
    out["xyz".index(plain[-1])] = -1.0 if plain[0] == "-" else 1.0
    return out


def quarter_turn(start: ArrayLike, end: ArrayLike) -> Array:
    """``(4,)`` the shortest turn that brings one axis onto another; about +y, or +x, where they are opposite."""
    a, b = np.asarray(start, float), np.asarray(end, float)
    if a @ b > -0.5:
        return quat.between(a, b)
    over = np.array([0.0, 1.0, 0.0]) if abs(a[1]) < 0.5 else np.array([1.0, 0.0, 0.0])
    return quat.from_axis_angle(over, np.asarray(np.pi))


def scaled(motion: Motion, factor: float) -> Motion:
    """The motion with all lengths times ``factor``."""
    skeleton = motion.skeleton
    fields: dict[str, Any] = {k: v * factor for k in PLACES if (v := getattr(motion, k)) is not None}
    body = Skeleton(skeleton.names, skeleton.parents, skeleton.offsets * factor, skeleton.soles)
    return replace(motion, skeleton=body, **fields)


def turned(motion: Motion, world: ArrayLike, rest: ArrayLike | None = None) -> Motion:
    """The same movement seen in turned axes.

    Args:
        motion: F frames, J joints.
        world: ``(4,)`` turn of the world: a point p of the clip comes to lie at world p.
        rest: ``(4,)`` turn of the rest pose; by default that of the world.

    Returns:
        A motion whose joint frames are parallel to the new world while it rests, as everywhere.
    """
    w = np.asarray(world, float)
    r = w if rest is None else np.asarray(rest, float)
    back, skeleton = quat.conjugate(r), motion.skeleton
    rotations = quat.multiply(quat.multiply(r, motion.rotations), back)
    # The root alone hangs in the world, all others in a joint at rest.
    rotations[:, 0] = quat.multiply(quat.multiply(w, motion.rotations[:, 0]), back)
    fields: dict[str, Any] = {
        k: quat.rotate(w, v) for k in (*PLACES, "forces") if (v := getattr(motion, k)) is not None
    }
    if motion.translations is not None:
        fields["translations"] = quat.rotate(r, motion.translations)
        fields["translations"][:, 0] = fields["root"]
    body = Skeleton(skeleton.names, skeleton.parents, quat.rotate(r, skeleton.offsets), skeleton.soles)
    return replace(motion, skeleton=body, rotations=quat.normalize(rotations), **fields)
