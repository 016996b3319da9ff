"""A studio in a folder of its own, and a page that asks it."""

import json
from contextlib import contextmanager

from starlette.testclient import TestClient

from gambol.studio.folder import Folder
from gambol.studio.payload import unpacked
from gambol.studio.safety import Gate
from gambol.studio.server import application
from gambol.studio.workshop import Workshop

ADDRESS = "127.0.0.1:8137"
WALK = {"go": {"points": [[0, 0, 0], [0, 0, 3]]}}


class Desk:
    """The server of a folder, and a client with its token."""

    def __init__(self, root, page=None):
        self.folder = Folder(root)
        self.shop = Workshop(self.folder)
        self.token = self.folder.token()
        self.app = application(self.shop, Gate(self.token, "127.0.0.1", 8137), page or root / "no-page")
        self.client = TestClient(self.app, f"http://{ADDRESS}", headers={"Authorization": f"Bearer {self.token}"})

    def drop(self, name, data):
        """Drop a file; the answer."""
        return self.client.post("/api/files", params={"name": name}, content=data)

    @contextmanager
    def tab(self, name="a"):
        """A socket of a tab."""
        with self.client.websocket_connect(f"ws://{ADDRESS}/ws?token={self.token}&tab={name}") as socket:
            yield Tab(socket)


class Tab:
    """What a page does with its socket."""

    def __init__(self, socket):
        self.socket, self.count = socket, 0

    def send(self, op, **entries):
        """A request; its id."""
        self.count += 1
        self.socket.send_text(json.dumps({"id": self.count, "op": op, **entries}))
        return self.count

    def hear(self):
        """The next message: a table of a text, or (header, arrays)."""
        message = self.socket.receive()
        return json.loads(message["text"]) if message.get("text") else unpacked(message["bytes"])

    def answer(self):
        """The next message that is no progress."""
        while isinstance(found := self.hear(), dict) and "progress" in found:
            pass
        return found

    def ask(self, op, **entries):
        """A request and its answer."""
        number, found = self.send(op, **entries), self.answer()
        assert (found if isinstance(found, dict) else found[0])["id"] == number
        return found
