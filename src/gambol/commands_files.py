"""``gambol convert``, ``plant`` and ``loop``: files into other files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from gambol.errors import GambolError
from gambol.forms import DEFAULT_GROUND, GroundForm, read_ground
from gambol.progress import watched
from gambol.rig_form import RIG_FILES, read_roles
from gambol.words import Json, Switch, check_targets, print_json

if TYPE_CHECKING:
    from gambol.convert import Report, Wanted
    from gambol.motion import Motion
    from gambol.retouch import How

__all__ = ["ReadForm", "convert", "loop", "plant"]

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
    """

    clip: str | None = None
    unit: str | None = None
    fps: float | None = None
    up: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    root_offset: str | None = None
    keep_pose: Switch = False

    def wanted(self, front: str | None = None, in_place: bool = False) -> Wanted:
        """The same, checked.

        Raises:
            GambolError: for a unit or rate that cannot be.
        """
        from gambol.convert import Wanted
        from gambol.io.axes import axis

        for name, value in (("--up", self.up), ("--front", front)):
            if value is not None:
                axis(value, name)
        if self.fps is not None and not 1e-3 <= self.fps <= 1e5:
            raise GambolError(f"{self.fps:g} frames a second", where="--fps", allowed="0.001 to 100000")
        if self.root_offset not in (None, *ROOTS):
            raise GambolError(f"{self.root_offset!r}", where="--root-offset", allowed=" or ".join(ROOTS))
        added = None if self.root_offset is None else self.root_offset == ROOTS[0]
        unit = _unit(self.unit)
        return Wanted(self.clip, unit, self.fps, self.up, added, self.keep_pose, front, in_place)


DEFAULT_READ = ReadForm()


def convert(  # noqa: PLR0913
    *files: Path,
    output: Output,
    to: str | None = None,
    form: Annotated[ReadForm, Parameter(name="*")] = DEFAULT_READ,
    front: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    in_place: Switch = False,
    plate: Annotated[tuple[str, ...], Parameter(negative=(), show_default=False)] = (),
    as_json: Json = False,
) -> int:
    """Convert motions from one kind of file into another, and say what was found, changed and lost.

    Sources are never changed. The exit code is 2 where a file could not be converted; the others are written.

    Args:
        files: files, and folders with all below them.
        output: the file to write; a folder where several files are converted.
        to: suffix of the files written into a folder: glb, bvh, npz ...
        front: axis along which the figure at rest shall look in the new file: z, -z, x or -x.
        in_place: leave out the travel of the root over the ground.
        plate: the foot on a force plate, NUMBER=left or NUMBER=right, where it is found wrong; as often as wanted.
        as_json: print the report as JSON.
    """
    from gambol.convert import pairs

    if not files:
        raise GambolError("no file is given", where="gambol convert", do="gambol convert walk.bvh -o walk.glb")
    wanted, jobs = replace(form.wanted(front, in_place), feet=_feet(plate)), pairs(files, output, to)
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


def _feet(words: Sequence[str]) -> dict[int, str]:
    """Number of a plate -> side."""
    out = {}
    for word in words:
        number, _, side = word.partition("=")
        if not number.isdigit() or side not in ("left", "right"):
            raise GambolError(f"{word!r} is no plate and foot", where="--plate", allowed="1=left, 2=right ...")
        out[int(number)] = side
    return out


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


def plant(  # noqa: PLR0913
    file: Path,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    ground: Annotated[GroundForm, Parameter(name="*")] = DEFAULT_GROUND,
    form: Annotated[ReadForm, Parameter(name="*")] = DEFAULT_READ,
    roles: Path | None = None,
    despike: Switch = False,
    as_json: Json = False,
) -> int:
    """Clean the feet of a clip: every foot that stands is put on the ground and held there.

    Without --terrain a floor that leans or lies high is brought to height 0, and over stairs or rough ground every
    foot keeps its own height. Prints the slide before and after, and the largest change of any joint.

    Args:
        file: a clip of a figure on two legs.
        output: the file to write; by default FILE_planted, of the same kind where that can be written.
        roles: a JSON file that says which joint is what.
        despike: first take out rotations that leave their neighbours for a frame.
        as_json: print the account as JSON.
    """
    from gambol.retouch import How, planted

    text = ground.text()
    how = How(None if text is None else read_ground(text), read_roles(roles), despike)
    return _retouched(file, (output, "planted", planted), form, how, as_json)


