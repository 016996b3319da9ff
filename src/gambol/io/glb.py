"""The binary glTF container: JSON and one buffer; typed arrays in, typed arrays out."""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.io.source import Source, to_json

__all__ = ["Buffer", "buffer_of", "chunks_of", "document_text", "pack", "parsed", "read_accessor", "unpack"]

MAGIC, VERSION, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 2, 0x4E4F534A, 0x004E4942
COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
CODES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
SHAPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
VERTICES, INDICES = 34962, 34963  # what a bufferView is for
MOST_BUFFERS = 1000
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


def unpack(data: bytes, where: str, source: Source | None = None) -> tuple[dict[str, Any], bytes]:
    """The document and the buffer of a .glb or .gltf.

    Several buffers, inside the file or beside it, become one; the document returned is changed accordingly.

    Args:
        data: of the file.
        where: its name, for errors.
        source: finds the files that it names; without, they are refused.

    Raises:
        GambolError: not glTF 2, cut off, or with a buffer that is not there.
    """
    document, binary = parsed(data, where)
    buffers = document.get("buffers", [])
    if not isinstance(buffers, list) or len(buffers) > MOST_BUFFERS:
        raise GambolError("its buffers cannot be used", where=where, allowed=f"a list of at most {MOST_BUFFERS}")
    parts = [buffer_of(b, binary if k == 0 else None, where, source) for k, b in enumerate(buffers)]
    if len(parts) > 1:
        starts = np.cumsum([0, *(len(p) + -len(p) % 4 for p in parts)])
        for view in document.get("bufferViews", []):
            view["byteOffset"] = int(view.get("byteOffset", 0)) + int(starts[int(view["buffer"])])
            view["buffer"] = 0
        parts = [b"".join(p + b"\0" * (-len(p) % 4) for p in parts)]
        document["buffers"] = [{"byteLength": len(parts[0])}]
    return document, parts[0] if parts else binary or b""


def parsed(data: bytes, where: str) -> tuple[dict[str, Any], bytes | None]:
    """The document of a .glb or .gltf, and the binary chunk of a .glb.

    Raises:
        GambolError: not glTF 2, or cut off.
    """
    text, binary = document_text(data, where)
    try:
        document = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise GambolError(f"not glTF: {error}", where=where) from error
    asset = document.get("asset") if isinstance(document, dict) else None
    if not isinstance(asset, dict) or not str(asset.get("version", "")).startswith("2"):
        raise GambolError("not glTF 2", where=where, do="export it anew as glTF 2.0")
    return document, binary


def document_text(data: bytes, where: str) -> tuple[bytes, bytes | None]:
    """The bytes of the JSON of a .glb or .gltf, and the binary chunk of a .glb."""
    return _chunks(data, where) if data[:4] == b"glTF" else (data, None)


def buffer_of(buffer: dict[str, Any], binary: bytes | None, where: str, source: Source | None) -> bytes:
    """The bytes of a buffer: those of its URI, else ``binary``."""
    if "uri" not in buffer:
        return binary or b""
    head, comma, payload = buffer["uri"].partition(",")
    if head.startswith("data:") and head.endswith(";base64") and comma:
        return base64.b64decode(payload)
    if source is None or source.folder is None or head.startswith("data:"):
        raise GambolError("its buffer is in another file", where=where, do="save it as .glb")
    return source.beside(unquote(buffer["uri"]))


def chunks_of(data: bytes, where: str = "") -> list[tuple[int, bytes]]:
    """(kind, bytes) of every chunk of a .glb.

    Raises:
        GambolError: not a whole .glb of version 2.
    """
    if len(data) < 20:
        raise GambolError("the file is cut off", where=where)
    version, total = struct.unpack_from("<II", data, 4)
    if version != VERSION or total > len(data):
        what = f"glTF version {version}" if version != VERSION else f"{len(data)} bytes of {total}: cut off"
        raise GambolError(what, where=where, allowed="a whole .glb of version 2")
    found: list[tuple[int, bytes]] = []
    at = 12
    while at + 8 <= total:
        length, kind = struct.unpack_from("<II", data, at)
        if at + 8 + length > total:
            raise GambolError("a chunk reaches beyond the file", where=where)
        found.append((kind, data[at + 8 : at + 8 + length]))
        at += 8 + length
    return found


def _chunks(data: bytes, where: str) -> tuple[bytes, bytes | None]:
    found: dict[int, bytes] = {}
    for kind, part in chunks_of(data, where):
        found.setdefault(kind, part)
    if JSON_CHUNK not in found:
        raise GambolError("no JSON chunk", where=where)
    return found[JSON_CHUNK], found.get(BINARY_CHUNK)


def read_accessor(document: dict[str, Any], binary: bytes, index: int) -> NDArray[np.float64]:
    """The numbers of an accessor, ``(N,)`` or ``(N, width)``; normalised integers as fractions.

    Raises:
        GambolError: pointing outside the buffer, or packed in a way that is not read.
    """
    accessor = document["accessors"][index]
    where = f"accessor {index}"
    width, count = WIDTHS[accessor["type"]], int(accessor["count"])
    if not 0 <= count * width <= LARGEST:
        raise GambolError("an array that lies outside of the buffer", where=where)
    kind = np.dtype(COMPONENTS[accessor["componentType"]])
    rows = np.zeros((count, width))
    if "bufferView" in accessor:
        rows = _rows(document, binary, accessor, (kind, count, width), where)
    elif "sparse" not in accessor:
        raise GambolError("an array without numbers", where=where)
    if sparse := accessor.get("sparse"):
        some = int(sparse["count"])
        chosen = np.dtype(COMPONENTS[sparse["indices"]["componentType"]])
        at = _rows(document, binary, sparse["indices"], (chosen, some, 1), where)[:, 0].astype(int)
        if some > count or (at < 0).any() or (at >= count).any():
            raise GambolError("a sparse array that reaches beyond its end", where=where)
        rows[at] = _rows(document, binary, sparse["values"], (kind, some, width), where)
    if accessor.get("normalized"):
        rows = np.maximum(rows / np.iinfo(kind).max, -1.0)
    return rows[:, 0] if width == 1 else rows


def _rows(
    document: dict[str, Any], binary: bytes, place: dict[str, Any], shape: tuple[np.dtype[Any], int, int], where: str
) -> NDArray[np.float64]:
    """(count, width) numbers that lie where ``place`` says."""
    kind, count, width = shape
    view = document["bufferViews"][place["bufferView"]]
    if "EXT_meshopt_compression" in view.get("extensions", {}):
        raise GambolError("arrays packed by meshopt are not read", where=where, do="export it without compression")
    stride = int(view.get("byteStride", kind.itemsize * width))
    start = int(view.get("byteOffset", 0)) + int(place.get("byteOffset", 0))
    last = start + stride * max(count - 1, 0) + kind.itemsize * width
    inside = start >= 0 and stride > 0 and (not count or last <= len(binary))
    if not inside:
        raise GambolError("an array that lies outside of the buffer", where=where)
    if not count:
        return np.zeros((0, width))
    return np.ndarray((count, width), kind, binary, start, (stride, kind.itemsize)).astype(float)
