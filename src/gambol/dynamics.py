"""Mass in motion: centre of mass, momentum, and the ground reaction a posed figure asks for.

Everything follows from the rotations of a clip and the segment table of :mod:`gambol.body`: point masses that
turn with the joints. Derivatives are central differences; the first and the last frame have no neighbour on
one side and take the one-sided difference (first derivative) or their neighbour's value (second
derivative).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol import quat
from gambol.body import G, mass_model
from gambol.errors import GambolError
from gambol.motion import Motion
from gambol.skeleton import forward_kinematics

__all__ = ["angular_momentum", "centre_of_mass", "ground_reaction", "low_pass", "momentum", "point_masses"]

Array = NDArray[np.float64]
UP = np.array([0.0, 1.0, 0.0])
CUTOFF = 20.0  # Hz, usual for ground reactions of walking (Winter, Biomechanics of Human Movement, 2.2)
EDGE = 1.0  # s of point reflection before the first and behind the last frame while filtering


def point_masses(motion: Motion) -> tuple[Array, Array]:
    """Where the mass is.

    Returns:
        shares ``(N,)`` of the body mass, and places ``(F, N, 3)`` m in the world, of the N joints that
        carry mass.

    Raises:
        GambolError: where a joint that carries a segment is missing.
    """
    model = mass_model(motion.skeleton)
    heavy = np.flatnonzero(model.shares)
    positions, world = forward_kinematics(motion.skeleton, motion.root, motion.rotations)
    return model.shares[heavy], positions[:, heavy] + quat.rotate(world[:, heavy], model.centres[heavy])


def centre_of_mass(motion: Motion) -> Array:
    """``(F, 3)`` m, of the posed whole body.

    Raises:
        GambolError: where a joint that carries a segment is missing.
    """
    shares, places = point_masses(motion)
    return np.einsum("n,fnk->fk", shares, places)


def momentum(motion: Motion) -> Array:
    """``(F, 3)`` kg m/s of the whole body.

    Raises:
        GambolError: where the mass is not known, or a joint that carries a segment is missing.
    """
    return _mass(motion) * _velocity(centre_of_mass(motion), motion.fps)


def angular_momentum(motion: Motion) -> Array:
    """``(F, 3)`` kg m2/s about the centre of mass.

    Of the point masses alone: what a segment adds by spinning about its own mass centre is left out.

    Raises:
        GambolError: where the mass is not known, or a joint that carries a segment is missing.
    """
    shares, places = point_masses(motion)
    arms = places - np.einsum("n,fnk->fk", shares, places)[:, None]
    return _mass(motion) * np.einsum("n,fnk->fk", shares, np.cross(arms, _velocity(arms, motion.fps)))


def ground_reaction(motion: Motion, cutoff: float | None = CUTOFF) -> Array:
    """``(F, 3)`` N that the ground must give so that the posed centre of mass moves as it does: M (C'' + g).

    Args:
        motion: with a mass; fewer than three frames count as rest.
        cutoff: Hz of the low pass (:func:`low_pass`), or None for none.

    Raises:
        GambolError: where the mass is not known, or a joint that carries a segment is missing.
    """
    force = _mass(motion) * (_acceleration(centre_of_mass(motion), motion.fps) + G * UP)
    return force if cutoff is None else low_pass(force, motion.fps, cutoff)


def low_pass(values: ArrayLike, fps: float, cutoff: float = CUTOFF) -> Array:
    """A second-order Butterworth filter run forwards and backwards: no delay, half the power at ``cutoff``.

    Applied as its gain 1 / (1 + (f/f0)^4) on the spectrum. The ends are continued by point reflection about
    the first and last value for up to a second, so that a constant and a steady trend pass unchanged.

    Args:
        values: ``(F, ...)`` samples.
        fps: of the samples.
        cutoff: Hz, more than 0; at half of ``fps`` or more there is nothing to take away.

    Returns:
        ``(F, ...)`` filtered.

    Raises:
        GambolError: for a cutoff that is not positive.
    """
    x = np.array(values, float)
    if not cutoff > 0:
        raise GambolError(f"cutoff is {cutoff} Hz", where="low pass", allowed="more than 0")
    if len(x) < 2 or cutoff >= fps / 2:
        return x
    pad = min(len(x) - 1, int(np.ceil(EDGE * fps)))
    long = np.concatenate([2 * x[0] - x[pad:0:-1], x, 2 * x[-1] - x[-2 : -pad - 2 : -1]])
    # The spectrum takes its window as one period: without the trend both ends are zero and meet.
    ramp = np.arange(len(long)).reshape(-1, *[1] * (x.ndim - 1)) / (len(long) - 1)
    trend = long[0] + ramp * (long[-1] - long[0])
    # Two passes have half the power where one has the root of it: f0 lies above the cutoff.
    f0 = cutoff / (np.sqrt(2) - 1) ** 0.25
    gain = 1 / (1 + (np.fft.rfftfreq(len(long), 1 / fps) / f0) ** 4)
    spectrum = np.fft.rfft(long - trend, axis=0) * gain.reshape(-1, *[1] * (x.ndim - 1))
    return (np.fft.irfft(spectrum, len(long), axis=0) + trend)[pad : pad + len(x)]


def _mass(motion: Motion) -> float:
    if motion.mass is None:
        raise GambolError("the clip does not say how heavy the figure is", where="motion", do="set its mass")
    return motion.mass


def _velocity(x: Array, fps: float) -> Array:
    """First derivative along the first axis: central differences, one-sided at the ends."""
    return np.gradient(x, axis=0) * fps if len(x) > 1 else np.zeros_like(x)


def _acceleration(x: Array, fps: float) -> Array:
    """Second derivative along the first axis; the ends repeat their neighbours."""
    out = np.zeros_like(x)
    if len(x) > 2:
        out[1:-1] = (x[2:] - 2 * x[1:-1] + x[:-2]) * fps**2
        out[0], out[-1] = out[1], out[-2]
    return out
