"""One measured step planned over given footholds: hips between the feet, the soles' rolling, the swing.

At every heel strike the middle of the hips is where the generalised walk has it over the two feet; in between it
follows a quintic with velocities by the secant rule, plus the ripple of the person's own walk. On level ground at a
steady pace that is the generalised walk itself; on curves, slopes and stairs it is its continuation.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import Body, G
from gambol.figure_parts import Figure
from gambol.footsteps import CLOSE, STAND, TURN, WALK, Footstep
from gambol.gait import Pace
from gambol.generalise import Condition, Laws, Step, Subject, leg_reach
from gambol.kernels import clamp
from gambol.measured_figure import MeasuredPlan, Stand, Turnover
from gambol.over_ground import Over, swing_over
from gambol.personal import DEGREE, Curves, Mix, channels_at, curves_of, personal, swing_bumps
from gambol.swing import quintic
from gambol.terrain import Terrain
from gambol.walk_data import LIMPING

__all__ = [
    "Next4", "Pacer", "Setting", "gap", "landed", "made", "plan_measured", "standing_hips", "step_times", "uneven",
]

Array = NDArray[np.float64]
LOOSE = 1.15  # step length over the default beyond which cadence no longer follows it
RELEASE = 0.55  # s, from standing until the first foot lifts, for a leg of 0.93 m
SETTLE = 1.35  # step times to come to rest
STANDING_KNEE = np.radians(8.0)
HIPS_AHEAD = 0.010  # of body height: hips ahead of the ankles when standing
LEAST_STEP = 0.06  # of leg length: shorter, a step is generalised as this
STRIKE_SLOPE = 0.6  # share of an uphill slope that the heel strike angle loses
SHORT = 0.6  # of the prototype's step: below, the swing foot is lifted less
CLOSE_SHORT = (0.13, 0.07)  # steps that the hips lag when the last but one and the last foot land
FIRST = 0.1  # of the lift of the swing foot in the first step: it starts beside the other foot, below the hips
FAR = 1e3  # s
STAIR_REACH = 0.985  # of the straight leg, at the heel strike on a stair
REAR_HEEL = (0.40, 0.15)  # of the ball's distance: how far the rear ankle is up and forward by then
DIP = (0.35, 1.0, 0.06)  # shares of a step a dip fades over: a small one, and one of this much of leg length


class Setting(NamedTuple):
    """What stays the same during a plan."""

    body: Body
    figure: Figure
    subject: Subject
    terrain: Terrain
    pace: Pace
    mixed: Mix
    laws: Laws
    looks: dict[str, float]  # arm_swing, sway, pelvis, lean, foot_lift


class Next4(NamedTuple):
    """The next footholds; None from where the walk is over."""

    one: Footstep | None
    two: Footstep | None
    three: Footstep | None
    four: Footstep | None

    def next(self, beyond: Footstep | None) -> Next4:
        """The footholds as seen one step later."""
        return Next4(self.two, self.three, self.four, beyond)


class Pacer(NamedTuple):
    """The figure at a heel strike. Times s on the clip's clock."""

    time: float
    rear: Footstep
    front: Footstep
    rear_roll: Turnover
    front_roll: Turnover  # its push-off is settled when its step begins
    hips: Array  # (3,) m
    velocity: Array  # (3,) m/s
    yaw: float
    yaw_rate: float
    phase_rate: float  # strides per s
    channels: Array
    double: float  # s that the rear foot still stands
    standing: bool
    low: float  # m that the hips were lowered by at this heel strike
    speed: float  # m/s of the step before (0 from a stand)


def gap(a: Footstep, b: Footstep) -> float:
    """Horizontal step length m between the points of the path beside two footholds."""
    return math.hypot(b.centre[0] - a.centre[0], b.centre[2] - a.centre[2])


def uneven(side: int, s: Setting) -> tuple[float, float]:
    """The step on a foot over the mean of both, in length and in time: of who limps, else 1.

    Of a few recorded steps of somebody sound, left and right differ by chance.
    """
    long = slow = 0.0
    for share, walk in s.mixed:
        origin = walk.step(side).origin
        limps = max(walk.asymmetry) > LIMPING
        long += share * (float(origin.step) / walk.step_length if limps else 1.0)
        slow += share * (float(origin.duration) / walk.duration if limps else 1.0)
    return long, slow


