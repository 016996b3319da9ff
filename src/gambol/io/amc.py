"""Acclaim ASF and AMC, as the CMU motion capture library hands them out: a skeleton, and the angles on it.

A bone of the file begins where its parent ends and turns about its beginning, so that it becomes a joint there,
under the bone's name; the far end of a last bone is a joint ``<bone>_end``. A bone turns in axes of its own,
C = the order of its ``axis`` entry, so that its rotation between world-parallel frames is C M C^-1 with M its
degrees of freedom (those it lacks are 0). One unit is 0.0254 / ``length`` m, since ASF counts in scaled inches.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.io.bvh_text import plain_text
from gambol.io.euler import from_axes
from gambol.io.source import Source
from gambol.motion import Motion
from gambol.skeleton import Skeleton

__all__ = ["decode", "decode_skeleton"]

Array = NDArray[np.float64]
INCH = 0.0254  # m
CMU_RATE = 120.0  # frames a second of the library; the files do not say it
LARGEST = 1e9  # numbers beyond this are torn
FREEDOMS = ("RX", "RY", "RZ", "TX", "TY", "TZ", "L")


class _Bone(NamedTuple):
    """``shift`` (3,) from its beginning to its end in units of the file; ``axes`` (4,) C; ``dof`` what a row holds."""

    name: str
    shift: Array
    axes: Array
    dof: tuple[str, ...]


class _Figure(NamedTuple):
    """Bones parents first, the root first of all, with their parents; m of a unit, rad of an angle; oddities."""

    bones: list[_Bone]
    parents: list[int]
    unit: float
    angle: float
    notes: list[str]


def decode(data: bytes, source: Source) -> Motion:
    """The motion of an .amc, on the skeleton of the .asf in the same folder.

    Raises:
        GambolError: no skeleton, or with the line of the file that cannot be read.
    """
    name, skeleton_data = _skeleton_file(source)
    figure = _read_figure(skeleton_data, source._replace(name=name))
    notes = [*figure.notes, f"the skeleton is {Path(name).name}"]
    values, degrees = _read_rows(data, figure, source.name, notes)
    figure = figure._replace(angle=np.pi / 180 if degrees else 1.0)
    if source.fps is None:
        notes.append(f"{CMU_RATE:g} frames a second, as in the CMU library: the file does not say")
    return _motion(figure, values, source.fps or CMU_RATE, notes)


def decode_skeleton(data: bytes, source: Source) -> Motion:
    """The rest pose of an .asf, as a motion of one frame.

    Raises:
        GambolError: with the line of the file that cannot be read.
    """
    figure = _read_figure(data, source)
    width = sum(len(b.dof) for b in figure.bones)
    return _motion(figure, np.zeros((1, width)), source.fps or CMU_RATE, figure.notes)


def _motion(figure: _Figure, values: Array, fps: float, notes: list[str]) -> Motion:
    bones, frames = figure.bones, len(values)
    rotations = np.zeros((frames, len(bones), 4))
    rotations[..., 0] = 1.0
    root = np.zeros((frames, 3))
    column, unused = 0, []
    for j, bone in enumerate(bones):
        columns = dict(zip(bone.dof, range(column, column + len(bone.dof))))
        column += len(bone.dof)
        turns = [k for k in columns if k[0] == "R"]
        # The first entry is turned about first, so that it stands last in the product.
        order = "".join(k[1] for k in reversed(turns))
        angles = values[:, [columns[k] for k in reversed(turns)]] * figure.angle
        turn = from_axes(order, angles) if order else quat.IDENTITY
        rotations[:, j] = quat.multiply(quat.multiply(bone.axes, turn), quat.conjugate(bone.axes))
        for k, axis in enumerate("XYZ"):
            if f"T{axis}" in columns and j == 0:
                root[:, k] = values[:, columns[f"T{axis}"]]
        if j and any(k[0] != "R" for k in columns):
            unused.append(bone.name)
    if unused:
        notes = [*notes, f"lengths and shifts of {', '.join(unused)} are not used"]
    info = {"unit_m": figure.unit, **({"notes": notes} if notes else {})}
    skeleton = _skeleton(figure)
    root = (root + bones[0].shift) * figure.unit
    leaves = len(skeleton) - len(bones)
    rotations = np.concatenate([rotations, np.broadcast_to(quat.IDENTITY, (frames, leaves, 4))], 1)
    return Motion(skeleton, root, quat.normalize(rotations), fps, info=info)


def _skeleton(figure: _Figure) -> Skeleton:
    """Joints where bones begin, and after them the ends of the last bones; it stands on y = 0."""
    bones, parents = figure.bones, figure.parents
    names, up = [b.name for b in bones], list(parents)
    offsets = [np.zeros(3)] + [np.zeros(3) if p == 0 else bones[p].shift for p in parents[1:]]
    for j, bone in enumerate(bones):
        if j and j not in parents and bone.shift.any():
            names.append(f"{bone.name}_end")
            up.append(j)
            offsets.append(bone.shift)
    offset = np.array(offsets) * figure.unit
    below = Skeleton(tuple(names), np.array(up), offset).rest_positions()[:, 1].min()
    offset[0, 1] = max(-below, 0.0)
    return Skeleton(tuple(names), np.array(up), offset)


def _skeleton_file(source: Source) -> tuple[str, bytes]:
    """The .asf of an .amc: of the same name, else of its subject (16_15 -> 16), else the only one."""
    files: list[Path] = []
    if source.folder is not None and source.folder.is_dir():
        files = sorted(f for f in source.folder.iterdir() if f.suffix.lower() == ".asf")
    stem = Path(source.name).stem
    for wanted in (stem, stem.rpartition("_")[0], None):
        fit = [f for f in files if wanted is None or f.stem.lower() == wanted.lower()]
        if len(fit) == 1:
            return str(fit[0]), source.beside(fit[0].name)
    there = f"there are {', '.join(f.name for f in files[:8])}" if files else "there is none"
    raise GambolError(
        f"no skeleton (.asf) for it in its folder: {there}", where=source.name,
        allowed=f"{stem}.asf, {stem.rpartition('_')[0] or stem}.asf, or a single one", do="put its .asf beside it",
    )


# the skeleton


def _read_figure(data: bytes, source: Source) -> _Figure:
    bones: dict[str, _Bone] = {}
    children: dict[str, list[str]] = {}
    units = {"length": 1.0, "angle": np.pi / 180}
    root = _Bone("root", np.zeros(3), quat.IDENTITY, ("TX", "TY", "TZ", "RX", "RY", "RZ"))
    section = ""
    entry: dict[str, list[str]] = {}
    for number, words in _lines(data):
        where, key, rest = f"{source.name}, line {number}", words[0].lower(), words[1:]
        if key.startswith(":"):
            section, entry = key, {}
        elif section == ":units":
            _unit_entry(units, key, rest, where)
        elif section == ":root":
            entry[key] = rest
            root = _bone({"name": ["root"], "dof": entry.get("order", list(root.dof)), **entry}, units["angle"], where)
        elif section == ":bonedata":
            if key == "begin":
                entry = {}
            elif key == "end":
                bone = _bone(entry, units["angle"], where)
                if bone.name in bones:
                    raise GambolError(f"a second bone called {bone.name!r}", where=where)
                bones[bone.name] = bone
            else:
                entry.setdefault(key, rest)
        elif section == ":hierarchy" and key not in ("begin", "end"):
            if words[0] != "root" and words[0] not in bones or any(w not in bones for w in rest):
                raise GambolError(f"a bone of {' '.join(words)[:60]!r} is not in :bonedata", where=where)
            children.setdefault(words[0], []).extend(rest)
    if not bones or not children:
        raise GambolError("no :bonedata or no :hierarchy", where=source.name, allowed="an Acclaim skeleton (.asf)")
    unit = source.unit or INCH / units["length"]
    return _ordered(root, bones, children, _Figure([], [], unit, units["angle"], []), source.name)


def _ordered(
    root: _Bone, bones: dict[str, _Bone], children: dict[str, list[str]], figure: _Figure, where: str
) -> _Figure:
    """Bones parents first, branch by branch as the hierarchy lists them."""
    order: list[_Bone] = []
    parents: list[int] = []
    place: dict[str, int] = {}
    stack = [("root", -1)]
    while stack:
        name, parent = stack.pop()
        if name in place:
            raise GambolError(f"{name!r} hangs on two bones, or on itself", where=where)
        place[name] = len(order)
        order.append(bones[name] if parent >= 0 else root)
        parents.append(parent)
        stack += [(child, place[name]) for child in reversed(children.get(name, []))]
    if loose := set(bones) - set(place):
        raise GambolError(f"{min(loose)!r} hangs on no bone of the root", where=where)
    return figure._replace(bones=order, parents=parents)


def _unit_entry(units: dict[str, float], key: str, rest: list[str], where: str) -> None:
    if key == "length":
        units["length"] = _floats(rest, 1, where)[0]
        if not units["length"] > 0:
            raise GambolError(f"length {units['length']:g}", where=where, allowed="more than 0")
    elif key == "angle":
        units["angle"] = 1.0 if rest and rest[0].lower().startswith("rad") else np.pi / 180


def _bone(entry: dict[str, list[str]], angle: float, where: str) -> _Bone:
    if not entry.get("name"):
        raise GambolError("a bone without a name", where=where)
    name = entry["name"][0]
    if name == "root":
        shift = np.array(_floats(entry.get("position", ["0"] * 3), 3, where))
        turn, order = entry.get("orientation", ["0"] * 3), (entry.get("axis") or ["XYZ"])[0]
    else:
        direction = np.array(_floats(entry.get("direction", ["0"] * 3), 3, where))
        size = float(np.linalg.norm(direction))
        length = _floats(entry.get("length", ["0"]), 1, where)[0]
        shift = direction * (length / size if size > 0 else 0.0)
        turn = entry.get("axis", ["0"] * 3)[:3]
        order = (entry.get("axis", [])[3:] or ["XYZ"])[0]
    if not re.fullmatch("[XYZ]{3}", order := order.upper()):
        raise GambolError(f"the axis order is {order[:20]!r}", where=where, allowed="three letters of X, Y, Z")
    angles = np.array(_floats(turn, 3, where)) * angle
    freedoms = tuple(d.upper() for d in entry.get("dof", []))
    if set(freedoms) - set(FREEDOMS) or len(set(freedoms)) != len(freedoms):
        raise GambolError(f"dof {' '.join(freedoms)[:40]}", where=where, allowed=f"each once: {' '.join(FREEDOMS)}")
    return _Bone(name, shift, from_axes(order[::-1], angles[::-1]), freedoms)


# the rows


def _read_rows(data: bytes, figure: _Figure, source: str, notes: list[str]) -> tuple[Array, bool]:
    """``(F, C)`` numbers, columns bone by bone, and whether angles are degrees; bones left out stay at rest."""
    columns, width = {}, 0
    for bone in figure.bones:
        columns[bone.name] = slice(width, width + len(bone.dof))
        width += len(bone.dof)
    degrees = figure.angle != 1.0
    frames: list[tuple[int, dict[str, list[float]]]] = []  # line of the frame number, bone -> its numbers
    wrong: GambolError | None = None
    for number, words in _lines(data):
        key, where = words[0], f"{source}, line {number}"
        if key[0] == ":":
            degrees = {":degrees": True, ":radians": False}.get(key.lower(), degrees)
            continue
        if wrong is not None:
            raise wrong
        if len(words) == 1 and key.isdigit():
            frames.append((number, {}))
        elif not frames:
            raise GambolError(f"{key[:40]!r} before the first frame number", where=where)
        elif key not in columns:
            wrong = GambolError(f"the skeleton has no bone {key[:40]!r}", where=where, do="give the right .asf")
        else:
            count = columns[key].stop - columns[key].start
            try:
                frames[-1][1][key] = _floats(words[1:], max(count, len(words) - 1), where)
            except GambolError:
                wrong = GambolError(f"{key!r} has not the {count} numbers it needs", where=where)
            else:
                if len(words) != 1 + count:
                    wrong = GambolError(f"{key!r} has {len(words) - 1} numbers, not {count}", where=where)
    return _table(frames, columns, width, (source, wrong, notes)), degrees


def _table(
    frames: list[tuple[int, dict[str, list[float]]]], columns: dict[str, slice], width: int,
    told: tuple[str, GambolError | None, list[str]],
) -> Array:
    """The frames as one table. The last one is left out where it is torn; any other is an error."""
    source, wrong, notes = told
    first = frames[0][1].keys() if frames else set()
    if len(frames) > 1 and (wrong is not None or frames[-1][1].keys() != first):
        frames.pop()
        wrong = None
        notes.append("the last frame is torn and left out")
    if wrong is not None:
        raise wrong
    if not first:
        raise GambolError("no frames in it", where=source, allowed="an Acclaim motion (.amc)")
    out = np.zeros((len(frames), width))
    for row, (number, bones) in zip(out, frames):
        if bones.keys() != first:
            what = f"a frame of {len(bones)} bones, the first has {len(first)}"
            raise GambolError(what, where=f"{source}, line {number}")
        for name, numbers in bones.items():
            row[columns[name]] = numbers
    if left := [n for n, c in columns.items() if c.stop > c.start and n not in first]:
        notes.append(f"the file does not move {', '.join(left)}")
    return out


def _lines(data: bytes) -> list[tuple[int, list[str]]]:
    """(number, words) of the lines that say something."""
    text = plain_text(data).replace("\r\n", "\n").replace("\r", "\n").replace("(", " ( ").replace(")", " ) ")
    lines = ((number, line.partition("#")[0].split()) for number, line in enumerate(text.split("\n"), 1))
    return [(number, words) for number, words in lines if words]


def _floats(words: list[str], count: int, where: str) -> list[float]:
    try:
        out = [float(w) for w in words[:count]]
    except ValueError:
        out = []
    if len(out) != count or not all(abs(x) < LARGEST for x in out):
        raise GambolError(f"{' '.join(words)[:40]!r}", where=where, allowed=f"{count} numbers")
    return out
