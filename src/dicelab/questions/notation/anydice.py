"""Programs of AnyDice: recognised, and answered with the nearest expression.

By itself because it is another language than dicelab's notation.
"""

from __future__ import annotations

import re

from dicelab.questions.notation.parse import parse
from dicelab.questions.notation.tree import ExpressionError

PROGRAM = re.compile(
    r"^\s*(?:(?:output|loop|set)\b|function\s*:|[A-Z]+\s*:\s)|named\s+\"|\d@"
    r"|\[(?:highest|lowest|middle|explode|count|absolute|contains|maximum|reverse|sort)\s",
    re.MULTILINE,
)
"""What AnyDice has and expressions don't: statements, functions in brackets, names, places of a sequence."""
OUTPUT = re.compile(r"output\s+(.*?)(?:\s+named\s+\"[^\"]*\")?", re.DOTALL)
POOL = r"(\d*\s*d\s*(?:\d+|%|\{[^{}\[\]]*\}))"
ASSIGNED = re.compile(r"^\s*([A-Z]+)\s*:\s*([^\n]*?)\s*$", re.MULTILINE)
DEPTH = re.compile(r'^\s*set\s+"explode depth"\s+to\s+(\d+)\s*$', re.MULTILINE)
COUNTED = {"≥": ">=", "≤": "<=", "≡": "="}
"""Comparisons of single dice, until it is clear which are those of totals."""
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
    dicelab.questions.notation.tree.ExpressionError: this is a program of AnyDice; here it is written: ...
    """
    program = re.sub(r"\\[^\\]*\\", " ", text)  # comments
    if not PROGRAM.search(program):
        return
    program = re.sub(r"[ \t]+output\b", "\noutput", program)  # statements may share a line
    program = program if re.search(r"\boutput\b", program) else f"output {program}"
    depths, program = DEPTH.findall(program), DEPTH.sub("", program)
    outputs = [
        part.strip() for part in re.split(r"(?m)(?:^|(?<=\s))(?=output\b)", _without_names(program)) if part.strip()
    ]
    expressions = [translated(part) for part in outputs]
    if expressions and all(expressions):
        written = " ".join(f'"{expression}"' for expression in expressions)
        depth = f", with --depth {depths[-1] if depths else 2} for the explosions of AnyDice"
        raise ExpressionError(
            f"this is a program of AnyDice; here it is written: {written}{depth if 'explode' in text else ''}"
        )
    raise ExpressionError(
        "this is a program of AnyDice, and no expression says the same; expressions have no names, functions, loops or "
        "sequences, and such a roll is written as the rules of a game: dicelab new NAME writes a file to start from"
    )


def _without_names(program: str) -> str:
    r"""Return a program with the values of its names in their places, if each has one value.

    >>> _without_names("X: 3d6\nN: 4\noutput X + Nd8")
    'output (3d6) + 4d8'
    """
    values = dict(ASSIGNED.findall(program))
    if len(values) < len(ASSIGNED.findall(program)) or re.search(r"\b(function|loop|if)\b", program):
        return program
    program = ASSIGNED.sub("", program).strip()
    for _ in values:  # a value may have names of its own
        for name, value in values.items():
            if re.fullmatch(rf"\d+|{POOL}", value):
                program = re.sub(rf"(?<=[a-z]\s){name}(?=\])", value, program)
            whole = value if value.isdigit() else f"({value})"
            program = re.sub(rf'(?<![A-Z"]){name}(?![A-Z"])', whole, program)
    return program


def translated(output: str) -> str:
    """Return the expression that says the same as one ``output`` of AnyDice; empty if none is known.

    AnyDice compares totals where expressions count dice, so what is compared stands in parentheses.

    >>> translated("output 3d6 > 10"), translated("output [count {5,6} in 4d6]"), translated("output [mine 3]")
    ('(3d6) > 10', '4d6 >= 5', '')
    """
    match = OUTPUT.fullmatch(output)
    if not match:
        return ""
    text = match[1].strip()
    if "!" in text:  # not, and not equal
        return ""
    text = re.sub(rf"\[(highest|lowest)\s+(\d+)\s+of\s+{POOL}\]", r"\3 keep \1 \2", text)
    text = re.sub(r"\[(highest|lowest)\s+of\s+([^\[\]]+?)\s+and\s+([^\[\]]+?)\]", _extreme, text)
    text = re.sub(rf"\[middle\s+(\d+)\s+of\s+{POOL}\]", _middle, text)
    text = re.sub(rf"(\d+|\{{1\s*(?:,\s*\d+\s*)*(?:\.\.\s*\d+)?\}})\s*@\s*{POOL}", _place, text)
    text = re.sub(r"(\d*)d?\s*\[explode\s+(d\s*(?:\d+|%))\]", r"\1\2 exploding", text)
    text = re.sub(rf"\[count\s+(?:(\d+)|\{{([\d\s,.]+)\}})\s+in\s+{POOL}\]", _counted, text)
    if "-" not in text:  # AnyDice rounds towards 0
        text = text.replace("/", "//")
    compared = COMPARED.match(text)
    if compared:
        text = f"({text[: compared.start(2)].strip()}) {text[compared.start(2) :].strip()}"
    else:
        text = re.sub(r"^([^<>=]+?)\s*(?:>=|<=|>|<|=)\s*([^<>=]+)$", r"\1 vs \2", text)
    if not compared and re.search("[<>=]", text):
        return ""
    for sign, comparison in COUNTED.items():
        text = text.replace(sign, comparison)
    if text.startswith("(") and text.endswith(")") and text.count("(") == 1:
        text = text[1:-1]
    try:
        parse(text)
    except ExpressionError:
        return ""
    return text


def _extreme(match: re.Match[str]) -> str:
    return f"{'max' if match[1] == 'highest' else 'min'}({match[2]}, {match[3]})"


def _middle(match: re.Match[str]) -> str:
    """Return the same number of dice dropped at both ends; nothing where that can't be."""
    count = int(match[2].split("d")[0] or 1)
    dropped, odd = divmod(count - int(match[1]), 2)
    return match[0] if odd or dropped < 1 else f"{match[2]} drop highest {dropped} drop lowest {dropped}"


