"""What people see of a game while it is played, and what they don't: hidden rolls, choices and numbers.

`Secrets` keeps those until they are laid open. The face of each die is shown where the rules see only the total. Last,
the calls of a game's optional hooks for people: `Game.view`, `told`, `menu`, `prompt`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from random import Random
from textwrap import wrap
from typing import Any

from dicelab.errors import DicelabError
from dicelab.interface.play.screen.text import State, Value, screen_width
from dicelab.results.text.sentences import the
from dicelab.rules.actions import Decision
from dicelab.rules.board import dice_counted
from dicelab.rules.dice import SUM
from dicelab.rules.fields import Field, Grid, Ints, applied
from dicelab.rules.game import Game, player_names, position, twin
from dicelab.rules.params import value_of
from dicelab.rules.private import NotSeen, chosen_by_all, laid_open, masked_for_seat, private_fields, shown_to
from dicelab.rules.wording import called, gain, move_words, seat_words, sentences, turn_field, value_called
from dicelab.rules.words import Cups, Sheet, player_name
from dicelab.runtime.interpreter import Event, Explained, Source, asked
from dicelab.runtime.philox import Pool, Stream, pool

MOST_PICKED = 24
"""Faces are picked for at most this many dice; more are drawn as one frame with their total."""


class Faces:
    """A source of rolls that also knows the face of each die in its last roll, for a picture.

    Where the rules see only the total of several dice, dicelab's stream draws the total and no faces. The faces of the
    picture are then picked at random among those with that total, with the probabilities that the dice have given
    their total: for two ordinary dice, each pair with that total is equally likely. What is picked depends on the name
    of the stream and the number of the roll only, so a game always looks the same, and nothing is taken from the
    game's stream. Other streams (``python:5``, ``r:1``) roll die by die, and their own faces are shown.

    Attributes
    ----------
    source
        The source of the rolls.
    last
        The values of the dice in the last roll, in order; empty where the rules see more than a total.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.last: tuple[int, ...] = ()
        self._rolls = 0

    def draw(self, pool: Pool) -> tuple[int, ...]:
        """Return what the rules receive of the next roll."""
        self._rolls += 1
        self.last = ()
        if pool.view is not SUM or not 1 < pool.count <= MOST_PICKED:
            return self.source.draw(pool)
        if isinstance(self.source, Stream) and pool.whole:
            seen = self.source.draw(pool)
            self.last = faces_of_total(pool, seen[0], Random(f"{self.source}, roll {self._rolls}"))
            return seen
        self.last = self.source.draw(pool.one_by_one)  # the same dice, seen one by one
        return (sum(self.last),)


def faces_of_total(pool: Pool, total: int, chance: Random) -> tuple[int, ...]:
    """Return the values of dice with this total, picked with the probabilities that the dice have given the total.

    Examples
    --------
    >>> from dicelab.rules.dice import D6
    >>> faces_of_total(Pool(D6, (1,) * 6, 3, SUM, 1), 17, Random(1))
    (5, 6, 6)
    """
    dice = [[(f.value, w) for f, w in zip(die.faces, weights, strict=True)] for die, weights, _ in pool.each]
    rolls = [{0: 1}]  # rolls[k][t]: the weight of all rolls of the last k dice with the total t
    for die in reversed(dice[1:]):
        more: dict[int, int] = {}
        for so_far, times in rolls[-1].items():
            for value, weight in die:
                more[so_far + value] = more.get(so_far + value, 0) + times * weight
        rolls.append(more)
    values: list[int] = []
    for die, others in zip(dice, reversed(rolls), strict=True):
        left = total - sum(values)
        weights = [weight * others.get(left - value, 0) for value, weight in die]
        drawn, place = chance.randrange(sum(weights)), 0
        while drawn >= weights[place]:
            drawn -= weights[place]
            place += 1
        values.append(die[place][0])
    return tuple(values)


MOST_TRIED = 2_000
"""Maximum number of other rolls or moves that are tried, evenly spread, to find out whether one is hidden."""
DRAWN = 100
"""Number of other rolls tried where there are too many to list."""


