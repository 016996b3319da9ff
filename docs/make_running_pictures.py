# ruff: noqa: E501
"""Draw the pictures of docs/running.md: python docs/make_running_pictures.py (needs the extra plot)."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from gambol import quat
from gambol.body import Body, G
from gambol.gait import Gait
from gambol.gait_change import GaitChange
from gambol.methods.force_walk import ForceWalk
from gambol.methods.running import Running
from gambol.motion import Motion
from gambol.path import Path as RunPath
from gambol.render import strip, write_picture
from gambol.run_form import parse_speed, presets
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


def changes() -> None:
    """Stand, walk and run; run, walk and stand: one clip."""
    rows = parse_speed("0:0 2:1.3 5:3.5 9:6 12:0")
    task = Task(path=RunPath(np.array([[0.0, 0, 0], [0, 0, 60.0]])), gait=Gait(speed=rows), fps=120)
    motion = generate(GaitChange(ForceWalk(), Running()), task)
    for name, start, end in (("run_from_walk", 2.2, 4.3), ("walk_from_run", 10.4, 12.3)):
        part = motion[int(start * 120) : int(end * 120)]
        write_picture(strip(part, None, poses=11, size=(1400, 300), view="side"), OUT / f"{name}.png")


def panel() -> None:
    """The parameters of the presets, each on its own axis, as sliders stand."""
    names, rows = ("jog", "run", "sprint", "bouncy", "tired", "cartoon", "child"), []
    for name in names:
        values = presets(name)
        method, body = Running(**{k: v for k, v in values.items() if k not in ("speed", "height")}), Body(values.get("height", 1.75))
        p = couple(method.asked(Task(body=body, gait=Gait(speed=values["speed"])), 0.0), body)
        rows.append((p.speed, p.step_length, 60 / p.step_time, 1e3 * p.flight, 1e3 * p.contact, 1e3 * p.flight_height))
    labels = ("speed m/s", "step length m", "steps a minute", "flight ms", "contact ms", "flight height mm")
    figure, axes = plt.subplots(1, 6, figsize=(12, 2.6), sharey=True)
    for axis, label, values in zip(axes, labels, np.array(rows).T):
        axis.hlines(range(len(names)), values.min(), values.max(), color="0.85", lw=4)
        axis.plot(values, range(len(names)), "C0o")
        axis.set(title=label, yticks=range(len(names)), yticklabels=names)
        axis.title.set_fontsize(9)
        axis.invert_yaxis()
    figure.tight_layout()
    figure.savefig(OUT / "run_panel.png", dpi=70)


def pelvis() -> None:
    """Turn, list and tilt of the pelvis and its height over a stride; the four keyframes of a step marked."""
    motion = run(3.0)
    a, b = stride(motion)
    t = motion.times
    on = (t >= a) & (t <= b)
    turned = quat.to_matrix(motion.rotations[on, 0])
    turn = np.degrees(np.arctan2(turned[:, 0, 2], turned[:, 2, 2]))
    tilt = np.degrees(np.arcsin(-turned[:, 1, 2]))
    list_ = np.degrees(np.arctan2(turned[:, 1, 0], turned[:, 1, 1]))
    events = motion.info["events"]
    off, land = (min(x for x in events[k] if x > a) for k in ("left_off", "right_strike"))
    figure, axes = plt.subplots(2, 1, figsize=(8, 5), sharex=True)
    for values, label in ((turn, "turn"), (list_, "list"), (tilt, "tilt")):
        axes[0].plot(t[on] - a, values, label=label)
    axes[0].set(ylabel="degrees", title="The pelvis over a stride at 3 m/s")
    axes[1].plot(t[on] - a, motion.root[on, 1])
    axes[1].set(xlabel="s", ylabel="height m")
    keys = (("landing", a), ("mid-support", (a + off) / 2), ("toe-off", off), ("mid-flight", (off + land) / 2))
    for axis in axes:
        for _, at in keys:
            axis.axvline(at - a, color="0.7", lw=1)
    for name, at in keys:
        axes[1].annotate(name, (at - a, motion.root[on, 1].min()), rotation=90, fontsize=8, va="bottom")
    axes[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(OUT / "run_pelvis.png", dpi=70)


def main() -> None:
    OUT.mkdir(exist_ok=True)
    changes()
    panel()
    pelvis()
    laws()
    one_stride()
    figures()


if __name__ == "__main__":
    main()
