"""Reasons why a bet is refused: a number for the rules, a sentence for people."""

from __future__ import annotations

from enum import IntEnum


class Reason(IntEnum):
    """Why a bet is refused; `FINE` if it is allowed."""

    FINE = 0
    NOT_DONE = 1
    NOTHING = 2
    NOT_OFFERED = 3
    CRAPLESS = 4
    MONEY = 5
    MINIMUM = 6
    MAXIMUM = 7
    UNIT = 8
    PAYABLE = 9
    POINT = 10
    SHOOTER = 11
    FLAT = 12
    LIMIT = 13
    CONTRACT = 14
    RAISED = 15
    LESS = 16
    ROOM = 17
    CHANGES = 18
    PUT = 19
    UNTOLD = 20


SENTENCES: dict[Reason, str] = {
    Reason.FINE: "the bet is allowed",
    Reason.NOT_DONE: "done takes no amount",
    Reason.NOTHING: "an amount of 0 changes nothing",
    Reason.NOT_OFFERED: "this table does not take that bet",
    Reason.CRAPLESS: "a crapless table has no don't bets, and only a crapless table has the numbers 2, 3, 11 and 12",
    Reason.MONEY: "it is more than the purse",
    Reason.MINIMUM: "the bet would be below the table's minimum",
    Reason.MAXIMUM: "the bet would be above the table's maximum",
    Reason.UNIT: "the amount must be a multiple of the smallest chip",
    Reason.PAYABLE: "not every payout would be a whole number",
    Reason.POINT: "it needs a point, and the puck is OFF",
    Reason.SHOOTER: "it can be made only before a shooter's first roll",
    Reason.FLAT: "odds need a pass or come bet with a point",
    Reason.LIMIT: "the odds would be more than the house allows behind that bet",
    Reason.CONTRACT: "it is a contract bet, which stays until it is decided",
    Reason.RAISED: "a don't bet is made before it has a number, and can't be raised later",
    Reason.LESS: "the bet there is smaller than that",
    Reason.ROOM: "the player has too many bets on the table",
    Reason.CHANGES: "there have been too many changes since the last roll",
    Reason.PUT: "this house takes no put bets: pass and come bets are made without a number, and can't be raised",
    Reason.UNTOLD: "this strategy must know the last roll; turn on the parameter last_roll (--last-roll)",
}
"""The sentence for each reason."""
LAID = "laid odds need a don't pass or don't come bet with a point"
"""The sentence for `Reason.FLAT` where odds are laid against a number."""
