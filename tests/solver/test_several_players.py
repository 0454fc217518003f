"""Three and more players, and payoffs that don't add up to the same: what is proved, compared with tables by hand and
with best responses in plain Python.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import dicelab
from dicelab.interface.play import play
from dicelab.interface.play.asking.hints import hints_for
from dicelab.rules.game import Game, twin
from dicelab.rules.loading.registry import games_in, load
from dicelab.runtime.lineup import Run
from fuzz.hidden import compare_general
from hidden_reference import of_policy, worth

TABLE = '''
from dicelab.rules import OVER, Game, Int, Ints, Seat, Tally, ask, chosen, mixture, strategy


class Table(Game):
    """All write down a number at once; a table says what each gets."""

    name = "table"
    seats = {seats}
    outcomes = ("over",)

    player = Seat({seats}, "who writes")
    done = Int(0, 1, "1: all have written")
    written = Ints({seats}, 0, 9, "what each has written")
    one = Tally("of the first", low=-9, high=9)
    two = Tally("of the second", low=-9, high=9)
    three = Tally("of the third", low=-9, high=9)
    payoffs = (one, two, three)[:seats]

    def next(self):
        return OVER if self.done else ask(self.write, {order})

    @chosen((0, {most}), together=player)
    def write(self, numbers):
        self.written[:] = numbers
        self.done = 1

    def outcome(self):
{pays}
        return 0


@strategy(Table)
def first(game):
    return 0


@strategy(Table)
def any_of_two(game):
    return mixture((0, 1), (1, 1))
'''
JORDAN = {
    "one": "1 if self.written[0] == self.written[1] else -1",
    "two": "1 if self.written[1] == self.written[2] else -1",
    "three": "1 if self.written[2] != self.written[0] else -1",
}
"""Jordan, "Three problems in learning mixed-strategy Nash equilibria" (1993): all mix evenly, and nothing else is an
equilibrium.
"""
ALL_PAY = {
    "one": "3 * (self.written[0] > self.written[1]) - self.written[0]",
    "two": "3 * (self.written[1] > self.written[0]) - self.written[1]",
}
"""Bids of 0 to 2 for a prize of 3, which all pay: 1 brings 3 p(0) - 1, and 2 brings 3 (p(0) + p(1)) - 2. Both are worth
as much as 0, which brings nothing, if every bid has a chance of a third.
"""
DILEMMA = {
    "one": "(3, 0, 5, 1)[2 * self.written[0] + self.written[1]]",
    "two": "(3, 0, 5, 1)[2 * self.written[1] + self.written[0]]",
}
"""The prisoners' dilemma: 1 is better whatever the other does, and both get 1."""


def table(folder: Path, pays: dict[str, str], most: int) -> type[Game]:
    lines = "\n".join(f"        self.{name} += {pay}" for name, pay in pays.items())
    file = folder / f"table_{len(pays)}_{most}.py"
    file.write_text(TABLE.format(seats=len(pays), order=list(range(len(pays))), most=most, pays=lines))
    return games_in(load(file))["table"]


@pytest.mark.parametrize(
    ("pays", "most", "values", "mix"),
    [(JORDAN, 1, (0, 0, 0), (1 / 2, 1 / 2)), (ALL_PAY, 2, (0, 0), (1 / 3,) * 3), (DILEMMA, 1, (1, 1), (0, 1))],
    ids=["jordan", "all pay", "dilemma"],
)
def test_tables_with_one_equilibrium_by_hand(
    pays: dict[str, str], most: int, values: tuple[int, ...], mix: tuple[float, ...], tmp_path: Path
) -> None:
    found = dicelab.equilibrium(table(tmp_path, pays, most), gap=1e-6)
    assert found.values == pytest.approx(values, abs=1e-6)
    assert sum(found.gains) <= 1e-6
    for one in found.first_moves:
        assert list(one.moves.values()) == pytest.approx(mix, abs=1e-4)
    assert not found.opposed
    assert found.fraction is None


@pytest.mark.parametrize("pays", [JORDAN, ALL_PAY], ids=["jordan", "all pay"])
def test_what_given_strategies_get_and_could_gain_is_what_the_table_says(pays: dict[str, str], tmp_path: Path) -> None:
    line_up = ["first", "any_of_two", "first"][: len(pays)]
    found = dicelab.equilibrium(table(tmp_path, pays, 1), line_up)
    mixes = [{0: 1.0} if name == "first" else {0: 0.5, 1: 0.5} for name in line_up]

    def gets(seat: int, mixes: list[dict[int, float]]) -> float:
        total = 0.0
        for written in product((0, 1), repeat=len(mixes)):
            chance = 1.0
            for number, mix in zip(written, mixes, strict=True):
                chance *= mix.get(number, 0.0)
            holder = type("Holder", (), {"written": written})
            total += chance * eval(list(pays.values())[seat], {"self": holder})
        return total

    for seat, value in enumerate(found.values):
        best = max(gets(seat, [*mixes[:seat], {move: 1.0}, *mixes[seat + 1 :]]) for move in (0, 1))
        assert value == pytest.approx(gets(seat, mixes))
        assert found.gains[seat] == pytest.approx(best - gets(seat, mixes))
    assert max(found.gains) > 0.5
    against = dicelab.equilibrium(table(tmp_path, pays, 1), against=line_up[1:], seat=0)
    assert against.values[0] == pytest.approx(found.values[0] + found.gains[0])
    assert against.gains[0] == pytest.approx(0)


