"""BVH: a hierarchy and one line of numbers a frame. Centimetres and degrees in the file, as is the custom.

Written: every joint with its own rotation channels (Z X Y, or another order where that one passes its
pole), curves without jumps, position on the root alone unless other joints move, offsets digit for digit,
and the root's rest offset as zero, since readers disagree whether it is added to the positions.
Read: any order and number of channels on any joint, and the dialects named in :mod:`gambol.io.bvh_text`;
what was changed or found odd is said in ``motion.info["notes"]``.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import Body
from gambol.io.bvh_text import Hierarchy, Table, read_hierarchy, read_table
from gambol.io.euler import ORDERS, from_axes, largest_step, to_euler
from gambol.io.source import PLAIN, SOLES, Extra, Source, soles_of
from gambol.motion import Motion
from gambol.skeleton import Skeleton, forward_kinematics

__all__ = ["decode", "encode"]

Array = NDArray[np.float64]
CENTI, METRE = -2, 0  # powers of ten: one unit of the file in metres
CENTIMETRE = 0.01
# Figures from .. to units large are people in these units; what lies between is taken for centimetres.
UNITS = (
    (0.3, 4.0, 1.0, "metres"),
    (18.0, 33.0, 0.0254 / 0.45, "the unit of the CMU library, 56.4 mm"),
    (800.0, np.inf, 0.001, "millimetres"),
)
UNSPEAKABLE = re.compile(r"[{}\x00-\x1f\x7f-\x9f\u2028\u2029]")  # in a name they would end it
MANY = 2000  # frames that are enough to see where the ground is
BLOCK = 256  # rows formatted or converted at a time


class _Channels(NamedTuple):
    """Where the numbers of a row go: per joint the rotation letters, and columns."""

    orders: list[str]
    rotation: list[list[int]]
    position: list[dict[str, int]]


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


def decode(data: bytes, source: Source) -> Motion:
    """A motion from the bytes of a BVH file.

    Args:
        data: the file.
        source: its name, for errors; a unit and a rate that overrule what is found.

    Raises:
        GambolError: with the line of the file that cannot be read.
    """
    hierarchy = read_hierarchy(data, source.name)
    table = read_table(data, hierarchy, source)
    notes = [*hierarchy.notes, *table.notes]
    channels = _layout(hierarchy)
    hierarchy, channels = _own_order(hierarchy, channels)
    unit = _unit(hierarchy, notes) if source.unit is None else source.unit
    offsets = np.array([[_metres(text, unit) for text in row] for row in hierarchy.offsets])
    rotations = _rotations(table, channels)
    root, moves = _positions(table, channels, offsets, unit)
    skeleton = Skeleton(hierarchy.names, np.array(hierarchy.parents), offsets, soles_of(hierarchy.names))
    root, skeleton = _on_the_ground(skeleton, root, rotations, notes)
    if moves is not None:
        moves[:, 0] = root
    info = {"unit_m": unit, **({"notes": notes} if notes else {})}
    fps = _rate(table.frame_time)
    del table  # as large as the motion
    return Motion(skeleton, root, rotations, fps, translations=moves, info=info)


# writing


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


# reading


def _layout(hierarchy: Hierarchy) -> _Channels:
    orders, rotation, position, column = [], [], [], 0
    for names in hierarchy.channels:
        turns = [(n[0], column + k) for k, n in enumerate(names) if n[1:] == "ROTATION"]
        orders.append("".join(axis for axis, _ in turns))
        rotation.append([k for _, k in turns])
        position.append({n[0]: column + k for k, n in enumerate(names) if n[1:] == "POSITION"})
        column += len(names)
    return _Channels(orders, rotation, position)


def _own_order(hierarchy: Hierarchy, channels: _Channels) -> tuple[Hierarchy, _Channels]:
    """A file's joints are depth first; those of a person of ours get back the order they have in memory."""
    if SOLES[0] not in hierarchy.names:  # quicker than making a body
        return hierarchy, channels
    names = Body().skeleton.names
    if len(names) != len(hierarchy.names) or set(names) != set(hierarchy.names):
        return hierarchy, channels
    order = [hierarchy.names.index(n) for n in names]
    parents = [order.index(hierarchy.parents[j]) if hierarchy.parents[j] >= 0 else -1 for j in order]
    if any(p >= k for k, p in enumerate(parents)):
        return hierarchy, channels
    offsets, letters = ([values[j] for j in order] for values in (hierarchy.offsets, hierarchy.channels))
    moved = _Channels(
        [channels.orders[j] for j in order], [channels.rotation[j] for j in order],
        [channels.position[j] for j in order],
    )
    return Hierarchy(names, parents, offsets, letters, hierarchy.notes), moved


