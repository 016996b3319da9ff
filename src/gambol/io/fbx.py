"""FBX: skeletons and clips of the files that Mixamo and most animation packages hand out. Read only.

The scene becomes a motion by way of the world: where every joint is and how it is turned, at rest and at each frame,
whatever nodes, scales and axes lie above it. The rest pose is the one the skin was bound in.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.io.fbx_file import read_records
from gambol.io.fbx_scene import Clip, Scene, local_transforms, read_scene
from gambol.io.source import Source, distinct, soles_of
from gambol.motion import Motion
from gambol.skeleton import Skeleton

__all__ = ["clips", "decode"]

Array = NDArray[np.float64]
GRID = 30.0  # frames a second where the file does not say
MOST_NUMBERS = 20_000_000  # joints times frames
STILL = 1e-5  # m; joints that keep their distance so well have no translations
BONES = ("LimbNode", "Limb", "Root")


def decode(data: bytes, source: Source) -> Motion:
    """A clip of an .fbx; by default the first that moves something. A file without clips is one frame, its pose.

    Raises:
        GambolError: not FBX 7, no skeleton, or no such clip.
    """
    scene = read_scene(read_records(data, source.name), source.name)
    joints = _joints(scene, source)
    clip = _clip(scene, source)
    fps = source.fps or (scene.rate if 1e-3 < scene.rate < 1e6 else GRID)
    length = clip.end - clip.begin if clip else 0.0
    frames = round(min(max(length, 0.0) * fps, 1e12) if math.isfinite(length) else 0.0) + 1
    if frames * len(joints) > MOST_NUMBERS:
        what = f"{frames} frames of {len(joints)} joints"
        raise GambolError(what, where=source.name, allowed=f"{MOST_NUMBERS} rotations", do="cut the clip")
    times = (clip.begin if clip else 0.0) + np.arange(frames) / fps
    rest, world = _rest(scene, joints), _in_time(scene, joints, clip, times)
    ours = np.eye(4)
    ours[:3, :3] = scene.axes * (source.unit or scene.unit)
    notes = [] if clip else ["no clip in it: one frame, its pose"]
    if clip and clip.layers > 1:
        notes.append(f"{clip.layers} layers: the lowest is read")
    names = distinct((scene.nodes[n].name for n in joints), "joint")
    motion = _motion((names, list(joints.values())), ours @ rest, ours @ world, fps)
    return Motion(
        motion.skeleton, motion.root, motion.rotations, fps, translations=motion.translations,
        name=clip.name if clip else "", info={"notes": notes, "unit_m": source.unit or scene.unit},
    )


def clips(data: bytes, source: Source) -> list[str]:
    """Names of the clips; errors as for :func:`decode`."""
    return [clip.name for clip in read_scene(read_records(data, source.name), source.name).clips]


def _clip(scene: Scene, source: Source) -> Clip | None:
    """The clip asked for, else the first with curves, else the first, else None."""
    if source.clip is None:
        return next((c for c in scene.clips if c.curves), scene.clips[0] if scene.clips else None)
    for clip in scene.clips:
        if clip.name == source.clip:
            return clip
    names = ", ".join(c.name for c in scene.clips)
    raise GambolError(f"no clip is called {source.clip!r}", where=source.name, allowed=names or "no clip in it")


def _joints(scene: Scene, source: Source) -> dict[int, int]:
    """Node -> index of its parent joint (-1: none), parents first; of several skeletons that with the most joints.

    Joints are bones, what a skin is bound to, and what lies between them.
    """
    bones = {n for n, node in scene.nodes.items() if node.kind in BONES} | scene.skinned
    ways = {n: _way(scene, n) for n in bones}
    top = {n: next(k for k in way if k in bones) for n, way in ways.items()}
    groups: dict[int, set[int]] = {}
    for n, way in ways.items():
        groups.setdefault(top[n], set()).update(way[way.index(top[n]) :])
    if not groups:
        raise GambolError("no skeleton in it", where=source.name, do="export it with its bones")
    members = max(groups.values(), key=len)
    order = [n for n in scene.nodes if n in members]
    order.sort(key=lambda n: len(_way(scene, n)))
    index = {n: k for k, n in enumerate(order)}
    above = [scene.nodes[n].above for n in order]
    return {n: -1 if up is None else index.get(up, -1) for n, up in zip(order, above)}


def _way(scene: Scene, number: int) -> list[int]:
    """The nodes from the top down to this one."""
    way = [number]
    while (above := scene.nodes[way[-1]].above) is not None:
        way.append(above)
    return way[::-1]


def _chains(scene: Scene, joints: dict[int, int]) -> list[list[int]]:
    """Of each joint the nodes from just below its parent joint, or from the top, down to it."""
    order, out = list(joints), []
    for n, parent in joints.items():
        way = _way(scene, n)
        out.append(way if parent < 0 else way[way.index(order[parent]) + 1 :])
    return out


def _rest(scene: Scene, joints: dict[int, int]) -> Array:
    """``(J, 4, 4)`` of each joint in the file's world as the skin was bound, else as the nodes stand."""
    out = np.empty((len(joints), 4, 4))
    still = np.zeros(1)
    for j, (n, parent, chain) in enumerate(zip(joints, joints.values(), _chains(scene, joints))):
        out[j] = np.eye(4) if parent < 0 else out[parent]
        if n in scene.bound:
            out[j] = scene.bound[n]
            continue
        for node in chain:
            out[j] = out[j] @ local_transforms(scene, node, None, still)[0]
    return out


