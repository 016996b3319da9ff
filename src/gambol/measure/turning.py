"""How much a walking body turns about the vertical, and what its feet must give for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gambol.errors import GambolError
from gambol.measure.strides import Stride
from gambol.motion import Motion
from gambol.spin import figure_height, free_moment, vertical_momentum

__all__ = ["Turning", "measure_turning"]


@dataclass(frozen=True)
class Turning:
    """Angular momentum about the vertical through the mass centre; None where there is no steady stride.

    Ranges are means over the steady strides, over body mass, height and speed (Herr and Popovic 2008).

    Attributes:
        momentum_range: of the whole body, 1.
        legs_range: of the legs alone, which arms and trunk take.
        net_change: of the whole body from a strike to the same foot's next, mean, over the largest momentum.
        free_moment_n_m: largest moment about the vertical that the feet give beside their forces.
    """

    momentum_range: float | None = None
    legs_range: float | None = None
    net_change: float | None = None
    free_moment_n_m: float | None = None


def measure_turning(motion: Motion, strides: Sequence[Stride], speed: float | None) -> Turning:
    """Measure the turning of a clip.

    Args:
        motion: any clip.
        strides: its steady ones.
        speed: m/s, over them.
    """
    if not strides or not speed:
        return Turning()
    try:
        parts = vertical_momentum(motion)
        size = figure_height(motion) * speed
    except GambolError:
        return Turning()
    whole = np.sum(list(parts.values()), axis=0)
    if not np.isfinite(whole).all() or not size > 0:
        return Turning()

    def spread(h: np.ndarray) -> float:
        return float(np.mean([np.ptp(h[s.first : s.end]) for s in strides])) / size

    peak = max(float(np.abs(whole[s.first : s.end]).max()) for s in strides)
    last = len(motion) - 1
    net = abs(float(np.mean([whole[min(s.end, last)] - whole[s.first] for s in strides])))
    try:
        moment = free_moment(motion)
        given = max(float(np.abs(moment[s.first : s.end]).max()) for s in strides)
    except GambolError:
        given = None
    return Turning(spread(whole), spread(parts["legs"]), net / peak if peak > 0 else None, given)
