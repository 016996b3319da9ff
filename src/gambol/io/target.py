"""Where files go: refused before any work where they cannot be written, and written all or none."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from gambol.errors import GambolError

__all__ = ["check_target", "place", "replace_all"]

File = str | os.PathLike[str]
LONGEST = 255  # bytes of a file name, on every system in use


def place(path: File) -> Path:
    """Where bytes for ``path`` end up: the file itself, or what a symbolic link points to."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:  # a zero byte in the name
        raise GambolError(f"it is no file name: {error}", where=_named(path), do="give another name") from error


def check_target(path: File) -> None:
    """Refuse a file that could not be written.

    Raises:
        GambolError: its folder is missing or may not be written to, or something else has its name.
    """
    where, target = _named(path), place(path)
    folder = target.parent
    if len(os.fsencode(target.name)) > LONGEST:
        do = "give a shorter name"
        raise GambolError("the file name is too long", where=where, allowed=f"{LONGEST} bytes", do=do)
    if not folder.is_dir():
        named = folder if os.path.islink(path) else Path(path).parent
        what = f"the folder {str(named)!r} does not exist"
        raise GambolError(what, where=where, allowed="a folder that exists", do="make it first, or name another")
    if target.exists() and not target.is_file():
        kind = "a folder" if target.is_dir() else "not a plain file"
        what = f"it is there already and {kind}"
        raise GambolError(what, where=where, allowed="a new file or one to replace", do="give another name")
    if not os.access(folder, os.W_OK | os.X_OK):
        what = f"the folder {str(folder)!r} may not be written to"
        raise GambolError(what, where=where, allowed="a folder of yours", do="change its rights, or name another")


def replace_all(files: Sequence[tuple[File, bytes]]) -> None:
    """Write every file under a temporary name beside its target, then rename them: all, or none of them.

    Raises:
        GambolError: for the first that cannot be written; then no target is touched.
    """
    staged: list[tuple[str, Path, File]] = []
    path: File = ""
    try:
        for path, data in files:
            check_target(path)
            target = place(path)
            staged.append((_stage(target, data), target, path))
        for temporary, target, path in staged:  # noqa: B007 - the error names it
            os.replace(temporary, target)
    except OSError as error:
        what = f"it cannot be written: {error.strerror or error}"
        raise GambolError(what, where=_named(path), do="give another name or folder, or make room") from error
    finally:
        for temporary, *_ in staged:
            with suppress(FileNotFoundError):
                os.unlink(temporary)


def _stage(target: Path, data: bytes) -> str:
    """The name of a new file beside ``target`` that holds ``data``; none is left where that fails."""
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".gambol-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o666 & ~_umask())
    except BaseException:
        os.unlink(temporary)
        raise
    return temporary


def _named(path: File) -> str:
    return os.fspath(path) or "''"


def _umask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
