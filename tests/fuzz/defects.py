"""Defects that dicelab once had, each put back by a patch: the fuzzer must find every one of them.

``make fuzz-defects`` runs the fuzzer with each and says which check failed, and after how many games.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable
from importlib import import_module
from typing import Any

DEFECTS: dict[str, Callable[[], None]] = {}


def defect(name: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Declare what puts a defect back."""

    def declare(patch: Callable[[], None]) -> Callable[[], None]:
        DEFECTS[name] = patch
        return patch

    return declare


def put_back(name: str) -> None:
    """Have this process run with a defect."""
    DEFECTS[name]()


def _module(name: str) -> Any:
    return import_module(f"dicelab.{name}")


def _without(template: str, text: str, instead: str) -> None:
    """A template of a kernel in which something is missing."""
    slots = _module("compile.kernels.templates.slots")
    whole = slots._text_of(template)
    if text not in whole:
        raise LookupError(f"{template} has no {text!r}: the defect can't be put back as it was")
    others = slots._text_of
    slots._text_of = lambda name: whole.replace(text, instead) if name == template else others(name)


def _changed(module: str, owner: str, name: str, text: str, instead: str) -> None:
    """Another text of a function of a module, or of a method of a class in it."""
    home = _module(module)
    holder = getattr(home, owner) if owner else home
    whole = textwrap.dedent(inspect.getsource(vars(holder)[name]))
    if text not in whole:
        raise LookupError(f"{name} has no {text!r}: the defect can't be put back as it was")
    made, old = dict[str, Any](), vars(holder)[name]
    exec(compile(whole.replace(text, instead), name, "exec"), getattr(old, "__globals__", vars(home)), made)
    for other in [holder] if owner else [one for one in sys.modules.values() if vars(one).get(name) is old]:
        setattr(other, name, made[name])


def _everywhere(name: str, new: Any) -> None:
    """Another function in every module that knows one by this name."""
    _module("compile.kernels.writers.simulate")  # imports all of the translation
    for module in [one for key, one in sys.modules.items() if key.startswith("dicelab.") and name in vars(one)]:
        setattr(module, name, new)


def _unchecked(*sentences: str) -> None:
    """The contract without the checks that say these sentences."""
    contract = _module("translation.contract")
    explained = contract._files_checked

    def lenient(*given: Any) -> Any:
        try:
            return explained(*given)
        except _module("errors").RulesError as error:
            if any(sentence in str(error) for sentence in sentences):
                return set()
            raise

    contract._files_checked = lenient


# Tallies that are counted in outcome ----------------------------------------------------------------------------------


@defect("what outcome counts is lost by the memo engine")
def _memo_outcome() -> None:
    both = "        slot.store_since\n        slot.not_turned\n"
    _without("memo", both, "        slot.not_turned\n")


@defect("what outcome counts is lost by the compiled enumeration")
def _compiled_outcome() -> None:
    both = "        slot.store_since\n        slot.not_turned\n"
    _without("enumerate", both, "        slot.not_turned\n")


@defect("what outcome counts is lost by exact, edges and solve")
def _exact_outcome() -> None:
    numbering = _module("runtime.states.explorer")
    outcome_of = numbering.outcome_of

    def lost(game: Any) -> int:
        before = {name: vars(game)[name] for name in game.declared.tallies}
        outcome: int = outcome_of(game)
        vars(game).update(before)
        return outcome

    numbering.outcome_of = lost


# The contract ---------------------------------------------------------------------------------------------------------

for what, said in {
    "next that changes state": ("in next: next changes",),
    "legal or sensible that changes state": ("legal=) changes", "sensible=) changes"),
    "legal, sensible or next that counts": ("legal=) counts", "sensible=) counts", "next: next counts"),
    "outcome that changes state": ("outcome changes",),
    "a strategy that changes the game": ("a strategy reads the game",),
    "a list of the file": ("is a list, which may change",),
    "global": ("global ",),
    "nonlocal": ("nonlocal ",),
    "a mutable default": ("a default argument is a list",),
    "self.__dict__": ("__dict__ reaches around",),
    "object.__setattr__": ("__setattr__",),
    "random and clocks": ("gives something else each time",),
    "super of a roll": ("super().spare",),
    "a forgotten @chosen": ("has no @chosen",),
}.items():
    DEFECTS[f"not refused: {what}"] = lambda said=said: _unchecked(*said)


@defect("a method named like a parameter is a traceback")
def _like_a_parameter() -> None:
    _module("rules.game").must_have_parameters = lambda *_: None
    _unchecked("a second time")