def step_times(front: Footstep, one: Footstep | None, s: Setting) -> float:
    """Length of the step s from ``front``'s strike until ``one`` lands (or until all stands still)."""
    w0, t0 = s.pace.step_length, s.pace.step_time
    if one is None:
        return SETTLE * t0
    if one.kind == TURN:
        return 1.1 * t0
    if front.kind == STAND:
        return RELEASE * (s.body.leg_length / 0.93) ** 0.5 + 0.75 * t0
    if one.kind == CLOSE or one.stair or front.kind != WALK:
        return t0
    long, slow = uneven(int(front.side), s)
    ratio = gap(front, one) / (w0 * long)
    near = clamp(ratio, 1 / LOOSE, LOOSE)
    return t0 * slow * near * (max(ratio, 0.2) / near) ** 0.5


def _person(stance: Footstep, before: float, after: float, duration: float, s: Setting) -> tuple[Step, Curves]:
    """The generalised step on a foot, between steps of these lengths, and its smooth forms."""
    least = LEAST_STEP * s.body.leg_length
    to = Condition(s.subject, max(after, least), max(before, least), duration)
    return made(s.mixed, int(stance.side), to, s.laws)


@lru_cache(maxsize=256)
def made(mixed: Mix, side: int, to: Condition, laws: Laws) -> tuple[Step, Curves]:
    """A step of a mixture and its smooth forms; a steady walk asks for the same one again and again."""
    step = personal(mixed, side, to, laws)
    return step, curves_of(step)


def standing_hips(rear: Footstep, front: Footstep, s: Setting) -> Array:
    """Middle of the hips at rest over both feet."""
    heading = 0.5 * (rear.heading + front.heading)
    out = 0.5 * (rear.place + front.place)
    out = out + HIPS_AHEAD * s.body.height * np.array([np.sin(heading), 0.0, np.cos(heading)])
    out[1] += s.subject.ankle + float(leg_reach(s.subject, STANDING_KNEE))
    return np.asarray(out)


def landed(rear: Footstep, front: Footstep, after: tuple[Footstep | None, float], s: Setting) -> Array:
    """Middle of the hips at the heel strike of ``front``; ``after``: the next foothold and that step's duration."""
    one, duration = after
    if one is None and front.kind != WALK:
        return standing_hips(rear, front, s)
    w_in = gap(rear, front)
    w_out = w_in if one is None else gap(front, one)
    lead, height = _person(front, w_in, w_out, duration, s)[1].hip
    heading = 0.5 * (rear.heading + front.heading)
    forward = np.array([np.sin(heading), 0.0, np.cos(heading)])
    left = np.array([forward[2], 0.0, -forward[0]])
    share = min((w_in + w_out) / (2 * s.pace.step_length), 1.0)
    centre = 0.5 * (rear.centre + front.centre)
    turn = 0.0 if one is None else _wrap(one.heading - rear.heading) / max(w_in + w_out, 0.3)
    inward = 0.5 * s.pace.speed**2 * turn / G * s.body.leg_length * share
    lag = 0.0
    if (front.kind == CLOSE and one is None) or (one is not None and one.kind == CLOSE):
        lag = CLOSE_SHORT[front.kind == CLOSE] * s.pace.step_length
    out = centre + (share * lead + (1 - share) * HIPS_AHEAD * s.body.height - lag) * forward
    out = out + clamp(inward, -0.06, 0.06) * left
    upright = s.subject.ankle + float(leg_reach(s.subject, STANDING_KNEE))
    out[1] += min(height, upright)
    if front.stair or (one is not None and one.stair):
        out[1] = min(out[1], _reached(out, rear, front, s))
    return np.asarray(out)


def _reached(hips: Array, rear: Footstep, front: Footstep, s: Setting) -> float:
    """Highest hips (m) that both legs reach with a soft knee at the heel strike on a stair; the rear heel is up."""
    leg, foot = STAIR_REACH * float(s.subject.leg), s.figure.foot
    highest = []
    for step, rise, ahead in ((front, 0.0, 0.0), (rear, REAR_HEEL[0] * foot.ball, REAR_HEEL[1] * foot.ball)):
        across = max(math.hypot(hips[0] - step.place[0], hips[2] - step.place[2]) - ahead, 0.0)
        highest.append(step.place[1] + foot.ankle + rise + math.sqrt(max(leg**2 - across**2, 0.1 * leg**2)))
    return min(highest)


def _wrap(angle: float) -> float:
    return float((angle + np.pi) % (2 * np.pi) - np.pi)


