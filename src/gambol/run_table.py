"""How measured runners move their legs, trunk and arms, by speed (m/s, for a leg of 0.93 m).

Swing angles at 0, 10 ... 100 % from toe-off to the own next landing, degrees: thigh from the vertical (forward +), knee
flexion, sole to the ground (toes up +). 2.65 m/s: mean of three runners (CMU motion capture 02_03, 16_36, and the
subject of the BMC running dataset in OpenSim's examples); 4.0: CMU 16_45; 6.7: one runner at a full sprint.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "COLUMNS", "ORDER", "arms_at", "first_swing", "last_swing", "lean_at", "roll_at", "swing_polynomials", "yaw_at",
]

Array = NDArray[np.float64]
COLUMNS = (2.65, 4.0, 6.7)
ORDER = 9  # of the polynomials through the keys
SLOWEST, FASTEST = 2.0, 8.0  # the table is carried on to these
_KEYS = np.radians(np.array([
    [[-17, -20, -15, -4, 11, 27, 36, 35, 29, 25, 23],
     [22, 28, 46, 69, 90, 97, 87, 62, 33, 20, 26],
     [-54, -62, -72, -78, -76, -61, -36, -9, 12, 18, 9]],
    [[-25, -34, -29, -18, -1, 19, 34, 40, 36, 29, 27],
     [18, 20, 42, 70, 96, 107, 99, 76, 43, 21, 25],
     [-58, -74, -90, -105, -105, -88, -55, -23, 4, 14, 6]],
    [[-32, -35, -29, -20, -3, 21, 44, 55, 51, 40, 29],
     [20, 42, 78, 110, 136, 144, 133, 106, 67, 37, 29],
     [-66, -92, -120, -133, -130, -101, -62, -25, 1, 8, 2]],
], float))  # fmt: skip
# The first swing from a stand, and the last one, which closes up: drawn after the others, no measurements.
_OPENING = np.radians(np.array([
    [-3, -3, 3, 12, 22, 29, 32, 31, 28, 25, 23],
    [15, 29, 50, 66, 73, 70, 60, 46, 32, 23, 25],
    [-28, -32, -34, -32, -27, -20, -12, -4, 2, 4, 4],
], float))  # fmt: skip
_CLOSING = np.radians(np.array([
    [-17, -20, -14, -4, 8, 18, 22, 20, 14, 8, 4],
    [22, 30, 48, 68, 84, 90, 82, 64, 42, 24, 14],
    [-54, -60, -62, -58, -48, -35, -22, -11, -4, 0, 0],
], float))  # fmt: skip
_X = np.linspace(0.0, 1.0, 11)
_FIT = np.linalg.pinv(np.vander(_X, ORDER + 1, increasing=True))  # keys -> coefficients, rising powers
# speed, sole at heel strike deg, heel-off share of contact, sole at toe-off deg, toes at toe-off deg
_ROLL = np.array([
    [2.0, 11, 0.38, -53, -28], [2.7, 11, 0.375, -54, -26], [3.3, 10, 0.375, -55, -24], [4.0, 9.5, 0.37, -56, -23],
    [5.0, 6, 0.32, -60, -31], [6.0, 0, 0.30, -63, -38], [6.7, -3, 0.28, -65, -40], [8.0, -5, 0.28, -66, -41],
])  # fmt: skip
_LEAN = np.array([[2.5, 7.0], [4.0, 8.0], [6.0, 11.0], [8.0, 12.5]])  # deg, CMU runners 0 to 10
_YAW = np.array([[2.5, 4.0], [4.0, 0.0], [6.7, -6.0]])  # deg, of the pelvis
_ARM = np.array([[2.0, 25.0], [2.7, 30.0], [4.0, 33.0], [6.0, 41.0], [8.0, 46.0]])  # deg, half of the swing


@lru_cache(maxsize=256)
def swing_polynomials(speed: float, lift: float = 0.0, kick: float = 0.0, clear: float = 0.0) -> Array:
    """(3, ORDER + 1) thigh, knee, sole (rad) over the swing 0..1, rising powers.

    Args:
        speed: m/s for a leg of 0.93 m.
        lift: rad added to the thigh about 0.7 of the swing.
        kick: rad added to the knee about 0.5.
        clear: rad of a bump that lifts the foot in mid-swing: twice on the knee, once on the thigh.
    """
    at = min(max(speed, SLOWEST), FASTEST)
    k = 0 if at < COLUMNS[1] else 1
    share = (at - COLUMNS[k]) / (COLUMNS[k + 1] - COLUMNS[k])
    keys = _KEYS[k] + share * (_KEYS[k + 1] - _KEYS[k])
    middle = np.sin(np.pi * _X) ** 2
    late = np.sin(np.pi * _X**1.94) ** 2  # 1 at 0.7
    keys = keys + np.stack([lift * late + clear * middle, (kick + 2 * clear) * middle + 0.6 * lift * late, 0 * _X])
    out = keys @ _FIT.T
    out.setflags(write=False)
    return np.asarray(out)


def first_swing() -> Array:
    """As :func:`swing_polynomials`, of the first step from a stand."""
    return np.asarray(_OPENING @ _FIT.T)


def last_swing() -> Array:
    """And of the foot that closes up at the end."""
    return np.asarray(_CLOSING @ _FIT.T)


def roll_at(speed: float) -> tuple[float, float, float, float]:
    """Sole at heel strike (rad), heel-off (share of contact), sole and toes at toe-off (rad)."""
    strike, off, sole, toes = (float(np.interp(speed, _ROLL[:, 0], _ROLL[:, i])) for i in range(1, 5))
    return np.radians(strike), off, np.radians(sole), np.radians(toes)


def lean_at(speed: float) -> float:
    """rad, of the trunk from the vertical."""
    return float(np.radians(np.interp(speed, *_LEAN.T)))


def yaw_at(speed: float) -> float:
    """rad, how far the landing side's hip is forward."""
    return float(np.radians(np.interp(speed, *_YAW.T)))


def arms_at(speed: float) -> float:
    """rad, half of the upper arm's swing."""
    return float(np.radians(np.interp(speed, *_ARM.T)))
