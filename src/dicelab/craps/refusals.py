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


SENTENCES: dict[Reason, str] = {
    Reason.FINE: "the bet is allowed",
    Reason.NOT_DONE: "done takes no money: its amount is 0",
    Reason.NOTHING: "an amount of 0 changes nothing; choose done when all bets are made",
    Reason.NOT_OFFERED: "this table does not take that bet",
    Reason.CRAPLESS: "only a crapless table has the numbers 2, 3, 11 and 12, and it has no don't bets",
    Reason.MONEY: "there is not enough money left",
    Reason.MINIMUM: "the bet would be below the table's minimum",
    Reason.MAXIMUM: "the bet would be above the table's maximum",
    Reason.UNIT: "the amount is not a multiple of the smallest chip",
    Reason.PAYABLE: "some payouts would not be whole numbers; with odds of a to b, bet a multiple of b",
    Reason.POINT: "it can be made only while there is a point, and the puck is off",
    Reason.SHOOTER: "it can be made only before a shooter's first roll",
    Reason.FLAT: "odds need a bet with that number in front of them",
    Reason.LIMIT: "the odds would be above what the house allows behind that bet",
    Reason.CONTRACT: "it is a contract bet: it can't be taken down before it is decided",
    Reason.RAISED: "a don't bet is made before it has a number, and can't be raised later",
    Reason.LESS: "there is less than that on the spot",
    Reason.ROOM: "the player has too many bets on the table",
    Reason.CHANGES: "too many changes between two rolls; choose done",
    Reason.PUT: "this house takes no put bets: pass and come bets are made without a number, and can't be raised",
}
"""The sentence for each reason."""
