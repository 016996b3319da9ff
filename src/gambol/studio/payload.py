"""Numbers on the wire: a header of JSON, then arrays as a browser takes them (docs/studio_protocol.md)."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.facts import jsonable

__all__ = ["packed", "unpacked"]

TYPES = {"f": ("f4", "<f4"), "i": ("u4", "<u4"), "u": ("u4", "<u4"), "b": ("u1", "u1")}  # kind of an array -> how
ALIGNED = 8


def packed(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """One message: floats as f4, whole numbers as u4, truths as u1."""
    table, chunks, offset = {}, [], 0
    for name, array in arrays.items():
        kind, wire = TYPES[np.asarray(array).dtype.kind]
        data = np.ascontiguousarray(array, wire).tobytes()
        table[name] = {"type": kind, "shape": list(np.shape(array)), "offset": offset}
        data += b"\0" * (-len(data) % 4)
        chunks.append(data)
        offset += len(data)
    head = json.dumps(jsonable({**header, "arrays": table}), allow_nan=False, separators=(",", ":")).encode()
    head += b" " * (-(4 + len(head)) % ALIGNED)
    return b"".join([struct.pack("<I", len(head)), head, *chunks])


def unpacked(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header and arrays of a message.

    Raises:
        GambolError: for bytes that are none.
    """
    try:
        (length,) = struct.unpack_from("<I", data)
        header = json.loads(data[4 : 4 + length])
        start, out = 4 + length, {}
        for name, row in header["arrays"].items():
            count = int(np.prod(row["shape"]))
            array = np.frombuffer(data, f"<{row['type']}", count, start + row["offset"])
            out[name] = array.reshape(row["shape"])
    except (struct.error, ValueError, KeyError, TypeError) as error:
        raise GambolError(f"no message of the studio ({error})", where="message") from None
    return header, out
