"""The built-in figure: an artist's mannequin made from a skeleton's rest pose, skinned.

Light body, dark joints, trousers, shoes and visor; the left side has the accent colour at elbow, knee and
shoe, and the chest a badge, so that front and back, left and right are told apart at a glance. All numbers in the tables
are fractions of body height; lengths along limbs follow the skeleton.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.body import TRUNK
from gambol.loft import Loft, Shell, closed_rings, loft, merge, normals_of, smooth_step
from gambol.skeleton import Skeleton, readonly

__all__ = ["PALETTE", "Skin", "deform", "is_person", "mannequin"]

Array = NDArray[np.float64]

# Materials: linear base colour, roughness.
PALETTE: dict[str, tuple[tuple[float, float, float], float]] = {
    "body": ((0.62, 0.585, 0.54), 0.55),
    "dark": ((0.055, 0.06, 0.072), 0.6),
    "accent": ((0.80, 0.19, 0.035), 0.5),
}
BODY, DARK, ACCENT = range(3)

NEEDED = (
    "hips", "spine", "chest", "upper_chest", "neck", "head",
    *(f"{s}_{n}" for s in ("left", "right") for n in (
        "shoulder", "upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot", "toes", "heel", "toe_tip")),
)

# Rows: position along the part, half-axis to the side, to the front, to the back, shift side, shift front.
TRUNK_ROWS = np.array([  # by height
    (0.499, 0.036, 0.036, 0.042, 0, 0.000), (0.510, 0.068, 0.048, 0.057, 0, -0.001),
    (0.527, 0.0865, 0.0545, 0.064, 0, -0.001), (0.548, 0.0935, 0.057, 0.0645, 0, 0), (0.572, 0.091, 0.057, 0.058, 0, 0),
    (0.597, 0.083, 0.0545, 0.051, 0, 0), (0.625, 0.0765, 0.054, 0.047, 0, 0.001), (0.655, 0.0785, 0.057, 0.049, 0, 0.001),
    (0.690, 0.087, 0.062, 0.056, 0, 0), (0.720, 0.0945, 0.065, 0.062, 0, -0.001), (0.748, 0.1005, 0.064, 0.065, 0, -0.003),
    (0.772, 0.1050, 0.058, 0.063, 0, -0.005), (0.790, 0.1085, 0.050, 0.058, 0, -0.007), (0.804, 0.1070, 0.041, 0.050, 0, -0.008),
    (0.814, 0.0960, 0.0350, 0.042, 0, -0.008), (0.823, 0.0720, 0.031, 0.036, 0, -0.008), (0.832, 0.0480, 0.0285, 0.0325, 0, -0.006),
    (0.845, 0.0345, 0.0275, 0.0295, 0, -0.003), (0.862, 0.0300, 0.0275, 0.0285, 0, 0.000), (0.885, 0.030, 0.028, 0.028, 0, 0.003),
])
HEAD_ROWS = np.array([  # by height above the head joint
    (-0.010, 0.013, 0.018, 0.008, 0, 0.016), (-0.005, 0.0220, 0.0275, 0.018, 0, 0.014), (0.005, 0.0295, 0.0365, 0.032, 0, 0.009),
    (0.020, 0.0365, 0.0435, 0.045, 0, 0.006), (0.040, 0.0415, 0.0490, 0.0545, 0, 0.004), (0.062, 0.0440, 0.0515, 0.0590, 0, 0.002),
    (0.080, 0.0440, 0.0510, 0.0590, 0, 0), (0.098, 0.0397, 0.0455, 0.0530, 0, -0.001), (0.112, 0.0320, 0.0362, 0.0425, 0, -0.002),
    (0.1215, 0.0235, 0.0262, 0.0310, 0, -0.003),
])
LEG_ROWS = np.array([  # 0 hip, 1 knee, 2 ankle
    (-0.02, 0.0475, 0.0480, 0.0520, 0.002, 0), (0.10, 0.0490, 0.0500, 0.0530, 0.002, 0), (0.30, 0.0480, 0.0505, 0.0500, 0.001, 0),
    (0.60, 0.0415, 0.0450, 0.0420, 0, 0.001), (0.85, 0.0345, 0.0370, 0.0345, 0, 0.001), (1.00, 0.0325, 0.0355, 0.0320, 0, 0.001),
    (1.12, 0.0320, 0.0315, 0.0335, 0, 0), (1.30, 0.0325, 0.0290, 0.0385, 0, -0.001), (1.45, 0.0310, 0.0275, 0.0375, 0, -0.002),
    (1.65, 0.0250, 0.0240, 0.0300, 0, -0.002), (1.85, 0.0200, 0.0210, 0.0230, 0, -0.001), (2.04, 0.0190, 0.0205, 0.0215, 0, 0),
])
ARM_ROWS = np.array([  # 0 shoulder, 1 elbow, 2 wrist, and inwards to the collar bone; side is forwards, front is up
    (-0.34, 0.0170, 0.0060, 0.0200, -0.006, -0.006), (-0.16, 0.0250, 0.0100, 0.0270, -0.007, -0.008),
    (0.00, 0.0310, 0.0165, 0.0330, -0.005, -0.006), (0.14, 0.0335, 0.0230, 0.0340, -0.002, -0.004),
    (0.30, 0.0330, 0.0285, 0.0320, 0, -0.002),
    (0.48, 0.0295, 0.0275, 0.0290, 0, -0.001), (0.75, 0.0255, 0.0245, 0.0250, 0, 0), (1.00, 0.0240, 0.0230, 0.0230, 0, 0),
    (1.22, 0.0255, 0.0235, 0.0235, 0, 0), (1.50, 0.0230, 0.0205, 0.0205, 0, 0), (1.80, 0.0180, 0.0150, 0.0150, 0, 0),
    (2.02, 0.0160, 0.0125, 0.0125, 0, 0),
])
HAND_ROWS = np.array([  # along the hand from the wrist
    (-0.006, 0.0150, 0.0115, 0.0115, 0, 0), (0.010, 0.0185, 0.0125, 0.0130, 0.001, 0), (0.030, 0.0235, 0.0125, 0.0140, 0.001, 0),
    (0.052, 0.0250, 0.0120, 0.0120, 0, -0.001), (0.070, 0.0235, 0.0105, 0.0100, -0.001, -0.004),
    (0.090, 0.0195, 0.0085, 0.0085, -0.002, -0.009), (0.101, 0.0135, 0.0070, 0.0070, -0.002, -0.013),
])
THUMB_ROWS = np.array([  # along the thumb
    (0.0, 0.0095, 0.0105, 0.0105, 0, 0), (0.45, 0.0090, 0.0095, 0.0095, 0, 0), (0.75, 0.0085, 0.0088, 0.0088, 0, 0),
    (1.0, 0.0070, 0.0070, 0.0070, 0, 0),
])
# Rows of the shoe: along it from the heel joint to the toe tip, half width, height of the upper, bottom.
SHOE_ROWS = np.array([
    (-0.075, 0.0070, 0.0270, 0.0110), (-0.058, 0.0128, 0.0325, 0.0070), (-0.030, 0.0178, 0.0400, 0.0022), (0.0, 0.0205, 0.0450, 0.0),
    (0.10, 0.0228, 0.0485, 0.0), (0.20, 0.0232, 0.0490, 0.0), (0.30, 0.0232, 0.0470, 0.0), (0.42, 0.0242, 0.0400, 0.0),
    (0.56, 0.0265, 0.0330, 0.0), (0.70, 0.0285, 0.0285, 0.0), (0.80, 0.0280, 0.0260, 0.0), (0.90, 0.0245, 0.0235, 0.0),
    (0.96, 0.0205, 0.0215, 0.0), (1.00, 0.0178, 0.0198, 0.0), (1.03, 0.0140, 0.0172, 0.0028), (1.045, 0.0105, 0.0150, 0.0055),
])


class Skin(NamedTuple):
    """A surface bound to a skeleton, in its rest pose.

    Attributes:
        vertices: ``(V, 3)`` m.
        normals: ``(V, 3)`` unit, outwards.
        faces: ``(T, 3)`` counterclockwise seen from outside.
        joints: ``(V, 4)`` indices of the joints that carry a vertex; those without weight are 0.
        weights: ``(V, 4)`` of each of them, 1 in sum.
        materials: ``(T,)`` index into :data:`PALETTE`.
    """

    vertices: Array
    normals: Array
    faces: NDArray[np.int64]
    joints: NDArray[np.int64]
    weights: Array
    materials: NDArray[np.int64]


class _Part(NamedTuple):
    """A closed piece: shell, weights over all joints (V, J), material of each face."""

    shell: Shell
    weights: Array
    materials: NDArray[np.int64]


class _Frame(NamedTuple):
    """What parts are made from: the skeleton, its rest positions (J, 3) m, and body height m."""

    skeleton: Skeleton
    rest: Array
    height: float

    def at(self, name: str) -> Array:
        """Rest position of a joint."""
        out: Array = self.rest[self.skeleton.index(name)]
        return out

    def weights(self, rows: dict[str, Array]) -> Array:
        """(V, J) from a column for each joint named."""
        out = np.zeros((len(next(iter(rows.values()))), len(self.skeleton)))
        for name, column in rows.items():
            out[:, self.skeleton.index(name)] += column
        return out


def is_person(skeleton: Skeleton) -> bool:
    """Whether the skeleton has the joints a mannequin needs."""
    return all(name in skeleton for name in NEEDED)


@lru_cache(maxsize=16)
def mannequin(skeleton: Skeleton) -> Skin:
    """The skinned figure of a person.

    Args:
        skeleton: a person's joints with the names of docs/conventions.md, at rest in a T-pose facing +z.

    Raises:
        GambolError: where a joint is missing.
    """
    rest = skeleton.rest_positions()
    floor = min(rest[skeleton.index(f"{s}_{n}"), 1] for s in ("left", "right") for n in ("heel", "toe_tip"))
    frame = _Frame(skeleton, rest, float(rest[skeleton.index("head"), 1] - floor) / TRUNK["head"])
    parts = [_trunk(frame, floor), _head(frame)]
    for side in ("left", "right"):
        parts += [_leg(frame, side), _shoe(frame, side), _arm(frame, side), _hand(frame, side), _thumb(frame, side)]
    vertices, faces = merge([p.shell for p in parts])
    joints, weights = _strongest(np.concatenate([p.weights for p in parts]))
    return Skin(
        readonly(vertices), readonly(normals_of(vertices, faces)), readonly(faces, int), joints, weights,
        readonly(np.concatenate([p.materials for p in parts]), int),
    )


def deform(skin: Skin, skeleton: Skeleton, positions: Array, world: Array) -> Array:
    """Vertices ``(V, 3)`` m of a posed figure.

    Args:
        skin: of this skeleton.
        skeleton: its joints.
        positions: ``(J, 3)`` m, as forward kinematics gives them for one pose.
        world: ``(J, 4)``, likewise.
    """
    rest = skeleton.rest_positions()
    out = np.zeros_like(skin.vertices)
    for k in range(skin.joints.shape[1]):
        j = skin.joints[:, k]
        out += skin.weights[:, k, None] * (positions[j] + quat.rotate(world[j], skin.vertices - rest[j]))
    return out


def _strongest(weights: Array) -> tuple[NDArray, Array]:
    """The four largest weights of each vertex, 1 in sum, and whose they are."""
    joints = np.argsort(-weights, axis=1, kind="stable")[:, :4]
    kept = np.take_along_axis(weights, joints, 1)
    kept = np.where(kept < 1e-4, 0.0, kept)
    kept /= kept.sum(1, keepdims=True)
    return readonly(np.where(kept > 0, joints, 0), int), readonly(kept)


def _paint(shell: Shell, colour: Callable[[Array, Array], NDArray]) -> NDArray[np.int64]:
    """Material of each face by a rule on the parameters (along, around) of its patch."""
    return colour(shell.patches[:, 0], shell.patches[:, 1]).astype(np.int64)


def _scaled(rows: Array, height: float) -> Array:
    return np.concatenate([rows[:, :1], rows[:, 1:] * height], 1)


def _trunk(frame: _Frame, floor: float) -> _Part:
    """Pelvis, waist, chest and neck in one piece."""
    skeleton, h = frame.skeleton, frame.height
    names = list(TRUNK)
    canon = np.array([0.0, *TRUNK.values()])
    actual = np.array([floor, *(frame.at(n)[1] for n in names)])
    deep = np.array([frame.at(names[0])[2], *(frame.at(n)[2] for n in names)])
    heights = np.array([0.49, *TRUNK.values(), 0.9])
    spine = np.stack([
        heights, np.zeros(len(heights)), np.interp(heights, canon, actual) + np.maximum(heights - canon[-1], 0) * h,
        np.interp(heights, canon, deep),
    ], -1)
    shell = loft(Loft(_scaled(TRUNK_ROWS, h), 34, 28, (0.5, 0.3), 2.25), spine, (1, 0, 0), (0, 0, 1))
    _sculpt(shell.vertices, shell.at, h)
    t = shell.at
    low, band = np.ones(len(t)), 0.021
    columns = {}
    for lower, upper in zip(names, names[1:]):
        share = smooth_step((t - TRUNK[upper] + band) / (2 * band))
        columns[lower] = low * (1 - share)
        low = low * share
    columns[names[-1]] = low
    chest = columns["upper_chest"]
    out = np.abs(shell.vertices[:, 0]) / h
    for side, s in (("left", 1.0), ("right", -1.0)):
        pull = chest * smooth_step((out - 0.03) / 0.075) * (shell.vertices[:, 0] * s > 0) * smooth_step((t - 0.745) / 0.04)
        columns[f"{side}_shoulder"] = 0.85 * pull
        columns["upper_chest"] = columns["upper_chest"] - 0.85 * pull

    def colour(t: Array, around: Array) -> NDArray:
        badge = (t > 0.735) & (t < 0.765) & (np.abs(around - np.pi / 2) < 0.7)
        return np.where(badge, ACCENT, np.where((t < 0.600) | (t > 0.838), DARK, BODY))

    del skeleton
    return _Part(shell, frame.weights(columns), _paint(shell, colour))


def _sculpt(vertices: Array, t: Array, h: float) -> None:
    """Breast muscles, shoulder blades and the furrow of the spine, laid on a trunk that is still being made."""
    x = np.abs(vertices[:, 0]) / h
    front = smooth_step(vertices[:, 2] / (0.03 * h))
    back = smooth_step(-vertices[:, 2] / (0.03 * h))
    breast = np.exp(-(((x - 0.043) / 0.030) ** 2) - ((t - 0.757) / 0.022) ** 2)
    blade = np.exp(-(((x - 0.050) / 0.028) ** 2) - ((t - 0.765) / 0.030) ** 2)
    furrow = np.exp(-((x / 0.014) ** 2) - ((t - 0.70) / 0.07) ** 2)
    seat = np.exp(-(((x - 0.040) / 0.026) ** 2) - ((t - 0.527) / 0.026) ** 2)
    vertices[:, 2] += h * (0.006 * front * breast - back * (0.005 * blade - 0.005 * furrow + 0.006 * seat))


def _head(frame: _Frame) -> _Part:
    h, base = frame.height, frame.at("head")
    spine = np.array([(y, base[0], base[1] + y * h, base[2]) for y in (-0.02, 0.15)])
    shell = loft(Loft(_scaled(HEAD_ROWS, h), 21, 28, (0.3, 0.0085 / 0.0235), 2.1, True), spine, (1, 0, 0), (0, 0, 1))
    local = (shell.vertices - base) / h
    nose = np.exp(-((local[:, 0] / 0.0120) ** 2) - ((local[:, 1] - 0.035) / 0.016) ** 2) * (local[:, 2] > 0)
    shell.vertices[:, 2] += h * 0.005 * nose

    def colour(t: Array, around: Array) -> NDArray:
        return np.where((t > 0.046) & (t < 0.069) & (np.abs(around - np.pi / 2) < 1.0), DARK, BODY)

    return _Part(shell, frame.weights({"head": np.ones(len(shell.at))}), _paint(shell, colour))


def _chain(frame: _Frame, names: list[str], t: Array, bands: tuple[tuple[float, float], ...]) -> Array:
    """Weights along a limb: each joint hands over to the next between the two parameters of a band."""
    columns, rest = {}, np.ones(len(t))
    for name, (start, end) in zip(names, bands):
        share = smooth_step((t - start) / (end - start))
        columns[name] = rest * (1 - share)
        rest = rest * share
    columns[names[-1]] = rest
    return frame.weights(columns)


def _limb_spine(frame: _Frame, names: list[str]) -> Array:
    """Rows (t, x, y, z) through the joints, one past each end."""
    points = np.array([frame.at(n) for n in names])
    points = np.concatenate([[2 * points[0] - points[1]], points, [2 * points[-1] - points[-2]]])
    return np.concatenate([np.arange(-1.0, len(names) + 1)[:, None], points], 1)


def _leg(frame: _Frame, side: str) -> _Part:
    names = [f"{side}_{n}" for n in ("upper_leg", "lower_leg", "foot")]
    outward = np.array([1.0 if side == "left" else -1.0, 0.0, 0.0])
    shape = Loft(_scaled(LEG_ROWS, frame.height), 32, 20, (0.85, 0.3), 2.1)
    shell = loft(shape, _limb_spine(frame, names), outward, (0, 0, 1))
    band = ACCENT if side == "left" else DARK

    def colour(t: Array, around: Array) -> NDArray:
        knee = (t > 0.90) & (t < 1.10)
        return np.where(knee, band, np.where((t < 0.30) | (t > 1.90), DARK, BODY))

    return _Part(shell, _chain(frame, names, shell.at, ((0.87, 1.13), (1.87, 2.05))), _paint(shell, colour))


def _arm(frame: _Frame, side: str) -> _Part:
    names = [f"{side}_{n}" for n in ("upper_arm", "lower_arm", "hand")]
    shape = Loft(_scaled(ARM_ROWS, frame.height), 31, 15, (0.4, 0.3))
    shell = loft(shape, _limb_spine(frame, names), (0, 0, 1), (0, 1, 0))
    band = ACCENT if side == "left" else DARK

    def colour(t: Array, around: Array) -> NDArray:
        return np.where((t > 0.90) & (t < 1.10), band, BODY)

    return _Part(shell, _chain(frame, [f"{side}_shoulder", *names], shell.at, ((-0.14, 0.24), (0.85, 1.15), (1.9, 2.1))), _paint(shell, colour))


def _hand(frame: _Frame, side: str) -> _Part:
    h, base = frame.height, frame.at(f"{side}_hand")
    s = 1.0 if side == "left" else -1.0
    spine = np.array([(x, base[0] + s * x * h, base[1], base[2]) for x in (-0.02, 0.12)])
    shell = loft(Loft(_scaled(HAND_ROWS, h), 12, 16, (0.3, 0.9), 2.3), spine, (0, 0, 1), (0, 1, 0))
    share = smooth_step((shell.at + 0.010) / 0.016)
    weights = frame.weights({f"{side}_hand": share, f"{side}_lower_arm": 1 - share})
    return _Part(shell, weights, np.full(len(shell.faces), BODY))


def _thumb(frame: _Frame, side: str) -> _Part:
    h, s = frame.height, 1.0 if side == "left" else -1.0
    root = frame.at(f"{side}_hand") + h * np.array([s * 0.018, -0.003, 0.011])
    way = h * np.array([s * 0.034, -0.012, 0.026])
    up = np.array([0.0, 1.0, 0.0])
    along = way / np.linalg.norm(way)
    up = up - along * (up @ along)
    up /= np.linalg.norm(up)
    spine = np.array([(t, *(root + t * way)) for t in (0.0, 1.0)])
    shell = loft(Loft(_scaled(THUMB_ROWS, h), 6, 10, (0.5, 1.0)), spine, np.cross(along, up), up)
    weights = frame.weights({f"{side}_hand": np.ones(len(shell.at))})
    return _Part(shell, weights, np.full(len(shell.faces), BODY))


def _shoe(frame: _Frame, side: str) -> _Part:
    """A flat sole exactly through heel and toe tip, an upper, and a bend at the toes joint."""
    h = frame.height
    heel, tip, ball, ankle = (frame.at(f"{side}_{n}") for n in ("heel", "toe_tip", "toes", "foot"))
    rings, t = _shoe_rings(h)
    rings = rings * [1.0, 1.0, float(tip[2] - heel[2])]
    rings += [ankle[0], 0.0, heel[2]]
    along = np.clip(t, 0.0, 1.0)
    rings[..., 1] += ((1 - along) * heel[1] + along * tip[1])[:, None]
    shell = closed_rings(rings, t, (0.2, 0.25), True)
    share = smooth_step((shell.vertices[:, 2] - ball[2]) / (0.030 * h) + 0.5)
    weights = frame.weights({f"{side}_foot": 1 - share, f"{side}_toes": share})
    middle = shell.vertices[shell.faces].mean(1)[:, 1] - min(heel[1], tip[1])
    sole = ACCENT if side == "left" else BODY
    return _Part(shell, weights, np.where(middle < 0.0105 * h, sole, DARK).astype(np.int64))


def _shoe_rings(h: float) -> tuple[Array, Array]:
    """Rings (R, S, 3): x and y in m about the middle of the sole, z from 0 at the heel joint to 1 at the tip."""
    from gambol.loft import between_rows

    t = np.concatenate([[-0.075, -0.06, -0.033], np.linspace(0.0, 0.88, 12), [0.93, 0.97, 1.0, 1.025, 1.045]])
    half, top, bottom = (between_rows(SHOE_ROWS, t) * h).T
    sole, inset = 0.0105 * h, 0.94
    angle = np.linspace(0, np.pi, 13)
    rings = []
    for a, y1, y0, z in zip(half, top, bottom, t):
        low = min(y0 + sole, 0.6 * y1 + 0.4 * y0)
        x = np.concatenate([a * np.array([-0.98, -0.88, -0.45, 0.0, 0.45, 0.88, 0.98, 1.0]), a * inset * np.cos(angle), [-a]])
        arch = low + (y1 - low) * np.sin(angle) ** 0.8
        y = np.concatenate([[y0 + 0.25 * (low - y0), y0, y0, y0, y0, y0, y0 + 0.25 * (low - y0), low], arch, [low]])
        rings.append(np.stack([x, y, np.full(len(x), z)], -1))
    return np.array(rings), t
