"""What the command says of words it cannot use: one line of what, where, what is allowed and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cyclopts import CycloptsError
from cyclopts.exceptions import (
    CoercionError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from gambol.errors import GambolError

__all__ = ["complaint"]

KINDS = {float: "a number", int: "a whole number", bool: "the bare flag, or yes or no"}


def complaint(error: Exception, words: Sequence[str], commands: Iterable[str]) -> str:
    """One line for a person, without control characters.

    Args:
        error: what was raised.
        words: those after ``gambol``.
        commands: names of the commands.
    """
    known = words[:1] if words and words[0] in commands else []
    command = " ".join(["gambol", *known, "--help"])
    if isinstance(error, OSError):
        reason = f"it cannot be used: {error.strerror or error}"
        error = GambolError(reason, where=str(error.filename or "a file"), do="check its name and rights")
    elif isinstance(error, CycloptsError):
        error = _misspelt(error)
    text = str(error)
    if not (isinstance(error, GambolError) and error.do):
        text = f"{text}; see {command}"
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _misspelt(error: CycloptsError) -> GambolError:
    """The same in our four parts."""
    if isinstance(error, CoercionError) and error.token is not None:
        kind = KINDS.get(error.target_type, "another value")  # type: ignore[arg-type]
        return GambolError(f"{error.token.value!r} is not {kind}", where=str(error.token.keyword), allowed=kind)
    if isinstance(error, MissingArgumentError):
        name = str(error.keyword or (error.argument.name if error.argument else "an argument"))
        if not error.keyword:
            return GambolError(f"no {name.lstrip('-')} is given", where="command line", allowed="one")
        do = f"a value that begins with a dash is written {name}=-..." if name.startswith("--") else ""
        return GambolError("no value follows", where=name, allowed="one value", do=do)
    if isinstance(error, RepeatArgumentError):
        return GambolError("it is given more than once", where=str(error.token.keyword), allowed="once")
    if isinstance(error, UnusedCliTokensError):
        first = (error.unused_tokens or ["?"])[0]
        do = "put quotes round a value with blanks, and -o before every file"
        return GambolError(f"{first!r} belongs to no option", where="command line", do=do)
    if isinstance(error, UnknownOptionError):
        return _unknown(error)
    return GambolError(str(error).rstrip("."))


def _unknown(error: UnknownOptionError) -> GambolError:
    """An option that is not there: the nearest one, or the dial of that name."""
    from gambol.methods.force_walk import ForceWalk
    from gambol.synthesis import dials

    name = error.token.keyword if error.token is not None else ""
    dial = str(name).lstrip("-").replace("-", "_")
    if dial in [d.name for d in dials(ForceWalk)]:
        do = f"it is a dial: --dial {dial}=VALUE"
        return GambolError(f"no option is called {name}", where="command line", do=do)
    _, _, hint = str(error).partition(". ")
    hint = hint[:1].lower() + hint[1:]
    return GambolError(f"no option is called {name}", where="command line", do=hint)
