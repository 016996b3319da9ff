"""The parameters of a walk, labelled on the posed figure: legs, turn, arms; and the plan as footholds and modes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.arm import Arm, pendulum
from gambol.errors import GambolError
from gambol.motion import Motion
from gambol.plot_curves import BAND, INK, LEFT, RIGHT, heading
from gambol.skeleton import forward_kinematics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["legs", "reach", "steps", "top"]

Array = NDArray[np.float64]
MODES = {"level": "#7d8790", "up": "#3c8d5a", "down": "#d9641e"}


CLEAR = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6}  # behind labels
PLACES = {"1": (9, -3), "2": (9, -3), "3": (12, 6), "4": (0, -15)}  # of the angles' labels, points


def legs(figure: Figure, motion: Motion, norms: object = None) -> None:
    """Figures 7 to 10: the leg's angles at heel strike, with C above the ankle, at the other strike, and at toe-off."""
    side, frames = _stance_frames(motion)
    other = "right" if side == "left" else "left"
    rows = figure.subplots(1, 4, sharex=True, sharey=True)
    names = ("(a) heel strike", "(b) C above the ankle", "(c) other heel strike", "(d) toe-off")
    for axes, k, name in zip(rows, frames, names):
        p, forward = _profile(motion, k)
        origin = p[f"{side}_foot"][0]
        for leg, colour, width in ((other, BAND, 3.0), (side, RIGHT, 3.0)):
            chain = [p[f"{leg}_{j}"] for j in ("upper_leg", "lower_leg", "foot", "toes", "toe_tip")]
            line = np.array([*chain, p[f"{leg}_heel"], chain[2]])
            axes.plot(line[:, 0] - origin, line[:, 1], color=colour, lw=width, solid_joinstyle="round")
        spine = np.array([p["hips"], p["neck"]])
        axes.plot(spine[:, 0] - origin, spine[:, 1], color=INK, lw=2, alpha=0.5)
        if motion.com is not None:
            c = motion.com[k] @ forward, motion.com[k][1]
            axes.plot(c[0] - origin, c[1], "o", color=INK, ms=5)
            axes.annotate("C", (c[0] - origin, c[1]), (6, 4), textcoords="offset points")
        values = _angles(p, side)
        for label, joint in (("1", "upper_leg"), ("2", "lower_leg"), ("3", "foot"), ("4", "toes")):
            x, y = p[f"{side}_{joint}"]
            axes.annotate(
                rf"$\theta_{{ST{label}}}$ {round(values[label]) + 0}°", (x - origin, y), PLACES[label],
                textcoords="offset points", fontsize=8, color=RIGHT, bbox=CLEAR,
            )
        if name.startswith("(b)"):
            swing = _angles(p, other)
            x, y = p[f"{other}_lower_leg"]
            axes.annotate(rf"$\theta_{{SW2}}$ {swing['2']:.0f}°", (x - origin, y), (-48, 6), textcoords="offset points",
                          fontsize=8, color="#7d8790")
        ground = min(p[f"{side}_heel"][1], p[f"{side}_toe_tip"][1])
        axes.axhline(ground, color=INK, lw=0.8)
        axes.set(title=name, xticks=[], yticks=[], aspect="equal", ylim=(ground - 0.13, p["neck"][1] - 0.1))
        axes.title.set_fontsize(9)
        axes.set_frame_on(False)


def top(figure: Figure, motion: Motion, norms: object = None) -> None:
    """Figure 12: the turn of a step about the stance foot, seen from above."""
    axes = figure.subplots()
    psi = heading(motion)
    rate = np.abs(np.gradient(psi))
    strikes = sorted((t, s) for s in ("left", "right") for t in motion.info.get("events", {}).get(f"{s}_strike", []))
    if len(strikes) < 3:
        raise GambolError("too few steps", where="plot top", do="plot a longer walk")
    middle = int(np.argmax(np.convolve(rate, np.ones(15), "same")))
    k = int(np.clip(np.searchsorted([t for t, _ in strikes], middle / motion.fps) - 1, 0, len(strikes) - 2))
    (t0, side), (t1, _) = strikes[k], strikes[k + 1]
    a, b = round(t0 * motion.fps), min(round(t1 * motion.fps), len(motion) - 1)
    p = motion.positions()
    s = motion.skeleton
    origin = p[a, s.index(f"{side}_foot")]

    def flat(frame: int, name: str) -> Array:
        out: Array = (p[frame, s.index(name)] - origin)[[0, 2]] * [-1, 1]
        return out

    for frame, shade in ((a, BAND), (b, INK)):
        for name in ("left", "right"):
            sole = np.array([flat(frame, f"{name}_{j}") for j in ("heel", "toe_tip")])
            axes.plot(*sole.T, color=LEFT if name == "left" else RIGHT, lw=7, alpha=0.35 if shade == BAND else 0.9,
                      solid_capstyle="round")
        hips = np.array([flat(frame, f"{name}_upper_leg") for name in ("left", "right")])
        axes.plot(*hips.T, "o-", color=shade, lw=2, ms=4)
        way = np.array([-np.sin(psi[frame]), np.cos(psi[frame])])
        start = hips.mean(0)
        axes.annotate("", start + 0.55 * way, start, arrowprops={"arrowstyle": "->", "color": shade, "lw": 1.5})
        label = r"$d_{i-1}$" if frame == a else r"$d_i$"
        off = (8, -10) if frame == a else (4, 4)
        axes.annotate(label, start + 0.55 * way, off, textcoords="offset points", color=INK)
    turn = np.degrees(psi[b] - psi[a])
    for name, joint, off in ((r"$\psi_1$", "foot", (10, -14)), (r"$\psi_2$", "upper_leg", (-16, -14))):
        at = flat(b, f"{side}_{joint}")
        axes.annotate(name, (float(at[0]), float(at[1])), off, textcoords="offset points")
    what = rf"a step turns by $\alpha_i$ = {turn:+.1f}°, from its heel strike (grey) to the next (black)"
    axes.set_title(what + "\n" + r"$\psi_1$ about the stance ankle, $\psi_2$ about the stance hip", fontsize=8)
    axes.set(aspect="equal", xlabel="to the right (m)", ylabel="ahead (m)")
    axes.margins(0.2)


