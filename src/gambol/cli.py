"""The ``gambol`` command: a form, a Task, a motion, a file. The one module that prints.

Everything heavy is imported inside the command that needs it, so that ``gambol --help`` is quick.
"""

from __future__ import annotations

import io
import logging
import math
import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from cyclopts import App, CycloptsError, Parameter

from gambol import (
    __version__,
    commands_dance,
    commands_files,
    commands_graph,
    commands_many,
    commands_measured,
    commands_plot,
    commands_rigs,
    commands_run,
    commands_studio,
    commands_style,
)
from gambol.clip_form import DEFAULT_CLIP, ClipForm
from gambol.complaints import complaint
from gambol.crowd_form import DEFAULT_CROWD, CrowdForm
from gambol.errors import GambolError
from gambol.facts import facts, sentences
from gambol.forms import (
    DEFAULT_GROUND,
    DEFAULT_PACE,
    DEFAULT_WALK,
    GroundForm,
    PaceForm,
    WalkForm,
    ground_name,
    nearest,
    read_ground,
    read_scene,
)
from gambol.rig_form import DEFAULT_RIG, RIG_FILES, RigForm, unsure
from gambol.words import Dials, Files, Json, Paths, Switch, check_targets, print_json

if TYPE_CHECKING:
    from gambol.character import Surface
    from gambol.measure import Report
    from gambol.motion import Motion
    from gambol.terrain import Terrain

__all__ = ["app", "main"]

app = App(
    name="gambol",
    version=__version__,
    help="Makes skeletons walk, run and dance, with feet that stay where they stand.",
)

Fields = Parameter(name="*")
Ground = Annotated[GroundForm, Fields]

MOTION_FILES = (".npz", ".bvh", ".glb", ".json", ".csv", ".usd", ".usda", ".usdc")
SET_FILES = (".glb",)
DEFAULT_VIEW = "three-quarter"
PICTURES, VIDEOS = (".png",), (".mp4",)


@app.command
def walk(  # noqa: PLR0913
    *,
    path: Paths = (),
    ground: Ground = DEFAULT_GROUND,
    pace: Annotated[PaceForm, Fields] = DEFAULT_PACE,
    form: Annotated[WalkForm, Fields] = DEFAULT_WALK,
    crowd: Annotated[CrowdForm, Fields] = DEFAULT_CROWD,
    clip: Annotated[ClipForm, Fields] = DEFAULT_CLIP,
    rig: Annotated[RigForm, Fields] = DEFAULT_RIG,
    like: Annotated[commands_measured.LikeForm, Fields] = commands_measured.DEFAULT_LIKE,
    dial: Dials = (),
    output: Files = (),
    mesh: bool = True,
    plan: Switch = False,
    as_json: Json = False,
) -> int:
    """Walk along a path over a ground and write the motion.

    Args:
        path: a file (.csv with x,y,z in metres, y up; .json), or points "x,z x,z ...", or demo. By default
            6 m straight ahead. Given more than once, somebody walks along each.
        dial: NAME=VALUE of a dial of the method, as often as wanted; `gambol dials` lists them.
        output: a file to write, as often as wanted: .npz, .bvh or .glb; with --character also of its own suffix; of
            many walkers .glb, .mp4 or .png.
        mesh: with the skinned figure in a .glb; without, animation only.
        plan: print the plan, one step object a line.
        as_json: print the facts as JSON: speed, steps, strikes and offs in seconds, contacts.
    """
    named = ground.text()
    rig.check()
    if crowd.several(len(path)):
        method, pace = like.made(form, pace, dial)
        alone = {"--loop": clip.loop, "--set": clip.game_set, "--character": rig.character, "--plan": plan}
        return commands_many.walk_crowd((path, ground), (method, pace, form), crowd, (clip, alone), (output, as_json))
    way = path[0] if path else None
    able: tuple[str, ...] = SET_FILES if clip.game_set else MOTION_FILES
    if rig.character is not None:
        own = commands_rigs.onto_files(rig.character)
        able = tuple(s for s in own if not clip.game_set or s in RIG_FILES)
    check_targets(output, able, (way, ground.terrain, rig.character, rig.roles))
    clip.check(way, form.duration)
    method, pace = like.made(form, pace, dial)
    if rig.character is not None:
        return walk_rig((way, named), pace, form, (clip, method), (rig, output, as_json))
    from gambol.io import save_all, save_clips

    scene = read_scene(way, named)
    motions = [told(m, ground_name(way, named)) for m in clip.motions(method, form.task(scene, pace))]
    motion = motions[0]
    if clip.game_set:
        for file in output:
            save_clips(motions, file, mesh=mesh)
        return report_set(motions, output, as_json)
    save_all(motion, output, mesh=mesh, terrain=None if clip.loop else scene[1])
    if as_json:
        steps = {"plan": motion.info.get("plan", [])} if plan else {}
        print_json({**facts(motion), **steps, "files": [str(f) for f in output]})
        return 0
    notes = [f"note: {note}" for note in motion.info.get("notes", [])]
    for line in [*sentences(motion), *notes, *(plan_lines(motion) if plan else [])]:
        print(line)
    for line in [f"wrote {file}" for file in output] or ["nothing written: add -o walk.glb"]:
        print(line)
    return 0


