"""Loops: exactly one closed stride of a steady walk, and the clip played round after round.

The stride is cut out of a walk that has become the same stride after stride. Its time is made a whole number of
frames by the cadence (half a frame at most), so that the speed asked for is kept exactly and no frame falls between
the last and the first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.gait import Gait, Pace, pace
from gambol.motion import Motion
from gambol.path import Path
from gambol.synthesis import Method, Task, generate
from gambol.terrain import Flat, Slope, Stairs, Terrain

__all__ = ["Steady", "belted", "closed_stride", "loop", "rounds", "steady_walk", "travelling", "unrolled"]

Array = NDArray[np.float64]
STRIDES = 11  # walked before the stop, where nothing but habit changes from one to the next
ON_STAIRS = 9  # strides
LAST = 0.75  # the last step before the feet come together, in steps (footsteps.LAST)
FIRST = 0.8  # the first step from a stand
CLOSED = 2e-3  # rad and m: strides that differ more are not steady
ROUNDS, EXACT = 4, 1e-6  # of making a stride a whole number of frames; frames
FEWEST = 8  # frames of a stride
MOVING = ("root", "com", "pressure")


@dataclass(frozen=True)
class Steady:
    """A walk from a stand to a stand that is steady in between.

    Attributes:
        motion: the whole walk.
        frames: of one stride.
        start: frame at which the steadiest stride begins, the first of a left heel strike or just after it.
        travel: (3,) m of one stride.
        strikes: such frames of all left heel strikes.
        terrain: its ground.
    """

    motion: Motion
    frames: int
    start: int
    travel: Array
    strikes: tuple[int, ...]
    terrain: Terrain

    def apart(self, frame: int) -> float:
        """How far the figure at ``frame`` is from the steady stride's first pose (m and rad)."""
        return _apart(self.motion, self.start, frame)


def loop(method: Method, task: Task, in_place: bool = False) -> Motion:
    """One closed stride: N frames, of which none is doubled; after the last comes the first, one stride further.

    ``info["loop"]`` holds ``period_s``, ``travel_m`` (3,) of a stride, ``velocity_m_s`` (3,), ``in_place``, and
    ``start_m``, where on the ground of the walk the clip's origin lies. The clip begins at a left heel strike, the
    strike's foothold on the plane y = 0.

    Args:
        method: a way of walking.
        task: who, how fast, on which ground; the path is left aside, the loop walks along +z.
        in_place: with the travel taken out evenly, as on a belt.

    Raises:
        GambolError: ground that does not repeat, or a walk that does not become steady.
    """
    return closed_stride(steady_walk(method, task), in_place)


def steady_walk(method: Method, task: Task) -> Steady:
    """A walk along +z that holds a steady stride of a whole number of frames.

    Raises:
        GambolError: ground that does not repeat, or a walk that does not become steady.
    """
    p, frames = _whole_frames(pace(task.gait, task.body), task.fps)
    ground, length = _long_enough(task.terrain, p)
    path = Path(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, length]]))
    for _ in range(ROUNDS):
        gait = Gait(speed=p.speed, cadence=60 / p.step_time, width=task.gait.width)
        asked = replace(task, path=path, terrain=ground, gait=gait, laps=1, duration=None)
        motion = generate(method, asked)
        period = _period(motion)
        frames = round(period * task.fps)
        if abs(period * task.fps - frames) < EXACT:
            break
        time = p.step_time * frames / (period * task.fps)  # steps on slopes take less time than asked for
        p = Pace(p.speed, p.speed * time, time)
    times = motion.info.get("events", {}).get("left_strike", [])
    strikes = tuple(int(np.ceil(t * task.fps - 1e-7)) for t in times)
    best: tuple[float, int] = (np.inf, 0)
    for at in strikes:
        if at + 2 * frames >= len(motion) or (isinstance(ground, Stairs) and not _climbs(motion, at, frames, ground)):
            continue
        best = min(best, (max(_apart(motion, at, at + frames), _apart(motion, at, at + 2 * frames)), at))
    if not best[0] < CLOSED:
        raise GambolError(
            f"no steady stride is found: they differ by {best[0]:.2g}", where="loop",
            allowed=f"strides alike to {CLOSED:g} m and rad", do="change speed or step length a little",
        )
    travel = np.array([0.0, 0.0, p.speed * frames / task.fps])
    travel[1] = np.diff(ground.height(np.array([[0.0, 0.0], travel[[0, 2]]])))[0]
    if isinstance(ground, Stairs):
        travel = np.array([0.0, 2 * ground.rise, 2 * ground.tread])
    return Steady(motion, frames, best[1], travel, strikes, ground)


