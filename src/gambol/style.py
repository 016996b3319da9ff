"""Personality: named styles as values of a walk's dials and pace, blended over time.

Tsutsuguchi et al. 2000 leave it to the future to link the deltas of their force curves to personal styles. Here a
style is a row of a data file (styles.toml): the nine deltas, the dials of posture, and how speed, step length and
width of the gait differ from the usual.
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from gambol.body import Body
from gambol.errors import GambolError
from gambol.gait import MAX_SPEED, MAX_WIDTH, MIN_SPEED, Gait, dimensionless, pace
from gambol.motion import Motion
from gambol.synthesis import Handover, Method, Task, dials

__all__ = [
    "PLAIN", "Key", "Style", "Styled", "blend", "find", "load_style", "parse_styles", "save_style", "styled", "styles",
]

PACE = ("speed", "step", "width")
EASES = (1.0, 0.75, 0.5, 0.25, 0.0)  # of how far a pace goes from the usual, where a body cannot follow it


@dataclass(frozen=True)
class Style:
    """A way to walk.

    Attributes:
        name: of the style.
        meaning: in words.
        speed: times the usual speed, where no speed is asked for.
        step: times the usual step length at the speed there is.
        width: times the usual distance between the lines of the feet.
        dials: (name, value) of dials that differ from their defaults.
    """

    name: str
    meaning: str = ""
    speed: float = 1.0
    step: float = 1.0
    width: float = 1.0
    dials: tuple[tuple[str, float], ...] = ()

    def method(self, method: Any) -> Any:
        """The method in this style: dials that are at their defaults take the style's values.

        Raises:
            GambolError: for a method without these dials.
        """
        known = {d.name: d for d in dials(method)}
        for name, value in self.dials:
            if name not in known:
                raise GambolError(f"style {self.name!r} needs the dial {name!r}", where="style",
                                  allowed="a way of walking that has it", do="leave the style out")
            low, high = known[name].low, known[name].high
            if not low <= value <= high:
                raise GambolError(f"{name} is {value:g}", where=f"style {self.name!r}", allowed=f"{low:g} to {high:g}")
        return replace(method, **{n: v for n, v in self.dials if getattr(method, n) == known[n].default})

    def gait(self, gait: Gait, body: Body, time: float = 0.0) -> Gait:
        """The gait in this style at a time; what was asked for stays, and no more is changed than the body can walk."""
        asked = gait.at(time)
        if asked.speed == 0:
            return gait
        width = gait.width
        if width is None and self.width != 1.0:
            width = min(self.width * 2 * gait.half_width(body), MAX_WIDTH * body.leg_length)
        if asked.step_length is not None or asked.cadence is not None:
            return replace(asked, width=width)
        for ease in EASES:
            try:
                speed = asked.speed
                if speed is None:
                    unit = float(1 / dimensionless(1.0, body))
                    speed = pace(Gait(), body).speed * (1 + ease * (self.speed - 1))
                    speed = min(max(speed, 1.05 * MIN_SPEED * unit), 0.98 * MAX_SPEED * unit)
                length = pace(Gait(speed=speed), body).step_length * (1 + ease * (self.step - 1))
                pace(out := Gait(speed=speed, step_length=length, width=width), body)
                return out
            except GambolError:
                if ease == EASES[-1]:
                    raise
        raise AssertionError


PLAIN = Style("plain", "as usual")
Key = tuple[float, Style]  # s, and the style there


@lru_cache(maxsize=1)
def styles() -> dict[str, Style]:
    """The styles of the data file by name."""
    text = resources.files("gambol").joinpath("styles.toml").read_text(encoding="utf-8")
    return {name: _row(name, row) for name, row in tomllib.loads(text).items()}


def _row(name: str, row: dict[str, Any]) -> Style:
    rest = {k: float(v) for k, v in row.items() if k not in ("meaning", *PACE)}
    return Style(name, row["meaning"], **{k: float(row.get(k, 1.0)) for k in PACE}, dials=tuple(sorted(rest.items())))


def load_style(path: str) -> Style:
    """The first style of a file in the form of styles.toml.

    Raises:
        GambolError: a file that cannot be read, or holds no style.
    """
    try:
        with open(path, "rb") as file:
            rows = tomllib.load(file)
        name, row = next(iter(rows.items()))
        numbers = {k: float(v) for k, v in row.items() if k != "meaning"}
    except (OSError, ValueError, TypeError, AttributeError, StopIteration) as error:
        what = error.strerror if isinstance(error, OSError) else f"it is not a style: {error}"
        allowed = "[name] and rows of dial = number"
        raise GambolError(str(what), where=path, allowed=allowed, do="see gambol styles") from error
    wrong = [k for k in PACE if not 0.2 <= numbers.get(k, 1.0) <= 4.0]
    if wrong or not all(np.isfinite(v) for v in numbers.values()):
        what = f"{wrong[0] if wrong else 'a number'} cannot be"
        raise GambolError(what, where=path, allowed="0.2 to 4 times the usual")
    return _row(str(name), {"meaning": "", **row})


def save_style(style: Style) -> str:
    """The text of a style's file."""
    rows = {"meaning": json.dumps(style.meaning, ensure_ascii=False)}
    rows |= {k: repr(v) for k in PACE if (v := getattr(style, k)) != 1.0}
    rows |= {k: repr(v) for k, v in style.dials}
    return "\n".join([f"[{json.dumps(style.name)}]", *(f"{k} = {v}" for k, v in rows.items()), ""])


