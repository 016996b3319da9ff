"""Reads the gait measured by Schwartz, Rozumalski and Trost (2008), outside the package for its licence."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

# Speed class -> v / sqrt(g leg) it was measured at.
CLASSES = {"very_slow": 0.166, "slow": 0.282, "free": 0.398, "fast": 0.513, "very_fast": 0.696}
ANGLES = {"hip": "Hip Flex", "knee": "Knee Flex", "ankle": "Ankle Dorsi"}


def table(file: Path, row: str, speed: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation, 0 to 100 % of the cycle by 2 %, of the rows that begin with ``row``."""
    with file.open(encoding="utf-8") as lines:
        found = [r for r in csv.DictReader(lines) if next(iter(r.values())).startswith(row)]
    return tuple(np.array([float(r[f"{speed}_{k}"]) for r in found]) for k in ("mean", "sd"))


def angles(data: Path, speed: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """hip, knee, ankle -> mean and standard deviation ``(51,)`` degrees of a speed class."""
    file = data / "gait" / "schwartz2008" / "joint_angles.csv"
    return {joint: table(file, row, speed) for joint, row in ANGLES.items()}


def vertical_force(data: Path, speed: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation ``(51,)`` body weights of a speed class."""
    return table(data / "gait" / "schwartz2008" / "ground_reaction_forces.csv", "Vertical", speed)
