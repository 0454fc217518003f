"""One game at the terminal: people and strategies around a table.

A person chooses as a strategy does, so the rules, the throws and their order are those of the reference engine: what is
played with a seed is game 0 of that seed's simulation.

Exit status: 0 when the game was played to its end or a person left it with ``q``, 1 when the input ended before the
game did, 130 when it was interrupted.
"""

from __future__ import annotations

import inspect
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import IntEnum
from textwrap import wrap

import click

from dicelab.engines.plan import as_seed
from dicelab.engines.reference import LIMIT, Call, Chooser, Source, finished, parse_call, steps
from dicelab.engines.stream import Pool, Stream
from dicelab.engines.transcript import transcript
from dicelab.errors import DicelabError, IllegalMoveError, ParameterError, PlayError
from dicelab.interfaces.table import Table, encodable, in_words, legend, screen_width
from dicelab.rules.fields import Flag
from dicelab.rules.game import Game, counted, outcome_names, reset, seat_count, summary
from dicelab.rules.params import whole_number
from dicelab.rules.registry import games_in
from dicelab.rules.steps import Decision, Kind

PERSON = ("me", "person")
"""Instead of a strategy: a person plays this seat."""
ENDED, INTERRUPTED = 1, 130
MOST_LISTED, ALL_LISTED = 12, 200
"""Runs of numbers, or hints, that are shown in a question, and in its explanation."""

Hints = Callable[[Game, Decision, int], dict[tuple[int, ...], float]]
"""For each move that is allowed now, the chance of this seat to win after it."""
Say = Callable[[str], None]
Hear = Callable[[str], str]


class Left(BaseException):
    """A person left. Not an Exception: the engine takes those for faults of the rules, and explains them."""

    def __init__(self, status: int, why: str) -> None:
        self.status = status
        self.why = why


def play(
    game: Game,
    strategies: Sequence[str],
    seed: int | None = None,
    hints: Hints | None = None,
    limit: int = LIMIT,
    *,
    read: Callable[[str], str] = input,
    write: Callable[[str], None] = print,
) -> int:
    """Play one game with people in some of the seats, or tell it where there are none.

    Parameters
    ----------
    game
        The game with its parameters.
    strategies
        A strategy for each seat, or one for all; ``me`` (or ``person``) is a person. None at all: a person in seat 0
        and the default strategy in the others. A game without choices takes none: a person throws its dice.
    seed
        The game is number 0 of this seed; drawn at random when it is None.
    hints
        Gives each choice its chance to win. When it raises a DicelabError, that is said once, and hints end.
    limit
        Throws and choices after which the game is taken to be endless.
    read, write
        Ask for a line; show one.

    Returns
    -------
    int
        The exit status: 0 when the game ended or was left with ``q``, 1 when the input ended, 130 when interrupted.

    Raises
    ------
    InputError
        When a strategy, their number or the seed is not allowed.
    PlayError
        When a rule or a strategy breaks the contract; the message names the seed.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> play(TossUp(target=1), ["one_roll"], seed=1)
    tossup: players 2, dice 10, red 1, yellow 2, green 3, target 1, last_turn no; seed 1, game 0
    seat 0: one_roll
    seat 1: one_roll
    cup: 10 dice, 3 red, 4 yellow, 3 green | points 3, rolled yes
    seat 0 roll_or_bank: bank | scores 3 0, player 1, points 0, rolled no, leader 0, over yes
    over: 0 | turns 1, throws 1, busts 0
    0
    """
    texts = [strategies] if isinstance(strategies, str) else list(strategies)
    calls = seated(game, texts)
    number = as_seed(seed)
    again = command(game, texts, number, hint=hints is not None)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"

    def say(text: str) -> None:
        write(encodable(text, encoding))

    try:
        if None in calls or (not calls and _somebody(read)):
            _at_table(game, calls, number, hints, limit, say, _listener(read, say, encoding))
            say(f"again: {again}")
        else:
            _told(game, [call for call in calls if call is not None], number, limit, say)
        return 0
    except Left as left:
        if isinstance(left.__cause__, OSError):
            raise left.__cause__ from None
        status, why = left.status, left.why
    except KeyboardInterrupt:
        status, why = INTERRUPTED, "interrupted"
    except PlayError as error:
        raise type(error)(f"{error}; seed {number}, game 0") from error
    if status:
        with suppress(OSError):
            say("")  # ends the line of the question
    click.echo(f"dicelab: {why}; from the start again: {again}", err=True)
    return status


# Seats ---------------------------------------------------------------------------------------------------------------


