"""Files: ``load(path) -> Motion``, ``save(motion, path)``, ``clips(path)``.

A format is one module with ``decode(data, source)`` and ``encode(motion, extra)`` between a motion and the
bytes of a file, and one line in :data:`FORMATS`. Axes, units and quaternion orders change there and nowhere
else; opening, naming and replacing files happens here and nowhere else.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from gambol.errors import GambolError
from gambol.io import bvh, gltf, npz
from gambol.io.source import Extra, Ground, Source
from gambol.motion import Motion

__all__ = ["FORMATS", "Extra", "Format", "Ground", "Source", "clips", "load", "save"]


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
    motion = reader(_read(path), Source(str(path), clip))
    return motion if motion.name else replace(motion, name=path.stem)


def clips(path: str | os.PathLike[str]) -> list[str]:
    """Names of the clips in a file; a format with one clip a file names it by the file."""
    path = Path(path)
    lister = _format(path, "decode").clips
    data = _read(path)
    return lister(data, Source(str(path))) if lister else [path.stem]


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
    path = Path(path)
    writer = _format(path, "encode").encode
    assert writer is not None
    if not path.parent.is_dir():
        what = f"the folder {str(path.parent)!r} does not exist"
        raise GambolError(what, where=str(path), do="make it first")
    data = writer(motion, Extra(mesh, terrain))
    _replace(path, data)


def _format(path: Path, use: str) -> Format:
    """The row of the table for a path, or an error that lists the suffixes that would do."""
    suffix = path.suffix.lower()
    able = [s for s, row in FORMATS.items() if getattr(row, use) is not None]
    if suffix in able:
        return FORMATS[suffix]
    close = get_close_matches(suffix, able, 1)
    raise GambolError(
        f"no {'reader' if use == 'decode' else 'writer'} for the suffix {path.suffix!r}", where=str(path),
        allowed=", ".join(able), do=f"did you mean {close[0]}?" if close else "",
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        what = "there is no such file" if not path.exists() else f"it cannot be read: {error.strerror}"
        raise GambolError(what, where=str(path)) from error


def _replace(path: Path, data: bytes) -> None:
    """Write under a temporary name beside the target, then rename."""
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = file.name
            file.write(data)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        raise GambolError(f"it cannot be written: {error.strerror}", where=str(path)) from error
    finally:
        if temporary is not None:
            with suppress(FileNotFoundError):
                os.unlink(temporary)


def _umask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
