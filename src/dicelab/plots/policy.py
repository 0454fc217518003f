"""Picture of a policy: the best move as a function of two fields of the state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dicelab.engines.policy import Policy
from dicelab.errors import ParameterError
from dicelab.plots.paper import COLOURS, axes_for, caption, plain
from dicelab.policies.advice import cells, move_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_MOVES = len(COLOURS)
"""Maximum number of different moves in a picture: one colour each."""


def plot_policy(policy: Policy, x: str, y: str, ax: Axes | None = None, /, **at: int | Sequence[int]) -> Axes:
    """Draw the best move over two fields of the state.

    Parameters
    ----------
    policy
        As solved, or loaded from a file.
    x, y
        The fields on the axes: ``points``, ``scores[0]``.
    ax
        Axes to draw on; those of a new figure when None.
    **at
        Values of the other fields, as in `dicelab.policies.advice.advice`.

    Returns
    -------
    Axes

    Raises
    ------
    ParameterError
        When there is no such field or state, or the best move depends on a field that is not given.

    Examples
    --------
    >>> import dicelab
    >>> best = dicelab.solve("tossup", target=20)
    >>> axes = plot_policy(best.policy, "scores[0]", "points", None, player=0)
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['roll', 'bank']
    """
    wanted = cells(at)
    states = policy.where(wanted)
    if not len(states):
        raise ParameterError("the policy has no choice in such a state")
    across, up = policy.column(x)[states], policy.column(y)[states]
    moves = policy.moves[policy.best[states]]
    kinds, kind = np.unique(moves, axis=0, return_inverse=True)
    _must_be_one(policy, states, across, up, kind.reshape(-1), (x, y, *wanted))
    if len(kinds) > MOST_MOVES:
        raise ParameterError(f"{len(kinds)} different moves are too many for a picture, which has {MOST_MOVES} colours")
    ax = axes_for(ax, f"{policy.game.name}: {policy.about['solved']}")
    for number in range(len(kinds)):
        mine = np.flatnonzero(kind.reshape(-1) == number)
        word = move_in_words(policy, int(states[mine[0]]))
        ax.scatter(across[mine], up[mine], s=9, marker="s", linewidths=0, color=COLOURS[number], label=plain(word))
    ax.set_xlabel(plain(x))
    ax.set_ylabel(plain(y))
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, title="best move")
    caption(ax, [", ".join(f"{name} {value}" for name, value in wanted.items())])
    return ax


def _must_be_one(
    policy: Policy, states: np.ndarray, across: np.ndarray, up: np.ndarray, kind: np.ndarray, said: Sequence[str]
) -> None:
    """Check that each point of the picture has one best move."""
    order = np.lexsort((up, across))
    same = (np.diff(across[order]) == 0) & (np.diff(up[order]) == 0)
    clash = np.flatnonzero(same & (np.diff(kind[order]) != 0))
    if len(clash):
        one, other = (policy.state(int(states[order[clash[0] + i]])) for i in (0, 1))
        names = [name for name in one if one[name] != other[name] and name not in said]
        raise ParameterError(f"the best move also depends on {' and '.join(names)}: give a value with --at")
