"""Pose and Motion: the only values that leave a method. Trial: what a gait laboratory records."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.skeleton import Skeleton, forward_kinematics, readonly

__all__ = ["Motion", "Plate", "Pose", "Trial", "gathered", "join"]

Array = NDArray[np.float64]


class Pose(NamedTuple):
    """One posture (or many): root ``(..., 3)`` m and rotations ``(..., J, 4)``."""

    root: Array
    rotations: Array


@dataclass(frozen=True, eq=False)
class Motion:
    """A clip: F samples at ``i / fps``, lasting ``(F - 1) / fps`` seconds. F = 0 is legal.

    Attributes:
        skeleton: J joints, S of them soles.
        root: ``(F, 3)`` m, position of joint 0 in the world.
        rotations: ``(F, J, 4)`` unit quaternions, w first, sign-continuous in time.
        fps: frames a second, any positive real.
        contacts: ``(F, S)`` bool, True where that sole point is planted, or None.
        forces: ``(F, feet, 3)`` N, ground reaction of each foot (left, right), or None.
        pressure: ``(F, feet, 3)`` m, centre of pressure of each foot (NaN while unloaded), or None.
        com: ``(F, 3)`` m, planned centre of mass, or None.
        mass: kg, or None.
        cyclic: the last frame leads back to the first.
        translations: ``(F, J, 3)`` m, for files that move joints other than the root, or None.
        name: of the clip.
        info: plain JSON-able facts that travel with the clip (events, speed, seed ...).
    """

    skeleton: Skeleton
    root: Array
    rotations: Array
    fps: float
    contacts: NDArray[np.bool_] | None = None
    forces: Array | None = None
    pressure: Array | None = None
    com: Array | None = None
    mass: float | None = None
    cyclic: bool = False
    translations: Array | None = None
    name: str = ""
    info: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        frames, joints = len(self.root), len(self.skeleton)
        shapes = {
            "root": (frames, 3),
            "rotations": (frames, joints, 4),
            "contacts": (frames, len(self.skeleton.soles)),
            "forces": (frames, None, 3),
            "pressure": (frames, None, 3),
            "com": (frames, 3),
            "translations": (frames, joints, 3),
        }
        for key, shape in shapes.items():
            value = getattr(self, key)
            if value is None:
                continue
            value = readonly(value, bool if key == "contacts" else float)
            if value.ndim != len(shape) or any(s is not None and s != v for s, v in zip(shape, value.shape)):
                raise GambolError(f"{key} has shape {value.shape}", where="motion", allowed=f"{shape}")
            object.__setattr__(self, key, value)
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise GambolError(f"fps is {self.fps}", where="motion", allowed="a positive number")
        if not (np.isfinite(self.root).all() and np.isfinite(self.rotations).all()):
            raise GambolError("root or rotations hold numbers that are not finite", where="motion")
        if quat.flips(self.rotations).any():
            rotations = quat.continuous(self.rotations)
            rotations.setflags(write=False)
            object.__setattr__(self, "rotations", rotations)

    def __len__(self) -> int:
        return len(self.root)

    @property
    def duration(self) -> float:
        """Seconds from the first to the last sample."""
        return max(len(self) - 1, 0) / self.fps

    @property
    def times(self) -> Array:
        """``(F,)`` s, time of each sample from the first."""
        return np.arange(len(self)) / self.fps

    def positions(self) -> Array:
        """``(F, J, 3)`` m, joint positions in the world (``translations`` are not applied)."""
        return forward_kinematics(self.skeleton, self.root, self.rotations)[0]

    def at(self, name: str) -> Array:
        """``(F, 3)`` m, world position of one joint."""
        return self.positions()[:, self.skeleton.index(name)]

    def __getitem__(self, frames: slice) -> Motion:
        """The same clip, cut to a slice of frames."""
        cut: dict[str, Any] = {
            k: getattr(self, k)[frames]
            for k in ("root", "rotations", "contacts", "forces", "pressure", "com", "translations")
            if getattr(self, k) is not None
        }
        return replace(self, **cut)


@dataclass(frozen=True, eq=False)
class Plate:
    """A force plate, A samples at the analog rate of its trial, all in the world (+y up).

    Attributes:
        corners: ``(4, 3)`` m, of the working surface.
        force: ``(A, 3)`` N, of the plate on the foot: a standing person reads +y.
        pressure: ``(A, 3)`` m, centre of pressure on the surface, NaN while the plate is unloaded.
        moment: ``(A,)`` N m, the free moment about +y at the centre of pressure, NaN while unloaded.
        kind: the C3D type of the plate, 1 to 4, or 0 where it is not known.
        name: of the plate.
    """

    corners: Array
    force: Array
    pressure: Array
    moment: Array
    kind: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        for key in ("corners", "force", "pressure", "moment"):
            object.__setattr__(self, key, readonly(getattr(self, key)))
        samples = self.force.shape[:1]
        shapes = {"corners": (4, 3), "force": (*samples, 3), "pressure": (*samples, 3), "moment": samples}
        for key, shape in shapes.items():
            if (found := getattr(self, key).shape) != shape:
                raise GambolError(f"{key} has shape {found}", where="plate", allowed=f"{shape}")


@dataclass(frozen=True, eq=False)
class Trial:
    """A recording without a skeleton: markers, force plates, analog channels, events.

    Attributes:
        markers: ``N`` names, unique.
        points: ``(F, N, 3)`` m in the world (+y up), NaN where a marker was not seen.
        fps: frames a second of the markers.
        plates: force plates, sampled at ``analog_fps``.
        channels: ``C`` names of the analog channels.
        analog: ``(A, C)`` samples in the order of time, in ``units``.
        analog_fps: samples a second, or None where there are none.
        units: ``C`` units of the channels.
        events: name -> times in s from the first frame.
        start_s: time of the first frame in the recording it was cut from.
        name: of the trial.
        info: plain JSON-able facts.
    """

    markers: tuple[str, ...]
    points: Array
    fps: float
    plates: tuple[Plate, ...] = ()
    channels: tuple[str, ...] = ()
    analog: Array | None = None
    analog_fps: float | None = None
    units: tuple[str, ...] = ()
    events: dict[str, list[float]] = field(default_factory=dict)
    start_s: float = 0.0
    name: str = ""
    info: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "markers", tuple(str(m) for m in self.markers))
        object.__setattr__(self, "points", readonly(self.points))
        if self.points.ndim != 3 or self.points.shape[1:] != (len(self.markers), 3):
            allowed = f"(F, {len(self.markers)}, 3)"
            raise GambolError(f"points have shape {self.points.shape}", where="trial", allowed=allowed)
        if len(set(self.markers)) != len(self.markers):
            raise GambolError("two markers have one name", where="trial", allowed="names that differ")
        if self.analog is not None:
            object.__setattr__(self, "analog", readonly(self.analog))
            if self.analog.ndim != 2 or self.analog.shape[1] != len(self.channels):
                allowed = f"(A, {len(self.channels)})"
                raise GambolError(f"analog has shape {self.analog.shape}", where="trial", allowed=allowed)
        for key in ("fps", "analog_fps"):
            rate = getattr(self, key)
            if rate is not None and not (np.isfinite(rate) and rate > 0):
                raise GambolError(f"{key} is {rate}", where="trial", allowed="a positive number")

    def __len__(self) -> int:
        return len(self.points)

    @property
    def duration(self) -> float:
        """Seconds from the first to the last frame."""
        return max(len(self) - 1, 0) / self.fps


def join(parts: list[Motion]) -> Motion:
    """Concatenate stretches of one skeleton and rate; a field is kept where every part with frames has it."""
    if not parts:
        raise GambolError("nothing to join", where="motion", allowed="at least one motion")
    first, filled = parts[0], [p for p in parts if len(p)] or parts[:1]
    if any(p.skeleton != first.skeleton or p.fps != first.fps for p in parts):
        raise GambolError("only motions of one skeleton and one rate can be joined", where="motion")
    fields: dict[str, Any] = {}
    for key in ("root", "rotations", "contacts", "forces", "pressure", "com", "translations"):
        values = [getattr(p, key) for p in filled]
        fields[key] = None if any(v is None for v in values) else np.concatenate(values)
    return replace(first, **fields, info=gathered([p.info for p in parts]))


def gathered(infos: list[dict[str, Any]]) -> dict[str, Any]:
    """Facts of a joined clip: lists are joined, tables that differ are gathered by entry, the rest is the first's."""
    out: dict[str, Any] = {}
    for key in dict.fromkeys(k for info in infos for k in info):
        values = [info[key] for info in infos if key in info]
        if isinstance(values[0], list):
            out[key] = [item for v in values for item in v]
        else:
            differ = isinstance(values[0], dict) and any(v != values[0] for v in values[1:])
            out[key] = gathered(values) if differ else values[0]
    return out
