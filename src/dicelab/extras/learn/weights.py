"""A small network while it learns, or a linear function: moved by stochastic gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dicelab.compile.kernels.core import kept, unchecked
from dicelab.compile.kernels.writers.thinking import UNIT
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
    def random(cls, draws: np.random.Generator, inputs: int, lit: int, hidden: int, outputs: int) -> Self:
        """Return weights of a network of whose inputs about `lit` are not 0 in a state."""
        weights: list[Floats] = [
            draws.normal(0, (2 / max(1, lit)) ** 0.5, (inputs, hidden)),
            np.zeros(hidden),
            draws.normal(0, 0.3 / hidden**0.5, (hidden, outputs)),
            np.full(outputs, 0.5),
        ]
        return cls.begun(weights)

    @classmethod
    def begun(cls, weights: list[Floats]) -> Self:
        """Return weights of whose slopes nothing is known yet."""
        return cls(weights, [np.zeros_like(one) for one in weights * 2])

    def state(self) -> dict[str, Any]:
        """Return all of it as plain data and arrays."""
        return {"weights": [*map(np.copy, self.weights)], "moments": [*map(np.copy, self.moments)], "moves": self.moves}

    def restore(self, state: dict[str, Any]) -> None:
        """Take all of it from what `state` returned."""
        self.weights, self.moments = ([*map(np.array, state[name])] for name in ("weights", "moments"))
        self.moves = state["moves"]

    @property
    def layers(self) -> list[Floats]:
        """The weights as those of a network with one hidden layer."""
        return self.weights

    def __call__(self, x: Floats) -> Floats:
        """Return the outputs for some inputs."""
        first, first_bias, second, second_bias = self.layers
        return np.asarray(np.maximum(x @ first + first_bias, 0) @ second + second_bias)

    def learn(self, x: NDArray[np.uint8], y: Floats, rate: float, parts: NDArray[np.int64]) -> None:
        """Move the outputs for some inputs, in multiples of 1 / `UNIT`, towards `y`, once for each row of numbers of
        inputs in `parts` (Adam; D. Kingma and J. Ba, *Adam: a method for stochastic optimization*, 2015).
        """
        slopes = [np.zeros_like(one) for one in self.weights]
        learn(x, y, parts, rate, self.moves, tuple(self.weights), tuple(self.moments), tuple(slopes))
        self.moves += len(parts)


class LinearWeights(Weights):
    """The weights of a linear function: those of each input (inputs, outputs), and what is added (outputs).

    As a network it has two hidden numbers for each output, what this is above 0 and what it is below.

    Examples
    --------
    >>> one = LinearWeights.of_layers([np.array([[3.0, -3.0]]), np.array([0.5, -0.5]), np.ones((2, 1)), np.zeros(1)])
    >>> one(np.array([[-1.0], [0.0], [2.0]])).ravel().tolist()
    [-2.5, 0.5, 6.5]
    """

    @classmethod
    def level(cls, inputs: int, outputs: int) -> Self:
        """Return the weights with which every output is one half."""
        return cls.begun([np.zeros((inputs, outputs)), np.full(outputs, 0.5)])

    @classmethod
    def of_layers(cls, layers: list[Floats]) -> Self:
        """Return the weights whose `layers` these are."""
        first, bias, *_ = layers
        outputs = len(bias) // 2
        return cls.begun([first[:, :outputs].copy(), bias[:outputs].copy()])

    @property
    def layers(self) -> list[Floats]:
        """As in `Weights`."""
        weights, bias = self.weights
        each = np.eye(len(bias))
        return [
            np.hstack([weights, -weights]),
            np.concatenate([bias, -bias]),
            np.vstack([each, -each]),
            np.zeros(len(bias)),
        ]

    def learn(self, x: NDArray[np.uint8], y: Floats, rate: float, parts: NDArray[np.int64]) -> None:
        """As in `Weights`. Sums have an order that doesn't depend on the number of threads, as with BLAS they might."""
        weights, bias = self.weights
        for part in parts:
            shares = x[part] / UNIT
            error = (np.einsum("ni,io->no", shares, weights) + bias - y[part]) / len(part)
            slopes = np.einsum("ni,no->io", shares, error), error.sum(axis=0)
            self.moves += 1
            scale, spread = rate / (1 - 0.9**self.moves), 1 / (1 - 0.999**self.moves)
            for one, slope, mean, square in zip(self.weights, slopes, self.moments[:2], self.moments[2:], strict=True):
                mean += 0.1 * (slope - mean)
                square += 0.001 * (slope * slope - square)
                one -= scale * mean / (np.sqrt(square * spread) + 1e-8)


@kept
def learn(x, y, parts, rate, moves, weights, moments, slopes):  # type: ignore[no-untyped-def]
    """Move weights as `Weights.learn` says; most inputs are 0."""
    first, first_bias, second, second_bias = weights
    slope, slope_bias, slope_second, slope_end = slopes
    hidden, back, error = np.zeros(first_bias.size), np.zeros(first_bias.size), np.zeros(second_bias.size)
    lit = np.zeros(x.shape[1], np.int64)
    for p in range(parts.shape[0]):
        slope[:] = 0.0
        slope_bias[:] = 0.0
        slope_second[:] = 0.0
        slope_end[:] = 0.0
        for n in parts[p]:
            many = 0
            hidden[:] = first_bias
            for i in range(x.shape[1]):
                if x[n, i]:
                    lit[many] = i
                    many += 1
                    share = x[n, i] / UNIT
                    for h in range(hidden.size):
                        hidden[h] += share * first[i, h]
            for s in range(error.size):
                out = second_bias[s]
                for h in range(hidden.size):
                    out += max(hidden[h], 0.0) * second[h, s]
                error[s] = (out - y[n, s]) / parts.shape[1]
                slope_end[s] += error[s]
            for h in range(hidden.size):
                back[h] = 0.0
                if hidden[h] > 0.0:
                    for s in range(error.size):
                        back[h] += error[s] * second[h, s]
                        slope_second[h, s] += error[s] * hidden[h]
                slope_bias[h] += back[h]
            for k in range(many):
                share = x[n, lit[k]] / UNIT
                for h in range(hidden.size):
                    slope[lit[k], h] += share * back[h]
        moves += 1
        scale, spread = rate / (1 - 0.9**moves), 1 / (1 - 0.999**moves)
        move(first.ravel(), slope.ravel(), moments[0].ravel(), moments[4].ravel(), scale, spread)
        move(first_bias, slope_bias, moments[1], moments[5], scale, spread)
        move(second.ravel(), slope_second.ravel(), moments[2].ravel(), moments[6].ravel(), scale, spread)
        move(second_bias, slope_end, moments[3], moments[7], scale, spread)


@unchecked
def move(weights, slope, mean, square, scale, spread):  # type: ignore[no-untyped-def]
    """Move weights against their slopes, with running means of the slopes and of their squares (the method Adam)."""
    for i in range(weights.size):
        mean[i] += 0.1 * (slope[i] - mean[i])
        square[i] += 0.001 * (slope[i] * slope[i] - square[i])
        weights[i] -= scale * mean[i] / (np.sqrt(square[i] * spread) + 1e-8)
