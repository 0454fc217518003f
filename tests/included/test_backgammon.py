"""Backgammon, beside a program of its own that was written from the rulebook and finds whole plays."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import dicelab
from dicelab.errors import RulesError
from dicelab.extras.learn.learned_values import solved_ending
from dicelab.rules import Facing, Ints, Words
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.board import Board, board_lines
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, reset
from dicelab.rules.loading.registry import find_in_file
from dicelab.runtime.interpreter import asked
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.codec import Slots
from dicelab.runtime.states.symmetry import Alike, check_symmetry
from dicelab.solver.enumeration.model import moves_at

FILE = Path(__file__).parents[2] / "examples" / "backgammon.py"

Checkers = Counter[int]
"""Checkers by the pips that they have to go: 25 on the bar, 0 off."""
Position = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]
"""The checkers of the player that has moved, and of the other one."""


def frozen(mine: Checkers, theirs: Checkers) -> Position:
    """Return a position that can be compared."""
    return tuple(sorted((+mine).items())), tuple(sorted((+theirs).items()))


def by_die(mine: Checkers, theirs: Checkers, die: int) -> Iterator[tuple[Checkers, Checkers]]:
    """Yield the positions after each move of a checker by a die."""
    for pips in sorted(+mine):
        back = [other for other in +mine if other > pips]
        if pips == 0 or (25 in back):
            continue
        rest = pips - die
        if rest > 0 and theirs[25 - rest] > 1:
            continue
        if rest <= 0 and (max(+mine) > 6 or (rest < 0 and back)):
            continue
        one, other = mine.copy(), theirs.copy()
        one[pips] -= 1
        one[max(rest, 0)] += 1
        if rest > 0 and other[25 - rest]:
            other[25 - rest] = 0
            other[25] += 1
        yield one, other


def plays(mine: Checkers, theirs: Checkers, dice: tuple[int, int]) -> set[Position]:
    """Return the positions after each legal play of a roll; the position itself if there is none."""
    one, two = dice
    orders = [[one] * 4] if one == two else [[one, two], [two, one]]
    ends: dict[tuple[int, int], set[Position]] = {}

    def follow(mine: Checkers, theirs: Checkers, left: list[int], used: int, largest: int) -> None:
        after = list(by_die(mine, theirs, left[0])) if left and mine[0] < 15 else []
        for position in after:
            follow(*position, left[1:], used + 1, max(largest, left[0]))
        if not after:  # to win ends the play, which counts as one with all dice
            done = 4 if mine[0] == 15 else used
            full = done if done < len(orders[0]) else len(orders[0])
            ends.setdefault((full, largest if full == 1 else 0), set()).add(frozen(mine, theirs))

    for order in orders:
        follow(mine, theirs, order, 0, 0)
    return ends[max(ends)]


def new_game(**parameters: Any) -> Game:
    """Return a new game of the example."""
    made = find_in_file(FILE, "backgammon")(**parameters)
    reset(made)
    return made


def laid(mine: dict[int, int], theirs: dict[int, int], **parameters: Any) -> Game:
    """Return a game of the first player with these checkers, the others being off."""
    game = new_game(**parameters)
    for row, checkers in zip(game.places, (mine, theirs), strict=True):
        row[:] = [checkers.get(place, 0) for place in range(26)]
        row[0] = 15 - sum(checkers.values())
    game.begun = True
    return game


def checkers_of(game: Game, seat: int) -> Checkers:
    """Return the checkers of a seat."""
    return Counter({place: n for place, n in enumerate(game.places[seat]) if n})


def by_moves(game: Game) -> set[Position]:
    """Return the positions to which the moves of the rules file lead until the player has none left."""
    seat, found = game.player, set()
    state = ([list(row) for row in game.places], list(game.dice))
    seen, waiting = set(), [state]
    while waiting:
        places, dice = waiting.pop()
        for row, numbers in zip(game.places, places, strict=True):
            row[:] = numbers
        game.dice[:], game.player = dice, seat
        step = game.next()
        assert step != OVER
        kind, chooser = asked(game, step)
        assert (isinstance(kind, Decision), chooser) == (True, seat)
        moves = sorted(set(moves_at(kind, game)))
        assert moves
        for move in moves:
            for row, numbers in zip(game.places, places, strict=True):
                row[:] = numbers
            game.dice[:], game.player = dice, seat
            applied(kind.run, game, move)
            if game.player != seat:
                found.add(frozen(checkers_of(game, seat), checkers_of(game, 1 - seat)))
                continue
            after = ([list(row) for row in game.places], list(game.dice))
            if str(after) not in seen:
                seen.add(str(after))
                waiting.append(after)
    for row, numbers in zip(game.places, state[0], strict=True):
        row[:] = numbers
    game.dice[:], game.player = state[1], seat
    return found


ROLLS = [(one, other) for one in range(1, 7) for other in range(1, one + 1)]


def agree(game: Game, dice: tuple[int, int]) -> set[Position]:
    """Roll these dice and compare the plays; return them. The game is then before the first move, or passed."""
    seat = game.player
    mine, theirs = checkers_of(game, seat), checkers_of(game, 1 - seat)
    kind, _ = asked(game, game.next())
    applied(kind.run, game, dice)
    wanted = plays(mine, theirs, dice)
    if game.player != seat:
        assert not any(game.dice)
        assert wanted == {frozen(mine, theirs)}
    else:
        assert by_moves(game) == wanted
    return wanted


def random_game(seed: int, every: int, **parameters: Any) -> Game:
    """Play a game of random moves, every so-manieth roll compared; return it when it is over."""
    source, game, rolls = random.Random(seed), new_game(**parameters), 0
    while game.next() != OVER:
        kind, _ = asked(game, game.next())
        dice = (source.randint(1, 6), source.randint(1, 6))
        if isinstance(kind, Decision):
            applied(kind.run, game, source.choice(sorted(moves_at(kind, game))))
            continue
        rolls += 1
        if kind.name == "begin" or rolls % every:
            applied(kind.run, game, dice)
        else:
            agree(game, dice)
    return game


@pytest.mark.parametrize(("setup", "every"), [("backgammon", 12), ("hypergammon", 4), ("bear-off", 4)])
def test_plays_are_those_of_the_rulebook_in_random_games(setup: str, every: int) -> None:
    for seed in range(4):
        game = random_game(seed, every, setup=setup, checkers=9)
        assert [row[0] for row in game.places].count(15) == 1
        assert all(sum(row) == 15 for row in game.places)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_every_play_of_random_games_is_that_of_the_rulebook(seed: int) -> None:
    random_game(seed, 1)


def test_the_first_roll_decides_who_begins() -> None:
    for dice, begun, player in (((2, 2), False, 0), ((5, 3), True, 0), ((3, 5), True, 1)):
        game = new_game()
        kind, _ = asked(game, game.next())
        applied(kind.run, game, dice)
        assert (kind.name, game.begun, game.player) == ("begin", begun, player)
        assert list(game.dice) == [int(begun and number in dice) for number in range(1, 7)]


# As many plays as GNU Backgammon 1.07.001 lists (hint 2000): of rolls 11, 21, 22, 31, ... 66 in the opening position.
OPENING = [42, 15, 75, 16, 17, 73, 14, 18, 17, 52, 8, 8, 9, 9, 4, 10, 14, 14, 14, 7, 11]


def test_as_many_plays_of_each_roll_as_published() -> None:
    start = checkers_of(new_game(), 0)
    assert [len(plays(start, start, dice)) for dice in ROLLS] == OPENING
    for dice in ((3, 1), (6, 5), (5, 5)):
        game = new_game()
        game.begun = True
        assert len(agree(game, dice)) == OPENING[ROLLS.index(dice)]


@pytest.mark.parametrize(
    ("mine", "theirs", "dice", "moves"),
    [
        # Either die can be played, but not both: the larger one.
        ({24: 1}, {13: 2, 15: 2}, (6, 4), None),
        ({20: 1}, {8: 2, 12: 2, 15: 2}, (6, 3), [(20, 6)]),
        # Only 20/17 leaves a 6 to be played: nothing else may be moved first.
        ({20: 1, 8: 2}, {11: 2, 23: 2, 20: 2}, (6, 3), None),
        # Both checkers on the bar come in before anything else is moved.
        ({25: 2, 13: 1}, {8: 2}, (6, 5), [(25, 6), (25, 5)]),
        # Nobody comes in: the turn is lost.
        ({25: 1}, dict.fromkeys(range(1, 7), 2), (6, 5), []),
        # A larger die takes the last checker off, the exact one any.
        ({4: 1, 2: 1}, {1: 1}, (6, 2), [(4, 6), (4, 2), (2, 2)]),
        # A checker outside: none may be taken off before it is at home.
        ({7: 1, 2: 1}, {1: 1}, (2, 1), [(7, 2), (7, 1), (2, 1)]),
    ],
)
def test_moves_of_single_checkers(
    mine: dict[int, int], theirs: dict[int, int], dice: tuple[int, int], moves: list[tuple[int, int]] | None
) -> None:
    game = laid(mine, theirs)
    agree(game, dice)
    if moves is not None:
        kind, seat = asked(game, game.next())
        assert (sorted(moves_at(kind, game)) if seat == 0 and game.player == 0 else []) == sorted(moves)


@pytest.mark.parametrize(
    ("loser", "gammons", "outcome"),
    [
        ({24: 1}, True, "first"),  # some of its checkers are off
        ({18: 15}, True, "first gammon"),
        ({19: 1, 6: 14}, True, "first backgammon"),
        ({25: 1, 6: 14}, True, "first backgammon"),
        ({25: 1, 6: 14}, False, "first"),
    ],
)
def test_what_a_win_counts(loser: dict[int, int], gammons: bool, outcome: str) -> None:
    game = laid({}, loser, gammons=gammons)
    assert game.next() == OVER
    assert game.outcomes[game.outcome()] == outcome
    game.places[0][:], game.places[1][:] = list(game.places[1]), list(game.places[0])
    assert game.outcomes[game.outcome()] == outcome.replace("first", "second")
    assert game.payoffs[outcome][0] == {"first": 1, "first gammon": 2}.get(outcome, 3)


@cache
def off_by(checkers: tuple[tuple[int, int], ...], dice: tuple[int, int]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return the checkers that a player may have after bearing off with these dice, far from the other player."""
    return tuple(sorted({mine for mine, _ in plays(Counter(dict(checkers)), Counter({1: 1}), dice)}))