@defect("weights of a die that are fields are a traceback")
def _weights() -> None:
    dice = _module("rules.dice")

    def made(self: Any, **weights: Any) -> None:
        self.faces = tuple(dice.Face(label, i, weight) for i, (label, weight) in enumerate(weights.items()))

    dice.Die.__init__ = made
    _module("rules.game").must_have_parameters = lambda *_: None


@defect("a tuple of dice is a traceback")
def _tuple_of_dice() -> None:
    steps = _module("rules.actions")
    made = steps.Throw

    def thrown(most: Any, die: Any, view: Any = steps.SUM) -> Any:
        return lambda rule: made(most, die, view, rule)

    steps.thrown = _module("rules").thrown = thrown


# The translator -------------------------------------------------------------------------------------------------------


@defect("a copy of a row is a view of it when compiled")
def _view() -> None:
    import ast

    rows = _module("translation.rewrite.arithmetic").Arithmetic
    visit = rows.visit_Subscript

    def visit_Subscript(self: Any, node: ast.Subscript) -> ast.expr:
        row = self.row(node.value)
        if isinstance(node.slice, ast.Slice) and row is not None:
            return ast.Subscript(row[1], ast.Slice(), ast.Load())
        found: ast.expr = visit(self, node)
        return found

    rows.visit_Subscript = visit_Subscript


@defect("a decorator of an imported module is dropped by the translator")
def _decorator() -> None:
    translation = _module("translation.translator").Translation
    translate = translation.translate

    def unwrapped(self: Any, rule: Any, *given: Any, **more: Any) -> str:
        name: str = translate(self, rule._replace(function=inspect.unwrap(rule.function)), *given, **more)
        return name

    translation.translate = unwrapped


@defect("memories of a and a_b share an array")
def _memories() -> None:
    _everywhere("memory_name", lambda strategy, field: f"_m_{strategy.name}_{field}")


@defect("names such as FULL_HOUSE break the memo engine")
def _full_house() -> None:
    memo = _module("engines.tables.memo")
    write = memo.write

    def replaced(*given: Any) -> tuple[str, dict[str, str]]:
        text, places = write(*given)
        for name, code in (("FULL_", "2_"), ("DONE_", "0_"), ("WRONG_", "1_")):
            text = text.replace(name, code)
        return text, places

    memo.write = replaced


@defect("a default argument that is a constant of the file is a traceback")
def _default() -> None:
    translation = _module("translation.translator").Translation
    translate = translation.translate

    def literal(self: Any, rule: Any, *given: Any, **more: Any) -> str:
        import ast

        tree = _module("rules.loading.source").tree_of(rule.function)
        for default in tree.args.defaults:
            ast.literal_eval(default)  # the values of names were not looked up
        name: str = translate(self, rule, *given, **more)
        return name

    translation.translate = literal


@defect("faces[-1] is a traceback")
def _last_face() -> None:
    import ast

    rows = _module("translation.rewrite.arithmetic").Arithmetic
    index = rows.index

    def counted(self: Any, row: Any, base: Any, wanted: ast.expr) -> Any:
        if row is not None and ast.unparse(wanted).startswith("-"):
            raise IndexError(ast.unparse(wanted))
        return index(self, row, base, wanted)

    rows.index = counted


# Natural Python -------------------------------------------------------------------------------------------------------

STORES = ("translation.rewrite.list_methods", "")
LISTS, TABLES = ("compile.kernels.list_numbers", ""), ("compile.kernels.list_tables", "")
GATHERING = ("translation.lower.gathering", "Gathering")
TRANSLATION, LOOPS = ("translation.written", "Written"), ("translation.rewrite.sequences", "")
REWRITER = ("translation.rewrite.rewriter", "Rewriter")
LOWERING = ("translation.lower.function_lowering", "Lowering")
for what, (where, function, text, instead) in {
    "sorted with a key isn't stable": (GATHERING, "gather_sorted", "else '>'", "else '>='"),
    "sorted with reverse=True turns equal values around": (GATHERING, "gather_sorted", "'<' if", "'<=' if"),
    "max with a key takes the last of equal values": (GATHERING, "gather_max", "{rank} {better}", "{rank} {better}="),
    "default= of max and min is ignored": (GATHERING, "gather_max", "return NONE", "return 0"),
    "any of nothing is true": (GATHERING, "gather_any", "return {not wanted}", "return {True}"),
    "the start of sum is ignored": (GATHERING, "gather_sum", "START\\n", "0\\n"),
    "next takes its default though a value comes first": (GATHERING, "gather_next", "BODY\\n", ""),
    "reduce ignores its first value": (GATHERING, "gather_reduce", "{total} = START", "{total} = 0"),
    "the default of .get() is ignored": (TRANSLATION, "getting", "else default", "else 0"),
    "the step of a slice is ignored": (REWRITER, "slice_of", "None if step is None else r.visit(step)", "None"),
    "a set holds a value twice": (LISTS, "add", "find(numbers, value) == 0", "True"),
    "discard takes the first value": (LISTS, "discard", "place - 1", "0"),
    "insert at -1 appends": (LISTS, "insert", "index + old if", "index + old + 1 if"),
    "pop takes the last, whatever its index": (LISTS, "pop", "position(game, index, size)", "position(game, -1, size)"),
    "^ of sets has what both have": (LISTS, "in_one", "if not found", "if True"),
    "accumulate ignores its first value": (GATHERING, "gather_accumulate", "START\\n", "0\\n"),
    "most_common takes the last of equal counts": (TABLES, "most_common", "width] < rows", "width] <= rows"),
    "a slice is not copied where its loop changes the row": (LOOPS, "must_not_interfere", "if slices:", "if False:"),
    "defaults of inner functions are those of the call": (LOWERING, "defaults_of", "if any(", "if not any("),
    "not refused: a set enlarged under another name": (STORES, "assign_list", " | augmented_in(r.kinds.tree)", ""),
    "not refused: a list changed in a list written out": (STORES, "assign_list", 'getattr(value, "elts", ())', "()"),
    "not refused: a list changed inside another": (STORES, "must_not_share", "= root(", "= set() and root("),
}.items():  # fmt: skip
    DEFECTS[what] = lambda given=(*where, function, text, instead): _changed(*given)


