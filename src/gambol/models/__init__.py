"""Built-in models: ``model("dog")``; each a skeleton and, made by the program, a skinned surface."""

from __future__ import annotations

from collections.abc import Callable

from gambol.errors import GambolError
from gambol.model import Model
from gambol.models.person import person

__all__ = ["MODELS", "model"]

MODELS: dict[str, Callable[..., Model]] = {"person": person}


def model(name: str) -> Model:
    """A built-in model by its name, where it has one with its number: ``dog``, ``person:1.2``, ``tree:7``.

    Raises:
        GambolError: for a name that is not known, or a number that is none.
    """
    plain, colon, number = name.partition(":")
    if plain not in MODELS:
        raise GambolError(f"no model is called {name!r}", where="model", allowed=", ".join(MODELS))
    if not colon:
        return MODELS[plain]()
    try:
        value = float(number)
    except ValueError:
        raise GambolError(f"{number!r} is not a number", where=f"model {plain}", allowed=f"{plain}:NUMBER") from None
    return MODELS[plain](value)
