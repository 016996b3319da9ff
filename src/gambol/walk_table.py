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
    "double": (0.2915, 0.2454, 0.1849, 0.1729, 0.1555),
    "ay2": (-0.0202, -0.0389, -0.008, 0.0369, 0.035),
    "ay3": (0.1558, 0.2412, 0.3817, 0.4649, 0.5566),
    "sx": (0.07, 0.093, 0.131, 0.152, 0.154),
    "ax2": (0.23, 0.4, 0.46, 0.55, 0.63),
    "ax3": (-0.02, 0.05, 0.08, 0.12, 0.13),
    # foot on the ground (roll.py)
    "strike": (0.1953, 0.2297, 0.2088, 0.2322, 0.2813),
    "flat": (0.0855, 0.0875, 0.0699, 0.066, 0.0694),
    "soft": (1.486, 1.498, 0.6007, 0.7721, 0.9066),
    "heel_off": (0.368, 0.3562, 0.3324, 0.2201, 0.214),
    "push": (0.57, 0.829, 0.857, 0.9943, 1.163),
    "p": (4.028, 3.303, 2.506, 4.01, 3.816),
    "e": (-0.8415, 0.0078, -0.6114, -0.4281, 1.116),
    "b": (0.7109, 0.7168, 0.5167, 0.592, 0.5365),
    "toes_off": (0.5755, 0.5684, 0.5462, 0.4746, 0.4644),
    "toes": (0.1342, 0.1796, 0.1536, 0.4793, 0.7813),
    # swing (swing.py): bumps of the ankle forward and up, and of the sole pitch
    "x0": (-0.0581, -0.0204, -0.0666, -0.0524, -0.0436),
    "x1": (0.1438, 0.0851, 0.0112, -0.0596, -0.0531),
    "y0": (-0.0525, -0.0746, -0.0447, -0.056, -0.0307),
    "y1": (-0.0426, -0.0586, -0.0799, -0.0935, -0.0842),
    "y2": (0.0922, 0.2884, 0.1145, 0.1167, 0.1681),
    "t0": (0.2338, 0.4234, 0.1427, 0.1681, 0.0879),
    "t1": (-0.5601, -0.7607, -1.194, -1.491, -1.631),
    "t2": (-0.3461, -0.5788, -0.82, -0.7864, -0.364),
    # centre of mass: ahead of the middle between the feet (steps), mean height (legs)
    "com_ahead": (0.0811, 0.0717, 0.0811, 0.1072, 0.1122),
    "com_up": (1.062, 1.059, 1.053, 1.076, 1.045),
    # pelvis: yaw and list as A cos 2 pi (phi - phase), list with its third harmonic
    "yaw": (0.0429, 0.0262, 0.1664, 0.0965, 0.1712),
    "yaw_phase": (0.2, 0.11, 0.01, 0, 0),
    "list": (0.0794, 0.065, 0.0901, 0.0835, 0.1099),
    "list_phase": (0, 0, 0, 0.06, 0.17),
    "list3": (-0.0205, -0.0298, -0.0695, -0.0698, -0.0643),
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
