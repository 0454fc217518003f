"""A game as plain data for a page: its declarations in words, and the arguments of its kernels.

The page never evaluates expressions of parameters: for each combination of values that the visitor may choose, this
module computes the lengths of rows, the limits of fields and the tables of rolls.

By itself because it imports the translation of rules, which the declaration of the command must not do.
"""

from __future__ import annotations

import ast
import inspect
import os
from collections.abc import Collection, Mapping, Sequence
from itertools import product
from math import comb, prod
from typing import Any

import numpy as np

from dicelab.compile.kernels.arguments import batch_of, counters
from dicelab.compile.kernels.core import GAMES
from dicelab.compile.kernels.writers import simulate, step
from dicelab.compile.kernels.writers.moves import lists_moves
from dicelab.engines.compiled import MOST_PREFILL, SPILL, rows, setting
from dicelab.errors import ParameterError
from dicelab.interface.play.again import called as on_command_line
from dicelab.interface.play.asking.estimated import CHANCE_TO_WIN, played_for
from dicelab.interface.publishing import wasm
from dicelab.interface.publishing.wasm import expression_of
from dicelab.questions.policies.thinking.ahead import worth_of
from dicelab.questions.sweeps.points import Swept
from dicelab.rules.actions import LISTABLE, Decision, Throw
from dicelab.rules.dice import SUM
from dicelab.rules.fields import Field, Flag, Grid, Ints, Seat, fields_of
from dicelab.rules.game import Call, Game, Strategy, outcome_names, player_names, seat_count, summary, winner_of
from dicelab.rules.keeping import Keep
from dicelab.rules.loading.hashing import source_hash
from dicelab.rules.params import Choice, Param, Switch, value_of
from dicelab.rules.private import private_fields
from dicelab.rules.together import opens_again
from dicelab.rules.wording import called, rulebook_of
from dicelab.rules.words import Bits, Cups, Dice, Facing, Numbers, Part, Places, Sheet, Track
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.lineup import Run, distinct
from dicelab.runtime.outcome_tables import Tables, tables

MOST_SETTINGS = 400
"""Limit on combinations of parameters that a visitor may choose."""
FEW_VALUES, FEW_SETTINGS = 12, 64
"""Without a request, parameters with few values vary, as long as their combinations are few."""
SEATS = 8
"""Without a request, the number of players goes up to this."""
MOST_OUTCOMES = 150_000
"""Without a request, the rolls of a page have no more outcomes than this: they take 1.5 MB of it, and 4 s."""
LARGE = {f"_rules.{name}" for name in ("add", "sub", "mul", "absolute", "shifted_left", "power", "row_sum_noticed")}
"""What translated rules call where the intervals of numbers don't show that 64 bits are enough."""
COUNTED = 1 << 20
"""Adding a number up to this can't come to 64 bits within the rolls that a game may have."""
FULL = {
    f"_lists.{name}"
    for name in (
        "append",
        "extend",
        "insert",
        "add",
        "unite",
        "append_row",
        "append_list",
        "add_row",
        "merged",
        "repeated",
    )
}
"""What they call where a list may become longer than they have room for."""
MOST_NAMES = 400
"""A choice of more moves than can be listed is made by a name and a typed number if it has no more names than this."""
MOST_PLACES = 3
"""Number of rules that a sentence names."""
BLOCKS = 2
"""Blocks of one game's stream that a page computes together: it has no wide vectors, in which more cost no more."""


def varied_by_default(game: Game) -> list[Swept]:
    """Return the parameters that a visitor may change where the author names none: those with few values, of these
    the smaller ones where the largest lead to rolls of very many dice.
    """
    kind, swept, many = type(game), list[Swept](), 1
    for name, param in kind.declared.params.items():
        high = min(param.high, SEATS) if param is kind.seats else param.high
        values = tuple(range(param.low, high + 1)) if high - param.low < FEW_VALUES else ()
        if many * len(values) > FEW_SETTINGS:
            continue
        while values and _outcomes(game, [*swept, Swept(name, param, values)]) > MOST_OUTCOMES:
            values = values[:-1]
        if len(values) > 1 and game.parameters[name] in values:
            swept.append(Swept(name, param, values))
            many *= len(values)
    return swept


