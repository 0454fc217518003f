"""Playing games one at a time: streams of dice, line-ups, the reference engine, states, totals, chunks on threads."""
