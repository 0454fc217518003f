"""Sizes and times at which dicelab changes how it works, or gives up: for each its unit, and why it has this value.

Those that a test changes are here, all others where they are used. `limited` changes some for a while, so that a small
game shows what otherwise only a large one does::

    with limited(histories=5):
        dicelab.solve("liars-dice")  # refused: it has more than 5 histories
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class InternalLimits:
    """All limits that can be changed by `limited`, by the folder that keeps to them."""

    # runtime, engines
    steps: int = 1_000_000
    """Rolls and choices of a game after which it is taken to be endless, unless a question has a limit of its own."""
    chunk_games: int = 2**21
    """Games in a chunk, which are played and counted together, unless an engine has a `largest_chunk` of its own."""
    interrupt_seconds: float = 1.0
    """Seconds that work may take to finish after the first Ctrl-C."""
    r_words: int = 8192
    """Numbers that R's generator makes at a time."""
    first_work: int = 2_000
    """Rolls and choices of the reference engine that show how much work games are, before others are considered."""
    compiling_work: int = 40_000
    """Rolls and choices from which on it pays to compile; one with long rules counts as several (`runtime.meter`). The
    reference engine makes 100,000 to 300,000 of them a second, and a kernel takes three seconds the first time."""
    table_work: int = 300_000_000
    """The same for `counter`, `turn` and `memo`, whose kernels take longer, and which compete with the compiled engine:
    it makes about 100 million a second."""
    memo_states: int = 2**18
    """States in the memo table of each thread: their numbers have 18 bits."""
    memo_entries: int = 2**24
    """Entries of that table: 64 MiB; only entries in use are touched."""
    memo_changes: int = 2**12
    """Different changes of the tallies in it: 12 bits, which they share with the row of dice."""

    # solver: how large a chain is
    counted: int = 1_000_000
    """States up to which a chain is counted; the size of a larger one is judged by smaller ones."""
    counting: float = 2.0
    """Seconds of work for one count."""
    estimating: float = 8.0
    """Seconds of work for all counts of one estimate."""
    watched: int = 2_000_000
    """States after which an enumeration that goes on is compared with an estimate."""
    announced_seconds: float = 5.0
    """Expected seconds from which on they are announced, however long the work takes on a busy machine."""
    cost_seconds: float = 5.0
    """Seconds for a sample of the beginnings of turns, where only the cost of a question is asked for."""

    # solver: enumeration
    plain_branches: int = 15_000
    """Outcomes and moves that plain Python follows, in half a second, before the compiled enumeration takes over."""
    warm_branches: int = 0
    """The same where this process has used the compiled enumeration already."""
    batch: int = 2**14
    """States expanded between two calls of the progress function."""
    batch_branches: int = 2**16
    """Branches that one thread follows at a time, unless a state has more."""
    shared_batch: int = 512
    """States in a batch from which on two threads share it."""
    first_room: tuple[int, int, int, int] = (2**14, 2**17, 256, 256)
    """Initial capacity of the compiled enumeration: states, edges, changes and labels."""

    # solver: values
    interpreted_edges: int = 600
    """Edges below which a chain is solved in plain Python, which takes less time than loading a compiled loop."""
    cached_states: int = 300_000
    """States above which a chain is larger than the processor's cache."""
    symmetric_edges: int = 400_000
    """Edges, times seats, up to which the symmetry of the seats isn't used: all distributions are then joint with the
    outcome, and fractions are possible."""
    fraction_states: int = 5_000
    """States above which a chain is solved in fractions only when that is asked for."""
    run_edges: int = 100_000
    """Edges from which runs are looked for."""
    run_length: float = 8
    """Mean length of runs below which they cost more than they save."""
    part: int = 200_000
    """States that are solved between two reports of the progress."""
    spread_numbers: int = 20_000_000
    """Numbers held while a tally is followed value by value (or edges, if there are more), not roll by roll."""
    spread_values: int = 4_000_000
    """Values of a distribution, and pairs of state and value that are followed at the same time, for memory."""
    dropped_mass: float = 8e-13
    """Mass dropped on the way; a distribution that would lose more is not given."""

    # solver: sessions with counters
    rest_mass: float = 1e-13
    """Mass that may still be in play when a session is taken to be over."""
    tiny_mass: float = 1e-19
    """Cells at the borders of an array with at most this mass are dropped."""
    counter_cells: int = 4_000_000
    """Elements of all arrays together."""
    threshold_cells: int = 4_000_000
    """Elements of the arrays of all values of a tally that are followed at a time."""
    block_moves: int = 2_000_000
    """Blocks that are moved."""
    moved_cells: int = 100_000_000_000
    """Elements in these blocks."""
    waiting_cells: int = 4_000_000
    """Elements of arrays that wait for a later value of the monotone counter, beyond which they are added up."""
    counter_rolls: int = 2000
    """Rolls after which a chain with fewer cells than rolls is refused: solving it directly is faster."""
    transitions: int = 2000
    """Transitions from one state."""

    # solver: hidden information
    histories: int = 80_000_000
    """Histories of a game with hidden information, of about 100 bytes each."""
    whole_histories: int = 2_000_000
    """Histories of a game of two opposed seats that is solved as a whole, even if it has several rounds."""
    listed_histories: int = 2_000_000
    """Histories of a round that is solved as a tree of all histories, even if it has a public tree."""
    surveyed_states: int = 500
    """States that are found before the number of histories is estimated."""
    surveyed_edges: int = 5_000
    """Edges on the paths by which it is estimated."""
    payoffs: int = 200_000
    """Payoffs in a tree that is given to a linear program: with 73,712 (liar's dice with six faces) it takes 2 s."""
    payoffs_at_once: int = 20_000_000
    """Payoffs and sequences that are gone through until the clock is looked at: about a tenth of a second."""
    public_seconds: float = 1.3e-9
    """Seconds that a round of learning on a public tree takes for each of its numbers: with two dice against two, 240
    rounds of 7.5e8 numbers took 240 s of the processor, and left a gap of 0.008."""
    exact_whole: float = 2.0**62
    """Whole numbers above this are not taken to fit into 64 bits."""
    given_away: float = 0.05
    """What strategies in a file may leave a player to gain, as a share of the largest payoff, where they forget."""

    # solver: turn by turn
    surveyed: int = 1_200_000
    """States after which a game that may be solved turn by turn is surveyed: are there too many to find them all?"""
    many: int = 2_000_000
    """States above which a game is solved turn by turn if no policy is asked for."""
    many_with_policy: int = 5_000_000
    """States above which a game is solved turn by turn if its policy is asked for."""
    unsampled_seconds: float = 5.0
    """Seconds of work after which the number of beginnings of turns is estimated."""
    sampling_seconds: float = 3.0
    """Seconds for that."""
    merged_beginnings: int = 1000
    """Beginnings above which leaves with equal residuals are merged: it takes as long as following these."""
    residual_runs: int = 100
    """Runs of the branches of a step that are symbolic in any case; later ones only if branches share runs."""
    widenings: int = 7
    """Bounds on the error of values that are tried at most, each wider than the one before."""

    # questions
    exact_amounts: int = 400
    """Steps between the smallest and the largest amount of a bet for which fractions are computed."""
    first_sessions: int = 20_000
    """Sessions simulated for a first estimate of the risk of ruin at a value."""
    peak_work: int = 6_000_000
    """Combinations of state, money and value of the tally for which peak and drawdown are solved (some seconds)."""
    peak_rolls: int = 1_500_000
    """The same if the money is part of the state: states times rolls of the longest session."""
    candidate_states: int = 100_000
    """States up to which a candidate of `tune` with strategies is solved rather than simulated."""
    certificate_edges: int = 2_000_000
    """Edges of a certificate: checking it in plain Python then takes about a minute for each claim."""
    solution_bytes: int = 2_000_000_000
    """Bytes of all files of solutions that are kept."""
    cost_games: int = 2_000
    """Games that are played for the cost of a strategy of a game that was solved turn by turn."""
    luck_chunk: int = 2**13
    """Games of a review in a chunk, which is summed alone; chunks are added in order, so no sum depends on threads."""
    added_states: int = 20_000
    """States that a review values by looking ahead, because the solver left them out."""
    ending_edges: int = 600
    """Moves and outcomes of rolls that are followed from a state to all ends, for exact values."""
    spread_games: int = 200
    """Games by which tree search finds the standard deviation of what one game is worth."""
    unseen_games: int = 8
    """Games that are played on at the end of each try, where something is hidden."""
    hand_edges: int = 80_000
    """Rolls and moves that are followed at one step, in all states that fit what a seat has seen."""
    hand_attempts: int = 200
    """Rolls and moves that are drawn for each of these states, until enough fit what was seen."""

    # plots
    bars: int = 60
    """Bars, or rows of points, in a picture; of more, the most important ones are drawn."""
    compared_strategies: int = 20
    """Strategies in a picture; of more, the best ones on average are drawn."""

    # interface: command line, reports, pages
    left_seconds: float = 2.0
    """Seconds after which the time that is left can be estimated."""
    first_seconds: float = 2.0
    """Seconds after which a result is shown that is known while the rest is computed."""
    report_seconds: float = 30.0
    """Expected seconds above which a question of a report is simulated instead of solved, or left out."""
    card_pages: int = 60
    """Pages of a card."""
    card_states: int = 500_000
    """States of a card."""
    page_beginnings: int = 12_000
    """Beginnings of turns up to which a game is solved unasked for its page."""
    sweep_seconds: float = 30.0
    """Expected seconds of a sweep above which a page has it simulated instead of solved."""

    # interface: the lab
    jobs: int = 32
    """Jobs at a time."""
    jobs_each: int = 6
    """Those of one visitor, where others are let in."""
    job_bytes: int = 2 << 30
    """Memory of a job."""
    lab_bytes: int = 2 << 30
    """Bytes of all files of one run of the server."""
    public_store_bytes: int = 1 << 30
    """Bytes of a store into which others may write."""
    files_at_a_time: int = 8
    """Files that are read at the same time, so that some processes are left for questions."""
    file_seconds: float = 10.0
    """Seconds in which a file must be read."""
    check_seconds: float = 120.0
    """Seconds that a check may take, as those of the command."""
    answer_seconds: float = 0.5
    """Seconds for which a page waits for its answer."""
    coach_seconds: float = 0.6
    """Seconds for which a page waits until the game is solved; then its coach estimates, or the page asks again."""
    estimate_seconds: float = 2.0
    """Seconds for which it is then held back for the estimates."""
    closed_seconds: float = 0.2
    """Seconds between two looks at whether a page was closed."""
    stream_seconds: float = 4.0
    """Seconds after which a stream ends, so that other pages get their turn."""
    listed_runs: int = 100
    """Runs on a page."""

    # extras: clusters
    cluster_timeout: str = "10s"
    """Time in which a scheduler must answer, as Dask writes it."""
    cluster_wait: float = 5.0
    """Seconds without any worker after which a message says so."""
    cluster_losses: int = 5
    """Workers that fail to play the same range before the range is taken to be the reason."""

    # results, the store
    record_rows: int = 2**20
    """Rows of records of games that are written together."""
    record_bytes: int = 2**26
    """Their bytes in memory."""
    checkpoint_seconds: float = 2.0
    """Seconds between two checkpoints of a simulation."""
    checkpoint_share: float = 20
    """A large state is stored less often: storing takes at most this part of the time (one in so many)."""
    layer_seconds: float = 2.0
    """Seconds between two writes of the values of an unfinished solution."""
    layer_share: float = 100
    """Writing them takes at most this part of the processor time (one in so many),"""
    layer_pause: float = 20
    """and at most this part of the elapsed time, which includes waiting for the disk."""


LIMITS = InternalLimits()


@contextmanager
def limited(**limits: object) -> Iterator[None]:
    """Change fields of `LIMITS` inside a ``with``, as in ``limited(histories=5)``; other names are errors."""
    before = {name: getattr(LIMITS, name) for name in limits}
    try:
        for name, value in limits.items():
            setattr(LIMITS, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(LIMITS, name, value)