def reach(figure: Figure, motion: Motion, norms: object = None) -> None:
    """Figures 14 and 15: the arm's angles from the side, and shoulders against pelvis from above."""
    side_view, above = figure.subplots(1, 2)
    s = motion.skeleton
    places, world = forward_kinematics(s, motion.root, motion.rotations)
    chest = world[:, s.index("upper_chest")]
    hand = quat.rotate(quat.conjugate(chest), places[:, s.index("left_hand")] - places[:, s.index("left_upper_arm")])
    k = int(np.argmax(hand[:, 2]))
    turn = quat.conjugate(chest[k])
    arm = [quat.rotate(turn, places[k, s.index(f"left_{n}")] - places[k, s.index("left_upper_arm")])[[2, 1]]
           for n in ("upper_arm", "lower_arm", "hand")]
    line = np.array(arm)
    side_view.plot(*line.T, "o-", color=LEFT, lw=4, ms=7)
    side_view.plot([0, 0], [0, -0.62], color=BAND, lw=1.5, ls="--", zorder=0)
    a, b = (float(np.linalg.norm(line[i + 1] - line[i])) for i in (0, 1))
    one = np.arctan2(line[1, 0], -line[1, 1])
    two = np.arctan2(*(line[2] - line[1]) * [1, -1]) - one
    p = pendulum(Arm(a, b, 0.028, 0.016, 0.006, float(two)))
    centre = p.radius * np.array([np.sin(one + p.gamma), -np.cos(one + p.gamma)])
    side_view.plot([0, centre[0]], [0, centre[1]], color=INK, lw=1)
    side_view.plot(*centre, "s", color=INK, ms=5)
    notes = (
        (line[0], rf"$\varphi_1$ = {np.degrees(one):.0f}°", (10, 4)),
        (line[1], rf"$\varphi_2$ = {np.degrees(two):.0f}°", (10, -6)),
    )
    for at, text, off in notes:
        side_view.annotate(text, at, off, textcoords="offset points")
    side_view.set(aspect="equal", xlabel="forward (m)", ylabel="up (m)",
                  title=rf"arm; mass centre at $\gamma$ = {np.degrees(p.gamma):.0f}°, R = {100 * p.radius:.0f} cm")
    side_view.margins(0.25)
    for names, colour, label in ((("left_upper_arm", "right_upper_arm"), LEFT, "shoulders"),
                                 (("left_upper_leg", "right_upper_leg"), RIGHT, "pelvis")):
        ends = places[k][s.indices(names)]
        psi = heading(motion)[k]
        ends = (ends - ends.mean(0))[:, [0, 2]]
        c, sn = np.cos(psi), np.sin(psi)
        local = np.array([[-(x * c - z * sn), x * sn + z * c] for x, z in ends])
        above.plot(*local.T, "o-", color=colour, lw=4, ms=6)
        yaw = float(np.degrees(np.arctan2(local[1, 1] - local[0, 1], local[1, 0] - local[0, 0])))
        above.annotate(f"{label} {yaw:+.1f}°", local[1], (8, 6 if label == "shoulders" else -14),
                       textcoords="offset points", color=colour)
    above.set(aspect="equal", xlabel="to the right (m)", ylabel="ahead (m)", title=r"$\sigma$: against the pelvis")
    above.margins(0.45)
    above.set_ylim(-0.16, 0.16)


