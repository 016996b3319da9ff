"""New clips in somebody's own glTF file; everything else in it stays byte for byte as it was.

The text of the document is edited where the clips go in, and nowhere else; new numbers are put behind the old ones.
Joints given as a matrix, which may not be animated, get the same place as translation, rotation and scale.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.character import Character
from gambol.errors import GambolError
from gambol.io.glb import (
    BINARY_CHUNK,
    JSON_CHUNK,
    MAGIC,
    VERSION,
    Buffer,
    buffer_of,
    chunks_of,
    document_text,
    parsed,
)
from gambol.io.gltf import closed, facts_of
from gambol.io.gltf_images import pictures_of
from gambol.io.gltf_nodes import nodes_of
from gambol.io.gltf_person import hanging_now
from gambol.io.gltf_rig import Rig, groups_of, rig_of
from gambol.io.json_edit import Edit, Span, appended, applied, elements, members, with_member, without_member
from gambol.io.source import Source, to_json
from gambol.motion import Motion
from gambol.skeleton import forward_kinematics

__all__ = ["Attached", "attach", "attach_text"]

Array = NDArray[np.float64]
STILL = 1e-7  # a track that moves less (in a quaternion's components; of the figure's size) gets one key
PLACED = 2e-6  # of the figure's size: joints whose translation differs by less keep that of the file


class Attached(NamedTuple):
    """A file with new clips: its bytes, the names of the clips, how many tracks move and how many keep one key."""

    data: bytes
    names: tuple[str, ...]
    moving: int
    still: int


def attach_text(character: Character, motions: Sequence[Motion], root_joint: str | None = None) -> Attached:
    """:func:`attach`, as .gltf."""
    return attach(character, motions, root_joint, glb=False)


def attach(
    character: Character, motions: Sequence[Motion], root_joint: str | None = None, glb: bool = True
) -> Attached:
    """The character's own file with more clips.

    Args:
        character: read from a .glb, .gltf or .vrm.
        motions: of the character's skeleton, at least one frame each.
        root_joint: name of a node above the hips that shall carry the travel over the ground, for engines that move
            an actor by it; None: the hips carry all of it.
        glb: as .glb; else as .gltf, where the character is one.

    Raises:
        GambolError: a motion of another skeleton or without frames, or a root joint that is not above the hips.
    """
    if any(m.skeleton != character.skeleton or not len(m) for m in motions):
        what = "a motion without frames or of another skeleton"
        raise GambolError(what, where=character.name, do="put it onto the character's skeleton: retarget")
    text, binary = document_text(character.source, character.name)
    document, _ = parsed(character.source, character.name)
    mark = "\ufeff" if text.startswith(b"\xef\xbb\xbf") else ""
    words = text.decode("utf-8-sig")
    nodes = nodes_of(document)
    rig = rig_of(nodes, next(g for g in groups_of(document, nodes) if set(character.nodes) - {-1} <= set(g)))
    carrier = _carrier(rig, character, root_joint)
    buffer, clips = Buffer(), []
    counts = [0, 0]
    for motion, name in zip(motions, _names(document, motions)):
        clip, moving = _clip(motion, name, (character, rig, carrier), buffer)
        clips.append(clip)
        counts[0] += moving
        counts[1] += len(clip["channels"]) - moving
    animated = {c["target"]["node"] for clip in clips for c in clip["channels"]}
    edits = _split_matrices(words, document, rig, animated)
    data = _written(words, (document, edits, clips), buffer, (character.source, binary, mark, character.name), glb)
    return Attached(data, tuple(c["name"] for c in clips), *counts)


def _names(document: dict[str, Any], motions: Sequence[Motion]) -> list[str]:
    """Names of the new clips, with a number where one is taken."""
    taken = {str(a.get("name", "")) for a in document.get("animations", [])}
    out = []
    for motion in motions:
        name = base = motion.name or "motion"
        count = 1
        while name in taken:
            name, count = f"{base}.{count:03d}", count + 1
        taken.add(name)
        out.append(name)
    return out


class _Carrier(NamedTuple):
    """The node above the hips that carries the travel: its number, and its world matrix at rest."""

    node: int
    rest: Array


def _carrier(rig: Rig, character: Character, name: str | None) -> _Carrier | None:
    if name is None:
        return None
    above = rig.nodes.above(int(character.nodes[0]))
    for n in above:
        if rig.nodes.names[n] == name:
            return _Carrier(n, rig.nodes.worlds([n])[n])
    known = ", ".join(repr(rig.nodes.names[n]) for n in above if rig.nodes.names[n]) or "none: the hips are the top"
    raise GambolError(f"no node above the hips is called {name!r}", where="--root-joint", allowed=known)


def _clip(
    motion: Motion, name: str, figure: tuple[Character, Rig, _Carrier | None], buffer: Buffer
) -> tuple[dict[str, Any], int]:
    """The animation of a motion, and how many of its tracks move."""
    character, rig, carrier = figure
    skeleton, nodes = motion.skeleton, rig.nodes
    at = {n: j for j, n in enumerate(rig.joints)}
    whole, motion = motion, closed(motion)  # a player goes back when it has passed the last key
    places, world = forward_kinematics(skeleton, motion.root, motion.rotations)
    times = motion.times
    keys = buffer.add(times.astype(np.float32), limits=True)
    start = [keys if len(times) == 1 else -1]  # the time of tracks with one key, written when there is one
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    size = max(float(np.ptp(skeleton.rest_positions(), axis=0).max()), 1e-6)
    moving = 0

    def track(node: int, path: str, values: Array) -> None:
        nonlocal moving
        slack = STILL if path == "rotation" else STILL * max(float(np.abs(values).max()), 1e-6)
        still = bool(np.abs(values - values[0]).max() < slack)
        moving += not still
        channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
        output = buffer.add((values[:1] if still else values).astype(np.float32))
        if still and start[0] < 0:
            start[0] = buffer.add(np.zeros(1, np.float32), limits=True)
        samplers.append({"input": start[0] if still else keys, "output": output, "interpolation": "LINEAR"})

    posed: dict[int, Array] = {}  # node -> world matrices (F, 4, 4)
    if carrier is not None:
        posed[carrier.node] = _led(carrier, places, world)
        move, turn_ = _local(rig, carrier.node, posed[carrier.node], posed)
        track(carrier.node, "translation", move)
        track(carrier.node, "rotation", quat.continuous(turn_))
    for j in range(len(skeleton)):
        node = int(character.nodes[j])
        if node < 0:
            continue
        matrix = np.zeros((len(times), 4, 4))
        matrix[:, :3, :3] = quat.to_matrix(world[:, j]) @ rig.rest[at[node], :3, :3]
        matrix[:, :3, 3], matrix[:, 3, 3] = places[:, j], 1.0
        posed[node] = matrix
        move, turn_ = _local(rig, node, matrix, posed)
        unit = max(float(np.abs(move).max()), 1e-9) / size
        away = np.abs(move - nodes.moves[node]).max()
        if j == 0 or away > PLACED * size * max(unit, _scale(rig, node)):
            track(node, "translation", move)
        track(node, "rotation", quat.continuous(turn_))
    if keys not in {s["input"] for s in samplers}:  # nothing moves: the clip keeps its length by two keys
        first = channels[0]["target"]
        del channels[0], samplers[0]
        channels = [{**c, "sampler": c["sampler"] - 1} for c in channels]
        values = np.repeat(_first(first, posed, rig), len(times), 0)
        channels.append({"sampler": len(samplers), "target": first})
        samplers.append({"input": keys, "output": buffer.add(values.astype(np.float32)), "interpolation": "LINEAR"})
    extras = {**motion.info, "gambol": {**facts_of(whole), "name": name, "rig": hanging_now(character, rig)}}
    return {"name": name, "channels": channels, "samplers": samplers, "extras": extras}, moving


def _first(target: dict[str, Any], posed: dict[int, Array], rig: Rig) -> Array:
    move, turn = _local(rig, target["node"], posed[target["node"]], posed)
    return move[:1] if target["path"] == "translation" else turn[:1]


def _scale(rig: Rig, node: int) -> float:
    """How many units of the node above make a metre."""
    above = rig.nodes.parent[node]
    if above < 0:
        return 1.0
    return 1.0 / max(float(np.cbrt(abs(np.linalg.det(rig.nodes.worlds([above])[above][:3, :3])))), 1e-12)


def _local(rig: Rig, node: int, world: Array, posed: dict[int, Array]) -> tuple[Array, Array]:
    """Translation (F, 3) and rotation x y z w (F, 4) of a node from its world matrices (F, 4, 4)."""
    above = rig.nodes.parent[node]
    chain = []
    while above >= 0 and above not in posed:
        chain.append(above)
        above = rig.nodes.parent[above]
    base = posed[above] if above >= 0 else np.eye(4)
    for n in reversed(chain):
        base = base @ rig.nodes.local(n)
    local = np.linalg.inv(base) @ world
    linear = local[:, :3, :3] / rig.nodes.scales[node]
    off = np.abs(np.swapaxes(linear, -1, -2) @ linear - np.eye(3)).max()
    if off > 1e-9:  # sheared by uneven scales: the nearest rotation
        u, _, v = np.linalg.svd(linear)
        u[:, :, 2] *= np.linalg.det(u @ v)[:, None]
        linear = u @ v
    return local[:, :3, 3], np.roll(quat.from_matrix(linear), -1, axis=-1)


def _led(carrier: _Carrier, places: Array, world: Array) -> Array:
    """World matrices (F, 4, 4) of a node that goes over the ground below the hips and turns with their heading."""
    hips, facing = places[:, 0], quat.rotate(world[:, 0], np.array([0.0, 0.0, 1.0]))
    yaw = np.unwrap(np.arctan2(facing[:, 0], facing[:, 2]))
    out = np.tile(carrier.rest, (len(places), 1, 1))
    turn = quat.to_matrix(quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), yaw - yaw[0]))
    out[:, :3, :3] = turn @ carrier.rest[:3, :3]
    start = np.array([hips[0, 0], 0.0, hips[0, 2]])
    first = carrier.rest[:3, 3] * [1.0, 0.0, 1.0]
    out[:, :3, 3] = np.einsum("fab,b->fa", turn, carrier.rest[:3, 3] - first) + (hips * [1.0, 0.0, 1.0] - start) + first
    return out


def _split_matrices(words: str, document: dict[str, Any], rig: Rig, animated: set[int]) -> list[Edit]:
    """Edits that give animated nodes translation, rotation and scale for their matrix."""
    todo = sorted(animated & rig.nodes.matrices)
    if not todo:
        return []
    spans = elements(words, members(words)["nodes"][1].start)
    out = []
    for n in todo:
        parts = {"translation": rig.nodes.moves[n], "rotation": rig.nodes.turns[n], "scale": rig.nodes.scales[n]}
        text = ",".join(f"{json.dumps(k)}:{to_json(v)}" for k, v in parts.items())
        edit = without_member(words, spans[n], "matrix")
        out.append(Edit(edit.start, edit.end, _joined(words, edit, text, len(members(words, spans[n].start)) > 1)))
    return out


def _joined(words: str, edit: Edit, text: str, others: bool) -> str:
    """What takes the place of a member with its comma: ``text`` with one."""
    if not others:
        return text
    return f"{text}," if words[edit.start : edit.start + 1] == '"' else f",{text}"


def _written(
    words: str, change: tuple[dict[str, Any], list[Edit], list[dict[str, Any]]], buffer: Buffer,
    file: tuple[bytes, bytes | None, str, str], glb: bool,
) -> bytes:  # fmt: skip
    """The bytes of the file with the new numbers and clips."""
    document, edits, clips = change
    source, binary, mark, name = file
    is_glb = source[:4] == b"glTF"
    buffers = document.get("buffers", [])
    own = is_glb and bool(buffers) and "uri" not in buffers[0] and binary is not None
    taken_in = False
    if glb and not is_glb and buffers and "uri" in buffers[0]:  # its first buffer becomes that of the .glb
        first = elements(words, members(words)["buffers"][1].start)[0]
        edits = [*edits, without_member(words, first, "uri")]
        binary, own = buffer_of(buffers[0], None, name, Source(name, folder=Path(name).parent)), True
        taken_in = True
    views, numbers = len(document.get("bufferViews", [])), len(document.get("accessors", []))
    start = len(binary or b"") + -len(binary or b"") % 4 if own else 0
    added = b"".join(buffer.chunks)
    which = 0 if own else len(buffers)
    new_views = [to_json({**v, "buffer": which, "byteOffset": v["byteOffset"] + start}) for v in buffer.views]
    if taken_in:
        added += b"\0" * (-len(added) % 4)
        place = views + len(new_views), start + len(added)
        pictures = pictures_of(words, document, Source(name, folder=Path(name).parent), place)
        edits, new_views, added = [*edits, *pictures.edits], [*new_views, *pictures.views], added + pictures.data
    new_numbers = [to_json({**a, "bufferView": a["bufferView"] + views}) for a in buffer.accessors]
    for clip in clips:
        for sampler in clip["samplers"]:
            sampler["input"] += numbers
            sampler["output"] += numbers
    pieces = {"bufferViews": new_views, "accessors": new_numbers, "animations": [to_json(c) for c in clips]}
    found = members(words)
    whole = Span(words.index("{"), len(words))
    edits = list(edits)
    if own:
        first = elements(words, found["buffers"][1].start)[0]
        length = members(words, first.start)["byteLength"][1]
        edits.append(Edit(length.start, length.end, str(start + len(added))))
        binary = (binary or b"") + b"\0" * (start - len(binary or b"")) + added
    else:
        uri = "data:application/octet-stream;base64," + base64.b64encode(added).decode()
        pieces["buffers"] = [to_json({"byteLength": len(added), "uri": uri})]
    for key, parts in pieces.items():
        if key in found:
            edits.append(appended(words, found[key][1], parts))
        else:
            edits.append(with_member(words, whole, key, f"[{','.join(parts)}]"))
    text = (mark + applied(words, edits)).encode()
    if not glb:
        if is_glb:
            raise GambolError("a .glb is written as .glb", do="give the file that suffix")
        return text
    text += b" " * (-len(text) % 4)
    others = [c for c in chunks_of(source) if c[0] not in (JSON_CHUNK, BINARY_CHUNK)] if is_glb else []
    parts_ = [(JSON_CHUNK, text), *([(BINARY_CHUNK, binary)] if binary is not None else []), *others]
    body = b"".join(struct.pack("<II", len(data), kind) + data for kind, data in parts_)
    return struct.pack("<III", MAGIC, VERSION, 12 + len(body)) + body
