"""How a store names and keeps an answer: what identifies it, and its result as bytes."""

from __future__ import annotations

import dataclasses
import json
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dicelab.errors import RulesError, StoreError
from dicelab.results.numbers.estimates import Named
from dicelab.rules.game import Game, shown
from dicelab.rules.loading.hashing import source_hash
from dicelab.rules.loading.source import modules_of, modules_of_strategies, text_of, text_of_module
from dicelab.runtime.lineup import Call, Run
from dicelab.version import __version__

if TYPE_CHECKING:
    from dicelab.rules.game import Game


# Results as bytes, without pickle: reading them runs no code from the file --------------------------------------------
#
# The bytes are compressed (zlib, which detects damage): the length of a JSON text as 8 bytes, the text, and the numbers
# of all arrays. JSON has no tuples, fractions, arrays or dataclasses; each is an object with its kind under ``""``.

KIND = ""
"""The key under which an object says what it stands for."""
LENGTH = 8
"""Bytes of the length of the text."""


class OtherVersion(Exception):
    """The bytes were written by a version of dicelab whose results had other fields."""


def to_bytes(value: Any, level: int = 3) -> bytes:
    """Return a result, or plain data with tuples, fractions, counters and arrays, as bytes; `level` is that of zlib.

    >>> from_bytes(to_bytes((Fraction(1, 3), Counter({5: 2}))))
    (Fraction(1, 3), Counter({5: 2}))
    """
    arrays: list[bytes] = []
    text = json.dumps(_plain(value, arrays)).encode()
    return zlib.compress(b"".join([len(text).to_bytes(LENGTH, "little"), text, *arrays]), level)


def from_bytes(content: bytes, game: Game | None = None) -> Any:
    """Return what `to_bytes` was given; policies are for `game`, and None without one.

    Raises
    ------
    ValueError
        When the bytes are damaged.
    OtherVersion
        When a class has other fields now.
    """
    try:
        whole = zlib.decompress(content)
        start = LENGTH + int.from_bytes(whole[:LENGTH], "little")
        plain = json.loads(whole[LENGTH:start])
    except (zlib.error, ValueError) as error:
        raise ValueError(f"stored bytes can't be unpacked ({error})") from error
    try:
        return _value(plain, whole, start, game)
    except (TypeError, LookupError, AttributeError, ImportError) as error:
        raise OtherVersion(str(error)) from error


