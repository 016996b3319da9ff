"""From a project to its clip: the method and the task, made through :func:`gambol.synthesis.generate`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gambol import quat
from gambol.commands import Command, Commands
from gambol.errors import GambolError
from gambol.forms import nearest
from gambol.gait import Gait, pace
from gambol.keys import Key
from gambol.motion import Motion, Pose
from gambol.path import Path, walkable
from gambol.skeleton import Skeleton
from gambol.studio.project import PoseRow, Project, to_json
from gambol.studio.workshop import Wearer, Workshop
from gambol.synthesis import Task, dials, generate
from gambol.terrain import Terrain

if TYPE_CHECKING:
    from gambol.graph import MotionGraph

__all__ = ["DRAFT_FPS", "GOES", "Cancelled", "Plan", "make", "plan", "pose_of", "pose_row", "put_on"]

GOES = ("force", "measured", "running", "graph")
DRAFT_FPS = 30.0
FARTHEST, NEAR = 20_000.0, 1e-3  # m of a path; m between points that say no direction
MOST_FRAMES, LONG = 300_000, 20_000  # of a clip, and of one that is kept for the next question about it
Watch = Callable[[float | None], None]  # told the share that is made, None: not known; raises Cancelled to stop


class Cancelled(Exception):
    """Nobody waits for the answer any more."""


class Plan(NamedTuple):
    """What makes the clip of a project."""

    method: Any
    task: Task
    wearer: Wearer


class Watched:
    """A method that says before each stretch how far it is; otherwise that method."""

    def __init__(self, method: Any, watch: Watch, seconds: float) -> None:
        self._method, self._watch, self._seconds, self._frames = method, watch, seconds, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._method, name)

    def advance(self, state: Any, task: Task) -> tuple[Any, Motion | None]:
        """The method's own."""
        self._watch(min(self._frames / task.fps / self._seconds, 0.99))
        state, motion = self._method.advance(state, task)
        self._frames += 0 if motion is None else len(motion)
        return state, motion


def make(shop: Workshop, project: Project, draft: bool = False, watch: Watch | None = None) -> Motion:
    """The clip of a project, on the skeleton of its figure.

    Args:
        shop: what it is made with.
        project: what is asked for.
        draft: quickly: 30 frames a second, with the engine that is warm, on a character without exact planting.
        watch: told how much is made, between stretches.

    Raises:
        GambolError: what cannot be made, and why.
        Cancelled: by ``watch``.
    """
    if project.mode == "view":
        return shop.clip(project.view)
    key = "" if draft else _said(project)
    if key and (kept := shop.motions.known(key)) is not None:
        return kept
    made = plan(shop, project, shop.engine(project.go.method) if draft else "numpy")
    task = replace(made.task, fps=min(DRAFT_FPS, project.fps)) if draft else made.task
    lasts = _lasts(made.method, task)
    if lasts * task.fps > MOST_FRAMES:
        what = f"the clip would have about {lasts * task.fps:.0f} frames"
        do = "make the path shorter, go faster, or take fewer frames a second"
        raise GambolError(what, where="project", allowed=f"{MOST_FRAMES}", do=do)
    method = made.method if watch is None else Watched(made.method, watch, lasts)
    motion = generate(method, task)
    if watch is not None:
        watch(None)
    motion = put_on(named(motion, project), made.wearer, task.terrain, planted=not draft)
    if key and len(motion) < LONG:
        shop.motions.keep(key, motion)
    return motion


def _said(project: Project) -> str:
    """All that a clip is made from."""
    return json.dumps(to_json(replace(project, title="", camera=None)))


def _lasts(method: Any, task: Task) -> float:
    """About how many seconds the motion will be."""
    if task.commands is not None:
        return max(task.commands.end, 1.0)
    if (lasts := getattr(method, "lasts", None)) is not None:
        return max(float(lasts(task)), 0.1)
    try:
        speeds = task.gait.speed
        listed = isinstance(speeds, tuple)
        usual = float(np.mean([v for _, v in speeds])) if listed else pace(task.gait, task.body).speed  # type: ignore
        return task.path.length * task.laps / max(usual, 0.2) + 1.0
    except GambolError:  # a run, beyond the laws of walking
        return task.path.length * task.laps / max(float(speeds or 3.0), 0.2) + 1.0  # type: ignore[arg-type]


def put_on(motion: Motion, wearer: Wearer, terrain: Terrain, planted: bool = True) -> Motion:
    """A motion of a body on the figure that wears it."""
    if wearer.character is None:
        return motion
    from gambol.dressing import worn

    return worn(motion, wearer.character, terrain, planted)


def named(motion: Motion, project: Project) -> Motion:
    """With the name of its kind, and the ground it is on where a text says it."""
    info = dict(motion.info) if project.ground.file else {"ground": project.ground.text, **motion.info}
    name = {"go": "run" if project.go.method == "running" else "walk", "drive": "drive", "dance": "dance"}[project.mode]
    return replace(motion, name=name, info=info)


