"""What players share that look ahead before each of their choices; the simplest of them, which tries each move out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import cache
from threading import local
from types import FunctionType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import ParameterError, RulesError
from dicelab.questions.policies.thinking.ahead import ChoiceState, Move, Roll, Row, SearchTable, ending, unseen_fields
from dicelab.questions.policies.thinking.hands import Hand, Hands
from dicelab.rules.game import Call, Game, Strategy
from dicelab.rules.loading.source import text_of
from dicelab.rules.mixtures import LUCK
from dicelab.rules.params import whole_number
from dicelab.runtime.interpreter import MixtureDraws
from dicelab.runtime.strategies import parse_call

MOST_MOVES = 500
"""Limit of the moves that are tried out at once."""


class Thinker:
    """A player that looks ahead; it stands in the place of a policy.

    Parameters
    ----------
    kind
        The game, of any parameters.
    base
        The strategy with which games are played on, in all seats; empty for the first one that the game declares.
    name
        How the player is written, without the base.

    Raises
    ------
    ParameterError
        When the game hides something from its seats, or nothing says what it is played for.
    """

    on_demand = True
    works_out_endings = True
    judge: Any = None
    """Returns what compiled rules need to make its moves; None where only the reference engine plays it."""
    wins = False
    """Whether it plays to win, whatever a win pays."""
    knows_hands = False
    """Whether it plays by what a seat sees where something is hidden (`best_unseen`)."""

    def __init__(self, kind: type[Game], base: str, name: str) -> None:
        self.word = name.partition(":")[0]
        self.kind = kind
        self.base = base or next(iter(kind.declared.strategies), "")
        self.call = self._call()
        self.name = name + (f":{base}" if base else "")
        self.about: dict[str, Any] = {"solved": self.says()}
        self._known: dict[tuple[tuple[str, int], ...], SearchTable] = {}
        self._of_thread = local()

    def _call(self) -> Call | None:
        """Return the strategy with which games are played on."""
        if not self.base:
            raise ParameterError(
                f"{self.word} needs a strategy to play games on with, and {self.kind.name} declares none"
            )
        call = parse_call(self.kind, self.base)
        if call.strategy.mixes or call.strategy.moves is not None:
            raise ParameterError(f"{self.word} can't play games on with {self.base}; give a strategy of the game")
        return call

    @property
    def kept(self) -> dict[str, NDArray[Any]]:
        """What determines its moves, as arrays by name: how it is written, and the strategy that plays games on.

        Raises
        ------
        RulesError
            When that has no source.
        """
        rule = text_of(self.call.strategy.rule).text if self.call is not None else ""
        return {"player": np.frombuffer(f"{self.name}\n{rule}".encode(), np.uint8)}

    def says(self) -> str:
        """Return how moves are found, for people."""
        raise NotImplementedError  # rollout, search and mcts define it

    def worths(self, table: SearchTable, row: Row, choice: ChoiceState, seed: int) -> list[float]:
        """Return what each move is worth to the seat that chooses, of two or more."""
        raise NotImplementedError  # rollout and search define it; mcts defines `best` instead

    def best(self, table: SearchTable, row: Row, choice: ChoiceState, seed: int) -> int:
        """Return the place of the move to make, of two or more: of those that are worth most one that ends the game,
        else one that the seed draws, so that a move that changes nothing is not made again and again.
        """
        worths = self.worths(table, row, choice, seed)
        most = max(worths)
        best = [place for place, worth in enumerate(worths) if worth == most]
        if len(best) > 1:
            after = {place: table.step(table.after(row, choice.kind, choice.moves[place])) for place in best}
            best = [place for place in best if not isinstance(after[place], ChoiceState | Roll)] or best
        return best[seed % len(best)]

    def best_unseen(self, game: Game, row: Row, choice: ChoiceState) -> int:
        """As `best`, in a game in progress where something is hidden from the seat that chooses."""
        raise NotImplementedError  # search and mcts define it; rollout refuses such games

    def hands(self, game: Game, seat: int, luck: MixtureDraws) -> list[Hand]:
        """Return the states of a game in play that are possible for a seat."""
        if luck.steps is None:
            raise RulesError(
                f"{self.word} goes by what its seat has seen, in games that are played from their beginning"
            )
        assert self.call is not None
        if (self.name, seat) not in luck.hands:
            luck.hands[self.name, seat] = Hands(game, seat, self.call)
        known: Hands = luck.hands[self.name, seat]
        known.follow(luck.steps)
        return known.states

    def strategy(self) -> Strategy:
        """Return the player as a strategy."""

        def best_move(table: Game) -> int | tuple[int, ...]:
            move = self.move(table)
            return move[0] if len(move) == 1 else move

        best_move.__doc__ = f"Finds its moves {self.about['solved']}."
        return Strategy(self.name, cast(FunctionType, best_move), self.kind, moves=self)

    def must_be_for(self, game: Game | type[Game], path: object) -> None:
        """Refuse a game in which seats don't see everything, or which says nothing about what it is played for."""
        if not isinstance(game, type):
            self.table(game)

    def table(self, game: Game) -> SearchTable:
        """Return what is known of a game with its parameters, by this thread."""
        key = tuple(sorted(game.parameters.items()))
        if key not in self._known:
            if unseen_fields(game) and not self.knows_hands:
                raise ParameterError(
                    f"{self.word} sees everything, and {game.name} hides {', '.join(unseen_fields(game))}; "
                    "mcts goes by what its seat sees"
                )
            self._known[key] = SearchTable(game, self.call, self.word, self.wins)
        own: dict[Any, SearchTable] = self._of_thread.__dict__
        if key not in own:
            own[key] = SearchTable(game, self.call, self.word, self.wins, self._known[key])
        return own[key]

    def compiled(self, game: Game, at_once: bool = True) -> Strategy:
        """Return the player for the compiled engine: it makes the same moves on any thread, and plays games on by
        compiled rules; all that can be compiled is compiled `at_once`, or when it is worth it.
        """
        other = copy(self)
        other._known, other._of_thread = {}, local()
        table = other.table(game)
        if self.call is not None:
            table.playouts.must_be_compiled()
        return other.strategy()

    def move(self, game: Game) -> Move:
        """Return the move to make in a game in progress; where all its ends are near, the best one (`ending`)."""
        table, luck = self.table(game), game.__dict__.get(LUCK)
        row = table.row(game)
        choice = table.step(row)
        assert isinstance(choice, ChoiceState)
        if len(choice.moves) == 1:
            return choice.moves[0]
        if len(choice.moves) > MOST_MOVES and self.judge is None:
            raise RulesError(f"{self.word} tries at most {MOST_MOVES} moves out, and {len(choice.moves):,} are allowed")
        if luck is None and self.call is not None:
            raise RulesError(
                f"{self.word} tries moves out, which only games of a seed allow: simulate, compare, rate, play"
            )
        if unseen_fields(game):
            return choice.moves[self.best_unseen(game, row, choice)]
        known = ending(table, row) if self.works_out_endings else None
        if known is not None:
            worths = [known[table.key(table.after(row, choice.kind, move))][choice.seat] for move in choice.moves]
            return choice.moves[worths.index(max(worths))]
        seed = luck.seed_of_thoughts() if luck is not None and self.call is not None else 0
        return choice.moves[self.best(table, row, choice, seed)]


