"""Body: height and mass to segment lengths, masses and mass centres, by published tables.

Lengths: Drillis and Contini (1966) as fractions of body height; masses and mass centres:
Dempster via Winter, *Biomechanics and Motor Control of Human Movement*, table 4.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.skeleton import Skeleton, readonly

__all__ = ["FOOT_JOINTS", "G", "Body", "MassModel", "mass_model"]

Array = NDArray[np.float64]
G = 9.81  # m/s2
HEIGHT_RANGE = (0.9, 3.1)  # m; the tables hold for 0.9..2.2, taller figures are scaled
SHAPE_RANGE = (0.1, 60.0)  # m, of figures with proportions of their own

# Fractions of body height (Drillis & Contini 1966); FOOT splits are measured from the ankle.
THIGH, SHANK, ANKLE_HEIGHT = 0.245, 0.246, 0.039
FOOT, HEEL, BALL, TIP = 0.152, 0.20, 0.52, 0.80
UPPER_ARM, FOREARM, HAND = 0.186, 0.146, 0.108
HALF_HIP = 0.050
# Heights of the joints of the trunk above the ground, and of the arm roots.
TRUNK = {"hips": 0.550, "spine": 0.595, "chest": 0.660, "upper_chest": 0.735, "neck": 0.828, "head": 0.870}
CLAVICLE, SHOULDER = (0.020, 0.800), (0.107, 0.808)  # (lateral, height)

FOOT_JOINTS = ("foot", "toes", "heel", "toe_tip")

# segment: (share of body mass, joint it turns with, proximal point, distal point, mass centre from proximal).
# Points are joints, or (joint, fraction of body height along +y) where no joint lies there.
SEGMENTS: dict[str, tuple[float, str, str, str | tuple[str, float], float]] = {
    "head": (0.081, "head", "neck", ("head", 0.130), 0.52),
    "thorax": (0.216, "upper_chest", "neck", "chest", 0.55),
    "abdomen": (0.139, "spine", "chest", "hips", 0.44),
    "pelvis": (0.142, "hips", "spine", "hip_line", 0.35),
    "upper_arm": (0.028, "upper_arm", "upper_arm", "lower_arm", 0.436),
    "forearm": (0.016, "lower_arm", "lower_arm", "hand", 0.430),
    "hand": (0.006, "hand", "hand", "hand_end", 0.506),
    "thigh": (0.100, "upper_leg", "upper_leg", "lower_leg", 0.433),
    "shank": (0.0465, "lower_leg", "lower_leg", "foot", 0.433),
    "foot": (0.0145, "foot", "heel", "toe_tip", 0.50),
}


class MassModel(NamedTuple):
    """Point masses that turn with joints: ``shares`` (J,) of the body mass, ``centres`` (J, 3) m in joint frames."""

    shares: Array
    centres: Array


@dataclass(frozen=True)
class Body:
    """A person.

    Attributes:
        height: m, 0.9 to 3.1 (the tables are published for 0.9..2.2). With a shape it follows from its legs.
        mass: kg, more than 0; by default a body mass index of 22.9 kg/m2.
        shape: proportions of its own: a skeleton with the joints and the rest pose of :func:`person`, and offsets
            as they are in that body.
    """

    height: float = 1.75
    mass: float | None = None
    shape: Skeleton | None = None

    def __post_init__(self) -> None:
        low, high = HEIGHT_RANGE if self.shape is None else SHAPE_RANGE
        if self.shape is not None:
            object.__setattr__(self, "height", _shape_leg(self.shape) / (THIGH + SHANK + ANKLE_HEIGHT))
        if not (np.isfinite(self.height) and low <= self.height <= high):
            raise GambolError(f"height is {self.height:g} m", where="body", allowed=f"{low} to {high} m")
        mass = 22.9 * self.height**2 if self.mass is None else float(self.mass)
        if not (np.isfinite(mass) and mass > 0):
            raise GambolError(f"mass is {mass:g} kg", where="body", allowed="a positive number of kg")
        object.__setattr__(self, "mass", mass)

    @property
    def leg_length(self) -> float:
        """m, standing hip height: the length that makes speeds comparable, v / sqrt(g leg)."""
        return (THIGH + SHANK + ANKLE_HEIGHT) * self.height

    @property
    def foot_length(self) -> float:
        """m, heel to toe tip."""
        if self.shape is None:
            return FOOT * self.height
        foot = self.shape.indices(["left_heel", "left_toes", "left_toe_tip"])
        heel, toes, tip = (self.shape.offsets[j] for j in foot)
        return float(toes[2] + tip[2] - heel[2])

    @property
    def foot_shares(self) -> tuple[float, float]:
        """What of the foot's length lies behind the ankle, and what before it."""
        if self.shape is None:
            return HEEL, TIP
        behind = -float(self.shape.offsets[self.shape.index("left_heel"), 2]) / self.foot_length
        return behind, 1.0 - behind

    @property
    def roll(self) -> float:
        """0..1, how much of a person's roll over heel and toes this foot makes: one longer for its leg turns less."""
        return min(1.0, FOOT * self.height / self.foot_length)

    @property
    def hip_width(self) -> float:
        """m, between the hip joints."""
        skeleton = self.skeleton
        return 2 * float(skeleton.offsets[skeleton.index("left_upper_leg"), 0])

    @property
    def lift(self) -> float:
        """m, how much higher the mass centre lies above the hips than in a built-in person with such legs."""
        if self.shape is None:
            return 0.0
        return _mass_over_hips(self.shape) - _mass_over_hips(_person(self.height))

    @property
    def skeleton(self) -> Skeleton:
        """The 26 joints of a person of this height (VRM humanoid names in snake case, soles as leaves)."""
        return _person(self.height) if self.shape is None else self.shape

    @property
    def masses(self) -> MassModel:
        """Point masses of this body's segments."""
        return mass_model(self.skeleton)


