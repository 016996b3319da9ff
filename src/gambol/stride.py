"""From the plan of a step to its Motion: frames, contacts, forces and pressure in the world."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.feet import CONTACT_GAP, CONTACT_SPEED
from gambol.figure import LEAD, ROWS, STANDING, Step, StepPlan, pose_frames, pose_step, sole_points
from gambol.figure_parts import COM, ROTATIONS, Figure
from gambol.footsteps import NONE, SIDES, Footstep
from gambol.kernels import kernel
from gambol.lowering import Sketch, Way, lowered
from gambol.motion import Motion
from gambol.roll import Foot
from gambol.skeleton import Skeleton
from gambol.terrain import Terrain
from gambol.walker import Scene

__all__ = ["Stage", "frames", "posed", "standing_soles", "step_motion", "stride"]

Array = NDArray[np.float64]
# rows of a frame after those of the figure: soles one frame before, now and one later, their speeds, pressure
BEFORE, HERE, AFTER, SPEED, PRESSED, WIDE = (ROWS + k for k in (0, 12, 24, 36, 40, 46))


class Stage(NamedTuple):
    """Whose motion it is, on which ground, and at how many frames a second."""

    skeleton: Skeleton
    terrain: Terrain
    mass: float
    fps: float


def frames(start: float, end: float, fps: float, last: bool) -> NDArray[np.int64]:
    """Grid frames i with start <= i / fps < end; the last stretch also owns its end."""
    a, b = grid(start, end, fps, last)
    return np.arange(a, b)


@kernel
def grid(start, end, fps, last):  # type: ignore[no-untyped-def]
    """First frame, and the one after the last: those of :func:`frames`."""
    return int(np.ceil(start * fps - 1e-7)), int(np.ceil(end * fps - 1e-7)) + (1 if last else 0)


@kernel
def stride(way: Way, before: tuple[Sketch, bool, float], fps, scene: Scene):  # type: ignore[no-untyped-def]
    """One step planned and posed.

    Args:
        way: from where to where.
        before: this step as sketched one step ago, whether that does not hold any more, and the m that C is lowered
            by when standing.
        fps: frames a second.
        scene: what stays the same.

    Returns:
        plan, walker at its end, sketch of the next step, and the frames ``(N, WIDE)`` of this one.
    """
    plan, after, sketch = lowered(way, before[0], before[1], before[2], scene)
    a, b = grid(way.walker.time, after.time, fps, way.ahead.one.kind == NONE)
    times = np.empty(b - a)
    for i in range(b - a):
        times[i] = (a + i) / fps - way.walker.time
    out = np.zeros((b - a, WIDE))
    _frames(times, fps, plan, scene.figure, out)
    return plan, after, sketch, out


def _one_by_one(t, fps, p: StepPlan, fig: Figure, out):  # type: ignore[no-untyped-def]
    for i in range(len(t)):
        _frame(t[i], fps, p, fig, out[i])


@kernel(loop=_one_by_one)
def _frames(t, fps, p: StepPlan, fig: Figure, out):  # type: ignore[no-untyped-def]
    """:func:`_frame` for ``t`` (N,), frame by frame in ``out`` (N, WIDE)."""
    _frame(t, fps, p, fig, out.T)


@kernel
def _frame(t, fps, p: StepPlan, fig: Figure, out):  # type: ignore[no-untyped-def]
    """The figure, the soles' places and speeds (stance heel, tip, other heel, tip), and where each foot is pressed."""
    pose_step(t, p, fig, True, out)
    sole_points(t, p, fig.foot, out[HERE : HERE + 12])
    sole_points(t - 1 / fps, p, fig.foot, out[BEFORE : BEFORE + 12])
    sole_points(t + 1 / fps, p, fig.foot, out[AFTER : AFTER + 12])
    for k in range(4):
        i, j = BEFORE + 3 * k, AFTER + 3 * k
        x, y, z = out[j] - out[i], out[j + 1] - out[i + 1], out[j + 2] - out[i + 2]
        out[SPEED + k] = np.sqrt(x * x + y * y + z * z) * fps / 2
    _pressed(t, p.front, fig.foot, out, PRESSED)
    _pressed(t, p.rear, fig.foot, out, PRESSED + 3)


