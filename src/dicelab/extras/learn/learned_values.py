"""Values of states learned from games of a player against itself, as the answer of `dicelab.learn`.

`learn` also takes parameters with which a game begins near its end (`setup=bear-off`). The same game, begun there, is
solved: what it is worth from each of the states that come about then is exact. It is the same in the game that is
learned, if the parameters that differ are read by nothing but its `start`. That is looked up in the translated rules,
not declared.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels import cache
from dicelab.compile.kernels.writers import thinking as k
from dicelab.compile.kernels.writers.simulate import translated
from dicelab.engines.compiled import rows, setting
from dicelab.engines.policy_file import FORMATS, VALUES, checksum
from dicelab.errors import NotSmall, ParameterError
from dicelab.extras.learn.afterstates import BATCH, HIDDEN, ValueLearner
from dicelab.extras.learn.result import LEARNED
from dicelab.extras.learn.turns import TurnLearner
from dicelab.questions.policies.objective import default_objective
from dicelab.questions.policies.thinking.ahead import SearchTable, unseen_fields
from dicelab.questions.policies.thinking.network import Ending, Network, no_ending
from dicelab.results.base import BaseResult, about
from dicelab.results.entries import Read
from dicelab.results.store.answers import Checkpoint, remembered
from dicelab.results.store.encoding import StoredQuestion
from dicelab.results.store.games import seed_in
from dicelab.results.text.page import Printing
from dicelab.results.text.sentences import listed, number
from dicelab.results.text.writing import many
from dicelab.rules.game import Game, outcome_names, seat_count, shown
from dicelab.rules.objectives import wanted
from dicelab.rules.together import opens_again
from dicelab.rules.words import player_name
from dicelab.runtime.interrupts import held_interrupts
from dicelab.runtime.lineup import Run, as_seed, usable_threads
from dicelab.runtime.outcome_tables import tables
from dicelab.runtime.states.codec import Slots, order_of
from dicelab.runtime.timing import Stopwatch
from dicelab.translation.translator import READS, NotTranslatable

MOST_STATES, MOST_PLACES, MOST_EDGES = 2_000_000, 2**22, 400_000_000
"""Limits of the states, of places for their hashes, and of the edges between them."""
MOST_BRANCHES = 1000
"""Limit of the outcomes of a roll."""
CHUNK = 8_000_000
"""Edges that are found in one call of the kernel."""
SWEEPS = 1000
"""Limit of the passes over all states until no value changes any more."""


class Groups(NamedTuple):
    """Where states lead, as `dicelab.solver.turns.solve.sweep` describes it."""

    first_group: NDArray[np.int64]
    weight: NDArray[np.float64]
    chooser: NDArray[np.int8]
    first_edge: NDArray[np.int64]
    target: NDArray[np.int32]
    seat_after: NDArray[np.int8]


def solved_ending(game: Game, text: str, wins: bool = False) -> Ending:
    """Return the exact values of an ending, given the parameters with which it begins: ``setup=bear-off,checkers=6``;
    chances to win if `wins`.

    Raises
    ------
    InputError
        When these are no parameters of the game, or change more than where it begins.
    ParameterError
        When the ending is too large.
    """
    given = dict[str, object](game.parameters)
    for part in text.split(","):
        name, _, typed = part.partition("=")
        given[name.strip()] = typed.strip()
    begun = Run.of(type(game), **given).game
    changed = [name for name, value in game.parameters.items() if begun.parameters[name] != value]
    if not changed:
        raise ParameterError(f"ending: {text!r} changes no parameter of {game.name}; say how its ending begins")
    _must_differ_in_start_alone(game, begun, changed)
    keys, value = _solved(begun, wins)
    slots, order = Slots.of(game, ()), order_of(keys)
    assert slots.words == keys.shape[1]  # the ranges are the same
    these, others = shown(game), shown(begun)
    setting = ", ".join(f"{name} {other}" for name, other in others.items() if other != these[name])
    return Ending(keys[order], np.ascontiguousarray(value[order]), setting)


def _solved(game: Game, wins: bool) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """Return all states in which turns end, and what they are worth to the seat to move and those after it."""
    from dicelab.solver.turns.solve import sweep  # which is compiled

    try:
        text, places_of_rules = k.write_ending(type(game))
    except NotTranslatable as error:
        raise ParameterError(f"ending: the rules of {game.name} can't be translated: {error}") from error
    judge, seats = Network.empty(game, wins).judge(), max(1, seat_count(game))
    keys, places = np.zeros((MOST_STATES, len(judge.packed[0])), np.uint64), np.full(MOST_PLACES, -1, np.int32)
    numbers = judge.nodes.shape[1]
    after = np.zeros((MOST_BRANCHES, numbers), np.int64), np.zeros(MOST_BRANCHES, np.uint64)
    states = keys, places, np.zeros((MOST_STATES, seats)), np.zeros(numbers, np.int64), *after
    report, parts = np.zeros(4, np.int64), list[Groups]()
    given = setting(game, (), ()), rows(game, ()), tables(game).for_thread(), judge, states
    kernel: list[Any] = []
    cache.compile_now(text, lambda: kernel.append(cache.load(text)), game.name, places_of_rules)
    status, done, made, used = k.FULL, 0, 0, 0
    while status == k.FULL:
        groups = Groups(
            np.zeros(CHUNK + 1, np.int64),
            np.zeros(CHUNK),
            np.zeros(CHUNK, np.int8),
            np.zeros(CHUNK + 1, np.int64),
            np.zeros(CHUNK, np.int32),
            np.zeros(CHUNK, np.int8),
        )
        status = int(kernel[0](*given, groups, report))
        more = int(report[0]) - done
        if status == k.WRONG or (status == k.FULL and not more) or used + int(report[3]) > MOST_EDGES:
            raise ParameterError(
                f"ending: {game.name} {shown(game)} has too many states or moves, or dice that can't be listed; choose "
                "one that is nearer to the end"
            )
        many, edges = int(report[2]), int(report[3])
        parts.append(
            Groups(
                groups.first_group[:more] + made,
                groups.weight[:many].copy(),
                groups.chooser[:many].copy(),
                groups.first_edge[:many] + used,
                groups.target[:edges].copy(),
                groups.seat_after[:edges].copy(),
            )
        )
        done, made, used = done + more, made + many, used + edges
    whole = Groups(*map(np.concatenate, zip(*parts, strict=True)))
    whole = whole._replace(first_group=np.append(whole.first_group, made), first_edge=np.append(whole.first_edge, used))
    value = states[2][:done].copy()
    for _ in range(SWEEPS):
        if sweep(value, *whole) == 0.0:
            return keys[:done].copy(), value
    raise ParameterError(f"ending: the values of {game.name} {shown(game)} don't settle; choose one that must end")


def _must_differ_in_start_alone(game: Game, begun: Game, changed: list[str]) -> None:
    """Refuse parameters that change anything but the state in which a game begins."""
    declared = game.declared
    rules: list[Any] = [kind.rule for kind in declared.throws]
    for decision in declared.decisions:
        rules += [
            rule for rule in (decision.rule, decision.legal, decision.sensible, decision.moves) if rule is not None
        ]
    try:
        translation = translated(type(game), ())
        made = [
            translation.method("next"),
            translation.ending(),
            *(translation.function(rule, "game") for rule in rules),
        ]
    except NotTranslatable as error:
        raise ParameterError(f"ending: the rules of {game.name} can't be translated: {error}") from error
    read = {effect.name: place for effect, place in translation.effects(*made).items() if effect.kind == READS}
    for name in changed:
        if name in read:
            raise ParameterError(
                f"ending: {name} is read at {read[name]}, not in start alone, so values needn't be those of the game"
                " that is learned"
            )
    one, other = Slots.of(game, ()), Slots.of(begun, ())
    same = one.names == other.names and (one.low == other.low).all() and (one.span == other.span).all()
    same = same and outcome_names(game) == outcome_names(begun)
    same = same and np.array_equal(
        SearchTable(game, None, "learn").prizes()[0], SearchTable(begun, None, "learn").prizes()[0]
    )
    dice: Any = zip(tables(game), tables(begun), strict=True)
    same = same and all(np.array_equal(mine, its) for mine, its in dice)
    same = same and all(decision.spans(game) == decision.spans(begun) for decision in declared.decisions)
    if not same:
        raise ParameterError(
            f"ending: {', '.join(changed)} change ranges, dice or payoffs of {game.name}, so values "
            "needn't be those of the game that is learned"
        )


@dataclass(frozen=True, repr=False, kw_only=True)
class LearnedValues(BaseResult):
    """A network that estimates what states are worth; the player of its file makes the moves that it finds best.

    Attributes
    ----------
    games
        Games played against itself.
    start
        What the network says the start is worth to each seat: an estimate, without a bound on its error.
    inputs, hidden
        Numbers of inputs, and of the hidden layer; 0 for a linear function.
    ending
        Where values are exact, for people; "" if they aren't anywhere.
    policy
        The network; None if it was interrupted before the first batch was over.

    Examples
    --------
    >>> import dicelab
    >>> found = dicelab.learn("tossup", method="values", target=5, dice=2, games=200, seed=1)
    >>> found.games, len(found.start), found.policy is not None
    (200, 2, True)
    """

    games: int
    start: tuple[float, ...]
    inputs: int
    hidden: int
    ending: str
    policy: Network | None

    method = "learn-values"
    entries = {
        "objective?": Read(
            lambda self: "win" if self._wins else None,
            "string: win, where values are chances to win and the game is played for more",
        ),
        "start": "[number]: what the network says the start is worth to each seat, an estimate",
        "inputs": "integer: number of inputs of the network",
        "hidden": "integer: numbers of its hidden layer, 0 for a linear function",
        "ending?": "string: where values are exact, in words",
    }

    @property
    def _wins(self) -> bool:
        return self.policy is not None and self.policy.wins

    def _games(self) -> int | None:
        return self.games

    def _sentence(self) -> str:
        begin = f"After {many(self.games, 'game')} against itself the learner estimates the start as worth"
        if len(self.start) == 1:
            return f"{begin} {number(self.start[0])}"
        each = [f"{number(value)} to {player_name(seat, self.players)}" for seat, value in enumerate(self.start)]
        return f"{begin} {listed(each)}"

    def _rows(self) -> list[dict[str, Any]]:
        return [{"seat": seat, "start": value} for seat, value in enumerate(self.start)]

    def _lines(self, page: Printing) -> list[str]:
        stopped = ", stopped before the end" if self.interrupted else ""
        aim = "to win, whatever a win pays, " if self._wins else ""
        size = f"a network with {self.inputs:,} inputs and {self.hidden} hidden numbers"
        size = size if self.hidden else f"a linear function of {self.inputs:,} inputs"
        return [
            *self._head(page),
            "",
            f"learned: {aim}{many(self.games, 'game')}, seed {self.seed}{stopped}; {size}, {self.seconds:.1f} s",
            *([f"exact where the game is as in {self.ending}"] if self.ending else []),
            "estimates have no bound on their error; dicelab rate compares the player with others",
        ]


def learned_values(
    run: Run,
    method: str,
    games: int,
    seed: int | None,
    ending: str | None,
    further: str | os.PathLike[str] | None,
    size: int,
    wins: bool,
    store: str | os.PathLike[str] | None,
    progress: Callable[[int, int], None],
) -> LearnedValues:
    """Return what is learned of states (`method` ``values``), or of the beginnings of turns (``turns``).

    `ending` has the parameters of a game whose exact values take the place of estimates, `further` is the file of what
    was learned before; the hidden layer of a new network has `size` numbers (0: a linear function). With `wins` values
    are chances to win, whatever a win pays.

    Raises
    ------
    ParameterError
        When seats don't see everything, nothing says what the game is played for, turns can't be evaluated by
        themselves, or the file of `further` was learned for another objective.
    """
    hidden = unseen_fields(run.game)
    if hidden and not (method == "values" and opens_again(run.game)):
        instead = "learn with --method values" if opens_again(run.game) else "mcts plays by what its seat sees"
        raise ParameterError(
            f"method {method} sees everything, and {run.game.name} hides {', '.join(hidden)}; {instead}"
        )
    if not run.game.declared.decisions:
        raise ParameterError(f"{run.game.name} has no choices, so there is nothing to learn")
    asked = partial(StoredQuestion.computed, "learn-values", run)
    facts: dict[str, Any] = {"learns": method, "games": games, **({"ending": ending} if ending else {})}
    facts |= ({"objective": "win"} if wins else {}) | ({"hidden": size} if size != HIDDEN else {})
    before = Network.load(further, run.game) if further is not None else None
    if before is not None and before.wins != wins:
        learned, now = ("win", "payoff") if before.wins else ("payoff", "win")
        raise ParameterError(
            f"{further} was learned for objective {learned}, not {now}; learn with --objective {learned}"
        )
    if before is not None:
        facts["further"] = checksum({name: getattr(before, name) for name in FORMATS[VALUES]}).tobytes().hex()
    first = as_seed(seed_in(store, seed, partial(asked, None, **facts)))

    def compute() -> LearnedValues:
        with (
            ThreadPoolExecutor(usable_threads(None)) as pool,
            closing(Checkpoint(store, partial(asked, first, **{**facts, "learns": f"{method}, so far"}))) as checkpoint,
        ):
            return _learned(run, method, games, first, ending, before, size, wins, pool, checkpoint, progress)

    return remembered(store, partial(asked, first, **facts), lambda _: compute(), run.game)


def _learned(
    run: Run,
    method: str,
    games: int,
    seed: int,
    ending: str | None,
    before: Network | None,
    size: int,
    wins: bool,
    pool: Executor,
    checkpoint: Checkpoint,
    progress: Callable[[int, int], None],
) -> LearnedValues:
    """Return what is learned, from the checkpoint on."""
    watch, table = Stopwatch(), SearchTable(run.game, None, "learn", wins)
    learner: ValueLearner | TurnLearner
    solved: Ending | None = None
    if method == "values":
        games = -(-games // BATCH) * BATCH
        solved = solved_ending(run.game, ending, wins) if ending else None
        learner = ValueLearner(table, seed, games // BATCH, pool, before, size)
    else:
        try:
            learner = TurnLearner(run.game, seed, games, pool)
        except NotSmall as error:
            raise ParameterError(f"{run.game.name}: {error}; learn with --method values") from error
    if checkpoint.kept is not None:
        learner.restore(checkpoint.kept)
    with held_interrupts() as stopped:
        while learner.games < games and not stopped():
            learner.step()
            checkpoint.keep(learner.state)
            progress(min(learner.games, games), games)
        if stopped():
            checkpoint.keep(learner.state, now=True)
    network = learner.network(solved) if isinstance(learner, ValueLearner) else learner.network()
    return _answer(table, network, learner.games, seed, learner.games < games, solved or no_ending(run.game), watch)


def _answer(
    table: SearchTable, network: Network, games: int, seed: int, interrupted: bool, ending: Ending, watch: Stopwatch
) -> LearnedValues:
    (start,) = network.worth([table.key(table.start())])
    if table.seats < 2 and wanted(default_objective(table.game)).kind == "fewest":
        start = (-start[0],)  # worths are larger where fewer are counted
    return LearnedValues(
        **about(table.game, [LEARNED] * table.seats),
        seed=seed,
        games=games,
        start=start,
        inputs=len(network.first),
        hidden=0 if network.is_linear else len(network.first_bias),
        ending=ending.text and f"{ending.text}: {many(len(ending.keys), 'state')}",
        interrupted=interrupted,
        seconds=watch.seconds,
        policy=network if games else None,
    )
