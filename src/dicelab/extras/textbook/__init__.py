"""The five texts that dicelab started from: one module per text, with the text's names of functions and classes.

======  ===========================================================  ============
number  text                                                         module
======  ===========================================================  ============
1       Hazard and its win rates (University of Chicago)             `hazard`
2       craps: the pass line bet (McGill University)                 `craps`
3       Toss Up! in R (*Statistical Odds & Ends*)                    `tossup`
4       craps: the throws (Lott, *Object-Oriented Design*)           `throws`
5       LCR (University of Minnesota)                                `lcr`
======  ===========================================================  ============

Text 4 is one chapter of a book; the design of the whole book is in `casino`.

The rules are in `dicelab.games`; these modules are the texts' interfaces to them. ``docs/texts/`` has a page for each
text: its figures beside ours, and our decisions where it is wrong or ambiguous.
"""

MODULES = {1: "hazard", 2: "craps", 3: "tossup", 4: "throws", 5: "lcr"}
"""The module of each text, by its number."""
