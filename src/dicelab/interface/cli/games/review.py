"""The command `review`: luck and skill in a saved game."""

from __future__ import annotations

import click

from dicelab.interface.cli import options
from dicelab.interface.cli.commands import Command
from dicelab.interface.cli.output import draw, drawable, result_options, say
from dicelab.interface.cli.progress import states_expanded


@click.command(cls=Command)
@click.argument("file")
@click.option("--game", metavar="GAME", help="The rules, if they are in a file of yours, such as ./pig.py.")
@click.option("--objective", metavar="O", help="Value the states by win, an outcome, or most:TALLY [default: win].")
@click.option(
    "--policy",
    metavar="FILE|S",
    help="Take the values from a policy that dicelab solve --out has saved, of a game solved turn by turn; in a game "
    "with hidden information, the strategy that all are taken to follow.",
)
@options.memory
@options.plot
@result_options
def review(
    file: str, game: str | None, objective: str | None, policy: str | None, memory: int | None, plot: str | None
) -> None:
    """Review a saved game: luck, own costs and the others' errors, which add up to the result.

    FILE is a game saved by dicelab play --save, or written by hand. The game is solved first. Luck is what rolls change
    in the chance to win under optimal play; the cost of a decision is the difference from the best move. --csv and
    --json list every step.

    \b
    Examples:
      dicelab review game.json
      dicelab review game.json --plot game.svg
      dicelab review game.json --game ./pig.py
    """
    from dicelab.interface.play.review import review as run

    drawable(plot)
    with states_expanded() as watched:
        result = run(file, game, objective=objective, memory=memory, policy=policy, progress=watched["progress"])
    say(result)
    draw(plot, lambda plots: plots.plot_review(result))