@lru_cache(maxsize=64)
def _person(height: float) -> Skeleton:
    rows: list[tuple[str, str, tuple[float, float, float]]] = []
    previous, level = "", 0.0
    for name, y in TRUNK.items():
        rows.append((name, previous, (0.0, y - level, 0.0)))
        previous, level = name, y
    sole = -ANKLE_HEIGHT
    shoulder = (SHOULDER[0] - CLAVICLE[0], SHOULDER[1] - CLAVICLE[1])
    for side, s in (("left", 1.0), ("right", -1.0)):
        rows += [
            (f"{side}_shoulder", "upper_chest", (s * CLAVICLE[0], CLAVICLE[1] - TRUNK["upper_chest"], 0.0)),
            (f"{side}_upper_arm", f"{side}_shoulder", (s * shoulder[0], shoulder[1], 0.0)),
            (f"{side}_lower_arm", f"{side}_upper_arm", (s * UPPER_ARM, 0.0, 0.0)),
            (f"{side}_hand", f"{side}_lower_arm", (s * FOREARM, 0.0, 0.0)),
        ]
    for side, s in (("left", 1.0), ("right", -1.0)):
        rows += [
            (f"{side}_upper_leg", "hips", (s * HALF_HIP, THIGH + SHANK + ANKLE_HEIGHT - TRUNK["hips"], 0.0)),
            (f"{side}_lower_leg", f"{side}_upper_leg", (0.0, -THIGH, 0.0)),
            (f"{side}_foot", f"{side}_lower_leg", (0.0, -SHANK, 0.0)),
            (f"{side}_toes", f"{side}_foot", (0.0, sole, BALL * FOOT)),
            (f"{side}_heel", f"{side}_foot", (0.0, sole, -HEEL * FOOT)),
            (f"{side}_toe_tip", f"{side}_toes", (0.0, 0.0, (TIP - BALL) * FOOT)),
        ]
    names = [r[0] for r in rows]
    return Skeleton(
        names=tuple(names),
        parents=np.array([names.index(p) if p else -1 for _, p, _ in rows]),
        offsets=np.array([r[2] for r in rows]) * height,
        soles=tuple(names.index(n) for n in ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip")),
    )


def _shape_leg(shape: Skeleton) -> float:
    """m, hip to ground of a shape that stands."""
    down = [f"left_{n}" for n in ("lower_leg", "foot", "heel")]
    if any(n not in shape for n in _person(1.75).names):
        raise GambolError("the shape is no person", where="body", allowed="the joints of a built-in person")
    return -float(sum(shape.offsets[j, 1] for j in shape.indices(down)))


@lru_cache(maxsize=64)
def _mass_over_hips(skeleton: Skeleton) -> float:
    """m, mass centre above the line of the hip joints, standing with the arms down."""
    rest, model = skeleton.rest_positions(), mass_model(skeleton)
    heights = (rest + model.centres)[:, 1]
    for side in ("left", "right"):
        arm = skeleton.indices(f"{side}_{n}" for n in ("upper_arm", "lower_arm", "hand"))
        out = np.abs((rest + model.centres)[arm, 0] - rest[arm[0], 0])
        heights[arm] = rest[arm[0], 1] - out
    hips = rest[skeleton.indices(["left_upper_leg", "right_upper_leg"]), 1].mean()
    return float(model.shares @ heights / model.shares.sum() - hips)


@lru_cache(maxsize=64)
def mass_model(skeleton: Skeleton) -> MassModel:
    """Segment masses of a humanoid skeleton, found by its joint names.

    Raises:
        GambolError: where a joint that carries a segment is missing.
    """
    rest = skeleton.rest_positions()
    height = float(rest[:, 1].max() - rest[:, 1].min()) / (TRUNK["head"] or 1.0)

    def point(spec: str | tuple[str, float], side: str) -> Array:
        if isinstance(spec, tuple):
            return rest[skeleton.index(spec[0])] + np.array([0.0, spec[1] * height, 0.0])
        if spec == "hip_line":
            return rest[skeleton.indices(["left_upper_leg", "right_upper_leg"])].mean(0)
        if spec == "hand_end":
            hand, elbow = rest[skeleton.indices([f"{side}_hand", f"{side}_lower_arm"])]
            return hand + (hand - elbow) / np.linalg.norm(hand - elbow) * HAND * height
        return rest[skeleton.index(side + "_" + spec if side else spec)]

    shares, centres = np.zeros(len(skeleton)), np.zeros((len(skeleton), 3))
    for share, joint, proximal, distal, fraction in SEGMENTS.values():
        for side in ("",) if joint in skeleton and "left_" + joint not in skeleton else ("left", "right"):
            j = skeleton.index(f"{side}_{joint}" if side else joint)
            start, end = point(proximal, side), point(distal, side)
            shares[j] += share
            centres[j] = start + fraction * (end - start) - rest[j]
    return MassModel(readonly(shares), readonly(centres))
