"""The table of craps: worked sequences by hand, the reason for each refusal, come bets that travel, several players."""

from __future__ import annotations

import pytest

from craps_tables import HOUSES, NOTHING, SEQUENCES, Dice, lies
from dicelab.errors import IllegalMoveError, ParameterError
from dicelab.extras.craps.catalogue import BETS, BY_ID
from dicelab.extras.craps.craps import Craps
from dicelab.extras.craps.spots import DONE, NAMES, SPOTS, spot_named
from dicelab.extras.craps.table_rules import SENTENCES, Reason
from dicelab.rules.game import reset
from dicelab.runtime.interpreter import steps

TABLE = {"bankroll": 10_000, "minimum": 1, "until_rounds": 0}


class Player:
    """Bets by hand: what is bet before the first throw, the second, ..."""

    def __init__(self, *windows: dict[str, int]) -> None:
        self.windows = [list(window.items()) for window in windows]

    def __call__(self, game, decision, seat):
        if self.windows and self.windows[0]:
            name, amount = self.windows[0].pop(0)
            return spot_named(name), amount
        self.windows[:1] = []
        return DONE, 0


def played(throws: str, *windows: dict[str, int], **house: object) -> Craps:
    """The table after some throws, its one player having made these bets before each."""
    game, dice = Craps(**{**TABLE, **house}), Dice(*throws.split())
    for event in steps(game, [Player(*windows)], dice):
        if event.kind == "throw" and not dice.throws:
            break
    return game


def net(game: Craps) -> int:
    """Change of what a player has, what lies on the table included; the tally says the same."""
    change = game.purse[0] + sum(lies(game).values()) - game.bankroll
    assert game.money == change
    return change


POINT_8 = "4-4"


@pytest.mark.cases("name", SEQUENCES)
def test_worked_sequences(name: str) -> None:
    throws, windows, money = SEQUENCES[name]
    assert net(played(throws, *windows, **HOUSES.get(name.split()[0], {}))) == money


def test_what_is_left_after_some_of_them() -> None:
    """Odds come back to the purse, a come bet rides on, a winning hardway and place bet stay up."""
    throws, windows, _ = SEQUENCES["6 come, odds returned, 5"]
    after = played(throws, *windows)
    assert (after.point, lies(after)) == (5, {})
    assert lies(played("3-3 4-1 3-3", *windows)) == {"come_5": 10, "come_odds_5": 40}
    assert lies(played("4-4", {"hard8": 1})) == {"hard8": 1}
    assert lies(played("2-2 5-1", NOTHING, {"place_6": 12})) == {"place_6": 12}
    assert lies(played("3-3 2-2", NOTHING, {"buy_4": 20}, commission="up_front")) == {}
    assert lies(played("3-3 3-3", NOTHING, {"come": 10})) == {"come_6": 10}


def test_a_come_bet_goes_where_another_has_just_won() -> None:
    """Off and on: the older one is paid and comes down, the new one rides."""
    after = played("4-4 3-2 4-1", NOTHING, {"come": 10}, {"come": 15})
    assert lies(after) == {"come_5": 15}
    assert net(after) == 10


def test_a_seven_out_decides_everything_and_passes_the_dice() -> None:
    after = played("4-4 3-2 3-4", {"pass": 10, "hard4": 1}, {"come": 10, "place_6": 12}, {"come": 5, "field": 5})
    assert lies(after) == {}
    assert net(after) == -10 - 1 - 10 - 12 + 5 - 5
    assert after.new_shooter
    assert (after.hands, after.rounds, after.throws, after.points) == (1, 1, 3, 0)


def test_bets_taken_down_come_back() -> None:
    """With the commission that was paid up front."""
    after = played(
        "4-4 1-2 1-2", NOTHING, {"buy_4": 20, "place_5": 10}, {"buy_4": -20, "place_5": -5}, commission="up_front"
    )
    assert net(after) == 0
    assert lies(after) == {"place_5": 5}
    assert net(played("4-4 1-2", NOTHING, {"buy_4": 20}, commission="up_front")) == -1


def test_fire_pays_the_sixth_point_at_once() -> None:
    points = "2-2 2-2 2-3 2-3 3-3 3-3 4-4 4-4 4-5 4-5 5-5 5-5"
    assert net(played(points, {"fire": 1})) == 999
    assert net(played(points, {"fire": 1}, fire="pays_9_199_1999")) == 1999
    assert net(played("2-2 2-2 2-3 2-3 3-3 3-3 4-3 4-4 4-3", {"fire": 1})) == -1
    assert net(played("2-2 2-2 2-3 2-3 3-3 3-3 4-4 4-3", {"fire": 1}, fire="pays_5_25_200_500")) == 5


