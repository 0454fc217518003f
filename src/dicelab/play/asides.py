"""What people may type beside a move: to see how the game stands, what may be chosen, and what bets cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from textwrap import wrap

from dicelab.errors import DicelabError, ParameterError
from dicelab.play.answers import squeezed
from dicelab.play.hooks import menu_of, standing
from dicelab.play.text import indented, screen_width
from dicelab.rules.casino import casino_of
from dicelab.rules.game import Game
from dicelab.rules.params import Choice
from dicelab.rules.registry import bets_of

ABOUT = {
    "table": "how the game stands",
    "bets": "what may be bet now",
    "edges": "what the bets that are open cost; edges NAME: one of them",
}
"""Words that are understood wherever a move is, and what they show."""
MEANING = "win: the chance of it; edge: what is lost on the average, a share of what is bet, until the bet is decided"
SAME = {"layout": "bets", "view": "table", "edge": "edges"}


def aside(game: Game, line: str) -> list[str] | None:
    """What is to be shown for a line that is no move but one of these words; None where it is not.

    Raises
    ------
    ParameterError
        Saying why it can't be shown.
    """
    word, _, name = line.strip().lower().partition(" ")
    word = SAME.get(word, word)
    if word == "edges":
        return edge_lines(game, name.strip())
    if name or word not in asides(game):
        return None
    return standing(game) if word == "table" else menu_lines(menu_of(game))


def asides(game: Game) -> dict[str, str]:
    """The words that make sense in a game, and what they show."""
    return {word: about for word, about in ABOUT.items() if word == "table" or has_bets(game, word)}


def has_bets(game: Game, word: str) -> bool:
    """Does a game say what may be bet, or has it money, so that bets have edges?"""
    return bool(menu_of(game)) if word == "bets" else has_money(game)


def has_money(game: Game) -> bool:
    """Has a game, or that of its bets, money that is won and lost?"""
    return "money" in bets_of(type(game)).declared.tallies


def menu_lines(menu: Mapping[str, Mapping[str, str]]) -> list[str]:
    """What may be chosen, a paragraph for each group; names that differ by a number at their end are told at once.

    Examples
    --------
    >>> menu_lines({"numbers": {"place 4": "", "place 5": "", "field": ""}})
    ['  numbers: place 4 5, field']
    """
    lines = []
    for title, names in menu.items():
        runs = [(head, [tail for _, tail in run]) for head, run in groupby(map(parted, names), lambda pair: pair[0])]
        told = ", ".join(" ".join([head, *tails]).strip() for head, tails in runs)
        lines += wrap(f"{title}: {told}", screen_width(), initial_indent="  ", subsequent_indent="    ")
    return lines


def parted(name: str) -> tuple[str, str]:
    """A name without the number at its end, and that number."""
    head, _, tail = name.rpartition(" ")
    return (head, tail) if head and tail[0].isdigit() else (name, "")


def edge_lines(game: Game, name: str) -> list[str]:
    """The edges of the bets that are open, or of those with a name, as a table.

    Raises
    ------
    ParameterError
        When there are none.
    """
    if not has_money(game):
        raise ParameterError(f"{game.name} has no money that is won and lost, so there are no edges")
    bets = bets_named(game, name)
    width = max(map(len, [*bets, "bet"]))
    head = f"  {'bet'.ljust(width)}  {'win':>8}  {'edge':>10}  {'per throw':>10}"
    rows = [f"  {called.ljust(width)}  {told}" for called, told in figures(game, bets)]
    return [head, *rows, *indented(MEANING)]


def figures(game: Game, bets: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """For each bet its chance to win, its edge and its edge per throw; worked out when asked for."""
    from dicelab.betting.edges import edges

    kind = bets_of(type(game))
    over = casino_of(kind).edges_over
    for called, bet in bets.items():
        given = {over: bet} if over else {}
        own = {} if kind is not type(game) else {**game.parameters, **given}
        try:
            found = edges(kind, **(own or given))
        except DicelabError as error:
            raise ParameterError(f"no edge of {called}: {error}") from error
        if not found.rows:
            raise KeyboardInterrupt
        row = found.rows[0]
        win = "-" if row.win is None else f"{row.win.probability:.4f}"
        per = "-" if row.edge_per_throw is None else f"{100 * row.edge_per_throw.value:.3f} %"
        yield called, f"{win:>8}  {100 * row.edge.value:>8.3f} %  {per:>10}"


def bets_named(game: Game, name: str) -> dict[str, str]:
    """Bets by what they are called, with their names in the game of one bet: all that are open now, or those meant.

    Raises
    ------
    ParameterError
        When no bet is called so.
    """
    kind = bets_of(type(game))
    open_now = {called: bet for group in menu_of(game).values() for called, bet in group.items() if bet}
    over = kind.declared.params.get(casino_of(kind).edges_over)
    known = over.names if isinstance(over, Choice) else (kind.name,)
    if not name:
        own = [known[game.parameters[over.name]]] if over is not None and kind is type(game) else known
        return open_now or {bet: bet for bet in own}
    for among in (open_now, {bet: bet for bet in known}):
        exact = {called: bet for called, bet in among.items() if squeezed(called) == squeezed(name)}
        near = {called: bet for called, bet in among.items() if squeezed(called).startswith(squeezed(name))}
        within = {called: bet for called, bet in among.items() if set(name.split()) <= set(called.lower().split())}
        if exact or near or within:
            return exact or near or within
    raise ParameterError(f"no bet is called {name!r}; bets shows what may be bet, edges alone what all of it costs")
