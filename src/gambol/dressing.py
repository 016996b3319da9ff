"""Made motions on somebody's rig: the body for whom they are made, and the way from that body to the rig."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gambol.body import Body
from gambol.character import Character
from gambol.loop import belted, unrolled
from gambol.model import Model, person_model
from gambol.motion import Motion
from gambol.retarget import Rigged, retarget, with_record
from gambol.rig_body import body_of
from gambol.roles import roles_of

if TYPE_CHECKING:
    from gambol.terrain import Terrain

__all__ = ["dressed", "model_of", "worn"]

ROUNDS = 3  # that a loop is played while its feet are planted; the middle one knows what comes before and after it


def model_of(character: Character, mass: float | None = None) -> tuple[Model, Body | None]:
    """What of a rig is posed and dances: of a human a person with its proportions, else its own skeleton.

    Args:
        character: the rig.
        mass: kg, of a human; by default that of a person of the same build.

    Returns:
        The model, and the body where the rig is a human's.
    """
    if character.roles.kind != "human":
        return Model("", character.skeleton, "plant"), None
    body = body_of(character.skeleton, character.roles, mass, character.name)
    return person_model(body), body


def worn(motion: Motion, character: Character, terrain: Terrain | None = None) -> Motion:
    """A motion of the model of a rig (:func:`model_of`) on that rig."""
    return motion if motion.skeleton == character.skeleton else dressed(motion, character, terrain)


def dressed(motion: Motion, character: Character, terrain: Terrain | None = None) -> Motion:
    """A motion made for the body of a rig (:func:`gambol.rig_body.body_of`), on that rig.

    Args:
        motion: of a person with the rig's proportions; a loop stays one.
        character: the rig.
        terrain: the ground that the motion was made for; level at 0 if None.

    Raises:
        GambolError: the rig is no human's.
    """
    roles, target = roles_of(motion.skeleton), Rigged(character.skeleton, character.roles)
    facts = motion.info.get("loop")
    if not (motion.cyclic and facts):
        return with_record(retarget(motion, roles, target, terrain), motion)
    n, on = len(motion), np.array(facts["travel_m"])
    walked = unrolled(motion, ROUNDS)
    whole = retarget(walked, roles, target, terrain)
    middle = whole[n : 2 * n]
    back = on + np.array(facts["start_m"])
    info = {**motion.info, "loop": {**facts, "in_place": False}}
    once = replace(middle, root=middle.root - back, cyclic=True, info=info, name=motion.name)
    once = belted(once) if facts["in_place"] else once
    return with_record(once, motion)
