"""Motion graph: unlabelled clips in, a hierarchical graph of locomotion out (Kwon & Shin 2005).

Off line. The coarse level holds kinds of locomotion (stand, walk, run) and the transitions between them, the fine
level the groups of segments with one footstep string. All segments of a group have the same supports in the same
order, so that any of them can be blended with keytimes aligned and no further warping.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.body import Body
from gambol.cleaning import smoothed
from gambol.errors import GambolError
from gambol.motion import Motion
from gambol.segments import RATE, Segment, Take, cut, take_of, upright
from gambol.skeleton import readonly

__all__ = ["FIELDS", "STEPS", "Group", "MotionGraph", "build_graph", "gait_of", "mirrored"]

Array = NDArray[np.float64]
STEPS = 20  # samples between two keytimes
SMALLEST = 2  # members of a group that is not on the only way somewhere
KINDS = {"S": "stand", "RDL": "walk", "LDR": "walk", "FRF": "run", "FLF": "run"}
BACKWARDS = -0.1  # m/s along the heading; a segment slower than this walks backwards
FIELDS = ("times", "rotations", "moves", "turns", "heights", "speed", "rise")
OTHER = str.maketrans("LR", "RL")


class Group(NamedTuple):
    """n segments of one string with K = len(string) supports, sampled at P = 1 + K STEPS equal phases.

    The heading frame has z along the smoothed heading at each sample and x to its left.
    """

    times: Array  # (n, K + 1) s, keytimes from 0
    rotations: Array  # (n, P, J, 4); joint 0 relative to the heading; signs aligned over the group
    moves: Array  # (n, P - 1, 2) m, root displacement from sample to sample in the heading frame (x, z)
    turns: Array  # (n, P) rad, heading from 0
    heights: Array  # (n, P) m, root above the ground it walks on
    speed: Array  # (n, 2) m/s at the beginning and the end, smoothed
    rise: Array  # (n,) m
    style: tuple[str, ...]
    source: tuple[str, ...]  # clip:first-end, with ~ where mirrored

    def __len__(self) -> int:
        return len(self.times)

    @property
    def duration(self) -> Array:
        """``(n,)`` s."""
        return self.times[:, -1]

    @property
    def travel(self) -> Array:
        """``(n,)`` m along the heading."""
        return self.moves[..., 1].sum(1)

    @property
    def turn(self) -> Array:
        """``(n,)`` rad, to the left positive."""
        return self.turns[:, -1]


@dataclass(frozen=True, eq=False)
class MotionGraph:
    """Groups of segments and what may follow what. Frozen; :mod:`gambol.graph_file` saves and loads it.

    Attributes:
        height: m, of the person on whom all segments lie.
        groups: footstep string -> its segments.
        edges: fine edges: string -> strings that may follow.
        left_out: (clip, seconds from, to, string, why) of every piece that is not used.
        clips: names of the clips used.
        cuts: cuts found, and how many of them a peak of the centre of mass confirms.
    """

    height: float
    groups: dict[str, Group]
    edges: dict[str, tuple[str, ...]]
    left_out: tuple[tuple[str, float, float, str, str], ...] = ()
    clips: tuple[str, ...] = ()
    cuts: tuple[int, int] = (0, 0)
    styles: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        found = sorted({s for g in self.groups.values() for s in g.style})
        object.__setattr__(self, "styles", tuple(found))

    def coarse(self) -> dict[str, tuple[str, ...]]:
        """Coarse nodes (stand, walk, run, or the string of a transition) -> the coarse nodes that may follow."""
        out: dict[str, set[str]] = {}
        for string, after in self.edges.items():
            for other in after:
                a, b = KINDS.get(string, string), KINDS.get(other, other)
                out.setdefault(a, set())
                if a != b:
                    out[a].add(b)
        return {k: tuple(sorted(v)) for k, v in out.items()}

    def gaits(self) -> tuple[str, ...]:
        """The kinds of locomotion in the graph."""
        kinds = {KINDS.get(s, "") for s in self.groups} | {"stand" for s in self.groups if s[0] == "S"}
        return tuple(g for g in ("stand", "walk", "run") if g in kinds)


def gait_of(string: str) -> str:
    """stand, walk, run, or the string itself of a transition."""
    return KINDS.get(string, string)


def mirrored(motion: Motion) -> Motion:
    """Left and right exchanged: a person's clip mirrored in the plane x = 0."""
    names = motion.skeleton.names
    swap = {"left": "right", "right": "left"}
    other = [
        motion.skeleton.index(f"{swap[n.split('_')[0]]}_{n.split('_', 1)[1]}") if n.split("_")[0] in swap else j
        for j, n in enumerate(names)
    ]
    return Motion(
        motion.skeleton, motion.root * [-1.0, 1.0, 1.0], motion.rotations[:, other] * [1.0, 1.0, -1.0, -1.0],
        motion.fps, name=motion.name,
    )


