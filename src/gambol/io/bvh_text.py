"""The text of a BVH file: hierarchy and table of numbers, in every dialect met so far.

Byte-order mark, CRLF, tabs, blank lines, keywords in any case, names with blanks, colons and dots,
braces on the same line, missing or named end sites, any real number as C writes it, NaN in its
spellings, numbers glued together, a wrong frame count, a torn last row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.io.digits import NOT_A_NUMBER, quick_numbers
from gambol.io.source import Source

__all__ = ["Hierarchy", "Table", "one_byte", "plain_text", "read_hierarchy", "read_table"]

CHANNEL = re.compile(r"[XYZ](POSITION|ROTATION)")
GLUED = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
HEAD = re.compile(
    rb"\s*Frames\s*:?\s*(\d+)\s*Frame\s*Time\s*:?\s*([^\s]+)[ \t]*\r?(?:\n|$)", re.IGNORECASE
)
MOTION_LINE = re.compile(rb"^[ \t]*MOTION[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
NEWLINE = b"\n"
PIECE = 1 << 17  # bytes read at a time: the working set stays in the cache
GUESS = 0.5  # s of holes; what fills longer ones is said to be a guess
SLOWEST = 10.0  # s a frame
RATES = (12, 15, 20, 24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 150, 200, 240, 250, 300, 360, 500, 1000)
LARGEST = 1e12  # numbers beyond this are torn or hostile, not positions or degrees


class Hierarchy(NamedTuple):
    """Joints parents first: names, parents (-1 the root), offsets as written, channel names in capitals.

    End sites that lie away from their joint are joints called ``<joint>_end``, without channels.
    """

    names: tuple[str, ...]
    parents: list[int]
    offsets: list[list[str]]
    channels: list[list[str]]
    notes: list[str]

    @property
    def width(self) -> int:
        """Numbers a row."""
        return sum(len(c) for c in self.channels)


class Table(NamedTuple):
    """``values`` (F, C) in the file's units, free of NaN; ``frame_time`` s; ``holes`` (F, C) that were filled."""

    values: NDArray[np.float64]
    frame_time: float
    notes: list[str]
    holes: NDArray[np.bool_] | None


class _Lines:
    """Lines with their numbers; braces stand on lines of their own."""

    def __init__(self, text: str, source: str) -> None:
        self.source, self.number = source, 0
        self._lines = self._split(text)

    def _split(self, text: str) -> Iterator[str]:
        for number, line in enumerate(text.splitlines(), 1):
            for piece in re.split(r"([{}])", line):
                if piece := piece.strip():
                    self.number = number
                    yield piece

    def __iter__(self) -> Iterator[str]:
        return self._lines

    def error(self, what: str, allowed: str = "") -> GambolError:
        return GambolError(what, where=f"{self.source}, line {self.number}", allowed=allowed)


def read_hierarchy(data: bytes, source: str) -> Hierarchy:
    """The joints of a file.

    Raises:
        GambolError: with the line that is wrong.
    """
    start = MOTION_LINE.search(data)
    lines = _Lines(plain_text(data[: start.start()] if start else data), source)
    out = Hierarchy((), [], [], [], [])
    names: list[str] = []
    path: list[int] = []  # joints whose braces are open; -1 stands for an end site that is dropped
    waiting: int | None = None  # the joint whose brace comes next
    first = next(iter(lines), "")
    if first.upper() != "HIERARCHY":
        raise lines.error(f"it starts with {first[:40]!r}", "a BVH file starts with HIERARCHY")
    for line in lines:
        word, _, rest = line.partition(" ") if "\t" not in line else line.replace("\t", " ").partition(" ")
        key = word.upper()
        if key in ("ROOT", "JOINT", "END"):
            if key == "ROOT" and names:
                raise lines.error("a second ROOT", "one skeleton a file")
            if key != "ROOT" and not path:
                raise lines.error(f"{word} outside of braces")
            waiting = len(names)
            parent = path[-1] if path else -1
            fallback = f"{names[parent]}_end" if key == "END" else f"joint_{waiting}"
            names.append(fallback if key == "END" else rest.strip() or fallback)
            out.parents.append(parent)
            out.offsets.append(["0", "0", "0"])
            out.channels.append([])
        elif key == "{":
            if waiting is None:
                raise lines.error("a brace that belongs to no joint")
            path.append(waiting)
            waiting = None
        elif key == "}":
            if not path:
                raise lines.error("a closing brace too many")
            path.pop()
        elif key == "OFFSET" and path:
            out.offsets[path[-1]] = _offset(rest, lines)
        elif key == "CHANNELS" and path:
            out.channels[path[-1]] = _channels(rest, lines)
        else:
            raise lines.error(f"{line[:40]!r} is not understood", "ROOT, JOINT, End Site, OFFSET, CHANNELS")
    if not names:
        raise lines.error("no ROOT")
    if path:
        out.notes.append(f"{len(path)} closing braces are missing")
    return _tidy(out._replace(names=tuple(names)))


