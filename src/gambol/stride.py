"""From the plan of a step to its Motion: frames, contacts, forces and pressure in the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.feet import CONTACT_GAP, CONTACT_SPEED
from gambol.figure import LEAD, ROWS, STANDING, Step, StepPlan, pose_step, sole_frames
from gambol.figure_parts import COM, ROTATIONS, Figure
from gambol.footsteps import NONE, SIDES, Footstep
from gambol.kernels import kernel
from gambol.lowering import Sketch, Way, lowered
from gambol.motion import Motion, gathered
from gambol.roll import Foot
from gambol.skeleton import Skeleton
from gambol.terrain import Terrain
from gambol.walker import Scene

__all__ = ["TURN", "Stage", "Stretch", "frames", "standing_soles", "stride", "strides_motion"]

Array = NDArray[np.float64]
# rows of a frame after those of the figure: soles (heel, tip of either foot), their speeds, pressure
HERE, SPEED, PRESSED, WIDE = (ROWS + k for k in (0, 12, 16, 22))
TURN = 1e-4  # s, over which the turning of the joints is taken


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
def stride(way: Way, before: tuple[Sketch, bool, float], fps, scenes: tuple[Scene, Scene]):  # type: ignore[no-untyped-def]
    """One step planned and posed.

    Args:
        way: from where to where.
        before: this step as sketched one step ago, whether that does not hold any more, and the m that C is lowered
            by when standing.
        fps: frames a second.
        scenes: what stays the same in this step, and in the next.

    Returns:
        walker at its end, sketch of the next step, the frames ``(N, WIDE)`` of this one, left foot first, and the
        figure at its end and :data:`TURN` s before (2, WIDE).
    """
    scene = scenes[0]
    plan, after, sketch = lowered(way, before[0], before[1], before[2], scenes)
    a, b = grid(way.walker.time, after.time, fps, way.ahead.one.kind == NONE)
    n = b - a
    out, times, soles = np.zeros((n + 2, WIDE)), np.empty(n + 3), np.empty((12, n + 2))
    for i in range(n + 2):  # one more on either side
        times[i] = (a + i - 1) / fps - way.walker.time
    sole_frames(times[: n + 2], plan, scene.figure.foot, soles)
    times[n + 1], times[n + 2] = plan.step, plan.step - TURN
    _frames(times[1 : n + 3], plan, scene.figure, out)
    rows, end = out[:n], out[n:]
    rows[:, HERE:SPEED] = soles[:, 1:-1].T
    moved = (soles[:, 2:] - soles[:, :-2]) * (fps / 2)
    for k in range(4):
        rows[:, SPEED + k] = np.sqrt(moved[3 * k] ** 2 + moved[3 * k + 1] ** 2 + moved[3 * k + 2] ** 2)
    if plan.side < 0:
        for at, width in ((HERE, 6), (SPEED, 2), (LEAD, 3), (PRESSED, 3)):
            _exchanged(rows, at, width)
    return after, sketch, rows, end


@kernel
def _exchanged(out, at, width):  # type: ignore[no-untyped-def]
    """The columns of the stance foot and of the other one, ``width`` each from ``at``, change places."""
    first = out[:, at : at + width].copy()
    out[:, at : at + width] = out[:, at + width : at + 2 * width]
    out[:, at + width : at + 2 * width] = first


def _one_by_one(t, p: StepPlan, fig: Figure, out):  # type: ignore[no-untyped-def]
    for i in range(len(t)):
        _frame(t[i], p, fig, out[i])


@kernel(loop=_one_by_one)
def _frames(t, p: StepPlan, fig: Figure, out):  # type: ignore[no-untyped-def]
    """:func:`_frame` for ``t`` (N,), frame by frame in ``out`` (N, WIDE)."""
    _frame(t, p, fig, out.T)


@kernel
def _frame(t, p: StepPlan, fig: Figure, out):  # type: ignore[no-untyped-def]
    """The figure, and where each foot is pressed: stance foot, other foot."""
    pose_step(t, p, fig, True, out)
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


@dataclass(frozen=True)
class Stretch:
    """One step before it is a Motion: frames ``(N, WIDE)`` of :func:`stride`, and its facts."""

    rows: Array
    info: dict[str, Any]

    def __len__(self) -> int:
        return len(self.rows)


def strides_motion(steps: list[Stretch], stage: Stage) -> Motion:
    """The frames of steps that follow each other as one Motion."""
    skeleton, terrain, mass, fps = stage
    rows = steps[0].rows if len(steps) == 1 else np.concatenate([step.rows for step in steps])
    n, joints = len(rows), len(skeleton)
    soles = rows[:, HERE : HERE + 12].reshape(n, 4, 3)
    ground = terrain.height(soles[..., [0, 2]], soles[..., 1] + 0.02)
    still = rows[:, SPEED : SPEED + 4] < CONTACT_SPEED
    forces = rows[:, LEAD : LEAD + 6].reshape(n, 2, 3).copy()
    forces[:, :, 1] += rows[:, STANDING, None] / 2
    pressure = rows[:, PRESSED:WIDE].reshape(n, 2, 3).copy()
    pressure[forces[:, :, 1] < 0.02 * 9.81] = np.nan
    return Motion(
        skeleton, rows[:, :3], rows[:, ROTATIONS:COM].reshape(n, joints, 4), fps,
        contacts=still & (np.abs(soles[..., 1] - ground) < CONTACT_GAP), forces=mass * forces, pressure=pressure,
        com=rows[:, COM : COM + 3], mass=mass, name="walk", info=gathered([step.info for step in steps]),
    )  # fmt: skip


def standing_soles(feet: tuple[Footstep, ...], shape: Foot) -> dict[str, Array]:
    """Sole point -> (3,) m: heels and toe tips of feet that lie flat."""
    out: dict[str, Array] = {}
    for foot in feet:
        c = np.cos(foot.pitch)
        forward = np.array([np.sin(foot.yaw) * c, np.sin(foot.pitch), np.cos(foot.yaw) * c])
        out[f"{SIDES[foot.side]}_heel"] = foot.place - shape.heel * forward
        out[f"{SIDES[foot.side]}_toe_tip"] = foot.place + shape.tip * forward
    return out
