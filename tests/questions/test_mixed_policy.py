"""Mixed strategies that were found, saved to a file and played."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dicelab
from dicelab.engines import policy_file
from dicelab.engines.compiled import Compiled
from dicelab.engines.tables.memo import MemoEngine
from dicelab.errors import DicelabError, InputError, ParameterError
from dicelab.questions.policies.files import load as load_policy
from dicelab.rules.game import Game
from dicelab.rules.loading.registry import games_in, load
from dicelab.runtime.interpreter import Reference, steps
from dicelab.runtime.lineup import Run
from dicelab.runtime.philox import Stream
from dicelab.runtime.scheduler import Tallied
from support import SetLimits

ROOT = Path(__file__).parents[2]
LIARS = str(ROOT / "verification/liars_die.py")

GLIMPSE = '''
from dicelab.rules import OVER, Game, Int, Ints, ask, chosen, d, strategy, throw, thrown


class Glimpse(Game):
    """Two roll hidden dice; then a sign is shown to both and taken away, and the first guesses the sum."""

    name = "glimpse"
    seats = 2

    dice = Ints(2, 0, 2, "the die of each", by_seat=True, private=True)
    rolls = Int(0, 4, "rolls so far")
    sign = Int(0, 2, "the sign")
    guess = Int(0, 4, "the guess")

    def next(self):
        if self.rolls < 4:
            return throw(self.die)
        return OVER if self.guess else ask(self.say, 0)

    @thrown(1, d(2))
    def die(self, face):
        if self.rolls < 2:
            self.dice[self.rolls] = face
        else:
            self.sign = face if self.rolls == 2 else 0
        self.rolls += 1

    @chosen((2, 4))
    def say(self, much):
        self.guess = much

    def outcome(self):
        return 0 if self.guess == self.dice[0] + self.dice[1] else 1


@strategy(Glimpse)
def three(game):
    return 3
'''


@pytest.mark.slow
def test_a_saved_equilibrium_leaves_nothing_to_gain(tmp_path: Path) -> None:
    found, path = dicelab.equilibrium(LIARS, faces=3), tmp_path / "best.npz"
    found.policy.save(path)
    again = dicelab.equilibrium(LIARS, f"policy:{path}", faces=3)
    assert again.value == pytest.approx(5 / 9, abs=1e-12)
    assert max(again.gains) < 1e-12
    against = dicelab.equilibrium(LIARS, [f"policy:{path}", "honest"], faces=3)
    assert against.value > 5 / 9
    assert against.gains[1] == pytest.approx(against.value - 5 / 9, abs=1e-12), "no more than it secures"
    exact = dicelab.exact(LIARS, [f"policy:{path}", "honest"], faces=3)
    assert exact.outcomes["0"].fraction is not None
    assert float(exact.outcomes["0"].fraction) == pytest.approx(against.value, abs=1e-12)
    assert dicelab.exact(LIARS, f"policy:{path}", faces=3).outcomes["0"].fraction == Fraction(5, 9)
    rows = dicelab.why(LIARS, f"policy:{path}", faces=3, depth=3).rows
    assert sum(row.probability * row.values["0"].fraction for row in rows) == Fraction(5, 9)
    played = dicelab.simulate(LIARS, [f"policy:{path}", "honest"], faces=3, games=500, seed=1)
    store = tmp_path / "runs.db"
    kept = [
        dicelab.simulate(LIARS, f"policy:{path}", faces=3, games=30, seed=1, store=store).to_dict()["outcomes"]
        for _ in range(2)
    ]
    assert kept[0] == kept[1]
    assert abs(played.outcomes["0"].probability - against.value) < 0.08


@pytest.mark.slow
def test_what_is_drawn_is_the_mixture(tmp_path: Path) -> None:
    found = dicelab.equilibrium(LIARS, faces=4)
    mixture = next(one for one in found.first_moves if one.seat == 1 and max(one.moves.values()) < 0.9)
    run = Run.of(LIARS, found.policy, faces=4)
    drawn, die = Counter[str](), int(mixture.sees.removeprefix("die ")[0])
    for index in range(800):
        game, moves = type(run.game)(faces=4), list[str]()
        for event in steps(game, [call.chooser(game) for call in run.calls], Stream(2, index)):
            if event.kind == "choice":
                moves.append("liar" if event.values[0] == 0 else f"{event.values[0]} of {event.values[1]}")
        if game.dice[1] == die:
            drawn[moves[1]] += 1
    assert drawn.total() > 150
    for move, p in mixture.moves.items():
        assert abs(drawn[move] / drawn.total() - p) < 0.13, move
        assert (p > 0) or not drawn[move]


def test_whole_weights_are_exact() -> None:
    policy = dicelab.equilibrium(LIARS, faces=4).policy
    shares = set[Fraction]()
    for first, end in zip(policy.row[:-1].tolist(), policy.row[1:].tolist(), strict=True):
        weights = policy.weight[first:end].tolist()
        shares |= {Fraction(weight, sum(weights)) for weight in weights}
    assert Fraction(1, 2) in shares
    assert max(share.denominator for share in shares) < 100


@pytest.mark.parametrize(("tells", "value"), [("self.rolls - 2", Fraction(1, 2)), ("self.dice[1]", Fraction(1))])
def test_who_sees_more_than_stays_plays_alike_and_it_is_said_what_that_costs(
    tells: str, value: Fraction, tmp_path: Path, limits: SetLimits
) -> None:
    """A sign is shown and taken away: it says nothing, or the die of the second. The file can't remember it."""
    (tmp_path / "glimpse.py").write_text(GLIMPSE.replace("self.sign = face if", f"self.sign = {tells} if"))
    table: type[Game] = games_in(load(tmp_path / "glimpse.py"))["glimpse"]
    found = dicelab.equilibrium(table)
    assert found.fraction == value
    if value == 1:
        with pytest.raises(
            ParameterError, match=r"glimpse: what a player has seen .* a player could gain 5e-01, so that"
        ):
            found.policy.save(tmp_path / "no.npz")
        limits(given_away=1)
    policy = found.policy
    mean = float(dicelab.exact(table, policy.strategy).outcomes["0"].fraction or 0)
    assert mean == 1 / 2
    assert policy.about["value"] == pytest.approx(mean)
    if value == 1:
        assert policy.about["gains"] == pytest.approx([1 / 2, 0], abs=1e-9)
    assert policy.about.get("alike", 0) == (2 if value == 1 else 0)


