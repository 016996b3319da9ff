"""The one error type a user meets: what, where, what is allowed, what to do."""

from __future__ import annotations

__all__ = ["GambolError", "MissingExtra"]


class GambolError(ValueError):
    """A request or a file that cannot be used.

    Args:
        what: what is wrong, as a short clause.
        where: file, line, frame, joint or argument it was found at.
        allowed: the values that would have been accepted.
        do: what the user can do about it.
    """

    def __init__(self, what: str, *, where: str = "", allowed: str = "", do: str = "") -> None:
        self.what, self.where, self.allowed, self.do = what, where, allowed, do
        head = f"{where}: {what}" if where else what
        super().__init__("; ".join(part for part in (head, allowed, do) if part))


class MissingExtra(GambolError):
    """A library that only one feature needs is not installed."""

    def __init__(self, library: str, extra: str, feature: str) -> None:
        super().__init__(
            f"{feature} needs the library {library!r}, which is not installed",
            do=f"install it with: pip install 'gambol[{extra}]'",
        )
