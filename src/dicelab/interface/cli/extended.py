"""The commands with options beyond those of the calls in Python: simulate, exact, edges, sweep, solve, policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from dicelab.errors import DicelabError, InputError, ParameterError, unknown
from dicelab.interface.cli import options
from dicelab.interface.cli.commands import (
    WORDS,
    CommandRequest,
    GameCommand,
    answer_to,
    extended,
    first_argument,
    set_option,
    show,
)
from dicelab.interface.cli.output import (
    aside,
    draw,
    end,
    form,
    keep,
    page,
    remark,
    rows_done,
    save_certificate,
    say,
    states_expanded,
    words_shown,
    writable,
)
from dicelab.questions.declare import declared
from dicelab.results.base import Forms
from dicelab.results.text.writing import many
from dicelab.rules.game import outcome_names
from dicelab.rules.loading.registry import all_games
from dicelab.rules.objectives import wanted
from dicelab.rules.params import share, whole_number
from dicelab.rules.private import private_fields

if TYPE_CHECKING:
    from dicelab.engines.policy import Policy
    from dicelab.questions.policies.bluffing import Equilibrium
    from dicelab.questions.policies.solution import Solution


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
        from dicelab.results.histogram import GivenTable, Histogram

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


@extended("solve")
@click.option(
    "--histogram",
    metavar="TALLY",
    help="Show the distribution of the tally that is optimised, if the game is solved turn by turn.",
)
@options.dry_run
@options.certificate
def solve(asked: CommandRequest, settings: dict[str, Any]) -> None:
    """Answer; or estimate what that would take, or write a certificate, too."""
    histogram, dry_run, certificate = (settings.pop(name) for name in ("histogram", "dry_run", "certificate"))
    if private_fields(asked.game):
        others = {"--plot": asked.plot, "--histogram": histogram, "--dry-run": dry_run, "--certificate": certificate}
        bluffing = _bluffing(asked, others | {f"--{name}": given for name, given in settings.items()})
        asked.answer(bluffing)
        return
    given = declared("solve").values(settings)
    if asked.out is not None and wanted(given.get("objective")).kind == "atleast":
        raise ParameterError("--out: the best moves depend on the tally, which is not part of the game's state")
    if histogram is not None and wanted(given.get("objective")).tally != histogram:
        raise ParameterError("--histogram shows the tally that is optimised: give --objective most:TALLY as well")
    if dry_run:
        from dicelab.questions.cost import solve_cost

        given = {name: value for name, value in given.items() if name not in ("store", "threads")}
        with aside(), words_shown() as said:
            said("estimating states, memory and time")
            cost = solve_cost(asked.game, **given)
        say(cost)
        return
    writable(certificate, "certificate")
    result = answer_to("solve", asked, settings, policy=asked.out is not None)
    if histogram is None:
        say(result)
    else:
        _say_with(result, histogram)
    draw(asked.plot, lambda plots: plots.plot_solution(result))
    if asked.out is not None:
        keep(result.turn_policy if result.policy is None else result.policy, asked.out)
    if certificate is not None:
        if result.turns is not None:
            raise InputError("certificate: the game was solved turn by turn, without the states within turns")
        from dicelab.questions.policies.certificate import certify_solution

        how = {name: given[name] for name in ("against", "seat", "objective") if name in given}
        with states_expanded() as watched:
            proof = certify_solution(asked.game, progress=watched["progress"], **how)
        save_certificate(proof, certificate)


def _bluffing(asked: CommandRequest, given: dict[str, Any]) -> Equilibrium:
    """Return the mixed strategies of a game with hidden information, for which most options make no sense."""
    from dicelab.questions.policies.bluffing import equilibrium

    response = {name: given.pop(f"--{name}") for name in ("against", "seat")}
    for name, value in given.items():
        if value not in (None, (), False):
            raise ParameterError(
                f"{name}: {asked.game.name} has hidden information; dicelab equilibrium solves it for all players, "
                "and has no such option"
            )
    return equilibrium(asked.game, **{name: value for name, value in response.items() if value is not None})


def _say_with(result: Solution, tally: str) -> None:
    """Print a solution with the distribution of its tally."""
    from dicelab.results.histogram import Histogram

    if result.counted is None:
        why = result.uncounted or "all states were solved; dicelab exact GAME -s policy:FILE finds it"
        say(result)
        click.echo(f"--histogram: no distribution of {tally}: {why}", err=True)
    else:
        say(result, further={"histogram": Histogram(tally, result.tallies[tally])})


class PolicyCommand(GameCommand):
    """The command `policy`: where the first argument is a policy file, the game is the one that it names."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:  # noqa: D102 (as in click)
        first = first_argument([*self.own, set_option([])], args)
        if first is not None and first.endswith(".npz"):
            args = ["--help"] if {"-h", "--help"}.intersection(args) else [_game_of(first), *args]
        return super().parse_args(ctx, args)


