"""Which joint is what, in any rig: roles are the VRM humanoid names in snake case.

Evidence comes from names (:mod:`gambol.joint_names`) and from the shape of the tree and the rest positions: two
mirrored chains that reach the ground are legs, two mirrored chains of two long segments above them are arms, what
they hang from are hips and chest. Either alone is enough; together they are surer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.errors import GambolError
from gambol.joint_names import FINGERS, Reading, read_name
from gambol.limbs import Limb, Tree, arms_of, legs_of, looks
from gambol.skeleton import Skeleton

__all__ = ["ROLES", "Roles", "find_roles", "humanoid", "roles_from_json", "roles_of", "roles_report"]

Array = NDArray[np.float64]
_TRUNK = ("hips", "spine", "chest", "upper_chest", "neck", "head", "jaw", "left_eye", "right_eye")
_LIMBS = ("upper_leg", "lower_leg", "foot", "toes", "shoulder", "upper_arm", "lower_arm", "hand")
PHALANGES = {
    f: ("metacarpal", "proximal", "distal") if f == "thumb" else ("proximal", "intermediate", "distal") for f in FINGERS
}
ROLES = (
    *_TRUNK,
    *(f"{side}_{part}" for side in ("left", "right") for part in _LIMBS),
    *(f"{s}_{f}_{p}" for s in ("left", "right") for f in FINGERS for p in PHALANGES[f]),
)
NEEDED = ("hips", *(f"{s}_{p}" for s in ("left", "right") for p in ("upper_leg", "lower_leg", "foot")))
ON_GROUND = 0.2  # of the height: hands lower than this in the rest pose stand on the ground
NAME_WEIGHT, SHAPE_WEIGHT = 0.92, 0.65  # how sure a name, and the shape of the tree, can make one


@dataclass(frozen=True)
class Roles:
    """What was found.

    Attributes:
        joints: role -> index of the joint.
        sure: role -> 0..1.
        kind: ``human``, ``quadruped`` or ``other``.
        reason: why it is no human; empty for one.
        facing: rad, yaw of the figure at rest: 0 looks along +z, pi / 2 along +x.
        names: of the joints, for printing.
    """

    joints: dict[str, int]
    sure: dict[str, float]
    kind: str = "human"
    reason: str = ""
    facing: float = 0.0
    names: tuple[str, ...] = field(default=(), repr=False)

    def __contains__(self, role: object) -> bool:
        return role in self.joints

    def get(self, role: str) -> int | None:
        """Index of the joint, or None."""
        return self.joints.get(role)

    def lines(self) -> list[str]:
        """The mapping for a person, one role a line, with how sure it is."""
        return [f"{role:28} {self.names[j]:32} {100 * self.sure[role]:4.0f} %" for role, j in self.joints.items()]

    def to_json(self) -> str:
        """Role -> name of the joint; can be edited and given back to :func:`roles_from_json`."""
        return json.dumps({role: self.names[j] for role, j in self.joints.items()}, ensure_ascii=False, indent=2)


def roles_from_json(text: str, where: str = "roles") -> dict[str, str]:
    """Role -> name of a joint (empty: that role is not there), as :meth:`Roles.to_json` writes it.

    Raises:
        GambolError: not such a table, or a role that is not known.
    """
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GambolError(f"not JSON: {error}", where=where, allowed='{"hips": "name of the joint", ...}') from error
    if not isinstance(table, dict) or not all(isinstance(v, str) or v is None for v in table.values()):
        raise GambolError("not a table of roles and names", where=where, allowed='{"hips": "name of the joint", ...}')
    if strange := [k for k in table if k not in ROLES]:
        raise GambolError(f"no role is called {strange[0]!r}", where=where, allowed=", ".join(ROLES))
    return {k: v or "" for k, v in table.items()}


def roles_of(skeleton: Skeleton, given: Mapping[str, str] | None = None) -> Roles:
    """:func:`find_roles` of a skeleton."""
    return find_roles(skeleton.names, skeleton.parents, skeleton.rest_positions(), given)


def find_roles(
    names: Sequence[str], parents: ArrayLike, rest: ArrayLike, given: Mapping[str, str] | None = None
) -> Roles:
    """Roles of the joints of any rig.

    Args:
        names: J names.
        parents: ``(J,)`` index of the parent, before its children; -1 for roots.
        rest: ``(J, 3)`` rest positions, +y up, any unit.
        given: role -> name of the joint, where somebody knows; an empty name takes the role out.

    Returns:
        The mapping; where ``kind`` is not ``human`` it may be empty.

    Raises:
        GambolError: ``given`` names a joint that is not there, or one joint twice.
    """
    readings = [read_name(n) for n in names]
    tree = Tree(np.asarray(parents, int), np.asarray(rest, float), readings)
    said = _given(names, given or {})
    legs, surplus = legs_of(tree)
    if legs is None and not {"left_upper_leg", "right_upper_leg"} <= said.keys():
        return Roles({}, {}, "other", "no two mirrored legs that reach the ground were found", names=tuple(names))
    found: dict[str, tuple[int, float]] = {}
    if legs is not None:
        for side, limb in zip(("left", "right"), legs):
            _place(found, side, limb, ("upper_leg", "lower_leg", "foot", "toes"))
    arms = arms_of(tree, legs or ())
    if arms is not None:
        for side, limb in zip(("left", "right"), arms):
            _place(found, side, limb, ("shoulder", "upper_arm", "lower_arm", "hand"))
    _trunk(tree, found, said)
    for side in ("left", "right"):
        if (hand := found.get(f"{side}_hand")) is not None:
            _fingers(tree, side, hand[0], found)
    joints = {r: j for r, (j, _) in found.items()} | {r: j for r, j in said.items() if j >= 0}
    joints = {r: joints[r] for r in ROLES if r in joints and said.get(r, 0) >= 0}
    sure = {r: 1.0 if r in said else found[r][1] for r in joints}
    kind, reason = _kind(tree, joints, surplus)
    return Roles(joints, sure, kind, reason, _facing(tree, joints), tuple(names))


def humanoid(roles: Roles, where: str = "") -> Roles:
    """``roles``, where they are a human's.

    Raises:
        GambolError: for other figures, with the reason.
    """
    if roles.kind != "human":
        do = "" if roles.kind == "quadruped" else "if it is one, name its joints: --roles FILE"
        allowed = "a figure on two legs"
        raise GambolError(f"not a human rig: {roles.reason}", where=where, allowed=allowed, do=do)
    return roles


def _given(names: Sequence[str], given: Mapping[str, str]) -> dict[str, int]:
    """Role -> joint, -1 where a role is taken out."""
    out: dict[str, int] = {}
    index: dict[str, int] = {}
    for j, name in enumerate(names):
        index.setdefault(name, j)
    for role, name in given.items():
        if role not in ROLES:
            raise GambolError(f"no role is called {role!r}", where="roles", allowed=", ".join(ROLES))
        if name and name not in index:
            raise GambolError(f"no joint is called {name!r}", where=f"roles: {role}", allowed=", ".join(names))
        out[role] = index[name] if name else -1
    used = [j for j in out.values() if j >= 0]
    if len(set(used)) < len(used):
        twice = next(j for j in used if used.count(j) > 1)
        raise GambolError(f"the joint {names[twice]!r} has two roles", where="roles", allowed="one role a joint")
    return out


def _sureness(name: float, shape: float) -> float:
    return 1 - (1 - NAME_WEIGHT * min(name, 1.0)) * (1 - SHAPE_WEIGHT * min(max(shape, 0.0), 1.0))


def _place(found: dict[str, tuple[int, float]], side: str, limb: Limb, parts: Sequence[str]) -> None:
    for part, joint, name in zip(parts, limb.joints, limb.named):
        if joint >= 0:
            found[f"{side}_{part}"] = joint, _sureness(name, limb.shape)


def _trunk(tree: Tree, found: dict[str, tuple[int, float]], said: Mapping[str, int]) -> None:
    """Hips, spine, neck and head: the way from where the legs meet, by where the arms meet, to the head."""
    at = {r: j for r, (j, _) in found.items()} | {r: j for r, j in said.items() if j >= 0}
    legs = [at[r] for r in ("left_upper_leg", "right_upper_leg")]
    arms = [at[r] for r in ("left_upper_arm", "right_upper_arm") if r in at]
    bottom = said.get("hips", -1)
    meeting = tree.meeting(legs)
    if bottom < 0 and arms and meeting >= 0 and not tree.below(meeting, arms[0]):
        meeting = tree.meeting([*legs, *arms])  # legs on a joint of their own, as MMD's lower body
    hips = bottom if bottom >= 0 else meeting
    if hips < 0:
        return
    name = tree.readings[hips].parts.get("hips", 0.0)
    found.setdefault("hips", (hips, _sureness(name, 0.8)))
    head = said.get("head", -1)
    head = head if head >= 0 else _head(tree, hips, arms, {j for j, _ in found.values()} - {hips})
    top = tree.meeting(arms) if len(arms) == 2 else -1
    if head < 0 and top < 0:
        return
    way = tree.way(hips, head if head >= 0 else top)
    if not way:
        return
    readings = tree.readings
    chest = way.index(top) if top in way else -1
    if chest < 0:  # no arms, or arms lower than where the neck begins
        named = [i for i, j in enumerate(way) if readings[j].parts.get("spine")]
        chest = named[-1] if named else max(len(way) - 3, 0)
    neck_from = next((i for i, j in enumerate(way) if i and readings[j].parts.get("neck")), chest + 1)
    spine = [j for j in way[1 : min(neck_from, chest + 1 if top in way else neck_from)] if not readings[j].helper]
    necks = [j for j in way[neck_from:-1] if not readings[j].helper] if head >= 0 else []
    slots = {1: ("spine",), 2: ("spine", "chest")}.get(len(spine), ("spine", "chest", "upper_chest"))
    chosen = spine if len(spine) <= 3 else [spine[0], spine[len(spine) // 2], spine[-1]]
    for role, j in [*zip(slots, chosen), *(("neck", j) for j in necks[:1])]:
        part = "neck" if role == "neck" else "spine"
        found.setdefault(role, (j, _sureness(readings[j].parts.get(part, 0.0), 0.7)))
    if head >= 0:
        found.setdefault("head", (head, _sureness(readings[head].parts.get("head", 0.0), 0.7)))
        _face(tree, head, found)


def _head(tree: Tree, hips: int, arms: Sequence[int], taken: set[int]) -> int:
    """The joint called head, else the top of the highest chain near the middle that is no arm."""
    inside = tree.subtree(hips)
    named = [j for j in inside if tree.readings[j].parts.get("head", 0) > 0.9 and not tree.readings[j].helper]
    if named:
        return min(named, key=lambda j: tree.depth[j])
    start = tree.meeting(list(arms)) if len(arms) == 2 else hips
    limbs = {k for j in taken for k in tree.subtree(j)} - {start} if start >= 0 else set()
    free = [j for j in tree.subtree(max(start, 0)) if j not in limbs and j != start]
    if not free:
        return -1
    middle = tree.rest[hips, 0]
    best = max(free, key=lambda j: tree.rest[j, 1] - 2 * abs(tree.rest[j, 0] - middle))
    way = [j for j in tree.way(start, best)[1:] if not tree.readings[j].helper]
    return -1 if not way else way[-1] if len(way) <= 2 else way[-2]


def _face(tree: Tree, head: int, found: dict[str, tuple[int, float]]) -> None:
    for j in tree.subtree(head):
        reading = tree.readings[j]
        if reading.helper:
            continue
        if reading.parts.get("jaw"):
            found.setdefault("jaw", (j, NAME_WEIGHT))
        if reading.parts.get("eye") and reading.side:
            found.setdefault("left_eye" if reading.side > 0 else "right_eye", (j, NAME_WEIGHT))


def _fingers(tree: Tree, side: str, hand: int, found: dict[str, tuple[int, float]]) -> None:
    """The last three named joints of every finger below a hand, the one nearest to the hand first."""
    chains: dict[str, list[int]] = {f: [] for f in FINGERS}
    for j in tree.subtree(hand):
        reading: Reading = tree.readings[j]
        for finger in FINGERS:
            if finger in reading.parts and not reading.helper:
                chains[finger].append(j)
    for finger, chain in chains.items():
        chain = sorted(chain, key=lambda j: tree.depth[j])
        chain = [j for i, j in enumerate(chain) if not i or tree.below(chain[i - 1], j)]
        for phalanx, j in zip(PHALANGES[finger], chain[-3:] if len(chain) > 3 and finger != "thumb" else chain):
            found.setdefault(f"{side}_{finger}_{phalanx}", (j, NAME_WEIGHT))


def _kind(tree: Tree, joints: Mapping[str, int], surplus: int) -> tuple[str, str]:
    missing = [r for r in NEEDED if r not in joints]
    if missing:
        return "other", f"no joint was found for {', '.join(missing)}"
    if surplus:
        return "other", f"it has {2 + surplus} legs"
    rest, low, height = tree.rest, tree.low, tree.height
    hands = [j for r in ("left_hand", "right_hand") if (j := joints.get(r)) is not None]
    chest = joints.get("upper_chest", joints.get("chest", joints.get("spine")))
    if len(hands) == 2 and chest is not None:
        trunk = rest[tree.meeting([joints["left_upper_arm"], joints["right_upper_arm"]])] - rest[joints["hips"]]
        lying = float(np.hypot(trunk[0], trunk[2])) > abs(float(trunk[1]))
        raised = float(rest[joints["hips"], 1]) - low > 0.35 * height
        if lying and raised and max(float(rest[h, 1]) for h in hands) - low < ON_GROUND * height:
            return "quadruped", "its trunk lies level and its arms stand on the ground: four legs"
    return "human", ""


def _facing(tree: Tree, joints: Mapping[str, int]) -> float:
    """rad, the yaw of the rest pose: square to the line from the right leg to the left, and the way the feet point.

    Rigs are built square to the axes; what is within 20 degrees of one is taken as that.
    """
    if not set(NEEDED) <= joints.keys():
        return 0.0
    legs = [[joints[f"{s}_{p}"] for p in ("upper_leg", "lower_leg", "foot")] for s in ("left", "right")]
    feet = looks(tree, legs)
    across = tree.rest[legs[0][0]] - tree.rest[legs[1][0]]
    ahead = np.array([-across[2], 0.0, across[0]])  # left x up
    if ahead @ feet < 0 or not ahead.any():  # the sides are named from the front: the feet are right
        ahead = feet
    yaw = float(np.arctan2(ahead[0], ahead[2]))
    square = round(yaw / (np.pi / 2)) * (np.pi / 2)
    yaw = square if abs(yaw - square) < np.radians(20.0) else yaw
    return np.pi if abs(yaw + np.pi) < 1e-9 else yaw


def roles_report(roles: Roles) -> dict[str, Any]:
    """Plain facts for JSON: kind, reason, and role -> [joint, sureness]."""
    table = {r: [roles.names[j], round(roles.sure[r], 2)] for r, j in roles.joints.items()}
    facing = round(float(np.degrees(roles.facing)), 1)
    return {"kind": roles.kind, "reason": roles.reason, "facing_deg": facing, "roles": table}
