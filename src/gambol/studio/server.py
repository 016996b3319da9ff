"""The studio's server: pages, HTTP and sockets over one workshop (docs/studio_protocol.md)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, QueryParams
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from gambol.errors import GambolError
from gambol.facts import jsonable
from gambol.studio.about import about
from gambol.studio.checks import Refused
from gambol.studio.figures import figure_bytes, ground_arrays
from gambol.studio.folder import PROJECT, UPLOAD
from gambol.studio.operations import operate
from gambol.studio.payload import packed
from gambol.studio.project import parsed, read_figure, read_ground
from gambol.studio.safety import HEADERS, Gate
from gambol.studio.session import FRAME, Session, error_table
from gambol.studio.thumbnails import thumbnails
from gambol.studio.upload import received
from gambol.studio.workshop import Workshop

__all__ = ["PAGE", "application"]

PAGE = Path(__file__).parent / "page"
MOST_TABS = 32
SMALL = 1 << 20  # bytes of a figure or a ground
FRESH = {"Cache-Control": "no-cache"}  # a page that was built anew is seen at once
BINARY = "application/octet-stream"
Answer = Callable[[Request], Awaitable[Response]]
MISSING = (
    "<!doctype html><meta charset=utf-8><title>gambol studio</title>"
    "<body style='font:16px/1.5 system-ui;margin:15vh auto;max-width:34em'>"
    "<h1>The page is not built yet</h1><p>In a clone of gambol, run <code>make studio</code> "
    "(needs Node.js), then reload. An installed gambol has it: <code>pip install 'gambol[studio]'</code>."
)


def application(shop: Workshop, gate: Gate, page: Path = PAGE) -> ASGIApp:
    """The whole server.

    Args:
        shop: what it works with.
        gate: who may ask.
        page: folder of the built page.
    """
    desk = _Desk(shop, gate)
    routes = [
        Route("/api/about", desk.told(desk.about), methods=["GET"]),
        Route("/api/projects", desk.told(desk.projects), methods=["GET"]),
        Route("/api/projects/{name}", desk.told(desk.project), methods=["GET"]),
        Route("/api/projects/{name}", desk.told(desk.keep), methods=["PUT"]),
        Route("/api/files", desk.told(desk.add), methods=["POST"]),
        Route("/api/files/{name}", desk.told(desk.file), methods=["GET"]),
        Route("/api/figure", desk.told(desk.figure), methods=["POST"]),
        Route("/api/thumbs", desk.told(desk.thumbs), methods=["POST"]),
        Route("/api/ground", desk.told(desk.ground), methods=["POST"]),
        Route("/api/exports/{number}/{name}", desk.told(desk.exported), methods=["GET"]),
        Route("/api/{rest:path}", desk.told(desk.nothing), methods=["GET", "POST", "PUT", "DELETE", "PATCH"]),
        WebSocketRoute("/ws", desk.socket),
    ]

    async def first(request: Request) -> Response:
        index = page / "index.html"
        return FileResponse(index, headers=FRESH) if index.is_file() else HTMLResponse(MISSING, 503)

    app = Starlette(routes=[*routes, Route("/", first)], lifespan=desk.life)
    app.mount("/", StaticFiles(directory=page, check_dir=False))
    return _Guarded(app, gate)


class _Guarded:
    """Every request and socket is checked, and every answer says what it may load."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app, self._gate = app, gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        try:
            self._gate.place(headers)
            if scope["path"].startswith("/api") or scope["path"].startswith("/ws"):
                self._gate.word(headers, QueryParams(scope["query_string"]))
        except Refused as error:
            if scope["type"] == "websocket":  # closed before it is accepted: the browser sees 403
                return await send({"type": "websocket.close", "code": 1008, "reason": error.what[:100]})
            return await JSONResponse(error_table(error), error.status, HEADERS)(scope, receive, send)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", []), *kept]}
            await send(message)

        return await self._app(scope, receive, with_headers)