def _monotone(before: float, after: float, times: tuple[float, float]) -> float:
    """Velocity between two steps of mean velocities m/s that overshoots neither (Fritsch and Carlson 1980)."""
    if before * after <= 0:
        return 0.0
    t0, t1 = times
    return 3 * (t0 + t1) / ((2 * t1 + t0) / before + (t1 + 2 * t0) / after)


def _braking(before: float, after: float, times: tuple[float, float]) -> float:
    """What is taken from the forward velocity (m/s) at a border where the walk slows down."""
    if not before > after:
        return 0.0
    t0, t1 = times
    return min(_monotone(before, after, times) - (t1 * before + t0 * after) / (t0 + t1), 0.0)


class _End(NamedTuple):
    hips: Array
    velocity: Array
    yaw: float
    yaw_rate: float


def _end(w: Pacer, ahead: Next4, times: tuple[float, float, float], s: Setting) -> _End:
    """Hips at the end of the step from ``w``, by the secant rule."""
    one, t0, t1 = ahead.one, times[0], times[1]
    if one is None:
        here = standing_hips(w.rear, w.front, s)
        return _End(here, np.zeros(3), 0.5 * (w.rear.heading + w.front.heading), 0.0)
    here = landed(w.front, one, (ahead.two, t1), s)
    two = ahead.two
    after = standing_hips(w.front, one, s) if two is None else landed(one, two, (ahead.three, times[2]), s)
    m0, m1 = (here - w.hips) / t0, (after - here) / t1
    velocity = (t1 * m0 + t0 * m1) / (t0 + t1)
    heading = 0.5 * (w.front.heading + one.heading)
    forward = np.array([np.sin(heading), 0.0, np.cos(heading)])
    velocity = velocity + _braking(float(m0 @ forward), float(m1 @ forward), (t0, t1)) * forward
    velocity[1] = _monotone(float(m0[1]), float(m1[1]), (t0, t1))  # the hips never rise beyond where they go
    if one.kind == TURN and ahead.two is not None and ahead.two.kind != WALK:
        velocity = 0.5 * velocity
    yaw_after = one.heading if ahead.two is None else 0.5 * (one.heading + ahead.two.heading)
    rate = (t1 * (heading - w.yaw) / t0 + t0 * (yaw_after - heading) / t1) / (t0 + t1)
    return _End(here, velocity, heading, rate)


def _landing(c: Curves, front: Footstep, foot: Footstep, span: tuple[float, float], s: Setting) -> Turnover:
    """How ``foot`` touches down at ``span[0]``, its step lasting ``span[1]``; its push-off is settled later."""
    land, duration = span
    strike = c.strike
    if foot.stair or foot.kind != WALK:
        strike = 0.0
    else:
        strike *= min(gap(front, foot) / (0.8 * s.pace.step_length), 1.0)
        strike = max(strike - STRIKE_SLOPE * max(foot.pitch, 0.0), 0.0)
    return Turnover(
        land, land + c.flat * duration, land + FAR, land + 2 * FAR, land + 3 * FAR, strike, 0.0, 0.0, c.f1, c.f2, c.m
    )


def _push_off(roll: Turnover, c: Curves, span: tuple[float, float], ahead: Next4) -> Turnover:
    """The roll of the stance foot with its push-off, from the step's start up to its lift; none if it will stay."""
    if ahead.one is None or ahead.two is None:
        return roll
    flat, lift = max(roll.flat, span[0]), span[1]
    share = 1.0 if ahead.two.kind == WALK else 0.4
    off, toes = flat + c.heel_off * (lift - flat), flat + c.toes_off * (lift - flat)
    return roll._replace(
        heel_off=off, toes_off=max(toes, off), lift=lift, push=share * c.push, meta=share * c.meta, f2=c.f2, m=c.m
    )


