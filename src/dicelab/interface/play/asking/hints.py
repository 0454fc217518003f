"""Hints: what each choice is worth, with optimal play from then on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from dicelab.errors import DicelabError, ParameterError
from dicelab.interface.play.asking.advice import Amounts, Chances, Hints, MixedAdvice, NotYet
from dicelab.interface.play.screen.text import seated
from dicelab.results.text.writing import many, probability_of
from dicelab.rules.actions import Decision
from dicelab.rules.game import Call, Game, counted, player_names, winner_of
from dicelab.rules.private import private_fields
from dicelab.rules.together import opens_again
from dicelab.rules.wording import called
from dicelab.rules.words import player_name
from dicelab.runtime.lineup import Run

if TYPE_CHECKING:
    from dicelab.engines.policy import Moves
    from dicelab.questions.policies.mixed_policy import MixedPolicy
    from dicelab.questions.policies.solving import Solving

PATIENCE, PIPED = 1.5, 60.0
"""Seconds for which a game is waited for at the terminal; and where the moves are piped, so that nobody waits."""
FROM_FILE = "--policy FILE takes hints from what dicelab solve --out saved"


def hints_for(game: Game, strategies: Sequence[str], policy: str | None = None, objective: str | None = None) -> Hints:
    """Hints for the one person at a table, from a policy that is given, kept, or found while the game is played.

    If a policy that all seats were solved for plays all other seats, the hints come from it. Else the game is solved
    when hints are first needed: against the strategies of the others, or for optimal play of everybody if that is too
    large. A small game is waited for; a large one is solved in the background. In one that can't be solved the hints
    are estimates, by games that are played on after each move.

    Parameters
    ----------
    game
        With its parameters.
    strategies
        As given to ``dicelab play``.
    policy
        The file of a policy: hints are its values, with all seats playing the policy from then on; or learned values.
    objective
        What the person plays for, if it isn't the game's default.

    Returns
    -------
    callable
        Called with game, decision and seat; returns the chance to win after each sensible move, or how much of a tally
        is expected at the end, or of the payoff still to come. It raises `NotYet` while the game is being solved, and
        `DicelabError` if several people play, there is no objective, or the game is too large.

    Raises
    ------
    InputError
        When the policy is not one of this game, or there is no such objective.
    """
    from dicelab.questions.policies.thinking.ahead import unseen_fields

    if policy is not None and unseen_fields(game):
        file = policy.removeprefix("policy:")
        learned = _of_values(game, file) if opens_again(game) and file.endswith(".npz") else None
        return learned or _mixed_hints(game, policy, objective) or _hints_of_seen(game, policy, objective)
    if policy is not None and opens_again(game) and not policy.endswith(".npz"):
        return _estimated_by(game, policy)
    if objective is not None:
        from dicelab.questions.policies.objective import Objective

        if policy is not None:
            raise ParameterError("--policy is about the objective that it was solved for; leave out --objective")
        Objective.of(game, objective)
    known = None if objective is not None else _policy_of(game, strategies)
    if policy is not None:
        from dicelab.questions.policies.files import load

        learned = _of_values(game, policy)
        if learned is not None:
            return learned
        known = load(policy, game)
    if known is not None:
        return hints_of(known)
    return HintsOnDemand(game, strategies, objective)


def _mixed_hints(game: Game, policy: str, objective: str | None) -> HintsOfMixed | None:
    """Return hints from a file of mixed strategies; None if it has none, or is a strategy."""
    file = policy.removeprefix("policy:")
    if not file.endswith(".npz"):
        return None
    from dicelab.questions.policies.files import strategy_of

    strategy = strategy_of(file, game)
    if strategy.moves is None or not strategy.mixes:
        return None
    if objective is not None:
        raise ParameterError("--policy is about the objective that it was solved for; leave out --objective")
    return HintsOfMixed(game, strategy.moves)


class HintsOnDemand:
    """Hints of a game that is solved when the first one is asked for."""

    def __init__(self, game: Game, strategies: Sequence[str], objective: str | None) -> None:
        self.given = game, strategies
        self.objective = objective
        self.solutions: dict[int, _Solution] = {}

    def __call__(self, table: Game, decision: Decision, seat: int) -> Chances | Amounts | MixedAdvice:
        """Return what each move is worth to a seat."""
        if seat not in self.solutions:
            self.solutions[seat] = _Solution(*self.given, seat, self.objective)
        return self.solutions[seat].hints()(table, decision, seat)

    def news(self, seat: int) -> str:
        """Return what is to be said about hints that were asked for before they were known: once how long they take,
        once that they are there; else nothing.
        """
        return self.solutions[seat].news() if seat in self.solutions else ""


class HintsOfSeen:
    """Hints in a game with hidden information, by what the seat has seen; `played` has the rolls and moves so far."""

    def __init__(self, game: Game, policy: str, objective: str | None) -> None:
        from dicelab.questions.policies.skill.seen import SeenHints

        self.seen = SeenHints(game, policy, objective)

    def __call__(self, table: Game, decision: Decision, seat: int) -> Chances | Amounts:
        """Return what each move is worth to a seat."""
        weighed, wanted = self.seen(table, decision, seat), self.seen.wanted
        return weighed if wanted.text == "win" else Amounts(weighed, wanted.sign, wanted.text)


def _hints_of_seen(game: Game, policy: str, objective: str | None) -> Hints:
    """Return hints by what the seat has seen: exact where the game can be followed to its end."""
    try:
        return HintsOfSeen(game, policy, objective)
    except ParameterError:
        if objective is not None or policy.endswith(".npz") or not opens_again(game):
            raise
        return _estimated_by(game, policy)


def _of_values(game: Game, policy: str) -> Hints | None:
    """Return estimates by a file of learned values; None for any other file."""
    from dicelab.engines import policy_file
    from dicelab.interface.play.asking.estimated import EstimatedHints

    return EstimatedHints(game, policy) if policy_file.read(policy)[0]["format"] == policy_file.VALUES else None


def _estimated_by(game: Game, policy: str) -> Hints:
    """Return estimates from games that a strategy plays on."""
    from dicelab.interface.play.asking.estimated import EstimatedHints

    return EstimatedHints(game, None, base=policy)


class HintsOfMixed:
    """Hints from saved mixed strategies: what each move is worth, and how often it is made."""

    def __init__(self, game: Game, policy: MixedPolicy) -> None:
        from dicelab.questions.policies.skill.mixed_review import MixedHints

        self.seen = MixedHints(policy)
        self.amounts = game.payoffs is not None

    def __call__(self, table: Game, decision: Decision, seat: int) -> MixedAdvice:
        """Return what each move is worth to a seat, and its share."""
        return MixedAdvice(
            *self.seen(table, decision, seat), "payoff" if self.amounts else "chance to win", self.amounts
        )


class _Solution:
    """The solution from which the hints of one seat come: at once if it is kept or small, else in the background."""

    def __init__(self, game: Game, strategies: Sequence[str], seat: int, objective: str | None) -> None:
        from dicelab.questions.policies.thinking.ahead import unseen_fields

        if unseen_fields(game) and not opens_again(game):
            raise ParameterError(
                f"{game.name} has hidden information: hints need the strategy that all seats are taken to follow; play "
                f"with --policy {next(iter(game.declared.strategies))}"
            )
        from dicelab.errors import TooLarge
        from dicelab.questions.policies.objective import has_default, no_default

        if objective is None and not has_default(game):
            raise ParameterError(no_default(game))
        self.game, self.objective = game, objective
        self.solving: Solving | None = None
        self.announced = self.timed = False  # whether was said that it takes long, and how long
        run = _against(game, strategies)
        others = [call for at, call in enumerate(run.calls) if at != seat]
        trying = [str(call) for call in others if getattr(call.strategy.moves, "call", None) is not None]
        try:
            if private_fields(game):
                why = "lets seats choose at once" if opens_again(game) else "has private fields"
                self._found: Hints | None = self._estimated(DicelabError(f"{game.name} {why}"))
            elif trying:
                why = f"what {trying[0]} does isn't known beforehand, because it tries moves out"
                self._found = self._estimated(DicelabError(why))
            elif any(call.strategy.memory is not None for call in others):
                self._found = self._with_memories(run, seat)
            else:
                self._found = None
                self._begin(others, seat)
        except TooLarge as error:
            self._found = self._estimated(DicelabError(f"{error}; {FROM_FILE}"))

    def _estimated(self, why: DicelabError) -> Hints:
        """Return hints that are estimates, and say why; if there are none, that is the error."""
        if self.objective is not None:
            raise why
        from dicelab.interface.play.asking.estimated import EstimatedHints

        try:
            estimated = EstimatedHints(self.game, None)
        except DicelabError:
            raise why from None
        click.echo(f"{why}; the hints are estimates", err=True)
        return estimated

    def _with_memories(self, run: Run, seat: int) -> Hints:
        """Hints against strategies that remember what no player sees: their values are not a policy's."""
        from dicelab.questions.policies.best_response import BestResponse

        best = BestResponse(run, seat, self.objective)
        return lambda table, decision, who: _about(best.moves(table, decision), table, self.objective)

    def _begin(self, others: Sequence[Call], seat: int) -> None:
        """Begin to solve: against the strategies of the others, or where that is too large, for optimal play of all."""
        from dicelab.questions.policies.solving import Solving

        self.solving = Solving(self.game, others, seat if others else 0, self.objective)

    def hints(self) -> Hints:
        """Return the hints.

        Raises
        ------
        NotYet, DicelabError
            When they are not known yet, or the game can't be solved.
        """
        if self._found is None:
            assert self.solving is not None
            try:
                policy = self.solving.poll(0.0 if self.announced else PATIENCE if sys.stdin.isatty() else PIPED)
            except DicelabError as error:
                self._found = self._estimated(error)
                return self._found
            if policy is None:
                raise NotYet(self._waiting())
            self._found = hints_of(policy)
            if self.solving.all_best:
                click.echo("the hints are for optimal play of everybody", err=True)
        return self._found

    def news(self) -> str:
        """Return what has become known since hints were asked for: how long they take, or that they are there."""
        if not self.announced or self.solving is None or self._found is not None:
            return ""
        try:
            self.solving.poll()
        except DicelabError:
            return ""  # it is said when a hint is asked for again
        if self.solving.policy is not None:
            self.announced = False
            return "The hints are ready: type hint."
        if self.timed or self.solving.left is None:
            return ""
        self.timed = True
        return f"The game is solved in about {_time(self.solving.left)}; then there are hints."

    def _waiting(self) -> str:
        """Return what is said while the game is being solved: at first what it takes, then how much of it is done."""
        solving, first = self.solving, not self.announced
        assert solving is not None
        self.announced = True
        found, expanded = solving.counts
        left = "" if solving.left is None else f"about {_time(solving.left)}"
        if first:
            if left:
                self.timed = True
                return f"the game is being solved, which takes {left} the first time; play on meanwhile"
            return (
                "the game is being solved, the first time only; how long that takes is said as soon as it is known (at "
                f"most {_time(solving.seconds)}); play on meanwhile"
            )
        known = f" ({expanded:,} of the {found:,} states found so far)" if found else ""
        return f"{left} left" if left else f"solving for {_time(solving.elapsed)}{known}"


