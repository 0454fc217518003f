"""Show a game from beginning to end: introduction, the game itself, conclusion; or how a game that was left goes on."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from textwrap import wrap
from time import sleep

import click

from dicelab.errors import PlayError
from dicelab.interface.play.asking.advice import Hints, adviser, news_of
from dicelab.interface.play.asking.asides import asides, has_money
from dicelab.interface.play.asking.people import Hand, noted, person
from dicelab.interface.play.keyboard import Hear, Left
from dicelab.interface.play.saved import Recorder, Script, entry, result_of
from dicelab.interface.play.screen.shown_game import GameScreen
from dicelab.interface.play.screen.text import Say, in_words, legend, screen_width
from dicelab.interface.play.screen.views import Faces
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, counted, outcome_names, player_names, reset, summary, winner_of
from dicelab.rules.wording import called, ended_as, move_words
from dicelab.rules.words import player_name
from dicelab.runtime.interpreter import Event, Explained, Source, finished, steps
from dicelab.runtime.lineup import Call, Chooser
from dicelab.runtime.philox import Pool


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

    Raises
    ------
    PlayError
        When a rule or a strategy breaks the contract.
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
