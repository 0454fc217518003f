"""Ways to look at what a seat doesn't see: each is refused before a game is played, or where numbers are read."""

# ruff: noqa: E501 (rules are written as lines of text)

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import dicelab
from dicelab.errors import PlayError, RulesError
from dicelab.rules.game import Game, fresh
from dicelab.rules.loading.registry import games_in, load
from dicelab.runtime.lineup import Run
from dicelab.translation.rewrite.rewriter import Rewriter
from dicelab.translation.translator import NotTranslatable, Peeks, Translation

HEAD = """
from collections import Counter, defaultdict
from functools import cache, reduce
from itertools import accumulate, chain, combinations, product
from operator import itemgetter

from dicelab.rules import *


def first(row):
    return row[0]


def added(a, b):
    return a + b


@cache
def doubled(n):
    return 2 * n


class Hidden(Game):
    \"\"\"Everybody has a hidden die, and hidden counts.\"\"\"

    name = "hidden"
    source = "made for the tests"

    players = Param(2, 2, 3, "players")
    seats = players

    player = Seat(players, "who chooses")
    other = Seat(players, "anybody")
    cups = Ints(players, 0, 6, "the die of each", by_seat=True, private=True)
    hands = Grid(players, 3, 0, 6, "the counts of each", by_seat=True, private=True)
    pile = Ints(2, 0, 6, "what nobody sees", private=True)
    secret = Int(0, 6, "what nobody sees", private=True)
    caught = Flag("what nobody sees", private=True)
    lives = Ints(players, 0, 6, "what all see", by_seat=True)
    rolled = Int(0, players, "dice rolled")
    asked = Int(0, 3, "choices so far")

    def next(self) -> int:
        if self.rolled < self.players:
            return throw(self.die)
        return OVER if self.asked == 3 else ask(self.say, self.player)

    @thrown(1, D6)
    def die(self, face):
        self.cups[self.rolled] = face
        for column in range(3):
            self.hands[self.rolled][column] = column
        self.rolled += 1

    @chosen((0, 99))
    def say(self, what):
        self.asked += 1
        self.other = self.player
        self.player = right_of(self.player, self.players)

    def outcome(self) -> int:
        return self.cups.index(max(self.cups))

    def of(self, seat):
        return self.cups[seat]

    def all_of(self):
        return sum(self.cups)

    def through(self, seat):
        return self.of(seat)

    def line_of(self, seat):
        return sum(self.hands[seat])

    def known(self, number=0):
        return number

    def by_default(self, seat=0):
        return self.cups[seat]

    @property
    def top(self):
        return max(self.cups)

    @staticmethod
    def plus(number):
        return number + 1
"""

