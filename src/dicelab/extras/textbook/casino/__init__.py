"""The whole design of text 4's book under its names: dice, bets, table, game, players and a simulator of craps.

Source: part "Craps" of Steven F. Lott, *Building Skills in Object-Oriented Design*. What a throw does to a bet, what it
pays and when it may be made are read off the table of `dicelab.extras.craps.craps`, see `house`; where the text
contradicts itself or real craps, real craps was chosen: ``docs/texts/4-craps-throws.md`` has the tables.

Examples
--------
>>> game = CrapsGame()
>>> player = CrapsMartingale(game.table)
>>> simulator = Simulator(game, player, initDuration=20, samples=2, seed=1)
>>> simulator.gather()
>>> simulator.durations
[20, 20]
"""

from dicelab.extras.textbook.casino.bets import (
    Bet,
    Bet1326Betting,
    BettingStrategy,
    CancellationBetting,
    CommissionBet,
    FibonacciBetting,
    InvalidBet,
    MartingaleBetting,
    NoChangeBetting,
    Player1326NoWins,
    Player1326OneWin,
    Player1326State,
    Player1326ThreeWins,
    Player1326TwoWins,
)
from dicelab.extras.textbook.casino.craps_game import (
    CrapsGame,
    CrapsGamePointOff,
    CrapsGamePointOn,
    CrapsGameState,
    Dice,
    ThrowBuilder,
)
from dicelab.extras.textbook.casino.craps_table import CrapsTable
from dicelab.extras.textbook.casino.outcomes import Outcome, OutcomeField, OutcomeHorn, outcome_of
from dicelab.extras.textbook.casino.players import (
    Craps1326,
    CrapsCancellation,
    CrapsFibonacci,
    CrapsMartingale,
    CrapsOneBetPlayer,
    CrapsPlayer,
    CrapsPlayerPass,
    CrapsSevenCountPlayer,
    CrapsSimplePlayer,
    CrapsTwoBetPlayer,
)
from dicelab.extras.textbook.casino.simulator import IntegerStatistics, Simulator
from dicelab.extras.textbook.casino.throws import (
    CrapsThrow,
    ElevenThrow,
    NaturalThrow,
    PointThrow,
    RandomEvent,
    RandomEventFactory,
    Throw,
    throw_of,
)

__all__ = [
    "Bet",
    "Bet1326Betting",
    "BettingStrategy",
    "CancellationBetting",
    "CommissionBet",
    "Craps1326",
    "CrapsCancellation",
    "CrapsFibonacci",
    "CrapsGame",
    "CrapsGamePointOff",
    "CrapsGamePointOn",
    "CrapsGameState",
    "CrapsMartingale",
    "CrapsOneBetPlayer",
    "CrapsPlayer",
    "CrapsPlayerPass",
    "CrapsSevenCountPlayer",
    "CrapsSimplePlayer",
    "CrapsTable",
    "CrapsThrow",
    "CrapsTwoBetPlayer",
    "Dice",
    "ElevenThrow",
    "FibonacciBetting",
    "IntegerStatistics",
    "InvalidBet",
    "MartingaleBetting",
    "NaturalThrow",
    "NoChangeBetting",
    "Outcome",
    "OutcomeField",
    "OutcomeHorn",
    "Player1326NoWins",
    "Player1326OneWin",
    "Player1326State",
    "Player1326ThreeWins",
    "Player1326TwoWins",
    "PointThrow",
    "RandomEvent",
    "RandomEventFactory",
    "Simulator",
    "Throw",
    "ThrowBuilder",
    "outcome_of",
    "throw_of",
]