def plan_measured(w: Pacer, ahead: Next4, low: tuple[float, float], s: Setting) -> tuple[MeasuredPlan, Pacer]:
    """The plan of the step that begins at ``w`` and the figure at its end.

    Args:
        w: the figure at the heel strike.
        ahead: the next footholds.
        low: m that the hips are lowered by at the end of the step and in its middle.
        s: who walks where.
    """
    one = ahead.one
    t0 = step_times(w.front, one, s)
    t1 = t0 if one is None else step_times(one, ahead.two, s)
    t2 = t1 if one is None or ahead.two is None else step_times(ahead.two, ahead.three, s)
    end = _end(w, ahead, (t0, t1, t2), s)
    w_in = gap(w.rear, w.front)
    w_out = 0.0 if one is None else gap(w.front, one)
    w_next = 0.0 if one is None or ahead.two is None else gap(one, ahead.two)
    this, curves = _person(w.front, w_in, w_out, min(t0, LOOSE * s.pace.step_time), s)
    double = 0.0
    landing = w.rear_roll
    if one is not None:
        beyond = _person(one, w_out, w_next or w_out, min(t1, LOOSE * s.pace.step_time), s)[1]
        double = beyond.toe_off * min(t1, s.pace.step_time * LOOSE)
        landing = _landing(beyond, w.front, one, (w.time + t0, min(t1, LOOSE * s.pace.step_time)), s)
    front_roll = _push_off(w.front_roll, curves, (w.time, w.time + t0 + double), ahead)
    lengths = (w_out, w_next if one is not None else 0.0)
    channels = channels_at(s.mixed, lengths, float(s.subject.leg), s.laws, s.looks)
    rate = 1 / (t0 + t1) if one is not None else w.phase_rate
    phase0 = 0.0 if w.front.side > 0 else 0.5
    rears = (_earlier(w.rear_roll, w.time), _earlier(landing, w.time))
    swing = _swing(w, (one, end.hips), this, rears, (w.double, t0), s)
    way = np.zeros((5, 6))
    way[:3, 0], way[:3, 1], way[:3, 3], way[:3, 4] = w.hips, w.velocity * t0, end.hips, end.velocity * t0
    way[3] = w.yaw, w.yaw_rate * t0, 0.0, end.yaw, end.yaw_rate * t0, 0.0
    way[4] = phase0, min(w.phase_rate * t0, 1.2), 0.0, phase0 + 0.5, min(rate * t0, 1.2), 0.0
    plan = MeasuredPlan(
        step=t0, side=w.front.side,
        way=quintic(way), dip=np.array([w.low, low[0], low[1], _window(w.low, s), _window(low[0], s)]),
        channels0=w.channels, channels1=channels,
        front=_stand(w.front, _earlier(front_roll, w.time)), rear=_stand(w.rear, rears[0]),
        goal=swing.goal, path=swing.path, via=swing.via, lift=w.double if one is not None else t0 + 1e6,
        bend=swing.bend, bend_rate=swing.bend_rate, straight=swing.straight,
    )
    after = Pacer(
        time=w.time + t0, rear=w.front, front=one if one is not None else w.rear, rear_roll=front_roll,
        front_roll=landing, hips=end.hips, velocity=end.velocity, yaw=end.yaw, yaw_rate=end.yaw_rate,
        phase_rate=rate, channels=channels, double=double, standing=False, low=low[0], speed=s.pace.speed,
    )
    return plan, after


def _window(low: float, s: Setting) -> float:
    """Share of a step over which hips lowered by ``low`` m are back: the more, the longer."""
    return clamp(DIP[0] + (DIP[1] - DIP[0]) * low / (DIP[2] * s.body.leg_length), *DIP[:2])


def _stand(foot: Footstep, roll: Turnover) -> Stand:
    return Stand(foot.place, foot.yaw, foot.pitch, foot.roll, roll)


def _earlier(roll: Turnover, by: float) -> Turnover:
    """The same roll on the step's own clock."""
    return roll._replace(
        land=roll.land - by, flat=roll.flat - by, heel_off=roll.heel_off - by, toes_off=roll.toes_off - by,
        lift=roll.lift - by,
    )


# the swing


class _Swing(NamedTuple):
    goal: Array
    path: Array
    via: float
    bend: float
    bend_rate: float
    straight: float


