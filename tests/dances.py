"""Shared by the dancing tests: a small dance of a person, made by hand."""

from __future__ import annotations

import numpy as np

from gambol import quat
from gambol.keys import Key
from gambol.model import Model
from gambol.models import model
from gambol.motion import Pose


def person() -> Model:
    return model("person")


def posed(body: Model, place=(0.0, 0.0, 0.0), yaw: float = 0.0, **degrees) -> Pose:
    """The rest pose moved by ``place`` m, turned by ``yaw`` degrees, with joints turned by (x, y, z) degrees."""
    turns = np.zeros((len(body.skeleton), 3))
    for name, value in degrees.items():
        turns[body.skeleton.index(name)] = np.radians(value)
    rotations = quat.exp(turns)
    rotations[0] = quat.multiply(quat.exp(np.array([0.0, np.radians(yaw), 0.0])), rotations[0])
    return Pose(body.skeleton.offsets[0] + np.asarray(place), rotations)


def steps() -> tuple[Key, ...]:
    """Arms up, a step to the side with a turn, back, and a jump."""
    body = person()
    down = {"left_upper_arm": (0, 0, -70), "right_upper_arm": (0, 0, 70)}
    still = posed(body, **down)
    up = posed(body, (0.05, -0.1, 0.0), left_upper_arm=(0, -30, 60), right_upper_arm=(0, 20, 40), spine=(5, 10, -8))
    aside = posed(body, (0.5, 0.0, 0.1), 50, **down)
    return (
        Key(0.0, still), Key(0.5, up, hold=0.25), Key(1.25, aside), Key(1.9, still), Key(2.5, still, jump=True),
        Key(3.0, still), Key(3.5, up, hold=0.3),
    )