def test_repeaters_and_all() -> None:
    assert net(played("1-1 3-4 1-1 1-1", {"repeater_2": 1})) == -1
    assert net(played("1-1 3-3 1-1", {"repeater_2": 1})) == 40
    assert net(played("1-1 3-3 1-1", {"repeater_2": 1}, quoted="for")) == 39
    assert net(played("1-1 1-2 1-3 1-4 1-5 2-6 3-6 4-6 5-6 6-6", {"all": 1, "small": 1, "tall": 1})) == 175 + 34 + 34


def test_what_side_bets_count_begins_anew_with_each_shooter() -> None:
    """Small is won, and the next shooter's begins with nothing."""
    first = "1-1 1-2 2-2 1-4 3-3 3-4"
    after = played(f"{first} 1-1 1-2 2-2 1-4", {"small": 1}, *[NOTHING] * 5, {"small": 1})
    assert net(after) == 34
    assert net(played(f"{first} 1-1 1-2 2-2 1-4 3-3", {"small": 1}, *[NOTHING] * 5, {"small": 1})) == 68


def test_crapless() -> None:
    assert net(played("1-1 1-1", {"pass": 10}, {"pass_odds": 10}, crapless=True)) == 10 + 60
    assert net(played("5-6 5-6", {"pass": 10}, crapless=True)) == 10
    assert net(played("5-6 3-4", {"pass": 10}, crapless=True)) == -10
    assert net(played("4-4 6-6 6-6", NOTHING, {"come": 10}, {"come_odds_12": 10}, crapless=True)) == 70
    assert net(played("4-4 1-2", NOTHING, {"place_3": 4, "buy_3": 20}, crapless=True)) == 11 + 59


def test_what_works_on_come_outs() -> None:
    """A hardway and a lay bet, made on the come-out that throws a 7."""
    bets = [{"hard8": 1, "lay_4": 40, "place_6": 6, "place_lose_6": 5, "big6": 1}]
    assert net(played("3-4", *bets)) == -1 + 19 + 4 - 1
    assert net(played("3-4", *bets, house="pennsylvania")) == 19 - 1
    assert net(played("3-4", *bets, house="real_casino")) == -1 + 4 - 1
    assert net(played("3-4", *bets, house="all_on")) == -1 + 19 - 6 + 4 - 1
    assert net(played("3-3", {"big6": 6}, house="atlantic_city")) == 7


# Refusals ------------------------------------------------------------------------------------------------------------


REFUSED: list[tuple[Reason, str, list[dict[str, int]], dict[str, int], dict[str, object]]] = [
    # Reason, throws, bets before them, then what is refused, and the house.
    (Reason.NOT_DONE, "", [], {"done": 5}, {}),
    (Reason.UNTOLD, "", [], {"done": -1}, {}),
    (Reason.NOTHING, "", [], {"pass": 0}, {}),
    (Reason.NOT_OFFERED, "", [], {"fire": 1}, {"offers": "no_side_bets"}),
    (Reason.NOT_OFFERED, "", [], {"place_6": 6}, {"offers": "lines_only"}),
    (Reason.CRAPLESS, "", [], {"place_2": 2}, {}),
    (Reason.CRAPLESS, "", [], {"dont_pass": 5}, {"crapless": True}),
    (Reason.MONEY, "", [], {"pass": 101}, {"bankroll": 100}),
    (Reason.MONEY, "", [], {"buy_4": 100}, {"bankroll": 100, "commission": "up_front"}),
    (Reason.MINIMUM, "", [], {"pass": 4}, {"minimum": 5}),
    (Reason.MINIMUM, "4-4", [], {"come": 4}, {"minimum": 5}),
    (Reason.MAXIMUM, "", [], {"pass": 101}, {"maximum": 100}),
    (Reason.UNIT, "", [], {"pass": 12}, {"chip": 5, "minimum": 5}),
    (Reason.PAYABLE, "", [], {"place_6": 5}, {}),
    (Reason.PAYABLE, "", [], {"buy_4": 35}, {"vig": "exact"}),
    (Reason.PAYABLE, "3-3", [{"pass": 10}], {"pass_odds": 7}, {}),
    (Reason.POINT, "", [], {"come": 5}, {}),
    (Reason.POINT, "", [], {"come_4": 5}, {}),
    (Reason.SHOOTER, "3-4", [], {"fire": 1}, {}),
    (Reason.FLAT, "", [{"pass": 5}], {"pass_odds": 5}, {}),
    (Reason.FLAT, "4-4", [], {"pass_odds": 5}, {}),
    (Reason.FLAT, "4-4", [], {"come_odds_4": 5}, {}),
    (Reason.LIMIT, "2-2", [{"pass": 10}], {"pass_odds": 31}, {}),
    (Reason.LIMIT, "2-2", [{"dont_pass": 10}], {"dont_pass_odds": 62}, {}),
    (Reason.LIMIT, "2-2", [{"pass": 10}], {"pass_odds": 10}, {"odds": "none"}),
    (Reason.LIMIT, "2-2 1-2", [{"dont_pass": 10}, {"dont_pass_odds": 60}], {"dont_pass": -5}, {}),
    (Reason.CONTRACT, "2-2", [{"pass": 10}], {"pass": -5}, {}),
    (Reason.CONTRACT, "2-2 3-3", [{}, {"come": 10}], {"come_6": -10}, {}),
    (Reason.CONTRACT, "2-2", [{"fire": 1}], {"fire": -1}, {}),
    (Reason.RAISED, "2-2", [{"dont_pass": 10}], {"dont_pass": 5}, {}),
    (Reason.RAISED, "2-2", [], {"dont_come_6": 5}, {}),
    (Reason.PUT, "2-2", [{"pass": 10}], {"pass": 5}, {"house": "atlantic_city"}),
    (Reason.PUT, "2-2", [], {"pass": 10}, {"house": "atlantic_city"}),
    (Reason.PUT, "2-2", [], {"come_6": 10}, {"house": "atlantic_city"}),
    (Reason.LESS, "2-2", [{"hard8": 1}], {"hard8": -2}, {}),
    (Reason.CHANGES, "", [{"pass": 10}], {"pass": 10}, {"changes_at_most": 1}),
]  # fmt: skip


