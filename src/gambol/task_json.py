"""A Task as JSON and back: what a line of a task list holds.

Only what differs from a default need be said. A body's shape is the rest offset of each of a person's joints, a key of
a dance the root's place and every joint's rotation. Paths are points, drawn (then corners are rounded) or exact (with
``pivots``), or a file; grounds are objects with a ``kind`` or the texts of the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from typing import Any

import numpy as np

from gambol.body import Body
from gambol.errors import GambolError
from gambol.gait import Gait
from gambol.keys import Key
from gambol.model import Model
from gambol.models import MODELS, model
from gambol.motion import Pose
from gambol.path import Path, load_path, parse_path, walkable
from gambol.skeleton import Skeleton
from gambol.synthesis import Task
from gambol.terrain import Flat, HeightField, Mesh, Slope, Stairs, Terrain, parse_terrain

__all__ = ["KEYS", "pick", "task_from_json", "task_to_json"]

KEYS = (
    "body", "path", "terrain", "gait", "laps", "fps", "duration", "seed", "hand_load", "model", "keys", "period",
)  # fmt: skip
KEY = ("time", "root", "rotations", "hold", "planted", "jump")
GAIT = ("speed", "step_length", "cadence", "width")
GROUNDS: dict[str, tuple[str, ...]] = {  # kind -> its fields
    "flat": ("y",), "slope": ("angle_deg", "heading_deg"), "stairs": ("rise", "tread", "count", "width", "start"),
    "field": ("x", "z", "y"), "mesh": ("vertices", "faces", "name"),
}


def task_to_json(task: Task) -> dict[str, Any]:
    """The task as a plain table; :func:`task_from_json` gives the same walk back, bit by bit.

    Raises:
        GambolError: for a task with commands or wind, or with a model or a ground of its own kind.
    """
    for name in ("wind", "commands"):
        if getattr(task, name) is not None:
            raise GambolError(f"a task with {name} has no JSON", where="task", allowed=", ".join(KEYS))
    dance = {
        "model": None if task.model is None else _model_name(task.model), "period": task.period,
        "keys": [_key_to_json(key) for key in task.keys],
    }  # fmt: skip
    path, speed = task.path, task.gait.speed
    asked = {k: v for k in GAIT if (v := getattr(task.gait, k)) is not None}
    return {
        "body": _body_to_json(task.body),
        "path": {"points": path.points.tolist(), "closed": path.closed, "pivots": list(path.pivots)},
        "terrain": _ground_to_json(task.terrain),
        "gait": asked | ({"speed": [list(row) for row in speed]} if isinstance(speed, tuple) else {}),
        "laps": task.laps, "fps": task.fps, "duration": task.duration, "seed": task.seed,
        "hand_load": list(task.hand_load), **{k: v for k, v in dance.items() if v},
    }


def task_from_json(data: Any, where: str = "task") -> Task:
    """The task that a table describes.

    Args:
        data: as JSON gives it; what is missing is as in ``Task()``.
        where: file and line, for errors.

    Raises:
        GambolError: naming what cannot be used.
    """
    known = pick(data, KEYS, where)
    read: dict[str, Callable[[Any, str], Any]] = {
        "body": _body, "path": _path, "terrain": _terrain,
        "gait": _gait, "laps": _whole, "seed": _whole, "fps": _number, "duration": _maybe, "hand_load": _pair,
        "model": _model, "keys": _keys, "period": _maybe,
    }  # fmt: skip
    try:
        return Task(**{key: read[key](value, f"{where}: {key}") for key, value in known.items()})
    except GambolError as error:
        if error.where.startswith(where):
            raise
        raise GambolError(error.what, where=f"{where}: {error.where}", allowed=error.allowed, do=error.do) from None
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise GambolError(f"it cannot be used ({str(error)[:80]})", where=where) from None


def pick(data: Any, keys: tuple[str, ...], where: str) -> dict[str, Any]:
    """The entries of a table whose names are all known.

    Raises:
        GambolError: for what is no table, and for a name that is not known, with the nearest one.
    """
    if not isinstance(data, Mapping):
        raise GambolError(f"{str(data)[:60]!r} is no table", where=where, allowed="{" + ", ".join(keys) + "}")
    for key in data:
        if key not in keys:
            close = get_close_matches(str(key), keys, 1)
            do = f"did you mean {close[0]!r}?" if close else "remove it"
            raise GambolError(f"there is no {str(key)[:40]!r}", where=where, allowed=", ".join(keys), do=do)
    return dict(data)


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise GambolError(f"{str(value)[:40]!r} is not a number", where=where)
    return float(value)


def _maybe(value: Any, where: str) -> float | None:
    return None if value is None else _number(value, where)


def _whole(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise GambolError(f"{str(value)[:40]!r} is not a whole number", where=where)
    return value


def _pair(value: Any, where: str) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise GambolError(f"{str(value)[:40]!r} is not two numbers", where=where, allowed="[left, right] in kg")
    return _number(value[0], where), _number(value[1], where)


def _numbers(value: Any, keys: tuple[str, ...], where: str) -> dict[str, float]:
    return {k: _number(v, f"{where}: {k}") for k, v in pick(value, keys, where).items() if v is not None}


def _array(value: Any, where: str, width: tuple[int, ...] = ()) -> np.ndarray:
    """Rows of numbers, all as long as one of ``width``; else anything of numbers."""
    try:
        out = np.array(value, float)
    except (TypeError, ValueError, OverflowError):
        raise GambolError("these are not rows of numbers of one length", where=where) from None
    if width and (out.ndim != 2 or out.shape[1] not in width):
        allowed = "rows of " + " or ".join(map(str, width))
        raise GambolError(f"numbers of shape {out.shape}", where=where, allowed=allowed)
    return out


def _body(value: Any, where: str) -> Body:
    known = pick(value, ("height", "mass", "shape"), where)
    shape = known.pop("shape", None)
    numbers = _numbers(known, ("height", "mass"), where)
    if shape is None:
        return Body(numbers.get("height", Body.height), numbers.get("mass"))
    offsets, joints = _array(shape, f"{where}: shape", (3,)), len(Body().skeleton)
    if len(offsets) != joints:
        raise GambolError(f"{len(offsets)} offsets", where=f"{where}: shape", allowed=f"{joints}, one for a joint")
    return Body(mass=numbers.get("mass"), shape=_shape(offsets))


def _shape(offsets: np.ndarray) -> Skeleton:
    """A person's joints with other offsets (J, 3)."""
    usual = Body().skeleton
    return Skeleton(usual.names, usual.parents, offsets, usual.soles)