def closed_stride(walk: Steady, in_place: bool = False) -> Motion:
    """The steadiest stride of a walk as a cyclic clip (see :func:`loop`)."""
    motion, n, a = walk.motion, walk.frames, walk.start
    part = motion[a : a + n]
    share = np.arange(n) / n
    # what the last stride still differs from the one before is spread over the clip: some 1e-9
    shift = motion.root[a] + walk.travel - motion.root[a + n]
    turn = quat.log(quat.multiply(quat.conjugate(motion.rotations[a + n]), motion.rotations[a]))
    rotations = quat.multiply(part.rotations, quat.exp(share[:, None, None] * turn))
    period = n / motion.fps
    foothold = motion.positions()[a, motion.skeleton.index("left_heel")]
    middle = motion.root[a : a + n, 2].mean() - walk.travel[2] * (n - 1) / (2 * n)
    origin = np.array([0.0, foothold[1], middle])
    start = origin - _to_the_first_treads(walk) * walk.travel
    moved: dict[str, Any] = {k: v - origin for k in MOVING if (v := getattr(part, k)) is not None}
    moved["root"] = moved["root"] + share[:, None] * shift
    facts = {
        "period_s": period, "travel_m": walk.travel.tolist(), "velocity_m_s": (walk.travel / period).tolist(),
        "in_place": False, "start_m": start.tolist(),
    }
    info = {**{k: v for k, v in motion.info.items() if k != "path"}, **_facts_of(motion, a, n), "loop": facts}
    if isinstance(walk.terrain, Stairs):
        info["ground"] = f"stairs:{walk.terrain.rise!r},{walk.terrain.tread!r},{walk.terrain.count}"
    out = replace(part, **moved, rotations=quat.normalize(rotations), cyclic=True, info=info)
    return _belt(out, -1.0) if in_place else out


def travelling(clip: Motion) -> Motion:
    """A loop in place with its travel put back; any other clip as it is."""
    return _belt(clip, 1.0) if clip.info.get("loop", {}).get("in_place") else clip


def belted(clip: Motion) -> Motion:
    """A loop that travels with its travel taken out evenly, as on a belt."""
    return _belt(clip, -1.0)


def rounds(clip: Motion, times: int) -> Motion:
    """A loop played ``times`` times, travelling on or in place as it is; events and plan follow.

    Raises:
        GambolError: for a clip that is no loop.
    """
    facts = clip.info.get("loop")
    if not clip.cyclic or facts is None:
        raise GambolError("it is not a loop", where="rounds", allowed="a clip made by loop", do="make one with --loop")
    n, k = len(clip), np.arange(times)
    on = np.zeros(3) if facts["in_place"] else np.array(facts["travel_m"])
    shift = (np.repeat(k, n)[:, None] * on) if n else np.zeros((0, 3))
    fields: dict[str, Any] = {}
    for key in ("root", "rotations", "contacts", "forces", "pressure", "com"):
        if (v := getattr(clip, key)) is None:
            continue
        tiled = np.tile(v, (times, *[1] * (v.ndim - 1)))
        fields[key] = tiled + shift.reshape(-1, *[1] * (v.ndim - 2), 3) if key in MOVING else tiled
    events = {
        name: [t + i * facts["period_s"] for i in k.tolist() for t in at]
        for name, at in clip.info.get("events", {}).items()
    }
    info = {**clip.info, "events": events, "plan": list(clip.info.get("plan", [])) * times}
    return replace(clip, **fields, cyclic=False, info=info)


