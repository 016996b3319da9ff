"""A clip of a glTF document as a motion.

Rest rotations are taken out: joint frames become parallel to the world, so that a rotation means the same for
every joint. Keys may stand anywhere; they are sampled on the grid of the clip.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.io.glb import read_accessor
from gambol.io.source import Source, soles_of
from gambol.motion import Motion
from gambol.skeleton import Skeleton

__all__ = ["clip_names", "read_clip"]

Array = NDArray[np.float64]
GRID = 30.0  # frames a second where neither the file nor its keys say
MOST_FRAMES = 2_000_000
MOST_NUMBERS = 50_000_000  # joints times frames


class _Track(NamedTuple):
    times: Array
    values: Array
    mode: str


class _Rest(NamedTuple):
    """Joints parents first: node numbers, parents, translations (J, 3), rotations (J, 4) w first."""

    nodes: list[int]
    parents: list[int]
    translations: Array
    rotations: Array


def clip_names(document: dict[str, Any]) -> list[str]:
    """Names of the animations, made up where they have none."""
    return [str(a.get("name") or f"clip_{i}") for i, a in enumerate(document.get("animations", []))]


def read_clip(document: dict[str, Any], binary: bytes, source: Source) -> Motion:
    """The clip asked for, or the first.

    Raises:
        GambolError: no such clip, or what it points at is not there or not read.
    """
    names = clip_names(document)
    if not names or source.clip is not None and source.clip not in names:
        what = f"no clip is called {source.clip!r}" if names else "no animation in it"
        raise GambolError(what, where=source.name, allowed=", ".join(names))
    which = 0 if source.clip is None else names.index(source.clip)
    try:
        return _clip(document, binary, document["animations"][which], names[which])
    except GambolError as error:
        where = f"{source.name}, {error.where}" if error.where else source.name
        raise GambolError(error.what, where=where, allowed=error.allowed, do=error.do) from error
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise GambolError(f"its parts do not fit together: {error!r}", where=source.name) from error


def _clip(document: dict[str, Any], binary: bytes, animation: dict[str, Any], name: str) -> Motion:
    rest = _rest(document, animation)
    tracks = _tracks(document, binary, animation)
    extras = dict(animation.get("extras") or {})
    ours = extras.pop("gambol", {})
    fps, first, frames = _grid(tracks, ours)
    if frames * len(rest.nodes) > MOST_NUMBERS:
        what = f"{frames} frames of {len(rest.nodes)} joints"
        raise GambolError(what, allowed=f"{MOST_NUMBERS} rotations", do="cut the clip")
    times = first + np.arange(frames) / fps
    moves = np.broadcast_to(rest.translations, (frames, len(rest.nodes), 3)).copy()
    turns = np.broadcast_to(rest.rotations, (frames, len(rest.nodes), 4)).copy()
    for j, node in enumerate(rest.nodes):
        if (track := tracks.get((node, "translation"))) is not None:
            moves[:, j] = _sample(track, times)
        if (track := tracks.get((node, "rotation"))) is not None:
            turns[:, j] = quat.normalize(np.roll(_sample(track, times, turn=True), 1, axis=-1))
    skeleton, rotations, moves = _parallel(document, rest, turns, moves, ours)
    still = np.abs(moves[:, 1:] - skeleton.offsets[1:]).max(initial=0.0) < 1e-6
    return Motion(
        skeleton, moves[:, 0], rotations, fps, contacts=_contacts(ours, skeleton, fps, frames),
        mass=None if ours.get("mass_kg") is None else float(ours["mass_kg"]), cyclic=bool(ours.get("cyclic", False)),
        translations=None if still else moves, name=str(ours.get("name", name)), info=extras,
    )


def _rest(document: dict[str, Any], animation: dict[str, Any]) -> _Rest:
    """The joints: those of the first skin, or else every node above or below one that the clip turns."""
    nodes = document["nodes"]
    parent = {c: n for n, node in enumerate(nodes) for c in node.get("children", [])}
    if skins := document.get("skins"):
        wanted = set(skins[0]["joints"])
    else:
        wanted = {c["target"]["node"] for c in animation["channels"] if "node" in c["target"]}
    order: list[int] = []
    stack = sorted((n for n in wanted if parent.get(n) not in wanted), reverse=True)
    if len(stack) != 1:
        raise GambolError(f"{len(stack)} roots among its joints", allowed="one skeleton")
    seen: set[int] = set()
    while stack:
        n = stack.pop()
        if n in seen:
            raise GambolError(f"node {n} is below itself")
        seen.add(n)
        order.append(n)
        stack += [c for c in reversed(nodes[n].get("children", [])) if c in wanted]
    if set(order) != wanted:
        raise GambolError("joints with other nodes between them are not read")
    if all(parent.get(n, -1) < n for n in wanted):
        order = sorted(wanted)  # the file's own order, where parents come first in it
    for n in order:
        if "matrix" in nodes[n] or not np.allclose(nodes[n].get("scale", 1.0), 1.0, atol=1e-6):
            raise GambolError(f"node {n} is scaled or given as a matrix, which is not read")
    turns = np.array([nodes[n].get("rotation", [0.0, 0.0, 0.0, 1.0]) for n in order], float)
    return _Rest(
        order, [order.index(parent[n]) if parent.get(n) in wanted else -1 for n in order],
        np.array([nodes[n].get("translation", [0.0, 0.0, 0.0]) for n in order], float),
        quat.normalize(np.roll(turns, 1, axis=-1)),
    )


def _tracks(
    document: dict[str, Any], binary: bytes, animation: dict[str, Any]
) -> dict[tuple[int, str], _Track]:
    out: dict[tuple[int, str], _Track] = {}
    for channel in animation["channels"]:
        target, sampler = channel["target"], animation["samplers"][channel["sampler"]]
        if target.get("path") not in ("translation", "rotation") or "node" not in target:
            continue
        times = read_accessor(document, binary, sampler["input"])
        values = read_accessor(document, binary, sampler["output"])
        mode = sampler.get("interpolation", "LINEAR")
        if mode == "CUBICSPLINE":
            raise GambolError("curves of the kind CUBICSPLINE are not read", do="export it with sampled keys")
        if not len(times) or len(values) != len(times) or np.any(np.diff(times) < 0):
            raise GambolError(f"the keys of node {target['node']} do not fit its times")
        out[target["node"], target["path"]] = _Track(times, values, mode)
    return out


def _grid(tracks: dict[tuple[int, str], _Track], ours: dict[str, Any]) -> tuple[float, float, int]:
    """Rate, time of the first frame and number of frames."""
    if "fps" in ours:
        fps, frames = float(ours["fps"]), int(ours["frames"])
        if not (math.isfinite(fps) and fps > 0 and 0 < frames <= MOST_FRAMES):
            raise GambolError(f"{frames} frames at {fps:g} a second", allowed=f"1 to {MOST_FRAMES} frames")
        return fps, 0.0, frames
    if not tracks:
        raise GambolError("a clip that moves no joint")
    first, last = min(t.times[0] for t in tracks.values()), max(t.times[-1] for t in tracks.values())
    gaps = np.concatenate([np.diff(t.times) for t in tracks.values()])
    gaps = gaps[gaps > 1e-6]
    fps = 1 / float(np.median(gaps)) if len(gaps) else GRID
    fps = round(fps, 2) if abs(fps - round(fps, 2)) < 2e-4 * fps else fps
    frames = round((last - first) * fps) + 1
    if frames > MOST_FRAMES:
        what = f"a clip of {last - first:g} s, {frames} frames"
        raise GambolError(what, allowed=f"{MOST_FRAMES} frames", do="cut it, or export fewer keys a second")
    return fps, float(first), frames


def _sample(track: _Track, times: Array, turn: bool = False) -> Array:
    """Values at ``times``, held before the first and after the last key."""
    keys, last = track.times, len(track.times) - 1
    # Times are 32-bit in the file; a key within rounding of a frame is that frame.
    after = np.clip(np.searchsorted(keys, times + 1e-5), 1, max(last, 1))
    if last == 0:
        return np.broadcast_to(track.values[0], (len(times), track.values.shape[1]))
    before = after - 1
    gap = keys[after] - keys[before]
    t = np.clip((times - keys[before]) / np.where(gap > 0, gap, 1.0), 0.0, 1.0)
    near = 1e-5 / np.maximum(gap, 1e-5) + 4e-7 * np.abs(times) / np.maximum(gap, 1e-5)
    t = np.where(t < near, 0.0, np.where(t > 1 - near, 1.0, t))
    if track.mode == "STEP":
        t = np.floor(t)
    a, b = track.values[before], track.values[after]
    if not turn:
        return a * (1 - t)[:, None] + b * t[:, None]
    out = np.where((t == 1.0)[:, None], b, a)
    inside = (t > 0) & (t < 1)
    if inside.any():
        start, end = (np.roll(quat.normalize(x[inside]), 1, axis=-1) for x in (a, b))
        out[inside] = np.roll(quat.slerp(start, end, t[inside]), -1, axis=-1)
    return out


def _parallel(
    document: dict[str, Any], rest: _Rest, turns: Array, moves: Array, ours: dict[str, Any]
) -> tuple[Skeleton, Array, Array]:
    """Skeleton, rotations and translations with the rest rotations taken out.

    With W the rest rotation of a joint in the world and P its parent's: a joint rotation q becomes
    P q W^-1 and a translation t becomes P t.
    """
    world = np.empty_like(rest.rotations)
    above = np.empty_like(world)
    for j, p in enumerate(rest.parents):
        above[j] = quat.IDENTITY if p < 0 else world[p]
        world[j] = quat.multiply(above[j], rest.rotations[j])
    names = tuple(str(document["nodes"][n].get("name") or f"joint_{j}") for j, n in enumerate(rest.nodes))
    soles = tuple(names.index(n) for n in ours["soles"]) if "soles" in ours else soles_of(names)
    if np.allclose(world, quat.IDENTITY, atol=1e-12):
        return Skeleton(names, np.array(rest.parents), rest.translations, soles), turns, moves
    skeleton = Skeleton(names, np.array(rest.parents), quat.rotate(above, rest.translations), soles)
    turned = quat.multiply(quat.multiply(above, turns), quat.conjugate(world))
    return skeleton, turned, quat.rotate(above, moves)


def _contacts(ours: dict[str, Any], skeleton: Skeleton, fps: float, frames: int) -> NDArray[np.bool_] | None:
    if "contacts_s" not in ours:
        return None
    out = np.zeros((frames, len(skeleton.soles)), bool)
    for column, sole in enumerate(skeleton.soles):
        for first, last in ours["contacts_s"].get(skeleton.names[sole], []):
            out[round(first * fps) : round(last * fps) + 1, column] = True
    return out
