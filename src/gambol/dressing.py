"""Made motions on somebody's rig: the body for whom they are made, and the way from that body to the rig."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from gambol.body import Body
from gambol.character import Character
from gambol.loop import belted, unrolled
from gambol.model import Model, person_model
from gambol.motion import Motion
from gambol.retarget import Rigged, retarget, with_record
from gambol.rig_body import body_of
from gambol.roles import Roles, roles_of
from gambol.skeleton import Skeleton

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


def worn(motion: Motion, character: Character, terrain: Terrain | None = None, planted: bool = True) -> Motion:
    """A motion of the model of a rig (:func:`model_of`) on that rig; ``planted`` as for :func:`dressed`."""
    return motion if motion.skeleton == character.skeleton else dressed(motion, character, terrain, planted)


def dressed(
    motion: Motion, character: Character, terrain: Terrain | None = None, planted: bool = True
) -> Motion:
    """A motion made for the body of a rig (:func:`gambol.rig_body.body_of`), on that rig.

    Args:
        motion: of a person with the rig's proportions; a loop stays one.
        character: the rig.
        terrain: the ground that the motion was made for; level at 0 if None.
        planted: put the feet on the ground exactly; without, it is quick, for a motion that is being changed.

    Raises:
        GambolError: the rig is no human's.
    """
    roles, target = _roles(motion.skeleton), Rigged(character.skeleton, character.roles)
    facts = motion.info.get("loop")
    if not (motion.cyclic and facts):
        return with_record(retarget(motion, roles, target, terrain, planted), motion)
    n, on = len(motion), np.array(facts["travel_m"])
    walked = unrolled(motion, ROUNDS)
    whole = retarget(walked, roles, target, terrain, planted)
    middle = whole[n : 2 * n]
    back = on + np.array(facts["start_m"])
    info = {**motion.info, "loop": {**facts, "in_place": False}}
    once = replace(middle, root=middle.root - back, cyclic=True, info=info, name=motion.name)
    once = belted(once) if facts["in_place"] else once
    return with_record(once, motion)


@lru_cache(maxsize=16)
def _roles(skeleton: Skeleton) -> Roles:
    """Which joint of a made body is what."""
    return roles_of(skeleton)