def test_what_is_proved_and_what_is_not_is_said(tmp_path: Path) -> None:
    found = dicelab.equilibrium(table(tmp_path, DILEMMA, 1))
    assert found.summary.startswith("Payoffs by these strategies are player 1 1.00 and player 2 1.00 a game; no player")
    assert found.summary.endswith("no player gains by another strategy, if the others keep to theirs.")
    assert "Not proved: that players get the same by other strategies" in str(found).replace("\n", " ")
    data = found.to_dict()
    assert (data["proves"], data["values"], "fraction" in data) == ("gains", [1, 1], False)
    three = dicelab.equilibrium(table(tmp_path, JORDAN, 1)).to_dict()
    assert "difference" not in three
    opposed = dicelab.equilibrium("liars-dice", dice=1, faces=2, once=True).to_dict()
    assert (opposed["proves"], opposed["values"]) == ("value", [0.5, 0.5])


THREE = {"players": 3, "purse": 1, "prizes": 1}


@pytest.mark.slow
def test_plain_python_gains_as_much_against_three_players_as_is_said() -> None:
    """Of strategies that are no equilibrium, too: those after a few rounds."""
    for found in (dicelab.equilibrium("sealed-bids", **THREE), dicelab.equilibrium("sealed-bids", gap=10.0, **THREE)):
        game, chances = Run.of("sealed-bids", **THREE).game, of_policy(found.policy)

        def payoffs(ended: Game) -> tuple[int, ...]:
            winner = twin(ended).outcome()
            return tuple(0 if winner == 3 else 2 if seat == winner else -1 for seat in range(3))

        for seat, (value, gain) in enumerate(zip(found.values, found.gains, strict=True)):
            plain = worth(game, payoffs, chances, of=seat)
            assert plain == pytest.approx(Fraction(value), abs=1e-7)
            assert float(worth(game, payoffs, chances, seat) - plain) == pytest.approx(gain, abs=1e-7)


def test_random_games_of_three_or_with_any_payoffs_are_what_plain_python_says(tmp_path: Path) -> None:
    done = Counter[str]()
    compare_general(13, tmp_path, done)
    assert done["general, of three"] > 0


@pytest.mark.slow
def test_more_random_games(tmp_path: Path) -> None:
    done = Counter[str]()
    for number in range(12):
        compare_general(number, tmp_path, done)
    assert done["general"] > 9
    assert done["general, of three"] > 1


LIARS = {"players": 3, "dice": 1, "faces": 2, "wild": "highest"}
"""Who has lost its die is out, and the others play on, a round that is solved by itself. Two others bid between two
bids of a player, and the state shows the last bid alone.
"""


def test_a_file_for_three_plays_alike_what_it_can_not_tell_apart() -> None:
    found = dicelab.equilibrium("liars-dice", gap=1e-4, **LIARS)
    assert (found.values, found.subgames) == (pytest.approx((21 / 32, 10 / 32, 1 / 32), abs=1e-4), 4)
    assert sum(found.gains) <= 1e-4
    policy = found.policy
    assert policy.about["alike"] > 50
    assert max(policy.about["gains"]) < 1e-3
    wins = dicelab.exact("liars-dice", policy.strategy, **LIARS).outcomes
    assert [float(wins[str(seat)].fraction or 0) for seat in range(3)] == pytest.approx(found.values, abs=1e-3)
    kept = dicelab.equilibrium("liars-dice", policy.strategy, **LIARS)
    assert kept.gains == pytest.approx(policy.about["gains"], abs=1e-9)


@pytest.mark.slow
def test_a_file_for_three_is_as_good_as_it_says_and_engines_play_it_alike() -> None:
    policy = dicelab.equilibrium("liars-dice", gap=1e-4, **LIARS).policy
    game, chances = Run.of("liars-dice", **LIARS).game, of_policy(policy)

    def winner(ended: Game) -> tuple[int, ...]:
        first = twin(ended).outcome()
        return tuple(int(seat == first) for seat in range(3))

    for seat, gain in enumerate(policy.about["gains"]):
        plain = worth(game, winner, chances, seat) - worth(game, winner, chances, of=seat)
        assert float(plain) == pytest.approx(gain, abs=1e-7)
    one, two = (
        dicelab.simulate("liars-dice", [policy.strategy], games=500, seed=3, engine=engine, **LIARS)
        for engine in ("reference", "compiled")
    )
    assert one.outcomes == two.outcomes


def test_three_play_against_the_equilibrium_at_the_terminal(tmp_path: Path) -> None:
    dicelab.equilibrium("sealed-bids", **THREE).policy.save(tmp_path / "three.npz")
    kept, lines = f"policy:{tmp_path / 'three.npz'}", list[str]()
    answers = iter(["hint", "q"])
    game, seats = Run.of("sealed-bids", **THREE).game, ["me", kept, kept]
    asked = hints_for(game, seats, kept)
    play(game, seats, 3, read=lambda prompt: next(answers), write=lines.append, asked=asked)
    assert any("what the move loses" in line for line in lines)
