"""What a game calls its things, and what its moves do at once: `Game.words` applied to a game and its state."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import cast

from dicelab.rules.actions import Decision, Step, Throw
from dicelab.rules.fields import Field, Grid, Int, Ints, Seat, applied
from dicelab.rules.game import Game, player_names, seat_count, twin
from dicelab.rules.params import Expr, Param, value_of
from dicelab.rules.private import private_fields
from dicelab.rules.words import Bits, Numbers

BRACES = re.compile(r"\{(\w+)\}")
"""A name in braces in a sentence of a game."""
Filler = Callable[[], int | str]
"""Returns what a name in braces stands for."""


def called(game: Game | type[Game], name: str) -> str:
    """Return what a field, tally, roll or choice is called.

    >>> from dicelab.games.yahtzee import Yahtzee
    >>> called(Yahtzee, "upper_so_far"), called(Yahtzee, "rolls_left")
    ('aces to sixes', 'rolls left')
    """
    return game.words.names.get(name, name.replace("_", " "))


def seat_words(seat: int, you: int = -1) -> str:
    """Return the number of a seat as text, counted from 1.

    >>> seat_words(0), seat_words(1, you=1), seat_words(-1)
    ('player 1', 'you', 'nobody')
    """
    return "nobody" if seat < 0 else "you" if seat == you else f"player {seat + 1}"


def turn_field(game: Game) -> str:
    """Return the field that holds whose turn it is, recognised by its range and its name or help; empty if there is
    none.

    Rules name the seat that chooses, but not the seat that rolls.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> turn_field(TossUp())
    'player'
    """
    for name, field in game.declared.state.items():
        said = name in ("player", "turn", "seat") or "whose turn" in field.help
        if isinstance(field, Int) and said and field.bounds(game) == (0, seat_count(game) - 1):
            return name
    return ""


def holds_seat(game: Game, field: Field) -> bool:
    """Return whether a field holds the number of a seat: a `Seat`, the field with whose turn it is, or an `Int` whose
    range is made of the parameter for the seats.

    >>> from dicelab.games.tossup import TossUp
    >>> [name for name, field in TossUp.declared.state.items() if holds_seat(TossUp(), field)]
    ['player', 'leader']
    """
    if isinstance(field, Seat) or field.name == turn_field(game):
        return True
    return isinstance(field, Int) and _of_seats(game, field.high) and field.bounds(game)[1] == seat_count(game) - 1


def one_per_seat(game: Game, field: Field) -> bool:
    """Return whether a row has one number for each seat: by its declaration, by the parameter in its length, or, where
    the number of seats is fixed, by its help; never only because it has as many numbers as there are seats.

    >>> from dicelab.games.lcr import LCR
    >>> one_per_seat(LCR(), LCR.holds)
    True
    """
    if not isinstance(field, Ints) or value_of(field.length, game) != seat_count(game):
        return False
    if field.by_seat or _of_seats(game, field.length):
        return True
    return isinstance(game.seats, int) and ("seat" in field.help or "player" in field.help)


def names_seat(game: Game, decision: Decision) -> bool:
    """Return whether a move is the number of a seat: its range is a `Seat`, or the parameter for the seats.

    >>> from dicelab.games.lcr import LCR
    >>> [names_seat(LCR(), decision) for decision in LCR.declared.decisions]
    []
    """
    if len(decision.kinds) != 1:
        return False
    return decision.seats == (0,) or (_of_seats(game, seats := type(game).seats) and decision.kinds[0] is seats)


def _of_seats(game: Game, size: object) -> bool:
    """Return whether a size is made of the parameters that the number of seats is made of."""
    seats = game.seats
    if not isinstance(seats, Expr) or not isinstance(size, Expr):
        return False
    return {param.name for param in size.parameters} == {param.name for param in seats.parameters}


def number_at(game: Game, field: Ints, index: int) -> tuple[int | None, int | None]:
    """Return the seat that a number of a row is of, and its place: in the row, or among the numbers of this seat.

    The seat is None in rows of no seat, the place is None where each seat has one number.

    >>> from dicelab.games.liars_dice import LiarsDice
    >>> number_at(LiarsDice(), LiarsDice.hands, 7), number_at(LiarsDice(), LiarsDice.left, 1)
    ((1, 1), (1, None))
    """
    each = value_of(field.columns, game) if isinstance(field, Grid) else 1
    if not field.by_seat:
        return None, index
    return index // each, index % each if isinstance(field, Grid) else None


def place_called(game: Game, row: str, place: int) -> str | None:
    """Return what a place of a row is called (of a grid by seat, a place in the line of a seat); None without a name.

    Of a private row `Words.values` names the values, not the places.
    """
    field = game.declared.state.get(row)
    return None if field is None or field.private else value_called(game, row, place)


def value_called(game: Game, name: str, value: int, low: int = 0) -> str | None:
    """Return what a value of a field or choice is called; None if it has no name. `low` is the smallest value.

    >>> from dicelab.games.yahtzee import Yahtzee
    >>> value_called(Yahtzee(), "fill", 8), value_called(Yahtzee(), "rolls", 2) is None
    ('full house', True)
    """
    names = game.words.values.get(name)
    if names is None:
        return None
    if isinstance(names, Bits):
        return names.words(value)
    if isinstance(names, Mapping):
        return names.get(value)
    return names[value - low] if 0 <= value - low < len(names) else None


def setting_called(game: Game, name: str) -> str:
    """Return what the value of a parameter is called where people read.

    >>> from dicelab.games.yahtzee import Yahtzee
    >>> (
    ...     setting_called(Yahtzee(), "boxes"),
    ...     setting_called(Yahtzee(boxes=5), "boxes"),
    ...     setting_called(Yahtzee(), "joker"),
    ... )
    ('all', 'aces, threes', 'forced')
    """
    names, value = game.words.values.get(name), game.parameters[name]
    if isinstance(names, Bits):
        members = names.members(value)
        return "all" if len(members) == len(names.names) else ", ".join(members) or "none"
    return str(game.declared.params[name].word(value))


def face_names(game: Game, kind: Throw) -> dict[int, str]:
    """Return the names that a game gives to values of the die of a roll, where it doesn't call them by their labels."""
    names = {face.value: value_called(game, kind.name, face.value, kind.die.faces[0].value) for face in kind.die.faces}
    return {value: name for value, name in names.items() if name is not None}


