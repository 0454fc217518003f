"""What the text of an objective says. It is read here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass

OF_OUTCOMES, OF_TALLIES = ("win", "outcome", "avoid"), ("most", "fewest")
FORMS = "win", "payoff", "an outcome", "avoid:OUTCOME", "most:TALLY", "fewest:TALLY"
"""How objectives are written, beside ``atleast:TALLY:N``, which `dicelab.solve` alone takes."""


@dataclass(frozen=True)
class Wanted:
    """An objective, taken apart; whether a game has such an outcome or tally is another question.

    Attributes
    ----------
    kind
        ``win``, ``payoff``, ``outcome``, ``avoid``, ``most``, ``fewest`` or ``atleast``; empty for none.
    name
        The outcome or the tally; otherwise the same as `kind`.
    least
        The amount of ``atleast``.

    Examples
    --------
    >>> wanted("most:score"), wanted("lose").kind
    (Wanted(kind='most', name='score', least=''), 'outcome')
    """

    kind: str
    name: str
    least: str = ""

    @property
    def counts(self) -> bool:
        """Whether it is the most or the fewest of a tally."""
        return self.kind in OF_TALLIES

    @property
    def tally(self) -> str:
        """The tally to maximise or minimise; empty for none."""
        return self.name if self.counts else ""

    @property
    def is_chance(self) -> bool:
        """Whether its values are probabilities, and not amounts."""
        return self.kind in (*OF_OUTCOMES, "atleast")

    @property
    def sign(self) -> int:
        """1 if what it names is maximised, -1 if it is minimised."""
        return -1 if self.kind in ("fewest", "avoid") else 1


def wanted(text: str | None) -> Wanted:
    """Return what an objective says: ``win``, an outcome, ``avoid:OUTCOME``, ``most:TALLY``, ``atleast:TALLY:N``.

    >>> wanted("atleast:score:200"), wanted("avoid:1").is_chance, wanted(None).kind
    (Wanted(kind='atleast', name='score', least='200'), True, '')
    """
    kind, colon, name = (text or "").partition(":")
    if kind == "atleast" and colon:
        return Wanted(kind, *name.rpartition(":")[::2])
    if kind in ("avoid", *OF_TALLIES) and name:
        return Wanted(kind, name)
    return Wanted(kind if kind in ("win", "payoff", "") else "outcome", text or "")
