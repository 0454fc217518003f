"""A game that a person may leave: its exit status, and how to play it again or on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import click

from dicelab.errors import PlayError
from dicelab.interface.play.keyboard import Left
from dicelab.interface.play.saved.file import Recorder
from dicelab.interface.play.screen.text import Say
from dicelab.runtime.interpreter import Source

INTERRUPTED = 130
"""Exit status after Ctrl-C."""


def to_the_end(play: Callable[[], None], source: Source, recorder: Recorder | None, say: Say, after: str) -> int:
    """Play a game; if a person leaves it, say why on standard error, and `after`.

    Returns
    -------
    int
        The exit status: 0 when the game ended or was left with ``q``, 1 when the input ended, 130 when interrupted.

    Raises
    ------
    PlayError
        When a rule or a strategy breaks the contract; the message names the source of the dice.
    """
    try:
        play()
        return 0
    except Left as left:
        if isinstance(left.__cause__, OSError):
            raise left.__cause__ from None
        status, why = left.status, left.why
    except KeyboardInterrupt:
        status, why = INTERRUPTED, "interrupted"
    except PlayError as error:
        raise type(error)(f"{error}; {source}") from error
    finally:
        if recorder is not None:
            recorder.close()
    if status:
        with suppress(OSError):
            say("")  # ends the line of the question
    click.echo(f"dicelab: {why}; {after}", err=True)
    return status
