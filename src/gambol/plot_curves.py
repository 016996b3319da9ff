"""Curves over time of a walk, read from the clip: forces, phases, mass centre, turning, arms, joint angles.

Each function draws one figure of Tsutsuguchi et al. 2000 (by their numbers) on a matplotlib Figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.arm import Arm, pendulum
from gambol.body import G
from gambol.errors import GambolError
from gambol.measure import CYCLE, cycle_means, force_cycle
from gambol.motion import Motion
from gambol.skeleton import forward_kinematics
from gambol.spin import free_moment, vertical_momentum

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["BAND", "INK", "LEFT", "RIGHT", "Norms", "angles", "arms", "com", "forces", "heading", "phases", "turning"]

Array = NDArray[np.float64]
Norms = Mapping[str, tuple[Array, Array]]  # curve -> mean and standard deviation (51,)
LEFT, RIGHT, INK, BAND = "#d9641e", "#3f6fb5", "#33383d", "#d5d8db"
MODES = {"level": "#3f6fb5", "up": "#3c8d5a", "down": "#d9641e"}
PRINTED = {"level": 0.1, "up": 0.0, "down": 0.25}  # f_v of eq. 8
GENTLE, STAIRS = 0.03, 0.3  # rise over length of a step: level ground, and stairs
SHARES = np.linspace(0.0, 1.0, 101)


def forces(figure: Figure, motion: Motion, norms: Norms | None = None) -> None:
    """Figures 2, 4 and 5: the vertical force of a foot over its stance, against equation 6b as printed."""
    found = _stances(motion)
    if not found:
        raise GambolError("no whole stance with its force", where="plot forces", do="plot a longer walk with forces")
    rows = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
    for axes, (mode, curves) in zip(rows, found.items()):
        for curve in curves:
            axes.plot(SHARES, curve, color=MODES[mode], alpha=0.25, lw=0.8)
        axes.plot(SHARES, np.mean(curves, 0), color=MODES[mode], lw=2, label="this walk")
        u = np.pi * SHARES
        s = 1.3 * np.sin(u) + PRINTED[mode] * np.sin(2 * u) + 0.4 * np.sin(3 * u)
        size = float(np.mean(curves)) / float(np.mean(s))
        axes.plot(SHARES, size * s, color=INK, lw=1, ls="--", label="eq. 6b, printed")
        axes.axhline(1.0, color=BAND, lw=1, zorder=0)
        title = mode if mode == "level" else f"{mode} stairs"
        axes.set(title=title, xlabel="share of the stance", xlim=(0, 1), ylim=(0, None))
    rows[0].set_ylabel("vertical force (body weights)")
    rows[0].legend(frameon=False, loc="lower center")


def phases(figure: Figure, motion: Motion, norms: Norms | None = None) -> None:
    """Figure 3: which part of which foot is on the ground."""
    if motion.contacts is None or len(motion.skeleton.soles) != 4:
        raise GambolError("no contacts of two feet", where="plot phases", do="plot a clip that has them")
    axes = figure.subplots()
    a, b = _middle(motion, 2.4)
    kinds = {(True, False): ("heel", "#8fb3dd"), (True, True): ("flat", "#3f6fb5"), (False, True): ("toes", "#1f3f70")}
    said: set[str] = set()
    for row, foot in ((1, 0), (0, 1)):
        heel, tip = motion.contacts[a:b, 2 * foot], motion.contacts[a:b, 2 * foot + 1]
        for (h, t), (name, colour) in kinds.items():
            on = (heel == h) & (tip == t)
            edges = np.flatnonzero(np.diff(np.r_[False, on, False].astype(int)))
            for i, j in zip(edges[::2], edges[1::2]):
                label = name if name not in said else None
                said.add(name)
                axes.barh(row, (j - i) / motion.fps, left=(a + i) / motion.fps, height=0.5, color=colour, label=label)
    both = np.all(motion.contacts[a:b].reshape(b - a, 2, 2).any(2), axis=1)
    edges = np.flatnonzero(np.diff(np.r_[False, both, False].astype(int)))
    for i, j in zip(edges[::2], edges[1::2]):
        axes.axvspan((a + i) / motion.fps, (a + j) / motion.fps, color=BAND, alpha=0.6, lw=0, zorder=0)
        axes.text((2 * a + i + j) / 2 / motion.fps, 1.52, r"$T_{ds}$", ha="center", va="bottom", color=INK)
    axes.set(yticks=[0, 1], yticklabels=["right", "left"], xlabel="time (s)", ylim=(-0.5, 1.9))
    axes.set_xlim(a / motion.fps, b / motion.fps)
    axes.legend(frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))


def com(figure: Figure, motion: Motion, norms: Norms | None = None) -> None:
    """Figure 11: acceleration, velocity about its mean, and position of the mass centre over two steps."""
    if motion.com is None:
        raise GambolError("no planned mass centre", where="plot com", do="plot an .npz clip made by a walk")
    a, b = _stride(motion)
    t = np.arange(b - a) / motion.fps
    way = motion.com[b] - motion.com[a]
    forward = np.array([way[0], 0.0, way[2]]) / np.hypot(way[0], way[2])
    axis = {"forward": forward, "up": np.array([0.0, 1.0, 0.0]), "left": np.array([forward[2], 0.0, -forward[0]])}
    colours = dict(zip(axis, (RIGHT, "#3c8d5a", LEFT)))
    x = motion.com
    v = np.gradient(x, axis=0) * motion.fps
    acc = np.gradient(v, axis=0) * motion.fps
    rows = figure.subplots(3, 1, sharex=True)
    for name, e in axis.items():
        steady = (way @ e) / (b - a) * motion.fps
        place = (x[a:b] - x[a]) @ e - steady * t
        for axes, values in zip(rows, (acc[a:b] @ e, v[a:b] @ e - steady, 1000 * (place - place.mean()))):
            axes.plot(t, values, color=colours[name], label=name)
    for axes, label in zip(rows, ("acceleration (m/s²)", "velocity (m/s)", "position (mm)")):
        axes.axhline(0, color=BAND, lw=1, zorder=0)
        axes.set_ylabel(label)
    rows[-1].set(xlabel="time from a heel strike (s)", xlim=(0, t[-1]))
    rows[0].legend(frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))


def turning(figure: Figure, motion: Motion, norms: Norms | None = None) -> None:
    """Figure 13: the turn of the body, the pulses that drive it, and the turning that is left over."""
    psi = heading(motion)
    t = motion.times
    rate = np.gradient(psi) * motion.fps
    pulse = np.gradient(rate) * motion.fps
    turn = np.abs(rate) > 0.05 * max(float(np.abs(rate).max()), 1e-9)
    on = np.flatnonzero(turn)
    a, b = (int(on[0]), int(on[-1]) + 1) if len(on) and np.ptp(psi) > 0.05 else _middle(motion, 2.5)
    keep = slice(max(a - int(0.3 * motion.fps), 0), min(b + int(0.3 * motion.fps), len(t)))
    rows = figure.subplots(4, 1, sharex=True)
    rows[0].plot(t[keep], np.degrees(psi[keep] - psi[keep][0]), color=RIGHT)
    rows[1].plot(t[keep], np.degrees(rate[keep]), color=RIGHT)
    rows[2].plot(t[keep], pulse[keep], color=RIGHT)
    h = np.sum(list(vertical_momentum(motion).values()), axis=0)
    rows[3].plot(t[keep], h[keep], color=LEFT, label="momentum (m²/s)")
    if motion.forces is not None and motion.pressure is not None and motion.mass:
        rows[3].plot(t[keep], free_moment(motion)[keep] / motion.mass, color=INK, lw=0.8, label="free moment (N m/kg)")
        rows[3].legend(frameon=False, ncols=2, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 0.92))
    for axes, label in zip(rows, ("turn (°)", "rate (°/s)", "pulses (rad/s²)", "left over per kg")):
        axes.axhline(0, color=BAND, lw=1, zorder=0)
        axes.set_ylabel(label)
    rows[-1].set_xlabel("time (s)")


def arms(figure: Figure, motion: Motion, norms: Norms | None = None) -> None:
    """Figure 16: the upper arm's angle, and the moment of equation 14 that swings it: two levels a step."""
    a, b = _stride(motion)
    t = np.arange(b - a) / motion.fps
    rows = figure.subplots(2, 1, sharex=True)
    for side, colour in (("left", LEFT), ("right", RIGHT)):
        angle, moment = _arm(motion, side)
        rows[0].plot(t, np.degrees(angle[a:b]), color=colour, label=side)
        rows[1].plot(t, moment[a:b], color=colour)
    rows[0].set_ylabel(r"$\varphi_1$ (°)")
    rows[1].set(ylabel=r"$F_a$ (N m)", xlabel="time from a heel strike (s)", xlim=(0, t[-1]))
    for axes in rows:
        axes.axhline(0, color=BAND, lw=1, zorder=0)
    rows[0].legend(frameon=False, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))


