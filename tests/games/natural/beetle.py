"""Beetle: draw a beetle, part by part, as the die says."""

from dataclasses import dataclass

from dicelab.rules import D6, OVER, Game, Grid, Ints, Param, Seat, Switch, Tally, right_of, throw, thrown


@dataclass(frozen=True)
class Part:
    name: str
    count: int
    needs: tuple[str, ...] = ()


# by the number on the die
PARTS = {
    1: Part("body", 1),
    2: Part("head", 1, ("body",)),
    3: Part("leg", 6, ("body",)),
    4: Part("eye", 2, ("body", "head")),
    5: Part("feeler", 2, ("body", "head")),
    6: Part("tail", 1, ("body",)),
}
NUMBER = {part.name: number for number, part in PARTS.items()}
WHOLE = sum(part.count for part in PARTS.values())


class Beetle(Game):
    """Beetle: who has drawn the whole beetle ends the round; everybody scores the parts drawn."""

    name = "beetle"
    source = "Beetle drive, parlour game"

    players = Param(3, 2, 8, "players")
    target = Param(30, 1, 100, "points that end the game")
    again = Switch(True, "who draws a part rolls again")

    seats = players

    drawn = Grid(players, 6, 0, 6, "how many of each part each player has", by_seat=True)
    scores = Ints(players, 0, target + WHOLE, "points of finished rounds", by_seat=True, grows=True)
    player = Seat(players, "who rolls")

    rolls = Tally("rolls")
    rounds = Tally("rounds")
    wasted = Tally("rolls without a part")

    def next(self):
        return OVER if any(score >= self.target for score in self.scores) else throw(self.die)

    def usable(self, number):
        mine = self.drawn[self.player]
        part = PARTS[number]
        return mine[number - 1] < part.count and all(mine[NUMBER[name] - 1] for name in part.needs)

    @thrown(1, D6)
    def die(self, number):
        self.rolls += 1
        if not self.usable(number):
            self.wasted += 1
            self.player = right_of(self.player, self.players)
            return
        self.drawn[self.player][number - 1] += 1
        if sum(self.drawn[self.player]) == WHOLE:
            self.end_round()
        elif not self.again:
            self.player = right_of(self.player, self.players)

    def end_round(self):
        self.rounds += 1
        for seat, parts in enumerate(self.drawn):
            self.scores[seat] += sum(parts)
            for i, _ in enumerate(parts):
                parts[i] = 0
        self.player = right_of(self.player, self.players)

    def outcome(self):
        ranking = sorted(range(self.players), key=lambda seat: self.scores[seat], reverse=True)
        return ranking[0]
