"""Different dice in one roll, weights that depend on the state, and a bag drawn without replacement."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path
from random import Random
from typing import Any

import pytest

import dicelab
from dicelab.errors import ParameterError, PlayError, RangeError, RulesError
from dicelab.interface.play.saved import read_roll, written
from dicelab.interface.play.screen.views import faces_of_total
from dicelab.rules import (
    COUNTS,
    D6,
    FACES,
    OVER,
    SUM,
    Die,
    Game,
    Int,
    Ints,
    Param,
    Tally,
    d,
    drawn,
    mixed,
    throw,
    weighted,
)
from dicelab.rules.dice import RollOutcome, outcomes
from dicelab.runtime import philox
from dicelab.runtime.foreign_streams import PythonDice, RDice
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream, below, pool, word
from dicelab.solver.enumeration.graph import graph_of

ODD = Path(__file__).parents[1] / "games" / "odd_dice.py"
RISK = ODD.with_name("risk_mixed.py")


class Cup(Game):
    """Some dice of three kinds, rolled once in each view."""

    name = "cup"
    source = "made for the tests"
    outcomes = ("even", "odd")

    fours = Param(1, 0, 2, "dice with four faces")
    sixes = Param(2, 0, 2, "dice with six faces")
    wanted = Param(0, 0, 2, "the view")

    rolled = Int(0, 1, "rolled")
    last = Int(0, 99, "what was seen")
    total = Tally("what was seen")

    def next(self) -> int:
        if self.rolled:
            return OVER
        if self.wanted == 0:
            return throw(self.sums, d4=self.fours, d6=self.sixes, coin=1)
        if self.wanted == 1:
            return throw(self.faces, d6=self.sixes, coin=1, d4=self.fours)
        return throw(self.counts, coin=1, d4=self.fours, d6=self.sixes)

    @mixed(d4=(2, d(4)), d6=(2, D6), coin=(1, Die.of(1, 2, 2)))
    def sums(self, total: int) -> None:
        self.note(total)

    @mixed(FACES, d4=(2, d(4)), d6=(2, D6), coin=(1, Die.of(1, 2, 2)))
    def faces(self, a: int, b: int, c: int, d: int, coin: int) -> None:
        self.note(10 * max(a, b) + min(c, d) + coin)

    @mixed(COUNTS, d4=(2, d(4)), d6=(2, D6), coin=(1, Die.of(1, 2, 2)))
    def counts(self, *shown: int) -> None:
        self.note(4 * shown[3] + 10 * shown[9] + shown[4] + shown[11])

    def note(self, value: int) -> None:
        self.last = value
        self.total += value
        self.rolled = 1

    def outcome(self) -> int:
        return self.last % 2


def by_hand(fours: int, sixes: int, view: int) -> dict[int, Fraction]:
    """The distribution of what is noted, by trying every combination of dice."""
    found: Counter[int] = Counter()
    for dice in product(*[range(1, 5)] * fours, *[range(1, 7)] * sixes, (1, 2, 2)):
        a, b, coin = dice[:fours], dice[fours:-1], dice[-1]
        shown = sum(dice), 10 * max(*a, 0, 0) + min(*b, *[0] * (2 - sixes), 9) + coin, 0
        third = 4 * a.count(4) + 10 * b.count(6) + b.count(1) + (coin == 2)
        found[(*shown[:2], third)[view]] += 1
    return {value: Fraction(n, found.total()) for value, n in found.items()}


@pytest.mark.parametrize("view", [0, 1, 2])
@pytest.mark.parametrize(("fours", "sixes"), [(1, 2), (2, 0), (0, 1), (2, 2)])
def test_different_dice_are_exact(fours: int, sixes: int, view: int) -> None:
    exact = dicelab.exact(Cup, fours=fours, sixes=sixes, wanted=view)
    expected = by_hand(fours, sixes, view)
    assert exact.tallies["total"].probabilities == pytest.approx({value: float(p) for value, p in expected.items()})


@pytest.mark.slow
@pytest.mark.parametrize("view", [0, 1, 2])
def test_different_dice_are_drawn_as_one_number_in_every_engine(view: int) -> None:
    expected = dicelab.simulate(Cup, games=3000, seed=5, engine="reference", wanted=view)
    for engine in ("compiled", "memo", "table"):
        found = dicelab.simulate(Cup, games=3000, seed=5, engine=engine, wanted=view)
        assert found.tallies["total"].histogram == expected.tallies["total"].histogram
    game = Cup(wanted=view)
    kind = (Cup.sums, Cup.faces, Cup.counts)[view]
    dice = pool(game, kind, kind.asked(None, {"d4": 1, "d6": 2, "coin": 1}))
    assert dice.weight == 4 * 36 * 3 == sum(outcome.weight for outcome in dice.outcomes)
    number = below(dice.weight, lambda lane: word(9, 7, 0, lane))
    for outcome in dice.outcomes:
        number -= outcome.weight
        if number < 0:
            break
    assert Stream(9, 7).draw(dice) == outcome.seen


def test_dice_of_other_streams_and_of_people() -> None:
    game = Cup()
    for kind in (Cup.sums, Cup.faces, Cup.counts):
        dice = pool(game, kind, kind.asked(None, {"d4": 1, "d6": 2, "coin": 1}))
        possible = {outcome.seen for outcome in dice.outcomes}
        for source in (PythonDice(1), RDice(1)):
            assert {source.draw(dice) for _ in range(200)} <= possible
        for outcome in dice.outcomes[::7]:
            shown = kind.dice_seen(outcome.seen, dice.count)
            assert kind.view is not FACES or len(shown) == 4
            faces = faces_of_total(dice, outcome.seen[0], Random(1)) if kind.view is SUM else ()
            assert kind.view is not SUM or (sum(faces) == outcome.seen[0] and faces[0] <= 4 and faces[3] <= 2)
            assert read_roll(dice, written(kind, dice.count, outcome.seen, faces)).seen == outcome.seen
    one = pool(game, Cup.sums, Cup.sums.asked(None, {"d4": 1, "coin": 1}))
    assert {PythonDice(2).draw(one.one_by_one)[0] for _ in range(20)} <= {1, 2, 3, 4}


def test_the_outcomes_of_a_roll_are_listed_once_however_often_it_is_rolled(monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[int] = []

    def counted(*given: Any) -> list[RollOutcome]:
        found = outcomes(*given)
        listed.append(len(found))
        return found

    monkeypatch.setattr(philox, "outcomes", counted)
    played = dicelab.simulate(RISK, attackers=20, defenders=12, games=20, seed=1, engine="reference")
    assert played.tallies["throws"].mean > 10
    rolls = [(attack, defend) for attack in (6, 36, 216) for defend in (8, 64)]
    assert sum(listed) <= sum(attack + defend for attack, defend in rolls)


class Marbles(Game):
    """Draw marbles from a bag, one after the other."""

    name = "marbles"
    source = "made for the tests"
    outcomes = ("no red", "some red")

    draws = Param(4, 1, 10, "marbles drawn")
    back = Param(0, 0, 1, "a blue marble is put back")

    bag = Ints(3, 0, 9, "red, green, blue", start=3)
    left = Int(0, 10, "draws left", start=draws)
    found = Int(0, 9, "red marbles drawn")
    reds = Tally("red marbles")

    def next(self) -> int:
        return throw(self.draw) if self.left > 0 else OVER

    @drawn(bag, Die(red=1, green=1, blue=1), total=9)
    def draw(self, colour: int) -> None:
        self.left -= 1
        if colour == 0:
            self.found += 1
            self.reds += 1
        if colour == 2 and self.back:
            self.bag[2] += 1

    def outcome(self) -> int:
        return 1 if self.found > 0 else 0


@pytest.mark.parametrize("draws", [1, 4, 9])
def test_a_bag_without_replacement_is_hypergeometric(draws: int) -> None:
    exact = dicelab.exact(Marbles, draws=draws)
    for reds, chance in exact.tallies["reds"].probabilities.items():
        assert chance == pytest.approx(comb(3, reds) * comb(6, draws - reds) / comb(9, draws))


@pytest.mark.slow
def test_each_draw_takes_one_word_and_all_engines_draw_the_same() -> None:
    game = Marbles()
    stream = Stream(3, 11)
    by_word = []
    for t in range(4):
        left = [3 - by_word.count(colour) for colour in range(3)]
        number = below(sum(left), lambda lane, t=t: word(3, 11, t, lane))
        by_word.append(next(c for c in range(3) if number < sum(left[: c + 1])))
    drawn_now = []
    for _ in range(4):
        seen = stream.draw(pool(game, Marbles.draw, 0))
        Marbles.draw.run(game, *seen)
        drawn_now.append(seen[0])
    assert (drawn_now, stream.throws) == (by_word, 4)
    for back in (0, 1):
        expected = dicelab.simulate(Marbles, games=4000, seed=3, engine="reference", back=back)
        for engine in ("compiled", "memo", "table"):
            found = dicelab.simulate(Marbles, games=4000, seed=3, engine=engine, back=back)
            assert found.tallies["reds"].histogram == expected.tallies["reds"].histogram


@pytest.mark.slow
def test_a_bag_that_is_empty_is_an_error_in_every_engine() -> None:
    for engine in ("reference", "compiled", "auto"):
        with pytest.raises(PlayError, match=r"draw: nothing is left in the bag: the weights are \[0, 0, 0\]"):
            dicelab.simulate(Marbles, games=100, seed=1, engine=engine, draws=10)
    with pytest.raises(PlayError, match="nothing is left in the bag"):
        dicelab.exact(Marbles, draws=10)


class Urn(Game):
    """Polya's urn: what is drawn is put back with another one of its colour."""

    name = "urn"
    source = "George Polya, 1930"

    red = Int(0, 40, "red balls", start=1)
    blue = Int(0, 40, "blue balls", start=1)
    step = Param(1, -3, 3, "balls that are added")
    reds = Tally("red balls drawn")

    def next(self) -> int:
        return throw(self.ball) if self.red + self.blue < 12 else OVER

    def balls(self) -> tuple[int, int]:
        return self.red * self.step, self.blue

    @weighted(Die(red=1, blue=1), balls, 36)
    def ball(self, colour: int) -> None:
        if colour == 0:
            self.red += 1
            self.reds += 1
        else:
            self.blue += 1


