"""Rewrites ``match`` into ``if`` and ``elif``, because Numba supports only some patterns.

By itself because patterns are a language of their own.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from dicelab.translation.kinds import FACES, TEXT, Lst, Tup
from dicelab.translation.names import assigned, given_name, local_name, named_as
from dicelab.translation.stores import Stores

Subject = ast.expr | list[ast.expr]
"""The subject of a ``match``: an expression for a number, or those for the numbers of a tuple display."""


class Matches(Stores):
    """Rewrites ``match``."""

    matched: Lst | None = None
    """The kind of what the innermost ``match`` looks at, where that is a list."""
    subject: object = None
    """The kind of what the innermost ``match`` looks at, where that is one value."""

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        kind, self.subject = self.kinds.of(node.subject), None
        if isinstance(kind, Tup) and not isinstance(node.subject, ast.Tuple):
            whole = self.temporary()
            each = [ast.Subscript(named_as(whole), ast.Constant(i), ast.Load()) for i in range(len(kind.items))]
            return [assigned(whole, self.visit(node.subject)), *self.cases(node.cases, list[ast.expr](each))]
        if isinstance(kind, Lst) and kind.form in ("list", "tuple") and self.row(node.subject) is None:
            self.list_kind(node.subject)
            whole, before = self.temporary(), list[ast.stmt]()
            self.matched = kind
            before.append(assigned(whole, self.list_at(node.subject)))
            return [*before, *self.cases(node.cases, named_as(whole))]
        self.matched = None
        seen = kind == FACES and isinstance(self.kinds.faces_seen(), int)
        if isinstance(node.subject, ast.Tuple) or seen:
            subject: Any = node.subject
            numbers = self.numbers_of(subject) if seen else [self.visit(part) for part in subject.elts]
            parts = [self.temporary() for _ in numbers]
            each_part = [assigned(part, number) for part, number in zip(parts, numbers, strict=True)]
            return [*each_part, *self.cases(node.cases, [named_as(part) for part in parts])]
        number = self.temporary()
        self.subject = kind
        found = self.visit(node.subject) if kind == TEXT else self.operand(node.subject)
        return [assigned(number, found), *self.cases(node.cases, named_as(number))]

    def cases(self, cases: Sequence[ast.match_case], subject: Subject) -> list[ast.stmt]:
        """Return the first case as an ``if``, with the other cases as its ``else``."""
        if not cases:
            return []
        case, captured = cases[0], list[ast.stmt]()
        tests = self.pattern(case.pattern, subject, captured)
        test = _all(tests)
        found = [ast.If(test, list(captured), [])] if tests and captured and case.guard else list(captured)
        if case.guard is not None:  # the guard can use captured names, which keep their values even if it is false
            guard = self.test(case.guard)
            whole = ast.BoolOp(ast.And(), [test, guard]) if tests else guard
            rest = self.cases(cases[1:], subject)
            return [*found, ast.If(whole, self.block(case.body) or [ast.Pass()], rest)]
        if not tests:
            return [*captured, *self.block(case.body)]
        return [ast.If(test, [*captured, *self.block(case.body)], self.cases(cases[1:], subject))]

    def pattern(self, pattern: ast.pattern, subject: Subject, captured: list[ast.stmt]) -> list[ast.expr]:
        """Return the tests that are true if a pattern matches; assignments to the names it captures
        go to `captured`.
        """
        match pattern:
            case ast.MatchValue() if isinstance(subject, ast.expr):
                if (self.subject == TEXT) != (self.kinds.of(pattern.value) == TEXT):
                    raise self.refuse(pattern, "a text among numbers, or a number among texts; they are never equal")
                return [ast.Compare(subject, [ast.Eq()], [self.visit(pattern.value)])]
            case ast.MatchOr():
                inside: list[ast.stmt] = []
                each = [self.pattern(part, subject, inside) for part in pattern.patterns]
                if inside:
                    raise self.refuse(pattern, "a pattern that captures within |; write a case for each")
                return [ast.BoolOp(ast.Or(), [_all(tests) for tests in each])] if all(each) else []
            case ast.MatchAs():
                tests = self.pattern(pattern.pattern, subject, captured) if pattern.pattern is not None else []
                if pattern.name is not None:
                    whole = subject if isinstance(subject, ast.expr) else ast.Tuple(list(subject), ast.Load())
                    captured += self.capture(pattern.name, whole)
                return tests
            case ast.MatchSequence() if isinstance(subject, ast.Name) and self.matched is not None:
                return self.list_pattern(pattern, subject, self.matched, captured)
            case ast.MatchSequence() if isinstance(subject, list):
                return self.tuple_pattern(pattern, subject, captured)
            case ast.MatchSingleton():
                raise self.refuse(pattern, f"case {pattern.value}; compare with ==")
        raise self.refuse(pattern, "a pattern other than numbers, names, | and tuples as long as what is matched")

    def tuple_pattern(
        self, pattern: ast.MatchSequence, subject: list[ast.expr], captured: list[ast.stmt]
    ) -> list[ast.expr]:
        """Return the tests for ``case (a, b, *_)`` of numbers."""
        stars, parts = self.stars(pattern), pattern.patterns
        after = len(parts) - stars[0] - 1 if stars else 0
        if len(subject) < len(parts) - len(stars) or (not stars and len(subject) > len(parts)):
            return [ast.Constant(False)]
        pairs = [*zip(parts[: len(parts) - after - len(stars)], subject, strict=False)]
        pairs += zip(parts[len(parts) - after :], subject[len(subject) - after :], strict=True)
        return [test for part, number in pairs for test in self.pattern(part, number, captured)]

    def stars(self, pattern: ast.MatchSequence) -> list[int]:
        """Return where a pattern has ``*_``."""
        found = [i for i, part in enumerate(pattern.patterns) if isinstance(part, ast.MatchStar)]
        for i in found:
            if getattr(pattern.patterns[i], "name", None) is not None:
                raise self.refuse(
                    pattern,
                    "a name for the rest of a list in a pattern; write *_, and a slice in the case: rest = numbers[1:]",
                )
        return found

    def list_pattern(
        self, pattern: ast.MatchSequence, subject: ast.Name, kind: Lst, captured: list[ast.stmt]
    ) -> list[ast.expr]:
        """Return the tests for ``case [a, b, *rest]`` of a list."""
        stars = self.stars(pattern)
        table = self.is_table(kind)
        zero = ast.Tuple([ast.Constant(0)] * 2, ast.Load()) if table else ast.Constant(0)
        size: ast.expr = ast.Subscript(subject, zero, ast.Load())
        least = len(pattern.patterns) - len(stars)
        tests: list[ast.expr] = [ast.Compare(size, [ast.GtE() if stars else ast.Eq()], [ast.Constant(least)])]
        self.matched = None
        for i, part in enumerate(pattern.patterns):
            place: ast.expr = ast.Constant(i + 1)
            if isinstance(part, ast.MatchStar):
                continue
            if stars and i > stars[0]:
                place = ast.BinOp(size, ast.Sub(), ast.Constant(len(pattern.patterns) - i - 1))
            item = self.read(subject, place, kind.item) if table else ast.Subscript(subject, place, ast.Load())
            if isinstance(kind.item, Tup):
                each: Subject = [ast.Subscript(item, ast.Constant(j), ast.Load()) for j in range(len(kind.item.items))]
                tests += self.pattern(part, each, captured)
            else:
                tests += self.pattern(part, item, captured)
        self.matched = kind
        return tests

    def capture(self, name: str, value: ast.expr) -> list[ast.stmt]:
        """Return the assignment of a value to a name that a pattern captures."""
        if name in self.rows or name in self.sorted:
            raise self.refuse(value, f"{name} for a row, or sorted numbers, and for something else; use two names")
        return [assigned(local_name(name), value), *self.mark([name])]

    def mark(self, names: Sequence[str]) -> list[ast.stmt]:
        """Return the statements that record that these variables have a value, for those that may be read before."""
        return [assigned(given_name(name), ast.Constant(1)) for name in names if name in self.unset]


def _all(tests: list[ast.expr]) -> ast.expr:
    """Return one test that is true if all are true."""
    if len(tests) == 1:
        return tests[0]
    return ast.BoolOp(ast.And(), list(tests)) if tests else ast.Constant(True)
