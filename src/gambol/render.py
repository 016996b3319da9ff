"""Pictures and video of a motion: contact sheets, strips of many poses in one scene, and H.264 files.

Everything is drawn by :mod:`gambol.raster`, so no GPU and no window is needed. Pillow writes pictures; PyAV (the
extra ``video``) writes video.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gambol.errors import GambolError, MissingExtra
from gambol.mannequin import PALETTE, deform, is_person, mannequin
from gambol.motion import Motion
from gambol.raster import Camera, look_at, project, rasterise
from gambol.skeleton import forward_kinematics
from gambol.terrain import Flat, Terrain

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["VIEWS", "contact_sheet", "strip", "video", "write_picture"]

Array = NDArray[np.float64]
VIEWS = {
    "side": (-90.0, 6.0),
    "front": (0.0, 8.0),
    "three-quarter": (-52.0, 16.0),
    "top": (-90.0, 60.0),
}  # deg
FIELD = np.radians(24.0)  # vertical view of the camera
SKY = np.array([0.93, 0.94, 0.955])
GROUND = np.array([0.80, 0.795, 0.77])
LEFT, RIGHT, FORCE = np.array([0.86, 0.30, 0.10]), np.array([0.15, 0.36, 0.70]), np.array([0.10, 0.55, 0.30])
LIGHT = np.array([-0.45, 0.75, 0.60]) / np.linalg.norm([0.45, 0.75, 0.60])  # from the viewer's upper left
CELL = 0.25  # m, ground is cut to pieces of this size, so that shading and shadows vary over it
TILE = 0.5  # m, of the pattern on the ground
SHADOW = 0.03  # m, cell of the shadow map
ARROW = 0.55  # m of force arrow for one body weight


class Scene(NamedTuple):
    """Triangles to draw: points (V, 3), normals (V, 3; zeros: flat shading), faces, colours (T, 3), ground (T,)."""

    points: Array
    normals: Array
    faces: NDArray[np.int64]
    colours: Array
    ground: NDArray[np.bool_]


def _joined(parts: Sequence[Scene]) -> Scene:
    starts = np.cumsum([0] + [len(p.points) for p in parts[:-1]])
    return Scene(
        np.concatenate([p.points for p in parts]),
        np.concatenate([p.normals for p in parts]),
        np.concatenate([p.faces + s for p, s in zip(parts, starts)]),
        np.concatenate([p.colours for p in parts]),
        np.concatenate([p.ground for p in parts]),
    )


def _solid(points: Array, faces: ArrayLike, colour: Array, ground: bool = False) -> Scene:
    corners: NDArray[np.int64] = np.asarray(faces, int)
    colours = np.broadcast_to(colour, (len(corners), 3)).copy()
    return Scene(points, np.zeros_like(points), corners, colours, np.full(len(corners), ground))


def _figures(motion: Motion, frames: Sequence[int]) -> list[Scene]:
    """The dressed figure at each frame; bones where the skeleton is no person."""
    positions, world = forward_kinematics(
        motion.skeleton, motion.root[list(frames)], motion.rotations[list(frames)]
    )
    if not is_person(motion.skeleton):
        return [_bones(motion, p) for p in positions]
    skin = mannequin(motion.skeleton)
    colours = np.array([c for c, _ in PALETTE.values()])[skin.materials] ** (1 / 2.2)
    out = []
    for p, q in zip(positions, world):
        points = deform(skin, motion.skeleton, p, q)
        corner = points[skin.faces]
        face = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
        normals = np.zeros_like(points)
        for k in range(3):
            np.add.at(normals, skin.faces[:, k], face)
        out.append(Scene(points, normals, skin.faces, colours, np.zeros(len(skin.faces), bool)))
    return out


def _bones(motion: Motion, positions: Array) -> Scene:
    """A slim double pyramid from every joint to its parent."""
    parts = []
    for j, parent in enumerate(motion.skeleton.parents):
        if parent >= 0 and np.linalg.norm(positions[j] - positions[parent]) > 1e-6:
            name = motion.skeleton.names[j].lower()
            colour = LEFT if "left" in name else RIGHT if "right" in name else np.full(3, 0.45)
            parts.append(_spindle(positions[parent], positions[j], 0.1, colour))
    return _joined(parts) if parts else _solid(np.zeros((3, 3)), [[0, 1, 2]], np.zeros(3))


def _spindle(a: Array, b: Array, share: float, colour: Array, width: float | None = None) -> Scene:
    """Four-sided double pyramid from a to b, widest at ``share`` of the way."""
    axis = b - a
    length = float(np.linalg.norm(axis))
    helper = np.array([1.0, 0, 0]) if abs(axis[0]) < 0.7 * length else np.array([0, 0, 1.0])
    x = np.cross(axis, helper)
    x *= (width or 0.12 * length) / np.linalg.norm(x)
    y = np.cross(axis / length, x)
    waist = a + share * axis
    points = np.array([a, waist + x, waist + y, waist - x, waist - y, b])
    ring = [1, 2, 3, 4, 1]
    faces = [f for i, j in pairwise(ring) for f in ([0, j, i], [5, i, j])]
    return _solid(points, faces, colour)


def _ground(terrain: Terrain, low: Array, high: Array) -> Scene:
    """The ground between two corners, cut into pieces."""
    vertices, faces = terrain.surface(low, high)
    corner = np.asarray(vertices, float)[np.asarray(faces, int)]
    near = (corner[:, :, 0].max(1) >= low[0]) & (corner[:, :, 0].min(1) <= high[0])
    near &= (corner[:, :, 2].max(1) >= low[1]) & (corner[:, :, 2].min(1) <= high[1])
    corner = corner[near]
    for _ in range(9):
        edges = np.linalg.norm(corner - np.roll(corner, -1, 1), axis=-1)
        long = edges.max(1) > 4 * CELL
        if not long.any():
            break
        corner = np.concatenate([corner[~long], _halved(corner[long], edges[long])])
        corner = corner[(corner[:, :, 0].max(1) >= low[0]) & (corner[:, :, 0].min(1) <= high[0])]
        corner = corner[(corner[:, :, 2].max(1) >= low[1]) & (corner[:, :, 2].min(1) <= high[1])]
    points = corner.reshape(-1, 3)
    return _solid(points, np.arange(len(points)).reshape(-1, 3), GROUND, ground=True)


def _halved(corner: Array, edges: Array) -> Array:
    """Triangles cut across their longest edge."""
    k = edges.argmax(1)
    rows = np.arange(len(corner))
    a, b, c = corner[rows, k], corner[rows, (k + 1) % 3], corner[rows, (k + 2) % 3]
    middle = (a + b) / 2
    return np.concatenate([np.stack([a, middle, c], 1), np.stack([middle, b, c], 1)])


def _prints(motion: Motion, until: int | None = None) -> list[Scene]:
    """A disc where each sole point was planted, up to a frame."""
    if motion.contacts is None or not motion.skeleton.soles:
        return []
    tracks = motion.positions()[:, list(motion.skeleton.soles)]
    angles = np.linspace(0, 2 * np.pi, 13)[:-1]
    ring = np.stack([np.cos(angles), np.zeros(12), np.sin(angles)], -1)
    fan = [[0, 1 + (i + 1) % 12, 1 + i] for i in range(12)]
    parts = []
    for column, sole in enumerate(motion.skeleton.soles):
        on = np.diff(np.r_[False, motion.contacts[:, column]].astype(int)) == 1
        colour = LEFT if "left" in motion.skeleton.names[sole] else RIGHT
        size = 0.032 if "heel" in motion.skeleton.names[sole] else 0.040
        for frame in np.flatnonzero(on):
            if until is None or frame <= until:
                at = tracks[frame, column] + [0, 0.006, 0]
                parts.append(_solid(np.concatenate([at[None], at + size * ring]), fan, colour))
    return parts


def _arrows(motion: Motion, frame: int) -> list[Scene]:
    """The ground reaction force of each foot, from its centre of pressure."""
    if motion.forces is None or motion.pressure is None or not motion.mass:
        return []
    parts = []
    for force, at in zip(motion.forces[frame], motion.pressure[frame]):
        if np.isfinite(at).all() and force[1] > 0.05 * motion.mass * 9.81:
            tip = at + force / (motion.mass * 9.81) * ARROW
            parts.append(_spindle(at, tip, 0.85, FORCE, 0.022))
    return parts


def _shadow(figures: Sequence[Scene], points: Array) -> Array:
    """(N,) how dark the ground is at points: a soft map of what is above."""
    above = np.concatenate([f.points[:, [0, 2]] for f in figures])
    low = above.min(0) - 0.5
    size = tuple(((above.max(0) + 0.5 - low) / SHADOW).astype(int) + 1)
    index = ((above - low) / SHADOW).astype(int)
    dark = np.zeros(size)
    np.add.at(dark, (index[:, 0], index[:, 1]), 1.0)
    dark = np.minimum(dark, 3.0)
    for _ in range(3):  # three box blurs are nearly a Gaussian
        for axis in (0, 1):
            sums = np.cumsum(np.pad(dark, [(5, 4) if a == axis else (0, 0) for a in (0, 1)]), axis=axis)
            hi, lo = (
                np.take(sums, range(9, sums.shape[axis]), axis),
                np.take(sums, range(sums.shape[axis] - 9), axis),
            )
            dark = (hi - lo) / 9
    at = ((points[:, [0, 2]] - low) / SHADOW).astype(int)
    inside = (at >= 0).all(1) & (at[:, 0] < dark.shape[0]) & (at[:, 1] < dark.shape[1])
    out = np.zeros(len(points))
    out[inside] = dark[at[inside, 0], at[inside, 1]]
    return np.minimum(out * 0.30, 0.42)


def _shade(camera: Camera, scene: Scene, figures: Sequence[Scene]) -> Array:
    """(H, W, 3) colours 0..1."""
    hits = rasterise(camera, scene.points, scene.faces)
    picture = np.broadcast_to(SKY, (*hits.face.shape, 3)).copy()
    seen = hits.face >= 0
    face, u, v = hits.face[seen], hits.u[seen], hits.v[seen]
    corner = scene.faces[face]
    weight = np.stack([1 - u - v, u, v], -1)[..., None]
    at = (scene.points[corner] * weight).sum(1)
    flat = np.cross(
        scene.points[corner[:, 1]] - scene.points[corner[:, 0]],
        scene.points[corner[:, 2]] - scene.points[corner[:, 0]],
    )
    normal = (scene.normals[corner] * weight).sum(1)
    normal = np.where((np.abs(normal).sum(-1) > 0)[:, None], normal, flat)
    normal = normal / np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-12)
    toward = camera.eye - at
    normal = np.where(((normal * toward).sum(-1) < 0)[:, None], -normal, normal)
    light = 0.52 + 0.50 * np.maximum(normal @ (LIGHT @ camera.axes), 0) + 0.10 * normal[:, 1]
    colour = scene.colours[face] * light[:, None]
    ground = scene.ground[face]
    checker = (np.floor(at[:, 0] / TILE + 1e-4) + np.floor(at[:, 2] / TILE + 1e-4)) % 2
    colour[ground] *= (0.965 + 0.07 * checker[ground])[:, None]
    colour[ground] *= (1 - _shadow(figures, at[ground]) * (normal[ground, 1] > 0.3))[:, None]
    fog = np.clip((hits.depth[seen] - 14.0) / 30.0, 0, 1)[:, None] * ground[:, None]
    picture[seen] = np.clip(colour * (1 - fog) + SKY * fog, 0, 1)
    return picture


def _image(picture: Array, smooth: int) -> Image:
    """8-bit image, averaged over ``smooth`` x ``smooth`` pixels."""
    import PIL.Image

    height, width = picture.shape[:2]
    small = picture.reshape(height // smooth, smooth, width // smooth, smooth, 3).mean((1, 3))
    return PIL.Image.fromarray((small * 255 + 0.5).astype(np.uint8))


def _heading(motion: Motion) -> float:
    travel = motion.root[-1] - motion.root[0]
    if np.hypot(travel[0], travel[2]) > 0.3:
        return float(np.arctan2(travel[0], travel[2]))
    w, _, y, _ = motion.rotations[0, 0]
    return float(2 * np.arctan2(y, w))


def _eye(view: str, heading: float, distance: float) -> Array:
    if view not in VIEWS:
        raise GambolError(f"view is {view!r}", where="render", allowed=", ".join(VIEWS))
    turn, up = np.radians(VIEWS[view])
    yaw = heading + turn  # -90 degrees: from the figure's right
    return distance * np.array([np.sin(yaw) * np.cos(up), np.sin(up), np.cos(yaw) * np.cos(up)])


def _checked(motion: Motion) -> None:
    if not len(motion):
        raise GambolError("the motion has no frames", where="render", allowed="at least one frame")


def _height(motion: Motion) -> float:
    rest = motion.skeleton.rest_positions()
    return max(float(np.ptp(rest[:, 1])) * 1.15, 0.2)


def contact_sheet(
    motion: Motion,
    terrain: Terrain | None = None,
    *,
    frames: int = 18,
    columns: int = 6,
    size: tuple[int, int] = (300, 360),
    view: str = "three-quarter",
) -> Image:
    """Evenly spread frames side by side, each labelled with its time in s.

    Args:
        motion: at least one frame.
        terrain: the ground; flat at y = 0 by default.
        frames: how many.
        columns: of the sheet.
        size: of one picture, pixels.
        view: one of :data:`VIEWS`, relative to the way the figure travels.
    """
    import PIL.Image
    import PIL.ImageDraw

    _checked(motion)
    chosen = np.unique(np.linspace(0, len(motion) - 1, max(min(frames, len(motion)), 1)).round().astype(int))
    columns = max(min(columns, len(chosen)), 1)
    rows = -(-len(chosen) // columns)
    sheet = PIL.Image.new("RGB", (columns * size[0], rows * size[1]), "white")
    pen = PIL.ImageDraw.Draw(sheet)
    for k, picture in enumerate(_pictures(motion, terrain or Flat(), chosen.tolist(), (size, view))):
        corner = (k % columns * size[0], k // columns * size[1])
        sheet.paste(picture, corner)
        pen.text((corner[0] + 8, corner[1] + 6), f"{chosen[k] / motion.fps:.2f} s", fill=(60, 60, 60))
    return sheet


def _pictures(
    motion: Motion,
    terrain: Terrain,
    frames: Sequence[int],
    look: tuple[tuple[int, int], str],
    smooth: int = 2,
) -> Iterator[Image]:
    """One picture a frame, the camera going along with the figure."""
    size, view = look
    tall = _height(motion)
    away = 1.15 * tall / (2 * np.tan(FIELD / 2)) * 1.12
    yaw = _yaws(motion)
    prints = _prints(motion)
    for frame in frames:
        figure = _figures(motion, [frame])
        centre = motion.root[frame] * [1, 1, 1] - [0, 0.07 * tall, 0]
        reach = 3.2 * tall
        ground = _ground(terrain, centre[[0, 2]] - reach, centre[[0, 2]] + reach)
        camera = look_at(
            centre + _eye(view, yaw[frame], away), centre, FIELD, (size[0] * smooth, size[1] * smooth)
        )
        scene = _joined([*figure, ground, *prints, *_arrows(motion, frame)])
        yield _image(_shade(camera, scene, figure), smooth)


def _yaws(motion: Motion) -> Array:
    """(F,) heading of the figure, smoothed over a second, so that the camera turns calmly."""
    w, x, y, z = np.moveaxis(motion.rotations[:, 0], -1, 0)
    yaw = np.unwrap(np.arctan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y)))
    half = max(int(motion.fps), 1)
    padded = np.pad(yaw, half, mode="edge")
    sums = np.cumsum(np.r_[0.0, padded])
    return (sums[2 * half + 1 :] - sums[: -2 * half - 1]) / (2 * half + 1)


def strip(
    motion: Motion,
    terrain: Terrain | None = None,
    *,
    poses: int = 14,
    size: tuple[int, int] = (1600, 520),
    view: str = "side",
    turn: float = 0.0,
) -> Image:
    """Many poses of one motion in one wide picture, with footprints and force arrows.

    Args:
        motion: at least one frame.
        terrain: the ground; flat by default.
        poses: how many, evenly spread in time.
        size: pixels.
        view: one of :data:`VIEWS`, relative to the way from start to end.
        turn: rad added to the camera's direction.
    """
    _checked(motion)
    frames = np.unique(np.linspace(0, len(motion) - 1, max(poses, 1)).round().astype(int))
    figures = _figures(motion, list(frames))
    points = np.concatenate([f.points for f in figures])
    low, high = points.min(0), points.max(0)
    centre = (low + high) / 2
    direction = _eye(view, _heading(motion) + turn, 1.0)
    smooth = 2
    camera = _framed(points, centre, direction, (size[0] * smooth, size[1] * smooth))
    ground = _ground(terrain or Flat(), low[[0, 2]] - 8.0, high[[0, 2]] + 8.0)
    arrows = [a for f in frames for a in _arrows(motion, int(f))]
    return _image(_shade(camera, _joined([*figures, ground, *_prints(motion), *arrows]), figures), smooth)


def _framed(points: Array, centre: Array, direction: Array, size: tuple[int, int]) -> Camera:
    """The camera in a direction from which all points just fit the picture."""
    half = np.tan(FIELD / 2)
    away, target = float(np.ptp(points, axis=0).max()) * 3 + 1, centre
    for _ in range(6):
        camera = look_at(target + away * direction, target, FIELD, size)
        pixels, depth = project(camera, points)
        low, high = pixels.min(0), pixels.max(0)
        middle = ((low + high) / 2 - np.array(size) / 2) / camera.focal * away
        target = target + middle[0] * camera.axes[0] - middle[1] * camera.axes[1]
        fill = float(((high - low) / np.array(size)).max()) / 0.94
        away = max(away * fill, away - depth.min() + 0.5 + half)
    return look_at(target + away * direction, target, FIELD, size)


def write_picture(image: Image, file: str | FilePath) -> None:
    """Write a picture under a temporary name, then rename it."""
    file = _target(file, (".png",))
    partial = file.with_name(f".{file.name}.partial")
    image.save(partial, format="PNG")
    os.replace(partial, file)


def video(
    motion: Motion,
    file: str | FilePath,
    terrain: Terrain | None = None,
    *,
    fps: float | None = None,
    size: tuple[int, int] = (640, 480),
    view: str = "three-quarter",
) -> None:
    """Write an .mp4 (H.264, yuv420p) that plays everywhere; odd sizes are made even.

    Args:
        motion: at least one frame.
        file: ends in .mp4.
        terrain: the ground; flat by default.
        fps: of the video; by default the motion's, at most 30 by leaving frames out evenly. 29.97 is 30000/1001.
        size: pixels.
        view: one of :data:`VIEWS`.

    Raises:
        MissingExtra: without PyAV.
    """
    _checked(motion)
    file = _target(file, (".mp4",))
    try:
        import av
    except ImportError:
        raise MissingExtra("av", "video", "video") from None
    rate = _rate(fps or motion.fps / max(1, round(motion.fps / 30)))
    count = max(round(len(motion) / motion.fps * float(rate)), 1)
    frames = np.minimum((np.arange(count) / float(rate) * motion.fps).round().astype(int), len(motion) - 1)
    size = (size[0] + size[0] % 2, size[1] + size[1] % 2)
    partial = file.with_name(f".{file.name}.partial")
    try:
        with av.open(str(partial), "w", format="mp4") as container:
            stream = container.add_stream("libx264", rate=rate)
            stream.width, stream.height, stream.pix_fmt = size[0], size[1], "yuv420p"
            stream.options = {"crf": "20", "preset": "fast", "threads": "1"}
            for picture in _pictures(motion, terrain or Flat(), list(frames), (size, view), smooth=1):
                container.mux(stream.encode(av.VideoFrame.from_image(picture)))
            container.mux(stream.encode())
        os.replace(partial, file)
    finally:
        partial.unlink(missing_ok=True)


def _rate(fps: float) -> Fraction:
    """24000/1001 and its kin exactly, everything else to a thousandth."""
    for whole in (24, 30, 48, 60, 120):
        if abs(fps - whole * 1000 / 1001) < 0.004:
            return Fraction(whole * 1000, 1001)
    return Fraction(round(fps * 1000), 1000)


def _target(file: str | FilePath, suffixes: tuple[str, ...]) -> FilePath:
    file = FilePath(file)
    if file.suffix.lower() not in suffixes:
        raise GambolError(
            f"{file.suffix or 'no suffix'!r} is no picture", where=str(file), allowed=" or ".join(suffixes)
        )
    if not file.parent.is_dir():
        raise GambolError(
            f"the folder {str(file.parent)!r} does not exist", where=str(file), do="make it first"
        )
    return file
