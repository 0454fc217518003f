"""Checks of a game's declarations when its class is created: names, and parameters in ranges, dice and moves.

By itself because a reader of `dicelab.rules.game` looks for what a game may declare, not for every mistake in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from numbers import Real
from typing import Any

from dicelab.errors import RulesError
from dicelab.rules.actions import MOST_SEATS, Kind, Throw
from dicelab.rules.fields import Field, Grid, Peak, Tally
from dicelab.rules.objectives import wanted
from dicelab.rules.params import Expr, Param, reach_of
from dicelab.rules.words import Facing, Words

GameClass = Any
"""The class of a game. Any, because its declarations have not been checked yet."""

RESERVED = {"cls", "game", "parameters", "profile", "self"}
"""Names that parameters can't have: they are arguments of the contract and of every call about a game."""
CASINO = {"edges_over", "edges_of", "published", "edges_whatever", "ruin", "profiles"}
"""Declarations of `dicelab.rules.casino.Casino`, refused in other games, where they would have no effect."""
KIND = "a kind of choice"
"""What messages call the values of a move."""
SIZES = "low", "high", "start", "length", "columns", "end_low", "end_high"
"""Attributes of fields that may be expressions of parameters."""


def must_have_names(game: GameClass) -> None:
    """Refuse a game whose name, seats or outcomes can't be used in commands and results."""
    name: object = game.name
    if not isinstance(name, str) or not re.fullmatch(r"\w[\w-]*", name):
        raise RulesError(f"{game.__name__}: name = {name!r}; it must be made of letters, digits, - and _")
    seats: object = game.seats
    if not isinstance(seats, int | Expr) or isinstance(seats, bool):
        raise RulesError(f"{name}: seats = {seats!r}; it must be a whole number, or a parameter")
    if reach_of(seats)[1] < 1 or (isinstance(seats, int) and seats > MOST_SEATS):
        raise RulesError(f"{name}: seats = {seats!r}; a game has 1 to {MOST_SEATS:,} seats")
    _must_have_outcomes(game)
    must_have_payoffs(game)


def _must_have_outcomes(game: GameClass) -> None:
    """Refuse outcomes that aren't names, after the number of seats if seats can win."""
    name, outcomes = game.name, game.outcomes
    if outcomes is None:
        return
    names = outcomes
    if isinstance(outcomes, tuple) and outcomes and isinstance(outcomes[0], int | Expr):
        names = outcomes[1:]
        if outcomes[0] is not game.seats and outcomes[0] != game.seats:
            raise RulesError(
                f"{name}: outcomes = ({outcomes[0]}, ...): a number in front of the names stands for the seats that "
                f"can win, and seats = {game.seats}; write outcomes = ({game.seats}, ...)"
            )
    if not isinstance(names, tuple) or not all(isinstance(word, str) for word in names):
        raise RulesError(
            f'{name}: outcomes = {outcomes!r}; it must be a tuple of names: ("win", "lose"), or, where a seat wins or '
            f'something else happens, begin with the seats: (players, "draw")'
        )
    if len(set(names)) < len(names) or not all(word.strip() and word.isprintable() for word in names):
        raise RulesError(f"{name}: outcomes = {outcomes!r}; each needs a name of its own")


def must_have_words(game: GameClass, fields: set[str], steps: set[str]) -> None:
    """Refuse words about things that the game doesn't have."""
    words: object = game.words
    if not isinstance(words, Words):
        raise RulesError(f"{game.name}: words = {words!r}; write words = Words(...)")
    problems = words.problems(fields, set(dir(game)), steps)
    for part in [part for part in words.board if isinstance(part, Facing)]:
        field = getattr(game, part.row, None)
        if field is not None and not (isinstance(field, Grid) and field.by_seat and field.rows == 2):
            problems.append(f"words.board: Facing({part.row!r}) needs a Grid(2, ..., by_seat=True)")
    objective = wanted(words.objective)
    tallies = {name for name in fields if isinstance(getattr(game, name, None), Tally)}
    if objective.counts and objective.name not in tallies:
        problems.append(f"words.objective: {objective.name!r} is none of its tallies")
    elif objective.is_chance and (objective.least or objective.name not in {"win", *(game.outcomes or ())}):
        problems.append(f"words.objective: {words.objective!r}; write an outcome, or most: or fewest: and a tally")
    if problems:
        raise RulesError(f"{game.name}: {problems[0]}")


def must_have_payoffs(game: GameClass) -> None:
    """Refuse payoffs that don't say for each outcome what each seat gets."""
    payoffs: object = game.payoffs
    if payoffs is None:
        return
    if isinstance(payoffs, tuple | list) and any(isinstance(tally, Tally) for tally in payoffs):
        _must_be_tallies(game, payoffs)
        return
    if game.outcomes is None or not isinstance(payoffs, Mapping) or set(payoffs) != set(game.outcomes):
        names = ", ".join(str(key) if isinstance(key, Expr) else repr(key) for key in game.outcomes or ())
        raise RulesError(
            f"{game.name}: payoffs = {_written(payoffs)}; they say for each outcome ({names or 'declare outcomes'}) "
            'what each seat gets: {"first": (1, 0), "second": (0, 1), "draw": (0.5, 0.5)}; where the number of '
            'players is a parameter: outcomes = (players, "draw") and payoffs = {players: (1, 0), "draw": 0.5}'
        )
    for outcome, row in payoffs.items():
        _must_be_payoff(game, outcome, row)


