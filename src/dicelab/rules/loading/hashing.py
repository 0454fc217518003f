"""The hash of the rules of a game, which changes with their text and with the data that they read when loaded."""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import FunctionType, MappingProxyType, ModuleType

from dicelab.errors import RulesError
from dicelab.rules.game import Game, Strategy
from dicelab.rules.loading.source import (
    GAMES,
    Text,
    holds_rules,
    imports,
    is_in,
    modules_of,
    modules_of_strategies,
    text_of,
    text_of_module,
    whole_text,
)

PURE = (
    *("__future__", "abc", "bisect", "collections", "dataclasses", "enum", "fractions", "functools", "heapq"),
    *("itertools", "math", "operator", "types", "typing"),
)
"""Modules of the standard library with which no constant differs from process to process."""


def source_hash(game: type[Game], strategies: Sequence[Strategy] = ()) -> str:
    """First 16 hexadecimal digits of the SHA-256 of the files of a game (see `modules_of`); "" if none can be read.

    The files of strategies that are written elsewhere are included, and so are the variables that they captured. Of
    files that use more than rules, helpers and `PURE` modules, so are the values of their constants, which may come
    from a file with data, and the text of what they import from other packages; and so are constants that another
    module has set.
    """
    texts = [text for text in map(text_of_module, modules_of(game)) if text] or _texts_of_functions(game)
    if not texts:
        return ""
    rules = [one.rule for one in strategies if one.moves is None]
    elsewhere = [module for module in modules_of_strategies(game, strategies) if text_of_module(module)]
    alone = [rule for rule in rules if not is_in(rule, [*modules_of(game), *elsewhere])]  # in a cell of a notebook
    texts += sorted({*map(text_of_module, elsewhere), *(text_of(rule).text for rule in alone)})
    texts += sorted(repr(cell.cell_contents) for rule in rules for cell in rule.__closure__ or ())
    texts += _from_elsewhere([*modules_of(game), *elsewhere])
    whole = texts[0] if len(texts) == 1 else "\0".join(texts)
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


def _from_elsewhere(modules: Sequence[ModuleType]) -> list[str]:
    """Return what the text of these modules alone does not determine: values of constants, and
    texts of other packages.
    """
    texts, known = list[str](), {module.__name__ for module in modules}
    waiting = [module for module in modules if not module.__name__.startswith(GAMES)]
    while waiting:
        module = waiting.pop()
        folder = str(Path(getattr(module, "__file__", None) or ".").parent)  # where a file is doesn't matter
        texts += sorted(constant.replace(folder, "") for constant in _constants(module))
        names = {name for name in imports(module, inside=False) if name in sys.modules and holds_rules(name)}
        others = [sys.modules[name] for name in sorted(names - known)]
        known |= names
        texts += map(text_of_module, others)
        waiting += filter(_is_followed, others)
    return texts


def _is_followed(module: ModuleType) -> bool:
    """Return whether what an imported module uses in turn is part of the hash; it isn't of dicelab or an installed
    package.
    """
    file = Path(getattr(module, "__file__", None) or "")
    return not module.__name__.startswith(GAMES) and not {"site-packages", "dist-packages"} & set(file.parts)


def _constants(module: ModuleType) -> Iterator[str]:
    """Yield the constants that the classes and functions of a module use, if its text does not
    determine their values.
    """
    text = whole_text(module)
    if text is None:
        return
    every = not _is_determined(module)
    own = [thing for thing in vars(module).values() if getattr(thing, "__module__", None) == module.__name__]
    classes = {thing.__name__: vars(thing) for thing in own if isinstance(thing, type)}
    for owner, space in {"": vars(module), **classes}.items():
        for name, thing in space.items():
            if isinstance(thing, FunctionType) and every:
                yield f"{name} = {_described((thing.__defaults__, *(thing.__kwdefaults__ or {}).items()))}"
            elif name in text.used and not name.startswith("__") and (every or _is_changed(text, owner, name, thing)):
                yield f"{name} = {_described(thing)}"


def _is_changed(text: Text, owner: str, name: str, thing: object) -> bool:
    """Return whether a constant is no longer what the file says, because another module has set it."""
    written = text.assigned.get((owner, name), [])
    try:
        value = ast.literal_eval(written[0]) if len(written) == 1 else thing
        return bool(value != thing) and (not isinstance(value, tuple) or isinstance(thing, tuple))
    except ValueError:
        return False


def _is_determined(module: ModuleType) -> bool:
    """Return whether the values of a module's constants are the same wherever it is loaded: it imports only `PURE`
    modules.
    """
    names = {name.partition(".")[0] for name in imports(module)}
    return names <= {"dicelab", *PURE} and "open(" not in text_of_module(module)


def _described(thing: object, within: tuple[int, ...] = ()) -> str:
    """Return a constant, or a declaration, as text that is the same in every process; of other things the class.

    `within` are the ids of the declarations that contain it.
    """
    if isinstance(thing, Enum):
        return f"{type(thing).__name__} {thing.name} {_described(thing.value)}"
    if isinstance(thing, str | bytes | int | float | complex | Fraction | range | None):
        return repr(thing)
    if isinstance(thing, tuple | list):
        return f"({', '.join(map(_described, thing))})"
    if isinstance(thing, frozenset | set):
        return f"{{{', '.join(sorted(map(_described, thing)))}}}"
    if isinstance(thing, MappingProxyType | dict):
        return _described(tuple(thing.items()))
    declared = is_dataclass(thing) or type(thing).__module__.startswith("dicelab.rules.")
    if declared and not isinstance(thing, type) and id(thing) not in within:
        names = [part.name for part in fields(thing)] if is_dataclass(thing) else sorted(vars(thing))
        parts = [f"{name} {_described(getattr(thing, name), (*within, id(thing)))}" for name in names]
        return f"{type(thing).__name__} {parts}"
    return type(thing).__name__


def _texts_of_functions(game: type[Game]) -> list[str]:
    """Return the texts of the functions of a game that isn't in a file, for example in a notebook."""
    members = [member for base in game.__mro__ if holds_rules(base.__module__) for member in vars(base).values()]
    try:
        return sorted({text_of(member).text for member in members if isinstance(member, FunctionType)})
    except RulesError:
        return []
