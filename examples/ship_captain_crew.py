"""Ship, captain and crew: the highest cargo wins; a game with kept dice."""

from __future__ import annotations

from dicelab.rules import (
    COUNTS,
    D6,
    OVER,
    Dice,
    Flag,
    Game,
    Int,
    Ints,
    Numbers,
    Rulebook,
    Tally,
    Words,
    ask,
    kept,
    strategy,
    throw,
    thrown,
)

SHIP, CAPTAIN, CREW = 5, 4, 3


class ShipCaptainCrew(Game):
    """Ship, captain and crew, one player: keep a 6, then a 5, then a 4; the other two dice are the cargo."""

    name = "ship-captain-crew"
    source = "the bar game as commonly played: five dice, three rolls"

    words = Words(
        names={"cup": "roll", "rolls": "roll", "roll": "roll", "worth": "cargo now"},
        hidden=("rolled", "rolls"),
        objective="most:cargo",
        board=(Numbers(("roll", "worth")), Dice("dice")),
        endings={"": "The cargo is worth {cargo} points"},
        rulebook=Rulebook(
            goal="Bring home the largest cargo.",
            turn="Roll five dice up to three times. Keep a 6, the ship, first; then a 5, the captain; then a 4, the "
            "crew. In one roll you may get all three. Then keep any of the other two dice.",
            end="The game is over after three rolls, or when all dice are kept.",
            scoring="The other two dice are the cargo; without ship, captain and crew it is nothing.",
        ),
    )

    dice = Ints(6, 0, 5, "dice that show each number, those to be rolled again left out")
    rolls = Int(0, 3, "rolls made")
    rolled = Flag("the dice lie on the table")

    cargo = Tally("points: the sum of two dice beside ship, captain and crew; 0 without them")
    throws = Tally("rolls")

    def next(self) -> int:
        if not self.rolled:
            return throw(self.cup, 5 - sum(self.dice))
        return OVER if self.rolls == 3 else ask(self.keep, 0)

    @thrown(5, D6, COUNTS)
    def cup(self, *shown: int) -> None:
        self.throws += 1
        self.rolls += 1
        self.rolled = True
        for i in range(6):
            self.dice[i] += shown[i]
        if self.rolls == 3:
            self.cargo += self.worth()

    def worth(self) -> int:
        """The cargo now."""
        if self.dice[SHIP] == 0 or self.dice[CAPTAIN] == 0 or self.dice[CREW] == 0:
            return 0
        return sum(face * many for face, many in enumerate(self.dice, 1)) - 15

    def roll(self) -> str:
        return f"{self.rolls} of 3"

    def in_order(self, *kept: int) -> bool:
        """Without a ship nothing is kept, without a captain only the ship, without a crew only these two."""
        if kept[SHIP] == 0:
            return sum(kept) == 0
        if kept[CAPTAIN] == 0 or kept[CREW] == 0:
            return sum(kept) == 1 + (kept[CAPTAIN] > 0) and kept[CAPTAIN] < 2
        return True

    @kept(5, D6, dice, legal=in_order)
    def keep(self, *kept: int) -> None:
        """Keep the ship, the captain and the crew, and any cargo; roll the others again."""
        self.dice[:] = kept
        self.rolled = sum(self.dice) == 5
        if self.rolled:
            self.rolls = 3
            self.cargo += self.worth()


@strategy(ShipCaptainCrew)
def high_cargo(game: ShipCaptainCrew) -> tuple[int, ...]:
    """Keep what is needed, and cargo of 4 and more."""
    _, _, _, fours, fives, sixes = game.dice
    if sixes == 0 or fives == 0 or fours == 0:
        return 0, 0, 0, 0, 1 if sixes > 0 and fives > 0 else 0, 1 if sixes > 0 else 0
    return 0, 0, 0, fours, fives, sixes
