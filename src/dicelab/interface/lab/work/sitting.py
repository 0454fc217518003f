"""A game that somebody plays: played again from its seed and the moves made so far, up to the next question.

So a game is an address: its seed, who plays, and the moves of the people; where no person chooses, the number of steps.
Nothing about it is kept.

By itself because it knows nothing of pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dicelab.errors import ParameterError, TooLarge
from dicelab.interface.lab.work.process import GameRequest, Wire, game_of
from dicelab.interface.play.saved import entry
from dicelab.interface.play.screen.text import seat_names, seated
from dicelab.interface.play.screen.views import Faces, Secrets, Teller
from dicelab.questions.policies.bluffing import equilibrium
from dicelab.questions.policies.mixed_policy import MixedPolicy
from dicelab.questions.policies.skill.by_turns import kept_values, load_values, write_values
from dicelab.questions.policies.skill.mixed_review import MixedHints, worths_of
from dicelab.questions.policies.skill.review import PlayedStep
from dicelab.questions.policies.skill.values import Values
from dicelab.questions.policies.solving import keep, path_for, used
from dicelab.questions.policies.thinking.ahead import unseen_fields
from dicelab.rules.actions import Decision, Throw
from dicelab.rules.dice import COUNTS
from dicelab.rules.game import Game, fresh, reset
from dicelab.rules.private import private_fields
from dicelab.rules.wording import called, face_names, move_words
from dicelab.runtime.interpreter import LIMIT, Event, steps
from dicelab.runtime.leftovers import Draft
from dicelab.runtime.lineup import Call, Chooser, as_seed
from dicelab.runtime.philox import Pool, Stream
from dicelab.solver.enumeration.model import machine_memory
from dicelab.translation.contract import must_be_lawful

# The values of a game in a file of the server, taken from the cache folder or solved.


def solve(wire: Wire, asked: GameRequest, file: str, memory: int, objective: str | None = None) -> None:
    """Write the values of a game into a file. A game that was too large isn't tried again with the same memory."""
    game = game_of(asked)
    refusal = path_for(game, "too-large", str(objective), str(memory), str(machine_memory()))
    why = used(refusal, lambda path: path.read_text(encoding="utf-8"))
    if why:
        raise TooLarge(why)
    try:
        if private_fields(game):
            _solve_hidden(game, file, objective)
        else:
            write_values(kept_values(game, objective=objective, memory=memory), Path(file))
    except TooLarge as error:
        keep(refusal, partial(_write, text=str(error)))
        raise


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _solve_hidden(game: Game, file: str, objective: str | None) -> None:
    """Write the mixed strategies of an equilibrium beside a file, and what the moves are worth into it."""
    if not unseen_fields(game):
        raise ParameterError(f"{game.name} lets seats choose at once; such a game is solved for several players only")
    if objective is not None:
        raise ParameterError("objective: a game with hidden information is solved for what it pays or who wins")
    policy = equilibrium(game).policy
    policy.save(f"{file}.policy.npz")
    with Draft(file) as draft, open(draft.path, "wb") as content:
        np.save(content, worths_of(policy))
        draft.publish()


_loaded: dict[tuple[str, int], Values | MixedHints] = {}
"""The values that this process has read last, for its next question: what they compute of a turn takes seconds."""


def loaded(file: str | None, game: Game) -> Values | MixedHints | None:
    """Return the values of a game, or of one with hidden information the hints; None without a file."""
    if file is None or not Path(file).exists():
        return None
    which = file, Path(file).stat().st_mtime_ns
    if which not in _loaded:
        _loaded.clear()
        _loaded[which] = _read(file, game)
    return _loaded[which]


def _read(file: str, game: Game) -> Values | MixedHints:
    if private_fields(game):
        return MixedHints(MixedPolicy.load(f"{file}.policy.npz", game), np.load(file))
    return load_values(Path(file), game)


BEST = "best"
"""In place of a strategy: the seat plays the optimal policy."""
HIDDEN = "in secret"
"""What is said of a roll or a move that the people at the table don't see."""
Moves = list[tuple[int, ...]]


