"""The commands that answer questions about a game: simulate, exact, compare."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Any

import click

from dicelab.cli.answers.shown import Shown
from dicelab.cli.options import (
    GameCommand,
    apart,
    cluster_option,
    dry_run_option,
    formerly,
    fractions_option,
    from_environment,
    game_argument,
    games_option,
    given_option,
    histogram_option,
    memory_option,
    number,
    of_option,
    on_option,
    precision_option,
    seed_option,
    store_option,
    strategy_option,
    threads_option,
)
from dicelab.cli.output import draw, drawable, end, plot_option, result_options, say
from dicelab.cli.progress import games_played, rows_done, states_expanded
from dicelab.errors import DicelabError
from dicelab.rules.game import Game


@click.command(cls=GameCommand)
@game_argument
@strategy_option
@games_option
@precision_option
@on_option
@seed_option
@threads_option
@click.option(
    "--engine",
    default="auto",
    metavar="E",
    help="Engine: auto, table, counter, turn, memo, compiled, reference or cuda [default: auto].",
)
@click.option(
    "--limit",
    metavar="N",
    default="1000000",
    callback=number("limit"),
    help="Stop with an error if a game takes more than N throws and choices [default: 1000000].",
)
@click.option("--explain", is_flag=True, help="Also say which engine played, and why no other.")
@click.option("--with-exact", is_flag=True, help="Also show exact values, with z-scores of the estimates.")
@memory_option
@histogram_option
@given_option
@plot_option
@of_option
@click.option(
    "--luck-adjusted",
    is_flag=True,
    help="Also solve the game, and show the estimates without luck, and the share of luck.",
)
@click.option("--out", metavar="FILE", help="Write every game to a .parquet file, one row per game.")
@store_option
@cluster_option
@formerly("--exact", "--with-exact", is_flag=True)
@result_options
@click.pass_obj
def simulate(chosen: type[Game], /, game: str, **options: Any) -> None:
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
    from dicelab.analysis.simulate import simulate as run

    parameters, settings = apart(options)
    if settings["out"] is not None and from_environment("store"):
        settings["store"] = None
    table = chosen(**parameters)
    shown = Shown(table, settings, simulated=True)
    beside, memory = settings.pop("with_exact"), settings.pop("memory")
    strategies, adjusted = settings.pop("strategies"), settings.pop("luck_adjusted")
    with games_played() as progress:
        result = run(table, strategies, progress=progress, **settings)
    answer: Any = result
    results: list[Any] = [result]
    refused = None
    if beside and not result.interrupted:
        from dicelab.analysis.exact import exact as solve  # it takes longer to import than a stored answer to read
        from dicelab.results.side_by_side import Beside

        try:
            with states_expanded() as watched:
                given = {name: settings[name] for name in ("threads", "store")}
                truth = solve(table, strategies, memory=memory, **given, **watched)
            answer, results = Beside(result, truth), [result, truth]
        except (DicelabError, KeyboardInterrupt) as error:  # show the simulation first, then raise
            refused = error
    if adjusted and not result.interrupted and refused is None:
        from dicelab.policies.skill.luck import Adjusted, luck

        try:
            given = {"games": result.games, "seed": result.seed, "threads": settings["threads"]}
            with redirect_stdout(sys.stderr):
                answer = Adjusted(answer, luck(table, strategies, memory=memory, **given))
        except (DicelabError, KeyboardInterrupt) as error:
            refused = error
    shown.show(table, answer, results)
    if refused is not None:
        raise refused
    end(result)


@click.command(cls=GameCommand)
@game_argument
@strategy_option
@fractions_option
@click.option("--tally", "tallies", multiple=True, metavar="T", help="Solve only for this tally; repeat for more.")
@memory_option
@dry_run_option
@threads_option
@histogram_option
@given_option
@plot_option
@of_option
@store_option
@result_options
@click.pass_obj
def exact(chosen: type[Game], /, game: str, **options: Any) -> None:
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
    """
    from dicelab.analysis.exact import exact as solve

    parameters, settings = apart(options)
    settings["tallies"] = settings["tallies"] or None
    table = chosen(**parameters)
    if settings.pop("dry_run"):
        from dicelab.analysis.cost import exact_cost

        with redirect_stdout(sys.stderr):
            cost = exact_cost(table, settings["strategies"], memory=settings["memory"], tallies=settings["tallies"])
        say(cost)
        return
    shown = Shown(table, settings, simulated=False)
    with states_expanded() as watched:
        result = solve(table, settings.pop("strategies"), given=shown.given, **watched, **settings)
    shown.show(table, result, [result])


@click.command(cls=GameCommand)
@game_argument
@click.option(
    "--strategy", "-s", "strategies", multiple=True, metavar="S", help="Strategy to compare; give two or more."
)
@click.option("--exact", is_flag=True, help="Solve exactly instead of simulating.")
@memory_option
@click.option("--on", metavar="WHAT", help="The outcome or tally to compare, in a game with one seat.")
@games_option
@seed_option
@threads_option
@plot_option
@store_option
@cluster_option
@result_options
@click.pass_obj
def compare(chosen: type[Game], /, game: str, **options: Any) -> None:
    """Play every pairing of the strategies in every seat order, on the same dice.

    --plot draws a heat map: the chance of each strategy (row) against each other (column).

    \b
    Examples:
      dicelab compare tossup -s one_roll -s bank_over:20 -s bank_over:50
      dicelab compare tossup -s bank_over:20 -s bank_over:25 --exact
      dicelab compare tossup -s bank_over:20 -s bank_over:25 -s bank_over:50 --exact --plot compare.svg
    """
    from dicelab.analysis.compare import compare as run

    parameters, settings = apart(options)
    path = settings.pop("plot")
    drawable(path)
    with rows_done("line-ups") as progress:
        result = run(chosen(**parameters), settings.pop("strategies"), progress=progress, **settings)
    say(result)
    if result.pairs:
        draw(path, lambda plots: plots.plot_comparison(result))
    end(result)
