"""``gambol convert``: files into other files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from gambol.errors import GambolError
from gambol.progress import watched
from gambol.words import Json, Switch, print_json

if TYPE_CHECKING:
    from gambol.convert import Report, Wanted

__all__ = ["ReadForm", "convert"]

Output = Annotated[Path, Parameter(name=["--output", "-o"])]
ROOTS = ("added", "absolute")
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "inch": 0.0254, "ft": 0.3048, "cmu": 0.0254 / 0.45}


@dataclass(frozen=True)
class ReadForm:
    """How to read a file, where it leaves that open or is wrong.

    Attributes:
        clip: name of the clip, in a file of several.
        unit: of lengths in the file: m, cm, mm, in, cmu, or a number of metres.
        fps: frames a second, whatever the file says.
        up: upward axis of the file: x, y, z, -x, -y or -z.
        root_offset: added or absolute: whether the root's rest OFFSET is added to its positions (BVH).
        keep_pose: keep a rest pose that stands alone before or after the clip.
        front: axis along which the figure at rest shall look: z, -z, x or -x.
    """

    clip: str | None = None
    unit: str | None = None
    fps: float | None = None
    up: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    root_offset: str | None = None
    keep_pose: Switch = False
    front: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None

    def wanted(self, in_place: bool = False) -> Wanted:
        """The same, checked.

        Raises:
            GambolError: for a unit or rate that cannot be.
        """
        from gambol.convert import Wanted
        from gambol.io.axes import axis

        for name, value in (("--up", self.up), ("--front", self.front)):
            if value is not None:
                axis(value, name)
        if self.fps is not None and not 1e-3 <= self.fps <= 1e5:
            raise GambolError(f"{self.fps:g} frames a second", where="--fps", allowed="0.001 to 100000")
        if self.root_offset not in (None, *ROOTS):
            raise GambolError(f"{self.root_offset!r}", where="--root-offset", allowed=" or ".join(ROOTS))
        added = None if self.root_offset is None else self.root_offset == ROOTS[0]
        unit = _unit(self.unit)
        return Wanted(self.clip, unit, self.fps, self.up, added, self.keep_pose, self.front, in_place)


DEFAULT_READ = ReadForm()


def convert(
    *files: Path,
    output: Output,
    to: str | None = None,
    form: Annotated[ReadForm, Parameter(name="*")] = DEFAULT_READ,
    in_place: Switch = False,
    as_json: Json = False,
) -> int:
    """Convert motions from one kind of file into another, and say what was found, changed and lost.

    Sources are never changed. The exit code is 2 where a file could not be converted; the others are written.

    Args:
        files: files, and folders with all below them.
        output: the file to write; a folder where several files are converted.
        to: suffix of the files written into a folder: glb, bvh, npz ...
        in_place: leave out the travel of the root over the ground.
        as_json: print the report as JSON.
    """
    from gambol.convert import pairs

    if not files:
        raise GambolError("no file is given", where="gambol convert", do="gambol convert walk.bvh -o walk.glb")
    wanted, jobs = form.wanted(in_place), pairs(files, output, to)
    reports = []
    for source, target in watched(jobs, "files"):
        report = _converted(source, target, wanted, several=len(jobs) > 1)
        reports.append(report)
        if not as_json:
            print(report.line(), flush=True)
    failed = sum(bool(r.error) for r in reports)
    if as_json:
        print_json({"files": [r.to_json() for r in reports], "failed": failed})
    elif len(jobs) > 1:
        print(f"{len(jobs) - failed} of {len(jobs)} files converted")
    return 2 if failed else 0


def _converted(source: Path, target: Path, wanted: Wanted, several: bool) -> Report:
    """The report of one file; alone, its error is the command's."""
    from gambol.convert import Report
    from gambol.convert import convert as convert_file

    try:
        if several:
            target.parent.mkdir(parents=True, exist_ok=True)
        return convert_file(source, target, wanted)
    except (GambolError, OSError) as error:
        if not several:
            raise
        return Report(os.fspath(source), None, error=str(error))


def _unit(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        value = UNITS.get(text.lower()) or float(text)
    except ValueError:
        value = 0.0
    if not 1e-9 <= value <= 1e6:
        raise GambolError(f"{text!r} is no unit", where="--unit", allowed=f"{', '.join(UNITS)}, or metres as a number")
    return value
