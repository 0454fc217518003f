"""The steps `engines` and `exact`: games on all engines, and chains of both enumerations, are those of the rules.

By itself because with `dicelab.conformance.file_check` it would be a file of more than 500 lines.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from math import inf, log, sqrt

import numpy as np

from dicelab.conformance.findings import NOTE, OK, Broken, Found, Said
from dicelab.conformance.settings import LIMIT, SHORT, Lineup, Setting, lineups
from dicelab.errors import DicelabError, EndlessGameError, ParameterError, PlayError, RulesError, TooLarge
from dicelab.rules.game import Game, outcome_names, seat_count
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run, distinct
from dicelab.runtime.outcome_tables import tables
from dicelab.runtime.scheduler import Engine, Tallied
from dicelab.solver.enumeration.enumerate_python import Walk
from dicelab.solver.enumeration.expansion import Expansion, Unexpanded
from dicelab.solver.enumeration.mixing import mixing_seats
from dicelab.solver.enumeration.model import Graph, machine_memory
from dicelab.solver.exact_answer import answer
from dicelab.solver.value import ExactAnswer
from dicelab.translation.translator import NotTranslatable

COMPARED_GAMES, MOST_STEPS, CHUNK = 400, 60_000, 20
"""Games of one line-up on all engines, rolls and choices after which fewer are enough, and the games of one chunk."""
COMPARED_LINEUPS = 2
"""Limit on the line-ups that are compiled: three seconds each, ten for large rules."""
OUR_FAULT = "this is a fault of dicelab, not of the file: please report it together with the file"


def engines(game: type[Game], settings: Sequence[Setting]) -> Found:
    """Check that every engine that accepts the game plays the games of the reference engine, bit for bit."""
    sample, names, refused = game(), dict[str, None](), dict[str, str]()
    every = sorted(lineups(sample), key=lambda one: not one.mixed)[: None if sample.declared.decisions else 1]
    compared, left, games = 0, 0, 0
    for one in every:
        if compared == COMPARED_LINEUPS:
            left += 1
            continue
        try:
            made = dict(_engines(sample, one, compared == 0))
        except NotTranslatable as error:
            yield Said(NOTE, f"not compiled {one}, so it plays and simulates slowly: {error}")
            continue
        refused |= {name: why for name, why in made.items() if isinstance(why, str)}
        accepted = [engine for engine in made.values() if not isinstance(engine, str)]
        games += _compare(Reference(sample, one.calls, LIMIT), accepted, one, COMPARED_GAMES, "")
        for setting in settings if compared == 0 else ():
            with suppress(NotTranslatable):  # its line-up may have another strategy; the note then names that one
                games += _at_setting(setting)
        names |= dict.fromkeys(engine.name for engine in accepted)
        compared += 1
    if left:
        each = "each takes seconds, and all are played in plain Python"
        yield Said(NOTE, f"{left} of {len(every)} line-ups were not compiled: {each}")
    if names:
        used = ["reference", *names]
        say = f"{games:,} games are the same on {len(used)} engines: {', '.join(used)}"
        yield Said(OK, say, {"engines": used, "refused": refused, "compared": games, "compiled_lineups": compared})


def _engines(game: Game, lineup: Lineup, every: bool) -> Iterator[tuple[str, Engine | str]]:
    """Yield the compiled engine, and every other engine that accepts the game, or why it doesn't; by name."""
    from dicelab.engines.compiled import Compiled
    from dicelab.engines.player import table_engines

    yield "compiled", Compiled(game, lineup.calls, LIMIT)
    for name, kind in table_engines().items() if every else ():
        try:
            made = kind(game, lineup.calls, LIMIT)
            made.compile()
        except DicelabError as error:
            yield name, str(error)
        else:
            yield name, made


def _at_setting(setting: Setting) -> int:
    """Compare a few games of the compiled engine at a setting; returns how many."""
    from dicelab.engines.compiled import Compiled

    lineup = sorted(lineups(setting.game), key=lambda one: not one.mixed)[0]
    engine = Compiled(setting.game, lineup.calls, SHORT)
    return _compare(Reference(setting.game, lineup.calls, SHORT), [engine], lineup, 5, str(setting))


def _compare(slow: Reference, fast: Sequence[Engine], lineup: Lineup, games: int, at: str) -> int:
    """Compare games on all engines; returns how many.

    Raises
    ------
    Broken
        On the first difference.
    """
    played = 0
    while played < games and slow.steps < MOST_STEPS:
        upto = min(games, played + CHUNK)
        expected = _play(slow, played, upto)
        for engine in fast:
            if _play(engine, played, upto) != expected:
                raise Broken(_difference(engine, slow, played, upto, f"{at}, {lineup}" if at else str(lineup)))
        played = upto
    return played


