"""The pictures of docs/dance.md, drawn by the program: the figures of Chen, Li and Hu (2004) anew.

usage: python docs/make_dance_pictures.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from gambol import quat
from gambol.choreography import dance_to
from gambol.methods.sway import Sway
from gambol.models import model
from gambol.motion import Motion, Pose
from gambol.music import metronome
from gambol.performance import perform
from gambol.posing import Puppet, drag
from gambol.postures import base_of, pose_with, posture
from gambol.render import contact_sheet
from gambol.synthesis import Task, generate
from gambol.wind import Wind

PICTURES = Path(__file__).parent / "pictures"


def clip(name: str, poses: list[Pose]) -> Motion:
    body = model(name)
    root, rotations = np.array([p.root for p in poses]), np.array([p.rotations for p in poses])
    return Motion(body.skeleton, root, rotations, 1.0, info={"model": body.name})


def sheet(motion: Motion, count: int, view: str = "three-quarter", width: int = 200, height: int = 240) -> Image.Image:
    return contact_sheet(motion, frames=count, columns=count, size=(width, height), view=view)


def stacked(rows: list[Image.Image]) -> Image.Image:
    out = Image.new("RGB", (max(r.width for r in rows), sum(r.height for r in rows)), "white")
    y = 0
    for r in rows:
        out.paste(r, (0, y))
        y += r.height
    return out


def stiff_and_floppy() -> Image.Image:
    """Figures 5, 6: a knee pulled aside while hip and foot stay, with 2, 4 and 6 neighbours."""
    body = model("person")
    start = pose_with(body, posture("stand", base_of("person")))[0]
    poses = [start]
    for reach in (1, 2, 3):
        puppet = Puppet(body.skeleton, body.limits, reach)
        poses.append(drag(puppet, start, {"left_foot": [0.35, 0.45, 0.45]}, ("right_foot",)))
    for fixed in (("left_foot", "right_foot"), ("hips", "left_foot", "right_foot")):
        poses.append(drag(Puppet(body.skeleton, body.limits), start, {"right_hand": [-0.25, 1.75, 0.35]}, fixed))
    return sheet(clip("person", poses), len(poses))


def extents() -> Image.Image:
    """Figures 7, 8: postures with growing extent, and combined."""
    body, base = model("person"), base_of("person")
    texts = [f"stand + lean_right*{e}" for e in (0, 0.5, 1.0)] + [
        "stand + raise_right_arm", "stand + raise_right_leg", "stand + bend_left_knee", "stand + bend_waist",
        "stand + raise_left_arm + lean_right + left_leg_side",
        "stand + twist_left + left_arm_out + right_arm_across + dip",
    ]
    return sheet(clip("person", [pose_with(body, posture(t, base))[0] for t in texts]), len(texts), width=170)


def strip(name: str, bpm: float = 112, seed: int = 3, view: str = "three-quarter") -> Image.Image:
    song = metronome(bpm, 9.0)
    song = type(song)(song.times, song.bars, np.linspace(0.4, 1, len(song.times)), "major", song.end)
    return sheet(perform(dance_to(song, model(name), seed), Task(fps=30)), 9, view, 170)


def storm(name: str) -> Image.Image:
    task = Task(model=model(name), wind=Wind(9.0, gust=0.6, turbulence=0.5), period=4.0, fps=30)
    return sheet(generate(Sway(), task), 9, "front", 170)


def models() -> Image.Image:
    row = []
    for name in ("person", "dog", "spider", "centipede", "rose", "lily", "willow", "grass", "tree"):
        body = model(name)
        still = Pose(body.skeleton.offsets[0], np.tile(quat.IDENTITY, (len(body.skeleton), 1)))
        row.append(sheet(clip(name, [still]), 1, width=170, height=200))
    out = Image.new("RGB", (sum(r.width for r in row), 200))
    for k, r in enumerate(row):
        out.paste(r, (k * 170, 0))
    return out


def main() -> None:
    pictures = {
        "dance_models": models(), "dance_posing": stiff_and_floppy(), "dance_postures": extents(),
        "dance_person": strip("person", seed=4), "dance_rose": strip("rose", view="front"),
        "dance_animals": stacked([strip("dog"), strip("spider")]),
        "dance_wind": stacked([storm("lily"), storm("willow")]),
    }
    for name, picture in pictures.items():
        picture.convert("P", palette=Image.Palette.ADAPTIVE, colors=200).save(PICTURES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
