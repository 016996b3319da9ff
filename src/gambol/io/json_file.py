"""The plain file as JSON: the entries of :mod:`gambol.io.plain` under their names, arrays as nested lists.

Numbers are written with the shortest digits that give them back; null stands for NaN.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.io.plain import OPTIONAL, entries_of, motion_of
from gambol.io.source import PLAIN, Extra, Source, to_json
from gambol.motion import Motion

__all__ = ["decode", "encode"]

KIND = "gambol motion"


def encode(motion: Motion, extra: Extra = PLAIN) -> bytes:
    """The bytes of a .json."""
    entries = {**entries_of(motion), "info": motion.info}
    rows = [f"{json.dumps(key)}:{to_json(value)}" for key, value in entries.items()]
    return ("{" + ",\n".join([f'"kind":"{KIND}"', *rows]) + "}\n").encode()


def decode(data: bytes, source: Source) -> Motion:
    """A motion from the bytes of a .json.

    Raises:
        GambolError: no JSON, another kind of it, or entries that do not fit together.
    """
    try:
        table = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise GambolError(f"not JSON: {error}", where=source.name, allowed="a motion as JSON") from error
    if not isinstance(table, dict) or table.get("kind") != KIND:
        raise GambolError("it is not a motion", where=source.name, allowed=f'JSON with "kind": "{KIND}"')
    entries = {key: _array(key, value, source.name) for key, value in table.items() if key != "kind"}
    if "root" in entries and not entries["root"].size:  # lists of no frames do not say how wide one is
        joints = len(np.atleast_1d(entries.get("names", np.array([]))))
        entries = {k: v for k, v in entries.items() if k not in OPTIONAL}
        entries |= {"root": np.zeros((0, 3)), "rotations": np.zeros((0, joints, 4))}
    return motion_of(entries, source.name)


def _array(key: str, value: Any, where: str) -> NDArray:
    if key == "info":
        return np.array(to_json(value))
    try:
        out = np.array(value)
        if out.dtype.kind == "O":  # null among numbers
            out = out.astype(float)
    except (TypeError, ValueError) as error:
        raise GambolError(f"{key} is no table of numbers or names", where=where) from error
    return out.astype(bool) if key == "contacts" and out.dtype.kind in "bif" else out