def player_of(
    word: str,
    text: str,
    game: Game | type[Game],
    made: Callable[..., Strategy],
    numbers: Sequence[tuple[str, int, int]],
    how: str,
) -> Strategy:
    """Return the player that ``WORD:TEXT`` stands for: some numbers, and a strategy or a file.

    Parameters
    ----------
    made
        Returns the player of a game, given the numbers and the rest of the text.
    numbers
        Name, default and limit of each number; any after the first may be left out.
    how
        How the player is written, for messages.
    """
    seats, rest = list[int](), text
    for name, default, most in numbers:
        first, _, after = rest.partition(":")
        if seats and not first.removeprefix(f"{name}=").lstrip("-").isdecimal():
            seats.append(default)
            continue
        seats.append(_number(f"{word}:{text}", first, name, most, how) if first else default)
        rest = after
    player = made(game if isinstance(game, type) else type(game), *seats, rest)
    player.moves.must_be_for(game, rest or text)
    return player


def _number(text: str, given: str, word: str, most: int, how: str) -> int:
    """Return a number of an argument such as ``500`` or ``games=500``."""
    value = given.removeprefix(f"{word}=")
    number = whole_number(value)
    if number is None or not 1 <= number <= most:
        raise ParameterError(f"{text}: {word} must be a whole number from 1 to {most:,}, not {value!r}; write {how}")
    return number


GAMES = 200
"""Games that are played on after each move, unless another number is given."""
MOST_GAMES = 1_000_000
"""Limit of this number."""
ROLLOUT = (
    "rollout, rollout:500, or rollout:500:bank_over:20 (games after each move, strategy with which they are played)"
)
"""How the player that tries each move out is written."""


def rollout_of(text: str, game: Game | type[Game]) -> Strategy:
    """Return the player that ``rollout:...`` stands for."""
    return player_of("rollout", text, game, _made, [("games", GAMES, MOST_GAMES)], ROLLOUT)


@cache
def _made(kind: type[Game], games: int, base: str) -> Strategy:
    """Return the player of a game, always the same one."""
    return Rollout(kind, games, base).strategy()


class Rollout(Thinker):
    """A player for every game: it tries each move out, and makes the one after which games went best.

    Before each of its choices it plays the game on `games` times after each allowed move, with a given strategy in all
    seats, on the same dice after each move. By the policy improvement of dynamic programming it plays no worse than
    that strategy where the games are many (G. Tesauro and G. Galperin, *On-line policy improvement using Monte-Carlo
    search*, Advances in Neural Information Processing Systems 9, 1996).
    """

    works_out_endings = False

    def __init__(self, kind: type[Game], games: int, base: str) -> None:
        self.games = games
        super().__init__(kind, base, f"rollout:{games}")

    def says(self) -> str:
        """Return how moves are found, for people."""
        return f"by playing {self.games:,} games on after each move, with {self.base}"

    def worths(self, table: SearchTable, row: Row, choice: ChoiceState, seed: int) -> list[float]:
        """Return the mean of the games that were played on after each move."""
        rows = [table.after(row, choice.kind, move) for move in choice.moves]
        steps = [table.step(after) for after in rows]
        going_on = [after for after, step in zip(rows, steps, strict=True) if isinstance(step, ChoiceState | Roll)]
        played = iter(table.estimates(going_on, seed, self.games))
        values = [next(played) if isinstance(step, ChoiceState | Roll) else step for step in steps]
        return [value[choice.seat] for value in values]
