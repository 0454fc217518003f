"""..."""


def solve(wire): ...
