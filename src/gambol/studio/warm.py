"""The compiled engine made ready without anybody waiting: first for the disk, in a process of its own, then in here.

Compiling takes about a minute, once for an installation; taking it from the disk takes a few seconds. Until then
numpy answers.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gambol.studio.workshop import Workshop

__all__ = ["PARTS", "Warming"]

PATIENCE = 2.0  # s that the page has the machine for itself


def _walk() -> None:
    from gambol.methods.force_walk import ForceWalk
    from gambol.synthesis import Task, generate

    generate(ForceWalk(engine="compiled"), Task(fps=30.0))


def _pose() -> None:
    from gambol.body import Body
    from gambol.model import person_model
    from gambol.posing import Puppet, grab, pull
    from gambol.postures import base_of, pose_with, posture

    model = person_model(Body())
    puppet = Puppet(model.skeleton, model.limits, engine="compiled")
    pose, _ = pose_with(model, posture("stand", base_of("person")))
    held = grab(puppet, pose, ["left_hand"], ["left_foot", "right_foot"])
    pull(puppet, held, held.at + [0.0, 0.03, 0.03])


def _run() -> None:
    from gambol.methods.running import Running
    from gambol.synthesis import Task, generate

    generate(Running(engine="compiled"), Task(fps=30.0, duration=3.0))


def _measured_walk() -> None:
    from gambol.methods.measured_walk import MeasuredWalk
    from gambol.synthesis import Task, generate

    generate(MeasuredWalk(engine="compiled"), Task(fps=30.0))


# what has a compiled engine, in the order in which it is missed, and how all its kernels are used once
PARTS: dict[str, Callable[[], None]] = {"force": _walk, "posing": _pose, "running": _run, "measured": _measured_walk}


class Warming:
    """A thread that makes the compiled engine of a workshop ready, part by part."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop
        self._child: subprocess.Popen[str] | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="warming", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stop it."""
        self._ended.set()
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()

    def _work(self) -> None:
        from importlib.util import find_spec

        if find_spec("numba") is None or self._ended.wait(PATIENCE):
            return
        words = [sys.executable, "-m", "gambol.studio.warm"]
        self._child = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._child.stdout is not None
        for line in self._child.stdout:  # a part is on the disk now
            if self._ended.is_set():
                return
            if (name := line.strip()) in PARTS:
                PARTS[name]()
                self._shop.warm.add(name)
                gc.collect()
                gc.freeze()  # what is loaded stays: looking through it again would halt a drag for 20 ms now and then


def main() -> None:
    """Compile everything onto the disk, and say after each part that it is there.

    It ends with the studio that began it, also where that is killed: its input is closed then.
    """

    def watch() -> None:
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(10)
    for name, part in PARTS.items():
        part()
        print(name, flush=True)


if __name__ == "__main__":
    main()
