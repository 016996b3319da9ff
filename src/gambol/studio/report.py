"""What a clip does, in plain words and curves; and what a song is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.body import G
from gambol.errors import GambolError
from gambol.gait import MAX_SPEED
from gambol.motion import Motion
from gambol.studio.make import Watch, make
from gambol.studio.project import Project
from gambol.studio.workshop import Workshop

__all__ = ["heard", "reported"]

Array = NDArray[np.float64]
JOINTS = ("hip", "knee", "ankle")
PEAKS = 1200  # columns of a waveform
CYCLE = 101


def reported(shop: Workshop, project: Project, watch: Watch | None = None) -> dict[str, Any]:
    """The contact record in words, whether the feet are good enough, joint angles and forces over the gait cycle."""
    motion = make(shop, project, watch=watch)
    ground = shop.ground(project.ground)
    from gambol.loop import unrolled
    from gambol.measure import measure

    whole = unrolled(motion)
    report = measure(whole, ground)
    return {
        "sentences": _sentences(motion, report), "passed": report.passed, "failures": list(report.failures),
        "angles": _angles(whole, report), "force": _forces(whole),
    }


def _sentences(motion: Motion, report: Any) -> list[str]:
    """For a person: how many steps, how well the feet stand, how fast it goes, what it weighs."""
    feet, walk, forces = report.feet, report.walk, report.forces
    out = [f"{motion.duration:.1f} seconds, {walk.steps} steps"]
    if feet.slide_mm is not None:
        worst = max(feet.sinking_mm, feet.swing_sinking_mm)
        out[0] += f", worst slide {feet.slide_mm:.1f} mm"
        out.append(f"Planted feet float at most {feet.floating_mm:.1f} mm and sink at most {worst:.1f} mm")
    if walk.speed_m_s is not None:
        rate = "" if walk.cadence_steps_min is None else f", {walk.cadence_steps_min:.0f} steps a minute"
        length = "" if walk.step_length_m is None else f", steps {walk.step_length_m:.2f} m long"
        out.append(f"{walk.speed_m_s:.2f} m/s over the steady strides{rate}{length}")
    if forces.mean_vertical_bw is not None:
        out.append(f"The feet carry {forces.mean_vertical_bw:.3f} of the weight on average")
    return [*out, *(n[:1].upper() + n[1:] for n in report.notes)]


def _angles(motion: Motion, report: Any) -> dict[str, Any]:
    """Joint -> left and right over the cycle, degrees, and the norm of walking at that speed (none of running)."""
    from gambol.measure import cycle_sides
    from gambol.prototypes import normal_angles

    try:
        sides = cycle_sides(motion, samples=CYCLE)
    except GambolError:  # no person's joints
        return {}
    norm: dict[str, Any] = {}
    speed, leg = report.walk.speed_m_s, _leg(motion)
    if speed is not None and leg > 0 and (v_hat := speed / float(np.sqrt(G * leg))) < MAX_SPEED:
        norm = dict(normal_angles(v_hat))
    return {
        joint: {
            **{s: _listed(sides.get(s, {}).get(joint)) for s in ("left", "right")},
            "mean": _resampled(norm[joint].mean) if joint in norm else None,
            "sd": _resampled(norm[joint].sd) if joint in norm else None,
        }
        for joint in JOINTS
    }


def _listed(strides: Array | None) -> list[float] | None:
    """The mean of strides."""
    return None if strides is None or not len(strides) else strides.mean(0).tolist()


def _leg(motion: Motion) -> float:
    """m from hip to ground of a person at rest, or 0."""
    names = ("left_upper_leg", "left_heel")
    if not all(n in motion.skeleton for n in names):
        return 0.0
    rest = motion.skeleton.rest_positions()[motion.skeleton.indices(names)]
    return float(rest[0, 1] - rest[1, 1])


def _forces(motion: Motion) -> dict[str, Any] | None:
    """Force on each foot over its cycle, as shares of the weight: mean over the steady strides."""
    from gambol.measure import force_sides

    strides = force_sides(motion, samples=CYCLE)
    if not strides:
        return None
    means = {s: strides[s].mean(0) if s in strides else None for s in ("left", "right")}

    def along(axis: int) -> dict[str, Any]:
        return {s: None if curve is None else curve[:, axis].tolist() for s, curve in means.items()}

    return {"unit": "body weight", **along(1), "mean": None, "sd": None, "forward": along(2), "side": along(0)}


def _resampled(curve: Any) -> list[float]:
    values = np.asarray(curve, float)
    return np.interp(np.linspace(0, 1, CYCLE), np.linspace(0, 1, len(values)), values).tolist()


def heard(file: Path, offset: float) -> dict[str, Any]:
    """Beats, bars and feeling of a song, and its waveform where it is sound."""
    from gambol.music import AUDIO, beats_of, shifted

    song = shifted(beats_of(file), offset) if offset else beats_of(file)
    peaks = _peaks(file) if file.suffix.lower() in AUDIO else []
    return {
        "times": song.times.tolist(), "bars": [int(b) for b in song.bars], "tempo": song.tempo, "mode": song.mode,
        "energy": song.energy.tolist(), "seconds": song.end, "peaks": peaks,
    }


def _peaks(file: Path) -> list[list[float]]:
    """Least and most of the sound in each of up to :data:`PEAKS` pieces."""
    import soundfile

    with soundfile.SoundFile(str(file)) as sound:
        count = max(len(sound) // PEAKS, 1)
        pieces = sound.blocks(count, always_2d=True, dtype="float32")
        rows = [(float(b.min()), float(b.max())) for b in pieces if len(b)]
    return [[round(low, 4), round(high, 4)] for low, high in rows[:PEAKS]]