@pytest.mark.slow
def test_weights_that_depend_on_the_state() -> None:
    exact = dicelab.exact(Urn)
    assert {n: round(p, 12) for n, p in exact.tallies["reds"].probabilities.items()} == {
        n: round(1 / 11, 12) for n in range(11)
    }
    expected = dicelab.simulate(Urn, games=3000, seed=3, engine="reference")
    for engine in ("compiled", "memo", "table"):
        assert dicelab.simulate(Urn, games=3000, seed=3, engine=engine).tallies == expected.tallies
    with pytest.raises(ParameterError, match="can't be played by turn"):
        dicelab.simulate(Urn, games=3000, seed=3, engine="turn")


@pytest.mark.slow_cases("compiled")
@pytest.mark.parametrize("engine", ["reference", "compiled", "auto"])
def test_weights_that_cant_be_drawn_are_errors(engine: str) -> None:
    with pytest.raises(PlayError, match=r"ball: no weights to draw by: the weights are \[-1, 1\]"):
        dicelab.simulate(Urn, games=100, seed=3, engine=engine, step=-1)
    assert dicelab.simulate(Urn, games=100, seed=3, engine=engine, step=3).games == 100


@pytest.mark.slow
def test_check_finds_nothing_wrong_with_them() -> None:
    for game in (Cup, Marbles, Urn):
        report = dicelab.check(game)
        assert report.lawful or game is not Cup, str(report)


