"""Where a runner lands next: the velocity of flight, the foothold, and how high the body then is.

At landing and at toe-off the leg has a wanted knee, so the hip is on a circle about the ankle, and between the two it
moves by what the bounce says: the two circles say where the foot comes down and how high the body is, on any ground.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import G
from gambol.errors import GambolError
from gambol.flight import LATE_PUSH
from gambol.footsteps import WALK, Footstep, _set_down
from gambol.kernels import clamp
from gambol.roll import Roll, roll_pitch, sole_ankle
from gambol.run_figure import BANK
from gambol.run_habits import brake_of, landing_fall, landing_roll, shape_of, staying_roll
from gambol.run_laws import CENTROID_GAIN, RunPace
from gambol.runner import Runner, RunScene
from gambol.terrain import Flat

__all__ = ["Aim", "Landing", "advance_of", "circles", "hips_of", "leg_of", "look_ahead", "towards_edges"]

Array = NDArray[np.float64]
SWAY = 0.0125  # sideways velocity of flight over g T: C goes 5 mm to each side
PLACED = (0.15, 0.3)  # of the leg length times acceleration over g, that a foot lands further back: faster, slower
BEFORE = 0.30  # of the leg length, that a foot lands ahead of the hip where a walk begins
SOFTER = 1.5  # times the slope that the knee of the last landing is bent more, downhill
CLEAR_OF = 0.015, 0.05, 0.14  # m from a sole to a riser before it, and behind it: up, and down, where it comes in low
SEEN, HASTE = 3, 0.15  # steps before a riser that are made longer or shorter, by this share at most
FURTHER = 0.5  # of a step, that the way of flight is aimed beyond the middle of the next contact
RISING = 0.03  # m that C is higher from one landing to the next, at most, for a leg of 0.93 m
SLOPE_BOUNCE = 0.8  # of the climbing speed that the landing velocity has


class Aim(NamedTuple):
    """What a step is to lead to."""

    pace: RunPace  # of the step after
    speed: float  # m/s of C while it flies to the next landing
    gain: float = 0.0  # m/s faster in the flight after that
    lean: float = 0.0  # rad more than usual, of speeding up
    last: float | None = None  # m along the path where the foot comes down to stop, if it does
    walks: bool = False  # the landing leads into a walk


class Landing(NamedTuple):
    """Where C will be at the next landing, seen from above, and the next foothold."""

    c: Array
    v: Array
    s: float
    yaw: float
    yaw_rate: float
    foot: Footstep
    roll: Roll
    fall: float
    bank: float


def advance_of(w: Runner, speed: float, scene: RunScene) -> float:
    """m that C moves forward in the step from ``w`` when it then flies at ``speed`` m/s."""
    pace = w.pace
    push = LATE_PUSH if w.kind == "stand" else shape_of(pace, scene)
    lever = pace.contact * (1 - push.centroid) + pace.flight
    forward = np.array([np.sin(w.yaw), 0.0, np.cos(w.yaw)])
    brake = brake_of(pace, scene) * G * pace.contact**2 / (2 * np.pi)
    return float(w.v @ forward) * (pace.step_time - lever) + speed * lever - brake


def circles(landing: float, leaving: float, ahead: float, up: float) -> tuple[float, float]:
    """Hip over the landing ankle: how far the ankle is ahead of it, and how far below, m.

    Args:
        landing: m from hip to ankle at landing.
        leaving: and at toe-off.
        ahead: m that the hip moves forward meanwhile, less what the ankle does.
        up: and upward.

    Raises:
        GambolError: where the leg is too short for so long a contact.
    """
    d = math.hypot(ahead, up)
    if not abs(landing - leaving) < d < landing + leaving:
        raise GambolError(
            f"the foot would stay on the ground for {ahead:.2f} m of the way, more than the leg can pass over",
            where="run", allowed=f"less than {landing + leaving:.2f} m", do="take quicker steps, or fly longer",
        )
    a = (landing**2 - leaving**2 + d * d) / (2 * d)
    h = math.sqrt(max(landing**2 - a * a, 0.0))
    return (a * ahead + h * up) / d, (h * ahead - a * up) / d


def leg_of(knee: float, scene: RunScene) -> float:
    """m from hip to ankle for a knee bent by so much (rad)."""
    a, b = scene.figure.thigh, scene.figure.shank
    return math.sqrt(a * a + b * b + 2 * a * b * math.cos(knee))


def _ankle(t: float, roll: Roll, scene: RunScene) -> tuple[float, float]:
    """Ankle (forward, up) m in the sole's plane."""
    theta, tau = roll_pitch(t, roll)
    x, y = sole_ankle(theta, tau, scene.figure.foot)
    return float(x), float(y)


