"""Check what a game says about how it looks (`Game.words`), and show a sample: its board, its messages, its moves.

By itself because it shows a sample to people, while the steps of the check only look for what is broken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

from dicelab.conformance.findings import NOTE, OK, Broken, Found, Said
from dicelab.conformance.settings import lineups
from dicelab.errors import RulesError
from dicelab.results.text.writing import many
from dicelab.rules.actions import Decision
from dicelab.rules.board import Board, board_lines
from dicelab.rules.fields import Grid, Ints
from dicelab.rules.game import Game, outcome_names, player_names, position, reset, twin
from dicelab.rules.params import value_of
from dicelab.rules.wording import (
    BRACES,
    called,
    derived,
    gain,
    move_words,
    received_names,
    sentences,
    turn_field,
)
from dicelab.rules.words import Bits, Cups, Numbers, Part, Sheet, Track, Words, player_name
from dicelab.runtime.interpreter import steps
from dicelab.runtime.lineup import Chooser
from dicelab.runtime.philox import Stream
from dicelab.runtime.where import where_declared

WIDTH = 60
"""Columns that a board fits."""
GAMES, STEPS = 3, 100
"""Games of random moves, and steps of each, in which boards and messages are tried."""
SHOWN = 6
"""Messages and moves in a sample, at most."""


def looks(game: type[Game]) -> Found:
    """Check the words of a game in games of random moves; nothing is said of a game without words."""
    if game.words == Words():
        return
    sample = game()
    for problem in (*_braces(sample), *_names(sample), *_endings(sample)):
        where = where_declared(game, "words")
        raise Broken(f"{where}: {problem}" if where else problem, where)
    unseen = _unseen(sample)
    if unseen:
        say = f"{', '.join(unseen)}: neither on the board nor in hidden, so that people don't see"
        yield Said(NOTE, f"{say} {'them' if len(unseen) > 1 else 'it'}")
    boards, count, shown = _tried(game)
    fits = [f"the board fits {WIDTH} columns in {many(boards, 'state')}"] if boards else []
    made = [f"{many(count, 'message')} {'was' if count == 1 else 'were'} made"] if count else []
    yield Said(OK, ", and ".join(fits + made) or "all that the game calls by a name is there", {"sample": shown})


def _known(game: Game, step: str = "") -> set[str]:
    """Return what may stand in braces."""
    names = {*game.declared.params, *game.declared.state, *game.declared.tallies, *derived(game)}
    kind = next((k for k in (*game.declared.throws, *game.declared.decisions) if k.name == step), None)
    return names | {"player", "move"} | (received_names(kind) if kind else set())


def _braces(game: Game) -> Iterator[str]:
    """Yield the names in braces that stand for nothing."""
    words = game.words
    every = {name for k in (*game.declared.throws, *game.declared.decisions) for name in received_names(k)}
    for where, texts in (("news", words.news), ("moves", words.moves), ("endings", words.endings)):
        for name, text in texts.items():
            known = _known(game, name.partition(" ")[0]) | (every if where == "news" else set())
            for used in BRACES.findall(text):
                if used not in known:
                    yield f"words.{where}: {{{used}}} in the text for {name!r} stands for nothing"
    for title, text in (*words.rulebook.sections.items(), *words.rulebook.options.items()):
        for used in BRACES.findall(text):
            if used not in game.declared.params:
                yield f"words.rulebook: {{{used}}} under {title!r} is no parameter"


def _names(game: Game) -> Iterator[str]:
    """Yield the values without a name, and names of nothing."""
    spans = {d.name: d.spans(game)[0] for d in game.declared.decisions if len(d.kinds) == 1}
    spans |= {name: field.bounds(game) for name, field in game.declared.state.items()}
    for name, names in game.words.values.items():
        low, high = spans.get(name, (0, 0))
        field = game.declared.state.get(name)
        if isinstance(field, Ints):
            places = value_of(field.columns, game) if isinstance(field, Grid) else len(game.__dict__[name])
            low, high = 0, places - 1
        if name not in spans:
            continue
        if isinstance(names, Bits) and not isinstance(field, Ints) and high >= 1 << len(names.names):
            yield f"words.values: {name!r} goes up to {high}, for which {len(names.names)} names are too few"
        elif isinstance(names, Sequence) and len(names) < high - low + 1:
            yield f"words.values: {name!r} has {high - low + 1} values, from {low} to {high}, and {len(names)} names"


def _endings(game: Game) -> Iterator[str]:
    """Yield what is said of endings that never happen."""
    outcomes = outcome_names(game)
    for name in game.words.endings:
        if name not in (outcomes or ("",)):
            instead = "" if outcomes else '; of a game without outcomes write ""'
            yield f"words.endings: {name!r} is no outcome{instead}"


def _on_board(part: Part) -> set[str]:
    """Return the names that a part shows."""
    if isinstance(part, Numbers):
        return {*part.names}
    if isinstance(part, Cups):
        return {part.hands, part.counts}
    if isinstance(part, Track):
        return {part.field, part.ahead}
    return set() if isinstance(part, Sheet) else {part.row}


def _unseen(game: Game) -> list[str]:
    """Fields that are neither on the board nor hidden; none of a game without a board, whose fields are shown."""
    if not game.words.board:
        return []
    seen = {name for part in game.words.board for name in _on_board(part)}
    return [name for name in game.declared.state if name not in {*seen, *game.words.hidden, turn_field(game)}]


def _tried(game: type[Game]) -> tuple[int, int, list[str]]:
    """Play games of random moves: how many boards were drawn and messages made, and a sample of them."""
    boards, count = 0, 0
    messages: dict[str, None] = {}
    asked: list[str] = []
    start = game()
    reset(start)
    first = _board(start, None)
    for number in range(GAMES):
        sample, choices = game(), Random(number)
        reset(sample)
        usual = [call.chooser(sample) for call in lineups(sample)[0].calls]

        def choose(
            at: Game, decision: Decision, seat: int, choices: Random = choices, usual: Sequence[Chooser] = usual
        ) -> object:
            if not asked:
                asked.extend([*_board(at, decision), *_offered(at, decision, seat)])
            moves = decision.listing(at)
            return choices.choice(moves) if moves else usual[seat](at, decision, seat)

        before = twin(sample)
        for event in islice(steps(sample, [choose] * len(usual), Stream(1, number), STEPS + 1), STEPS):
            seat = event.count if event.kind == "choice" else _mover(before)
            player = player_name(seat, player_names(sample))
            lines = sentences(before, sample, event.name, event.values, seat, player)
            count += len(lines)
            messages |= dict.fromkeys(lines[: max(0, SHOWN - len(messages))])
            boards += bool(_board(sample, None))
            before = twin(sample)
    return boards, count, [*(asked or first), *messages]


def _mover(game: Game) -> int:
    """Whose turn it is, as far as the state says."""
    field = turn_field(game)
    return int(game.__dict__[field]) if field else 0


def _board(game: Game, asked: Decision | None) -> list[str]:
    """Return the lines of the board; they must fit, and leave the state as it is."""
    was = position(game)
    board = Board(game, asked=asked)
    lines = board_lines(board, WIDTH)
    if position(game) != was:
        raise RulesError("words.board: a method of the board changes the state; it may only read it")
    texts = [f"{cell.name} {cell.value}" for block in board.blocks() for cell in block.cells]
    wide = [text for text in texts if len(text) > WIDTH - 4]
    if wide:
        raise RulesError(f"words.board: {wide[0]!r} does not fit in {WIDTH} columns; choose shorter names")
    return lines


def _offered(game: Game, decision: Decision, seat: int) -> list[str]:
    """Return some moves of a choice, with what they score at once."""
    moves = decision.listing(game) or []
    shown = []
    for move in moves[:: max(1, len(moves) // SHOWN)][:SHOWN]:
        got = gain(game, decision, move, seat)
        shown.append(move_words(game, decision, move) + (f" ({got:+,})" if got else ""))
    return [f"  {called(game, decision.name)}: {', '.join(shown)}"] if shown else []
