"""Which way is up in a file whose format leaves it open, and the lone rest pose before or after a clip.

A file is turned only where its rest pose lies flat and its joints say what they are: then the way from the feet to
the head is up. A clip of somebody lying down on an upright rest pose stays as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.io.axes import AXES, axis, quarter_turn, turned
from gambol.motion import Motion
from gambol.roles import Roles, find_roles
from gambol.skeleton import Skeleton, forward_kinematics

__all__ = ["Upright", "front_of", "upright", "without_rest_pose"]

Array = NDArray[np.float64]
FLAT = 0.6  # a rest pose that is this much lower than it is long lies down
SURE_REST, SURE_CLIP = 0.8, 0.6  # of the way from the feet to the head, along one axis
SOME = 50  # frames looked at
NEAR_REST = np.radians(5.0), np.radians(30.0)  # median and largest turn of joints in a rest pose
JUMP, TIMES = np.radians(25.0), 4.0  # the largest turn of a joint in one frame, and how many times that of the clip
LONGEST = 1.0  # s of a rest pose before or after a clip


class Upright(NamedTuple):
    """A motion with +y up, the axis that was up in the file, and what is to be said."""

    motion: Motion
    up: str
    notes: tuple[str, ...] = ()


def upright(motion: Motion, up: str | None = None) -> Upright:
    """Turn a motion so that +y is up.

    Args:
        motion: as its file has it.
        up: the axis that is up; None where it is to be found.

    Raises:
        GambolError: ``up`` is no axis.
    """
    if up is not None:
        name = up.strip().lower().removeprefix("+")
        turn = quarter_turn(axis(up, "--up"), [0.0, 1.0, 0.0])
        notes = () if name == "y" else (f"turned: {name} was up",)
        return Upright(turned(motion, turn) if notes else motion, name, notes)
    rest = motion.skeleton.rest_positions()
    size = np.ptp(rest, axis=0)
    if not size[1] < FLAT * size.max():
        return Upright(motion, "y")
    roles = _roles(motion.skeleton)
    lies = _along(_trunk(rest, roles), SURE_REST)
    if lies is None or lies == "y":
        return Upright(motion, "y", ("the rest pose lies flat and +y is taken for up; --up says another axis",))
    some = slice(None, None, len(motion) // SOME + 1)
    points, _ = forward_kinematics(motion.skeleton, motion.root[some], motion.rotations[some])
    stands = _along(_trunk(points, roles).mean(0), SURE_CLIP) if len(points) else lies
    turn = quarter_turn(axis(lies), [0.0, 1.0, 0.0])
    yaw = find_roles(motion.skeleton.names, motion.skeleton.parents, quat.rotate(turn, rest)).facing
    turn = quat.multiply(quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.asarray(-yaw)), turn)
    if stands == lies:
        return Upright(turned(motion, turn), lies, (f"turned: {lies} was up",))
    if stands == "y":
        note = f"the rest pose is turned: it lay along {lies} while the clip stands along y"
        return Upright(turned(motion, quat.IDENTITY, turn), "y", (note,))
    return Upright(motion, "y", (f"the rest pose lies along {lies}; +y is taken for up; --up says another axis",))


def front_of(skeleton: Skeleton) -> str:
    """The axis along which the figure looks at rest, or an angle in degrees; empty where it has no front."""
    roles = _roles(skeleton)
    if roles.kind != "human":
        return ""
    ahead = np.array([np.sin(roles.facing), 0.0, np.cos(roles.facing)])
    return _along(ahead, np.cos(np.radians(10))) or f"{np.degrees(roles.facing):.0f} degrees from z towards x"


def without_rest_pose(motion: Motion) -> tuple[Motion, tuple[str, ...]]:
    """The clip without a rest pose that stands before or after it and does not belong to it, and what was left out.

    Such a pose is at most a second of frames that hold still near the rest pose (all joints at 0), with a jump
    between them and the clip that is like none inside of it.
    """
    most = min(int(LONGEST * motion.fps) + 1, len(motion) // 2)
    if len(motion) < 4 or not (_jumps(motion.rotations[: most + 1]) or _jumps(motion.rotations[-most - 1 :])):
        return motion, ()
    turn = _turns(motion.rotations)
    first = _held(motion, turn, 1)
    last = len(motion) - _held(motion, turn, -1)
    notes = []
    for a, b, where in ((0, first, "before"), (last, len(motion), "after")):
        if a < b:
            frames = f"frame {a}" if b == a + 1 else f"frames {a} to {b - 1}"
            holds = "hold" if b > a + 1 else "holds"
            notes.append(f"{frames}, which {holds} the rest pose {where} the clip, left out (--keep-pose keeps it)")
    return (motion[first:last], tuple(notes)) if notes else (motion, ())


def _turns(rotations: Array) -> Array:
    """``(F - 1,)`` rad, the largest turn of any joint from each frame to the next."""
    same = np.abs(np.einsum("...i,...i->...", rotations[1:], rotations[:-1])).min(1)
    return np.asarray(2 * np.arccos(np.minimum(same, 1.0)))


def _jumps(rotations: Array) -> bool:
    return bool((_turns(rotations) > JUMP).any())


def _held(motion: Motion, turn: Array, step: int) -> int:
    """How many frames at the start (step 1) or the end (-1) hold a rest pose that a jump parts from the clip."""
    turn = turn[::step]
    jumps = np.flatnonzero(turn > JUMP)
    most = min(int(LONGEST * motion.fps) + 1, len(motion) // 2)
    if not len(jumps) or jumps[0] >= most:
        return 0
    end = int(jumps[0]) + 1
    others = np.delete(turn, np.concatenate([jumps[:1], np.arange(end - 1)]))
    if turn[end - 1] < TIMES * np.percentile(others, 95) or turn[: end - 1].max(initial=0.0) > np.radians(1.0):
        return 0
    away = 2 * np.arccos(np.clip(np.abs(motion.rotations[::step][:end, :, 0]), 0.0, 1.0))
    return end if np.median(away) < NEAR_REST[0] and away.max() < NEAR_REST[1] else 0


def _roles(skeleton: Skeleton) -> Roles:
    return find_roles(skeleton.names, skeleton.parents, skeleton.rest_positions())


def _trunk(points: Array, roles: Roles) -> Array:
    """``(..., 3)`` from the middle of the feet to the head, of points ``(..., J, 3)``; 0 where a human lacks either."""
    top = next((roles.joints[r] for r in ("head", "neck", "upper_chest", "chest") if r in roles), None)
    feet = [roles.joints[r] for r in ("left_foot", "right_foot") if r in roles]
    if roles.kind != "human" or top is None or len(feet) < 2:
        return np.zeros((*points.shape[:-2], 3))
    out: Array = points[..., top, :] - points[..., feet, :].mean(-2)
    return out


def _along(way: Array, sure: float) -> str | None:
    """The axis that a way ``(3,)`` follows, or None."""
    length = float(np.linalg.norm(way))
    if not length > 0:
        return None
    return next((name for name in AXES if way @ axis(name) > sure * length), None)
