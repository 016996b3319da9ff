"""A project: everything that is needed to make its clip, as one value and as JSON (docs/studio_protocol.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gambol.errors import GambolError
from gambol.studio.checks import choice, entries, flag, listed, name_of, number, numbers, rows, text, whole

__all__ = [
    "MODES", "Dance", "Drive", "Figure", "Go", "Ground", "KeyRow", "PoseRow", "Project", "View", "figure_json",
    "parsed", "pose_json", "read_figure", "read_ground", "read_pose", "read_project", "to_json",
]

MODES = ("go", "drive", "dance", "view")
FIGURES = ("person", "character", "model", "clip")
GAITS = ("stand", "walk", "run")
VERSION = 1
LONGEST = 3600.0  # s of a clip
MOST_POINTS, MOST_KEYS, MOST_COMMANDS = 2000, 1000, 20_000
DEEPEST = 200_000  # letters of what the page keeps for itself
Table = Mapping[str, Any]
Row = tuple[float, ...]


@dataclass(frozen=True)
class Figure:
    """Who moves: a built-in person of a height (m) and mass (kg), a character's file, a model, or a clip's skeleton."""

    kind: str = "person"
    height: float = 1.75
    mass: float | None = None
    file: str = ""
    model: str = ""
    clip: str | None = None


@dataclass(frozen=True)
class Ground:
    """What is walked on: a text as on the command line, or a mesh file with its metres a unit and upward axis."""

    text: str = "flat"
    file: str = ""
    scale: float = 1.0
    up: str = "y"


@dataclass(frozen=True)
class Go:
    """A walk or a run along drawn points."""

    method: str = "force"
    points: tuple[Row, ...] = ()
    closed: bool = False
    laps: int = 1
    speed: float | tuple[Row, ...] | None = None
    step_length: float | None = None
    cadence: float | None = None
    style: str | None = None
    preset: str | None = None
    dials: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    clip: str | None = None


@dataclass(frozen=True)
class Drive:
    """What was driven: rows of time s, speed m/s, turn rad/s and gait."""

    commands: tuple[tuple[float, float, float, str], ...] = ()
    dials: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class PoseRow:
    """A posture: place of the root (3,) m, and w x y z of joints by name; joints not named are at rest."""

    root: Row
    rotations: Mapping[str, Row]


@dataclass(frozen=True)
class KeyRow:
    """A posture at its time."""

    id: str
    time: float
    pose: PoseRow
    hold: float = 0.0
    planted: tuple[str, ...] | None = None
    jump: bool = False
    label: str = ""


@dataclass(frozen=True)
class Dance:
    """Postures over time, and the wind. ``music`` is (file, offset s), ``wind`` (toward, speed, gust, turbulence)."""

    keys: tuple[KeyRow, ...] = ()
    mode: str = "hit"
    dials: Mapping[str, float] = field(default_factory=dict)
    period: float | None = None
    music: tuple[str, float] | None = None
    wind: tuple[Row, float, float, float] | None = None
    postures: tuple[tuple[str, PoseRow], ...] = ()


@dataclass(frozen=True)
class View:
    """A clip that is looked at."""

    file: str = ""
    clip: str | None = None


@dataclass(frozen=True)
class Project:
    """One clip and all it is made from."""

    title: str = "Untitled"
    mode: str = "go"
    figure: Figure = Figure()
    ground: Ground = Ground()
    fps: float = 60.0
    seed: int = 0
    go: Go = Go()
    drive: Drive = Drive()
    dance: Dance = Dance()
    view: View = View()
    camera: Any = None


def parsed(data: bytes | str, where: str = "project") -> Any:
    """JSON, refused where it is none: also numbers that JSON does not know, and nests too deep to be read."""
    try:
        return json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise GambolError(f"it is no JSON ({str(error)[:80]})", where=where, do="send one JSON object") from None


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def read_project(data: Any) -> Project:
    """A project from JSON; what is missing has its default.

    Raises:
        GambolError: naming the entry that cannot be used.
    """
    known = dict(entries(data, ("gambol", "version", *Project.__dataclass_fields__), "project"))
    if known.pop("gambol", "project") != "project":
        raise GambolError("it is no project", where="project: gambol", allowed='"project"')
    if (version := known.pop("version", VERSION)) != VERSION:
        raise GambolError(f"version is {str(version)[:20]}", where="project", allowed=f"{VERSION}", do="update gambol")
    read: dict[str, Callable[[Any, str], Any]] = {
        "title": text, "mode": lambda v, w: choice(v, MODES, w), "figure": read_figure, "ground": read_ground,
        "fps": lambda v, w: number(v, w, 1, 1000), "seed": lambda v, w: whole(v, w, 0, 2**53), "go": _go,
        "drive": _drive, "dance": _dance, "view": _view, "camera": _kept,
    }  # fmt: skip
    return Project(**{key: read[key](value, key) for key, value in known.items()})


def read_figure(value: Any, where: str = "figure") -> Figure:
    """Who moves."""
    known = dict(entries(value, tuple(Figure.__dataclass_fields__), where))
    kind = choice(known.get("kind", "person"), FIGURES, f"{where}: kind")
    read: dict[str, Callable[[Any, str], Any]] = {
        "kind": text, "height": lambda v, w: number(v, w, 0.9, 3.1), "mass": _maybe(2.0, 1000.0), "file": name_of,
        "model": lambda v, w: text(v, w, 40), "clip": _word,
    }
    needed = {"character": "file", "clip": "file", "model": "model"}.get(kind)
    if needed and not known.get(needed):
        raise GambolError(f"no {needed} is named", where=where, do=f"name the {needed}")
    return Figure(**{k: read[k](v, f"{where}: {k}") for k, v in known.items() if v != "" or k == needed})


def read_ground(value: Any, where: str = "ground") -> Ground:
    """What is walked on."""
    known = entries(value, tuple(Ground.__dataclass_fields__), where)
    read: dict[str, Callable[[Any, str], Any]] = {
        "text": lambda v, w: _plain_ground(text(v, w, 60), w), "file": name_of,
        "scale": lambda v, w: number(v, w, 1e-6, 1e6), "up": lambda v, w: choice(v, ("y", "z"), w),
    }
    return Ground(**{k: read[k](v, f"{where}: {k}") for k, v in known.items() if v != ""})


def read_pose(value: Any, where: str = "pose") -> PoseRow:
    """A posture."""
    known = entries(value, ("root", "rotations"), where)
    turns = known.get("rotations", {})
    if not isinstance(turns, dict) or len(turns) > 1000:
        raise GambolError("rotations are no table", where=where, allowed="joint -> w, x, y, z")
    read = {text(k, where, 80): numbers(v, f"{where}: {k[:40]}", 4) for k, v in turns.items()}
    for name, (w, x, y, z) in read.items():
        if not 0.5 < w * w + x * x + y * y + z * z < 2.0:
            raise GambolError("it is no rotation", where=f"{where}: {name}", allowed="w, x, y, z of length 1")
    return PoseRow(numbers(known.get("root", [0.0, 0.0, 0.0]), f"{where}: root", 3), read)


def to_json(project: Project) -> dict[str, Any]:
    """All entries of a project, such that :func:`read_project` gives it back."""
    go, dance = project.go, project.dance
    return {
        "gambol": "project", "version": VERSION, "title": project.title, "mode": project.mode,
        "figure": figure_json(project.figure), "ground": _ground_json(project.ground),
        "fps": project.fps, "seed": project.seed,
        "go": {**_plain(go), "points": _lists(go.points), "dials": _tables(go.dials),
               "speed": _lists(go.speed) if isinstance(go.speed, tuple) else go.speed},
        "drive": {"commands": [list(c) for c in project.drive.commands], "dials": _tables(project.drive.dials)},
        "dance": {
            **_plain(dance), "keys": [_key_json(k) for k in dance.keys], "dials": dict(dance.dials),
            "music": None if dance.music is None else dict(zip(("file", "offset"), dance.music)),
            "wind": None if dance.wind is None else {
                "toward": list(dance.wind[0]), **dict(zip(("speed", "gust", "turbulence"), dance.wind[1:]))},
            "postures": [{"name": n, "pose": pose_json(p)} for n, p in dance.postures],
        },
        "view": _plain(project.view), "camera": project.camera,
    }  # fmt: skip


def pose_json(pose: PoseRow) -> dict[str, Any]:
    """A posture as JSON."""
    return {"root": list(pose.root), "rotations": {n: list(r) for n, r in pose.rotations.items()}}


def figure_json(figure: Figure) -> dict[str, Any]:
    """A figure as JSON."""
    kept = {"person": ("height", "mass"), "character": ("file", "mass"), "model": ("model",), "clip": ("file", "clip")}
    return {"kind": figure.kind, **{k: getattr(figure, k) for k in kept[figure.kind]}}


def _ground_json(ground: Ground) -> dict[str, Any]:
    return {"file": ground.file, "scale": ground.scale, "up": ground.up} if ground.file else {"text": ground.text}


def _key_json(key: KeyRow) -> dict[str, Any]:
    planted = None if key.planted is None else list(key.planted)
    return {**_plain(key), "pose": pose_json(key.pose), "planted": planted}


def _plain(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _lists(table: tuple[Row, ...]) -> list[list[float]]:
    return [list(row) for row in table]


def _tables(dials: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    return {method: dict(values) for method, values in dials.items()}


def _go(value: Any, where: str) -> Go:
    known = entries(value, tuple(Go.__dataclass_fields__), where)
    read: dict[str, Callable[[Any, str], Any]] = {
        "method": lambda v, w: text(v, w, 40), "points": lambda v, w: rows(v, w, 3, MOST_POINTS), "closed": flag,
        "laps": lambda v, w: whole(v, w, 1, 10_000), "speed": _speed, "step_length": _maybe(0.0, 5.0),
        "cadence": _maybe(0.0, 400.0), "style": _word, "preset": _word, "dials": _dials_of_methods,
        "clip": lambda v, w: None if v is None else name_of(v, w),
    }
    return Go(**{k: read[k](v, f"{where}: {k}") for k, v in known.items()})


def _drive(value: Any, where: str) -> Drive:
    known = entries(value, ("commands", "dials"), where)
    out = []
    for n, row in enumerate(listed(known.get("commands", []), f"{where}: commands", MOST_COMMANDS), 1):
        at = f"{where}: commands {n}"
        if not isinstance(row, list) or len(row) != 4:
            raise GambolError("it is no command", where=at, allowed="[time, speed, turn, gait]")
        time, speed, turn = (number(v, at) for v in row[:3])
        out.append((time, speed, turn, choice(row[3], GAITS, at)))
    return Drive(tuple(out), _dials_of_methods(known.get("dials", {}), f"{where}: dials"))


def _dance(value: Any, where: str) -> Dance:
    known = entries(value, tuple(Dance.__dataclass_fields__), where)
    read: dict[str, Callable[[Any, str], Any]] = {
        "keys": lambda v, w: tuple(_key(k, f"{w} {n}") for n, k in enumerate(listed(v, w, MOST_KEYS), 1)),
        "mode": lambda v, w: choice(v, ("hit", "pull"), w), "dials": _dials, "period": _maybe(1e-3, LONGEST),
        "music": _music, "wind": _wind,
        "postures": lambda v, w: tuple(_named(p, f"{w} {n}") for n, p in enumerate(listed(v, w, MOST_KEYS), 1)),
    }
    return Dance(**{k: read[k](v, f"{where}: {k}") for k, v in known.items()})


def _key(value: Any, where: str) -> KeyRow:
    known = entries(value, tuple(KeyRow.__dataclass_fields__), where)
    planted = known.get("planted")
    if planted is not None:
        planted = tuple(text(p, f"{where}: planted", 80) for p in listed(planted, f"{where}: planted", 200))
    time, hold = (number(known.get(k, 0.0), f"{where}: {k}", 0, LONGEST) for k in ("time", "hold"))
    pose = read_pose(known.get("pose", {}), f"{where}: pose")
    return KeyRow(
        text(str(known.get("id", "")), f"{where}: id", 80), time, pose, hold,
        planted, flag(known.get("jump", False), f"{where}: jump"), text(known.get("label", ""), f"{where}: label"),
    )


def _named(value: Any, where: str) -> tuple[str, PoseRow]:
    known = entries(value, ("name", "pose"), where)
    return text(known.get("name", ""), f"{where}: name"), read_pose(known.get("pose", {}), f"{where}: pose")


def _music(value: Any, where: str) -> tuple[str, float] | None:
    if value is None:
        return None
    known = entries(value, ("file", "offset"), where)
    return name_of(known.get("file"), f"{where}: file"), number(known.get("offset", 0.0), where, -LONGEST, LONGEST)


def _wind(value: Any, where: str) -> tuple[Row, float, float, float] | None:
    if value is None:
        return None
    known = entries(value, ("toward", "speed", "gust", "turbulence"), where)
    speed, gust, rough = (
        number(known.get(k, usual), f"{where}: {k}", 0, most)
        for k, usual, most in (("speed", 6.0, 70.0), ("gust", 0.35, 1.0), ("turbulence", 0.25, 1.0))
    )
    return numbers(known.get("toward", [1.0, 0.0, 0.0]), f"{where}: toward", 3), speed, gust, rough


def _view(value: Any, where: str) -> View:
    if value is None:
        return View()
    known = entries(value, ("file", "clip"), where)
    file = known.get("file", "")
    return View(name_of(file, f"{where}: file") if file else "", _word(known.get("clip"), f"{where}: clip"))


def _speed(value: Any, where: str) -> Any:
    if value is None:
        return None
    return rows(value, where, 2, 500) if isinstance(value, list) else number(value, where, 0, 20)


def _maybe(low: float, high: float) -> Callable[[Any, str], float | None]:
    return lambda value, where: None if value is None else number(value, where, low, high)


def _word(value: Any, where: str) -> str | None:
    return None if value is None or value == "" else text(value, where)


def _dials(value: Any, where: str) -> dict[str, float]:
    if not isinstance(value, dict) or len(value) > 200:
        raise GambolError("they are no table", where=where, allowed="name -> value")
    return {text(k, where, 60): number(v, f"{where}: {k[:40]}") for k, v in value.items()}


def _dials_of_methods(value: Any, where: str) -> dict[str, dict[str, float]]:
    if not isinstance(value, dict) or len(value) > 50:
        raise GambolError("they are no table", where=where, allowed="method -> name -> value")
    return {text(k, where, 60): _dials(v, f"{where}: {k[:40]}") for k, v in value.items()}


def _plain_ground(value: str, where: str) -> str:
    """A ground without a file: those come by their own entry, never by a path."""
    kind = value.partition(":")[0]
    if kind not in ("flat", "slope", "stairs", "demo"):
        allowed = "flat, slope:DEGREES, stairs:RISE,TREAD,COUNT or demo"
        raise GambolError(f"no ground is called {value[:40]!r}", where=where, allowed=allowed, do="drop the file")
    return value


def _kept(value: Any, where: str) -> Any:
    """What the page keeps for itself, unread, of a moderate size."""
    if len(json.dumps(value)) > DEEPEST:
        raise GambolError("it is too large", where=where, allowed=f"{DEEPEST} letters")
    return value
