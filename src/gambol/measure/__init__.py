"""The judge: what a motion does to the ground, its joints and its weight.

It reads the finished clip, never the plan, and works the same on files from elsewhere: without a contact
record the contacts are found by rule, and what cannot be known is None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.feet import contacts_from_motion
from gambol.measure.contact import Feet, StanceRow, measure_feet
from gambol.measure.curves import (
    CYCLE,
    Fit,
    compare,
    cycle_means,
    cycle_sides,
    cycles,
    force_cycle,
    force_sides,
)
from gambol.measure.force import Forces, carrier, measure_forces
from gambol.measure.joints import LIMITS, JointRange, Joints, leg_reach, measure_joints, sagittal_angles
from gambol.measure.report import GAP_MM, SINK_MM, SLIDE_MM, Report
from gambol.measure.smooth import Halving, Smooth, halving, measure_smooth
from gambol.measure.strides import Stride, Walk, find_strides, measure_walk, steady
from gambol.measure.track import off_track, track_of
from gambol.measure.turning import Turning, measure_turning
from gambol.motion import Motion

if TYPE_CHECKING:
    from gambol.path import Path
    from gambol.terrain import Terrain

__all__ = [
    "CYCLE", "GAP_MM", "LIMITS", "SINK_MM", "SLIDE_MM", "Feet", "Fit", "Forces", "Halving", "JointRange",
    "Joints", "Report", "Smooth", "StanceRow", "Stride", "Turning", "Walk", "compare", "cycle_means", "cycle_sides",
    "cycles", "find_strides", "force_cycle", "force_sides", "halving", "leg_reach", "measure",
    "sagittal_angles", "steady",
]


COARSE = 50.0  # fps


def measure(motion: Motion, terrain: Terrain | None = None, path: Path | ArrayLike | None = None) -> Report:
    """Measure a clip.

    Args:
        motion: any clip, also of no frame, without contacts, forces or soles.
        terrain: the ground; level at height 0 if None.
        path: where the figure was to go, as a Path or points ``(N, 3)`` m; by default
            ``motion.info["path"]``.

    Returns:
        the report; ``passed`` and ``failures`` say whether the feet are good enough.

    Raises:
        GambolError: for a path of another shape.
    """
    found = contacts_from_motion(motion, terrain)
    contacts = found if motion.contacts is None else motion.contacts
    given = motion.info.get("path") if path is None else path
    track = None if given is None else track_of(given)
    com, posed = carrier(motion)
    walk = measure_walk(motion, contacts, com, track)
    strides = steady(find_strides(motion, contacts), motion)
    off = None
    if track is not None and len(motion):
        off = 1e3 * float(off_track(track, motion.root[:, [0, 2]]).max())
    return Report(
        motion.name, float(motion.fps), len(motion), float(motion.duration),
        measure_feet(motion, terrain, found), walk, measure_joints(motion),
        measure_smooth(motion, _borders(motion, walk)),
        measure_forces(motion, com if posed else None, strides), off, tuple(_notes(motion, posed)),
        measure_turning(motion, strides, walk.speed_m_s) if posed else Turning(),
    )


def _borders(motion: Motion, walk: Walk) -> NDArray[np.float64]:
    """s, strikes and offs: those seen, and those that travel with the clip."""
    seen = [t for times in (*walk.strikes_s.values(), *walk.offs_s.values()) for t in times]
    events = motion.info.get("events")
    told = [t for times in events.values() for t in times] if isinstance(events, dict) else []
    return np.array(seen + told, float)


def _notes(motion: Motion, posed: bool) -> list[str]:
    notes = []
    if not motion.skeleton.soles:
        notes.append("the skeleton has no soles: contacts, slide and steps cannot be measured")
    elif motion.contacts is None:
        notes.append("no contact record: within 5 mm of the ground and slower than 5 cm/s is a contact")
    if len(motion) < 3:
        notes.append(f"{len(motion)} frames: too few for speeds and forces")
    if not posed:
        notes.append("not a person's skeleton: the mass centre of the posed body is not known")
    elif motion.forces is None or not motion.mass:
        notes.append("no forces, or no mass: they cannot be measured")
    elif motion.fps < COARSE:
        notes.append(f"differences at {motion.fps:g} fps blur forces: compare them at {COARSE:g} fps or more")
    return notes
