"""The application: which address leads to which page, and starting the server."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from dicelab.errors import DicelabError
from dicelab.interface.lab.guard import Guard, new_token
from dicelab.interface.lab.job import kill_all
from dicelab.interface.lab.lab import Lab, failed
from dicelab.interface.lab.pages import games, judging, keeping, playing, questions, simulation, watching
from dicelab.interface.lab.pages.answered import kind_of
from dicelab.interface.lab.runs import Runs
from dicelab.interface.lab.shelf import Shelf, filled
from dicelab.questions.declare import pages_of_questions
from dicelab.results.store.database import Database

HOST, ANY = "127.0.0.1", "0.0.0.0"
STATIC = Path(__file__).parent / "static"

ROUTES = [
    Route("/", games.shelf),
    Route("/games/{name}.json", games.as_json),
    Route("/games/{name}", games.game),
    *(route for kind in questions.KINDS for route in kind.routes()),
    Route("/games/{name}/card.{suffix}", questions.card),
    Route("/games/{name}/judge/table", judging.table, methods=["POST"]),
    Route("/games/{name}/simulate", simulation.simulate),
    Route("/games/{name}/simulate.json", simulation.as_json),
    Route("/games/{name}/simulate.csv", simulation.as_csv),
    Route("/games/{name}/simulate/start", simulation.start, methods=["POST"]),
    Route("/games/{name}/simulate/live/{run}", simulation.live),
    Route("/games/{name}/check", watching.check),
    Route("/games/{name}/check.json", watching.as_json),
    Route("/games/{name}/check/part", watching.part),
    Route("/games/{name}/check/figures", watching.figures),
    Route("/games/{name}/stamp", watching.stamp),
    Route("/runs", keeping.runs),
    Route("/runs.json", keeping.as_json),
    Route("/runs/compare", keeping.compare),
    Route("/runs/compare.json", keeping.compare_json),
    Route("/runs/{number}.json", keeping.run_json),
    Route("/runs/{number}", keeping.run),
    Route("/runs/{number}/delete", keeping.delete, methods=["POST"]),
    Route("/runs/{run}/{chart}.svg", simulation.chart),
    Route("/runs/{run}/{word}", simulation.tell, methods=["POST"]),
    Route("/games/{name}/play", playing.play),
    Route("/games/{name}/play.json", playing.saved),
    Route("/games/{name}/review", playing.review),
    Route("/games/{name}/review.json", playing.review_json),
    Mount("/static", StaticFiles(directory=STATIC)),
]


def application(
    shelf: Shelf, token: str | None = None, hosts: Sequence[str] = (HOST, "localhost"), store: str | None = None
) -> Starlette:
    """Return the application with these games; `hosts` are the names under which it answers,
    `store` keeps its answers.
    """
    token = token or new_token()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        with TemporaryDirectory(prefix="dicelab-lab-", ignore_cleanup_errors=True) as folder:
            app.state.lab = Lab(shelf, token, Runs(), Path(folder), store)
            if store is not None and not Path(store).exists():
                Database(store).close()  # an empty one, which the page of runs can list
            yield
            kill_all()

    declared = [route for one in pages_of_questions() for route in kind_of(one).routes()]
    return Starlette(
        routes=[*ROUTES, *declared],
        lifespan=lifespan,
        middleware=[Middleware(Guard, token=token, hosts=hosts)],
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
    files: Sequence[str], port: int, ready: Callable[[str], None], store: str | None = None, host: str = HOST
) -> None:
    """Run the server until it is interrupted; `ready` is called with its address once it answers.

    Answers are kept in the file `store`. With another `host` than this machine, others can reach the lab.

    Raises
    ------
    DicelabError
        When the port is taken, or there is no such host.
    """
    listening = _listen(host, port)
    names = [HOST, "localhost"] if host == HOST else [*_names(host)]
    address = f"http://{HOST if host == HOST else names[0]}:{listening.getsockname()[1]}/"
    app = application(filled(files), hosts=names, store=store)
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
