"""The values of a chain, nearly: enough to learn from, sooner than those with a bound on the error."""

# The loop is written for a compiler, index by index.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations


def nearly(ends, row, target, label, chance, leave, gain, prize, value, enough, passes):
    """Bring `value` closer to the expected sum from each position to the end, blocks from the last to the first.

    As `dicelab.chains.loops.values`, but a block is left when nothing in it moves by more than `enough`, or after so
    many passes; `value` begins as a guess.
    """
    for back in range(ends.size):
        b = ends.size - 1 - back
        begin = ends[b - 1] if b > 0 else 0
        for _ in range(passes):
            moved = 0.0
            for i in range(ends[b] - begin):
                s = ends[b] - 1 - i
                total = 0.0
                for e in range(row[s], row[s + 1]):
                    t = target[e]
                    worth = gain[label[e]]
                    if t < 0:
                        worth += prize[-1 - t]
                    elif t != s:
                        worth += value[t]
                    total += chance[label[e]] * worth
                total /= leave[s]
                moved = max(moved, abs(total - value[s]))
                value[s] = total
            if moved <= enough:
                break
