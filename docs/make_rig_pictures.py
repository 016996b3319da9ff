"""Draw the pictures of docs/rigs.md: python docs/make_rig_pictures.py.

GAMBOL_DATA names the folder of the characters.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from PIL import Image

from gambol import ForceWalk, Stairs, Task, generate, parse_path
from gambol.dressing import dressed
from gambol.io import load_character
from gambol.render import contact_sheet, write_picture
from gambol.rig_body import body_of
from gambol.terrain import Flat

OUT = Path(__file__).parent / "pictures"
DATA = Path(os.environ.get("GAMBOL_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
FRAMES = 6


def main() -> None:
    """A robot and an avatar, on flat ground and up stairs that fit their legs and feet."""
    rows = []
    for name in ("robot_expressive.glb", "cryptovoxels.vrm"):
        rig = load_character(DATA / "characters" / name)
        body = body_of(rig.skeleton, rig.roles)
        unit = body.leg_length / 0.93
        stairs = Stairs(0.16 * unit, max(0.29 * unit, 1.1 * body.foot_length), 5, start=1.2 * body.leg_length)
        for ground in (Flat(), stairs):
            path = parse_path(f"0,0 0,{8 * body.leg_length}")
            made = generate(ForceWalk(), Task(body=body, path=path, terrain=ground, fps=60.0))
            motion = dressed(made, rig, ground)
            start = 0.45 if isinstance(ground, Flat) else 0.27
            times = start * motion.duration + np.arange(FRAMES) * 0.19 * np.sqrt(unit)
            rows.append(
                contact_sheet(motion, ground, times=list(times), columns=FRAMES, size=(220, 250), mesh=rig.skin or True)
            )
    whole = Image.new("RGB", (rows[0].width, sum(r.height for r in rows)), "white")
    for k, picture in enumerate(rows):
        whole.paste(picture, (0, k * picture.height))
    write_picture(whole.quantize(128).convert("RGB"), OUT / "rigs.png")


if __name__ == "__main__":
    main()
