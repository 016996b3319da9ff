"""From what a person types to a run: the form behind ``gambol run``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from gambol.errors import GambolError
from gambol.forms import ENGINES, dial_values, nearest

if TYPE_CHECKING:
    from gambol.path import Path
    from gambol.synthesis import Task
    from gambol.terrain import Terrain

__all__ = [
    "DEFAULT_RUN", "DEFAULT_RUN_PACE", "RunForm", "RunPaceForm", "changing", "explained", "parse_speed", "presets",
]

PRESETS = FilePath(__file__).with_name("run_presets.json")


@dataclass(frozen=True)
class RunPaceForm:
    """How the figure runs: what is given is locked, the rest follows by the laws.

    Attributes:
        speed: m/s along the path, or a list of time:speed such as "0:2.5 5:4".
        cadence: steps a minute.
        step_length: m from one foot's landing to the other's.
        flight_height: m that the mass centre rises after toe-off.
        level: of expertise, -1 (short steps) to 1 (long ones).
        height: of the body, m.
        mass: of the body, kg.
    """

    speed: str | None = None
    cadence: float | None = None
    step_length: float | None = None
    flight_height: float | None = None
    level: float | None = None
    height: float | None = None
    mass: float | None = None


@dataclass(frozen=True)
class RunForm:
    """What the run is sampled at, and which run it is.

    Attributes:
        fps: frames a second, any positive real.
        duration: s; a shorter one cuts the run, a longer one ends standing.
        laps: times round a closed path.
        seed: of everything random.
        preset: run, jog, sprint, bouncy, tired, cartoon, child or paper.
        engine: numpy, or compiled (needs numba; quicker from the second run on).
    """

    fps: float = 120.0
    duration: float | None = None
    laps: int = 1
    seed: int = 0
    preset: str | None = None
    engine: str = "numpy"

    def method(self, pace: RunPaceForm, dials: Iterable[str] = ()) -> Any:
        """The run with a preset and ``name=value`` dials set.

        Raises:
            GambolError: for a preset or dial that is not known, not a number or out of range.
        """
        from gambol.methods.running import Running

        if self.engine not in ENGINES:
            raise GambolError(
                f"no engine is called {self.engine!r}", where="--engine", allowed=" or ".join(ENGINES),
                do=nearest(self.engine, ENGINES),
            )
        values = {k: v for k, v in presets(self.preset).items() if k not in ("speed", "height")}
        values |= dial_values(Running, dials)
        if pace.level is not None:
            values |= dial_values(Running, [f"level={pace.level!r}"])
        return Running(engine=self.engine, flight_height=_positive(pace.flight_height, "--flight-height"), **values)

    def task(self, scene: tuple[Path, Terrain], pace: RunPaceForm) -> Task:
        """The task: this form, a scene and a pace."""
        from gambol.body import Body
        from gambol.gait import Gait
        from gambol.synthesis import Task

        preset = presets(self.preset)
        path, terrain = scene
        height = preset.get("height") if pace.height is None else pace.height
        body = Body(mass=pace.mass) if height is None else Body(height, pace.mass)
        speed: Any = None if pace.speed is None else parse_speed(pace.speed)
        if speed is None and "speed" in preset and (pace.cadence is None or pace.step_length is None):
            tall = float(preset.get("height", 1.75))
            speed = float(preset["speed"]) * (body.height / tall) ** 0.5
        gait = Gait(speed=speed, step_length=pace.step_length, cadence=pace.cadence)
        return Task(
            body=body, path=path, terrain=terrain, gait=gait, laps=self.laps, fps=self.fps,
            duration=self.duration, seed=self.seed,
        )


DEFAULT_RUN, DEFAULT_RUN_PACE = RunForm(), RunPaceForm()


def presets(name: str | None = None) -> dict[str, Any]:
    """The dial values of a preset; without a name none.

    Raises:
        GambolError: for a name that is not known.
    """
    if name is None:
        return {}
    known = json.loads(PRESETS.read_text(encoding="utf-8"))
    if name not in known:
        raise GambolError(f"no preset is called {name!r}", where="--preset", do=nearest(name, known))
    return dict(known[name])


def parse_speed(text: str) -> float | tuple[tuple[float, float], ...]:
    """A speed in m/s, or a list of time:speed (s, m/s) with rising times.

    Raises:
        GambolError: naming the word that is neither.
    """
    words = text.replace(",", " ").split()
    if not words:
        raise GambolError("no speed is given", where="--speed", allowed="a number, or time:speed time:speed ...")
    try:
        if len(words) == 1 and ":" not in words[0]:
            return float(words[0])
        rows = [tuple(float(v) for v in word.split(":")) for word in words]
    except ValueError:
        rows = [()]
    bad = [w for w, row in zip(words, rows) if len(row) != 2]
    if bad or len(rows) != len(words):
        what = f"{(bad or words)[0]!r} is neither a speed nor time:speed"
        raise GambolError(what, where="--speed", allowed='a number, or "0:2.5 5:4" (seconds:m/s)')
    return tuple((row[0], row[1]) for row in rows)


def changing(method: Any, task: Task) -> Any:
    """The run, or, where the list of speeds has slower ones, a walk that becomes that run."""
    from gambol.run_laws import slowest_speed

    speeds = task.gait.speed
    if not isinstance(speeds, tuple) or min(v for _, v in speeds) >= slowest_speed(task.body):
        return method
    from gambol.gait_change import GaitChange
    from gambol.methods.force_walk import ForceWalk

    return GaitChange(ForceWalk(engine=method.engine), method)


def explained(method: Any, task: Task) -> list[str]:
    """Each parameter of a run and the law that gave it."""
    from gambol.run_laws import couple

    reasons: dict[str, str] = {}
    asked = method.asked(task, 0.0)
    pace = couple(asked, task.body, reasons)
    numbers = {
        "speed": f"{pace.speed:.3f} m/s", "step length": f"{pace.step_length:.3f} m",
        "step rate": f"{60 / pace.step_time:.1f} a minute", "flight": f"{1e3 * pace.flight:.0f} ms",
        "contact": f"{1e3 * pace.contact:.0f} ms", "flight height": f"{1e3 * pace.flight_height:.1f} mm",
    }
    leg = task.body.leg_length
    lines = [f"l = {leg:.3f} m, F = v / sqrt(g l) = {pace.speed / (9.81 * leg) ** 0.5:.2f}"]
    return lines + [f"{name:13} {value:15} {reasons[name]}" for name, value in numbers.items()]


def _positive(value: float | None, name: str) -> float | None:
    if value is not None and not 0 < value < 10:
        raise GambolError(f"{value:g} m", where=name, allowed="more than 0", do="leave it out, and it follows")
    return value
