"""From the plan of a step to its Motion: frames, contacts, forces and pressure in the world."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.feet import CONTACT_GAP, CONTACT_SPEED
from gambol.figure import (
    COM,
    LEAD,
    ROTATIONS,
    ROWS,
    STANDING,
    TRAIL,
    Figure,
    Step,
    StepPlan,
    pose_frames,
    sole_frames,
)
from gambol.footsteps import Footstep
from gambol.motion import Motion
from gambol.roll import Foot, Roll
from gambol.skeleton import Skeleton
from gambol.terrain import Terrain

__all__ = ["Stage", "frames", "posed", "standing_sole", "step_motion"]

Array = NDArray[np.float64]


class Stage(NamedTuple):
    """Whose motion it is, on which ground, and by which engine it is worked out."""

    skeleton: Skeleton
    terrain: Terrain
    mass: float
    engine: str


def frames(start: float, end: float, fps: float, last: bool) -> NDArray[np.int64]:
    """Grid frames i with start <= i / fps < end; the last stretch also owns its end."""
    a = int(np.ceil(start * fps - 1e-7))
    b = int(np.ceil(end * fps - 1e-7))
    return np.arange(a, b + 1 if last else b)


def posed(plan: StepPlan, figure: Figure, times: Array, engine: str) -> Array:
    """(ROWS, N) output of the figure kernels at ``times`` s into the step."""
    out = np.zeros((ROWS, len(times)))
    pose_frames.by(engine)(times, plan, figure, True, out)
    return out


def step_motion(
    plan: StepPlan,
    figure: Figure,
    grid: tuple[Array, float],
    stage: Stage,
    info: dict[str, Any],
) -> Motion:
    """The frames of one step as a Motion.

    Args:
        plan: of the step.
        figure: proportions.
        grid: frame times from the step's start (s), and frames a second.
        stage: whose motion it is, on which ground.
        info: facts of this stretch.
    """
    times, fps = grid
    skeleton, terrain, mass, engine = stage
    n, joints = len(times), len(skeleton)
    out = posed(plan, figure, times, engine)
    rotations = out[ROTATIONS:COM].reshape(joints, 4, n).transpose(2, 0, 1)
    contacts = _contacts(plan, figure, (times, fps), terrain, engine)
    forces, pressure = _forces(plan, figure, times, out, mass)
    order = slice(None) if plan.side > 0 else slice(None, None, -1)
    feet = contacts.reshape(n, 2, 2)[:, order].reshape(n, 4)
    return Motion(
        skeleton,
        out[:3].T,
        rotations,
        fps,
        contacts=feet,
        forces=forces[:, order],
        pressure=pressure[:, order],
        com=out[COM : COM + 3].T,
        mass=mass,
        name="walk",
        info=info,
    )


def _contacts(
    plan: StepPlan, figure: Figure, grid: tuple[Array, float], terrain: Terrain, engine: str
) -> NDArray[np.bool_]:
    """(N, 4): stance heel, tip, other heel, tip: within 5 mm of the ground and slower than 5 cm/s."""
    times, fps = grid
    n = len(times)
    rows, asked = np.empty((12, 3 * n)), np.concatenate([times, times - 1 / fps, times + 1 / fps])
    sole_frames.by(engine)(asked, plan, figure.foot, rows)
    points = rows.reshape(4, 3, 3, n)
    here = points[:, :, 0]
    speed = np.linalg.norm(points[:, :, 2] - points[:, :, 1], axis=1) * fps / 2
    ground = terrain.height(here[:, [0, 2]].transpose(0, 2, 1), here[:, 1] + 0.02)
    return ((np.abs(here[:, 1] - ground) < CONTACT_GAP) & (speed < CONTACT_SPEED)).T


def _forces(plan: StepPlan, figure: Figure, times: Array, out: Array, mass: float) -> tuple[Array, Array]:
    """(N, 2, 3) force N and centre of pressure m: stance foot, other foot."""
    n = len(times)
    forces = np.empty((n, 2, 3))
    forces[:, 0], forces[:, 1] = out[LEAD : LEAD + 3].T, out[TRAIL : TRAIL + 3].T
    forces[:, :, 1] += out[STANDING][:, None] / 2
    pressure = np.stack([_pressure(plan.front, figure, times), _pressure(plan.rear, figure, times)], 1)
    pressure[forces[:, :, 1] < 0.02 * 9.81] = np.nan
    return forces * mass, pressure


def _pressure(step: Step, figure: Figure, times: Array) -> Array:
    """Centre of pressure: under the heel, to the ball while the sole is flat, to the tip while the heel is up."""
    roll: Roll = step.rolling
    foot = figure.foot
    first = _ease((times - roll.flat) / max(roll.heel_off - roll.flat, 1e-6))
    second = _ease((times - roll.heel_off) / max(roll.toes_off - roll.heel_off, 1e-6))
    ball = 0.85 * foot.ball
    x = -foot.heel + (foot.heel + ball) * first + (foot.tip - ball) * second
    c = np.cos(step.pitch)
    forward = np.array([np.sin(step.yaw) * c, np.sin(step.pitch), np.cos(step.yaw) * c])
    return step.place + x[:, None] * forward


def standing_sole(foot: Footstep, shape: Foot) -> tuple[Array, Array]:
    """Heel and toe tip (m) of a foot that lies flat."""
    c = np.cos(foot.pitch)
    forward = np.array([np.sin(foot.yaw) * c, np.sin(foot.pitch), np.cos(foot.yaw) * c])
    return foot.place - shape.heel * forward, foot.place + shape.tip * forward


def _ease(u: Array) -> Array:
    u = np.minimum(np.maximum(u, 0.0), 1.0)
    return u * u * (3 - 2 * u)
