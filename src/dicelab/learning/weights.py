"""A small network while it learns: one hidden layer, moved by stochastic gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dicelab.runtime.arrays import Floats


@dataclass
class Weights:
    """The weights of a network, and what is known of their slopes.

    Attributes
    ----------
    weights
        Those of the hidden layer (inputs, hidden), its biases, those of the outputs (hidden, outputs), their biases.
    moments
        Running means of the slopes, and of their squares.
    moves
        How often they were moved.
    """

    weights: list[Floats]
    moments: list[Floats]
    moves: int = 0

    @classmethod
    def random(cls, draws: np.random.Generator, inputs: int, lit: int, hidden: int, outputs: int) -> Weights:
        """Return weights of a network of whose inputs about `lit` are not 0 in a state."""
        weights: list[Floats] = [
            draws.normal(0, (2 / lit) ** 0.5, (inputs, hidden)),
            np.zeros(hidden),
            draws.normal(0, 0.3 / hidden**0.5, (hidden, outputs)),
            np.full(outputs, 0.5),
        ]
        return cls(weights, [np.zeros_like(one) for one in weights * 2])

    def state(self) -> dict[str, Any]:
        """Return all of it as plain data and arrays."""
        return {"weights": list(self.weights), "moments": list(self.moments), "moves": self.moves}

    def restore(self, state: dict[str, Any]) -> None:
        """Take all of it from what `state` returned."""
        self.weights, self.moments = ([*map(np.array, state[name])] for name in ("weights", "moments"))
        self.moves = state["moves"]

    def __call__(self, x: Floats) -> Floats:
        """Return the outputs for some inputs."""
        first, first_bias, second, second_bias = self.weights
        return np.asarray(np.maximum(x @ first + first_bias, 0) @ second + second_bias)

    def learn(self, x: Floats, y: Floats, rate: float) -> None:
        """Move the outputs for some inputs towards `y` (Adam; D. Kingma and J. Ba, *Adam: a method for stochastic
        optimization*, 2015).
        """
        first, first_bias, second, second_bias = self.weights
        before = x @ first + first_bias
        hidden = np.maximum(before, 0)
        error = (hidden @ second + second_bias - y) / len(x)
        back = (error @ second.T) * (before > 0)
        self.moves += 1
        for i, slope in enumerate((x.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(axis=0))):
            mean, square = self.moments[i], self.moments[i + 4]
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            spread = np.sqrt(square / (1 - 0.999**self.moves)) + 1e-8
            self.weights[i] = self.weights[i] - rate * (mean / (1 - 0.9**self.moves)) / spread
