"""The C3D container: header, parameters and frames, in the units and axes of the file.

C3D.org, "The C3D File Format: A Technical User Guide": blocks of 512 bytes, numbers of three kinds of processor,
whole or real. Frames are taken as arrays, so that a file is read at the speed of the disk, and every length is
held against the bytes that are there before it is used.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError

__all__ = ["Container", "Parameters", "read_container"]

Array = NDArray[np.float64]
BLOCK = 512  # bytes
MARK = 0x50  # the second byte of the header and of the parameters
INTEL, DEC, SGI = 84, 85, 86
CHARACTERS, BYTES, WORDS, REALS = -1, 1, 2, 4
WORD = 0xFFFF  # the largest number of frames that the header can tell
EVENTS_KEY = 12345
MOST_EVENTS = 18
MOST_DIMENSIONS = 7


class Parameters(dict[str, "NDArray | list[str]"]):
    """Parameters under ``GROUP:NAME``: numbers as arrays in the file's own shape, texts as lists."""

    def numbers(self, name: str) -> Array:
        """The numbers of a parameter, ``(0,)`` where it is missing or holds text."""
        value = self.get(name)
        return np.zeros(0) if value is None or isinstance(value, list) else np.asarray(value, float)

    def number(self, name: str, default: float) -> float:
        """The first number of a parameter, or ``default``."""
        value = self.numbers(name).ravel()
        return float(value[0]) if value.size and np.isfinite(value[0]) else default

    def count(self, name: str, default: int) -> int:
        """The first number of a parameter as one that has no sign, which the format stores as if it had one."""
        value = int(np.clip(self.number(name, default), -WORD, 2**31))
        return value & WORD if value < 0 else value

    def texts(self, name: str) -> list[str]:
        """The texts of a parameter and of its continuations ``NAME2``, ``NAME3`` ..., which long lists have."""
        out: list[str] = []
        for key in (name, *(f"{name}{k}" for k in range(2, 100))):
            value = self.get(key)
            if not isinstance(value, list):
                break
            out += value
        return out


class Container(NamedTuple):
    """A C3D file.

    Attributes:
        parameters: of the file.
        points: ``(F, N, 3)`` in the file's units and axes, NaN where a marker was not seen.
        analog: ``(F samples, C)`` scaled samples, in time order.
        first: number of the first frame, which need not be 1.
        rate: frames a second of the points.
        samples: analog samples a frame.
        events: the header's own (label, seconds).
        notes: what did not agree, and how it was settled.
    """

    parameters: Parameters
    points: Array
    analog: Array
    first: int
    rate: float
    samples: int
    events: list[tuple[str, float]]
    notes: list[str]


class _Machine(NamedTuple):
    """How numbers are stored."""

    order: str
    dec: bool

    def words(self, data: bytes, signed: bool = True) -> NDArray:
        return np.frombuffer(data, self.order + ("i2" if signed else "u2"))

    def reals(self, data: bytes) -> NDArray[np.float32]:
        if not self.dec:
            return np.frombuffer(data, self.order + "f4").astype(np.float32)
        # The F format of the VAX: the halves the other way round, and an exponent that is two more.
        halves = np.frombuffer(data, "<u2").reshape(-1, 2)
        bits = halves[:, 0].astype(np.uint32) << 16 | halves[:, 1]
        return bits.view(np.float32) / np.float32(4.0)


class _Header(NamedTuple):
    points: int
    analog: int  # numbers a frame
    first: int
    last: int
    scale: float
    start: int  # block
    samples: int
    rate: float


def read_container(data: bytes, where: str) -> Container:
    """The parts of a C3D file.

    Raises:
        GambolError: no C3D, or one whose header, parameters or frames lie outside of it.
    """
    if len(data) < 2 * BLOCK or data[1] != MARK:
        raise GambolError("not a C3D file", where=where, allowed="a header of 512 bytes with the mark 0x50")
    at = (max(data[0], 1) - 1) * BLOCK
    if at + 4 > len(data):
        raise GambolError("its parameters lie outside of the file", where=where)
    kind = data[at + 3]
    if kind not in (INTEL, DEC, SGI):
        raise GambolError(f"numbers of an unknown processor, {kind}", where=where, allowed="84, 85 or 86")
    machine = _Machine(">" if kind == SGI else "<", kind == DEC)
    parameters = _parameters(data, at + 4, machine)
    header = _merged(_header(data, machine), parameters)
    notes: list[str] = []
    points, analog = _frames(data, header, machine, parameters, notes)
    if not len(points):
        raise GambolError("no frame in it", where=where, allowed="one frame or more")
    events = _header_events(data, machine)
    return Container(parameters, points, analog, header.first, header.rate, header.samples, events, notes)


