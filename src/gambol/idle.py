"""A living stand: breath, weight that shifts from leg to leg, a look around; both feet planted.

Every signal is a sum of pairs sin k x - k/(k+1) sin (k+1) x of the cycle's phase x, which begin and end at zero with
velocity and acceleration zero: cycles of different seeds join without a seam, one cycle alone is a loop, and both
begin and end in the pose of the still stand, so that a walk can start from them. The mass centre C is a closed form
of time; the pelvis is moved until the mass centre of the posed body is C, and the force is M (C'' + g).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.body import G
from gambol.dynamics import centre_of_mass
from gambol.errors import GambolError
from gambol.motion import Motion
from gambol.skeleton import Skeleton, forward_kinematics

__all__ = ["CYCLE", "USUAL", "Manner", "living_stand"]

Array = NDArray[np.float64]
CYCLE = 12.0  # s: one shift to either leg, and whole breaths
LONGEST = 7 * 86400.0  # s
SMALL = 1e-3  # s, of second differences of closed forms
PASSES, RELAX = 9, 1.12  # of the fixed point of the pelvis (figure.py)
BENT = np.cos(np.radians(3.0) / 2)  # of the straight leg that is used at most
# for a body of 1.75 m: m, rad
SHIFT, DIP = 0.026, 0.009  # C to the side over the loaded leg, and down
SWAY = ((2, 0.0035), (5, 0.0012))  # (harmonic, m) C forward and back: quiet stance sways by some 4 mm
LIST, TWIST, LOOK, NOD = 0.050, 0.030, 0.130, 0.030
CHEST, SHOULDERS, LIFT = 0.022, 0.030, 0.0012  # of a breath: chest back, shoulders up (rad), C up (m)
INHALE = 0.35  # how much quicker in than out
LEGS = tuple(tuple(f"{side}_{part}" for part in ("upper_leg", "lower_leg", "foot")) for side in ("left", "right"))


@dataclass(frozen=True)
class Manner:
    """How one stands: times the usual breath, shift of weight and look around; breaths a minute."""

    breath: float = 1.0
    shift: float = 1.0
    look: float = 1.0
    rate: float = 15.0


USUAL = Manner()


def living_stand(still: Motion, seconds: float | None = None, manner: Manner = USUAL, seed: int = 0) -> Motion:
    """A stand that lives, from one still frame.

    Args:
        still: a figure with both soles on the ground and a mass; its first frame is taken.
        seconds: how long; None for one cycle, a loop of :data:`CYCLE` s.
        manner: how.
        seed: of what differs from cycle to cycle.

    Raises:
        GambolError: where mass or leg joints are not known, or the time cannot be.
    """
    if still.mass is None or not len(still) or any(n not in still.skeleton for leg in LEGS for n in leg):
        raise GambolError("it is no figure that stands on two legs, with a mass", where="living stand")
    if seconds is not None and not 0 <= seconds <= LONGEST:
        raise GambolError(f"{seconds} s", where="living stand", allowed=f"0 to {LONGEST:g} s")
    fps = still.fps
    frames = max(round(CYCLE * fps), 1) if seconds is None else int(np.floor(seconds * fps + 1e-9)) + 1
    # one cycle of a whole number of frames, also where the rate is odd
    time = CYCLE if seconds is not None else frames / fps
    course = _Course(still, manner, seed, time)
    t = np.arange(frames) / fps
    centre = course.centre(t)
    push = (course.centre(t + SMALL) - 2 * centre + course.centre(t - SMALL)) / SMALL**2 + [0.0, G, 0.0]
    root, rotations = _posed(still, centre, course.turns(t))
    forces, pressure = _shared(still, centre, push)
    facts = {"method": "stand", "seed": seed, "speed_m_s": 0.0, "events": {}}
    if seconds is None:
        none = [0.0, 0.0, 0.0]
        facts["loop"] = {
            "period_s": time, "travel_m": none, "velocity_m_s": none, "in_place": False, "start_m": none,
        }
    return Motion(
        still.skeleton, root, rotations, fps, contacts=np.ones((frames, len(still.skeleton.soles)), bool),
        forces=forces, pressure=pressure, com=centre, mass=still.mass, cyclic=seconds is None, name="idle", info=facts,
    )


def _pair(k: int, x: Array) -> Array:
    """sin k x - k/(k+1) sin (k+1) x, of largest value about 1.3: value, rate and acceleration 0 at x = 0."""
    out: Array = np.sin(k * x) - k / (k + 1) * np.sin((k + 1) * x)
    return out


class _Course:
    """Where C goes and how the joints turn, as closed forms of time."""

    def __init__(self, still: Motion, manner: Manner, seed: int, cycle: float) -> None:
        self.manner, self.seed, self.cycle = manner, seed, cycle
        self.origin = centre_of_mass(still[:1])[0]
        skeleton, place = still.skeleton, still.positions()[0]
        feet = place[skeleton.indices(["left_foot", "right_foot"])]
        self.left = (feet[0] - feet[1]) * [1.0, 0.0, 1.0]
        self.half = float(np.linalg.norm(self.left)) / 2
        self.left = self.left / max(2 * self.half, 1e-9)
        self.forward = np.array([-self.left[2], 0.0, self.left[0]])
        self.size = float(self.origin[1] - feet[:, 1].mean()) / 0.93
        self.breaths = max(round(manner.rate * cycle / 60), 1)

    def _phase(self, t: Array) -> tuple[Array, Array]:
        """Phase 0..2 pi in its cycle, and the numbers (F, 8) in -1..1 drawn for the cycle."""
        whole = np.floor(t / self.cycle + 1e-9).astype(int)
        drawn = {n: np.random.default_rng([self.seed, max(n, 0)]).uniform(-1, 1, 8) for n in np.unique(whole).tolist()}
        return 2 * np.pi * (t / self.cycle - whole), np.array([drawn[n] for n in whole.tolist()])

    def _weight(self, x: Array, drawn: Array) -> Array:
        """-1 on the right leg .. 1 on the left leg."""
        sign = np.where(drawn[:, 0] < 0, -1.0, 1.0)
        return sign * (1 + 0.15 * drawn[:, 1]) * (_pair(1, x) / 1.3 + 0.10 * drawn[:, 2] * _pair(3, x))

    def _breath(self, x: Array) -> Array:
        """0 out .. 1 in."""
        b = self.breaths * x
        out: Array = (1 - np.cos(b + INHALE * (1 - np.cos(b)))) / 2
        return out

    def centre(self, t: Array) -> Array:
        """(F, 3) m."""
        x, drawn = self._phase(t)
        w, m = self._weight(x, drawn), self.manner
        aside = min(SHIFT * self.size, 0.6 * self.half) * m.shift * w
        sway = np.sum([size * _pair(k, x) for k, size in SWAY], axis=0)
        ahead = self.size * (1 + 0.4 * drawn[:, 3]) * sway
        up = self.size * (LIFT * m.breath * self._breath(x) - DIP * min(m.shift, 2.0) * w * w)
        out: Array = self.origin + aside[:, None] * self.left + ahead[:, None] * self.forward
        out[:, 1] += up
        return out

    def turns(self, t: Array) -> dict[str, Array]:
        """Joint -> (F, 3) rad: pitch about left, yaw about up, list about forward, of the figure's own heading."""
        x, drawn = self._phase(t)
        m, b = self.manner, self.manner.breath * self._breath(x)
        w = m.shift * self._weight(x, drawn)
        late = _pair(1, x) / 1.3 + 0.4 * drawn[:, 4] * _pair(2, x)
        look = m.look * (LOOK * np.where(drawn[:, 5] < 0, -1, 1) * late)
        nod = m.look * NOD * drawn[:, 6] * _pair(2, x) - 0.3 * CHEST * b
        tip, twist, zero = LIST * w, TWIST * w, 0.0 * x

        def turn(pitch: Array, yaw: Array, roll: Array) -> Array:
            return np.stack([pitch, yaw, roll], -1)

        arm = 0.018 * m.shift * _pair(3, x) + 0.010 * b
        out = {
            "hips": turn(zero, twist, tip),
            "spine": turn(-0.2 * CHEST * b, -0.5 * twist, -0.8 * tip),
            "chest": turn(-0.3 * CHEST * b, -0.4 * twist, -0.4 * tip),
            "upper_chest": turn(-0.5 * CHEST * b, -0.3 * twist, -0.1 * tip),
            "neck": turn(0.5 * CHEST * b + 0.5 * nod, 0.45 * look, 0.15 * tip),
            "head": turn(0.5 * CHEST * b + 0.5 * nod, 0.55 * look, 0.15 * tip + 0.15 * look * w),
        }
        for name, sign in (("left", 1.0), ("right", -1.0)):
            out[f"{name}_shoulder"] = turn(zero, zero, sign * SHOULDERS * b)
            out[f"{name}_upper_arm"] = turn(-arm - 0.012 * sign * w, zero, -sign * 0.8 * SHOULDERS * b + 0.1 * tip)
            out[f"{name}_lower_arm"] = turn(-0.4 * arm, zero, zero)
        return out


