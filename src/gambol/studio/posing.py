"""Posing for the page: postures by name, mirrors, and a drag between two moves of the pointer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.keys import Key, heading_of, stands
from gambol.limits import Limits
from gambol.model import Model
from gambol.motion import Motion, Pose
from gambol.posing import Grip, Puppet, grab, mirror_name, pull, release
from gambol.postures import base_of, mirrored, pose_with, posture, posture_of, sum_of
from gambol.skeleton import Skeleton, forward_kinematics
from gambol.studio.clip import clip_arrays
from gambol.studio.make import pose_of, pose_row, put_on
from gambol.studio.project import PoseRow, pose_json
from gambol.studio.workshop import Wearer
from gambol.terrain import Flat

__all__ = ["Hold", "let_go", "limits_table", "mirror", "postured", "pulled", "shown", "take"]

Array = NDArray[np.float64]
FARTHEST = 0.25  # m that a figure follows in one answer; a pointer that jumps farther is followed by the next ones
NEAR = np.radians(1.0)  # a joint so near to the end of its range is said to be at it


class Hold(NamedTuple):
    """A drag.

    Attributes:
        puppet: what is posed.
        grip: as the last move of the pointer left it.
        side: (3,) across the mirror plane through the root that was grabbed, or None.
        twins: for each dragged joint beyond the first ``dragged``, which of those it mirrors.
        dragged: how many joints the page drags.
        wearer: the figure.
    """

    puppet: Puppet
    grip: Grip
    side: Array | None
    twins: tuple[int, ...]
    dragged: int
    wearer: Wearer


def poses(wearer: Wearer) -> Model:
    """The model of a figure that can be posed."""
    if wearer.model is None:
        what = "a clip's figure is not posed"
        raise GambolError(what, where="figure", allowed="a person, a character or a model", do="choose one of these")
    return wearer.model


def postured(wearer: Wearer, text: str, before: PoseRow | None) -> dict[str, Any]:
    """A posture of the base by its text, on a pose or at rest: the pose, and the soles it stands on."""
    model = poses(wearer)
    added, at = posture(text, base_of(model.kind)), None
    if before is not None:
        now = pose_of(before, model.skeleton)
        kept = posture_of(model, now)
        lifted = tuple(n for n in _soles(model.skeleton) if n not in _standing(model.skeleton, now))
        added = sum_of(kept._replace(lift=lifted if lifted != _soles(model.skeleton) else ()), added)
        at = _place(now, model.skeleton)
    pose, planted = pose_with(model, added, at)
    return {"pose": pose_json(pose_row(pose, model.skeleton)), "planted": list(planted)}


def mirror(wearer: Wearer, row: PoseRow) -> dict[str, Any]:
    """The pose with left and right exchanged, where it stands."""
    model = poses(wearer)
    now = pose_of(row, model.skeleton)
    pose, _ = pose_with(model, mirrored(posture_of(model, now)), _place(now, model.skeleton))
    return {"pose": pose_json(pose_row(pose, model.skeleton))}


def take(wearer: Wearer, row: PoseRow, joints: Sequence[str], fixed: Sequence[str], how: tuple[bool, int, str]) -> Hold:
    """Take hold of joints.

    Args:
        wearer: whose they are.
        row: the pose to begin from.
        joints: that the pointers drag.
        fixed: that stay.
        how: whether the other side is dragged as in a mirror, reach of the springs, and the engine.
    """
    symmetric, reach, engine = how
    model = poses(wearer)
    skeleton = model.skeleton
    if not joints or len(set(joints)) < len(joints):
        raise GambolError("no joint, or one twice", where="grab: joints", allowed="one joint or more")
    if not 1 <= reach <= 3:
        raise GambolError(f"reach is {reach}", where="grab", allowed="1 floppy, 2, 3 stiff")
    pose = pose_of(row, skeleton)
    twins: list[tuple[str, int]] = []
    if symmetric:
        for k, name in enumerate(joints):
            other = mirror_name(name)
            if other != name and other in skeleton and other not in joints:
                twins.append((other, k))
        fixed = list(dict.fromkeys([*fixed, *(m for m in map(mirror_name, fixed) if m in skeleton)]))
    yaw = heading_of(pose.rotations[0])
    puppet = Puppet(skeleton, model.limits, reach, engine=engine)
    held = grab(puppet, pose, [*joints, *(name for name, _ in twins)], fixed)
    side = np.array([np.cos(yaw), 0.0, -np.sin(yaw)]) if symmetric else None
    return Hold(puppet, held, side, tuple(k for _, k in twins), len(joints), wearer)


def shown(wearer: Wearer, row: PoseRow) -> tuple[dict[str, Any], dict[str, Array]]:
    """A pose as the page shows it: the figure, and the joints that can be taken hold of."""
    model = poses(wearer)
    pose = pose_of(row, model.skeleton)
    points = forward_kinematics(model.skeleton, pose.root, pose.rotations)[0]
    header = {"joints": model.skeleton.names, "joint_parents": model.skeleton.parents}
    on, arrays = _figure(wearer, pose)
    return {**header, **on}, {"points": points, **arrays}


def _figure(wearer: Wearer, pose: Pose) -> tuple[dict[str, Any], dict[str, Array]]:
    """A pose of the model on the figure, as a clip of one frame."""
    model = poses(wearer)
    still = Motion(model.skeleton, pose.root[None], pose.rotations[None], 30.0)
    header, arrays = clip_arrays(put_on(still, wearer, Flat(), planted=False), wearer)
    kept = ("names", "parents", "nodes", "local", "shifted")
    return {k: header[k] for k in kept if k in header}, {
        f"figure_{k}": arrays[k] for k in ("root", "rotations", "shifts") if k in arrays
    }


def pulled(hold: Hold, goals: Sequence[Sequence[float]]) -> tuple[Hold, dict[str, Any], dict[str, Array]]:
    """The pointers have gone on: the hold, and header and arrays for the page.

    Raises:
        GambolError: another number of goals than joints, or goals that are none.
    """
    if len(goals) != hold.dragged:
        raise GambolError(f"{len(goals)} goals", where="pull: goals", allowed=f"{hold.dragged}, one for each joint")
    aims = np.array(goals, float).reshape(-1, 3)
    if hold.side is not None and hold.twins:
        theirs = aims[list(hold.twins)]
        off = (theirs - hold.grip.pose.root) @ hold.side
        aims = np.concatenate([aims, theirs - 2 * off[:, None] * hold.side])
    way = aims - hold.grip.at
    far = float(np.linalg.norm(way, axis=1).max(initial=0.0))
    grip = pull(hold.puppet, hold.grip, hold.grip.at + way * min(1.0, FARTHEST / max(far, FARTHEST)))
    hold = hold._replace(grip=grip)
    own = {} if hold.wearer.character is None else _figure(hold.wearer, grip.pose)[1]
    return hold, _state(hold), {**_arrays(grip), **own}


def let_go(hold: Hold) -> dict[str, Any]:
    """The pose when the pointers let go, bones exact."""
    pose = release(hold.puppet, hold.grip)
    return {"pose": pose_json(pose_row(pose, hold.puppet.skeleton))}


def limits_table(skeleton: Skeleton, limits: Limits) -> dict[str, Any]:
    """Joint -> least and most of its rotation vector, rad; joints that turn freely are left out."""
    return {
        name: {"low": limits.low[j].tolist(), "high": limits.high[j].tolist()}
        for j, name in enumerate(skeleton.names)
        if j and (np.abs(limits.low[j]).max() < np.pi or np.abs(limits.high[j]).max() < np.pi)
    }


def _state(hold: Hold) -> dict[str, Any]:
    """How far bones are stretched, and which joints are at the end of their range."""
    from gambol import quat

    skeleton, limits, grip = hold.puppet.skeleton, hold.puppet.ranges, hold.grip
    above, lengths = skeleton.parents[1:], np.linalg.norm(skeleton.offsets[1:], axis=1)
    now = np.linalg.norm(grip.points[1:] - grip.points[above], axis=1)
    shares = np.abs(now - lengths)[lengths > 1e-6] / lengths[lengths > 1e-6]
    turns = quat.log(grip.pose.rotations)
    ends = (turns <= limits.low + NEAR) & (limits.low > -np.pi) | (turns >= limits.high - NEAR) & (limits.high < np.pi)
    ends &= limits.high - limits.low > 4 * NEAR  # a hinge that does not turn that way is not at an end
    at = [skeleton.names[j] for j in np.flatnonzero(ends.any(1)) if j]
    return {"stretch": float(shares.max(initial=0.0)), "at_limit": at}


def _arrays(grip: Grip) -> dict[str, Array]:
    return {"points": grip.points, "rotations": grip.pose.rotations[:, [1, 2, 3, 0]], "root": grip.pose.root}


def _place(pose: Pose, skeleton: Skeleton) -> tuple[Array, float]:
    """Where a pose stands, m, and rad it looks to."""
    return (pose.root - skeleton.offsets[0]) * [1.0, 0.0, 1.0], heading_of(pose.rotations[0])


def _soles(skeleton: Skeleton) -> tuple[str, ...]:
    return tuple(skeleton.names[s] for s in skeleton.soles)


def _standing(skeleton: Skeleton, pose: Pose) -> tuple[str, ...]:
    return tuple(skeleton.names[s] for s in stands(Key(0.0, pose), skeleton))
