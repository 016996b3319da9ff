"""A file as a project that shows it."""

from __future__ import annotations

import re
from pathlib import Path

from gambol.errors import GambolError
from gambol.studio.export import project_bytes
from gambol.studio.folder import UPLOAD, Folder
from gambol.studio.project import Figure, Ground, Project, View
from gambol.studio.upload import received
from gambol.studio.workshop import Workshop

__all__ = ["viewed"]


def viewed(root: Path, file: Path, clip: str | None = None) -> str:
    """Copy a file into the studio's folder, and keep a project that shows it; its name.

    Raises:
        GambolError: what its reader says of it.
    """
    if not file.is_file():
        raise GambolError("there is no such file", where=str(file), allowed="a file that exists")
    if file.stat().st_size > UPLOAD:
        raise GambolError("the file is too large", where=str(file), allowed=f"{UPLOAD >> 20} MB")
    folder = Folder(root)
    shop = Workshop(folder)
    found = received(shop, file.name, file.read_bytes())
    kept, kind = found["file"], found["kind"]
    title = re.sub(r"[^\w .()-]", "_", f"{file.stem}{f' {clip}' if clip else ''}")[:60].strip(" .") or "view"
    if kind == "project":
        folder.keep(title, file.read_bytes())
        return title
    if kind == "ground":
        made = Project(title, "go", ground=Ground(file=kept))
    elif kind in ("clip", "character"):
        motion = shop.clip(View(kept, clip))
        named = motion.info.get("ground")
        ground = named if isinstance(named, str) and named.partition(":")[0] in ("slope", "stairs", "demo") else "flat"
        figure = Figure(kind, file=kept, clip=clip if kind == "clip" else None)
        made = Project(title, "view", figure, Ground(ground), view=View(kept, clip))
    else:
        raise GambolError(f"it is {kind}, and nothing moves in it", where=str(file), allowed="a motion or a character")
    folder.keep(title, project_bytes(made))
    return title
