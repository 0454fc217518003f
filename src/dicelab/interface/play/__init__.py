"""Play one game at the terminal, with people and strategies in its seats.

A person is a chooser like any strategy, so the reference engine plays the game: with a seed it is game 0 of that seed's
simulation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial

from dicelab.errors import DicelabError, ParameterError
from dicelab.interface.play.again import command, on
from dicelab.interface.play.asking.advice import Hints
from dicelab.interface.play.asking.hints import HintsOfMixed, HintsOfSeen
from dicelab.interface.play.asking.people import listener, somebody
from dicelab.interface.play.course import at_table, to_the_end
from dicelab.interface.play.saved import Recorder, head
from dicelab.interface.play.screen.text import encodable, folded, seated
from dicelab.rules.game import Game, seat_count
from dicelab.rules.private import private_fields
from dicelab.runtime.foreign_streams import source_of
from dicelab.runtime.interpreter import LIMIT, Event, Source
from dicelab.runtime.lineup import Call, as_seed
from dicelab.runtime.philox import Stream
from dicelab.translation.contract import must_be_lawful

__all__ = ["Hints", "play"]

MOST_PACE = 60
"""Longest pause, in seconds."""


def play(
    game: Game,
    strategies: Sequence[str],
    seed: int | None = None,
    hints: Hints | None = None,
    limit: int = LIMIT,
    *,
    stream: str | None = None,
    pace: float = 0.0,
    save: str | None = None,
    review: bool = False,
    policy: str | None = None,
    objective: str | None = None,
    asked: Hints | None = None,
    read: Callable[[str], str] = input,
    write: Callable[[str], None] = print,
) -> int:
    """Play one game with people in some of the seats; with strategies in all seats, show it roll by roll.

    Seats are counted from 1 in all that is shown.

    Parameters
    ----------
    game
        The game with its parameters.
    strategies
        One strategy per seat, or one for all; ``me`` (or ``person``) is a person. If empty, a person plays the first
        seat and the default strategy the others. A game without choices takes no strategy: a person rolls its dice.
    seed
        The game is game 0 of this seed; drawn at random when None.
    hints
        Returns the chance to win after each move. If it raises a DicelabError, the message is shown once and there
        are no more hints.
    limit
        Maximum number of throws and choices; a longer game is an `EndlessGameError`.
    stream
        Other random numbers, used die by die, instead of a seed: ``python:5``, ``r:1``.
    pace
        Seconds, 0 to 60, to wait after each roll and choice of a game without people, and after each strategy's turn.
    save
        A file in which the game is saved while it is played (docs/saved-games.md).
    review
        After the game, show its luck and what each decision cost (docs/review.md).
    policy
        A file with a policy, for the review: it is about what the policy was solved for, and isn't solved again for a
        policy that was solved turn by turn (docs/turn-by-turn.md). With hidden information, the strategy that all
        seats are taken to follow.
    objective
        What the review is about, instead.
    asked
        As `hints`, but shown only when a person types ``hint``.
    read, write
        Functions that read a line after showing a prompt, and that print a line.

    Returns
    -------
    int
        The exit status: 0 when the game ended or was left with ``q``, 1 when the input ended, 130 when interrupted.

    Raises
    ------
    InputError
        When a strategy, their number, the seed, the stream or the pace is not allowed, or the rules break the contract.
    PlayError
        When a rule or a strategy breaks the contract; the message names the seed or the stream.

    Examples
    --------
    >>> from dicelab.games.hazard import Hazard
    >>> play(Hazard(main=7), [], seed=1)
    hazard; seed 1, game 0
    One round of Hazard: the caster's main against the chance.
      main 7   chance none yet
      first roll
      ┌─────┐┌─────┐
      │●   ●││●   ●│
      │     ││●   ●│  total 10
      │●   ●││●   ●│
      └─────┘└─────┘
      The caster plays for a chance of 10
      main 7   chance 10
      roll
      ┌─────┐┌─────┐
      │●   ●││●   ●│
      │●   ●││     │  total 10
      │●   ●││●   ●│
      └─────┘└─────┘
      10 wins for the caster
    <BLANKLINE>
    The caster wins.
    rolls 2
    again: dicelab play hazard --seed 1
    0
    """
    texts = [strategies] if isinstance(strategies, str) else list(strategies)
    calls = seated(game, texts)
    must_be_lawful(type(game), [call.strategy for call in calls if call is not None])
    if not 0 <= pace <= MOST_PACE:
        raise ParameterError(f"pace: {pace:g} is not allowed; it takes seconds, 0 to {MOST_PACE}")
    source, dice = _throws(seed, stream)
    again = command(game, texts, dice, hint=hints is not None and None in calls, policy=policy, objective=objective)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"

    def say(text: str) -> None:
        write(encodable(text, encoding))

    by_hand = not calls and somebody(read)
    names = ["me" if call is None else str(call) for call in calls]
    recorder = None if save is None else Recorder(save, head(game, names, " ".join(dice).removeprefix("--")))
    hear = listener(read, say, encoding)
    table = partial(at_table, game, calls, source, hints, limit, say, hear)
    played: list[Event] = []
    for shown in (hints, asked):
        if isinstance(shown, HintsOfSeen | HintsOfMixed):
            shown.seen.played = played

    def playing() -> None:
        table(by_hand=by_hand, pace=pace, recorder=recorder, played=played, asked=asked)
        if review:
            _review(game, calls, played, policy, objective, say)
        say(folded(f"again: {again}"))

    after = f"from the start again: {again}" if save is None else f"to play on: {on(type(game), save)}"
    return to_the_end(playing, source, recorder, say, after)


def _review(
    game: Game,
    calls: Sequence[Call | None],
    played: Sequence[Event],
    policy: str | None,
    objective: str | None,
    say: Callable[[str], None],
) -> None:
    """Show the review of a game, or why there is none; a policy over all states says for what the game is solved."""
    from dicelab.interface.play.review import of_game
    from dicelab.questions.policies.files import load
    from dicelab.questions.policies.objective import has_default, no_default

    seats = ["me" if call is None else str(call) for call in calls] or ["me"] * max(1, seat_count(game))
    hidden = bool(private_fields(game))
    steps = [(event.kind, event.values) for event in played]
    try:
        known = None if policy is None or hidden else load(policy, game)
        wanted = objective if known is None else str(known.about["objective"])
        if wanted is None and not has_default(game):
            say(f"no review: {no_default(game)}")
            return
        chosen = policy if hidden or (known is not None and known.on_demand) else None
        reviewed = of_game(game, steps, seats, wanted, policy=chosen)
    except DicelabError as error:
        say(f"no review: {error}")
        return
    say("")
    say(reviewed.text())


def _throws(seed: int | None, stream: str | None) -> tuple[Source, list[str]]:
    """Return the source of the dice, and the options of the command line that select it."""
    if stream is None:
        number = as_seed(seed)
        return Stream(number, 0), ["--seed", str(number)]
    if seed is not None:
        raise ParameterError("give a seed or a stream, not both")
    return source_of(stream), ["--stream", stream]