def angles(figure: Figure, motion: Motion, norms: Norms | None = None) -> None:
    """Joint angles and forces over the gait cycle, with the bands of measured walks where they are given."""
    curves: dict[str, Array] = dict(cycle_means(motion))
    if not curves:
        raise GambolError("no whole steady stride", where="plot angles", do="plot a longer walk")
    if motion.forces is not None and motion.mass:
        way = motion.root[-1] - motion.root[0]
        forward = way * [1, 0, 1] / max(float(np.hypot(way[0], way[2])), 1e-9)
        cycle = force_cycle(motion)
        curves |= {"vertical": cycle[:, 1], "fore-aft": cycle @ forward}
    percent = np.linspace(0, 100, CYCLE)
    labels = {"hip": "hip flexion (°)", "knee": "knee flexion (°)", "ankle": "ankle dorsiflexion (°)"}
    rows = figure.subplots(2, 3).ravel()
    for axes, (name, curve) in zip(rows, curves.items()):
        axes.plot(percent, curve, color=RIGHT, lw=1.8, label="this walk")
        if norms and name in norms:
            mean, sd = norms[name]
            off = float(curve.mean() - mean.mean()) if name in ("hip", "ankle") else 0.0  # marker sets differ in zero
            axes.fill_between(percent, mean + off - sd, mean + off + sd, color=BAND, lw=0, label="measured ± 1 SD")
        axes.set(title=labels.get(name, f"{name} force (weights)"), xlim=(0, 100))
        axes.axhline(0, color=BAND, lw=0.8, zorder=0)
    for axes in rows[len(curves) :]:
        axes.set_axis_off()
    for axes in rows[-3:]:
        axes.set_xlabel("gait cycle (%)")
    handles = rows[0].get_legend_handles_labels()
    rows[-1].legend(*handles, frameon=False, loc="center")


