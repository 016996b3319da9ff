"""Posing by dragging: pull any joints, hold others, and the springs carry the move over the body.

Every centimetre of the pointer's way is one step (Chen, Li and Hu 2004, section 3): the dragged joints jump there,
the massless springs of :mod:`gambol.tension` spread the move, bones are kept within 5 % of their length, and the
pose nearest to these points, with bones of exact length and joints inside their ranges, begins the next one.
Because steps go by length and not by time, it does not matter how often a pointer is asked where it is.
All values are plain: the grip before a pull *is* the undo.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.fitting import Aim, fit, points_of
from gambol.kernels import check_engine
from gambol.limits import Limits, no_limits
from gambol.motion import Pose
from gambol.skeleton import Skeleton, readonly
from gambol.tension import Fixed, Limit, Springs, eased, springs, stretch, within

__all__ = ["Grip", "Puppet", "drag", "grab", "mirror_name", "pull", "release"]

Array = NDArray[np.float64]
SPACING = 0.01  # m of pointer a step
DRAGGED, PINNED, GUIDED = 1.0, 3e3, 0.01  # how much points count against each other
LEAD = 0.03  # m that a dragged joint is asked to go at once
POLISH = 60  # rounds of fitting when a drag ends, at most
FARTHEST = 1e4  # m; a pointer beyond is no pointer
SOLES_BELOW = 2  # a fixed joint takes soles with it that hang so many joints below


@dataclass(frozen=True)
class Puppet:
    """What is posed, and how stiff it is.

    Attributes:
        skeleton: J joints.
        limits: ranges of its joints; by default they turn freely.
        reach: of the springs in bones: 1 floppy, 2, 3 stiff (2, 4, 6 neighbours).
        stiffness: ``(J,)`` of each joint against bending, by default 1.
        h: share of its error that a spring makes good in a step; the paper's 0.5.
        steps: of the springs for each centimetre.
        limit: how far bones are stretched while they are dragged, and when to stop bringing them back.
        engine: numpy, or compiled for live dragging.
    """

    skeleton: Skeleton
    limits: Limits | None = None
    reach: int = 2
    stiffness: ArrayLike | None = None
    h: float = 0.5
    steps: int = 6
    limit: Limit = field(default_factory=Limit)
    engine: str = "numpy"

    def __post_init__(self) -> None:
        check_engine(self.engine)
        if not 0 < self.h <= 1:
            raise GambolError(f"h is {self.h:g}", where="puppet", allowed="above 0, at most 1; 0.5 is the paper's")
        if self.limits is None:
            object.__setattr__(self, "limits", no_limits(self.skeleton))
        springs(self.skeleton, self.reach, self.stiffness)  # refuses what it cannot use

    @property
    def ranges(self) -> Limits:
        """The limits, which are never None once made."""
        assert self.limits is not None
        return self.limits


class Grip(NamedTuple):
    """A drag between two moves of the pointer.

    Attributes:
        pose: of the figure now.
        points: ``(J, 3)`` m as the springs have them, bones at most 5 % longer.
        joints: those that are dragged.
        at: ``(G, 3)`` m, the pointers as far as they have been followed.
        goal: ``(G, 3)`` m, where the pointers are; less than a step ahead.
        held: joints that stay, and where: ``(H,)`` and ``(H, 3)`` m.
        net: springs, at rest in the pose that was grabbed.
    """

    pose: Pose
    points: Array
    joints: tuple[int, ...]
    at: Array
    goal: Array
    held: tuple[tuple[int, ...], Array]
    net: Springs


def grab(
    puppet: Puppet, pose: Pose, joints: Sequence[str], fixed: Iterable[str] | Mapping[str, ArrayLike] = ()
) -> Grip:
    """Take hold of joints.

    Args:
        puppet: whose they are.
        pose: to begin from.
        joints: names of those that will be dragged.
        fixed: names of joints that stay where they are, or also where in the world (anchors). A foot takes its
            soles with it, so that it neither moves nor turns.

    Raises:
        GambolError: an unknown joint, one that is both dragged and fixed, or anchors too far from each other.
    """
    skeleton = puppet.skeleton
    points = points_of(skeleton, pose)
    dragged = tuple(skeleton.indices(joints))
    anchors = dict.fromkeys(fixed) if not isinstance(fixed, Mapping) else dict(fixed)
    places: dict[int, Array] = {}
    for name, place in anchors.items():
        j = skeleton.index(name)
        shift = np.zeros(3) if place is None else _place(place, name) - points[j]
        for k in (j, *_soles_of(skeleton, j)):
            places[k] = points[k] + shift
    for j in dragged:
        if j in places:
            raise GambolError(f"{skeleton.names[j]!r} is both dragged and fixed", where="drag")
    held = tuple(places)
    spots = np.array([places[j] for j in held]).reshape(-1, 3)
    _consistent(skeleton, held, spots)
    net = springs(skeleton, puppet.reach, puppet.stiffness, points)
    at = readonly(points[list(dragged)])
    return Grip(Pose(readonly(pose.root), readonly(pose.rotations)), readonly(points), dragged, at, at,
                (held, readonly(spots)), net)


def pull(puppet: Puppet, grip: Grip, goals: ArrayLike) -> Grip:
    """The figure after the pointers have gone straight to ``goals`` ``(G, 3)`` m."""
    goals = np.asarray(goals, float).reshape(-1, 3)
    if goals.shape != grip.at.shape or not (np.abs(goals) < FARTHEST).all():
        raise GambolError(
            f"goals have shape {goals.shape}, largest {np.abs(goals).max(initial=0):g} m", where="drag",
            allowed=f"{grip.at.shape[0]} points within {FARTHEST:g} m",
        )
    way = goals - grip.at
    length = float(np.linalg.norm(way, axis=1).max(initial=0.0))
    count = int(length / SPACING + 1e-9)
    for k in range(1, count + 1):
        grip = _step(puppet, grip, grip.at + way * (SPACING / length) if k else grip.at)
    return grip._replace(goal=readonly(goals))


def release(puppet: Puppet, grip: Grip) -> Pose:
    """The pose when the pointer lets go: the rest of its way followed, fixed joints where they were, bones exact."""
    if np.abs(grip.goal - grip.at).max(initial=0.0) > 0:
        grip = _step(puppet, grip, grip.goal)
    skeleton, (held, spots) = puppet.skeleton, grip.held
    pose, left = _approached(puppet, grip, grip.pose, GUIDED)
    if left < LEAD:
        pose, _ = _approached(puppet, grip, pose, 1e-6 * GUIDED)
    if held:
        weights = np.zeros(len(skeleton))
        weights[list(held)] = PINNED**2
        points = points_of(skeleton, pose)
        points[list(held)] = spots
        pose = fit(skeleton, puppet.ranges, pose, Aim(points, weights), POLISH)
    return pose


def drag(
    puppet: Puppet, pose: Pose, tracks: Mapping[str, ArrayLike],
    fixed: Iterable[str] | Mapping[str, ArrayLike] = (), symmetric: bool = False,
) -> Pose:
    """A whole drag: joints go along ``tracks`` (name -> ``(N, 3)`` m or one point), then are let go.

    Args:
        puppet: whose joints they are.
        pose: to begin from.
        tracks: the pointers' ways; shorter ones wait at their end.
        fixed: as for :func:`grab`.
        symmetric: joints of the other side are dragged as in a mirror.
    """
    ways = {name: np.atleast_2d(np.asarray(way, float)) for name, way in tracks.items()}
    if symmetric:
        ways = _both_sides(puppet.skeleton, pose, ways)
        fixed = fixed if isinstance(fixed, Mapping) else {*fixed, *map(mirror_name, fixed)}
    grip = grab(puppet, pose, list(ways), fixed)
    for k in range(max((len(w) for w in ways.values()), default=0)):
        grip = pull(puppet, grip, [w[min(k, len(w) - 1)] for w in ways.values()])
    return release(puppet, grip)


def mirror_name(name: str) -> str:
    """The same joint of the other side; one without a side is its own."""
    for a, b in (("left", "right"), ("right", "left")):
        if name.startswith(a):
            return b + name[len(a):]
    return name


def _both_sides(skeleton: Skeleton, pose: Pose, ways: Mapping[str, Array]) -> dict[str, Array]:
    """The ways, and their mirror images at the plane through the root that the figure faces along."""
    side = quat.rotate(pose.rotations[0], [1.0, 0.0, 0.0])
    side = side * [1.0, 0.0, 1.0]
    side /= np.linalg.norm(side)
    out = dict(ways)
    for name, way in ways.items():
        other = mirror_name(name)
        if other != name and other in skeleton and other not in ways:
            out[other] = way - 2 * ((way - pose.root) @ side)[:, None] * side
    return out


def _step(puppet: Puppet, grip: Grip, at: Array) -> Grip:
    """One centimetre: drag, springs, limit, fit."""
    skeleton, (held, spots) = puppet.skeleton, grip.held
    moving = list(grip.joints)
    fixed = np.zeros(len(skeleton), bool)
    fixed[list(held)] = True
    fixed[moving] = True
    before = points_of(skeleton, grip.pose)
    points = np.array(before)
    points[list(held)] = spots
    points[moving] = _ahead(points, grip, at)
    points = stretch(points, grip.net, fixed, (puppet.h, puppet.steps), puppet.engine)
    points = within(points, grip.net, Fixed(fixed, grip.joints), puppet.limit, puppet.engine)
    points = eased(before, points, grip.net, puppet.limit.stretch)
    weights = np.full(len(skeleton), GUIDED)
    weights[moving], weights[list(held)] = DRAGGED, PINNED
    pose = fit(skeleton, puppet.ranges, grip.pose, Aim(points, weights), 1)
    return grip._replace(pose=pose, points=readonly(points), at=readonly(at), goal=readonly(at))


def _approached(puppet: Puppet, grip: Grip, pose: Pose, guided: float) -> tuple[Pose, float]:
    """Fitted in rounds for as long as the dragged joints come nearer to the pointers, and m still between them."""
    skeleton, moving, (held, spots) = puppet.skeleton, list(grip.joints), grip.held
    weights = np.full(len(skeleton), guided)
    weights[moving], weights[list(held)] = DRAGGED, PINNED
    aim = points_of(skeleton, pose)
    left = np.inf
    for _ in range(POLISH):
        points = points_of(skeleton, pose)
        before, left = left, float(np.linalg.norm(points[moving] - grip.goal))
        if left > before - 1e-5 * min(before, 1.0) or left < 1e-10:
            break
        aim[moving], aim[list(held)] = _ahead(points, grip, grip.goal), spots
        pose = fit(skeleton, puppet.ranges, pose, Aim(aim, weights), 3)
    return pose, left


def _ahead(points: Array, grip: Grip, goal: Array) -> Array:
    """Goals (G, 3) at most LEAD from where the joints are: a goal out of reach is stretched for, not jumped to."""
    now = points[list(grip.joints)]
    away = goal - now
    far = np.linalg.norm(away, axis=1, keepdims=True)
    out: Array = now + away * np.minimum(1.0, LEAD / np.maximum(far, LEAD))
    return out


def chain_length(skeleton: Skeleton, a: int, b: int) -> float:
    """m of bones on the way between two joints."""
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    above, total = {}, 0.0
    j = a
    while j >= 0:
        above[j] = total
        total += float(lengths[j])
        j = int(skeleton.parents[j])
    total = 0.0
    while b not in above:
        total += float(lengths[b])
        b = int(skeleton.parents[b])
    return above[b] + total


def _consistent(skeleton: Skeleton, held: Sequence[int], spots: Array) -> None:
    """Refuse fixed joints that are farther apart than the bones between them reach."""
    for n, a in enumerate(held):
        for m in range(n):
            far, most = float(np.linalg.norm(spots[n] - spots[m])), chain_length(skeleton, a, held[m])
            if far > most * (1 + 1e-6) + 1e-9:
                raise GambolError(
                    f"{skeleton.names[a]} and {skeleton.names[held[m]]} are held {far:.3f} m apart",
                    where="fixed joints",
                    allowed=f"at most {most:.3f} m, the bones between them", do="move one, or let it go",
                )


def _soles_of(skeleton: Skeleton, joint: int) -> list[int]:
    """Soles that hang on a joint, close below it."""
    out = []
    for s in skeleton.soles:
        up = int(s)
        for _ in range(SOLES_BELOW):
            up = int(skeleton.parents[up])
            if up == joint:
                out.append(s)
            if up < 0:
                break
    return out


def _place(place: ArrayLike, name: str) -> Array:
    out = np.asarray(place, float)
    if out.shape != (3,) or not (np.abs(out) < FARTHEST).all():
        raise GambolError(f"{name} is fixed at {place!r}", where="fixed joints", allowed="three numbers in m")
    return out


def softened(puppet: Puppet, joints: Mapping[str, float]) -> Puppet:
    """The puppet with other stiffnesses of single joints."""
    stiff = np.ones(len(puppet.skeleton)) if puppet.stiffness is None else np.array(puppet.stiffness, float)
    for name, value in joints.items():
        stiff[puppet.skeleton.index(name)] = value
    return dataclasses.replace(puppet, stiffness=stiff)
