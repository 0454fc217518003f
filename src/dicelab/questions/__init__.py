"""The questions: simulate, exact, compare, judge, why, race, convergence; bets, sweeps, optimal play, dice expressions.

Imports `dicelab.results` and what lies below.
"""

from __future__ import annotations


class Listed:
    """What is known of a question before its module is imported, which the list of commands must not wait for.

    Attributes
    ----------
    module
        The module that declares it (`dicelab.questions.declare`), which does not import NumPy.
    about
        What it asks, in a few words; empty if another command asks it.
    group
        Where it stands in the list of commands.
    """

    def __init__(self, module: str, about: str = "", group: str = "Questions") -> None:
        self.module, self.about, self.group = module, about, group


MONEY, PLAY, FILES = "Money", "Optimal play and learning", "Results to keep and to pass on"

LISTED = {
    "simulate": Listed("dicelab.questions.simulate", "play many games: estimates with intervals"),
    "exact": Listed("dicelab.questions.exact", "exact probabilities, means and distributions"),
    "sweep": Listed("dicelab.questions.sweeps.sweep", "one question for many values of a parameter"),
    "tune": Listed("dicelab.questions.sweeps.tune", "values with which a game is as wished"),
    "compare": Listed("dicelab.questions.compare", "strategies against each other"),
    "rate": Listed("dicelab.questions.rate", "strategies in order, the best one first"),
    "best": Listed("dicelab.questions.optimal_play", "how should I play?", PLAY),
    "solve": Listed("dicelab.questions.optimal_play", "the optimal policy", PLAY),
    "equilibrium": Listed("dicelab.questions.policies.bluffing", "hidden dice: how to bluff, and who is ahead", PLAY),
    "session": Listed("dicelab.questions.betting.session", "bankrolls, betting systems, risk of ruin", MONEY),
    "systems": Listed("dicelab.questions.betting.systems"),
    "for_ruin": Listed("dicelab.questions.betting.ruin"),
    "edges": Listed("dicelab.questions.betting.edges", "the house edge of each bet", MONEY),
    "par": Listed("dicelab.questions.betting.par", "the sheet of a game: return, volatility, pay table", MONEY),
    "with_dice": Listed("dicelab.questions.betting.with_dice"),
    "why": Listed("dicelab.questions.why", "why do the players differ?"),
    "judge": Listed("dicelab.questions.judge", "is my own simulation right?"),
    "judge_class": Listed("dicelab.questions.judge_class"),
    "review": Listed("dicelab.interface.play.review", "luck and mistakes in a saved game", PLAY),
    "playtests": Listed("dicelab.interface.play.playtests", "what many saved games show", PLAY),
    "exercise": Listed("dicelab.questions.exercise", "a page for a class: simulate, count, check", FILES),
    "report": Listed("dicelab.interface.reporting.report", "a report about a game, in one HTML file", FILES),
    "publish": Listed("dicelab.interface.publishing.publish", "a game to play and simulate, in one HTML file", FILES),
    "dice": Listed("dicelab.questions.notation.several", "the distribution of a dice expression"),
    "fair": Listed("dicelab.questions.rolled.fair"),
}
"""The questions of dicelab itself, in the order of their pages in the lab; packages announce others."""
