"""Dice and numbers as text: what is drawn says what was thrown, in the width there is."""

from __future__ import annotations

import re
from itertools import product

import pytest

from dicelab.interface.play.asking.table_commands import menu_lines, spoken
from dicelab.interface.play.screen.shown_game import PIPS, dice_lines, throw_words
from dicelab.interface.play.screen.text import encodable, flow, legend, value_words
from dicelab.rules import COUNTS, D6, FACES, SUM, Die, Flag, Game, Int, Ints, Param, d
from dicelab.rules.actions import Throw
from dicelab.rules.wording import turn_field
from support import GAMES

TOSS = Die(red=1, yellow=2, green=3)


def kind(most, die, view):
    return Throw(most, die, view, lambda game: None)


def drawn(most, die, view, seen, width=80, **more):
    return dice_lines(kind(most, die, view), seen, most, width, **more)


def test_a_die_shows_as_many_pips_as_it_counts():
    for value, rows in PIPS.items():
        assert "".join(rows).count("●") == value
        assert [row[::-1] for row in reversed(rows)] == list(rows)
        assert {len(row) for row in rows} == {5}


def test_dice_in_order_are_drawn_with_pips():
    assert drawn(3, D6, FACES, [6, 3, 1]) == [
        "┌─────┐┌─────┐┌─────┐",
        "│●   ●││●    ││     │",
        "│●   ●││  ●  ││  ●  │",
        "│●   ●││    ●││     │",
        "└─────┘└─────┘└─────┘",
    ]


def test_dice_that_are_not_thrown_are_not_drawn():
    assert dice_lines(kind(3, D6, FACES), [6, 3, 0], 2) == drawn(2, D6, FACES, [6, 3])


def test_a_single_die_is_known_by_its_total():
    assert drawn(1, D6, SUM, [4]) == drawn(1, D6, FACES, [4])
    assert drawn(1, d(20), SUM, [17]) == ["┌──┐", "│17│", "└──┘"]
    assert drawn(1, Die.of(-9, 2), SUM, [-9]) == ["┌──┐", "│-9│", "└──┘"]


def test_of_several_dice_with_a_total_nothing_else_is_drawn():
    assert drawn(2, D6, SUM, [9]) == ["┌───┬───┐", "│   9   │  2 dice, total 9", "└───┴───┘"]
    assert drawn(30, D6, SUM, [105])[1].endswith("30 dice, total 105")


def test_counts_are_drawn_with_the_name_of_each_face():
    assert drawn(3, TOSS, COUNTS, [1, 0, 2])[1] == "│red││green││green│"


@pytest.mark.parametrize(
    ("most", "die", "view", "seen"),
    [
        (30, TOSS, COUNTS, [12, 10, 8]),
        (30, D6, FACES, [1, 2, 3, 4, 5, 6] * 5),
        (12, D6, SUM, [40]),
        (200, D6, FACES, [6] * 200),
        (2, Die(a_face_with_a_very_long_name=1, another=1), COUNTS, [1, 1]),
    ],
)
@pytest.mark.parametrize("width", [25, 40, 80])
def test_dice_fit_the_width_and_few_lines(most, die, view, seen, width):
    lines = drawn(most, die, view, seen, width)
    assert max(map(len, lines)) <= width or "very_long_name" in "".join(lines)
    assert len(lines) <= 10 or (view is FACES and most == 200)
    if view is FACES and "●" not in "".join(lines):
        assert [int(text) for text in re.findall(r"\d", "".join(lines))] == seen


@pytest.mark.cases("seen", list(product(range(4), repeat=3))[1:])
def test_no_die_is_lost_or_added(seen):
    inside = "".join(drawn(sum(seen), TOSS, COUNTS, seen))
    assert tuple(inside.count(f"│{label}│") for label in ("red", "yellow", "green")) == seen


def test_colours_are_put_on_faces_of_their_name_only():
    painted = drawn(2, Die(red=1, dot=1), COUNTS, [1, 1], paint=lambda text, style: f"<{style}>{text}</>")
    assert painted == ["┌───┐┌───┐", "│<red>red</>││dot│", "└───┘└───┘"]


