"""A character's motion as local turns and moves of its file's own nodes, quickly: what a player sets each frame.

The tracks that :mod:`gambol.io.gltf_attach` writes, without matrices wherever scales are even: a joint's local
rotation in the file is conj(b_above) q b_own, with q as in the motion and b the turns of the two nodes at rest in the
world. Joints that hang elsewhere in the file (feet below the root, for inverse kinematics) go by their worlds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.character import Character
from gambol.io.glb import parsed
from gambol.io.gltf_nodes import nodes_of
from gambol.motion import Motion
from gambol.skeleton import forward_kinematics

__all__ = ["LocalMotion", "Locals", "local_motion", "locals_of"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Locals:
    """How the joints of a character hang in its file.

    Attributes:
        joints: ``(N,)`` joints that are nodes of the file.
        nodes: ``(N,)`` their numbers there.
        names: their names there.
        parents: ``(N,)`` the nearest joint above each in the file, as an index into these lists, or -1.
        own: ``(N, 4)`` the turn of each node at rest in the world.
        above: ``(N, 4)`` that of the node each hangs from.
        base: ``(N, 4, 4)`` world at rest of the node each hangs from.
        mix: ``(N, 4, 4)`` that makes w x y z in the file of those in the motion: q -> conj(b_above) q b_own.
        shifted: indices of those whose place in their parent changes: the root, and joints that hang elsewhere.
    """

    joints: NDArray[np.int64]
    nodes: NDArray[np.int64]
    names: tuple[str, ...]
    parents: NDArray[np.int64]
    own: Array
    above: Array
    base: Array
    mix: Array
    shifted: tuple[int, ...]


class LocalMotion(NamedTuple):
    """``rotations`` (F, N, 4) w first, and for the joints of ``Locals.shifted`` ``moves`` (F, M, 3), in the parent."""

    rotations: Array
    moves: Array


def locals_of(character: Character) -> Locals:
    """How the joints of a character hang in its file."""
    document, _ = parsed(character.source, character.name)
    nodes = nodes_of(document)
    joints = np.flatnonzero(character.nodes >= 0)
    own = [int(n) for n in character.nodes[joints]]
    worlds = nodes.worlds([*own, *(n for n in (nodes.parent[k] for k in own) if n >= 0)])
    at = {n: k for k, n in enumerate(own)}
    parents = [next((at[n] for n in nodes.above(k) if n in at), -1) for k in own]
    base = np.array([worlds[p] if (p := nodes.parent[k]) >= 0 else np.eye(4) for k in own])
    elsewhere = []
    for k, j in enumerate(joints):
        up = int(character.skeleton.parents[j])
        if parents[k] < 0 or up < 0 or int(joints[parents[k]]) != up:
            elsewhere.append(k)
    turns, above = np.array([_turn(worlds[n]) for n in own]), np.array([_turn(b) for b in base])
    columns = [quat.multiply(quat.multiply(quat.conjugate(above), unit), turns) for unit in np.eye(4)]
    return Locals(
        joints, np.array(own), tuple(nodes.names[n] or f"node_{n}" for n in own), np.array(parents), turns, above, base,
        np.stack(columns, -1), tuple(elsewhere),
    )


def local_motion(motion: Motion, hang: Locals) -> LocalMotion:
    """Local turns and moves of a motion of the character's skeleton."""
    by_joint = motion.rotations[:, hang.joints].transpose(1, 0, 2)
    turns = np.matmul(by_joint, hang.mix.transpose(0, 2, 1)).transpose(1, 0, 2)
    moves = np.empty((len(motion), len(hang.shifted), 3))
    if hang.shifted == (0,) and hang.parents[0] < 0:  # the root alone: what hangs above it does not move
        back = np.linalg.inv(hang.base[0])
        moves[:, 0] = motion.root @ back[:3, :3].T + back[:3, 3]
        return LocalMotion(turns, moves)
    places, world = forward_kinematics(motion.skeleton, motion.root, motion.rotations)
    rest = motion.skeleton.rest_positions()
    for m, k in enumerate(hang.shifted):
        j, p = int(hang.joints[k]), int(hang.parents[k])
        base = np.broadcast_to(hang.base[k], (len(motion), 4, 4))
        above = np.broadcast_to(hang.above[k], (len(motion), 4))
        if p >= 0:  # the node it hangs from goes with that joint, as at rest
            i = int(hang.joints[p])
            carried = np.zeros((len(motion), 4, 4))
            carried[:, :3, :3] = quat.to_matrix(world[:, i])
            carried[:, :3, 3] = places[:, i] - np.einsum("fab,b->fa", carried[:, :3, :3], rest[i])
            carried[:, 3, 3] = 1.0
            base, above = carried @ base, quat.multiply(world[:, i], above)
        turns[:, k] = quat.multiply(quat.multiply(quat.conjugate(above), world[:, j]), hang.own[k])
        moves[:, m] = (np.linalg.inv(base) @ np.append(places[:, j], np.ones((len(motion), 1)), 1)[..., None])[:, :3, 0]
    return LocalMotion(turns, moves)


def _turn(world: Array) -> Array:
    """(4,) the rotation in a world matrix, without its scale."""
    u, _, v = np.linalg.svd(world[:3, :3])
    return quat.from_matrix(u @ np.diag([1.0, 1.0, np.linalg.det(u @ v)]) @ v)
