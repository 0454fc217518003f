"""What the source alone says of ranges and parameters: stores that may leave a range, parameters without a use."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from dicelab.rules.fields.declared import LARGEST, Seat
from dicelab.rules.game import Game
from dicelab.runtime.where import file_of_class
from dicelab.translation.contract import unproved
from dicelab.translation.translator import RISES

MOST = 4
"""Limit of the stores that are named."""
UNBOUNDED = 2**60


class UnprovedStore(NamedTuple):
    """A store that interval analysis can't show to stay in the range of its field.

    Attributes
    ----------
    place
        File, line and method.
    name, up, bound
        The field; whether it may rise above its range, or fall below it; how far, from values inside.
    """

    place: str
    name: str
    up: bool
    bound: int


def straying(game: type[Game]) -> list[UnprovedStore]:
    """Return such stores, at most two for a field: one for each end of its range."""
    found: dict[tuple[str, bool], UnprovedStore] = {}
    for effect, place in unproved(game).items():
        store = UnprovedStore(place, effect.name, effect.kind == RISES, int(effect.part))
        old = found.get((store.name, store.up))
        if old is None or (store.bound > old.bound if store.up else store.bound < old.bound):
            found[store.name, store.up] = store
    state = game.declared.state
    return [
        s for s in found.values() if not isinstance(state[s.name], Seat) and (state[s.name].high != LARGEST or not s.up)
    ]


def lines_that_may_leave(game: Game, stores: list[UnprovedStore]) -> Iterator[str]:
    """Yield a sentence about these stores if there are any: where they are, what isn't shown, and what to write."""
    said = []
    for store in stores:
        low, high = game.declared.state[store.name].bounds(game)
        far = f"{'up' if store.up else 'down'} to {store.bound:,}" if abs(store.bound) < UNBOUNDED else "by any amount"
        said.append(f"{store.name} in {store.place} ({far}; declared {low:,} to {high:,})")
    if said:
        more = f" and {len(said) - MOST} more" if len(said) > MOST else ""
        yield (
            "no state that was tried leaves a range, but not all were tried, and these lines may leave one, as far as "
            f"their own terms tell: {'; '.join(said[:MOST])}{more}: declare the extreme values that the rules allow; "
            "if these are declared, min(...) or max(...) around the value shows it"
        )


def unused(game: type[Game]) -> list[str]:
    """Return the parameters whose names are nowhere in the files of the game but where they are declared."""
    used: set[str] = set()
    for base in game.__mro__[: game.__mro__.index(Game)]:
        text = file_of_class(base)
        if text is None:
            return []
        for node in ast.walk(text.tree):
            match node:
                case ast.Attribute():
                    used.add(node.attr)
                case ast.Name(ctx=ast.Load()):
                    used.add(node.id)
                case ast.keyword(arg=str()):
                    used.add(str(node.arg))
                case ast.Constant(value=str()):
                    used.update(str(node.value).replace("{", " ").replace("}", " ").split())
    return [name for name in game.declared.params if name not in used]
