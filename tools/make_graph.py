"""Make src/gambol/data/made.graph, the graph used where no captured clips are at hand.

Run it as: python tools/make_graph.py
Its clips are walks of the force method at several speeds, straight and in circles, with their starts and stops; and
runs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gambol.body import Body
from gambol.gait import Gait
from gambol.graph import build_graph
from gambol.graph_file import encode_graph
from gambol.methods.force_walk import ForceWalk
from gambol.methods.running import Running
from gambol.path import Path as Way
from gambol.synthesis import Task, generate

OUT = Path(__file__).resolve().parents[1] / "src" / "gambol" / "data" / "made.graph"
HEIGHT, FPS = 1.75, 120.0
STRAIGHT = (0.6, 0.9, 1.2, 1.5, 1.9)  # m/s
RUNS = (2.2, 3.0, 4.0)  # m/s
CIRCLES = ((0.7, 0.7), (0.9, 1.2), (1.2, 2.5))  # m/s, radius m


def circle(radius: float, sweep: float = 2.4) -> Way:
    """An arc to the left."""
    a = np.linspace(0, sweep, 120)
    return Way(np.stack([radius * (1 - np.cos(a)), 0 * a, radius * np.sin(a)], 1))


def walks():
    """(clip, name) of every walk."""
    body = Body(HEIGHT)
    for v in STRAIGHT:
        way = Way(np.array([[0.0, 0, 0], [0, 0, 2.2 + 1.6 * v]]))
        yield generate(ForceWalk(), Task(body=body, path=way, gait=Gait(speed=v), fps=FPS)), f"walk {v} m/s"
    for v, radius in CIRCLES:
        task = Task(body=body, path=circle(radius), gait=Gait(speed=v), fps=FPS)
        yield generate(ForceWalk(), task), f"circle {radius} m"


def runs():
    """(clip, name) of every run, which begins and ends in a stand."""
    for v in RUNS:
        way = Way(np.array([[0.0, 0, 0], [0, 0, 4.5 * v]]))
        yield generate(Running(), Task(body=Body(HEIGHT), path=way, gait=Gait(speed=v), fps=FPS)), f"run {v} m/s"


def main() -> None:
    """Build the graph and write it."""
    from dataclasses import replace

    clips = [replace(m, name=n, info={}) for m, n in (*walks(), *runs())]
    graph = build_graph(clips)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_bytes(encode_graph(graph))
    for s, g in graph.groups.items():
        print(s, len(g), np.round([(g.travel / g.duration).min(), (g.travel / g.duration).max()], 2))
    print(graph.left_out[:10], graph.cuts, OUT.stat().st_size)


if __name__ == "__main__":
    main()
