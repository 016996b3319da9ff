"""C3D: the trials of gait laboratories. Read: markers, force plates, analog channels, events.

The container is read by :mod:`gambol.io.c3d_file`, plates are worked out by :mod:`gambol.plates`. Metres, newtons,
+y up in the world here; millimetres and mostly +z up in the files, which say so in POINT:UNITS and POINT:Y_SCREEN.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.io.c3d_file import Container, Parameters, read_container
from gambol.io.source import Source, distinct
from gambol.motion import Plate, Trial
from gambol.plates import CHANNELS, PlateFile, plate_in_world, with_feet

__all__ = ["decode"]

Array = NDArray[np.float64]
UNITS = {"mm": 1e-3, "cm": 1e-2, "dm": 0.1, "m": 1.0, "in": 0.0254, "ft": 0.3048, "um": 1e-6}
OUTPUTS = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "REACTIONS")  # points that are no places
KINDS = {"foot strike": "strike", "heel strike": "strike", "foot off": "off", "toe off": "off"}
# World from file: the rotation that brings the axis which is up to +y, the others going as little as they can.
UP = {
    "+X": [[0, -1, 0], [1, 0, 0], [0, 0, 1]], "-X": [[0, 1, 0], [-1, 0, 0], [0, 0, 1]],
    "+Y": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "-Y": [[1, 0, 0], [0, -1, 0], [0, 0, -1]],
    "+Z": [[1, 0, 0], [0, 0, 1], [0, -1, 0]], "-Z": [[1, 0, 0], [0, 0, -1], [0, 1, 0]],
}


def decode(data: bytes, source: Source) -> Trial:
    """A trial from the bytes of a .c3d.

    Feet and events of force plates are filled in (:func:`gambol.plates.with_feet`); ``info["notes"]`` says what was
    found and settled, ``info["plates"]`` which foot stood on which plate.

    Raises:
        GambolError: not C3D, or its parts lie outside of the file.
    """
    file = read_container(data, source.name)
    parameters, notes = file.parameters, list(file.notes)
    unit = source.unit or _unit(parameters, notes)
    up, turn = _up(parameters, notes)
    names, kept = _markers(file, notes)
    points = file.points[:, kept] @ turn.T * unit
    channels = _unique(parameters.texts("ANALOG:LABELS"), parameters.texts("ANALOG:DESCRIPTIONS"),
                       file.analog.shape[1], "channel")
    units = (parameters.texts("ANALOG:UNITS") + [""] * len(channels))[: len(channels)]
    analog = file.analog if file.analog.size else None
    plates = _plates(file, unit, turn, notes)
    rate = source.fps or file.rate
    trial = Trial(
        names, points, rate, tuple(plates), channels if analog is not None else (), analog,
        rate * file.samples if analog is not None else None, tuple(units) if analog is not None else (),
        _events(file, len(points) / file.rate), (file.first - 1) / file.rate, "",
        {"notes": notes, "unit_m": unit, "up": up, "first_frame": file.first},
    )
    return with_feet(trial)


def _unit(parameters: Parameters, notes: list[str]) -> float:
    said = (parameters.texts("POINT:UNITS") or [""])[0].lower()
    if said not in UNITS:
        notes.append(f"the unit of its points is not known ({said!r}): read as millimetres")
    return UNITS.get(said, 1e-3)


def _up(parameters: Parameters, notes: list[str]) -> tuple[str, Array]:
    """The axis that is up, as the screen axes say, else that of the plates, else +Z; and world from file."""
    said = (parameters.texts("POINT:Y_SCREEN") or [""])[0].upper()
    said = said if len(said) == 2 else f"+{said}"
    if said in UP:
        return said, np.array(UP[said], float)
    corners = parameters.numbers("FORCE_PLATFORM:CORNERS")
    if corners.ndim == 3 and corners.shape[:2] == (3, 4) and np.isfinite(corners).all():
        flat = int(np.argmin(np.ptp(corners[..., 0], axis=1)))
        notes.append(f"up is not said: taken as +{'XYZ'[flat]}, across the first force plate")
        return f"+{'XYZ'[flat]}", np.array(UP[f"+{'XYZ'[flat]}"], float)
    notes.append("up is not said: taken as +Z")
    return "+Z", np.array(UP["+Z"], float)


def _markers(file: Container, notes: list[str]) -> tuple[tuple[str, ...], list[int]]:
    """Names of the points that are places, and their columns; angles, moments and powers of a model are none."""
    parameters = file.parameters
    labels = parameters.texts("POINT:LABELS")
    names = _unique(labels, parameters.texts("POINT:DESCRIPTIONS"), file.points.shape[1], "point")
    results = {label for key in OUTPUTS for label in parameters.texts(f"POINT:{key}")}
    kept = [i for i in range(len(names)) if not (i < len(labels) and labels[i] in results)]
    if len(kept) < len(names):
        notes.append(f"{len(names) - len(kept)} results of a model (angles, forces, moments, powers) are left out")
    return tuple(names[i] for i in kept), kept


def _unique(labels: Sequence[str], descriptions: Sequence[str], count: int, what: str) -> tuple[str, ...]:
    """``count`` names that differ: a label that comes twice gives way to its description, else to a number."""
    out: list[str] = []
    often, spoken = Counter(labels[:count]), Counter(descriptions[:count])
    for i in range(count):
        name = labels[i] if i < len(labels) and labels[i] else f"{what}_{i + 1}"
        described = descriptions[i] if i < len(descriptions) else ""
        if often[name] > 1 and described and spoken[described] == 1 and not often[described]:
            name = described
        out.append(name)
    return tuple(distinct(out))


# plates


def _plates(file: Container, unit: float, turn: Array, notes: list[str]) -> list[Plate]:
    """The force plates in the world; those that cannot be used are noted and left out."""
    p = file.parameters
    kinds = p.numbers("FORCE_PLATFORM:TYPE").ravel().astype(int).tolist()
    found: list[tuple[PlateFile, int]] = []
    for k in range(min(p.count("FORCE_PLATFORM:USED", 0), 255)):
        try:
            plate = _plate(file, k, kinds[k] if k < len(kinds) else 0, unit)
            found.append((plate, plate_in_world(plate, turn)[1]))
        except GambolError as error:
            notes.append(f"force plate {k + 1} is left out: {error.what}")
    if not found and "no force plate" not in " ".join(notes):
        notes.append("no force plates" if not notes or "left out" not in notes[-1] else "no force plate can be used")
    usual = np.sign(sum(sign for _, sign in found)) or 1  # for a plate that nobody stepped on
    return [plate_in_world(plate, turn, sign or int(usual))[0] for plate, sign in found]


def _plate(file: Container, k: int, kind: int, unit: float) -> PlateFile:
    """Plate number ``k``, lengths in metres.

    Raises:
        GambolError: a type that is not read, or parameters that do not fit.
    """
    p, name = file.parameters, f"plate {k + 1}"
    if kind not in CHANNELS:
        raise GambolError(f"type {kind} is not read", allowed="types 1 to 4")
    corners, origin = p.numbers("FORCE_PLATFORM:CORNERS"), p.numbers("FORCE_PLATFORM:ORIGIN")
    columns = p.numbers("FORCE_PLATFORM:CHANNEL")
    columns = columns[:, None] if columns.ndim == 1 else columns
    corners = corners[..., None] if corners.ndim == 2 else corners
    origin = origin[:, None] if origin.ndim == 1 else origin
    width = CHANNELS[kind]
    if corners.shape[:2] != (3, 4) or origin.shape[0] != 3 or columns.ndim != 2 or len(columns) < width:
        raise GambolError("its corners, origin or channels are missing")
    if min(corners.shape[2], origin.shape[1], columns.shape[1]) <= k:
        raise GambolError("its corners, origin or channels are missing")
    wanted = columns[:width, k].astype(int) - 1
    if wanted.min() < 0 or wanted.max() >= file.analog.shape[1]:
        raise GambolError("it names analog channels that are not there")
    raw = file.analog[:, wanted] - _baseline(file, wanted)
    if kind == 4:  # its matrix makes newtons, and newtons times the unit of length, of volts
        table = p.numbers("FORCE_PLATFORM:CAL_MATRIX")
        table = table[..., None] if table.ndim == 2 else table
        if table.ndim != 3 or table.shape[:2] != (6, 6) or table.shape[2] <= k:
            raise GambolError("it has no calibration matrix")
        raw = raw @ table[..., k].T
    units = [u.lower() for u in p.texts("ANALOG:UNITS")]
    said = [units[i] if i < len(units) else "" for i in wanted]
    raw = raw * [unit if _in_lengths(u, kind, c) else 1.0 for c, u in enumerate(said)]
    if kind == 1 and "n" in said[3]:
        kind = 2  # moments where positions should be: the type is wrong, not the unit
    return PlateFile(kind, corners[..., k].T * unit, origin[:, k] * unit, raw, name)


def _in_lengths(said: str, kind: int, channel: int) -> bool:
    """Whether a channel counts in the file's unit of length: moments in N mm, and the positions of type 1."""
    if kind == 3 or channel < 3:
        return False
    return re.sub(r"[^a-z]", "", said) not in ("nm", "newtonmeters", "newtonmeter", "newtonmetres")


