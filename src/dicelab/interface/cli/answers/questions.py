"""The commands that answer questions about a game: simulate, exact, compare."""

from __future__ import annotations

from typing import Any

import click

from dicelab.errors import DicelabError, ParameterError, unknown
from dicelab.interface.cli import options
from dicelab.interface.cli.commands import Asked, question
from dicelab.interface.cli.keeping import save_certificate, writable
from dicelab.interface.cli.output import aside, draw, end, form, say
from dicelab.interface.cli.progress import games_played, states_expanded, words_shown
from dicelab.results.base import Forms
from dicelab.rules.game import outcome_names
from dicelab.rules.params import whole_number

# What `simulate` and `exact` show beside the result itself: a distribution, outcomes given a tally, a picture.


class Shown:
    """The options about output; the constructor takes them out of `settings` and checks them."""

    def __init__(self, asked: Asked, settings: dict[str, Any], simulated: bool) -> None:
        self.histogram: str | None = settings.pop("histogram")
        game = self.game = asked.game
        self.path = asked.plot
        self.of: str | None = settings.pop("of")
        given: str | None = settings.pop("given")
        tally_given, _, width = (given or "").partition(":")
        self.given = None if given is None else tally_given
        self.width = whole_number(width) if width else None
        if width and (self.width is None or self.width < 1):
            raise ParameterError(f"given: {given!r} is not allowed; it is written TALLY or TALLY:N, N being 1 or more")
        for tally in (self.histogram, self.given):
            if tally is not None and tally not in game.declared.tallies:
                raise unknown(f"tally of {game.name}", tally, game.declared.tallies)
        if self.given is not None and not outcome_names(game):
            raise ParameterError(f"{game.name} has no outcomes, only tallies, so --given has nothing to show")
        if self.histogram is not None and self.given is not None and form() == "csv":
            raise ParameterError("--csv prints one table: give --histogram or --given, not both")
        if self.of is not None and self.path is None:
            raise ParameterError("--of chooses what --plot draws; give --plot FILE as well")
        if self.path is not None:
            from dicelab.interface.cli.pictures import subject

            subject(game, self.of, simulated)

    def show(self, answer: Any, results: list[Any]) -> None:
        """Print an answer and draw its picture; `results` holds the simulation, the exact answer or both."""
        from dicelab.interface.cli.pictures import picture
        from dicelab.results.given import GivenTable
        from dicelab.results.histogram import Histogram

        last, further = results[-1], dict[str, Forms]()
        if self.histogram is not None:
            further["histogram"] = Histogram(self.histogram, last.tallies[self.histogram])
        if self.given is not None:
            further["given"] = GivenTable(self.given, last.given(self.given, self.width), last.seats)
        say(answer, further=further)
        given = (self.given, self.width) if self.given is not None and self.of is None else None
        draw(self.path, lambda plots: picture(plots, self.game, results, self.of, given))


