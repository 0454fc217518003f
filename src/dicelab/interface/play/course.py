"""Show a game from beginning to end: introduction, the game itself, conclusion; or how a game that was left goes on.

A saved game is shown again after all of its moves have been checked against the rules.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from textwrap import wrap
from time import sleep
from types import FunctionType
from typing import cast

import click

from dicelab.errors import InputError, ParameterError, PlayError
from dicelab.interface.play.again import on
from dicelab.interface.play.asking.advice import Hints, adviser, news_of
from dicelab.interface.play.asking.people import Hand, Hear, Left, listener, noted, person, somebody
from dicelab.interface.play.asking.table_commands import asides, has_money
from dicelab.interface.play.saved import FORMAT, Recorder, RolledDice, SavedGame, Script, checked, entry, result_of
from dicelab.interface.play.saved import read as read_file
from dicelab.interface.play.screen.shown_game import GameScreen
from dicelab.interface.play.screen.text import PERSON, Say, encodable, in_words, legend, screen_width, seated
from dicelab.interface.play.screen.views import Faces
from dicelab.results.text.writing import many
from dicelab.rules.actions import Decision
from dicelab.rules.dice import FACES
from dicelab.rules.game import (
    Game,
    Strategy,
    counted,
    fresh,
    outcome_names,
    player_names,
    reset,
    seat_count,
    shown,
    summary,
    winner_of,
)
from dicelab.rules.loading.registry import looks_like_file
from dicelab.rules.loading.strategies import in_file, split, strategies_of
from dicelab.rules.wording import called, ended_as, move_words
from dicelab.rules.words import player_name
from dicelab.runtime.foreign_streams import source_of
from dicelab.runtime.interpreter import LIMIT, Event, Explained, Source, finished, steps
from dicelab.runtime.lineup import Call, Chooser, as_seed
from dicelab.runtime.philox import Pool, Stream
from dicelab.runtime.strategies import is_policy
from dicelab.translation.contract import must_be_lawful


def at_table(
    game: Game,
    calls: Sequence[Call | None],
    source: Source | Faces,
    hints: Hints | None,
    limit: int,
    say: Say,
    hear: Hear,
    *,
    by_hand: bool = False,
    pace: float = 0.0,
    recorder: Recorder | None = None,
    played: list[Event] | None = None,
    asked: Hints | None = None,
) -> None:
    """Play a game and show it.

    Parameters
    ----------
    game, calls, source, hints, limit
        The game; the strategy of each seat, None for a person; its dice, maybe with a `Past`; hints; maximum number of
        throws and choices.
    say, hear
        Functions that print a line, and that read one after a question.
    by_hand
        Whether a person rolls the dice of a game without choices.
    pace
        Seconds to wait after each step of a game without people, and after each turn of a strategy.
    recorder
        Writes each roll and choice, and the result.
    played
        A list to which each roll and choice is added.
    asked
        Hints that are shown when a person types ``hint``.
    """
    with Explained(game):
        reset(game)
    dice = source if isinstance(source, Faces) else Faces(source)
    table = GameScreen(game, calls, dice, say, by_hand=by_hand, pause=partial(_wait, pace))
    _introduce(table, calls, str(dice.source))
    advice = None if hints is None else adviser(hints, once=True)
    hint = None if asked is None else adviser(asked, once=False)
    asks = person(table, advice, hint, hear, news_of(asked if hints is None else None))
    choosers: list[Chooser] = [noted(table, call.chooser(game)) if call else asks for call in calls]
    if isinstance(dice, Past):
        choosers = [dice.chooser(chooser, table) for chooser in choosers]
        hear = dice.hear(hear)
    for event in steps(game, choosers, Hand(dice, table, hear) if by_hand else dice, limit):
        if recorder is not None:
            recorder.add(entry(game, event, dice.last))
        if played is not None:
            played.append(event)
        table.tell(event)
    if recorder is not None:
        recorder.finish(result_of(game))
    table.end()
    _conclude(table)


def _wait(seconds: float) -> None:
    """Let what was shown be read."""
    if seconds > 0:
        sys.stdout.flush()
        sleep(seconds)


def _introduce(table: GameScreen, calls: Sequence[Call | None], dice: str) -> None:
    """Show the game, its parameters that differ from the defaults, who plays, what numbers mean, and the commands."""
    game, width = table.game, screen_width()
    given = game.parameters
    params = [f"{p.name} {p.word(given[p.name])}" for p in game.declared.params.values() if given[p.name] != p.default]
    heading = [f"{game.name}{': ' if params else ''}{', '.join(params)}; {dice}", summary(type(game))]
    table.show(part for line in [*heading, *_seated(table, calls)] for part in wrap(line, width))
    if not table.stand():
        table.show(legend(game, width, table.secrets.seen()))
    table.show(part for line in _commands(table) for part in wrap(line, width))
    if table.by_hand or len(calls) == 1:
        table.say("")


def _seated(table: GameScreen, calls: Sequence[Call | None]) -> list[str]:
    """Return who plays; nothing for a person alone, or where nobody chooses."""
    someone = "you" if table.you >= 0 else "a person"
    if len(calls) > 1:
        names = player_names(table.game)
        seated = "; ".join(f"{player_name(seat, names)}: {call or someone}" for seat, call in enumerate(calls))
        about = dict.fromkeys(f"{call.strategy.name}: {call.summary}" for call in calls if call and call.summary)
        return [seated, *(about if table.people else ())]
    return [f"strategy: {call}" for call in calls if call]


def _commands(table: GameScreen) -> list[str]:
    """Return what people may type; nothing without people."""
    if not table.by_hand and not table.people:
        return []
    read = ", rules for the rules" if table.game.words.rulebook.sections else ""
    help = f"Type ? for help{read}, q to quit."
    keys = f"Press Enter to roll, a to roll to the end{read}, q to quit." if table.by_hand else help
    known = "; ".join(f"{word}: {about}" for word, about in asides(table.game).items())
    hidden = ", ".join(map(in_words, table.secrets.fields)) if len(table.people) > 1 else ""
    unseen = (
        [f"Several people share this screen: it is covered in between, and shows each what is hidden: {hidden}."]
        if hidden
        else []
    )
    return [keys, *([f"{known}."] if has_money(table.game) else []), *unseen]


def _conclude(table: GameScreen) -> None:
    """Show who has won, and the tallies."""
    game = table.game
    played, outcomes = finished(game), outcome_names(game)
    if not outcomes:
        ending = ended_as(game, "")
    elif (winner := winner_of(game, played.outcome)) is None:
        ending = ended_as(game, outcomes[played.outcome])
    else:
        name = table.names[winner]
        ending = "You win." if name == "you" else f"{name[0].upper()}{name[1:]} wins."
    kept = {name: value for name, value in counted(game).items() if name not in game.words.hidden}
    tallies = ", ".join(f"{called(game, name)} {value:,}" for name, value in kept.items())
    lines = [table.paint(line, "bold") for line in wrap(ending, screen_width())]
    table.show(["", *lines, *wrap(tallies, screen_width())])


# Past -----------------------------------------------------------------------------------------------------------------
#
# The moves of a saved game, made once more before the game is played on.


class Past(Faces):
    """The rolls of a saved game, then those of `source`; and the choices of the saved game.

    While saved rolls last, `source` rolls too, so that the dice of a seed go on where the game was left.
    """

    def __init__(self, script: Script, source: Source) -> None:
        super().__init__(source)
        self._saved, self._choices = deque(script.rolls), deque(script.choices)

    def draw(self, pool: Pool) -> tuple[int, ...]:
        """Return what the rules receive of the next roll."""
        seen = super().draw(pool)
        if not self._saved:
            return seen
        rolled = self._saved.popleft()
        self.last = rolled.faces or () if self.last else ()
        return rolled.seen

    def chooser(self, chooser: Chooser, table: GameScreen) -> Chooser:
        """Return a chooser that makes the saved choices, then those of `chooser`."""

        def choose(game: Game, decision: Decision, seat: int) -> object:
            if not self._choices:
                return chooser(game, decision, seat)
            if seat not in table.people:
                chooser(game, decision, seat)  # a strategy may remember what it saw
                return self._choices.popleft()
            table.ask(decision, seat)
            table.say(f"{table.names[seat]}: {move_words(game, decision, self._choices[0])}")
            return self._choices.popleft()

        return choose

    def hear(self, hear: Hear) -> Hear:
        """Return a function that reads a line, and nothing while there are saved rolls."""
        return lambda prompt: "" if self._saved else hear(prompt)


INTERRUPTED = 130
"""Exit status after Ctrl-C."""


def to_the_end(play: Callable[[], None], source: Source, recorder: Recorder | None, say: Say, after: str) -> int:
    """Play a game; if a person leaves it, say why on standard error, and `after`.

    Returns
    -------
    int
        The exit status: 0 when the game ended or was left with ``q``, 1 when the input ended, 130 when interrupted.

    Raises
    ------
    PlayError
        When a rule or a strategy breaks the contract; the message names the source of the dice.
    """
    try:
        play()
        return 0
    except Left as left:
        if isinstance(left.__cause__, OSError):
            raise left.__cause__ from None
        status, why = left.status, left.why
    except KeyboardInterrupt:
        status, why = INTERRUPTED, "interrupted"
    except PlayError as error:
        raise type(error)(f"{error}; {source}") from error
    finally:
        if recorder is not None:
            recorder.close()
    if status:
        with suppress(OSError):
            say("")  # ends the line of the question
    click.echo(f"dicelab: {why}; {after}", err=True)
    return status


# Play on a saved game that is not over.


def play_on(
    game: Game,
    saved: SavedGame,
    script: Script,
    save: str,
    strategies: Sequence[str] = (),
    *,
    pace: float = 0.0,
    read: Callable[[str], str] = input,
    write: Callable[[str], None] = print,
) -> int:
    """Make the moves of a saved game once more, and play on.

    Seats that are named after a strategy are played by it, all others by people. The dice go on where they were, if
    the file says where they came from.

    Parameters
    ----------
    game
        The game with its parameters.
    saved, script
        The file, and its moves.
    save
        The file to write, with all moves.
    strategies
        Who plays from now on, as in `dicelab.interface.play.play`; by default those of the file.
    pace
        Seconds to wait after each step of a strategy.
    read, write
        Functions that read a line after showing a prompt, and that print a line.

    Returns
    -------
    int
        The exit status, as that of `dicelab.interface.play.play`.

    Raises
    ------
    InputError
        When the game is over, or the file to write exists.
    """
    if script.over:
        raise InputError(f"{saved.path}: the game is over; leave out --save to see it")
    calls = seated(game, list(strategies) or _seats(game, saved))
    must_be_lawful(type(game), [call.strategy for call in calls if call is not None])
    source, dice = _dice(saved)
    head = {"format": FORMAT, "game": saved.game, "parameters": shown(game), "seats": saved.seats, "dice": dice}
    recorder = Recorder(save, {key: value for key, value in head.items() if value or key == "parameters"})
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"

    def say(text: str) -> None:
        write(encodable(text, encoding))

    hear = listener(read, say, encoding)
    table = partial(at_table, game, calls, Past(script, source), None, LIMIT, say, hear)
    by_hand = not calls and somebody(read)
    playing = partial(table, by_hand=by_hand, pace=pace, recorder=recorder)
    return to_the_end(playing, source, recorder, say, f"to play on: {on(type(game), save)}")


def _seats(game: Game, saved: SavedGame) -> list[str]:
    """Return a strategy or ``me`` for each seat; nothing for a game without choices.

    Raises
    ------
    InputError
        When a strategy is in a file: a program, which a saved game must not start.
    """
    if not game.declared.decisions:
        return []
    for name in saved.seats:
        if in_file(name):
            raise InputError(
                f"{saved.path}: {name} is a program; name the strategy of every seat, if you trust it (--strategy)"
            )
    known = strategies_of(type(game))
    names = [name if is_policy(name) or split(name)[0] in known else PERSON[0] for name in saved.seats]
    return names or [PERSON[0]] * max(1, seat_count(game))


def _dice(saved: SavedGame) -> tuple[Source, str]:
    """Return the dice of a saved game, and their name in the file; new dice if the file does not say where they came
    from.
    """
    kind, _, number = saved.dice.partition(" ")
    try:
        if kind == "stream":
            return source_of(number), saved.dice
        if kind == "seed":
            return Stream(as_seed(number), 0), saved.dice
    except ParameterError:
        pass
    seed = as_seed(None)
    return Stream(seed, 0), f"seed {seed}, after move {len(saved.moves)}"


def replay(
    game: type[Game],
    path: str,
    *,
    save: str | None = None,
    strategies: Sequence[str] = (),
    pace: float = 0.0,
    read: Callable[[str], str] = input,
    write: Callable[[str], None] = print,
) -> int:
    """Check a saved game, and show it roll by roll; or play it on.

    Parameters
    ----------
    game
        The game, which must be that of the file.
    path
        The file.
    save, strategies
        If it is to be played on, the file to write, and who plays on.
    pace
        Seconds to wait after each step.
    read, write
        Functions that read a line after showing a prompt, and that print a line.

    Returns
    -------
    int
        The exit status; 0 if the game is only shown.

    Raises
    ------
    InputError
        When the file can't be read, or a move is not legal; the message gives its number.
    """
    saved = read_file(path)
    if saved.game != game.name and not looks_like_file(saved.game):
        raise InputError(f"{path} is a game of {saved.game}, not of {game.name}")
    table = game(**saved.parameters)
    script = checked(fresh(table), saved)
    seats = seat_count(table) if table.declared.decisions else 0
    if saved.seats and len(saved.seats) != max(1, seat_count(table)):
        raise InputError(
            f"{path}: {len(saved.seats)} seats are named, and {table.name} has {max(1, seat_count(table))}"
        )
    if save is not None:
        return play_on(table, saved, script, save, strategies, pace=pace, read=read, write=write)
    names = saved.seats or ["player"] * seats
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"

    def say(text: str) -> None:
        write(encodable(text, encoding))

    calls = list(_calls(table, names[:seats], script))
    try:
        at_table(table, calls, _Dice(script, path), None, LIMIT, say, _nobody, pace=pace)
    except Left as left:
        say("")
        say(f"{left.why} To play on: {on(game, path)}")
    return 0


def _calls(game: Game, names: list[str], script: Script) -> Iterator[Call | None]:
    """For each seat a strategy that makes the moves of the script."""
    moves = iter(script.choices)

    def made(game: Game) -> tuple[int, ...]:
        for move in moves:
            return move
        raise _ended(script)

    for name in names:
        yield Call(Strategy(name, cast(FunctionType, made), type(game)), ())


class _Dice:
    """A source of dice that rolls those of the script."""

    def __init__(self, script: Script, path: str) -> None:
        self.script, self.path = script, path
        self._rolls = iter(script.rolls)

    def __str__(self) -> str:
        return f"saved in {self.path}"

    def draw(self, pool: Pool) -> tuple[int, ...]:
        """Return what the rules receive of the next roll; or its faces, for the picture."""
        rolled: RolledDice | None = next(self._rolls, None)
        if rolled is None:
            raise _ended(self.script)
        asks_for_faces = pool.view is FACES and len(rolled.seen) == 1 and pool.width == pool.count != 1
        return rolled.faces if asks_for_faces and rolled.faces is not None else rolled.seen


def _ended(script: Script) -> Left:
    moves = many(len(script.rolls) + len(script.choices), "move")
    return Left(0, f"The saved game ends here, after {moves}; it is not over.")


def _nobody(prompt: str) -> str:
    raise AssertionError("nobody is asked in a replay")
