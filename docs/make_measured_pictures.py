# ruff: noqa: E501
"""Draw the pictures of docs/measured_walk.md: python docs/make_measured_pictures.py (needs the extra plot)."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from gambol.body import Body
from gambol.gait import Gait
from gambol.methods.measured_walk import MeasuredWalk
from gambol.path import Path as Way
from gambol.prototypes import neutral
from gambol.synthesis import Task, generate

OUT = Path(__file__).parent / "pictures"


def phases() -> None:
    """The paper's figure 1, from the data of the built-in walk at a free speed."""
    step = neutral()[2].left
    figure, axes = plt.subplots(2, 1, figsize=(8, 3.6), sharex=True, height_ratios=(2, 1.2))
    for seq, name in ((step.f1, "F1"), (step.f2, "F2"), (step.f3, "F3, the other foot"), (step.meta, "M, toes")):
        axes[0].plot(seq.t, np.degrees(seq.v), label=name)
    axes[0].set_ylabel("degrees")
    axes[0].legend(fontsize=7, frameon=False)
    o = step.origin
    bars = (("stance", 0.0, o.lift), ("heel", 0.0, float(step.f1.t[-1])), ("flat", float(step.f1.t[-1]), o.heel_off), ("ball, tip", o.heel_off, o.lift), ("other: swing", o.toe_off, 1.0))
    for k, (name, a, b) in enumerate(bars):
        axes[1].barh(k, b - a, left=a, height=0.7, color=f"C{k}")
        axes[1].text(a + 0.01, k, name, va="center", fontsize=7)
    for x, name in ((0.0, "HSM-"), (float(step.f1.t[-1]), "FGM"), (float(step.meta.t[0]), "MOM"), (o.toe_off, "TOM"), (1.0, "HSM+")):
        axes[0].axvline(x, color="0.8", lw=0.8)
        axes[0].text(x, axes[0].get_ylim()[1], name, fontsize=7, ha="center", va="bottom")
    axes[1].set(xlabel="steps", yticks=[])
    figure.tight_layout()
    figure.savefig(OUT / "measured_phases.png", dpi=80)


def grid() -> None:
    """One measured walk on a grid of bodies and step lengths."""
    walk = neutral()[2]
    heights, ratios = (1.1, 1.75, 2.2), (0.5, 0.75, 1.0, 1.25)
    figure, axes = plt.subplots(len(heights), len(ratios), figsize=(10, 6), sharex="row", sharey="row")
    for row, height in zip(axes, heights):
        body = Body(height)
        for ax, ratio in zip(row, ratios):
            length = ratio * walk.step_length * height / 1.75
            speed = walk.speed * (height / 1.75) ** 0.5 * ratio**1.6
            path = Way(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 18 * length]]))
            task = Task(body=body, path=path, gait=Gait(step_length=length, speed=speed), fps=60)
            motion = generate(MeasuredWalk(styles=((0.0, (walk,)),)), task)
            a, b = (motion.info["events"]["left_strike"][k] for k in (2, 3))
            p, ix = motion.positions(), motion.skeleton.index
            chains = [("hips", "spine", "chest", "upper_chest", "neck", "head"), *(tuple(f"{s}_{j}" for j in ("upper_leg", "lower_leg", "foot", "toes", "toe_tip")) for s in ("left", "right"))]
            for k in np.linspace(a * 60, b * 60, 7)[:-1].astype(int):
                for chain, colour in zip(chains, ("0.6", "#3b6fd4", "#e0701b")):
                    xyz = p[k, [ix(n) for n in chain]]
                    ax.plot(xyz[:, 2] - p[int(a * 60), 0, 2], xyz[:, 1], color=colour, lw=1)
            ax.set_aspect("equal")
            ax.set_xticks([])
            ax.set_yticks([])
            ax.set_title(f"{height:g} m, step x{ratio:g}: {length:.2f} m", fontsize=8)
    figure.tight_layout()
    figure.savefig(OUT / "measured_grid.png", dpi=70)


if __name__ == "__main__":
    phases()
    grid()
