"""What people may type: letters, words and numbers for the values of a move, or a command instead of a move.

The commands are `table`, `bets` and `edges`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import groupby, pairwise
from textwrap import wrap

from dicelab.errors import DicelabError, ParameterError
from dicelab.interface.play.screen.shown_game import GameScreen
from dicelab.interface.play.screen.text import in_words, indented, quoted, screen_width
from dicelab.interface.play.screen.views import menu_of
from dicelab.rules.actions import Kind
from dicelab.rules.casino import casino_of
from dicelab.rules.game import Game
from dicelab.rules.loading.registry import bets_of
from dicelab.rules.params import Choice, whole_number
from dicelab.rules.wording import rulebook_of

MOST_KEYS = 24
"""Maximum number of named moves that have one-letter keys; with more, moves are typed by name."""


def squeezed(words: str) -> str:
    """Return a text reduced to small letters and digits, so that spelling variants compare equal.

    >>> squeezed("Don't pass") == squeezed("dont_pass"), squeezed("hop 1-2")
    (True, 'hop12')
    """
    return "".join(letter for letter in words.lower() if letter.isalnum())


def keys(kind: type[IntEnum]) -> dict[str, tuple[str, int]]:
    """By key: name and value of each named move. The key is the first letter of the name not yet taken, except q.

    With more than `MOST_KEYS` moves, the key of a move is its name.

    Examples
    --------
    >>> from dicelab.games.tossup import Move
    >>> keys(Move)
    {'r': ('roll', 0), 'b': ('bank', 1)}
    """
    places: dict[str, tuple[str, int]] = {}
    if len(kind) > MOST_KEYS:
        return {name: (name, member.value) for member in kind for name in (in_words(member.name.lower()),)}
    for member in kind:
        name = in_words(member.name.lower())
        key = next((letter for letter in name if letter.isalpha() and letter not in {*places, "q"}), str(member.value))
        places[key] = (name, member.value)
    return places


def named(kind: Kind, value: int) -> str:
    """Return a value of a move as text: the name of a named move, else the number."""
    return in_words(kind(value).name.lower()) if isinstance(kind, type) else str(value)


def understood(kind: Kind, words: Sequence[str], more: int = 0) -> tuple[int, int] | None:
    """Return the value meant by the first words, and how many words it takes; None if they mean nothing.

    If `more` values follow, trailing numbers are left for them if possible: ``come 10`` is 10 on come, not the spot
    ``come_10``.

    Examples
    --------
    >>> from dicelab.games.tossup import Move
    >>> understood(Move, ["Bank"]), understood(Move, ["r"]), understood(Move, ["x"]), understood(6, ["4", "2"])
    ((1, 1), (0, 1), None, (4, 1))
    """
    if not isinstance(kind, type):
        number = whole_number(words[0])
        return None if number is None else (number, 1)
    known = keys(kind)
    names = {squeezed(name): value for name, value in known.values()}
    numbers = next((i for i, word in enumerate(reversed(words)) if whole_number(word) is None), len(words))
    enough = len(words) - min(more, numbers)
    for used in (*range(max(1, enough), len(words) + 1), *range(enough - 1, 0, -1)):
        typed = squeezed(" ".join(words[:used]))
        near = [value for name, value in names.items() if typed and name.startswith(typed)]
        if typed in names:
            return names[typed], used
        if typed in known:
            return known[typed][1], used
        if len(near) == 1:
            return near[0], used
    return None


def spoken(values: Sequence[int], most: int) -> str:
    """Return the numbers as text, consecutive ones as ranges; shortened if there are more than `most` ranges.

    Examples
    --------
    >>> spoken([1, 2, 3, 4, 8, 9], 12), spoken(range(0, 100, 2), 3), spoken([1, 3, 6, 10, 15], 3)
    ('1 to 4, 8, 9', '0 to 98 in steps of 2', '1, 3, 6, ... 15 (5 in all)')
    """
    runs = _runs(values)
    parts: list[str] = []
    for run in runs:
        parts += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run)
    if len(parts) <= most:
        return ", ".join(parts)
    below = sum(value < 0 for value in values)
    signed = [half for half in (values[:below], values[below:]) if half]
    steps = {second - first for half in signed for first, second in pairwise(half)}
    if len(steps) == 1:
        return f"{' and '.join(f'{half[0]} to {half[-1]}' for half in signed)} in steps of {steps.pop()}"
    return f"{', '.join(parts[:most])}, ... {values[-1]} ({len(values)} in all)"


def _runs(values: Sequence[int]) -> list[range]:
    """Return ascending numbers as ranges of consecutive ones."""
    if isinstance(values, range) and values.step == 1:
        return [values]  # already one range, and possibly too long to iterate over
    runs: list[range] = []
    for value in values:
        first = runs.pop()[0] if runs and runs[-1].stop == value else value
        runs.append(range(first, value + 1))
    return runs


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
            result = edges(kind, **(own or given))
        except DicelabError as error:
            raise ParameterError(f"no edge of {called}: {error}") from error
        if not result.rows:
            raise KeyboardInterrupt
        row = result.rows[0]
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
            fitting = {called: bet for called, bet in among.items() if fits(called, name)}
            if fitting:
                return fitting
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
