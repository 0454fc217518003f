"""The option --dice-from: a question asked with somebody's dice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from dicelab.errors import ParameterError
from dicelab.interface.cli.commands import Asked
from dicelab.interface.cli.progress import rows_done

ALLOWED = ("strategies", "memory", "threads", "only", "dice_from", "dice_in", "plot")
"""Options that can be given with --dice-from; parameters of the game can be given, too."""


def asked_with_dice(asked: Asked, question: str, settings: Mapping[str, Any]) -> bool:
    """Answer a question with the dice of --dice-from, if it was given.

    Raises
    ------
    ParameterError
        When an option is given that has no meaning then, or --dice-in without --dice-from.
    """
    rolls, replaced = settings["dice_from"], settings["dice_in"]
    if rolls is None:
        if replaced:
            raise ParameterError("--dice-in says which dice --dice-from ROLLS replaces; give both")
        return False
    ctx = click.get_current_context()
    for param in ctx.command.params:
        name = param.name or ""
        typed = ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        allowed = name in ALLOWED or name.startswith("game") or not param.expose_value
        if typed and not allowed:
            raise ParameterError(f"{param.opts[0]} can't be used with --dice-from")
    from dicelab.questions.betting.with_dice import with_dice

    with rows_done("sets of dice") as progress:
        result = with_dice(
            question,
            asked.kind,
            rolls,
            settings["strategies"],
            replaced=replaced,
            only=settings.get("only", ()),
            memory=settings["memory"],
            threads=settings["threads"],
            progress=progress,
            parameters=asked.parameters,
        )
    asked.answer(result, lambda plots: plots.plot_with_dice(result))
    return True


def without_dice(settings: dict[str, Any]) -> None:
    """Take the options about dice out of the others."""
    del settings["dice_from"], settings["dice_in"]