def find(name: str) -> Style:
    """A style by its name, or from a .toml file; ``plain`` is the usual walk.

    Raises:
        GambolError: with the nearest name, or all of them.
    """
    if name.lower().endswith(".toml"):
        return load_style(name)
    known = {PLAIN.name: PLAIN, **styles()}
    if name not in known:
        close = get_close_matches(name.lower(), known, 1, 0.6)
        do = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
        raise GambolError(f"no style is called {name[:40]!r}", where="style", do=do)
    return known[name]


def blend(a: Style, b: Style, share: float, defaults: dict[str, float]) -> Style:
    """``1 - share`` of one style and ``share`` of another; a dial that one of them leaves out is at its default."""
    one, two = dict(a.dials), dict(b.dials)

    def mix(x: float, y: float) -> float:
        return x + share * (y - x)

    rest = {n: mix(one.get(n, defaults[n]), two.get(n, defaults[n])) for n in sorted({*one, *two}) if n in defaults}
    numbers = {k: mix(getattr(a, k), getattr(b, k)) for k in PACE}
    return Style(f"{a.name} to {b.name}", "", **numbers, dials=tuple(rest.items()))


def parse_styles(text: str) -> tuple[Key, ...]:
    """``proud``, or keys of time and style, ``0:proud,5:weary``: in between one style becomes the other evenly.

    Raises:
        GambolError: for a name that is not known or times that do not rise.
    """
    keys: list[Key] = []
    for part in text.split(","):
        time, colon, name = part.rpartition(":")
        try:
            at = float(time) if colon else 0.0
        except ValueError:
            at = np.nan
        if not np.isfinite(at) or (keys and not at > keys[-1][0]) or (keys and not colon):
            raise GambolError(f"{text[:60]!r} is not a row of styles", where="--style",
                              allowed="NAME, or SECONDS:NAME,SECONDS:NAME with rising times", do="0:proud,5:weary")
        keys.append((at, find(name.strip())))
    return tuple(keys)


def styled(method: Any, task: Task, keys: tuple[Key, ...]) -> tuple[Any, Task]:
    """Method and task in a style, or in several over time.

    The width of the walk is that of the first style. Dials of ``method`` that are not at their defaults stay.

    Raises:
        GambolError: for a method that has not the dials of a style.
    """
    for _, style in keys:
        style.method(method)
    first = keys[0][1]
    if len(keys) == 1 and not isinstance(task.gait.speed, tuple):
        return first.method(method), replace(task, gait=first.gait(task.gait, task.body))
    width = first.gait(task.gait, task.body).width
    return Styled(method, keys), replace(task, gait=replace(task.gait, width=width))


class _State(NamedTuple):
    inner: Any
    start: float  # s
    frames: int


@dataclass(frozen=True)
class Styled:
    """A way of moving whose style changes with time; itself a method, as pure as the one it dresses.

    Attributes:
        method: with dials.
        keys: (time s, style), times rising; held before the first and after the last.
    """

    method: Any
    keys: tuple[Key, ...]

    def start(self, task: Task, after: Handover | None = None) -> _State:
        """As the method's own, in the first style."""
        time = 0.0 if after is None else after.time
        method, asked = self._dressed(time, task)
        return _State(method.start(asked, after), time, 0)

    def advance(self, state: _State, task: Task) -> tuple[_State, Motion | None]:
        """The method's next stretch in the style of its time."""
        method, asked = self._dressed(state.start + state.frames / task.fps, task)
        inner, part = method.advance(state.inner, asked)
        return state._replace(inner=inner, frames=state.frames + (0 if part is None else len(part))), part

    def handover(self, state: _State) -> Handover:
        """As the method's own."""
        out: Handover = self.method.handover(state.inner)
        return out

    def at(self, time: float) -> Style:
        """The style at a time."""
        times = [t for t, _ in self.keys]
        k = min(max(int(np.searchsorted(times, time, "right")) - 1, 0), len(times) - 1)
        if k == len(times) - 1 or time <= times[0]:
            return self.keys[k][1]
        share = (time - times[k]) / (times[k + 1] - times[k])
        defaults = {d.name: d.default for d in dials(self.method)}
        return blend(self.keys[k][1], self.keys[k + 1][1], share, defaults)

    def _dressed(self, time: float, task: Task) -> tuple[Method, Task]:
        style = self.at(time)
        gait = replace(style.gait(task.gait, task.body, time), width=task.gait.width)
        return style.method(self.method), dataclasses.replace(task, gait=gait)
