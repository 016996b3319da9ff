"""Edits in the text of a JSON object that leave every other character as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from gambol.errors import GambolError

__all__ = ["Edit", "Span", "appended", "applied", "elements", "members", "with_member", "without_member"]

_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"


class Span(NamedTuple):
    """Characters ``start <= i < end`` of a text."""

    start: int
    end: int


class Edit(NamedTuple):
    """A span and what takes its place."""

    start: int
    end: int
    text: str


def members(text: str, start: int = 0) -> dict[str, tuple[int, Span]]:
    """Of the object that begins at or after ``start``: name -> (where its member begins, its value)."""
    out: dict[str, tuple[int, Span]] = {}
    for at in _items(text, start, "{}"):
        name, after = _DECODER.raw_decode(text, at)
        value = _skip(text, _skip(text, after, ":") + 1)
        out[name] = at, Span(value, _end(text, value))
    return out


def elements(text: str, start: int) -> list[Span]:
    """The elements of the array that begins at or after ``start``."""
    return [Span(at, _end(text, at)) for at in _items(text, start, "[]")]


def appended(text: str, array: Span, pieces: list[str]) -> Edit:
    """The edit that puts ``pieces`` at the end of an array."""
    found = elements(text, array.start)
    at = found[-1].end if found else array.start + 1
    return Edit(at, at, ("," if found else "") + ",".join(pieces))


def with_member(text: str, target: Span, name: str, value: str) -> Edit:
    """The edit that gives an object one more member, at its end."""
    found = members(text, target.start)
    at = max((span.end for _, span in found.values()), default=target.start + 1)
    return Edit(at, at, f"{',' if found else ''}{json.dumps(name)}:{value}")


def without_member(text: str, target: Span, name: str) -> Edit:
    """The edit that takes a member out of an object."""
    found = members(text, target.start)
    begin, span = found[name]
    order = sorted(found.values())
    k = order.index((begin, span))
    if k + 1 < len(order):
        return Edit(begin, order[k + 1][0], "")
    return Edit(order[k - 1][1].end if k else begin, span.end, "")


def applied(text: str, edits: list[Edit]) -> str:
    """The text with edits that do not overlap; those at one place in the order given."""
    out, at = [], 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.start < at:
            raise GambolError("two edits of one place")
        out += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*out, text[at:]])


def _items(text: str, start: int, marks: str) -> Iterator[int]:
    """Where each member or element of an object or array begins."""
    at = _skip(text, start)
    if text[at : at + 1] != marks[0]:
        raise GambolError(f"no {marks} where one should be")
    at = _skip(text, at + 1)
    while text[at : at + 1] != marks[1]:
        yield at
        if marks == "{}":
            _, after = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, after, ":") + 1)
        at = _skip(text, _end(text, at))
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)


def _end(text: str, at: int) -> int:
    return _DECODER.raw_decode(text, at)[1]


def _skip(text: str, at: int, wanted: str = "") -> int:
    while text[at : at + 1] and text[at] in _SPACE:
        at += 1
    if wanted and text[at : at + 1] != wanted:
        raise GambolError(f"no {wanted!r} where one should be")
    return at
