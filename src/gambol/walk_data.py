"""WalkData: what one person's walk is, as measured, ready to be generalised; its file.

Two steps, by stance foot (a limp keeps both; a symmetric walk has them alike), and what the paper leaves out: hip
sway, pelvis, trunk and arms as Fourier series over the stride, from left strike (0) over right strike (0.5).
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.generalise import Condition, Origin, Seq, Step, Subject
from gambol.skeleton import readonly

__all__ = [
    "ARMS", "CHANNELS", "HARMONICS", "LIMPING", "WalkData", "basis", "decode_walk", "encode_walk", "load_walk",
    "save_walk", "series",
]

Array = NDArray[np.float64]
HARMONICS = 8
# hip_x, hip_y, sway: m from the straight way; pelvis_yaw .. trunk_turn: rad; arms: unit vectors in the chest's frame
CHANNELS = (
    "hip_x", "hip_y", "sway", "pelvis_yaw", "pelvis_list", "lean", "bank", "trunk_turn",
    *(f"{side}_{bone}_{axis}" for side in ("left", "right") for bone in ("upper", "fore") for axis in "xyz"),
)
ARMS = CHANNELS.index("left_upper_x")
EPOCH = (1980, 1, 1, 0, 0, 0)
FORMAT = 1
LIMPING = 0.10  # step times or lengths of the two sides apart by more than this, over their mean


@dataclass(frozen=True, eq=False)
class WalkData:
    """One person's walk.

    Attributes:
        left: the step on the left foot.
        right: the step on the right foot.
        channels: ``(C, 2 HARMONICS + 1)`` series of :data:`CHANNELS`; mean, then cosine and sine of each harmonic.
        width: m between the lines of the two feet.
        arms: whether the arms were measured; else they follow the legs.
        name: of the clip it came from.
        info: plain facts: speed, events, how many steps, what was odd.
    """

    left: Step
    right: Step
    channels: Array
    width: float
    arms: bool = True
    name: str = ""
    info: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "channels", readonly(self.channels))
        if self.channels.shape != (len(CHANNELS), 2 * HARMONICS + 1):
            allowed = f"({len(CHANNELS)}, {2 * HARMONICS + 1})"
            raise GambolError(f"channels have shape {self.channels.shape}", where="walk data", allowed=allowed)

    @property
    def subject(self) -> Subject:
        """The person's legs and feet."""
        return self.left.condition.subject

    @property
    def step_length(self) -> float:
        """m, mean of both steps."""
        return float(self.left.origin.step + self.right.origin.step) / 2

    @property
    def duration(self) -> float:
        """s, mean of both steps."""
        return float(self.left.origin.duration + self.right.origin.duration) / 2

    @property
    def speed(self) -> float:
        """m/s."""
        return self.step_length / self.duration

    @property
    def asymmetry(self) -> tuple[float, float]:
        """By how much the lengths and the times of the two steps differ, over their means."""
        left, right = self.left.origin, self.right.origin
        return abs(float(left.step - right.step)) / self.step_length, abs(
            float(left.duration - right.duration)
        ) / self.duration

    def step(self, side: int) -> Step:
        """The step on the left (+1) or right (-1) foot."""
        return self.left if side > 0 else self.right


def basis(phase: Any) -> Array:
    """``(..., 2 HARMONICS + 1)`` of a phase in strides."""
    n = 2 * np.pi * np.arange(1, HARMONICS + 1) * np.asarray(phase, float)[..., None]
    return np.concatenate([np.ones((*n.shape[:-1], 1)), np.cos(n), np.sin(n)], -1)


def series(values: Array) -> Array:
    """Series ``(2 HARMONICS + 1)`` of even samples ``(..., N)`` over the stride, the last before the first again."""
    n = values.shape[-1]
    half = np.fft.rfft(values, axis=-1)[..., : HARMONICS + 1] / n
    pad = np.zeros((*half.shape[:-1], HARMONICS + 1), complex)
    pad[..., : half.shape[-1]] = half
    return np.concatenate([pad[..., :1].real, 2 * pad[..., 1:].real, -2 * pad[..., 1:].imag], -1)


