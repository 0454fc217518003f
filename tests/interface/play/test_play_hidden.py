"""Hidden information at the terminal: what a seat may not see isn't printed; what is laid open is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from dicelab.errors import RulesError
from dicelab.interface.play import play
from dicelab.rules import COUNTS, D6, OVER, Flag, Game, Int, Ints, Param, ask, chosen, strategy, throw, thrown
from dicelab.runtime.lineup import Run

LIARS = str(Path(__file__).parents[3] / "src/dicelab/games/liars_dice.py")


class Morra(Game):
    """Hold out one to three fingers in secret: an even sum is a point for seat 0, an odd one for seat 1."""

    name = "morra"
    seats = 2

    target = Param(1, 1, 9, "points to win")

    chose = Int(0, 2, "seats that have chosen")
    fingers = Ints(2, 0, 3, "fingers held out", by_seat=True, private=chose)
    stake = Int(0, 6, "points of this round")
    scores = Ints(2, 0, 60, "points of each seat", by_seat=True)

    def next(self) -> int:
        if max(self.scores) >= self.target:
            return OVER
        return throw(self.die) if self.stake == 0 else ask(self.hold, self.chose)

    @thrown(1, D6)
    def die(self, face: int) -> None:
        self.stake = face

    @chosen((1, 3))
    def hold(self, fingers: int) -> None:
        """Hold out fingers."""
        self.fingers[self.chose] = fingers
        self.chose += 1
        if self.chose == 2:
            self.scores[(self.fingers[0] + self.fingers[1]) % 2] += self.stake
            self.chose = 0
            self.stake = 0
            self.clear()

    def clear(self) -> None:
        """Forget the fingers."""
        self.fingers[0] = 0
        self.fingers[1] = 0

    def outcome(self) -> int:
        return 0 if self.scores[0] >= self.target else 1


@strategy(Morra, fingers=Param(1, 1, 3, "fingers"))
def always(game: Morra, fingers: int) -> int:
    """Hold out as many fingers each time."""
    return fingers


class Kept(Morra):
    """Morra whose fingers stay out until the next round."""

    name = "kept"

    def clear(self) -> None:
        """Leave the fingers out."""


class Drawn(Morra):
    """Morra with texts that read everybody's fingers."""

    name = "drawn"

    def view(self) -> str:
        return f"view: {sum(self.fingers)} fingers"

    def told(self, before: Drawn, what: str, *values: int) -> str:
        return f"told: {what} {values[0]}, {sum(before.fingers)} fingers"


class Cup(Game):
    """Roll five dice under a cup, say whether their total is high, and look; again if it is."""

    name = "cup"
    seats = 2

    covered = Flag("the dice are under the cup")
    dice = Ints(6, 0, 5, "dice that show each number", private=covered)
    high = Flag("the total is above 25")
    rounds = Int(0, 9, "rounds")

    def next(self) -> int:
        if self.rounds == 2:
            return OVER
        return ask(self.look, self.rounds) if self.covered else throw(self.cup)

    @thrown(5, D6, COUNTS)
    def cup(self, *shown: int) -> None:
        for number in range(6):
            self.dice[number] = shown[number]
        self.high = sum(number * shown[number - 1] for number in range(1, 7)) > 25
        self.covered = True

    @chosen((1, 2))
    def look(self, times: int) -> None:
        """Look."""
        self.covered = False
        self.rounds += 1

    def outcome(self) -> int:
        return 0


@strategy(Cup)
def glance(game: Cup) -> int:
    """Look once."""
    return 1


def screen(game: Game, seats: Sequence[str], *typed: str, seed: int = 1) -> str:
    """What is printed while these lines are typed."""
    lines, answers = [], iter([*typed, "q"])
    play(game, seats, seed, read=lambda prompt: next(answers), write=lines.append)
    return "\n".join(lines)


def test_a_hidden_choice_is_shown_once_both_have_chosen() -> None:
    shown = screen(Morra(), ["always:3", "me"], "?", "table", "2")
    asked, laid_open = shown.split("fingers: player 1 ")
    assert "player 1 (always:3): hold: hidden | chose 0 → 1" in asked
    assert "hold 3" not in shown
    assert "  fingers  0 " in asked
    assert "  fingers  3 " not in asked
    assert laid_open.startswith("3\n")


def test_numbers_laid_open_that_stay_are_shown_as_they_are() -> None:
    assert "fingers: player 1 3, you 2" in screen(Kept(), ["always:3", "me"], "2")


