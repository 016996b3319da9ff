"""Who may ask: the token, this very address, and no page from elsewhere."""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from gambol.studio.checks import Refused

__all__ = ["HEADERS", "Gate"]

LOCAL = ("127.0.0.1", "localhost", "[::1]")
HEADERS = {  # on every answer: nothing from elsewhere, framed nowhere, guessed never
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; connect-src 'self' blob: data: ws: wss:; media-src 'self' blob: data:; "
        "worker-src 'self' blob:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
    ),
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}  # fmt: skip


class Gate:
    """Checks of one server.

    Args:
        token: the word that opens it.
        host: the address it listens on; of other than this machine's own, any name may be used to reach it.
        port: its port.
    """

    def __init__(self, token: str, host: str, port: int) -> None:
        self._token = token
        local = host in ("127.0.0.1", "localhost", "::1")
        self._hosts = {f"{name}:{port}" for name in LOCAL} if local else None

    def place(self, headers: Mapping[str, str]) -> None:
        """Refuse another Host (a name that was made to lead here) and the Origin of another page."""
        host, origin = headers.get("host", "").lower(), headers.get("origin", "").lower()
        if self._hosts is not None and host not in self._hosts:
            do = "open the address that gambol studio prints"
            raise Refused(403, f"{host[:60]!r} is not this studio", where="Host", do=do)
        if origin and origin not in (f"http://{host}", f"https://{host}"):
            raise Refused(403, f"{origin[:60]!r} is another page", where="Origin", do="open the studio's own page")

    def word(self, headers: Mapping[str, str], query: Mapping[str, str]) -> None:
        """Refuse who does not have the token."""
        kind, _, word = headers.get("authorization", "").partition(" ")
        given = word.strip() if kind.lower() == "bearer" else query.get("token", "")
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            do = "open the address that gambol studio prints, with its token"
            raise Refused(401, "the token is missing or another one", where="token", do=do)
