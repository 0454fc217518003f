"""`dicelab.why`: the values after the first rolls and choices, compared with games that begin there."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dicelab
from dicelab.errors import ParameterError, TooLarge, UnknownNameError
from dicelab.games.lcr import LCR
from dicelab.games.tossup import Move, TossUp
from dicelab.questions.beginnings import EarlyStep, Opening, roll_words
from dicelab.questions.why import WhyRow, closing
from dicelab.results.text.page import Printing
from dicelab.rules import COUNTS, D6, FACES, OVER, SUM, Die, Game, Int, Tally, ask, chosen, strategy, throw, thrown
from dicelab.rules.game import reset
from dicelab.runtime.lineup import Run
from dicelab.solver.enumeration.graph import graph_of
from dicelab.solver.value import Value
from support import ROOT

PIG = str(ROOT / "examples" / "pig.py")


def why(game, *strategies, **more):
    return dicelab.why(game, list(strategies), **more)


def weighted(found):
    """The sum over the rows of probability times value, by outcome or tally."""
    return {name: sum(row.probability * row.values[name].fraction for row in found.rows) for name in found.start}


# The sums -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.cases(
    ("game", "more"),
    [
        ("hazard", {"main": 5}),
        ("pass-line", {"on": "money"}),
        ("pass-line", {"on": "throws"}),
        ("lcr", {"players": 3, "coins": 1}),
        ("lcr", {"players": 2, "coins": 2, "on": "turns"}),
        ("tossup", {"dice": 2, "target": 3}),
        ("tossup", {"dice": 2, "target": 3, "on": "busts"}),
        (PIG, {"target": 6}),
        ("hazard-caster", {"on": "throws"}),
        ("craps", {"until_rounds": 1, "bankroll": 20, "on": "money", "fractions": True}),
    ],
)
def test_rows_add_up_to_the_start_which_is_the_exact_answer(game, more, depth):
    more = dict(more)
    found = dicelab.why(game, depth=depth, **more)
    assert found.fractions
    assert sum(row.probability for row in found.rows) == 1
    assert weighted(found) == {name: value.fraction for name, value in found.start.items()}
    on, fractions = more.pop("on", None), more.pop("fractions", None)
    truth = dicelab.exact(game, fractions=fractions, **more)
    expected = truth.outcomes if on is None and truth.outcomes else truth.tallies
    assert all(expected[name].fraction == value.fraction for name, value in found.start.items())


@pytest.mark.slow
@pytest.mark.cases("depth", [1, 2])
def test_rows_in_floating_point_are_within_their_error_of_the_fractions(depth):
    exactly, nearly = (why("lcr", players=3, fractions=kind, depth=depth) for kind in (True, False))
    assert not nearly.fractions
    assert 0 < nearly.error < 1e-9
    for one, other in zip(exactly.rows, nearly.rows, strict=True):
        assert (one.steps, one.probability) == (other.steps, other.probability)
        for name, value in one.values.items():
            assert abs(float(value.fraction) - other.values[name].value) <= other.values[name].error + 1e-16


# Games that begin after the first steps -------------------------------------------------------------------------------


class Banked(TossUp):
    """Seat 0 has banked 1."""

    name = "tossup-banked"

    def start(self) -> None:
        self.scores[0] = 1
        self.player = 1


class Rolling(TossUp):
    """Seat 0 has rolled 1, and rolls on."""

    name = "tossup-rolling"

    def start(self) -> None:
        self.points = 1


class Finished(TossUp):
    """A game without a roll."""

    name = "tossup-finished"

    def start(self) -> None:
        self.leader = 0
        self.over = True


def chances(game, *strategies, **parameters):
    """The exact answer in fractions."""
    return {name: p.fraction for name, p in dicelab.exact(game, list(strategies), **parameters).outcomes.items()}


def test_the_pass_line_after_each_roll():
    """A point of 4 is won by three rolls and lost by six, one of 5 by four, one of 6 by five."""
    rows = {row.steps[0].words: row for row in why("pass-line").rows}
    assert {words: str(row.values["win"].fraction) for words, row in rows.items()} == {
        "2, 3 or 12": "0", "7 or 11": "1",
        "4": "1/3", "5": "2/5", "6": "5/11", "8": "5/11", "9": "2/5", "10": "1/3",
    }  # fmt: skip
    assert {words: str(row.probability) for words, row in rows.items()} == {
        "2, 3 or 12": "1/9", "7 or 11": "2/9",
        "4": "1/12", "5": "1/9", "6": "5/36", "8": "5/36", "9": "1/9", "10": "1/12",
    }  # fmt: skip


def by_hand(holds, player, passes=200):
    """Chances of LCR with one coin each, by iteration over all states: rolls written out, no rules of dicelab."""
    faces = [(1, "left"), (1, "center"), (1, "right"), (3, "dot")]
    seats, now, won = len(holds), {(tuple(holds), player): 1.0}, [0.0] * len(holds)
    for _ in range(passes):
        after: dict = {}
        for (coins, at), p in now.items():
            rolls = [([], p)]
            for _ in range(min(3, coins[at])):
                rolls = [([*done, face], q * n / 6) for done, q in rolls for n, face in faces]
            for done, q in rolls:
                new = list(coins)
                for face in done:
                    new[at] -= face != "dot"
                    if face in ("left", "right"):
                        new[(at + (1 if face == "right" else -1)) % seats] += 1
                if sum(n > 0 for n in new) == 1:
                    won[[n > 0 for n in new].index(True)] += q
                    continue
                follows = (at + 1) % seats
                while not new[follows]:
                    follows = (follows + 1) % seats
                key = tuple(new), follows
                after[key] = after.get(key, 0.0) + q
        now = after
    return won


def test_lcr_after_each_roll_is_as_computed_by_hand():
    moved = {"dot": ([1, 1, 1], 1), "right": ([0, 2, 1], 1), "center": ([0, 1, 1], 1), "left": ([0, 1, 2], 1)}
    found = why("lcr", players=3, coins=1)
    assert [row.words for row in found.rows] == list(moved)
    for row in found.rows:
        assert [v.value for v in row.values.values()] == pytest.approx(by_hand(*moved[row.words]), abs=1e-12)


def test_a_move_that_the_strategy_does_not_make_has_the_value_of_the_game_that_begins_after_it():
    """After one green seat 0 banks, although bank_over:2 would roll; then it is seat 1's turn."""
    strategies, parameters = ["bank_over:2", "bank_over:1"], {"dice": 2, "target": 4}
    found = why("tossup", *strategies, depth=2, **parameters)
    rows = {tuple(step.words for step in row.steps): row for row in found.rows}
    unchosen = rows["1 green", "bank"]
    assert (unchosen.probability, unchosen.steps[1].seat, unchosen.steps[1].kind) == (0, 0, "choice")
    assert {n: v.fraction for n, v in unchosen.values.items()} == chances(Banked, *strategies, **parameters)
    chosen_one = rows["1 green", "roll"]
    assert chosen_one.probability == Fraction(1, 2)
    assert {n: v.fraction for n, v in chosen_one.values.items()} == chances(Rolling, *strategies, **parameters)


