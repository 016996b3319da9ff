"""An FBX file as nodes that stand and move: transforms by the format's own rules, in the units and axes of the file.

Autodesk's FBX SDK help, "Computing transformation matrices": with translation T, rotation R, scale S, their pivots and
offsets, and the turns before and after the rotation, a node's transform in its parent is

    T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.io.fbx_file import Record

__all__ = ["Clip", "Node", "Scene", "local_transforms", "read_scene"]

Array = NDArray[np.float64]
TICKS = 46186158000  # of the format's clock, a second
ORDERS = ("XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX", "XYZ")  # of turns about fixed axes, the first one first
RATES = {1: 120, 2: 100, 3: 60, 4: 50, 5: 48, 6: 30, 7: 30, 8: 30000 / 1001, 9: 30000 / 1001, 10: 25, 11: 24, 12: 1000,
         13: 24000 / 1001, 15: 96, 16: 72, 17: 60000 / 1001}
DEEPEST = 512  # nodes below each other
CONSTANT, LINEAR, CUBIC = 2, 4, 8
TRACKS = {"Lcl Translation": 0, "Lcl Rotation": 1, "Lcl Scaling": 2}


@dataclass
class Node:
    """One model of the file: its name, kind, the node above it, and its properties."""

    name: str
    kind: str
    above: int | None = None
    properties: dict[str, list[Any]] = field(default_factory=dict)


@dataclass
class Clip:
    """A take: from when to when, s, and (node, track, axis) -> record of a curve."""

    name: str
    begin: float
    end: float
    curves: dict[tuple[int, int, int], Record] = field(default_factory=dict)
    layers: int = 0


@dataclass
class Scene:
    """Nodes by number; where they were bound, (4, 4) in the world; those that carry a skin; clips; settings."""

    nodes: dict[int, Node]
    bound: dict[int, Array]
    skinned: set[int]
    clips: list[Clip]
    settings: dict[str, list[Any]]

    def setting(self, name: str, default: float) -> float:
        """A number of the global settings."""
        values = self.settings.get(name, [])
        return float(values[0]) if values and isinstance(values[0], int | float) else default

    @property
    def unit(self) -> float:
        """m of one unit: the file counts in centimetres times a factor."""
        factor = self.setting("UnitScaleFactor", 1.0)
        return 0.01 * factor if np.isfinite(factor) and 1e-6 < factor < 1e6 else 0.01

    @property
    def rate(self) -> float:
        """Frames a second, 0 where the file does not say."""
        mode = self.setting("TimeMode", 0.0)
        if mode == 14:
            return self.setting("CustomFrameRate", 0.0)
        return float(RATES.get(int(mode) if np.isfinite(mode) else 0, 0.0))

    @property
    def axes(self) -> Array:
        """``(3, 3)`` our world from the file's: its side, up and front axes are our x, y and z."""
        out = np.zeros((3, 3))
        for row, name in enumerate(("CoordAxis", "UpAxis", "FrontAxis")):
            axis, sign = self.setting(name, float(row)), self.setting(f"{name}Sign", 1.0)
            out[row, int(axis) % 3 if np.isfinite(axis) else row] = -1.0 if sign < 0 else 1.0
        return out if np.linalg.det(out) > 0.5 else np.eye(3)


def read_scene(root: Record, where: str) -> Scene:
    """The scene of a file.

    Raises:
        GambolError: a file without objects, or nodes that hang below themselves.
    """
    objects = root.find("Objects")
    if objects is None:
        raise GambolError("no objects in it", where=where)
    nodes = {_id(r): Node(_name(r), _word(r, 2), None, _properties(r)) for r in objects.all("Model")}
    pairs = _connections(root)
    parents: dict[int, list[tuple[int, str]]] = {}
    for child, above, prop in pairs:
        parents.setdefault(child, []).append((above, prop))
    for number, node in nodes.items():
        node.above = next((a for a, _ in parents.get(number, []) if a in nodes), None)
    _check_tree(nodes, where)
    settings = root.find("GlobalSettings")
    clusters = {_id(r) for r in objects.all("Deformer") if _word(r, 2) == "Cluster"}
    skinned = {child for child, above, _ in pairs if child in nodes and above in clusters}
    return Scene(
        nodes, _bound(objects, nodes, pairs), skinned, _clips(objects, nodes, parents),
        _properties(settings) if settings else {},
    )


def _id(record: Record) -> int:
    return record.values[0] if record.values and isinstance(record.values[0], int) else 0


def _word(record: Record, at: int) -> str:
    value = record.values[at] if at < len(record.values) else ""
    return value if isinstance(value, str) else ""


def _name(record: Record) -> str:
    """A name without its class, which bytes have behind it and text before it."""
    return _word(record, 1).split("\0\1")[0].rpartition("::")[2]


