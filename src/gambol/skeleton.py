"""Skeleton: which joints there are, how they hang together, and where they rest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.errors import GambolError
from gambol.kernels import check_engine, kernel

__all__ = ["Skeleton", "forward_kinematics", "joint_positions", "readonly"]

Array = NDArray[np.float64]
BLOCK = 1024  # frames per block of forward kinematics: the working set stays in the cache


def readonly(values: ArrayLike, dtype: type = float) -> NDArray:
    """A contiguous copy of ``values`` that cannot be written; ``values`` themselves where they are that already."""
    if isinstance(values, np.ndarray) and values.dtype == dtype:
        flags = values.flags
        if not flags.writeable and flags.owndata and flags.c_contiguous:
            return values
    out: NDArray = np.array(values, dtype=dtype, order="C")
    out.setflags(write=False)
    return out


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints in an order where parents come first.

    Attributes:
        names: ``J`` joint names, unique.
        parents: ``(J,)`` index of the parent, -1 for the root, which is joint 0.
        offsets: ``(J, 3)`` m, the rest position in the parent's frame (all rest frames are
            parallel to the world). The root's row is its rest position in the world.
        soles: indices of the joints that may touch the ground.

    Raises:
        GambolError: on duplicate names, a parent that comes later, or shapes that disagree.
    """

    names: tuple[str, ...]
    parents: NDArray[np.int64]
    offsets: Array
    soles: tuple[int, ...] = ()
    _index: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = tuple(str(n) for n in self.names)
        parents = readonly(self.parents, int)
        offsets = readonly(self.offsets)
        if not names or len(set(names)) != len(names):
            raise GambolError("joint names must be unique and at least one", where="skeleton")
        if parents.shape != (len(names),) or offsets.shape != (len(names), 3):
            raise GambolError(
                f"{len(names)} names, parents {parents.shape}, offsets {offsets.shape} disagree",
                where="skeleton",
                allowed="(J,) parents and (J, 3) offsets",
            )
        if parents[0] != -1 or np.any(parents[1:] < 0) or np.any(parents[1:] >= np.arange(1, len(names))):
            raise GambolError(
                "one root at index 0 and every parent before its children is needed", where="skeleton"
            )
        if not np.isfinite(offsets).all():
            raise GambolError("offsets hold numbers that are not finite", where="skeleton")
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "parents", parents)
        object.__setattr__(self, "offsets", offsets)
        object.__setattr__(self, "soles", tuple(int(i) for i in self.soles))
        object.__setattr__(self, "_index", {n: i for i, n in enumerate(names)})

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Skeleton):
            return NotImplemented
        return (
            self.names == other.names
            and self.soles == other.soles
            and np.array_equal(self.parents, other.parents)
            and np.array_equal(self.offsets, other.offsets)
        )

    def __hash__(self) -> int:
        return hash((self.names, self.offsets.tobytes()))

    def index(self, name: str) -> int:
        """Index of the joint called ``name``; GambolError where there is none."""
        try:
            return self._index[name]
        except KeyError:
            raise GambolError(
                f"no joint is called {name!r}", where="skeleton", allowed=f"names: {', '.join(self.names)}"
            ) from None

    def indices(self, names: Iterable[str]) -> list[int]:
        """Indices of several joints, in the order asked for."""
        return [self.index(n) for n in names]

    def rest_positions(self) -> Array:
        """``(J, 3)`` m, joint positions in the rest pose."""
        out = np.array(self.offsets)
        for j in range(1, len(self)):
            out[j] += out[self.parents[j]]
        return out


def joint_positions(
    skeleton: Skeleton, root: ArrayLike, rotations: ArrayLike, engine: str = "numpy"
) -> Array:
    """``(..., J, 3)`` m: :func:`forward_kinematics` without the rotations; ``engine`` numpy or compiled."""
    if check_engine(engine) == "numpy":
        return forward_kinematics(skeleton, root, rotations)[0]
    rotations = np.ascontiguousarray(rotations, float)
    lead, joints = rotations.shape[:-2], len(skeleton)
    root = np.asarray(root, float)
    if root.shape[:-1] != lead:
        root = np.broadcast_to(root, (*lead, 3))
    flat_root = np.ascontiguousarray(root).reshape(-1, 3)
    out = np.empty((len(flat_root), joints, 3))
    _positions.compiled(skeleton.parents, skeleton.offsets, flat_root, rotations.reshape(-1, joints, 4), out)
    return out.reshape(*lead, joints, 3)


