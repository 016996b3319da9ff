"""One tab: its requests in order, its one worker, and who waits for what (docs/studio_protocol.md, "The socket")."""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gambol.errors import GambolError
from gambol.facts import jsonable
from gambol.studio.checks import text, whole
from gambol.studio.driving import Driving
from gambol.studio.make import Cancelled
from gambol.studio.project import parsed
from gambol.studio.workshop import Workshop

if TYPE_CHECKING:
    from gambol.studio.posing import Hold

__all__ = ["FRAME", "Request", "Session", "error_table"]

FRAME = 8 << 20  # bytes of a message
MOST_WAITING = 64
MOST_HOLDS = 16
SLOW, OFTEN = 0.5, 0.2  # s before a first, and between, words about progress
Reply = str | bytes


class Request:
    """One message that is to be answered."""

    def __init__(self, number: int, op: str, message: dict[str, Any]) -> None:
        self.number, self.op, self.message = number, op, message
        channel = message.pop("channel", None)
        self.channel = None if channel is None else text(channel, "channel", 80)
        self.cancelled = threading.Event()
        self.began = self.told = 0.0


def error_table(error: BaseException) -> dict[str, Any]:
    """What went wrong, as the page shows it; a fault of gambol itself says so."""
    if isinstance(error, GambolError):
        keys = ("what", "where", "allowed", "do")
        return {"error": {k: _shown(getattr(error, k)) for k in keys}}
    if isinstance(error, MemoryError):
        do = "ask for a shorter clip or a smaller file"
        return {"error": {"what": "there is not enough memory", "where": "", "allowed": "", "do": do}}
    if isinstance(error, OSError):
        what = f"a file cannot be used: {error.strerror or type(error).__name__}"
        return {"error": {"what": what, "where": "", "allowed": "", "do": "check the folder's rights and room"}}
    what = f"a fault of gambol itself: {type(error).__name__}: {error}"
    do = "nothing is lost; try another way, and please report it"
    return {"error": {"what": _shown(what), "where": "", "allowed": "", "do": do}, "fault": True}


def _shown(words: str) -> str:
    return "".join(c if c.isprintable() else " " for c in str(words))[:2000]