def walk_rig(
    scene: tuple[str | None, str | None], pace: PaceForm, form: WalkForm, way: tuple[ClipForm, Any],
    out: tuple[RigForm, Sequence[Path], bool],
) -> int:  # fmt: skip
    """Walk on somebody's rig, made for its body, and write the clips into a copy of its file."""
    from gambol.dressing import dressed
    from gambol.hands import hands_clear
    from gambol.rig_body import body_of

    (path, named), (clip, method), (rig, output, as_json) = scene, way, out
    character = rig.read()
    assert rig.character is not None
    body = body_of(character.skeleton, character.roles, pace.mass, str(rig.character))
    if pace.height is not None:
        raise GambolError("the height of a rig is its own", where="--height", do="leave it out")
    task = replace(form.task(read_scene(path, named), pace), body=body)
    made = [told(m, ground_name(path, named)) for m in clip.motions(method, task)]
    grounds = {text: read_ground(text) for text in (str(m.info["ground"]) for m in made)}
    motions = [dressed(m, character, grounds[str(m.info["ground"])]) for m in made]
    motions = hands_clear(motions, character, grounds)
    wrote = commands_rigs.write_onto(motions, output, (character, rig.character), rig.root_joint)
    if as_json:
        print_json({"clips": [facts(m) for m in motions], "files": [str(f) for f in output]})
        return 0
    print(f"{rig.character}: legs {body.leg_length:.2f} m; {unsure(character.roles)[0]}")
    for line in [*unsure(character.roles)[1:], *character.notes, *(s for m in motions for s in sentences(m))]:
        print(line)
    for line in wrote or ["nothing written: add -o out.glb"]:
        print(line)
    return 0


@app.command
def measure(
    file: Path, *, clip: str | None = None, ground: Ground = DEFAULT_GROUND, as_json: Json = False
) -> int:
    """Measure a motion: feet, speed, path, smoothness, joint limits, forces.

    The exit code is 1 where feet slide or sink beyond the tolerance. The ground is by default the one named in
    the file, else flat.

    Args:
        file: a .npz, .bvh or .glb motion.
        clip: name of the clip, in a file of several.
        as_json: print everything as JSON.
    """
    from gambol.io import load_motion
    from gambol.loop import unrolled
    from gambol.measure import measure as measured

    motion = unrolled(load_motion(file, clip))
    named = named_ground(ground, motion)
    report = measured(motion, read_ground(named))
    if as_json:
        print_json({"file": str(file), "ground": named, **report.to_json()})
    else:
        print(f"{file} on {named}")
        for line in report.lines():
            print(line)
    return 0 if report.passed else 1