def loop(  # noqa: PLR0913
    file: Path,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    form: Annotated[ReadForm, Parameter(name="*")] = DEFAULT_READ,
    roles: Path | None = None,
    despike: Switch = False,
    keep_heading: Switch = False,
    in_place: Switch = False,
    as_json: Json = False,
) -> int:
    """Find a cycle in a take, close it with no doubled frame, plant its feet, and write it as a loop.

    Prints where the cycle lies, its seam and slide before and after, and the largest change of any joint.

    Args:
        file: a clip of a figure on two legs that does the same at least 1.2 times.
        output: the file to write; by default FILE_loop, of the same kind where that can be written.
        roles: a JSON file that says which joint is what.
        despike: first take out rotations that leave their neighbours for a frame.
        keep_heading: walk the way the take does, instead of along +z.
        in_place: leave out the travel.
        as_json: print the account as JSON.
    """
    from gambol.retouch import How, loop_of

    how = How(None, read_roles(roles), despike, keep_heading, in_place)
    return _retouched(file, (output, "loop", loop_of), form, how, as_json)


def _retouched(file: Path, what: tuple[Path | None, str, Any], form: ReadForm, how: How, as_json: bool) -> int:
    """Read, retouch, write, say."""
    from dataclasses import asdict, replace

    from gambol.convert import opened, write_as
    from gambol.io import FORMATS
    from gambol.motion import Motion

    output, name, work = what
    own = tuple(s for s, row in FORMATS.items() if row.attach is not None and file.suffix.lower() in RIG_FILES)
    writers = (*(s for s, row in FORMATS.items() if row.encode is not None), *own)
    if output is None:
        suffix = file.suffix if file.suffix.lower() in writers else ".bvh"
        output = file.with_name(f"{file.stem}_{name}{suffix}")
    check_targets([output], writers, [str(file)])
    source = opened(file, form.wanted()).content
    if not isinstance(source, Motion):
        raise GambolError("it holds markers and forces, and no skeleton", where=str(file), allowed="a moving skeleton")
    motion, account = work(source, how)
    said = f"wrote {output}"
    named = replace(motion, name=f"{source.name}_{name}")
    if output.suffix.lower() in own and (clip := _attached(file, output, named, how)):
        said += f": the file it came from, with one more clip, {clip}"
    else:
        write_as(motion, output)
    if as_json:
        print_json({"file": str(file), "written": str(output), **asdict(account), "doubts": account.doubts()})
        return 0
    for line in [*source.info.get("notes", []), *account.lines(), said]:
        print(line)
    return 0


def _attached(file: Path, output: Path, motion: Motion, how: How) -> str:
    """The motion as a clip in a copy of the file it came from, and the clip's name; empty where that has no skin."""
    from dataclasses import replace

    import numpy as np

    from gambol.io import attach, load_character

    try:
        character = load_character(file, how.roles)
    except GambolError:
        return ""
    ours, theirs = motion.skeleton, character.skeleton
    if ours.names != theirs.names or not np.array_equal(ours.parents, theirs.parents):
        return ""
    # A clip may hold its joints at other offsets than the file's rest pose.
    still = np.broadcast_to(ours.offsets, (len(motion), len(ours), 3))
    moves = np.array(still if motion.translations is None else motion.translations)
    moves[:, 0] = motion.root
    moves[:, character.nodes < 0] = theirs.offsets[character.nodes < 0]  # sole points are not in the file
    return attach(character, [replace(motion, skeleton=theirs, translations=moves)], output).names[0]