def seated(game: Game, texts: Sequence[str]) -> list[Call | None]:
    """A strategy for each seat, None for a person; no seat at all in a game without choices.

    Raises
    ------
    InputError
        When a strategy or their number is not allowed.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> [str(call) for call in seated(TossUp(), ["me", "bank_over:30"])]
    ['None', 'bank_over:30']
    """
    if not game.declared.decisions:
        if texts:
            raise ParameterError(f"{game.name} has no choices, so it takes no strategy; leave {texts[0]!r} out")
        return []
    seats, known = seat_count(game), list(game.declared.strategies)
    if not texts and seats > 1 and not known:
        people = " ".join(["--strategy me"] * seats)
        raise ParameterError(f"{game.name} declares no strategy to play against; people in all seats: {people}")
    texts = texts or ["me", *known[:1] * (seats - 1)]
    if len(texts) not in (1, seats):
        one_each = (
            f"{seats} seats: give one strategy for all or one for each" if seats > 1 else "1 seat: give 1 strategy"
        )
        raise ParameterError(f"{game.name} has {one_each}, not {len(texts)}; me is a seat that a person plays")
    calls = [None if text in PERSON else parse_call(type(game), text) for text in texts]
    return calls if len(calls) == seats else calls * seats


def command(game: Game, texts: Sequence[str], seed: int, *, hint: bool = False) -> str:
    """The command line that plays this game.

    Examples
    --------
    >>> from dicelab.games.tossup import TossUp
    >>> command(TossUp(players=3), ["me", "one_roll", "me"], 5)
    'dicelab play tossup --players 3 --strategy me --strategy one_roll --strategy me --seed 5'
    """
    words = ["dicelab", "play", _called(type(game))]
    for param in game.declared.params.values():
        value = game.parameters[param.name]
        if value != param.default:
            words += [f"--{param.name.replace('_', '-')}", param.word(value)]
    for text in texts:
        words += ["--strategy", text]
    return shlex.join([*words, "--seed", str(seed), *(["--hint"] if hint else [])])


def _called(game: type[Game]) -> str:
    """The name of a game on the command line: that of its file where it comes from one."""
    module = sys.modules.get(game.__module__)
    if module is None or not module.__name__.startswith("dicelab_file_"):
        return game.name
    path = inspect.getfile(game)
    with suppress(OSError, ValueError):  # the folder is gone, or on another drive
        path = os.path.relpath(path)
    return path if len(games_in(module)) == 1 else f"{path}:{game.name}"


# The course of a game ------------------------------------------------------------------------------------------------


def _told(game: Game, calls: list[Call], seed: int, limit: int, say: Say) -> None:
    """The transcript of a game in which nobody is to decide."""
    for _ in steps(game, [call.chooser(game) for call in calls], Stream(seed, 0), limit):
        break  # what is wrong with the beginning is explained here; the transcript takes it to be lawful
    for line in transcript(game, calls, seed, limit=limit):
        say(line)


def _at_table(
    game: Game, calls: list[Call | None], seed: int, hints: Hints | None, limit: int, say: Say, hear: Hear
) -> None:
    """Play a game with people."""
    with suppress(Exception):  # what is wrong with the beginning, the engine says when it begins
        reset(game)
    people = {seat for seat, call in enumerate(calls) if call is None}
    names = [f"seat {seat}" for seat in range(seat_count(game))]
    for seat, call in enumerate(calls):
        names[seat] = f"seat {seat} ({call})" if call else "you" if len(people) == 1 else names[seat]
    table = Table(game, names, people, say)
    _introduce(table, calls, seed)
    advice = _advice(hints, say)
    choosers = [
        _noted(table, call.chooser(game)) if call else _person(table, names[seat], advice, hear)
        for seat, call in enumerate(calls)
    ]
    source: Source = Stream(seed, 0) if calls else Hand(Stream(seed, 0), table, hear)
    for event in steps(game, choosers, source, limit):
        table.tell(event)
    table.close()
    _conclude(table)


def _introduce(table: Table, calls: list[Call | None], seed: int) -> None:
    """What is played, by whom, and what the numbers mean."""
    game, width = table.game, screen_width()
    params = [f"{p.name} {p.word(game.parameters[p.name])}" for p in game.declared.params.values()]
    _say_all(wrap(f"{game.name}{': ' if params else ''}{', '.join(params)}; seed {seed}", width), table.say)
    _say_all(wrap(summary(type(game)), width), table.say)
    if len(calls) > 1:
        people = "you" if table.you >= 0 else "a person"
        seats = [f"seat {seat}: {call or people}" for seat, call in enumerate(calls)]
        _say_all(wrap("; ".join(seats), width), table.say)
    numbers = [name for name, f in game.declared.state.items() if not isinstance(f, Flag) and name != table.turn_field]
    _say_all(legend(game, width, numbers) if numbers else [], table.say)
    table.say("? explains the choices, q leaves." if calls else "Enter throws, a throws all the rest, q leaves.")
    if table.watched or len(calls) == 1:
        table.say("")


