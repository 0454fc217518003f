"""A simulation that is watched: numbers several times a second, charts now and then; it stops and continues."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

from dicelab.engines.player import Player
from dicelab.errors import DicelabError
from dicelab.interface.lab.work.answer import number_from
from dicelab.interface.lab.work.process import GameRequest, Wire, game_of
from dicelab.interface.publishing.answer_html import convergence_chart, outcomes_chart, tally_chart
from dicelab.questions.convergence import Look, curve_of, look
from dicelab.questions.exact import exact
from dicelab.questions.options import STOP_AFTER
from dicelab.questions.played import GamesSoFar
from dicelab.questions.simulate import result_of, target
from dicelab.results.numbers.estimates import number_of
from dicelab.results.result import Exact, Simulation
from dicelab.results.store.encoding import StoredQuestion
from dicelab.results.store.games import KeptGames
from dicelab.rules.params import whole_number
from dicelab.runtime.interpreter import LIMIT
from dicelab.runtime.interrupts import OutOfTime, Stopped
from dicelab.runtime.lineup import Run, as_seed, looks, part_after, usable_threads
from dicelab.runtime.scheduler import Tallied
from dicelab.runtime.timing import TimeLimit

OFTEN, SELDOM = 0.1, 0.18
"""Seconds between two messages with numbers: the longer, the more time they take."""
SHARE_OF_NUMBERS = 0.1
"""Share of one thread's time that messages may take before they are sent less often."""
SHARE = 0.03
"""Largest share of the time that drawing charts may take while games are played."""


def live(
    wire: Wire,
    asked: GameRequest,
    games: str | None,
    seed: str,
    of: str | None,
    memory: int,
    precision: str | None = None,
    on: str | None = None,
    store: str | None = None,
    seconds: str | None = None,
) -> None:
    """Play games and send the result so far, until the page goes away; games in the store are not played again.

    With a `precision` it is finished once the intervals are that narrow, after the games that the command plays. After
    so many `seconds` of playing it stops, and so often when it continues.

    The page may send ``stop``, ``continue``, and ``reveal``: to draw the exact values as well.

    Raises
    ------
    DicelabError
        When no game was over in the time.
    """
    run = Run.of(game_of(asked), asked["strategies"])
    given: Any = None if games is None else whole_number(games) or games
    most = target(run.game, given, number_from(precision), on)
    time = None if seconds is None else STOP_AFTER.check("seconds", number_from(seconds))
    watched = Watched(wire, GamesSoFar(run, number_from(precision), on), as_seed(seed), most, of, store, time)
    word = "continue"
    while True:
        if word == "reveal":
            watched.reveal(memory)
        if word in ("continue", "reveal"):
            watched.play(pause=watched.paused and word == "reveal")
        word = watched.asked or wire.asked(wait=True)