class Waits(BaseException):
    """The game waits for a person: for a move (`decision`, `seat`), or for the next step."""

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
        The moves of the people so far; where no person chooses, an empty one for each roll and choice to show.
    file
        The values, for `BEST` and the coach; in a game with hidden information the mixed strategies of an equilibrium.
    look
        Whether the person whose turn it is looks at the page alone.

    Attributes
    ----------
    covered
        The person who is to look now, where several share a page that shows what is hidden; empty if somebody may look
        at it.
    seats
        Who sits in each seat, as a saved game has it; empty in a game without choices.
    stepped
        Whether no person chooses, so that `moves` counts rolls and choices.
    record
        The rolls and choices as a saved game has them.
    """

    def __init__(self, asked: GameRequest, seed: str, moves: Moves, file: str | None, look: bool = False) -> None:
        self.game = game_of(asked)
        texts = asked["strategies"]
        saved = loaded(file, fresh(self.game))
        self.solved = saved if isinstance(saved, Values) else None
        self.mixed = saved if isinstance(saved, MixedHints) else None
        calls = seated(self.game, ["me" if text == BEST else text for text in texts])
        must_be_lawful(type(self.game), [call.strategy for call in calls if call is not None])
        self._seat(texts, calls)
        self.stepped = not self.people
        self.moves, self.made = moves, 0
        self.events: list[dict[str, Any]] = []
        self.steps: list[PlayedStep] = []
        self.record: list[dict[str, Any]] = []
        self.since = 0
        self.refused = ""
        self.waits: Waits | None = None
        self.covered = ""
        self._faces = Faces(Stream(as_seed(seed), 0))
        choosers = [call.chooser(self.game) if call else self._person for call in calls]
        best = self._optimal if self.mixed is None else Call(self.mixed.policy.strategy, ()).chooser(self.game)
        choosers = [best if seat in self.optimal else c for seat, c in enumerate(choosers)]
        self._play([self._counted(chooser) for chooser in choosers] if self.stepped else choosers)
        self._uncover(look)

    def _seat(self, texts: Sequence[str], calls: Sequence[Call | None]) -> None:
        """Note who sits where, and what the seats are called."""
        self.seats = _seats(texts, calls)
        self.optimal = {seat for seat, text in enumerate(self.seats) if text == BEST}
        self.people = [seat for seat, text in enumerate(self.seats) if text == "me"]
        self.names = seat_names(self.game, calls)
        for seat in self.optimal:
            self.names[seat] = f"player {seat + 1} ({'equilibrium' if self.mixed else 'optimal policy'})"
        if len(self.people) == 1:
            self.names[self.people[0]] = "you"
        self.you = self.people[0] if len(self.people) == 1 else -1

    def _uncover(self, look: bool) -> None:
        """Show what the person whose turn it is sees, if several share the page and it looks alone; else cover that."""
        if self.waits is None or len(self.people) < 2 or not self.secrets.fields:
            return
        seat, last = self.waits.seat, [e["seat"] for e in self.events if e.get("seat", -1) in self.people][-1:]
        if look or last == [seat]:
            self.you = self.secrets.you = seat
        else:
            self.covered = self.names[seat]

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.waits is None

    @property
    def saves(self) -> bool:
        """Whether the game may be saved: a file of an unfinished game would show what is hidden."""
        return self.over or not self.secrets.fields or not unseen_fields(self.game)

    def _play(self, choosers: Sequence[Chooser]) -> None:
        source = self if self.stepped else self._faces
        reset(self.game)
        self.secrets = Secrets(self.game, self.you, bool(self.people))
        tell = self.teller = Teller(self.game, self.secrets, self.names)
        try:
            for event in steps(self.game, choosers, source, LIMIT):
                self._note(event, tell)
        except Waits as waits:
            self.waits = waits
        if self.refused:
            raise ParameterError(self.refused)
        if self.made < len(self.moves) and not self.stepped:
            raise ParameterError("moves: the game is over before the last of these moves")

    @property
    def source(self) -> Faces:
        """The source of the rolls."""
        return self._faces

    def draw(self, dice: Pool) -> tuple[int, ...]:
        """Return the next roll, where steps are counted."""
        self._step()
        return self._faces.draw(dice)

    def _counted(self, chooser: Chooser) -> Chooser:
        """Return a chooser whose moves are counted as steps."""

        def choose(game: Game, decision: Decision, seat: int) -> object:
            self._step(seat)
            return chooser(game, decision, seat)

        return choose

    def _step(self, seat: int = -1) -> None:
        """Count a step; wait if there have been as many as are asked for."""
        if self.made == len(self.moves):
            raise Waits(seat=seat)
        self.made += 1
        self.since = len(self.events)

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
        """Add an event to the record, and to what is shown; of one that is hidden, only that it took place."""
        rolled = event.kind == "throw"
        said: dict[str, Any] = {"kind": event.kind, "name": called(self.game, event.name)}
        lines, hidden, opened = self._told(event, tell), self.secrets.hides(event), self.secrets.opened(event)
        self.secrets.look()
        self.steps.append(PlayedStep(event.kind, event.values))
        self.record.append(entry(self.game, event, self._faces.last))
        if hidden:
            words = {"seat": event.count, "words": HIDDEN} if not rolled else {"dice": []}
            self.events.append(said | words | {"told": [*[HIDDEN] * rolled, *opened]})
            return
        if rolled:
            kind = next(k for k in self.game.declared.throws if k.name == event.name)
            said["dice"] = shown_faces(self.game, kind, event.values, event.count, self._faces.last)
            if self._faces.last:
                said["total"] = event.values[0]
        else:
            chosen = next(kind for kind in self.game.declared.decisions if kind.name == event.name)
            said |= {"seat": event.count, "words": move_words(self.game, chosen, event.values)}
            if opened and not lines:
                lines = [f"{self.names[event.count]}: {said['words']}"]
        self.events.append(said | {"told": [*lines, *opened]})

    def _told(self, event: Event, tell: Teller) -> list[str]:
        """Return what the game says about an event."""
        return [line.strip() for line in tell.sentences(event.name, event.values) or ()]


def _seats(texts: Sequence[str], calls: Sequence[Call | None]) -> list[str]:
    """Return who sits in each seat, as a saved game has it: a strategy, ``me`` or `BEST`."""
    every = texts if len(texts) == len(calls) else [*texts] * len(calls)
    best = {seat for seat, text in enumerate(every) if text == BEST}
    return [BEST if seat in best else "me" if call is None else str(call) for seat, call in enumerate(calls)]


def shown_faces(game: Game, kind: Throw, seen: Sequence[int], count: int, faces: Sequence[int]) -> list[str]:
    """Return the label of each die of a roll; of a total whose dice are not known, the total."""
    if kind.view is COUNTS:
        return [face.label for n, face in zip(seen, kind.die.faces, strict=True) for _ in range(n)]
    labels = {face.value: face.label for face in kind.die.faces} | face_names(game, kind)
    values = faces or kind.dice_seen(seen, count)
    return [labels.get(value, str(value)) for value in values]