def _conclude(table: Table) -> None:
    """Who has won, and what was counted."""
    game = table.game
    played, outcomes = finished(game), outcome_names(game)
    if not outcomes:
        ending = "The game is over."
    elif game.outcomes is not None:
        ending = f"The game is over: {outcomes[played.outcome]}."
    else:
        name = table.names[played.outcome]
        ending = "You win." if name == "you" else f"{name[0].upper()}{name[1:]} wins."
    tallies = ", ".join(f"{in_words(name)} {value}" for name, value in counted(game).items())
    _say_all(["", table.paint(ending, "bold"), *wrap(tallies, screen_width())], table.say)


def _say_all(lines: Sequence[str], say: Say) -> None:
    for line in lines:
        say(line)


# What people say -----------------------------------------------------------------------------------------------------


def _somebody(read: Callable[[str], str]) -> bool:
    """Is there somebody to press Enter?"""
    return read is not input or (sys.stdin is not None and sys.stdin.isatty())


def _listener(read: Callable[[str], str], say: Say, encoding: str) -> Hear:
    """Ask for a line; lines that do not come from a keyboard are shown, as a terminal would."""
    shown = not _somebody(read)

    def hear(prompt: str) -> str:
        try:
            line = read("" if shown else encodable(prompt, encoding)).strip()
        except UnicodeDecodeError:
            line = "\N{REPLACEMENT CHARACTER}"
        except BrokenPipeError:
            raise
        except (EOFError, OSError, RuntimeError):  # the last where there is no stdin at all
            raise Left(ENDED, "the input ended before the game did") from None
        if shown:
            say(prompt + line)
        if line.lower() == "q":
            raise Left(0, "you left the game")
        return line

    return hear


@contextmanager
def _outside() -> Iterator[None]:
    """An output that is closed is no fault of the rules, in the midst of which people are asked."""
    try:
        yield
    except OSError as error:
        raise Left(ENDED, "can't write") from error


@dataclass
class Hand:
    """A source whose dice wait for Enter."""

    stream: Stream
    table: Table
    hear: Hear
    waits: bool = True

    def draw(self, pool: Pool) -> tuple[int, ...]:
        """What is seen of the next throw."""
        if self.waits:
            seat = self.table.thrower()
            whose = f"{self.table.names[seat]}: " if seat is not None and len(self.table.names) > 1 else ""
            with _outside():
                self.table.turn(seat)
                self.table.catch_up()
                self.wait(f"{whose}Enter to throw {pool.count} {'die' if pool.count == 1 else 'dice'} > ")
        return self.stream.draw(pool)

    def wait(self, prompt: str) -> None:
        """Wait for Enter."""
        while line := self.hear(prompt):
            if line.lower() == "a":
                self.waits = False
                self.table.at_length = set()
                return
            told = legend(self.table.game, screen_width()) if line == "?" else [f"  {line!r} is not known here"]
            told += ["  Enter throws, a throws all the rest, ? shows where the game stands, q leaves"]
            _say_all(told, self.table.say)


def _noted(table: Table, chooser: Chooser) -> Chooser:
    """A strategy whose choices the table knows of."""

    def choose(game: Game, decision: Decision, seat: int) -> object:
        table.note(decision)
        return chooser(game, decision, seat)

    return choose


def _advice(hints: Hints | None, say: Say) -> Hints:
    """The hints as long as they can be given; why not is said once."""
    given = hints

    def advice(game: Game, decision: Decision, seat: int) -> dict[tuple[int, ...], float]:
        nonlocal given
        try:
            return given(game, decision, seat) if given else {}
        except DicelabError as error:
            given = None
            _say_all(_indented(f"no hints: {error}"), say)
            return {}

    return advice


def _person(table: Table, name: str, advice: Hints, hear: Hear) -> Chooser:
    """A chooser that asks a person until a move has been made."""

    def choose(game: Game, decision: Decision, seat: int) -> tuple[int, ...]:
        question = Question(game, decision, decision.listing(game))
        if question.moves == []:
            raise IllegalMoveError(f"seat {seat} is asked to choose in {decision.name}, but no move is allowed")
        move: tuple[int, ...] = ()
        with _outside():
            table.ask(decision, seat)
            hints = question.hints(advice(game, decision, seat))
            _say_all([table.paint(line, "bold") if line.endswith("best") else line for line in hints], table.say)
            while len(move) < len(decision.kinds):
                line = hear(f"{name}: {question.asked(move)} > ")
                try:
                    move = question.extended(move, line) if line != "?" else move
                    _say_all(question.explanation() if line == "?" else [], table.say)
                except ParameterError as error:
                    _say_all(_indented(str(error)), table.say)
        return move

    return choose