@kernel
def _positions(parents, offsets, root, rot, out):  # type: ignore[no-untyped-def]
    """Positions (F, J, 3) frame by frame; one frame's world rotations stay in the cache."""
    joints = parents.shape[0]
    world = np.empty((joints, 4))
    for f in range(root.shape[0]):
        for j in range(joints):
            bw, bx, by, bz = rot[f, j, 0], rot[f, j, 1], rot[f, j, 2], rot[f, j, 3]
            k = parents[j]
            if k < 0:
                world[j, 0], world[j, 1], world[j, 2], world[j, 3] = bw, bx, by, bz
                out[f, j, 0], out[f, j, 1], out[f, j, 2] = root[f, 0], root[f, 1], root[f, 2]
                continue
            w, x, y, z = world[k, 0], world[k, 1], world[k, 2], world[k, 3]
            ox, oy, oz = offsets[j, 0], offsets[j, 1], offsets[j, 2]
            tx, ty, tz = 2 * (y * oz - z * oy), 2 * (z * ox - x * oz), 2 * (x * oy - y * ox)
            out[f, j, 0] = out[f, k, 0] + ox + w * tx + y * tz - z * ty
            out[f, j, 1] = out[f, k, 1] + oy + w * ty + z * tx - x * tz
            out[f, j, 2] = out[f, k, 2] + oz + w * tz + x * ty - y * tx
            world[j, 0] = w * bw - x * bx - y * by - z * bz
            world[j, 1] = w * bx + x * bw + y * bz - z * by
            world[j, 2] = w * by - x * bz + y * bw + z * bx
            world[j, 3] = w * bz + x * by - y * bx + z * bw


def forward_kinematics(
    skeleton: Skeleton, root: ArrayLike, rotations: ArrayLike, only: Iterable[int] | None = None
) -> tuple[Array, Array]:
    """World positions and rotations of all joints.

    Args:
        skeleton: J joints.
        root: ``(..., 3)`` m, position of joint 0 in the world.
        rotations: ``(..., J, 4)`` child to parent.
        only: joints that are wanted; others, unless these hang on them, are NaN.

    Returns:
        positions ``(..., J, 3)`` m and world rotations ``(..., J, 4)``.
    """
    root, rotations = np.asarray(root, float), np.asarray(rotations, float)
    lead = rotations.shape[:-2]
    joints = len(skeleton)
    flat_root = np.broadcast_to(root, (*lead, 3)).reshape(-1, 3)
    flat_rot = rotations.reshape(-1, joints, 4)
    whole = only is None
    needed = np.arange(joints) if only is None else _with_above(skeleton, only)
    make = np.empty if whole else lambda shape: np.full(shape, np.nan)
    positions, world = make((len(flat_rot), joints, 3)), make((len(flat_rot), joints, 4))
    at = np.zeros(joints, int)
    at[needed] = np.arange(len(needed))
    tree = at[skeleton.parents[needed]], skeleton.offsets[needed]
    for a in range(0, len(flat_rot), BLOCK):
        block = slice(a, a + BLOCK)
        turns = flat_rot[block] if whole else flat_rot[block, needed]
        p, q = _fk_components(tree, flat_root[block].T, np.ascontiguousarray(turns.transpose(1, 2, 0)))
        if whole:
            positions[block], world[block] = p.transpose(2, 0, 1), q.transpose(2, 0, 1)
        else:
            positions[block, needed], world[block, needed] = p.transpose(2, 0, 1), q.transpose(2, 0, 1)
    return positions.reshape(*lead, joints, 3), world.reshape(*lead, joints, 4)


def _with_above(skeleton: Skeleton, joints: Iterable[int]) -> NDArray[np.int64]:
    """Joints and all they hang on, parents first."""
    found = {0}
    for j in joints:
        while j not in found:
            found.add(int(j))
            j = int(skeleton.parents[j])
    return np.array(sorted(found))


def _fk_components(tree: tuple[NDArray[np.int64], Array], root: Array, rot: Array) -> tuple[Array, Array]:
    """Forward kinematics with frames last: root (3, F), rot (J, 4, F) -> (J, 3, F), (J, 4, F)."""
    parents, offsets = tree
    p, q = np.empty((len(rot), 3, rot.shape[2])), np.empty_like(rot)
    p[0], q[0] = root, rot[0]
    for j in range(1, len(rot)):
        k = parents[j]
        ox, oy, oz = offsets[j]
        w, x, y, z = q[k]
        tx, ty, tz = 2 * (y * oz - z * oy), 2 * (z * ox - x * oz), 2 * (x * oy - y * ox)
        p[j, 0] = p[k, 0] + ox + w * tx + y * tz - z * ty
        p[j, 1] = p[k, 1] + oy + w * ty + z * tx - x * tz
        p[j, 2] = p[k, 2] + oz + w * tz + x * ty - y * tx
        bw, bx, by, bz = rot[j]
        q[j, 0] = w * bw - x * bx - y * by - z * bz
        q[j, 1] = w * bx + x * bw + y * bz - z * by
        q[j, 2] = w * by - x * bz + y * bw + z * bx
        q[j, 3] = w * bz + x * by - y * bx + z * bw
    return p, q
