# ruff: noqa: E501
"""Draw the pictures of docs/running.md: python docs/make_running_pictures.py (needs the extra plot)."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from gambol.body import Body, G
from gambol.gait import Gait
from gambol.methods.running import Running
from gambol.motion import Motion
from gambol.path import Path as RunPath
from gambol.render import strip, write_picture
from gambol.run_form import presets
from gambol.run_laws import Asked, couple, largest_speed, paper_flight
from gambol.synthesis import Task, generate

OUT = Path(__file__).parent / "pictures"


def run(speed: float, **dials: float) -> Motion:
    path = RunPath(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 5 * speed + speed**2 / 2.4]]))
    return generate(Running(**dials), Task(path=path, gait=Gait(speed=speed), fps=120))


def stride(motion: Motion) -> tuple[float, float]:
    strikes = motion.info["events"]["left_strike"]
    k = len(strikes) // 2
    return strikes[k], strikes[k + 1]


def laws() -> None:
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2))
    rate = np.linspace(100, 260, 321)
    axes[0].plot(rate, [1e3 * paper_flight(r) for r in rate])
    axes[0].set(xlabel="steps a minute", ylabel="flight ms", title="eqs 4, 5, joined")
    for axis, what in zip(axes[1:], ("step length m", "steps a minute")):
        for level, style in ((-1.0, ":"), (0.0, "-"), (1.0, "--")):
            v = np.linspace(2.2, largest_speed(Asked(level=level), Body(1.8)) - 0.01, 60)
            paces = [couple(Asked(speed=x, level=level), Body(1.8)) for x in v]
            axis.plot(v, [p.step_length if "length" in what else 60 / p.step_time for p in paces], "C0" + style, label=f"level {level:g}")
        for height, colour in ((1.15, "C1"), (1.5, "C2")):
            v = np.linspace(2.2, largest_speed(Asked(), Body(height)) - 0.01, 60)
            paces = [couple(Asked(speed=x), Body(height)) for x in v]
            axis.plot(v, [p.step_length if "length" in what else 60 / p.step_time for p in paces], colour, label=f"{height:g} m tall")
        axis.set(xlabel="m/s", ylabel=what)
    axes[1].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(OUT / "run_laws.png", dpi=70)


def one_stride() -> None:
    motion = run(3.0)
    a, b = stride(motion)
    t = motion.times
    on = (t >= a) & (t <= b)
    figure, axes = plt.subplots(3, 1, figsize=(8, 6), sharex=True, height_ratios=[2, 2, 1])
    axes[0].plot(t[on] - a, motion.com[on, 1], label="mass centre")
    axes[0].plot(t[on] - a, motion.root[on, 1], label="pelvis")
    events = motion.info["events"]
    for side in ("left", "right"):
        for off in events[f"{side}_off"]:
            land = min((x for s in ("left", "right") for x in events[f"{s}_strike"] if x > off), default=None)
            if land is None or not a <= off < land <= b:
                continue
            s = np.linspace(off, land, 30)
            y0, y1 = np.interp([off, land], t, motion.com[:, 1])
            w = (y1 - y0) / (land - off) + G * (land - off) / 2
            axes[0].plot(s - a, y0 + w * (s - off) - G * (s - off) ** 2 / 2, "k--", lw=1)
    axes[0].set(ylabel="height m", title="3 m/s: in flight (dashed) a parabola")
    axes[0].legend(fontsize=8)
    for k, side in enumerate(("left", "right")):
        axes[1].plot(t[on] - a, motion.forces[on, k, 1] / motion.mass / G, label=side)
        for column, (name, colour) in enumerate((("heel", "C2"), ("toe tip", "C3"))):
            down = motion.contacts[:, 2 * k + column] & on
            axes[2].plot(t[down] - a, np.full(down.sum(), 1 - k + 0.2 * column), "s", ms=3, color=colour, label=name if k == 0 else None)
    axes[1].set(ylabel="weights")
    axes[1].legend(fontsize=8)
    axes[2].set(xlabel="s", yticks=[0.1, 1.1], yticklabels=["right", "left"], ylim=(-0.4, 1.6))
    axes[2].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(OUT / "run_stride.png", dpi=70)


def figures() -> None:
    for name in ("jog", "sprint", "bouncy"):
        values = presets(name)
        speed = values.pop("speed")
        motion = run(speed, **values)
        a, b = stride(motion)
        part = motion[int(a * motion.fps) : int((a + 1.02 * (b - a)) * motion.fps)]
        write_picture(strip(part, None, poses=7, size=(1100, 300), view="side"), OUT / f"run_{name}.png")


def main() -> None:
    OUT.mkdir(exist_ok=True)
    laws()
    one_stride()
    figures()


if __name__ == "__main__":
    main()