@cache
def wins(mine: tuple[tuple[int, int], ...], theirs: tuple[tuple[int, int], ...]) -> float:
    """Return how often the player to move wins if both bear off as well as possible."""
    if dict(theirs).get(0) == 15:
        return 0.0
    return sum((1 + (a > b)) * max(1 - wins(theirs, after) for after in off_by(mine, (a, b))) for a, b in ROLLS) / 36


@pytest.mark.slow
@pytest.mark.parametrize("checkers", [1, 2])
def test_the_bear_off_of_two_is_that_of_another_program(checkers: int) -> None:
    start = ((0, 15 - checkers), (6, checkers))
    found = dicelab.solve(str(FILE), setup="bear-off", checkers=checkers, first_begins=True)
    assert (found.value + 1) / 2 == pytest.approx(wins(start, start), abs=1e-12)
    race = dicelab.solve(str(FILE.with_name("bear_off_race.py")), checkers=checkers)
    assert race.value == pytest.approx(wins(start, start), abs=1e-12)


@pytest.mark.parametrize("setup", ["hypergammon", "bear-off"])
def test_both_seats_are_alike(setup: str) -> None:
    assert check_symmetry(Run.of(str(FILE), "runner", setup=setup)) is Alike.OUTCOMES


def test_the_board_is_drawn_from_the_player_to_move() -> None:
    game = laid({25: 1, 6: 12}, {24: 1, 13: 3})
    assert board_lines(Board(game, ["white", "black"]), 60)[:6] == [
        "    13  14  15  16  17  18    19  20  21  22  23  24",
        "     ·   ·   ·   ·   ·   ·     ·   ·   ·   ·   ·   ·",
        "    O3   ·   ·   ·   ·   ·   X12   ·   ·   ·   ·  O1",
        "    12  11  10   9   8   7     6   5   4   3   2   1",
        "  X white: 1 on the bar, 2 off",
        "  O black: 0 on the bar, 11 off",
    ]
    game.player = 1
    assert board_lines(Board(game, ["white", "black"]), 60)[1] == (
        "    X3   ·   ·   ·   ·   ·   O12   ·   ·   ·   ·  X1"
    )