def build_graph(
    clips: Iterable[Motion], *, styles: Sequence[str] | None = None, mirror: bool = True
) -> MotionGraph:
    """Cut, label and group clips.

    Args:
        clips: motions on one person's skeleton (:func:`gambol.person.as_person`), at any rate.
        styles: a word for each clip, by which commands can choose; by default "".
        mirror: use every segment also with left and right exchanged.

    Raises:
        GambolError: where no clip walks or runs through whole half cycles, or clips have different skeletons.
    """
    motions = list(clips)
    if not motions:
        raise GambolError("there are no clips", where="motion graph", allowed="at least one clip that walks or runs")
    if any(m.skeleton != motions[0].skeleton for m in motions):
        raise GambolError(
            "the clips have different skeletons", where="motion graph", allowed="one person",
            do="bring them onto one person first (person.as_person)",
        )
    rest = motions[0].skeleton.rest_positions()
    height = float(rest[:, 1].max() / 0.870)
    body = Body(round(height, 9))
    words = list(styles) if styles is not None else [""] * len(motions)
    takes = [take_of(m) for m in motions]
    found = [s for k, t in enumerate(takes) for s in cut(t, k, body.leg_length)]
    if mirror:
        takes += [_mirrored_take(t) for t in takes]
        found += [
            s._replace(take=s.take + len(motions), string=s.string.translate(OTHER)) for s in list(found)
        ]
    used, out = _sorted(takes, found, len(motions))
    out += _unused(takes[: len(motions)], used, body.leg_length)
    names = tuple(m.name for m in motions)
    if not any(KINDS.get(s, "stand") != "stand" for s in used):
        raise GambolError(
            "no clip walks or runs through a whole half cycle", where="motion graph",
            allowed="locomotion: from the middle of one single support (or flight) to the next",
            do=f"add walking clips; left out: {'; '.join(f'{c} {w}' for c, _, _, _, w in out[:3]) or 'nothing'}",
        )
    groups = {
        s: _group(takes, members, [words[m.take % len(motions)] for m in members], len(motions))
        for s, members in sorted(used.items())
    }
    groups, edges, cut_off = _connected(groups)
    for string, group in cut_off.items():
        out += [
            (src, 0.0, float(t), string, "nothing leads there and back")
            for src, t in zip(group.source, group.duration) if not src.endswith("~")
        ]
    confirmed = [s for s in found if s.take < len(motions) and not s.verdict]
    return MotionGraph(
        body.height, groups, edges, tuple(out), names, (len(confirmed), sum(s.peak for s in confirmed))
    )


def _mirrored_take(take: Take) -> Take:
    return Take(
        mirrored(take.motion), take.com * [-1.0, 1.0, 1.0], take.carries[:, ::-1], -take.heading,
        take.letters.translate(OTHER), take.ground,
    )


def _sorted(
    takes: Sequence[Take], found: Sequence[Segment], originals: int
) -> tuple[dict[str, list[Segment]], list[tuple[str, float, float, str, str]]]:
    """Segments by string, and what is left out and why (mirrored ones are not listed)."""
    used: dict[str, list[Segment]] = {}
    out: list[tuple[str, float, float, str, str]] = []
    counts = Counter(s.string for s in found if not s.verdict)
    for s in found:
        take = takes[s.take]
        why = s.verdict or _odd(take, s, counts)
        if why and s.take < originals:
            out.append((take.motion.name, s.keys[0] / RATE, s.keys[-1] / RATE, s.string, why))
        if not why:
            used.setdefault(s.string, []).append(s)
    return used, out


def _unused(
    takes: Sequence[Take], used: dict[str, list[Segment]], leg: float
) -> list[tuple[str, float, float, str, str]]:
    """Clips of which nothing is used, and parts of clips where nobody stands or goes upright."""
    busy = {s.take for members in used.values() for s in members}
    out = []
    for k, take in enumerate(takes):
        end = len(take.motion) - 1
        low = upright(take, 0, end, leg)
        if k not in busy:
            out.append((take.motion.name, 0.0, end / RATE, "", low or "nobody walks or runs through a half cycle"))
        elif low:
            out.append((take.motion.name, 0.0, end / RATE, "", f"in a part of it {low}; that part is not used"))
    return out


