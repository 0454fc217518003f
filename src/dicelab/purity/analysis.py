"""Reads a rule, and every function that it calls, and collects what they do to the game.

The syntax tree is followed as Python would run it, but with values of which only a little is known (`purity.values`):
all branches are taken, and loops are repeated until nothing new is learned. What can't be shown to depend on
parameters, state, dice and memory alone, or to change declared fields only, is refused with its file and line.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType

from dicelab.purity import library
from dicelab.purity.scope import Summary
from dicelab.purity.statements import Statements
from dicelab.purity.values import PLAIN, Value
from dicelab.rules.game import Game, Memory


class Analysis:
    """What is known of all functions that a game with its strategies calls.

    Parameters
    ----------
    game
        The class of the game.
    memory
        The class of the memory of the strategy that is looked at, if it has one.
    words
        The functions only say something to people, as `refuse` does: they may use anything, but not give it the game.
    """

    def __init__(self, game: type[Game], memory: type[Memory] | None = None, words: bool = False) -> None:
        self.game = game
        self.memory = memory
        self.words = words
        self._known: dict[tuple[object, tuple[Value, ...], Value], Summary] = {}
        self._open: dict[tuple[object, tuple[Value, ...], Value], Summary] = {}
        self._met_itself = False
        self._classes: dict[type, str] = {}
        self.methods: set[str] = set()
        """Methods of classes that rules use, all of which have been read."""

    def class_refusal(self, kind: type) -> str:
        """Why rules may not use the values of a class, as the end of a sentence; empty where they may.

        Raises
        ------
        RulesError
            When one of its methods can't be shown to be lawful.
        """
        if kind not in self._classes:
            self._classes[kind] = library.kind_refusal(kind)
            if not self._classes[kind]:
                for name, rule in library.written_in(kind):
                    self.of(rule, [PLAIN] * rule.__code__.co_argcount)
                    self.methods.add(name)
        return self._classes[kind]

    def of(self, rule: FunctionType, arguments: Sequence[Value], more: Value = PLAIN) -> Summary:
        """What a function does when it is called with these arguments; `more` is what else it may be given.

        Raises
        ------
        RulesError
            With the file and line of what can't be shown to be lawful.
        """
        key = rule, tuple(arguments), more
        if key in self._open:
            self._met_itself = True
            return self._open[key]
        if key in self._known:
            return self._known[key]
        found = self._open[key] = Summary({})
        while True:  # a function that calls itself is read until what it does is known
            before = len(found.effects), found.returns
            found = self._open[key] = Statements(self, rule).summary(arguments, more)
            if (len(found.effects), found.returns) == before or not self._met_itself:
                break
        del self._open[key]
        if not self._open:
            self._met_itself = False
        if not self._met_itself:  # else it may have been read while the function that calls it was not known yet
            self._known[key] = found
        return found
