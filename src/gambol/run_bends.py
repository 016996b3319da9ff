"""How fast the bends of a path can be run.

In a bend of radius r the ground pushes v^2 / r sideways, and the whole body leans by atan(v^2 / (g r)). Runners on
the flat take bends with up to about 0.3 g (a 200 m sprint: 0.28); before a tighter one they slow down.
"""

from __future__ import annotations

import numpy as np

from gambol.body import G
from gambol.errors import GambolError
from gambol.path import Path

__all__ = ["bend_speed", "check_bends"]

ASIDE = 0.3  # g, that runners are pushed sideways by, at most
EASY = 2.0  # m/s2, with which they slow down for a bend
OVER = 0.4  # m before and after, over which a bend is taken
LOOK = 0.2  # m between the places looked at


def bend_speed(path: Path, s: float, fastest: float) -> float:
    """m/s at ``s`` m along a path from which every bend ahead can be met; at most ``fastest``."""
    ahead = s + np.arange(-1.0, fastest**2 / (2 * EASY) + 1.0, LOOK)
    if not path.closed:
        ahead = ahead[ahead < path.length]
    if not len(ahead):
        return fastest
    squared = ASIDE * G / np.maximum(_bends(path, ahead), 1e-9) + 2 * EASY * np.maximum(ahead - s, 0.0)
    return float(min(fastest, np.sqrt(squared.min())))


def check_bends(path: Path, slowest: float) -> None:
    """Refuse a path that bends more than can be run.

    Raises:
        GambolError: naming the place, and the least radius.
    """
    s = np.arange(0.0, path.length, LOOK)
    bends, least = _bends(path, s), slowest**2 / (ASIDE * G)
    worst = int(np.argmax(bends))
    if bends[worst] > 1.02 / least:
        x, _, z = path.point(s[worst])
        raise GambolError(
            f"the path bends with a radius of {1 / bends[worst]:.2f} m {s[worst]:.2f} m along it, near x {x:.2f}, "
            f"z {z:.2f}: too tight to run", where="running", allowed=f"at least {least:.2f} m",
            do="round that bend, or walk",
        )


def _bends(path: Path, s: np.ndarray) -> np.ndarray:
    """1/m, how much the path bends about each place."""
    low = s - OVER if path.closed else np.maximum(s - OVER, 0.0)
    high = s + OVER if path.closed else np.minimum(s + OVER, path.length)
    return np.asarray(np.abs(path.heading(high) - path.heading(low)) / np.maximum(high - low, OVER))