@app.command
def render(
    file: Path, *, output: Files = (), clip: str | None = None, ground: Ground = DEFAULT_GROUND,
    view: str = DEFAULT_VIEW, strip: Switch = False,
) -> int:  # fmt: skip
    """Draw a motion: a contact sheet (.png) or a video (.mp4), with no GPU and no window.

    The ground is by default the one named in the file, else flat.

    Args:
        file: a .npz, .bvh or .glb motion.
        output: the picture or video to write, as often as wanted; by default FILE.png.
        clip: name of the clip, in a file of several.
        view: front, side, three-quarter or top, relative to the way the figure travels.
        strip: all poses in one wide picture instead of a sheet.
    """
    targets = output or (file.with_suffix(".png") if file.name else Path("walk.png"),)
    check_targets(targets, PICTURES + VIDEOS, (file, ground.terrain))
    check_view(view)
    from gambol.io import load_motion
    from gambol.loop import unrolled

    motion = unrolled(load_motion(file, clip))
    surface = read_ground(named_ground(ground, motion))
    skin = commands_rigs.skin_of(file, motion)
    for target in targets:
        draw(motion, target, surface, Look(view, strip, skin))
        print(f"wrote {target}")
    return 0


@app.command
def demo(*, output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("out")) -> int:
    """Walk the built-in scene, measure it, and write glb, bvh, npz and a picture.

    Args:
        output: the folder to write into; made if it is not there.
    """
    from gambol.io import save_all
    from gambol.measure import measure as measured
    from gambol.synthesis import generate

    _, ground = scene = read_scene("demo", "demo")
    output.mkdir(parents=True, exist_ok=True)
    files = [output / f"walk{suffix}" for suffix in (".glb", ".bvh", ".npz")]
    check_targets([*files, output / "walk.png"], MOTION_FILES + PICTURES)
    motion = told(generate(DEFAULT_WALK.method(), DEFAULT_WALK.task(scene, DEFAULT_PACE)), "demo")
    print("the built-in scene: flat ground, stairs up and down, a curve, a slope")
    report = measured(motion, ground)
    for line in [*sentences(motion), *in_short(report)]:
        print(line)
    save_all(motion, files, terrain=ground)
    for file in files:
        print(f"wrote {file}")
    draw(motion, output / "walk.png", ground, Look())
    print(f"wrote {output / 'walk.png'}")
    print(f"open {output / 'walk.glb'} in any glTF viewer, or drop it on a web one")
    return 0 if report.passed else 1


@app.command
def dials(method: str = "force") -> int:
    """List the dials of a method: default, range, unit, meaning, source.

    Args:
        method: its name.
    """
    from gambol.methods import METHODS
    from gambol.synthesis import dials as dials_of

    if method not in METHODS:
        raise GambolError(f"no method is called {method!r}", do=nearest(method, METHODS))
    for d in dials_of(METHODS[method]):
        limits = f"{d.default:g}  ({d.low:g} to {d.high:g} {d.unit})".replace(" 1)", ")")
        print(f"{d.name:12} {limits:28} {d.meaning}{f' [{d.source}]' if d.source else ''}")
    return 0


app.command(commands_files.convert)
app.command(commands_files.plant)
app.command(commands_files.loop)
app.command(commands_style.styles)
app.command(commands_plot.plot)
app.command(commands_style.fit)
app.command(commands_rigs.roles)
app.command(commands_rigs.retarget)
app.command(commands_graph.graph_app)
app.command(commands_graph.follow)
app.command(commands_run.run)
app.command(commands_many.make)
for _command in (commands_dance.pose, commands_dance.dance, commands_dance.sway, commands_dance.beats):
    app.command(_command)
app.command(commands_studio.studio)
app.command(commands_studio.view)
app.command(commands_studio.export_html)
app.command(commands_measured.analyse)
app.command(commands_measured.force)


def report_set(motions: Sequence[Motion], output: Sequence[Path], as_json: bool) -> int:
    """What clips there are, and in which files."""
    if as_json:
        print_json({"clips": [facts(m) for m in motions], "files": [str(f) for f in output]})
        return 0
    for m in motions:
        around = m.info.get("loop")
        kind = "" if around is None else f", a loop of {around['period_s']:.3f} s"
        speed = "" if around is None else f", {math.hypot(*around['velocity_m_s'][::2]):.2f} m/s"
        print(f"{m.name:12} {len(m):5} frames{kind}{speed}{' in place' if around and around['in_place'] else ''}")
    for line in [f"wrote {file}" for file in output] or ["nothing written: add -o set.glb"]:
        print(line)
    return 0


def told(motion: Motion, ground: str) -> Motion:
    """The motion with the name of its ground, so that the file can be measured and drawn by itself."""
    return replace(motion, info={"ground": ground, **motion.info})