def move_words(game: Game, decision: Decision, move: Sequence[int], first: int = 1) -> str:
    """Return a move in the words of its game; `first` is the number of the first seat.

    What the game says of it in `Words.moves`, the name of its value, or its numbers.

    >>> from dicelab.games.yahtzee import Yahtzee
    >>> move_words(Yahtzee(), Yahtzee.fill, (12,)), move_words(Yahtzee(), Yahtzee.keep, (0, 0, 0, 0, 2, 0))
    ('chance', '5 5')
    """
    moves = game.words.moves
    text = moves.get(f"{decision.name} {' '.join(map(str, move))}", moves.get(decision.name))
    if text is not None:
        seats = {name: n + first for k, (name, n) in enumerate(_arguments(decision, move)) if k in decision.seats}
        received = {name: partial(_received, game, decision.name, n) for name, n in _arguments(decision, move)}
        values = {name: partial(_value, game, name) for name in _numbers(game)}
        numbers: dict[str, Filler] = {name: partial(int, n) for name, n in seats.items()}
        return _filled(text, _parameters(game) | derived(game) | values | received | numbers)
    return named_move(game, decision, move, first)


def named_move(game: Game, decision: Decision, move: Sequence[int], first: int = 0) -> str:
    """Return a move in words that don't depend on the state: the name of its value, or its numbers.

    >>> from dicelab.games.yahtzee import Yahtzee
    >>> named_move(Yahtzee(), Yahtzee.fill, (8,))
    'full house'
    """
    if len(move) == 1 and decision.name in game.words.values:
        name = value_called(game, decision.name, move[0], decision.spans(game)[0][0])
        if name is not None:
            return name
    return decision.describe(tuple(move), first)


def move_typed(game: Game, decision: Decision, words: Sequence[str]) -> int | None:
    """Return the value of a choice whose values have names, from typed words: a name or its beginning, or members of a
    set.

    >>> from dicelab.games.yahtzee import Yahtzee
    >>> move_typed(Yahtzee(), Yahtzee.fill, ["full"]), move_typed(Yahtzee(), Yahtzee.fill, ["small", "straight"])
    (8, 9)
    >>> move_typed(Yahtzee(), Yahtzee.fill, ["t"]) is None  # twos, threes, three of a kind
    True
    """
    names = game.words.values.get(decision.name)
    if names is None or len(decision.kinds) != 1:
        return None
    if isinstance(names, Bits):
        return _set_typed(names, " ".join(words))
    typed_name, low = _folded(" ".join(words)), decision.spans(game)[0][0]
    known = names if isinstance(names, Mapping) else dict(enumerate(names, low))
    exact = [value for value, name in known.items() if _folded(name) == typed_name]
    near = exact or [value for value, name in known.items() if typed_name and _folded(name).startswith(typed_name)]
    return near[0] if exact or len(near) == 1 else None


