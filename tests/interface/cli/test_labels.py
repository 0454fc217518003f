"""Players are counted from 1 wherever people read, and what is shown can be typed."""

from __future__ import annotations

import pytest

SMALL = ["tossup", "--target", "6", "--dice", "3"]


@pytest.mark.slow
def test_players_are_counted_from_one_and_the_label_stands_beside_the_index(dicelab):
    said = dicelab("exact", *SMALL)
    assert "player 1 wins" in said.out
    assert "seat 0" not in said.out
    outcomes = dicelab("exact", *SMALL, "--json").json["outcomes"]
    assert {name: row["label"] for name, row in outcomes.items()} == {"0": "player 1", "1": "player 2"}


@pytest.mark.parametrize("label", ["player 2", "Player 2", "player_2", "player2", "1"])
def test_a_label_is_an_outcome(dicelab, label):
    said = dicelab("solve", *SMALL, "--against", "one_roll", "--objective", label)
    assert said.out.startswith("With the best play against one_roll player 2 wins ")


@pytest.mark.slow
def test_a_label_is_the_outcome_of_a_precision_and_of_a_picture(dicelab, tmp_path):
    words = ["simulate", *SMALL, "--seed", "1"]
    precise = ["--precision", "0.05", "--json"]
    same = [dicelab(*words, *precise, "--on", on).json for on in ("player 2", "1")]
    assert [row["games"] for row in same] == [same[0]["games"]] * 2
    chart = tmp_path / "way.svg"
    dicelab(*words, "-n", "200", "--plot", str(chart), "--of", "convergence:player 2")
    assert "player 2 wins" in chart.read_text()


def test_a_bare_number_of_a_field_is_its_value_and_a_label_is_a_seat(dicelab, tmp_path):
    file = str(tmp_path / "best.npz")
    dicelab("solve", *SMALL, "--out", file)
    at = ["policy", "tossup", file, "--at", "points=2", "--json"]
    one = dicelab(*at, "--at", "player=player 2", "--at", "scores[player 2]=3").json
    two = dicelab(*at, "--at", "player=1", "--at", "scores[1]=3").json
    assert one["rows"] == two["rows"] != []
    assert {row["state"]["player"] for row in one["rows"]} == {1}
    dicelab(*at, "--at", "player=player 9").must_refuse(2, "at: 'player=player 9' is not allowed")


@pytest.mark.parametrize("seat", ["1", "player 2"])
def test_a_seat_is_an_index_or_a_label_and_the_answer_shows_the_label(dicelab, seat):
    said = dicelab("solve", *SMALL, "--against", "one_roll", "--seat", seat)
    assert "strategies: player 1 one_roll, player 2 best" in said.out


def test_what_is_no_seat_is_refused_with_the_labels(dicelab):
    said = dicelab("solve", *SMALL, "--against", "one_roll", "--seat", "me")
    said.must_refuse(2, "seat: 'me' is not a whole number, counted from 0, nor a label: player 1, player 2")


DUEL = '''
from dicelab.rules import D6, OVER, Flag, Game, Ints, Param, Seat, Tally, Words, ask, chosen, strategy, throw, thrown


class Duel(Game):
    """One keeps the first roll or rolls once more; the other rolls once."""

    name = "duel"
    words = Words(players=("Jean-Luc", "Zo\\u00eb d'\\u00c9t\\u00e9"), names={"lots_of": "high rolls"})
    players = Param(2, 2, 2, "players")
    seats = players
    pips = Ints(players, 0, 6, "pips")
    player = Seat(players)
    first = Flag("the first roll has been made")
    ready = Flag("one may keep the roll")
    lots_of = Tally("sixes rolled")

    def next(self) -> int:
        if self.pips[1] > 0:
            return OVER
        return ask(self.stay, self.player) if self.ready else throw(self.die)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        if face == 6:
            self.lots_of += 1
        self.pips[self.player] = face
        self.ready = self.player == 0 and not self.first
        self.first = True
        if not self.ready:
            self.player = 1

    @chosen(2)
    def stay(self, yes: int) -> None:
        """Keep the roll: 1."""
        self.ready = False
        if yes == 1:
            self.player = 1

    def outcome(self) -> int:
        return 0 if self.pips[0] >= self.pips[1] else 1


@strategy(Duel)
def content(game: Duel) -> int:
    """Keep 4 or more."""
    return 1 if game.pips[0] >= 4 else 0
'''


@pytest.fixture
def duel(tmp_path):
    file = tmp_path / "duel.py"
    file.write_text(DUEL, encoding="utf-8")
    return str(file)


@pytest.mark.slow_cases("jean luc")
@pytest.mark.parametrize("label", ["Jean-Luc", "jean luc", "JEAN_LUC"])
def test_a_name_with_a_hyphen_can_be_typed(dicelab, duel, label):
    found = dicelab("solve", duel, "--against", "content", "--objective", label)
    assert "objective     value\nJean-Luc" in found.out
    assert dicelab("solve", duel, "--against", "content", "--seat", label).out.startswith("With the best play")


def test_a_name_with_accents_can_be_typed_in_either_form(dicelab, duel):
    typed = ["Zo\u00eb d'\u00c9t\u00e9", "zoe\u0308_d'E\u0301TE\u0301"]
    said = [dicelab("solve", duel, "--against", "content", "--objective", f"avoid:{name}").out for name in typed]
    assert all("avoid:Zo\u00eb d'\u00c9t\u00e9" in text for text in said)


def test_a_tally_can_be_typed_as_the_game_calls_it(dicelab, duel):
    same = [
        dicelab("solve", duel, "--against", "content", "--objective", f"most:{n}") for n in ("high rolls", "lots_of")
    ]
    assert same[0].out.splitlines()[0] == same[1].out.splitlines()[0]


@pytest.mark.parametrize("label", ["Caster", "win"])
def test_the_only_player_by_name_is_the_outcome_that_it_wins(dicelab, label):
    said = dicelab("simulate", "hazard", "--seed", "1", "--precision", "0.1", "--on", label)
    assert said.out.startswith("The caster wins ")


def test_an_objective_is_shown_with_the_label_of_its_player(dicelab):
    said = dicelab("solve", *SMALL, "--against", "one_roll", "--objective", "avoid:player 2")
    assert "\navoid:player 2  " in said.out
    several = dicelab("solve", *SMALL, "--objective", "avoid:1")
    several.must_refuse(2, "objective must be win; for avoid:player 2, give the strategies of the others")
    dicelab("solve", *SMALL, "--objective", "first").must_refuse(2, "avoid:player 1, avoid:player 2")


def test_the_moves_in_a_situation_show_the_labels_that_were_taken(dicelab):
    said = dicelab("best", *SMALL, "--at", "player=1", "--at", "points=2", "--at", "scores[player 2]=3")
    assert "at player=player 2, points=2, scores[player 2]=3" in " ".join(said.out.split())
    assert "scores[player 1]  move" in said.out


def test_best_refuses_an_objective_that_the_game_does_not_have(dicelab):
    dicelab("best", *SMALL, "--objective", "first").must_refuse(2, "no objective of tossup 'first'")
    dicelab("best", "hazard", "--objective", "shooter").must_refuse(2, "no objective of hazard 'shooter'")


def test_luck_is_that_of_a_player_by_its_label(dicelab):
    said = dicelab("why", "lcr", "--players", "2", "--coins", "1").out
    assert "luck of player 1" in said
    assert "luck 0" not in said