@question()
@options.strategy
@options.games
@options.precision
@options.on
@options.seed
@options.threads
@click.option(
    "--engine",
    default="auto",
    metavar="E",
    help="Engine: auto, table, counter, turn, memo, compiled, reference or cuda [default: auto].",
)
@options.whole(
    "--limit",
    default="1000000",
    help="Stop with an error if a game takes more than N throws and choices [default: 1000000].",
)
@click.option("--explain", is_flag=True, help="Also say which engine played, and why no other.")
@click.option("--with-exact", is_flag=True, help="Also show exact values, with z-scores of the estimates.")
@options.memory
@options.histogram
@options.given
@options.plot
@options.of
@click.option(
    "--luck-adjusted",
    is_flag=True,
    help="Also solve the game, and show the estimates without luck, and the share of luck.",
)
@click.option("--out", metavar="FILE", help="Write every game to a .parquet file, one row per game.")
@options.store
@options.cluster
def simulate(asked: Asked, with_exact: bool, luck_adjusted: bool, memory: int | None, **settings: Any) -> None:
    """Play many games and estimate the outcome probabilities and the means of the tallies.

    With GAME given, --help also lists the parameters of the game.

    \b
    Examples:
      dicelab simulate hazard --main 5 --games 1e6 --seed 1
      dicelab simulate tossup -s bank_over:20 -s bank_over:50 --precision 0.001
      dicelab simulate lcr --players 6 --precision 0.1 --on turns --json
      dicelab simulate lcr --players 3 --with-exact --plot turns.svg --of turns
      dicelab simulate hazard --games 1e8 --seed 1 --out games.parquet
      dicelab simulate tossup --target 50 -s bank_over:15 -s bank_over:20 --luck-adjusted
      dicelab simulate lcr --players 9 --games 1e12 --cluster tcp://10.0.0.1:8786 --store runs.db
    """
    from dicelab.questions.simulate import simulate as run

    if settings["out"] is not None and options.from_environment("store"):
        settings["store"] = None
    shown = Shown(asked, settings, simulated=True)
    strategies = settings.pop("strategies")
    with games_played() as progress:
        result = run(asked.game, strategies, progress=progress, **settings)
    answer: Any = result
    results: list[Any] = [result]
    refused = None
    if with_exact and not result.interrupted:
        from dicelab.questions.exact import exact as solve  # it takes longer to import than a stored answer to read
        from dicelab.results.side_by_side import Beside

        try:
            with states_expanded() as watched:
                given = {name: settings[name] for name in ("threads", "store")}
                truth = solve(asked.game, strategies, memory=memory, **given, **watched)
            answer, results = Beside(result, truth), [result, truth]
        except (DicelabError, KeyboardInterrupt) as error:  # show the simulation first, then raise
            refused = error
    if luck_adjusted and not result.interrupted and refused is None:
        from dicelab.questions.policies.skill.luck import Adjusted, luck

        try:
            given = {"games": result.games, "seed": result.seed, "threads": settings["threads"]}
            with aside():
                answer = Adjusted(answer, luck(asked.game, strategies, memory=memory, **given))
        except (DicelabError, KeyboardInterrupt) as error:
            refused = error
    shown.show(answer, results)
    if refused is not None:
        raise refused
    end(result)


@question(instead="with_dice")
@options.strategy
@options.fractions
@click.option("--tally", "tallies", multiple=True, metavar="T", help="Solve only for this tally; repeat for more.")
@options.memory
@options.dry_run
@options.threads
@options.histogram
@options.given
@options.plot
@options.of
@options.certificate
@options.store
def exact(asked: Asked, dry_run: bool, certificate: str | None, **settings: Any) -> None:
    """Compute exact probabilities by enumerating every reachable state.

    \b
    Examples:
      dicelab exact pass-line
      dicelab exact lcr --players 5 --histogram turns
      dicelab exact lcr --players 3 --given turns:3
      dicelab exact lcr --players 3 --given turns:3 --plot given.svg
      dicelab exact lcr --players 6 --tally turns
      dicelab exact lcr --players 9 --dry-run
      dicelab exact tossup -s bank_over:20 -s bank_over:50 --json
      dicelab exact pass-line --dice-from 80,100,100,100,100,120
      dicelab exact lcr --players 3 --certificate lcr.json
    """
    from dicelab.questions.exact import exact as solve

    settings["tallies"] = settings["tallies"] or None
    if dry_run:
        from dicelab.questions.cost import exact_cost

        with aside(), words_shown() as said:
            said("estimating states, memory and time")
            cost = exact_cost(asked.game, **{name: settings[name] for name in ("strategies", "memory", "tallies")})
        say(cost)
        return
    writable(certificate, "certificate")
    shown = Shown(asked, settings, simulated=False)
    with states_expanded() as watched:
        result = solve(asked.game, given=shown.given, **watched, **settings)
    shown.show(result, [result])
    if certificate is not None:
        from dicelab.questions.policies.certificate import certify_exact

        with states_expanded() as watched:
            proof = certify_exact(asked.game, settings["strategies"], progress=watched["progress"])
        save_certificate(proof, certificate)
