"""The board of a game as lines of text, from the parts that the game declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap

from dicelab.interface.play.screen.text import TIED
from dicelab.rules.actions import Decision
from dicelab.rules.game import Game, player_names
from dicelab.rules.keeping import Keep
from dicelab.rules.wording import called, gain, move_words, value_called
from dicelab.rules.words import Bits, Dice, Part, Places, Sheet, Track, player_name


def board_lines(
    game: Game,
    width: int,
    names: Sequence[str] = (),
    filled: Mapping[tuple[str, int], int] | None = None,
    asked: Decision | None = None,
) -> list[str]:
    r"""The board of a game.

    Parameters
    ----------
    game
        The game in its state.
    width
        Columns of the screen.
    names
        What the players are called here.
    filled
        What the rows of score sheets have scored, by choice and value, as far as it is known.
    asked
        The choice that a player makes now.

    Examples
    --------
    >>> from dicelab.games.lcr import LCR
    >>> print("\n".join(board_lines(LCR(players=3), 60)))
      coins: player 1  3   player 2  3   player 3  3
    """
    lines: list[str] = []
    for part in game.words.board:
        shown = _part(game, part, names, filled or {}, asked)
        lines += [line for text in shown for line in wrap(text, width, initial_indent="  ", subsequent_indent="    ")]
    return [line.replace(TIED, " ") for line in lines]


def _part(
    game: Game,
    part: Part,
    names: Sequence[str],
    filled: Mapping[tuple[str, int], int],
    asked: Decision | None,
) -> list[str]:
    """The lines of a part; they begin without a margin."""
    if isinstance(part, Sheet):
        return _sheet(game, part, filled, asked)
    if isinstance(part, Places):
        shown = names or [player_name(k, player_names(game)) for k in range(len(game.__dict__[part.row]))]
        cells = [f"{_kept(name)}{TIED}{TIED}{n:,}" for name, n in zip(shown, game.__dict__[part.row], strict=False)]
        return [f"{called(game, part.row)}: {'   '.join(cells)}"]
    if isinstance(part, Dice):
        row = game.__dict__[part.row]
        keep = next((d for d in game.declared.decisions if isinstance(d, Keep) and d.dice.name == part.row), None)
        labels = [face.label for face in keep.die.faces] if keep else [str(k + 1) for k in range(len(row))]
        dice = [f"[{label}]" for label, n in zip(labels, row, strict=True) for _ in range(n)]
        return [f"{called(game, part.row)}: {' '.join(dice)}"] if dice else []
    if isinstance(part, Track):
        return [f"{called(game, part.field)}: {'  '.join(_track(game, part))}"]
    return ["   ".join(_number(game, name) for name in part.names)]


def _kept(name: str) -> str:
    """A name that is not broken at the end of a line."""
    return name.replace(" ", TIED)


def _number(game: Game, name: str) -> str:
    value = game.__dict__[name]
    text = value_called(game, name, int(value)) if not isinstance(value, list) else ", ".join(map(str, value))
    return _kept(f"{called(game, name)} {text if text is not None else f'{int(value):,}'}")


def _track(game: Game, part: Track) -> list[str]:
    """The positions of a track: a name where something is, else a dot."""
    names, value = game.words.values.get(part.field), game.__dict__[part.field]
    if isinstance(names, Bits):
        return [name if value >> k & 1 else "·" * len(name) for k, name in enumerate(names.names)]
    titles = names or [str(k + 1) for k in range(len(value))]
    return [title if n else "·" * len(title) for title, n in zip(titles, value, strict=False)]


def _sheet(game: Game, part: Sheet, filled: Mapping[tuple[str, int], int], asked: Decision | None) -> list[str]:
    """A score sheet in two columns."""
    decision = next(d for d in game.declared.decisions if d.name == part.choice)
    low, high = decision.spans(game)[0]
    rows = []
    for value in range(low, high + 1):
        name = move_words(game, decision, (value,))
        if getattr(game, part.open)(value):
            now = (asked is decision or isinstance(asked, Keep)) and decision.allows(game, (value,))
            worth = gain(game, decision, (value,), 0) if now else None
            text = "." if worth is None else f". {worth:>3} now"
        else:
            text = str(filled.get((part.choice, value), "filled"))
        rows.append((name, text))
    half = (len(rows) + 1) // 2
    wide = max(len(name) for name, _ in rows)
    cells = [f"{name.ljust(wide)}  {text.ljust(9)}" for name, text in rows]
    pairs = zip(cells[:half], [*cells[half:], *[""] * (2 * half - len(cells))], strict=True)
    return [f"{one}   {other}".rstrip().replace(" ", TIED) for one, other in pairs]
