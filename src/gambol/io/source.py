"""What every format shares: where bytes come from, what goes along with a motion, and plain JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.skin import Skin

__all__ = ["PLAIN", "SOLES", "Extra", "Ground", "Source", "distinct", "ground_around", "soles_of", "to_json"]

SOLES = ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip")


class Ground(Protocol):
    """Ground that can be drawn."""

    def surface(self, low_xz: Any, high_xz: Any, /) -> tuple[NDArray, NDArray]:
        """Vertices ``(V, 3)`` m and triangles ``(T, 3)`` of the ground between two corners ``(2,)`` m."""
        ...


class Source(NamedTuple):
    """Where bytes come from, and what is asked of them.

    Attributes:
        name: said in errors.
        clip: the clip asked for.
        unit: m, of one unit of the file; None: as the file says, else found from the size of the figure.
        fps: frames a second; None: as the file says.
        up: the axis that is up: x, y, z, -x, -y, -z; None: as the format says, else found.
        root_added: whether a root's rest offset is added to its positions (BVH); None: found.
        keep_pose: leave in a rest pose that stands alone before or after the clip.
        folder: of the file, for formats that lie in several; None: there are no files beside it.
    """

    name: str
    clip: str | None = None
    unit: float | None = None
    fps: float | None = None
    up: str | None = None
    root_added: bool | None = None
    keep_pose: bool = False
    folder: Path | None = None

    def beside(self, name: str) -> bytes:
        """The bytes of another file that this one names, in its folder or below it.

        Raises:
            GambolError: for a file that is elsewhere, missing, or not a plain file.
        """
        where = f"{self.name}, which names {name[:80]!r}"
        if self.folder is None:
            raise GambolError("there is no file beside it", where=where, do="give a file that holds all its parts")
        folder = self.folder.resolve()
        try:
            target = (folder / name).resolve()
            if not target.is_relative_to(folder):
                raise GambolError("it is outside of the folder", where=where, allowed="files in or below the folder")
            if not target.is_file():
                raise GambolError("there is no such file", where=where, do="put it there")
            return target.read_bytes()
        except (OSError, ValueError) as error:
            if isinstance(error, GambolError):
                raise
            raise GambolError(f"it cannot be read: {error}", where=where, do="check its name and rights") from error


class Extra(NamedTuple):
    """What goes into a file beside the motion: a skin for the figure (by default the one it wears), and the ground."""

    mesh: bool = True
    terrain: Ground | None = None
    skin: Skin | None = None


PLAIN = Extra()


def distinct(names: Iterable[str], empty: str = "unnamed") -> list[str]:
    """Names that differ: one that was there before gets a number, one without letters is called ``empty``."""
    out: list[str] = []
    taken: dict[str, int] = {}
    for name in names:
        name = free = name or empty
        while free in taken:
            taken[name] += 1
            free = f"{name}_{taken[name]}"
        taken[free] = 1
        out.append(free)
    return out


MARGIN = 3.0  # m of ground around the way walked


def ground_around(terrain: Ground, root: NDArray) -> tuple[NDArray, NDArray]:
    """Vertices ``(V, 3)`` m and triangles ``(T, 3)`` of the ground around the way ``(F, 3)`` of a root."""
    way = root[:, [0, 2]]
    return terrain.surface(way.min(0) - MARGIN, way.max(0) + MARGIN)


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
