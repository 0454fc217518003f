"""`dicelab.judge`: p-values that mean what they say, and wrong programs that are found out."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from math import factorial, prod
from random import Random

import numpy as np
import pytest
from scipy.stats import binomtest

import dicelab
from dicelab.errors import ParameterError, UnknownNameError
from dicelab.plots import plot_judgement
from dicelab.questions.judging.comparison import compared, joint_p
from dicelab.questions.judging.goodness import counts_p, deviation_p, holm, pooled, total_p
from dicelab.questions.judging.sample import Mean, Sample

FACES = ["left", "center", "right", "dot", "dot", "dot"]


# The statistics -------------------------------------------------------------------------------------------------------


@pytest.mark.cases("observed", [(2, 2, 0), (1, 0, 6), (0, 5, 0), (3, 1, 2, 1)])
def test_the_multinomial_test_adds_up_what_is_no_more_probable(observed):
    chances = (0.2, 0.5, 0.3) if len(observed) == 3 else (0.1, 0.2, 0.3, 0.4)
    games = sum(observed)

    def probability(table):
        ways = factorial(games) // prod(map(factorial, table))
        return ways * prod(p**n for p, n in zip(chances, table, strict=True))

    tables = [t for t in itertools.product(range(games + 1), repeat=len(observed)) if sum(t) == games]
    limit = probability(observed) * (1 + 1e-9)
    name, _, p = counts_p(observed, chances)
    assert name == "exact multinomial"
    assert p == pytest.approx(sum(q for q in map(probability, tables) if q <= limit), rel=1e-9)


@pytest.mark.cases(("low", "high"), [(3, 3), (2, 2), (30, 31), (12.5, 13.5), (11.2, 11.8), (-9, 2), (40, 50)])
def test_the_test_of_a_total_adds_up_its_distribution(low, high):
    values, chances = np.array([1, 3, 7]), np.array([0.5, 0.3, 0.2])
    totals = Counter()
    for picked in itertools.product(range(3), repeat=4):
        totals[sum(int(values[k]) for k in picked)] += prod(float(chances[k]) for k in picked)
    below = sum(p for total, p in totals.items() if total <= high)
    above = sum(p for total, p in totals.items() if total >= low)
    expected = min(1.0, max(1e-9, 2 * min(below, above)))
    assert total_p(low, high, 4, values, chances) == pytest.approx(expected, abs=1e-9)


def test_too_many_totals_are_left_to_the_normal_distribution():
    assert total_p(0, 0, 1000, np.array([0, 1, 10_000]), np.array([0.5, 0.3, 0.2])) is None


@pytest.mark.cases(("values", "chances"), [([-2, 3], [0.6, 0.4]), ([-1, 1], [0.5, 0.5]), ([1, 3, 7], [0.5, 0.3, 0.2])])
@pytest.mark.cases(("low", "high"), [(0, 0), (0.7, 0.7), (1, 2), (0.9, 1.3), (-1, 0), (2.449, 2.45), (9, 10)])
def test_the_test_of_a_standard_deviation_adds_up_its_distribution(low, high, values, chances):
    found = Counter()
    for picked in itertools.product(range(len(values)), repeat=5):
        found[float(np.std([values[k] for k in picked]))] += prod(chances[k] for k in picked)
    below = sum(p for sd, p in found.items() if sd <= high + 1e-9)
    above = sum(p for sd, p in found.items() if sd >= low - 1e-9)
    name, p = deviation_p(low, high, 5, np.array(values), np.array(chances))
    assert name == ("exact binomial" if len(values) == 2 else "exact multinomial")
    assert p == pytest.approx(min(1.0, max(1e-9, 2 * min(below, above))), abs=1e-9)


def test_a_standard_deviation_of_many_values_and_games_has_no_exact_test():
    assert deviation_p(8, 9, 100, np.arange(100), np.full(100, 0.01)) is None
    name, p = deviation_p(0.49999, 0.5, 10**12, np.array([0, 1]), np.array([0.5, 0.5]))
    assert (name, p) == ("exact binomial", 1.0)


def test_pooled_cells_are_large_and_all_there():
    rng = Random(1)
    for adjacent in (True, False):
        for _ in range(50):
            expected = [rng.expovariate(0.1) for _ in range(rng.randint(1, 30))]
            groups = pooled(expected, adjacent=adjacent)
            assert sorted(cell for group in groups for cell in group) == list(range(len(expected)))
            assert len(groups) == 1 or all(sum(expected[cell] for cell in group) >= 10 for group in groups)


def test_holm_never_gives_less_than_the_p_value_nor_more_than_bonferroni():
    p = [0.02, 0.001, 0.3, 0.02]
    adjusted = holm(p)
    assert adjusted == pytest.approx([0.06, 0.004, 0.3, 0.06])
    assert all(one <= many <= min(1, 4 * one) for one, many in zip(p, adjusted, strict=True))


# Samples by the rules -------------------------------------------------------------------------------------------------


def samples(game, games, count, **parameters):
    """The exact answer, and many samples, each once with all values and once with rounded means and deviations."""
    truth = dicelab.exact(game, **parameters)
    played = dicelab.simulate(game, games=games * count, seed=1654, records=True, **parameters).records
    for part in np.split(played, count):
        counts = np.bincount(part[:, 0], minlength=len(truth.outcomes)).tolist()
        values = {name: Counter(part[:, 1 + k].tolist()) for k, name in enumerate(truth.tally_names)}
        full = Sample.gathered(games, counts, values)
        means = {name: Mean(round(m.value, 2), 0.005, round(m.sd, 2), 0.005) for name, m in full.means.items()}
        yield truth, full, Sample(games, tuple(counts), means)


@pytest.mark.quick_cases("lcr-20-parameters0")
@pytest.mark.parametrize(
    ("game", "games", "parameters"),
    [("lcr", 20, {"players": 3}), ("lcr", 20, {"players": 5}), ("lcr", 800, {"players": 2}), ("hazard", 700, {})],
)
def test_one_correct_simulation_in_twenty_or_fewer_is_doubtful(game, games, parameters):
    """Fixed seeds, so no chance of failing; the bound is one that 999 of 1,000 correct tests keep."""
    count, low = 200, Counter()
    for truth, full, typed in samples(game, games, count, **parameters):
        for name, tests in (("full", compared(full, truth)[0]), ("typed", compared(typed, truth)[0])):
            low[name] += joint_p(tests) <= 0.05
            low.update(test.name for test in tests if name == "full" and test.p <= 0.05)
            assert joint_p(tests) >= 1e-5
    assert low
    for name, times in low.items():
        assert binomtest(times, count, 0.05, alternative="greater").pvalue > 0.001, name
    assert low["outcomes"] >= 3  # and the test is not one that never rejects


@pytest.mark.slow
@pytest.mark.cases(
    ("game", "counts", "parameters"),
    [("hazard", [492, 508], {"main": 5}), ("hazard", [9, 11], {"main": 5}), ("lcr", [150] * 4, {"players": 4})],
)
def test_the_stated_power_is_the_power(game, counts, parameters):
    """A difference that is said to be noticed four times out of five is noticed as often, up and down."""
    games, rng = sum(counts), np.random.default_rng(1)
    truth = dicelab.exact(game, **parameters)
    shift = dicelab.judge(game, counts=counts, **parameters).power["outcomes"]
    chances = np.array([chance.probability for chance in truth.outcomes.values()])
    at = int(np.abs(chances - 0.5).argmin())
    found = []
    for sign in (1, -1):
        other = chances * (1 - chances[at] - sign * shift) / (1 - chances[at])
        other[at] = chances[at] + sign * shift
        played = rng.multinomial(games, other.clip(0), 400).tolist()
        found.append(sum(joint_p(compared(Sample(games, tuple(one)), truth)[0]) < 0.05 for one in played) / 400)
    assert min(found) == pytest.approx(0.8, abs=0.06)


@pytest.mark.slow_cases("200")
@pytest.mark.parametrize("games", [5, 200])
def test_the_stated_power_of_a_mean_is_the_power(games):
    """Also of few games, whose lengths are far from normal."""
    truth, rng = dicelab.exact("hazard", main=7), np.random.default_rng(2)
    tally = truth.tallies["throws"]
    shift = dicelab.judge("hazard", main=7, mean={"throws": tally.mean}, games=games).power["throws"]
    found = []
    for sign in (1, -1):
        means = rng.choice(tally.spread.values, p=tally.spread.chances / tally.spread.chances.sum(), size=(400, games))
        samples = [Sample(games, None, {"throws": Mean(mean + sign * shift, 0.0)}) for mean in means.mean(axis=1)]
        found.append(sum(joint_p(compared(one, truth)[0]) < 0.05 for one in samples) / 400)
    assert 0.74 < min(found) < 0.9  # totals are whole numbers, so the power is 0.8 or more


# Right and wrong programs ---------------------------------------------------------------------------------------------


def lcr(games, *, dice=3, side=1, step=1, uncounted=False, late=False):
    """A program as a student writes it, with mistakes: wins of the three seats, and turns of each game."""
    rng, wins, lengths = Random(7), [0, 0, 0], []
    for _ in range(games):
        coins, player, turns = [3, 3, 3], 0, 0
        while True:
            if coins[player] > 0 or not uncounted:
                turns += 1
            for _ in range(min(dice, coins[player])):
                face = FACES[int(6 * rng.random())]
                if face != "dot":
                    coins[player] -= 1
                if face in ("left", "right"):
                    coins[(player + (side if face == "right" else -side)) % 3] += 1
            player = (player + step) % 3
            if sum(count > 0 for count in coins) == 1 and (not late or coins[player] > 0):
                break
        wins[coins.index(max(coins))] += 1
        lengths.append(turns)
    return wins, lengths


VARIANTS = """
from dicelab.games.lcr import LCR
from dicelab.rules import right_of

