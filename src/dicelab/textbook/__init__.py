"""The five texts that dicelab started from, as their readers know them: one module per text, with the text's names.

======  ===========================================================  ============
number  text                                                         module
======  ===========================================================  ============
1       Hazard and its win rates (University of Chicago)             `hazard`
2       craps: the pass line bet (McGill University)                 `craps`
3       Toss Up! in R (*Statistical Odds & Ends*)                    `tossup`
4       craps: the throws (Lott, *Object-Oriented Design*)           `throws`
5       LCR (University of Minnesota)                                `lcr`
======  ===========================================================  ============

The whole design of text 4's book, of which the text is one chapter, is in `casino`.

The rules themselves are in `dicelab.games`; these modules are the texts' interfaces to them. ``docs/texts/`` has a page
for each text: its figures beside ours, and what was decided where it is wrong or open.
"""

MODULES = {1: "hazard", 2: "craps", 3: "tossup", 4: "throws", 5: "lcr"}
"""The module of each text, by its number."""
