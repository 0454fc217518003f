"""The rules of every game found, under random lawful play with random parameters."""

from __future__ import annotations

import random
from itertools import islice

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dicelab.errors import ParameterError
from dicelab.rules.game import counted, outcome_names, position, seat_count
from dicelab.runtime.interpreter import finished, steps
from dicelab.runtime.lineup import Call
from dicelab.runtime.philox import Stream
from support import GAMES

CRAPS_SLOWLY = [pytest.param(name, marks=[pytest.mark.slow] * (name == "craps")) for name in GAMES]
"""All games, of which craps takes by far the longest; tests/conformance/test_craps_table.py bets at random there."""

LARGEST = {"players": 6, "target": 60, "losses": 3, "rounds": 4, "stake": 10**6}
LARGEST |= {
    "maximum": 2,
    "changes_at_most": 2,
    "until_rounds": 3,
    "until_throws": 6,
    "until_hands": 2,
    "minimum": 2,
    "chip": 1,
    **{f"on_{point}": 2 for point in range(1, 7)},
}
"""Where a game could be long, the largest value tried; 12 for parameters not named here."""

WITH_STRATEGIES = [name for name, game in GAMES.items() if game.declared.strategies]


def values(params, largest=12):
    ranges = {name: (p.low, max(p.low, min(p.high, LARGEST.get(name, largest)))) for name, p in params.items()}
    return st.fixed_dictionaries({name: st.integers(*ends) for name, ends in ranges.items()})


@st.composite
def tables(draw, name):
    """A game with random parameters, and a seed."""
    try:
        game = GAMES[name](**draw(values(GAMES[name].declared.params)))
    except ParameterError:  # values that the game refuses together
        assume(False)
    return game, draw(st.integers(0, 2**64 - 1))


def random_chooser(seed):
    """Chooses any lawful move."""
    source = random.Random(seed)

    def choose(game, decision, seat):
        moves = decision.listing(game)
        assert moves, f"seat {seat} has no lawful move in {decision.name}"
        return source.choice(moves)

    return choose


def play_at_random(game, seed):
    """The events of a game of random moves, one by one, the state of the game being that after each."""
    choosers = [random_chooser(seed + seat) for seat in range(seat_count(game))]
    return steps(game, choosers, Stream(seed, 0), limit=100_000)


@pytest.mark.slow_cases(
    "backgammon",
    "bear-off-cube",
    "bear-off-race",
    "craps-bet",
    "lcr",
    "line-bets",
    "many-dice",
    "piglet",
    "targets",
    "tossup",
)
@pytest.mark.parametrize("name", CRAPS_SLOWLY)
def test_the_state_stays_in_its_ranges_and_what_grows_never_falls(name):
    @settings(max_examples=40)
    @given(tables(name))
    def lawful(table):
        game, seed = table
        fields = game.declared.state
        before = None
        for _ in play_at_random(game, seed):
            now = {key: value if isinstance(value, list) else [value] for key, value in position(game).items()}
            for key, field in fields.items():
                low, high = field.bounds(game)
                assert all(low <= value <= high for value in now[key]), key
                if before is not None and (field.grows or key == "scores"):
                    assert all(a <= b for a, b in zip(before[key], now[key], strict=True)), key
            before = now

    lawful()


@pytest.mark.slow_cases(
    "backgammon", "bear-off-race", "craps-bet", "line-bets", "many-dice", "ship-captain-crew", "sicherman", "tossup"
)
@pytest.mark.parametrize("name", CRAPS_SLOWLY)
def test_every_game_ends_with_an_outcome_and_its_throws_are_counted(name):
    @settings(max_examples=40)
    @given(tables(name))
    def ends(table):
        game, seed = table
        throws = sum(event.kind == "throw" for event in play_at_random(game, seed))
        assert throws > 0 or name == "bear-off-cube"  # whose first double may be declined
        played = finished(game)
        assert 0 <= played.outcome < max(1, len(outcome_names(game)))
        assert counted(game).get("throws", throws) == throws

    ends()


@pytest.mark.slow_cases("line-bets", "piglet")
@pytest.mark.parametrize("name", CRAPS_SLOWLY)
def test_the_same_dice_and_choices_make_the_same_game(name):
    @settings(max_examples=10)
    @given(tables(name))
    def same(table):
        game, seed = table
        first = list(play_at_random(game, seed)), position(game), counted(game)
        assert (list(play_at_random(game, seed)), position(game), counted(game)) == first

    same()


@pytest.mark.slow_cases("backgammon", "bear-off-race", "cant-stop-race", "craps", "line-bets", "piglet", "tossup")
@pytest.mark.parametrize("name", WITH_STRATEGIES)
def test_declared_strategies_move_lawfully_whatever_their_arguments(name):
    @settings(max_examples=40)
    @given(tables(name), st.data())
    def lawful(table, data):
        game, seed = table
        choosers = []
        for _ in range(seat_count(game)):
            strategy = data.draw(st.sampled_from(list(game.declared.strategies.values())))
            arguments = data.draw(values(strategy.params, largest=40))
            choosers.append(Call(strategy, tuple(arguments[name] for name in strategy.params)).chooser(game))
        for _ in islice(steps(game, choosers, Stream(seed, 0)), 400):  # some line-ups never end
            pass

    lawful()