class Secrets:
    """What the people at a table don't see of a game.

    Parameters
    ----------
    game
        The game to be played, in its initial state.
    you
        The seat of the only person; -1 where several people share the screen, who see nothing private except in their
        turns: then it is the seat of who looks at the screen.
    people
        Whether people play. If not, nothing is hidden.

    Attributes
    ----------
    fields
        The fields that are hidden, at least in part.
    """

    def __init__(self, game: Game, you: int, people: bool) -> None:
        self.game = game
        self.you = you
        self.fields = private_fields(game) if people else {}
        self.before = twin(game) if self.fields else game

    def seen(self) -> State:
        """Return the state without what is hidden."""
        return self._seen(self.game)

    def seen_by_all(self) -> State:
        """Return the state without what is hidden from anybody."""
        return shown_to(self.game, position(self.game), -1) if self.fields else position(self.game)

    def own(self) -> list[str]:
        """Return what the seat that looks at the screen alone sees, as text, apart from dice in cups."""
        kept = {*self.game.words.hidden, *(part.hands for part in self.game.words.board if isinstance(part, Cups))}
        own = []
        for name, field in self.fields.items():
            if self.you < 0 or name in kept or not (isinstance(field, Ints) and field.by_seat):
                continue
            each = value_of(field.columns, self.game) if isinstance(field, Grid) else 1
            mine = self.game.__dict__[name][self.you * each : (self.you + 1) * each]
            if set(mine) != {field.initial(self.game)}:
                own.append(" ".join([called(self.game, name), *self._named(name, mine)]))
        return own

    def _named(self, name: str, numbers: Sequence[int]) -> list[str]:
        """Return numbers of a field, by their names where they have one."""
        return [value_called(self.game, name, int(n)) or str(n) for n in numbers]

    def look(self) -> None:
        """Keep the current state for comparison with the next one."""
        if self.fields:
            self.before = twin(self.game)

    def hides(self, event: Event) -> bool:
        """Return whether a roll or choice is hidden: some others lead to a state that looks the same but isn't."""
        if not self.fields:
            return False
        kind, number = asked(self.before, self.before.next())
        if isinstance(kind, Decision):
            listed = kind.listing(self.before)
            every = self._near(kind, event.values) if listed is None else listed
        else:
            dice = pool(self.before, kind, number)
            listed = [outcome.seen for outcome in dice.outcomes] if dice.whole else None
            every = [Stream(0, game).draw(dice) for game in range(DRAWN)] if listed is None else listed
        now, looks = position(self.game), self._looks(self.game, kind, event.values)
        for values in every[:: 1 + len(every) // MOST_TRIED]:
            other = twin(self.before)
            try:
                applied(kind.run, other, values)
            except DicelabError:
                continue
            if position(other) != now and self._looks(other, kind, values) == looks:
                return True
        return (listed is None or len(listed) > MOST_TRIED) and self._changed()

    def _near(self, kind: Decision, move: Sequence[int]) -> list[tuple[int, ...]]:
        """Return the moves allowed that differ from a move in one value."""
        near = []
        for place, (low, high) in enumerate(kind.spans(self.before)):
            values = range(low, high + 1)
            moves = ((*move[:place], value, *move[place + 1 :]) for value in values[:: 1 + len(values) // MOST_TRIED])
            near += [other for other in moves if kind.allows(self.before, other)]
        return near

    def _changed(self) -> bool:
        """Return whether something hidden has changed, and nothing private that is seen."""
        was, now = position(self.before), position(self.game)
        seen = self._seen(self.before), self._seen(self.game)
        own = any(seen[0].get(name) != seen[1].get(name) for name in self.fields)
        return not own and any(was[name] != now[name] for name in self.fields)

    def opened(self, event: Event) -> list[str]:
        """Return what a roll or choice has laid open, as text: for each field its numbers by seat, or its number."""
        if not self.fields:
            return []
        kind = asked(self.before, self.before.next())[0]
        opened, by = self._opened(self.game, kind, event.values), event.count if event.kind == "choice" else None
        rows = [opened.pop(row) for row in chosen_by_all(self.before, kind, event.values)]
        words = [self._words(self.fields[name], value, by) for name, value in opened.items()]
        if rows and isinstance(kind, Decision):
            moves = [move_words(self.before, kind, move) for move in zip(*rows, strict=True)]
            each = [f"{seat_words(seat, self.you)} {move}" for seat, move in enumerate(moves)]
            words.insert(0, f"{called(self.game, kind.name)}: {', '.join(each)}")
        return words

    def _words(self, field: Field, value: Value, by: int | None) -> str:
        """Return a field laid open, without the numbers of seat `by` if they were set and cleared at once by its
        choice.
        """
        name = called(self.game, field.name)
        if not isinstance(value, list):
            return f"{name}: {value}"
        if not (isinstance(field, Ints) and field.by_seat):
            return f"{name}: {' '.join(map(str, value))}"
        each, initial = value_of(field.columns, self.game) if isinstance(field, Grid) else 1, field.initial(self.game)
        parts = {seat: value[seat * each : (seat + 1) * each] for seat in range(len(value) // each)}
        if by is not None and value != position(self.game)[field.name] and set(parts[by]) == {initial}:
            del parts[by]
        in_cups = field.name in {part.hands for part in self.game.words.board if isinstance(part, Cups)}
        shown = {seat: dice_counted(part) if in_cups else part for seat, part in parts.items()}
        named = {
            seat: part if in_cups else self._named(field.name, [int(n) for n in part]) for seat, part in shown.items()
        }
        hands = [" ".join(map(str, [seat_words(seat, self.you), *part])) for seat, part in named.items()]
        return f"{name}: {', '.join(hands)}"

    def _opened(self, after: Game, kind: Any, values: Sequence[int]) -> dict[str, Value]:
        """Return the fields laid open by the last roll or choice: as they are, or as they were if
        it has cleared them.
        """
        return laid_open(self.before, after, kind, values) if self.fields else {}

    def _looks(self, after: Game, kind: Any, values: Sequence[int]) -> tuple[State, dict[str, Value]]:
        """Return all that is seen after a roll or choice."""
        return self._seen(after), self._opened(after, kind, values)

    def _seen(self, game: Game) -> State:
        now = position(game)
        return shown_to(game, now, self.you) if self.fields else now

    def words(self, hook: Callable[[], str], *games: Game) -> str | None:
        """Return the text of a hook that reads these games (by default, this one); None if it reads what is hidden."""
        opened = laid_open(self.before, self.game) if self.fields and len(games) > 1 else {}
        hidden = {name: field for name, field in self.fields.items() if name not in opened}

        def through(read: Callable[[], str], game: Game) -> Callable[[], str]:
            fields = self.fields if game is self.game else hidden
            return lambda: masked_for_seat(read, game, self.you, fields, "a text for people")

        try:
            return reduce(through, games or (self.game,), hook)() if self.fields else hook()
        except NotSeen:
            return None


def view_lines(game: Game, secrets: Secrets) -> list[str]:
    """Return the lines of the hook `view`; empty if the game does not define it, or if it reads what is hidden.

    Raises
    ------
    PlayError
        When a hook fails; this applies to all functions here.
    """
    with Explained(game):
        text = secrets.words(game.view)
    return folded(text or "")


def menu_of(game: Game) -> Mapping[str, Mapping[str, str]]:
    """Return the choices allowed now, in groups, from the hook `menu`; empty if the game does not define it."""
    with Explained(game):
        return game.menu()


def prompt_of(game: Game) -> str:
    """Return the question before a choice, from the hook `prompt`; empty if the game does not define it."""
    with Explained(game):
        return game.prompt()


class Teller:
    """Says what each step has done: by the hook `told`, or in the sentences that the game declares.

    Attributes
    ----------
    tells
        Whether the game says it itself, or shows a board, so that changes of fields need not be listed.
    filled
        What the rows of score sheets have scored, by choice, value and seat.
    """

    def __init__(self, game: Game, secrets: Secrets | None = None, names: Sequence[str] = ()) -> None:
        self.game = game
        self.names = names
        self.secrets = secrets or Secrets(game, -1, people=False)
        self.hooked = type(game).told is not Game.told
        self.tells = self.hooked or bool(game.words.news or game.words.board)
        self.before = twin(game) if self.tells else game
        self.filled: dict[tuple[str, int, int], int] = {}

    def sentences(self, what: str, values: tuple[int, ...]) -> list[str] | None:
        """Return the game's description of what a roll or a choice has done; None if it has none, or reads what is
        hidden.
        """
        if not self.tells:
            return None
        before, self.before = self.before, twin(self.game)
        if not self.hooked:
            return self._declared(before, what, values)
        with Explained(self.game):
            text = self.secrets.words(lambda: self.game.told(before, what, *values), self.game, before)
        return None if text is None else text.splitlines()

    def _declared(self, before: Game, what: str, values: tuple[int, ...]) -> list[str] | None:
        """Return the sentences that the game declares about a step; None if there are none. Scores
        of sheets are noted.
        """
        seat = _mover(before)
        decision = next((d for d in before.declared.decisions if d.name == what), None)
        if decision is not None and any(isinstance(part, Sheet) for part in self.game.words.board):
            with Explained(before):
                self.filled[what, values[0], seat] = gain(before, decision, values, seat) or 0
        name = self.names[seat].partition(" (")[0] if 0 <= seat < len(self.names) else player_name(seat)
        name = the(name) if name in player_names(self.game) else name
        return sentences(before, self.game, what, values, seat, name) or None


def _mover(game: Game) -> int:
    """Whose turn it is, as far as the state says."""
    field = turn_field(game)
    return int(game.__dict__[field]) if field else 0


def folded(text: str) -> list[str]:
    """Indent the lines of a text and wrap them to the width of the screen."""
    width, lines = screen_width(), []
    for line in text.splitlines():
        inset = " " * (2 + len(line) - len(line.lstrip()))
        short = len(line) + 2 <= width
        lines += [f"  {line}"] if short else wrap(line, width, initial_indent=inset, subsequent_indent=inset + "  ")
    return lines