def _set_typed(names: Bits, text: str) -> int | None:
    """Return the set of the members that a text names; None if it has another word, or one twice."""
    members = {_folded(name): k for k, name in enumerate(names.names)}
    apart = text if "+" in "".join(names.names) else text.replace("+", " ").replace("&", " ")
    typed = [folded for word in apart.split() if (folded := _folded(word)) != "and" or folded in members]
    if not typed or len(set(typed)) < len(typed) or not set(typed) <= set(members):
        return None
    return sum(1 << members[word] for word in typed)


def gain(game: Game, decision: Decision, move: Sequence[int], seat: int) -> int | None:
    """Return what a move adds at once to what counts (`Words.scores`), by applying it to a copy; None if nothing
    changes.

    Raises
    ------
    PlayError
        When the rule fails.

    Examples
    --------
    >>> from dicelab.games.yahtzee import Yahtzee
    >>> game = Yahtzee()
    >>> game.dice[1], game.dice[4] = 3, 2
    >>> gain(game, Yahtzee.fill, (8,), 0), gain(game, Yahtzee.fill, (1,), 0)
    (25, 6)
    """
    if not game.words.scores or private_fields(game):
        return None
    after = twin(game)
    applied(decision.run, after, tuple(move))
    return next((got for name in game.words.scores if (got := change(game, after, name, seat))), 0)


def change(before: Game, after: Game, name: str, seat: int) -> int:
    """Return how much a field or tally has changed; of a row by seats, the number of the seat that moved."""
    one, two = before.__dict__[name], after.__dict__[name]
    if isinstance(one, list):
        at = seat if isinstance(before.declared.state[name], Ints) and 0 <= seat < len(one) else 0
        return int(two[at]) - int(one[at])
    return int(two) - int(one)


def sentences(before: Game, after: Game, what: str, values: Sequence[int], seat: int, player: str) -> list[str]:
    """Return what a step has done, in the sentences of `Words.news`; none about what is hidden.

    Parameters
    ----------
    before, after
        The game before and after the step.
    what, values
        The roll or choice, and the numbers that it received.
    seat, player
        The seat that moved (-1 if nobody is known), and what it is called.
    """
    steps = {step.name: step for step in (*after.declared.throws, *after.declared.decisions)}
    counted = {**after.declared.state, **after.declared.tallies}
    received = dict(_arguments(steps[what], values)) if what in steps else {}
    known = _parameters(after)
    known |= {name: partial(_changed, before, after, name, seat) for name in counted}
    known |= {name: partial(_received, after, what, value) for name, value in received.items()}
    known["player"] = lambda: player
    if isinstance(steps.get(what), Decision):
        known["move"] = lambda: move_words(before, cast(Decision, steps[what]), values)
    exactly = f"{what} {' '.join(map(str, values))}"
    step_said = exactly if exactly in after.words.news else what
    secret = private_fields(after).keys()
    said = []
    for name, text in after.words.news.items():
        field, _, value = name.partition(" ")
        if secret & {field, *BRACES.findall(text)}:
            continue
        if field in counted and value:
            happened = change(before, after, field, seat) != 0 and int(after.__dict__[field]) == int(value)
        else:
            happened = change(before, after, name, seat) > 0 if name in counted else name == step_said
        if happened:
            said.append(_capital(_filled(text, known)))
    return said


def _arguments(step: Step, values: Sequence[int]) -> list[tuple[str, int]]:
    """Return the numbers that a roll or choice receives, by their names; empty if it takes any number of them."""
    names = list(signature(step.rule).parameters)[1:]
    return list(zip(names, values, strict=True)) if len(names) == len(values) else []


def received_names(step: Step) -> set[str]:
    """Return the names of the numbers that a roll or choice receives one by one."""
    return {p.name for p in [*signature(step.rule).parameters.values()][1:] if p.kind is not p.VAR_POSITIONAL}