def plan(shop: Workshop, project: Project, engine: str = "numpy") -> Plan:
    """Method and task of a project that is not looked at only."""
    wearer = shop.figure(project.figure)
    made = {"go": _go, "drive": _drive, "dance": _dance}[project.mode]
    return made(shop, project, wearer, engine)


def _go(shop: Workshop, project: Project, wearer: Wearer, engine: str) -> Plan:
    go = project.go
    if go.method not in GOES:
        raise GambolError(f"nobody goes by {go.method!r}", where="go: method", do=nearest(go.method, GOES))
    if len(go.points) < 2:
        raise GambolError("there is no path yet", where="go: points", allowed="two points or more", do="draw a path")
    speed: Any = go.speed
    points = np.array(go.points)
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum()) * go.laps
    if length > FARTHEST:
        what, allowed = f"the path is {length:.0f} m long", f"at most {FARTHEST:g} m"
        raise GambolError(what, where="go: points", allowed=allowed, do="draw a shorter one")
    task = Task(
        body=_walks(wearer, project), path=walkable(points, go.closed),
        terrain=shop.ground(project.ground),
        gait=Gait(speed=speed, step_length=go.step_length, cadence=go.cadence), laps=go.laps, fps=project.fps,
        seed=project.seed,
    )
    method, task = _METHODS[go.method](shop, project, task, engine)
    if go.style is not None:
        from gambol.style import find, styled

        method, task = styled(method, task, ((0.0, find(_word(go.style, "go: style"))),))
    return Plan(method, task, wearer)


def _force(shop: Workshop, project: Project, task: Task, engine: str) -> tuple[Any, Task]:
    from gambol.methods.force_walk import PRESETS, ForceWalk

    preset = _preset(project.go.preset or "natural", PRESETS)
    return ForceWalk(preset=preset, engine=engine, **values("force", ForceWalk, project.go.dials)), task


def _measured(shop: Workshop, project: Project, task: Task, engine: str) -> tuple[Any, Task]:
    from gambol.methods.measured_walk import MeasuredWalk
    from gambol.prototypes import STYLES, builtin

    name = _preset(project.go.preset or "neutral", (*STYLES, "paper"))
    styles = ((0.0, builtin("neutral" if name == "paper" else name)),)
    if project.go.clip is not None:
        styles = ((0.0, (_walk(shop, project.go.clip),)),)
    laws = "paper" if name == "paper" else "natural"
    return MeasuredWalk(styles, laws, engine, **values("measured", MeasuredWalk, project.go.dials)), task


def _walk(shop: Workshop, file: str) -> Any:
    """The measured walk of a dropped clip."""
    from gambol.io import load
    from gambol.recorded_walk import build_walk
    from gambol.walk_data import load_walk

    place = shop.folder.file(file)
    return load_walk(place) if place.suffix.lower() == ".walk" else build_walk(load(place))


def _running(shop: Workshop, project: Project, task: Task, engine: str) -> tuple[Any, Task]:
    from gambol.methods.running import Running
    from gambol.run_form import changing, presets

    preset = presets(None if project.go.preset is None else _preset(project.go.preset, tuple(run_presets())))
    if task.gait.speed is None and "speed" in preset and (task.gait.cadence is None or task.gait.step_length is None):
        tall = float(preset.get("height", 1.75))
        speed = float(preset["speed"]) * (task.body.height / tall) ** 0.5
        task = replace(task, gait=replace(task.gait, speed=speed))
    rest = {k: v for k, v in preset.items() if k not in ("speed", "height")}
    method = Running(engine=engine, **{**rest, **values("running", Running, project.go.dials)})
    return changing(method, task), task


def run_presets() -> dict[str, Any]:
    """The presets of running, with their dials."""
    from gambol.run_form import PRESETS

    return dict(json.loads(PRESETS.read_text(encoding="utf-8")))


def _graph(shop: Workshop, project: Project, task: Task, engine: str) -> tuple[Any, Task]:
    from gambol.methods.motion_graph import MotionGraphWalk

    chosen: dict[str, Any] = dict(values("graph", MotionGraphWalk, project.go.dials))
    return MotionGraphWalk(_clips(shop, project.go.clip), **chosen), task


def _clips(shop: Workshop, file: str | None) -> MotionGraph | None:
    """A graph that was dropped onto the page; None for the built-in one."""
    if file is None:
        return None
    from gambol.graph_file import load_graph

    return load_graph(shop.folder.file(file))


_METHODS = {"force": _force, "measured": _measured, "running": _running, "graph": _graph}


