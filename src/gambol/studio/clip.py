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
    names = [skeleton.names[s] for s in skeleton.soles]
    feet = {side: [k for k, n in enumerate(names) if n.startswith(f"{side}_")] for side in SIDES}
    stood = [(side, *span) for side, columns in feet.items() if columns for span in _spans(motion, columns)]
    points = _when_flat(motion, [(feet[side], first, end) for side, first, end in stood])
    out = []
    for (side, first, end), places in zip(stood, points):
        heel, tip = places[skeleton.soles[feet[side][0]]], places[skeleton.soles[feet[side][-1]]]
        out.append({
            "side": side, "strike": _event(motion, f"{side}_strike", first / motion.fps),
            "off": _event(motion, f"{side}_off", (end - 1) / motion.fps), "place": (0.5 * (heel + tip)).tolist(),
            "heading": float(np.arctan2(*(tip - heel)[[0, 2]])),
        })  # fmt: skip
    return sorted(out, key=lambda step: step["strike"])


def _spans(motion: Motion, columns: list[int]) -> list[tuple[int, int]]:
    """First frame and the one after the last of every contact of a foot."""
    assert motion.contacts is not None
    down = np.pad(motion.contacts[:, columns].any(1), 1)
    edges = np.flatnonzero(down[1:] != down[:-1]).reshape(-1, 2)
    return [(int(a), int(b)) for a, b in edges]


def _when_flat(motion: Motion, spans: list[tuple[list[int], int, int]]) -> Array:
    """(N, J, 3) m, where soles are when most of the foot is down, one time for each contact; only soles are known."""
    assert motion.contacts is not None
    frames = []
    for columns, first, end in spans:
        count = motion.contacts[first:end][:, columns].sum(1)
        whole = np.flatnonzero(count == count.max())
        frames.append(first + int(whole[len(whole) // 2]))
    return forward_kinematics(motion.skeleton, motion.root[frames], motion.rotations[frames], motion.skeleton.soles)[0]


def _event(motion: Motion, name: str, near: float) -> float:
    """s of the planned event near a time, or that time."""
    times = np.array(motion.info.get("events", {}).get(name, []), float)
    if len(times) and np.abs(times - near).min() < SAME:
        return float(times[np.abs(times - near).argmin()])
    return float(near)
