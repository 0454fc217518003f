"""Arithmetic with parameters is Python's arithmetic with their values, and reads as such."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dicelab.rules import Game, Param
from dicelab.rules.params import Expr, value_of


class Sample(Game):
    """Two parameters."""

    a = Param(1, -100, 100, "one")
    b = Param(1, -100, 100, "another")


numbers = st.integers(-9, 9).map(lambda n: f"({n})")


def combined(parts):
    return st.one_of(
        st.tuples(parts, st.sampled_from("+-*"), parts).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(st.sampled_from("ab"), st.just("//"), parts).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(parts, st.just("+ a) //"), numbers).map(lambda p: f"(({p[0]} {p[1]} {p[2]})"),
    )


formulas = st.recursive(st.sampled_from(["a", "b"]) | numbers, combined, max_leaves=8)
values = st.fixed_dictionaries({"a": st.integers(-100, 100), "b": st.integers(-100, 100)})


@pytest.mark.slow
@settings(max_examples=300)
@given(formulas, values)
def test_formulas_have_the_value_that_python_gives_them(formula, values):
    try:
        expected = eval(formula, {}, values)
    except ZeroDivisionError:
        assume(False)
    expression = eval(formula, {"a": Sample.a, "b": Sample.b})
    assert isinstance(expression, Expr) == ("a" in formula or "b" in formula)
    assert value_of(expression, Sample(**values)) == expected
    assert eval(str(expression), {}, values) == expected
