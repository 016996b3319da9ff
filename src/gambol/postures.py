"""Postures: elemental ones for each kind of model, combined by adding the rotation vectors of their joints.

As in Chen, Li and Hu (2004), section 3: bend the waist, raise an arm, lean; each with an extent coefficient, added up,
mirrored. A posture is written ``lean_left*0.5 + raise_right_arm``. The table names the left ones; the right follow.
People's own bases are small JSON files of the same form, which fit every model of their kind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.keys import UP, heading_of
from gambol.limits import clamp_turns
from gambol.model import Model
from gambol.motion import Pose

__all__ = ["Posture", "base_of", "load_base", "mirrored", "pose_with", "posture", "save_base", "sum_of"]

Array = NDArray[np.float64]
EXTENT = 3.0  # largest coefficient
LARGEST = 1 << 20  # bytes of a file of postures


class Posture(NamedTuple):
    """What a posture adds to the rest pose.

    Attributes:
        turns: joint -> rotation vector ``(3,)`` rad.
        root: ``(3,)``, place of the root, in heights of the model, along its heading.
        lift: beginnings of names of soles that leave the ground.
    """

    turns: Mapping[str, Array]
    root: Array
    lift: tuple[str, ...] = ()


REST = Posture({}, np.zeros(3))


def base_of(kind: str) -> dict[str, Posture]:
    """The elemental postures of a kind of model, left and right; GambolError where there are none."""
    table = _tables()
    if kind not in table:
        raise GambolError(f"no postures for the kind {kind!r}", where="postures", allowed=", ".join(table))
    return dict(table[kind])


def posture(text: str, base: Mapping[str, Posture]) -> Posture:
    """A posture from its text: names of a base with coefficients, added: ``lean_left*0.5 + nod``.

    Raises:
        GambolError: for a name that is not in the base, or a coefficient that is none.
    """
    out = REST
    for term in text.split("+"):
        name, star, number = term.partition("*")
        name = name.strip()
        if name not in base:
            from difflib import get_close_matches

            near = get_close_matches(name, base, 1)
            do = f"did you mean {near[0]!r}?" if near else ""
            raise GambolError(f"no posture is called {name!r}", where=text[:60], allowed=", ".join(base), do=do)
        try:
            extent = float(number) if star else 1.0
        except ValueError:
            extent = np.nan
        if not abs(extent) <= EXTENT:
            raise GambolError(f"extent {number.strip()!r}", where=text[:60], allowed=f"a number up to {EXTENT:g}")
        out = sum_of(out, base[name], extent)
    return out


def sum_of(a: Posture, b: Posture, extent: float = 1.0) -> Posture:
    """``a`` and so much of ``b``; soles that either lifts are lifted."""
    turns = dict(a.turns)
    for name, turn in b.turns.items():
        turns[name] = turns.get(name, np.zeros(3)) + extent * turn
    lift = a.lift + (b.lift if abs(extent) > 0.2 else ())
    return Posture(turns, a.root + extent * b.root, tuple(dict.fromkeys(lift)))


def mirrored(posture_: Posture) -> Posture:
    """The other way round: left is right, and turns about y and z change their sign."""
    turns = {other_side(n): t * [1.0, -1.0, -1.0] for n, t in posture_.turns.items()}
    return Posture(turns, posture_.root * [-1.0, 1.0, 1.0], tuple(map(other_side, posture_.lift)))


def other_side(name: str) -> str:
    """left for right and right for left, wherever they stand in a name."""
    parts = name.split("_")
    return "_".join({"left": "right", "right": "left"}.get(p, p) for p in parts)


def pose_with(model: Model, posture_: Posture, at: tuple[Array, float] | None = None) -> tuple[Pose, tuple[str, ...]]:
    """A posture on a model: its pose, and the soles it leaves on the ground.

    Args:
        model: any of the kind the posture is for.
        posture_: what it adds to the rest pose; turns beyond a joint's range stop there.
        at: (x, y, z) m and heading rad of the place where it stands; by default where it rests, looking along +z.

    Raises:
        GambolError: for joints that the model does not have.
    """
    skeleton = model.skeleton
    turns = np.zeros((len(skeleton), 3))
    for pattern, turn in posture_.turns.items():
        names = [n for n in skeleton.names if n == pattern or ("*" in pattern and fnmatchcase(n, pattern))]
        if not names and "*" not in pattern and not _left_out(model, pattern):
            raise GambolError(
                f"the model has no joint {pattern!r}", where=f"posture of a {model.kind}",
                allowed=", ".join(skeleton.names), do="take a posture for this kind of model",
            )
        for name in names:
            if name in posture_.turns and name != pattern:
                continue  # the name itself says more than a pattern
            turns[skeleton.index(name)] += turn
    whole = turns[0].copy()
    turns = clamp_turns(turns, model.limits)
    turns[0] = whole
    place, yaw = (np.zeros(3), 0.0) if at is None else at
    rotations = quat.exp(turns)
    facing = quat.exp(yaw * UP)
    height = float(np.ptp(skeleton.rest_positions()[:, 1]))
    rotations[0] = quat.multiply(facing, rotations[0])
    root = skeleton.offsets[0] + np.asarray(place) + quat.rotate(facing, posture_.root * height)
    names = [skeleton.names[s] for s in skeleton.soles]
    standing = tuple(n for n in names if not n.startswith(posture_.lift or ("\0",)))
    return Pose(root, rotations), standing


def load_base(path: str | Path) -> dict[str, Posture]:
    """A base from a JSON file ``{"kind": ..., "postures": {name: {"joints": {joint: [x, y, z] degrees}, ...}}}``.

    The built-in postures of its kind are there as well; those of the file come first.

    Raises:
        GambolError: for a file that is no such table.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
        if len(data) > LARGEST:
            raise ValueError(f"{len(data)} bytes")
        table = json.loads(data.decode("utf-8-sig"))
        postures, kind = table["postures"], table["kind"]
        if not isinstance(postures, dict) or not isinstance(kind, str):
            raise TypeError("postures must be a table, kind a word")
    except OSError as error:
        raise GambolError(f"it cannot be read: {error.strerror}", where=str(path)) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        what = f"no table of postures: {type(error).__name__} {error}"
        allowed = '{"kind": "person", "postures": {"name": {"joints": {"head": [10, 0, 0]}}}}'
        raise GambolError(what[:200], where=str(path), allowed=allowed) from error
    return {**(_tables().get(kind, {})), **_both_sides(postures, str(path))}