def one_byte(data: bytes) -> bytes:
    """UTF-16 with its mark as UTF-8; everything else as it is."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace").encode("utf-8", "replace")
    return data


def plain_text(data: bytes) -> str:
    """Text of bytes: UTF-8 with or without its mark, else Latin-1."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _offset(rest: str, lines: _Lines) -> list[str]:
    words = rest.replace(",", " ").split()
    try:
        fine = len(words) == 3 and all(abs(float(w)) < LARGEST for w in words)
    except ValueError:
        fine = False
    if not fine:
        raise lines.error(f"OFFSET {rest.strip()[:60]!r}", "three numbers")
    return words


def _channels(rest: str, lines: _Lines) -> list[str]:
    count, *names = rest.upper().split() or ["0"]
    if not count.isdigit() or int(count) != len(names):
        raise lines.error(f"CHANNELS says {count[:20]}, and {len(names)} names follow")
    return names


def _tidy(h: Hierarchy) -> Hierarchy:
    """End sites of no length dropped, names made unique, channels that are not ours noted."""
    keep = [
        j for j in range(len(h.names))
        if h.channels[j] or not h.names[j].endswith("_end") or any(float(x) for x in h.offsets[j])
    ]
    place = {j: k for k, j in enumerate(keep)}
    names: list[str] = []
    taken: dict[str, int] = {}
    for j in keep:
        name, count = h.names[j], taken.get(h.names[j], 0)
        taken[name] = count + 1
        while count and (unique := f"{name}.{count:03}") in taken:
            count += 1
        if count:
            taken[unique] = 1
            h.notes.append(f"a second joint called {name!r} is read as {unique!r}")
        names.append(unique if count else name)
    for j in keep:
        if odd := [n for n in h.channels[j] if not CHANNEL.fullmatch(n)]:
            h.notes.append(f"channels {', '.join(odd)} of {h.names[j]!r} are not used")
    return Hierarchy(
        tuple(names), [place.get(h.parents[j], -1) for j in keep], [h.offsets[j] for j in keep],
        [h.channels[j] for j in keep], h.notes,
    )


def read_table(data: bytes, hierarchy: Hierarchy, source: Source) -> Table:
    """The rows of numbers after MOTION.

    Args:
        data: the file.
        hierarchy: what the numbers belong to.
        source: its name, for errors, and a rate that overrules the frame time.

    Raises:
        GambolError: with the line that is wrong.
    """
    start = MOTION_LINE.search(data)
    if start is None:
        do = "the file is cut off, or holds a skeleton only"
        raise GambolError("no MOTION line", where=source.name, do=do)
    notes: list[str] = []
    rows_at, declared, text = _motion_head(data, start.end(), source.name)
    line = 1 + data.count(NEWLINE, 0, start.end())
    frame_time = _frame_time(text, f"{source.name}, line {line}", notes) if source.fps is None else 1 / source.fps
    values = _rows(data, rows_at, hierarchy.width, source.name, notes)
    if declared != len(values):
        notes.append(f"Frames says {declared}, {len(values)} rows are there and used")
    return Table(*_fill(values, hierarchy, frame_time, notes))


def _motion_head(data: bytes, at: int, source: str) -> tuple[int, int, str]:
    """Where the rows start, how many the file says there are, and what it says of the frame time."""
    found = HEAD.match(data, at)
    if found is None:
        line = f"{source}, line {1 + data.count(NEWLINE, 0, at)}"
        raise GambolError("after MOTION", where=line, allowed="'Frames: N' and 'Frame Time: seconds'")
    return found.end(), int(found[1][:18]), found[2].decode("latin-1")


def _frame_time(text: str, where: str, notes: list[str]) -> float:
    """s; some write the rate there, or milliseconds: no recording has less than a frame in ten seconds."""
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = 0.0
    if not 1e-6 < value < 1e6:
        do = "give the rate: --fps 30"
        raise GambolError(f"the frame time is {text[:20]!r}", where=where, allowed="seconds, more than 0", do=do)
    if value <= SLOWEST:
        return value
    rate = value in RATES
    notes.append(f"the frame time {text} s cannot be: read as {f'{value:g} frames a second' if rate else 'ms'}")
    return 1 / value if rate else value / 1000