def steps(figure: Figure, motion: Motion, norms: object = None) -> None:
    """Figures 17 and 18: footholds, step objects and modes: from above, and along the way."""
    plan = motion.info.get("plan", [])
    feet = _footholds(motion)
    if len(plan) < 3 or len(feet) < 3:
        raise GambolError("no plan in the clip", where="plot steps", do="plot a clip made by a walk, as .npz or .glb")
    above, along = figure.subplots(2, 1)
    way = np.array(motion.info.get("path") or motion.root.tolist())
    above.plot(way[:, 2], way[:, 0], color=BAND, lw=1.5, zorder=0)
    for place, yaw, side in feet:
        tip = 0.13 * np.array([np.cos(yaw), np.sin(yaw)])
        z, x = place[2], place[0]
        above.plot([z - tip[0] / 2, z + tip[0]], [x - tip[1] / 2, x + tip[1]], lw=5, solid_capstyle="round",
                   color=LEFT if side == "left" else RIGHT)
    above.set(aspect="equal", xlabel="z (m)", ylabel="x (m)", title="footholds: left orange, right blue")
    above.invert_yaxis()
    s, y = 0.0, 0.0
    said: set[str] = set()
    every = max(1, len(plan) // 8)
    for i, step in enumerate(plan):
        mode, _, turn = str(step["mode"]).partition(", ")
        along.plot([s, s + step["w"]], [y, y + step["h"]], color=MODES[mode], lw=2.5, marker="o", ms=4,
                   label=mode if mode not in said else None)
        said.add(mode)
        if i % every == every // 2:
            text = f"$w$ {step['w']:.2f}\n$h$ {step['h']:+.2f}\n" + rf"$\alpha$ {step['alpha_deg']:+.0f}°"
            along.annotate(text, (s + step["w"] / 2, y + max(step["h"], 0)), (0, 9), ha="center",
                           textcoords="offset points", fontsize=7)
        s, y = s + step["w"], y + step["h"]
    along.set(xlabel="along the way (m)", ylabel="height (m)")
    along.margins(y=0.5)
    along.legend(frameon=False, ncols=3, loc="upper right")


def _footholds(motion: Motion) -> list[tuple[Array, float, str]]:
    """Place, yaw and side of every foot that stays: where it lands."""
    if motion.contacts is None:
        return []
    p, s = motion.positions(), motion.skeleton
    out = []
    for foot, side in enumerate(("left", "right")):
        flat = motion.contacts[:, 2 * foot : 2 * foot + 2].all(1)
        edges = np.flatnonzero(np.diff(np.r_[False, flat, False].astype(int)))
        for a, b in zip(edges[::2], edges[1::2]):
            k = (a + b) // 2
            heel, tip = p[k, s.index(f"{side}_heel")], p[k, s.index(f"{side}_toe_tip")]
            out.append((p[k, s.index(f"{side}_foot")], float(np.arctan2(*(tip - heel)[[0, 2]])), side))
    return out


def _stance_frames(motion: Motion) -> tuple[str, list[int]]:
    """A foot, and the frames of (a) to (d) of one of its stances in the middle of the clip."""
    events: dict[str, Any] = motion.info.get("events", {})
    starts = events.get("left_strike", [])
    if len(starts) < 3 or motion.com is None:
        raise GambolError("too few steps, or no mass centre", where="plot legs", do="plot a longer walk, as .npz")
    start = starts[(len(starts) - 1) // 2]
    other = next((t for t in events["right_strike"] if t > start), start)
    off = next((t for t in events["left_off"] if t > start), start)
    a, c, d = (round(t * motion.fps) for t in (start, other, off))
    _, forward = _profile(motion, a)
    ankle = motion.at("left_foot") @ forward
    ahead = motion.com[a:c] @ forward - ankle[a:c]
    return "left", [a, a + int(np.argmin(np.abs(ahead))), c, d]


def _profile(motion: Motion, k: int) -> tuple[dict[str, Array], Array]:
    """Joint -> (forward, up) m at a frame, and the forward direction."""
    a, b = max(k - 10, 0), min(k + 10, len(motion) - 1)
    way = (motion.root[b] - motion.root[a]) * [1, 0, 1]
    forward = way / max(float(np.linalg.norm(way)), 1e-9)
    p = motion[k : k + 1].positions()[0]
    return {n: np.array([q @ forward, q[1]]) for n, q in zip(motion.skeleton.names, p)}, forward


def _angles(p: dict[str, Array], side: str) -> dict[str, float]:
    """Degrees: 1 thigh forward of the vertical, 2 knee flexion, 3 ankle dorsiflexion, 4 toe bend."""
    hip, knee, ankle, ball, tip = (p[f"{side}_{j}"] for j in ("upper_leg", "lower_leg", "foot", "toes", "toe_tip"))
    heel = p[f"{side}_heel"]

    def slope(v: Array) -> float:
        return float(np.degrees(np.arctan2(v[1], v[0])))

    thigh, shank, sole, toe = slope(knee - hip) + 90, slope(ankle - knee) + 90, slope(ball - heel), slope(tip - ball)
    return {"1": thigh, "2": thigh - shank, "3": sole - shank, "4": toe - sole}
