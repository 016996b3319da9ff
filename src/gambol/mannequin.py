"""The built-in figure: an artist's mannequin made from a skeleton's rest pose, skinned.

Light body, dark trousers, shoes, joints and visor; the left side has the accent colour at elbow, knee and
sole, and the chest a bar of it, so that front and back, left and right are told apart at a glance.
Widths scale with body height; lengths along limbs follow the skeleton.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol import quat
from gambol.body import TRUNK
from gambol.loft import Loft, Shell, between_rows, closed_rings, loft, merge, normals_of, smooth_step
from gambol.mannequin_shape import (
    ARM_ROWS,
    HAND_ROWS,
    HEAD_ROWS,
    LEG_ROWS,
    SHOE_ROWS,
    THUMB_ROWS,
    TRUNK_ROWS,
)
from gambol.skeleton import Skeleton, readonly
from gambol.skin import PALETTE, Skin, strongest

__all__ = ["PALETTE", "Skin", "deform", "is_person", "mannequin"]

Array = NDArray[np.float64]

BODY, DARK, ACCENT = range(3)
SOLE = 0.0105  # thickness of a sole, of body height

NEEDED = (
    "hips", "spine", "chest", "upper_chest", "neck", "head",
    *(f"{side}_{name}" for side in ("left", "right") for name in (
        "shoulder", "upper_arm", "lower_arm", "hand",
        "upper_leg", "lower_leg", "foot", "toes", "heel", "toe_tip",
    )),
)


class _Part(NamedTuple):
    """A closed piece: shell, weights over all joints (V, J), material of each face."""

    shell: Shell
    weights: Array
    materials: NDArray[np.int64]


class _Frame(NamedTuple):
    """What parts are made from: skeleton, rest positions (J, 3) m, height of the ground m, body height m."""

    skeleton: Skeleton
    rest: Array
    floor: float
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
    soles = skeleton.indices([f"{s}_{n}" for s in ("left", "right") for n in ("heel", "toe_tip")])
    floor = float(rest[soles, 1].min())
    frame = _Frame(skeleton, rest, floor, float(rest[skeleton.index("head"), 1] - floor) / TRUNK["head"])
    parts = [_trunk(frame), _head(frame)]
    for side in ("left", "right"):
        parts += [make(frame, side) for make in (_leg, _shoe, _arm, _hand, _thumb)]
    vertices, faces = merge([p.shell for p in parts])
    joints, weights = strongest(np.concatenate([p.weights for p in parts]))
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


def _paint(shell: Shell, colour: Callable[[Array, Array], NDArray]) -> NDArray[np.int64]:
    """Material of each face by a rule on the parameters (along, around) of its patch."""
    return colour(shell.patches[:, 0], shell.patches[:, 1]).astype(np.int64)


def _scaled(rows: Array, height: float) -> Array:
    return np.concatenate([rows[:, :1], rows[:, 1:] * height], 1)


def _trunk(frame: _Frame) -> _Part:
    """Pelvis, waist, chest and neck in one piece."""
    h = frame.height
    shape = Loft(_scaled(TRUNK_ROWS, h), 34, 28, (0.5, 0.3), 2.25)
    shell = loft(shape, _trunk_spine(frame), (1, 0, 0), (0, 0, 1))
    _sculpt(shell.vertices, shell.at, h)

    def colour(t: Array, around: Array) -> NDArray:
        bar = (t > 0.735) & (t < 0.765) & (np.abs(around - np.pi / 2) < 0.7)
        return np.where(bar, ACCENT, np.where((t < 0.600) | (t > 0.838), DARK, BODY))

    return _Part(shell, _trunk_weights(frame, shell), _paint(shell, colour))


def _trunk_spine(frame: _Frame) -> Array:
    """Rows (t, x, y, z): the table's heights, bent to where this skeleton's joints are."""
    names = list(TRUNK)
    table = np.array([0.0, *TRUNK.values()])
    joints = np.array([[0.0, frame.floor, frame.at(names[0])[2]], *(frame.at(n) for n in names)])
    t = np.array([0.49, *TRUNK.values(), 0.9])
    x, y, z = (np.interp(t, table, joints[:, k]) for k in range(3))
    return np.stack([t, x, y + np.maximum(t - table[-1], 0) * frame.height, z], -1)


def _trunk_weights(frame: _Frame, shell: Shell) -> Array:
    """Each joint hands over to the next around its height; the chest's corners follow the shoulders."""
    t, band, names = shell.at, 0.021, list(TRUNK)
    columns, rest = {}, np.ones(len(t))
    for lower, upper in pairwise(names):
        share = smooth_step((t - TRUNK[upper] + band) / (2 * band))
        columns[lower] = rest * (1 - share)
        rest = rest * share
    columns[names[-1]] = rest
    x = (shell.vertices[:, 0] - frame.at("upper_chest")[0]) / frame.height
    reach = 0.85 * columns["upper_chest"] * smooth_step((t - 0.745) / 0.04)
    for side, s in (("left", 1.0), ("right", -1.0)):
        pull = reach * smooth_step((s * x - 0.03) / 0.075)
        columns[f"{side}_shoulder"] = pull
        columns["upper_chest"] = columns["upper_chest"] - pull
    return frame.weights(columns)