def named_ground(ground: GroundForm, motion: Motion) -> str:
    """The ground that is asked for, else the one that the file names, else flat."""
    named = ground.text()
    return str(motion.info.get("ground", "flat")) if named is None else named


class Look(NamedTuple):
    """How to draw: a view, all poses in one wide picture instead of a sheet, and a skin of the figure's own."""

    view: str = DEFAULT_VIEW
    strip: bool = False
    skin: Surface | None = None


def check_view(view: str) -> None:
    """Refuse a view that is not known."""
    from gambol.render import VIEWS

    if view not in VIEWS:
        raise GambolError(f"no view is called {view!r}", where="--view", do=nearest(view, VIEWS))


def draw(motion: Motion, file: Path, ground: Terrain, look: Look) -> None:
    """A picture or a video, by suffix."""
    from gambol import render as pictures

    if file.suffix.lower() in VIDEOS:
        return pictures.video(motion, file, ground, view=look.view, mesh=look.skin or True)
    drawn = pictures.strip if look.strip else pictures.contact_sheet
    picture = drawn(motion, ground, view=look.view, mesh=look.skin or True)
    return pictures.write_picture(picture, file)


def plan_lines(motion: Motion) -> list[str]:
    """The step objects of the plan, one a line."""
    lines = ["step  foot     T s  w_prev  h_prev       w       h   alpha  mode"]
    for i, s in enumerate(motion.info.get("plan", [])):
        numbers = " ".join(f"{s[k]:7.3f}" for k in ("w_prev", "h_prev", "w", "h"))
        lines.append(f"{i + 1:4}  {s['M']:5} {s['T']:6.3f} {numbers} {s['alpha_deg']:7.1f}  {s['mode']}")
    return lines


def in_short(report: Report) -> list[str]:
    """The judgement of a walk in a few lines."""
    feet, forces = report.feet, report.forces
    return [
        f"{len(feet.stances)} contacts: slide at most {feet.slide_mm:.2f} mm, sinking {feet.sinking_mm:.2f}, "
        f"floating {feet.floating_mm:.2f}; swinging feet below the ground {feet.swing_sinking_mm:.2f} mm",
        f"mean vertical force {forces.mean_vertical_bw:.3f} of the weight; forces and motion differ by "
        f"{forces.consistency_rms_bw:.4f} of it",
        *(f"FAILED: {failure}" for failure in report.failures),
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the words after ``gambol``; by default those of the process.

    Returns:
        0 done; 1 a measured motion is out of tolerance; 2 the request or a file cannot be used; 3 a fault of
        gambol itself.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):  # a name that the terminal cannot spell is written with escapes
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    logging.getLogger("trimesh").addHandler(logging.NullHandler())  # it logs tracebacks of what it then raises
    try:
        with warnings.catch_warnings():
            if not os.environ.get("GAMBOL_TRACEBACK"):
                warnings.simplefilter("ignore", RuntimeWarning)  # of arithmetic: what comes of it is checked
            code = app(words, exit_on_error=False, print_error=False, result_action="return_value") or 0
        if sys.stdout is not None:  # a shell may have closed it
            sys.stdout.flush()
        return code
    except BrokenPipeError:  # nobody reads on: gambol dials | head -1
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (GambolError, CycloptsError, OSError) as error:
        return refuse(complaint(error, words, app))
    except MemoryError:
        return refuse("there is not enough memory; ask for a shorter walk, fewer frames or a smaller file")
    except KeyboardInterrupt:
        print("gambol: stopped", file=sys.stderr)
        return 130
    except Exception as error:  # never a traceback for a person; GAMBOL_TRACEBACK=1 gives it to a developer
        if os.environ.get("GAMBOL_TRACEBACK"):
            raise
        at = extract_tb(error.__traceback__)[-1]
        what = f"a fault of gambol itself: {type(error).__name__}: {error} ({Path(at.filename).name}:{at.lineno})"
        refuse(f"{what}; please report it with the command; GAMBOL_TRACEBACK=1 shows more")
        return 3


def refuse(message: str) -> int:
    """Say why, and give the exit code of a request that cannot be used."""
    print(f"gambol: {message}", file=sys.stderr)
    return 2
