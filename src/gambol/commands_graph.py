"""``gambol graph`` and ``gambol follow``: a folder of clips into a motion graph, and the graph steered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from gambol.errors import GambolError
from gambol.forms import DEFAULT_GROUND, GroundForm, dial_values, ground_name, read_scene
from gambol.progress import watched
from gambol.words import Dials, Files, Json, Text, check_targets, print_json

if TYPE_CHECKING:
    from gambol.graph import MotionGraph
    from gambol.motion import Motion

__all__ = ["follow", "graph_app"]

graph_app = App(name="graph", help="Build and show motion graphs from folders of clips.")
Output = Annotated[Path, Parameter(name=["--output", "-o"])]
MOTION_FILES = (".npz", ".bvh", ".glb")
TAKEN = (".bvh", ".glb", ".gltf", ".vrm", ".npz", ".amc", ".c3d", ".fbx")  # no graph is mistaken for a clip
SLOWEST = 0.2  # m/s along a path
FEW = 8  # rows of a list that are shown
BUILT_IN = "the built-in graph: made from clips of gambol's own walk and run, no captured people"


@graph_app.command
def build(folder: Path, *, output: Output, mirror: bool = True, as_json: Json = False) -> int:
    """Cut, label and group the clips of a folder into a motion graph.

    Clips need no labels. Names of sub-folders become styles. A file that cannot be used is skipped and named.

    Args:
        folder: clips of people, in any format that gambol reads, sub-folders too.
        output: the graph file to write, such as walker.graph.
        mirror: use every clip also with left and right exchanged.
        as_json: print the report as JSON.
    """
    from gambol.gather import clip_files, gather
    from gambol.graph import build_graph
    from gambol.graph_file import encode_graph
    from gambol.io.target import replace_all

    files = clip_files(folder)
    check_targets([output], [output.suffix.lower()], map(str, files))
    if output.suffix.lower() in TAKEN:
        what, allowed = f"{output.suffix} is a suffix of motion files", ".graph, or any other"
        raise GambolError(what, where=f"-o {output}", allowed=allowed, do="give another name")
    parts = [gather([f], folder) for f in watched(files, "files")]
    whole = gather([f for f, p in zip(files, parts) if p.clips], folder)
    skipped = [s for p in parts for s in p.skipped]
    if not whole.clips:
        what = "; ".join(f"{Path(f).name}: {why}" for f, why in skipped[:3])
        raise GambolError(
            f"no clip of a person can be used ({what})", where=str(folder), allowed="people who walk or run"
        )
    graph = build_graph(whole.clips, styles=whole.styles, mirror=mirror)
    replace_all([(output, encode_graph(graph))])
    if as_json:
        print_json({**_table(graph), "skipped": skipped, "file": str(output)})
        return 0
    for line in _sentences(graph):
        print(line)
    for file, why in skipped:
        print(f"skipped {file}: {why}")
    print(f"wrote {output}")
    return 0


@graph_app.command
def show(file: Path, *, output: Files = (), as_json: Json = False) -> int:
    """Say what is in a motion graph; with -o FILE.png, draw its two levels.

    Args:
        file: a graph file.
        output: a picture to write.
        as_json: print the table as JSON.
    """
    from gambol.graph_file import load_graph

    check_targets(output, (".png", ".svg"), (str(file),))
    graph = load_graph(file)
    if output:
        from gambol.graph_picture import draw_graph

        for target in output:
            draw_graph(graph, target)
    if as_json:
        print_json({**_table(graph), "files": [str(f) for f in output]})
        return 0
    for line in [*_sentences(graph), *(f"wrote {f}" for f in output)]:
        print(line)
    return 0


def follow(  # noqa: PLR0913
    graph: Path | None = None,
    *,
    commands: Path | None = None,
    path: Text = None,
    ground: Annotated[GroundForm, Parameter(name="*")] = DEFAULT_GROUND,
    speed: float | None = None,
    height: float | None = None,
    fps: float = 60.0,
    duration: float | None = None,
    dial: Dials = (),
    output: Files = (),
    mesh: bool = True,
    as_json: Json = False,
) -> int:
    """Steer a motion graph by a table of commands, or along a path.

    Args:
        graph: a file made by gambol graph build; without one, the built-in graph, made by gambol's own walk and run.
        commands: a .csv with a header t,speed,turn[,heading,gait,style]: seconds, m/s, degrees a second.
        path: instead of commands, a path as for gambol walk.
        speed: m/s along the path.
        height: of the body, m; by default that of the people in the clips.
        fps: frames a second.
        duration: s; by default to the last row of the commands, or to the end of the path.
        dial: NAME=VALUE of a dial of the method.
        output: a file to write, as often as wanted: .npz, .bvh or .glb.
        mesh: with the skinned figure in a .glb.
        as_json: print the facts as JSON.
    """
    check_targets(output, MOTION_FILES, (*(str(f) for f in (graph, commands) if f), ground.terrain))
    if commands is not None and path is not None:
        raise GambolError("both --commands and --path are given", where="gambol follow", allowed="one of them")
    from gambol.graph_file import built_in, load_graph
    from gambol.io import save_all
    from gambol.methods.motion_graph import MotionGraphWalk
    from gambol.synthesis import generate

    used = built_in() if graph is None else load_graph(graph)
    named = ground.text()
    method = MotionGraphWalk(used, **dial_values(MotionGraphWalk, dial))
    task, terrain = _task(used, (commands, path, named), (speed, height), (fps, duration))
    motion = generate(method, task)
    save_all(motion, output, mesh=mesh, terrain=terrain)
    facts = _facts(motion, graph, ground_name(path, named))
    if as_json:
        print_json({**facts, "files": [str(f) for f in output]})
        return 0
    for line in _said(facts):
        print(line)
    for line in [f"wrote {file}" for file in output] or ["nothing written: add -o walk.glb"]:
        print(line)
    return 0


def _task(
    graph: MotionGraph, given: tuple[Path | None, str | None, str | None], size: tuple[float | None, float | None],
    rate: tuple[float, float | None],
) -> tuple[Any, Any]:
    from gambol.body import Body
    from gambol.commands import parse_commands
    from gambol.gait import Gait
    from gambol.synthesis import Task

    (commands, path, named), (speed, height), (fps, duration) = given, size, rate
    if speed is not None and not speed >= SLOWEST:
        raise GambolError(f"{speed:g} m/s", where="--speed", allowed=f"{SLOWEST:g} m/s or more", do="go faster")
    told = None
    if commands is not None:
        try:
            told = parse_commands(commands.read_bytes().decode("utf-8", "replace"), str(commands))
        except OSError as error:
            what = f"it cannot be read: {error.strerror}"
            raise GambolError(what, where=str(commands), allowed="a .csv file") from error
    scene = read_scene(path, named)
    body = Body(graph.height if height is None else height)
    return Task(
        body=body, path=scene[0], terrain=scene[1], gait=Gait(speed=speed), fps=fps, duration=duration, commands=told
    ), scene[1]


def _facts(motion: Motion, graph: Path | None, ground: str) -> dict[str, Any]:
    from gambol.measure import measure

    feet = measure(motion).feet if ground == "flat" else None
    rows = motion.info["segments"]
    beyond = [r for r in rows if "beyond_reach" in r]
    return {
        "graph": BUILT_IN if graph is None else str(graph), "duration_s": motion.duration, "frames": len(motion),
        "segments": rows, "events": motion.info["events"], "beyond_reach": len(beyond),
        "slide_mm": None if feet is None else feet.slide_mm,
    }


def _said(facts: dict[str, Any]) -> list[str]:
    strings = [r["string"] for r in facts["segments"]]
    out = [f"{facts['duration_s']:.2f} s, {len(strings)} segments: {' '.join(_shortened(strings))}"]
    if facts["slide_mm"] is not None:
        out.append(f"planted feet slide at most {facts['slide_mm']:.2f} mm")
    beyond = [r for r in facts["segments"] if "beyond_reach" in r]
    for r in beyond[:FEW]:
        v, w = r["beyond_reach"]
        out.append(
            f"at {r['t']:.2f} s {r['speed']:g} m/s is beyond the clips: {r['speed'] - v:.2f} m/s was made"
            + (f", turning {abs(w) * 57.2958:.0f} degrees/s less" if abs(w) > 0.02 else "")
        )
    if len(beyond) > FEW:
        out.append(f"and {len(beyond) - FEW} more")
    return [facts["graph"], *out] if facts["graph"] == BUILT_IN else out


def _shortened(strings: list[str]) -> list[str]:
    """Runs of alternating cycles written once with their number."""
    from gambol.graph import gait_of

    out: list[tuple[str, int]] = []
    for s in strings:
        kind = gait_of(s) if s != "S" else "stand"
        out = [*out[:-1], (kind, out[-1][1] + 1)] if out and out[-1][0] == kind else [*out, (kind, 1)]
    return [k if n == 1 else f"{k} x {n}" for k, n in out]


def _table(graph: MotionGraph) -> dict[str, Any]:
    rows = [
        {
            "string": s, "kind": _kind(s), "segments": len(g), "speed_m_s": [float(v.min()), float(v.max())],
            "turn_deg_s": [float(w.min()), float(w.max())],
            "duration_s": [float(g.duration.min()), float(g.duration.max())],
            "follows": list(graph.edges[s]),
        }
        for s, g in graph.groups.items()
        for v, w in [(g.travel / g.duration, 57.2958 * g.turn / g.duration)]
    ]
    return {
        "height_m": graph.height, "groups": rows, "coarse": {k: list(v) for k, v in graph.coarse().items()},
        "styles": list(graph.styles), "cuts": graph.cuts[0], "cuts_confirmed_by_a_peak": graph.cuts[1],
        "left_out": [dict(zip(("clip", "from_s", "to_s", "string", "why"), r)) for r in graph.left_out],
    }


def _kind(string: str) -> str:
    from gambol.graph import gait_of

    kind = gait_of(string)
    return "transition" if kind == string else kind


def _sentences(graph: MotionGraph) -> list[str]:
    table = _table(graph)
    out = [
        f"{len(graph.clips)} clips, {table['cuts']} half cycles and transitions cut "
        f"({table['cuts_confirmed_by_a_peak']} confirmed by a peak of the centre of mass); "
        f"a person of {graph.height:.2f} m"
    ]
    out.append(_row("string", "kind", "segments", "speed m/s", "turn deg/s", "seconds"))
    for r in table["groups"]:
        speed, turn, time = (
            f"{a:.{d}f} to {b:.{d}f}" for (a, b), d in ((r["speed_m_s"], 2), (r["turn_deg_s"], 0), (r["duration_s"], 2))
        )
        out.append(_row(r["string"], r["kind"], str(r["segments"]), speed, turn, time))
    if graph.styles not in ((), ("",)):
        out.append(f"styles: {', '.join(s or '(none)' for s in graph.styles)}")
    for clip, a, b, string, why in graph.left_out[:FEW]:
        out.append(f"left out {clip} {a:.2f} to {b:.2f} s ({string}): {why}")
    if len(graph.left_out) > FEW:
        out.append(f"and {len(graph.left_out) - FEW} more pieces")
    return out


def _row(string: str, kind: str, *numbers: str) -> str:
    return f"{string:8}{kind:12}" + "".join(f"{n:>16}" for n in numbers)