def _sculpt(vertices: Array, t: Array, h: float) -> None:
    """Breast muscles, shoulder blades and the furrow of the spine, put on a trunk in the making."""
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
    shape = Loft(_scaled(HEAD_ROWS, h), 21, 28, (0.3, 0.0085 / 0.0235), 2.1, True)
    shell = loft(shape, spine, (1, 0, 0), (0, 0, 1))
    local = (shell.vertices - base) / h
    nose = np.exp(-((local[:, 0] / 0.012) ** 2) - ((local[:, 1] - 0.035) / 0.016) ** 2) * (local[:, 2] > 0)
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

    bands = ((-0.14, 0.24), (0.85, 1.15), (1.86, 2.02))
    return _Part(shell, _chain(frame, [f"{side}_shoulder", *names], shell.at, bands), _paint(shell, colour))


def _hand(frame: _Frame, side: str) -> _Part:
    h, base = frame.height, frame.at(f"{side}_hand")
    s = 1.0 if side == "left" else -1.0
    spine = np.array([(x, base[0] + s * x * h, base[1], base[2]) for x in (-0.03, 0.12)])
    shell = loft(Loft(_scaled(HAND_ROWS, h), 12, 16, (0.3, 0.9), 2.3), spine, (0, 0, 1), (0, 1, 0))
    share = smooth_step((shell.at + 0.010) / 0.016)
    columns = {f"{side}_hand": share, f"{side}_lower_arm": 1 - share}
    weights = frame.weights(_fingers(frame, side, shell, columns))
    return _Part(shell, weights, np.full(len(shell.faces), BODY))


def _fingers(frame: _Frame, side: str, shell: Shell, columns: dict[str, Array]) -> dict[str, Array]:
    """The front of the hand goes with its fingers, where the skeleton has them."""
    names = [f"{side}_{n}_{part}" for n in ("index", "ring") for part in ("proximal", "intermediate")]
    if not all(n in frame.skeleton for n in names):
        return columns
    h, hand = frame.height, columns[f"{side}_hand"]
    knuckle, middle = ((frame.at(n)[0] - frame.at(f"{side}_hand")[0]) / h for n in names[:2])
    out = np.abs(shell.at)
    bent = smooth_step((out - abs(knuckle)) / 0.012 + 0.5)
    far = smooth_step((out - abs(middle)) / 0.010 + 0.5)
    front = smooth_step((shell.vertices[:, 2] - frame.at(f"{side}_hand")[2]) / (0.016 * h) + 0.5)
    shares = {}
    for name, part in (("index", front), ("ring", 1 - front)):
        shares[f"{side}_{name}_proximal"] = hand * bent * (1 - far) * part
        shares[f"{side}_{name}_intermediate"] = hand * bent * far * part
    return {**columns, f"{side}_hand": hand * (1 - bent), **shares}


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
    return _Part(shell, weights, np.where(middle < SOLE * h, sole, DARK).astype(np.int64))


def _shoe_rings(h: float) -> tuple[Array, Array]:
    """Rings (R, S, 3): x and y in m about the sole, z from 0 at the heel joint to 1 at the tip."""
    t = np.concatenate([[-0.075, -0.06, -0.033], np.linspace(0.0, 0.88, 12), [0.93, 0.97, 1.0, 1.025, 1.045]])
    half, top, bottom = (between_rows(SHOE_ROWS, t) * h).T
    edge = np.minimum(bottom + SOLE * h, 0.6 * top + 0.4 * bottom)  # where sole and upper meet
    angle = np.linspace(0, np.pi, 13)
    side = np.concatenate([[-0.98, -0.88, -0.45, 0.0, 0.45, 0.88, 0.98, 1.0], 0.94 * np.cos(angle), [-1.0]])
    low = np.array([0.25, 0, 0, 0, 0, 0, 0.25, 1.0, *np.ones(14)])  # 0 on the sole, 1 at the edge
    high = np.concatenate([np.zeros(8), np.sin(angle) ** 0.8, [0.0]])  # 1 on the instep
    x = half[:, None] * side
    y = bottom[:, None] + low * (edge - bottom)[:, None] + high * (top - edge)[:, None]
    return np.stack([x, y, np.broadcast_to(t[:, None], x.shape)], -1), t
