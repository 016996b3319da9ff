"""The commands about recorded walks: ``gambol analyse``, ``gambol force``, and ``gambol walk --like``."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from gambol.errors import GambolError
from gambol.forms import PaceForm, WalkForm, dial_values, nearest
from gambol.words import Files, Json, check_targets, print_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gambol.gait_report import GaitReport
    from gambol.motion import Motion, Trial
    from gambol.walk_data import WalkData
    from gambol.whole_force import FootForces

__all__ = ["DEFAULT_LIKE", "LikeForm", "analyse", "force"]

METHODS = ("force", "measured")
TABLES = (".npz", ".csv")


@dataclass(frozen=True)
class LikeForm:
    """Walking as a measured person does.

    Attributes:
        method: force (the walk driven by foot reaction force) or measured (a recorded person's, or the norm's).
        like: a clip, a trial or a .walk file to walk like, as often as there are clips of that person; measured.
        from_leg: length of that person's thigh and shank, m, where the file's unit is in doubt.
        prototype: styles over time, TIME:NAME,TIME:NAME; a name is neutral, tired, proud, or a file; measured.
    """

    method: str = "force"
    like: Annotated[tuple[Path, ...], Parameter(negative=(), show_default=False)] = ()
    from_leg: float | None = None
    prototype: str | None = None

    def made(self, form: WalkForm, pace: PaceForm, dials: Iterable[str]) -> tuple[Any, PaceForm]:
        """The method, and the pace: that of the person where none is asked for.

        Raises:
            GambolError: for a clip that is no walk, or words that are not known.
        """
        if self.method not in METHODS:
            raise GambolError(f"no method is called {self.method!r}", where="--method", allowed=" or ".join(METHODS),
                              do=nearest(self.method, METHODS))
        if self.like and self.prototype is not None:
            raise GambolError("both --like and --prototype", where="--prototype", do="leave one of them out")
        if self.from_leg is not None and not self.like:
            raise GambolError("a leg of nobody", where="--from-leg", do="name the clip: --like FILE")
        if self.method == "force" and not self.like and self.prototype is None:
            return form.method(dials), pace
        from gambol.methods.measured_walk import MeasuredWalk

        styles = self._styles()
        method = MeasuredWalk(
            styles=styles, preset=form.preset, engine=form.engine, **dial_values(MeasuredWalk, dials)
        )
        if self.like and pace.speed is None and pace.step_length is None and pace.cadence is None:
            pace = _own_pace(styles[0][1], pace)
        return method, pace

    def _styles(self) -> tuple[tuple[float, tuple[WalkData, ...]], ...]:
        from gambol.prototypes import builtin

        if self.like:
            return ((0.0, tuple(read_walk(file, self.from_leg) for file in self.like)),)
        if self.prototype is None:
            return ()
        rows = []
        for part in self.prototype.split(","):
            time, colon, name = part.strip().partition(":")
            time, name = (time, name) if colon else ("0", time)
            try:
                at = float(time)
            except ValueError:
                allowed = "TIME:NAME,TIME:NAME, as 0:neutral,8:tired"
                raise GambolError(f"{part!r} is not TIME:NAME", where="--prototype", allowed=allowed) from None
            file = any(c in name for c in "./\\")
            rows.append((at, (read_walk(Path(name), None),) if file else builtin(name)))
        return tuple(rows)


DEFAULT_LIKE = LikeForm()


def _own_pace(style: tuple[WalkData, ...], pace: PaceForm) -> PaceForm:
    """The person's own speed and step length, at this body's size (dynamically equal)."""
    from gambol.body import Body
    from gambol.personal import subject_of

    walk = style[0]
    body = Body() if pace.height is None else Body(pace.height)
    r = float(subject_of(body).leg / walk.subject.leg)
    return replace(pace, speed=round(walk.speed * r**0.5, 4), step_length=round(walk.step_length * r, 4))


def read_walk(file: Path, leg: float | None = None) -> WalkData:
    """A measured walk: from its own file, or built from a clip or a trial."""
    from gambol.io import load
    from gambol.recorded_walk import build_walk
    from gambol.walk_data import load_walk

    if file.suffix.lower() == ".walk":
        return load_walk(file)
    return build_walk(load(file), leg=leg)


def read_table(file: Path | None) -> dict[str, list[str]] | None:
    """A table of roles and the joints or markers whose mean they are.

    Raises:
        GambolError: for a file that is none.
    """
    if file is None:
        return None
    allowed = '{"left_knee": ["LKNE", "LKNM"], ...}'
    try:
        table = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise GambolError(f"not a table: {error}", where=str(file), allowed=allowed) from error
    if not isinstance(table, dict) or not all(
        isinstance(v, list) and v and all(isinstance(n, str) for n in v) for v in table.values()
    ):
        raise GambolError("not a table of roles and lists of names", where=str(file), allowed=allowed)
    return table


def _with_plates(content: Motion | Trial, plates: Path | None) -> Motion | Trial:
    from gambol.io import load
    from gambol.motion import Motion
    from gambol.plates import with_feet

    if plates is None:
        return content
    forces = load(plates)
    if isinstance(forces, Motion) or not forces.plates:
        raise GambolError("there are no plates in it", where=str(plates), allowed="a trial with force plates")
    if isinstance(content, Motion):
        raise GambolError("plates go with markers", where="--plates", allowed="a trial: .c3d, .trc")
    return with_feet(replace(content, plates=forces.plates, analog_fps=forces.analog_fps))


def analyse(
    clip: Path, *, table: Path | None = None, plates: Path | None = None, symmetric: bool = False,
    output: Files = (), as_json: Json = False,
) -> int:
    """A first look at a recorded walk: events, step length, cadence, speed, symmetry, angles against the norm.

    Args:
        clip: a motion (.bvh, .amc, .glb, .npz ...) or a trial of markers (.c3d, .trc).
        table: a .json table of the joints or markers that stand for each role, where their names are not known.
        plates: a file with the force plates of the same trial (.mot).
        symmetric: in the .walk file, make both steps the mean of left and right.
        output: a .png with the joint angles over the cycle and the norm's bands, or a .walk file to walk like it.
        as_json: print everything as JSON.
    """
    check_targets(output, (".png", ".walk"), (str(clip), str(table) if table else None))
    from gambol.gait_report import analyse as analysed
    from gambol.io import load

    content, roles = _with_plates(load(clip), plates), read_table(table)
    report = analysed(content, roles)
    notes: list[str] = []
    if any(file.suffix.lower() == ".walk" for file in output):  # first: it may be refused, and then nothing is written
        from gambol.recorded_walk import build_walk
        from gambol.walk_data import save_walk

        walk = build_walk(content, table=roles, symmetric=symmetric)
        notes = [note for note in walk.info["notes"] if note not in report.notes]
    for file in output:
        if file.suffix.lower() == ".png":
            _plot(report, file)
        else:
            save_walk(walk, file)
    if as_json:
        told = report.to_json()
        print_json({**told, "notes": [*told["notes"], *notes], "files": [str(f) for f in output]})
        return 0
    for line in [*report.lines(), *notes, *(f"wrote {f}" for f in output)]:
        print(line)
    return 0


def _plot(report: GaitReport, file: Path) -> None:
    """Joint angles over the cycle, left and right, and the norm's band, its offset taken away."""
    from gambol.errors import MissingExtra

    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "a plot") from None
    matplotlib.use("Agg")
    import io

    import matplotlib.pyplot as plt
    import numpy as np

    from gambol.io.target import replace_all

    figure, axes = plt.subplots(1, 3, figsize=(10, 3))
    percent = np.linspace(0, 100, 51)
    for ax, joint in zip(axes, ("hip", "knee", "ankle")):
        shown = [c[joint] for c in report.curves.values()]
        norm = report.norm[joint]
        offset = float(np.mean(shown) - norm.mean.mean()) if shown else 0.0
        middle = norm.mean + offset
        ax.fill_between(percent, middle - norm.sd, middle + norm.sd, color="0.85", label="norm, 1 SD")
        for side, color in (("left", "#3b6fd4"), ("right", "#e0701b")):
            if side in report.curves:
                ax.plot(percent, report.curves[side][joint], color=color, label=side)
        ax.set_title(f"{joint}, degrees")
        ax.set_xlabel("% of the gait cycle")
    axes[0].legend(frameon=False)
    figure.tight_layout()
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=110, metadata={"Software": None})
    plt.close(figure)
    replace_all([(file, picture.getvalue())])


