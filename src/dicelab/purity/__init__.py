"""A static check that rules keep to the contract: what each method may change, and what rules may depend on.

`contract` refuses a game that breaks it. `analysis` interprets a function abstractly, with everything that it calls;
`values` are the abstract values; `library` lists what rules may use of Python. No rule is run.
"""