def _rotations(table: Table, channels: _Channels) -> Array:
    """(F, J, 4), all joints of one order at once."""
    rows = table.values
    out = np.zeros((len(rows), len(channels.orders), 4))
    out[..., 0] = 1.0
    for order in dict.fromkeys(channels.orders):
        joints = [j for j, o in enumerate(channels.orders) if o == order]
        if not order:
            continue
        columns = np.array([channels.rotation[j] for j in joints])
        for a in range(0, len(rows), BLOCK):
            out[a : a + BLOCK, joints] = from_axes(order, np.radians(rows[a : a + BLOCK, columns]))
    return out


def _positions(table: Table, channels: _Channels, offsets: Array, scale: float) -> tuple[Array, Array | None]:
    """The root (F, 3) m, and (F, J, 3) m where other joints have position channels that move them."""
    frames = len(table.values)
    if not any(channels.position[1:]):
        root = np.tile(offsets[0], (frames, 1))
        for axis, column in channels.position[0].items():
            root[:, "XYZ".index(axis)] = table.values[:, column] * scale
        return root, None
    moves = np.broadcast_to(offsets, (frames, *offsets.shape)).copy()
    for j, columns in enumerate(channels.position):
        for axis, column in columns.items():
            moves[:, j, "XYZ".index(axis)] = table.values[:, column] * scale
        if j and columns and frames:
            axes = ["XYZ".index(axis) for axis in columns]
            # Some write where the joint is, others how far it is from its offset: the nearer reading holds.
            there = np.abs(np.median(moves[:, j, axes], axis=0) - offsets[j, axes]).sum()
            if there > np.abs(np.median(moves[:, j, axes], axis=0)).sum():
                moves[:, j, axes] += offsets[j, axes]
    still = np.abs(moves[:, 1:] - offsets[1:]).max(initial=0.0) < 1e-7
    return moves[:, 0].copy(), None if still else moves


def _on_the_ground(
    skeleton: Skeleton, root: Array, rotations: Array, notes: list[str]
) -> tuple[Array, Skeleton]:
    """The root's rest offset: added to its positions or not, whichever puts the lowest joint on y = 0.

    Without an offset the rest pose stands on y = 0.
    """
    offsets = np.array(skeleton.offsets)
    if len(root) and np.abs(offsets[0]).max() > 1e-9:
        some = slice(None, None, len(root) // MANY + 1)
        low = forward_kinematics(skeleton, root[some], rotations[some])[0][..., 1].min()
        if abs(low + offsets[0, 1]) < abs(low) - 1e-6:
            root = root + offsets[0]
            notes.append("the root's OFFSET is added to its positions: that puts the feet on the ground")
        else:
            notes.append("the root's OFFSET is not added to its positions, which are absolute")
    else:
        offsets[0] = 0.0
        below = Skeleton(skeleton.names, skeleton.parents, offsets).rest_positions()[:, 1].min()
        offsets[0, 1] = max(-below, 0.0)
    return root, Skeleton(skeleton.names, skeleton.parents, offsets, skeleton.soles)


def _unit(hierarchy: Hierarchy, notes: list[str]) -> float:
    """m of one unit of the file, from the size of the rest pose; centimetres where none makes it a person."""
    points = [np.zeros(3)]
    for parent, row in zip(hierarchy.parents[1:], hierarchy.offsets[1:]):
        points.append(points[parent] + np.array([float(x) for x in row]))
    size = float(np.ptp(np.array(points), axis=0).max())
    for low, high, unit, name in UNITS:
        if low < size < high:
            notes.append(f"a figure {size:.4g} units large: read as {name}")
            return unit
    return CENTIMETRE


def _metres(text: str, unit: float) -> float:
    """The decimal number ``text`` times ``unit``, correctly rounded."""
    return float(Decimal(text) * Decimal(repr(unit)))


def _rate(frame_time: float) -> float:
    """Frames a second: the shortest decimal whose reciprocal is the frame time, so that 29.97 comes back."""
    for places in range(13):
        fps = round(1 / frame_time, places)
        if fps > 0 and 1 / fps == frame_time:
            return fps
    return 1 / frame_time
