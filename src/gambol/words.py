"""Words that several commands share: options, files to write, JSON on standard output."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from gambol.errors import GambolError
from gambol.facts import jsonable
from gambol.forms import nearest

__all__ = ["Dials", "Files", "Json", "Paths", "Switch", "Text", "check_targets", "print_json"]

Text = Annotated[str | None, Parameter(allow_leading_hyphen=True)]
Paths = Annotated[tuple[str, ...], Parameter(negative=(), show_default=False, allow_leading_hyphen=True)]
Files = Annotated[tuple[Path, ...], Parameter(name=["--output", "-o"], negative=(), show_default=False)]
Dials = Annotated[tuple[str, ...], Parameter(name="--dial", negative=(), show_default=False)]
Json = Annotated[bool, Parameter(name="--json", negative=())]
Switch = Annotated[bool, Parameter(negative=())]


def check_targets(files: Sequence[Path], suffixes: Sequence[str], sources: Iterable[str | Path | None] = ()) -> None:
    """Refuse a list of output files before any work is done, so that nothing is written by halves.

    Args:
        files: to be written.
        suffixes: that can be.
        sources: texts that may name files which are read, and must stay as they are.
    """
    from gambol.io.target import check_target, place

    read = [str(s).partition(" scale=")[0].partition(" up=")[0] for s in sources if s]
    taken: dict[Path, str] = {place(s): "is read, and would be replaced" for s in read}
    for file in files:
        if file.suffix.lower() not in suffixes:
            raise GambolError(
                f"no writer for the suffix {file.suffix!r}", where=str(file), allowed=", ".join(suffixes),
                do=nearest(file.suffix.lower(), suffixes) if file.suffix else "give the file a suffix",
            )
        check_target(file)
        if (target := place(file)) in taken:
            raise GambolError(f"this file {taken[target]}", where=f"-o {file}", do="give another name")
        taken[target] = "is named twice"


def print_json(table: dict[str, Any]) -> None:
    """Valid JSON on standard output: numbers that are not finite become null."""
    print(json.dumps(jsonable(table), indent=2, allow_nan=False))
