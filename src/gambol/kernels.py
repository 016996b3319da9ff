"""Hot loops written once, run by numpy or compiled by numba.

A :func:`kernel` is a plain function of numbers and small arrays whose *last* axis is the frame:
``out[3] = x * c`` works on scalars (one frame, compiled, inside a loop over frames) and on arrays
(all frames at once, numpy). So a formula has one source and two engines, which agree to rounding.

Calling a kernel runs the Python source. ``kernel.compiled`` is the same source compiled, with
every kernel it calls compiled too; compiling happens at first use and is cached on disk.
Where numpy does at once what machine code does one by one, ``@kernel(loop=...)`` names the loop to compile instead.
"""

from __future__ import annotations

import hashlib
import inspect
import re
import sys
import types
from collections.abc import Callable
from functools import cached_property
from typing import Any, overload

import numpy as np

from gambol.errors import GambolError, MissingExtra

__all__ = ["ENGINES", "Kernel", "check_engine", "clamp", "dot", "either", "kernel", "solve"]

ENGINES = ("numpy", "compiled")
SHORT = 900  # bytes of Python's code: of the 112 kernels of a walk nine tenths are shorter
WORD = re.compile(r"\w+")


class Kernel:
    """A function with a second life as machine code."""

    def __init__(self, function: Callable[..., Any], loop: Callable[..., Any] | None = None) -> None:
        self.function = function
        self.loop = function if loop is None else loop  # what is compiled
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        self.__module__, self.__wrapped__ = function.__module__, function

    def __call__(self, *arguments: Any) -> Any:
        """Run the Python source."""
        return self.function(*arguments)

    def by(self, engine: str) -> Callable[..., Any]:
        """What runs this kernel on one of :data:`ENGINES`."""
        return self.compiled if engine == "compiled" else self.function

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        """The function compiled by numba, to be called from Python.

        Raises:
            MissingExtra: where numba is not installed.
        """
        return self._compiled()

    @cached_property
    def inner(self) -> Callable[..., Any]:
        """The function compiled by numba, for other kernels only: what takes Python's values apart is left out.

        A short one becomes part of its callers, which saves handing it whole scenes by value; for a long one that
        would cost more in compiling than it saves.
        """
        short = {"forceinline": True} if len(self.loop.__code__.co_code) < SHORT else {}
        return self._compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True, **short)

    def _compiled(self, **options: Any) -> Callable[..., Any]:
        try:
            import numba
        except ImportError:
            raise MissingExtra("numba", "fast", "the compiled engine") from None
        source = self.loop
        names = {k: v.inner if isinstance(v, Kernel) else v for k, v in self._globals().items()}
        twin = types.FunctionType(source.__code__, {"__builtins__": __builtins__, **names}, source.__name__)
        # numba's disk cache knows a function by its name and its own file's age alone: the name says the rest
        twin.__module__ = source.__module__
        twin.__qualname__ = f"{source.__qualname__}_{self.digest}{'_inner' if options else ''}"
        twin.__defaults__ = source.__defaults__
        return numba.njit(cache=True, error_model="numpy", **options)(twin)

    @cached_property
    def digest(self) -> str:
        """Changes with the source of this kernel, of all it calls, and with the constants they use."""
        parts = [inspect.getsource(self.loop)]
        for name, value in sorted(self._globals().items()):
            parts.append(value.digest if isinstance(value, Kernel) else f"{name} {_constant(value)}")
        return hashlib.sha1("\n".join(parts).encode()).hexdigest()[:12]

    def _globals(self) -> dict[str, Any]:
        """The module-level names that the function uses, also as the types of what it is given."""
        used, given = _names(self.loop.__code__), " ".join(map(str, self.loop.__annotations__.values()))
        types_ = {w for w in WORD.findall(given) if hasattr(self.loop.__globals__.get(w), "_fields")}
        return {k: v for k, v in self.loop.__globals__.items() if k in used | types_}


@overload
def kernel(function: Callable[..., Any]) -> Kernel: ...


@overload
def kernel(*, loop: Callable[..., Any]) -> Callable[[Callable[..., Any]], Kernel]: ...


def kernel(function: Callable[..., Any] | None = None, *, loop: Callable[..., Any] | None = None) -> Any:
    """Mark a function of numbers as compilable (see the module's text for what it may use).

    Named tuples among the arguments are named in the annotations: compiled code knows their fields by place.
    """
    return Kernel(function) if function is not None else lambda f: Kernel(f, loop)


def _constant(value: Any) -> str:
    """What a kernel's constant is, to the last digit; of a named tuple, its fields and theirs."""
    if isinstance(value, types.ModuleType | types.FunctionType):
        return value.__name__  # of a function only the name: it is an attribute's too, and no kernel calls it
    if isinstance(value, type) and hasattr(value, "_fields"):
        places = vars(sys.modules[value.__module__])
        inner = (places.get(w) for a in value.__annotations__.values() for w in WORD.findall(str(a)))
        return f"{value._fields} {[_constant(v) for v in inner if hasattr(v, '_fields')]}"
    if hasattr(value, "tobytes"):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    return repr(value)


@kernel
def either(yes, a, b):  # type: ignore[no-untyped-def]
    """``a`` where ``yes`` is 1.0, ``b`` where it is 0.0: np.where without an array for every number."""
    return yes * a + (1.0 - yes) * b


@kernel
def clamp(value, low, high):  # type: ignore[no-untyped-def]
    """A number held between two bounds (np.clip takes 7 us for one)."""
    return min(max(value, low), high)


def _dot_loop(rows, vector):  # type: ignore[no-untyped-def]
    out = np.zeros(rows.shape[0])
    for i in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            out[i] += rows[i, k] * vector[k]
    return out


@kernel(loop=_dot_loop)
def dot(rows, vector):  # type: ignore[no-untyped-def]
    """``rows`` (N, M) times ``vector`` (M,): (N,). numba would need scipy for ``@``."""
    return rows @ vector


def _solve_loop(system, goal):  # type: ignore[no-untyped-def]
    """Gauss's elimination, the largest of each column first."""
    a, b, n = system.copy(), goal.copy(), len(goal)
    for k in range(n):
        p = k + np.argmax(np.abs(a[k:, k]))
        for j in range(n):
            a[k, j], a[p, j] = a[p, j], a[k, j]
        b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= f * a[k, j]
            b[i] -= f * b[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            b[k] -= a[k, j] * b[j]
        b[k] /= a[k, k]
    return b


@kernel(loop=_solve_loop)
def solve(system, goal):  # type: ignore[no-untyped-def]
    """x (N,) of ``system`` (N, N) x = ``goal`` (N,)."""
    return np.linalg.solve(system, goal)


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
