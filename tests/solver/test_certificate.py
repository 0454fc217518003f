"""Certificates: the bounds are right, altered certificates prove nothing wrong, and --rules finds altered edges."""

import copy
import importlib.util
import json
import random
import subprocess
import sys
from fractions import Fraction

import pytest

import dicelab
from dicelab.questions.policies.certificate import NoCertificate
from support import GAMES, ROOT

CHECKER = ROOT / "tools/check_certificate.py"
spec = importlib.util.spec_from_file_location("check_certificate", CHECKER)
checker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(checker)

EXACT = {
    "hazard": {"main": 6},
    "pass-line": {},
    "tossup": {"strategies": ["bank_over:2", "one_roll"], "target": 4},
}
SOLVED = {"tossup": {"target": 3}, "three seats": {"game": "tossup", "target": 2, "players": 3}}


WAVERING = """
from dicelab.games.tossup import Move, TossUp
from dicelab.rules import mixture, strategy

@strategy(TossUp)
def wavering(game):
    if not game.worth_a_thought(Move.ROLL):
        return Move.BANK
    return Move.ROLL if game.points < 1 else mixture((Move.BANK, 30), (Move.ROLL, 70))
"""


def proved(data):
    """What the checker proves of a certificate: bounds by what they are about."""
    checker.must_fit_together(data)
    checker.check_end(data)
    return {(*claim["of"], claim["seat"]): checker.bounds(data, claim)[1:3] for claim in data["claims"]}


@pytest.mark.parametrize("name", EXACT)
def test_exact_answers_lie_within_the_bounds(name):
    data = dicelab.certify_exact(name, **EXACT[name]).data
    answer = dicelab.exact(name, **EXACT[name], fractions=True)
    found = proved(data)
    expected = {("outcome", k): p.fraction for k, p in enumerate(answer.outcomes.values())}
    expected |= {("tally", k): answer.tallies[name].fraction for k, name in enumerate(data["tallies"])}
    for key, value in expected.items():
        low, high = found[*key, None]
        assert low <= value <= high
        assert high - low < Fraction(1, 10**12)
    assert len(found) == len(expected)


@pytest.mark.parametrize("name", SOLVED)
def test_optimal_values_lie_within_the_bounds(name):
    question = {"game": name} | SOLVED[name]
    found = proved(dicelab.certify_solution(**question).data)
    for seat, chance in enumerate(dicelab.solve(**question).outcomes.values()):
        low, high = found["outcome", seat, seat]
        assert low - Fraction(1, 10**12) <= chance.probability <= high + Fraction(1, 10**12)


def test_against_a_strategy_and_for_a_tally():
    found = proved(dicelab.certify_solution("tossup", "one_roll", seat=1, target=3).data)
    low, high = found["outcome", 1, 1]
    value = dicelab.solve("tossup", "one_roll", seat=1, target=3).value
    assert low - Fraction(1, 10**12) <= value <= high + Fraction(1, 10**12)
    pig = GAMES["pig-alone"]
    found = proved(dicelab.certify_solution(pig, objective="fewest:turns", target=8).data)
    value = dicelab.solve(pig, objective="fewest:turns", target=8).value
    (low, high) = next(iter(found.values()))
    assert low - Fraction(1, 10**12) <= value <= high + Fraction(1, 10**12)


def variants(data, rng, times):
    """Certificates with one number altered: of every part, at random places, by 1 and by much."""
    lists = ["row", "target", "weight", "change", "mover", "picked", "steps"]
    for part in [*lists, "values", "slope", "states", "changes", "start"]:
        for step in (1, -1, 1 << 40, -(1 << 40)):
            for _ in range(times):
                other = copy.deepcopy(data)
                claim = rng.choice(other["claims"])
                if part == "slope":
                    claim["slope"] += step
                else:
                    numbers = claim["values"] if part == "values" else other[part]
                    numbers = rng.choice(numbers) if part in ("states", "changes") else numbers
                    numbers[rng.randrange(len(numbers))] += step
                yield part, other