def _outcomes(game: Game, varied: Sequence[Swept]) -> int:
    """Return about how many outcomes all rolls have that these parameters allow, by the counts of each face."""
    throws, numbers = game.declared.throws, set[tuple[int, ...]]()
    for values in product(*(one.values for one in varied)):
        point = dict(zip((one.name for one in varied), values, strict=True))
        try:
            other = type(game)(**{**game.parameters, **point})
        except ParameterError:  # a combination that the rules refuse
            continue
        numbers.add(tuple(kind.numbers(other) for kind in throws))
    faces = [1 if kind.view is SUM else len(kind.die.faces) for kind in throws]
    return sum(comb(most + sides, sides) for one in numbers for most, sides in zip(one, faces, strict=True))


def game_data(run: Run, varied: Sequence[Swept]) -> dict[str, Any]:
    """Return what a page knows of a game.

    Parameters
    ----------
    run
        The game with the parameters and the strategies that the page begins with.
    varied
        The parameters that the visitor may change, with their values.

    Raises
    ------
    InputError
        When the game can't be published, or too many combinations of parameters are allowed.
    """
    game = run.game
    strategies = _strategies(run)
    settings = _settings(run, varied, strategies)
    return {
        **words_data(game),
        "given": {name: p.word(game.parameters[name]) for name, p in game.declared.params.items()},
        "values": {name: int(value) for name, value in game.parameters.items()},
        "varied": {one.name: [int(value) for value in one.values] for one in varied},
        "strategies": [_strategy(s) for s in strategies],
        "calls": [
            {"strategy": strategies.index(call.strategy), "args": list(map(int, call.args))} for call in run.calls
        ],
        "settings": settings["points"],
        "tables": settings["tables"],
        "limit": LIMIT,
        "kernels": kernels(game, run.calls, strategies),
        "estimates": _estimates(game, strategies),
    }


def _estimates(game: Game, strategies: Sequence[Strategy]) -> dict[str, Any] | None:
    """Return the strategy with which a page plays games on to estimate what moves are worth: the first that the game
    declares; None where that is no hint, as in a game that hides more than what seats choose at once.
    """
    first = next((one for one in game.declared.strategies.values() if one in strategies), None)
    hides = bool(private_fields(game)) and not opens_again(game)
    if first is None or not game.declared.decisions or hides or cannot_play(game):
        return None
    args = [param.default for param in first.params.values()]
    return {"strategy": strategies.index(first), "args": args, "called": str(Call(first, tuple(args)))}


def _played(game: Game) -> dict[str, Any] | None:
    """Return what the end of a game is worth to each seat: by outcome, or by tallies; None if nothing says it."""
    try:
        worth, counted = worth_of(game, "")
    except ParameterError:
        return None
    sign, what = played_for(game)
    seats, outcomes = max(1, seat_count(game)), max(1, len(outcome_names(game)))
    if counted:
        return {"tallies": list(counted), "sign": sign, "what": what}
    ends = np.zeros((1, outcomes, 1 + len(game.declared.tallies)), np.int64)
    ends[0, :, 0] = np.arange(outcomes)
    prize = np.array([worth(ends, seat)[0] for seat in range(seats)], np.float64).T
    wins = seats > 1 and np.array_equal(prize, np.eye(outcomes, seats))
    return {"prize": None if wins else prize.tolist(), "sign": 1, "what": what, "chance": what == CHANCE_TO_WIN}


def mixed_of(game: Game) -> list[Strategy]:
    """Return the strategies of a game that draw their moves, which no page can follow."""
    return [strategy for strategy in game.declared.strategies.values() if strategy.mixes]


def _strategies(run: Run) -> list[Strategy]:
    """Return the strategies that the visitor may choose: those of the game but mixed ones, and those that were given.

    Raises
    ------
    ParameterError
        When one that was given is mixed, or a saved policy.
    """
    given, mixed = [call.strategy for call in run.calls], mixed_of(run.game)
    drawn = [strategy.name for strategy in given if strategy.mixes]
    if drawn:
        raise ParameterError(f"{drawn[0]} draws its moves (mixture), which a page can't follow; give another with -s")
    declared = [strategy for strategy in run.game.declared.strategies.values() if strategy not in mixed]
    known = distinct({s.name: s for s in (*declared, *given)}.values())
    policies = [s.name for s in known if s.moves is not None]
    if policies:
        raise ParameterError(f"{policies[0]} is a saved policy; a page takes it by --policy, not as a strategy")
    return known


