"""Programs of AnyDice: recognised, and answered with the nearest expression."""

from __future__ import annotations

import re

from dicelab.questions.notation.errors import ExpressionError
from dicelab.questions.notation.parse import parse

PROGRAM = re.compile(r"^\s*(output|function\s*:|loop|set)\b|\[[a-z]|^\s*[A-Z]+\s*:\s|named\s+\"|\d@", re.MULTILINE)
"""What AnyDice has and expressions don't: statements, functions in brackets, names, places of a sequence."""
OUTPUT = re.compile(r"output\s+(.*?)(?:\s+named\s+\"[^\"]*\")?", re.DOTALL)
POOL = r"(\d*\s*d\s*(?:\d+|%|\{[^{}\[\]]*\}))"
COMPARED = re.compile(rf"^\s*(?:{POOL}|[^<>=]*[^<>=\s])\s*(>=|<=|>|<|=)\s*\d+\s*$")


def refuse_program(text: str) -> None:
    """Refuse a program of AnyDice, and say which expression comes nearest.

    Raises
    ------
    ExpressionError
        When the text is such a program.

    Examples
    --------
    >>> refuse_program("4d6 keep highest 3")
    >>> refuse_program("output [highest 3 of 4d6]")
    Traceback (most recent call last):
    dicelab.questions.notation.errors.ExpressionError: this is a program of AnyDice; here it is written: ...
    """
    if not PROGRAM.search(text):
        return
    outputs = [part.strip() for part in re.split(r"(?m)^\s*(?=output\b)|(?<=\s)(?=output\b)", text) if part.strip()]
    found = [translated(part) for part in outputs]
    if found and all(found):
        written = " ".join(f'"{expression}"' for expression in found)
        depth = ", with --depth 2 for the explosions of AnyDice" if "explode" in text else ""
        raise ExpressionError(f"this is a program of AnyDice; here it is written: {written}{depth}")
    raise ExpressionError(
        "this is a program of AnyDice, and no expression says the same; expressions have no names, functions, loops or "
        "sequences, and such a roll is written as the rules of a game: dicelab new NAME writes a file to start from"
    )


def translated(output: str) -> str:
    """The expression that says the same as one ``output`` of AnyDice; empty if none is known.

    AnyDice compares totals where expressions count dice, so what is compared stands in parentheses.

    >>> translated("output 3d6 > 10"), translated("output [count {5,6} in 4d6]"), translated("output [mine 3]")
    ('(3d6) > 10', '4d{0:4,1,1}', '')
    """
    match = OUTPUT.fullmatch(output)
    if not match:
        return ""
    text = match[1].strip()
    text = re.sub(rf"\[(highest|lowest)\s+(\d+)\s+of\s+{POOL}\]", r"\3 keep \1 \2", text)
    text = re.sub(r"\[(highest|lowest)\s+of\s+([^\[\]]+?)\s+and\s+([^\[\]]+?)\]", _extreme, text)
    text = re.sub(r"\[explode\s+(d\s*(?:\d+|%))\]", r"\1 exploding", text)
    text = re.sub(rf"\[count\s+\{{([\d\s,]+)\}}\s+in\s+{POOL}\]", _counted, text)
    compared = COMPARED.match(text)
    if compared:
        text = f"({text[: compared.start(2)].strip()}) {text[compared.start(2) :].strip()}"
    elif re.search("[<>=]", text):
        return ""
    try:
        parse(text)
    except ExpressionError:
        return ""
    return text


def _extreme(match: re.Match[str]) -> str:
    return f"{'max' if match[1] == 'highest' else 'min'}({match[2]}, {match[3]})"


def _counted(match: re.Match[str]) -> str:
    """Dice with 1 on each face that is counted, and 0 on the others; nothing where a face is counted twice."""
    counted, (count, faces) = [int(part) for part in match[1].split(",")], re.split("d", match[2].replace(" ", ""))
    sides = 100 if faces == "%" else int(faces) if faces.isdigit() else 0
    inside = {face for face in counted if 1 <= face <= sides}
    if not sides or len(set(counted)) < len(counted) or not 0 < len(inside) < sides:
        return match[0]
    return f"{count}d{{0:{sides - len(inside)}{',1' * len(inside)}}}"
