"""Pictures and video of a motion: contact sheets, strips of many poses in one scene, and H.264 files.

Everything is drawn by :mod:`gambol.raster`, so no GPU and no window is needed. Pillow writes pictures; PyAV (the
extra ``video``) writes video.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gambol import quat, shapes
from gambol.character import Surface
from gambol.errors import GambolError, MissingExtra
from gambol.mannequin import is_person
from gambol.motion import Motion
from gambol.raster import Camera, look_at, project
from gambol.shading import FINE, Ground, Stage, ground_near, picture
from gambol.terrain import Flat, Terrain

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["VIEWS", "contact_sheet", "encode_video", "label_sheet", "postures_sheet", "strip", "video", "write_picture"]

Array = NDArray[np.float64]
VIEWS = {
    "side": (-90.0, 6.0),
    "front": (0.0, 8.0),
    "three-quarter": (-52.0, 16.0),
    "top": (-90.0, 80.0),
}  # degrees: about the figure (0 before it, -90 at its right) and above the horizon
FIELD = np.radians(24.0)  # vertical view of the camera
ROOM = 1.30  # height of the view, of the figure's
FADE = (1.0, 2.6)  # where the ground begins and ends to fade, of the figure's height
CALM = 0.5  # s to both sides over which the camera's way is evened out
MOST_FPS = 30.0  # of a video, where nothing is said
THREADS = 8  # at most


@dataclass(frozen=True)
class _Follow:
    """A camera that goes along with the figure."""

    motion: Motion
    terrain: Terrain
    size: tuple[int, int]
    view: str
    mesh: bool | Surface = True

    @cached_property
    def tall(self) -> float:
        """m, height of the figure; of a person more than the joints show."""
        if isinstance(self.mesh, Surface):
            return max(float(np.ptp(self.mesh.vertices[:, 1])), 0.5 * float(np.ptp(self.mesh.vertices, axis=0).max()))
        rest = self.motion.skeleton.rest_positions()
        wide = 0.5 if is_person(self.motion.skeleton) else 0.8
        return max(float(np.ptp(rest[:, 1])) * 1.15, wide * float(np.ptp(rest, axis=0).max()), 0.2)

    @cached_property
    def middle(self) -> Array:
        """(3,) m from the root to the middle of the figure at rest; a person's root is there."""
        if isinstance(self.mesh, Surface):
            ends = self.mesh.vertices[:, 1].min(), self.mesh.vertices[:, 1].max()
            return np.array([0.0, float(np.mean(ends)) - self.motion.skeleton.offsets[0, 1], 0.0])
        rest = self.motion.skeleton.rest_positions()
        if is_person(self.motion.skeleton):
            return np.array([0.0, -0.06 * self.tall, 0.0])
        out: Array = (rest.min(0) + rest.max(0)) / 2 - rest[0]
        return out

    @cached_property
    def ways(self) -> tuple[Array, Array]:
        """(F, 3) m and (F,) rad: the root's way and the figure's heading, calmed."""
        w, x, y, z = np.moveaxis(self.motion.rotations[:, 0], -1, 0)
        yaw = np.unwrap(np.arctan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y))) + _looks(self.motion)
        fps = self.motion.fps
        return _calmed(self.motion.root, CALM * fps), _calmed(yaw[:, None], 2 * CALM * fps)[:, 0]

    @cached_property
    def ground(self) -> Ground:
        """The ground around the whole way."""
        reach, way = FADE[1] * self.tall, self.motion.root[:, [0, 2]]
        return ground_near(self.terrain, way.min(0) - reach, way.max(0) + reach)

    @cached_property
    def prints(self) -> list[tuple[int, shapes.Solid]]:
        """Footprints, with the frame each is made at."""
        return shapes.footprints(self.motion)

    def shot(self, frame: int) -> NDArray[np.uint8]:
        """``(H, W, 3)`` the picture of one frame."""
        turn = quat.exp([0.0, self.ways[1][frame] - _looks(self.motion), 0.0])
        centre = self.ways[0][frame] + quat.rotate(turn, self.middle)
        away = ROOM * self.tall / (2 * np.tan(FIELD / 2))
        eye = centre + away * _direction(self.view, self.ways[1][frame])
        camera = look_at(eye, centre, FIELD, (self.size[0] * FINE, self.size[1] * FINE))
        stage = Stage(
            self.ground,
            shapes.figures(self.motion, [frame], self.mesh),
            [print_ for made, print_ in self.prints if made <= frame],
            shapes.arrows(self.motion, frame),
            np.array([centre[[0, 2]]] * 2),
            (FADE[0] * self.tall, FADE[1] * self.tall),
        )
        return picture(camera, stage)

    def shots(self, frames: Sequence[int]) -> Iterator[NDArray[np.uint8]]:
        """The pictures of some frames in order, several drawn at a time."""
        workers = min(os.cpu_count() or 1, THREADS)
        self.ways, self.ground, self.prints  # noqa: B018  (made before the threads ask for them)
        with ThreadPoolExecutor(workers) as pool:
            for start in range(0, len(frames), 4 * workers):  # not all at once: pictures are large
                yield from pool.map(self.shot, frames[start : start + 4 * workers])


