"""A rig as a figure that walks: which joint is what, where its soles are, and feet below their shanks.

In rigs made for inverse kinematics the feet hang from the root and follow no leg. Here they hang from the shank, as
a foot does; when a clip is written, the nodes get the places that follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.character import Character, Surface
from gambol.errors import GambolError
from gambol.io.glb import parsed, unpack
from gambol.io.gltf_nodes import nodes_of
from gambol.io.gltf_rig import Rig, groups_of, rig_of
from gambol.io.gltf_skin import surface_of
from gambol.io.source import Source
from gambol.motion import Motion
from gambol.roles import ROLES, Roles, roles_of
from gambol.skeleton import Skeleton
from gambol.soles import SOLE_NAMES, soled, soles_on

__all__ = ["Hanging", "character_of", "given_roles", "hanging_now", "hanging_of", "hung", "worn"]

Array = NDArray[np.float64]
SIDES = ("left", "right")
# VRM 0 names the joints of the thumb one joint later than VRM 1.
_THUMB_0 = {"thumb_proximal": "thumb_metacarpal", "thumb_intermediate": "thumb_proximal"}


class Hanging(NamedTuple):
    """What is changed in a rig: joints in the new order, their parents (both by their old numbers), sole points.

    What hangs neither from the hips nor is them is left out: it carries nothing of the figure.
    """

    order: tuple[int, ...]
    parents: tuple[int, ...]
    points: dict[str, tuple[int, Array]]

    def to_json(self, skeleton: Skeleton) -> dict[str, Any]:
        """Plain facts by which :meth:`from_json` finds the same again."""
        moved = {
            skeleton.names[j]: skeleton.names[p]
            for j, p in zip(self.order, self.parents)
            if p not in (-1, int(skeleton.parents[j]))
        }
        points = {n: [skeleton.names[j], np.asarray(v).tolist()] for n, (j, v) in self.points.items()}
        return {"root": skeleton.names[self.order[0]], "hang": moved, "points": points}

    @classmethod
    def from_json(cls, facts: Any, skeleton: Skeleton) -> Hanging | None:
        """The facts, where they fit the skeleton."""
        try:
            at = {n: j for j, n in enumerate(skeleton.names)}
            moved = {at[n]: at[p] for n, p in facts["hang"].items()}
            points = {n: (at[j], np.array(v, float).reshape(3)) for n, (j, v) in facts["points"].items()}
            root = at[facts["root"]]
        except (KeyError, TypeError, ValueError, AttributeError):
            return None
        if any(n not in SOLE_NAMES for n in points):
            return None
        return _ordered(skeleton, root, moved, points)


def hanging_of(document: Mapping[str, Any], binary: bytes, rig: Rig) -> Hanging | None:
    """What to change in a rig; None where it is no human's."""
    roles = roles_of(rig.skeleton, given_roles(document, rig))
    if roles.kind != "human":
        return None
    surface, _ = surface_of(document, binary, rig)
    return _hanging(rig.skeleton, roles, surface)


def character_of(data: bytes, source: Source, roles: Mapping[str, str] | None = None) -> Character:
    """The rig in a .glb, .gltf or .vrm.

    Args:
        data: of the file.
        source: its name, and the files beside it.
        roles: role -> name of a joint, where somebody knows better.

    Raises:
        GambolError: no skeleton in it, or several.
    """
    document, binary = unpack(data, source.name, source)
    nodes = nodes_of(document)
    groups = [g for g in groups_of(document, nodes) if len(g) > 1] if document.get("skins") else []
    if not groups:
        what = "there is no skin in it, so nothing says what its skeleton is"
        raise GambolError(what, where=source.name, allowed="a rigged character", do="bind its mesh to its skeleton")
    if len(groups) > 1:
        firsts = ", ".join(repr(nodes.names[g[0]] or f"node {g[0]}") for g in groups[:4])
        what = f"{len(groups)} skeletons in one file: below {firsts}"
        raise GambolError(what, where=source.name, allowed="one character a file", do="save each in a file of its own")
    rig = rig_of(nodes, groups[0])
    surface, notes = surface_of(document, binary, rig)
    parts = [*document.get("images", []), *parsed(data, source.name)[0].get("buffers", [])]
    if any(not str(p.get("uri", "data:")).startswith("data:") for p in parts):
        notes.append("it has parts in files beside it: keep the copy in the same folder")
    found = roles_of(rig.skeleton, {**given_roles(document, rig), **(roles or {})})
    return _character(rig, found, surface, (source, data, tuple(notes)))


