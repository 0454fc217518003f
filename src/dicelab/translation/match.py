"""``match``, which becomes ``if`` and ``elif``: Numba knows only some of its patterns."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from dicelab.translation.names import assigned, given_name, local_name, named_as
from dicelab.translation.stores import Stores

Subject = ast.expr | list[ast.expr]
"""What is matched: a number, or the numbers of a tuple that is written out."""


class Matches(Stores):
    """Rewrites ``match``."""

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        if isinstance(node.subject, ast.Tuple):
            parts = [self.temporary() for _ in node.subject.elts]
            found = [assigned(part, self.visit(n)) for part, n in zip(parts, node.subject.elts, strict=True)]
            return [*found, *self.cases(node.cases, [named_as(part) for part in parts])]
        number = self.temporary()
        return [assigned(number, self.operand(node.subject)), *self.cases(node.cases, named_as(number))]

    def cases(self, cases: Sequence[ast.match_case], subject: Subject) -> list[ast.stmt]:
        """The first case, with what follows it as its ``else``."""
        if not cases:
            return []
        case, captured = cases[0], list[ast.stmt]()
        tests = self.pattern(case.pattern, subject, captured)
        test = _all(tests)
        found = [ast.If(test, list(captured), [])] if tests and captured and case.guard else list(captured)
        if case.guard is not None:  # what is captured is seen by the guard, and kept if it says no
            guard = self.test(case.guard)
            whole = ast.BoolOp(ast.And(), [test, guard]) if tests else guard
            rest = self.cases(cases[1:], subject)
            return [*found, ast.If(whole, self.block(case.body) or [ast.Pass()], rest)]
        if not tests:
            return [*captured, *self.block(case.body)]
        return [ast.If(test, [*captured, *self.block(case.body)], self.cases(cases[1:], subject))]

    def pattern(self, pattern: ast.pattern, subject: Subject, captured: list[ast.stmt]) -> list[ast.expr]:
        """What must be true for a pattern to fit; what it captures is added to `captured`."""
        match pattern:
            case ast.MatchValue() if isinstance(subject, ast.expr):
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
            case ast.MatchSequence() if isinstance(subject, list) and len(subject) == len(pattern.patterns):
                parts = zip(pattern.patterns, subject, strict=True)
                return [test for part, number in parts for test in self.pattern(part, number, captured)]
            case ast.MatchSingleton():
                raise self.refuse(pattern, f"case {pattern.value}; compare with ==")
        raise self.refuse(pattern, "a pattern other than numbers, names, | and tuples as long as what is matched")

    def capture(self, name: str, value: ast.expr) -> list[ast.stmt]:
        """Give a variable of a pattern its value."""
        if name in self.rows or name in self.sorted:
            raise self.refuse(value, f"{name} for a row, or sorted numbers, and for something else; use two names")
        return [assigned(local_name(name), value), *self.mark([name])]

    def mark(self, names: Sequence[str]) -> list[ast.stmt]:
        """Note that variables have a value now, of those for which that is not sure."""
        return [assigned(given_name(name), ast.Constant(1)) for name in names if name in self.unset]


def _all(tests: list[ast.expr]) -> ast.expr:
    """Are all tests true?"""
    if len(tests) == 1:
        return tests[0]
    return ast.BoolOp(ast.And(), list(tests)) if tests else ast.Constant(True)
