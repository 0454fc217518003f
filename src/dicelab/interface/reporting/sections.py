"""The sections of a report: each asks one question, and shows the answer with its command and its charts.

Verdicts for designers, in sentences: fair for whom, how long, does one strategy dominate, how much is luck.

By itself because it imports charts and every question, which the declaration of the command must not do.
"""

from __future__ import annotations

import shlex
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from html import escape
from time import monotonic
from typing import Any

from dicelab.errors import DicelabError
from dicelab.interface.play.again import differing, parameter_words
from dicelab.limits import LIMITS
from dicelab.plots.bankroll import plot_sessions
from dicelab.plots.chart_style import as_svg
from dicelab.plots.comparison import plot_comparison
from dicelab.plots.edges import plot_edges
from dicelab.plots.policy import plot_policy
from dicelab.plots.tally import plot_seats, plot_tally
from dicelab.questions.betting.bet import Edge
from dicelab.questions.betting.edges import Edges, edges
from dicelab.questions.betting.session import session
from dicelab.questions.compare import Comparison, compare
from dicelab.questions.cost import exact_cost, solve_cost
from dicelab.questions.exact import exact
from dicelab.questions.heuristics.rule import rule
from dicelab.questions.policies.casual import SolvedStates
from dicelab.questions.policies.grid import grid
from dicelab.questions.policies.objective import has_default
from dicelab.questions.policies.skill.luck import luck
from dicelab.questions.policies.solve import solve
from dicelab.questions.simulate import simulate
from dicelab.questions.sweeps.tune import SLACK
from dicelab.results.base import BaseResult, rule_tables, winners
from dicelab.results.card import card
from dicelab.results.text.html import in_html
from dicelab.results.text.sentences import percent
from dicelab.results.text.table import Column, Table, plain
from dicelab.rules.casino import Casino
from dicelab.rules.game import Game, player_names, seat_count
from dicelab.rules.wording import rulebook_of
from dicelab.rules.words import player_name
from dicelab.runtime.lineup import Run

FAIR, UNFAIR = 0.01, 0.05
"""Differences between the best and the worst seat: below the first nobody notices, from the second on it is unfair."""
MUCH, LITTLE = 0.9, 0.5
"""Shares of luck from which a game is mostly luck, and below which it is mostly skill."""
LENGTHS = ("turns", "rounds", "throws", "rolls")
"""Tallies that say how long a game is."""


def how_fair(gap: float) -> str:
    """Return the verdict on the difference between the best and the worst seat.

    >>> how_fair(0.004), how_fair(0.2)
    ('practically fair', 'unfair')
    """
    return "practically fair" if gap < FAIR else "noticeably uneven" if gap < UNFAIR else "unfair"


def played_by(run: Run) -> str:
    """Return who made the choices, as a sentence; that there were none, if nobody has any.

    >>> played_by(Run.of("lcr")), played_by(Run.of("tossup", ["one_roll"]))
    ('Nobody decides anything: it is all luck.', 'These are games in which everybody plays one_roll.')
    """
    if not run.game.declared.decisions:
        return "Nobody decides anything: it is all luck."
    names = dict.fromkeys(run.strategies)
    if len(names) == 1 and seat_count(run.game) > 1:
        return f"These are games in which everybody plays {run.strategies[0]}."
    return f"These are games with the {'strategy' if len(names) == 1 else 'strategies'} {', '.join(names)}."


def length(result: Any) -> str:
    """Return how long games are, in a sentence; empty if nothing of a result says it."""
    name = next((name for name in LENGTHS if name in result.tally_names), "")
    if not name:
        return ""
    tally = result.tallies[name]
    low, middle, high = (tally.percentile(p) for p in (0.1, 0.5, 0.9))
    word = "rolls" if name == "throws" else name
    mean = f"{tally.mean:,.1f} {word} on average"
    if None in (low, middle, high):
        return f"A game takes {mean}."
    if low == high:
        return f"Nearly every game takes {middle:,} {word}."
    return f"A game takes {mean}; one in ten takes {low:,} or fewer, and one in ten {high:,} or more."


def dominance(compared: Comparison) -> str:
    """Return whether one of the strategies beats each other one; empty if there are fewer than two."""
    names = list(dict.fromkeys(name for pair in compared.pairs for name in (pair.first, pair.second)))
    if len(names) < 2:
        return ""
    beaten = {name: set[str]() for name in names}
    for pair in compared.pairs:
        if pair.difference.low > 0:
            beaten[pair.first].add(pair.second)
        elif pair.difference.high < 0:
            beaten[pair.second].add(pair.first)
    best = next((name for name, others in beaten.items() if len(others) == len(names) - 1), None)
    if best is not None:
        others = (
            "the others that were compared in the time there was" if compared.interrupted else "the other strategies"
        )
        return f"{best} dominates: it beats each of {others}."
    unbeaten = [name for name in names if not any(name in others for others in beaten.values())]
    if unbeaten:
        are = "is" if len(unbeaten) == 1 else "are"
        return f"No strategy is shown to beat all others; {', '.join(unbeaten)} {are} not beaten."
    return "No strategy dominates: each is beaten by another."


