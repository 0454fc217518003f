"""The source of rules as they were loaded: text, syntax trees, and the files that belong to a game.

A file may be edited while its game is still in use. The code that runs is the code that was loaded, so everything
derived from source (the check of the rules, compiled kernels) uses the text of that code. `text_of` compiles the text
and compares the result with the function's code; a text that gives different code is never used.
"""

from __future__ import annotations

import ast
import linecache
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from dicelab.errors import RulesError

if TYPE_CHECKING:
    from dicelab.rules.game import Game, Strategy

SOURCE = "__dicelab_source__"
"""Global of a module loaded from a file: its text."""
BESIDE = "__dicelab_beside__"
"""Global of a module loaded from a file: the modules of its folder that it has imported, by name."""
ITSELF = "__dicelab_module__"
"""Global of a module loaded from a file: the module; in `sys.modules` the next file of that name replaces it."""
GAMES = ("dicelab.games.", "dicelab.extras.")
"""Prefixes of dicelab's own modules that contain rules."""


@dataclass(frozen=True, eq=False)
class Text:
    """The text of one file, and what is computed from it once: syntax tree, functions, classes, code objects."""

    file: str
    text: str
    loaded: bool
    """Whether `registry` loaded it, and so compiled it with that module's ``annotations`` import."""

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree of the whole file."""
        return ast.parse(self.text)

    @property
    def functions(self) -> dict[tuple[str, int], list[ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda]]:
        """Every function of the file, by its name and first line (of the decorators, if any)."""
        return self._defined[0]

    @property
    def classes(self) -> dict[str, list[ast.ClassDef]]:
        """Every class of the file, by its name."""
        return self._defined[1]

    @cached_property
    def _defined(self) -> tuple[dict[tuple[str, int], list[Any]], dict[str, list[ast.ClassDef]]]:
        functions: dict[tuple[str, int], list[Any]] = {}
        classes: dict[str, list[ast.ClassDef]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                functions.setdefault((node.name, first), []).append(node)
            elif isinstance(node, ast.Lambda):
                functions.setdefault(("<lambda>", node.lineno), []).append(node)
            elif isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append(node)
        return functions, classes

    @cached_property
    def assigned(self) -> dict[tuple[str, str], list[ast.AST]]:
        """Syntax trees of all values assigned outside functions, by class (or "") and name."""
        nodes: dict[tuple[str, str], list[ast.AST]] = {}
        waiting: list[tuple[str, ast.AST]] = [("", self.tree)]
        while waiting:
            owner, node = waiting.pop()
            for name, value in _names_given(node):
                nodes.setdefault((owner, name), []).append(value)
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                inner = node.name if isinstance(node, ast.ClassDef) else owner
                blocks = [getattr(node, part, ()) for part in ("body", "orelse", "handlers", "finalbody")]
                waiting += [(inner, child) for block in blocks for child in block]
        return nodes

    @cached_property
    def rebound(self) -> dict[str, tuple[str, int]]:
        """Names declared by `global` or `nonlocal` in functions: for each, that keyword and the line."""
        if "global " not in self.text and "nonlocal " not in self.text:
            return {}
        places: dict[str, tuple[str, int]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Global | ast.Nonlocal):
                word = "global" if isinstance(node, ast.Global) else "nonlocal"
                places |= dict.fromkeys(node.names, (word, node.lineno))
        return places

    @cached_property
    def used(self) -> frozenset[str]:
        """All names and attributes in the classes and functions of the file."""
        blocks = [part for part in ast.walk(self.tree) if isinstance(part, ast.ClassDef | ast.FunctionDef | ast.Lambda)]
        parts = [part for block in blocks for part in ast.walk(block)]
        names = [part.id for part in parts if isinstance(part, ast.Name)]
        return frozenset([*names, *(part.attr for part in parts if isinstance(part, ast.Attribute))])

    @cached_property
    def codes(self) -> frozenset[CodeType]:
        """The code objects of all functions of the file."""
        return frozenset(_codes_in(compile(self.text, self.file, "exec", dont_inherit=not self.loaded)))


def _names_given(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the names that a statement assigns, defines, imports or calls a method of, each with the syntax tree."""
    if isinstance(node, ast.FunctionDef):
        yield node.name, node
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        if isinstance(node.value.func, ast.Attribute) and isinstance(node.value.func.value, ast.Name):
            yield node.value.func.value.id, node.value  # as in table.append(...)
    elif isinstance(node, ast.ImportFrom):
        yield from ((alias.asname or alias.name, node) for alias in node.names)
    elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For):
        value = node.iter if isinstance(node, ast.For) else node.value
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
        yield from ((name, value) for name in names if value is not None)


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes_in(constant)