PEEKS = """
game.cups[1 - game.player]
game.cups[0]
game.cups[-1]
game.cups[game.other]
game.cups[right_of(game.player, game.players)]
game.cups[(game.player + 1) % game.players]
game.cups[game.player - 1]
game.cups[game.cups[game.player] % 2]
game.cups[game.secret % 2]
game.cups[game.player if game.asked else 0]
game.cups[game.player * 1 + game.asked]
game.cups[int(game.caught)]
game.lives[game.secret % 2]
game.lives[game.cups[0] % 2]
(1, 2, 3, 4, 5, 6, 7)[game.secret]
(1, 2, 3, 4, 5, 6, 7)[game.cups[game.other]]
sum(game.cups)
max(game.cups)
min(game.cups)
sum(game.cups) - game.cups[game.player]
game.cups.count(6)
game.cups.index(6)
6 in game.cups
6 not in game.cups
game.cups == [1, 2]
game.cups != game.lives
game.cups < game.lives
list(game.cups) == [1, 2]
list(game.cups)[game.player]
sorted(game.cups)[0]
sorted(game.cups, reverse=True)[0]
list(reversed(game.cups))[0]
game.cups[:][game.player]
game.cups[0:2][0]
game.cups[::-1][0]
sum(game.cups[1:])
len(game.cups[: game.secret])
any(game.cups)
all(n > 3 for n in game.cups)
any(n == 6 for n in game.cups)
sum(1 for n in game.cups if n > 3)
sum(n for n in game.cups)
[n for n in game.cups][0]
len([n for n in game.cups if n > 3])
len({n for n in game.cups})
len(set(game.cups))
{seat: n for seat, n in enumerate(game.cups)}[0]
{n: 1 for n in game.cups}.get(6, 0)
next(seat for seat, n in enumerate(game.cups) if n > 0)
sum(game.cups[seat] for seat in range(game.players))
sum(game.cups[seat] for seat in range(game.players) if seat != game.player)
sum(game.of(seat) for seat in range(game.players))
sum(a * b for a, b in zip(game.cups, game.lives))
sum(seat for seat, n in enumerate(game.cups) if n)
max(range(game.players), key=lambda seat: game.cups[seat])
min(range(game.players), key=game.of)
max(game.cups, key=lambda n: -n)
max(game.cups[0], game.cups[game.player])
sorted(range(game.players), key=lambda seat: game.cups[seat])[0]
reduce(added, game.cups)
list(accumulate(game.cups))[0]
list(chain(game.cups, game.lives))[0]
list(map(doubled, game.cups))[0]
list(filter(None, game.cups))[0]
len(list(filter(lambda n: n > 3, game.cups)))
sum(map(added, game.cups, game.lives))
sum(map(game.of, range(game.players)))
sum(map(lambda seat: game.cups[seat], range(game.players)))
Counter(game.cups)[6]
sum(a * b for a, b in combinations(game.cups, 2))
first(game.cups)
first(game.hands[1 - game.player])
first([game.cups[0]])
added(game.cups[0], 1)
added(b=game.cups[0], a=1)
doubled(game.cups[0])
doubled(n=game.secret)
game.of(0)
game.of(game.other)
game.of(seat=1 - game.player)
game.of(game.player) + game.of(1 - game.player)
game.of(1 - game.player) + game.of(game.player)
game.through(game.player) + game.through(game.other)
game.through(1 - game.player)
game.by_default()
game.by_default(1 - game.player)
game.known(game.cups[0])
game.plus(game.secret)
game.line_of(1 - game.player)
game.all_of()
game.top
(seen := game.cups[0]) + seen
game.secret
game.secret > 3
game.secret == game.cups[game.player]
1 if game.secret else 2
1 if game.caught else 2
not game.caught
game.caught and 1
game.secret * 0
game.secret - game.secret
-game.secret
~game.secret
abs(game.secret)
int(game.secret)
bool(game.secret)
divmod(game.secret, 2)[0]
range(game.secret)[0]
len(range(game.secret))
len([0] * game.secret)
sum(1 for _ in range(game.secret))
[1, 2, 3][game.secret % 3]
0 if game.asked < 9 else game.secret
1 < game.secret < 5
game.pile[0]
game.pile[game.player]
sum(game.pile)
3 in game.pile
game.hands[1 - game.player][0]
game.hands[0][game.player]
game.hands[game.other][0]
game.hands[-1][0]
game.hands[game.player][game.secret % 3]
game.hands[game.player][game.cups[0] % 3]
sum(game.hands[0])
max(game.hands[game.other])
sum(sum(hand) for hand in game.hands)
sum(hand[0] for hand in game.hands)
sum(game.hands[seat][0] for seat in range(game.players))
game.hands[1 - game.player].index(0)
2 in game.hands[1 - game.player]
game.hands[0] == game.hands[1]
game.hands[game.player] == game.hands[1 - game.player]
sum(n for hand in game.hands for n in hand)
sum(game.hands[game.player][i] * game.hands[0][i] for i in range(3))
""".strip().splitlines()

