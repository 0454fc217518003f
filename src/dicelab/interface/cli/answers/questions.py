"""The commands with options beyond those of the calls in Python: simulate, exact, edges, sweep."""

from __future__ import annotations

from typing import Any

import click

from dicelab.errors import DicelabError, ParameterError, unknown
from dicelab.interface.cli import options
from dicelab.interface.cli.commands import CommandRequest, answer_to, extended, show
from dicelab.interface.cli.output import aside, draw, end, form, page, save_certificate, say, writable
from dicelab.interface.cli.progress import rows_done, states_expanded, words_shown
from dicelab.questions.declare import declared
from dicelab.results.base import Forms
from dicelab.rules.game import outcome_names
from dicelab.rules.params import share, whole_number


@extended("sweep")
@click.option(
    "--solve-for",
    metavar="FIGURE=X",
    help="Find the values between which an outcome's probability, or a tally's mean, passes X: 0=50%, turns=20.",
)
def sweep(asked: CommandRequest, settings: dict[str, Any]) -> None:
    """Answer at every point, or find where a figure passes a number."""
    of, wanted = settings["of"], settings.pop("solve_for")
    given = declared("sweep").values(settings)
    if wanted is not None and of is not None:
        raise ParameterError("--of can't be used with --solve-for, which draws the figure that it is about")
    if wanted is not None:
        _find(asked, wanted, given)
        return
    if of is not None:
        from dicelab.interface.cli.output import sweepable
        from dicelab.questions.sweeps.points import points_of

        points = points_of(asked.kind, given.get("strategies", ()), given["over"], asked.parameters)
        of = sweepable([point.game for point in points], of)
    result = answer_to("sweep", asked, settings)
    asked.answer(result, (lambda plots: plots.plot_sweep(result, of)) if result.rows else None)


def _find(asked: CommandRequest, wanted: str, given: dict[str, Any]) -> None:
    """Find the values between which a figure passes a number."""
    from dicelab.questions.sweeps.solve_for import solve_for as run

    for name in ("precision", "on", "best_by"):
        if name in given:
            option, instead = name.replace("_", "-"), "" if name == "best_by" else "; give a number of games"
            raise ParameterError(f"--{option} can't be used with --solve-for{instead}")
    figure, equals, text = wanted.partition("=")
    if not figure or not equals:
        raise ParameterError(f"solve-for: {wanted!r} is not allowed; it is written FIGURE=X, such as 0=50% or turns=20")
    target = share(text, "solve-for")
    with rows_done("values") as progress:
        result = run(asked.kind, figure, target, parameters=asked.parameters, progress=progress, **given)
    asked.answer(result, (lambda plots: plots.plot_sweep(result, figure, target=target)) if result.rows else None)


@extended("edges")
@click.option("--fractions", is_flag=True, help="Show fractions instead of decimals where they are known.")
def edges(asked: CommandRequest, settings: dict[str, Any]) -> None:
    """Answer, with fractions if they are asked for."""
    result = answer_to("edges", asked, settings)
    show("edges", asked, result, result.text(page(), settings["fractions"]))


# What `simulate` and `exact` show beside the result itself: a distribution, outcomes given a tally, a picture.


class Shown:
    """The options about output; the constructor takes them out of `settings` and checks them."""

    def __init__(self, asked: CommandRequest, settings: dict[str, Any], simulated: bool) -> None:
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
            from dicelab.interface.cli.output import subject

            subject(game, self.of, simulated)

    def show(self, answer: Any, results: list[Any]) -> None:
        """Print an answer and draw its picture; `results` holds the simulation, the exact answer or both."""
        from dicelab.interface.cli.output import picture
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


@extended("simulate")
@click.option("--with-exact", is_flag=True, help="Also show exact values, with z-scores of the estimates.")
@options.memory
@options.histogram
@options.given
@options.plot
@options.of
@click.option(
    "--luck-adjusted",
    is_flag=True,
    help="Also solve the game, or estimate what states are worth, and show the estimates without luck, and the share "
    "of luck.",
)
@click.option(
    "--luck-by",
    metavar="S",
    help="The same, by estimates for all games: a file of dicelab learn, or a strategy that plays games on.",
)
def simulate(asked: CommandRequest, settings: dict[str, Any]) -> None:
    """Answer; with the exact answer or without luck, if that is asked for."""
    names = ("with_exact", "luck_adjusted", "luck_by", "memory")
    with_exact, luck_adjusted, luck_by, memory = (settings.pop(name) for name in names)
    if settings["out"] is not None and options.from_environment("store"):
        settings["store"] = None
    shown = Shown(asked, settings, simulated=True)
    given = declared("simulate").values(settings)
    strategies = given.get("strategies", ())
    result = answer_to("simulate", asked, settings)
    answer: Any = result
    results: list[Any] = [result]
    refused = None
    if with_exact and not result.interrupted:
        from dicelab.questions.exact import exact as solve  # it takes longer to import than a stored answer to read
        from dicelab.results.side_by_side import Beside

        try:
            with states_expanded() as watched:
                truth = solve(asked.game, strategies, memory=memory, **_those(given, "threads", "store"), **watched)
            answer, results = Beside(result, truth), [result, truth]
        except (DicelabError, KeyboardInterrupt) as error:  # show the simulation first, then raise
            refused = error
    if (luck_adjusted or luck_by) and not result.interrupted and refused is None:
        from dicelab.questions.policies.skill.luck import Adjusted, luck

        try:
            how = {"games": result.games, "seed": result.seed, **_those(given, "threads")}
            with aside():
                answer = Adjusted(answer, luck(asked.game, strategies, memory=memory, luck_by=luck_by, **how))
        except (DicelabError, KeyboardInterrupt) as error:
            refused = error
    shown.show(answer, results)
    if refused is not None:
        raise refused
    end(result)


def _those(given: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return those of the arguments with some names that were given."""
    return {name: given[name] for name in names if name in given}


@extended("exact")
@options.histogram
@options.given
@options.plot
@options.of
@options.dry_run
@options.certificate
def exact(asked: CommandRequest, settings: dict[str, Any]) -> None:
    """Answer; or estimate what that would take, or write a certificate, too."""
    dry_run, certificate = settings.pop("dry_run"), settings.pop("certificate")
    given = declared("exact").values(settings)
    if dry_run:
        from dicelab.questions.cost import exact_cost

        with aside(), words_shown() as said:
            said("estimating states, memory and time")
            cost = exact_cost(asked.game, **_those(given, "strategies", "memory", "tallies"))
        say(cost)
        return
    writable(certificate, "certificate")
    shown = Shown(asked, settings, simulated=False)
    result = answer_to("exact", asked, settings, given=shown.given)
    shown.show(result, [result])
    if certificate is not None:
        from dicelab.questions.policies.certificate import certify_exact

        with states_expanded() as watched:
            proof = certify_exact(asked.game, given.get("strategies", ()), progress=watched["progress"])
        save_certificate(proof, certificate)