def _indented(text: str) -> list[str]:
    return wrap(text, screen_width(), initial_indent="  ", subsequent_indent="  ")


# Choosing ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Question:
    """A choice put to a person: what may be answered, and what an answer means.

    Parameters
    ----------
    game, decision
        The game as it stands, and the kind of choice.
    moves
        The moves allowed now; None when they are too many to be listed.
    """

    game: Game
    decision: Decision
    moves: list[tuple[int, ...]] | None

    def values(self, begun: tuple[int, ...], place: int | None = None) -> Sequence[int]:
        """What the number at a place of a move may be after a beginning: the next one, unless `place` is given."""
        place = len(begun) if place is None else place
        if self.moves is None:
            low, high = self.decision.spans(self.game)[place]
            return range(low, high + 1)
        return sorted({move[place] for move in self.moves if move[: len(begun)] == begun})

    def parts(self) -> list[str]:
        """What the rules call each number of a move."""
        names = list(inspect.signature(self.decision.rule).parameters)[1:]
        known = len(names) == len(self.decision.kinds)
        return [in_words(n) for n in names] if known else [f"number {i + 1}" for i in range(len(self.decision.kinds))]

    def offer(self, begun: tuple[int, ...] = ()) -> str:
        """What may be answered next, in a line."""
        kind, values = self.decision.kinds[len(begun)], self.values(begun)
        if isinstance(kind, type):
            told = ", ".join(f"{key} {name}" for key, (name, value) in keys(kind).items() if value in values)
        else:
            told = spoken(values, MOST_LISTED)
        return told + ("; Enter takes it" if self.moves is not None and len(self.moves) == 1 else "")

    def asked(self, begun: tuple[int, ...]) -> str:
        """The question: what is asked for where that is not plain, and what may be answered."""
        kind, parts = self.decision.kinds[len(begun)], self.parts()
        words = [in_words(self.decision.name)] if len(self.game.declared.decisions) > 1 or len(parts) > 1 else []
        words += [named(kind, value) for kind, value in zip(self.decision.kinds, begun, strict=False)]
        words += [] if isinstance(kind, type) else [parts[len(begun)]]
        after = parts[len(begun) + 1 :]
        then = f" (then {', '.join(after)})" if after else ""
        return f"{' '.join(words)}{': ' if words else ''}{self.offer(begun)}{then}"

    def extended(self, begun: tuple[int, ...], line: str) -> tuple[int, ...]:
        """The move so far with what was typed now; an empty line takes it back, or takes the only move there is.

        Raises
        ------
        ParameterError
            Saying what is not understood or not allowed, and what is.
        """
        words = [word for word in re.split(r"[,\s]+", line) if word]
        if not words and self.moves is not None and len(self.moves) == 1:
            return self.moves[0]
        if not words and not begun:
            raise ParameterError("type your choice; ? explains, q leaves")
        move = begun if words else ()
        most = len(self.decision.kinds)
        while words:
            if len(move) == most:
                raise ParameterError(f"{' '.join(words)!r} is too much: type {' and '.join(self.parts())} only")
            value, used = self.meaning(move, words)
            move, words = (*move, value), words[used:]
        while move and len(move) < most and self.moves and len(self.values(move)) == 1:
            move = (*move, self.values(move)[0])  # where there is no choice left
        if len(move) == most and not self.decision.allows(self.game, move):
            raise ParameterError(f"{self.decision.describe(move)} is not allowed now")
        return move

    def meaning(self, begun: tuple[int, ...], words: list[str]) -> tuple[int, int]:
        """The next number of a move from the words typed, and how many of them it took."""
        kind = self.decision.kinds[len(begun)]
        found = understood(kind, words)
        if found is None:
            what = "none of the choices" if isinstance(kind, type) else "not a whole number"
            raise ParameterError(f"{words[0]!r} is {what}: {self.offer(begun)}; ? explains, q leaves")
        if found[0] not in self.values(begun):
            raise ParameterError(f"{named(kind, found[0])} is not allowed now; allowed: {self.offer(begun)}")
        return found

    def hints(self, chances: dict[tuple[int, ...], float]) -> list[str]:
        """The choices with their chance to win, the best marked."""
        kind, alone = self.decision.kinds[0], len(self.decision.kinds) == 1
        letters = {value: key for key, (_, value) in keys(kind).items()} if isinstance(kind, type) and alone else {}
        moves = list(chances) if len(chances) <= MOST_LISTED else sorted(chances, key=lambda m: -chances[m])
        shown = [(f"{letters[m[0]]}  " if letters else "", self.decision.describe(m), m) for m in moves[:MOST_LISTED]]
        wide = max((len(words) for _, words, _ in shown), default=0)
        best = max(chances.values(), default=0.0)
        lines = [
            f"  {key}{words.ljust(wide)}  {chances[move]:.4f}{'  best' if chances[move] == best else ''}"
            for key, words, move in shown
        ]
        return [*lines, f"  the best {MOST_LISTED} of {len(moves)}"] if len(moves) > MOST_LISTED else lines

    def explanation(self) -> list[str]:
        """The choices, how to type them, and where the game stands."""
        about = (self.decision.rule.__doc__ or "").strip().partition("\n")[0]
        lines = _indented(f"{in_words(self.decision.name)}{': ' if about else ''}{about}")
        for place, (kind, part) in enumerate(zip(self.decision.kinds, self.parts(), strict=True)):
            values = self.values((), place)
            if isinstance(kind, type):
                lines += [f"    {key}  {name}" for key, (name, value) in keys(kind).items() if value in values]
            else:
                lines += [f"  {line}" for line in _indented(f"{part}: {spoken(values, ALL_LISTED)}")]
        how = "  Type a letter, a word or its beginning, or a number; q leaves the game."
        several = "  Several numbers: in one line, or one after the other; an empty line takes back."
        lines += [how, several] if len(self.decision.kinds) > 1 else [how]
        return [*lines, "  The game stands at:", *legend(self.game, screen_width())]