BODIES = {
    "a variable that is set twice": "seat = game.player\nif game.asked:\n    seat = 0\nreturn game.cups[seat]",
    "a variable counted up": "seat = game.player\nseat += 1\nreturn game.cups[seat % game.players]",
    "a loop over seats": "for seat in range(game.players):\n    if game.cups[seat] > 3:\n        return seat\nreturn 0",
    "a loop over numbers": "total = 0\nfor n in game.cups:\n    total += n\nreturn total",
    "a loop as long as a number": "total = 0\nwhile total < game.secret:\n    total += 1\nreturn total",
    "a loop that ends in an error": "while game.cups[0] == 6:\n    pass\nreturn 0",
    "an assertion": "assert game.cups[0] == 6\nreturn 0",
    "a division": "return 1 // game.secret",
    "a match": "match game.secret:\n    case 1:\n        return 1\n    case _:\n        return 2",
    "a guard": "match game.asked:\n    case 0 if game.caught:\n        return 1\n    case _:\n        return 2",
    "parts": "one, other = game.cups\nreturn one",
    "a part with a star": "one, *others = game.cups\nreturn one",
    "another name": "row = game.cups\nreturn row[0]",
    "another name for a line": "line = game.hands[0]\nreturn line[1]",
    "a copy": "row = list(game.cups)\nreturn row[game.player]",
    "a copy of a line": "row = list(game.hands[1 - game.player])\nreturn row[0]",
    "an inner function": "def look():\n    return game.cups[0]\nreturn look()",
    "an inner function with an argument": "def look(seat):\n    return game.cups[seat]\nreturn look(game.other)",
    "an inner function given the row": "def look(row):\n    return row[0]\nreturn look(game.cups)",
    "an inner function called twice": "def look(seat):\n    return game.cups[seat]\nreturn look(game.player) + look(1 - game.player)",
    "a default": "def look(n=game.secret):\n    return n\nreturn look()",
    "a list of numbers": "found = []\nfor n in game.cups:\n    found.append(n)\nreturn found[0]",
    "a dict by number": "found = {}\nfor seat in range(game.players):\n    found[game.of(seat)] = seat\nreturn len(found)",
    "a default dict": "found = defaultdict(int)\nfound[game.secret] += 1\nreturn found[3]",
    "a set": "found = set()\nfound.add(game.secret)\nreturn 3 in found",
    "the end of a list": "found = [1, 2, 3]\ndel found[game.secret % 3]\nreturn found[0]",
    "an index in a condition": "seat = 1 - game.player\nif game.cups[seat] > game.cups[game.player]:\n    return 1\nreturn 2",
    "a product": "return [a + b for a, b in product(game.cups, game.lives)][0]",
    "the next step": "return game.next() + game.outcome()",
}

LANGUAGE = """
tuple(game.cups)[1]
next(iter(game.cups))
itemgetter(1)(game.cups)
first(game.hands)
Hidden.of(game, 1 - game.player)
Hidden.all_of(game)
(lambda seat: game.cups[seat])(1 - game.player)
(lambda row: row[0])(game.cups)
(lambda number=game.cups[0]: number)()
[game.cups][0][0]
(game.cups, game.lives)[0][1]
{"mine": game.cups}["mine"][0]
(game.cups if game.asked else game.lives)[0]
pow(2, game.secret)
len("x" * game.secret)
len(f"{game.secret}")
game.hands == game.hands
[list(hand) for hand in game.hands][0][0]
list(zip(*game.hands))[0][0]
len([hand for hand in game.hands if hand[0]])
max(game.hands, key=sum)[0]
game.hands[: game.player + 1][0][0]
""".strip().splitlines()

CHANGES = {
    "an exception": "if game.secret:\n    raise ValueError\nreturn 0",
    "a match of a row": "match game.cups:\n    case [1, _]:\n        return 1\n    case _:\n        return 2",
    "another name for the game": "it = game\nreturn it.cups[0]",
    "a method in a variable": "look = game.of\nreturn look(0)",
    "try": "try:\n    return game.lives[game.secret]\nexcept IndexError:\n    return 9",
    "a change": "game.cups[1 - game.player] = 0\nreturn 0",
    "a change of the seat": "game.player = 0\nreturn game.cups[0]",
    "a change by a method": "game.say(0)\nreturn game.cups[game.player]",
    "an attribute by its name": "return getattr(game, 'secret')",
    "all attributes": "return vars(game)['secret']",
    "the dictionary": "return game.__dict__['secret']",
}

