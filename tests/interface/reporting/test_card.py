"""Cards: a policy as a table to print, for a spreadsheet, and as a plain function that agrees on every state."""

from __future__ import annotations

import csv
import doctest
import re
import subprocess
import sys

import pytest

import dicelab
from dicelab.errors import InputError, ParameterError
from dicelab.games.tossup import TossUp
from dicelab.interface.reporting.card import text_of
from dicelab.interface.reporting.pocket import pocket_page
from support import GAMES

POLICIES = {
    "tossup": lambda: dicelab.solve(TossUp(target=12, dice=3)).policy,
    "tossup with a last turn": lambda: dicelab.solve(TossUp(target=6, dice=2, last_turn=True)).policy,
    "pig for three": lambda: dicelab.solve(GAMES["pig"](target=10, players=3)).policy,
    "shut the box, moves of several kinds": lambda: dicelab.solve(GAMES["shut-the-box-alone"], objective="shut").policy,
    "dice are kept": lambda: dicelab.solve(GAMES["ship-captain-crew"], objective="most:cargo").policy,
}


def arguments(state):
    """The numbers of a state as the arguments of a function: rows are lists."""
    found = {}
    for name, value in state.items():
        row = re.fullmatch(r"(\w+)\[\d+\]", name)
        if row:
            found.setdefault(row[1], []).append(value)
        else:
            found[name] = value
    return found


@pytest.mark.quick_cases("dice are kept")
@pytest.mark.parametrize("name", POLICIES)
def test_the_function_and_the_table_make_the_move_of_the_policy_in_every_state(name):
    policy = POLICIES[name]()
    made = dicelab.card(policy)
    program: dict[str, object] = {"__name__": "card"}
    exec(compile(made.python, "card.py", "exec"), program)
    wanted = program["best_move"].__kwdefaults__, program["best_move"].__code__.co_varnames
    names = wanted[1][: program["best_move"].__code__.co_kwonlyargcount]
    rows = list(csv.DictReader(made.csv.splitlines()))
    fields = [key.removesuffix(" from") for key in rows[0] if key.endswith(" from")]
    best = policy.moves_in_words()
    assert made.states == len(policy)
    for number, move in enumerate(best):
        state = policy.state(number)
        given = {key: value for key, value in arguments(state).items() if key in names}
        assert program["best_move"](**given) == move, state
        if number % 7 == 0:
            fits = [
                row["move"]
                for row in rows
                if all(int(row[f"{f} from"]) <= state[f] <= int(row[f"{f} to"]) for f in fields)
            ]
            assert fits == [move], state


def test_the_function_refuses_states_that_the_policy_has_no_line_for():
    """Below the first and above the last points, and with scores that don't occur."""
    program: dict[str, object] = {"__name__": "card"}
    exec(compile(dicelab.card(POLICIES["tossup"](), player=0).python, "card.py", "exec"), program)
    move = program["best_move"]
    assert move(points=3, scores=[0, 0]) == "roll"
    for points, scores in ((-1, [0, 0]), (99, [0, 0]), (3, [99, 0]), (3, [0, 99])):
        with pytest.raises(KeyError):
            move(points=points, scores=scores)


def test_the_program_explains_itself_and_its_example_runs():
    made = dicelab.card(POLICIES["tossup"](), player=0)
    program: dict[str, object] = {"__name__": "card"}
    exec(compile(made.python, "card.py", "exec"), program)
    finder = doctest.DocTestFinder()
    (test,) = finder.find(program["best_move"], globs=program)
    assert doctest.DocTestRunner().run(test) == (0, 1)
    assert "player is 0" in made.python
    assert all(len(line) <= 100 for line in made.python.splitlines() if not line.startswith(" "))


def test_a_card_to_print_has_every_line_once(tmp_path):
    pytest.importorskip("matplotlib")
    made = dicelab.card(POLICIES["tossup"](), player=0)
    assert sum(text.startswith("  ") for text in text_of(made.lines, made.edge)) == len(made.lines)
    for name in ("one.pdf", "two.pdf"):
        made.save(tmp_path / name)
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()
    assert (tmp_path / "one.pdf").read_bytes().startswith(b"%PDF")


def test_a_card_for_the_pocket_is_one_page_that_shows_where_the_move_changes(tmp_path):
    """Longer tables follow it where states were chosen."""
    pytest.importorskip("matplotlib")
    policy = POLICIES["tossup"]()
    made, chosen = dicelab.card(policy), dicelab.card(policy, player=0)
    made.save(tmp_path / "pocket.pdf")
    chosen.save(tmp_path / "long.pdf")
    assert (tmp_path / "pocket.pdf").read_bytes().count(b"/Type /Page ") == 1
    assert (tmp_path / "long.pdf").read_bytes().count(b"/Type /Page ") > 1
    view, chart = made.pocket
    texts = [text.get_text() for text in pocket_page(made.title, view, chart).axes[0].texts]
    first = next(t for t in chart.thresholds if len(t.steps) == 2)
    assert any(f"bank {first.steps[1][0]}" in text for text in texts)
    assert min(text.get_size() for text in pocket_page(made.title, view, chart).axes[0].texts) >= 8


def test_cards_that_can_not_be_made(tmp_path, limits):
    policy = POLICIES["tossup"]()
    with pytest.raises(ParameterError, match="no choice in a state"):
        dicelab.card(policy, player=9)
    with pytest.raises(ParameterError, match=r"card\.txt: a card is a \.pdf, \.csv or \.py file"):
        dicelab.card(policy).save(tmp_path / "card.txt")
    with pytest.raises(InputError, match="can't be written"):
        dicelab.card(policy).save(tmp_path / "nowhere" / "card.csv")
    limits(card_pages=0)
    with pytest.raises(ParameterError, match="pages, and 0 is the limit; choose some states with --at"):
        dicelab.card(policy, player=0).save(tmp_path / "card.pdf")
    limits(card_states=10)
    with pytest.raises(ParameterError, match="at most 10 states, and these are"):
        dicelab.card(policy)


@pytest.mark.slow
def test_the_command(tmp_path):
    def command(*words):
        done = subprocess.run(
            [sys.executable, "-m", "dicelab", *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout, done.stderr

    policy = POLICIES["tossup"]()
    policy.save(tmp_path / "best.npz")
    said = command("policy", "tossup", "best.npz", "--at", "player=0", "--card", "card.py")
    made = dicelab.card(policy, player=0)
    assert said == (0, "", f"written: card.py; {made.states:,} states in {len(made.lines)} lines, by {made.edge}\n")
    assert (tmp_path / "card.py").read_text() == made.python
    status, _, message = command("policy", "tossup", "best.npz", "--card", "card.txt")
    assert (status, message) == (2, "dicelab: card.txt: a card is a .pdf, .csv or .py file\n")
    status, _, message = command("policy", "tossup", "best.npz", "--card", "card.py", "--rule")
    assert (status, message) == (2, "dicelab: --card writes a file of its own; leave out --rule\n")
