"""From the plan of a step of a run to its Motion: frames, contacts, forces and pressure in the world."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.feet import CONTACT_GAP, CONTACT_SPEED
from gambol.figure import Step
from gambol.figure_parts import ROTATIONS
from gambol.flight import carried_force, foot_force
from gambol.motion import Motion
from gambol.run_figure import COM, SOLES, RunPlan
from gambol.run_fit import posed_run
from gambol.runner import RunScene

__all__ = ["run_motion"]

Array = NDArray[np.float64]
LOADED = 0.02 * 9.81  # m/s2 of force below which a foot has no centre of pressure


def run_motion(
    plan: RunPlan, scene: RunScene, grid: tuple[Array, float], shared: Array, info: dict[str, Any]
) -> Motion:
    """The frames of one step as a Motion.

    Args:
        plan: of the step.
        scene: whose step it is, and where.
        grid: frame times from the step's start (s), and frames a second.
        shared: (N,) share of what fades out that the rear foot carries; the front foot carries the rest.
        info: facts of this stretch.
    """
    times, fps = grid
    n, skeleton = len(times), scene.body.skeleton
    asked = np.concatenate([times, times[:1] - 1 / fps, times[-1:] + 1 / fps]) if n else times
    out = posed_run(plan, scene, asked)
    rotations = out[ROTATIONS:COM, :n].reshape(len(skeleton), 4, n).transpose(2, 0, 1)
    order = slice(None) if plan.side > 0 else slice(None, None, -1)
    contacts = _contacts(plan, scene, times, fps, out).reshape(n, 2, 2)[:, order].reshape(n, 4)
    forces, pressure = _forces(plan, scene, times, shared)
    mass = float(scene.body.mass or 0)
    return Motion(
        skeleton, out[:3, :n].T, rotations, fps, contacts=contacts, forces=mass * forces[:, order],
        pressure=pressure[:, order], com=out[COM : COM + 3, :n].T, mass=mass, name="run", info=info,
    )


def _contacts(plan: RunPlan, scene: RunScene, times: Array, fps: float, out: Array) -> NDArray[np.bool_]:
    """(N, 4): front heel, tip, rear heel, tip: within 5 mm of the ground and slower than 5 cm/s."""
    n = len(times)
    if n == 0:
        return np.zeros((0, 4), bool)
    points = out[SOLES : SOLES + 12].reshape(4, 3, -1)
    around = np.concatenate([points[..., n : n + 1], points[..., :n], points[..., n + 1 :]], -1)
    here = points[..., :n]
    speed = np.linalg.norm(around[..., 2:] - around[..., :-2], axis=1) * fps / 2
    ground = scene.course.terrain.height(here[:, [0, 2]].transpose(0, 2, 1), here[:, 1] + 0.02)
    on = (np.abs(here[:, 1] - ground) < CONTACT_GAP) & (speed < CONTACT_SPEED)
    # the frames about landing and toe-off, whose neighbours are in the air: a point that stands exactly
    held = np.stack([times < plan.front.lift] * 2 + [times < plan.rear.lift] * 2)
    still = _still(plan, times, here)
    return np.asarray((on | (held & still & (np.abs(here[:, 1] - ground) < CONTACT_GAP))).T)


def _still(plan: RunPlan, times: Array, here: Array) -> NDArray[np.bool_]:
    """(4, N) the point a standing foot turns about: the heel until the sole is flat, the tip from then on."""
    rows = []
    for limb in (plan.front, plan.rear):
        roll = limb.stand.rolling
        heel = (times <= roll.flat) if roll.strike > 0 else (times < -1e9)
        rows += [heel | ((times > roll.flat) & (times <= roll.heel_off)), (times >= roll.flat) | (roll.strike <= 0)]
    return np.stack(rows)


def _forces(plan: RunPlan, scene: RunScene, times: Array, shared: Array) -> tuple[Array, Array]:
    """(N, 2, 3) force per kg and centre of pressure m: front foot, rear foot."""
    fade, rise = carried_force(times, plan.bounce)
    forces = np.zeros((len(times), 2, 3))
    forces[:, 0] = (foot_force(times, plan.bounce) + rise + (1 - shared) * fade).T
    forces[:, 1] = (shared * fade).T
    pressure = np.stack([_pressure(limb.stand, scene, times) for limb in (plan.front, plan.rear)], 1)
    pressure[forces[:, :, 1] < LOADED] = np.nan
    return forces, pressure


def _pressure(step: Step, scene: RunScene, times: Array) -> Array:
    """Centre of pressure: from heel (or ball) to the ball while the sole is flat, to the tip while the heel is up."""
    roll, foot = step.rolling, scene.figure.foot
    first = _ease((times - roll.land) / max(roll.heel_off - roll.land, 1e-6))
    second = _ease((times - roll.heel_off) / max(roll.lift - roll.heel_off, 1e-6))
    ball = 0.85 * foot.ball
    start = -foot.heel if roll.strike > 0 else foot.ball
    x = start + (ball - start) * first + (foot.tip - ball) * second
    c = np.cos(step.pitch)
    forward = np.array([np.sin(step.yaw) * c, np.sin(step.pitch), np.cos(step.yaw) * c])
    return np.asarray(step.place + x[:, None] * forward)


def _ease(u: Array) -> Array:
    u = np.minimum(np.maximum(u, 0.0), 1.0)
    return np.asarray(u * u * (3 - 2 * u))