def _settings(run: Run, varied: Sequence[Swept], strategies: Sequence[Strategy]) -> dict[str, Any]:
    """Return the arguments of the kernels for each combination of parameters that the rules accept."""
    many = 1
    for one in varied:
        many *= len(one.values)
    if many > MOST_SETTINGS:
        raise ParameterError(f"vary: {many:,} combinations of parameters, and a page holds {MOST_SETTINGS}; vary fewer")
    points, every, known = list[dict[str, Any]](), list[dict[str, Any]](), dict[str, int]()
    for values in product(*(one.values for one in varied)):
        point = dict(zip((one.name for one in varied), values, strict=True))
        try:
            game = type(run.game)(**{**run.game.parameters, **point})
            table = _table_data(tables(game))
        except ParameterError:  # a combination that the rules refuse
            continue
        place = known.setdefault(repr(table), len(every))
        if place == len(every):
            every.append(table)
        points.append({"at": list(map(int, values)), "dice": place, **_setting_data(game, strategies)})
    if not points:
        raise ParameterError("vary: the rules refuse every combination of these values")
    return {"points": points, "tables": every}


def _setting_data(game: Game, strategies: Sequence[Strategy]) -> dict[str, Any]:
    """Return the arguments of the kernels for one combination of parameters."""
    basic = setting(game, (), strategies)
    args = max([len(s.params) for s in strategies], default=0)
    seats = seat_count(game)
    return {
        "seats": seats,
        "outcomes": list(outcome_names(game)),
        "winners": sum(winner_of(game, number) is not None for number in range(len(outcome_names(game)))),
        "players": list(player_names(game)),
        "params": basic.params.tolist(),
        "args": [max(1, seats), max(1, args)],
        "starts": basic.starts.tolist(),
        "spans": _array(basic.spans),
        "rows": [list(array.shape) for array in rows(game, strategies)],
        "cells": _cells(game, strategies),
        "rulebook": rulebook_of(game),
        "played": _played(game),
    }


def _cells(game: Game, strategies: Sequence[Strategy]) -> list[list[Any]]:
    """Return the fields of a state in the order of a kernel's cells: name, numbers (0: a single one)."""
    state = game.declared.state
    single = [[name, 0] for name, f in state.items() if not isinstance(f, Ints)]
    wide = [[name, value_of(f.length, game)] for name, f in state.items() if isinstance(f, Ints)]
    kept = [f for s in strategies if s.memory for f in fields_of(s.memory, Field)]
    seats = max(1, seat_count(game))
    return [*single, *wide, *(["", seats * (value_of(f.length, game) if isinstance(f, Ints) else 1)] for f in kept)]


def _table_data(outcome_tables: Tables) -> dict[str, Any]:
    """Return the tables of rolls; numbers beyond those that JavaScript has exactly are texts."""
    names = ("kinds", "pools", "guide", "sums", "values", "apart")
    return {**{name: _array(getattr(outcome_tables, name)) for name in names}, "width": outcome_tables.width}


def _array(array: np.ndarray) -> dict[str, Any]:
    """Return an array as its shape and its numbers."""
    return {"shape": list(array.shape), "data": [v if abs(v) < 2**53 else str(v) for v in array.ravel().tolist()]}


def kernels(game: Game, calls: Sequence[Call], strategies: Sequence[Strategy]) -> dict[str, Any]:
    """Return the kernels of a game as WebAssembly: the one that plays many games, and the one that plays in steps.

    Each has its `code`, and in `data` the pages of memory that its constants take.
    """
    basic, dice = setting(game, calls, strategies), tables(game)
    scratch = np.empty(MOST_PREFILL * 4 * GAMES, np.uint32), np.empty(4 * GAMES, np.uint32)
    counted = counters(max(1, len(outcome_names(game))), len(game.declared.tallies), SPILL)
    report, records, resumed = np.zeros(3, np.int64), np.zeros((0, 1), np.int64), np.zeros((0, 0), np.int64)
    room = rows(game, strategies)
    run = batch_of(0, 0, 0, 1, LIMIT)
    arguments = (run, basic, room, *scratch, dice, counted, report, records, resumed)
    text, _ = simulate.write(type(game), strategies, dice.one_word, blocks=BLOCKS)
    made = {"simulate": wasm.compiled(text, arguments)}
    if not cannot_play(game):
        text, _ = step.write(type(game), strategies)
        numbers = [np.zeros(1, np.int64) for _ in range(4)]
        options = np.zeros((LISTABLE + 1, basic.spans.shape[1]), np.int64)
        key = np.uint64(0), np.uint64(0)
        given = (*key, basic, room, dice, *numbers, options, np.zeros(LISTABLE + 1, np.bool_), np.zeros(1, np.int64))
        made["step"] = wasm.compiled(text, given)
    return {name: {"code": code, "data": wasm.data_pages(code)} for name, code in made.items()}