class _Desk:
    """The answers."""

    def __init__(self, shop: Workshop, gate: Gate) -> None:
        self.shop, self.gate = shop, gate
        self.tabs: set[Session] = set()

    def told(self, work: Answer) -> Answer:
        """The same, with errors as sentences."""

        async def answer(request: Request) -> Response:
            try:
                return await work(request)
            except GambolError as error:
                return JSONResponse(error_table(error), error.status if isinstance(error, Refused) else 400)
            except Exception as error:  # a fault is told, and the server goes on
                return JSONResponse(error_table(error), 500)

        return answer

    @contextlib.asynccontextmanager
    async def life(self, app: Starlette) -> AsyncIterator[None]:
        """While the server runs, work that is slow says that it goes on."""

        async def ticking() -> None:
            while True:
                await asyncio.sleep(0.25)
                for tab in tuple(self.tabs):
                    tab.tick()

        task = asyncio.create_task(ticking())
        yield
        task.cancel()
        for tab in tuple(self.tabs):
            tab.close()

    async def about(self, request: Request) -> Response:
        return JSONResponse(jsonable(await run_in_threadpool(about, self.shop)))

    async def projects(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self.shop.folder.projects))

    async def project(self, request: Request) -> Response:
        data = await run_in_threadpool(self.shop.folder.project, request.path_params["name"])
        return Response(data, media_type="application/json")

    async def keep(self, request: Request) -> Response:
        data = await _body(request, PROJECT)
        await run_in_threadpool(self.shop.folder.keep, request.path_params["name"], data)
        return JSONResponse({"ok": {}})

    async def add(self, request: Request) -> Response:
        data, name = await _body(request, UPLOAD), request.query_params.get("name", "")
        return JSONResponse(jsonable(await run_in_threadpool(received, self.shop, name, data)))

    async def file(self, request: Request) -> Response:
        place = await run_in_threadpool(self.shop.folder.file, request.path_params["name"])
        return FileResponse(place, media_type=BINARY)

    async def figure(self, request: Request) -> Response:
        asked = read_figure(parsed(await _body(request, SMALL)))
        data = await run_in_threadpool(figure_bytes, self.shop, asked)
        return Response(data, media_type="model/gltf-binary" if data[:4] == b"glTF" else "model/gltf+json")

    async def thumbs(self, request: Request) -> Response:
        asked = read_figure(parsed(await _body(request, SMALL)))
        return JSONResponse(await run_in_threadpool(lambda: thumbnails(self.shop.figure(asked))))

    async def ground(self, request: Request) -> Response:
        asked = read_ground(parsed(await _body(request, SMALL)))
        data = await run_in_threadpool(lambda: packed(*ground_arrays(self.shop, asked)))
        return Response(data, media_type=BINARY)

    async def exported(self, request: Request) -> Response:
        """A made file, once: it is read whole, and gone."""
        number, name = request.path_params["number"], request.path_params["name"]
        place = await run_in_threadpool(self.shop.folder.exported, number, name)
        data = await run_in_threadpool(place.read_bytes)
        await run_in_threadpool(self.shop.folder.discard, place.parent)
        saved = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
        return Response(data, media_type=BINARY, headers=saved)

    async def nothing(self, request: Request) -> Response:
        raise Refused(404, f"nothing is at {request.url.path[:80]!r}", do="see docs/studio_protocol.md")

    async def socket(self, websocket: WebSocket) -> None:
        """A tab: what it sends goes to its session, what that says goes back in order."""
        if len(self.tabs) >= MOST_TABS:
            return await websocket.close(1013, "too many tabs")
        await websocket.accept()
        loop = asyncio.get_running_loop()
        out: asyncio.Queue[str | bytes] = asyncio.Queue()

        def send(data: str | bytes) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens
                loop.call_soon_threadsafe(out.put_nowait, data)

        tab = Session(self.shop, send, operate)
        self.tabs.add(tab)
        sender = asyncio.create_task(_sending(websocket, out))
        try:
            while True:
                message = await websocket.receive()
                if message["type"] == "websocket.disconnect":
                    return None
                data = message.get("text") if message.get("text") is not None else message.get("bytes", b"")
                if len(data or b"") > FRAME:
                    return await websocket.close(1009, "the message is too large")
                tab.receive(data or b"")
        except (WebSocketDisconnect, RuntimeError):
            return None
        finally:
            self.tabs.discard(tab)
            tab.close()
            sender.cancel()


async def _sending(websocket: WebSocket, out: asyncio.Queue[str | bytes]) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            data = await out.get()
            await (websocket.send_text(data) if isinstance(data, str) else websocket.send_bytes(data))


async def _body(request: Request, most: int) -> bytes:
    """The body, refused as soon as it is larger than allowed."""
    allowed = f"at most {most >> 20} MB"
    too_large = Refused(413, "it is too large", where="upload", allowed=allowed, do="send a smaller one")
    try:
        said = int(request.headers.get("content-length", "0"))
    except ValueError:
        said = 0
    if said > most:
        raise too_large
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > most:
            raise too_large
        chunks.append(chunk)
    return b"".join(chunks)

