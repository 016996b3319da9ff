"""Pictures of many figures at once, seen by one camera that stands still: a contact sheet, and a video."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gambol import shapes
from gambol.errors import GambolError
from gambol.motion import Motion
from gambol.raster import Camera
from gambol.render import _direction, _framed, _heading, encode_video, label_sheet
from gambol.shading import FINE, Ground, Stage, ground_near, picture
from gambol.terrain import Flat, Terrain

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["crowd_sheet", "crowd_video"]

Array = NDArray[np.float64]
FADE = (1.0, 3.0)  # m around the crowd where the ground begins and ends to fade
WIDE, TALL = 0.4, 1.15  # m beside a walker's root, and above it in root heights, that a picture shows


@dataclass(frozen=True)
class _Scene:
    """All the figures, from one place."""

    motions: Sequence[Motion]
    terrain: Terrain
    size: tuple[int, int]
    view: str

    @cached_property
    def box(self) -> Array:
        """(P, 3) m, points that are to be seen: about the ways of all."""
        roots = np.concatenate([m.root[:: max(len(m) // 40, 1)] for m in self.motions])
        tall = max(float(np.ptp(m.skeleton.rest_positions()[:, 1])) for m in self.motions)
        offsets = [[x, y, z] for x in (-WIDE, WIDE) for z in (-WIDE, WIDE) for y in (-0.55 * tall, 0.65 * tall)]
        return np.concatenate([roots + o for o in np.array(offsets)])

    @cached_property
    def camera(self) -> Camera:
        """Where all of them fit the picture."""
        longest = max(self.motions, key=lambda m: float(np.linalg.norm(m.root[-1] - m.root[0])))
        wide = (self.size[0] * FINE, self.size[1] * FINE)
        return _framed(self.box, _direction(self.view, _heading(longest)), wide)

    @cached_property
    def ground(self) -> tuple[Ground, Array]:
        """The ground around them, and the corners of their place."""
        place = np.array([self.box.min(0)[[0, 2]], self.box.max(0)[[0, 2]]])
        return ground_near(self.terrain, place[0] - FADE[1], place[1] + FADE[1]), place

    def shot(self, time: float) -> NDArray[np.uint8]:
        """``(H, W, 3)`` the picture at a time (s); who is done stands."""
        solids = []
        for m in self.motions:
            solids += shapes.figures(m, [min(round(time * m.fps), len(m) - 1)], True)
        ground, place = self.ground
        return picture(self.camera, Stage(ground, solids, [], [], place, FADE))

    def shots(self, times: Sequence[float]) -> Iterator[NDArray[np.uint8]]:
        """The pictures at some times in order."""
        yield from map(self.shot, times)


def _scene(motions: Sequence[Motion], terrain: Terrain | None, size: tuple[int, int], view: str) -> _Scene:
    if not motions or not all(map(len, motions)):
        raise GambolError("a figure has no frames", where="render", allowed="at least one frame")
    return _Scene(motions, terrain or Flat(), size, view)


def crowd_sheet(
    motions: Sequence[Motion], terrain: Terrain | None = None, *, frames: int = 6, size: tuple[int, int] = (640, 360),
    view: str = "three-quarter",
) -> Image:  # fmt: skip
    """Moments of a crowd side by side, each labelled with its time in s.

    Args:
        motions: the figures; all begin at time 0.
        terrain: the ground; flat by default.
        frames: how many pictures, evenly spread.
        size: of one picture, pixels.
        view: as in :data:`gambol.render.VIEWS`, relative to the longest way.
    """
    times = np.linspace(0.0, max(m.duration for m in motions), frames).tolist()
    return label_sheet(_scene(motions, terrain, size, view).shots(times), times, 3, size)


def crowd_video(
    motions: Sequence[Motion], file: str | Path, terrain: Terrain | None = None, *, fps: float = 30.0,
    size: tuple[int, int] = (960, 540), view: str = "three-quarter",
) -> None:  # fmt: skip
    """Write an .mp4 of a crowd.

    Args:
        motions: as for :func:`crowd_sheet`.
        file: ends in .mp4.
        terrain: the ground; flat by default.
        fps: of the video.
        size: pixels.
        view: as for :func:`crowd_sheet`.

    Raises:
        GambolError: for a wrong rate, view or target.
        MissingExtra: without PyAV.
    """
    scene = _scene(motions, terrain, size, view)
    count = max(round(max(m.duration for m in motions) * fps), 1)
    encode_video(scene.shots([k / fps for k in range(count)]), file, fps, size)
