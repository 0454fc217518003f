"""Betting systems compared: sessions with each of several strategies, on the same dice."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dicelab.betting.session import Session, session
from dicelab.errors import ParameterError
from dicelab.results.estimates import Average, known
from dicelab.results.result import SCHEMA
from dicelab.results.writing import aligned, frame, heading, many, places
from dicelab.rules.game import Game, seat_count
from dicelab.runtime.lineup import Run, as_seed, as_texts

PERCENTILES = {"5%": 0.05, "50%": 0.5, "95%": 0.95}


@dataclass(frozen=True, repr=False)
class Systems:
    """Sessions with each of several strategies.

    Attributes
    ----------
    sessions
        One result per strategy, all with the same seed.
    interrupted
        Whether it was interrupted; then later strategies are missing, and the last one may have fewer sessions.

    Examples
    --------
    >>> found = systems("craps", ["line", "line:system=paroli"], until_rounds=5, games=1000, seed=1, exact=False)
    >>> [row["strategy"] for row in found.rows]
    ['line:pass:0:10:flat:5:nothing', 'line:pass:0:10:paroli:5:nothing']
    """

    sessions: tuple[Session, ...]
    interrupted: bool = False

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Per strategy: probabilities of ruin and of the goal, final money, mean stake, and the loss as a share of it.

        ``lost_within`` is the half-width of the 95 % interval of that share, None if there are too few sessions. The
        total stake varies little compared with the money won, so it is taken as known.
        """
        return [self._row(one) for one in self.sessions]

    def _row(self, one: Session) -> dict[str, Any]:
        chances, money = one.chances, one.amounts["bankroll"].simulated
        assert isinstance(money, Average)
        row: dict[str, Any] = {"strategy": ", ".join(one.simulation.strategies)}
        for name in (one.ruin, *(["goal"] if "goal" in chances else [])):
            found = chances[name]
            share = found.exact or found.simulated
            row |= {name: share.probability, f"{name}_exact": found.exact is not None, f"{name}_z": found.z}  # type: ignore[union-attr]
        row |= {"mean": money.mean, "sd": money.sd}
        row |= {name: money.percentile(p) for name, p in PERCENTILES.items()}
        staked = one.simulation.tallies.get("staked")
        if staked is not None and staked.mean > 0:
            won = one.simulation.tallies["money"]
            low, high = won.interval
            within = known((high - low) / 2 / staked.mean)
            row |= {"staked": staked.mean, "lost": -won.mean / staked.mean, "lost_within": within}
        return row

    def to_dict(self) -> dict[str, Any]:
        """Plain data with the keys of the command line's ``--json``."""
        out: dict[str, Any] = {"schema": SCHEMA, "method": "systems", "interrupted": self.interrupted}
        return out | {"sessions": [one.to_dict() for one in self.sessions], "rows": self.rows}

    def to_json(self) -> str:
        """One JSON object."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_frame(self) -> Any:
        """A pandas table of the rows.

        Raises
        ------
        ParameterError
            When pandas is not installed.
        """
        return frame(self.rows)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        first, rows = self.sessions[0], self.rows
        chances = [first.ruin, *(["goal"] if "goal" in rows[0] else [])]
        lost = any("lost" in row for row in rows)
        exact = any(row[f"{name}_z"] is not None for row in rows for name in chances)
        head = [word for name in chances for word in ([name, "z"] if exact else [name])]
        table = [["strategy", *head, "mean", "sd", *PERCENTILES, *(["staked", "loss, % of stakes"] if lost else [])]]
        for one, row in zip(self.sessions, rows, strict=True):
            cells = [row["strategy"]]
            for name in chances:
                truth, z = one.chances[name].exact, row[f"{name}_z"]
                cells.append(f"{row[name]:.{min(6, places(truth.error)) if truth is not None else 4}f}")
                cells += ["" if z is None else f"{z:+.2f}"] if exact else []
            cells += [f"{row['mean']:.2f}", f"{row['sd']:.2f}", *(f"{row[name]:,}" for name in PERCENTILES)]
            if "lost" in row:
                within = "?" if row["lost_within"] is None else f"{100 * row['lost_within']:.2f}"
                cells += [f"{row['staked']:.1f}", f"{100 * row['lost']:.2f} ± {within}"]
            table.append([*cells, *([""] * (len(table[0]) - len(cells)))])
        run, least = first.simulation, self.sessions[-1].simulation.games
        fewer = f" ({least:,} of the last)" if least < run.games else ""
        note = f"{many(run.games, 'session')} each{fewer}, on the same dice, seed {run.seed}"
        lines = [*heading(run.game, run.parameters, ()), "", *aligned(table), ""]
        lines.append(f"{note}; probabilities with a z are exact" if exact else note)
        return "\n".join(["stopped before the end", *lines] if self.interrupted else lines)


def systems(
    game: Game | type[Game] | str,
    strategies: Sequence[str],
    *,
    seed: int | None = None,
    told: Callable[[int, int], None] = lambda done, total: None,
    **settings: Any,
) -> Systems:
    """Sessions with each of several strategies, on the same dice.

    Parameters
    ----------
    game
        A game that can run as a session, with one seat.
    strategies
        The strategies to compare.
    seed
        Drawn at random when None.
    told
        Called with the number of strategies done and the number of all strategies.
    **settings
        As in `dicelab.session`; peak and drawdown are solved exactly only with ``way=True``.

    Raises
    ------
    InputError, PlayError
        As `dicelab.session`.
    """
    texts, number = as_texts(strategies), as_seed(seed)
    parameters = {name: value for name, value in settings.items() if name not in (session.__kwdefaults__ or ())}
    for text in texts:  # refuse a wrong strategy before the first one is played
        Run.of(game, text, **parameters)
    if not texts:
        raise ParameterError("give at least one strategy to compare")
    found: list[Session] = []
    for text in texts:
        one = session(game, text, seed=number, **{"way": False, **settings})
        if one.simulation.games:
            found.append(one)
        if one.interrupted:
            if not found:
                raise KeyboardInterrupt
            return Systems(tuple(found), interrupted=True)
        told(len(found), len(texts))
    return Systems(tuple(found))


def alternatives(table: Game, strategies: Sequence[str]) -> bool:
    """Whether several strategies are given for a game with one seat, so that they are to be compared."""
    return len(strategies) > 1 and seat_count(table) == 1
