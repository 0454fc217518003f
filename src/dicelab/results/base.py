"""What all results have in common: what was asked, how it ended, and their forms: text, plain data, JSON, tables."""

from __future__ import annotations

import html
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from dicelab.errors import ParameterError
from dicelab.version import __version__

SCHEMA = 1


class Forms(ABC):
    """The forms of an answer, made from its text, plain data and rows; also of one that is about no game."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain data with the keys of the command line's ``--json``."""

    @abstractmethod
    def _rows(self) -> list[dict[str, Any]]:
        """The rows of `to_frame`."""

    @abstractmethod
    def __str__(self) -> str: ...

    def to_json(self) -> str:
        """`to_dict` as one JSON object."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_frame(self) -> Any:
        """The rows as a pandas table.

        Raises
        ------
        ParameterError
            When pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise ParameterError("to_frame needs pandas: pip install 'dicelab[table]'") from error
        return pandas.DataFrame(self._rows())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


@dataclass(frozen=True, repr=False, kw_only=True)
class BaseResult(Forms):
    """The answer to a question, with all that is needed to ask it again.

    Attributes
    ----------
    game, parameters
        The game, and its parameters as they are shown; without those that vary within the result.
    strategies
        One for each seat, or those that are compared.
    source_hash, version
        Of the rules of the game, and of dicelab.
    seconds
        Time taken, without start-up and compilation.
    seed
        Of the simulated games; None if no games were simulated.
    interrupted
        Whether Ctrl-C came before the end; then the result is what was finished by then.
    refused
        Why the last part of the result is missing: an error that came after the first part. Empty if nothing is.
    """

    game: str
    parameters: dict[str, Any]
    strategies: list[str]
    source_hash: str
    seconds: float
    version: str = __version__
    seed: int | None = None
    interrupted: bool = False
    refused: str = ""

    method: ClassVar[str]
    """The question: the entry ``method`` of plain data."""

    @abstractmethod
    def _facts(self) -> dict[str, Any]:
        """The entries of the plain data that this kind of result has."""

    @property
    def common(self) -> dict[str, Any]:
        """What all results have, by name; the arguments for a result that contains this one."""
        return {field.name: getattr(self, field.name) for field in fields(BaseResult)}

    @property
    def unfinished(self) -> str:
        """Why the result is not complete, in words; empty if it is."""
        return "stopped before the end" if self.interrupted else self.refused

    def to_dict(self) -> dict[str, Any]:
        """Plain data with the keys of the command line's ``--json``."""
        data = {"schema": SCHEMA, "method": self.method, "game": self.game, "parameters": self.parameters}
        data |= {"strategies": self.strategies} | ({} if self.seed is None else {"seed": self.seed}) | self._facts()
        data |= ({"interrupted": True} if self.interrupted else {}) | (
            {"refused": self.refused} if self.refused else {}
        )
        return data | {"seconds": self.seconds, "version": self.version, "source_hash": self.source_hash}
