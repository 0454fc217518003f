"""Reviews of games with hidden information in which all seats are taken to follow mixed strategies.

A history is a state and what saved strategies remember of the moves that led there; its value is what each seat gets
when all follow their mixtures from there on. A seat's belief is a set of histories with weights, as in
`dicelab.questions.policies.skill.seen`. A move that the strategy of the seat may draw costs nothing; what it changes is
the luck of the draw, whose mean is 0. Any other move is judged by how much less it brings than the moves of the
mixture, on average over the belief; what it changes besides is what nobody could know.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from dicelab.errors import DicelabError, IllegalMoveError, ParameterError, TooLarge
from dicelab.questions.policies.mixed_policy import MixedPolicy
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.skill.review import PlayedStep, carried_out
from dicelab.questions.policies.skill.reviewed import Review, Reviewed, Shares
from dicelab.questions.policies.skill.seen import PlayEvent
from dicelab.questions.policies.skill.values import Values, wanted_by_all
from dicelab.results.base import about
from dicelab.rules.actions import OVER, Decision
from dicelab.rules.fields import applied
from dicelab.rules.game import Call, Game, counted, fresh, position, reset, seat_count, twin
from dicelab.rules.mixtures import Mixture
from dicelab.rules.private import laid_open, shown_to
from dicelab.runtime.interpreter import Explained, as_move, asked
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import pool
from dicelab.runtime.states.codec import Slots
from dicelab.runtime.timing import Stopwatch
from dicelab.solver.enumeration.mixing import chosen_by, weights_of
from dicelab.solver.enumeration.model import all_outcomes, legal_moves
from dicelab.solver.game_tree import GameTree, GeneralTree, Plans, coming
from dicelab.solver.given_plan import followed, options_of
from dicelab.solver.hidden_game import measured
from dicelab.solver.hidden_states import Numbers
from dicelab.solver.mixed import noted
from dicelab.solver.public_tree import PublicTree

MOST = 300_000
"""Limit of the histories that are valued, and of those that one roll or move may lead to."""

Mix = dict[tuple[int, ...], float]


class History(NamedTuple):
    """A state, and what the strategy of each seat remembers."""

    game: Game
    made: tuple[int, ...]


class Mixtures:
    """The strategies that all seats are taken to follow, and what histories are worth with them."""

    def __init__(self, run: Run, wanted: Objective) -> None:
        self.run = run
        slots = Slots.of(run.game, ())
        nothing = (
            np.zeros((0, slots.words), np.uint64),
            np.zeros((0, max(1, seat_count(run.game)))),
            np.zeros(0, np.int64),
        )
        self.ended = Values(run.game, wanted, *nothing)
        self.known: dict[str, tuple[float, ...]] = {}
        for call in run.calls:
            if call.strategy.memory is not None and not _is_solved(call):
                raise ParameterError(f"{call} has a memory, which no seat sees; choose a strategy without one")

    def mix(self, history: History, seat: int) -> tuple[Mix, dict[tuple[int, ...], int]]:
        """Return the probabilities of the moves of a seat, and what its strategy remembers after each."""
        call, game = self.run.calls[seat], history.game
        if _is_solved(call):
            first, moves, weights = call.strategy.moves.options(game, history.made[seat])
            after = {move: int(call.strategy.moves.after[first + n]) for n, move in enumerate(moves)}
        else:
            chosen: Any = chosen_by(game, seat, call, None)
            weights = weights_of(chosen)
            moves = [as_move(one) for one in (chosen.moves if isinstance(chosen, Mixture) else [chosen])]
            after = {}
        kind, _ = asked(game, game.next())
        assert isinstance(kind, Decision)
        mix: Mix = {}
        for move, weight in zip(moves, weights, strict=True):
            if weight and not kind.allows(game, move):
                raise IllegalMoveError(f"{call} may make the move {move} in {kind.name}, which is not allowed")
            if weight:
                mix[move] = mix.get(move, 0.0) + weight / sum(weights)
        return mix, after

    def moved(self, history: History, seat: int, move: Sequence[int], after: dict[tuple[int, ...], int]) -> History:
        """Return the history after a move of a seat."""
        game = twin(history.game)
        kind, _ = asked(game, game.next())
        applied(kind.run, game, move)
        made = list(history.made)
        made[seat] = after.get(tuple(move), 0)
        return History(game, tuple(made))

    def key(self, history: History) -> str:
        """Return what tells a history from others."""
        tallies = counted(history.game) if self.ended.objective.needs_tallies else {}
        return str((position(history.game), tallies, history.made))

    def worth(self, history: History) -> tuple[float, ...]:
        """Return what each seat gets, on average, when all follow their mixtures."""
        key = self.key(history)
        if key not in self.known:
            if len(self.known) > MOST:
                raise TooLarge(f"{history.game.name}: more than {MOST:,} histories may follow, too many to review")
            self.known[key] = self._worth(history)
        return self.known[key]

    def _worth(self, history: History) -> tuple[float, ...]:
        game = history.game
        step = game.next()
        if step == OVER:
            return tuple(float(share) for share in self.ended.result(game))
        kind, number = asked(game, step)
        if isinstance(kind, Decision):
            mix, after = self.mix(history, number)
            return _mean((p, self.worth(self.moved(history, number, move, after))) for move, p in mix.items())
        outcomes = all_outcomes(game, kind, pool(game, kind, number))
        total = sum(one.weight for one in outcomes)
        return _mean((one.weight / total, self.worth(rolled(history, kind, one.seen))) for one in outcomes)


def _is_solved(call: Call) -> bool:
    """Return whether a strategy is a file of mixed strategies, whose memory is the file's own."""
    return call.strategy.moves is not None and call.strategy.mixes


