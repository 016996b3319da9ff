"""Clips by the thousand: a list of tasks, one JSON object a line, made into one clip and one label file a line.

What is made is kept: a line whose label says the same request, and whose clip is the one the label names, is not
made again. Both are written whole or not at all, the label last, so that a run that was killed goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import re
import sys
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gambol import __version__
from gambol.body import G
from gambol.errors import GambolError
from gambol.facts import facts, jsonable
from gambol.io import FORMATS
from gambol.io.source import Extra
from gambol.io.target import replace_all
from gambol.many import quickest
from gambol.methods import METHODS
from gambol.motion import Motion
from gambol.style import parse_styles, styled
from gambol.synthesis import Task, dials, generate
from gambol.task_json import KEYS, pick, task_from_json

__all__ = ["CLIPS", "Line", "Made", "make", "read_lines"]

CLIPS = (".npz", ".bvh", ".glb", ".json", ".csv")  # what a clip may be written as
LINE = (*KEYS, "name", "method", "dials", "style")
NAME = re.compile(r"(?!.*\.label$)\w([\w .+-]{0,98}\w)?")
DIGITS = 5  # of a clip without a name: 00001, 00002 ...


class Line(NamedTuple):
    """One request: its number in the file, the text, and what its files are called without suffix."""

    number: int
    text: str
    name: str


class Made(NamedTuple):
    """What became of a line: made now, kept from before, or why it failed."""

    line: Line
    kept: bool
    failure: str = ""


class _Job(NamedTuple):
    line: Line
    file: str
    folder: str
    suffix: str


def read_lines(file: str | os.PathLike[str]) -> list[Line]:
    """The requests of a file of tasks; empty lines count but ask for nothing.

    Raises:
        GambolError: for a file that cannot be read, holds no line, or names two clips alike.
    """
    where = str(file)
    try:
        texts = Path(file).read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise GambolError(f"it cannot be read ({error.strerror})", where=where) from None
    except UnicodeDecodeError:
        raise GambolError("it is not text in UTF-8", where=where, allowed="one JSON object a line") from None
    lines = [Line(n, text, _name(text, n)) for n, text in enumerate(texts, 1) if text.strip()]
    if not lines:
        raise GambolError("it holds no line", where=where, allowed="one JSON object a line")
    seen: dict[str, int] = {}
    for line in lines:
        key = line.name.casefold()  # some systems do not tell capitals from small letters
        if key in seen:
            what = f"the clip {line.name!r} is also that of line {seen[key]}"
            raise GambolError(what, where=f"{where}, line {line.number}", do="give each its own name")
        seen[key] = line.number
    return lines


def _name(text: str, number: int) -> str:
    """The name a line asks for if it can be one of a file, else its number."""
    with suppress(ValueError, RecursionError):
        data = json.loads(text)
        name = data.get("name") if isinstance(data, dict) else None
        if isinstance(name, str) and NAME.fullmatch(name):
            return name
    return f"{number:0{DIGITS}}"


def make(
    file: str | os.PathLike[str], folder: Path, jobs: int = 1, suffix: str = ".npz"
) -> Generator[Made, None, None]:
    """Make every line of a file; what becomes of each, in the order of the lines.

    Args:
        file: one JSON object a line (task_json.py, and ``name``, ``method``, ``dials``, ``style``).
        folder: for the clips and labels; made if it is not there.
        jobs: processes.
        suffix: of the clips, one of :data:`CLIPS`.

    Raises:
        GambolError: where nothing can be made: the file, the folder, another run at work in it. A line that fails
            is reported in its :class:`Made`, and the others go on.
    """
    if suffix not in CLIPS:
        raise GambolError(f"no clips are made as {suffix!r}", where="--clips", allowed=", ".join(CLIPS))
    if not 1 <= jobs <= 256:
        raise GambolError(f"{jobs} jobs", where="--jobs", allowed="1 to 256")
    lines = read_lines(file)
    _prepare(folder)
    with _Lock(folder) as held:
        for leftover in folder.glob(".gambol-*"):  # half written when a run was killed
            if leftover.name != _Lock.NAME:
                leftover.unlink()
        todo = [_Job(line, str(file), str(folder), suffix) for line in lines]
        if jobs == 1 or len(todo) == 1:
            yield from map(_made, todo)
            return
        # the first in this process, so that what is compiled is there for all
        yield _made(todo[0])
        way = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
        start = (os.getpid(), held if way == "fork" else None)
        with multiprocessing.get_context(way).Pool(min(jobs, len(todo) - 1), _begin, start) as pool:
            yield from pool.imap(_made, todo[1:], chunksize=1)


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = "a file has this name" if isinstance(error, FileExistsError) else f"it cannot be made ({error.strerror})"
        raise GambolError(what, where=str(folder), allowed="a folder", do="name another") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        do = "change its rights, or name another"
        raise GambolError("the folder may not be written to", where=str(folder), do=do)


class _Lock:
    """One run at a time in a folder; a killed one holds nothing. Where the system has no such locks, none is taken."""

    NAME = ".gambol-lock"
    PATIENCE = 2.0  # s: workers of a killed run end within a moment

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder, folder / self.NAME

    def __enter__(self) -> int | None:
        try:
            import fcntl
        except ImportError:
            return None
        self.handle = open(self.file, "w")  # held until the end
        until = time.monotonic() + self.PATIENCE
        while True:
            try:
                fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return self.handle.fileno()
            except OSError:
                if time.monotonic() > until:
                    self.handle.close()
                    what = "another run is making clips here"
                    raise GambolError(what, where=str(self.folder), do="wait for it") from None
            time.sleep(0.05)

    def __exit__(self, *_: object) -> None:
        if hasattr(self, "handle"):
            with suppress(FileNotFoundError):
                self.file.unlink()
            self.handle.close()


def _begin(parent: int, held: int | None) -> None:
    """What a worker does first: it lets go of the folder's lock, and ends when the run it works for is killed.

    What goes wrong with a line is handed back; beyond that a worker has nothing to say.
    """
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for as long as it lives
    if held is not None:
        os.close(held)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _made(job: _Job) -> Made:
    """One line made, or kept, or what is wrong with it."""
    line, where = job.line, f"{job.file}, line {job.line.number}"
    clip, label = (Path(job.folder) / f"{line.name}{s}" for s in (job.suffix, ".label.json"))
    try:
        data = _request(line.text, where)
        asked = _digest([__version__, job.suffix, data])
        if _kept(clip, label, asked):
            return Made(line, True)
        method, task = _read(data, where)
        motion = generate(method, task)
        content = _encoded(motion, job.suffix)
        about = _label(motion, task, (method, data), (asked, clip.name, content))
        replace_all([(clip, content)])
        replace_all([(label, about)])
    except GambolError as error:
        message = str(error)
        return Made(line, False, message if message.startswith((where, job.folder)) else f"{where}: {message}")
    except (ArithmeticError, ValueError, IndexError, MemoryError) as error:  # a fault, but of this line alone
        what = f"a fault of gambol itself: {type(error).__name__}: {error}; please report it"
        return Made(line, False, f"{where}: {what}")
    return Made(line, False)


def _request(text: str, where: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GambolError(f"it is no JSON ({str(error)[:80]})", where=where) from None
    known = pick(data, LINE, where)
    name = known.get("name")
    if name is not None and not (isinstance(name, str) and NAME.fullmatch(name)):
        what = f"{str(name)[:40]!r} is no name of a file"
        raise GambolError(what, where=f"{where}: name", allowed="letters, digits, spaces and . + - _, at most 100")
    return known


def _takes(method: Any) -> bool:
    """Whether what a line can say is enough for it."""
    return bool({"path", "keys"} & set(getattr(method, "takes", ("path",))))


def _read(data: dict[str, Any], where: str) -> tuple[Any, Task]:
    """Method and task of a request."""
    task = task_from_json({k: v for k, v in data.items() if k in KEYS}, where)
    name = data.get("method", "force")
    made = METHODS.get(name) if isinstance(name, str) else None
    if made is None or not _takes(made):
        able = ", ".join(k for k, m in METHODS.items() if _takes(m))
        raise GambolError(f"no method is called {str(name)[:40]!r}", where=f"{where}: method", allowed=able)
    known = {d.name: d for d in dials(made)}
    values = pick(data.get("dials", {}), tuple(known), f"{where}: dials")
    for key, value in values.items():
        low, high = known[key].low, known[key].high
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            at = f"{where}: dials: {key}"
            raise GambolError(f"it is {str(value)[:40]}", where=at, allowed=f"{low:g} to {high:g} {known[key].unit}")
    method = quickest(made(**{k: float(v) for k, v in values.items()}))
    if "style" not in data:
        return method, task
    return styled(method, task, parse_styles(str(data["style"])))


def _kept(clip: Path, label: Path, asked: str) -> bool:
    """Whether both files are there and are what the request asks for."""
    with suppress(OSError, ValueError, AttributeError):
        said = json.loads(label.read_bytes())
        return said.get("request") == asked and said.get("sha256") == hashlib.sha256(clip.read_bytes()).hexdigest()
    return False


def _encoded(motion: Motion, suffix: str) -> bytes:
    encode = FORMATS[suffix].encode
    assert encode is not None
    return encode(motion, Extra(mesh=False) if suffix == ".glb" else Extra())


def _label(motion: Motion, task: Task, asked: tuple[Any, dict[str, Any]], made: tuple[str, str, bytes]) -> bytes:
    """What is known of a clip, for a data set: all of it measured on the frames, or asked for."""
    (method, data), (request, clip, content) = asked, made
    along = np.diff(motion.root[:, [0, 2]], axis=0)
    about = {
        "clip": clip, "sha256": hashlib.sha256(content).hexdigest(), "request": request, "version": __version__,
        "method": data.get("method", "force"), "engine": getattr(method, "engine", None), "seed": task.seed,
        "style": data.get("style"), "dials": data.get("dials", {}),
        **_who_and_where(task),
        "speed": {
            "asked_m_s": motion.info.get("speed_m_s"),
            "mean_m_s": float(np.hypot(*along.T).sum() / motion.duration) if len(motion) > 1 else 0.0,
        },
        "contacts": [motion.skeleton.names[j] for j in motion.skeleton.soles],
        "forces": _forces(motion), **facts(motion), "task": {k: data[k] for k in KEYS if k in data},
    }  # fmt: skip
    return (json.dumps(jsonable(about), indent=1, allow_nan=False) + "\n").encode()


def _who_and_where(task: Task) -> dict[str, Any]:
    if task.model is not None:
        return {"body": {"model": task.model.name}, "path": None}
    body, path = task.body, task.path
    return {
        "body": {"height_m": body.height, "mass_kg": body.mass, "leg_m": body.leg_length},
        "path": {"length_m": path.length, "laps": task.laps, "closed": path.closed},
    }


def _forces(motion: Motion) -> dict[str, Any] | None:
    """The ground reaction in weights: mean of both feet, and the peak of each."""
    if motion.forces is None or not motion.mass:
        return None
    up = motion.forces[..., 1] / (motion.mass * G)
    mean, peak = float(up.sum(1).mean()), up.max(0).tolist()
    return {"mean_vertical_bw": mean, "peak_vertical_bw": peak, "feet": ["left", "right"]}


def _digest(value: Any) -> str:
    text: Sequence[Any] | str = json.dumps(value, sort_keys=True)
    return hashlib.sha256(str(text).encode()).hexdigest()
