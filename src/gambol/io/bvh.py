"""BVH read: a hierarchy and one line of numbers a frame, in degrees and most often in centimetres.

Any order and number of channels on any joint, and the dialects named in :mod:`gambol.io.bvh_text`; what was changed
or found odd is said in ``motion.info["notes"]``. Written by :mod:`gambol.io.bvh_write`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.body import Body
from gambol.io.bvh_text import Hierarchy, Table, one_byte, read_hierarchy, read_table
from gambol.io.euler import from_axes
from gambol.io.source import SOLES, Source, soles_of
from gambol.motion import Motion
from gambol.roles import find_roles
from gambol.skeleton import Skeleton, forward_kinematics

__all__ = ["decode"]

Array = NDArray[np.float64]
CENTIMETRE, INCH, INCHES = 0.01, 0.0254, (45.0, 85.0)
# Figures from .. to units large are people in these units; what lies between is taken for centimetres.
UNITS = (
    (0.3, 4.0, 1.0, "metres"),
    (18.0, 33.0, 0.0254 / 0.45, "the unit of the CMU library, 56.4 mm"),
    (800.0, np.inf, 0.001, "millimetres"),
)
MANY = 250  # frames that are enough to see where the ground is
BLOCK = 256  # rows converted at a time


class _Channels(NamedTuple):
    """Where the numbers of a row go: per joint the rotation letters, and columns."""

    orders: list[str]
    rotation: list[list[int]]
    position: list[dict[str, int]]


def decode(data: bytes, source: Source) -> Motion:
    """A motion from the bytes of a BVH file.

    Args:
        data: the file.
        source: its name, for errors; a unit and a rate that overrule what is found.

    Raises:
        GambolError: with the line of the file that cannot be read.
    """
    data = one_byte(data)
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
    root, skeleton = _on_the_ground(skeleton, root, rotations, (source.root_added, notes))
    if moves is not None:
        moves[:, 0] = root
    info = {"unit_m": unit, **({"notes": notes} if notes else {})}
    fps = _rate(table.frame_time)
    del table  # as large as the motion
    rotations.setflags(write=False)  # so that they are handed on, not copied
    return Motion(skeleton, root, rotations, fps, translations=moves, info=info)


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
    if table.holes is not None:
        for j, places in enumerate(channels.rotation):
            _bridge(out[:, j], np.asarray(table.holes[:, places].any(1)))
    return out


def _bridge(rotations: Array, holes: NDArray[np.bool_]) -> None:
    """Frames that are holes of (F, 4) laid on the shortest turn between their neighbours, in place.

    Angles between two frames are no rotation between them where they pass half a turn.
    """
    good, bad = np.flatnonzero(~holes), np.flatnonzero(holes)
    if not len(good) or not len(bad):
        return
    after = np.searchsorted(good, bad)
    a, b = good[np.maximum(after - 1, 0)], good[np.minimum(after, len(good) - 1)]
    share = np.where(b > a, (bad - a) / np.maximum(b - a, 1), 0.0)
    rotations[bad] = quat.slerp(rotations[a], rotations[b], share)


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
    skeleton: Skeleton, root: Array, rotations: Array, told: tuple[bool | None, list[str]]
) -> tuple[Array, Skeleton]:
    """The root's rest offset: added to its positions or not, as told, else as puts the lowest joint on y = 0.

    Without an offset the rest pose stands on y = 0.
    """
    offsets, (added, notes), why = np.array(skeleton.offsets), told, ""
    if len(root) and np.abs(offsets[0]).max() > 1e-9:
        some = slice(None, None, len(root) // MANY + 1)
        low = forward_kinematics(skeleton, root[some], rotations[some])[0][..., 1].min()
        if added is None:
            added, why = abs(low + offsets[0, 1]) < abs(low) - 1e-6, ": that puts the feet on the ground"
        if added:
            root = root + offsets[0]
            notes.append(f"the root's OFFSET is added to its positions{why}")
        else:
            notes.append("the root's OFFSET is not added to its positions, which are absolute")
    else:
        offsets[0] = 0.0
        below = Skeleton(skeleton.names, skeleton.parents, offsets).rest_positions()[:, 1].min()
        offsets[0, 1] = max(-below, 0.0)
    return root, Skeleton(skeleton.names, skeleton.parents, offsets, skeleton.soles)


def _unit(hierarchy: Hierarchy, notes: list[str]) -> float:
    """m of one unit of the file, from the size of the rest pose; centimetres where none makes it a person.

    A human of 45 to 85 units would be a baby in centimetres: those are inches.
    """
    points = np.array([[float(x) for x in row] for row in hierarchy.offsets])
    points[0] = 0.0
    for j, parent in enumerate(hierarchy.parents[1:], 1):
        points[j] += points[parent]
    size = float(np.ptp(points, axis=0).max())
    for low, high, unit, name in UNITS:
        if low < size < high:
            notes.append(f"a figure {size:.4g} units large: read as {name}")
            return unit
    if INCHES[0] < size < INCHES[1] and find_roles(hierarchy.names, hierarchy.parents, points).kind == "human":
        notes.append(f"a human {size:.4g} units large: read as inches")
        return INCH
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
