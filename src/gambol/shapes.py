"""What pictures show, as coloured triangles: figures, bones, footprints, force arrows, the way of the mass centre."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol import quat
from gambol.body import G
from gambol.character import Surface, posed
from gambol.loft import normals_of, smooth_step
from gambol.mannequin import is_person
from gambol.motion import Motion
from gambol.skeleton import Skeleton, forward_kinematics
from gambol.skin import Skin
from gambol.wardrobe import skin_of

__all__ = ["FORCE", "LEFT", "RIGHT", "TRAIL", "Solid", "arrows", "figures", "footprints", "joined", "trail"]

Array = NDArray[np.float64]
# Linear colours, as the palette of the mannequin.
LEFT, RIGHT = np.array([0.80, 0.19, 0.035]), np.array([0.045, 0.17, 0.52])
BONE, FORCE, TRAIL = np.array([0.36, 0.35, 0.34]), np.array([0.02, 0.42, 0.20]), np.array([0.42, 0.10, 0.40])
TINT = 0.42  # share of the side's colour in the light parts of its limbs
LIGHT_PART = 0.3  # materials at least this bright are tinted
LIMBS = ("shoulder", "arm", "hand", "leg", "foot", "toe", "heel")
LIFT = 0.004  # m, of a footprint above the ground
ARROW = 0.55  # m of arrow for one body weight
# Outline of a shoe's print: along the sole (0 heel joint, 1 toe tip), half width, both of the sole's length.
PRINT = np.array([
    [-0.13, 0.05], [-0.09, 0.11], [0.0, 0.145], [0.2, 0.13], [0.45, 0.125],
    [0.7, 0.19], [0.85, 0.195], [1.0, 0.16], [1.08, 0.10], [1.12, 0.04],
])  # fmt: skip


class Solid(NamedTuple):
    """Triangles to draw.

    Attributes:
        points: ``(V, 3)`` m.
        normals: ``(V, 3)`` unit, or 0 where the surface is not lit.
        faces: ``(T, 3)`` counterclockwise seen from outside.
        colours: ``(T, 3)`` linear, 0 to 1.
    """

    points: Array
    normals: Array
    faces: NDArray[np.int64]
    colours: Array


def joined(parts: Sequence[Solid]) -> Solid:
    """Several solids as one."""
    parts = [Solid(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3), int), np.zeros((0, 3))), *parts]
    starts = np.cumsum([0] + [len(p.points) for p in parts[:-1]])
    return Solid(
        np.concatenate([p.points for p in parts]),
        np.concatenate([p.normals for p in parts]),
        np.concatenate([p.faces + s for p, s in zip(parts, starts)]),
        np.concatenate([p.colours for p in parts]),
    )


def figures(motion: Motion, frames: Sequence[int], mesh: bool | Surface = True) -> list[Solid]:
    """The figure at some frames: in a skin of its own, dressed, or its bones.

    Args:
        motion: of the figure.
        frames: chosen.
        mesh: a skin of the motion's skeleton; or True, dressed where it has one that gambol knows; or False, its bones.
    """
    chosen = list(frames)
    positions, world = forward_kinematics(motion.skeleton, motion.root[chosen], motion.rotations[chosen])
    if isinstance(mesh, Surface):
        parts = (posed(motion.skeleton, mesh, pose) for pose in zip(positions, world))
        return [Solid(points, normals, mesh.faces, mesh.colours) for points, normals in parts]
    skin = skin_of(motion) if mesh else None
    if skin is None:
        return [_bones(motion.skeleton, p) for p in positions]
    cloth = _cloth(motion.skeleton, _Worn(skin))
    return [_dressed(motion.skeleton, skin, cloth, (p, q)) for p, q in zip(positions, world)]


class _Worn:
    """A skin as a key of the cache, by identity."""

    def __init__(self, skin: Skin) -> None:
        self.skin = skin

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Worn) and self.skin.vertices is other.skin.vertices

    def __hash__(self) -> int:
        return id(self.skin.vertices)


def _dressed(skeleton: Skeleton, skin: Skin, cloth: tuple[Array, Array], posed: tuple[Array, Array]) -> Solid:
    (shares, colours), (positions, world) = cloth, posed
    turn = quat.to_matrix(world)
    shift = positions - np.einsum("jab,jb->ja", turn, skeleton.rest_positions())
    # all joints blended for every vertex at once: one matrix product
    blend = (shares @ np.concatenate([turn, shift[..., None]], -1).reshape(len(turn), 12)).reshape(-1, 3, 4)
    points = np.einsum("vab,vb->va", blend[..., :3], skin.vertices) + blend[..., 3]
    normals = np.einsum("vab,vb->va", blend[..., :3], skin.normals)
    return Solid(points, normals / np.linalg.norm(normals, axis=-1, keepdims=True), skin.faces, colours)


@lru_cache(maxsize=16)
def _cloth(skeleton: Skeleton, worn: _Worn) -> tuple[Array, Array]:
    """Weights (V, J), and colours (T, 3): of a person with the limbs of each side in a tint of their own."""
    skin = worn.skin
    shares = np.zeros((len(skin.vertices), len(skeleton)))
    for k in range(skin.joints.shape[1]):
        shares[np.arange(len(shares)), skin.joints[:, k]] += skin.weights[:, k]
    colours = np.array([colour for colour, _ in skin.palette.values()])[skin.materials]
    if not is_person(skeleton):
        return shares, colours
    side = np.array([_side(n) if any(part in n for part in LIMBS) else 0.0 for n in skeleton.names])
    amount = smooth_step(np.abs(shares @ side) * 1.25 - 0.25)[skin.faces].mean(1)[:, None]
    tint = np.where(((shares @ side)[skin.faces].mean(1) > 0)[:, None], LEFT, RIGHT)
    light = colours.min(1, keepdims=True) >= LIGHT_PART
    return shares, np.where(light, colours + TINT * amount * (tint - colours), colours)


def _side(name: str) -> float:
    """1 left, -1 right, 0 neither."""
    return 1.0 if "left" in name.lower() else -1.0 if "right" in name.lower() else 0.0


def _coloured(name: str, other: Array) -> Array:
    return LEFT if _side(name) > 0 else RIGHT if _side(name) < 0 else other


def _bones(skeleton: Skeleton, positions: Array) -> Solid:
    """A bone from every joint to its parent, thickest near the parent."""
    rest = skeleton.rest_positions()
    size = max(float(np.ptp(rest, axis=0).max()), 0.05)
    parts = [_ball(positions[0], 0.012 * size, BONE)]
    for j, parent in enumerate(skeleton.parents):
        a, b = positions[max(parent, 0)], positions[j]
        if np.linalg.norm(b - a) > 1e-6:
            thick = np.clip(0.10 * np.linalg.norm(b - a), 0.006 * size, 0.03 * size)
            profile = [(0.0, 0.3 * thick), (0.14, thick), (0.97, 0.4 * thick), (1.0, 0.1 * thick)]
            parts.append(_lathe(a, b, profile, _coloured(skeleton.names[j], BONE)))
    if "head" in skeleton:
        up = 0.075 * size * np.array([0.0, 1.0, 0.0])
        parts.append(_ball(positions[skeleton.index("head")] + up, 0.06 * size, BONE))
    return joined(parts)


def _lathe(a: Array, b: Array, profile: ArrayLike, colour: Array, sides: int = 10) -> Solid:
    """A surface of revolution about the line from a to b; profile rows are (share of the way, radius in m)."""
    rows = np.asarray(profile, float)
    axis = (b - a) / np.linalg.norm(b - a)
    x = np.cross(axis, [0.0, 0.0, 1.0] if abs(axis[2]) < 0.7 else [1.0, 0.0, 0.0])
    x /= np.linalg.norm(x)
    y = np.cross(axis, x)
    angle = np.arange(sides) * 2 * np.pi / sides
    ring = np.cos(angle)[:, None] * x + np.sin(angle)[:, None] * y
    points = (a + rows[:, :1] * (b - a))[:, None] + rows[:, 1, None, None] * ring
    points = np.concatenate([points.reshape(-1, 3), [a + rows[0, 0] * (b - a), a + rows[-1, 0] * (b - a)]])
    i, k = np.arange(len(rows) - 1)[:, None] * sides, np.arange(sides)
    n = (k + 1) % sides
    quads = np.stack([np.stack([i + k, i + n, i + sides + n], -1), np.stack([i + k, i + sides + n, i + sides + k], -1)])
    last, tip = (len(rows) - 1) * sides, len(points) - 1
    caps = [np.stack([n, k, np.full(sides, tip - 1)], -1), np.stack([last + k, last + n, np.full(sides, tip)], -1)]
    faces = np.concatenate([quads.reshape(-1, 3), *caps])
    return Solid(points, normals_of(points, faces), faces, np.tile(colour, (len(faces), 1)))


def _ball(centre: Array, radius: float, colour: Array) -> Solid:
    angle = np.linspace(0.06, np.pi - 0.06, 10)
    profile = np.stack([(1 - np.cos(angle)) / 2, radius * np.sin(angle)], -1)
    up = np.array([0.0, radius, 0.0])
    return _lathe(centre - up, centre + up, profile, colour, 14)


def footprints(motion: Motion) -> list[tuple[int, Solid]]:
    """The prints of planted soles, left and right in their colours, each with the frame it is made at.

    A heel and a toe tip of one foot that are planted together leave the print of a shoe, others a dot.
    """
    if motion.contacts is None or not motion.skeleton.soles:
        return []
    tracks = motion.positions()[:, list(motion.skeleton.soles)]
    names = [motion.skeleton.names[j] for j in motion.skeleton.soles]
    tips = [name.replace("heel", "toe_tip") for name in names]
    pairs = [[h, names.index(t)] for h, t in enumerate(tips) if t != names[h] and t in names]
    alone = [[s] for s in range(len(names)) if not any(s in pair for pair in pairs)]
    out = []
    for soles in pairs + alone:
        colour = _coloured(names[soles[0]], BONE)
        out += _prints(tracks[:, soles], motion.contacts[:, soles], colour)
    return out


def _prints(tracks: Array, contacts: NDArray[np.bool_], colour: Array) -> list[tuple[int, Solid]]:
    """Prints of soles that belong together: tracks (F, 1 or 2, 3) m (heel, toe tip), contacts (F, 1 or 2)."""
    change = np.diff(np.concatenate([[False], contacts.any(1), [False]]).astype(int))
    out = []
    for start, end in zip(np.flatnonzero(change == 1), np.flatnonzero(change == -1)):
        both = np.flatnonzero(contacts[start:end].all(1))
        if len(both) and tracks.shape[1] == 2:
            heel, tip = tracks[start + both[0]]
            made = _shoe(heel, tip, colour)
        else:
            which = int(contacts[start:end].any(0).argmax())
            made = _dot(tracks[start + contacts[start:end, which].argmax(), which], colour)
        out.append((int(start), made))
    return out


def _shoe(heel: Array, tip: Array, colour: Array) -> Solid:
    along = tip - heel
    length = max(float(np.linalg.norm(along)), 1e-6)
    aside = np.cross([0.0, 1.0, 0.0], along / length)
    aside /= max(float(np.linalg.norm(aside)), 1e-6)
    lift = LIFT * np.cross(along / length, aside)
    middle = heel + PRINT[:, :1] * along + lift
    width = PRINT[:, 1:] * length * aside
    n = len(PRINT)
    k = np.arange(n - 1)
    faces = np.concatenate([np.stack([k, k + n + 1, k + 1], -1), np.stack([k, k + n, k + n + 1], -1)])
    points = np.concatenate([middle + width, middle - width])
    return _painted(points, faces, colour)


def _dot(at: Array, colour: Array, radius: float = 0.03) -> Solid:
    angle = np.arange(14) * 2 * np.pi / 14
    ring = radius * np.stack([np.sin(angle), np.zeros(14), np.cos(angle)], -1)
    faces = [[0, 1 + k, 1 + (k + 1) % 14] for k in range(14)]
    return _painted(np.concatenate([[at], at + ring]) + [0.0, LIFT, 0.0], np.array(faces), colour)


def _painted(points: Array, faces: NDArray[np.int64], colour: Array) -> Solid:
    """Flat colour, not lit."""
    return Solid(points, np.zeros_like(points), faces, np.tile(colour, (len(faces), 1)))


def arrows(motion: Motion, frame: int) -> list[Solid]:
    """The ground reaction of each foot that carries more than 5 % of the weight, from its centre of pressure."""
    if motion.forces is None or motion.pressure is None or not motion.mass:
        return []
    weight = motion.mass * G
    out = []
    for force, at in zip(motion.forces[frame], motion.pressure[frame]):
        share = float(np.linalg.norm(force)) / weight
        if np.isfinite(at).all() and share > 0.05:
            length = share * ARROW
            head = max(1 - 0.09 / length, 0.4)
            profile = [(0.0, 0.010), (head, 0.010), (head, 0.030), (1.0, 0.001)]
            out.append(_lathe(at, at + force / weight * ARROW, profile, FORCE))
    return out


def trail(points: Array, colour: Array = TRAIL, radius: float = 0.007) -> list[Solid]:
    """A thin rope through ``points`` (N, 3) m: the way of the mass centre."""
    moved = np.concatenate([[True], np.linalg.norm(np.diff(points, axis=0), axis=-1) > 1e-4])
    points = points[moved]
    if len(points) < 2:
        return []
    along = np.gradient(points, axis=0)
    along /= np.linalg.norm(along, axis=-1, keepdims=True) + 1e-12
    x = np.cross(along, [0.0, 1.0, 0.0])
    x = x / (np.linalg.norm(x, axis=-1, keepdims=True) + 1e-9)
    y = np.cross(x, along)
    angle = np.arange(5) * 2 * np.pi / 5
    ring = np.cos(angle)[:, None] * x[:, None] + np.sin(angle)[:, None] * y[:, None]
    k, i = np.arange(5), np.arange(len(points) - 1)[:, None] * 5
    n = (k + 1) % 5
    faces = np.concatenate([np.stack([i + k, i + 5 + k, i + n], -1), np.stack([i + n, i + 5 + k, i + 5 + n], -1)])
    faces = faces.reshape(-1, 3)
    rope = (points[:, None] + radius * ring).reshape(-1, 3)
    return [Solid(rope, ring.reshape(-1, 3), faces, np.tile(colour, (len(faces), 1)))]
