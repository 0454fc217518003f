"""The five texts, by the name that programs import: modules of `dicelab.extras.textbook`, as ``dicelab.textbook.lcr``.

>>> from dicelab.textbook import hazard
>>> 0 <= hazard.simulate_caster(7) <= 1
True
"""

from __future__ import annotations

from dicelab.extras import textbook

__path__ = textbook.__path__  # where Python looks for the modules of this one
__doc__ = textbook.__doc__
MODULES = textbook.MODULES
