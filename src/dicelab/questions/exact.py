"""`dicelab.exact`: the exact answer about a game."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

from dicelab.errors import PlayError, RangeError, unknown
from dicelab.questions.declare import question
from dicelab.questions.options import (
    Fractions,
    GameLike,
    Memory,
    ShareWatched,
    StatesWatched,
    Store,
    Texts,
    Threads,
)
from dicelab.results.base import about, winners
from dicelab.results.result import Exact
from dicelab.results.store.answers import remembered
from dicelab.results.store.encoding import StoredQuestion
from dicelab.rules.game import Game, outcome_names
from dicelab.rules.params import bytes_allowed
from dicelab.runtime.lineup import Run
from dicelab.runtime.strategies import Strategies

if TYPE_CHECKING:
    from dicelab.solver.solution.distribution import Spread


@question(instead=("with_dice",), tab="Exact", charts="dicelab.interface.publishing.answer_html:exact_charts")
def exact(
    game: GameLike,
    strategies: Strategies = (),
    *,
    fractions: Fractions = None,
    memory: Memory = None,
    threads: Threads = None,
    given: str | None = None,
    tallies: Annotated[
        str | Sequence[str] | None, Texts("Solve only for this tally; repeat for more", "T", ("--tally",))
    ] = None,
    store: Store = None,
    progress: StatesWatched = lambda found, expanded: None,
    share: ShareWatched = lambda done: None,
    **parameters: object,
) -> Exact:
    """Compute exact probabilities by enumerating every reachable state.

    The absorbing chain that the states form is solved: in fractions where it is small, else in floating point with an
    error bound. The memories of strategies are part of a state.

    Commands
    --------
    dicelab exact pass-line
    dicelab exact lcr --players 5 --histogram turns
    dicelab exact lcr --players 3 --given turns:3
    dicelab exact lcr --players 3 --given turns:3 --plot given.svg
    dicelab exact lcr --players 6 --tally turns
    dicelab exact lcr --players 9 --dry-run
    dicelab exact tossup -s bank_over:20 -s bank_over:50 --json
    dicelab exact pass-line --dice-from 80,100,100,100,100,120
    dicelab exact lcr --players 3 --certificate lcr.json

    Parameters
    ----------
    game, strategies, **parameters
        As in `dicelab.simulate`.
    given
        A tally for which outcomes given its value (`Exact.given`) must be known, however long that takes. In large
        chains of games that are alike from every seat, by default only the count of turns has them.
    tallies
        The requested tallies; all when None. Fewer tallies take less time.
    store
        A file (docs/store.md) that keeps the answer, so that it is computed once.
    share
        Called with the share that is done, from 0 to 1, of the states that are expected, once their number is
        estimated, and then of the distributions; from any thread.

    Returns
    -------
    Exact
        Probability of each outcome and distribution of each tally.

    Raises
    ------
    TooLarge
        When the chain does not fit; the message says what is known of its size, and what would help.
    PlayError
        When a rule fails in a state that can be reached, or some game never ends.

    Examples
    --------
    >>> result = exact("pass-line")
    >>> str(result.outcomes["win"].fraction), result.states
    ('244/495', 7)
    """
    run = Run.of(game, strategies, **parameters)
    names, wanted = list(run.game.declared.tallies), tallies_of(run.game, tallies, given)
    joint = -1 if given is None else names.index(given)

    def compute() -> Exact:
        from dicelab.solver.exact_answer import answer  # it imports Numba, which a stored answer does not need

        answered = answer(run, fractions, bytes_allowed(memory), threads, progress, share, joint, wanted)
        for k, counted in zip(wanted, answered.tallies, strict=True):
            if counted.spread is not None:
                _must_be_within_bounds(run.game, names[k], counted.spread)
        return Exact(
            **about(run.game, run.calls),
            outcome_names=outcome_names(run.game),
            tally_names=tuple(names[k] for k in wanted),
            seats=winners(run.game),
            seconds=answered.seconds,
            answer=answered,
        )

    asked = partial(
        StoredQuestion.computed, "exact", run, fractions=fractions, memory=memory, given=given, tallies=wanted
    )
    return remembered(store, asked, lambda _: compute())


def tallies_of(game: Game, tallies: str | Sequence[str] | None, given: str | None = None) -> list[int]:
    """Return the places of the requested tallies, with `given` among them; all when None."""
    names = list(game.declared.tallies)
    asked = [*names] if tallies is None else [tallies] if isinstance(tallies, str) else list(tallies)
    asked += [given] if given is not None else []
    for name in asked:
        if name not in names:
            raise unknown(f"tally of {game.name}", name, names)
    return [k for k, name in enumerate(names) if name in asked]


def _must_be_within_bounds(game: Game, name: str, spread: Spread) -> None:
    """Refuse a tally that may end outside its declared bounds."""
    try:
        for value in spread.values[[0, -1]].tolist():
            game.declared.tallies[name].check_end(game, value)
    except RangeError as error:
        raise PlayError(f"{game.name}: {error}") from error
