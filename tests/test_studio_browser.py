"""The studio used as a person would, in Chromium, by ``make test-browser``; GAMBOL_PICTURES=folder keeps pictures."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from gambol.io import clips, load_motion
from gambol.measure import measure

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[1]
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), "")
DRIVEN = float(os.environ.get("GAMBOL_DRIVE", "10"))  # s
FLAGS = ("--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
         "--disable-background-networking", "--autoplay-policy=no-user-gesture-required")  # fmt: skip
FINDINGS = """axe.run().then(r => r.violations.filter(v => ["serious", "critical"].includes(v.impact))
  .map(v => [v.id, v.nodes.slice(0, 3).map(n => n.target.join() + n.failureSummary)]))"""
SWITCHED = """(() => {
  const d = window.gambol.director, f = d.stage.figure, c = window.gambol.store.clip.value;
  const lowest = () => {
    f.show(c, 0.5);
    f.root.updateMatrixWorld(true);
    const ys = [];
    f.root.traverse(n => n.isBone && ys.push(n.getWorldPosition(d.stage.controls.target.clone()).y));
    return Math.min(...ys);
  };
  const before = lowest();
  for (let k = 0; k < 100; k++) f.show({...c}, 0.1 * (k % 9));
  return Math.abs(lowest() - before);
})()"""  # U110: how far 100 changes of the clip move what stands on the floor
AXE = ROOT / "tests" / "browser" / "node_modules" / "axe-core" / "axe.min.js"


@contextmanager
def served(folder, *words, port="0"):
    """A studio in a process of its own; its address."""
    command = [sys.executable, "-m", "gambol", *(words or ("studio",)), "--no-browser", "--folder", str(folder)]
    process = subprocess.Popen([*command, "--port", port], stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        yield re.search(r"http\S+", line).group(0), process
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def chromium():
    if not CHROMIUM:
        pytest.skip("needs chromium: apt install chromium, or CHROMIUM=/path/to/it")
    if not (ROOT / "src/gambol/studio/page/index.html").is_file():
        pytest.skip("needs the built page: make studio")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


class Page:
    """A tab of the studio, and what a person does in it."""

    def __init__(self, browser, address, context=None):
        self.context = context or browser.new_context(viewport={"width": 1280, "height": 760}, accept_downloads=True)
        self.page, self.faults = self.context.new_page(), []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda r: self.faults.append(r.url) if "127.0.0.1" not in r.url[:20]
                     and not r.url.startswith(("data:", "blob:", "ws://127")) else None)  # fmt: skip
        self.page.goto(address)
        self.until("window.gambol && window.gambol.store.name.value !== ''")  # its project is there

    def now(self, script, value=None):
        return self.page.evaluate(script, value)

    def until(self, script, seconds=30.0, value=None):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.now(script, value)
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError(f"not within {seconds} s: {script}; {self.trouble()}")

    def trouble(self):
        return self.now("window.gambol ? window.gambol.store.trouble.value : document.body.innerText")

    def mode(self, name):
        self.page.get_by_role("button", name=name, exact=True).click()

    def drop(self, *files):
        self.now("window.gambol.store.trouble.value = null; window.gambol.store.dropped.value = []")
        self.page.set_input_files("#drop", [str(f) for f in files])
        self.until("n => window.gambol.store.dropped.value.length === n || window.gambol.store.trouble.value", 60,
                   len(files))

    def project(self):
        return self.now("window.gambol.store.project.value")

    def settled(self):
        """Until the full clip of what is asked has been made and measured, or could not be; what was said then."""
        self.until("window.gambol.store.answered.value === window.gambol.store.motionKey.value", 90)
        return self.trouble()

    def on_ground(self, x, y, z):
        """Where on the page a point of the world is seen."""
        return self.now(
            """([x, y, z]) => {
              const s = window.gambol.director.stage, p = s.controls.target.clone().set(x, y, z);
              s.camera.updateMatrixWorld();
              const at = s.seen(p), box = s.canvas.getBoundingClientRect();
              return [at.x + box.left, at.y + box.top];
            }""",
            [x, y, z],
        )

    def joint(self, name):
        return self.now("n => window.gambol.director.joints.at(n).toArray()", name)

    def picture(self, name):
        if folder := os.environ.get("GAMBOL_PICTURES"):
            self.page.screenshot(path=str(Path(folder) / f"{name}.png"))

    def take(self, suffix, folder):
        """Export, as a person does; the file that arrives."""
        self.page.get_by_role("button", name="Export", exact=True).click()
        with self.page.expect_download(timeout=60_000) as waiting:
            self.page.get_by_role("menuitem", name=re.compile(rf"^{re.escape(suffix)}")).first.click()
        file = folder / waiting.value.suggested_filename
        waiting.value.save_as(file)
        return file


@pytest.fixture
def page(chromium, tmp_path):
    with served(tmp_path / "studio") as (address, _):
        made = Page(chromium, address)
        yield made
        assert not made.faults, made.faults
        made.context.close()


def test_the_first_minute(page, tmp_path):
    """A figure walks at once; the file taken away holds that walk, feet planted."""
    page.until("!!window.gambol.store.clip.value")
    assert page.settled() is None
    page.picture("go")
    assert page.now("window.gambol.store.report.value.passed")
    assert page.page.get_by_text(re.compile(r"\d+ steps, worst slide 0\.\d mm")).is_visible()
    walk = load_motion(page.take(".glb", tmp_path))
    assert measure(walk).passed and len(walk) == page.now("window.gambol.store.clip.value.frames")


def test_a_path_is_drawn_up_the_stairs_and_dragged(page, data, tmp_path):
    stairs = next((data / "terrain").rglob("*.obj"))
    page.drop(stairs)
    assert "file" in page.project()["ground"]
    page.page.get_by_role("button", name="Clear", exact=True).click()
    page.page.locator("label.choice:has-text('Ground') select").select_option(label="Stairs up")
    page.until("window.gambol.director.stage.ground.children.length > 1")
    page.now("window.gambol.director.show.follow.value = false; window.gambol.director.stage.follow = false")
    for z, y in ((0.0, 0.0), (5.0, 6 * 0.17)):
        page.now("(s => s.frameOn(s.controls.target.clone().set(0, 0.6, 2.5), 4))(window.gambol.director.stage)")
        time.sleep(0.3)
        page.page.mouse.click(*page.on_ground(0.0, y, z))
    points = page.project()["go"]["points"]
    assert len(points) == 2 and abs(points[1][1] - 6 * 0.17) < 0.02, points
    assert page.settled() is None
    page.picture("stairs")
    assert page.now("window.gambol.store.report.value.passed"), page.now("window.gambol.store.report.value.failures")
    before = page.now("window.gambol.store.clip.value.root.at(-3)")
    x, y = page.on_ground(*points[1])
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    for k in range(1, 8):
        page.page.mouse.move(x + 6 * k, y)
    page.page.mouse.up()
    assert page.settled() is None
    assert page.project()["go"]["points"][1] != points[1]
    assert abs(page.now("window.gambol.store.clip.value.root.at(-3)") - before) > 0.05
    page.page.keyboard.press("Control+z")
    assert page.project()["go"]["points"][1] == points[1]  # one drag, one step
    page.page.keyboard.press("Control+Shift+z")
    assert page.project()["go"]["points"][1] != points[1]
    page.page.keyboard.press("Control+z")
    assert page.settled() is None
    motion = load_motion(page.take(".bvh", tmp_path))
    assert motion.positions()[-1, 0, 1] > 6 * 0.17 + 0.7


@pytest.mark.parametrize("file", ["stairs.glb", "stairs_wood.glb", "terrain.obj"])
def test_a_level_is_walked_on_or_says_what_is_in_the_way(page, data, file):
    before = page.project()["ground"]
    page.drop(data / "terrain" / file)
    assert page.project()["ground"] != before, page.trouble()
    page.until("window.gambol.director.stage.ground.children.length > 0")
    said = page.settled()
    assert said is None or "allowed: at most" in said  # a riser of half a metre on the way across is no walk
    page.picture(file.partition(".")[0])


@pytest.mark.parametrize("file", ["robot_expressive.glb", "cryptovoxels.vrm", "cesium_man.gltf"])
def test_a_character_walks_in_its_own_skin(page, data, tmp_path, file):
    source = data / "characters" / file
    page.drop(source)
    assert page.project()["figure"]["kind"] == "character", page.trouble()
    assert page.settled() is None
    page.picture(file.partition(".")[0])
    assert page.now("window.gambol.store.report.value.passed")
    assert page.now("window.gambol.director.stage.figure.skinned")
    assert page.now(SWITCHED) < 1e-9
    out = page.take(".glb", tmp_path)
    assert set(clips(source)) < set(clips(out))


def test_a_beast_is_told_that_it_does_not_walk_and_dances(page, data):
    page.drop(data / "characters" / "fox.glb")
    assert page.project()["mode"] == "dance"
    assert page.page.get_by_text("does not walk").is_visible()
    page.until("window.gambol.director.posing.value && window.gambol.director.posing.value.joints.length > 20")
    time.sleep(1.0)
    page.picture("fox")


def test_a_hand_is_dragged_and_the_feet_stay(page):
    page.mode("Dance")
    page.until("window.gambol.director.posing.value !== null && window.gambol.director.joints.group.visible")
    page.page.get_by_role("button", name="Hold feet").click()
    time.sleep(0.5)
    feet = [page.joint(f) for f in ("left_foot", "right_foot")]
    hand = page.joint("left_hand")
    x, y = page.on_ground(*hand)
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.until("window.gambol.store.dragging.value")
    time.sleep(0.4)
    for k in range(1, 11):
        page.page.mouse.move(x + 4 * k, y - 8 * k)
        time.sleep(0.03)
    time.sleep(0.6)
    page.picture("drag")
    page.page.mouse.up()
    time.sleep(0.8)
    assert page.joint("left_hand")[1] > hand[1] + 0.15
    for before, name in zip(feet, ("left_foot", "right_foot")):
        assert max(abs(a - b) for a, b in zip(page.joint(name), before)) < 3e-3


def test_four_postures_on_a_song(page, cases, tmp_path):
    page.mode("Dance")
    page.until("window.gambol.director.posing.value !== null")
    page.drop(cases / "U081_tempo_in_other_track.mid")
    page.until("window.gambol.store.beats.value !== null")
    page.page.get_by_role("button", name="Postures").click()
    for name in ("Stand", "Raise left arm", "Crouch", "Raise right arm"):
        before = page.now("window.gambol.director.pose.value")
        page.page.get_by_role("button", name=name, exact=True).click()
        page.until("b => JSON.stringify(window.gambol.director.pose.value) !== JSON.stringify(b)", 10, before) \
            if name != "Stand" else time.sleep(0.5)
        page.page.get_by_role("button", name="Store posture").click()
    keys = page.project()["dance"]["keys"]
    assert [k["time"] for k in keys] == [0, 1, 2, 3]
    page.until("document.querySelectorAll('.thumb i').length > 20")
    second = page.page.locator(".key").nth(1)
    box, track = second.bounding_box(), page.page.locator(".track").bounding_box()
    seconds = page.now("window.gambol.store.beats.value.times")
    page.page.mouse.move(box["x"] + 15, box["y"] + 15)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + 15 + 0.4 * box["width"], box["y"] + 15, steps=4)
    page.page.mouse.up()
    time.sleep(0.3)
    moved = page.project()["dance"]["keys"][1]["time"]
    assert track["width"] > 300 and (min(abs(moved - t) for t in seconds) < 1e-6 or moved != 1)
    assert page.settled() is None
    page.now("window.gambol.director.player.playing.value = true")
    time.sleep(0.5)
    page.picture("dance")
    motion = load_motion(page.take(".glb", tmp_path))
    assert motion.duration >= 3.0 and measure(motion).feet.slide_mm < 1.0


def test_a_plant_sways_in_the_wind(page):
    page.mode("Dance")
    page.page.locator("label.choice:has-text('Figure') select").select_option("model:willow")
    page.page.get_by_role("button", name="Wind", exact=True).click()
    page.page.get_by_label("Wind", exact=True).check()
    page.until("window.gambol.store.clip.value && window.gambol.store.clip.value.seconds > 3")
    page.now("window.gambol.director.player.playing.value = true")
    time.sleep(0.5)
    page.picture("willow")


def test_driving_for_a_while_and_what_was_driven(page):
    page.mode("Drive")
    page.page.locator("canvas").focus()
    page.page.keyboard.down("ArrowUp")
    page.until("window.gambol.store.clip.value && window.gambol.store.driving.value", 20)
    places, end = [], time.monotonic() + DRIVEN
    while time.monotonic() < end:
        if len(places) == 10:
            page.page.keyboard.down("ArrowLeft")
        places.append(page.now("[window.gambol.store.clip.value.start + window.gambol.director.player.time.value, "
                               "window.gambol.store.clip.value.start + window.gambol.store.clip.value.seconds]"))
        time.sleep(0.25)  # fmt: skip
    page.picture("drive")
    page.page.keyboard.up("ArrowLeft")
    page.page.keyboard.up("ArrowUp")
    shown = [a for a, _ in places]
    assert page.trouble() is None and page.now("window.gambol.store.driving.value")
    assert all(b >= a for a, b in pairwise(shown)) and shown[-1] > 5.0, shown
    page.page.get_by_role("button", name="Stop and keep").click()
    page.until("window.gambol.store.project.value.drive.commands.length > 1")
    assert any(abs(row[2]) > 0.5 for row in page.project()["drive"]["commands"])
    page.until("!window.gambol.store.driving.value && window.gambol.store.clip.value.steps.length > 4")


def test_a_reload_finds_everything_and_tabs_are_apart(chromium, tmp_path):
    with served(tmp_path / "studio") as (address, _):
        one = Page(chromium, address)
        title = one.page.get_by_label("Title of the project")
        title.fill("First")
        one.now("window.gambol.store.kept.value = !window.gambol.store.kept.value")  # the bar is drawn anew meanwhile
        time.sleep(0.1)
        title.press("Enter")
        one.until("window.gambol.store.kept.value && window.gambol.store.project.value.title === 'First'")
        two = Page(chromium, address, one.context)
        assert two.project()["title"] == "Untitled"
        two.page.get_by_label("Style").select_option("weary")
        two.until("window.gambol.store.kept.value && window.gambol.store.project.value.go.style === 'weary'")
        assert one.project()["go"]["style"] is None
        one.page.reload()
        one.until("window.gambol && window.gambol.store.project.value.title === 'First'")
        assert "token" not in one.page.url
        two.page.get_by_role("button", name="Projects").click()
        two.page.get_by_role("menuitem", name="First").click()
        two.until("window.gambol.store.project.value.title === 'First'")
        one.context.close()


def test_the_server_is_killed_and_nothing_is_lost(chromium, tmp_path):
    place = tmp_path / "studio"
    with served(place) as (address, process):
        page = Page(chromium, address)
        port = re.search(r":(\d+)/", address).group(1)
        page.until("window.gambol.store.kept.value")
        process.send_signal(signal.SIGKILL)
        page.until("window.gambol.store.link.state.value === 'lost'")
        assert page.page.get_by_text("Connection lost").is_visible()
        page.page.get_by_label("Title of the project").fill("Survivor")
        page.page.keyboard.press("Enter")
    with served(place, port=port):
        page.until("window.gambol.store.link.state.value === 'open'", 20)
        page.now("window.gambol.store.change('go on', p => ({...p, seed: 1}))")
        page.until("window.gambol.store.kept.value")
        assert page.settled() is None
        kept = [json.loads(f.read_text()) for f in place.glob("*.gambol.json")]
        assert "Survivor" in [k["title"] for k in kept]
        page.context.close()


def test_the_same_page_shows_a_file(chromium, tmp_path, data):
    file = data / "mocap" / "cmu" / "02_01.bvh"
    file = file if file.exists() else next((data / "mocap").rglob("*.bvh"))
    with served(tmp_path / "studio", "view", str(file)) as (address, _):
        page = Page(chromium, address)
        page.until("!!window.gambol.store.clip.value")
        assert page.project()["mode"] == "view"
        time.sleep(0.5)
        page.picture("view")
        page.context.close()


def test_errors_say_what_to_do_and_leave_all_as_it_was(page, tmp_path):
    (tmp_path / "torn.glb").write_bytes(b"glTF" + bytes(60))
    before = page.project()
    page.drop(tmp_path / "torn.glb")
    assert page.page.get_by_role("alert").is_visible() and page.project() == before
    page.page.get_by_role("alert").get_by_label("Close").click()
    page.page.get_by_label("Speed", exact=True).focus()
    page.now("window.gambol.store.change('x', p => ({...p, go: {...p.go, speed: 9}}))")
    page.until("window.gambol.store.trouble.value !== null")
    assert "gambol run" in page.trouble() or "out of reach" in page.trouble()
    page.page.locator("canvas").focus()
    page.page.keyboard.press("Control+z")
    assert page.settled() is None
    assert page.project()["go"] == before["go"]


@pytest.mark.parametrize("look", ["light", "dark"])
def test_it_can_be_used_by_everybody(page, look):
    """No serious finding of axe in any mode, in either look."""
    if not AXE.is_file():
        pytest.skip("needs: npm install in tests/browser")
    if look == "dark":
        page.page.get_by_label("Dark look").click()
    script = AXE.read_text()
    for mode in ("Go", "Drive", "Dance"):
        page.mode(mode)
        time.sleep(0.6)
        closed = page.page.locator(".section button[aria-expanded='false']")
        while closed.count():
            closed.first.click()
        page.now(script)
        found = page.now(FINDINGS)
        page.picture(f"{mode.lower()}_{look}")
        assert not found, (mode, found)
