"""The application: which address leads to which page, and starting the server."""

from __future__ import annotations

import hmac
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dicelab.errors import DicelabError
from dicelab.interface.lab.answers import LiveRuns
from dicelab.interface.lab.job import kill_all, visitor, warm
from dicelab.interface.lab.lab import Lab, failed
from dicelab.interface.lab.pages import (
    about,
    answered,
    editing,
    playing,
    questions,
    simulation,
    stored,
    watching,
)
from dicelab.interface.lab.pages.answered import kind_of
from dicelab.interface.lab.proxied import Under, place_of
from dicelab.interface.lab.shelf import Shelf, prepared
from dicelab.questions.declare import pages_of_questions
from dicelab.results.store.database import Database

# Who may ask the lab: requests to its own address only, from its own pages, with their token.
#
# * The Host header must name the lab: another name that leads to 127.0.0.1 (DNS rebinding) is refused.
# * A request made by a page of another site is refused, by Origin and Sec-Fetch-Site; following a link is allowed.
# * A request that changes something carries the token that only the lab's own pages contain.
# * Every answer forbids the browser to load anything from elsewhere, or to run scripts or styles inside a page.


TOKEN_HEADER = "x-dicelab-token"
SAFE = ("GET", "HEAD")
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
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
    public, proxied
        Whether others are let in, whose questions are counted; and whether a proxy says who asks.
    """

    def __init__(
        self, app: ASGIApp, token: str, hosts: Collection[str], public: bool = False, proxied: bool = False
    ) -> None:
        self.app, self.token, self.hosts = app, token, frozenset(hosts)
        self.public, self.proxied = public, proxied

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with status 403."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope["method"], Headers(scope=scope))
        if self.public:
            visitor.set(self._visitor(scope))

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

    def _visitor(self, scope: Scope) -> str:
        """Return who asks: the address of the other side; what a proxy says in the last place, where visitors can't."""
        other = scope["client"][0] if scope.get("client") else "?"
        said = Headers(scope=scope).get("x-forwarded-for", "").rpartition(",")[2].strip()
        return said if self.proxied and said else other

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


HOST, ANY = "127.0.0.1", "0.0.0.0"
STATIC = Path(__file__).parent / "static"
CHARTS = STATIC.parents[1] / "publishing" / "static"

ROUTES = [
    Route("/", about.shelf),
    Route("/yours", about.yours),
    Route("/games/{name}.json", about.as_json),
    Route("/games/{name}", about.game),
    *(route for kind in questions.KINDS for route in kind.routes()),
    Route("/games/{name}/card.{suffix}", questions.card),
    Route("/games/{name}/judge/table", answered.table, methods=["POST"]),
    Route("/playtests/table", answered.table, methods=["POST"]),
    Route("/games/{name}/simulate", simulation.simulate),
    Route("/games/{name}/simulate.json", partial(simulation.as_data, "json", "application/json")),
    Route("/games/{name}/simulate.csv", partial(simulation.as_data, "csv", "text/csv")),
    Route("/games/{name}/simulate/start", simulation.start, methods=["POST"]),
    Route("/games/{name}/simulate/live/{run}", simulation.live),
    Route("/games/{name}/check", watching.check),
    Route("/games/{name}/check.json", watching.as_json),
    Route("/games/{name}/check/part", watching.part),
    Route("/games/{name}/check/figures", watching.figures),
    Route("/games/{name}/stamp", watching.stamp),
    Route("/games/{name}/source.json", editing.source),
    Route("/games/{name}/draft/{what}", editing.draft, methods=["POST"]),
    Route("/games/{name}/save", editing.save, methods=["POST"]),
    Route("/jobs/{number}", answered.work),
    Route("/jobs/{number}/behind", answered.behind, methods=["POST"]),
    Route("/jobs/{number}/cancel", answered.cancel, methods=["POST"]),
    Route("/runs", stored.runs),
    Route("/runs.json", stored.as_json),
    Route("/runs/compare", stored.compare),
    Route("/runs/compare.json", stored.compare_json),
    Route("/runs/{number}.json", stored.run_json),
    Route("/runs/{number}", stored.run),
    Route("/runs/{number}/delete", stored.delete, methods=["POST"]),
    Route("/runs/{run}/{word}", simulation.tell, methods=["POST"]),
    Route("/games/{name}/play", playing.play),
    Route("/games/{name}/play.json", playing.saved),
    Route("/games/{name}/review", playing.review),
    Route("/games/{name}/review.json", playing.review_json),
    Mount("/static", StaticFiles(directory=STATIC)),
    Mount("/charts", StaticFiles(directory=CHARTS)),
]


