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
    "double": (0.2916, 0.2401, 0.1849, 0.1811, 0.1556),
    "ay2": (-0.0201, -0.0397, -0.0079, 0.0558, 0.0368),
    "ay3": (0.1557, 0.2365, 0.3816, 0.45, 0.5561),
    "sx": (0.07, 0.093, 0.131, 0.152, 0.154),
    "ax2": (0.23, 0.4, 0.46, 0.55, 0.63),
    "ax3": (-0.02, 0.05, 0.08, 0.12, 0.13),
    # foot on the ground (roll.py)
    "strike": (0.1954, 0.234, 0.2086, 0.2414, 0.2786),
    "flat": (0.0856, 0.0884, 0.0699, 0.0806, 0.0701),
    "soft": (1.489, 1.52, 0.6007, 1.179, 0.9166),
    "heel_off": (0.3679, 0.3546, 0.3325, 0.1923, 0.2144),
    "push": (0.5705, 0.8295, 0.8571, 1.095, 1.165),
    "p": (4.028, 3.337, 2.503, 4.253, 3.829),
    "e": (-0.8416, 0.0282, -0.6112, -0.4812, 1.113),
    "b": (0.7113, 0.714, 0.5167, 0.6198, 0.5348),
    "toes_off": (0.5753, 0.569, 0.5465, 0.5035, 0.4648),
    "toes": (0.132, 0.1754, 0.1536, 0.4735, 0.7808),
    # swing (swing.py): bumps of the ankle forward and up, and of the sole pitch
    "x0": (-0.0585, -0.0421, -0.0675, -0.0687, -0.0473),
    "x1": (0.1456, 0.1015, 0.0107, -0.0312, -0.0518),
    "y0": (-0.0525, -0.0746, -0.0447, -0.0099, -0.0271),
    "y1": (-0.0439, -0.0555, -0.0808, -0.0848, -0.0912),
    "y2": (0.0934, 0.2864, 0.1127, 0.2246, 0.1569),
    "t0": (0.2332, 0.4026, 0.1481, 0.3785, 0.1127),
    "t1": (-0.558, -0.7672, -1.193, -1.377, -1.613),
    "t2": (-0.3408, -0.5562, -0.8201, 0.2124, -0.3385),
    # centre of mass: ahead of the middle between the feet (steps), mean height (legs)
    "com_ahead": (0.0811, 0.0742, 0.0811, 0.1221, 0.1132),
    "com_up": (1.062, 1.066, 1.053, 1.055, 1.044),
    # pelvis: yaw and list as A cos 2 pi (phi - phase), list with its third harmonic
    "yaw": (0.0429, 0.0258, 0.1664, 0.0864, 0.171),
    "yaw_phase": (0.2, 0.11, 0.01, 0, 0),
    "list": (0.0793, 0.0636, 0.0901, 0.0753, 0.1099),
    "list_phase": (0, 0, 0, 0.06, 0.17),
    "list3": (-0.0205, -0.0282, -0.0695, -0.0626, -0.0642),
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
