"""A project's clip as a file: the same bytes from the page and from ``gambol make project.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gambol.errors import GambolError
from gambol.facts import facts, jsonable
from gambol.forms import nearest
from gambol.io.target import check_target, replace_all
from gambol.motion import Motion
from gambol.studio.checks import choice, entries, flag, text
from gambol.studio.make import Watch, make
from gambol.studio.project import Project, to_json
from gambol.studio.workshop import Wearer, Workshop

__all__ = ["SUFFIXES", "export", "file_name"]

SUFFIXES = {
    ".glb": "glTF (games, web, Blender)", ".vrm": "VRM (a copy of the character)", ".bvh": "BVH (Blender, Maya)",
    ".usd": "USD", ".npz": "numpy (all that is known)", ".csv": "CSV (tables)", ".mp4": "Video", ".png": "Picture",
    ".json": "Contact record", ".gambol.json": "Project",
}
OWN = (".glb", ".vrm")  # of a character: its own file with the clip in it
VIEWS = ("three-quarter", "front", "side", "top")


def file_name(project: Project, suffix: str) -> str:
    """A plain file name from the title."""
    kept = "".join(c if c.isalnum() or c in "_-" else "_" for c in project.title.strip())[:40].strip("_")
    return (kept or "clip") + suffix


def export(
    shop: Workshop, project: Project, target: Path, options: Mapping[str, Any], watch: Watch | None = None
) -> list[str]:
    """Make the clip and write it.

    Args:
        shop: what it is made with.
        project: what is made.
        target: a file whose suffix is one of :data:`SUFFIXES`.
        options: ``skin`` and ``ground`` (true), ``root_joint`` of a character, ``view`` of pictures.
        watch: as for :func:`gambol.studio.make.make`.

    Returns:
        Notes, in sentences.
    """
    asked = entries(dict(options), ("skin", "ground", "root_joint", "view"), "options")
    suffix = next((s for s in sorted(SUFFIXES, key=len, reverse=True) if target.name.lower().endswith(s)), None)
    if suffix is None:
        raise GambolError(f"no writer for {target.suffix!r}", where=target.name, do=nearest(target.suffix, SUFFIXES))
    check_target(target)
    if suffix == ".gambol.json":
        replace_all([(target, project_bytes(project))])
        return []
    motion = make(shop, project, watch=watch)
    _written(shop, project, motion, (target, suffix), asked)
    return [str(note) for note in motion.info.get("notes", [])]


def project_bytes(project: Project) -> bytes:
    """A project as it is kept in a file."""
    return (json.dumps(to_json(project), indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _written(
    shop: Workshop, project: Project, motion: Motion, out: tuple[Path, str], asked: Mapping[str, Any]
) -> None:
    from gambol.io import attach, save

    target, suffix = out
    wearer = shop.figure(project.figure) if project.mode != "view" else None
    ground = shop.ground(project.ground)
    if suffix == ".json":
        replace_all([(target, (json.dumps(jsonable(facts(motion)), indent=1, allow_nan=False) + "\n").encode())])
    elif suffix in (".mp4", ".png"):
        from gambol import render

        view = choice(asked.get("view", "three-quarter"), VIEWS, "options: view")
        skin = _skin(motion, wearer)
        if suffix == ".mp4":
            render.video(motion, target, ground, view=view, mesh=skin)
        else:
            render.write_picture(render.contact_sheet(motion, ground, view=view, mesh=skin), target)
    elif wearer is not None and wearer.character is not None and suffix in OWN:
        root = asked.get("root_joint")
        attach(wearer.character, [motion], target, None if root is None else text(root, "options: root_joint"))
    elif suffix == ".vrm":
        raise GambolError("only a character is written as .vrm", where="export", do="take .glb")
    else:
        along = ground if flag(asked.get("ground", True), "options: ground") and not motion.cyclic else None
        save(motion, target, mesh=flag(asked.get("skin", True), "options: skin"), terrain=along)


def _skin(motion: Motion, wearer: Wearer | None) -> Any:
    """The skin a picture shows: a character's own, else what the skeleton wears."""
    if wearer is not None and wearer.character is not None and wearer.character.skin is not None:
        return wearer.character.skin
    return True