def look_ahead(w: Runner, aim: Aim, scene: RunScene, low: float) -> Landing:
    """Velocity, place and foothold at the next landing."""
    pace, then, path = w.pace, aim.pace, scene.course.path
    t, tc, side = pace.step_time, pace.contact, -w.front.side
    push = LATE_PUSH if w.kind == "stand" else shape_of(pace, scene)
    lever = tc * (1 - push.centroid) + pace.flight
    forward = np.array([np.sin(w.yaw), 0.0, np.cos(w.yaw)])
    brake = brake_of(pace, scene) * G * tc**2 / (2 * np.pi) * forward
    along = float(w.v @ forward) * (t - lever) + aim.speed * lever - float(brake @ forward)
    s = _nearest(w, along, scene)
    yaw = float(path.heading(s))
    f, left = np.array([np.sin(yaw), 0.0, np.cos(yaw)]), np.array([np.cos(yaw), 0.0, -np.sin(yaw)])
    # pure pursuit: the way of flight, carried on to the middle of the next contact, leads to the path there
    on = then.contact / 2
    sway = side * SWAY * G * t * (pace.flight / 2 + on)
    far = on + FURTHER * t  # aimed at only the middle of the contact, it would swing from side to side in bends
    there = path.place(s + aim.speed * far, sway * (lever + far) / (lever + on), 0.0)
    across = float((there - w.c - w.v * (t - lever) + brake) @ left) / (lever + far)
    across = clamp(across, -0.5 * aim.speed, 0.5 * aim.speed)
    v = math.sqrt(aim.speed**2 - across**2) * f + across * left
    flat = np.array([1.0, 0.0, 1.0])
    c = (w.c + w.v * (t - lever) + v * lever - brake) * flat
    half = max(0.5 * then.speed * then.step_time, 0.2)
    turn = float(path.heading(s + 2 * half) - path.heading(s - 2 * half)) / (4 * half)  # over two steps, as bodies turn
    slope = _slope(scene, s, half)
    # the contact that follows: what hip and ankle do in it
    roll = landing_roll(t, then, scene) if aim.last is None else staying_roll(t, then)
    x0, y0 = _ankle(roll.land, roll, scene)
    x1, y1 = _ankle(min(roll.lift, t + 10.0), roll, scene)
    run = then.contact * (aim.speed + aim.gain * (1 - push.centroid))
    run -= brake_of(then, scene) * G * then.contact**2 / (2 * np.pi)
    bank = -math.atan(then.speed**2 * turn / G)
    land, leave = hips_of(w, bank, scene)
    rise = G * then.contact * then.flight * CENTROID_GAIN + run * math.tan(slope)
    cs, sn = math.cos(slope), math.sin(slope)
    moved = (x1 - x0) * cs - (y1 - y0) * sn, (x1 - x0) * sn + (y1 - y0) * cs
    m = scene.manner
    if aim.last is None and not aim.walks:
        r0, r1 = leg_of(m.knee_land + 0.5 * max(slope, 0.0), scene), leg_of(m.knee_off, scene)
        over, up = run + leave[2] - land[2] - moved[0], rise + leave[1] - land[1] - moved[1]
        ahead, height = circles(r0, r1, over, up)
        if aim.gain:  # whoever speeds up lands further back, and whoever brakes further ahead
            ahead -= PLACED[aim.gain < 0] * scene.body.leg_length * aim.gain / then.step_time / G
            landing, leaving = max(r0**2 - ahead**2, 0.25 * r0**2), max(r1**2 - (over - ahead) ** 2, 0.25 * r1**2)
            height = min(math.sqrt(landing), math.sqrt(leaving) - up)
    else:
        leg = scene.body.leg_length
        ahead = BEFORE * leg if aim.last is None else clamp(aim.last + x0 - s - land[2], 0.1 * leg, 0.55 * leg)
        height = math.sqrt(leg_of(m.knee_land + SOFTER * max(-slope, 0.0), scene) ** 2 - ahead**2)
    moved_on = _off_edges(scene, side, s + float((c + (land[2] + ahead - x0) * f - path.point(s)) @ f))
    if moved_on:
        ahead += moved_on
        height = min(height, math.sqrt(max(leg_of(m.knee_land, scene) ** 2 - ahead**2, 0.1)))
    middle = c + v * on
    outward = scene.body.leg_length * then.speed**2 * turn / G  # to the outside of the curve
    lateral = float((middle - path.point(s + aim.speed * on)) @ left) * 0.75
    lateral += side * m.width / 2 - outward
    place = c + (land[2] + ahead - x0) * f
    # beside the path where the foot is: the path may bend
    base = s + float((place - path.point(s)) @ f)
    place = path.place(base, lateral, 0.0)
    heading = float(path.heading(base))
    foot = Footstep(side, place, place, heading, heading + side * m.toe_out, 0.0, 0.0, base, WALK, False)
    foot = _set_down(scene.course, foot)
    high = w.c[1] - w.front.place[1] + RISING * scene.size
    # the leg leans with the body
    c[1] = foot.place[1] + min(y0 + (height - land[1]) * math.cos(bank), high) - low
    fall = landing_fall(pace) + SLOPE_BOUNCE * aim.speed * math.tan(slope)
    return Landing(c, v, s, yaw, turn * aim.speed, foot, roll, fall, bank)


