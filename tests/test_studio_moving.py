"""What the page plays is what the methods make: characters' nodes, drives, and poses under the pointer."""

from pathlib import Path

import numpy as np
import pytest
from studio_desk import Desk

from gambol import quat
from gambol.dressing import dressed
from gambol.io import load_character
from gambol.io.glb import read_accessor, unpack
from gambol.io.gltf_attach import attach
from gambol.io.gltf_local import local_motion, locals_of
from gambol.methods.force_walk import ForceWalk
from gambol.model import person_model
from gambol.path import parse_path
from gambol.posing import Puppet, drag
from gambol.postures import base_of, pose_with, posture
from gambol.rig_body import body_of
from gambol.skeleton import forward_kinematics
from gambol.studio.driving import Driving, Steering, read_steering
from gambol.studio.make import make, pose_of, pose_row
from gambol.studio.payload import packed, unpacked
from gambol.studio.project import Drive, Figure, Project, pose_json, read_pose
from gambol.synthesis import Task, generate

CASES = Path(__file__).parent / "cases"
RIGS = ("U001_short_legs.glb", "U002_apose.glb", "U003_armature_001.glb", "U065_matrix_nodes.glb",
        "U070_underscore_prefix.glb", "U025_vrm0_faces_minus_z.vrm")  # fmt: skip


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    made = Desk(tmp_path_factory.mktemp("studio"))
    with made.client:
        yield made


