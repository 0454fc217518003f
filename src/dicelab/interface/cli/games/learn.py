"""The command `learn`: a policy learned from games alone."""

from __future__ import annotations

from typing import Any

from dicelab.interface.cli import options
from dicelab.interface.cli.commands import Asked, question
from dicelab.interface.cli.keeping import keep, writable
from dicelab.interface.cli.output import draw, end, say
from dicelab.interface.cli.progress import games_played


@question()
@options.against
@options.seat("Seat that learns, with --against: its index, from 0, or a label such as 'player 2' [default: 0].")
@options.objective
@options.whole("--games", "-n", default="20000", help="Number of games to learn from [default: 20000].")
@options.seed
@options.whole("--points", metavar="K", default="10", help="Number of points of the learning curve [default: 10].")
@options.decimal(
    "--epsilon", metavar="E", default="0.1", help="Share of moves made at random while learning [default: 0.1]."
)
@options.decimal(
    "--omega", metavar="W", default="0.8", help="Step size of the n-th update of a move's value: 1/n^W [default: 0.8]."
)
@options.out
@options.plot
@options.memory
@options.store
def learn(asked: Asked, out: str | None, **settings: Any) -> None:
    """Learn to play from games alone, and compare the learned policy with optimal play.

    One seat learns, alone or against given strategies; or two seats learn against each other.

    \b
    Examples:
      dicelab learn tossup --target 20 --against bank_over:20 --seed 1
      dicelab learn tossup --target 10 --seed 1 --games 1e5 --plot curve.svg
      dicelab learn tossup --target 20 --against bank_over:20 --out learned.npz
      dicelab learn ./pig.py --target 10 --seed 1 --points 4
    """
    from dicelab.learning.learn import learn as run

    writable(out)
    settings["seat"] = options.seat_of(asked.game, settings["seat"])
    with games_played() as progress:
        result = run(asked.game, progress=progress, **settings)
    say(result)
    if out is not None:
        keep(result.policy, out)
    if asked.plot is not None:
        from dicelab.learning.result import plot_learning

        draw(asked.plot, lambda _: plot_learning(result))
    end(result)