def keys(kind: type[IntEnum]) -> dict[str, tuple[str, int]]:
    """A key for each named move, the first letter that is still free, with its name and value; q is for leaving.

    Examples
    --------
    >>> from dicelab.games.tossup import Move
    >>> keys(Move)
    {'r': ('roll', 0), 'b': ('bank', 1)}
    """
    found: dict[str, tuple[str, int]] = {}
    for member in kind:
        name = in_words(member.name.lower())
        key = next((letter for letter in name if letter.isalpha() and letter not in {*found, "q"}), str(member.value))
        found[key] = (name, member.value)
    return found


def named(kind: Kind, value: int) -> str:
    """A number of a move in the game's own words."""
    return in_words(kind(value).name.lower()) if isinstance(kind, type) else str(value)


def understood(kind: Kind, words: Sequence[str]) -> tuple[int, int] | None:
    """The number that the first words typed mean, and how many of them it took; None when they mean nothing.

    Examples
    --------
    >>> from dicelab.games.tossup import Move
    >>> understood(Move, ["Bank"]), understood(Move, ["r"]), understood(Move, ["x"]), understood(6, ["4", "2"])
    ((1, 1), (0, 1), None, (4, 1))
    """
    if not isinstance(kind, type):
        number = whole_number(words[0])
        return None if number is None else (number, 1)
    known = keys(kind)
    names = dict(known.values())
    for used in range(len(words), 0, -1):
        typed = in_words(" ".join(words[:used]).lower())
        if typed in names:
            return names[typed], used
        if typed in known:
            return known[typed][1], used
        near = [name for name in names if name.startswith(typed)]
        if len(near) == 1:
            return names[near[0]], used
    return None


def spoken(values: Sequence[int], most: int) -> str:
    """Numbers as people say them; how many they are when they are too many to be said.

    Examples
    --------
    >>> spoken([1, 2, 3, 4, 8, 9], 12), spoken([7], 12), spoken(range(0, 100, 2), 3)
    ('1 to 4, 8, 9', '7', '0, 2, 4, ... 98 (50 in all)')
    """
    runs: list[tuple[int, int]] = []
    if isinstance(values, range) and values.step == 1:
        runs, values = [(values[0], values[-1])], values[:0]  # not one by one: there may be very many
    for value in values:
        joins = runs and runs[-1][1] == value - 1
        runs[-1:] = [(runs[-1][0], value)] if joins else [*runs[-1:], (value, value)]
    told = []
    for low, high in runs:
        told += [f"{low} to {high}"] if high > low + 1 else [str(value) for value in range(low, high + 1)]
    return (
        ", ".join(told) if len(told) <= most else f"{', '.join(told[:most])}, ... {values[-1]} ({len(values)} in all)"
    )