def hips_of(w: Runner, bank: float, scene: RunScene) -> Array:
    """(2, 3) m from C to the hip of the leg that lands next, at landing and toe-off, as those of the last leg were.

    In a bend the inner hip is lower and the outer one higher.
    """
    tipped = -w.front.side * scene.figure.hip[0] * (math.sin(bank) + math.sin(w.style[BANK]))
    return np.asarray(w.hips + np.array([0.0, tipped, 0.0]))


def _off_edges(scene: RunScene, side: int, s: float) -> float:
    """m by which a foot beside ``s`` has to come down elsewhere, so that no riser is under its sole."""
    heel, tip = (share * scene.body.foot_length for share in scene.body.foot_shares)
    beyond = {True: CLEAR_OF[1], False: CLEAR_OF[2]}
    bad = [(e.start - tip - CLEAR_OF[0], e.end + heel + beyond[e.height > 0]) for e in scene.course.lane(side)]
    if not any(a < s < b for a, b in bad):
        return 0.0
    free = [x for x in sum(bad, ()) if not any(a + 1e-9 < x < b - 1e-9 for a, b in bad)]
    return min((x - s for x in free), key=abs, default=0.0)


def towards_edges(w: Runner, pace: RunPace, scene: RunScene) -> float:
    """m/s faster or slower than asked, so that the feet of the next steps come down beside the risers on the way."""
    if not scene.course.lane(1):
        return 0.0
    side = -w.front.side
    for k in range(1, SEEN + 1):
        there = w.front.s + w.pace.speed * w.pace.step_time + (k - 1) * pace.step_length
        off = _off_edges(scene, side, there)
        if off:
            return clamp(off / (k * pace.step_time), -HASTE * pace.speed, HASTE * pace.speed)
        side = -side
    return 0.0


def _nearest(w: Runner, along: float, scene: RunScene) -> float:
    """Arc length beside C after ``along`` m."""
    yaw = w.yaw + 0.5 * w.yaw_rate * w.pace.step_time
    here = w.c + along * np.array([np.sin(yaw), 0.0, np.cos(yaw)])
    here[1] = scene.course.path.point(w.s + along)[1]
    path = scene.course.path
    if not path.closed and w.s + along > path.length - 0.3:
        return w.s + along
    return max(path.nearest(here, w.s, 2 * along + 0.5), w.s + 0.2 * along)


def _slope(scene: RunScene, s: float, half: float) -> float:
    """rad, of the path about ``s``."""
    if isinstance(scene.course.terrain, Flat):
        return 0.0
    a, b = scene.course.path.point(s - half), scene.course.path.point(s + half)
    return math.atan2(float(b[1] - a[1]), 2 * half)
