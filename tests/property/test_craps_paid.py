"""What a table of craps tells of its throws and bets adds up to what players have more or less, whatever is bet."""

from __future__ import annotations

import re
from random import Random

import pytest

from dicelab.extras.craps.craps import Craps
from dicelab.extras.craps.spots import COUNT, DONE
from dicelab.extras.craps.table_rules import Reason
from dicelab.rules.game import twin
from dicelab.runtime.interpreter import steps
from dicelab.runtime.philox import Stream

HOUSES = [
    {},
    {"players": 3, "stop_loss": 300, "stop_win": 900},
    {"crapless": True, "house": "pennsylvania", "odds": "2x", "players": 2},
    {"commission": "up_front", "vig": "nearest", "house": "atlantic_city", "bar": "bar3", "field": "3x2x"},
    {"house": "real_casino", "quoted": "for", "fire": "pays_5_25_200_500", "tall": "pays_30_150", "odds": "none"},
    {"house": "all_on", "offers": "no_side_bets", "vig": "up", "commission": "up_front", "until_hands": 2},
]
WON = re.compile(r"(?:wins|pays|commission) (\d+)(?: returned)?(?: after commission \d+)?$")
IN_ALL = re.compile(r"in all (?:(won|lost) (\d+)|nothing won or lost)$")


def wandering(seed: int):
    """Bets anywhere, some of them taken down again."""
    random = Random(seed)

    def choose(game, decision, seat):
        for _ in range(random.choice((0, 8, 20))):
            spot, amount = random.randrange(COUNT), random.choice((10, 60, 60, -10, -60))
            if game.refusal(spot, amount) == Reason.FINE:
                return spot, amount
        return DONE, 0

    return choose


def change(line: str) -> int:
    """What one line says that was won, lost where negative."""
    if "loses" in line:
        return -int(line.rpartition(" ")[2])
    found = WON.search(line)
    return int(found[1]) if found else 0


def by_seat(told: str, players: int) -> list[list[str]]:
    """The lines of each player, without what is said of the puck."""
    lines = told.splitlines()[1:]
    if players == 1:
        return [lines]
    found: list[list[str]] = [[] for _ in range(players)]
    for line in lines:
        seat, _, rest = line.removeprefix("player ").partition(": ")
        found[int(seat) - 1] = rest.split("; ")
    return found


@pytest.mark.quick_cases("house-offers-vig-commission-until_hands")
@pytest.mark.parametrize("house", HOUSES, ids=lambda house: "-".join(house) or "default")
def test_what_is_told_of_a_throw_is_what_players_have_more_or_less(house):
    lines_seen = set()
    for seed in range(12):
        game = Craps(**{"bankroll": 3000, "until_throws": 60, "until_rounds": 0, **house})
        before = None
        for event in steps(game, [wandering(100 * seed + seat) for seat in range(game.players)], Stream(3, seed)):
            if before is None:
                before = Craps(**game.parameters)
                before.start()
            told = game.told(before, event.name, *event.values)
            gains = [game.wealth(seat) - before.wealth(seat) for seat in range(game.players)]
            if event.kind == "throw":
                for lines, gain in zip(by_seat(told, game.players), gains, strict=True):
                    said = [change(line) for line in lines if not line.startswith("in all")]
                    assert sum(said) == gain, (told, gain)
                    total = [found for line in lines if (found := IN_ALL.match(line))]
                    assert len(total) == (len(said) > 1)
                    assert not total or (total[0][2] is None) == (gain == 0)
                    assert not total or total[0][2] is None or int(total[0][2]) == abs(gain)
                    assert not total or total[0][1] != ("lost" if gain > 0 else "won")
                    lines_seen |= {word for line in lines for word in re.findall("[a-z]{4,}", line)}
            elif told:
                paid = re.search(r"commission (\d+)( returned)?", told)
                assert gains[event.count] == (0 if paid is None else int(paid[1]) * (1 if paid[2] else -1)), told
                assert told.endswith(f"; purse {game.purse[event.count]}")
            assert game.view()
            before = twin(game)
    assert lines_seen >= {"wins", "loses", "pays", "goes"}


@pytest.mark.slow
def test_looking_changes_nothing():
    """The same game, whether it is looked at or not."""
    ends = []
    for looked in (False, True):
        game = Craps(players=2, bankroll=3000, until_throws=80, until_rounds=0)
        before = twin(game)
        for event in steps(game, [wandering(1), wandering(2)], Stream(9, 0)):
            if looked:
                assert [game.view(), game.menu(), game.told(before, event.name, *event.values), game.heard("pass 20")]
                before = twin(game)
        ends.append(twin(game).__dict__)
    assert ends[0] == ends[1]