def cannot_finish(run: Run) -> list[str]:
    """Return sentences on games that can't be finished in a page: where numbers may need more than 64 bits, or lists
    more room.
    """
    translation = simulate.translated(type(run.game), _strategies(run))
    unfinished = []
    functions = [part for part in ast.parse(translation.text).body if isinstance(part, ast.FunctionDef)]
    for calls, what in (LARGE, "A number may need more than 64 bits"), (FULL, "A list may become too long"):
        names = [one.name for one in functions if any(_calls(node, calls) for node in ast.walk(one))]
        places = dict.fromkeys(_place(translation.places[name]) for name in names if name in translation.places)
        if names:
            shown = ", ".join([*places][:MOST_PLACES])
            where = f" in {shown}{' and elsewhere' if len(places) > MOST_PLACES else ''}" if places else ""
            unfinished.append(
                f"{what}{where}: games in which that happens can't be finished here; they are counted and shown."
            )
    return unfinished


def _calls(node: ast.AST, names: Collection[str]) -> bool:
    """Return whether a node is a call of one of these functions; counting in small steps is none."""
    if not isinstance(node, ast.Call) or ast.unparse(node.func) not in names:
        return False
    small = any(
        isinstance(arg, ast.Constant) and isinstance(arg.value, int) and abs(arg.value) <= COUNTED for arg in node.args
    )
    return not (small and ast.unparse(node.func) in ("_rules.add", "_rules.sub"))


def _place(text: str) -> str:
    """Return the place of a rule without the folder of its file."""
    file, *rest = text.split(", ")
    return " ".join([*rest[1:], f"({', '.join([os.path.basename(file), *rest[:1]])})"])


def cannot_play(game: Game) -> str:
    """Return why people can't play a game in a page; empty if they can."""
    drawn = [kind.name for kind in game.declared.throws if not kind.is_plain]
    if drawn:
        return f"the roll {drawn[0]!r} has different dice, or draws from a bag"
    for decision in game.declared.decisions:
        many = [high - low + 1 for low, high in decision.spans(game)]
        if prod(many) > LISTABLE and prod(many[:-1]) > MOST_NAMES and not decision.lists:
            return f"{decision.name} has more than {LISTABLE:,} moves, which are typed in the terminal"
    return ""


# In words -------------------------------------------------------------------------------------------------------------


def words_data(game: Game) -> dict[str, Any]:
    """Return what a game calls its things, and how it looks."""
    kind, words = type(game), game.words
    declared = game.declared
    return {
        "name": game.name,
        "file": on_command_line(kind),
        "about": summary(kind),
        "source": game.source,
        "hash": source_hash(kind),
        "params": [_param(p) for p in declared.params.values()],
        "own_outcomes": game.outcomes is not None,
        "state": {name: _field(game, name, f) for name, f in declared.state.items()},
        "tallies": [
            {"name": name, "called": called(kind, name), "help": t.help} for name, t in declared.tallies.items()
        ],
        "throws": [_throw(kind, k) for k in declared.throws],
        "decisions": [_decision(kind, d) for d in declared.decisions],
        "board": [_part(kind, part) for part in words.board],
        "derived": {name: text for name in derived(kind) if (text := expression_of(kind, name)) is not None},
        "moves": dict(words.moves),
        "endings": dict(words.endings),
        "names": {name: called(kind, name) for name in _named(kind)},
        "hidden": list(words.hidden),
        "value_names": {name: _value_names(v) for name, v in words.values.items()},
        "scores": list(words.scores),
        "news": [[name, text] for name, text in words.news.items()],
        "lists_moves": lists_moves(kind),
        "no_play": cannot_play(game),
    }


def _param(p: Param) -> dict[str, Any]:
    """Return a parameter of a game, or an argument of a strategy."""
    names = list(p.names) if isinstance(p, Choice) else ["no", "yes"] if isinstance(p, Switch) else None
    ends = {"low": p.low, "high": p.high, "default": int(p.default)}
    return {"name": p.name, "help": p.help, **ends, "names": names, "switch": isinstance(p, Switch)}


def _strategy(s: Strategy) -> dict[str, Any]:
    """Return a strategy with its arguments."""
    return {"name": s.name, "about": s.summary, "params": [_param(p) for p in s.params.values()]}