_texts: dict[str, list[Text]] = {}
"""For each file, all versions of its text that were loaded in this process."""


def text_of(rule: FunctionType) -> Text:
    """Return the text of the file as it was when a function was loaded from it.

    Raises
    ------
    RulesError
        When it can't be read, or the file has changed since it was imported.
    """
    file = rule.__code__.co_filename
    known = _texts.setdefault(file, [])
    for text in known:
        if rule.__code__ in text.codes:
            return text
    kept = rule.__globals__.get(SOURCE) if not file.startswith("<") else None
    now = kept or _read(file, rule.__globals__)
    if not now:
        raise RulesError(f"the source of {rule.__name__} can't be read ({file}); put the rules in a file")
    try:
        text = Text(file, now, kept is not None)
        same = rule.__code__ in text.codes
    except (SyntaxError, ValueError):
        same = False
    if not same and any(name.startswith("@py") for name in rule.__code__.co_names + rule.__code__.co_varnames):
        raise RulesError(f"{file}: pytest has rewritten the assert in {rule.__name__}; put the game in another file")
    if not same:
        raise RulesError(
            f"{file} has changed since it was imported, so the source of {rule.__name__} is lost: "
            "reload the module, or restart Python"
        )
    known.append(text)
    return text


def tree_of(rule: FunctionType) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda:
    """Return the syntax tree of a function as it was loaded, with the line numbers of the file. Callers must not modify
    it.

    Raises
    ------
    RulesError
        When its source can't be read, has changed, or has two functions of that name in one line.
    """
    code = rule.__code__
    functions = text_of(rule).functions.get((code.co_name, code.co_firstlineno), [])
    if len(functions) != 1:
        raise RulesError(f"{code.co_filename}, line {code.co_firstlineno}: write {code.co_name} on a line of its own")
    return functions[0]


def _read(file: str, module: dict[str, Any]) -> str:
    try:
        with tokenize.open(file) as opened:
            return opened.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return "".join(linecache.getlines(file, module))  # cells of a notebook, modules in an archive


def edited_since(game: type[Game]) -> list[str]:
    """Return the files of a game that have been edited since they were loaded."""
    files = [(getattr(module, "__file__", None), text_of_module(module)) for module in modules_of(game)]
    return [file for file, text in files if file and Path(file).is_file() and _read(file, {}) != text]


def modules_of(game: type[Game]) -> list[ModuleType]:
    """Return the modules in which a game, its parents and their helpers are written, sorted by name.

    Helpers are imported modules of the same packages; for a game in a file, also imported modules of its folder.
    """
    own = {base.__module__: module for base in game.__mro__ if (module := _module_of(base))}
    return _with_helpers(dict.fromkeys((base.__module__ for base in game.__mro__), None) | own)


def modules_of_strategies(game: type[Game], strategies: Iterable[Strategy]) -> list[ModuleType]:
    """Return the other modules in which strategies of a game, their memories and their helpers are written."""
    own = modules_of(game)
    modules: list[ModuleType] = []
    for rule in (one.rule for one in strategies if one.moves is None):
        home = rule.__globals__.get(ITSELF) or sys.modules.get(rule.__module__ or "")
        if home is not None and is_in(rule, [home]) and not is_in(rule, [*own, *modules]):
            made = _with_helpers({home.__name__: home})
            modules += [module for module in made if not any(module is known for known in [*own, *modules])]
    return modules