def _properties(record: Record) -> dict[str, list[Any]]:
    table = record.find("Properties70")
    return {_word(p, 0): p.values[4:] for p in table.all("P")} if table else {}


def _connections(root: Record) -> list[tuple[int, int, str]]:
    """(child, parent, property) of every connection."""
    table = root.find("Connections")
    rows = table.all("C") if table else []
    return [
        (r.values[1], r.values[2], _word(r, 3)) for r in rows
        if len(r.values) > 2 and isinstance(r.values[1], int) and isinstance(r.values[2], int)
    ]


def _check_tree(nodes: Mapping[int, Node], where: str) -> None:
    for number in nodes:
        way: set[int] = set()
        here: int | None = number
        while here is not None:
            if here in way or len(way) > DEEPEST:
                what = "is below itself" if here in way else f"has more than {DEEPEST} nodes above it"
                raise GambolError(f"the node {nodes[number].name[:60]!r} {what}", where=where)
            way.add(here)
            here = nodes[here].above


def _bound(objects: Record, nodes: Mapping[int, Node], pairs: list[tuple[int, int, str]]) -> dict[int, Array]:
    """Where nodes were when a skin was bound to them, else where a bind pose has them."""
    out: dict[int, Array] = {}
    for pose in objects.all("Pose"):
        for row in pose.all("PoseNode"):
            numbers = row.array("Node")
            matrix = _matrix(row.array("Matrix"))
            if numbers.size and matrix is not None and int(numbers[0]) in nodes:
                out[int(numbers[0])] = matrix
    links = {_id(r): _matrix(r.array("TransformLink")) for r in objects.all("Deformer")}
    for child, above, _ in pairs:
        if child in nodes and (matrix := links.get(above)) is not None:
            out[child] = matrix
    return out


def _matrix(numbers: NDArray) -> Array | None:
    """Sixteen numbers, axis by axis, as a matrix of columns; None where it is none."""
    if numbers.size != 16 or not np.isfinite(numbers).all():
        return None
    out: Array = np.asarray(numbers, float).reshape(4, 4).T
    return out if abs(np.linalg.det(out[:3, :3])) > 1e-18 else None


def _clips(
    objects: Record, nodes: Mapping[int, Node], parents: Mapping[int, list[tuple[int, str]]]
) -> list[Clip]:
    """Stacks hold layers, layers curve nodes, and those curves and what they move; the lowest layer counts."""
    out = []
    first_layer: dict[int, Clip] = {}
    layers = [_id(r) for r in objects.all("AnimationLayer")]
    for record in objects.all("AnimationStack"):
        properties = _properties(record)
        begin, end = (_seconds(properties.get(k)) for k in ("LocalStart", "LocalStop"))
        clip = Clip(_name(record), begin, end)
        mine = [layer for layer in layers if any(a == _id(record) for a, _ in parents.get(layer, []))]
        clip.layers = len(mine)
        first_layer |= dict.fromkeys(mine[:1], clip)
        out.append(clip)
    owner: dict[int, tuple[Clip, int, int]] = {}
    for record in objects.all("AnimationCurveNode"):
        above = parents.get(_id(record), [])
        moved = [(a, TRACKS[p]) for a, p in above if a in nodes and p in TRACKS]
        clips = [first_layer[a] for a, _ in above if a in first_layer]
        if moved and clips:
            owner[_id(record)] = (clips[0], *moved[0])
    for record in objects.all("AnimationCurve"):
        for above_node, prop in parents.get(_id(record), []):
            if above_node in owner and prop[-1:] in "XYZ" and prop:
                clip, node, track = owner[above_node]
                clip.curves[node, track, "XYZ".index(prop[-1])] = record
    for clip in out:
        if not clip.end > clip.begin:
            keys = [r.array("KeyTime") for r in clip.curves.values()]
            ends = [t for k in keys if len(k) for t in k[[0, -1]].tolist()]
            clip.begin, clip.end = (min(ends) / TICKS, max(ends) / TICKS) if ends else (0.0, 0.0)
    return out


def _seconds(values: list[Any] | None) -> float:
    return values[0] / TICKS if values and isinstance(values[0], int | float) else 0.0


# transforms