def for_whom(game: Game, memory: int | None) -> list[str]:
    """Return how fair a game is if everybody plays best, and if everybody plays casually: exactly, a sentence each.

    Raises
    ------
    DicelabError
        When the game can't be solved.
    """
    solved, seats = SolvedStates.of(game, None, memory), seat_count(game)
    best, casual = ([one.value for one in list(solved.figures(slack).values())[:seats]] for slack in (None, SLACK))
    return fairness(game, best, casual)


def fairness(game: Game, best: Sequence[float], casual: Sequence[float]) -> list[str]:
    """Return how fair a game is whose seats win with these probabilities: by the best play, and by casual play."""
    rows, gaps = [], []
    for who, chances in (
        ("everybody plays best", best),
        (f"moves are made at random that cost at most {SLACK:.0%}", casual),
    ):
        gap = max(chances) - min(chances)
        gaps.append(gap)
        most = player_name(chances.index(max(chances)), player_names(game))
        least = player_name(chances.index(min(chances)), player_names(game))
        among = f"{most} wins {percent(max(chances))}, {least} {percent(min(chances))}"
        rows.append(f"If {who.replace('%', ' %')}, {among if gap >= 0.0005 else 'all seats win equally often'}.")
    experts, others = map(how_fair, gaps)
    same = f"It is {experts} for experts and for casual players."
    return [*rows, same if experts == others else f"It is {experts} for experts, and {others} for casual players."]


def of_luck(run: Run, games: int, seed: int, memory: int | None, look: Callable[[int, int], None]) -> str:
    """Return how much of the result is luck with the strategies of a run, in a sentence; empty if it is not known.

    Raises
    ------
    DicelabError
        When the game can't be solved.
    """
    luck_of_all = luck(run.game, run.calls, games=games, seed=seed, memory=memory, progress=look)
    shares = [row.share for row in luck_of_all.rows if row.share is not None]
    if not shares:
        return ""
    share = sum(shares) / len(shares)
    kind = "mostly luck" if share >= MUCH else "mostly skill" if share < LITTLE else "luck and skill"
    return f"Among {', '.join(dict.fromkeys(run.strategies))}, {percent(share)} of what decides is luck: {kind}."


def skill(run: Run, memory: int | None) -> str:
    """Return what the best play is worth against the default strategy in all other seats; empty for one seat.

    Raises
    ------
    DicelabError
        When the game can't be solved.
    """
    seats = seat_count(run.game)
    others = run.strategies[-1:]
    if seats < 2 or not others:
        return ""
    value = solve(run.game, others, memory=memory, policy=False).value
    whom = f"players of {others[0]}" if seats > 2 else f"a player of {others[0]}"
    return f"Against {whom} the best play wins {percent(value)} of games as {player_name(0, player_names(run.game))}."


TIME = 20.0
"""Seconds after which a comparison, edges, sessions or a measurement of luck end with what is finished."""
MOST_COMPARED = 4
"""Strategies that are compared, at most."""
LEAVES = 3
"""Leaves of the short rule."""
ENDS = 10
"""Bets with the lowest house edges, and with the highest, that stand above a folded table."""
SESSIONS = 5_000
"""Sessions that are simulated."""


@dataclass(frozen=True)
class Section:
    """A part of a report.

    Attributes
    ----------
    title, html
        Its heading, and its content.
    command
        The command that gives the answer; empty for a section that answers no question.
    findings
        The answer in sentences.

    Examples
    --------
    >>> Section("Who wins?", "<p>player 1</p>", "dicelab exact lcr").command
    'dicelab exact lcr'
    """

    title: str
    html: str
    command: str = ""
    findings: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReportRequest:
    """What a report is about: the run, the name of the game, and the limits of games and memory."""

    run: Run
    called: str
    games: int
    seed: int
    memory: int | None

    def command(self, verb: str, strategies: Sequence[str] = (), *more: str) -> str:
        """Return the command line that asks a question about the game with its parameters."""
        words = ["dicelab", verb, self.called, *parameter_words(verb, differing(self.run.game))]
        words += [word for strategy in strategies for word in ("-s", strategy)]
        return shlex.join([*words, *more])

    @property
    def simulated(self) -> tuple[str, ...]:
        """The options of a simulation."""
        return ("--games", str(self.games), "--seed", str(self.seed))


