"""Pictures and video: what they hold, that they are the same twice, and what is refused."""

from __future__ import annotations

import builtins
import json
from dataclasses import replace

import numpy as np
import pytest
from walks import level_walk

from gambol import quat, shapes
from gambol.body import Body
from gambol.errors import GambolError, MissingExtra
from gambol.mannequin import deform, mannequin
from gambol.motion import Motion
from gambol.raster import look_at, project
from gambol.render import VIEWS, contact_sheet, strip, video, write_picture
from gambol.shading import Stage, ground_near, picture
from gambol.skeleton import Skeleton, forward_kinematics
from gambol.terrain import Flat, Slope, Stairs


def pixels(image) -> np.ndarray:
    return np.asarray(image).astype(int)


def shot(figures=(), terrain=None, marks=(), notes=()) -> np.ndarray:
    """A picture of 160 x 120 pixels, from 5 m before the origin and 1.5 m up."""
    view = look_at([0.0, 1.5, 5.0], [0.0, 0.8, 0.0], 0.45, (320, 240))
    ground = ground_near(terrain or Flat(), np.array([-4.0, -4.0]), np.array([4.0, 4.0]))
    return picture(view, Stage(ground, figures, marks, notes, np.zeros((2, 2)), (2.0, 4.0))).astype(int)


# the figure


def test_a_figure_is_posed_as_its_skin_is():
    motion = level_walk()
    skin = mannequin(motion.skeleton)
    p, q = forward_kinematics(motion.skeleton, motion.root[70], motion.rotations[70])
    assert np.abs(shapes.figures(motion, [70])[0].points - deform(skin, motion.skeleton, p, q)).max() < 1e-12


def test_left_and_right_are_told_apart_and_mirror_each_other():
    """Of the two sides of the rest pose, one is warmer everywhere on the limbs, and neither is brighter by much."""
    motion = level_walk()
    solid = shapes.figures(motion, [0])[0]
    skin = mannequin(motion.skeleton)
    middle = skin.vertices[skin.faces].mean(1)
    hands = np.abs(middle[:, 0]) > 0.42 * 1.75
    warm = solid.colours[:, 0] - solid.colours[:, 2]
    assert warm[hands & (middle[:, 0] > 0)].min() > 0.15 > 0.0 > warm[hands & (middle[:, 0] < 0)].max()


def test_what_is_no_person_is_drawn_as_bones():
    chain = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.array([[0, 0, 0], [0, 1.0, 0], [0, 0.5, 0]]))
    half = Motion(chain, np.zeros((2, 3)), np.broadcast_to([1.0, 0, 0, 0], (2, 3, 4)), 30.0)
    assert len(np.unique(pixels(contact_sheet(half, frames=1, size=(100, 100))).reshape(-1, 3), axis=0)) > 10
    solid = shapes.figures(half, [0])[0]
    assert solid.points[:, 1].max() == pytest.approx(1.5)


