"""Optimal play in a page: the values of the states in which turns begin, from which the page finds all others.

Such a state is written as one number in mixed radix, of the numbers of the state that differ among these states. The
page looks it up, and follows the rules within a turn until it comes to such states.

In its place a page may have a learned player: the network of a file of `dicelab learn --method values`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.engines import policy_file
from dicelab.errors import DicelabError, InputError, NotSmall, ParameterError, TooLarge
from dicelab.interface.play.asking.estimated import CHANCE_TO_WIN, played_for
from dicelab.limits import LIMITS
from dicelab.questions.policies.bluffing import equilibrium
from dicelab.questions.policies.files import load
from dicelab.questions.policies.mixed_policy import MixedPolicy
from dicelab.questions.policies.objective import default_objective
from dicelab.questions.policies.plan import planned
from dicelab.questions.policies.skill.mixed_review import worths_of
from dicelab.questions.policies.skill.values import Values, values
from dicelab.questions.policies.solve import about_policy
from dicelab.questions.policies.solving import keep, path_for, used
from dicelab.questions.policies.thinking.turn_values import network_of
from dicelab.questions.policies.turn_policy import TurnPolicy
from dicelab.rules.game import Game, outcome_names, seat_count
from dicelab.rules.payoffs import has_payoffs
from dicelab.runtime.states.codec import Place, Slots, hidden_numbers
from dicelab.runtime.strategies import BEST

SOLVE, NONE = "solve", "none"
"""What can be asked for beside a file: to solve the game however large it is, and to leave optimal play out."""
SMALL_STATES = 100_000
"""States up to which a game that isn't solved by turns is solved unasked."""
MOST = 1_000_000
"""Limit on the states whose values a page holds."""
COARSEST = 2e-7
"""Largest step between two values that a page can tell apart, so that losses are right to 1e-6."""
MOST_WEIGHTS = 500_000
"""Limit on the weights between the inputs and the hidden layer of a network that a page holds: 2 MB, packed less."""
LEVELS = 2**32 - 1
"""Number of steps between the smallest and the largest value."""


@dataclass(frozen=True)
class Optimal:
    """The values that a page holds.

    Attributes
    ----------
    about
        What the scripts know of them, as plain data.
    content
        The states as differences between their numbers, then their values as multiples of a step: uint32, first the
        lowest bytes of all, then the next ones.
    """

    about: dict[str, Any]
    content: bytes


class _LargeForPage(Exception):
    """A game has more states than are solved unasked."""


def optimal(game: Game, policy: str | os.PathLike[str] | None) -> tuple[Optimal | None, str]:
    """Return what a page knows of optimal play, and why it knows nothing, as a sentence.

    Parameters
    ----------
    game
        The game with its parameters.
    policy
        A file with an optimal policy of all seats or with learned values, `SOLVE`, `NONE`, or None to solve small games
        only.

    Raises
    ------
    InputError
        When a file is given that can't be used.
    DicelabError
        When it was asked for and isn't possible.
    """
    if policy == NONE or (policy is None and not game.declared.decisions):
        return None, ""
    asked = policy is not None
    if policy not in (None, SOLVE) and policy_file.read(str(policy))[0]["format"] == policy_file.VALUES:
        return _learned(game, str(policy))
    try:
        objective = default_objective(game) if policy in (None, SOLVE) else None
        if policy in (None, SOLVE) and objective is None:
            raise NotSmall("nothing says what is played for; use solve --objective O --out FILE and --policy FILE")
        solved = _solved(game, objective, asked) if objective else _of_file(game, str(policy))
        return _packed(game, solved), ""
    except _LargeForPage as error:
        if asked:
            raise DicelabError(f"{game.name} has more than {MOST:,} states, too many for a page") from error
        return (
            None,
            f"Optimal play isn't in it, because solving it takes long; dicelab publish --policy {SOLVE} adds it.",
        )
    except DicelabError as error:
        if policy is None:
            return None, f"Optimal play isn't in it: {error}."
        if isinstance(error, InputError):
            raise
        raise DicelabError(f"optimal play of {game.name} can't be put into a page: {error}") from error


