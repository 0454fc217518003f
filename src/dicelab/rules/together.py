"""Choices that several seats make at once, as one choice after another that nobody sees until all have chosen.

What a seat chooses is kept in a row of the state, in which each seat sees its own number alone. When the last seat has
chosen, the rows are cleared and the author's method is called with what all have chosen. Engines, solvers and screens
see nothing but private fields and choices in turn.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import CO_VARARGS
from typing import Any

from dicelab.errors import RulesError
from dicelab.rules.fields import Field, Int, Ints, Seat
from dicelab.rules.private import private_fields
from dicelab.rules.words import Words

MADE = "<dicelab: together "
"""What the names of the files begin with that the methods made here are said to be in."""

MADE_OF = "made_of"
"""The name under which a method made here holds the author's."""


def must_be_together(player: object, rule: Any, spans: Sequence[tuple[Any, Any]]) -> None:
    """Refuse what can't name the seat that chooses, a method that can't receive the lists, and a smallest value that is
    a parameter.
    """
    if not isinstance(player, Seat) or player.low != 0 or player.private or player.alike:
        raise RulesError(
            f"@chosen(..., together={player!r}): name the field that says who chooses, declared above as "
            'player = Seat(players, "who chooses"), without nobody=, alike= and private='
        )
    code = rule.__code__
    if code.co_argcount - 1 != len(spans) or code.co_flags & CO_VARARGS:
        raise RulesError(
            f"{rule.__name__} must take an argument for each number of a move that @chosen declares ({len(spans)}), "
            "where all seats choose at once: a list with what every seat has chosen"
        )
    for low, _ in spans:
        if not isinstance(low, int):
            raise RulesError(f"{rule.__name__}: the smallest value of a move of all seats at once must be a number")


def gather(
    owner: type, name: str, rule: Any, spans: Sequence[tuple[Any, Any]], player: Seat
) -> tuple[Callable[..., None], tuple[str, ...], str]:
    """Declare the rows of a choice that seats make together, and return what a choice of one of them does, the names
    of the rows, and a name for them that the class has already ("" if none).

    Parameters
    ----------
    owner, name
        The class of the game, and the name of the choice.
    rule
        What is done when all have chosen; it receives a list for each number of a move, in the order of the seats.
    spans
        The smallest and largest value of each number of a move.
    player
        The field that says who chooses.
    """
    code = rule.__code__
    names = code.co_varnames[1 : code.co_argcount]
    rows, together, count = [f"{name}_{one}" for one in names], f"{name}_together", counted(name)
    taken = next((one for one in (*rows, together, count) if one in vars(owner)), "")
    starts = []
    for one, row, (low, high) in zip(names, rows, spans, strict=True):
        starts.append(min(max(0, low), high) if isinstance(high, int) else max(0, low))
        what = f"{one} of each seat in {name}, until all have chosen"
        _declare(owner, row, Ints(player.players, low, high, what, start=starts[-1], by_seat=True, private=True))
    _declare(owner, count, Int(0, player.players - 1, f"seats that have chosen in {name}, until all have"))
    setattr(owner, together, rule)
    who, first, each = f"self.{player.name}", rows[0], "_".join(["seat", *names])
    lines = [
        f"def {name}(self, {', '.join(names)}):",
        *(f"    self.{row}[{who}] = {one}" for one, row in zip(names, rows, strict=True)),
        f"    if {who} != self.{count}:",
        f"        {who} = -1",  # an error: `ask` says what is wrong
        f"    elif {who} < len(self.{first}) - 1:",
        f"        {who} += 1",
        f"        self.{count} += 1",
        "    else:",
        *(f"        {one} = [*self.{row}]" for one, row in zip(names, rows, strict=True)),
        f"        for {each} in range(len(self.{first})):",
        *(f"            self.{row}[{each}] = {start}" for row, start in zip(rows, starts, strict=True)),
        f"        {who} = self.{count} = 0",
        f"        self.{together}({', '.join(names)})",
    ]
    text = "\n".join([*lines, ""])
    file = f"{MADE}{name}({', '.join(names)}) {player.name} {starts}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    made: dict[str, Any] = {}
    exec(compile(text, file, "exec", dont_inherit=True), rule.__globals__, made)
    value: Any = made[name]
    value.__doc__, value.__module__, value.__qualname__ = rule.__doc__, rule.__module__, rule.__qualname__
    setattr(value, MADE_OF, rule)
    return value, tuple(rows), taken


def counted(name: str) -> str:
    """Return the name of the field that counts who has chosen."""
    return f"{name}_chosen"


def opens_again(game: Any) -> bool:
    """Return whether a game hides nothing but what seats choose at once, until all have chosen.

    >>> from dicelab.games.liars_dice import LiarsDice
    >>> from dicelab.games.sealed_bids import SealedBids
    >>> opens_again(SealedBids()), opens_again(LiarsDice())
    (True, False)
    """
    private = {*private_fields(game)}
    return bool(private) and private <= {row for kind in game.declared.decisions for row in kind.rows}


def _declare(owner: type, name: str, field: Field) -> None:
    """Add a field to a class."""
    setattr(owner, name, field)
    field.__set_name__(owner, name)


def hide_rows(game: Any, decisions: Sequence[Any]) -> None:
    """Keep the rows of choices that seats make together off the screen.

    Raises
    ------
    RulesError
        When the game has something else of their name.
    """
    together = [decision for decision in decisions if decision.rows]
    rows = [name for decision in together for name in (*decision.rows, counted(decision.name))]
    for decision in decisions:
        if decision.taken:
            raise RulesError(
                f"{game.name}: {decision.taken} holds what seats choose in {decision.name}; use another name"
            )
    if rows and isinstance(game.words, Words):
        game.words = replace(game.words, hidden=tuple(dict.fromkeys((*game.words.hidden, *rows))))