def _play(engine: Engine, low: int, high: int) -> Tallied | str:
    """Return the games of an engine, or the error that ends them."""
    try:
        return engine.play(0, low, high)
    except PlayError as error:
        return str(error)


def _difference(engine: Engine, slow: Engine, low: int, high: int, at: str) -> str:
    """Return a message about the first game that two engines play differently."""
    for index in range(low, high):
        mine, right = _play(engine, index, index + 1), _play(slow, index, index + 1)
        if mine != right:
            return (
                f"the engines play different games {at}: seed 0, game {index} has {_shown(mine)} on the {engine.name} "
                f"engine and {_shown(right)} in plain Python; {OUR_FAULT}"
            )
    return f"the {engine.name} engine adds up the games {low} to {high - 1} of seed 0 differently {at}; {OUR_FAULT}"


def _shown(played: Tallied | str) -> str:
    if isinstance(played, str):
        return f"the error '{played}'"
    return f"outcomes {played.counts} and tallies {[dict(h) for by in played.histograms for h in by if h]}"


MOST_STATES, BRANCHES = 20_000, 100_000
"""Limits for a chain that is enumerated twice and solved: its states, and the branches that plain Python follows."""
TRIED, TRYING = 16, 10_000
"""Limits of the search for a setting with few states: settings, and branches of each."""
LINEUPS, EDGES = 4, 100_000
"""Limits after which no further line-up is solved: line-ups, and edges of their chains."""
FOLLOWED, CERTAIN = 30, 1.5
"""States from which on their branches tell how many all states will need, and how many times the limit these must be
for a chain to be given up."""
GAMES, STEPS = 20_000, 50_000
"""Games compared with an exact answer, and rolls and choices in plain Python after which fewer are enough."""
FALSE_ALARM = 1e-12
"""Upper bound on the probability that a comparison of an exact answer with a simulation fails by chance."""


def chain_of(run: Run, free: Collection[int] = (), branches: int = BRANCHES) -> Graph | None:
    """Return the chain of a game found in plain Python; None where it is too large for the check.

    It is given up before the limits are reached where it will be too large: when the states found so far, with as many
    branches each as those that were followed, would need more branches than the limit. Otherwise most of the time of a
    check could go to chains of large games that are never finished.

    Raises
    ------
    TooLarge, RulesError
        When there can be no exact answer at all, as for a die with too many outcomes.
    """
    walk = Walk(run, free)

    def go_on(found: int, expanded: int) -> bool:
        if found > MOST_STATES or walk.followed >= branches:
            return False
        return expanded < FOLLOWED or walk.followed * found <= branches * expanded * CERTAIN

    return walk.graph(go_on)


def small_enough(game: Game, settings: Sequence[Setting], free: bool) -> tuple[Game, str, str]:
    """Return the game at its defaults, or else at the first setting with a small chain; the setting; why there is none.

    The chain is that of the first line-up, or, with `free`, the one in which all seats are decision seats.
    """
    why = ""
    for number, sample in enumerate([game, *(setting.game for setting in settings[:TRIED])]):
        seats = [*range(max(1, seat_count(sample)))] if free else []
        try:
            chain = chain_of(Run(sample, lineups(sample)[0].calls), seats, TRYING if number else BRANCHES)
        except (TooLarge, PlayError, RulesError, ParameterError) as error:
            why = why or str(error)
            continue
        if chain is not None and (chain.start >= 0 or not free):
            return sample, str(settings[number - 1]) if number else "", ""
    return game, "", why or f"more than {MOST_STATES:,} states or {BRANCHES:,} outcomes"


def exact_answers(game: type[Game], settings: Sequence[Setting]) -> Found:
    """Check the enumerations and exact answers of each line-up.

    The game is at its defaults, or at a setting with few states if these have too many.
    """
    sample, at, why = small_enough(game(), settings, free=False)
    if why:
        yield Said(NOTE, f"exact answers were not checked: {why}")
        return
    compiled = solved = states = edges = missed = 0
    for one in lineups(sample):
        run = Run(sample, one.calls)
        graph = chain_of(run) if solved < LINEUPS and edges < EDGES else None
        if graph is None:
            missed += 1
            continue
        if not compiled and not mixing_seats(run):
            try:
                compiled = _enumerate_again(run, graph, (), one)
                free = [*range(max(1, seat_count(sample)))]
                with suppress(TooLarge):  # a choice of more moves than can be tried
                    if sample.declared.decisions and (whole := chain_of(run, free)) is not None:
                        compiled += _enumerate_again(run, whole, free, one)
            except NotTranslatable:  # the step before has said why
                compiled = 0
            except Unexpanded as error:
                compiled = 0
                yield Said(NOTE, f"states are found in plain Python only, which is slower: {error}")
        try:
            _must_agree(run, one)
        except EndlessGameError as error:  # at a limit of the parameters games may be long
            yield Said(NOTE, f"the exact answer {one} was not compared with a simulation: {error}")
        solved, states, edges = solved + 1, states + graph.states, edges + len(graph.target)
    if missed:
        yield Said(
            NOTE, f"exact answers of {missed} more line-ups were not checked: too many states, or too many line-ups"
        )
    both = f"; both enumerations find the same {compiled:,} states" if compiled else ""
    begin = f"{at}, " if at else ""
    say = f"{begin}exact answers of {solved} line-up{'' if solved == 1 else 's'} agree with simulations{both}"
    covered = {"lineups": solved, "states": states, "enumerated_twice": compiled, "at": at}
    yield Said(OK, say, {"exact": covered})


