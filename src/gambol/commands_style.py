"""The commands about personality: ``gambol styles`` lists them, ``gambol fit`` finds one in measured forces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gambol.errors import GambolError
from gambol.words import Files, Json, check_targets, print_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fit", "styles"]


def styles(*, as_json: Json = False) -> int:
    """List the styles of walking: what they mean, how they pace, and the dials they set.

    Args:
        as_json: print them as JSON.
    """
    from gambol.style import styles as known

    if as_json:
        print_json({n: {"meaning": s.meaning, "speed": s.speed, "step": s.step, "width": s.width, **dict(s.dials)}
                    for n, s in known().items()})
        return 0
    for name, s in known().items():
        print(f"{name:10} {s.meaning}")
        print(f"{'':10} speed x{s.speed:g}, steps x{s.step:g}, width x{s.width:g}; "
              + ", ".join(f"{n} {v:g}" for n, v in s.dials))
    return 0


def fit(  # noqa: PLR0913
    file: Path, *, height: float | None = None, mass: float | None = None, speed: float | None = None,
    mode: str = "level", output: Files = (), as_json: Json = False,
) -> int:
    """Find the nine deltas of a walk in the forces of its feet, and write them as a style.

    Args:
        file: a record with force plates (.c3d, .mot) or a motion with forces (.npz).
        height: of the walker, m; for the speeds that go with a body's size.
        mass: of the walker, kg; found from the forces where both feet are recorded.
        speed: m/s; else from the step rate, by the published law.
        mode: level, or up or down stairs.
        output: a .toml file for `gambol walk --style FILE`.
        as_json: print everything as JSON.
    """
    check_targets(output, (".toml",), (file,))
    from gambol.body import Body
    from gambol.style import save_style
    from gambol.style_fit import fit_style

    forces, rate, known = _forces(file)
    weight = mass if mass is not None else known
    tall = Body().height if height is None else height
    found = fit_style(forces, rate, None if weight is None else Body(tall, weight), speed, mode)
    style = found.style(file.stem or "measured", f"found from {file.name}")
    if output:
        from gambol.io.target import replace_all

        replace_all([(target, save_style(style).encode()) for target in output])
    if as_json:
        print_json({**found._asdict(), "files": [str(f) for f in output]})
        return 0
    for line in [*found.lines(), *(f"wrote {target}" for target in output)]:
        print(line)
    return 0


def _forces(file: Path) -> tuple[NDArray[Any], float, float | None]:
    """(F, K, 3) N of feet or plates, samples a second, and the mass (kg) where the file says it."""
    import numpy as np

    from gambol.dynamics import low_pass
    from gambol.io import load
    from gambol.motion import Motion

    content = load(file)
    if isinstance(content, Motion):
        if content.forces is None:
            raise GambolError("it holds no forces", where=str(file), allowed="a .npz with forces, a .c3d, a .mot")
        return np.array(content.forces), content.fps, content.mass
    if not content.plates or content.analog_fps is None:
        raise GambolError("it holds no force plates", where=str(file), allowed="a .npz with forces, a .c3d, a .mot")
    raw = np.nan_to_num(np.stack([p.force for p in content.plates], 1))
    return low_pass(raw, content.analog_fps), content.analog_fps, None
