"""Measured runners, and how the numbers of a run are taken from a finished clip."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path as FilePath

import numpy as np

from gambol import quat
from gambol.body import Body, G
from gambol.dynamics import centre_of_mass
from gambol.gait import Gait
from gambol.methods.running import Running
from gambol.motion import Motion
from gambol.path import Path, walkable
from gambol.run_laws import Asked, couple
from gambol.skeleton import forward_kinematics
from gambol.synthesis import Task, generate

# speed m/s, step length m, contact s, flight s; None where unknown or not from force plates (docs/running.md: sources)
RUNNERS = {
    "young runners, treadmill": (2.65, 0.995, 0.271, 0.112),
    "young non-runners": (2.65, 1.036, 0.282, 0.104),
    "older runners": (2.65, 0.939, 0.276, 0.080),
    "older non-runners": (2.73, 0.991, 0.284, 0.083),
    "BMC run, 71 kg": (2.73, 0.945, 0.253, 0.093),
    "Vitale 3.0": (3.0, 1.13, 0.280, 0.098),
    "Vitale 4.5": (4.5, 1.58, 0.209, 0.143),
    "Vitale 6.0": (6.0, 1.84, 0.168, 0.139),
    "CMU 02_03": (2.56, 1.01, None, None),
    "CMU 16_36": (2.69, 1.06, None, None),
    "CMU 16_45": (4.02, 1.41, None, None),
    "full sprint, 71 kg": (6.69, 1.78, 0.155, 0.111),
}
POOLED = {2.65: 1.000, 3.0: 1.13, 4.0: 1.41, 4.5: 1.58, 6.0: 1.84, 6.69: 1.78}  # m, means of the rows above
# degrees at 0, 10 ... 90 % of the stride from landing: thigh from the vertical, knee, ankle
ANGLES = {
    "BMC run": (2.73, {
        "thigh": [20, 17, 4, -12, -23, -21, -5, 22, 32, 23], "knee": [22, 40, 38, 22, 18, 42, 77, 93, 65, 16],
        "ankle": [1, 16, 16, -13, -31, -25, -12, 0, 7, 0],
    }),
    "CMU 02_03": (2.56, {
        "thigh": [26, 21, 7, -11, -16, -4, 22, 41, 39, 30], "knee": [39, 49, 43, 29, 35, 67, 105, 102, 66, 34],
    }),
    "CMU 16_36": (2.69, {
        "thigh": [27, 23, 6, -11, -19, -9, 12, 32, 35, 27], "knee": [25, 45, 40, 28, 27, 55, 84, 89, 59, 23],
    }),
    "CMU 16_45": (4.02, {
        "thigh": [32, 27, 3, -24, -35, -20, 4, 30, 39, 33], "knee": [27, 52, 43, 19, 20, 62, 100, 102, 72, 27],
    }),
    "full sprint": (6.69, {
        "thigh": [29, 17, -10, -35, -32, -22, 5, 39, 55, 45], "knee": [31, 50, 37, 21, 62, 109, 142, 138, 100, 48],
    }),
}


@cache
def run(
    speed: float, height: float = 1.75, fps: float = 240.0, seconds: float = 3.0, laws: str = "runners"
) -> Motion:
    """A level run with ``seconds`` at full speed, cut before it stops."""
    length = speed * (seconds + 1.5) + speed**2 / 5.2 + speed**2 / 3.6
    path = Path(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, length]]))
    return generate(Running(laws=laws), Task(body=Body(height), path=path, gait=Gait(speed=speed), fps=fps))


def steady_times(motion: Motion, speed: float) -> list[tuple[float, float, float]]:
    """(landing, toe-off, next landing of the other foot) s of every step at full speed, by the events."""
    events = motion.info["events"]
    strikes = sorted((t, side) for side in ("left", "right") for t in events[f"{side}_strike"])
    start, end = 1.2 + speed / 2.2, motion.duration - 1.2 - speed / 1.4
    out = []
    for (t, side), (after, _) in pairwise(strikes):
        off = [x for x in events[f"{side}_off"] if x > t]
        if start < t and after < end and off:
            out.append((t, off[0], after))
    return out


def speed_of(motion: Motion, speed: float) -> float:
    """m/s of the mass centre over whole steps at full speed."""
    steps = steady_times(motion, speed)
    a, b = steps[0][0], steps[-1 - (len(steps) + 1) % 2][2]
    z = np.interp([a, b], motion.times, centre_of_mass(motion)[:, 2])
    return float((z[1] - z[0]) / (b - a))


def stride_speeds(motion: Motion, rows: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """(m/s, asked m/s) of the mass centre over every stride, in the order of their beginnings."""
    events, out = motion.info["events"], []
    times, speeds = np.array(rows).T
    for side in ("left", "right"):
        for a, b in pairwise(sorted(events[f"{side}_strike"])):
            places = np.array([np.interp([a, b], motion.times, motion.com[:, k]) for k in (0, 2)])
            asked = float(np.interp(np.linspace(a, b, 200), times, speeds).mean())
            out.append((a, float(np.linalg.norm(places[:, 1] - places[:, 0])) / (b - a), asked))
    return [(v, asked) for _, v, asked in sorted(out)]


def parabola_error(motion: Motion, speed: float) -> float:
    """m, farthest that the posed mass centre is from a parabola with g in flight."""
    com, worst = centre_of_mass(motion), 0.0
    for _, off, land in steady_times(motion, speed):
        t = motion.times
        on = (t >= off) & (t <= land)
        if on.sum() < 4:
            continue
        s = t[on] - t[on][0]
        y = com[on, 1] + G * s**2 / 2
        for values in (y, com[on, 2], com[on, 0]):
            line = np.polyval(np.polyfit(s, values, 1), s)
            worst = max(worst, float(np.abs(values - line).max()))
    return worst


def stride_angles(motion: Motion, speed: float) -> dict[str, np.ndarray]:
    """(10,) degrees at 0 ... 90 % of the stride: thigh from the vertical, knee, ankle; left leg, at full speed."""
    _, q = forward_kinematics(motion.skeleton, motion.root, motion.rotations)

    def pitch(name: str, axis: list[float]) -> np.ndarray:
        x, y, z = quat.rotate(q[:, motion.skeleton.index(name)], np.array(axis)).T
        return np.degrees(np.arctan2(z, -y)) if axis[1] else np.degrees(np.arctan2(y, z))

    thigh, shank = pitch("left_upper_leg", [0, -1.0, 0]), pitch("left_lower_leg", [0, -1.0, 0])
    foot = np.degrees(np.unwrap(np.radians(pitch("left_foot", [0, 0, 1.0]))))
    curves = {"thigh": thigh, "knee": thigh - shank, "ankle": foot - shank}
    strikes = [t for t, _, _ in steady_times(motion, speed) if t in motion.info["events"]["left_strike"]]
    phases = np.arange(10) / 10
    out = {}
    for name, values in curves.items():
        rows = [np.interp(a + phases * (b - a), motion.times, values) for a, b in pairwise(strikes)]
        out[name] = np.mean(rows, 0)
    return out


def fit(curve: np.ndarray, measured: list[float]) -> tuple[float, float]:
    """r, and RMSE in degrees without the constant offset."""
    d = curve - np.array(measured)
    return float(np.corrcoef(curve, measured)[0, 1]), float(np.sqrt(np.mean((d - d.mean()) ** 2)))


def measured_run(data: FilePath) -> dict[str, np.ndarray]:
    """Joint angles of the BMC running trial (OpenSim ``.mot``), as columns."""
    lines = (data / "gait" / "opensim_run" / "ik_output_run.mot").read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("time"))
    rows = np.array([[float(v) for v in line.split()] for line in lines[head + 1 :] if line.strip()])
    return dict(zip(lines[head].split(), rows.T))


def off_the_papers_spline(motion: Motion, speed: float) -> float:
    """m, farthest in height that C is in support from the paper's cubics through landing, mid-support and toe-off.

    Section 3.4: cubics between the keyframes, with the velocities of flight at both ends and the lowest point between.
    """
    y, t, worst = motion.com[:, 1], motion.times, 0.0
    for land, off, _ in steady_times(motion, speed):
        on = (t >= land) & (t <= off)
        low = float(t[on][np.argmin(y[on])])
        keys = np.interp([land, low, off], t, y)
        rates = np.interp([land, off], t, np.gradient(y, t))
        for (a, b), (p, q), (u, v) in (
            ((land, low), keys[:2], (rates[0], 0.0)), ((low, off), keys[1:], (0.0, rates[1])),
        ):  # fmt: skip
            part = (t >= a) & (t <= b)
            s = (t[part] - a) / (b - a)
            h00, h10 = 2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s
            cubic = h00 * p + h10 * (b - a) * u + (1 - h00) * q + (s**3 - s**2) * (b - a) * v
            worst = max(worst, float(np.abs(y[part] - cubic).max()))
    return worst


def ring(radius: float, chords: int) -> Path:
    """A closed path round a circle, drawn with so many chords."""
    angle = np.linspace(0.0, 2 * np.pi, chords + 1)
    return walkable(np.stack([radius * np.sin(angle), 0 * angle, radius - radius * np.cos(angle)], -1), True)


@cache
def run_as(name: str) -> Motion:
    """A level run at a runner's own speed, step length and, where it was measured, flight."""
    speed = ANGLES[name][0]
    _, length, _, flight = next(row for key, row in RUNNERS.items() if key.startswith(name))
    usual = couple(Asked(speed=speed, step_length=length), Body()).flight
    far = speed * 4.5 + speed**2 / 5.2 + speed**2 / 3.6
    task = Task(path=Path(np.array([[0.0, 0, 0], [0, 0, far]])), gait=Gait(speed=speed, step_length=length), fps=240)
    return generate(Running(flight=1.0 if flight is None else flight / usual), task)
