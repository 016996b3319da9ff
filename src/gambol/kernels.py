"""Hot loops written once, run by numpy or compiled by numba.

A :func:`kernel` is a plain function of numbers and small arrays whose *last* axis is the frame:
``out[3] = x * c`` works on scalars (one frame, compiled, inside a loop over frames) and on arrays
(all frames at once, numpy). So a formula has one source and two engines, which agree to rounding.

Calling a kernel runs the Python source. ``kernel.compiled`` is the same source compiled, with
every kernel it calls compiled too; compiling happens at first use and is cached on disk.
"""

from __future__ import annotations

import hashlib
import inspect
import types
from collections.abc import Callable
from functools import cached_property
from typing import Any

from gambol.errors import GambolError, MissingExtra

__all__ = ["ENGINES", "Kernel", "check_engine", "clamp", "either", "kernel"]

ENGINES = ("numpy", "compiled")


class Kernel:
    """A function with a second life as machine code."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        self.__module__, self.__wrapped__ = function.__module__, function

    def __call__(self, *arguments: Any) -> Any:
        """Run the Python source."""
        return self.function(*arguments)

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        """The function compiled by numba.

        Raises:
            MissingExtra: where numba is not installed.
        """
        try:
            import numba
        except ImportError:
            raise MissingExtra("numba", "fast", "the compiled engine") from None
        source = self.function
        names = {k: v.compiled if isinstance(v, Kernel) else v for k, v in self._globals().items()}
        twin = types.FunctionType(source.__code__, {"__builtins__": __builtins__, **names}, source.__name__)
        # numba's disk cache knows a function by its name and its own file's age alone: the name says the rest
        twin.__module__, twin.__qualname__ = source.__module__, f"{source.__qualname__}_{self.digest}"
        twin.__defaults__ = source.__defaults__
        return numba.njit(cache=True, error_model="numpy")(twin)

    @cached_property
    def digest(self) -> str:
        """Changes with the source of this kernel, of all it calls, and with the constants they use."""
        parts = [inspect.getsource(self.function)]
        for name, value in sorted(self._globals().items()):
            parts.append(value.digest if isinstance(value, Kernel) else f"{name} {_constant(value)}")
        return hashlib.sha1("\n".join(parts).encode()).hexdigest()[:12]

    def _globals(self) -> dict[str, Any]:
        """The module-level names that the function uses."""
        used = _names(self.function.__code__)
        return {k: v for k, v in self.function.__globals__.items() if k in used}


def kernel(function: Callable[..., Any]) -> Kernel:
    """Mark a function of numbers as compilable (see the module's text for what it may use)."""
    return Kernel(function)


def _constant(value: Any) -> str:
    """What a kernel's constant is, to the last digit."""
    if isinstance(value, types.ModuleType):
        return ""
    if hasattr(value, "tobytes"):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    return repr(value)


@kernel
def either(yes, a, b):  # type: ignore[no-untyped-def]
    """``a`` where ``yes`` is 1.0, ``b`` where it is 0.0: np.where without an array for every number."""
    return yes * a + (1.0 - yes) * b


def clamp(value: float, low: float, high: float) -> float:
    """A number held between two bounds (np.clip takes 7 us for one)."""
    return min(max(value, low), high)


def check_engine(engine: str) -> str:
    """``engine`` if it is one of :data:`ENGINES`, else a GambolError."""
    if engine not in ENGINES:
        raise GambolError(f"engine is {engine!r}", where="method", allowed=" or ".join(ENGINES))
    return engine


def _names(code: types.CodeType) -> set[str]:
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found