def _posed(still: Motion, centre: Array, turns: dict[str, Array]) -> tuple[Array, Array]:
    """Root (F, 3) and rotations (F, J, 4): the still pose turned, both feet kept, the mass centre at ``centre``."""
    skeleton, n = still.skeleton, len(centre)
    places, world = forward_kinematics(skeleton, still.root[0], still.rotations[0])
    heading = _heading(skeleton, places)
    rotations = np.repeat(still.rotations[:1], n, axis=0)
    for name, r in turns.items():
        if name in skeleton:
            j = skeleton.index(name)
            p = skeleton.parents[j]
            # from the figure's heading into the frame of the parent joint
            frame = heading if p < 0 else quat.multiply(quat.conjugate(world[p]), heading)
            rotations[:, j] = quat.multiply(quat.exp(quat.rotate(frame, r)), rotations[:, j])
    root = still.root[0] + centre - centre_of_mass(still[:1])[0]
    for _ in range(PASSES):
        legs = _legs(skeleton, root, rotations, (places, world))
        off = centre_of_mass(replace(still, root=root, rotations=legs, contacts=None, forces=None,
                                     pressure=None, com=None)) - centre
        root = root - RELAX * off
    return root, _legs(skeleton, root, rotations, (places, world))


def _heading(skeleton: Skeleton, places: Array) -> Array:
    """(4,) the turn about up from facing +z."""
    left = places[skeleton.index("left_upper_leg")] - places[skeleton.index("right_upper_leg")]
    yaw = float(np.arctan2(-left[2], left[0]))
    return quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), yaw)


