"""Corners of a drawn line rounded so that they can be walked.

A corner becomes an arc that touches both sides; the whole line is then eased over 30 cm, so that curvature grows
from nothing and fades again. What is too tight for an arc stays a corner: the walker turns there on the spot.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

__all__ = ["GRID", "RADIUS", "SAME", "arc_lengths", "rounded"]

Array = NDArray[np.float64]
SAME = 1e-6  # m, points closer than this are one
GRID = 0.02  # m, spacing of a rounded line
CLOSE = 0.05  # m, drawn points nearer to each other than this say nothing about the shape
RADIUS = 0.8  # m, that a walk takes without slowing
GENTLE = 0.07  # m that a corner may be cut to be rounder than asked for
LEAST = 0.30  # m, radius below which a corner is taken by turning on the spot
BEND = np.radians(40)  # a corner that turns less is always walked through
SHARPEST = np.radians(150)  # a corner that turns more is a turn on the spot
EASE = 0.3  # m, half width of the easing
FREE = 0.95  # share of a side that an arc may take where nothing else needs it
TREMBLE = 0.05  # m that a drawn line may stray from what was meant


def arc_lengths(points: Array) -> Array:
    """Horizontal arc length m of each of ``(N, 3)`` points: ``(N,)``."""
    d = np.diff(points[:, [0, 2]], axis=0)
    return np.concatenate([[0.0], np.cumsum(np.hypot(d[:, 0], d[:, 1]))])


def rounded(points: Array, closed: bool, radius: float) -> list[Array]:
    """Smooth pieces of a line, each ending where the next begins; between them the walker turns on the spot.

    Args:
        points: ``(N, 3)`` m, no two neighbours at one horizontal position; the last of a ring is its first.
        closed: whether the line is a ring. Its pieces then begin at a tight corner, and the last ends there.
        radius: m, of the corners that have room for it.

    Returns:
        ``(M, 3)`` m each, about 2 cm apart; one ring where a closed line has no tight corner.
    """
    p = _meant(points, closed, radius)
    if closed:
        p = p[:-1]
    turn, room = _corners(p, closed)
    half = np.tan(np.abs(turn) / 2)
    # the easing draws an arc inward by half its variance over the radius
    wide = (radius + np.sqrt(radius**2 + EASE**2 / 3)) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.minimum(np.maximum(GENTLE / (1 / np.cos(turn / 2) - 1), wide), room / half)
    tight = (np.abs(turn) > SHARPEST) | ((np.abs(turn) > BEND) & (r < LEAST))
    r = np.where(tight | (np.abs(turn) < 1e-9), 0.0, r)
    first = int(np.argmax(tight)) if closed and tight.any() else 0
    order = (first + np.arange(len(p) + (closed and bool(tight.any())))) % len(p)
    pieces: list[list[Array]] = [[]]
    for number, i in enumerate(order):
        pieces[-1].append(_arc(p[i - 1], p[i], p[(i + 1) % len(p)], (float(r[i]), float(turn[i]))))
        if tight[i] and 0 < number < len(order) - 1:
            pieces.append([p[i : i + 1]])
    ring = closed and not tight.any()
    lines = [np.concatenate(piece) for piece in pieces]
    return [_eased(line, ring) for line in lines if ring or arc_lengths(line)[-1] > SAME]


def _thinned(points: Array, bones: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which points to keep: drawn by hand or from pixels, points that crowd would turn every way."""
    s = arc_lengths(points)
    ahead = s[np.flatnonzero(bones)]
    ahead = ahead[np.minimum(np.searchsorted(ahead, s), len(ahead) - 1)] - s
    keep, last = np.zeros(len(points), bool), -np.inf
    for i in range(len(points)):
        if s[i] - last >= CLOSE and (bones[i] or ahead[i] >= CLOSE):
            keep[i], last = True, s[i]
    if not keep[-1]:  # the end stays
        keep[np.flatnonzero(s > s[-1] - CLOSE)] = False
        keep[-1] = True
    keep[0] = True
    return keep


def _meant(points: Array, closed: bool, radius: float) -> Array:
    """Without points that hide a corner (along its sides), or that only tremble about a side.

    However densely a right angle is drawn, it is the same right angle.
    """
    if closed:  # what is kept of a ring does not depend on where its drawing began
        ring = points[:-1]
        points = np.roll(ring, -int(np.argmax(np.hypot(*(ring - ring.mean(0))[:, [0, 2]].T))), 0)
        points = np.concatenate([points, points[:1]])
    bones = _skeleton(points, closed)
    keep = _thinned(points, bones)
    if keep.sum() > 1 + closed:
        points, bones = points[keep], bones[keep]
    at, s = np.flatnonzero(bones), arc_lengths(points)
    at = at[:-1] if closed else at
    turn, room = _corners(points[at], closed)
    sharp = np.abs(turn) > BEND
    # twice the arc's share of a side: the next point takes as much
    reach = 2 * np.minimum(radius * np.tan(np.minimum(np.abs(turn), SHARPEST) / 2), room)
    away = np.abs(s[:, None] - s[at[sharp]])
    away = np.minimum(away, s[-1] - away) if closed else away
    keep = bones | (away >= reach[sharp]).all(1)
    corner = np.zeros(len(points), bool)
    corner[at[sharp]] = True
    return _steady(points[keep], bones[keep], corner[keep], closed)