def heading(motion: Motion) -> Array:
    """(F,) rad, unwrapped: the way the body faces. Pelvis and chest turn against each other about it."""
    _, world = forward_kinematics(motion.skeleton, motion.root, motion.rotations)
    ahead = np.zeros((len(motion), 3))
    for name in ("hips", "upper_chest"):
        f = quat.rotate(world[:, motion.skeleton.index(name)], np.array([0.0, 0.0, 1.0])) * [1.0, 0.0, 1.0]
        ahead += f / np.linalg.norm(f, axis=1, keepdims=True)
    out: Array = np.unwrap(np.arctan2(ahead[:, 0], ahead[:, 2]))
    return out


def _arm(motion: Motion, side: str) -> tuple[Array, Array]:
    """(F,) upper arm angle in its chest, rad, forward positive, and (F,) N m of equation 14."""
    s, fps = motion.skeleton, motion.fps
    places, world = forward_kinematics(s, motion.root, motion.rotations)
    chest = world[:, s.index("upper_chest")]
    joints = s.indices([f"{side}_upper_arm", f"{side}_lower_arm", f"{side}_hand"])
    upper = quat.rotate(quat.conjugate(chest), places[:, joints[1]] - places[:, joints[0]])
    angle = np.arctan2(upper[:, 2], -upper[:, 1])
    fore = places[:, joints[2]] - places[:, joints[1]]
    elbow = np.arccos(np.clip(np.sum(upper * quat.rotate(quat.conjugate(chest), fore), 1)
                              / np.linalg.norm(upper, axis=1) / np.linalg.norm(fore, axis=1), -1, 1))
    mass = float(motion.mass or 70.0)
    a, b = float(np.linalg.norm(upper[0])), float(np.linalg.norm(fore[0]))
    p = pendulum(Arm(a, b, 0.028 * mass, 0.016 * mass, 0.006 * mass, float(elbow.mean())))
    theta = angle + p.gamma
    forward = quat.rotate(chest, np.array([0.0, 0.0, 1.0]))
    shoulder = np.sum((places[:, joints[0]] - places[:, s.index("upper_chest")]) * forward, axis=1)

    def second(x: Array) -> Array:
        return np.asarray(np.gradient(np.gradient(x) * fps) * fps)

    pull = p.mass * p.radius * (second(shoulder) * np.cos(theta) + G * np.sin(theta))
    return angle, p.inertia * second(theta) + pull


def _stances(motion: Motion) -> dict[str, list[Array]]:
    """mode -> curves (101,) in body weights of whole stances, by the plan; all level where there is none."""
    if motion.forces is None or not motion.mass:
        return {}
    events: dict[str, Any] = motion.info.get("events", {})
    strikes = sorted((t, s) for s in ("left", "right") for t in events.get(f"{s}_strike", []))
    plan = motion.info.get("plan", [])
    out: dict[str, list[Array]] = {}
    for k, (start, side) in enumerate(strikes[1:-2], 1):
        after = [t for t in events.get(f"{side}_off", []) if t > start]
        if not after:
            continue
        mode = _ground(plan[k + 1], side) if k + 1 < len(plan) else "level" if not plan else ""
        x = start + SHARES * (after[0] - start)
        up = motion.forces[:, 0 if side == "left" else 1, 1] / (motion.mass * G)
        out.setdefault(mode, []).append(np.interp(x, motion.times, up))
    return {m: out[m] for m in MODES if m in out}


def _ground(step: Mapping[str, Any], side: str) -> str:
    """level, up or down stairs; nothing for slopes, which are walked as the level is."""
    mode = str(step["mode"]).partition(",")[0]
    steep = abs(float(step["h"])) / max(float(step["w"]), 1e-6)
    return mode if step["M"] == side and (steep < GENTLE or steep > STAIRS) else ""


def _middle(motion: Motion, seconds: float) -> tuple[int, int]:
    n = min(int(seconds * motion.fps), len(motion))
    a = (len(motion) - n) // 2
    return a, a + n


def _stride(motion: Motion) -> tuple[int, int]:
    """Frames of a stride in the middle of the clip."""
    times = motion.info.get("events", {}).get("left_strike", [])
    if len(times) < 2:
        raise GambolError("no whole stride", where="plot", do="plot a longer walk")
    k = (len(times) - 2) // 2
    a, b = (int(np.ceil(t * motion.fps - 1e-7)) for t in times[k : k + 2])
    return a, min(b, len(motion) - 1)
