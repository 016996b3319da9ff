"""Ground reaction of any motion from whole-body dynamics, and how it compares with force plates.

The mass centre is that of segments between joint centres (Dempster's shares via Winter, table 4.1), low-passed before
it is differentiated twice; the feet share the force as in :mod:`gambol.foot_forces`, from strikes and offs. Where a
record begins inside a double support, which foot came down when is not known, and nothing is said.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.body import G
from gambol.dynamics import centre_of_mass, low_pass
from gambol.errors import GambolError
from gambol.foot_forces import handed_over, split
from gambol.gait_events import Events, check_walk, find_events, forward_of, heel_of
from gambol.motion import Motion, Trial
from gambol.plates import foot_forces, plate_contacts
from gambol.tracks import SIDES, Tracks, tracks_of

__all__ = ["FootForces", "compare_plates", "estimate_forces", "mass_centre"]

Array = NDArray[np.float64]
CUTOFF, CUTOFF_ACROSS = 7.0, 5.0  # Hz, of the mass centre's path along and up, and across (flat between 4 and 12)
EDGE = 0.1  # s, within which of a gap or an end of the record nothing is said
# segment: share of body mass, its two ends, mass centre from the first
SEGMENTS = {
    "trunk": (0.497, "shoulders", "hips", 0.50), "head": (0.081, "shoulders", "crown", 0.75),
    "upper_arm": (0.028, "shoulder", "elbow", 0.436), "forearm": (0.022, "elbow", "wrist", 0.682),
    "thigh": (0.100, "hip", "knee", 0.433), "shank": (0.0465, "knee", "ankle", 0.433),
    "foot": (0.0145, "heel", "ball", 0.50),
}
# centre of pressure: share of the line from heel to toe tip, by share of the stance
ROLL = ((0.0, 0.1, 0.35, 0.7, 1.0), (0.05, 0.22, 0.45, 0.75, 0.95))
LONGEST_SINGLE = 0.9  # s, that somebody stands on one foot in a walk
BEYOND = 0.35  # of heel to ball, from the ball to the tip
NORMAL_MASS = 22.9  # kg/m2 of body height


class FootForces(NamedTuple):
    """Ground reaction of F frames.

    Attributes:
        forces: ``(F, 2, 3)`` N on the left and right foot, NaN where not known.
        pressure: ``(F, 2, 3)`` m, NaN while a foot is unloaded.
        com: ``(F, 3)`` m.
        mass: kg.
        fps: frames a second.
        events: strikes and offs they rest on.
    """

    forces: Array
    pressure: Array
    com: Array
    mass: float
    fps: float
    events: Events


def mass_centre(tracks: Tracks) -> Array:
    """``(F, 3)`` m of the whole body, from joint centres; NaN where the legs are not known."""
    p = tracks.points
    hips = (p["left_hip"] + p["right_hip"]) / 2
    leg = float(np.nanmedian(np.linalg.norm(p["left_hip"] - p["left_ankle"], axis=-1)))
    up = np.array([0.0, 1.0, 0.0])
    both = all(f"{s}_shoulder" in p for s in SIDES)
    shoulders = (p["left_shoulder"] + p["right_shoulder"]) / 2 if both else p.get("neck", hips + 0.62 * leg * up)
    whole = {"hips": hips, "shoulders": shoulders, "crown": p.get("head", shoulders + 0.3 * leg * up)}
    forward = forward_of(tracks)
    out, known = np.zeros((len(hips), 3)), 0.0
    for name, (share, first, second, at) in SEGMENTS.items():
        for side in ("",) if name in ("trunk", "head") else SIDES:
            if side == "":
                a, b = whole[first], whole[second]
            else:
                a = heel_of(tracks, side, forward) if first == "heel" else p.get(f"{side}_{first}", shoulders)
                b = p.get(f"{side}_{second}", hips)  # arms that are not there hang between shoulders and hips
            out += share * (a + at * (b - a))
            known += share
    return out / known


def estimate_forces(
    clip: Motion | Trial, mass: float | None = None, *, table: dict[str, list[str]] | None = None,
    events: Events | None = None,
) -> FootForces:
    """Both feet's ground reaction of a walk, or of a run whose strikes and offs are known.

    Args:
        clip: a motion on any skeleton, or markers.
        mass: kg; by default the clip's own, that the plates carry, or the usual one of that height.
        table: role -> joints or markers, where the names are not known.
        events: strikes and offs; by default found, from the plates where there are any.

    Raises:
        GambolError: for joints that are missing, a mass that is none, fewer than five frames, no strike
            at all, or a run whose strikes and offs would have to be found.
    """
    tracks = tracks_of(clip, table)
    trial = clip if isinstance(clip, Trial) else None
    if len(tracks) < 5:
        raise GambolError(f"{len(tracks)} frames", where=tracks.name or "clip", allowed="at least 5")
    if events is None:
        events = _recorded(clip) or find_events(tracks, trial)
        if not events.by_plate and _recorded(clip) is None:
            check_walk(events, tracks.name or "clip", "a walk, or a run whose strikes and offs are known")
        if not any(len(times) for times in events.strikes.values()):
            what = "no foot ever strikes the ground"
            raise GambolError(what, where=tracks.name or "clip", allowed="a walk", do="give a clip of walking")
    kilos = mass if mass is not None else _mass_of(clip, tracks, events)
    if not (np.isfinite(kilos) and kilos > 0):
        raise GambolError(f"mass is {kilos} kg", where="--mass", allowed="a positive number")
    fps = tracks.fps
    com = _own_centre(clip, tracks)
    forward = forward_of(tracks)
    left = np.stack([forward[:, 2], 0 * forward[:, 0], -forward[:, 0]], -1)
    total = kilos * (_acceleration(_gapless(com), forward, left, fps) + [0.0, G, 0.0])
    shares = _shares(events, len(com), fps)
    pressure = np.stack([_pressure(tracks, events, side, forward) for side in SIDES], 1)
    seen = np.asarray(np.isfinite(com).all(1))
    known = np.isfinite(shares).all(1) & _sure(seen, fps)
    forces = split(total, np.nan_to_num(shares), _gapless(com), np.nan_to_num(pressure))
    forces[~known] = np.nan
    pressure = np.where((shares > 1e-3)[..., None], pressure, np.nan)
    return FootForces(forces, pressure, com, float(kilos), fps, events)


def _recorded(clip: Motion | Trial) -> Events | None:
    """The events that travel with a motion made here."""
    found = clip.info.get("events") if isinstance(clip, Motion) else None
    if not isinstance(found, dict) or not all(f"{s}_{e}" in found for s in SIDES for e in ("strike", "off")):
        return None
    strikes, offs = ({s: np.array(found[f"{s}_{e}"], float) for s in SIDES} for e in ("strike", "off"))
    return Events(strikes, offs)


def _mass_of(clip: Motion | Trial, tracks: Tracks, events: Events) -> float:
    if isinstance(clip, Motion) and clip.mass:
        return float(clip.mass)
    if isinstance(clip, Trial) and clip.plates:
        # where all that carries is a plate, the plates carry M (g + the acceleration of the mass centre)
        times = np.arange(len(tracks)) / tracks.fps
        carried = np.all([_on_plate(clip, s, times) | ~_down(events, s, times) for s in SIDES], axis=0)
        up = np.gradient(np.gradient(low_pass(_gapless(mass_centre(tracks)), tracks.fps, CUTOFF)[:, 1])) * tracks.fps**2
        total = np.sum([plate.force[:, 1] for plate in clip.plates], axis=0)
        rate = clip.analog_fps or clip.fps
        total = np.interp(times, np.arange(len(total)) / rate, total)
        seen = np.asarray(np.isfinite(tracks["pelvis"]).all(1))
        use = carried & (total > 100.0) & _sure(seen, tracks.fps)
        if use.sum() > 0.2 * tracks.fps:
            return float(total[use].sum() / (up[use] + G).sum())
    leg = float(np.nanmedian(np.linalg.norm(tracks["left_hip"] - tracks["left_ankle"], axis=-1)))
    return NORMAL_MASS * (leg / 0.491) ** 2


def _on_plate(trial: Trial, side: str, times: Array) -> NDArray[np.bool_]:
    """Where a foot stands on a plate, from its strike to its off there."""
    on = np.zeros(len(times), bool)
    for c in plate_contacts(trial):
        if c.side == side and c.strike_s is not None and c.off_s is not None:
            on |= (times >= c.strike_s) & (times <= c.off_s)
    return on


def _down(events: Events, side: str, times: Array) -> NDArray[np.bool_]:
    """Where a foot is down by its events, or nothing is known of it."""
    marks = sorted([(float(t), True) for t in events.strikes[side]] + [(float(t), False) for t in events.offs[side]])
    down = np.ones(len(times), bool)
    for (start, strikes), (end, _) in zip(marks, [*marks[1:], (np.inf, True)]):
        if not strikes and end < np.inf:
            down[(times > start) & (times < end)] = False
    return down


def _own_centre(clip: Motion | Trial, tracks: Tracks) -> Array:
    if isinstance(clip, Motion):
        try:
            return centre_of_mass(clip)
        except GambolError:
            pass
    return mass_centre(tracks)


def _gapless(x: Array) -> Array:
    out = np.array(x)
    for k in range(out.shape[1]):
        known = np.isfinite(out[:, k])
        if known.any() and not known.all():
            out[:, k] = np.interp(np.arange(len(out)), np.flatnonzero(known), out[known, k])
    return out


def _acceleration(com: Array, forward: Array, left: Array, fps: float) -> Array:
    """Second differences of the low-passed path: of the path, never of the force."""
    along, across = low_pass(com, fps, CUTOFF), low_pass(com, fps, CUTOFF_ACROSS)

    def second(x: Array) -> Array:
        return np.gradient(np.gradient(x, axis=0), axis=0) * fps**2

    a, b = second(along), second(across)
    sideways = np.sum(b * left, -1, keepdims=True) * left
    ahead = np.sum(a * forward, -1, keepdims=True) * forward
    return np.asarray(sideways + ahead + a * [0.0, 1.0, 0.0])


def _sure(known: NDArray[np.bool_], fps: float) -> NDArray[np.bool_]:
    """Frames farther than 0.1 s from any gap and from both ends."""
    width = int(np.ceil(EDGE * fps))
    bad = np.concatenate([np.ones(width, bool), ~known, np.ones(width, bool)])
    wide = np.convolve(bad, np.ones(2 * width + 1), "same") > 0
    return np.asarray(~wide[width : width + len(known)])


def _shares(events: Events, frames: int, fps: float) -> Array:
    """``(F, 2)`` of the vertical force; NaN before the first and after the last event that settles it."""
    marks = sorted(
        [(float(t), side, True) for side in SIDES for t in events.strikes[side]]
        + [(float(t), side, False) for side in SIDES for t in events.offs[side]]
    )
    times = np.arange(frames) / fps
    out = np.full((frames, 2), np.nan)
    for k, (start, side, strikes) in enumerate(marks):
        one, last = SIDES.index(side), k + 1 == len(marks)
        end, coming, lands = (np.inf, side, not strikes) if last else marks[k + 1]
        span = (times >= start) & (times < end)
        if strikes and _stands(marks, k, 1 - one):  # a double support until the other foot leaves
            if coming != side and not lands:
                rear = handed_over((times[span] - start) / max(end - start, 1e-6))
                out[span, 1 - one], out[span, one] = rear, 1 - rear
        elif strikes:  # in a run
            if coming == side and not lands:
                out[span, one], out[span, 1 - one] = 1.0, 0.0
        elif _stands(marks, k, 1 - one):
            if lands:
                single = span & (times < start + LONGEST_SINGLE)
                out[single, one], out[single, 1 - one] = 0.0, 1.0
        elif lands and not last:  # a flight
            out[span] = 0.0
    return out


def _stands(marks: list[tuple[float, str, bool]], k: int, foot: int) -> bool:
    """Whether a foot (0 left) is down at mark ``k``: by its last mark before it, else by its next one."""
    before = [strikes for _, side, strikes in marks[:k] if side == SIDES[foot]]
    after = [strikes for _, side, strikes in marks[k + 1 :] if side == SIDES[foot]]
    return before[-1] if before else not after[0] if after else False


def _pressure(tracks: Tracks, events: Events, side: str, forward: Array) -> Array:
    """``(F, 3)`` m: from the heel to the toes of the foot as it stands in the middle of its stance."""
    fps, frames = tracks.fps, len(tracks)
    heel, ball = heel_of(tracks, side, forward), tracks[f"{side}_ball"]
    out = np.full((frames, 3), np.nan)
    for strike in _starts(events, side):
        later = events.offs[side][events.offs[side] > strike + 0.1]
        off = float(later[0]) if len(later) else strike + 0.7
        a, b = max(int(np.ceil(strike * fps)), 0), min(int(np.floor(off * fps)) + 1, frames)
        inner = [int((strike + share * (off - strike)) * fps) for share in (0.3, 0.5)]
        middle = slice(max(inner[0], 0), max(inner[1], 1))
        if b <= a or not np.isfinite(heel[middle]).any():
            continue
        back, front = np.nanmean(heel[middle], axis=0), np.nanmean(ball[middle], axis=0)
        tip = front + BEYOND * (front - back)
        u = (np.arange(a, b) / fps - strike) / (off - strike)
        line = back + np.interp(u, *ROLL)[:, None] * (tip - back)
        line[:, 1] = min(back[1], front[1]) - (0.03 if f"{side}_heel" in tracks.points else 0.0)
        out[a:b] = line
    return out


def _starts(events: Events, side: str) -> list[float]:
    strikes = [float(t) for t in events.strikes[side]]
    offs = events.offs[side]
    if len(offs) and (not strikes or offs[0] < strikes[0]):
        strikes.insert(0, float(offs[0]) - 0.65)
    return strikes


def compare_plates(found: FootForces, trial: Trial) -> dict[str, dict[str, Any]]:
    """Side -> errors in body weights and correlation, over the frames its foot is on a plate or in the air.

    Empty where no plate was stood on.
    """
    contacts = plate_contacts(trial)
    if not contacts:
        return {}
    measured, _ = foot_forces(trial, contacts)
    rate, weight = trial.analog_fps or trial.fps, found.mass * G
    times = np.arange(len(found.forces)) / found.fps
    at = np.arange(len(measured)) / rate
    out: dict[str, dict[str, Any]] = {}
    for column, side in enumerate(SIDES):
        standing = _on_plate(trial, side, times)
        on = (standing | ~_down(found.events, side, times)) & np.isfinite(found.forces[:, column, 1])
        if not standing.any():
            continue
        if on.sum() < 5:
            continue
        plate = np.stack([np.interp(times[on], at, measured[:, column, k]) for k in range(3)], -1) / weight
        mine = found.forces[on, column] / weight
        level = np.hypot(*(mine - plate)[:, [0, 2]].T)
        out[side] = {
            "frames": int(on.sum()), "vertical_rmse_bw": float(np.sqrt(np.mean((mine - plate)[:, 1] ** 2))),
            "vertical_r": float(np.corrcoef(mine[:, 1], plate[:, 1])[0, 1]),
            "level_rmse_bw": float(np.sqrt(np.mean(level**2))),
        }
    return out