def application(
    shelf: Shelf,
    token: str | None = None,
    hosts: Sequence[str] = (HOST, "localhost"),
    store: str | None = None,
    edits: bool = False,
    public: bool = False,
    path: str | None = None,
) -> Starlette:
    """Return the application with these games; `hosts` are the names under which it answers,
    `store` keeps its answers; with `edits`, pages may write the files that were named at the start; where it is
    `public`, others are let in; `path` is where a reverse proxy offers it.
    """
    token = token or new_token()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        with TemporaryDirectory(prefix="dicelab-lab-", ignore_cleanup_errors=True) as folder:
            app.state.lab = Lab(shelf, token, LiveRuns(), Path(folder), store, edits, public)
            if store is not None and not Path(store).exists():
                Database(store).close()  # an empty one, which the page of runs can list
            warm()
            await shelf.look(0.0)
            yield
            kill_all()

    declared = [route for one in pages_of_questions() for route in kind_of(one).routes()]
    return Starlette(
        routes=[*ROUTES, *declared],
        lifespan=lifespan,
        middleware=[
            Middleware(Guard, token=token, hosts=hosts, public=public, proxied=path is not None),
            *([Middleware(Under, path=path)] if path else []),
        ],
        exception_handlers={DicelabError: _on_error, HTTPException: _on_error},
    )


async def _on_error(request: Request, error: Exception) -> Response:
    """Return the page for an error."""
    if isinstance(error, HTTPException):
        message = "there is no such page" if error.status_code == 404 else error.detail
        response = failed(request, DicelabError(message))
        response.status_code = error.status_code
        return response
    return failed(request, error)


def serve(
    files: Sequence[str],
    port: int,
    ready: Callable[[str], None],
    store: str | None = None,
    host: str = HOST,
    at: str | None = None,
) -> None:
    """Run the server until it is interrupted; `ready` is called with its address once it answers.

    Answers are kept in the file `store`. With another `host` than this machine, or `at` the address of a reverse proxy,
    others can reach the lab.

    Raises
    ------
    DicelabError
        When the port is taken, or there is no such host.
    """
    proxy, path = place_of(at) if at is not None else ("", None)
    listening = _listen(host, port)
    names = [HOST, "localhost"] if host == HOST else [*_names(host)]
    names += [proxy] if proxy else []
    address = f"http://{HOST if host == HOST else names[0]}:{listening.getsockname()[1]}/"
    app = application(
        prepared(files),
        hosts=names,
        store=store,
        edits=host == HOST and at is None,
        public=host != HOST or at is not None,
        path=path,
    )
    quiet = {"log_level": "warning", "access_log": False, "lifespan": "on"}
    config = uvicorn.Config(app, timeout_graceful_shutdown=1, server_header=False, **quiet)  # type: ignore[arg-type]
    server = _Server(config)
    server.ready = lambda: ready(address)
    try:
        server.run(sockets=[listening])
    finally:
        kill_all()


def _names(host: str) -> list[str]:
    """Return the names under which the lab answers when it listens on `host`: those of this machine, in lower case."""
    own = socket.gethostname()
    with suppress(OSError):
        _, others, addresses = socket.gethostbyname_ex(own)
        return [
            name.lower() for name in (*([host] if host != ANY else []), own, *others, *addresses, "localhost", HOST)
        ]
    return [host.lower(), own.lower(), "localhost", HOST]


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on `host`, which is this machine only unless asked otherwise;
    any free port for 0.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        raise DicelabError(f"port {port} of {host} can't be used: {error}; choose another with --port") from error
    listening.listen(128)
    return listening


class _Server(uvicorn.Server):
    """A server that says when it is ready."""

    ready: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets)
        self.ready()