def force(
    clip: Path, *, mass: float | None = None, table: Path | None = None, plates: Path | None = None,
    output: Files = (), as_json: Json = False,
) -> int:
    """Estimate the ground reaction of both feet from the motion of the whole body.

    Args:
        clip: a motion (.bvh, .amc, .glb, .npz ...) or a trial of markers (.c3d, .trc).
        mass: of the body, kg; by default the clip's, that the plates carry, or the usual one of that height.
        table: a .json table of the joints or markers that stand for each role, where their names are not known.
        plates: a file with the force plates of the same trial (.mot).
        output: a .csv or .npz table of forces and pressure points; of a motion, .npz is the motion with them.
        as_json: print everything as JSON.
    """
    check_targets(output, TABLES, (str(clip), str(table) if table else None))
    import numpy as np

    from gambol.body import G
    from gambol.io import load
    from gambol.motion import Trial
    from gambol.whole_force import compare_plates, estimate_forces

    content = _with_plates(load(clip), plates)
    found = estimate_forces(content, mass, table=read_table(table))
    against = compare_plates(found, content) if isinstance(content, Trial) else {}
    _write(found, content, output)
    known = np.isfinite(found.forces[:, 0, 1])
    peak = float(np.nanmax(found.forces[..., 1]) / (found.mass * G)) if known.any() else None
    table_ = {
        "mass_kg": found.mass, "frames": len(known), "known_frames": int(known.sum()), "peak_vertical_bw": peak,
        "events": found.events.record(), "against_plates": against, "files": [str(f) for f in output],
    }
    if as_json:
        print_json(table_)
        return 0
    print(f"{int(known.sum())} of {len(known)} frames, {found.mass:.1f} kg" + (f", peak {peak:.2f} BW" if peak else ""))
    for side, errors in against.items():
        print(f"{side:5} against its plates: vertical {errors['vertical_rmse_bw']:.3f} BW rms, "
              f"r {errors['vertical_r']:.3f}, level {errors['level_rmse_bw']:.3f} BW")
    if not against:
        print("no plates to compare with")
    for file in output:
        print(f"wrote {file}")
    return 0


