"""The studio over HTTP and its socket, as a page uses it."""

import numpy as np
import pytest
from studio_desk import WALK, Desk

from gambol.body import Body
from gambol.io import load_motion
from gambol.methods import METHODS
from gambol.methods.force_walk import ForceWalk
from gambol.path import walkable
from gambol.synthesis import Task, dials, generate


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    made = Desk(tmp_path_factory.mktemp("studio"))
    with made.client:
        yield made


def test_about_lists_every_dial_of_every_method(desk):
    told = desk.client.get("/api/about").json()
    for method in told["methods"]:
        assert [d["name"] for d in method["dials"]] == [d.name for d in dials(METHODS[method["name"]])]
    assert {m["name"] for m in told["methods"]} == set(METHODS)
    assert told["engine"] == "numpy"


def test_a_figure_is_a_skinned_glb_whose_nodes_are_the_joints(desk, tmp_path):
    data = desk.client.post("/api/figure", json={"kind": "person", "height": 1.6}).content
    (tmp_path / "figure.glb").write_bytes(data)
    assert load_motion(tmp_path / "figure.glb").skeleton.names == Body(1.6).skeleton.names
    assert b"JOINTS_0" in data


def test_a_clip_is_the_motion_that_the_method_makes(desk):
    with desk.tab() as tab:
        header, arrays = tab.ask("make", project=WALK)
    motion = generate(ForceWalk(), Task(path=walkable(np.array(WALK["go"]["points"], float))))
    assert header["frames"] == len(motion) and tuple(header["names"]) == motion.skeleton.names
    assert np.abs(arrays["root"] - motion.root).max() < 1e-6
    assert np.abs(np.roll(arrays["rotations"], 1, -1) - motion.rotations).max() < 1e-6
    assert np.array_equal(arrays["contacts"], motion.contacts)
    assert [round(s["strike"], 6) for s in header["steps"] if s["side"] == "right"][1:] == pytest.approx(
        [t for t in motion.info["events"]["right_strike"] if t > 0], abs=1e-6
    )
