"""The built-in person: the 26 joints of a body, fingers, and the crown of the head; 39 as in the paper's figure."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gambol.body import Body
from gambol.model import Model
from gambol.skeleton import Skeleton

__all__ = ["person"]

# Of body height, from the hand joint of the left side: along the hand, up, ahead.
FINGERS = (
    ("thumb_proximal", "hand", (0.018, -0.003, 0.011)),
    ("thumb_distal", "thumb_proximal", (0.017, -0.006, 0.013)),
    ("index_proximal", "hand", (0.054, 0.0, 0.012)),
    ("index_intermediate", "index_proximal", (0.026, 0.0, 0.0)),
    ("ring_proximal", "hand", (0.052, 0.0, -0.012)),
    ("ring_intermediate", "ring_proximal", (0.025, 0.0, 0.0)),
)
CROWN = 0.13
RADII = {  # half thickness of the link to a joint, of body height
    "spine": 0.06, "chest": 0.06, "upper_chest": 0.065, "neck": 0.05, "head": 0.03, "head_end": 0.05,
    "shoulder": 0.03, "upper_arm": 0.03, "lower_arm": 0.024, "hand": 0.018, "upper_leg": 0.05, "lower_leg": 0.043,
    "foot": 0.028, "toes": 0.02, "heel": 0.02, "toe_tip": 0.018,
}


@lru_cache(maxsize=32)
def person(height: float = 1.75) -> Model:
    """A person of a height in m."""
    base = Body(height).skeleton
    names, parents, offsets = list(base.names), list(base.parents), list(base.offsets)
    for side, s in (("left", 1.0), ("right", -1.0)):
        for name, parent, (x, y, z) in FINGERS:
            names.append(f"{side}_{name}")
            parents.append(names.index(f"{side}_{parent}"))
            offsets.append(np.array([s * x, y, z]) * height)
    names.append("head_end")
    parents.append(names.index("head"))
    offsets.append(np.array([0.0, CROWN, 0.0]) * height)
    skeleton = Skeleton(tuple(names), np.array(parents), np.array(offsets), base.soles)
    plain = [n.removeprefix("left_").removeprefix("right_") for n in names]
    radii = np.array([RADII.get(n, 0.008) * height for n in plain])
    return Model(f"person:{height:g}", skeleton, "person", radii)