def local_transforms(scene: Scene, number: int, clip: Clip | None, times: Array) -> Array:
    """``(F, 4, 4)`` of a node in its parent at ``times`` s."""
    p = scene.nodes[number].properties
    tracks = np.empty((3, 3, len(times)))
    for track, (name, default) in enumerate(zip(TRACKS, (0.0, 0.0, 1.0))):
        for axis, value in enumerate(_vector(p, name, default)):
            curve = clip.curves.get((number, track, axis)) if clip else None
            tracks[track, axis] = value if curve is None else _curve(curve, times, value)
    active = bool((p.get("RotationActive") or [0])[0])
    order = (p.get("RotationOrder") or [0])[0]
    order = ORDERS[order] if active and isinstance(order, int) and 0 <= order < len(ORDERS) else "XYZ"
    turn = _euler(tracks[1].T, order)
    if active:
        before, after = (_euler(_vector(p, f"{k}Rotation", 0.0), "XYZ") for k in ("Pre", "Post"))
        turn = quat.multiply(quat.multiply(before, turn), quat.conjugate(after))
    out = _shift(tracks[0].T + _vector(p, "RotationOffset", 0.0) + _vector(p, "RotationPivot", 0.0))
    spin = _shift(np.zeros(3))
    spin = np.broadcast_to(spin, (len(times), 4, 4)).copy()
    spin[:, :3, :3] = quat.to_matrix(turn)
    size = np.zeros((len(times), 4, 4))
    size[:, [0, 1, 2], [0, 1, 2]], size[:, 3, 3] = tracks[2].T, 1.0
    pivot = _vector(p, "ScalingPivot", 0.0)
    middle = _shift(-_vector(p, "RotationPivot", 0.0) + _vector(p, "ScalingOffset", 0.0) + pivot)
    return out @ spin @ middle @ size @ _shift(-pivot)


def _vector(properties: Mapping[str, list[Any]], name: str, default: float) -> Array:
    values = properties.get(name, [])[:3]
    if len(values) < 3 or not all(isinstance(v, int | float) and np.isfinite(v) for v in values):
        return np.full(3, default)
    return np.array(values, float)


def _shift(vector: ArrayLike) -> Array:
    vector = np.asarray(vector, float)
    out = np.broadcast_to(np.eye(4), (*vector.shape[:-1], 4, 4)).copy()
    out[..., :3, 3] = vector
    return out


def _euler(degrees: ArrayLike, order: str) -> Array:
    """Turns about the parent's axes, the first of ``order`` first."""
    half = np.radians(np.asarray(degrees, float)) / 2
    out: Array = np.broadcast_to(quat.IDENTITY, (*half.shape[:-1], 4))
    for letter in order:
        axis = "XYZ".index(letter)
        one = np.zeros((*half.shape[:-1], 4))
        one[..., 0], one[..., 1 + axis] = np.cos(half[..., axis]), np.sin(half[..., axis])
        out = quat.multiply(one, out)
    return out


def _curve(record: Record, times: Array, default: float) -> Array:
    """Values of a curve at ``times`` s, held before its first and after its last key."""
    ticks, values = record.array("KeyTime"), np.asarray(record.array("KeyValueFloat"), float)
    count = min(len(ticks), len(values))
    keys, values = ticks[:count] / TICKS, values[:count]
    if not count or not np.isfinite(values).all() or np.any(np.diff(keys) <= 0):
        return np.full(len(times), default)
    if count == 1:
        return np.full(len(times), values[0])
    flags, slopes = _attributes(record, count)
    at = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, count - 2)
    gap = keys[at + 1] - keys[at]
    s = np.clip((times - keys[at]) / gap, 0.0, 1.0)
    a, b = values[at], values[at + 1]
    kind = flags[at]
    straight = a + s * (b - a)
    m0, m1 = slopes[at, 0] * gap, slopes[at, 1] * gap
    bent = (2 * s**3 - 3 * s**2 + 1) * a + (s**3 - 2 * s**2 + s) * m0 + (3 * s**2 - 2 * s**3) * b + (s**3 - s**2) * m1
    out = np.where(kind & CONSTANT, np.where(s < 1, a, b), np.where(kind & CUBIC, bent, straight))
    return np.where(np.isfinite(out), out, default)


def _attributes(record: Record, count: int) -> tuple[NDArray[np.int64], Array]:
    """Of each key: flags (K,), and slopes (K, 2) a second where it begins and where the next key ends it."""
    flags, runs = (np.asarray(record.array(k), np.int64) for k in ("KeyAttrFlags", "KeyAttrRefCount"))
    data = np.asarray(record.array("KeyAttrDataFloat"), float).reshape(-1)
    usual = np.full(count, LINEAR), np.zeros((count, 2))
    if not len(flags) or len(flags) != len(runs) or np.any(runs < 1) or runs.sum() > 2 * count + 1:
        return usual
    rows = np.zeros((len(flags), 2))
    if data.size == 4 * len(flags):
        rows = np.nan_to_num(data.reshape(-1, 4)[:, :2])
    each, slopes = np.repeat(flags, runs)[:count], np.repeat(rows, runs, axis=0)[:count]
    if len(each) < count:
        return usual
    return each, slopes
