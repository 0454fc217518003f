"""Show a game on the screen while it is played: people's turns in full, with dice, strategies' turns in one line.

A game without people is shown in full. Seats are counted from 1 on the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dicelab.interface.play.screen.dice import dice_lines, throw_words
from dicelab.interface.play.screen.faces import Faces
from dicelab.interface.play.screen.hooks import Teller, folded, view_lines
from dicelab.interface.play.screen.news import News
from dicelab.interface.play.screen.seats import seat_names
from dicelab.interface.play.screen.secrets import Secrets
from dicelab.interface.play.screen.state import legend
from dicelab.interface.play.screen.text import Say, flow, in_words, indented, painter, screen_width
from dicelab.results.text.sentences import the
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.board import TIED, Board, board_lines
from dicelab.rules.game import Game, player_names, summary
from dicelab.rules.wording import called, face_names, move_words
from dicelab.runtime.interpreter import Event, Explained
from dicelab.runtime.lineup import Call


class Table:
    """Shows a game event by event.

    Parameters
    ----------
    game
        The game to be played, in its initial state.
    calls
        The strategy of each seat, None for a person; a game without people is shown in full.
    dice
        The source of the rolls, which knows the faces to draw.
    say
        Prints a line.
    by_hand
        Whether a person rolls all dice of a game without choices; the question then says whose turn it is.
    pause
        Called after each roll and choice that is shown of a game without people, and after each turn in one line.
    """

    def __init__(
        self,
        game: Game,
        calls: Sequence[Call | None],
        dice: Faces,
        say: Say,
        *,
        by_hand: bool = False,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        people = {seat for seat, call in enumerate(calls) if call is None}
        self.by_hand = by_hand
        self.game = game
        self.dice = dice
        self.say = say
        self.pause = pause
        self.paint = painter()
        self.names = seat_names(game, calls)
        self.watched = not people
        self.people = people
        self.at_length = people or set(range(len(self.names)))
        self.you = min(people) if len(people) == 1 else -1
        self.secrets = Secrets(game, self.you, bool(people))
        self.news = News(game, self.you, flags=not calls, seen=self.secrets.seen)
        self.teller = Teller(game, self.secrets, self.names)
        self.board: list[str] = []  # as it was last shown
        self.asked: Decision | None = None  # the choice that a person makes now
        self.explained: list[Decision] = []  # the kinds of choices that people have been told about
        self.drawn = False  # whether the game's view on the screen is up to date
        self.mover: int | None = None
        self.over = False  # whether a roll has ended the mover's turn
        self.line: list[str] = []  # the mover's turn so far, if it is shown in one line

    def show(self, lines: Iterable[str]) -> None:
        """Print lines."""
        for line in lines:
            self.say(line)

    def whose(self, seat: int | None) -> str:
        """Return the prefix that names a seat; empty in a game of one seat."""
        return f"{self.names[seat]}: " if seat is not None and len(self.names) > 1 else ""

    def thrower(self) -> int | None:
        """Return the seat that rolls; None if the rules don't say."""
        seat = self.news.now.get(self.news.turn_field, 0 if len(self.names) == 1 else None)
        return seat if isinstance(seat, int) else None

    def tell(self, event: Event) -> None:
        """Show an event."""
        kind = next((k for k in self.game.declared.throws if k.name == event.name and event.kind == "throw"), None)
        mover = event.count if kind is None else self.thrower()
        self.turn(mover)
        lines = self.teller.sentences(event.name, event.values)
        hidden, opened = self.secrets.hides(event), self.secrets.opened(event)
        if hidden:
            lines = [] if kind is not None else [f"{in_words(event.name)}: hidden"]
        if not self.at_length or (mover is not None and mover not in self.at_length):
            self.drawn = False
            words = [self._briefly(event, kind)] if lines is None else [self._without_name(line) for line in lines]
            self.line += words
        elif hidden:
            self.drawn = False
        else:
            self._at_length(event, kind, lines)
        if opened:
            self._show_line()
            self.show(flow(opened, screen_width(), "  "))
        self.news.look()
        self.secrets.look()
        self.over = kind is not None and not self.watched and self.thrower() != mover
        if self.watched and self.at_length:
            if kind is not None:
                self.stand()
            self.pause()

    def _at_length(self, event: Event, kind: Throw | None, lines: list[str] | None) -> None:
        """Show a roll with its dice, or a choice unless a person has typed it, and what the game says about it."""
        if kind is not None:
            self.drawn = False
            self.catch_up()
            self._draw(kind, event)
        elif event.count not in self.people and lines is None:
            self.catch_up()
            self.say(f"  {self._briefly(event, kind)}".replace(TIED, " "))
        self.show(folded("\n".join(lines or [])))

    def _without_name(self, line: str) -> str:
        """Return a sentence in a line that begins with the name of the player, without this name."""
        name = "" if self.mover is None else self.whose(self.mover).partition(" (")[0].removesuffix(": ")
        return line.strip().removeprefix(f"{name[:1].upper()}{name[1:]} " if name else "")

    def standing(self) -> list[str]:
        """Return the state of the game as people see it: its `view`, or its fields with their meaning."""
        lines = view_lines(self.game, self.secrets) or self._board()
        return lines or legend(self.game, screen_width(), self.secrets.seen())

    def _board(self) -> list[str]:
        """Return the board that the game declares; empty if it declares none."""
        seen, hidden = self.secrets.seen(), self.secrets.fields
        with Explained(self.game):
            board = Board(self.game, self.names, self.teller.filled, self.asked, hidden, seen, self.you)
            return board_lines(board, screen_width())

    def ask(self, decision: Decision, seat: int) -> None:
        """Show what a person needs to know before a choice."""
        self.turn(seat)
        news, self.asked = self.news.at(decision), decision
        if self.game.words.board and decision not in self.explained:
            self.explained.append(decision)
            self.show(indented(summary(decision.rule)))
        if not self.stand() and not self.teller.tells:
            self.show(flow(news, screen_width(), "  "))

    def stand(self) -> bool:
        """Show the game's view unless it is on the screen already; return whether anything was shown."""
        lines = [] if self.drawn else view_lines(self.game, self.secrets)
        board = [] if lines or (self.drawn and not self.game.words.board) else self._board()
        if board and board != self.board:
            self.board = lines = board
        self.show(lines)
        self.drawn = self.drawn or bool(lines)
        return bool(lines or board)

    def turn(self, seat: int | None) -> None:
        """Begin the turn of a seat, if it is not its turn already, after closing the previous turn."""
        if seat == self.mover:
            return
        self.close()
        self.mover = seat
        if seat is not None and len(self.names) > 1 and not self.by_hand:
            self.say("")
            if seat in self.at_length:
                self.say(self.paint("Your turn" if seat == self.you else f"Turn of {self._called(seat)}", "bold"))

    def end(self) -> None:
        """Close the last turn, and show the board as it is in the end."""
        self.close()
        self.asked = None
        if self.game.words.board:
            self.stand()

    def _called(self, seat: int) -> str:
        """Return a player in a sentence: with an article, unless it is a proper name or numbered."""
        name = self.names[seat]
        return the(name) if name.partition(" (")[0] in player_names(self.game) else name

    def close(self) -> None:
        """Show the rest of a turn."""
        if self.line:
            self._show_line(self._changes())
            self.pause()
        self.catch_up()

    def _show_line(self, more: Sequence[str] = ()) -> None:
        """Show the part of a turn in one line that is not on the screen yet, and more."""
        if self.line:
            done, self.line = self.line if self.teller.tells else [", ".join(self.line)], []
            self.show(flow([self.whose(self.mover) + done[0], *done[1:], *more], screen_width()))

    def catch_up(self) -> None:
        """Show what has changed since the state was last shown."""
        self.show(flow(self._changes(), screen_width(), "  "))

    def _changes(self) -> list[str]:
        over, self.over = self.over, False
        changes = self.news.changes()
        return [*([] if self.teller.tells else changes), *(["the turn is over"] if over else [])]

    def _briefly(self, event: Event, kind: Throw | None) -> str:
        """Return a roll or a choice in a few words, with its name if there are several kinds, or a
        choice is a number.
        """
        decisions, throws = self.game.declared.decisions, self.game.declared.throws
        if kind is None:
            chosen = next(d for d in decisions if d.name == event.name)
            words = move_words(self.game, chosen, event.values)
            verb = len(chosen.kinds) == 1 and isinstance(chosen.kinds[0], type)  # roll, bank
            named = (len(decisions) > 1 and not verb) or not any(map(str.isalpha, words))
        else:
            words = throw_words(kind, event.values, event.count, face_names(self.game, kind))
            named = len(throws) > 1
        return (f"{called(self.game, event.name)} {words}" if named else words).replace(" ", TIED)

    def _draw(self, kind: Throw, event: Event) -> None:
        """Draw the dice of a roll."""
        if len(self.game.declared.throws) > 1:
            self.say(f"  {called(self.game, kind.name)}")
        width, names = screen_width() - 2, face_names(self.game, kind)
        lines = dice_lines(kind, event.values, event.count, width, self.paint, self.dice.last, names)
        self.show(f"  {line}" for line in lines)