def _rows(data: bytes, start: int, width: int, source: str, notes: list[str]) -> NDArray[np.float64]:
    """``(F, width)`` numbers from byte ``start`` on, piece by piece; each by the quick way where that can read it."""
    pieces = [np.empty((0, width))]
    text = np.frombuffer(data, np.uint8)
    last = len(data)
    while last > start and data[last - 1] <= 32:
        last -= 1
    while start < last:
        end = data.find(NEWLINE, start + PIECE) + 1 or len(data)
        rows = quick_numbers(text[start:end], width)
        if rows is None:
            line, torn = 1 + data.count(NEWLINE, 0, start), notes if end >= last else None
            rows = _line_by_line(data[start:end], width, (source, line), torn, len(pieces) > 1)
        pieces.append(rows)
        start = end
    return np.concatenate(pieces)


def _line_by_line(
    body: bytes, width: int, at: tuple[str, int], notes: list[str] | None, more: bool
) -> NDArray[np.float64]:
    """Rows of numbers in any spelling.

    Args:
        body: whole lines.
        width: numbers a row.
        at: the file, and the number of the first line.
        notes: told of a torn last row; None where the file goes on.
        more: there are rows before these.
    """
    source, first = at
    rows: list[list[float]] = []
    lines = body.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    last = max((k for k, line in enumerate(lines) if line.strip()), default=-1)
    for k, line in enumerate(lines[: last + 1]):
        if not line.strip():
            continue
        try:
            row = list(map(float, line.split()))
        except ValueError:
            row = _numbers(line, f"{source}, line {first + k}")
        if len(row) != width:
            if k == last and notes is not None and (rows or more) and len(row) < width:
                notes.append(f"the last row is torn ({len(row)} of {width} values) and left out")
                break
            what = f"{len(row)} values, the hierarchy needs {width}"
            raise GambolError(what, where=f"{source}, line {first + k}")
        rows.append(row)
    return np.array(rows, float).reshape(-1, width)


def _numbers(line: str, where: str) -> list[float]:
    out: list[float] = []
    for word in line.replace(",", " ").replace(";", " ").split():
        try:
            out.append(float(word))
        except ValueError:
            if NOT_A_NUMBER.fullmatch(word):
                out.append(np.nan)
            elif "".join(parts := GLUED.findall(word)) == word:
                out += map(float, parts)
            else:
                raise GambolError(f"{word[:40]!r} is not a number", where=where) from None
    return out


def _fill(values: NDArray[np.float64], hierarchy: Hierarchy, frame_time: float, notes: list[str]) -> Table:
    """Numbers that are not finite, or absurd, laid between their neighbours in time; each joint is noted."""
    with np.errstate(invalid="ignore"):
        if values.min(initial=0.0) > -LARGEST and values.max(initial=0.0) < LARGEST:  # NaN is neither
            return Table(values, frame_time, notes, None)
        bad = ~(np.abs(values) < LARGEST)
    values, frames, column = values.copy(), np.arange(len(values)), 0
    for name, channels in zip(hierarchy.names, hierarchy.channels):
        block = slice(column, column + len(channels))
        column += len(channels)
        if rows := np.flatnonzero(bad[:, block].any(1)).tolist():
            longest = max(b - a + 1 for a, b in _runs(rows)) * frame_time
            much = f", which is a guess over the {longest:.1f} s without any" if longest > GUESS else ""
            notes.append(f"{name!r} is not a number in frames {_ranges(rows)}: filled from its neighbours{much}")
    for c in np.flatnonzero(bad.any(0)):
        good = ~bad[:, c]
        values[~good, c] = np.interp(frames[~good], frames[good], values[good, c]) if good.any() else 0.0
    return Table(values, frame_time, notes, bad)


def _runs(rows: list[int]) -> list[tuple[int, int]]:
    """First and last of unbroken runs: 10, 11, 12, 20 as (10, 12), (20, 20)."""
    known = set(rows)
    return list(zip([r for r in rows if r - 1 not in known], [r for r in rows if r + 1 not in known]))


def _ranges(rows: list[int]) -> str:
    """10, 11, 12, 20 as '10-12, 20'."""
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in _runs(rows))
