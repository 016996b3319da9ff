"""What comes out of a file, checked before it is handed on: any bytes give a sound motion or one clear error."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from gambol.errors import GambolError
from gambol.io.source import Source
from gambol.motion import Motion

__all__ = ["decoded", "sound"]

FAR = 1e7  # m; farther away is no place but a torn number
HEAVY = 1e9  # kg
RATES = (1e-6, 1e6)  # frames a second
ANEW = "export or copy it anew"
LONGEST = 1e5  # m of a path that travels with a clip
Out = TypeVar("Out")


def decoded(decode: Callable[[bytes, Source], Out], data: bytes, source: Source) -> Out:
    """What ``decode`` makes of bytes from anywhere.

    Raises:
        GambolError: whatever is wrong with them.
    """
    try:
        with np.errstate(all="ignore"):  # torn numbers overflow; they are refused afterwards
            return decode(data, source)
    except GambolError as error:
        where, do = error.where or source.name, error.do or ANEW
        raise GambolError(error.what, where=where, allowed=error.allowed, do=do) from error
    except MemoryError as error:
        raise GambolError("it asks for more memory than there is", where=source.name, do=ANEW) from error
    except Exception as error:  # the one border where any kind means the same: these bytes are not what they claim
        what = f"its parts do not fit together: {type(error).__name__}: {str(error)[:100]}"
        whole = "a whole file of the kind its suffix says"
        raise GambolError(what, where=source.name, allowed=whole, do=ANEW) from error


def sound(motion: Motion, source: Source) -> Motion:
    """The motion, with facts of an unusable form left out and noted.

    Raises:
        GambolError: for numbers that no motion has.
    """
    with np.errstate(all="ignore"):
        limits = _limits(motion)
    for name, fine, allowed in limits:
        if not fine:
            raise GambolError(f"{name} cannot be", where=source.name, allowed=allowed, do=ANEW)
    info = {k: v for k, v in motion.info.items() if k not in FORMS or FORMS[k](v)}
    left_out = [k for k in motion.info if k not in info]
    if not left_out:
        return motion
    note = f"what the file says of {', '.join(left_out)} is not in the form it should have, and is left out"
    return replace(motion, info={**info, "notes": [*info.get("notes", []), note]})


def _limits(motion: Motion) -> list[tuple[str, bool, str]]:
    """(what, whether it is sound, what is allowed) of every number that is used later."""
    rotations = np.sqrt(np.einsum("...i,...i->...", motion.rotations, motion.rotations))
    places = {"offsets": motion.skeleton.offsets, "root": motion.root}
    places |= {k: v for k in ("translations", "com") if (v := getattr(motion, k)) is not None}
    out = [(k, bool((np.abs(v) <= FAR).all()), f"numbers within {FAR:g} m") for k, v in places.items()]
    for key in ("forces", "pressure"):
        if (value := getattr(motion, key)) is not None:  # pressure is NaN while a foot is unloaded
            out.append((key, not (np.abs(value) > FAR).any(), f"numbers below {FAR:g}"))
    soles, mass = motion.skeleton.soles, motion.mass
    joints = len(set(soles)) == len(soles) and all(0 <= s < len(motion.skeleton) for s in soles)
    return [
        *out,
        ("rotations", bool((np.abs(rotations - 1.0) < 1e-3).all()), "unit quaternions, w first"),
        ("fps", RATES[0] <= motion.fps <= RATES[1], f"{RATES[0]:g} to {RATES[1]:g}"),
        ("mass", mass is None or 0 < mass <= HEAVY, "kg, more than 0"),
        ("soles", joints, "joints, each once"),
    ]


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _events(value: Any) -> bool:
    """Lists of times under names."""
    return isinstance(value, dict) and all(isinstance(v, list) and all(map(_number, v)) for v in value.values())


def _path(value: Any) -> bool:
    """Rows of x, y, z within reach of each other."""
    try:
        rows = np.array(value, float)
    except (TypeError, ValueError, OverflowError):
        return False
    if rows.ndim != 2 or rows.shape[1] != 3 or not (np.abs(rows) <= FAR).all():
        return False
    return float(np.linalg.norm(np.diff(rows, axis=0), axis=1).sum()) <= LONGEST


def _plan(value: Any) -> bool:
    """Step objects."""
    keys = ("T", "w_prev", "h_prev", "w", "h", "alpha_deg")
    return isinstance(value, list) and all(
        isinstance(s, dict) and all(_number(s.get(k)) for k in keys) and {"M", "mode"} <= s.keys() for s in value
    )


def _loop(value: Any) -> bool:
    """Period, travel and speed of a closed stride."""
    rows = ("travel_m", "velocity_m_s", "start_m")
    if not isinstance(value, dict) or not _number(value.get("period_s")) or not isinstance(value.get("in_place"), bool):
        return False
    fine = (isinstance(v := value.get(k), list) and len(v) == 3 and all(map(_number, v)) for k in rows)
    return all(fine) and 0 < value["period_s"] <= FAR and all(abs(x) <= FAR for k in rows for x in value[k])


FORMS: dict[str, Callable[[Any], bool]] = {
    "events": _events, "loop": _loop, "path": _path, "plan": _plan, "ground": lambda v: isinstance(v, str),
    "notes": lambda v: isinstance(v, list) and all(isinstance(n, str) for n in v),
    **dict.fromkeys(("speed_m_s", "step_length_m", "cadence_steps_min", "height_m", "mass_kg"), _number),
}