def _place(match: re.Match[str]) -> str:
    """Return the dice at places of a roll, which AnyDice counts from the highest."""
    place, pool = match[1].replace(" ", ""), match[2]
    if place.startswith("{"):
        places = _numbers(place[1:-1])
        return f"{pool} keep highest {len(places)}" if places == list(range(1, len(places) + 1)) else match[0]
    return f"{pool} keep highest {place}{'' if place == '1' else ' keep lowest 1'}"


def _numbers(sequence: str) -> list[int]:
    """Return the numbers of a sequence such as ``1..3, 6``; none if it says something else."""
    numbers: list[int] = []
    for part in re.split(r"\s*,\s*", sequence.strip()):
        ends = re.fullmatch(r"(\d{1,4})(?:\s*\.\.\s*(\d{1,4}))?", part)
        if not ends:
            return []
        numbers += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    return numbers


def _counted(match: re.Match[str]) -> str:
    """Return dice that are counted where they show some faces; nothing where a face is counted twice."""
    counted = _numbers(match[1] or match[2])
    pool = match[3].replace(" ", "")
    count, faces = re.split("d", pool)
    sides = 100 if faces == "%" else int(faces) if faces.isdigit() else 0
    inside = sorted({face for face in counted if 1 <= face <= sides})
    if not sides or len(set(counted)) < len(counted) or not 0 < len(inside) < sides:
        return match[0]
    if len(inside) == 1:
        return f"({pool} ≡ {inside[0]})"
    if inside == list(range(inside[0], sides + 1)):
        return f"({pool} ≥ {inside[0]})"
    if inside == list(range(1, len(inside) + 1)):
        return f"({pool} ≤ {len(inside)})"
    return f"{count}d{{0:{sides - len(inside)}{',1' * len(inside)}}}"
