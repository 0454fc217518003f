"""The steps before any game is played: the contract, read from the source, and the declarations."""

from __future__ import annotations

from collections.abc import Callable

from dicelab.conformance.findings.finding import NOTE, OK, Broken, Found, Said
from dicelab.conformance.unproved import unused
from dicelab.errors import RulesError
from dicelab.rules.casino import Casino
from dicelab.rules.fields import Ints
from dicelab.rules.game import Game, outcome_names, seat_count, summary
from dicelab.rules.params import value_of
from dicelab.runtime.outcome_tables import row_pool
from dicelab.runtime.where import where_class, where_declared, where_is
from dicelab.translation.contract import must_be_lawful
from dicelab.translation.entries import takes_any

MOST_SEATS = 1000
"""Limit of the number of seats."""


def contract(game: type[Game]) -> Found:
    """Check who may change what, and what rules may depend on."""
    must_be_lawful(game, game.declared.strategies.values())
    yield Said(OK, "rules and strategies change only what they may, and depend on nothing hidden")


def declared(game: type[Game]) -> Found:
    """Check that the class has what a game needs."""
    missing = _missing(game)
    if missing:
        where = where_class(game)
        raise Broken(f"{where}: {missing}" if where else missing, where)
    for base in game.__mro__[: game.__mro__.index(Game)]:
        for name, value in vars(base).items():
            if isinstance(value, list | dict | set) and not name.startswith("__") and not hasattr(Casino, name):
                where = where_declared(game, name)
                kind = type(value).__name__
                say = f"{name} is a {kind}: declare what changes as Int, Ints, Flag or Tally; write constants as tuples"
                raise Broken(f"{where}: {say}" if where else say, where)
    for decision in game.declared.decisions:
        takes = decision.rule.__code__.co_argcount - 1
        if takes != len(decision.kinds) and not (takes == 0 and decision.lists and takes_any(decision.rule)):
            where = where_is(decision.rule)
            raise Broken(
                f"{where}: {decision.name} takes {takes} numbers, but @chosen declares {len(decision.kinds)}: "
                f"write one argument for each",
                where,
            )
    if not summary(game):
        yield Said(NOTE, "it has no docstring; its first line is what lists and help say of the game")
    if not game.source:
        yield Said(NOTE, 'it names no source; add source = "where the rules come from"')
    for name in unused(game):
        where = where_declared(game, name)
        yield Said(NOTE, f"{where}: no rule uses the parameter {name}: use it, or leave it out")
    has = game.declared
    sizes = {"parameters": len(has.params), "fields": len(has.state), "tallies": len(has.tallies)}
    sizes["strategies"] = len(has.strategies)
    yield Said(OK, ", ".join(f"{name}: {number}" for name, number in sizes.items()), {"declared": sizes})


def _missing(game: type[Game]) -> str:
    """Return what a game needs and the class lacks, with what to write; empty if nothing."""
    if game.next is Game.next:
        return "it has no method next(self), which says what happens now: throw(...), ask(...) or OVER"
    if not game.declared.throws:
        return "no dice are ever rolled: put @thrown(dice, die) above a method"
    if outcome_names(game()) and game.outcome is Game.outcome:
        return "it has outcomes but no method outcome(self) that returns the number of one"
    if game.declared.decisions and not game.declared.strategies:
        return "it has choices but no strategy: put @strategy(...) above a function that chooses"
    return ""


def must_be_sensible(sample: Game, at: str) -> None:
    """Refuse empty ranges, dice that can't be rolled, and impossible numbers of seats, at one setting.

    Raises
    ------
    Broken
    """
    begin = f"{at}: " if at else ""
    for f in sample.declared.state.values():
        low, high = f.bounds(sample)
        where = where_declared(type(sample), f.name)
        line = f"{where}: " if where else ""
        if low > high:
            raise Broken(
                f"{line}{begin}{f.name} has the empty range {low} to {high}: declare one that holds at least one "
                "value, or refuse the setting in refuse()",
                where,
            )
        if isinstance(f, Ints) and value_of(f.length, sample) < 1:
            raise Broken(
                f"{line}{begin}{f.name} has length {value_of(f.length, sample)}: it must be at least 1, or refuse the "
                "setting in refuse()",
                where,
            )
    for kind in sample.declared.throws:
        takes, where = _numbers(kind.rule), where_is(kind.rule)
        if takes is not None and takes != kind.width(sample):
            raise Broken(
                f"{where}: {begin}a roll of {kind.name} is seen as {kind.width(sample)} numbers, but the method takes "
                f"{takes}: write one argument for each, or *faces",
                where,
            )
        try:
            for dice in (0, 1):
                row_pool(sample, kind, dice)
        except RulesError as error:
            raise Broken(f"{where}: {begin}{error}: declare dice that can be rolled at every setting", where) from error
    if not 1 <= seat_count(sample) <= MOST_SEATS:
        where = where_declared(type(sample), "seats") or where_class(type(sample))
        say = f"{begin}there are {seat_count(sample)} seats: declare 1 to {MOST_SEATS}"
        raise Broken(f"{where}: {say}" if where else say, where)


def _numbers(rule: Callable[..., object]) -> int | None:
    """Return how many numbers the method of a roll takes; None for any number."""
    code = rule.__code__
    return None if code.co_flags & 0x04 else code.co_argcount - 1
