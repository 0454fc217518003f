"""Mixed strategies with hidden dice: by closed forms, published values, and the matrix of all pure strategies."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import dicelab
from dicelab.errors import DicelabError, ParameterError, TooLarge
from dicelab.limits import limited
from dicelab.questions.policies.bluffing import Equilibrium
from dicelab.rules.game import Game
from dicelab.rules.loading.registry import games_in, load
from dicelab.runtime.lineup import Run
from dicelab.solver import game_tree, mixed
from game_texts import RULES_OF_POKER
from support import SetLimits

ROOT = Path(__file__).parents[2]

PENNIES = '''
from dicelab.rules import OVER, Game, Int, Ints, ask, chosen, strategy


class Pennies(Game):
    """Both put down a coin in secret; the first wins if they match."""

    name = "pennies"
    seats = 2

    coins = Ints(2, 0, 1, "head or tail", by_seat=True, private=True)
    put = Int(0, 2, "coins put down")

    def next(self):
        return OVER if self.put == 2 else ask(self.coin, self.put)

    @chosen((0, 1))
    def coin(self, side):
        self.coins[self.put] = side
        self.put += 1

    def outcome(self):
        return 0 if self.coins[0] == self.coins[1] else 1


@strategy(Pennies)
def heads(game):
    return 0
'''

POKER = (
    RULES_OF_POKER
    + """
@strategy(Poker)
def checks(game):
    return 0
"""
)


def game(text: str, folder: Path) -> type[Game]:
    (folder / "hidden.py").write_text(text)
    return next(iter(games_in(load(folder / "hidden.py")).values()))


def test_matching_pennies_are_worth_a_half(tmp_path: Path) -> None:
    found = dicelab.equilibrium(game(PENNIES, tmp_path), gap=1e-9)
    assert found.value == pytest.approx(0.5, abs=1e-9)
    assert found.first_moves[0].moves == pytest.approx({"0": 0.5, "1": 0.5}, abs=1e-6)
    assert found.first_moves[1].sees == "nothing yet", "the first coin is hidden"
    assert found.situations == 2


def test_a_move_that_is_listed_twice_is_one_move(tmp_path: Path) -> None:
    twice = PENNIES.replace("@chosen((0, 1))", "@chosen((0, 1), moves=lambda self: [0, 1, 0])")
    found = dicelab.equilibrium(game(twice, tmp_path), gap=1e-9)
    assert found.first_moves[0].moves == pytest.approx({"0": 0.5, "1": 0.5}, abs=1e-6)


def won(mine: int, theirs: int, first: tuple[int, ...], second: tuple[int, ...]) -> int:
    """What the first wins of poker with pure strategies, written apart from the rules.

    `first` has by die whether it bets, then by die whether it calls; `second` by die whether it bets after a check,
    then by die whether it calls.
    """
    show = (mine > theirs) - (mine < theirs)
    if first[mine - 1]:
        return 2 * show if second[2 + theirs] else 1
    if not second[theirs - 1]:
        return show
    return 2 * show if first[2 + mine] else -1


def test_the_value_of_poker_lies_where_the_matrix_of_pure_strategies_has_it(tmp_path: Path) -> None:
    pure = list(product((0, 1), repeat=6))
    matrix = np.array(
        [[sum(won(a, b, one, two) for a in (1, 2, 3) for b in (1, 2, 3)) / 9 for two in pure] for one in pure]
    )
    found = dicelab.equilibrium(game(POKER, tmp_path), gap=1e-4)
    low, high = by_weights(matrix)
    assert high - low < 0.02
    assert low - found.error <= found.value <= high + found.error
    assert found.error <= 1e-4
    assert found.summary.startswith("Player 1 gets -0.0")
    assert found.situations == 12


BLUFFING = """


@strategy(Poker)
def bluffing(game):
    mine = game.hands[game.moves % 2]
    if game.moves > 0 and game.bets[1 - game.moves % 2]:
        return mixture((1, mine - 1), (0, 3 - mine))
    if mine == 3:
        return 1
    return mixture((0, 2), (1, 1)) if mine == 1 else 0


class Seen(Memory):
    many = Int(0, 9, "choices")


@strategy(Poker, memory=Seen)
def calls_later(game, mine):
    mine.many = min(9, mine.many + 1)
    return 1 if mine.many == 2 else 0
