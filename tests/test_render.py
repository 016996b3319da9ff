"""Pictures and video: what they hold, that they are the same twice, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from walks import level_walk

from gambol.errors import GambolError
from gambol.render import contact_sheet, strip, video, write_picture
from gambol.terrain import Stairs


def test_a_sheet_has_its_tiles_and_the_figure_is_in_each():
    sheet = np.asarray(contact_sheet(level_walk(), frames=4, columns=2, size=(120, 150)))
    assert sheet.shape == (300, 240, 3)
    for tile in (sheet[:150, :120], sheet[150:, 120:]):
        middle = tile[40:110, 45:75].reshape(-1, 3).astype(int)
        assert np.ptp(middle.sum(-1)) > 150  # dark trousers before light ground


def test_the_same_picture_twice():
    a, b = (contact_sheet(level_walk(), frames=2, size=(90, 110), view="side").tobytes() for _ in range(2))
    assert a == b


def test_strip_shows_every_pose_and_the_ground():
    motion = level_walk()
    wide = np.asarray(strip(motion, Stairs(0.16, 0.3, 3, start=4.0), poses=3, size=(300, 100)))
    assert wide.shape == (100, 300, 3)
    assert len(np.unique(wide.reshape(-1, 3), axis=0)) > 100


def test_what_is_no_person_is_drawn_as_bones():
    motion = level_walk()
    half = type(motion)(
        type(motion.skeleton)(("a", "b", "c"), [-1, 0, 1], [[0, 0, 0], [0, 1.0, 0], [0, 0.5, 0]]),
        np.zeros((2, 3)), np.broadcast_to([1.0, 0, 0, 0], (2, 3, 4)), 30.0,
    )
    picture = np.asarray(contact_sheet(half, frames=1, size=(100, 100)))
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10


def test_video_plays_as_long_as_the_clip(tmp_path):
    """U054: odd sizes are evened, 29.97 stays 29.97, the length is the clip's within a frame."""
    av = pytest.importorskip("av")
    motion = level_walk(fps=29.97)[:39]
    file = tmp_path / "walk.mp4"
    video(motion, file, size=(213, 119))
    with av.open(str(file)) as container:
        stream = container.streams.video[0]
        frames = list(container.decode(stream))
        assert (stream.width, stream.height) == (214, 120)
        assert stream.average_rate == pytest.approx(30000 / 1001)
        assert len(frames) / float(stream.average_rate) == pytest.approx(1.30, abs=1 / 29.97)


@pytest.mark.parametrize("name", ["walk.jpg", "none/walk.png"])
def test_refused_targets_leave_nothing(tmp_path, name):
    with pytest.raises(GambolError):
        write_picture(contact_sheet(level_walk(), frames=1, size=(40, 50)), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_an_empty_motion_and_an_unknown_view_are_refused():
    with pytest.raises(GambolError, match="no frames"):
        contact_sheet(level_walk()[:0])
    with pytest.raises(GambolError, match="three-quarter"):
        contact_sheet(level_walk(), frames=1, view="below")