def _written(value: object) -> str:
    """Return a value of a declaration as it is written: parameters by their names."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_written(key)}: {_written(one)}" for key, one in value.items()) + "}"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_written, value))}{',' * (len(value) == 1)})"
    return str(value) if isinstance(value, Expr) else repr(value)


def _must_be_payoff(game: GameClass, outcome: object, row: object) -> None:
    """Refuse what seats get by an outcome unless it is a number, one for each seat, or two where a seat wins."""
    named = isinstance(outcome, str)
    what = repr(outcome) if named else str(outcome)
    if isinstance(row, tuple | list):
        if named and not isinstance(game.seats, int):
            raise RulesError(
                f"{game.name}: payoffs of {what} are {_written(row)}, but the number of players is a parameter: write "
                "one number, which each of them gets"
            )
        if len(row) != (game.seats if named else 2):
            there = "there is 1 seat; write seats = 2" if game.seats == 1 else f"there are {game.seats} seats"
            seats = there if named else "write what the winner gets, and each other: (1, 0)"
            raise RulesError(f"{game.name}: payoffs of {what} are {_written(row)}; {seats}")
    elif not named:
        raise RulesError(f"{game.name}: payoffs of {what}: write what the winner gets, and each other: (1, 0)")
    for number in row if isinstance(row, tuple | list) else (row,):
        if not _is_amount(number):
            raise RulesError(f"{game.name}: payoffs of {what}: {number!r} is not a number")


def _is_amount(number: object) -> bool:
    """Return whether this is a finite number, or made of parameters."""
    try:
        return isinstance(number, Expr) or (
            isinstance(number, Real) and isfinite(number) and not isinstance(number, bool)
        )
    except OverflowError:
        return False


def _must_be_tallies(game: GameClass, payoffs: Sequence[object]) -> None:
    """Refuse payoffs that aren't a tally for each seat."""
    most = reach_of(game.seats)[1]
    if len(payoffs) != most:
        many = f"{most} seats" if isinstance(game.seats, int) else f"up to {most} seats ({game.seats})"
        raise RulesError(f"{game.name}: payoffs are {len(payoffs)} tallies, and there are {many}; write one for each")
    for tally in payoffs:
        if not isinstance(tally, Tally) or isinstance(tally, Peak):
            raise RulesError(f"{game.name}: payoffs: {tally!r} is not a tally that is a sum, declared in this class")


def must_be_free(game: GameClass, names: Sequence[str], params: Mapping[str, Param], contract: type) -> None:
    """Refuse names of attributes of `contract`, the base class of games, and parameters named like arguments."""
    for name in names:
        if hasattr(contract, name) or name == "parameters" or name.startswith("_"):
            raise RulesError(f"{game.name}: the name {name} is reserved for the contract; use another")
    for name in sorted(CASINO.intersection(vars(game))):
        if not any(name in vars(parent) for parent in game.__mro__[1:]) and game.__module__ != "dicelab.rules.casino":
            raise RulesError(
                f"{game.name}: only a casino game declares {name}; write class {game.__name__}(Casino), "
                "with Casino from dicelab.rules"
            )
    for name in sorted(RESERVED.intersection(params)):
        raise RulesError(
            f"{game.name}: a parameter can't be called {name}: calls about a game have an argument of that name"
        )


def _sizes(
    game: GameClass, fields: Sequence[Field], throws: Sequence[Throw], kinds: Sequence[Kind]
) -> list[tuple[str, object]]:
    """Return the numbers in the declarations that may depend on parameters, each with the name of what declares it."""
    sizes: list[tuple[str, object]] = [("seats", game.seats)]
    sizes += [(field.name, getattr(field, part, 0)) for field in fields for part in SIZES]
    for throw in throws:
        sizes += [(throw.name, size) for size in throw.sizes]
    for kind in kinds:
        sizes += [(KIND, size) for size in (kind if isinstance(kind, tuple) else (kind,))]
    return sizes


def must_have_parameters(
    game: GameClass,
    params: Mapping[str, Param],
    fields: Sequence[Field],
    throws: Sequence[Throw],
    kinds: Sequence[Kind],
) -> None:
    """Refuse ranges, dice and moves that depend on anything but parameters of the game.

    A method with the name of a parameter hides it: a range may then refer to a parameter that the game doesn't have.
    """
    for field in fields:
        if isinstance(field.private, Field) and field.private not in fields:
            raise RulesError(f"{game.name}: {field.name} is private until a field changes that the class does not have")
    for name, size in _sizes(game, fields, throws, kinds):
        known = isinstance(size, int | Expr | Field | Throw) and not isinstance(size, bool)
        known |= isinstance(size, type) and name == KIND
        if size is not None and not known:
            raise RulesError(f"{game.name}: {name} depends on {size!r}, which is not a whole number")
        if isinstance(size, Field | Throw):
            raise RulesError(
                f"{game.name}: {name} depends on {size.name}, which is not a parameter but changes during the game"
            )
        for param in size.parameters if isinstance(size, Expr) else ():
            if param.name not in params:
                raise RulesError(
                    f"{game.name}: {name} depends on a parameter ({param.help}) that the class does not have: "
                    "is there a method, or a field, of the same name?"
                )
