"""``gambol make``: clips by the thousand from a list of tasks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from gambol.words import Json, print_json

__all__ = ["make"]


def make(
    tasks: Path, *, output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("clips"),
    jobs: int | None = None, clips: str = "npz", as_json: Json = False,
) -> int:  # fmt: skip
    """Make one clip and one label file for every line of a list of tasks.

    A line is a JSON object, such as {"name": "a", "path": [[0,0],[0,8]], "terrain": "stairs:0.16,0.3,8",
    "body": {"height": 1.6}, "gait": {"speed": 1.1}, "fps": 30, "duration": 10, "seed": 1, "style": "proud"}.
    What is not said is as in gambol walk. Clips that are there already are kept: a run that was stopped goes on.
    A line that fails is named and the others go on; the exit code is then 1.

    Args:
        tasks: a file of one JSON object a line.
        output: folder for the clips and labels; made if it is not there.
        jobs: processes at work; by default one for each core.
        clips: kind of the clips: npz, bvh, glb, json or csv.
        as_json: print what was made, kept and failed as JSON.
    """
    import sys

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
