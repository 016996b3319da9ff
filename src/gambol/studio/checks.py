"""What a page may send: values of JSON checked one by one, with errors that name the entry."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from gambol.errors import GambolError
from gambol.forms import nearest

__all__ = ["Refused", "choice", "entries", "flag", "listed", "name_of", "number", "numbers", "rows", "text", "whole"]

LARGEST = 1e6  # of any number that is a length, a time or a dial
MOST_ROWS = 20_000
SHORT = 200  # letters of a title or a label
SHOWN = 40  # letters of a wrong value that an error repeats
FILE = re.compile(r"[0-9a-f]{16}-[^/\\\x00-\x1f]{1,80}")


class Refused(GambolError):
    """A request that is refused with another status than 400."""

    def __init__(self, status: int, what: str, *, where: str = "", allowed: str = "", do: str = "") -> None:
        super().__init__(what, where=where, allowed=allowed, do=do)
        self.status = status


def entries(data: Any, known: Sequence[str], where: str) -> dict[str, Any]:
    """The entries of a table, all of them known.

    Raises:
        GambolError: for what is no table, or an entry of another name.
    """
    if not isinstance(data, dict):
        raise GambolError(f"{_short(data)} is no table", where=where, allowed="{" + ", ".join(known) + "}")
    for key in data:
        if key not in known:
            raise GambolError(f"there is no entry {_short(key)}", where=where, do=nearest(str(key)[:SHOWN], known))
    return data


def number(value: Any, where: str, low: float = -LARGEST, high: float = LARGEST) -> float:
    """A finite number between two bounds."""
    fine = isinstance(value, int | float) and not isinstance(value, bool)
    if not (fine and low <= value <= high):  # also of NaN
        raise GambolError(f"{_short(value)} cannot be", where=where, allowed=f"a number from {low:g} to {high:g}")
    return float(value)


def whole(value: Any, where: str, low: int = 0, high: int = 2**63 - 1) -> int:
    """A whole number between two bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        allowed = f"a whole number from {low} to {high}"
        raise GambolError(f"{_short(value)} cannot be", where=where, allowed=allowed)
    return value


def flag(value: Any, where: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise GambolError(f"{_short(value)} cannot be", where=where, allowed="true or false")
    return value


def text(value: Any, where: str, most: int = SHORT) -> str:
    """A text without control characters."""
    if not isinstance(value, str) or len(value) > most or any(c < " " and c not in "\n\t" for c in value):
        raise GambolError(f"{_short(value)} cannot be", where=where, allowed=f"a text of at most {most} letters")
    return value


def choice(value: Any, known: Sequence[str], where: str) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in known:
        do = nearest(value[:SHOWN], known) if isinstance(value, str) else ""
        raise GambolError(f"{_short(value)} cannot be", where=where, allowed=", ".join(known), do=do)
    return value


def listed(value: Any, where: str, most: int = MOST_ROWS) -> list[Any]:
    """A list of not too many values."""
    if not isinstance(value, list) or len(value) > most:
        raise GambolError(f"{_short(value)} cannot be", where=where, allowed=f"a list of at most {most}")
    return value


def numbers(value: Any, where: str, count: int) -> tuple[float, ...]:
    """So many finite numbers."""
    if not isinstance(value, list) or len(value) != count:
        raise GambolError(f"{_short(value)} cannot be", where=where, allowed=f"{count} numbers")
    return tuple(number(v, where) for v in value)


def rows(value: Any, where: str, count: int, most: int = MOST_ROWS) -> tuple[tuple[float, ...], ...]:
    """At most so many rows of so many finite numbers."""
    return tuple(numbers(row, f"{where} {k + 1}", count) for k, row in enumerate(listed(value, where, most)))


def name_of(value: Any, where: str) -> str:
    """The name of a dropped file, as it was given when it came."""
    if not isinstance(value, str) or not FILE.fullmatch(value):
        raise GambolError(f"{_short(value)} is no file of the studio", where=where, do="drop the file onto the page")
    return value


def _short(value: Any) -> str:
    """A value as an error repeats it."""
    if isinstance(value, list | dict):
        return f"a {'list' if isinstance(value, list) else 'table'} of {len(value)}"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return repr(value)[: SHOWN + 2] if isinstance(value, str) else str(value)[:SHOWN]