# LCR ------------------------------------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(tables("lcr"))
def test_coins_of_lcr_are_never_negative_never_created_and_owners_are_those_who_have_some(table):
    game, seed = table
    total = game.players * game.coins
    for event in play_at_random(game, seed):
        assert min(game.holds) >= 0
        assert sum(game.holds) == total - event.values[1]  # what shows "center" leaves the game
        assert game.owners == sum(coins > 0 for coins in game.holds) >= 1
        total = sum(game.holds)
    assert game.owners == 1
    assert game.holds[game.outcome()] == total > 0


# Games told again, from their events alone, by other programs ---------------------------------------------------------


def hazard_round(totals, main):
    """Won or lost, from an iterator of totals; as the table of the source has it."""
    nicks = {5: {5}, 6: {6, 12}, 7: {7, 11}, 8: {8, 12}, 9: {9}}[main]
    chance = next(totals)
    if chance in nicks:
        return True
    if chance in {2, 3, 11, 12}:
        return False
    return next(total for total in totals if total in (chance, main)) == chance


def tell_hazard(events, main):
    totals = iter([event.values[0] for event in events])
    won = hazard_round(totals, main)
    assert not list(totals)
    return (0 if won else 1), {"throws": len(events)}


def tell_hazard_caster(events, main, losses):
    totals = iter([event.values[0] for event in events])
    rounds = []
    while rounds[-losses:] != [False] * losses:
        rounds.append(hazard_round(totals, main))
    assert not list(totals)
    return 0, {"throws": len(events), "rounds_won": sum(rounds), "rounds": len(rounds)}


def tell_pass_line(events, stake):
    come_out, *others = [event.values[0] for event in events]
    if come_out in {7, 11, 2, 3, 12}:
        assert not others
        won = come_out in {7, 11}
    else:
        assert not {7, come_out} & set(others[:-1])
        won = {7: False, come_out: True}[others[-1]]
    return (0 if won else 1), {"throws": len(events), "money": stake if won else -stake}


def tell_tossup(events, players, dice, target, last_turn, **_):
    scores, seat, points, aside, turns, busts, first = [0] * players, 0, 0, 0, 0, 0, None
    for event in events:
        if event.kind == "throw":
            red, yellow, green = event.values
            assert red + yellow + green == event.count == dice - aside
            points, aside = points + green, (aside + green) % dice
            bust = green == 0 < red
            busts += bust
            turn_over = bust
        else:
            assert event.count == seat
            turn_over = event.words == "bank"
            if turn_over:
                scores[seat] += points
                first = seat if first is None and scores[seat] >= target else first
        if turn_over:
            seat, points, aside, turns = (seat + 1) % players, 0, 0, turns + 1
    in_turn = [(first + k) % players for k in range(players if last_turn else 1)]
    throws = sum(event.kind == "throw" for event in events)
    return max(in_turn, key=scores.__getitem__), {"turns": turns, "throws": throws, "busts": busts}


def tell_lcr(events, players, coins, dice):
    holds, turns = [coins] * players, 0
    for event in events:
        while holds[turns % players] == 0:
            turns += 1
        seat = turns % players
        assert event.count == min(holds[seat], dice) == sum(event.values)
        for face, to in ((0, seat - 1), (1, None), (2, seat + 1)):
            for _ in range(event.values[face]):
                holds[seat] -= 1
                if to is not None:
                    holds[to % players] += 1
        turns += 1
    (winner,) = [seat for seat in range(players) if holds[seat]]
    return winner, {"turns": turns, "throws": len(events)}


def tell_pig(events, players, target):
    scores, seat, points, turns = [0] * players, 0, 0, 0
    for event in events:
        assert max(scores) < target
        if event.kind == "throw":
            points += event.values[0]
        else:
            assert event.count == seat
        if event.kind == "choice" and event.words == "hold":
            scores[seat] += points
        if event.words == "hold" or (event.kind == "throw" and event.values == (1,)):
            seat, points, turns = (seat + 1) % players, 0, turns + 1
    (winner,) = [seat for seat in range(players) if scores[seat] >= target]
    return winner, {"turns": turns, "throws": sum(event.kind == "throw" for event in events)}


TELL = {
    "hazard": tell_hazard,
    "hazard-caster": tell_hazard_caster,
    "pass-line": tell_pass_line,
    "tossup": tell_tossup,
    "lcr": tell_lcr,
    "pig": tell_pig,
}


@pytest.mark.slow_cases("hazard-caster", "tossup")
@pytest.mark.parametrize("name", TELL)
def test_told_again_from_its_events_a_game_has_the_same_winner_and_tallies(name):
    @settings(max_examples=100)
    @given(tables(name))
    def same(table):
        game, seed = table
        events = list(play_at_random(game, seed))
        outcome, tallies = TELL[name](events, **game.parameters)
        assert finished(game).outcome == outcome
        assert counted(game) == tallies

    same()


@settings(max_examples=100)
@given(tables("tossup"))
def test_the_winner_of_tossup_has_what_it_takes(table):
    game, seed = table
    for _ in play_at_random(game, seed):
        pass
    winner = game.outcome()
    assert game.scores[winner] >= game.target
    assert game.scores[winner] == max(game.scores)
    if not game.last_turn:
        assert sum(score >= game.target for score in game.scores) == 1