@pytest.mark.parametrize("mesh", [True, False])
def test_surfaces_are_closed_and_look_outwards(mesh):
    """Every edge has two faces that pass it in opposite ways, and the volume is positive."""
    solid = shapes.figures(level_walk(), [0], mesh)[0]
    corner = solid.points[solid.faces]
    assert np.einsum("ti,ti->t", corner[:, 0], np.cross(corner[:, 1], corner[:, 2])).sum() > 0
    edges = np.concatenate([solid.faces[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    there, back = ({tuple(e) for e in edges[:, order].tolist()} for order in ([0, 1], [1, 0]))
    assert there == back


# ground, prints, arrows


def test_a_print_lies_where_each_foot_was_planted():
    motion = level_walk()
    soles = motion.positions()[:, list(motion.skeleton.soles)]
    prints = shapes.footprints(motion)
    assert len(prints) == len(motion.info["events"]["left_strike"]) + len(motion.info["events"]["right_strike"]) + 2
    for frame, solid in prints:
        left = np.array_equal(solid.colours[0], shapes.LEFT)
        foot = soles[frame, :2] if left else soles[frame, 2:]
        assert motion.contacts[frame, :2].any() if left else motion.contacts[frame, 2:].any()
        assert np.linalg.norm(solid.points.mean(0)[[0, 2]] - foot.mean(0)[[0, 2]]) < 0.05
        assert 0 < solid.points[:, 1].min() <= solid.points[:, 1].max() < 0.01


def test_arrows_stand_on_the_centre_of_pressure_and_measure_the_force():
    motion = level_walk()
    loaded = np.flatnonzero(np.isfinite(motion.pressure).all(-1).sum(1) == 1)[30]
    (arrow,) = shapes.arrows(motion, loaded)
    foot = int(np.flatnonzero(np.isfinite(motion.pressure[loaded]).all(-1))[0])
    base, tip = arrow.points[-2:]
    assert np.allclose(base, motion.pressure[loaded, foot])
    assert np.allclose(tip - base, motion.forces[loaded, foot] / (motion.mass * 9.81) * shapes.ARROW)


def test_a_motion_without_contacts_and_forces_has_no_prints_and_no_arrows():
    bare = replace(level_walk(), contacts=None, forces=None, pressure=None, com=None)
    assert shapes.footprints(bare) == [] == shapes.arrows(bare, 0)
    contact_sheet(bare, frames=1, size=(40, 50))
    strip(bare, poses=2, size=(80, 40))


def test_treads_are_bright_and_risers_are_darker():
    """Stairs that come down towards the camera: in the middle column light and dark alternate."""
    column = shot(terrain=Stairs(-0.2, 0.3, 3, start=-0.6))[:, 80].mean(-1)
    steps = np.sign(np.diff(column)) * (np.abs(np.diff(column)) > 8)
    assert (steps < 0).sum() >= 3 and (steps > 0).sum() >= 3


def test_level_ground_has_no_edges_and_a_slope_neither():
    for terrain in (Flat(), Slope(np.radians(8.0))):
        lower = shot(terrain=terrain)[95:].mean(-1)
        assert np.ptp(lower) < 30


def test_the_figure_throws_a_shadow_and_hides_the_ground():
    empty = shot()
    motion = level_walk()
    standing = replace(motion[:1], root=motion.root[:1] * [0.0, 1.0, 0.0])
    with_figure = shot(shapes.figures(standing, [0]))
    changed = np.abs(with_figure - empty).max(-1) > 3
    assert changed.mean() > 0.05
    feet = with_figure[96:112].mean(-1) - empty[96:112].mean(-1)
    assert feet.min() < -20 and feet.max() < 40


def test_what_is_hidden_shows_faintly_only_where_it_is_a_note():
    wall = shapes.Solid(
        np.array([[-1.0, 0, 1], [1, 0, 1], [1, 1.6, 1], [-1, 1.6, 1]]), np.tile([0.0, 0, 1], (4, 1)),
        np.array([[0, 1, 2], [0, 2, 3]]), np.full((2, 3), 0.5),
    )  # fmt: skip
    rope = shapes.trail(np.array([[-0.5, 0.8, 0.0], [0.0, 0.8, 0.0], [0.5, 0.8, 0.0]]), radius=0.05)
    plain, behind, noted = shot([wall]), shot([wall, *rope]), shot([wall], notes=rope)
    free = shot(notes=rope)
    row = slice(50, 70)
    assert np.abs(behind[row, 80] - plain[row, 80]).max() <= 2
    faint, full = (np.abs(a[row, 80] - b[row, 80]).max() for a, b in ((noted, plain), (free, shot())))
    assert 10 < faint < 0.8 * full


# sheets and strips


def test_a_sheet_has_its_tiles_and_the_figure_is_in_each():
    sheet = pixels(contact_sheet(level_walk(), frames=4, columns=2, size=(120, 150)))
    assert sheet.shape == (300, 240, 3)
    for tile in (sheet[:150, :120], sheet[150:, 120:]):
        middle = tile[40:110, 45:75].reshape(-1, 3)
        assert np.ptp(middle.sum(-1)) > 150  # dark trousers before light ground


def test_chosen_times_are_the_frames_at_those_times():
    motion = level_walk()
    times = [0.5, 1.0]
    a = contact_sheet(motion, times=times, size=(60, 70)).crop((60, 20, 119, 69))
    b = contact_sheet(motion, times=[1.0], size=(60, 70)).crop((0, 20, 59, 69))
    assert np.abs(pixels(a)[:, 1:] - pixels(b)[:, 1:]).max() == 0


def test_the_same_picture_twice():
    a, b = (contact_sheet(level_walk(), frames=3, size=(90, 110), view="side").tobytes() for _ in range(2))
    assert a == b


@pytest.mark.parametrize("view", VIEWS)
def test_turning_the_walk_turns_the_camera_along(view):
    """Half a turn of figure and forces gives the same picture, for the pattern of tiles has that symmetry."""
    motion = level_walk()
    turn = np.array([0.0, 0.0, 1.0, 0.0])
    rotations = motion.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    turned = replace(
        motion, root=quat.rotate(turn, motion.root), rotations=rotations, com=None,
        forces=quat.rotate(turn, motion.forces), pressure=quat.rotate(turn, motion.pressure),
    )  # fmt: skip
    a, b = (pixels(contact_sheet(m, times=[2.0], size=(80, 100), view=view)) for m in (motion, turned))
    different = np.abs(a - b)
    assert np.percentile(different, 99) <= 2


def test_strip_shows_every_pose_and_the_ground():
    wide = pixels(strip(level_walk(), Stairs(0.16, 0.3, 3, start=4.0), poses=3, size=(300, 100)))
    assert wide.shape == (100, 300, 3)
    dark = (wide.max(-1) < 90).any(0)  # trousers and shoes
    assert (np.diff(np.r_[False, dark].astype(int)) == 1).sum() >= 3
    assert not dark[:3].any() and not dark[-3:].any()


# video


def frames_of(file):
    av = pytest.importorskip("av")
    with av.open(str(file)) as container:
        stream = container.streams.video[0]
        frames = list(container.decode(stream))
        kind = (stream.codec_context.name, stream.pix_fmt, (stream.width, stream.height))
        return *kind, stream.average_rate, frames, float(stream.duration * stream.time_base)


def test_video_plays_as_long_as_the_clip(tmp_path, cases):
    """U054: odd sizes are evened, 29.97 stays 29.97, the length is the clip's within a frame."""
    asked = json.loads((cases / "U054_video_853x479.json").read_text())
    motion = level_walk(fps=asked["fps"])[:39]
    file = tmp_path / "walk.mp4"
    pytest.importorskip("av")
    video(motion, file, size=(asked["width"] // 4, asked["height"] // 4))
    codec, pixel, size, rate, frames, seconds = frames_of(file)
    assert (codec, pixel, size) == ("h264", "yuv420p", (214, 120))
    assert rate * 1001 == 30000
    assert seconds == pytest.approx(1.30, abs=1 / 29.97)
    assert len(frames) == 39
    assert not list(tmp_path.glob(".*"))


def test_video_of_a_fast_clip_shows_every_second_frame(tmp_path):
    pytest.importorskip("av")
    motion = level_walk(fps=60.0)[60:72]
    video(motion, tmp_path / "walk.mp4", size=(96, 96), mesh=False)
    *_, rate, frames, _ = frames_of(tmp_path / "walk.mp4")
    assert rate == 30 and len(frames) == 6


def test_a_missing_video_library_names_the_extra(tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *args, **more):
        if name == "av":
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match="video"):
        video(level_walk(), tmp_path / "walk.mp4")
    assert not list(tmp_path.iterdir())


# what cannot be used


@pytest.mark.parametrize("name", ["walk.jpg", "walk", "none/walk.png"])
def test_refused_targets_leave_nothing(tmp_path, name):
    with pytest.raises(GambolError):
        write_picture(contact_sheet(level_walk(), frames=1, size=(40, 50)), tmp_path / name)
    with pytest.raises(GambolError):
        video(level_walk(), (tmp_path / name).with_suffix(".avi"))
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_drawn_is_refused():
    motion = level_walk()
    with pytest.raises(GambolError, match="no frames"):
        contact_sheet(motion[:0])
    with pytest.raises(GambolError, match="no frames"):
        strip(motion[:0])
    with pytest.raises(GambolError, match="three-quarter"):
        contact_sheet(motion, frames=1, view="below")
    with pytest.raises(GambolError, match="0 to"):
        contact_sheet(motion, times=[motion.duration + 1.0])
    with pytest.raises(GambolError, match="pixels"):
        contact_sheet(motion, frames=1, size=(0, 50))


@pytest.mark.parametrize("fps", [0.0, -30.0, float("nan")])
def test_a_rate_that_is_none_is_refused(tmp_path, fps):
    pytest.importorskip("av")
    with pytest.raises(GambolError, match="fps"):
        video(level_walk(), tmp_path / "walk.mp4", fps=fps)


def test_people_of_any_height_fill_the_tile():
    """The camera's distance goes with the figure."""
    shares = []
    for height in (1.0, 2.0):
        rest = Motion(
            Body(height).skeleton, Body(height).skeleton.offsets[:1], np.broadcast_to([1.0, 0, 0, 0], (1, 26, 4)), 30.0
        )
        tile = pixels(contact_sheet(rest, frames=1, size=(150, 150), view="front"))
        shares.append((tile.max(-1) < 90).mean())
    assert shares[0] == pytest.approx(shares[1], rel=0.05)


def test_a_wall_below_the_figure_has_none_of_its_shadow():
    """Of a step down in front of the figure, the tread is darkened and the riser is not."""
    stairs = Stairs(-0.2, 1.0, 1, start=0.2)
    motion = level_walk()
    standing = replace(motion[:1], root=motion.root[:1] * [0.0, 1.0, 0.0])
    change = (shot(shapes.figures(standing, [0]), stairs) - shot(terrain=stairs)).mean(-1)
    view = look_at([0.0, 1.5, 5.0], [0.0, 0.8, 0.0], 0.45, (160, 120))
    (wall, tread), _ = project(view, np.array([[0.2, -0.1, 0.2], [0.2, 0.0, 0.1]]))
    assert abs(change[int(wall[1]), int(wall[0])]) <= 1
    assert change[int(tread[1]), int(tread[0])] < -3
