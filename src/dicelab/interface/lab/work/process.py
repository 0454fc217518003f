"""A worker process of the lab: runs one task within limits, and writes its messages as JSON to the server.

A task is a function of a module of this folder, named by both: ``own.show``. It is called with a wire to the server and
its arguments. Each message that it sends is plain data; the last one says ``done``, or ``error`` with the message that
the command would print.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, TypedDict

from dicelab.errors import DicelabError, InputError
from dicelab.rules.game import Game
from dicelab.rules.loading.registry import find
from dicelab.rules.loading.source import edited_since
from dicelab.runtime.timing import watched_by


class GameRequest(TypedDict):
    """A question about a game: what the server passes to a task."""

    called: str
    """Name or file of the game, as on the command line."""
    parameters: dict[str, str]
    strategies: list[str]


_found: dict[str, type[Game]] = {}
"""The games that this process has found: a file that hasn't changed since isn't loaded again."""


def game_of(asked: GameRequest) -> Game:
    """Return the game with its parameters."""
    called, values = asked["called"], dict[str, Any](asked["parameters"])
    if called not in _found or edited_since(_found[called]):
        _found[called] = find(called)
    return _found[called](**values)


UNWATCHED = "own.cards", "live.live"
"""Tasks whose messages are something else than the parts of one answer."""

Task = Callable[..., None]


class Wire:
    """The connection of a task to the server."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._inbox: queue.SimpleQueue[str] = queue.SimpleQueue()

    def send(self, **message: Any) -> None:
        """Send a message of plain data; end the process if the server is gone."""
        try:
            self._pipe.send_bytes(json.dumps(message, allow_nan=False).encode())
        except OSError:
            os._exit(0)

    def asked(self, wait: bool = False) -> str:
        """Return the next word that the page has sent, such as ``stop``; empty if there is none, unless it is waited
        for.
        """
        try:
            return self._inbox.get(block=wait)
        except queue.Empty:
            return ""

    def listen(self) -> None:
        """Take in what the server sends; end the process when the server is gone."""
        try:
            while True:
                self._inbox.put(self._pipe.recv_bytes().decode())
        except (EOFError, OSError):
            with suppress(OSError, AttributeError):
                os.killpg(0, signal.SIGKILL)  # this process, and those that it has started
            os._exit(0)


def nothing(wire: Wire) -> None:
    """Do nothing: that this is done says that processes can be forked."""


def preload() -> list[str]:
    """Return the modules that the process from which workers are forked imports once: all with tasks."""
    return sorted(f"{__package__}.{module.name}" for module in iter_modules([str(Path(__file__).parent)]))


def run(pipe: Connection, question: dict[str, Any], memory: int, stays: bool) -> None:
    """Run one task and end the process, or if it `stays`, run more; `memory` is the limit in bytes beyond what the
    process has now.
    """
    _limit(memory)
    sys.dont_write_bytecode = True  # nothing is written beside the files of rules
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (a game's file may print; nobody reads it)
    wire = Wire(pipe)
    threading.Thread(target=wire.listen, daemon=True).start()
    notes: dict[str, None] = {}

    def warned(message: Warning | str, *_: Any, **__: Any) -> None:
        notes[str(message)] = None
        wire.send(notes=[*notes])

    warnings.simplefilter("ignore")
    warnings.simplefilter("always", RuntimeWarning)  # what `errors.slow` says
    warnings.showwarning = warned
    try:
        _answer(wire, **question)
        while stays:
            question = json.loads(wire.asked(wait=True))
            notes.clear()
            _answer(wire, **question)
    except DicelabError as error:
        wire.send(error=" ".join(str(error).split()), status=2 if isinstance(error, InputError) else 1)
    except MemoryError:
        wire.send(error="the memory that the lab allows for one question does not suffice", status=1)
    except RecursionError:
        wire.send(error="the rules call themselves too deeply", status=1)
    except Exception:  # a fault of dicelab; the page says that the process died
        traceback.print_exc(file=sys.__stderr__)
    finally:
        os._exit(0)


def _answer(wire: Wire, task: str, arguments: dict[str, Any]) -> None:
    """Run one task, and say that it is done."""
    module, function = task.split(".")
    call: Task = getattr(import_module(f"{__package__}.{module}"), function)
    watched = task not in UNWATCHED
    with watched_by(_stages(wire) if watched else None, (lambda share: wire.send(share=share)) if watched else None):
        call(wire, **arguments)
    wire.send(done=True)


def _stages(wire: Wire) -> Callable[[str, bool], None]:
    """Return what sends what is done now, behind what was said of all of the work."""
    staying: list[str] = []

    def shown(words: str, stays: bool) -> None:
        staying.extend([words] if stays else [])
        wire.send(stage=staying if stays else [*staying, words])

    return shown


def _limit(memory: int) -> None:
    """Limit the memory of this process, let the server go first, and leave Ctrl-C to the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError, AttributeError):
        os.setpgid(0, 0)  # a group of its own, so that what it starts ends with it
    with suppress(OSError, AttributeError):
        os.nice(5)
    with suppress(ImportError, OSError, ValueError):
        import resource

        with open("/proc/self/statm", encoding="utf-8") as sizes:
            now = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + memory, now + memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