OWN = """
game.cups[game.player]
game.of(game.player)
game.of(seat=game.player)
game.through(game.player)
game.line_of(game.player)
game.of(game.player) + game.through(game.player)
sum(game.hands[game.player])
max(game.hands[game.player])
game.hands[game.player][game.cups[game.player] % 3]
game.hands[game.player][0] + game.hands[game.player][2]
len([n for n in game.hands[game.player] if n > 0])
sum(n * i for i, n in enumerate(game.hands[game.player]))
max(range(3), key=lambda face: game.hands[game.player][face])
sum(map(added, game.hands[game.player], (1, 2, 3)))
game.lives[game.cups[game.player] % 2]
sum(game.lives) + len(game.cups) + len(game.hands)
game.known()
game.by_default(game.player)
doubled(game.cups[game.player])
""".strip().splitlines()


ALL = {line: f"return {line}" for line in PEEKS} | BODIES
REFUSED = {line: f"return {line}" for line in LANGUAGE} | CHANGES
"""What rules may not write at all."""


class Looking:
    """The game, and strategies, by the text or name of what they do."""

    def __init__(self, folder: Path) -> None:
        bodies = ALL | REFUSED | {line: f"return {line}" for line in OWN}
        text = HEAD
        for number, body in enumerate(bodies.values()):
            lines = "\n".join(f"    {line}" for line in body.splitlines())
            text += f'\n\n@strategy(Hidden)\ndef s{number}(game):\n    """Look."""\n{lines}\n'
        file = folder / "hidden.py"
        file.write_text(text)
        game = games_in(load(file))["hidden"]
        self.numbers = {how: f"s{number}" for number, how in enumerate(bodies)}
        self.strategies = game.declared.strategies
        self.rules = Translation.of(game, (), Rewriter)
        self.rules.method("next")

    def translated(self, how: str) -> str:
        """Translate one strategy."""
        return self.rules.copied().strategy(self.strategies[self.numbers[how]])


@pytest.fixture(scope="module")
def looking(tmp_path_factory: pytest.TempPathFactory) -> Looking:
    return Looking(tmp_path_factory.mktemp("looking"))


@pytest.mark.cases("how", list(ALL))
def test_a_way_to_peek_is_refused(how: str, looking: Looking) -> None:
    with pytest.raises(
        Peeks, match=r"hidden\.py, line \d+, in \w+: s\d+ reads \w+, which the seat that plays does not see"
    ):
        looking.translated(how)


@pytest.mark.cases("how", list(REFUSED))
def test_what_rules_may_not_write_shows_nothing(how: str, looking: Looking) -> None:
    with pytest.raises(NotTranslatable):
        looking.translated(how)


@pytest.mark.cases("how", OWN)
def test_a_seat_reads_its_own_numbers(how: str, looking: Looking) -> None:
    assert looking.translated(how)


SEVERAL = """
from dicelab.rules import *


class Opening(Game):
    \"\"\"Both roll a hidden die; the first says a number, then the second; the higher sum of die and number wins.\"\"\"

    name = "opening"
    source = "made for the tests"
    seats = 2

    dice = Ints(2, 0, 6, "the die of each", by_seat=True, private=True)
    pairs = Grid(2, 2, 0, 6, "the die of each, twice", by_seat=True, private=True)
    rolled = Int(0, 2, "dice rolled")
    said = Ints(2, 0, 7, "what each has said, and 1")

    def next(self) -> int:
        if self.rolled < 2:
            return throw(self.die)
        if self.said[0] == 0:
            return ask(self.first, 0)
        return ask(self.second, 1) if self.said[1] == 0 else OVER

    @thrown(1, D6)
    def die(self, face):
        self.dice[self.rolled] = face
        self.pairs[self.rolled][0] = self.pairs[self.rolled][1] = face
        self.rolled += 1

    @chosen((0, 6))
    def first(self, what):
        self.said[0] = 1 + what

    @chosen((0, 6)LEGAL)
    def second(self, what):
        self.said[1] = 1 + what

    def of(self, seat):
        return self.dice[seat]

    def outcome(self) -> int:
        return 0 if self.of(0) + self.said[0] > self.of(1) + self.said[1] else 1


@strategy(Opening, how=Param(0, 0, 9, "what is read"))
def looking(game, how):
    \"\"\"Read a number in one of several ways.\"\"\"
    mine = 0 if game.said[0] == 0 else 1
    other = 1 - mine
    if how == 0:
        return game.dice[mine]
    if how == 1:
        return game.of(mine) + sum(game.pairs[mine]) - 2 * game.pairs[mine][1]
    if how == 2:
        return game.of(0) if game.said[0] == 0 else 3
    if how == 3:
        return game.dice[0]
    if how == 4:
        return game.of(other)
    if how == 5:
        return sum(game.pairs[other]) // 2
    if how == 6:
        return game.pairs[other][0]
    if how == 7:
        return min(6, game.dice[mine] * 0 + game.dice[other] * 0)
    if how == 8:
        return min([game.of(seat) for seat in range(2)])
    return max(range(2), key=lambda seat: game.pairs[seat][0])
"""


