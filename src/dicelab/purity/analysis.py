"""An abstract interpreter of rules: collects the effects of a function, and of every function that it calls, on a game.

The syntax tree is followed as Python would run it, but with abstract values (`purity.values`): all branches are taken,
and functions are read again until a fixed point is reached. Code is refused, with file and line, unless it is shown to
depend only on parameters, state, dice and memory, and to change only declared fields.
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
"""Limit on readings of functions; rules that need more are refused."""
MEMORIES = MEMORY[0], MEMORY_ROW
ANYTHING = Value(frozenset([GIVEN]), frozenset([GIVEN]))
"""The argument of an operator that a class defines: any value."""


Key = tuple[FunctionType, Given, type[Memory] | None]
"""A function, its abstract arguments, and the class of the memory among them, if any."""


class Analysis:
    """The summaries of all functions that a game and its strategies call.

    Parameters
    ----------
    game
        The class of the game.
    words
        Whether the functions only produce texts, as `refuse` does: they may then use anything, but not pass the game
        to it.
    """

    def __init__(self, game: type[Game], words: bool = False) -> None:
        self.game = game
        self.memory: type[Memory] | None = None
        """The class of the memory of the strategy being checked, if it has one."""
        self.words = words
        self.files: set[str] = set()
        """The files of all functions that were read."""
        self.methods: dict[str, set[Method]] = {}
        self.properties: dict[str, set[Method]] = {}
        """Methods and properties of the classes that rules use, by name."""
        self.fields: set[str] = set()
        """Names of the fields of the records that rules use."""
        self.operators = False
        """Whether one of these classes defines an operator."""
        self._constants: dict[tuple[int, bool], tuple[object, Value | str]] = {}
        self._plain: dict[type, str] = {}
        self._classes: dict[type, str] = {}
        # Fixed point of summaries (see `of`): final ones, those of the current iteration, functions already begun in
        # this round, the stack of functions being read, and whether the round has changed any summary.
        self._known: dict[Key, Summary] = {}
        self._found: dict[Key, Summary] = {}
        self._begun: set[Key] = set()
        self._open: list[Key] = []
        self._changed = False
        self._readings = 0

    def class_refusal(self, kind: type) -> str:
        """Why rules may not use the values of a class, as the end of a sentence; "" if they may.

        Raises
        ------
        RulesError
            When one of its operators breaks the contract.
        """
        if kind not in self._classes:
            self._classes[kind] = ""  # for recursion: it may hold values of its own class
            self._classes[kind] = kind_refusal(kind, self.class_refusal)
            if not self._classes[kind]:
                self._add(kind)
                for rule in setting_up(kind):
                    self.of(rule, [ANYTHING] * rule.__code__.co_argcount)
        return self._classes[kind]

    def instance_refusal(self, kind: type) -> str:
        """Why rules may not create instances of a plain class; "" if they may."""
        if kind not in self._plain:
            self._plain[kind] = instance_refusal(kind, self.class_refusal)
            if not self._plain[kind]:
                self._add(kind)
        return self._plain[kind]

    def constant(self, thing: object, shared: bool = False) -> Value | str:
        """The abstract value of something that a file defines; or why it is not a constant, to end a sentence.

        `shared` says that a name of the file or of the game refers to it.
        """
        key = id(thing), shared
        if key not in self._constants:
            reason = constant_refusal(thing, self.class_refusal, shared)
            self._constants[key] = thing, reason or value_of(thing)
        return self._constants[key][1]

    def _add(self, kind: type) -> None:
        """Register the methods of a class, which are read when they are called, and read its operators."""
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
        """The summary of a function when it is called with these arguments.

        Functions that call each other are read in rounds, each of them once per round, until no summary changes.

        Raises
        ------
        RulesError
            When it breaks the contract, or can't be shown to keep to it; the message gives file and line.
        """
        given = given if isinstance(given, Given) else Given(tuple(given))
        has_memory = given.has_local or any(kind in MEMORIES for kind, _ in given.everything.everything)
        key = rule, given, self.memory if has_memory else None
        if key in self._known:
            return self._known[key]
        if key in self._open or (key in self._begun and not given.has_local):
            return self._found.get(key) or Summary({})  # recursion, or read already in this round
        if self._open:
            return self._read(key)
        while True:  # the outermost function: repeat rounds until the fixed point
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
