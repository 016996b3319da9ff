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
    "double": (0.306, 0.249, 0.214, 0.183, 0.161),
    "ay2": (-0.024, -0.044, -0.014, 0.068, 0.093),
    "ay3": (0.147, 0.241, 0.358, 0.471, 0.543),
    "sx": (0.070, 0.093, 0.131, 0.152, 0.154),
    "ax2": (0.23, 0.40, 0.46, 0.55, 0.63),
    "ax3": (-0.02, 0.05, 0.08, 0.12, 0.13),
    # foot on the ground (roll.py)
    "strike": (0.24, 0.27, 0.27, 0.27, 0.28),
    "flat": (0.10, 0.10, 0.10, 0.10, 0.10),
    "soft": (1.5, 1.5, 1.5, 1.5, 1.5),
    "heel_off": (0.400, 0.371, 0.301, 0.186, 0.159),
    "push": (0.589, 0.848, 0.978, 1.106, 1.252),
    "p": (4.0, 3.7, 3.8, 4.5, 4.0),
    "e": (-0.90, -0.90, -0.90, -0.90, 1.0),
    "b": (0.70, 0.68, 0.60, 0.61, 0.53),
    "toes_off": (0.58, 0.58, 0.546, 0.518, 0.481),
    "toes": (0.07, 0.12, 0.24, 0.39, 0.71),
    # swing (swing.py): bumps of the ankle forward and up, and of the sole pitch
    "x0": (-0.102, -0.076, -0.065, -0.054, -0.041),
    "x1": (0.200, 0.184, 0.116, 0.072, 0.023),
    "y0": (-0.029, -0.043, -0.026, -0.020, -0.012),
    "y1": (-0.053, -0.055, -0.071, -0.085, -0.088),
    "y2": (0.213, 0.209, 0.176, 0.183, 0.178),
    "t0": (0.60, 0.54, 0.66, 0.60, 0.40),
    "t1": (-0.27, -0.97, -0.99, -1.06, -1.20),
    "t2": (0.0, -0.05, 0.50, 0.16, 0.10),
    # centre of mass: ahead of the middle between the feet (steps), mean height (legs)
    "com_ahead": (0.097, 0.081, 0.099, 0.137, 0.147),
    "com_up": (1.059, 1.056, 1.052, 1.050, 1.044),
    # pelvis: yaw and list as A cos 2 pi (phi - phase), list with its third harmonic
    "yaw": (0.047, 0.036, 0.040, 0.070, 0.167),
    "yaw_phase": (0.20, 0.11, 0.01, 0.0, 0.0),
    "list": (0.074, 0.054, 0.057, 0.067, 0.131),
    "list_phase": (0.0, 0.0, 0.0, 0.06, 0.17),
    "list3": (-0.018, -0.032, -0.070, -0.070, -0.070),
    "list3_phase": (-0.20, -0.08, -0.07, -0.10, -0.13),
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