def _character(
    rig: Rig, roles: Roles, surface: Surface | None, file: tuple[Source, bytes, tuple[str, ...]]
) -> Character:
    source, data, notes = file
    how = _hanging(rig.skeleton, roles, surface) if roles.kind == "human" else _ordered(rig.skeleton, 0, {}, {})
    skeleton = worn(rig.skeleton, how)
    new = {old: j for j, old in enumerate(how.order)}
    joints = {r: new[j] for r, j in roles.joints.items() if j in new}
    roles = Roles(joints, roles.sure, roles.kind, roles.reason, roles.facing, skeleton.names)
    if surface is not None:
        at = np.array([new.get(j, 0) for j in range(len(rig.joints))])
        surface = surface._replace(joints=at[surface.joints])
    numbers = np.array([*(rig.joints[j] for j in how.order), *[-1] * (len(skeleton) - len(how.order))])
    if moved := how.to_json(rig.skeleton)["hang"]:
        notes = (*notes, f"{', '.join(moved)} hang from elsewhere in the file and follow the leg here")
    return Character(source.name, skeleton, roles, surface, data, numbers, notes)


def hanging_now(character: Character, rig: Rig) -> dict[str, Any]:
    """The facts of :meth:`Hanging.to_json` of a character."""
    skeleton = character.skeleton
    at = {n: j for j, n in enumerate(rig.joints)}
    old = [at.get(int(n), -1) for n in character.nodes]
    order = tuple(j for j in old if j >= 0)
    parents = tuple(-1 if p < 0 else old[int(p)] for p in skeleton.parents[: len(order)])
    points = {
        skeleton.names[s]: (old[int(skeleton.parents[s])], skeleton.offsets[s])
        for s in skeleton.soles
        if s >= len(order)
    }
    return Hanging(order, parents, points).to_json(rig.skeleton)


def given_roles(document: Mapping[str, Any], rig: Rig) -> dict[str, str]:
    """Role -> name of the joint as a VRM (0 or 1) says; empty for other files."""
    extensions = document.get("extensions") or {}
    said: list[tuple[str, int]] = []
    old = False
    try:
        if "VRMC_vrm" in extensions:
            bones = extensions["VRMC_vrm"]["humanoid"]["humanBones"]
            said = [(name, int(bone["node"])) for name, bone in bones.items()]
        elif "VRM" in extensions:
            old = True
            said = [(b["bone"], int(b["node"])) for b in extensions["VRM"]["humanoid"]["humanBones"]]
    except (KeyError, TypeError, ValueError, AttributeError):
        return {}
    at = {n: j for j, n in enumerate(rig.joints)}
    out: dict[str, str] = {}
    for name, node in said:
        role = "".join("_" + c.lower() if c.isupper() else c for c in str(name))
        side, _, rest = role.partition("_")
        role = f"{side}_{_THUMB_0[rest]}" if old and rest in _THUMB_0 else role
        if role in ROLES and node in at and rig.skeleton.names[at[node]] not in out.values():
            out[role] = rig.skeleton.names[at[node]]
    return out


def _hanging(skeleton: Skeleton, roles: Roles, surface: Surface | None) -> Hanging:
    moved: dict[int, int] = {}
    root = roles.joints["hips"]
    for side in SIDES:
        foot, knee, toes = (roles.get(f"{side}_{p}") for p in ("foot", "lower_leg", "toes"))
        if foot is not None and knee is not None and not _below(skeleton, knee, foot):
            moved[foot] = knee
        if toes is not None and foot is not None and not _below(skeleton, foot, toes):
            moved[toes] = foot
    points = {} if surface is None else soles_on(surface, skeleton, roles)
    points = {n: at for n, at in points.items() if n not in skeleton.names}
    if any(n not in points and n not in skeleton.names for n in SOLE_NAMES):  # from the joints
        base = _ordered(skeleton, root, moved, {})
        bare = worn(skeleton, base)
        new = {old: j for j, old in enumerate(base.order)}
        joints = {r: new[j] for r, j in roles.joints.items() if j in new}
        there = Roles(joints, roles.sure, "human", "", roles.facing, bare.names)
        still = Motion(bare, bare.offsets[:1], np.tile(quat.IDENTITY, (1, len(bare), 1)), 1.0)
        full = soled(still, there).skeleton
        found = {full.names[s]: (base.order[int(full.parents[s])], full.offsets[s]) for s in full.soles}
        points = {**{n: at for n, at in found.items() if n not in skeleton.names}, **points}
    return _ordered(skeleton, root, moved, points)


