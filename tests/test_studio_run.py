"""The studio as a command: killed and started again, a file shown, a page to send."""

import base64
import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from gambol.cli import main
from gambol.errors import GambolError
from gambol.io import load_motion
from gambol.studio import player
from gambol.studio.run import Settings
from gambol.studio.viewing import viewed

CASES = Path(__file__).parent / "cases"
WALK = CASES / "U001_walk_planted.bvh"


def started(folder):
    """A server in a process of its own, and its address."""
    words = [sys.executable, "-m", "gambol", "studio", "--no-browser", "--folder", str(folder)]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    return server, server.stdout.readline().split()[1]


def test_a_server_that_was_killed_comes_back_where_it_was(tmp_path):
    folder = tmp_path / "s"
    addresses = []
    for end in (signal.SIGKILL, signal.SIGINT):
        server, address = started(folder)
        try:
            base, _, token = address.partition("/?token=")
            ask = Request(f"{base}/api/about", headers={"Authorization": f"Bearer {token}"})
            with urlopen(ask, timeout=20) as answer:
                assert json.load(answer)["folder"] == str(folder.resolve())
            with pytest.raises(HTTPError) as refused:
                urlopen(f"{base}/api/about", timeout=20)
            assert refused.value.code == 401
            again, address_again = started(folder)  # the one that runs is found
            assert address_again == address and again.wait(20) == 0
        finally:
            server.send_signal(end)
            code = server.wait(20)
        addresses.append(address)
    assert addresses[0] == addresses[1] and code == 0


def test_a_file_is_shown_as_a_project(tmp_path):
    name = viewed(tmp_path, WALK)
    project = json.loads((tmp_path / f"{name}.gambol.json").read_text())
    assert project["mode"] == "view" and project["figure"]["kind"] == "clip"
    assert (tmp_path / "files" / project["view"]["file"]).read_bytes() == WALK.read_bytes()
    rig = viewed(tmp_path, CASES / "U003_armature_001.glb")
    assert json.loads((tmp_path / f"{rig}.gambol.json").read_text())["figure"]["kind"] == "character"


def test_what_cannot_be_shown_is_refused(tmp_path, capsys):
    (tmp_path / "a.bvh").write_text("HIERARCHY")
    for file in (tmp_path / "nothing.bvh", tmp_path / "a.bvh"):
        assert main(["view", str(file), "--no-browser", "--folder", str(tmp_path / "s")]) == 2
    assert main(["studio", "--no-browser", "--folder", str(tmp_path / "a.bvh")]) == 2
    assert main(["studio", "--no-browser", "--folder", str(tmp_path / "s"), "--host", "203.0.113.7"]) == 2
    with pytest.raises(GambolError, match="port"):
        Settings(tmp_path, port=70_000)
    said = capsys.readouterr().err
    assert said.count("gambol:") == 4 and "cannot be listened on" in said


def test_a_page_to_send_holds_the_clip_and_the_player(tmp_path, monkeypatch, capsys):
    script = tmp_path / "player.js"
    monkeypatch.setattr(player, "PLAYER", script)
    monkeypatch.setattr(player.player_page, "__defaults__", (None, script))
    out = tmp_path / "walk.html"
    assert main(["export-html", str(WALK), "-o", str(out)]) == 2 and not out.exists()
    assert "make studio" in capsys.readouterr().err
    script.write_text("play('</script>')")
    assert main(["export-html", str(WALK), "-o", str(out)]) == 0
    page = out.read_text()
    assert page.count("</script>") == 3 and "play('<\\/script>')" in page
    assert not re.search(r"""(src|href)=["']?http""", page)
    clip = tmp_path / "clip.glb"
    clip.write_bytes(base64.b64decode(re.search(r'id="gambol-clip">([^<]*)<', page)[1]))
    again, motion = load_motion(clip), load_motion(WALK)
    assert again.skeleton.names == motion.skeleton.names and len(again) == len(motion)
    facts = json.loads(re.search(r'id="gambol-facts">([^<]*)<', page)[1])
    assert facts["clip"] == again.name and facts["seconds"] == pytest.approx(motion.duration)


def test_what_is_compiled_in_the_background_ends_with_the_studio():
    """Also where the studio is killed: its pipe is closed then."""
    words = [sys.executable, "-m", "gambol.studio.warm"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert process.stdin is not None
    process.stdin.close()
    try:
        assert process.wait(30) == 0
    finally:
        process.kill()