def _looks(motion: Motion) -> float:
    """rad, the yaw at rest: where the soles point."""
    skeleton, rest = motion.skeleton, motion.skeleton.rest_positions()
    ahead = np.zeros(3)
    for side in ("left", "right"):
        if f"{side}_heel" in skeleton and f"{side}_toe_tip" in skeleton:
            ahead += rest[skeleton.index(f"{side}_toe_tip")] - rest[skeleton.index(f"{side}_heel")]
    return float(np.arctan2(ahead[0], ahead[2])) if ahead.any() else 0.0


def _calmed(values: Array, half: float) -> Array:
    """Each row of ``values`` (F, N) the mean of its neighbours up to ``half`` rows away."""
    n = max(int(half), 1)
    sums = np.cumsum(np.pad(values, ((n + 1, n), (0, 0)), mode="edge"), axis=0)
    out: Array = (sums[2 * n + 1 :] - sums[: -2 * n - 1]) / (2 * n + 1)
    return out


def _direction(view: str, heading: float) -> Array:
    """Unit vector from the figure to the camera."""
    turn, up = np.radians(VIEWS[view])
    yaw = heading + turn
    return np.array([np.sin(yaw) * np.cos(up), np.sin(up), np.cos(yaw) * np.cos(up)])


def _heading(motion: Motion) -> float:
    """rad, from the first to the last place; of a figure that stays, the way it looks."""
    travel = motion.root[-1] - motion.root[0]
    if np.hypot(travel[0], travel[2]) > 0.3:
        return float(np.arctan2(travel[0], travel[2]))
    w, x, y, z = motion.rotations[0, 0]
    return float(np.arctan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y))) + _looks(motion)


def _checked(motion: Motion, size: tuple[int, int], view: str) -> None:
    if not len(motion):
        raise GambolError("the motion has no frames", where="render", allowed="at least one frame")
    if view not in VIEWS:
        raise GambolError(f"view is {view!r}", where="render", allowed=", ".join(VIEWS))
    if min(size) < 1 or max(size) > 16384:
        raise GambolError(f"size is {size[0]} x {size[1]}", where="render", allowed="1 to 16384 pixels")


def contact_sheet(  # noqa: PLR0913
    motion: Motion,
    terrain: Terrain | None = None,
    *,
    frames: int = 18,
    times: Sequence[float] | None = None,
    columns: int = 6,
    size: tuple[int, int] = (300, 360),
    view: str = "three-quarter",
    mesh: bool | Surface = True,
) -> Image:
    """Frames side by side, each labelled with its time in s.

    Args:
        motion: at least one frame.
        terrain: the ground; flat at y = 0 by default.
        frames: how many, evenly spread.
        times: s, of the frames to show instead.
        columns: of the sheet.
        size: of one picture, pixels.
        view: one of :data:`VIEWS`, relative to the way the figure goes.
        mesh: with the dressed figure; without, and for what is no person, its bones; or a skin of its own.

    Raises:
        GambolError: for a motion without frames, an unknown view, or a time the motion does not have.
    """
    _checked(motion, size, view)
    chosen = _spread(motion, frames) if times is None else _nearest(motion, times)
    shots = _Follow(motion, terrain or Flat(), size, view, mesh).shots(chosen)
    return label_sheet(shots, [k / motion.fps for k in chosen], columns, size)


