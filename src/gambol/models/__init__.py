"""Built-in models: ``model("dog")``; each a skeleton and, made by the program, a skinned surface."""

from __future__ import annotations

from collections.abc import Callable

from gambol.errors import GambolError
from gambol.model import Model
from gambol.models.animals import centipede, dog, spider
from gambol.models.build import Figure
from gambol.models.person import person
from gambol.models.plants import grass, lily, rose, tree, willow

__all__ = ["MODELS", "Figure", "figure", "model"]

FIGURES: dict[str, Callable[..., Figure]] = {
    "dog": dog, "spider": spider, "centipede": centipede, "rose": rose, "lily": lily, "willow": willow, "grass": grass,
    "tree": tree,
}
MODELS = ("person", *FIGURES)
NUMBERED = ("person", "willow", "grass", "tree")  # person:HEIGHT in m, plants:SEED


def model(name: str) -> Model:
    """A built-in model by its name, where it has one with its number: ``dog``, ``person:1.2`` (m), ``tree:7`` (seed).

    Raises:
        GambolError: for a name that is not known, or a number that is none.
    """
    plain, number = _read(name)
    return person(*number) if plain == "person" else FIGURES[plain](*number).model


def figure(name: str) -> Figure:
    """Model and skin; the skin of a person is the mannequin's, not this one's.

    Raises:
        GambolError: as :func:`model`, and for a person.
    """
    plain, number = _read(name)
    if plain not in FIGURES:
        raise GambolError(f"{plain} has no skin of its own", where="model", allowed=", ".join(FIGURES))
    return FIGURES[plain](*number)


def _read(name: str) -> tuple[str, tuple[float, ...]]:
    plain, colon, number = name.partition(":")
    if plain not in MODELS:
        raise GambolError(f"no model is called {name!r}", where="model", allowed=", ".join(MODELS))
    if not colon:
        return plain, ()
    try:
        value = float(number)
    except ValueError:
        value = float("nan")
    if plain not in NUMBERED or not (0 <= value < 2**32):
        what = f"{plain} with {number!r}"
        raise GambolError(what, where="model", allowed="a height in m or a seed: person:1.7, tree:7")
    return plain, (value,)
