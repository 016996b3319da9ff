"""A clip as the page plays it: header and arrays of single precision (docs/studio_protocol.md)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.motion import Motion
from gambol.skeleton import forward_kinematics
from gambol.studio.workshop import Wearer

__all__ = ["clip_arrays", "steps_of"]

Array = NDArray[np.float64]
SIDES = ("left", "right")
NOTES = 20
SAME = 0.12  # s; an event of the plan within it is that of the contact


def clip_arrays(motion: Motion, wearer: Wearer) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header and arrays of a clip on the figure that wears it."""
    skeleton = motion.skeleton
    header: dict[str, Any] = {
        "fps": motion.fps, "frames": len(motion), "seconds": motion.duration, "cyclic": motion.cyclic,
        "mass": motion.mass, "notes": [str(n) for n in motion.info.get("notes", [])][:NOTES], "steps": steps_of(motion),
        "sole_names": [skeleton.names[s] for s in skeleton.soles],
    }
    arrays: dict[str, NDArray[Any]] = {}
    if wearer.nodes is not None:
        from gambol.io.gltf_local import local_motion

        hang, at = wearer.nodes, {int(j): k for k, j in enumerate(wearer.nodes.joints)}
        moved = local_motion(motion, hang)
        header |= {
            "names": hang.names, "parents": hang.parents, "soles": [at.get(s, -1) for s in skeleton.soles],
            "nodes": hang.nodes, "local": True, "shifted": hang.shifted,
        }
        arrays |= {"root": motion.root, "rotations": moved.rotations[..., [1, 2, 3, 0]], "shifts": moved.moves}
        if hang.shifted[:1] == (0,):
            arrays["root"] = moved.moves[:, 0]
    else:
        header |= {
            "names": skeleton.names, "parents": skeleton.parents, "soles": skeleton.soles, "local": False,
            "offsets": skeleton.offsets,
        }
        arrays |= {"root": motion.root, "rotations": motion.rotations[..., [1, 2, 3, 0]]}
        if motion.translations is not None:
            arrays["translations"] = motion.translations
    for name in ("contacts", "com", "forces", "pressure"):
        value = getattr(motion, name)
        if value is not None and (name in ("contacts", "com") or value.shape[1] == 2):
            arrays[name] = value
    return header, arrays


def steps_of(motion: Motion) -> list[dict[str, Any]]:
    """Where feet stood: side, from when to when (s), the middle of the sole (m) and where it looks (rad)."""
    skeleton = motion.skeleton
    if motion.contacts is None or not len(motion):
        return []
    out = []
    for side in SIDES:
        columns = [k for k, s in enumerate(skeleton.soles) if skeleton.names[s].startswith(f"{side}_")]
        if not columns:
            continue
        down = motion.contacts[:, columns].any(1)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], down, [False]]).astype(int))).reshape(-1, 2)
        soles = [skeleton.soles[k] for k in columns]
        for (first, end), points in zip(edges, _stood(motion, edges, columns, soles)):
            heel, tip = points[0], points[-1]
            way = tip - heel
            out.append({
                "side": side, "strike": _event(motion, f"{side}_strike", first / motion.fps),
                "off": _event(motion, f"{side}_off", (end - 1) / motion.fps),
                "place": (0.5 * (heel + tip)).tolist(), "heading": float(np.arctan2(way[0], way[2])),
            })  # fmt: skip
    return sorted(out, key=lambda step: step["strike"])


def _stood(motion: Motion, edges: NDArray[np.int64], columns: list[int], soles: list[int]) -> Array:
    """(N, K, 3) m, sole points of a foot when most of it was down, one time for each contact."""
    frames = []
    for first, end in edges:
        count = motion.contacts[first:end][:, columns].sum(1)  # type: ignore[index]
        whole = np.flatnonzero(count == count.max())
        frames.append(first + int(whole[len(whole) // 2]))
    return forward_kinematics(motion.skeleton, motion.root[frames], motion.rotations[frames])[0][:, soles]


def _event(motion: Motion, name: str, near: float) -> float:
    """s of the planned event near a time, or that time."""
    times = np.array(motion.info.get("events", {}).get(name, []), float)
    if len(times) and np.abs(times - near).min() < SAME:
        return float(times[np.abs(times - near).argmin()])
    return float(near)