def _steady(points: Array, bones: NDArray[np.bool_], corner: NDArray[np.bool_], closed: bool) -> Array:
    """Without the points, none of them ``bones``, that turn the line sharply where no ``corner`` is meant."""
    while True:
        turn, _ = _corners(points[:-1] if closed else points, closed)
        shaky = (np.abs(np.append(turn, turn[0]) if closed else turn) > BEND) & ~corner
        drop = shaky & ~bones
        if not drop.any():  # a bone is shaken by its neighbours
            drop[1:] |= shaky[:-1] & ~bones[1:]
            drop[:-1] |= shaky[1:] & ~bones[:-1]
        if not drop.any():
            return points
        points, bones, corner = points[~drop], bones[~drop], corner[~drop]


def _skeleton(points: Array, closed: bool) -> NDArray[np.bool_]:
    """The points without which the line would stray more than a tremble, sideways, in height or by turning back."""
    last = len(points) - 1
    fixed = [0, int(np.argmax(np.hypot(*(points - points[0])[:, [0, 2]].T))), last] if closed else [0, last]
    bones, spans = set(fixed), list(itertools.pairwise(fixed))
    while spans:
        a, b = spans.pop()
        if b - a < 2:
            continue
        stray = _stray(points[a + 1 : b], points[a], points[b])
        k = a + 1 + int(np.argmax(stray))
        if stray[k - a - 1] > TREMBLE:
            bones.add(k)
            spans += [(a, k), (k, b)]
    kept = sorted(bones)
    for k in sorted(bones - set(fixed)):  # what others have made needless
        i = kept.index(k)
        if _stray(points[k : k + 1], points[kept[i - 1]], points[kept[i + 1]])[0] <= TREMBLE:
            kept.pop(i)
    out = np.zeros(len(points), bool)
    out[kept] = True
    return out


def _stray(points: Array, start: Array, end: Array) -> Array:
    """m (N,) that points drawn one after the other stray from the side between two others."""
    out, side = points - start, end - start
    length = float(np.hypot(side[0], side[2]))
    if length < SAME:  # there and back
        return np.asarray(np.maximum(np.hypot(out[:, 0], out[:, 2]), np.abs(out[:, 1])))
    along = (out[:, 0] * side[0] + out[:, 2] * side[2]) / length
    across = np.abs(out[:, 0] * side[2] - out[:, 2] * side[0]) / length
    height = np.abs(out[:, 1] - side[1] * along / length)
    back = np.maximum(np.maximum.accumulate(along), 0.0) - along
    return np.asarray(np.max([across, height, back, along - length], 0))


def _corners(p: Array, closed: bool) -> tuple[Array, Array]:
    """How far each point turns (rad, left positive), and the m of its sides an arc may take."""
    d0, d1 = p - np.roll(p, 1, 0), np.roll(p, -1, 0) - p
    l0, l1 = np.hypot(d0[:, 0], d0[:, 2]), np.hypot(d1[:, 0], d1[:, 2])
    turn = np.arctan2(d1[:, 0], d1[:, 2]) - np.arctan2(d0[:, 0], d0[:, 2])
    turn = (turn + np.pi) % (2 * np.pi) - np.pi
    if not closed:
        turn[[0, -1]] = 0.0
    shared = np.abs(turn) > 1e-9
    before = np.where(np.roll(shared, 1), l0 / 2, FREE * l0)
    after = np.where(np.roll(shared, -1), l1 / 2, FREE * l1)
    return turn, np.minimum(before, after)


def _arc(before: Array, at: Array, after: Array, bend: tuple[float, float]) -> Array:
    """The corner ``at`` as an arc of (radius m, turn rad): (M, 3); itself where the radius is 0."""
    radius, turn = bend
    reach = radius * np.tan(abs(turn) / 2)
    if reach < 1e-3:
        return at[None]
    d0, d1 = at - before, after - at
    into, out = d0 / np.hypot(d0[0], d0[2]), d1 / np.hypot(d1[0], d1[2])
    share = np.linspace(0.0, 1.0, max(int(np.ceil(radius * abs(turn) / GRID)), 4) + 1)
    angle = share * abs(turn)
    along, across = radius * np.sin(angle) - reach, np.sign(turn) * 2 * radius * np.sin(angle / 2) ** 2
    y = reach * np.where(share < 0.5, (2 * share - 1) * into[1], (2 * share - 1) * out[1])
    moved = np.stack([along * into[0] + across * into[2], y, along * into[2] - across * into[0]], -1)
    return at + moved


def _eased(line: Array, ring: bool) -> Array:
    """Evenly resampled and averaged over 30 cm on either side: on a straight line nothing changes."""
    if ring:
        line = np.concatenate([line, line[:1]])
    along = arc_lengths(line)
    n = max(int(np.ceil(along[-1] / GRID - 1e-6)), 2)
    s = np.linspace(0.0, along[-1], n + 1)
    dense = np.stack([np.interp(s, along, line[:, i]) for i in range(3)], -1)
    k = round(min(EASE, along[-1] / 4) / (along[-1] / n))
    if k < 2:
        return dense
    weights = np.concatenate([np.arange(1, k + 1), np.arange(k - 1, 0, -1)]) / k**2
    if ring:
        padded = np.concatenate([dense[-k:-1], dense[:-1], dense[: k - 1]])
    else:  # turned about its ends, so that they stay
        head, tail = 2 * dense[0] - dense[k - 1 : 0 : -1], 2 * dense[-1] - dense[-2 : -k - 1 : -1]
        padded = np.concatenate([head, dense, tail])
    origin = dense[0]  # sums of small numbers, wherever the line lies
    out = np.stack([np.convolve(padded[:, i] - origin[i], weights, "valid") for i in range(3)], -1) + origin
    return np.concatenate([out, out[:1]]) if ring else out
