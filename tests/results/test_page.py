"""Tables and lists on pages of several widths: what is left out, wrapped or split."""

from __future__ import annotations

import sys
from operator import itemgetter

import pytest

from dicelab.interface.cli.main import main
from dicelab.questions.betting.edges import edges
from dicelab.results.text.html import Web, in_html
from dicelab.results.text.page import Noted, Printing
from dicelab.results.text.table import Column, Table, plain

NAMES = [["pair", "chance"], ["one_roll - bank_over:50", "0.136650"]]


def test_words_of_the_first_column_stay_whole_where_the_table_can_be_split():
    rows = [[*row, third] for row, third in zip(NAMES, ["difference", "-0.7"], strict=True)]
    for width in range(32, 50):
        lines = Printing(width).table(rows)
        assert max(map(len, lines)) <= width
        assert any("bank_over:50" in line for line in lines), width


def test_a_table_without_columns_is_an_empty_line():
    assert Printing(40).table([[]]) == [""]


def test_further_columns_are_wrapped_before_a_table_is_split():
    titles, numbers = ["run", "game", "strategies", "games"], ["1", "2"]
    rows = [titles, *([n, "craps: until_rounds 20, falls yes", "line:odds=2", "100"] for n in numbers)]
    wrapped = Printing(40).table(rows, wrapped=["game"])
    assert [line.split()[0] for line in wrapped] == [
        "run",
        *("1", "until_rounds", "20,"),
        *("2", "until_rounds", "20,"),
    ]
    assert max(map(len, wrapped)) <= 40
    assert len([line for line in Printing(40).table(rows) if line.startswith("run")]) == 2
    assert Printing(80).table(rows, wrapped=["game"]) == Printing(80).table(rows)


def test_one_long_cell_of_a_list_does_not_push_its_texts_to_lines_of_their_own():
    rows = [["bar", "bar12, bar2, bar3", "the total that pushes"], ["fire", "pays_24_249_999, " * 3, "what it pays"]]
    assert Printing(60).listed(rows)[0] == "bar   bar12, bar2, bar3  the total that pushes"
    assert Printing(60).listed(rows)[-1].strip() == "what it pays"


def test_edges_at_80_columns_are_per_bet_and_per_roll():
    found = edges("craps", only=["place_6", "place_8"])
    for width, named in [(40, ["bet", "edge", "per throw"]), (80, ["bet", "win", "lose", "edge", "per throw", "sd"])]:
        titles = next(line for line in found.text(Printing(width)).splitlines() if line.startswith("bet "))
        assert all(title in titles for title in named), (width, titles)


def test_errors_are_wrapped_at_a_terminal_only(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "40")
    long = ["simulate", "no-such-game"]
    with pytest.raises(SystemExit):
        main(long)
    whole = capsys.readouterr().err
    assert whole.count("\n") == 1
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with pytest.raises(SystemExit):
        main(long)
    wrapped = capsys.readouterr().err
    assert max(map(len, wrapped.splitlines())) <= 40
    assert wrapped.split() == whole.split()


def test_a_row_may_be_several_rows_of_data_and_have_further_lines_on_a_page():
    pairs = Column("*", lambda page, row: " ".join(row[1]), "second", data=lambda row: [{"b": b} for b in row[1]])
    table = Table(
        [Column("a", plain, "first", itemgetter(0)), pairs], [("x", "yz")], under=lambda page, row: [("", "w")]
    )
    assert table.data() == [{"a": "x", "b": "y"}, {"a": "x", "b": "z"}]
    assert table.cells(Printing()) == [["first", "second"], ["x", "y z"], ["", "w"]]


def test_only_pages_of_the_lab_have_wide_columns_and_notes():
    noted = Column("p", lambda page, p: Noted.of(f"{p:.2f}", "1/3", p > 1))
    table = Table(
        [Column("a", plain), noted, Column("", lambda page, row: "more", "wide", wide=True)], [{"a": "x", "p": 1 / 3}]
    )
    assert table.lines(Printing()) == ["a     p", "x  0.33"]
    assert '<td class="n" title="1/3">0.33</td><td class="n">more</td>' in in_html(table.lines, Web())
    assert "title" not in in_html(table.lines)
