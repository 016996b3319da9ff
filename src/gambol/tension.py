"""Massless springs between the joints of a skeleton, on points alone (Chen, Li and Hu 2004, section 3).

Springs join joints at graph distance 1, 2 and 3 (2, 4 and 6 neighbours along a chain): the farther they reach, the
stiffer the skeleton. The step is that of the paper, ``p_j <- p_j + h F_j``, with F_j the *mean* of the pulls at j
instead of their sum: summed forces vibrate from h = 0.5 on a chain, and from 0.23 with six neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.errors import GambolError
from gambol.kernels import kernel
from gambol.skeleton import Skeleton, readonly

__all__ = ["Fixed", "Limit", "Springs", "eased", "springs", "stretch", "within"]

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
REACHES = (1, 2, 3)
TINY = 1e-12  # m; shorter springs have no direction and pull nowhere


class Springs(NamedTuple):
    """Springs of a skeleton.

    Attributes:
        pairs: ``(N, 2)`` joints; bones (child and parent) come first.
        rest: ``(N,)`` m.
        weight: ``(N,)`` how hard each pulls; bones 1, others the mean stiffness of the joints they cross.
        bones: how many of them are bones.
        around: ``(J, most + 1)`` neighbours along bones of each joint, their number first.
    """

    pairs: Indices
    rest: Array
    weight: Array
    bones: int
    around: Indices


class Fixed(NamedTuple):
    """``held`` (J,): joints that springs and limits leave where they are; ``first``: those of them that are dragged."""

    held: NDArray[np.bool_]
    first: tuple[int, ...]


class Limit(NamedTuple):
    """When to stop bringing stretched bones back to ``1 + stretch``: after ``passes``, or earlier when all hold.

    Attributes:
        stretch: of a bone while it is dragged; the paper's 5 %.
        passes: the paper's N. A large number means "until all hold".
        seconds: or until this time is over, by ``clock`` (a function such as time.perf_counter).
        clock: needed with seconds; the library itself does not look at a clock.
    """

    stretch: float = 0.05
    passes: int = 10
    seconds: float | None = None
    clock: Callable[[], float] | None = None


def springs(
    skeleton: Skeleton, reach: int = 2, stiffness: ArrayLike | None = None, points: Array | None = None
) -> Springs:
    """The springs of a skeleton.

    Args:
        skeleton: J joints; a single one has none.
        reach: 1, 2 or 3 bones (2, 4 or 6 neighbours along a chain).
        stiffness: ``(J,)`` of each joint against bending, 1 by default; springs that cross it have this weight.
        points: ``(J, 3)`` m where all springs are at rest; by default the rest pose.

    Raises:
        GambolError: another reach, or a stiffness that is negative or has another shape.
    """
    if reach not in REACHES:
        raise GambolError(f"reach is {reach}", where="springs", allowed="1, 2 or 3 bones")
    stiff = np.ones(len(skeleton)) if stiffness is None else np.asarray(stiffness, float)
    if stiff.shape != (len(skeleton),) or not (np.isfinite(stiff).all() and (stiff >= 0).all()):
        what = f"stiffness has shape {stiff.shape}, least {stiff.min() if stiff.size else 0:g}"
        raise GambolError(what, where="springs", allowed=f"{len(skeleton)} numbers, 0 or more")
    pairs, crossed, bones, around = _net(skeleton, reach)
    weight = np.ones(len(pairs))
    if len(pairs) > bones:
        inner = crossed[bones:]
        known = inner >= 0
        weight[bones:] = (stiff[np.maximum(inner, 0)] * known).sum(1) / known.sum(1)
    place = skeleton.rest_positions() if points is None else np.asarray(points, float)
    rest = np.linalg.norm(place[pairs[:, 1]] - place[pairs[:, 0]], axis=1) if len(pairs) else np.zeros(0)
    offsets = np.linalg.norm(skeleton.offsets[pairs[:bones, 0]], axis=1) if bones else np.zeros(0)
    rest[:bones] = offsets
    return Springs(pairs, readonly(rest), readonly(weight), bones, around)


@lru_cache(maxsize=32)
def _net(skeleton: Skeleton, reach: int) -> tuple[Indices, Indices, int, Indices]:
    """Pairs (N, 2) up to a graph distance, the joints each crosses (N, 2; -1 none), number of bones, neighbours."""
    near: list[list[int]] = [[] for _ in skeleton.names]
    for j in range(1, len(skeleton)):
        near[j].append(int(skeleton.parents[j]))
        near[skeleton.parents[j]].append(j)
    pairs = [(j, int(skeleton.parents[j])) for j in range(1, len(skeleton))]
    crossed: list[tuple[int, int]] = [(-1, -1)] * len(pairs)
    bones = len(pairs)
    for start in range(len(skeleton)):
        ways: list[tuple[int, ...]] = [(start,)]
        for _ in range(reach):
            ways = [(*way, n) for way in ways for n in near[way[-1]] if n not in way]
            for way in ways:
                if len(way) > 2 and way[0] < way[-1]:
                    pairs.append((way[0], way[-1]))
                    crossed.append((way[1], way[2] if len(way) > 3 else -1))
    most = max(map(len, near), default=0)
    around = np.zeros((len(skeleton), most + 1), np.int64)
    for j, others in enumerate(near):
        around[j, 0] = len(others)
        around[j, 1 : 1 + len(others)] = others
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return readonly(table, np.int64), readonly(np.array(crossed).reshape(-1, 2), np.int64), bones, around


def stretch(points: Array, net: Springs, held: NDArray[np.bool_], step: tuple[float, int], engine: str) -> Array:
    """Points ``(J, 3)`` m after some steps of the springs.

    Args:
        points: before; held ones stay.
        net: the springs.
        held: ``(J,)`` True for joints that do not move.
        step: h (the paper's 0.5) and how many steps.
        engine: numpy or compiled.
    """
    out, (h, steps) = np.array(points, float), step
    if not len(net.pairs):
        return out
    if engine == "compiled":
        _relax.compiled(out, net.pairs, net.rest, net.weight, held.astype(np.float64), h, steps)
        return out
    ends = np.zeros((len(points), len(net.pairs)))  # +1 where a spring begins, -1 where it ends
    ends[net.pairs[:, 0], np.arange(len(net.pairs))] = 1.0
    ends[net.pairs[:, 1], np.arange(len(net.pairs))] = -1.0
    total = np.abs(ends) @ net.weight
    share = np.where(held | (total <= 0), 0.0, h / np.where(total > 0, total, 1.0))
    for _ in range(steps):
        away = -(ends.T @ out)
        length = np.sqrt(np.einsum("nk,nk->n", away, away))
        force = np.where(length > TINY, net.weight * (length - net.rest) / np.maximum(length, TINY), 0.0)
        out += share[:, None] * (ends @ (force[:, None] * away))
    return out


def within(points: Array, net: Springs, fixed: Fixed, limit: Limit, engine: str) -> Array:
    """Points whose bones are at most ``1 + limit.stretch`` long, as far as the held joints and the passes allow.

    From the joints ``fixed.first`` (those that are dragged), then from every other held one, outwards over the tree,
    the far end of each bone that is too long is pulled in. One such pass is enough where nothing else is held; the
    dynamic inverse of Provot, which halves the error between both ends, leaves 42 % after ten for a quick drag.

    Raises:
        GambolError: for a time limit without a clock.
    """
    out = np.array(points, float)
    roots = [*fixed.first, *(int(j) for j in np.flatnonzero(fixed.held) if j not in fixed.first)] or [0]
    if limit.seconds is None:
        _passes(out, net, fixed.held, (roots, 1 + limit.stretch, limit.passes), engine)
        return out
    if limit.clock is None:
        raise GambolError("a time is given and no clock", where="limit", do="give clock=time.perf_counter")
    end = limit.clock() + limit.seconds
    while _passes(out, net, fixed.held, (roots, 1 + limit.stretch, 1), engine) and limit.clock() < end:
        pass
    return out


def _passes(
    points: Array, net: Springs, held: NDArray[np.bool_], job: tuple[list[int], float, int], engine: str
) -> bool:
    """In place: passes from each root; True where the last one still moved something."""
    roots, most, passes = job
    bones = net.pairs[: net.bones]
    length, parent = np.zeros(len(points)), np.full(len(points), -1, np.int64)
    length[bones[:, 0]], parent[bones[:, 0]] = net.rest[: net.bones], bones[:, 1]
    if engine == "compiled":
        fixed, order = held.astype(np.float64), np.array(roots, np.int64)
        return bool(_limit.compiled(points, net.around, parent, length, fixed, order, most, passes))
    allowed = most * net.rest[: net.bones] * (1 + 1e-9) + TINY
    moved = False
    for _ in range(passes):
        moved = False
        for root in roots:
            if (np.linalg.norm(points[bones[:, 0]] - points[bones[:, 1]], axis=1) <= allowed).all():
                break
            for near, far in _outwards(net.around.tobytes(), net.around.shape, root):
                bone = np.where(parent[far] == near, length[far], length[near])
                away = points[far] - points[near]
                now = np.linalg.norm(away, axis=1)
                pull = ~held[far] & (now > most * bone * (1 + 1e-9) + TINY)
                if pull.any():
                    points[far[pull]] = points[near[pull]] + away[pull] * (most * bone[pull] / now[pull])[:, None]
                    moved = True
        if not moved:
            break
    return moved


@lru_cache(maxsize=256)
def _outwards(around: bytes, shape: tuple[int, int], root: int) -> tuple[tuple[Indices, Indices], ...]:
    """Bones as (near end, far end), level by level of the tree as seen from a joint."""
    table = np.frombuffer(around, np.int64).reshape(shape)
    out, level, seen = [], [root], {root}
    while level:
        pairs = [(i, int(j)) for i in level for j in table[i, 1 : 1 + table[i, 0]] if int(j) not in seen]
        level = [j for _, j in pairs]
        seen.update(level)
        if pairs:
            out.append((np.array([i for i, _ in pairs]), np.array(level)))
    return tuple(out)


def eased(before: Array, after: Array, net: Springs, stretch: float) -> Array:
    """As far from ``before`` (no bone too long) to ``after`` as no bone becomes longer than ``1 + stretch``.

    The points whose bones are short enough are a convex set, so that there is one such farthest point on the way.
    """
    child, parent = net.pairs[: net.bones].T
    d0, d1 = before[child] - before[parent], after[child] - after[parent]
    way = d1 - d0
    a, b = np.einsum("nk,nk->n", way, way), np.einsum("nk,nk->n", d0, way)
    c = np.einsum("nk,nk->n", d0, d0) - ((1 + stretch) * net.rest[: net.bones]) ** 2
    reach = np.where(c < 0, np.sqrt(np.maximum(b * b - a * c, 0)) - b, 0.0)
    share = np.where(a > TINY**2, reach / np.maximum(a, TINY**2), 1.0)
    out: Array = before + min(1.0, float(share.min(initial=1.0))) * (after - before)
    return out


@kernel
def _relax(points, pairs, rest, weight, held, h, steps):  # type: ignore[no-untyped-def]
    """In place: p_j <- p_j + h sum(k f u) / sum(k) over the springs at j."""
    joints = points.shape[0]
    pull = np.zeros((joints, 4))
    for _ in range(steps):
        pull[:] = 0.0
        for n in range(pairs.shape[0]):
            i, j = pairs[n, 0], pairs[n, 1]
            x, y, z = points[j, 0] - points[i, 0], points[j, 1] - points[i, 1], points[j, 2] - points[i, 2]
            length = np.sqrt(x * x + y * y + z * z)
            k = weight[n]
            if length > TINY:
                f = k * (length - rest[n]) / length
                pull[i, 0] += f * x
                pull[i, 1] += f * y
                pull[i, 2] += f * z
                pull[j, 0] -= f * x
                pull[j, 1] -= f * y
                pull[j, 2] -= f * z
            pull[i, 3] += k
            pull[j, 3] += k
        for j in range(joints):
            if held[j] == 0.0 and pull[j, 3] > 0.0:
                share = h / pull[j, 3]
                points[j, 0] += share * pull[j, 0]
                points[j, 1] += share * pull[j, 1]
                points[j, 2] += share * pull[j, 2]


@kernel
def _limit(points, around, parent, length, held, roots, most, passes):  # type: ignore[no-untyped-def]
    """In place: directed passes; True where the last pass still moved something."""
    joints = points.shape[0]
    todo = np.zeros(joints, np.int64)
    origin = np.zeros(joints, np.int64)
    moved = False
    for _ in range(passes):
        moved = False
        for r in range(roots.shape[0]):
            todo[0], origin[0] = roots[r], -1
            done, count = 0, 1
            while done < count:
                i, came = todo[done], origin[done]
                done += 1
                for n in range(around[i, 0]):
                    j = around[i, 1 + n]
                    if j == came:
                        continue
                    todo[count], origin[count] = j, i
                    count += 1
                    allowed = most * (length[j] if parent[j] == i else length[i])
                    x, y, z = points[j, 0] - points[i, 0], points[j, 1] - points[i, 1], points[j, 2] - points[i, 2]
                    far = np.sqrt(x * x + y * y + z * z)
                    if held[j] == 0.0 and far > allowed * (1 + 1e-9) + TINY:
                        share = allowed / far
                        points[j, 0] = points[i, 0] + share * x
                        points[j, 1] = points[i, 1] + share * y
                        points[j, 2] = points[i, 2] + share * z
                        moved = True
        if not moved:
            break
    return moved