def rolled(history: History, kind: Any, values: Sequence[int]) -> History:
    """Return the history after a roll."""
    game = twin(history.game)
    applied(kind.run, game, values)
    return History(game, history.made)


def _mean(weighed: Iterable[tuple[float, tuple[float, ...]]]) -> tuple[float, ...]:
    pairs = list(weighed)
    return tuple(sum(p * shares[k] for p, shares in pairs) for k in range(len(pairs[0][1])))


class HistoryBelief:
    """The histories that look to a seat as the game does, with weights that sum to 1."""

    def __init__(self, start: History, seat: int, line: Mixtures) -> None:
        self.seat, self.line = seat, line
        self.histories = [(1.0, start)]

    def note(self, before: History, after: History, values: Sequence[int]) -> None:
        """Learn from a roll or a move: the history before and after it, and what the rules received."""
        step = before.game.next()
        kind, number = asked(before.game, step)
        looks = self._looks(before, after, kind, values)
        alike = [(weight, one) for weight, one in self.histories if one.game.next() == step]
        if not isinstance(kind, Decision):
            rolls = (
                (weight * outcome.weight, one, rolled(one, kind, outcome.seen), outcome.seen)
                for weight, one in alike
                for outcome in all_outcomes(one.game, kind, pool(one.game, kind, number))
            )
            self.histories = self._kept(rolls, kind, looks)
            return
        options = [(weight, one, *self.line.mix(one, number)) for weight, one in alike]
        if number == self.seat:
            own = tuple(values)
            self.histories = self._kept(
                ((w, one, self.line.moved(one, number, own, to), own) for w, one, _, to in options), kind, looks
            )
            return
        expected = (
            (w * p, one, self.line.moved(one, number, move, to), move)
            for w, one, mix, to in options
            for move, p in mix.items()
        )
        self.histories = self._kept(expected, kind, looks) or self._kept(
            (
                (w, one, self.line.moved(one, number, move, to), move)
                for w, one, _, to in options
                for move in legal_moves(kind, one.game)
            ),
            kind,
            looks,
        )

    def _kept(
        self, tried: Iterable[tuple[float, History, History, Sequence[int]]], kind: Any, looks: object
    ) -> list[tuple[float, History]]:
        """Return the histories after a roll or move that look as the game does, each once."""
        merged: dict[str, tuple[float, History]] = {}
        for count, (weight, before, after, values) in enumerate(tried):
            if count > MOST:
                raise TooLarge(
                    f"{after.game.name}: more than {MOST:,} histories are possible for seat {self.seat}, too many to "
                    "weigh up"
                )
            if self._looks(before, after, kind, values) == looks:
                key = self.line.key(after)
                merged[key] = (weight + merged.get(key, (0.0,))[0], after)
        total = sum(weight for weight, _ in merged.values())
        return [(weight / total, one) for weight, one in merged.values()]

    def _looks(self, before: History, after: History, kind: Any, values: Sequence[int]) -> object:
        seen = shown_to(after.game, position(after.game), self.seat)
        return seen, laid_open(before.game, after.game, kind, values)


