"""Draw the pictures of docs/motion_graph.md from the reference captures: python docs/make_graph_pictures.py."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from gambol.body import Body
from gambol.commands import Commands
from gambol.gather import clip_files, gather
from gambol.graph import build_graph
from gambol.graph_picture import draw_graph, draw_take
from gambol.methods.motion_graph import MotionGraphWalk
from gambol.render import strip, write_picture
from gambol.segments import take_of
from gambol.synthesis import Task, generate

ROOT = Path(__file__).resolve().parents[1]
CMU = Path(os.environ.get("GAMBOL_DATA", ROOT.parent / "shared" / "data")) / "mocap" / "cmu"
OUT = ROOT / "docs" / "pictures"
ROWS = [(0, 0), (0.4, 1.2), (3.0, 2.8), (5.5, 2.8), (5.6, 1.2), (8, 0), (9, 0)]  # s, m/s


def main() -> None:
    found = gather(clip_files(CMU))
    graph = build_graph(found.clips)
    draw_graph(graph, OUT / "graph.png")
    clip = next(c for c in found.clips if c.name == "16_55")
    draw_take(take_of(clip), OUT / "take.png")
    task = Task(body=Body(graph.height), commands=Commands.of(ROWS))
    motion = generate(MotionGraphWalk(graph), task)
    picture = strip(motion, None, poses=22, size=(1600, 420), view="side", turn=float(np.radians(0)))
    write_picture(picture, OUT / "followed.png")


if __name__ == "__main__":
    main()
