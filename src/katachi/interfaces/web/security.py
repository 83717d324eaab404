"""Who may talk to the server: Host, Origin and token are checked before anything else is read."""

import ipaddress
import secrets
import socket
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Sent with every answer: the page loads nothing from elsewhere, and nobody else shows it."""


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine can reach this address."""
    if host == "localhost":
        return True
    address = _address(host)
    return address is not None and address.is_loopback


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def new_token() -> str:
    """A word that nobody can guess."""
    return secrets.token_urlsafe(24)


class Gate:
    """Lets a request through, or answers it: 403 for another Host or Origin, 401 without token.

    A page of somebody else that has its own name point to this machine (DNS rebinding) comes with
    that name as its Host; one that simply sends requests here comes with its Origin.
    """

    def __init__(self, app: ASGIApp, host: str, port: int, token: str | None) -> None:
        """`token` is None where none is needed."""
        self._app = app
        self._host = host.lower()
        self._token = token
        # Cookies are shared by all ports of a host.
        self._cookie = f"katachi-{port}"
        self._names = LOCAL_NAMES | {self._host}
        if not is_loopback(host):
            self._names |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or passes it on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            answer = self._refusal(scope)
        except ValueError:  # what cannot be taken apart is nothing that a browser sends
            answer = PlainTextResponse("not a request of a browser", 400)
        if answer is None:
            await self._app(scope, receive, _with_headers(send))
        else:
            await answer(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that goes no further."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_ours(host):
            return PlainTextResponse("this server does not answer to that name", 403)
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return PlainTextResponse("pages of other servers may not ask this one", 403)
        return None if self._token is None else self._ask_token(scope, headers)

    def _is_ours(self, host: str) -> bool:
        """Whether a Host header names this server. An address is never a name that somebody else
        could have pointed here."""
        name = (urlsplit(f"//{host}").hostname or "").lower()
        if "@" in host:  # a name that only looks like ours
            return False
        if name in self._names:
            return True
        return not is_loopback(self._host) and _address(name) is not None

    def _ask_token(self, scope: Scope, headers: Headers) -> Response | None:
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"), max_num_fields=20)
        given = query.get("token", [""])[0]
        if scope["type"] == "http" and self._is_token(given):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(self._cookie, given, httponly=True, samesite="strict")
            return answer
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        if self._is_token(bearer) or self._is_token(_cookie(headers, self._cookie)):
            return None
        return PlainTextResponse("open the address that `katachi web` has printed", 401)

    def _is_token(self, text: str) -> bool:
        assert self._token is not None
        return secrets.compare_digest(text.encode(), self._token.encode())


def _cookie(headers: Headers, name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return "" if found is None else found.value


def _with_headers(send: Send) -> Send:
    async def send_safely(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return send_safely