def _in_time(scene: Scene, joints: dict[int, int], clip: Clip | None, times: Array) -> Array:
    """``(F, J, 4, 4)`` of each joint in the file's world at ``times`` s."""
    out = np.empty((len(times), len(joints), 4, 4))
    for j, (parent, chain) in enumerate(zip(joints.values(), _chains(scene, joints))):
        out[:, j] = np.eye(4) if parent < 0 else out[:, parent]
        for node in chain:
            out[:, j] = out[:, j] @ local_transforms(scene, node, clip, times)
    return out


def _motion(tree: tuple[list[str], list[int]], rest: Array, world: Array, fps: float) -> Motion:
    """A motion of joints whose frames rest parallel to the world.

    With R a joint's rotation in the world and R0 the one at rest, the joint is turned by D = R R0^-1 against its rest
    pose, and by D_parent^-1 D against its parent. A joint's place in its parent is D_parent^-1 (p - p_parent).
    """
    names, parents = tree
    places, rest_places = world[..., :3, 3], rest[:, :3, 3]
    turned = quat.multiply(_turn(world), quat.conjugate(_turn(rest)))
    rotations, moves = turned.copy(), places.copy()
    offsets = rest_places.copy()
    for j, p in enumerate(parents):
        if p < 0:
            continue
        back = quat.conjugate(turned[:, p])
        rotations[:, j] = quat.multiply(back, turned[:, j])
        moves[:, j] = quat.rotate(back, places[:, j] - places[:, p])
        offsets[j] = rest_places[j] - rest_places[p]
    still = np.abs(moves[:, 1:] - offsets[1:]).max(initial=0.0) < STILL
    skeleton = Skeleton(tuple(names), np.array(parents), offsets, soles_of(tuple(names)))
    return Motion(skeleton, moves[:, 0], rotations, fps, translations=None if still else moves)


def _turn(matrices: Array) -> Array:
    """The rotation ``(..., 4)`` of matrices that may be scaled, and of mirrored ones that of the mirror image."""
    axes = matrices[..., :3, :3]
    size = np.linalg.norm(axes, axis=-2, keepdims=True)
    axes = axes / np.where(size > 1e-12, size, 1.0)
    axes = axes * np.where(np.linalg.det(axes) < 0, -1.0, 1.0)[..., None, None]
    u, _, v = np.linalg.svd(axes)
    return quat.from_matrix(u @ v)
