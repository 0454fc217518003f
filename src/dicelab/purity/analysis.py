"""Reads a rule, and every function that it calls, and collects what they do to the game.

The syntax tree is followed as Python would run it, but with values of which only a little is known (`purity.values`):
all branches are taken, and loops are repeated until nothing new is learned. What can't be shown to depend on
parameters, state, dice and memory alone, or to change declared fields only, is refused with its file and line.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType

from dicelab.errors import RulesError
from dicelab.purity.constants import constant_refusal, value_of
from dicelab.purity.records import instance_refusal, kind_refusal, operators_of, record_of, setting_up
from dicelab.purity.scope import Summary
from dicelab.purity.statements import Statements
from dicelab.purity.values import GAME, GIVEN, MEMORY, MEMORY_ROW, SHARED, Given, Method, Value
from dicelab.rules.game import Game, Memory

MOST_READINGS = 20_000
"""Readings of functions after which a rule is taken to be too entangled."""
MEMORIES = MEMORY[0], MEMORY_ROW
ANYTHING = Value(frozenset([GIVEN]), frozenset([GIVEN]))
"""An argument of an operator of a class, whoever uses it."""


Key = tuple[FunctionType, Given, type[Memory] | None]
"""A function, what it is called with, and the class of the memory that is given to it."""


class Analysis:
    """What is known of all functions that a game with its strategies calls.

    Parameters
    ----------
    game
        The class of the game.
    words
        The functions only say something to people, as `refuse` does: they may use anything, but not give it the game.
    """

    def __init__(self, game: type[Game], words: bool = False) -> None:
        self.game = game
        self.memory: type[Memory] | None = None
        """The class of the memory of the strategy that is looked at, if it has one."""
        self.words = words
        self.files: set[str] = set()
        """Every file of which a function was read."""
        self.methods: dict[str, set[Method]] = {}
        self.properties: dict[str, set[Method]] = {}
        """Of the classes that rules use."""
        self.fields: set[str] = set()
        """Names of what the records hold that rules use."""
        self.operators = False
        """One of these classes defines an operator."""
        self._constants: dict[int, tuple[object, Value | str]] = {}
        self._plain: dict[type, str] = {}
        self._classes: dict[type, str] = {}
        self._known: dict[Key, Summary] = {}
        self._found: dict[Key, Summary] = {}
        self._begun: set[Key] = set()
        self._open: list[Key] = []
        self._changed = False
        self._readings = 0

    def class_refusal(self, kind: type) -> str:
        """Why rules may not use the values of a class, as the end of a sentence; empty where they may.

        Raises
        ------
        RulesError
            When one of its operators can't be shown to be lawful.
        """
        if kind not in self._classes:
            self._classes[kind] = ""  # it may hold values of its own class
            self._classes[kind] = kind_refusal(kind, self.class_refusal)
            if not self._classes[kind]:
                self._add(kind)
                for rule in setting_up(kind):
                    self.of(rule, [ANYTHING] * rule.__code__.co_argcount)
        return self._classes[kind]

    def instance_refusal(self, kind: type) -> str:
        """Why rules may not make instances of a plain class; empty where they may."""
        if kind not in self._plain:
            self._plain[kind] = instance_refusal(kind, self.class_refusal)
            if not self._plain[kind]:
                self._add(kind)
        return self._plain[kind]

    def constant(self, thing: object) -> Value | str:
        """What is known of something that a file defines; or why it is no constant, as the end of a sentence."""
        if id(thing) not in self._constants:
            reason = constant_refusal(thing, self.class_refusal)
            self._constants[id(thing)] = thing, reason or value_of(thing)
        return self._constants[id(thing)][1]

    def _add(self, kind: type) -> None:
        """Note the methods of a class, which are read where they are called, and read its operators."""
        for name, (method, is_property) in record_of(kind).items():
            (self.properties if is_property else self.methods).setdefault(name, set()).add(method)
        self.fields.update(getattr(kind, "__dataclass_fields__", ()), getattr(kind, "_fields", ()))
        for rule in operators_of(kind):
            self.operators = True
            found = self.of(rule, [ANYTHING] * rule.__code__.co_argcount).returns
            if found.everything & {SHARED, GAME, MEMORY}:
                place = f"{rule.__code__.co_filename}, line {rule.__code__.co_firstlineno}, in {rule.__name__}"
                raise RulesError(f"{place}: it returns something that outlives the game, where it can't be followed")

    def of(self, rule: FunctionType, given: Given | Sequence[Value]) -> Summary:
        """What a function does when it is called with these arguments.

        Functions that call each other are read in rounds, each of them once a round, until nothing new is found.

        Raises
        ------
        RulesError
            With the file and line of what can't be shown to be lawful.
        """
        given = given if isinstance(given, Given) else Given(tuple(given))
        has_memory = given.has_local or any(kind in MEMORIES for kind, _ in given.everything.everything)
        key = rule, given, self.memory if has_memory else None
        if key in self._known:
            return self._known[key]
        if key in self._open or (key in self._begun and not given.has_local):
            return self._found.get(key) or Summary({})
        if self._open:
            return self._read(key)
        while True:
            self._changed = False
            self._begun.clear()
            self._read(key)
            if not self._changed:
                break
        self._known |= self._found
        self._found.clear()
        return self._known[key]

    def _read(self, key: Key) -> Summary:
        self._readings += 1
        rule, given, _ = key
        if self._readings > MOST_READINGS:
            raise RulesError(f"{rule.__code__.co_filename}: the functions around {rule.__name__} are too entangled")
        self.files.add(rule.__code__.co_filename)
        self._begun.add(key)
        self._open.append(key)
        found = Statements(self, rule, given).summary()
        self._open.pop()
        old = self._found.setdefault(key, Summary({}))
        found = Summary({**found.effects, **old.effects}, found.returns | old.returns)
        if (len(old.effects), old.returns) != (len(found.effects), found.returns):
            self._changed = True
        self._found[key] = found
        return found