class Session:
    """A tab.

    Args:
        shop: what all tabs share.
        send: hands a message to the page; may be called from any thread.
        work: answers a request: text entries, or a binary message.
    """

    def __init__(
        self, shop: Workshop, send: Callable[[Reply], None], work: Callable[[Session, Request], Any]
    ) -> None:
        self.shop = shop
        self.holds: OrderedDict[int, Hold] = OrderedDict()
        self.drive: Driving | None = None
        self._send, self._do = send, work
        self._waiting: deque[Request] = deque()
        self._running: Request | None = None
        self._wake = threading.Condition()
        self._closed = False
        self._worker = threading.Thread(target=self._work, name="tab", daemon=True)
        self._worker.start()

    # What the page sends

    def receive(self, data: str | bytes) -> None:
        """A message: queued, or answered at once where it is none."""
        number = None
        try:
            message = parsed(data, "message")
            if not isinstance(message, dict):
                raise GambolError("it is no table", where="message", allowed='{"id": 1, "op": "make", ...}')
            if "id" in message or message.get("op") not in ("steer", "cancel"):
                number = whole(message.pop("id", None), "message: id")
            op = text(message.pop("op", None), "message: op", 40)
            if op == "cancel":
                self._cancel(whole(message.get("cancels"), "cancel: cancels"))
                if number is not None:
                    self.reply(number, {"ok": {}})
            elif op == "steer":
                self._steer(message)
            else:
                assert number is not None
                self._queue(Request(number, op, message))
        except GambolError as error:
            self.say({"id": number, **error_table(error)})

    def close(self) -> None:
        """The tab is gone: nothing is answered any more."""
        with self._wake:
            self._closed = True
            self._waiting.clear()
            if self._running is not None:
                self._running.cancelled.set()
            self._wake.notify()

    def join(self, seconds: float = 5.0) -> None:
        """Wait for the worker to end."""
        self._worker.join(seconds)

    def tick(self) -> None:
        """Say that something is still at work, where nobody else does."""
        running, now = self._running, time.monotonic()
        if running is not None and now - running.began > SLOW and now - running.told > 1.0:
            running.told = now
            self.say({"id": running.number, "progress": None, "doing": DOING.get(running.op, "working")})

    # What is sent

    def say(self, message: dict[str, Any]) -> None:
        """One text."""
        if not self._closed:
            self._send(json.dumps(jsonable(message), allow_nan=False))

    def reply(self, number: int, answer: Any) -> None:
        """The one answer to a request."""
        if isinstance(answer, bytes):
            if not self._closed:
                self._send(answer)
        else:
            self.say({"id": number, **answer})

    def watch(self, request: Request) -> Callable[[float | None], None]:
        """What work calls between its stretches: it ends what nobody waits for, and tells how far it is."""

        def told(share: float | None) -> None:
            if request.cancelled.is_set() or self._closed:
                raise Cancelled
            now = time.monotonic()
            if share is not None and now - request.began > SLOW and now - request.told > OFTEN:
                request.told = now
                doing = DOING.get(request.op, "working")
                self.say({"id": request.number, "progress": round(share, 3), "doing": doing})

        return told

    def hold(self, number: int, held: Hold) -> None:
        """Keep a grip; the oldest of too many is let go."""
        self.holds[number] = held
        while len(self.holds) > MOST_HOLDS:
            self.holds.popitem(last=False)

    # The worker

    def _queue(self, request: Request) -> None:
        dropped: list[Request] = []
        with self._wake:
            if request.channel is not None:
                dropped = [r for r in self._waiting if r.channel == request.channel]
                self._waiting = deque(r for r in self._waiting if r.channel != request.channel)
                running = self._running
                # a draft is let finish: while a point is dragged, something must be seen
                if running is not None and running.channel == request.channel and not running.message.get("draft"):
                    running.cancelled.set()
            full = len(self._waiting) >= MOST_WAITING
            if not full:
                self._waiting.append(request)
                self._wake.notify()
        for old in dropped:
            self.reply(old.number, {"dropped": True})
        if full:
            raise GambolError(f"{MOST_WAITING} requests wait already", where=request.op, do="wait for some answers")

    def _cancel(self, number: int) -> None:
        with self._wake:
            gone = [r for r in self._waiting if r.number == number]
            self._waiting = deque(r for r in self._waiting if r.number != number)
            if self._running is not None and self._running.number == number:
                self._running.cancelled.set()
        for request in gone:
            self.reply(request.number, {"dropped": True})

    def _steer(self, message: dict[str, Any]) -> None:
        drive = self.drive
        if drive is None or drive.number != message.get("drive"):
            raise GambolError("there is no such drive", where="steer", do="begin one: drive")
        drive.steer(message)
        with self._wake:
            self._wake.notify()

    def _work(self) -> None:
        while True:
            with self._wake:
                if not self._waiting and not self._closed:
                    self._wake.wait(None if self.drive is None else self.drive.pause)
                if self._closed:
                    return
                request = self._running = self._waiting.popleft() if self._waiting else None
            if request is not None:
                self._answer(request)
                with self._wake:
                    self._running = None
            if self.drive is not None:
                self._push(self.drive)

    def _answer(self, request: Request) -> None:
        request.began = request.told = time.monotonic()
        try:
            answer = self._do(self, request)
            self.reply(request.number, answer if isinstance(answer, bytes) else {"ok": answer})
        except Cancelled:
            self.reply(request.number, {"dropped": True})
        except Exception as error:  # one bad request never ends a tab
            self.reply(request.number, error_table(error))

    def _push(self, drive: Driving) -> None:
        """The stretches that are due."""
        try:
            for message in drive.due():
                self.reply(drive.number, message)
                if self._closed or self._waiting:
                    return
        except Exception as error:
            self.drive = None
            self.say({"id": drive.number, **error_table(error)})


DOING = {
    "make": "making the clip", "report": "measuring", "beats": "listening", "export": "writing the file",
    "drive": "getting ready", "release": "letting go",
}
