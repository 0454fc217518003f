"""``dicelab edges``: what bets cost, on the command line."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

import dicelab as library
from dicelab.rules.loading.registry import find
from support import ROOT

CHUCK = str(ROOT / "verification" / "chuck_a_luck.py")

WHEEL = '''
from dicelab.rules import D6, OVER, Casino, Choice, Flag, Param, Tally, throw, thrown

class Wheel(Casino):
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


PROFILES = '    profiles = {"rich": {"pays": 6}, "poor": {"pays": 2}}\n    edges_whatever = ("pays",)\n'
WITH_PROFILES = WHEEL.replace('    edges_over = "bet"\n', '    edges_over = "bet"\n' + PROFILES)


@pytest.fixture
def wheel(tmp_path):
    file = tmp_path / "wheel.py"
    file.write_text(WHEEL)
    return str(file)


def exact_figures(row):
    edges = [row[name] for name in ("edge", "edge_resolved", "edge_per_throw")]
    figures = [*(row["outcomes"][name] for name in ("win", "lose", "push")), *edges, row["tallies"].get("throws")]
    return [figure and figure["fraction"] for figure in figures]


def test_the_pass_line(dicelab):
    said = dicelab("edges", "pass-line")
    assert (said.status, said.err) == (0, "")
    for line in ["win 0.492929 244/495", "push 0.000000 0", "edge 1.4141 % 7/495", "throws 3.3758 557/165"]:
        assert line in [" ".join(shown.split()) for shown in said.out.splitlines()]
    assert "sd in stakes 0.99990" in " ".join(said.out.split())
    data = dicelab("edges", "pass-line", "--json").json
    assert (data["schema"], data["method"], data["game"], data["over"]) == (2, "edges", "pass-line", "")
    assert [row["bet"] for row in data["rows"]] == ["pass-line"]
    assert exact_figures(data["rows"][0]) == ["244/495", "251/495", "0", "7/495", "7/495", "7/1671", "557/165"]
    assert data["rows"][0]["edge"]["value"] == 7 / 495


def test_chuck_a_luck(dicelab):
    data = dicelab("edges", CHUCK, "--json").json
    assert exact_figures(data["rows"][0]) == ["91/216", "125/216", "0", "17/216", "17/216", None, None]


def test_a_game_of_ones_own(dicelab, wheel):
    said = dicelab("edges", wheel)
    assert (said.status, said.err) == (0, "")
    answer, _, rest = said.out.partition("\n\n")
    rows = rest.splitlines()
    assert answer.startswith("All 3 bets have a house edge of 16.7 %") or "of the stake." in answer
    assert rows[0] == "wheel"
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
    assert [row.split()[:5] for row in said.out.partition("\n\n")[2].splitlines()[3:6]] == [
        ["one", "1/6", "2/3", "1/6", "0"],
        ["low", "1/3", "1/2", "1/6", "1/6"],
        ["high", "1/3", "1/2", "1/6", "1/6"],
    ]


@pytest.mark.slow
def test_every_edge_is_checked_by_games(dicelab, wheel):
    command = ["edges", wheel, "--check", "2e4", "--seed", "3"]
    data = dicelab(*command, "--json").json
    assert (data["games"], data["seed"]) == (20_000, 3)
    for row in data["rows"]:
        assert set(row["check"]) == {"edge", "low", "high", "z", "games"}
        assert row["check"]["low"] < row["edge"]["value"] < row["check"]["high"] or abs(row["check"]["z"]) > 1.9
        assert abs(row["check"]["z"]) < 4
    said = dicelab(*command)
    assert any("z" in line.split() for line in said.out.splitlines())
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
        ("pass-line --seed 1", 2, "seed is used with check"),
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
        ('"33.333 %"', '"a third"', "published: 'a third' is not an edge; write"),
        ('money = Tally("money")', 'staked = Tally("s")\n    money = Tally("m")', "the mean stake is 0"),
        ('Choice(("low", "one", "high")', 'Choice(("low", "one", "o?ne")', "'o?ne' is not allowed; a name is made of"),
    ],
)
def test_a_file_that_is_wrong_is_told_so(dicelab, wheel, old, new, told):
    with open(wheel) as file:
        text = file.read()
    assert text.count(old) == 1
    with open(wheel, "w") as file:
        file.write(text.replace(old, new))
    dicelab("edges", wheel).must_refuse(2, told)


# Profiles, a choice of bets, pictures ---------------------------------------------------------------------------------


@pytest.fixture
def wheels(tmp_path):
    file = tmp_path / "wheels.py"
    file.write_text(WITH_PROFILES)
    return str(file)


def test_a_profile_sets_parameters_and_options_go_before_it(dicelab, wheels):
    def pays(*words):
        data = dicelab("edges", wheels, *words, "--bet", "one", "--json").json
        return data["parameters"]["pays"], data["rows"][0]["edge"]["fraction"]

    assert pays() == (3, "1/6")
    assert pays("--profile", "rich") == (6, "-1/3")
    assert pays("--profile=poor") == (2, "1/3")
    assert pays("--profile", "rich", "--pays", "4") == pays("--pays", "4", "--profile", "rich") == (4, "0")
    assert library.edges(wheels, profile="rich").parameters == {"pays": 6}


def test_a_sweep_is_played_by_the_profile(wheels):
    swept = library.sweep(wheels, over={"bet": [0, 1]}, games=10, seed=1, profile="rich")
    assert {row.result.parameters["pays"] for row in swept.rows} == {6}


@pytest.mark.parametrize("command", ["edges", "simulate", "exact", "show", "sweep"])
def test_every_command_about_a_game_knows_its_profiles(dicelab, wheels, command):
    told = dicelab(command, wheels, "--help").out
    assert "--profile P" in told
    assert "rich, poor" in " ".join(told.split())
    words = ["--over", "bet=low,one"] if command == "sweep" else []
    said = dicelab(command, wheels, *words, "--profile", "ritch")
    said.must_refuse(2, "no profile of wheel 'ritch'; did you mean 'rich'?")
    assert "--profile P" not in dicelab(command, "pass-line", "--help").out


@pytest.mark.slow_cases(
    'check-{"rich": 6}-wheel: profile rich: 6; it must map parameters to values',
    'check-{"rich": {"bet": "lo"}}-wheel: profile rich: bet: no value \'lo\'; did you mean \'...',
    'check-{"rich": {"pay": 6}}-wheel: profile rich: no parameter \'pay\'; did you mean \'pay...',
    'check-{"rich": {"pays": 60}}-wheel: profile rich: pays: 60 is not allowed; it takes a...',
)
@pytest.mark.parametrize(
    ("profiles", "told"),
    [
        ('{"rich": {"pay": 6}}', "wheel: profile rich: no parameter 'pay'; did you mean 'pays'?"),
        ('{"rich": {"pays": 60}}', "wheel: profile rich: pays: 60 is not allowed; it takes a whole number, 1 to 9"),
        ('{"rich": {"bet": "lo"}}', "wheel: profile rich: bet: no value 'lo'; did you mean 'low'?"),
        ('{"rich": 6}', "wheel: profile rich: 6; it must map parameters to values"),
    ],
)
@pytest.mark.parametrize("command", ["edges", "check"])
def test_a_profile_that_is_wrong_is_told_so(dicelab, tmp_path, profiles, told, command):
    file = tmp_path / "wrong.py"
    file.write_text(WHEEL.replace('    edges_over = "bet"\n', f"    edges_over = 'bet'\n    profiles = {profiles}\n"))
    said = dicelab(command, str(file))
    if command == "check":
        assert (said.status, told in " ".join(said.out.split())) == (1, True)
    else:
        said.must_refuse(2, told)


def test_what_changes_no_edge_must_be_a_parameter(dicelab, tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(WITH_PROFILES.replace('("pays",)', '("pay",)'))
    dicelab("edges", str(file)).must_refuse(2, "wheel: edges_whatever: no parameter 'pay'; did you mean 'pays'?")


def test_published_edges_are_counted_and_hold_whatever_changes_no_edge(dicelab, wheels):
    said = dicelab("edges", wheels, "--profile", "rich").out
    assert "published: 2 edges, 0 of them the same within their digits" in said
    said = dicelab("edges", "craps", "--only", "hard?", "--only", "hard10", "--house", "las_vegas").out
    assert "published: 4 edges, 4 of them the same within their digits" in said
    said = dicelab("edges", "craps", "--bet", "hard8").out
    assert "hard8: published is 9.09 % (M. Shackleford, Wizard of Odds, craps); the same" in said


def test_some_bets_by_patterns(dicelab, wheel):
    def bets(*words):
        return [row["bet"] for row in dicelab("edges", wheel, *words, "--json").json["rows"]]

    assert bets("--only", "*o*") == ["low", "one"]
    assert bets("--only", "h*", "--only", "low") == ["low", "high"]
    assert [row.bet for row in library.edges(wheel, only="????").rows] == ["high"]


def test_the_bets_that_a_house_takes(dicelab):
    data = dicelab(
        "edges", "craps", "--profile", "atlantic_city", "--only", "big*", "--only", "put_6_?x", "--json"
    ).json
    assert [row["bet"] for row in data["rows"]] == ["big6_7to6", "big8_7to6"]
    assert data["parameters"]["house"] == "atlantic_city"
    assert set(data["left_out"]) == {"big6", "big8", *(f"put_6_{k}x" for k in (0, 1, 2, 3, 4, 5))}
    assert "takes no put bets" in data["left_out"]["put_6_0x"]
    said = dicelab("edges", "craps", "--profile", "atlantic_city", "--only", "big*", "--only", "put_*").out
    assert "big6, big8, put_4_0x, put_4_1x, put_4_2x, put_4_3x, put_4_4x, put_4_5x, and 36 more; ask for one" in said
    refused = dicelab("edges", "craps", "--profile", "crapless", "--bet", "dont_pass_bar12")
    refused.must_refuse(2, "craps-bet: don't pass, bar 12: a crapless table has no don't bets")


def test_results_say_what_is_needed_to_ask_again(dicelab):
    data = dicelab("edges", "craps", "--profile", "reno", "--only", "dont_pass_*", "--json").json
    again = library.edges("craps", only="dont_pass_*", **data["parameters"]).to_dict()
    assert {**data, "seconds": 0} == {**again, "seconds": 0}
    assert [row["bet"] for row in data["rows"]] == ["dont_pass_bar2"]


def test_a_picture_of_edges(dicelab, wheel, tmp_path):
    file = tmp_path / "edges.svg"
    said = dicelab("edges", wheel, "--plot", str(file))
    assert (said.status, said.err) == (0, f"drawn: {file}\n")
    assert "wheel: house edge" in file.read_text()
    assert said.out.splitlines()[:-2] == dicelab("edges", wheel).out.splitlines()[:-2]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("edges WHEEL --only lo", "only: 'lo' matches no bet; there are: low, one, high"),
        ("edges craps --only 'zzz*'", "matches no bet; there are: pass ... crapless_buy_12_vig_on_win, 256 names"),
        ("edges pass-line --only pass", "pass-line: only selects among several bets, but there is one bet here"),
        ("edges WHEEL --bet low --only low", "wheel: only selects among several bets, but there is one bet here"),
        ("edges WHEEL --plot edges.jpg", "a picture is saved as .svg, .png or .pdf"),
        ("edges WHEEL --plot nowhere/edges.svg", "there is no folder nowhere"),
    ],
)
def test_what_can_not_be_picked_or_drawn(dicelab, wheel, nothing_is_computed, words, told):
    dicelab(*words.replace("WHEEL", wheel).split()).must_refuse(2, told)


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
    lines = ["from dicelab.extras.craps.craps_bet import CrapsBet", "class Bets(CrapsBet):", "    edges_over = 'bet'"]
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
    chances = [Fraction(row["outcomes"][name]["fraction"]) for name in ("win", "lose", "push")]
    assert sum(chances) == 1
    assert Fraction(row["edge_resolved"]["fraction"]) == Fraction(edge) / (1 - chances[2])
    assert Fraction(row["edge_per_throw"]["fraction"]) == Fraction(edge) / Fraction(
        row["tallies"]["throws"]["fraction"]
    )


def test_dont_pass_has_three_edges(dicelab, craps):
    row = dicelab("edges", craps, "--bet", "dont_pass_bar12", "--json").json["rows"][0]
    assert exact_figures(row)[:5] == ["949/1980", "244/495", "1/36", "3/220", "27/1925"]
    assert round(100 * row["edge_per_throw"]["value"], 3) == 0.404


@pytest.mark.slow
def test_all_bets_of_craps(dicelab, craps):
    data = dicelab("edges", craps, "--json").json
    rows = {row["bet"]: row for row in data["rows"]}
    assert len(rows) == len(data["rows"]) > 150
    assert not any("error" in row["edge"] for row in data["rows"])
    assert all("fraction" in row["edge"] for row in data["rows"] if not row["bet"].startswith("fire"))  # those are long
    for bet, percent in PERCENTAGES.items():
        assert round(100 * rows[bet]["edge"]["value"], 3) == percent, bet
    for bet, throws in {"pass": "557/165", "place_4": "4", "place_5": "18/5", "hard6": "36/11", "any7": "1"}.items():
        assert rows[bet]["tallies"]["throws"]["fraction"] == throws
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
    assert on["tallies"]["throws"]["fraction"] == "36/11"
    assert f"{off['tallies']['throws']['mean']:.3f}" == "3.666"


def test_a_parameter_may_have_the_name_of_an_argument(dicelab, wheel, tmp_path):
    file = tmp_path / "checked.py"
    file.write_text(Path(wheel).read_text().replace("pays", "check"))
    data = dicelab("edges", str(file), "--set", "check=4", "--json").json
    assert data["parameters"] == {"check": 4}
    assert [row["edge"] for row in data["rows"]] == [
        row["edge"] for row in dicelab("edges", wheel, "--pays", "4", "--json").json["rows"]
    ]
