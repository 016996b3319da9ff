"""VRMA: the motion of a human figure for any VRM avatar, as players of VRM 1 take it. Write only.

A .glb with the extension VRMC_vrm_animation 1.0: nodes for the bones of a VRM humanoid and nothing else, at rest in a
T-pose that faces +z; the hips travel, all bones turn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import __version__, quat
from gambol.errors import GambolError
from gambol.io.glb import Buffer, pack
from gambol.io.gltf import closed
from gambol.io.source import PLAIN, Extra
from gambol.motion import Motion
from gambol.roles import Roles, humanoid, roles_of
from gambol.skeleton import Skeleton, forward_kinematics

__all__ = ["encode", "in_t_pose"]

Array = NDArray[np.float64]
STILL = 1e-7  # a track that moves less gets one key
EYES = ("left_eye", "right_eye")  # which look at points in a VRM animation and do not turn
NEEDED = (
    "hips", "spine", "head", *(f"{s}_{p}" for s in ("left", "right") for p in (
        "upper_leg", "lower_leg", "foot", "upper_arm", "lower_arm", "hand")),
)


class _Bones(NamedTuple):
    """Humanoid bones, parents first: role, index of its parent bone, and of its joint."""

    roles: list[str]
    parents: list[int]
    joints: list[int]


def encode(motion: Motion, extra: Extra = PLAIN) -> bytes:
    """The bytes of a .vrma; ``extra`` has nothing that it could hold.

    Raises:
        GambolError: a motion without frames, or of a figure that is no human.
    """
    if not len(motion):
        raise GambolError("a motion without frames", where="vrma")
    roles = humanoid(roles_of(motion.skeleton), "vrma")
    if missing := [r for r in NEEDED if r not in roles]:
        raise GambolError(f"no joint for {', '.join(missing)}", where="vrma", allowed="a whole human figure")
    whole = in_t_pose(closed(motion), roles)
    bones, buffer = whole.skeleton, Buffer()
    nodes: list[dict[str, Any]] = [
        {"name": name, "translation": offset} for name, offset in zip(bones.names, bones.offsets.tolist())
    ]
    for j in range(1, len(bones)):
        nodes[bones.parents[j]].setdefault("children", []).append(j)
    humans = {_camel(name): {"node": j} for j, name in enumerate(bones.names)}
    document = {
        "asset": {"version": "2.0", "generator": f"gambol {__version__}"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": nodes, "animations": [_animation(whole, buffer)], "extensionsUsed": ["VRMC_vrm_animation"],
        "extensions": {"VRMC_vrm_animation": {"specVersion": "1.0", "humanoid": {"humanBones": humans}}},
    }
    return pack(document, buffer)


def in_t_pose(motion: Motion, roles: Roles) -> Motion:
    """The same movement of the humanoid bones alone, with a rest pose that is a T and faces +z.

    With D a joint's rotation in the world against its rest pose, and S the turn that brings the bone from its rest
    pose into the T, the bone is turned by D S^-1 against the T. Bones between others that are no humanoid's are left
    out, and what they turned is in the next bone down.
    """
    bones = _bones(motion.skeleton, roles)
    ahead = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.asarray(-roles.facing))
    places, world = forward_kinematics(motion.skeleton, motion.root, motion.rotations)
    if motion.translations is not None:
        places = _moved(motion, world)
    rest = quat.rotate(ahead, motion.skeleton.rest_positions()[bones.joints])
    turned = quat.multiply(quat.multiply(ahead, world[:, bones.joints]), quat.conjugate(ahead))
    into_t = _into_t(bones, rest)
    turned = quat.multiply(turned, quat.conjugate(into_t))
    rotations, offsets = turned.copy(), rest.copy()
    for b, p in enumerate(bones.parents):
        if p >= 0:
            rotations[:, b] = quat.multiply(quat.conjugate(turned[:, p]), turned[:, b])
            offsets[b] = quat.rotate(into_t[p], rest[b] - rest[p])
    skeleton = Skeleton(tuple(bones.roles), np.array(bones.parents), offsets)
    root = quat.rotate(ahead, places[:, bones.joints[0]])
    return Motion(skeleton, root, quat.normalize(rotations), motion.fps, name=motion.name)


def _moved(motion: Motion, world: Array) -> Array:
    """``(F, J, 3)`` places of joints that leave their offsets."""
    out = np.array(motion.translations)
    for j in range(1, len(motion.skeleton)):
        p = motion.skeleton.parents[j]
        out[:, j] = out[:, p] + quat.rotate(world[:, p], out[:, j])
    return out


def _bones(skeleton: Skeleton, roles: Roles) -> _Bones:
    role_of = {j: role for role, j in roles.joints.items() if role not in EYES}
    hips = roles.joints["hips"]
    found, parents, joints = ["hips"], [-1], [hips]
    at = {hips: 0}
    for j in range(len(skeleton)):  # parents come first
        if j == hips or j not in role_of:
            continue
        up = int(skeleton.parents[j])
        while up >= 0 and up not in at:
            up = int(skeleton.parents[up])
        if up < 0:
            continue  # not below the hips
        at[j] = len(found)
        found.append(role_of[j])
        parents.append(at[up])
        joints.append(j)
    return _Bones(found, parents, joints)


def _into_t(bones: _Bones, rest: Array) -> Array:
    """``(B, 4)`` the turn of each bone from the rest pose into a T: arms to the sides, legs down."""
    at = {role: b for b, role in enumerate(bones.roles)}
    out = np.tile(quat.IDENTITY, (len(bones.roles), 1))
    for side, outward in (("left", [1.0, 0.0, 0.0]), ("right", [-1.0, 0.0, 0.0])):
        for upper, lower, way in (
            ("upper_arm", "lower_arm", outward), ("lower_arm", "hand", outward),
            ("upper_leg", "lower_leg", [0.0, -1.0, 0.0]), ("lower_leg", "foot", [0.0, -1.0, 0.0]),
        ):
            a, b = at[f"{side}_{upper}"], at[f"{side}_{lower}"]
            out[a] = quat.between((rest[b] - rest[a]) / np.linalg.norm(rest[b] - rest[a]), np.array(way))
    for b, role in enumerate(bones.roles):
        if "_hand" in role or any(f in role for f in ("thumb", "index", "middle", "ring", "little")):
            out[b] = out[bones.parents[b]]  # hands and fingers go with the forearm
    return out


def _camel(role: str) -> str:
    """leftUpperLeg of left_upper_leg."""
    first, *rest = role.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _animation(motion: Motion, buffer: Buffer) -> dict[str, Any]:
    """Place of the hips and rotations of all bones."""
    times = buffer.add(motion.times.astype(np.float32), limits=True)
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    start = times if len(motion) == 1 else buffer.add(np.zeros(1, np.float32), limits=True)

    def track(node: int, path: str, values: Array) -> None:
        still = bool(path == "rotation" and np.abs(values - values[0]).max() < STILL)
        keys = buffer.add((values[:1] if still else values).astype(np.float32))
        channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
        samplers.append({"input": start if still else times, "output": keys, "interpolation": "LINEAR"})

    track(0, "translation", motion.root)
    for b in range(len(motion.skeleton)):
        track(b, "rotation", np.roll(motion.rotations[:, b], -1, axis=-1))
    return {"name": motion.name or "motion", "channels": channels, "samplers": samplers}
