"""Small pictures of the postures of a base, for the page to choose from."""

from __future__ import annotations

import base64
import io
from functools import lru_cache
from typing import Any

import numpy as np

from gambol.errors import GambolError
from gambol.model import Model
from gambol.motion import Motion
from gambol.postures import base_of, pose_with, posture
from gambol.studio.workshop import Wearer

__all__ = ["thumbnails"]

COLUMNS = 8


def thumbnails(wearer: Wearer) -> dict[str, Any]:
    """Names of a figure's postures, and pictures of them, row by row, as one data URL."""
    if wearer.model is None:
        return {"names": [], "columns": COLUMNS, "sheet": ""}
    return dict(_drawn(wearer.model))


@lru_cache(maxsize=8)
def _drawn(model: Model) -> dict[str, Any]:
    from gambol.render import postures_sheet

    try:
        base = base_of(model.kind)
    except GambolError:  # a kind without postures
        base = {}
    poses = [pose_with(model, posture(standing(name, base), base))[0] for name in base]
    if not poses:
        return {"names": [], "columns": COLUMNS, "sheet": ""}
    turns, roots = np.stack([p.rotations for p in poses]), np.stack([p.root for p in poses])
    motion = Motion(model.skeleton, roots, turns, 1.0, name="postures", info={"model": model.name})
    out = io.BytesIO()
    postures_sheet(motion, COLUMNS).save(out, "PNG")
    sheet = "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()
    return {"names": list(base), "columns": COLUMNS, "sheet": sheet}


def standing(name: str, base: Any) -> str:
    """A posture on top of the stand, as dances have it; the stand itself as it is."""
    return name if name == "stand" or "stand" not in base else f"stand + {name}"
