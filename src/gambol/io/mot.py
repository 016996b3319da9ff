"""MOT and STO: tables over time as text, as OpenSim has them. Read and write.

A table is a trial without markers: its columns are analog channels. Ground reactions, columns that end in ``vx`` with
``px`` beside them, are force plates too; axes are OpenSim's, which are ours: +y up, the force on the foot.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.feet import SIDES
from gambol.io.source import PLAIN, Extra, Source, distinct
from gambol.io.trc import even_times
from gambol.motion import Motion, Plate, Trial
from gambol.plates import threshold, with_feet

__all__ = ["decode", "encode", "encode_trial"]

Array = NDArray[np.float64]
HEADER = 200  # lines that a header may have
EVEN = 0.02  # of a step: times that stray more are brought onto even steps


def decode(data: bytes, source: Source) -> Trial:
    """A table from the bytes of a .mot or .sto.

    Raises:
        GambolError: no such table, or rows that do not fit the columns.
    """
    lines = data.decode("utf-8-sig", "replace").splitlines()
    end = next((k for k, line in enumerate(lines[:HEADER]) if line.strip().lower() == "endheader"), None)
    if end is None:
        raise GambolError("not a table of OpenSim", where=source.name, allowed="a header that ends with endheader")
    degrees = any(re.match(r"\s*indegrees\s*=\s*yes", line, re.IGNORECASE) for line in lines[:end])
    names, rows = _table(lines, end + 1, source)
    notes = _counted(lines[:end], rows)
    times, values = rows[:, 0], rows[:, 1:]
    rate = source.fps or even_times(times) or 0.0
    if not rate and len(times) > 1:
        raise GambolError("its times do not go on", where=source.name, allowed="times in s that grow")
    rate = rate or 1.0  # one row: any rate
    if len(times) > 1 and not source.fps:
        values = _on_even_steps(times, values, rate, notes)
    channels = tuple(names[1:])
    trial = Trial(
        (), np.zeros((len(values), 0, 3)), rate, tuple(_plates(channels, values)), channels, values, rate,
        tuple(_unit(name, degrees) for name in channels), start_s=float(times[0]),
        info={"notes": notes, "in_degrees": degrees},
    )
    return with_feet(trial)


def encode_trial(trial: Trial) -> bytes:
    """The bytes of a .mot or .sto: the table that was read, or else the reactions of the force plates.

    Raises:
        GambolError: for a trial with neither.
    """
    if not trial.markers and trial.analog is not None and trial.analog_fps:
        degrees = bool(trial.info.get("in_degrees", any(u == "deg" for u in trial.units)))
        return _text(trial.channels, trial.analog, trial.analog_fps, (trial.start_s, degrees, trial.name))
    if not trial.plates or not trial.analog_fps:
        raise GambolError("no force plates and no table to write", where="mot", do="save markers as .trc")
    names = [re.sub(r"\W+", "_", p.name or f"plate_{k}") for k, p in enumerate(trial.plates, 1)]
    columns, values = _reactions(names, [(p.force, p.pressure, p.moment) for p in trial.plates])
    return _text(columns, values, trial.analog_fps, (trial.start_s, False, trial.name))


def encode(motion: Motion, extra: Extra = PLAIN) -> bytes:
    """The bytes of a .mot or .sto with the ground reaction of each foot; ``extra`` has nothing that it could hold.

    Raises:
        GambolError: for a motion without forces.
    """
    if motion.forces is None or not len(motion):
        do = "save joint positions as .trc"
        raise GambolError("a motion without forces", where="mot", allowed="a motion with ground reactions", do=do)
    pressure = np.full_like(motion.forces, np.nan) if motion.pressure is None else motion.pressure
    feet = range(motion.forces.shape[1])
    still = np.zeros(len(motion))
    names = [SIDES[k] if len(feet) == len(SIDES) else f"foot_{k + 1}" for k in feet]
    columns, values = _reactions(names, [(motion.forces[:, k], pressure[:, k], still) for k in feet])
    return _text(columns, values, motion.fps, (0.0, False, motion.name))


# reading


def _table(lines: list[str], start: int, source: Source) -> tuple[list[str], Array]:
    """Names and numbers (R, C); columns of several components are told apart by a number."""
    at = next((k for k in range(start, len(lines)) if lines[k].strip()), len(lines))
    names = _fields(lines[at]) if at < len(lines) else []
    if not names or names[0].strip().lower() != "time":
        where = f"{source.name}, line {at + 1}"
        raise GambolError("no column of times", where=where, allowed="time as the first column")
    table: list[list[float]] = []
    parts: list[int] = []
    for number, line in enumerate(lines[at + 1 :], at + 2):
        if not line.strip():
            continue
        where = f"{source.name}, line {number}"
        cells = [cell.split(",") for cell in _fields(line)]
        parts = parts or [len(cell) for cell in cells]
        if len(cells) != len(names) or [len(cell) for cell in cells] != parts:
            raise GambolError(f"{len(cells)} fields in a row", where=where, allowed=f"{len(names)}")
        try:
            table.append([float(x) for cell in cells for x in cell])
        except ValueError as error:
            raise GambolError(f"it holds what is no number: {error}"[:120], where=where) from error
    if not table:
        raise GambolError("no row in it", where=source.name, allowed="one row or more")
    whole = [n if p == 1 else f"{n}_{k + 1}" for n, p in zip(names, parts) for k in range(p)]
    return distinct(whole, "column"), np.array(table)


def _fields(line: str) -> list[str]:
    return [f.strip() for f in line.strip().split("\t")] if "\t" in line.strip() else line.split()


def _counted(header: Sequence[str], rows: Array) -> list[str]:
    """What the header says of the number of rows, where it is wrong."""
    for line in header:
        if (m := re.match(r"\s*(?:nRows\s*=|datarows)\s*(\d{1,18})\b", line, re.IGNORECASE)) and int(m[1]) != len(rows):
            return [f"it says {int(m[1])} rows and holds {len(rows)}: those are used"]
    return []


def _on_even_steps(times: Array, values: Array, rate: float, notes: list[str]) -> Array:
    """The columns at even times, by straight lines between the rows, where the steps are not even."""
    even = times[0] + np.arange(len(times)) / rate
    if np.abs(times - even).max() * rate < 1.0 and np.all(np.diff(times) > 0):
        steps = np.diff(times) * rate
        rounded = 0.5 * 10.0 ** -_decimals(times) * 4 * rate  # times are written with few digits
        if np.abs(steps - 1).max() < EVEN + rounded:
            return values
    if not np.all(np.diff(times) >= 0):
        raise GambolError("its times go back", where="table", allowed="times in s that grow")
    notes.append(f"its rows are not evenly spaced: brought onto {rate:g} a second by straight lines")
    return np.stack([np.interp(even, times, column) for column in values.T], axis=1)


def _decimals(times: Array) -> int:
    """Decimals that the times were written with."""
    return next((p for p in range(2, 9) if np.abs(times - np.round(times, p)).max() < 1e-12), 9)


def _unit(name: str, degrees: bool) -> str:
    """The unit of a column, by its name."""
    if re.search(r"v[xyz]$", name):
        return "N"
    if re.search(r"p[xyz]$|_t[xyz]$", name):
        return "m"
    if re.search(r"(torque|moment)_?\w*$", name):
        return "N m"
    return "deg" if degrees else ""


def _plates(channels: Sequence[str], values: Array) -> list[Plate]:
    """Ground reactions among the columns; where the plate lies is not known."""
    at = {name: k for k, name in enumerate(channels)}
    out = []
    for name in channels:
        head = name[:-2]
        wanted = [f"{head}{kind}{axis}" for kind in "vp" for axis in "xyz"]
        if not name.endswith("vx") or not all(w in at for w in wanted):
            continue
        force, point = (values[:, [at[w] for w in wanted[3 * k : 3 * k + 3]]] for k in range(2))
        torque = f"{head.replace('force', 'torque')}y"
        moment = values[:, at[torque]] if torque in at else np.zeros(len(values))
        empty = ~(force[:, 1] > threshold(force[:, 1]))
        point, moment = np.where(empty[:, None], np.nan, point), np.where(empty, np.nan, moment)
        out.append(Plate(np.full((4, 3), np.nan), force, point, moment, 0, head.strip("_") or "ground"))
    return out


# writing


def _reactions(names: Sequence[str], plates: Sequence[tuple[Array, Array, Array]]) -> tuple[list[str], Array]:
    """Columns as OpenSim's external loads have them; a point that is absent is 0 there."""
    columns, values = [], []
    for name, (force, pressure, moment) in zip(names, plates):
        columns += [f"{name}_ground_force_{kind}{axis}" for kind in "vp" for axis in "xyz"]
        columns += [f"{name}_ground_torque_{axis}" for axis in "xyz"]
        still = np.zeros(len(force))
        values += [force, np.nan_to_num(pressure), np.stack([still, np.nan_to_num(moment), still], -1)]
    return columns, np.concatenate(values, axis=1)


def _text(columns: Sequence[str], values: Array, rate: float, facts: tuple[float, bool, str]) -> bytes:
    """The table; ``facts`` are its start in s, whether angles are in degrees, and its name."""
    start, degrees, name = facts
    spoken = [re.sub(r"\s+", "_", c) for c in columns]
    lines = [
        name or "table", "version=1", f"nRows={len(values)}", f"nColumns={len(columns) + 1}",
        f"inDegrees={'yes' if degrees else 'no'}", "endheader", "\t".join(["time", *spoken]),
    ]
    form = "\t".join(["%.9g"] * len(columns))
    lines += [f"{start + k / rate:.9f}\t{form % tuple(row)}" for k, row in enumerate(values.tolist())]
    return ("\n".join(lines) + "\n").encode()
