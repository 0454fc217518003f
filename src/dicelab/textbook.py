"""The five texts, by the name that programs import: modules of `dicelab.extras.textbook`, as ``dicelab.textbook.lcr``.

>>> from dicelab.textbook import hazard
>>> hazard.simulate_caster(7) >= 0
True

Loaded by this name, each is a module of its own beside that of the other name: a program uses one of the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicelab.extras import textbook

if TYPE_CHECKING:
    from dicelab.extras.textbook import casino as casino
    from dicelab.extras.textbook import craps as craps
    from dicelab.extras.textbook import hazard as hazard
    from dicelab.extras.textbook import lcr as lcr
    from dicelab.extras.textbook import throws as throws
    from dicelab.extras.textbook import tossup as tossup

__path__ = textbook.__path__  # where Python looks for the modules of this one
__doc__ = textbook.__doc__
MODULES = textbook.MODULES