def _body_to_json(body: Body) -> dict[str, Any]:
    if body.shape is None:
        return {"height": body.height, "mass": body.mass}
    if body.shape != _shape(body.shape.offsets):
        what = "a shape whose joints are in an order of its own has no JSON"
        raise GambolError(what, where="task: body", allowed="the joints of a built-in person, in their order")
    return {"mass": body.mass, "shape": body.shape.offsets.tolist()}


def _model(value: Any, where: str) -> Model:
    return model(str(value))


def _model_name(own: Model) -> str:
    """The name by which a file knows a built-in model."""
    with suppress(GambolError):
        if model(own.name).skeleton == own.skeleton:
            return own.name
    what = f"the model {own.name!r} is none of those built in, and has no JSON"
    raise GambolError(what, where="task", allowed=", ".join(MODELS))


def _keys(value: Any, where: str) -> tuple[Key, ...]:
    if not isinstance(value, list):
        raise GambolError(f"{str(value)[:40]!r} is no list", where=where, allowed="postures at their times")
    return tuple(_key(one, f"{where}: {k}") for k, one in enumerate(value, 1))


def _key(value: Any, where: str) -> Key:
    known = pick(value, KEY, where)
    if missing := [k for k in KEY[:3] if k not in known]:
        raise GambolError(f"{missing[0]} is missing", where=where, allowed=", ".join(KEY))
    pose = Pose(_array(known["root"], f"{where}: root"), _array(known["rotations"], f"{where}: rotations", (4,)))
    planted, jump = known.get("planted"), known.get("jump", False)
    if not isinstance(jump, bool) or not (planted is None or isinstance(planted, list)):
        raise GambolError("planted is no list of soles, or jump not true or false", where=where)
    time, hold = (_number(known.get(k, 0.0), f"{where}: {k}") for k in ("time", "hold"))
    return Key(time, pose, hold, None if planted is None else tuple(map(str, planted)), jump)