def postures_sheet(
    motion: Motion, columns: int, size: tuple[int, int] = (72, 96), mesh: bool | Surface = True
) -> Image:
    """Every frame of a motion side by side without a word: small pictures of poses, for a page to cut apart.

    Args:
        motion: at least one frame.
        columns: of the sheet.
        size: of one picture, pixels.
        mesh: as for :func:`contact_sheet`.
    """
    import PIL.Image

    _checked(motion, size, "three-quarter")
    sheet = PIL.Image.new("RGB", (columns * size[0], -(-len(motion) // columns) * size[1]), "white")
    for k, shot in enumerate(_Follow(motion, Flat(), size, "three-quarter", mesh).shots(range(len(motion)))):
        sheet.paste(PIL.Image.fromarray(shot), (k % columns * size[0], k // columns * size[1]))
    return sheet


def label_sheet(
    shots: Iterable[NDArray[np.uint8]], times: Sequence[float], columns: int, size: tuple[int, int]
) -> Image:
    """Pictures side by side, each labelled with its time in s."""
    import PIL.Image
    import PIL.ImageDraw

    columns = max(min(columns, len(times)), 1)
    rows = -(-len(times) // columns)
    sheet = PIL.Image.new("RGB", (columns * size[0], rows * size[1]), "white")
    pen = PIL.ImageDraw.Draw(sheet)
    for k, shot in enumerate(shots):
        x, y = k % columns * size[0], k // columns * size[1]
        sheet.paste(PIL.Image.fromarray(shot), (x, y))
        pen.rectangle((x - 1, y - 1, x + size[0] - 1, y + size[1] - 1), outline="white")
        pen.text((x + 10, y + 8), f"{times[k]:.2f} s", fill=(70, 74, 80))
    return sheet


def _spread(motion: Motion, frames: int) -> list[int]:
    count = max(min(frames, len(motion)), 1)
    return sorted(set(np.linspace(0, len(motion) - 1, count).round().astype(int).tolist()))


def _nearest(motion: Motion, times: Sequence[float]) -> list[int]:
    at = np.asarray(times, float).reshape(-1) * motion.fps
    if not len(at) or not ((at > -0.5) & (at < len(motion) - 0.5)).all():
        allowed = f"0 to {motion.duration:.3f} s"
        raise GambolError("a time is not in the motion", where="render", allowed=allowed)
    return at.round().astype(int).tolist()


def strip(  # noqa: PLR0913
    motion: Motion,
    terrain: Terrain | None = None,
    *,
    poses: int = 14,
    size: tuple[int, int] = (1600, 520),
    view: str = "side",
    turn: float = 0.0,
    mesh: bool | Surface = True,
) -> Image:
    """Many poses of one motion in one wide picture, with footprints, force arrows and the mass centre's way.

    Args:
        motion: at least one frame.
        terrain: the ground; flat by default.
        poses: how many, evenly spread in time.
        size: pixels.
        view: one of :data:`VIEWS`, relative to the way from start to end.
        turn: rad added to the camera's direction.
        mesh: with the dressed figure; without, and for what is no person, its bones; or a skin of its own.
    """
    import PIL.Image

    _checked(motion, size, view)
    frames = _spread(motion, poses)
    figures = shapes.figures(motion, frames, mesh)
    points = np.concatenate([f.points for f in figures])
    low, high = points.min(0), points.max(0)
    direction = _direction(view, _heading(motion) + turn)
    camera = _framed(points, direction, (size[0] * FINE, size[1] * FINE))
    place, fade = np.array([low[[0, 2]], high[[0, 2]]]), (0.8, 4.0)
    ground = ground_near(terrain or Flat(), place[0] - fade[1], place[1] + fade[1])
    notes = [a for f in frames for a in shapes.arrows(motion, f)]
    notes += shapes.trail(motion.com) if motion.com is not None else []
    prints = [made for _, made in shapes.footprints(motion)]
    return PIL.Image.fromarray(picture(camera, Stage(ground, figures, prints, notes, place, fade)))


def _framed(points: Array, direction: Array, size: tuple[int, int]) -> Camera:
    """The camera in a direction from which all points just fit the picture."""
    target = (points.min(0) + points.max(0)) / 2
    away = float(np.ptp(points, axis=0).max()) * 3 + 1
    for _ in range(8):
        camera = look_at(target + away * direction, target, FIELD, size)
        pixels, depth = project(camera, points)
        low, high = pixels.min(0), pixels.max(0)
        middle = ((low + high) / 2 - np.array(size) / 2) / camera.focal * away
        target = target + middle[0] * camera.axes[0] - middle[1] * camera.axes[1]
        away = max(away * float(((high - low) / np.array(size)).max()) / 0.92, away - depth.min() + 0.5)
    return look_at(target + away * direction, target, FIELD, size)


def write_picture(image: Image, file: str | FilePath) -> None:
    """Write a .png under a temporary name, then rename it."""
    file = _target(file, (".png",))
    partial = file.with_name(f".{file.name}.partial")
    try:
        image.save(partial, format="PNG")
        os.replace(partial, file)
    finally:
        partial.unlink(missing_ok=True)


def video(  # noqa: PLR0913
    motion: Motion,
    file: str | FilePath,
    terrain: Terrain | None = None,
    *,
    fps: float | None = None,
    size: tuple[int, int] = (960, 540),
    view: str = "three-quarter",
    mesh: bool | Surface = True,
) -> None:
    """Write an .mp4 (H.264, yuv420p) that plays everywhere; odd sizes are made even.

    Args:
        motion: at least one frame.
        file: ends in .mp4.
        terrain: the ground; flat by default.
        fps: of the video; by default the motion's, at most 30 by leaving frames out evenly. 29.97 is 30000/1001.
        size: pixels.
        view: one of :data:`VIEWS`.
        mesh: with the dressed figure; without, and for what is no person, its bones; or a skin of its own.

    Raises:
        GambolError: for a motion without frames, a wrong rate, view or target.
        MissingExtra: without PyAV.
    """
    _checked(motion, size, view)
    rate = _rate(motion.fps / max(1, round(motion.fps / MOST_FPS)) if fps is None else fps)
    count = max(round(len(motion) / motion.fps * float(rate)), 1)
    frames = np.minimum((np.arange(count) / float(rate) * motion.fps).round().astype(int), len(motion) - 1)
    size = _even(size)
    encode_video(_Follow(motion, terrain or Flat(), size, view, mesh).shots(frames.tolist()), file, float(rate), size)


def _even(size: tuple[int, int]) -> tuple[int, int]:
    return size[0] + size[0] % 2, size[1] + size[1] % 2


def encode_video(
    shots: Iterable[NDArray[np.uint8]], file: str | FilePath, fps: float, size: tuple[int, int]
) -> None:
    """Write pictures (H, W, 3) as an .mp4 (H.264, yuv420p) under a temporary name, then rename it.

    Raises:
        GambolError: for a wrong rate or target.
        MissingExtra: without PyAV.
    """
    file, rate = _target(file, (".mp4",)), _rate(fps)
    try:
        import av
    except ImportError:
        raise MissingExtra("av", "video", "video") from None
    partial = file.with_name(f".{file.name}.partial")
    try:
        with av.open(str(partial), "w", format="mp4", options={"movflags": "faststart"}) as container:
            stream = container.add_stream("libx264", rate=rate)
            stream.width, stream.height, stream.pix_fmt = size[0], size[1], "yuv420p"
            stream.options = {"crf": "20", "preset": "fast", "threads": "1"}
            for shot in shots:
                container.mux(stream.encode(av.VideoFrame.from_ndarray(shot, format="rgb24")))
            container.mux(stream.encode())
        os.replace(partial, file)
    finally:
        partial.unlink(missing_ok=True)


def _rate(fps: float) -> Fraction:
    """24000/1001 and its kin exactly, everything else to a thousandth."""
    if not (np.isfinite(fps) and 1 <= fps <= 1000):
        raise GambolError(f"fps is {fps:g}", where="video", allowed="1 to 1000")
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
        raise GambolError(f"the folder {str(file.parent)!r} does not exist", where=str(file), do="make it first")
    return file
