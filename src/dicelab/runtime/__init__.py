"""Playing games one at a time: line-ups, the reference engine, totals, chunks on threads."""
