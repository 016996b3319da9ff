"""Who may ask the studio, and what it does with names, sizes and nonsense."""

import json
import os
import stat
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from studio_desk import ADDRESS, WALK, Desk

from gambol.errors import GambolError
from gambol.studio import server as served
from gambol.studio.folder import Folder

NAMES = ("../secret", "..", "a/b", "/etc/passwd", "a\0b", ".hidden", "C:\\x", "%2e%2e%2fsecret", "x" * 200, "", " ")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4), max_leaves=8,
)
OPS = ("make", "report", "beats", "posture", "mirror", "show", "grab", "pull", "release", "drive", "steer", "halt",
       "export", "cancel")  # fmt: skip


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    root = tmp_path_factory.mktemp("studio")
    page = root / "page"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("<p>page")
    (page / "assets" / "main.js").write_text("1")
    (root / "secret").write_text("hush, hush")
    made = Desk(root / "folder", page)
    with made.client:
        yield made


def stranger(desk, **headers):
    return TestClient(desk.app, f"http://{ADDRESS}", headers=headers)


def test_pages_are_public_and_the_rest_needs_the_token(desk):
    nobody = stranger(desk)
    assert nobody.get("/").text == "<p>page" and nobody.get("/assets/main.js").status_code == 200
    for path in ("/api/about", "/api/projects", "/api/files/x", "/api/nothing"):
        assert nobody.get(path).status_code == 401
        assert stranger(desk, Authorization="Bearer wrong").get(path).status_code == 401
    assert nobody.get("/api/about", params={"token": desk.token}).status_code == 200


def test_a_socket_without_the_token_is_never_opened(desk):
    for address in (f"ws://{ADDRESS}/ws", f"ws://{ADDRESS}/ws?token=x", f"ws://evil.example/ws?token={desk.token}"):
        with pytest.raises(WebSocketDisconnect), stranger(desk).websocket_connect(address):
            pass
    with pytest.raises(WebSocketDisconnect), stranger(desk, Origin="http://evil.example").websocket_connect(
        f"ws://{ADDRESS}/ws?token={desk.token}"
    ):
        pass


@pytest.mark.parametrize("host", ["evil.example:8137", "127.0.0.1:9", "127.0.0.1", "127.0.0.1.evil.example:8137"])
def test_another_host_is_refused_even_with_the_token(desk, host):
    for path in ("/", "/api/about"):
        answer = desk.client.get(path, headers={"Host": host})
        assert answer.status_code == 403 and answer.json()["error"]["where"] == "Host"


def test_another_origin_is_refused_even_with_the_token(desk):
    for origin in ("http://evil.example", "null", "http://127.0.0.1:9"):
        assert desk.client.get("/api/about", headers={"Origin": origin}).status_code == 403
    assert desk.client.get("/api/about", headers={"Origin": f"http://{ADDRESS}"}).status_code == 200


def test_every_answer_forbids_what_is_from_elsewhere(desk):
    for path in ("/", "/api/about", "/api/nothing"):
        headers = desk.client.get(path).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", NAMES)
def test_names_never_leave_the_folder(desk, name):
    asked = quote(name, safe="")
    for place in ("projects", "files", "exports/0123456789abcdef"):
        assert "hush" not in desk.client.get(f"/api/{place}/{asked}").text
    assert "hush" not in desk.client.get(f"/{asked}").text
    before = sorted(p for p in desk.folder.root.parent.rglob("*"))
    assert desk.client.put(f"/api/projects/{asked}", content=b"{}").status_code in (400, 401, 404, 405)
    assert sorted(p for p in desk.folder.root.parent.rglob("*")) == before
    with pytest.raises(GambolError):
        desk.folder.project(name)
    with pytest.raises(GambolError):
        desk.folder.file(name)


@given(st.text(max_size=90))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_dropped_file_of_any_name_lands_inside(tmp_path, name):
    folder = Folder(tmp_path / "s")
    kept = folder.file(folder.add(name, b"x"))
    assert kept.parent == (tmp_path / "s" / "files").resolve() and kept.read_bytes() == b"x"


