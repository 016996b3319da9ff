"""Tabs: newest wins, cancel, progress, and nobody disturbs anybody."""

import threading
import time

import pytest
from studio_desk import Desk

from gambol.errors import GambolError
from gambol.studio import session as sessions
from gambol.studio.session import Session

SOON = 5.0


class Page:
    """What a tab hears, and work that waits for a word."""

    def __init__(self, steps=1):
        self.heard, self.begun, self.go, self.steps = [], [], threading.Event(), steps
        self.news = threading.Condition()
        self.tab = Session(None, self.hear, self.work)

    def hear(self, message):
        with self.news:
            self.heard.append(message)
            self.news.notify_all()

    def work(self, tab, request):
        self.begun.append(request.number)
        with self.news:
            self.news.notify_all()
        if request.op == "fail":
            raise GambolError("no", do="else")
        if request.op == "break":
            raise RuntimeError("oh")
        watch = tab.watch(request)
        for k in range(10_000):
            watch(k / 10_000)
            if request.op == "quick" or self.go.wait(0.005):
                return {"n": request.number}
        raise AssertionError("nobody came")

    def ask(self, number, op="slow", **entries):
        import json

        self.tab.receive(json.dumps({"id": number, "op": op, **entries}))

    def until(self, done):
        with self.news:
            assert self.news.wait_for(done, SOON), self.heard
        return self

    def answers(self):
        import json

        return [m for m in map(json.loads, self.heard) if "progress" not in m]


@pytest.fixture
def page():
    made = Page()
    yield made
    made.go.set()
    made.tab.close()
    made.tab.join()


def test_newest_wins_and_all_are_answered_once(page):
    page.ask(1, channel="make")
    page.until(lambda: page.begun == [1])
    for number in (2, 3, 4):
        page.ask(number, channel="make")
    page.until(lambda: 4 in page.begun)
    page.go.set()
    page.until(lambda: len(page.answers()) == 4)
    assert page.begun == [1, 4]
    answers = {a["id"]: a for a in page.answers()}
    assert all(answers[k] == {"id": k, "dropped": True} for k in (1, 2, 3)) and answers[4]["ok"] == {"n": 4}


def test_a_running_draft_is_let_finish(page):
    page.ask(1, channel="make", draft=True)
    page.until(lambda: page.begun == [1])
    page.ask(2, channel="make", draft=True)
    page.go.set()
    page.until(lambda: len(page.answers()) == 2)
    assert [a["id"] for a in page.answers()] == [1, 2] and "ok" in page.answers()[0]


def test_channels_do_not_drop_each_other(page):
    page.ask(1, channel="a")
    page.ask(2, channel="b")
    page.ask(3)
    page.go.set()
    page.until(lambda: len(page.answers()) == 3)
    assert all("ok" in a for a in page.answers())


def test_cancel_ends_what_runs_and_what_waits(page):
    page.ask(1)
    page.ask(2)
    page.until(lambda: page.begun == [1])
    page.ask(9, "cancel", cancels=2)
    page.ask(10, "cancel", cancels=1)
    page.until(lambda: len(page.answers()) == 4)
    assert {a["id"] for a in page.answers() if a.get("dropped")} == {1, 2} and page.begun == [1]


def test_an_error_or_a_fault_ends_one_request_alone(page):
    page.ask(1, "fail")
    page.ask(2, "break")
    page.ask(3, "quick")
    page.until(lambda: len(page.answers()) == 3)
    first, second, third = page.answers()
    assert first["error"] == {"what": "no", "where": "", "allowed": "", "do": "else"}
    assert second["fault"] and "RuntimeError" in second["error"]["what"] and third["ok"] == {"n": 3}


def test_slow_work_says_how_far_it_is(page, monkeypatch):
    monkeypatch.setattr(sessions, "SLOW", 0.01)
    monkeypatch.setattr(sessions, "OFTEN", 0.01)
    page.ask(1)
    page.until(lambda: any('"progress": 0.' in m for m in page.heard))


def test_too_many_requests_are_refused_in_a_sentence(page):
    page.ask(1)
    page.until(lambda: page.begun == [1])
    for number in range(2, 68):
        page.ask(number)
    assert [a["id"] for a in page.answers()] == [66, 67]
    assert "wait already" in page.answers()[0]["error"]["what"]


def test_a_closed_tab_ends_its_work(page):
    page.ask(1)
    page.until(lambda: page.begun == [1])
    page.tab.close()
    page.tab.join(SOON)
    assert not page.tab._worker.is_alive() and page.heard == []


def test_tabs_do_not_see_each_other(tmp_path):
    desk = Desk(tmp_path)
    with desk.client, desk.tab("a") as one, desk.tab("b") as two:
        pose = one.ask("posture", figure={}, text="stand")["ok"]["pose"]
        grip = one.ask("grab", figure={}, pose=pose, joints=["left_hand"])["ok"]["grip"]
        assert "there is no grip" in two.ask("pull", grip=grip, goals=[[0, 1, 0]])["error"]["what"]
        assert one.ask("pull", grip=grip, goals=[[0.4, 1, 0.2]])[0]["grip"] == grip


def test_threads_end_with_their_tabs(tmp_path):
    desk = Desk(tmp_path)
    with desk.client:
        for k in range(5):
            with desk.tab(str(k)) as tab:
                assert "ok" in tab.ask("mirror", figure={}, pose={})
        end = time.monotonic() + SOON
        while any(t.name == "tab" for t in threading.enumerate()) and time.monotonic() < end:
            time.sleep(0.01)
        assert not [t for t in threading.enumerate() if t.name == "tab"]
