"""Draw the pictures of docs/files.md: python docs/make_file_pictures.py (needs matplotlib)."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from gambol.feet import sole_points, stances
from gambol.io import load_motion
from gambol.loop import rounds
from gambol.retouch import loop_of, planted
from gambol.roles import roles_of
from gambol.soles import soled

ROOT = Path(__file__).resolve().parents[1]
TAKE = ROOT / "tests" / "cases" / "U056_two_strides_noisy.bvh"
NAMES = ("left heel", "left toe tip", "right heel", "right toe tip")
COLOURS = ("#1f6fb4", "#7fb3dd", "#c4511d", "#eda47f")


def main() -> None:
    take = load_motion(TAKE)
    take = soled(take, roles_of(take.skeleton))
    clean, _ = planted(take)
    loop, account = loop_of(take)
    figure, (feet, knee) = plt.subplots(1, 2, figsize=(11, 3.6), constrained_layout=True)
    for k, (name, colour) in enumerate(zip(NAMES, COLOURS)):
        for points, style in ((sole_points(take)[:, k], ":"), (sole_points(clean)[:, k], "-")):
            for n, s in enumerate(s for s in stances(clean.contacts) if s.sole == k):
                part = points[s.first : s.end, [0, 2]]
                away = 1e3 * np.linalg.norm(part - part[0], axis=1)
                label = name if style == "-" and n == 0 else None
                feet.plot(take.times[s.first : s.end], away, color=colour, ls=style, lw=2, label=label)
    feet.set(xlabel="time, s", ylabel="mm", title="planted points: way from where they came down (dotted: the take)")
    feet.legend(fontsize=8, loc="upper right")
    played = rounds(loop, 3)
    j = loop.skeleton.index("LeftLeg")
    angle = np.degrees(2 * np.arctan2(np.linalg.norm(played.rotations[:, j, 1:], axis=1), played.rotations[:, j, 0]))
    cycle = account.cycle
    shown = np.arange(cycle["first"], cycle["first"] + cycle["frames"] + 1) / take.fps
    knee.plot(np.arange(len(played)) / played.fps, angle, color="#1f6fb4", lw=1.5)
    for k in (1, 2):
        knee.axvline(k * len(loop) / played.fps, color="#888888", lw=0.8)
    knee.set(xlabel="time, s", ylabel="left knee, degrees",
             title=f"a loop of {len(loop)} frames ({shown[0]:.2f} to {shown[-1]:.2f} s), played three times")
    figure.savefig(ROOT / "docs" / "pictures" / "planted.png", dpi=80)


if __name__ == "__main__":
    main()
