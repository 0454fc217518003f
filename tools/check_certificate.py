#!/usr/bin/env python3
"""Check a certificate of dicelab: do the bounds that it claims follow from the game that it describes?

    python check_certificate.py CERTIFICATE [--rules FILE] [--sample N]

It needs Python 3.11 alone. All arithmetic is in whole numbers, so nothing is rounded but the printed bounds, which are
rounded outwards. docs/certificates.md describes the file and proves that these checks suffice.

With --rules FILE (a rules file, or the name of a game that dicelab includes) it also imports dicelab and plays, by the
rules in plain Python, every roll and every move in N states drawn at random (all states if there are no more than N;
default 1000), and compares where they lead with the certificate.

Exit status: 0 if the bounds follow, 1 if they don't, 2 if the file can't be read.
"""

import argparse
import gzip
import json
import math
import random
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

FORMAT, DIGITS = "dicelab certificate 1", 15


class Refused(Exception):
    """The certificate does not prove what it claims."""


def read(path: str) -> dict:
    """Return the certificate in a file, with the types and ranges of all parts checked."""
    try:
        raw = Path(path).read_bytes()
        data = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    except (OSError, EOFError, ValueError, RecursionError) as error:
        raise OSError(f"{path} can't be read: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise OSError(f"{path} is no file in the format {FORMAT!r}")
    try:
        must_fit_together(data)
    except (KeyError, TypeError, IndexError, ValueError, AttributeError, ZeroDivisionError) as error:
        raise Refused(f"a part is missing or has another form: {type(error).__name__} {error}") from error
    return data


def whole(values: object, length: int | None = None, low: int | None = None, high: int | None = None) -> list[int]:
    """Return a list of whole numbers from `low` to below `high`; raise `Refused` for anything else."""
    if not isinstance(values, list) or (length is not None and len(values) != length):
        raise Refused("a list has another length than it must have")
    for x in values:
        if type(x) is not int or (low is not None and x < low) or (high is not None and x >= high):
            raise Refused(f"{x!r} is not a whole number in the range that is allowed there")
    return values


def must_fit_together(data: dict) -> None:
    """Raise `Refused` unless all lists have the right lengths and all indices lie within them."""
    states, outcomes, tallies = len(data["states"]), len(data["outcomes"]), len(data["tallies"])
    row = whole(data["row"], states + 1, 0)
    edges = row[-1]
    if row[0] != 0 or any(first >= last for first, last in pairwise(row)):
        raise Refused("some state has no edges")
    whole(data["target"], edges, -outcomes, states)
    whole(data["weight"], edges, 0)
    whole(data["change"], edges, 0, len(data["changes"]))
    whole(data["mover"], states, -1)
    whole(data["picked"], states, -1, edges)
    whole(data["steps"], states, 0)
    whole([data["scale"], data["slope"]], 2, 1, 4096)
    for change in data["changes"]:
        whole(change, tallies)
    for numbers in data["states"]:
        whole(numbers, len(data["fields"]))
    if len({tuple(numbers) for numbers in data["states"]}) < states:
        raise Refused("a state occurs twice")
    whole(data["start"], 2, 0)
    whole(data["start"][:1], 1, 0, states)
    for state in range(states):
        inside = range(row[state], row[state + 1])
        if data["mover"][state] >= 0 and data["picked"][state] not in inside:
            raise Refused(f"{named(data, state)}: the move that is picked is none of this state")
        if data["mover"][state] < 0 and not all(data["weight"][e] > 0 for e in inside):
            raise Refused(f"{named(data, state)}: the weight of a roll must be at least 1")
    for claim in data["claims"]:
        whole([claim["slope"]], 1, 0)
        whole(claim["values"], states)
        whole(claim.get("slack", data["steps"]), states, 0)
        if claim["sign"] not in (1, -1) or not (claim["seat"] is None or type(claim["seat"]) is int):
            raise Refused("a claim has a sign that is neither 1 nor -1, or no seat")
        rewards(data, claim["of"])
    if not data["claims"]:
        raise Refused("it claims nothing")


def named(data: dict, state: int) -> str:
    """Return a state in words."""
    return (
        ", ".join(f"{name} {x}" for name, x in zip(data["fields"], data["states"][state], strict=True))
        or f"state {state}"
    )


def rewards(data: dict, of: list) -> tuple[list[int], list[int], int, str]:
    """Return what each row of changes and each outcome adds, in units, how many units are 1, and the name."""
    kind, number = of
    if type(number) is not int or number < 0 or kind not in ("outcome", "tally", "payoff"):
        raise Refused(f"a claim is about {kind} {number!r}, which does not exist")
    gains, prizes = [0] * len(data["changes"]), [0] * len(data["outcomes"])
    if kind == "outcome":
        prizes[number] = 1
        return gains, prizes, 1, f"probability of {data['outcomes'][number]}"
    name = f"payoff of player {number + 1}"
    if kind == "payoff" and isinstance(data["payoffs"][0], list):
        exact = [Fraction(line[number]) for line in data["payoffs"]]
        units = math.prod(x.denominator for x in exact)
        return gains, [int(exact[j] * units) for j in range(len(prizes))], units, name
    if kind == "payoff":
        number = data["payoffs"][number]
    else:
        name = f"mean of {data['tallies'][number]}"
    return [change[number] for change in data["changes"]], prizes, 1, name


def gain(data: dict, state: int, edges: list[int], gains: list[int], after: list[int]) -> int:
    """Return the weighted sum, over edges, of what they add and the value after them, less the value of the state."""
    one, weights = 1 << data["scale"], [1] if len(edges) == 1 else [data["weight"][e] for e in edges]
    sums = (gains[data["change"][e]] * one + after[data["target"][e]] - after[state] for e in edges)
    return sum(weight * x for weight, x in zip(weights, sums, strict=True))


def check_end(data: dict) -> None:
    """Raise `Refused` unless the expected steps fall in every state, so that the game ends with probability one."""
    after, none = data["steps"] + [0] * len(data["outcomes"]), [0] * len(data["changes"])
    for state, edges in played(data):
        if gain(data, state, edges, none, after) >= 0:
            raise Refused(f"{named(data, state)}: the steps do not fall, so the game might not end")


def played(data: dict):
    """Yield each state with the edges that play can take: all outcomes of a roll, or the picked move."""
    for state, mover in enumerate(data["mover"]):
        edges = range(data["row"][state], data["row"][state + 1])
        yield state, list(edges) if mover < 0 else [data["picked"][state]]


def bounds(data: dict, claim: dict) -> tuple[str, Fraction, Fraction, int]:
    """Return the name of what is claimed, its proved bounds, and how many moves were compared with the picked ones.

    Raises `Refused` unless they follow.
    """
    gains, prizes, units, name = rewards(data, claim["of"])
    one, slope = 1 << data["scale"], claim["slope"]
    after = claim["values"] + [x * one for x in reversed(prizes)]  # -1 is the first outcome
    slack, none, moves = claim.get("slack", data["steps"]) + [0] * len(prizes), [0] * len(gains), 0

    def allowed(state: int, edges: list[int]) -> Fraction:
        return -Fraction(slope * gain(data, state, edges, none, slack), 1 << data["slope"])

    for state, edges in played(data):
        if abs(gain(data, state, edges, gains, after)) > allowed(state, edges):
            raise Refused(f"{name}: in the state {named(data, state)} the value does not follow from those after it")
        if data["mover"][state] < 0 or data["mover"][state] != claim["seat"]:
            continue
        for e in range(data["row"][state], data["row"][state + 1]):
            moves += 1
            if claim["sign"] * gain(data, state, [e], gains, after) > allowed(state, [e]):
                raise Refused(f"{name}: in the state {named(data, state)} another move is better than the picked one")
    start, change = data["start"]
    value = Fraction(gains[change] * one + after[start], one * units)
    error = Fraction(slope * slack[start], one * units << data["slope"])
    return name, value - error, value + error, moves


def in_words(data: dict, claim: dict) -> str:
    """Return a claim in words, with its proved bounds."""
    name, low, high, moves = bounds(data, claim)
    text = f"{name}: {rounded(low, up=False)} to {rounded(high, up=True)}"
    if claim["seat"] is None:
        return text
    better = "more" if claim["sign"] == 1 else "less"
    return f"{text}; no policy of player {claim['seat'] + 1} that ends the game makes it {better} ({moves:,} moves)"


def rounded(value: Fraction, up: bool) -> str:
    """Return a decimal with 15 digits after the point that is not below, or not above, a fraction."""
    tenths = -(-value.numerator * 10**DIGITS // value.denominator) if up else value * 10**DIGITS // 1
    sign, tenths = "-" if tenths < 0 else "", abs(int(tenths))
    return f"{sign}{tenths // 10**DIGITS}.{tenths % 10**DIGITS:0{DIGITS}}"


def check_rules(data: dict, file: str, sample: int) -> str:
    """Compare edges with the rules, played by dicelab; return what was compared, or raise `Refused`."""
    import dicelab
    from dicelab.questions.policies import certificate as by_rules

    about = data["about"]
    free = [seat for seat, text in enumerate(about["strategies"]) if text is None]
    game = dicelab.find(file)(**about["parameters"])
    anyone = next(iter(game.declared.strategies.values()), None)  # in place of those whose moves are picked
    run = by_rules.Run.of(game, [text or anyone for text in about["strategies"]])
    same = (list(by_rules.outcome_names(game)) or ["over"], list(game.declared.tallies), by_rules.payoffs_as_text(game))
    if same != (data["outcomes"], data["tallies"], data["payoffs"]):
        raise Refused("the game has other outcomes, tallies or payoffs")
    state, change = by_rules.start_by_rules(run, free)
    if [list(state), list(change)] != [data["states"][data["start"][0]], data["changes"][data["start"][1]]]:
        raise Refused("the game begins in another state")
    total = len(data["states"])
    states = range(total) if total <= sample else random.Random(1).sample(range(total), sample)
    for state in states:
        mover, expected = by_rules.edges_by_rules(run, free, data["states"][state])
        edges = dict[tuple, int]()
        for e in range(data["row"][state], data["row"][state + 1]):
            target, weight = data["target"][e], data["weight"][e]
            there = -1 - target if target < 0 else tuple(data["states"][target])
            key = (there, tuple(data["changes"][data["change"][e]]), *([] if mover < 0 else [weight]))
            edges[key] = edges.get(key, 0) + weight
        if mover != data["mover"][state] or edges != expected:
            raise Refused(f"in the state {named(data, state)} the rules lead elsewhere, or with other weights")
    return f"the rules of {game.name}, played by dicelab in plain Python, agree in {len(states):,} of {total:,} states"


def main() -> int:
    """Check the certificate on the command line, and print what it proves."""
    parser = argparse.ArgumentParser(description="Check a certificate that dicelab wrote, without trusting dicelab.")
    parser.add_argument("certificate")
    parser.add_argument("--rules", metavar="FILE", help="also replay edges by the rules in FILE (this imports dicelab)")
    parser.add_argument("--sample", metavar="N", type=int, default=1000, help="states to replay [default: 1000]")
    options = parser.parse_args()
    try:
        data = read(options.certificate)
        check_end(data)
        lines = [in_words(data, claim) for claim in data["claims"]]
        lines.append(f"the game ends with probability one; {len(data['states']):,} states, {data['row'][-1]:,} edges")
        if options.rules is not None:
            lines.append(check_rules(data, options.rules, options.sample))
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    except Refused as error:
        print(f"refused: {error}", file=sys.stderr)
        return 1
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
