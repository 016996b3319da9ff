"""The tracks of a glTF clip, sampled on a grid: linear, in steps, or as cubic splines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.errors import GambolError
from gambol.io.glb import read_accessor

__all__ = ["MOST_FRAMES", "Track", "grid_of", "sampled", "tracks_of"]

Array = NDArray[np.float64]
GRID = 30.0  # frames a second where neither the file nor its keys say
MOST_FRAMES = 2_000_000
PATHS = {"translation": 3, "rotation": 4, "scale": 3}
MODES = ("LINEAR", "STEP", "CUBICSPLINE")


class Track(NamedTuple):
    """Keys of one path of one node: times (K,) s, values (K, D); of splines (K, 3, D) between their tangents."""

    times: Array
    values: Array
    mode: str


def tracks_of(
    document: dict[str, Any], binary: bytes, animation: Mapping[str, Any], wanted: Iterable[int]
) -> dict[tuple[int, str], Track]:
    """(node, path) -> its keys, of the nodes wanted."""
    wanted = set(wanted)
    out: dict[tuple[int, str], Track] = {}
    read: dict[int, Array] = {}
    for channel in animation["channels"]:
        target, sampler = channel["target"], animation["samplers"][channel["sampler"]]
        node, path = target.get("node"), target.get("path")
        if path not in PATHS or node not in wanted:
            continue
        if sampler["input"] not in read:
            read[sampler["input"]] = read_accessor(document, binary, sampler["input"])
        times, values = read[sampler["input"]], read_accessor(document, binary, sampler["output"])
        mode = sampler.get("interpolation", "LINEAR")
        if mode == "CUBICSPLINE":
            values = values.reshape(-1, 3, values.shape[-1])
        fits = times.ndim == 1 and len(times) and len(values) == len(times) and values.shape[-1] == PATHS[path]
        if mode not in MODES or not fits or np.any(np.diff(times) < 0) or not np.isfinite(values).all():
            raise GambolError(f"the keys of node {node} do not fit its times")
        out[node, path] = Track(times, values, mode)
    return out


def grid_of(tracks: Mapping[tuple[int, str], Track], ours: Mapping[str, Any]) -> tuple[float, float, int]:
    """Rate, time of the first frame and number of frames: as gambol wrote them, else from the keys."""
    if "fps" in ours:
        fps, frames = float(ours["fps"]), int(ours["frames"])
        if not (math.isfinite(fps) and fps > 0 and 0 < frames <= MOST_FRAMES):
            raise GambolError(f"{frames} frames at {fps:g} a second", allowed=f"1 to {MOST_FRAMES} frames")
        return fps, 0.0, frames
    if not tracks:
        raise GambolError("a clip that moves no joint")
    first, last = min(t.times[0] for t in tracks.values()), max(t.times[-1] for t in tracks.values())
    gaps = np.concatenate([np.diff(t.times) for t in tracks.values()])
    gaps = gaps[gaps > 1e-6]
    fps = 1 / float(np.median(gaps)) if len(gaps) else GRID
    fps = round(fps, 2) if abs(fps - round(fps, 2)) < 2e-4 * fps else fps
    frames = round((last - first) * fps) + 1
    if frames > MOST_FRAMES:
        what = f"a clip of {last - first:g} s, {frames} frames"
        raise GambolError(what, allowed=f"{MOST_FRAMES} frames", do="cut it, or export fewer keys a second")
    return fps, float(first), frames


def sampled(track: Track, times: Array, turn: bool = False) -> Array:
    """(F, D) values at ``times`` s, held before the first and after the last key; turns x y z w by the short way."""
    keys, last = track.times, len(track.times) - 1
    values = track.values[:, 1] if track.mode == "CUBICSPLINE" else track.values
    if last == 0:
        return np.broadcast_to(values[0], (len(times), values.shape[1]))
    # Times are 32-bit in the file; a key within rounding of a frame is that frame.
    after = np.clip(np.searchsorted(keys, times + 1e-5), 1, last).astype(np.int64)
    before = np.asarray(after - 1, np.int64)
    gap = keys[after] - keys[before]
    t = np.clip((times - keys[before]) / np.where(gap > 0, gap, 1.0), 0.0, 1.0)
    near = 1e-5 / np.maximum(gap, 1e-5) + 4e-7 * np.abs(times) / np.maximum(gap, 1e-5)
    t = np.where(t < near, 0.0, np.where(t > 1 - near, 1.0, t))
    if track.mode == "CUBICSPLINE":
        return _spline(track.values, (before, after), t, gap, turn)
    if track.mode == "STEP":
        t = np.floor(t)
    a, b = values[before], values[after]
    if not turn:
        return a * (1 - t)[:, None] + b * t[:, None]
    out = np.where((t == 1.0)[:, None], b, a)
    inside = (t > 0) & (t < 1)
    if inside.any():
        start, end = (np.roll(quat.normalize(x[inside]), 1, axis=-1) for x in (a, b))
        out[inside] = np.roll(quat.slerp(start, end, t[inside]), -1, axis=-1)
    return out


def _spline(
    values: Array, keys: tuple[NDArray[np.int64], NDArray[np.int64]], t: Array, gap: Array, turn: bool
) -> Array:
    """The cubic Hermite spline of glTF 2.0 (appendix C): tangents per second, turns made unit afterwards."""
    t, gap = t[:, None], gap[:, None]
    a, out, into, b = values[keys[0], 1], values[keys[0], 2], values[keys[1], 0], values[keys[1], 1]
    t2, t3 = t * t, t * t * t
    curve = (2 * t3 - 3 * t2 + 1) * a + gap * (t3 - 2 * t2 + t) * out + (3 * t2 - 2 * t3) * b + gap * (t3 - t2) * into
    if turn:
        size = np.linalg.norm(curve, axis=1, keepdims=True)
        curve = np.where(size > 1e-9, curve / np.maximum(size, 1e-9), a)
    return np.asarray(curve)
