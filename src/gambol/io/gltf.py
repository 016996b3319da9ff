"""glTF: the figure, its skin, the ground and the clip in one .glb that any viewer opens.

Metres, +y up, facing +z, as everywhere in gambol; quaternions are w first in memory and w last here.
The clip's ``extras`` hold ``motion.info``, and under ``gambol`` what a clip needs to come back whole:
rate, soles, contacts in seconds, mass. Forces are carried by the plain file.
Read: our own files, and other skeletons whose nodes are turned and moved but not scaled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol import __version__
from gambol.errors import GambolError
from gambol.io.glb import INDICES, VERTICES, Buffer, pack, parsed, unpack
from gambol.io.gltf_read import clip_names, read_clip
from gambol.io.source import PLAIN, Extra, Ground, Source, ground_around
from gambol.motion import Motion
from gambol.skeleton import Skeleton
from gambol.skin import Skin
from gambol.wardrobe import skin_of

__all__ = ["clips", "closed", "decode", "encode", "encode_clips", "facts_of"]

Array = NDArray[np.float64]
STILL = 1e-7  # a track that moves less (m, or in a quaternion's components) gets one key
GROUND = {"baseColorFactor": [0.40, 0.44, 0.42, 1.0], "metallicFactor": 0.0, "roughnessFactor": 1.0}


def encode(motion: Motion, extra: Extra = PLAIN) -> bytes:
    """The bytes of a .glb.

    Raises:
        GambolError: a motion without frames, which glTF cannot hold.
    """
    return encode_clips([motion], extra)


def encode_clips(motions: Sequence[Motion], extra: Extra = PLAIN) -> bytes:
    """The bytes of a .glb with a figure and several named clips.

    glTF has times and no frames: a player goes back to the first key when it has passed the last one. So a loop
    ends with its first pose again, one frame after its last frame, and nothing is skipped; when such a file is
    read, that key is no frame.

    Raises:
        GambolError: no motion, one without frames, motions of several skeletons, or two clips of one name.
    """
    motion = _one_figure(motions)
    skeleton, buffer = motion.skeleton, Buffer()
    nodes = _joint_nodes(skeleton)
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": f"gambol {__version__}"},
        "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes,
        "skins": [_skin(skeleton, buffer)], "materials": [], "meshes": [],
    }
    if extra.mesh and (skin := extra.skin or skin_of(motion)) is not None:
        _attach(document, {"name": "figure", "skin": 0}, _figure(skin, document, buffer))
    if extra.terrain is not None:
        _attach(document, {"name": "ground"}, _ground(extra.terrain, motion.root, document, buffer))
    document["animations"] = [_animation(m, buffer) for m in motions]
    return pack({key: value for key, value in document.items() if value != []}, buffer)


def decode(data: bytes, source: Source) -> Motion:
    """A clip of a .glb or .gltf; by default the first.

    Raises:
        GambolError: not glTF, no such clip, or a kind of skeleton that is not read.
    """
    document, binary = unpack(data, source.name, source)
    return read_clip(document, binary, source)


def clips(data: bytes, source: Source) -> list[str]:
    """Names of the clips."""
    return clip_names(parsed(data, source.name)[0])


def _one_figure(motions: Sequence[Motion]) -> Motion:
    """The first of motions that can be clips of one file."""
    if not motions or not all(map(len, motions)):
        raise GambolError("a motion without frames", where="glb", do="save it as .npz or .bvh")
    if any(m.skeleton != motions[0].skeleton for m in motions):
        raise GambolError("clips of several skeletons", where="glb", allowed="one figure", do="write a file for each")
    names = [m.name for m in motions]
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise GambolError(f"two clips are called {twice!r}", where="glb", do="give each its own name")
    return motions[0]


def _joint_nodes(skeleton: Skeleton, first: int = 0, prefix: str = "") -> list[dict[str, Any]]:
    """The joints, which will be the nodes from ``first`` on."""
    nodes: list[dict[str, Any]] = []
    for name, offset in zip(skeleton.names, skeleton.offsets.tolist()):
        nodes.append({"name": prefix + name, "translation": offset})
    for j in range(1, len(skeleton)):
        nodes[skeleton.parents[j]].setdefault("children", []).append(first + j)
    return nodes


def _skin(skeleton: Skeleton, buffer: Buffer, first: int = 0, name: str = "figure") -> dict[str, Any]:
    """Rest frames are parallel to the world, so that an inverse bind matrix is a shift."""
    matrices = np.tile(np.eye(4, dtype=np.float32), (len(skeleton), 1, 1))
    matrices[:, 3, :3] = -skeleton.rest_positions()  # column-major: the shift is the last row in memory
    index = buffer.add(matrices.reshape(-1, 16))
    joints = list(range(first, first + len(skeleton)))
    return {"name": name, "skeleton": first, "joints": joints, "inverseBindMatrices": index}


def _attach(document: dict[str, Any], node: dict[str, Any], primitives: list[dict[str, Any]]) -> None:
    """A mesh on a node of its own at the top of the scene."""
    document["meshes"].append({"name": node["name"], "primitives": primitives})
    document["scenes"][0]["nodes"].append(len(document["nodes"]))
    document["nodes"].append({**node, "mesh": len(document["meshes"]) - 1})


def _figure(skin: Skin, document: dict[str, Any], buffer: Buffer) -> list[dict[str, Any]]:
    """One primitive a material, all over the same vertices."""
    joint_type = np.uint8 if skin.joints.max() < 256 else np.uint16
    attributes = {
        "POSITION": buffer.add(skin.vertices.astype(np.float32), VERTICES, limits=True),
        "NORMAL": buffer.add(_unit(skin.normals), VERTICES),
        "JOINTS_0": buffer.add(skin.joints.astype(joint_type), VERTICES),
        "WEIGHTS_0": buffer.add(skin.weights.astype(np.float32), VERTICES),
    }
    index_type = np.uint16 if len(skin.vertices) < 65535 else np.uint32
    primitives = []
    for number, (name, (colour, roughness)) in enumerate(skin.palette.items()):
        faces = skin.faces[skin.materials == number]
        if not len(faces):
            continue
        look = {"baseColorFactor": [*colour, 1.0], "metallicFactor": 0.0, "roughnessFactor": roughness}
        document["materials"].append({"name": name, "pbrMetallicRoughness": look})
        indices = buffer.add(faces.ravel().astype(index_type), INDICES)
        material = len(document["materials"]) - 1
        primitives.append({"attributes": attributes, "indices": indices, "material": material})
    return primitives


def _ground(
    terrain: Ground, way: Array, document: dict[str, Any], buffer: Buffer
) -> list[dict[str, Any]]:
    """The ground around the ``way`` (F, 3) walked, flat shaded: each triangle has its own corners."""
    vertices, faces = ground_around(terrain, way)
    corners = np.asarray(vertices, np.float32)[np.asarray(faces, int)]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).astype(float)
    size = np.linalg.norm(across, axis=1)
    corners, across = corners[size > 1e-10], across[size > 1e-10] / size[size > 1e-10, None]
    if not len(corners):
        raise GambolError("the ground has no surface where the motion is", where="glb")
    document["materials"].append({"name": "ground", "pbrMetallicRoughness": GROUND, "doubleSided": True})
    attributes = {
        "POSITION": buffer.add(corners.reshape(-1, 3), VERTICES, limits=True),
        "NORMAL": buffer.add(_unit(np.repeat(across, 3, axis=0)), VERTICES),
    }
    return [{"attributes": attributes, "material": len(document["materials"]) - 1}]


def _unit(normals: Array) -> NDArray[np.float32]:
    out: NDArray[np.float32] = (normals / np.linalg.norm(normals, axis=1, keepdims=True)).astype(np.float32)
    return out


def _animation(motion: Motion, buffer: Buffer, first: int = 0) -> dict[str, Any]:
    """Position of the root, rotation of every joint, and positions of joints that leave their offset."""
    whole, motion = motion, closed(motion)
    times = buffer.add(motion.times.astype(np.float32), limits=True)
    start = times if len(motion) == 1 else buffer.add(np.zeros(1, np.float32), limits=True)
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []

    def track(joint: int, path: str, values: Array) -> None:
        still = np.abs(values - values[0]).max() < STILL
        keys = buffer.add((values[:1] if still else values).astype(np.float32))
        channels.append({"sampler": len(samplers), "target": {"node": first + joint, "path": path}})
        samplers.append({"input": start if still else times, "output": keys, "interpolation": "LINEAR"})

    track(0, "translation", motion.root)
    if motion.translations is not None:
        for j in range(1, len(motion.skeleton)):
            if np.abs(motion.translations[:, j] - motion.skeleton.offsets[j]).max() > STILL:
                track(j, "translation", motion.translations[:, j])
    for j in range(len(motion.skeleton)):
        track(j, "rotation", np.roll(motion.rotations[:, j], -1, axis=-1))
    used = {s["input"] for s in samplers}
    if times not in used:  # nothing moves: the clip keeps its length by two keys of the root
        samplers[0] = {**samplers[0], "input": times, "output": buffer.add(motion.root.astype(np.float32))}
    extras = {**motion.info, "gambol": facts_of(whole)}
    return {
        "name": motion.name or "motion", "channels": channels, "samplers": samplers, "extras": extras,
    }


def closed(motion: Motion) -> Motion:
    """A loop with its first pose again at the end, where it has travelled on to."""
    facts = motion.info.get("loop")
    if not (motion.cyclic and isinstance(facts, dict)):
        return motion
    on = np.zeros(3) if facts.get("in_place") else np.array(facts.get("travel_m", np.zeros(3)), float)
    rows: dict[str, Any] = {"root": np.concatenate([motion.root, motion.root[:1] + on])}
    for key in ("rotations", "translations"):
        if (v := getattr(motion, key)) is not None:
            rows[key] = np.concatenate([v, v[:1]])
    return replace(motion, contacts=None, forces=None, pressure=None, com=None, **rows)


def facts_of(motion: Motion) -> dict[str, Any]:
    """What tracks cannot say: rate, soles, and in seconds of its first and last frame each contact."""
    names = motion.skeleton.names
    out: dict[str, Any] = {
        "fps": motion.fps, "frames": len(motion), "soles": [names[s] for s in motion.skeleton.soles],
        "cyclic": motion.cyclic, "name": motion.name,
    }
    if motion.mass is not None:
        out["mass_kg"] = motion.mass
    if motion.contacts is not None:
        padded = np.pad(motion.contacts, ((1, 1), (0, 0)))
        out["contacts_s"] = {}
        for column, sole in enumerate(motion.skeleton.soles):
            edges = np.flatnonzero(padded[1:, column] != padded[:-1, column]).reshape(-1, 2)
            out["contacts_s"][names[sole]] = ((edges - [0, 1]) / motion.fps).tolist()
    return out