def test_subgames_that_no_own_move_tells_apart_are_played_alike(tmp_path: Path, limits: SetLimits) -> None:
    """Both know the state while the sign is shown, so a subgame begins; but the first has made no move to remember."""
    changes = {
        "self.sign = face if": "self.sign = self.dice[1] if",
        "self.rolls] = face": "self.rolls] = face if self.rolls else 1",
    }
    text = GLIMPSE
    for old, new in changes.items():
        text = text.replace(old, new)
    (tmp_path / "glimpse.py").write_text(text)
    limits(whole_histories=0)
    table: type[Game] = games_in(load(tmp_path / "glimpse.py"))["glimpse"]
    found = dicelab.equilibrium(table)
    assert found.subgames > 2
    assert found.value == 1
    with pytest.raises(ParameterError, match="against strategies that forget it a player could gain 5e-01"):
        found.policy.save(tmp_path / "no.npz")


@pytest.mark.slow
def test_a_file_plays_rounds_in_which_dice_are_lost(tmp_path: Path) -> None:
    """The last two dice look the same, whoever begins; neither of these rounds can follow the other."""
    given: dict[str, object] = {"faces": 2, "wild": "none"}
    found = dicelab.equilibrium("liars-dice", **given)
    assert found.subgames == 5
    found.policy.save(tmp_path / "lost.npz")
    line_up = [f"policy:{tmp_path / 'lost.npz'}"]
    played = dicelab.equilibrium("liars-dice", line_up, **given)
    assert played.value == pytest.approx(found.value, abs=1e-6)
    assert max(played.gains) <= max(found.gains) + 1e-6
    assert dicelab.exact("liars-dice", line_up, **given).outcomes["0"].probability == pytest.approx(
        found.value, abs=1e-6
    )


def test_files_are_refused_where_they_make_no_sense(tmp_path: Path) -> None:
    path, policy = tmp_path / "best.npz", dicelab.equilibrium(LIARS, faces=2).policy
    policy.save(path)
    with pytest.raises(InputError, match="has mixed strategies; they are played: -s policy:"):
        load_policy(path, policy.game)
    with pytest.raises(ParameterError, match=r"was solved for other parameters: faces 2 \(not 3\)"):
        dicelab.simulate(LIARS, f"policy:{path}", faces=3, games=1)
    arrays = policy.kept
    for name, wrong in {
        "weight": np.zeros_like(policy.weight),
        "at": policy.at + 1,
        "after": policy.after - 2,
        "starts": policy.starts[:, :0],
    }.items():
        policy_file.write(path, policy.about, arrays | {name: wrong}, policy_file.MIXED)
        with pytest.raises(InputError, match="has arrays that do not fit the rules of liars-die"):
            dicelab.simulate(LIARS, f"policy:{path}", faces=2, games=1)


def totals(played: Tallied) -> tuple[object, ...]:
    return played.counts, played.histograms


@pytest.mark.parametrize(
    ("game", "given"),
    [
        pytest.param(LIARS, {"faces": 3}, marks=pytest.mark.slow),
        pytest.param("mia", {"faces": 3, "lives": 1}, marks=pytest.mark.slow),
        pytest.param("sealed-bids", {"purse": 2, "prizes": 2}, marks=pytest.mark.slow),
        pytest.param(str(ROOT / "tests/games/hidden_dice.py:dice-poker"), {}, marks=pytest.mark.slow),
    ],
)
def test_compiled_games_are_those_of_the_reference_bit_for_bit(
    game: str, given: dict[str, object], tmp_path: Path
) -> None:
    """For both in the same strategies, and for each against another strategy, which shifts the draws."""
    dicelab.equilibrium(game, **given).policy.save(tmp_path / "best.npz")
    kept = f"policy:{tmp_path / 'best.npz'}"
    other = next(iter(Run.of(game, **given).game.declared.strategies))
    for line in ([kept, kept], [kept, other], [other, kept]):
        run = Run.of(game, line, **given)
        compiled, memo = Compiled(run.game, run.calls, 10_000), MemoEngine(run.game, run.calls)
        memo.compile()
        reference = Reference(run.game, run.calls)
        for number in range(60):
            assert compiled.play(7, number, number + 1) == reference.play(7, number, number + 1)
        assert totals(memo.play(7, 0, 200)) == totals(reference.play(7, 0, 200))
        assert memo._others is None, "no game was left to the compiled engine"


def test_other_engines_refuse_to_draw(tmp_path: Path) -> None:
    found, path = dicelab.equilibrium(LIARS, faces=2), tmp_path / "best.npz"
    found.policy.save(path)
    for engine in ("counter", "table"):
        with pytest.raises(DicelabError, match="draws its moves"):
            dicelab.simulate(LIARS, f"policy:{path}", faces=2, games=10, seed=1, engine=engine)
