"""Ranges and their sizes, without a cluster."""

from __future__ import annotations

import random

import pytest

from dicelab.errors import PlayError
from dicelab.extras.cluster.player import MOST_SECONDS, OpenRanges, Sizes
from dicelab.runtime.lineup import look_after
from dicelab.runtime.scheduler import Tallied


def of(games: tuple[int, int]) -> Tallied:
    return Tallied([games[1] - games[0]])


@pytest.mark.parametrize("seed", range(5))
def test_each_game_is_delivered_once_and_in_order_whatever_happens(seed: int) -> None:
    dice = random.Random(seed)
    ranges, taken, end = OpenRanges(17, 30_000), [], 17
    while not ranges.complete:
        games = ranges.take(dice.randint(1, 4000), more=dice.random() < 0.8)
        if games is not None:
            assert games[1] <= look_after(games[0])
            taken.append(games)
        if taken and (games is None or dice.random() < 0.6):
            games = taken.pop(dice.randrange(len(taken)))
            if dice.random() < 0.2:
                ranges.give_back(games)
            else:
                ranges.arrived(games, of(games))
        for total in ranges.in_order():
            end += total.games
            assert end == ranges.low
    assert (end, ranges.left, ranges.held) == (30_000, 0, 0)


def test_the_error_of_the_first_game_that_goes_wrong_is_raised_after_the_games_before_it() -> None:
    ranges = OpenRanges(0, 30)
    first, second, third = (ranges.take(10) for _ in range(3))
    assert first == (0, 10)
    assert second
    assert third
    ranges.arrived(third, PlayError("late"))
    assert list(ranges.in_order()) == []
    ranges.arrived(second, PlayError("early"))
    ranges.arrived(first, of(first))
    found = ranges.in_order()
    assert next(found).games == 10
    with pytest.raises(PlayError, match="early"):
        next(found)


@pytest.mark.parametrize("overhead", [0.0005, 0.005, 0.05])
@pytest.mark.parametrize("rate", [50.0, 1e4, 1e8])
def test_ranges_grow_until_hardly_any_time_is_lost_between_them(overhead: float, rate: float) -> None:
    sizes = Sizes()
    for _ in range(200):
        games = sizes.of("a")
        sizes.played("a", games, games / rate, overhead)
    games = sizes.of("a")
    assert overhead < 0.02 * (games / rate + overhead)
    assert games / rate <= MOST_SECONDS
    assert sizes.seconds < 400 * overhead + 0.11, "and no further"


def test_a_slow_worker_gets_fewer_games_than_a_fast_one() -> None:
    sizes = Sizes()
    for _ in range(50):
        for worker, rate in (("slow", 1e3), ("fast", 1e6)):
            sizes.played(worker, sizes.of(worker), sizes.of(worker) / rate, 0.0)
    assert sizes.of("fast") == pytest.approx(1000 * sizes.of("slow"), rel=0.1)


def test_ranges_shrink_again_where_games_take_longer_and_are_limited() -> None:
    sizes = Sizes(most_games=5000)
    for _ in range(20):
        sizes.played("a", sizes.of("a"), sizes.of("a") / 1e6, 0.0)
    assert sizes.of("a") == 5000
    sizes.played("a", 4000, 8.0, 0.0)  # cut short, and it took long all the same
    assert sizes.of("a") == 50
