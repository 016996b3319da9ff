"""Steering live: the on-line stream of a motion graph, a little ahead of what is shown, and what was steered."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gambol.commands import Command, Commands
from gambol.motion import Motion, join
from gambol.studio.checks import choice, number
from gambol.studio.clip import clip_arrays
from gambol.studio.make import DRAFT_FPS, plan, put_on
from gambol.studio.payload import packed
from gambol.studio.project import GAITS, LONGEST, Project
from gambol.studio.workshop import Workshop
from gambol.synthesis import Stream

__all__ = ["Driving", "Steering", "read_steering"]

AHEAD = 0.3  # s of motion that wait to be shown, at least
SILENT = 1.5  # s without a word from the page after which its clock is taken to stand
FASTEST, QUICKEST = 6.0, 6.3  # m/s, rad/s
NOW = 0.04  # s between two looks at the clock


class Steering(NamedTuple):
    """What is asked: m/s, rad/s to the left, and a gait."""

    speed: float
    turn: float
    gait: str


class Driving:
    """A drive: the stream, how far it has been shown, and the commands that took effect.

    What is recorded is what each stretch was made with, at the time of its cut: made again from these commands
    (:func:`gambol.studio.make.make`, mode drive) the frames are the same.
    """

    def __init__(self, shop: Workshop, project: Project, number_: int, first: Steering) -> None:
        self.number, self.pause = number_, NOW
        begun = replace(project, mode="drive", drive=replace(project.drive, commands=((0.0, *first),)))
        made = plan(shop, begun)
        self._wearer = made.wearer
        self._fps = min(DRAFT_FPS, project.fps)
        self._stream = Stream(made.method, replace(made.task, fps=self._fps, duration=LONGEST))
        self._wanted, self._rows = first, [(0.0, *first)]
        self._lock = threading.Lock()
        self._shown = self._made = 0.0
        self._frames = 0
        self._heard = time.monotonic()
        self._stand: Motion | None = None

    def steer(self, message: dict[str, Any]) -> None:
        """Another wish from now on, and how far the page is."""
        wanted = read_steering(message, self._wanted)
        played = number(message.get("played", self._shown), "steer: played", 0, LONGEST)
        with self._lock:
            self._wanted, self._shown, self._heard = wanted, max(played, self._shown), time.monotonic()

    def due(self) -> Iterator[bytes]:
        """Stretches until enough of the motion waits to be shown."""
        while True:
            with self._lock:
                waited = min(time.monotonic() - self._heard, SILENT)
                behind = self._made < self._shown + waited + AHEAD
                wanted = self._wanted
            if not behind or self._made > LONGEST - 5:
                return
            message = self._stretch(wanted)
            if message is not None:
                yield message

    def commands(self) -> list[list[Any]]:
        """What was driven, ending in a stand, for ``project.drive``."""
        end = max(self._made, self._rows[-1][0] + 1e-3)
        return [list(row) for row in (*self._rows, (end, 0.0, 0.0, "stand"))]

    def _worn(self, part: Motion) -> Motion:
        """A stretch on the figure that wears it.

        How feet lie on another rig is found from where most frames of a clip stand; every stretch is worn after more
        frames of the same stand than it has itself, so that none differs from the one before.
        """
        if self._wearer.character is None:
            return part
        if self._stand is None:
            assert part.contacts is not None
            self._stand = replace(part[:1], contacts=np.ones_like(part.contacts[:1]), forces=None, info={})
        count = len(part) + 2
        whole = put_on(join([self._stand] * count + [part]), self._wearer, self._stream.task.terrain, planted=False)
        return replace(whole[count:], info=part.info)

    def _stretch(self, wanted: Steering) -> bytes | None:
        """The next stretch as a message; None where it has no frames."""
        stream, at = self._stream, float(self._stream.state.time)
        if wanted != Steering(*self._rows[-1][1:]):
            row = (at, *wanted)
            self._rows = [*self._rows[:-1], row] if self._rows[-1][0] >= at else [*self._rows, row]
        stream.task = replace(stream.task, commands=_asked(at, wanted))
        part = stream.stretch()
        self._made = float(stream.state.time)
        if part is None or not len(part):
            return None
        shown = self._worn(part)
        header, arrays = clip_arrays(shown, self._wearer)
        start, self._frames = self._frames / self._fps, self._frames + len(part)
        return packed({"id": self.number, "start": start, **header}, arrays)


def read_steering(message: dict[str, Any], usual: Steering | None = None) -> Steering:
    """What a message asks for; entries that are missing stay, and who does not go stands."""
    usual = usual or Steering(0.0, 0.0, "walk")
    speed = number(message.get("speed", usual.speed), "speed", 0, FASTEST)
    turn = number(message.get("turn", usual.turn), "turn", -QUICKEST, QUICKEST)
    gait = choice(message.get("gait", "walk" if usual.gait == "stand" else usual.gait), GAITS, "gait")
    return Steering(speed, turn, gait) if speed > 0 and gait != "stand" else Steering(0.0, 0.0, "stand")


def _asked(at: float, wanted: Steering) -> Commands:
    return Commands(np.array([at]), (Command(wanted.speed, wanted.turn, gait=wanted.gait),))