@pytest.fixture(scope="module")
def opening(tmp_path_factory: pytest.TempPathFactory) -> type[Game]:
    file = tmp_path_factory.mktemp("opening") / "opening.py"
    file.write_text(SEVERAL.replace("LEGAL", ""))
    return games_in(load(file))["opening"]


@pytest.mark.parametrize("engines", [["reference"], pytest.param(["compiled", "memo"], marks=pytest.mark.slow)])
def test_where_seats_are_asked_by_several_expressions_indices_are_checked_in_play(
    engines: list[str], opening: type[Game]
) -> None:
    wins = [
        dicelab.simulate(opening, f"looking:{how}", games=40, seed=4, engine="reference").outcomes for how in range(3)
    ]
    for engine, how in product(engines, range(10)):
        question: dict[str, Any] = {"games": 40, "seed": 4, "engine": engine}
        if how > 2:
            message = r"opening.py, line \d+, in \S+: looking of seat [01] .* reads (dice|pairs), "
            with pytest.raises(PlayError, match=message):
                dicelab.simulate(opening, f"looking:{how}", **question)
        else:
            found = dicelab.simulate(opening, f"looking:{how}", **question).outcomes
            assert [one.count for one in found.values()] == [one.count for one in wins[how].values()]


def test_exact_answers_check_indices_too(opening: type[Game]) -> None:
    exact = dicelab.exact(opening, "looking")
    assert exact.outcomes["0"].fraction == Fraction(sum(a > b for a, b in product(range(6), repeat=2)), 36)
    with pytest.raises(PlayError, match="reads dice"):
        dicelab.exact(opening, "looking:3")


@pytest.mark.cases(
    ("rule", "name"),
    [
        ("legal=lambda self, what: what <= self.dice[0]", "dice"),
        ("sensible=lambda self, what: what < sum(self.dice)", "dice"),
        ("moves=lambda self: [(n,) for n in range(self.of(0))]", "dice"),
        ("legal=lambda self, what: what < max(self.of(seat) for seat in range(2))", "dice"),
        ("legal=lambda self, what: what < self.dice[1 if self.said[0] else 0]", "dice"),
    ],
)
def test_the_moves_that_a_seat_has_show_it_nothing(rule: str, name: str, tmp_path: Path) -> None:
    file = tmp_path / "leaky.py"
    file.write_text(SEVERAL.replace("LEGAL", f", {rule}"))
    with pytest.raises(
        RulesError, match=rf"leaky\.py, line \d+, in .*reads {name}, which the seat that plays does not see"
    ):
        dicelab.simulate(str(file), "looking", games=1)


def test_moves_may_depend_on_what_the_seat_sees(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    because = ",\n        because=lambda self, what: f'seven is {self.dice[0]} more'"
    file.write_text(SEVERAL.replace("LEGAL", f", legal=lambda self, what: what <= self.of(1){because}"))
    assert dicelab.simulate(str(file), "looking", games=9, seed=1).games == 9
    game = fresh(Run.of(str(file), "looking").game)
    for rule, what in ((game.declared.throws[0], 2), (game.declared.throws[0], 3), (game.declared.decisions[0], 1)):
        rule.run(game, what)
    assert game.declared.decisions[1].refusal(game, (5,)) == ""
