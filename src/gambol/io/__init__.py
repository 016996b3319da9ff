"""Files: ``load(path)``, ``load_motion(path)``, ``save(motion, path)``, ``clips(path)``.

A format is one module with ``decode(data, source)`` and ``encode(motion, extra)`` between what a file holds and
its bytes, and one line in :data:`FORMATS`. Axes, units and quaternion orders change there and nowhere else;
opening, naming and replacing files happens here and nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from gambol.character import Character
from gambol.errors import GambolError
from gambol.io import (
    amc,
    bvh,
    bvh_write,
    c3d,
    csv_file,
    fbx,
    gltf,
    gltf_attach,
    gltf_crowd,
    gltf_person,
    json_file,
    mot,
    npz,
    trc,
    usd,
    vrma,
)
from gambol.io.axes import scaled
from gambol.io.gltf_attach import Attached
from gambol.io.sound import decoded, sound
from gambol.io.source import Extra, Ground, Source
from gambol.io.target import check_target, replace_all
from gambol.io.upright import upright, without_rest_pose
from gambol.motion import Motion, Trial

__all__ = [
    "FORMATS", "Content", "Extra", "Format", "Ground", "Opened", "Source", "attach", "clips", "load", "load_character",
    "load_motion", "read", "save", "save_all", "save_clips", "save_crowd",
]

Content = Motion | Trial  # what a file can hold
File = str | os.PathLike[str]


class Opened(NamedTuple):
    """What a file holds, the m of one unit of it, and the axis that was up in it."""

    content: Content
    unit_m: float
    up: str


class Format(NamedTuple):
    """How one kind of file is read and written; None where it is not.

    Attributes:
        decode: the bytes of a file to what it holds, in metres, +y up.
        encode: a motion to the bytes of a file.
        clips: the bytes of a file to the names of its clips; None where a file is one clip.
        keeps: fields of a motion, beside skeleton, root and rotations, that a written file gives back.
        metric: the format itself says that one unit is a metre and +y is up; else both are found in the file.
        encode_clips: several clips of one figure to the bytes of a file.
        encode_trial: a trial to the bytes of a file.
        character: the bytes of a file, and role -> name of a joint where somebody knows, to the rig in it.
        attach: a character's own file with more clips; None where the format cannot be added to.
    """

    decode: Callable[[bytes, Source], Content] | None = None
    encode: Callable[[Motion, Extra], bytes] | None = None
    clips: Callable[[bytes, Source], list[str]] | None = None
    keeps: frozenset[str] = frozenset()
    metric: bool = False
    encode_clips: Callable[[Sequence[Motion], Extra], bytes] | None = None
    encode_trial: Callable[[Trial], bytes] | None = None
    character: Callable[[bytes, Source, Mapping[str, str] | None], Character] | None = None
    attach: Callable[[Character, Sequence[Motion], str | None], Attached] | None = None


ALL = frozenset({"contacts", "forces", "pressure", "com", "mass", "cyclic", "translations", "name", "info"})
FORMATS: dict[str, Format] = {
    ".npz": Format(npz.decode, npz.encode, keeps=ALL, metric=True),
    ".bvh": Format(bvh.decode, bvh_write.encode, keeps=frozenset({"translations"})),
    ".glb": Format(
        gltf.decode, gltf.encode, gltf.clips, ALL - {"forces", "pressure", "com"}, True, gltf.encode_clips,
        character=gltf_person.character_of, attach=gltf_attach.attach,
    ),
    ".gltf": Format(
        gltf.decode, None, gltf.clips, metric=True, character=gltf_person.character_of, attach=gltf_attach.attach_text
    ),
    ".vrm": Format(
        gltf.decode, None, gltf.clips, metric=True, character=gltf_person.character_of, attach=gltf_attach.attach
    ),
    ".json": Format(json_file.decode, json_file.encode, keeps=ALL, metric=True),
    ".csv": Format(csv_file.decode, csv_file.encode, keeps=ALL, metric=True),
    ".amc": Format(amc.decode),
    ".asf": Format(amc.decode_skeleton),
    ".c3d": Format(c3d.decode),
    ".fbx": Format(fbx.decode, None, fbx.clips),
    ".trc": Format(trc.decode, trc.encode, encode_trial=trc.encode_trial),
    ".mot": Format(mot.decode, mot.encode, encode_trial=mot.encode_trial),
    ".sto": Format(mot.decode, mot.encode, encode_trial=mot.encode_trial),
    ".usd": Format(None, usd.encode),
    ".usda": Format(None, usd.encode_text),
    ".usdc": Format(None, usd.encode),
    ".vrma": Format(None, vrma.encode),
}


def load(path: File, clip: str | None = None) -> Content:
    """Read what a file holds: a motion, or a trial of markers and forces.

    Args:
        path: a file with a suffix of :data:`FORMATS` that can be read.
        clip: name of the clip in a file that holds several; by default the first.

    Raises:
        GambolError: an unknown suffix, a missing file, a missing clip, or content that cannot be used.
    """
    return read(path, Source(str(path), clip)).content


def load_motion(path: File, clip: str | None = None) -> Motion:
    """Read the motion of a skeleton.

    Args:
        path: as for :func:`load`.
        clip: as for :func:`load`.

    Raises:
        GambolError: as :func:`load`, and for a file that holds no skeleton that moves.
    """
    content = load(path, clip)
    if not isinstance(content, Motion):
        what = "it holds markers and forces, and no skeleton"
        raise GambolError(what, where=str(path), allowed="a file with a moving skeleton")
    return content


def load_character(path: File, roles: Mapping[str, str] | None = None) -> Character:
    """Read somebody's rig: a .glb, .gltf or .vrm with a skin.

    Args:
        path: the file.
        roles: role -> name of the joint, where somebody knows (:func:`gambol.roles.roles_from_json`).

    Raises:
        GambolError: as :func:`load`; no skeleton in it, or several.
    """
    path = Path(path)
    row = _format(path, "character")
    assert row.character is not None
    source = Source(str(path), folder=path.parent)
    maker = row.character
    return decoded(lambda data, where: maker(data, where, roles), _read(path), source)


def attach(character: Character, motions: Sequence[Motion], path: File, root_joint: str | None = None) -> Attached:
    """Write a character's own file with more clips; all else in it stays byte for byte as it was.

    Args:
        character: of :func:`load_character`; its file is not touched, unless ``path`` names it.
        motions: of its skeleton, with names.
        path: .glb or .vrm; .gltf for a character read from a .gltf.
        root_joint: name of a node above the hips that carries the travel; None: the hips do.

    Raises:
        GambolError: as :func:`save`; a motion of another skeleton, or a root joint that is not above the hips.
    """
    path = Path(path)
    row = _format(path, "attach")
    assert row.attach is not None
    check_target(path)
    made = row.attach(character, motions, root_joint)
    replace_all([(path, made.data)])
    return made


def read(path: File, source: Source) -> Opened:
    """Read a file as :func:`load` does, with what is asked of it.

    Args:
        path: the file.
        source: its name in errors, the clip, and a unit and rate that overrule the file.

    Raises:
        GambolError: as :func:`load`.
    """
    path = Path(path)
    row = _format(path, "decode")
    assert row.decode is not None
    source = source._replace(folder=path.parent)
    content = decoded(row.decode, _read(path), source)
    unit, up = 1.0, "y"
    if isinstance(content, Motion):
        unit = float(content.info.get("unit_m", 1.0))
        content, up = _ours(content, source, row.metric, path.stem)
        if row.metric and source.unit is not None:
            unit, content = source.unit, scaled(content, source.unit)
        content = sound(content, source)
    return Opened(content if content.name else replace(content, name=path.stem), unit, up)


def _ours(motion: Motion, source: Source, metric: bool, name: str) -> tuple[Motion, str]:
    """The motion in our axes without poses that are not its own, and the axis that was up."""
    up = "y"
    notes: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    if source.up is not None or not metric:
        motion, up, notes = upright(motion, source.up)
    if not (metric or source.keep_pose):
        motion, said = without_rest_pose(motion)
    info = {k: v for k, v in motion.info.items() if k != "unit_m"}
    if notes or said:
        info["notes"] = [*info.get("notes", []), *notes, *said]
    return replace(motion, info=info, fps=source.fps or motion.fps, name=motion.name or name), up


def clips(path: File) -> list[str]:
    """Names of the clips in a file; a format with one clip a file names it by the file."""
    path = Path(path)
    lister = _format(path, "decode").clips
    data = _read(path)
    return decoded(lister, data, Source(str(path))) if lister else [path.stem]


def save_crowd(motions: Sequence[Motion], path: File, *, mesh: bool = True, terrain: Ground | None = None) -> None:
    """Write many figures that move at once into one .glb.

    Args:
        motions: with names that differ; skeletons may.
        path: ends in .glb.
        mesh: as for :func:`save`.
        terrain: as for :func:`save`.

    Raises:
        GambolError: as :func:`save`; for another suffix.
    """
    if Path(path).suffix.lower() != ".glb":
        raise GambolError("many figures go into a .glb", where=str(path), allowed=".glb", do="give another suffix")
    check_target(path)
    replace_all([(path, gltf_crowd.encode_crowd(motions, Extra(mesh, terrain)))])


def save(content: Content, path: File, *, mesh: bool = True, terrain: Ground | None = None) -> None:
    """Write a motion or a trial; the file is whole or not there.

    Args:
        content: what to write.
        path: a file with a suffix of :data:`FORMATS` that can be written, in a folder that exists.
        mesh: give the figure a skin, where the format can hold one and the skeleton is a person.
        terrain: the ground to write along, where the format can hold it.

    Raises:
        GambolError: an unknown suffix, a missing folder, or a motion the format cannot hold.
    """
    save_all(content, [path], mesh=mesh, terrain=terrain)


def save_all(
    content: Content, paths: Sequence[File], *, mesh: bool = True, terrain: Ground | None = None
) -> None:
    """Write a motion or a trial to several files; all of them are there and whole, or none is touched.

    Args:
        content: what to write.
        paths: as for :func:`save`.
        mesh: as for :func:`save`.
        terrain: as for :func:`save`.

    Raises:
        GambolError: as :func:`save`, for the first file that cannot be written.
    """
    able = [_format(Path(path), "encode_trial" if isinstance(content, Trial) else "encode") for path in paths]
    for path in paths:
        check_target(path)
    extra = Extra(mesh, terrain)
    replace_all([(path, _encoded(row, content, extra)) for path, row in zip(paths, able)])


def _encoded(row: Format, content: Content, extra: Extra) -> bytes:
    if isinstance(content, Trial):
        assert row.encode_trial is not None
        return row.encode_trial(content)
    assert row.encode is not None
    return row.encode(content, extra)


def save_clips(motions: Sequence[Motion], path: str | os.PathLike[str], *, mesh: bool = True) -> None:
    """Write several clips of one figure into one file, each under its name.

    Args:
        motions: of one skeleton, with different names.
        path: a file whose format holds several clips, in a folder that exists.
        mesh: as for :func:`save`.

    Raises:
        GambolError: a format of one clip a file, or as :func:`save`.
    """
    path = Path(path)
    row = _format(path, "encode_clips")
    check_target(path)
    assert row.encode_clips is not None
    replace_all([(path, row.encode_clips(motions, Extra(mesh)))])


def _format(path: Path, use: str) -> Format:
    """The row of the table for a path, or an error that lists the suffixes that would do."""
    suffix = path.suffix.lower()
    able = [s for s, row in FORMATS.items() if getattr(row, use) is not None]
    if suffix in able:
        return FORMATS[suffix]
    close = get_close_matches(suffix, able, 1)
    who = {
        "decode": "reader", "encode": "writer", "encode_clips": "writer of several clips",
        "encode_trial": "writer of markers and forces", "character": "reader of rigs", "attach": "writer into rigs",
    }[use]
    raise GambolError(
        f"no {who} for the suffix {path.suffix!r}", where=str(path),
        allowed=", ".join(able), do=f"did you mean {close[0]}?" if close else "give the file one of these",
    )


def _read(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():  # a pipe or a device would be read for ever
            kind = "a folder" if path.is_dir() else "not a plain file"
            raise GambolError(f"it is {kind}", where=str(path), allowed="a file", do="name the file itself")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, GambolError):
            raise
        missing = isinstance(error, FileNotFoundError)
        why = error.strerror if isinstance(error, OSError) else error
        what = "there is no such file" if missing else f"it cannot be read: {why}"
        do = "check its name and folder" if missing else "check its name and rights"
        raise GambolError(what, where=str(path), allowed="a file that exists", do=do) from error
