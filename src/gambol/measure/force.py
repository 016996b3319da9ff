"""Forces of a clip: do they carry the weight, and are they the ones that move this very body?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gambol.body import G
from gambol.dynamics import CUTOFF, centre_of_mass, ground_reaction, low_pass
from gambol.errors import GambolError
from gambol.measure.strides import Stride
from gambol.motion import Motion

__all__ = ["Forces", "carrier", "measure_forces"]

Array = NDArray[np.float64]
SURROUNDINGS = 2.0 / CUTOFF  # s at both ends where filter and differences know only one side


@dataclass(frozen=True)
class Forces:
    """Forces of a clip, in body weights; None where the clip has no forces, no mass or no body.

    Attributes:
        mean_vertical_bw: over the steady strides.
        peak_vertical_bw: largest of one foot.
        consistency_rms_bw: size of M (C'' + g) of the posed body less the sum of the forces, both through the
            same 20 Hz low pass, the first and last 0.1 s left out: root of the mean square.
        consistency_max_bw: the largest.
        com_error_mm: largest distance of the posed body's centre of mass from the one the clip was planned
            with.
    """

    mean_vertical_bw: float | None = None
    peak_vertical_bw: float | None = None
    consistency_rms_bw: float | None = None
    consistency_max_bw: float | None = None
    com_error_mm: float | None = None


def carrier(motion: Motion) -> tuple[Array, bool]:
    """``(F, 3)`` m, the posed centre of mass, and True; for other figures ``com`` or the root, and False."""
    try:
        with np.errstate(invalid="ignore", divide="ignore"):  # a hand or head of no length has no direction
            posed = centre_of_mass(motion)
    except GambolError:
        return (motion.root if motion.com is None else motion.com), False
    if np.isfinite(posed).all():
        return posed, True
    return (motion.root if motion.com is None else motion.com), False


def measure_forces(motion: Motion, posed: Array | None, strides: Sequence[Stride]) -> Forces:
    """Measure the forces of a clip.

    Args:
        motion: F frames.
        posed: ``(F, 3)`` m, centre of mass of the posed body, or None.
        strides: the steady ones, which the mean is over.
    """
    error = None
    if posed is not None and motion.com is not None and len(motion):
        error = float(1e3 * np.linalg.norm(posed - motion.com, axis=-1).max())
    if motion.forces is None or not motion.mass or motion.forces.size == 0:
        return Forces(com_error_mm=error)
    weight = motion.mass * G
    vertical = motion.forces[..., 1].sum(1) / weight
    steps = [vertical[s.first : s.end] for s in strides]
    rms, largest = (None, None) if posed is None else _residual(motion)
    mean = float(np.concatenate(steps).mean()) if steps else None
    return Forces(mean, float(motion.forces[..., 1].max() / weight), rms, largest, error)


def _residual(motion: Motion) -> tuple[float | None, float | None]:
    assert motion.forces is not None and motion.mass
    asked = ground_reaction(motion)
    given = low_pass(motion.forces.sum(1), motion.fps)
    edge = int(np.ceil(SURROUNDINGS * motion.fps))
    off = np.linalg.norm(asked - given, axis=-1)[edge : len(motion) - edge] / (motion.mass * G)
    return (float(np.sqrt((off**2).mean())), float(off.max())) if len(off) else (None, None)
