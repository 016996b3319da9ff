"""A motion put on another skeleton: limbs point where they pointed, feet stand where they stand.

Rest poses are told apart by the directions of their bones: a joint of the target turns so that its bone points
where the bone of the source points, whatever both do at rest. Trunk and neck follow along their length, so that
they may have any number of joints. The middle of the hips travels as that of the source, times the ratio of the
legs; each leg reaches as far of its length as that of the source; then the feet are planted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.feet import footfalls
from gambol.gaze import levelled_head
from gambol.ik import frame_along
from gambol.legs import Foot, aim_leg, feet_of
from gambol.mannequin import is_person
from gambol.motion import Motion
from gambol.planting import plant
from gambol.roles import Roles, humanoid
from gambol.skeleton import Skeleton, forward_kinematics
from gambol.soles import SOLE_NAMES, soled

if TYPE_CHECKING:
    from gambol.terrain import Terrain

__all__ = ["Rigged", "retarget"]

Array = NDArray[np.float64]
SIDES = ("left", "right")
LIMBS = {"upper_arm": "lower_arm", "lower_arm": "hand", "hand": "middle_proximal", "upper_leg": "lower_leg",
         "lower_leg": "foot"}  # fmt: skip
FINGERS = ("thumb", "index", "middle", "ring", "little")
ALIKE = np.radians(25.0)  # trunks and clavicles that rest within this are built, not posed, differently
UPRIGHT = np.radians(50.0)  # a trunk that rests nearer to the vertical stands


class Rigged(NamedTuple):
    """A skeleton and which joint of it is what."""

    skeleton: Skeleton
    roles: Roles


class _Source(NamedTuple):
    """The source clip: positions (F, J, 3) m and world rotations (F, J, 4), and the rest pose (J, 3)."""

    rig: Rigged
    positions: Array
    world: Array
    rest: Array
    contacts: NDArray[np.bool_]


def retarget(
    motion: Motion, roles: Roles, target: Rigged, terrain: Terrain | None = None, planted: bool = True,
    keep_head: bool = False,
) -> Motion:
    """The motion on another skeleton.

    Args:
        motion: F frames of a human's skeleton.
        roles: which of its joints is what.
        target: the other one, with sole points.
        terrain: the ground it shall walk on; level at 0 if None.
        planted: put the feet on the ground exactly; without, it is quick and a foot may slide a little.
        keep_head: the rest pose of the motion knows where its head looks, as that of a skin does; else a head that
            hangs through the whole clip is raised (:func:`gambol.gaze.levelled_head`). A person of ours keeps it.

    Returns:
        The motion on ``target.skeleton``, feet planted; contacts those that hold, forces and mass left out.

    Raises:
        GambolError: the source or the target is no human, or the target has no sole points.
    """
    humanoid(roles, "the motion")
    humanoid(target.roles, "the rig")
    feet = feet_of(target.skeleton, target.roles)
    if not (keep_head or is_person(motion.skeleton)):
        motion, _ = levelled_head(motion, roles)
    with_soles = soled(motion, roles)
    contacts = with_soles.contacts if with_soles.contacts is not None else footfalls(with_soles)
    skeleton = with_soles.skeleton
    positions, world = forward_kinematics(skeleton, with_soles.root, with_soles.rotations)
    source = _Source(Rigged(skeleton, roles), positions, world, skeleton.rest_positions(), contacts)
    rotations = _posed(source, target)
    root = _travelled(source, target, rotations)
    _legs(source, target, feet, (root, rotations))
    record = np.zeros((len(motion), len(target.skeleton.soles)), bool)
    for name in SOLE_NAMES:
        columns = (s.soles.index(s.index(name)) for s in (target.skeleton, skeleton))
        record[:, next(columns)] = contacts[:, next(columns)]
    out = Motion(
        target.skeleton, root, rotations, motion.fps, contacts=record, cyclic=motion.cyclic, name=motion.name,
        info=motion.info,
    )
    return plant(out, target.roles, record, terrain) if planted else out


# Where joints turn


def _posed(source: _Source, target: Rigged) -> Array:
    """Local rotations (F, J, 4) of the target."""
    wanted = _wanted(source, target)
    frames, joints = len(source.world), len(target.skeleton)
    world = np.empty((frames, joints, 4))
    local = np.tile(quat.IDENTITY, (frames, joints, 1))
    for j, p in enumerate(target.skeleton.parents):
        above = quat.IDENTITY if p < 0 else world[:, p]
        if j in wanted:
            world[:, j] = wanted[j]
            local[:, j] = quat.normalize(quat.multiply(quat.conjugate(above), wanted[j]))
        else:  # twist, helper and other joints go along as they rest
            world[:, j] = above
    return local


def _wanted(source: _Source, target: Rigged) -> dict[int, Array]:
    """World rotations (F, 4) of the target's joints that follow one of the source."""
    rest = target.skeleton.rest_positions()
    turn = quat.multiply(_frame(source.rig, source.rest), quat.conjugate(_frame(target, rest)))
    out: dict[int, Array] = {}
    ours, theirs = target.roles.joints, source.rig.roles.joints

    def carry(role: str, align: Array) -> None:
        out[ours[role]] = quat.multiply(source.world[:, theirs[role]], align)

    for line in _lines(source.rig, target):
        out |= _along(source, target, line, turn)
    for side in SIDES:
        last = turn
        for part in ("shoulder", "upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg"):
            role = f"{side}_{part}"
            if role not in ours or role not in theirs:
                continue
            ends = (f"{side}_upper_arm",) if part == "shoulder" else (f"{side}_{LIMBS[part]}",)
            align = _aligned(source, target, rest, (role, *ends), turn)
            if align is None:
                align = last if part == "hand" else turn
            elif part == "shoulder" and _angle(align, turn) < ALIKE:
                align = turn
            carry(role, align)
            last = align
        for finger in FINGERS:
            chain = [r for r in ours if r.startswith(f"{side}_{finger}_") and r in theirs]
            for role, end in zip(chain, [*chain[1:], ""]):
                align = _aligned(source, target, rest, (role, end), turn) if end else None
                last_finger = align if align is not None else last
                carry(role, last_finger)
        _foot_follows(source, target, side, out)
    return out


