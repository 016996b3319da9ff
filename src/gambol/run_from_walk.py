"""From a walk into a run in one step: at a heel strike the rear foot pushes off as it would, the front foot runs.

People change gait within one step (Segers et al. 2007): the step lands as in walking and takes off into flight.
The rear foot's force fades out over its double support, joint angles above the legs leave the walk's with their rates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.figure_parts import ROTATIONS
from gambol.flight import Carry
from gambol.reaction import foot_motion
from gambol.run_figure import UPPER, RunPlan
from gambol.run_fit import posed_run
from gambol.run_habits import landing_roll, run_style
from gambol.run_laws import RunPace
from gambol.run_step import NO_OFFSET
from gambol.run_table import swing_polynomials
from gambol.runner import Runner, RunScene, Swinging
from gambol.synthesis import Handover

__all__ = ["later_in", "offsets", "runner_of"]

Array = NDArray[np.float64]
LEFT_IN = 0.3  # s, within which the upper body leaves the walk's posture
EPS = 1e-4  # s
HIPS = np.array([[0.057, -0.043, -0.002], [0.052, -0.051, -0.012]])  # of body height
LATEST = 0.4  # of a run's swing, from where on the leg that leaves the ground out of a walk goes


def runner_of(after: Handover, pace: RunPace, scene: RunScene) -> Runner:
    """A runner at the heel strike of a walk.

    Raises:
        GambolError: for a handover in motion that does not say how the walk goes.
    """
    w = after.walker
    if w is None:
        raise GambolError(
            f"the figure still moves at {np.linalg.norm(after.velocity):.2f} m/s, and not in a walk", where="running",
            allowed="a handover from a stand or a walk", do="let the motion before come to rest",
        )
    t, tc = pace.step_time, pace.contact
    usual = landing_roll(w.time, pace, scene)
    roll = w.front_roll._replace(
        heel_off=max(usual.heel_off, w.front_roll.flat + 0.02), toes_off=usual.toes_off, lift=w.time + tc,
        push=usual.push, b=0.0, p=usual.p, e=0.0, toes=usual.toes,
    )
    force = np.array(foot_motion(0.0, w.trail, w.trail_stance, w.trail_shift, w.double)[3:6])
    nothing, zero = np.zeros((3, 5)), np.zeros(3)
    rear = Swinging(w.rear, w.rear_roll, w.time + w.double, w.time + t, swing_polynomials(2.0), nothing, np.zeros(2))
    path = scene.course.path
    return Runner(
        w.time, w.front, roll, rear, w.border.position, w.border.velocity, pace, path.nearest(w.border.position), w.yaw,
        w.yaw_rate, w.phase_rate, run_style(pace, scene, 0.0, 0.0), HIPS * scene.body.height, "change",
        Carry(force, w.double, zero, 0.0), nothing, nothing, 2, np.zeros(2), NO_OFFSET, 0.0,
    )


def offsets(plan: RunPlan, scene: RunScene, after: Handover) -> Array:
    """(14, 6) turn of the joints above the legs from the run's to those handed over, and its rate at the start."""
    out = posed_run(plan, scene, np.array([0.0, EPS]))
    run = out[ROTATIONS : ROTATIONS + 4 * UPPER].reshape(UPPER, 4, 2).transpose(2, 0, 1)
    there = after.pose.rotations[:UPPER]
    spin = np.zeros((UPPER, 3)) if after.spin is None else after.spin[:UPPER]
    walk = np.stack([there, quat.multiply(there, quat.exp(spin * EPS))])
    turn = quat.log(quat.multiply(quat.conjugate(run), walk))
    return np.concatenate([turn[0], (turn[1] - turn[0]) / EPS], 1)


def later_in(runner: Runner, plan: RunPlan) -> Runner:
    """The runner whose rear leg, which leaves the ground more bent than a run's, swings on as a run's from there on."""
    keys, missing = runner.rear.keys, plan.rear.start
    x = np.linspace(0.0, LATEST, 101)
    knees = np.polynomial.polynomial.polyval(x, keys[1])
    at = float(x[np.argmin(np.abs(knees - knees[0] - missing[0, 1]))])
    on = np.polynomial.Polynomial([at, 1 - at])
    rest = np.zeros_like(keys)
    for row, key in zip(rest, keys):
        part = np.polynomial.Polynomial(key)(on).coef
        row[: len(part)] = part
    return runner._replace(rear=runner.rear._replace(keys=rest))
