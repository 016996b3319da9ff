"""Many at once: ``gambol make`` makes clips from a list of tasks, ``gambol walk --count`` a crowd in one file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from gambol.errors import GambolError
from gambol.facts import facts
from gambol.forms import ground_name, read_scene
from gambol.words import Json, check_targets, print_json

if TYPE_CHECKING:
    from gambol.clip_form import ClipForm
    from gambol.crowd_form import CrowdForm
    from gambol.forms import GroundForm, PaceForm, WalkForm

__all__ = ["CROWD_FILES", "make", "walk_crowd"]

CROWD_FILES = (".glb", ".mp4", ".png")


def make(
    tasks: Path, *, output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("clips"),
    jobs: int | None = None, clips: str = "npz", as_json: Json = False,
) -> int:  # fmt: skip
    """Make one clip and one label file for every line of a list of tasks; or the clip of a project of the studio.

    A line is a JSON object, such as {"name": "a", "path": [[0,0],[0,8]], "terrain": "stairs:0.16,0.3,8",
    "body": {"height": 1.6}, "gait": {"speed": 1.1}, "fps": 30, "duration": 10, "seed": 1, "style": "proud"}.
    What is not said is as in gambol walk. Clips that are there already are kept: a run that was stopped goes on.
    A line that fails is named and the others go on; the exit code is then 1.
    Of a project (.json, from gambol studio) the one clip is made, as the studio exports it.

    Args:
        tasks: a file of one JSON object a line, or a project; its dropped files are in the folder files beside it.
        output: folder for the clips and labels; made if it is not there.
        jobs: processes at work; by default one for each core.
        clips: kind of the clips: npz, bvh, glb, json or csv; of a project also usd, mp4, png or vrm.
        as_json: print what was made, kept and failed as JSON.
    """
    import sys

    if tasks.suffix.lower() == ".json" and tasks.is_file():
        from gambol.studio.whole import is_project, made_project

        if is_project(tasks):
            target, notes = made_project(tasks, output, f".{clips.removeprefix('.').lower()}")
            if as_json:
                print_json({"made": 1, "files": [str(target)], "notes": notes})
            else:
                print("\n".join([*(f"note: {n}" for n in notes), f"wrote {target}"]))
            return 0
    from gambol.making import make as made
    from gambol.making import read_lines
    from gambol.progress import watched

    lines, workers = read_lines(tasks), (os.cpu_count() or 1) if jobs is None else jobs
    at_work = made(tasks, output, workers, f".{clips.removeprefix('.').lower()}")
    count, failures = {"made": 0, "kept": 0}, []
    for _ in watched(lines, "clips"):
        done = next(at_work)
        if done.failure:
            failures.append(done.failure)
            print(f"gambol: {done.failure}", file=sys.stderr)
        else:
            count["kept" if done.kept else "made"] += 1
    at_work.close()
    if as_json:
        print_json({**count, "failed": failures, "folder": str(output)})
    else:
        print(f"{count['made']} made, {count['kept']} kept, {len(failures)} failed, in {output}")
    return 1 if failures else 0


def walk_crowd(
    scene: tuple[Sequence[str], GroundForm], way: tuple[Any, PaceForm, WalkForm], crowd: CrowdForm,
    clip: tuple[ClipForm, Mapping[str, Any]], out: tuple[Sequence[Path], bool],
) -> int:  # fmt: skip
    """Walk with several figures, on one ground, and write them into one file."""
    (paths, ground), (method, pace, form), (files, as_json) = scene, way, out
    named, varied = ground.text(), crowd.varied()
    for option in (name for name, asked in clip[1].items() if asked):
        raise GambolError("it is of one walker", where=option, do="leave it out, or --count and all --path but one")
    check_targets(files, CROWD_FILES, (*paths, ground.terrain))
    from gambol.crowd import crowd as walkers
    from gambol.io import save_crowd

    scenes = [read_scene(path, named) for path in paths or (None,)]
    if paths and named is None and any(ground_name(p, None) != ground_name(paths[0], None) for p in paths):
        raise GambolError("the paths are on several grounds", where="--path", do="name one ground: --terrain demo")
    tasks = [form.task(s, pace) for s in scenes]
    if clip[0].style is not None:
        from gambol.style import parse_styles, styled

        dressed = [styled(method, task, parse_styles(clip[0].style)) for task in tasks]
        method, tasks = dressed[0][0], [task for _, task in dressed]
    motions = walkers(method, tasks, crowd.count or len(tasks), varied)
    terrain = scenes[0][1]
    for file in files:
        kind = file.suffix.lower()
        if kind == ".glb":
            save_crowd(motions, file, terrain=terrain)
            continue
        from gambol.render import write_picture
        from gambol.render_crowd import crowd_sheet, crowd_video

        if kind == ".mp4":
            crowd_video(motions, file, terrain)
        else:
            write_picture(crowd_sheet(motions, terrain), file)
    if as_json:
        print_json({"walkers": [facts(m) for m in motions], "files": [str(f) for f in files]})
        return 0
    print(f"{len(motions)} walkers, {max(m.duration for m in motions):.2f} s")
    for line in [f"wrote {file}" for file in files] or ["nothing written: add -o crowd.glb"]:
        print(line)
    return 0
