"""Feet put on the ground: every planted sole point at one place, no sole below the ground, no bone longer.

Anchors are where the sole points are planted, on the ground. While heel and tip are both planted the foot lies flat
between its anchors; while one is, the foot turns about it as in the source; in between, what was changed is carried
over smoothly (C1). The root follows the mean change of the feet, and sinks where a leg would not reach. The legs
are solved in closed form (:func:`gambol.ik.two_bone`), so bone lengths stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol import quat
from gambol.feet import CONTACT_GAP, Stance, contacts_from_motion, footfalls, ground_heights, ground_normals, stances
from gambol.ik import frame_along
from gambol.legs import Foot, aim_leg, feet_of
from gambol.midway import held_midway
from gambol.motion import Motion
from gambol.roles import Roles
from gambol.skeleton import Skeleton, forward_kinematics

if TYPE_CHECKING:
    from gambol.terrain import Terrain

__all__ = ["plant"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
FADE = 0.35  # s over which a change fades where no other follows
EASE = 0.12  # s within which a foot that leaves its anchor is let go
FOLLOW = 0.12  # s, of the Gaussian with which the root follows the feet
SINK = 0.10  # s to both sides over which the root sinks for a leg that does not reach
REACH = 0.9995  # of the leg: longer only where the source is
STEP = 0.03  # m between heel and tip that is an edge, not a slope
LEVEL, STANDING = 0.05, np.cos(np.radians(12.0))  # of the sole; a foot that rests so level stands at rest
ROUNDS = 5
SWITCH = 0.05  # s
LYING = np.radians(4.0)
ASTRAY = 0.3  # of the leg
LACKING, EDGE = 0.002, 0.25  # of the leg; of a contact: what may be let go at either end
HELD = 2e-4  # m within which a planted point is at its anchor


class _Way(NamedTuple):
    """A foot through the clip: ankle (F, 3), foot in the world (F, 4), toes in the foot (F, 4)."""

    ankle: Array
    foot: Array
    toes: Array


def plant(motion: Motion, roles: Roles, contacts: ArrayLike | None = None, terrain: Terrain | None = None) -> Motion:
    """The motion with planted feet.

    Args:
        motion: F frames of a skeleton with sole points (:func:`gambol.soles.soled` adds them).
        roles: which joint is what.
        contacts: ``(F, S)`` which sole points shall be planted; by default the record of the motion, else
            :func:`gambol.feet.footfalls`.
        terrain: the ground; level at 0 if None.

    Returns:
        The motion; its contacts are those that hold: planted points stay within 0.2 mm of one place on the ground,
        or within half of what they would slide between frames, where that is more.

    Raises:
        GambolError: a leg or a sole point is missing.
    """
    feet = feet_of(motion.skeleton, roles)
    if contacts is None:
        contacts = motion.contacts if motion.contacts is not None else footfalls(motion)
    on = np.array(contacts, bool)
    if len(motion) == 0:
        return motion
    on = _within_reach(motion, feet, (_lying(motion, feet, on), terrain))
    for _ in range(ROUNDS):  # what stands still on the ground beside a contact belongs to it, and is held as well
        out, kept = _planted(motion, roles, feet, (on, terrain))
        still = contacts_from_motion(out, terrain)
        if not (still & ~on).any():
            break
        on = on | still
    out = held_midway(out, feet, kept | still, (terrain, roles.facing))
    return replace(out, contacts=kept | still)


def _planted(
    motion: Motion, roles: Roles, feet: Sequence[Foot], ask: tuple[Bools, Terrain | None]
) -> tuple[Motion, Bools]:
    """The motion planted as asked, and the contacts that hold."""
    on, terrain = ask
    positions, world = forward_kinematics(motion.skeleton, motion.root, motion.rotations)
    ways, anchors = _ways(motion, feet, (positions, world), ask)
    shift = _followed(feet, ways, (positions, on), motion.fps)
    shift[:, 1] -= _sinking(_short(feet, ways, positions, shift).max(0), motion.fps)
    rotations = np.array(motion.rotations)
    for foot, way in zip(feet, ways):
        aim_leg(rotations, foot, way, (motion.skeleton, positions + shift[:, None], world), roles.facing)
    out = replace(motion, root=motion.root + shift, rotations=rotations, contacts=None)
    return out, _kept(out, on, feet, anchors, terrain)


def _ways(
    motion: Motion, feet: Sequence[Foot], pose: tuple[Array, Array], ask: tuple[Bools, Terrain | None]
) -> tuple[list[_Way], list[Array]]:
    """The way of each foot, and its anchors."""
    (positions, world), (on, terrain) = pose, ask
    ways, anchors = [], []
    for foot in feet:
        source = _way(foot, positions, world)
        sole = _stood(motion.skeleton, foot, source, np.asarray(on[:, list(foot.columns)].all(1)))
        held = _anchors(foot, (positions, on), float(np.linalg.norm(sole[2] - sole[0])), terrain)
        ways.append(_led(sole, source, held, motion.fps, terrain))
        anchors.append(held)
    return ways, anchors


def _lying(motion: Motion, feet: Sequence[Foot], on: Bools) -> Bools:
    """The contacts without heels that are rising already, and tips that are not down yet, while the other stands.

    Where a foot begins or ceases to lie flat, one end of it is slow for a moment longer than it lies: holding it
    would bend the ankle back and let it go with a snap.
    """
    out, positions = np.array(on), motion.positions()
    for foot in feet:
        along = positions[:, foot.tip] - positions[:, foot.heel]
        pitch = np.arcsin(np.clip(along[:, 1] / np.linalg.norm(along, axis=1), -1.0, 1.0))
        for _, first, end in stances(np.asarray(on[:, list(foot.columns)].all(1))[:, None]):
            off = pitch - np.median(pitch[first:end])
            lying = np.flatnonzero(np.abs(off[first:end]) < LYING)
            for part in (slice(first, first + lying[0]), slice(first + lying[-1] + 1, end)):
                out[part, foot.columns[0]] &= off[part] > -LYING
                out[part, foot.columns[1]] &= off[part] < LYING
        heel, tip = (out[:, c] for c in foot.columns)
        room = round(SWITCH * motion.fps)
        switch = (heel[:-1] & tip[1:] | tip[:-1] & heel[1:]) & ~(heel & tip)[:-1] & ~(heel & tip)[1:]
        for k in np.flatnonzero(switch & (heel[:-1] != heel[1:])):  # from one end onto the other with no time for it
            out[max(k + 1 - room, 0) : k + 1 + room, list(foot.columns)] = False
    return out


def _within_reach(motion: Motion, feet: Sequence[Foot], ask: tuple[Bools, Terrain | None]) -> Bools:
    """The contacts without the frames at their beginning and end in which the leg is too short for them.

    A foot that is leaving, or not quite there, is let go before the body would have to sink for it.
    """
    on = np.array(ask[0])
    positions, world = forward_kinematics(motion.skeleton, motion.root, motion.rotations)
    ways, _ = _ways(motion, feet, (positions, world), ask)
    short = _short(feet, ways, positions, _followed(feet, ways, (positions, on), motion.fps))
    for foot, way, lack in zip(feet, ways, short):
        leg = np.linalg.norm(positions[0, foot.knee] - positions[0, foot.hip])
        leg += np.linalg.norm(positions[0, foot.ankle] - positions[0, foot.knee])
        columns = list(foot.columns)
        astray = np.linalg.norm((way.ankle - positions[:, foot.ankle])[:, [0, 2]], axis=1) > ASTRAY * leg
        for column in columns:  # a foot that pivots on one end after the other may be led far from its place
            for _, first, end in stances(on[:, [column]]):
                if astray[first:end].any():
                    on[first:end, column] = False
        for _, first, end in stances(np.asarray(on[:, columns].any(1))[:, None]):
            far = lack[first:end] > LACKING * leg
            most = int(EDGE * (end - first))
            begin = int(np.argmin(far)) if not far.all() else len(far)
            after = int(np.argmin(far[::-1])) if not far.all() else len(far)
            begin, after = (n if n <= most else 0 for n in (begin, after))
            on[first : first + (begin if first > 0 else 0), columns] = False
            on[end - (after if end < len(on) else 0) : end, columns] = False
    return on


def _way(foot: Foot, positions: Array, world: Array) -> _Way:
    toes = np.broadcast_to(quat.IDENTITY, world[:, foot.ankle].shape)
    if foot.toes >= 0:
        toes = quat.multiply(quat.conjugate(world[:, foot.ankle]), world[:, foot.toes])
    return _Way(positions[:, foot.ankle], world[:, foot.ankle], np.asarray(toes))


def _stood(skeleton: Skeleton, foot: Foot, source: _Way, both: Bools) -> tuple[Array, Array, Array, Array]:
    """The foot as it stands flat: heel, ball and tip (3,) m from the ankle, and the toes in the foot (4,).

    The ball is where the toes bend; the ankle where there are no toes.
    """
    rest = skeleton.rest_positions()
    ball = (rest[foot.toes] if foot.toes >= 0 else rest[foot.ankle]) - rest[foot.ankle]
    tip = rest[foot.tip] - rest[foot.ankle]
    toes = quat.mean(source.toes[both]) if both.any() else quat.IDENTITY
    return rest[foot.heel] - rest[foot.ankle], ball, ball + quat.rotate(toes, tip - ball), toes


# Anchors


def _anchors(foot: Foot, clip: tuple[Array, Bools], length: float, terrain: Terrain | None) -> Array:
    """``(F, 2, 3)`` m where heel and tip are planted, NaN while they are not.

    Every unbroken contact of a point has one anchor; the anchors of contacts that overlap are a sole's length apart.
    """
    positions, on = clip
    points = positions[:, [foot.heel, foot.tip]]
    found = stances(on[:, list(foot.columns)])
    heels, tips = ([s for s in found if s.sole == c] for c in (0, 1))
    pairs = [(h, t) for h in heels for t in tips if h.first < t.end and t.first < h.end]
    lone = [(s, s) for s in found if not any(s in p for p in pairs)]
    places: dict[Stance, Array] = {}
    level: float | None = None  # of the anchor before over its place in the source: tells one floor from another
    for h, t in sorted([*pairs, *lone], key=lambda p: (max(p[0].first, p[1].first), p[0].sole)):
        both = slice(max(h.first, t.first), min(h.end, t.end))
        heel, tip = points[both, h.sole].mean(0), points[both, t.sole].mean(0)
        rise = np.array([0.0, level or 0.0, 0.0])
        if h == t:
            places[h] = _on_ground(heel + rise, terrain)
        elif h in places:
            places[t] = _apart(places[h], tip - heel, length, terrain)
        elif t in places:
            places[h] = _apart(places[t], heel - tip, length, terrain)
        else:
            places[h], places[t] = _foothold((heel + rise, tip + rise), length, terrain)
        level = float(places[h][1] - heel[1])
    out = np.full((len(positions), 2, 3), np.nan)
    for s, place in places.items():
        out[s.first : s.end, s.sole] = place
    return out


def _on_ground(point: Array, terrain: Terrain | None) -> Array:
    """The place on the ground above or below a point; the point itself where there is no ground."""
    height = float(ground_heights(point, terrain))
    return np.array([point[0], height if np.isfinite(height) else point[1], point[2]])


def _apart(fixed: Array, way: Array, length: float, terrain: Terrain | None) -> Array:
    """The place on the ground that is ``length`` m from a fixed one in the level direction ``way``."""
    level = way * [1.0, 0.0, 1.0]
    level = level / max(float(np.linalg.norm(level)), 1e-9)
    run = length
    for _ in range(6):
        place = _on_ground(fixed + run * level, terrain)
        if abs(place[1] - fixed[1]) > max(STEP, 0.7 * run):  # over an edge
            place[1] = fixed[1]
        run = float(np.sqrt(max(length**2 - (place[1] - fixed[1]) ** 2, 0.0)))
    place = fixed + run * level + [0.0, place[1] - fixed[1], 0.0]
    return np.asarray(fixed + (place - fixed) * (length / np.linalg.norm(place - fixed)))


def _foothold(sole: tuple[Array, Array], length: float, terrain: Terrain | None) -> tuple[Array, Array]:
    """Heel and tip on the ground nearest to where they are; moved along the foot where an edge lies between them."""
    heel, tip = sole
    way = (tip - heel) * [1.0, 0.0, 1.0]
    way = way / max(float(np.linalg.norm(way)), 1e-9)
    start = (heel + tip) / 2 - way * length / 2
    best: tuple[Array, Array] | None = None
    for by in (0.0, *(s * 0.01 * k for k in range(1, 21) for s in (1, -1))):
        a = _on_ground(start + by * way, terrain)
        b = _on_ground(start + (by + length) * way, terrain)
        if abs(a[1] - b[1]) < STEP or _sloping(a, b, terrain):
            return a, _apart(a, way, length, terrain)
        if best is None:
            a[1] = b[1] = max(a[1], b[1])
            best = a, b
    assert best is not None
    return best


def _sloping(a: Array, b: Array, terrain: Terrain | None) -> bool:
    """Whether the ground between two places is one slope."""
    middle = _on_ground((a + b) / 2, terrain)
    normal = np.asarray(ground_normals(middle, terrain))
    straight = abs(float(middle[1] - (a[1] + b[1]) / 2)) < STEP / 2
    return straight and abs(float(normal @ (b - a))) < STEP


# The foot between its anchors


def _led(
    sole: tuple[Array, Array, Array, Array], source: _Way, held: Array, fps: float, terrain: Terrain | None
) -> _Way:
    """The way of a foot that is planted at its anchors and goes on as in the source otherwise."""
    heel, ball, tip, stood = sole
    heel_on, tip_on = (np.isfinite(held[:, k, 0]) for k in (0, 1))
    both = heel_on & tip_on
    flat = np.array(source.foot)
    if both.any():
        flat[both] = _flat(held[both], (heel, tip), source.foot[both], terrain)
    turn = quat.log(quat.multiply(flat, quat.conjugate(source.foot)))
    turned = quat.multiply(quat.exp(_bridge(turn, both, fps)), source.foot)
    bend = quat.log(quat.multiply(stood, quat.conjugate(source.toes)))
    toes = quat.multiply(quat.exp(_bridge(bend, both, fps)), source.toes)
    tip = ball + quat.rotate(quat.conjugate(stood), tip - ball)  # with the toes at rest
    # From here on the offsets of the two points follow the turned foot.
    turned, heel_at, tip_at = _raised((heel, ball, tip), (turned, toes), held, terrain)
    ankle = np.where(heel_on[:, None], held[:, 0] - heel_at, held[:, 1] - tip_at)
    step = np.where((heel_on | tip_on)[:, None], ankle - source.ankle, 0.0)
    ankle = source.ankle + _bridge(step, heel_on | tip_on, fps)
    free = ~(heel_on | tip_on)
    if free.any():
        points = np.stack([ankle + heel_at, ankle + tip_at, ankle + quat.rotate(turned, ball)], 1)[free]
        over = points[..., 1] - ground_heights(points + [0.0, 0.05, 0.0], terrain)
        ankle[free, 1] += np.maximum(-np.nan_to_num(over, nan=0.0).min(1), 0.0)
    return _Way(ankle, turned, toes)


def _flat(held: Array, sole: tuple[Array, Array], now: Array, terrain: Terrain | None) -> Array:
    """(n, 4) the foot that lies with heel and tip at their anchors, upright as the ground is, else as it was."""
    heel, tip = sole
    along = held[:, 1] - held[:, 0]
    up = ground_normals(held.mean(1), terrain)
    up = np.where(up[:, 1:2] > np.sqrt(0.5), up, [0.0, 1.0, 0.0])
    rest_up = np.median(quat.rotate(quat.conjugate(now), up), axis=0)
    level = abs(tip[1] - heel[1]) < LEVEL * np.linalg.norm(tip - heel)
    if level and rest_up[1] > STANDING * np.linalg.norm(rest_up):
        rest_up = np.array([0.0, 1.0, 0.0])  # the rest pose stands: it knows best where the sole is
    across = np.cross(rest_up, tip - heel)
    return quat.multiply(
        frame_along(along, np.cross(up, along)), quat.conjugate(frame_along(tip - heel, across))
    )


def _raised(
    sole: tuple[Array, Array, Array], pose: tuple[Array, Array], held: Array, terrain: Terrain | None
) -> tuple[Array, Array, Array]:
    """The foot turned about the one point that is planted, so that the other is not in the ground.

    Returns:
        foot (F, 4), and heel and tip (F, 3) from the ankle.
    """
    heel, ball, tip = sole
    foot, toes = np.array(pose[0]), pose[1]
    in_tip = ball + quat.rotate(toes, tip - ball)
    heel_at, tip_at = quat.rotate(foot, heel), quat.rotate(foot, in_tip)
    on = np.isfinite(held[..., 0])
    for this, points in ((0, (heel_at, tip_at)), (1, (tip_at, heel_at))):
        alone = np.flatnonzero(on[:, this] & ~on[:, 1 - this])
        if not len(alone):
            continue
        for _ in range(3):
            spoke = points[1][alone] - points[0][alone]
            other = held[alone, this] + spoke
            under = ground_heights(other + [0.0, 0.05, 0.0], terrain) - other[:, 1]
            under = np.where(np.isfinite(under), np.maximum(under, 0.0), 0.0)
            level = np.maximum(np.hypot(spoke[:, 0], spoke[:, 2]), 1e-6)
            axis = np.stack([-spoke[:, 2], np.zeros(len(alone)), spoke[:, 0]], -1) / level[:, None]
            far = np.maximum(np.linalg.norm(spoke, axis=1), 1e-9)
            now, wanted = (np.arcsin(np.clip(y / far, -1.0, 1.0)) for y in (spoke[:, 1], spoke[:, 1] + under + 1e-7))
            lift = quat.from_axis_angle(axis, np.where(under > 0, wanted - now, 0.0))
            foot[alone] = quat.multiply(lift, foot[alone])
            heel_at[alone], tip_at[alone] = quat.rotate(foot[alone], heel), quat.rotate(foot[alone], in_tip[alone])
    return foot, heel_at, tip_at


def _bridge(values: Array, fixed: Bools, fps: float) -> Array:
    """``values`` (F, D) where they are fixed, and in between carried over smoothly, with no jump in speed.

    Over long gaps, and before the first and after the last fixed frame, they fade to 0.
    """
    out = np.where(fixed[:, None], values, 0.0)
    ends = np.flatnonzero(np.diff(~fixed, prepend=False, append=False)).reshape(-1, 2)
    for a, b in ends:
        left, right = a > 0, b < len(values)
        t = (np.arange(a, b) - (a - 1)) / fps
        whole = (b - (a - 1)) / fps
        u = whole - t
        part = np.zeros((b - a, values.shape[1]))
        span = whole if left and right and whole < 2 * FADE else FADE
        if left:
            slope = (values[a - 1] - values[a - 2]) * fps if a > 1 and fixed[a - 2] else 0.0
            part += values[a - 1] * _fade(t, span) + slope * _bump(t, min(whole / 2, EASE))
        if right:
            slope = (values[b + 1] - values[b]) * fps if b + 1 < len(values) and fixed[b + 1] else 0.0
            part += values[b] * _fade(u, span) - slope * _bump(u, min(whole / 2, EASE))
        out[a:b] = part
    return out


def _fade(t: Array, span: float) -> Array:
    """(n, 1) from 1 at 0 to 0 at ``span``, level at both ends."""
    x = np.clip(t / span, 0.0, 1.0)
    return np.asarray(1 - x * x * (3 - 2 * x))[:, None]


def _bump(t: Array, span: float) -> Array:
    """(n, 1) s: begins with slope 1 and is over, with slope 0, after ``span`` s."""
    x = np.clip(t / span, 0.0, 1.0)
    return np.asarray(t * (1 - x) ** 2)[:, None]


# The root and the legs


def _followed(feet: Sequence[Foot], ways: Sequence[_Way], clip: tuple[Array, Bools], fps: float) -> Array:
    """(F, 3) m that the root follows the feet: the mean change of those that are planted, smooth in time."""
    positions, on = clip
    moved = np.stack([w.ankle - positions[:, f.ankle] for w, f in zip(ways, feet)])
    weight = np.stack([on[:, list(f.columns)].any(1) for f in feet])[..., None] + 1e-3
    sums = _smooth((moved * weight).sum(0), FOLLOW * fps), _smooth(weight.sum(0), FOLLOW * fps)
    return np.asarray(sums[0] / sums[1])


def _short(feet: Sequence[Foot], ways: Sequence[_Way], positions: Array, shift: Array) -> Array:
    """(feet, F) m that the root would have to sink for each leg to reach; 0 where it does."""
    out = np.zeros((len(feet), len(positions)))
    for k, (foot, way) in enumerate(zip(feet, ways)):
        bones = [positions[:, b] - positions[:, a] for a, b in ((foot.hip, foot.knee), (foot.knee, foot.ankle))]
        full = sum(np.linalg.norm(v, axis=1) for v in bones)
        was = np.linalg.norm(positions[:, foot.ankle] - positions[:, foot.hip], axis=1)
        limit = np.minimum(np.maximum(was, REACH * full), full * (1 - 1e-9))
        to = way.ankle - positions[:, foot.hip] - shift
        level = np.hypot(to[:, 0], to[:, 2])
        out[k] = np.maximum(-to[:, 1] - np.sqrt(np.maximum(limit**2 - level**2, 0.0)), 0.0)
    return out


def _sinking(need: Array, fps: float) -> Array:
    """(F,) m that the root sinks, at least ``need`` (F,), smooth in time."""
    if need.max(initial=0.0) < 1e-9:
        return np.zeros(len(need))
    k = max(round(SINK * fps / 2), 1)
    wide = np.max(np.lib.stride_tricks.sliding_window_view(np.pad(need, 2 * k, mode="edge"), 4 * k + 1), axis=1)
    for _ in range(2):  # two means over k to both sides see only frames where `wide` is at least the need
        wide = np.lib.stride_tricks.sliding_window_view(np.pad(wide, k, mode="edge"), 2 * k + 1).mean(1)
    return np.asarray(wide)


def _smooth(values: Array, sigma: float) -> Array:
    """Gaussian mean over frames of (F, D), the ends held."""
    half = int(np.ceil(3 * sigma))
    if half < 1:
        return np.array(values)
    weights = np.exp(-0.5 * (np.arange(-half, half + 1) / sigma) ** 2)
    padded = np.pad(values, ((half, half), (0, 0)), "edge")
    near = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1, axis=0)
    return np.asarray(near @ (weights / weights.sum()))


def _kept(
    motion: Motion, on: Bools, feet: Sequence[Foot], anchors: Sequence[Array], terrain: Terrain | None
) -> Bools:
    """The contacts that hold: at the anchor, and on the ground where it is known."""
    positions = motion.positions()
    out = np.array(on)
    for foot, held in zip(feet, anchors):
        for k, (joint, column) in enumerate(zip((foot.heel, foot.tip), foot.columns)):
            at = positions[:, joint]
            off = np.linalg.norm(at - held[:, k], axis=1)
            over = np.abs(at[:, 1] - ground_heights(at + [0.0, 0.02, 0.0], terrain))
            out[:, column] &= (np.nan_to_num(off, nan=1.0) < HELD) & (np.nan_to_num(over, nan=0.0) < CONTACT_GAP)
    return out