# Numbers --------------------------------------------------------------------------------------------------------------


@defect("sums and products wrap around at 64 bits")
def _wrap() -> None:
    rules = _module("compile.kernels.rule_support")
    for name in ("_added", "_subtracted", "_multiplied"):
        noticed = getattr(rules, name)
        setattr(rules, name, lambda x, y, noticed=noticed: (noticed(x, y)[0], False))


@defect("x >> n takes n modulo 64")
def _shift() -> None:
    import numpy as np

    _module("compile.kernels.rule_support").shifted_right = lambda game, x, n: np.int64(x) >> (np.int64(n) & 63)


@defect("constants of 2^63 are compiled")
def _constants() -> None:
    import ast

    names = _module("translation.rewrite.names").Names
    names.number = lambda self, value, node, name: ast.parse(repr(value), mode="eval").body


@defect("a yes or no calculates as Numba's do")
def _yes_no() -> None:
    _everywhere("as_number", lambda test: test)


@defect("values outside their ranges are not noticed when compiled")
def _ranges() -> None:
    import numpy as np

    rules, hashing = _module("compile.kernels.rule_support"), _module("compile.kernels.hashtable")
    for name in ("within", "between", "at_most", "at_least"):
        setattr(rules, name, lambda game, value, *bounds: np.int64(value))
    pack, pack_turned = hashing.pack, hashing.pack_turned

    def within(numbers: Any, low: Any, span: Any) -> Any:
        return np.clip(numbers[: low.size], low, low + span.astype(np.int64))

    hashing.pack = lambda numbers, low, span, *others: pack(within(numbers, low, span), low, span, *others)
    hashing.pack_turned = lambda numbers, source, by, low, span, *others: pack_turned(
        within(numbers, low, span), source, by, low, span, *others
    )


@defect("values outside their ranges are not noticed by exact and solve")
def _ranges_of_states() -> None:
    import numpy as np

    fields, walk = _module("rules.fields"), _module("solver.enumeration.enumerate_python")
    checked = fields.checked

    def lenient(field: Any, value: Any, old: Any, bounds: Any, *more: Any) -> Any:
        if sys._getframe(1).f_code.co_name == "store" and np.ndim(value) == 0 and not hasattr(value, "stored"):
            low, high = bounds
            return bool(value) if isinstance(field, fields.Flag) else min(max(int(value), low), high)
        return checked(field, value, old, bounds, *more)

    _module("rules.fields.rows").checked = lenient
    walk.Walk.admit = lambda self, numbers: None


@defect("a choice where a throw was expected is an assertion that fails")
def _choice_among_counters() -> None:
    counters = _module("runtime.states.counters")

    def throw_at(self: Any, numbers: Any) -> Any:
        kind, dice = self.arrive(numbers)
        assert isinstance(kind, counters.Throw)
        return kind, dice

    counters.CounterExplorer.throw_at = throw_at


@defect("outcomes are merged by the rule of one kind of roll, though another rolls the same dice")
def _merged() -> None:
    rolls = _module("solver.enumeration.enumerate_python")
    different = rolls.different_outcomes
    rolls.different_outcomes = lambda game, kind, dice, *others: different(game, (kind, *others)[-1], dice)