def _frame(rig: Rigged, rest: Array) -> Array:
    """(4,) the rotation that brings a figure that stands and looks along +z to the rest pose."""
    joints = rig.roles.joints
    top = next((joints[r] for r in ("neck", "head", "upper_chest", "chest", "spine") if r in joints), None)
    hips = [joints["left_upper_leg"], joints["right_upper_leg"]]
    up = np.array([0.0, 1.0, 0.0]) if top is None else rest[top] - rest[hips].mean(0)
    if np.arccos(np.clip(up[1] / max(float(np.linalg.norm(up)), 1e-12), -1, 1)) < UPRIGHT:
        return quat.from_axis_angle([0.0, 1.0, 0.0], rig.roles.facing)
    left = rest[hips[0]] - rest[hips[1]]
    ahead = np.cross(left, up)
    return frame_along(ahead, left)


def _aligned(
    source: _Source, target: Rigged, rest: Array, bone: tuple[str, str], turn: Array
) -> Array | None:
    """(4,) what the target's rest pose lacks to the source's in the direction of one bone; None where there is none."""
    start, end = bone
    ours, theirs = target.roles.joints, source.rig.roles.joints
    if not (start in ours and end in ours and start in theirs and end in theirs):
        return None
    here = rest[ours[end]] - rest[ours[start]]
    there = source.rest[theirs[end]] - source.rest[theirs[start]]
    size = float(np.linalg.norm(here)), float(np.linalg.norm(there))
    if min(size) < 1e-9:
        return None
    return quat.multiply(quat.between(quat.rotate(turn, here / size[0]), there / size[1]), turn)


def _angle(a: Array, b: Array) -> float:
    return float(np.linalg.norm(quat.log(quat.multiply(quat.conjugate(a), b))))


class _Line(NamedTuple):
    """Joints along trunk or neck, of the source and of the target, and where along it each is (0..1)."""

    theirs: list[int]
    at: Array
    ours: list[int]
    our_at: Array


def _lines(source: Rigged, target: Rigged) -> list[_Line]:
    """The trunk, hips to the joint that carries the arms, and the neck from there to the head."""
    found = [_spine(rig) for rig in (source, target)]
    (trunk, neck), (our_trunk, our_neck) = found
    lines = [_Line(trunk, _shares(source.skeleton, trunk), our_trunk, _shares(target.skeleton, our_trunk))]
    if len(neck) > 1 and len(our_neck) > 1:
        lines.append(
            _Line(neck, _shares(source.skeleton, neck), our_neck[1:], _shares(target.skeleton, our_neck)[1:])
        )
    return lines


