"""Swings fitted to the standing leg at both ends, and lifted clear of the ground."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol import run_figure
from gambol.body import G
from gambol.flight import bounce_at
from gambol.run_figure import HIPS, LEGS, NEAR, REACH, SOFTNESS, SOLES, STRAIGHT, Limb, RunPlan
from gambol.runner import RunScene
from gambol.terrain import Flat, Slope

__all__ = ["MOST_LIFT", "cleared", "fitted", "posed_run"]

Array = NDArray[np.float64]
EPS = 5e-4  # s, for the rates of a standing leg
ROUNDS, SAME = 12, 1e-8  # rad
STANCE = np.array([0.6, 0.7, 0.78, 0.85, 0.92])  # of contact
LOOKS = np.array(  # of a step: more where a foot comes down or has just left
    [0.05, 0.13, 0.21, 0.3, 0.39, 0.46, 0.5, 0.54, 0.6, 0.68, 0.76, 0.82, 0.87, 0.91, 0.94, 0.965, 0.985]
)
CLOSELY = np.concatenate([np.linspace(0.02, 0.97, 58), LOOKS[-2:]])  # where there are edges
BEYOND = np.array([0.0, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.13])  # s after the step: what has left still swings low
UNSURE = 0.012  # m, of where C is then, on ground that is not level
LIFTS, LIFTING, CLEAR = 10, (1.6, 3.0), 0.010  # rounds; rad for a leg; m in mid-swing
MOST_LIFT, MOST_EARLY, MOST_LATE = 0.2, 1.2, 0.6  # rad a round; in all, in mid-swing and before landing


def posed_run(plan: RunPlan, scene: RunScene, times: Array, whole: bool = True) -> Array:
    """(ROWS, N) output of the figure kernels at ``times`` s into the step; not ``whole``: the legs' angles alone."""
    out = np.zeros((run_figure.ROWS, len(times)))
    compiled, fig = scene.engine == "compiled", scene.figure
    if compiled:
        run_figure.trunk_frames.compiled(times, plan, fig, out)
    else:
        run_figure.trunk_run(times, plan, fig, out)
    legs_again(plan, scene, times, out, run_figure.PASSES)
    if whole and compiled:
        run_figure.whole_frames.compiled(times, plan, fig, out)
    elif whole:
        run_figure.whole_run(times, plan, fig, out)
    return out


def legs_again(plan: RunPlan, scene: RunScene, times: Array, out: Array, passes: int = 2) -> None:
    """The legs anew, for swings that have changed a little since ``out`` was made."""
    if scene.engine == "compiled":
        run_figure.legs_frames.compiled(times, plan, scene.figure, passes, out)
    else:
        run_figure.legs_run(times, plan, scene.figure, passes, out)