def _learned(game: Game, path: str) -> tuple[Optimal, str]:
    """Return a learned player as a page holds it, and what of its file isn't in the page.

    Raises
    ------
    InputError
        When the file is one of another game, or has values of turns.
    DicelabError
        When it is too large.
    """
    network = network_of(path, game)
    network.must_be_for(game, path)
    if not network.compiles:
        raise ParameterError(f"{path} has values of turns, which a page can't use; learn with --method values")
    if network.first.size > MOST_WEIGHTS:
        raise DicelabError(f"{path} has {network.first.size:,} weights, and a page holds {MOST_WEIGHTS:,}")
    judge, (sign, what) = network.judge(), (1, CHANCE_TO_WIN) if network.wins else played_for(game)
    about: dict[str, Any] = {"learned": True, "solved": network.about["solved"], "sign": sign, "what": what}
    about |= {"chance": what == CHANCE_TO_WIN, "seats": len(judge.out), "numbers": len(Slots.of(game, ()).low)}
    about |= {"view": judge.seen.tolist(), "single": judge.single.tolist(), "turn": int(judge.turn[0])}
    about |= {"spans": judge.spans.tolist(), "bias": network.first_bias.tolist(), "second": network.second.tolist()}
    about |= {"end": network.second_bias.tolist(), "least": network.least.tolist(), "span": network.span.tolist()}
    about |= {"prizes": judge.prizes.tolist(), "signs": judge.signs.tolist()}
    missing = "The exact ending of the learned player isn't in it: the page estimates these states as well."
    weights = (network.first + 2**31).astype("<u4").ravel()
    return Optimal(about, _bytes(weights)), missing if len(network.known) else ""


def _of_file(game: Game, path: str) -> TurnPolicy | Values:
    """Return the values of the policy of a file."""
    policy = load(path, game)
    policy.must_be_for(game, path)
    if isinstance(policy, TurnPolicy):
        return policy
    if set(policy.about["strategies"]) != {BEST}:
        raise ParameterError(
            f"{path} is a policy against given strategies; solve {game.name} without --against for a page"
        )
    return _solved(game, str(policy.about["objective"]), True)


def _solved(game: Game, objective: str | None, asked: bool) -> TurnPolicy | Values:
    """Return the values of the beginnings of turns; where a game can't be solved by turns, those of all states."""
    plan = planned(game, (), 0, objective, None, {})
    if not plan.all_optimal:
        shared = has_payoffs(game) and game.payoffs is None and len(outcome_names(game)) > seat_count(game)
        raise NotSmall(
            "a page holds that of one or two seats that play to win, or of one that plays for a tally"
            + ("; here a draw counts as half a win for each" if shared else "")
        )
    path = path_for(game, "values", str(objective), "beginnings of turns")
    kept = used(path, lambda file: TurnPolicy.load(file, game))
    if kept is not None:
        return kept
    try:
        turns, by_turns = plan.turn_by_turn(_look(None if asked else LIMITS.page_beginnings))
    except NotSmall:
        return values(game, objective=objective, progress=_look(MOST if asked else SMALL_STATES))
    policy = TurnPolicy.of(game, about_policy(plan, turns.value, turns.error), by_turns)
    keep(path, lambda file: policy.save(Path(file)))
    return policy


def _look(most: int | None) -> Callable[[int, int], None]:
    """Return what ends a solution that has more states."""

    def look(found: int, done: int) -> None:
        if most is not None and found > most:
            raise _LargeForPage

    return look


