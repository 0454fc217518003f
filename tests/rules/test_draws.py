"""Draws and payoffs for any number of players, seats that are alike in distribution, scores counted at the end."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import dicelab
from dicelab.errors import PlayError, RulesError
from dicelab.interface.lab.question import Question
from dicelab.rules import D6, FACES, OVER, Choice, Game, Ints, Param, Seat, Tally, mixed, right_of, throw, thrown
from dicelab.rules.loading.registry import games_in, load
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.symmetry import Alike, check_symmetry
from support import SetLimits

FILE = Path(__file__).parents[1] / "games" / "alike" / "draws.py"
DRAWS, RACE, CUPS, SCORE = (games_in(load(FILE))[name] for name in ("draws", "race", "cups", "final-score"))


def test_a_draw_between_players_is_what_counting_gives() -> None:
    """Cups of one round: the first player raises with a two, which is worth four, less two; by hand."""
    ends = Counter[str]()
    for one, two in product((1, 2), repeat=2):
        mine = one if one == 1 else 4 - 2
        ends["draw" if mine == two else "player 1" if mine > two else "player 2"] += 1
    exact = dicelab.exact(CUPS, rounds=1)
    assert {name: p.fraction for name, p in exact.outcomes.items()} == {
        name: Fraction(n, 4) for name, n in sorted(ends.items(), key=lambda item: item[0] == "draw")
    }


@pytest.mark.parametrize("players", [2, 3])
def test_a_race_with_a_draw_is_the_same_with_states_merged(players: int, limits: SetLimits) -> None:
    whole = dicelab.exact(RACE, players=players)
    limits(symmetric_edges=0)
    merged = dicelab.exact(RACE, players=players, fractions=False)
    assert merged.outcomes["draw"].fraction is None
    assert [p.probability for p in merged.outcomes.values()] == pytest.approx(
        [p.probability for p in whole.outcomes.values()], abs=1e-12
    )


@pytest.mark.parametrize("players", [2, 3])
def test_optimal_play_shares_the_antes(players: int) -> None:
    best = dicelab.solve(DRAWS, players=players, ante=2)
    assert sum(best.payoffs.values()) == pytest.approx(0, abs=1e-12)
    exact = dicelab.exact(DRAWS(players=players, ante=2), best.policy)
    won = [p.probability for p in exact.outcomes.values()]
    paid = [2 * (players - 1) * p - 2 * (1 - p - won[-1]) for p in won[:-1]]
    assert paid == pytest.approx(list(best.payoffs.values()), abs=1e-9)


def test_a_draw_is_shared_unless_payoffs_are_declared() -> None:
    best = dicelab.solve(CUPS, rounds=1)
    chances = [p.probability for p in best.outcomes.values()]
    assert best.payoffs["0"] == pytest.approx(chances[0] + chances[2] / 2)


def test_cups_rolled_in_the_order_of_the_seats_leave_the_seats_alike() -> None:
    assert check_symmetry(Run.of(CUPS, players=3)) is Alike.CHOICES
    assert check_symmetry(Run.of(DRAWS)) is Alike.OUTCOMES


def test_what_favours_a_seat_is_not_alike(tmp_path: Path) -> None:
    text = FILE.read_text().replace("self.cups[seat] * (1", "(self.cups[seat] + (seat == 0)) * (1")
    file = tmp_path / "cups.py"
    file.write_text(text.replace('"cups"', '"unfair"'))
    with pytest.raises(RulesError, match="declared to be alike from every seat, and is not"):
        check_symmetry(Run.of(games_in(load(file))["unfair"]))


class Both(Game):
    """One roll for both players: its dice are for one each."""

    name = "both"
    source = "made for the tests"
    seats = 2
    outcomes = (2, "draw")
    player = Seat(2, "whose turn it is", alike=True)
    points = Ints(2, 0, 12, "points", by_seat=True)
    rolls = Tally("rolls")

    def next(self) -> int:
        return OVER if max(self.points) > 5 else throw(self.dice)

    @thrown(2, D6, FACES)
    def dice(self, one: int, other: int) -> None:
        self.rolls += 1
        self.points[0] += one
        self.points[1] += other
        self.player = right_of(self.player, 2)

    def outcome(self) -> int:
        return 2 if self.points[0] == self.points[1] else int(self.points[1] > self.points[0])


def test_a_roll_for_all_players_is_alike_in_distribution(limits: SetLimits) -> None:
    assert check_symmetry(Run.of(Both)) is Alike.ROLLS
    whole = dicelab.exact(Both)
    limits(symmetric_edges=0)
    merged = dicelab.exact(Both, fractions=False)
    assert [p.probability for p in merged.outcomes.values()] == pytest.approx(
        [p.probability for p in whole.outcomes.values()], abs=1e-12
    )


@pytest.mark.slow
def test_a_roll_for_all_players_is_the_same_on_engines() -> None:
    one, other = (dicelab.simulate(Both, games=500, seed=1, engine=engine) for engine in ("reference", "memo"))
    assert [p.count for p in one.outcomes.values()] == [p.count for p in other.outcomes.values()]


@pytest.mark.slow
def test_a_score_may_be_counted_at_the_end_of_a_game_without_outcomes() -> None:
    rolls = [sum(dice) for dice in product(range(1, 5), range(1, 7), range(1, 7))]
    mean = Fraction(sum(rolls), len(rolls)) * 2 + Fraction(5, 2) + Fraction(7, 2)
    exact = dicelab.exact(SCORE)
    assert exact.tallies["score"].fraction == mean
    assert not exact.outcomes
    for fours, way in product((0, 1, 2), ("any pair", "high-low")):
        one, *others = (
            dicelab.simulate(SCORE, games=300, seed=5, engine=engine, fours=fours, way=way).tallies["score"]
            for engine in ("reference", "compiled")
        )
        assert all(other.mean == one.mean and other.sd == one.sd for other in others)


@pytest.mark.slow
def test_names_of_choices_may_have_spaces() -> None:
    way = Choice(("the sum", "any pair"), "what counts")
    assert [way.accept(text) for text in ("any pair", "any-pair", "the-sum", 1)] == [1, 1, 0, 1]
    assert (way.word(1), way.show(1)) == ("any-pair", "any pair")
    swept = dicelab.sweep(SCORE, over={"way": ["any pair", "high-low"]}, exact=True)
    assert [row.values["way"] for row in swept.rows] == [1, 2]
    assert "any-pair" in str(swept)
    for wrong in (("a b", "a-b"), ("a  b",), (" a",)):
        with pytest.raises(dicelab.errors.ParameterError):
            Choice(wrong, "what counts")


def test_addresses_accept_names_with_hyphens() -> None:
    way = {"name": "way", "default": "the sum", "names": ["the sum", "any pair"], "kind": "choice"}
    card = {"name": "final-score", "parameters": [way], "strategies": [], "called": "final-score"}
    for written in ("any-pair", "any pair"):
        asked = Question.of("final-score", card, [("way", written)])  # type: ignore[arg-type]
        assert asked.parameters == {"way": "any pair"}
        assert "--way 'any pair'" in asked.command("exact")
    assert not Question.of("final-score", card, [("way", "the-sum")]).parameters  # type: ignore[arg-type]


def test_dice_of_each_kind_may_be_a_parameter() -> None:
    fours = Param(1, 0, 2, "four-sided dice")
    with pytest.raises(RulesError) as refused:
        mixed(d4=(fours, 4), d6=(1, D6))  # type: ignore[arg-type]
    assert "<Param" not in str(refused.value)
    assert "?" not in str(refused.value)


@pytest.mark.parametrize(
    ("outcomes", "payoffs", "message"),
    [
        ("(4, 'draw')", "None", r"outcomes = \(4, \.\.\.\): .* write outcomes = \(players, \.\.\.\)"),
        ("('draw', players)", "None", r"begin with the seats: \(players, \"draw\"\)"),
        ("(players, 'draw')", "{players: 1, 'draw': 0}", r"write what the winner gets, and each other: \(1, 0\)"),
        ("(players, 'draw')", "{players: (1, 0), 'draw': (1, 1)}", "write one number, which each of them gets"),
        ("(players, 'draw')", "{'draw': 0}", r"for each outcome \(players, 'draw'\) what each seat gets"),
    ],
)
def test_outcomes_and_payoffs_that_make_no_sense_are_refused_with_file_and_line(
    outcomes: str, payoffs: str, message: str, tmp_path: Path
) -> None:
    text = FILE.read_text().replace('outcomes = (players, "draw")\n    payoffs', "payoffs", 1)
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.strip().startswith("payoffs ="))
    lines[at] = f"    outcomes = {outcomes}\n    payoffs = {payoffs}"
    file = tmp_path / "draws.py"
    file.write_text("\n".join(lines))
    with pytest.raises(RulesError, match=message) as refused:
        load(file)
    assert "draws.py, line" in str(refused.value)


def test_messages_about_payoffs_are_written_as_rules_are(tmp_path: Path) -> None:
    text = FILE.read_text().replace('"draw": 0}', '"tie": 0}', 1)
    file = tmp_path / "draws.py"
    file.write_text(text)
    with pytest.raises(RulesError, match=re.escape("payoffs = {players: (ante * (players - 1), -ante), 'tie': 0}")):
        load(file)


def test_an_outcome_that_there_is_not_names_the_rule(tmp_path: Path) -> None:
    file = tmp_path / "draws.py"
    file.write_text(FILE.read_text().replace("return self.players if", "return 1 + self.players if", 1))
    with pytest.raises(PlayError, match=r"outcome\(\) returned 3; it must be 0 to 2, .*draws\.py, line \d+"):
        dicelab.simulate(f"{file}:draws", games=100, seed=1, engine="reference")