def _key_to_json(key: Key) -> dict[str, Any]:
    pose = {"root": np.asarray(key.pose.root).tolist(), "rotations": np.asarray(key.pose.rotations).tolist()}
    planted = None if key.planted is None else list(key.planted)
    return {"time": key.time, **pose, "hold": key.hold, "planted": planted, "jump": key.jump}


def _gait(value: Any, where: str) -> Gait:
    known = pick(value, GAIT, where)
    speed = known.pop("speed", None)
    if isinstance(speed, list):
        speed = tuple(map(tuple, _array(speed, f"{where}: speed", (2,)).tolist()))
    elif speed is not None:
        speed = _number(speed, f"{where}: speed")
    return Gait(speed=speed, **_numbers(known, GAIT, where))


def _path(value: Any, where: str) -> Path:
    if isinstance(value, str):
        return load_path(value) if value.lower().endswith((".csv", ".json")) else parse_path(value)
    known = pick({"points": value} if isinstance(value, list) else value, ("points", "closed", "pivots"), where)
    points = _array(known.get("points"), f"{where}: points", (2, 3))
    if points.shape[1] == 2:
        points = np.insert(points, 1, 0.0, axis=1)
    closed = known.get("closed", False)
    if not isinstance(closed, bool):
        raise GambolError(f"{str(closed)[:40]!r} is not true or false", where=f"{where}: closed")
    if "pivots" not in known:
        return walkable(points, closed)
    return Path(points, closed, tuple(_array(known["pivots"], f"{where}: pivots").ravel().tolist()))


def _terrain(value: Any, where: str) -> Terrain:
    if isinstance(value, str):
        return parse_terrain(value)
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if kind not in GROUNDS:
        what = f"{str(value if kind is None else kind)[:60]!r} is no kind of ground"
        raise GambolError(what, where=where, allowed=", ".join(GROUNDS))
    known = pick(value, ("kind", *GROUNDS[kind]), where)
    del known["kind"]
    if kind == "slope":
        angles = _numbers(known, GROUNDS["slope"], where)
        return Slope(*(np.radians(angles.get(k, 0.0)).item() for k in GROUNDS["slope"]))
    if kind == "field":
        return HeightField(**{k: _array(known.get(k), f"{where}: {k}") for k in ("x", "z", "y")})
    if kind == "mesh":
        corners = (_array(known.get(k), f"{where}: {k}", (3,)) for k in ("vertices", "faces"))
        return Mesh(next(corners), next(corners).astype(int), str(known.get("name", "")))
    if kind == "flat":
        return Flat(**_numbers(known, ("y",), where))
    numbers: dict[str, Any] = _numbers(known, GROUNDS["stairs"], where)
    if missing := [k for k in ("rise", "tread", "count") if k not in numbers]:
        raise GambolError(f"{missing[0]} is missing", where=where, allowed=", ".join(GROUNDS["stairs"]))
    return Stairs(**{**numbers, "count": _whole(known["count"], f"{where}: count")})


def _ground_to_json(ground: Terrain) -> dict[str, Any]:
    if isinstance(ground, Flat):
        return {"kind": "flat", "y": ground.y}
    if isinstance(ground, Slope):
        angles = {"angle_deg": ground.angle, "heading_deg": ground.heading}
        return {"kind": "slope", **{k: _degrees(v) for k, v in angles.items()}}
    if isinstance(ground, Stairs):
        return {"kind": "stairs", **{k: getattr(ground, k) for k in GROUNDS["stairs"]}}
    if isinstance(ground, HeightField):
        return {"kind": "field", **{k: getattr(ground, k).tolist() for k in ("x", "z", "y")}}
    if isinstance(ground, Mesh):
        corners = {"vertices": ground.vertices.tolist(), "faces": ground.faces.tolist()}
        return {"kind": "mesh", **corners, "name": ground.name}
    what = f"a ground of the kind {type(ground).__name__} has no JSON"
    raise GambolError(what, where="task", allowed=", ".join(GROUNDS))


def _degrees(angle: float) -> float:
    """Degrees that turn back into exactly this angle: the nearest of the neighbours does."""
    near = float(np.degrees(angle))
    around = (near, float(np.nextafter(near, np.inf)), float(np.nextafter(near, -np.inf)))
    return next((d for d in around if float(np.radians(d)) == angle), near)
