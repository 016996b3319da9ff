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
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gambol.studio.workshop import Workshop

__all__ = ["Warming", "compile_all"]

PATIENCE = 2.0  # s that the page has the machine for itself


def compile_all() -> None:
    """Run every kernel that the studio uses once."""
    from gambol.methods.force_walk import ForceWalk
    from gambol.methods.measured_walk import MeasuredWalk
    from gambol.methods.running import Running
    from gambol.model import person_model
    from gambol.motion import Pose
    from gambol.posing import Puppet, grab, pull
    from gambol.postures import base_of, pose_with, posture
    from gambol.synthesis import Task, generate

    task = Task(fps=30.0)
    generate(ForceWalk(engine="compiled"), task)
    model = person_model(task.body)
    puppet = Puppet(model.skeleton, model.limits, engine="compiled")
    pose: Pose = pose_with(model, posture("stand", base_of("person")))[0]
    held = grab(puppet, pose, ["left_hand"], ["left_foot", "right_foot"])
    pull(puppet, held, held.at + [0.0, 0.03, 0.03])
    generate(Running(engine="compiled"), replace(task, duration=3.0))
    generate(MeasuredWalk(engine="compiled"), task)


class Warming:
    """A thread that makes the compiled engine of a workshop ready."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop
        self._child: subprocess.Popen[bytes] | None = None
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
        lower = (lambda: os.nice(10)) if hasattr(os, "nice") else None
        words = [sys.executable, "-m", "gambol.studio.warm"]
        quiet = subprocess.DEVNULL
        self._child = subprocess.Popen(words, stdin=quiet, stdout=quiet, stderr=quiet, preexec_fn=lower)
        while self._child.poll() is None:
            if self._ended.wait(0.2):
                return
        if self._child.returncode == 0:
            compile_all()
            gc.collect()
            gc.freeze()  # what is loaded stays: looking through it again would halt a drag for 20 ms now and then
            self._shop.engine = "compiled"


if __name__ == "__main__":
    compile_all()