def review_mixed(
    run: Run, played: Sequence[PlayedStep], names: Sequence[str] = (), objective: str | None = None
) -> Review:
    """Review a game with hidden information, given its rolls and moves in order, with mixed strategies.

    Parameters
    ----------
    run
        The game, and the strategies that all seats are taken to follow.
    played, names
        As in `dicelab.questions.policies.skill.review.review`.
    objective
        As in `dicelab.solve`.
    """
    watch, game = Stopwatch(), run.game
    line = Mixtures(run, wanted_by_all(game, objective))
    table = fresh(game)
    reset(table)
    seats, steps = max(1, seat_count(game)), list[Reviewed]()
    now = History(twin(table), (0,) * seats)
    beliefs = [HistoryBelief(now, seat, line) for seat in range(seats)]
    try:
        start = value = _shares(line.worth(now))
        for at, step in enumerate(played, 1):
            judging = _Judging(line, now, beliefs, step)
            with Explained(table):
                done = carried_out(table, step, at, judging.best)
            made = list(now.made)
            if done.decision is not None:
                made[done.seat] = judging.remembered
            after = History(twin(table), tuple(made))
            for belief in beliefs:
                belief.note(now, after, step.values)
            now, before, value = after, value, _shares(line.worth(after))
            unseen: Shares = ()
            if done.decision is not None:
                unseen = tuple(b - a - j for a, b, j in zip(before, value, judging.judged, strict=True))
            decided = done.decision, done.better, done.called, unseen, judging.drawn
            steps.append(Reviewed(step.kind, done.name, step.values, done.seat, before, value, *decided))
    except RecursionError:
        raise TooLarge(f"{game.name}: games may take too many rolls and choices to be reviewed") from None
    return Review(
        **(about(game, run.calls) | {"seconds": watch.seconds}),
        names=tuple(names) or tuple(f"player {seat + 1}" for seat in range(seats)),
        objective=line.ended.objective,
        steps=tuple(steps),
        start=start,
        result=value,
        over=table.next() == OVER,
    )


class _Judging:
    """Judges a decision when it is made.

    Attributes
    ----------
    judged
        What the move gave each seat, as far as the seat that made it could know.
    drawn
        Whether it is one of several moves that the strategy draws from.
    remembered
        What the strategy remembers after it.
    """

    def __init__(self, line: Mixtures, now: History, beliefs: Sequence[HistoryBelief], step: PlayedStep) -> None:
        self.line, self.now, self.beliefs, self.step = line, now, beliefs, step
        self.judged: Shares = ()
        self.drawn, self.remembered = False, 0

    def best(self, game: Game, kind: Decision, seat: int) -> tuple[int, ...]:
        """Return the move made if the strategy may make it too, else the best of those that it may make."""
        mix, after = self.line.mix(self.now, seat)
        made = self.step.values
        self.remembered = after.get(made, 0)
        if made in mix:
            self.judged, self.drawn = (Fraction(0),) * len(self.beliefs), len(mix) > 1
            return made
        means = {move: _mean(self._after(seat, move)) for move in (*mix, made)}
        expected = _mean((p, means[move]) for move, p in mix.items())
        self.judged = _shares(tuple(m - e for m, e in zip(means[made], expected, strict=True)))
        return max(mix, key=lambda move: means[move][seat])

    def _after(self, seat: int, move: tuple[int, ...]) -> Iterable[tuple[float, tuple[float, ...]]]:
        """Return what all seats get after a move, by history that the seat may believe in, with its weight."""
        for weight, one in self.beliefs[seat].histories:
            yield weight, self.line.worth(self.line.moved(one, seat, move, self.line.mix(one, seat)[1]))


