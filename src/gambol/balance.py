"""The balance term: arms and trunk take what the legs turn.

Equation 11 of Tsutsuguchi et al. 2000 turns the body by a moment of the stance foot, and equation 14 swings the arms,
each for itself; that they ought to know of each other is left there to the future. Here the dials of arm swing and of
the chest's turn are set so that the angular momentum about the vertical over a stride is least. It is linear in the
angle each of them turns by, so that a stride with and one without each gives the best by least squares.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.loop import loop, rounds
from gambol.spin import figure_height, vertical_momentum
from gambol.synthesis import Task, dials
from gambol.terrain import Flat

__all__ = ["Balance", "balanced", "stride_momentum"]

Array = NDArray[np.float64]
TURNERS = {"arm_swing": (0.0, 2.5), "twist": (0.5, 2.0)}  # the dials that balance, and how far they may go
FEWEST = 60.0  # frames a second of the strides that are looked at


class Balance(NamedTuple):
    """Ranges of the vertical angular momentum over a stride, over mass, height and speed.

    Attributes:
        still: with arms and chest that do not turn.
        before: of the walk as it was.
        after: balanced.
        dials: what was set.
    """

    still: float
    before: float
    after: float
    dials: dict[str, float]


def stride_momentum(method: Any, task: Task) -> Array:
    """(N,) angular momentum about the vertical over one steady stride, over mass, height and speed."""
    clip = loop(method, replace(task, fps=max(task.fps, FEWEST)))
    n = len(clip)
    h = np.sum(list(vertical_momentum(rounds(clip, 3)).values()), axis=0)[n : 2 * n]
    speed = float(np.hypot(*np.array(clip.info["loop"]["velocity_m_s"])[[0, 2]]))
    out: Array = h / (figure_height(clip) * speed)
    return out


def balanced(method: Any, task: Task) -> tuple[Any, Balance]:
    """The method with arm swing and turn of the chest such that the legs' turning is taken best.

    Args:
        method: a way of walking with the dials ``arm_swing`` and ``twist``, in its style.
        task: who, how fast, with what in the hands; on level ground, whatever its ground is.

    Raises:
        GambolError: a method without these dials, or a walk without a steady stride.
    """
    known = {d.name for d in dials(method)}
    if missing := set(TURNERS) - known:
        raise GambolError(f"there is no dial {', '.join(sorted(missing))}", where="balance", do="balance a walk")
    none = replace(method, arm_swing=0.0, twist=0.0)
    task = replace(task, terrain=Flat(), duration=None)
    base = stride_momentum(none, task)
    columns = np.stack([stride_momentum(replace(none, **{n: 1.0}), task) - base for n in TURNERS], 1)
    low, high = np.array(list(TURNERS.values())).T
    best = _within(columns, -base, low, high)
    out = replace(method, **{n: float(v) for n, v in zip(TURNERS, best)})
    before, after = stride_momentum(method, task), stride_momentum(out, task)
    if np.ptp(after) > np.ptp(before):  # not linear enough: better left as it was
        out, after = method, before
    return out, Balance(
        float(np.ptp(base)), float(np.ptp(before)), float(np.ptp(after)), {n: float(getattr(out, n)) for n in TURNERS}
    )


def _within(a: Array, b: Array, low: Array, high: Array) -> Array:
    """Least squares of a x = b with x between bounds: two unknowns, each free or held at an end."""
    x = np.clip(np.linalg.lstsq(a, b, rcond=None)[0], low, high)
    for _ in range(20):  # one after the other: a convex problem
        for k in range(len(x)):
            rest = b - a @ x + a[:, k] * x[k]
            x[k] = np.clip(a[:, k] @ rest / max(float(a[:, k] @ a[:, k]), 1e-18), low[k], high[k])
    return x
