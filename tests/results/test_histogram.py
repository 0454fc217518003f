"""A tally's distribution as lines of text."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

import dicelab
from dicelab.errors import UnknownNameError
from dicelab.results.histogram import CUT, MOST_LINES, WIDTH, Histogram, bins


@pytest.fixture(scope="module")
def exact():
    return dicelab.exact("lcr", players=3, coins=2)


@pytest.fixture(scope="module")
def simulated():
    return dicelab.simulate("lcr", players=3, coins=2, games=400, seed=2, engine="reference")


def flat(count, first=0):
    return {first + i: 1 / count for i in range(count)}


# Bins ----------------------------------------------------------------------------------------------------------------


def test_few_values_are_shown_one_by_one_and_those_between_too():
    assert bins({3: 0.25, 4: 0.25, 6: 0.5}) == [(3, 3, 0.25), (4, 4, 0.25), (5, 5, 0), (6, 6, 0.5)]
    assert bins({7: 1.0}) == [(7, 7, 1.0)]
    assert bins({-2: 0.5, -1: 0.5}) == [(-2, -2, 0.5), (-1, -1, 0.5)]
    assert bins({}) == []


def test_values_go_by_the_step_in_which_all_of_them_lie():
    """Money is won and lost by the stake, and nothing lies between."""
    assert bins({-1000: 0.5, 1000: 0.25, 3000: 0.25}) == [(-1000, -1000, 0.5), (1000, 1000, 0.25), (3000, 3000, 0.25)]
    assert [(begin, end) for begin, end, _ in bins({5 * k: 0.01 for k in range(100)})][:2] == [(0, 20), (25, 45)]


@pytest.mark.parametrize("count", [MOST_LINES - 1, MOST_LINES, MOST_LINES + 1, 2 * MOST_LINES + 1, 1999])
@pytest.mark.parametrize("first", [0, -1000, 17])
def test_many_values_are_put_together_equally_many_in_each_line(count, first):
    found = bins(flat(count, first))
    assert len(found) <= MOST_LINES
    assert found[0][0] == first
    assert found[-1][1] == first + count - 1
    widths = [end - begin + 1 for begin, end, _ in found]
    assert len(set(widths[:-1])) <= 1
    assert widths[-1] <= widths[0]
    for (_, end, _), (begin, _, _) in pairwise(found):
        assert begin == end + 1
    for (_, _, p), width in zip(found, widths, strict=True):
        assert p == pytest.approx(width / count)


def test_rare_values_at_both_ends_are_put_into_the_lines_there():
    probabilities = {0: CUT / 4, 50: 0.5, 51: 0.5 - CUT / 2, 900: CUT / 4}
    assert bins(probabilities) == [
        (0, 50, pytest.approx(0.5 + CUT / 4)),
        (51, 900, pytest.approx(0.5 - CUT / 4)),
    ]


def test_no_more_than_the_cut_is_put_into_either_end():
    many = dict.fromkeys(range(100), CUT / 3)
    probabilities = {**many, 1000: 1 - 100 * CUT / 3}
    found = bins(probabilities)
    assert sum(p for _, _, p in found) == pytest.approx(1)
    assert found[0][1] < 50
    assert found[-1][1] == 1000


def test_a_tail_is_counted_once():
    """25 values go two by two into 13 lines: the last has room for the rare value 25, which is its tail as well."""
    probabilities = {**flat(25), 25: CUT / 2}
    assert sum(p for _, _, p in bins(probabilities)) == pytest.approx(1 + CUT / 2, rel=1e-9)


def test_nothing_is_lost_and_nothing_is_counted_twice(exact, simulated):
    for result in (exact, simulated):
        for tally in result.tallies.values():
            found = bins(tally.probabilities)
            assert sum(p for _, _, p in found) == pytest.approx(sum(tally.probabilities.values()))
            assert all(before[1] < after[0] for before, after in pairwise(found))
            for begin, end, p in found:
                inside = sum(q for value, q in tally.probabilities.items() if begin <= value <= end)
                assert p == pytest.approx(inside)


# Text ----------------------------------------------------------------------------------------------------------------


def test_bars_are_as_long_as_the_probabilities(exact, simulated):
    for result in (exact, simulated):
        lines = Histogram("turns", result.tallies["turns"]).text().splitlines()
        assert re.fullmatch(r"turns +probability", lines[0])
        found = bins(result.tallies["turns"].probabilities)
        most = max(p for _, _, p in found)
        for line, (begin, end, p) in zip(lines[1:], found, strict=True):
            bar = "█" * round(WIDTH * p / most)
            values = f"{begin}" if begin == end else f"{begin} .. {end}"
            assert re.fullmatch(rf"{re.escape(values)} +{p:.6f}( +{bar})?", line)
            assert line.count("█") == len(bar)
        assert max(line.count("█") for line in lines) == WIDTH


def test_text_of_one_value(capsys):
    result = dicelab.exact("tossup", "one_roll", dice=1, red=0, yellow=0, target=1)
    assert Histogram("turns", result.tallies["turns"]).text().splitlines() == [
        "turns  probability",
        f"1         1.000000  {'█' * WIDTH}",
    ]


def test_data_is_the_whole_distribution(exact, simulated):
    for result in (exact, simulated):
        data = Histogram("throws", result.tallies["throws"]).to_dict()
        assert data["tally"] == "throws"
        assert dict(zip(data["values"], data["probabilities"], strict=True)) == result.tallies["throws"].probabilities


def test_a_tally_that_is_not_there(exact):
    with pytest.raises(UnknownNameError, match="no tally of lcr 'turn'; did you mean 'turns'"):
        Histogram("turn", exact.tallies["turn"])
