"""Shows that rules keep to the contract before they are played: who may change what, and on what a rule may depend.

`contract` says which method may change what, and refuses a game that does not keep to it. `analysis` reads one function
and everything that it calls; `values` is what it knows of a value; `library` lists what rules may call. Nothing here
runs a rule. May import `dicelab.rules` and the standard library.
"""
