"""``gambol run``: a run along a path over a ground."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from cyclopts import Parameter

from gambol.commands_rigs import able_files, put_on
from gambol.errors import GambolError
from gambol.facts import facts, sentences
from gambol.forms import DEFAULT_GROUND, GroundForm, ground_name, read_scene
from gambol.rig_form import DEFAULT_RIG, RigForm
from gambol.run_form import DEFAULT_RUN, DEFAULT_RUN_PACE, RunForm, RunPaceForm, changing, explained
from gambol.words import Dials, Files, Json, Switch, Text, check_targets, print_json

__all__ = ["run"]

Fields = Parameter(name="*")
MOTION_FILES = (".npz", ".bvh", ".glb")
SURE = 120.0  # frames a second
AHEAD = "0,0 0,25"  # where nothing is said


def run(  # noqa: PLR0913
    *,
    path: Text = None,
    ground: Annotated[GroundForm, Fields] = DEFAULT_GROUND,
    pace: Annotated[RunPaceForm, Fields] = DEFAULT_RUN_PACE,
    form: Annotated[RunForm, Fields] = DEFAULT_RUN,
    rig: Annotated[RigForm, Fields] = DEFAULT_RIG,
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
    check_targets(output, able_files(rig, MOTION_FILES), (path, ground.terrain, rig.character, rig.roles))
    from gambol.dressing import model_of
    from gambol.io import save_all
    from gambol.measure import measure
    from gambol.synthesis import generate

    scene = read_scene(AHEAD if path is None and named is None else path, named)
    method, task = form.method(pace, dial), form.task(scene, pace)
    character = None if rig.character is None else rig.read()
    if character is not None:
        if pace.height is not None:
            raise GambolError("the height of a rig is its own", where="--height", do="leave it out")
        body = model_of(character, pace.mass)[1]
        assert body is not None
        task = replace(task, body=body)
    lines = explained(method, task) if explain else []  # of the start
    motion = generate(changing(method, task), task)
    motion = replace(motion, info={"ground": ground_name(path, named), **motion.info})
    notes = [f"note: {fault}" for fault in measure(motion, scene[1]).failures]
    if notes and motion.fps < SURE:
        notes.append(f"note: limbs that turn fast ask for {SURE:g} frames a second")
    wrote = [f"wrote {file}" for file in output]
    if character is None:
        save_all(motion, output, mesh=mesh, terrain=scene[1])
    else:
        motion, wrote = put_on(motion, output, (rig, character), scene[1])
    if as_json:
        print_json({**facts(motion), "notes": notes, "files": [str(f) for f in output]})
        return 0
    for line in [*lines, *sentences(motion), *notes]:
        print(line)
    for line in wrote or ["nothing written: add -o run.glb"]:
        print(line)
    return 0
