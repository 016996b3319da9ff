"""One file into another: what was found in it, what was changed, and what the new one cannot hold."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.io import FORMATS, Content, Opened, Source, clips, read, save
from gambol.io.axes import axis, turned
from gambol.io.target import place
from gambol.io.upright import front_of
from gambol.motion import Motion, Trial
from gambol.plates import with_feet
from gambol.roles import roles_of

__all__ = ["Report", "Wanted", "convert", "in_place", "opened", "pairs", "readable", "write_as"]

Array = NDArray[np.float64]
TRAVEL = 0.5  # s, width of the Gaussian that tells travel from sway
UNITS = {1.0: "m", 0.01: "cm", 0.001: "mm", 0.0254: "inches"}
CHANGES = ("filled", "left out", "turned", "not used")  # in notes of readers that changed something
SAID = {
    "contacts": "contacts", "forces": "ground reaction forces", "pressure": "centre of pressure",
    "com": "centre of mass", "mass": "mass", "cyclic": "that it is a loop",
    "translations": "joints that leave their place",
}
MANY_KINDS = (".json", ".csv")  # most files of this name are no motions
TRIAL_PARTS = ("markers", "plates", "channels", "events")
HOLDS = {".trc": ("markers",), ".mot": ("plates",), ".sto": ("plates",)}  # what files take of a trial
PLACED = ("path", "plan", "ground")  # facts that hold where the figure walked alone


@dataclass(frozen=True)
class Wanted:
    """What is asked of a conversion; None leaves a matter to what is found in the file.

    Attributes:
        clip: name of the clip, in files of several.
        unit: m of one unit of the file.
        fps: frames a second.
        up: the upward axis of the file: x, y, z, -x, -y or -z.
        root_added: whether the root's rest offset is added to its positions (BVH).
        keep_pose: leave in a rest pose that stands alone before or after the clip.
        front: the axis that the figure at rest looks along in the new file, z or -z, x or -x.
        in_place: without the travel of the root over the ground.
        feet: number of a force plate, from 1 -> left or right, where the file would be read otherwise.
    """

    clip: str | None = None
    unit: float | None = None
    fps: float | None = None
    up: str | None = None
    root_added: bool | None = None
    keep_pose: bool = False
    front: str | None = None
    in_place: bool = False
    feet: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """What became of one file.

    Attributes:
        source: the file read.
        target: the file written, or None.
        found: what is in it: kind, frames, fps, duration_s, joints or markers, unit_m, up, front,
            clip, clips, notes.
        changed: what was repaired or changed, one clause each.
        lost: what the new file does not hold.
        error: why nothing was written; empty if it was.
    """

    source: str
    target: str | None
    found: dict[str, Any] = field(default_factory=dict)
    changed: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    error: str = ""

    def line(self) -> str:
        """All of it in one line."""
        if self.error:
            return f"{self.source}: FAILED: {self.error.removeprefix(self.source + ': ')}"
        said = [f"{self.source} -> {self.target}: {_found_text(self.found)}"]
        said += [f"noted: {', '.join(self.found.get('notes', []))}"] * bool(self.found.get("notes"))
        said += [f"changed: {', '.join(self.changed)}"] * bool(self.changed)
        said += [f"lost: {', '.join(self.lost)}"] * bool(self.lost)
        return "; ".join(said)

    def to_json(self) -> dict[str, Any]:
        """Plain facts."""
        out = {"file": self.source, "written": self.target, "found": self.found, "changed": list(self.changed)}
        return {**out, "lost": list(self.lost), **({"error": self.error} if self.error else {})}


def convert(source: Path, target: Path, wanted: Wanted) -> Report:
    """Read one file and write another; the source is never changed.

    Args:
        source: a file that can be read.
        target: the file to write, by its suffix; its folder exists.
        wanted: what overrules what is found.

    Raises:
        GambolError: the file cannot be read, or what it holds cannot be written so.
    """
    if place(source) == place(target):
        raise GambolError("it would be replaced by what is made of it", where=str(source), do="give another name")
    given = opened(source, wanted)
    content, found = given.content, _found(source, given.content)
    changed: list[str] = []
    if isinstance(content, Trial) and wanted.feet:
        content = with_feet(content, {number - 1: side for number, side in wanted.feet.items()})
        found |= _found(source, content)
        changed = [f"plate {number} given to the {side} foot" for number, side in wanted.feet.items()]
    if isinstance(content, Motion):
        found |= {"unit_m": given.unit_m, "up": given.up, "front": front_of(content.skeleton) or None}
        content, changed = _as_wanted(content, wanted)
    write_as(content, target)
    return Report(str(source), str(target), found, tuple(changed), tuple(_lost(content, found, target)))


def opened(source: Path, wanted: Wanted) -> Opened:
    """What a file holds, read as is wanted."""
    w = wanted
    return read(source, Source(str(source), w.clip, w.unit, w.fps, w.up, w.root_added, w.keep_pose))


def write_as(content: Content, target: Path) -> None:
    """Write without the notes that reading left, which are facts of another file."""
    save(replace(content, info={k: v for k, v in content.info.items() if k != "notes"}), target)


def in_place(motion: Motion) -> Motion:
    """The motion on the spot: travel over the ground is taken out and sway is left.

    Travel is the line from the first to the last place of the root, and for clips that are no loop the path through
    a Gaussian of half a second, so that curves stay on the spot too.
    """
    if len(motion) < 2:
        return motion
    way = motion.root[:, [0, 2]]
    t = np.linspace(0.0, 1.0, len(way))[:, None]
    line = way[0] + t * (way[-1] - way[0])
    travel = line if motion.cyclic else line + _smooth(way - line, TRAVEL * motion.fps)
    shift = np.zeros((len(way), 3))
    shift[:, [0, 2]] = way[0] - travel
    fields: dict[str, Any] = {k: v + shift for k in ("root", "com") if (v := getattr(motion, k)) is not None}
    if motion.pressure is not None:
        fields["pressure"] = motion.pressure + shift[:, None]
    if motion.translations is not None:
        fields["translations"] = motion.translations.copy()
        fields["translations"][:, 0] = fields["root"]
    return replace(motion, **fields, info={k: v for k, v in motion.info.items() if k not in PLACED})


def _smooth(values: Array, width: float) -> Array:
    """A Gaussian of ``width`` frames along the first axis; beyond the ends the values go on point-mirrored."""
    reach = min(int(np.ceil(3 * width)), len(values) - 1)
    if reach < 1:
        return values
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    before, after = 2 * values[0] - values[reach:0:-1], 2 * values[-1] - values[-2 : -reach - 2 : -1]
    padded = np.concatenate([before, values, after])
    return np.stack([np.convolve(c, kernel / kernel.sum(), "valid") for c in padded.T], -1)


def _as_wanted(motion: Motion, wanted: Wanted) -> tuple[Motion, list[str]]:
    changed = [note for note in _notes(motion) if _is_change(note)]
    if wanted.front is not None:
        front = axis(wanted.front, "--front")
        if abs(front[1]) > 0.5:
            raise GambolError(f"{wanted.front!r} is up or down", where="--front", allowed="x, -x, z, -z")
        yaw = np.arctan2(front[0], front[2]) - roles_of(motion.skeleton).facing
        motion = turned(motion, quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), yaw))
        changed.append(f"turned so that the figure at rest looks along {wanted.front}")
    if wanted.in_place:
        motion = in_place(motion)
        changed.append("the travel of the root is taken out")
    return motion, changed


def _notes(content: Content) -> list[str]:
    """What the reader said."""
    return list(content.info.get("notes", []))


def _is_change(note: str) -> bool:
    """Whether a note says that numbers are not those of the file."""
    return any(word in note for word in CHANGES)


def _found(source: Path, content: Content) -> dict[str, Any]:
    names = clips(source)
    notes = [note for note in _notes(content) if not _is_change(note)]
    out: dict[str, Any] = {
        "kind": "motion" if isinstance(content, Motion) else "trial", "frames": len(content), "fps": content.fps,
        "duration_s": content.duration, **({"notes": notes} if notes else {}),
    }
    if isinstance(content, Trial):
        counts = {"plates": len(content.plates), "channels": len(content.channels)}
        shown = {"feet": content.info.get("plates"), "events": content.events}
        return {**out, "markers": len(content.markers), **counts, **{k: v for k, v in shown.items() if v}}
    out["joints"] = len(content.skeleton)
    return {**out, "clip": content.name, "clips": names} if len(names) > 1 else out


def _found_text(found: dict[str, Any]) -> str:
    frames = f"{found['frames']} frame{'s' * (found['frames'] != 1)} at {found['fps']:.5g} a second"
    parts = [f"{frames} ({found['duration_s']:.2f} s)"]
    if found["kind"] == "motion":
        unit = found["unit_m"]
        parts += [f"{found['joints']} joints", f"in {UNITS.get(unit, f'units of {1e3 * unit:.4g} mm')}"]
        parts += [f"{found['up']} up", *([f"facing {found['front']} at rest"] if found["front"] else [])]
    else:
        parts.append(f"{found['markers']} markers, {found['plates']} plates, {found['channels']} analog channels")
        parts += [f"{plate['name']}: {plate['foot'] or 'no'} foot" for plate in found.get("feet", [])]
    if "clips" in found:
        parts.append(f"clip {found['clip']!r} of {len(found['clips'])}")
    return ", ".join(parts)


def _lost(content: Content, found: dict[str, Any], target: Path) -> Iterator[str]:
    row = FORMATS[target.suffix.lower()]
    if isinstance(content, Trial):
        holds = HOLDS.get(target.suffix.lower(), TRIAL_PARTS)
        yield from (part for part in TRIAL_PARTS if part not in holds and found.get(part))
    if isinstance(content, Motion):
        for key, name in SAID.items():
            value = getattr(content, key)
            if key not in row.keeps and value is not None and value is not False:
                yield name
        if "info" not in row.keeps and content.info.keys() - {"notes"}:
            yield f"facts ({', '.join(sorted(content.info.keys() - {'notes'}))})"
    if others := len(found.get("clips", [0])) - 1:
        yield f"{others} other clip{'s' * (others > 1)}"


# many files


def readable(path: Path) -> bool:
    """Whether a file in a folder is one to convert; skeletons beside motions, and tables of other things, are not."""
    suffix = path.suffix.lower()
    row = FORMATS.get(suffix)
    if row is None or row.decode is None or suffix == ".asf":
        return False
    if suffix not in MANY_KINDS:
        return True
    with path.open("rb") as file:
        return b"gambol motion" in file.read(200)


def pairs(inputs: Sequence[Path], output: Path, suffix: str | None) -> list[tuple[Path, Path]]:
    """What is read, and what it is written to.

    Args:
        inputs: files and folders; folders are gone through with all below them.
        output: the file to write, for one input file, else a folder.
        suffix: of the files to write into a folder.

    Raises:
        GambolError: nothing to convert, no suffix, or two files that would get one name.
    """
    one = len(inputs) == 1 and not inputs[0].is_dir()
    if one and output.suffix and not output.is_dir():
        return [(inputs[0], output)]
    if suffix is None:
        writers = ", ".join(s for s, row in FORMATS.items() if row.encode or row.encode_trial)
        raise GambolError("several files go into a folder", where=f"-o {output}", allowed=writers, do="say --to .glb")
    suffix = f".{suffix.lower().removeprefix('.')}"
    out: list[tuple[Path, Path]] = []
    for entry in inputs:
        files = sorted(f for f in entry.rglob("*") if f.is_file() and readable(f)) if entry.is_dir() else [entry]
        root = entry if entry.is_dir() else entry.parent
        out += [(f, (output / f.relative_to(root)).with_suffix(suffix)) for f in files]
    if not out:
        allowed = ", ".join(s for s, row in FORMATS.items() if row.decode)
        raise GambolError("no file to convert in it", where=", ".join(map(str, inputs)), allowed=allowed)
    taken: dict[Path, Path] = {}
    for source, target in out:
        if (other := taken.setdefault(place(target), source)) != source:
            raise GambolError(f"{other} and {source} would both be {target}", where=f"-o {output}", do="convert one "
                              "of them by itself")
    if clash := {place(s) for s, _ in out} & taken.keys():
        raise GambolError(f"{min(map(os.fspath, clash))} is read, and would be replaced", where=f"-o {output}",
                          do="give another folder")
    return out