def _header(data: bytes, machine: _Machine) -> _Header:
    word = machine.words(data[:BLOCK], signed=False).tolist()
    scale, rate = machine.reals(data[12:16])[0], machine.reals(data[20:24])[0]
    return _Header(word[1], word[2], word[3], word[4], float(scale), word[8], word[9], float(rate))


def _merged(header: _Header, parameters: Parameters) -> _Header:
    """The header, put right by the parameters where they have the same fact, which programs keep up to date."""
    channels = parameters.count("ANALOG:USED", 0 if not header.samples else header.analog // header.samples)
    rate = parameters.number("POINT:RATE", header.rate)
    samples = header.samples
    if rate > 0 and (faster := parameters.number("ANALOG:RATE", 0.0)) > 0:
        samples = round(min(faster / rate, float(WORD))) or samples
    if not header.samples or channels * header.samples != header.analog:
        numbers = channels * samples
    else:
        numbers, samples = header.analog, header.samples
    return header._replace(
        points=parameters.count("POINT:USED", header.points), analog=numbers, samples=samples,
        scale=parameters.number("POINT:SCALE", header.scale), rate=rate,
        start=header.start or parameters.count("POINT:DATA_START", 0),
    )


# parameters


def _parameters(data: bytes, at: int, machine: _Machine) -> Parameters:
    """Groups and parameters, as far as the chain of them stays inside the file and goes on."""
    groups: dict[int, str] = {}
    found: list[tuple[int, str, NDArray | list[str]]] = []
    while at + 4 <= len(data):
        length, group = abs(struct.unpack_from("b", data, at)[0]), struct.unpack_from("b", data, at + 1)[0]
        link = at + 2 + length
        if not length or not group or link + 2 > len(data):
            break
        name = data[at + 2 : link].decode("latin-1").strip().upper()
        if group < 0:
            groups[-group] = name
        elif (value := _value(data, link + 2, machine)) is not None:
            found.append((group, name, value))
        step = int(machine.words(data[link : link + 2], signed=False)[0])
        if step < 2:
            break
        at = link + step
    return Parameters({f"{groups.get(group, group)}:{name}": value for group, name, value in found})


def _value(data: bytes, at: int, machine: _Machine) -> NDArray | list[str] | None:
    """One parameter: arrays in the file's shape, the first index running fastest; None where it is torn."""
    if at + 2 > len(data):
        return None
    kind, dimensions = struct.unpack_from("bB", data, at)
    if dimensions > MOST_DIMENSIONS:
        return None
    shape = tuple(data[at + 2 : at + 2 + dimensions])
    size = 1
    for extent in shape:  # a product of extents up to 255 each could be larger than any file
        size = min(size * extent, len(data) + 1)
    start = at + 2 + dimensions
    raw = data[start : start + size * abs(kind)]
    if kind not in (CHARACTERS, BYTES, WORDS, REALS) or len(raw) < size * abs(kind):
        return None
    if not size:
        return [] if kind == CHARACTERS else np.zeros(0)
    if kind == CHARACTERS:
        width = shape[0] if shape else 1
        return [_text(raw[i : i + width]) for i in range(0, size, width)]
    read = {BYTES: lambda b: np.frombuffer(b, "i1"), WORDS: machine.words, REALS: machine.reals}[kind]
    return read(raw).reshape(shape, order="F")


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8").strip(" \0")
    except UnicodeDecodeError:
        return raw.decode("latin-1").strip(" \0")


def _header_events(data: bytes, machine: _Machine) -> list[tuple[str, float]]:
    """The up to 18 events of the header, with labels of four letters."""
    word = machine.words(data[:BLOCK], signed=False)
    if word[149] != EVENTS_KEY:
        return []
    times = machine.reals(data[304:376])
    labels = [_text(data[396 + 4 * k : 400 + 4 * k]) for k in range(MOST_EVENTS)]
    return [(labels[k], float(times[k])) for k in range(min(int(word[150]), MOST_EVENTS))]


# frames


def _frames(
    data: bytes, header: _Header, machine: _Machine, parameters: Parameters, notes: list[str]
) -> tuple[Array, Array]:
    """Points (F, N, 3) and analog samples (F samples, C)."""
    real = header.scale < 0
    size = 4 if real else 2
    width = 4 * header.points + header.analog
    start = (header.start - 1) * BLOCK
    if not width or start < 0 or start >= len(data) or not np.isfinite(header.scale) or not header.scale:
        return np.zeros((0, 0, 3)), np.zeros((0, 0))
    held = (len(data) - start) // (size * width)
    frames = _count(header, parameters, held, notes)
    raw = data[start : start + frames * size * width]
    table = (machine.reals(raw) if real else machine.words(raw)).reshape(frames, width)
    if frames > WORD and _saturated(header, parameters):
        frames = _without_padding(table)
        table = table[:frames]
    marks = table[:, : 4 * header.points].reshape(frames, header.points, 4)
    points = marks[..., :3].astype(float)
    if not real:
        points *= header.scale
    # A marker that was not seen has a residual below zero, or lies in the very origin, or is no number.
    unseen = (marks[..., 3] < 0) | ~points.any(-1) | ~np.isfinite(points).all(-1) | ~np.isfinite(marks[..., 3])
    points[unseen] = np.nan
    return points, _analog(table[:, 4 * header.points :], header, parameters)


def _count(header: _Header, parameters: Parameters, held: int, notes: list[str]) -> int:
    """How many frames there are: as said, as far as the file holds them.

    The header's words end at 65,535. Longer files say their length in TRIAL:ACTUAL_END_FIELD, two words, low
    first, or in POINT:LONG_FRAMES; where neither does, the size of the file tells.
    """
    said = header.last - header.first + 1
    if said <= 0 or header.last == WORD:
        said = max(said, parameters.count("POINT:FRAMES", said))
    said = max(said, int(min(parameters.number("POINT:LONG_FRAMES", 0.0), 2.0**40)))
    first, last = (_double(parameters, f"TRIAL:ACTUAL_{end}_FIELD") for end in ("START", "END"))
    if first is not None and last is not None and last >= first:
        said = max(said, last - first + 1)
    if _saturated(header, parameters):
        said = held
    if said > held:
        notes.append(f"it says {said} frames and holds {held}: those are used")
    return max(min(said, held), 0)


def _saturated(header: _Header, parameters: Parameters) -> bool:
    """Whether the words for the number of frames are at their end, and nothing else says it."""
    long = "POINT:LONG_FRAMES" in parameters or _double(parameters, "TRIAL:ACTUAL_END_FIELD") is not None
    return not long and WORD in (header.last, parameters.count("POINT:FRAMES", 0))


def _double(parameters: Parameters, name: str) -> int | None:
    """A number in two words, the low one first."""
    words = parameters.numbers(name).ravel()
    return int(words[0]) % (WORD + 1) + (int(words[1]) % (WORD + 1) << 16) if words.size == 2 else None


def _without_padding(table: NDArray) -> int:
    """Rows without the empty ones that fill the last block."""
    filled = np.flatnonzero(table.any(axis=1))
    return int(filled[-1]) + 1 if filled.size else 0


def _analog(table: NDArray, header: _Header, parameters: Parameters) -> Array:
    """Samples of all channels one behind the other in time, (raw - offset) times scale."""
    if not header.samples or not table.shape[1]:
        return np.zeros((0, 0))
    channels = table.shape[1] // header.samples
    unsigned = parameters.texts("ANALOG:FORMAT")[:1] == ["UNSIGNED"] and table.dtype.kind == "i"
    rows = (table.view(table.dtype.str.replace("i", "u")) if unsigned else table).astype(float)
    rows = rows.reshape(-1, channels)
    scale, offset = np.ones(channels), np.zeros(channels)
    for out, name in ((scale, "ANALOG:SCALE"), (offset, "ANALOG:OFFSET")):
        given = parameters.numbers(name).ravel()[:channels]
        out[: len(given)] = given % (WORD + 1) if unsigned and name == "ANALOG:OFFSET" else given
    return (rows - offset) * scale * parameters.number("ANALOG:GEN_SCALE", 1.0)