def save_base(postures: Mapping[str, Posture], kind: str, path: str | Path) -> None:
    """Write postures as :func:`load_base` reads them."""
    from gambol.io.target import replace_all

    rows = {
        name: {
            "joints": {j: np.degrees(t).round(9).tolist() for j, t in p.turns.items()}, "root": p.root.tolist(),
            "lift": list(p.lift),
        }
        for name, p in postures.items()
    }
    replace_all([(path, (json.dumps({"kind": kind, "postures": rows}, indent=1) + "\n").encode())])


def posture_of(model: Model, pose: Pose) -> Posture:
    """What a pose adds to the rest pose of its model: a posture to keep."""
    turns = quat.log(pose.rotations)
    turns[0] = quat.log(quat.multiply(quat.exp(-heading_of(pose.rotations[0]) * UP), pose.rotations[0]))
    moved = {n: t for n, t in zip(model.skeleton.names, turns) if np.abs(t).max() > 1e-9}
    height = float(np.ptp(model.skeleton.rest_positions()[:, 1])) or 1.0
    return Posture(moved, np.array([0.0, (pose.root[1] - model.skeleton.offsets[0, 1]) / height, 0.0]))


def _left_out(model: Model, joint: str) -> bool:
    """Fingers and ends that simpler skeletons of the same kind do without."""
    return any(part in joint for part in ("thumb", "index", "middle", "ring", "little", "toes", "shoulder"))


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, Posture]]:
    text = files("gambol").joinpath("data/postures.json").read_text(encoding="utf-8")
    return {kind: _both_sides(rows, f"postures.json, {kind}") for kind, rows in json.loads(text).items()}


def _both_sides(rows: Mapping[str, Any], where: str) -> dict[str, Posture]:
    out: dict[str, Posture] = {}
    for name, row in rows.items():
        out[name] = made = _read(row, f"{where}, {name}")
        if "left" in name.split("_"):
            out.setdefault(other_side(name), mirrored(made))
    return out


def _read(row: Any, where: str) -> Posture:
    try:
        turns = {str(j): np.radians(np.array(t, float)) for j, t in row["joints"].items()}
        root = np.array(row.get("root", (0, 0, 0)), float)
        lift = tuple(map(str, row.get("lift", ())))
        fine = all(t.shape == (3,) and np.isfinite(t).all() for t in turns.values())
        if not (fine and root.shape == (3,) and np.isfinite(root).all()):
            raise ValueError("three finite numbers are needed for each joint and for the root")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise GambolError(f"no posture: {error}", where=where, allowed='{"joints": {"head": [10, 0, 0]}}') from error
    return Posture(turns, root, lift)
