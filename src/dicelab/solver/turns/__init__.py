"""Values of optimal play turn by turn: the states within turns are found once, and no value is kept for them.

`dicelab.solver.turns.solve.turn_by_turn` is the entry; ``docs/turn-by-turn.md`` explains the method.
"""
