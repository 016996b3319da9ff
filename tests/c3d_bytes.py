"""C3D files made from numbers, in every encoding: written from the format's description, apart from the reader."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import numpy as np

ENCODINGS = [(machine, real) for machine in ("intel", "dec", "sgi") for real in (True, False)]
PROCESSOR = {"intel": 84, "dec": 85, "sgi": 86}


def vax(value: float) -> bytes:
    """A number in the F format of the VAX."""
    if value == 0:
        return b"\0\0\0\0"
    sign, fraction = (1, -value) if value < 0 else (0, value)
    fraction, exponent = np.frexp(np.float32(fraction))
    bits = sign << 31 | (int(exponent) + 128) << 23 | (round(float(fraction) * 2**24) & 0x7FFFFF)
    return struct.pack("<HH", bits >> 16, bits & 0xFFFF)


@dataclass
class C3dFile:
    """What a file holds. ``points`` (F, N, 3) and ``marks`` (F, N) as stored, ``analog`` (F samples, C) raw."""

    points: np.ndarray
    marks: np.ndarray | None = None
    analog: np.ndarray | None = None
    rate: float = 100.0
    samples: int = 1
    first: int = 1
    machine: str = "intel"
    real: bool = True
    scale: float = 0.1
    parameters: dict[str, object] = field(default_factory=dict)
    leave_out: tuple[str, ...] = ()
    said: int | None = None  # frames the header tells

    def real_bytes(self, values) -> bytes:
        values = np.asarray(values, np.float32).ravel(order="F")
        if self.machine == "dec":
            return b"".join(vax(float(v)) for v in values)
        return values.astype(">f4" if self.machine == "sgi" else "<f4").tobytes()

    def word_bytes(self, values) -> bytes:
        values = np.asarray(values).ravel(order="F").astype(np.int64) & 0xFFFF
        return values.astype(">u2" if self.machine == "sgi" else "<u2").tobytes()

    def parameter(self, group: int, name: str, value) -> bytes:
        if isinstance(value, list):  # texts
            width = max([len(v.encode()) for v in value] + [1])
            head = struct.pack("bBBB", -1, 2, width, len(value))
            body = b"".join(v.encode().ljust(width) for v in value)
        elif isinstance(value, str):
            head, body = struct.pack("bBB", -1, 1, len(value.encode())), value.encode()
        else:
            array = np.asarray(value)
            whole = array.dtype.kind in "iu"
            head = struct.pack("bB", 2 if whole else 4, array.ndim) + bytes(array.shape)
            body = self.word_bytes(array) if whole else self.real_bytes(array)
        content = head + body + b"\0"
        return struct.pack("bb", len(name), group) + name.encode() + self.word_bytes([len(content) + 2]) + content

    def table(self, start: int) -> bytes:
        frames, markers = self.points.shape[:2]
        channels = 0 if self.analog is None else self.analog.shape[1]
        every = {
            "POINT:USED": np.int16(markers), "POINT:SCALE": np.float32(-self.scale if self.real else self.scale),
            "POINT:RATE": np.float32(self.rate), "POINT:FRAMES": np.int32(min(frames, 65535)),
            "POINT:DATA_START": np.int16(start), "POINT:LABELS": [f"M{i}" for i in range(markers)],
            "POINT:UNITS": "mm", "POINT:X_SCREEN": "+X", "POINT:Y_SCREEN": "+Z",
            "ANALOG:USED": np.int16(channels), "ANALOG:RATE": np.float32(self.rate * self.samples),
            "ANALOG:LABELS": [f"A{i}" for i in range(channels)], "ANALOG:GEN_SCALE": np.float32(1.0),
            "ANALOG:SCALE": np.ones(channels, np.float32), "ANALOG:OFFSET": np.zeros(channels, np.int16),
            **self.parameters,
        }
        groups = list(dict.fromkeys(k.split(":")[0] for k in every))
        out = bytes([1, 80, 0, PROCESSOR[self.machine]])
        for k, name in enumerate(groups, 1):
            out += struct.pack("bb", len(name), -k) + name.encode() + self.word_bytes([3]) + b"\0"
        for key, value in every.items():
            if key not in self.leave_out:
                group, name = key.split(":")
                out += self.parameter(groups.index(group) + 1, name, value)
        return out + b"\0\0"

    def __bytes__(self) -> bytes:
        frames, markers = self.points.shape[:2]
        blocks = -(-len(self.table(0)) // 512)
        start = 2 + blocks
        numbers = 0 if self.analog is None else self.analog.shape[1] * self.samples
        last = self.first + (frames if self.said is None else self.said) - 1
        head = bytes([2, 80]) + self.word_bytes([markers, numbers, self.first, min(last, 65535), 10])
        head += self.real_bytes([-self.scale if self.real else self.scale])
        head += self.word_bytes([start, self.samples if numbers else 0]) + self.real_bytes([self.rate])
        parameters = self.table(start).ljust(512 * blocks, b"\0")
        marks = np.zeros((frames, markers)) if self.marks is None else self.marks
        stored = np.concatenate([self.points, marks[..., None]], -1)
        if not self.real:
            stored[..., :3] = np.rint(stored[..., :3] / self.scale)
        rows = [stored.reshape(frames, -1)]
        if numbers:
            rows.append(self.analog.reshape(frames, -1))
        rows = np.concatenate(rows, 1)
        data = self.real_bytes(rows.T) if self.real else self.word_bytes(np.rint(rows).T)
        data = data.ljust(-(-len(data) // 512) * 512, b"\0")
        return head.ljust(512, b"\0") + parameters + data
