"""Published figures of craps bets."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import chain, combinations

THROWS = [(one, two) for one in range(1, 7) for two in range(1, 7)]


WAYS = {total: 6 - abs(7 - total) for total in range(2, 13)}


POINTS = (4, 5, 6, 8, 9, 10)


OTHERS = (2, 3, 11, 12)


PER_POINT = {4: "4", 5: "5", 6: "6", 8: "6", 9: "5", 10: "4", 2: "2", 3: "3", 11: "3", 12: "2"}


Figures = tuple[Fraction, Fraction, Fraction, Fraction, Fraction]
"""Chances to win, to lose and of a push; loss for each unit staked; mean throws."""


def once(pays) -> Figures:
    """A bet on one throw: `pays` says what a throw pays for each unit staked, None where it loses."""
    paid = [pays(one, two) for one, two in THROWS]
    won = Fraction(sum(x is not None and x > 0 for x in paid), 36)
    push = Fraction(sum(x == 0 for x in paid), 36)
    money = sum((Fraction(-1) if x is None else Fraction(x) for x in paid), Fraction(0)) / 36
    return won, 1 - won - push, push, -money, Fraction(1)


def race(wins, loses, pays, staked=Fraction(1)) -> Figures:
    """One of some throws before one of others: `pays` for each unit, of which `staked` are staked in all."""
    win, lose = (sum(test(one, two) for one, two in THROWS) for test in (wins, loses))
    won = Fraction(win, win + lose)
    return won, 1 - won, Fraction(0), -(won * pays - (1 - won) * staked) / staked, Fraction(36, win + lose)


def total_is(*totals):
    return lambda one, two: one + two in totals


def line(naturals, craps, barred, points, odds=None, against=False) -> Figures:
    """Pass, or what is against it, with odds: `odds` says how much is taken or laid behind each point."""
    win = lose = push = money = throws = staked = Fraction(0)
    for total, ways in WAYS.items():
        p = Fraction(ways, 36)
        if total not in points:
            good = total in craps if against else total in naturals
            push += p * (total in barred)
            win += p * (good and total not in barred)
            lose += p * (not good and total not in barred)
            money += p * (0 if total in barred else 1 if good else -1)
            throws, staked = throws + p, staked + p
            continue
        behind = Fraction(odds[total] if odds else 0)
        made = Fraction(ways, ways + 6)
        good = 1 - made if against else made
        true = Fraction(ways, 6) if against else Fraction(6, ways)
        win, lose = win + p * good, lose + p * (1 - good)
        money += p * (good * (1 + behind * true) - (1 - good) * (1 + behind))
        throws += p * (1 + Fraction(36, ways + 6))
        staked += p * (1 + behind)
    return win, lose, push, -money / staked, throws


PLAIN = (7, 11), (2, 3, 12)


def lines():
    for id in ("pass", "come"):
        yield id, line(*PLAIN, (), POINTS)
        yield f"crapless_{id}", line((7,), (), (), POINTS + OTHERS)
    for bar in (2, 3, 12):
        yield f"dont_pass_bar{bar}", line(*PLAIN, (bar,), POINTS, against=True)
        yield f"dont_come_bar{bar}", line(*PLAIN, (bar,), POINTS, against=True)
    yield "dont_pass_nobar", line(*PLAIN, (), POINTS, against=True)


def odds():
    """Times the flat bet on 4 and 10, 5 and 9, 6 and 8."""
    half = Fraction(1, 2)
    multiples = {f"{k}x": (k, k, k) for k in (1, 2, 3, 5, 10, 20, 100)}
    multiples |= {"full_double": (2, 2, 2 + half), "345x": (3, 4, 5)}
    for name, (four, five, six) in multiples.items():
        taken = {4: four, 10: four, 5: five, 9: five, 6: six, 8: six}
        to_win = {n: k * Fraction(6, WAYS[n]) for n, k in taken.items()}
        for flat in ("pass", "come"):
            yield f"{flat}_odds_{name}", line(*PLAIN, (), POINTS, taken)
            yield f"dont_{flat}_lay_{name}_to_win", line(*PLAIN, (12,), POINTS, to_win, against=True)
            yield f"dont_{flat}_lay_{name}_risk", line(*PLAIN, (12,), POINTS, taken, against=True)
    for n in POINTS:
        true = Fraction(6, WAYS[n])
        yield f"take_odds_{n}", race(total_is(n), total_is(7), true)
        yield f"lay_odds_{n}", race(total_is(7), total_is(n), 1 / true)
    for n in OTHERS:
        yield f"crapless_take_odds_{n}", race(total_is(n), total_is(7), {2: 6, 12: 6, 3: 3, 11: 3}[n])


def numbers():
    place = {"4": Fraction(9, 5), "5": Fraction(7, 5), "6": Fraction(7, 6), "3": Fraction(11, 4), "2": Fraction(11, 2)}
    lose = {"4": Fraction(5, 11), "5": Fraction(5, 8), "6": Fraction(4, 5)}
    true = {"4": Fraction(2), "5": Fraction(3, 2), "6": Fraction(6, 5), "3": Fraction(3), "2": Fraction(6)}
    vig = Fraction(5, 100)
    for n in POINTS + OTHERS:
        like, on, off = PER_POINT[n], total_is(n), total_is(7)
        free = true[like]
        id = "crapless_" if n in OTHERS else ""
        yield f"{id}place_{n}", race(on, off, place[like])
        yield f"{id}buy_{n}_vig_upfront", race(on, off, free - vig, 1 + vig)
        yield f"{id}buy_{n}_vig_on_win", race(on, off, free - vig)
        if n in OTHERS:
            continue
        yield f"place_lose_{n}", race(off, on, lose[like])
        yield f"lay_{n}_vig_upfront", race(off, on, (1 - vig) / free, 1 + vig / free)
        yield f"lay_{n}_vig_on_win", race(off, on, (1 - vig) / free)
        for k in (0, 1, 2, 3, 4, 5, 10):
            yield f"put_{n}_{k}x", race(on, off, 1 + k * free, Fraction(1 + k))
    for n in (6, 8):
        yield f"big{n}", race(total_is(n), total_is(7), 1)
        yield f"big{n}_7to6", race(total_is(n), total_is(7), Fraction(7, 6))


def hardways():
    for n, pays in ((4, 7), (6, 9), (8, 9), (10, 7)):

        def hard(one, two, n=n):
            return one == two == n / 2

        def lost(one, two, n=n):
            return one + two == 7 or (one + two == n and one != two)

        yield f"hard{n}", race(hard, lost, pays)
        yield f"hard{n}_{pays}for1", race(hard, lost, pays - 1)


def field(two, twelve):
    pays = {3: 1, 4: 1, 9: 1, 10: 1, 11: 1, 2: two, 12: twelve}
    return once(lambda a, b: pays.get(a + b))


def together(units):
    """Bets of whole units on totals, made together: what all of them win for each unit of all."""
    staked = sum(units.values())

    def pays(one, two):
        n = one + two
        if n not in units:
            return None
        each = {2: 30, 12: 30, 3: 15, 11: 15, 7: 4, "craps": 7}[n]
        return Fraction(units[n] * each - (staked - units[n]), staked)

    return once(pays)


def one_throw():
    for two, twelve in ((2, 2), (2, 3), (3, 2), (3, 3)):
        yield f"field_{two}x{twelve}x", field(two, twelve)
    yield "any7", once(lambda a, b: 4 if a + b == 7 else None)
    yield "any_craps", once(lambda a, b: 7 if a + b in (2, 3, 12) else None)
    for id, n, pays in (("two", 2, 30), ("three", 3, 15), ("eleven", 11, 15), ("twelve", 12, 30)):
        yield id, once(lambda a, b, n=n, pays=pays: pays if a + b == n else None)
        yield f"{id}_{pays}for1", once(lambda a, b, n=n, pays=pays: pays - 1 if a + b == n else None)
    yield "horn", together({2: 1, 3: 1, 11: 1, 12: 1})
    for high in (2, 3, 11, 12):
        yield f"horn_high_{high}", together({n: 2 if n == high else 1 for n in (2, 3, 11, 12)})
    yield "world", together({2: 1, 3: 1, 7: 1, 11: 1, 12: 1})
    yield "hi_lo", together({2: 1, 12: 1})
    craps_and_eleven = {2: Fraction(7 - 1, 2), 3: Fraction(7 - 1, 2), 12: Fraction(7 - 1, 2), 11: Fraction(15 - 1, 2)}
    yield "ce", once(lambda a, b: craps_and_eleven.get(a + b))
    for low in range(1, 7):
        for high in range(low, 7):
            pays = 30 if low == high else 15
            yield (
                f"hop_{low}_{high}",
                once(lambda a, b, p=pays, w=(low, high): p if tuple(sorted((a, b))) == w else None),
            )


@cache
def fire():
    """Chances of 0 to 6 different points before the seven-out, and the mean throws until that or the sixth point."""

    @cache
    def rest(made):
        if len(made) == 6:
            return (0, 0, 0, 0, 0, 0, 1), Fraction(0)
        levels, throws, again = [Fraction(0)] * 7, Fraction(36, 24), Fraction(0)
        for n in POINTS:
            p = Fraction(WAYS[n], 24)
            won = Fraction(WAYS[n], WAYS[n] + 6)
            throws += p * Fraction(36, WAYS[n] + 6)
            levels[len(made)] += p * (1 - won)
            if n in made:
                again += p * won
            else:
                after, more = rest(made | {n})
                levels = [x + p * won * y for x, y in zip(levels, after, strict=True)]
                throws += p * won * more
        return tuple(x / (1 - again) for x in levels), throws / (1 - again)

    return rest(frozenset())


def fires():
    levels, throws = fire()
    for paid in ({4: 24, 5: 249, 6: 999}, {4: 9, 5: 199, 6: 1999}, {3: 5, 4: 25, 5: 200, 6: 500}):
        yield paid, levels, throws
    yield {3: 6, 4: 29, 5: 149, 6: 299}, levels, throws


def side():
    for paid, levels, throws in fires():
        won = sum(levels[n] for n in paid)
        money = sum(levels[n] * pays for n, pays in paid.items()) - (1 - won)
        yield f"fire_{'_'.join(map(str, paid.values()))}", (won, 1 - won, Fraction(0), -money, throws)
    small, tall = (2, 3, 4, 5, 6), (8, 9, 10, 11, 12)
    for name, wanted, pays in (("small", small, (34, 30)), ("tall", tall, (34, 30)), ("all", small + tall, (175, 150))):
        # A 7 before any of some totals: in and out over what may still be missing.
        groups = chain.from_iterable(combinations(wanted, k) for k in range(len(wanted) + 1))
        won = sum((-1) ** len(g) * Fraction(6, 6 + sum(WAYS[n] for n in g)) for g in groups)
        for to in pays:
            yield f"ats_{name}_{to}", before_a_seven(won, to)
    for n, times, pays in ((2, 2, 40), (3, 3, 50), (4, 4, 65), (5, 5, 80), (6, 6, 90)):
        for total in (n, 14 - n):
            won = Fraction(WAYS[n], WAYS[n] + 6) ** times
            yield f"repeater_{total}_to", before_a_seven(won, pays)
            yield f"repeater_{total}_for", before_a_seven(won, pays - 1)


def before_a_seven(won, pays) -> Figures:
    """It ends with a 7 or with the win: sevens are a sixth of the throws, so that there are 6 throws for each loss."""
    return won, 1 - won, Fraction(0), -(won * pays - (1 - won)), 6 * (1 - won)


FIGURES: dict[str, Figures] = dict(chain(lines(), odds(), numbers(), hardways(), one_throw(), side()))
