"""The body of a rig: a person with the rig's own proportions, for whom a walk is made.

Lengths are measured at rest between the joints that have a role, left and right as their mean; soles are those of the
rig. What a rig has no joint for is filled in between its neighbours, or from the published proportions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.body import Body
from gambol.errors import GambolError
from gambol.roles import Roles, humanoid
from gambol.skeleton import Skeleton

__all__ = ["body_of"]

Array = NDArray[np.float64]
SIDES = ("left", "right")
BALL_OF_TIP = 0.92  # where a foot without toes rolls, of the way from ankle to tip
SHORTEST = 0.02  # of the leg: no ankle is lower, no heel shorter


def body_of(skeleton: Skeleton, roles: Roles, mass: float | None = None, where: str = "") -> Body:
    """The body of a rig with sole points.

    Args:
        skeleton: of the rig; its rest pose may be any.
        roles: which joint is what.
        mass: kg; by default that of a person of the same build.
        where: name of the rig, for errors.

    Raises:
        GambolError: no human, or no sole points.
    """
    humanoid(roles, where)
    at = _Places(skeleton, roles)
    person = Body(1.75)
    ratio = at.leg / (person.leg_length)
    thigh, shank = (at.length(a, b) for a, b in (("upper_leg", "lower_leg"), ("lower_leg", "foot")))
    ankle, heel, ball, tip = at.foot()
    hips = at.role("hips") - at.hip_centre
    half = 0.5 * float(np.linalg.norm(at.role("left_upper_leg") - at.role("right_upper_leg")))
    rows: dict[str, Array] = {"hips": np.array([0.0, thigh + shank + ankle + hips[1], 0.0])}
    points = _trunk(at, person, ratio)
    previous = hips * [0.0, 1.0, 1.0]
    for name in ("spine", "chest", "upper_chest", "neck", "head"):
        rows[name] = points[name] - previous
        previous = points[name]
    shoulder, root, upper, fore = _arms(at, person, ratio, points)
    for side, s in (("left", 1.0), ("right", -1.0)):
        mirror = np.array([s, 1.0, 1.0])
        rows[f"{side}_shoulder"] = (shoulder - points["upper_chest"]) * mirror
        rows[f"{side}_upper_arm"] = (root - shoulder) * mirror
        rows[f"{side}_lower_arm"] = np.array([s * upper, 0.0, 0.0])
        rows[f"{side}_hand"] = np.array([s * fore, 0.0, 0.0])
        rows[f"{side}_upper_leg"] = np.array([s * half, -hips[1], -hips[2]])
        rows[f"{side}_lower_leg"] = np.array([0.0, -thigh, 0.0])
        rows[f"{side}_foot"] = np.array([0.0, -shank, 0.0])
        rows[f"{side}_toes"] = np.array([0.0, -ankle, ball])
        rows[f"{side}_heel"] = np.array([0.0, -ankle, -heel])
        rows[f"{side}_toe_tip"] = np.array([0.0, 0.0, tip - ball])
    form = person.skeleton
    shape = Skeleton(form.names, form.parents, np.array([rows[n] for n in form.names]), form.soles)
    return Body(mass=mass, shape=shape)


class _Places:
    """Rest positions of the joints, turned so that the figure looks along +z; m from where they are."""

    def __init__(self, skeleton: Skeleton, roles: Roles) -> None:
        back = quat.from_axis_angle([0.0, 1.0, 0.0], -roles.facing)
        self.rest = quat.rotate(back, skeleton.rest_positions())
        self.roles = roles
        self.soles = {skeleton.names[s]: self.rest[s] for s in skeleton.soles}
        if not {f"{s}_{p}" for s in SIDES for p in ("heel", "toe_tip")} <= self.soles.keys():
            raise GambolError("the rig has no sole points", where="body", do="add them: soles.soled(motion)")
        self.hip_centre = 0.5 * (self.role("left_upper_leg") + self.role("right_upper_leg"))
        self.leg = self.length("upper_leg", "lower_leg") + self.length("lower_leg", "foot")

    def role(self, role: str) -> Array:
        """(3,) m."""
        return np.asarray(self.rest[self.roles.joints[role]])

    def has(self, *parts: str) -> bool:
        """Whether both sides have all of these."""
        return all(f"{s}_{p}" in self.roles for s in SIDES for p in parts)

    def length(self, a: str, b: str) -> float:
        """m, mean over both sides of the way from joint to joint along the chain."""
        return float(np.mean([np.linalg.norm(self.role(f"{s}_{b}") - self.role(f"{s}_{a}")) for s in SIDES]))

    def foot(self) -> tuple[float, float, float, float]:
        """m: ankle above the sole, heel behind the ankle, ball and tip before it; mean over both sides."""
        out = []
        for side in SIDES:
            ankle, heel, tip = self.role(f"{side}_foot"), self.soles[f"{side}_heel"], self.soles[f"{side}_toe_tip"]
            way = (tip - heel) * [1.0, 0.0, 1.0]
            way = way / max(float(np.linalg.norm(way)), 1e-9)
            to_tip = float((tip - ankle) @ way)
            ball = BALL_OF_TIP * to_tip
            if f"{side}_toes" in self.roles:
                ball = float((self.role(f"{side}_toes") - ankle) @ way)
            high = float(ankle[1] - min(heel[1], tip[1]))
            out.append((high, float((ankle - heel) @ way), ball, to_tip))
        high, heel, ball, tip = (float(x) for x in np.mean(out, axis=0))
        least = SHORTEST * self.leg
        tip = max(tip, 3 * least)
        return max(high, least), max(heel, least), min(max(ball, 0.3 * tip), 0.92 * tip), tip


def _trunk(at: _Places, person: Body, ratio: float) -> dict[str, Array]:
    """(3,) m of spine to head from the middle of the hip joints, in the plane between left and right."""
    known = [(r, (at.role(r) - at.hip_centre) * [0.0, 1.0, 1.0]) for r in _TRUNK if r in at.roles]
    usual = person.skeleton.rest_positions() - [0.0, person.leg_length, 0.0]
    if len(known) < 3 or known[-1][0] != "head":  # no head or hardly a trunk: a person's
        return {r: usual[person.skeleton.index(r)] * ratio for r in _TRUNK}
    share = {r: (person.skeleton.rest_positions()[person.skeleton.index(r), 1]) for r in _TRUNK}
    out = dict(known)
    for r in _TRUNK:  # what is missing lies between its neighbours, where a person has it
        if r not in out:
            above = next(k for k in _TRUNK[_TRUNK.index(r) :] if k in out)
            below = [k for k in _TRUNK[: _TRUNK.index(r)] if k in out][-1]
            t = (share[r] - share[below]) / (share[above] - share[below])
            out[r] = out[below] + t * (out[above] - out[below])
    return out


_TRUNK = ("hips", "spine", "chest", "upper_chest", "neck", "head")


def _arms(
    at: _Places, person: Body, ratio: float, trunk: dict[str, Array]
) -> tuple[Array, Array, float, float]:
    """Left clavicle and shoulder (3,) m from the middle of the hip joints, upper arm and forearm m."""
    usual, form = person.skeleton.offsets, person.skeleton
    if not at.has("upper_arm", "lower_arm", "hand"):
        shoulder = trunk["upper_chest"] + usual[form.index("left_shoulder")] * ratio
        root = shoulder + usual[form.index("left_upper_arm")] * ratio
        return shoulder, root, *(float(usual[form.index(f"left_{n}"), 0] * ratio) for n in ("lower_arm", "hand"))

    def mean(part: str) -> Array:
        left, right = (at.role(f"{s}_{part}") - at.hip_centre for s in SIDES)
        return np.asarray(0.5 * (left + right * [-1.0, 1.0, 1.0]))

    root = mean("upper_arm")
    shoulder = mean("shoulder") if at.has("shoulder") else trunk["upper_chest"] + 0.3 * (root - trunk["upper_chest"])
    return shoulder, root, at.length("upper_arm", "lower_arm"), at.length("lower_arm", "hand")
