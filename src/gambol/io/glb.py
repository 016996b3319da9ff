"""The binary glTF container: JSON and one buffer; typed arrays in, typed arrays out."""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.io.source import to_json

__all__ = ["Buffer", "pack", "read_accessor", "unpack"]

MAGIC, VERSION, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 2, 0x4E4F534A, 0x004E4942
COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
CODES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
SHAPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
VERTICES, INDICES = 34962, 34963  # what a bufferView is for
LARGEST = 1 << 28  # numbers in one array; a file that claims more is torn or hostile


@dataclass
class Buffer:
    """Arrays put one behind the other, each at a multiple of four bytes, with the JSON that finds them."""

    chunks: list[bytes] = field(default_factory=list)
    views: list[dict[str, Any]] = field(default_factory=list)
    accessors: list[dict[str, Any]] = field(default_factory=list)
    length: int = 0

    def add(self, values: NDArray, target: int | None = None, limits: bool = False) -> int:
        """Append ``values`` ``(N,)`` or ``(N, width)`` of a glTF number type and give the accessor's index.

        Args:
            values: u1, u2, u4 or f4; vertex attributes need rows of a multiple of four bytes.
            target: VERTICES or INDICES for meshes.
            limits: write the smallest and largest values, which times and positions need.
        """
        values = np.ascontiguousarray(values)
        data = values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
        view = {"buffer": 0, "byteOffset": self.length, "byteLength": len(data)}
        if target is not None:
            view["target"] = target
        width = 1 if values.ndim == 1 else values.shape[1]
        accessor = {
            "bufferView": len(self.views), "componentType": CODES[values.dtype.str.lstrip("<>|=")],
            "count": len(values), "type": SHAPES[width],
        }
        if limits:
            rows = values.reshape(-1, width)
            accessor["min"], accessor["max"] = rows.min(0).tolist(), rows.max(0).tolist()
        self.views.append(view)
        self.accessors.append(accessor)
        padded = data + b"\0" * (-len(data) % 4)
        self.chunks.append(padded)
        self.length += len(padded)
        return len(self.accessors) - 1


def pack(document: dict[str, Any], buffer: Buffer) -> bytes:
    """A .glb of a document and the arrays it points into."""
    document = {**document, "accessors": buffer.accessors, "bufferViews": buffer.views}
    document["buffers"] = [{"byteLength": buffer.length}]
    text = to_json(document).encode()
    text += b" " * (-len(text) % 4)
    body = [struct.pack("<II", len(text), JSON_CHUNK), text, struct.pack("<II", buffer.length, BINARY_CHUNK)]
    total = 12 + sum(map(len, body)) + buffer.length
    return b"".join([struct.pack("<III", MAGIC, VERSION, total), *body, *buffer.chunks])


def unpack(data: bytes, where: str) -> tuple[dict[str, Any], bytes]:
    """The document and the buffer of a .glb, or of a .gltf with its buffer inside.

    Raises:
        GambolError: not glTF 2, cut off, or with a buffer in another file.
    """
    binary: bytes | None = None
    text = data
    if data[:4] == b"glTF":
        text, binary = _chunks(data, where)
    try:
        document = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise GambolError(f"not glTF: {error}", where=where) from error
    asset = document.get("asset") if isinstance(document, dict) else None
    if not isinstance(asset, dict) or not str(asset.get("version", "")).startswith("2"):
        raise GambolError("not glTF 2", where=where, do="export it anew as glTF 2.0")
    buffers = document.get("buffers", [])
    if len(buffers) > 1:
        raise GambolError(f"{len(buffers)} buffers", where=where, do="save it as .glb, which has one")
    if buffers and "uri" in buffers[0]:
        head, comma, payload = buffers[0]["uri"].partition(",")
        if not (head.startswith("data:") and head.endswith(";base64") and comma):
            raise GambolError("its buffer is in another file", where=where, do="save it as .glb")
        binary = base64.b64decode(payload)
    return document, binary or b""


def _chunks(data: bytes, where: str) -> tuple[bytes, bytes | None]:
    if len(data) < 20:
        raise GambolError("the file is cut off", where=where)
    version, total = struct.unpack_from("<II", data, 4)
    if version != VERSION or total > len(data):
        what = f"glTF version {version}" if version != VERSION else f"{len(data)} bytes of {total}: cut off"
        raise GambolError(what, where=where, allowed="a whole .glb of version 2")
    found: dict[int, bytes] = {}
    at = 12
    while at + 8 <= total:
        length, kind = struct.unpack_from("<II", data, at)
        if at + 8 + length > total:
            raise GambolError("a chunk reaches beyond the file", where=where)
        found.setdefault(kind, data[at + 8 : at + 8 + length])
        at += 8 + length
    if JSON_CHUNK not in found:
        raise GambolError("no JSON chunk", where=where)
    return found[JSON_CHUNK], found.get(BINARY_CHUNK)


def read_accessor(document: dict[str, Any], binary: bytes, index: int) -> NDArray[np.float64]:
    """The numbers of an accessor, ``(N,)`` or ``(N, width)``; normalised integers as fractions.

    Raises:
        GambolError: sparse, or pointing outside the buffer.
    """
    accessor = document["accessors"][index]
    where = f"accessor {index}"
    if "sparse" in accessor or "bufferView" not in accessor:
        raise GambolError("sparse arrays are not read", where=where)
    view, width = document["bufferViews"][accessor["bufferView"]], WIDTHS[accessor["type"]]
    kind, count = np.dtype(COMPONENTS[accessor["componentType"]]), int(accessor["count"])
    stride = int(view.get("byteStride", kind.itemsize * width))
    start = int(view.get("byteOffset", 0)) + int(accessor.get("byteOffset", 0))
    last = start + stride * max(count - 1, 0) + kind.itemsize * width
    inside = start >= 0 and stride > 0 and (not count or last <= len(binary))
    if not (inside and 0 <= count * width <= LARGEST):
        raise GambolError("an array that lies outside of the buffer", where=where)
    strides = (stride, kind.itemsize)
    rows = np.zeros((0, width))
    if count:
        rows = np.ndarray((count, width), kind, binary, start, strides).astype(float)
    if accessor.get("normalized"):
        rows = np.maximum(rows / np.iinfo(kind).max, -1.0)
    return rows[:, 0] if width == 1 else rows
