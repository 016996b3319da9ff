"""The ground under a recording, found from its feet: level, leaning a little, or uneven.

Captured floors lean and lie high or low, and every sole point has a zero of its own, so that a plane is fitted to
the planted points with one offset a sole point. Where it does not fit, the feet went over stairs or rough ground.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.feet import foot_contacts, sole_columns, sole_points, stances
from gambol.motion import Motion

__all__ = ["Anywhere", "Floor", "floor_of", "levelled"]

Array = NDArray[np.float64]
ROUNDS, NEAR, RIDGE = 6, 0.008, 0.02  # of reweighting; m at which a point counts half; keeps unseen slopes at 0
UNEVEN = 0.05  # m: supports that are farther from the plane stand on something
LEANING = 0.04  # rise over run: a floor that leans more is meant to


class Anywhere:
    """Ground that is known only where feet stand: its height is NaN everywhere, so that feet keep theirs."""

    def height(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(...)`` NaN."""
        return np.full(np.shape(xz)[:-1], np.nan)

    def normal(self, xz: ArrayLike, near_y: ArrayLike | None = None) -> Array:
        """``(..., 3)``: every foothold is level."""
        return np.broadcast_to(np.array([0.0, 1.0, 0.0]), (*np.shape(xz)[:-1], 3)).copy()

    def surface(self, low: ArrayLike, high: ArrayLike) -> tuple[Array, NDArray[np.int64]]:
        """There is nothing to draw."""
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)


@dataclass(frozen=True, eq=False)
class Floor:
    """What was found.

    Attributes:
        slope: rise over run along x and z.
        level: m at x = z = 0.
        places: ``(K, 3)`` m, where the feet stood, if no plane holds them all.
    """

    slope: tuple[float, float]
    level: float
    places: Array | None = None

    def height(self, points: ArrayLike) -> Array:
        """``(...)`` m, of the plane under points ``(..., 3)``."""
        p = np.asarray(points, float)
        return np.asarray(self.level + p[..., 0] * self.slope[0] + p[..., 2] * self.slope[1])

    def said(self) -> str:
        """In words; empty for level ground at 0."""
        if self.places is not None:
            low, high = self.places[:, 1].min(), self.places[:, 1].max()
            return f"the feet stand on {len(self.places)} places between {low:.2f} and {high:.2f} m, which are kept"
        lean, level = float(np.hypot(*self.slope)), self.level
        if lean < 1e-3 and abs(level) < 1e-3:
            return ""
        return f"the floor lay {1e3 * level:.0f} mm high and leant {np.degrees(np.arctan(lean)):.1f} degrees: levelled"


def floor_of(motion: Motion, contacts: ArrayLike) -> Floor:
    """The floor under the planted sole points.

    Args:
        motion: F frames, S soles.
        contacts: ``(F, S)`` which of them are planted.
    """
    on, points = np.asarray(contacts, bool), sole_points(motion)
    frames, soles = np.nonzero(on)
    if len(frames) < 4:
        return Floor((0.0, 0.0), 0.0)
    p = points[frames, soles]
    middle = p.mean(0)
    columns = np.column_stack([p[:, 0] - middle[0], p[:, 2] - middle[2], np.eye(on.shape[1])[soles]])
    ridge = np.diag([RIDGE * len(p)] * 2 + [1e-9] * on.shape[1])
    weights = np.ones(len(p))
    fit = np.zeros(columns.shape[1])
    for _ in range(ROUNDS):
        weighted = columns * weights[:, None]
        fit[:] = np.linalg.solve(columns.T @ weighted + ridge, weighted.T @ p[:, 1])
        weights[:] = 1 / (1 + ((p[:, 1] - columns @ fit) / NEAR) ** 2)
    seen = np.bincount(soles, minlength=on.shape[1])
    level = float((fit[2:] * seen).sum() / seen.sum())  # of all soles, each by how long it stands
    slope = (float(fit[0]), float(fit[1]))
    floor = Floor(slope, level - slope[0] * middle[0] - slope[1] * middle[2])
    supports = _supports(motion, on, points, fit[2:] - level)
    away = supports[:, 1] - floor.height(supports)
    if np.abs(away).max(initial=0.0) > UNEVEN or np.hypot(*slope) > LEANING:
        zero = np.zeros(on.shape[1])  # those of the soles were fitted to a plane that is not there
        return Floor((0.0, 0.0), 0.0, _supports(motion, on, points, zero))
    return floor


def levelled(motion: Motion, floor: Floor) -> Motion:
    """The motion with the plane of its floor at y = 0: sheared, so that no joint turns; unchanged on uneven ground."""
    if floor.places is not None:
        return motion
    fields: dict[str, Any] = {}
    for key in ("root", "com", "pressure"):
        if (value := getattr(motion, key)) is not None:
            fields[key] = value.copy()
            fields[key][..., 1] -= floor.height(value)
    if motion.translations is not None:
        fields["translations"] = motion.translations.copy()
        fields["translations"][:, 0] = fields["root"]
    return replace(motion, **fields)


def _supports(motion: Motion, on: NDArray[np.bool_], points: Array, zero: Array) -> Array:
    """``(K, 3)`` m, the middle place of every support of a foot, without the zero of each sole point."""
    out = []
    points = points - zero[:, None] * [0.0, 1.0, 0.0]
    for columns in sole_columns(motion.skeleton).values():
        for s in stances(foot_contacts(on, {"foot": columns})):
            part = slice(s.first, s.end)
            out.append(np.median(points[part][:, columns][on[part][:, columns]], axis=0))
    return np.array(out).reshape(-1, 3)