# the file


def encode_walk(walk: WalkData) -> bytes:
    """The bytes of a walk file: a zip of arrays, as the plain motion file is."""
    entries: dict[str, Any] = {"walk_format": np.int64(FORMAT), "channels": walk.channels, "width": walk.width}
    for side in ("left", "right"):
        step: Step = getattr(walk, side)
        for key in ("hip_x", "hip_y", "f1", "f2", "f3", "meta", "ankle_x", "ankle_y"):
            seq: Seq = getattr(step, key)
            entries[f"{side}_{key}"] = np.stack([seq.t, seq.v])
        o = step.origin
        pairs = (*o.knee, *o.strike, *o.push, *o.meta, *o.lead, *o.fore, *o.rise)
        entries[f"{side}_origin"] = np.array([*o.subject, o.step, o.previous, o.duration, *pairs, *o[11:]])
        entries[f"{side}_condition"] = np.array([*step.condition.subject, *step.condition[1:]])
    entries["arms"] = np.bool_(walk.arms)
    entries["name"] = np.array(walk.name, dtype=np.str_)
    entries["info"] = np.array(json.dumps(walk.info), dtype=np.str_)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for key, value in entries.items():
            with archive.open(zipfile.ZipInfo(f"{key}.npy", EPOCH), "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asanyarray(value), allow_pickle=False)
    return out.getvalue()


def decode_walk(data: bytes, where: str) -> WalkData:
    """A walk from the bytes of its file.

    Raises:
        GambolError: for anything that is no such file.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            e = {key: archive[key] for key in archive.files}
        if int(e["walk_format"]) != FORMAT:
            raise ValueError(f"format {int(e['walk_format'])}, known is {FORMAT}")
        steps = [_decode_step(e, side) for side in ("left", "right")]
        walk = WalkData(
            steps[0], steps[1], e["channels"], float(e["width"]), bool(e["arms"]), str(e["name"]),
            json.loads(str(e["info"])),
        )
        numbers = [walk.channels, *(np.array(seq) for s in steps for seq in s[:8])]
        if not all(np.isfinite(x).all() for x in numbers):
            raise ValueError("numbers that are not finite")
        return walk
    except Exception as error:  # zip, npy and json readers raise many kinds; all mean the same to the user
        allowed, do = "a file written by save_walk or gambol analyse", "build it from a clip"
        raise GambolError("not a walk file", where=where, allowed=allowed, do=do) from error


def _decode_step(e: dict[str, NDArray], side: str) -> Step:
    seqs = [Seq(*e[f"{side}_{k}"]) for k in ("hip_x", "hip_y", "f1", "f2", "f3", "meta", "ankle_x", "ankle_y")]
    o = [float(x) for x in e[f"{side}_origin"]]
    c = [float(x) for x in e[f"{side}_condition"]]
    pairs = [(o[9 + 2 * k], o[10 + 2 * k]) for k in range(7)]
    origin = Origin(Subject(*o[:6]), *o[6:9], *pairs, *o[23:26])  # type: ignore[arg-type]
    return Step._make([*seqs, Condition(Subject(*c[:6]), *c[6:9]), origin])


def save_walk(walk: WalkData, path: str | os.PathLike[str]) -> None:
    """Write a walk; the file is whole or not there.

    Raises:
        GambolError: for a suffix other than .walk, or a folder that is not there.
    """
    from gambol.io.target import check_target, replace_all

    if Path(path).suffix.lower() != ".walk":
        raise GambolError(f"the suffix is {Path(path).suffix!r}", where=str(path), allowed=".walk")
    check_target(path)
    replace_all([(path, encode_walk(walk))])


def load_walk(path: str | os.PathLike[str]) -> WalkData:
    """Read a walk file.

    Raises:
        GambolError: for a file that is missing or no walk.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        do = "check its name and folder"
        raise GambolError(f"it cannot be read: {error.strerror}", where=str(path), do=do) from error
    return decode_walk(data, str(path))