@kernel
def _pressed(t, step: Step, foot: Foot, out, row):  # type: ignore[no-untyped-def]
    """Centre of pressure: under the heel, to the ball while the sole is flat, to the tip while the heel is up."""
    roll = step.rolling
    first = _ease((t - roll.flat) / max(roll.heel_off - roll.flat, 1e-6))
    second = _ease((t - roll.heel_off) / max(roll.toes_off - roll.heel_off, 1e-6))
    ball = 0.85 * foot.ball
    x = -foot.heel + (foot.heel + ball) * first + (foot.tip - ball) * second
    c, s = np.cos(step.pitch), np.sin(step.pitch)
    out[row] = step.place[0] + x * (np.sin(step.yaw) * c)
    out[row + 1] = step.place[1] + x * s
    out[row + 2] = step.place[2] + x * (np.cos(step.yaw) * c)


@kernel
def _ease(u):  # type: ignore[no-untyped-def]
    u = np.minimum(np.maximum(u, 0.0), 1.0)
    return u * u * (3 - 2 * u)


def step_motion(rows: Array, side: int, stage: Stage, info: dict[str, Any]) -> Motion:
    """The frames of one step as a Motion.

    Args:
        rows: ``(N, WIDE)`` of :func:`stride`.
        side: +1 where the left foot is the stance foot, -1 the right one.
        stage: whose motion it is, on which ground.
        info: facts of this stretch.
    """
    skeleton, terrain, mass, fps = stage
    n, joints = len(rows), len(skeleton)
    soles = rows[:, HERE : HERE + 12].reshape(n, 2, 2, 3)
    ground = terrain.height(soles[..., [0, 2]], soles[..., 1] + 0.02)
    still = rows[:, SPEED : SPEED + 4].reshape(n, 2, 2) < CONTACT_SPEED
    contacts = still & (np.abs(soles[..., 1] - ground) < CONTACT_GAP)
    forces = rows[:, LEAD : LEAD + 6].reshape(n, 2, 3).copy()
    forces[:, :, 1] += rows[:, STANDING, None] / 2
    pressure = rows[:, PRESSED:WIDE].reshape(n, 2, 3).copy()
    pressure[forces[:, :, 1] < 0.02 * 9.81] = np.nan
    order = slice(None) if side > 0 else slice(None, None, -1)
    return Motion(
        skeleton, rows[:, :3], rows[:, ROTATIONS:COM].reshape(n, joints, 4), fps,
        contacts=contacts[:, order].reshape(n, 4), forces=mass * forces[:, order], pressure=pressure[:, order],
        com=rows[:, COM : COM + 3], mass=mass, name="walk", info=info,
    )  # fmt: skip


def posed(plan: StepPlan, figure: Figure, times: Array, engine: str) -> Array:
    """(ROWS, N) output of the figure kernels at ``times`` s into the step."""
    out = np.zeros((ROWS, len(times)))
    pose_frames.by(engine)(times, plan, figure, True, out)
    return out


def standing_soles(feet: tuple[Footstep, ...], shape: Foot) -> dict[str, Array]:
    """Sole point -> (3,) m: heels and toe tips of feet that lie flat."""
    out: dict[str, Array] = {}
    for foot in feet:
        c = np.cos(foot.pitch)
        forward = np.array([np.sin(foot.yaw) * c, np.sin(foot.pitch), np.cos(foot.yaw) * c])
        out[f"{SIDES[foot.side]}_heel"] = foot.place - shape.heel * forward
        out[f"{SIDES[foot.side]}_toe_tip"] = foot.place + shape.tip * forward
    return out
