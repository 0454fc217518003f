"""A policy plays the same games in every engine, bit for bit: every game found that has choices."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

import dicelab
from conformance.policy_settings import SETTINGS
from dicelab.engines.compiled import Compiled
from dicelab.engines.tables.memo import MemoEngine
from dicelab.engines.tables.state import TableEngine
from dicelab.engines.tables.turn import TurnEngine
from dicelab.errors import DicelabError, NotSmall, PlayError
from dicelab.rules.game import seat_count
from dicelab.rules.payoffs import payoff_tallies, payoffs_of
from dicelab.runtime.interpreter import Reference
from dicelab.runtime.lineup import Run
from dicelab.runtime.scheduler import Engine
from support import GAMES

SEED = 20_261_120


TWO_SEATS = [name for name, (_, given) in SETTINGS.items() if seat_count(GAMES[name](**given)) == 2]


def test_every_game_with_choices_is_played() -> None:
    assert set(SETTINGS) == {name for name, game in GAMES.items() if game.declared.decisions}


def saved(name: str, file: object, against: str | tuple[str, ...] = (), seat: int = 0) -> str:
    """The policy of a game, as a strategy."""
    objective, parameters = SETTINGS[name]
    best = dicelab.solve(GAMES[name], against, seat=seat, objective=objective, **parameters)
    assert best.policy is not None
    best.policy.save(str(file))
    return f"policy:{file}"


def same_games(run: Run, games: int = 40, many: int = 1500) -> None:
    """Every single game, and the sum of many more."""
    slow = Reference(run.game, run.calls)
    alone = [slow.play(SEED, index, index + 1) for index in range(games)]
    total = slow.play(SEED, 0, many)
    fast: list[Engine] = [Compiled(run.game, run.calls)]
    for kind in (TableEngine, TurnEngine):
        with suppress(NotSmall):
            table = kind(run.game, run.calls)
            table.compile()
            fast.append(table)
    for engine in fast:
        for index in range(games):
            told = f"game {index} of seed {SEED}, {engine.name} engine"
            assert engine.play(SEED, index, index + 1) == alone[index], told
        assert engine.play(SEED, 0, many) == total, engine.name


@pytest.mark.quick_cases("craps")
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n == "craps")) for n in SETTINGS])
def test_a_policy_in_every_seat(name: str, tmp_path: object) -> None:
    policy = saved(name, f"{tmp_path}/best.npz")
    same_games(Run.of(GAMES[name], policy, **SETTINGS[name][1]))


@pytest.mark.slow_cases(
    "1-backgammon",
    "1-bear-off-cube",
    "1-bear-off-race",
    "1-cant-stop-race",
    "1-everyday",
    "1-farkle",
    "1-high-bet",
    "1-lcr-wild",
    "1-margin",
    "1-mexico",
    "1-pig",
    "1-piglet",
    "1-pigs",
    "1-targets",
    "1-three-boxes",
    "1-tossup",
)
@pytest.mark.parametrize("name", TWO_SEATS)
@pytest.mark.parametrize("seat", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_a_policy_beside_a_strategy(name: str, seat: int, tmp_path: object) -> None:
    """Solved against the strategy, so that it knows only what the two can come to."""
    other = next(iter(GAMES[name].declared.strategies))
    policy = saved(name, f"{tmp_path}/best.npz", other, seat)
    same_games(Run.of(GAMES[name], [policy, other] if seat == 0 else [other, policy], **SETTINGS[name][1]))


@pytest.mark.slow
def test_two_policies_beside_each_other(tmp_path: object) -> None:
    first = saved("pig", f"{tmp_path}/first.npz")
    answer = saved("pig", f"{tmp_path}/second.npz", first, 1)
    same_games(Run.of(GAMES["pig"], [first, answer], target=12))


@pytest.mark.slow_cases("policy")
@pytest.mark.parametrize("second", ["policy", pytest.param("hold_at:5", marks=pytest.mark.slow)])
def test_the_graph_engine_plays_a_policy(second: str, tmp_path: object) -> None:
    policy = saved("pig", f"{tmp_path}/best.npz")
    run = Run.of(GAMES["pig"], [policy, policy if second == "policy" else second], target=12)
    made = MemoEngine(run.game, run.calls)
    made.compile()
    assert made.play(SEED, 0, 2000) == Reference(run.game, run.calls).play(SEED, 0, 2000)
    assert made.name == "memo"


def exactly(name: str, line: list[str], seat: int) -> tuple[float, float]:
    """What a line-up comes to in what was wanted, answered exactly, and a bound on its error."""
    (objective, given), game = SETTINGS[name], GAMES[name]
    kind, _, tally = (objective or "win").partition(":")
    if kind == "win" and (counted := payoff_tallies(game(**given))):
        tally = list(game.declared.tallies)[counted[seat]]
    found = dicelab.exact(game, line, tallies=[tally] if tally else [], **given)
    if tally:
        return found.tallies[tally].mean, found.tallies[tally].error
    payoffs = payoffs_of(game(**given)) if kind == "win" else None
    if payoffs is not None:
        shares = [(chance, payoff[seat]) for chance, payoff in zip(found.outcomes.values(), payoffs, strict=True)]
        return sum(c.probability * x for c, x in shares), sum(c.error * abs(x) for c, x in shares)
    chance = found.outcomes[str(seat) if kind == "win" else kind]
    return chance.probability, chance.error


def must_be_worth_what_was_solved(name: str, file: str, others: tuple[str, ...] = (), seat: int = 0) -> None:
    """Solve, save and load; the loaded policy is exactly worth what was solved, within both bounds."""
    (objective, given), game = SETTINGS[name], GAMES[name]
    best = dicelab.solve(game, others, seat=seat, objective=objective, **given)
    assert best.policy is not None
    best.policy.save(file)
    policy = f"policy:{file}"
    line = [*others[:seat], policy, *others[seat:]] if others else [policy]
    value, error = exactly(name, line, seat)
    assert abs(value - best.value) <= best.error + error
    loaded = dicelab.Policy.load(file, game(**given))
    assert loaded.about["source_hash"] == best.source_hash
    assert (loaded.about["value"], loaded.game.parameters) == (best.value, best.policy.game.parameters)
    for array in ("keys", "row", "moves", "worth", "best"):
        assert (getattr(loaded, array) == getattr(best.policy, array)).all()


@pytest.mark.slow_cases(
    "backgammon",
    "bear-off-race",
    "cant-stop",
    "craps",
    "everyday",
    "farkle",
    "line-bets",
    "mexico",
    "odd-dice",
    "qualify",
    "relay",
    "shut-the-box",
    "shut-the-box-alone",
    "six-tiles",
    "tossup",
    "yahtzee",
    "yahtzee-box",
    "yahtzee-turn",
    "yatzy",
)
@pytest.mark.parametrize("name", SETTINGS)
def test_a_loaded_policy_is_worth_what_was_solved(name: str, tmp_path: object) -> None:
    must_be_worth_what_was_solved(name, f"{tmp_path}/best.npz")


@pytest.mark.slow_cases(
    "0-backgammon",
    "0-bear-off-race",
    "0-everyday",
    "0-farkle",
    "0-mexico",
    "0-tossup",
    "1-backgammon",
    "1-bear-off-race",
    "1-everyday",
    "1-farkle",
    "1-mexico",
    "1-tossup",
)
@pytest.mark.parametrize("name", TWO_SEATS)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_loaded_policy_beside_a_strategy_is_worth_what_was_solved(name: str, seat: int, tmp_path: object) -> None:
    other = next(iter(GAMES[name].declared.strategies))
    must_be_worth_what_was_solved(name, f"{tmp_path}/best.npz", (other,), seat)


@pytest.mark.slow
def test_a_loaded_policy_of_three_seats_is_worth_what_was_solved(tmp_path: Path) -> None:
    best = dicelab.solve("tossup", players=3, target=4, dice=3)
    assert best.policy is not None
    best.policy.save(tmp_path / "best.npz")
    found = dicelab.exact("tossup", f"policy:{tmp_path / 'best.npz'}", players=3, target=4, dice=3)
    for seat, chance in ((name, p.probability) for name, p in best.outcomes.items()):
        assert abs(found.outcomes[seat].probability - chance) <= best.error + found.error


def test_what_is_simulated_is_what_was_solved(tmp_path: object) -> None:
    """Within five standard errors of the value."""
    policy = saved("pig", f"{tmp_path}/best.npz")
    value, games = dicelab.solve(GAMES["pig"], target=12).value, 200_000
    found = dicelab.simulate(GAMES["pig"], policy, games=games, seed=1, target=12)
    assert found.engine != "reference"
    assert abs(found.outcomes["0"].count / games - value) < 5 * (value * (1 - value) / games) ** 0.5


@pytest.mark.parametrize("engine", ["auto", "reference", "compiled", "memo", "table"])
@pytest.mark.parametrize("target", [11, 13])
def test_a_policy_of_other_parameters_is_refused_by_every_engine(engine: str, target: int, tmp_path: object) -> None:
    policy = saved("pig", f"{tmp_path}/best.npz")
    with pytest.raises(DicelabError, match="was solved for other parameters: target 12"):
        dicelab.simulate(GAMES["pig"], policy, games=20, seed=1, engine=engine, target=target)


@pytest.mark.slow
def test_a_position_that_is_not_known_is_told_alike_by_every_engine(tmp_path: object) -> None:
    """Solved against who never holds before winning, the policy knows of no points that the other holds."""
    policy = saved("pig", f"{tmp_path}/best.npz", "hold_at:12", 1)
    run = Run.of(GAMES["pig"], ["hold_at:2", policy], target=12)
    told, graph = [], MemoEngine(run.game, run.calls)
    graph.compile()
    for engine in (Reference(run.game, run.calls), Compiled(run.game, run.calls), graph):
        with pytest.raises(PlayError, match="has no move for this state") as raised:
            engine.play(SEED, 0, 200)
        told.append(str(raised.value))
    assert len(set(told)) == 1