def _legs(skeleton: Skeleton, root: Array, rotations: Array, still: tuple[Array, Array]) -> Array:
    """``rotations`` with both legs bent so that the feet stay as they are in the still pose."""
    kept, kept_world = still
    places, world = forward_kinematics(skeleton, root, rotations)
    out = rotations.copy()
    for leg in LEGS:
        hip, knee, ankle = skeleton.indices(leg)
        thigh, shank = kept[knee] - kept[hip], kept[ankle] - kept[knee]
        a, b = float(np.linalg.norm(thigh)), float(np.linalg.norm(shank))
        d = kept[ankle] - places[:, hip]
        reach = np.linalg.norm(d, axis=1, keepdims=True)
        e, far = d / reach, np.minimum(reach, (a + b) * BENT)
        along = (a * a - b * b + far * far) / (2 * far)
        bend = thigh - np.sum(thigh * e, 1, keepdims=True) * e  # to the side where the knee was
        bend = bend / np.linalg.norm(bend, axis=1, keepdims=True)
        to_knee = e * along + bend * np.sqrt(np.maximum(a * a - along * along, 0.0))
        upper = quat.multiply(quat.between(thigh / a, to_knee / a), kept_world[hip])
        lower = quat.multiply(quat.between(shank / b, (d - to_knee) / b), kept_world[knee])
        above = world[:, skeleton.parents[hip]]
        out[:, hip] = quat.multiply(quat.conjugate(above), upper)
        out[:, knee] = quat.multiply(quat.conjugate(upper), lower)
        out[:, ankle] = quat.multiply(quat.conjugate(lower), kept_world[ankle])
    return out


def _shared(still: Motion, centre: Array, push: Array) -> tuple[Array, Array]:
    """Force (F, 2, 3) N and centre of pressure (F, 2, 3) m of the feet.

    They share the force so that it passes where the moving mass centre asks for it (the zero moment point).
    """
    skeleton, place = still.skeleton, still.positions()[0]
    soles = place[list(skeleton.soles)].reshape(2, -1, 3)
    ankles = place[skeleton.indices(["left_foot", "right_foot"])]
    ground = soles[..., 1].mean(1)
    height = centre[:, 1] - ground.mean()
    point = centre - (height / push[:, 1])[:, None] * push  # on the ground
    across = (ankles[0] - ankles[1]) * [1.0, 0.0, 1.0]
    width = float(np.linalg.norm(across))
    left = across / max(width, 1e-9)
    share = np.clip(0.5 + (point - ankles.mean(0)) @ left / max(width, 1e-9), 0.0, 1.0)
    parts = np.stack([share, 1 - share], 1)
    forces = float(still.mass or 0.0) * parts[..., None] * push[:, None]
    forward = np.array([-left[2], 0.0, left[0]])
    pressure = np.empty((len(centre), 2, 3))
    for k in range(2):
        low, high = np.sort((soles[k] - ankles[k]) @ forward)[[0, -1]]
        ahead = np.clip((point - ankles[k]) @ forward, low, high)
        pressure[:, k] = ankles[k] + ahead[:, None] * forward
        pressure[:, k, 1] = ground[k]
    pressure[parts < 1e-6] = np.nan
    return forces, pressure