"""


SECRET = '''
from dicelab.rules import OVER, Game, Int, Ints, Tally, ask, chosen, strategy

WORTH = {worth}


class Secret(Game):
    """Both write down a row and a column; the first gets what stands there."""

    name = "secret"
    seats = 2
    outcomes = ("over",)

    written = Ints(2, 0, 3, "what each has written", by_seat=True, private=True)
    many = Int(0, 2, "how many have written")
    first = Tally("of the first", low=-9, high=9)
    second = Tally("of the second", low=-9, high=9)
    payoffs = (first, second)

    def next(self):
        return OVER if self.many == 2 else ask(self.write, self.many)

    @chosen((0, 3))
    def write(self, place):
        self.written[self.many] = place
        self.many += 1

    def outcome(self):
        got = WORTH[4 * self.written[0] + self.written[1]]
        self.first += got
        self.second -= got
        return 0


@strategy(Secret)
def zero(game):
    return 0
'''


@pytest.mark.slow_cases("1")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_tables_are_worth_what_three_methods_say(seed: int, tmp_path: Path, limits: SetLimits) -> None:
    worth = np.random.default_rng(seed).integers(-9, 10, (4, 4))
    table = game(SECRET.format(worth=tuple(worth.ravel().tolist())), tmp_path)
    found = dicelab.equilibrium(table)
    assert found.fraction is not None
    low, high = by_weights(worth.astype(float))
    assert low <= found.fraction <= high
    assert high - low < 0.5
    limits(payoffs=0)
    other = dicelab.equilibrium(table, gap=1e-4)
    assert other.fraction is None
    assert abs(other.value - found.fraction) <= other.error <= 1e-4


def test_what_given_strategies_could_gain_is_what_the_matrix_of_pure_strategies_says(tmp_path: Path) -> None:
    text = POKER.replace("import OVER,", "import OVER, Memory, mixture,") + BLUFFING
    found = dicelab.equilibrium(game(text, tmp_path), ["checks", "bluffing"])
    pure = list(product((0, 1), repeat=6))
    mix = (1 / 3, 0, 1, 0, 1 / 2, 1)
    weights = [float(np.prod([p if bit else 1 - p for p, bit in zip(mix, two, strict=True)])) for two in pure]

    def gets(one: tuple[int, ...], two: tuple[int, ...]) -> float:
        return sum(won(a, b, one, two) for a in (1, 2, 3) for b in (1, 2, 3)) / 9

    against = [sum(w * gets(one, two) for two, w in zip(pure, weights, strict=True) if w) for one in pure]
    worth = against[pure.index((0,) * 6)]
    assert found.value == pytest.approx(worth, abs=1e-12)
    assert found.gains[0] == pytest.approx(max(against) - worth, abs=1e-12)
    assert found.gains[1] == pytest.approx(worth - min(gets((0,) * 6, two) for two in pure), abs=1e-12)
    assert min(found.gains) > 0.1
    assert found.error < 1e-9
    assert found.strategies == ["checks", "bluffing"]


def test_a_strategy_with_a_memory_is_asked_in_its_order(tmp_path: Path) -> None:
    text = POKER.replace("import OVER,", "import OVER, Memory, mixture,") + BLUFFING
    table = game(text, tmp_path)
    for line_up in (["calls_later", "checks"], ["calls_later", "calls_later"]):
        found = dicelab.equilibrium(table, line_up)
        assert found.value == pytest.approx(dicelab.exact(table, line_up).tallies["first"].mean, abs=1e-12)
    text = POKER.replace("return 0\n", "return game.hands[1 - game.moves % 2]\n")
    with pytest.raises(DicelabError, match="which the seat that plays does not see"):
        dicelab.equilibrium(game(text, tmp_path), "checks")
    seldom = POKER.replace("return 0\n", "return 0 if game.moves < 3 else game.hands[1 - game.player]\n")
    with pytest.raises(DicelabError, match="hands"):  # in a situation that never comes about
        dicelab.equilibrium(game(seldom.replace("1 - game.player", "0"), tmp_path), "checks")


def by_weights(matrix: np.ndarray) -> tuple[float, float]:
    """Bounds of the value of a matrix game by multiplicative weights: what two mixtures secure, whatever they are."""
    rows, columns = (np.zeros(size) for size in matrix.shape)
    sums = np.zeros(matrix.shape[0]), np.zeros(matrix.shape[1])
    for _ in range(10_000):
        one, two = (np.exp(0.03 * (gain - gain.max())) for gain in sums)
        one, two = one / one.sum(), two / two.sum()
        rows, columns = rows + one, columns + two
        sums = sums[0] + matrix @ two, sums[1] - one @ matrix
    return float((rows / rows.sum() @ matrix).min()), float((matrix @ (columns / columns.sum())).max())


SMALL = [(2, False, Fraction(1, 2)), (2, True, Fraction(3, 4)), (3, True, Fraction(5, 9)), (4, True, Fraction(17, 32))]


@pytest.mark.parametrize(("faces", "wild", "value"), SMALL)
def test_small_games_of_liars_dice_in_fractions(faces: int, wild: bool, value: Fraction) -> None:
    found = liars_die(1e-5, faces=faces, wild=wild)
    assert found.fraction == value
    assert (found.error, found.gains, found.rounds) == (0, (0, 0), 0)
    assert found.to_dict()["fraction"] == str(value)
    assert found.to_dict()["exact"]["arithmetic"] == "fractions"


@pytest.mark.parametrize(("faces", "wild", "value"), SMALL[:3])
def test_regrets_come_to_the_fractions_of_the_program(
    faces: int, wild: bool, value: Fraction, limits: SetLimits
) -> None:
    limits(payoffs=0)
    found = liars_die(1e-6, faces=faces, wild=wild)
    assert found.fraction is None
    assert found.rounds > 0
    assert abs(found.value - value) <= found.error <= 1e-6


def test_a_guess_that_is_no_equilibrium_is_not_proved() -> None:
    tree = game_tree.game_tree(Run.of(str(ROOT / "verification/liars_die.py"), (), faces=3).game)
    found = mixed.plans(tree, 60)
    assert found is not None
    proved = mixed.proved_value(tree, found)
    assert proved is not None
    assert proved[0] == Fraction(5, 9)
    uniform = np.ones(found[0].size)
    for k, parent in enumerate(tree.sides[0].parents):
        first, end = tree.sides[0].starts[k : k + 2]
        uniform[first:end] = uniform[parent] / (end - first)
    assert mixed.proved_value(tree, (uniform, found[1])) is None


def test_without_whole_numbers_there_is_no_fraction(limits: SetLimits) -> None:
    limits(exact_whole=8.0)  # as if 64 bits held no more
    found = liars_die(1e-5, faces=3)
    assert found.fraction is None
    assert abs(found.value - Fraction(5, 9)) <= found.error < 1e-9


@pytest.mark.slow
def test_the_published_value_of_liars_dice() -> None:
    found = liars_die(1e-6)
    assert found.fraction is not None
    assert 2 * found.fraction - 1 == Fraction(-7, 258)
    assert abs(2 * found.value - 1 - -0.027131782945736) < 1e-15


@pytest.mark.slow
def test_regrets_come_to_the_published_value(limits: SetLimits) -> None:
    limits(payoffs=0)
    found = liars_die(1e-6, seconds=600)
    assert sum(found.gains) < 1e-6
    assert abs((2 * found.value - 1) - Fraction(-7, 258)) <= 2 * found.error


def liars_die(gap: float, **given: object) -> Equilibrium:
    return dicelab.equilibrium(str(ROOT / "verification/liars_die.py"), gap=gap, **given)


def test_the_error_says_how_little_one_round_teaches(tmp_path: Path, limits: SetLimits) -> None:
    limits(payoffs=0)
    limits(payoffs_at_once=1)  # one round
    found = dicelab.equilibrium(game(POKER, tmp_path), gap=10.0)
    assert found.rounds == 1
    assert max(found.gains) > 0.1, "after one round there is much to gain"
    assert sum(found.gains) == pytest.approx(2 * found.error, abs=1e-9)
    assert abs(found.value - -1 / 18) > 0.01


@pytest.mark.slow
def test_what_is_not_solved_is_refused_in_a_sentence(tmp_path: Path, limits: SetLimits) -> None:
    with pytest.raises(ParameterError, match="hides nothing from any player; dicelab solve"):
        dicelab.equilibrium("tossup")
    hidden = games_in(load(ROOT / "tests/games/hidden_dice.py"))
    alone = PENNIES.replace("seats = 2", "seats = 1").replace("ask(self.coin, self.put)", "ask(self.coin, 0)")
    with pytest.raises(
        ParameterError, match="pennies has 1 seat; games with hidden information are solved for several"
    ):
        dicelab.equilibrium(game(alone, tmp_path))
    with pytest.raises(ParameterError, match="gap: 0 is not allowed; it takes a number above 0"):
        dicelab.equilibrium(hidden["dice-poker"], gap=0)
    with limited(histories=5), pytest.raises(TooLarge, match="pennies has more than 5 histories, too many to solve"):
        dicelab.equilibrium(game(PENNIES, tmp_path))
    limits(surveyed_states=100, surveyed_edges=1000)
    with pytest.raises(TooLarge, match=r"perudo has about \de\+\d\d histories, too many to solve"):
        dicelab.equilibrium(hidden["perudo"], dice=3)  # before its states are searched


def test_a_memory_of_rows_is_copied(tmp_path: Path) -> None:
    """What a player remembers differs from situation to situation, also where it is a row of numbers."""
    text = (ROOT / "verification/liars_die.py").read_text()
    file = tmp_path / "liars.py"
    file.write_text(
        text.replace("from dicelab.rules import (", "from dicelab.rules import (\n    Memory,", 1)
        + '''

class Asked(Memory):
    """How often it was asked."""

    often = Ints(2, 0, 9, "times")


@strategy(LiarsDie, memory=Asked)
def counting(game: LiarsDie, mine: Asked) -> tuple[int, int]:
    """Play as honest, and count."""
    mine.often[0] = min(9, mine.often[0] + 1)
    return honest(game)
'''
    )
    plain = dicelab.equilibrium(str(file), ["honest", "honest"], faces=3)
    counted = dicelab.equilibrium(str(file), ["counting", "counting"], faces=3)
    assert (plain.value, plain.gains) == (counted.value, counted.gains)