def unrolled(clip: Motion, times: int = 3) -> Motion:
    """A loop as it was walked, to be measured and drawn: travelling, several rounds, at its place on its ground.

    Any other clip as it is.
    """
    if not clip.cyclic or "loop" not in clip.info:
        return clip
    walked = rounds(travelling(clip), times)
    start = np.array(walked.info["loop"]["start_m"])
    return replace(walked, **{k: v + start for k in MOVING if (v := getattr(walked, k)) is not None})


def _belt(clip: Motion, sign: float) -> Motion:
    facts = clip.info["loop"]
    moved = clip.times[:, None] * np.array(facts["velocity_m_s"]) * sign
    fields = {
        k: v + moved.reshape(-1, *[1] * (v.ndim - 2), 3) for k in MOVING if (v := getattr(clip, k)) is not None
    }
    return replace(clip, **fields, info={**clip.info, "loop": {**facts, "in_place": sign < 0}})


def _whole_frames(p: Pace, fps: float) -> tuple[Pace, int]:
    """The pace with a stride of a whole number of frames at the same speed, and that number."""
    frames = round(2 * p.step_time * fps)
    if frames < FEWEST:
        raise GambolError(
            f"{fps:g} frames a second are too few for a stride of {2 * p.step_time:.2f} s", where="loop",
            allowed=f"{FEWEST} frames a stride or more", do="take more frames a second",
        )
    time = frames / fps / 2
    return Pace(p.speed, p.speed * time, time), frames


def _period(motion: Motion) -> float:
    """s of the strides in the middle of a walk."""
    times = motion.info.get("events", {}).get("left_strike", [])
    if len(times) < 4:
        raise GambolError("there are too few strides", where="loop", do="use a way of walking that goes step by step")
    return float(np.median(np.diff(times)))


def _long_enough(terrain: Terrain, p: Pace) -> tuple[Terrain, float]:
    """Ground that goes on as it begins, and how far (m) to walk on it, so that the stop shortens no other step."""
    steps = 2 * STRIDES
    if isinstance(terrain, Stairs):
        count = 2 * ON_STAIRS
        return replace(terrain, count=count), terrain.start + count * terrain.tread + 4 * p.step_length
    if not isinstance(terrain, Flat | Slope):
        raise GambolError(
            "this ground is not the same from stride to stride", where="loop", allowed="flat, a slope, or stairs",
            do="walk over it without --loop",
        )
    return terrain, (FIRST + steps + LAST) * p.step_length


def _to_the_first_treads(walk: Steady) -> int:
    """Strides that the clip lies above where its ground begins to repeat."""
    if not isinstance(walk.terrain, Stairs):
        return 0
    return max(int((walk.motion.root[walk.start, 2] - walk.terrain.start) / walk.travel[2]) - 1, 0)


def _climbs(motion: Motion, at: int, frames: int, stairs: Stairs) -> bool:
    return abs(float(motion.root[at + frames, 1] - motion.root[at, 1])) > abs(stairs.rise)


def _apart(motion: Motion, a: int, b: int) -> float:
    """Largest difference of two poses: joint rotations (rad), and the root's place across (m)."""
    turn = quat.log(quat.multiply(quat.conjugate(motion.rotations[a]), motion.rotations[b]))
    return max(float(np.linalg.norm(turn, axis=-1).max()), abs(float(motion.root[b, 0] - motion.root[a, 0])))


def _facts_of(motion: Motion, a: int, n: int) -> dict[str, Any]:
    """Events and plan of the stride from frame a, on its own clock; its first strike is less than a frame old."""
    t0, frame, period = a / motion.fps, 1 / motion.fps, n / motion.fps
    known = motion.info.get("events", {})
    events = {
        name: sorted((t - t0) % period for t in at if -frame < t - t0 <= period - frame) for name, at in known.items()
    }
    strikes = sorted(t for side in ("left", "right") for t in known.get(f"{side}_strike", []))
    first = sum(t < t0 - frame for t in strikes)
    return {"events": events, "plan": motion.info.get("plan", [])[first : first + 2]}
