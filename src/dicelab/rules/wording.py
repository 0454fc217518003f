"""What a game calls its things, and what its moves do at once: `Game.words` applied to a game and its state."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from inspect import signature

from dicelab.rules.actions import Decision
from dicelab.rules.fields import Ints, applied
from dicelab.rules.game import Game, player_names, twin
from dicelab.rules.private import private_fields
from dicelab.rules.words import Bits

MOST_APPLIED = 4_000
"""Most moves that are applied to a copy, to say what they score."""


def called(game: Game | type[Game], name: str) -> str:
    """What a field, tally, roll or choice is called.

    >>> from dicelab.games.yahtzee import Yahtzee
    >>> called(Yahtzee, "upper"), called(Yahtzee, "rolls_left")
    ('upper boxes', 'rolls left')
    """
    return game.words.names.get(name, name.replace("_", " "))


def value_called(game: Game, name: str, value: int, low: int = 0) -> str | None:
    """What a value of a field or choice is called; None if it has no name. `low` is the smallest value.

    >>> from dicelab.games.yahtzee import Yahtzee
    >>> value_called(Yahtzee(), "fill", 8), value_called(Yahtzee(), "rolls", 2) is None
    ('full house', True)
    """
    names = game.words.values.get(name)
    if names is None:
        return None
    if isinstance(names, Bits):
        return names.words(value)
    return names[value - low] if 0 <= value - low < len(names) else None


def move_words(game: Game, decision: Decision, move: Sequence[int], first: int = 1) -> str:
    """A move in the words of its game; `first` is the number of the first seat.

    >>> from dicelab.games.yahtzee import Yahtzee
    >>> move_words(Yahtzee(), Yahtzee.fill, (12,)), move_words(Yahtzee(), Yahtzee.keep, (0, 0, 0, 0, 2, 0))
    ('chance', '5 5')
    """
    if len(move) == 1 and decision.name in game.words.values:
        low = decision.spans(game)[0][0]
        name = value_called(game, decision.name, move[0], low)
        if name is not None:
            return name
    return decision.describe(tuple(move), first)


def move_typed(game: Game, decision: Decision, words: Sequence[str]) -> int | None:
    """The value of a choice whose values have names, from typed words: a name or its beginning, or members of a set.

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
        members = {_folded(name): k for k, name in enumerate(names.names)}
        typed = [_folded(word) for word in words]
        if not typed or len(set(typed)) < len(typed) or not set(typed) <= set(members):
            return None
        return sum(1 << members[word] for word in typed)
    typed_name, low = _folded(" ".join(words)), decision.spans(game)[0][0]
    folded = [_folded(name) for name in names]
    if typed_name in folded:
        return low + folded.index(typed_name)
    near = [k for k, name in enumerate(folded) if typed_name and name.startswith(typed_name)]
    return low + near[0] if len(near) == 1 else None


def gain(game: Game, decision: Decision, move: Sequence[int], seat: int) -> int | None:
    """What a move adds at once to what counts (`Words.scores`), by applying it to a copy; None if nothing changes.

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
    """How much a field or tally has changed; of a row by seats, the number of the seat that moved."""
    one, two = before.__dict__[name], after.__dict__[name]
    if isinstance(one, list):
        at = seat if isinstance(before.declared.state[name], Ints) and 0 <= seat < len(one) else 0
        return int(two[at]) - int(one[at])
    return int(two) - int(one)


def sentences(before: Game, after: Game, what: str, values: Sequence[int], seat: int, player: str) -> list[str]:
    """What a step has done, in the sentences of `Words.news`.

    Parameters
    ----------
    before, after
        The game before and after the step.
    what, values
        The roll or choice, and the numbers that it received.
    seat, player
        The seat that moved (-1 if nobody is known), and what it is called.
    """
    step = next((s for s in (*after.declared.throws, *after.declared.decisions) if s.name == what), None)
    received: dict[str, int] = {}
    if step is not None:
        names = list(signature(step.rule).parameters)[1:]
        received = dict(zip(names, values, strict=False)) if len(names) == len(values) else {}
    counted = [*after.declared.state, *after.declared.tallies]

    def filled(text: str) -> str:
        """The text with its braces filled."""
        known: dict[str, Callable[[], str]] = {}
        known |= {name: lambda name=name: f"{abs(change(before, after, name, seat)):,}" for name in counted}  # type: ignore[misc]
        known |= {name: lambda value=value: f"{value:,}" for name, value in received.items()}  # type: ignore[misc]
        known["player"] = lambda: player
        if isinstance(step, Decision):
            known["move"] = lambda: move_words(before, step, values)
        return re.sub(r"\{(\w+)\}", lambda m: known[m[1]]() if m[1] in known else m[0], text)

    said = []
    for name, text in after.words.news.items():
        with_numbers = f"{what} {' '.join(map(str, values))}"
        happened = _rose(before, after, name, seat) if name in counted else name in (what, with_numbers)
        if happened:
            words = filled(text)
            said.append(f"{words[:1].upper()}{words[1:]}")
    return said


def ended_as(game: Game, outcome: str) -> str:
    """How a game ended whose outcomes are not seats, as a sentence.

    >>> from dicelab.games.hazard import Hazard
    >>> ended_as(Hazard(), "win"), ended_as(Hazard(), "stuck")
    ('The caster wins.', 'The game is over: stuck.')
    """
    names = player_names(game)
    if outcome in ("win", "lose") and len(names) == 1:
        return f"The {names[0]} {outcome}s."
    return f"The game is over: {outcome}."


def rulebook_of(game: Game) -> dict[str, str]:
    """The paragraphs of the rules for people by their titles, with the parameters of the game.

    >>> from dicelab.games.tossup import TossUp
    >>> rulebook_of(TossUp(target=50))["Goal"]
    'Bank 50 points before the others do.'
    """
    known = {name: f"{value:,}" for name, value in game.parameters.items()}
    fill = re.compile(r"\{(\w+)\}")
    sections = game.words.rulebook.sections.items()
    return {title: fill.sub(lambda m: known.get(m[1], m[0]), text) for title, text in sections}


def _rose(before: Game, after: Game, name: str, seat: int) -> bool:
    """Whether a tally or field has become larger."""
    return change(before, after, name, seat) > 0


def _folded(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
