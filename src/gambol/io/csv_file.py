"""The plain file as a table: one row a frame, and above it lines that begin with # and describe the skeleton.

    # gambol motion
    # fps,30.0
    # joint,hips,-1,0.0,0.96,0.0        name, parent, offset in m
    # sole,left_heel
    time,position.x,position.y,position.z,rotation.hips.w,rotation.hips.x, ...

Columns, metres and quaternions w first: ``position``, ``rotation.JOINT``, and where known ``translation.JOINT``,
``contact.SOLE`` (0 or 1), ``force.FOOT`` in N, ``pressure.FOOT``, ``com``. Spreadsheets and pandas
(``read_csv(file, comment="#")``) open it. Numbers are written with the shortest digits that give them back.
"""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.io.bvh_text import plain_text
from gambol.io.plain import motion_of
from gambol.io.source import PLAIN, Extra, Source, to_json
from gambol.motion import Motion

__all__ = ["decode", "encode"]

Array = NDArray[np.float64]
KIND = "gambol motion"
FEET = ("left", "right")


def encode(motion: Motion, extra: Extra = PLAIN) -> bytes:
    """The bytes of a .csv."""
    skeleton, out = motion.skeleton, io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    out.write(f"# {KIND}\n")
    head: list[list[Any]] = [["fps", motion.fps], ["name", motion.name], ["cyclic", int(motion.cyclic)]]
    head += [["mass", motion.mass]] if motion.mass is not None else []
    head += [["info", to_json(motion.info)]] if motion.info else []
    parts = zip(skeleton.names, skeleton.parents.tolist(), skeleton.offsets.tolist())
    head += [["joint", name, parent, *offset] for name, parent, offset in parts]
    head += [["sole", skeleton.names[j]] for j in skeleton.soles]
    for row in head:
        out.write("# ")
        write([_one_line(x) for x in row])
    columns = _columns(motion)
    write(["time", *(name for name, _ in columns)])
    table = np.column_stack([motion.times, *(values for _, values in columns)])
    for numbers in table.tolist():
        out.write(",".join(map(repr, numbers)) + "\n")
    return out.getvalue().encode()


def decode(data: bytes, source: Source) -> Motion:
    """A motion from the bytes of a .csv.

    Raises:
        GambolError: another kind of table, or with the line that cannot be read.
    """
    lines = plain_text(data).splitlines()
    if not lines or lines[0].strip(" #,;") != KIND:
        raise GambolError("it is not a motion", where=source.name, allowed=f"a table that begins with '# {KIND}'")
    count = next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))
    entries = _head(lines[1:count], source.name)
    header, table = _table(lines[count:], f"{source.name}, line", count + 1)
    return motion_of(_filled(entries, header, table), source.name)


def _one_line(value: Any) -> Any:
    return " ".join(value.splitlines()) if isinstance(value, str) and len(value.splitlines()) > 1 else value


def _columns(motion: Motion) -> list[tuple[str, Array]]:
    """Names and values (F,) of all columns but the time."""
    names, out = motion.skeleton.names, []
    groups: list[tuple[str, str, Any, list[str]]] = [
        ("position", "xyz", motion.root[:, None], [""]), ("rotation", "wxyz", motion.rotations, list(names)),
        ("translation", "xyz", motion.translations, list(names)),
        ("contact", "", motion.contacts, [names[j] for j in motion.skeleton.soles]),
        ("force", "xyz", motion.forces, _feet(motion.forces)),
        ("pressure", "xyz", motion.pressure, _feet(motion.pressure)),
        ("com", "xyz", None if motion.com is None else motion.com[:, None], [""]),
    ]
    for kind, parts, values, owners in groups:
        if values is None:
            continue
        for k, owner in enumerate(owners):
            label = f"{kind}.{owner}" if owner else kind
            if not parts:
                out.append((label, values[:, k].astype(float)))
            out += [(f"{label}.{part}", values[:, k, i]) for i, part in enumerate(parts)]
    return out


def _feet(values: Array | None) -> list[str]:
    count = 0 if values is None else values.shape[1]
    return list(FEET) if count == 2 else [f"foot{k}" for k in range(count)]


def _head(lines: list[str], where: str) -> dict[str, Any]:
    """The entries of the lines that begin with #."""
    out: dict[str, Any] = {"names": [], "parents": [], "offsets": [], "soles": []}
    for number, row in enumerate(csv.reader([line[1:].lstrip() for line in lines]), 2):
        key, *values = row or [""]
        try:
            if key == "joint":
                name, parent, *offset = values
                out["names"].append(name)
                out["parents"].append(int(parent))
                x, y, z = map(float, offset)
                out["offsets"].append([x, y, z])
            elif key == "sole":
                out["soles"].append(out["names"].index(values[0]))
            elif key in ("fps", "mass"):
                out[key] = float(values[0])
            elif key == "cyclic":
                out[key] = values[0].strip().lower() in ("1", "true")
            elif key in ("name", "info"):
                out[key] = values[0]
        except (ValueError, IndexError) as error:
            raise GambolError(f"{','.join(row)[:60]!r} is not understood", where=f"{where}, line {number}") from error
    try:
        json.loads(out.get("info", "{}"))
    except (ValueError, RecursionError):
        out.pop("info")
    return out


def _table(lines: list[str], where: str, first: int) -> tuple[list[str], Array]:
    header = next(csv.reader(lines[:1]), [])
    if len(set(header)) != len(header) or not header:
        raise GambolError("no row of column names", where=f"{where} {first}", allowed="time,position.x, ...")
    rows = []
    for number, line in enumerate(lines[1:], first + 1):
        if not line.strip():
            continue
        try:
            rows.append([float(x) if x.strip() else np.nan for x in line.split(",")])
        except ValueError:
            raise GambolError(f"{line[:40]!r} is no row of numbers", where=f"{where} {number}") from None
        if len(rows[-1]) != len(header):
            raise GambolError(f"{len(rows[-1])} values for {len(header)} columns", where=f"{where} {number}")
    return header, np.array(rows, float).reshape(-1, len(header))


def _filled(entries: dict[str, Any], header: list[str], table: Array) -> dict[str, NDArray]:
    """The entries with the columns of the table."""
    place = {name: k for k, name in enumerate(header)}
    names, soles = entries["names"], [entries["names"][j] for j in entries["soles"]]
    feet = [f for f in (*FEET, *(f"foot{k}" for k in range(len(header)))) if f"force.{f}.x" in place]
    lit = [f for f in (*FEET, *(f"foot{k}" for k in range(len(header)))) if f"pressure.{f}.x" in place]
    groups = {
        "root": [("position", "xyz")], "rotations": [(f"rotation.{n}", "wxyz") for n in names],
        "translations": [(f"translation.{n}", "xyz") for n in names], "com": [("com", "xyz")],
        "forces": [(f"force.{f}", "xyz") for f in feet], "pressure": [(f"pressure.{f}", "xyz") for f in lit],
    }
    for key, owners in groups.items():
        columns = [place.get(f"{owner}.{part}") for owner, parts in owners for part in parts]
        if columns and None not in columns:
            values = table[:, columns].reshape(len(table), len(owners), len(owners[0][1]))  # type: ignore[index]
            entries[key] = values[:, 0] if key in ("root", "com") else values
    contacts = [place.get(f"contact.{s}") for s in soles]
    if contacts and None not in contacts:
        entries["contacts"] = table[:, contacts] > 0.5  # type: ignore[index]
    return {key: np.asarray(value) for key, value in entries.items()}
