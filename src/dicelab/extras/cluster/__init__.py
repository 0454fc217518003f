"""Games played on the machines of a Dask cluster: ``--cluster tcp://HOST:PORT``, or ``local:4`` (docs/cluster.md).

Dask is an extra: ``pip install 'dicelab[cluster]'``. A worker is sent the rules (their names, or the texts of their
files), parameters, strategies, seed and ranges of games. It compiles the rules itself and returns totals, whole numbers
that merge exactly. So the result depends neither on the number of workers nor on which of them played what.
"""
