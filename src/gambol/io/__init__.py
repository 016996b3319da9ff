"""Files: ``load(path) -> Motion``, ``save(motion, path)``, ``clips(path)``.

A format is one module with ``decode(data, source)`` and ``encode(motion, extra)`` between a motion and the
bytes of a file, and one line in :data:`FORMATS`. Axes, units and quaternion orders change there and nowhere
else; opening, naming and replacing files happens here and nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from gambol.errors import GambolError
from gambol.io import bvh, gltf, npz
from gambol.io.sound import decoded, sound
from gambol.io.source import Extra, Ground, Source
from gambol.io.target import check_target, replace_all
from gambol.motion import Motion

__all__ = ["FORMATS", "Extra", "Format", "Ground", "Source", "clips", "load", "save", "save_all"]


class Format(NamedTuple):
    """How one kind of file is read and written; None where it is not.

    Attributes:
        decode: the bytes of a file to a motion.
        encode: a motion to the bytes of a file.
        clips: the bytes of a file to the names of its clips.
    """

    decode: Callable[[bytes, Source], Motion] | None
    encode: Callable[[Motion, Extra], bytes] | None
    clips: Callable[[bytes, Source], list[str]] | None


FORMATS: dict[str, Format] = {
    ".npz": Format(npz.decode, npz.encode, None),
    ".bvh": Format(bvh.decode, bvh.encode, None),
    ".glb": Format(gltf.decode, gltf.encode, gltf.clips),
    ".gltf": Format(gltf.decode, None, gltf.clips),
}


def load(path: str | os.PathLike[str], clip: str | None = None) -> Motion:
    """Read a motion.

    Args:
        path: a file with a suffix of :data:`FORMATS` that can be read.
        clip: name of the clip in a file that holds several; by default the first.

    Raises:
        GambolError: an unknown suffix, a missing file, a missing clip, or content that cannot be used.
    """
    path = Path(path)
    reader = _format(path, "decode").decode
    assert reader is not None
    source = Source(str(path), clip)
    motion = sound(decoded(reader, _read(path), source), source)
    return motion if motion.name else replace(motion, name=path.stem)


def clips(path: str | os.PathLike[str]) -> list[str]:
    """Names of the clips in a file; a format with one clip a file names it by the file."""
    path = Path(path)
    lister = _format(path, "decode").clips
    data = _read(path)
    return decoded(lister, data, Source(str(path))) if lister else [path.stem]


def save(
    motion: Motion, path: str | os.PathLike[str], *, mesh: bool = True, terrain: Ground | None = None
) -> None:
    """Write a motion; the file is whole or not there.

    Args:
        motion: what to write.
        path: a file with a suffix of :data:`FORMATS` that can be written, in a folder that exists.
        mesh: give the figure a skin, where the format can hold one and the skeleton is a person.
        terrain: the ground to write along, where the format can hold it.

    Raises:
        GambolError: an unknown suffix, a missing folder, or a motion the format cannot hold.
    """
    save_all(motion, [path], mesh=mesh, terrain=terrain)


def save_all(
    motion: Motion,
    paths: Sequence[str | os.PathLike[str]],
    *,
    mesh: bool = True,
    terrain: Ground | None = None,
) -> None:
    """Write a motion to several files; all of them are there and whole, or none is touched.

    Args:
        motion: what to write.
        paths: as for :func:`save`.
        mesh: as for :func:`save`.
        terrain: as for :func:`save`.

    Raises:
        GambolError: as :func:`save`, for the first file that cannot be written.
    """
    able = [_format(Path(path), "encode") for path in paths]
    for path in paths:
        check_target(path)
    files = []
    for path, row in zip(paths, able):
        assert row.encode is not None
        files.append((path, row.encode(motion, Extra(mesh, terrain))))
    replace_all(files)


def _format(path: Path, use: str) -> Format:
    """The row of the table for a path, or an error that lists the suffixes that would do."""
    suffix = path.suffix.lower()
    able = [s for s, row in FORMATS.items() if getattr(row, use) is not None]
    if suffix in able:
        return FORMATS[suffix]
    close = get_close_matches(suffix, able, 1)
    raise GambolError(
        f"no {'reader' if use == 'decode' else 'writer'} for the suffix {path.suffix!r}", where=str(path),
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
