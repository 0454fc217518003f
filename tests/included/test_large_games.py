"""Can't Stop for several players and Qwixx, beside programs of their own that were written from the rulebooks."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dicelab
from dicelab.questions.policies.thinking.ahead import SearchTable, unseen_fields
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, reset
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.interpreter import asked
from dicelab.solver.enumeration.model import moves_at

EXAMPLES = Path(__file__).parents[2] / "examples"


def game_of(name: str, wanted: str, **parameters: int) -> Game:
    """A new game of an example."""
    made = find_in_file(EXAMPLES / f"{name}.py", wanted)(**parameters)
    reset(made)
    return made


def steps_of(game: Game) -> Iterator[tuple[Any, int]]:
    """Yield each kind of roll, or choice with its seat, until the game is over; the caller carries it out."""
    while (step := game.next()) != OVER:
        yield asked(game, step)


def allowed(game: Game, choice: Decision) -> list[tuple[int, ...]]:
    """The moves that the rules file allows."""
    return sorted(move for move in moves_at(choice, game) if choice.allows(game, move))


class Columns:
    """Can't Stop by hand: where everybody stands, where the runners are, and whose turn it is."""

    TOPS = {2: 3, 3: 5, 4: 7, 5: 9, 6: 11, 7: 13, 8: 11, 9: 9, 10: 7, 11: 5, 12: 3}

    def __init__(self, players: int) -> None:
        self.stands = [dict.fromkeys(self.TOPS, 0) for _ in range(players)]
        self.taken: dict[int, int] = {}
        self.runners: dict[int, int] = {}
        self.turn = 0

    def climbs(self, columns: list[int]) -> dict[int, int] | None:
        """Where the runners are after these steps; None if they can't be made."""
        now = dict(self.runners)
        for column in columns:
            if column in self.taken:
                return None
            at = now.get(column, self.stands[self.turn][column]) + 1
            now[column] = at
            if at > self.TOPS[column] or len(now) > 3:
                return None
        return now

    def moves(self, dice: list[int]) -> set[tuple[int, int]]:
        """The columns to climb, by every way to make two pairs."""
        found = set()
        for partner in (1, 2, 3):
            one, other = dice[0] + dice[partner], sum(dice) - dice[0] - dice[partner]
            if self.climbs([one, other]) is not None:
                found.add((min(one, other), max(one, other)))
                continue
            found |= {(column, 0) for column in (one, other) if self.climbs([column]) is not None}
        return found

    def stop(self) -> None:
        for column, at in self.runners.items():
            self.stands[self.turn][column] = at
            if at == self.TOPS[column]:
                self.taken[column] = self.turn
        self.next_player()

    def next_player(self) -> None:
        self.runners, self.turn = {}, (self.turn + 1) % len(self.stands)


@pytest.mark.slow_cases("4")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_cant_stop_is_played_as_in_its_rulebook(players: int) -> None:
    source = random.Random(players)
    for _ in range(6):
        game, by_hand, dice = game_of("cant_stop_race", "cant-stop-race", players=players), Columns(players), [1] * 4
        for kind, seat in steps_of(game):
            if not isinstance(kind, Decision):
                dice = [source.randint(1, 6) for _ in range(4)]
                applied(kind.run, game, tuple(dice.count(face) for face in range(1, 7)))
                if not by_hand.moves(dice):
                    by_hand.next_player()
                continue
            assert seat == by_hand.turn
            if kind.name == "pair":
                assert allowed(game, kind) == sorted(by_hand.moves(dice))
                move = source.choice(allowed(game, kind))
                by_hand.runners = by_hand.climbs([column for column in move if column]) or {}
            else:
                move = (int(source.random() < 0.3 or sum(by_hand.runners.values()) > 15),)
                if move == (1,):
                    by_hand.stop()
            applied(kind.run, game, move)
        won = [sum(owner == seat for owner in by_hand.taken.values()) for seat in range(players)]
        assert max(won) >= 3
        assert (game.outcome(), list(game.won)) == (won.index(max(won)), won)


