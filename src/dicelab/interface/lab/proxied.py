"""The lab behind a reverse proxy, under a path: addresses in pages, modules and redirects begin with that path.

Templates and modules write addresses as they are without a proxy; what is sent is rewritten.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dicelab.errors import ParameterError

IN_PAGES = re.compile(r'(\s(?:href|src|action|content|data-[a-z]+)=")/(?!/)|(&#34;)/(?=games/)')
IN_MODULES = re.compile(r"([\"'`])/(?=(?:charts|dice|fair|games|jobs|playtests|runs|static|yours)\b)")
REWRITTEN = {"text/html": IN_PAGES, "text/javascript": IN_MODULES, "application/javascript": IN_MODULES}


def place_of(address: str) -> tuple[str, str]:
    """Return the name of the host in the address of a proxy, in lower case, and the path there, without a slash behind.

    >>> place_of("https://Example.org/dice/")
    ('example.org', '/dice')
    """
    parts = urlsplit(address)
    path = parts.path.rstrip("/")
    plain = parts.scheme in ("http", "https") and parts.hostname and not parts.query and not parts.fragment
    if not plain or not re.fullmatch(r"(/[A-Za-z0-9._~-]+)*", path):
        raise ParameterError(f"at: {address} is not allowed; give the address of the lab, as https://example.org/dice/")
    return str(parts.hostname), path


class Under:
    """Middleware that serves the application under a path; a proxy may leave the path in what it asks for, or not.

    Parameters
    ----------
    app
        The application.
    path
        Where it is, such as ``/dice``.
    """

    def __init__(self, app: ASGIApp, path: str) -> None:
        self.app, self.path = app, path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on without the path, and rewrite the addresses in the response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asked = scope["path"]
        if asked == self.path or asked.startswith(f"{self.path}/"):
            raw = scope.get("raw_path", b"")
            inner = asked.removeprefix(self.path) or "/"
            scope = {**scope, "path": inner, "raw_path": raw.removeprefix(self.path.encode()) or b"/"}
        pattern: re.Pattern[str] | None = None
        start: Message = {}
        body = bytearray()

        async def rewritten(message: Message) -> None:
            nonlocal pattern, start
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("location", "").startswith("/"):
                    headers["location"] = self.path + headers["location"]
                pattern = REWRITTEN.get(headers.get("content-type", "").partition(";")[0])
                if pattern is None:
                    await send(message)
                start = message
                return
            if pattern is None:
                await send(message)
                return
            body.extend(message.get("body", b""))
            if message.get("more_body"):
                return
            text = pattern.sub(
                lambda match: f"{match.group(match.lastindex or 1)}{self.path}/", body.decode("utf-8")
            ).encode()
            headers = MutableHeaders(scope=start)
            del headers["content-length"]
            if scope["method"] != "HEAD":
                headers["content-length"] = str(len(text))
            await send(start)
            await send({"type": "http.response.body", "body": text})

        await self.app(scope, receive, rewritten)
