"""What the plain files hold, whatever their spelling: the names and shapes of docs/conventions.md, both ways.

``names (J,) str``, ``parents (J,) int``, ``offsets (J, 3)`` m, ``soles (S,) int``, ``root (F, 3)`` m,
``rotations (F, J, 4)`` w first, ``fps``, and where known ``contacts (F, S)``, ``forces (F, feet, 3)`` N,
``pressure (F, feet, 3)`` m, ``com (F, 3)`` m, ``translations (F, J, 3)`` m, ``mass`` kg, ``cyclic``,
``name``, and ``info``, a JSON text. Numbers come back bit for bit.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.io.source import to_json
from gambol.motion import Motion
from gambol.skeleton import Skeleton

__all__ = ["NEEDED", "OPTIONAL", "entries_of", "motion_of"]

NEEDED = ("names", "parents", "offsets", "root", "rotations", "fps")
OPTIONAL = ("contacts", "forces", "pressure", "com", "translations")
NUMBERS = (*NEEDED[1:], *OPTIONAL, "soles", "mass", "cyclic")


def entries_of(motion: Motion) -> dict[str, Any]:
    """Arrays by name; what is not known is left out."""
    skeleton = motion.skeleton
    entries: dict[str, Any] = {
        "names": np.array(skeleton.names, dtype=np.str_), "parents": skeleton.parents,
        "offsets": skeleton.offsets, "soles": np.array(skeleton.soles, np.int64),
        "root": motion.root, "rotations": motion.rotations, "fps": np.float64(motion.fps),
        **{key: getattr(motion, key) for key in OPTIONAL},
        "mass": None if motion.mass is None else np.float64(motion.mass), "cyclic": np.bool_(motion.cyclic),
        "name": np.array(motion.name, dtype=np.str_), "info": np.array(to_json(motion.info), dtype=np.str_),
    }
    return {key: value for key, value in entries.items() if value is not None}


def motion_of(entries: dict[str, NDArray], where: str) -> Motion:
    """A motion from arrays by name.

    Raises:
        GambolError: an entry missing, or shapes that disagree.
    """
    missing = [k for k in NEEDED if k not in entries]
    if missing:
        raise GambolError(
            f"no entry {', '.join(missing)}", where=where, allowed=f"needed: {', '.join(NEEDED)}"
        )
    odd = [k for k in entries if (k in NUMBERS and entries[k].dtype.kind not in "biuf")]
    if odd:
        what = f"an entry does not hold what it should: no numbers in {', '.join(odd)}"
        raise GambolError(what, where=where, allowed="real numbers")
    try:
        with np.errstate(invalid="ignore"):  # what is no whole number is refused by its range
            return _motion(entries)
    except GambolError as error:
        raise GambolError(error.what, where=f"{where}, {error.where}", allowed=error.allowed) from error
    except (TypeError, ValueError, OverflowError) as error:
        raise GambolError(f"an entry does not hold what it should: {error}", where=where) from error


def _motion(entries: dict[str, NDArray]) -> Motion:
    skeleton = Skeleton(
        tuple(str(n) for n in np.atleast_1d(entries["names"])), entries["parents"], entries["offsets"],
        tuple(int(i) for i in np.atleast_1d(entries.get("soles", ()))),
    )
    if any(not 0 <= s < len(skeleton) for s in skeleton.soles):
        raise GambolError("a sole is not a joint", where="soles", allowed=f"0 to {len(skeleton) - 1}")
    info = json.loads(str(entries["info"])) if "info" in entries else {}
    return Motion(
        skeleton, entries["root"], entries["rotations"], float(entries["fps"]),
        **{key: entries.get(key) for key in OPTIONAL},
        mass=float(entries["mass"]) if "mass" in entries else None,
        cyclic=bool(entries.get("cyclic", False)), name=str(entries.get("name", "")),
        info=info if isinstance(info, dict) else {},
    )
