"""Hints from saved mixed strategies: what each move is worth and loses, and how often it should be made."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import dicelab
import hidden_reference
from dicelab.errors import DicelabError, ParameterError
from dicelab.interface.play import play
from dicelab.interface.play.asking.hints import hints_for
from dicelab.questions.policies.skill.mixed_review import MixedHints
from dicelab.rules.game import reset, twin
from dicelab.runtime.interpreter import Event
from dicelab.runtime.lineup import Run

LIARS = str(Path(__file__).parents[3] / "verification/liars_die.py")
FACES = 3


@pytest.fixture(scope="module")
def found() -> dicelab.Equilibrium:
    return dicelab.equilibrium(LIARS, faces=FACES)


def test_moves_are_worth_what_plain_python_finds(found: dicelab.Equilibrium) -> None:
    """For each die of the first, every move: the best response to the second from there on, over all its dice."""
    hints, chances = MixedHints(found.policy), hidden_reference.of_policy(found.policy)
    table, whole = Run.of(LIARS, faces=FACES).game, Fraction(0)
    for mine in range(1, FACES + 1):
        rolled = []
        for theirs in range(1, FACES + 1):
            game, seen = twin(table), ((), ())
            reset(game)
            for face in (mine, theirs):
                game, seen = hidden_reference.after(game, type(game).roll, (face,), seen, -1)
            rolled.append((Fraction(1, FACES), game, seen))
        hints.played = [Event("throw", "roll", 1, (face,)) for face in (mine, 1)]
        worths, shares = hints(rolled[0][1], type(table).bid, 0)
        assert sum(shares.values()) == pytest.approx(1)
        for move, worth in worths.items():
            nodes = [(p, *hidden_reference.after(game, type(game).bid, move, seen, 0)) for p, game, seen in rolled]
            plain = hidden_reference._worth(nodes, hidden_reference.chance_to_win, chances, 0)
            assert worth == pytest.approx(float(plain), abs=1e-9)
            if shares[move]:
                assert worth == pytest.approx(max(worths.values()), abs=1e-9), "what is mixed is equally good"
        whole += Fraction(max(worths.values())) / FACES
    assert float(whole) == pytest.approx(5 / 9, abs=1e-9)


def test_the_second_player_weighs_what_the_bid_says_of_the_other_die(found: dicelab.Equilibrium) -> None:
    """After each bid that the first makes: all its dice, with the chance that it bids so with them."""
    hints, chances = MixedHints(found.policy), hidden_reference.of_policy(found.policy)
    table, tried = Run.of(LIARS, faces=FACES).game, 0
    for theirs in range(1, FACES + 1):
        rolled, bids = [], set[tuple[int, ...]]()
        for mine in range(1, FACES + 1):
            game, seen = twin(table), ((), ())
            reset(game)
            for face in (mine, theirs):
                game, seen = hidden_reference.after(game, type(game).roll, (face,), seen, -1)
            rolled.append((mine, game, seen, chances(0, game, seen[0])))
            bids |= {move for move, p in rolled[-1][3].items() if p}
        for bid in bids:
            nodes = [
                (p[bid], *hidden_reference.after(game, type(game).bid, bid, seen, 0)) for _, game, seen, p in rolled
            ]
            sum_of_all = sum(p for p, _, _ in nodes)
            rolls = [Event("throw", "roll", 1, (face,)) for face in (1, theirs)]
            hints.played = [*rolls, Event("choice", "bid", 0, bid)]
            worths, _ = hints(nodes[0][1], type(table).bid, 1)
            for move, worth in worths.items():
                later = [(p, *hidden_reference.after(game, type(game).bid, move, seen, 1)) for p, game, seen in nodes]
                plain = (
                    hidden_reference._worth(later, lambda over: -hidden_reference.chance_to_win(over), chances, 1)
                    / sum_of_all
                )
                assert worth == pytest.approx(1 + float(plain), abs=1e-9)  # -1 for each loss
                tried += 1
    assert tried > 10


def test_a_coach_at_the_terminal_shows_mixture_and_loss(found: dicelab.Equilibrium, tmp_path: Path) -> None:
    found.policy.save(tmp_path / "best.npz")
    kept, lines = f"policy:{tmp_path / 'best.npz'}", list[str]()
    answers = iter(["hint", "q"])
    game = Run.of(LIARS, faces=FACES).game
    play(
        game,
        ["me", kept],
        1,
        read=lambda prompt: next(answers),
        write=lines.append,
        asked=hints_for(game, ["me", kept], kept),
    )
    shown = "\n".join(lines)
    assert "chance to win, what the move loses, and how often to make it:" in shown
    assert shown.count("  best") >= 1
    assert "100.0%" in shown or "50.0%" in shown
    with pytest.raises(ParameterError, match="leave out --objective"):
        hints_for(game, ["me", kept], kept, "win")
    with pytest.raises(DicelabError):
        hints_for(Run.of(LIARS, faces=4).game, ["me", kept], kept)