def _odd(take: Take, s: Segment, counts: Counter[str]) -> str:
    if s.string not in KINDS and not _transition(s.string):
        return f"the steps {s.string} lead from no gait to another"
    travel = take.motion.root[s.keys[-1], [0, 2]] - take.motion.root[s.keys[0], [0, 2]]
    h = take.heading[(s.keys[0] + s.keys[-1]) // 2]
    if travel @ [np.sin(h), np.cos(h)] < BACKWARDS * (s.keys[-1] - s.keys[0]) / RATE:
        return "it goes backwards"
    return ""


def _transition(string: str) -> bool:
    """Starts, stops and changes of gait: from standing, a single support or a flight to another of these."""
    ends = {"S", "L", "R", "F"}
    kinds = {"S": "stand", "L": "walk", "R": "walk", "F": "run"}
    inner = string[1:-1]
    return (
        len(string) > 1 and string[0] in ends and string[-1] in ends and "S" not in inner and "F" not in inner
        and kinds[string[0]] != kinds[string[-1]]
        and len(set(inner) & set("LR")) + (string[0] in "LR") + (string[-1] in "LR") <= 2
    )


def _group(takes: Sequence[Take], members: Sequence[Segment], styles: Sequence[str], originals: int) -> Group:
    rows = [_sampled(takes[m.take], m) for m in members]
    times, rotations, moves, turns, heights, speed, rise = (np.stack(c) for c in zip(*rows))
    mean = rotations[0]
    rotations = np.where((rotations * mean).sum(-1, keepdims=True) < 0, -rotations, rotations)
    source = tuple(
        f"{takes[m.take].motion.name}:{m.keys[0]}-{m.keys[-1]}{'~' if m.take >= originals else ''}" for m in members
    )
    arrays = [readonly(a) for a in (times, rotations, moves, turns, heights, speed, rise)]
    return Group(**dict(zip(FIELDS, arrays)), style=tuple(styles), source=source)


def _sampled(take: Take, s: Segment) -> tuple[Array, ...]:
    """One segment at equal phases."""
    keys = np.array(s.keys, float)
    at = np.concatenate(
        [keys[:1], *(a + (b - a) * np.arange(1, STEPS + 1) / STEPS for a, b in pairwise(keys))]
    )
    low = np.minimum(at.astype(int), len(take.motion) - 2)
    part = at - low
    heading = take.heading[low] * (1 - part) + take.heading[low + 1] * part
    root = take.motion.root[low] * (1 - part[:, None]) + take.motion.root[low + 1] * part[:, None]
    ground = take.ground[low] * (1 - part) + take.ground[low + 1] * part
    q = take.motion.rotations
    rotations = quat.normalize(q[low] * (1 - part)[:, None, None] + q[low + 1] * part[:, None, None])
    rotations[:, 0] = quat.multiply(quat.from_axis_angle([0.0, 1.0, 0.0], -heading), rotations[:, 0])
    step = np.diff(root[:, [0, 2]], axis=0)
    mid = 0.5 * (heading[1:] + heading[:-1])
    moves = np.stack(
        [step[:, 0] * np.cos(mid) - step[:, 1] * np.sin(mid), step[:, 0] * np.sin(mid) + step[:, 1] * np.cos(mid)], 1
    )
    velocity = smoothed(np.gradient(take.com[:, [0, 2]], axis=0) * RATE, 0.2 * RATE)
    ends = np.linalg.norm(velocity[[s.keys[0], min(s.keys[-1], len(velocity) - 1)]], axis=-1)
    return (
        (keys - keys[0]) / RATE, rotations, moves, heading - heading[0], root[:, 1] - ground, ends,
        np.array(ground[-1] - ground[0]),
    )


def _connected(
    groups: dict[str, Group],
) -> tuple[dict[str, Group], dict[str, tuple[str, ...]], dict[str, Group]]:
    """The fine edges, and the part of the graph from which every node leads back to every other."""
    edges = {a: [b for b in groups if _joins(a, b)] for a in groups}
    reach = {a: _reachable(edges, a) for a in groups}
    best = max(
        ({b for b in reach[a] if a in reach[b]} for a in groups),
        key=lambda part: (sum(len(groups[s]) for s in part), sorted(part)),
    )
    if not best:
        raise GambolError(
            "no segment leads on to another and back", where="motion graph",
            allowed="at least a left and a right half cycle", do="add clips, or mirror them",
        )
    kept = {s: g for s, g in groups.items() if s in best}
    fine = {s: tuple(b for b in edges[s] if b in best) for s in kept}
    return kept, fine, {s: g for s, g in groups.items() if s not in best}


def _joins(a: str, b: str) -> bool:
    """A segment ends in the support in which the next begins; over a flight the other foot lands."""
    if a[-1] != b[0]:
        return False
    return a[-1] != "F" or next(c for c in reversed(a) if c in "LR") != next(c for c in b if c in "LR")


def _reachable(edges: dict[str, list[str]], start: str) -> set[str]:
    seen: set[str] = set()
    todo = list(edges[start])
    while todo:
        s = todo.pop()
        if s not in seen:
            seen.add(s)
            todo += edges[s]
    return seen