def fitted(plan: RunPlan, scene: RunScene) -> tuple[RunPlan, Array, float]:
    """The plan with swings that leave and arrive with the standing leg, where the hips are, and the longest reach m.

    The standing leg depends on the hips, these on all the figure's mass, and that on the swings: a fixed point.
    """
    land, limbs = plan.step, (plan.front, plan.rear)
    lifting = [k for k in (0, 1) if 0 < limbs[k].lift <= land]
    before, after = np.array([-2 * EPS, -EPS, -1e-12]), np.array([0.0, EPS, 2 * EPS])
    middle = STANCE * min(plan.front.lift, land)  # where the leg may be at its longest
    times = np.concatenate([land + after, *(limbs[k].lift + before for k in lifting), middle])
    soles = [_sole_ends(limbs[k], leaving=True) for k in lifting], _sole_ends(plan.rear, leaving=False)
    banks = [_bank(plan, limbs[k].lift) for k in lifting], _bank(plan, land)
    out = None
    for _ in range(ROUNDS):
        if out is None:
            out = posed_run(plan, scene, times, whole=False)
        else:
            legs_again(plan, scene, times, out)
        starts, moved = [plan.front.start, plan.rear.start], 0.0
        for i, k in enumerate(lifting):
            a, b, c = out[LEGS + 3 * k : LEGS + 3 * k + 3, 3 * i + 3 : 3 * i + 6].T
            leaving = np.array([c, (3 * c - 4 * b + a) / (2 * EPS), (a - 2 * b + c) / EPS**2])
            new = _missing(limbs[k], np.hstack([leaving, soles[0][i]]), 0.0, banks[0][i])
            new[2] = 0.0  # a toe that kept the ground's acceleration would not come off it
            moved, starts[k] = max(moved, float(np.abs(new[0] - starts[k][0]).max())), new
        a, b, c = out[LEGS + 3 : LEGS + 6, :3].T
        landing = np.array([a, (4 * b - 3 * a - c) / (2 * EPS), (a - 2 * b + c) / EPS**2])
        end = _missing(plan.rear, np.hstack([landing, soles[1]]), 1.0, banks[1])
        moved = max(moved, float(np.abs(end[0] - plan.rear.end[0]).max()))
        plan = plan._replace(
            front=plan.front._replace(start=starts[0]), rear=plan.rear._replace(end=end, start=starts[1])
        )
        if moved < SAME:
            break
    assert out is not None
    mirror = np.array([plan.side, 1.0, 1.0])
    landed = out[HIPS + 3 : HIPS + 6, 0] * mirror * [-1, 1, 1]
    left = out[HIPS : HIPS + 3, 5] * mirror if 0 in lifting else landed
    ends = [out[REACH + k, 3 * i + 3 : 3 * i + 6].max() for i, k in enumerate(lifting)]
    reach = max([out[REACH + 1, :3].max(), out[REACH, -len(STANCE) :].max(), *ends])
    return plan, np.array([landed, left]), float(reach)


def cleared(plan: RunPlan, scene: RunScene, hips: Array | None = None) -> tuple[RunPlan, Array]:
    """The fitted plan, its swinging feet lifted until they clear the ground; ``hips`` of one that is fitted already."""
    if hips is None:
        plan, hips, _ = fitted(plan, scene)
    even = isinstance(scene.course.terrain, Flat | Slope)
    inside = (LOOKS if even else CLOSELY) * plan.step
    level = isinstance(scene.course.terrain, Flat)
    times = np.concatenate([inside, plan.step + BEYOND])
    higher = _caught(plan) - (0.0 if level else UNSURE)
    for _ in range(LIFTS):
        out = posed_run(plan, scene, times)
        front_sole, rear_sole = out[SOLES : SOLES + 6], out[SOLES + 6 : SOLES + 12]
        front_sole[[1, 4], len(inside) :] += higher
        feet = zip((plan.front, plan.rear), (front_sole, rear_sole))
        lifts = [_scrape(limb, points, times, scene) for limb, points in feet]
        if not any(x.any() for x in lifts):
            break
        front, rear = plan.front.clear.copy(), plan.rear.clear.copy()
        front[0], front[3] = min(front[0] + lifts[0][0], MOST_EARLY), min(front[3] + lifts[0][1], MOST_LATE)
        rear[1], rear[3] = min(rear[1] + lifts[1][0], MOST_EARLY), min(rear[3] + lifts[1][1], MOST_LATE)
        plan = plan._replace(front=plan.front._replace(clear=front), rear=plan.rear._replace(clear=rear))
        plan, hips, _ = fitted(plan, scene)
    return plan, hips


def _caught(plan: RunPlan) -> Array:
    """m that C is higher at :data:`BEYOND` s after the next landing than in free flight: as it was after the last."""
    before = np.array(bounce_at(np.concatenate([[0.0], BEYOND]), plan.bounce))[1]
    return np.asarray(before[1:] - before[0] - plan.bounce.v0[1] * BEYOND + G * BEYOND**2 / 2)


