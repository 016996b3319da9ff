"""Live commands: how fast, which way and in which gait, from when on."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.skeleton import readonly

__all__ = ["GAITS", "Command", "Commands", "parse_commands"]

Array = NDArray[np.float64]
GAITS = ("stand", "walk", "run")
FASTEST, QUICKEST = 12.0, 720.0  # m/s, degrees/s
NUMBERS = ("t", "speed", "turn", "heading")
COLUMNS = (*NUMBERS, "gait", "style")


class Command(NamedTuple):
    """What is asked at one time.

    Attributes:
        speed: m/s.
        turn: rad/s, to the left positive.
        heading: rad, 0 along +z and to the left positive, instead of a turn; NaN where none is asked.
        gait: stand, walk or run; "" for what suits the speed.
        style: a style of the graph; "" for any.
    """

    speed: float = 0.0
    turn: float = 0.0
    heading: float = float("nan")
    gait: str = ""
    style: str = ""


@dataclass(frozen=True, eq=False)
class Commands:
    """A list of commands, each holding until the next.

    Attributes:
        times: ``(K,)`` s, rising.
        rows: K commands.

    Raises:
        GambolError: for times that do not rise, numbers that are not finite, or an unknown gait.
    """

    times: Array
    rows: tuple[Command, ...]

    def __post_init__(self) -> None:
        times, rows = readonly(self.times), tuple(self.rows)
        if not rows or times.shape != (len(rows),):
            raise GambolError(f"{len(rows)} commands at {times.size} times", where="commands", allowed="at least one")
        for k, row in enumerate(rows):
            _check(float(times[k]), row, f"commands, row {k + 1}")
        if np.any(np.diff(times) <= 0):
            k = int(np.argmax(np.diff(times) <= 0)) + 1
            raise GambolError(
                f"t is {times[k]:g} s after {times[k - 1]:g} s", where=f"commands, row {k + 1}", allowed="rising times"
            )
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "rows", rows)

    @classmethod
    def of(cls, rows: Iterable[Sequence[float]]) -> Commands:
        """From rows (t s, speed m/s, turn rad/s)."""
        table = [tuple(r) for r in rows]
        rows_of = tuple(Command(r[1], r[2] if len(r) > 2 else 0.0) for r in table)
        return cls(np.array([r[0] for r in table]), rows_of)

    @property
    def end(self) -> float:
        """s, time of the last row: what it asks holds until there, no longer."""
        return float(self.times[-1])

    def at(self, time: float) -> Command:
        """The command that holds at ``time`` s; the first holds before it, too."""
        return self.rows[max(int(np.searchsorted(self.times, time + 1e-9, "right")) - 1, 0)]


def parse_commands(text: str, where: str = "commands") -> Commands:
    """Commands from CSV with a header: ``t,speed,turn[,heading,gait,style]``; turn and heading in degrees.

    Raises:
        GambolError: with the line, for anything that is not that.
    """
    lines = list(csv.reader(text.lstrip("\ufeff").replace("\0", " ").splitlines()))
    rows = [(n, [c.strip() for c in line]) for n, line in enumerate(lines, 1) if any(c.strip() for c in line)]
    rows = [(n, r) for n, r in rows if not r[0].startswith("#")]
    if not rows:
        raise GambolError("there is nothing in it", where=where, allowed="a header t,speed,turn and rows below it")
    header = [c.lower() for c in rows[0][1]]
    if header[:2] != ["t", "speed"] or any(c not in COLUMNS for c in header) or len(set(header)) < len(header):
        raise GambolError(
            f"the header is {','.join(rows[0][1])[:80]!r}", where=f"{where}, line {rows[0][0]}",
            allowed="t,speed and any of turn, heading (degrees), gait, style", do="begin the file with: t,speed,turn",
        )
    times: list[float] = []
    out: list[Command] = []
    for n, row in rows[1:]:
        if len(row) != len(header):
            raise GambolError(f"{len(row)} values", where=f"{where}, line {n}", allowed=f"{len(header)}")
        cell = dict(zip(header, row))
        numbers = {k: _number(cell[k], k, f"{where}, line {n}") for k in NUMBERS if cell.get(k)}
        for need in ("t", "speed"):
            if need not in numbers:
                raise GambolError(f"{need} is missing", where=f"{where}, line {n}", allowed="a number")
        command = Command(
            numbers["speed"], np.radians(numbers.get("turn", 0.0)), np.radians(numbers.get("heading", np.nan)),
            cell.get("gait", "").lower(), cell.get("style", ""),
        )
        _check(numbers["t"], command, f"{where}, line {n}")
        if times and numbers["t"] <= times[-1]:
            raise GambolError(
                f"t is {numbers['t']:g} s after {times[-1]:g} s", where=f"{where}, line {n}", allowed="rising times"
            )
        times.append(numbers["t"])
        out.append(command)
    if not out:
        raise GambolError("there is no row below the header", where=where, allowed="at least one")
    return Commands(np.array(times), tuple(out))


def _number(text: str, name: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise GambolError(f"{name} is {text[:40]!r}", where=where, allowed="a number") from None


def _check(time: float, command: Command, where: str) -> None:
    turn = float(np.degrees(command.turn))
    limits = (
        ("t", time, 0 <= time < 1e9, "0 or more seconds"),
        ("speed", command.speed, 0 <= command.speed <= FASTEST, f"0 to {FASTEST:g} m/s"),
        ("turn", turn, abs(turn) <= QUICKEST, f"-{QUICKEST:g} to {QUICKEST:g} degrees/s"),
        ("heading", command.heading, not np.isinf(command.heading), "a finite angle"),
    )
    for name, value, fine, allowed in limits:
        if not fine:
            raise GambolError(f"{name} is {value:g}", where=where, allowed=allowed)
    if command.gait and command.gait not in GAITS:
        raise GambolError(f"gait is {command.gait!r}", where=where, allowed=", ".join(GAITS))
