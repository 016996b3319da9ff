"""Made motions on somebody's rig: the body for whom they are made, and the way from that body to the rig."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gambol.character import Character
from gambol.loop import belted, unrolled
from gambol.motion import Motion
from gambol.retarget import Rigged, retarget, with_record
from gambol.roles import roles_of

if TYPE_CHECKING:
    from gambol.terrain import Terrain

__all__ = ["dressed"]

ROUNDS = 3  # that a loop is played while its feet are planted; the middle one knows what comes before and after it


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
