"""How a level walk looks at six speeds: force ratios, foot roll, swing, pelvis and trunk.

Each row belongs to one dimensionless speed v / sqrt(g leg). The force ratios follow the vertical and fore-aft
force curves, the rest the joint angle curves, of the five speed classes of Schwartz, Rozumalski and Trost (2008),
*The effect of walking speed on the gait of typically developing children*, fitted with this program's own figure; the first row, slower than any
of them, continues their trend.
Between rows the values follow a monotone cubic (Fritsch and Carlson 1980); outside they are held.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["PAPER", "SPEEDS", "TABLE", "row_at"]

Array = NDArray[np.float64]
SPEEDS = (0.08, 0.166, 0.282, 0.398, 0.513, 0.696)

# Shares are of the stride, angles rad, lengths of the step (x_*), of the leg (y_*, com_up).
TABLE: Mapping[str, tuple[float, ...]] = {
    # force: double support / step time, coefficient ratios of 6a and 6b, s_x in body weights
    "double": (0.345, 0.2944, 0.2369, 0.2009, 0.1739, 0.1524),
    "ay2": (-0.02, -0.0209, -0.0323, -0.0023, 0.0513, 0.0713),
    "ay3": (0.05, 0.1544, 0.2401, 0.3507, 0.4616, 0.5217),
    "sx": (0.0525, 0.07, 0.093, 0.131, 0.152, 0.154),
    "ax2": (0.23, 0.23, 0.4, 0.46, 0.55, 0.63),
    "ax3": (-0.02, -0.02, 0.05, 0.08, 0.12, 0.13),
    # foot on the ground (roll.py)
    "strike": (0.1384, 0.1846, 0.2196, 0.2038, 0.2101, 0.2752),
    "flat": (0.0865, 0.0865, 0.0862, 0.0787, 0.0704, 0.0733),
    "soft": (1.483, 1.483, 1.423, 0.795, 0.6016, 0.9707),
    "heel_off": (0.3742, 0.3742, 0.3549, 0.3241, 0.237, 0.2187),
    "push": (0.457, 0.5376, 0.7726, 0.8692, 0.964, 1.085),
    "p": (4.037, 4.037, 3.382, 2.521, 4.02, 3.778),
    "e": (-0.8381, -0.8381, -0.1464, -0.8396, -0.3747, 1.057),
    "b": (0.7017, 0.7017, 0.6979, 0.4702, 0.569, 0.5546),
    "toes_off": (0.5769, 0.5769, 0.5622, 0.5406, 0.512, 0.4786),
    "toes": (0.1405, 0.1405, 0.1572, 0.1541, 0.2876, 0.5686),
    # swing (swing.py): bumps of the ankle forward and up, and of the sole pitch
    "x0": (-0.0736, -0.0736, -0.0362, -0.0645, -0.0596, -0.047),
    "x1": (0.1734, 0.1734, 0.0845, 0.0325, -0.0047, -0.0471),
    "y0": (-0.0525, -0.0525, -0.0746, -0.0463, -0.0515, -0.0692),
    "y1": (-0.039, -0.039, -0.0451, -0.1031, -0.1016, -0.0858),
    "y2": (0.0775, 0.0775, 0.1609, 0.1797, 0.141, 0.1342),
    "t0": (0.2137, 0.2137, 0.3452, 0.3028, 0.2232, 0.0535),
    "t1": (-0.5124, -0.5124, -0.7862, -1.04, -1.275, -1.305),
    "t2": (-0.3504, -0.3504, -0.5492, -0.2541, -0.5677, -1.005),
    # centre of mass: ahead of the middle between the feet (steps), mean height (legs)
    "com_ahead": (0.0848, 0.0848, 0.0805, 0.0892, 0.1079, 0.1148),
    "com_up": (1.066, 1.066, 1.058, 1.056, 1.072, 1.064),
    # pelvis: yaw and list as A cos 2 pi (phi - phase), list with its third harmonic
    "yaw": (0.036, 0.045, 0.055, 0.075, 0.100, 0.150),
    "yaw_phase": (0.10, 0.10, 0.06, 0.02, 0.0, 0.0),
    "list": (0.04, 0.050, 0.055, 0.065, 0.075, 0.085),
    "list_phase": (0.08, 0.08, 0.08, 0.09, 0.11, 0.15),
    "list3": (-0.008, -0.010, -0.012, -0.016, -0.020, -0.022),
    "list3_phase": (-0.2, -0.2, -0.08, -0.07, -0.1, -0.13),
}

# The paper's fixed coefficients (eqs 7 to 9, T_ds = T/4) with the posture tuned at 100 steps/min and 0.70 m.
PAPER: Mapping[str, float] = {
    "double": 0.25, "ay2": 0.1 / 1.3, "ay3": 0.4 / 1.3, "sx": 0.144, "ax2": 0.5, "ax3": 0.25,
    "strike": 0.2494, "flat": 0.0611, "soft": 1.214, "heel_off": 0.1553, "push": 1.204, "p": 4.668,
    "e": -0.8894, "b": 0.694, "toes_off": 0.519,
    "toes": 0.8165, "x0": -0.0047, "x1": 0.1357, "y0": -0.0467, "y1": -0.0209, "y2": 0.3351,
    "t0": 0.4861, "t1": -1.564, "t2": 0.3188, "com_ahead": 0.113, "com_up": 1.052, "yaw": 0.0822, "yaw_phase": 0,
    "list": 0.108, "list_phase": 0.11, "list3": -0.0697, "list3_phase": -0.07,
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
        3
        * (h[:-1] + h[1:])
        / ((2 * h[1:] + h[:-1]) / _safe(slope[:, :-1]) + (h[1:] + 2 * h[:-1]) / _safe(slope[:, 1:])),
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
