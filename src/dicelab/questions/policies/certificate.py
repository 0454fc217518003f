"""Write a certificate: what somebody needs to check an exact answer, or an optimal policy, without trusting dicelab.

A certificate has all states with the weights of their edges, the move that each seat makes in every state in which it
chooses, and for each claim a value of every state. ``tools/check_certificate.py``, which doesn't use dicelab, verifies
in whole numbers that the claimed bounds follow; docs/certificates.md describes the file and the proof.

The proof needs three things of every state s, where E is the mean over the edges of a state, and g what an edge adds:

* The steps N fall: N(s) > E N. As there are finitely many states, the game then ends with probability one.
* The value is nearly that of the next step: |E (g + v) - v(s)| <= d (W(s) - E W), where W is zero at the end.
  Then v + d W bounds the true value from above, and v - d W from below.
* A policy is optimal for a seat: none of its moves does better by more than d (W(s) - W).
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite, lcm, ldexp
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicelab.errors import EndlessGameError, InputError, NotSmall, PlayError, TooLarge
from dicelab.keywords import keywords
from dicelab.limits import LIMITS
from dicelab.questions.policies.objective import Objective
from dicelab.questions.policies.plan import Plan, planned
from dicelab.questions.policies.solve import optimal_on
from dicelab.rules.fields import Peak
from dicelab.rules.game import Game, outcome_names, seat_count, shown
from dicelab.rules.loading.hashing import source_hash
from dicelab.rules.params import value_of
from dicelab.rules.payoffs import payoff_tallies
from dicelab.runtime.arrays import Floats
from dicelab.runtime.leftovers import replacing
from dicelab.runtime.lineup import Run
from dicelab.runtime.states.codec import Slots
from dicelab.runtime.strategies import Strategies
from dicelab.solver.enumeration.enumerate_python import Walk
from dicelab.solver.enumeration.graph import Progress, graph_of
from dicelab.solver.enumeration.model import Graph, needed
from dicelab.solver.enumeration.unfold import committed
from dicelab.solver.value_iteration import optimum
from dicelab.version import __version__

FORMAT = "dicelab certificate 1"
SCALE = 64
"""Values are whole multiples of 2**-64, so that a double is written exactly unless it is tiny."""
SLOPE = 160
"""The slope d of a bound is a whole multiple of 2**-160."""
NEARLY = 1e-9
"""Moves whose values differ by less count as equally good when a bound on the steps of optimal play is sought."""

Whole = list[int]


class NoCertificate(InputError):
    """An answer for which no certificate can be written; the message says why."""


@dataclass(frozen=True)
class Claim:
    """What is claimed of the value of a game to somebody.

    Attributes
    ----------
    of
        ``outcome`` with its index (the probability), ``tally`` with its index (the mean), or ``payoff`` with a seat.
    seat, sign
        The seat whose policy is optimal for this value; 1 if it maximises the value, -1 if it minimises it. None and 1
        where nobody chooses.
    """

    of: tuple[str, int]
    seat: int | None = None
    sign: int = 1


@dataclass(frozen=True)
class Certificate:
    """A certificate; `data` is its content, as docs/certificates.md describes it.

    Examples
    --------
    >>> proof = certify_exact("pass-line")
    >>> proof.states, proof.edges, proof.data["outcomes"]
    (7, 26, ['win', 'lose'])
    """

    data: dict[str, Any]

    @property
    def game(self) -> str:
        """Name of the game."""
        return str(self.data["about"]["game"])

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the game, by name."""
        return dict(self.data["about"]["parameters"])

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.data["states"])

    @property
    def edges(self) -> int:
        """Number of edges."""
        return len(self.data["target"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate into a file, compressed if its name ends in ``.gz``.

        Raises
        ------
        NoCertificate
            When the file can't be written.
        """
        text = json.dumps(self.data, separators=(",", ":")).encode()
        with replacing(path, NoCertificate, f"the certificate {os.fspath(path)}") as draft:
            Path(draft).write_bytes(gzip.compress(text, mtime=0) if os.fspath(path).endswith(".gz") else text)

    def __repr__(self) -> str:
        return f"<Certificate of {self.game}: {self.states:,} states, {self.edges:,} edges>"


@keywords
def certify_exact(
    game: str | os.PathLike[str] | type[Game] | Game,
    strategies: Strategies = (),
    *,
    progress: Progress = lambda found, expanded: None,
    **parameters: object,
) -> Certificate:
    """Certify an exact answer: the probability of each outcome, and the mean of each tally.

    Parameters
    ----------
    game, strategies, **parameters
        As in `dicelab.exact`.
    progress
        Called with the numbers of states found and expanded so far.

    Raises
    ------
    NoCertificate
        When there are too many edges, or a strategy can't be written as text.

    Examples
    --------
    >>> certify_exact("hazard", main=7)
    <Certificate of hazard: 7 states, 26 edges>
    """
    run = Run.of(game, strategies, **parameters)
    must_be_text(run)
    claims = [Claim(("outcome", k)) for k in range(len(outcome_names(run.game)))]
    sums = [k for k, tally in enumerate(run.game.declared.tallies.values()) if not isinstance(tally, Peak)]
    claims += [Claim(("tally", k)) for k in sums]
    if not claims:
        raise NoCertificate(f"{run.game.name} has neither outcomes nor tallies that are sums, so nothing to certify")
    graph = _graph(run, (), progress)
    return _certificate(graph, np.full(graph.states, -1), claims, {"kind": "exact", **_asked(run, ())})


@keywords
def certify_solution(
    game: str | os.PathLike[str] | type[Game] | Game,
    against: Strategies = (),
    *,
    seat: int | str = 0,
    objective: str | None = None,
    progress: Progress = lambda found, expanded: None,
    **parameters: object,
) -> Certificate:
    """Certify an optimal policy: its value to each optimised seat, and that no move improves it.

    Parameters
    ----------
    game, against, seat, objective, **parameters
        As in `dicelab.solve`.
    progress
        Called with the numbers of states found and expanded so far.

    Raises
    ------
    NoCertificate
        When there are too many edges, a strategy can't be written as text, or no equilibrium was found.

    Examples
    --------
    >>> certify_solution("tossup", target=2)
    <Certificate of tossup: 100 states, 240 edges>
    """
    plan = planned(game, against, seat, objective, None, parameters)
    if plan.run.game is not plan.asked:
        raise NoCertificate(f"objective {plan.wanted.text}: its tally is not part of the state; no certificate")
    must_be_text(plan.run, plan.free)
    graph = _graph(plan.run, plan.free, progress)
    graph, solution = optimal_on(graph, plan.wanted, plan.free, lambda done: None)
    asked = {"kind": "solve", **_asked(plan.run, plan.free), "objective": plan.wanted.text}
    return _certificate(graph, solution.picked(), list(_claims_of(plan)), asked)


def _claims_of(plan: Plan) -> Iterator[Claim]:
    """Yield the claim of each optimised seat."""
    wanted: Objective = plan.wanted
    for seat in plan.free:
        if wanted.kind == "payoff":
            yield Claim(("payoff", seat), seat)
        elif wanted.counts:
            yield Claim(("tally", wanted.number), seat, wanted.sign)
        else:
            yield Claim(("outcome", seat if wanted.kind == "win" else wanted.number), seat, wanted.sign)


def must_be_text(run: Run, free: Iterable[int] = ()) -> None:
    """Refuse strategies that can't be named in a file: saved policies, and functions of Python."""
    for seat, call in enumerate(run.calls):
        if seat not in free and call.strategy.moves is not None:
            raise NoCertificate(f"{call}: a saved policy can't be named in a certificate; write it as a strategy")


def _asked(run: Run, free: Iterable[int]) -> dict[str, Any]:
    """Return what the certificate is about, as plain data."""
    strategies = [None if seat in free else str(call) for seat, call in enumerate(run.calls)]
    return {
        "game": run.game.name,
        "parameters": shown(run.game),
        "strategies": strategies,
        "source_hash": source_hash(type(run.game)),
        "dicelab": __version__,
    }


def _graph(run: Run, free: Sequence[int], progress: Progress) -> Graph:
    """Return the states of a game, as they are: a view that rotates with the turn would be harder to check."""
    # The limit of memory refuses a much larger chain before all of it is enumerated.
    most = LIMITS.certificate_edges
    largest = int(needed(Slots.of(run.game, run.calls).words, most // 4, most, runs=False))
    many = NoCertificate(
        f"no certificate: {run.game.name} has more than {most:,} edges between states; choose smaller parameters"
    )
    try:
        graph = graph_of(run, free, largest, progress)
    except TooLarge as error:
        raise many from error
    if graph.edges > most:
        raise many
    if graph.start < 0:
        raise NoCertificate(f"{run.game.name} is over before the first roll; there is nothing to certify")
    if not graph.exact_weights:
        raise NoCertificate(f"no certificate: weights of the dice of {run.game.name} exceed 64 bits")
    return graph


def _certificate(
    graph: Graph, picked: NDArray[np.int64], claims: Sequence[Claim], asked: dict[str, Any]
) -> Certificate:
    """Return the certificate of a game in which the seats make the picked moves."""
    fixed = committed(graph, graph.mover >= 0, picked) if (graph.mover >= 0).any() else graph
    data = {
        "format": FORMAT,
        "about": asked,
        "fields": list(graph.slots.names),
        "outcomes": list(outcome_names(graph.game)) or ["over"],
        "tallies": list(graph.game.declared.tallies),
        "payoffs": payoffs_as_text(graph.game),
        "states": [list(graph.slots.unpack(key)) for key in graph.keys.tolist()],
        "start": [int(graph.start), int(graph.start_change)],
        "changes": graph.changes.tolist(),
        "mover": graph.mover.tolist(),
        "row": graph.row.tolist(),
        "target": graph.target.tolist(),
        "weight": graph.weight[graph.label].tolist(),
        "change": graph.change[graph.label].tolist(),
        "picked": picked.tolist(),
        "scale": SCALE,
        "slope": SLOPE,
        "steps": _scaled(_value(fixed, np.ones(len(graph.changes)), np.zeros(graph.outcomes))),
    }
    data["claims"] = [_claimed(graph, fixed, claim, data) for claim in claims]
    return Certificate(data)


def payoffs_as_text(game: Game) -> list[Any] | None:
    """Return what each seat gets, as fractions by outcome and seat or as the index of each seat's tally; else None."""
    tallies = payoff_tallies(game)
    if tallies is not None:
        return list(tallies)
    if not isinstance(game.payoffs, Mapping):
        return None
    rows = (game.payoffs[name] for name in outcome_names(game))
    return [[str(Fraction(str(value_of(x, game)))) for x in row] for row in rows]


def _rewards(data: dict[str, Any], claim: Claim) -> tuple[Whole, Whole, int]:
    """Return what each row of changes and each outcome adds, as multiples of one unit, and the units in 1."""
    kind, number = claim.of
    gains, prizes = [0] * len(data["changes"]), [0] * len(data["outcomes"])
    if kind == "payoff" and data["payoffs"] and not isinstance(data["payoffs"][0], list):
        kind, number = "tally", data["payoffs"][number]
    if kind == "tally":
        gains = [change[number] for change in data["changes"]]
    elif kind == "outcome":
        prizes[number] = 1
    else:
        exact = [Fraction(row[number]) for row in data["payoffs"]]
        units = lcm(*(x.denominator for x in exact))
        return gains, [int(x * units) for x in exact], units
    return gains, prizes, 1


def _claimed(graph: Graph, fixed: Graph, claim: Claim, data: dict[str, Any]) -> dict[str, Any]:
    """Return a claim as plain data, with the value of every state and the smallest slope for which it holds."""
    gains, prizes, _ = _rewards(data, claim)
    gain, prize = np.array(gains, np.float64), np.array(prizes, np.float64)
    value = _value(fixed, gain, prize)
    values, slack, slope = _scaled(value), data["steps"], None
    for attempt in range(2):
        slope = _slope(data, claim, gains, prizes, values, slack)
        if slope is not None or claim.seat is None or attempt:
            break
        slack = _scaled(_longest(graph, claim, gain, value, prize, np.array(data["picked"])))
    if slope is None:
        raise NoCertificate("no certificate: the policies that were found are no equilibrium, or moves tie endlessly")
    shown = {"of": list(claim.of), "seat": claim.seat, "sign": claim.sign, "slope": slope, "values": values}
    return shown if slack is data["steps"] else shown | {"slack": slack}


def _value(fixed: Graph, gain: Floats, prize: Floats) -> Floats:
    """Return the value of every state of a game in which nobody chooses any more."""
    try:
        value = optimum(fixed, np.ones(max(1, seat_count(fixed.game)), np.int8), gain, prize).value
    except (EndlessGameError, PlayError) as error:
        raise NoCertificate(f"no certificate: {error}") from error
    if not all(map(isfinite, value.tolist())):
        raise NoCertificate("no certificate: some value is not finite")
    return value


def _longest(
    graph: Graph, claim: Claim, gain: Floats, value: Floats, prize: Floats, picked: NDArray[np.int64]
) -> Floats:
    """Return the most steps that play can take if the seat chooses among moves that are nearly as good as the best."""
    source = np.repeat(np.arange(graph.states), np.diff(graph.row))
    after = np.concatenate((value, prize[::-1]))[graph.target]
    lead = claim.sign * (gain[graph.change[graph.label]] + after - value[source])
    mine = graph.mover[source] == claim.seat
    kept = np.where(mine, lead > -NEARLY * (1 + abs(value[source])), (graph.mover[source] < 0))
    kept |= picked[source] == np.arange(graph.edges)
    count = np.concatenate(([0], np.cumsum(kept)))
    fewer = replace(graph, row=count[graph.row], target=graph.target[kept], label=graph.label[kept])
    return optimum(fewer, np.ones(max(1, seat_count(graph.game)), np.int8), np.ones(len(gain)), 0 * prize).value


def _scaled(values: Floats) -> Whole:
    """Return numbers as whole multiples of 2**-SCALE."""
    return [int(ldexp(x, SCALE)) for x in values.tolist()]


def _slope(data: dict[str, Any], claim: Claim, gains: Whole, prizes: Whole, values: Whole, slack: Whole) -> int | None:
    """Return the smallest slope, in multiples of 2**-SLOPE, with which the bound is proved; None if there is none."""
    one, least = 1 << SCALE, 0
    most: int | None = None
    after, left = [*values, *(x * one for x in reversed(prizes))], [*slack, *(0 for _ in prizes)]
    row, target, weight, change = (data[name] for name in ("row", "target", "weight", "change"))
    for state, (mover, picked) in enumerate(zip(data["mover"], data["picked"], strict=True)):
        edges = range(row[state], row[state + 1])
        if mover < 0:
            total = sum(weight[e] for e in edges)
            rest = sum(weight[e] * (gains[change[e]] * one + after[target[e]]) for e in edges) - total * values[state]
            fall = total * slack[state] - sum(weight[e] * left[target[e]] for e in edges)
            pairs = [(abs(rest), fall)]
        else:
            pairs = []
            for e in edges if mover == claim.seat else (picked,):
                rest, fall = gains[change[e]] * one + after[target[e]] - values[state], slack[state] - left[target[e]]
                pairs.append((abs(rest) if e == picked else claim.sign * rest, fall))
        for rest, fall in pairs:
            limits = _limited(least, most, rest, fall)
            if limits is None:
                return None
            least, most = limits
    return least if most is None or least <= most else None


def _limited(least: int, most: int | None, rest: int, fall: int) -> tuple[int, int | None] | None:
    """Return the limits of slopes, in multiples of 2**-SLOPE, with ``rest <= slope * fall``; None if there is none."""
    if fall > 0:
        return max(least, -(-(rest << SLOPE) // fall)), most
    if fall < 0 and rest < 0:
        limit = (-rest << SLOPE) // -fall
        return least, limit if most is None else min(most, limit)
    return None if rest > 0 or fall < 0 else (least, most)


def edges_by_rules(run: Run, free: Sequence[int], numbers: Sequence[int]) -> tuple[int, dict[tuple[Any, ...], int]]:
    """Play every outcome of the roll, or every move, in a state by the rules in plain Python.

    Returns
    -------
    tuple
        The seat that chooses, -1 where dice are rolled; and for each edge, as the numbers of the state it leads to (the
        index of the outcome, where the game is over) and the change of the tallies, its weight. A move is an edge of
        its own, with its number in place of a weight.
    """
    walk = Walk(run, free)
    walk.expand(tuple(numbers))
    mover = walk.mover[0]
    labels, edges = list(walk.labels), dict[tuple[Any, ...], int]()
    for target, label in zip(walk.target, walk.label, strict=True):
        weight, _, change = labels[label]
        there = -1 - target if target < 0 else walk.positions.things[target]
        key: tuple[Any, ...] = (there, walk.changes.things[change])
        edges[(*key, weight) if mover >= 0 else key] = weight
    return mover, edges


def start_by_rules(run: Run, free: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the first state of a game by the rules in plain Python, and the change of the tallies before it.

    Raises
    ------
    NotSmall
        When the game is over at once.
    """
    walk = Walk(run, free)
    state, change = walk.start
    if state < 0:
        raise NotSmall("the game is over before the first roll")
    return walk.positions.things[state], walk.changes.things[change]