def _spine(rig: Rigged) -> tuple[list[int], list[int]]:
    """Joints from the hips to the chest, and from the chest to the head."""
    skeleton, joints = rig.skeleton, rig.roles.joints
    head = joints.get("head")
    top = next(joints[r] for r in ("upper_chest", "chest", "spine", "hips") if r in joints)
    line = _way(skeleton, joints["hips"], top) or [joints["hips"]]
    neck = [] if head is None else _way(skeleton, line[-1], head)
    return line, neck


def _way(skeleton: Skeleton, upper: int, joint: int) -> list[int]:
    line = [joint]
    while line[-1] != upper and int(skeleton.parents[line[-1]]) >= 0:
        line.append(int(skeleton.parents[line[-1]]))
    return line[::-1] if line[-1] == upper else []


def _shares(skeleton: Skeleton, line: Sequence[int]) -> Array:
    """How far along the line each joint is, 0 for the first and 1 for the last."""
    if len(line) < 2:
        return np.zeros(len(line))
    size = np.linalg.norm(skeleton.offsets[list(line[1:])], axis=1) + 1e-9
    return np.asarray(np.concatenate([[0.0], np.cumsum(size)]) / size.sum())


def _along(source: _Source, target: Rigged, line: _Line, turn: Array) -> dict[int, Array]:
    """World rotations of the target's joints, interpolated along the source's."""
    rest = target.skeleton.rest_positions()
    out: dict[int, Array] = {}
    for k, (j, at) in enumerate(zip(line.ours, line.our_at)):
        after = int(np.clip(np.searchsorted(line.at, at), min(1, len(line.at) - 1), len(line.at) - 1))
        before = max(after - 1, 0)
        span = line.at[after] - line.at[before]
        t = 0.0 if span <= 0 else float(np.clip((at - line.at[before]) / span, 0.0, 1.0))
        a, b = (source.world[:, line.theirs[i]] for i in (before, after))
        world = quat.slerp(a, b, np.full(len(a), t)) if 0 < t < 1 else a if t == 0 else b
        # Rest poses that bend the trunk otherwise (a crouch, a scrambled zero pose) are told by the bones.
        align = turn
        if k + 1 < len(line.ours) and after < len(line.theirs) and k > 0:
            here = rest[line.ours[k + 1]] - rest[j]
            there = source.rest[line.theirs[after]] - source.rest[line.theirs[before]]
            sizes = np.linalg.norm(here), np.linalg.norm(there)
            if min(sizes) > 1e-9:
                swing = quat.between(quat.rotate(turn, here / sizes[0]), there / sizes[1])
                if np.linalg.norm(quat.log(swing)) > ALIKE:
                    align = quat.multiply(swing, turn)
        out[j] = quat.multiply(world, align)
    return out


def _foot_follows(source: _Source, target: Rigged, side: str, out: dict[int, Array]) -> None:
    """Foot and toes: a foot that lies flat in the source lies flat."""
    ours, theirs = target.roles.joints, source.rig.roles.joints
    foot, toes = theirs[f"{side}_foot"], theirs.get(f"{side}_toes")
    skeleton = source.rig.skeleton
    columns = [skeleton.soles.index(skeleton.index(f"{side}_{p}")) for p in ("heel", "toe_tip")]
    record = source.contacts[:, columns]
    both = np.flatnonzero(record.all(1))
    both = both if len(both) else np.flatnonzero(record.any(1))
    both = both if len(both) else np.arange(len(record))
    back = quat.conjugate(source.world[both, foot])
    tips = [skeleton.index(f"{side}_{p}") for p in ("heel", "toe_tip")]
    sole = source.positions[both, tips[1]] - source.positions[both, tips[0]]
    along = np.median(quat.rotate(back, sole), axis=0)
    up = np.median(quat.rotate(back, [0.0, 1.0, 0.0]), axis=0)
    there = frame_along(along, np.cross(up, along))
    rest = target.skeleton.rest_positions()
    heel, tip = (rest[target.skeleton.index(f"{side}_{p}")] for p in ("heel", "toe_tip"))
    here = frame_along(tip - heel, np.cross([0.0, 1.0, 0.0], tip - heel))
    align = quat.multiply(there, quat.conjugate(here))
    out[ours[f"{side}_foot"]] = quat.multiply(source.world[:, foot], align)
    if toes is not None and f"{side}_toes" in ours:
        stood = quat.mean(quat.multiply(back, source.world[both, toes]))
        out[ours[f"{side}_toes"]] = quat.multiply(
            source.world[:, toes], quat.multiply(quat.conjugate(stood), align)
        )


