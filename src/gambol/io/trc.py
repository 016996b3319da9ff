"""TRC: marker positions as text, as OpenSim and Motion Analysis have them. Read and write.

Tab separated; a field with nothing in it is a marker that was not seen. Axes are OpenSim's, which are ours: +y up. A
motion is written with its joints as markers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.io.source import PLAIN, Extra, Source, distinct
from gambol.motion import Motion, Trial

__all__ = ["decode", "encode", "encode_trial", "even_times"]

Array = NDArray[np.float64]
UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254, "meters": 1.0, "millimeters": 1e-3}
FAR = 1e7  # m; farther away is no place but a torn number
MOST_SHORT = 10_000_000  # numbers that rows may leave out at their ends
LONGEST = 1 << 20  # characters of a name line that are looked at


def decode(data: bytes, source: Source) -> Trial:
    """A trial of markers from the bytes of a .trc.

    Raises:
        GambolError: not TRC, or rows that do not fit the markers.
    """
    lines = data.decode("utf-8-sig", "replace").splitlines()
    if len(lines) < 6 or not lines[0].lower().startswith("pathfiletype"):
        raise GambolError("not a TRC file", where=source.name, allowed="a first line with PathFileType, and rows")
    said = dict(zip((k.strip().lower() for k in lines[1].split("\t")), (v.strip() for v in lines[2].split("\t"))))
    names = _names(lines[3], source)
    notes: list[str] = []
    start = 5 if lines[4].strip() and not lines[4].split()[0].isdigit() else 4
    rows, times = _rows(lines, start, 3 * len(names), source)
    unit = source.unit or _unit(said.get("units", ""), notes)
    if (claimed := said.get("numframes", "")).isdigit() and int(claimed) != len(rows):
        notes.append(f"it says {int(claimed)} frames and holds {len(rows)}: those are used")
    fps = source.fps or _rate(said.get("datarate", ""), times, notes)
    points = rows.reshape(len(rows), len(names), 3) * unit
    with np.errstate(invalid="ignore"):
        points[~(np.abs(points) < FAR).all(-1)] = np.nan
    start_s = float(times[0]) if np.isfinite(times[0]) else 0.0
    return Trial(names, points, fps, start_s=start_s, info={"notes": notes, "unit_m": unit})


def encode_trial(trial: Trial) -> bytes:
    """The bytes of a .trc, in mm.

    Raises:
        GambolError: for a trial without markers.
    """
    if not trial.markers or not len(trial):
        raise GambolError("no markers to write", where="trc", do="save forces as .mot")
    frames, count = len(trial), len(trial.markers)
    heads = ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units", "OrigDataRate", "OrigDataStartFrame",
             "OrigNumFrames"]
    rate = f"{trial.fps!r}"
    facts = [rate, rate, str(frames), str(count), "mm", rate, "1", str(frames)]
    names = [name.replace("\t", " ").replace("\n", " ") for name in trial.markers]
    axes = [f"{axis}{k}" for k in range(1, count + 1) for axis in "XYZ"]
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{trial.name or 'trial'}.trc", "\t".join(heads), "\t".join(facts),
        "Frame#\tTime\t" + "\t\t\t".join(names) + "\t\t", "\t\t" + "\t".join(axes), "",
    ]
    for k, row in enumerate((trial.points * 1000).reshape(frames, -1).tolist()):
        fields = ["" if x != x else f"{x:.5f}" for x in row]
        lines.append("\t".join([str(k + 1), f"{trial.start_s + k / trial.fps:.6f}", *fields]))
    return ("\n".join(lines) + "\n").encode()


def encode(motion: Motion, extra: Extra = PLAIN) -> bytes:
    """The bytes of a .trc with a marker at every joint; ``extra`` has nothing that it could hold."""
    return encode_trial(Trial(motion.skeleton.names, motion.positions(), motion.fps, name=motion.name))


def _names(line: str, source: Source) -> tuple[str, ...]:
    """Marker names: the third field and every one after it that is not empty."""
    line = line[:LONGEST]
    fields = [f.strip() for f in line.split("\t")[2:]] if "\t" in line else line.split()[2:]
    names = [f for f in fields if f]
    if not names:
        raise GambolError("no marker is named", where=f"{source.name}, line 4", allowed="Frame#, Time and names")
    return tuple(distinct(names))


def _rows(lines: list[str], start: int, width: int, source: Source) -> tuple[Array, Array]:
    """Positions (F, 3 N) with NaN for empty fields, and times (F,)."""
    table: list[list[float]] = []
    short = 0
    for number, line in enumerate(lines[start:], start + 1):
        if not line.strip():
            continue
        fields = line.rstrip("\r\n").split("\t") if "\t" in line else line.split()
        try:
            row = [float(f) if f.strip() else np.nan for f in fields[1 : width + 2]]
        except ValueError as error:
            what = f"it holds what is no number: {error}"[:120]
            raise GambolError(what, where=f"{source.name}, line {number}") from error
        if len(row) < width + 1:
            short += width + 1 - len(row)  # gaps at the end of a line are often left out
            if len(fields) < 2 or short > MOST_SHORT:
                where = f"{source.name}, line {number}"
                raise GambolError("a row is cut off", where=where, allowed=f"{width + 2} fields")
            row += [np.nan] * (width + 1 - len(row))
        table.append(row)
    if not table:
        raise GambolError("no row of positions", where=source.name, allowed="one frame or more")
    rows = np.array(table)
    return rows[:, 1:], rows[:, 0]


def _unit(said: str, notes: list[str]) -> float:
    if said.lower() not in UNITS:
        notes.append(f"the unit of its points is not known ({said!r}): read as millimetres")
    return UNITS.get(said.lower(), 1e-3)


def _rate(said: str, times: Array, notes: list[str]) -> float:
    """Frames a second as said, or by the times where they say something else."""
    try:
        rate = float(said)
    except ValueError:
        rate = 0.0
    found = even_times(times)
    if not 0 < rate < 1e9:
        rate = found or 100.0
        notes.append(f"the rate is not said: taken as {rate:g} a second")
    elif found and abs(found / rate - 1) > 0.05:
        notes.append(f"it says {rate:g} frames a second, and its times {found:g}: the times are used")
        return found
    return rate


def even_times(times: Array) -> float | None:
    """Samples a second by the times of the samples, or None where they tell nothing; a round one where one fits."""
    if len(times) < 2 or not np.isfinite(times).all() or not times[-1] > times[0]:
        return None
    rate = (len(times) - 1) / float(times[-1] - times[0])
    for places in range(4):
        if abs(round(rate, places) / rate - 1) < 2e-4:
            return round(rate, places)
    return rate
