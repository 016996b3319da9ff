"""Legs and arms in a tree of joints: mirrored pairs of chains, found by names and by rest positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.joint_names import Reading

__all__ = ["Limb", "Tree", "arms_of", "legs_of", "looks"]

Array = NDArray[np.float64]
SHORTEST = 0.05  # of the height: no thigh, shank, upper arm or forearm is shorter
FARTHEST = 8  # joints between the ends of a segment, twist joints among them
SKIPPED = 0.04  # of the score, for every joint that lies inside a segment
KEPT = 40  # candidates that are looked at in pairs
ENOUGH = 0.75  # score from which a chain can be a limb
MIRROR = 0.08  # of the height: how far from mirrored the joints of a pair may rest


class Limb(NamedTuple):
    """A chain: its four joints (-1 where one is missing), how well each is named, and how well the shape fits, 0..1."""

    joints: tuple[int, int, int, int]
    named: tuple[float, float, float, float]
    shape: float


class _Chain(NamedTuple):
    """Two segments: joints, score of names and shape, and the side that names give."""

    joints: tuple[int, int, int]
    named: tuple[float, float, float]
    shape: float
    side: int

    @property
    def score(self) -> float:
        return sum(self.named) + self.shape


@dataclass(frozen=True)
class Tree:
    """Joints with parents first, rest positions (J, 3) and what their names say."""

    parents: NDArray[np.int64]
    rest: Array
    readings: Sequence[Reading]

    @cached_property
    def children(self) -> list[list[int]]:
        """Joints below each joint."""
        out: list[list[int]] = [[] for _ in self.parents]
        for j, p in enumerate(self.parents):
            if p >= 0:
                out[p].append(j)
        return out

    @cached_property
    def depth(self) -> list[int]:
        """Joints above each joint."""
        out: list[int] = []
        for p in self.parents:
            out.append(0 if p < 0 else out[p] + 1)
        return out

    @cached_property
    def low(self) -> float:
        """Height of the lowest joint."""
        return float(self.rest[:, 1].min(initial=np.inf))

    @cached_property
    def height(self) -> float:
        """From the lowest to the highest joint, never nothing."""
        return max(float(np.ptp(self.rest[:, 1])) if len(self.rest) else 0.0, 1e-9)

    @cached_property
    def size(self) -> float:
        """The longest side of the box around the figure."""
        return max(float(np.ptp(self.rest, axis=0).max()) if len(self.rest) else 0.0, 1e-9)

    def above(self, j: int, most: int | None = None) -> list[int]:
        """Ancestors, the nearest first; at most so many of them."""
        out: list[int] = []
        while (j := int(self.parents[j])) >= 0 and (most is None or len(out) < most):
            out.append(j)
        return out

    def subtree(self, j: int, deep: int | None = None) -> list[int]:
        """A joint and all below it, parents first; those at most ``deep`` joints below it."""
        last = np.inf if deep is None else self.depth[j] + deep
        out, stack = [], [j]
        while stack:
            out.append(k := stack.pop())
            if self.depth[k] < last:
                stack += reversed(self.children[k])
        return out

    def below(self, upper: int, j: int) -> bool:
        """Whether ``j`` is below ``upper``."""
        return upper in self.above(j)

    def way(self, upper: int, j: int) -> list[int]:
        """Joints from ``upper`` down to ``j``, both included; empty where ``j`` is not below it."""
        line = [j, *self.above(j)]
        return line[: line.index(upper) + 1][::-1] if upper in line else []

    def meeting(self, joints: Sequence[int]) -> int:
        """The lowest joint that all of them hang from (never one of them); -1 where there is none."""
        lines = [self.above(j) for j in joints]
        return next((k for k in lines[0] if all(k in line for line in lines[1:])), -1) if lines else -1

    def farthest(self, j: int) -> int:
        """The joint below ``j`` that rests farthest from it."""
        return max(self.subtree(j, FARTHEST), key=lambda k: float(np.linalg.norm(self.rest[k] - self.rest[j])))


def legs_of(tree: Tree) -> tuple[tuple[Limb, Limb] | None, int]:
    """The (left, right) legs, and how many more legs reach the ground."""
    found = _chains(tree, ("upper_leg", "lower_leg", "foot"), _leg_shape, set())
    pair = _pair(tree, found)
    if pair is None:
        return None, 0
    used = {j for c in pair for j in tree.subtree(c.joints[0])} | {j for c in pair for j in tree.above(c.joints[0])}
    others = [c for c in found if c.shape > 0.85 and not used & set(c.joints) and not sum(c.named)]
    left, right = _sorted(tree, pair, looks(tree, [c.joints for c in pair]))
    return (_leg(tree, left), _leg(tree, right)), 2 * int(_pair(tree, others) is not None)


def arms_of(tree: Tree, legs: Sequence[Limb]) -> tuple[Limb, Limb] | None:
    """The (left, right) arms among the joints that are no legs."""
    blocked = {k for limb in legs for j in limb.joints if j >= 0 for k in tree.subtree(j)}
    middle = tree.rest[[limb.joints[0] for limb in legs]].mean(0) if legs else np.median(tree.rest, axis=0)

    def shape(tree: Tree, a: int, e: int, w: int) -> float:
        return _arm_shape(tree, (a, e, w), middle)

    pair = _pair(tree, _chains(tree, ("upper_arm", "lower_arm", "hand"), shape, blocked))
    if pair is None:
        return None
    left, right = _sorted(tree, pair, looks(tree, [limb.joints[:3] for limb in legs]))
    meeting = tree.meeting([c.joints[0] for c in pair])
    return _arm(tree, left, meeting), _arm(tree, right, meeting)


def looks(tree: Tree, legs: Sequence[Sequence[int]]) -> Array:
    """(3,) the level direction in which the feet of (hip, knee, ankle) joints point, else their knees, else +z."""
    feet, knees = np.zeros(3), np.zeros(3)
    for hip, knee, foot in legs:
        feet += tree.rest[tree.farthest(foot)] - tree.rest[foot]
        knees += 2 * tree.rest[knee] - tree.rest[hip] - tree.rest[foot]
    if len(legs) == 2:  # only what is square to the line between the legs
        across = tree.rest[legs[0][0]] - tree.rest[legs[1][0]]
        across[1] = 0.0
        for way in (feet, knees):
            way -= across * (way @ across) / max(float(across @ across), 1e-12)
    for way in (feet, knees):
        way[1] = 0.0
        if np.linalg.norm(way) > 0.02 * tree.size:
            return np.asarray(way / np.linalg.norm(way))
    return np.array([0.0, 0.0, 1.0])


def _chains(tree: Tree, parts: tuple[str, str, str], shape, blocked: set[int]) -> list[_Chain]:  # type: ignore[no-untyped-def]
    """Chains of three joints that names or shape make likely, the likeliest first."""
    named = [
        [0.0 if r.helper else r.parts.get(part, 0.0) - 0.5 * _otherwise(r, part) for r in tree.readings]
        for part in parts
    ]
    out: list[_Chain] = []
    for k in range(len(tree.parents)):
        if k in blocked or tree.readings[k].helper:
            continue
        below = tree.subtree(k, FARTHEST)[1:]
        ends = [*below, *_loose(tree, k, parts[2])]
        for u in tree.above(k, FARTHEST):
            if u in blocked or tree.readings[u].helper or _apart(tree, u, k) < SHORTEST:
                continue
            for f in ends:
                if f in blocked or tree.readings[f].helper or _apart(tree, k, f) < SHORTEST:
                    continue
                sides = {tree.readings[j].side for j in (u, k, f)} - {0}
                if len(sides) > 1:
                    continue
                names = (named[0][u], named[1][k], named[2][f])
                skipped = tree.depth[k] - tree.depth[u] + max(tree.depth[f] - tree.depth[k], 1) - 2
                fit = shape(tree, u, k, f) - SKIPPED * skipped
                chain = _Chain((u, k, f), names, max(fit, 0.0), sides.pop() if sides else 0)
                if chain.score > ENOUGH:
                    out.append(chain)
    out.sort(key=lambda c: -c.score)
    return out


def _otherwise(reading: Reading, part: str) -> float:
    """How much a name says that the joint is something else."""
    others = [v for p, v in reading.parts.items() if p != part]
    return 0.0 if part in reading.parts else max(others, default=0.0)


def _loose(tree: Tree, k: int, part: str) -> list[int]:
    """Ends that hang elsewhere (feet on the root, as in rigs made for inverse kinematics), known by name and side."""
    side = tree.readings[k].side
    if not side or part != "foot":
        return []
    return [
        j for j, r in enumerate(tree.readings)
        if r.side == side and r.parts.get(part, 0) > 0.8 and not r.helper and not tree.below(k, j) and j != k
    ]  # fmt: skip


def _apart(tree: Tree, a: int, b: int) -> float:
    """Distance of two joints over the size of the figure."""
    return float(np.linalg.norm(tree.rest[b] - tree.rest[a])) / tree.size


def _alike(a: float, b: float) -> float:
    """1 for equal lengths, falling to 0 where one is 2.5 times the other."""
    return max(0.0, 1.0 - abs(np.log(max(a, 1e-9) / max(b, 1e-9))) / np.log(2.5))


def _leg_shape(tree: Tree, u: int, k: int, f: int) -> float:
    """0..1: two like segments going down to just above the ground, with a foot that goes on level."""
    a, b, c = tree.rest[u], tree.rest[k], tree.rest[f]
    thigh, shank = b - a, c - b
    lengths = float(np.linalg.norm(thigh)), float(np.linalg.norm(shank))
    down = min(-thigh[1] / lengths[0], -shank[1] / lengths[1])
    if down < 0.3 or _level(tree, u, int(tree.parents[u])) < 0.01 * tree.size:  # beside the middle
        return 0.0
    above_ground = (c[1] - tree.low) / tree.height
    if above_ground > 0.25:
        return 0.0
    share = (a[1] - tree.low) / tree.height
    level = 0.0
    below = tree.subtree(f, FARTHEST)[1:]
    if below:
        tips = tree.rest[below] - c
        flat = np.hypot(tips[:, 0], tips[:, 2]) - 0.7 * np.abs(tips[:, 1])
        level = 1.0 if flat.max() > 0.02 * tree.height else 0.3
    return float(
        0.3 * _alike(*lengths) + 0.2 * min(down / 0.9, 1.0) + 0.15 * (1 - above_ground / 0.25)
        + 0.15 * min(share / 0.3, 1.0) + 0.2 * level
    )  # fmt: skip


def _arm_shape(tree: Tree, joints: tuple[int, int, int], middle: Array) -> float:
    """0..1: two like segments that lead away from the middle, and little after them."""
    p, q, r = tree.rest[list(joints)]
    lengths = float(np.linalg.norm(q - p)), float(np.linalg.norm(r - q))
    beyond = float(np.linalg.norm(tree.rest[tree.farthest(joints[2])] - r))
    start, end = (float(np.hypot(*(x - middle)[[0, 2]])) for x in (p, r))
    if end < 0.03 * tree.size or start < 0.01 * tree.size:
        return 0.0
    straight = float((q - p) @ (r - q)) / (lengths[0] * lengths[1])
    share = min(lengths) / tree.size
    return float(
        0.3 * _alike(*lengths) + 0.25 * max(straight, 0.0) + 0.15 * min(share / 0.1, 1.0)
        + 0.15 * (end - start > -0.02 * tree.size) + 0.15 * (beyond < 0.9 * lengths[1])
    )  # fmt: skip


def _pair(tree: Tree, chains: Sequence[_Chain]) -> tuple[_Chain, _Chain] | None:
    """The best pair: (left, right) by name, else two that are mirrored at rest."""
    best: tuple[float, _Chain, _Chain] | None = None
    for side in (1, 0):
        first = [c for c in chains if c.side == side][:KEPT]
        second = [c for c in chains if c.side == -side][:KEPT]
        for a in first:
            for b in second:
                if set(a.joints) & set(tree.subtree(b.joints[0])) or set(b.joints) & set(tree.subtree(a.joints[0])):
                    continue
                fits = _mirrored(tree, a, b)
                if side == 0 and fits < 0.5:
                    continue
                score = a.score + b.score + 0.8 * fits
                if best is None or score > best[0] + 1e-12:
                    best = score, a, b
        if best is not None:
            return best[1], best[2]
    return None


def _mirrored(tree: Tree, a: _Chain, b: _Chain) -> float:
    """1 where two chains are mirror images in an upright plane, 0 where they are not.

    Limbs that rest in different poses (a figure in mid-stride) count for less, where they begin mirrored and are
    equally long.
    """
    p, q = tree.rest[list(a.joints)], tree.rest[list(b.joints)]
    across = (p - q).sum(0)
    across[1] = 0.0
    wide = float(np.linalg.norm(across))
    if wide < 0.03 * tree.size:
        return 0.0
    across /= wide
    middle = float(((p + q) @ across).mean() / 2)
    gaps = np.abs(p - (q - 2 * ((q @ across) - middle)[:, None] * across)).max(1) / tree.size
    long, other = (np.linalg.norm(np.diff(x, axis=0), axis=1) for x in (p, q))
    alike = float(np.abs(np.log(np.maximum(long, 1e-9) / np.maximum(other, 1e-9))).max())
    posed = 0.7 * max(0.0, 1 - gaps[0] / MIRROR) * max(0.0, 1 - alike / 0.15)
    return max(0.0, 1 - float(gaps.max()) / MIRROR, posed)


def _sorted(tree: Tree, pair: tuple[_Chain, _Chain], ahead: Array) -> tuple[_Chain, _Chain]:
    """(left, right): by name, else the left is where it is for a figure that looks along ``ahead``."""
    a, b = pair
    if a.side:
        return pair
    left = np.array([ahead[2], 0.0, -ahead[0]])  # up x ahead
    across = (tree.rest[list(a.joints)] - tree.rest[list(b.joints)]).sum(0)
    return (a, b) if across @ left >= 0 else (b, a)


def _leg(tree: Tree, chain: _Chain) -> Limb:
    """With the toes: the joint below the foot that is called so, else the first that lies ahead on the ground."""
    u, k, f = chain.joints
    below = [j for j in tree.subtree(f)[1:] if not tree.readings[j].helper]
    named = [j for j in below if tree.readings[j].parts.get("toes", 0) > 0.2]
    if not named:
        side = chain.side
        named = [
            j for j, r in enumerate(tree.readings)
            if side and r.side == side and r.parts.get("toes", 0) > 0.9 and not r.helper and f in tree.above(j)
        ]  # fmt: skip
    ahead = [j for j in below if _level(tree, f, j) > 0.02 * tree.height and (tree.children[j] or not named)]
    toes = named[0] if named else ahead[0] if ahead else -1
    share = tree.readings[toes].parts.get("toes", 0.0) if toes >= 0 else 0.0
    return Limb((u, k, f, toes), (*_shares(chain), share), chain.shape)


def _level(tree: Tree, a: int, b: int) -> float:
    d = tree.rest[b] - tree.rest[a]
    return float(np.hypot(d[0], d[2]))


def _arm(tree: Tree, chain: _Chain, meeting: int) -> Limb:
    """With the clavicle: the joint between where the arms meet and the upper arm."""
    a, e, w = chain.joints
    between = [j for j in tree.way(meeting, a)[1:-1] if not tree.readings[j].helper] if meeting >= 0 else []
    named = [j for j in between if tree.readings[j].parts.get("shoulder", 0) > 0.5]
    clavicle = named[-1] if named else between[-1] if between else -1
    share = tree.readings[clavicle].parts.get("shoulder", 0.0) if clavicle >= 0 else 0.0
    return Limb((clavicle, a, e, w), (share, *_shares(chain)), chain.shape)


def _shares(chain: _Chain) -> tuple[float, float, float]:
    a, b, c = (max(0.0, min(1.0, x / 0.75)) for x in chain.named)
    return a, b, c