class Watched:
    """A simulation in progress.

    Parameters
    ----------
    wire
        Where the results are sent.
    played, seed
        What is played; no games yet.
    most
        The number of games; None if a precision decides.
    of
        The outcome or tally whose convergence is drawn; the first one when None.
    store
        Where totals of games are kept; nowhere when None.
    seconds
        Seconds of playing after which it stops; None for any number of them.
    """

    def __init__(
        self,
        wire: Wire,
        played: GamesSoFar,
        seed: int,
        most: int | None,
        of: str | None,
        store: str | None,
        seconds: float | None = None,
    ) -> None:
        run = played.run
        self.wire, self.run, self.most, self.seconds = wire, run, most, seconds
        self.player = Player(run, seed, threads=usable_threads(None), quiet=True)
        self.played = played
        self.finished = False
        self.of = number_of(run.game, of)
        self.store = store
        self.kept: KeptGames
        self.truth: Exact | None = None
        self.looks: list[Look] = []
        self._sent = self._drawn = perf_counter()
        self._pause, self._cost = OFTEN, 0.3
        self._next_look = part_after(0)
        self._new = 0
        self.asked = ""
        self.paused = False

    def play(self, pause: bool = False) -> None:
        """Play to the end, or until the page asks for something (`asked`) or the time is over; only draw if `pause`.

        Raises
        ------
        DicelabError
            When no game was over in the time.
        """
        self.asked, self.paused = "", pause
        try:
            if not pause and not self.finished:
                self._go_on()
        except OutOfTime:
            if not self.played.games:
                raise DicelabError("no game was over in the time that was allowed; allow more seconds") from None
        except Stopped:
            self.paused = self.asked == "stop"
            if self.asked == "reveal":
                return
            self.asked = ""
        self._numbers("finished" if self.finished else "stopped")
        self._charts()

    def _go_on(self) -> None:
        """Play on; with a store, from the games that are in it, until they are written there."""
        nothing = Tallied.empty(len(self.played.total.counts), len(self.played.tally_names))
        question = partial(StoredQuestion.of_games, self.run, self.player.seed, limit=LIMIT, records=False)
        with KeptGames(self.store, question, nothing, lambda: replace(self._result(), tallied=nothing)) as self.kept:
            if self.store is not None:
                self.played.total = Tallied.empty(len(nothing.counts), len(self.played.tally_names))
            time = TimeLimit(self.seconds)
            for upto in looks() if self.most is None else [self.most]:
                for part in self.kept.parts(upto):
                    self.played.total.merge(part)
                    self._look()
                if self.played.games < upto:  # all at once: `auto` picks its engine by the games to play
                    self.player.play(self.played.games, upto, self._done, time.is_over)
                if self.played.games == upto and self.played.is_precise():
                    break
        self.finished = True

    def reveal(self, memory: int) -> None:
        """Compute the exact values, which the charts then show as well."""
        if self.truth is None:
            try:
                self.truth = exact(self.run.game, self.run.strategies, memory=memory)
            except DicelabError as error:
                self.wire.send(note=f"No exact value: {error}")
        if self.truth is not None:
            self.wire.send(truth=self.truth.to_dict(), tables=self.truth.tables_html())

    def _done(self, chunk: Tallied) -> None:
        """Add the games of a chunk; now and then, send what is known."""
        self.played.total.merge(chunk)
        self.kept.add(chunk)
        self._new += chunk.games
        self._look()
        now = perf_counter()
        if now - self._sent > self._pause:
            self._numbers("playing")
        if now - self._drawn > self._cost / SHARE:
            self._draw("convergence")
        word = self.wire.asked()
        if word in ("stop", "reveal"):
            self.asked = word
            raise Stopped

    def _look(self) -> None:
        """Add an estimate to the curve, after the same games whether they were played or stored."""
        if self.played.games >= self._next_look:
            self.looks.append(look(self.played, self.of))
            self._next_look = part_after(self.played.games)

    def _numbers(self, state: str) -> None:
        began = perf_counter()
        if self.played.games:
            result = self._result()
            self.wire.send(now=result.to_dict(), tables=result.tables_html(), state=state, played=self._new)
        self._sent = perf_counter()
        self._pause = min(SELDOM, max(OFTEN, (self._sent - began) / SHARE_OF_NUMBERS))

    def _all_looks(self) -> list[Look]:
        """Return the estimates so far, ending with the one now."""
        ended = self.looks and self.looks[-1][0] == self.played.games
        return self.looks if ended else [*self.looks, look(self.played, self.of)]

    def _charts(self) -> None:
        """Send what all charts show; very few games have no curve."""
        curve = ["convergence"] if len(self._all_looks()) > 1 else []
        names = [*curve, *(["outcomes"] if self.played.outcome_names else []), *self.played.tally_names]
        for name in names:
            self._draw(name)

    def _draw(self, name: str) -> None:
        """Send what one chart shows."""
        began = perf_counter()
        game, result = self.run.game, self._result()
        if name == "convergence":
            curve = curve_of(self.player, self.played, self.of, self._all_looks())
            figure = convergence_chart(game, curve, self.truth)
        elif name == "outcomes":
            figure = outcomes_chart(game, result, self.truth)
        else:
            figure = tally_chart(game, result, name, self.truth)
        self.wire.send(chart=name, figure=figure)
        self._drawn = perf_counter()
        self._cost = self._drawn - began

    def _result(self) -> Simulation:
        return result_of(self.player, self.played)
