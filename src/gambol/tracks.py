"""Joint centres over time, of a clip on any skeleton or of a trial of markers: what gait is read from.

A *role* names a joint (``left_knee``); a table says which joints or markers stand for it. Everything downstream
(events, a measured walk, ground forces) needs these points alone, so that rest poses and bone axes do not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gambol.errors import GambolError
from gambol.motion import Motion, Trial
from gambol.roles import roles_of

__all__ = ["LEGS", "SIDES", "Tracks", "clip_tracks", "filled", "tracks_of", "trial_tracks"]

Array = NDArray[np.float64]
SIDES = ("left", "right")
LEGS = tuple(f"{side}_{joint}" for side in SIDES for joint in ("hip", "knee", "ankle", "ball"))
BRIDGED = 0.2  # s, gaps of a marker that are filled; longer ones are left to the rigid foot, or left open
VIRTUAL_HEEL = (0.045, 0.070)  # m behind and below the ankle of an adult leg of 0.84 m, where none is marked

# Our names for what a rig calls otherwise (:mod:`gambol.roles`).
JOINTS = {
    "hip": "upper_leg", "knee": "lower_leg", "ankle": "foot", "ball": "toes", "shoulder": "upper_arm",
    "elbow": "lower_arm", "wrist": "hand",
}
MIDDLE = {"pelvis": "hips", "chest": "chest", "neck": "neck", "head": "head"}
# Plug-in-Gait and Helen Hayes markers; the mean of those of the first row that are all there.
MARKERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "asis": (("{S}ASI",), ("{S}.ASIS",), ("{S}ASIS",)),
    "knee": (
        ("{S}KNE", "{S}KNM"), ("{S}KNE",), ("{S}.Knee", "{S}.Knee.Medial"), ("{S}.Knee.Lat", "{S}.Knee.Med"),
        ("{S}.Knee.Lat",),
    ),
    "ankle": (
        ("{S}ANK", "{S}MED"), ("{S}ANK",), ("{S}.Ankle", "{S}.Ankle.Medial"), ("{S}.Ankle.Lat", "{S}.Ankle.Med"),
        ("{S}.Ankle.Lat",),
    ),
    "ball": (("{S}TOE",), ("{S}MT2",), ("{S}.Toe.Lat", "{S}.Toe.Med"), ("{S}.Toe.Tip",)),
    "heel": (("{S}HEE",), ("{S}HEEL",), ("{S}.Heel",)),
    "shoulder": (("{S}SHO",), ("{S}.Acromium",), ("{S}ACR",)),
    "elbow": (("{S}ELB",), ("{S}.Elbow",)),
    "wrist": (("{S}WRA", "{S}WRB"), ("{S}WRI",), ("{S}WRA",), ("{S}.Wrist.Med", "{S}.Wrist.Lat")),
}
SACRUM = (("LPSI", "RPSI"), ("SACR",), ("VSAC",), ("V.Sacral",))
NECK = (("C7", "CLAV"), ("C7", "IJ"), ("C7",), ("CLAV",), ("LSHO", "RSHO"), ("L.Acromium", "R.Acromium"))
HEAD = (("LFHD", "RFHD", "LBHD", "RBHD"), ("LFHD", "RFHD"), ("L.Temple", "R.Temple"), ("Top.Head",))
# Hip joint centre from the pelvis markers, over the distance between the two ASIS: Bell, Brand and Pedersen
# (1989): 14 % medial, 30 % distal, 19 % posterior of the ASIS (22 % in their x-ray study).
HIP_CENTRE = (0.14, 0.30, 0.19)
LATERAL = {"knee": 0.055, "ankle": 0.035}  # m from a lateral marker to the joint centre of an adult


@dataclass(frozen=True, eq=False)
class Tracks:
    """``points``: role -> (F, 3) m in the world, +y up, NaN where not known. ``notes``: what was odd."""

    points: dict[str, Array]
    fps: float
    name: str = ""
    notes: tuple[str, ...] = ()

    def __getitem__(self, role: str) -> Array:
        return self.points[role]

    def __len__(self) -> int:
        return len(self.points["pelvis"])


def tracks_of(clip: Motion | Trial, table: Mapping[str, list[str]] | None = None) -> Tracks:
    """The joint centres of a clip or a trial.

    Args:
        clip: on any skeleton whose names are known, or markers.
        table: role -> joints or markers whose mean it is; goes before the names that are known.

    Raises:
        GambolError: which joints or markers are missing.
    """
    return clip_tracks(clip, table) if isinstance(clip, Motion) else trial_tracks(clip, table)


def clip_tracks(clip: Motion, table: Mapping[str, list[str]] | None = None) -> Tracks:
    """The joint centres of a clip on any skeleton.

    Raises:
        GambolError: which joints of the legs are missing.
    """
    positions, skeleton = clip.positions(), clip.skeleton
    roles = roles_of(skeleton).joints
    points: dict[str, Array] = {}
    for role, joints in (table or {}).items():
        points[role] = np.mean([positions[:, skeleton.index(n)] for n in joints], axis=0)
    named = {f"{side}_{ours}": f"{side}_{theirs}" for side in SIDES for ours, theirs in JOINTS.items()} | MIDDLE
    for ours, theirs in named.items():
        if theirs in roles:
            points.setdefault(ours, positions[:, roles[theirs]])
    for side in SIDES:
        if f"{side}_heel" in skeleton:
            points.setdefault(f"{side}_heel", positions[:, skeleton.index(f"{side}_heel")])
        if f"{side}_ball" not in points and f"{side}_foot" in roles:  # the foot's own end
            ends = np.flatnonzero(skeleton.parents == roles[f"{side}_foot"])
            far = [int(j) for j in ends if np.linalg.norm(skeleton.offsets[j]) > 0]
            if far:
                points[f"{side}_ball"] = positions[:, far[0]]
    _need(points, LEGS, clip.name or "clip", "joints", skeleton.names)
    points.setdefault("pelvis", (points["left_hip"] + points["right_hip"]) / 2)
    return Tracks(points, clip.fps, clip.name)


def _need(points: dict[str, Array], roles: tuple[str, ...], where: str, kind: str, known: tuple[str, ...]) -> None:
    missing = [r for r in roles if r not in points]
    if missing:
        raise GambolError(
            f"nothing stands for {', '.join(missing)}", where=where,
            allowed=f"{kind} {', '.join(known[:40])}{' ...' if len(known) > 40 else ''}",
            do=f'name them in a JSON table, {{"{missing[0]}": ["NAME"]}}',
        )


def trial_tracks(trial: Trial, table: Mapping[str, list[str]] | None = None) -> Tracks:
    """Joint centres from markers: Plug-in-Gait or Helen Hayes names, or a table of one's own.

    Gaps of up to 0.2 s are bridged, a toe that is lost longer follows the rest of its foot, and the rest stays open.

    Raises:
        GambolError: which markers are missing.
    """
    notes: list[str] = []
    seen = {name: filled(trial.points[:, k], trial.fps) for k, name in enumerate(trial.markers)}
    for k, name in enumerate(trial.markers):
        bridged = int(np.isfinite(seen[name][:, 0]).sum() - np.isfinite(trial.points[:, k, 0]).sum())
        if bridged and not name.startswith("*"):  # a marker without a name
            notes.append(f"{name}: {bridged} frames bridged")

    def mean(rows: tuple[tuple[str, ...], ...], letter: str = "") -> tuple[Array, int] | None:
        for row in rows:
            wanted = [n.replace("{S}", letter) for n in row]
            if all(n in seen for n in wanted):
                return np.mean([seen[n] for n in wanted], axis=0), len(wanted)
        return None

    points: dict[str, Array] = {}
    for role, markers in (table or {}).items():
        points[role] = np.mean([_marker(seen, m, trial) for m in markers], axis=0)
    lateral: list[str] = []
    for side in SIDES:
        for role, rows in MARKERS.items():
            found = mean(rows, side[0].upper())
            if found is not None and f"{side}_{role}" not in points:
                points[f"{side}_{role}"] = found[0]
                if role in LATERAL and found[1] == 1:
                    lateral.append(f"{side}_{role}")
    for role, rows in (("sacrum", SACRUM), ("neck", NECK), ("head", HEAD)):
        found = mean(rows)
        if found is not None:
            points.setdefault(role, found[0])
    _pelvis(points)
    _inward(points, lateral)
    _need(points, LEGS, trial.name or "trial", "markers", trial.markers)
    notes += _rigid_toes(points)
    for role in [r for r in points if not np.isfinite(points[r]).any()]:
        del points[role]
    return Tracks(points, trial.fps, trial.name, tuple(notes))


def _marker(seen: dict[str, Array], name: str, trial: Trial) -> Array:
    if name not in seen:
        raise GambolError(
            f"no marker is called {name!r}", where=trial.name or "trial", allowed=", ".join(trial.markers)
        )
    return seen[name]


def _pelvis(points: dict[str, Array]) -> None:
    """Pelvis and hip joints from the markers on the iliac spines and the sacrum."""
    if all(k in points for k in ("left_asis", "right_asis", "sacrum")):
        left, right, back = points["left_asis"], points["right_asis"], points["sacrum"]
        middle, width = (left + right) / 2, np.linalg.norm(left - right, axis=-1, keepdims=True)
        across = (left - right) / width
        ahead = middle - back
        ahead -= np.sum(ahead * across, -1, keepdims=True) * across
        ahead /= np.linalg.norm(ahead, axis=-1, keepdims=True)
        down = -np.cross(ahead, across)
        for side, spine, sign in (("left", left, -1.0), ("right", right, 1.0)):
            inward, below, behind = HIP_CENTRE
            points.setdefault(f"{side}_hip", spine + width * (sign * inward * across + below * down - behind * ahead))
    if all(f"{s}_hip" in points for s in SIDES):
        points.setdefault("pelvis", (points["left_hip"] + points["right_hip"]) / 2)


def _inward(points: dict[str, Array], roles: list[str]) -> None:
    """Joint centres from single markers on the outside of knee and ankle."""
    if not all(f"{s}_hip" in points for s in SIDES):
        return
    across = points["right_hip"] - points["left_hip"]
    across = across / np.linalg.norm(across, axis=-1, keepdims=True)
    for role in roles:
        side, joint = role.split("_")
        points[role] = points[role] + LATERAL[joint] * across * (1.0 if side == "left" else -1.0)


def _rigid_toes(points: dict[str, Array]) -> list[str]:
    """A lost toe marker follows heel, ankle and knee."""
    notes = []
    for side in SIDES:
        roles = [f"{side}_{r}" for r in ("heel", "ankle", "knee", "ball")]
        if not all(r in points for r in roles):
            continue
        heel, ankle, knee, toe = (points[r] for r in roles)
        lost = ~np.isfinite(toe[:, 0]) & np.isfinite(heel[:, 0]) & np.isfinite(ankle[:, 0]) & np.isfinite(knee[:, 0])
        there = np.isfinite(toe[:, 0]) & np.isfinite(heel[:, 0]) & np.isfinite(ankle[:, 0]) & np.isfinite(knee[:, 0])
        if not lost.any() or not there.any():
            continue
        frame = _frames(ankle - heel, knee - ankle)
        local = np.nanmedian(np.einsum("fij,fi->fj", frame[there], (toe - ankle)[there]), axis=0)
        points[roles[3]] = np.where(lost[:, None], ankle + frame @ local, toe)
        notes.append(f"{side} toe: {int(lost.sum())} frames follow the rest of the foot")
    return notes


def _frames(first: Array, second: Array) -> Array:
    """(F, 3, 3) orthonormal columns along ``first``, and in its plane with ``second``."""
    a = first / np.linalg.norm(first, axis=-1, keepdims=True)
    b = second - np.sum(second * a, -1, keepdims=True) * a
    b = b / np.linalg.norm(b, axis=-1, keepdims=True)
    return np.stack([a, b, np.cross(a, b)], -1)


def filled(points: Array, fps: float, longest: float = BRIDGED) -> Array:
    """``(F, 3)`` with the gaps (NaN) of up to ``longest`` s bridged by a cubic between their two sides."""
    out = np.array(points, float)
    known = np.isfinite(out).all(-1)
    edges = np.flatnonzero(np.diff(known.astype(np.int8)))
    for a, b in pairwise(edges.tolist()):
        if known[a + 1] or b - a > longest * fps:
            continue
        left, right = out[a], out[b + 1]
        span = b + 1 - a
        v0 = (left - out[a - 1]) if a and known[a - 1] else (right - left) / span
        v1 = (out[b + 2] - right) if b + 2 < len(out) and known[b + 2] else (right - left) / span
        u = (np.arange(1, span) / span)[:, None]
        out[a + 1 : b + 1] = (
            (1 + 2 * u) * (1 - u) ** 2 * left + u * u * (3 - 2 * u) * right
            + span * (u * (1 - u) ** 2 * v0 - u * u * (1 - u) * v1)
        )
    return out