def test_the_choice_that_lays_all_open_is_shown() -> None:
    for game, hands in ((Morra(), "you 1"), (Kept(), "you 1, player 2 2")):
        shown = screen(game, ["me", "always:2"], "1")
        assert f"player 2 (always:2): hold 2\n  fingers: {hands}\n  chose 1 → 0" in shown


def test_texts_of_the_game_that_read_what_is_hidden_give_way_to_its_fields() -> None:
    shown = screen(Drawn(), ["always:3", "me"], "table", "2")
    assert "view:" not in shown
    assert "told: hold 3" not in shown
    assert "  stake    6    points of this round" in shown
    assert "told: hold 2, 3 fingers\n  fingers: player 1 3" in shown  # the fingers of before are laid open
    watched = screen(Drawn(), ["always:3"])
    assert "view: 0 fingers" in watched
    assert "told: hold 3, 3 fingers" in watched


def prompted(game: Game, seats: Sequence[str], *typed: str, seed: int = 1) -> str:
    """What is printed while these lines are typed, with the prompts and what is typed."""
    lines, answers = list[str](), iter([*typed, "q"])

    def read(prompt: str) -> str:
        answer = next(answers)
        lines.append(prompt + answer)
        return answer

    play(game, seats, seed, read=read, write=lines.append)
    return "\n".join(lines)


def test_several_people_at_one_screen_see_their_own_numbers_in_turn() -> None:
    """What each of them sees and types stands between Enter and the cover; all else is for both."""
    game = Run.of(LIARS, dice=1).game
    shown = prompted(game, ["me", "me"], "", "1 4", "", "liar", seed=4)
    assert "it is covered in between, and shows each what is hidden: hands." in " ".join(shown.split())
    parts = shown.split("looks at the screen > ")
    assert len(parts) == 3
    begin, (first, between), (second, end) = parts[0], *(part.split("(covered)") for part in parts[1:])
    assert "dice: player 1  [6]   player 2  [?]" in first
    assert "dice: player 1  [?]   player 2  [2]" in second
    assert "[6]" not in begin + between
    assert "[2]" not in begin + between + first
    assert "Player 1 bid 1 die with 4" in between
    assert "dice: player 1 [6], player 2 [2]" in end


def test_a_choice_made_at_once_is_covered_until_both_have_chosen() -> None:
    shown = prompted(Run.of("sealed-bids", prizes=1).game, ["me", "me"], "", "2", "", "0", seed=4)
    covered = [part.split("(covered)")[1] for part in shown.split("looks at the screen > ")[1:]]
    assert "2" not in covered[0].replace("player 2", "").replace("Turn of player 2", "")
    assert "bid: player 1 2, player 2 0" in covered[1]


def test_the_second_player_sees_its_own_dice_as_its_own() -> None:
    shown = screen(Run.of(LIARS, dice=1).game, ["honest", "me"], "table", "liar", seed=4)
    assert "dice: player 1  [?]   you  [2]" in shown


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_roll_under_a_cup_is_hidden_even_if_it_is_the_same_again(seed: int) -> None:
    shown = screen(Cup(), ["me", "glance"], "1", seed=seed)
    assert "┌" not in shown
    assert shown.count("dice: ") == 2


def test_the_hands_of_liars_dice_are_shown_after_a_doubt_and_not_before() -> None:
    game = Run.of(LIARS, dice=2, players=3).game
    shown = screen(game, ["me", "honest", "honest"], "?", "1 6", "table")
    before, laid_open = shown.split("a lie\n  dice: ")
    assert before.count("dice: you  [") == before.count("player 2  [?] [?]") > 1  # one's own, and how many others have
    hands = laid_open.splitlines()[0].split(", ")
    assert [len(hand.split("[")) for hand in hands] == [3, 3, 3]
    assert "?" not in laid_open.splitlines()[0]
    assert laid_open.startswith("you [")


def test_private_names_something_that_everybody_sees() -> None:
    with pytest.raises(RulesError, match="private = 1; it must be True, False, or an Int or Flag that everybody sees"):
        Int(0, 6, "card", private=1)  # type: ignore[arg-type]
    with pytest.raises(RulesError, match="an Int or Flag that everybody sees"):
        Int(0, 6, "card", private=Flag("turned", private=True))
    with pytest.raises(RulesError, match="card is private until a field changes that the class does not have"):
        type("Odd", (Game,), {"__doc__": "Odd.", "card": Int(0, 6, "card", private=Flag("turned"))})
