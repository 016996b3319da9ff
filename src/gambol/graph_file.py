"""A motion graph as a file: one ``.npz`` archive of plain arrays with a version."""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from functools import lru_cache
from pathlib import Path

import numpy as np

from gambol.errors import GambolError
from gambol.graph import FIELDS, STEPS, Group, MotionGraph
from gambol.skeleton import readonly

__all__ = ["VERSION", "built_in", "decode_graph", "encode_graph", "load_graph"]

VERSION = 1
MARK = "gambol motion graph"
BUILT_IN = Path(__file__).parent / "data" / "made.graph"
MOST = 2**31  # bytes of a graph unpacked
TURNS = 32767.0  # quaternions are kept in 16 bits: 0.002 degrees
EPOCH = (1980, 1, 1, 0, 0, 0)


def encode_graph(graph: MotionGraph) -> bytes:
    """The bytes of a graph file; the same graph gives the same bytes. Rotations are rounded to 0.002 degrees."""
    head = {
        "mark": MARK, "version": VERSION, "height": graph.height, "groups": list(graph.groups),
        "edges": {k: list(v) for k, v in graph.edges.items()}, "left_out": [list(r) for r in graph.left_out],
        "clips": list(graph.clips), "cuts": list(graph.cuts),
        "style": {k: list(g.style) for k, g in graph.groups.items()},
        "source": {k: list(g.source) for k, g in graph.groups.items()},
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("graph.json", EPOCH), json.dumps(head), zipfile.ZIP_DEFLATED)
        for k, group in enumerate(graph.groups.values()):
            for name in FIELDS:
                data = io.BytesIO()
                value = getattr(group, name)
                np.save(data, np.rint(value * TURNS).astype("<i2") if name == "rotations" else value.astype("<f4"))
                archive.writestr(zipfile.ZipInfo(f"{k}.{name}.npy", EPOCH), data.getvalue(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def decode_graph(data: bytes, where: str) -> MotionGraph:
    """The graph in the bytes of a file.

    Raises:
        GambolError: for anything that is not a whole graph of this version.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(i.file_size for i in archive.infolist()) > MOST:
                raise GambolError("it unpacks to more than 2 GB", where=where, do="build it from fewer clips")
            head = json.loads(archive.read("graph.json"))
            if not isinstance(head, dict) or head.get("mark") != MARK:
                raise GambolError("it is no motion graph", where=where, do="make one with: gambol graph build DIR")
            if head.get("version") != VERSION:
                raise GambolError(
                    f"it is of version {head.get('version')}", where=where, allowed=f"version {VERSION}",
                    do="build it again with: gambol graph build DIR",
                )
            groups = {
                s: _group(archive, k, head, s) for k, s in enumerate(head["groups"])
            }
            edges = {str(k): tuple(v) for k, v in head["edges"].items()}
            if set(edges) != set(groups) or any(b not in groups for v in edges.values() for b in v):
                raise ValueError("its edges lead to nowhere")
            return MotionGraph(
                float(head["height"]), groups, edges, tuple(tuple(r) for r in head["left_out"]),
                tuple(head["clips"]), (int(head["cuts"][0]), int(head["cuts"][1])),
            )
    except GambolError:
        raise
    except (
        zipfile.BadZipFile, KeyError, ValueError, TypeError, IndexError, EOFError, AttributeError, OSError,
        NotImplementedError, RuntimeError, zlib.error,
    ) as error:
        raise GambolError(
            f"it is no whole motion graph ({type(error).__name__})", where=where,
            do="make it again with: gambol graph build DIR",
        ) from error


def load_graph(path: str | os.PathLike[str]) -> MotionGraph:
    """Read a graph file.

    Raises:
        GambolError: a missing file, or one that is no graph of this version.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise GambolError(
            f"it cannot be read: {error.strerror}", where=str(path), allowed="a file made by gambol graph build"
        ) from error
    return decode_graph(data, str(path))


@lru_cache(maxsize=1)
def built_in() -> MotionGraph:
    """The graph that comes with gambol: of clips that its own walk and run made, no captured people."""
    return load_graph(BUILT_IN)


def _group(archive: zipfile.ZipFile, k: int, head: dict, string: str) -> Group:
    arrays = [np.load(io.BytesIO(archive.read(f"{k}.{n}.npy")), allow_pickle=False).astype(float) for n in FIELDS]
    n, phases = len(arrays[0]), 1 + STEPS * len(string)
    shapes = ((n, len(string) + 1), (n, phases, None, 4), (n, phases - 1, 2), (n, phases), (n, phases), (n, 2), (n,))
    for name, array, shape in zip(FIELDS, arrays, shapes):
        if array.ndim != len(shape) or any(a is not None and a != b for a, b in zip(shape, array.shape)):
            raise ValueError(f"{name} has shape {array.shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} is not finite")
    if not n or np.any(np.diff(arrays[0], axis=1) < -1e-6) or np.any(arrays[0][:, -1] <= 0):
        raise ValueError("times do not rise")
    q = arrays[1]
    arrays[1] = q / np.sqrt((q * q).sum(-1, keepdims=True))
    words = {"style": tuple(head["style"][string]), "source": tuple(head["source"][string])}
    return Group(**{k: readonly(a) for k, a in zip(FIELDS, arrays)}, **words)  # type: ignore[arg-type]
