"""Why a bet is refused, in sentences: rules give the number of a reason."""

from __future__ import annotations

from enum import IntEnum


class Reason(IntEnum):
    """What is wrong with a bet; `FINE` when nothing is."""

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
    Reason.MONEY: "there is not so much money left",
    Reason.MINIMUM: "the bet would be below the table's minimum",
    Reason.MAXIMUM: "the bet would be above the table's maximum",
    Reason.UNIT: "the amount is not a multiple of the smallest chip",
    Reason.PAYABLE: "not everything that it may win would be a whole number; bet a multiple of what its odds are to",
    Reason.POINT: "it is made only while a point stands, and the puck is off",
    Reason.SHOOTER: "it is made before a shooter's first throw only",
    Reason.FLAT: "there is no bet with that number behind which odds could stand",
    Reason.LIMIT: "the odds would be above what the house allows behind that bet",
    Reason.CONTRACT: "it is a contract: it can't be taken down before it is decided",
    Reason.RAISED: "a don't bet is made before it has a number, and not raised later",
    Reason.LESS: "so much does not lie there",
    Reason.ROOM: "there are too many bets of one player on the table",
    Reason.CHANGES: "too many changes between two throws; choose done",
    Reason.PUT: "this house takes no put bets: a pass or come bet is made before it has a number, and not raised later",
}
"""Each reason for people."""
