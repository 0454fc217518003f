"""Names of values: whatever they are, they are read back as they are written, everywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicelab.errors import ParameterError
from dicelab.questions.sweeps.points import Swept, parse_range
from dicelab.rules import D6, Choice, Game, strategy, thrown
from dicelab.rules.game import shown
from dicelab.rules.params import NAME, whole_number
from dicelab.runtime.strategies import parse_call

words = st.text("ab2e_+-", min_size=1, max_size=5)
names = st.lists(words.filter(NAME.fullmatch), min_size=1, unique=True)


def game_of(names, default=None):
    game = type("Named", (Game,), {"which": Choice(tuple(names), "which", default=default), "die": thrown(1, D6)(len)})
    strategy(game, which=Choice(tuple(names), "which"))(lambda game, which: which)
    return game


@pytest.mark.slow
@given(names, st.data())
def test_a_name_is_read_back_as_it_is_written(names, data):
    name = data.draw(st.sampled_from(names))
    game, place = game_of(names, name), names.index(name)
    assert game.which.accept(name) == game.which.accept(place) == game.which.accept(str(place)) == place
    assert game.which.default == place
    assert (game.which.word(place), game.which.show(place)) == (name, name)
    for value in (name, place):
        one = game(which=value)
        assert (one.which, one.parameters, shown(one)) == (place, {"which": place}, {"which": name})


@pytest.mark.slow
@given(names)
def test_a_sweep_reads_names(names):
    game = game_of(names)
    assert parse_range(f"which={','.join(names)}") == ("which", names)
    assert Swept.of(game, "which", names).values == tuple(range(len(names)))


@pytest.mark.slow
@given(names, st.data())
def test_a_strategy_reads_a_name(names, data):
    name = data.draw(st.sampled_from(names))
    call = parse_call(game_of(names), f"<lambda>:{name}")
    assert call.args == (names.index(name),)
    assert parse_call(game_of(names), str(call)).args == call.args


@pytest.mark.slow
@given(names, words)
def test_what_is_no_name_and_no_place_is_refused(names, word):
    place = whole_number(word)
    if word in names or (place is not None and 0 <= place < len(names)):
        return
    with pytest.raises(ParameterError, match="which: "):
        game_of(names)(which=word)


@given(words)
def test_a_name_is_refused_when_it_could_be_taken_for_something_else(word):
    lawful = word[0] not in "+-" and any(c in "abe_" for c in word)
    if lawful:
        assert Choice((word,), "help").names == (word,)
    else:
        with pytest.raises(ParameterError, match="is not allowed"):
            Choice((word,), "help")