def _enumerate_again(run: Run, graph: Graph, free: Collection[int], lineup: Lineup) -> int:
    """Compare a chain with that of the compiled enumeration; returns its number of states."""
    other = Expansion(run, free).graph(machine_memory() // 2, lambda found, expanded: None)
    for f in fields(Graph):
        mine, its = getattr(graph, f.name), getattr(other, f.name)
        if isinstance(mine, np.ndarray | int) and not np.array_equal(mine, its):
            raise Broken(f"the two enumerations find different chains {lineup}: {f.name} differs; {OUR_FAULT}")
    return graph.states


def _must_agree(run: Run, lineup: Lineup) -> None:
    """Compare an exact answer in floating point with fractions, and with a simulation."""
    near = floats = answer(run)
    if near.fractions is not None:
        floats = answer(run, fractions=False)
        for name, p, exactly in zip(_outcomes(run), floats.chances, near.fractions, strict=True):
            if abs(p - exactly) > floats.error + 1e-15:
                raise Broken(f"outcome {name} has probability {exactly} {lineup}, but {p} in floats; {OUR_FAULT}")
    played = _simulated(run)
    for fault in _unlikely(run, floats, played):
        raise Broken(
            f"{lineup}, {played.games:,} games of seed 0 do not agree with exact answers: {fault}; {OUR_FAULT}"
        )


def _outcomes(run: Run) -> tuple[str, ...]:
    return outcome_names(run.game) or ("over",)


def _simulated(run: Run) -> Tallied:
    """Return some games, on the compiled engine if an earlier step has used it with these strategies."""
    from dicelab.compile.kernels.cache import loaded
    from dicelab.compile.kernels.writers.simulate import write
    from dicelab.engines.compiled import Compiled

    engine: Engine = (reference := Reference(run.game, run.calls, LIMIT))
    try:
        strategies = distinct(call.strategy for call in run.calls)
        if loaded(write(type(run.game), strategies, tables(run.game).one_word)[0]):
            engine = Compiled(run.game, run.calls, LIMIT)
    except NotTranslatable:
        pass
    total = Tallied.empty(len(_outcomes(run)), len(run.game.declared.tallies))
    games = GAMES if engine is not reference else 1  # at a time
    while total.games < GAMES and reference.steps < STEPS:
        total.merge(engine.play(0, total.games, total.games + games))
    return total


def _unlikely(run: Run, exact: ExactAnswer, played: Tallied) -> Iterator[str]:
    """Yield the results of a simulation that would be too improbable (`FALSE_ALARM`) if the exact answer were right.

    The bounds hold for every number of games: Chernoff's for a proportion, the Dvoretzky-Kiefer-Wolfowitz inequality
    with Massart's constant for a distribution.
    """
    games, bound = played.games, log(2 / FALSE_ALARM)
    for name, p, count in zip(_outcomes(run), exact.chances, played.counts, strict=True):
        if games * _divergence(count / games, p, exact.error) > bound:
            yield f"outcome {name} came {count:,} times, its probability is {p:.6g}"
    for k, (name, tally) in enumerate(zip(run.game.declared.tallies, exact.tallies, strict=True)):
        if tally.spread is None:
            continue
        chances = dict(zip(tally.spread.values.tolist(), tally.spread.chances.tolist(), strict=True))
        counts = played.histogram(k)
        mine = its = apart = 0.0
        for value in sorted({*chances, *counts}):
            mine, its = mine + chances.get(value, 0.0), its + counts.get(value, 0) / games
            apart = max(apart, abs(mine - its))
        if apart > sqrt(bound / (2 * games)) + tally.spread.error + tally.spread.left:
            yield f"the distribution of {name} differs by {apart:.3g}"


def _divergence(share: float, p: float, error: float) -> float:
    """Return a lower bound on the relative entropy of `share` to a probability that is known up to `error`."""
    p = min(max(share, p - error), p + error)
    if share == p:
        return 0.0
    if not 0 < p < 1:
        return inf
    first = share * log(share / p) if share else 0.0
    return first + ((1 - share) * log((1 - share) / (1 - p)) if share < 1 else 0.0)
