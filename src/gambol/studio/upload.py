"""What a dropped file is, and what is in it, in sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gambol.errors import GambolError
from gambol.motion import Motion
from gambol.studio.project import Figure, Ground, View, parsed, read_project
from gambol.studio.workshop import Workshop

__all__ = ["inspected", "received"]

RIGS = (".glb", ".gltf", ".vrm")
MESHES = (".obj", ".ply", ".stl", *RIGS)
SONGS = (".mid", ".midi", ".wav", ".ogg", ".flac", ".mp3", ".aiff", ".aif")
CLIPS = (".bvh", ".amc", ".asf", ".c3d", ".fbx", ".npz", ".csv", ".trc", ".mot", ".sto")
OTHERS = (".walk", ".graph")
LISTED = 200


def received(shop: Workshop, name: str, data: bytes) -> dict[str, Any]:
    """Keep a dropped file and say what it is; what cannot be used is not kept.

    Raises:
        GambolError: what its reader says of it.
    """
    kept = shop.folder.add(name, data)
    try:
        return inspected(shop, kept)
    except Exception:
        shop.folder.file(kept).unlink()
        raise


def inspected(shop: Workshop, name: str) -> dict[str, Any]:
    """Kind, title and notes of a dropped file; what can only be refused is refused.

    Raises:
        GambolError: what its reader says of it.
    """
    file = shop.folder.file(name)
    title, suffix = name.partition("-")[2], file.suffix.lower()
    found: dict[str, Any] = {"file": name, "title": title, "notes": []}
    if suffix == ".json":
        data = parsed(file.read_bytes(), title)
        if isinstance(data, dict) and data.get("gambol") == "project":
            read_project(data)
            return {**found, "kind": "project"}
        return {**found, "kind": "clip", **_clip(shop, name, file)}
    if suffix in RIGS:
        return {**found, **_gltf(shop, name, file)}
    if suffix in MESHES:
        return {**found, "kind": "ground", **_ground(shop, name)}
    if suffix in SONGS:
        return {**found, "kind": "music"}
    if suffix in (*CLIPS, *OTHERS):
        return {**found, "kind": "clip", **(_clip(shop, name, file) if suffix in CLIPS else {})}
    known = ", ".join((*MESHES, *CLIPS, *OTHERS, *SONGS, ".gambol.json"))
    raise GambolError(f"no reader for {suffix or 'a file without a suffix'!r}", where=title, allowed=known)


def _gltf(shop: Workshop, name: str, file: Path) -> dict[str, Any]:
    """A character where there is a rig with a skin, else a clip, else ground; with why it is not the first."""
    refused: list[GambolError] = []
    try:
        wearer = shop.figure(Figure("character", file=name))
        character = wearer.character
        if character is None or character.skin is None:
            raise GambolError("it has no skin", where=name.partition("-")[2])
        no = f"it does not walk: {character.roles.reason}; it can be posed, and sway in the wind"
        first = no if wearer.body is None else f"legs {wearer.body.leg_length:.2f} m"
        return {"kind": "character", "walks": wearer.body is not None, "notes": [first, *character.notes],
                "clips": _clips(file), "soles": _soles(wearer.skeleton)}  # fmt: skip
    except GambolError as error:
        refused.append(error)
    for kind, read in (("clip", lambda: _clip(shop, name, file)), ("ground", lambda: _ground(shop, name))):
        try:
            found = read()
            return {**found, "kind": kind, "notes": [f"no character: {refused[0].what}", *found["notes"]]}
        except GambolError as error:
            refused.append(error)
    raise refused[0]


def _soles(skeleton: Any) -> list[str]:
    return [skeleton.names[s] for s in skeleton.soles]


def _clips(file: Path) -> list[str]:
    from gambol.io import clips

    try:
        found = clips(file)[:LISTED]
        return [file.stem.partition("-")[2]] if found == [file.stem] else found
    except GambolError:  # a rig that never moves
        return []


def _clip(shop: Workshop, name: str, file: Path) -> dict[str, Any]:
    try:
        motion = shop.clip(View(name))
    except GambolError:
        from gambol.io import load

        trial = load(file)  # markers without a skeleton, of which a measured walk can be made
        if isinstance(trial, Motion):
            raise
        return {"clips": [], "trial": True, "notes": [f"{trial.duration:.2f} s, {len(trial.markers)} markers"]}
    seconds = f"{motion.duration:.2f} s, {len(motion.skeleton)} joints, {motion.fps:g} frames a second"
    return {"clips": _clips(file), "notes": [seconds, *map(str, motion.info.get("notes", []))]}


def _ground(shop: Workshop, name: str) -> dict[str, Any]:
    from gambol.studio.figures import ground_arrays

    header, arrays = ground_arrays(shop, Ground(file=name))
    low, high = header["bounds"]
    size = " x ".join(f"{b - a:.1f}" for a, b in zip(low, high))
    return {"notes": [f"{len(arrays['faces'])} triangles, {size} m"]}
