"""The path of the swing foot over the ground that is there (Tsutsuguchi et al. 2000, section 1.5).

On open ground the measured bumps, raised until heel, ball and tip clear; over risers the calmest path through a via
point (hurdle.py). Kernels of one step; samples along the swing are the last axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.figure_parts import sole_axes
from gambol.footsteps import NONE, Footstep
from gambol.hurdle import Hurdle, Samples, Toes, clearance, over, sole_from, sole_turns
from gambol.kernels import clamp, kernel
from gambol.profile import Profile
from gambol.reaction import Border, Known, StepTime, track
from gambol.roll import Foot, Roll, ankle_rates
from gambol.swing import bumped, evaluate
from gambol.walker import Scene

__all__ = ["HIP_BELOW", "Carry", "Swing", "Under", "swing_path", "unchosen"]

Array = NDArray[np.float64]
STRAIGHT = (0.6, 0.8, 1.0)  # share of the swing within which the toes straighten; slower ways are tried in turn
SCRAPE = -0.0009  # m, least clearance of a toe that leaves
EVEN = 0.008  # m, departure from the straight line between two footholds that is no obstacle
OBSTACLE = 0.06  # of leg length: if the measured swing must be raised by more to clear, a via point is used
HIP_BELOW = 0.034  # of body height: hip joints below C
RAISES = 5  # of a swing until it clears: what its ends miss no bump can mend
ENDS = 0.2  # of the bump's height is the least it is counted with: at both ends it lifts little
SHOES = 0.053  # of body height between the lines of two feet that pass each other


class Swing(NamedTuple):
    """Path of ankle and sole pitch, where its pieces meet, goal angles, and the toes' bend at toe-off."""

    path: Array  # (2, 4, 9)
    via: float
    goal: Array  # (3,) rad: yaw, pitch, roll of the next foothold
    bend: float
    bend_rate: float
    straight: float  # share of the swing within which the toes straighten


class Under(NamedTuple):
    """The ground under a swing, and the swing itself where it is chosen already: it changes little with C's height."""

    ground: Profile
    swing: Swing
    chosen: bool


@kernel
def unchosen(ground: Profile):  # type: ignore[no-untyped-def]
    """The ground of a swing that is yet to be chosen."""
    return Under(ground, Swing(np.zeros((2, 4, 9)), 1.0, np.zeros(3), 0.0, 0.0, STRAIGHT[0]), False)


class Carry(NamedTuple):
    """What carries C during a step (reaction.track): the leg must reach from the hip, which goes with it."""

    lead: Array
    times: StepTime
    known: Known
    start: Border


@kernel
def swing_path(  # type: ignore[no-untyped-def]
    feet: tuple[Footstep, Footstep, Footstep], rolls: tuple[Roll, Roll], carry: Carry, under: Under, scene: Scene
):
    """The swing of the rear foot past the stance foot to the next foothold: ``feet`` in this order.

    It leaves when the double support ends and lands when the step ends.
    """
    rear, front, one = feet
    ground = under.ground
    if under.chosen:
        return under.swing
    if one.kind == NONE:
        return Swing(np.zeros((2, 4, 9)), 1.0, np.array([rear.yaw, rear.pitch, rear.roll]), 0.0, 0.0, STRAIGHT[0])
    foot, leave = scene.figure.foot, carry.times.double
    span = carry.times.step - leave
    ends = np.zeros((4, 6))
    _fill(ends, 0, rear, ankle_rates(rolls[0], foot, True), span)
    _fill(ends, 3, one, ankle_rates(rolls[1], foot, False), span)
    ends[:, 5] = 0.0  # the foot arrives with the stance's velocity; its acceleration is the landing's own
    turned = (one.yaw - rear.yaw + np.pi) % (2 * np.pi) - np.pi
    goal = np.array([rear.yaw + turned, one.pitch, one.roll])
    bend = rolls[0].toes - rolls[0].push
    bend_rate = ends[3, 1] + 2 * rolls[0].toes / max(rolls[0].lift - rolls[0].toes_off, 1e-6) * span
    aside = _aside(rear, front, ground, scene)
    for straight in STRAIGHT:  # toes that straighten slowly do not scrape, but look hooked: no slower than needed
        toes = Toes(rear.yaw, rear.pitch, turned, one.pitch - rear.pitch, bend, bend_rate, straight)
        path, raised, lowest = _open(ends, toes, aside, ground, scene)
        if lowest > SCRAPE:
            break
    if ground.rough < EVEN or (raised <= OBSTACLE * scene.leg and lowest > SCRAPE):
        return Swing(path, 1.0, goal, bend, bend_rate, straight)
    hip = track(leave + scene.look.swing.close.s * span, carry.lead, carry.times, carry.known, carry.start)
    hip[1] -= HIP_BELOW * scene.height + scene.lift
    toes = Toes(rear.yaw, rear.pitch, turned, one.pitch - rear.pitch, bend, bend_rate, STRAIGHT[0])
    base = max(rear.place[1], ground.goal_y) + foot.ankle  # the flat ankle on the higher level
    legs = (scene.leg, scene.figure.thigh, scene.figure.shank)
    path, via = over(Hurdle(ends, aside, base, hip, toes, foot, ground, legs, scene.look.swing))
    return Swing(path, via, goal, bend, bend_rate, STRAIGHT[0])


