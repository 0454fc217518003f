"""Run a game with people: introduction, the game itself, conclusion."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from dicelab.play.advice import Hints, adviser
from dicelab.play.asides import asides, has_money
from dicelab.play.keyboard import Hear
from dicelab.play.people import Hand, noted, person
from dicelab.play.state import legend
from dicelab.play.table import Table
from dicelab.play.text import Say, in_words, screen_width
from dicelab.rules.game import Game, counted, outcome_names, reset, summary
from dicelab.runtime.interpreter import Explained, Source, finished, steps
from dicelab.runtime.lineup import Call


def at_table(
    game: Game,
    calls: Sequence[Call | None],
    source: Source,
    hints: Hints | None,
    limit: int,
    say: Say,
    hear: Hear,
) -> None:
    """Play a game with people.

    Raises
    ------
    PlayError
        When a rule or a strategy breaks the contract.
    """
    with Explained(game):
        reset(game)
    table = Table(game, calls, say)
    _introduce(table, calls, str(source))
    asks = person(table, adviser(hints), hear)
    choosers = [noted(table, call.chooser(game)) if call else asks for call in calls]
    hand = source if calls else Hand(source, table, hear)
    for event in steps(game, choosers, hand, limit):
        table.tell(event)
    table.close()
    _conclude(table)


def _introduce(table: Table, calls: Sequence[Call | None], dice: str) -> None:
    """Show the game and its parameters, who plays, what the state's numbers mean, and the commands."""
    game, width = table.game, screen_width()
    params = [f"{p.name} {p.word(game.parameters[p.name])}" for p in game.declared.params.values()]
    table.show(wrap(f"{game.name}{': ' if params else ''}{', '.join(params)}; {dice}", width))
    table.show(wrap(summary(type(game)), width))
    if len(calls) > 1:
        someone = "you" if table.you >= 0 else "a person"
        table.show(wrap("; ".join(f"seat {seat}: {call or someone}" for seat, call in enumerate(calls)), width))
    if not table.stand():
        numbers = [name for name in game.declared.state if name not in {*table.news.flags, table.news.turn_field}]
        table.show(legend(game, width, numbers))
    keys = "Type ? for help, q to quit." if calls else "Press Enter to roll, a to roll to the end, q to quit."
    table.show(wrap(keys, width))
    if has_money(game):
        table.show(wrap("; ".join(f"{word}: {about}" for word, about in asides(game).items()) + ".", width))
    if table.watched or len(calls) == 1:
        table.say("")


def _conclude(table: Table) -> None:
    """Show who has won, and the tallies."""
    game = table.game
    played, outcomes = finished(game), outcome_names(game)
    if not outcomes:
        ending = "The game is over."
    elif game.outcomes is not None:
        ending = f"The game is over: {outcomes[played.outcome]}."
    else:
        name = table.names[played.outcome]
        ending = "You win." if name == "you" else f"{name[0].upper()}{name[1:]} wins."
    tallies = ", ".join(f"{in_words(name)} {value}" for name, value in counted(game).items())
    table.show(["", table.paint(ending, "bold"), *wrap(tallies, screen_width())])
