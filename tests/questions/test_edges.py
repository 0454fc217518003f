"""Edges of bets: known ones, those of games written here, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from math import sqrt

import pytest

import dicelab
from dicelab.errors import ParameterError, RulesError, UnknownNameError
from dicelab.questions.betting.bet import PublishedEdge
from dicelab.rules import (
    D6,
    OVER,
    Casino,
    Choice,
    Flag,
    Game,
    Int,
    Param,
    Peak,
    Switch,
    Tally,
    ask,
    chosen,
    strategy,
    throw,
    thrown,
)
from dicelab.solver.value import Value
from support import ROOT

CHUCK = str(ROOT / "verification" / "chuck_a_luck.py")


class High(Casino):
    """Over or under three and a half, or one number: a 6 is pushed where it says so."""

    edges_over = "bet"
    published = {"high": ("0 %", "reason"), "six": ("16.7 %", "a book"), "five": ("16.6 %", "another")}

    bet = Choice(("high", "six", "five", "push_six"), "what is bet on")
    stake = Param(1, 1, 100, "the stake")
    twice = Switch(False, "the six pays twice as much")

    done = Flag("thrown")
    throws = Tally("throws")
    money = Tally("money won; lost where negative")

    def refuse(self):
        return "nobody pays twice for a five" if self.twice and self.bet == 2 else ""

    def next(self):
        return OVER if self.done else throw(self.die)

    @thrown(1, D6)
    def die(self, face):
        self.throws += 1
        self.done = True
        if self.bet == 0:
            self.money += self.stake if face > 3 else -self.stake
        elif self.bet == 3:
            if face < 6:
                self.money += self.stake if face > 3 else -self.stake
        elif face == 7 - self.bet:
            self.money += 8 * self.stake if self.twice else 4 * self.stake
        else:
            self.money -= self.stake


class Raised(Game):
    """What would be money is only raised."""

    done = Flag("thrown")
    throws = Tally("throws")
    money = Peak("the largest")

    def next(self):
        return OVER if self.done else throw(self.die)

    @thrown(1, D6)
    def die(self, face):
        self.throws += 1
        self.done = True
        self.money = max(self.money, face)


class RaisedThrows(Raised):
    """Throws are only raised."""

    throws = Peak("the most")
    money = Tally("money")

    @thrown(1, D6)
    def die(self, face):
        self.throws = max(self.throws, 1)
        self.done = True
        self.money += face


class Pressed(Game):
    """Bet one; after a win bet two more on the next throw, if you like: stakes vary, money may come back to nothing."""

    won = Flag("the first throw was won")
    over = Flag("it is over")
    first = Flag("the first throw was made")
    asked = Flag("it was asked")

    money = Tally("money")
    staked = Tally("staked")

    def next(self):
        if self.over:
            return OVER
        if self.won and not self.asked:
            return ask(self.press, 0)
        return throw(self.die)

    @chosen(2)
    def press(self, more):
        self.asked = True
        if more == 0:
            self.over = True

    @thrown(1, D6)
    def die(self, face):
        if not self.first:
            self.first = True
            self.staked += 1
            self.money += 1 if face > 4 else -1
            self.won = face > 4
            self.over = face <= 4
        else:
            self.over = True
            self.staked += 1
            self.money += 1 if face > 4 else -1


@strategy(Pressed, more=Choice(("no", "yes"), "press after a win"))
def press(game, more):
    """Press or do not."""
    return more


@strategy(Pressed)
def always(game):
    """Press."""
    return 1


def fractions(edge):
    figures = (edge.win, edge.lose, edge.push, edge.edge, edge.edge_resolved, edge.edge_per_throw, edge.throws)
    return [None if figure is None else str(figure.fraction) for figure in figures]


def test_the_pass_line():
    found = dicelab.edges("pass-line")
    assert [row.bet for row in found.rows] == ["pass-line"]
    row = found["pass-line"]
    assert fractions(row) == ["244/495", "251/495", "0", "7/495", "7/495", "7/1671", "557/165"]
    assert row.sd == pytest.approx(sqrt(1 - (7 / 495) ** 2), abs=1e-14)
    assert f"{row.sd:.5f}" == "0.99990"
    assert (found.over, found.parameters, found.left_out, found.games) == ("", {"stake": 1}, {}, 0)


def test_the_stake_changes_no_edge():
    one, many = dicelab.edges("pass-line").rows[0], dicelab.edges("pass-line", stake=25).rows[0]
    assert fractions(one) == fractions(many)
    assert one.sd == pytest.approx(many.sd, abs=1e-14)
    assert many.staked.fraction == 25


@pytest.mark.parametrize(("triple", "edge"), [(3, "17/216"), (10, "5/108")])
def test_chuck_a_luck(triple, edge):
    row = dicelab.edges(CHUCK, triple=triple).rows[0]
    assert fractions(row) == ["91/216", "125/216", "0", edge, edge, None, None]


def test_a_row_for_each_value_of_the_choice():
    found = dicelab.edges(High)
    assert (found.over, found.parameters) == ("bet", {"stake": 1, "twice": False})
    assert {row.bet: fractions(row) for row in found.rows} == {
        "high": ["1/2", "1/2", "0", "0", "0", "0", "1"],
        "six": ["1/6", "5/6", "0", "1/6", "1/6", "1/6", "1"],
        "five": ["1/6", "5/6", "0", "1/6", "1/6", "1/6", "1"],
        "push_six": ["1/3", "1/2", "1/6", "1/6", "1/5", "1/6", "1"],
    }
    assert found["push_six"].sd == pytest.approx(sqrt(5 / 6 - 1 / 36), abs=1e-14)


@pytest.mark.parametrize("given", [{"bet": "five"}, {"bet": 2}])
def test_one_of_them(given):
    found = dicelab.edges(High, **given)
    assert [row.bet for row in found.rows] == ["five"]
    assert (found.over, found.parameters["bet"]) == ("", "five")
    assert dicelab.edges(High(**given)).rows == found.rows


def test_bets_that_the_rules_refuse_are_left_out_and_told():
    found = dicelab.edges(High, twice=True)
    assert [row.bet for row in found.rows] == ["high", "six", "push_six"]
    assert found.left_out == {"five": "high: nobody pays twice for a five"}
    assert "not allowed with these parameters: five" in str(found)
    assert str(found["six"].edge.fraction) == "-1/2"
    with pytest.raises(ParameterError, match="nobody pays twice for a five"):
        dicelab.edges(High, twice=True, bet="five")
    with pytest.raises(ParameterError, match="stake: 0 is not allowed"):
        dicelab.edges(High, stake=0)


def test_what_is_staked_may_vary_and_strategies_change_it():
    once, twice = (dicelab.edges(Pressed, f"press:{more}").rows[0] for more in ("no", "yes"))
    assert fractions(once) == ["1/3", "2/3", "0", "1/3", "1/3", None, None]
    assert fractions(twice) == ["1/9", "2/3", "2/9", "1/3", "3/7", None, None]
    assert twice.staked.fraction == Fraction(4, 3)
    assert twice.sd == pytest.approx(sqrt(4 / 9 + 6 / 9 - 16 / 81) / (4 / 3), abs=1e-14)
    assert fractions(dicelab.edges(Pressed, "always").rows[0]) == fractions(twice)


def test_a_policy_plays_as_well(tmp_path):
    path = str(tmp_path / "fewest.npz")
    dicelab.solve(Pressed, objective="fewest:money").policy.save(path)
    row = dicelab.edges(Pressed, f"policy:{path}").rows[0]
    assert str(row.edge.fraction) == "1/3"
    assert row.push.fraction is None
    assert row.push.probability == pytest.approx(2 / 9, abs=1e-12)


def test_sorted():
    def order(sort):
        return [row.bet for row in dicelab.edges(High, sort=sort).rows]

    assert order("declared") == ["high", "six", "five", "push_six"]
    assert order("edge") == ["high", "six", "five", "push_six"]
    assert order("resolved") == ["high", "six", "five", "push_six"]
    assert order("sd") == ["push_six", "high", "six", "five"]
    with pytest.raises(UnknownNameError, match="no order 'egde'; did you mean 'edge'"):
        order("egde")


def test_published_figures_stand_beside_and_are_told_where_they_differ():
    found = dicelab.edges(High)
    assert {row.bet: row.published and row.published.agrees for row in found.rows} == {
        "high": True,
        "six": True,
        "five": False,
        "push_six": None,
    }
    assert "five: published is 16.6 % (another); 0.0667 % more here" in str(found)
    assert "a book" not in str(found)
    assert [row.published for row in dicelab.edges(High, stake=2).rows] == [None] * 4
    assert found.to_dict()["rows"][2]["published"] == {
        "text": "16.6 %",
        "source": "another",
        "difference": pytest.approx(1 / 6 - 0.166),
        "agrees": False,
    }


@pytest.mark.parametrize(
    ("text", "edge", "agrees"),
    [
        ("1.414 %", Fraction(7, 495), True),
        ("1.414%", Fraction(7, 495), True),
        ("1.415 %", Fraction(7, 495), False),
        ("1 %", Fraction(7, 495), True),
        ("0.0141", Fraction(7, 495), True),
        ("0.0142", Fraction(7, 495), False),
        ("7/495", Fraction(7, 495), True),
        ("7/494", Fraction(7, 495), False),
        ("0", Fraction(0), True),
        ("0", Fraction(1, 10**9), False),
        ("-1.41 %", Fraction(-7, 495), True),
        ("12.5 %", Fraction(1, 8), True),
        ("12 %", Fraction(1, 8), True),
        ("13 %", Fraction(1, 8), True),
        ("14 %", Fraction(1, 8), False),
    ],
)
def test_a_published_figure_is_as_exact_as_its_digits(text, edge, agrees):
    assert PublishedEdge.of(text, "", Value.of(edge)).agrees is agrees
    assert PublishedEdge.of(text, "", Value(float(edge), None, 1e-15)).agrees is agrees


@pytest.mark.parametrize("text", ["", "about 1 %", "1,4 %", "1/0", "%", "1.4 % %", "nan"])
def test_a_published_figure_that_is_none_is_refused(text):
    with pytest.raises(RulesError, match="is not an edge; write"):
        PublishedEdge.of(text, "", Value.of(Fraction(1, 2)))


@pytest.mark.slow
def test_games_agree_with_what_is_exact():
    found = dicelab.edges(High, check=20_000, seed=5, threads=1)
    for row in found.rows:
        assert row.check is not None
        low, high = row.check.interval
        assert low < row.check.edge < high
        assert abs(row.check.z) < 4
        played = dicelab.simulate(High, bet=row.bet, games=20_000, seed=5, threads=1).tallies["money"].mean
        assert row.check.edge == pytest.approx(-played)
    assert (found.games, found.seed) == (20_000, 5)
    assert "20,000 games of each, seed 5, largest |z| " in str(found)


@pytest.mark.slow
def test_games_agree_where_stakes_vary():
    row = dicelab.edges(Pressed, "press:yes", check=50_000, seed=1, threads=1).rows[0]
    assert row.check is not None
    assert abs(row.check.z) < 4
    low, high = row.check.interval
    residual = sqrt(4 / 3 * 8 / 9)  # every throw is a bet of its own, four thirds of them on the average
    assert (high - low) / 2 == pytest.approx(1.96 * residual / (4 / 3) / sqrt(50_000), rel=0.02)


def test_plain_data():
    data = dicelab.edges(High, bet="push_six").to_dict()
    assert json.loads(dicelab.edges(High, bet="push_six").to_json())["rows"] == data["rows"]
    assert data["rows"] == [
        {
            "bet": "push_six",
            "outcomes": {
                "win": {"probability": 1 / 3, "fraction": "1/3"},
                "lose": {"probability": 1 / 2, "fraction": "1/2"},
                "push": {"probability": 1 / 6, "fraction": "1/6"},
            },
            "tallies": {"throws": {"mean": 1.0, "fraction": "1"}, "staked": {"mean": 1.0, "fraction": "1"}},
            "edge": {"value": 1 / 6, "fraction": "1/6"},
            "edge_resolved": {"value": 1 / 5, "fraction": "1/5"},
            "edge_per_throw": {"value": 1 / 6, "fraction": "1/6"},
            "sd": pytest.approx(sqrt(29) / 6),
        }
    ]


def test_a_frame():
    pytest.importorskip("pandas")
    table = dicelab.edges(High, check=100, seed=1).to_frame()
    assert list(table["bet"]) == ["high", "six", "five", "push_six"]
    assert list(table["edge fraction"]) == ["0", "1/6", "1/6", "1/6"]
    assert table["edge"][1] == pytest.approx(1 / 6)
    assert list(table["throws"]) == [1.0] * 4


def test_the_table_in_decimals_and_in_fractions():
    found = dicelab.edges(High)
    texts = found.text(), found.text(fractions=True)
    decimals, fractions = (text.partition("\n\n")[2].splitlines() for text in texts)  # after the answer
    assert decimals[2].split() == [
        "bet",
        "win",
        "lose",
        "push",
        "edge",
        "excl.",
        "pushes",
        "per",
        "throw",
        "throws",
        "sd",
        "published",
    ]
    assert decimals[6].split()[:8] == ["push_six", "0.333333", "0.500000", "0.166667", "16.6667", "%", "20.0000", "%"]
    assert fractions[6].split()[:8] == ["push_six", "1/3", "1/2", "1/6", "1/6", "1/5", "1/6", "1"]
    assert "0.0000 %" in decimals[3]
    assert "-0.0000" not in str(found)
    with pytest.raises(UnknownNameError, match="no bet of high 'sx'; did you mean 'six'"):
        found["sx"]


class Walk(Game):
    """Money goes up and down until a 6 is thrown: there is no end to what it may be."""

    done = Flag("over")
    throws = Tally("throws")
    money = Tally("money")

    def next(self):
        return OVER if self.done else throw(self.die)

    @thrown(1, D6)
    def die(self, face):
        self.throws += 1
        if face == 6:
            self.done = True
        elif face < 3:
            self.money += 1
        else:
            self.money -= 1


def test_money_without_end_has_chances_in_floating_point():
    row = dicelab.edges(Walk).rows[0]
    assert fractions(row)[:3] == ["None"] * 3
    assert str(row.edge.fraction) == "1"
    assert row.win.probability + row.lose.probability + row.push.probability == pytest.approx(1, abs=1e-9)
    assert row.edge_resolved.value == pytest.approx(1 / (1 - row.push.probability))
    assert 0 < row.to_dict()["outcomes"]["push"]["error"] < 1e-10
    assert row.push.probability == pytest.approx(1 / sqrt(12), abs=1e-10)
    simulated = dicelab.simulate(Walk, games=100_000, seed=2).tallies["money"].probabilities
    assert row.push.probability == pytest.approx(simulated[0], abs=0.006)


# What is refused ------------------------------------------------------------------------------------------------------


def variant(**attributes):
    """The game above with other declarations."""
    return type("Variant", (High,), {"published": {}, **attributes})


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        ({"edges_over": "stake"}, "variant: edges_over = 'stake'; it must be the name of a parameter that is a Choice"),
        ({"edges_over": "zzz"}, "edges_over = 'zzz'"),
        ({"edges_over": "money"}, "edges_over = 'money'"),
        ({"published": {"sixx": ("1 %", "x")}}, "published: no bet 'sixx'; did you mean 'six'"),
        ({"published": {"six": "1 %"}}, "six: '1 %'; it must be two texts"),
        ({"published": {"six": ("1 %", 5)}}, "it must be two texts"),
        ({"edges_over": "", "published": {"six": ("1 %", "x")}}, "no bet 'six'"),
    ],
)
def test_declarations_are_checked_when_the_class_is_made(attributes, told):
    with pytest.raises(RulesError, match=told):
        variant(**attributes)


def test_a_published_text_that_is_no_edge_is_told():
    with pytest.raises(RulesError, match="published: 'much' is not an edge"):
        dicelab.edges(variant(published={"six": ("much", "x")}))


@pytest.mark.parametrize(
    ("game", "told"),
    [
        ("lcr", "lcr has no tally called money, so its bets have no edge"),
        (Raised, "raised: money is a Peak"),
        (RaisedThrows, "raisedthrows: throws is a Peak"),
        (variant(staked=Tally("never counted")), "variant: the mean stake is 0"),
    ],
)
def test_games_without_edges(game, told):
    with pytest.raises(ParameterError, match=told):
        dicelab.edges(game)


def test_money_in_the_state_is_no_tally():
    class Purse(Walk):
        """Money that rules can read."""

        money = Int(-100, 100, "money")

    with pytest.raises(ParameterError, match="purse has no tally called money"):
        dicelab.edges(Purse)


@pytest.mark.parametrize(
    ("settings", "error", "told"),
    [
        ({"check": 0}, ParameterError, "check: 0 is not allowed"),
        ({"check": -5}, ParameterError, "check: -5 is not allowed"),
        ({"check": 2.5}, ParameterError, "check: 2.5 is not allowed"),
        ({"seed": 1}, ParameterError, "seed is used with check"),
        ({"check": 10, "seed": -1}, ParameterError, "seed: -1 is not allowed"),
        ({"bet": "sx"}, ParameterError, "bet: no value 'sx'; did you mean 'six'"),
        ({"bett": "six"}, UnknownNameError, "did you mean 'bet'"),
        ({"sort": 5}, UnknownNameError, "no order '5'"),
        ({"strategies": "some"}, ParameterError, "has no choices, so it takes no strategy"),
    ],
)
def test_bad_settings(settings, error, told):
    with pytest.raises(error, match=told):
        dicelab.edges(High, **settings)


def test_ctrl_c_keeps_the_rows_so_far():
    def stop(done, total):
        assert total == 4
        if done == 2:
            raise KeyboardInterrupt

    found = dicelab.edges(High, progress=stop)
    assert found.interrupted
    assert [row.bet for row in found.rows] == ["high", "six"]
    assert found.to_dict()["interrupted"] is True
    assert "stopped before the end" in str(found)
    nothing = dicelab.edges(High, progress=lambda done, total: stop(2, total))
    assert nothing.rows == []
    assert "0 bets" in str(nothing)


def test_a_bet_that_goes_wrong_ends_the_rows():
    class Wrong(High):
        """One bet breaks the rules."""

        level = Int(0, 5, "level")

        @thrown(1, D6)
        def die(self, face):
            self.done = True
            self.money -= 1
            if self.bet == 2:
                self.level = face

    Wrong.published = {}
    found = dicelab.edges(Wrong)
    assert [row.bet for row in found.rows] == ["high", "six"]
    assert "level = 6 is outside its declared range" in found.refused
    assert "level = 6" in str(found)


def test_stakes_with_names_are_no_amounts():
    class Named(Walk):
        """The stake is a name."""

        stake = Choice(("red", "blue"), "which", default="blue")

    assert dicelab.edges(Named).rows[0].staked.fraction == 1


@pytest.mark.parametrize("only", [5, ["hi*", 5], None])
def test_patterns_are_texts(only):
    with pytest.raises(ParameterError, match=r"only: .* is not allowed; give patterns of bets such as"):
        dicelab.edges(High, only=only)


def test_bets_are_picked_by_patterns_in_the_order_of_the_game():
    assert [row.bet for row in dicelab.edges(High, only=("*six", "h?gh")).rows] == ["high", "six", "push_six"]
    assert [row.bet for row in dicelab.edges(High, only="five").rows] == ["five"]


@pytest.mark.slow
def test_plain_data_has_every_fraction_however_long():
    row = next(row for row in dicelab.edges("craps", only="fire_*").to_dict()["rows"] if row["bet"].startswith("fire"))
    assert Fraction(row["edge"]["fraction"]) == pytest.approx(row["edge"]["value"], rel=1e-12)
    assert {"fraction", "probability"} <= set(row["outcomes"]["win"])


@pytest.mark.parametrize("declared", ["ruin", "edges_over", "profiles"])
def test_declarations_of_a_casino_game_are_refused_elsewhere(declared):
    with pytest.raises(RulesError, match=rf"only a casino game declares {declared}; write class Plain\(Casino\)"):
        type("Plain", (Game,), {declared: ""})