def test_what_can_be_asked_for() -> None:
    assert throw(Cup.sums) == Cup.sums.index << 16
    for wrong, message in (
        (lambda: throw(Cup.sums, d4=3), "3 dice of d4 can't be rolled, but 0 to 2"),
        (lambda: throw(Cup.sums, d4=0), "no dice are rolled"),
    ):
        with pytest.raises(RangeError, match=message):
            wrong()
    for wrong, message in (
        (lambda: throw(Cup.sums, 2), r"its dice are named: throw\(self.sums, d4=2, d6=2, coin=1\)"),
        (lambda: throw(Cup.sums, d8=1), "its dice are named"),
        (lambda: throw(Marbles.draw, 2), "draws one"),
        (lambda: mixed(d4=(1, d(4))), "name two or more kinds"),
        (lambda: mixed(d4=d(4), d6=(1, D6)), "how many dice there are at most"),  # type: ignore[arg-type]
        (lambda: mixed(FACES, a=(1, Die(x=1)), b=(1, D6)), "a face is 0"),
        (lambda: mixed(a=(40, D6), b=(40, D6)), "declare several"),
        (lambda: mixed(3, a=(1, D6), b=(1, D6)), "not a view"),  # type: ignore[arg-type]
        (lambda: drawn(Ints(3, 1, 4)), "begins at 0"),
        (lambda: drawn(Ints(3, 0, 4), D6), "one face for each of the 3 things"),
        (lambda: drawn(D6), "name the row"),  # type: ignore[arg-type]
        (lambda: weighted(D6, 3, 4), "write the die and the method"),  # type: ignore[arg-type]
        (lambda: weighted(D6, lambda game: (1,), 1.5), "the largest sum"),  # type: ignore[arg-type]
    ):
        with pytest.raises(RulesError, match=message):
            wrong()


def test_a_deck_that_is_too_large_is_refused_with_what_to_write() -> None:
    with pytest.raises(RulesError, match="weights may add up to 2700; declare total=, from 1 to 512"):
        drawn(Ints(3, 0, 900, "red, green, blue", start=3))
    many = Param(900, 3, 900, "marbles of a colour")
    bag = Ints(3, 0, many, "red, green, blue", start=3)
    large = type("Large", (Marbles,), {"many": many, "bag": bag, "draw": drawn(bag)(lambda self, colour: None)})
    with pytest.raises(RulesError, match="draw: weights may add up to 2700; declare total=, from 1 to 512"):
        large.declared.throws[0].numbers(large())


@pytest.mark.slow
def test_luck_and_skill_know_these_rolls() -> None:
    solved = dicelab.solve(ODD, objective="most:draws")
    game = dicelab.find(str(ODD))
    played = dicelab.simulate(game, solved.policy, games=4000, seed=2)
    low, high = played.tallies["draws"].interval
    assert low < solved.value < high
    assert dicelab.luck(game, "in_turn", games=300, seed=1, objective="most:draws").games == 300


class Emptied(Game):
    """Draws until nothing is left, and then once more."""

    name = "emptied"
    bag = Ints(2, 0, 1, "what is left", start=1)
    draws = Tally("draws")

    def next(self) -> int:
        return throw(self.draw)

    @drawn(bag)
    def draw(self, thing: int) -> None:
        self.draws += 1


@pytest.mark.slow
def test_both_enumerations_say_that_a_bag_is_empty() -> None:
    for engine in ("reference", "compiled"):
        with pytest.raises(PlayError, match="draw: nothing is left in the bag"):
            graph_of(Run.of(Emptied), engine=engine)
