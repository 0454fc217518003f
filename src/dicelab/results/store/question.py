"""What identifies a stored answer: everything that can change it, and nothing else.

============== ========================================================== =================================
method         what is in the question                                    what is not
============== ========================================================== =================================
all            the rules' hash, the game, all parameters, the strategies  where the game's file is
               with all arguments and the hash of their text (of a
               policy: of its moves)
``simulate``   the seed, the version of the stream (`STREAM`), the limit  engine, threads, version of dicelab
               of a game's length, whether every game is kept
``exact``      what was asked for, memory, the version of dicelab         threads
``solve``      seat, objective, memory, the version of dicelab            progress
``learn``      the same, seed, epsilon, omega                             games and points of a checkpoint
============== ========================================================== =================================
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from types import ModuleType
from typing import Any

from dicelab.errors import RulesError, StoreError
from dicelab.rules.game import Game, shown
from dicelab.rules.loading.hashing import source_hash
from dicelab.rules.loading.source import modules_of, modules_of_strategies, text_of, text_of_module
from dicelab.runtime.lineup import Call, Run
from dicelab.version import __version__

STREAM = 1
"""Version of the games of a seed (docs/stream.md). They are part of the contract, so it has never changed."""


@dataclass(frozen=True)
class Question:
    """A question about a game, as plain data; `seed` is None where there is none, or where any will do.

    `shown` has the strategies as they are typed. It is kept beside the question, and is no part of its key.
    """

    facts: dict[str, Any]
    seed: int | None = None
    shown: tuple[str, ...] = ()

    @classmethod
    def of_games(cls, run: Run, seed: int | None, **settings: object) -> Question:
        """The question answered by the games of a seed."""
        return cls({**_about("simulate", run), "stream": STREAM, **settings}, seed, tuple(map(str, run.calls)))

    @classmethod
    def computed(cls, method: str, run: Run, seed: int | None = None, /, **settings: object) -> Question:
        """A question whose answer is computed by this version of dicelab."""
        return cls({**_about(method, run), "version": __version__, **settings}, seed, tuple(map(str, run.calls)))

    def seeded(self, seed: int) -> Question:
        """The same question with a seed."""
        return Question(self.facts, seed, self.shown)

    @property
    def asked(self) -> str:
        """A hash of the question without its seed."""
        return _hash(self.facts)

    @property
    def key(self) -> str:
        """A hash of the question."""
        return _hash({**self.facts, "seed": self.seed})

    @property
    def text(self) -> str:
        """The question as JSON."""
        return json.dumps({**self.facts, "seed": self.seed, "shown": self.shown})


def _hash(facts: Mapping[str, Any]) -> str:
    return sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _about(method: str, run: Run) -> dict[str, Any]:
    """What every question says about the game and the strategies."""
    rules = source_hash(type(run.game), [call.strategy for call in run.calls])
    if not rules:
        raise StoreError(f"{run.game.name} can't be stored, because its source can't be read; put the game in a file")
    played = [call.strategy for call in run.calls]
    modules = [*modules_of(type(run.game)), *modules_of_strategies(type(run.game), played)]
    strategies = [_about_call(call, [module for module in modules if text_of_module(module)]) for call in run.calls]
    return {
        "method": method,
        "game": run.game.name,
        "rules": rules,
        "parameters": dict(run.game.parameters),
        "settings": {name: value for name, value in shown(run.game).items() if _differs(run.game, name)},
        "strategies": strategies,
    }


def _differs(game: Game, name: str) -> bool:
    return game.parameters[name] != game.declared.params[name].default


def _about_call(call: Call, modules: Sequence[ModuleType]) -> list[Any]:
    """A strategy with its arguments, and a hash of what it does; `modules` are those that the rules' hash covers.

    Raises
    ------
    StoreError
        When it may depend on code that no hash covers.
    """
    policy = call.strategy.moves
    if policy is not None:
        from dicelab.engines.policy_file import checksum

        digest = checksum(policy.kept).tobytes().hex()
        return ["policy", [], digest[:16]]
    try:
        text = text_of(call.strategy.rule).text
    except RulesError as error:
        raise StoreError(f"{call.strategy.name} can't be stored: {error}") from error
    rule = call.strategy.rule
    if rule.__closure__ or not any(rule.__globals__ is vars(module) for module in modules):
        raise StoreError(f"{call.strategy.name} can't be stored: write it in a file, and not inside another function")
    return [call.strategy.name, list(call.args), sha256(text.encode()).hexdigest()[:16]]
