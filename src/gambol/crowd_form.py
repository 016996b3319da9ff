"""How many walk, and what differs between them: the form behind ``gambol walk --count``."""

from __future__ import annotations

from dataclasses import dataclass

from gambol.errors import GambolError
from gambol.forms import nearest

__all__ = ["DEFAULT_CROWD", "CrowdForm"]

VARIED = ("height", "cadence", "phase", "style")
MOST = 500


@dataclass(frozen=True)
class CrowdForm:
    """Many walkers in one file.

    Attributes:
        count: walkers; with several paths they are dealt out to them. By default one for each path.
        vary: what differs between them, of height, cadence, phase and style, with commas; or nothing.
    """

    count: int | None = None
    vary: str = "height,cadence,phase"

    def several(self, paths: int) -> bool:
        """Whether it is more than one walker.

        Raises:
            GambolError: for a count that cannot be.
        """
        if self.count is not None and not max(paths, 1) <= self.count <= MOST:
            allowed = f"{max(paths, 1)} to {MOST}"
            raise GambolError(f"{self.count} walkers on {max(paths, 1)} paths", where="--count", allowed=allowed)
        return paths > 1 or (self.count or 1) > 1

    def varied(self) -> tuple[str, ...]:
        """What differs.

        Raises:
            GambolError: for a word that is not known.
        """
        words = tuple(w.strip().lower() for w in self.vary.split(",") if w.strip())
        for word in words:
            if word not in (*VARIED, "nothing"):
                raise GambolError(f"{word[:40]!r} does not vary", where="--vary", do=nearest(word, VARIED))
        return words


DEFAULT_CROWD = CrowdForm()