def test_the_strategys_own_move_is_a_row_even_if_it_is_not_sensible():
    """bank_over rolls on at the target, which is not sensible: its move is followed, and banking is the other row."""
    found = why("tossup", "bank_over:5", depth=2, dice=2, target=1)
    rows = {tuple(step.words for step in row.steps): row.probability for row in found.rows}
    assert rows["1 green", "roll"] == Fraction(1, 2)
    assert rows["1 green", "bank"] == 0


class Stakes(Game):
    """A choice of 60 stakes, then a coin; a memory counts the choices."""

    name = "stakes"
    stake = Int(0, 100, "the stake")
    rounds = Int(0, 2, "rounds played")
    won = Tally("won")

    def next(self) -> int:
        if self.rounds == 2:
            return OVER
        return throw(self.coin) if self.stake else ask(self.bet, 0)

    @chosen(60)
    def bet(self, stake: int) -> None:
        self.stake = stake + 1

    @thrown(1, Die(heads=1, tails=1))
    def coin(self, face: int) -> None:
        self.won += self.stake if face == 0 else -self.stake
        self.stake = 0
        self.rounds += 1


@strategy(Stakes)
def rising(game: Stakes) -> int:
    """Three, then six."""
    return 2 if game.rounds == 0 else 5


def test_a_choice_with_many_moves_is_part_of_the_next_roll():
    found = dicelab.why(Stakes, depth=2)
    assert [row.words for row in found.rows] == ["heads; heads", "heads; tails", "tails; heads", "tails; tails"]
    assert [row.values["won"].fraction for row in found.rows] == [9, -3, 3, -9]
    assert found.start["won"].fraction == 0


# Steps in words -------------------------------------------------------------------------------------------------------


class Pair(Game):
    """Two dice in order, of which the first counts if `ordered`."""

    name = "pair"
    outcomes = ("odd", "even")
    rolled = Int(0, 12)

    def next(self) -> int:
        return OVER if self.rolled else throw(self.dice)

    @thrown(2, D6, FACES)
    def dice(self, first: int, second: int) -> None:
        self.rolled = first * second if first * second < 13 else 12

    def outcome(self) -> int:
        return 1 - self.rolled % 2


