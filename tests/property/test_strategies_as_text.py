"""A strategy is shown as what can be typed: its text, parsed again, is the same call."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dicelab.rules.game import Call
from dicelab.rules.params import Param
from dicelab.runtime.strategies import parse_call
from support import GAMES

CALLS = [(game, name) for game in GAMES.values() for name in game.declared.strategies]


def _value(param: Param) -> st.SearchStrategy[int]:
    return st.one_of(st.just(param.default), st.integers(param.low, param.high))


@given(st.data())
def test_the_text_of_a_strategy_is_the_strategy(data: st.DataObject) -> None:
    game, name = data.draw(st.sampled_from(CALLS))
    declared = game.declared.strategies[name]
    call = Call(declared, tuple(data.draw(_value(param)) for param in declared.params.values()))
    text = str(call)
    assert parse_call(game, text) == call
    differing = [v for v, param in zip(call.args, declared.params.values(), strict=True) if v != param.default]
    shown = 1 if len(call.args) == 1 else len(differing)
    assert text.count(":") == shown, "of several arguments those that differ from the defaults"
    by_name = {name: param.accept(call.arguments[name]) for name, param in declared.params.items()}
    assert tuple(by_name.values()) == call.args, "the arguments by name are all of them"


def test_one_argument_stands_alone_and_several_are_named() -> None:
    assert str(parse_call(GAMES["tossup"], "bank_over")) == "bank_over:20"
    texts = {"bank_over:20": "tossup", "bank_over:50": "tossup", "line:odds=2:system=martingale": "craps"}
    for text, game in texts.items():
        assert str(parse_call(GAMES[game], text)) == text
