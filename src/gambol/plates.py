"""Force plates: from transducer channels to force, centre of pressure and the foot that stood there.

The axes of a plate and the vector to its surface are those of the C3D user guide (C3D.org, FORCE_PLATFORM:CORNERS,
:ORIGIN, :TYPE): x from the middle of the edge 2-3 to that of the edge 1-4, y from 3-4 to 1-2, z = x cross y, which
points down in a well described plate.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.errors import GambolError
from gambol.feet import SIDES
from gambol.motion import Plate, Trial

__all__ = [
    "LOADED_N", "PlateContact", "PlateFile", "foot_forces", "loaded", "plate_contacts", "plate_events",
    "plate_in_world", "side_of_marker", "threshold", "with_feet", "wrench",
]

Array = NDArray[np.float64]
LOADED_N = 20.0  # N of vertical force from which a plate counts as loaded; the usual threshold of gait events
EMPTY = 0.05  # of the largest force: below it nobody stands on the plate
NOISE = 3.0  # standard deviations of an empty plate
SHORTEST_S = 0.05  # s; what is shorter is a knock or noise, not a foot
REACH_M = 0.3  # m; a foot whose markers are all farther from the centre of pressure did not make it
NEAR_S = 0.1  # s; an event of the file this close to one of force is the same event
CHANNELS = {1: 6, 2: 6, 3: 8, 4: 6}  # of each C3D type
FOOT = r"[lm]?(heel|hee|toe|ank|cal|mal|mt[0-9p]|met|foo|midfoot|hallux|[fsv]mh)"


class PlateFile(NamedTuple):
    """A plate as a file describes it, lengths in m, in the axes of the file unless said otherwise.

    Attributes:
        kind: C3D type, 1 to 4.
        corners: ``(4, 3)`` of the surface.
        origin: ``(3,)`` in the plate's axes: from the transducer to the middle of the surface; of type 3 the
            distances a and b of the sensors from the axes, and the height.
        channels: ``(A, 6 or 8)`` N and N m, calibrated; m where type 1 has positions.
        name: of the plate.
    """

    kind: int
    corners: Array
    origin: Array
    channels: Array
    name: str = ""


def wrench(plate: PlateFile, origin: ArrayLike) -> tuple[Array, Array, Array]:
    """Force, point and free moment in the plate's axes, the point from the middle of the surface.

    With F the force and M its moment about the transducer, r the vector from there to the middle of the surface,
    the moment about that middle is M - r x F, and where the force meets the surface (z = 0)

        x = -M_y / F_z,   y = M_x / F_z,   T = M_z - x F_y + y F_x.

    Args:
        plate: its kind and channels.
        origin: ``(3,)`` m, ``plate.origin`` with the sign settled.

    Returns:
        force ``(A, 3)`` N, point ``(A, 3)`` m and moment ``(A,)`` N m; not finite where F_z is 0.
    """
    raw = plate.channels
    r = np.asarray(origin, float)
    if plate.kind == 1:
        point = np.stack([raw[:, 3], raw[:, 4], np.zeros(len(raw))], -1)
        return raw[:, :3], point, raw[:, 5]
    if plate.kind == 3:  # eight channels: x12 x34 y14 y23 z1 z2 z3 z4; sensor 1 lies in the quadrant +x +y
        a, b = np.abs(plate.origin[:2])
        x12, x34, y14, y23, z1, z2, z3, z4 = raw.T
        force = np.stack([x12 + x34, y14 + y23, z1 + z2 + z3 + z4], -1)
        turn = [b * (z1 + z2 - z3 - z4), a * (-z1 + z2 + z3 - z4), b * (x34 - x12) + a * (y14 - y23)]
        moment, r = np.stack(turn, -1), np.array([0.0, 0.0, r[2]])
    else:
        force, moment = raw[:, :3], raw[:, 3:6]
    moment = moment - np.cross(r, force)
    with np.errstate(divide="ignore", invalid="ignore"):
        x, y = -moment[:, 1] / force[:, 2], moment[:, 0] / force[:, 2]
    free = moment[:, 2] - x * force[:, 1] + y * force[:, 0]
    return force, np.stack([x, y, np.zeros(len(raw))], -1), free


def plate_in_world(plate: PlateFile, world_from_file: ArrayLike, sign: int = 0) -> tuple[Plate, int]:
    """A plate in the world, +y up, with the force of the plate on the foot.

    Files disagree on two signs, and both are settled by what cannot be otherwise: a transducer lies below the
    surface, and a plate pushes up. Force and moment change sign together, so that the point stays.

    Args:
        plate: as the file has it.
        world_from_file: ``(3, 3)`` rotation.
        sign: 1 where the channels hold the force on the foot, -1 that on the plate; 0 finds it.

    Returns:
        the plate, and the sign found, 0 where it was never loaded.
    """
    turn = np.asarray(world_from_file, float)
    corners = plate.corners @ turn.T
    x, y = corners[[0, 3]].sum(0) - corners[[1, 2]].sum(0), corners[[0, 1]].sum(0) - corners[[2, 3]].sum(0)
    z = np.cross(x, y)
    if not np.linalg.norm(z) > 1e-9:
        raise GambolError("its corners span no surface", where=plate.name or "a force plate")
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    axes = np.stack([x, np.cross(z, x), z], -1)  # world_from_plate
    below = plate.origin if plate.kind == 3 else plate.origin * np.where((axes @ plate.origin)[1] < 0, -1.0, 1.0)
    if plate.kind == 3:
        below = np.array([0.0, 0.0, abs(plate.origin[2]) * (1.0 if z[1] > 0 else -1.0)])
    force, point, free = wrench(plate, below)
    force, point, free = force @ axes.T, point @ axes.T + corners.mean(0), free * z[1]
    heavy = np.abs(force[:, 1]) > threshold(np.abs(force[:, 1]))
    found = int(np.sign(force[heavy, 1].sum())) if heavy.any() else 0
    force, free = force * (sign or found or 1), free * (sign or found or 1)
    empty = ~(force[:, 1] > threshold(force[:, 1])) | ~np.isfinite(point).all(-1)
    point[empty], free[empty] = np.nan, np.nan
    return Plate(corners, force, point, free, plate.kind, plate.name), found


def threshold(vertical: ArrayLike) -> float:
    """N of vertical force from which a plate counts as loaded: 20, or more where its noise reaches higher.

    Args:
        vertical: ``(A,)`` N; samples below a twentieth of the largest are taken as those of an empty plate.
    """
    y = np.asarray(vertical, float)
    empty = y[y < EMPTY * y.max(initial=0.0)]
    return max(LOADED_N, float(empty.mean() + NOISE * empty.std())) if len(empty) else LOADED_N


def loaded(plate: Plate, rate: float) -> list[tuple[int, int]]:
    """Samples ``[first, end)`` of each time the plate was loaded; knocks are left out and short breaks bridged.

    Args:
        plate: A samples; it is loaded where it has a centre of pressure.
        rate: samples a second.
    """
    on = ~np.isnan(plate.pressure[:, 0])
    shortest = SHORTEST_S * rate
    spans: list[list[int]] = []
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(np.int8)))
    for first, end in edges.reshape(-1, 2).tolist():
        if spans and first - spans[-1][1] < shortest:
            spans[-1][1] = end
        else:
            spans.append([first, end])
    firm = 2 * threshold(plate.force[:, 1])
    long = [(a, b) for a, b in spans if b - a >= shortest or a == 0 or b == len(on)]
    return [(a, b) for a, b in long if plate.force[a:b, 1].max() >= firm]


@dataclass(frozen=True)
class PlateContact:
    """A time that a plate was loaded.

    Attributes:
        plate: its index in the trial.
        side: the foot, left or right; None where no marker of a foot came near.
        strike_s: s from the first frame; None where it was loaded from the first sample on.
        off_s: s from the first frame; None where it was loaded to the last sample.
        samples: first and end of its analog samples.
        distance_m: from the centre of pressure to the nearest marker of that foot, on average; NaN by hand.
    """

    plate: int
    side: str | None
    strike_s: float | None
    off_s: float | None
    samples: tuple[int, int]
    distance_m: float


def side_of_marker(name: str) -> str | None:
    """The side whose foot a marker is on, by its name (LHEE, R.Toe.Tip, left_ankle, RCAL ...), or None."""
    bare = re.sub(r"[^a-z0-9]", "", name.lower().rpartition(":")[2])
    for side in SIDES:
        if re.fullmatch(rf"({side}|{side[0]}){FOOT}.*|{FOOT}.*({side}|{side[0]})", bare):
            return side
    return None


def _side_of_plate(name: str) -> str | None:
    """The foot that a plate is named for, as reactions in tables are (R_ground_force, left_...), or None."""
    return next((s for s in SIDES if re.match(rf"({s}|{s[0]})(_|$)", name.lower())), None)


def plate_contacts(trial: Trial, feet: Mapping[int, str] | None = None) -> list[PlateContact]:
    """Which foot stood on which plate, and when.

    Only loaded samples count: a foot that swings over a plate comes nearer to its middle than the one that stands
    at its edge. The foot is the one whose markers are nearest to the centre of pressure, weighted by the load.

    Args:
        trial: with plates.
        feet: plate index -> side, set by hand.

    Raises:
        GambolError: for a plate that is not there or a side that is none.
    """
    feet = dict(feet or {})
    for index, foot in feet.items():
        if not 0 <= index < len(trial.plates) or foot not in SIDES:
            allowed = f"plates 1 to {len(trial.plates)}; left, right" if trial.plates else "no plates are in it"
            raise GambolError(f"plate {index + 1} cannot be {foot!r}", where=trial.name or "trial", allowed=allowed)
    rate = trial.analog_fps or trial.fps
    markers = {s: [i for i, m in enumerate(trial.markers) if side_of_marker(m) == s] for s in SIDES}
    out = []
    for index, plate in enumerate(trial.plates):
        for first, end in loaded(plate, rate):
            side = feet.get(index) or _side_of_plate(plate.name)
            distance = np.nan
            if side is None:
                side, distance = _nearest_foot(trial, markers, plate, np.arange(first, end))
            begun, over = first == 0, end == len(plate.force)
            span = (None if begun else first / rate, None if over else end / rate)
            out.append(PlateContact(index, side, *span, (first, end), float(distance)))
    return sorted(out, key=lambda c: c.samples)


def _nearest_foot(
    trial: Trial, markers: Mapping[str, list[int]], plate: Plate, samples: NDArray
) -> tuple[str | None, float]:
    """The side whose foot is nearest to the centre of pressure over ``samples``, and how near, m."""
    rate = trial.analog_fps or trial.fps
    frames = np.clip(np.rint(samples * trial.fps / rate).astype(int), 0, max(len(trial) - 1, 0))
    point, weight = plate.pressure[samples], plate.force[samples, 1]
    best: tuple[str | None, float] = (None, np.nan)
    for side, columns in markers.items():
        if not columns or not len(trial):
            continue
        away = np.linalg.norm((trial.points[frames][:, columns] - point[:, None])[..., [0, 2]], axis=-1)
        away = np.where(np.isnan(away), np.inf, away).min(1)
        seen = np.isfinite(away)
        if not seen.any():
            continue
        mean = float(np.average(away[seen], weights=weight[seen]))
        if mean < REACH_M and not mean >= best[1]:
            best = side, mean
    return best


def plate_events(contacts: Sequence[PlateContact]) -> dict[str, list[float]]:
    """Heel strikes and toe offs in s under ``left_strike``, ``left_off``, ``right_strike``, ``right_off``.

    A foot that steps from plate to plate is down from the first strike to the last off.
    """
    out: dict[str, list[float]] = {}
    for side in SIDES:
        spans: list[list[float]] = []
        for c in (c for c in contacts if c.side == side):
            first = -np.inf if c.strike_s is None else c.strike_s
            last = np.inf if c.off_s is None else c.off_s
            if spans and first <= spans[-1][1]:
                spans[-1][1] = max(spans[-1][1], last)
            else:
                spans.append([first, last])
        for key, k in (("strike", 0), ("off", 1)):
            if times := [float(span[k]) for span in spans if np.isfinite(span[k])]:
                out[f"{side}_{key}"] = times
    return out


def foot_forces(trial: Trial, contacts: Sequence[PlateContact]) -> tuple[Array, Array]:
    """Force and centre of pressure of each foot, at the rate of the plates.

    Returns:
        force ``(A, 2, 3)`` N and pressure ``(A, 2, 3)`` m (NaN while unloaded), left and right; where a foot is on
        two plates, forces add and the point is their mean, weighted by the vertical force.
    """
    samples = len(trial.plates[0].force) if trial.plates else 0
    force, moved = np.zeros((samples, 2, 3)), np.zeros((samples, 2, 3))
    weight = np.zeros((samples, 2))
    for c in contacts:
        if c.side is None:
            continue
        span, foot, plate = slice(*c.samples), SIDES.index(c.side), trial.plates[c.plate]
        force[span, foot] += plate.force[span]
        load = np.where(np.isnan(plate.pressure[span, 0]), 0.0, plate.force[span, 1])
        weight[span, foot] += load
        moved[span, foot] += load[:, None] * np.nan_to_num(plate.pressure[span])
    with np.errstate(divide="ignore", invalid="ignore"):
        return force, np.where(weight[..., None] > 0, moved / weight[..., None], np.nan)


def with_feet(trial: Trial, feet: Mapping[int, str] | None = None) -> Trial:
    """The trial with each plate given to a foot, and with its strikes and offs from force.

    Where a foot was on a plate, its events are those of the force, and events of the same kind that the file has
    within the contact, or close to it, give way; elsewhere the file's own stay.

    Args:
        trial: any; without plates it comes back as it is.
        feet: plate index -> side, set by hand.

    Raises:
        GambolError: for a plate that is not there or a side that is none.
    """
    contacts = plate_contacts(trial, feet)
    own_events = trial.info.get("events_of_file", trial.events)  # so that feet can be set anew
    events = {key: list(times) for key, times in own_events.items()}
    for key, times in plate_events(contacts).items():
        kept = [t for t in events.get(key, []) if all(abs(t - new) > NEAR_S for new in times)]
        events[key] = sorted(kept + times)
    own = [[c for c in contacts if c.plate == k] for k in range(len(trial.plates))]
    table = [_shown(plate, own[k], k in (feet or {})) for k, plate in enumerate(trial.plates)]
    info = {**trial.info, "plates": table, "events_of_file": own_events}
    return replace(trial, events=dict(sorted(events.items())), info=info)


def _shown(plate: Plate, contacts: Sequence[PlateContact], by_hand: bool) -> dict[str, Any]:
    """Which foot stood on a plate, as plain facts."""
    rows = [{
        "foot": c.side, "strike_s": c.strike_s, "off_s": c.off_s,
        "distance_m": None if np.isnan(c.distance_m) else c.distance_m,
    } for c in contacts]
    feet = " and ".join(sorted({c.side for c in contacts if c.side})) or None
    return {
        "name": plate.name, "type": plate.kind, "foot": feet, "by_hand": by_hand,
        "threshold_N": threshold(plate.force[:, 1]), "contacts": rows,
    }
