"""A motion graph drawn: its coarse and fine level, and what speeds and turns each group holds."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import MissingExtra
from gambol.graph import MotionGraph, gait_of
from gambol.io.target import replace_all
from gambol.segments import RATE, Take, peaks

__all__ = ["draw_graph", "draw_take"]

COLOURS = {"stand": "#7a8793", "walk": "#2f6fb3", "run": "#d2622a", "transition": "#8a6fb0"}
ARROW = {"arrowstyle": "-|>", "color": "#9aa5ae", "shrinkA": 20, "shrinkB": 20, "connectionstyle": "arc3,rad=0.12"}
STRIP = {"S": "#7a8793", "D": "#b9c3cc", "L": "#2f6fb3", "R": "#d2622a", "F": "#ffffff"}


def draw_graph(graph: MotionGraph, target: Path) -> None:
    """Write a picture (.png or .svg): nodes by kind with their edges, and the groups in speed and turn.

    Raises:
        MissingExtra: without matplotlib.
    """
    plt = _matplotlib()
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5.2), layout="constrained")
    places = _places(graph)
    for a, after in graph.edges.items():
        for b in after:
            if a != b:
                left.annotate(
                    "", places[b], places[a],
                    arrowprops=ARROW,
                )
    for s, (x, y) in places.items():
        left.text(
            x, y, f"{s}\n{len(graph.groups[s])}", ha="center", va="center", color="white", fontsize=9,
            bbox={"boxstyle": "round,pad=0.45", "fc": _colour(s), "ec": "none"},
        )
    left.set_xlim(-0.6, 3.6)
    left.set_ylim(min(y for _, y in places.values()) - 0.8, max(y for _, y in places.values()) + 0.8)
    left.set_title("strings, and what may follow (number of segments)")
    left.axis("off")
    for s, g in graph.groups.items():
        v, w = g.travel / g.duration, np.degrees(g.turn / g.duration)
        right.scatter(v, w, s=14, alpha=0.7, color=_colour(s), label=_kind(s))
    handles, labels = right.get_legend_handles_labels()
    right.legend(*zip(*dict(zip(labels, zip(handles, labels))).values()), frameon=False)
    right.set_xlabel("speed, m/s")
    right.set_ylabel("turn to the left, degrees/s")
    right.set_title("segments")
    right.spines[["top", "right"]].set_visible(False)
    _write(figure, target, plt)


def draw_take(take: Take, target: Path) -> None:
    """Write a picture of one analysed clip: height of the centre of mass with its peaks, and the strip of footsteps."""
    plt = _matplotlib()
    figure, (top, strip) = plt.subplots(2, 1, figsize=(10, 4), sharex=True, height_ratios=(4, 1), layout="constrained")
    t = np.arange(len(take.com)) / RATE
    y = take.com[:, 1] - take.ground
    top.plot(t, y, color="#2f6fb3")
    high = peaks(y, RATE)
    top.plot(t[high], y[high], "o", color="#d2622a", label="peaks: here is a cut")
    top.set_ylabel("centre of mass, m")
    top.set_title(take.motion.name)
    top.legend(frameon=False)
    starts = [0, *(i for i in range(1, len(take.letters)) if take.letters[i] != take.letters[i - 1]), len(take.letters)]
    for a, b in pairwise(starts):
        letter = take.letters[a]
        strip.axvspan(t[a], t[b - 1] + 1 / RATE, color=STRIP[letter])
        if b - a > 0.04 * RATE:
            strip.text((t[a] + t[b - 1]) / 2, 0.5, letter, ha="center", va="center", fontsize=8)
    strip.set_yticks([])
    strip.set_ylim(0, 1)
    strip.set_xlabel("s")
    for axes in (top, strip):
        axes.spines[["top", "right"]].set_visible(False)
    _write(figure, target, plt)


def _matplotlib() -> Any:
    try:
        import matplotlib

        matplotlib.use("agg")
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "drawing a graph") from None
    return plt


def _kind(string: str) -> str:
    kind = gait_of(string)
    return "transition" if kind == string else kind


def _colour(string: str) -> str:
    return COLOURS[_kind(string)]


def _places(graph: MotionGraph) -> dict[str, tuple[float, float]]:
    """Starts at the left, walking, changes of gait, running at the right."""
    columns: dict[int, list[str]] = {}
    for s in graph.groups:
        kind = gait_of(s)
        columns.setdefault({"walk": 1, "run": 3}.get(kind, 0 if "S" in s else 2), []).append(s)
    return {s: (float(x), 1.2 * (i - (len(c) - 1) / 2)) for x, c in columns.items() for i, s in enumerate(sorted(c))}


def _write(figure: Any, target: Path, plt: Any) -> None:
    data = io.BytesIO()
    kind = Path(target).suffix.lstrip(".").lower() or "png"
    figure.savefig(data, format=kind, dpi=110, metadata={"Software": None} if kind == "png" else {"Date": None})
    plt.close(figure)
    replace_all([(target, data.getvalue())])