def _plain(value: Any, arrays: list[bytes]) -> Any:
    """Return a value as JSON has it; the numbers of arrays are added to `arrays`."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [_plain(part, arrays) for part in value]
    return {KIND: _kind(value), "of": _parts(value, arrays)}


def _kind(value: Any) -> str:
    """Return what an object stands for: a word, or module and name of a class of dicelab."""
    for kind, word in ((Counter, "counter"), (Named, "named"), (dict, "dict"), (Fraction, "fraction")):
        if isinstance(value, kind):
            return word
    if type(value) is tuple:
        return "tuple"
    if hasattr(value, "dtype"):
        return "array"
    cls = type(value)
    if not cls.__module__.startswith("dicelab.") or not (dataclasses.is_dataclass(value) or hasattr(value, "_fields")):
        raise TypeError(f"{cls} can't be stored")
    return f"{cls.__module__}:{cls.__qualname__}"


def _parts(value: Any, arrays: list[bytes]) -> Any:
    if isinstance(value, Named):
        return [value.kind, _plain(dict(value), arrays)]
    if isinstance(value, dict):
        return [[_plain(key, arrays), _plain(part, arrays)] for key, part in value.items()]
    if isinstance(value, Fraction):
        return [f"{value.numerator:x}", f"{value.denominator:x}"]  # hexadecimal: decimals have a limit of length
    if type(value) is tuple:
        return [_plain(part, arrays) for part in value]
    if hasattr(value, "dtype"):
        at = sum(map(len, arrays))
        arrays.append(value.tobytes())
        return [value.dtype.str, list(value.shape), at, len(arrays[-1])]
    if hasattr(value, "_fields"):
        return {name: _plain(getattr(value, name), arrays) for name in value._fields}
    fields = [field.name for field in dataclasses.fields(value) if field.init]
    # A policy has its game beside it; the reader of the bytes knows which.
    skipped = ["game"] if _kind(value) in POLICIES else []
    return {name: _plain(getattr(value, name), arrays) for name in fields if name not in skipped}


POLICIES = (
    "dicelab.engines.policy:Policy",
    "dicelab.questions.policies.mixed_policy:MixedPolicy",
    "dicelab.questions.policies.turn_policy:TurnPolicy",
    "dicelab.questions.policies.thinking.network:Network",
    "dicelab.questions.policies.thinking.turn_values:TurnNetwork",
)


def _value(plain: Any, whole: bytes, start: int, game: Game | None) -> Any:
    """Return the value that `_plain` was given; `whole` has the numbers of arrays from `start` on."""
    if isinstance(plain, list):
        return [_value(part, whole, start, game) for part in plain]
    if not isinstance(plain, dict):
        return plain
    kind, of = plain[KIND], plain["of"]
    if kind in ("dict", "counter"):
        pairs = ((_value(key, whole, start, game), _value(part, whole, start, game)) for key, part in of)
        return dict(pairs) if kind == "dict" else Counter(dict(pairs))
    if kind == "named":
        return Named(of[0], _value(of[1], whole, start, game))
    if kind == "fraction":
        return Fraction(int(of[0], 16), int(of[1], 16))
    if kind == "tuple":
        return tuple(_value(part, whole, start, game) for part in of)
    if kind == "array":
        return _array(whole[start + of[2] : start + of[2] + of[3]], of[0], of[1])
    if kind in POLICIES:
        if game is None:
            return None
        of = {"game": game, **{name: _value(part, whole, start, game) for name, part in of.items()}}
        return _class(kind)(**of)
    return _class(kind)(**{name: _value(part, whole, start, game) for name, part in of.items()})


def _array(content: bytes, dtype: str, shape: list[int]) -> Any:
    import numpy as np

    kind = np.dtype(dtype)
    if kind.hasobject:
        raise TypeError("arrays have numbers only")
    array = np.frombuffer(content, kind).reshape(shape).copy()
    return array if shape else array[()]


def _class(kind: str) -> Any:
    """Return a class of results, by module and name; nothing else is ever called."""
    module, _, name = kind.partition(":")
    cls = getattr(import_module(module), name) if module.startswith("dicelab.") else None
    if not isinstance(cls, type) or not (dataclasses.is_dataclass(cls) or hasattr(cls, "_fields")):
        raise TypeError(f"{kind} is not a class of results")
    return cls


# What identifies a stored answer: everything that can change it, and nothing else -------------------------------------
#
# ============== ========================================================== =================================
# method         what is in the question                                    what is not
# ============== ========================================================== =================================
# all            the rules' hash, the game, all parameters, the strategies  where the game's file is
#                with all arguments and the hash of their text (of a
#                policy: of its moves)
# ``simulate``   the seed, the version of the stream (`STREAM`), the limit  engine, threads, version of dicelab
#                of a game's length, whether every game is kept
# ``exact``      what was asked for, memory, the version of dicelab         threads
# ``solve``      seat, objective, memory, the version of dicelab            progress
# ``learn``      the same, seed, epsilon, omega                             games and points of a checkpoint
# ============== ========================================================== =================================

STREAM = 1
"""Version of the games of a seed (docs/stream.md). They are part of the contract, so it has never changed."""


@dataclass(frozen=True)
class StoredQuestion:
    """A question about a game, as plain data; `seed` is None where there is none, or where any will do.

    `shown` has the strategies as they are typed. It is kept beside the question, and is no part of its key.
    """

    facts: dict[str, Any]
    seed: int | None = None
    shown: tuple[str, ...] = ()

    @classmethod
    def of_games(cls, run: Run, seed: int | None, **settings: object) -> StoredQuestion:
        """Return the question answered by the games of a seed."""
        return cls({**_about("simulate", run), "stream": STREAM, **settings}, seed, tuple(map(str, run.calls)))

    @classmethod
    def computed(cls, method: str, run: Run, seed: int | None = None, /, **settings: object) -> StoredQuestion:
        """Return a question whose answer is computed by this version of dicelab."""
        return cls({**_about(method, run), "version": __version__, **settings}, seed, tuple(map(str, run.calls)))

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
    """Return what every question says about the game and the strategies."""
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
    """Return a strategy with its arguments, and a hash of what it does; `modules` are those that the rules' hash
    covers.

    Raises
    ------
    StoreError
        When it may depend on code that no hash covers.
    """
    policy = call.strategy.moves
    if policy is not None:
        from dicelab.engines.policy_file import checksum

        try:
            digest = checksum(policy.kept).tobytes().hex()
        except RulesError as error:
            raise StoreError(f"{call.strategy.name} can't be stored: {error}") from error
        return ["policy", [], digest[:16]]
    try:
        text = text_of(call.strategy.rule).text
    except RulesError as error:
        raise StoreError(f"{call.strategy.name} can't be stored: {error}") from error
    rule = call.strategy.rule
    if rule.__closure__ or not any(rule.__globals__ is vars(module) for module in modules):
        raise StoreError(f"{call.strategy.name} can't be stored: write it in a file, and not inside another function")
    return [call.strategy.name, list(call.args), sha256(text.encode()).hexdigest()[:16]]
