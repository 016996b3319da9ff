"""What runners do at a speed: how they brake, come down, leave the ground, and hold trunk and arms."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gambol.body import G
from gambol.flight import Push, push_shape
from gambol.kernels import clamp
from gambol.roll import Roll
from gambol.run_figure import STYLE
from gambol.run_laws import CENTROID_GAIN, RunPace
from gambol.run_table import arms_at, lean_at, roll_at, yaw_at
from gambol.runner import RunScene

__all__ = [
    "brake_of", "flight_speed", "landing_fall", "landing_roll", "run_style", "shape_of", "stand_style", "staying_roll",
    "stopping_pace", "strike_of", "walking_pace",
]

Array = NDArray[np.float64]
SHAPE_P, SOFT = 1.7, 1.0  # how the heel leaves, and how the sole comes down
FLAT = (0.18, 0.28)  # share of contact after which the sole is flat: heel strike, toe strike
TOES_OFF = 0.78  # share of contact
KEEN = (0.5, 0.2, 3.0, 7.0)  # of the force shape, at and between two speeds
STOP = 0.62  # s, of the step that comes to rest, for a leg of 0.93 m
WALKS = 0.36  # s, of the step that goes over into a walk, likewise


def brake_of(pace: RunPace, scene: RunScene) -> float:
    """B: the foot brakes and pushes with this many weights (fit to force plates from 2.7 to 9.5 m/s)."""
    return float(0.13 * scene.relative(pace.speed) ** 0.85)


def flight_speed(pace: RunPace, scene: RunScene) -> float:
    """m/s of C in flight: the mean speed, and what the foot brakes and gives back."""
    return pace.speed + brake_of(pace, scene) * G * pace.contact**2 / (2 * np.pi * pace.step_time)


def landing_fall(pace: RunPace) -> float:
    """m/s, vertical velocity at landing in steady running."""
    return -G * pace.flight / 2 - G * pace.contact * CENTROID_GAIN


def shape_of(pace: RunPace, scene: RunScene) -> Push:
    """The force shape at a speed, with the impact of a heel that strikes."""
    keen = float(np.interp(scene.relative(pace.speed), KEEN[2:], KEEN[:2]))
    heel = max(strike_of(pace, scene), 0.0)
    return push_shape(round(keen, 6), round(scene.manner.impact * heel * pace.contact / pace.step_time, 6))


def strike_of(pace: RunPace, scene: RunScene) -> float:
    """-1 toe .. 1 heel: as usual at the speed, drawn to one or the other by the dial."""
    v = scene.relative(pace.speed)
    sole = roll_at(v)[0] * clamp((v - 1.0) / 1.2, 0.0, 1.0)  # whoever shuffles comes down flat
    usual = sole / np.radians(16) if sole >= 0 else sole / np.radians(10)
    dial = scene.manner.strike
    return float(usual + dial * (1 - usual if dial > 0 else 1 + usual))


def landing_roll(land: float, pace: RunPace, scene: RunScene) -> Roll:
    """How a foot comes down at ``land`` s and leaves again a contact later."""
    strike = strike_of(pace, scene)
    _, off, sole, toes = roll_at(scene.relative(pace.speed))
    tc = pace.contact
    return Roll(
        land=land,
        flat=land + FLAT[strike < 0] * tc,
        heel_off=land + max(off, FLAT[strike < 0]) * tc,
        toes_off=land + TOES_OFF * tc,
        lift=land + tc,
        strike=strike * np.radians(16 if strike > 0 else 10),
        soft=SOFT,
        push=-sole,
        b=0.0,
        p=SHAPE_P,
        e=0.0,
        toes=-toes,
    )


def staying_roll(land: float, pace: RunPace) -> Roll:
    """A foot that comes down flat and stays."""
    far = land + 1e3
    flat, strike = land + 0.2 * pace.step_time, float(np.radians(6.0))
    return Roll(land, flat, far, far + 1, far + 2, strike, SOFT, 0.0, 0.0, SHAPE_P, 0.0, 0.0)


def run_style(pace: RunPace, scene: RunScene, bank: float, lean: float) -> Array:
    """Trunk, head and arm row (run_figure.py) of a landing."""
    m, v = scene.manner, scene.relative(pace.speed)
    out = np.zeros(STYLE)
    forward = lean_at(v) + m.lean + lean
    arm = arms_at(v) * m.arm
    out[0], out[1] = m.list_, yaw_at(v) + m.rotation
    out[2], out[3], out[4], out[5] = 0.6 * forward, np.radians(2.0), forward, np.radians(2.0)
    out[6], out[7] = bank, m.chest
    out[8], out[9], out[10], out[11] = m.arm_mean, arm, m.elbow, np.radians(14.0)
    out[12], out[13], out[14] = m.arms_out, np.radians(22.0), m.nod
    return out


def stand_style(scene: RunScene) -> Array:
    """The row of a figure that stands."""
    out = np.zeros(STYLE)
    out[4], out[10], out[12] = 0.02, 0.25, np.radians(8.0)
    return out


def stopping_pace(scene: RunScene) -> RunPace:
    """The step in which a run comes to rest."""
    t = STOP * math.sqrt(scene.size)
    return RunPace(0.0, 0.0, t, 0.5 * t, 0.5 * t, 0.0)


def walking_pace(pace: RunPace, scene: RunScene) -> RunPace:
    """The step in which a run of a pace goes over into a walk."""
    t = WALKS * math.sqrt(scene.size)
    return pace._replace(step_time=t, flight=t - pace.contact)
