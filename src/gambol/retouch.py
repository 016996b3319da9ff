"""Clips of any rig retouched: feet planted, cycles closed; with an account of what it cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gambol.cycles import close_cycle, find_cycle
from gambol.errors import GambolError
from gambol.feet import foot_contacts, footfalls, sole_columns, sole_points, stances, strikes_and_offs
from gambol.floors import Anywhere, floor_of, levelled
from gambol.measure.contact import measure_feet, slides
from gambol.motion import Motion
from gambol.planting import plant
from gambol.roles import Roles, humanoid, roles_of
from gambol.soles import has_soles, soled, unsoled
from gambol.spikes import despiked

if TYPE_CHECKING:
    from gambol.terrain import Terrain

__all__ = ["Account", "How", "belt_of", "loop_of", "planted"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
LIFTED = 0.012  # m over the place where a sole point stands still: there it no longer stands
TIPTOE = 0.05  # m of the heel over the tip, or the tip over the heel: the higher one stands on nothing
LOW = 0.02  # m over the lowest a sole point comes: there it is on the ground
WALKING, STAYS, ALIKE = 0.3, 0.15, 0.4  # m/s; of that speed: how far the root goes, how unlike low feet move
LEAST_ROUND = 1.5  # s played before and after the round that is kept, so that planting goes round too
STEPS = 0.1  # m that a foot moves that steps
SUSPECT, SLIDE = 60.0, 1.0  # degrees of a joint that planting does not need; mm
HANGS, LOWER = 0.55, 0.15  # hip over a foot that carries, of the leg; m by which the other foot is lower


@dataclass(frozen=True)
class How:
    """How to retouch.

    Attributes:
        terrain: the ground; by default it is found from the feet, and a floor that leans or lies high is levelled.
        roles: role -> name of the joint, where they are not to be found.
        despike: first take out rotations that leave their neighbours for a frame; also done where feet that are held
            would slide by more than 1 mm without.
        keep_heading: loops walk the way the take does, instead of along +z.
        in_place: loops stay on the spot.
    """

    terrain: Terrain | None = None
    roles: Mapping[str, str] | None = None
    despike: bool = False
    keep_heading: bool = False
    in_place: bool = False


@dataclass(frozen=True)
class Account:
    """What was done, for a person and for JSON.

    Attributes:
        stances: planted sole points, each from landing to lifting.
        slide_before_mm: the worst of them in the source.
        slide_after_mm: the worst of them now, at frames and half-way between.
        slide_at_frames_mm: the same at frames alone.
        sinking_mm: the deepest planted point below the ground.
        turn_deg: the largest change of any joint's rotation, ``turn_joint`` in frame ``turn_frame``.
        move_mm: the largest change of any joint's place, ``move_joint`` in frame ``move_frame``.
        unplanted: feet that step and are never planted.
        changed: other changes, in words.
        cycle: of a loop: first frame in the take, frames, period_s, travel_m, seam before and after in degrees.
    """

    stances: int
    slide_before_mm: float
    slide_after_mm: float
    slide_at_frames_mm: float
    sinking_mm: float
    turn_deg: float
    turn_joint: str
    turn_frame: int
    move_mm: float
    move_joint: str
    move_frame: int
    unplanted: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    cycle: dict[str, Any] | None = None

    def lines(self) -> list[str]:
        """The account in lines."""
        out = list(self.changed)
        if self.cycle is not None:
            c = self.cycle
            seam = f"seam {c['seam_before_deg']:.1f} degrees before, {c['seam_after_deg']:.1f} after"
            part = f"{c['frames']} frames from frame {c['first']} on, {c['period_s']:.3f} s"
            out.append(f"cycle: {part}, travel {c['travel_m']:.3f} m; {seam}")
        return [
            *out,
            f"{self.stances} contacts: slide at most {self.slide_before_mm:.1f} mm before, {self.slide_after_mm:.2f} mm"
            f" after; sinking {self.sinking_mm:.2f} mm",
            f"largest change: {self.turn_joint} by {self.turn_deg:.1f} degrees in frame {self.turn_frame}, "
            f"{self.move_joint} by {self.move_mm:.0f} mm in frame {self.move_frame}",
            *self.doubts(),
        ]

    def doubts(self) -> list[str]:
        """What a person should look at before the clip is used."""
        out = []
        if self.turn_deg > SUSPECT:
            out.append(
                f"look at frame {self.turn_frame}: so large a change means that what was planted is no contact "
                "(feet that jump, a clip on the spot whose feet do not go back evenly, a prop that is stood on)"
            )
        if self.slide_after_mm > SLIDE:
            between = self.slide_at_frames_mm <= SLIDE
            why = "a foot is out of the leg's reach"
            if between:
                why = "between frames alone, where joints turn fast; more frames a second would hold it"
            out.append(f"{self.slide_after_mm:.2f} mm of slide are left: {why}")
        out += [
            f"the {side} foot is never planted, though it steps: its contacts were not found (a clip on the spot whose "
            "feet do not go back evenly, a foot in the air)" for side in self.unplanted
        ]
        return out


Work = Callable[[Motion, How], tuple[Motion, Account]]


def planted(motion: Motion, how: How | None = None) -> tuple[Motion, Account]:
    """The clip with its feet on the ground and held there; skeleton, rate and length stay as they are.

    Raises:
        GambolError: the rig has no two legs that are found.
    """
    return _without_jumps(_planted, motion, how or How())


def _without_jumps(work: Work, motion: Motion, how: How) -> tuple[Motion, Account]:
    """The work done; where a foot cannot be held because the recording jumps, done again without its spikes."""
    out = work(motion, how)
    if out[1].slide_after_mm <= SLIDE or how.despike:
        return out
    again = work(motion, replace(how, despike=True))
    if again[1].slide_after_mm >= out[1].slide_after_mm:
        return out
    said = f"{out[1].slide_after_mm:.2f} mm of slide would be left where the recording jumps, hence:"
    return again[0], replace(again[1], changed=(said, *again[1].changed))


def _planted(motion: Motion, how: How) -> tuple[Motion, Account]:
    source, roles, changed = _prepared(motion, how)
    belt = belt_of(source)
    source = _moved(source, belt)
    on = source.contacts if source.contacts is not None else _carrying(source, roles, footfalls(source))
    level, terrain, said = _floor(source, on, how)
    out = plant(level, roles, on, terrain)
    account = _account(level, out, terrain, on)
    return _back(_moved(out, -belt), motion), replace(account, changed=(*changed, *_walked(belt), *said))


def loop_of(motion: Motion, how: How | None = None) -> tuple[Motion, Account]:
    """A cycle of the take as a closed loop with planted feet, from a left foot strike on.

    Raises:
        GambolError: no cycle, or as :func:`planted`.
    """
    how = how or How()
    if how.terrain is not None:
        do = "plant the clip on the ground instead"
        raise GambolError("a loop stands on a level floor", where="--terrain", do=do)
    return _without_jumps(_looped, motion, how)


def _looped(motion: Motion, how: How) -> tuple[Motion, Account]:
    source, roles, changed = _prepared(motion, how)
    belt = belt_of(source)
    source = _moved(source, belt)
    level, terrain, said = _floor(source, _carrying(source, roles, footfalls(source)), how)
    if terrain is not None:
        what = "the floor of the take goes up and down"
        raise GambolError(what, where=motion.name or "loop", allowed="a level floor", do="plant it instead")
    cycle = find_cycle(level, roles)
    ends = level.rotations[[cycle.first, cycle.first + cycle.frames]]
    closed = close_cycle(level, cycle, how.keep_heading)
    times = 2 * int(np.ceil(LEAST_ROUND * motion.fps / len(closed))) + 1
    many = _played(closed, times)
    on = _carrying(many, roles, footfalls(many))
    many = plant(many, roles, on)
    kept = slice(times // 2 * len(closed), (times // 2 + 1) * len(closed))
    assert many.contacts is not None
    first = _left_strike(many.contacts[kept], many)
    kept = slice(kept.start + first, kept.stop + first)
    out = _round(many, closed, kept, times // 2)
    before = _round(_played(closed, times), closed, kept, times // 2)
    account = _account(before, replace(out, contacts=many.contacts[kept]), None, on[kept])
    bend = float(np.degrees(closed.info["loop"]["turned_rad"]))
    said += [f"a turn of {bend:.1f} degrees in the cycle is taken out"] * (abs(bend) > 0.5)
    facts = {
        "first": cycle.first, "frames": len(closed), "period_s": len(closed) / motion.fps,
        "travel_m": float(np.linalg.norm(closed.info["loop"]["travel_m"])),
        "seam_before_deg": float(np.degrees(_angles(ends[:1, 1:], ends[1:, 1:]).max(initial=0.0))),
        "seam_after_deg": _seam(out),
    }
    if how.in_place or belt.any():
        out = _on_the_spot(out)
    return _back(out, motion), replace(account, changed=(*changed, *_walked(belt), *said), cycle=facts)


def belt_of(motion: Motion) -> Array:
    """``(3,)`` m/s, how fast a figure that stays on the spot walks: its feet go backwards at that while they are low.

    0 for every other clip.

    Args:
        motion: F frames, with sole points.
    """
    points = sole_points(motion)
    velocity = np.gradient(points, axis=0) * motion.fps
    low = points[..., 1] < np.percentile(points[..., 1], 5, axis=0) + LOW
    velocities = velocity[low] * [1.0, 0.0, 1.0]
    way = np.median(velocities, axis=0)
    speed = float(np.linalg.norm(way))
    gone = float(np.linalg.norm((motion.root[-1] - motion.root[0])[[0, 2]])) / max(motion.duration, 1e-9)
    apart = float(np.median(np.linalg.norm(velocities - way, axis=1)))
    on_the_spot = speed > WALKING and gone < STAYS * speed and apart < ALIKE * speed
    return -way if on_the_spot else np.zeros(3)


def _walked(belt: Array) -> list[str]:
    speed = float(np.linalg.norm(belt))
    return [f"it walks on the spot, as on a belt at {speed:.2f} m/s: planted on the belt"] if speed else []


def _moved(motion: Motion, velocity: Array) -> Motion:
    """The motion carried along at a velocity (3,) m/s."""
    if not velocity.any():
        return motion
    shift = motion.times[:, None] * velocity
    fields: dict[str, Any] = {k: v + shift for k in ("root", "com") if (v := getattr(motion, k)) is not None}
    if motion.pressure is not None:
        fields["pressure"] = motion.pressure + shift[:, None]
    if motion.translations is not None:
        fields["translations"] = motion.translations.copy()
        fields["translations"][:, 0] = fields["root"]
    return replace(motion, **fields)


def _prepared(motion: Motion, how: How) -> tuple[Motion, Roles, list[str]]:
    """The motion with sole points and, if asked, without spikes."""
    if len(motion) < 2:
        raise GambolError(f"{len(motion)} frames", where=motion.name or "motion", allowed="a clip of two or more")
    changed: list[str] = []
    if how.despike:
        motion, spikes = despiked(motion)
        changed += [f"spikes in {int(spikes.any(1).sum())} frames are taken out"] * bool(spikes.any())
    roles = humanoid(roles_of(motion.skeleton, how.roles), motion.name or "motion")
    return soled(motion, roles), roles, changed


def _floor(motion: Motion, on: Bools, how: How) -> tuple[Motion, Terrain | None, list[str]]:
    """The motion over its ground, the ground if it is not level at 0, and what was found."""
    if how.terrain is not None:
        return motion, how.terrain, []
    floor = floor_of(motion, on)
    said = [floor.said()] if floor.said() else []
    return levelled(motion, floor), None if floor.places is None else Anywhere(), said


def _carrying(motion: Motion, roles: Roles, on: Bools) -> Bools:
    """Contacts that carry: the foot is not held still high in the air, and the point is down, not slowly lifting."""
    on = _down(motion, on)
    points, out = sole_points(motion), np.array(on)
    columns = list(sole_columns(motion.skeleton).values())
    hips = motion.positions()[:, [roles.joints[f"{s}_upper_leg"] for s in ("left", "right")], 1].mean(1)
    lows = np.stack([points[:, c, 1].min(1) for c in columns], 1)
    leg = float(np.percentile(hips - lows.min(1), 90))
    for k, own in enumerate(columns):
        others = np.delete(lows, k, axis=1).min(1, initial=np.inf)
        for s in stances(foot_contacts(on, {"foot": own})):
            part = slice(s.first, s.end)
            high = np.median(hips[part] - lows[part, k]) < HANGS * leg
            if high and np.median(lows[part, k] - others[part]) > LOWER:
                out[part, own] = False
    return out


def _down(motion: Motion, on: Bools) -> Bools:
    """Contacts while the point is as low as where it stands still; heels lift, and tips land, slowly at first."""
    points, out = sole_points(motion), np.array(on)
    speed = np.linalg.norm(np.gradient(points, axis=0), axis=-1)
    foot = {c: own for own in sole_columns(motion.skeleton).values() for c in own}
    for s in stances(on):
        part = slice(s.first, s.end)
        y, v = points[part, s.sole, 1], speed[part, s.sole]
        still = v <= np.percentile(v, 40)
        if np.median((y - points[part][:, foot[s.sole], 1].min(1))[still]) > TIPTOE:
            out[part, s.sole] = False
            continue
        low = y < np.median(y[still]) + LIFTED
        runs = max(stances(low[:, None]), key=lambda r: int(still[r.first : r.end].sum()))
        out[part, s.sole] = False
        out[s.first + runs.first : s.first + runs.end, s.sole] = True
    return out


def _account(before: Motion, after: Motion, terrain: Terrain | None, on: Bools) -> Account:
    was = measure_feet(replace(before, contacts=on), terrain, on)
    now = measure_feet(after, terrain, on)
    turns = np.degrees(_angles(after.rotations, before.rotations))
    moves = 1e3 * np.linalg.norm(after.positions() - before.positions(), axis=-1)
    f, j = np.unravel_index(turns.argmax(), turns.shape)
    g, k = np.unravel_index(moves.argmax(), moves.shape)
    names = after.skeleton.names
    assert after.contacts is not None
    at_frames = np.repeat(sole_points(after), 2, axis=0)[:-1]
    held = 1e3 * slides(at_frames, stances(after.contacts), terrain).max(initial=0.0)
    return Account(
        len(was.stances), was.slide_mm or 0.0, now.slide_mm or 0.0, float(held), now.sinking_mm or 0.0,
        float(turns[f, j]), names[j], int(f), float(moves[g, k]), names[k], int(g), _unplanted(after),
    )  # fmt: skip


def _unplanted(motion: Motion) -> tuple[str, ...]:
    """Feet that are never planted though they move as far as the other: half of its way and more."""
    assert motion.contacts is not None
    points, columns = sole_points(motion), sole_columns(motion.skeleton)
    way = {side: float(np.ptp(points[:, own], axis=0).max()) for side, own in columns.items()}
    return tuple(
        side for side, own in columns.items()
        if not motion.contacts[:, own].any() and way[side] > max(STEPS, 0.5 * max(way.values()))
    )  # fmt: skip


def _back(motion: Motion, source: Motion) -> Motion:
    """The motion on the skeleton it came on."""
    return motion if has_soles(source.skeleton) else unsoled(motion, source.skeleton)


def _angles(a: Array, b: Array) -> Array:
    """rad between rotations."""
    out: Array = 2 * np.arccos(np.clip(np.abs((a * b).sum(-1)), 0.0, 1.0))
    return out


# loops


def _played(loop: Motion, times: int) -> Motion:
    """The loop round after round, travelling on."""
    n, on = len(loop), np.array(loop.info["loop"]["travel_m"])
    shift = (np.arange(n * times) // n)[:, None] * on
    fields: dict[str, Any] = {
        "root": np.tile(loop.root, (times, 1)) + shift, "rotations": np.tile(loop.rotations, (times, 1, 1)),
    }
    if loop.translations is not None:
        fields["translations"] = np.tile(loop.translations, (times, 1, 1))
        fields["translations"][:, 0] = fields["root"]
    return replace(loop, **fields, cyclic=False)


def _round(many: Motion, loop: Motion, kept: slice, rounds: int) -> Motion:
    """One round of many as a loop again, its place where the first one had it."""
    travel = np.array(loop.info["loop"]["travel_m"])
    n = len(loop)
    # The round begins some frames later, so that its middle is as much farther on.
    back = travel * (rounds + (kept.start - rounds * n) / n)
    part = many[kept]
    info = dict(loop.info)
    if part.contacts is not None:
        feet = sole_columns(part.skeleton)
        strikes = strikes_and_offs(many.contacts, many.fps, feet)  # type: ignore[arg-type]
        t0, t1 = kept.start / many.fps, kept.stop / many.fps
        info["events"] = {
            f"{side}_{kind}": [float(t - t0) for t in times if t0 - 1e-9 <= t < t1 - 1e-9]
            for side, both in strikes.items() for kind, times in zip(("strike", "off"), both)
        }
    fields: dict[str, Any] = {"root": part.root - back}
    if part.translations is not None:
        fields["translations"] = part.translations.copy()
        fields["translations"][:, 0] = fields["root"]
    return replace(part, **fields, cyclic=True, info=info)


def _left_strike(on: Bools, many: Motion) -> int:
    """The frame of a round in which the left foot comes down; 0 where it does not."""
    left = sole_columns(many.skeleton).get("left", [])
    down = on[:, left].any(1) if left else np.zeros(len(on), bool)
    strikes = np.flatnonzero(down & ~np.roll(down, 1))
    return int(strikes[0]) if len(strikes) else 0


def _seam(loop: Motion) -> float:
    """Degrees that any joint turns from the last frame to the first beyond what it turns in the frames beside it."""
    around = np.concatenate([loop.rotations[-2:], loop.rotations[:2]])
    steps = _angles(around[1:], around[:-1])
    return float(np.degrees(np.maximum(steps[1] - np.maximum(steps[0], steps[2]), 0.0).max()))


def _on_the_spot(loop: Motion) -> Motion:
    facts = loop.info["loop"]
    spot = _moved(loop, -np.array(facts["velocity_m_s"]))
    return replace(spot, info={**loop.info, "loop": {**facts, "in_place": True}})