def _swing(
    w: Pacer, to: tuple[Footstep | None, Array], this: Step, rolls: tuple[Turnover, Turnover],
    times: tuple[float, float], s: Setting,
) -> _Swing:
    """The way of the rear foot to the next foothold; ``to``: that, and where the hips are by then."""
    rear, (one, end) = w.rear, to
    if one is None:
        return _Swing(np.array([rear.yaw, rear.pitch, rear.roll]), np.zeros((2, 4, DEGREE)), 1.0, 0.0, 0.0, 1.0)
    span = times[1] - times[0]
    leave, land = _leaving(rolls[0], s), _landing_rates(rolls[1], s)
    ends = np.zeros((4, 6))
    for at, foot, rates in ((0, rear, leave), (3, one, land)):
        forward, up = _sole(foot)
        for k, (value, angle) in enumerate(zip(rates[0], rates[1])):
            ends[:3, at + k] = (forward * value.real + up * value.imag) * span**k
            ends[3, at + k] = angle * span**k
        ends[:3, at] += foot.place
    along = (one.place - rear.place) * [1.0, 0.0, 1.0]
    length = float(np.hypot(along[0], along[2]))
    along = along / length if length > 0.05 else np.array([np.sin(rear.yaw), 0.0, np.cos(rear.yaw)])
    # beyond quintics that leave and land as the rolling soles do, the ankle and the sole go as measured
    flat = np.zeros((3, 6))
    for at, rates in ((0, leave), (3, land)):
        for k, (value, angle) in enumerate(zip(rates[0], rates[1])):
            flat[:, at + k] = np.array([value.real, value.imag, angle]) * span**k
    flat[0, 0], flat[0, 3] = this.ankle_x.v[0], this.ankle_x.v[-1]
    flat[1, 0], flat[1, 3] = this.ankle_y.v[0], this.ankle_y.v[-1]
    flat[2, 0], flat[2, 3] = this.f3.v[0], this.f3.v[-1]
    bumps = swing_bumps(this, quintic(flat))
    part = min(length / (SHORT * 2 * s.mixed[0][1].step_length * s.subject.leg / s.mixed[0][1].subject.leg), 1.0)
    bumps = bumps * (FIRST if w.standing else part)
    roll = rolls[0]
    bend = roll.push + roll.meta
    bend_rate = leave[1][1] * span - leave[2] * span
    goal = np.array([rear.yaw + _wrap(one.yaw - rear.yaw), one.pitch, one.roll])
    hips = np.stack([w.hips + (end - w.hips) * times[0] / times[1], end])
    where = Over(s.terrain, s.body, s.figure.foot, s.looks["foot_lift"], hips)
    path, via, straight = swing_over((rear, w.front, one), ends, bumps, (bend, bend_rate, goal), where)
    return _Swing(goal, path, via, bend, bend_rate, straight)


def _sole(foot: Footstep) -> tuple[Array, Array]:
    """Forward and up of a flat sole in the world: columns z and y of Ry(yaw) Rx(-pitch) Rz(roll)."""
    c, n, cb, sb = math.cos(foot.yaw), math.sin(foot.yaw), math.cos(foot.pitch), math.sin(foot.pitch)
    cr, sr = math.cos(foot.roll), math.sin(foot.roll)
    return np.array([n * cb, sb, c * cb]), np.array([-sr * c - cr * sb * n, cr * cb, sr * n - cr * sb * c])


def _leaving(r: Turnover, s: Setting) -> tuple[tuple[complex, ...], tuple[float, ...], float]:
    """Ankle (forward + i up) with two derivatives at toe-off, the sole's pitch with two, and the toes' rate."""
    foot, k, n = s.figure.foot, np.arange(3, 7), np.arange(3, 6)
    span, toe_span = r.lift - r.heel_off, r.lift - r.toes_off
    theta = (
        r.push, r.push * (2 * (1 - r.f2.sum()) + float(r.f2 @ k)) / span,
        r.push * (2 * (1 - r.f2.sum()) + float(r.f2 @ (k * (k - 1)))) / span**2,
    )
    tau = (
        -r.meta, -r.meta * (2 * (1 - r.m.sum()) + float(r.m @ n)) / toe_span,
        -r.meta * (2 * (1 - r.m.sum()) + float(r.m @ (n * (n - 1)))) / toe_span**2,
    )
    arms = ((complex(-foot.ball, foot.ankle), theta), (complex(foot.ball - foot.tip, 0.0), tau))
    return _turned(complex(foot.tip, 0.0), arms), theta, tau[1]


def _landing_rates(r: Turnover, s: Setting) -> tuple[tuple[complex, ...], tuple[float, ...], float]:
    """The same at heel strike."""
    foot, span = s.figure.foot, r.flat - r.land
    theta = (r.strike, r.strike * (r.f1[0] - 3) / span, r.strike * (6 - 6 * r.f1[0] + 2 * r.f1[1]) / span**2)
    return _turned(complex(-foot.heel, 0.0), ((complex(foot.heel, foot.ankle), theta),)), theta, theta[1]


def _turned(base: complex, arms: tuple[tuple[complex, tuple[float, float, float]], ...]) -> tuple[complex, ...]:
    """Position and two derivatives of ``base`` plus arms that turn."""
    place, velocity, acceleration = base, 0j, 0j
    for arm, (angle, rate, second) in arms:
        turned = complex(np.exp(1j * angle)) * arm
        place, velocity = place + turned, velocity + 1j * rate * turned
        acceleration += (1j * second - rate**2) * turned
    return place, velocity, acceleration
