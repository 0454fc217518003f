"""The sheet of a game of money, against hand counts, binomial sums, the table of edges and simulated games."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product
from math import comb, sqrt

import pytest

import dicelab
from dicelab.errors import InputError
from dicelab.interface.reporting.report import document
from dicelab.questions.betting import awards
from dicelab.questions.betting.awards import Award, band
from dicelab.questions.declare import declared
from dicelab.results.numbers.estimates import Chance
from support import GAMES, ROOT

SIC_BO, ROULETTE, SINGLE = GAMES["sic-bo"], GAMES["roulette"], GAMES["roulette-single-zero"]
ROLLS = list(product(range(1, 7), repeat=3))


def binomial(p, rounds):
    """5th and 95th percentile and the probability of being ahead after even-money bets, in fractions."""
    law = [comb(rounds, k) * p**k * (1 - p) ** (rounds - k) for k in range(rounds + 1)]
    ends, total = [], Fraction(0)
    for k, chance in enumerate(law):
        total += chance
        if len(ends) == 0 and total >= Fraction(1, 20):
            ends.append(2 * k - rounds)
        if len(ends) == 1 and total >= Fraction(19, 20):
            ends.append(2 * k - rounds)
    return (*ends, float(sum(chance for k, chance in enumerate(law) if 2 * k > rounds)))


def test_the_pass_line_by_hand():
    row = dicelab.par("pass-line").rows[0]
    assert row.back.fraction == 1 - Fraction(7, 495)
    assert row.hit.fraction == Fraction(244, 495)
    assert [(one.net, one.chance.fraction) for one in row.awards] == [(1, Fraction(244, 495)), (-1, Fraction(251, 495))]
    assert row.volatility == pytest.approx(1.6448536 * sqrt(1 - Fraction(7, 495) ** 2))
    for one in row.bands[:2]:
        low, high, ahead = binomial(Fraction(244, 495), one.rounds)
        assert (one.low, one.high) == (low, high)
        assert one.ahead == pytest.approx(ahead, abs=1e-10)


def sic_bo(bet, roll):
    """What a bet pays on a roll, written a second time."""
    total, triple = sum(roll), len(set(roll)) == 1
    totals = dict(zip(range(4, 18), (60, 30, 17, 12, 8, 6, 6, 6, 6, 8, 12, 17, 30, 60), strict=True))
    if bet.startswith("total_"):
        number = int(bet.removeprefix("total_"))
        return totals[number] if total == number else -1
    won = {
        "small": 1 * (4 <= total <= 10 and not triple),
        "big": 1 * (11 <= total <= 17 and not triple),
        "number": roll.count(6),
        "combination": 5 * (1 in roll and 2 in roll),
        "double": 10 * (roll.count(6) >= 2),
        "triple": 180 * (roll.count(6) == 3),
        "any_triple": 30 * triple,
    }[bet]
    return won or -1


def test_sic_bo_is_what_216_rolls_say():
    sheet = dicelab.par(SIC_BO)
    assert len(sheet.rows) == 21
    for row in sheet.rows:
        nets = [sic_bo(row.edge.bet, roll) for roll in ROLLS]
        law = {net: Fraction(nets.count(net), 216) for net in set(nets)}
        assert {one.net: one.chance.fraction for one in row.awards} == law
        mean = sum(net * p for net, p in law.items())
        assert row.back.fraction == 1 + mean
        assert row.edge.sd == pytest.approx(sqrt(sum(net * net * p for net, p in law.items()) - mean**2))


@pytest.mark.parametrize(("game", "zeros", "usual"), [(ROULETTE, 2, Fraction(2, 38)), (SINGLE, 1, Fraction(1, 37))])
def test_roulette_is_what_pockets_say(game, zeros, usual):
    sheet = dicelab.par(game)
    covered = {"straight": 1, "split": 2, "street": 3, "corner": 4, "six_line": 6, "top_line": 5}
    for row in sheet.rows:
        pockets = covered.get(row.edge.bet, 12 if row.edge.bet in ("dozen", "column") else 18)
        assert row.hit.fraction == Fraction(pockets, 36 + zeros)
        assert row.edge.edge.fraction == (Fraction(3, 38) if row.edge.bet == "top_line" else usual)
    assert ("top_line" in sheet.left_out) == (zeros == 1)
    half = dicelab.par(game, only="red", la_partage=True, stake=2)["red"]
    assert half.edge.edge.fraction == usual / 2


@pytest.mark.parametrize("game", [ROULETTE, SINGLE, SIC_BO])
def test_published_edges_are_the_same(game):
    published = [row.edge.published for row in dicelab.par(game).rows if row.edge.published]
    assert len(published) >= 10
    assert all(one.agrees for one in published)


@pytest.mark.slow
def test_the_sheet_has_the_edges_of_the_table_of_edges():
    sheet, table = dicelab.par("craps", only="place_*"), dicelab.edges("craps", only="place_*")
    assert [row.edge.to_dict() for row in sheet.rows] == [row.to_dict() for row in table.rows]
    for row in sheet.rows:
        assert sum(one.chance.fraction for one in row.awards) == 1
        assert (
            sum(one.net * one.chance.fraction for one in row.awards)
            == -row.edge.edge.fraction * row.edge.staked.fraction
        )


def test_without_fractions_the_pay_table_is_the_same(limits):
    exact = dicelab.par("craps-bet", bet="pass_odds_2x").rows[0]
    limits(exact_amounts=1)
    row = dicelab.par("craps-bet", bet="pass_odds_2x").rows[0]
    assert [one.net for one in row.awards] == [one.net for one in exact.awards]
    for one, other in zip(row.awards, exact.awards, strict=True):
        assert one.chance.fraction is None
        assert one.chance.probability == pytest.approx(float(other.chance.fraction), abs=1e-12)
    assert row.hit.probability == pytest.approx(float(exact.hit.fraction), abs=1e-12)


@pytest.mark.slow
def test_bands_are_those_of_simulated_series():
    row = dicelab.par(SIC_BO, bet="any_triple").rows[0]
    games = dicelab.simulate(SIC_BO, bet="any_triple", games=200_000, seed=1, records=True)
    column = 1 + games.tally_names.index("money")
    sums = games.records[:, column].reshape(-1, 100).sum(axis=1)
    one = row.bands[0]
    inside = ((sums >= one.low) & (sums <= one.high)).mean()
    assert inside > 0.88
    assert abs((sums > 0).mean() - one.ahead) < 4 * sqrt(0.25 / len(sums))
    assert (sums < one.low).mean() < 0.05 + 0.02
    assert (sums > one.high).mean() < 0.05 + 0.02


def test_a_long_sum_is_computed_in_a_window():
    law = [Award(35, Chance(1 / 38)), Award(2, Chance(1 / 38)), Award(-1, Chance(36 / 38))]
    whole = band(law, 10_000)
    part = band(law, 10_000, most=1 << 14)
    assert (part.low, part.high) == (whole.low, whole.high)
    assert part.ahead == pytest.approx(whole.ahead, abs=1e-8)
    assert band(law, 10_000, most=1 << 8) is None


def test_a_sum_of_what_is_certain():
    assert band([Award(-1, Chance(1.0))], 100) == awards.Band(rounds=100, low=-100, high=-100, ahead=0.0)


def test_the_page_is_complete_and_has_every_bet(tmp_path):
    sheet = dicelab.par(SIC_BO)
    page = document(sheet)
    assert page.count('<section class="bet">') == 21
    assert "<script" not in page
    assert "src=" not in page
    for text in (sheet.source_hash, sheet.version, "Philox4x32-10", "No claim", "41/216", "1/216"):
        assert text.lower() in page.lower()
    declared("par").files.save(sheet, tmp_path / "sheet.html")
    assert (tmp_path / "sheet.html").read_text(encoding="utf-8") == page


def test_the_text_names_what_it_takes_to_compute_it_again():
    text = str(dicelab.par("pass-line"))
    for words in ("rules ", "random stream", "no claim", "return to player", "488/495"):
        assert words in text
    assert re.search(r"1 in 2\.03", text)


def test_a_game_without_money_is_refused():
    with pytest.raises(InputError, match="no tally called money"):
        dicelab.par("hazard")


def test_a_picture_has_a_row_for_each_bet():
    axes = dicelab.plot_par(dicelab.par(ROULETTE))
    assert len(axes.get_yticklabels()) == 11
    assert (ROOT / "examples/roulette.py").exists()
