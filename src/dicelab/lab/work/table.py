"""..."""


def play(wire): ...


review = play
