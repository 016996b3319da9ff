"""Sole points for skeletons that have none: a heel and a toe tip under each foot, as leaf joints.

They are found on the skin, or from the joints of the foot and from the motion: down is where the foot stands still.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol import quat
from gambol.character import Surface
from gambol.errors import GambolError
from gambol.motion import Motion
from gambol.roles import Roles
from gambol.skeleton import Skeleton, forward_kinematics

__all__ = ["SOLE_NAMES", "has_soles", "soled", "soles_on", "unsoled", "with_soles"]

Array = NDArray[np.float64]
SOLE_NAMES = ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip")
SIDES = ("left", "right")
# Of the leg, hip to ankle (Drillis and Contini 1966, with the heel at 0.20 of the foot's length behind the ankle).
FOOT_OF_LEG = 0.152 / 0.491
HEEL, BALL, TIP, ANKLE = 0.20, 0.52, 0.80, 0.039 / 0.152  # of the foot's length
SOLE_BAND = 0.02  # of the leg: how far above the lowest place the sole reaches
SOLE_SHARE = 0.6  # of the length of the foot: no sole is shorter
HEEL_LEAST = 0.12  # of the distance from ankle to tip: how far a heel is behind the ankle
END_SHARE = 0.15  # of the sole's length that is the heel's, and the tip's
STILL_SHARE = 0.1  # of the frames: the slowest ones, in which a foot stands


def has_soles(skeleton: Skeleton) -> bool:
    """Whether the skeleton has the sole points of two feet."""
    return {skeleton.names[j] for j in skeleton.soles} >= set(SOLE_NAMES)


def with_soles(skeleton: Skeleton, points: Mapping[str, tuple[int, ArrayLike]]) -> Skeleton:
    """The skeleton with leaf joints for sole points.

    Args:
        skeleton: J joints; one that is called as a sole point is that point.
        points: name of :data:`SOLE_NAMES` -> (joint it hangs from, (3,) m from that joint at rest).
    """
    known = [n for n in SOLE_NAMES if n in points and n not in skeleton]
    names = (*skeleton.names, *known)
    return Skeleton(
        names, np.array([*skeleton.parents, *(points[n][0] for n in known)]),
        np.concatenate([skeleton.offsets, np.reshape([points[n][1] for n in known], (-1, 3))]),
        tuple(names.index(n) for n in SOLE_NAMES if n in names),
    )  # fmt: skip


def soled(motion: Motion, roles: Roles) -> Motion:
    """The motion on a skeleton with sole points; as it is where it has them.

    The way down in the frame of each foot, and the bend of the toes, are those of the frames in which it moves least;
    the sole is as low as the lowest joint of the foot, the heel behind the ankle in a person's proportion to the ball.

    Raises:
        GambolError: there are no feet among the roles.
    """
    if has_soles(motion.skeleton):
        return motion
    points: dict[str, tuple[int, Array]] = {}
    positions, world = forward_kinematics(motion.skeleton, motion.root, motion.rotations)
    for side in SIDES:
        points |= _points(motion, roles, side, (positions, world))
    skeleton = with_soles(motion.skeleton, points)
    count = len(skeleton) - len(motion.skeleton)
    still = np.broadcast_to(quat.IDENTITY, (len(motion), count, 4))
    moves = motion.translations
    if moves is not None:
        added = skeleton.offsets[len(skeleton) - count :]
        moves = np.concatenate([moves, np.broadcast_to(added, (len(motion), count, 3))], 1)
    rotations = np.concatenate([motion.rotations, still], 1)
    return replace(motion, skeleton=skeleton, rotations=rotations, contacts=None, translations=moves)


def unsoled(motion: Motion, skeleton: Skeleton) -> Motion:
    """The motion on ``skeleton`` again, to which :func:`soled` had added sole points; its contacts go."""
    joints = len(skeleton)
    if motion.skeleton == skeleton:
        return motion
    moves = None if motion.translations is None else motion.translations[:, :joints]
    return replace(
        motion, skeleton=skeleton, rotations=motion.rotations[:, :joints], contacts=None, translations=moves
    )


def _points(motion: Motion, roles: Roles, side: str, pose: tuple[Array, Array]) -> dict[str, tuple[int, Array]]:
    """Heel and toe tip of one foot, each with the joint that carries it."""
    skeleton, rest = motion.skeleton, motion.skeleton.rest_positions()
    foot, knee, hip = (roles.get(f"{side}_{p}") for p in ("foot", "lower_leg", "upper_leg"))
    if foot is None or knee is None or hip is None:
        raise GambolError(f"no {side} foot was found", where="soles", do="name its joints: --roles FILE")
    leg = float(np.linalg.norm(rest[knee] - rest[hip]) + np.linalg.norm(rest[foot] - rest[knee]))
    length = FOOT_OF_LEG * leg
    toes = roles.get(f"{side}_toes")
    still = _still(pose[0][:, foot])
    back = quat.conjugate(pose[1][still, foot])
    down = np.median(quat.rotate(back, [0.0, -1.0, 0.0]), axis=0)
    down /= np.linalg.norm(down)
    along = {
        j: np.median(quat.rotate(back, pose[0][still, j] - pose[0][still, foot]), axis=0)
        for j in _subtree(skeleton, foot)
    }
    level = max((float(v @ down) for v in along.values()), default=0.0)
    level = level if level > 0.02 * leg else ANKLE * length
    ahead = {j: v - (v @ down) * down for j, v in along.items()}
    far = max(ahead, key=lambda j: float(np.linalg.norm(ahead[j])), default=None)
    reach = 0.0 if far is None else float(np.linalg.norm(ahead[far]))
    if far is None or reach < 0.2 * length:  # nothing in front of the ankle: the way the figure looks
        way = np.array([np.sin(roles.facing), 0.0, np.cos(roles.facing)])
        way = way - (way @ down) * down
        ball, tip = BALL * length, TIP * length
    else:
        way, tip = ahead[far], reach
        ball = float(np.linalg.norm(ahead[toes])) if toes is not None else reach * BALL / TIP
        if far == toes:  # the toes have no end
            tip = ball * TIP / BALL
    way = way / np.linalg.norm(way)
    heel, end = level * down - HEEL / BALL * min(ball, length) * way, level * down + tip * way
    if toes is None:
        return {f"{side}_heel": (foot, heel), f"{side}_toe_tip": (foot, end)}
    bend = quat.mean(quat.multiply(back, pose[1][still, toes]))
    return {
        f"{side}_heel": (foot, heel),
        f"{side}_toe_tip": (toes, quat.rotate(quat.conjugate(bend), end - along[toes])),
    }


def _still(positions: Array) -> NDArray[np.int64]:
    """The frames in which a joint moves least: a tenth of them, and at least five."""
    if len(positions) < 3:
        return np.arange(len(positions))
    speed = np.linalg.norm(np.gradient(positions, axis=0), axis=1)
    count = max(int(STILL_SHARE * len(speed)), min(len(speed), 5))
    return np.sort(np.argsort(speed, kind="stable")[:count])


def _subtree(skeleton: Skeleton, joint: int) -> list[int]:
    inside = {joint}
    for j in range(joint + 1, len(skeleton)):
        if int(skeleton.parents[j]) in inside:
            inside.add(j)
    return sorted(inside - {joint})


def soles_on(skin: Surface, skeleton: Skeleton, roles: Roles) -> dict[str, tuple[int, Array]]:
    """Heel and toe tip of each foot, found on the skin at rest.

    The sole is the lowest part of what moves with the foot; the heel is its rearmost place, the tip its foremost
    one along the foot, both in the middle of the foot there.

    Returns:
        Name of :data:`SOLE_NAMES` -> (joint that carries it, (3,) m from that joint at rest), of the feet that have
        a skin.
    """
    rest = skeleton.rest_positions()
    out: dict[str, tuple[int, Array]] = {}
    for side in SIDES:
        foot, knee, hip, toes = (roles.get(f"{side}_{p}") for p in ("foot", "lower_leg", "upper_leg", "toes"))
        if foot is None or knee is None or hip is None:
            continue
        leg = float(np.linalg.norm(rest[knee] - rest[hip]) + np.linalg.norm(rest[foot] - rest[knee]))
        mine = np.zeros(len(skeleton), bool)
        mine[[foot, *_subtree(skeleton, foot)]] = True
        points = skin.vertices[(skin.weights * mine[skin.joints]).sum(1) > 0.5]
        way = _forward(roles, rest, foot, toes)
        whole = float(np.ptp(points @ way)) if len(points) else 0.0
        if len(points) < 4 or whole < 0.05 * leg:
            continue
        band = SOLE_BAND * leg
        while np.ptp((low := points[points[:, 1] <= points[:, 1].min() + band]) @ way) < SOLE_SHARE * whole:
            band *= 1.5  # a foot of few corners has no flat sole
        along = (low - rest[foot]) @ way
        end = END_SHARE * float(np.ptp(along))
        heel = low[along < along.min() + end]
        tip = low[along > along.max() - end]
        level = float(low[:, 1].min())
        for name, part, at in (("heel", heel, along.min()), ("toe_tip", tip, along.max())):
            if name == "heel":  # a heel that is no longer than the ankle is thick would be no lever
                at = min(at, -HEEL_LEAST * float(along.max()))
            centre = (part.min(0) + part.max(0)) / 2
            centre = centre + (at - (centre - rest[foot]) @ way) * way
            carrier = toes if name == "toe_tip" and toes is not None else foot
            out[f"{side}_{name}"] = carrier, np.array([centre[0], level, centre[2]]) - rest[carrier]
    return out


def _forward(roles: Roles, rest: Array, foot: int, toes: int | None) -> Array:
    """(3,) level direction from the ankle to the toes, else the way the figure looks."""
    ahead = np.array([np.sin(roles.facing), 0.0, np.cos(roles.facing)])
    if toes is not None:
        way = (rest[toes] - rest[foot]) * [1.0, 0.0, 1.0]
        size = float(np.linalg.norm(way))
        if size > 1e-6 and way @ ahead > 0.5 * size:
            return np.asarray(way / size)
    return ahead