@pytest.mark.cases(("reason", "throws", "before", "refused", "house"), REFUSED)
def test_refusals(reason, throws, before, refused, house) -> None:
    """At the bets after these throws, of which the last made before are made at once."""
    (name, amount), dice = next(iter(refused.items())), Dice(*throws.split())
    game, player = Craps(**{**TABLE, **house}), Player(*before[: len(dice.throws)])
    reset(game)
    for event in steps(game, [player], dice) if dice.throws else ():
        if event.kind == "throw" and not dice.throws:
            break
    for window in before[len(throws.split()) :]:
        for spot, made in window.items():
            Craps.declared.decisions[0].rule(game, spot_named(spot), made)
    place = DONE if name == "done" else spot_named(name)
    assert game.refusal(place, amount) == reason
    assert not game.allowed(place, amount)
    assert game.why(place, amount).startswith(SENTENCES[reason])


@pytest.mark.parametrize(
    ("name", "amount", "told"),
    [
        ("pass", 4, "minimum, 5"),
        ("pass", 501, "maximum, 500"),
        ("place_6", 10, "a multiple of 6"),
        ("place_6", 600, "more than the purse, 550"),
        ("hard8", 3, "chip, 2"),
    ],
)
def test_a_refusal_says_what_would_be_allowed(name: str, amount: int, told: str) -> None:
    game = Craps(minimum=6 if name == "hard8" else 5, maximum=500, bankroll=550, chip=2 if name == "hard8" else 1)
    reset(game)
    assert told in game.why(spot_named(name), amount)


def test_refused_odds_say_how_much_is_allowed() -> None:
    game, dice = Craps(odds="2x"), Dice("2-2")
    for event in steps(game, [Player({"pass": 10})], dice):
        if event.kind == "throw":
            break
    assert game.why(spot_named("pass_odds"), 30).endswith("behind that bet: at most 20")


def test_every_reason_is_met_but_for_too_many_bets() -> None:
    assert {reason for reason, *_ in REFUSED} == set(Reason) - {Reason.FINE, Reason.ROOM}
    assert set(SENTENCES) == set(Reason)


def test_too_many_bets() -> None:
    crowd = {name: 60 for name in NAMES if name.startswith(("hop", "horn", "repeater", "hard", "lay"))} | {"field": 60}
    game = Craps(**TABLE, changes_at_most=100)
    playing = steps(game, [Player(crowd)], Dice("1-1"))
    with pytest.raises(IllegalMoveError):
        list(playing)
    assert game.count[0] == 40 < len(crowd)
    assert game.refusal(spot_named("field"), 60) == Reason.ROOM


