"""Many walkers: what :func:`gambol.synthesis.generate` gives, for a whole list of tasks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

from gambol.errors import GambolError
from gambol.motion import Motion
from gambol.synthesis import Task, generate

__all__ = ["generate_many", "quickest"]


def quickest(method: Any) -> Any:
    """The method on its compiled engine where it has one and numba is there; its motion is the same to 1e-9."""
    fields = {f.name for f in dataclasses.fields(method)} if dataclasses.is_dataclass(method) else set()
    if isinstance(method, type) or "engine" not in fields or find_spec("numba") is None:
        return method
    return dataclasses.replace(method, engine="compiled")


def generate_many(method: Any, tasks: Iterable[Task]) -> list[Motion]:
    """The motion of every task, in their order.

    The compiled engine is used where there is one: starting it takes a second, and a minute the first time, so that
    it pays from a few dozen walks on.

    Args:
        method: a way of moving.
        tasks: each with its own body, path, ground, pace ...

    Raises:
        GambolError: as :func:`~gambol.synthesis.generate`, naming the task by its place in the list.
    """
    fast, motions = quickest(method), []
    for number, task in enumerate(tasks, 1):
        try:
            motions.append(generate(fast, task))
        except GambolError as error:
            where = f"task {number}: {error.where}".removesuffix(": task")
            raise GambolError(error.what, where=where, allowed=error.allowed, do=error.do) from error
    return motions
