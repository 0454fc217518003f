"""Hints: the chance to win of each choice, against a value iteration over rules written here once more."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import factorial

import pytest

from dicelab.errors import DicelabError, TooLarge
from dicelab.games.lcr import LCR
from dicelab.games.tossup import TossUp
from dicelab.interface.play import play
from dicelab.interface.play.asking.hints import hints_for
from dicelab.questions.policies.best_response import BestResponse
from dicelab.rules.game import reset
from dicelab.rules.loading.registry import find
from dicelab.runtime.lineup import Run
from support import GAMES, TESTS

Pig = GAMES["pig"]
State = tuple
Chances = dict[State, dict[str, float]]


def best_play(start: State, after: Callable[[State], object]) -> tuple[Chances, dict[State, float]]:
    """Chance to win of each move where one may choose, and of each position, by going over all until nothing changes.

    `after` tells of a position: a number where the game is over (1 won, 0 lost), a list of (chance, position) where
    dice are thrown or an opponent moves, a dictionary of moves and positions where one chooses.
    """
    known: dict[State, object] = {}
    waiting = [start]
    while waiting:
        state = waiting.pop()
        if state in known:
            continue
        known[state] = here = after(state)
        if isinstance(here, dict):
            waiting += here.values()
        elif isinstance(here, list):
            waiting += [state for _, state in here]
    value = dict.fromkeys(known, 0.0)
    change = 1.0
    while change > 1e-14:
        change = 0.0
        for state, here in known.items():
            if isinstance(here, dict):
                new = max(value[after_move] for after_move in here.values())
            elif isinstance(here, list):
                new = sum(chance * value[after_throw] for chance, after_throw in here)
            else:
                new = float(here)
            change, value[state] = max(change, abs(new - value[state])), new
    moves = {s: {name: value[a] for name, a in here.items()} for s, here in known.items() if isinstance(here, dict)}
    return moves, value


def pig_against(hold_at: int, target: int, me: int) -> tuple[State, Callable[[State], object]]:
    """Pig for two as Scarne tells it: (points of seat 0, of seat 1, who rolls, points of the turn, rolled)."""

    def after(state):
        scores, mover, points, rolled = list(state[:2]), state[2], state[3], state[4]
        if max(scores) >= target:
            return scores.index(max(scores)) == me
        if not rolled:
            turn_lost = (*scores, 1 - mover, 0, False)
            return [(1 / 6, turn_lost)] + [(1 / 6, (*scores, mover, points + face, True)) for face in range(2, 7)]
        rolls = (*scores, mover, points, False)
        scores[mover] += points
        holds = (*scores, 1 - mover, 0, False)
        if mover == me:
            return {"hold": holds} if scores[me] >= target else {"roll": rolls, "hold": holds}
        return [(1.0, holds if points >= min(hold_at, target - state[mover]) else rolls)]

    return (0, 0, 0, 0, False), after


def tossup_against(bank_over: int, target: int, dice: int, me: int) -> tuple[State, Callable[[State], object]]:
    """Toss Up! for two with a die of 1 red, 2 yellow, 3 green; the state as in Pig."""

    def cup(count):
        for red, green in product(range(count + 1), repeat=2):
            if red + green <= count:
                yellow = count - red - green
                ways = factorial(count) / factorial(red) / factorial(yellow) / factorial(green)
                yield ways * 1**red * 2**yellow * 3**green / 6**count, red, green

    def after(state):
        scores, mover, points, rolled = list(state[:2]), state[2], state[3], state[4]
        if max(scores) >= target:
            return scores.index(max(scores)) == me
        if not rolled:
            turn_lost = (*scores, 1 - mover, 0, False)
            return [
                (chance, turn_lost if green == 0 and red > 0 else (*scores, mover, points + green, True))
                for chance, red, green in cup(dice - points % dice)
            ]
        rolls = (*scores, mover, points, False)
        scores[mover] += points
        banks = (*scores, 1 - mover, 0, False)
        if mover == me:
            return {"bank": banks} if scores[me] >= target else {"roll": rolls, "bank": banks}
        return [(1.0, banks if points > bank_over else rolls)]

    return (0, 0, 0, 0, False), after


def table_at(game, state):
    """The game standing where a person chooses."""
    reset(game)
    game.scores[0], game.scores[1], game.player, game.points, game.rolled = state
    return game


GAMES_TRIED = {
    "pig against hold_at:5 from seat 0": (Pig(target=10), ["me", "hold_at:5"], pig_against(5, 10, 0)),
    "pig against hold_at:5 from seat 1": (Pig(target=10), ["hold_at:5", "me"], pig_against(5, 10, 1)),
    "tossup against bank_over:1": (TossUp(target=5, dice=3), ["me", "bank_over:1"], tossup_against(1, 5, 3, 0)),
    "tossup from seat 1": (TossUp(target=4, dice=2), ["bank_over:3", "me"], tossup_against(3, 4, 2, 1)),
}


@pytest.fixture(scope="module", params=GAMES_TRIED)
def tried(request):
    """A game, who plays, the seat of the person, the chances by hand, and the hints."""
    game, seats, rules = GAMES_TRIED[request.param]
    moves, value = best_play(*rules)
    return game, seats, seats.index("me"), moves, value[rules[0]], hints_for(game, seats)


@pytest.mark.slow_cases("pig against hold_at:5 from seat 0")
def test_hints_are_the_chances_of_a_value_iteration_by_hand(tried):
    game, _, seat, moves, _, hints = tried
    decision = game.declared.decisions[0]
    assert len(moves) > 10
    for state, expected in moves.items():
        found = hints(table_at(game, state), decision, seat)
        names = {decision.describe(move): chance for move, chance in found.items()}
        assert names == pytest.approx(expected, abs=1e-9)


def test_the_chance_from_the_start_is_that_of_the_best_moves(tried):
    game, seats, seat, _, whole, _ = tried
    best = BestResponse(Run.of(game, [name if name != "me" else seats[1 - seat] for name in seats]), seat)
    assert best.chance == pytest.approx(whole, abs=1e-9)


def test_what_one_would_do_does_not_matter_for_the_best(tried):
    game, seats, seat, _, whole, _ = tried
    for strategy in game.declared.strategies:
        best = BestResponse(Run.of(game, [name if name != "me" else strategy for name in seats]), seat)
        assert best.chance == pytest.approx(whole, abs=1e-9)


def test_the_best_moves_win_at_least_as_often_as_any_strategy(tried):
    from dicelab import exact

    game, seats, seat, _, whole, _ = tried
    for strategy in game.declared.strategies:
        lineup = [name if name != "me" else strategy for name in seats]
        assert exact(game, lineup).outcomes[str(seat)].probability <= whole + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(("seat", "chance"), [(0, 0.587368), (1, 0.522382)])
def test_the_best_reply_to_hold_at_20(seat, chance):
    """T. W. Neller and C. G. M. Presser, Optimal Play of the Dice Game Pig, The UMAP Journal 25(1), 2004: against
    "hold at 20" the optimal player wins 58.74 % of the games that it begins, and "hold at 20" 47.76 % of the others.
    """
    found = BestResponse(Run.of(Pig(), "hold_at:20"), seat).chance
    assert found == pytest.approx(chance, abs=5e-7)
    assert round(100 * (found if seat == 0 else 1 - found), 2) == (58.74 if seat == 0 else 47.76)


def test_a_game_of_one_seat_is_played_to_win():
    """The tiny game, by hand, sum by sum: with 6 or 7 points one stops and wins, with fewer one goes on."""
    tiny = find(str(TESTS / "interface" / "cli" / "tiny.py"))()
    hints = hints_for(tiny, [])
    win = {points: 1.0 if points in (6, 7) else 0.0 for points in range(6, 14)}
    for points in range(5, 0, -1):
        win[points] = sum(win[points + face] for face in range(1, 7)) / 6
    for points in range(1, 7):
        reset(tiny)
        tiny.points, tiny.rolled = points, True
        found = hints(tiny, tiny.declared.decisions[0], 0)
        on = sum(win[points + face] for face in range(1, 7)) / 6
        assert found == pytest.approx({(0,): on, (1,): float(points in (6, 7))})


# At the table --------------------------------------------------------------------------------------------------------


def shown(game, seats, lines, **more):
    script, told = iter(lines), []

    def read(prompt):
        told.append(prompt)
        return next(script, "q")

    play(game, seats, 2, hints=hints_for(game, seats), read=read, write=told.append, **more)
    return told


def test_the_hints_that_are_shown_are_those_chances():
    game = Pig(target=10)
    moves, _ = best_play(*pig_against(5, 10, 0))
    told = shown(game, ["me", "hold_at:5"], ["h", "q"])
    assert "  points of this turn 3" in told, "seed 2 begins with a 3"
    roll, hold = moves[0, 0, 0, 3, True]["roll"], moves[0, 0, 0, 3, True]["hold"]
    assert f"  r  roll  {roll:.4f}  best" in told
    assert f"  h  hold  {hold:.4f}" in told


def test_moves_that_nobody_who_wants_to_win_would_make_are_left_out():
    """In Pig, rolling on when holding wins."""
    told = shown(Pig(target=2), ["me", "hold_at:5"], ["q"])
    assert "  h  hold  1.0000  best" in told
    assert not any("roll  " in line and "." in line for line in told)


@pytest.mark.parametrize(
    ("game", "seats", "why"),
    [
        (Pig(target=10), ["me", "me"], "no hints: the chance to win is known against strategies only, not against"),
        (GAMES["line-bets"](), [], "no hints: line-bets has no default objective"),
    ],
)
def test_where_no_chance_can_be_told_it_says_why_once_and_the_game_goes_on(game, seats, why, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    told = shown(game, seats, ["?", "?"])
    assert len([line for line in told if line.strip().startswith(why)]) == 1
    assert len([line for line in told if line.endswith("> ")]) == 3


def test_two_persons_among_strategies_are_told_so_too():
    with pytest.raises(DicelabError, match="not against other people"):
        hints_for(TossUp(players=3), ["me", "one_roll", "me"])(TossUp(players=3), TossUp.roll_or_bank, 0)


@pytest.mark.slow
def test_a_game_that_is_too_large_says_so():
    with pytest.raises(TooLarge, match="does not fit into"):
        BestResponse(Run.of(TossUp(players=3), "bank_over:20"), 0, memory=1 << 20)


def test_hints_are_solved_when_they_are_first_asked_for(monkeypatch, tmp_path):
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path))
    game = Pig(target=10)
    hints = hints_for(game, ["me", "hold_at:5"])
    assert not [*tmp_path.rglob("*.npz")]
    hints(table_at(game, (0, 0, 0, 3, True)), Pig.roll_or_hold, 0)
    assert len([*tmp_path.rglob("*.npz")]) == 1


def test_hints_are_solved_once_and_kept_for_the_next_game(monkeypatch, tmp_path):
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path))
    game, decision = Pig(target=10), Pig.roll_or_hold
    table, hints = table_at(game, (0, 0, 0, 3, True)), hints_for(game, ["me", "hold_at:5"])
    first = hints(table, decision, 0)
    (kept,) = tmp_path.rglob("*.npz")
    written = kept.stat().st_ino
    assert hints(table, decision, 0) == first
    assert hints_for(game, ["me", "hold_at:5"])(table, decision, 0) == first
    assert kept.stat().st_ino == written, "it was not solved and written again"


def test_a_position_that_can_not_be_reached_has_no_hints():
    game = Pig(target=10)
    hints = hints_for(game, ["me", "hold_at:5"])
    with pytest.raises(DicelabError, match="not solved for this state"):
        hints(table_at(game, (1, 0, 0, 3, True)), game.declared.decisions[0], 0)


def test_a_game_without_choices_needs_no_hints():
    told = []
    assert play(LCR(players=2), [], 1, hints=hints_for(LCR(players=2), []), read=lambda _: "a", write=told.append) == 0
    assert not any("hint" in line for line in told if not line.startswith("again"))
