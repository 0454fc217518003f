"""Random small games with hidden information: the linear program, regrets, exact answers and plain Python agree on what
they are worth; with three seats or general payoffs, on what each seat gets and could gain.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import dicelab
from dicelab.errors import ParameterError
from dicelab.limits import limited
from dicelab.rules.game import Game, counted, twin
from dicelab.rules.loading.registry import games_in, load
from dicelab.runtime.lineup import Run
from dicelab.solver.public_tree import PublicTree
from fuzz.case import Mismatch
from hidden_reference import of_policy, worth

GAP = 1e-3
"""At which regrets stop."""
SECONDS = 20
PAYOFFS_AT_ONCE = 200_000
"""Payoffs that regrets go through until the clock is looked at: loops that aren't compiled take a second for them."""
MOST_HISTORIES = 6_000
"""Larger games take plain Python too long."""

HEAD = '''
from dicelab.rules import OVER, Game, Int, Ints, Seat, Tally, ask, chosen, d, strategy, throw, thrown

WORTH = {worth}


class Hidden(Game):
    """Made at random."""

    name = "hidden"
    seats = {seats}
    outcomes = ("over",)

    dice = Ints({seats}, 0, {faces}, "the die of each", by_seat=True, private=True)
    secret = Ints({seats}, 0, 3, "what each keeps to itself", by_seat=True, private=True)
    open = Int(0, 3, "a die that all see")
    said = Int(0, 4095, "what was said, as a number")
    stage = Int(0, {stages}, "steps so far")
    player = Seat({seats}, "who chooses")
    first = Tally("what the first gets", low=-9, high=9)
    second = Tally("what the second gets", low=-9, high=9)
    third = Tally("what the third gets", low=-9, high=9)
    payoffs = (first, second, third)[:seats]

    def next(self):
'''
EFFECTS = {
    "said": "self.said = (self.said * {base} + {move} + {add}) % 4096",
    "secret": "self.secret[{seat}] = {move}",
    "both": "self.secret[{seat}] = {move}\n        self.said = (self.said + {move} // 2) % 4096",
}
LEGAL = [
    "True",
    "move < 1 + self.dice[{seat}]",
    "move != self.open or move == 0",
    "move == 0 or self.dice[{seat}] > 1",
    "move == 0 or self.said % 2 == 0",
]


def hidden_text(number: int, general: bool = False) -> str:
    """Return the rules of a random game: of two opposed seats, or of two or three, each with payoffs of its own."""
    source = random.Random(number)
    seats = 2 + source.randint(0, 1) if general else 2
    faces, stages = source.choice([2, 2, 3]), source.randint(3, 5)
    kinds = [source.choice(["die 0", "die 1"])]
    kinds += [source.choice(["die 0", "die 1", "open", "ask 0", "ask 1", "ask 1", "all"]) for _ in range(stages - 2)]
    kinds.append(source.choice(["ask 0", "ask 1", "all"]))
    if seats == 3:
        kinds[source.randint(1, stages - 1)] = source.choice(["ask 2", "ask 2", "all"])
    worth_of = tuple(source.randint(-3, 3) for _ in range(source.choice([5, 7, 11])))
    text, methods = HEAD.format(seats=seats, worth=worth_of, faces=faces, stages=stages), list[str]()
    for at, kind in enumerate(kinds):
        what, _, seat = kind.partition(" ")
        base, add, moves = source.choice([1, 4, 4]), source.randint(0, 4), source.choice([2, 2, 3])
        step = f"ask(self.step_{at}, {list(range(seats))})" if what == "all" else f"ask(self.step_{at}, {seat})"
        if what in ("die", "open"):
            step = f"throw(self.step_{at})"
            place = f"dice[{seat}]" if what == "die" else "open"
            methods.append(
                f"    @thrown(1, d({faces}))\n    def step_{at}(self, face):\n        self.{place} = face\n"
                f"        self.stage += 1\n"
            )
        elif what == "all":
            mixed_in = f"self.said = (self.said * {base} + moves[0] + {add} * moves[1]) % 4096"
            methods.append(
                f"    @chosen({moves}, together=player)\n    def step_{at}(self, moves):\n        {mixed_in}\n"
                f"        self.stage += 1\n"
            )
        else:
            effect = EFFECTS[source.choice(["said", "said", "secret", "both"])].format(
                base=base, add=add, seat=seat, move="move"
            )
            legal = source.choice(LEGAL).format(seat=seat)
            methods.append(
                f"    def may_{at}(self, move):\n        return {legal}\n\n"
                f"    @chosen({moves}, legal=may_{at})\n    def step_{at}(self, move):\n        {effect}\n"
                f"        self.stage += 1\n"
            )
        text += f"        if self.stage == {at}:\n            return {step}\n"
    text += "        return OVER\n\n" + "\n".join(methods)
    a, b, c, e, f = (source.randint(0, 6) for _ in range(5))
    sums = f"{a} * self.dice[0] + {b} * self.dice[1] + {c} * self.said + {e} * self.secret[0] + {f} * self.secret[1]"
    if general:
        shares = [source.randint(1, 4) for _ in range(seats)]
        counted = "".join(
            f"        self.{name} += WORTH[({sums} + self.open * {n} + {n} * self.said) % {len(worth_of)}]\n"
            for name, n in zip(("first", "second", "third"), shares, strict=False)
        )
    else:
        counted = f"        got = WORTH[({sums} + self.open) % {len(worth_of)}]\n"
        counted += "        self.first += got\n        self.second -= got\n"
    return text + (
        f"\n    def outcome(self):\n{counted}        return 0\n\n\n@strategy(Hidden)\ndef none(game):\n    return 0\n"
    )


