"""BVH written: every joint with its own rotation channels (Z X Y, or another order where that one passes its pole).

Curves have no jumps, position is on the root alone unless other joints move, offsets are digit for digit, and the
root's rest offset is zero, since readers disagree whether it is added to the positions. Centimetres and degrees.
"""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from gambol.io.euler import ORDERS, largest_step, to_euler
from gambol.io.source import PLAIN, Extra
from gambol.motion import Motion
from gambol.skeleton import Skeleton

__all__ = ["CENTI", "METRE", "encode"]

Array = NDArray[np.float64]
CENTI, METRE = -2, 0  # powers of ten: one unit of the file in metres
UNSPEAKABLE = re.compile(r"[{}\x00-\x1f\x7f-\x9f\u2028\u2029]")  # in a name they would end it
BLOCK = 256  # rows formatted at a time


def encode(motion: Motion, extra: Extra = PLAIN, power: int = CENTI) -> bytes:
    """The bytes of a BVH file.

    Args:
        motion: any motion; contacts, forces and facts are not carried.
        extra: ignored; BVH holds a skeleton only.
        power: -2 writes centimetres, 0 metres.
    """
    skeleton = motion.skeleton
    orders, angles = _orders(motion)
    moved, ends = _moved(motion), _end_sites(motion)
    scale = 10.0**-power
    columns = []
    for j in _depth_first(skeleton):
        if j in ends:
            continue
        if j == 0:
            columns.append(motion.root * scale)
        elif j in moved and motion.translations is not None:
            columns.append(motion.translations[:, j] * scale)
        columns.append(np.degrees(angles[:, j]))
    table = np.concatenate(columns, 1)
    table[np.abs(table) < 5e-7] = 0.0  # no "-0.000000"
    for j in ends:
        orders[j] = ""
    head = [*_hierarchy_lines(skeleton, orders, moved, power), "MOTION", f"Frames: {len(motion)}"]
    head.append(f"Frame Time: {1 / motion.fps!r}")
    return ("\n".join(head) + "\n" + _rows(table)).encode()


def _orders(motion: Motion) -> tuple[list[str], Array]:
    """The order of each joint and its angles (F, J, 3) rad: Z X Y unless that steps over a quarter turn."""
    angles = to_euler(motion.rotations, ORDERS[0])
    orders = [ORDERS[0]] * len(motion.skeleton)
    for j in np.flatnonzero(largest_step(angles) > np.pi / 2):
        tries = {order: to_euler(motion.rotations[:, j], order) for order in ORDERS}
        orders[j] = min(tries, key=lambda o: float(largest_step(tries[o])))
        angles[:, j] = tries[orders[j]]
    return orders, angles


def _moved(motion: Motion) -> set[int]:
    """Joints other than the root that leave their offset."""
    if motion.translations is None:
        return set()
    away = np.abs(motion.translations - motion.skeleton.offsets).max(axis=(0, 2), initial=0.0)
    return {int(j) for j in np.flatnonzero(away > 1e-9) if j}


def _children(skeleton: Skeleton) -> list[list[int]]:
    out: list[list[int]] = [[] for _ in skeleton.names]
    for j in range(1, len(skeleton)):
        out[skeleton.parents[j]].append(j)
    return out


def _depth_first(skeleton: Skeleton) -> list[int]:
    """Joints in the order of the file."""
    children, out, stack = _children(skeleton), [], [0]
    while stack:
        out.append(j := stack.pop())
        stack += reversed(children[j])
    return out


def _end_sites(motion: Motion) -> set[int]:
    """Leaves that the reader would name just so, and that do not turn: written as end sites."""
    skeleton, moved = motion.skeleton, _moved(motion)
    children = np.bincount(skeleton.parents[1:], minlength=len(skeleton))
    turns = np.abs(motion.rotations[..., 1:]).max(axis=(0, 2), initial=0.0) > 1e-12
    return {
        j for j in range(1, len(skeleton))
        if skeleton.names[j] == f"{skeleton.names[skeleton.parents[j]]}_end"
        and children[skeleton.parents[j]] == 1 and not children[j]
        and skeleton.offsets[j].any() and not turns[j] and j not in moved
    }


def _hierarchy_lines(skeleton: Skeleton, orders: list[str], moved: set[int], power: int) -> list[str]:
    """The text up to MOTION; joints without an order are end sites."""
    children = _children(skeleton)
    lines = ["HIERARCHY"]
    stack: list[tuple[int, int, bool]] = [(0, 0, True)]  # joint, depth, opening
    while stack:
        j, depth, opening = stack.pop()
        tab = "\t" * depth
        if not opening:
            lines.append(f"{tab}}}")
            continue
        stack.append((j, depth, False))
        offset = [_digits(x, -power) for x in skeleton.offsets[j]] if j else ["0.0"] * 3
        if not orders[j]:
            lines += [f"{tab}End Site", f"{tab}{{", f"{tab}\tOFFSET {' '.join(offset)}"]
            continue
        name = UNSPEAKABLE.sub("_", skeleton.names[j])
        lines += [f"{tab}{'JOINT' if j else 'ROOT'} {name}", f"{tab}{{"]
        names = [f"{a}rotation" for a in orders[j]]
        if j == 0 or j in moved:
            names = ["Xposition", "Yposition", "Zposition", *names]
        lines += [f"{tab}\tOFFSET {' '.join(offset)}", f"{tab}\tCHANNELS {len(names)} {' '.join(names)}"]
        if not children[j]:
            lines += [f"{tab}\tEnd Site", f"{tab}\t{{", f"{tab}\t\tOFFSET 0.0 0.0 0.0", f"{tab}\t}}"]
        stack += [(c, depth + 1, True) for c in reversed(children[j])]
    return lines


def _digits(value: float, power: int) -> str:
    """``value`` times ten to the ``power``, in decimal digits: divided again it is the same number."""
    return format(Decimal(repr(float(value) + 0.0)).scaleb(power), "f")


def _rows(table: Array) -> str:
    line = " ".join(["%.6f"] * table.shape[1]) + "\n"
    blocks = [table[a : a + BLOCK] for a in range(0, len(table), BLOCK)]
    return "".join((line * len(b)) % tuple(b.ravel().tolist()) for b in blocks)
