"""A clip of a glTF document as a motion.

Rest rotations are taken out: joint frames become parallel to the world, so that a rotation means the same for
every joint. Keys may stand anywhere; they are sampled on the grid of the clip.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.io.gltf_nodes import Nodes, nodes_of
from gambol.io.gltf_person import Hanging, hanging_of, hung, worn
from gambol.io.gltf_rig import Rig, groups_of, rig_of
from gambol.io.gltf_tracks import grid_of, sampled, tracks_of
from gambol.io.source import Source, soles_of
from gambol.motion import Motion
from gambol.skeleton import Skeleton

__all__ = ["clip_names", "read_clip"]

Array = NDArray[np.float64]
MOST_NUMBERS = 50_000_000  # joints times frames
BLOCK = 2048  # frames at a time
STILL = 1e-6  # m for each m of the skeleton: joints that move less do not


def clip_names(document: dict[str, Any]) -> list[str]:
    """Names of the animations, made up where they have none."""
    return [str(a.get("name") or f"clip_{i}") for i, a in enumerate(document.get("animations", []))]


def read_clip(document: dict[str, Any], binary: bytes, source: Source) -> Motion:
    """The clip asked for; else the first that gambol wrote, or the first.

    Raises:
        GambolError: no such clip, or what it points at is not there or not read.
    """
    names = clip_names(document)
    if not names or source.clip is not None and source.clip not in names:
        what = f"no clip is called {source.clip!r}" if names else "no animation in it"
        do = "name one of these" if names else f"put one on it: gambol walk --character {source.name}"
        raise GambolError(what, where=source.name, allowed=", ".join(names), do=do)
    ours = [i for i, a in enumerate(document["animations"]) if "gambol" in (a.get("extras") or {})]
    which = (ours or [0])[0] if source.clip is None else names.index(source.clip)
    try:
        return _clip(document, binary, document["animations"][which], names[which])
    except GambolError as error:
        where = f"{source.name}, {error.where}" if error.where else source.name
        raise GambolError(error.what, where=where, allowed=error.allowed, do=error.do) from error
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, np.linalg.LinAlgError) as error:
        raise GambolError(f"its parts do not fit together: {error!r}", where=source.name) from error


def _clip(document: dict[str, Any], binary: bytes, animation: dict[str, Any], name: str) -> Motion:
    nodes = nodes_of(document)
    rig = rig_of(nodes, _moved(groups_of(document, nodes, animation), nodes, animation))
    wanted = {a for n in rig.joints for a in (n, *nodes.above(n))}
    tracks = tracks_of(document, binary, animation, wanted)
    extras = dict(animation.get("extras") or {})
    ours = extras.pop("gambol", {})
    fps, first, frames = grid_of(tracks, ours)
    if frames * len(rig.joints) > MOST_NUMBERS:
        what = f"{frames} frames of {len(rig.joints)} joints"
        raise GambolError(what, allowed=f"{MOST_NUMBERS} rotations", do="cut the clip")
    rotations, moves = np.empty((frames, len(rig.joints), 4)), np.empty((frames, len(rig.joints), 3))
    for a in range(0, frames, BLOCK):
        times = first + np.arange(a, min(a + BLOCK, frames)) / fps
        values = {k: _values(sampled(t, times, k[1] == "rotation"), k[1]) for k, t in tracks.items()}
        block = rig.motion(values, len(times))
        rotations[a : a + BLOCK], moves[a : a + BLOCK] = block
    skeleton, rotations, moves = _worn(document, binary, rig, ours, (rotations, moves))
    skeleton, translations = _lengths(skeleton, moves)
    return Motion(
        skeleton, moves[:, 0], rotations, fps, contacts=_contacts(ours, skeleton, fps, frames),
        mass=None if ours.get("mass_kg") is None else float(ours["mass_kg"]), cyclic=bool(ours.get("cyclic", False)),
        translations=translations, name=str(ours.get("name", name)), info=extras,
    )


def _values(values: Array, path: str) -> Array:
    return np.asarray(values / np.linalg.norm(values, axis=-1, keepdims=True)) if path == "rotation" else values


def _moved(groups: list[list[int]], nodes: Nodes, animation: Mapping[str, Any]) -> list[int]:
    """Of several skeletons the one that the clip moves most."""
    if not groups:
        raise GambolError("no joints in it")
    targets = [c["target"].get("node") for c in animation.get("channels", [])]
    return max(groups, key=lambda g: len(set(g) & set(targets)))


def _worn(
    document: dict[str, Any], binary: bytes, rig: Rig, ours: Mapping[str, Any], clip: tuple[Array, Array]
) -> tuple[Skeleton, Array, Array]:
    """The skeleton and the clip with sole points, and with feet below their shanks."""
    rotations, moves = clip
    if "soles" in ours and all(n in rig.skeleton for n in ours["soles"]):
        names = rig.skeleton.names
        soles = tuple(names.index(n) for n in ours["soles"])
        return Skeleton(names, rig.skeleton.parents, rig.skeleton.offsets, soles), rotations, moves
    if soles := soles_of(rig.skeleton.names):
        return Skeleton(rig.skeleton.names, rig.skeleton.parents, rig.skeleton.offsets, soles), rotations, moves
    how = Hanging.from_json(ours.get("rig"), rig.skeleton) or hanging_of(document, binary, rig)
    if how is None:
        return rig.skeleton, rotations, moves
    skeleton = worn(rig.skeleton, how)
    return skeleton, *hung(rig.skeleton, skeleton, how, clip)


def _lengths(skeleton: Skeleton, moves: Array) -> tuple[Skeleton, Array | None]:
    """The skeleton with the lengths of the clip where they stay the same, and translations where they do not."""
    slack = STILL * max(float(np.ptp(skeleton.rest_positions(), axis=0).max()), 1.0)
    away = np.abs(moves[:, 1:] - skeleton.offsets[1:]).max(axis=(0, 2), initial=0.0)
    if (away < slack).all():
        return skeleton, None
    still = np.ptp(moves[:, 1:], axis=0).max(axis=1, initial=0.0) < 2 * slack
    offsets = np.array(skeleton.offsets)
    use = 1 + np.flatnonzero(still & (away >= slack))
    offsets[use] = moves[0, use]
    new = Skeleton(skeleton.names, skeleton.parents, offsets, skeleton.soles)
    return new, None if still[away >= slack].all() else moves


def _contacts(ours: dict[str, Any], skeleton: Skeleton, fps: float, frames: int) -> NDArray[np.bool_] | None:
    if "contacts_s" not in ours:
        return None
    out = np.zeros((frames, len(skeleton.soles)), bool)
    for column, sole in enumerate(skeleton.soles):
        for first, last in ours["contacts_s"].get(skeleton.names[sole], []):
            out[round(first * fps) : round(last * fps) + 1, column] = True
    return out
