"""The FBX container of version 7: records with values and records below them, from bytes or from text.

Every length is held against the bytes that are there, and an array is unpacked to no more than it says.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError

__all__ = ["Record", "read_records"]

MAGIC = b"Kaydara FBX Binary  \0"
OLDEST = 7000
WIDE = 7500  # from this version on, lengths have eight bytes
DEEPEST = 64
MOST_RECORDS = 5_000_000
MOST_BYTES = 1 << 30  # of all arrays together, unpacked
SKIPPED = {"Geometry", "Video", "Texture", "Material", "NodeAttribute", "Thumbnail"}  # nothing of it is used here
SCALARS = {"Y": "<h", "C": "<?", "I": "<i", "F": "<f", "D": "<d", "L": "<q"}
ARRAYS = {"f": "<f4", "d": "<f8", "l": "<i8", "i": "<i4", "b": "i1"}
TOKEN = re.compile(r'"([^"]*)"|([{}])|\*(\d+)|([A-Za-z_][\w|]*)\s*:|([^\s,{}":]+)|(,)')

Value = int | float | str | bool | NDArray


class Record(NamedTuple):
    """A name, values and what lies below."""

    name: str
    values: list[Value]
    below: list[Record]

    def find(self, *names: str) -> Record | None:
        """The first record at the end of a way of names, or None."""
        here: Record | None = self
        for name in names:
            here = next((r for r in here.below if r.name == name), None) if here else None
        return here

    def all(self, name: str) -> list[Record]:
        """Every record of that name just below."""
        return [r for r in self.below if r.name == name]

    def array(self, name: str) -> NDArray:
        """The numbers of the record ``name`` just below: an array, or its values, or nothing."""
        record = self.find(name)
        values = record.values if record else []
        if len(values) == 1 and isinstance(values[0], np.ndarray):
            return values[0]
        inner = record.find("a") if record else None
        plain = inner.values if inner else values
        return np.array([v for v in plain if isinstance(v, int | float)], float)


def read_records(data: bytes, where: str) -> Record:
    """The whole file as one record without a name.

    Raises:
        GambolError: not FBX, of a version before 7, or torn.
    """
    if data.startswith(MAGIC):
        if len(data) < 27:
            raise GambolError("the file is cut off", where=where)
        version = struct.unpack_from("<I", data, 23)[0]
        _check(version, where)
        return Record("", [], _Binary(data, version, where).level(27, len(data), 0))
    text = data.decode("utf-8-sig", "replace")
    found = re.search(r"FBXVersion:\s*(\d+)", text[:5000])
    if not found:
        raise GambolError("not an FBX file", where=where, allowed="a binary or text file of FBX 7")
    _check(int(found[1]), where)
    return Record("", [], _text(text, where))


def _check(version: int, where: str) -> None:
    if not OLDEST <= version < 10 * OLDEST:
        do = "export it anew as FBX 2011 or later, or as .glb"
        raise GambolError(f"FBX of version {version}", where=where, allowed=f"{OLDEST} or later", do=do)


class _Binary:
    """Reads records; counts what it has unpacked."""

    def __init__(self, data: bytes, version: int, where: str) -> None:
        self.data, self.where = data, where
        self.head = struct.Struct("<QQQB" if version >= WIDE else "<IIIB")
        self.records = self.unpacked = 0

    def error(self, what: str, at: int) -> GambolError:
        return GambolError(what, where=f"{self.where}, byte {at}")

    def level(self, at: int, end: int, depth: int) -> list[Record]:
        """The records between two bytes."""
        if depth > DEEPEST:
            raise self.error("records nested too deep", at)
        out: list[Record] = []
        while at + self.head.size <= end:
            stop, count, length, size = self.head.unpack_from(self.data, at)
            if not stop:  # the empty record that closes a list
                break
            start = at + self.head.size + size
            self.records += 1
            if not at < stop <= end or start + length > stop or self.records > MOST_RECORDS:
                raise self.error("a record reaches beyond what holds it", at)
            name = self.data[start - size : start].decode("utf-8", "replace")
            if name not in SKIPPED:
                values = self.values(start, start + length, count)
                out.append(Record(name, values, self.level(start + length, stop, depth + 1)))
            at = stop
        return out

    def values(self, at: int, end: int, count: int) -> list[Value]:
        out: list[Value] = []
        for _ in range(min(count, end - at)):
            if at >= end:
                break
            kind = chr(self.data[at])
            at += 1
            if kind in SCALARS:
                form = SCALARS[kind]
                out.append(struct.unpack_from(form, self.data, at)[0])
                at += struct.calcsize(form)
            elif kind in "SR":
                (size,) = struct.unpack_from("<I", self.data, at)
                if at + 4 + size > end:
                    raise self.error("a text reaches beyond its record", at)
                out.append(self.data[at + 4 : at + 4 + size].decode("utf-8", "replace") if kind == "S" else "")
                at += 4 + size
            elif kind in ARRAYS:
                value, at = self.numbers(kind, at, end)
                out.append(value)
            else:
                raise self.error(f"a value of an unknown kind {kind!r}", at)
        return out

    def numbers(self, kind: str, at: int, end: int) -> tuple[NDArray, int]:
        count, packed, size = struct.unpack_from("<III", self.data, at)
        form = np.dtype(ARRAYS[kind])
        wanted, at = count * form.itemsize, at + 12
        self.unpacked += wanted
        if self.unpacked > MOST_BYTES or (not packed and wanted > size) or at + size > end:
            raise self.error("an array that is larger than the file can hold", at)
        raw = self.data[at : at + size]
        if packed:
            try:
                raw = zlib.decompressobj().decompress(raw, wanted)
            except zlib.error as error:
                raise self.error(f"an array that cannot be unpacked: {error}", at) from error
        if len(raw) < wanted:
            raise self.error("an array is cut off", at)
        return np.frombuffer(raw[:wanted], form), at + size


def _text(text: str, where: str) -> list[Record]:
    """The records of a text file."""
    tokens = _tokens(text)
    root = Record("", [], [])
    stack = [root]
    opened: Record = root
    for kind, token in tokens:
        if kind == "name":
            opened = Record(token, [], [])
            if stack[-1].name not in SKIPPED:
                stack[-1].below.append(opened)
        elif kind == "{":
            if len(stack) > DEEPEST:
                raise GambolError("records nested too deep", where=where)
            stack.append(opened)
        elif kind == "}":
            if len(stack) == 1:
                raise GambolError("a brace too many", where=where)
            opened = stack.pop()
        elif kind == "text":
            opened.values.append(token)
        elif opened.name not in SKIPPED and stack[-1].name not in SKIPPED:
            opened.values.append(_number(token))
    return [r for r in root.below if r.name not in SKIPPED]


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        if line.lstrip().startswith(";"):
            continue
        for m in TOKEN.finditer(line):
            if m[1] is not None:
                yield "text", m[1]
            elif m[2]:
                yield m[2], m[2]
            elif m[4]:
                yield "name", m[4]
            elif m[5]:
                yield "number", m[5]


def _number(token: str) -> Value:
    try:
        return int(token)
    except ValueError:
        try:
            return float(token)
        except ValueError:
            return token