def is_in(rule: FunctionType, modules: Iterable[ModuleType]) -> bool:
    """Return whether a function is written in one of these modules."""
    return any(rule.__globals__ is vars(module) for module in modules)


def _with_helpers(own: dict[str, ModuleType | None]) -> list[ModuleType]:
    """Return the modules by name, those in `sys.modules` where None is given, and their helpers, sorted by name."""
    waiting = list(own)
    packages = {name.partition(".")[0] for name in waiting}
    modules: dict[str, ModuleType] = {}
    while waiting:
        name = waiting.pop()
        module = own.get(name) or sys.modules.get(name)
        if module is None or name in modules or not holds_rules(name):
            continue
        modules[name] = module
        modules |= vars(module).get(BESIDE, {})
        waiting += [imported for imported in imports(module) if imported.partition(".")[0] in packages]
    return [modules[name] for name in sorted(modules)]


def _module_of(kind: type) -> ModuleType | None:
    """Return the module in which a class was defined, found by its methods' globals; None if it wasn't loaded from a
    file.

    `sys.modules` may by now contain another file of the same name.
    """
    for member in vars(kind).values():
        rule = getattr(member, "rule", member)
        if isinstance(rule, FunctionType) and rule.__module__ == kind.__module__ and ITSELF in rule.__globals__:
            module: ModuleType = rule.__globals__[ITSELF]
            return module
    return None


def holds_rules(module: str) -> bool:
    """Return whether a module of this name may contain rules: it is neither Python's nor one of dicelab's others."""
    return module.startswith(GAMES) or module.partition(".")[0] not in ("dicelab", *sys.stdlib_module_names)


def imports(module: ModuleType, *, inside: bool = True) -> tuple[str, ...]:
    """Return the names that a module imports anywhere in its text; ``from a import b`` gives ``a`` and ``a.b``.

    Without `inside` those of indented lines are left out, such as the lines of functions.
    """
    return _imports(text_of_module(module), vars(module).get("__package__") or "", inside)


@lru_cache(maxsize=256)
def _imports(text: str, within: str, inside: bool) -> tuple[str, ...]:
    return tuple(_imported(text, within.split("."), inside))


def _imported(text: str, package: list[str], inside: bool) -> Iterator[str]:
    for match in _IMPORT.finditer(text):
        indent, dots, name, things, plain = match.groups(default="")
        if indent and not inside:
            continue
        if plain:
            yield from (part.split()[0] for part in plain.split(",") if part.strip())
            continue
        parents = package[: len(package) - len(dots) + 1] if dots else []
        whole = ".".join([*parents, *([name] if name else [])])
        yield whole
        yield from (f"{whole}.{part.split()[0]}" for part in things.strip("()").split(",") if part.strip())


_IMPORT = re.compile(
    r"^([ \t]*)(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]+)|import[ \t]+([^\n#;]+))", re.MULTILINE
)


def text_of_module(module: ModuleType) -> str:
    """Return the text of a module as it was loaded; empty where it can't be read."""
    text = vars(module).get(SOURCE)
    if isinstance(text, str):
        return text
    file = getattr(module, "__file__", None)
    known = _texts.get(file or "", [])
    return known[-1].text if known else _read(file, vars(module)) if file else ""


def whole_text(module: ModuleType) -> Text | None:
    """Return the text of a module as it was loaded, with its syntax tree; None where it can't be read."""
    file, text = getattr(module, "__file__", None) or module.__name__, text_of_module(module)
    known = _texts.setdefault(file, [])
    known_text = next((one for one in known if one.text == text), None)
    if known_text is None and text:
        known_text = Text(file, text, SOURCE in vars(module))
        known.append(known_text)
    return known_text


def keep_text_of(module: ModuleType) -> None:
    """Store the text of a module that was just imported, before its file can be edited."""
    file = getattr(module, "__file__", None)
    if file:
        _texts.setdefault(file, []).append(Text(file, _read(file, vars(module)), False))