def sections(asked: ReportRequest, begin: Callable[[str], None] = lambda title: None) -> Iterator[Section]:
    """Yield all sections that apply to the game; where an answer is out of reach, its section gives the reason.

    `begin` is called with what each of them is about before it is worked out.
    """
    yield rules(asked)
    for question in (outcomes, strategies, best_play, verdict, house_edges, sessions):
        begin(question.__name__.replace("_", " "))
        try:
            yield from question(asked)
        except DicelabError as error:
            title = question.__name__.replace("_", " ").capitalize()
            yield Section(title, f'<p class="muted">No answer: {escape(str(error))}</p>')


def rules(asked: ReportRequest) -> Section:
    """Return the rules as a card."""
    game = asked.run.game
    data = card(type(game))
    body = data["rules"].partition("\n")[2].strip()
    parts = [
        f"<p><strong>{escape(data['about'])}</strong></p>",
        *(f"<p>{escape(p)}</p>" for p in body.split("\n\n") if p),
    ]
    said = rulebook_of(game).items()
    parts += [f"<p><strong>{escape(title)}.</strong> {escape(text)}</p>" for title, text in said]
    parts += [in_html(replace(table, keys=len(table.columns)).lines) for table in rule_tables(game)]
    source = f'<p class="muted">Source: {escape(data["source"])}</p>' if data["source"] else ""
    return Section("The game", "".join(parts) + source)


def outcomes(asked: ReportRequest) -> Iterator[Section]:
    """Yield who wins, and how long games are: exactly if that takes seconds, else simulated."""
    run = asked.run
    cost = exact_cost(run.game, run.calls, memory=asked.memory)
    result: Any = None
    command = asked.command("exact", run.strategies)
    if cost.fits and (cost.expected_seconds or 0) <= LIMITS.report_seconds:
        look = _at_most(LIMITS.report_seconds, _Late)
        with suppress(_Late):  # it takes longer than was expected
            result = exact(run.game, run.calls, memory=asked.memory, progress=look, share=look)
    if result is None:
        result = simulate(run.game, run.calls, games=asked.games, seed=asked.seed)
        command = asked.command("simulate", run.strategies, *asked.simulated)
    charts = [plot_seats(result)] if result.outcomes else []
    for name in result.tally_names:
        try:
            charts.append(plot_tally(result, tally=name))
        except DicelabError:  # its distribution has too many values
            continue
    title = "Fairness and length" if result.outcomes else "What is counted"
    yield Section(title, _shown_with(result, charts), command, (*_verdicts(result), played_by(run)))


def _verdicts(result: Any) -> tuple[str, ...]:
    """Return who wins, whether that is fair, and how long games are, in sentences."""
    sentences = [result.summary]
    exactly = getattr(result, "games", None) is None  # of simulated games the summary says whether it can be told
    if exactly and result.fairness and result.seats and len(result.outcomes) > 1:
        gap = float(result.fairness["gap"])
        sentences.append(f"The best seat is {100 * gap:.2g} points ahead of the worst: {how_fair(gap)}.")
    sentences.append(length(result))
    return tuple(filter(None, sentences))


def strategies(asked: ReportRequest) -> Iterator[Section]:
    """Yield the strategies that the game declares against each other."""
    game = asked.run.game
    named = [call["written"] for call in card(type(game))["declared"]["strategies"]][:MOST_COMPARED]
    if len(named) > 1:
        by = "money" if getattr(game, "ruin", "") else None  # the first outcome of such a game is a bad one
        result = compare(game, named, on=by, games=asked.games, seed=asked.seed, progress=_at_most(TIME))
        charts = [plot_comparison(result)] if result.pairs else []
        command = asked.command("compare", named, *asked.simulated, *(("--on", by) if by else ()))
        yield Section("Strategies compared", _shown_with(result, charts), command, (result.summary, dominance(result)))


def best_play(asked: ReportRequest) -> Iterator[Section]:
    """Yield the value of optimal play, a map of the policy, and the short rule."""
    game = asked.run.game
    if not game.declared.decisions or not has_default(game):
        return
    cost = solve_cost(game, memory=asked.memory)
    if not cost.fits or (cost.expected_seconds or 0) > LIMITS.report_seconds:
        yield Section(
            "Optimal play", '<p class="muted">Too large to be solved here.</p>', asked.command("solve", (), "--dry-run")
        )
        return
    solved = solve(game, memory=asked.memory)
    charts = []
    if solved.policy is not None:
        try:
            over = grid(solved.policy)
            charts = [plot_policy(solved.policy, over.x, over.y, None, **over.at)]
        except DicelabError:  # no two fields vary, or there are too many moves for a picture
            charts = []
    command = asked.command("solve", (), "--out", "best.npz")
    yield Section("Optimal play", _shown_with(solved, charts), command, (solved.summary,))
    if solved.policy is not None:
        short = rule(solved.policy, leaves=LEAVES, seconds=LIMITS.report_seconds, memory=asked.memory)
        command = asked.command("policy", (), "best.npz", "--rule", "--leaves", str(LEAVES))
        lines = "; ".join(line.strip() for line in short.lines)
        yield Section("A short rule", _shown_with(short, []), command, (short.summary, f"The rule: {lines}."))