class Sheets:
    """Qwixx by hand: the numbers that everybody has crossed out, in four rows."""

    ROWS = [list(range(2, 13))] * 2 + [list(range(12, 1, -1))] * 2

    def __init__(self, players: int) -> None:
        self.crossed: list[list[list[int]]] = [[[], [], [], []] for _ in range(players)]
        self.penalties = [0] * players
        self.locked: set[int] = set()

    def may(self, seat: int, row: int, number: int) -> bool:
        numbers, crossed = self.ROWS[row], self.crossed[seat][row]
        if row in self.locked or (crossed and numbers.index(number) <= numbers.index(crossed[-1])):
            return False
        return number != numbers[-1] or len(crossed) >= 5

    def passed(self, seat: int, row: int, number: int) -> int:
        """How many numbers are passed and lost."""
        crossed = self.crossed[seat][row]
        return self.ROWS[row].index(number) - (self.ROWS[row].index(crossed[-1]) + 1 if crossed else 0)

    def over(self) -> bool:
        self.locked |= {
            row for row in range(4) for sheet in self.crossed if sheet[row] and sheet[row][-1] == self.ROWS[row][-1]
        }
        return len(self.locked) >= 2 or 4 in self.penalties

    def points(self, seat: int) -> int:
        marks = [
            len(crossed) + (bool(crossed) and crossed[-1] == numbers[-1])
            for crossed, numbers in zip(self.crossed[seat], self.ROWS, strict=True)
        ]
        return sum(sum(range(many + 1)) for many in marks) - 5 * self.penalties[seat]


@pytest.mark.parametrize("players", [1, 2, 5])
def test_qwixx_is_played_as_in_its_rulebook(players: int) -> None:
    source = random.Random(players)
    locks = 0
    for _ in range(12):
        game, by_hand, turn = game_of("qwixx", "qwixx", players=players), Sheets(players), 0
        dice, whites, used = [0] * 6, list[int](), False
        for kind, seat in steps_of(game):
            if not isinstance(kind, Decision):
                assert not by_hand.over()
                dice = [source.randint(1, 6) for _ in range(6)]
                applied(kind.run, game, tuple(dice))
                whites, used = [], False
                continue
            moves = allowed(game, kind)
            if kind.name == "white":
                assert seat == len(whites)
                own = [(row,) for row in range(4) if by_hand.may(seat, row, dice[0] + dice[1])]
                assert moves == [*own, (4,)]
                early = [(row,) for (row,) in own if by_hand.passed(seat, row, dice[0] + dice[1]) < 2]
                move = source.choice(early or [(4,)])
                whites.append(move[0])
            else:
                assert seat == turn
                sums = {(row, dice[white] + dice[2 + row]) for row in range(4) for white in (0, 1)}
                assert moves == sorted([one for one in sums if by_hand.may(turn, *one)] + [(4, 0)])
                early = [one for one in moves if one[0] < 4 and by_hand.passed(turn, *one) < 3]
                move = source.choice(early or moves)
                if move[0] < 4:
                    by_hand.crossed[turn][move[0]].append(move[1])
                elif not used:
                    by_hand.penalties[turn] += 1
                turn = (turn + 1) % players
            applied(kind.run, game, move)
            if kind.name == "white" and len(whites) == players:
                for one, row in enumerate(whites):
                    if row < 4:
                        by_hand.crossed[one][row].append(dice[0] + dice[1])
                        used |= one == turn
                if by_hand.over():
                    turn = (turn + 1) % players
        assert by_hand.over()
        locks += bool(by_hand.locked)
        points = [by_hand.points(seat) for seat in range(players)]
        assert game.standing() == points
        best = max(points)
        assert game.outcome() == (points.index(best) if points.count(best) == 1 else players)
    assert locks  # some of the games end with a row that is locked


def test_who_plays_qwixx_alone_plays_for_points_and_several_to_win() -> None:
    alone, two = (SearchTable(game_of("qwixx", "qwixx", players=players), None, "learn") for players in (1, 2))
    assert [one.tolist() for one in alone.prizes()] == [[[0.0], [0.0]], [[1.0], [0.0]]]  # points count, turns don't
    assert two.prizes()[0].tolist() == [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    assert (unseen_fields(alone.game), unseen_fields(two.game)) == ([], ["white_rows"])


@pytest.mark.slow
def test_a_small_board_of_two_players_is_solved_and_games_agree() -> None:
    """The value in docs/games.md; in games of the policy the first player wins as often."""
    file, board = str(EXAMPLES / "cant_stop_race.py"), {"sides": 2, "shortest": 1, "longer": 1, "needed": 2}
    best = dicelab.solve(file, **board)
    assert best.value == pytest.approx(0.9606, abs=5e-7)
    played = dicelab.simulate(file, best.policy, games=20_000, seed=1, **board).outcomes["0"]
    assert abs(played.probability - best.value) < 4 * (best.value * (1 - best.value) / 20_000) ** 0.5
