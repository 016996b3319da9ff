"""Shared by the tests of measured walks: a synthetic prototype, and recorded clips where they are at hand."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gambol.generalise import Condition, Origin, Seq, Step, Subject, own

DATA = Path(os.environ.get("GAMBOL_DATA", Path(__file__).parents[2] / "shared" / "data"))


@cache
def synthetic() -> Step:
    """A made-up step with all the angles of a walk of 1.3 m/s."""
    s = Subject(0.43, 0.42, 0.085, 0.055, 0.13, 0.065)
    origin = Origin(
        s, 0.70, 0.68, 0.53, (0.2, 0.18), (0.33, 0.31), (-1.05, -1.0), (0.6, 0.55), (0.03, 0.04), (0.02, 0.02),
        (-0.01, -0.01), 0.22, 1.22, float(0.15 + 1.07 * np.linspace(0, 1, 25)[14]),
    )
    t, q = np.linspace(0, 1, 33), np.linspace(0, 1, 25)
    air = 0.22 + 0.78 * q
    late = 0.15 + 1.07 * q
    step = Step(
        Seq(t, -0.3 + 0.7 * t + 0.012 * np.sin(2 * np.pi * t)),
        Seq(t, 0.89 + 0.03 * np.sin(np.pi * t) ** 2 + 0.004 * np.sin(6 * np.pi * t)),
        Seq(0.15 * q, 0.33 * (1 - q) ** 1.5), Seq(late, -1.05 * q**3),
        Seq(air, -1.0 * (1 - q) ** 2 + 0.31 * q**2 + 0.2 * np.sin(2 * np.pi * q)),
        Seq(0.9 + 0.32 * q, 0.6 * q**2),
        Seq(air, -0.5 + 1.2 * (q * q * (3 - 2 * q))), Seq(air, 0.12 + 0.06 * np.sin(np.pi * q) ** 1.3),
        Condition(s, origin.step, origin.previous, origin.duration), origin,
    )
    return own(step)


def recorded(*parts: str) -> Path:
    """A file of the recorded data; the test is left out where it is absent."""
    path = DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path} is not here")
    return path