def _packed(game: Game, solved: TurnPolicy | Values) -> Optimal:
    """Return values as a page holds them.

    Raises
    ------
    NotSmall
        When they don't fit.
    """
    wanted = solved.objective
    seats, outcomes = max(1, seat_count(game)), len(outcome_names(game))
    if seats > 1 and (wanted.kind != "win" or outcomes != 2):
        raise NotSmall("a page holds that of two seats only where one of them wins")
    numbers, value = solved.beginnings()
    if len(value) > MOST:
        raise NotSmall(f"its turns begin in {len(value):,} states, and a page holds the values of {MOST:,}")
    low, high = numbers.min(axis=0), numbers.max(axis=0)
    size = (high - low + 1).tolist()
    place = np.zeros(len(value), np.float64)
    for column, many in enumerate(size):
        place = place * many + (numbers[:, column] - low[column])
    if np.prod(np.array(size, np.float64)) >= 2.0**53:
        raise NotSmall("its states have too many numbers for a page")
    order = np.argsort(place)
    steps = np.diff(place[order], prepend=0.0)
    first, step = float(value.min()), float(value.max() - value.min()) / LEVELS
    if step > COARSEST or steps.max() > LEVELS:
        raise NotSmall("its values are too far apart for a page")
    levels = np.rint((value[order] - first) / step) if step else np.zeros(len(value))
    aims = wanted.aims(game, seats)
    about = {
        "objective": wanted.text,
        "chance": wanted.is_chance,
        "sign": wanted.sign,
        "tally": wanted.number if wanted.counts else -1,
        "prize": list(aims.prize),
        "low": low.tolist(),
        "size": size,
        "states": len(value),
        "first": first,
        "step": step,
    }
    return Optimal(about, _bytes(steps) + _bytes(levels))


def _bytes(numbers: NDArray[Any]) -> bytes:
    """Return whole numbers below 2**32 with the lowest bytes of all first, then the next ones."""
    return numbers.astype("<u4").view(np.uint8).reshape(-1, 4).T.tobytes()


# Mixed strategies in a page: what a player sees in each situation, its moves, their weights, their worth --------------


MOST_MOVES = 400_000
"""Limit on the moves in all situations that a page holds."""
DIGITS = 7
"""Decimal places of what a move is worth."""


def mixed(game: Game, policy: str | os.PathLike[str] | None) -> tuple[Optimal | None, str]:
    """Return what a page knows of the equilibrium of a game with hidden information, and why it knows nothing.

    Parameters
    ----------
    game
        The game with its parameters.
    policy
        A file with mixed strategies, `SOLVE`, or `NONE` or None for neither.

    Raises
    ------
    InputError
        When a file is given that can't be used.
    DicelabError
        When it was asked for and isn't possible.
    """
    if policy == NONE:
        return None, ""
    if policy is None:
        return None, (
            f"No equilibrium is in it, as an opponent or a coach; dicelab publish --policy {SOLVE} adds that of a game "
            "that is small enough, such as with a die each."
        )
    try:
        policy_of_all = equilibrium(game).policy if policy == SOLVE else MixedPolicy.load(policy, game)
        return _packed_mixed(policy_of_all), ""
    except InputError:
        raise
    except DicelabError as error:
        raise DicelabError(f"the equilibrium of {game.name} can't be put into a page: {error}") from error


def _packed_mixed(policy: MixedPolicy) -> Optimal:
    """Return mixed strategies as a page holds them.

    A situation is known by what its seat sees (the numbers of the state that differ, those that are hidden from it at
    their lowest), by the seat, and by what it remembers of its own last move.
    """
    size = max(len(policy.weight), len(policy.keys))
    if size > MOST_MOVES:
        raise TooLarge(f"it has {size:,} moves in all situations, or ways into them, and a page holds {MOST_MOVES:,}")
    worths, slots, hide = worths_of(policy), Slots.of(policy.game, ()), hidden_numbers(policy.game)
    low = slots.low.tolist()
    examples = policy.examples()
    numbers = np.array([np.where(hide[seat], slots.low, Place(state, ()).read()) for seat, state in examples], np.int64)
    columns = np.flatnonzero(numbers.max(axis=0) > numbers.min(axis=0))
    wide = policy.moves.shape[1]
    data = {
        "seats": [seat for seat, _ in examples],
        "made": policy.keys[:, 0].tolist(),
        "numbers": [numbers[:, column].tolist() for column in columns],
        "at": policy.at.tolist(),
        "many": np.diff(policy.row).tolist(),
        "moves": [policy.moves[:, place].tolist() for place in range(wide)],
        "weights": policy.weight.tolist(),
        "after": policy.after.tolist(),
        "worths": [None if np.isnan(worth) else round(worth, DIGITS) for worth in worths.tolist()],
    }
    about: dict[str, Any] = {"mixed": True, "payoffs": policy.game.payoffs is not None, "columns": columns.tolist()}
    about |= {"hidden": [[int(seat[c]) for c in columns] for seat in hide], "low": [low[c] for c in columns]}
    return Optimal(about, json.dumps(data, separators=(",", ":")).encode())
