"""Footsteps: where the feet land along a path on real ground.

Tsutsuguchi et al. 2000, figures 17 and 18: the path is cut into steps by the terrain and a default stride, each
foothold on the tread that is there. A step never passes more than one riser; before a riser the steps are evened
out so that the foot arrives on the tread; the last step brings the feet together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import Body
from gambol.errors import GambolError
from gambol.kernels import clamp
from gambol.path import Path, drop
from gambol.terrain import Flat, Terrain

__all__ = [
    "CLOSE", "NONE", "SIDES", "STAND", "TURN", "WALK", "Course", "Edge", "Footstep", "first_feet", "first_side",
    "next_step", "shortened", "step_object", "survey",
]

Array = NDArray[np.float64]
SIDES = {1: "left", -1: "right"}
STAND, WALK, CLOSE, TURN, NONE = range(5)  # kinds of footholds; NONE: the walk is over
GRID = 0.01  # m, spacing of the ground survey along the two foot lines
STEEP = 1.3  # rise over run of a riser: steeper than any slope a person walks
RISER = 0.035  # m, a smaller sudden change is a bump, not a step
HIGHEST = 0.42  # of leg length: a riser that no leg can climb is higher
CUTS, SHARPENED = 16, 4  # parts of a cell, times: to a fifth of a micron
TOE_OUT = 0.10  # rad, feet point outward
MOST_TURNED = np.radians(35)  # on treads shorter than the foot
CARRIED = 0.3  # of the sole on a tread that the foot can stand on
SOLE_POINTS = 25  # of the sole that are looked at for an edge: one a centimetre
SOLE = np.linspace(0.0, 1.0, SOLE_POINTS)
MARGIN = 0.014  # m kept between sole and riser
MOST_SPIN = np.radians(50)  # largest turn of one foot on the spot
MOST_BEND = np.radians(70.0)  # of the path within a step
AWRY = np.radians(30)  # a path that leads away by more from where one stands is turned to on the spot first
NOWAY = 0.03  # m: a path that has no more to go is over
LEAD = 0.040  # of body height: ankle behind the nosing when climbing (people leave the heel near the edge)
EVENED = 6.0  # steps before a stop from which they are evened out
LAST = 0.75  # length of the step before the feet come together, of the usual one
REACH_STEPS = 3.5  # a riser is noticed this many steps ahead


class Edge(NamedTuple):
    """A riser along one foot line, from arc length ``start`` to ``end`` m, going up ``height`` m (down negative)."""

    start: float
    end: float
    height: float


class Course(NamedTuple):
    """Path and ground as the feet meet them."""

    path: Path
    terrain: Terrain
    body: Body
    half_width: float
    stops: tuple[float, ...]  # arc lengths where the walk halts: turns on the spot, and the end
    edges: tuple[tuple[Edge, ...], tuple[Edge, ...]]  # on the left and right foot line

    def lane(self, side: int) -> tuple[Edge, ...]:
        """Risers on the line of a foot, +1 left, -1 right."""
        return self.edges[0 if side > 0 else 1]


class Footstep(NamedTuple):
    """One foothold. ``place`` is the ground point below the ankle of the flat foot."""

    side: int  # +1 left, -1 right
    place: Array  # (3,) m
    centre: Array  # (3,) m, the point of the path beside it, at the foothold's height
    heading: float  # rad, of the path
    yaw: float  # rad, of the foot
    pitch: float  # rad, of the ground along the foot
    roll: float  # rad, of the ground across the foot
    s: float  # m, arc length
    kind: int  # STAND, WALK, CLOSE, TURN
    stair: bool  # a riser lies between this foothold and the one before


def survey(path: Path, terrain: Terrain, body: Body, half_width: float, laps: int = 1) -> Course:
    """Look at the ground along the two foot lines.

    Raises:
        GambolError: where the path leaves the terrain, or a riser is higher than a leg can climb.
    """
    if not isinstance(terrain, Flat):
        path = drop(path, terrain, HIGHEST * body.leg_length)
    end = path.length * (laps if path.closed else 1)
    stops = path.stops(laps)
    if isinstance(terrain, Flat):
        return Course(path, terrain, body, half_width, stops, ((), ()))
    s = np.linspace(0.0, end, max(int(end / GRID), 2) + 1)
    middle = path.point(s)
    aside = half_width * path.left(s)
    left, right = (
        _edges(path, terrain, body, (side * half_width, s, middle + side * aside)) for side in (1, -1)
    )
    return Course(path, terrain, body, half_width, stops, (left, right))


def _edges(path: Path, terrain: Terrain, body: Body, line: tuple[float, Array, Array]) -> tuple[Edge, ...]:
    """Risers along a foot line: m to the left of the path, arc lengths (N,) and points (N, 3)."""
    offset, s, points = line
    y = terrain.height(points[:, [0, 2]], points[:, 1])
    if not np.isfinite(y).all():
        k = int(np.argmin(np.isfinite(y)))
        raise GambolError(
            f"the path leaves the terrain {s[k]:.2f} m along it, near x {points[k, 0]:.2f}, z {points[k, 2]:.2f}",
            where="path",
            do="move the path or enlarge the ground",
        )
    steep = np.abs(np.diff(y)) > STEEP * np.diff(s)
    bounds = np.flatnonzero(np.diff(np.r_[False, steep, False].astype(int)))
    found = []
    for a, b, start, stop in zip(bounds[::2], bounds[1::2], *_sharpened(path, terrain, (offset, s, y), bounds)):
        height = float(y[b] - y[a])
        if abs(height) > HIGHEST * body.leg_length:
            raise GambolError(
                f"a {'rise' if height > 0 else 'drop'} of {abs(height):.2f} m, {s[a]:.2f} m along the path "
                f"(x {points[a, 0]:.2f}, z {points[a, 2]:.2f}), is more than this leg can take",
                where="path",
                allowed=f"at most {HIGHEST * body.leg_length:.2f} m",
                do="lead the path round it",
            )
        if abs(height) > RISER:
            found.append(Edge(float(start), float(stop), height))
    return tuple(found)


def _sharpened(
    path: Path, terrain: Terrain, line: tuple[float, Array, Array], bounds: NDArray[np.int64]
) -> tuple[Array, Array]:
    """Start and end m of risers: a sudden one is sought to a micron, so that equal stairs get equal footholds.

    It then ends at the nosing going up, begins there going down, and is as long as a cell of the survey.
    """
    offset, s, y = line
    a, b = bounds[::2], bounds[1::2]
    low, high, up = s[a], s[b], y[b] > y[a]
    sudden = b == a + 1
    shares = np.arange(1, CUTS) / CUTS
    for _ in range(SHARPENED if sudden.any() else 0):
        part = (high - low) / CUTS
        points = path.place(low[:, None] + (high - low)[:, None] * shares, offset, 0.0)
        here = terrain.height(points[..., [0, 2]], np.broadcast_to(np.maximum(y[a], y[b])[:, None], points.shape[:2]))
        below = np.abs(here - y[a, None]) < np.abs(here - y[b, None])
        low = low + part * np.where(below.all(1), CUTS - 1, np.argmin(below, 1))
        high = low + part
    cell = s[1] - s[0]
    start, stop = np.where(up, high - cell, low), np.where(up, high, low + cell)
    return np.where(sudden, start, s[a]), np.where(sudden, stop, s[b])


def first_side(course: Course) -> int:
    """The foot that swings first, +1 left: the one inside the first bend, else the right one."""
    return 1 if float(course.path.curvature(min(0.5, course.path.length / 2))) > 0.02 else -1


def first_feet(course: Course, first_swing: int) -> tuple[Footstep, Footstep]:
    """Both feet side by side at the start; the first of the pair is the one that will swing first."""
    return _foothold(course, first_swing, 0.0, STAND, False), _foothold(
        course, -first_swing, 0.0, STAND, False
    )


def next_step(course: Course, rear: Footstep, front: Footstep, length: float) -> Footstep | None:
    """The foothold after ``front``, for a default step of ``length`` m; None where the walk is over."""
    side = -front.side
    gone = front.s + (NOWAY if front.kind in (TURN, CLOSE) else 1e-6)
    stop = next((e for e in course.stops if e > gone), None)
    standing = front.kind != WALK
    at_stop = any(abs(front.s - e) < 1e-6 for e in course.stops)
    if at_stop and not standing:
        return _beside(course, side, front, CLOSE, front.heading)
    if at_stop and front.kind == CLOSE or front.kind in (TURN, STAND):
        if stop is None and front.kind == CLOSE:
            return None
        after = course.path.heading(front.s + 1e-4)
        turn = float((after - front.heading + np.pi) % (2 * np.pi) - np.pi)
        if abs(turn) > (AWRY if front.kind == STAND else 1e-3):
            step = clamp(turn, -MOST_SPIN, MOST_SPIN)
            return _beside(course, side, front, TURN, front.heading + step)
        if stop is None:
            return _beside(course, side, front, CLOSE, front.heading)
    if stop is None:
        return None
    s, stair, tread = _advance(course, side, rear, front, (length * 0.8 if standing else length, stop))
    bend = abs(float(course.path.heading(s - 1e-4) - course.path.heading(front.s + 1e-4)))  # not the jumps of turns
    if not stair and bend > MOST_BEND:  # a tight corner is taken in shorter steps
        s = front.s + (s - front.s) * MOST_BEND / bend
    foot = _foothold(course, side, s, WALK, stair)
    # after a turn on the spot the path's heading may be whole turns away from the body's
    spin = 2 * np.pi * round((front.heading - foot.heading) / (2 * np.pi))
    foot = foot._replace(heading=foot.heading + spin, yaw=foot.yaw + spin)
    turned = _turned(tread, course.body)
    if turned > TOE_OUT:
        foot = _set_down(course, foot._replace(yaw=foot.heading + side * turned))
    return foot._replace(stair=stair and abs(foot.centre[1] - front.centre[1]) > RISER)


def _advance(
    course: Course, side: int, rear: Footstep, front: Footstep, ask: tuple[float, float]
) -> tuple[float, bool, float]:
    """Arc length of the next foothold, whether a riser is passed, and the length of its tread (m, going down)."""
    length, stop = ask
    body = course.body
    heel, tip = (x * body.foot_length for x in body.foot_shares)
    here = rear.s if rear.kind != TURN else front.s
    toes = 0.8 * tip  # a riser behind this part of the sole has been taken, also where the heel hangs over
    ahead = [e for e in course.lane(side) if e.end > here + toes]
    # risers that the stance foot has already taken lead this foot to the stance foot's own tread
    taken = [e for e in course.lane(-side) if e.end <= front.s + toes]
    passed = [e for e in course.lane(side) if e.end <= here + toes]
    level = min(max(len(taken) - len(passed), 0), len(ahead))
    goal = ahead[level] if level < len(ahead) else None
    after = ahead[level + 1] if level + 1 < len(ahead) else None
    remaining = stop - front.s
    if goal is None or goal.start > front.s + REACH_STEPS * length + tip:
        # near the end the steps are evened out, none much longer than asked for, and the last one is shorter
        steps = max(int(np.ceil(remaining / length - 0.12 + 1 - LAST)), 1)
        evened = remaining if steps == 1 else remaining / (steps - 1 + LAST)
        s = front.s + (length if remaining > EVENED * length else evened)
        if goal is not None and s + tip > goal.start - MARGIN:
            s = goal.start - MARGIN - tip
        if level:
            s = max(
                s,
                ahead[level - 1].end + (heel + MARGIN if ahead[level - 1].height < 0 else LEAD * body.height),
            )
        return min(s, stop), level > 0, np.inf
    tread_length = np.inf if after is None else after.start - goal.end
    sole = body.foot_length * (np.cos(_turned(tread_length, body)) if goal.height < 0 else 1.0)
    heel, tip = (x * sole for x in body.foot_shares)
    room = min(tread_length - sole, 0.06)
    low = goal.end + (LEAD * body.height if goal.height > 0 else heel + max(min(room / 2, 0.03), 0.0))
    high = np.inf if after is None else after.start - tip - MARGIN
    tread = min(low, high) if goal.height > 0 else low
    if tread > stop:
        tread = max(stop, goal.end)
    distance = tread - front.s
    steps = max(int(np.ceil(distance / length - 0.12)), 1)  # rather shorter than longer
    if steps == 1 or distance / steps < body.foot_length + 2 * MARGIN and distance < 1.3 * length:
        roomy = after is None or after.start - goal.end > length
        s = clamp(front.s + length, low, max(high, low)) if roomy and goal.height < 0 else tread
        return min(s, stop), True, tread_length if goal.height < 0 else np.inf
    s = front.s + distance / steps
    if s + tip > goal.start - MARGIN:
        s = goal.start - MARGIN - tip
    return s, level > 0, np.inf


def _turned(tread: float, body: Body) -> float:
    """How far a foot turns out (rad) so that the whole sole is on a short tread going down."""
    share = (tread - 2 * MARGIN) / body.foot_length
    return TOE_OUT if share >= np.cos(TOE_OUT) else float(np.arccos(max(share, np.cos(MOST_TURNED))))


def _beside(course: Course, side: int, front: Footstep, kind: int, heading: float) -> Footstep:
    """A foothold beside ``front``, about the same point of the path, with its own heading."""
    return _foothold(course, side, front.s, kind, False, heading)


def _foothold(
    course: Course,
    side: int,
    s: float,
    kind: int,
    stair: bool,
    heading: float | None = None,
) -> Footstep:
    path = course.path
    if heading is None:
        at = s + 1e-4 if kind == STAND else s - 1e-4 if any(abs(s - e) < 1e-6 for e in course.stops) else s
        heading = float(path.heading(max(at, 0.0)))
    point = np.asarray(path.point(s), float)
    left = np.array([np.cos(heading), 0.0, -np.sin(heading)])
    place = point + side * course.half_width * left
    centre = np.array([point[0], place[1], point[2]])
    foot = Footstep(side, place, centre, heading, heading + side * TOE_OUT, 0.0, 0.0, float(s), kind, stair)
    return _set_down(course, foot)


def _set_down(course: Course, foot: Footstep) -> Footstep:
    """The foothold on the ground that is there."""
    y, pitch, roll = _touch(course, foot.place, foot.yaw)
    place, centre = foot.place.copy(), foot.centre.copy()
    place[1] = centre[1] = y
    return foot._replace(place=place, centre=centre, pitch=pitch, roll=roll)


def _touch(course: Course, place: Array, yaw: float) -> tuple[float, float, float]:
    """Ground below the ankle, and its pitch and roll, such that heel and toe tip both touch; flat where an edge is."""
    if isinstance(course.terrain, Flat):
        return float(course.terrain.y), 0.0, 0.0
    heel, tip = (x * course.body.foot_length for x in course.body.foot_shares)
    f = np.array([np.sin(yaw), np.cos(yaw)])
    left = np.array([f[1], -f[0]])
    pitch = 0.0
    xz, near = np.empty((SOLE_POINTS + 3, 2)), np.full(SOLE_POINTS + 3, place[1])
    xz[SOLE_POINTS:] = place[[0, 2]] + np.array([0.03 * left, -0.03 * left, 0 * f])
    for _ in range(3):
        along = (-heel + (heel + tip) * SOLE) * np.cos(pitch)
        xz[:SOLE_POINTS] = place[[0, 2]] + along[:, None] * f
        y = course.terrain.height(xz, near)
        if y.min() == y.max():  # as on most treads
            return float(y[0]), 0.0, 0.0
        under, across, middle = y[:SOLE_POINTS], y[SOLE_POINTS:-1], float(y[-1])
        if not np.isfinite(middle):
            raise GambolError(
                f"no ground under a foothold at x {place[0]:.2f}, z {place[2]:.2f}",
                where="footsteps",
                do="move the path away from the rim of the ground",
            )
        if not np.isfinite(y).all() or np.abs(np.diff(under)).max() > STEEP * (along[1] - along[0]):
            return _resting(under), 0.0, 0.0
        before, pitch = pitch, float(np.arctan2(under[-1] - under[0], along[-1] - along[0]))
        if pitch == before:  # level
            break
    roll = float(np.arctan2(across[0] - across[1], 0.06))
    ankle = under[0] + (under[-1] - under[0]) * heel / (heel + tip)
    return float(ankle), pitch, roll if abs(roll) < 0.5 else 0.0


def _resting(under: Array) -> float:
    """The highest level m that carries a good part of the sole; ``under`` (N,) is the ground below it."""
    levels = np.sort(under[np.isfinite(under)])[::-1]
    carried = [float(y) for y in levels if (np.abs(levels - y) < 0.01).sum() >= CARRIED * len(under)]
    return carried[0] if carried else float(np.median(levels))


def shortened(length: float, front: Footstep) -> float:
    """m of a step of ``length`` from a foot that stands on a slope: 6 % less for each tenth of a radian."""
    return length * clamp(1 - 0.6 * abs(front.pitch), 0.6, 1.0)


def step_object(before: Footstep, here: Footstep, after: Footstep, step_time: float) -> dict[str, object]:
    """The paper's step object [M, T, w_prev, h_prev, w, h, alpha] and its mode (section 1.8, figures 17, 18)."""
    d0, d1 = here.centre - before.centre, after.centre - here.centre
    w0, w1 = float(np.hypot(d0[0], d0[2])), float(np.hypot(d1[0], d1[2]))
    alpha = float((after.heading - here.heading + np.pi) % (2 * np.pi) - np.pi)
    mode = "up" if d1[1] > RISER else "down" if d1[1] < -RISER else "level"
    turn = "left" if alpha > 0.02 else "right" if alpha < -0.02 else "straight"
    return {
        "M": "left" if here.side > 0 else "right",
        "T": step_time,
        "w_prev": w0,
        "h_prev": float(d0[1]),
        "w": w1,
        "h": float(d1[1]),
        "alpha_deg": float(np.degrees(alpha)),
        "mode": f"{mode}, {turn}",
    }