def verdict(asked: ReportRequest) -> Iterator[Section]:
    """Yield for whom a game is fair, how much better the best play is, and how much is luck: of games that are won."""
    run = asked.run
    if not run.game.declared.decisions or not winners(run.game):
        return
    cost = solve_cost(run.game, memory=asked.memory)
    if not cost.fits or (cost.expected_seconds or 0) > LIMITS.report_seconds / 2:
        return
    rows = for_whom(run.game, asked.memory)
    rows.append(skill(run, asked.memory))
    try:
        rows.append(of_luck(run, asked.games, asked.seed, asked.memory, _at_most(TIME)))
    except KeyboardInterrupt:  # its time is over
        rows.append(f"How much is luck could not be measured within {TIME:.0f} seconds; the command below does.")
    said = [text for text in rows if text]
    body = "".join(f"<p>{escape(text)}</p>" for text in said)
    command = asked.command("simulate", run.strategies, "--luck-adjusted", *asked.simulated)
    yield Section("For experts and casual players", body, command, tuple(said))


def house_edges(asked: ReportRequest) -> Iterator[Section]:
    """Yield the edge of every bet, for a game of money."""
    game = asked.run.game
    if isinstance(game, Casino):
        result = edges(game, memory=asked.memory, progress=_at_most(TIME))
        yield Section("House edge", edges_in_html(result), asked.command("edges"), (result.summary,))


def edges_in_html(result: Edges) -> str:
    """Return the edges of all bets with their chart; many are folded below the lowest and highest ones."""
    if len(result.rows) <= LIMITS.bars:
        return _shown_with(result, [plot_edges(result)] if len(result.rows) > 1 else [])
    ranked = sorted(result.rows, key=lambda row: row.edge.value)
    among = f" among the {len(ranked)} bets that were worked out in time" if result.interrupted else ""
    ends = {"lowest": ranked[:ENDS], "highest": ranked[: -ENDS - 1 : -1]}
    shown = "".join(in_html(_ends(f"the {end} house edges{among}", rows).lines) for end, rows in ends.items())
    return shown + f"<details><summary>All {len(ranked)} bets</summary>{_shown_with(result, [])}</details>"


def _ends(title: str, rows: Sequence[Edge]) -> Table:
    """Return a table of the bets with the lowest or the highest house edges."""
    bets = Column("", plain, title, lambda row: row.bet.replace("_", " "))
    return Table([bets, Column("", lambda page, row: f"{100 * row.edge.value:.2f} %", "of the stake")], rows)


def sessions(asked: ReportRequest) -> Iterator[Section]:
    """Sessions with the bankroll, for a game that can be played as one."""
    game = asked.run.game
    if isinstance(game, Casino) and game.ruin:
        result = session(game, asked.run.calls, games=SESSIONS, seed=asked.seed, exact=False, progress=_at_most(TIME))
        command = asked.command("session", asked.run.strategies, "--games", str(SESSIONS), "--seed", str(asked.seed))
        yield Section("Sessions", _shown_with(result, [plot_sessions([result])]), command, (result.summary,))


class _Late(Exception):
    """Raised to end a question that has no answer before its end."""


def _at_most(seconds: float, end: type[BaseException] = KeyboardInterrupt) -> Callable[..., None]:
    """Return a function to be called while a question is worked out, which ends it once the time is over, by default as
    Ctrl-C does.

    What is finished by then is the answer.
    """
    until = monotonic() + seconds

    def look(*_: object) -> None:
        if monotonic() > until:
            raise end

    return look


def _shown_with(result: BaseResult, charts: Sequence[Any]) -> str:
    """Return a result as HTML, with its charts."""
    pictures = []
    for axes in charts:
        data = b64encode(as_svg(axes).encode()).decode()
        words = escape(axes.get_title(loc="left").replace("\\$", "$"), quote=True)
        pictures.append(f'<img src="data:image/svg+xml;base64,{data}" alt="Chart: {words}">')
    return f'<div class="result">{result._repr_html_()}</div><div class="charts">{"".join(pictures)}</div>'
