"""A part of a move that is a seat turns with the seats, where all of them are alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dicelab
from dicelab.errors import RulesError
from dicelab.interface.play import play
from dicelab.questions.policies.skill.review import PlayedStep, review
from dicelab.questions.policies.skill.values import values
from dicelab.rules import Seat, chosen
from dicelab.runtime.lineup import Run
from dicelab.solver.enumeration.graph import graph_of
from dicelab.solver.enumeration.unfold import unrolled

FILE = Path(__file__).parents[1] / "games" / "targets.py"


@pytest.mark.slow
def test_three_seats_turned_are_the_game_that_is_not_turned() -> None:
    run = Run.of(str(FILE), players=3)
    for engine in ("reference", "compiled"):
        turned = unrolled(graph_of(run, free=range(3), turned=True, engine=engine))
        plain = graph_of(run, free=range(3), engine=engine)
        assert turned.states == plain.states
        numbers = {tuple(key): i for i, key in enumerate(turned.keys.tolist())}
        for state, key in enumerate(plain.keys.tolist()):
            edges = []
            for graph, i in ((plain, state), (turned, numbers[tuple(key)])):
                assert graph.mover[i] == plain.mover[state]
                span = range(graph.row[i], graph.row[i + 1])
                to = [
                    (
                        int(graph.weight[graph.label[e]]),
                        *(graph.keys[t].tolist() if (t := graph.target[e]) >= 0 else [int(t)]),
                    )
                    for e in span
                ]
                edges.append(sorted(to))
            assert edges[0] == edges[1]


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 4])
def test_a_policy_plays_as_solved_from_every_seat(players: int, tmp_path: Path) -> None:
    best = dicelab.solve(str(FILE), players=players, lives=1)
    assert best.policy is not None
    best.policy.save(tmp_path / "best.npz")
    played = dicelab.exact(str(FILE), f"policy:{tmp_path}/best.npz", players=players, lives=1)
    for seat, chance in best.outcomes.items():
        assert played.outcomes[seat].probability == pytest.approx(chance.probability, abs=1e-9)
    both = [
        dicelab.simulate(str(FILE), best.policy, games=500, seed=1, engine=e, players=players, lives=1)
        for e in ("reference", "compiled")
    ]
    assert both[0].outcomes == both[1].outcomes
    assert np.isfinite(best.policy.worth).all()


@pytest.mark.slow
def test_a_seat_that_does_not_turn_is_found(tmp_path: Path) -> None:
    file = tmp_path / "game.py"
    file.write_text(FILE.read_text().replace("@chosen((1, 2), player, legal", "@chosen((1, 2), players, legal"))
    report = dicelab.check(file)
    assert not report.lawful
    assert "alike" in str(report)
    with pytest.raises(RulesError, match=r"alike|same from every seat"):
        dicelab.solve(str(file), players=3)
    assert dicelab.check(str(FILE)).lawful


def test_what_a_move_may_consist_of() -> None:
    decision = chosen((1, 2), Seat(3, nobody=True))(lambda game, number, seat: None)
    assert (decision.seats, decision.kinds[1][1]) == ((1,), 2)  # type: ignore[index]
    with pytest.raises(RulesError, match="or a Seat"):
        chosen("seat")  # type: ignore[arg-type]


def test_people_count_the_seats_of_moves_from_one() -> None:
    """In questions, answers, refusals, hints and what strategies have chosen; as in all that `play` shows."""
    game = dicelab.find(str(FILE))(players=3)
    lines, told, asked = iter(["1 1", "?", "2", "3", "q"]), list[str](), list[str]()

    def read(prompt: str) -> str:
        asked.append(prompt)
        return next(lines)

    hints = lambda table, decision, seat: {(1, 2): 0.25, (2, 0): 0.5}  # noqa: E731
    play(game, ["me", "strongest", "strongest"], 1, hints, read=read, write=told.append)
    assert "  1 is not allowed now; allowed: 2, 3" in told
    assert "  2 1  0.5000  best" in told
    assert "  1 3  0.2500" in told
    assert any("seat: 2, 3" in line for line in told)
    assert asked[3].startswith("you: aim 2 seat: 2, 3")
    assert any("target player 3" in line.replace("\xa0", " ") for line in told)
    decision = game.declared.decisions[0]
    assert (decision.describe((1, 0)), decision.describe((1, 0), 1)) == ("1 0", "1 1")


def test_people_count_the_seats_of_reviewed_moves_from_one() -> None:
    game = dicelab.find(str(FILE))(players=3, lives=1)
    found = review(
        game, values(game), [PlayedStep("choice", (1, 1)), PlayedStep("throw", (3,)), PlayedStep("choice", (2, 0))]
    )
    assert [found.steps[0].words, found.steps[2].words] == ["1 2", "2 1"]
    data = found.to_dict()["steps"]
    assert (data[0]["move"], data[2]["move"], data[0]["seat"]) == ("1 1", "2 0", 0)
    assert "2 1" in found.text()
    assert [row["what"] for row in found._rows()] == ["1 1", "die", "2 0"]
