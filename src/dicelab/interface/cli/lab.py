"""The command that starts the lab in the browser.

By itself because the options of the lab are long, and no other command has them.
"""

from __future__ import annotations

import os
import sys
import webbrowser
from importlib.util import find_spec

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli import options
from dicelab.interface.cli.commands import Command
from dicelab.interface.cli.output import remark
from dicelab.questions import FILES
from dicelab.rules.params import whole

NEEDED = ("starlette", "uvicorn", "jinja2", "matplotlib")


@click.command(cls=Command, short_help="all of this in the browser", group=FILES)
@click.argument("files", nargs=-1, metavar="[GAME.py ...]")
@click.option("--port", metavar="N", default=8765, type=int, show_default=True, help="Port; 0 takes a free one.")
@click.option("--open", "opened", is_flag=True, help="Open the lab in the browser.")
@click.option("--host", metavar="NAME", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--at", metavar="ADDRESS", help="Address at which a reverse proxy offers this lab to others.")
@options.store
def lab(files: tuple[str, ...], port: int, opened: bool, host: str, at: str | None, store: str | None) -> None:
    """Open the lab: simulate, solve and play games in the browser.

    It prints its address as soon as it is ready, and runs until Ctrl-C. It answers on this machine only, unless
    --host names another address of it (0.0.0.0: all), or --at the address of a reverse proxy on this machine: anyone
    who can reach that address can then use the lab. Files given here appear beside the games of dicelab, and their
    pages follow when they are saved; no other file can be reached from the browser.

    \b
    Examples:
      dicelab lab
      dicelab lab ./pig.py --port 0 --open
      dicelab lab ./pig.py --store runs.db
      dicelab lab --at https://example.org/dice/
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ParameterError(f"the lab needs {', '.join(missing)}: pip install 'dicelab[lab]'")
    whole("port", port, 0, 65535)
    for file in files:
        options.must_be_file(file, "lab")
    if store is not None:
        from dicelab.results.store.runs import Store

        Store(store)  # a file that is no store is refused before anything else
    from dicelab.interface.lab.app import serve
    from dicelab.interface.lab.proxied import place_of

    def ready(address: str) -> None:
        remark("The lab runs at this address until you press Ctrl-C:")
        click.echo(address)
        sys.stdout.flush()
        if opened:
            webbrowser.open(address)

    if at is not None:
        place_of(at)  # what is no address is refused before anything else
    if host not in ("127.0.0.1", "localhost") or at is not None:
        reached = f"others who can reach {at or host}"
        click.echo(f"warning: {reached} can use this lab, and the files that it was given", err=True)
    serve(files, port, ready, None if store is None else os.path.abspath(store), host, at)
