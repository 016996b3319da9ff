"""What every format shares: where bytes come from, what goes along with a motion, and plain JSON."""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["PLAIN", "SOLES", "Extra", "Ground", "Source", "soles_of", "to_json"]

SOLES = ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip")


class Ground(Protocol):
    """Ground that can be drawn."""

    def surface(self, low_xz: Any, high_xz: Any, /) -> tuple[NDArray, NDArray]:
        """Vertices ``(V, 3)`` m and triangles ``(T, 3)`` of the ground between two corners ``(2,)`` m."""
        ...


class Source(NamedTuple):
    """Where bytes come from: ``name`` is said in errors, ``clip`` is the clip asked for."""

    name: str
    clip: str | None = None


class Extra(NamedTuple):
    """What goes into a file beside the motion: a skin for the figure, and the ground."""

    mesh: bool = True
    terrain: Ground | None = None


PLAIN = Extra()


def soles_of(names: tuple[str, ...]) -> tuple[int, ...]:
    """Indices of the sole joints among ``names``, in the order left heel, left tip, right heel, right tip."""
    return tuple(names.index(n) for n in SOLES if n in names)


def to_json(value: Any) -> str:
    """``value`` as JSON: arrays as lists, numbers that are not finite as null, keys in the order given."""
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
