"""Figures of a walk from its clip: the paper's, and joint angles and forces against measured bands."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gambol import plot_curves, plot_sketch
from gambol.errors import GambolError, MissingExtra
from gambol.motion import Motion

if TYPE_CHECKING:
    from gambol.plot_curves import Norms

__all__ = ["FIGURES", "Drawing", "plot", "read_norms"]

DPI = 130
STYLE: dict[Any, Any] = {
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 9, "axes.edgecolor":
    "#7d8790", "axes.labelcolor": "#33383d", "xtick.color": "#7d8790", "ytick.color": "#7d8790", "text.color":
    "#33383d", "font.family": "DejaVu Sans", "svg.hashsalt": "gambol",
}


class Drawing(NamedTuple):
    """How a figure is drawn, in inches, and what it shows."""

    draw: Callable[..., None]
    size: tuple[float, float]
    meaning: str


FIGURES: dict[str, Drawing] = {
    "forces": Drawing(plot_curves.forces, (7.2, 2.8), "2, 4, 5: vertical force over the stance, level, up, down"),
    "phases": Drawing(plot_curves.phases, (7.2, 2.2), "3: heel, sole and toes on the ground"),
    "legs": Drawing(plot_sketch.legs, (7.6, 3.0), "7 to 10: the leg's angles in the phases of a stance"),
    "com": Drawing(plot_curves.com, (6.4, 5.0), "11: acceleration, velocity and position of the mass centre"),
    "top": Drawing(plot_sketch.top, (4.6, 4.4), "12: the turn of a step from above"),
    "turning": Drawing(plot_curves.turning, (6.4, 5.6), "13: turn, rate and pulses, and the turning left over"),
    "reach": Drawing(plot_sketch.reach, (7.2, 3.2), "14, 15: the arm's angles, shoulders against pelvis"),
    "arms": Drawing(plot_curves.arms, (6.4, 3.8), "16: arm swing and the moment that drives it"),
    "steps": Drawing(plot_sketch.steps, (7.6, 5.2), "17, 18: step objects and modes"),
    "angles": Drawing(plot_curves.angles, (7.6, 4.6), "joint angles and forces over the gait cycle"),
}
ROWS = {"hip": "Hip Flex", "knee": "Knee Flex", "ankle": "Ankle Dorsi", "vertical": "Vertical", "fore-aft": "Anterior"}
CLASSES = {"very_slow": 0.166, "slow": 0.282, "free": 0.398, "fast": 0.513, "very_fast": 0.696}


def plot(motion: Motion, name: str, norms: Norms | None = None) -> bytes:
    """One figure as the bytes of a PNG.

    Args:
        motion: a walk.
        name: of :data:`FIGURES`.
        norms: measured mean and standard deviation of curves, for ``angles``.

    Raises:
        GambolError: a figure that is not known or a clip that lacks what it shows.
        MissingExtra: where matplotlib is not installed.
    """
    if name not in FIGURES:
        raise GambolError(f"no figure is called {name!r}", where="plot", allowed=", ".join(FIGURES))
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "a figure") from None
    import io

    row, out = FIGURES[name], io.BytesIO()
    with rc_context(STYLE):
        figure = Figure(figsize=row.size, layout="constrained")
        FigureCanvasAgg(figure)
        row.draw(figure, motion, norms)
        figure.savefig(out, dpi=DPI, metadata={"Software": None})
    return out.getvalue()


def read_norms(folder: str | Path, speed_hat: float) -> dict[str, Any]:
    """Bands of Schwartz, Rozumalski and Trost (2008) for the class nearest to a speed.

    Args:
        folder: with joint_angles.csv and ground_reaction_forces.csv: a quantity and percent_cycle, then mean and
            standard deviation of five speeds.
        speed_hat: v / sqrt(g leg).

    Raises:
        GambolError: for a folder without these files.
    """
    speed = min(CLASSES, key=lambda c: abs(CLASSES[c] - speed_hat))
    out = {}
    for name, begins in ROWS.items():
        file = Path(folder) / ("joint_angles.csv" if name in ("hip", "knee", "ankle") else "ground_reaction_forces.csv")
        try:
            with file.open(encoding="utf-8") as lines:
                rows = [r for r in csv.DictReader(lines) if str(next(iter(r.values()))).startswith(begins)]
            mean, sd = (np.array([float(r[f"{speed}_{k}"]) for r in rows]) for k in ("mean", "sd"))
        except (OSError, KeyError, ValueError, StopIteration) as error:
            why = error.strerror if isinstance(error, OSError) else f"it lacks {error}"
            allowed = "tables of a gait cycle"
            raise GambolError(str(why), where=str(file), allowed=allowed, do="leave --norms out") from error
        if len(mean) == 51:
            out[name] = (mean, sd)
    return out