def _scrape(limb: Limb, points: Array, times: Array, scene: RunScene) -> Array:
    """(2,) rad by which a swinging foot should be lifted, in mid-swing and before landing."""
    x = (times - limb.lift) / (limb.land - limb.lift)
    on = (x > 0.03) & (x < 0.99)
    if not on.any():
        return np.zeros(2)
    p, x = points.reshape(2, 3, -1)[:, :, on], x[on]
    ground = scene.course.terrain.height(p[:, [0, 2]].transpose(0, 2, 1), p[:, 1] + 0.1)
    wanted = CLEAR * scene.body.height / 1.75 * np.minimum(1.0, 4 * (x * (1 - x)) ** 1.5)
    short = (wanted - (p[:, 1] - ground)).max(0) / scene.body.leg_length
    s = np.maximum((x - limb.clear[2]) / (1 - limb.clear[2]), 0.0)
    n = np.minimum((1 - x) / NEAR, 1.0)
    lifting, landing = 16 * (s * (1 - s)) ** 2, 16 * (n * (1 - n)) ** 2
    late = x > 1 - 0.7 * NEAR
    need = [
        np.where(~late & (lifting > 0.1), short / np.maximum(lifting, 0.3), 0.0),
        np.where(late, short / np.maximum(landing, 0.15), 0.0),
    ]
    return np.array([min(LIFTING[i] * max(float(n.max()), 0.0), MOST_LIFT) for i, n in enumerate(need)])


def _bank(plan: RunPlan, t: float) -> tuple[float, float]:
    """Bank of the body and its rate."""

    def at(t: float) -> float:
        x = min(t / plan.step, 1.0)
        return float(plan.style0[6] + (plan.style1[6] - plan.style0[6]) * x**3 * (10 + x * (6 * x - 15)))

    return at(t), (at(t + EPS) - at(t - EPS)) / (2 * EPS)


def _sole_ends(limb: Limb, *, leaving: bool) -> Array:
    """(3, 2) value, rate and acceleration (per s) of sole pitch and toe bend of a foot at lift or landing."""
    roll = limb.stand.rolling if leaving else limb.next.rolling
    if not leaving:
        rate = roll.strike * (roll.soft - 3) / (roll.flat - roll.land)
        curve = roll.strike * (6 - 6 * roll.soft) / (roll.flat - roll.land) ** 2
        on_ball = float(roll.strike < 0)
        return np.outer([roll.strike, rate, curve], [1.0, on_ball])
    span, toes = roll.lift - roll.heel_off, roll.lift - roll.toes_off
    rate = -roll.push * (2 * roll.b + (1 - roll.b) * (roll.p - roll.e)) / span
    curve = -roll.push * (2 * roll.b + (1 - roll.b) * (roll.p * (roll.p - 1) - 2 * roll.p * roll.e)) / span**2
    bent = np.array([roll.toes, 2 * roll.toes / toes, 2 * roll.toes / toes**2])
    sole = np.array([-roll.push, rate, curve])
    return np.stack([sole, sole + bent], 1)


def _missing(limb: Limb, wanted: Array, x: float, bank: tuple[float, float]) -> Array:
    """(3, 5) what the keys of a swing lack at one of its ends, per swing; ``wanted`` (3, 5) has rates per second."""
    k = np.arange(limb.keys.shape[1])
    span = limb.land - limb.lift
    powers = np.array([x**k, k * x ** np.maximum(k - 1, 0), k * (k - 1) * x ** np.maximum(k - 2, 0)])
    keys = powers @ limb.keys.T
    have = np.zeros((3, 5))
    have[:, [0, 1, 3]] = keys
    have[:2, 2] = bank[0], bank[1] * span
    goal = wanted * np.array([[1.0], [span], [span * span]])
    # the knee that softly keeps off its limit (run_figure._soft) is the wanted one
    beyond, square = max(goal[0, 1] - STRAIGHT, 0.3 * SOFTNESS), SOFTNESS**2 / 4
    knee, rate, curve = goal[:, 1]
    steep = 1 + square / beyond**2
    goal[:, 1] = knee - square / beyond, rate * steep, curve * steep - 2 * square * rate**2 / beyond**3
    return np.asarray(goal - have)
