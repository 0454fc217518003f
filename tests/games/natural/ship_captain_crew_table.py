"""Ship, captain and crew at a table, for a pot."""

from enum import IntEnum

from dicelab.rules import (
    D6,
    FACES,
    OVER,
    Flag,
    Game,
    Int,
    Ints,
    Param,
    Seat,
    Tally,
    ask,
    chosen,
    right_of,
    strategy,
    throw,
    thrown,
)

SHIP, CAPTAIN, CREW = 6, 5, 4
ORDER = (SHIP, CAPTAIN, CREW)
ROLLS = 3


class Move(IntEnum):
    ROLL = 0
    STAY = 1


class ShipCaptainCrew(Game):
    """Find a 6, a 5 and a 4, in this order; the other two dice are the cargo. The highest cargo takes the pot."""

    name = "ship_captain_crew_table"
    source = "Scarne on Dice: ship, captain and crew"

    players = Param(3, 2, 8, "players")
    rounds = Param(5, 1, 20, "rounds")
    ante = Param(1, 1, 10, "what each pays into the pot before a round")

    seats = players

    money = Ints(players, -rounds * ante, players * rounds * ante, "money won by each", by_seat=True)
    pot = Int(0, players * rounds * ante, "the pot")
    cargo = Ints(players, 0, 12, "cargo of each in this round; 0: none", by_seat=True)
    found = Int(0, 3, "of ship, captain and crew")
    hold = Int(0, 12, "the two other dice")
    rolls = Int(0, ROLLS, "rolls in this turn")
    first = Seat(players, "who began this round")
    player = Seat(players, "whose turn it is")
    round = Int(0, rounds, "rounds that are over", grows=True)
    waits = Flag("the player may roll again")

    throws = Tally("rolls")
    carried = Tally("rounds without a winner")

    def next(self):
        if self.round == self.rounds:
            return OVER
        return ask(self.roll_or_stay, self.player) if self.waits else throw(self.cup, 5 - self.found)

    def start(self):
        self.pay()

    def pay(self):
        for seat in range(self.players):
            self.money[seat] -= self.ante
        self.pot += self.players * self.ante

    @thrown(5, D6, FACES)
    def cup(self, *faces):
        self.throws += 1
        self.rolls += 1
        dice = [face for face in faces if face]
        while self.found < len(ORDER) and ORDER[self.found] in dice:
            dice.remove(ORDER[self.found])
            self.found += 1
        self.hold = sum(dice) if self.found == len(ORDER) else 0
        if self.rolls == ROLLS:
            self.end_turn()
        else:
            self.waits = self.found == len(ORDER)

    @chosen(Move)
    def roll_or_stay(self, move):
        self.waits = False
        if move == Move.STAY:
            self.end_turn()

    def end_turn(self):
        self.cargo[self.player] = self.hold
        self.hold = self.found = self.rolls = 0
        self.player = right_of(self.player, self.players)
        if self.player == self.first:
            self.end_round()

    def end_round(self):
        best = max(self.cargo)
        winners = [seat for seat, cargo in enumerate(self.cargo) if cargo == best]
        self.round += 1
        if best and len(winners) == 1:
            (winner,) = winners
            self.money[winner] += self.pot
            self.pot = 0
        else:
            self.carried += 1
        for seat in range(self.players):
            self.cargo[seat] = 0
        self.first = self.player = right_of(self.first, self.players)
        if self.round < self.rounds:
            self.pay()

    def outcome(self):
        return self.money.index(max(self.money))


@strategy(ShipCaptainCrew, enough=Param(8, 2, 12, "stay with this cargo"))
def stay_with(game, enough):
    """Stay with enough cargo that is not below what others have."""
    return Move.STAY if game.hold >= max(enough, *game.cargo) else Move.ROLL
