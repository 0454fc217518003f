"""Kismet, "the modern game of yacht": the numbers have colours."""

from typing import NamedTuple

from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    Flag,
    Game,
    Grid,
    Int,
    Ints,
    Param,
    Seat,
    Tally,
    ask,
    chosen,
    kept,
    right_of,
    strategy,
    throw,
    thrown,
)

COLOUR = {1: "black", 6: "black", 2: "red", 5: "red", 3: "green", 4: "green"}
BONUSES = [(78, 75), (71, 55), (63, 35)]  # upper section at least, bonus
UPPER = 6


class Box(NamedTuple):
    name: str
    bonus: int = 0


BOXES = [
    *(Box(name) for name in ["aces", "deuces", "treys", "fours", "fives", "sixes"]),
    Box("two pair same colour"),
    Box("three of a kind"),
    Box("straight", 30),
    Box("flush", 35),
    Box("full house", 15),
    Box("full house same colour", 20),
    Box("four of a kind", 25),
    Box("yarborough"),
    Box("kismet", 50),
]


def score(box: int, counts: tuple[int, ...]) -> int:
    """What five dice are worth in a box."""
    if box < UPPER:
        return counts[box] * (box + 1)
    shown = [face for face, count in enumerate(counts, start=1) for _ in range(count)]
    name, bonus = BOXES[box]
    total = sum(shown)
    one_colour = len({COLOUR[face] for face in shown}) == 1
    many = sorted(counts, reverse=True)

    def at_least(number: int) -> list[int]:
        return [face for face, count in enumerate(counts, start=1) if count >= number]

    match name:
        case "straight":
            return bonus if shown in ([1, 2, 3, 4, 5], [2, 3, 4, 5, 6]) else 0
        case "flush":
            return bonus if one_colour else 0
        case "two pair same colour":
            pairs = at_least(2)
            fits = bool(at_least(4)) or (len(pairs) == 2 and len({COLOUR[face] for face in pairs}) == 1)
        case "three of a kind":
            fits = many[0] >= 3
        case "full house":
            fits = many[:2] == [3, 2] or many[0] == 5
        case "full house same colour":
            fits = one_colour and (many[:2] == [3, 2] or many[0] == 5)
        case "four of a kind":
            fits = many[0] >= 4
        case "kismet":
            fits = many[0] == 5
        case _:
            fits = True
    return total + bonus if fits else 0


class Kismet(Game):
    """Kismet: fifteen boxes; colours make flushes and better full houses."""

    name = "kismet"
    source = "Lakeside Games, Kismet, 1964"

    players = Param(2, 1, 6, "players")

    seats = players

    card = Grid(players, 15, -1, 80, "points in each box; -1: open", start=-1, by_seat=True)
    dice = Ints(6, 0, 5, "dice that show each number")
    rolls = Int(0, 3, "rolls in this turn")
    content = Flag("the player keeps all dice")
    player = Seat(players, "whose turn it is")

    points = Tally("points of the winner")
    bonuses = Tally("players with a bonus for the upper section")

    def next(self) -> int:
        if not any(points < 0 for line in self.card for points in line):
            return OVER
        if (lying := sum(self.dice)) < 5:
            return throw(self.cup, 5 - lying)
        return ask(self.fill if self.content or self.rolls == 3 else self.keep, self.player)

    @thrown(5, D6, COUNTS)
    def cup(self, *shown: int) -> None:
        self.rolls += 1
        for face, count in enumerate(shown):
            self.dice[face] += count

    @kept(5, D6, dice)
    def keep(self, *kept: int) -> None:
        """Keep some of the dice, and roll the others again."""
        for face, count in enumerate(kept):
            self.dice[face] = count
        self.content = sum(kept) == 5

    def open_boxes(self):
        yield from (box for box, points in enumerate(self.card[self.player]) if points < 0)

    @chosen(15, moves=open_boxes)
    def fill(self, box: int) -> None:
        self.card[self.player][box] = score(box, tuple(self.dice))
        for face in range(6):
            self.dice[face] = 0
        self.rolls = 0
        self.content = False
        self.player = right_of(self.player, self.players)

    def bonus(self, seat: int) -> int:
        upper = sum(list(self.card[seat])[:UPPER])
        return next((bonus for least, bonus in BONUSES if upper >= least), 0)

    def outcome(self) -> int:
        totals = {seat: sum(self.card[seat]) + self.bonus(seat) for seat in range(self.players)}
        self.bonuses += sum(self.bonus(seat) > 0 for seat in totals)
        self.points += max(totals.values())
        return max(totals, key=totals.get)


@strategy(Kismet)
def many_of_one(game: Kismet):
    """Keep the number that there are most of, and higher ones of the same colour of three or more."""
    counts = tuple(game.dice)
    if game.content or game.rolls == 3:
        return max(
            game.open_boxes(), key=lambda box: (score(box, counts) - (3 * (box + 1) if box < UPPER else 0), -box)
        )
    if any(score(box, counts) >= 30 for box in game.open_boxes()):
        return counts
    colours = {colour: [face for face in COLOUR if COLOUR[face] == colour] for colour in ("black", "red", "green")}
    for faces in colours.values():
        if sum(counts[face - 1] for face in faces) >= 4:
            return tuple(count if face in faces else 0 for face, count in enumerate(counts, start=1))
    best = max(range(6), key=lambda face: (counts[face], face))
    return tuple(count if face == best else 0 for face, count in enumerate(counts))