def _game_of(path: str) -> str:
    """Return the name of the game that a policy file is for; one in a file of the user must be named."""
    from dicelab.engines.policy_file import read

    name = str(read(path)[0]["game"])
    if name not in all_games():
        raise InputError(f"{path} is a policy of {name}, a game in a file; name it: dicelab policy FILE.py {path}")
    return name


@extended("policy", PolicyCommand)
@click.option(
    "--plot", metavar="FILE", help=f"Draw the best move into {options.PICTURE}, over fields by which it changes."
)
@click.option("--x", metavar="NAME", help="State field on the horizontal axis, such as scores[0] [default: chosen].")
@click.option("--y", metavar="NAME", help="State field on the vertical axis, such as points [default: chosen].")
@click.option("--rule", is_flag=True, help="Summarise the policy as a short rule and report its exact cost.")
@options.whole("--leaves", help="Maximum number of moves in the rule [default: 4].")
@options.decimal("--seconds", metavar="S", help="Limit of the time for which a rule is looked for [default: none].")
@click.option("--out", metavar="FILE", help="Write the rule to a file; policy:FILE is then a strategy.")
@click.option(
    "--card",
    metavar="FILE",
    help="Write the whole policy, or the states of --at, as a table: .pdf to print, .csv, or .py, a function.",
)
def policy(asked: CommandRequest, settings: dict[str, Any]) -> None:
    """Show moves; or draw the policy, summarise it, or write it as a card."""
    from dicelab.engines.policy import Policy
    from dicelab.questions.policies.advice import read_at

    plot, file, at = asked.plot, settings[WORDS], settings["at"]
    x, y, leaves, seconds, out, card = (settings[name] for name in ("x", "y", "leaves", "seconds", "out", "card"))
    _must_go_together(at, plot, settings["rule"], leaves, out, card)
    if seconds is not None and not settings["rule"]:
        raise InputError("--seconds is used with --rule; give --rule as well")
    if plot is None and (x is not None or y is not None):
        raise InputError(f"--{'y' if x is None else 'x'} is an axis of the picture; give --plot as well")
    if card is not None:
        from dicelab.interface.reporting.card import must_be_a_card

        must_be_a_card(card)
    one, table = declared("policy"), asked.game if asked.parameters else asked.kind
    if settings["rule"]:
        _sum_up(Policy.load(file, table), leaves, seconds, writable(out))
        return
    situation = one.values({"at": at}).get("at", {})
    if card is not None:
        solved = Policy.load(file, table)
        _write_card(solved, card, read_at(situation, solved.game))
        return
    known = None if plot is None else Policy.load(file, table)
    if form() != "text" or known is None:
        say(one.call(table, file, at=situation))
    if known is not None:
        draw(plot, lambda plots: plots.plot_policy(known, x, y, None, **read_at(situation, known.game)))


def _must_go_together(
    at: tuple[str, ...], plot: str | None, rule: bool, leaves: int | None, out: str | None, card: str | None
) -> None:
    """Refuse options of the command policy that exclude each other, or that need another one."""
    if not rule and (leaves is not None or out is not None):
        raise InputError(f"--{'out' if leaves is None else 'leaves'} is used with --rule; give --rule as well")
    if rule and (at or plot is not None):
        raise InputError(f"--rule summarises the whole policy; leave out --{'at' if at else 'plot'}")
    if card is not None and (rule or plot is not None):
        raise InputError(f"--card writes a file of its own; leave out --{'rule' if rule else 'plot'}")


def _write_card(policy: Policy, path: str, at: Mapping[str, int | Sequence[int]]) -> None:
    """Write a policy as a card, and say how long it is."""
    from dicelab.interface.reporting.card import card

    made = card(policy, **at)
    made.save(path)
    remark(f"written: {path}; {many(made.states, 'state')} in {many(len(made.lines), 'line')}, by {made.edge}")


def _sum_up(policy: Policy, leaves: int | None, seconds: float | None, out: str | None) -> None:
    """Print the best rule found for a policy, in some seconds; write it to the file `out` unless that is None."""
    from dicelab.questions.heuristics.rule import rule as run

    with states_expanded() as watched:
        summary = run(policy, 4 if leaves is None else leaves, seconds=seconds, **watched)
    say(summary)
    if out is not None:
        keep(summary.policy, out)
