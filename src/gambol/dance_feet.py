"""Feet of a dance: planted ones stay where they are, others step or leave the ground, and legs reach for them.

Between two keys that both have a foot planted it does not move at all, unless the second asks for another place:
then it makes a step, one foot after the other. A foot that leaves the ground is let go, and one that comes down is
led to its place. The legs follow in closed form (:func:`gambol.ik.two_bone`); the root sinks where one is too short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.ik import two_bone
from gambol.keys import UP, Key, heading_of, stands
from gambol.model import Leg, Model, mass_centre
from gambol.motion import Pose
from gambol.skeleton import forward_kinematics

if TYPE_CHECKING:
    from gambol.terrain import Terrain

__all__ = ["Anchor", "Feet", "Passage", "feet_at", "feet_of", "planted_pose"]

Array = NDArray[np.float64]
STEP, TURN = 0.18, np.radians(35.0)  # of the leg's length; a foot that shall be farther away or turned more, steps
LIFT = (0.05, 0.18)  # height of a step: of the leg's length, and of the step's length
LEAVE, ARRIVE = (0.0, 0.45), (0.5, 1.0)  # share of a passage in which a foot is let go, and led down
REACH = 0.998  # of a leg's length
SOFT, EASY = 0.004, 0.012  # m within which the ground, and the reach of a leg, begin to be felt


class Anchor(NamedTuple):
    """Where the end joint of a leg stands: ``(3,)`` m and rotation ``(4,)``, both in the world."""

    place: Array
    rotation: Array


Feet = tuple[Anchor | None, ...]  # of each leg of a model; None in the air


@dataclass(frozen=True)
class Passage:
    """What feet do between two keys.

    Attributes:
        before: where they stand at its start.
        after: where they stand at its end.
        start: s.
        end: s.
        flight: the root flies: feet go with it.
        landed: a flight has just ended.
        leap: a flight comes next.
    """

    before: Feet
    after: Feet
    start: float
    end: float
    flight: bool = False
    landed: bool = False
    leap: bool = False

    def shares(self, times: Array) -> Array:
        """``(F,)`` of the way gone."""
        out: Array = np.clip((times - self.start) / max(self.end - self.start, 1e-9), 0.0, 1.0)
        return out

    def window(self, leg: int) -> tuple[float, float]:
        """The share of the passage in which a leg steps: one after another, two groups of crossed legs."""
        steps = [k for k, (a, b) in enumerate(zip(self.before, self.after)) if a and b and _moved(a, b)]
        if len(steps) < 2:
            return 0.15, 0.9
        return (0.05, 0.5) if (leg // 2 + leg) % 2 == 0 else (0.5, 0.95)


def feet_at(model: Model, key: Key, before: Feet, ground: Terrain) -> Feet:
    """Where the feet stand at a key.

    Args:
        model: whose they are.
        key: its pose says which are planted and where.
        before: at the key before; a planted foot that need not go far stays where it was.
        ground: under them.
    """
    planted = set(stands(key, model.skeleton))
    points, world = forward_kinematics(model.skeleton, key.pose.root, key.pose.rotations)
    out: list[Anchor | None] = []
    for leg, old in zip(model.legs, before or (None,) * len(model.legs)):
        if not planted & set(leg.soles):
            out.append(None)
            continue
        new = _standing(model, leg, (points[leg.end], world[leg.end]), ground)
        far = STEP * _leg_length(model, leg)
        near = old is not None and np.linalg.norm((new.place - old.place)[[0, 2]]) < far
        out.append(old if old is not None and near and _turned(old, new) < TURN else new)
    return tuple(out)


def feet_of(model: Model, pose: Pose, planted: set[str]) -> Feet:
    """The feet exactly as a pose has them: those with a sole among the names in ``planted`` stand."""
    points, world = forward_kinematics(model.skeleton, pose.root, pose.rotations)
    names = model.skeleton.names
    return tuple(
        Anchor(points[leg.end], world[leg.end]) if any(names[s] in planted for s in leg.soles) else None
        for leg in model.legs
    )


def planted_pose(
    model: Model, pose: Pose, passage: Passage, times: Array, manner: tuple[float, Terrain]
) -> tuple[Pose, NDArray[np.bool_]]:
    """The poses of some frames with their feet where a passage has them.

    Args:
        model: whose poses.
        pose: root ``(F, 3)``, rotations ``(F, J, 4)`` as the elastic joints have them.
        passage: from which to which feet.
        times: ``(F,)`` s, among them the passage's start and end.
        manner: how far the mass centre is kept over the support, 0 to 1; and the ground.

    Returns:
        The poses, and contacts ``(F, S)``.
    """
    skeleton, (balance, ground) = model.skeleton, manner
    contacts = np.zeros((len(times), len(skeleton.soles)), bool)
    if not len(times) or not any(passage.before + passage.after):
        return pose, contacts
    u = passage.shares(times)
    root = np.array(pose.root)
    points, world = forward_kinematics(skeleton, root, pose.rotations)
    ways = [_way(model, k, passage, u, ground) for k in range(len(model.legs))]
    if passage.flight:
        ways = [_flying(leg, k, passage, (u, points, world)) for k, leg in enumerate(model.legs)]
    if balance > 0:
        shift = balance * (_to_support(model, points, world, ways) * _grounded(passage, u)[:, None])
        root, points = root + shift, points + shift[:, None]
    targets = [_target(model, leg, way, (points, world), ground) for leg, way in zip(model.legs, ways)]
    sink = _sinking(model, points, targets, ways) * _grounded(passage, u)
    root[:, 1] -= sink
    points[..., 1] -= sink[:, None]
    rotations = np.array(pose.rotations)
    for leg, way, target in zip(model.legs, ways, targets):
        _reach(model, leg, (points, world, rotations), (way, target))
        far = np.linalg.norm(target[0] - points[:, leg.hip], axis=1)
        there = way.stands & (far <= _leg_length(model, leg) * (1 + 1e-9))  # a leg that is pulled away does not stand
        for sole in leg.soles:
            contacts[:, skeleton.soles.index(sole)] = there
    return Pose(root, rotations), contacts


class _Way(NamedTuple):
    """A foot through a passage.

    Attributes:
        held: ``(F,)`` how far it is where ``place`` says, and not where the posed leg has it.
        place: ``(F, 3)`` m of the end joint.
        rotation: ``(F, 4)`` of it in the world.
        stands: ``(F,)`` planted.
        load: ``(F,)`` share of the weight it can carry.
    """

    held: Array
    place: Array
    rotation: Array
    stands: NDArray[np.bool_]
    load: Array


def _way(model: Model, k: int, passage: Passage, u: Array, ground: Terrain) -> _Way:
    leg, a, b = model.legs[k], passage.before[k], passage.after[k]
    ones, still = np.ones(len(u)), np.ones(len(u), bool)
    if a is None and b is None:
        none = np.zeros(len(u))
        return _Way(none, np.zeros((len(u), 3)), np.tile(quat.IDENTITY, (len(u), 1)), ~still, none)
    if a is None or b is None:
        anchor = a or b
        assert anchor is not None
        held = 1 - _smooth(u, LEAVE) if b is None else _smooth(u, ARRIVE)
        planted = u <= LEAVE[0] if b is None else u >= ARRIVE[1]
        load = 1 - _smooth(u, (0.0, 0.3)) if b is None else _smooth(u, (0.7, 1.0))
        return _Way(held, anchor.place * ones[:, None], anchor.rotation * ones[:, None], planted, load)
    if not _moved(a, b):
        return _Way(ones, a.place * ones[:, None], a.rotation * ones[:, None], still, ones)
    first, last = passage.window(k)
    s = _smooth(u, (first, last))
    place = a.place + s[:, None] * (b.place - a.place)
    way = float(np.linalg.norm(b.place - a.place))
    w = np.clip((u - first) / (last - first), 0.0, 1.0)
    place[:, 1] += (LIFT[0] * _leg_length(model, leg) + LIFT[1] * way) * 64 * (w * (1 - w)) ** 3
    under = np.array([_standing_height(model, leg) + _height(ground, p) for p in place]) if way > 0 else place[:, 1]
    place[:, 1] = np.maximum(place[:, 1], under)
    load = 1 - _smooth(u, (max(first - 0.15, 0), first + 0.1)) + _smooth(u, (last - 0.1, min(last + 0.15, 1)))
    return _Way(ones, place, quat.slerp(a.rotation, b.rotation, s), (u <= first) | (u >= last), load)


def _flying(leg: Leg, k: int, passage: Passage, posed: tuple[Array, Array, Array]) -> _Way:
    """A foot in a jump: as the leg is posed, but for what it is off at take-off and landing, which fades."""
    u, points, world = posed
    place, rotation = np.array(points[:, leg.end]), np.array(world[:, leg.end])
    leaving, landing = 1 - _smooth(u, (0.0, 0.6)), _smooth(u, (0.4, 1.0))
    ends = (passage.before[k], u.argmin(), leaving), (passage.after[k], u.argmax(), landing)
    for anchor, at_, fade in ends:
        if anchor is not None:
            place += fade[:, None] * (anchor.place - points[at_, leg.end])
            turn = quat.multiply(anchor.rotation, quat.conjugate(world[at_, leg.end]))
            rotation = quat.multiply(quat.slerp(quat.IDENTITY, turn, fade), rotation)
    down = np.array([passage.before[k] is not None, passage.after[k] is not None])
    stands_ = ((u <= 0) & down[0]) | ((u >= 1) & down[1])
    return _Way(np.ones(len(u)), place, rotation, stands_, np.zeros(len(u)))


def _grounded(passage: Passage, u: Array) -> Array:
    """(F,) how far the reach of the legs binds the root: not in the air, and not at once before and after."""
    out = np.zeros(len(u)) if passage.flight else np.ones(len(u))
    if passage.landed:
        out = out * _smooth(u, (0.0, 0.3))
    return out * (1 - _smooth(u, (0.7, 1.0))) if passage.leap else out


def _to_support(model: Model, points: Array, world: Array, ways: Sequence[_Way]) -> Array:
    """(F, 3) m, level: from the mass centre to the middle of what carries it."""
    loads = np.stack([w.load for w in ways])  # (L, F)
    total = loads.sum(0)
    there = np.einsum("lf,lfk->fk", loads, np.stack([_middle(model, leg, w) for leg, w in zip(model.legs, ways)]))
    there /= np.maximum(total, 1e-9)[:, None]
    away = there - mass_centre(model, points, world)
    away[:, 1] = 0.0
    out: Array = away * (np.minimum(total, 1.0) ** 2)[:, None]
    return out


def _middle(model: Model, leg: Leg, way: _Way) -> Array:
    """(F, 3) m: the middle of the soles of a standing foot."""
    rest = model.skeleton.rest_positions()
    local = rest[list(leg.soles)].mean(0) - rest[leg.end]
    return way.place + quat.rotate(way.rotation, local)


def _target(
    model: Model, leg: Leg, way: _Way, posed: tuple[Array, Array], ground: Terrain
) -> tuple[Array, Array]:
    """Place (F, 3) and rotation (F, 4) of the end joint: held, free, or on the way between; never below the ground."""
    points, world = posed
    rotation = quat.slerp(world[:, leg.end], way.rotation, way.held)
    low = points[:, list(leg.soles), 1].min(1) - _height(ground, points[0, leg.end])
    free = points[:, leg.end] + _softly(-low)[:, None] * UP
    return free + way.held[:, None] * (way.place - free), rotation


def _sinking(model: Model, points: Array, targets: Sequence[tuple[Array, Array]], ways: Sequence[_Way]) -> Array:
    """(F,) m by which the root must go down for all held feet to be within reach."""
    out = np.zeros(len(points))
    for leg, (target, _), way in zip(model.legs, targets, ways):
        hip = points[:, leg.hip]
        length = REACH * _leg_length(model, leg)
        level = np.hypot(*(hip - target)[:, [0, 2]].T)
        most = np.sqrt(np.maximum(length**2 - level**2, (0.3 * length) ** 2))
        out = out + _softly(way.held * (hip[:, 1] - target[:, 1] - most) - out, EASY)
    return out


def _reach(
    model: Model, leg: Leg, posed: tuple[Array, Array, Array], aim: tuple[_Way, tuple[Array, Array]]
) -> None:
    """Turn hip, knee and foot, in place, so that the leg ends at its target."""
    points, world, rotations = posed
    way, (target, rotation) = aim
    parents = model.skeleton.parents
    hinge = quat.rotate(world[:, leg.hip], _hinge(model, leg))
    first, second = two_bone((points[:, leg.hip], points[:, leg.knee], points[:, leg.end]), target, hinge)
    hip = quat.multiply(first, world[:, leg.hip])
    above = quat.multiply(first, world[:, parents[leg.knee]])
    knee = quat.multiply(second, world[:, leg.knee])
    rotations[:, leg.hip] = quat.multiply(quat.conjugate(world[:, parents[leg.hip]]), hip)
    rotations[:, leg.knee] = quat.multiply(quat.conjugate(above), knee)
    if leg.end not in leg.soles:
        shank = knee if parents[leg.end] == leg.knee else quat.multiply(second, world[:, parents[leg.end]])
        rotations[:, leg.end] = quat.multiply(quat.conjugate(shank), rotation)


def _hinge(model: Model, leg: Leg) -> Array:
    """(3,) axis of the bend in the rest pose: that of the rest bend itself, else what the ranges say, else left."""
    rest = model.skeleton.rest_positions()
    upper, lower = rest[leg.knee] - rest[leg.hip], rest[leg.end] - rest[leg.knee]
    bend = np.asarray(model.limits.bend[leg.knee])
    across = np.cross(upper, lower)
    sine = float(np.linalg.norm(across)) / max(float(np.linalg.norm(upper) * np.linalg.norm(lower)), 1e-12)
    axis = across if sine > 0.05 or not bend.any() else bend
    size = float(np.linalg.norm(axis))
    return axis / size if size > 1e-9 else np.array([1.0, 0.0, 0.0])


def _standing(model: Model, leg: Leg, posed: tuple[Array, Array], ground: Terrain) -> Anchor:
    """The end of a leg flat on the ground below where a pose has it."""
    place, rotation = np.array(posed[0]), posed[1]
    place[1] = _height(ground, place) + _standing_height(model, leg)
    if leg.end not in leg.soles:
        rotation = quat.exp(heading_of(rotation) * UP)
    return Anchor(place, rotation)


def _standing_height(model: Model, leg: Leg) -> float:
    """m of the end joint above the ground, of a foot that stands."""
    rest = model.skeleton.rest_positions()[:, 1]
    return float(rest[leg.end] - rest[list(leg.soles)].min())


def _leg_length(model: Model, leg: Leg) -> float:
    rest = model.skeleton.rest_positions()
    return float(np.linalg.norm(rest[leg.knee] - rest[leg.hip]) + np.linalg.norm(rest[leg.end] - rest[leg.knee]))


def _height(ground: Terrain, point: Array) -> float:
    return float(np.asarray(ground.height(point[[0, 2]], point[1])))


def _moved(a: Anchor, b: Anchor) -> bool:
    return float(np.linalg.norm(a.place - b.place)) > 1e-9 or _turned(a, b) > 1e-9


def _turned(a: Anchor, b: Anchor) -> float:
    """rad between two feet."""
    return float(np.linalg.norm(quat.log(quat.multiply(quat.conjugate(a.rotation), b.rotation))))


def _smooth(u: Array, window: tuple[float, float]) -> Array:
    """0 before, 1 after, and a quintic with level ends of slope and curvature in between."""
    t = np.clip((u - window[0]) / max(window[1] - window[0], 1e-9), 0.0, 1.0)
    out: Array = t**3 * (10 - 15 * t + 6 * t * t)
    return out


def _softly(x: Array, soft: float = SOFT) -> Array:
    """max(x, 0) with a rounded corner, a little above it."""
    out: Array = soft * np.logaddexp(0.0, np.clip(x / soft, -200, None))
    return out
