"""Who may ask the lab: requests to its own address only, from its own pages, with their token.

* The Host header must name the lab: another name that leads to 127.0.0.1 (DNS rebinding) is refused.
* A request made by a page of another site is refused, by Origin and Sec-Fetch-Site; following a link is allowed.
* A request that changes something carries the token that only the lab's own pages contain.
* Every answer forbids the browser to load anything from elsewhere, or to run scripts or styles inside a page.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-dicelab-token"
SAFE = ("GET", "HEAD")
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""For SVG files, which hold their own styles; no script runs in them, even if one is opened by itself."""
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def new_token() -> str:
    """Return a token for one run of the server."""
    return secrets.token_urlsafe(24)


class Guard:
    """Middleware that refuses foreign requests and adds the headers.

    Parameters
    ----------
    app
        The application behind it.
    token
        The token of this run of the server.
    hosts
        Names of the server without port, in lower case.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: Collection[str]) -> None:
        self.app, self.token, self.hosts = app, token, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with status 403."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope["method"], Headers(scope=scope))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                svg = headers.get("content-type", "").startswith("image/svg")
                headers["content-security-policy"] = PICTURE_POLICY if svg else POLICY
            await send(message)

        app = PlainTextResponse(f"refused: {refusal}\n", status_code=403) if refusal else self.app
        await app(scope, receive, send_with_headers)

    def _refusal(self, method: str, headers: Headers) -> str:
        """Return why a request is refused; empty if it is not."""
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or _name(host) not in self.hosts:
            return "the Host header does not name the lab"
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return "the request comes from another site"
        site = headers.get("sec-fetch-site", "none")
        followed = method in SAFE and headers.get("sec-fetch-mode") == "navigate"
        if site not in ("none", "same-origin") and not followed:
            return "the request comes from another site"
        if method not in SAFE and not hmac.compare_digest(headers.get(TOKEN_HEADER, ""), self.token):
            return "the token is missing or of an earlier run of the lab; load the page again"
        return ""


def _name(host: str) -> str:
    """Return the name in a Host header, without the port, in lower case."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