def _write(found: FootForces, content: Motion | Trial, files: Files) -> None:
    """Tables of forces; a motion's .npz keeps the motion."""
    import io

    import numpy as np

    from gambol.io.target import replace_all
    from gambol.motion import Motion

    times = np.arange(len(found.forces)) / found.fps
    made: list[tuple[Path, bytes]] = []
    for file in files:
        if file.suffix.lower() == ".csv":
            names = [f"{s}_{k}" for s in ("left", "right") for k in ("fx_N", "fy_N", "fz_N", "px_m", "py_m", "pz_m")]
            table = np.concatenate([found.forces, found.pressure], -1).reshape(len(times), 12)
            rows = [",".join(["time_s", *names])]
            for t, row in zip(times, table):
                cells = ["" if np.isnan(v) else f"{v:.5g}" for v in row]
                rows.append(",".join([f"{t:.6g}", *cells]))
            made.append((file, ("\n".join(rows) + "\n").encode()))
        elif isinstance(content, Motion):
            from gambol.io.npz import encode

            forces = np.nan_to_num(found.forces)
            made.append((file, encode(replace(
                content, forces=forces, pressure=found.pressure, com=found.com, mass=found.mass,
                info={**content.info, "events": found.events.record()},
            ))))
        else:
            out = io.BytesIO()
            np.savez(out, time=times, forces=found.forces, pressure=found.pressure, com=found.com, mass=found.mass)
            made.append((file, out.getvalue()))
    replace_all(made)