def _field(game: Game, name: str, f: Field) -> dict[str, Any]:
    """Return a field of the state; `turn` marks the one that says whose turn it is."""
    kind = "flag" if isinstance(f, Flag) else "seat" if isinstance(f, Seat) else "row" if isinstance(f, Ints) else ""
    low = 0 if isinstance(f, Ints) else f.bounds(game)[0]
    turn = isinstance(f, Seat) and (name in ("player", "turn", "seat") or "whose turn" in f.help)
    named = {"called": called(game, name), "help": f.help, "kind": kind, "low": int(low), "turn": turn}
    hidden = {"until": f.private.name if isinstance(f.private, Field) else "", "start": int(f.initial(game))}
    return {**named, "by_seat": isinstance(f, Ints) and f.by_seat, "hidden": hidden if f.private else None}


def _throw(game: type[Game], kind: Throw) -> dict[str, Any]:
    """Return a kind of roll."""
    faces = [{"label": face.label, "value": face.value} for face in kind.die.faces]
    received = list(inspect.signature(kind.rule).parameters)[1:]
    view = "sum" if kind.view is SUM else kind.view.value
    fair = all(isinstance(face.weight, int) and face.weight > 0 for face in kind.die.faces)
    named = {"name": kind.name, "called": called(game, kind.name)}
    return {**named, "faces": faces, "fair": fair, "view": view, "received": received}


def _decision(game: type[Game], decision: Decision) -> dict[str, Any]:
    """Return a kind of choice."""
    kinds: list[Any] = []
    for place, one in enumerate(decision.kinds):
        if isinstance(one, type):
            kinds.append({"low": int(min(one)), "names": [m.name.lower().replace("_", " ") for m in sorted(one)]})
        else:
            kinds.append({"seat": place in decision.seats})
    data: dict[str, Any] = {"name": decision.name, "called": called(game, decision.name), "kinds": kinds}
    data["received"] = list(inspect.signature(decision.rule).parameters)[1:]
    data["lists"] = bool(decision.lists)
    data["together"] = None if decision.together is None else {"by": decision.together.name, "rows": [*decision.rows]}
    if isinstance(decision, Keep):
        data["keep"] = {"dice": decision.dice.name, "faces": [face.label for face in decision.die.faces]}
    return data


def _part(game: type[Game], part: Part) -> dict[str, Any]:
    """Return a part of a board."""
    match part:
        case Sheet():
            return {"part": "sheet", "choice": part.choice}
        case Cups():
            return {"part": "cups", "row": part.hands, "counts": part.counts}
        case Places() | Dice() | Facing():
            return {"part": type(part).__name__.lower(), "row": part.row}
        case Track() if _is_unknown_grid(game, part.field):
            return {"part": "none"}
        case Track():
            length = expression_of(game, part.length) if part.length else None
            place = [*inspect.signature(getattr(game, part.length)).parameters][1:] if part.length else []
            lines = isinstance(game.declared.state.get(part.field), Grid)  # one for each player
            way = {"length": length, "argument": place[0] if place else "", "ahead": part.ahead, "lines": lines}
            return {"part": "track", "field": part.field, **way} if length or not part.length else {"part": "none"}
        case Numbers():
            return {"part": "numbers", "names": list(part.names)}


def _is_unknown_grid(game: type[Game], name: str) -> bool:
    """Return whether a field is a grid whose lines aren't those of the players."""
    field = game.declared.state.get(name)
    return isinstance(field, Grid) and not field.by_seat


def derived(game: type[Game]) -> list[str]:
    """Return the methods whose values a board shows."""
    declared = game.declared
    known = {*declared.params, *declared.state, *declared.tallies}
    return [n for part in game.words.board if isinstance(part, Numbers) for n in part.names if n not in known]


def not_shown(game: type[Game]) -> list[str]:
    """Return what a board of the lab shows and that of a page can't, in the words of the game."""
    tracks = [part for part in game.words.board if isinstance(part, Track) and part.length]
    missing = [name for name in derived(game) if expression_of(game, name) is None]
    ways = [t.field for t in tracks if _is_unknown_grid(game, t.field) or expression_of(game, t.length) is None]
    return [called(game, n) for n in (*missing, *ways)]


def _named(game: type[Game]) -> list[str]:
    """Return all that has a name: parameters, fields, tallies, choices, and what a board shows beside them."""
    declared = game.declared
    choices = [decision.name for decision in declared.decisions]
    return [*declared.params, *declared.state, *declared.tallies, *choices, *derived(game)]


def _value_names(names: Sequence[str] | Mapping[int, str] | Bits) -> dict[str, Any]:
    """Return what the values of a field or choice are called."""
    if isinstance(names, Bits):
        return {"bits": list(names.names)}
    return {"map": {str(k): v for k, v in names.items()}} if isinstance(names, Mapping) else {"names": list(names)}
