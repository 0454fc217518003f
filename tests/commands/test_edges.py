"""``dicelab edges``: what bets cost, on the command line."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

import dicelab as library
from dicelab.rules.registry import find
from support import ROOT

CHUCK = str(ROOT / "verification" / "chuck_a_luck.py")

WHEEL = '''
from dicelab.rules import D6, OVER, Choice, Flag, Game, Param, Tally, throw, thrown

class Wheel(Game):
    """Bet on the height of a die; a 6 is pushed."""
    name = "wheel"
    source = "made up"
    edges_over = "bet"
    published = {"low": ("11.1 %", "a book"), "one": ("33.333 %", "another book")}
    bet = Choice(("low", "one", "high"), "what is bet on")
    pays = Param(3, 1, 9, "what a one pays")
    done = Flag("thrown")
    throws = Tally("throws")
    money = Tally("money")
    def next(self):
        return OVER if self.done else throw(self.die)
    @thrown(1, D6)
    def die(self, face):
        self.throws += 1
        self.done = True
        if face == 6:
            return
        if self.bet == 0:
            self.money += 1 if face < 3 else -1
        elif self.bet == 2:
            self.money += 1 if face > 3 else -1
        else:
            self.money += self.pays if face == 1 else -1
'''


@pytest.fixture
def wheel(tmp_path):
    file = tmp_path / "wheel.py"
    file.write_text(WHEEL)
    return str(file)


def exact_figures(row):
    names = ("win", "lose", "push", "edge", "edge_resolved", "edge_per_throw", "throws")
    return [row[name] and row[name]["fraction"] for name in names]


def test_the_pass_line(dicelab):
    said = dicelab("edges", "pass-line")
    assert (said.status, said.err) == (0, "")
    for line in ["win 0.492929 244/495", "push 0.000000 0", "edge 1.4141 % 7/495", "throws 3.3758 557/165"]:
        assert line in [" ".join(shown.split()) for shown in said.out.splitlines()]
    assert "sd in stakes 0.99990" in " ".join(said.out.split())
    data = dicelab("edges", "pass-line", "--json").json
    assert (data["schema"], data["method"], data["game"], data["over"]) == (1, "edges", "pass-line", "")
    assert [row["bet"] for row in data["rows"]] == ["pass-line"]
    assert exact_figures(data["rows"][0]) == ["244/495", "251/495", "0", "7/495", "7/495", "7/1671", "557/165"]
    assert data["rows"][0]["edge"]["value"] == 7 / 495


def test_chuck_a_luck(dicelab):
    data = dicelab("edges", CHUCK, "--json").json
    assert exact_figures(data["rows"][0]) == ["91/216", "125/216", "0", "17/216", "17/216", None, None]


def test_a_game_of_ones_own(dicelab, wheel):
    said = dicelab("edges", wheel)
    assert (said.status, said.err) == (0, "")
    rows = said.out.splitlines()
    assert rows[0] == "wheel: pays 3"
    assert rows[2].split()[:4] == ["bet", "win", "lose", "push"]
    assert [row.split()[0] for row in rows[3:6]] == ["low", "one", "high"]
    assert rows[3].endswith("11.1 % !")
    assert "low: published is 11.1 % (a book); 5.5667 % more here" in rows
    data = dicelab("edges", wheel, "--json").json
    assert {row["bet"]: exact_figures(row) for row in data["rows"]} == {
        "low": ["1/3", "1/2", "1/6", "1/6", "1/5", "1/6", "1"],
        "one": ["1/6", "2/3", "1/6", "1/6", "1/5", "1/6", "1"],
        "high": ["1/3", "1/2", "1/6", "1/6", "1/5", "1/6", "1"],
    }
    assert (data["over"], data["parameters"]) == ("bet", {"pays": 3})


def test_one_bet_by_name_and_other_parameters(dicelab, wheel):
    data = dicelab("edges", wheel, "--bet", "one", "--pays", "4", "--json").json
    assert [row["bet"] for row in data["rows"]] == ["one"]
    assert data["parameters"] == {"bet": "one", "pays": 4}
    assert data["rows"][0]["edge"] == {"value": 0.0, "fraction": "0"}
    assert "published" not in data["rows"][0]


def test_fractions_and_orders(dicelab, wheel):
    said = dicelab("edges", wheel, "--fractions", "--pays", "4", "--sort", "edge")
    assert [row.split()[:5] for row in said.out.splitlines()[3:6]] == [
        ["one", "1/6", "2/3", "1/6", "0"],
        ["low", "1/3", "1/2", "1/6", "1/6"],
        ["high", "1/3", "1/2", "1/6", "1/6"],
    ]


def test_every_edge_is_checked_by_games(dicelab, wheel):
    command = ["edges", wheel, "--check", "2e4", "--seed", "3"]
    data = dicelab(*command, "--json").json
    assert (data["games"], data["seed"]) == (20_000, 3)
    for row in data["rows"]:
        assert set(row["check"]) == {"edge", "low", "high", "z", "games"}
        assert row["check"]["low"] < row["edge"]["value"] < row["check"]["high"] or abs(row["check"]["z"]) > 1.9
        assert abs(row["check"]["z"]) < 4
    said = dicelab(*command)
    assert "z" in said.out.splitlines()[2].split()
    assert re.search(r"checked: 20,000 games of each, seed 3, largest \|z\| \d\.\d\d$", said.out)
    one = dicelab(*command, "--bet", "one").out
    assert "edge, simulated" in one
    assert dicelab(*command, "--bet", "one", "--json").json["rows"][0]["check"] == data["rows"][1]["check"]


def test_the_library_gives_the_same(dicelab, wheel):
    data, found = dicelab("edges", wheel, "--json").json, library.edges(wheel).to_dict()
    assert {**data, "seconds": 0} == {**found, "seconds": 0}


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        ("lcr", 2, "lcr has no tally called money"),
        ("tossup -s one_roll", 2, "tossup has no tally called money"),
        ("pass-lin", 2, "did you mean 'pass-line'?"),
        ("pass-line --profile crapless", 2, "no option '--profile'"),
        ("pass-line --stake 0", 2, "stake: '0' is not allowed"),
        ("pass-line --check 0", 2, "check: 0 is not allowed"),
        ("pass-line --check -5", 2, "check: -5 is not allowed"),
        ("pass-line --check many", 2, "check: 'many' is not a whole number"),
        ("pass-line --seed 1", 2, "seed is for use with check"),
        ("pass-line --check 10 --seed x", 2, "seed: 'x' is not allowed"),
        ("pass-line --sort egde", 2, "no order 'egde'; did you mean 'edge'?"),
        ("pass-line -s always", 2, "pass-line has no choices, so it takes no strategy"),
        ("pass-line --memory much", 2, "memory: 'much'"),
        ("WHEEL --bet lo", 2, "bet: no value 'lo'; did you mean 'low'?"),
        ("WHEEL --bet 3", 2, "bet: '3' is not allowed; it takes a name: low, one, high"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(dicelab, wheel, words, status, told):
    dicelab("edges", *words.replace("WHEEL", wheel).split()).must_refuse(status, told)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            'edges_over = "bet"',
            'edges_over = "pays"',
            "edges_over = 'pays'; it must be the name of a parameter that is",
        ),
        ('edges_over = "bet"', 'edges_over = "bets"', "edges_over = 'bets'"),
        ('"one": ("33', '"won": ("33', "published: no bet 'won'; did you mean 'one'?"),
        ('"33.333 %"', '"a third"', "published: 'a third' is no edge; it is written"),
        ('money = Tally("money")', 'staked = Tally("s")\n    money = Tally("m")', "0 is staked on the average"),
        ('Choice(("low", "one", "high")', 'Choice(("low", "one", "o ne")', "'o ne' is not allowed; a name is made of"),
    ],
)
def test_a_file_that_is_wrong_is_told_so(dicelab, wheel, old, new, told):
    with open(wheel) as file:
        text = file.read()
    assert text.count(old) == 1
    with open(wheel, "w") as file:
        file.write(text.replace(old, new))
    dicelab("edges", wheel).must_refuse(2, told)


# The bets of craps ----------------------------------------------------------------------------------------------------


PERCENTAGES = {
    **{"pass_odds_1x": 0.848, "pass_odds_345x": 0.374, "pass_odds_100x": 0.021, "dont_pass_lay_2x_to_win": 0.455},
    **{"dont_pass_bar3": 4.141, "place_lose_5": 2.5, "two": 13.889, "ce": 11.111, "hi_lo": 13.889},
    **{"fire_24_249_999": 20.763, "ats_all_175": 7.464, "crapless_place_2": 7.143, "field_2x2x": 5.556},
}
"""Edges in percent, of bets whose fractions are less well known."""


@pytest.fixture
def craps(tmp_path):
    """The game whose bets are those of craps, a row for each."""
    if find("craps-bet").edges_over:
        return "craps-bet"
    lines = ["from dicelab.games.craps_bet import CrapsBet", "class Bets(CrapsBet):", "    edges_over = 'bet'"]
    file = tmp_path / "bets.py"
    file.write_text("\n".join(lines))
    return str(file)


@pytest.mark.parametrize(
    ("bet", "edge"),
    [
        ("pass", "7/495"),
        ("dont_pass_bar12", "3/220"),
        ("dont_pass_nobar", "-7/495"),
        ("take_odds_4", "0"),
        ("place_6", "1/66"),
        ("place_5", "1/25"),
        ("buy_4_vig_upfront", "1/21"),
        ("lay_10_vig_on_win", "1/60"),
        ("hard8", "1/11"),
        ("hard4", "1/9"),
        ("big6", "1/11"),
        ("field_2x3x", "1/36"),
        ("any7", "1/6"),
        ("horn", "1/8"),
        ("world", "2/15"),
        ("repeater_2_to", "8/49"),
        ("crapless_pass", "373/6930"),
    ],
)
def test_bets_of_craps(dicelab, craps, bet, edge):
    row = dicelab("edges", craps, "--bet", bet, "--json").json["rows"][0]
    assert (row["bet"], row["edge"]["fraction"]) == (bet, edge)
    chances = [Fraction(row[name]["fraction"]) for name in ("win", "lose", "push")]
    assert sum(chances) == 1
    assert Fraction(row["edge_resolved"]["fraction"]) == Fraction(edge) / (1 - chances[2])
    assert Fraction(row["edge_per_throw"]["fraction"]) == Fraction(edge) / Fraction(row["throws"]["fraction"])


def test_dont_pass_has_three_edges(dicelab, craps):
    row = dicelab("edges", craps, "--bet", "dont_pass_bar12", "--json").json["rows"][0]
    assert exact_figures(row)[:5] == ["949/1980", "244/495", "1/36", "3/220", "27/1925"]
    assert round(100 * row["edge_per_throw"]["value"], 3) == 0.404


def test_all_bets_of_craps(dicelab, craps):
    data = dicelab("edges", craps, "--json").json
    rows = {row["bet"]: row for row in data["rows"]}
    assert len(rows) == len(data["rows"]) > 150
    assert not any("error" in row["edge"] for row in data["rows"])
    assert all("fraction" in row["edge"] for row in data["rows"] if not row["bet"].startswith("fire"))  # those are long
    for bet, percent in PERCENTAGES.items():
        assert round(100 * rows[bet]["edge"]["value"], 3) == percent, bet
    for bet, throws in {"pass": "557/165", "place_4": "4", "place_5": "18/5", "hard6": "36/11", "any7": "1"}.items():
        assert rows[bet]["throws"]["fraction"] == throws
    assert f"{rows['pass']['sd']:.5f}" == "0.99990"
    order = [row["bet"] for row in dicelab("edges", craps, "--sort", "edge", "--json").json["rows"]]
    assert (order[0], sorted(order)) == ("dont_pass_nobar", sorted(rows))


def test_the_bets_of_a_table_are_those_of_one_bet(dicelab):
    one, table = (dicelab("edges", game, "--bet", "hard8", "--json").json for game in ("craps-bet", "craps"))
    assert table["rows"] == one["rows"]
    assert library.edges("craps", bet="hard8").rows == library.edges("craps-bet", bet="hard8").rows


def test_a_bet_that_is_off_on_come_outs_waits_longer_and_costs_as_much(dicelab):
    on = dicelab("edges", "craps", "--bet", "place_6", "--json").json["rows"][0]
    off = dicelab("edges", "craps", "--bet", "place_6", "--off", "--json").json["rows"][0]
    assert on["edge"] == off["edge"]
    assert (on["throws"]["fraction"], f"{off['throws']['mean']:.3f}") == ("36/11", "3.666")
