"""Rules as people write them, into functions over flat numbers that Numba compiles.

A game's methods and strategies are read from their source and rewritten, nothing else: ``self.points`` becomes a slot
of one record, ``self.scores`` an array of the right length, ``self.end_turn()`` a call of a plain function,
``throw(self.cup, 3)`` an integer, ``Move.BANK`` its value. What the rules mean does not change; what can't be
translated is refused with its file and line, and the game is then played by the reference engine.

The rewritten functions know nothing of Numba: the same text serves any engine that compiles Python.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from dataclasses import dataclass, field
from types import FunctionType

from dicelab.engines.rewrite import NotTranslatable, Rewriter, place
from dicelab.rules.fields import Ints
from dicelab.rules.game import Game, Strategy
from dicelab.rules.registry import SOURCE


@dataclass
class Layout:
    """Where the numbers of a game live: slots of one record, and one array for each row."""

    game: type[Game]
    slots: list[str]
    rows: list[str]

    @classmethod
    def of(cls, game: type[Game]) -> Layout:
        """The layout of a game."""
        scalars = [n for n, f in game.declared.state.items() if not isinstance(f, Ints)]
        rows = [n for n, f in game.declared.state.items() if isinstance(f, Ints)]
        return cls(game, [*game.declared.params, *scalars, *game.declared.tallies, "_outside"], rows)

    @property
    def arguments(self) -> list[str]:
        """First arguments of every translated rule."""
        return ["_g", *(f"_r_{name}" for name in self.rows)]


@dataclass
class Translation:
    """The translated functions of one game with some of its strategies."""

    layout: Layout
    source: list[str] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    """For each function made, file and line of the rule from which it was made."""
    always_all: bool = True
    """Every throw asked for is of all dice of its kind."""
    _names: dict[tuple[str, object], str] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    _tables: dict[tuple[int, ...], str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All functions made, for a kernel file."""
        return "\n\n".join(self.source) + "\n\n"

    def method(self, name: str) -> str:
        """Translate a method of the game; returns the name of the function."""
        return self.function(getattr(self.layout.game, name), "game")

    def strategy(self, strategy: Strategy) -> str:
        """Translate a strategy; returns the name of the function."""
        return self.function(strategy.rule, "strategy", strategy)

    def table(self, values: tuple[int, ...]) -> str:
        """The name of an array of constants."""
        if values not in self._tables:
            self._tables[values] = f"_table_{len(self._tables)}"
            self.source.insert(0, f"{self._tables[values]} = np.array({list(values)}, np.int64)")
        return self._tables[values]

    def function(self, rule: object, role: str, strategy: Strategy | None = None) -> str:
        """Translate one function and whatever it calls.

        Parameters
        ----------
        rule
            A plain function.
        role
            ``game`` when its first argument is the game, ``strategy`` for a strategy, ``plain`` otherwise.

        Raises
        ------
        NotTranslatable
        """
        if not isinstance(rule, FunctionType):
            raise NotTranslatable(f"{rule!r} is not a plain function")
        key = (role, rule)
        if key in self._names:
            name = self._names[key]
            if name in self._open:
                raise NotTranslatable(f"{place(rule)}: {rule.__name__} calls itself; write a loop")
            return name
        name = f"{role}_{len(self._names)}_{rule.__name__}"
        self._names[key] = name
        self.places[name] = f"{place(rule)}, {rule.__name__}"
        self._open.append(name)
        tree = _parse(rule)
        rewriter = Rewriter(self, rule, role, strategy)
        rewriter.rewrite(tree, name)
        how = "guarded" if rewriter.guarded else "inline"
        self.source.append(f"@_jit.{how}\n{ast.unparse(ast.fix_missing_locations(tree))}")
        self._open.remove(name)
        return name


def _parse(rule: FunctionType) -> ast.FunctionDef:
    """The syntax tree of a function, its line numbers those of the file."""
    text = rule.__globals__.get(SOURCE)
    try:
        if text is not None:
            first = rule.__code__.co_firstlineno
            lines = inspect.getblock(text.splitlines(keepends=True)[first - 1 :])
        else:
            lines, first = inspect.getsourcelines(rule)
    except (OSError, TypeError) as error:
        raise NotTranslatable(f"the source of {rule.__name__} can't be read: {error}") from error
    tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise NotTranslatable(f"{place(rule)}: {rule.__name__} is not written with def")
    ast.increment_lineno(tree, first - 1)
    return tree
