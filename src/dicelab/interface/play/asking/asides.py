"""Commands that people may type instead of a move: `table`, `bets` and `edges`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import wrap

from dicelab.errors import DicelabError, ParameterError
from dicelab.interface.play.asking.typed_values import squeezed
from dicelab.interface.play.screen.shown_game import GameScreen
from dicelab.interface.play.screen.text import indented, quoted, screen_width
from dicelab.interface.play.screen.views import menu_of
from dicelab.rules.casino import casino_of
from dicelab.rules.game import Game
from dicelab.rules.loading.registry import bets_of
from dicelab.rules.params import Choice
from dicelab.rules.wording import rulebook_of

ABOUT = {
    "table": "the state of the game",
    "rules": "how the game is played",
    "bets": "the bets allowed now",
    "edges": "the house edges of these bets; edges NAME: of one bet or group",
}
"""By command: what it shows."""
MOST_ROWS = 24
"""The command `edges` alone shows at most so many bets, unless the first group of the menu has more."""
MEANING = "win: probability of a win; edge: average loss until the bet is decided, as a share of the stake"
SAME = {"layout": "bets", "view": "table", "edge": "edges"}


def aside(table: GameScreen, line: str) -> list[str] | None:
    """Return the lines to show for a command; None if the line is not a command of this game.

    Raises
    ------
    ParameterError
        When there is nothing to show; the message says why.
    """
    game = table.game
    word, _, name = line.strip().lower().partition(" ")
    word = SAME.get(word, word)
    if word == "edges":
        return edge_lines(game, name.strip())
    if name or word not in asides(game):
        return None
    if word == "rules":
        return rule_lines(game)
    return table.standing() if word == "table" else menu_lines(menu_of(game))


def rule_lines(game: Game) -> list[str]:
    """Return the rules for people as lines.

    >>> from dicelab.games.tossup import TossUp
    >>> rule_lines(TossUp())[0]
    '  Goal: Bank 100 points before the others do.'
    """
    return [line for title, text in rulebook_of(game).items() for line in indented(f"{title}: {text}")]


def asides(game: Game) -> dict[str, str]:
    """Return the commands available in a game, and what they show."""
    return {word: about for word, about in ABOUT.items() if word == "table" or has_bets(game, word)}


def has_bets(game: Game, word: str) -> bool:
    """Return whether a command is available: `bets` (there is a menu), `edges` (there is money), `rules` (there are
    some).
    """
    if word == "rules":
        return bool(game.words.rulebook.sections)
    return bool(menu_of(game)) if word == "bets" else has_money(game)


def has_money(game: Game) -> bool:
    """Return whether the game, or the game that defines its bets, has the tally ``money``."""
    return "money" in bets_of(type(game)).declared.tallies


def menu_lines(menu: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the menu as lines, a paragraph per group; names that differ only in a final number are merged.

    Examples
    --------
    >>> menu_lines({"numbers": {"place 4": "", "place 5": "", "field": ""}})
    ['  numbers: place 4 5, field']
    """
    lines = []
    for title, names in menu.items():
        runs = [(head, [tail for _, tail in run]) for head, run in groupby(map(parted, names), lambda pair: pair[0])]
        text = ", ".join(" ".join([head, *tails]).strip() for head, tails in runs)
        lines += wrap(f"{title}: {text}", screen_width(), initial_indent="  ", subsequent_indent="    ")
    return lines


def parted(name: str) -> tuple[str, str]:
    """Split a name into the part before a final number, and that number (or an empty text)."""
    head, _, tail = name.rpartition(" ")
    return (head, tail) if head and tail[0].isdigit() else (name, "")


def edge_lines(game: Game, name: str) -> list[str]:
    """Return a table of the edges of the bets allowed now, or of those that match a name.

    Raises
    ------
    ParameterError
        When there are no such bets.
    """
    if not has_money(game):
        raise ParameterError(f"{game.name} has no tally called money, so its bets have no edge")
    bets, more = bets_asked(game, name)
    width = max(map(len, [*bets, "bet"]))
    head = f"  {'bet'.ljust(width)}  {'win':>8}  {'edge':>10}  {'per throw':>10}"
    rows = [f"  {called.ljust(width)}  {cells}" for called, cells in figures(game, bets)]
    return [head, *rows, *indented(MEANING), *indented(f"more: {', '.join(more)}" if more else "")]


def bets_asked(game: Game, name: str) -> tuple[dict[str, str], list[str]]:
    """Return the bets of a group of the menu, or those that match a name; without a name, the first groups.

    Returns the bets, as `bets_named` does, and what to type for the groups left out.
    """
    menu = {title: {called: bet for called, bet in names.items() if bet} for title, names in menu_of(game).items()}
    groups = {title: names for title, names in menu.items() if names}
    if name in groups:
        return groups[name], []
    if name or not groups:
        return bets_named(game, name), []
    shown: dict[str, str] = {}
    while groups and (not shown or len(shown) + len(next(iter(groups.values()))) <= MOST_ROWS):
        shown |= groups.pop(next(iter(groups)))
    return shown, [f"edges {title}" for title in groups]


def figures(game: Game, bets: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each bet with its probability of a win, edge and edge per throw as text; computed one by one."""
    from dicelab.questions.betting.edges import edges

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
    """Bets allowed now, or those that match a name. Keys: names at the table; values: names in the game of one bet.

    Raises
    ------
    ParameterError
        When no bet matches.
    """
    open_now = {called: bet for group in menu_of(game).values() for called, bet in group.items() if bet}
    own, known = bets_known(game)
    if not name:
        return open_now or {bet: bet for bet in own}
    for among in (open_now, {bet: bet for bet in known}):
        for fits in (same, begins, contains):
            found = {called: bet for called, bet in among.items() if fits(called, name)}
            if found:
                return found
    hint = "type bets for the bets allowed now, or edges for all their edges"
    raise ParameterError(f"no bet is called {quoted(name)}; {hint}")


def bets_known(game: Game) -> tuple[Sequence[str], Sequence[str]]:
    """Return the bets of this game with its parameters, and all bets that have an edge; for a table the two are the
    same.
    """
    kind = bets_of(type(game))
    over = kind.declared.params.get(casino_of(kind).edges_over)
    if not isinstance(over, Choice):
        return (kind.name,), (kind.name,)
    return ((over.names[game.parameters[over.name]],) if kind is type(game) else over.names), over.names


def same(called: str, name: str) -> bool:
    """Return whether two names differ in spelling only."""
    return squeezed(called) == squeezed(name)


def begins(called: str, name: str) -> bool:
    """Return whether a bet's name begins with the typed one."""
    return squeezed(called).startswith(squeezed(name))


def contains(called: str, name: str) -> bool:
    """Return whether a bet's name has all the typed words."""
    return set(name.split()) <= set(called.lower().replace("_", " ").split())
