"""The entries of plain data, written in short, and the JSON Schema that they stand for.

A name that ends with ``?`` may be missing; names with spaces between them are alike. The value is a text, the kind and
what it means::

    "p": "number: joint p-value"

Kinds are those of JSON Schema, and null; ``|`` stands between those that are allowed, or between texts in quotes.
``[number]`` is an array of numbers, ``{number}`` an object with a number under any name, ``#chance`` a part of the
schema that has a name (`PARTS`), and ``#`` another answer. A mapping is an object with these entries, or with any names
if the name is ``*``, and also others if one is ``...``; a list with one element is an array, a pair a value and what it
means, and ``{"$": ...}`` a JSON Schema as it stands. The value of an entry is the
attribute of its name; `Read` says how another one is read.

By itself because most of it is data: the parts of the schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Read:
    """An entry that is not the attribute of its name: what reads it from a result, what it is in short, what it means.

    One that may be missing is where None is read.
    """

    of: Callable[[Any], Any]
    short: Any
    about: str = ""


def schema_of(short: Any) -> dict[str, Any]:
    """Return the JSON Schema of a value that is written in short.

    >>> schema_of("[number|null]: one for each seat")
    {'type': 'array', 'items': {'type': ['number', 'null']}, 'description': 'one for each seat'}
    >>> schema_of({"kind": "'a'|'b'", "of?": "#chance"})["properties"]
    {'kind': {'enum': ['a', 'b']}, 'of': {'$ref': '#/$defs/chance'}}
    """
    if isinstance(short, Read):
        return schema_of((short.short, short.about) if short.about else short.short)
    if isinstance(short, tuple):
        return schema_of(short[0]) | {"description": short[1]}
    if isinstance(short, list):
        return {"type": "array", "items": schema_of(short[0])}
    if isinstance(short, Mapping):
        if "*" in short:
            return {"type": "object", "additionalProperties": schema_of(short["*"])}
        if "$" in short:
            return dict(short["$"])
        closed = {} if "..." in short else {"additionalProperties": False}
        return {"type": "object", **entries_of({name: short[name] for name in short if name != "..."}), **closed}
    kind, _, about = short.partition(": ")
    return _kind(kind) | ({"description": about} if about else {})


def entries_of(short: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of entries that are written in short: of each, and which there must be.

    >>> entries_of({"p": "number", "note?": "string"})
    {'properties': {'p': {'type': 'number'}, 'note': {'type': 'string'}}, 'required': ['p']}
    """
    if "$" in short:
        return schema_of(short["$"]) if isinstance(short["$"], Read) else dict(short["$"])
    properties = {name.rstrip("?"): schema_of(value) for names, value in short.items() for name in names.split()}
    return {"properties": properties, "required": [name for name in names_of(short) if not name.endswith("?")]}


def names_of(short: Mapping[str, Any]) -> list[str]:
    """Return the names of entries, one by one."""
    return [name for names in short for name in names.split()]


def _kind(text: str) -> dict[str, Any]:
    """Return the JSON Schema of a kind."""
    if text[:1] == "[":
        return {"type": "array", "items": _kind(text[1:-1])}
    if text[:1] == "{":
        return {"type": "object", "additionalProperties": _kind(text[1:-1])}
    if text[:1] == "#" and "|" in text:
        return {"oneOf": [_kind(part) for part in text.split("|")]}
    if text[:1] == "#":
        return {"$ref": f"#/$defs/{text[1:]}" if text[1:] else "#"}
    if text[:1] in ("'", "="):
        values = [json.loads(value.replace("'", '"')) for value in text.lstrip("=").split("|")]
        return {"const": values[0]} if text[0] == "=" else {"enum": values}
    kinds = text.split("|")
    return {"type": kinds if len(kinds) > 1 else text} if text else {}


def added(short: str) -> Read:
    """Return an entry that a command adds to the plain data of a result, which has none of its own."""
    return Read(lambda result: None, short)


EXACT = "#exact: how the exact numbers were computed"
"""The entry ``exact``, in short."""


def how_exact(states: int, error: float | None, fractions: bool) -> dict[str, Any]:
    """Return the entry ``exact``: how exact numbers were computed."""
    return {"states": states, "error": error, "arithmetic": "fractions" if fractions else "floats"}


