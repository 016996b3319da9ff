"""Which skin a motion wears: a person's skeleton the mannequin, a built-in model its own, anything else none."""

from __future__ import annotations

import numpy as np

from gambol.errors import GambolError
from gambol.mannequin import is_person, mannequin
from gambol.models import figure
from gambol.motion import Motion
from gambol.skeleton import Skeleton
from gambol.skin import Skin

__all__ = ["skin_of"]

ALIKE = 1e-4  # m; files keep places in single precision


def skin_of(motion: Motion) -> Skin | None:
    """The skin of a motion's figure, or None where there is none.

    A built-in model is known by ``info["model"]``; its skin is worn by that very skeleton alone.
    """
    if is_person(motion.skeleton):
        return mannequin(motion.skeleton)
    name = motion.info.get("model")
    if not isinstance(name, str) or not name:
        return None
    try:
        made = figure(name)
    except GambolError:
        return None
    return made.skin if _same(made.model.skeleton, motion.skeleton) else None


def _same(a: Skeleton, b: Skeleton) -> bool:
    return a.names == b.names and bool(np.abs(a.offsets - b.offsets).max() < ALIKE)
