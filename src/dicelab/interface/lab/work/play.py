"""What a page shows of a game in play, its review, and the game as a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from dicelab.errors import DicelabError, ParameterError
from dicelab.interface.lab.work.process import GameRequest, Wire, game_of
from dicelab.interface.lab.work.sitting import Sitting
from dicelab.interface.play.asking.estimated import CHANCE_TO_WIN, EstimatedHints
from dicelab.interface.play.asking.people import question_of
from dicelab.interface.play.asking.question import OpenChoice
from dicelab.interface.play.saved import Recorder, head, result_of
from dicelab.interface.play.screen.text import numbers, quoted, shortened, unset, value_words
from dicelab.interface.play.screen.views import menu_of
from dicelab.questions.policies.skill.by_turns import known_values, write_values
from dicelab.questions.policies.skill.mixed_review import MixedHints, review_mixed
from dicelab.questions.policies.skill.review import review, reviewed_by
from dicelab.questions.policies.skill.reviewed import Reviewed
from dicelab.questions.policies.skill.values import Unvalued, Values
from dicelab.results.text.html import linked, roll_of
from dicelab.results.text.page import Printing, TextCell
from dicelab.rules.actions import Decision
from dicelab.rules.board import Block, Board
from dicelab.rules.fields import applied
from dicelab.rules.game import Game, counted, fresh, outcome_names, reset, summary, winner_of
from dicelab.rules.keeping import Keep
from dicelab.rules.loading.registry import bets_of, entry_points
from dicelab.rules.mixtures import LUCK
from dicelab.rules.params import whole_number
from dicelab.rules.wording import called, ended_as, gain, move_words, rulebook_of
from dicelab.rules.words import Bits, Sheet
from dicelab.runtime.interpreter import MixtureDraws, finished
from dicelab.runtime.interpreter import asked as asked_by
from dicelab.runtime.lineup import Run, as_seed

ESTIMATING = 0.7
"""Seconds for which games are played on for estimates."""
MOST_MOVES = 60
"""Most moves that get a button each; of more, one is typed."""


def play(
    wire: Wire,
    asked: GameRequest,
    seed: str,
    moves: list[list[int]],
    say: str | None,
    coach: str,
    file: str | None,
    bet: list[str] | None = None,
    look: bool = False,
    estimated: bool = False,
) -> None:
    """Send the state of a game: what happened, what may be done, and what the coach says.

    `say` is a line that was typed, `bet` a spot that was clicked and the amount for it. If that is a move, the state
    after it is sent too, as ``then``. `look` is whether the player whose turn it is looks at the page alone: where
    several people share it, hidden numbers are covered otherwise. If `estimated`, the coach of a game that can't be
    solved has estimates.
    """
    sitting = Sitting(asked, seed, [tuple(move) for move in moves], file, look)
    data = _shown(sitting, say, coach, bet, estimated)
    if "made" in data:
        after = Sitting(asked, seed, [tuple(move) for move in [*moves, data["made"]]], file)
        wire.send(table=data, then=_shown(after, None, coach, None, estimated))
    else:
        wire.send(table=data)


def prepare(
    wire: Wire, asked: GameRequest, seed: str, moves: list[list[int]], file: str, objective: str | None = None
) -> None:
    """Evaluate what the coach will be asked first, if the values of the game are kept in the cache folder.

    Writes them into `file`, and keeps them in this process; sends ``kept`` if there are any.
    """
    values = known_values(game_of(asked), objective)
    if values is not None:
        write_values(values, Path(file))
        _coach(Sitting(asked, seed, [tuple(move) for move in moves], file), "before")
        wire.send(kept=True)


def _shown(table: Sitting, say: str | None, coach: str, bet: list[str] | None, estimated: bool) -> dict[str, Any]:
    """Return the state of a game as the page shows it."""
    game, waits = table.game, table.waits
    data: dict[str, Any] = {
        "names": table.names,
        "people": table.people,
        "over": table.over,
        "seat": waits.seat if waits else -1,
        "events": table.events[-40:],
        "since": max(0, len(table.events) - table.since),
        "view": table.secrets.words(game.view) or "",
        "board": [asdict(block) for block in _board(game, table)],
        "state": _state(game, table),
        "rulebook": rulebook_of(game),
        "count": len(table.events),
        "saves": table.saves,
        "steps": table.made if table.stepped else None,
        "covered": table.covered,
        "choices": [],
    }
    if waits is not None and waits.decision is not None and not table.covered:
        question = question_of(game, waits.decision)
        if say is not None or bet is not None:
            data |= _said(question, say or "", bet)
        data |= {"felt": felt(game, waits.decision)}
        data |= _choices(game, waits.decision, question)
    if table.over:
        data |= _ending(game, table)
    return data | _coached(table, coach, estimated)


def _coached(table: Sitting, coach: str, estimated: bool) -> dict[str, Any]:
    """Return what the coach says, as part of the state of a game; nothing if there is none."""
    waits = table.waits
    if table.solved is not None and coach != "off":
        try:
            return {"coach": _coach(table, coach)}
        except (Unvalued, ParameterError) as error:
            return {"coach": {"note": str(error)}}
    if table.mixed is not None and coach != "off" and not table.covered:
        try:
            return {"coach": _coach_mixed(table, table.mixed, coach)}
        except DicelabError as error:
            return {"coach": {"note": str(error)}}
    if estimated and waits is not None and waits.decision is not None:
        return _coach_estimated(table, coach, waits.decision, waits.seat)
    return {}


def _said(question: OpenChoice, say: str, bet: list[str] | None = None) -> dict[str, Any]:
    """Return the move that a typed line or a click means, or why it means none."""
    try:
        made = placed(question, *_amount(*bet)) if bet else question.extended((), say)
    except ParameterError as error:
        return {"misheard": str(error)}
    if len(made) < len(question.decision.kinds):
        return {"misheard": f"{shortened(say)}: say the rest as well, {question.asked(made)}"}
    return {"made": list(made)}


def _amount(bet: str, text: str) -> tuple[str, int]:
    """Return a bet with its amount as a number."""
    number = whole_number(text)
    if number is None or number < 1:
        raise ParameterError(f"amount: {quoted(text)} is not allowed; it takes a whole number, at least 1")
    return bet, number


def _state(game: Game, table: Sitting) -> list[dict[str, Any]]:
    """Return the fields of the state that people play by, with their values in words."""
    plain, you = table.secrets.seen(), table.you
    shown = [name for name in numbers(game) if name in plain and not unset(game, name)]
    return [
        {
            "name": called(game, name),
            "value": value_words(game, name, plain[name], you=you),
            "help": game.declared.state[name].help,
        }
        for name in shown
    ]


def _choices(game: Game, decision: Decision, question: OpenChoice) -> dict[str, Any]:
    """Return the moves that are allowed; none if they are so many that one is typed."""
    moves = question.moves or []
    listed = [
        {
            "move": list(move),
            "words": _worded(game, decision, move, question.seat),
            "picks": move_words(game, decision, move),
        }
        for move in moves
    ]
    return {
        "asked": summary(decision.rule) or f"{called(game, decision.name)}?".capitalize(),
        "picked": _picked(game, decision, moves),
        "dice_picked": isinstance(decision, Keep),
        "in_sheet": any(isinstance(part, Sheet) and part.choice == decision.name for part in game.words.board),
        "verb": called(game, decision.name),
        "choices": listed if len(listed) <= MOST_MOVES else [],
        "typed": question.asked() if not listed or len(listed) > MOST_MOVES else "",
    }


def _picked(game: Game, decision: Decision, moves: Sequence[Sequence[int]]) -> list[str]:
    """Return what is clicked to make up a move: the dice on the table, or the members of a set;
    empty for other moves.
    """
    if len(moves) > MOST_MOVES:
        return []
    if isinstance(decision, Keep):
        return decision.describe(tuple(decision.on_table(game))).split()
    names = game.words.values.get(decision.name)
    if not isinstance(names, Bits):
        return []
    return [name for k, name in enumerate(names.names) if any(move[0] >> k & 1 for move in moves)]


def _worded(game: Game, decision: Decision, move: tuple[int, ...], seat: int) -> str:
    """Return a move in words, with what it scores at once."""
    words, got = move_words(game, decision, move), gain(game, decision, move, seat)
    return f"{words} ({got:+,})" if got else words


def _board(game: Game, table: Sitting) -> list[Block]:
    """Return the parts of the board that the game declares."""
    asked = table.waits.decision if table.waits is not None else None
    hidden, seen = table.secrets.fields, table.secrets.seen()
    return Board(game, table.names, table.teller.filled, asked, hidden, seen, table.you).blocks()


def _ending(game: Game, table: Sitting) -> dict[str, Any]:
    """Return how a game ended."""
    played, outcomes = finished(game), outcome_names(game)
    if not outcomes:
        ending = ended_as(game, "")
    elif (winner := winner_of(game, played.outcome)) is None:
        ending = ended_as(game, outcomes[played.outcome])
    else:
        name = table.names[winner]
        ending = "You win." if name == "you" else f"{name[0].upper()}{name[1:]} wins."
    shown = {called(game, name): n for name, n in counted(game).items() if name not in game.words.hidden}
    return {"ending": ending, "tallies": shown}


def _coach(table: Sitting, coach: str) -> dict[str, Any]:
    """Return what the coach says: the value of each move before it is made, or the cost of the last one."""
    solved = table.solved
    assert solved is not None
    game, waits = table.game, table.waits
    me = table.people[0] if table.people else 0
    judged = review(game, solved, table.steps)
    said: dict[str, Any] = {"cycles": solved.cycles, "seat": me, "few": solved.objective.sign < 0}
    said |= {"line": judged.line(me), "amount": judged.amount, "outcome": judged.outcome}
    mine = [s for s in judged.steps if s.seat in table.people]
    if mine:
        last = mine[-1]
        said["last"] = {"words": last.words, "best": last.best, "cost": float(last.cost)}
    if waits is not None and waits.decision is not None:
        if coach == "before":
            said["worth"] = _worth(solved, game, waits.decision, waits.seat)
        said["chance"] = float(solved.of(game)[waits.seat])
    return said


def _coach_estimated(table: Sitting, coach: str, decision: Decision, seat: int) -> dict[str, Any]:
    """Return the coach of a game that isn't solved, if it has one: estimates of what each move is worth, or of what the
    last one has cost.
    """
    game, last = table.game, _last_choice(table) if coach == "after" else None
    kind: Any = type(game)
    said: dict[str, Any] = {"estimate": ""}
    try:
        hints = _hints(kind, tuple(sorted(game.parameters.items())))
        if coach == "before":
            hinted = hints(game, decision, seat)
            worth = [hinted.after.get(move) for move in decision.listing(game) or []]
            said = {"worth": worth, "few": hinted.sign < 0, "estimate": hinted.what}
        elif last is not None:
            hinted = hints(last.before, last.decision, last.seat)
            said["estimate"], what = hinted.what, hinted.what.partition(",")[0]
            said["amount"] = "" if what == CHANCE_TO_WIN else what.removeprefix("expected final ")
            if last.made in hinted.after:  # a move without sense isn't tried out
                best = max(hinted.after, key=lambda move: (hinted.sign * hinted.after[move], move == last.made))
                words = [move_words(last.before, last.decision, move) for move in (last.made, best)]
                cost = hinted.sign * (hinted.after[best] - hinted.after[last.made])
                said["last"] = {"words": words[0], "best": words[1], "cost": cost}
    except DicelabError:
        return {}
    return {"coach": said}


class LastChoice(NamedTuple):
    """The last choice of the people who see the page: the game `before` it, what was chosen by which seat, and how many
    steps came before it.
    """

    before: Game
    decision: Decision
    seat: int
    made: tuple[int, ...]
    at: int


def _last_choice(table: Sitting) -> LastChoice | None:
    """Return the last choice of the people who see the page; None if they have made none."""
    seats = table.people if table.you < 0 else [table.you]
    mine = [at for at, event in enumerate(table.events) if event.get("seat", -1) in seats]
    if not mine:
        return None
    before, luck = fresh(table.game), MixtureDraws(None, True)
    reset(before)
    before.__dict__[LUCK] = luck
    for step in table.steps[: mine[-1]]:
        kind, _ = asked_by(before, before.next())
        applied(kind.run, before, step.values)
        luck.note(kind, step.values)
    kind, seat = asked_by(before, before.next())
    assert isinstance(kind, Decision)
    return LastChoice(before, kind, seat, table.steps[mine[-1]].values, mine[-1])


@lru_cache(maxsize=1)
def _hints(kind: Any, parameters: tuple[tuple[str, Any], ...]) -> EstimatedHints:
    """Return what estimates moves of a game; for its next question, too, because its kernel takes time to load."""
    return EstimatedHints(kind(**dict(parameters)), None, seconds=ESTIMATING)


def _coach_mixed(table: Sitting, hints: MixedHints, coach: str) -> dict[str, Any]:
    """Return what the coach says in a game with hidden information, by what the seat has seen: what each move is worth,
    and how often an equilibrium makes it; or what the last move has lost.
    """
    game, waits = table.game, table.waits
    said: dict[str, Any] = {"amount": "payoff" if game.payoffs else ""}
    last = _last_choice(table) if coach == "after" else None
    if last is not None:
        hints.played = table.steps[: last.at]
        worth, shares = hints(last.before, last.decision, last.seat)
        best = max(worth, key=lambda move: (worth[move], shares[move]))
        words = [move_words(last.before, last.decision, move) for move in (last.made, best)]
        said["last"] = {"words": words[0], "best": words[1], "cost": worth[best] - worth[last.made]}
    if coach == "before" and waits is not None and waits.decision is not None:
        hints.played = table.steps
        worth, shares = hints(game, waits.decision, waits.seat)
        listed = waits.decision.listing(game) or []
        said |= {"worth": [worth[move] for move in listed], "shares": [shares[move] for move in listed], "few": False}
    return said


def _worth(solved: Values, game: Game, decision: Decision, seat: int) -> list[float | None]:
    """Return the value after each move that is listed; None where it is not known."""
    worths: list[float | None] = []
    for move in decision.listing(game) or []:
        try:
            worths.append(float(solved.after(game, decision, move)[seat]))
        except Unvalued:
            worths.append(None)
    return worths


def _moves_before(table: Sitting, at: int) -> int:
    """Return how many moves the people have made before a step."""
    return sum(event.get("seat", -1) in table.people for event in table.events[:at])


def reviewed(
    wire: Wire,
    asked: GameRequest,
    seed: str,
    moves: list[list[int]],
    file: str | None,
    unsolved: str = "",
    again: Sequence[str] = (),
    shown: int = 0,
) -> None:
    """Send the review of a game; by estimates if it is `unsolved`, for that reason.

    `again` has the address of the game after each number of moves, and `shown` is how many steps are in its table.
    """
    table = Sitting(asked, seed, [tuple(move) for move in moves], file)
    if not table.saves:
        raise ParameterError("a review of this game would show what is hidden; play it to its end first")
    if table.mixed is not None:
        run = Run.of(fresh(table.game), [table.mixed.policy.strategy])
        judged = review_mixed(run, table.steps, table.names)
    elif table.solved is not None:
        judged = review(table.game, table.solved, table.steps, table.names)
    else:
        try:
            judged = replace(reviewed_by(table.game, "", table.steps, table.names), unsolved=unsolved)
        except DicelabError as error:
            raise ParameterError(f"{unsolved}; and a review can't be estimated: {error}") from error
    seats = table.people or [*range(judged.seats)]

    def what(page: Printing, row: tuple[int, Reviewed]) -> str:
        if row[1].seat < 0:
            return roll_of(table.events[row[0] - 1], small=True)
        return TextCell(f"{judged.names[row[1].seat]}: {row[1].words}")

    def link(page: Printing, row: tuple[int, Reviewed]) -> str:
        tried = row[1].seat in table.people
        return linked("try from here", again[_moves_before(table, row[0] - 1)]) if tried else ""

    tables = judged.page_tables((table.people or [0])[0], what, link, shown)
    wire.send(
        review=judged.to_dict(),
        tables=tables,
        equation=judged.equation,
        measure=judged.measure,
        amount=judged.amount,
        outcome=judged.outcome,
        few=table.mixed is None and judged.objective.sign < 0,
        names=table.names,
        people=table.people,
        mixed=table.mixed is not None,
        sentences={seat: judged.sentence(seat) for seat in seats if seat < judged.seats},
        worst={
            seat: [[i, _moves_before(table, i)] for i, _ in judged.worst(seat)] for seat in seats if seat < judged.seats
        },
        before=[_moves_before(table, at) for at in range(len(judged.steps))],
        events=table.events,
        moves=[[step.words, step.best] for step in judged.steps],
    )


def saved(wire: Wire, asked: GameRequest, seed: str, moves: list[list[int]], file: str | None) -> None:
    """Send a game as the file that ``dicelab play --save`` writes of it."""
    table = Sitting(asked, seed, [tuple(move) for move in moves], file)
    if not table.saves:
        raise ParameterError("a file of this game would show what is hidden; play it to its end first")
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "game.json")
        recorder = Recorder(path, head(table.game, table.seats, f"seed {as_seed(seed)}"))
        for move in table.record:
            recorder.add(move)
        if table.over:
            recorder.finish(result_of(table.game))
        recorder.close()
        wire.send(saved=Path(path).read_text(encoding="utf-8"))


# Table ----------------------------------------------------------------------------------------------------------------
#
# A table on which bets are placed by a click: its areas, the spots in each, and the money that lies there.
# A game may register what its table looks like, as craps does. Any other game with a menu of bets (`Game.menu`) has
# one area for each group.

GROUP = "dicelab.tables"
"""Entry points, by the name of a game, which also holds for games that inherit from it: functions that return what its
table shows, given the game; None where that is nothing.
"""
FIT = 20
"""A bet that the house does not take is raised by at most this much: a place bet of 10 on the 6 becomes one of 12."""
Spot = dict[str, Any]


def felt(game: Game, decision: Decision) -> dict[str, Any] | None:
    """Return the table with its areas; None for a game without a menu of bets, which have a name and an amount.

    Each spot has the `bet` that is typed for it, a `label`, the `stake`, why it is `shut` (empty if it is open), and
    its name in the game that computes edges (`edge`).
    """
    facts: dict[str, Any] = {"edges": bets_of(type(game)).name}
    names = [getattr(kind, "name", "") for kind in type(game).__mro__]
    for point in entry_points(GROUP):
        if point.name in names and (looks := point.load()(game)) is not None:
            return {**facts, **looks}
    menu = menu_of(game)
    if not menu or len(decision.kinds) != len(("name", "amount")):
        return None
    groups = [{"name": title, "spots": [_plain(*pair) for pair in bets.items()]} for title, bets in menu.items()]
    return facts | {"kind": "menu", "centre": groups}


def placed(question: OpenChoice, bet: str, amount: int) -> tuple[int, ...]:
    """Return the move that bets an amount, or the next higher one that is allowed.

    Raises
    ------
    ParameterError
        When the bet is not allowed with any of these amounts; the message is about the first.
    """
    refused: ParameterError | None = None
    for more in range(FIT + 1):
        try:
            move = question.extended((), f"{bet} {amount + more}")
        except ParameterError as error:
            refused = refused or error
            continue
        if len(move) == len(question.decision.kinds):
            return move
    raise refused or ParameterError(f"{bet} {amount}: this is not a bet")


def _plain(name: str, edge: str) -> Spot:
    """Return a bet of a menu."""
    return {"bet": name, "label": name, "stake": 0, "shut": "", "edge": edge, "words": name}
