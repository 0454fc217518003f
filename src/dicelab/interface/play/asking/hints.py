"""Hints: what each choice is worth, with optimal play from then on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from dicelab.errors import DicelabError, ParameterError
from dicelab.interface.play.asking.advice import Amounts, Chances, Hints
from dicelab.interface.play.screen.seats import seated
from dicelab.results.text.writing import probability_of
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game
from dicelab.rules.private import must_be_open
from dicelab.runtime.lineup import Run

if TYPE_CHECKING:
    from dicelab.engines.policy import Policy
    from dicelab.questions.policies.best_response import Best
    from dicelab.questions.policies.turn_policy import TurnPolicy


def hints_for(game: Game, strategies: Sequence[str], policy: str | None = None, objective: str | None = None) -> Hints:
    """Hints for the one person at a table; the game is solved at the first choice, unless a policy is given.

    If a policy that all seats were solved for plays all other seats, the hints come from it.

    Parameters
    ----------
    game
        With its parameters.
    strategies
        As given to ``dicelab play``.
    policy
        The file of a policy: hints are its values, with all seats playing the policy from then on.
    objective
        What the person plays for, if it isn't the game's default.

    Returns
    -------
    callable
        Called with game, decision and seat; returns the chance to win after each sensible move, or how much of a tally
        or of the payoff is still to come. It raises `DicelabError` if several people play, there is no objective, or
        the game is too large.

    Raises
    ------
    InputError
        When the policy is not one of this game, or there is no such objective.
    """
    if objective is not None:
        from dicelab.questions.policies.objective import Objective

        if policy is not None:
            raise ParameterError("--policy is about the objective that it was solved for; leave out --objective")
        Objective.of(game, objective)
    known = None if objective is not None else _policy_of(game, strategies)
    if policy is not None:
        from dicelab.questions.policies.files import load

        known = load(policy, game)
    if known is not None:
        return hints_of(known)
    solved: dict[int, Best] = {}

    def hints(table: Game, decision: Decision, seat: int) -> Chances | Amounts:
        if seat not in solved:
            must_be_open(game, "hints")
            from dicelab.questions.policies.best_response import Best, Unsolved
            from dicelab.solver.enumeration.model import TooLarge

            if sys.stderr.isatty():
                click.echo("looking for the best moves ...", err=True)
            try:
                solved[seat] = Best(_against(game, strategies), seat, objective)
            except (TooLarge, Unsolved) as error:
                raise DicelabError(f"{error}; --policy FILE takes hints from what dicelab solve --out saved") from error
        return _about(solved[seat].moves(table, decision), game, objective)

    return hints


def hints_of(policy: Policy | TurnPolicy) -> Hints:
    """The values of a policy as hints."""

    def hints(table: Game, decision: Decision, seat: int) -> Chances | Amounts:
        if seat not in policy.about["seats"]:
            raise DicelabError(f"the policy is not for player {seat + 1}")
        found = policy.worths(table)
        if found is None:
            raise DicelabError("the policy was not solved for this state")
        return _about(found, policy.game, str(policy.about["objective"]))

    return hints


def _about(found: Chances, game: Game, objective: str | None) -> Chances | Amounts:
    """The value of each move as a hint that says what is valued, unless it is the chance to win."""
    from dicelab.questions.policies.objective import Objective

    wanted = Objective.of(game, objective)
    if wanted.text == "win":
        return found
    if wanted.kind == "payoff":
        return Amounts(found, 1, "payoff to come")
    name = wanted.text.partition(":")[2] or wanted.text
    to_come = probability_of(name, seats=False) if wanted.is_chance else f"{name} to come"
    return Amounts(found, wanted.sign, to_come)


def _policy_of(game: Game, strategies: Sequence[str]) -> Policy | TurnPolicy | None:
    """The one policy that plays in all seats but those of people, if it was solved for all seats; None otherwise."""
    calls = seated(game, strategies)
    moves = [call.strategy.moves for call in calls if call is not None]
    if not moves or any(found is None or found.about != moves[0].about for found in moves):
        return None
    return moves[0] if len(moves[0].about["seats"]) == len(calls) else None


def _against(game: Game, strategies: Sequence[str]) -> Run:
    """The game with its strategies; an arbitrary strategy is in the seat of the person, whose moves are optimised."""
    calls = seated(game, strategies)
    if calls.count(None) > 1:
        raise DicelabError("the chance to win is known against strategies only, not against other people")
    anyone = next(iter(game.declared.strategies))
    return Run.of(game, [anyone if call is None else call for call in calls])
