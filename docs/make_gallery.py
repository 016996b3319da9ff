"""Draw the figures of docs/gallery.md: python docs/make_gallery.py [FOLDER OF MEASURED BANDS]."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from gambol import ForceWalk, Gait, Stairs, Task, generate, parse_path
from gambol.clips import turn
from gambol.loop import loop, rounds, unrolled
from gambol.motion import Motion
from gambol.path import Path as Way
from gambol.plot import plot, read_norms
from gambol.render import contact_sheet, strip
from gambol.scenes import demo
from gambol.style import parse_styles, styled, styles
from gambol.terrain import Flat, Terrain

OUT = Path(__file__).parent / "pictures" / "gallery"
BANDS = Path(__file__).resolve().parents[2] / "shared" / "data" / "gait" / "schwartz2008"
STEADY = ("phases", "legs", "com", "reach", "arms", "angles")


def figures(folder: Path) -> None:
    """The paper's figures 2 to 18, and angles and forces against measured bands."""
    path, ground = demo()
    way = generate(ForceWalk(), Task(path=path, terrain=ground))
    stride = rounds(loop(ForceWalk(), Task(fps=120)), 5)
    stride = Motion(**{**vars(stride), "cyclic": False})
    bands = read_norms(folder, 0.398) if folder.is_dir() else None
    for name in STEADY:
        save(plot(stride, name, bands), name)
    for name in ("forces", "steps", "top", "turning"):
        save(plot(way, name), name)


def scenes() -> None:
    """Figures 19 to 21: down stairs, a turn and then up, a curve; and the way to the built-in scene."""
    down = Stairs(-0.16, 0.30, 6)
    show(Task(path=parse_path("0,0 0,5"), terrain=down), "scene_down", 11, "side")
    corner = Way(np.array([[2.0, 0, -1.0], [0, 0, -1.0], [0, 0, 4.4]]), pivots=(2.0,))
    show(Task(path=corner, terrain=Stairs(0.16, 0.30, 6)), "scene_turn_up", 16, "three-quarter")
    angle = np.linspace(0, np.pi, 40)
    curve = Way(np.stack([2 * np.cos(angle), 0 * angle, 2 * np.sin(angle)], 1))
    show(Task(path=curve), "scene_curve", 14, "three-quarter")
    path, ground = demo()
    show(Task(path=path, terrain=ground), "scene_path", 30, "three-quarter")


def personalities() -> None:
    """Every style from the side, three poses of a stride each; a turn."""
    rows = []
    for name in styles():
        clip = unrolled(loop(*styled(ForceWalk(), Task(), parse_styles(name))), 1)
        poses = [contact_sheet(clip[k : k + 1], Flat(), frames=1, view="side", size=(150, 220))
                 for k in (0, len(clip) // 6, len(clip) // 3)]
        rows.append(labelled(np.concatenate([np.asarray(p) for p in poses], 1), name))
    half = len(rows) // 2
    sheet = np.concatenate([np.concatenate(rows[:half], 0), np.concatenate(rows[half:], 0)], 1)
    store(Image.fromarray(sheet), "styles")
    picture(turn(ForceWalk(), Task(gait=Gait()), 90.0), Flat(), "turn", 8, "front")


def labelled(row: np.ndarray, name: str) -> np.ndarray:
    """A row of poses with the name of its style."""
    image = Image.fromarray(np.concatenate([np.full_like(row[:24], 255), row]))
    ImageDraw.Draw(image).text((8, 4), name, fill="#33383d", font_size=15)
    return np.asarray(image)


def show(task: Task, name: str, poses: int, view: str) -> None:
    """A walk as one wide picture."""
    picture(generate(ForceWalk(), task), task.terrain, name, poses, view)


def picture(motion: Motion, ground: Terrain, name: str, poses: int, view: str = "side") -> None:
    """Some poses of a clip side by side."""
    store(Image.fromarray(np.asarray(strip(motion, ground, poses=poses, size=(1000, 300), view=view))), name)


def save(data: bytes, name: str) -> None:
    """Write a figure."""
    store(Image.open(io.BytesIO(data)).convert("RGB"), name)


def store(image: Image.Image, name: str) -> None:
    """Write a picture in 128 colours: a third of the size."""
    image.quantize(128, dither=Image.Dither.NONE).save(OUT / f"{name}.png", optimize=True)


def main() -> None:
    """Everything."""
    OUT.mkdir(parents=True, exist_ok=True)
    figures(Path(sys.argv[1]) if len(sys.argv) > 1 else BANDS)
    scenes()
    personalities()


if __name__ == "__main__":
    main()
