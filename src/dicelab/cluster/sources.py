"""Modules with rules, as workers get them: the name of an installed module, or the texts of files."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType, ModuleType
from typing import Any

from dicelab.errors import ParameterError
from dicelab.rules.game import Game, Strategy
from dicelab.rules.loading.registry import load
from dicelab.rules.loading.source import BESIDE, ITSELF, SOURCE, modules_of, text_of_module

Sent = str | dict[str, Any]
"""A module as plain data: its name, or ``main`` (a file's name), ``kind`` (as in `registry.load`) and ``texts``."""


def home_of_game(game: type[Game]) -> ModuleType:
    """The module in which the class of a game is written.

    Raises
    ------
    ParameterError
        When workers can't be sent the class.
    """
    homes = (module for module in modules_of(game) if vars(module).get(game.__qualname__) is game)
    return _must_have_file(next(homes, None), game.name)


def home_of_strategy(strategy: Strategy) -> tuple[ModuleType, str]:
    """The module in which a strategy is written, and its name there.

    Raises
    ------
    ParameterError
        When workers can't be sent the strategy.
    """
    rule = strategy.rule
    home = rule.__globals__.get(ITSELF) or sys.modules.get(rule.__module__)
    named = (name for name, value in vars(home).items() if _is(value, rule)) if home else iter(())
    name = next(named, "")
    return _must_have_file(home if name else None, strategy.name), name


def _is(value: object, rule: FunctionType) -> bool:
    """Whether a variable of a module is a function, or the strategy that it was declared as."""
    return value is rule or (isinstance(value, Strategy) and value.rule is rule)


def _must_have_file(home: ModuleType | None, name: str) -> ModuleType:
    if home is None or home.__name__ == "__main__" or not text_of_module(home):
        raise ParameterError(
            f"cluster: workers can't be sent {name}: write it at the top level of a file, not in a notebook, in the "
            "program itself or inside a function"
        )
    return home


def sent(module: ModuleType) -> Sent:
    """A module as plain data: modules of dicelab and of other packages by name, single files by their texts."""
    if SOURCE not in vars(module) and "." in module.__name__:
        return module.__name__
    main = Path(module.__file__ or "").resolve()
    beside = vars(module).get(BESIDE, {}).values()
    texts = {main.name: text_of_module(module), **dict(_texts(main.parent, beside))}
    name = module.__name__
    kind = name.removeprefix("dicelab_").removesuffix(f"_{main.stem}") if SOURCE in vars(module) else "file"
    return {"main": main.name, "kind": kind, "texts": texts}


def _texts(folder: Path, modules: Any) -> Iterator[tuple[str, str]]:
    """The files of a folder from which modules were imported: their paths below it, and their texts."""
    for module in modules:
        file = Path(module.__file__ or "")
        if file.suffix == ".py":  # an empty __init__.py too
            yield file.resolve().relative_to(folder).as_posix(), text_of_module(module)


def received(module: Sent) -> ModuleType:
    """The module that plain data stands for; files are written into a temporary folder while they are loaded.

    Raises
    ------
    ImportError, DicelabError
        When there is no such module here, or it can't be run here.
    """
    if isinstance(module, str):
        return importlib.import_module(module)
    with TemporaryDirectory(prefix="dicelab-rules-") as folder:
        for name, text in module["texts"].items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        try:
            return load(Path(folder, module["main"]), module["kind"])
        except Exception as error:
            error.args = tuple(str(part).replace(f"{folder}/", "") for part in error.args)
            raise