@pytest.mark.parametrize(
    ("house", "told"),
    [
        ({"minimum": 10, "maximum": 5}, "the maximum, 5, is below the minimum, 10"),
        ({"chip": 5, "minimum": 7}, "must be multiples of the smallest chip, 5"),
        ({"bankroll": 3}, "the bankroll, 3, is below the minimum, 5"),
        ({"bankroll": -1}, "bankroll: -1 is not allowed"),
        ({"bankroll": float("nan")}, "bankroll: nan is not allowed"),
        ({"minimum": 2.5}, "minimum: 2.5 is not allowed"),
        ({"odds": "7x"}, "odds: "),
    ],
)
def test_tables_that_make_no_sense(house, told) -> None:
    with pytest.raises(ParameterError) as refused:
        Craps(**house)
    assert told in str(refused.value)


# Ends of a session, several players ----------------------------------------------------------------------------------


def session(throws: str, *players: Player, **house: object) -> Craps:
    """A session to its end."""
    game = Craps(**{**TABLE, **house, "players": len(players)})
    dice = Dice(*throws.split())
    for _ in steps(game, list(players), dice):
        pass
    assert not dice.throws
    return game


def test_who_leaves_stays_for_contract_bets() -> None:
    """After one throw place and don't come bets come back, the pass bet is played out."""
    after = session("4-4 1-2 4-4", Player({"pass": 10, "place_6": 6}), until_throws=1)
    assert (after.money, after.throws, after.outcome()) == (10, 3, 3)
    after = session(
        "4-4 1-2 3-3 6-6 3-3", Player({}, {"dont_come": 10}, {"come": 10}, {"come_odds_6": 10}), until_throws=4
    )
    assert (after.money, after.throws) == (10 + 10, 5)


def test_sessions_end_after_rounds_hands_losses_and_wins() -> None:
    each = [{"pass": 10}] * 9
    assert session("3-4 1-1", Player(*each), until_rounds=2).rounds == 2
    assert session("3-4 4-4 3-4", Player(*each), until_hands=1).hands == 1
    assert session("1-1 1-1", Player(*each), stop_loss=20).money == -20
    assert session("3-4 3-4 3-4", Player(*each), stop_win=30).money == 30
    ruined = session("1-1 1-1", Player(*each), bankroll=20, minimum=5)
    assert (ruined.money, ruined.outcome()) == (-20, 0)


def test_several_players_share_the_dice() -> None:
    one, two = Player({"pass": 10}), Player({"dont_pass": 10, "hard8": 1}, {"dont_pass_odds": 12})
    after = session("4-4 4-4", one, two, until_rounds=1)
    assert list(after.purse) == [10_010, 10_000 - 10 + 9 + 9 - 12]
    assert after.money == 10


def test_players_leave_one_by_one() -> None:
    one, two = Player(*[{"pass": 10}] * 3), Player(*[{"pass": 20}] * 3)
    after = session("3-4 3-4 1-1", one, two, stop_win=30, until_throws=3)
    assert (list(after.left), list(after.purse)) == ([1, 1], [10_010, 10_040])


# The data of the layout ----------------------------------------------------------------------------------------------


def test_spots_are_decided_by_the_rows_that_they_name() -> None:
    """What rides with a number is a put bet without odds; what rides against it wins where that loses."""
    for n in (4, 5, 6, 8, 9, 10):
        with_it, against = (SPOTS[spot_named(f"{name}_{n}")].rows[0] for name in ("come", "dont_come"))
        assert with_it.results == BY_ID[f"put_{n}_0x"].results
        assert [{-1: 1, 1: -1}.get(result, result) for result in with_it.results] == list(against.results)
    assert all(row in BETS or row.id.startswith("riding") for spot in SPOTS for row in spot.rows)


def test_every_kind_of_bet_has_a_spot() -> None:
    """All but variants that a spot of another name has as a row, and lines with odds, which are two spots."""
    rows = {row.id for spot in SPOTS for row in spot.rows}
    missing = {bet.id for bet in BETS} - rows
    assert all(
        bet.endswith("_vig_upfront") or "put" in bet or any(BY_ID[bet].odds) for bet in missing - {"dont_pass_nobar"}
    )


def test_a_strategy_whose_bet_is_refused_is_told_why() -> None:
    def greedy(game: Craps, decision: object, seat: int) -> tuple[int, int]:
        return spot_named("place_6"), 7

    with pytest.raises(IllegalMoveError, match="not allowed: not every payout would be a whole number"):
        list(steps(Craps(**TABLE), [greedy], Dice("1-1")))
