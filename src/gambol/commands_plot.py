"""``gambol plot``: figures of a walk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from gambol.errors import GambolError
from gambol.words import check_targets

__all__ = ["plot"]

Names = Annotated[tuple[str, ...], Parameter(name="--figure", negative=(), show_default=False)]
Output = Annotated[Path | None, Parameter(name=["--output", "-o"])]


def plot(file: Path, *, figure: Names = (), output: Output = None, norms: Path | None = None) -> int:
    """Draw figures of a walk: force curves, phases, leg, turn and arm, mass centre, pulses, steps, joint angles.

    Args:
        file: an .npz motion (a .glb has no forces).
        figure: forces, phases, legs, com, top, turning, reach, arms, steps or angles, as often as wanted; by
            default all that the clip has the numbers for.
        output: a folder, or a .png for a single figure; by default a folder named like the file.
        norms: a folder with joint_angles.csv and ground_reaction_forces.csv, whose bands are drawn with the angles.
    """
    from gambol.body import G
    from gambol.io import load_motion
    from gambol.io.target import replace_all
    from gambol.loop import unrolled
    from gambol.plot import FIGURES, read_norms
    from gambol.plot import plot as drawn
    from gambol.spin import figure_height

    single = output is not None and output.suffix.lower() == ".png"
    if single and len(figure) != 1:
        raise GambolError("one picture holds one figure", where=f"-o {output}", do="name one --figure, or a folder")
    for name in figure:
        if name not in FIGURES:
            raise GambolError(f"no figure is called {name!r}", where="--figure", allowed=", ".join(FIGURES))
    motion = unrolled(load_motion(file))
    folder = file.with_suffix("") if output is None else output
    bands = None
    if norms is not None:
        speed = motion.info.get("speed_m_s") or 1.2
        bands = read_norms(norms, speed / (G * 0.53 * figure_height(motion)) ** 0.5)
    made, missed = [], []
    for name in figure or tuple(FIGURES):
        try:
            made.append((output if single and output else folder / f"{name}.png", drawn(motion, name, bands)))
        except GambolError as error:
            if figure:
                raise
            missed.append(f"no {name}: {error.what}")
    if not made:
        raise GambolError("nothing in it can be drawn", where=str(file), allowed="a walk of several steps")
    if not single:
        folder.mkdir(parents=True, exist_ok=True)
    check_targets([target for target, _ in made], (".png",), (file,))
    replace_all(made)
    for line in [*(f"wrote {target}" for target, _ in made), *missed]:
        print(line)
    return 0
