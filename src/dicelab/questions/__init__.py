"""The questions: simulate, exact, compare, judge, why, race, convergence; bets, sweeps, optimal play, dice expressions.

Imports `dicelab.results` and what lies below.
"""

DECLARED = {
    "why": "dicelab.questions.why",
    "compare": "dicelab.questions.compare",
    "rate": "dicelab.questions.rate",
    "session": "dicelab.questions.betting.session",
    "simulate": "dicelab.questions.simulate",
    "solve": "dicelab.questions.optimal_play",
    "sweep": "dicelab.questions.sweeps.sweep",
    "tune": "dicelab.questions.sweeps.tune",
    "judge": "dicelab.questions.judge",
    "judge_class": "dicelab.questions.judge_class",
    "best": "dicelab.questions.optimal_play",
    "edges": "dicelab.questions.betting.edges",
    "exact": "dicelab.questions.exact",
    "exercise": "dicelab.questions.exercise",
    "par": "dicelab.questions.betting.par",
    "equilibrium": "dicelab.questions.policies.bluffing",
    "learn": "dicelab.interface.learning",
    "playtests": "dicelab.interface.play.playtests",
    "publish": "dicelab.interface.publishing.publish",
    "report": "dicelab.interface.reporting.report",
    "review": "dicelab.interface.play.review",
    "with_dice": "dicelab.questions.betting.with_dice",
    "dice": "dicelab.questions.notation.several",
    "fair": "dicelab.questions.rolled.fair",
}
"""The questions of dicelab that are declared (`declare`), and their modules, none of which imports NumPy."""
