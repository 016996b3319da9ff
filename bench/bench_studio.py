"""The studio: how soon a page is there, and how soon it sees what it asked for, over a real socket.

    python bench/bench_studio.py [--write]      # --write makes docs/numbers_studio.md

The 60-joint figure is a real character's (its folder by GAMBOL_DATA, default ../shared/data); without it only the
built-in person is measured.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.request import Request, urlopen

from websockets.sync.client import connect

from gambol.studio.payload import unpacked

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("GAMBOL_DATA", ROOT.parent / "shared" / "data"))
RIG = DATA / "characters" / "cryptovoxels.vrm"
POINTS = [[0, 0, 0], [2, 0, 8], [6, 0, 14], [4, 0, 20]]  # about 20 s at the usual speed


class Page:
    """The server in a process of its own, and a socket to it."""

    def __init__(self, folder):
        self.began = time.perf_counter()
        words = [sys.executable, "-m", "gambol", "studio", "--no-browser", "--folder", folder, "--port", "0"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        self.address = self.process.stdout.readline().split()[1]
        self.base, _, self.token = self.address.partition("/?token=")
        self.get("/", None)
        self.page = time.perf_counter() - self.began
        self.about = self.get("/api/about")
        address = self.base.replace("http", "ws") + f"/ws?token={self.token}&tab=a"
        self.open = ExitStack()
        self.socket = self.open.enter_context(connect(address, max_size=None))
        self.count = 0

    def get(self, path, kind=json.loads, data=None):
        request = Request(self.base + path, data, {"Authorization": f"Bearer {self.token}"})
        try:
            with urlopen(request) as answer:
                read = answer.read()
        except OSError:  # the page is not built
            return None
        return read if kind is None else kind(read)

    def ask(self, op, **entries):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "op": op, **entries}))
        while True:
            data = self.socket.recv()
            if isinstance(data, bytes):
                return unpacked(data)
            if "progress" not in (found := json.loads(data)):
                assert "error" not in found, found
                return found["ok"]

    def timed(self, count, op, entries):
        rows = []
        for k in range(count):
            given = entries(k)
            begin = time.perf_counter()
            self.ask(op, **given)
            rows.append(1e3 * (time.perf_counter() - begin))
        rows.sort()
        return rows[len(rows) // 2], rows[int(0.95 * (len(rows) - 1))]

    def memory(self):
        status = Path(f"/proc/{self.process.pid}/status")
        if not status.exists():
            return float("nan")
        return next(int(line.split()[1]) / 1024 for line in status.read_text().splitlines() if line.startswith("VmRSS"))

    def end(self):
        self.open.close()
        self.process.send_signal(signal.SIGINT)
        self.process.wait(10)


def dragged(figure, ground="flat", size=1.0):
    """The project while its last point but one is dragged about."""
    def project(k):
        points = [[size * x for x in p] for p in POINTS]
        points[2][0] += 0.05 * (k % 40)
        made = {"figure": figure, "ground": {"text": ground}, "go": {"points": points}}
        return {"project": made, "draft": True, "channel": "make"}
    return project


def measured(folder):
    """Rows of (what, number, goal)."""
    page = Page(folder)
    rows = [("page served after the command, s", page.page, "3")]
    page.ask("make", **dragged({"kind": "person"})(0))
    rows.append(("first walk shown after the command (numpy), s", time.perf_counter() - page.began, ""))
    figures = {"a built-in person, 26 joints": {"kind": "person"}}
    if RIG.exists():
        kept = page.get(f"/api/files?name={RIG.name}", data=RIG.read_bytes())["file"]
        figures["a character, 61 joints (57 in its file)"] = {"kind": "character", "file": kept}
    size = {}
    for name, figure in figures.items():  # 20 s for everybody
        size[name] = 20.0 / page.ask("make", **dragged(figure)(0))[0]["seconds"]
        seconds = page.ask("make", **dragged(figure, size=size[name])(0))[0]["seconds"]
        assert abs(seconds - 20.0) < 0.7, seconds
        taken = page.timed(9, "make", dragged(figure, size=size[name]))
        rows.append((f"20 s walk dragged before the compiled engine is ready (numpy), {name}, ms", taken, ""))
    while page.get("/api/about")["engine"] != "compiled":
        time.sleep(0.5)
    rows.append(("compiled walk ready after, s (from the disk; compiled once)", time.perf_counter() - page.began, ""))
    while len(page.get("/api/about")["warm"]) < 4:
        time.sleep(0.5)
    for name, figure in figures.items():
        page.timed(5, "make", dragged(figure, size=size[name]))
        taken = page.timed(60, "make", dragged(figure, size=size[name]))
        rows.append((f"point of a 20 s walk dragged, {name}, ms", taken, "50"))
    stairs = "stairs:0.17,0.29,8"
    page.timed(3, "make", dragged({"kind": "person"}, stairs))
    rows.append(("the same up eight stairs, ms", page.timed(30, "make", dragged({"kind": "person"}, stairs)), "50"))
    for name, figure in figures.items():
        pose = page.ask("posture", figure=figure, text="stand")["pose"]
        grip = page.ask("grab", figure=figure, pose=pose, joints=["left_hand"], fixed=["left_foot", "right_foot"])
        reach = [
            {"grip": grip["grip"], "goals": [[0.5 + 0.01 * (k % 20), 1.1, 0.3 + 0.01 * (k % 7)]]} for k in range(80)
        ]
        page.timed(10, "pull", reach.__getitem__)
        rows.append((f"hand pulled 1 cm, feet fixed, {name}, ms", page.timed(80, "pull", reach.__getitem__), "50"))
    before = page.memory()
    page.timed(600, "make", dragged({"kind": "person"}))
    middle = page.memory()
    page.timed(600, "make", dragged({"kind": "person"}))
    rows.append(("memory, MB, before 1200 more clips, in the middle and after",
                 (before, middle, page.memory()), "flat"))
    page.end()
    return rows


def shown(value):
    return " / ".join(f"{v:.1f}" for v in value) if isinstance(value, tuple) else f"{value:.2f}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        rows = measured(folder)
    lines = ["| | median / 95 % of the requests | goal |", "|---|---|---|"]
    goals = {"3": "at most 3", "50": "at most 50"}
    lines += [f"| {what} | {shown(value)} | {goals.get(goal, goal)} |" for what, value, goal in rows]
    print("\n".join(lines))
    if "--write" in sys.argv:
        head = (
            "# Numbers of the studio\n\nMeasured by `bench/bench_studio.py --write`: a server in a process of its own, "
            "a client over a real socket, one request after the other,\nfrom sending the JSON to the numbers of the "
            "clip unpacked. Drafts have 30 frames a second.\n\n"
        )
        (ROOT / "docs" / "numbers_studio.md").write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
