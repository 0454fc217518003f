"""A question to a person: which answers are allowed, and what a typed answer means."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dicelab.errors import ParameterError
from dicelab.interface.play.asking.table_commands import asides, keys, named, spoken, squeezed, understood
from dicelab.interface.play.screen.text import in_words, indented, quoted, shortened
from dicelab.interface.play.screen.views import menu_of, prompt_of
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, summary
from dicelab.rules.params import whole_number
from dicelab.rules.wording import BRACES, called, gain, move_typed, move_words, turn_field
from dicelab.rules.words import Sheet

MOST_ASKED, MOST_EXPLAINED = 12, 200
"""Maximum number of ranges of numbers shown in a question, and in its explanation."""
MOST_NAMED = 24
"""Maximum number of names listed in a question."""
MOST_MEANT = 8
"""Maximum number of moves named in a message about words that fit several."""
MOST_TRIED = 25_000
"""Maximum number of last values tested one by one if there are too many moves to list."""
IDLE = {"the", "of", "dice", "die", "and", "a"}
"""Words beside numbers or the names of dice that mean nothing."""


@dataclass(frozen=True)
class OpenChoice:
    """A question to a person.

    Parameters
    ----------
    game, decision
        The game in its current state, and the kind of choice.
    moves
        The moves allowed now; None if there are too many to list.
    at_terminal
        Whether it is asked where ``?``, ``q`` and ``bets`` may be typed, so that messages name them.
    """

    game: Game
    decision: Decision
    moves: list[tuple[int, ...]] | None
    at_terminal: bool = False

    @property
    def keys(self) -> str:
        """The end of a message about a line that was not understood."""
        return "; ? for help, q to quit" if self.at_terminal else ""

    @property
    def enter(self) -> str:
        """What is added to a question with one answer."""
        return "" if self.only() is None else " (press Enter)"

    def only(self) -> tuple[int, ...] | None:
        """Return the only legal move, or None if there are several."""
        return self.moves[0] if self.moves is not None and len(self.moves) == 1 else None

    def values(self, begun: tuple[int, ...], place: int | None = None) -> Sequence[int]:
        """Return the values allowed at a place of a move that begins with `begun`; by default at the next place."""
        place = len(begun) if place is None else place
        if self.moves is None:
            low, high = self.decision.spans(self.game)[place]
            legal, last = self.decision.legal, place == len(begun) == len(self.decision.kinds) - 1
            if legal is None or not last or high - low >= MOST_TRIED:
                return range(low, high + 1)
            return [value for value in range(low, high + 1) if legal(self.game, *begun, value)]
        return sorted({move[place] for move in self.moves if move[: len(begun)] == begun})

    def argument_names(self) -> list[str]:
        """Return the names of the parameters of the choice's rule."""
        return list(inspect.signature(self.decision.rule).parameters)[1:]

    def parts(self) -> list[str]:
        """Return the name of each value of a move: the names of the rule's parameters."""
        names, count = self.argument_names(), len(self.decision.kinds)
        return [in_words(n) for n in names] if len(names) == count else [f"number {i + 1}" for i in range(count)]

    def offer(self, begun: tuple[int, ...] = ()) -> str:
        """Return the answers allowed next, as text."""
        kind, values = self.decision.kinds[len(begun)], self.values(begun)
        if isinstance(kind, type):
            known = [(key, name) for key, (name, value) in keys(kind).items() if value in values]
            worth = {name: self._worth(name, value) for name, value in keys(kind).values()} if len(known) < 9 else {}
            text = ", ".join(
                worth.get(name, name) if key == name else f"{key} {worth.get(name, name)}" for key, name in known
            )
            if len(known) > MOST_NAMED:
                text = f"{len(known)} choices, by name"
                if self.at_terminal:
                    text += f" ({'bets' if menu_of(self.game) else '?'} lists them)"
        elif self.has_names and len(values) > MOST_NAMED:
            text = f"{len(values):,} choices, such as {self.named(0, values[0])}, {self.named(0, values[1])}"
        elif self.has_names:
            text = ", ".join(self._worth(self.named(0, value), value) for value in values)
        else:
            text = self.spoken(len(begun), values, MOST_ASKED)
        return f"{text}{self.enter}"

    def typed(self, words: list[str]) -> int | None:
        """Return the value that typed words mean, if the game gives names to them: ``threes``, ``fill threes``."""
        if not self.has_names:
            return None
        move = move_typed(self.game, self.decision, words)
        for name in (self.decision.name, called(self.game, self.decision.name)):
            first = squeezed(name)
            for many in range(1, len(words)):
                if move is None and squeezed("".join(words[:many])) == first:
                    move = move_typed(self.game, self.decision, words[many:])
        return move

    def straight_on(self, line: str) -> tuple[int, ...] | None:
        """Return the move after which the line answers the next question; None if there is none."""
        return None

    @property
    def has_names(self) -> bool:
        """Whether the game gives names to the values of this choice."""
        return len(self.decision.kinds) == 1 and self.decision.name in self.game.words.values

    def _worth(self, name: str, value: int) -> str:
        """Return the name of a move of one number, with what it scores at once."""
        if len(self.decision.kinds) > 1 or not self.decision.allows(self.game, (value,)):
            return name
        got = gain(self.game, self.decision, (value,), max(0, self.seat))
        return name if got is None or (not got and not self.has_names) else f"{name} ({got:+,})"

    @property
    def seat(self) -> int:
        """Whose turn it is, as far as the state says."""
        field = turn_field(self.game)
        return int(self.game.__dict__[field]) if field else 0

    def spoken(self, place: int, values: Sequence[int], most: int) -> str:
        """Return the numbers allowed at a place as text; seats are counted from 1, as in all that people see."""
        if place not in self.decision.seats:
            return spoken(values, most)
        nobody = " (0: nobody)" if values and values[0] < 0 else ""
        return spoken([seat + 1 for seat in values], most) + nobody

    def named(self, place: int, value: int) -> str:
        """Return a value at a place of a move as text."""
        if len(self.decision.kinds) == 1 and self.decision.name in self.game.words.values:
            return move_words(self.game, self.decision, (value,))
        return named(self.decision.kinds[place], value + 1 if place in self.decision.seats else value)

    def asked(self, begun: tuple[int, ...] = ()) -> str:
        """Return the question: what to choose, if that is not obvious, and the answers allowed."""
        kinds, parts, place = self.decision.kinds, self.parts(), len(begun)
        words = (
            [called(self.game, self.decision.name)] if len(self.game.declared.decisions) > 1 or len(parts) > 1 else []
        )
        words += [self.named(at, value) for at, value in enumerate(begun)]
        if not begun and (prompt := prompt_of(self.game)):
            return prompt
        words += [] if isinstance(kinds[place], type) or self.has_names else [parts[place]]
        head = f"{' '.join(words)}: " if words else ""
        named = [] if begun else self.move_names()
        if 0 < len(named) <= MOST_ASKED:
            return f"{head.partition(' ' + parts[place])[0].removesuffix(': ')}: {', '.join(named)}{self.enter}"
        worded = f"; or in words: {', '.join(self.examples())}" if named else ""
        then = f" (then {', '.join(parts[place + 1 :])})" if parts[place + 1 :] else ""
        if any(isinstance(part, Sheet) and part.choice == self.decision.name for part in self.game.words.board):
            values = self.values(begun)
            return f"{head}a row of the sheet, such as {self.named(0, values[-1])}" if values else head
        return f"{head}{self.offer(begun)}{then}{worded}"

    def extended(self, begun: tuple[int, ...], line: str) -> tuple[int, ...]:
        """Extend the move so far by a typed line; an empty line starts the move again, or makes the only legal move.

        Raises
        ------
        ParameterError
            When the line is not understood or not allowed; the message lists what is.
        """
        words = split(line)
        if (not begun and (words or self.only() is None)) or (words and self.begins_anew(begun, words)):
            begun, words = (), split(self.game.heard(line))
            if not words:
                raise ParameterError(f"type a choice{self.keys}")
        if not words:
            return self.only() or ()
        if not begun and len(words) > 1 and not isinstance(self.decision.kinds[0], type):
            words = words[squeezed(words[0]) == squeezed(self.decision.name) :]  # keep 2
        if not begun and (named := self.named_move(words)) is not None:
            return named
        return self.completed(begun, (not begun and self.numbers_in(words)) or words)

    def completed(self, begun: tuple[int, ...], words: list[str]) -> tuple[int, ...]:
        """Add the values that words mean to a move, and those that are the only possible ones."""
        move, most = begun, len(self.decision.kinds)
        while words:
            if len(move) == most:
                raise ParameterError(f"{quoted(' '.join(words))} is too much; type only {' and '.join(self.parts())}")
            value, used = self.meaning(move, words)
            move, words = (*move, value), words[used:]
        while len(move) < most and len(values := self.values(move)) < 2:
            self.must_be_possible(move)
            move = (*move, values[0])  # only one value is possible
        if len(move) == most:
            self.must_be_allowed(move)
        return move

    def named_move(self, words: Sequence[str]) -> tuple[int, ...] | None:
        """Return the move that typed words name as it is shown, or by a beginning that no other name has; None if the
        game has no words for its moves, or none fits.

        Raises
        ------
        ParameterError
            When the words fit several moves; the message names them.
        """
        known = [] if self.moves is None or not self.has_move_names else self.moves
        named = [(move_words(self.game, self.decision, move), move) for move in known]
        spelled, typed = [word.lower() for word in words], squeezed(" ".join(words))
        meant = [move for name, move in named if split(name.lower()) == spelled]
        meant = meant or [move for name, move in named if squeezed(name) == typed]
        if len(meant) > 1:
            numbers = " or ".join(" ".join(self.named(*one) for one in enumerate(move)) for move in meant[:MOST_MEANT])
            raise ParameterError(f"{quoted(' '.join(words))} means several moves; type the numbers of one: {numbers}")
        if meant or not any(letter.isalpha() for letter in typed):
            return meant[0] if meant else None
        return self.move_begun(words, {name: move for name, move in named if squeezed(name).startswith(typed)})

    def move_begun(self, words: Sequence[str], near: dict[str, tuple[int, ...]]) -> tuple[int, ...] | None:
        """Return the only one of the moves whose names begin with typed words; None if there is none, or the words are
        numbers.
        """
        if len(near) > 1 and self.numbers_in(words) is None:
            names = ", ".join(list(near)[:MOST_MEANT]) + (", ..." if len(near) > MOST_MEANT else "")
            raise ParameterError(f"{quoted(' '.join(words))} begins several moves: {names}")
        return next(iter(near.values())) if len(near) == 1 else None

    def numbers_in(self, words: Sequence[str]) -> list[str] | None:
        """Return the numbers among words such as ``1 of 6`` and ``2 dice with 5``; None if other words are there, or
        the game doesn't show its moves by the numbers that are typed for them.
        """
        shown, parts = self.game.words.moves.get(self.decision.name, ""), self.argument_names()
        if not shown or self.decision.name in self.game.words.values or BRACES.findall(shown) != parts:
            return None
        beside = {*IDLE, *split(BRACES.sub(" ", shown).lower())}
        beside |= {word.removesuffix("s") for word in beside}
        rest = [word for word in words if word.lower() not in beside]
        return rest if rest and all(whole_number(word) is not None for word in rest) else None

    @property
    def has_move_names(self) -> bool:
        """Whether the game has words for the moves of this choice."""
        return any(name.partition(" ")[0] == self.decision.name for name in self.game.words.moves)

    def move_names(self) -> dict[str, tuple[int, ...]]:
        """Return the moves allowed now by the words that the game has for them; empty if it has none, or they are too
        many.
        """
        if not self.has_move_names:
            return {}
        return {move_words(self.game, self.decision, move): move for move in self.moves or []}

    def examples(self) -> list[str]:
        """Return names of moves to show how they may be typed: those with words of their own, and one of the others."""
        named = self.move_names()
        own = {
            name
            for name, move in named.items()
            if " ".join([self.decision.name, *map(str, move)]) in self.game.words.moves
        }
        return [*(name for name in named if name in own), *[name for name in named if name not in own][:1]][:MOST_MEANT]

    def must_be_allowed(self, move: tuple[int, ...]) -> None:
        """Check a complete move.

        Raises
        ------
        ParameterError
            When the rules don't allow it; the message gives the reason.
        """
        if not self.decision.allows(self.game, move):
            reason = self.decision.refusal(self.game, move)
            raise ParameterError(f"{move_words(self.game, self.decision, move)} is not allowed now{reason}")

    def begins_anew(self, begun: tuple[int, ...], words: list[str]) -> bool:
        """Return whether the words name a new move, although only a number is missing from the move so far."""
        first, wanted = self.decision.kinds[0], self.decision.kinds[len(begun)]
        if whole_number(words[0]) is None and self.named_move(words) is not None:
            return True
        if isinstance(wanted, type) or not isinstance(first, type) or whole_number(words[0]) is not None:
            return False
        return understood(first, split(self.game.heard(" ".join(words))), len(self.decision.kinds) - 1) is not None

    def meaning(self, begun: tuple[int, ...], words: list[str]) -> tuple[int, int]:
        """Return the next value of a move from the typed words, and how many words it takes.

        Raises
        ------
        ParameterError
            When the words are not understood, or the value is not allowed.
        """
        self.must_be_possible(begun)
        kind, place = self.decision.kinds[len(begun)], len(begun)
        if self.has_names:
            meant = self.typed(words)
            if meant is None:
                typed = quoted(" ".join(words))
                raise ParameterError(f"{typed} is not a choice; allowed: {self.offer(begun)}{self.keys}")
            if self.moves is not None and meant not in self.values(begun):
                what = move_words(self.game, self.decision, (meant,))
                raise ParameterError(f"{what} is not allowed now{self.why(meant)}; allowed: {self.offer(begun)}")
            return meant, len(words)
        numbers = understood(kind, words, len(self.decision.kinds) - place - 1)
        if numbers is None and isinstance(kind, type):
            numbers = self.guessed(words)
        elif numbers is None and place not in self.decision.seats:
            meant = {"none": 0, "all": max(self.values(begun))}.get(words[0].lower())
            numbers = (meant, 1) if meant is not None and meant in self.values(begun) else None
        if numbers is None:
            what = "not a choice" if isinstance(kind, type) or self.has_move_names else "not a whole number"
            raise ParameterError(f"{quoted(words[0])} is {what}; allowed: {self.allowed(begun)}{self.keys}")
        if place in self.decision.seats:
            numbers = numbers[0] - 1, numbers[1]
        low, high = self.decision.spans(self.game)[place]
        if not (low <= numbers[0] <= high if self.moves is None else numbers[0] in self.values(begun)):
            value = shortened(self.named(place, numbers[0]))
            why = self.why(*begun, numbers[0])
            raise ParameterError(f"{value} is not allowed now{why}; allowed: {self.allowed(begun)}")
        return numbers

    def why(self, *move: int) -> str:
        """Return the game's reason why no move that begins so is allowed, as the end of a clause; empty if a number is
        outside its range, or the game gives none.
        """
        whole = *move, *(high for _, high in self.decision.spans(self.game)[len(move) :])
        return self.decision.refusal(self.game, whole) if self.decision.inside(self.game, whole) else ""

    def allowed(self, begun: tuple[int, ...]) -> str:
        """Return what a message names as allowed: the moves in the words of the game, as the question has them, else
        what may come next.
        """
        named = [] if begun else self.move_names()
        if 0 < len(named) <= MOST_ASKED:
            return f"{', '.join(named)}{self.enter}"
        worded = f", or in words: {', '.join(self.examples())}" if named else ""
        return f"{self.offer(begun)}{worded}"

    def guessed(self, words: list[str]) -> tuple[int, int] | None:
        """Return the only choice of the menu whose name contains these words, as returned by `meaning`; None if there
        is none.

        Raises
        ------
        ParameterError
            When several choices match, or only similar ones exist; the message names them.
        """
        open_now = [name for group in menu_of(self.game).values() for name in group]
        enough = max(1, len(words) - len(self.decision.kinds) + 1)
        typed = {squeezed(word) for word in words[:enough]} - {""}
        guesses = [name for name in open_now if typed and typed <= {squeezed(word) for word in name.split()}]
        if len(guesses) == 1:
            meant = understood(self.decision.kinds[0], [self.game.heard(guesses[0])])
            return None if meant is None else (meant[0], enough)
        near = guesses or difflib.get_close_matches(" ".join(words[:enough]).lower(), open_now, 4, 0.7)
        if near:
            names = ", ".join(near[:8]) + (", ..." if len(near) > 8 else "")
            raise ParameterError(f"{quoted(' '.join(words[:enough]))} is not a choice; did you mean {names}?")
        return None

    def names(self, line: str) -> bool:
        """Return whether the line is exactly the name of a move, and so no command."""
        kind = self.decision.kinds[0]
        shown = {name for name, _ in keys(kind).values()} if isinstance(kind, type) else {*self.move_names()}
        if self.has_names and self.moves is not None:
            shown |= {self.named(0, value) for value in self.values(())}
        return line.lower() in {name.lower() for name in shown}

    def must_be_possible(self, begun: tuple[int, ...]) -> None:
        """Check that the beginning of a move can be completed.

        Raises
        ------
        ParameterError
            When no value is allowed next.
        """
        if not self.values(begun):
            words = " ".join(self.named(at, value) for at, value in enumerate(begun))
            reason = self.decision.refusal(self.game, (*begun, self.decision.spans(self.game)[-1][1]))
            raise ParameterError(f"{words} is not allowed now{reason}")

    def explanation(self, state: list[str], hinted: bool) -> list[str]:
        """Return lines of help: the choices, how to type them, what else may be typed, and the state of the game."""
        own = inspect.getdoc(type(self.game).heard) if type(self.game).heard is not Game.heard else None
        lines = self._choices() if own is None else [line for part in own.split("\n\n") for line in indented(part)]
        lines += [line for word, about in asides(self.game).items() for line in indented(f"{word}: {about}")]
        lines += ["  hint: what each choice is worth"] if hinted else []
        quits = [] if own is None else ["  q: quit"]
        return [*lines, *quits, *(["  State of the game:", *state] if state else [])]

    def _choices(self) -> list[str]:
        """Return lines with the choices and how to type them."""
        about = summary(self.decision.rule)
        lines = indented(f"{in_words(self.decision.name)}{': ' if about else ''}{about}")
        for place, (kind, part) in enumerate(zip(self.decision.kinds, self.parts(), strict=True)):
            values = self.values((), place)
            if self.has_names:
                lines += indented(self.offer())
            elif isinstance(kind, type):
                lines += [f"    {key}  {name}" for key, (name, value) in keys(kind).items() if value in values]
            else:
                lines += [f"  {line}" for line in indented(f"{part}: {self.spoken(place, values, MOST_EXPLAINED)}")]
        if self.has_names:
            return [*lines, *indented("Type one of these names, or its beginning; q quits.")]
        named = {isinstance(kind, type) for kind in self.decision.kinds}
        typed = ["a letter, a word or its beginning"] * (True in named) + ["a number"] * (False in named)
        worded = f", or a move in words, such as {' or '.join(self.examples())}" if self.move_names() else ""
        lines += indented(f"Type {', or '.join(typed)}{worded}; q quits.")
        if len(self.decision.kinds) > 1:
            lines += indented("Type several values on one line or one by one; an empty line starts over.")
        return lines


def split(line: str) -> list[str]:
    """Return the words of a line."""
    return [word for word in re.split(r"[,\s]+", line) if word]
