"""A game that somebody plays: played again from its seed and the moves made so far, up to the next question.

So a game is an address: its seed, who plays, and the moves of the people. Nothing about it is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dicelab.errors import ParameterError
from dicelab.lab.work.felt import felt, placed
from dicelab.lab.work.named import Asked, game_of
from dicelab.lab.work.process import Wire
from dicelab.lab.work.solved import loaded
from dicelab.play.keeping import question_of
from dicelab.play.question import Question
from dicelab.play.screen.faces import Faces
from dicelab.play.screen.hooks import Teller
from dicelab.play.screen.seats import seat_names, seated
from dicelab.policies.skill.lookahead import Unvalued
from dicelab.policies.skill.review import Step, review
from dicelab.policies.skill.values import Values
from dicelab.purity.contract import must_be_lawful
from dicelab.random.philox import Pool, Stream
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.dice import COUNTS
from dicelab.rules.drawing import dice_seen
from dicelab.rules.fields import Flag, Seat
from dicelab.rules.game import Game, counted, fresh, outcome_names, position, reset
from dicelab.rules.params import whole_number
from dicelab.runtime.interpreter import LIMIT, Event, finished, steps
from dicelab.runtime.lineup import Chooser, as_seed

BEST = "best"
"""In place of a strategy: the seat plays the optimal policy."""
MOST_MOVES = 60
"""Most moves that get a button each; of more, one is typed."""

Moves = list[tuple[int, ...]]


class Waits(BaseException):
    """The game waits for a person: for a move (`decision`, `seat`), or for the next roll."""

    def __init__(self, decision: Decision | None = None, seat: int = -1) -> None:
        self.decision, self.seat = decision, seat


class Sitting:
    """One game from its start to the next question, or to its end.

    Parameters
    ----------
    asked
        The game; its strategies may be ``me`` (a person) and `BEST`.
    seed
        The game is game 0 of this seed.
    moves
        The moves of the people so far; in a game without choices, an empty one for each roll.
    solved
        The values, for `BEST` and the coach.
    """

    def __init__(self, asked: Asked, seed: str, moves: Moves, file: str | None) -> None:
        self.game = game_of(asked)
        texts = asked["strategies"]
        self.solved = loaded(file, fresh(self.game))
        known = [text if text != BEST else "me" for text in texts]
        calls = seated(self.game, known)
        must_be_lawful(type(self.game), [call.strategy for call in calls if call is not None])
        every = texts if len(texts) == len(calls) else texts * len(calls)
        self.optimal = {seat for seat, text in enumerate(every) if text == BEST}
        self.people = [seat for seat, call in enumerate(calls) if call is None and seat not in self.optimal]
        self.names = seat_names(self.game, calls)
        for seat in self.optimal:
            self.names[seat] = f"seat {seat + 1} (optimal policy)"
        if len(self.people) == 1:
            self.names[self.people[0]] = "you"
        self.moves, self.made = moves, 0
        self.events: list[dict[str, Any]] = []
        self.steps: list[Step] = []
        self.since = 0
        self.refused = ""
        self.waits: Waits | None = None
        self._faces = Faces(Stream(as_seed(seed), 0))
        choosers = [call.chooser(self.game) if call else self._person for call in calls]
        self._play([self._optimal if seat in self.optimal else c for seat, c in enumerate(choosers)])

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.waits is None

    def _play(self, choosers: Sequence[Chooser]) -> None:
        source = self if not self.game.declared.decisions else self._faces
        reset(self.game)
        tell = Teller(self.game)
        try:
            for event in steps(self.game, choosers, source, LIMIT):
                self._note(event, tell)
        except Waits as waits:
            self.waits = waits
        if self.refused:
            raise ParameterError(self.refused)
        if self.made < len(self.moves):
            raise ParameterError("moves: the game is over before the last of these moves")

    def draw(self, dice: Pool) -> tuple[int, ...]:
        """The next roll of a game without choices, if the person has rolled so often."""
        if self.made == len(self.moves):
            raise Waits
        self.made += 1
        self.since = len(self.events)
        return self._faces.draw(dice)

    def _person(self, game: Game, decision: Decision, seat: int) -> tuple[int, ...]:
        if self.made == len(self.moves):
            raise Waits(decision, seat)
        move = self.moves[self.made]
        if not decision.allows(game, move):
            self.refused = f"moves: move {self.made + 1} is not allowed{decision.refusal(game, move)}"
            raise Waits
        self.made += 1
        self.since = len(self.events)
        return move

    def _optimal(self, game: Game, decision: Decision, seat: int) -> tuple[int, ...]:
        if self.solved is None:
            raise ParameterError("the optimal policy of this game is not known")
        return self.solved.best(game)

    def _note(self, event: Event, tell: Teller) -> None:
        """Add an event to the record."""
        rolled = event.kind == "throw"
        said: dict[str, Any] = {"kind": event.kind, "name": event.name.replace("_", " ")}
        if rolled:
            kind = next(k for k in self.game.declared.throws if k.name == event.name)
            said["dice"] = shown_faces(kind, event.values, event.count, self._faces.last)
            if self._faces.last:
                said["total"] = event.values[0]
        else:
            said |= {"seat": event.count, "words": event.words}
        said["told"] = [line.strip() for line in tell.lines(event.name, event.values)]
        self.events.append(said)
        self.steps.append(Step(event.kind, event.values))


def shown_faces(kind: Throw, seen: Sequence[int], count: int, faces: Sequence[int]) -> list[str]:
    """The label of each die of a roll; of a total whose dice are not known, the total."""
    if kind.view is COUNTS:
        return [face.label for n, face in zip(seen, kind.die.faces, strict=True) for _ in range(n)]
    called = {face.value: face.label for face in kind.die.faces}
    values = faces or dice_seen(kind, seen, count)
    return [called.get(value, str(value)) for value in values]


def play(
    wire: Wire,
    asked: Asked,
    seed: str,
    moves: list[list[int]],
    say: str | None,
    coach: str,
    file: str | None,
    bet: list[str] | None = None,
) -> None:
    """Send the state of a game: what happened, what may be done, and what the coach says.

    `say` is a line that was typed, `bet` a spot that was clicked and the amount for it.

    Raises
    ------
    InputError, PlayError
    """
    table = Sitting(asked, seed, [tuple(move) for move in moves], file)
    game, waits = table.game, table.waits
    data: dict[str, Any] = {
        "names": table.names,
        "people": table.people,
        "over": table.over,
        "seat": waits.seat if waits else -1,
        "events": table.events[-40:],
        "since": max(0, len(table.events) - table.since),
        "view": game.view(),
        "state": _state(game, table),
        "count": len(table.events),
        "choices": [],
    }
    if waits is not None and waits.decision is not None:
        question = question_of(game, waits.decision)
        if say is not None or bet is not None:
            data |= _said(question, say or "", bet)
        data |= {"felt": felt(game)}
        data |= _choices(game, waits.decision, question)
    if table.over:
        data |= _ending(game, table)
    if table.solved is not None and coach != "off":
        try:
            data["coach"] = _coach(table, coach)
        except (Unvalued, ParameterError) as error:
            data["coach"] = {"note": str(error)}
    wire.send(table=data)


def _said(question: Question, say: str, bet: list[str] | None = None) -> dict[str, Any]:
    """The move that a typed line or a click means, or why it means none."""
    try:
        made = placed(question, *_amount(*bet)) if bet else question.extended((), say)
    except ParameterError as error:
        return {"misheard": str(error)}
    if len(made) < len(question.decision.kinds):
        return {"misheard": f"{say}: say the rest as well, {question.asked(made)}"}
    return {"made": list(made)}


def _amount(bet: str, text: str) -> tuple[str, int]:
    """A bet with its amount as a number."""
    number = whole_number(text)
    if number is None or number < 1:
        raise ParameterError(f"amount: {text!r} is not allowed; it takes a whole number, at least 1")
    return bet, number


def _state(game: Game, table: Sitting) -> list[dict[str, Any]]:
    """The fields of the state with their values."""
    plain, found = position(game), []
    for name, field in game.declared.state.items():
        value: Any = plain[name]
        if isinstance(field, Flag):
            value = "yes" if value else "no"
        elif isinstance(field, Seat):
            value = table.names[value] if 0 <= value < len(table.names) else "nobody"
        found.append({"name": name.replace("_", " "), "value": value, "help": field.help})
    return found


def _choices(game: Game, decision: Decision, question: Question) -> dict[str, Any]:
    """The moves that are allowed; none if they are so many that one is typed."""
    moves = question.moves or []
    listed = [{"move": list(move), "words": decision.describe(move)} for move in moves]
    return {
        "asked": decision.name.replace("_", " "),
        "choices": listed if len(listed) <= MOST_MOVES else [],
        "typed": question.asked() if not listed or len(listed) > MOST_MOVES else "",
    }


def _ending(game: Game, table: Sitting) -> dict[str, Any]:
    """How a game ended."""
    played, outcomes = finished(game), outcome_names(game)
    if not outcomes:
        ending = "The game is over."
    elif game.outcomes is not None:
        ending = f"The game is over: {outcomes[played.outcome]}."
    else:
        name = table.names[played.outcome]
        ending = "You win." if name == "you" else f"{name[0].upper()}{name[1:]} wins."
    return {"ending": ending, "tallies": counted(game)}


def _coach(table: Sitting, coach: str) -> dict[str, Any]:
    """What the coach says: the value of each move before it is made, or the cost of the last one."""
    solved = table.solved
    assert solved is not None
    game, waits = table.game, table.waits
    me = table.people[0] if table.people else 0
    said: dict[str, Any] = {"cycles": solved.cycles, "seat": me}
    found = review(game, solved, table.steps)
    said["line"] = found.line(me)
    mine = [s for s in found.steps if s.seat in table.people]
    if mine:
        last = mine[-1]
        said["last"] = {"words": last.words, "best": last.best, "cost": float(last.cost)}
    if waits is not None and waits.decision is not None:
        if coach == "before":
            said["worth"] = _worth(solved, game, waits.decision, waits.seat)
        said["chance"] = float(solved.of(game)[waits.seat])
    return said


def _worth(solved: Values, game: Game, decision: Decision, seat: int) -> list[float | None]:
    """The value after each move that is listed; None where it is not known."""
    found: list[float | None] = []
    for move in decision.listing(game) or []:
        try:
            found.append(float(solved.after(game, decision, move)[seat]))
        except Unvalued:
            found.append(None)
    return found


def _moves_before(table: Sitting, at: int) -> int:
    """How many moves the people have made before a step."""
    return sum(event.get("seat", -1) in table.people for event in table.events[:at])


def reviewed(wire: Wire, asked: Asked, seed: str, moves: list[list[int]], file: str | None) -> None:
    """Send the review of a game.

    Raises
    ------
    InputError, PlayError
    """
    table = Sitting(asked, seed, [tuple(move) for move in moves], file)
    if table.solved is None:
        raise ParameterError("this game could not be solved, so it can't be reviewed")
    found = review(table.game, table.solved, table.steps, table.names, seed=as_seed(seed))
    seats = table.people or [*range(found.seats)]
    wire.send(
        review=found.to_dict(),
        names=table.names,
        people=table.people,
        sentences={seat: found.sentence(seat) for seat in seats if seat < found.seats},
        worst={
            seat: [[i, _moves_before(table, i)] for i, _ in found.worst(seat)] for seat in seats if seat < found.seats
        },
        events=table.events,
    )
