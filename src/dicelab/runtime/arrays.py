"""What arrays hold, in signatures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""Elements of any type."""
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
