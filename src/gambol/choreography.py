"""Choreography: a small file that says which posture comes when, and dances made up from music by rules.

A score (TOML or JSON) names a model, postures at beats or seconds, and what the joints are like; it may walk between
dances. ``rules.toml`` holds what a made-up dance is made of. Everything random comes from a seed.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.keys import UP, Key
from gambol.model import Model
from gambol.models import model as model_of
from gambol.music import Beats, beats_of, every_other, metronome
from gambol.postures import base_of, load_base, mirrored, pose_with, posture, sum_of

__all__ = ["Part", "Score", "dance_to", "keys_of", "load_score"]

Array = NDArray[np.float64]
LARGEST = 1 << 20  # bytes of a score
MOST_KEYS = 20_000
DIALS = ("inertia", "damping", "stiffness", "lag", "balance")
FIELDS = {
    "model", "bpm", "song", "offset", "fps", "seed", "mode", "loop", "repeat", "mirror", "postures", "key", "part",
    "base", *DIALS,
}
KEY_FIELDS = {"at", "posture", "hold", "move", "turn", "jump", "mirror"}
PART_FIELDS = {"key", "walk", "run", "speed", "repeat", "mirror"}
REFERENCE = 110.0  # beats a minute at which joints have their usual inertia


@dataclass(frozen=True)
class Part:
    """A dance, or a walk or run (a path as text and a speed in m/s) between two."""

    keys: tuple[Key, ...] = ()
    walk: str = ""
    speed: float | None = None
    runs: bool = False


@dataclass(frozen=True)
class Score:
    """A choreography, ready to be danced.

    Attributes:
        model: who dances.
        parts: dances and walks, in order.
        dials: of the elastic dance.
        mode: hit or pull.
        period: s of a loop, or None.
        fps: frames a second, where the score says so.
        seed: of what is made up.
        beats: of the music, or None where times are seconds.
    """

    model: Model
    parts: tuple[Part, ...]
    dials: Mapping[str, float] = field(default_factory=dict)
    mode: str = "hit"
    period: float | None = None
    fps: float | None = None
    seed: int = 0
    beats: Beats | None = None


def load_score(path: str | Path, song: str | Path | None = None, dancer: Model | None = None) -> Score:
    """A score from a TOML or JSON file.

    Args:
        path: the file.
        song: takes the place of the one it names.
        dancer: takes the place of the model it names.

    Raises:
        GambolError: for a file that is no score, with the entry that cannot be used.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
        if len(data) > LARGEST:
            raise ValueError(f"{len(data)} bytes")
        text = data.decode("utf-8-sig")
        table = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
        if not isinstance(table, dict):
            raise ValueError("it is no table")
    except OSError as error:
        raise GambolError(f"it cannot be read: {error.strerror}", where=str(path), do="check its name") from error
    except (ValueError, RecursionError) as error:
        raise GambolError(f"no score: {error}"[:200], where=str(path), allowed="TOML or JSON") from error
    _known(table, FIELDS, str(path))
    who = dancer or model_of(_text(table, "model", "person", str(path)))
    base = base_of(who.kind)
    if "postures" in table:
        base = load_base(path.parent / _text(table, "postures", "", str(path)))
    beats = _beats(table, path, song)
    parts = []
    for n, row in enumerate(_rows(table, "part", str(path)) or [{k: table[k] for k in PART_FIELDS if k in table}]):
        where = f"{path}, part {n + 1}"
        _known(row, PART_FIELDS, where)
        gait = next((g for g in ("walk", "run") if g in row), None)
        if gait is not None:
            speed = _number(row, "speed", np.nan, where, (0.05, 12.0))
            parts.append(Part((), _text(row, gait, "", where), None if np.isnan(speed) else speed, gait == "run"))
        else:
            parts.append(Part(_part_keys(row, (who, base), beats, where)))
    loop, ends = table.get("loop", False), [p.keys[-1] for p in parts if p.keys]
    if loop and (len(parts) != 1 or not ends):
        raise GambolError("a loop is one dance, without walks", where=str(path), do="leave loop out")
    return Score(
        who, tuple(parts), {d: _number(table, d, 1.0, str(path)) for d in DIALS if d in table},
        _text(table, "mode", "hit", str(path)), _period(parts[0].keys, table, beats, str(path)) if loop else None,
        _number(table, "fps", 60.0, str(path), (1, 10000)) if "fps" in table else None,
        int(_number(table, "seed", 0, str(path), (0, 2**53))), beats,
    )


