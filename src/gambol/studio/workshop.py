"""What requests share: the folder, grounds and figures read from it (a few, kept), and the engine at work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from gambol.body import Body
from gambol.errors import GambolError
from gambol.forms import read_ground
from gambol.model import Model, person_model
from gambol.models import model
from gambol.motion import Motion
from gambol.skeleton import Skeleton
from gambol.studio.folder import Folder
from gambol.studio.project import Figure, Ground, View
from gambol.terrain import Terrain, load_terrain

if TYPE_CHECKING:
    from gambol.character import Character
    from gambol.io.gltf_local import Locals

__all__ = ["Kept", "Wearer", "Workshop"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
FEW = 6  # grounds, figures and clips that are kept


class Wearer(NamedTuple):
    """Who moves.

    Attributes:
        skeleton: of what is shown and exported.
        body: of a person or of a character's proportions, for ways of walking; None: it does not walk.
        model: what is posed and dances; None: it cannot.
        character: the user's own rig.
        nodes: from the motion of the character's skeleton to its file's own nodes.
    """

    skeleton: Skeleton
    body: Body | None = None
    model: Model | None = None
    character: Character | None = None
    nodes: Locals | None = None


class Kept(Generic[K, V]):
    """The last few results of a function of one value; safe for several threads."""

    def __init__(self, made: Callable[[K], V], most: int = FEW) -> None:
        self._made, self._most = made, most
        self._rows: dict[K, V] = {}
        self._lock = threading.Lock()

    def __call__(self, key: K) -> V:
        """The result, made now or kept from before."""
        if (value := self.known(key)) is None:
            value = self._made(key)
            self.keep(key, value)
        return value

    def known(self, key: K) -> V | None:
        """The result if it is kept."""
        with self._lock:
            if key not in self._rows:
                return None
            self._rows[key] = value = self._rows.pop(key)  # the newest comes last
            return value

    def keep(self, key: K, value: V) -> None:
        """Keep a result, and let the oldest go."""
        with self._lock:
            self._rows[key] = value
            while len(self._rows) > self._most:
                del self._rows[next(iter(self._rows))]

    def __len__(self) -> int:
        return len(self._rows)


class Workshop:
    """What all tabs share.

    Attributes:
        folder: of projects and files.
        warm: ways of moving (and posing) whose compiled engine is ready.
    """

    def __init__(self, folder: Folder) -> None:
        self.folder, self.warm = folder, set[str]()
        self.ground = Kept(self._ground)
        self.figure = Kept(self._figure)
        self.clip = Kept(self._clip)
        self.motions: Kept[str, Motion] = Kept(_unknown, 2)  # what was made last, for its report and its files

    def engine(self, what: str) -> str:
        """The engine that answers at once."""
        return "compiled" if what in self.warm else "numpy"

    def _ground(self, ground: Ground) -> Terrain:
        if not ground.file:
            return read_ground(ground.text)
        return load_terrain(self.folder.file(ground.file), ground.up, ground.scale)

    def _figure(self, figure: Figure) -> Wearer:
        if figure.kind == "person":
            body = Body(figure.height, figure.mass)
            return Wearer(body.skeleton, body, person_model(body))
        if figure.kind == "model":
            made = model(figure.model)
            body_ = Body(_height(figure.model), figure.mass) if made.kind == "person" else None
            return Wearer(made.skeleton, body_, made)
        if figure.kind == "clip":
            return Wearer(self.clip(View(figure.file, figure.clip)).skeleton)
        return self._character(self.folder.file(figure.file), figure.mass)

    def _character(self, file: Path, mass: float | None) -> Wearer:
        from gambol.dressing import model_of
        from gambol.io import load_character
        from gambol.io.gltf_local import locals_of

        character = load_character(file)
        made, body = model_of(character, mass)
        return Wearer(character.skeleton, body, made, character, locals_of(character))

    def _clip(self, view: View) -> Motion:
        from gambol.io import load_motion

        if not view.file:
            raise GambolError("there is no clip yet", where="view", do="drop a .bvh, .glb, .npz ... onto the page")
        file = self.folder.file(view.file)
        title = file.stem.partition("-")[2]  # what a format of one clip calls it
        motion = load_motion(file, None if view.clip == title else view.clip)
        return replace(motion, name=title if motion.name == file.stem else motion.name)


def _unknown(key: str) -> Motion:
    raise KeyError(key)


def _height(name: str) -> float:
    """m of a person by its name, person:1.2."""
    _, colon, number = name.partition(":")
    return float(number) if colon else Body.height