def test_an_ascii_terminal_gets_dice_of_the_same_width():
    for line in [*drawn(3, D6, FACES, [6, 3, 1]), *drawn(2, D6, SUM, [9])]:
        assert len(encodable(line, "ascii")) == len(line)
        assert encodable(line, "ascii").isascii()
        assert "?" not in encodable(line, "ascii")
        assert encodable(line, "utf-8") == line
    assert encodable("Łódź", "ascii") == "??d?"


def test_a_throw_in_words():
    assert throw_words(kind(3, TOSS, COUNTS), [1, 0, 2], 3) == "1 red 2 green"
    assert throw_words(kind(3, D6, FACES), [6, 3, 0], 2) == "6 3"
    assert throw_words(kind(2, D6, SUM), [9], 2) == "9"
    assert throw_words(kind(1, TOSS, SUM), [2], 1) == "green"


def test_pieces_are_kept_whole_unless_they_are_long():
    assert flow(["one two", "three four", "five"], 22) == ["one two | three four |", "  five"]
    assert flow(["a very long piece of words"], 16) == ["a very long", "  piece of words"]
    assert flow([], 80) == []


class Board(Game):
    """A state of every sort."""

    players = Param(3, 2, 20, "players")
    seats = players
    held = Ints(players, 0, 99, "coins")
    tiles = Ints(3, 0, 9, "tiles, not of players")
    mover = Int(0, players - 1, "whose turn it is")
    phase = Int(0, players - 1, "phase")
    doubled = Flag("the cube was turned")


def test_values_in_words():
    board = Board()
    assert value_words(board, "doubled", True) == "yes"
    assert value_words(board, "phase", 2, 1) == "1 → 2"
    assert value_words(board, "phase", 2, 2) == "2"
    assert value_words(board, "tiles", [1, 2, 3], you=1) == "1 2 3"
    assert value_words(board, "tiles", [1, 2, 3]) == "1 2 3"
    assert value_words(board, "tiles", [1, 2, 3], [1, 0, 3]) == "1, 0 → 2, 3"
    assert value_words(board, "held", [1, 2, 3], you=1) == "1, 2 (you), 3"
    many = list(range(20))
    assert value_words(Board(players=20), "held", many, [0, 0, *many[2:]]) == "player 2: 0 → 1"


def test_whose_turn_it_is():
    assert turn_field(Board()) == "mover"
    assert {name: turn_field(game()) for name, game in GAMES.items()} == {
        **dict.fromkeys(GAMES, ""),
        **dict.fromkeys(
            [
                "farkle",
                "tossup",
                "lcr",
                "lcr-dots",
                "lcr-last-center",
                "lcr-wild",
                "margin",
                "pig",
                "piglet",
                "pigs",
                "bear-off-cube",
                "everyday",
                "backgammon",
                "bear-off-race",
                "cant-stop-race",
                "mexico",
                "relay",
                "targets",
                "three-boxes",
            ],
            "player",
        ),
    }


def test_a_legend_has_the_fields_that_people_play_by_with_their_values_and_meaning():
    told = legend(Board(), 80)
    assert [line.split()[0] for line in told] == ["held", "tiles", "phase"]
    assert told[0] == "  held   0 0 0  coins"


def test_many_numbers_are_said_at_once():
    assert spoken(range(10**12), 3) == "0 to 999999999999"
    assert spoken([], 3) == ""
    assert spoken([1, 2, 5, 6, 7, 9], 9) == "1, 2, 5 to 7, 9"
    assert spoken([-20, -10, 10, 20, 30], 3) == "-20 to -10 and 10 to 30 in steps of 10"
    assert spoken([-20, -10, 20, 25], 3) == "-20, -10, 20, ... 25 (4 in all)"


def test_a_menu_tells_names_that_differ_by_a_number_at_once():
    assert menu_lines({"line": {"pass": ""}, "more": dict.fromkeys(["hop 1-1", "hop 1-2", "C & E", "big 6"], "")}) == [
        "  line: pass",
        "  more: hop 1-1 1-2, C & E, big 6",
    ]
