"""How a person is asked for a move: the questions, the answers, and what may be asked back.

They may import the other folders of `dicelab.interface.play` and layers below it.
"""
