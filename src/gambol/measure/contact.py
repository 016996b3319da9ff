"""The contact record, stance by stance: slide, sinking and floating; and the swing foot in the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.feet import (
    CONTACT_GAP,
    CONTACT_SPEED,
    Stance,
    contacts_from_motion,
    ground_heights,
    ground_normals,
    sole_columns,
    stances,
)
from gambol.measure.joints import leg_reach
from gambol.midway import halved
from gambol.motion import Motion
from gambol.skeleton import forward_kinematics

if TYPE_CHECKING:
    from gambol.terrain import Terrain

__all__ = ["Feet", "StanceRow", "measure_feet", "slides"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
UP = np.array([0.0, 1.0, 0.0])
STEEPEST = np.sqrt(0.5)  # upward part of the normal of ground at 45 degrees; nobody stands on steeper ground
SURE = 0.99  # of the thresholds of contact: rounding in a file is no dishonest record


@dataclass(frozen=True)
class StanceRow:
    """One unbroken contact of one sole point.

    Attributes:
        foot: left or right (or the sole itself, for other figures).
        sole: name of the joint.
        start_s: time of the first planted frame.
        end_s: time of the last one.
        slide_mm: largest distance along the ground from the place at the first planted frame.
        sinking_mm: deepest below the ground.
        floating_mm: highest above it.
        reach: longest distance from hip to ankle meanwhile over thigh + shank, or None.
    """

    foot: str
    sole: str
    start_s: float
    end_s: float
    slide_mm: float
    sinking_mm: float
    floating_mm: float
    reach: float | None


@dataclass(frozen=True)
class Feet:
    """What the feet do to the ground, at frames and half-way between, as a player shows it.

    None where unknown.

    Attributes:
        recorded: the clip brought its contacts; else they were found by rule (5 mm, 5 cm/s).
        stances: the record.
        slide_mm: the worst of them.
        slide_found_mm: the worst on contacts found by rule, whatever the record says.
        sinking_mm: the deepest planted point.
        floating_mm: the highest planted point.
        swing_sinking_mm: the deepest point of a sole that is not planted, in frames.
        no_contact_share: of the frames.
        unmarked: sole points in frames, still and on the ground by the rule, that the record leaves out.
    """

    recorded: bool
    stances: tuple[StanceRow, ...]
    slide_mm: float | None
    slide_found_mm: float | None
    sinking_mm: float | None
    floating_mm: float | None
    swing_sinking_mm: float | None
    no_contact_share: float | None
    unmarked: int | None


def measure_feet(motion: Motion, terrain: Terrain | None, found: Bools) -> Feet:
    """Measure the contacts of a clip.

    Args:
        motion: F frames, S soles.
        terrain: the ground; level at 0 if None.
        found: ``(F, S)`` contacts by rule.
    """
    recorded = motion.contacts is not None
    on = found if motion.contacts is None else motion.contacts
    if on.size == 0:
        return Feet(recorded, (), *[None] * 7)
    tracks = _shown(motion)
    heights = tracks[..., 1] - ground_heights(tracks, terrain)
    rows = _rows(motion, terrain, (tracks, heights), stances(on))
    held = stances(found)
    swing = np.where(on, 0.0, -heights[::2])
    return Feet(
        recorded, rows, _worst([r.slide_mm for r in rows]),
        _worst(1e3 * slides(tracks, held, terrain)), _worst([r.sinking_mm for r in rows]),
        _worst([r.floating_mm for r in rows]), 1e3 * _largest(swing), float((~on.any(1)).mean()),
        _unmarked(motion, terrain, on) if recorded else None,
    )


def slides(tracks: Array, found: Sequence[Stance], terrain: Terrain | None) -> Array:
    """m, for each stance: largest distance along the ground from the place at its first frame.

    Args:
        tracks: ``(2 F - 1, S, 3)`` m, sole points at frames and half-way between.
        found: K stances.
        terrain: gives the plane of the ground at that place.

    Returns:
        ``(K,)``.
    """
    starts = np.array([tracks[2 * s.first, s.sole] for s in found]).reshape(-1, 3)
    out = np.zeros(len(found))
    for k, (stance, normal) in enumerate(zip(found, ground_normals(starts, terrain))):
        moved = tracks[2 * stance.first : 2 * stance.end - 1, stance.sole] - starts[k]
        # At the edge of a tread the differences behind the normal span the riser: there the tread is level.
        n = normal if normal[1] >= STEEPEST else UP
        moved = moved - (moved @ n)[:, None] * n
        out[k] = np.sqrt((moved**2).sum(1).max())
    return out


def _rows(
    motion: Motion, terrain: Terrain | None, shown: tuple[Array, Array], found: Sequence[Stance]
) -> tuple[StanceRow, ...]:
    tracks, heights = shown
    names, fps = motion.skeleton.names, motion.fps
    foot_of = {c: foot for foot, columns in sole_columns(motion.skeleton).items() for c in columns}
    reach = leg_reach(motion)
    rows = []
    for stance, slide in zip(found, slides(tracks, found, terrain)):
        sole, first, end = stance
        height, foot = heights[2 * first : 2 * end - 1, sole], foot_of[sole]
        rows.append(StanceRow(
            foot, names[motion.skeleton.soles[sole]], first / fps, (end - 1) / fps, float(1e3 * slide),
            1e3 * _largest(-height), 1e3 * _largest(height),
            float(reach[foot][first:end].max()) if foot in reach else None,
        ))
    return tuple(sorted(rows, key=lambda r: r.start_s))


def _shown(motion: Motion) -> Array:
    """``(2 F - 1, S, 3)`` m, sole points as a player shows them: at frames and half-way between.

    Half-way the root is the mean of its neighbours and each rotation the middle of the shortest turn.
    """
    root, rotations = (halved(x) for x in (motion.root, motion.rotations))
    positions, _ = forward_kinematics(motion.skeleton, root, quat.normalize(rotations))
    return positions[:, list(motion.skeleton.soles)]


def _unmarked(motion: Motion, terrain: Terrain | None, on: Bools) -> int:
    """Sole points in frames, surely planted, not in the record; the ends, of half-known speed, left out."""
    sure = contacts_from_motion(motion, terrain, gap=SURE * CONTACT_GAP, speed=SURE * CONTACT_SPEED)
    return int((sure & ~on)[1:-1].sum())


def _largest(x: Array) -> float:
    """The largest value above 0; off the ground there is none (NaN)."""
    return float(np.fmax.reduce(x, axis=None, initial=0.0))


def _worst(values: Sequence[float] | Array) -> float | None:
    return float(max(values)) if len(values) else None
