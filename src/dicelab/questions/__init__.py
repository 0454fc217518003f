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
    names
        The modules of the public names that belong to it: its function, the classes of its answers, its charts.
    """

    def __init__(self, module: str, about: str = "", group: str = "Questions", public: str = "") -> None:
        self.module, self.about, self.group = module, about, group
        self.names = {name: f"dicelab.{place}" if place else module for place, _, name in map(_split, public.split())}


def _split(word: str) -> tuple[str, str, str]:
    """Return the module of a public name as it is written in `LISTED`, without ``dicelab.``, and the name.

    >>> _split("plots.edges:plot_edges"), _split("Edges")
    (('plots.edges', ':', 'plot_edges'), ('', '', 'Edges'))
    """
    return word.rpartition(":")


MONEY, PLAY, FILES = "Money", "Optimal play and learning", "Results to keep and to pass on"

LISTED = {
    "simulate": Listed(
        "dicelab.questions.simulate",
        "play many games: estimates with intervals",
        public="results.result:Simulation results.side_by_side:Beside plots.tally:plot_tally "
        "plots.tally:plot_given plots.tally:plot_seats "
        "questions.convergence:convergence questions.convergence:Convergence plots.convergence:plot_convergence",
    ),
    "exact": Listed(
        "dicelab.questions.exact",
        "exact probabilities, means and distributions",
        public="results.result:Exact questions.race:race questions.race:Race "
        "questions.cost:exact_cost questions.cost:Cost "
        "questions.policies.certificate:certify_exact questions.policies.certificate:Certificate",
    ),
    "sweep": Listed(
        "dicelab.questions.sweeps.sweep",
        "one question for many values of a parameter",
        public="Sweep plots.sweep:plot_sweep questions.sweeps.solve_for:solve_for questions.sweeps.solve_for:SolvedFor",
    ),
    "tune": Listed(
        "dicelab.questions.sweeps.tune", "values with which a game is as wished", public="Tuned plots.sweep:plot_tune"
    ),
    "compare": Listed(
        "dicelab.questions.compare",
        "strategies against each other",
        public="Comparison plots.comparison:plot_comparison",
    ),
    "rate": Listed(
        "dicelab.questions.rate",
        "strategies in order, the best one first",
        public="Rating plots.comparison:plot_rating",
    ),
    "best": Listed(
        "dicelab.questions.optimal_play",
        "how should I play?",
        PLAY,
        public="questions.heuristics.best:BestPlay plots.policy:plot_best",
    ),
    "solve": Listed(
        "dicelab.questions.optimal_play",
        "the optimal policy",
        PLAY,
        public="questions.policies.solution:Solution engines.policy:Policy plots.policy:plot_solution "
        "questions.cost:solve_cost questions.policies.certificate:certify_solution",
    ),
    "policy": Listed(
        "dicelab.questions.optimal_play",
        "what a policy does; as a map, a rule or a card",
        PLAY,
        public="questions.policies.advice:Advised questions.policies.advice:advice plots.policy:plot_policy "
        "questions.heuristics.rule:rule questions.heuristics.rule:Rule "
        "interface.reporting.card:card interface.reporting.card:Card",
    ),
    "equilibrium": Listed(
        "dicelab.questions.policies.bluffing", "hidden dice: how to bluff, and who is ahead", PLAY, public="Equilibrium"
    ),
    "session": Listed(
        "dicelab.questions.betting.session",
        "bankrolls, betting systems, risk of ruin",
        MONEY,
        public="Session plots.bankroll:plot_sessions plots.sweep:plot_fan",
    ),
    "systems": Listed("dicelab.questions.betting.systems", public="Systems"),
    "for_ruin": Listed("dicelab.questions.betting.ruin", public="Bound plots.bankroll:plot_ruin"),
    "edges": Listed(
        "dicelab.questions.betting.edges",
        "the house edge of each bet",
        MONEY,
        public="Edges questions.betting.bet:Edge plots.edges:plot_edges",
    ),
    "par": Listed(
        "dicelab.questions.betting.par",
        "the sheet of a game: return, volatility, pay table",
        MONEY,
        public="Par plots.edges:plot_par",
    ),
    "with_dice": Listed("dicelab.questions.betting.with_dice", public="WithDice plots.dice:plot_with_dice"),
    "why": Listed("dicelab.questions.why", "why do the players differ?", public="Why plots.why:plot_why"),
    "judge": Listed(
        "dicelab.questions.judge", "is my own simulation right?", public="Judgement plots.judge:plot_judgement"
    ),
    "judge_class": Listed("dicelab.questions.judge_class", public="ClassJudged plots.judge:plot_class"),
    "review": Listed(
        "dicelab.interface.play.review",
        "luck and mistakes in a saved game",
        PLAY,
        public="questions.policies.skill.reviewed:Review plots.policy:plot_review "
        "questions.policies.skill.luck:luck questions.policies.skill.luck:Luck",
    ),
    "playtests": Listed("dicelab.interface.play.playtests", "what many saved games show", PLAY, public="Playtests"),
    "exercise": Listed(
        "dicelab.questions.exercise",
        "a page for a class: simulate, count, check",
        FILES,
        public="Exercise plots.judge:plot_exercise",
    ),
    "report": Listed(
        "dicelab.interface.reporting.report", "a report about a game, in one HTML file", FILES, public="Report"
    ),
    "publish": Listed(
        "dicelab.interface.publishing.publish", "a game to play and simulate, in one HTML file", FILES, public="Page"
    ),
    "dice": Listed(
        "dicelab.questions.notation.several",
        "the distribution of a dice expression",
        public="DiceCompared questions.notation.expression:Dice plots.dice:plot_dice",
    ),
    "fair": Listed("dicelab.questions.rolled.fair", public="Fair plots.dice:plot_fair"),
}
"""The questions of dicelab itself, in the order of their pages in the lab; packages announce others."""
NAMES = {name: one.module for name, one in LISTED.items()}
NAMES |= {name: module for one in LISTED.values() for name, module in one.names.items()}
"""The modules of the public names that questions have: functions, answers and charts."""
CHARTS = {name: module for name, module in NAMES.items() if name.startswith("plot_")}
"""The modules of the functions that draw charts."""
