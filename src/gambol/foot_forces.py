"""The ground's force on each foot, from what moves the whole body (case: a motion that has none).

The total is M (C'' + g). Where both feet are down the vertical force goes over from the rear to the front foot by
0.6 linear + 0.4 smoothstep of the double support, the mean of measured ones; the horizontal force of each foot
points from its pressure point at the centre of mass, and what is left of the total is shared like the vertical.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["HANDOVER", "handed_over", "split"]

Array = NDArray[np.float64]
HANDOVER = 0.6  # of linear, the rest smoothstep; rms 0.023 against the mean of seven measured double supports
LEAST_HEIGHT = 0.3  # m of the centre of mass over a pressure point, below which a force does not aim


def handed_over(u: ArrayLike) -> Array:
    """Share of the rear foot in the vertical force at ``u`` = 0..1 of the double support."""
    x = np.clip(np.asarray(u, float), 0.0, 1.0)
    return np.asarray(1 - HANDOVER * x - (1 - HANDOVER) * x * x * (3 - 2 * x))


def split(total: ArrayLike, shares: ArrayLike, com: ArrayLike, pressure: ArrayLike) -> Array:
    """Force of each foot.

    Args:
        total: ``(F, 3)`` N.
        shares: ``(F, feet)`` of the vertical force, adding up to 1 while a foot is down.
        com: ``(F, 3)`` m.
        pressure: ``(F, feet, 3)`` m, pressure points; any where the share is 0.

    Returns:
        ``(F, feet, 3)`` N that add up to the total where a foot is down.
    """
    total, shares, com = (np.asarray(x, float) for x in (total, shares, com))
    points = np.where(shares[..., None] > 0, np.asarray(pressure, float), com[:, None])
    up = shares * total[:, None, 1]
    lever = com[:, None] - points
    height = np.maximum(lever[..., 1], LEAST_HEIGHT)
    forces = np.zeros((*shares.shape, 3))
    forces[..., 1] = up
    for axis in (0, 2):
        aimed = up * lever[..., axis] / height
        forces[..., axis] = aimed + shares * (total[:, axis] - aimed.sum(1))[:, None]
    return forces