class Uncounted(LCR):
    name = "lcr-uncounted"
    def pass_dice(self):
        self.player = right_of(self.player, self.players)
        while self.owners > 1 and self.holds[self.player] == 0:
            self.player = right_of(self.player, self.players)

class Late(LCR):
    name = "lcr-late"
    def pass_dice(self):
        self.player = right_of(self.player, self.players)
        while self.holds[self.player] == 0:
            self.turns += 1
            self.player = right_of(self.player, self.players)
"""


@pytest.fixture
def variants(tmp_path):
    file = tmp_path / "variants.py"
    file.write_text(VARIANTS)
    return str(file)


def judged(program, variants):
    wins, lengths = program
    games = len(lengths)
    mean = {"turns": f"{sum(lengths) / games:.3f}"}
    return dicelab.judge("lcr", players=3, counts=wins, mean=mean, variants=variants)


def test_a_right_program_is_consistent(variants):
    found = judged(lcr(20_000), variants)
    assert found.verdict == "consistent"
    assert found.suspects == ()
    assert found.words == "consistent with the rules"


def test_coins_to_the_wrong_side_change_nothing_since_the_die_has_as_many_lefts_as_rights(variants):
    assert judged(lcr(20_000, side=-1), variants).verdict == "consistent"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mistake", "named", "words"),
    [
        ({"uncounted": True}, "the rules of lcr-uncounted", "the wins alone could be chance, but your mean number of"),
        ({"late": True}, "the rules of lcr-late", "the wins alone could be chance, but your mean number of turns is"),
        ({"dice": 2}, "dice 2 instead of 3", "should be 18.86"),
        ({"step": -1}, "players in reverse order: your player 1 is player 1", "games and should in about"),
    ],
    ids=lambda case: str(case)[:20],
)
def test_a_wrong_program_is_inconsistent_and_its_mistake_is_named(mistake, named, words, variants):
    found = judged(lcr(20_000, **mistake), variants)
    assert found.verdict == "inconsistent"
    assert found.suspects[0].name == named
    assert words in found.words
    assert f"it would fit: {named}" in str(found)


@pytest.mark.slow
def test_seats_that_are_shifted_are_recognised_in_every_game():
    found = dicelab.judge("tossup", ["one_roll", "bank_over:20"], counts=[9925, 75])
    assert [one.name for one in found.suspects][:1] == ["players shifted by 1: your player 1 is player 2"]


@pytest.mark.slow
def test_two_mistakes_at_once_are_recognised_if_none_alone_fits(variants):
    wins, lengths = lcr(20_000, uncounted=True)
    found = judged(([*wins[1:], wins[0]], lengths), variants)
    assert found.suspects[0].name == "the rules of lcr-uncounted, players shifted by 1: your player 1 is player 2"


def test_games_that_inherit_from_the_game_in_its_own_file_are_variants(tmp_path):
    file = tmp_path / "coins.py"
    file.write_text('''
from dicelab.rules import OVER, Die, Flag, Game, Tally, throw, thrown

class Coin(Game):
    """A coin."""
    name = "coin"
    source = "made up"
    outcomes = ("heads", "tails")
    over = Flag("tossed")
    heads = Flag("heads")
    tosses = Tally("tosses")
    def next(self):
        return OVER if self.over else throw(self.toss)
    @thrown(1, Die(heads=1, tails=1))
    def toss(self, face):
        self.tosses += 1
        self.over = True
        self.heads = face == 0
    def outcome(self):
        return 0 if self.heads else 1

class Bent(Coin):
    """A coin that is bent."""
    name = "bent"
    @thrown(1, Die(heads=2, tails=1))
    def toss(self, face):
        self.tosses += 1
        self.over = True
        self.heads = face == 0

class Broken(Coin):
    """A coin that never lands."""
    name = "broken"
    @thrown(1, Die(heads=2, tails=1))
    def toss(self, face):
        self.tosses += 1
''')
    found = dicelab.judge(f"{file}:coin", counts=[670, 330])
    assert found.verdict == "inconsistent"
    assert [one.name for one in found.suspects] == ["the rules of bent"]
    assert [reason.partition(": ")[0] for reason in found.untried] == ["broken"]
    assert "not tried: broken: " in str(found)
    assert "the outcome was heads in 670 of 1,000 games and should in about 500" in found.words


def test_a_variant_with_other_outcomes_or_tallies_is_not_tried():
    found = dicelab.judge("hazard", counts=[700, 300], mean={"throws": 9}, variants=["lcr", "pass-line"])
    assert found.untried == ("lcr: it has other outcomes",)  # but nothing about hazard-caster, of the same file
    found = dicelab.judge("pass-line", counts=[700, 300], mean={"money": 0.4}, variants="hazard")
    assert found.untried == ("hazard: it has no tally money",)


# What was published ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.cases(
    ("game", "strategies", "parameters", "counts"),
    [
        *[
            ("hazard", (), {"main": main}, [wins, 1000 - wins])
            for main, wins in {5: 498, 6: 499, 7: 483, 8: 504, 9: 493}.items()
        ],
        ("tossup", ("one_roll", "one_roll"), {}, [5910, 4090]),
        ("tossup", ("one_roll", "bank_over:20"), {}, [75, 9925]),
        ("tossup", ("bank_over:20", "bank_over:50"), {}, [6167, 3833]),
        ("tossup", ("bank_over:50", "bank_over:20"), {}, [4414, 5586]),
    ],
)
def test_published_samples_are_consistent(game, strategies, parameters, counts):
    assert dicelab.judge(game, strategies, counts=counts, **parameters).verdict == "consistent"


# Samples --------------------------------------------------------------------------------------------------------------


def write(tmp_path, text):
    file = tmp_path / "results.csv"
    file.write_text(text)
    return str(file)


@pytest.mark.cases(
    "text",
    [
        "outcome,turns\n0,9\n2,11\n1,12\n",
        "\ufeffturns;note;outcome\r\n9;a;0\r\n11;b;2\r\n\r\n12;c;1\r\n",
        "0\t1\t2\tturns\n1\t0\t0\t9\n0\t0\t1\t11\n0\t1\t0\t12\n",
    ],
)
def test_a_table_has_a_row_for_each_game(text, tmp_path):
    found = dicelab.judge("lcr", players=3, file=write(tmp_path, text))
    tests = {test.name: test for test in found.tests}
    assert found.games == 3
    assert tests["outcomes"].observed == {"0": 1, "1": 1, "2": 1}
    assert tests["mean of turns"].observed == pytest.approx(32 / 3)
    assert list(found.unused) == (["note"] if "note" in text else [])


def test_a_table_gives_the_distribution_of_a_tally(tmp_path):
    """The mean is right, but every game has the same length or nearly so."""
    rows = "".join(f"{turns}\n" for turns in [18, 19, 20, 19, 18, 19] * 100)
    found = dicelab.judge("lcr", players=3, file=write(tmp_path, f"turns\n{rows}"))
    (test,) = [test for test in found.tests if test.kind == "distribution"]
    assert found.verdict == "inconsistent"
    assert sum(test.observed.values()) == 600
    assert sum(test.expected.values()) == pytest.approx(600)


def test_what_is_impossible_is_named(tmp_path):
    found = dicelab.judge("lcr", players=3, file=write(tmp_path, "turns\n1\n18\n19\n"))
    assert found.verdict == "inconsistent"
    assert found.words == "inconsistent with the rules: turns 1 is impossible by the rules"


def test_a_mean_is_rounded_to_its_digits():
    """18.9 may be 18.863 however many games there are; 18.90 may not."""
    assert dicelab.judge("lcr", players=3, mean={"turns": 18.9}, games=10**9).verdict == "consistent"
    assert dicelab.judge("lcr", players=3, mean={"turns": "18.90"}, games=10**9).verdict == "inconsistent"


@pytest.mark.slow
def test_a_standard_deviation_is_tested():
    found = dicelab.judge("lcr", players=3, mean={"turns": 18.9}, sd={"turns": 6.1}, games=5000)
    assert "your standard deviation of the number of turns is 6.1 and should be 8.13" in found.words


@pytest.mark.slow
@pytest.mark.cases(
    ("sd", "verdict"),
    [(8.1, "consistent"), (80.1, "inconsistent"), (0.1, "doubtful"), (1.5, "doubtful"), (14, "doubtful")],
)
def test_a_standard_deviation_of_few_games_has_a_bound_on_its_p_value_and_says_so(sd, verdict):
    found = dicelab.judge("lcr", players=3, mean={"turns": 18.9}, sd={"turns": sd}, games=100)
    test = found.tests[-1]
    assert (found.verdict, test.kind, test.expected) == (verdict, "sd", pytest.approx(8.1318, abs=1e-4))
    assert "p is only an upper bound; a sharper test needs 1,375 games" in test.how
    assert f"standard deviation of turns: {test.how}" in " ".join(str(found).split())
    sharper = dicelab.judge("lcr", players=3, mean={"turns": 18.9}, sd={"turns": sd}, games=1375).tests[-1]
    assert sharper.how == "normal distribution of its logarithm"


@pytest.mark.cases(
    ("sd", "games", "verdict"),
    [
        (0.997, 1000, "consistent"),
        (0.99, 1000, "doubtful"),
        (1.0, 1000, "consistent"),
        (1.01, 1000, "inconsistent"),
        (0.5, 30, "inconsistent"),
    ],
)
def test_a_standard_deviation_of_two_values_is_tested_exactly(sd, games, verdict):
    """The money of a round is -1 or 1, so its standard deviation is at most 1; or 1.0005 if divided by 999 games."""
    found = dicelab.judge("pass-line", mean={"money": 0.0}, sd={"money": sd}, games=games)
    assert (found.tests[-1].how, found.verdict) == ("exact binomial", verdict)
    assert dicelab.judge("pass-line", mean={"money": 0.0}, sd={"money": "1.0005"}, games=1000).verdict == "consistent"


TWO_THROWS = '''
from dicelab.rules import OVER, Die, Game, Int, Tally, throw, thrown

class Throws(Game):
    """Two throws of a die with three faces."""
    name = "throws"
    source = "made up"
    left = Int(0, 2, "throws left", start=2)
    throws = Tally("throws")
    total = Tally("total")
    def next(self):
        return throw(self.roll) if self.left else OVER
    @thrown(1, Die(one=1, two=1, three=1))
    def roll(self, face):
        self.left -= 1
        self.throws += 1
        self.total += face
'''


def test_a_standard_deviation_of_a_constant_is_0(tmp_path):
    (tmp_path / "throws.py").write_text(TWO_THROWS)

    def judged(**sd):
        mean = {"throws": 2, "total": 2}
        return dicelab.judge(tmp_path / "throws.py", mean={name: mean[name] for name in sd}, sd=sd, games=10)

    assert judged(throws=0).verdict == "consistent"
    assert judged(throws=5).words == (
        "inconsistent with the rules: your standard deviation of the number of throws is 5.0 and should be 0.00"
    )
    assert [judged(total=sd).verdict for sd in (1, 9)] == ["consistent", "inconsistent"]
    assert judged(total=1).tests[-1].how == "exact multinomial"


def test_a_standard_deviation_that_cannot_be_tested_is_named_with_the_reason():
    found = dicelab.judge("lcr", players=3, mean={"turns": 18}, sd={"turns": 8}, games=1)
    reason = "standard deviation of turns: not tested, because one game has none"
    assert found.untested == (reason,)
    assert found.to_dict()["untested"] == [reason]
    assert f"\n{reason}\n" in str(found)


def test_a_table_of_few_games_gives_the_distribution_too(tmp_path):
    found = dicelab.judge("lcr", players=3, file=write(tmp_path, "turns\n" + "60\n" * 10))
    test = found.tests[-1]
    assert (test.kind, test.how, len(test.expected)) == ("distribution", "exact binomial", 2)
    assert test.p == pytest.approx(0.002, rel=0.5)
    (tmp_path / "throws.py").write_text(TWO_THROWS)
    steady = dicelab.judge(tmp_path / "throws.py", file=write(tmp_path, "throws\n2\n2\n"))
    assert [test.name for test in steady.tests] == ["mean of throws", "distribution of throws"]
    assert steady.verdict == "consistent"


def test_counts_may_be_given_by_name():
    by_name = dicelab.judge("hazard", counts={"lose": 250, "win": 240})
    assert by_name.tests == dicelab.judge("hazard", counts=[240, 250]).tests
    with pytest.raises(UnknownNameError, match="did you mean 'win'"):
        dicelab.judge("hazard", counts={"wins": 1})


def test_a_chain_that_does_not_fit_is_refused_in_a_sentence():
    with pytest.raises(dicelab.DicelabError, match="judge needs the exact answer, which is out of reach: lcr"):
        dicelab.judge("lcr", players=3, counts=[1, 1, 1], memory=1)


def test_the_forms_of_the_result(tmp_path):
    found = dicelab.judge("lcr", players=3, counts=[655, 729, 616])
    data = json.loads(found.to_json())
    assert data["method"] == "judge"
    assert data["verdict"] == "inconsistent"
    assert data["p"] == found.p == min(test["adjusted"] for test in data["tests"])
    assert {"name", "statistic", "p", "expected", "observed"} <= set(data["tests"][0])
    assert data["suspects"][0]["p"] > 0.9
    assert found.to_frame()["name"].tolist() == ["outcomes"]
    infinite = dicelab.judge("lcr", players=3, file=write(tmp_path, "turns\n1\n"))
    assert json.loads(infinite.to_json())["tests"][-1]["statistic"] is None


def test_the_chart_has_a_row_for_each_outcome_and_mean():
    found = dicelab.judge("lcr", players=3, counts=[616, 655, 729], mean={"turns": 14.9})
    axes = plot_judgement(found)
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels[0] == "player 1: 616, expected 613.7"
    assert labels[-1] == "mean of turns: 14.9, expected 18.8630"
    points = [float(container.lines[0].get_xdata()[0]) for container in axes.containers]
    assert points[-1] == pytest.approx((14.9 - 18.86302849) / 8.13180808 * 2000**0.5)
    assert axes.get_title(loc="left") == "lcr: inconsistent with the rules"


def test_numpy_numbers_are_numbers_and_booleans_are_not():
    assert dicelab.judge("hazard", counts=np.array([240, 250])).verdict == "consistent"
    assert dicelab.judge("hazard", mean={"throws": np.float64(3.4)}, games=np.int64(100)).games == 100
    with pytest.raises(ParameterError, match="takes a number"):
        dicelab.judge("hazard", mean={"throws": True}, games=100)


def test_a_verdict_is_kept_when_the_search_for_the_mistake_is_interrupted(monkeypatch):
    def stop(*words):
        raise KeyboardInterrupt

    monkeypatch.setattr("dicelab.questions.judging.comparison.suspects", stop)
    found = dicelab.judge("lcr", players=3, counts=[655, 729, 616])
    assert (found.verdict, found.interrupted, found.suspects) == ("inconsistent", True, ())
    assert "stopped while looking for the mistake" in str(found)