def _baseline(file: Container, columns: NDArray) -> Array:
    """The mean of the frames FORCE_PLATFORM:ZERO names, which is the reading of the plate with nobody on it."""
    zero = file.parameters.numbers("FORCE_PLATFORM:ZERO").ravel()
    if zero.size != 2 or not 0 < zero[0] <= zero[1]:
        return np.zeros(len(columns))
    shift = file.first if zero[0] >= file.first else 1
    first, end = int(zero[0] - shift) * file.samples, int(zero[1] - shift + 1) * file.samples
    rows = file.analog[first:end, columns]
    return rows.mean(0) if len(rows) else np.zeros(len(columns))


# events


def _events(file: Container, duration: float) -> dict[str, list[float]]:
    """Events that the file itself has, s from its first frame, by side and kind where they say it."""
    p = file.parameters
    times = p.numbers("EVENT:TIMES")
    labels, sides = p.texts("EVENT:LABELS"), p.texts("EVENT:CONTEXTS")
    rows: list[tuple[str, float]] = list(file.events)
    if times.ndim == 2 and times.shape[0] == 2:
        rows = [
            (f"{sides[k] if k < len(sides) else ''} {label}", float(60 * times[0, k] + times[1, k]))
            for k, label in enumerate(labels[: times.shape[1]])
        ]
    start = (file.first - 1) / file.rate
    if rows and all(t < start - 0.5 / file.rate for _, t in rows):
        start = 0.0  # counted from the first frame already
    out: dict[str, list[float]] = {}
    for label, t in rows:
        at = t - start
        if np.isfinite(at) and -0.5 / file.rate <= at <= duration:
            out.setdefault(_event_name(label), []).append(round(at, 9))
    return {key: sorted(value) for key, value in sorted(out.items())}


def _event_name(label: str) -> str:
    """``left_strike`` of ``Left Foot Strike`` and of ``LHS``; other labels in snake case."""
    plain = " ".join(re.sub(r"[^\w]+", " ", label.lower()).split())
    side = {"l": "left", "r": "right"}.get(plain[:1], "")
    if kind := next((v for k, v in KINDS.items() if plain.endswith(k)), None):
        return f"{side}_{kind}" if side and plain.split()[0] in ("left", "right") else kind
    if re.fullmatch(r"[lr](hs|fs|ic|to|fo)", plain):
        return f"{side}_{'off' if plain[1:] in ('to', 'fo') else 'strike'}"
    return plain.replace(" ", "_") or "event"
