"""Whose rig a motion goes onto, as a person types it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from gambol.errors import GambolError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gambol.character import Character
    from gambol.roles import Roles

__all__ = ["DEFAULT_RIG", "RIG_FILES", "RigForm", "read_roles", "unsure"]

RIG_FILES = (".glb", ".gltf", ".vrm")
UNSURE = 0.5


@dataclass(frozen=True)
class RigForm:
    """A rig of one's own.

    Attributes:
        character: .glb, .gltf or .vrm of a skinned human figure; the motion becomes a clip in a copy of it.
        roles: .json that says which joint is what, as `gambol roles` writes it; may name a few joints only.
        root_joint: name of a node above the hips that carries the travel over the ground; else the hips do.
    """

    character: Annotated[Path | None, Parameter(name=["--character"])] = None
    roles: Path | None = None
    root_joint: str | None = None

    def read(self, human: bool = True) -> Character:
        """The character.

        Args:
            human: only a human figure will do.

        Raises:
            GambolError: a file that cannot be used, or no human rig, with the reason.
        """
        from gambol.io import load_character
        from gambol.roles import humanoid

        assert self.character is not None
        character = load_character(self.character, read_roles(self.roles))
        if human:
            humanoid(character.roles, str(self.character))
        return character

    def check(self) -> None:
        """Refuse what means nothing without a character."""
        for name, value in (("--roles", self.roles), ("--root-joint", self.root_joint)):
            if value is not None and self.character is None:
                raise GambolError("there is no rig it could be for", where=name, do="name one: --character FILE")


DEFAULT_RIG = RigForm()


def read_roles(file: Path | None) -> Mapping[str, str] | None:
    """Roles from a file; None without one."""
    from gambol.roles import roles_from_json

    if file is None:
        return None
    try:
        if not file.is_file():
            raise GambolError("there is no such file", where=str(file), allowed="a .json of `gambol roles`")
        return roles_from_json(file.read_text(encoding="utf-8-sig"), str(file))
    except (OSError, ValueError) as error:
        if isinstance(error, GambolError):
            raise
        raise GambolError(f"it cannot be read: {error}", where=str(file)) from error


def unsure(roles: Roles) -> list[str]:
    """A line of how sure the mapping is, and lines for roles that are not."""
    least = min(roles.sure, key=lambda r: roles.sure[r])
    head = f"{len(roles.joints)} roles found; least sure of {least}: {roles.names[roles.joints[least]]!r}"
    weak = [r for r, s in roles.sure.items() if s < UNSURE]
    lines = [f"{head}, {100 * roles.sure[least]:.0f} %"]
    if weak:
        said = ", ".join(f"{r} = {roles.names[roles.joints[r]]!r}" for r in weak[:6])
        lines.append(f"check these: {said}{' ...' if len(weak) > 6 else ''} (gambol roles FILE -o roles.json)")
    return lines