def test_dice_are_named_without_their_order_where_it_does_not_matter():
    assert [row.words for row in dicelab.why(Pair).rows] == ["1 1, 1 3, 1 5 or 3 3", "1 2 or 16 others"]


@pytest.mark.cases(
    ("groups", "words"),
    [
        ([[(1, 2)], [(2, 1)]], ["1 2", "2 1"]),
        ([[(1, 2), (2, 1)], [(3, 3)]], ["1 2", "3 3"]),
    ],
)
def test_faces(groups, words):
    assert roll_words(Pair.declared.throws[0], 2, groups) == words


def test_totals_that_follow_each_other_are_a_range():
    class Sum(Pair):
        name = "sum"

        @thrown(2, D6, SUM)
        def total(self, total: int) -> None: ...

    kind = Sum.declared.throws[-1]
    assert roll_words(kind, 2, [[(2,), (3,), (5,), (6,), (7,), (12,)]]) == ["2, 3, 5 to 7 or 12"]
    assert roll_words(kind, 2, [[(n,) for n in range(2, 13)]]) == ["2 to 12"]


def test_counts_of_named_and_of_numbered_faces():
    class Counts(Pair):
        name = "counts"

        @thrown(20, D6, COUNTS)
        def many(self, a: int, b: int, c: int, d: int, e: int, f: int) -> None: ...

    kind = Counts.declared.throws[-1]
    assert roll_words(kind, 3, [[(0, 1, 0, 0, 0, 2)]]) == ["2 6 6"]
    assert roll_words(kind, 14, [[(0, 1, 0, 0, 0, 13)]]) == ["1 of 2 13 of 6"]
    assert roll_words(TossUp.declared.throws[0], 10, [[(0, 0, 10)], [(0, 1, 9), (1, 0, 9)], [(10, 0, 0)]]) == [
        "10 green", "9 green", "10 red",
    ]  # fmt: skip


# What is refused ------------------------------------------------------------------------------------------------------


@pytest.mark.cases(
    ("more", "kind", "says"),
    [
        ({"depth": 0}, ParameterError, "depth: 0 is not allowed; it takes a whole number, at least 1"),
        ({"depth": 1.5}, ParameterError, "depth: 1.5 is not allowed"),
        ({"depth": 2000}, TooLarge, "too many for a table; ask for --depth "),
        ({"on": "trows"}, UnknownNameError, "did you mean 'throws'"),
        ({"fractions": "yes"}, ParameterError, "fractions: 'yes' is not allowed"),
    ],
)
def test_what_is_refused(more, kind, says):
    with pytest.raises(kind, match=says.replace("(", r"\(")):
        dicelab.why("hazard-caster" if "depth" in more else "hazard", **more)


def test_a_maximum_has_no_value_after_a_roll():
    with pytest.raises(ParameterError, match="peak is a maximum, not a sum"):
        dicelab.why("craps", on="peak")


def test_a_game_that_is_over_at_once_has_no_rows():
    with pytest.raises(ParameterError, match="over before the first roll"):
        dicelab.why(Finished)


@pytest.mark.slow
def test_a_chain_that_does_not_fit_is_refused():
    with pytest.raises(TooLarge, match="the chain does not fit"):
        dicelab.why("lcr", players=7, memory=1 << 20)


