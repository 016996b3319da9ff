"""What was measured, for programs and for people, and whether it is within tolerance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from gambol.measure.contact import Feet
from gambol.measure.force import Forces
from gambol.measure.joints import Joints
from gambol.measure.smooth import Smooth
from gambol.measure.strides import Walk
from gambol.measure.turning import Turning

__all__ = ["GAP_MM", "SINK_MM", "SLIDE_MM", "Report"]

SLIDE_MM = 1.0  # planted sole points stay this near to where they landed
GAP_MM = 3.0  # and this near to the ground, above or below
SINK_MM = 2.0  # and a swinging foot goes no deeper
LISTED = 12  # stances printed for people; the JSON has all


@dataclass(frozen=True)
class Report:
    """The measurements of one clip. Lengths are named by their unit; None means that it cannot be known.

    Attributes:
        name: of the clip.
        fps: frames a second.
        frames: how many.
        duration_s: from the first to the last.
        feet: contacts, slide, sinking.
        walk: steps and strides.
        joints: legs and joint limits.
        smooth: changes of velocity.
        forces: weight and consistency.
        path_error_mm: largest horizontal distance of the root from the path, if there is one.
        notes: what could not be measured, and why.
        turning: angular momentum about the vertical.
    """

    name: str
    fps: float
    frames: int
    duration_s: float
    feet: Feet
    walk: Walk
    joints: Joints
    smooth: Smooth
    forces: Forces
    path_error_mm: float | None
    notes: tuple[str, ...] = ()
    turning: Turning = field(default_factory=Turning)

    @property
    def failures(self) -> tuple[str, ...]:
        """Why the feet are not good enough, as plain sentences; empty if they are."""
        return tuple(_failures(self.feet, self.frames))

    @property
    def passed(self) -> bool:
        """Feet neither slide nor sink nor float beyond the tolerances, and the contact record is honest."""
        return not self.failures

    def to_json(self) -> dict[str, Any]:
        """Everything as plain dicts, lists and numbers."""
        return _plain({
            "passed": self.passed, "failures": self.failures, **asdict(self),
            "tolerances": {"slide_mm": SLIDE_MM, "gap_mm": GAP_MM, "swing_sinking_mm": SINK_MM},
        })

    def lines(self) -> list[str]:
        """The report for people."""
        return [
            *_feet_lines(self.feet), *_walk_lines(self.walk, self.path_error_mm),
            *_body_lines(self.joints, self.smooth, self.forces), *_turning_lines(self.turning),
            *self.notes, *(f"FAILED: {f}" for f in self.failures), *(["passed"] if self.passed else []),
        ]


def _failures(feet: Feet, frames: int) -> Iterator[str]:
    limits = (
        ("a planted foot slides", feet.slide_mm, SLIDE_MM),
        ("a planted foot sinks", feet.sinking_mm, GAP_MM),
        ("a planted foot floats", feet.floating_mm, GAP_MM),
        ("a swinging foot goes below the ground by", feet.swing_sinking_mm, SINK_MM),
    )
    for what, value, limit in limits:
        if value is not None and value > limit:
            yield f"{what} {value:.1f} mm, more than {limit:g} mm"
    if feet.unmarked:
        yield f"{feet.unmarked} times a sole point is still and on the ground, but not in the contact record"
    if frames > 2 and feet.no_contact_share == 1.0:
        yield "no foot is ever planted: none comes near the ground, or all slide"


def _feet_lines(feet: Feet) -> Iterator[str]:
    if feet.slide_mm is None:
        return
    by = "recorded" if feet.recorded else "found by rule"
    yield (
        f"{len(feet.stances)} contacts ({by}): slide at most {feet.slide_mm:.2f} mm, "
        f"sinking {feet.sinking_mm:.2f} mm, floating {feet.floating_mm:.2f} mm"
    )
    if feet.recorded and feet.slide_found_mm is not None:
        yield f"slide on contacts found without the record: {feet.slide_found_mm:.2f} mm"
    yield (
        f"swinging feet below the ground: {feet.swing_sinking_mm:.2f} mm; "
        f"frames without contact: {feet.no_contact_share:.1%}"
    )
    rows = sorted(feet.stances, key=lambda r: -r.slide_mm)[:LISTED]
    more = len(feet.stances) - len(rows)
    head = "sole              from s    to s  slide mm  sink mm  float mm  leg reach"
    yield f"{head}   ({more} more in the JSON)" if more else head
    for r in sorted(rows, key=lambda r: r.start_s):
        reach = "" if r.reach is None else f"{r.reach:.3f}"
        yield (
            f"{r.sole:16} {r.start_s:7.2f} {r.end_s:7.2f} {r.slide_mm:9.2f} {r.sinking_mm:8.2f} "
            f"{r.floating_mm:9.2f} {reach:>10}"
        )


def _walk_lines(walk: Walk, path_error_mm: float | None) -> Iterator[str]:
    if walk.speed_m_s is not None:
        along = "" if walk.path_speed_m_s is None else f" ({walk.path_speed_m_s:.3f} along the path)"
        asked = "" if walk.asked_speed_m_s is None else f", asked {walk.asked_speed_m_s:.3f}"
        yield f"speed {walk.speed_m_s:.3f} m/s{along}{asked}, over {walk.steady_strides} steady strides"
    steps = f"{walk.steps} steps"
    if walk.cadence_steps_min is not None:
        steps += f", {walk.cadence_steps_min:.1f} a minute"
    if walk.step_length_m is not None:
        steps += f", {walk.step_length_m:.3f} m long, {walk.step_width_m:.3f} m wide"
    yield steps
    if walk.stance_share is not None:
        plan = "" if walk.planned_stance_share is None else f" (planned {walk.planned_stance_share:.1%})"
        yield (
            f"stance {walk.stance_share:.1%} of the stride{plan}, "
            f"double support {walk.double_support_share:.1%}, flight {walk.flight_share:.1%}; "
            f"mass centre rises {walk.com_rise_mm:.0f} mm"
        )
    if path_error_mm is not None:
        yield f"off the path by at most {path_error_mm:.0f} mm"


def _body_lines(joints: Joints, smooth: Smooth, forces: Forces) -> Iterator[str]:
    if joints.knee_least_deg is not None and joints.reach is not None:
        knee = f"knee at least {joints.knee_least_deg:.1f} degrees"
        yield f"{knee}, leg at most {joints.reach:.1%} of its length"
    for r in joints.ranges:
        beyond = f", {r.beyond_deg:.1f} beyond its limits" if r.beyond_deg > 0 else ""
        yield f"{r.joint.replace('_', ' ')} {r.least_deg:.0f} to {r.most_deg:.0f} degrees{beyond}"
    if smooth.pelvis_m_s is not None:
        yield (
            f"largest change between frames: pelvis {smooth.pelvis_m_s:.4f} m/s, "
            f"joints {smooth.joints_rad_s:.3f} rad/s ({smooth.joint} at {smooth.at_s:.2f} s)"
        )
    if smooth.pelvis_border is not None and smooth.joints_border is not None:
        yield (
            f"at step borders over the 99th percentile inside: pelvis {smooth.pelvis_border:.2f}, "
            f"joints {smooth.joints_border:.2f}"
        )
    if forces.mean_vertical_bw is not None:
        yield (
            f"mean vertical force {forces.mean_vertical_bw:.3f} weights, "
            f"on one foot at most {forces.peak_vertical_bw:.2f}"
        )
    if forces.consistency_rms_bw is not None:
        yield (
            f"forces against the motion: off by {forces.consistency_rms_bw:.4f} weights (RMS), "
            f"at most {forces.consistency_max_bw:.4f}"
        )
    if forces.com_error_mm is not None:
        yield f"mass centre of the posed body at most {forces.com_error_mm:.2f} mm from the planned one"


def _turning_lines(turning: Turning) -> Iterator[str]:
    if turning.momentum_range is not None and turning.legs_range is not None:
        net = "" if turning.net_change is None else f", {turning.net_change:.1%} of its peak left over a stride"
        yield (
            f"turning about the vertical: {turning.momentum_range:.4f} of mass x height x speed "
            f"(the legs alone {turning.legs_range:.4f}){net}"
        )
    if turning.free_moment_n_m is not None:
        yield f"free moment of the feet at most {turning.free_moment_n_m:.1f} N m"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list | tuple) else value
