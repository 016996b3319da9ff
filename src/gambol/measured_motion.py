"""From the plan of a measured step to its Motion: frames, contacts, and the forces that its mass centre asks for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import G
from gambol.feet import CONTACT_GAP, CONTACT_SPEED
from gambol.figure_parts import COM, ROTATIONS, Figure
from gambol.foot_forces import handed_over, split
from gambol.measured_figure import REACH, MeasuredPlan, Stand, pose_measured, soles_measured
from gambol.motion import Motion
from gambol.skeleton import Skeleton
from gambol.terrain import Terrain

__all__ = ["LOOKS", "Ground", "measured_motion", "measured_reach"]

Array = NDArray[np.float64]
APART = 1 / 120  # s between the three poses that an acceleration is taken from
_ENDS = np.array([0, 0.01, 0.02, 0.035, 0.05, 0.075])
# of a step, where the reach of the legs is looked at: closely at both ends, where a foot lands or leaves
LOOKS = np.concatenate([_ENDS, np.linspace(0.1, 0.9, 17), 1 - _ENDS[::-1]])


class Ground(NamedTuple):
    """Whose motion it is, on which ground, and by which engine it is worked out."""

    skeleton: Skeleton
    terrain: Terrain
    mass: float
    engine: str


def measured_reach(plan: MeasuredPlan, figure: Figure, engine: str) -> Array:
    """Hip to ankle distances m, (2, N), at :data:`LOOKS` of the step."""
    return pose_measured(LOOKS * plan.step, plan, figure, engine, False)[REACH : REACH + 2]


def measured_motion(
    plans: tuple[MeasuredPlan | None, MeasuredPlan, MeasuredPlan | None], figure: Figure, grid: tuple[Array, float],
    ground: Ground, shares: tuple[float, float, float], info: dict[str, Any],
) -> Motion:
    """The frames of one step.

    Args:
        plans: of the step before, this one, and the one after, as far as there are any.
        figure: proportions.
        grid: frame times from the step's start (s), and frames a second.
        ground: see :class:`Ground`.
        shares: of the rear foot in the vertical force at the start and at the end, and s over which it changes.
        info: facts of this stretch.
    """
    plan, neighbours = plans[1], (plans[0], plans[2])
    times, fps = grid
    skeleton, terrain, mass, engine = ground
    n, joints = len(times), len(skeleton)
    around = np.concatenate([times, times - APART, times + APART])
    out = pose_measured(np.clip(around, 0.0, plan.step), plan, figure, engine)
    com = out[COM : COM + 3]
    before, after = neighbours
    if before is not None and (early := around < 0).any():
        there = np.maximum(around[early] + before.step, 0.0)
        com[:, early] = pose_measured(there, before, figure, engine)[COM : COM + 3]
    if after is not None and (late := around > plan.step).any():
        there = np.minimum(around[late] - plan.step, after.step)
        com[:, late] = pose_measured(there, after, figure, engine)[COM : COM + 3]
    acceleration = (com[:, n : 2 * n] - 2 * com[:, :n] + com[:, 2 * n :]) / APART**2
    total = (acceleration.T + [0.0, G, 0.0]) * mass
    out = out[:, :n]
    start, end, span = shares
    rear = end + (start - end) * handed_over(times / span)
    both = np.stack([1 - rear, rear], -1)
    pressure = np.stack([_pressure(plan.front, figure, times), _pressure(plan.rear, figure, times)], 1)
    forces = split(total, both, out[COM : COM + 3].T, pressure)
    pressure = np.where((forces[..., 1] < 0.02 * G * mass)[..., None], np.nan, pressure)
    order = slice(None) if plan.side > 0 else slice(None, None, -1)
    contacts = _contacts(plan, figure, (times, fps), terrain, engine)
    return Motion(
        skeleton, out[:3].T, out[ROTATIONS:COM].reshape(joints, 4, n).transpose(2, 0, 1), fps,
        contacts=contacts.reshape(n, 2, 2)[:, order].reshape(n, 4), forces=forces[:, order],
        pressure=pressure[:, order], com=out[COM : COM + 3].T, mass=mass, name="walk", info=info,
    )


def _contacts(
    plan: MeasuredPlan, figure: Figure, grid: tuple[Array, float], terrain: Terrain, engine: str
) -> NDArray[np.bool_]:
    """(N, 4): stance heel, tip, other heel, tip: within 5 mm of the ground and slower than 5 cm/s."""
    times, fps = grid
    asked = np.concatenate([times, times - 1 / fps, times + 1 / fps])
    points = soles_measured(asked, plan, figure.foot, engine).reshape(4, 3, 3, len(times))
    here = points[:, :, 0]
    speed = np.linalg.norm(points[:, :, 2] - points[:, :, 1], axis=1) * fps / 2
    height = terrain.height(here[:, [0, 2]].transpose(0, 2, 1), here[:, 1] + 0.02)
    return np.asarray(((np.abs(here[:, 1] - height) < CONTACT_GAP) & (speed < CONTACT_SPEED)).T)


def _pressure(stand: Stand, figure: Figure, times: Array) -> Array:
    """Centre of pressure: under the heel, to the ball while the sole is flat, to the tip while the heel is up."""
    roll, foot = stand.rolling, figure.foot
    first = _ease((times - roll.flat) / max(roll.heel_off - roll.flat, 1e-6))
    second = _ease((times - roll.heel_off) / max(roll.toes_off - roll.heel_off, 1e-6))
    ball = 0.85 * foot.ball
    x = -foot.heel + (foot.heel + ball) * first + (foot.tip - ball) * second
    c = np.cos(stand.pitch)
    forward = np.array([np.sin(stand.yaw) * c, np.sin(stand.pitch), np.cos(stand.yaw) * c])
    return np.asarray(stand.place + x[:, None] * forward)


def _ease(u: Array) -> Array:
    u = np.clip(u, 0.0, 1.0)
    return u * u * (3 - 2 * u)