def dance_to(beats: Beats, who: Model, seed: int = 0, start: str = "stand") -> Score:
    """A dance made up for music, by ``rules.toml``: the same seed, the same dance.

    Args:
        beats: of the song.
        who: the model.
        seed: of the choice of figures.
        start: the posture it begins and ends in.

    Raises:
        GambolError: for a kind of model there are no rules for, or music without beats.
    """
    rules, base = _rules(), base_of(who.kind)
    if who.kind not in rules:
        raise GambolError(f"no rules for the kind {who.kind!r}", where="rules.toml", allowed=", ".join(rules))
    beats = every_other(beats)
    if len(beats.times) < 2:
        raise GambolError("there are fewer than two beats", where="music", do="give another song or --bpm")
    feeling = beats.mode or "major"
    figures = rules[who.kind][feeling]
    rng, keys = np.random.default_rng(seed), []
    accent = posture(rules["accent"][who.kind], base)
    quiet, loud = rules["extent"]["quiet"], rules["extent"]["loud"]
    pair = (0, 0)
    for bar, (first, after) in enumerate(_bars(beats)):
        if bar % 4 == 0:
            pair = tuple(rng.permutation(len(figures))[:2]) if len(figures) > 1 else (0, 0)
        figure = figures[pair[bar % 4 // 2]]
        for n, beat in enumerate(range(first, after)):
            extent = quiet + (loud - quiet) * float(beats.energy[beat])
            there = posture(figure[n % len(figure)], base)
            moved = sum_of(posture(start, base), mirrored(there) if bar % 2 else there, extent)
            moved = sum_of(moved, accent, extent) if n == 0 and not moved.lift else moved
            pose, standing = pose_with(who, moved)
            keys.append(Key(float(beats.times[beat]), pose, 0.0, standing))
    if keys[0].time > 1e-3:
        pose, standing = pose_with(who, posture(start, base))
        keys.insert(0, Key(0.0, pose, 0.0, standing))
    interval = float(np.median(np.diff(beats.times)))
    pose, standing = pose_with(who, posture(start, base))
    keys.append(Key(keys[-1].time + interval, pose, interval, standing))
    spring = dict(rules["feeling"][beats.mode or "none"])
    spring["inertia"] = float(np.clip(spring["inertia"] / np.sqrt(max(beats.tempo, 30.0) / REFERENCE), 0.2, 5.0))
    spring["balance"] = 0.75 if who.kind == "person" else 0.0
    return Score(who, (Part(tuple(keys)),), spring, beats=beats, seed=seed)


def keys_of(
    rows: Sequence[Mapping[str, Any]], who: Model, base: Mapping[str, Any], beats: Beats | None, where: str = "score"
) -> tuple[Key, ...]:
    """Keys from the rows of a score; ``at`` and ``hold`` in beats where there is music, else in s."""
    out: list[Key] = []
    place, yaw = np.zeros(3), 0.0
    stand = posture("stand", base)
    for n, row in enumerate(rows):
        here = f"{where}, key {n + 1}"
        _known(row, KEY_FIELDS, here)
        text = _text(row, "posture", "stand", here)
        made = sum_of(stand, posture(text, base)) if text.strip() != "stand" else stand
        made = mirrored(made) if row.get("mirror", False) else made
        move = np.array(row.get("move", (0.0, 0.0)), float) if _pair(row.get("move", (0, 0))) else np.full(2, np.nan)
        if not np.isfinite(move).all() or np.abs(move).max() > 100:
            raise GambolError(f"move is {row.get('move')!r}", where=here, allowed="[aside, ahead] in m")
        yaw += np.radians(_number(row, "turn", 0.0, here, (-3600, 3600)))
        place = place + quat.rotate(quat.exp(yaw * UP), [move[0], 0.0, move[1]])
        pose, standing = pose_with(who, made, (place, yaw))
        at, hold = _number(row, "at", float(n), here, (0, 1e5)), _number(row, "hold", 0.0, here, (0, 1e5))
        start = _when(beats, at)
        out.append(Key(start, pose, _when(beats, at + hold) - start, standing, bool(row.get("jump", False))))
    return tuple(out)


def _part_keys(row: Mapping[str, Any], who: tuple[Model, Any], beats: Beats | None, where: str) -> tuple[Key, ...]:
    """A dance's keys, repeated, every second time mirrored where asked."""
    rows = _rows(row, "key", where)
    if not rows:
        raise GambolError("it has neither keys nor a walk", where=where, allowed="[[key]] rows, or walk = \"0,0 0,3\"")
    repeat = int(_number(row, "repeat", 1, where, (1, 1000)))
    if len(rows) * repeat > MOST_KEYS:
        raise GambolError(f"{len(rows) * repeat} keys", where=where, allowed=f"{MOST_KEYS}")
    ats = [_number(r, "at", float(n), f"{where}, key {n + 1}", (0, 1e5)) for n, r in enumerate(rows)]
    last = _number(rows[-1], "hold", 0.0, where, (0, 1e5))
    length = ats[-1] + last + (max(float(np.median(np.diff(ats))), 1e-3) if len(ats) > 1 else 1.0) - ats[0]
    every = [
        {**r, "at": a + k * length, "mirror": bool(r.get("mirror", False)) != bool(row.get("mirror", False) and k % 2)}
        for k in range(repeat) for r, a in zip(rows, ats)
    ]
    return keys_of(every, who[0], who[1], beats, where)


def _beats(table: Mapping[str, Any], path: Path, song: str | Path | None) -> Beats | None:
    from gambol.music import shifted

    named = song if song is not None else path.parent / _text(table, "song", "", str(path)) if "song" in table else None
    offset = _number(table, "offset", 0.0, str(path), (-3600, 3600))
    if named is not None:
        return shifted(beats_of(named), offset)
    if "bpm" not in table:
        return None
    return metronome(_number(table, "bpm", 120.0, str(path), (10, 400)), 3600.0, max(offset, 0.0))


def _period(keys: Sequence[Key], table: Mapping[str, Any], beats: Beats | None, where: str) -> float:
    """s of a loop: as it says (in beats or s), else as long after the last key as the keys are apart."""
    if not isinstance(table["loop"], bool):
        return _when(beats, _number(table, "loop", 0.0, where, (0, 1e5)))
    gaps = np.diff([k.time for k in keys])
    end = keys[-1].time + keys[-1].hold
    return end - keys[0].time + (float(np.median(gaps)) if len(gaps) else 1.0)


def _bars(beats: Beats) -> list[tuple[int, int]]:
    """(first beat, one after the last) of every bar, an upbeat among them."""
    edges = sorted({0, *beats.bars.tolist(), len(beats.times)})
    return list(pairwise(edges))


def _when(beats: Beats | None, at: float) -> float:
    """s of a beat (fractions between two; beyond the end, at its last tempo)."""
    if beats is None:
        return at
    times = beats.times
    if len(times) < 2:
        raise GambolError("the music has fewer than two beats", where="score")
    if at <= len(times) - 1:
        return float(np.interp(at, np.arange(len(times)), times))
    return float(times[-1] + (at - len(times) + 1) * (times[-1] - times[-2]))


def _known(row: Any, fields: set[str], where: str) -> None:
    from difflib import get_close_matches

    if not isinstance(row, Mapping):
        raise GambolError("it is no table", where=where)
    for name in row:
        if name not in fields:
            near = get_close_matches(str(name), fields, 1)
            do = f"did you mean {near[0]!r}?" if near else ""
            raise GambolError(f"no entry is called {name!r}", where=where, allowed=", ".join(sorted(fields)), do=do)


def _rows(table: Mapping[str, Any], name: str, where: str) -> list[Mapping[str, Any]]:
    rows = table.get(name, [])
    if not isinstance(rows, list) or not all(isinstance(r, Mapping) for r in rows):
        raise GambolError(f"{name} is no list of tables", where=where, allowed=f"[[{name}]]")
    return rows


def _text(row: Mapping[str, Any], name: str, default: str, where: str) -> str:
    value = row.get(name, default)
    if not isinstance(value, str) or "\0" in value:
        raise GambolError(f"{name} is {value!r}", where=where, allowed="a text")
    return value


def _number(
    row: Mapping[str, Any], name: str, default: float, where: str, limits: tuple[float, float] = (-1e6, 1e6)
) -> float:
    value = row.get(name, default)
    if name in row and (isinstance(value, bool) or not isinstance(value, int | float) or not (
        limits[0] <= value <= limits[1]
    )):
        raise GambolError(f"{name} is {value!r}", where=where, allowed=f"a number, {limits[0]:g} to {limits[1]:g}")
    return float(value)


def _pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(
        isinstance(v, int | float) and not isinstance(v, bool) for v in value
    )


@lru_cache(maxsize=1)
def _rules() -> dict[str, Any]:
    return tomllib.loads(files("gambol").joinpath("data/rules.toml").read_text(encoding="utf-8"))
