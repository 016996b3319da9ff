"""How far joints turn: ranges of the components of a joint's rotation vector, from a table with its sources."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.skeleton import Skeleton, readonly

__all__ = ["Limits", "clamp_turns", "joint_limits", "limit_kinds", "no_limits"]

Array = NDArray[np.float64]
SIDES = (("left_", 1.0), ("right_", -1.0))


class Limits(NamedTuple):
    """``(J, 3)`` rad each: least, most, and the bend a joint takes first (elbows and knees), of rotation vectors."""

    low: Array
    high: Array
    bend: Array


def no_limits(skeleton: Skeleton) -> Limits:
    """Every joint turns freely, up to half a turn."""
    full = np.full((len(skeleton), 3), np.pi)
    return Limits(readonly(-full), readonly(full), readonly(np.zeros_like(full)))


def limit_kinds() -> list[str]:
    """The kinds of body the table knows."""
    return [k for k in _table() if k != "sources"]


@lru_cache(maxsize=64)
def joint_limits(skeleton: Skeleton, kind: str) -> Limits:
    """The ranges of a skeleton's joints, found by name; joints that the table does not know turn freely.

    Args:
        skeleton: of the usual names; a ``right_`` joint mirrors the row of the left one.
        kind: person, dog, ...; one without a table gives :func:`no_limits`.
    """
    rows = _table().get(kind, {})
    free = no_limits(skeleton)
    low, high, bend = np.array(free.low), np.array(free.high), np.array(free.bend)
    for j, name in enumerate(skeleton.names):
        plain, sign = name, 1.0
        for prefix, s in SIDES:
            if name.startswith(prefix):
                plain, sign = name[len(prefix):], s
        plain = plain if plain in rows else plain.rstrip("0123456789_")
        if plain in rows and j > 0:
            low[j], high[j], bend[j] = _row(rows[plain], sign)
    return Limits(readonly(low), readonly(high), readonly(bend))


def clamp_turns(turns: Array, limits: Limits) -> Array:
    """Rotation vectors ``(..., J, 3)`` inside the ranges."""
    out: Array = np.clip(turns, limits.low, limits.high)
    return out


def _row(row: Mapping[str, Any], sign: float) -> tuple[Array, Array, Array]:
    """Least, most and first bend (3,) rad; a mirrored joint turns the other way about y and z."""
    ranges = np.radians([row.get(axis, (0.0, 0.0)) for axis in "xyz"])
    bend = np.radians([row.get("bend", {}).get(axis, 0.0) for axis in "xyz"])
    if sign < 0:
        ranges[1:] = -ranges[1:, ::-1]
        bend[1:] *= -1
    return ranges[:, 0], ranges[:, 1], bend


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    text = files("gambol").joinpath("data/joint_limits.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    for kind, rows in table.items():
        for joint, row in rows.items() if kind != "sources" else ():
            for axis in "xyz":
                least, most = row.get(axis, (0, 0))
                if not least <= most:
                    raise GambolError(f"{kind} {joint} {axis}: {least} to {most}", where="joint_limits.json")
    return table