def test_links_are_not_followed(tmp_path):
    folder = Folder(tmp_path / "s")
    (tmp_path / "secret.gambol.json").write_text("{}")
    os.symlink(tmp_path / "secret.gambol.json", folder.root / "link.gambol.json")
    os.symlink(tmp_path / "secret.gambol.json", folder.root / "files" / f"{'0' * 16}-link.json")
    with pytest.raises(GambolError):
        folder.project("link")
    with pytest.raises(GambolError):
        folder.keep("link", b"{}")
    with pytest.raises(GambolError):
        folder.file(f"{'0' * 16}-link.json")
    assert folder.projects() == [] and (tmp_path / "secret.gambol.json").read_text() == "{}"


def test_the_token_is_kept_for_the_owner_alone(tmp_path):
    first = Folder(tmp_path / "s")
    word = first.token()
    assert Folder(tmp_path / "s").token() == word and len(word) > 30
    assert stat.S_IMODE((tmp_path / "s" / ".token").stat().st_mode) == 0o600


def test_what_is_too_large_is_refused_before_it_is_read(desk, monkeypatch):
    monkeypatch.setattr(served, "UPLOAD", 1000)
    monkeypatch.setattr(served, "PROJECT", 1000)
    assert desk.drop("a.bvh", b"x" * 1001).status_code == 413
    assert desk.client.put("/api/projects/large", content=b" " * 1001).status_code == 413
    stream = (b"x" * 100 for _ in range(20))  # without a length
    assert desk.client.post("/api/files?name=a.bvh", content=stream).status_code == 413
    monkeypatch.setattr(served, "FRAME", 1000)
    with desk.tab() as tab:
        tab.socket.send_text("x" * 1001)
        assert tab.socket.receive()["code"] == 1009
    with desk.tab() as tab:
        assert "ok" in tab.ask("mirror", figure={}, pose={})


def test_a_project_is_kept_whole_or_not_at_all(desk):
    good = json.dumps({"title": "One", **WALK}).encode()
    assert desk.client.put("/api/projects/one", content=good).status_code == 200
    for bad in (b"{", b"[]", b'{"goo": 1}', b'{"fps": 1e999}', b'{"seed": NaN}', b"[" * 100_000):
        answer = desk.client.put("/api/projects/one", content=bad)
        assert answer.status_code == 400 and answer.json()["error"]["what"]
    assert desk.client.get("/api/projects/one").content == good
    assert [(p["name"], p["title"]) for p in desk.client.get("/api/projects").json()] == [("one", "One")]


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.glb", b"glTF" + b"\xff" * 60), ("a.vrm", b""), ("a.bvh", b"HIERARCHY\nROOT"), ("a.obj", b"v 1 2\nf 9 9 9"),
     ("a.npz", b"PK\x03\x04"), ("a.c3d", b"\0" * 512), ("a.json", b"{"), ("a.exe", b"MZ"), ("a", b"x"),
     ("a.fbx", b"Kaydara FBX Binary  \0"), ("a.amc", b":FULLY")],
)  # fmt: skip
def test_a_broken_file_is_refused_in_a_sentence(desk, name, data):
    answer = desk.drop(name, data)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["what"] and "fault" not in answer.json()
    assert not list((desk.folder.root / "files").iterdir())


@given(st.one_of(JSON, st.builds(lambda op, rest: {"id": 1, **rest, "op": op}, st.sampled_from(OPS), st.dictionaries(
    st.sampled_from(("project", "figure", "pose", "grip", "goals", "joints", "text", "file", "drive", "suffix",
                     "channel", "played", "cancels", "draft")), JSON, max_size=4))))  # fmt: skip
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_message_is_answered_and_ends_nothing(nonsense, message):
    nonsense.socket.send_text(json.dumps(message))
    assert "ok" in nonsense.ask("mirror", figure={}, pose={})


@pytest.fixture(scope="module")
def nonsense(desk):
    class Patient:
        """Asks until its own answer comes; what else comes must be an error, and no fault."""

        def __init__(self, tab):
            self.tab, self.socket = tab, tab.socket
            tab.count = 1000

        def ask(self, op, **entries):
            number = self.tab.send(op, **entries)
            while True:
                found = self.tab.hear()
                head = found if isinstance(found, dict) else found[0]
                assert not head.get("fault"), head
                if head["id"] == number:
                    return found

    with desk.tab("fuzz") as tab:
        yield Patient(tab)


def test_bytes_that_are_no_text_are_answered(desk):
    with desk.tab() as tab:
        for data in (b"\xff\xfe\0", b"{", b""):
            tab.socket.send_bytes(data)
            found = tab.hear()
            assert found["id"] is None and found["error"]["what"]
