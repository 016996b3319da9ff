"""The server as a command starts it: a port, a token, a browser, and an end by Ctrl-C."""

from __future__ import annotations

import json
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote
from urllib.request import Request, urlopen

from gambol.errors import GambolError, MissingExtra

__all__ = ["Settings", "serve"]

USUAL = 8137


class Settings:
    """How the studio is served.

    Args:
        folder: of projects and files.
        host: address to listen on.
        port: its port; None: the one used last in this folder, else a usual one, else any that is free.
        browser: whether to open one.
        opens: name of the project the page begins with.
    """

    def __init__(
        self, folder: Path, host: str = "127.0.0.1", port: int | None = None, browser: bool = True, opens: str = ""
    ) -> None:
        if port is not None and not 0 <= port < 65536:
            raise GambolError(f"port {port} cannot be", where="--port", allowed="0 to 65535; 0 is any that is free")
        self.folder, self.host, self.port, self.browser, self.opens = folder, host, port, browser, opens


def serve(settings: Settings, say: Callable[[str], None]) -> None:
    """Serve until the process is told to end.

    Args:
        settings: where and how.
        say: prints a line.

    Raises:
        GambolError: a folder or port that cannot be used, or a missing library.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn
        import websockets  # noqa: F401
    except ImportError as error:
        raise MissingExtra(str(error.name), "studio", "the studio") from None
    from gambol.studio.folder import Folder
    from gambol.studio.safety import Gate
    from gambol.studio.server import application
    from gambol.studio.session import FRAME
    from gambol.studio.warm import Warming
    from gambol.studio.workshop import Workshop

    folder = Folder(settings.folder)
    token = folder.token()
    query = f"/?token={token}" + (f"&project={quote(settings.opens, safe='')}" if settings.opens else "")
    if settings.port is None and (running := _running(folder.port(), token, str(folder.root))):
        say(f"studio: {running}{query}")
        say("it is open already in this folder")
        if settings.browser:
            webbrowser.open(running + query)
        return
    sock = _listening(settings.host, settings.port, folder.port())
    port = folder.port(sock.getsockname()[1])
    assert port is not None
    shown = "127.0.0.1" if settings.host in ("0.0.0.0", "localhost") else settings.host
    shown = f"[{shown}]" if ":" in shown else shown
    address = f"http://{shown}:{port}{query}"
    shop = Workshop(folder)
    config = uvicorn.Config(
        application(shop, Gate(token, settings.host, port)), log_level="critical", ws_max_size=FRAME,
        ws_per_message_deflate=False, server_header=False, timeout_graceful_shutdown=2,
    )
    say(f"studio: {address}")
    say(f"projects and files are kept in {folder.root}; Ctrl-C ends it")
    warming = Warming(shop)
    if settings.browser:
        threading.Timer(0.4, webbrowser.open, [address]).start()
    try:
        uvicorn.Server(config).run(sockets=[sock])
    except KeyboardInterrupt:
        pass
    finally:
        warming.end()


def _running(port: int | None, token: str, folder: str) -> str | None:
    """The address of a studio that serves this folder already."""
    if port is None:
        return None
    address = f"http://127.0.0.1:{port}"
    ask = Request(f"{address}/api/about", headers={"Authorization": f"Bearer {token}"})
    try:
        with urlopen(ask, timeout=2) as answer:
            return address if json.load(answer)["folder"] == folder else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _listening(host: str, port: int | None, last: int | None) -> socket.socket:
    """A socket on the port that is asked for, else on the one used last, a usual one, or any."""
    tried = [port] if port is not None else [p for p in (last, USUAL, 0) if p is not None]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in tried:
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, candidate))
            sock.listen(128)
        except OSError as error:
            sock.close()
            reason = error.strerror or str(error)
            continue
        sock.set_inheritable(False)
        return sock
    do = "give another --port, or --host 127.0.0.1"
    raise GambolError(f"{host} port {tried[-1]} cannot be listened on ({reason})", where="--port", do=do)