def test_a_message_comes_back_as_it_was():
    arrays = {"a": np.linspace(0, 1, 6).reshape(2, 3), "b": np.arange(5), "c": np.array([True, False, True]),
              "d": np.zeros((0, 3))}  # fmt: skip
    data = packed({"id": 1, "text": "ü"}, arrays)
    header, back = unpacked(data)
    assert header["text"] == "ü" and (len(data) - sum(-(-a.nbytes // 4) * 4 for a in back.values())) % 8 == 0
    assert all(np.allclose(arrays[k], back[k], atol=1e-7) and arrays[k].shape == back[k].shape for k in arrays)


@pytest.mark.parametrize("file", RIGS)
def test_the_nodes_get_what_the_written_clip_gives_them(file):
    rig = load_character(CASES / file)
    task = Task(body=body_of(rig.skeleton, rig.roles), path=parse_path("0,0 0.3,0.6"), fps=10)
    motion = dressed(generate(ForceWalk(), task), rig)
    document, binary = unpack(attach(rig, [motion]).data, file)
    hang = locals_of(rig)
    ours = local_motion(motion, hang)
    at = {int(n): k for k, n in enumerate(hang.nodes)}
    clip, seen = document["animations"][-1], set()
    for channel in clip["channels"]:
        node, path = channel["target"]["node"], channel["target"]["path"]
        theirs = read_accessor(document, binary, clip["samplers"][channel["sampler"]]["output"])
        seen.add(path)
        if path == "rotation":
            mine = np.roll(ours.rotations[:, at[node]], -1, -1)
            assert np.abs(np.abs((mine * theirs).sum(-1)) - 1).max() < 1e-6
        else:
            mine = ours.moves[:, hang.shifted.index(at[node])]
            assert np.abs(mine - theirs).max() < 1e-5 * max(np.abs(theirs).max(), 1)
    assert seen == {"rotation", "translation"}


def test_a_draft_on_a_rig_is_near_the_clip(desk):
    kept = desk.drop("rig.glb", (CASES / "U001_short_legs.glb").read_bytes()).json()
    assert kept["kind"] == "character"
    figure = {"kind": "character", "file": kept["file"]}
    project = {"figure": figure, "fps": 30, "go": {"points": [[0, 0, 0], [0, 0, 2]]}}
    with desk.tab() as tab:
        (head, quick), (_, exact) = tab.ask("make", project=project, draft=True), tab.ask("make", project=project)
    assert head["local"] and quick["rotations"].shape == exact["rotations"].shape
    assert np.abs(quick["shifts"] - exact["shifts"]).max() < 0.03
    turned = 2 * np.arccos(np.clip(np.abs((quick["rotations"] * exact["rotations"]).sum(-1)), 0, 1))
    assert turned.max() < np.radians(12)


def test_what_was_driven_is_made_again_frame_by_frame(desk):
    drive = Driving(desk.shop, Project(fps=30), 1, Steering(1.2, 0.0, "walk"))
    parts = []
    for played, wish in enumerate(({"speed": 1.2}, {"turn": 0.6}, {"speed": 0.9, "turn": -0.4}, {"turn": 0.0})):
        drive.steer({"played": 0.8 * played, **wish})
        parts += [unpacked(m) for m in drive.due()]
    commands = tuple(tuple(row) for row in drive.commands())
    made = make(desk.shop, Project(mode="drive", fps=30, drive=Drive(commands)))
    shown = np.concatenate([arrays["rotations"] for _, arrays in parts])
    starts = [round(30 * header["start"]) for header, _ in parts]
    assert starts == np.cumsum([0, *(header["frames"] for header, _ in parts)])[:-1].tolist()
    assert len(shown) > 60 and len({row[1:] for row in commands}) >= 4
    assert np.abs(shown - np.roll(made.rotations[: len(shown)], -1, -1)).max() < 1e-6


def test_who_is_let_go_stands_and_goes_on_when_asked(desk):
    assert read_steering({"speed": 0.0, "gait": "run"}) == Steering(0.0, 0.0, "stand")
    assert read_steering({"speed": 1.0}, Steering(0.0, 0.0, "stand")) == Steering(1.0, 0.0, "walk")
    for gait in ("run", "walk"):  # commands written by hand that end in no stand end the clip all the same
        rows = ((0.0, 1.2, 0.0, "walk"), (1.5, 0.0, 0.0, gait))
        assert make(desk.shop, Project(mode="drive", fps=30, drive=Drive(rows))).duration < 10


def test_a_looped_dance_of_several_postures_is_measured(desk):
    with desk.tab() as tab:
        texts = ("stand", "raise_left_arm", "nod")
        poses = [tab.ask("posture", figure={}, text=text)["ok"]["pose"] for text in texts]
        keys = [{"time": 0.8 * k, "pose": pose} for k, pose in enumerate(poses)]
        told = tab.ask("report", project={"mode": "dance", "fps": 30, "dance": {"keys": keys, "period": 2.4}})["ok"]
    assert told["passed"], told["failures"]


def test_frames_come_ahead_of_what_is_shown_and_no_farther(desk):
    drive = Driving(desk.shop, Project(), 1, Steering(1.0, 0.0, "walk"))
    made = sum(unpacked(m)[0]["frames"] for m in drive.due()) / 30
    assert 0.3 <= made <= 0.3 + 1.2
    drive.steer({"played": 1.0})
    assert made + sum(unpacked(m)[0]["frames"] for m in drive.due()) / 30 >= 1.3


def test_stretches_on_a_rig_are_those_of_the_whole(desk):
    kept = desk.drop("rig.glb", (CASES / "U001_short_legs.glb").read_bytes()).json()["file"]
    figure = Figure("character", file=kept)
    drive = Driving(desk.shop, Project(fps=30, figure=figure), 1, Steering(1.2, 0.3, "walk"))
    parts = []
    for k in range(5):
        drive.steer({"played": 0.7 * k})
        parts += [unpacked(m)[1] for m in drive.due()]
    shifts, turns = (np.concatenate([p[name] for p in parts]) for name in ("shifts", "rotations"))
    commands = tuple(tuple(row) for row in drive.commands())
    person = make(desk.shop, Project(mode="drive", fps=30, drive=Drive(commands), figure=figure))
    whole = local_motion(person, desk.shop.figure(figure).nodes)  # planted; the stretches are not
    count = len(shifts)
    assert count > 80 and np.abs(shifts - whole.moves[:count]).max() < 0.05
    jolt = np.linalg.norm(np.diff(shifts[:, 0], 2, axis=0), axis=-1)
    cuts = np.cumsum([len(p["shifts"]) for p in parts])[:-1] - 1
    assert jolt[cuts].max() < 2 * np.delete(jolt, cuts)[30:].max()
    assert turns.shape[1:] == (len(desk.shop.figure(figure).nodes.names), 4)


def test_a_drag_over_the_socket_is_the_drag_of_the_library(desk):
    model = person_model(Task().body)
    pose = pose_with(model, posture("stand", base_of("person")))[0]
    start = forward_kinematics(model.skeleton, pose.root, pose.rotations)[0][model.skeleton.index("left_hand")]
    goal = start + [0.05, 0.1, 0.1]
    puppet = Puppet(model.skeleton, model.limits)
    theirs = drag(puppet, pose, {"left_hand": goal[None]}, ["left_foot", "right_foot"])
    with desk.tab() as tab:
        row = pose_json(pose_row(pose, model.skeleton))
        fixed = ["left_foot", "right_foot"]
        grip = tab.ask("grab", figure={}, pose=row, joints=["left_hand"], fixed=fixed)["ok"]["grip"]
        header, arrays = tab.ask("pull", grip=grip, goals=[goal.tolist()])
        done = tab.ask("release", grip=grip)["ok"]["pose"]
    assert arrays["points"].shape == (len(model.skeleton), 3) and 0 <= header["stretch"] <= 0.0501
    ours = pose_of(read_pose(done), model.skeleton)
    assert np.abs(ours.root - theirs.root).max() < 1e-9 and np.abs(ours.rotations - theirs.rotations).max() < 1e-9


def test_a_symmetric_drag_stays_symmetric(desk):
    with desk.tab() as tab:
        pose = tab.ask("posture", figure={}, text="stand")["ok"]["pose"]
        grip = tab.ask("grab", figure={}, pose=pose, joints=["left_hand"], symmetric=True)["ok"]["grip"]
        _, arrays = tab.ask("pull", grip=grip, goals=[[0.5, 1.3, 0.3]])
    skeleton = person_model(Task().body).skeleton
    left, right = (arrays["points"][skeleton.index(f"{s}_hand")] for s in ("left", "right"))
    assert np.abs(left - right * [-1, 1, 1]).max() < 1e-5


def test_a_mirrored_pose_mirrored_again_is_the_pose(desk):
    with desk.tab() as tab:
        pose = tab.ask("posture", figure={}, text="raise_left_arm + twist_right*0.5")["ok"]["pose"]
        other = tab.ask("mirror", figure={}, pose=pose)["ok"]["pose"]
        back = tab.ask("mirror", figure={}, pose=other)["ok"]["pose"]
    skeleton = person_model(Task().body).skeleton
    a, b, c = (pose_of(read_pose(p), skeleton) for p in (pose, back, other))
    assert np.abs(a.rotations - b.rotations).max() < 1e-9 and np.abs(a.root - b.root).max() < 1e-9
    left, right = skeleton.index("left_upper_arm"), skeleton.index("right_upper_arm")
    assert np.allclose(a.rotations[left] * [1, 1, -1, -1], c.rotations[right])


def test_a_posture_is_added_to_a_pose_where_it_stands(desk):
    skeleton = person_model(Task().body).skeleton
    turn = quat.from_axis_angle([0.0, 1.0, 0.0], 1.0)
    with desk.tab() as tab:
        pose = tab.ask("posture", figure={}, text="raise_left_arm")["ok"]["pose"]
        pose["root"] = [2.0, pose["root"][1], 1.0]
        pose["rotations"]["hips"] = list(map(float, turn))
        more = tab.ask("posture", figure={}, text="nod", pose=pose)["ok"]["pose"]
    a, b = (pose_of(read_pose(p), skeleton) for p in (pose, more))
    arm, head = skeleton.index("left_upper_arm"), skeleton.index("head")
    assert np.allclose(a.root, b.root) and np.allclose(a.rotations[0], b.rotations[0])
    assert np.allclose(a.rotations[arm], b.rotations[arm]) and not np.allclose(a.rotations[head], b.rotations[head])


def test_a_rig_is_posed_by_a_persons_joints_and_danced(desk):
    kept = desk.drop("rig.glb", (CASES / "U001_short_legs.glb").read_bytes()).json()["file"]
    figure = {"kind": "character", "file": kept}
    with desk.tab() as tab:
        pose = tab.ask("posture", figure=figure, text="raise_left_arm")["ok"]["pose"]
        header, arrays = tab.ask("show", figure=figure, pose=pose)
        other = tab.ask("mirror", figure=figure, pose=pose)["ok"]["pose"]
        keys = [{"time": 0, "pose": pose}, {"time": 1, "pose": other}]
        clip, danced = tab.ask("make", project={"mode": "dance", "figure": figure, "dance": {"keys": keys}})
    assert "left_hand" in header["joints"] and header["names"] == clip["names"]
    assert clip["seconds"] == pytest.approx(1.0)
    rig = load_character(CASES / "U001_short_legs.glb")
    upper = [j for r, j in rig.roles.joints.items() if not any(p in r for p in ("leg", "foot", "toes"))]
    above = [header["names"].index(rig.skeleton.names[j]) for j in upper]  # a dance softens the knees
    same = (danced["rotations"][0] * arrays["figure_rotations"][0]).sum(-1)[above]
    assert len(above) > 10 and np.abs(np.abs(same) - 1).max() < 1e-6


def test_a_plant_sways_and_a_dog_does_not_walk(desk):
    wind = {"wind": {"toward": [1, 0, 0], "speed": 8}, "period": 2.0}
    with desk.tab() as tab:
        rose = {"mode": "dance", "figure": {"kind": "model", "model": "rose"}, "dance": wind}
        header, arrays = tab.ask("make", project=rose)
        said = tab.ask("make", project={**rose, "mode": "go", "go": {"points": [[0, 0, 0], [0, 0, 2]]}})
    assert header["cyclic"] and np.ptp(arrays["rotations"], axis=0).max() > 0.01
    assert "does not walk" in said["error"]["what"]


def test_a_clip_that_is_looked_at_is_the_file(desk, tmp_path):
    from gambol.io import load_motion

    name = "U001_walk_planted.bvh"
    kept = desk.drop(name, (CASES / name).read_bytes()).json()
    view = {"mode": "view", "figure": {"kind": "clip", "file": kept["file"]}, "view": {"file": kept["file"]}}
    with desk.tab() as tab:
        header, arrays = tab.ask("make", project=view)
    motion = load_motion(CASES / name)
    assert header["frames"] == len(motion) and np.abs(arrays["root"] - motion.root).max() < 1e-5
    figure = desk.client.post("/api/figure", json=header["figure"]).content
    (tmp_path / "f.glb").write_bytes(figure)
    assert load_motion(tmp_path / "f.glb").skeleton.names == motion.skeleton.names


def test_grounds_are_the_triangles_that_are_walked_on(desk):
    data = (CASES / "U011_stairs_irregular.obj").read_bytes()
    kept = desk.drop("stairs.obj", data).json()
    assert kept["kind"] == "ground"
    header, arrays = unpacked(desk.client.post("/api/ground", json={"file": kept["file"]}).content)
    low, high = np.array(header["bounds"])
    assert np.allclose(arrays["positions"].min(0), low, atol=1e-5) and arrays["faces"].max() < len(arrays["positions"])
    assert (high > low).all()


def test_a_song_is_heard_and_may_come_later(desk):
    kept = desk.drop("song.mid", (CASES / "U081_tempo_in_other_track.mid").read_bytes()).json()
    assert kept["kind"] == "music"
    with desk.tab() as tab:
        now, later = (tab.ask("beats", file=kept["file"], offset=t)["ok"] for t in (0.0, 0.25))
    assert now["times"] and now["peaks"] == [] and now["tempo"] > 0
    assert np.allclose(np.array(later["times"]) - now["times"], 0.25)


def test_a_clip_too_long_is_refused_before_it_is_made(desk):
    far = {"go": {"points": [[0, 0, 0], [0, 0, 900]], "speed": 0.6}, "fps": 1000}
    with desk.tab() as tab:
        said = tab.ask("make", project=far)["error"]
    assert "frames" in said["what"] and "shorter" in said["do"]


def test_a_report_says_what_the_clip_does(desk):
    project = {"go": {"points": [[0, 0, 0], [0, 0, 8]]}}
    with desk.tab() as tab:
        told = tab.ask("report", project=project)["ok"]
    assert told["passed"] and told["failures"] == [] and "steps, worst slide" in told["sentences"][0]
    knee = told["angles"]["knee"]
    assert len(knee["left"]) == len(knee["mean"]) == 101 and 50 < max(knee["left"]) < 75
    up, push = np.array(told["force"]["left"]), np.array(told["force"]["forward"]["left"])
    assert up.shape == (101,) and 0.9 < up.max() < 1.4 and abs(up[-15]) < 0.05
    assert push[:30].min() < -0.05 and push[30:65].max() > 0.05  # it brakes, then pushes


