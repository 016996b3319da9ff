"""A project made without a page: ``gambol make project.json``."""

from __future__ import annotations

from pathlib import Path

from gambol.errors import GambolError
from gambol.studio.export import SUFFIXES, export, file_name
from gambol.studio.folder import PROJECT, Folder
from gambol.studio.project import parsed, read_project
from gambol.studio.workshop import Workshop

__all__ = ["is_project", "made_project"]

HEAD = 4096  # bytes in which a project says what it is


def is_project(file: Path) -> bool:
    """Whether a file is a project of the studio, by its name or by what it says."""
    if file.name.lower().endswith(".gambol.json"):
        return True
    with file.open("rb") as opened:
        head = b"".join(opened.read(HEAD).split())
    return b'"gambol":"project"' in head


def made_project(file: Path, output: Path, suffix: str) -> tuple[Path, list[str]]:
    """Make the clip of a project and write it, the same bytes as the studio's export.

    Args:
        file: the project; what it names lies in ``files`` in its own folder.
        output: folder for the clip; made if it is not there.
        suffix: kind of the clip.

    Returns:
        The file, and notes in sentences.

    Raises:
        GambolError: what cannot be made, and why.
    """
    if suffix not in SUFFIXES:
        raise GambolError(f"no writer for {suffix!r}", where="--clips", allowed=", ".join(SUFFIXES))
    if file.stat().st_size > PROJECT:
        raise GambolError("it is too large", where=str(file), allowed=f"{PROJECT >> 20} MB")
    project = read_project(parsed(file.read_bytes(), str(file)))
    shop = Workshop(Folder(file.parent, make=False))
    output.mkdir(parents=True, exist_ok=True)
    target = output / file_name(project, suffix)
    return target, export(shop, project, target, {})
