"""Draw the pictures of the docs: python docs/make_pictures.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gambol import ForceWalk, Task, generate
from gambol.render import contact_sheet, strip, write_picture
from gambol.scenes import demo

OUT = Path(__file__).parent / "pictures"


def main() -> None:
    OUT.mkdir(exist_ok=True)
    path, ground = demo()
    motion = generate(ForceWalk(), Task(path=path, terrain=ground))
    whole = strip(motion, ground, poses=34, size=(1600, 640), view="three-quarter", turn=float(np.radians(200)))
    write_picture(whole, OUT / "demo.png")
    stairs = motion[int(2.4 * 60) : int(9.4 * 60)]
    write_picture(strip(stairs, ground, poses=16, size=(1600, 520)), OUT / "stairs.png")
    stride = contact_sheet(motion[600:666], ground, frames=12, view="side", size=(220, 300))
    write_picture(stride, OUT / "stride.png")


if __name__ == "__main__":
    main()