def _time(seconds: float) -> str:
    """Return a time in words.

    >>> _time(0.4), _time(14), _time(200)
    ('1 second', '14 seconds', '3 minutes')
    """
    whole = max(1, round(seconds))
    return many(whole, "second") if whole < 100 else many(round(whole / 60), "minute")


def hints_of(policy: Moves) -> Hints:
    """Return the values of a policy as hints."""

    def hints(table: Game, decision: Decision, seat: int) -> Chances | Amounts:
        if seat not in policy.about["seats"]:
            raise DicelabError(f"the policy is not for {player_name(seat, player_names(table))}")
        worths = policy.worths(table)
        if worths is None:
            raise DicelabError("the policy was not solved for this state")
        return _about(worths, table, str(policy.about["objective"]))

    return hints


def _about(chances: Chances, game: Game, objective: str | None) -> Chances | Amounts:
    """Return the value of each move in the present state of a game, and what it is, unless it is the chance to win.

    Of a tally it is the value at the end of the game: what has been counted so far is added.
    """
    from dicelab.questions.policies.objective import Objective

    wanted = Objective.of(game, objective)
    if wanted.text == "win":
        return chances
    if wanted.kind == "payoff":
        return Amounts(chances, 1, "payoff to come")
    name = wanted.name
    if wanted.is_chance:
        seat = winner_of(game, wanted.number)
        about = str(seat) if seat is not None else name
        return Amounts(chances, wanted.sign, probability_of(about, seat is not None, player_names(game)))
    so_far = counted(game)[name]
    return Amounts(
        {move: so_far + v for move, v in chances.items()}, wanted.sign, f"expected final {called(game, name)}"
    )


def _policy_of(game: Game, strategies: Sequence[str]) -> Moves | None:
    """Return the one policy that plays in all seats but those of people, if it was solved for all seats; None
    otherwise.
    """
    calls = seated(game, strategies)
    moves = [call.strategy.moves for call in calls if call is not None]
    if not moves or any(move is None or move.about != moves[0].about for move in moves):
        return None
    if not hasattr(moves[0], "worths") or "seats" not in moves[0].about:
        return None  # mixed strategies, which don't say what each move is worth, and players that look ahead
    return moves[0] if len(moves[0].about["seats"]) == len(calls) else None


def _against(game: Game, strategies: Sequence[str]) -> Run:
    """Return the game with its strategies; an arbitrary strategy is in the seat of the person, whose moves are
    optimised.
    """
    calls = seated(game, strategies)
    if calls.count(None) > 1:
        raise DicelabError("the chance to win is known against strategies only, not against other people")
    anyone = next(iter(game.declared.strategies))
    return Run.of(game, [anyone if call is None else call for call in calls])
