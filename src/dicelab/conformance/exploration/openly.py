"""Choices that two seats make one after the other in the open, although they may be meant to be made at once."""

from __future__ import annotations

from dicelab.conformance.exploration.expand import ExpandedState, State
from dicelab.conformance.exploration.states import Explored
from dicelab.rules.actions import Decision
from dicelab.rules.fields import Ints
from dicelab.rules.game import Game
from dicelab.rules.params import value_of


def in_the_open(game: Game, found: Explored) -> str:
    """Return a sentence about two seats that choose once each from the same moves, one after the other, where nothing
    but the stored choice, which everybody sees, and whose turn it is changes in between; empty if there are none.
    """
    private = [name for name, field in game.declared.state.items() if field.private]
    places: list[str] = []
    for name, field in game.declared.state.items():
        places += [name] * (value_of(field.length, game) if isinstance(field, Ints) else 1)
    first: dict[str, str] = {}
    broken, seconds = set[str](), set[State]()
    for here, step in found.states.items():
        if step is None or not isinstance(step.kind, Decision) or here in seconds:
            continue
        followers = [found.states.get(way.end) for way in step.ways]
        if not _all_known(found, followers):
            continue
        stored = _stored(here, step) if len(step.ways) > 1 else []
        if not stored or any(places[k] in private for k in stored) or not _same_moves(found, step, followers):
            broken.add(step.kind.name)
            continue
        seconds.update(way.end for way in step.ways)
        follower = followers[0]
        assert follower is not None
        assert isinstance(follower.kind, Decision)
        first.setdefault(step.kind.name, follower.kind.name)
    for one, two in first.items():
        if one not in broken:
            both = f"{one} and {two}" if one != two else one
            return (
                f"in {both} two seats choose from the same moves one after the other, and the second sees what the "
                "first has chosen; if they are meant to choose at once, declare the choice with "
                "@chosen(..., together=player) and ask all seats: ask(self.choice, [0, 1])"
            )
    return ""


def _stored(here: State, step: ExpandedState) -> list[int]:
    """Return the places of a state that hold which move was made, if no other changes but one, such as whose turn it
    is; empty otherwise.
    """
    ends = [way.end for way in step.ways]
    if any(way.counted != step.ways[0].counted for way in step.ways) or any(len(end) != len(here) for end in ends):
        return []
    varying = [k for k in range(len(here)) if len({end[k] for end in ends}) > 1]
    changed = sum(ends[0][k] != here[k] for k in range(len(here)) if k not in varying)
    told_apart = len({tuple(end[k] for k in varying) for end in ends}) == len(ends)
    return varying if changed <= 1 and told_apart and len(varying) <= len(step.ways[0].values) else []


def _all_known(found: Explored, followers: list[ExpandedState | None]) -> bool:
    """Return whether what happens is known at these states and at those that follow."""
    steps = [step for step in followers if step is not None]
    return len(steps) == len(followers) and all(found.states.get(way.end) for step in steps for way in step.ways)


def _same_moves(found: Explored, step: ExpandedState, followers: list[ExpandedState | None]) -> bool:
    """Return whether another seat chooses next from the same moves, and the first one not at once again."""
    moves = [way.values for way in step.ways]
    for follower in followers:
        if follower is None or not isinstance(follower.kind, Decision) or follower.number == step.number:
            return False
        if [way.values for way in follower.ways] != moves:
            return False
        for way in follower.ways:
            after = found.states[way.end]
            if after is None or (isinstance(after.kind, Decision) and after.number == step.number):
                return False
    return True
