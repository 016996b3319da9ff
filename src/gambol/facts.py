"""Plain facts of a motion, ready for JSON: steps, strikes, offs and the contact record."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gambol.motion import Motion

__all__ = ["contact_record", "facts", "jsonable", "sentences"]


def facts(motion: Motion) -> dict[str, Any]:
    """Speed (m/s), steps, cadence, foot strikes and offs (s) and contacts (s) of a motion."""
    events = motion.info.get("events", {})
    strikes = {side: list(events.get(f"{side}_strike", [])) for side in ("left", "right")}
    offs = {side: list(events.get(f"{side}_off", [])) for side in ("left", "right")}
    times = sorted(strikes["left"] + strikes["right"])
    steady = (len(times) - 1) / (times[-1] - times[0]) * 60 if len(times) > 2 else None
    return {
        "name": motion.name,
        "fps": motion.fps,
        "frames": len(motion),
        "duration_s": motion.duration,
        "mass_kg": motion.mass,
        "speed_m_s": motion.info.get("speed_m_s"),
        "speeds": motion.info.get("speeds"),
        **({"loop": motion.info["loop"]} if "loop" in motion.info else {}),
        "cadence_steps_min": steady,
        "steps": len(times),
        "foot_strikes_s": strikes,
        "foot_offs_s": offs,
        "contacts_s": contact_record(motion),
    }


def contact_record(motion: Motion) -> dict[str, list[list[float]]]:
    """For each sole joint the [first, last] planted frame times (s) of every unbroken contact."""
    import numpy as np

    if motion.contacts is None:
        return {}
    out: dict[str, list[list[float]]] = {}
    for column, joint in enumerate(motion.skeleton.soles):
        padded = np.concatenate([[False], motion.contacts[:, column], [False]])
        starts = np.flatnonzero(padded[1:] & ~padded[:-1])
        ends = np.flatnonzero(~padded[1:] & padded[:-1]) - 1
        out[motion.skeleton.names[joint]] = [
            [float(a / motion.fps), float(b / motion.fps)] for a, b in zip(starts, ends)
        ]
    return out


def sentences(motion: Motion) -> list[str]:
    """The facts in a few lines for a person."""
    import numpy as np

    known = facts(motion)
    travel = float(np.linalg.norm(np.diff(motion.root[:, [0, 2]], axis=0), axis=1).sum())
    frames = f"{known['frames']} frames at {motion.fps:g} a second"
    lines = [f"{frames}: {motion.duration:.2f} s, {travel:.2f} m over the ground"]
    if around := motion.info.get("loop"):
        x, _, z = around["travel_m"]
        metres = math.hypot(x, z)
        how = "in place, its belt" if around["in_place"] else f"{metres:.3f} m a round,"
        speed = f", {how} at {metres / around['period_s']:.3f} m/s" if metres else ", standing"
        lines.append(f"a loop of {around['period_s']:.4f} s{speed}")
    elif known["steps"]:
        rate = "" if known["cadence_steps_min"] is None else f", {known['cadence_steps_min']:.0f} a minute"
        speed = "" if known["speed_m_s"] is None else f", asked {known['speed_m_s']:.2f} m/s"
        if known["speeds"]:
            speeds = [v for _, v in known["speeds"]]
            speed = f", asked {min(speeds):g} to {max(speeds):g} m/s"
        lines.append(f"{known['steps']} steps{rate}{speed}")
    return lines


def jsonable(value: Any) -> Any:
    """``value`` with arrays as lists, numpy numbers as numbers and not-finite numbers as null."""
    if isinstance(value, dict):
        return {str(k): jsonable(v) for k, v in value.items()}
    if hasattr(value, "tolist"):
        return jsonable(value.tolist())
    if hasattr(value, "_asdict"):
        return jsonable(value._asdict())
    if isinstance(value, list | tuple):
        return [jsonable(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
