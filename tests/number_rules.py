"""How the numbers are taken from a finished clip, beyond what ``gambol.measure`` reports."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gambol import quat
from gambol.body import G
from gambol.dynamics import centre_of_mass
from gambol.feet import foot_contacts, sole_columns, strikes_and_offs
from gambol.measure import cycle_means, find_strides, force_cycle, steady
from gambol.measure.smooth import angular_velocities
from gambol.motion import Motion
from gambol.skeleton import forward_kinematics
from gambol.terrain import Terrain

Array = np.ndarray
CALM = 2.0  # s left out at both ends, where a walk starts and stops
SIDES = ("left", "right")
PAPER_PEAKS = (1.14, 0.78, 0.97)  # of equation 6b with the printed coefficients, level: peak, valley, peak
ANGLES = {"hip": (0.98, 3.5), "knee": (0.97, 4.5), "ankle": (0.87, 4.0)}  # least r, largest RMSE in degrees


def step_borders(motion: Motion) -> Array:
    """s, the planned heel strikes: where one step ends and the next begins."""
    events = motion.info["events"]
    return np.sort(np.concatenate([events[f"{s}_strike"] for s in SIDES]))


def border_ratios(motion: Motion, *, offs: bool = False) -> tuple[float, float]:
    """Change of velocity within a frame of a step border over the 99th percentile of the others: pelvis, joints.

    Between start and stop. ``offs`` also counts the moments a foot leaves the ground.
    """
    times = step_borders(motion)
    if offs:
        times = np.concatenate([times, *(motion.info["events"][f"{s}_off"] for s in SIDES)])
    frames = np.arange(1, len(motion) - 1)
    border = (np.abs(frames[:, None] - times * motion.fps) <= 1).any(1)
    calm = (frames > CALM * motion.fps) & (frames < len(motion) - CALM * motion.fps)
    out = []
    for changes in velocity_changes(motion):
        out.append(float(changes[border & calm].max() / np.percentile(changes[~border & calm], 99)))
    return out[0], out[1]


def velocity_changes(motion: Motion) -> tuple[Array, Array]:
    """(F - 2,) m/s of the pelvis and (F - 2,) rad/s, the largest of any joint, from frame to frame."""
    pelvis = np.linalg.norm(np.diff(motion.root, n=2, axis=0), axis=-1) * motion.fps
    joints = np.linalg.norm(np.diff(angular_velocities(motion), axis=0), axis=-1)
    return pelvis, joints.max(1)


def ground_speed(motion: Motion) -> float:
    """m/s, advance of the mass centre over whole strides along straight ground, level or not."""
    com = centre_of_mass(motion)
    strides = steady(find_strides(motion, motion.contacts), motion)
    advance = sum(float(np.linalg.norm(com[s.end] - com[s.first])) for s in strides)
    return advance * motion.fps / sum(s.end - s.first for s in strides)


def tread_cadence(motion: Motion) -> float:
    """Steps a minute between feet that land on a tread, seen in the contacts: first and last level left out."""
    soles = motion.positions()[:, list(motion.skeleton.soles)]
    columns = sole_columns(motion.skeleton)
    down = foot_contacts(motion.contacts, columns)
    events = strikes_and_offs(down, motion.fps, {name: [i] for i, name in enumerate(columns)})
    places = []
    for foot, (strikes, _offs) in zip(columns, events.values()):
        frames = np.round(np.asarray(strikes) * motion.fps).astype(int)
        places += [(f / motion.fps, soles[f, columns[foot][0], 1]) for f in frames]
    places.sort()
    steps = [b[0] - a[0] for a, b in pairwise(places) if abs(b[1] - a[1]) > 0.05]
    return 60.0 / float(np.mean(steps[1:-1] if len(steps) > 4 else steps))


def flat_foot_tilt(motion: Motion, terrain: Terrain) -> float:
    """Degrees, the largest angle between a sole and the ground while heel and toe are both planted."""
    positions, world = forward_kinematics(motion.skeleton, motion.root, motion.rotations)
    worst = 0.0
    for side, columns in sole_columns(motion.skeleton).items():
        flat = motion.contacts[:, columns].all(1)
        heel, foot = (motion.skeleton.index(f"{side}_{j}") for j in ("heel", "foot"))
        place = positions[flat, heel]
        up = quat.rotate(world[flat, foot], np.array([0.0, 1.0, 0.0]))
        normal = terrain.normal(place[:, [0, 2]], place[:, 1])
        worst = max(worst, float(np.degrees(np.arccos(np.clip((up * normal).sum(-1), -1, 1))).max()))
    return worst


def peaks(vertical: Array) -> tuple[float, float, float]:
    """First peak, valley, second peak of a vertical force curve (51,) from strike to strike."""
    first, second = int(np.argmax(vertical[:16])), 16 + int(np.argmax(vertical[16:34]))
    return float(vertical[first]), float(vertical[first : second + 1].min()), float(vertical[second])


def force_marks(motion: Motion) -> tuple[float, float, float]:
    """First peak, valley, second peak of the mean vertical force on a foot, in body weights."""
    return peaks(force_cycle(motion)[:, 1])


def integrated_rise(vertical: Array, stride: float) -> float:
    """mm, rise of the mass centre that a measured vertical force (51,) of each foot drives in a ``stride`` (s).

    Both feet push the same curve half a cycle apart; what is not the weight's share is taken off, so that the body
    comes back to its height.
    """
    phase = np.linspace(0.0, 1.0, 2001)[:-1]
    one = np.interp(phase, np.linspace(0.0, 1.0, len(vertical)), vertical)
    both = one + np.roll(one, len(one) // 2)
    velocity = np.cumsum(both / both.mean() - 1) * G * stride / len(phase)
    height = np.cumsum(velocity - velocity.mean()) * stride / len(phase)
    return float(1e3 * np.ptp(height))


def angle_curves(motion: Motion) -> dict[str, Array]:
    """hip, knee, ankle -> (51,) degrees, left and right averaged."""
    return cycle_means(motion)