def derived(game: Game) -> dict[str, Filler]:
    """Return what follows from the state, by the names of the methods that the board shows."""
    names = [name for part in game.words.board if isinstance(part, Numbers) for name in part.names]
    return {name: getattr(game, name) for name in names if callable(getattr(type(game), name, None))}


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _parameters(game: Game) -> dict[str, Filler]:
    """Return what the names of parameters stand for: numbers, or the words that are typed for them."""

    def said(param: Param) -> int | str:
        """Return the value of a parameter, or the word for it."""
        value = game.parameters[param.name]
        return value if type(param) is Param else param.word(value)

    return {name: partial(said, param) for name, param in game.declared.params.items()}


def _changed(before: Game, after: Game, name: str, seat: int) -> int | str:
    """Return how much a field or tally has changed, or the name of its value if it has one."""
    value = change(before, after, name, seat)
    named = name in after.words.values and not isinstance(after.__dict__[name], list)
    return _value(after, name) if named else abs(value)


def _value(game: Game, name: str) -> int | str:
    """Return the value of a field or tally, or the name of this value."""
    value, field = int(game.__dict__[name]), game.declared.state.get(name)
    return value_called(game, name, value, field.bounds(game)[0] if field else 0) or value


def _received(game: Game, what: str, value: int) -> int | str:
    """Return a number that a roll or choice has received, or the name that the game gives it."""
    return value_called(game, what, value) or value


def _filled(text: str, known: Mapping[str, Filler]) -> str:
    """Return a text of a game with what stands in its braces and brackets.

    >>> _filled("passed [{left} coins left, {right} right; nothing]", {"left": lambda: 1, "right": lambda: 0})
    'passed 1 coin left'
    """
    values = {name: known[name]() for name in BRACES.findall(text) if name in known}

    def listed_parts(match: re.Match[str]) -> str:
        """Join the parts in which no number is 0 as a list in words."""
        parts, _, otherwise = match[1].partition(";")
        there = [part.strip() for part in parts.split(",")]
        there = [part for part in there if all(values.get(name) != 0 for name in BRACES.findall(part))]
        return f"{', '.join(there[:-1])} and {there[-1]}" if len(there) > 1 else "".join(there) or otherwise.strip()

    def filled(match: re.Match[str]) -> str:
        """Return a value and the word after it, in the singular if the value is 1."""
        name, blank, noun = match[1], match[2] or "", match[3] or ""
        value = values.get(name, match[0])
        if value == 1 and len(noun) > 3:
            noun = "die" if noun == "dice" else noun.removesuffix("s")
        return f"{f'{value:,}' if isinstance(value, int) else value}{blank}{noun}"

    text = re.sub(r"\[([^]]*)\]", listed_parts, text)
    return re.sub(r"\{(\w+)\}(?:( )(\w+))?", filled, text)


def ended_as(game: Game, outcome: str) -> str:
    """Return how a game ended whose outcomes are not seats (``""`` if it has none), as a sentence.

    >>> from dicelab.games.hazard import Hazard
    >>> from dicelab.games.pass_line import PassLine
    >>> ended_as(Hazard(), "win"), ended_as(PassLine(), "push")
    ('The caster wins.', 'The game is over: push.')
    """
    names = player_names(game)
    if outcome in game.words.endings:
        known = _parameters(game) | {name: partial(_value, game, name) for name in _numbers(game)} | derived(game)
        return _capital(_filled(f"{game.words.endings[outcome]}.", known))
    if outcome in ("win", "lose") and len(names) == 1:
        return f"The {names[0]} {outcome}s."
    return f"The game is over: {outcome.replace('_', ' ')}." if outcome else "The game is over."


def _numbers(game: Game) -> list[str]:
    """Return the fields and tallies of a game that are single numbers."""
    return [n for n in (*game.declared.state, *game.declared.tallies) if not isinstance(game.__dict__[n], list)]


def rulebook_of(game: Game) -> dict[str, str]:
    """Return the paragraphs of the rules for people by their titles, with the parameters of the game.

    >>> from dicelab.games.tossup import TossUp
    >>> rulebook_of(TossUp(target=50))["Goal"]
    'Bank 50 points before the others do.'
    """
    known = _parameters(game)
    sections = dict(game.words.rulebook.sections)
    changed = [text for name, text in game.words.rulebook.options.items() if _is_set(game, name)]
    if changed:
        sections["In this game"] = " ".join(changed)
    return {title: _capital(_filled(text, known)) for title, text in sections.items()}


def _is_set(game: Game, option: str) -> bool:
    """Return whether a parameter has the value after its name, or another one than its default."""
    name, _, word = option.partition(" ")
    param, value = game.declared.params[name], game.parameters[name]
    return param.word(value) == word if word else value != param.default


def _folded(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