# Where the hips and the feet go


def _leg_lengths(rig: Rigged, rest: Array) -> tuple[float, float]:
    """m of the left and the right leg, hip to ankle along the joints."""
    out = []
    for side in SIDES:
        a, b, c = (rest[rig.roles.joints[f"{side}_{p}"]] for p in ("upper_leg", "lower_leg", "foot"))
        out.append(float(np.linalg.norm(b - a) + np.linalg.norm(c - b)))
    return out[0], out[1]


def _ankle_height(skeleton: Skeleton, roles: Roles, places: Array) -> float:
    """m of the ankles above the soles; ``places`` (..., J, 3), of feet that lie flat the lowest sole counts."""
    high = []
    for side in SIDES:
        soles = [skeleton.index(f"{side}_{p}") for p in ("heel", "toe_tip")]
        high.append(places[..., roles.joints[f"{side}_foot"], 1] - places[..., soles, 1].min(-1))
    return float(np.median(np.mean(high, axis=0)))


def _travelled(source: _Source, target: Rigged, rotations: Array) -> Array:
    """(F, 3) m of the target's root: the middle of its hips goes as that of the source, by the ratio of the legs."""
    rest = target.skeleton.rest_positions()
    ratio = sum(_leg_lengths(target, rest)) / sum(_leg_lengths(source.rig, source.rest))
    hips = [source.rig.roles.joints[f"{s}_upper_leg"] for s in SIDES]
    middle = source.positions[:, hips].mean(1)
    stood = source.positions[source.contacts.any(1)] if source.contacts.any() else source.positions
    theirs = _ankle_height(source.rig.skeleton, source.rig.roles, stood)
    ours = _ankle_height(target.skeleton, target.roles, rest)
    wanted = middle * ratio
    wanted[:, 1] = (middle[:, 1] - theirs) * ratio + ours
    still = np.zeros((len(rotations), 3))
    hung = [target.roles.joints[f"{s}_upper_leg"] for s in SIDES]
    at, _ = forward_kinematics(target.skeleton, still, rotations, hung)
    ours_at = at[:, hung].mean(1)
    return np.asarray(wanted - ours_at)


def _legs(source: _Source, target: Rigged, feet: Sequence[Foot], pose: tuple[Array, Array]) -> None:
    """Each leg of the target reaches as far of its length, and the same way, as that of the source."""
    root, rotations = pose
    rest = target.skeleton.rest_positions()
    lengths = zip(_leg_lengths(target, rest), _leg_lengths(source.rig, source.rest))
    needed = [j for foot in feet for j in (foot.hip, foot.knee, foot.ankle, foot.toes) if j >= 0]
    positions, world = forward_kinematics(target.skeleton, root, rotations, needed)
    for foot, (here, there) in zip(feet, lengths):
        hip, ankle = (source.rig.roles.joints[f"{foot.side}_{p}"] for p in ("upper_leg", "foot"))
        reach = source.positions[:, ankle] - source.positions[:, hip]
        to = positions[:, foot.hip] + reach * (here / there)
        toes = np.broadcast_to(quat.IDENTITY, world[:, foot.ankle].shape)
        if foot.toes >= 0:
            toes = quat.multiply(quat.conjugate(world[:, foot.ankle]), world[:, foot.toes])
        aim_leg(
            rotations, foot, (to, world[:, foot.ankle], np.asarray(toes)), (target.skeleton, positions, world),
            target.roles.facing,
        )  # fmt: skip


def with_record(motion: Motion, source: Motion) -> Motion:
    """The motion with the forces, pressure, mass centre and mass of the one it was made of, for the same body."""
    return replace(motion, forces=source.forces, pressure=source.pressure, com=source.com, mass=source.mass)
