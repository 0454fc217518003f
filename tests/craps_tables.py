"""Tables of craps whose dice are given."""

from __future__ import annotations

from dicelab.extras.craps.craps import Craps
from dicelab.extras.craps.spots import COUNT, NAMES


class Dice:
    """Throws by hand: ``4-3``."""

    def __init__(self, *throws: str) -> None:
        self.throws = [tuple(map(int, throw.split("-"))) for throw in throws]

    def draw(self, pool):
        return self.throws.pop(0)


def lies(game: Craps, seat: int = 0) -> dict[str, int]:
    """What lies on the table."""
    found = {name: game.bets[seat * COUNT + i] for i, name in enumerate(NAMES) if game.bets[seat * COUNT + i]}
    spots = game.lying[40 * seat : 40 * seat + game.count[seat]]
    assert sorted(NAMES[i] for i in spots) == sorted(found)
    return found


NOTHING: dict[str, int] = {}


SEQUENCES: dict[str, tuple[str, list[dict[str, int]], int]] = {
    # Name: throws, bets before each, net. The puck is set by a throw without bets.
    "1 pass, 7": ("4-3", [{"pass": 10}], 10),
    "1 pass, 11": ("5-6", [{"pass": 10}], 10),
    "1 pass, 2": ("1-1", [{"pass": 10}], -10),
    "1 pass, 3": ("1-2", [{"pass": 10}], -10),
    "1 pass, 12": ("6-6", [{"pass": 10}], -10),
    "2 don't pass, 2": ("1-1", [{"dont_pass": 10}], 10),
    "2 don't pass, 3": ("1-2", [{"dont_pass": 10}], 10),
    "2 don't pass, 12": ("6-6", [{"dont_pass": 10}], 0),
    "2 don't pass, 11": ("5-6", [{"dont_pass": 10}], -10),
    "2 don't pass, 7": ("3-4", [{"dont_pass": 10}], -10),
    "3 bar 2, 2": ("1-1", [{"dont_pass": 10}], 0),
    "3 bar 2, 12": ("6-6", [{"dont_pass": 10}], 10),
    "4 pass with odds": ("2-2 6-6 1-2 5-6 3-1", [{"pass": 10}, {"pass_odds": 30}], 70),
    "5 come, odds returned, 7": ("3-3 4-1 3-3 4-3", [NOTHING, {"come": 10}, {"come_odds_5": 40}], -10),
    "6 come, odds returned, 5": ("3-3 4-1 3-3 3-2", [NOTHING, {"come": 10}, {"come_odds_5": 40}], 10),
    "7 come, odds on": ("3-3 4-1 3-3 3-2", [NOTHING, {"come": 10}, {"come_odds_5": 40}], 70),
    "8 come travels to the point": ("3-3 3-3 5-1", [NOTHING, {"come": 10}], 10),
    "9 don't come with odds laid": ("4-4 2-2 4-4 5-2", [NOTHING, {"dont_come": 10}, {"dont_come_odds_4": 60}], 40),
    "10 don't come, 12": ("4-4 6-6", [NOTHING, {"dont_come": 10}], 0),
    "11 place 6, off on the come-out": ("2-2 5-1 1-3 3-3 5-2", [NOTHING, {"place_6": 12}], 2),
    "12 hard 8": ("4-4 6-2", [{"hard8": 1}], 8),
    "13 field, 12": ("6-6", [{"field": 10}], 30),
    "13 field, 2": ("1-1", [{"field": 10}], 20),
    "13 field, 9": ("5-4", [{"field": 10}], 10),
    "13 field, 5": ("4-1", [{"field": 10}], -10),
    "14 horn, 12": ("6-6", [{"horn": 4}], 27),
    "14 horn, 11": ("5-6", [{"horn": 4}], 12),
    "14 horn, 6": ("3-3", [{"horn": 4}], -4),
    "15 horn high yo, 11": ("5-6", [{"horn_high_11": 5}], 27),
    "15 horn high yo, 3": ("1-2", [{"horn_high_11": 5}], 11),
    "15 horn high yo, 2": ("1-1", [{"horn_high_11": 5}], 26),
    "15 horn high yo, 7": ("3-4", [{"horn_high_11": 5}], -5),
    "16 world, 12": ("6-6", [{"world": 5}], 26),
    "16 world, 3": ("2-1", [{"world": 5}], 11),
    "16 world, 7": ("4-3", [{"world": 5}], 0),
    "16 world, 8": ("4-4", [{"world": 5}], -5),
    "17 C and E, 2": ("1-1", [{"ce": 2}], 6),
    "17 C and E, 11": ("5-6", [{"ce": 2}], 14),
    "17 C and E, 5": ("3-2", [{"ce": 2}], -2),
    "18 buy 4 up front, 4": ("3-3 2-2", [NOTHING, {"buy_4": 20}], 39),
    "18 buy 4 up front, 7": ("3-3 4-3", [NOTHING, {"buy_4": 20}], -21),
    "19 buy 4 on a win, 4": ("3-3 2-2", [NOTHING, {"buy_4": 20}], 39),
    "19 buy 4 on a win, 7": ("3-3 4-3", [NOTHING, {"buy_4": 20}], -20),
    "20 lay 4 up front, 7": ("3-3 4-3", [NOTHING, {"lay_4": 40}], 19),
    "20 lay 4 up front, 4": ("3-3 2-2", [NOTHING, {"lay_4": 40}], -41),
    "21 put 6 with odds, 6": ("4-2 3-3", [NOTHING, {"pass": 5, "pass_odds": 25}], 35),
    "21 put 6 with odds, 7": ("4-2 4-3", [NOTHING, {"pass": 5, "pass_odds": 25}], -30),
    "22 fire": ("2-2 1-3 4-1 3-2 3-3 5-1 2-2 3-1 4-4 5-3 6-4 4-3", [{"fire": 1}], 24),
    "23 small": ("1-1 5-5 1-2 2-2 1-4 3-3", [{"small": 1}], 34),
    "24 small, a 7 on the come-out": ("1-1 1-2 3-4", [{"small": 1}], -1),
}


HOUSES: dict[str, dict[str, object]] = {
    "3": {"bar": "bar2"},
    "7": {"house": "all_on"},
    "18": {"commission": "up_front"},
    "20": {"commission": "up_front"},
    "21": {"odds": "5x"},
}
"""Rules of the house for some of them, by their number."""