@kernel
def _fill(ends, at, foot: Footstep, rates, span):  # type: ignore[no-untyped-def]
    """World position, velocity and acceleration of the ankle, and of the pitch, per unit of s."""
    zx, zy, zz, yx, yy, yz = sole_axes(foot.yaw, foot.pitch, foot.roll)
    place, velocity, acceleration, pitch = rates
    scale = 1.0
    for k in range(3):
        value = place if k == 0 else velocity if k == 1 else acceleration
        ends[0, at + k] = (zx * value.real + yx * value.imag) * scale
        ends[1, at + k] = (zy * value.real + yy * value.imag) * scale
        ends[2, at + k] = (zz * value.real + yz * value.imag) * scale
        ends[3, at + k] = pitch[k] * scale
        scale *= span
    ends[:3, at] += foot.place


@kernel
def _aside(rear: Footstep, front: Footstep, ground: Profile, scene: Scene):  # type: ignore[no-untyped-def]
    """How far (x, z) the swing must bow out so that the two shoes pass each other."""
    ahead_x, ahead_z = ground.along
    out_x, out_z = rear.side * ahead_z, -rear.side * ahead_x  # towards the swing foot's side
    to_x, to_z = front.place[0] - rear.place[0], front.place[2] - rear.place[2]
    passed = to_x * ahead_x + to_z * ahead_z
    need = SHOES * scene.height + to_x * out_x + to_z * out_z
    if need <= 0 or not 0.0 < passed < max(ground.length, 0.05):
        return 0.0, 0.0
    bow = min(need, 0.12)
    return bow * out_x, bow * out_z


@kernel
def _open(ends, toes: Toes, aside, ground: Profile, scene: Scene):  # type: ignore[no-untyped-def]
    """The measured swing raised by the missing clearance, how much (m) that was, and its least clearance m."""
    row, leg = scene.look.row, scene.leg
    part = clamp(ground.length / (2 * scene.pace.step_length), 0.0, 1.2)
    lift = min(part, 1.0)
    x, z = ground.along[0] * ground.length, ground.along[1] * ground.length
    bumps = np.zeros((4, 3))
    bumps[0, 0], bumps[0, 1] = x * row.x0 + aside[0], x * row.x1
    bumps[1, 0], bumps[1, 1], bumps[1, 2] = leg * lift * row.y0, leg * lift * row.y1, leg * lift * row.y2
    bumps[2, 0], bumps[2, 1] = z * row.x0 + aside[1], z * row.x1
    bumps[3, 0], bumps[3, 1], bumps[3, 2] = lift * row.t0, lift * row.t1, lift * row.t2
    plane = ground.rough == 0.0
    look, raises = (scene.look.swing.rough, 1) if plane else (scene.look.swing.close, RAISES)
    path, raised = bumped(ends, bumps), 0.0
    need, lowest = _missing(path, toes, look, ground, scene.figure.foot)
    for _ in range(raises):  # on a plane the clearance grows just as the bump: once is enough
        if need <= 1e-6:
            break
        raised += need + 1e-6
        bumps[1, 0] += need + 1e-6
        path = bumped(ends, bumps)
        need, lowest = _missing(path, toes, look, ground, scene.figure.foot)
    return path, raised, lowest


def _missing_one_by_one(path, toes: Toes, look: Samples, ground: Profile, foot: Foot):  # type: ignore[no-untyped-def]
    need, lowest = -np.inf, np.inf
    for i in range(len(look.s)):
        s = look.s[i]
        ankle = (evaluate(s, 1.0, path, 0), evaluate(s, 1.0, path, 1), evaluate(s, 1.0, path, 2))
        slope, bend, facing = sole_turns(s, toes, ground)
        clear = clearance(ankle, sole_from(evaluate(s, 1.0, path, 3), slope, bend, foot), facing, ground)
        need, lowest = max(need, (look.target[i] - clear) / max(look.bump[i], ENDS)), min(lowest, clear)
    return need, lowest


@kernel(loop=_missing_one_by_one)
def _missing(path, toes: Toes, look: Samples, ground: Profile, foot: Foot):  # type: ignore[no-untyped-def]
    """The bump (m) that a swing wants for its clearance, and its least clearance m."""
    x, y, z, pitch = (evaluate(look.s, 1.0, path, d) for d in range(4))
    slope, bend, facing = sole_turns(look.s, toes, ground)
    clear = clearance((x, y, z), sole_from(pitch, slope, bend, foot), facing, ground)
    return ((look.target - clear) / np.maximum(look.bump, ENDS)).max(), clear.min()
