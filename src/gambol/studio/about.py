"""What the studio can do, for the page to build its sliders and lists from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gambol import __version__
from gambol.errors import GambolError
from gambol.models import MODELS
from gambol.postures import base_of
from gambol.studio.export import SUFFIXES
from gambol.studio.folder import PROJECT, UPLOAD
from gambol.studio.make import run_presets
from gambol.studio.project import LONGEST
from gambol.synthesis import dials

if TYPE_CHECKING:
    from gambol.studio.workshop import Workshop

__all__ = ["about"]

TITLES = {"force": "Walk", "running": "Run", "measured": "Measured walk", "graph": "From clips", "dance": "Dance",
          "sway": "Wind"}  # fmt: skip
GROUNDS = (
    ("flat", "Flat"), ("slope:6", "Slope up"), ("slope:-6", "Slope down"), ("stairs:0.17,0.29,6", "Stairs up"),
    ("stairs:-0.17,0.29,6", "Stairs down"),
    ("demo", "Stairs, curve and slope"),
)


def about(shop: Workshop) -> dict[str, Any]:
    """Everything about this studio."""
    return {
        "version": __version__, "engine": shop.engine("force"), "warm": sorted(shop.warm),
        "folder": str(shop.folder.root), "methods": _methods(),
        "styles": _styles(), "models": [{"name": n, "title": n.title(), "kind": _kind(n)} for n in MODELS],
        "bases": _bases(), "grounds": [{"text": t, "title": title} for t, title in GROUNDS],
        "formats": [{"suffix": s, "title": title} for s, title in SUFFIXES.items()],
        "limits": {"upload_bytes": UPLOAD, "project_bytes": PROJECT, "seconds": LONGEST},
    }


def _methods() -> list[dict[str, Any]]:
    from gambol.methods import METHODS

    presets = _presets()
    return [
        {
            "name": name, "title": TITLES[name], "meaning": (METHODS[name].__doc__ or "").strip().split("\n")[0],
            "takes": list(getattr(METHODS[name], "takes", ("path",))), "presets": presets.get(name, []),
            "dials": [
                {**d._asdict(), "title": d.name.replace("_", " ").capitalize()} for d in dials(METHODS[name])
            ],
        }
        for name in TITLES
    ]


def _presets() -> dict[str, list[dict[str, Any]]]:
    from gambol.methods.running import Running

    known = {d.name for d in dials(Running)}
    return {
        "force": [{"name": n, "title": t, "dials": {}} for n, t in (("natural", "Natural"), ("paper", "As printed"))],
        "measured": [{"name": n, "title": n.title(), "dials": {}} for n in ("neutral", "tired", "proud", "paper")],
        "running": [
            {"name": n, "title": n.title(), "dials": {k: v for k, v in row.items() if k in known}}
            for n, row in run_presets().items()
        ],
    }


def _styles() -> list[dict[str, str]]:
    from gambol.style import styles

    return [{"name": n, "title": n.replace("_", " ").title(), "meaning": s.meaning} for n, s in styles().items()]


def _kind(name: str) -> str:
    return "person" if name == "person" else name if name in ("dog", "spider", "centipede") else "plant"


def _bases() -> dict[str, list[dict[str, str]]]:
    out = {}
    for kind in dict.fromkeys(_kind(n) for n in MODELS):
        try:
            out[kind] = [{"name": n, "title": n.replace("_", " ").capitalize()} for n in base_of(kind)]
        except GambolError:  # a kind without postures
            continue
    return out