def compare_hidden(number: int, folder: Path, done: Counter[str]) -> None:
    """Compare what five methods say of one random game.

    Raises
    ------
    Mismatch
    """
    file, where = folder / f"hidden_{number}.py", f"the rules are fuzz.hidden.hidden_text({number})"
    file.write_text(hidden_text(number))
    game = next(iter(games_in(load(file)).values()))
    program = dicelab.equilibrium(game)
    if program.histories > MOST_HISTORIES:
        return
    with limited(payoffs=0, payoffs_at_once=PAYOFFS_AT_ONCE):
        regrets = dicelab.equilibrium(game, gap=GAP, seconds=SECONDS)
    done["hidden"] += 1
    value = program.value if program.fraction is None else program.fraction
    if abs(value - regrets.value) > program.error + regrets.error + 1e-12:
        raise Mismatch("regrets and the linear program agree", f"{regrets.value} ± {regrets.error}, {value}; {where}")
    with limited(whole_histories=0, listed_histories=0):
        parts = dicelab.equilibrium(game, gap=GAP, seconds=SECONDS)
    done["hidden, in subgames"] += parts.subgames > 1
    done["hidden, arrays over hands"] += any(isinstance(tree, PublicTree) for tree, _ in vars(parts)["_found"][1].parts)
    if abs(value - parts.value) > program.error + parts.error + 1e-12:
        raise Mismatch("subgames and the linear program agree", f"{parts.value} ± {parts.error}, {value}; {where}")
    try:
        policy = program.policy
    except ParameterError:  # a seat sees more than the state shows afterwards
        done["hidden, not kept"] += 1
        return
    must_leave_nothing(game, policy, value, program.error, where)


def must_leave_nothing(game: type[Game], policy: Any, value: Any, error: float, what: str) -> None:
    """Refuse mixtures that are worth something else, or that plain Python gains against.

    Raises
    ------
    Mismatch
    """

    def payoff(ended: Game) -> Fraction:
        over = twin(ended)
        over.outcome()
        return Fraction(counted(over)["first"])

    table, chances, most = Run.of(game).game, of_policy(policy), error + 1e-7
    found = worth(table, payoff, chances)
    mean = dicelab.exact(game, policy.named("mixed")).tallies["first"].mean
    gains = [worth(table, payoff, chances, seat) - (found, -found)[seat] for seat in (0, 1)]
    for name, number in (("the value", abs(found - value)), ("exact", abs(mean - found)), ("a gain", max(gains))):
        if number > most:
            raise Mismatch("mixtures are as good as solved", f"{name} differs by {float(number)}: {value}; {what}")


def compare_general(number: int, folder: Path, done: Counter[str]) -> None:
    """Compare what regrets and plain Python say of strategies of one random game, with three seats or general payoffs.

    Raises
    ------
    Mismatch
    """
    file, where = folder / f"general_{number}.py", f"the rules are fuzz.hidden.hidden_text({number}, general=True)"
    file.write_text(hidden_text(number, general=True))
    game = next(iter(games_in(load(file)).values()))
    with limited(payoffs_at_once=PAYOFFS_AT_ONCE):
        whole = dicelab.equilibrium(game, gap=GAP, seconds=1)
    if whole.histories > MOST_HISTORIES:
        return
    with limited(whole_histories=0, payoffs_at_once=PAYOFFS_AT_ONCE):
        parts = dicelab.equilibrium(game, gap=GAP, seconds=1)

    def payoffs(ended: Game) -> tuple[int, ...]:
        over = twin(ended)
        over.outcome()
        return tuple(counted(over).values())[: len(whole.values)]

    for found in (whole, parts):
        try:
            policy = found.policy
        except ParameterError:  # a seat sees more than the state shows afterwards
            done["general, not kept"] += 1
            continue
        done["general"] += 1
        done["general, of three"] += len(found.values) == 3
        table, chances = Run.of(game).game, of_policy(policy)
        means = list(dicelab.exact(game, policy.named("mixed")).tallies.values())
        for seat, (value, gain) in enumerate(zip(found.values, found.gains, strict=True)):
            plain = worth(table, payoffs, chances, of=seat)
            most = worth(table, payoffs, chances, seat) - plain
            exact = found.subgames == 1  # else the bound of all subgames
            wrong = abs(plain - value) > 1e-6 or abs(means[seat].mean - value) > 1e-6
            if wrong or most > gain + 1e-6 or (exact and most < gain - 1e-6):
                said = f"seat {seat}: {value}, gain {gain}; in plain Python {float(plain)}, {float(most)}; {where}"
                raise Mismatch("strategies get, and leave to gain, what is said", said)
