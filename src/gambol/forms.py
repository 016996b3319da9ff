"""From what a person types to a Task and a method: the form behind the command line."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gambol.errors import GambolError

if TYPE_CHECKING:
    from gambol.path import Path
    from gambol.synthesis import Task
    from gambol.terrain import Terrain

__all__ = [
    "DEFAULT_GROUND", "DEFAULT_PACE", "DEFAULT_WALK", "GroundForm", "PaceForm", "WalkForm", "dial_values",
    "ground_name", "nearest", "read_ground", "read_scene",
]

DEMO = "demo"  # the built-in scene, as a path and as a ground
GROUNDS = ("flat", "slope", "stairs", DEMO)
KNOWN_GROUNDS = "flat, slope:DEGREES, stairs:RISE,TREAD,COUNT, demo, or a mesh file (.obj .glb .gltf .ply .stl)"
ENGINES = ("numpy", "compiled")


@dataclass(frozen=True)
class GroundForm:
    """The ground; scale and upward axis are those of a mesh file.

    Attributes:
        terrain: a mesh file, flat, slope:DEGREES, stairs:RISE,TREAD,COUNT (metres), or demo.
        terrain_scale: metres of one unit of the mesh file.
        terrain_up: y or z, the upward axis of the mesh file; with z, its x is forward.
    """

    terrain: str | None = None
    terrain_scale: float = 1.0
    terrain_up: str = "y"

    def text(self) -> str | None:
        """The same in one text, as a clip keeps it; None where nothing is said.

        Raises:
            GambolError: for a scale or an axis without a mesh file.
        """
        said = [f"scale={self.terrain_scale!r}"] * (self.terrain_scale != 1.0) + [f"up={self.terrain_up}"] * (
            self.terrain_up != "y"
        )
        if not said or self.terrain is None:
            if said:
                what = f"{' '.join(said)} of no ground"
                raise GambolError(what, where="--terrain", do="name the mesh file: --terrain FILE")
            return self.terrain
        if self.terrain.partition(":")[0] in GROUNDS:
            what = f"{self.terrain!r} has neither scale nor upward axis"
            raise GambolError(what, where="--terrain", allowed="--terrain-scale and --terrain-up for a mesh file")
        return " ".join([self.terrain, *said])


@dataclass(frozen=True)
class PaceForm:
    """How the figure walks; what is not given follows from the rest by published laws.

    Attributes:
        speed: m/s along the path.
        cadence: steps a minute.
        step_length: m from one foot's strike to the other's.
        height: of the body, m.
        mass: of the body, kg.
    """

    speed: float | None = None
    cadence: float | None = None
    step_length: float | None = None
    height: float | None = None
    mass: float | None = None


@dataclass(frozen=True)
class WalkForm:
    """What the walk is sampled at, and which walk it is.

    Attributes:
        fps: frames a second, any positive real.
        duration: s; a shorter one cuts the walk, a longer one ends standing.
        laps: times round a closed path.
        seed: of everything random.
        preset: natural (laws fitted to data) or paper (the printed coefficients).
        engine: numpy, or compiled (needs numba; quicker from the second run on).
    """

    fps: float = 60.0
    duration: float | None = None
    laps: int = 1
    seed: int = 0
    preset: str = "natural"
    engine: str = "numpy"

    def method(self, dials: Iterable[str] = ()) -> Any:
        """The force walk with ``name=value`` dials set.

        Raises:
            GambolError: for a dial that is not known, not a number or out of range.
        """
        from gambol.methods.force_walk import PRESETS, ForceWalk

        for name, known in (("preset", PRESETS), ("engine", ENGINES)):
            if (value := getattr(self, name)) not in known:
                raise GambolError(
                    f"no {name} is called {value!r}", where=f"--{name}", allowed=" or ".join(known),
                    do=nearest(value, known),
                )
        return ForceWalk(preset=self.preset, engine=self.engine, **dial_values(ForceWalk, dials))

    def task(self, scene: tuple[Path, Terrain], pace: PaceForm) -> Task:
        """The task: this form, a scene and a pace."""
        from gambol.body import Body
        from gambol.gait import Gait
        from gambol.synthesis import Task

        path, terrain = scene
        body = Body(**{k: v for k in ("height", "mass") if (v := getattr(pace, k)) is not None})
        gait = Gait(speed=pace.speed, step_length=pace.step_length, cadence=pace.cadence)
        return Task(
            body=body, path=path, terrain=terrain, gait=gait, laps=self.laps, fps=self.fps,
            duration=self.duration, seed=self.seed,
        )


DEFAULT_GROUND, DEFAULT_PACE, DEFAULT_WALK = GroundForm(), PaceForm(), WalkForm()


def read_scene(path: str | None, ground: str | None) -> tuple[Path, Terrain]:
    """Path and ground from their texts.

    Without a path it is the built-in scene's on the built-in ground, and straight ahead elsewhere.
    """
    from gambol.path import load_path, parse_path

    terrain = read_ground(ground_name(path, ground))
    if path == DEMO or (path is None and ground == DEMO):
        from gambol.scenes import demo

        return demo()[0], terrain
    if path is None:
        return parse_path(f"0,0 0,{_ahead(terrain):g}"), terrain
    if path.lower().endswith((".csv", ".json")) or os.path.exists(path):  # also of a text too long for a name
        return load_path(_file(path)), terrain
    if "," not in path and path.strip():  # nor points badly written
        near = difflib.get_close_matches(path.lower(), [DEMO], 1)
        raise GambolError(
            f"{path[:60]!r} is neither a file nor points", where="--path",
            allowed='a .csv or .json file, points "x,z x,z ..." in metres, or demo',
            do="did you mean 'demo'?" if near else "check the name of the file",
        )
    return parse_path(path), terrain


def _file(name: str) -> str:
    """The name of a file or of none; never that of a pipe or a device, which would be read for ever."""
    if os.path.exists(name) and not os.path.isfile(name) and not os.path.isdir(name):
        raise GambolError("it is not a plain file", where=name, allowed="a .csv or .json file", do="copy it to a file")
    return name


def ground_name(path: str | None, ground: str | None) -> str:
    """What the ground is called: as given, else that of the built-in path, else flat."""
    return ground if ground is not None else DEMO if path == DEMO else "flat"


def _ahead(terrain: Terrain) -> float:
    """m to walk where nothing is said: 6, or 2 beyond the end of the stairs."""
    from gambol.terrain import Stairs

    return terrain.start + terrain.count * terrain.tread + 2.0 if isinstance(terrain, Stairs) else 6.0


def read_ground(text: str) -> Terrain:
    """The ground from its text: ``demo``, or whatever :func:`gambol.terrain.parse_terrain` knows."""
    from gambol.terrain import parse_terrain

    kind, colon, rest = text.partition(":")
    if kind not in GROUNDS and not set(text) & set("./\\"):  # a file has a suffix, and perhaps folders
        close = difflib.get_close_matches(kind.lower(), GROUNDS, 1)
        what, do = f"no ground is called {kind[:60]!r}", f"did you mean {close[0]!r}?" if close else "name one of these"
        raise GambolError(what, where="--terrain", allowed=KNOWN_GROUNDS, do=do)
    if kind in ("flat", DEMO) and colon:
        what = f"{kind} takes no numbers, and {rest[:60]!r} follows"
        raise GambolError(what, where="--terrain", allowed=KNOWN_GROUNDS, do=f"write --terrain {kind}")
    if text != DEMO:
        return parse_terrain(text)
    from gambol.scenes import demo

    return demo()[1]


def dial_values(method: Any, texts: Iterable[str]) -> dict[str, float]:
    """The values of ``name=value`` texts, checked against the dials of a method.

    Raises:
        GambolError: with the nearest name, or with the range of the dial.
    """
    from gambol.synthesis import dials

    known = {d.name: d for d in dials(method)}
    out: dict[str, float] = {}
    for text in texts:
        name, equals, number = text.partition("=")
        name = name.strip().replace("-", "_")
        if name not in known:
            raise GambolError(f"no dial is called {name!r}", where="--dial", do=nearest(name, known))
        low, high, unit = known[name].low, known[name].high, known[name].unit
        limits = f"{low:g} to {high:g} {unit}".removesuffix(" 1")
        try:
            value = float(number)
        except ValueError:
            what = f"{text!r} is not NAME=VALUE" if not equals else f"{number!r} is not a number"
            raise GambolError(what, where=f"--dial {name}", allowed=limits) from None
        if name in out:
            raise GambolError("it is given more than once", where=f"--dial {name}", allowed="once")
        if not low <= value <= high:
            raise GambolError(f"{value:g} is out of range", where=f"--dial {name}", allowed=limits)
        out[name] = value
    return out


def nearest(name: str, known: Iterable[str]) -> str:
    """What to do about a name that is not known: the nearest one, or all of them."""
    known = list(known)
    close = difflib.get_close_matches(name.lower(), known, 1, 0.6)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