def _drive(shop: Workshop, project: Project, wearer: Wearer, engine: str) -> Plan:
    from gambol.methods.motion_graph import MotionGraphWalk

    rows = project.drive.commands
    if not rows:
        raise GambolError("nothing has been driven yet", where="drive", do="steer with the keys or a gamepad")
    commands = Commands(np.array([r[0] for r in rows]), tuple(Command(r[1], r[2], gait=r[3]) for r in rows))
    chosen: dict[str, Any] = dict(values("graph", MotionGraphWalk, project.drive.dials))
    task = Task(
        body=_walks(wearer, project), terrain=shop.ground(project.ground), fps=project.fps, seed=project.seed,
        commands=commands,
    )
    if len(project.go.points) > 1:  # begins where the path does, and looks along it
        start, other = np.array(project.go.points[:2])
        way = (other - start) * [1.0, 0.0, 1.0]
        if (far := float(np.linalg.norm(way))) > NEAR:
            task = replace(task, path=Path(np.array([start, start + way / far])))
    return Plan(MotionGraphWalk(_clips(shop, project.go.clip), **chosen), task, wearer)


def _dance(shop: Workshop, project: Project, wearer: Wearer, engine: str) -> Plan:
    from gambol.methods.elastic_dance import ElasticDance
    from gambol.methods.sway import Sway
    from gambol.wind import Wind

    dance = project.dance
    if wearer.model is None:
        what = "a clip's figure is not posed"
        raise GambolError(what, where="figure", allowed="a person, a character or a model", do="choose one of these")
    blown = dance.wind is not None and not dance.keys
    known: Any = Sway if blown else ElasticDance
    chosen: Any = _dials(dance.dials, {d.name: d for d in (*dials(Sway), *dials(ElasticDance))}, "dance: dials")
    chosen = {d.name: chosen[d.name] for d in dials(known) if d.name in chosen}
    task = Task(
        body=wearer.body or Task().body, model=wearer.model, terrain=shop.ground(project.ground), fps=project.fps,
        seed=project.seed, period=dance.period, duration=4.0 if blown and dance.period is None else None,
        keys=tuple(
            Key(k.time, pose_of(k.pose, wearer.model.skeleton), k.hold, k.planted, k.jump)
            for k in sorted(dance.keys, key=lambda k: k.time)
        ),
        wind=None if dance.wind is None else _wind(Wind, dance.wind),
    )
    if blown:
        return Plan(Sway(**chosen), task, wearer)
    if not dance.keys:
        raise GambolError("there are no postures yet", where="dance: keys", do="pose the figure and add a key")
    return Plan(ElasticDance(mode=dance.mode, **chosen), task, wearer)


def _wind(kind: Any, row: tuple[Any, float, float, float]) -> Any:
    toward, speed, gust, turbulence = row
    return kind(speed, toward, gust, turbulence)


def _walks(wearer: Wearer, project: Project) -> Any:
    if wearer.body is None:
        what = f"{project.figure.model or 'this figure'} does not walk"
        raise GambolError(what, where="figure", allowed="a person or a character", do="choose another, or dance")
    return wearer.body


def values(method: str, kind: Any, given: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """The dials that a project sets for a method."""
    return _dials(given.get(method, {}), {d.name: d for d in dials(kind)}, f"dials: {method}")


def _dials(given: Mapping[str, float], known: Mapping[str, Any], where: str) -> dict[str, float]:
    for name, value in given.items():
        if name not in known:
            raise GambolError(f"no dial is called {name[:40]!r}", where=where, do=nearest(name, known))
        d = known[name]
        if not d.low <= value <= d.high:
            limits = f"{d.low:g} to {d.high:g} {d.unit}".removesuffix(" 1")
            raise GambolError(f"{value:g} is out of range", where=f"{where}: {name}", allowed=limits)
    return dict(given)


def _preset(name: str, known: tuple[str, ...]) -> str:
    if name not in known:
        raise GambolError(f"no preset is called {name[:40]!r}", where="go: preset", do=nearest(name, known))
    return name


def _word(name: str, where: str) -> str:
    """A name, never that of a file."""
    if any(c in name for c in "./\\"):
        raise GambolError(f"{name[:40]!r} is no name", where=where, do="choose one of the list")
    return name


def pose_of(row: PoseRow, skeleton: Skeleton) -> Pose:
    """A posture of a skeleton; joints not named are at rest."""
    turns = np.tile(quat.IDENTITY, (len(skeleton), 1))
    for name, turn in row.rotations.items():
        turns[skeleton.index(name)] = turn
    return Pose(np.array(row.root, float), quat.normalize(turns))


def pose_row(pose: Pose, skeleton: Skeleton) -> PoseRow:
    """A posture by the names of its joints."""
    turned = [j for j in range(len(skeleton)) if np.any(pose.rotations[j][1:]) or pose.rotations[j][0] < 0]
    rotations = {skeleton.names[j]: tuple(map(float, pose.rotations[j])) for j in turned}
    return PoseRow(tuple(map(float, pose.root)), rotations)