@pytest.mark.slow
def test_a_roll_with_too_many_outcomes_is_refused():
    class Many(Pair):
        name = "many"

        def next(self) -> int:
            return OVER if self.rolled else throw(self.cup)

        @thrown(7, D6, FACES)
        def cup(self, a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> None:
            self.rolled = 1

    with pytest.raises(TooLarge, match="the first step has more than 2,000 different results or 200,000 rolls"):
        dicelab.why(Many)


# Forms ----------------------------------------------------------------------------------------------------------------


def test_the_sentence_names_the_rows_with_the_largest_parts():
    found = why("lcr", players=3, coins=1)
    parts = {row.words: row.probability * (row.values["2"].fraction - row.values["0"].fraction) for row in found.rows}
    assert sum(parts.values()) == found.start["2"].fraction - found.start["0"].fraction
    assert max(parts, key=parts.get) == "left"
    assert min(parts, key=parts.get) == "dot"
    assert found.words == (
        "player 3 is 11.6 points ahead of player 1: games that begin with left contribute most, "
        f"{100 * float(parts['left']):+.3g} points, and those with dot {100 * float(parts['dot']):+.3g} points"
    )
    assert why("pass-line").words == ""
    assert why("lcr", players=3, coins=1, on="turns").words == ""


def test_equal_seats():
    half = {name: Value.of(Fraction(1, 2)) for name in ("0", "1")}
    row = WhyRow((EarlyStep("throw", "die", "6"),), Fraction(1), half, {"0": Value.of(Fraction(0))})
    assert closing(half, [row]) == "all players have the same chance"


@pytest.mark.slow
def test_of_many_rows_the_most_important_come_first():
    found = why(PIG, depth=3)
    assert len(found.rows) > 40
    lines = found.text(Printing(200)).splitlines()
    assert f"the 40 most important rows, the most important first; {len(found.rows)} rows with --all" in lines
    order = sorted(found.rows, key=lambda row: -row.weight)
    assert lines[5].split()[:3] == [step.words for step in order[0].steps]
    everything = found.text(Printing(200, everything=True)).splitlines()
    assert len([line for line in everything if "/" in line]) >= sum(row.probability > 0 for row in found.rows)


@pytest.mark.slow
@pytest.mark.cases("width", [30, 40, 80, 200])
def test_the_table_fits_the_page(width):
    for found in (why("lcr", players=4), why("tossup", target=6, depth=2), why("hazard")):
        assert max(map(len, found.text(Printing(width)).splitlines())) <= width


def test_rows_as_a_table_and_as_csv():
    found = why("lcr", players=2, coins=1)
    frame = found.to_frame()
    assert list(frame.columns) == ["step 1", "probability", "0", "1", "0 luck", "1 luck"]
    assert frame["0"].tolist() == [2 / 3, 0.0]
    assert found.to_csv() == (
        "step 1,probability,0,1,0 luck,1 luck\n"
        "dot,0.500000,0.666667,0.333333,0.333333,-0.333333\n"
        "no dot,0.500000,0.000000,1.000000,-0.333333,0.333333\n"
    )
    assert "0.6666666666666666," in found.to_csv(full=True)


def test_the_chart_has_a_row_for_each_beginning_and_a_line_for_each_seat():
    from dicelab.plots import plot_why

    found = why("lcr", players=3, coins=1)
    axes = plot_why(found)
    assert [text.get_text() for text in axes.get_yticklabels()] == [
        "dot (1/2)", "right (1/6)", "center (1/6)", "left (1/6)",
    ]  # fmt: skip
    lines = axes.get_lines()
    dashed, points = [one for one in lines if len(one.get_xdata()) == 2], [o for o in lines if len(o.get_xdata()) == 4]
    assert [one.get_xdata()[0] for one in dashed] == [value.value for value in found.start.values()]
    for seat, one in enumerate(points):
        assert list(one.get_xdata()) == [row.values[str(seat)].value for row in found.rows]
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["player 1", "player 2", "player 3"]


@pytest.mark.slow
def test_the_chart_leaves_out_seats_and_rows_and_says_so():
    from dicelab.plots import plot_why

    axes = plot_why(why("lcr", players=8, coins=1, fractions=False))
    caption = next(text.get_text() for text in axes.texts if text.get_gid() == "caption")
    assert "2 more seats are left out" in caption
    axes = plot_why(why(PIG, depth=3, on="turns"))
    caption = next(text.get_text() for text in axes.texts if text.get_gid() == "caption")
    assert len(axes.get_yticks()) == 60
    assert "the most important 60 rows of" in caption
    assert axes.get_legend() is None


# States to begin with besides the start -------------------------------------------------------------------------------


def test_the_compiled_enumeration_takes_the_same_roots_as_plain_python():
    run = Run.of("tossup", ["bank_over:2", "bank_over:3"], target=12, dice=3)
    opening = Opening(run, None)
    start = opening.positions.things[opening.start[0]]
    reset(opening.game)
    names = opening.place._single
    other = list(start)
    other[names.index("player")] = 1
    far = [*other]
    far[-2] = 11  # scores[0]: no strategy banks there on the way
    roots = [tuple(other), start, tuple(far), tuple(other)]
    plain, compiled = (graph_of(run, engine=engine, roots=roots) for engine in ("reference", "compiled"))
    for name in ("keys", "row", "target", "weight", "total", "change", "changes"):
        assert np.array_equal(getattr(plain, name), getattr(compiled, name)), name
    assert (plain.start, plain.start_change) == (compiled.start, compiled.start_change) == (0, 0)
    assert [plain.slots.unpack(key) for key in plain.keys[:3].tolist()] == [start, tuple(other), tuple(far)]
    assert plain.states > graph_of(run).states
    assert Move.ROLL == 0
    assert LCR.name == "lcr"
