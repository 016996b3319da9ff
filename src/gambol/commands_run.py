"""``gambol run``: a run along a path over a ground."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from cyclopts import Parameter

from gambol.facts import facts, sentences
from gambol.forms import DEFAULT_GROUND, GroundForm, ground_name, read_scene
from gambol.run_form import DEFAULT_RUN, DEFAULT_RUN_PACE, RunForm, RunPaceForm, changing, explained
from gambol.words import Dials, Files, Json, Switch, Text, check_targets, print_json

__all__ = ["run"]

Fields = Parameter(name="*")
MOTION_FILES = (".npz", ".bvh", ".glb")
AHEAD = "0,0 0,25"  # where nothing is said


def run(  # noqa: PLR0913
    *,
    path: Text = None,
    ground: Annotated[GroundForm, Fields] = DEFAULT_GROUND,
    pace: Annotated[RunPaceForm, Fields] = DEFAULT_RUN_PACE,
    form: Annotated[RunForm, Fields] = DEFAULT_RUN,
    dial: Dials = (),
    output: Files = (),
    mesh: bool = True,
    explain: Switch = False,
    as_json: Json = False,
) -> int:
    """Run along a path over a ground and write the motion.

    Args:
        path: a file (.csv with x,y,z in metres, y up; .json), or points "x,z x,z ...", or demo. By default
            25 m straight ahead.
        dial: NAME=VALUE of a dial of the method, as often as wanted; `gambol dials running` lists them.
        output: a file to write, as often as wanted: .npz, .bvh or .glb.
        mesh: with the skinned figure in a .glb; without, animation only.
        explain: print which law gave which number.
        as_json: print the facts as JSON: speed, steps, strikes and offs in seconds, contacts.
    """
    named = ground.text()
    check_targets(output, MOTION_FILES, (path, ground.terrain))
    from gambol.io import save_all
    from gambol.synthesis import generate

    scene = read_scene(AHEAD if path is None and named is None else path, named)
    method, task = form.method(pace, dial), form.task(scene, pace)
    lines = explained(method, task) if explain else []  # of the start
    motion = generate(changing(method, task), task)
    motion = replace(motion, info={"ground": ground_name(path, named), **motion.info})
    save_all(motion, output, mesh=mesh, terrain=scene[1])
    if as_json:
        print_json({**facts(motion), "files": [str(f) for f in output]})
        return 0
    for line in [*lines, *sentences(motion)]:
        print(line)
    for line in [f"wrote {file}" for file in output] or ["nothing written: add -o run.glb"]:
        print(line)
    return 0
