"""FBX files made from a tree of records, as bytes of either width and as text: written apart from the reader."""

from __future__ import annotations

import struct
import zlib

import numpy as np

TICKS = 46186158000
Tree = tuple  # (name, values, [trees])


def _binary_value(value, packed):
    if isinstance(value, bool):
        return b"C" + struct.pack("<?", value)
    if isinstance(value, int):
        return b"L" + struct.pack("<q", value) if abs(value) > 2**31 - 1 else b"I" + struct.pack("<i", value)
    if isinstance(value, float):
        return b"D" + struct.pack("<d", value)
    if isinstance(value, str):
        head, _, tail = value.partition("::")
        raw = (f"{tail}\0\1{head}" if tail else value).encode()
        return b"S" + struct.pack("<I", len(raw)) + raw
    kind = {"float64": b"d", "float32": b"f", "int64": b"l", "int32": b"i"}[value.dtype.name]
    raw = value.tobytes()
    data = zlib.compress(raw) if packed else raw
    return kind + struct.pack("<III", value.size, int(packed), len(data)) + data


def _binary(tree, at, head, packed):
    name, values, below = tree
    body = b"".join(_binary_value(v, packed) for v in values)
    start = at + head.size + len(name)
    inner, here = b"", start + len(body)
    for child in below:
        inner += _binary(child, here + 0, head, packed)
        here = start + len(body) + len(inner)
    if below:
        inner += b"\0" * head.size
    end = start + len(body) + len(inner)
    return head.pack(end, len(values), len(body), len(name)) + name.encode() + body + inner


def binary(trees, version=7400, packed=True):
    head = struct.Struct("<QQQB" if version >= 7500 else "<IIIB")
    out = b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", version)
    for tree in trees:
        out += _binary(tree, len(out), head, packed)
    return out + b"\0" * head.size


def _text(tree, depth):
    name, values, below = tree
    tab = "\t" * depth
    if len(values) == 1 and isinstance(values[0], np.ndarray):
        numbers = ",".join(repr(x) for x in values[0].tolist())
        return f"{tab}{name}: *{values[0].size} {{\n{tab}\ta: {numbers}\n{tab}}}\n"
    words = ", ".join(f'"{v}"' if isinstance(v, str) else repr(v) for v in values)
    if not below:
        return f"{tab}{name}: {words}\n"
    return f"{tab}{name}: {words} {{\n" + "".join(_text(b, depth + 1) for b in below) + f"{tab}}}\n"


def text(trees, version=7400):
    head = f"; FBX 7.4.0 project file\nFBXHeaderExtension:  {{\n\tFBXVersion: {version}\n}}\n"
    return (head + "".join(_text(t, 0) for t in trees)).encode()


def properties(table):
    rows = []
    for name, value in table.items():
        values = list(value) if isinstance(value, list | tuple | np.ndarray) else [value]
        rows.append(("P", [name, "", "", "A", *[v if isinstance(v, int | str) else float(v) for v in values]], []))
    return ("Properties70", [], rows)


def curve(number, times, values, flag=0x4):
    values = np.asarray(values, np.float32)
    return ("AnimationCurve", [number, "AnimCurve::", ""], [
        ("KeyTime", [np.rint(np.asarray(times) * TICKS).astype(np.int64)], []),
        ("KeyValueFloat", [values], []),
        ("KeyAttrFlags", [np.array([flag], np.int32)], []),
        ("KeyAttrDataFloat", [np.zeros(4, np.float32)], []),
        ("KeyAttrRefCount", [np.array([len(values)], np.int32)], []),
    ])


def scene(nodes, clips=(), settings=None, bound=None):
    """Trees of a file.

    Args:
        nodes: (name, kind, index of the parent or None, properties).
        clips: (name, seconds, {(node, "T" "R" or "S"): (times, (K, 3) values)}).
        settings: global ones.
        bound: node -> (4, 4) matrix of columns, of its cluster.
    """
    number = lambda k: 1_000_000 + k  # noqa: E731
    objects, links = [], []
    for k, (name, kind, parent, table) in enumerate(nodes):
        objects.append(("Model", [number(k), f"Model::{name}", kind], [properties(table)]))
        links.append(("C", ["OO", number(k), 0 if parent is None else number(parent)], []))
    for k, matrix in (bound or {}).items():
        values = np.ascontiguousarray(np.asarray(matrix, float).T).reshape(16)
        objects.append(("Deformer", [2_000_000 + k, "SubDeformer::", "Cluster"], [("TransformLink", [values], [])]))
        links.append(("C", ["OO", number(k), 2_000_000 + k], []))
    free = 3_000_000
    for name, seconds, tracks in clips:
        stack, layer = free, free + 1
        stop = round(seconds * TICKS)
        objects.append(("AnimationStack", [stack, f"AnimStack::{name}", ""], [properties({"LocalStop": stop})]))
        objects.append(("AnimationLayer", [layer, "AnimLayer::Base", ""], []))
        links.append(("C", ["OO", layer, stack], []))
        free += 2
        for (k, track), (times, values) in tracks.items():
            prop = {"T": "Lcl Translation", "R": "Lcl Rotation", "S": "Lcl Scaling"}[track]
            holder = free
            objects.append(("AnimationCurveNode", [holder, f"AnimCurveNode::{track}", ""], []))
            links += [("C", ["OO", holder, layer], []), ("C", ["OP", holder, number(k), prop], [])]
            for axis, letter in enumerate("XYZ"):
                objects.append(curve(holder + 1 + axis, times, np.asarray(values)[:, axis]))
                links.append(("C", ["OP", holder + 1 + axis, holder, f"d|{letter}"], []))
            free += 4
    return [
        ("GlobalSettings", [], [properties(settings or {})]), ("Objects", [], objects), ("Connections", [], links),
    ]
