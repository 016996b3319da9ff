"""The skeletons of a glTF document: joints, their rest pose in the world, and their motion between keys and world.

A skeleton is what the joints of skins hang together to, with the nodes between them (or, in a file without skins,
the nodes that clips move). Rest frames are made parallel to the world: a joint's rotation is what its linear part in
the world is, beyond what it is at rest; scales, mirrors and turns above or inside the skeleton go out that way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.io.gltf_nodes import Nodes
from gambol.io.source import distinct
from gambol.skeleton import Skeleton

__all__ = ["Rig", "groups_of", "rig_of"]

Array = NDArray[np.float64]
MOST_JOINTS = 20_000


@dataclass(frozen=True, eq=False)
class Rig:
    """A skeleton among nodes.

    Attributes:
        nodes: all nodes of the document.
        joints: numbers of the nodes that are joints, parents first.
        skeleton: those joints at rest in the world; names are made unique.
        rest: (J, 4, 4) world matrices at rest.
    """

    nodes: Nodes
    joints: tuple[int, ...]
    skeleton: Skeleton
    rest: Array

    def motion(self, tracks: Mapping[tuple[int, str], Array], frames: int) -> tuple[Array, Array]:
        """Local rotations (F, J, 4) and translations (F, J, 3) m of the joints, from tracks of nodes (F, 3 or 4)."""
        worlds = self.nodes.worlds(self.joints, tracks)
        rotations = np.empty((frames, len(self.joints), 4))
        moves = np.empty((frames, len(self.joints), 3))
        turned: list[Array] = []
        places: list[Array] = []
        for j, n in enumerate(self.joints):
            world = worlds[n]
            turned.append(_turns(world[..., :3, :3], self.rest[j, :3, :3]))
            places.append(world[..., :3, 3])
            p = int(self.skeleton.parents[j])
            if p < 0:
                rotations[:, j], moves[:, j] = turned[j], places[j]
                continue
            back = quat.conjugate(turned[p])
            rotations[:, j] = quat.multiply(back, turned[j])
            moves[:, j] = quat.rotate(back, places[j] - places[p])
        return rotations, moves


def groups_of(document: Mapping[str, Any], nodes: Nodes, animation: Mapping[str, Any] | None = None) -> list[list[int]]:
    """The nodes of each skeleton, parents first; in a file without skins, of what the clip moves."""
    skins = document.get("skins", [])
    wanted = [set(skin["joints"]) for skin in skins]
    if not skins:
        channels = (animation or {}).get("channels", [])
        wanted = [{c["target"]["node"] for c in channels if "node" in c["target"]}]
    wanted = [w for w in wanted if w]
    if any(not 0 <= n < len(nodes.parent) for w in wanted for n in w):
        raise GambolError("a joint that is no node")
    if sum(map(len, wanted)) > MOST_JOINTS:
        raise GambolError(f"{sum(map(len, wanted))} joints", allowed=f"at most {MOST_JOINTS}")
    whole = [_whole(w, nodes) for w in wanted]
    merged: list[set[int]] = []
    for group in whole:
        tops = {n for n in group if nodes.parent[n] not in group}
        over = {a for n in tops for a in nodes.above(n)}
        for other in [m for m in merged if m & (group | over) or group & _over(m, nodes)]:
            merged.remove(other)
            group = _whole(group | other, nodes)
        merged.append(group)
    rank = {n: i for i, n in enumerate(nodes.order)}
    out = []
    for group in merged:
        # The file's own order, where parents come first in it, else that of the tree.
        own = all(nodes.parent[n] < n for n in group if nodes.parent[n] in group)
        out.append(sorted(group) if own else sorted(group, key=rank.__getitem__))
    return sorted(out, key=len, reverse=True)


def _over(group: set[int], nodes: Nodes) -> set[int]:
    return {a for n in group if nodes.parent[n] not in group for a in nodes.above(n)}


def _whole(wanted: set[int], nodes: Nodes) -> set[int]:
    """The nodes with those between them, up to the lowest that all of them are or hang from."""
    lines = [[n, *nodes.above(n)] for n in wanted]
    common = set(lines[0]).intersection(*map(set, lines[1:]))
    if not common:
        raise GambolError(f"{len({line[-1] for line in lines})} roots among its joints", allowed="one skeleton")
    top = next(n for n in lines[0] if n in common)
    return {n for line in lines for n in line[: line.index(top) + 1]}


def rig_of(nodes: Nodes, joints: Iterable[int]) -> Rig:
    """The skeleton of some nodes, parents first."""
    joints = tuple(joints)
    at = {n: j for j, n in enumerate(joints)}
    parents = [at.get(nodes.parent[n], -1) for n in joints]
    worlds = nodes.worlds(joints)
    rest = np.array([worlds[n] for n in joints])
    if not np.isfinite(rest).all() or (np.abs(np.linalg.det(rest[:, :3, :3])) < 1e-18).any():
        raise GambolError("joints that are flattened by a scale of 0")
    offsets = np.empty((len(joints), 3))
    for j, n in enumerate(joints):
        p = parents[j]
        offsets[j] = rest[j, :3, 3] if p < 0 else rest[p, :3, :3] @ nodes.moves[n]
    names = tuple(distinct(nodes.names[n] or f"joint_{j}" for j, n in enumerate(joints)))
    return Rig(nodes, joints, Skeleton(names, np.array(parents), offsets), rest)


def _turns(linear: Array, rest: Array) -> Array:
    """(..., 4) the rotation in linear parts (..., 3, 3), beyond what is in that at rest (3, 3)."""
    if linear.ndim == 2 and np.array_equal(linear, rest):
        return np.array(quat.IDENTITY)
    return quat.from_matrix(_orthonormal(linear @ np.linalg.inv(rest)))


def _orthonormal(m: Array) -> Array:
    """The rotation in matrices (..., 3, 3) (polar decomposition); themselves where they are rotations."""
    off = np.abs(np.swapaxes(m, -1, -2) @ m - np.eye(3)).max(initial=0.0)
    if off < 1e-9:
        return m
    u, _, v = np.linalg.svd(m)
    sign = np.linalg.det(u @ v)
    u[..., :, 2] *= sign[..., None]
    return np.asarray(u @ v)
