"""The nodes of a glTF document: who hangs from whom, and where each is at rest in the world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.errors import GambolError

__all__ = ["MOST_NODES", "Nodes", "matrix_of", "nodes_of", "split"]

Array = NDArray[np.float64]
MOST_NODES, DEEPEST = 100_000, 1000


@dataclass(frozen=True, eq=False)
class Nodes:
    """All nodes, parents first.

    Attributes:
        order: numbers of the nodes, parents before their children.
        parent: number of a node -> that of its parent, -1 for none.
        moves: (N, 3) translations.
        turns: (N, 4) rotations, x y z w as in the file.
        scales: (N, 3).
        matrices: nodes that are given as a matrix.
        names: (N,) as in the file, or "".
    """

    order: tuple[int, ...]
    parent: tuple[int, ...]
    moves: Array
    turns: Array
    scales: Array
    matrices: frozenset[int]
    names: tuple[str, ...]

    def local(self, node: int) -> Array:
        """``(4, 4)`` of a node in the one above it, at rest."""
        return matrix_of(self.moves[node], self.turns[node], self.scales[node])

    def above(self, node: int) -> list[int]:
        """Ancestors of a node, the nearest first."""
        out = []
        while (node := self.parent[node]) >= 0:
            out.append(node)
        return out

    def worlds(self, wanted: Iterable[int], tracks: Mapping[tuple[int, str], Array] | None = None) -> dict[int, Array]:
        """World matrices of nodes.

        Args:
            wanted: numbers of the nodes.
            tracks: (node, path) -> values (F, 3) or (F, 4), instead of those at rest.

        Returns:
            node -> ``(4, 4)`` at rest, or ``(F, 4, 4)`` below anything that has a track.
        """
        tracks = tracks or {}
        need = set(wanted)
        for n in list(need):
            need.update(self.above(n))
        out: dict[int, Array] = {}
        for n in self.order:
            if n in need:
                moves, turns, scales = (
                    tracks.get((n, path), rest[n])
                    for path, rest in (("translation", self.moves), ("rotation", self.turns), ("scale", self.scales))
                )
                local = matrix_of(moves, turns, scales)
                out[n] = local if self.parent[n] < 0 else out[self.parent[n]] @ local
        return out


def nodes_of(document: Mapping[str, Any]) -> Nodes:
    """The nodes of a document.

    Raises:
        GambolError: nodes that hang from two others or from themselves, too many of them, or too deep.
    """
    nodes = document.get("nodes", [])
    count = len(nodes)
    if count > MOST_NODES:
        raise GambolError(f"{count} nodes", allowed=f"at most {MOST_NODES}")
    parent = [-1] * count
    for n, node in enumerate(nodes):
        for child in node.get("children", []):
            if not 0 <= child < count:
                raise GambolError(f"node {n} has a child {child} that is not there")
            if parent[child] >= 0:
                raise GambolError(f"node {child} hangs from two nodes, {parent[child]} and {n}")
            parent[child] = n
    order, stack = [], [n for n in range(count - 1, -1, -1) if parent[n] < 0]
    while stack:
        order.append(n := stack.pop())
        stack += reversed(nodes[n].get("children", []))
    if len(order) < count:
        lost = min(set(range(count)) - set(order))
        raise GambolError(f"node {lost} is below itself")
    depth = [0] * count
    for n in order:
        depth[n] = depth[parent[n]] + 1 if parent[n] >= 0 else 0
    if max(depth, default=0) > DEEPEST:
        raise GambolError(f"nodes hang {max(depth)} deep", allowed=f"at most {DEEPEST}")
    moves, turns, scales = np.zeros((count, 3)), np.tile([0.0, 0.0, 0.0, 1.0], (count, 1)), np.ones((count, 3))
    matrices = {n for n, node in enumerate(nodes) if "matrix" in node}
    for n, node in enumerate(nodes):
        if n in matrices:
            moves[n], turns[n], scales[n] = split(np.array(node["matrix"], float).reshape(4, 4).T)
            continue
        moves[n] = node.get("translation", moves[n])
        turns[n] = node.get("rotation", turns[n])
        scales[n] = node.get("scale", scales[n])
    size = np.linalg.norm(turns, axis=1, keepdims=True)
    if not all(np.isfinite(x).all() for x in (moves, turns, scales)) or (size < 1e-6).any():
        raise GambolError("nodes with places or turns that are no numbers")
    off = np.abs(size[:, 0] - 1.0) > 1e-12
    turns[off] /= size[off]
    names = tuple(str(node.get("name") or "") for node in nodes)
    return Nodes(tuple(order), tuple(parent), moves, turns, scales, frozenset(matrices), names)


def matrix_of(moves: ArrayLike, turns: ArrayLike, scales: ArrayLike) -> Array:
    """``(..., 4, 4)`` of translations ``(..., 3)``, rotations x y z w ``(..., 4)`` and scales ``(..., 3)``."""
    moves, turns, scales = (np.asarray(x, float) for x in (moves, turns, scales))
    x, y, z, w = np.moveaxis(turns, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    linear = np.stack([np.stack(row, -1) for row in rows], -2) * scales[..., None, :]
    lead = np.broadcast_shapes(linear.shape[:-2], moves.shape[:-1])
    out = np.zeros((*lead, 4, 4))
    out[..., :3, :3], out[..., :3, 3], out[..., 3, 3] = linear, moves, 1.0
    return out


def split(matrix: ArrayLike) -> tuple[Array, Array, Array]:
    """Translation, rotation x y z w and scale of a ``(4, 4)`` matrix; of one that shears, those nearest to it.

    A mirrored matrix gets a negative scale along x, as other programs do.
    """
    from gambol import quat

    matrix = np.asarray(matrix, float)
    linear = matrix[:3, :3]
    scale = np.linalg.norm(linear, axis=0)
    if (scale < 1e-12).any() or not np.isfinite(matrix).all():
        raise GambolError("a node given as a matrix that flattens what hangs from it")
    if np.linalg.det(linear) < 0:
        scale[0] = -scale[0]
    u, _, v = np.linalg.svd(linear / scale)
    turn = quat.from_matrix(u @ np.diag([1.0, 1.0, np.linalg.det(u @ v)]) @ v)
    return np.array(matrix[:3, 3]), np.roll(turn, -1), scale
