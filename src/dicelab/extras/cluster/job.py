"""A run as plain data, from which a worker makes the same run again; and what runs on a worker.

Both sides compare what identifies the run: the key of the run in a store (`dicelab.results.store.encoding`): rules,
parameters, strategies with their arguments, seed, and settings that change the games. Nothing compiled is sent, and
nothing that Dask would have to unpickle.

A worker loads the rules of a job, and plays ranges of its games. Arguments and results are text, bytes and numbers
only, so that Dask never has to unpickle anything of dicelab: neither its scheduler nor a worker with another version
could. Exceptions are returned as text for the same reason.
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from types import FunctionType, ModuleType
from typing import Any

from dicelab.engines.player import Player
from dicelab.errors import DicelabError, ParameterError
from dicelab.results.store.encoding import StoredQuestion, from_bytes, to_bytes
from dicelab.results.store.games import Segment
from dicelab.rules.game import Call, Game, Strategy, outcome_names
from dicelab.rules.loading.registry import load
from dicelab.rules.loading.source import BESIDE, ITSELF, SOURCE, modules_of, text_of_module
from dicelab.runtime.lineup import Run
from dicelab.runtime.scheduler import Tallied
from dicelab.translation.contract import must_be_lawful
from dicelab.version import __version__

# Sources --------------------------------------------------------------------------------------------------------------
#
# Modules with rules, as workers get them: the name of an installed module, or the texts of files.

Sent = str | dict[str, Any]
"""A module as plain data: its name, or ``main`` (a file's name), ``kind`` (as in `registry.load`) and ``texts``."""


def home_of_game(game: type[Game]) -> ModuleType:
    """Return the module in which the class of a game is written.

    Raises
    ------
    ParameterError
        When workers can't be sent the class.
    """
    homes = (module for module in modules_of(game) if vars(module).get(game.__qualname__) is game)
    return _must_have_file(next(homes, None), game.name)


def home_of_strategy(strategy: Strategy) -> tuple[ModuleType, str]:
    """Return the module in which a strategy is written, and its name there.

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
    """Return whether a variable of a module is a function, or the strategy that it was declared as."""
    return value is rule or (isinstance(value, Strategy) and value.rule is rule)


def _must_have_file(home: ModuleType | None, name: str) -> ModuleType:
    if home is None or home.__name__ == "__main__" or not text_of_module(home):
        raise ParameterError(
            f"cluster: workers can't be sent {name}: write it at the top level of a file, not in a notebook, in the "
            "program itself or inside a function"
        )
    return home


def sent(module: ModuleType) -> Sent:
    """Return a module as plain data: modules of dicelab and of other packages by name, single files by their texts."""
    if SOURCE not in vars(module) and "." in module.__name__:
        return module.__name__
    main = Path(module.__file__ or "").resolve()
    beside = vars(module).get(BESIDE, {}).values()
    texts = {main.name: text_of_module(module), **dict(_texts(main.parent, beside))}
    name = module.__name__
    kind = name.removeprefix("dicelab_").removesuffix(f"_{main.stem}") if SOURCE in vars(module) else "file"
    return {"main": main.name, "kind": kind, "texts": texts}


def _texts(folder: Path, modules: Any) -> Iterator[tuple[str, str]]:
    """Yield the files of a folder from which modules were imported: their paths below it, and their texts."""
    for module in modules:
        file = Path(module.__file__ or "")
        if file.suffix == ".py":  # an empty __init__.py too
            yield file.resolve().relative_to(folder).as_posix(), text_of_module(module)


def received(module: Sent) -> ModuleType:
    """Return the module that plain data stands for; files are written into a temporary folder while they are loaded.

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


class OtherRules(Exception):
    """The rules found here are not those of the run."""


@dataclass(frozen=True)
class ClusterJob:
    """What workers are sent once for each run.

    Attributes
    ----------
    content
        Everything but policies, as `dicelab.results.store.encoding` writes it.
    policies
        The policies that play, in the same form.
    """

    content: bytes
    policies: tuple[bytes, ...]

    @cached_property
    def name(self) -> str:
        """A hash of all of it, by which a worker finds it again."""
        return sha256(b"\0".join([self.content, *self.policies])).hexdigest()

    @classmethod
    def of(cls, run: Run, seed: int, engine: str, limit: int, keep: bool) -> ClusterJob:
        """Return the job for a run; the arguments are those of `dicelab.engines.player.Player`.

        Raises
        ------
        ParameterError
            When workers can't be sent the rules.
        """
        kind = type(run.game)
        modules = {id(home): home for home in [home_of_game(kind)]}
        policies: list[bytes] = []
        calls = [_sent_call(call, kind, modules, policies) for call in run.calls]
        content = {
            "key": key_of(run, seed, limit, keep),
            "modules": [sent(module) for module in modules.values()],
            "game": kind.__qualname__,
            "parameters": dict(run.game.parameters),
            "calls": calls,
            "settings": [seed, engine, limit, keep],
        }
        return cls(to_bytes(content), tuple(policies))

    @property
    def settings(self) -> tuple[int, str, int, int, bool]:
        """The arguments of `dicelab.engines.player.Player` for one thread, after the run."""
        seed, engine, limit, keep = from_bytes(self.content)["settings"]
        return seed, engine, 1, limit, keep

    def run(self) -> Run:
        """Return the same run, made from the rules here.

        Raises
        ------
        ImportError, DicelabError
            When the rules can't be loaded here.
        """
        content = from_bytes(self.content)
        modules = [received(module) for module in content["modules"]]
        kind: type[Game] = getattr(modules[0], content["game"])
        game = kind(**content["parameters"])
        strategies = [_received_strategy(one, game, modules, self.policies) for one, _ in content["calls"]]
        calls = tuple(Call(one, tuple(args)) for one, (_, args) in zip(strategies, content["calls"], strict=True))
        must_be_lawful(kind, strategies)
        run = Run(game, calls)
        seed, _, _, limit, keep = self.settings
        if key_of(run, seed, limit, keep) != content["key"]:
            raise OtherRules(f"other rules of {game.name}")
        return run


def key_of(run: Run, seed: int, limit: int, keep: bool) -> str:
    """Return what identifies the games of a run, here and in a store."""
    return StoredQuestion.of_games(run, seed, limit=limit, records=keep).key


def _sent_call(call: Call, game: type[Game], modules: dict[int, ModuleType], policies: list[bytes]) -> list[Any]:
    """Return a strategy as plain data, with its arguments; its module and policy are added to those that are sent."""
    strategy = call.strategy
    where: list[Any]
    if strategy.moves is not None:
        content = to_bytes(strategy.moves)
        if content not in policies:
            policies.append(content)
        where = ["policy", policies.index(content)]
    elif game.declared.strategies.get(strategy.name) is strategy:
        where = ["game"]
    elif strategy.rule.__closure__:
        raise ParameterError(f"cluster: workers can't be sent {strategy.name}, which is written inside a function")
    else:
        home, name = home_of_strategy(strategy)
        modules.setdefault(id(home), home)
        where = ["module", list(modules).index(id(home)), name]
    return [[strategy.name, *where], list(call.args)]


def _received_strategy(
    plain: Sequence[Any], game: Game, modules: Sequence[ModuleType], policies: Sequence[bytes]
) -> Strategy:
    name, where, *more = plain
    if where == "game":
        return game.declared.strategies[name]
    if where == "policy":
        strategy: Strategy = from_bytes(policies[more[0]], game).strategy
        return replace(strategy, name=name)
    one = getattr(modules[more[0]], more[1])
    if isinstance(one, Strategy):
        return replace(one, name=name, game=type(game))
    return Strategy(name, one, Game)


KEPT = 8
"""Number of jobs that a worker remembers."""


class _Forgotten(Exception):
    """The games that are being played are not wanted any more."""


@dataclass
class _Ready:
    """A job whose rules are loaded."""

    player: Player
    forgotten: bool = False

    def play(self, low: int, high: int) -> Tallied:
        """Return the games `low` to ``high - 1``, on this thread; one thread at a time until an engine is chosen and
        compiled.
        """
        with _alone:
            if self.player.engine_used == "reference":
                return self._played(low, high)
        return self._played(low, high)

    def _played(self, low: int, high: int) -> Tallied:
        game = self.player.run.game
        total = Tallied.empty(max(1, len(outcome_names(game))), len(game.declared.tallies))

        def done(chunk: Tallied) -> None:
            if self.forgotten:
                raise _Forgotten
            total.merge(chunk)

        self.player.play(low, high, done)
        return total


_jobs: dict[str, _Ready] = {}
_alone = threading.Lock()
"""Held while rules are loaded and kernels are compiled, and by the reference engine (threads gain it nothing)."""
_thread = threading.local()
"""`last` of a thread: the job whose games it played last, and when it had finished."""


def answer(request: tuple[Any, ...]) -> Any:
    """Return what one of `FUNCTIONS` returns; the request has its name, then its arguments."""
    function, *given = request
    return FUNCTIONS[function](*given)


def enlist(version: str, *given: Any) -> str | tuple[str, ...]:
    """Load the rules of a job.

    Parameters
    ----------
    version
        That of dicelab on the other side. It is compared first, whatever the other arguments are.
    *given
        `ClusterJob.content`, `ClusterJob.policies`.

    Returns
    -------
    str or tuple
        "", or a sentence part that says why this worker can't play. Or ``"error"`` with class and text of an error that
        every worker would have.
    """
    if version != __version__:
        return f"it has dicelab {__version__}, and this is dicelab {version}; install the same version"
    job = ClusterJob(*given)
    with _alone:
        if job.name in _jobs:
            return ""
        try:
            run = job.run()
        except OtherRules as error:
            return f"it has {error}; install the same version of them"
        except Exception as error:  # the import of a package can raise anything
            return f"it can't load the rules: {error}"
        try:
            _jobs[job.name] = _Ready(Player(run, *job.settings, quiet=True))
        except DicelabError as error:
            return _as_text(error)
        while len(_jobs) > KEPT:
            del _jobs[next(iter(_jobs))]
    return ""


def _as_text(error: DicelabError) -> tuple[str, ...]:
    """Return an error as text."""
    return "error", type(error).__name__, str(error)


def play(name: str, low: int, high: int) -> tuple[Any, ...]:
    """Play games `low` to ``high - 1`` of a job.

    Parameters
    ----------
    name
        `ClusterJob.name`.

    Returns
    -------
    tuple
        The games as a segment (`dicelab.results.store.games`), the seconds that they took, the seconds for which
        this thread had waited, the name of the engine, a note for the user about it, and the number of games that
        compiled code left to the reference engine. Or ``"error"`` with class and text of an error; or ``"unknown"``, if
        this worker doesn't know the job.
    """
    ready = _jobs.get(name)
    if ready is None:
        return ("unknown",)
    began = perf_counter()
    job, ended = getattr(_thread, "last", (name, began))
    try:
        total = ready.play(low, high)
    except DicelabError as error:
        return _as_text(error)
    except (_Forgotten, KeyboardInterrupt):  # Ctrl-C: the worker may be a thread of the command itself
        return ("unknown",)
    content = Segment(low, high, total).content
    _thread.last = name, perf_counter()
    waited = began - ended if job == name else 0.0
    player = ready.player
    return content, _thread.last[1] - began, waited, player.engine_used, player.note_on_engine, total.left


def forget(name: str) -> None:
    """Play no more games of a job; what is being played ends soon, and is not counted."""
    ready = _jobs.pop(name, None)
    if ready is not None:
        ready.forgotten = True


FUNCTIONS: dict[str, Callable[..., Any]] = {"enlist": enlist, "play": play, "forget": forget}
