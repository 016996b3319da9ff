"""How a level walk looks at six speeds: force ratios, foot roll, swing, pelvis and trunk.

Each row belongs to one dimensionless speed v / sqrt(g leg). The force ratios follow the vertical and fore-aft
force curves, the rest the joint angle curves, of the five speed classes of Schwartz, Rozumalski and Trost (2008),
*The effect of walking speed on the gait of typically developing children*, fitted with this program's own figure
(bench/fit_table.py); the first row, slower than any of them, continues their trend.
Between rows the values follow a monotone cubic (Fritsch and Carlson 1980); outside they are held.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MODES", "PAPER", "PAPER_Z", "SPEEDS", "TABLE", "Row", "row_at"]

Array = NDArray[np.float64]
SPEEDS = (0.08, 0.166, 0.282, 0.398, 0.513, 0.696)

# Shares are of the stride, angles rad, lengths of the step (x_*), of the leg (y_*, com_up).
TABLE: Mapping[str, tuple[float, ...]] = {
    # force: double support / step time, coefficient ratios of 6a and 6b, s_x in body weights
    "double": (0.345, 0.3002, 0.2509, 0.2086, 0.1824, 0.1546),
    "ay2": (-0.02, -0.0236, -0.044, -0.0105, 0.0581, 0.0729),
    "ay3": (0.05, 0.1442, 0.2282, 0.3488, 0.4454, 0.5309),
    "sx": (0.0525, 0.07, 0.093, 0.131, 0.152, 0.154),
    "ax2": (0.23, 0.23, 0.4, 0.46, 0.55, 0.63),
    "ax3": (-0.02, -0.02, 0.05, 0.08, 0.12, 0.13),
    # foot on the ground (roll.py)
    "strike": (0.1384, 0.1525, 0.195, 0.2769, 0.2767, 0.3066),
    "flat": (0.0865, 0.0654, 0.0822, 0.0994, 0.0694, 0.0744),
    "soft": (1.483, 1.5241, 0.6066, 0.6111, 0.9157, 1.036),
    "heel_off": (0.3742, 0.378, 0.3659, 0.3447, 0.2853, 0.2373),
    "push": (0.457, 0.5541, 0.7923, 0.866, 0.9745, 1.0775),
    "p": (4.037, 4.0876, 3.4003, 2.5415, 3.4954, 3.2688),
    "e": (-0.8381, -0.9852, 0.2422, -0.8827, -0.3392, 1.1432),
    "b": (0.7017, 0.7212, 0.4865, 0.4039, 0.4748, 0.5142),
    "toes_off": (0.5769, 0.5886, 0.5739, 0.5726, 0.5275, 0.4801),
    "toes": (0.1405, 0.0761, 0.152, 0.0981, 0.2563, 0.6107),
    # swing (swing.py): bumps of the ankle forward and up, and of the sole pitch
    "x0": (-0.0736, -0.1015, -0.0305, -0.0404, -0.0227, -0.0413),
    "x1": (0.1734, -0.0338, 0.0086, 0.0627, 0.0446, -0.0879),
    "y0": (-0.0525, -0.0596, -0.0743, -0.0613, -0.0518, -0.0703),
    "y1": (-0.039, -0.0326, -0.029, -0.0359, -0.021, -0.0723),
    "y2": (0.0775, 0.0171, 0.0639, 0.185, 0.1541, 0.1236),
    "t0": (0.2137, 0.1783, 0.3371, 0.3771, 0.3283, -0.0258),
    "t1": (-0.5124, -0.6285, -1.2112, -1.4203, -1.7677, -1.3805),
    "t2": (-0.3504, -0.2069, -0.2178, -0.2364, -0.1711, -1.2632),
    # centre of mass: ahead of the middle between the feet (steps), mean height (legs)
    "com_ahead": (0.0848, 0.0354, 0.0377, 0.0443, 0.0734, 0.1026),
    "com_up": (1.066, 1.0572, 1.0529, 1.0467, 1.0421, 1.0384),
    # pelvis: yaw and list as A cos 2 pi (phi - phase), list with its third harmonic. Those of the measured curves,
    # but larger at the two fastest, where the rows above were fitted so (measured: list 0.072 and 0.089, yaw 0.122)
    "yaw": (0.075, 0.08, 0.063, 0.075, 0.1025, 0.15),
    "yaw_phase": (0.18, 0.176, 0.126, 0.081, 0.058, 0.023),
    "list": (0.028, 0.035, 0.037, 0.049, 0.088, 0.12),
    "list_phase": (0.03, 0.048, 0.11, 0.136, 0.15, 0.17),
    "list3": (-0.005, -0.009, -0.017, -0.021, -0.038, -0.065),
    "list3_phase": (0.01, 0.008, -0.028, -0.029, -0.005, -0.08),
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


# What the vertical walking mode changes (section 1.8 of the paper): f_v of eq. 8 [printed], and on stairs, where the
# whole sole lands at once, the strike angle and the push-off (rad; share of the stride), for all speeds.
# Of the forces forward and inward the paper leaves other ground than the level to the future. Here "sx" is times s_x,
# "az2" and "az3" are a_zk of eq. 9 for a_z1 = 0.07:
#   level: printed. style_fit finds 0.00 and +0.025 in four published records (Fukuchi et al. 2018, subject 4 at two
#     speeds; OpenSim subject 01; BMC gait.c3d), but these carry C farther off a curved path than the printed ones
#   down: such that a steady descent has the coefficients that style_fit finds in four steps down an instrumented
#     staircase, 0.195 m by 0.235 m (pyCGM sample data): 0.075 weights forward, a_z2 = 0, a_z3 = 0.039
#   up: no record of climbing with these forces is at hand: as on the level
# Slopes walk as the level does; none is published in a form that can be used here.
# The preset "paper" keeps what is printed everywhere.
MODES: Mapping[str, Mapping[str, float]] = {
    "level": {"f_v": 0.1, "sx": 1.0, "az2": -0.03, "az3": -0.03},
    "up": {
        "f_v": 0.0, "strike": 0.0, "push": 0.75, "toes": 0.2, "heel_off": 0.22, "sx": 1.0, "az2": -0.03, "az3": -0.03,
    },
    "down": {
        "f_v": 0.25, "strike": 0.0, "push": 0.62, "toes": 0.05, "heel_off": 0.18, "sx": 1.5, "az2": 0.0, "az3": 0.039,
    },
}
PAPER_Z = (0.07, -0.03, -0.03)  # a_zk of eq. 9


class Row(NamedTuple):
    """One row of :data:`TABLE`, as the kernels read it."""

    double: float
    ay2: float
    ay3: float
    sx: float
    ax2: float
    ax3: float
    strike: float
    flat: float
    soft: float
    heel_off: float
    push: float
    p: float
    e: float
    b: float
    toes_off: float
    toes: float
    x0: float
    x1: float
    y0: float
    y1: float
    y2: float
    t0: float
    t1: float
    t2: float
    com_ahead: float
    com_up: float
    yaw: float
    yaw_phase: float
    list: float
    list_phase: float
    list3: float
    list3_phase: float


@lru_cache(maxsize=256)
def row_at(v_hat: float) -> dict[str, float]:
    """All values of :data:`TABLE` at a dimensionless speed."""
    values = _interpolate(np.array(list(TABLE.values())), float(np.clip(v_hat, SPEEDS[0], SPEEDS[-1])))
    return dict(zip(TABLE, map(float, values)))


def _interpolate(rows: Array, x: float) -> Array:
    """Monotone cubic through ``rows`` (P, 6) at :data:`SPEEDS`."""
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
