"""A bar on standard error while long work goes on; nothing where nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

__all__ = ["watched"]

Item = TypeVar("Item")
WIDTH = 30  # characters of the bar
FEW = 3  # so few items need no bar


def watched(items: Sequence[Item], what: str) -> Iterator[Item]:
    """The items one after another, with a bar of how many are done.

    Args:
        items: what is worked on.
        what: they are, in the plural, as in ``12 of 40 files``.
    """
    shown = sys.stderr.isatty() and len(items) > FEW
    for done, item in enumerate(items):
        if shown:
            full = WIDTH * done // len(items)
            print(f"\r[{'#' * full:{WIDTH}}] {done} of {len(items)} {what}", end="", file=sys.stderr, flush=True)
        yield item
        if shown:  # what is printed for an item gets a line of its own
            print("\r\033[K", end="", file=sys.stderr, flush=True)