HEAD = {
    "schema": "=2: version of the format",
    "game": "string|null: name of the game",
    "parameters": "#parameters: parameters of the game, by name",
    "strategies": "[string]: one for each seat, or those that are compared, as they are typed",
    "arguments": "[#parameters]: all arguments of each strategy, by name",
    "seed": "integer|null: seed of the simulated games",
    "games": "integer|null: games that were simulated; of each row if there are rows",
    "version": "string: version of dicelab",
    "source_hash": "string|null: hash of the files with the rules and strategies",
    "seconds": "number|null: time taken, in seconds, without start-up and compilation",
    "summary?": "string: the answer in one sentence",
    "interrupted?": "boolean: whether Ctrl-C came before the end",
    "refused?": "string: why rows are missing",
}
"""What all answers have, beside ``method``."""
ERROR = (
    {"$": {"type": ["number", "null"], "minimum": 0}},
    ("bound on the error of an exact number; absent where it is a fraction, null where none is known"),
)
FRACTION = (
    {"$": {"type": "string", "pattern": "^-?[0-9]+(/[0-9]+)?$"}},
    "the number as a fraction, where it is known and short",
)
ROW = {
    "parameters": "#parameters: parameters of the game, by name",
    "strategies": "[string]: one for each seat, as they are typed",
    "arguments": "[#parameters]: all arguments of each strategy, by name",
    "games": "integer|null: number of simulated games",
    "seconds": "number: time taken, in seconds, without start-up and compilation",
    "outcomes": "#outcomes: the outcomes, by name",
    "tallies": "#tallies: the tallies, by name",
    "fairness?": "#fairness: how equal the chances of the seats are",
    "exact?": EXACT,
}
"""A row of a comparison."""
EDGE = {
    "bet": "string: name of the bet",
    "outcomes": "#outcomes: win, lose and push",
    "tallies": "#tallies: throws and stakes of the bet",
    "edge": "#figure: house edge per bet made, a share of the stake; positive where the bettor loses",
    "edge_resolved": "#figure|null: the edge divided by the probability that the bet isn't pushed",
    "edge_per_throw": "#figure|null: the edge divided by the mean number of throws",
    "sd": "number|null: standard deviation of the money, in stakes",
    "published?": (
        {"text source": "string", "difference": "number", "agrees": "boolean"},
        "the published edge, its source, and whether it is the same",
    ),
}
"""A bet."""
PARTS = {
    "note": {"schema": "=2: version of the format", "note": "string: a remark, in a sentence"},
    "failure": {
        "schema": "=2: version of the format",
        "error": "string: what is wrong, in a sentence",
        "status": "integer: exit status",
    },
    "parameters": "{integer|boolean|string}",
    "chance": {
        "means?": "string: what the number means, in words",
        "probability": ({"$": {"type": ["number", "null"], "minimum": 0, "maximum": 1}}, "estimated, or exact"),
        "low?": "number: lower end of the 95 % interval",
        "high?": "number: upper end of the 95 % interval",
        "count?": "integer: games that ended so",
        "fraction?": FRACTION,
        "error?": ERROR,
        "seats?": "[integer]: the seats that win: one; several in a draw or a team; none",
        "label?": "string: what the winning seat is called: player 1 is seat 0",
        "exact?": "#chance: the exact number beside an estimate",
        "z?": "number|null: simulated minus exact, in standard errors",
    },
    "tally": (
        {
            "means?": "string: in words, where the name doesn't say it",
            "mean?": "number|null: mean value",
            "low?": "number|null: lower end of the 95 % interval; null if open",
            "high?": "number|null: upper end of the 95 % interval; null if open",
            "sd?": "number|null: standard deviation",
            "min?": "integer: smallest value",
            "max?": "integer: largest value",
            "percentiles?": (
                {
                    "$": {
                        "type": "object",
                        "patternProperties": {"^p[0-9]+$": {"type": ["integer", "null"]}},
                        "additionalProperties": False,
                    }
                },
                "values by p10, p50 and so on",
            ),
            "percentile_intervals?": (
                {
                    "$": {
                        "type": "object",
                        "patternProperties": {
                            "^p[0-9]+$": {
                                "type": "array",
                                "items": {"type": ["number", "null"]},
                                "minItems": 2,
                                "maxItems": 2,
                            }
                        },
                        "additionalProperties": False,
                    }
                },
                "the 95 % interval of each percentile of simulated games",
            ),
            "fraction?": FRACTION,
            "error?": ERROR,
            "left?": "number: probability of the values that were left out",
            "exact?": "#tally: the exact numbers beside an estimate",
            "z?": "number|null: difference from the exact number, in standard errors",
        },
        "empty if no game was played",
    ),
    "outcomes": "{#chance}",
    "tallies": "{#tally}",
    "exact": (
        {
            "states": "integer: number of states",
            "error": ERROR,
            "arithmetic": "'fractions'|'floats': how it was computed",
            "seconds?": "number: time taken, in seconds, without start-up and compilation",
            "fairness?": "#fairness: how equal the exact chances of the seats are",
        },
        "how exact numbers were computed",
    ),
    "fairness": {
        "gap": "number|null: largest minus smallest probability of a seat",
        "total_variation": "number|null: sum of what each seat has above an equal share",
        "ratio": "number|null: largest divided by smallest probability of a seat; null if that is 0",
    },
    "score": {
        "value": "number: the estimate, or the exact value",
        "low": "number|null: lower end of the 95 % interval; null if open",
        "high": "number|null: upper end of the 95 % interval; null if open",
    },
    "figure": {"value": "number: the estimate, or the exact value", "fraction?": FRACTION, "error?": ERROR},
    "row": ROW,
    "sweep_row": ROW | {"over": "{integer|string}: the values of what varies, by name"},
    "edge": EDGE
    | {
        "check?": (
            {"edge": "number", "low high z": "number|null", "games": "integer"},
            "the same figures from simulated games (--check)",
        )
    },
    "par_row": EDGE
    | {
        "return": "#figure: return to player: mean amount returned, a share of the stake",
        "hit": "#chance|null: probability that the bet wins money",
        "volatility": "number|null: volatility index: 1.645 standard deviations of the money, in stakes",
        "awards": (
            [{"net": "integer: money won, without the stake", "chance": "#chance: its probability"}],
            "the pay table, the largest award first",
        ),
        "bands": (
            [
                {
                    "rounds": "integer: number of independent rounds",
                    "low": "integer: 5th percentile of the money won",
                    "high": "integer: 95th percentile of the money won",
                    "ahead": "number: probability that the money won is above 0",
                }
            ],
            "the result of many rounds",
        ),
    },
    "values": {
        "outcomes": "#outcomes: the outcomes, by name",
        "tallies": "#tallies: the tallies, by name",
        "payoffs?": (
            "{number|null}: mean payoff of each seat that learns, if that is the objective; "
            "null if a game might never end"
        ),
    },
    "histogram": {
        "tally": "string: name of the tally",
        "values": "[integer]: the values",
        "probabilities": "[number]: the probability of each value",
    },
    "given": {
        "tally": "string: name of the tally",
        "rows": (
            [{"low high": "integer", "probability": "number", "outcomes": "#outcomes"}],
            "one object for each row of the table",
        ),
    },
    "shares": "[number]: a number for each seat",
    "luck": (
        {
            "objective": "string: what the values are, as in solve",
            "states": "integer: states that were solved",
            "cycles": "integer: components in which best responses cycle",
            "note?": "string: a remark",
            "seconds?": "number|null: time taken",
            "games?": "integer: games whose luck was estimated",
            "luck_by?": "string: by what luck was estimated; not there where values are exact",
            "seats": (
                {
                    "*": {
                        "start": "number: value before the first step",
                        "mean": "number: mean result, with its 95 % interval low to high",
                        "low?": "number|null: lower end of the interval",
                        "high?": "number|null: upper end of the interval",
                        "adjusted": (
                            {
                                "mean": "number: the mean without luck",
                                "low": "number|null: lower end of the interval",
                                "high": "number|null: upper end of the interval",
                            },
                            "the mean without luck, with its 95 % interval",
                        ),
                        "narrower": "number|null: factor by which the interval is shorter",
                        "kept?": "number|null: share of the luck that is left in the adjusted results",
                        "share_of_luck": "number|null: Var(luck) / (Var(luck) + Var(costs))",
                        "share_low?": "number: lower end of its interval, where luck was estimated",
                        "share_high?": "number: upper end of its interval, where luck was estimated",
                        "variance": (
                            {
                                "luck": "number: of the luck of a game",
                                "costs": "number: of own costs less what the errors of others gave",
                                "covariance": "number: of luck and costs",
                            },
                            "variances of luck and of costs, and their covariance",
                        ),
                        "mean_luck": "number: mean luck of the games, whose expectation is 0",
                    }
                },
                "by the name of each seat",
            ),
            "...": "",
        },
        "luck and costs of the seats over many games",
    ),
    "parameter": {
        "name": "string: name of the parameter",
        "default": "integer|boolean|string: value if none is given",
        "allowed": "string: values allowed: the lowest and the highest, or a list",
        "names?": "[string]: names of the values, of a choice",
        "help": "string: what it is, in a line",
    },
}
"""The parts that have a name."""
COMMANDS = {
    "list": {"rows": ([{"game about": "string"}], "one object for each row of the table")},
    "show": {
        "about": "string: what the game is, in a sentence",
        "rules": "string: the rules in words",
        "source": "string: where the rules come from",
        "file": "string: the file with the rules",
        "declared": (
            {
                "parameters": "[#parameter]",
                "seats": "integer",
                "outcomes": "[string]",
                "tallies": "{string}",
                "throws": [{"name dice die seen": "string"}],
                "choices": [{"name": "string", "moves": "[string]"}],
                "state": [{"name range help": "string"}],
                "strategies": [{"name written about": "string", "arguments": "[#parameter]"}],
            },
            "what the class declares",
        ),
    },
    "kernels": {
        "folder?": "string: where compiled code is kept",
        "deleted?": "boolean: whether the rows were deleted (--prune)",
        "rows?": (
            [{"id about": "string", "bytes": "integer", "used": "string", "outdated": "boolean"}],
            "one object for each row of the table",
        ),
        "id?": "string: identifier of the kernel (--show)",
        "source?": "string: the text of the kernel (--show)",
    },
    "solutions": {
        "folder?": "string: where solved games are kept",
        "deleted?": "boolean: whether the rows were deleted (--clear)",
        "rows?": (
            [{"game": "string", "kind": "string: policy or values", "bytes": "integer", "used file": "string"}],
            "one object for each row of the table",
        ),
    },
    "runs": {
        "store?": "string: the file with the runs",
        "compared?": "[#]: the two results that are compared (--compare)",
        "rows": (
            [
                {
                    "$": {
                        "oneOf": [
                            {
                                "type": "object",
                                "properties": {
                                    "run": {"type": "integer"},
                                    "state": {"enum": ["done", "checkpoint", "empty", "busy"]},
                                    "games": {"type": ["integer", "null"]},
                                    "seconds": {"type": "number"},
                                    "begun": {"type": "string"},
                                    "changed": {"type": "string"},
                                    "question": {"type": "object"},
                                    "result": {"$ref": "#"},
                                },
                                "required": ["run", "state", "games", "seconds", "begun", "changed", "question"],
                                "additionalProperties": False,
                            },
                            {
                                "type": "object",
                                "properties": {
                                    "kind": {"enum": ["outcome", "tally"]},
                                    "name": {"type": "string"},
                                    "first": {"type": "number"},
                                    "second": {"type": "number"},
                                    "difference": {"type": "number"},
                                    "z": {"type": ["number", "null"]},
                                },
                                "required": ["kind", "name", "first", "second", "difference", "z"],
                                "additionalProperties": False,
                            },
                        ]
                    }
                }
            ],
            "one object for each row of the table",
        ),
    },
    "check": {
        "$": {
            "properties": {
                "file": {"type": "string", "description": "the file with the rules"},
                "lawful": {"type": "boolean", "description": "whether everything was checked and nothing is broken"},
                "complete": {
                    "type": "boolean",
                    "description": "whether the check came to its end, before the time limit and without Ctrl-C",
                },
                "findings": {
                    "type": "array",
                    "items": {"type": "object", "required": ["game", "step", "verdict", "say"]},
                    "description": "what each step found; the verdict is ok, note, broken, or not finished",
                },
                "covered": {
                    "type": "object",
                    "additionalProperties": {"type": "object"},
                    "description": "what was checked, in numbers",
                },
            },
            "required": ["file", "lawful", "complete", "findings", "covered", "interrupted"],
        }
    },
    "demo": {
        "picture?": "string: the file that was drawn",
        "rows": (
            [
                {
                    "text": "integer",
                    "question": "string",
                    "published": "number|null",
                    "games": "integer",
                    "simulated": "number",
                    "low high": "number|null",
                    "exact": "#figure",
                    "z z_published?": "number|null",
                }
            ],
            "one object for each row of the table",
        ),
    },
}
"""The answers of commands that ask no question, by their ``method``."""