def _shares(worth: tuple[float, ...]) -> Shares:
    return tuple(map(Fraction, worth))


# Mixed hints ----------------------------------------------------------------------------------------------------------
#
# What the moves of a game with hidden information are worth against mixed strategies.


def worths_of(policy: MixedPolicy) -> Numbers:
    """Return what each option is worth to its seat by what it has seen, if the others follow the policy and it responds
    as well as possible; nan where the others would never have let it come to this.

    Raises
    ------
    TooLarge
        When the game has too many histories.
    DicelabError
        When the policy was saved by another version.
    """
    call = Call(policy.strategy, ())
    solved = measured(policy.game, [call] * seat_count(policy.game))
    gets, reached = np.zeros(len(policy.weight)), np.zeros(len(policy.weight))
    for begin, (tree, mixed) in zip(solved.begins, solved.parts, strict=True):
        if isinstance(tree, PublicTree):
            assert isinstance(mixed.plans, np.ndarray)
            options = followed(tree, [call] * 2, begin)[2]
            for seat in (0, 1):
                added, likely = noted(tree, mixed.plans, seat)
                gets += np.bincount(options, added, len(gets))
                reached += np.bincount(options, likely, len(gets))
            continue
        assert isinstance(mixed.plans, tuple)
        for seat, side in enumerate(tree.sides):
            added, likely = _of_seat(tree, seat, mixed.plans)
            options = options_of(side, policy, policy.entering(begin, seat))[0][1:]
            gets += np.bincount(options, added, len(gets))
            reached += np.bincount(options, likely, len(gets))
    worths = np.full(len(gets), np.nan)
    np.divide(gets, reached, out=worths, where=reached > 0)
    return worths


def _of_seat(tree: GameTree | GeneralTree, seat: int, plans: Plans) -> tuple[Numbers, Numbers]:
    """Return by sequence of a seat, without the first, what it gets at most if the others follow their plans, times how
    likely the rolls and the others lead there; and how likely.
    """
    side, gets, likely = tree.sides[seat], tree.gets(seat, plans), coming(tree, seat, plans)
    if likely is None:
        raise TooLarge(f"the game has {tree.histories:,} histories, too many for hints")
    for k in range(len(side.knowledge) - 1, -1, -1):
        gets[side.parents[k]] += gets[side.starts[k] : side.starts[k + 1]].max()
    reached = np.repeat(likely, np.diff(side.starts))
    return gets[1:] + tree.level_of(seat) * reached, reached


class MixedHints:
    """What each move is worth to a seat by what it has seen (`worths_of`), and how often the policy makes it.

    Attributes
    ----------
    played
        The rolls and moves so far, set by what plays the game.
    """

    def __init__(self, policy: MixedPolicy, worths: Numbers | None = None) -> None:
        self.policy = policy
        self.played: Sequence[PlayEvent] = ()
        self.worths = worths_of(policy) if worths is None else worths

    def __call__(
        self, game: Game, decision: Decision, seat: int
    ) -> tuple[dict[tuple[int, ...], float], dict[tuple[int, ...], float]]:
        """Return the value of each move to a seat, and the probability with which the policy makes it.

        Raises
        ------
        DicelabError
            When the others would never have let it come to this by the policy, so that no move has a value.
        """
        table, made = fresh(self.policy.game), 0
        reset(table)
        for step in self.played:
            kind, number = asked(table, table.next())
            if isinstance(kind, Decision) and number == seat:
                first, moves, _ = self.policy.options(table, made)
                made = int(self.policy.after[first + moves.index(step.values)])
            applied(kind.run, table, step.values)
        first, moves, weights = self.policy.options(game, made)
        worths, total = self.worths[first : first + len(moves)].tolist(), sum(weights)
        if any(map(isnan, worths)):
            raise DicelabError("the policy of the others never leads here, so that it doesn't say what moves are worth")
        return dict(zip(moves, worths, strict=True)), {m: w / total for m, w in zip(moves, weights, strict=True)}