@pytest.mark.parametrize("solved", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_altered_certificates_prove_nothing_wrong(solved, monkeypatch):
    """A part of the proof that is altered either proves bounds with the right value, or is refused; an edge that is
    altered is refused, or describes another game, and then --rules finds it."""
    if solved:
        data = dicelab.certify_solution("tossup", target=1, dice=2).data
    else:
        data = dicelab.certify_exact("hazard", main=6).data
    file = "tossup" if solved else "hazard"
    true = proved(data)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert checker.check_rules(data, file, 10**6).endswith("agree in 7 of 7 states") is not solved
    refused = accepted = 0
    for part, other in variants(data, random.Random(1), 8):
        try:
            found = proved(other)
        except (checker.Refused, IndexError):
            refused += 1
            continue
        if part in ("steps", "values", "slope"):
            accepted += 1
            assert all(low <= true[key][1] and high >= true[key][0] for key, (low, high) in found.items())
        elif other != data and part != "picked":
            with pytest.raises(checker.Refused):
                checker.check_rules(other, file, 10**6)
    assert refused > 50
    assert accepted > 5


@pytest.mark.parametrize("game", ["hazard", "pass-line"])
def refused_with_rules(data, game):
    """Whether the form of a certificate or the rules show that it is altered."""
    try:
        checker.must_fit_together(data)
        checker.check_rules(data, game, 10**6)
    except (checker.Refused, IndexError):
        return True
    return False


@pytest.mark.parametrize("game", ["hazard", "pass-line"])
def test_the_rules_find_every_altered_edge_of_a_small_game(game):
    data = dicelab.certify_exact(game).data
    assert not refused_with_rules(data, game)
    for part in ("target", "weight", "change"):
        for edge in range(len(data["target"])):
            other = copy.deepcopy(data)
            other[part][edge] += 1
            assert refused_with_rules(other, game), (part, edge)


def test_what_a_strategy_draws_is_compared_with_its_rules(tmp_path):
    file = tmp_path / "wavering.py"
    file.write_text(WAVERING)
    plan = f"{file}:wavering"
    true = dicelab.exact("tossup", plan, target=3, dice=2).outcomes["0"].probability
    data = dicelab.certify_exact("tossup", plan, target=3, dice=2).data
    low, high = proved(data)["outcome", 0, None]
    assert low - Fraction(1, 10**12) <= true <= high + Fraction(1, 10**12)
    solved = dicelab.certify_solution("tossup", plan, target=3, dice=2).data
    for one in (data, solved):
        assert not refused_with_rules(one, "tossup")
        drawn = [e for e, weight in enumerate(one["weight"]) if weight in (30, 70)]
        assert drawn
        other = copy.deepcopy(one)
        other["weight"][drawn[0]] += 1
        assert refused_with_rules(other, "tossup")


def test_another_game_is_refused(tmp_path):
    data = dicelab.certify_exact("hazard", main=6).data
    data["about"]["parameters"]["main"] = 7
    with pytest.raises(checker.Refused, match="the rules lead elsewhere"):
        checker.check_rules(data, "hazard", 1000)


def test_what_cannot_be_certified_is_refused(limits):
    policy = dicelab.solve("tossup", target=2).policy
    with pytest.raises(NoCertificate, match="saved policy"):
        dicelab.certify_exact("tossup", policy, target=2)
    limits(certificate_edges=10)
    with pytest.raises(NoCertificate, match="hazard has more than 10 edges between states; choose smaller parameters"):
        dicelab.certify_exact("hazard")


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=120)


@pytest.mark.slow
def test_the_commands_and_the_checker(tmp_path):
    file = tmp_path / "hazard.json.gz"
    done = run(sys.executable, "-m", "dicelab", "exact", "hazard", "--certificate", str(file))
    assert (done.returncode, "7 states and 26 edges" in done.stderr) == (0, True)
    checked = run(sys.executable, "-I", str(CHECKER), str(file))
    assert checked.stdout.splitlines()[0] == "probability of win: 0.492929292929292 to 0.492929292929294"
    assert "dicelab" not in checked.stderr
    checked = run(sys.executable, str(CHECKER), str(file), "--rules", "hazard")
    assert "agree in 7 of 7 states" in checked.stdout


@pytest.mark.slow
def test_other_files_are_refused(tmp_path):
    file = tmp_path / "bad.json"
    for text in ("", "{}", "[1]", "x" * 100, json.dumps({"format": checker.FORMAT})):
        file.write_text(text)
        checked = run(sys.executable, "-I", str(CHECKER), str(file))
        assert checked.returncode in (1, 2)
        assert "Traceback" not in checked.stderr
    assert run(sys.executable, "-I", str(CHECKER), str(tmp_path / "none")).returncode == 2


def test_the_checker_is_short_and_needs_the_standard_library_only():
    text = CHECKER.read_text()
    assert len(text.splitlines()) <= 250
    code = "import sys; sys.argv = ['x']; sys.path = [p for p in sys.path if 'site-packages' not in p]; import runpy; "
    done = run(sys.executable, "-I", "-S", "-c", code + f"runpy.run_path({str(CHECKER)!r})")
    assert done.returncode == 0, done.stderr