def _below(skeleton: Skeleton, upper: int, joint: int) -> bool:
    while joint >= 0:
        joint = int(skeleton.parents[joint])
        if joint == upper:
            return True
    return False


def _ordered(
    skeleton: Skeleton, root: int, moved: Mapping[int, int], points: dict[str, tuple[int, Array]]
) -> Hanging:
    """The joints below ``root`` with their new parents, parents first and otherwise in the old order."""
    parents = [moved.get(j, int(p)) for j, p in enumerate(skeleton.parents)]
    parents[root] = -1
    below: dict[int, list[int]] = {}
    for j, p in enumerate(parents):
        below.setdefault(p, []).append(j)
    inside, stack = set(), [root]
    while stack:
        inside.add(j := stack.pop())
        stack += [k for k in below.get(j, []) if k not in inside]
    order, waiting = [root], sorted(inside - {root})
    done = {root}
    while waiting:
        left = []
        for j in waiting:
            if parents[j] in done:
                order.append(j)
                done.add(j)
            else:
                left.append(j)
        waiting = left
    return Hanging(tuple(order), tuple(parents[j] for j in order), points)


def worn(skeleton: Skeleton, how: Hanging) -> Skeleton:
    """The skeleton as changed."""
    rest = skeleton.rest_positions()
    new = {old: j for j, old in enumerate(how.order)}
    names = [skeleton.names[j] for j in how.order]
    offsets = []
    for j, p in zip(how.order, how.parents):
        same = p == int(skeleton.parents[j])
        offsets.append(skeleton.offsets[j] if same else rest[j] if p < 0 else rest[j] - rest[p])
    known = [n for n in SOLE_NAMES if n in how.points and n not in names]
    called = (*names, *known)
    return Skeleton(
        called,
        np.array([*(new[p] if p >= 0 else -1 for p in how.parents), *(new[how.points[n][0]] for n in known)]),
        np.array([*offsets, *(how.points[n][1] for n in known)]),
        tuple(called.index(n) for n in SOLE_NAMES if n in called),
    )  # fmt: skip


def hung(old: Skeleton, new: Skeleton, how: Hanging, clip: tuple[Array, Array]) -> tuple[Array, Array]:
    """Local rotations (F, J, 4) and translations (F, J, 3) m of the joints of ``old`` for those of ``new``."""
    rotations, moves = clip
    frames, joints = len(rotations), len(how.order)
    out = np.tile(quat.IDENTITY, (frames, len(new), 1)), np.tile(new.offsets, (frames, 1, 1))
    order = list(how.order)
    if len(order) == len(old) and all(p == int(old.parents[j]) for j, p in zip(how.order, how.parents)):
        out[0][:, :joints], out[1][:, :joints] = rotations[:, order], moves[:, order]
        return out
    world, places = np.empty_like(rotations), np.empty_like(moves)
    for j, p in enumerate(old.parents):
        if p < 0:
            world[:, j], places[:, j] = rotations[:, j], moves[:, j]
            continue
        world[:, j] = quat.multiply(world[:, p], rotations[:, j])
        places[:, j] = places[:, p] + quat.rotate(world[:, p], moves[:, j])
    for k, (j, p) in enumerate(zip(how.order, how.parents)):
        if p < 0:
            out[0][:, k], out[1][:, k] = world[:, j], places[:, j]
            continue
        back = quat.conjugate(world[:, p])
        out[0][:, k] = quat.multiply(back, world[:, j])
        out[1][:, k] = quat.rotate(back, places[:, j] - places[:, p])
    return out
