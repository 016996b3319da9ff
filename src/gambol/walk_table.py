"""How a level walk looks at five speeds: force ratios, foot roll, swing, pelvis and trunk.

Each row belongs to one dimensionless speed v / sqrt(g leg). The force ratios follow the vertical and fore-aft
force curves, the rest the joint angle curves, of the five speed classes of Schwartz, Rozumalski and Trost (2008),
*The effect of walking speed on the gait of typically developing children*, fitted with this program's own figure.
Between rows the values follow a monotone cubic (Fritsch and Carlson 1980); outside they are held.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["PAPER", "SPEEDS", "TABLE", "row_at"]

Array = NDArray[np.float64]
SPEEDS = (0.166, 0.282, 0.398, 0.513, 0.696)

# Shares are of the stride, angles rad, lengths of the step (x_*), of the leg (y_*, com_up).
TABLE: Mapping[str, tuple[float, ...]] = {
    # force: double support / step time, coefficient ratios of 6a and 6b, s_x in body weights
    "double": (0.2917, 0.2429, 0.1849, 0.1729, 0.1543),
    "ay2": (-0.0204, -0.0369, -0.008, 0.0369, 0.0357),
    "ay3": (0.1557, 0.2385, 0.3817, 0.4649, 0.5534),
    "sx": (0.07, 0.093, 0.131, 0.152, 0.154),
    "ax2": (0.23, 0.4, 0.46, 0.55, 0.63),
    "ax3": (-0.02, 0.05, 0.08, 0.12, 0.13),
    # foot on the ground (roll.py)
    "strike": (0.195, 0.2328, 0.2087, 0.2322, 0.283),
    "flat": (0.0852, 0.0849, 0.0699, 0.066, 0.0688),
    "soft": (1.477, 1.44, 0.6007, 0.7721, 0.8797),
    "heel_off": (0.3686, 0.3446, 0.3323, 0.2201, 0.2127),
    "push": (0.5687, 0.8258, 0.8569, 0.9943, 1.157),
    "p": (4.029, 3.333, 2.506, 4.01, 3.794),
    "e": (-0.8427, -0.0377, -0.6111, -0.4282, 1.125),
    "b": (0.7097, 0.7072, 0.5167, 0.592, 0.5383),
    "toes_off": (0.5759, 0.5671, 0.5462, 0.4746, 0.4613),
    "toes": (0.1381, 0.1858, 0.1537, 0.4793, 0.7853),
    # swing (swing.py): bumps of the ankle forward and up, and of the sole pitch
    "x0": (-0.0602, -0.0314, -0.0667, -0.0524, -0.0436),
    "x1": (0.1386, 0.0498, 0.0112, -0.0597, -0.061),
    "y0": (-0.0525, -0.0746, -0.0447, -0.056, -0.0302),
    "y1": (-0.0414, -0.0871, -0.0802, -0.0934, -0.0852),
    "y2": (0.0832, 0.2751, 0.1141, 0.1169, 0.1566),
    "t0": (0.2293, 0.3583, 0.1446, 0.1672, 0.0602),
    "t1": (-0.5759, -0.7374, -1.194, -1.491, -1.663),
    "t2": (-0.361, -0.4915, -0.82, -0.7864, -0.6904),
    # centre of mass: ahead of the middle between the feet (steps), mean height (legs)
    "com_ahead": (0.0811, 0.075, 0.0811, 0.1072, 0.1118),
    "com_up": (1.063, 1.057, 1.053, 1.076, 1.054),
    # pelvis: yaw and list as A cos 2 pi (phi - phase), list with its third harmonic
    "yaw": (0.0429, 0.0261, 0.1664, 0.0965, 0.1733),
    "yaw_phase": (0.2, 0.11, 0.01, 0, 0),
    "list": (0.0796, 0.0634, 0.0901, 0.0835, 0.1071),
    "list_phase": (0, 0, 0, 0.06, 0.17),
    "list3": (-0.0205, -0.0304, -0.0695, -0.0698, -0.0645),
    "list3_phase": (-0.2, -0.08, -0.07, -0.1, -0.13),
}

# The paper's fixed coefficients (eqs 7 to 9, T_ds = T/4) with the posture tuned at 100 steps/min and 0.70 m.
PAPER: Mapping[str, float] = {
    "double": 0.25, "ay2": 0.1 / 1.3, "ay3": 0.4 / 1.3, "sx": 0.144, "ax2": 0.5, "ax3": 0.25,
    "strike": 0.27, "flat": 0.055, "soft": 1.1, "heel_off": 0.15, "push": 1.22, "p": 4.2, "e": -0.9, "b": 0.70,
    "toes_off": 0.53, "toes": 0.80, "x0": -0.04, "x1": 0.13, "y0": -0.015, "y1": -0.02, "y2": 0.24,
    "t0": 0.29, "t1": -1.6, "t2": 0.0, "com_ahead": 0.146, "com_up": 1.022, "yaw": 0.095, "yaw_phase": 0.0,
    "list": 0.105, "list_phase": 0.11, "list3": -0.07, "list3_phase": -0.07,
}


@lru_cache(maxsize=256)
def row_at(v_hat: float) -> dict[str, float]:
    """All values of :data:`TABLE` at a dimensionless speed."""
    values = _interpolate(np.array(list(TABLE.values())), float(np.clip(v_hat, SPEEDS[0], SPEEDS[-1])))
    return dict(zip(TABLE, map(float, values)))


def _interpolate(rows: Array, x: float) -> Array:
    """Monotone cubic through ``rows`` (P, 5) at :data:`SPEEDS`."""
    knots = np.array(SPEEDS)
    h = np.diff(knots)
    slope = np.diff(rows, axis=1) / h
    inner = np.where(
        slope[:, :-1] * slope[:, 1:] > 0,
        3 * (h[:-1] + h[1:]) / ((2 * h[1:] + h[:-1]) / _safe(slope[:, :-1]) + (h[1:] + 2 * h[:-1]) / _safe(slope[:, 1:])),
        0.0,
    )
    m = np.concatenate([slope[:, :1], inner, slope[:, -1:]], 1)
    k = min(int(np.searchsorted(knots, x, side="right")) - 1, len(h) - 1)
    t = (x - knots[k]) / h[k]
    return (
        rows[:, k] * (1 + 2 * t) * (1 - t) ** 2 + h[k] * m[:, k] * t * (1 - t) ** 2
        + rows[:, k + 1] * t * t * (3 - 2 * t) + h[k] * m[:, k + 1] * t * t * (t - 1)
    )


def _safe(values: Array) -> Array:
    return np.where(values == 0, 1.0, values)