def test_a_board_of_two_needs_a_row_for_each() -> None:
    with pytest.raises(RulesError, match=r"Facing\('checkers'\) needs a Grid\(2, ..., by_seat=True\)"):

        class Wrong(Game):
            """A game with a board that isn't one of two players."""

            name = "wrong"
            words = Words(board=(Facing("checkers"),))
            checkers = Ints(26, 0, 15, "checkers")


@pytest.mark.slow
def test_exact_endings_of_learned_values_are_those_of_another_program() -> None:
    """All positions of up to two checkers each, which a learned player then plays without a mistake."""
    game = find_in_file(FILE, "backgammon")()
    ending = solved_ending(game, "setup=bear-off,checkers=2,first_begins=yes")
    names, seen = Slots.of(game, ()), 0
    for key, value in zip(ending.keys.tolist(), ending.value.tolist(), strict=True):
        state = dict(zip(names.names, names.unpack(key), strict=True))
        mine, theirs = (
            {n: state[f"places[{at + n}]"] for n in range(26) if state[f"places[{at + n}]"]} for at in (0, 26)
        )
        assert state["player"] == 0
        if mine.get(0) == 15 or sum(state[f"dice[{n}]"] for n in range(6)):
            continue
        won = wins(tuple(sorted(mine.items())), tuple(sorted(theirs.items())))
        assert value == pytest.approx([2 * won - 1, 1 - 2 * won], abs=1e-12)
        seen += 1
    assert seen > 500


@pytest.mark.slow
def test_a_player_learned_from_few_games_beats_one_that_runs(tmp_path: Path) -> None:
    """What one learns from more games is in docs/games.md."""
    path = tmp_path / "values.npz"
    policy = dicelab.learn(str(FILE), method="values", games=5000, seed=1).policy
    assert policy is not None
    policy.save(path)
    found = dicelab.simulate(str(FILE), [f"policy:{path}", "runner"], games=400, seed=1, engine="compiled")
    assert sum(found.outcomes[name].probability for name in ("first", "first gammon", "first backgammon")) > 0.9
